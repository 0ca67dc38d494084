# idp.audit: what it finds in small random tables is what this test works out row by row, from the formulas of the
# documentation. It finds what is wrong where this test makes something wrong. Nobody but owners may ask, and nothing is
# left behind.
use strict;
use warnings FATAL => 'all';

use FindBin;
use List::Util qw(max min sum0);
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('audit', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
my $seed = $ENV{IDP_AUDIT_SEED} // 1;
note "seed $seed";
srand $seed;

$s->value('CREATE ROLE owner; CREATE ROLE analyst; GRANT CREATE ON SCHEMA public TO owner');

# The rows that idp.audit gives for all units: call -> [aggregate, charged, moved, loss, groups, ok].
sub audit
{
	my ($session, $query, $units) = @_;
	my $got = $session->run(sprintf 'SELECT relation, call, aggregate, charged, moved, loss, groups, ok '
		  . 'FROM idp.audit($q$%s$q$, %s) ORDER BY 1, 2', $query, $units // 'NULL');
	die "$query: $got->{message}" if defined $got->{message};
	return map { [ split /\|/ ] } split /\n/, $got->{out};
}

sub is_near
{
	my ($got, $expected, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return ok(abs($got - $expected) <= 1e-9 * (1 + abs $expected), $name) || diag "$got, not $expected";
}

# --- single rows ---

my ($lower, $upper) = (0, 20);

sub rank { my ($n) = @_; return max(1, int(($n + 1) / 2)) }    # of the median: n/2, rounded up

# How many rows have to change for y to be the median.
sub distance
{
	my ($x, $y) = @_;
	return 0 unless @$x;
	my ($below, $up_to) = (scalar(grep { $_ < $y } @$x), scalar(grep { $_ <= $y } @$x));
	return max(0, $below - rank(scalar @$x) + 1, rank(scalar @$x) - $up_to);
}

# The loss per epsilon between rows and the same without one of them, by aggregate.
sub losses
{
	my ($rows, $without, $neighbours) = @_;
	my @x = sort { $a <=> $b } map { max($lower, min($upper, $_)) } @$rows;
	my @y = sort { $a <=> $b } map { max($lower, min($upper, $_)) } @$without;
	my $width = $upper - $lower;
	my $moved = abs(sum0(@x) - sum0(@y));
	my %loss = (
		dp_count => @x - @y,
		dp_sum => $moved / ($neighbours eq 'add_remove' ? max(abs $lower, abs $upper)
			  : max($width, abs $lower, abs $upper)),
		idp_sum => $moved / max(@x ? ($upper - $x[0], $x[-1] - $lower, abs $x[0], abs $x[-1]) : (), abs $lower,
			abs $upper),
		dp_median => max(map { abs(distance(\@x, $_) - distance(\@y, $_)) } $lower .. $upper),
		# c is twice the distance from the middle, and has noise of rate epsilon/(2 width); the number of rows
		# of rate epsilon/2
		dp_avg => abs(sum0(map { 2 * $_ - $lower - $upper } @x) - sum0(map { 2 * $_ - $lower - $upper } @y))
		  / (2 * $width) + (@x - @y) / 2);
	# without bounds: NULL where there is no value on either side of the median
	my ($all, $other) = map { [ sort { $a <=> $b } @$_ ] } $rows, $without;
	my $r = rank(scalar @$all);
	my $is_given = $r > 1 && $r < @$all;
	my $step = $is_given ? abs($all->[ $r - 1 ] - $other->[ rank(scalar @$other) - 1 ]) : 0;
	$loss{idp_median} = $step ? $step / max($all->[$r] - $all->[ $r - 1 ], $all->[ $r - 1 ] - $all->[ $r - 2 ]) : 0;
	return \%loss;
}

my %call = (
	dp_count => 'dp_count(0.5) FILTER (WHERE x IS NOT NULL)',
	dp_sum => "dp_sum(x, 0.25, $lower, $upper)",
	idp_sum => "idp_sum(x, 0.25, $lower, $upper)",
	dp_avg => "dp_avg(x, 0.5, $lower, $upper)",
	dp_median => "dp_median(x, 0.125, $lower, $upper)",
	idp_median => "idp_median(x, 0.125)");
my @names = sort keys %call;
my %epsilon = map { $_ => $call{$_} =~ /(0\.\d+)/ } @names;

foreach my $round (1 .. 12)
{
	my $neighbours = $round % 2 ? 'add_remove' : 'substitute';
	my $n = $round % 6 == 5 ? $round % 3 : 1 + int rand 12;    # also one row, and two
	my @rows = map { { g => int rand 3, w => int rand 2, x => int(rand 26) - 3 } } 1 .. $n;
	$s->value("DROP TABLE IF EXISTS t; CREATE TABLE t (id int PRIMARY KEY, g int NOT NULL, w int, x int)");
	$s->value("INSERT INTO t VALUES " . join ', ',
		map { "($_, $rows[$_]{g}, $rows[$_]{w}, $rows[$_]{x})" } 0 .. $#rows);
	$s->value("SELECT idp.protect('t', 1e6, '$neighbours'), idp.set_domain('t', 'g', ARRAY[0, 1, 2])");
	my $select = join ', ', map { $call{$_} } @names;
	my %of_group;
	push @{ $of_group{ $_->{g} } }, $_ foreach @rows;
	foreach my $form ([ "SELECT $select FROM t", 0, 0 ], [ "SELECT $select FROM t WHERE w = 1", 0, 1 ],
		[ "SELECT g, $select FROM t GROUP BY g", 1, 0 ])
	{
		my ($query, $is_grouped, $is_filtered) = @$form;
		my %most = map { $_ => 0 } @names;
		foreach my $left (0 .. $#rows)
		{
			my @seen = grep { !$is_grouped || $rows[$_]{g} == $rows[$left]{g} } grep { !$is_filtered || $rows[$_]{w} }
			  0 .. $#rows;
			my $loss = losses([ map { $rows[$_]{x} } @seen ], [ map { $rows[$_]{x} } grep { $_ != $left } @seen ],
				$neighbours);
			$most{$_} = max($most{$_}, $loss->{$_}) foreach @names;
		}
		my @found = audit($s, $query);
		is(scalar @found, scalar @names, "round $round: a row for each call: $query");
		foreach my $row (@found)
		{
			my (undef, $number, $name, $charged, $moved, $loss, $groups, $ok) = @$row;
			is_near($loss, $epsilon{$name} * $most{$name}, "round $round: the loss of $name")
			  or diag "$query, $neighbours, seed $seed: " . join ' ', map { "$_->{g}/$_->{w}/$_->{x}" } @rows;
			cmp_ok($loss, '<=', $charged * (1 + 1e-9), "round $round: is no more than is charged for $name");
			is("$groups $ok", '0 t', "round $round: which it says");
		}
	}
}

# --- every statistic that is looked at, over columns of other types, finds no more than is charged ---

$s->value(<<'SQL');
SELECT setseed(0.25);
CREATE TABLE kinds (id int PRIMARY KEY, f float8, r real, n numeric(10, 3), d date, i timestamptz, b bigint,
  g int NOT NULL, h int NOT NULL);
SELECT idp.protect('kinds', 1e6, 'substitute'), idp.set_domain('kinds', 'g', ARRAY[0, 1, 2]),
  idp.set_domain('kinds', 'h', ARRAY[0, 1]);
SQL
my @forms = (
	(map { "idp_median($_, 0.125)" } qw(f r n d i b)), 'idp_max(f, 0.125, 1000)', 'idp_min(n, 0.125, 0)',
	'idp_quantile(f, 0.125, 0.9)', 'idp_kth_largest(b, 0.125, 3)',
	(map { ("${_}sum(f, 0.125, -300, 700)", "${_}avg(f, 0.125, -300, 700)", "${_}variance(n, 0.125, 0, 100)",
		"${_}stddev(f, 0.125, -300, 700)") } qw(idp_ dp_)),
	'dp_median(f, 0.125, -300, 700)', 'dp_quantile(n, 0.125, 0, 100, 0.25)',
	"dp_min(d, 0.125, date '2019-01-01', date '2021-01-01')", 'dp_median_global(f, 0.125, -300, 700)',
	'dp_max_global(n, 0.125, 0, 100)', 'dp_count_distinct(d, 0.125)', 'dp_histogram(f, 0.125, -300, 700, 5)',
	'dp_count_range(f, 0.125, 0, 100)', 'idp_count_range(f, 0.125, 0, 100)', 'idp_iqr(f, 0.125)', 'idp_mad(n, 0.125)',
	'idp_trimmed_avg(f, 0.125, 0.25)', 'idp_trimmed_avg(n, 0.125, 0.25)', "idp_median(f, ARRAY[0.125, 0.25])",
	"idp_sum(f, ARRAY[0.125, 0.25], -300, 700)");
foreach my $n (1, 2, 7, 24)
{
	$s->value("TRUNCATE kinds; INSERT INTO kinds SELECT k, random() * 1000 - 300, random() * 5, random() * 100, "
		  . "date '2020-01-01' + (random() * 9)::int, timestamptz '2020-01-01' + random() * interval '10 days', "
		  . "(random() * 1e12)::bigint, k % 3, k % 2 FROM generate_series(1, $n) k");
	my @found = audit($s, 'SELECT ' . join(', ', @forms) . ' FROM kinds');
	is(scalar @found, scalar @forms, "$n rows: all are looked at");
	is(join(' ', map { $_->[2] } grep { $_->[7] ne 't' } @found), '', "$n rows: all are well");
	cmp_ok(scalar(grep { $_->[5] > 0.12 } @found), '>=', 3, "$n rows: some lose nearly what is charged");
	@found = audit($s, 'SELECT g, h, ' . join(', ', grep { !/^idp_/ } @forms) . ' FROM kinds GROUP BY ROLLUP (g, h)');
	is(join(' ', map { $_->[2] } grep { $_->[7] ne 't' } @found), '', "$n rows: all are well in groups of groups");
	is_near((grep { $_->[2] eq 'dp_count_distinct' } @found)[0][5], 0.375, "$n rows: a row is in three of them")
	  if $n < 3;
}

# A group that is decided about is known by its key, whatever row says how that is written.
$s->value("CREATE TABLE forms (x text); INSERT INTO forms SELECT CASE WHEN i = 1 THEN 'a' ELSE 'b' END "
	  . "FROM generate_series(1, 20) i");
$s->value("SELECT idp.protect('forms', 1e6, 'add_remove', rows => 'hidden', epsilon => 0.125, delta => 0.1), "
	  . "idp.set_domain('forms', 'x', '{a,b}'::text[])");
foreach my $one ([ '1.0', '1.00' ], [ "'-0'::float8", "'0'::float8" ])
{
	my @found = audit($s,
		"SELECT CASE WHEN x = 'a' THEN $one->[0] ELSE $one->[1] END AS k, count(*) FROM forms GROUP BY 1");
	is(join(' ', map { @$_[ 4, 7 ] } @found), '1 t 1 t', "one group of $one->[0] and $one->[1]");
}

# --- persons, with rows in two tables ---

foreach my $round (1 .. 6)
{
	my $persons = 2 + int rand 6;
	my @visits = map { int rand $persons } 1 .. int rand 25;
	my @drugs = @visits ? map { int rand @visits } 1 .. int rand 40 : ();
	my $most = 1 + int rand 3;
	$s->value('DROP TABLE IF EXISTS drug, visit, person; CREATE TABLE person (id int PRIMARY KEY); '
		  . 'CREATE TABLE visit (id int PRIMARY KEY, person int NOT NULL REFERENCES person); '
		  . 'CREATE TABLE drug (id int PRIMARY KEY, visit int NOT NULL REFERENCES visit)');
	$s->value("INSERT INTO person SELECT generate_series(0, $persons - 1)");
	$s->value('INSERT INTO visit VALUES ' . join ', ', map { "($_, $visits[$_])" } 0 .. $#visits) if @visits;
	$s->value('INSERT INTO drug VALUES ' . join ', ', map { "($_, $drugs[$_])" } 0 .. $#drugs) if @drugs;
	$s->value("SELECT idp.protect('person', 1e6, 'add_remove', unit => 'id'), idp.link('visit', 'person', 'person'), "
		  . "idp.link('drug', 'visit', 'visit')");
	my %of_person = map { my $p = $_; $p => scalar grep { $visits[ $_ ] == $p } @drugs } 0 .. $persons - 1;
	my $rows = 'SELECT row_number() OVER (PARTITION BY v.person ORDER BY d.id) AS r FROM visit v '
	  . 'JOIN drug d ON d.visit = v.id';
	my ($count) = audit($s, "SELECT dp_count(0.5) FROM ($rows) b WHERE r <= $most");
	is_near($count->[3], 0.5 * $most, "persons $round: $most rows are charged");
	is_near($count->[5], 0.5 * max(map { min($most, $_) } values %of_person),
		"persons $round: what the rows of one person move");
	my ($distinct) = audit($s, 'SELECT dp_sum(n, 0.5, 0, 4) '
		  . 'FROM (SELECT person, count(*) AS n FROM visit v JOIN drug d ON d.visit = v.id GROUP BY person) c');
	is_near($distinct->[5], 0.5 * max(map { min(4, $_) } values %of_person) / 4, "persons $round: sums by person");
	is("$count->[7] $distinct->[7]", 't t', "persons $round: all is well");
}

# --- plain SQL over hidden rows, groups that are decided about, partitions, several tables ---

$s->value(<<'SQL');
SELECT setseed(0.5);
CREATE TABLE shop (id int, city text NOT NULL, day date NOT NULL, amount numeric(8, 2) NOT NULL)
  PARTITION BY RANGE (day);
CREATE TABLE shop_1 PARTITION OF shop FOR VALUES FROM ('2024-01-01') TO ('2024-07-01');
CREATE TABLE shop_2 PARTITION OF shop FOR VALUES FROM ('2024-07-01') TO ('2025-01-01');
INSERT INTO shop SELECT i, 'city ' || i % 4, date '2024-01-01' + (i * 7) % 300, (i * 7.31) % 100
  FROM generate_series(1, 60) i;
CREATE INDEX ON shop_1 (amount);
SELECT idp.protect('shop', 100, 'add_remove', delta => 0.01, epsilon => 0.5, repeat => 'forever'),
  idp.set_domain('shop', 'amount', 0, 100);
GRANT SELECT ON shop TO analyst;
CREATE TABLE note (id int PRIMARY KEY, kind text NOT NULL);
INSERT INTO note SELECT i, 'kind ' || i % 3 FROM generate_series(1, 20) i;
SELECT idp.protect('note', 100, 'add_remove', rows => 'visible');
SQL
my @city = audit($s, 'SELECT city, count(*), sum(amount) FROM shop GROUP BY city');
is(join(' ', map { "$_->[2]:$_->[6]$_->[7]" } sort { $a->[2] cmp $b->[2] } @city),
	'dp_count:0t dp_keep_group:0t dp_sum:0t', 'plain SQL: groups are decided about');
is(join(' ', map { "$_->[2]:$_->[7]" }
		audit($s, "SELECT count(*), avg(amount), min(amount) FROM shop WHERE day < '2024-05-01'")),
	'dp_count:t dp_avg:t dp_quantile:t', 'plain SQL over partitions')
  or diag explain [ audit($s, "SELECT count(*), avg(amount), min(amount) FROM shop WHERE day < '2024-05-01'") ];
is(join(' ', map { "$_->[2]:$_->[5]" } audit($s, 'SELECT (SELECT count(*) FROM shop) - (SELECT count(*) FROM shop)')),
	'dp_count:0.5', 'what is drawn once is looked at once');
is(join(' ', map { "$_->[2]:$_->[5]:$_->[7]" } audit($s, 'SELECT dp_count(0.25), dp_count(0.5, $$all$$) FROM shop_2')),
	'dp_count:0.25:t dp_count:0.5:t', 'a partition; names of releases stand for nothing');
is(join(' ', map { "$_->[2]:$_->[6]$_->[7]" } audit($s, "SELECT kind, dp_count(0.5) FROM note GROUP BY kind")),
	'dp_count:0t', 'groups of visible rows that stay');
is(join(' ', map { "$_->[2]:$_->[6]$_->[7]" } audit($s, "SELECT id, dp_count(0.5) FROM note GROUP BY id")),
	'dp_count:1f', 'groups of visible rows that tell of a row are found');

# --- whatever the plan ---

$s->value($_) foreach 'CREATE INDEX ON shop_2 (amount)', 'VACUUM shop_1', 'VACUUM shop_2', 'VACUUM note';
foreach my $plan ('enable_seqscan = off', 'enable_indexonlyscan = off; SET enable_seqscan = off',
	'enable_indexscan = off; SET enable_indexonlyscan = off')
{
	my $t = session($node);
	$t->value("SET $plan");
	is(join(' ', map { "$_->[5]$_->[7]" } audit($t, $_)), '0.5t', "$plan: $_")
	  foreach 'SELECT dp_count(0.5) FROM shop WHERE amount > 3',
	  'SELECT dp_sum(amount, 0.5, 0, 1) FROM shop_2 WHERE amount > 3', 'SELECT dp_count(0.5) FROM note WHERE id > 3';
}
my $t = session($node);
$t->value("SET enable_$_ = off") foreach qw(indexscan indexonlyscan seqscan);
my $got = $t->run('SELECT loss, ok FROM idp.audit($$SELECT dp_count(0.5) FROM note WHERE id > 3$$, NULL)');
like($got->{message} // $got->{out}, qr/^(0\.5\|t|idp\.audit cannot leave rows out of a bitmap scan of table "note")$/,
	'rows that are counted unread are refused');

# --- what is wrong is found ---

# A unique index says that a person has one row, and does not hold.
$s->value(<<'SQL');
CREATE TABLE member (id int PRIMARY KEY);
CREATE TABLE card (member int NOT NULL UNIQUE REFERENCES member, points int NOT NULL);
INSERT INTO member SELECT generate_series(1, 10);
INSERT INTO card SELECT i, 5 FROM generate_series(1, 10) i;
SELECT idp.protect('member', 100, 'add_remove', unit => 'id'), idp.link('card', 'member', 'member');
SQL
my $ask = 'SELECT dp_count(0.5), dp_sum(points, 0.5, 0, 5) FROM card';
is(join(' ', map { "$_->[5]$_->[7]" } audit($s, $ask)), '0.5t 0.5t', 'a row for each person');
$s->value("UPDATE pg_index SET indisready = false WHERE indexrelid = 'card_member_key'::regclass");
session($node)->value('INSERT INTO card VALUES (3, 5), (3, 4)');
$s->value("UPDATE pg_index SET indisready = true WHERE indexrelid = 'card_member_key'::regclass");
$t = session($node);
is(join(' ', map { "$_->[5]$_->[7]" } audit($t, $ask)), '1.5f 1.4f',
	'three rows of one are charged as one, which is found');
is($t->value("SELECT unit FROM idp.audit('$ask', NULL) WHERE call = 1"), '3', 'and whose they are');

# --- who may ask, and what is refused ---

foreach my $case (
	[ 'SELECT dp_count(0.5) FROM shop', '42501', 'an analyst' ],
	[ 'SELECT 1', '22023', 'without private answers' ],
	[ 'DELETE FROM shop', '0A000', 'a change' ])
{
	my ($query, $state, $name) = @$case;
	my $analyst = session($node);
	$analyst->value('SET ROLE analyst');
	is($analyst->run(sprintf 'SELECT * FROM idp.audit($q$%s$q$)', $query)->{sqlstate}, $state, "refused: $name");
}
$s->value("CREATE TABLE own (id int); INSERT INTO own SELECT generate_series(1, 5); ALTER TABLE own OWNER TO owner; "
	  . "SET ROLE owner; SELECT idp.protect('own', 10, 'add_remove'); RESET ROLE; GRANT SELECT ON shop TO owner; "
	  . "CREATE VIEW both_tables AS SELECT id FROM own; GRANT SELECT ON both_tables TO owner, analyst");
my $owner = session($node);
$owner->value('SET ROLE owner');
is(join(' ', map { $_->[7] } audit($owner, 'SELECT dp_count(0.5) FROM own')), 't', 'an owner who is no superuser');
is(join(' ', map { $_->[7] } audit($owner, 'SELECT dp_count(0.5) FROM both_tables')), 't', 'through a view');
is($owner->run('SELECT * FROM idp.audit($$SELECT (SELECT dp_count(0.5) FROM own), '
	  . '(SELECT dp_count(0.5) FROM shop)$$)')->{sqlstate}, '42501', 'not of the tables of others');
my $analyst = session($node);
$analyst->value('SET ROLE analyst');
is($analyst->run('SELECT * FROM idp.audit($$SELECT dp_count(0.5) FROM both_tables$$)')->{sqlstate}, '42501',
	'nor through a view');
$s->value('CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN 2 * n; END$$');
foreach my $case (
	[ 'SELECT dp_sum(amount, 0.5) FROM shop', 'does not know how to look at dp_sum' ],
	[ 'SELECT dp_median_smooth(amount, 0.5, 0, 100) FROM shop', 'does not know how to look at dp_median_smooth' ],
	[ 'SELECT dp_count(0.5) FROM note WHERE twice(id) > 3', 'functions of users' ],
	[ 'SELECT dp_count(0.5), random() FROM note', 'volatile functions' ],
	[ q{SELECT dp_count(0.5), idp.protect('note', 1) FROM note}, 'volatile functions' ],
	[ 'SELECT id FROM shop', 'are hidden' ],
	[ 'SELECT dp_count(0.5) FROM note WHERE id IN (SELECT id FROM note)', 'note' ])
{
	my ($query, $message) = @$case;
	my $got = $s->run(sprintf 'SELECT * FROM idp.audit($q$%s$q$)', $query);
	like($got->{message}, qr/\Q$message\E/, "refused: $query");
}
is($s->value("SELECT has_rows FROM (SELECT count(*) > 0 AS has_rows FROM shop) x"), 't',
	'a refusal leaves the owner all rows');
is($s->run('SELECT * FROM idp.audit($$SELECT dp_count(0.5) FROM shop$$, 0)')->{sqlstate}, '22023',
	'units must be at least one');

# --- nothing is left behind ---

my @traces = (
	'SELECT count(*), coalesce(sum(epsilon), 0) FROM idp.charge', 'SELECT count(*) FROM idp.chain',
	'SELECT count(*) FROM idp.answer', 'SELECT md5(string_agg(b::text, $$,$$ ORDER BY b::text)) FROM idp.protection b',
	'SELECT pg_relation_size($$shop_1$$), pg_relation_size($$idp.answer$$), pg_relation_size($$idp.charge$$)',
	'SELECT md5(string_agg(x.xmax::text || x.ctid::text, $$,$$ ORDER BY id)) FROM shop x');
my $traces = sub { return join ' / ', map { $s->value($_) } @traces };
my $before = $traces->();
$analyst->value('SELECT count(*) FROM shop');
my $kept = $analyst->value('SELECT count(*) FROM shop');
my $after = $traces->();
isnt($after, $before, 'an answer leaves traces');
my $log = -s $node->logfile;
is(join(' ', map { "$_->[2]:$_->[5]$_->[7]" } audit($s, 'SELECT count(*) FROM shop')), 'dp_count:0.5t',
	'an answer that is kept is looked at all the same');
$s->run('SELECT * FROM idp.audit($$SELECT city, count(*), dp_count(0.5, $q2$named$q2$) FROM shop '
	  . 'GROUP BY city$$, NULL)');
is(scalar(audit($s, $_)), 1, $_)
  foreach 'SELECT dp_count(0.125) FROM shop', 'SELECT dp_avg(amount, 0.25, 0, 100) FROM shop WHERE id > 3';
is($traces->(), $after, 'an audit leaves none');
is($analyst->value('SELECT count(*) FROM shop'), $kept, 'and the analyst has the same answer');
$s->value('BEGIN READ ONLY');
is(join(' ', map { $_->[7] } audit($s, 'SELECT dp_count(0.25) FROM shop')), 't', 'it writes nothing: READ ONLY');
$s->value('COMMIT');

# --- what looks at a query as others see it asks nothing else for these others ---

# A table of the analyst's own, which she protects, is none that may be joined to hidden rows. Nor is it while idp.cost,
# or idp.audit of that table, looks at a query whose function, or view, asks.
$s->value(<<'SQL');
CREATE TABLE secret (id int, age int NOT NULL);
INSERT INTO secret VALUES (17, 50);
SELECT idp.protect('secret', 1e6, rows => 'hidden');
GRANT SELECT ON secret TO analyst;
CREATE SCHEMA an AUTHORIZATION analyst;
SET ROLE analyst;
CREATE TABLE an.own (k int NOT NULL);
INSERT INTO an.own SELECT generate_series(1, 60);
CREATE TABLE an.free AS TABLE an.own;
SELECT idp.protect('an.own', 1e6);
CREATE FUNCTION an.asks() RETURNS int LANGUAGE plpgsql IMMUTABLE
  AS 'BEGIN PERFORM dp_count(1e-9) FROM secret s JOIN an.own o ON o.k = s.age WHERE s.id = 17; RETURN 1; END';
CREATE FUNCTION an.asks_alone() RETURNS int
  LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM dp_count(1e-9) FROM secret; RETURN 1; END';
CREATE FUNCTION an.reads() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN (SELECT count(*) FROM an.free); END';
CREATE VIEW an.asked AS SELECT dp_count(1e-9) FROM secret s JOIN an.own o ON o.k = s.age WHERE s.id = 17;
RESET ROLE;
SQL
$analyst->value('RESET ROLE; SET ROLE analyst');
my $spent = $s->value("SELECT spent FROM idp.budget WHERE table_name = 'secret'");
my $elsewhere =
  qr/^rows that are hidden from others cannot be read by a function while idp\.cost or idp\.audit looks at a query/;
like($analyst->run('SELECT an.asks()')->{message}, qr/"own"/, 'a table of her own is not joined to hidden rows');
like($analyst->run("SELECT * FROM idp.cost('SELECT dp_count(1) FROM secret WHERE an.$_() = 1', true)")->{message},
	$elsewhere, "nor while idp.cost looks at a query: $_") foreach qw(asks asks_alone);
is($analyst->run("SELECT relation FROM idp.cost('SELECT dp_count(1) FROM secret "
	  . "WHERE an.reads() = 60', true)")->{message}, undef, 'a function may read others');
like($analyst->run(q{SELECT * FROM idp.audit($$SELECT dp_count(1), table_to_xml('an.asked', true, false, '') }
	  . q{FROM an.own$$, 1)})->{message}, qr/^rows that are hidden|volatile/, 'nor in an audit');
is($s->value("SELECT spent FROM idp.budget WHERE table_name = 'secret'"), $spent, 'and nothing is charged');

done_testing();

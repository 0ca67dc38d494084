# idp.clip: the values of a partition add up to its bound at most, and a sum of them costs epsilon once about a person,
# however many rows and groups she has. What it does is held against arithmetic; what it costs, against all databases
# that lack one person, for random queries.
#
#   IDP_CLIP_TRIED   how many are tried (400)
#   IDP_CLIP_SEED    where to begin (1)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $seed = $ENV{IDP_CLIP_SEED} // 1;
my $tried = $ENV{IDP_CLIP_TRIED} // 400;
srand $seed;

my $node = new_node('clipped_sums', "shared_preload_libraries = 'idp'", 'fsync = off', 'jit = off');
my $s = session($node);
$s->value('SET client_min_messages = error');

# --- the function ----------------------------------------------------------------------------------------------------

sub clipped
{
	return $s->value("SELECT string_agg(coalesce(c::text, 'null'), ' ' ORDER BY i) "
		  . "FROM (SELECT i, idp.clip(x::numeric, $_[1]) OVER () c FROM (VALUES $_[0]) v(i, x)) w");
}

is(clipped('(1, 1), (2, -2), (3, NULL)', 3), '1.0000 -2.0000 null', 'what is within the bound stays');
is(clipped('(1, 1), (2, -2), (3, 3)', 3), '0.5000 -1.0000 1.5000', 'what is beyond is divided');
is(clipped('(1, 1), (2, 1), (3, -1)', 1), '0.3333 0.3333 -0.3333', 'and cut off towards zero');
is(clipped('(1, 1), (2, 1), (3, -1)', '1.000000'), '0.333333 0.333333 -0.333333', 'with the digits of the bound');
is(clipped('(1, 0.00009), (2, -0.00019), (3, 0)', 1), '0.0000 -0.0001 0.0000', 'digits beyond those are none');
is(clipped("(1, 1), (2, $_)", 3), '0.0000 0.0000', "all is 0 beside $_")
  foreach q('NaN'::numeric), q('Infinity'::numeric), q('-Infinity'::numeric), '1e30', '-1e30';
is(clipped('(1, 1), (2, -5)', $_), 'null null', "a bound of $_") foreach 'NULL', '-1', q('NaN'), q('Infinity'), '1e30';
is(clipped('(1, 1), (2, -5)', 0), '0.0000 0.0000', 'a bound of 0');
is($s->value('SELECT count(DISTINCT c), min(c), max(c) FROM (SELECT idp.clip(1, 10) '
	  . 'OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) c FROM generate_series(1, 100) i) w'),
	'1|0.1000|0.1000', 'neither order nor frame change anything');
is($s->run('SELECT idp.clip(1, 1)')->{sqlstate}, '42809', 'it is a window function');

is($s->run('CREATE OPERATOR public.### (PROCEDURE = idp.clip, LEFTARG = numeric, RIGHTARG = numeric); '
	  . 'SELECT 1.0 OPERATOR(public.###) 2.0')->{sqlstate}, '42809', 'also as an operator');
$s->value('DROP OPERATOR public.### (numeric, numeric)');

my $wrong = $s->value(<<'SQL');
WITH random AS MATERIALIZED (
  SELECT p, i,
  ((('x' || substr(md5(p || '.' || i), 1, 7))::bit(28)::int % 20001 - 10000) / 10.0 ^ (p % 7))::numeric AS v,
         round((p * 7919 % 1000) / 10.0 ^ (p % 4), p % 6) AS bound
  FROM generate_series(1, 1000) p, generate_series(1, 1 + p % 9) i),
clipped AS (
  SELECT *, idp.clip(v, b) OVER (PARTITION BY p) AS c
  FROM (SELECT p, i, v, first_value(bound) OVER (PARTITION BY p ORDER BY i) AS b FROM random) r)
SELECT count(*) FROM (
  SELECT p FROM clipped GROUP BY p, b
  HAVING sum(abs(c)) > b OR bool_or(abs(c) > abs(v) OR c * v < 0)
  OR (sum(abs(v)) <= b AND bool_or(c <> trunc(v, greatest(4, scale(b)))))
      OR bool_or(abs(v) * b / greatest(b, (SELECT sum(abs(v)) FROM random r
        WHERE r.p = clipped.p)) - abs(c) > 2 * 10.0 ^ -greatest(4, scale(b)))) w
SQL
is($wrong, 0, '1000 random partitions: within the bound, of one sign, no greater, and as near as the digits let it be');

# a value that changes between the two times that it is computed: what was given of a person is counted
$s->value(<<'SQL');
CREATE TABLE moody (id int PRIMARY KEY);
INSERT INTO moody SELECT generate_series(1, 40);
CREATE TABLE moods (id int PRIMARY KEY, person int NOT NULL REFERENCES moody, price int NOT NULL);
INSERT INTO moods SELECT i, 1 + i % 40, 1 FROM generate_series(1, 480) i;
SELECT idp.protect('moody', 1e12, 'add_remove', rows => 'visible', unit => 'id'), idp.link('moods', 'person', 'moody');
CREATE ROLE moody_one; GRANT SELECT ON moody, moods TO moody_one;
SQL
foreach my $scale (1, '1.000000')
{
	my $r = $s->run(<<"SQL");
SET ROLE moody_one; SET my.k = '0.0001'; BEGIN;
DECLARE c CURSOR FOR WITH z AS MATERIALIZED (SELECT id, person,
  idp.clip(price * current_setting('my.k')::numeric, $scale) OVER (PARTITION BY person) c FROM moods)
  SELECT person::float8, c::float8 FROM z UNION ALL (SELECT NULL, dp_sum(c, 1e9, 0, 1)::float8 FROM z);
FETCH 3 c; SET my.k = '1'; FETCH ALL FROM c; COMMIT; RESET ROLE; RESET my.k
SQL
	is($r->{sqlstate}, undef, "a setting that changes while a cursor waits, bound $scale");
	my %given;
	foreach my $row (map { [ split /\|/ ] } split /\n/, $r->{out})
	{
		$given{ $row->[0] eq '' ? 'sum' : $row->[0] } += $row->[1];
	}
	my $sum = delete $given{sum};
	is(scalar(grep { $_ > 1.000001 } values %given), 0, '... no person has more than the bound');
	ok(defined $sum && $sum < 40.01, '... nor has their sum');
}

# --- what a sum of it costs: tables of seven persons, and the same without one of them each ---------------------------

my $persons = 7;
sub tables
{
	my ($schema, $without) = @_;
	return <<"SQL";
CREATE SCHEMA $schema; SET search_path = $schema;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE tags (region int, tag int);
CREATE TABLE persons (id int PRIMARY KEY, region int NOT NULL, age int);
CREATE TABLE orders (id int PRIMARY KEY, person int NOT NULL REFERENCES persons, status int NOT NULL, day int,
  price numeric(8,2), n int);
INSERT INTO regions SELECT i, 'r' || i % 2 FROM generate_series(0, 3) i;
INSERT INTO tags SELECT i % 3, i FROM generate_series(0, 6) i;
INSERT INTO persons SELECT i, i % 3, 20 + 7 * i % 30 FROM generate_series(1, $persons) i WHERE i <> $without;
INSERT INTO orders SELECT i, 1 + i * i % $persons, i % 3, i % 5, (i * 37 % 41) - 10 + (i % 4) / 4.0, i % 6 - 1
FROM generate_series(1, 60) i WHERE 1 + i * i % $persons <> $without;
SQL
}
$s->value('CREATE EXTENSION IF NOT EXISTS idp');
$s->value(tables("w$_", $_)) foreach 0 .. $persons;
$s->value(<<'SQL');
SET search_path = w0, public;
SELECT idp.protect('persons', 1e9, 'add_remove', rows => 'visible', unit => 'id');
SELECT idp.link('orders', 'person', 'persons');
SQL

sub one { return $_[ int rand @_ ] }

# Random queries: rows that are clipped, what is done to them then, and the sum of it. { sum: of these rows, by:
# the key }
sub question
{
	my $grain = one('person, status', 'person, day', 'person, status, day', 'person', 'person, id');
	my $value = one('count(*)', 'sum(price)', 'sum(n)', 'max(price)', 'sum(price)');
	my ($from, $v) = rand() < 0.6 ? ("(SELECT $grain, $value AS v FROM orders GROUP BY $grain) g", 'v')
	  : ('orders', one('price', 'n', 'n - 1', 'abs(price)'));
	$from = '(SELECT o.*, p.region FROM orders o JOIN persons p ON p.id = o.person) g'
	  if $from eq 'orders' && rand() < 0.5;
	my @columns = $from =~ /^\(SELECT o/ ? qw(person status day region) : $from eq 'orders' ? qw(person status
		day) : grep { /^(person|status|day)$/ } split /, /, $grain;
	my $by = one('person', 'person', 'person', 'person', 'person ORDER BY person',
		@columns > 1 ? "person, $columns[1]" : 'person', $columns[-1]);
	my $bound = one(1, 5, 20, '20.00', '7.5', '3.123456', 50);
	my $rows = 'SELECT ' . join(', ', @columns) . ", idp.clip($v, $bound) OVER (PARTITION BY $by) AS c FROM $from";
	my $count = int rand 3;
	foreach (1 .. $count)
	{
		my $key = one(@columns);
		my $list = join ', ', @columns;
		my $step = one(
			sub { "SELECT * FROM ($rows) s WHERE $key > 0" },
			sub { "SELECT * FROM ($rows) s WHERE c > 1" },
			sub { "SELECT DISTINCT $list, c FROM ($rows) s" },
			sub { "SELECT $list, c FROM ($rows) s GROUP BY $list, c" },
			sub { "SELECT $list, max(c) AS c FROM ($rows) s GROUP BY $list" },
			sub { "SELECT $list, c + 1 AS c FROM ($rows) s" },
			sub { "SELECT $list, -c AS c FROM ($rows) s" },
			sub { "SELECT s.* FROM ($rows) s JOIN regions r ON r.id = s.$key" },
			sub { "SELECT s.* FROM ($rows) s JOIN tags t ON t.region = s.$key" },
			sub { "SELECT s.* FROM ($rows) s LEFT JOIN regions r ON r.id = s.$key" },
			sub { "SELECT s.* FROM ($rows) s LEFT JOIN tags t ON t.region = s.$key" },
			sub { "SELECT s.* FROM ($rows) s JOIN persons p ON p.id = s.person" },
			sub { "SELECT s.* FROM ($rows) s JOIN orders p ON p.person = s.person" },
			sub { "SELECT s.* FROM ($rows) s WHERE EXISTS (SELECT FROM tags t WHERE t.region = s.$key)" },
			sub { "SELECT * FROM ($rows) s UNION ALL SELECT * FROM ($rows) t" },
			sub { "SELECT s.* FROM regions r, LATERAL (SELECT * FROM ($rows) l WHERE l.$key >= r.id OFFSET 0) s" },
			sub { "SELECT s.* FROM regions r, LATERAL ($rows WHERE $key = r.id) s" },
			sub { "SELECT $list, idp.clip(c, $bound) OVER (PARTITION BY " . one(@columns) . ") AS c FROM ($rows) s" },
			sub { "SELECT * FROM ($rows) s ORDER BY $key OFFSET 0" },
			sub { "SELECT $list, c, generate_series(1, 2) FROM ($rows) s" },
			sub { "WITH m AS MATERIALIZED ($rows) SELECT a.* FROM m a JOIN m b ON a.person = b.person" });
		$rows = $step->();
		$rows = 'SELECT ' . join(', ', @columns) . ", c FROM ($rows) f";
	}
	my ($lower, $upper) = map { "$_\::numeric" } one([ 0, $bound ], [ 0, $bound ], [ "-$bound", $bound ],
		[ "-$bound", 0 ], [ -2, $bound ], [ 0, 2 ], [ 1, $bound ], [ "-$bound", 100 ])->@*;
	my $key = one('none', @columns);
	return { rows => $rows, key => $key eq 'none' ? '0' : $key, by => $key eq 'none' ? '' : " GROUP BY $key",
		lower => $lower, upper => $upper };
}

my @settings = ('', 'SET enable_hashjoin = off; SET enable_mergejoin = off;', 'SET enable_hashagg = off;',
	'SET enable_sort = off; SET enable_nestloop = off;');

# By how much the sums of all groups move together if a person is removed, at most; and whether in each they move within
# [lower, upper].
sub movement
{
	my ($q) = @_;
	my $sums = sub {
		"SELECT $q->{key} AS k, sum(least(greatest(c, $q->{lower}), $q->{upper})) AS v FROM ($q->{rows}) r GROUP BY 1"
	};
	my ($most, $within) = (0, 1);
	$s->value("SET search_path = w0, public; CREATE TEMP TABLE full_sums AS " . $sums->());
	foreach my $person (1 .. $persons)
	{
		my ($l1, $inside) = split /\|/, $s->value("SET search_path = w$person, public; SELECT coalesce(sum(abs(d)), "
			  . "0), coalesce(bool_and(d BETWEEN least(0, $q->{lower}) AND greatest(0, $q->{upper})), true) "
			  . 'FROM (SELECT coalesce(f.v, 0) - coalesce(w.v, 0) AS d FROM full_sums f FULL JOIN (' . $sums->()
			  . ') w ON w.k = f.k) x');
		$most = $l1 if $l1 > $most;
		$within &&= $inside eq 't';
	}
	$s->value('DROP TABLE full_sums; SET search_path = w0, public');
	return ($most, $within);
}

sub greatest { return (sort { $b <=> $a } map { /^-?([\d.]+)/ } @{ $_[0] }{qw(lower upper)})[0] }

my (%count, @wrong);
@count{qw(once more refused beyond)} = (0) x 4;
my %refused;
foreach my $number (1 .. $tried)
{
	my $q = question();
	my $set = one(@settings);
	my $r = $s->run("RESET ALL; SET client_min_messages = error; SET search_path = w0, public; "
		  . "$set SELECT coalesce(sum(epsilon), 0) FROM idp.cost(\$q\$SELECT dp_sum(c, 1, $q->{lower}, $q->{upper}) "
		  . "FROM ($q->{rows}) r$q->{by}\$q\$)");
	if (defined $r->{sqlstate})
	{
		$count{refused}++;
		$refused{ $r->{message} =~ s/.* computed over //r }++;
		next if $r->{sqlstate} eq '0A000' || $r->{sqlstate} eq '42883';
		push @wrong, "$r->{sqlstate} $r->{message}: $q->{rows}";
		next;
	}
	my ($most, $within) = movement($q);
	my $charged = $r->{out};
	$count{ $charged == 1 ? 'once' : 'more' }++;
	next if $most <= $charged * greatest($q) && ($within || $charged > 1);
	push @wrong, "SELECT dp_sum(c, 1, $q->{lower}, $q->{upper}) FROM ($q->{rows}) r$q->{by}";
	diag "seed $seed, query $number, is charged $charged but moves by $most: $wrong[-1]";
}
note "seed $seed: ", join ', ', map { "$_ $count{$_}" } sort keys %count;
note "refused: $refused{$_} $_" foreach sort { $refused{$b} <=> $refused{$a} } keys %refused;
is(join("\n", @wrong), '', "$tried random queries: no person moves the sums by more than is charged for");
cmp_ok($count{once}, '>', $tried / 20, "$count{once} of them are charged once");
cmp_ok($count{refused}, '>', $tried / 20, "$count{refused} are refused");

# --- each rule, by a query that needs it ----------------------------------------------------------

my $clipped = 'SELECT person, status, day, idp.clip(price, 20) OVER (PARTITION BY person) AS c FROM orders';

sub cost
{
	my ($query) = @_;
	my $r = $s->run("RESET ALL; SET client_min_messages = error; SET search_path = w0, public; "
		  . "SELECT coalesce(sum(epsilon), 0) FROM idp.cost(\$q\$$query\$q\$)");
	return $r->{sqlstate} // $r->{out};
}
is(cost("SELECT status, dp_sum(c, 1, -20, 20) FROM ($clipped) r GROUP BY status"), 1,
	'all groups together cost epsilon once');
is(cost("SELECT status, dp_sum(c, 1, -20, 20), dp_sum(c, 0.5, 0, 20) FROM ($clipped) r GROUP BY status"), 1.5,
	'each sum by itself');
is(cost("SELECT status, dp_sum(c, 1, -20, 20) FROM ($clipped) r GROUP BY ROLLUP (status)"), 2,
	'each grouping set by itself');
my %refuse = (
	'the bounds hold no 0' => "SELECT dp_sum(c, 1, 1, 20) FROM ($clipped) r",
	'the bounds hold less' => "SELECT dp_sum(c, 1, 0, 19.99) FROM ($clipped) r",
	'one bound holds less' => "SELECT dp_sum(c, 1, -5, 20) FROM ($clipped) r",
	'a sum of what is made of it' => "SELECT dp_sum(c + 0, 1, 0, 20) FROM ($clipped) r",
	'bounds of double precision' => "SELECT dp_sum(c, 1, 0::float8, 20::float8) FROM ($clipped) r",
	'rows that come twice' => "SELECT dp_sum(c, 1, 0, 20) FROM ($clipped) r JOIN tags t ON t.region = r.status",
	'twice in a union' => "SELECT dp_sum(c, 1, 0, 20) FROM ($clipped UNION ALL $clipped) r",
	'for each row of an outer table' => "SELECT dp_sum(c, 1, 0, 20) "
	  . "FROM regions g, LATERAL ($clipped WHERE status = g.id) r",
	'parts of a person' => 'SELECT dp_sum(c, 1, 0, 20) '
	  . 'FROM (SELECT idp.clip(price, 20) OVER (PARTITION BY person, status) AS c FROM orders) r',
	'another function' => 'SELECT dp_sum(c, 1, 0, 20) '
	  . 'FROM (SELECT sum(price) OVER (PARTITION BY person) AS c FROM orders) r',
	'a bound that is a column' => 'SELECT dp_sum(c, 1, 0, 20) '
	  . 'FROM (SELECT idp.clip(price, 20 + status) OVER (PARTITION BY person) AS c FROM orders) r',
	'a count of such rows' => "SELECT dp_count(1) FROM ($clipped) r",
	'an average' => "SELECT dp_avg(c, 1, 0, 20) FROM ($clipped) r",
	'a median' => "SELECT idp_median(c, 1) FROM ($clipped) r",
	'a sum with bounds that are found' => "SELECT dp_sum(c, 1) FROM ($clipped) r",
	'an individual sum' => "SELECT idp_sum(c, 1, 0, 20) FROM ($clipped) r",
	'persons of all in one partition' => 'SELECT dp_sum(c, 1, 0, 20) '
	  . 'FROM (SELECT idp.clip(price, 20) OVER () AS c FROM orders) r');
is(cost($refuse{$_}), '0A000', "refused: $_") foreach sort keys %refuse;

# Parameters: a custom plan knows the bound, a generic one has it when it runs.
foreach my $mode ('force_custom_plan', 'force_generic_plan')
{
	$s->value("SET plan_cache_mode = $mode; DEALLOCATE ALL; PREPARE p(numeric) AS SELECT dp_sum(c, 1, 0.0, \$1) "
		  . "FROM (SELECT idp.clip(price, \$1) OVER (PARTITION BY person) AS c FROM orders) r");
	my $before = $s->value("SELECT sum(spent) FROM idp.budget");
	$s->value('EXECUTE p(20)');
	is($s->value("SELECT sum(spent) - $before FROM idp.budget"), 1, "a parameter as bound: $mode");
}

# --- over hidden rows, by an analyst --------------------------------------------------------------

$s->value(<<'SQL');
RESET ALL; SET client_min_messages = error; SET search_path = w0, public;
SELECT idp.protect('persons', 1e9, rows => 'hidden');
SELECT idp.set_domain('orders', 'status', ARRAY[0, 1, 2, 3]);
CREATE ROLE analyst; GRANT USAGE ON SCHEMA w0 TO analyst; GRANT SELECT ON persons, orders, regions TO analyst;
SQL
my $true = $s->value("SELECT string_agg(status || ':' || v, ' ' ORDER BY status) "
	  . "FROM (SELECT status, round(sum(c), 2) AS v FROM ($clipped) r GROUP BY status) x");
my $a = session($node);
$a->value('SET ROLE analyst; SET search_path = w0, public');
my $by_status = "SELECT status, round(dp_sum(c, 10000000, -20, 20), 2) AS v FROM ($clipped) r GROUP BY status";
is($a->value("SELECT string_agg(status || ':' || v, ' ' ORDER BY status) FROM ($by_status) x"), "$true 3:0.00",
	'a sum for each key of a domain');
is($a->value("SELECT epsilon FROM idp.cost(\$q\$$by_status\$q\$)"), 10000000, 'for epsilon once');
like($a->run("SELECT dp_sum(c, 1, 0, 20) "
	  . "FROM (SELECT idp.clip(price, 20) OVER (PARTITION BY status) AS c FROM orders) r")->{message},
	qr/a window function: partition by the key of the unit/, 'refused: a partition that is no person');

# An operator may be made of any function, also of one for windows.
is($s->run('CREATE OPERATOR public.### (PROCEDURE = idp.clip, LEFTARG = numeric, RIGHTARG = numeric); '
	  . 'SELECT 1.0 OPERATOR(public.###) 2.0')->{sqlstate}, '42809',
	'without a window: an error, and the server is alive');
is($s->value('SELECT 1'), 1, 'the server is alive');

$node->stop;
done_testing();

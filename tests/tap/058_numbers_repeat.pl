# Answers repeat number by number: a statement that asks for some that were asked before pays for the others alone, in
# whatever statement and order they were; and what must be of one draw is.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('numbers_repeat', "shared_preload_libraries = 'idp'", 'max_connections = 40', 'jit = off');
my $s = session($node);
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south');
CREATE TABLE sales (id int PRIMARY KEY, region int NOT NULL REFERENCES regions, status text NOT NULL, n int NOT NULL,
  price numeric(10, 2) NOT NULL, at timestamptz NOT NULL);
CREATE FUNCTION fill(many int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO sales SELECT i, 1 + i % 2, (ARRAY['new', 'paid', 'sent'])[1 + i % 3], i % 10, (i % 1000) / 100.0,
	  '2024-01-01 00:00Z'::timestamptz + i * interval '1 hour' FROM generate_series(1, many) i $$;
SELECT fill(3000);
SELECT idp.protect('sales', 1e6, 'add_remove', delta => 1e-3, repeat => 'forever');
SELECT idp.set_domain('sales', 'status', ARRAY['new', 'paid', 'sent', 'lost']), idp.set_domain('sales', 'n', 0, 10),
  idp.set_domain('sales', 'price', 0, 10);
CREATE ROLE ana; CREATE ROLE bob;
GRANT SELECT ON sales, regions TO ana, bob;
SQL
my $ana = session($node);
$ana->value('SET client_min_messages = error; SET ROLE ana; SET idp.epsilon = 0.5');
my $bob = session($node);
$bob->value('SET client_min_messages = error; SET ROLE bob; SET idp.epsilon = 0.5');

sub asked
{
	my ($query, $cost, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $told = $ana->value("SELECT coalesce(sum(epsilon), 0) FROM idp.cost(\$q\$$query\$q\$)") + 0;
	is($told, $cost, "$name: idp.cost says $cost");
	my $answer;
	costs($s, 'sales', $cost, $name, sub { $answer = $ana->value($query) });
	return $answer;
}

# --- One row --------------------------------------------------------------------------------------

my $count = asked('SELECT count(*) FROM sales', 0.5, 'a count');
my $both = asked('SELECT count(*), sum(n) FROM sales', 0.5, 'a sum beside it');
like($both, qr/^\Q$count\E[|]/, '... with the count there was');
my ($sum) = $both =~ /[|](.*)/;
is(asked('SELECT sum(n) FROM sales', 0, 'the sum alone'), $sum, '... is the same');
is(asked('SELECT sum(n) AS a, count(*) AS b FROM sales s', 0, 'both, turned round'), "$sum|$count", '... are the same');
is(asked('SELECT sum(n), count(*) - count(*) FROM sales', 0, 'arithmetic'), "$sum|0", '... on the same');
like(asked("SELECT count(*) FILTER (WHERE n > 3), count(*) FROM sales", 0.5, 'a filter is a number of its own'),
	qr/[|]\Q$count\E$/, '... beside the count');
like(asked("SELECT count(*), count(*) FILTER (WHERE n > 3), sum(n), max(n) FROM sales", 0.5, 'one of four'),
	qr/^\Q$count\E[|]\d+[|]\Q$sum\E[|]/, '... is new');
asked('SELECT dp_count(1), dp_sum(n, 0.25, 0, 10) FROM sales', 0.5, 'more epsilon costs the difference, less nothing');
like(asked('SELECT count(*), sum(n) FROM sales', 0, 'after that'), qr/[|]\Q$sum\E$/, '... the sum is what it was');
asked('SELECT dp_count(0.3), dp_sum(n, 0.3, 0, 9) FROM sales', 0.3, 'other bounds');
asked('SELECT count(*), sum(n) FROM sales WHERE n > 1', 1, 'other rows');
like($ana->value('EXPLAIN SELECT count(*), min(n), sum(n) FROM sales'),
	qr/dp_count: [^\n]*answered before, free\n.*dp_quantile: [^\n]*costs 0\.5 of table sales\n.*dp_sum: [^\n]*answered before, free/s,
	'EXPLAIN says which');
$bob->value('SELECT count(*), avg(price) FROM sales WHERE n = 7');
asked('SELECT count(*), min(price) FROM sales WHERE n = 7', 0.5, 'somebody else has asked for one of them');

# --- Groups ---------------------------------------------------------------------------------------

my $groups = asked('SELECT status, dp_sum(n, 0.5, 0, 10), dp_avg(n, 0.5, 0, 10) FROM sales GROUP BY status ORDER BY 1',
	1, 'groups of a domain');
my %of = map { my @f = split /\|/; $f[0] => [ @f[ 1, 2 ] ] } split /\n/, $groups;
my $more = asked('SELECT dp_sum(n, 0.5, 0, 9) AS x, status, dp_sum(n, 0.5, 0, 10) FROM sales GROUP BY status '
	  . 'ORDER BY status DESC', 0.5, 'one more, in another order');
is(join(' ', map { my @f = split /\|/; "$f[1] $f[2]" } split /\n/, $more),
	join(' ', map { "$_ $of{$_}[0]" } reverse sort keys %of), '... each in its group');
my ($x) = map { (split /\|/)[0] } split /\n/, $more;
is(asked('SELECT status, dp_sum(n, 0.5, 0, 9), dp_avg(n, 0.5, 0, 10) FROM sales GROUP BY 1 ORDER BY 1 DESC LIMIT 1', 0,
	'two that were never asked together'), "sent|$x|" . ($of{sent}[1] // ''), '... are the same');
is(asked('SELECT status, dp_avg(n, 0.5, 0, 10) FROM sales GROUP BY status HAVING dp_sum(n, 0.5, 0, 10) > 100 '
	. 'ORDER BY 1', 0, 'one in HAVING'), join("\n",
	map { "$_|" . ($of{$_}[1] // "") } grep { $of{$_}[0] > 100 } sort keys %of), '... decides');
foreach my $plan ('SET enable_hashagg = off', 'SET enable_sort = off',
	'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET min_parallel_table_scan_size = 0')
{
	$ana->value($plan);
	my ($first) = $plan =~ /(\d+)/;
	my $bound = 11 + length $plan;
	my $answer = asked("SELECT status, dp_sum(n, 0.5, 0, $bound), dp_sum(n, 0.5, 0, 10) FROM sales "
		  . "GROUP BY status ORDER BY 1", 0.5, "another plan: $plan");
	is(join(' ', map { my @f = split /\|/; "$f[0] $f[2]" } split /\n/, $answer),
		join(' ', map { "$_ $of{$_}[0]" } sort keys %of), '... the same in it');
}
$ana->value('RESET ALL; SET client_min_messages = error; SET ROLE ana; SET idp.epsilon = 0.5');

# Two keys of one type, in whatever order the statement lists them, or the planner sorts by them.
$s->value("ALTER TABLE sales ADD channel text NOT NULL DEFAULT 'web'; "
	  . "SELECT idp.set_domain('sales', 'channel', ARRAY['new', 'web', 'paid'])");
sub cells
{
	my ($query, $cost, $name, @order) = @_;
	return join ' ', sort map { my @f = split /\|/; join ':', @f[@order] } split /\n/, asked($query, $cost, $name);
}
my $cells = cells('SELECT status, channel, dp_count(0.5), dp_sum(n, 0.5, 0, 10), dp_sum(id, 0.5, 0, 10) FROM sales '
	  . 'GROUP BY status, channel ORDER BY status, channel', 1.5, 'cells', 0 .. 4);
is(cells('SELECT status, channel, dp_count(0.5), dp_sum(n, 0.5, 0, 10), dp_sum(id, 0.5, 0, 10) FROM sales '
	. 'GROUP BY status, channel ORDER BY channel, status', 0, 'sorted by the other key', 0 .. 4), $cells,
	'... the same');
is(cells('SELECT channel, dp_sum(id, 0.5, 0, 10), status, dp_sum(n, 0.5, 0, 10), dp_count(0.5) FROM sales '
	. 'GROUP BY channel, status', 0, 'grouped the other way round', 2, 0, 4, 3, 1), $cells, '... the same');
is(cells('SELECT status, dp_sum(n, 0.5, 0, 10) / 2 AS half, dp_sum(id, 0.5, 0, 10), channel, dp_count(0.5) '
	. 'FROM sales GROUP BY 1, 4 ORDER BY 2 DESC', 0, 'sorted by an answer', 0, 3, 4) , join(' ',
	sort map { join ':', (split /:/)[0, 1, 2] } split / /, $cells), '... the same');
isnt(cells('SELECT status, channel, dp_count(0.5) FROM sales WHERE id <> 0 GROUP BY status, channel', 0.5,
	'another question', 0 .. 2), '', '... is one');

# Groups that are decided about: those of one decision, with what was asked of them.
my $kept = asked('SELECT n, dp_count(1) FROM sales GROUP BY n HAVING dp_keep_group(1, 1e-6) ORDER BY 1', 2,
	'kept groups');
is(asked('SELECT n, dp_count(0.5) FROM sales GROUP BY n HAVING dp_keep_group(0.5, 1e-6) ORDER BY 1', 0, 'less of both'),
	$kept, '... is the same');

# Keys of a public table, which changes.
my $names = 'SELECT r.name, dp_count(1) FROM sales s JOIN regions r ON r.id = s.region GROUP BY r.name ORDER BY 1';
my $named = asked($names, 1, 'keys of a public table');
is(asked($names, 0, 'again'), $named, '... the same');
$s->value("INSERT INTO regions VALUES (3, 'west')");
my $wider = asked('SELECT r.name, dp_count(1), dp_count(1) FILTER (WHERE s.id > 0) FROM sales s '
	  . 'JOIN regions r ON r.id = s.region GROUP BY r.name ORDER BY 1', 2, 'one more region: all anew');
is(scalar(split /\n/, $wider), 3, '... in each group');
$s->value('DELETE FROM regions WHERE id = 3');

# --- Times in subqueries ---------------------------------------------------------------------------

# Functions of the time count by value there, too, where no row is in them.
# Texts of values that are written alike under all settings, and intervals read of these, as Looker has them.
for my $condition ("at >= timestamptz '2024-03-01' + ((-11 || ' days')::text)::interval", "status || n = 'new1'")
{
	my $text = $ana->value("SELECT dp_count(0.5) FROM sales WHERE $condition");
	is(asked("SELECT dp_count(0.5) FROM sales WHERE $condition", 0, $condition), $text, '... is the same');
	asked("SELECT status, count(*) FROM (SELECT status, n FROM sales WHERE $condition OFFSET 0) q GROUP BY status", 0.5,
		"below: $condition");
	asked("SELECT status, count(*) FROM (SELECT status, n FROM sales WHERE $condition OFFSET 0) q GROUP BY status", 0,
		"... again");
}

on_one_day($ana, 30);
for my $moment ("date_trunc('year', now())", 'current_date - 30', "current_date + interval '1 day'",
	"CURRENT_TIMESTAMP::date", "date_trunc('hour', '2024-03-01'::date + time '10:30')",
	"CASE WHEN extract(year FROM now()) > 2000 THEN current_date - 1 ELSE current_date END")
{
	my $query = "SELECT dp_count(0.5) FROM (SELECT n FROM sales WHERE at < $moment OFFSET 0) q";
	my $answer = asked($query, 0.5, $moment);
	is(asked($query, 0, "$moment, again"), $answer, '... the same');
}
asked('WITH q AS MATERIALIZED (SELECT n FROM sales WHERE at < current_date - 31) SELECT dp_count(0.5) FROM q', $_,
	'in a CTE') for 0.5, 0;
asked('SELECT dp_count(0.5) FROM (SELECT n FROM sales WHERE at < now() OFFSET 0) q', 0.5, 'another moment each time')
  for 1, 2;
asked("SELECT dp_count(0.5) FROM (SELECT n FROM sales WHERE age(at) > interval '1 day' OFFSET 0) q", 0.5,
	'the time beside a row') for 1, 2;
$ana->value("PREPARE until_day(int) AS SELECT dp_count(0.5) "
	  . "FROM (SELECT n FROM sales WHERE at < current_date - \$1 OFFSET 0) q");
$ana->value("SET plan_cache_mode = force_generic_plan");
costs($s, 'sales', $_->[1], "a day by a parameter: $_->[0]", sub { $ana->value("EXECUTE until_day($_->[0])") })
  for [ 40, 0.5 ], [ 41, 0.5 ], [ 40, 0 ], [ 41, 0 ];
$ana->value('RESET plan_cache_mode');

# Rows of persons are read in subqueries of the rewriting's own.
$s->value(<<'SQL');
CREATE TABLE members (id int PRIMARY KEY);
INSERT INTO members SELECT generate_series(1, 100);
CREATE TABLE purchases (id int PRIMARY KEY, member int NOT NULL REFERENCES members, at timestamptz NOT NULL,
  price int NOT NULL);
INSERT INTO purchases SELECT i, 1 + i % 100, now() - i * interval '1 day', i % 10 FROM generate_series(1, 800) i;
SELECT idp.protect('members', 1e6, 'add_remove', unit => 'id', repeat => 'forever');
SELECT idp.link('purchases', 'member', 'members', max_rows => 20), idp.set_domain('purchases', 'price', 0, 10);
GRANT SELECT ON purchases, members TO ana;
SQL
on_one_day($ana, 30);
for my $query ("SELECT count(*), sum(price) FROM purchases WHERE at >= date_trunc('year', current_date)",
	'SELECT avg(price) FROM purchases WHERE at >= current_date - 30')
{
	my $spent = entries($s, 'members');
	$ana->value($query);
	cmp_ok(entries($s, 'members'), '>', $spent, "$query is charged");
	costs($s, 'members', 0, '... once', sub { $ana->value($query) });
}
$s->value("SELECT idp.forget_answers('members')");

# --- One draw -------------------------------------------------------------------------------------

# What an expression makes of several numbers is not made of one of today and one of last week.
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n > 5');
$s->value('TRUNCATE sales; SELECT fill(300)');
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n > 6');
$s->value('INSERT INTO sales SELECT 10000 + i, 1, \'new\', 9, 5, now() FROM generate_series(1, 20000) i');
my ($ratio) = asked('SELECT (dp_sum(n, 0.5, 0, 10) / dp_count(0.5))::numeric FROM sales WHERE n > 6', 1,
	'a quotient, of which one number was asked before');
cmp_ok($ratio, '<', 11, '... is of one draw');
is(asked('SELECT (dp_sum(n, 0.5, 0, 10) / dp_count(0.5))::numeric FROM sales WHERE n > 6', 0, 'again'), $ratio,
	'... the same');
asked('SELECT dp_sum(n, 0.5, 0, 10), dp_count(0.5) FROM sales WHERE n > 6', 0, 'its parts');

# --- Many at once, and what is interrupted ---------------------------------------------------------

$s->value('TRUNCATE sales; SELECT fill(20000)');
my @parts = ('dp_count(0.7)', 'dp_sum(n, 0.7, 0, 10)', 'dp_sum(price, 0.7, 0, 10)', 'dp_avg(n, 0.7, 0, 10)',
	'dp_count(0.7) FILTER (WHERE n > 2)');
my $before = entries($s, 'sales');
my @sessions = map {
	my $one = session($node);
	$one->value('SET client_min_messages = error; SET ROLE ' . ($_ % 2 ? 'ana' : 'bob'));
	$one
} 1 .. 12;
my %seen;
my @picked = map { my $i = $_; [ map { ($i + $_) % @parts } $i % 2 ? (0, 2, 1) : (1, 3, 0) ] } 0 .. $#sessions;
$sessions[$_]->start('SELECT ' . join(', ', map { $parts[$_] } @{ $picked[$_] }) . ' FROM sales WHERE n < 9')
  foreach 0 .. $#sessions;
foreach my $i (0 .. $#sessions)
{
	my @fields = split /\|/, $sessions[$i]->finish->{out};
	$seen{ $picked[$i][$_] }{ $fields[$_] } = 1 foreach 0 .. 2;
}
is(join(' ', map { scalar keys %{ $seen{$_} } } sort keys %seen), '1 1 1 1 1',
	'twelve sessions that ask for overlapping numbers at once: one answer each');
is(entries($s, 'sales') - $before, 5, '... charged once each');
$_->quit foreach @sessions;

# What a cursor was charged for is drawn and kept, whether or not anybody reads it.
$ana->value('SELECT dp_count(0.9) FROM sales WHERE n < 8');
$ana->value('BEGIN; DECLARE c CURSOR FOR SELECT dp_count(0.9), dp_sum(n, 0.9, 0, 10) FROM sales '
	  . 'WHERE n < 8; CLOSE c; COMMIT');
asked('SELECT dp_count(0.9), dp_sum(n, 0.9, 0, 10) FROM sales WHERE n < 8', 0, 'after a cursor that nobody read');

# Read only, and rows of the past: what there is, and the rest drawn for this transaction alone.
my $old = $ana->value('SELECT dp_count(0.6) FROM sales WHERE n = 1');
like($ana->value('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT dp_count(0.6), dp_sum(n, 0.6, 0, 10) '
	  . 'FROM sales WHERE n = 1; COMMIT'), qr/^\Q$old\E[|]/, 'rows of the past');
asked('SELECT dp_sum(n, 0.6, 0, 10) FROM sales WHERE n = 1', 0.6, 'keep nothing');

# --- What has expired -----------------------------------------------------------------------------

# Goes, some with each that is kept; what is current stays.
$s->value("SET client_min_messages = error; "
	  . "SELECT idp.forget_answers('sales'), idp.protect('sales', 1e6, repeat => '1 hour')");
$ana->value("SELECT dp_count(0.1) FROM sales WHERE n = 3 AND id > $_") foreach 1 .. 150;
is($s->value('SELECT count(*) FROM idp.answer'), 150, 'answers of one time');
my @current = map { "SELECT dp_count(0.1), dp_sum(id, 0.1, 0, 9) FROM sales WHERE n = 4 AND id > $_" } 1 .. 150;
$s->value("UPDATE idp.answer SET at = at - interval '2 hours'");
my @first = map { $ana->value($_) } @current;
cmp_ok($s->value("SELECT count(*) FROM idp.answer WHERE at < now() - interval '1 hour'"), '<', 30,
	'most that have expired are gone when others are kept');
is($s->value("SELECT count(*) FROM idp.answer WHERE at > now() - interval '1 hour'"), 300,
	'those that have not are there');
my $free = entries($s, 'sales');
is(join(' ', map { $ana->value($_) } @current), join(' ', @first), '... and are given again');
is(entries($s, 'sales'), $free, '... free');
$ana->value('BEGIN READ ONLY; SELECT dp_count(0.1) FROM sales WHERE n = 5; ROLLBACK');
is($s->value("SELECT idp.protect('sales', 1e6, repeat => 'forever')"), '', 'forever');

# --- The owner's view -----------------------------------------------------------------------------

$ana->value('SELECT dp_count(0.9), dp_sum(n, 0.9, 0, 10) FROM sales WHERE n < 8');
is($s->value("SELECT count(*) FROM idp.answers WHERE question = 'dp_sum, 0, 10 OF sales.n WHERE (n < 8)' "
	  . "OR question LIKE 'dp_sum, 0, 10%(n < 8)%'"), 1, 'a number is a row of idp.answers');
is($s->value("SELECT concat_ws(' ', epsilons, margin, cost, expires) FROM idp.answers "
	. "WHERE question LIKE 'dp_count%(n < 8)'"),
	'{0.9} ' . $s->value('SELECT dp_error(0.9, 1, 0.95)') . ' 0.9 infinity',
	'... with its epsilon, its margin, what it cost, and for how long');
$s->value("SET client_min_messages = error; SELECT idp.protect('sales', 1e6, repeat => '1 day')");
is($s->value("SELECT DISTINCT expires = at + interval '1 day' FROM idp.answers"), 't', '... as the rules are now');
$s->value("SELECT idp.protect('sales', 1e6, repeat => 'forever'), idp.forget_answers('sales')");
asked('SELECT count(*), sum(n) FROM sales', 1, 'all forgotten');

# --- How many -------------------------------------------------------------------------------------

# Those whose keys begin alike have room for 64: the least accurate go first, of these the oldest.
$s->value("SELECT idp.forget_answers('sales')");
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n < 7');
$s->value(<<'SQL');
INSERT INTO idp.answer SELECT substr(key, 1, 2) || sha256(int4send(i)), at - i * interval '1 second', accounts, tables,
  'copy ' || i, ARRAY[CASE WHEN i <= 10 THEN 0.1 ELSE 0.5 END], columns, rows, costs
FROM idp.answer, generate_series(1, 80) i;
DELETE FROM idp.answer WHERE question NOT LIKE 'copy %';
SQL
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n < 7');
is($s->value("SELECT string_agg(substr(question, 6), ' ' ORDER BY substr(question, 6)::int) FROM idp.answer "
	  . "WHERE question LIKE 'copy %'"), join(' ', 11 .. 73), '64 of 81 are left');
asked('SELECT dp_count(0.5) FROM sales WHERE n < 7', 0, 'with the last one');

# And for 4 MB: what analysts have kept for next to no epsilon does not fill the disk.
$s->value(<<'SQL');
UPDATE idp.answer SET noise = ARRAY[convert_to(repeat('x', 800000), 'SQL_ASCII')]
  WHERE question IN ('copy 20', 'copy 30', 'copy 40', 'copy 50', 'copy 60', 'copy 70');
UPDATE idp.answer SET epsilons = '{0.2}' WHERE question = 'copy 30';
DELETE FROM idp.answer WHERE question NOT LIKE 'copy %';
SQL
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n < 7');
is($s->value("SELECT string_agg(question, ' ' ORDER BY question) FROM idp.answer WHERE question LIKE 'copy %0'"),
	'copy 20 copy 40 copy 50 copy 60 copy 70', 'five of six long ones are left');
is($s->value('SELECT count(*) FROM idp.answer'), 63, 'and all that are short');
$s->value("UPDATE idp.answer SET rows = ARRAY[repeat('x', 4300000)] WHERE question NOT LIKE 'copy %'; "
	  . "DELETE FROM idp.answer WHERE question = 'copy 20'");
$ana->value('SELECT dp_count(0.6) FROM sales WHERE n < 7');
cmp_ok($s->value('SELECT count(*) FROM idp.answer'), '>=', 1, 'one is left that is longer by itself');

# What somebody has kept about a table of his own, for epsilons that cost nobody else anything, drives out
# nothing of theirs.
$s->value("CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory; CREATE TABLE own AS "
	. "SELECT 1 AS v; SELECT idp.protect('own', 1e9, 'add_remove', repeat => 'forever'); RESET ROLE");
$s->value("SELECT idp.forget_answers('sales')");
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n < 7');
$s->value(<<'SQL');
INSERT INTO idp.answer SELECT substr(key, 1, 2) || sha256(int4send(i)), at - i * interval '1 second',
  CASE WHEN i <= 20 THEN accounts ELSE ARRAY[(SELECT id FROM idp.account WHERE name LIKE '%own')] END,
  CASE WHEN i <= 20 THEN tables ELSE ARRAY['own'::regclass::oid] END, CASE WHEN i <= 20 THEN 'honest ' ELSE 'own ' END
    || i, ARRAY[CASE WHEN i <= 20 THEN 0.5 ELSE 1000 END], columns, rows, costs
FROM idp.answer, generate_series(1, 80) i;
DELETE FROM idp.answer WHERE question !~ '^(honest|own) ';
SQL
$ana->value('SELECT dp_count(0.5) FROM sales WHERE n < 7');
is($s->value("SELECT count(*) FILTER (WHERE question ~ '^honest'), count(*) "
	  . "FILTER (WHERE question ~ '^own') FROM idp.answer"), '20|43', 'of 81 answers, 60 about a table of one\'s own');
asked('SELECT dp_count(0.5) FROM sales WHERE n < 7', 0, 'the last one is there');

# --- Operators of others ----------------------------------------------------------------------------

# Those of superusers, that is, as no others are applied to hidden rows. That one is the commutator of another is only
# said: 50 ==% n is n = 50, and not n <<% 50.
$s->value("SELECT idp.forget_answers('sales'); CREATE SCHEMA operators; GRANT USAGE ON SCHEMA operators TO ana");
$s->value('CREATE OPERATOR operators.==% (PROCEDURE = pg_catalog.int4eq, LEFTARG = int4, RIGHTARG = int4, '
	. 'COMMUTATOR = OPERATOR(operators.<<%)); CREATE OPERATOR operators.<<% (PROCEDURE = pg_catalog.int4lt, '
	. 'LEFTARG = int4, RIGHTARG = int4, COMMUTATOR = OPERATOR(operators.==%))');
$ana->value('SET search_path = operators, public');
asked('SELECT dp_count(0.5) FROM sales WHERE n <<% 5', 0.5, 'an operator with a false commutator');
asked('SELECT dp_count(0.5) FROM sales WHERE 5 ==% n', 0.5, 'is not turned round');
asked('SELECT dp_count(0.5) FROM sales WHERE n < 5', 0.5, 'one of the server'),
  asked('SELECT dp_count(0.5) FROM sales WHERE 5 > n', 0, 'is');

$node->stop;
done_testing();

# Answers that repeat (idp.protect, repeat): the same question has the same answer for as long as the owner says, free,
# however it is written, whoever asks it; another one is drawn and charged. And what must not be the same
# question is none.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;
use WireClient;

my $node = new_node('answers_repeat', "shared_preload_libraries = 'idp'", 'max_connections = 40');
my $s = session($node);
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south');
CREATE TABLE customers (id int PRIMARY KEY, region int NOT NULL REFERENCES regions, age int, height float8);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers,
  status text NOT NULL, at timestamptz);
INSERT INTO customers SELECT i, 1 + i % 2, i % 80, i / 7.0 FROM generate_series(1, 500) i;
INSERT INTO orders SELECT i, 1 + i % 500, (ARRAY['new', 'paid', 'sent'])[1 + i % 3],
  '2024-01-01 00:00Z'::timestamptz + i * interval '1 hour'
FROM generate_series(1, 1500) i;
SELECT idp.protect('customers', 1e6, 'add_remove', unit => 'id', delta => 1e-3, repeat => 'forever');
SELECT idp.link('orders', 'customer', 'customers');
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'sent', 'back']),
  idp.set_domain('customers', 'region', ARRAY[1, 2, 3]);
CREATE ROLE ana LOGIN; CREATE ROLE bob;
GRANT SELECT ON customers, orders, regions TO ana, bob;
CREATE VIEW grown AS SELECT * FROM customers WHERE age > 17;
ALTER VIEW grown SET (security_invoker = true);
GRANT SELECT ON grown TO ana, bob;
SQL
my $ana = session($node);
$ana->value('SET client_min_messages = error; SET ROLE ana');
my $bob = session($node);
$bob->value('SET client_min_messages = error; SET ROLE bob');

sub charged { return $s->value("SELECT count(*) FROM idp.ledger") }

# A first answer that is paid, and others that are the same, free.
sub same
{
	my ($name, $first, @others) = @_;
	my $before = charged();
	my $answer = ref $first ? $first->() : $ana->value($first);
	my $after = charged();
	cmp_ok($after, '>', $before, "$name: the first is charged");
	my $number = 0;
	foreach my $other (@others)
	{
		++$number;
		is(ref $other ? $other->() : $ana->value($other), $answer, "$name: $number is the same");
	}
	is(charged(), $after, "$name: free");
	return $answer;
}

sub other
{
	my ($name, $query, $session) = @_;
	my $before = charged();
	($session // $ana)->value($query);
	cmp_ok(charged(), '>', $before, "another question: $name");
}

# --- the same question ------------------------------------------------------------------------------------------------

same('words', 'SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1',
	'SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1',
	'SELECT dp_count(0.5) AS other FROM customers c WHERE 1 = c.region AND c.age > 30',
	'SELECT dp_count(0.1) FROM customers WHERE (region = 1) AND age > 30',
	'WITH q AS (SELECT dp_count(0.5) n FROM customers WHERE region = 1 AND age > 30) SELECT n FROM q',
	'SELECT n FROM (SELECT dp_count(0.5) AS n FROM customers WHERE age > 30 AND region = 1) q WHERE n <> 0.5',
	'SELECT dp_count(0.5) FROM customers WHERE age > 10 + 20 AND region = 1',
	'PREPARE p(int, int) AS SELECT dp_count(0.5) FROM customers WHERE age > $1 AND region = $2; EXECUTE p(30, 1)',
	'SET plan_cache_mode = force_generic_plan; EXECUTE p(30, 1)',
	sub { $bob->value('SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1') },
	'BEGIN; DECLARE c CURSOR FOR SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1; FETCH c; COMMIT',
	'BEGIN READ ONLY; SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1; COMMIT',
	'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	  . 'SET min_parallel_table_scan_size = 0; SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1');
$ana->value('RESET ALL; SET client_min_messages = error; SET ROLE ana');
same('a view', 'SELECT dp_count(0.5) FROM grown', 'SELECT dp_count(0.5) FROM grown g');
same('groups', 'SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 100) FROM customers GROUP BY region ORDER BY 1',
	'SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 100) FROM customers GROUP BY 1 ORDER BY region',
	'SET enable_hashagg = off; SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 100) FROM customers '
	  . 'GROUP BY 1 ORDER BY region',
	'RESET enable_hashagg; SELECT * FROM (SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 100) FROM customers '
	  . 'GROUP BY 1 ORDER BY region DESC) q ORDER BY 1');
my $rows = $ana->value('SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 100) FROM customers '
	  . 'GROUP BY region ORDER BY 1 DESC');
is($rows, join("\n", reverse split /\n/, $ana->value('SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 100) '
	  . 'FROM customers GROUP BY region ORDER BY 1')), 'in any order');
same('persons', 'SELECT status, dp_sum(n, 0.5, 0, 12) '
	  . 'FROM (SELECT status, idp.clip(1, 12) OVER (PARTITION BY customer) n FROM orders) o GROUP BY status ORDER BY 1',
	'SELECT status, dp_sum(n, 0.5, 0, 12) FROM (SELECT status, idp.clip(1, 12) OVER (PARTITION BY customer) n '
	  . 'FROM orders) p GROUP BY status ORDER BY status');
same('a join', 'SELECT name, dp_count(0.5) FROM customers c JOIN regions r ON r.id = c.region GROUP BY name ORDER BY 1',
	'SELECT y.name, dp_count(0.5) FROM customers x JOIN regions y ON y.id = x.region GROUP BY y.name ORDER BY name');
same('kept groups', 'SELECT age, dp_count(0.5) FROM customers GROUP BY age HAVING dp_keep_group(1, 1e-6) ORDER BY 1',
	'SELECT age, dp_count(0.5) FROM customers GROUP BY age HAVING dp_keep_group(1, 1e-6) ORDER BY age',
	'SELECT age, dp_count(0.25) FROM customers GROUP BY age HAVING dp_keep_group(1, 1e-6) ORDER BY age');
{
	# of at most two rows of a person, chosen by a hash of the text of their key
	$s->value('CREATE TABLE calls (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, minutes int NOT '
		. 'NULL); INSERT INTO calls SELECT i, 1 + i % 500, i % 60 FROM generate_series(1, 2000) i');
	$s->value("SELECT idp.link('calls', 'customer', 'customers', max_rows => 2); GRANT SELECT ON calls TO ana, bob");
	$_->value('SET idp.epsilon = 0.01') foreach $ana, $bob;
	same('bounded rows', 'SELECT sum(minutes) FROM calls WHERE minutes < 60',
		'SELECT sum(minutes) FROM calls c WHERE 60 > c.minutes',
		sub { $bob->value('SELECT sum(minutes) AS s FROM calls WHERE minutes < 60') });
	same('bounded rows of regions',
		'SELECT region, sum(minutes) FROM calls l JOIN customers c ON c.id = l.customer GROUP BY 1 ORDER BY 1',
		'SELECT c.region, sum(minutes) FROM calls k JOIN customers c ON c.id = k.customer GROUP BY 1 ORDER BY 1');
}
{
	# keys of a domain of instants, of which a condition leaves some
	$s->value("CREATE TABLE seen (id int PRIMARY KEY, at timestamptz NOT NULL, x int); INSERT INTO seen "
		. "SELECT i, timestamptz '2024-01-01 00:00Z' + i * interval '5 hours', i FROM generate_series(1, 1000) i");
	$s->value("SELECT idp.protect('seen', 1e6, repeat => 'forever'), idp.set_domain('seen', 'at', '2024-01-01', "
		  . "'2025-01-01', grain => '1 day', zone => 'UTC'); GRANT SELECT ON seen TO ana, bob");
	my $months = "SELECT date_trunc('month', at AT TIME ZONE 'UTC') AS m, dp_sum(x, 0.01, 0, 1000) FROM seen";
	same('months', "$months WHERE at >= '2024-03-04' AND at < '2024-09-01 12:00Z' GROUP BY 1 ORDER BY 1",
		"$months AS s WHERE s.at >= '2024-03-04' AND at < '2024-09-01 12:00Z' GROUP BY m ORDER BY m");
	$ana->value("PREPARE months(text) AS $months WHERE at >= \$1::timestamptz GROUP BY 1 ORDER BY 1");
	same('months from a parameter', "EXECUTE months('2024-02-03')", "EXECUTE months('2024-02-03')");
	other('another parameter', "EXECUTE months('2024-02-05')");
	other('ages are counted to today',
		"SELECT dp_count(0.5) FROM (SELECT id FROM seen WHERE age(at) > interval '1 day' OFFSET 0) o", $ana)
	  foreach 1, 2;
}
same('no rows', 'SELECT idp_median(age, 0.5) FROM customers WHERE age > 1000',
	'SELECT idp_median(age, 0.5) FROM customers WHERE age > 1000');
same('two nodes',
	'SELECT (SELECT dp_count(0.3) FROM customers WHERE age < 9), (SELECT dp_count(0.3) FROM customers WHERE age < 8)',
	'SELECT (SELECT dp_count(0.3) FROM customers WHERE age < 9), (SELECT dp_count(0.3) FROM customers WHERE age < 8)',
	'SELECT a, b FROM (SELECT dp_count(0.3) b FROM customers WHERE age < 8) x, (SELECT dp_count(0.3) a '
	  . 'FROM customers WHERE age < 9) y');
same('after a rollback', sub {
	$ana->value('BEGIN');
	my $a = $ana->value('SELECT dp_count(0.2) FROM customers WHERE age < 70');
	$ana->value('ROLLBACK');
	$a
},
	'SELECT dp_count(0.2) FROM customers WHERE age < 70');

# More epsilon refines it: then that is the answer for less.
my $less = $ana->value('SELECT dp_count(0.1) FROM customers WHERE age = 5');
my $more = same('more epsilon', 'SELECT dp_count(2) FROM customers WHERE age = 5',
	'SELECT dp_count(2) FROM customers WHERE age = 5',
	'SELECT dp_count(0.1) FROM customers WHERE age = 5');

# --- what is none ---------------------------------------------------------------------------------

other('another constant', 'SELECT dp_count(0.5) FROM customers WHERE age > 31 AND region = 1');
other('another parameter', 'EXECUTE p(32, 1)');
other('another condition', 'SELECT dp_count(0.5) FROM customers WHERE age > 30');
other('another bound', 'SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 101) FROM customers GROUP BY region');
other('another key', 'SELECT region + 0, dp_count(0.5) FROM customers GROUP BY 1');
other('one more answer', 'SELECT region, dp_count(0.5), dp_avg(height, 0.5, 0, 100), '
	  . 'dp_count(0.1) FILTER (WHERE age > 3) FROM customers GROUP BY region');
other('another column', 'SELECT dp_sum(age, 0.5, 0, 100) FROM customers');
other('another one', 'SELECT dp_sum(region, 0.5, 0, 100) FROM customers');
other('a filter', 'SELECT dp_count(0.5) FILTER (WHERE age > 30 AND region = 1) FROM customers');
other('another filter', 'SELECT dp_count(0.5) FILTER (WHERE age > 30) FROM customers');
other('another function', 'SELECT dp_avg(age, 0.5, 0, 100) FROM customers');
other('the tables in another order',
	'SELECT name, dp_count(0.5) FROM regions r JOIN customers c ON r.id = c.region GROUP BY name');
other('another join', 'SELECT name, dp_count(0.5) FROM customers c JOIN regions r ON r.id = c.id GROUP BY name');
my $days = "SELECT dp_count(0.5) FROM (SELECT customer FROM orders WHERE at::date = '2024-01-02' GROUP BY customer) o";
other('days', $days);
$ana->value("SET TimeZone = 'Asia/Tokyo'");
other('in another time zone', $days);
$ana->value('RESET TimeZone');
same('back in that', $days =~ s/0\.5/0.6/r, $days);

# Settings are part of what follows them, and of nothing else.
my @settings = ("TimeZone = 'Asia/Tokyo'", "DateStyle = 'SQL, DMY'", "IntervalStyle = 'iso_8601'",
	'extra_float_digits = -3', "bytea_output = 'escape'", "lc_time = 'C'");
foreach my $query ('SELECT dp_count(0.7) FROM customers',
	'SELECT dp_count(0.7) FROM customers WHERE height > 3.25 AND age < 70',
	"SELECT dp_count(0.7) FROM (SELECT customer FROM orders WHERE at >= '2024-01-03 00:00Z' "
	. "AND status <> 'back' GROUP BY customer) o",
	'SELECT dp_sum(n, 0.7, 0, 5) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) o')
{
	same("under other settings: $query", $query, map {
		my $setting = $_;
		my ($name) = $setting =~ /^(\w+)/;
		sub { return $ana->value("SET $setting; $query; RESET $name") =~ s/\n\z//r }
	} @settings);
}
foreach my $case (["DateStyle = 'SQL, DMY'", "date_trunc('day', at)::text = '2024-01-02 00:00:00+00'"],
	["TimeZone = 'Asia/Tokyo'", 'extract(hour FROM at) < 3'], ['extra_float_digits = -3',
	"status <> (0.1::float8 * 3)::text"],
	["IntervalStyle = 'iso_8601'", "status <> (at - timestamptz '2024-01-01 00:00Z')::text"])
{
	my ($setting, $condition) = @$case;
	my $query = "SELECT dp_count(0.7) FROM (SELECT customer FROM orders WHERE $condition GROUP BY customer) o";
	my ($name) = $setting =~ /^(\w+)/;
	my $first = $ana->run($query);
	next if $first->{sqlstate};
	other("$setting: $condition", "SET $setting; $query");
	$ana->value("RESET $name");
}

# A function that is declared STABLE reads with the snapshot of the query that calls it: what it asks is about the rows
# of then, and is kept for nobody, once others may have changed these.
$s->value(<<'SQL');
CREATE TABLE grows (id int, x int); INSERT INTO grows SELECT i, i % 10 FROM generate_series(1, 400) i;
SELECT idp.protect('grows', 1e6, 'add_remove', repeat => 'forever'); GRANT SELECT ON grows TO ana, bob;
CREATE SCHEMA anas AUTHORIZATION ana;
SQL
{
	my $ask = 'SELECT dp_count(40) FROM public.grows WHERE x < 7';
	$ana->value("CREATE FUNCTION anas.ask() RETURNS bigint "
		  . "LANGUAGE plpgsql STABLE AS \$\$ BEGIN RETURN ($ask); END \$\$");
	$ana->value('CREATE FUNCTION anas.ask_sql() RETURNS bigint LANGUAGE sql STABLE SET enable_sort = on AS $$ '
		  . 'SELECT dp_count(40) FROM public.grows WHERE x < 6 $$');
	my $here = $ana->value('SELECT anas.ask()');
	is($ana->value($ask), $here, 'where nothing has changed it is kept');
	foreach my $case (['anas.ask()', 'x < 8'], ['anas.ask_sql()', 'x < 6'])
	{
		my ($function, $condition) = @$case;
		$ana->value("CREATE OR REPLACE FUNCTION anas.ask() RETURNS bigint LANGUAGE plpgsql STABLE "
			  . "AS \$\$ BEGIN RETURN (SELECT dp_count(40) FROM public.grows WHERE x < 8); END \$\$");
		my $truth = $s->value("SELECT count(*) FROM grows WHERE $condition");
		$ana->value("BEGIN; DECLARE old CURSOR FOR SELECT $function FROM generate_series(1, 3)");
		$s->value('INSERT INTO grows SELECT * FROM grows');
		cmp_ok(abs($ana->value('FETCH 1 FROM old') - $truth), '<', 5, "$function: rows of then");
		$ana->value('COMMIT');
		cmp_ok(abs($bob->value("SELECT dp_count(40) FROM grows WHERE $condition") - 2 * $truth), '<', 5,
			"$function: nobody else gets that answer");
		is($ana->value("SELECT dp_count(40) FROM grows WHERE $condition"),
			$bob->value("SELECT dp_count(40) FROM grows WHERE $condition"), '... but that one');
	}
}

# Grouping sets: of which set a row is tells it apart from one whose key is NULL.
{
	$s->value("CREATE TABLE gaps (id int PRIMARY KEY, a text, b text, n int); INSERT INTO gaps "
		. "SELECT i, (ARRAY['x', 'y', NULL])[1 + i % 3], (ARRAY['x', NULL])[1 + i % 2], i % 10 "
		. "FROM generate_series(1, 600) i");
	$s->value("SELECT idp.protect('gaps', 1e6, 'add_remove', delta => 1e-3, repeat => 'forever'), "
		. "idp.set_domain('gaps', 'a', ARRAY['x', 'y']), idp.set_domain('gaps', 'b', ARRAY['x']); GRANT "
		. "SELECT ON gaps TO ana, bob");
	my $sets = 'SELECT a, b, dp_count(5), dp_sum(n, 5, 0, 10) FROM gaps GROUP BY ';
	my $sort = 'ORDER BY 1, 2, 3, 4';
	same('ROLLUP', "$sets ROLLUP (a, b) $sort", "$sets ROLLUP (a, b) $sort",
		sub { $bob->value("$sets GROUPING SETS ((), (a), (a, b)) $sort") },
		"SET enable_hashagg = off; $sets ROLLUP (a, b) $sort",
		"RESET enable_hashagg; SELECT a, b, dp_count(1), dp_sum(n, 1, 0, 10) FROM gaps g GROUP BY ROLLUP (a, b) $sort");
	same('CUBE', "$sets CUBE (a, b) $sort", "$sets CUBE (a, b) $sort",
		"SET enable_hashagg = off; $sets CUBE (a, b) $sort");
	$ana->value('RESET enable_hashagg');
	my $rows = $ana->value("SELECT GROUPING(a, b), a, b, dp_count(5), dp_sum(n, 5, 0, 10) FROM gaps "
		  . "GROUP BY CUBE (a, b) ORDER BY 1, 2, 3");
	my $ok = 0;
	foreach (split /\n/, $rows)
	{
		my ($set, $x, $y, $many, $sum) = split /\|/;
		my $truth = $s->value("SELECT count(*) || ' ' || sum(n) FROM gaps WHERE " . ($set & 2 ? 'true' : $x eq ''
			  ? 'a IS NULL' : "a = '$x'") . ' AND ' . ($set & 1 ? 'true' : $y eq '' ? 'b IS NULL' : "b = '$y'"));
		my ($of_many, $of_sum) = split / /, $truth;
		++$ok if abs($many - $of_many) < 30 && abs($sum - $of_sum) < 200;
	}
	is($ok, 3 * 2 + 3 + 2 + 1, 'each number in its row, NULL as a key and in place of one');
	is($ana->value("SELECT GROUPING(a, b), a, b, dp_count(5), dp_sum(n, 5, 0, 10) FROM gaps "
		  . "GROUP BY CUBE (a, b) ORDER BY 1, 2, 3"), $rows, '... again');
	other('other sets', "$sets GROUPING SETS ((a), (b)) $sort");
	same('with more epsilon', "SELECT a, b, dp_count(6), dp_sum(n, 6, 0, 10) FROM gaps GROUP BY CUBE (a, b) $sort",
		"$sets CUBE (a, b) $sort");
	other('a set twice, each time', "$sets GROUPING SETS ((a, b), (a, b)) $sort") foreach 1, 2;
}
other('of somebody from whom no rows are hidden', 'SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1',
	$s) foreach 1, 2;

# What is written alike, or called alike, and is another question.
$s->value(<<'SQL');
SET ROLE postgres;
CREATE TABLE named (id int PRIMARY KEY, name text, age int, c2 int, height float8);
INSERT INTO named SELECT i, (ARRAY['a', 'B'])[1 + i % 2] || i, i % 80, 500, i / 7.0 FROM generate_series(1, 500) i;
CREATE TABLE t (id int PRIMARY KEY, age int); CREATE TABLE t_1 (id int PRIMARY KEY, age int);
INSERT INTO t SELECT i, 10 FROM generate_series(1, 500) i; INSERT INTO t_1 SELECT i, 90 FROM generate_series(1, 500) i;
SELECT idp.protect('named', 1e6, 'add_remove', repeat => 'forever');
GRANT SELECT ON named, t, t_1 TO ana; GRANT SELECT (id, age) ON named TO bob;
SQL
sub differ
{
	my ($name, @queries) = @_;
	my @answers = map { my $r = $ana->run($_); $r->{sqlstate} // (split /\n/, $r->{out})[-1] } @queries;
	my @truth = map {
		my $r = $s->run($_ =~ s/dp_count\([^)]*\)/count(*)/r =~ s/dp_sum\((\w+), [^)]*\)/sum($1)/r);
		(split /\n/, $r->{out})[-1]
	} @queries;
	my @far = grep {
		$answers[$_] =~ /^-?[\d.]+$/ && abs($answers[$_] - $truth[$_]) > ($queries[$_] =~ /dp_sum/ ? 2000 : 60)
	} 0 .. $#queries;
	is(join(' ', map { "$answers[$_] for $truth[$_]" } @far), '', "another question: $name");
}
differ('another collation', map { "SELECT dp_count(5) FROM named WHERE name COLLATE \"$_\" < 'a'" } 'C', 'en-x-icu',
	'POSIX');
differ('another column of one name',
	'SELECT dp_sum(y, 50, 0, 1000) FROM (SELECT id, age * 2 AS y, c2 FROM named OFFSET 0) q',
	'SELECT dp_sum(c2, 50, 0, 1000) FROM (SELECT c2, age * 2 AS y FROM named OFFSET 0) q');
differ('another order of a subquery',
	map { "SELECT dp_sum(age, 50, 0, 1000) FROM (SELECT DISTINCT ON (age / 40) id, age, name COLLATE \"C\" AS a, "
		  . "name COLLATE \"en-x-icu\" AS b FROM named ORDER BY age / 40, $_, id) q" } 'a',
	'b');
differ('another table of one name', map { "SELECT dp_count(5) FROM named c JOIN t a ON a.id = c.id "
	  . "JOIN t b ON b.id = c.id JOIN t_1 d ON d.id = c.id WHERE $_.age + c.age > 100" } 'b', 'd');
differ('another setting', "SET extra_float_digits = -15; SELECT dp_count(5) FROM named WHERE height::text LIKE '_'",
	"RESET extra_float_digits; SELECT dp_count(5) FROM named WHERE height::text LIKE '_'");
differ('NULL is not FALSE', map { "SELECT dp_count(5) FROM (SELECT id, $_ AS b FROM named OFFSET 0) q WHERE b IS NULL" }
	  '(age > 40)', '(age > 40 OR NULL)', 'false', 'NULL::boolean');
differ('another subquery',
	map { "SELECT dp_count(5) FROM named WHERE age < (SELECT max(id) FROM t WHERE $_)" } 'id < 30', 'id < 60');
differ('another CTE', map { "WITH z AS MATERIALIZED (SELECT id FROM t WHERE id < $_) "
	  . "SELECT (SELECT dp_count(5) FROM named n JOIN z ON z.id = n.id)" } 100, 400);
differ('a CTE through others',
	map { "WITH r AS (SELECT id FROM named WHERE $_), q AS (SELECT id FROM r OFFSET 0), z AS MATERIALIZED (SELECT id "
		  . "FROM q) SELECT dp_count(5) FROM z" } 'age < 9',
	'age < 70');
differ('a parameter in a CTE through others',
	map { "SET plan_cache_mode = $_->[0]; DEALLOCATE ALL; PREPARE deep(int) AS WITH r AS MATERIALIZED (SELECT id "
	  . "FROM named WHERE age < \$1), q AS MATERIALIZED (SELECT id FROM r), "
	  . "z AS MATERIALIZED (SELECT * FROM (SELECT id FROM q OFFSET 0) k) SELECT dp_count(5) "
	  . "FROM (SELECT * FROM z OFFSET 0) x; EXECUTE deep($_->[1])" } ([ 'force_generic_plan',
	  	9 ], [ 'force_generic_plan', 70 ], [ 'force_custom_plan', 30 ], [ 'force_custom_plan', 60 ]));
$ana->value('RESET plan_cache_mode');
differ('the time in a subquery', map {
	"SELECT dp_count(5) FROM (SELECT id FROM named WHERE age < extract(second FROM now() - now()) + $_ OFFSET 0) q"
} 9, 70);
differ('rows of the past',
	"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT dp_count(5) FROM named WHERE age = 79; COMMIT",
	'SELECT dp_count(5) FROM named WHERE age > 20');
$ana->value('SELECT dp_sum(age, 50, 0, 1000) FROM named');
$bob->run('SELECT dp_sum(age, 50, 0, 1000) FROM named');
$s->value('ALTER TABLE named RENAME age TO old; ALTER TABLE named RENAME c2 TO age');
cmp_ok($ana->value('SELECT dp_sum(age, 50, 0, 1000) FROM named'), '>', 200000, 'another column that has the name now');
isnt($bob->run('SELECT dp_sum(age, 50, 0, 1000) FROM named')->{sqlstate}, undef,
	'whose sum nobody has without a right to it');
$s->value('ALTER TABLE named ALTER age TYPE int USING age / 100');
cmp_ok($ana->value('SELECT dp_sum(age, 50, 0, 1000) FROM named'), '<', 10000, 'other values in the column');

# Keys that cannot be read any more are none: another one is drawn, and nobody fails.
$s->value(<<'SQL');
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE felt (id int PRIMARY KEY, m mood);
INSERT INTO felt SELECT i, (ARRAY['a', 'b'])[1 + i % 2]::mood FROM generate_series(1, 4000) i;
SELECT idp.protect('felt', 1e6, 'add_remove', delta => 1e-3, repeat => 'forever');
GRANT SELECT ON felt TO ana;
SQL
my $moods = 'SELECT m, dp_count(1) FROM felt GROUP BY 1 HAVING dp_keep_group(1, 1e-6) ORDER BY 1';
same('keys of an enum', $moods, $moods);
$s->value("ALTER TYPE mood RENAME VALUE 'a' TO 'aa'");
my $felt = charged();
like($ana->value($moods), qr/^aa[|]\d+\nb[|]\d+$/, 'one of its values has another name');
cmp_ok(charged(), '>', $felt, 'which is asked anew');
same('from then on', $moods =~ s/1\)/1.5)/r, $moods);

# A table that hides its rows from one role and not from the other: their groups are not the same.
$s->value(<<'SQL');
CREATE TABLE visits (id int PRIMARY KEY, kind text);
INSERT INTO visits SELECT i, 'secret ' || i FROM generate_series(1, 3) i;
ALTER TABLE visits OWNER TO bob; GRANT SELECT ON visits TO ana;
SET ROLE bob; SELECT idp.protect('visits', 100, repeat => 'forever'); RESET ROLE;
SQL
other('of the owner of one of its tables',
	'SELECT v.kind, dp_count(0.5) FROM visits v, customers c WHERE c.id = v.id GROUP BY v.kind', $bob)
  if !defined $bob->run('SELECT v.kind, dp_count(0.5) FROM visits v, customers c '
	  . 'WHERE c.id = v.id GROUP BY v.kind')->{sqlstate};
isnt($ana->run('SELECT v.kind, dp_count(0.5) FROM visits v, customers c WHERE c.id = v.id GROUP BY v.kind')->{sqlstate},
	undef, 'and nothing of his for others');

# --- without reading the table --------------------------------------------------------------------

my $asked = 'SELECT dp_count(0.5) FROM customers WHERE age > 30 AND region = 1';
my $known = $ana->value($asked);
$s->value('DELETE FROM orders; DELETE FROM calls; DELETE FROM customers');
is($ana->value($asked), $known, 'rows that are gone change no answer that was given');
like($ana->value("EXPLAIN $asked"), qr/answered before, free/, 'EXPLAIN says so');
is($ana->value("SELECT count(*) FROM idp.cost('$asked')"), 0, 'it costs nothing');
$s->value('BEGIN; LOCK idp.account IN SHARE MODE; COMMIT');
is($ana->value('SELECT count(*) FROM idp.answers'), 0, 'who does not own the tables does not see what others asked');
cmp_ok($s->value("SELECT count(*) FROM idp.answers WHERE question = 'dp_count FROM public.customers "
	  . "WHERE (age > 30) AND (region = 1)' AND epsilons = '{0.5}'"), '>=', 1, 'the owner does');
isnt($ana->run('SELECT * FROM idp.answer')->{sqlstate}, undef, 'the table is shut');

# --- for how long ---------------------------------------------------------------------------------

isnt($ana->run("SELECT idp.forget_answers('customers')")->{sqlstate}, undef, 'only the owner has answers forgotten');
cmp_ok($s->value("SELECT idp.forget_answers('customers')"), '>', 10, 'who does');
other('after that', $asked);
is($ana->value($asked), $ana->value($asked), 'and again');
$s->value("SELECT idp.protect('customers', 1e6, repeat => '1 second')");
$ana->value("SELECT dp_count(0.5) FROM customers WHERE age = 1");
$s->value('SELECT pg_sleep(1.1)');
other('a second later', "SELECT dp_count(0.5) FROM customers WHERE age = 1");
$s->value("SELECT idp.protect('customers', 1e6, repeat => 'never')");
other('where nothing repeats', "SELECT dp_count(0.5) FROM customers WHERE age = 1") foreach 1, 2;
foreach my $bad ('-1 day', '0', 'sometimes', '20000 years')
{
	like($s->run("SELECT idp.protect('customers', 1e6, repeat => '$bad')")->{sqlstate}, qr/^22/,
		"no time to repeat for: $bad");
}

# --- many at once ---------------------------------------------------------------------------------

$s->value("INSERT INTO customers SELECT i, 1 + i % 2, i % 80, i / 7.0 FROM generate_series(1, 20000) i; "
	  . "SELECT idp.protect('customers', 1e6, repeat => '1 hour')");
my $before = charged();
my @sessions = map {
	my $one = session($node);
	$one->value('SET client_min_messages = error; SET ROLE ' . ($_ % 2 ? 'ana' : 'bob'));
	$one
} 1 .. 16;
$_->start('SELECT dp_count(0.7) FROM customers WHERE age > 12') foreach @sessions;
my %answers = map { $_->finish->{out} => 1 } @sessions;
is(scalar keys %answers, 1, '16 sessions that ask at once have one answer');
is(charged() - $before, 1, 'which is charged once');
$_->quit foreach @sessions;

# An answer is drawn where its query starts: nobody waits for whoever reads a cursor, or does not, and each of
# them has it.
$_->value("SET lock_timeout = '60s'") foreach $ana, $bob;
my $number = 100;
foreach my $case ([ 'a cursor that is not read', 'dp_count(0.7)', '' ],
	[ 'one of two numbers', 'dp_count(0.7), dp_sum(age, 0.7, 0, 90)', '' ],
	[ 'a cursor that is read in part', 'region, dp_count(0.7)', 'FETCH 1 FROM c', 'GROUP BY region ORDER BY 1' ],
		[ 'two cursors', 'dp_count(0.7)',
		'DECLARE d SCROLL CURSOR FOR SELECT dp_count(0.8) FROM customers WHERE age > 13' ])
{
	my ($name, $list, $then, $groups) = @$case;
	my $query = "SELECT $list FROM customers WHERE id > " . ++$number . ' ' . ($groups // '');
	$before = charged();
	$ana->value("BEGIN; DECLARE c SCROLL CURSOR FOR $query; $then");
	my $theirs = $bob->run($query);
	is($theirs->{message}, undef, "$name: nobody waits for it");
	is($ana->value('FETCH ABSOLUTE 0 FROM c; FETCH ALL FROM c'), $theirs->{out}, '... and it gives the same');
	is(charged() - $before, () = ("$list $then" =~ /dp_/g), '... which is charged once');
	$ana->value('ROLLBACK');
	is($bob->value($query), $theirs->{out}, '... and stays');
}
foreach my $workers (0, 2)
{
	my $client = WireClient->new($node, 'ana');
	my $settings = "max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; "
	  . "SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0";
	$client->simple($_) foreach "SET $settings", 'BEGIN';
	my $query = 'SELECT dp_count(0.7) FROM customers WHERE id > ' . ++$number;
	$client->parse($query)->bind_to('', 'p', [], 0)->sync;
	my $theirs = $bob->run($query);
	is($theirs->{message}, undef, "a portal that is not executed, $workers workers: nobody waits for it");
	is($client->execute('p')->sync->{rows}[0][0], $theirs->{out}, '... and it gives the same');
	$client->quit;
}
$ana->value('BEGIN; DECLARE c CURSOR FOR SELECT dp_count(0.7) FROM customers WHERE id > 1; CLOSE c; ROLLBACK');
$before = charged();
isnt($bob->value('SELECT dp_count(0.7) FROM customers WHERE id > 1'), '', 'a cursor that nobody read');
is(charged(), $before, '... has paid for others');

# --- rows that a transaction has written ----------------------------------------------------------

# Nobody else gets an answer about them: they may never be.
$s->value('CREATE TABLE notes (n numeric); GRANT INSERT, SELECT ON notes TO ana; SET client_min_messages = error; '
	  . 'CREATE TABLE parted (id int, region int) PARTITION BY LIST (region)');
$s->value("CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1); CREATE TABLE parted_2 PARTITION OF parted "
	. "FOR VALUES IN (2); SELECT idp.protect('parted', 1e6, 'add_remove', repeat => 'forever'); GRANT "
	. "SELECT ON parted TO ana, bob; GRANT INSERT ON parted, parted_1 TO ana");
my $question = 'SELECT round(dp_count(100)) FROM parted WHERE id >= 10';
my $written = "INSERT INTO parted SELECT 10 + i, 1 FROM generate_series(1, 100) i";
is($ana->value("BEGIN; $written; $question"), 100, 'rows that the transaction has written are there');
$ana->value('ROLLBACK');
is($bob->value($question), 0, '... but in no answer for others');
is($ana->value("BEGIN; $written; $question"), 0, 'an answer that was given before is given in such a transaction, too');
$ana->value('ROLLBACK');
$question =~ s/>=/>/;
is($ana->value("BEGIN; SAVEPOINT a; $written; $question"), 100, 'rows of a savepoint');
$ana->value('ROLLBACK TO a');
is($ana->value($question), 0, '... that was rolled back are in no answer');
$before = charged();
is($bob->value($question) . ' ' . (charged() - $before), '0 0', '... and the one without them is everybody\'s');
$ana->value('COMMIT');
foreach my $target ('parted', 'parted_1')
{
	is($ana->value("BEGIN; INSERT INTO $target SELECT i, 1 FROM generate_series(1, 100) i; "
		  . "SELECT round(dp_count(100)) FROM parted"), 100, "rows of a part, by $target");
	$ana->value('ROLLBACK');
}
is($bob->value('SELECT round(dp_count(100)) FROM parted'), 0, '... are in no answer for others');
$before = charged();
my $first = $ana->value('BEGIN; INSERT INTO notes VALUES (1); SELECT dp_count(0.7) FROM customers WHERE age = 50; '
	  . 'SELECT dp_count(0.7) FROM customers WHERE age = 51; ROLLBACK');
is($bob->value(join '; ', map { "SELECT dp_count(0.7) FROM customers WHERE age = $_" } 50, 51), $first,
	'what a transaction asks that has written something else is everybody\'s');
is(charged() - $before, 2, '... and charged once');

# Long values of what is kept, noise among them, are in tables that row security does not cover.
$s->value('CREATE ROLE reads_all; GRANT pg_read_all_data TO reads_all');
foreach my $table ('answer', 'chain_level', 'chain')
{
	my $values = $s->value("SELECT reltoastrelid::regclass FROM pg_class "
		  . "WHERE oid = 'idp.$table'::regclass AND reltoastrelid <> 0");
	next if $values eq '';
	is($s->run("SET ROLE reads_all; SELECT count(*) FROM $values")->{sqlstate}, '42501',
		"long values of idp.$table are read by nobody");
	$s->value('RESET ROLE');
	is($s->run("SELECT count(*) >= 0 FROM $values")->{out}, 't', '... but a superuser');
}

$node->stop;
done_testing();

# Domains: a query that groups by columns whose values everybody may know gets every key of theirs, and no
# other, whatever rows there are.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;

# The check is tested, not what becomes of plain aggregates before: tests/tap/099_plain_sql.pl.
my $node = new_node('domains', 'idp.rewrite = off', 'jit = off', "session_preload_libraries = 'idp'",
	"timezone = 'Asia/Tokyo'", "datestyle = 'German'");
my $s = session($node);

# --- Declaring ------------------------------------------------------------------------------------

$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT ALL ON SCHEMA public TO keeper;
CREATE TYPE size AS ENUM ('small', 'large');
CREATE TABLE d (name text, code varchar(3), age int, small smallint, large bigint, born date,
    at timestamp, tz timestamptz,
    amount numeric, id uuid, size size, p point, flag bool);
SQL
foreach my $case (
	[ "'name', ARRAY['b', 'a']", 'b a' ],
	[ "'code', ARRAY['x', 'yz']", 'x yz' ],
	[ "'age', ARRAY[3, 1]", '3 1' ],
	[ "'age', 17, 20", '17 18 19 20' ],
	[ "'age', '17', '18'", '17 18' ],
	[ "'small', -1, 1", '-1 0 1' ],
	[ "'large', 9223372036854775806, 9223372036854775807", '9223372036854775806 9223372036854775807' ],
	[ "'born', '2024-02-28', '2024-03-01'", '2024-02-28 2024-02-29 2024-03-01' ],
	[ "'born', date '2024-02-28', date '2024-02-28'", '2024-02-28' ],
	[ "'born', ARRAY[date '2024-02-28']", '2024-02-28' ],
	[ "'at', ARRAY[timestamp '2024-02-28 12:30']", '2024-02-28 12:30:00' ],
	[ "'tz', ARRAY[timestamptz '2024-02-28 12:30+09']", '2024-02-28 03:30:00+00' ],
	[ "'id', ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']", 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' ],
	[ "'size', ARRAY['large', 'small']::size[]", 'large small' ],
	[ "'size', enum_range(NULL::size)", 'small large' ],
	[ "'name', ARRAY(SELECT 'dept ' || i FROM generate_series(1, 3) i)", 'dept 1 dept 2 dept 3' ],)
{
	my ($arguments, $keys) = @$case;
	my ($column) = $arguments =~ /^'(\w+)'/;
	is($s->value("SELECT idp.set_domain('d', $arguments) \\g /dev/null\nSELECT string_agg(k, ' ') "
		  . "FROM idp.domain('d', '$column') k"), $keys, "declared: $arguments");
}
$s->value("SELECT idp.set_domain('d', 'amount', 0, 1e6); SELECT idp.set_domain('d', 'at', '2024-01-01', '2024-12-31')");
is($s->value("SELECT keys, lower, upper FROM idp.domains WHERE column_name = 'amount'"), '|0|1000000',
	'bounds of what has no next value');
is($s->value("SELECT string_agg(k, ' ') FROM idp.domain('d', 'flag') k"), 'f t', 'truth values need none');
foreach my $case (
	[ "'name', ARRAY['a', 'b', 'a']", '42710' ],
	[ "'age', ARRAY['1', '01']", '42710' ],
	[ "'name', ARRAY['a', NULL]", '22004' ],
	[ "'name', ARRAY[]::text[]", '22023' ],
	[ "'name', 'Rome'", '22023', qr/ARRAY\['Rome', 'Paris'\]/ ],
	[ "'name', '{Rome,Paris}'", '22023', qr/ARRAY\['Rome', 'Paris'\]/ ],
	[ "'age', 18", '22023', qr/two bounds, such as 18, 70/ ],
	[ "'name', NULL", '22023', qr/Give an array/ ],
	[ "'name', 'Rome', 'Paris'", '22023', qr/a list of values is an array/ ],
	[ "'amount', ARRAY[1, 2]", '42804', qr/generated column/ ],
	[ "'age', ARRAY(SELECT generate_series(1, 10000))", '54000', qr/fewer keys/ ],
	[ "'age', 2, 1", '22023' ],
	[ "'born', '2024-03-01', '2024-02-28'", '22023' ],
	[ "'age', 'one', 'two'", '22P02' ],
	[ "'born', '2024-02-30', '2024-03-01'", '22008' ],
	[ "'code', ARRAY['long']", '22001' ],
	[ "'size', ARRAY['medium']", '22P02' ],
	[ "'small', 0, 100000", '22003' ],
	[ "'p', ARRAY[point '(0, 0)']", '42804' ],
	[ "'nothing', 1, 2", '42703' ],
	[ "'ctid', 1, 2", '42703' ],
	[ "NULL, 1, 2", '22004' ],
	[ "'age', 1, NULL", '22004' ],)
{
	my ($arguments, $state, $hint) = @$case;
	my $refused = $s->run("SELECT idp.set_domain('d', $arguments)");
	is($refused->{sqlstate}, $state, "refused: $arguments");
	like($refused->{hint}, $hint, 'with a way out') if $hint;
}
like($s->run("SELECT idp.set_domain('d', 'age', ARRAY(SELECT generate_series(1, 10000)))")->{detail},
	qr/^NULL is one of them/, 'why 10 000 are too many');
foreach my $case ([ "'age', 1, 10000", 'age / 1000' ],
	[ "'born', '1940-01-01', '2006-12-31'", "date_trunc('year', born)" ],
	[ "'large', '-9223372036854775808', '9223372036854775807'", 'a generated column' ])
{
	my ($column) = $case->[0] =~ /^'(\w+)'/;
	like($s->run("SELECT idp.set_domain('d', $case->[0])")->{err},
		qr/NOTICE: .*bounds of column "$column" are kept, and give no keys to groups of its own values.*\Q$case->[1]\E/s,
		"bounds alone, and a notice: $case->[0]");
}
is($s->run("SELECT count(*) FROM idp.domain('d', 'born')")->{out}, 24472, 'their keys can be listed');
is($s->run("SELECT idp.domain('d', 'large')")->{sqlstate}, '54000', '... unless they are too many');
$s->value("ALTER TABLE d ADD full_range int NOT NULL DEFAULT 1; SELECT idp.set_domain('d', 'full_range', 1, 10000)");
is($s->value("SELECT count(*) FROM idp.domain('d', 'full_range')"), 10000, 'without NULL they are not');
like($s->run("SELECT idp.set_domain('d', 'amount', 0, 9)")->{err},
	qr/NOTICE: .*bounds of column "amount" are kept, and give no keys to groups/, 'bounds that list nothing: a notice');
like($s->run("SELECT idp.set_domain('d', 'age', 0, 9)")->{err},
	qr/NOTICE.*column "age" may be NULL, so groups by it have one of NULL as well\nHINT: .*SET NOT NULL/,
	'what may be NULL has a key that nobody named');
unlike($s->run("CREATE TABLE full_rows (age int NOT NULL); SELECT idp.set_domain('full_rows', 'age', 0, 9), "
	. "idp.set_domain('full_rows', 'age', ARRAY[1, 2]); DROP TABLE full_rows")->{err} // '', qr/NOTICE/,
	'others: none');
like($s->run("SELECT idp.domain('d', 'amount')")->{hint}, qr/^It has bounds/,
	'what has bounds is not told to declare them');
is($s->run("SELECT idp.set_domain('pg_domains', 'x', 1, 2)")->{sqlstate}, '42P01', 'refused: no table');
is($s->run("CREATE VIEW v AS TABLE d; SELECT idp.set_domain('v', 'age', 1, 2)")->{sqlstate}, '42809',
	'refused: a view');
is($s->run("SELECT idp.domain('d', 'amount')")->{sqlstate}, '42704', 'keys of what has no next value');
$s->value('CREATE ROLE reads_nothing; CREATE ROLE reads_flag; GRANT SELECT (flag) ON d TO reads_flag');
is($s->run("SET ROLE reads_nothing; SELECT idp.domain('d', '$_')")->{message}, 'permission denied for table d',
	"keys of $_ are for who may read it") foreach 'flag', 'amount';
is($s->value("SET ROLE reads_flag; SELECT string_agg(k, ' ') FROM idp.domain('d', 'flag') k"), 'f t',
	'... that column alone');
is($s->run("SELECT idp.domain('d', 'full_range')")->{sqlstate}, '42501', '... not another');
$s->value('RESET ROLE; DROP OWNED BY reads_nothing, reads_flag; DROP ROLE reads_nothing, reads_flag');
is($s->run("SET ROLE analyst; SELECT idp.set_domain('d', 'age', 1, 2)")->{sqlstate}, '42501', 'for the owner');
is($s->run("SELECT idp.drop_domain('d', 'age')")->{sqlstate}, '42501', 'likewise');
is($s->value('SELECT count(*) FROM idp.domains; RESET ROLE'), 0,
	'who may not read the columns does not see their domains');
is($s->run('TABLE idp.domain; SET ROLE analyst; TABLE idp.domain')->{sqlstate}, '42501', 'nor the table they are in');
$s->value('RESET ROLE');
is($s->value("SELECT idp.drop_domain('d', 'age') \\g /dev/null\nSELECT count(*) FROM idp.domains "
	  . "WHERE column_name = 'age'"), 0, 'dropped');
is($s->run("SELECT idp.drop_domain('d', 'age')")->{sqlstate}, '42704', 'dropped twice');
$s->value('DROP TABLE d CASCADE');
is($s->value('SELECT count(*) FROM idp.domain'), 0, 'they go with the table');

# --- Every key, and no other ----------------------------------------------------------------------

# The same table with other rows: none, few, many, and such as are in no domain.
my %rows = (
	none => 'WHERE false',
	one => 'WHERE i = 7',
	many => '',
	skewed => 'WHERE i % 3 = 0',);
$s->value('SET ROLE keeper');
foreach my $table (sort keys %rows)
{
	$s->value(<<SQL);
CREATE TABLE $table (dept text NOT NULL, age int, hired date NOT NULL, at timestamp NOT NULL, salary numeric(10, 2),
  flag bool NOT NULL, note text);
INSERT INTO $table SELECT (ARRAY['a', 'b', 'x', 'A'])[1 + i % 4], CASE WHEN i % 7 > 0 THEN 18 + i % 6 END,
    date '2023-12-25' + i % 90,
    timestamp '2024-01-01' + i * interval '1 hour', i, i % 5 = 0, 'n' || i FROM generate_series(1, 400) i $rows{$table};
ANALYZE $table;
SELECT idp.set_domain('$table', 'dept', ARRAY['b', 'a', 'c']), idp.set_domain('$table', 'age', 19, 22),
    idp.set_domain('$table', 'hired', '2024-01-01', '2024-03-31'),
    idp.set_domain('$table', 'at', '2024-01-01', '2024-12-31');
SELECT idp.protect('$table', 1000000, 'add_remove');
GRANT SELECT ON $table TO analyst;
SQL
}
$s->value('RESET ROLE');
my $a = session($node);
$a->value('SET ROLE analyst');

# keys, their number, the columns that they depend on, and the domains of these
my $dept = "unnest(ARRAY['a', 'b', 'c']) dept";
my $age = 'unnest(ARRAY[19, 20, 21, 22, NULL]) age';
my $hired = "(SELECT date '2024-01-01' + i AS hired FROM generate_series(0, 90) i) h";
my $in_dept = "dept IN ('a', 'b', 'c')";
my $in_age = '(age BETWEEN 19 AND 22 OR age IS NULL)';
my $in_hired = "hired BETWEEN '2024-01-01' AND '2024-03-31'";
my @groups = (
	[ 'dept', 1, 'dept', $dept, $in_dept ],
	[ 'age', 1, 'age', $age, $in_age ],
	[ 'dept, age', 2, 'dept, age', "$dept, $age", "$in_dept AND $in_age" ],
	[ "date_trunc('month', hired)", 1, 'hired', $hired, $in_hired ],
	[ 'extract(year FROM hired), extract(month FROM hired)', 2, 'hired', $hired, $in_hired ],
	[ 'extract(dow FROM hired)', 1, 'hired', $hired, $in_hired ],
	[ 'hired - 1', 1, 'hired', $hired, $in_hired ],
	[ 'hired::timestamp', 1, 'hired', $hired, $in_hired ],
	[ 'width_bucket(age, 18, 24, 3)', 1, 'age', $age, $in_age ],
	[ "CASE WHEN age < 20 THEN 'young' WHEN age > 20 THEN 'old' END", 1, 'age', $age, $in_age ],
	[ "age > 20, dept = 'a'", 2, 'dept, age', "$dept, $age", "$in_dept AND $in_age" ],
	[ 'flag', 1, 'flag', 'unnest(ARRAY[true, false]) flag', 'true' ],
	[ "dept, date_trunc('month', hired)", 2, 'dept, hired', "$dept, $hired", "$in_dept AND $in_hired" ],
	[ 'coalesce(age, 0) + 1', 1, 'age', $age, $in_age ],
	[ 'upper(dept)', 1, 'dept', $dept, $in_dept ],);
my @plans = (
	[ 'hashed', 'SET enable_hashagg = on; SET enable_sort = off' ],
	[ 'sorted', 'SET enable_hashagg = off; SET enable_sort = on' ],
	[ 'parallel', "SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
		  . "SET min_parallel_table_scan_size = 0" ],);
my $reset = "RESET enable_hashagg; RESET enable_sort; RESET $force_parallel; RESET parallel_setup_cost; "
  . "RESET parallel_tuple_cost; RESET min_parallel_table_scan_size";
my $turn = 0;
foreach my $group (@groups)
{
	my ($keys, $count, $columns, $domain, $in_domain) = @$group;
	my $by = join ', ', 1 .. $count;
	foreach my $table (sort keys %rows)
	{
		my $expected = $s->value("SELECT $keys, sum(n) FROM (SELECT $columns, 0 AS n FROM $domain UNION ALL "
			  . "SELECT $columns, 1 FROM $table WHERE salary < 300 AND $in_domain) u GROUP BY $by ORDER BY $by");
		my ($plan, $settings) = $plans[ $turn++ % @plans ]->@*;
		$a->value($settings);
		my $answer = $a->run("SELECT $keys, dp_count(1000) FROM $table WHERE salary < 300 GROUP BY $by ORDER BY $by");
		$a->value($reset);
		is($answer->{out} . ($answer->{message} // ''), $expected,
			"$keys, of $table, $plan: every key and no other, with its own rows");
	}
}

# --- What it costs, and with what it goes together ------------------------------------------------

is(costs($s, 'many', '0.5', 'one charge', sub {
	$a->value('SELECT count(n) FROM (SELECT dept, age, dp_count(0.5) AS n FROM many GROUP BY 1, 2) s')
}, 1), 15, 'for all keys');
$s->value("SELECT idp.protect('many', 1000000, 'substitute')");
costs($s, 'many', '1', 'under substitution', sub { $a->value('SELECT dept, dp_count(0.5) FROM many GROUP BY 1') }, 1);
$s->value("SELECT idp.protect('many', 1000000, 'add_remove')");

is($a->value("SELECT dept, flag, grouping(dept, flag), dp_count(1000) FROM many "
	  . "GROUP BY ROLLUP (dept, flag) ORDER BY 1, 2"),
	$s->value("SELECT k.dept, k.flag, grouping(k.dept, k.flag), count(m) "
		  . "FROM (SELECT dept, flag FROM unnest(ARRAY['a', 'b', 'c']) dept, unnest(ARRAY[true, false]) flag) k "
		  . "LEFT JOIN many m USING (dept, flag) GROUP BY ROLLUP (k.dept, k.flag) ORDER BY 1, 2"),
	'ROLLUP: totals count rows, not keys');
is($a->value('SELECT dept, dp_count(1000) FROM many GROUP BY GROUPING SETS (dept, ()) ORDER BY 1'),
	"a|100\nb|100\nc|0\n|200", 'GROUPING SETS');
is($a->value('SELECT dept, dp_count(1000) FILTER (WHERE salary <= 40) FROM many GROUP BY dept ORDER BY 1'),
	"a|10\nb|10\nc|0", 'FILTER');
is($a->value('SELECT dept, dp_count(1000) FILTER (WHERE 1 / (age - 20) > 0) >= 0 FROM many GROUP BY dept, age '
	  . 'HAVING dp_count(1000) > 1000'), '', 'HAVING');
is($a->value('SELECT dept, idp_median(salary, 1) BETWEEN 1 AND 400, '
	  . 'abs(dp_sum(age, 1000, 0, 1) - dp_count_range(age, 1000, 1, 100)) < 1 FROM many GROUP BY dept ORDER BY 1'),
	"a|t|t\nb|t|t\nc||t", 'several aggregates');
is($a->value('SELECT max(n) FROM (SELECT dept, dp_count(1000) AS n FROM many GROUP BY dept) s'), 100, 'in a subquery');
is($a->value('WITH c AS MATERIALIZED (SELECT dept, dp_count(1000) AS n FROM many GROUP BY dept) '
	  . 'SELECT count(*), sum(n) FROM c'), '3|200', 'in a CTE');
like($a->value('EXPLAIN (VERBOSE) SELECT dept, dp_count(1000) FROM many GROUP BY dept'),
	qr/^Custom Scan \(PrivateAnswers\)/, 'EXPLAIN shows one step');
is($a->value('SET plan_cache_mode = force_generic_plan; PREPARE q(numeric) AS SELECT dept, dp_count(1000) FROM many '
	. 'WHERE salary <= $1 GROUP BY dept ORDER BY 1; EXECUTE q(40)'), "a|10\nb|10\nc|0", 'prepared');
$s->value("SELECT idp.set_domain('many', 'dept', ARRAY['a', 'z'])");
is($a->value('EXECUTE q(40)'), "a|10\nz|0", 'prepared, with another domain since');
$s->value("SELECT idp.drop_domain('many', 'dept')");
is($a->run('EXECUTE q(40)')->{sqlstate}, '42501', 'prepared, without a domain since');
$s->value("SELECT idp.set_domain('many', 'dept', ARRAY['a', 'b', 'c'])");

# a table that everybody may read, and its owner
$s->value("SELECT idp.protect('many', 1000000, rows => 'visible')");
is($a->value('SELECT dept, dp_count(1000) FROM many GROUP BY dept ORDER BY 1'), "a|100\nb|100\nc|0", 'visible rows');
is($s->value('SELECT dept, dp_count(1000) FROM many GROUP BY dept ORDER BY 1'), "a|100\nb|100\nc|0", 'for a superuser');
is($a->value('SELECT dept, count(*) FROM many GROUP BY dept ORDER BY 1'), "A|100\na|100\nb|100\nx|100",
	'native aggregates are as ever');
is($a->value('SELECT dept, count(*), dp_count(1000) FROM many GROUP BY dept ORDER BY 1'),
	"A|100|100\na|100|100\nb|100|100\nx|100|100", 'beside private ones too');
is($a->value('SELECT note, dp_count(1000) FROM many WHERE salary < 3 GROUP BY note ORDER BY 1'), "n1|1\nn2|1",
	'and columns without a domain');
$s->value("SELECT idp.protect('many', 1000000, rows => 'hidden')");

# partitions
$s->value(<<'SQL');
CREATE TABLE parted (dept text NOT NULL, x int) PARTITION BY LIST (dept);
CREATE TABLE parted_a PARTITION OF parted FOR VALUES IN ('a');
CREATE TABLE parted_b PARTITION OF parted FOR VALUES IN ('b');
CREATE TABLE kinds (id uuid NOT NULL, size size NOT NULL, code varchar(3) NOT NULL, tz timestamptz NOT NULL,
  small smallint NOT NULL);
SELECT idp.protect('kinds', 100000, 'add_remove'), idp.set_domain('kinds', 'id',
    ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']),
    idp.set_domain('kinds', 'size', enum_range(NULL::size)), idp.set_domain('kinds', 'code', ARRAY['x', 'yz']),
    idp.set_domain('kinds', 'tz', ARRAY[timestamptz '2024-01-01 00:00+00']), idp.set_domain('kinds', 'small', 1, 2);
INSERT INTO kinds VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'large', 'yz', '2024-01-01 00:00+00', 1),
  ('c0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'small', 'no', '2025-01-01 00:00+00', 3);
GRANT SELECT ON kinds TO analyst;
INSERT INTO parted SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END, i FROM generate_series(1, 30) i;
SELECT idp.protect('parted', 100000, 'add_remove', per => 'partition'),
  idp.set_domain('parted', 'dept', ARRAY['a', 'b', 'c']);
GRANT SELECT ON parted TO analyst;
SQL
foreach my $case ([ 'id', "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|1\nb0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|0" ],
	[ 'code', "x|0\nyz|1" ],
	[ "to_char(tz, 'YYYY')", '2024|1' ], [ 'small', "1|1\n2|0" ])
{
	is($a->value("SELECT $case->[0], dp_count(1000) FROM kinds GROUP BY 1 ORDER BY 1"), $case->[1],
		"of other types: $case->[0]");
}
is($s->value('SELECT size, dp_count(1000) FROM kinds GROUP BY 1 ORDER BY 1'), "small|1\nlarge|1", 'of an enum');
$s->value("ALTER TYPE size RENAME VALUE 'small' TO 'tiny'");
foreach my $sql ('SELECT size, dp_count(1) FROM kinds GROUP BY 1', 'SELECT DISTINCT size FROM kinds',
	'SELECT size FROM kinds GROUP BY 1')
{
	my $r = $a->run($sql);
	is($r->{sqlstate}, '55000', "an enum's value has another name: $sql") or diag explain $r;
	like($r->{message},
		qr/domain of column "size" has value "small", which type .*size has no more: the owner of table "kinds" declares it anew/,
		'... with a way out');
}
$s->value("ALTER TYPE size RENAME VALUE 'tiny' TO 'small'");
foreach my $setting ('off', 'on')
{
	is($a->value("SET enable_partitionwise_aggregate = $setting; SELECT dept, dp_count(1000) FROM parted "
		  . "GROUP BY dept ORDER BY 1"), "a|10\nb|20\nc|0", "partitions, partition-wise $setting");
	is($a->value("SELECT dept, dp_count(1000) FROM parted WHERE dept = 'a' GROUP BY dept ORDER BY 1"), 'a|10',
		'those that are pruned have none');
}
is($s->value("SELECT string_agg(spent::int::text, ' ' ORDER BY table_name) FROM idp.protection "
	  . "WHERE partition_of = 'parted'"), '4000 2000', 'and cost nothing');

my $keys_of_dept = "unnest(ARRAY['a', 'b', 'c'])";

# by subqueries, views and CTEs that choose rows and compute columns, one in the other
$s->value(<<'SQL');
SET ROLE keeper;
CREATE VIEW low AS SELECT dept AS d, age, salary AS s, hired FROM many WHERE salary < 300;
CREATE VIEW lower AS SELECT upper(d) AS big, d, age + 1 AS next, s AS "the salary" FROM low WHERE s > 100;
CREATE VIEW barred WITH (security_barrier) AS SELECT dept FROM many;
CREATE TABLE shared_rows (dept text, salary int, reader text);
INSERT INTO shared_rows SELECT 'a', i, CASE WHEN i % 2 = 0 THEN 'analyst' ELSE 'x' END FROM generate_series(1, 10) i;
CREATE POLICY own ON shared_rows USING (reader = current_user);
ALTER TABLE shared_rows ENABLE ROW LEVEL SECURITY;
SELECT idp.protect('shared_rows', 1000000, 'add_remove'), idp.set_domain('shared_rows', 'dept', ARRAY['a', 'b']);
GRANT SELECT ON low, lower, barred, shared_rows TO analyst;
RESET ROLE;
SQL
foreach my $case (
	[ 'SELECT x, dp_count(1000) FROM (SELECT dept AS x, salary FROM many) q WHERE salary < 300 GROUP BY x '
		. 'ORDER BY x',
		"SELECT k, count(m) FROM $keys_of_dept k LEFT JOIN many m ON m.dept = k AND salary < 300 GROUP BY k "
		. "ORDER BY k" ],
	[ 'WITH q AS (SELECT * FROM many WHERE salary < 300) SELECT dept, dp_count(1000) FROM q GROUP BY dept '
		. 'ORDER BY 1',
		"SELECT k, count(m) FROM $keys_of_dept k LEFT JOIN many m ON m.dept = k AND salary < 300 GROUP BY k "
		. "ORDER BY k" ],
	[ 'SELECT q.dept, dp_count(1000) FROM (SELECT dept FROM many WHERE salary < 300 ORDER BY salary) q '
		. 'GROUP BY q.dept ORDER BY 1',
		"SELECT k, count(m) FROM $keys_of_dept k LEFT JOIN many m ON m.dept = k AND salary < 300 GROUP BY k "
		. "ORDER BY k" ],
	[ 'SELECT d, dp_count(1000) FROM low GROUP BY d ORDER BY d', "SELECT k, count(m) FROM $keys_of_dept k "
		  . "LEFT JOIN many m ON m.dept = k AND salary < 300 GROUP BY k ORDER BY k" ],
	[ 'SELECT "q"."big" AS "Big", dp_count(1000) FILTER (WHERE next IS NOT NULL) AS "n" FROM (SELECT * '
		. 'FROM lower) AS "q" WHERE "the salary" < 200 GROUP BY "q"."big" HAVING dp_count(1000) > -1000 ORDER BY 1',
		"SELECT upper(k), count(m.age) FROM $keys_of_dept k LEFT JOIN many m ON m.dept = k AND salary > 100 "
		  . "AND salary < 200 GROUP BY 1 ORDER BY 1" ],
	[ "SELECT m, dp_sum(s, 1000, 0, 400)::int BETWEEN -2000000 AND 2000000 "
		  . "FROM (SELECT date_trunc('month', hired) AS m, salary AS s FROM many) q GROUP BY m ORDER BY m",
		"SELECT date_trunc('month', d), true FROM generate_series(timestamptz '2024-01-01', timestamptz '2024-03-31', "
		  . "'1 day') d GROUP BY 1 ORDER BY 1" ],
	[ 'SELECT (SELECT max(n) FROM (SELECT d, dp_count(1000) AS n FROM low WHERE s < 200 GROUP BY d) l)',
		"SELECT max(n) FROM (SELECT count(*) AS n FROM many WHERE salary < 200 AND dept IN ('a', 'b', 'c') "
		. "GROUP BY dept) l" ],
	[ 'SELECT x, dp_count(1000) FROM (SELECT dept AS x FROM shared_rows) q GROUP BY x ORDER BY x',
		"VALUES ('a', 5), ('b', 0), (NULL, 0)" ],
	[ 'SELECT d, dp_count(1000) FROM low WHERE d = $1 GROUP BY d ORDER BY d',
		"SELECT 'a', count(*) FROM many WHERE dept = 'a' AND salary < 300" ],
	[ 'SELECT dept, dp_count(1000) FROM barred GROUP BY dept ORDER BY 1',
		"SELECT k, count(m) FROM $keys_of_dept k LEFT JOIN many m ON m.dept = k GROUP BY k ORDER BY k" ],
	[ 'WITH q AS MATERIALIZED (SELECT * FROM many WHERE age = 20) SELECT dept, dp_count(1000) FROM q '
		. 'GROUP BY dept ORDER BY 1',
		"SELECT k, count(m) FROM $keys_of_dept k LEFT JOIN many m ON m.dept = k AND age = 20 GROUP BY k ORDER BY k" ], )
{
	my ($sql, $expected) = @$case;
	$sql = "PREPARE by_view AS $sql; SET plan_cache_mode = force_generic_plan; EXECUTE by_view ('a'); "
	  . "EXECUTE by_view ('a'); DEALLOCATE by_view; RESET plan_cache_mode" if $sql =~ /[\$]1/;
	my @times = $sql =~ /PREPARE/ ? (1, 2) : (1);
	is($a->value($sql), join("\n", map { $s->value($expected) } @times), "by a subquery: $sql");
}
is($a->run('SELECT x, dp_count(1) FROM (SELECT dept || random() AS x FROM many) q GROUP BY x')->{sqlstate}, '42501',
	'not of what is computed anew each time');
# groups have their keys, and it is the rows that are refused
is($a->run($_)->{sqlstate}, '0A000', "not by others: $_")
  foreach 'SELECT dept, dp_count(1) FROM (SELECT * FROM many LIMIT 5) q GROUP BY dept',
  'SELECT dept, dp_count(1) FROM (SELECT DISTINCT dept FROM many) q GROUP BY dept',
  'SELECT q.dept, dp_count(1) FROM (SELECT m.dept FROM many m, one) q GROUP BY q.dept',
  'SELECT m.dept, dp_count(1) FROM many m JOIN one o ON o.dept = m.dept GROUP BY m.dept';
$s->value('REVOKE SELECT ON low FROM analyst');
is($a->run('SELECT d, dp_count(1) FROM low GROUP BY d')->{message}, 'permission denied for view low',
	'the rights are those of the view');
$s->value('GRANT SELECT ON low TO analyst; REVOKE SELECT ON many FROM analyst');
is($a->run('SELECT d, dp_count(1) FROM low GROUP BY d')->{message}, undef, 'alone');
$s->value('GRANT SELECT ON many TO analyst; DROP VIEW low CASCADE');

# persons
$s->value(<<'SQL');
CREATE TABLE customers (id int PRIMARY KEY, region text NOT NULL);
INSERT INTO customers SELECT i, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'east' END FROM generate_series(1, 30) i;
SELECT idp.protect('customers', 100000, 'add_remove', unit => 'id'),
  idp.set_domain('customers', 'region', ARRAY['north', 'south']);
GRANT SELECT ON customers TO analyst;
SQL
foreach my $plan (@plans)
{
	is(costs($s, 'customers', '1000', "of units, $plan->[0]",
		sub {
			$a->value("$plan->[1] \\g /dev/null\nSELECT region, dp_count(1000) FROM customers GROUP BY region "
				  . "ORDER BY 1; $reset")
		}),
		"north|10\nsouth|0", 'one for each key');
}

# --- What is refused still ------------------------------------------------------------------------

foreach my $sql (
	'SELECT note, dp_count(1) FROM many GROUP BY note',
	'SELECT dept, note, dp_count(1) FROM many GROUP BY dept, note',
	"SELECT date_trunc('month', at), dp_count(1) FROM many GROUP BY 1",
	'SELECT salary, dp_count(1) FROM many GROUP BY salary',
	'SELECT age::float8 * -1, dp_count(1) FROM many GROUP BY 1',
	'SELECT dept, count(*) FROM many GROUP BY dept',
	'SELECT dept, dp_count(1), max(age) FROM many GROUP BY dept',
	"SELECT dept, dp_count(1, 'n ' || dept) FROM many GROUP BY dept",
	'SELECT dept, note FROM many GROUP BY dept, note',
	'SELECT DISTINCT dept, salary FROM many WHERE salary > 3',
	'SELECT dept, dp_count(1) FROM (SELECT dept FROM many UNION ALL VALUES (\'a\')) u GROUP BY dept',
	'SELECT dept, dp_count(1), (SELECT count(*) FROM one) FROM many GROUP BY dept',
	'SELECT * FROM (VALUES (50), (60)) v (x), LATERAL (SELECT dept, dp_count(1) FROM many '
	  . 'WHERE salary < v.x GROUP BY dept) l',
	'SELECT (SELECT max(n) FROM (SELECT dept, dp_count(1) AS n FROM many WHERE salary < v.x GROUP BY dept) l) '
	  . 'FROM (VALUES (50), (60)) v (x)',)
{
	is($a->run($sql)->{sqlstate}, '42501', "hidden: $sql");
}
# parts of UNION have keys together, but the rows of one are nobody's
is($a->run('SELECT dept, dp_count(1) FILTER (WHERE k IS NULL) FROM (SELECT dept, NULL::idp.key_marker AS k '
	. 'FROM many UNION ALL SELECT \'a\', NULL::idp.key_marker) u GROUP BY dept')->{sqlstate}, '0A000',
	'UNION ALL with a row of nobody');
# windows over the answers are free
like($a->value("SELECT dept, sum(dp_count(1000)) OVER (ORDER BY dept), row_number() OVER (ORDER BY dept DESC), "
	  . "count(*) OVER () FROM $_ GROUP BY dept ORDER BY 1"),
	qr/\Aa\|-?\d+\|3\|3\nb\|-?\d+\|2\|3\nc\|-?\d+\|1\|3\z/, "windows: $_")
  foreach 'none', 'many';
my $refused = $a->run('SELECT note, dp_count(1) FROM many GROUP BY note');
like($refused->{message}, qr/: group by columns with a domain, here "dept", "age", "hired"/,
	'with the way out, naming what is declared');
like($refused->{hint}, qr/once the owner gave the table a delta/, 'and what is not');
like($a->run('SELECT DISTINCT dept, note FROM many')->{hint},
	qr/Function idp[.]domain lists the keys of "dept", "age", "hired"[.]/, 'and where its keys are listed');
$s->value("CREATE TABLE undeclared (dept text); SELECT idp.protect('undeclared', 10, delta => 1e-6); "
	  . "GRANT SELECT ON undeclared TO analyst");
$refused = $a->run('SELECT dept, dp_count(1) FROM undeclared GROUP BY dept');
like($refused->{message},
	qr/: group by a column whose domain the owner declares with idp[.]set_domain, or add HAVING dp_keep_group/,
	'where nothing is declared');
unlike($refused->{hint}, qr/once the owner/, 'a delta that is there is not asked for');
unlike($a->run('SELECT DISTINCT dept FROM undeclared')->{hint}, qr/idp[.]domain/,
	'nor is a list named that is not there');
$s->value('DROP TABLE undeclared');
is($a->run("SELECT 'key'::idp.key_marker")->{sqlstate}, '0A000', 'nobody makes a row that stands for a key');
is($a->run("SELECT ('(key)'::text)::idp.key_marker")->{sqlstate}, '0A000', 'nor by a cast');
is($s->run('SELECT 10 / (age - 20), dp_count(1) FROM none GROUP BY 1')->{sqlstate}, '22012',
	'what fails for a key fails without a row too');
foreach my $table ('none', 'many')
{
	is($a->value("SELECT 10 / (age - 20), dp_count(1) >= -100 FROM $table GROUP BY 1 ORDER BY 1"),
		"-10|t\n5|t\n10|t\n|t", "or has no key, where rows are hidden: $table");
}
$s->value("SELECT idp.set_domain('many', 'age', 1, 5000)");
is($a->run('SELECT dept, age, dp_count(1) FROM many GROUP BY 1, 2')->{sqlstate}, '54000', 'too many keys together');
is($a->value('SELECT count(n) FROM (SELECT age, dp_count(1) AS n FROM many GROUP BY 1) s'), 5001, 'many keys');

# --- Bounds that are found ------------------------------------------------------------------------

# How many rows such an answer needs follows from epsilon: the same is said of many rows and of none.
my $found =
  qr/NOTICE: .*bounds of sums and averages are found: of fewer than some 1500 rows they are mostly noise.*idp\.set_domain/s;
$a->value('SET idp.rewrite = on');
foreach my $rows ('', ' WHERE salary > 1e9')
{
	foreach my $answer ('avg(salary)', 'sum(salary), avg(salary)', 'stddev(salary)')
	{
		my $said = $a->run("SET idp.epsilon = 0.1; SELECT $answer FROM skewed$rows")->{err} // '';
		like($said, $found, "bounds that are found, and a notice: $answer$rows");
		is(() = $said =~ /NOTICE/g, 1, '... one');
	}
}
$s->value("SELECT idp.set_domain('skewed', 'salary', 0, 1000)");
unlike($a->run('SELECT avg(salary), count(*), sum(1) FROM skewed')->{err} // '', qr/NOTICE/,
	'none where bounds are public');
$s->value("SELECT idp.drop_domain('skewed', 'salary')");
unlike($a->run('SET idp.epsilon = 0.5; SELECT avg(salary) FROM skewed')->{err} // '', qr/NOTICE/,
	'none where it is few rows');
unlike($a->run('SELECT dp_avg(salary, 0.1) FROM skewed')->{err} // '', qr/NOTICE/, 'none where the call is written so');
$a->value('RESET idp.epsilon; RESET idp.rewrite');

# where the library is loaded by the first query of a session only, that was planned without it
$node->append_conf('postgresql.conf', "session_preload_libraries = ''");
$node->reload;
my $bare = session($node);
$bare->value('SET ROLE analyst');
my $unprepared = $bare->run('SELECT dept, dp_count(1000) FROM skewed GROUP BY dept ORDER BY 1');
is($unprepared->{sqlstate}, '42501', 'a session without the library: refused');
like($unprepared->{message}, qr/: ask again, now that the library is loaded/, 'with the way out');
like($bare->value('SELECT dept, dp_count(1000) FROM skewed GROUP BY dept ORDER BY 1'), qr/\Aa\|\d+\nb\|\d+\nc\|0\z/,
	'from its second query on it has the keys');

# --- Dump and rename ------------------------------------------------------------------------------

my $file = abs_path($node->basedir) . '/domains.dump';
$node->command_ok([ 'pg_dump', '-f', $file, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
my $copy = session($node, 'copy');
my $domains = 'SELECT * FROM idp.domains ORDER BY 1, 2';
is($copy->value($domains), $s->value($domains), 'a dump keeps domains');
is($copy->value('SET ROLE analyst; SELECT dept, dp_count(1000) FROM skewed GROUP BY dept ORDER BY 1'),
	$a->value('SELECT dept, dp_count(1000) FROM skewed GROUP BY dept ORDER BY 1'), 'and they hold');
$s->value('ALTER TABLE many RENAME COLUMN dept TO department');
is($a->run('SELECT department, dp_count(1) FROM many GROUP BY 1')->{sqlstate}, '42501', 'a domain is that of a name');
$s->value("ALTER TABLE many RENAME COLUMN department TO dept; ALTER TABLE many ALTER COLUMN age TYPE text");
is($a->run('SELECT age, dp_count(1) FROM many GROUP BY 1')->{sqlstate}, '42501', 'bounds of what is text now');

$node->stop;
done_testing();

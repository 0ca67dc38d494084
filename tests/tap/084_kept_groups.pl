# Groups of hidden tables that dp_keep_group decides about: shown, and nothing of the others is.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('kept', "session_preload_libraries = 'idp'", 'jit = off', 'max_parallel_workers_per_gather = 2');
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO keeper;
SET ROLE keeper;
CREATE TABLE t (city text, kind int, day date, x int, note text COLLATE "C");
INSERT INTO t SELECT (ARRAY['Oslo', 'Rome', 'Kyiv'])[1 + i % 3], i % 2, date '2026-01-01' + i % 2, i, 'n'
  FROM generate_series(1, 3000) i;
INSERT INTO t VALUES ('Hamlet', 7, '2020-02-02', 5, 'only one');
CREATE TABLE parted (city text, x int) PARTITION BY LIST (city);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN ('Oslo', 'Hamlet');
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT city, x FROM t;
GRANT SELECT ON t, parted TO analyst;
ANALYZE t, parted;
SELECT idp.protect(name, 1000, neighbours => 'add_remove', delta => 0.01)
  FROM unnest(ARRAY['t', 'parted']::regclass[]) name;
CREATE TABLE pure AS SELECT * FROM t;
GRANT SELECT ON pure TO analyst;
SELECT idp.protect('pure', 1000);
RESET ROLE;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

sub spent
{
	return $s->value('SELECT string_agg(trim_scale(spent) || \' \' || trim_scale(delta_spent), \', \' '
		  . 'ORDER BY table_name) FROM idp.protection');
}

sub shown
{
	my ($expected, $sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = spent();
	my $result = $a->run($sql);
	is($result->{message} // $result->{out}, $expected, "shown: $sql");
	isnt(spent(), $before, 'and charged');
	return;
}

sub refused
{
	my ($why, $sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = spent();
	my $result = $a->run($sql);
	like(($result->{message} // "answered: $result->{out}") . ' ' . ($result->{detail} // ''), $why, "refused: $sql");
	like($result->{hint} // '', qr/./, 'with a way out');
	is($result->{out}, '', 'nothing was shown');
	is(spent(), $before, 'nothing was charged');
	return;
}

# The probability with which a group of one row is shown: with that the test fails.
my $keep = 'dp_keep_group(1, 1e-12)';

# --- shown, by every kind of plan ---

shown("Kyiv\nOslo\nRome", "SELECT city FROM t GROUP BY city HAVING $keep ORDER BY city");
is($s->value('SELECT string_agg(trim_scale(epsilon) || \' \' || trim_scale(delta), \', \') FROM idp.ledger'),
	'1 0.000000000001', 'once for all groups');
foreach my $settings ('enable_hashagg = off', 'enable_sort = off', 'parallel_setup_cost = 0',
	'enable_partitionwise_aggregate = on')
{
	$a->value("SET $settings");
	$a->value('SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0') if $settings =~ /parallel_setup/;
	shown("Kyiv\nOslo\nRome", "SELECT city FROM $_ GROUP BY city HAVING $keep ORDER BY city") foreach 't', 'parted';
	$a->value('RESET ALL; SET ROLE analyst');
}
shown("Kyiv|t\nOslo|t\nRome|t",
	"SELECT city, dp_count(1) BETWEEN 900 AND 1100 FROM t GROUP BY city HAVING $keep AND dp_count(1) > 10 ORDER BY 1");
shown("Kyiv\nOslo\nRome", "SELECT city FROM (SELECT city, $keep AS kept FROM t GROUP BY city) s WHERE kept ORDER BY 1");
shown('5', "SELECT count(*) FROM (SELECT city, kind FROM t GROUP BY GROUPING SETS (city, kind) HAVING $keep) s");
shown('6', "SELECT count(*) FROM (SELECT city, kind, length(city) FROM t WHERE x > 2 GROUP BY 1, 2, 3 HAVING $keep) s");
shown("Kyiv\nOslo\nRome", "WITH k AS MATERIALIZED (SELECT city, dp_median(x, 0.5, 0, 10000) FROM t GROUP BY city "
	  . "HAVING $keep) SELECT city FROM k ORDER BY 1");

# What comes after the decision is about kept groups alone: it fails for none that is not shown.
shown('3', "SELECT count(*) FROM (SELECT city, 1 / (length(city) - 6) FROM t GROUP BY city HAVING $keep) s");
shown('3', "SELECT count(*) FROM (SELECT city FROM t GROUP BY city "
	  . "HAVING 1 / (dp_count(1) * 0 + length(city) - 6) < 9 AND $keep) s");
shown('2',
	"SELECT count(*) FROM (SELECT kind FROM t GROUP BY kind HAVING 1 / (dp_count(1) * 0 + kind - 7) < 9 AND $keep) s");

# --- refused ---

# What a group shows of its keys is the value of one of its rows, and equal values may look different.
my $kept = 'HAVING dp_keep_group(1, 1e-6)';
refused(qr/values of that type that are equal need not look the same/,
	"SELECT $_, dp_count(0.1) FROM t GROUP BY 1 $kept")
  foreach "CASE WHEN x = 5 THEN '24 hours' ELSE '1 day' END::interval", "x * interval '1 hour' * 0";
# Numbers have one form, and it is not that of a row.
shown('1', "SELECT CASE WHEN x $_ THEN 1.0 ELSE 1.00 END AS k FROM t GROUP BY 1 $kept")
  foreach '= 5', '<> 5', '% 2 = 0';
shown('0', "SELECT CASE WHEN x $_ THEN '-0' ELSE '0' END::float8 AS k FROM t GROUP BY 1 $kept")
  foreach '= 5', '<> 5', '% 2 = 0';
shown('0', "SELECT CASE WHEN x $_ THEN '-0' ELSE '0' END::float4 AS k FROM t GROUP BY 1 $kept") foreach '= 5', '<> 5';
shown('1:1', "SELECT k || ':' || k FROM (SELECT CASE WHEN x = 5 THEN 1.0 ELSE 1.00 END AS k FROM t) q "
	  . "WHERE k = 1 GROUP BY k $kept");
shown('1.0|1.00', "SELECT k::numeric(3, 1), k::numeric(4, 2) "
	  . "FROM (SELECT CASE WHEN x = 5 THEN 1.0 ELSE 1.00 END AS k FROM t) q GROUP BY k $kept");
shown('2026', "SELECT extract(year FROM day) FROM t WHERE x > 10 GROUP BY 1 $kept");
shown('2026', "SELECT extract(year FROM day)::int FROM t WHERE x > 10 GROUP BY 1 $kept");
$s->value('CREATE TABLE kinds (kind int PRIMARY KEY, weight numeric); INSERT INTO kinds VALUES (0, 1.0), (1, 1.00); '
	  . 'GRANT SELECT ON kinds TO analyst');
shown('1|t', 'SELECT weight, dp_count(0.1) FILTER (WHERE t.x IS NOT NULL) > 0 FROM kinds k '
	  . 'LEFT JOIN t ON t.kind = k.kind GROUP BY weight');

refused(qr/A group of GROUP BY shows/, 'SELECT city, dp_count(1) FROM t GROUP BY city');
refused(qr/dp_keep_group opens groups as a condition of HAVING/, $_)
  foreach "SELECT city, $keep FROM t GROUP BY city",
  "SELECT city FROM t GROUP BY city HAVING NOT $keep",
  "SELECT city FROM t GROUP BY city HAVING $keep OR dp_count(1) > 5",
  "SELECT city FROM t GROUP BY city HAVING $keep FILTER (WHERE x > 5)",
  "SELECT city FROM t GROUP BY city HAVING CASE WHEN $keep THEN true END",
  "SELECT city FROM t GROUP BY city HAVING coalesce($keep, true)",
  "SELECT city FROM t GROUP BY city HAVING $keep IS NOT NULL";
refused(qr/A release is stored/, "SELECT city, dp_count(1, 'in ' || city) FROM t GROUP BY city HAVING $keep");
refused(qr/has no delta/, "SELECT city FROM pure GROUP BY city HAVING $keep");
refused(qr/max/, "SELECT city, max(x) FROM t GROUP BY city HAVING $keep");
is($s->value('SELECT count(*) FROM idp.chain'), '0', 'no name was stored');

# A key that a single row has is not shown.
is($a->value("SELECT count(*) FROM (SELECT city FROM t GROUP BY city HAVING dp_keep_group(0.001, 1e-12)) s "
	  . "WHERE city = 'Hamlet'"), '0', 'not shown')
  for 1 .. 20;

done_testing();

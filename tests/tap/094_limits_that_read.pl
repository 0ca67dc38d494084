# A limit of no rows finds out first which rows these would be: what it reads for that is read, and charged, also where
# it scans a CTE that hangs on the limit itself. What was not charged fails before a row is read.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('limits_that_read', 'fsync = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE analyst;
CREATE TABLE twelve (id integer PRIMARY KEY);
INSERT INTO twelve SELECT generate_series(1, 12);
CREATE TABLE plain (id integer PRIMARY KEY, salary integer);
INSERT INTO plain SELECT i, 100 * i FROM generate_series(1, 40) i;
CREATE TABLE poor (id integer PRIMARY KEY, salary integer);
INSERT INTO poor SELECT i, 100 * i FROM generate_series(1, 40) i;
SELECT idp.protect('plain', 100, 'add_remove', delta => 1e-3), idp.protect('poor', 0);
GRANT SELECT ON twelve, plain, poor TO analyst;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

# How each ends, for one that is in the table and for one that is not: the same, whatever rows there are.
sub ends
{
	my ($query) = @_;
	return map { my $r = $a->run(sprintf $query, $_); ($r->{sqlstate} // 'done') . ' ' . ($r->{message} // '') }
	  600, 700;
}
my $group = 'SELECT salary, dp_count(1) AS n FROM %s WHERE id = 7 AND salary > %%d GROUP BY salary '
  . 'HAVING dp_keep_group(0.5, 1e-9)';
my %limits = (
	'OFFSET' => "WITH z AS MATERIALIZED ($group) SELECT id FROM twelve LIMIT 0 OFFSET (SELECT n FROM z)",
	'OFFSET, by way of another CTE' => "WITH y AS MATERIALIZED ($group), z AS MATERIALIZED (SELECT sum(n)::int8 AS n "
	  . "FROM y) SELECT id FROM twelve LIMIT 0 OFFSET (SELECT n FROM z)",
	'OFFSET, for each row of an outer query' => "WITH z AS MATERIALIZED ($group) SELECT t.id, l.id "
	  . "FROM twelve t, LATERAL (SELECT u.id FROM twelve u LIMIT 0 OFFSET (SELECT n FROM z WHERE z.salary <> t.id)) l",
	'OFFSET, in a subquery' => "SELECT * FROM (WITH z AS MATERIALIZED ($group) SELECT id "
	  . "FROM twelve LIMIT 0 OFFSET (SELECT n FROM z)) q",
	'OFFSET, not in a CTE' => "SELECT id FROM twelve LIMIT 0 OFFSET (SELECT n FROM ($group) z)",
	'LIMIT' => "WITH z AS MATERIALIZED ($group) SELECT id FROM twelve LIMIT (SELECT 0 * n FROM z)",);
foreach my $name (sort keys %limits)
{
	my ($there, $not) = ends(sprintf $limits{$name}, 'poor');
	is($there, $not, "$name, nothing to spend: the same, whatever one row is");
	like($there, qr/^(IDP01|0A000|42501|55000)/, "$name, nothing to spend: refused");
	my $before = spent($s, 'plain');
	($there, $not) = ends(sprintf $limits{$name}, 'plain');
	is($there, $not, "$name: the same, whatever one row is");
	my $cost = spent($s, 'plain') - $before;
	ok($there =~ /^done/ ? $cost >= 3 : $cost == 0, "$name: answered and charged, or refused") or diag $there, $cost;
}

# What nobody reads is not charged.
my $before = spent($s, 'plain');
is($a->value($_), '', "$_: no row") foreach
  'WITH z AS MATERIALIZED (SELECT dp_count(1) AS n FROM plain) SELECT n FROM z LIMIT 0',
  'WITH z AS MATERIALIZED (SELECT dp_count(1) AS n FROM plain) SELECT n FROM z WHERE false',
  'WITH y AS MATERIALIZED (SELECT dp_count(1) AS n FROM plain), z AS MATERIALIZED (SELECT n FROM y) '
    . 'SELECT n FROM z LIMIT 0',
  'SELECT dp_count(1) FROM plain LIMIT 0';
is(spent($s, 'plain'), $before, 'and no charge');
is($a->value('WITH z AS MATERIALIZED (SELECT dp_count(1) AS n FROM plain) SELECT count(*) '
	  . 'FROM (SELECT n FROM z LIMIT 0) a, z b'), 0, 'a CTE that is scanned twice, once by nobody');
is(spent($s, 'plain'), $before + 1, 'is charged once');

$a->quit;
$s->quit;
$node->stop;
done_testing();

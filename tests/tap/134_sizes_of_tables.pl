# Hidden tables: the planner sees their sizes to a power of two, so that a record more or less seldom makes another
# plan. What EXPLAIN shows of a plan that reads no row does not follow the number of rows.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use List::Util qw(uniq);
use Test::More;

my $node = new_node('sizes', 'idp.rewrite = off', 'jit = off', 'autovacuum = off',
	"shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE analyst LOGIN;
CREATE TABLE people (id int, age int);
CREATE INDEX ON people (age);
CREATE TABLE towns AS SELECT i AS id FROM generate_series(1, 2000) i;
GRANT SELECT ON people, towns TO analyst;
ANALYZE towns;
SELECT idp.protect('people', 10, rows => 'hidden');
SQL
my $a = session($node);
$a->value("SET ROLE analyst; SET work_mem = '64kB'");
$s->value("SET work_mem = '64kB'");

# Plans that read no row: all of a condition that is false.
my @queries = (
	'SELECT p.id, count(*) FROM people p WHERE p.age > 7 GROUP BY p.id',
	'SELECT p.id, count(*) FROM people p LEFT JOIN towns t ON t.id = p.age GROUP BY p.id',
	'SELECT p.id, count(*) FROM people p JOIN towns t ON t.id = p.id JOIN people q ON q.age = p.id GROUP BY p.id',
	'SELECT p.age, count(*) FROM people p WHERE p.age = 3 GROUP BY p.age');

sub plans
{
	my ($session, @statements) = @_;
	return map { $session->value("EXPLAIN (COSTS OFF) $_") } @statements;
}

my @false = map { "SELECT count(*) FROM ($_) x WHERE (SELECT false) AND false GROUP BY x.count HAVING false" } @queries;
my (%shown, %owned, $count);
# Of one size as the planner of an analyst sees them: 2048, in 8 blocks.
foreach my $rows (map { 1460 + 60 * $_ } 0 .. 17)
{
	my $more = $rows - ($count // 0);
	$s->value("INSERT INTO people SELECT i % 977, i % 89 FROM generate_series(1, $more) i; ANALYZE people");
	$count = $rows;
	my @of_analyst = plans($a, @false);
	my @of_owner = plans($s, @queries);
	++$shown{"$_ $of_analyst[$_]"} foreach 0 .. $#queries;
	++$owned{"$_ $of_owner[$_]"} foreach 0 .. $#queries;
}
is(scalar keys %shown, scalar @queries, 'each has one plan, however many rows there are');
cmp_ok(scalar keys %owned, '>', scalar @queries, 'which is not so where the planner sees the sizes');
done_testing();

# What an answer is charged is what its proof asks for, and no more.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('proved', "session_preload_libraries = 'idp'", 'jit = off', 'max_parallel_workers_per_gather = 0');
my $s = session($node);

$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO keeper;
SET ROLE keeper;
CREATE TABLE moved (k int NOT NULL, x int NOT NULL, note text);
INSERT INTO moved SELECT i % 3, i % 10, 'n' FROM generate_series(1, 3000) i;
CREATE TABLE added AS SELECT * FROM moved;
CREATE TABLE parted (k int NOT NULL, x int NOT NULL) PARTITION BY LIST (k);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0);
CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT k, x FROM moved;
SELECT idp.protect('moved', 100000, delta => 0.1);
SELECT idp.protect('added', 100000, neighbours => 'add_remove', delta => 0.1);
SELECT idp.protect('parted', 100000, delta => 0.1, per => 'partition');
SQL
foreach my $kind ('moved', 'added')
{
	my $neighbours = $kind eq 'moved' ? 'substitute' : 'add_remove';
	$s->value(<<"SQL");
CREATE TABLE people_$kind (id int PRIMARY KEY, city text NOT NULL COLLATE "C");
CREATE TABLE orders_$kind (id int PRIMARY KEY, person int NOT NULL REFERENCES people_$kind,
  k int NOT NULL, x int NOT NULL);
INSERT INTO people_$kind SELECT i, 'c' || i % 3 FROM generate_series(1, 300) i;
INSERT INTO orders_$kind SELECT i, 1 + i % 300, i % 3, i % 10 FROM generate_series(1, 3000) i;
SELECT idp.protect('people_$kind', 100000, neighbours => '$neighbours', unit => 'id', delta => 0.1);
SELECT idp.link('orders_$kind', 'person', 'people_$kind');
SQL
}
$s->value('RESET ROLE; GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst');
my $a = session($node);
$a->value('SET ROLE analyst');

# What all accounts together were charged for a query, of epsilon and of delta.
sub charged
{
	my ($sql) = @_;
	my $spent = sub { split /\|/, $s->value('SELECT sum(spent), sum(delta_spent) FROM idp.protection') };
	my @before = $spent->();
	my $result = $a->run($sql);
	die "$sql: $result->{message}" if defined $result->{message};
	my @after = $spent->();
	return map { $s->value("SELECT trim_scale($after[$_]::numeric - $before[$_]::numeric)") } 0, 1;
}

sub costs
{
	my ($expected, $sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($epsilon) = charged($sql);
	is($epsilon, $expected, "costs $expected: $sql");
	return;
}

# A delta that is the expected number, which is known to fifteen digits, or more by one part in 10^14.
sub costs_delta
{
	my ($epsilon, $delta, $sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @is = charged($sql);
	is($is[0], $epsilon, "costs $epsilon: $sql");
	cmp_ok($is[1], '>=', $delta * (1 - 1e-14), 'and a delta that is not less than what is needed');
	cmp_ok($is[1], '<=', $delta * (1 + 1e-14), 'nor more');
	return;
}

# --- dp_keep_group: delta (e^(m epsilon) - 1)/(e^epsilon - 1) for m rows of a person ---

my $of_five = '(SELECT *, row_number() OVER (PARTITION BY person ORDER BY id) r FROM orders_%s) o WHERE r <= 5';
my ($e1, $e5) = map { exp } 1, 5;
costs_delta(5, 1e-9 * ($e5 - 1) / ($e1 - 1),
	'SELECT k FROM ' . sprintf($of_five, 'added') . ' GROUP BY k HAVING dp_keep_group(1, 1e-9)');
costs_delta(1, 1e-9, 'SELECT k FROM added GROUP BY k HAVING dp_keep_group(1, 1e-9)');
costs_delta(2, 2e-9, 'SELECT k, x FROM added GROUP BY GROUPING SETS (k, x) HAVING dp_keep_group(1, 1e-9)');

# --- the same where a row is substituted: two groups change, which needs less than twice delta ---

# What two coins need, by brute force over the sizes of both groups.
sub delta_of_move
{
	my ($epsilon, $delta) = @_;
	my ($x, @pi) = (exp($epsilon), 0);
	my $min = sub { my $least = shift; foreach (@_) { $least = $_ if $_ < $least } return $least };
	push @pi, $min->($x * $pi[-1] + $delta, 1 - (1 - $pi[-1] - $delta) / $x, 1) while $pi[-1] < 1;
	push @pi, 1;
	my $needed = 0;
	foreach my $n (1 .. $#pi)
	{
		foreach my $k (0 .. $#pi - 1)
		{
			my ($p, $p1, $q, $q1) = @pi[ $n, $n - 1, $k, $k + 1 ];
			my $sum = 0;
			foreach ([ $p * $q, $p1 * $q1 ], [ $p * (1 - $q), $p1 * (1 - $q1) ],
				[ (1 - $p) * (1 - $q), (1 - $p1) * (1 - $q1) ])
			{
				my $more = $_->[0] - $x * $x * $_->[1];
				$sum += $more if $more > 0;
			}
			$needed = $sum if $sum > $needed;
		}
	}
	return $needed;
}

foreach ([ 1, 1e-6 ], [ 0.5, 1e-6 ], [ 2, 1e-5 ])
{
	my ($epsilon, $delta) = @$_;
	my ($paid, $lost) = charged("SELECT k FROM moved GROUP BY k HAVING dp_keep_group($epsilon, $delta)");
	is($paid, 2 * $epsilon, "two groups change: epsilon $epsilon counts twice");
	my $needed = delta_of_move($epsilon, $delta);
	cmp_ok($lost, '>=', $needed * (1 - 1e-9), "and delta is what brute force needs, $needed");
	cmp_ok($lost, '<=', $needed * (1 + 1e-4), 'not more');
	cmp_ok($lost, '<', 2 * $delta, 'less than twice delta');
	cmp_ok($lost, '>', $delta * 1.05, 'more than delta');
}
# a partition pays for its part of a move alone: half of what both pay has to be enough
my ($epsilon, $delta) = charged('SELECT x FROM parted_1 GROUP BY x HAVING dp_keep_group(1, 1e-6)');
is("$epsilon $delta", '2 0.000002', 'twice delta for a partition');
# five rows leave, five enter
my $moves = delta_of_move(1, 1e-9) * (exp(10) - 1) / (exp(2) - 1);
my $coins = 2e-9 * ($e5 - 1) / ($e1 - 1);
($epsilon, $delta) = charged('SELECT k FROM '
	  . sprintf($of_five, 'moved') . ' GROUP BY k HAVING dp_keep_group(1, 1e-9)');
is($epsilon, 10, 'five rows of two groups');
cmp_ok($delta, '>=', ($moves < $coins ? $moves : $coins) * (1 - 1e-9), 'and their delta');
cmp_ok($delta, '<=', ($moves < $coins ? $moves : $coins) * (1 + 1e-9), 'not more');

# --- dp_count_distinct of what is one value in all rows of a person: epsilon, however many rows ---

foreach my $kind ('added', 'moved')
{
	my $orders = sprintf $of_five, $kind;
	costs(1, "SELECT dp_count_distinct(person, 1) FROM $orders");
	costs(1, "SELECT dp_count_distinct(person, 1) FROM $orders AND x > 3");
	# other columns have five values, and in several groups one value is one of each
	costs(5, "SELECT dp_count_distinct(x, 1) FROM $orders");
	costs(5, "SELECT dp_count_distinct(person % 7 + x, 1) FROM $orders");
	costs(5, "SELECT dp_count(1) FROM $orders");
	# five and five for each coin; twice where rows leave groups and enter others
	costs($kind eq 'moved' ? 20 : 10,
		"SELECT k, dp_count_distinct(person, 1) FROM $orders GROUP BY k HAVING dp_keep_group(1, 1e-9)");
}

# --- one group, where rows are substituted: a row that leaves it enters no other ---

$s->value("CREATE TABLE shown AS TABLE moved; GRANT SELECT ON shown TO analyst; "
	  . "SELECT idp.protect('shown', 100000, delta => 0.1, rows => 'visible')");
foreach my $case (
	[ 1, 'WHERE k = 1 GROUP BY k' ], [ 1, 'WHERE 1 = k AND x > 3 GROUP BY k' ],
	[ 1, 'WHERE k = 1 AND x = 2 GROUP BY x, k' ], [ 1, 'WHERE k IN (1) GROUP BY k' ],
	[ 2, 'WHERE k IN (1, 2) GROUP BY k' ], [ 2, 'WHERE k = 1 GROUP BY k, x' ], [ 2, 'WHERE k = x GROUP BY k' ],
	[ 2, 'WHERE k = 1 OR x = 1 GROUP BY k' ], [ 2, 'WHERE k <= 0 GROUP BY k' ], [ 2, 'WHERE k + 0 = 1 GROUP BY k' ],
	[ 3, 'WHERE k = 1 GROUP BY GROUPING SETS ((k), ())' ], [ 3, 'WHERE k = 1 GROUP BY ROLLUP (k)' ])
{
	my ($times, $rest) = @$case;
	costs($times, "SELECT dp_count(1) FROM shown $rest");
}
costs(2, 'SELECT dp_count(1) FROM (SELECT k, x FROM shown WHERE k = 1 UNION ALL SELECT k, x FROM shown WHERE false) m '
	  . 'WHERE k > 0 GROUP BY x');
my ($one, $coin) = charged('SELECT k FROM shown WHERE k = 1 GROUP BY k HAVING dp_keep_group(1, 1e-6)');
is("$one $coin", '1 0.000001', 'one coin for one group');

# --- ranks between two numbers ---

my $ranked = '(SELECT *, row_number() OVER (PARTITION BY person ORDER BY id) AS r FROM orders_added) o';
costs(2, "SELECT dp_count(1) FROM $ranked WHERE r BETWEEN 9 AND 10");
costs(1, "SELECT dp_count(1) FROM $ranked WHERE r > 9 AND r < 11");
costs(10, "SELECT dp_count(1) FROM $ranked WHERE r <= 10");

done_testing();

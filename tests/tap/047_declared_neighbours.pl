# The neighbours that an account declares: noise for them and no more, and what follows for charges.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('declared', 'jit = off');
my $s = session($node);

# Groups of two rows; of x the counts 2 and 0 in each.
$s->value(<<'SQL');
CREATE TABLE moved (id int NOT NULL, k int NOT NULL, x int NOT NULL);
INSERT INTO moved SELECT i / 2, i % 3, 1 FROM generate_series(0, 9999) i;
CREATE TABLE added AS SELECT * FROM moved;
CREATE TABLE free AS SELECT * FROM moved;
CREATE TABLE both_kinds (id int NOT NULL, k int NOT NULL, x int NOT NULL) PARTITION BY LIST (k);
CREATE TABLE both_kinds_0 PARTITION OF both_kinds FOR VALUES IN (0, 1, 2);
INSERT INTO both_kinds SELECT * FROM moved;
CREATE TABLE parted (LIKE both_kinds) PARTITION BY LIST (k);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0, 1, 2);
INSERT INTO parted SELECT * FROM moved;
CREATE TABLE few_moved (x int NOT NULL);
INSERT INTO few_moved SELECT 1 FROM generate_series(1, 1000);
CREATE TABLE few_added AS SELECT * FROM few_moved;
SELECT idp.protect(name, 100000, rows => 'visible')
  FROM unnest(ARRAY['moved', 'few_moved', 'both_kinds_0']::regclass[]) name;
SELECT idp.protect(name, 100000, neighbours => 'add_remove', rows => 'visible')
  FROM unnest(ARRAY['added', 'few_added', 'both_kinds']::regclass[]) name;
SELECT idp.protect('parted', 100000, rows => 'visible', per => 'partition');
ANALYZE;
SQL

sub charged
{
	my ($sql) = @_;
	my $spent = sub { $s->value('SELECT sum(spent) FROM idp.budget') };
	my $before = $spent->();
	my $result = $s->run($sql);
	die "$sql: $result->{message}" if defined $result->{message};
	return $s->value('SELECT trim_scale(' . $spent->() . " - $before)");
}

sub costs
{
	my ($expected, $sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(charged($sql), $expected, "costs $expected: $sql");
	return;
}

# --- charges of groups ---

my $mode = 'dp_mode(x, 1, ARRAY[0, 1])';
costs($_->[0], "SELECT k, $_->[1] FROM moved GROUP BY k")
  foreach [ 1, 'dp_histogram(x, 1, 0, 10, 5)' ], [ 1, $mode ], [ 1, 'dp_sum(x, 1, -10, 10)' ],
  [ 2, 'dp_sum(x, 1, -10, 9)' ],
  [ 2, 'dp_sum(x, 1, 0, 10)' ], [ 2, 'dp_sum(x, 1)' ], [ 2, 'dp_count(1)' ], [ 2, 'dp_count_distinct(x, 1)' ],
  [ 2, 'dp_avg(x, 1, -10, 10)' ],
  [ 2, 'dp_variance(x, 1, -10, 10)' ], [ 2, 'dp_median(x, 1, -10, 10)' ], [ 2, 'idp_median(x, 1)' ],
  [ 2, 'idp_sum(x, 1, -10, 10)' ];
costs(1, "SELECT k, $_ FROM added GROUP BY k")
  foreach 'dp_histogram(x, 1, 0, 10, 5)', $mode, 'dp_sum(x, 1, -10, 10)', 'dp_count(1)';
costs(1, "SELECT $_ FROM moved") foreach 'dp_histogram(x, 1, 0, 10, 5)', $mode, 'dp_sum(x, 1, -10, 10)', 'dp_count(1)';
costs(2, 'SELECT k, dp_histogram(x, 1, 0, 10, 5) FROM moved GROUP BY ROLLUP (k)');
costs(4, 'SELECT k, id, dp_count(1) FROM moved GROUP BY GROUPING SETS (k, id)');
costs(1, 'SELECT k, dp_histogram(x, 1, 0, 10, 5) FROM parted_0 GROUP BY k');
costs(2, 'SELECT dp_count(1) FROM parted_0');
costs(2, 'SELECT k, dp_histogram(x, 1, 0, 10, 5) FROM both_kinds GROUP BY k');    # one for each account

# --- noise: the mean of |N| is 2 a/(1 - a^2), a = exp(-epsilon/Delta) ---

# Each bound is passed by 5000 draws, and at the end by 3000, in 1e-10 of the runs.

sub mean { return $s->value("SELECT avg(abs(n)) FROM ($_[0]) q") }

sub between
{
	my ($least, $most, $is, $what) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok($least < $is && $is < $most, "$what: $is is between $least and $most");
	return;
}

my $buckets = 'SELECT unnest(h[2:]) n FROM (SELECT dp_histogram(x, 1, 10, 1000, 5000) h FROM %s) q';    # all empty
between(0.75, 0.96, mean(sprintf($buckets, 'added')), 'one count moves by one');
between(1.7, 2.15, mean(sprintf($buckets, $_)), "two counts: $_") foreach 'moved', 'free', 'both_kinds';
my $sums = 'SELECT dp_sum(x, 1, -1000, 1000) - 2 n FROM %s GROUP BY id';
between(900, 1100, mean(sprintf($sums, 'added')), 'a value of 1000 comes or goes');
between(1800, 2200, mean(sprintf($sums, $_)), "a sum moves by 2000: $_") foreach 'moved', 'free', 'both_kinds';
my $clipped = 'SELECT dp_count_range(x, 1, 0, 10) - 2 n FROM %s GROUP BY id';
between(0.75, 0.96, mean(sprintf($clipped, $_)), "a count moves by one: $_") foreach 'added', 'moved';
# the mode of (0, 2) is missed by exp(-2)/2 = 0.068 or by exp(-1)/2 = 0.184
my $modes = "SELECT 1 - $mode n FROM %s GROUP BY id";
between(0.045, 0.092, mean(sprintf($modes, 'added')), 'the mode where one count moves');
between(0.15, 0.22, mean(sprintf($modes, $_)), "the mode where two counts move: $_")
  foreach 'moved', 'free', 'both_kinds';

# the plans of workers and of partitions draw for the same neighbours
foreach my $settings ('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0',
	'SET enable_hashagg = off', 'SET enable_partitionwise_aggregate = on')
{
	$s->value($settings);
	between(0.75, 0.96, mean(sprintf($buckets, 'added')), "one count: $settings");
	between(900, 1100, mean(sprintf($sums, 'added')), "one value: $settings");
	$s->value('RESET ALL');
}

# Synthetic rows of one column: 1000 rows have the value 1, none the other 999 values, and the noise gives each of these
# max(0, N) rows, a/(1 - a^2) in the mean: 425 of 1425 rows at rate 1, 959 of 1959 at rate 1/2. The mean of 16 shares
# strays by 0.004 (noise and the choice of rows together): 0.03 in 1e-12 of the runs.
sub share_of_noise
{
	my ($table) = @_;
	my $domain = 'SELECT json_build_object(\'x\', json_agg(v)) FROM generate_series(1, 1000) v';
	my $rows = "SELECT r->>'x' <> '1' other FROM idp.synthesize('$table', ($domain), 1, 3000) r";
	my $shares = 0;
	$shares += $s->value("SELECT avg(other::int) FROM ($rows) q") foreach 1 .. 16;
	return $shares / 16;
}
between(0.268, 0.328, share_of_noise('few_added'), 'synthetic rows of added rows');
between(0.46, 0.52, share_of_noise('few_moved'), 'synthetic rows of substituted rows');

# --- named releases keep what they were drawn for ---

$s->value('SELECT dp_histogram(x, 1, 10, 1000, 3000, \'mine\') FROM added');
$s->value('SELECT dp_histogram(x, 1, 10, 1000, 3000, \'yours\') FROM moved');
my $first = $s->value('SELECT dp_histogram(x, 1, 10, 1000, 3000, \'mine\') FROM added');
costs(0, "SELECT dp_histogram(x, 1, 10, 1000, 3000, 'mine') FROM added");
costs(1, "SELECT dp_histogram(x, 2, 10, 1000, 3000, 'mine') FROM added");
$s->value("SELECT idp.protect('added', 100000, neighbours => 'substitute'); "
	  . "SELECT idp.protect('moved', 100000, neighbours => 'add_remove')");
is($s->value('SELECT dp_histogram(x, 1, 10, 1000, 3000, \'mine\') FROM added'), $first, 'what was drawn stays');
# to a substituted row its noise, for rows that are added, says twice as much
costs(2, "SELECT dp_histogram(x, 3, 10, 1000, 3000, 'mine') FROM added");
costs(1, "SELECT dp_histogram(x, 2, 10, 1000, 3000, 'yours') FROM moved");
my $finer = 'SELECT unnest(h[2:]) n FROM (SELECT dp_histogram(x, %s, 10, 1000, 3000, \'%s\') h FROM %s) q';
between(0.06, 0.16, mean(sprintf($finer, 3, 'mine', 'added')), 'at epsilon 3 with a sensitivity of 1');
between(0.72, 0.99, mean(sprintf($finer, 2, 'yours', 'moved')), 'at epsilon 2 with a sensitivity of 2');
# new ones follow the new rule
between(1.7, 2.15, mean(sprintf($buckets, 'added')), 'two counts move in what is drawn now');
costs(1, "SELECT k, dp_histogram(x, 1, 10, 20, 5, 'groups ' || k) FROM added GROUP BY k");
costs(1, "SELECT k, dp_histogram(x, 2, 10, 20, 5, 'groups ' || k) FROM added GROUP BY k");
costs(2, "SELECT k, dp_count(1, 'counts ' || k) FROM added GROUP BY k");
costs(2, "SELECT k, dp_count(2, 'counts ' || k) FROM added GROUP BY k");

done_testing();

# Memory: a query that fails, for whatever reason and as often as it likes, leaves nothing behind;
# an interrupt is served while an answer is computed; a hundred thousand groups stay small.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use MemoryTest;
use Test::More;
use Time::HiRes qw(time);

# Small shared buffers keep them out of the measurements, and so does the compiler; every scan starts
# with the first row.
my $node = new_node('memory', 'shared_buffers = 16MB', 'jit = off', 'max_parallel_workers_per_gather = 0',
	'synchronize_seqscans = off');
my $s = session($node);
$s->value('CREATE TABLE m AS SELECT i AS x, (i + 500) / 1000 AS y '
	  . 'FROM generate_series(1, 1000000) i; VACUUM ANALYZE m');

fails_flat($s, 'division by zero on the last row', 'SELECT idp_median(x, 1), sum(1 / (x - 1000000)) FROM m', '22012',
	100);
fails_flat($s, 'division by zero after the answers',
	'SELECT idp_median(x, 1), idp_max(x::numeric, 1, 5000000), 1 / (count(*) - 1000000) FROM m', '22012', 20);
fails_flat($s, 'division by zero in many groups',
	'SELECT x % 5000, idp_median(x::float8, 1), sum(1 / (x - 1000000)) FROM m WHERE x > 500000 GROUP BY 1', '22012',
	20);
fails_flat($s, 'bad argument', 'SELECT idp_median(x, -1) FROM m', '22023', 300);
fails_flat($s, 'forged state', "SELECT '\\x" . '49445001' x 5000 . "'::idp_state", '22P02', 300);
fails_flat($s, 'evaluated for each row of an outer query, until one fails',
	'SELECT (SELECT idp_median(x / d, 1) FROM (SELECT x FROM m LIMIT 20000) l) FROM unnest(ARRAY[1, 1, 1, 0]) d',
	'22012', 100);

fails_flat($s, 'statement_timeout', 'SELECT idp_median(a.x, 1), idp_quantile(a.x::numeric, 1, 0.9) FROM m a, m b',
	'57014', 100, '15ms');
$s->run('SELECT idp_median(x, 1) FROM m');
cancelled_flat($node, $s, 'pg_cancel_backend', 'SELECT idp_median(a.x, 1), dp_count(1) FROM m a, m b', 100);

# --- Interrupts while the answer is computed -----------------------------------------------------

my $large = 'SELECT idp_median(y, 1), idp_quantile(x::numeric, 1, 0.5) IS NOT NULL FROM m, generate_series(1, 5)';
# The least time of three: the machine may be busy, and some of what comes next has to take longer than the limits.
my ($started, $duration) = (time, 9**9);
foreach (1 .. 3)
{
	$started = time;
	is($s->value($large), '500|t', 'the median of 5 M rows');
	$duration = time - $started if time - $started < $duration;
}
my ($late, $stopped) = (0, 0);
foreach my $step (1 .. 8)
{
	my $limit = int(1000 * $duration * (0.6 + 0.05 * $step)) + 1;
	$started = time;
	my $r = $s->run_within($limit, $large);
	my $elapsed = time - $started;
	$stopped++ if ($r->{sqlstate} // '') eq '57014';
	$late++ if $elapsed > $limit / 1000 + 5;
	ok(($r->{sqlstate} // '57014') eq '57014', sprintf 'timeout at %d ms: stopped or answered after %d ms', $limit,
		1000 * $elapsed);
}
cmp_ok($stopped, '>', 0, 'some were stopped');
is($late, 0, 'none was stopped late');
$s->alive('timeouts at all stages');
is($s->value('SELECT idp_median(y, 1), idp_kth_largest(y, 1, 3), idp_min(y, 1, 0) FROM m'), '500|1000|0',
	'right answers afterwards');

# Final functions only: forty of them work on one state of 5 M values, one after another, and the
# server itself looks for interrupts only after the last. (Read-only final functions may share a
# state, so this takes aggregates of our own.) A query stopped in time ends long before its finals
# would have; the machine may be busy, so the best of three counts. All in memory: of values in files
# only the first final function has something to do.
$s->value("SET work_mem = '1GB'");
$s->value("CREATE AGGREGATE median$_(int, float8) (sfunc = idp.idp_median_accum, stype = idp_state, "
	  . "initcond = 'empty', finalfunc = idp.int4_final, finalfunc_modify = read_only)") foreach 1 .. 40;
sub finals { return 'SELECT ' . join(', ', map { "median$_(x, 1)" } 1 .. $_[0]) . ' FROM m, generate_series(1, 5)' }
sub seconds { my ($sql, $limit) = @_; my $from = time; $s->run_within($limit // 0, $sql); return time - $from }
seconds(finals(1));
my $transition = seconds(finals(1));
my $all = seconds(finals(40));
my $best = 1;    # where in the final phase it ended, as a fraction
foreach my $attempt (1 .. 3)
{
	my $limit = int(1000 * ($transition + 0.2 * ($all - $transition))) + 1;
	my $elapsed = seconds(finals(40), $limit);
	my $where = ($elapsed - $transition) / ($all - $transition);
	$best = $where if $where < $best;
	last if $best < 0.6;
}
note sprintf 'transition %.2f s, with forty finals %.2f s', $transition, $all;
cmp_ok($best, '<', 0.6, 'statement_timeout is served within final functions');
$s->value('RESET work_mem');
$s->alive('timeout within final functions');

# Memory of answers that come. The first ones show how much the allocator keeps for itself.
my $answers = 'SELECT idp_median(x, 1), idp_median(x::numeric, 1) FROM m';
$s->value($answers) foreach 1 .. 5;
my $warm = memory($s);
$s->value($answers) foreach 1 .. 20;
flat($s, $warm, 'twenty answers');

# The window of a smooth sensitivity, 2^18 values, is packed: as numbers of GMP it left 32 MB behind.
my $smooth = session($node);
$smooth->value($answers) foreach 1 .. 2;
$warm = memory($smooth);
$smooth->value('SELECT dp_median_smooth(x, 0.0003, 0, 1000000), dp_median_smooth(x::float8, 0.0003, 0, 1000000) FROM m')
  foreach 1 .. 3;
flat($smooth, $warm, 'wide windows of smooth sensitivity');
$smooth->quit;
$s->quit;

# --- Many groups ---------------------------------------------------------------------------------

my $g = session($node);
$g->value("SET work_mem = '1GB'; SET enable_sort = off");
$g->value('CREATE TABLE groups AS SELECT i % 100000 AS g FROM generate_series(0, 999999) i; ANALYZE groups');
$g->quit;
$g = session($node);
$g->value("SET work_mem = '1GB'; SET enable_sort = off");
$g->value('SELECT count(*), sum(g) FROM groups');
$g->value('SELECT idp_median(g, 1) FROM groups');
my $peak_before = process_kb($g, 'VmHWM');
my $query = 'SELECT g, idp_median(g, 1) AS m FROM groups GROUP BY g';
like($g->value("EXPLAIN $query"), qr/^HashAggregate/, '100 000 groups are hashed');
is($g->value("SELECT count(*), sum((m = g)::int) FROM ($query) s"), '100000|100000',
	'100 000 groups of 10: right answers');
SKIP:
{
	skip 'no /proc', 1 unless defined $peak_before;
	my $growth = process_kb($g, 'VmHWM') - $peak_before;
	cmp_ok($growth, '<', 120 * 1024, 'and little memory, kB');
	note "$growth kB";
}
my $counts = 'SELECT g, dp_count(1000) AS n, idp_count_range(g, 1000, 0, 5) AS few FROM groups GROUP BY g';
is($g->value("SELECT count(*), sum((n = 10)::int), sum(few) FROM ($counts) s"), '100000|100000|60',
	'counts of 100 000 groups');
$g->alive('100 000 groups');

# Of an aggregate that does not say how large its groups get the server learns it only as they grow:
# those that had waited begin when the values put aside fill their share, and the rest of the rows to
# them comes then. Limit: 86 MB, of which the server itself may exceed some.
$g->value("CREATE AGGREGATE unsized (int, float8) (sfunc = idp.idp_median_accum, stype = idp_state, "
	  . "initcond = 'empty', finalfunc = idp.int4_final)");
$g->value("SET work_mem = '43MB'; SET hash_mem_multiplier = 2; SET max_parallel_workers_per_gather = 0");
like($g->value('EXPLAIN (ANALYZE, COSTS off, TIMING off) SELECT i % 450000, unsized(i, 1e9) '
	  . 'FROM generate_series(0, 5399999) i GROUP BY 1'),
	qr/HashAggregate.*Memory Usage: (?:[0-9]{1,5}|1[0-4][0-9]{4})kB/s, 'groups of unknown size: less than 150 MB');
$g->quit;
$node->stop;
done_testing();

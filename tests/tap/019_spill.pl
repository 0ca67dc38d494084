# States that outgrow work_mem: the same answers whether values lie in memory or in files, of one
# process or of several; and no file, no memory and no session lost, however a query ends.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use File::Find;
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use MemoryTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = new_node('spill', 'shared_buffers = 64MB', 'jit = off', 'log_temp_files = 0', 'restart_after_crash = on',
	'max_worker_processes = 16', 'max_parallel_workers = 16', 'fsync = off');
my $s = session($node);
my $watcher = session($node);

# Every column is a permutation of multiples of a unit, or few values, or has NULLs and NaNs. Half of
# the rows are of each group, so that a third of a group is worth a file of its own.
my $rows = 60000;
$s->value(<<SQL);
CREATE TABLE v (i int, g int, x int, few int, half int, small smallint, big bigint, r real, d double precision,
  n numeric(12,2), w numeric, dt date, ts timestamp, tz timestamptz) PARTITION BY LIST (g);
CREATE TABLE v0 PARTITION OF v FOR VALUES IN (0);
CREATE TABLE v1 PARTITION OF v FOR VALUES IN (1);
INSERT INTO v SELECT i, i % 2, x, x % 7, CASE WHEN x % 3 > 0 THEN x END, x - 30000, x::bigint << 40,
    CASE x % 100 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE x / 8.0 END,
    CASE x % 100 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE x / 8.0 END,
    x / 4.0, x * 1e17 + 0.125, date '2000-01-01' + x, timestamp '2000-01-01' + x * interval '1 minute',
    timestamptz '2000-01-01 UTC' + x * interval '1 second'
  FROM (SELECT i, (i::bigint * 7919 % $rows)::int AS x FROM generate_series(0, $rows - 1) i) p;
ALTER TABLE v0 SET (parallel_workers = 3); ALTER TABLE v1 SET (parallel_workers = 3);
CREATE TABLE m AS SELECT i, g, x FROM v;
ALTER TABLE m SET (parallel_workers = 2);
VACUUM ANALYZE v, m;
SQL

my %bounds = (
	x => [ 0, $rows - 1 ], few => [ 0, 6 ], half => [ 0, $rows ], small => [ -30000, 30000 ],
	big => [ 0, "$rows\::bigint << 40" ], r => [ "'-Infinity'", "'Infinity'" ], d => [ "'-Infinity'", "'Infinity'" ],
	n => [ 0, $rows ], w => [ 0, "$rows * 1e17" ], dt => [ "'2000-01-01'", "'2200-01-01'" ],
	ts => [ "'2000-01-01'", "'2001-01-01'" ], tz => [ "'1999-12-31'", "'2001-01-01'" ],);
my @columns = sort keys %bounds;

# Each aggregate, at an epsilon that leaves no noise, with how to compute it by hand from the array a
# of all values in order and its length c.
my $e = '1e300';
sub rank { my ($fraction) = @_; return "a[greatest(ceil($fraction * c)::int, 1)]" }
my @calls = (
	[ "idp_median(%s, $e)", rank(0.5) ], [ "idp_quantile(%s, $e, 0.1)", rank(0.1) ],
	[ "idp_quantile(%s, $e, 0.875)", rank(0.875) ], [ "idp_median(%s, ARRAY[$e, $e])", rank(0.5) ],
	[ "idp_min(%s, $e, %s)", 'a[1]' ], [ "idp_max(%s, $e, %3\$s)", 'a[c]' ], [ "idp_kth_smallest(%s, $e, 3)", 'a[3]' ],
	[ "idp_kth_largest(%s, $e, 3)", 'a[c - 2]' ], [ "idp_kth_largest(%s, $e, 100)", 'a[c - 99]' ],
	[ "dp_median(%s, $e, %s, %s)", rank(0.5) ], [ "dp_quantile(%s, $e, %s, %s, 0.75)", rank(0.75) ],
	[ "dp_min(%s, $e, %s, %s)", 'a[1]' ], [ "dp_max(%s, $e, %s, %s)", 'a[c]' ],
	[ "dp_median_smooth(%s, $e, %s, %s)", rank(0.5) ], [ "dp_quantile_smooth(%s, $e, %s, %s, 0.25)", rank(0.25) ],
	[ "dp_max_smooth(%s, $e, %s, %s)", 'a[c]' ], [ "dp_median_global(%s, $e, %s, %s)", rank(0.5) ],
	[ "dp_max_global(%s, $e, %s, %s)", 'a[c]' ],);

# The call of an aggregate; where bounds are infinite only those that take none.
sub calls_of
{
	my ($column) = @_;
	my @fit = $bounds{$column}[0] =~ /Inf/ ? grep { $_->[0] !~ /%.*%/ && $_->[0] !~ /%3/ } @calls : @calls;
	no warnings 'redundant';
	return ([ map { sprintf $_->[0], $column, @{ $bounds{$column} } } @fit ], [ map { $_->[1] } @fit ]);
}
sub private { my ($column) = @_; return join ', ', @{ (calls_of($column))[0] } }

# What a query gives, by hand.
sub by_hand
{
	my ($column, $key) = @_;
	my $answers = join ', ', @{ (calls_of($column))[1] };
	my $not_nan = $column =~ /^[rd]$/ ? "AND $column <> 'NaN'" : '';
	return "SELECT g, $answers FROM (SELECT $key AS g, array_agg($column ORDER BY $column) AS a, count(*)::int AS c "
	  . "FROM v WHERE $column IS NOT NULL $not_nan GROUP BY 1) s";
}
$s->value('SET extra_float_digits = 1');
my %of_groups = map { $_ => $s->value(by_hand($_, 'g') . ' ORDER BY g') } @columns;
my %of_all = map { $_ => $s->value(by_hand($_, 'NULL::int')) } @columns;

# --- One answer, wherever the values are ---------------------------------------------------------

my $tight = "SET work_mem = '64kB';";
my $wide = "SET work_mem = '256MB';";
my $serial = 'SET max_parallel_workers_per_gather = 0;';
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
  . 'SET max_parallel_workers_per_gather = 3;';

sub plan_of { my ($query) = @_; return $s->value("EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) $query") }
my $spilled = qr/temp read=\d+ written=[1-9]|temp written=[1-9]/;

foreach my $plan (
	[ 'in memory', "$serial $wide", qr/^(?!.*temp ).*HashAggregate/s ],
	[ 'in memory, sorted', "$serial $wide SET enable_hashagg = off;", qr/^(?!.*temp ).*GroupAggregate/s ],
	[ 'spilled', "$serial $tight", qr/HashAggregate.*$spilled/s ],
	[ 'spilled, sorted', "$serial $tight SET enable_hashagg = off;", qr/GroupAggregate.*$spilled/s ],
	[ 'spilled, partition by partition', "$serial $tight SET enable_partitionwise_aggregate = on;",
		qr/Append.*Aggregate.*Aggregate.*$spilled/s ],
	[ 'parallel', "$parallel $tight", qr/Finalize.*Workers Launched: [1-9].*Partial.*$spilled/s ],
	[ 'parallel, much memory', "$parallel $wide", qr/Finalize.*Workers Launched: [1-9].*Partial/s ],
	[ 'parallel, sorted', "$parallel $tight SET enable_hashagg = off;",
		qr/Finalize GroupAggregate.*Partial GroupAggregate.*$spilled/s ],
	[ 'parallel, the leader waits', "$parallel $tight SET parallel_leader_participation = off;",
		qr/Finalize.*Workers Launched: [1-9].*Partial.*$spilled/s ],
	[ 'parallel, partition by partition', "$parallel $tight SET enable_partitionwise_aggregate = on;",
		qr/Append.*$spilled/s ],)
{
	my ($name, $settings, $shape) = @$plan;
	$s->value("RESET ALL; SET extra_float_digits = 1; $settings");
	my $explained = plan_of("SELECT g, idp_median(x, $e), idp_median(w, $e) FROM v GROUP BY g");
	like($explained, $shape, "$name: the plan is the one meant, and spills if it should");
	my (@wrong, @wrong_all);
	foreach my $column (@columns)
	{
		my $private = private($column);
		push @wrong, $column if $s->value("SELECT g, $private FROM v GROUP BY g ORDER BY g") ne $of_groups{$column};
		push @wrong_all, $column if $s->value("SELECT NULL::int, $private FROM v") ne $of_all{$column};
	}
	is("@wrong", '', "$name: all types and aggregates, by group");
	is("@wrong_all", '', "$name: all types and aggregates, over all rows");
	is( $s->value("SELECT g, " . private('x')
		  . " FROM v GROUP BY GROUPING SETS ((g), (), (few), (g, few)) HAVING grouping(few) = 1 ORDER BY g"),
		"$of_groups{x}\n$of_all{x}", "$name: grouping sets");
	is( $s->value("SELECT idp_median(x, $e) FILTER (WHERE x < 10001), idp_median(x, $e ORDER BY x DESC), "
			  . "idp_median(DISTINCT x, $e), "
			  . "idp_median(x, $e) FILTER (WHERE x < 0), idp_median(x + 1, $e), idp_median(x + 1, $e) FROM v"),
		'5000|29999|29999||30000|30000', "$name: FILTER, ORDER BY, DISTINCT, one state for two calls");
}

# few values: their counts suffice, and nothing is written
$s->value("RESET ALL; $serial $tight");
unlike(plan_of("SELECT idp_median(few, $e) FROM v"), qr/temp/, 'of few values nothing is written');
unlike(plan_of("SELECT idp_min(x, 1, 0), dp_max_global(x, 1, 0, 100000), idp_kth_largest(x, 1, 9) FROM v"), qr/temp/,
	'of extremes neither');

# a hash table that does not fit, of states that do not
$s->value('CREATE TABLE many AS SELECT i % 4000 AS g, i % 4000 + (i / 4000) * 5000 AS x '
	  . 'FROM generate_series(0, 199999) i '
	  . 'UNION ALL SELECT -1, i FROM generate_series(1, 99999) i; ANALYZE many; SET enable_sort = off');
my $many = "SELECT g, idp_median(x, $e) AS m FROM many GROUP BY g";
like(plan_of($many), qr/HashAggregate.*Batches: ([2-9]|\d\d).*$spilled/s, 'a hash aggregate that spills');
is($s->value("SELECT count(*), sum((m = CASE g WHEN -1 THEN 50000 ELSE g + 24 * 5000 END)::int) FROM ($many) s"),
	'4001|4001', 'and its groups are right');
$s->value("RESET ALL; $parallel $tight SET enable_sort = off");
is($s->value("SELECT count(*), sum((m = CASE g WHEN -1 THEN 50000 ELSE g + 24 * 5000 END)::int) FROM ($many) s"),
	'4001|4001', 'in parallel too');

# --- It shows where the server shows temporary files ---------------------------------------------

sub temp_statistics
{
	$s->value('SELECT pg_stat_force_next_flush()') if $major >= 15;
	sleep($major >= 15 ? 0.05 : 3);    # up to 14 a process of its own gathers them, twice a second
	return split /\|/, $watcher->value("SELECT pg_stat_clear_snapshot(); SELECT temp_files, temp_bytes "
		  . "FROM pg_stat_database WHERE datname = 'postgres'") =~ s/^\n//r;
}
sub logged_since { my ($offset) = @_; return slurp_file($node->logfile, $offset) }

$s->value("RESET ALL; $serial $wide");
my ($files, $bytes) = temp_statistics();
my $offset = -s $node->logfile;
$s->value("SELECT idp_median(x, 1), idp_median(w, 1) FROM v");
is_deeply([ temp_statistics() ], [ $files, $bytes ], 'within work_mem: no temporary file in pg_stat_database');
unlike(logged_since($offset), qr/temporary file/, 'nor in the log');
$s->value($tight);
$s->value("SELECT idp_median(x, 1) FROM v");
my ($more_files, $more_bytes) = temp_statistics();
is($more_files - $files, 1, 'beyond: one file');
cmp_ok($more_bytes - $bytes, '>', 4 * $rows, 'of most of the values');
like(logged_since($offset), qr/temporary file: path "base\/pgsql_tmp\/pgsql_tmp$s->{pid}\.\d+", size \d{6}/,
	'in the log');
$offset = -s $node->logfile;
$s->value("$parallel SET parallel_leader_participation = off");
$s->value("SELECT idp_median(x, 1) FROM v");
like(logged_since($offset),
	qr/temporary file: path "base\/pgsql_tmp\/pgsql_tmp$s->{pid}\.\d+\.(shared)?fileset\/idp\.\S+", size \d{5,}/,
	'in a parallel plan: files that travel, in the log');

# a plan node that runs again and again takes the room of one run
$s->value("RESET ALL; $serial $tight");
($files, $bytes) = temp_statistics();
my $again = "SELECT string_agg((SELECT idp_median(x + o * 0, $e) FROM m)::text, ' ') FROM generate_series(1, 10) o";
is($s->value($again), join(' ', ($rows / 2 - 1) x 10), 'executed ten times');
($more_files, $more_bytes) = temp_statistics();
is($more_files - $files, 1, 'ten executions: one file');
cmp_ok($more_bytes - $bytes, '<', 2 * 8 * $rows, 'with room for one');

# --- States that leave the query -----------------------------------------------------------------

$s->value(<<'SQL');
CREATE AGGREGATE collect(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty',
  COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE collect(numeric, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty',
  COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE collect_alone(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state,
  INITCOND = 'empty', PARALLEL = SAFE);
CREATE AGGREGATE merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.int4_final);
CREATE AGGREGATE merge_wide(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty',
  COMBINEFUNC = idp.combine, FINALFUNC = idp.numeric_final, PARALLEL = SAFE);
CREATE AGGREGATE merge_first(idp_state) (SFUNC = idp.combine, STYPE = idp_state, COMBINEFUNC = idp.combine,
  FINALFUNC = idp.int4_final, PARALLEL = SAFE);
CREATE AGGREGATE gather(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty',
  COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE gather_first(idp_state) (SFUNC = idp.combine, STYPE = idp_state,
  COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE FUNCTION larger(idp_state, idp_state) RETURNS idp_state LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  'SELECT CASE WHEN length($1::text) > length($2::text) THEN $1 ELSE $2 END';
CREATE AGGREGATE collect_oddly(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty',
  COMBINEFUNC = larger, PARALLEL = SAFE);
SQL
my $middle = $rows / 2 - 1;
my $middle_wide = $s->value("SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY w) FROM v");
my $binary = abs_path($node->basedir) . '/states';
foreach my $plan ([ 'serial', "$serial $tight" ], [ 'parallel', "$parallel $tight" ],
	[ 'parallel, the leader waits', "$parallel $tight SET parallel_leader_participation = off;" ])
{
	my ($name, $settings) = @$plan;
	$s->value("RESET ALL; $settings");
	$s->value("CREATE TABLE states AS SELECT g, collect(x, $e) AS s, collect(w, $e) AS ws FROM v GROUP BY g; "
		  . "ALTER TABLE states SET (parallel_workers = 2)");
	is($s->value('SELECT merge(s), merge_wide(ws) FROM states'), "$middle|$middle_wide", "$name: merged from a table");
	is($s->value('SELECT merge(s::text::idp_state), merge_wide(ws::text::idp_state) FROM states'),
		"$middle|$middle_wide", "$name: through text");
	$s->value("COPY states TO '$binary' (FORMAT binary); TRUNCATE states; "
		  . "COPY states FROM '$binary' (FORMAT binary); ANALYZE states");
	is($s->value('SELECT merge(s), merge_wide(ws) FROM states'), "$middle|$middle_wide", "$name: through binary COPY");
	is($s->value("SELECT merge(s) FROM (SELECT g, collect(x, $e) AS s FROM v GROUP BY g OFFSET 0) p"), $middle,
		"$name: merged at once");
	is($s->value("SELECT merge(s) FROM (SELECT collect_alone(x, $e) AS s FROM v0 "
		  . "UNION ALL SELECT collect(x, $e) FROM v1) p"), $middle, "$name: with and without combine function");
	is($s->value('SELECT merge_first(s) FROM states'), $middle, "$name: without an initial state");
	$s->value('CREATE TABLE gathered AS SELECT gather(s) AS a, gather_first(s) AS b, '
		  . 'gather_first(ws) AS c FROM states');
	is($s->value('SELECT merge_first(a), merge_first(b), merge(a), merge(b), merge_wide(c) FROM gathered'),
		"$middle|$middle|$middle|$middle|$middle_wide", "$name: states of states in a table");
	$s->value("CREATE TABLE odd AS SELECT collect_oddly(x, $e) AS s FROM v");
	like($s->value('SELECT merge(s) FROM odd'), qr/^\d+$/, "$name: a combine function that is not ours");
	$s->value('DROP TABLE states, gathered, odd');
}

# --- Cursors, prepared statements, functions -----------------------------------------------------

my $place = abs_path($node->basedir) . '/elsewhere';
mkdir $place or die;

# Temporary files there are; waits for processes on their way out.
sub files_left
{
	my @found;
	foreach my $attempt (1 .. 50)
	{
		@found = ();
		find({ wanted => sub {
			push @found, $File::Find::name if -e && $File::Find::name =~ /pgsql_tmp\//
		}, follow_skip => 2, no_chdir => 1 },
			grep { -d } $node->data_dir . '/base/pgsql_tmp', $place);
		last unless @found;
		sleep 0.1;
	}
	return join ' ', @found;
}

# What a query of several result lines printed, without the empty ones.
sub lines { my ($sql) = @_; return join ' ', grep { $_ ne '' } split /\n/, $s->value($sql) }

$s->value("RESET ALL; $parallel $tight");
my $third = $s->value('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM m WHERE x % 3 = 0');
my ($a, $b) = map {
	"DECLARE $_->[0] CURSOR $_->[2] FOR SELECT idp_median(x, $e) FROM m, generate_series(1, 2) k WHERE $_->[1]"
} [ 'a', 'true', '' ], [ 'b', 'x % 3 = 0', '' ];
foreach my $order ([ 'a', 'b' ], [ 'b', 'a' ])
{
	my ($first, $last) = @$order;
	is(lines("BEGIN; $a; $b; FETCH $first; FETCH $last; CLOSE a; CLOSE b; COMMIT"),
		$first eq 'a' ? "$middle $third" : "$third $middle", "two cursors: $first first");
	is(lines("BEGIN; $a; FETCH a; $b; CLOSE $first; "
		  . ($first eq 'a' ? 'FETCH b' : 'FETCH FIRST FROM a' =~ s/FIRST FROM //r) . '; COMMIT'),
		$first eq 'a' ? "$middle $third" : $middle, "two cursors: $first closed first");
}
is(lines("BEGIN; DECLARE h CURSOR WITH HOLD FOR SELECT g, idp_median(x, $e) FROM m GROUP BY g ORDER BY g; COMMIT; "
	  . "FETCH 1 FROM h; FETCH 1 FROM h; CLOSE h"),
	join(' ', split /\n/,
		$s->value('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM m GROUP BY g ORDER BY g')),
	'WITH HOLD');
is(lines("BEGIN; $a; SAVEPOINT p; FETCH a; ROLLBACK TO p; CLOSE a; $b; SAVEPOINT q; $a; FETCH a; "
	  . "ROLLBACK TO q; FETCH b; COMMIT"),
	"$middle $middle $third", 'fetched in a subtransaction that rolls back');
is($s->value("SELECT idp_median(x, $e) FROM m GROUP BY g ORDER BY g LIMIT 1"), (split /\|/, (split /\n/,
	$s->value('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM m GROUP BY g ORDER BY g'))[0])[1],
	'LIMIT');
is($s->value("SELECT idp_median(x, $e) FROM m LIMIT 0"), '', 'LIMIT 0');
foreach my $mode ('force_custom_plan', 'force_generic_plan')
{
	$s->value("SET plan_cache_mode = $mode; PREPARE p(float8, int) AS SELECT idp_median(x, \$1) FROM m "
		  . "WHERE x % \$2 = 0");
	is($s->value('EXECUTE p(1e300, 1)') . ' ' . $s->value('EXECUTE p(1e300, 3)'), "$middle $third", "$mode, round $_")
	  foreach 1 .. 6;
	$s->value('DEALLOCATE p');
}

$s->value(<<SQL);
CREATE FUNCTION median_of(modulus int) RETURNS int
  LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT idp_median(x, $e) FROM m WHERE x % modulus = 0';
CREATE FUNCTION median_in_leader(modulus int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS
  'DECLARE r int; BEGIN SELECT idp_median(x, $e) INTO r FROM m WHERE x % modulus = 0; RETURN r; END';
CREATE FUNCTION medians() RETURNS SETOF int
  LANGUAGE sql STABLE AS 'SELECT idp_median(x, $e) FROM m GROUP BY x % 3 ORDER BY x % 3';
CREATE FUNCTION median_of_partitions(int) RETURNS int
  LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_partitionwise_aggregate = on AS
  'DECLARE r int; BEGIN SELECT idp_median(x, $e) INTO r FROM v WHERE i % 1 = 0; RETURN r + \$1 * 0; END';
CREATE FUNCTION loops() RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
  r record;
  answer int;
  failed int := 0;
  answers text := '';
BEGIN
  FOR r IN SELECT g, idp_median(x, $e) AS median FROM m GROUP BY g ORDER BY g LOOP
    FOR k IN 1 .. 3 LOOP
      BEGIN
        SELECT idp_median(x / (CASE WHEN k = 2 AND i = 59999 THEN 0 ELSE 1 END), $e) INTO answer FROM m;
        answers := answers || ' ' || answer;
      EXCEPTION WHEN division_by_zero THEN
        failed := failed + 1;
      END;
    END LOOP;
    answers := answers || ' ' || (SELECT idp_median(x, $e) - r.median FROM m WHERE g = r.g);
  END LOOP;
  RETURN failed || answers;
END
\$\$;
CREATE PROCEDURE committing() LANGUAGE plpgsql AS \$\$
DECLARE
  r record;
BEGIN
  FOR r IN SELECT x % 3 AS k, idp_median(x, $e) AS median FROM m GROUP BY 1 ORDER BY 1 LOOP
    INSERT INTO seen SELECT r.median, idp_median(x, $e) FROM m WHERE x % 3 = r.k;
    IF r.k = 1 THEN ROLLBACK; ELSE COMMIT; END IF;
  END LOOP;
END
\$\$;
CREATE TABLE seen (a int, b int);
SQL
$offset = -s $node->logfile;
is($s->value("SELECT idp_median(x, $e), median_of(3), median_of(1), median_in_leader(3) FROM m"),
	"$middle|$third|$middle|$third", 'functions beside an aggregate');
is($s->value("SELECT idp_median(x + median_in_leader(3) * 0, $e) FROM m WHERE i < 20"),
	$s->value('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM m WHERE i < 20'), 'within one');
is($s->value("SELECT count(DISTINCT f) FROM (SELECT median_of_partitions(i) AS f FROM m "
	  . "WHERE i < 8 AND median_of(3) = $third) s"), 1, 'within workers');
my $other = session($node);    # whose leader never cleans up for queries of its own
$other->value("$parallel $tight SET parallel_leader_participation = off");
is($other->value("SELECT count(*) FROM m WHERE i < 8 AND median_of_partitions(i) = $middle"), 8,
	'within workers only, of a query that is not private itself');
is($other->value("SELECT count(*) FROM m WHERE i < 8 AND median_of(3) = $third"), 8, 'the same in SQL');
is(files_left(), '', 'and no file left');
$other->quit;
is(lines('SELECT medians() FROM generate_series(1, 2)'),
	join(' ', ($s->value('SELECT string_agg(p::text, $$ $$ ORDER BY k) FROM (SELECT x % 3 AS k, percentile_disc(0.5) '
		  . 'WITHIN GROUP (ORDER BY x) AS p FROM m GROUP BY 1) s')) x 2), 'a function that returns a set');
is($s->value('SELECT loops()'), "2 $middle $middle 0 $middle $middle 0", 'loops and exceptions');
$s->value('CALL committing()');
is($s->value('SELECT count(*), sum((a = b)::int) FROM seen'), '2|2', 'a loop that commits and rolls back');
is($s->value("SELECT count(*) FROM generate_series(1, 5) o, LATERAL (SELECT idp_median(x + o * 0, $e) AS r FROM m) l "
	  . "WHERE r = $middle"), 5, 'LATERAL');
is($s->value("SELECT count(*) FROM generate_series(0, 1) o WHERE (SELECT idp_median(x, $e) FROM m "
	  . "WHERE g = o) = (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM m WHERE g = o)"), 2, 'correlated');
$s->value('SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off');
my $rescanned = "SELECT count(*), sum((r = $middle)::int) FROM generate_series(1, 3) o "
  . "LEFT JOIN (SELECT idp_median(x, $e) AS r FROM m OFFSET 0) l ON l.r > o";
like(plan_of($rescanned), qr/Nested Loop.*Gather \(actual rows=[\d.]+ loops=3\)/s,
	'a nested loop starts a parallel plan three times');
is($s->value($rescanned), '3|3', 'rescanned');

# the recheck of a row that was updated meanwhile
$s->value("RESET ALL; $serial $tight CREATE TABLE u AS SELECT 1 AS id, 0 AS v");
$watcher->value('BEGIN; UPDATE u SET v = 1');
$s->start("UPDATE u SET v = v + 1 WHERE id < (SELECT idp_median(x + id * 0, $e) FROM m)");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"),
	'an update waits for another');
$watcher->value('COMMIT');
$s->finish;
is($s->value('SELECT v FROM u'), '2', 'and rechecks its row with a spilled aggregate');
unlike(logged_since($offset), qr/WARNING|leak/, 'no warnings');

# --- Elsewhere -----------------------------------------------------------------------------------

$s->value("CREATE TABLESPACE elsewhere LOCATION '$place'");
foreach my $settings ("$serial $tight", "$parallel $tight", "$parallel $tight SET parallel_leader_participation = off;")
{
	$s->value("RESET ALL; $settings SET temp_tablespaces = elsewhere");
	$offset = -s $node->logfile;
	is($s->value("SELECT idp_median(x, $e) FROM m"), $middle, 'temp_tablespaces: the answer');
	like(logged_since($offset), qr/temporary file: path "pg_tblspc\/\d+\/\S+\/pgsql_tmp\/pgsql_tmp$s->{pid}\./,
		'temp_tablespaces: used');
	unlike(logged_since($offset), qr/temporary file: path "base/, 'temp_tablespaces: and nothing else');
}
$s->value("RESET ALL; $parallel $tight CREATE FUNCTION median_elsewhere() RETURNS int "
	  . "LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET temp_tablespaces = elsewhere AS "
	  . "'DECLARE r int; BEGIN SELECT idp_median(x, $e) INTO r FROM m; RETURN r; END'");
is($s->value("SELECT idp_median(x, $e), median_elsewhere() FROM m"), "$middle|$middle",
	'another tablespace in a function');

# --- Queries that end early ----------------------------------------------------------------------

is(files_left(), '', 'no file left so far');

my $heavy = 'idp_median(x + k, 1), idp_median((x + k)::numeric, 1), dp_median(x * 20 + k, 1, 0, 2000000), '
  . 'dp_median_smooth(x, 0.01, 0, 100000)';
my $long = "SELECT $heavy FROM m, generate_series(1, 4) k";

# Runs the query fifty times; it must fail so. If there are limits, each run has that of its round, and
# some may succeed.
sub ends_early
{
	my ($name, $settings, $query, $sqlstate, $limits) = @_;
	my $rounds = 50;
	$s->value("RESET ALL; $settings");
	my (%seen, $warm);
	foreach my $round (1 .. $rounds)
	{
		my $outcome = $limits ? $s->run_within($limits->($round), $query) : $s->run($query);
		$seen{ $outcome->{sqlstate} // 'none' }++;
		$warm = process_kb($s, 'RssAnon') if $round == 10;
	}
	my $after = process_kb($s, 'RssAnon');
	my $none = delete $seen{none} // 0;
	note "$name: $none of $rounds succeeded";
	is(join(' ', keys %seen), $sqlstate, "$name: fails as it should");
	$limits ? cmp_ok($none, '<', $rounds, "$name: more than once") : is($none, 0, "$name: every time");
  SKIP:
	{
		skip 'no /proc', 1 unless defined $warm;
		cmp_ok($after - $warm, '<', 3 * 1024, "$name: the process does not grow, kB");
	}
	is(files_left(), '', "$name: no file left");
	$s->alive($name);
	is($s->value("RESET ALL; $settings SET temp_file_limit = -1; SELECT idp_median(x, $e) FROM m"), $middle,
		"$name: right answers afterwards");
	return;
}

$offset = -s $node->logfile;
my $limited = "SET temp_file_limit = '100kB';";
ends_early('temp_file_limit', "$serial $tight $limited", "SELECT $heavy FROM m, generate_series(1, 1) k", '53400');
ends_early('temp_file_limit, parallel', "$parallel $tight $limited",
	"SELECT idp_median(x, 1), idp_median(x::numeric, 1) FROM m", '53400');
like($s->run("SET temp_file_limit = '100kB'; SELECT idp_median(x, 1) FROM m")->{message},
	qr/^temporary file size exceeds "?temp_file_limit"? \(100kB\)/, 'the message is the server\'s');
ends_early('division by zero', "$serial $tight", 'SELECT idp_median(x, 1), sum(1 / (i - 59999)) FROM m', '22012');
ends_early('division by zero, parallel', "$parallel $tight", 'SELECT idp_median(x, 1), sum(1 / (i - 59999)) FROM m',
	'22012');

# At every stage, of which the last are the leader's alone.
foreach my $plan ([ 'serial', "$serial $tight" ], [ 'parallel', "$parallel $tight" ])
{
	my ($name, $settings) = @$plan;
	$s->value("RESET ALL; $settings");
	$s->value($long);
	my $started = time;
	$s->value($long);
	my $duration = 1000 * (time - $started);
	ends_early("statement_timeout, $name", $settings, $long, '57014',
		sub { 5 + int($duration * ($_[0] * 37 % 50) / 50) });
	my $latest = 0;
	foreach my $part (0.2, 0.5, 0.8, 0.9, 0.95)
	{
		my $limit = 5 + int($duration * $part);
		$started = time;
		my $outcome = $s->run_within($limit, $long);
		my $late = 1000 * (time - $started) - $limit;
		$latest = $late if defined $outcome->{sqlstate} && $late > $latest;
	}
	note sprintf '%s: the query takes %d ms; stopped %d ms late at most', $name, $duration, $latest;
	cmp_ok($latest, '<', 5000, "$name: timeouts are served at once, ms");
}

# one process is told to go
sub disturb
{
	my ($victims, $function) = @_;
	return $watcher->value("DO \$\$ BEGIN FOR i IN 1 .. 6000 LOOP PERFORM pg_stat_clear_snapshot(); "
		  . "IF (SELECT count($function(pid)) FROM (SELECT pid FROM pg_stat_activity "
		  . "WHERE $victims LIMIT 1) s) > 0 THEN RETURN; END IF; PERFORM pg_sleep(0.005); END LOOP; "
		  . "RAISE EXCEPTION 'nobody there'; END \$\$");
}
my $longer = "SELECT $heavy FROM m, generate_series(1, 400) k";
foreach my $case ([ 'pg_cancel_backend of the leader', 'pid = %d', 'pg_cancel_backend', '57014' ],
	[ 'pg_cancel_backend of a worker', 'leader_pid = %d', 'pg_cancel_backend', '57014' ],
	[ 'pg_terminate_backend of a worker', 'leader_pid = %d', 'pg_terminate_backend', '57P01' ])
{
	my ($name, $victims, $function, $sqlstate) = @$case;
	$s->value("RESET ALL; $parallel $tight");
	foreach my $round (1 .. 3)
	{
		$s->start($longer);
		sleep 0.1 * $round;
		disturb(sprintf("$victims AND state = 'active'", $s->{pid}), $function);
		my $started = time;
		my $outcome = $s->finish;
		my $took = time - $started;
		is($outcome->{sqlstate}, $sqlstate, "$name: an error");
		cmp_ok($took, '<', 10, sprintf '%s: after %d ms', $name, 1000 * $took);
		is(files_left(), '', "$name: no file left");
	}
	$s->alive($name);
	is($s->value("SELECT idp_median(x, $e) FROM m"), $middle, "$name: right answers afterwards");
}
foreach my $plan ([ 'serial', "$serial $tight" ], [ 'parallel', "$parallel $tight" ])
{
	my ($name, $settings) = @$plan;
	my $victim = session($node);
	$victim->value($settings);
	$victim->start($longer);
	sleep 0.3;
	disturb("pid = $victim->{pid} AND state = 'active'", 'pg_terminate_backend');
	my $started = time;
	$node->poll_query_until('postgres',
		"SELECT count(*) = 0 FROM pg_stat_activity WHERE $victim->{pid} IN (pid, leader_pid)");
	cmp_ok(time - $started, '<', 10, "pg_terminate_backend, $name: gone soon");
	is(files_left(), '', "pg_terminate_backend, $name: no file left");
	$victim->ended;
}
unlike(logged_since($offset), qr/WARNING|PANIC|leak|was terminated by signal/, 'no warnings');

# --- Memory --------------------------------------------------------------------------------------

my $idle = session($node);
$idle->value('SELECT count(*) FROM m');
my $idle_kb = process_kb($idle, 'VmHWM');
foreach my $settings ([ 'serial', $serial ], [ 'parallel', $parallel ])
{
	my $fresh = session($node);
	$fresh->value("$settings->[1] SET work_mem = '4MB'");
	is($fresh->value("SELECT idp_median(x * 50 + k, $e) FROM m, generate_series(1, 50) k"), $middle * 50 + 50,
		"$settings->[0]: the median of 3 M rows");
  SKIP:
	{
		skip 'no /proc', 1 unless defined $idle_kb;
		my $growth = process_kb($fresh, 'VmHWM') - $idle_kb;
		cmp_ok($growth, '<', 64 * 1024, "$settings->[0]: peak memory over an idle session's, kB");
		note "$settings->[0]: $growth kB";
	}
	$fresh->quit;
}
$idle->quit;

# Millions of values for each group: in slabs, from the fifth megabyte on, and from there to files when memory ends.
my $millions = 'FROM (SELECT i % 2 AS g, (i::bigint * 7919 % 3000017)::int AS x FROM generate_series(0, 3000016) i) s '
  . 'GROUP BY g ORDER BY g';
my $by_sorting = $s->value("RESET ALL; $serial $wide SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY x), "
	  . "percentile_disc(0.25) WITHIN GROUP (ORDER BY x), max(x) $millions");
foreach my $memory ('24MB', '40MB', '256MB')
{
	is($s->value("RESET ALL; $serial SET work_mem = '$memory'; "
		  . "SELECT g, idp_median(x, $e), idp_quantile(x, $e, 0.25), idp_max(x, $e, 4000000) $millions"),
		$by_sorting, "millions of values for each group, work_mem = $memory");
}

# --- A process that crashes ----------------------------------------------------------------------

$s->value("RESET ALL; $parallel $tight");
$s->start($longer);
$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE leader_pid = $s->{pid}");
my $worker = $watcher->value("SELECT pid FROM pg_stat_activity WHERE leader_pid = $s->{pid} LIMIT 1");
ok(kill_process($node, $worker), 'kill -9 of a worker: the server comes back');
$_->ended foreach $s, $watcher;
is(files_left(), '', 'without files');
$s = session($node);
is($s->value("$parallel $tight SELECT idp_median(x, $e) FROM m") =~ s/^\n+//r, $middle, 'and with right answers');
$s->quit;
$node->stop;
done_testing();

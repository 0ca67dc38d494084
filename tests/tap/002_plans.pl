# The same answer from every plan, refusals where there must be none, and no misuse of the parts of
# an aggregate that brings the server down.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('plans');
my $s = session($node);

# Values in runs of ten equal ones per group: every local sensitivity is 0, every answer exact.
$s->value(<<'SQL');
CREATE TABLE t AS SELECT i, i % 4 AS g, ((i / 4 + 5) / 10) AS x FROM generate_series(0, 4 * 1000 - 1) i;
ALTER TABLE t SET (parallel_workers = 2);
CREATE TABLE part (LIKE t) PARTITION BY LIST (g);
SELECT format('CREATE TABLE part%s PARTITION OF part FOR VALUES IN (%1$s)', g) FROM generate_series(0, 3) g \gexec
INSERT INTO part SELECT * FROM t;
CREATE TABLE nothing (LIKE t);
ANALYZE t; ANALYZE part;
SQL

# --- One answer, many plans ----------------------------------------------------------------------

my $calls = 'idp_median(x, 0.5), idp_quantile(x, 0.5, 0.3), idp_min(x, 0.5, 0), idp_max(x, 0.5, 100), '
  . 'idp_kth_smallest(x, 0.5, 3), idp_kth_largest(x, 0.5, 3), idp_count_range(x, 1000, 10, 19), '
  . 'dp_count_range(x, 1000, 10, 19), dp_count(1000), idp_median(x, ARRAY[0.5, 0.5]), idp_sum(x, 1e300, 0, 100), '
  . 'dp_sum(x, 1e300, 0, 100), trunc(idp_avg(x, ARRAY[1e300, 1e300], 0, 100), 3), '
  . 'trunc(dp_variance(x, 1e300, 0, 100), 3), '
  . 'dp_count_distinct(x, 1000), dp_count_distinct(x::text, 1000), dp_histogram(x, 1000, 0, 100, 2), '
  . 'dp_median_smooth(x, 1e300, 0, 100), dp_quantile_smooth(x, 1e300, 0, 100, 0.3, 2), '
  . 'dp_max_smooth(x, 1e300, 0, 100), '
  . 'dp_median_global(x, 1e300, 0, 100), dp_max_global(x, 1e300, 0, 100)';
my $same = '|50|30|100|50|100';
my $of_all = "50|30|0|100|0|100|400|400|4000|50|200000|200000|50.000|833.500|101|101|{1980,2020}$same";
my $of_group = "50|30|0|100|0|100|100|100|1000|50|50000|50000|50.000|833.500|101|101|{495,505}$same";
my $of_groups = join "\n", map { "$_|$of_group" } 0 .. 3;

my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
  . 'SET max_parallel_workers_per_gather = 2;';
my $serial = 'SET max_parallel_workers_per_gather = 0;';
my $jit = 'SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0; SET jit_optimize_above_cost = 0;';

# name, settings, source, what EXPLAIN of the grouped query must show
foreach my $plan (
	[ 'serial', $serial, 't', qr/^(?!.*Partial).*HashAggregate/s ],
	[ 'serial, sorted', "$serial SET enable_hashagg = off;", 't', qr/GroupAggregate.*Sort/s ],
	[ 'serial, compiled', "$serial $jit", 't', qr/HashAggregate/ ],
	[ 'parallel', $parallel, 't', qr/Finalize.*Workers Planned: 2.*Partial/s ],
	[ 'parallel, sorted', "$parallel SET enable_hashagg = off;", 't',
		qr/Finalize GroupAggregate.*Partial GroupAggregate/s ],
	[ 'parallel, the leader waits', "$parallel SET parallel_leader_participation = off;", 't', qr/Finalize.*Partial/s ],
	[ 'parallel, compiled', "$parallel $jit", 't', qr/Finalize.*Partial/s ],
	[ 'partition by partition', "$serial SET enable_partitionwise_aggregate = on;", 'part',
		qr/Append.*HashAggregate.*HashAggregate/s ],
	[ 'partition by partition, sorted', "$serial SET enable_partitionwise_aggregate = on; SET enable_hashagg = off;",
		'part', qr/GroupAggregate.*GroupAggregate/s ],
	[ 'partition by partition, parallel', "$parallel SET enable_partitionwise_aggregate = on;", 'part', qr/Append/s ],
	[ 'partitions, parallel append', "$parallel SET enable_partitionwise_aggregate = off;", 'part',
		qr/Finalize.*Parallel Append/s ],)
{
	my ($name, $settings, $table, $shape) = @$plan;
	$s->value("RESET ALL; $settings");
	my $grouped = "SELECT g, $calls FROM $table GROUP BY g";
	like($s->value("EXPLAIN $grouped"), $shape, "$name: the plan is the one meant");
	is($s->value("$grouped ORDER BY g"), $of_groups, "$name: grouped");
	is($s->value("SELECT $calls FROM $table"), $of_all, "$name: all rows");
	# partial aggregates of partitions, combined
	is($s->value("SELECT i % 2 * 0, $calls FROM $table GROUP BY 1"), "0|$of_all",
		"$name: one group over all partitions");
	is( $s->value("SELECT g, $calls FROM $table GROUP BY GROUPING SETS ((g), ()) ORDER BY g"),
		"$of_groups\n|$of_all", "$name: grouping sets");
	is( $s->value("SELECT g, $calls FROM $table GROUP BY ROLLUP (g) HAVING idp_median(x, 0.5) = 50 "
		  . "ORDER BY 1 DESC LIMIT 1"),
		"|$of_all", "$name: ROLLUP, HAVING, ORDER BY, LIMIT");
	is( $s->value("SELECT idp_median(DISTINCT x / 1000, 0.5), idp_median(x, 0.5) FILTER (WHERE x < 20), "
			  . "idp_median(x, 0.5 ORDER BY i DESC), "
			  . "dp_count_range(DISTINCT x, 1000, 10, 19), idp_median(x + 1, 0.5), "
			  . "idp_median(x, 0.5) FILTER (WHERE false) FROM $table"),
		'|10|50|10|51|', "$name: DISTINCT, FILTER, ORDER BY within the aggregate");
	is( $s->value("WITH a AS MATERIALIZED (SELECT g, idp_median(x, 0.5) AS m FROM $table GROUP BY g) "
		  . "SELECT sum(m), count(*) FROM a JOIN a b USING (g, m)"),
		'200|4', "$name: a CTE read twice");
	is( $s->value("SELECT o.g, (SELECT idp_median(x, 0.5) FROM $table i WHERE i.g = o.g) "
		  . "FROM generate_series(0, 3) o (g) ORDER BY 1"),
		join("\n", map { "$_|50" } 0 .. 3), "$name: a correlated subquery");
	is($s->value("SELECT idp_median(x, 0.5) IS NULL, idp_max(x, 0.5, 7) IS NULL, dp_count(1000), "
		  . "dp_count_range(x, 1000, 0, 9), idp_count_range(x, 1000, 0, 9) FROM $table WHERE i + 0 < 0"),
		't|t|0|0|0', "$name: no rows");
	is($s->value("SELECT count(*) FROM (SELECT g, idp_median(x, 0.5) FROM $table WHERE i + 0 < 0 GROUP BY g) s"), 0,
		"$name: no groups");
}
$s->value('RESET ALL');

# a hash aggregate that spills
$s->value('CREATE TABLE many AS SELECT i % 20000 AS g, (i % 20000) + (i / 20000) / 100 AS x '
	  . 'FROM generate_series(0, 99999) i; ANALYZE many;'
	  . "$serial SET work_mem = '64kB'; SET enable_sort = off; SET hash_mem_multiplier = 1");
my $many = 'SELECT g, idp_median(x, 0.1) AS m, dp_count(1000) AS n FROM many GROUP BY g';
like($s->value("EXPLAIN (ANALYZE, COSTS off, TIMING off) $many"), qr/HashAggregate.*Batches: ([2-9]|\d\d).*Disk Usage/s,
	'the hash aggregate spills');
is($s->value("SELECT count(*), sum((m = g)::int), sum((n = 5)::int) FROM ($many) s"), '20000|20000|20000',
	'spilled groups are right');
$s->value('RESET ALL');

# empty input in parallel plans and beyond: counts are noise around 0
$s->value($parallel);
like($s->value('EXPLAIN SELECT dp_count(0.5) FROM nothing'), qr/Finalize/, 'parallel plan over nothing');
my $noise = $s->value('SELECT dp_count(0.5) FROM nothing');
like($noise, qr/^-?\d+$/, 'a noisy count of nothing');
cmp_ok(abs $noise, '<', 200, 'its noise is of the size it should be');
is($s->value('SELECT idp_count_range(x, 0.5, 1, 2) BETWEEN -1 AND 1 FROM nothing'), 't', 'idp_count_range of nothing');
$s->value('RESET ALL');

# --- Prepared statements and cursors -------------------------------------------------------------

foreach my $mode ('auto', 'force_custom_plan', 'force_generic_plan')
{
	foreach my $settings ($serial, $parallel)
	{
		my $name = $mode . ($settings eq $parallel ? ', parallel' : '');
		$s->value("$settings SET plan_cache_mode = $mode;"
			  . 'PREPARE p(float8, float8, int, int) AS SELECT idp_median(x, $1), idp_quantile(x, $1, $2), '
			  . 'idp_min(x, $1, $3), '
			  . 'idp_max(x, $1, $4), idp_kth_largest(x, $1, $3 + 3), dp_count_range(x, $1 * 2000, $3 + 10, $4 - 81), '
			  . 'dp_count(2000 * $1), idp_median(x, 0.5) FILTER (WHERE x < $3) FROM t WHERE g >= $3;'
			  . 'PREPARE by_g(float8) AS SELECT g, idp_median(x, $1) FROM t GROUP BY g ORDER BY g;'
			  . 'PREPARE echo(float8) AS SELECT $1, idp_median(x, $1) FROM t GROUP BY $1');
		my @echoes;
		foreach my $round (1 .. 8)
		{
			is($s->value('EXECUTE p(0.5, 0.3, 0, 100)'), '50|30|0|100|100|400|4000|', "$name: EXECUTE, round $round");
			is($s->value('EXECUTE by_g(0.5)'), join("\n", map { "$_|50" } 0 .. 3),
				"$name: EXECUTE with groups, round $round");
			push @echoes, $s->run('EXECUTE echo(0.5)')->{out};
		}
		# a parameter that the statement groups by is still a parameter
		is_deeply(\@echoes, [ ('0.5|50') x 8 ], "$name: GROUP BY the parameter, eight rounds");
		$s->value('DEALLOCATE ALL; RESET ALL');
	}
}
$s->value('BEGIN; DECLARE c SCROLL CURSOR FOR SELECT g, idp_median(i, 0.001) FROM t GROUP BY g');
my $forward = $s->value('FETCH ALL FROM c');
is(scalar(split /\n/, $forward), 4, 'a cursor over four groups');
is($s->value('FETCH BACKWARD ALL FROM c'), join("\n", reverse split /\n/, $forward), 'FETCH BACKWARD: the same draws');
is($s->value('FETCH ALL FROM c'), $forward, 'and forward again');
is($s->value('FETCH ABSOLUTE 2 FROM c'), (split /\n/, $forward)[1], 'FETCH ABSOLUTE');
$s->value('COMMIT');
$s->value('BEGIN; DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT idp_median(i, 0.001) FROM t; COMMIT');
my $held = $s->value('FETCH c');
is($s->value('FETCH FIRST FROM c'), $held, 'a held cursor keeps its draw');
$s->value('CLOSE c');

# two identical calls are one draw, in SELECT and HAVING alike; different ones are not
is($s->value('SELECT count(*) FILTER (WHERE a = b) = 100 FROM (SELECT g, idp_median(x, 0.0001) AS a, '
	  . 'idp_median(x, 0.0001) AS b FROM generate_series(1, 100) g, generate_series(1, 9) x GROUP BY g) s'),
	't', 'two identical calls in one SELECT are one draw');
is($s->value('SELECT count(*) FILTER (WHERE a = b) < 50 FROM (SELECT g, idp_median(x, 0.0001) AS a, '
	  . 'idp_median(x + 0, 0.0001) AS b FROM generate_series(1, 100) g, generate_series(1, 9) x GROUP BY g) s'),
	't', 'two different calls are two draws');

# --- OVER ----------------------------------------------------------------------------------------

my @all_calls = ('idp_median(x, 1)', 'idp_quantile(x, 1, 0.5)', 'idp_min(x, 1, 0)', 'idp_max(x, 1, 100)',
	'idp_kth_smallest(x, 1, 2)', 'idp_kth_largest(x, 1, 2)', 'idp_count_range(x, 1, 0, 5)',
	'dp_count_range(x, 1, 0, 5)', 'dp_count(1)',
	(map { ("idp_$_(x, 1, 0, 5)", "dp_$_(x, 1, 0, 5)") } qw(sum avg variance stddev)),
	(map { "dp_$_(x, 1, 0, 5)" } qw(median min max)),
	'idp_median(x, ARRAY[1, 1])', 'idp_sum(x, ARRAY[1, 1], 0, 5)', 'dp_quantile(x, 1, 0, 5, 0.5)',
	'dp_count_distinct(x, 1)', 'dp_count_distinct(x::text, 1)', 'dp_histogram(x, 1, 0, 5, 2)',
	'dp_median_smooth(x, 1, 0, 5)', 'dp_median_smooth(x, 1, 0, 5, 2)', 'dp_quantile_smooth(x, 1, 0, 5, 0.5)',
	'dp_max_smooth(x, 1, 0, 5)', 'dp_median_global(x, 1, 0, 5)', 'dp_max_global(x, 1, 0, 5)');
foreach my $call (@all_calls)
{
	foreach my $window ('()', '(ORDER BY i)', '(PARTITION BY g ORDER BY x)',
		'(ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)',
		'(ORDER BY i ROWS BETWEEN 5 FOLLOWING AND 4 FOLLOWING)')
	{
		foreach my $table ('t', 'nothing')
		{
			my $r = $s->run("SELECT $call OVER $window FROM $table");
			like($r->{sqlstate} // 'no error', qr/^(42809|0A000|42P20)$/, "$call OVER $window of $table is refused");
		}
	}
}
$s->alive('after OVER');

# --- The parts of the aggregates, put together wrongly -------------------------------------------

foreach my $call ("idp.idp_median_accum('empty', 1, 1)", "idp.dp_count_accum('empty', 1)",
	"idp.dp_count_range_accum('empty', 1::numeric, 1, 1, 2)", "idp.combine('empty', 'empty')",
	"idp.count_final('empty')", "idp.int4_final('empty')", "idp.numeric_final('empty')",
	"idp.moments_int8_final('empty')", "idp.histogram_final('empty')", "idp.idp_sum_accum('empty', 1, 1, 0, 2)",
	"idp.idp_avg_accum('empty', 1, ARRAY[1, 1]::float8[], 0, 2)", "idp.dp_count_distinct_accum('empty', 'a'::text, 1)",
	"idp.dp_histogram_accum('empty', 1, 1, 0, 2, 2)", "idp.dp_median_smooth_accum('empty', 1, 1, 0, 2)",
	"idp.idp_min_accum('empty', now(), 1, now())")
{
	my $r = $s->run("SELECT $call");
	is_deeply([ @$r{qw(sqlstate message)} ], [ '0A000', 'function of idp_state called outside an aggregate' ],
		"direct call of $call");
	is($s->run("SELECT max(i) FROM t GROUP BY g HAVING ($call)::text = 'x'")->{sqlstate}, '0A000',
		"$call within a query with aggregates");
}

# A user's aggregate: name, arguments, definition; then a call, and what may come of it.
my @pairs = (
	[ 'final function of another type', 'int, float8', 'sfunc = idp.idp_median_accum, finalfunc = idp.int8_final',
		'(x, 1)', qr/^42804$/ ],
	[ 'final function of numeric for a double', 'float8, float8',
		'sfunc = idp.idp_median_accum, finalfunc = idp.numeric_final', '(x, 1)', qr/^42804$/ ],
	[ 'count finishes values', 'int, float8', 'sfunc = idp.idp_median_accum, finalfunc = idp.count_final', '(x, 1)',
		qr/^42804$/ ],
	[ 'order statistic finishes a count', 'float8', 'sfunc = idp.dp_count_accum, finalfunc = idp.int4_final', '(1)',
		qr/^42804$/ ],
	[ 'order statistic finishes a sum', 'int, float8, int, int',
		'sfunc = idp.idp_sum_accum, finalfunc = idp.int4_final', '(x, 1, 0, 9)', qr/^42804$/ ],
	[ 'count finishes a sum', 'int, float8, int, int', 'sfunc = idp.dp_sum_accum, finalfunc = idp.count_final',
		'(x, 1, 0, 9)', qr/^42804$/ ],
	[ 'sum of another type', 'int, float8, int, int',
		'sfunc = idp.idp_sum_accum, finalfunc = idp.moments_numeric_final', '(x, 1, 0, 9)', qr/^42804$/ ],
	[ 'average as a bigint', 'int, float8, int, int', 'sfunc = idp.idp_avg_accum, finalfunc = idp.moments_int8_final',
		'(x, 1, 0, 9)', qr/^42804$/ ],
	[ 'sum finishes values', 'int, float8', 'sfunc = idp.idp_median_accum, finalfunc = idp.moments_int8_final',
		'(x, 1)', qr/^42804$/ ],
	[ 'histogram finishes a sum', 'int, float8, int, int', 'sfunc = idp.dp_sum_accum, finalfunc = idp.histogram_final',
		'(x, 1, 0, 9)', qr/^42804$/ ],
	[ 'sum finishes a histogram', 'int, float8, int, int, int',
		'sfunc = idp.dp_histogram_accum, finalfunc = idp.moments_int8_final', '(x, 1, 0, 9, 2)', qr/^42804$/ ],
	[ 'order statistic finishes different values', 'int, float8',
		'sfunc = idp.dp_count_distinct_accum, finalfunc = idp.int4_final', '(x, 1)', qr/^42804$/ ],
	[ 'a sum without final function', 'int, float8, int, int', 'sfunc = idp.idp_sum_accum', '(x, 1, 0, 9)', qr/^$/ ],
	[ 'different values without final function', 'int, float8', 'sfunc = idp.dp_count_distinct_accum', '(x, 1)',
		qr/^$/ ],
	[ 'a read-only final function of different values', 'int, float8',
		'sfunc = idp.dp_count_distinct_accum, finalfunc = idp.count_final, finalfunc_modify = read_only', '(x, 1)',
		qr/^$/ ],
	[ 'no final function', 'int, float8', 'sfunc = idp.idp_median_accum', '(x, 1)', qr/^$/ ],
	[ 'without combine function', 'int, float8', 'sfunc = idp.idp_median_accum, finalfunc = idp.int4_final', '(x, 1)',
		qr/^$/ ],
	[ 'final function said to be read-only', 'int, float8',
		'sfunc = idp.idp_median_accum, finalfunc = idp.int4_final, finalfunc_modify = read_only', '(x, 1)', qr/^$/ ],
	[ 'as a moving aggregate', 'int, float8', 'sfunc = idp.idp_median_accum, msfunc = idp.idp_median_accum, '
		  . 'minvfunc = idp.idp_median_accum, mstype = idp_state, minitcond = \'empty\'', '(x, 1)', qr/^$/ ],
	[ 'ordered-set', 'ORDER BY int, float8', 'sfunc = idp.idp_median_accum, finalfunc = idp.int4_final', undef,
		qr/^$/ ],
	[ 'final function with extra arguments', 'int, float8',
		'sfunc = idp.idp_median_accum, finalfunc = idp.int4_final, finalfunc_extra', '(x, 1)', qr/^42883$/ ],);
my $number = 0;
foreach my $pair (@pairs)
{
	my ($name, $arguments, $definition, $call, $expected) = @$pair;
	my $aggregate = 'own' . $number++;
	my $made = $s->run("CREATE AGGREGATE $aggregate($arguments) (stype = idp_state, initcond = 'empty', $definition)");
	if (defined $made->{sqlstate})
	{
		like($made->{sqlstate}, $expected, "$name: CREATE AGGREGATE refused");
		next;
	}
	$call = $call ? "$aggregate$call" : "$aggregate() WITHIN GROUP (ORDER BY x, 1::float8)";
	foreach my $from ('FROM t', 'FROM nothing', 'FROM t GROUP BY g', "FROM t GROUP BY GROUPING SETS ((), (g))")
	{
		my $r = $s->run("SELECT count(a::text) FROM (SELECT $call AS a $from OFFSET 0) s");
		like($r->{sqlstate} // '', $from eq 'FROM nothing' ? qr/$expected|^$/ : $expected, "$name: $from");
	}
	unlike($s->run("SELECT $call OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t")->{sqlstate}
		  // 'none',
		qr/^none$/, "$name: OVER is an error");
	$s->alive($name);
}

# initial states that are not empty: of the same call they are more rows, of another an error
$s->value("CREATE AGGREGATE state_of(int, float8) (sfunc = idp.idp_median_accum, stype = idp_state, "
	  . "initcond = 'empty');"
	  . "CREATE AGGREGATE count_state_of(float8) (sfunc = idp.dp_count_accum, stype = idp_state, initcond = 'empty')");
my $three = $s->value('SELECT state_of(x, 0.5) FROM unnest(ARRAY[7, 7, 7]) x');
my $counted = $s->value('SELECT count_state_of(1000) FROM t');
foreach my $case (
	[ 'int, float8', 'idp.idp_median_accum', 'idp.int4_final', $three, '(7, 0.5)', '', '7' ],
	[ 'bigint, float8', 'idp.idp_median_accum', 'idp.int8_final', $three, '(7, 0.5)', '42804', '' ],
	[ 'int, float8, float8', 'idp.idp_quantile_accum', 'idp.int4_final', $three, '(7, 0.5, 0.5)', '42804', '' ],
	[ 'int, float8', 'idp.idp_median_accum', 'idp.int4_final', $counted, '(7, 0.5)', '42804', '' ],
	[ 'float8', 'idp.dp_count_accum', 'idp.count_final', $counted, '(1000)', '', '8000' ],
	[ 'float8', 'idp.dp_count_accum', 'idp.count_final', $three, '(1000)', '42804', '' ],
	[ 'int, float8, int, int', 'idp.dp_count_range_accum', 'idp.count_final', $counted, '(1, 1, 1, 1)', '42804', '' ],
	[ 'int, float8', 'idp.idp_median_accum', 'idp.int4_final', substr($three, 0, 50), '(7, 0.5)', '22P02', '' ],)
{
	my ($arguments, $sfunc, $final, $initial, $call, $sqlstate, $answer) = @$case;
	my $aggregate = 'own' . $number++;
	my $made = $s->run("CREATE AGGREGATE $aggregate($arguments) (sfunc = $sfunc, stype = idp_state, "
		  . "initcond = '$initial', finalfunc = $final)");
	my $r = defined $made->{sqlstate} ? $made : $s->run("SELECT $aggregate$call FROM t");
	is_deeply([ $r->{sqlstate} // '', $r->{out} ], [ $sqlstate, $answer ],
		"$sfunc($arguments) from a state that is not empty");
}
$s->alive('initial states');

# an epsilon that varies reaches a user's aggregate no better than ours
$s->value("CREATE AGGREGATE own_median(int, float8) (sfunc = idp.idp_median_accum, stype = idp_state, "
	  . "initcond = 'empty', finalfunc = idp.int4_final)");
is($s->run('SELECT own_median(x, i) FROM t')->{sqlstate}, '42P10', "a user's aggregate: epsilon from a column");
is($s->run('SELECT own_median(x, -1) FROM nothing')->{sqlstate}, '22023',
	"a user's aggregate: epsilon < 0 without rows");
is($s->run('SELECT own_median(x, 0.5) FROM nothing')->{sqlstate}, undef, "a user's aggregate without rows");

# combining functions over stored states, as windows and in odd roles
$s->value("CREATE AGGREGATE merge(idp_state) (sfunc = idp.combine, stype = idp_state, finalfunc = idp.int4_final);"
	  . "CREATE AGGREGATE gather(idp_state) (sfunc = idp.combine, stype = idp_state);"
	  . "CREATE TABLE states AS SELECT g, state_of(x, 0.5) AS s FROM t GROUP BY g UNION ALL SELECT 9, NULL "
	  . "UNION ALL SELECT 10, 'empty'");
is($s->value('SELECT merge(s), count(s) FROM states'), '50|5', 'combine without an initial state');
is($s->value('SELECT merge(s) FROM states WHERE false'), '', 'merging no states');
is($s->value('SELECT merge(s) FROM states WHERE g > 8'), '', 'merging empty states');
is($s->value('SELECT merge(a) FROM (SELECT gather(s) AS a FROM states UNION ALL SELECT gather(s) FROM states) x'), '50',
	'states of states, unflattened');
is($s->value('SELECT merge(a), merge(a), gather(a)::text = gather(a)::text '
	  . 'FROM (SELECT gather(s) AS a FROM states OFFSET 0) x'), '50|50|t', 'one state read by several aggregates');
is($s->run('SELECT merge(s) OVER (ORDER BY g) FROM states')->{sqlstate}, '0A000', 'merge OVER');
is($s->run('SELECT gather(s) OVER (ORDER BY g) FROM states')->{sqlstate}, '0A000', 'gather OVER');
is($s->run('SELECT gather(s) OVER (PARTITION BY g) FROM states')->{sqlstate} // '0A000', '0A000',
	'gather OVER single rows');
is($s->value('SELECT max(length(s::text)) > 1000 FROM (SELECT DISTINCT ON (g) g, s FROM states ORDER BY g) x'), 't',
	'states through sort and DISTINCT ON');
$s->alive('at the end');

$s->quit;
$node->stop;
done_testing();

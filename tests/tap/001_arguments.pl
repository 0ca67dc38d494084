# Arguments are checked before data is read: a bad one is refused with the same error whatever the
# rows are and whatever the plan is, and no row is looked at.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('arguments');
my $s = session($node);

# touch() and seen() leave a trace in a sequence and as a notice; whisper() only as a notice, so
# that it may run in a parallel worker.
$s->value(<<'SQL');
CREATE TABLE t AS SELECT i AS x, i % 3 AS g, i::float8 AS f, i::numeric AS n, 0.5::float8 AS e, i AS k
  FROM generate_series(1, 1000) i;
CREATE SEQUENCE trace;
CREATE FUNCTION touch(anyelement) RETURNS bool VOLATILE LANGUAGE plpgsql AS
  'BEGIN PERFORM nextval(''trace''); RAISE NOTICE ''a row was read''; RETURN true; END';
CREATE FUNCTION seen(anyelement) RETURNS anyelement VOLATILE LANGUAGE plpgsql AS
  'BEGIN PERFORM nextval(''trace''); RAISE NOTICE ''a row was read''; RETURN $1; END';
CREATE FUNCTION whisper(anyelement) RETURNS bool VOLATILE PARALLEL SAFE LANGUAGE plpgsql AS
  'BEGIN RAISE NOTICE ''a row was read''; RETURN true; END';
ANALYZE;
SQL
# Never analyzed, the empty table is thought to have rows, and gets a parallel plan as well.
$s->value('CREATE TABLE empty (LIKE t)');

sub trace { return $s->value('SELECT is_called FROM trace') }

# The outcome as (sqlstate, message), and the proof that no row was read.
sub refused
{
	my ($r, $sqlstate, $message, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $read = $r->{err} =~ /a row was read/ ? 'a row was read' : 'no row read';
	is_deeply([ $r->{sqlstate}, $r->{message}, $read ], [ $sqlstate, $message, 'no row read' ], $name);
	return;
}

# the traces work: a good query leaves them
my $good = $s->run('SELECT idp_median(seen(x), 0.5) IS NOT NULL FROM t WHERE x < 10');
is($good->{out}, 't', 'a good call answers');
like($good->{err}, qr/a row was read/, 'reading a row gives a notice');
is(trace(), 't', 'and calls the sequence');
$s->value('ALTER SEQUENCE trace RESTART');
is(trace(), 'f', 'the trace is clear');

# --- Every rule ----------------------------------------------------------------------------------

my $not_constant = 'must be a constant or a parameter of the query';
my @bad_epsilons = (
	[ 'NULL', '22004', 'epsilon must not be null' ],
	[ 'NULL::float8', '22004', 'epsilon must not be null' ],
	(
		map { [ $_, '22023', 'epsilon must be a finite number greater than 0' ] }
		  ('0', '-0.0::float8', '-1', '-1e-300', "'NaN'", "'infinity'", "'-infinity'", '1 - 1', 'least(0, 5)')
	),
	(map { [ $_, '22023', 'epsilon must be at least 1e-18' ] }
		  ('5e-324', '1e-300', '9.9999999999999e-19', '1e-18 * 0.5')),
	(
		map { [ $_, '42P10', "epsilon $not_constant" ] } (
			'e', 'x', 'x * 0 + 1', 'random()', 'random() + 0.5',
			'CASE WHEN g = 7 THEN 1 ELSE 2 END', 't.e', 'nullif(e, 0.5)', 'seen(0.5::float8)')
	),
	(map { [ $_, '42P10', "epsilon $not_constant" ] } (
			'(SELECT t2.e FROM t t2 WHERE t2.x = t.x)', '(SELECT t.e)',
			'(SELECT max(t2.e) FROM t t2 WHERE t2.g = t.g)')),);

# Every other rule: the call with %s for the column.
my @bad_parameters = (
	(map { [ "idp_quantile(%s, 0.5, $_)", '22003', 'fraction must be between 0 and 1' ] }
		  ('-0.1', '1.1', '-1e-300', "'NaN'", "'infinity'", "'-infinity'", '1.0000000000000002')),
	[ 'idp_quantile(%s, 0.5, NULL)', '22004', 'fraction must not be null' ],
	(map { [ "idp_quantile(%s, 0.5, $_)", '42P10', "fraction $not_constant" ] }
		  ('e', 'random()', 'x / 1000.0', '(SELECT t2.e FROM t t2 WHERE t2.x = t.x)')),
	(map { my $f = $_; map { [ "$f(%s, 0.5, $_)", '22023', 'k must be at least 1' ] } (0, -1, -2147483648) }
		  qw(idp_kth_smallest idp_kth_largest)),
	[ 'idp_kth_smallest(%s, 0.5, NULL)', '22004', 'k must not be null' ],
	[ 'idp_kth_largest(%s, 0.5, k)', '42P10', "k $not_constant" ],
	[ 'idp_kth_largest(%s, 0.5, 1 + (random() * 2)::int)', '42P10', "k $not_constant" ],
	[ 'idp_min(%s, 0.5, NULL)', '22004', 'lower must not be null' ],
	[ 'idp_max(%s, 0.5, NULL)', '22004', 'upper must not be null' ],
	[ 'idp_min(%s, 0.5, x)', '42P10', "lower $not_constant" ],
	[ 'idp_max(%s, 0.5, g)', '42P10', "upper $not_constant" ],
	[ "idp_min(%s, 0.5, 'NaN'::float8)", '22023', 'lower must not be NaN', 'f' ],
	[ "idp_max(%s, 0.5, 'NaN'::numeric)", '22023', 'upper must not be NaN', 'n' ],
	(map { my $c = $_; map { ([ "idp_min(%s, 0.5, $_)", '22023', 'lower must be finite', $c ],
				[ "idp_max(%s, 0.5, $_)", '22023', 'upper must be finite', $c ]) } ("'infinity'", "'-infinity'") }
		  qw(f n f::real current_date+x localtimestamp+x*'1day'::interval current_timestamp+x*'1day'::interval)),
	(map {
		my $f = $_;
		(
			[ "$f(%s, 0.5, 2, 1)", '22023', 'lower must not be greater than upper' ],
			[ "$f(%s, 0.5, 2147483647, -2147483648)", '22023', 'lower must not be greater than upper' ],
			[ "$f(%s, 0.5, 1e-300, 0)", '22023', 'lower must not be greater than upper', 'f' ],
			[ "$f(%s, 0.5, 1e-20, 0)", '22023', 'lower must not be greater than upper', 'n' ],
			[ "$f(%s, 0.5, 'infinity', '-infinity')", '22023', 'lower must not be greater than upper', 'f' ],
			[ "$f(%s, 0.5, 'NaN', 1)", '22023', 'lower must not be NaN', 'f' ],
			[ "$f(%s, 0.5, 1, 'NaN')", '22023', 'upper must not be NaN', 'n' ],
			[ "$f(%s, 0.5, NULL, 1)", '22004', 'lower must not be null' ],
			[ "$f(%s, 0.5, 1, NULL)", '22004', 'upper must not be null' ],
			[ "$f(%s, 0.5, x, 1000)", '42P10', "lower $not_constant" ],
			[ "$f(%s, 0.5, 0, x)", '42P10', "upper $not_constant" ],
			[ "$f(%s, -0.5, 2, 1)", '22023', 'epsilon must be a finite number greater than 0' ],
		)
	} qw(idp_count_range dp_count_range)),
	(map {
		my $f = $_;
		my $last = $f =~ /quantile/ ? ', 0.5' : $f =~ /histogram/ ? ', 4' : '';
		(
			[ "$f(%s, 0.5, 2, 1$last)", '22023', 'lower must not be greater than upper' ],
			[ "$f(%s, 0.5, 1e-300, 0$last)", '22023', 'lower must not be greater than upper', 'f' ],
			[ "$f(%s, 0.5, 1e-20, 0$last)", '22023', 'lower must not be greater than upper', 'n' ],
			$f =~ /histogram/
			? ()    # its bounds are not put on a grid
			: [ "$f(%s, 0.5, 1e-20, 2e-20$last)", '22023', "no value of the column's type lies between lower and upper",
				'n' ],
			[ "$f(%s, 0.5, '-infinity', 1$last)", '22023', 'lower must be finite', 'f' ],
			[ "$f(%s, 0.5, 1, 'infinity'::numeric$last)", '22023', 'upper must be finite', 'n' ],
			[ "$f(%s, 0.5, 'NaN', 1$last)", '22023', 'lower must not be NaN', 'f' ],
			[ "$f(%s, 0.5, NULL, 1$last)", '22004', 'lower must not be null' ],
			[ "$f(%s, 0.5, 1, NULL$last)", '22004', 'upper must not be null' ],
			[ "$f(%s, 0.5, x, 1000$last)", '42P10', "lower $not_constant" ],
			[ "$f(%s, 0.5, 0, (SELECT max(x) FROM t)$last)", '42P10', "upper $not_constant" ],
		)
	} qw(idp_sum idp_avg idp_variance idp_stddev dp_sum dp_avg dp_variance dp_stddev dp_histogram dp_median dp_quantile
		dp_min dp_max dp_median_smooth dp_quantile_smooth dp_max_smooth dp_median_global dp_max_global)),
	(map { [ "dp_histogram(%s, 0.5, 0, 9, $_)", '22023', 'buckets must be between 1 and 100000' ] }
		  (0, -1, 100001, 2147483647, -2147483648)),
	[ 'dp_histogram(%s, 0.5, 0, 9, NULL)', '22004', 'buckets must not be null' ],
	[ 'dp_histogram(%s, 0.5, 0, 9, k)', '42P10', "buckets $not_constant" ],
	(map { my $g = $_; map { [ sprintf($_, '%s', $g), '22023', 'gamma must be 2, 3 or 4' ] }
			('dp_median_smooth(%s, 0.5, 0, 9, %s)', 'dp_quantile_smooth(%s, 0.5, 0, 9, 0.5, %s)',
				'dp_max_smooth(%s, 0.5, 0, 9, %s)') }
		  (0, 1, 5, -3, 2147483647)),
	[ 'dp_median_smooth(%s, 0.5, 0, 9, NULL::int)', '22004', 'gamma must not be null' ],
	[ 'dp_max_smooth(%s, 0.5, 0, 9, k)', '42P10', "gamma $not_constant" ],
	(map { [ "dp_quantile_smooth(%s, 0.5, 0, 9, $_)", '22003', 'fraction must be between 0 and 1' ] }
		  ('-0.1', '1.1', "'NaN'")),
	(map { my $f = $_; (
			[ "$f(%s, '{}'::float8[], 0, 9)", '22023', 'epsilons must have between 1 and 32 elements' ],
			[ "$f(%s, array_fill(0.5::float8, ARRAY[33]), 0, 9)", '22023',
				'epsilons must have between 1 and 32 elements' ],
			[ "$f(%s, ARRAY[[0.5, 0.5]], 0, 9)", '22023', 'epsilons must be a one-dimensional array' ],
			[ "$f(%s, ARRAY[0.5, NULL], 0, 9)", '22004', 'epsilons must not contain nulls' ],
			[ "$f(%s, NULL::float8[], 0, 9)", '22004', 'epsilons must not be null' ],
			(map { [ "$f(%s, ARRAY[0.5, $_], 0, 9)", '22023', 'epsilons must be finite numbers greater than 0' ] }
				  (0, -1, "'NaN'", "'infinity'")),
			[ "$f(%s, ARRAY[0.5, t.e], 0, 9)", '42P10', "epsilons $not_constant" ],
			[ "$f(%s, (SELECT array_agg(e) FROM t), 0, 9)", '42P10', "epsilons $not_constant" ],
		) } qw(idp_sum idp_avg)));

# The calls with a good and a bad epsilon. (What has no type, next to arguments of different types,
# could be an array of epsilons as well: the server asks for a cast.)
my @heads = (
	'idp_median(%s, %s)', 'idp_quantile(%s, %s::float8, 0.5)', 'idp_min(%s, %s, 0)', 'idp_max(%s, %s, 9)',
	'idp_kth_smallest(%s, %s, 2)', 'idp_kth_largest(%s, %s, 2)', 'idp_count_range(%s, %s, 1, 9)',
	'dp_count_range(%s, %s, 1, 9)', 'idp_sum(%s, %s, 1, 9)', 'idp_stddev(%s, %s, 1, 9)', 'dp_avg(%s, %s, 1, 9)',
	'dp_variance(%s, %s, 1, 9)', 'dp_count_distinct(%s, %s)', 'dp_histogram(%s, %s, 1, 9, 2)',
	'dp_median(%s, %s, 1, 9)', 'dp_median_smooth(%s, %s, 1, 9)', 'dp_max_smooth(%s, %s, 1, 9, 2)',
	'dp_median_global(%s, %s, 1, 9)');
my @bad = @bad_parameters;
foreach my $bad (@bad_epsilons)
{
	my ($epsilon, @error) = @$bad;
	push @bad, [ sprintf($_, '%s', $epsilon), @error ] foreach @heads;
	push @bad, [ "dp_count($epsilon)", @error ];
}

sub with_column
{
	my ($call, $column) = @_;
	return $call =~ s/^(\w+\()%s/$1$column/r;
}

# every bad call, with the aggregated expression as witness (counts of rows: the WHERE clause)
foreach my $bad (@bad)
{
	my ($call, $sqlstate, $message, $column) = @$bad;
	$column //= 'x';
	refused($s->run('SELECT ' . with_column($call, "seen($column)") . ' FROM t WHERE touch(x)'),
		$sqlstate, $message, with_column($call, $column));
}
is(trace(), 'f', 'no row was read by any of them');

# --- Every shape of query ------------------------------------------------------------------------

my @shapes = (
	'SELECT %s FROM t WHERE touch(x)',
	'SELECT %s FROM t WHERE touch(x) AND false',
	'SELECT %s FROM t WHERE x > 1000000 AND touch(x)',
	'SELECT %s FILTER (WHERE false) FROM t WHERE touch(x)',
	'SELECT %s FILTER (WHERE touch(x)) FROM t',
	'SELECT g, %s FROM t WHERE touch(x) GROUP BY g',
	'SELECT g, %s FROM empty AS t WHERE touch(x) GROUP BY g',
	'SELECT %s FROM empty AS t WHERE touch(x)',
	'SELECT g, %s FROM t WHERE touch(x) GROUP BY GROUPING SETS ((g), (), (g, x))',
	'SELECT g FROM t WHERE touch(x) GROUP BY g HAVING %s IS NULL',
	'SELECT g FROM t WHERE touch(x) GROUP BY g ORDER BY %s',
	'WITH c AS MATERIALIZED (SELECT %s AS a FROM t WHERE touch(x)) SELECT * FROM c, c AS d',
	'SELECT * FROM t AS o WHERE touch(x) AND EXISTS (SELECT %s FROM t WHERE touch(x) OFFSET 0)',
	'SELECT x, (SELECT %s FROM t WHERE t.x > o.x) FROM t AS o WHERE touch(x)',
	'SELECT count(*), (SELECT %s FROM t) FROM t AS o WHERE touch(x)',
	'SELECT * FROM t AS o WHERE touch(x) UNION ALL SELECT t.x, 1, 1, 1, 1, 1 FROM t WHERE touch(x) GROUP BY t.x '
	  . 'HAVING %s IS NULL',
	'SELECT sum(x), %s, count(*) FROM t WHERE touch(x)',
	'SELECT %s FROM (SELECT * FROM t WHERE touch(x) LIMIT 5) t',
	'SELECT %s FROM t WHERE touch(x) LIMIT 0',
	'CREATE TABLE made AS SELECT %s AS a FROM t WHERE touch(x)',
	'CREATE MATERIALIZED VIEW made AS SELECT %s AS a FROM t WHERE touch(x)',
	'INSERT INTO empty (f) SELECT (%s)::text::float8 FROM t WHERE touch(x)',
	'COPY (SELECT %s FROM t WHERE touch(x)) TO STDOUT',
	'DECLARE c CURSOR WITH HOLD FOR SELECT %s FROM t WHERE touch(x)',
	'EXPLAIN SELECT %s FROM t WHERE touch(x)',
	'EXPLAIN ANALYZE SELECT %s FROM t WHERE touch(x)',
	"DO \$do\$ BEGIN PERFORM %s FROM t WHERE touch(x); END \$do\$",
	"DO \$do\$ BEGIN EXECUTE 'SELECT dp_count(1) FROM empty'; EXECUTE \$q\$ SELECT %s FROM t "
	  . "WHERE touch(x) \$q\$; END \$do\$",);
my @samples = (
	[ 'idp_median(x, 0)', '22023', 'epsilon must be a finite number greater than 0' ],
	[ 'idp_median(x, NULL)', '22004', 'epsilon must not be null' ],
	[ 'idp_median(x, t.e)', '42P10', "epsilon $not_constant" ],
	[ 'dp_count(-1)', '22023', 'epsilon must be a finite number greater than 0' ],
	[ 'dp_count(random())', '42P10', "epsilon $not_constant" ],
	[ 'idp_quantile(x, 1, 2)', '22003', 'fraction must be between 0 and 1' ],
	[ 'dp_count_range(x, 1, 2, 1)', '22023', 'lower must not be greater than upper' ],
	[ "idp_max(f, 1, 'infinity')", '22023', 'upper must be finite' ],
	[ 'dp_count(1e-19)', '22023', 'epsilon must be at least 1e-18' ],
	[ 'idp_sum(x, ARRAY[1, 1e-19], 0, 9)', '22023', 'epsilons must be at least 1e-18' ],
	[ 'idp_sum(x, ARRAY[1, 0], 0, 9)', '22023', 'epsilons must be finite numbers greater than 0' ],
	[ 'dp_count_distinct(n, t.e)', '42P10', "epsilon $not_constant" ],
	[ 'dp_histogram(x, 1, 0, 9, 0)', '22023', 'buckets must be between 1 and 100000' ],
	[ 'dp_median_smooth(x, 1, 0, 9, 5)', '22023', 'gamma must be 2, 3 or 4' ],);

foreach my $sample (@samples)
{
	my ($call, $sqlstate, $message) = @$sample;
	foreach my $shape (@shapes)
	{
		my $query = $shape =~ s/%s/$call/r;
		refused($s->run($query), $sqlstate, $message, $query);
	}

	# as the very first statement of a session, when nothing has loaded the library yet
	refused(fresh_query($node, "SELECT $call FROM t WHERE touch(x)"), $sqlstate, $message, "first statement: $call");
	refused(fresh_query($node, "SELECT g, $call FROM empty t GROUP BY g"), $sqlstate, $message,
		"first statement, no rows: $call");
	refused(fresh_query($node, "SELECT $call FILTER (WHERE false) FROM t WHERE touch(x)"),
		$sqlstate, $message, "first statement, FILTER (WHERE false): $call");
	refused(fresh_query($node, "DO \$do\$ BEGIN PERFORM $call FROM t WHERE touch(x); END \$do\$"),
		$sqlstate, $message, "first statement in plpgsql: $call");

	# stored and run later
	$s->value("CREATE VIEW v AS SELECT $call FROM t WHERE touch(x)");
	refused($s->run('SELECT * FROM v'), $sqlstate, $message, "view: $call");
	refused(fresh_query($node, 'SELECT * FROM v'), $sqlstate, $message, "view, first statement: $call");
	$s->value('DROP VIEW v');
	$s->value("CREATE FUNCTION stored() RETURNS text LANGUAGE sql AS \$do\$ SELECT ($call)::text FROM t "
		  . "WHERE touch(x) \$do\$");
	refused($s->run('SELECT stored()'), $sqlstate, $message, "SQL function: $call");
	refused(fresh_query($node, 'SELECT stored()'), $sqlstate, $message, "SQL function, first statement: $call");
	$s->value('DROP FUNCTION stored');
}
is(trace(), 'f', 'no row was read in any shape');
is($s->value("SELECT to_regclass('made') IS NULL AND NOT EXISTS (SELECT FROM empty)"), 't', 'and nothing was made');

# a bad call among good ones, and behind a condition that is never met: known before, refused before
refused($s->run('SELECT idp_median(x, 1), idp_median(x, -1) FROM t WHERE touch(x)'),
	'22023', 'epsilon must be a finite number greater than 0', 'one bad call among good ones');
refused($s->run('SELECT CASE WHEN count(*) < 0 THEN idp_median(x, -1) END FROM t WHERE touch(x)'),
	'22023', 'epsilon must be a finite number greater than 0', 'a bad call in CASE');

# --- Subqueries as arguments ---------------------------------------------------------------------
# A subquery is neither a constant nor a parameter: its value may depend on rows, and then so would
# the error.
foreach my $epsilon ('(SELECT 0.5)', '(SELECT -1.0)', '(SELECT min(e) FROM t)', '(SELECT -e FROM t WHERE x = 5)')
{
	foreach my $query ('SELECT idp_median(x, %s) FROM t WHERE touch(x)',
		'SELECT g, idp_median(x, %s) FROM t WHERE touch(x) AND false GROUP BY g')
	{
		my $sql = sprintf $query, $epsilon;
		refused($s->run($sql), '42P10', "epsilon $not_constant", $sql);
	}
}

# --- Parallel plans ------------------------------------------------------------------------------

$s->value('ALTER SEQUENCE trace RESTART');
$s->value('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'
	  . 'SET max_parallel_workers_per_gather = 2; ALTER TABLE t SET (parallel_workers = 2); '
	  . 'ALTER TABLE empty SET (parallel_workers = 2)');
foreach my $shape (
	'SELECT %s FROM t WHERE whisper(x)',
	'SELECT %s FROM t WHERE x + 0 > 100000 AND whisper(x)',
	'SELECT %s FROM empty AS t WHERE whisper(x)',
	'SELECT g, %s FROM t WHERE whisper(x) GROUP BY g',
	'SELECT g, %s FROM empty AS t WHERE whisper(x) GROUP BY g',
	'SELECT %s FILTER (WHERE x < 0) FROM t WHERE whisper(x)')
{
	my $good_query = $shape =~ s/%s/idp_median(x, 1)/r;
	like($s->value("EXPLAIN $good_query"), qr/Gather/, "parallel plan of $shape");
	foreach my $sample (@samples)
	{
		my ($call, $sqlstate, $message) = @$sample;
		my $query = $shape =~ s/%s/$call/r;
		refused($s->run($query), $sqlstate, $message, "parallel: $query");
	}
}
like($s->run('SELECT idp_median(x, 1) FROM t WHERE whisper(x)')->{err}, qr/a row was read/,
	'whispers of workers are heard');
$s->value('RESET parallel_setup_cost; RESET parallel_tuple_cost');

# --- Parameters of the query ---------------------------------------------------------------------

foreach my $mode ('auto', 'force_custom_plan', 'force_generic_plan')
{
	$s->value("SET plan_cache_mode = $mode;"
		  . 'PREPARE p(float8) AS SELECT idp_median(x, $1) IS NOT NULL FROM t WHERE touch(x) AND x < 20;'
		  . 'PREPARE q(float8, float8) AS SELECT g, idp_quantile(x, $1 / 2, $2) FROM empty t WHERE touch(x) GROUP BY g;'
		  . 'PREPARE r(int, int) AS SELECT dp_count_range(x, 1, $1, $2) FROM t WHERE touch(x) AND x < 20;'
		  . 'PREPARE m(int) AS SELECT idp_kth_largest(x, 1, $1) FROM t WHERE touch(x) AND x < 20');
	foreach my $round (1 .. 7)    # past the point where a generic plan may be chosen
	{
		foreach my $case (
			[ 'p(-1)', '22023', 'epsilon must be a finite number greater than 0' ],
			[ 'p(NULL)', '22004', 'epsilon must not be null' ],
			[ "p('NaN')", '22023', 'epsilon must be a finite number greater than 0' ],
			[ 'q(4.9e-324, 0.5)', '22003', 'value out of range: underflow' ],
			[ 'q(1, 1.5)', '22003', 'fraction must be between 0 and 1' ],
			[ 'q(1, NULL)', '22004', 'fraction must not be null' ],
			[ 'r(10, 9)', '22023', 'lower must not be greater than upper' ],
			[ 'r(NULL, 9)', '22004', 'lower must not be null' ],
			[ 'm(0)', '22023', 'k must be at least 1' ],)
		{
			my ($execute, $sqlstate, $message) = @$case;
			refused($s->run("EXECUTE $execute"), $sqlstate, $message, "$mode, $round: EXECUTE $execute");
		}
	}
	is(trace(), 'f', "$mode: no row was read");
	is($s->run('EXECUTE p(0.5)')->{out}, 't', "$mode: a good parameter after bad ones");
	refused($s->run('EXPLAIN ANALYZE EXECUTE p(-1)'), '22023', 'epsilon must be a finite number greater than 0',
		"$mode: EXPLAIN ANALYZE EXECUTE");
	my $explain = $s->run('EXPLAIN EXECUTE p(-1)');
	ok($explain->{err} !~ /a row was read/ && ($explain->{sqlstate} // '22023') eq '22023',
		"$mode: EXPLAIN EXECUTE of a bad parameter reads nothing");
	unlike($s->run('EXPLAIN EXECUTE p(1)')->{err}, qr/ERROR/, "$mode: EXPLAIN EXECUTE of a good one works");
	$s->value('DEALLOCATE ALL; ALTER SEQUENCE trace RESTART');
}
$s->value('RESET plan_cache_mode');

$s->value(<<'SQL');
CREATE FUNCTION in_plpgsql(eps float8) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE r bool;
BEGIN
  SELECT idp_median(x, eps) IS NOT NULL INTO r FROM t WHERE touch(x) AND x < 20;
  RETURN r;
END $$;
CREATE FUNCTION in_sql(eps float8) RETURNS bool LANGUAGE sql AS
  'SELECT idp_median(x, eps) IS NOT NULL FROM t WHERE touch(x) AND x < 20';
CREATE FUNCTION with_cursor(eps float8) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
  c CURSOR (given float8) FOR SELECT idp_median(x, given) IS NOT NULL FROM t WHERE touch(x) AND x < 20;
  r bool;
BEGIN
  OPEN c(eps);
  FETCH c INTO r;
  RETURN r;
END $$;
SQL
foreach my $function (qw(in_plpgsql in_sql with_cursor))
{
	foreach my $round (1 .. 7)
	{
		refused($s->run("SELECT $function(-1)"), '22023', 'epsilon must be a finite number greater than 0',
			"$function, $round");
		refused($s->run("SELECT $function(NULL)"), '22004', 'epsilon must not be null', "$function(NULL), $round");
	}
	is(trace(), 'f', "$function: no row was read");
	is($s->run("SELECT $function(0.5)")->{out}, 't', "$function: a good parameter");
	refused(fresh_query($node, "SELECT $function(-1)"), '22023', 'epsilon must be a finite number greater than 0',
		"$function, first statement");
	$s->value('ALTER SEQUENCE trace RESTART');
}

# --- References to an outer query ----------------------------------------------------------------
# Their value is known only while rows are read, and may come from them: refused, good or bad, with
# rows or without, so that neither the error nor its absence tells anything.

foreach my $e ('0.1', '-1', 'NULL::float8')
{
	foreach my $where ('', 'WHERE x > 100000')
	{
		foreach my $call ('idp_median(x, eps)', 'dp_count_range(x, eps, 1, 9) FILTER (WHERE x < 10)',
			'dp_median(x, 1, 0, eps::int)')
		{
			my $name = $call =~ /1, 0/ ? 'upper' : 'epsilon';
			foreach my $query (
				"SELECT (SELECT $call FROM t $where) FROM unnest(ARRAY[$e]) eps",
				"SELECT a FROM unnest(ARRAY[$e]) eps, LATERAL (SELECT $call AS a FROM t $where) s",
				"SELECT a FROM unnest(ARRAY[$e]) eps, LATERAL (SELECT g, $call AS a FROM t $where GROUP BY g) s")
			{
				my $r = $s->run($query);
				is_deeply([ @$r{qw(sqlstate message)} ],
					[ '42P10', "$name must be a constant or a parameter of the query" ], "outer reference: $query");
			}
		}
	}
}
is($s->run('SELECT (SELECT idp_median(i.x, (o.x - 37)::float8) FROM t i) FROM t o')->{sqlstate}, '42P10',
	'a column of the table, from outside');
$s->value('CREATE FUNCTION stable_reader() RETURNS float8 STABLE LANGUAGE sql AS $$SELECT count(*)::float8 FROM t$$');
is($s->run('SELECT idp_median(x, stable_reader()) FROM t')->{sqlstate}, '42P10', 'a function that may read tables');
is($s->run('SELECT idp_median(x, e) FROM (SELECT x, unnest(ARRAY[0.5, 1]::float8[]) e FROM t) q')->{sqlstate}, '42P10',
	'a set');

# By the rules of SQL dp_count(eps) with eps from an outer query is an aggregate of that outer query,
# where eps is a column.
is($s->run('SELECT (SELECT dp_count(eps) FROM t) FROM unnest(ARRAY[0.1, 1]) eps')->{sqlstate},
	'42P10', 'dp_count of an outer column counts the outer rows, and is refused');

# --- What is allowed -----------------------------------------------------------------------------

foreach my $call (
	"idp_median(x, 1e-18)", "idp_median(x, 1.7976931348623157e308)", "idp_quantile(x, 1, 0)",
	"idp_quantile(x, 1, 1)", "idp_kth_largest(x, 1, 1)", "idp_kth_largest(x, 1, 2147483647)",
	"idp_count_range(x, 1, 5, 5)", "dp_count_range(f, 1, '-infinity', 'infinity')",
	"idp_count_range(n, 1, '-infinity', 'infinity')", "idp_min(f, 1, -1.7976931348623157e308)",
	"idp_max(n, 1, 1e1000)", "dp_count(abs(-1))", "dp_count(current_setting('extra_float_digits')::float8 + 0.5)",
	"dp_count(extract(year FROM now())::float8)")
{
	my $r = $s->run("SELECT $call FROM t");
	is($r->{err}, '', "allowed: $call");
}

$s->alive('after all refusals');
$s->quit;
$node->stop;
done_testing();

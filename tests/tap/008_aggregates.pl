# Sums, averages, variances, distinct counts, histograms and smooth order statistics on a real
# server: memory stays flat whatever becomes of a query, many groups and spilled ones are right, and
# a forged state is refused or harmless.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use MemoryTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('aggregates', 'shared_buffers = 16MB', 'jit = off', 'max_parallel_workers_per_gather = 0',
	'synchronize_seqscans = off');
my $s = session($node);
$s->value('CREATE TABLE m AS SELECT i AS x, i % 20000 AS g, md5((i % 5000)::text) AS t '
	  . 'FROM generate_series(1, 200000) i; VACUUM ANALYZE m');

# Every aggregate, as a call at an epsilon where no noise shows, and a native expression with the same
# value over ten rows of m that have the same g.
my @calls = (
	[ 'idp_sum(x, 1e300, 0, 100000)', 'sum(least(x, 100000))' ],
	[ 'idp_sum(x::numeric, ARRAY[1e300, 1e300], 0, 100000)', 'sum(least(x, 100000))' ],
	[ 'idp_avg(x::bigint, 1e300, 0, 100000)', 'trunc(avg(least(x, 100000)), 16)' ],
	[ 'idp_variance(x, 1e300, 0, 500000)', 'trunc(var_pop(x), 16)' ],
	[ 'round(idp_stddev(x::float8, 1e300, 0, 500000)::numeric, 4)', 'round(stddev_pop(x), 4)' ],
	[ 'dp_sum(x::float8, 1e300, 0, 500000)', 'sum(x)' ],
	[ 'dp_avg(x::real, 1e300, 0, 524288)', 'avg(x::real::int)' ],
	[ 'dp_variance((x % 100)::smallint, 1e300, 0::smallint, 100::smallint)', 'trunc(var_pop(x % 100), 16)' ],
	[ 'dp_stddev(x::numeric(10, 2), 1e300, 0, 500000)::numeric(20, 6)', 'stddev_pop(x)::numeric(20, 6)' ],
	[ 'dp_count_distinct(x, 1000)', 'count(DISTINCT x)' ],
	[ 'dp_count_distinct(t, 1000)', 'count(DISTINCT t)' ],
	[ 'dp_count_distinct(t::uuid, 1000)', 'count(DISTINCT t)' ],
	[ 'dp_count_distinct(x / 7.0, 1000)', 'count(DISTINCT x)' ],
	[ 'dp_histogram(x, 1000, 0, 200000, 2)',
		'ARRAY[count(*) FILTER (WHERE x < 100000), count(*) FILTER (WHERE x >= 100000)]' ],
	[ 'dp_median_smooth(x, 1e300, 0, 500000)', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY x)' ],
	[ 'dp_quantile_smooth(x, 1e300, 0, 500000, 0.3, 2)', 'percentile_disc(0.3) WITHIN GROUP (ORDER BY x)' ],
	[ 'dp_max_smooth(x::numeric, 1e300, 0, 500000)', 'max(x)' ],
	[ 'dp_median_global(x, 1e300, 0, 500000)', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY x)' ],
	[ 'dp_max_global(x::float8, 1e300, 0, 500000)', 'max(x)' ],);
my $all_calls = join ', ', map { $_->[0] } @calls;

# --- Many groups ---------------------------------------------------------------------------------

# One query per aggregate, so that an error names it; in memory, sorted, and spilled to disk.
foreach my $call (@calls)
{
	my ($answer, $native) = @$call;
	my $differ = "SELECT count(*), count(*) FILTER (WHERE a IS DISTINCT FROM n) "
	  . "FROM (SELECT g, $answer AS a, $native AS n FROM m GROUP BY g) s";
	$s->value("SET work_mem = '512MB'");
	is($s->value($differ), '20000|0', "20 000 groups: $answer");
}
foreach my $plan (
	[ 'hashed', "SET work_mem = '512MB'; SET enable_sort = off", qr/HashAggregate(?!.*Disk Usage)/s ],
	[ 'sorted', "SET work_mem = '64MB'; SET enable_hashagg = off", qr/GroupAggregate/ ],
	[ 'spilled', "SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET enable_sort = off",
		qr/HashAggregate.*Batches: ([2-9]|\d\d).*Disk Usage/s ])
{
	my ($name, $settings, $shape) = @$plan;
	$s->value("RESET ALL; $settings");
	my $query = "SELECT g, $all_calls FROM m GROUP BY g";
	like($s->value("EXPLAIN (ANALYZE, COSTS off, TIMING off) $query"), $shape, "$name: the plan is the one meant");
	$s->value("CREATE TABLE $name AS SELECT g, a::text AS answers FROM ($query) a");
	$s->value('RESET ALL');
	is($s->value("SELECT count(*) FROM (SELECT * FROM hashed EXCEPT SELECT * FROM $name) d"), 0,
		"$name: the same answers");
	is($s->value("SELECT count(*), count(DISTINCT g) FROM $name"), '20000|20000', "$name: of all groups");
}

# --- Memory of queries that fail -----------------------------------------------------------------

fails_flat($s, 'division by zero on the last row', "SELECT $all_calls, sum(1 / (x - 5000)) FROM m WHERE x <= 5000",
	'22012', 100);
fails_flat($s, 'division by zero in many groups',
	"SELECT $all_calls, sum(1 / (x - 4000)) FROM m WHERE x <= 4000 GROUP BY x % 1000", '22012', 50);
fails_flat($s, 'division by zero after the answers', "SELECT $all_calls, 1 / (count(*) - 2000) FROM m WHERE x <= 2000",
	'22012', 100);
fails_flat($s, 'bad arguments', 'SELECT dp_histogram(x, 1, 0, 9, 0), idp_sum(x, ARRAY[1, 0], 0, 9) FROM m', '22023',
	200);
fails_flat($s, 'large histograms', 'SELECT dp_histogram(x, 1, 0, 9, 100000), sum(1 / (x - 5)) FROM m WHERE x < 10',
	'22012', 100);
fails_flat($s, 'statement_timeout', "SELECT $all_calls FROM (SELECT a.* FROM m a, m b) m", '57014', 100, '15ms');

# --- Distinct values -----------------------------------------------------------------------------

$s->value('CREATE TABLE distinct_values AS SELECT i::bigint * 1000003 AS x, md5(i::text) AS t '
	  . 'FROM generate_series(1, 1000000) i; VACUUM ANALYZE distinct_values');
foreach my $case ([ 'bigint', 'x', 48 ], [ 'text', 't', 96 ])
{
	my ($type, $column, $limit) = @$case;
	my $d = session($node);
	my $query = "SELECT dp_count_distinct($column, 1000) FROM distinct_values";
	$d->value("SELECT count($column), dp_count_distinct($column, 1000) FROM distinct_values "
		  . "WHERE hashtext($column\::text) % 1000 = 0");
	my $idle = process_kb($d, 'VmHWM');
	is($d->value($query), 1000000, "a million different values of type $type");
	SKIP:
	{
		skip 'no /proc', 1 unless defined $idle;
		my $growth = process_kb($d, 'VmHWM') - $idle;
		cmp_ok($growth, '<', $limit * 1024, "$type: at most $limit MB, kB");
		note "$type: $growth kB";
	}
	my $before = memory($d);
	is($d->value("SELECT max($column) IS NOT NULL, dp_count_distinct($column, 1000) FROM (SELECT $column "
		  . "FROM distinct_values UNION ALL SELECT $column FROM distinct_values) s"), 't|1000000', "$type: each twice");
	flat($d, $before, "$type: afterwards");
	fails_flat($d, "$type: statement_timeout",
		"SELECT dp_count_distinct(v.$column, 1) FROM distinct_values v, generate_series(1, 30)", '57014', 40, '40ms');
	cancelled_flat($node, $d, "$type: cancelled",
		"SELECT dp_count_distinct(v.$column, 1) FROM distinct_values v, generate_series(1, 100)", 40);
	is($d->value($query), 1000000, "$type: and the right count");
	$d->quit;
}
# in parallel the states travel
$s->value('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2');
like($s->value('EXPLAIN SELECT dp_count_distinct(t, 1000) FROM distinct_values'), qr/Finalize.*Gather.*Partial/s,
	'a parallel plan');
is($s->value('SELECT dp_count_distinct(t, 1000), dp_count_distinct(x, 1000) FROM distinct_values'), '1000000|1000000',
	'in parallel');
$s->value('RESET ALL');

# --- Forged states -------------------------------------------------------------------------------

# CRC-32C (Castagnoli), as the server computes it.
my @crc_table = map {
	my $crc = $_;
	$crc = $crc & 1 ? ($crc >> 1) ^ 0x82F63B78 : $crc >> 1 foreach 1 .. 8;
	$crc
} 0 .. 255;

sub crc32c
{
	my $crc = 0xFFFFFFFF;
	$crc = ($crc >> 8) ^ $crc_table[ ($crc ^ $_) & 0xFF ] foreach unpack 'C*', $_[0];
	return $crc ^ 0xFFFFFFFF;
}
is(crc32c('123456789'), 0xE3069283, 'CRC-32C of the check string');
sub sealed { return $_[0] . pack('N', crc32c($_[0])) }
sub payload_of { return substr(pack('H*', substr($_[0], 2)), 0, -4) }

# kind, transition function, column type, arguments after it with their types, final function
my @kinds = (
	[ 'idp_sum int4', 'idp_sum', 'int', '1, 0, 9', 'float8, int, int', 'moments_int8_final' ],
	[ 'idp_sum int8', 'idp_sum', 'bigint', '1, -9223372036854775808, 9223372036854775807', 'float8, bigint, bigint',
		'moments_numeric_final' ],
	[ 'idp_sum float4', 'idp_sum', 'real', '1, -9, 9', 'float8, real, real', 'moments_float4_final' ],
	[ 'idp_sum numeric, groups', 'idp_sum', 'numeric', 'ARRAY[1, 2, 3], -9, 9', 'idp.epsilons, numeric, numeric',
		'moments_numeric_final' ],
	[ 'idp_avg float8', 'idp_avg', 'float8', '1, -9, 9', 'float8, float8, float8', 'moments_float8_final' ],
	[ 'idp_avg int2, groups', 'idp_avg', 'smallint', "ARRAY[1, 2], '-9', '9'", 'idp.epsilons, smallint, smallint',
		'moments_numeric_final' ],
	[ 'idp_variance numeric', 'idp_variance', 'numeric', '1, -9, 9', 'float8, numeric, numeric',
		'moments_numeric_final' ],
	[ 'idp_stddev float8', 'idp_stddev', 'float8', '1, -9, 9', 'float8, float8, float8', 'moments_float8_final' ],
	[ 'dp_sum int8', 'dp_sum', 'bigint', '1, -9, 9', 'float8, bigint, bigint', 'moments_numeric_final' ],
	[ 'dp_avg int4', 'dp_avg', 'int', '1, -9, 9', 'float8, int, int', 'moments_numeric_final' ],
	[ 'dp_variance float8', 'dp_variance', 'float8', '1, -9, 9', 'float8, float8, float8', 'moments_float8_final' ],
	[ 'dp_stddev numeric', 'dp_stddev', 'numeric', '1, -9, 9', 'float8, numeric, numeric', 'moments_numeric_final' ],
	[ 'dp_count_distinct int8', 'dp_count_distinct', 'bigint', '1', 'float8', 'count_final' ],
	[ 'dp_count_distinct text', 'dp_count_distinct', 'text', '1', 'float8', 'count_final' ],
	[ 'dp_count_distinct numeric', 'dp_count_distinct', 'numeric', '1', 'float8', 'count_final' ],
	[ 'dp_histogram int4', 'dp_histogram', 'int', '1, 0, 9, 3', 'float8, int, int, bigint', 'histogram_final' ],
	[ 'dp_histogram numeric', 'dp_histogram', 'numeric', '1, 0, 9, 3', 'float8, numeric, numeric, bigint',
		'histogram_final' ],
	[ 'dp_median_smooth int4', 'dp_median_smooth', 'int', '1, 0, 9, 2', 'float8, int, int, bigint', 'int4_final' ],
	[ 'dp_quantile_smooth float8', 'dp_quantile_smooth', 'float8', '1, -9, 9, 0.3', 'float8, float8, float8, float8',
		'float8_final' ],
	[ 'dp_max_smooth numeric', 'dp_max_smooth', 'numeric', '1, -9, 9', 'float8, numeric, numeric', 'numeric_final' ],
	[ 'dp_median_global int8', 'dp_median_global', 'bigint', '1, -9, 9', 'float8, bigint, bigint', 'int8_final' ],
	[ 'dp_max_global timestamp', 'dp_max_global', 'timestamp', "1, '1999-01-01', '2001-01-01'",
		'float8, timestamp, timestamp', 'timestamp_final' ],
	[ 'idp_median int4, groups', 'idp_median', 'int', 'ARRAY[1, 2]', 'idp.epsilons', 'int4_final' ],);
$s->value(<<'SQL');
CREATE UNLOGGED TABLE forged (t text);
CREATE FUNCTION judge(merge text) RETURNS TABLE (sqlstate text, message text, n bigint)
LANGUAGE plpgsql AS $$
DECLARE
  f record;
  answer text;
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS verdicts (sqlstate text, message text);
  TRUNCATE verdicts;
  FOR f IN SELECT t FROM forged LOOP
    DECLARE
      code text; text1 text;
    BEGIN
      EXECUTE format('SELECT %s(s)::text FROM (SELECT $1::idp_state UNION ALL SELECT $1::idp_state) x (s)',
        merge) INTO answer USING f.t;
      EXECUTE format('SELECT %s($1::idp_state)::text', merge) INTO answer USING f.t;
      INSERT INTO verdicts VALUES ('00000', 'accepted');
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, text1 = MESSAGE_TEXT;
      INSERT INTO verdicts VALUES (code, text1);
    END;
  END LOOP;
  RETURN QUERY SELECT v.sqlstate, v.message, count(*) FROM verdicts v GROUP BY 1, 2 ORDER BY 1, 2;
END $$;
SQL

# The SQLSTATEs of many payloads, and how often each came.
sub judge
{
	my ($merge, @payloads) = @_;
	$s->value('TRUNCATE forged');
	while (my @some = splice @payloads, 0, 500)
	{
		$s->value('INSERT INTO forged VALUES ' . join(', ', map { "('\\x" . unpack('H*', sealed($_)) . "')" } @some));
	}
	my %verdicts;
	foreach (split /\n/, $s->value("SELECT sqlstate, n, message FROM judge('$merge')"))
	{
		my ($sqlstate, $n) = split /\|/;
		$verdicts{$sqlstate} += $n;
	}
	return \%verdicts;
}

# A state that does not finish in this time is not harmless.
$s->value("SET statement_timeout = '60s'");
srand 20170401;
my (%original, %merge_of);
my $number = 0;
foreach my $kind (@kinds)
{
	my ($name, $sfunc, $type, $parameters, $types, $final) = @$kind;
	$number++;
	$s->value("CREATE AGGREGATE state$number($type, $types) (sfunc = idp.${sfunc}_accum, stype = idp_state, "
		  . "initcond = 'empty', combinefunc = idp.combine);"
		  . "CREATE AGGREGATE merge$number(idp_state) (sfunc = idp.combine, stype = idp_state, initcond = 'empty', "
		  . "combinefunc = idp.combine, finalfunc = idp.$final)");
	my $values = $type eq 'timestamp' ? "'2000-01-01', '2000-02-01', '2000-03-01'" : "'3', '4', '4', '7'";
	my $state = $s->value("SELECT state$number(x, $parameters) FROM unnest(ARRAY[$values]::$type\[]) x");
	$original{$name} = payload_of($state);
	$merge_of{$name} = "merge$number";

	# true states: text, a table, COPY BINARY, a merge of parts
	my $file = abs_path($node->basedir) . '/states.bin';
	$s->value("CREATE TABLE stored$number AS SELECT i % 2 AS part, state$number(x, $parameters) AS s "
		  . "FROM unnest(ARRAY[$values]::$type\[]) WITH ORDINALITY AS v (x, i) GROUP BY 1;"
		  . "COPY stored$number TO '$file' (FORMAT binary); CREATE TABLE copied$number (LIKE stored$number); "
		  . "COPY copied$number FROM '$file' (FORMAT binary);"
		  . "CREATE AGGREGATE gather$number(idp_state) (sfunc = idp.combine, stype = idp_state, initcond = 'empty')");
	is($s->value("SELECT '$state'::idp_state::text"), $state, "$name: the text of a state is read back");
	is($s->value("SELECT count(*) FROM (SELECT part, s::text FROM stored$number EXCEPT SELECT part, s::text "
		  . "FROM copied$number) d"), 0, "$name: so is the binary form");
	# sets of values have no order, so of those only the length tells
	my $merged = $s->value("SELECT gather$number(s ORDER BY part DESC) FROM copied$number");
	($merged, $state) = map { length } $merged, $state if $final !~ /moments|histogram/;
	is($merged, $state, "$name: merged parts are the state of all") unless $name =~ /distinct/;

	# forged: each byte altered
	my @altered;
	foreach my $at (0 .. length($original{$name}) - 1)
	{
		foreach my $change (0x01, 0x80, 0xFF)
		{
			my $bytes = $original{$name};
			substr($bytes, $at, 1) ^= chr($change);
			push @altered, $bytes;
		}
	}
	my $verdicts = judge("merge$number", @altered);
	is(join(' ', grep { !/^(00000|22P02|42804)$/ } keys %$verdicts), '',
		"$name, altered and resealed: refused, of another kind, or sound: "
		  . join(', ', map { "$_ $verdicts->{$_}" } sort keys %$verdicts));
	cmp_ok($verdicts->{'22P02'} // 0, '>=', 50, "$name: many alterations cannot be states");

	# several bytes at once, words swapped, cut off and added
	my @mixed;
	foreach (1 .. 150)
	{
		my $bytes = $original{$name};
		substr($bytes, 4 + int(rand(length($bytes) - 4)), 1) = chr int rand 256 foreach 1 .. 1 + int rand 4;
		push @mixed, $bytes;
		$bytes = $original{$name};
		substr($bytes, 68 + 8 * int(rand((length($bytes) - 68) / 8)), 8) = (pack('q>', int(rand 5) - 2),
			"\x7F" . "\xFF" x 7, "\x80" . "\0" x 7, "\xFF" x 8, pack('d>', rand))[ int rand 5 ];
		push @mixed, $bytes;
	}
	push @mixed, substr($original{$name}, 0, -8), $original{$name} . "\0" x 8, $original{$name}
	  . "\xFF" x 16, substr($original{$name}, 0, 76), substr($original{$name}, 0, 75);
	$verdicts = judge("merge$number", @mixed);
	is(join(' ', grep { !/^(00000|22P02|42804)$/ } keys %$verdicts), '', "$name, altered in several places: "
		  . join(', ', map { "$_ $verdicts->{$_}" } sort keys %$verdicts));
	$s->alive("$name: after forged states");
}

# A state of one kind is no state of another; and the ends of the integers do no harm
foreach my $name (sort keys %original)
{
	my $verdicts = judge($merge_of{$name},
		map { $original{$_} } grep { $_ ne $name && $_ !~ /^(idp|dp)_(median|max)\w* int4/ } sort keys %original);
	is(join(' ', grep { !/^(00000|42804)$/ } keys %$verdicts), '',
		"$name: the states of others are finished as theirs or refused");
}

sub with { my ($name, $at, $bytes) = @_; my $p = $original{$name}; substr($p, $at, length $bytes) = $bytes; return $p }
my $most = "\x7F" . "\xFF" x 7;
foreach (
	[ 'groups 0', 'idp_sum int4', 10, "\0\0" ],
	[ 'groups without epsilons', 'idp_sum int4', 10, "\0\2" ],
	[ 'groups of 33', 'idp_median int4, groups', 10, "\0\x21" ],
	[ 'groups of a variance', 'idp_variance numeric', 10, "\0\2" ],
	[ 'second epsilon 0', 'idp_median int4, groups', 84, "\0" x 8 ],
	[ 'second epsilon NaN', 'idp_median int4, groups', 84, pack('H*', '7ff8000000000000') ],
	[ 'first epsilon not that of the header', 'idp_median int4, groups', 76, pack('d>', 5) ],
	[ 'a sum of three values beyond three upper bounds', 'idp_sum int4', 76, pack('q>3', 0, 0, 1000) ],
	[ 'a sum of 2^191', 'idp_sum int4', 76, "\xFF" x 24 ],
	[ 'a smallest value above the largest', 'idp_sum int4', 100, pack('q>2', 0, 9) ],
	[ 'a largest value beyond the bound', 'idp_sum int4', 116, pack('q>2', 0, 10) ],
	[ 'no rows but a sum', 'idp_sum int4', 68, pack('q>', 0) ],
	[ 'negative count', 'idp_sum int4', 68, pack('q>', -1) ],
	[ 'squares that are too small', 'dp_variance float8', 100, "\0" x 40 ],
	[ 'squares that are too large', 'dp_variance float8', 100, "\xFF" x 40 ],
	[ 'a negative bucket', 'dp_histogram int4', 76, pack('q>', -1) ],
	[ 'buckets that do not add up', 'dp_histogram int4', 76, pack('q>', 4) ],
	[ 'buckets that overflow', 'dp_histogram int4', 76, $most . $most ],
	[ 'no buckets', 'dp_histogram int4', 28, pack('q>', 0) ],
	[ 'more buckets than there are', 'dp_histogram int4', 28, pack('q>', 4) ],
	[ 'gamma 5', 'dp_median_smooth int4', 28, pack('q>', 5) ],
	[ 'gamma 0', 'dp_median_smooth int4', 28, pack('q>', 0) ],
	[ 'crossed bounds', 'dp_median_smooth int4', 52, "\xFF" x 16 ],
	[ 'fraction 2', 'dp_quantile_smooth float8', 20, pack('d>', 2) ],
	[ 'a text with an epsilon of -1', 'dp_count_distinct text', 12, pack('d>', -1) ],
	[ 'a sum of texts', 'dp_count_distinct text', 4, "\x0E" ],
	[ 'a median of texts', 'dp_count_distinct text', 4, "\1" ])
{
	my ($what, $name, $at, $bytes) = @$_;
	my $r = $s->run("SELECT '\\x" . unpack('H*', sealed(with($name, $at, $bytes))) . "'::idp_state");
	is_deeply([ @$r{qw(sqlstate message)} ], [ '22P02', 'invalid value of type idp_state' ], "forged: $what");
}

# counts that would not fit saturate, with what was counted
my $many = '\x' . unpack('H*', sealed(with('dp_histogram int4', 68, $most . pack('q>2', 0, 0) . $most)));
my $r = $s->run("SELECT $merge_of{'dp_histogram int4'}(s) FROM (VALUES ('$many'::idp_state), ('$many')) x (s)");
is($r->{sqlstate} // '', '', 'a histogram of 2^63 - 1 rows merges with itself');
$r = $s->run("SELECT $merge_of{'dp_sum int8'}(s) FROM (SELECT '\\x" . unpack('H*',
	sealed(with('dp_sum int8', 68, $most . pack('q>3', 0, 9, 0)))) . "'::idp_state AS s FROM generate_series(1, 5)) x");
ok(!defined $r->{sqlstate} || $r->{sqlstate} eq '22P02', 'a sum of 2^63 - 1 rows merges with itself, or is refused');

$s->alive('after all forgeries');
$s->quit;
$node->stop;
done_testing();

# The state of an aggregate as a value of its own: stored, copied, dumped, merged, and forged.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('state');
my $s = session($node);
my $dir = abs_path($node->basedir);

# User-made aggregates from the support functions: <aggregate>_state yields the state, merge_<type>
# and merge_count finish any number of states.
sub state_aggregates
{
	my ($type) = @_;
	my $sql = "CREATE AGGREGATE merge_$type->{name}(idp_state) (sfunc = idp.combine, "
	  . "stype = idp_state, initcond = 'empty', combinefunc = idp.combine, "
	  . "finalfunc = idp.$type->{name}_final, parallel = safe);\n";
	foreach my $aggregate (@aggregates)
	{
		my $extra = join ', ', map { /^\d+$/ ? 'bigint' : /^[\d.]+$/ ? 'float8' : $type->{sql} }
		  $aggregate->{parameters}->($type->{value}->('0'), $type->{value}->('10'));
		$sql .= "CREATE AGGREGATE $aggregate->{name}_state($type->{sql}, float8"
		  . ($extra ne '' ? ", $extra" : '')
		  . ") (sfunc = idp.$aggregate->{name}_accum, stype = idp_state, initcond = 'empty', "
		  . "combinefunc = idp.combine, parallel = safe);\n";
	}
	return $sql;
}

sub merge_of
{
	my ($aggregate, $type) = @_;
	return $aggregate->{selects} ? "merge_$type->{name}" : 'merge_count';
}

$s->value("CREATE AGGREGATE merge_count(idp_state) (sfunc = idp.combine, stype = idp_state, "
	  . "initcond = 'empty', combinefunc = idp.combine, finalfunc = idp.count_final);"
	  . "CREATE AGGREGATE dp_count_state(float8) (sfunc = idp.dp_count_accum, stype = idp_state, "
	  . "initcond = 'empty', combinefunc = idp.combine, parallel = safe)");
$s->value(state_aggregates($_)) foreach @types;

# Stored states of all kinds: a row per part of the data. The storage settings make short headers
# (counts), plain, compressed and out-of-line values.
$s->value('CREATE TABLE states (kind text, part int, s idp_state)');
$s->value('CREATE TABLE answers (kind text, merge text, direct text)');
foreach my $type (@types)
{
	$s->value("CREATE TABLE data_$type->{name} AS " . exact_table($type));
	foreach my $aggregate (@aggregates)
	{
		my $kind = "$aggregate->{name} $type->{name}";
		my $parameters = parameters($aggregate, $type);
		$s->value("INSERT INTO states SELECT '$kind', i % 7, $aggregate->{name}_state(x, $parameters) "
			  . "FROM data_$type->{name} GROUP BY i % 7");
		$s->value("INSERT INTO answers SELECT '$kind', '"
			  . merge_of($aggregate, $type) . "', "
			  . call($aggregate, $type, 'x')
			  . "::text FROM data_$type->{name}");
	}
}
# As text and back they are as short as they can be; those of an aggregation have room for more rows.
$s->value("INSERT INTO states SELECT 'dp_count', i % 7, dp_count_state(1000)::text::idp_state "
	  . "FROM generate_series(1, 100) i GROUP BY i % 7;"
	  . "INSERT INTO answers VALUES ('dp_count', 'merge_count', 100)");
is($s->value('SELECT count(*) FROM answers'), 9 * 8 + 1, 'states of all types and statistics');

# Large ones: 300 000 values are 2.4 MB on a narrow grid and 4.8 MB on a wide one; a column of
# equal values compresses.
$s->value(<<'SQL');
CREATE TABLE large AS SELECT i, (i + 500) / 1000 AS x FROM generate_series(0, 299999) i;
INSERT INTO states SELECT 'large int4', i % 3, idp_median_state(x, 0.01) FROM large GROUP BY i % 3;
INSERT INTO states SELECT 'large numeric', i % 3, idp_median_state(x::numeric, 0.01) FROM large GROUP BY i % 3;
INSERT INTO states SELECT 'medium int8', i % 3, idp_median_state(x::bigint, 0.01) FROM large
  WHERE i < 2600 GROUP BY i % 3;
INSERT INTO states SELECT 'ties float8', i % 3, idp_median_state(42::float8, 0.01) FROM large GROUP BY i % 3;
INSERT INTO answers SELECT 'large int4', 'merge_int4', idp_median(x, 0.01) FROM large;
INSERT INTO answers SELECT 'large numeric', 'merge_numeric', idp_median(x::numeric, 0.01) FROM large;
INSERT INTO answers SELECT 'medium int8', 'merge_int8', idp_median(x::bigint, 0.01) FROM large WHERE i < 2600;
INSERT INTO answers SELECT 'ties float8', 'merge_float8', idp_median(42::float8, 0.01) FROM large;
-- the same values, as the server would keep them under other storage settings
CREATE TABLE states_external (LIKE states);
ALTER TABLE states_external ALTER s SET STORAGE external;
INSERT INTO states_external SELECT kind, part, s::text::idp_state FROM states;
CREATE TABLE states_plain (LIKE states);
ALTER TABLE states_plain ALTER s SET STORAGE main;
INSERT INTO states_plain SELECT * FROM states WHERE kind NOT LIKE 'large%' AND kind NOT LIKE 'ties%';
SQL
is( $s->value("SELECT bool_or(pg_column_size(s) < 126), (SELECT bool_or(pg_column_size(s) > 1000000) "
		  . "FROM states_external), "
		  . "bool_or(pg_column_size(s) < 100000 AND kind LIKE 'ties%') FROM states"),
	't|t|t',
	'short, large and compressed values are among the states');

# Merges the states of a table and compares with the direct answers; returns the kinds that differ.
# The text of timestamps depends on the session only, so comparing text is fair.
$s->value(<<'SQL');
CREATE FUNCTION wrong_merges(source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  a record;
  merged text;
  wrong text := '';
BEGIN
  FOR a IN SELECT * FROM answers ORDER BY kind LOOP
    EXECUTE format('SELECT %s(s)::text FROM %s WHERE kind = $1 HAVING count(*) > 0', a.merge, source)
      INTO merged USING a.kind;
    IF merged IS NOT NULL AND merged IS DISTINCT FROM a.direct THEN
      wrong := wrong || format('%s: %s instead of %s; ', a.kind, merged, a.direct);
    END IF;
  END LOOP;
  RETURN wrong;
END $$;
SQL
is($s->value("SELECT count(*) FROM answers WHERE direct IS NULL"), 0, 'every direct answer is exact');
foreach my $source ('states', 'states_external', 'states_plain', '(SELECT kind, s::text::idp_state AS s FROM states) x')
{
	is($s->value("SELECT wrong_merges('$source')"), '', "merging the states of $source");
}

# text and binary keep every bit, and "empty" is a value like any other
is( $s->value("SELECT count(*) FROM states WHERE s::text <> s::text::idp_state::text"),
	0, 'text form is read back as it was written');
is($s->value("SELECT 'empty'::idp_state"), 'empty', 'the empty state has a text form');
is($s->value("SELECT merge_int4('empty') IS NULL, merge_int4('empty'::idp_state) IS NULL"),
	't|t', 'merging empty states only: nothing is known, the answer is NULL');
is( $s->value("SELECT merge_int4(s) = (SELECT direct::int FROM answers WHERE kind = 'idp_median int4') FROM "
		  . "(SELECT s FROM states WHERE kind = 'idp_median int4' UNION ALL SELECT 'empty') x"),
	't', 'the empty state is neutral');

$s->value("COPY states TO '$dir/states.bin' (FORMAT binary);"
	  . "COPY (SELECT 'empty'::idp_state) TO '$dir/empty.bin' (FORMAT binary);"
	  . "CREATE TABLE copied (LIKE states); COPY copied FROM '$dir/states.bin' (FORMAT binary);"
	  . "CREATE TABLE copied_text (LIKE states); COPY states TO '$dir/states.txt'; "
	  . "COPY copied_text FROM '$dir/states.txt';"
	  . "CREATE TABLE copied_empty (s idp_state); COPY copied_empty FROM '$dir/empty.bin' (FORMAT binary)");
foreach my $copy ('copied', 'copied_text')
{
	is( $s->value("SELECT count(*) FROM (SELECT kind, part, s::text FROM $copy EXCEPT "
		  . "SELECT kind, part, s::text FROM states) x"),
		0, "$copy: the states are the same");
	is($s->value("SELECT wrong_merges('$copy')"), '', "$copy: merges are right");
}
is($s->value('SELECT s FROM copied_empty'), 'empty', 'the empty state through COPY BINARY');

# through the client, over the wire
$node->command_ok(
	[
		'psql', '-Xq', '-d', $node->connstr('postgres'), '-c',
		"\\copy states TO '$dir/client.bin' (FORMAT binary)"
	],
	'COPY BINARY to the client');
is(slurp_file("$dir/client.bin"), slurp_file("$dir/states.bin"), 'the client gets the same bytes');

# dump and restore
$node->command_ok([ 'pg_dump', '-f', "$dir/dump.sql", $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', "$dir/dump.sql" ],
	'restore');
my $restored = session($node, 'restored');
is($restored->value("SELECT wrong_merges('states')"), '', 'merges after dump and restore');
is($restored->value("SELECT count(*) FROM states"), $s->value("SELECT count(*) FROM states"), 'all states came along');
$restored->quit;

# --- States that do not belong together ----------------------------------------------------------

$s->value(<<'SQL');
CREATE FUNCTION x(int) RETURNS SETOF int LANGUAGE sql AS 'SELECT i FROM generate_series(1, $1) i';
CREATE TABLE mixed (what text, detail text, a idp_state, b idp_state);
INSERT INTO mixed SELECT 'epsilon', 'They differ in epsilon.', idp_median_state(i, 0.5),
  idp_median_state(i, 0.25) FROM x(9) i;
INSERT INTO mixed SELECT 'fraction', 'They differ in a parameter.', idp_quantile_state(i, 1, 0.5),
  idp_quantile_state(i, 1, 0.25) FROM x(9) i;
INSERT INTO mixed SELECT 'k', 'They differ in a parameter.', idp_kth_largest_state(i, 1, 2),
  idp_kth_largest_state(i, 1, 3) FROM x(9) i;
INSERT INTO mixed SELECT 'lower', 'They differ in a parameter.', idp_min_state(i, 1, 0),
  idp_min_state(i, 1, 1) FROM x(9) i;
INSERT INTO mixed SELECT 'upper of a count', 'They differ in a parameter.', dp_count_range_state(i, 1, 0, 5),
  dp_count_range_state(i, 1, 0, 6) FROM x(9) i;
INSERT INTO mixed SELECT 'column type', 'They are of different column types.', idp_median_state(i, 1),
  idp_median_state(i::bigint, 1) FROM x(9) i;
INSERT INTO mixed SELECT 'scale', 'They are of different column types.', idp_median_state(i::numeric(5, 2), 1),
  idp_median_state(i::numeric(5, 1), 1) FROM x(9) i;
INSERT INTO mixed SELECT 'width', 'They are of different column types.', idp_median_state(i::numeric, 1),
  idp_median_state(i::numeric(5, 1), 1) FROM x(9) i;
INSERT INTO mixed SELECT 'statistic', 'They are of different aggregates.', idp_median_state(i, 1),
  idp_quantile_state(i, 1, 0.5) FROM x(9) i;
INSERT INTO mixed SELECT 'count and values', 'They are of different aggregates.', idp_median_state(i, 1),
  dp_count_state(1) FROM x(9) i;
INSERT INTO mixed SELECT 'large and small', 'They differ in epsilon.', (SELECT idp_median_state(i, 2) FROM x(9999) i),
  (SELECT idp_median_state(i, 1) FROM x(9) i);
SQL
foreach my $what (split /\n/, $s->value('SELECT what FROM mixed'))
{
	foreach my $order ('a UNION ALL b', 'b UNION ALL a')
	{
		my ($first, $second) = $order =~ /(\w).* (\w)/;
		my $r = $s->run("SELECT merge_int4(s) FROM (SELECT $first AS s FROM mixed WHERE what = '$what' "
			  . "UNION ALL SELECT $second FROM mixed WHERE what = '$what') x");
		is_deeply(
			[ @$r{qw(sqlstate message detail)} ],
			[
				'22023', 'cannot combine different values of type idp_state',
				$s->value("SELECT detail FROM mixed WHERE what = '$what'")
			],
			"states that differ in $what ($order)");
	}
}
# a state meets the wrong final function, and rows the state of another call
foreach my $case (
	[ 'merge_int8', 'idp_median int4' ],
	[ 'merge_timestamp', 'idp_median timestamptz' ],
	[ 'merge_count', 'idp_median int4' ],
	[ 'merge_int4', 'idp_count_range int4' ],
	[ 'merge_float8', 'idp_median float4' ],)
{
	my ($merge, $kind) = @$case;
	my $r = $s->run("SELECT $merge(s) FROM states WHERE kind = '$kind'");
	is($r->{sqlstate}, '42804', "$merge does not finish $kind");
	is($r->{message}, 'idp_state belongs to another aggregate or column type', "$merge, $kind: message");
}

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

# Feeds hexadecimal texts (or any text) to the type's input function and to merge and count what
# comes of it: rows of (sqlstate, message, detail, number).
$s->value(<<'SQL');
CREATE UNLOGGED TABLE forged (t text);
CREATE FUNCTION judge(merge text) RETURNS TABLE (sqlstate text, message text, detail text, n bigint)
LANGUAGE plpgsql AS $$
DECLARE
  f record;
  answer text;
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS verdicts (sqlstate text, message text, detail text);
  TRUNCATE verdicts;
  FOR f IN SELECT t FROM forged LOOP
    DECLARE
      code text; text1 text; text2 text;
    BEGIN
      EXECUTE format('SELECT %s(s)::text FROM (SELECT $1::idp_state UNION ALL SELECT $1::idp_state) x (s)', merge)
        INTO answer USING f.t;
      INSERT INTO verdicts VALUES ('00000', 'accepted', '');
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, text1 = MESSAGE_TEXT, text2 = PG_EXCEPTION_DETAIL;
      INSERT INTO verdicts VALUES (code, text1, text2);
    END;
  END LOOP;
  RETURN QUERY SELECT v.sqlstate, v.message, v.detail, count(*) FROM verdicts v GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
END $$;
SQL

sub judge
{
	my ($merge, @texts) = @_;
	open my $file, '>', "$dir/forged.txt" or die;
	print $file map { s/\\/\\\\/gr . "\n" } @texts;
	close $file;
	my $rows = $s->value("TRUNCATE forged; COPY forged FROM '$dir/forged.txt';\nSELECT * FROM judge('$merge')");
	my %count;
	foreach (split /\n/, $rows)
	{
		my ($code, $message, $detail, $n) = split /\|/;
		$count{$code} += $n;
		unlike("$message $detail", qr/\d/, "no number in: $message $detail");
	}
	return \%count;
}

my $small = $s->value("SELECT idp_quantile_state(i, 0.5, 0.25) FROM x(3) i");
my $payload = payload_of($small);
is('\x' . unpack('H*', sealed($payload)), $small, 'the layout of a state: payload and CRC-32C, big-endian');
is(length($payload), 76 + 3 * 8, 'header and three keys');

# cut off at every length, the empty string included
my @cut = map { substr($small, 0, $_) } 0, 1, 3 .. length($small) - 1;
is_deeply(judge('merge_int4', @cut), { '22P02' => scalar @cut }, 'text cut off anywhere is refused');
is($s->run("SELECT '\\x'::idp_state")->{sqlstate}, '22P02', 'text cut off after \x is refused, too');
# and with a checksum that is right for what is left
my @resealed = map { '\x' . unpack('H*', sealed(substr($payload, 0, $_))) } 0 .. length($payload) - 1;
is_deeply(judge('merge_int4', @resealed), { '22P02' => scalar @resealed }, 'payload cut off anywhere is refused');
is_deeply(judge('merge_int4', map { '\x' . unpack('H*', sealed($payload . "\0" x $_)) } 1 .. 32),
	{ '22P02' => 32 }, 'trailing bytes are refused');

# every bit of every byte, checksum included
my @flipped;
foreach my $at (0 .. length($payload) + 3)
{
	foreach my $bit (0 .. 7)
	{
		my $bytes = sealed($payload);
		substr($bytes, $at, 1) ^= chr(1 << $bit);
		push @flipped, '\x' . unpack('H*', $bytes);
	}
}
is_deeply(judge('merge_int4', @flipped), { '22P02' => scalar @flipped }, 'a flipped bit anywhere is refused');

# With the checksum made right again a flipped bit may be another true state (another epsilon,
# another value, another statistic); then merging must go well or say that it does not belong here.
my %original = (
	int4 => $payload,
	map { $_ => payload_of($s->value("SELECT s FROM states WHERE kind = 'idp_max $_' LIMIT 1")) }
	  qw(int2 float4 float8 numeric date timestamp));
foreach my $type (sort keys %original)
{
	my @altered;
	foreach my $at (0 .. length($original{$type}) - 1)
	{
		foreach my $change (0x01, 0x80, 0xFF, 0x10)
		{
			my $bytes = $original{$type};
			substr($bytes, $at, 1) ^= chr($change);
			push @altered, '\x' . unpack('H*', sealed($bytes));
		}
	}
	my $verdicts = judge("merge_$type", @altered);
	ok( (grep { /^(00000|22P02|42804)$/ } keys %$verdicts) == keys %$verdicts,
		"$type, altered and resealed: refused, of another kind, or sound: "
		  . join(', ', map { "$_ $verdicts->{$_}" } sort keys %$verdicts));
	cmp_ok($verdicts->{'22P02'} // 0, '>=', 4 * 10, "$type: many alterations cannot be states");
}

sub with { my ($at, $bytes, $from) = @_; my $p = $from // $payload; substr($p, $at, length $bytes) = $bytes; return $p }
my $count_payload = payload_of($s->value("SELECT dp_count_state(1000) FROM x(3)"));
my @impossible = (
	[ 'version 0', with(3, "\0") ],
	[ 'version 2', with(3, "\2") ],
	[ 'version 255', with(3, "\xFF") ],
	[ 'magic', with(0, 'PDI') ],
	[ 'statistic 0', with(4, "\0") ],
	[ 'statistic 200', with(4, "\xC8") ],
	[ 'type 0', with(5, "\0") ],
	[ 'type 99', with(5, "c") ],
	[ 'a precision for an integer', with(6, pack('n', 5)) ],
	[ 'no epsilon', with(10, "\0\0") ],
	[ 'two epsilons', with(10, "\0\2") ],
	[ '257 epsilons', with(10, "\1\1") ],
	[ 'epsilon 0', with(12, "\0" x 8) ],
	[ 'epsilon -1', with(12, pack('d>', -1)) ],
	[ 'epsilon NaN', with(12, pack('H*', '7ff8000000000000')) ],
	[ 'epsilon infinity', with(12, pack('H*', '7ff0000000000000')) ],
	[ 'fraction 2', with(20, pack('d>', 2)) ],
	[ 'fraction NaN', with(20, pack('H*', '7ff8000000000001')) ],
	[ 'k of a quantile', with(28, pack('q>', 1)) ],
	[ 'lower of a quantile', with(36, "\0" x 15 . "\1") ],
	[ 'upper of a quantile', with(52, "\1") ],
	[ 'count 4', with(68, pack('q>', 4)) ],
	[ 'count 2', with(68, pack('q>', 2)) ],
	[ 'count -1', with(68, pack('q>', -1)) ],
	[ 'count 2^63 - 1', with(68, "\x7F" . "\xFF" x 7) ],
	[ 'count 2^61, whose bytes are 0 modulo 2^64', with(68, "\x20" . "\0" x 7) ],
	[ 'count 2^61 + 3', with(68, "\x20" . "\0" x 6 . "\3") ],
	[ 'count -2^63', with(68, "\x80" . "\0" x 7) ],
	[ 'an integer beyond 32 bits', with(76, pack('q>', 2**31)) ],
	[ 'an integer below -2^31', with(76, pack('q>', -2**31 - 1)) ],
	[ 'negative count of rows', with(68, pack('q>', -1), $count_payload) ],
	[ 'a count with a type', with(5, "\2", $count_payload) ],
	[ 'NaN as a key', with(76, "\x7F" . "\xFF" x 7, $original{float8}) ],
	[ 'negative zero as a key', with(76, "\xFF" x 8, $original{float8}) ],
	[ 'a real that is no real', with(76, pack('q>', unpack('q>', pack('d>', 0.1))), $original{float4}) ],
	[ 'an infinite upper bound', with(60, "\x7F\xF0" . "\0" x 6, $original{float8}) ],
	[ 'a bound that is not sign-extended', with(52, "\1", $original{int2}) ],
	[ 'precision 39', with(6, pack('n', 39), $original{numeric}) ],
	[ 'precision -1', with(6, pack('n', 0xFFFF), $original{numeric}) ],
	[ 'another scale of a plain numeric', with(8, pack('n', 5), $original{numeric}) ],
	[ 'a date after the last one', with(76, pack('q>', 2145031949), $original{date}) ],
	[ 'a timestamp before the first one', with(76, pack('q>', -211813488000000001), $original{timestamp}) ],);
foreach (@impossible)
{
	my ($what, $bytes) = @$_;
	my $r = $s->run("SELECT '\\x" . unpack('H*', sealed($bytes)) . "'::idp_state");
	is_deeply([ @$r{qw(sqlstate message)} ], [ '22P02', 'invalid value of type idp_state' ], "forged: $what");
}
is($s->run("SELECT '\\x" . unpack('H*', sealed(with(3, "\2"))) . "'::idp_state")->{detail},
	'The state is of another version.', 'another version is called so');

# 2^63 - 1 rows are a count like any other; the sum stays there
my $many = '\x' . unpack('H*', sealed(with(68, "\x7F" . "\xFF" x 7, $count_payload)));
is($s->value("SELECT merge_count(s) FROM (VALUES ('$many'::idp_state), ('$many')) x (s)"),
	'9223372036854775807', 'counts do not wrap');

# text that is not even hexadecimal
is_deeply(
	judge('merge_int4', 'x', 'EMPTY', 'empty ', ' empty', 'x00', '\\', '\X00', '\x0', "${small}0", "${small}00",
		substr($small, 0, -1) . 'g', $small =~ s/49/4 9/r, " $small", 'DROP TABLE states', '\x' . '00' x 3,
		'\x' . 'zz' x 100),
	{ '22P02' => 16 },
	'text that is no hexadecimal, or of odd length');
is($s->value("SELECT '" . uc($small) =~ s/X/x/r . "'::idp_state::text = '$small'"), 't', 'upper case digits are read');

# garbage, in a fixed order
srand 20170401;
sub garbage { return join '', map { chr int rand 256 } 1 .. $_[0] }
my @garbage = map { '\x' . unpack('H*', garbage(1 + int rand 300)) } 1 .. 500;
push @garbage, map { '\x' . unpack('H*', sealed(substr($payload, 0, 4) . garbage(int rand 300))) } 1 .. 1000;
push @garbage, map { '\x' . unpack('H*', sealed(substr($payload, 0, 76) . garbage(24))) } 1 .. 200;
is_deeply(judge('merge_int4', @garbage), { '22P02' => 1700 }, 'garbage as text');

sub copy_file
{
	my @fields = @_;
	open my $file, '>:raw', "$dir/forged.bin" or die;
	print $file "PGCOPY\n\xFF\r\n\0", pack('NN', 0, 0);
	print $file pack('nN/a*', 1, $_) foreach @fields;
	print $file pack('n', 0xFFFF);
	close $file;
	return;
}
$s->value('CREATE UNLOGGED TABLE received (s idp_state)');
my %received;
foreach my $bytes (
	(map { substr(sealed($payload), 0, $_) } 1 .. length($payload) + 3),
	(map { sealed(garbage($_)) } 1 .. 100),
	(map { sealed(substr($payload, 0, 76) . garbage(24)) } 1 .. 20),
	(map { sealed($_->[1]) } @impossible),
	'empty',
	$small)
{
	copy_file($bytes);
	my $r = $s->run("COPY received FROM '$dir/forged.bin' (FORMAT binary)");
	$received{ ($r->{sqlstate} // 'accepted') . ' ' . ($r->{message} // '') }++;
}
is_deeply([ keys %received ], ['22P03 invalid value of type idp_state'], 'forgeries through COPY BINARY');
copy_file(sealed($payload), sealed(substr($payload, 0, 4) . "\0"), sealed($payload));
$s->value("COPY received FROM '$dir/forged.bin' (FORMAT binary)");
is($s->value('SELECT merge_int4(s) IS NOT NULL, count(*) FROM received'), 't|3', 'true states are received');

$s->alive('after all forgeries');
$s->quit;
$node->stop;
done_testing();

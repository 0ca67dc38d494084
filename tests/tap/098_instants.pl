# Domains of instants, which analysts see by cells of a grain: every cell that can have rows, and no other, by whatever
# is the same for all of a cell; conditions that cut cells leave them; time zones.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('instants', 'fsync = off', 'jit = off', "session_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);

# --- Declaring ------------------------------------------------------------------------------------

$s->value(<<'SQL');
CREATE ROLE analyst LOGIN;
CREATE TABLE d (at timestamp, tz timestamptz, day date, n int);
SQL
foreach my $case (
	[ "'at', '2024-01-01', '2024-01-04', '1 day'", '3 2024-01-01 00:00:00 2024-01-03 00:00:00' ],
	[ "'at', '2024-01-01 10:00', '2024-01-03 00:00:01', grain => 'P1D'", '3 2024-01-01 00:00:00 2024-01-03 00:00:00' ],
	[ "'at', timestamp '2024-01-01', timestamp '2024-01-02', grain => '1 hour'",
		'24 2024-01-01 00:00:00 2024-01-01 23:00:00' ],
	[ "'at', date '2024-01-01', date '2024-01-02', '60 min'", '24 2024-01-01 00:00:00 2024-01-01 23:00:00' ],
	[ "'at', '2024-01-01 00:00', '2024-01-01 00:10', '1 minute'", '10 2024-01-01 00:00:00 2024-01-01 00:09:00' ],
	[ "'at', '2024-01-01 00:00', '2024-01-01 00:01', '1 second'", '60 2024-01-01 00:00:00 2024-01-01 00:00:59' ],
	[ "'at', '2024-01-03', '2024-02-01', '1 week'", '5 2024-01-01 00:00:00 2024-01-29 00:00:00' ],
	[ "'at', '2024-01-31', '2025-01-01', '1 month'", '12 2024-01-01 00:00:00 2024-12-01 00:00:00' ],
	[ "'at', '2024-01-31', '2025-01-01', '3 months'", '4 2024-01-01 00:00:00 2024-10-01 00:00:00' ],
	[ "'at', '1024-01-31', '3025-01-01', '12 months'", '2001 1024-01-01 00:00:00 3024-01-01 00:00:00' ],
	[ "'tz', '2024-01-01', '2025-01-01', '1 day', 'UTC'", '366 2024-01-01 00:00:00+00 2024-12-31 00:00:00+00' ],
	[ "'tz', '2024-01-01', '2025-01-01', '1 day', zone => 'Europe/Berlin'",
		'366 2023-12-31 23:00:00+00 2024-12-30 23:00:00+00' ],
	[ "'tz', timestamptz '2024-01-01 00:00+01', timestamptz '2025-01-01 00:00+01', '1 month', 'Europe/Berlin'",
		'12 2023-12-31 23:00:00+00 2024-11-30 23:00:00+00' ],
	[ "'tz', '2017-01-01', '2019-01-01', '1 day', 'America/Sao_Paulo'",
		'730 2017-01-01 02:00:00+00 2018-12-31 02:00:00+00' ],
	[ "'tz', '2024-01-01', '2025-01-01', '1 day', 'Australia/Lord_Howe'",
		'366 2023-12-31 13:00:00+00 2024-12-30 13:00:00+00' ],
	[ "'tz', '2024-01-01', '2024-01-03', '1 hour', 'Asia/Kolkata'",
		'48 2023-12-31 18:30:00+00 2024-01-02 17:30:00+00' ],
	[ "'tz', '2024-01-01', '2025-01-01', '1 hour', 'Europe/Berlin'",
		'8784 2023-12-31 23:00:00+00 2024-12-31 22:00:00+00' ],)
{
	my ($arguments, $keys) = @$case;
	my ($column) = $arguments =~ /^'(\w+)'/;
	is($s->value("SET timezone = 'Asia/Tokyo'; SET datestyle = 'German'; SET intervalstyle = 'iso_8601'; "
		. "SELECT idp.set_domain('d', $arguments) \\g /dev/null\nSELECT concat_ws(' ', count(*), min(k), max(k)) "
		. "FROM idp.domain('d', '$column') k"), $keys, "declared: $arguments");
	$s->value('RESET timezone; RESET datestyle; RESET intervalstyle');
	like($s->value("SELECT keys, lower, upper, grain, zone FROM idp.domains WHERE column_name = '$column'"),
		$column eq 'at' ? qr/^[|].*[|]\d (second|minute|hour|day|week|months?|year)[|]\z/ : qr/[|]\d \w+[|]\w/,
		'... as it is shown');
}
foreach my $case (
	[ "'at', '2024-01-01', '2025-01-01', '2 days'", '22023', qr/such as '1 day'/ ],
	[ "'at', '2024-01-01', '2025-01-01', '25 hours'", '22023' ],
	[ "'at', '2024-01-01', '2025-01-01', 'daily'", '22007' ],
	[ "'at', '2024-01-01', '2025-01-01', NULL::text", '22004' ],
	[ "'at', '2024-01-01', '2024-01-01', '1 day'", '22023', qr/upper one is not in the domain/ ],
	[ "'at', '2024-01-01', '2023-01-01', '1 day'", '22023' ],
	[ "'at', '-infinity', '2025-01-01', '1 day'", '22023', qr/two instants/ ],
	[ "'at', '2024-01-01', 'infinity', '1 day'", '22023' ],
	[ "'at', '2024-01-01', '2025-01-01', '1 day', 'UTC'", '22023', qr/Leave zone out/ ],
	[ "'tz', '2024-01-01', '2025-01-01', '1 day'", '22023', qr/zone => 'Europe/ ],
	[ "'tz', '2024-01-01', '2025-01-01', '1 day', 'Nowhere/Land'", '22023' ],
	[ "'tz', '2024-01-01', '2025-01-01', '1 hour', 'Australia/Lord_Howe'", '22023', qr/grain of a day or more/ ],
	[ "'tz', '2017-01-01', '2019-01-01', '1 hour', 'Asia/Pyongyang'", '22023' ],
	[ "'day', '2024-01-01', '2025-01-01', '1 day'", '42804', qr/something coarser/ ],
	[ "'n', 1, 2, '1 day'", '42804' ],)
{
	my ($arguments, $state, $hint) = @$case;
	my $refused = $s->run("SELECT idp.set_domain('d', $arguments)");
	is($refused->{sqlstate}, $state, "refused: $arguments");
	like($refused->{hint}, $hint, '... with a way out') if $hint;
}
is($s->value('SHOW timezone'), 'UTC', 'the time zone of the session is what it was');
like($s->run("SELECT idp.set_domain('d', 'at', '2024-01-01', '2025-01-01')")->{err},
	qr/NOTICE: .*give no keys to groups.*grain => '1 day'/s, 'bounds without a grain: a notice');
is($s->value("SELECT grain FROM idp.domains WHERE column_name = 'at'"), '', '... and none');
is($s->run("SELECT idp.set_domain('d', 'at', '1000-01-01', '2025-01-01', '1 second'); "
	  . "SELECT idp.domain('d', 'at')")->{sqlstate}, '54000', 'too many to list');
is($s->run("SELECT idp.set_domain('d', 'at', '4713-01-01 BC', '294276-01-01', '1 second'); "
	  . "SELECT idp.domain('d', 'at')")->{sqlstate}, '54000', 'all of time');

# --- Every cell, and no other ---------------------------------------------------------------------

# Two tables, and an instant of each quarter of an hour to tell which cells there are.
$s->value(<<'SQL');
CREATE TABLE events (id int PRIMARY KEY, at timestamp, tz timestamptz NOT NULL, kind text NOT NULL, x int NOT NULL);
CREATE TABLE quarters AS SELECT t AS at, t AT TIME ZONE 'Europe/Berlin' AS tz
  FROM generate_series(timestamp '2024-01-01', timestamp '2024-12-31 23:45', '15 min') t;
CREATE FUNCTION fill(many int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO events SELECT i, CASE WHEN i % 9 > 0 THEN t END, t AT TIME ZONE 'Europe/Berlin', 'k' || i % 2, i % 10
	FROM (SELECT i, timestamp '2023-12-01' + (i * 7919 % 600000) * interval '1 minute' AS t
	  FROM generate_series(1, many) i) e;
	INSERT INTO events VALUES (-1, 'infinity', '-infinity', 'k1', 1),
		(-2, '2024-01-01', '2024-01-01 00:00+01', 'k1', 1), (-3, '2025-01-01', '2025-01-01 00:00+01', 'k1', 1),
		(-4, '2024-12-31 23:59:59.999999', '2024-12-31 23:59:59.999999+01', 'k1', 1), (-5, '4713-01-01 BC',
		  '294270-01-01', 'k1', 1), (-6, '2024-03-31 02:30', '2024-03-31 03:00+02', 'k1', 1)
$$;
SELECT fill(2000);
SELECT idp.protect('events', 1e12, 'add_remove');
SELECT idp.set_domain('events', 'at', '2024-01-01', '2025-01-01', '1 day'), idp.set_domain('events', 'tz', '2024-01-01',
  '2025-01-01', '1 day', 'Europe/Berlin'), idp.set_domain('events', 'kind', ARRAY['k1', 'k2']);
GRANT SELECT ON events, quarters TO analyst;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

my @of_at = ("date_trunc('day', at)", "date_trunc('week', at)", "date_trunc('month', at)", "DATE_TRUNC('Quarter', at)",
	"date_trunc('year', at)", "date_trunc('century', at)", 'at::date', 'extract(year FROM at)',
	'extract(month FROM at)', "date_part('quarter', at)::int",
	'extract(dow FROM at)', 'extract(isodow FROM at)', 'extract(doy FROM at)', 'extract(week FROM at)',
		'extract(isoyear FROM at)', "date_trunc('month', at)::date + 1", "date_trunc('month', date_trunc('week', at))",
		"upper(extract(month FROM at)::text)",
	"CASE WHEN at IS NULL THEN 'never' ELSE 'once' END", "coalesce(at::date, '2020-01-01')",
	'floor(extract(epoch FROM at) / 86400) * 86400', "date_bin('7 days', at, '2001-01-01')",
		"date_bin('1 day', at, '2000-01-01')", "date_trunc('week', at + interval '1 day') - interval '1 day'",
		"to_char(at, 'YYYY-MM')", "TO_CHAR(at, 'FMDay, DD Mon IYYY \"T\"')",
	'trunc(extract(epoch FROM at - interval \'12 hours\' + interval \'12 hours\') / 604800)');
my @of_tz = map { s/\bat\b/tz/gr } grep { !/NULL|coalesce|bin|epoch|interval| > / } @of_at;
my @of_local = map { s/\bat\b/(tz AT TIME ZONE 'Europe\/Berlin')/gr }
  grep { !/NULL|coalesce|upper|bin|epoch|interval| > / } @of_at;
my @at_zone = map { "date_trunc('$_', tz, 'Europe/Berlin')" } 'day', 'week', 'month', 'quarter', 'year';
my @plans = ('SET enable_hashagg = on', 'SET enable_hashagg = off', "SET $force_parallel = on; "
	  . "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0");
my $reset = "RESET enable_hashagg; RESET $force_parallel; RESET parallel_setup_cost; RESET parallel_tuple_cost; "
  . "RESET min_parallel_table_scan_size; RESET timezone";
my $turn = 0;
my %keys;
sub keys_in { return join "\n", sort map { s/[|][^|]*\z//r } split /\n/, $_[0] }
sub sorted { return join "\n", sort split /\n/, $_[0] }

# expressions, a condition; exact: whether each cell that is left has an instant of quarters
my $within = { at => "(at >= '2024-01-01' AND at < '2025-01-01' OR at IS NULL)",
	tz => "tz >= '2024-01-01 00:00+01' AND tz < '2025-01-01 00:00+01'" };
sub ask
{
	my ($zone, $key, $condition, $more) = @_;
	my $column = $key =~ /\bat\b/ ? 'at' : 'tz';
	$_ = $_ ? " WHERE $_" : '' foreach my $where = $condition;
	my $and = $condition ? " AND ($condition)" : '';
	my $null = $column eq 'at' ? ' UNION ALL SELECT NULL, NULL' : '';
	my $query = "SELECT $key, dp_count(1000) FROM events$where GROUP BY 1";
	my $expected =
	  $s->value("SET timezone = '$zone'; SELECT k, sum(n) FROM (SELECT $key AS k, 0 AS n FROM (SELECT at, tz "
		. "FROM quarters$null) q$where UNION ALL SELECT $key, 1 FROM events WHERE $within->{$column}$and) u "
		. "GROUP BY 1");
	$s->value('RESET timezone');
	my $answer = $a->run($plans[ $turn++ % @plans ] . "; SET timezone = '$zone'; $query");
	$a->value($reset);
	is(sorted($answer->{out}) . ($answer->{message} // ''), sorted($expected), "in $zone: $query");
	$keys{"SET timezone = '$zone' \\g /dev/null\n$query"} = keys_in($answer->{out}) unless $answer->{message};
}
ask('UTC', $_, '') foreach @of_at, @of_local, @at_zone;
ask('Europe/Berlin', $_, '') foreach @of_tz;
ask('Asia/Tokyo', $_, '') foreach @of_at[ 0 .. 3 ], $at_zone[2];

# Conditions: on cells, on parts of cells, and on what is no matter of cells.
foreach my $condition ("at >= '2024-06-01' AND at < '2024-08-01'",
	"at >= '2024-06-01 12:00' AND at < '2024-06-03 12:00'", "at > '2024-12-30 23:00'", "at <= '2024-01-02'",
	"at < '2024-01-02'", "'2024-02-28 13:00' < at AND at < date '2024-03-02'",
	"at BETWEEN '2024-05-05 05:00' AND '2024-05-06 05:00'", "at = '2024-02-02 02:15'", "at >= date '2024-12-31'",
		"at IS NOT NULL", "at IS NULL", "at::date = '2024-06-06'", "date_trunc('month', at) = '2024-06-01'",
		"extract(month FROM at) = 2",
	"at < '2024-02-01' OR at >= '2024-12-01 18:00'", "at >= '2024-01-31 23:45' AND extract(month FROM at) IN (1, 3)",
	"at >= timestamp '2024-06-01' - interval '36 hours'", "at < 'infinity'")
{
	ask('UTC', $_, $condition) foreach 'at::date', "date_trunc('month', at)";
}
foreach my $condition ("tz >= '2024-06-01 12:00+00' AND tz < '2024-08-01'", "tz < '2024-03-31 12:00+02'",
	"tz >= '2024-10-27 02:30+01' AND tz < '2024-10-29 00:00+01'",
	"(tz AT TIME ZONE 'Europe/Berlin')::date = '2024-03-31'")
{
	ask('Europe/Berlin', $_, $condition) foreach 'tz::date', "date_trunc('month', tz)";
}
# Comparisons with instants, which follow the zone of the session, and functions of times that never go back.
my @of_zone = ("at >= timestamptz '2024-06-01 12:00+00' AND at < timestamptz '2024-08-01 00:00+00'",
	"at > '2024-12-30 22:00+00'::timestamptz", "at <= to_timestamp('2024-01-02', 'YYYY-MM-DD')",
	"timestamptz '2024-03-31 01:00+00' = at",
	"at BETWEEN timestamptz '2024-10-26 12:00+00' AND '2024-10-28 05:00+00'::text::timestamptz",
	"at::timestamptz >= '2024-12-30 12:00+00'", "at::timestamptz = '2024-10-27 06:00+00'",
		"extract(epoch FROM at) >= 1735000000", "extract(epoch FROM at) / 86400 < 19730",
		"-1 * extract(epoch FROM at) > -1704300000", "date_part('epoch', at) = 1717200000",
		"date_trunc('month', at) = date_trunc('month', timestamptz '2024-06-15 12:00+00')",
	"to_char(at, 'YYYY-MM') = '2024-06'", "at AT TIME ZONE 'Europe/Berlin' > '2024-12-30 12:00+00'",
		"at AT TIME ZONE 'UTC' < '2024-01-03 12:00+00'", "at::date >= timestamptz '2024-12-30 06:00+00'",
		"at < timestamptz '2024-01-05 12:00+00' OR at >= timestamptz '2024-12-30 12:00+00'",
		"at IS NULL OR at < timestamptz '2024-01-05 12:00+00'");
foreach my $condition (@of_zone)
{
	ask($_, 'at::date', $condition) foreach 'UTC', 'Europe/Berlin', 'America/New_York';
}
foreach my $condition ("tz >= timestamp '2024-06-01 12:00' AND tz < date '2024-08-01'", "tz <= date '2024-03-31'",
	"date_trunc('month', tz) = date_trunc('month', timestamptz '2024-06-15 12:00+00')",
	"to_char(tz, 'YYYY-MM') = '2024-06'", "tz::date BETWEEN '2024-10-26' AND '2024-10-28'",
	"extract(month FROM tz) = 3", "tz::timestamp::date = '2024-03-31'")
{
	ask('Europe/Berlin', 'tz::date', $condition);
}
foreach my $case ([ "to_char(at, 'TMMonth') = 'June'", 'of a language that is a setting' ],
	[ "at <> timestamptz '2024-06-01 00:00+00'", 'that all days have' ], [ "to_char(at, 'HH24') = '03'", 'of hours' ])
{
	is($a->value("SELECT count(n) FROM (SELECT at::date, dp_count(1000) AS n FROM events "
		  . "WHERE $case->[0] AND at IS NOT NULL GROUP BY 1) x"), 366, "no cell is left out by a condition $case->[1]");
}
$a->value("SET plan_cache_mode = force_generic_plan; PREPARE since(timestamptz) AS SELECT at::date, dp_count(1000) "
	  . "FROM events WHERE at >= \$1 GROUP BY 1 ORDER BY 1");
is($a->value("SET timezone = 'UTC'; EXECUTE since('2024-12-31 12:00+00')"),
	'2024-12-31|' . $s->value("SELECT count(*) FROM events WHERE at >= '2024-12-31 12:00' AND at < '2025-01-01'"),
	'a parameter that is an instant');
$a->value("SET timezone = 'America/New_York'");
is($a->run("EXECUTE since('2024-12-31 12:00+00')")->{sqlstate}, '55000',
	'... in another zone the plan is not executed');
is($a->value("EXECUTE since('2024-12-31 12:00+00')"), '2024-12-31|' . $s->value("SELECT count(*) FROM events "
	  . "WHERE at >= '2024-12-31 07:00' AND at < '2025-01-01'"), '... but made anew');
$a->value('DEALLOCATE since; RESET plan_cache_mode; RESET timezone');
is($s->value("SELECT at::date, dp_count(1000) > -1 FROM events "
	  . "WHERE at >= timestamptz '2024-12-31 12:00+00' GROUP BY 1"), '2024-12-31|t', 'likewise for the owner');

# a condition on an hour leaves no cell out: an hour is finer than the grain
is($a->value("SELECT count(n) FROM (SELECT at::date, dp_count(1000) AS n FROM events "
	  . "WHERE extract(hour FROM at) = 3 GROUP BY 1) x"), 366, 'a condition on something finer leaves all cells');
is($a->value("SELECT count(n) FROM (SELECT at::date, dp_count(1000) AS n FROM events "
	. "WHERE at >= now() - interval '100 years' AND at < localtimestamp + interval '1 day' GROUP BY 1) x"), 366,
	'now() is in the future of all');
is($a->value("SELECT count(n) FROM (SELECT at::date, dp_count(1000) AS n FROM events "
	  . "WHERE at > localtimestamp GROUP BY 1) x"), 0, '... and nothing after it');
is($a->value("PREPARE p(timestamp) AS SELECT at::date, dp_count(1000) FROM events WHERE at >= \$1 GROUP BY 1 "
	. "ORDER BY 1; SET plan_cache_mode = force_generic_plan; "
	. "SELECT 1 \\g /dev/null\nEXECUTE p('2024-12-31 20:00')"),
	"2024-12-31|" . $s->value("SELECT count(*) FROM events WHERE at >= '2024-12-31 20:00' AND at < '2025-01-01'"),
	'a parameter');

is($a->value("SELECT at > '2024-06-06 12:00', dp_count(1000) FROM events WHERE at IS NOT NULL GROUP BY 1 ORDER BY 1"),
	$s->value("SELECT at > '2024-06-06 12:00', count(*) FROM events WHERE at IS NOT NULL GROUP BY 1 ORDER BY 1"),
	'what is true or false of an instant is so of all rows, beyond the domain too');

# aggregates see instants, not cells
is($a->value("SELECT at::date, dp_count_range(at, 1000, '2024-06-06 06:00', '2024-06-06 12:00'), dp_count(1000) "
	. "FILTER (WHERE at >= '2024-06-06 12:00') FROM events WHERE at::date = '2024-06-06' GROUP BY 1"),
	$s->value("SELECT '2024-06-06', count(*) FILTER (WHERE at BETWEEN '2024-06-06 06:00' "
		. "AND '2024-06-06 12:00'), count(*) FILTER (WHERE at >= '2024-06-06 12:00') FROM events "
		. "WHERE at::date = '2024-06-06'"), 'in arguments and filters');
is($a->value("SELECT to_char(date_trunc('month', at), 'YYYY-MM'), date_trunc('month', at)::date + 1, dp_count(1000) > "
	. "-1 FROM events WHERE at >= '2024-11-30' AND kind = 'k1' GROUP BY date_trunc('month', at) "
	. "ORDER BY date_trunc('month', at) DESC"), "2024-12|2024-12-02|t\n2024-11|2024-11-02|t", 'what is made of a key');
is($a->value("SELECT kind, date_trunc('year', at), dp_count(1000) FROM events WHERE at IS NOT NULL "
	  . "GROUP BY ROLLUP (1, 2) ORDER BY 1, 2"),
	$s->value("SELECT k, CASE WHEN k IS NOT NULL OR true THEN y END, count(*) FILTER (WHERE e.id IS NOT NULL) "
		. "FROM unnest(ARRAY['k1', 'k2']) k CROSS JOIN (VALUES (timestamp '2024-01-01')) v (y) "
		. "LEFT JOIN events e ON kind = k AND date_trunc('year', nullif(at, '4713-01-01 BC')) = y "
		. "GROUP BY ROLLUP (1, 2) ORDER BY 1, 2"), 'with another domain, and totals');
is($a->value("SELECT x.m, dp_count(1000) FROM (SELECT date_trunc('month', at) AS m, x FROM events "
	. "WHERE at >= '2024-12-01') x WHERE x > 3 GROUP BY x.m"),
	$s->value("SELECT '2024-12-01 00:00:00', count(*) FROM events WHERE at >= '2024-12-01' AND at < '2025-01-01' "
	. "AND x > 3"), 'computed in a subquery');

# --- What is finer, or of another zone ------------------------------------------------------------

foreach my $key ('at', "date_trunc('hour', at)", 'extract(hour FROM at)', 'extract(epoch FROM at)',
	'extract(second FROM at)', 'at::time', 'at::text', "at + interval '1 hour'", "to_char(at, 'HH24')",
	"to_char(at, 'YYYY\"T')", "floor(extract(epoch FROM at) / 3600)", "date_bin('1 hour', at, '2000-01-01')",
	"date_bin('1 day', at, '2000-01-01 12:00')", 'tz', "date_trunc('month', tz)", 'tz::date', 'extract(year FROM tz)',
	"date_trunc('month', tz, 'UTC')", "date_trunc('month', tz AT TIME ZONE 'UTC')", 'tz::timestamp',
	"date_trunc(kind, at)", "date_trunc('month', at) + (at - at)")
{
	is($a->run("SELECT $key, dp_count(1000) FROM events GROUP BY 1")->{sqlstate}, '42501', "refused: $key");
}
is($a->run("SELECT date_trunc('month', at), extract(hour FROM at), dp_count(1000) "
	  . "FROM events GROUP BY 1, 2")->{sqlstate}, '42501', 'refused: one of two');
$s->value("SELECT idp.set_domain('events', 'at', '2024-01-01', '2025-01-01', '1 month')");
is($a->run("SELECT $_, dp_count(1000) FROM events GROUP BY 1")->{sqlstate}, '42501',
	"refused, by months: $_") foreach 'at::date', "date_trunc('week', at)", 'extract(week FROM at)',
	'extract(isoyear FROM at)', 'extract(doy FROM at)';
ask('UTC', $_, '')
  foreach "date_trunc('month', at)", "date_trunc('year', at)", 'extract(quarter FROM at)', 'extract(month FROM at)';
$s->value("SELECT idp.set_domain('events', 'at', '2024-01-01', '2024-12-30', '1 week')");
is($a->run("SELECT $_, dp_count(1000) FROM events GROUP BY 1")->{sqlstate}, '42501', "refused, by weeks: $_")
  foreach 'at::date', "date_trunc('month', at)", 'extract(year FROM at)';
is($a->value("SELECT count(*), sum(n) FROM (SELECT date_trunc('week', at), dp_count(1000) AS n FROM events "
	. "WHERE at IS NOT NULL GROUP BY 1) x"),
	$s->value("SELECT 52, count(*) FROM events WHERE at >= '2024-01-01' AND at < '2024-12-30'"), 'weeks');
$s->value("SELECT idp.set_domain('events', 'at', '2024-01-01', '2025-01-01', '1 hour')");
is($a->value("SELECT count(*), sum(n) FROM (SELECT date_trunc('hour', at), dp_count(1000) AS n FROM events "
	. "WHERE at IS NOT NULL GROUP BY 1) x"),
	$s->value("SELECT 366 * 24, count(*) FROM events WHERE at >= '2024-01-01' AND at < '2025-01-01'"), 'hours');
is($a->value("SELECT count(*), sum(n) FROM (SELECT extract(hour FROM at), dp_count(1000) AS n FROM events "
	. "WHERE at IS NOT NULL GROUP BY 1) x"),
	$s->value("SELECT 24, count(*) FROM events WHERE at >= '2024-01-01' AND at < '2025-01-01'"), 'hours of the day');
$s->value("SELECT idp.set_domain('events', 'at', '2024-01-01', '2025-01-01', '1 day')");

# A plan holds for the zone in which it was made: prepared, of a free list, of a cursor, of a function.
$a->value("CREATE FUNCTION pg_temp.listed() RETURNS bigint "
	  . "LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM (SELECT DISTINCT tz::date FROM events) x); END'");
$a->value("SET timezone = 'Europe/Berlin'; SET plan_cache_mode = force_generic_plan; PREPARE days AS "
	. "SELECT tz::date, dp_count(1000) FROM events GROUP BY 1 ORDER BY 1; PREPARE listed AS "
	. "SELECT DISTINCT tz::date FROM events ORDER BY 1");
my %berlin = map { $_ => $a->value("EXECUTE $_") } 'days', 'listed';
is($a->value('SELECT pg_temp.listed()'), 366, 'in a function');
foreach my $name ('EXECUTE days', 'EXECUTE listed', 'SELECT pg_temp.listed()')
{
	$a->value("SET timezone = 'UTC'");
	is($a->run($name)->{sqlstate}, '55000', "in another zone the plan is not executed: $name");
	like($a->run($name)->{sqlstate} // 'answered', qr/^(42501|0A000)$/, '... and the query is refused as it is there');
	$a->value("SET timezone = 'Europe/Berlin'");
	$a->run($name);    # refused if it was planned at all
	is(keys_in($a->value("EXECUTE $_")), keys_in($berlin{$_}), "back in the zone: $_") foreach 'days', 'listed';
	is($a->value('SELECT pg_temp.listed()'), 366, '... in a function');
}
$a->value('BEGIN; DECLARE c CURSOR FOR SELECT DISTINCT tz::date FROM events ORDER BY 1; FETCH c');
is($a->run("SET timezone = 'UTC'; FETCH c")->{sqlstate}, '55000', 'a cursor');
$a->value("ROLLBACK; SET timezone = 'UTC'; "
	  . "PREPARE utc AS SELECT date_trunc('month', tz, 'Europe/Berlin'), dp_count(1000) FROM events GROUP BY 1");
my $explicit = keys_in($a->value('EXECUTE utc'));
$a->value("SET timezone = 'Asia/Tokyo'");
is($a->run('EXECUTE utc')->{sqlstate}, undef, 'a zone that the query names holds in any');
$a->value('RESET timezone; RESET plan_cache_mode; DEALLOCATE ALL');

# days that do not begin at midnight, and hours that come twice
foreach my $case ([ 'America/Sao_Paulo', 'day', '2017-01-01', '2019-01-01' ], [ 'Europe/Berlin', 'hour', '2024-01-01',
	'2025-01-01' ], [ 'Asia/Kolkata', 'month', '2020-01-01', '2024-01-01' ], [ 'Pacific/Apia', 'day', '2011-01-01',
	'2012-03-01' ])
{
	my ($zone, $unit, $lower, $upper) = @$case;
	$s->value("SELECT idp.set_domain('events', 'tz', '$lower', '$upper', '1 $unit', '$zone')");
	is($s->value("SELECT count(*) FROM idp.domain('events', 'tz') k FULL JOIN "
		. "(SELECT DISTINCT date_trunc('$unit', t, '$zone') AS c "
		. "FROM generate_series(timestamp '$lower' AT TIME ZONE '$zone', timestamp '$upper' AT TIME ZONE '$zone' - "
		. "interval '1 second', '15 min') t) g ON c = k::timestamptz WHERE k IS NULL OR c IS NULL"), 0,
		"cells are those of date_trunc: $zone, $unit");
}
$s->value("SELECT idp.set_domain('events', 'tz', '2024-01-01', '2025-01-01', '1 day', 'Europe/Berlin')");

# UTC goes by many names.
$s->value("SELECT idp.set_domain('events', 'tz', '2024-01-01', '2025-01-01', '1 day', 'UTC')");
foreach my $zone ('UTC', 'utc', 'Etc/UTC', 'GMT', 'Zulu', 'Etc/Greenwich', 'UTC0')
{
	is($a->run("SET timezone = '$zone'; SELECT count(*), sum(n) > 0 FROM "
		. "(SELECT date_trunc('month', tz), dp_count(1000) AS n FROM events WHERE tz IS NOT NULL GROUP BY 1) x")->{out},
		'12|t', "months in $zone");
	is($a->run("SET timezone = 'Asia/Tokyo'; SELECT count(*), sum(n) > 0 FROM "
		. "(SELECT date_trunc('month', tz AT TIME ZONE '$zone'), dp_count(1000) AS n FROM events "
		. "WHERE tz IS NOT NULL GROUP BY 1) x")->{out}, '12|t', "... that the query names");
}
foreach my $zone ('Europe/London', 'Etc/GMT+1', 'Africa/Abidjan', 'WET')
{
	is($a->run("SET timezone = '$zone'; SELECT date_trunc('month', tz), dp_count(1000) FROM events "
		  . "WHERE tz IS NOT NULL GROUP BY 1")->{sqlstate}, '42501', "refused in $zone");
}
$a->value('RESET timezone');
$s->value("SELECT idp.set_domain('events', 'tz', '2024-01-01', '2025-01-01', '1 day', 'Europe/Berlin')");

# --- Filter values --------------------------------------------------------------------------------

is($a->value("SELECT DISTINCT date_trunc('month', at) FROM events WHERE at >= '2024-11-30' ORDER BY 1"),
	"2024-11-01 00:00:00\n2024-12-01 00:00:00", 'months, for nothing');
is($a->value("SELECT at::date FROM events WHERE at < '2024-01-02 12:00' AND kind < 'k2' GROUP BY 1 ORDER BY 1"),
	"2024-01-01\n2024-01-02", 'days');
is($a->run($_)->{sqlstate}, '42501', "refused: $_") foreach 'SELECT DISTINCT at FROM events',
	"SELECT DISTINCT at::date FROM events WHERE at - date_trunc('day', at) > '1 hour'",
	"SELECT DISTINCT extract(hour FROM at) FROM events";

# --- The same cells of other rows -----------------------------------------------------------------

foreach my $rows ('', 'SELECT fill(7)',
	"INSERT INTO events VALUES (1, '2024-06-06 06:06', '2024-06-06 06:06', 'k7', 3)")
{
	$s->value("TRUNCATE events; $rows");
	foreach my $query (sort keys %keys)
	{
		is(keys_in($a->value($query)), $keys{$query}, "the same cells of other rows: $query") or last;
	}
	$a->value('RESET timezone');
}

# --- Clocks that are moved back to midnight ------------------------------------------------------

# One table with rows in every quarter of an hour round the change, one without any: the same keys, whatever conditions
# say, with constants that are known when the plan is made and such that are not.
foreach my $table ('full_clocks', 'no_clocks')
{
	$s->value("CREATE TABLE $table (tz timestamptz NOT NULL, n int NOT NULL); SELECT idp.protect('$table', 1e9); "
		  . "GRANT SELECT ON $table TO analyst");
}
$s->value("INSERT INTO full_clocks SELECT t, 1 "
	  . "FROM generate_series(timestamptz '2024-10-24 22:00+00', '2024-10-30 02:00+00', '15 min') t");
sub keys_of_conditions
{
	my ($table, $prepared, $statement) = @_;
	return $a->run($prepared ? "SET plan_cache_mode = force_generic_plan; PREPARE q(timestamptz) AS $statement; "
		  . "EXECUTE q('$prepared'); DEALLOCATE q" : $statement);
}
srand(20241027);
my ($conditions_tried, $conditions_answered) = (0, 0);
foreach my $zone ('Atlantic/Azores', 'America/Havana', 'Europe/Berlin')
{
	my ($change) = $zone =~ /Havana/ ? '2024-11-03 05:00+00' : '2024-10-27 01:00+00';
	$s->value("TRUNCATE full_clocks; INSERT INTO full_clocks SELECT t, 1 FROM generate_series(timestamptz '$change' "
		  . "- interval '3 days', timestamptz '$change' + interval '3 days', '15 min') t");
	foreach my $grain ('1 day', '1 hour')
	{
		$s->value("SELECT idp.set_domain(t, 'tz', '2024-10-20', '2024-11-10', grain => '$grain', zone => '$zone') "
			  . "FROM unnest(ARRAY['full_clocks', 'no_clocks']) t");
		foreach my $session ($zone, 'UTC')
		{
			$a->value("SET timezone = '$session'");
			foreach my $round (1 .. 25)
			{
				my $at = $s->value("SELECT to_char((timestamptz '$change' + interval '15 min' * " . (int(rand 13) - 6)
					  . ") AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || '+00'");
				my $prepared = rand() < 0.5 ? $at : '';
				my $constant = $prepared ? '$1' : rand() < 0.5 ? "'$at'" : "'$at'::text::timestamptz";
				my $op = (qw(< <= > >= =))[ int rand 5 ];
				my $column = rand() < 0.7 ? 'tz' : "date_trunc('hour', tz, '$zone')";
				my $unit = $grain eq '1 day' ? 'day' : (qw(hour day))[ int rand 2 ];
				my $other = (' AND n > 0', " AND extract(dow FROM tz AT TIME ZONE '$zone') IN (0, 6)",
					" AND extract(hour FROM tz AT TIME ZONE '$zone') < 2")[ int rand 3 ];
				my @r = map { keys_of_conditions($_, $prepared,
					"SELECT date_trunc('$unit', tz, '$zone') AS k, dp_count(1e-9) IS NULL FROM $_ "
					. "WHERE $column $op $constant$other GROUP BY 1 ORDER BY 1") } 'full_clocks', 'no_clocks';
				++$conditions_tried;
				$conditions_answered += !defined $r[0]{sqlstate};
				s/_clocks// foreach map { $_->{out}, $_->{message} // () } @r;
				is_deeply([ map { $_ // '' } @{ $r[0] }{qw(sqlstate out)} ],
					[ map { $_ // '' } @{ $r[1] }{qw(sqlstate out)} ],
					"$zone by $grain, session in $session: $column $op $constant ($at)$other, by $unit") or last;
			}
		}
	}
}
cmp_ok($conditions_answered, '>', $conditions_tried / 2,
	"keys of $conditions_answered of $conditions_tried conditions were compared");
$a->value('RESET timezone; RESET plan_cache_mode');

# --- Times that clocks leave out, and times that come twice --------------------------------------

# They are compared with instants: a table with times of every quarter of an hour round the change, and one without any,
# have the same keys; and these are all that have rows.
foreach my $table ('full_times', 'no_times')
{
	$s->value("CREATE TABLE $table (at timestamp NOT NULL, n int NOT NULL); SELECT idp.protect('$table', 1e9); "
		  . "GRANT SELECT ON $table TO analyst");
}
srand(20251130);
my ($times_tried, $times_pruned) = (0, 0);
# midnight is left out, half an hour, a day; and the last second of a day is, of a time when clocks showed that
# of the sun
foreach my $case ([ 'Europe/Berlin', '2024-03-31 01:00+00' ], [ 'America/Havana', '2024-11-03 05:00+00' ],
	[ 'America/Sao_Paulo', '2017-10-15 03:00+00' ], [ 'Australia/Lord_Howe', '2024-10-05 15:30+00' ], [ 'Pacific/Apia',
	'2011-12-30 10:00+00' ],
	[ 'America/St_Johns', '2010-03-14 03:31+00' ], [ 'Africa/Monrovia', '1972-01-07 00:44:30+00' ],
	[ 'Asia/Singapore', '1981-12-31 16:00+00' ])
{
	my ($zone, $change) = @$case;
	$s->value("SET timezone = '$zone'");
	$s->value("TRUNCATE full_times; INSERT INTO full_times SELECT t, 1 FROM generate_series(timestamp '"
		  . $s->value("SELECT (timestamptz '$change')::date - 3") . "', '"
		  . $s->value("SELECT (timestamptz '$change')::date + 4")
		  . "', '15 min') t; INSERT INTO full_times SELECT at - interval '1 microsecond', 1 FROM full_times");
	foreach my $grain ('1 day', '1 hour')
	{
		$s->value("SELECT idp.set_domain(t, 'at', (timestamptz '$change')::date::timestamp - interval '10 days', "
			. "(timestamptz '$change')::date::timestamp + interval '10 days', grain => '$grain') "
			. "FROM unnest(ARRAY['full_times', 'no_times']) t");
		my $all = $grain eq '1 day' ? 20 : 480;
		$a->value("SET timezone = '$zone'");
		foreach my $round (1 .. 25)
		{
			my $at = $s->value("SELECT to_char((timestamptz '$change' + interval '15 min' * " . (int(rand 25) - 12)
				  . ") AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || '+00'");
			my $prepared = rand() < 0.5 ? $at : '';
			my $constant = $prepared ? '$1' : rand() < 0.5 ? "timestamptz '$at'" : "'$at'::text::timestamptz";
			my $op = (qw(< <= > >= =))[ int rand 5 ];
			my $column = ('at', 'at::timestamptz', "(at AT TIME ZONE '$zone')")[ int rand 3 ];
			my $condition = rand() < 0.5 ? "$column $op $constant" : "$constant $op $column";
			my $unit = $grain eq '1 day' ? 'day' : 'hour';
			my @r = map { keys_of_conditions($_, $prepared, "SELECT date_trunc('$unit', at) AS k, dp_count(1000) "
				  . "FROM $_ WHERE $condition GROUP BY 1 ORDER BY 1") } 'full_times', 'no_times';
			my $name = "$zone by $grain: $condition ($at)";
			is($r[0]{message} // keys_in($r[0]{out}), $r[1]{message} // keys_in($r[1]{out}),
				"$name: the same keys without rows") or last;
			my $true = $s->value("SELECT date_trunc('$unit', at), count(*) FROM full_times WHERE "
				  . ($condition =~ s/\$1/timestamptz '$at'/r) . ' GROUP BY 1 ORDER BY 1');
			is(join("\n", grep { !/[|]0\z/ } split /\n/, $r[0]{out}), $true, "$name: all that have rows") or last;
			++$times_tried;
			$times_pruned += ($r[1]{out} =~ tr/\n//) < $all - 1;
		}
	}
	$s->value('RESET timezone');
}
cmp_ok($times_pruned, '>', 0.8 * $times_tried, "keys were left out by $times_pruned of $times_tried conditions");
$a->value('RESET timezone; RESET plan_cache_mode');

# --- Region by month, of persons ------------------------------------------------------------------

$s->value(<<'SQL');
CREATE TABLE regions (id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south'), (3, 'nobody');
CREATE TABLE customers (id integer PRIMARY KEY, region_id integer NOT NULL REFERENCES regions);
CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers,
  ordered_at timestamp NOT NULL, amount integer NOT NULL);
INSERT INTO customers SELECT i, 1 + i % 2 FROM generate_series(1, 50) i;
INSERT INTO orders SELECT i, 1 + i % 50, timestamp '2024-01-01' + i * interval '5 hours', i % 100
  FROM generate_series(1, 1000) i;
SELECT idp.protect('customers', 1e12, 'add_remove', unit => 'id'), idp.link('orders', 'customer_id', 'customers');
SELECT idp.set_domain('orders', 'ordered_at', '2024-01-01', '2025-01-01', grain => '1 day');
GRANT SELECT ON regions, customers, orders TO analyst;
SQL
my $from = 'FROM (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY md5(id::text), id) AS n '
	. 'FROM orders) o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id '
	. 'WHERE n <= 20';
my $dashboard = "SELECT r.name, date_trunc('month', o.ordered_at) AS month, dp_count(1000) AS orders, "
	. "round(dp_sum(o.amount, 1000, 0, 100)::numeric, -1) AS revenue, dp_avg(o.amount, 1000, 0, 100) BETWEEN 0 "
	. "AND 100 AS average $from GROUP BY 1, 2 ORDER BY 1, 2";
my $months = "SELECT r.name, m AS month, count(o), round(coalesce(sum(amount), 0), -1), true FROM regions r "
	. "CROSS JOIN generate_series(timestamp '2024-01-01', timestamp '2024-12-01', '1 month') m "
	. "LEFT JOIN (orders o JOIN customers c ON c.id = o.customer_id) ON c.region_id = r.id "
	. "AND date_trunc('month', ordered_at) = m GROUP BY 1, 2 ORDER BY 1, 2";
costs($s, 'customers', 60000, 'region by month', sub {
	my @got = map { [ split /\|/ ] } split /\n/, $a->value($dashboard);
	my @exact = map { [ split /\|/ ] } split /\n/, $s->value($months);
	is(scalar(@got), 36, 'region by month: each of both');
	is("@{$got[$_]}[0 .. 2]", "@{$exact[$_]}[0 .. 2]", "... with its orders: @{$exact[$_]}[0, 1]") foreach 0 .. 35;
	ok(abs($got[$_][3] - $exact[$_][3]) <= 20, '... and revenue') foreach 0 .. 35;
}, 3);

# --- Dump -----------------------------------------------------------------------------------------

my $file = abs_path($node->basedir) . '/instants.dump';
$node->command_ok([ 'pg_dump', '-f', $file, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
is(session($node, 'copy')->value('SELECT * FROM idp.domains ORDER BY 1, 2'),
	$s->value('SELECT * FROM idp.domains ORDER BY 1, 2'), 'a dump keeps grains');

done_testing();

# Times of clocks compared with instants (extension/pg/zone_comparisons.h): by the zone of the session two times are one
# instant where clocks go forward, and have another order than instants. The planner knows neither; what is asked of
# hidden rows is compared row by row. Answers with next to no noise are held against what the rows say one by one,
# whatever indexes, sorts and joins there are.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('clocks', 'fsync = off', "shared_preload_libraries = 'idp'", 'jit = off');
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE analyst;
CREATE TABLE visits (id int PRIMARY KEY, ts timestamp NOT NULL, tz timestamptz NOT NULL, d date NOT NULL);
CREATE TABLE seen (id int PRIMARY KEY, ts timestamp NOT NULL, tz timestamptz NOT NULL, d date NOT NULL);
CREATE TABLE hours (ts timestamp PRIMARY KEY);
-- clocks in Berlin and Lisbon go forward on 30 March 2025, and in Samoa there is no 30 December 2011
INSERT INTO visits SELECT i, timestamp '2025-03-30 00:30' + i * 37 % 300 * interval '1 min',
  timestamptz '2025-03-29 23:30Z' + i * 41 % 300 * interval '1 min', date '2011-12-25' + i * 7 % 12
  FROM generate_series(1, 600) i;
INSERT INTO visits SELECT 600 + i, timestamp '2025-03-30 02:30', timestamptz '2025-03-30 01:30Z', '2011-12-30'
  FROM generate_series(1, 20) i;
INSERT INTO seen SELECT id, ts, tz, d FROM visits;
INSERT INTO hours SELECT generate_series(timestamp '2025-03-29', '2025-03-31', interval '30 min');
CREATE INDEX ON visits (ts); CREATE INDEX ON visits (tz); CREATE INDEX ON visits (d); CREATE INDEX ON seen (ts);
CREATE INDEX ON seen (tz); CREATE INDEX ON seen (d);
VACUUM (ANALYZE) visits, seen, hours;
SELECT idp.protect('visits', 1e15, 'add_remove', unit => 'id', delta => 0.9);
SELECT idp.protect('seen', 1e15, 'add_remove', unit => 'id', rows => 'visible');
GRANT SELECT ON visits, seen, hours TO analyst;
SQL
my $a = session($node);
$_->{quiet} = 1 foreach $s, $a;

my @settings = ('', 'enable_seqscan = off', 'enable_hashagg = off', 'enable_hashjoin = off; '
	  . 'SET enable_mergejoin = off; SET enable_seqscan = off; SET enable_material = off; SET enable_memoize = off',
	'enable_hashjoin = off; SET enable_nestloop = off',
	'enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off');
my %instants = ('Europe/Berlin' => [ '2025-03-30 01:30Z', '2025-03-30 01:10Z' ],
	'Europe/Lisbon' => [ '2025-03-30 01:30Z', '2025-03-30 01:15Z' ], 'Pacific/Apia' => [ '2011-12-30 10:00Z',
	'2011-12-29 10:00Z' ]);
my %clocks = ('Europe/Berlin' => [ '2025-03-30 02:30', '2025-03-30 03:30' ],
	'Europe/Lisbon' => [ '2025-03-30 01:30', '2025-03-30 02:15' ], 'Pacific/Apia' => [ '2011-12-30', '2011-12-31' ]);

# As they are asked, and one by one: # stands for a condition, #q for one about q.
my $counted = 'SELECT dp_count(1e6) FROM';
my @forms = (
	[ "$counted visits WHERE #", 'SELECT count(*) FROM visits WHERE #' ],
	[ "$counted visits WHERE NOT NOT (#)", 'SELECT count(*) FROM visits WHERE #' ],
	[ "$counted visits WHERE ((#) = true) AND id > 0", 'SELECT count(*) FROM visits WHERE #' ],
	[ "$counted visits WHERE NOT (#)", 'SELECT count(*) FROM visits WHERE NOT #' ],
	[ "$counted visits WHERE (#) OR ts < '2025-03-30 00:35'",
		"SELECT count(*) FROM visits WHERE # OR ts < '2025-03-30 00:35'" ],
	[ 'SELECT count(*) FROM visits WHERE #', 'SELECT count(*) FROM visits WHERE #' ],
	[ "$counted (SELECT id, ts, tz, d FROM visits WHERE # GROUP BY id, ts, tz, d) q",
		'SELECT count(*) FROM visits WHERE #' ],
	[ "$counted (SELECT id, ts, tz, d FROM visits GROUP BY id, ts, tz, d HAVING #) q",
		'SELECT count(*) FROM visits WHERE #' ],
	[ "$counted (SELECT id, max(ts) AS ts, max(tz) AS tz, max(d) AS d FROM visits GROUP BY id) q WHERE #",
		'SELECT count(*) FROM (SELECT max(ts) AS ts, max(tz) AS tz, max(d) AS d FROM visits '
		. 'GROUP BY id OFFSET 0) q WHERE #' ],
	[ "$counted (SELECT id, ts, tz, d, dense_rank() OVER (PARTITION BY id ORDER BY ts) AS r FROM visits "
		  . "WHERE #) q WHERE r <= 2", 'SELECT count(*) FROM visits WHERE #' ],
	# the comparison is a column of a subquery, whose place the planner takes it to
	[ "$counted (SELECT *, # AS e FROM seen) q WHERE e", 'SELECT count(*) FROM seen WHERE #' ],
	[ "$counted (SELECT *, # AS e FROM seen) q WHERE e = true AND NOT (NOT e)", 'SELECT count(*) FROM seen WHERE #' ],
	[ "$counted (SELECT *, ROW(#, id) AS e FROM seen) q WHERE (e).f1", 'SELECT count(*) FROM seen WHERE #' ],
	[ "$counted (SELECT q.*, f.e FROM seen q, LATERAL (VALUES (#q)) f (e)) q WHERE coalesce(e, e)",
		'SELECT count(*) FROM seen q WHERE #q' ],
	[ "SELECT ts, dp_count(1e6) FROM (SELECT *, # AS e FROM seen) q WHERE e GROUP BY ts ORDER BY 1",
		'SELECT ts, count(*) FROM seen WHERE # GROUP BY ts ORDER BY 1' ],
	[ "$counted (SELECT id, ts, tz, d, # AS e FROM visits) q WHERE CASE WHEN e THEN true ELSE e END",
		'SELECT count(*) FROM visits WHERE #' ],
	[ "$counted (SELECT *, # AS e FROM seen) q WHERE true IN (SELECT e)", 'SELECT count(*) FROM seen WHERE #' ],
	[ "$counted seen WHERE #", 'SELECT count(*) FROM seen WHERE #' ],
	[ "SELECT ts, dp_count(1e6) FROM seen WHERE # GROUP BY ts ORDER BY 1",
		'SELECT ts, count(*) FROM seen WHERE # GROUP BY ts ORDER BY 1' ],
	[ "SELECT d, dp_count(1e6) FROM seen WHERE # GROUP BY d ORDER BY 1",
		'SELECT d, count(*) FROM seen WHERE # GROUP BY d ORDER BY 1' ],
	[ "SELECT tz, d, dp_count(1e6) FROM seen GROUP BY tz, d HAVING # ORDER BY 1, 2",
		'SELECT tz, d, count(*) FROM seen WHERE # GROUP BY tz, d ORDER BY 1, 2' ],
	[ "$counted seen q WHERE q.tz IN (SELECT h.ts FROM hours h)",
		'SELECT count(*) FROM seen q WHERE EXISTS (SELECT FROM hours h WHERE (q.tz = h.ts) IS TRUE OFFSET 0)',
		'alone' ],
	[ "$counted seen q WHERE EXISTS (SELECT FROM hours h WHERE q.tz = h.ts)",
		'SELECT count(*) FROM seen q WHERE EXISTS (SELECT FROM hours h WHERE (q.tz = h.ts) IS TRUE OFFSET 0)',
		'alone' ],
	[ "$counted seen q WHERE (q.tz, q.id) IN (SELECT h.ts, 7 FROM hours h)", 'SELECT count(*) FROM seen q '
		  . 'WHERE q.id = 7 AND EXISTS (SELECT FROM hours h WHERE (q.tz = h.ts) IS TRUE OFFSET 0)', 'alone' ],
	[ 'SELECT x.ts, y.tz, dp_count(1e6) FROM seen x JOIN seen y ON y.id = x.id WHERE x.ts = y.tz '
		. 'GROUP BY x.ts, y.tz ORDER BY 1, 2',
		'SELECT x.ts, y.tz, count(*) FROM seen x JOIN seen y ON y.id = x.id WHERE (x.ts = y.tz) IS TRUE '
		. 'GROUP BY x.ts, y.tz ORDER BY 1, 2', 'alone' ],
	[ "$counted seen x JOIN (SELECT id, tz AS ts FROM seen) y USING (id, ts)",
		'SELECT count(*) FROM seen x JOIN seen y ON y.id = x.id AND (x.ts = y.tz) IS TRUE', 'alone' ],
	[ "$counted seen q JOIN hours h ON h.ts = q.ts JOIN hours g ON g.ts = q.ts WHERE #q",
		'SELECT count(*) FROM seen q JOIN hours h ON h.ts = q.ts WHERE #q' ]);

my ($asked, $answered, %refused) = (0, 0);
foreach my $zone (sort keys %instants)
{
	my @conditions = map { my $i = "timestamptz '$_'"; (map { my $op = $_; ("ts $op $i", "d $op $i") } qw(= < <= > >=)),
		"ts IN ($i, timestamptz '2025-03-30 00:10Z')", "ts BETWEEN $i AND timestamptz '2025-03-30 02:00Z'",
		"(ts, id) > ($i, 40)" } @{ $instants{$zone} };
	push @conditions, map {
		my $type = length > 10 ? 'timestamp' : 'date';
		my $i = "$type '$_'";
		map { "tz $_ $i" } qw(= < >=)
	} @{ $clocks{$zone} };
	foreach my $form (@forms)
	{
		my ($private, $plain, $what) = (@$form, '');
		my @different;
		foreach my $condition ($what eq 'alone' ? ('') : @conditions)
		{
			next if "$private$plain" =~ /^SELECT (\w+)(, \w+)?, dp_count/ && $private =~ /HAVING/
			  && $condition !~ /^(tz|d) /;
			next if $condition =~ /id/ && $private =~ /HAVING|max|dense_rank|#q/;
			my $of_q = $condition =~ s/^/q./r;
			my ($asks, $says) = ($private =~ s/#q/($of_q)/r =~ s/#/$condition/r,
				$plain =~ s/#q/(($of_q) IS TRUE)/r =~ s/#/(($condition) IS TRUE)/r);
			my $truth =
			  $s->value("SET timezone = '$zone'; SET enable_indexscan = off; SET enable_bitmapscan = off; $says");
			foreach my $settings (@settings)
			{
				my $got = $a->run("RESET ALL; RESET ROLE; SET ROLE analyst; SET timezone = '$zone'; "
					  . "SET idp.epsilon = 1e6; " . ($settings ? "SET $settings; " : '') . $asks);
				++$asked;
				if (defined $got->{sqlstate}) { ++$refused{ $got->{message} }; next }
				++$answered;
				push @different, "$condition with $settings: $got->{out} for $truth" if $got->{out} ne $truth;
			}
		}
		is(scalar @different, 0, "$zone: $private")
		  or diag join "\n", @different[ 0 .. ($#different < 2 ? $#different : 2) ];
	}
}
note "refused, $_: $refused{$_}" foreach sort keys %refused;
cmp_ok($answered, '>', $asked / 2, "$answered of $asked are answered");

# Groups of hidden rows are decided about as ever.
foreach my $sql ("SELECT dp_count(1e6) FROM visits WHERE ts < now() GROUP BY id % 2 HAVING dp_keep_group(1e6, 1e-3)",
	"SELECT dp_count(1e6) FILTER (WHERE d < now()) FROM visits GROUP BY id % 2 "
	. "HAVING dp_keep_group(1e6, 1e-3) AND true")
{
	is($a->run("RESET ROLE; SET ROLE analyst; $sql")->{out}, "310\n310", "beside an instant: $sql");
}
# A function in SQL, whose text the planner puts in place once a subquery in its argument is a constant.
my $text = 'CREATE FUNCTION pg_temp.same(timestamp, timestamptz) RETURNS boolean '
  . 'LANGUAGE sql STABLE AS \'SELECT $1 = $2 AND $2 IS NOT NULL\'';
$_->value("RESET ALL; RESET ROLE; $text") foreach $s, $a;
foreach my $where ('pg_temp.same(ts, coalesce(c, (SELECT now())))',
	'pg_temp.same(ts, coalesce(c, (SELECT now()))) = true', 'e')
{
	my $sql = "SELECT ts, ANSWER FROM (SELECT *, pg_temp.same(ts, coalesce(c, (SELECT now()))) AS e FROM "
		. "(SELECT *, timestamptz '2025-03-30 01:30Z' AS c FROM "
		. "(SELECT id, CASE WHEN max(id) % 2 = 0 THEN timestamp '2025-03-30 02:30' ELSE timestamp '2025-03-30 "
		. "03:30' END AS ts FROM seen GROUP BY id) o) p) q WHERE $where GROUP BY ts ORDER BY 1";
	my $got = $a->run("SET ROLE analyst; SET timezone = 'Europe/Berlin'; SET enable_hashagg = off; "
		  . $sql =~ s/ANSWER/dp_count(1e6)/r);
	my $truth = $s->value("SET timezone = 'Europe/Berlin'; SELECT ts, count(*) FROM "
		. "(SELECT CASE WHEN id % 2 = 0 THEN timestamp '2025-03-30 02:30' ELSE timestamp '2025-03-30 03:30' END AS "
		. "ts FROM seen OFFSET 0) q GROUP BY ts ORDER BY 1");
	ok(defined $got->{sqlstate} ? $got->{sqlstate} eq '0A000' : $got->{out} eq $truth, "a text that comes late: $where")
	  or diag explain $got, $truth;
}

# What a release stands for is written as it was asked.
$s->value("SELECT dp_count(1, 'written') FROM seen "
	  . "WHERE ts < timestamptz '2025-03-30 01:30Z' AND (tz > timestamp '2025-03-30' OR d = timestamptz '2025-03-30')");
unlike($s->value("SELECT condition FROM idp.chain WHERE name = 'written'"), qr/IS TRUE/,
	'conditions of a release are as they were asked');
# Of all comparisons that indexes know, those of times of clocks with instants alone are by a setting.
is($s->value("SELECT string_agg(DISTINCT format('%s %s', amoplefttype::regtype, amoprighttype::regtype), ', ' "
	. "ORDER BY format('%s %s', amoplefttype::regtype, amoprighttype::regtype)) FROM pg_amop "
	. "JOIN pg_operator o ON o.oid = amopopr JOIN pg_proc p ON p.oid = oprcode WHERE provolatile <> 'i'"),
	'date timestamp with time zone, timestamp with time zone date, timestamp with time zone timestamp without time '
	  . 'zone, timestamp without time zone timestamp with time zone',
		'no other comparison is by a setting');
# A statement that loads the library while it is planned.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$_->quit foreach $a, $s;
$node->restart;
($a, $s) = (session($node), session($node));
$_->{quiet} = 1 foreach $a, $s;
foreach my $sql ("SELECT dp_count(1e6) FROM seen WHERE ts < timestamptz '2025-03-30 01:30Z'",
	"SELECT ts, dp_count(1e6) FROM seen WHERE ts = timestamptz '2025-03-30 01:30Z' GROUP BY ts",
	"SELECT (SELECT dp_count(1e6) FROM visits WHERE d = timestamptz '2011-12-30 10:00Z')")
{
	my $first = session($node);
	$first->{quiet} = 1;
	like($first->run("SET timezone = 'Europe/Berlin'; $sql")->{message},
		qr/before the library idp was loaded: ask again, now that it is loaded/,
		"as the first statement of a session: $sql");
	is($first->run($sql)->{sqlstate}, undef, '... and the second');
	$first->quit;
}
is($a->value('SELECT dp_count(1e6) FROM seen'), 620, 'without such a comparison the first one is answered');

$_->quit foreach $a, $s;
$node->stop;
done_testing();

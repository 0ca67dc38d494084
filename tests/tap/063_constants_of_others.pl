# Functions that an analyst declares IMMUTABLE, and that are not: a constant that they give is one and the same where
# keys of groups are listed and where rows are chosen, however often the expression is looked at. Which groups there are
# follows from keys alone.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('constants', 'fsync = off', "shared_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE owner LOGIN;
CREATE ROLE outsider LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions SELECT i, 'r' || i FROM generate_series(1, 8) i;
CREATE TABLE staff (id int PRIMARY KEY, region int NOT NULL REFERENCES regions, age int NOT NULL, pay int NOT NULL,
  since date NOT NULL, team text NOT NULL);
INSERT INTO staff SELECT i, 1 + i % 8, 20 + i * 7 % 45, 1000 * i, date '2025-01-01' + i, 't' || i % 4
  FROM generate_series(1, 300) i;
SELECT idp.protect('staff', 1e9, epsilon => 1e-3, unit => 'id');
SELECT idp.set_domain('staff', 'age', 0, 120), idp.set_domain('staff', 'since', '2025-01-01', '2025-12-31'),
  idp.set_domain('staff', 'team', ARRAY['t0', 't1', 't2', 't3']);
GRANT SELECT ON staff, regions TO outsider;
RESET ROLE;
SQL
my $a = session($node);
$a->{quiet} = 1;
# The first calls give one value, later ones another.
$a->value(<<'SQL');
SET ROLE outsider;
CREATE FUNCTION pg_temp.changes() RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$
DECLARE n int := current_setting('my.n')::int;
BEGIN
  PERFORM set_config('my.n', (n - 1)::text, false);
  RETURN n <= 0;
END $$;
CREATE FUNCTION pg_temp.turns() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN pg_temp.changes(); END';
CREATE FUNCTION pg_temp.f() RETURNS int IMMUTABLE
  LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN pg_temp.changes() THEN 1000 ELSE 0 END; END';
CREATE FUNCTION pg_temp.f(int) RETURNS int IMMUTABLE
  LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN pg_temp.changes() THEN 1000 ELSE $1 END; END';
CREATE FUNCTION pg_temp.day() RETURNS date IMMUTABLE
  LANGUAGE plpgsql AS $$BEGIN RETURN CASE WHEN pg_temp.changes() THEN '2026-01-01' ELSE '2025-01-09' END; END$$;
CREATE FUNCTION pg_temp.team() RETURNS text IMMUTABLE
  LANGUAGE plpgsql AS $$BEGIN RETURN CASE WHEN pg_temp.changes() THEN 'nobody' ELSE 't0' END; END$$;
CREATE FUNCTION pg_temp.region() RETURNS int IMMUTABLE
  LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN pg_temp.changes() THEN 99 ELSE 1 END; END';
CREATE FUNCTION pg_temp.is_old(int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT $1 >= pg_temp.f()';
CREATE FUNCTION pg_temp.at_most(int, int) RETURNS boolean IMMUTABLE
  LANGUAGE sql AS 'SELECT CASE WHEN pg_temp.turns() THEN $1 > 500 ELSE pg_temp.at_most($1, $2) END';
CREATE OPERATOR pg_temp.@@@ (FUNCTION = pg_temp.f, RIGHTARG = int);
CREATE FUNCTION pg_temp.rows_of_f() RETURNS SETOF int STABLE LANGUAGE sql AS 'SELECT pg_temp.f()';
CREATE FUNCTION pg_temp.rows_of_rows() RETURNS SETOF int STABLE
  LANGUAGE sql AS 'SELECT x + pg_temp.f() FROM pg_temp.rows_of_f() x';
CREATE TEMP VIEW old AS SELECT * FROM staff WHERE age >= pg_temp.f();
SQL

# Each as it is asked, with a condition about one person in place of "id = 8".
my @forms = (
	'SELECT age, count(*) FROM staff WHERE age >= pg_temp.f() AND id = 8 GROUP BY age',
	'SELECT age, dp_count(1e-3) FROM staff WHERE age >= pg_temp.f() AND id = 8 GROUP BY age',
	'SELECT age, dp_count(1e-3) FROM staff WHERE id = 8 AND NOT age < pg_temp.f() GROUP BY age',
	'SELECT age, count(*) FROM staff WHERE age >= (OPERATOR(pg_temp.@@@) 0) AND id = 8 GROUP BY age',
	'SELECT age, count(*) FROM staff WHERE age BETWEEN pg_temp.f() AND 2000 AND id = 8 GROUP BY age',
	'SELECT age, count(*) FROM staff WHERE age = ANY (ARRAY[31, 32] || pg_temp.f()) AND id = 8 GROUP BY age',
	'SELECT age, count(*) FROM staff WHERE age + pg_temp.f() < 500 AND id = 8 GROUP BY age',
	'SELECT age + pg_temp.f() AS x, count(*) FROM staff WHERE id = 8 GROUP BY 1',
	'SELECT floor(age / (1 + pg_temp.f())) AS x, count(*) FROM staff WHERE id = 8 GROUP BY 1',
	"SELECT CASE WHEN age >= pg_temp.f() THEN 'old' END AS x, count(*) FROM staff WHERE id = 8 GROUP BY 1",
	'SELECT age, count(*) FROM staff WHERE pg_temp.is_old(age) AND id = 8 GROUP BY age',
	'SELECT age, count(*) FROM staff WHERE pg_temp.at_most(age, 1) AND id = 8 GROUP BY age',
	'SELECT age, count(*) FROM old WHERE id = 8 GROUP BY age',
	'WITH s AS (SELECT * FROM staff WHERE age >= pg_temp.f() AND id = 8) SELECT age, count(*) FROM s GROUP BY age',
	'SELECT age, count(*) FROM (SELECT * FROM staff WHERE age >= pg_temp.f() OFFSET 0) s WHERE id = 8 GROUP BY age',
	'SELECT age, count(*) FILTER (WHERE age >= pg_temp.f()) FROM staff WHERE id = 8 GROUP BY age',
	'SELECT DISTINCT age FROM staff WHERE age >= pg_temp.f() AND id = 8',
	'SELECT since, count(*) FROM staff WHERE since = pg_temp.day() AND id = 8 GROUP BY since',
	"SELECT date_trunc('month', since) AS x, count(*) FROM staff WHERE since >= pg_temp.day() AND id = 8 GROUP BY 1",
	"SELECT date_trunc('month', since + (pg_temp.f() || ' days')::interval) AS x, count(*) FROM staff "
	  . "WHERE id = 8 GROUP BY 1",
	'SELECT team, count(*) FROM staff WHERE team = pg_temp.team() AND id = 8 GROUP BY team',
	'SELECT team, count(*) FROM staff WHERE team LIKE pg_temp.team() AND id = 8 GROUP BY team',
	'SELECT r.id, count(*) FROM staff s JOIN regions r ON r.id = s.region '
	  . 'WHERE r.id = pg_temp.region() AND s.id = 8 GROUP BY r.id',
	'SELECT r.name, count(*) FROM staff s JOIN regions r ON r.id = s.region AND r.id < pg_temp.f() + 50 '
	  . 'WHERE s.id = 8 GROUP BY r.name',
	'SELECT r.name, count(s.id) FROM regions r LEFT JOIN staff s ON r.id = s.region AND s.id = 8 '
	  . 'WHERE r.id = pg_temp.region() GROUP BY r.name',
	'SELECT b, dp_count(1e-3) FROM (SELECT age > k.x AS b, s.* FROM staff s, pg_temp.rows_of_f() k(x)) q '
	  . 'WHERE b AND id = 8 GROUP BY b',
	'SELECT b, count(*) FROM (SELECT CASE WHEN age > k.x THEN 1 ELSE 2 END AS b, s.* '
	  . 'FROM staff s, pg_temp.rows_of_f() k(x)) q WHERE b = 1 AND id = 8 GROUP BY b',
	'SELECT b, count(*) FROM (SELECT age < k.x AS b, s.* FROM staff s, LATERAL pg_temp.rows_of_rows() k(x)) q '
	  . 'WHERE b AND id = 8 GROUP BY b',
	'EXECUTE given(0)');
$a->value('PREPARE given(int) AS SELECT age, count(*) FROM staff WHERE age >= pg_temp.f($1) AND id = 8 GROUP BY age; '
	  . 'PREPARE given_other(int) AS SELECT age, count(*) FROM staff '
	  . 'WHERE age >= pg_temp.f($1) AND id = -8 GROUP BY age');

# The keys of the groups, whose answers are noise; or the error.
sub keys_of
{
	my ($calls, $sql) = @_;
	my $got = $a->run("SET my.n = $calls; $sql");
	return $got->{message} if defined $got->{sqlstate};
	return join "\n", sort map { s/\|.*//r } split /\n/, $got->{out};
}

foreach my $form (@forms)
{
	my @different;
	foreach my $calls (0 .. 12)
	{
		foreach my $plans ('force_custom_plan', 'force_generic_plan')
		{
			next if $plans eq 'force_generic_plan' && $form !~ /EXECUTE/;
			$a->value("DISCARD PLANS; SET plan_cache_mode = $plans");
			my $there = keys_of($calls, $form);
			my $other = $form =~ s/\bid = 8/id = -8/r =~ s/given/given_other/r;
			my $gone = keys_of($calls, $other);
			push @different, "after $calls calls: " . substr($there, 0, 300) . ' against ' . substr($gone, 0, 300)
			  if $there ne $gone;
		}
	}
	is(join("\n", @different), '', $form);
}
# What is grouped by stands in several places: each has the value of the others. No column of a row is shown.
$a->value('CREATE FUNCTION pg_temp.n() RETURNS int IMMUTABLE '
	  . 'LANGUAGE plpgsql AS \'BEGIN RETURN CASE WHEN pg_temp.changes() THEN 1 ELSE 10 END; END\'; '
	  . 'CREATE FUNCTION pg_temp.twice(int) RETURNS int IMMUTABLE '
	  . 'LANGUAGE sql AS \'SELECT CASE WHEN pg_temp.turns() THEN $1 ELSE pg_temp.twice($1) END\'');
foreach my $key ('age / pg_temp.n()', 'age % pg_temp.n()', 'region / pg_temp.n()', 'pg_temp.twice(age)',
	'pg_temp.twice(pg_temp.twice(region) / pg_temp.n())')
{
	foreach my $question ("SELECT $key, count(*), 1 * ($key) FROM staff WHERE id = 8 GROUP BY $key",
		"SELECT $key AS x, dp_count(1e-3), ($key)::text FROM staff WHERE id = 8 GROUP BY $key HAVING $key > -1",
		"SELECT x, count(*) FROM (SELECT $key AS x, 1 * ($key) AS y, id FROM staff) q WHERE id = 8 GROUP BY x")
	{
		my @different;
		foreach my $calls (0 .. 6)
		{
			my @shown = map {
				my $got = $a->run("SET my.n = $calls; " . ($question =~ s/id = 8/id = $_/r));
				# without the answer
				join "\n", sort map { my @cells = split /\|/; splice @cells, 1, 1; join '|', @cells }
				  split /\n/, $got->{out} . ($got->{message} // '');
			} 8, -8;
			push @different, "after $calls calls: " . join(' against ', map { substr $_, 0, 200 } @shown)
			  if $shown[0] ne $shown[1];
		}
		is(join("\n", @different), '', "no bare columns: $question");
	}
}
# A table of her own, whose index calls a function of hers while the planner looks at it: it changes a setting that what
# is IMMUTABLE for the server reads.
$a->value(<<'SQL');
CREATE FUNCTION pg_temp.sets() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('bytea_output', 'hex', false), set_config('intervalstyle', 'sql_standard', false),
    set_config('extra_float_digits', '-15', false);
  RETURN 0;
END $$;
CREATE TEMP TABLE k (id int PRIMARY KEY, CHECK (id + pg_temp.sets() > -5));
CREATE INDEX ki ON k ((id + pg_temp.sets()));
SQL
foreach my $constant (q{('\x7430'::bytea)::text}, q{'t' || (left(('1 day'::interval)::text, 1)::int - 1)},
	q{'t' || right((0.1::float8 + 0.2::float8)::text, 1)}, q{coalesce(('\x7430'::bytea)::text, 't1')})
{
	foreach my $question ('SELECT team, count(*)', 'SELECT team, dp_count(1e-3)')
	{
		foreach my $joined ('staff s LEFT JOIN k ON k.id = s.region',
			'k RIGHT JOIN staff s ON k.id = s.region AND k.id > 3',
			"staff s LEFT JOIN (SELECT id FROM k WHERE id > -9) k ON k.id = s.region")
		{
			my @keys = map {
				$a->value("SET bytea_output = 'escape'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1; "
					  . "SET constraint_exclusion = on; ALTER INDEX ki RESET (fillfactor)");
				keys_of(0, "$question FROM $joined WHERE team = $constant AND s.id = $_ GROUP BY team");
			} 8, -8;
			is($keys[0], $keys[1],
				"settings that change while the query is planned: $question FROM $joined WHERE team = $constant");
		}
	}
}
$a->value('RESET ALL; SET ROLE outsider');
# What a function of others gives is a constant like another where it is one.
$a->value('CREATE FUNCTION pg_temp.thirty() RETURNS int IMMUTABLE LANGUAGE sql AS \'SELECT 30\'');
is(keys_of(0, 'SELECT age, count(*) FROM staff WHERE age BETWEEN pg_temp.thirty() AND 31 GROUP BY age'), "30\n31",
	'a constant of a function chooses keys');
# A plan is made anew when a function that it was made of changes.
$a->value('PREPARE p AS SELECT age, count(*) FROM staff WHERE pg_temp.between_ages(age) GROUP BY age')
  if $a->run('CREATE FUNCTION pg_temp.between_ages(int) RETURNS boolean IMMUTABLE '
	  . 'LANGUAGE sql AS \'SELECT $1 BETWEEN 30 AND 31\'');
is(keys_of(0, 'EXECUTE p'), "30\n31", 'a function that is put in place');
$a->value('CREATE OR REPLACE FUNCTION pg_temp.between_ages(int) RETURNS boolean IMMUTABLE '
	  . 'LANGUAGE sql AS \'SELECT $1 = 40\'');
is(keys_of(0, 'EXECUTE p'), '40', '... and is changed');
# Without hidden tables the server does what it always does.
is($a->value("SET my.n = 100; SELECT CASE WHEN false THEN 1 / pg_temp.f() END IS NULL, count(*) FROM regions "
	  . "WHERE id > pg_temp.f()"), 't|8', 'statements over other tables are left alone');

# Code that runs while the statement starts: the check of the first state of an aggregate. What was asked is what the
# answer is kept as: at whichever call it sets another order of days and months, the answer is kept for the order in
# which the question was asked.
$s->value("SET ROLE owner; SELECT idp.protect('staff', 1e9, epsilon => 1e-3, unit => 'id', repeat => 'forever'); "
	  . "RESET ROLE; GRANT CREATE ON SCHEMA public TO outsider");
$a->value('RESET ALL; SET ROLE outsider');
$a->value(<<'SQL');
CREATE SEQUENCE calls;
SET my.at = 0;
CREATE FUNCTION sets_order(bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('calls') = current_setting('my.at')::int THEN PERFORM set_config('DateStyle', 'ISO, YMD', false); END IF;
  RETURN true;
END $$;
CREATE DOMAIN state AS bigint CHECK (sets_order(value));
CREATE FUNCTION last_of(state, bigint) RETURNS state LANGUAGE plpgsql AS 'BEGIN RETURN coalesce($2, 0); END';
CREATE AGGREGATE last_one(bigint) (SFUNC = last_of, STYPE = state, INITCOND = '0');
SQL
my $most = 0;
foreach my $at (1 .. 6)
{
	my $question = "SELECT count(*) FROM staff WHERE since = ('03/02/25'::text)::date AND id < 300 + $at";
	my $asked = sub {
		return $a->value("SET idp.epsilon = 100; SET DateStyle = 'ISO, $_[0]'; SET my.at = " . ($_[2] // 0)
			  . "; SELECT setval('calls', 1, false) > 9; $_[1]")
	};
	$asked->('DMY', $question =~ s/(count\(\*\))(.*)/last_one(c) FROM (SELECT $1 AS c$2) x/r, $at);
	$most = $a->value("SELECT greatest($most, last_value) FROM calls");
	is($asked->('DMY', $question), "f\n1", "call $at sets another order: the third of February");
	is($asked->('YMD', $question), "f\n0", '... and none of that day in 2003');
}
cmp_ok($most, '>=', 2, "$most calls");

# Where keys follow the time zone, and such code sets another one while the query is planned, it is refused.
$s->value("SET ROLE owner; CREATE TABLE visits (at timestamptz NOT NULL); "
	  . "SELECT idp.protect('visits', 1e9, epsilon => 1e-3, rows => 'hidden'), idp.set_domain('visits', 'at', "
	  . "'2025-01-01', '2025-01-31', grain => '1 day', zone => 'UTC'); GRANT SELECT ON visits TO outsider; RESET ROLE");
$a->value(<<'SQL');
CREATE FUNCTION sets_zone(bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('calls') = current_setting('my.at')::int THEN PERFORM set_config('TimeZone',
    'America/New_York', false); END IF;
  RETURN true;
END $$;
CREATE DOMAIN zone_state AS bigint CHECK (sets_zone(value));
CREATE FUNCTION last_of_zone(zone_state, bigint) RETURNS zone_state
  LANGUAGE plpgsql AS 'BEGIN RETURN coalesce($2, 0); END';
CREATE AGGREGATE last_in_zone(bigint) (SFUNC = last_of_zone, STYPE = zone_state, INITCOND = '0');
SQL
foreach my $at (1, 2, 99)
{
	$a->value("SET TimeZone = 'UTC'; SET my.at = $at; SELECT setval('calls', 1, false)");
	my $got = $a->run("SELECT last_in_zone(n) IS NULL "
		  . "FROM (SELECT date_trunc('day', at) AS day, count(*) AS n FROM visits GROUP BY 1) v");
	is($got->{message} // $got->{out}, $at == 1 ? 'the time zone was changed while the query was planned: run it again'
		  : 'f', "call $at sets another time zone");
}
$a->value('RESET TimeZone');

# Code that runs while texts are made, and catches an error of its own: the settings of the session
# are known afterwards.
$a->value(<<'SQL');
CREATE FUNCTION catches(int) RETURNS boolean
  LANGUAGE plpgsql AS 'BEGIN BEGIN PERFORM 1 / 0; EXCEPTION WHEN OTHERS THEN NULL; END; RETURN true; END';
CREATE DOMAIN checked AS int CHECK (catches(value));
CREATE TABLE own (k checked NOT NULL);
SELECT idp.protect('own', 10);
SQL
foreach my $count ('count(*)', 'dp_count(100)', "dp_count(100, 'of February')")
{
	my $question = "SELECT $count FROM staff WHERE since = ('03/02/25'::text)::date AND id < 400";
	$a->value("BEGIN; SELECT idp.set_domain('own', 'k', '1', '5') IS NULL; SET DateStyle = 'ISO, DMY'; "
		  . "$question; COMMIT");
	is($a->value("SET DateStyle = 'ISO, DMY'; $question"), 1,
		"after an error that was caught, $count: the third of February");
	my $other = $a->run("SET DateStyle = 'ISO, YMD'; $question");
	like($other->{message} // $other->{out}, qr/^0$|another question|cannot be released|units/,
		'... and none of that day in 2003');
}

done_testing();

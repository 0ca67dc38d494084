# Hidden tables: an analyst's role gets private answers, and nothing else. Rows 15 to 22 of the
# attacks.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

# The check is tested, not what becomes of plain aggregates before: tests/tap/099_plain_sql.pl.
my $node = new_node('hidden', 'idp.rewrite = off', 'jit = off', 'max_parallel_workers_per_gather = 2');
my $s = session($node);
my $version = $s->value("SELECT current_setting('server_version_num')::int / 10000");
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
CREATE ROLE assistant LOGIN IN ROLE keeper;
GRANT CREATE ON SCHEMA public TO keeper, analyst;
SET ROLE keeper;
CREATE TABLE t (id int, age int, salary float8, city text, name varchar(20), born date, seen timestamp,
  n numeric, flag bool);
INSERT INTO t SELECT i, 20 + i % 45, 1000.0 * i, (ARRAY['Oslo', 'Rome', 'Kyiv'])[1 + i % 3], 'name ' || i,
    date '1980-01-01' + i,
    timestamp '2020-01-01' + i * interval '1 hour', i / 4.0, i % 2 = 0 FROM generate_series(1, 200) i;
CREATE INDEX t_age ON t (age);
CREATE TABLE p AS SELECT i AS id, i % 4 AS g, i::float8 AS x FROM generate_series(1, 10) i;
CREATE TABLE parted (id int, region int, amount float8) PARTITION BY LIST (region);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
INSERT INTO parted SELECT i, 1 + i % 2, i FROM generate_series(1, 100) i;
CREATE TABLE grown (x int);
CREATE TABLE child () INHERITS (grown);
INSERT INTO child SELECT generate_series(1, 50);
CREATE VIEW v AS SELECT * FROM t;
CREATE FUNCTION all_of_t() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM t';
CREATE FUNCTION all_of_v() RETURNS SETOF v LANGUAGE sql STABLE AS 'SELECT * FROM v';
CREATE FUNCTION counted() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM t); END';
CREATE FUNCTION opened() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  SET search_path = public, pg_temp AS 'SELECT count(*) FROM t';
CREATE MATERIALIZED VIEW kept AS SELECT count(*) AS n FROM t;
GRANT SELECT ON t, p, v, parted, parted_1, parted_2, grown, child, kept TO analyst;
ANALYZE t, p, parted, grown;
SELECT idp.protect(name, 1000000) FROM unnest(ARRAY['t', 'parted', 'grown']::regclass[]) name;
RESET ROLE;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

sub total { return $s->value('SELECT trim_scale(sum(spent)) FROM idp.budget') }

# Refused for that reason, with a way out, and nothing was charged.
sub refused
{
	my ($why, @queries) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	foreach my $sql (@queries)
	{
		my $before = total();
		my $result = $a->run($sql);
		like($result->{message} // "answered: $result->{out}", $why, "refused: $sql");
		like($result->{hint} // '', qr/./, 'with a way out') if defined $result->{sqlstate};
		is($result->{out}, '', 'nothing was shown');
		is(total(), $before, 'nothing was charged');
		$a->run('ROLLBACK') if $sql =~ /BEGIN/;
	}
	return;
}

# An answer, charged.
sub answered
{
	my ($expected, $sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = total();
	my $result = $a->run($sql);
	is($result->{message} // $result->{out}, $expected, "answered: $sql");
	isnt(total(), $before, 'and charged');
	return;
}

# --- the budget says so ------------------------------------------------------------------------

is($s->value("SELECT string_agg(table_name || ' ' || rows, ', ' ORDER BY table_name) FROM idp.protection"),
	'grown hidden, parted hidden, t hidden', 'the budget shows hidden rows');
is($a->value("SELECT rows FROM idp.protection WHERE table_name = 't'"), 'hidden', 'to the analyst as well');
like($s->run("SELECT idp.protect('p', 1, rows => 'other')")->{message}, qr/^rows must be "hidden" or "visible"/,
	'rows are one or the other');

# by default; what is left out of a table that is protected already stays
$s->value("CREATE TABLE plain AS SELECT 1 AS x; SELECT idp.protect('plain', 1)");
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 'plain'"), 'hidden',
	'rows are hidden unless told otherwise');
$s->value("SELECT idp.protect('plain', 2, rows => 'visible'), idp.protect('plain', 3)");
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 'plain'"), 'visible', 'a visible table stays visible');
$s->value("SELECT idp.unprotect('plain'), idp.protect('plain', 3)");
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 'plain'"), 'hidden', 'until it is protected anew');
$s->value("SELECT idp.unprotect('plain'); DROP TABLE plain");

# --- exempt --------------------------------------------------------------------------------------

$s->value('CREATE ROLE passer LOGIN BYPASSRLS; GRANT SELECT ON t TO passer');
foreach my $role (qw(postgres keeper assistant passer))
{
	$a->value("RESET ROLE; SET ROLE $role");
	is($a->value('SELECT count(*), max(age) FROM t'), '200|64', "$role is exempt");
}
$a->value('RESET ROLE; SET ROLE analyst');

# --- 17: rows, and what is made of them ---------------------------------------------------------------

my $rows = qr/^rows of table "\w+" are hidden from role "analyst"/;
refused(
	$rows,
	'SELECT salary FROM t',
	'SELECT t.* FROM t',
	'SELECT ctid FROM t',
	'SELECT tableoid FROM t',
	'SELECT max(salary) FROM t',
	'SELECT count(*) FROM t',
	'SELECT 1 FROM t',
	'SELECT EXISTS (SELECT FROM t)',
	'SELECT row_to_json(t) FROM t',
	"SELECT query_to_xml('SELECT * FROM t', true, true, '')",
	$s->run('SELECT xmlelement(name a)')->{sqlstate} ? () : "SELECT table_to_xml('t', true, true, '')",
	'COPY t TO STDOUT',
	'COPY (SELECT * FROM t) TO STDOUT',
	'SELECT * FROM t TABLESAMPLE BERNOULLI (100)',
	'CREATE TEMP TABLE mine AS SELECT * FROM t',
	'SELECT * INTO TEMP mine FROM t',
	'CREATE MATERIALIZED VIEW mine AS SELECT * FROM t',
	'BEGIN; DECLARE c CURSOR FOR SELECT * FROM t; FETCH c',
	'BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT * FROM t; COMMIT',
	'PREPARE q AS SELECT * FROM t; EXECUTE q; DEALLOCATE q',
	'DO $$ BEGIN PERFORM * FROM t; END $$',
	'SELECT max(salary), dp_count(1.0) FROM t',
	'SELECT dp_count(1.0), string_agg(name, \',\') FROM t',
	'SELECT dp_count(1.0) FROM t UNION ALL SELECT id FROM t',
	'SELECT (SELECT max(id) FROM t), dp_count(1.0) FROM t',
	'SELECT dp_count(1.0) + (SELECT max(id) FROM t) FROM t',
	'WITH c AS MATERIALIZED (SELECT * FROM t) SELECT dp_count(1.0), (SELECT max(id) FROM c) FROM c',
	'WITH c AS MATERIALIZED (SELECT * FROM t) SELECT id FROM c',
	'WITH RECURSIVE r AS (SELECT id FROM t UNION SELECT r.id FROM r JOIN t ON t.id = r.id) SELECT * FROM r',
	'SELECT p.id FROM p WHERE p.id IN (SELECT id FROM t)',
	'SELECT p.id FROM p WHERE EXISTS (SELECT FROM t WHERE t.id = p.id)',
	'SELECT p.id, t.id FROM p LEFT JOIN t USING (id)',
	'SELECT p.id FROM p ORDER BY (SELECT max(id) FROM t)',
	'SELECT id FROM p LIMIT (SELECT count(*) FROM t)',
	'SELECT row_number() OVER () FROM t',
	'SELECT DISTINCT age FROM t',
	'SELECT * FROM t FETCH FIRST 1 ROW ONLY',
	'SELECT id FROM t INTERSECT SELECT id FROM p',
	'SELECT unnest(ARRAY[id, age]) FROM t',
	'SELECT * FROM all_of_t()',
	'SELECT all_of_t()',
	'SELECT counted()',
	'SELECT * FROM v',
	'SELECT * FROM all_of_v()',
	'SELECT * FROM parted',
	'SELECT * FROM parted_1',
	'SELECT * FROM ONLY parted_2',
	'SELECT * FROM grown',
	'SELECT * FROM ONLY grown',
	'SELECT * FROM child',
	'VALUES ((SELECT max(id) FROM t))',
	'SELECT dp_count(1.0) FROM p WHERE x < (SELECT max(id) FROM t)',
	'SELECT * FROM t WHERE false OR id > 0');
foreach my $statement (
	'SELECT 1 FROM t FOR UPDATE',
	'SELECT 1 FROM t FOR SHARE')
{
	like($a->run($statement)->{message}, qr/permission denied|hidden/, "refused: $statement");
}
$s->value('GRANT UPDATE, DELETE, INSERT ON t, p, parted TO analyst');
refused(
	qr/^rows of table "t" are hidden|is refused: rows of table "\w+" are hidden from role "analyst"/,
	'SELECT 1 FROM t FOR UPDATE',
	'UPDATE t SET age = 1',
	'UPDATE t SET age = 1 WHERE false OR id = 4',
	'DELETE FROM t WHERE id = 4',
	'DELETE FROM t USING p WHERE t.id = p.id',
	'UPDATE p SET x = (SELECT max(salary) FROM t)',
	'DELETE FROM p WHERE id IN (SELECT id FROM t)',
	'INSERT INTO p SELECT id, age, salary FROM t',
	'INSERT INTO t VALUES (1000) RETURNING id',
	'INSERT INTO t SELECT id FROM t',
	'WITH i AS (INSERT INTO p SELECT id FROM t) SELECT 1',
	'WITH i AS (INSERT INTO p SELECT id FROM t RETURNING id) SELECT * FROM i LIMIT 0',
	'WITH d AS (DELETE FROM t) SELECT 1',
	$version >= 15 ? 'MERGE INTO t USING p ON t.id = p.id WHEN MATCHED THEN DELETE' : ());
is($a->run('INSERT INTO t (id, age) VALUES (1000, 30), (1001, 31)')->{sqlstate}, undef, 'a granted INSERT is allowed');
is($s->value('SELECT count(*) FROM t'), 202, 'and done');
is($a->run('INSERT INTO parted VALUES (1000, 1, 1)')->{sqlstate}, undef, 'also into partitions');
$s->value('DELETE FROM t WHERE id >= 1000; DELETE FROM parted WHERE id >= 1000; CREATE UNIQUE INDEX t_id ON t (id)');
refused(
	qr/is refused: rows of table "t" are hidden/,
	'INSERT INTO t (id) VALUES (4)',
	'INSERT INTO t (id) VALUES (4) ON CONFLICT DO NOTHING',
	'INSERT INTO t (id) VALUES (4) ON CONFLICT (id) DO UPDATE SET age = 1');
$s->value('DROP INDEX t_id; REVOKE UPDATE, DELETE, INSERT ON t, p, parted FROM analyst');

# --- what is answered --------------------------------------------------------------------------------

answered(200, 'SELECT dp_count(1000.0) FROM t');
answered(200, 'SELECT dp_count(1000.0) FROM v');
answered(200, 'SELECT dp_count(1000.0) FROM all_of_t()');
answered(200, 'SELECT dp_count(1000.0) FROM all_of_v()');
answered(100, 'SELECT dp_count(1000.0) FROM parted');
answered(50, 'SELECT dp_count(1000.0) FROM parted_1');
answered(50, 'SELECT dp_count(1000.0) FROM parted WHERE region = 2');
answered(50, 'SELECT dp_count(1000.0) FROM grown');
answered(50, 'SELECT dp_count(1000.0) FROM child');
answered(400, 'SELECT dp_count(1000.0) + (SELECT dp_count(1000.0) FROM v) FROM t');
answered('200|50', 'SELECT (SELECT dp_count(1000.0) FROM t), (SELECT dp_count(1000.0) FROM child)');
answered('t', 'SELECT dp_count(1000.0) > 10 FROM t');
answered('', 'SELECT dp_count(1000.0) FROM t HAVING dp_count(1000.0) > 1000');
answered("200|1\n200|2", 'SELECT c.n, p.id FROM (SELECT dp_count(1000.0) n FROM t) c, p WHERE p.id < 3 ORDER BY 2');
answered(200, 'WITH c AS MATERIALIZED (SELECT * FROM t) SELECT dp_count(1000.0) FROM c');
answered(200, 'WITH c AS (SELECT * FROM t OFFSET 0) SELECT dp_count(1000.0) FROM c');
answered(200, "PREPARE q (int) AS SELECT dp_count(1000.0) FROM t WHERE age > \$1; EXECUTE q (0); DEALLOCATE q");
answered(200, "SET plan_cache_mode = force_generic_plan; PREPARE q (int) AS SELECT dp_count(1000.0) FROM t "
	  . "WHERE age > \$1; EXECUTE q (0); DEALLOCATE q; RESET plan_cache_mode");
answered(200, 'BEGIN; DECLARE c CURSOR FOR SELECT dp_count(1000.0) FROM t; FETCH c; COMMIT');
answered(1, 'CREATE TEMP TABLE mine AS SELECT dp_count(1000.0) n FROM t; SELECT count(*) FROM mine; DROP TABLE mine');
answered(100, 'SELECT dp_count(1000.0) FILTER (WHERE flag) FROM t');
my $parallel = "SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
  . "SET min_parallel_table_scan_size = 0; ";
answered(200, $parallel . 'SELECT dp_count(1000.0) FROM t');
answered(100, $parallel . 'SELECT dp_count(1000.0) FROM parted WHERE amount > 0');
answered(200, 'SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT dp_count(1000.0) FROM t WHERE age >= 20');
answered(200, 'SET enable_bitmapscan = on; SELECT dp_count(1000.0) FROM t WHERE age >= 20');
$a->value("RESET ALL; SET ROLE analyst");
$a->value('SET enable_seqscan = off');
like(steps_of($a, 'SELECT dp_count(1000.0) FROM t WHERE age = 30'), qr/INDEX/, 'leakproof conditions use indexes');

# free: neither reads a row
foreach my $sql ('SELECT * FROM t LIMIT 0', 'SELECT * FROM t WHERE false', 'SELECT dp_count(1.0) FROM t LIMIT 0',
	'SELECT count(*) FROM p',
	'SELECT * FROM kept', 'SELECT opened()')
{
	my $before = total();
	is($a->run($sql)->{sqlstate}, undef, "answered: $sql");
	is(total(), $before, 'and free');
}

# --- 15, 16: expressions over hidden rows --------------------------------------------------------------

$a->value(<<'SQL');
CREATE FUNCTION told(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN $1; END';
CREATE FUNCTION wrapped(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1 / $1';
CREATE FUNCTION same(int, int) RETURNS bool
  LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''% %'', $1, $2; RETURN $1 = $2; END';
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = same, RESTRICT = eqsel);
CREATE DOMAIN small AS int CHECK (VALUE < 40);
SQL
my $unfit =
  qr/cannot be applied to hidden rows of table "\w+"|cannot be evaluated before hidden rows of table "\w+"|cannot be computed over/;
my @conditions = (
	"repeat(city, 10) = 'x'", "name ~ city", "city LIKE 'R\\'", 'city LIKE name', "extract(nonsense from seen) = 1",
	"extract(hour from born) = 1", 'lpad(city, age) = city', 'lpad(city, 1000) = city', 'told(age) = 1', 'same(age, 1)',
	'age === 1', 'age::small = 1', 'pg_sleep(age) IS NULL', "set_config('a.b', city, false) = 'x'",
	'pg_advisory_lock(age) IS NULL', "nextval('pg_class_oid_index'::regclass) = age", 'random() < 0.5',
	'current_setting(city) = \'x\'', "query_to_xml('SELECT ' || city, true, true, '') IS NULL",
	'array_length(ARRAY[age, id], age) = 1', 'ROW(age, id) < ROW(1, 2)', "jsonb_build_object(city, age) ->> 'x' = 'y'",
	"age = ANY (string_to_array(city, ',')::int[])", 'told(1 / (age - 37)) = 1', '1 / told(age) = 1');
refused($unfit, map { "SELECT dp_count(1.0) FROM t WHERE $_" } @conditions);
refused($unfit, map { "SELECT dp_count(1.0) FILTER (WHERE $_) FROM t" } @conditions[ 0 .. 5, 8 .. 16 ]);
refused($unfit, map { "SELECT dp_count(1.0) FROM v WHERE $_" } @conditions[ 1 .. 3, 9 .. 13 ]);
refused(
	$unfit,
	'SELECT dp_sum(told(age), 1.0, 0, 10) FROM t',
	'SELECT dp_sum(x, 1.0, 0, 10) FROM (SELECT told(age) AS x FROM t OFFSET 0) s',
	'SELECT dp_sum(age, 1.0, 0, 10 ORDER BY told(age)) FROM t',
	'SELECT dp_count(1.0) FROM (SELECT * FROM t ORDER BY told(age)) s');
my @fit = (
	'age > 30', 'age = 30 OR salary <> 5', "city = 'Rome'", "city IN ('Rome', 'Oslo')", 'age BETWEEN 20 AND 30',
	'n > 3.5', "lower(city) = 'rome'", "city LIKE 'R%'", "name ILIKE '%9'", 'born < \'1980-03-01\'',
	"seen >= '2020-01-01' AND seen < '2020-02-01'", 'extract(month from born) = 2', 'extract(hour from seen) < 12',
	'flag', 'NOT flag', 'flag IS TRUE', 'city IS NOT NULL', 'coalesce(city, name) = city',
	"CASE WHEN flag THEN city ELSE name END = 'Rome'", 'length(city) > 3', 'substr(city, 1, 2) = \'Ro\'',
	"left(city, 1) = 'R'", 'greatest(age, id) > 5', 'age::bigint > 5', 'age::float8 > 5', 'age::numeric > 5',
	"age::text = '30'", 'nullif(age, 30) IS NULL', 'age IS DISTINCT FROM 30', 'abs(salary) > 5', '-salary < 0',
	'seen::date = \'2020-01-02\'', "born > now() - interval '1 year'", 'born <= current_date', 'age > 100 / 3',
	"name = current_user", "name::text = 'x'", "starts_with(city, 'R')", "trim(city) = 'x'",
	'ROW(age, id) = ROW(30, 2)', 'age & 1 = 1', "n::text = '5'", "salary::text LIKE '1%'",
	# what is the same for all rows, though it depends on settings and on the time
	"born > to_date('1980-01-01', 'YYYY-MM-DD')", "age(born) > interval '30 years'",
	'extract(year from age(born)) < 40', "seen > to_timestamp('2020', 'YYYY')", "city = format('%s', upper('x'))",
	"name = current_setting('application_name')", "to_char(now(), 'YYYY') = city",
	"born = ANY (ARRAY[current_date, to_date('1980', 'YYYY')])",
	# what may fail: by its total twin (078_total_twins.pl)
	'1 / (age - 37) = 0', 'city::int = 1', 'id + 2147483600 > 0', 'n * n > 1', 'sqrt(age - 30) > 1',
	'salary * 1e308 > 1', 'wrapped(age) = 1', "date_trunc('month', seen) > '2020-01-01'", 'born + age > now()',
	'seen::timestamptz > now()', 'born::timestamp > now()', "city || name = 'x'", "to_char(seen, 'YYYY') = '2020'",
	"to_date(city, 'YYYY') > now()", "to_number(city, '9') = 1", "date_part('year', born) = 1980",
	'substr(city, 1, age - 30) = city', 'substr(city, 1, -1) = city');
foreach my $condition (@fit)
{
	my $result = $a->run("SELECT dp_count(0.001) FROM t WHERE $condition");
	is($result->{message}, undef, "allowed: $condition");
}
# what does not depend on rows may fail: before the first of them is read, whatever they are
foreach my $world ('age > 0', 'age < 0')
{
	my $sql = "PREPARE q (int) AS SELECT dp_count(0.001) FROM t WHERE $world AND id > 1 / \$1; "
	  . "SET plan_cache_mode = force_generic_plan; EXECUTE q (0)";
	like($a->run($sql)->{message}, qr/^division by zero/, "a constant that fails, with $world");
	$a->run('DEALLOCATE q; RESET plan_cache_mode');
}
# and it has one value throughout, whatever settings the query changes
foreach my $world ('age = 30', 'age = 300')
{
	my $late = "timestamptz '294276-12-31 23:00:00+00'::timestamp IS NOT NULL";
	my $sql = "SELECT set_config('timezone', 'Asia/Tokyo', false), (SELECT dp_count(1000.0) FROM t "
	  . "WHERE CASE WHEN $world THEN $late ELSE true END)";
	$a->value("SET timezone = 'UTC'");
	is($a->run($sql)->{message}, undef, "a constant that would fail in another time zone, with $world");
}
$a->value('RESET timezone');
# in parallel workers and index conditions too
$s->value("SET ROLE keeper; CREATE TABLE long (age int, born date); INSERT INTO long SELECT i % 100, "
	  . "date '1980-01-01' + i FROM generate_series(1, 20000) i; CREATE INDEX ON long (born); ANALYZE long");
$s->value("SELECT idp.protect('long', 1000000); GRANT SELECT ON long TO analyst; RESET ROLE");
foreach my $plan (
	[ 'GATHER', 'min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0' ],
	[ 'INDEX', 'enable_seqscan = off' ])
{
	my ($node_of_plan, $settings) = @$plan;
	my $since = $node_of_plan eq 'GATHER' ? 'born + 0' : 'born';
	$a->value("SET $settings");
	my $sql = "SELECT dp_count(1000.0) FROM long WHERE $since > to_date('1980-01-01', 'YYYY-MM-DD') + 19900";
	like(steps_of($a, $sql), qr/$node_of_plan/, $settings);
	answered(100, $sql);
	$a->value('RESET ALL; SET ROLE analyst');
}
$s->value("SELECT idp.unprotect('long'); DROP TABLE long");
# other functions are refused, and the hint helps
$a->value("CREATE FUNCTION cutoff() RETURNS date "
	  . "LANGUAGE sql STABLE AS 'SELECT date ''1980-01-01'' FROM generate_series(1, 1)'");
my $unknown = $a->run('SELECT dp_count(0.001) FROM t WHERE born > cutoff()');
like($unknown->{message}, qr/^function cutoff\(\) cannot be evaluated before hidden rows of table "t" are read/,
	'a function of hers over constants');
like($unknown->{hint}, qr/as a literal or a parameter/, 'with a way out');
is($a->run("PREPARE p (date) AS SELECT dp_count(0.001) FROM t WHERE born > \$1; EXECUTE p (cutoff())")->{message},
	undef, 'which is one');
$a->value('DEALLOCATE p');
# a trusted function
$s->value("CREATE FUNCTION safe_mod(int) RETURNS int IMMUTABLE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC "
	  . "SELECT \$1 % 10; END; CREATE FUNCTION unsafe(int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT \$1'");
refused($unfit, 'SELECT dp_count(1.0) FROM t WHERE safe_mod(age) = 1');
like($a->run("SELECT idp.trust_function('told(int)')")->{message}, qr/^must be superuser/, 'trust is for superusers');
like($s->run("SELECT idp.trust_function('told(int)')")->{hint}, qr/OWNER TO/,
	"another's function is not trusted: he can replace it");
like($s->run("SELECT idp.trust_function('unsafe(int)')")->{detail}, qr/IMMUTABLE/, 'nor a volatile one');
my $builtin = $s->run("SELECT idp.trust_function('regexp_replace(text, text, text)')");
like($builtin->{detail}, qr/the server's own/, 'nor one of the server, as that would change nothing');
like($builtin->{hint}, qr/calls it and never fails/, 'but one that calls it');
# what a session reads with the first row, and keeps, tells whether a hidden row came: functions that are read when they
# are created do not, and the others are not applied even if 0.3.0 trusted them
my $own_path = 'SET search_path = pg_catalog, pg_temp';
foreach my $kept ("LANGUAGE plpgsql $own_path AS 'BEGIN RETURN regexp_replace(\$1, ''[0-9]'', '''', ''g''); END'",
	"LANGUAGE sql $own_path AS 'SELECT regexp_replace(\$1, ''[0-9]'', '''', ''g'')'")
{
	$s->value("CREATE FUNCTION kept(text) RETURNS text IMMUTABLE $kept");
	my $refusal = $s->run("SELECT idp.trust_function('kept(text)')");
	like($refusal->{detail}, qr/a text that each session reads/, "what is read later: $kept");
	like($refusal->{hint}, qr/BEGIN ATOMIC/, 'with a way out');
	$s->value("INSERT INTO idp.trusted_function VALUES ('public.kept(pg_catalog.text)')");
	refused($unfit, "SELECT dp_count(1000.0) FROM t WHERE kept(name) = 'name '");
	$s->value('DROP FUNCTION kept(text)');
}
$s->value("CREATE FUNCTION without_digits(t text) RETURNS text IMMUTABLE BEGIN ATOMIC "
	  . "SELECT regexp_replace(t, '[0-9]', '', 'g'); END");
my $of_caller = $s->run("SELECT idp.trust_function('without_digits(text)')");
like($of_caller->{detail}, qr/the search path of whoever calls it/, 'whose names follow from the search path');
$of_caller->{hint} =~ /^(ALTER FUNCTION .*)$/ and $s->value($1);
$s->value("SELECT idp.trust_function('without_digits(text)')");
$a->value(q[CREATE SCHEMA hers; CREATE FUNCTION hers.regexp_replace(text, text, text, text) RETURNS text ]
	  . q[LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''told %'', $1; END'])
  if $s->value('GRANT CREATE ON DATABASE postgres TO analyst') eq '';
$a->value('CREATE DOMAIN pg_temp.text AS int; SET search_path = hers, pg_catalog, public');
answered(200, "SELECT dp_count(1000.0) FROM t WHERE without_digits(name) = 'name '");
foreach my $path ('RESET ALL', 'SET search_path = public', "SET search_path = ''",
	'SET search_path = pg_catalog, public, pg_temp', 'SET search_path = pg_catalog')
{
	$s->value("ALTER FUNCTION without_digits(text) $path");
	refused($unfit, "SELECT dp_count(1000.0) FROM t WHERE without_digits(name) = 'name '");
}
$s->value('ALTER FUNCTION without_digits(text) SET search_path = pg_catalog, pg_temp');
$a->value('RESET search_path; DROP DOMAIN pg_temp.text; DROP SCHEMA hers CASCADE');
answered(200, "SELECT dp_count(1000.0) FROM t WHERE without_digits(name) = 'name '");
$s->value('DROP FUNCTION without_digits(text)');
$s->value("SELECT idp.trust_function('safe_mod(int)')");
answered(22, 'SELECT dp_count(1000.0) FROM t WHERE safe_mod(age) = 1');
is($a->run("PREPARE p (int) AS SELECT dp_count(0.001) FROM t WHERE id > safe_mod(\$1); "
	  . "SET plan_cache_mode = force_generic_plan; EXECUTE p (11)")->{message}, undef, 'over a parameter too');
$a->value('DEALLOCATE p; RESET plan_cache_mode');
$s->value("ALTER FUNCTION safe_mod(int) OWNER TO analyst");
refused(qr/^a function in SQL that cannot be replaced by its text/,
	'SELECT dp_count(1.0) FROM t WHERE safe_mod(age) = 1');
$s->value("ALTER FUNCTION safe_mod(int) OWNER TO postgres; SELECT idp.distrust_function('safe_mod(int)')");
refused($unfit, 'SELECT dp_count(1.0) FROM t WHERE safe_mod(age) = 1');
$s->value("SELECT idp.trust_function('safe_mod(int)'); DROP FUNCTION safe_mod(int)");
is($s->value('SELECT count(*) FROM idp.trusted_function'), 0, 'a dropped function is forgotten');

# --- aggregates of the extension that are free, because they count what is private already ------------------

$s->value("CREATE TABLE held AS SELECT i AS x, dp_report(i % 2 = 0, 1.0, ARRAY[true, false]) AS report "
	  . "FROM generate_series(1, 50) i; GRANT SELECT ON held TO analyst; "
	  . "SELECT idp.protect('held', 1000, rows => 'hidden')");
refused($rows, 'SELECT dp_report_count(report, 1.0, true) FROM held WHERE x = 7',
	'SELECT dp_report_count(report, 1.0, true), dp_count(1.0) FROM held', 'SELECT count(*) FROM held');
answered(50, 'SELECT dp_count(1000.0) FROM held');
$s->value("SELECT idp.unprotect('held'); DROP TABLE held");

# --- what only looks as if it were never read -------------------------------------------------------------

refused($rows, 'SELECT id FROM p LIMIT 0 OFFSET (SELECT max(id) FROM t WHERE id = 5)',
	'SELECT id FROM p LIMIT 0 OFFSET (SELECT max(id) FROM t WHERE id = -5)',
	'SELECT id FROM p LIMIT 0 OFFSET (SELECT max(id) FROM v WHERE id = 5)');

# --- 18, 19: EXPLAIN, statistics -------------------------------------------------------------------------

# EXPLAIN ANALYZE is answered, and charged: it shows answers, and nothing below them.
sub analysed
{
	my ($sql) = @_;
	my $before = total();
	my $result = $a->run($sql);
	is($result->{message}, undef, "answered: $sql");
	isnt(total(), $before, 'and charged');
	unlike($result->{out}, qr/Seq Scan|Index|Aggregate|Gather/, 'and one step is shown');
	return;
}
$a->run('DEALLOCATE ALL');
analysed($_) foreach ('EXPLAIN ANALYZE SELECT dp_count(1.0) FROM t',
	'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT dp_count(1.0) FROM v',
	'PREPARE q AS SELECT dp_count(1.0) FROM t; EXPLAIN ANALYZE EXECUTE q', 'EXPLAIN ANALYZE EXECUTE q',
	'EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT dp_count(1.0) FROM t',
	'EXPLAIN ANALYZE CREATE TEMP TABLE analysed AS SELECT dp_count(1.0) FROM t',
	"DO \$\$ DECLARE l text; BEGIN FOR l IN EXPLAIN ANALYZE SELECT dp_count(1.0) FROM t LOOP END LOOP; END \$\$");
refused($rows, 'EXPLAIN SELECT * FROM t', 'EXPLAIN SELECT count(*) FROM t');
foreach my $sql ('SELECT dp_count(1.0) FROM t WHERE age = 30', 'EXECUTE q',
	'SELECT dp_count(1.0) FROM v WHERE salary > 3', 'SELECT dp_count(1.0) FROM parted',
	'WITH c AS MATERIALIZED (SELECT * FROM t) SELECT dp_count(1.0) FROM c')
{
	my $plan = $a->value("EXPLAIN $sql");
	unlike($plan, qr/cost=(?!0\.00\.\.0\.00)|rows=[1-9]|width=[1-9]/, "EXPLAIN of $sql shows no estimate");
	like($plan, qr/Custom Scan \(PrivateAnswers\)/, 'but what is asked');
}
like($s->value('EXPLAIN SELECT dp_count(1.0) FROM t'), qr/rows=200/, 'the owner sees estimates');
$a->value('DEALLOCATE q');
# the last with a subquery, which has costs of its own
foreach my $from ('t', 'v', 'parted', 't WHERE id IN (SELECT id FROM t WHERE id > 2 OFFSET 0) OR id < 0')
{
	my $printed = $a->run("SET debug_print_plan = on; SET client_min_messages = log; "
		  . "EXPLAIN SELECT dp_count(1.0) FROM $from")->{err};
	$a->value('RESET debug_print_plan; RESET client_min_messages');
	like($printed, qr/[:.]plan_rows 0/, "debug_print_plan of $from");
	unlike($printed, qr/[:.](?:plan_rows|plan_width|total_cost|startup_cost|per_call_cost) [1-9]/, 'shows no estimate');
}
is($a->value("SELECT count(*) FROM pg_stats WHERE tablename IN ('t', 'parted', 'parted_1', 'child')"), 0,
	'pg_stats are hidden');
# the planner looks at the statistics of hidden tables for nobody's functions
foreach my $from ('t', 'v', 'all_of_v()', 'parted')
{
	my $column = $from eq 'parted' ? 'region' : 'age';
	my $result = $a->run("EXPLAIN SELECT dp_count(1.0) FROM $from WHERE $column === 1");
	unlike($result->{err}, qr/NOTICE/, "planning a query of $from calls no function with values");
	ok(defined $result->{sqlstate}, 'and it is refused');
}

# --- 20: roles, plans that are kept -------------------------------------------------------------------

my $b = session($node);
foreach my $mode ('auto', 'force_generic_plan', 'force_custom_plan')
{
	$b->value("SET plan_cache_mode = $mode; PREPARE q AS SELECT count(*) FROM t; PREPARE w AS SELECT count(*) FROM v; "
		  . "PREPARE d AS SELECT dp_count(1000.0) FROM v");
	is($b->value('EXECUTE q; EXECUTE w; EXECUTE d'), "200\n200\n200", "$mode: a superuser's prepared statements");
	$b->value('SET ROLE analyst');
	like($b->run("EXECUTE $_")->{message}, $rows, "$mode: not the analyst's: $_") foreach qw(q w);
	is($b->value('EXECUTE d'), 200, "$mode: a private one is");
	$b->value('RESET ROLE');
	is($b->value('EXECUTE q; EXECUTE w; EXECUTE d'), "200\n200\n200", "$mode: and the superuser's again");
	$b->value('DEALLOCATE ALL');
}
$b->value('SET ROLE analyst; PREPARE q AS SELECT count(*) FROM v');
$b->run('EXECUTE q');
$b->value('RESET ROLE');
is($b->value('EXECUTE q'), 200, "the analyst's plan is not the superuser's");
$s->value("SELECT idp.protect('p', 1000, rows => 'visible')");
$b->value('SET ROLE analyst; PREPARE r AS SELECT count(*) FROM p');
is($b->value('EXECUTE r'), 10, 'a table with visible rows');
$s->value("SELECT idp.protect('p', 1000, rows => 'hidden')");
like($b->run('EXECUTE r')->{message}, $rows, 'hidden later: the kept plan is made anew');
$s->value("SELECT idp.protect('p', 2000)");
like($b->run('EXECUTE r')->{message}, $rows, 'and still with another budget');
$s->value("SELECT idp.protect('p', 1000, rows => 'visible')");
is($b->value('EXECUTE r'), 10, 'and visible again');
is($s->value("SELECT relrowsecurity, (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid) FROM pg_class c "
	  . "WHERE relname = 'p'"), 'f|0', 'without a trace of the lock');
$s->value("SELECT idp.unprotect('p')");

# --- sessions without the library ----------------------------------------------------------------------

foreach my $sql ('SELECT * FROM t', 'COPY t TO STDOUT', 'COPY (SELECT * FROM t) TO STDOUT',
	'BEGIN; DECLARE c CURSOR FOR SELECT * FROM t; FETCH c', 'EXPLAIN ANALYZE SELECT * FROM t',
	'PREPARE q AS SELECT count(*) FROM t; EXECUTE q', 'SELECT count(*) FROM parted_1', 'SELECT * FROM child',
	'DO $$ BEGIN PERFORM count(*) FROM t; END $$')
{
	my ($ret, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst', '-v', 'ON_ERROR_STOP=0' ]);
	like($err, qr/rows of table "\w+" are hidden from role "analyst"/, "a session without the library: $sql");
	is($out, '', 'shows nothing');
}
my ($ret, $out, $err) = $node->psql('postgres', 'SELECT dp_count(1000.0) FROM t; SELECT dp_count(1000.0) FROM t',
	extra_params => [ '-U', 'analyst', '-v', 'ON_ERROR_STOP=0' ]);
like($err,
	qr/^psql:\S+ ERROR:  rows of table "t" are hidden from role "analyst": ask again, now that the library is loaded$/m,
	'and refuses private aggregates, as nothing was done before they were planned');
is($out, 200, 'and answers the second statement');
$s->value("CREATE TABLE keyed (id int PRIMARY KEY); INSERT INTO keyed VALUES (5); SELECT idp.protect('keyed', 1); "
	  . "GRANT INSERT ON keyed TO analyst");
foreach my $sql ('INSERT INTO keyed VALUES (5)', 'INSERT INTO keyed VALUES (6)',
	'INSERT INTO keyed SELECT 5 ON CONFLICT DO NOTHING', 'PREPARE q AS INSERT INTO keyed VALUES (5); EXECUTE q',
	'COPY keyed FROM STDIN')
{
	($ret, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst', '-v', 'ON_ERROR_STOP=0' ]);
	like($err, qr/is refused|are hidden from role|COPY FROM not supported/, "a session without the library: $sql");
	unlike($err, qr/duplicate/, 'tells of no row');
}
$s->value("SELECT idp.unprotect('keyed'); DROP TABLE keyed");

# --- what becomes a part later ----------------------------------------------------------------------------

$s->value(<<'SQL');
SET ROLE keeper;
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES IN (3);
CREATE TABLE parted_4 (LIKE parted);
INSERT INTO parted_4 VALUES (1, 4, 1);
GRANT SELECT ON parted_3, parted_4 TO analyst;
SQL
is($a->value('SELECT count(*) FROM parted_4'), 1, 'a table of its own');
$s->value('ALTER TABLE parted ATTACH PARTITION parted_4 FOR VALUES IN (4); '
	  . 'CREATE TABLE grandchild () INHERITS (child); GRANT SELECT ON grandchild TO analyst');
foreach my $part (qw(parted_3 parted_4 grandchild))
{
	like($a->run("SELECT * FROM $part")->{message}, $rows, "$part is hidden");
	($ret, $out, $err) = $node->psql('postgres', "SELECT count(*) FROM $part", extra_params => [ '-U', 'analyst' ]);
	like($err, qr/are hidden from role/, 'also without the library');
}
is($s->value("SELECT string_agg(DISTINCT rows, ',') FROM idp.protection WHERE active"), 'hidden', 'the lock is whole');
$s->value('ALTER TABLE parted DETACH PARTITION parted_4');
like($a->run("SELECT count(*) FROM parted_4 WHERE id = $_")->{message}, $rows,
	'detached, its lock stays, whatever is asked') foreach 1, -1;
$s->value("SELECT idp.unprotect('parted_4')");
is($a->value('SELECT count(*) FROM parted_4'), 1, 'until its owner takes it off');
$s->value('CREATE TABLE top (x int)');
like($s->run('ALTER TABLE grown INHERIT top')->{message},
	qr/^rows of table "[\w.]+" cannot be hidden while those of "public.top" are visible/,
	'a hidden table is no part of a visible one');

# what cannot be hidden, and the way out
$s->value('CREATE TABLE below () INHERITS (top)');
my $cannot = $s->run("SELECT idp.protect('below', 1)");
like($cannot->{message}, qr/^rows of table "public.below" cannot be hidden while those of "public.top" are visible/,
	'a part of a visible table cannot be hidden');
like($cannot->{hint}, qr/rows => 'visible'/, 'with a way out');
is($s->run("SELECT idp.protect('below', 1, rows => 'visible')")->{message}, undef, 'that is one');
$s->value("SELECT idp.unprotect('below')");
$s->value('DROP TABLE top CASCADE; RESET ROLE; CREATE FOREIGN DATA WRAPPER other_fdw; '
	  . 'CREATE SERVER other FOREIGN DATA WRAPPER other_fdw; CREATE TABLE mixed (x int) PARTITION BY LIST (x); '
	  . 'CREATE FOREIGN TABLE mixed_1 PARTITION OF mixed DEFAULT SERVER other');
$cannot = $s->run("SELECT idp.protect('mixed', 1)");
like($cannot->{message}, qr/^rows of foreign table "public.mixed_1" cannot be hidden/,
	'a foreign table cannot be hidden');
like($cannot->{hint}, qr/rows => 'visible'/, 'with a way out');
is($s->run("SELECT idp.protect('mixed', 1, rows => 'visible')")->{message}, undef, 'that is one');
$s->value("SELECT idp.unprotect('mixed'); DROP TABLE mixed; SET ROLE keeper");
# A part that is hidden itself: rows would show through the whole, in sessions without the library.
$s->value("SELECT idp.protect('parted_1', 5)");
foreach my $shown ("SELECT idp.unprotect('parted')", "SELECT idp.protect('parted', 5, rows => 'visible')")
{
	$cannot = $s->run($shown);
	like($cannot->{message} // 'done',
		qr/^rows of table "public.parted" cannot be visible while those of "public.parted_1" are hidden/,
		"refused: $shown");
	like($cannot->{hint} // '', qr/Unprotect "public.parted_1"/, 'with a way out');
}
is($s->value("SELECT idp.unprotect('parted_1'); SELECT rows FROM idp.protection WHERE table_name = 'parted'"),
	"\nhidden", 'and nothing changed');

# a part of another's
$s->value('RESET ROLE; CREATE ROLE branch LOGIN; CREATE TABLE parted_5 (LIKE parted); '
	  . 'ALTER TABLE parted_5 OWNER TO branch; INSERT INTO parted_5 VALUES (1, 5, 1)');
$s->value('ALTER TABLE parted ATTACH PARTITION parted_5 FOR VALUES IN (5); '
	  . 'GRANT SELECT ON parted_5 TO keeper, analyst');
$b->value('RESET ROLE; SET ROLE keeper');
is($b->value('SELECT count(*) FROM parted_5'), 1, 'the owner of the whole reads it');
is($b->value('SELECT count(*) FROM parted'), 101, 'also as a part');
like($a->run('SELECT * FROM parted_5')->{message}, $rows, 'the analyst does not');
$b->value('RESET ROLE; SET ROLE branch');
like($b->run('SELECT * FROM parted_5')->{message}, qr/are hidden from role "branch"/,
	'nor its own owner, while it is a part');
$s->value('SET ROLE keeper');

# --- the lock is noticed ----------------------------------------------------------------------------------

$s->value('ALTER TABLE t DISABLE ROW LEVEL SECURITY');
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 't'"), 'visible', 'disabled: the budget shows it');
like($a->run('SELECT * FROM t')->{message}, $rows, 'the other lock holds');
$s->value('ALTER TABLE grown DISABLE ROW LEVEL SECURITY; ALTER TABLE child DISABLE ROW LEVEL SECURITY; '
	  . 'ALTER TABLE parted_1 DISABLE ROW LEVEL SECURITY; GRANT INSERT ON t TO analyst');
# COPY of a table has no plan without row security. (034_attacks has COPY FROM: psql waits for its rows,
# refused or not.)
my @copies = ('COPY t TO STDOUT', 'COPY t (age) TO STDOUT (FORMAT csv)', 'COPY child TO STDOUT',
	'COPY parted_1 TO STDOUT');
refused($rows, @copies);
is($s->run('COPY child TO STDOUT')->{sqlstate}, undef, 'the owner copies rows');
is($a->run('COPY p TO STDOUT')->{sqlstate}, undef, 'everybody those of other tables');
$s->value('ALTER TABLE t ADD COLUMN further int; ALTER TABLE t ENABLE ROW LEVEL SECURITY; DROP POLICY idp_hidden ON t');
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 't'"), 'visible', 'dropped: likewise');
$s->value('ALTER TABLE t DISABLE ROW LEVEL SECURITY');
refused($rows, @copies);
$s->value('ALTER TABLE t ENABLE ROW LEVEL SECURITY; REVOKE INSERT ON t FROM analyst');
$s->value("SELECT idp.protect('$_', 1000000, rows => 'hidden')") foreach 'grown', 'parted';
$s->value("CREATE POLICY idp_hidden ON t AS RESTRICTIVE USING (idp.approved() OR true) WITH CHECK (true)");
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 't'"), 'visible',
	'one of the same name is not taken for it');
$s->value("SELECT idp.protect('t', 1000000, rows => 'hidden')");
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 't'"), 'hidden', 'idp.protect puts it in place again');

# the owner's own policies stay, and count
$s->value('CREATE TABLE q AS SELECT i AS x FROM generate_series(1, 100) i; GRANT SELECT ON q TO analyst; '
	  . 'ALTER TABLE q ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON q TO analyst USING (x <= 30)');
$s->value("SELECT idp.protect('q', 100000, rows => 'hidden')");
answered(30, 'SELECT dp_count(1000.0) FROM q');
refused($rows, 'SELECT * FROM q');
is($a->value("SELECT count(*) FROM idp.budget WHERE table_name = 'q'"), 0,
	'who may read some rows only sees no budget');
$s->value("SELECT idp.unprotect('q')");
is($a->value('SELECT count(*) FROM q'), 30, 'and stay once it is unprotected');

# --- releases: the same question for owner and analyst -----------------------------------------------------

is($s->value("SELECT dp_count(1000.0, 'rows') FROM t WHERE age > 0"), 200, 'a release of the owner');
is($a->value("SELECT dp_count(1000.0, 'rows') FROM t WHERE age > 0"), 200, 'is repeated to the analyst');
is($a->value("SELECT dp_count(1000.0, 'rows of v') FROM v WHERE age > 0"), 200, 'a release of the analyst, by a view');
is($s->value("SELECT dp_count(1000.0, 'rows of v') FROM t WHERE age > 0"), 200, 'is repeated to the owner');
is($a->value("SELECT count(*) FROM idp.releases"), 2, 'the analyst sees releases');
my $of_ages = "SELECT dp_sum(extract(year FROM age(born))::int, 1000.0, 0, 100, 'ages') FROM t";
is($a->value($of_ages), $s->value($of_ages), 'a release over what is evaluated once is repeated as well');
like($a->value("SELECT column_name FROM idp.releases WHERE name = 'ages'"), qr/age\(/, 'and shows what it was');

# --- warnings --------------------------------------------------------------------------------------------

$s->value('RESET ROLE');
like($s->run("SELECT idp.protect('t', 1000000, rows => 'hidden')")->{err},
	qr/WARNING: .*library idp is not in "shared_preload_libraries".*In a session, or/s, 'protect warns');
$s->value("ALTER DATABASE postgres SET session_preload_libraries = 'idp'");
like(session($node)->run("SELECT idp.protect('t', 1000000, rows => 'hidden')")->{err},
	qr/WARNING: .*In an autovacuum worker/s, 'also where sessions alone preload it');
($ret, $out, $err) = $node->psql('postgres', 'SELECT * FROM v', extra_params => [ '-U', 'analyst' ]);
like($err, qr/are hidden from role/, "preloaded: a view of the owner's as the first query");

# --- dump and restore keep the lock -------------------------------------------------------------------------

$node->command_ok([ 'pg_dump', '-f', $node->basedir . '/dump.sql', $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $node->basedir
	  . '/dump.sql', $node->connstr('restored') ], 'restore');
is($node->safe_psql('restored',
	"SELECT string_agg(table_name || ' ' || rows, ', ' ORDER BY table_name) FROM idp.protection WHERE active"),
	'grown hidden, parted hidden, t hidden', 'the lock is restored');
($ret, $out, $err) = $node->psql('restored', 'SELECT * FROM t', extra_params => [ '-U', 'analyst' ]);
like($err, qr/rows of table "t" are hidden/, 'and holds');

# --- dropped and made again ---------------------------------------------------------------------------------

$s->value('DROP VIEW v CASCADE; DROP MATERIALIZED VIEW kept; DROP FUNCTION all_of_t; DROP TABLE t; SET ROLE keeper; '
	  . 'CREATE TABLE t AS SELECT 1 AS x; GRANT SELECT ON t TO analyst; RESET ROLE');
like($a->run('SELECT * FROM t')->{message}, $rows, 'a table of the name is hidden again');
is($s->value("SELECT idp.is_locked('t')"), 't', 'with both locks');
is($s->run("SELECT $_")->{sqlstate}, '42P01', "$_: of no table")
  foreach 'idp.parts(0)', 'idp.part_locks(99999)', 'idp.is_locked(99999)';
sound($s, 'in the end');

done_testing();

# Rows 23 to 25 and 33 of the attacks: no way to an answer about a protected table that is not
# charged, and no charge for a query that cannot give one.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('uncharged', 'jit = off', 'max_parallel_workers_per_gather = 4');
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE t AS SELECT i AS id, i % 4 AS g, 1000.0::float8 * i AS salary FROM generate_series(1, 100) i;
CREATE TABLE p AS SELECT i AS id, i % 4 AS g, i::float8 AS x FROM generate_series(1, 10) i;
CREATE VIEW arrays AS SELECT array_agg(salary) arr FROM t;
ANALYZE;
SELECT idp.protect('t', 1000000, rows => 'visible');
SQL

my $has_xml = !defined $s->run("SELECT xmlparse(CONTENT '')")->{sqlstate};    # as the server was built

# Refused for that reason, in every plan there is, and nothing was charged.
my @settings = ('', 'SET enable_hashjoin = off; SET enable_mergejoin = off', 'SET enable_nestloop = off',
	"SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	  . "SET min_parallel_table_scan_size = 0",
	'SET plan_cache_mode = force_generic_plan', 'SET enable_material = off; SET enable_memoize = off');

sub refused
{
	my ($why, @queries) = @_;
	foreach my $settings (@settings)
	{
		$s->value($settings) if $settings;
		foreach my $sql (@queries)
		{
			my $before = spent($s, 't');
			my $result = $s->run($sql);
			like($result->{message} // "answered: $result->{out}", $why, "$settings: refused: $sql");
			like($result->{hint} // '', qr/./, 'with a way out');
			is(spent($s, 't'), $before, 'nothing charged');
		}
		$s->value('RESET ALL');
	}
	return;
}

# --- 23: values of an outer query ----------------------------------------------------------------

refused(
	qr/^\w+ of protected table "t" cannot be computed over/,
	'SELECT a.n FROM (SELECT array_agg(salary) arr FROM t) s, LATERAL (SELECT dp_count(7) n FROM unnest(s.arr) u) a',
	'SELECT (SELECT idp_max(u, 7, 1e6) FROM unnest(s.arr) u) FROM (SELECT array_agg(salary) arr FROM t) s',
	'SELECT l.n FROM t s, LATERAL (SELECT dp_sum(v, 7, 0, 1e6) n FROM (VALUES (s.salary)) x (v)) l',
	'SELECT (SELECT idp_max(x.v, 7, 1e6) FROM (VALUES (t.salary), (t.salary)) x (v)) FROM t',
	'SELECT (SELECT dp_count(7) FROM generate_series(1, s.m)) FROM (SELECT max(id) m FROM t) s',
	'SELECT (SELECT dp_count(7) FROM generate_series(1, (SELECT max(id) FROM t)))',
	'SELECT dp_count(7) FROM generate_series(1, (SELECT max(id) FROM t))',
	'WITH s AS MATERIALIZED (SELECT array_agg(salary) arr FROM t) '
	  . 'SELECT (SELECT dp_count(7) FROM unnest(s.arr) u) FROM s',
	'WITH s AS MATERIALIZED (SELECT array_agg(salary) arr FROM t) SELECT dp_count(7) FROM s, unnest(s.arr) u',
	'WITH s AS MATERIALIZED (SELECT array_agg(salary) arr FROM t) SELECT l.n '
	  . 'FROM s, LATERAL (SELECT dp_count(7) n FROM unnest(s.arr) u) l',
	'WITH s AS MATERIALIZED (SELECT array_agg(salary) arr FROM t), r AS MATERIALIZED (SELECT u '
	  . 'FROM s, unnest(s.arr) u) SELECT dp_count(7) FROM r',
	'SELECT (SELECT dp_count(7) FROM p WHERE p.x < t.salary) FROM t',
	'SELECT (SELECT dp_count(7) FILTER (WHERE p.x < t.salary) FROM p) FROM t',
	'SELECT (SELECT dp_sum(p.x + t.salary, 7, 0, 1e6) FROM p) FROM t',
	'SELECT * FROM t, LATERAL (SELECT p.g, dp_sum(p.x + t.salary, 7, 0, 1e6) FROM p GROUP BY p.g) l',
	'SELECT (SELECT (SELECT dp_count(7) FROM unnest(s.arr) u) FROM p LIMIT 1) FROM arrays s',
	'SELECT l.n FROM arrays s, LATERAL (SELECT dp_count(7) n FROM (SELECT u FROM unnest(s.arr) u OFFSET 0) z) l',
	'SELECT l.n FROM arrays s, LATERAL (SELECT dp_count(7) n FROM jsonb_array_elements(to_jsonb(s.arr)) u) l',
	$has_xml ? q[SELECT l.n FROM (SELECT xmlagg(xmlelement(name a, salary)) d FROM t) s, LATERAL (SELECT dp_count(7) n ]
	  . q[FROM XMLTABLE('/a' PASSING s.d COLUMNS v float8 PATH '.') u) l] : (),
	'SELECT l.n FROM arrays s, LATERAL (SELECT dp_count(7) n FROM ROWS '
	  . 'FROM (unnest(s.arr), generate_series(1, 5)) u) l',
	'SELECT l.n FROM arrays s, LATERAL (SELECT dp_count(7) n FROM p TABLESAMPLE BERNOULLI (least(s.arr[1], 100))) l',
	'SELECT l.n FROM t s LEFT JOIN LATERAL (SELECT dp_sum(v, 7, 0, 1e6) n '
	  . 'FROM (SELECT s.salary UNION ALL SELECT s.salary) z (v)) l ON true',
	'WITH RECURSIVE w (i, n) AS (SELECT 1, salary FROM t UNION ALL SELECT i + 1, q.n FROM (SELECT i, n FROM w '
	  . 'WHERE i < 3) w, LATERAL (SELECT dp_sum(v, 7, 0, 1e6) n FROM (VALUES (w.n)) x (v)) q) SELECT count(*) FROM w',
	'SELECT dp_count(7) FROM p WHERE x < (SELECT sum(salary) FROM t)',
	'SELECT dp_count(7) FILTER (WHERE x < (SELECT sum(salary) FROM t)) FROM p',
	'SELECT dp_sum(x + (SELECT sum(salary) FROM t), 7, 0, 1e9) FROM p',
	'SELECT dp_count(7) FROM p WHERE x < (SELECT sum(x) FROM p WHERE x < (SELECT sum(salary) FROM t))',
	'SELECT dp_count(7) FROM (SELECT * FROM p LIMIT (SELECT count(*) FROM t)) z',
	'PREPARE shape AS SELECT (SELECT dp_count(7) FROM unnest(s.arr) u) FROM arrays s; EXECUTE shape; DEALLOCATE shape',
	'SELECT l.n FROM arrays s, LATERAL (SELECT (SELECT dp_count(7) FROM unnest(s.arr) u) n FROM p) l',
	'SELECT (SELECT dp_count(7) FROM (SELECT unnest(s.arr)) z) FROM arrays s',
	'SELECT l.n FROM (SELECT array_agg(salary) arr FROM t HAVING count(*) > 3) s, LATERAL (SELECT dp_count(7) n '
	  . 'FROM unnest(s.arr) u) l',
	q[SELECT (SELECT dp_count(7, 'named') FROM unnest(s.arr) u) FROM arrays s],
	'DECLARE c CURSOR WITH HOLD FOR SELECT (SELECT dp_count(7) FROM unnest(s.arr) u) FROM arrays s',
	'CREATE TABLE stolen AS SELECT (SELECT dp_count(7) FROM unnest(s.arr) u) FROM arrays s',
	'INSERT INTO p SELECT 1, 1, (SELECT dp_count(7) FROM unnest(s.arr) u) FROM arrays s',
	'WITH w AS (DELETE FROM t WHERE false RETURNING salary) '
	  . 'SELECT (SELECT dp_sum(x, 7, 0, 1e6) FROM (VALUES (w.salary)) v (x)) FROM w',
	'SELECT CASE WHEN (SELECT dp_sum(x, 7, 0, 1e6) FROM (VALUES (salary)) v (x)) > 0 THEN 1 END FROM t',
	'SELECT sum(salary) OVER (), (SELECT dp_sum(x, 7, 0, 1e6) FROM (VALUES (salary)) v (x)) FROM t',
	'SELECT count(*) FROM t WHERE (SELECT dp_sum(x, 7, 0, 1e6) FROM (VALUES (salary), (1)) v (x)) > 1',
	'SELECT * FROM p JOIN t ON (SELECT dp_sum(y, 7, 0, 1e6) FROM (VALUES (t.salary), (1)) v (y)) > p.x',
	'SELECT (SELECT own FROM (SELECT dp_count(7) AS own FROM unnest(s.arr) u) z WHERE own > 0) FROM arrays s');

# What does not touch the protected table is answered, and free; and so is what needs no values of
# an outer query.
foreach my $case (
	[ 10, 'SELECT l.n FROM (SELECT array_agg(x) arr FROM p) s, LATERAL (SELECT dp_count(1000) n '
		  . 'FROM unnest(s.arr) u) l' ],
	[ 10, 'SELECT dp_count(1000) FROM generate_series(1, (SELECT max(id) FROM p))' ],
	[ '10|100',
		'SELECT (SELECT dp_count(1000) FROM p WHERE x <= (SELECT max(x) FROM p)), (SELECT dp_count(1000) FROM t)' ],
	[ '10|100', 'SELECT dp_count(1000), (SELECT count(*) FROM t) FROM p' ],
	[ '', 'INSERT INTO p SELECT 100, dp_count(1000), 5 FROM p WHERE id < 100' ],
	[ '10|2500', 'SELECT id, dp_count(1000) '
		  . 'FROM generate_series(1, 2500) i, (SELECT id FROM p WHERE id = 10 FOR UPDATE) z GROUP BY id' ])
{
	my ($answer, $sql) = @$case;
	my $charged = $answer =~ /\|100$/ && $sql =~ /dp_count\(1000\) FROM t/ ? 1000 : 0;
	costs($s, 't', $charged, $sql, sub { is($s->run($sql)->{out}, $answer, $sql) });
}
$s->value('DELETE FROM p WHERE id = 100');

# --- 24: aggregates that somebody made of our functions ------------------------------------------

$s->value(<<'SQL');
CREATE ROLE mallory;
GRANT SELECT ON t, p TO mallory;
CREATE SCHEMA m AUTHORIZATION mallory;
SET ROLE mallory;
CREATE FUNCTION m.evil(idp_state, idp_state) RETURNS idp_state LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
  $$BEGIN RAISE NOTICE 'state %', $2; RETURN idp.combine($1, $2); END$$;
CREATE FUNCTION m.keep(idp_state) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1::text';
CREATE AGGREGATE m.state_of(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE m.combined(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = m.evil, PARALLEL = SAFE);
CREATE AGGREGATE m.hidden(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = m.keep, COMBINEFUNC = m.evil, PARALLEL = SAFE);
CREATE AGGREGATE m.moving(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE, SSPACE = 1000);
CREATE AGGREGATE m.dp_count(float8, text) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = RESTRICTED);
RESET ROLE;
SQL
my $state = $s->value('SELECT m.state_of(1) FROM generate_series(1, 1000)');
$s->value(<<"SQL");
SET ROLE mallory;
CREATE AGGREGATE m.dp_count(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = '$state',
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE);
RESET ROLE;
SQL
my $foreign = qr/^aggregate \w+ cannot be charged to protected table "t"/;
$s->value('SET ROLE mallory');
refused($foreign, map { "SET ROLE mallory; SELECT $_ FROM t" } 'm.combined(7)', 'm.hidden(7)', 'm.moving(7)',
	'm.dp_count(1)', 'm.state_of(1)',
	q[m.dp_count(1, 'a name')], 'm.combined(7) FILTER (WHERE salary > 5)');
refused($foreign, 'SET ROLE mallory; SET search_path = m, public, pg_catalog; SELECT dp_count(1) FROM t');
$s->value('RESET ROLE; RESET search_path');
is($s->run('SELECT m.dp_count(1) > 900 FROM p')->{out}, 't', 'over a table without a budget it is what it always was');
costs($s, 't', 7, 'our own', sub { $s->value('SET ROLE mallory; SELECT dp_count(7) FROM t; RESET ROLE') });

# The named transition function of a statistic whose name it takes.
$s->value(<<"SQL");
CREATE AGGREGATE m.named(float8, text) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = '$state',
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = RESTRICTED);
SQL
like($s->run(q[SELECT m.named(1, 'poisoned') FROM p])->{message} // '',
	qr/^aggregate named cannot be released under a name/,
	'no release of an aggregate that is not ours');
is($s->value(q[SELECT count(*) FROM idp.chain WHERE name = 'poisoned']), 0, 'nothing stored');

# --- 25: calls that are shipped ------------------------------------------------------------------

SKIP:
{
	skip 'postgres_fdw is not installed', 5
	  if $s->value("SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") == 0;
	my ($host, $port) = ($node->host, $node->port);
	$s->value(<<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres',
  extensions 'idp', use_remote_estimate 'false', fdw_startup_cost '0', fdw_tuple_cost '10');
CREATE USER MAPPING FOR CURRENT_USER SERVER loop;
CREATE TABLE far_rows AS SELECT * FROM generate_series(1, 50) i;
CREATE TABLE shared (i int, part int) PARTITION BY LIST (part);
CREATE TABLE near PARTITION OF shared FOR VALUES IN (1);
INSERT INTO shared SELECT i, 1 FROM generate_series(1, 50) i;
CREATE TABLE far_base (i int, part int);
INSERT INTO far_base SELECT i, 2 FROM generate_series(1, 50) i;
CREATE FOREIGN TABLE far PARTITION OF shared FOR VALUES IN (2) SERVER loop OPTIONS (table_name 'far_base');
ANALYZE;
SET enable_partitionwise_aggregate = on;
SELECT idp.protect('shared', 1000000, rows => 'visible');
SQL
	like($s->value('EXPLAIN (VERBOSE) SELECT part, count(*) FROM shared GROUP BY part'), qr/Relations: Aggregate on/,
		'the server ships aggregates');
	# what is private is not: its rows are asked for, and charged here
	foreach my $case (
		[ 2000, "1|50\n2|50", 'SELECT part, dp_count(1000) FROM shared GROUP BY part ORDER BY part' ],
		[ 1000, 100, 'SELECT dp_count(1000) FROM shared' ],
		[ 1000, 50, 'SELECT dp_count(1000) FROM far' ],
		[ 2000, "1|25\n2|25", 'SELECT part, idp_median(i, 1000) FROM shared GROUP BY part ORDER BY part' ],
		[ 2000, '1|50',
			'SELECT a.* FROM (SELECT part, dp_count(1000) FROM shared GROUP BY part) a, t ORDER BY 1 LIMIT 1' ])
	{
		my ($cost, $answer, $sql) = @$case;
		costs($s, 'shared', $cost, $sql, sub { is($s->run($sql)->{out}, $answer, $sql) });
		costs($s, 'shared', 0, "EXPLAIN $sql",
			sub { like($s->run("EXPLAIN $sql")->{out}, qr/RemoteRows\) on far/, 'by a node of ours') });
	}
	is($s->run('SELECT count(*) FROM shared')->{out}, 100, 'what is not private is none of our business');
	costs($s, 'shared', 1000, 'a partition here',
		sub { is($s->run('SELECT dp_count(1000) FROM shared WHERE part = 1')->{out}, 50, 'a partition here') });
	like($s->run(q[SELECT idp.protect('far', 1)])->{message} // '', qr/foreign table/,
		'a foreign table cannot be protected');
}

# --- 33: what cannot give an answer costs nothing ------------------------------------------------

foreach my $sql ('SELECT dp_count(7) FROM t LIMIT 0', 'SELECT g, dp_count(7) FROM t GROUP BY g LIMIT 0',
	'SELECT * FROM (SELECT g, dp_count(7) FROM t GROUP BY g) q LIMIT 0',
	'SELECT * FROM (SELECT g, dp_count(7) FROM t GROUP BY g LIMIT 0) q',
	'SELECT * FROM (SELECT g, dp_count(7) FROM t GROUP BY g) q WHERE 1 = 0',
	'SELECT (SELECT dp_count(7) FROM t) LIMIT 0', 'SELECT dp_count(7) FROM t LIMIT 0 OFFSET 5',
	q[SELECT dp_count(7, 'never born') FROM t LIMIT 0],
	'WITH a AS MATERIALIZED (SELECT dp_count(7) n FROM t) SELECT n FROM a LIMIT 0',
	'SELECT * FROM p LEFT JOIN (SELECT dp_count(7) n FROM t) q ON false',
	'DECLARE c CURSOR WITH HOLD FOR SELECT dp_count(7) FROM t LIMIT 0',
	'CREATE TABLE nothing AS SELECT dp_count(7) FROM t LIMIT 0', 'EXPLAIN SELECT dp_count(7) FROM t',
	'EXPLAIN (VERBOSE) SELECT g, dp_count(7) FROM t GROUP BY g')
{
	foreach my $setting (@settings)
	{
		$s->value("$setting; DROP TABLE IF EXISTS nothing");
		costs($s, 't', 0, "$setting: $sql", sub {
			my $result = $s->run($sql);
			is($result->{message}, undef, "runs: $sql");
			is($result->{out}, $sql =~ /LEFT JOIN/ ? join("\n", map { "$_|" . $_ % 4 . "|$_|" } 1 .. 10) : '', 'no row')
			  unless $sql =~ /EXPLAIN/;
		});
		$s->value('RESET ALL; CLOSE ALL');
	}
}
$s->value('PREPARE up_to (int) AS SELECT dp_count(7) FROM t LIMIT $1; PREPARE when_true (boolean) AS SELECT * '
	  . 'FROM (SELECT dp_count(7) FROM t OFFSET 0) q WHERE $1');
foreach my $mode ('force_generic_plan', 'force_custom_plan')
{
	$s->value("SET plan_cache_mode = $mode");
	costs($s, 't', 0, "$mode: LIMIT of a parameter", sub { is($s->run('EXECUTE up_to (0)')->{out}, '', 'no row') });
	costs($s, 't', 7, "$mode: LIMIT of another", sub { like($s->run('EXECUTE up_to (1)')->{out}, qr/^\d+$/, 'a row') });
	costs($s, 't', 7, "$mode: no LIMIT", sub { like($s->run('EXECUTE up_to (NULL)')->{out}, qr/^\d+$/, 'a row') });
	costs($s, 't', 0, "$mode: false", sub { is($s->run('EXECUTE when_true (false)')->{out}, '', 'no row') });
	costs($s, 't', 7, "$mode: true", sub { like($s->run('EXECUTE when_true (true)')->{out}, qr/^\d+$/, 'a row') });
}
$s->value('RESET ALL');
# WHERE false leaves no rows, and no table: the answer is noise around 0, and says nothing.
costs($s, 't', 0, 'WHERE false',
	sub { like($s->run('SELECT dp_count(7) FROM t WHERE false')->{out}, qr/^-?\d+$/, 'noise') });
# A condition on columns is answered like any other, also where no row passes.
costs($s, 't', 7, 'no row passes',
	sub { like($s->run('SELECT dp_count(7) FROM t WHERE id < 0')->{out}, qr/^-?\d+$/, 'noise') });

# LIMIT 0 by a setting that changes between the start and the rows: not constant, so charged.
$s->value(q[SET my.n = '0']);
costs($s, 't', 7, 'LIMIT of a setting', sub {
	$s->run(q[BEGIN; DECLARE c CURSOR FOR SELECT dp_count(7) FROM t LIMIT current_setting('my.n')::int; ]
		  . q[SET LOCAL my.n = '1'; FETCH c; COMMIT]) });
# WITH … INSERT runs to its end whether or not its rows are read.
costs($s, 't', 7, 'a statement in WITH', sub {
	is($s->run('WITH w AS (INSERT INTO p SELECT 200, 0, dp_count(7) FROM t RETURNING x) '
		  . 'SELECT * FROM w LIMIT 0')->{message}, undef, 'runs') });
is($s->value('SELECT count(*) FROM p WHERE id = 200'), 1, 'and has inserted');


# --- functions that answer differently in each process -------------------------------------------

# The leader of a parallel plan decides what is charged; its workers evaluate LIMIT, conditions and the
# choice of partitions anew. IMMUTABLE is what whoever made a function says of it.
$s->value(<<'SQL');
CREATE FUNCTION liar(int, int) RETURNS int IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
BEGIN RETURN CASE WHEN current_setting('my.leader')::int = pg_backend_pid() THEN $1 ELSE $2 END; END $$;
CREATE TABLE big AS SELECT i AS id, i % 4 AS g, i AS x FROM generate_series(1, 100000) i;
CREATE TABLE parts (k int, x int) PARTITION BY LIST (k);
SELECT format('CREATE TABLE parts%s PARTITION OF parts FOR VALUES IN (%1$s)', k) FROM generate_series(1, 3) k \gexec
INSERT INTO parts SELECT 1 + i % 3, i FROM generate_series(1, 30000) i;
VACUUM ANALYZE big, parts;
SELECT idp.protect(r, 1000000, rows => 'visible') FROM unnest('{big, parts}'::regclass[]) r;
SELECT set_config('my.leader', pg_backend_pid()::text, false);
SQL
my $forced = $s->value("SELECT current_setting('server_version_num')::int") >= 160000 ? 'debug_parallel_query'
  : 'force_parallel_mode';
foreach my $parallel ("SET $forced = on; SET parallel_setup_cost = 1e9", 'SET parallel_setup_cost = 0; '
	  . 'SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off')
{
	foreach my $case (
		[ 'parts', 9, 'SELECT dp_count(50), idp_max(x, 50, 100000) FROM parts WHERE k = liar($1, 1)' ],
		[ 'parts', 9, 'SELECT k, dp_count(50) FROM parts WHERE k = liar($1, 1) GROUP BY k' ],
		[ 'parts', 9, q[SELECT dp_count(50, 'liar') FROM parts WHERE k = liar($1, 1)] ],
		[ 'big', 0, 'SELECT dp_count(50) FROM big LIMIT liar($1, 1000)::bigint' ],
		[ 'big', 0, 'SELECT g, dp_count(50) FROM big GROUP BY g LIMIT liar($1, 1000)::bigint' ],
		[ 'big', 0, 'SELECT * FROM (SELECT dp_count(50) FROM big OFFSET 0) q WHERE liar($1, 1) = 1' ])
	{
		my ($table, $argument, $sql) = @$case;
		my $before = spent($s, $table);
		my $r = $s->run("SET plan_cache_mode = force_generic_plan; $parallel; PREPARE lie (int) AS $sql; "
			  . "EXECUTE lie ($argument)");
		my $charged = spent($s, $table) - $before;
		ok($r->{message} || $charged >= 50 || $r->{out} eq '', "$parallel: refused, charged or not answered: $sql")
		  or diag "answered $r->{out}, charged $charged";
		$s->value('DEALLOCATE ALL; RESET plan_cache_mode; RESET parallel_setup_cost; RESET parallel_tuple_cost; '
			  . 'RESET min_parallel_table_scan_size; RESET parallel_leader_participation; ' . "RESET $forced");
	}
}
is($s->value(q[SELECT count(*) FROM idp.chain WHERE name = 'liar' AND relation IS NULL]), 0, 'no release of nothing');
# What is certain chooses partitions, also in parallel.
$s->value('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	  . 'SET plan_cache_mode = force_generic_plan; PREPARE honest (int) AS SELECT dp_count(1000) '
	  . 'FROM parts WHERE k = $1');
costs($s, 'parts', 1000, 'a parameter chooses a partition',
	sub { is($s->run('EXECUTE honest (2)')->{out}, 10000, 'answered') });
costs($s, 'parts', 0, 'a parameter chooses none',
	sub { like($s->run('EXECUTE honest (9)')->{out}, qr/^-?\d+$/, 'noise') });
$s->value('DEALLOCATE ALL; RESET ALL');


# --- releases that began before their table was protected ----------------------------------------

$s->value(<<'SQL');
CREATE TABLE later AS SELECT i AS id, i % 2 AS g FROM generate_series(1, 100) i;
SELECT dp_count(0.001, 'repeated rows') FROM later, generate_series(1, 100000);
SELECT count(q.n) FROM generate_series(1, 20) k,
  LATERAL (SELECT v.kk, s.g, dp_count(0.01, 'drawn ' || v.kk || '/' || s.g) n
  FROM later s, (VALUES (k), (k)) v (kk) GROUP BY v.kk, s.g) q;
SELECT dp_count(0.01, 'rows that others decide about') FROM later WHERE id = (SELECT max(id) FROM later);
SELECT dp_count(0.01, 'sound') FROM later;
SELECT g, dp_count(0.01, 'sound ' || g) FROM later GROUP BY g;
SELECT idp.protect('later', 1000000, rows => 'visible');
SQL
foreach my $name ('repeated rows', 'drawn 1/0', 'drawn 20/1', 'rows that others decide about')
{
	costs($s, 'later', 0, "$name: refined", sub {
		like($s->run("SELECT idp.relax('$name', 1)")->{message} // 'answered',
			qr/^release "$name" cannot be charged to protected table "later"/, 'refused') });
	costs($s, 'later', 0, "$name: as it was",
		sub { like($s->run("SELECT idp.relax('$name', 0.0001)")->{out}, qr/^-?\d+$/, 'tightened') });
}
costs($s, 'later', 1000, 'one row each: refined',
	sub { is($s->value(q[SELECT idp.relax('sound', 1000)]), 100, 'answered') });
costs($s, 'later', 2000, 'one row each, with groups: refined',
	sub { is($s->value(q[SELECT idp.relax('sound 1', 1000)]), 50, 'answered') });
$s->value(q[SELECT idp.refresh('sound')]);
costs($s, 'later', 5, 'after a refresh',
	sub { is($s->run(q[SELECT dp_count(5, 'sound') FROM later])->{message}, undef, 'answered') });

# --- the rows that a statement changed, of partitions below the trigger's table ----------------------

$s->value(<<'SQL');
CREATE TABLE whole (k int, v int) PARTITION BY LIST (k);
CREATE TABLE whole1 PARTITION OF whole FOR VALUES IN (1);
INSERT INTO whole SELECT 1, i FROM generate_series(1, 100) i;
CREATE FUNCTION count_changed() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO changed SELECT dp_count(1) FROM new_rows; RETURN NULL; END';
CREATE FUNCTION count_lateral() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO changed SELECT l.n FROM (SELECT array_agg(v) a FROM new_rows) s, LATERAL (SELECT dp_count(1) n
    FROM unnest(s.a)) l; RETURN NULL; END';
CREATE TABLE changed (n bigint);
SELECT idp.protect('whole1', 10, rows => 'visible');
SQL
foreach my $function ('count_changed', 'count_lateral')
{
	$s->value("CREATE TRIGGER counts AFTER UPDATE ON whole REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT "
		  . "EXECUTE FUNCTION $function()");
	is($s->run('UPDATE whole SET v = v')->{sqlstate}, '0A000', "$function: refused");
	$s->value('DROP TRIGGER counts ON whole');
}
is($s->value('SELECT count(*) FROM changed'), 0, 'nothing was answered');

$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();

# An analyst against hidden tables, by every way a client has: the messages of the protocol, statements and
# portals that are kept, functions, views, plans of other roles, other processes and other servers. Nothing
# of it shows a row or is charged; what is answered is charged. tests/attacks.md has the whole list.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use WireClient;
use Test::More;

# The check is tested, not what becomes of plain aggregates before: tests/tap/099_plain_sql.pl.
my $node = new_node('attacks', "session_preload_libraries = 'idp'", 'idp.rewrite = off', 'jit = off',
	'wal_level = logical', 'max_wal_senders = 4', 'max_replication_slots = 4', 'max_parallel_workers_per_gather = 2');
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
CREATE ROLE colleague LOGIN;
GRANT CREATE ON SCHEMA public TO keeper, analyst;
SET ROLE keeper;
CREATE TABLE t (id int, age int, city text);
INSERT INTO t SELECT i, 20 + i % 45, (ARRAY['Oslo', 'Rome'])[1 + i % 2] FROM generate_series(1, 200) i;
CREATE TABLE parted (id int, region int) PARTITION BY LIST (region);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
INSERT INTO parted SELECT i, 1 + i % 2 FROM generate_series(1, 100) i;
CREATE TABLE grown (x int);
CREATE TABLE child () INHERITS (grown);
INSERT INTO child SELECT generate_series(1, 50);
CREATE TABLE p AS SELECT i AS id FROM generate_series(1, 10) i;
CREATE VIEW of_owner AS SELECT * FROM t;
CREATE VIEW of_view AS SELECT * FROM of_owner WHERE id > 0;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM t;
CREATE FUNCTION inlined() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM t';
CREATE FUNCTION not_inlined() RETURNS SETOF t LANGUAGE sql VOLATILE STRICT AS 'SELECT * FROM t';
CREATE FUNCTION scalar() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM t';
CREATE FUNCTION atomic() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(*) FROM t; END;
CREATE FUNCTION looped() RETURNS SETOF int
  LANGUAGE plpgsql AS 'DECLARE r record; BEGIN FOR r IN SELECT * FROM t LOOP RETURN NEXT r.age; END LOOP; END';
CREATE FUNCTION returned() RETURNS SETOF t LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT * FROM t; END';
CREATE FUNCTION executed(text) RETURNS text
  LANGUAGE plpgsql AS 'DECLARE r text; BEGIN EXECUTE $1 INTO r; RETURN r; END';
CREATE FUNCTION caught(text) RETURNS text LANGUAGE plpgsql
  AS 'DECLARE r text; BEGIN EXECUTE $1 INTO r; RETURN r; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END';
CREATE FUNCTION cursored() RETURNS int
  LANGUAGE plpgsql AS 'DECLARE c CURSOR FOR SELECT age FROM t; n int; BEGIN OPEN c; FETCH c INTO n; RETURN n; END';
CREATE PROCEDURE proceeded() LANGUAGE plpgsql AS 'BEGIN PERFORM * FROM t; COMMIT; END';
CREATE FUNCTION of_row(t) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1.age';
CREATE FUNCTION opened() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  SET search_path = public, pg_temp AS 'SELECT count(*) FROM t';
CREATE MATERIALIZED VIEW kept AS SELECT count(*) AS n FROM t;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst;
ANALYZE t, parted, grown;
SELECT idp.protect(name, 1e9) FROM unnest(ARRAY['t', 'parted', 'grown']::regclass[]) name;
RESET ROLE;
SQL
my $has_invokers = $major >= 15 && $s->value("SET ROLE keeper; CREATE VIEW of_invoker "
	  . "WITH (security_invoker) AS SELECT * FROM t; GRANT SELECT ON of_invoker TO analyst; RESET ROLE; SELECT 1");
my $has_xml = !defined $s->run("SELECT xmlparse(CONTENT '')")->{sqlstate};    # as the server was built
my $a = session($node);
$a->value('SET ROLE analyst');

sub total { return $s->value('SELECT trim_scale(sum(spent)) FROM idp.budget') }
my $hidden = qr/^rows of table "\w+" are hidden from role "(analyst|colleague)"/;

# Refused, no row was sent, and nothing was charged. work returns an outcome of WireClient or of a session.
sub refused
{
	my ($name, $work, $why) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = total();
	my $outcome = $work->();
	like($outcome->{message} // 'answered', $why // $hidden, "refused: $name");
	is_deeply([ $outcome->{out} // '', $outcome->{rows} // [], $outcome->{copied} // '' ], [ '', [], '' ],
		'nothing was shown');
	is(total(), $before, 'nothing was charged');
	return $outcome;
}
sub refused_sql
{
	my ($sql, $why) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	refused($sql, sub { $a->run($sql) }, $why);
	$a->run('ROLLBACK') if $sql =~ /BEGIN/;
	return;
}

# Answered and charged that much.
sub answered
{
	my ($name, $expected, $cost, $work) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = total();
	my $outcome = $work->();
	my $got = $outcome->{message}
	  // (defined $outcome->{out} ? $outcome->{out} : join ',', map { @$_ } @{ $outcome->{rows} });
	is($got, $expected, "answered: $name");
	is($s->value('SELECT ' . total() . " - $before"), $cost, "charged $cost");
	return $outcome;
}
sub answered_sql
{
	my ($expected, $cost, $sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return answered($sql, $expected, $cost, sub { $a->run($sql) });
}

# --- the protocol ----------------------------------------------------------------------------------

my $int8 = sub { pack 'q>', $_[0] };
foreach my $what ('t', 'of_owner', 'parted', 'parted_1', 'child', 'inlined()', 'not_inlined()')
{
	my $w = WireClient->new($node, 'analyst');
	refused("extended protocol, first query: $what", sub { $w->extended("SELECT * FROM $what") })
	  unless $what eq 'of_owner';
	answered("extended protocol, binary: $what",
		$int8->($what =~ /part.*_/ ? 50 : $what =~ /part/ ? 100 : $what eq 'child' ? 50 : 200), 1000,
		# which reads rows itself
		sub { $w->extended("SELECT dp_count(\$1) FROM $what", 1000) }) unless $what eq 'not_inlined()';
	refused("extended protocol, binary: $what",
		sub { $w->extended("SELECT * FROM $what WHERE \$1::int IS NOT NULL", 1) });
	refused("one row of a portal: $what", sub { $w->parse("SELECT * FROM $what")->bind_to->execute('', 1)->sync });
	refused("simple protocol: $what", sub { $w->simple("SELECT * FROM $what") });
	refused("binary COPY: $what", sub { $w->simple("COPY (SELECT * FROM $what) TO STDOUT (FORMAT binary)") });
	$w->quit;
}
my $w = WireClient->new($node, 'analyst');
foreach my $copy ('COPY t TO STDOUT', 'COPY t TO STDOUT (FORMAT binary)', 'COPY t (age) TO STDOUT (FORMAT csv)',
	'COPY parted_1 TO STDOUT', 'COPY (SELECT 1 FROM t) TO STDOUT', 'COPY (TABLE of_owner) TO STDOUT (FORMAT binary)')
{
	refused($copy, sub { WireClient->new($node, 'analyst')->simple($copy) }) unless $copy =~ /of_owner/;
	refused($copy, sub { $w->simple($copy) });
}
my $before = total();
like($w->simple('COPY (SELECT dp_count(1000.0) FROM t) TO STDOUT (FORMAT binary)')->{copied}, qr/\Q@{[$int8->(200)]}\E/,
	'COPY of a private answer');
is($s->value('SELECT ' . total() . " - $before"), 1000, 'is charged');
# A row after an answer, in one message: the answer is there, and charged; the row is not.
$before = total();
my $mixed = $w->simple('SELECT dp_count(1000.0) FROM t; SELECT * FROM t');
is_deeply($mixed->{rows}, [ ['200'] ], 'several statements in one message: one answer');
like($mixed->{message}, $hidden, 'and no row');
is($s->value('SELECT ' . total() . " - $before"), 1000, 'the answer stays charged');
# Parsed and bound before, executed after.
$w->parse('SELECT * FROM t', 'rows')->parse('SELECT dp_count($1) FROM t', 'answer')->sync;
refused('a statement of the protocol', sub { $w->bind_to('rows')->execute->sync }) foreach 1 .. 7;
answered('a statement of the protocol, a private one', $int8->(200), 1000,
	sub { $w->bind_to('answer', '', [1000])->execute->sync }) foreach 1 .. 7;
answered('a portal that is left half read', $int8->(200), 2000,
	sub {
		$w->parse('SELECT dp_count(1000.0) FROM t UNION ALL SELECT dp_count(1000.0) FROM t')->bind_to('',
			'half')->execute('half', 1)->sync
	});
refused("after a portal that is left half read", sub { $w->extended('SELECT * FROM t') });
# Fastpath.
my %function = map { split /\|/ } split /\n/, $s->value(q[SELECT proname, oid FROM pg_proc ]
	  . q[WHERE pronamespace = 'public'::regnamespace OR proname = 'query_to_xml']);
refused("fastpath: $_", sub { $w->call($function{$_}) }) foreach qw(scalar atomic cursored);
refused('fastpath: executed', sub { $w->call($function{executed}, 'SELECT max(age) FROM t') });
refused('fastpath: query_to_xml', sub { $w->call($function{query_to_xml}, 'SELECT * FROM t', 't', 't', '') })
  if $has_xml;
answered('fastpath: a private answer', '', 1000, sub {
	my $o = $w->call($function{executed}, 'SELECT dp_count(1000.0) FROM t');
	is(substr($o->{returned} // '', 4), '200', 'its value');
	$o
});
is($w->call($function{opened})->{returned} // '', pack('N', 8) . $int8->(200),
	"a SECURITY DEFINER function of the owner's is the owner's decision");
$w->quit;

# --- cursors -----------------------------------------------------------------------------------------

foreach my $kind ('', 'SCROLL', 'NO SCROLL', 'BINARY', 'INSENSITIVE')
{
	refused_sql("BEGIN; DECLARE c $kind CURSOR FOR SELECT * FROM t; FETCH c");
	refused_sql("BEGIN; DECLARE c $kind CURSOR WITH HOLD FOR SELECT * FROM t; COMMIT; FETCH c");
}
refused_sql('BEGIN; DECLARE c CURSOR FOR SELECT * FROM t; MOVE FORWARD ALL IN c');
answered_sql("200\n200", 1000,
	'BEGIN; DECLARE c SCROLL CURSOR FOR SELECT dp_count(1000.0) FROM t; FETCH c; FETCH FIRST FROM c; COMMIT');
my $same = answered('a scrolling cursor', '', 1,
	sub { my $r = $a->run('BEGIN; DECLARE c SCROLL CURSOR FOR SELECT dp_count(1) '
	. 'FROM t; FETCH c; MOVE ABSOLUTE 0 IN c; FETCH c; FETCH BACKWARD 0 FROM c; COMMIT'); my @draws = split /\n/,
	$r->{out}; is($draws[0], $draws[1], 'gives the same value again'); return +{ %$r, out => '' } });
answered_sql(200, 1000,
	'BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT dp_count(1000.0) FROM t; COMMIT; FETCH c; CLOSE c');
# While an approved query is open, nothing else is.
$a->value('BEGIN; DECLARE c CURSOR FOR SELECT dp_count(1000.0) FROM t '
	  . 'UNION ALL SELECT dp_count(1000.0) FROM t; FETCH c');
like($a->run('SAVEPOINT a; SELECT * FROM t')->{message}, $hidden, 'rows beside an approved cursor');
is($a->value('ROLLBACK TO a; FETCH c; COMMIT'), 200, 'which goes on');

# --- functions, views, rules ---------------------------------------------------------------------------

refused_sql($_) foreach (
	'SELECT * FROM inlined()', 'SELECT * FROM not_inlined()', 'SELECT scalar()', 'SELECT atomic()',
	'SELECT * FROM looped()', 'SELECT * FROM returned()', 'SELECT cursored()', 'CALL proceeded()',
	'SELECT of_row(t) FROM t', 'SELECT t.of_row FROM t', "SELECT executed('SELECT max(age) FROM t')",
	"SELECT dp_count(1.0), executed('SELECT max(age) FROM t') FROM p",
	'SELECT * FROM of_owner', 'SELECT * FROM of_view', 'SELECT * FROM barrier',
	'SELECT * FROM barrier WHERE of_row(barrier::text::t) = 1', $has_invokers ? 'SELECT * FROM of_invoker' : (),
	'DO $$ DECLARE n int; BEGIN SELECT max(age) INTO n FROM t; RAISE EXCEPTION \'%\', n; END $$',
	'TABLE t', 'TABLE ONLY grown', 'SELECT t FROM t', 'SELECT (SELECT t FROM t LIMIT 1)',
	'SELECT ARRAY(SELECT age FROM t)', 'SELECT count(*) FROM p WHERE id = ANY (ARRAY(SELECT age FROM t))',
	'SELECT * FROM (VALUES (1)) v, LATERAL (SELECT * FROM t WHERE id = 1) l',
		'SELECT * FROM generate_series(1, (SELECT max(age) FROM t))', 'SELECT * FROM p LIMIT (SELECT max(age) FROM t)',
		'SELECT json_agg(t) FROM t', 'SELECT array_agg(id ORDER BY age) FROM t',
	'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM t',
		'SELECT rank(30) WITHIN GROUP (ORDER BY age) FROM t',
		'SELECT count(*) FROM t GROUP BY GROUPING SETS ((), (age))', 'SELECT age FROM t GROUP BY CUBE (age)',
		'SELECT lag(age) OVER (ORDER BY id) FROM t',
	'SELECT * FROM p, t', 'SELECT * FROM p NATURAL JOIN t', 'SELECT * FROM p FULL JOIN t USING (id)',
	'SELECT id FROM p EXCEPT SELECT id FROM t', 'SELECT id FROM p EXCEPT ALL SELECT id FROM t');
refused_sql('DO $$ BEGIN EXECUTE \'COPY t TO STDOUT\'; END $$', qr/cannot COPY to/);
answered_sql('42501', 0, "SELECT caught('SELECT max(age) FROM t')");
answered_sql('42501', 0, "SELECT caught('SELECT max(age) FROM t WHERE age > 1000')");
# An answer, and within the same query rows: the query fails, its charge stays.
foreach my $sql ('SELECT dp_count(1000.0), scalar() FROM t',
	"SELECT executed('SELECT max(age) FROM t') FROM (SELECT dp_count(1000.0) n FROM t) s WHERE n > 0")
{
	my $result = $a->run($sql);
	like($result->{message}, $hidden, "refused: $sql");
	is($result->{out}, '', 'nothing was shown');
}
# The same of the analyst's own making, and of the analyst's for others.
$a->value(<<'SQL');
CREATE VIEW mine AS SELECT * FROM t;
CREATE VIEW mine_of_view AS SELECT * FROM of_owner;
CREATE FUNCTION my_definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM t';
CREATE TABLE notes (x int);
CREATE FUNCTION my_trigger() RETURNS trigger
  LANGUAGE plpgsql AS 'BEGIN NEW.x := (SELECT max(age) FROM t); RETURN NEW; END';
CREATE TRIGGER notes BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION my_trigger();
CREATE TABLE ruled (x int);
CREATE RULE ruled AS ON INSERT TO ruled DO ALSO SELECT * FROM t;
CREATE RULE ruled_instead AS ON UPDATE TO ruled DO INSTEAD INSERT INTO notes SELECT age FROM t;
CREATE FUNCTION my_count() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN (SELECT max(age) FROM t); END';
CREATE TABLE policed (x int);
INSERT INTO policed VALUES (1);
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
ALTER TABLE policed FORCE ROW LEVEL SECURITY;
CREATE POLICY policed ON policed USING (x < (SELECT max(age) FROM t));
CREATE FUNCTION my_state(int, t) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT greatest($1, $2.age)';
CREATE AGGREGATE my_max(t) (SFUNC = my_state, STYPE = int, INITCOND = 0);
CREATE FUNCTION my_bigger(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT greatest($1, $2)';
CREATE AGGREGATE dp_max(int) (SFUNC = my_bigger, STYPE = int, INITCOND = 0);
CREATE AGGREGATE dp_count(int) (SFUNC = my_bigger, STYPE = int, INITCOND = 0);
GRANT SELECT ON mine, mine_of_view TO colleague;
SQL
refused_sql($_) foreach (
	'SELECT * FROM mine', 'SELECT * FROM mine_of_view', 'SELECT my_definer()', 'INSERT INTO notes VALUES (1)',
		'INSERT INTO ruled VALUES (1)', 'UPDATE ruled SET x = 1', 'SELECT my_count()', 'SELECT * FROM policed',
	'SELECT my_max(t) FROM t', 'SELECT dp_max(age) FROM t', 'SELECT dp_count(age) FROM t',
	'SELECT max(age), dp_count(1.0) FROM mine',
	'CREATE TABLE defaulted (x int DEFAULT my_count()); INSERT INTO defaulted DEFAULT VALUES',
	'CREATE MATERIALIZED VIEW mine_kept AS SELECT * FROM mine', 'EXPLAIN (ANALYZE) SELECT * FROM mine',
	'CREATE MATERIALIZED VIEW mine_later AS SELECT * FROM mine WITH NO DATA; REFRESH MATERIALIZED VIEW mine_later');
# by the search path of such commands, from 17 on
refused_sql('CREATE INDEX ON policed (my_count())', qr/hidden from role|relation "t" does not exist/);
answered_sql(200, 1000, 'SELECT public.dp_count(1000.0) FROM mine');
my $c = WireClient->new($node, 'colleague');
refused("a view of the analyst's, to somebody else", sub { $c->simple("SELECT * FROM $_") },
	qr/hidden from role|permission denied/) foreach 'mine', 'mine_of_view', 't';
$c->quit;

# --- what belongs to the owner -----------------------------------------------------------------------------

$w = WireClient->new($node, 'analyst');
foreach my $sql ('CREATE PUBLICATION leak FOR TABLE t', 'CREATE STATISTICS leak ON id, age FROM t',
	'CREATE INDEX ON t ((1 / (age - 30)))', 'CREATE POLICY leak ON t USING (true)', 'DROP POLICY idp_hidden ON t',
	'ALTER TABLE t DISABLE ROW LEVEL SECURITY',
	'ALTER TABLE t NO FORCE ROW LEVEL SECURITY', 'CREATE RULE leak AS ON INSERT TO t DO ALSO SELECT 1',
		'CREATE TRIGGER leak AFTER INSERT ON t EXECUTE FUNCTION my_trigger()', 'ALTER TABLE t ADD CHECK (age < 30)',
		'ALTER TABLE t ALTER age TYPE text', 'CREATE TABLE leak () INHERITS (t)',
	'CREATE TABLE leak PARTITION OF parted DEFAULT', 'TRUNCATE t', 'BEGIN; LOCK TABLE t', 'CLUSTER t',
		'REINDEX TABLE t', "COMMENT ON TABLE t IS 'x'", 'CREATE TABLE leak (id int REFERENCES t)',
		"SELECT idp.protect('t', 1, rows => 'visible')", "SELECT idp.unprotect('t')", "SELECT idp.hide_rows('t')",
	"SELECT idp.show_rows('t')", 'TABLE idp.account', 'TABLE idp.charge', 'TABLE idp.chain_level', 'TABLE pg_statistic',
		'UPDATE t SET age = 0', 'DELETE FROM t', 'INSERT INTO t VALUES (1)', 'SELECT * FROM t FOR UPDATE',
		'ALTER EXTENSION idp DROP FUNCTION idp.approved()',
	'CREATE OR REPLACE FUNCTION idp.approved() RETURNS boolean LANGUAGE sql AS \'SELECT true\'',
		'ALTER FUNCTION idp.approved() COST 1', 'DROP EVENT TRIGGER idp_keep_rows_hidden',
		'SET session_replication_role = replica', "SELECT pg_create_logical_replication_slot('leak', 'test_decoding')",
	"SELECT * FROM pg_logical_slot_peek_changes('leak', NULL, NULL)", "SELECT pg_read_file('base/1/1259')",
		"COPY t TO '/tmp/leak'", "COPY t TO PROGRAM 'cat'", 'ALTER ROLE analyst BYPASSRLS', 'SET ROLE keeper',
		'SET SESSION AUTHORIZATION keeper', "SELECT idp.trust_function('my_count()')")
{
	refused($sql, sub { $w->simple($sql) },
		qr/permission denied|must be |only superuser|there is no primary key|hidden from role|replication slot "leak" does not exist/);
	$w->simple('ROLLBACK') if $sql =~ /BEGIN/;
}
like($w->simple('CREATE TEMP TABLE shape (LIKE t INCLUDING ALL); SELECT count(*) FROM shape')->{rows}[0][0], qr/^0$/,
	'the shape of a table is not hidden');
$w->simple('SET row_security = off');
refused("row_security = off: $_", sub { $w->simple($_) }, qr/affected by row-level security/)
  foreach 'SELECT * FROM t', 'SELECT dp_count(1.0) FROM t';
refused('row_security = off: COPY', sub { $w->simple('COPY parted_1 TO STDOUT') });
$w->simple('RESET row_security');
is($a->value(q[SELECT count(*) FROM pg_stats ]
	  . q[WHERE tablename IN ('t', 'parted', 'parted_1', 'parted_2', 'grown', 'child')]), 0, 'pg_stats has nothing');
$s->value('SET ROLE keeper; CREATE STATISTICS several (mcv, dependencies) ON age, city FROM t; ANALYZE t; RESET ROLE');
is($a->value("SELECT count(*) FROM pg_stats_ext WHERE tablename = 't'"), 0, 'nor has pg_stats_ext');
is($a->value("SELECT count(*) FROM pg_stats_ext_exprs WHERE tablename = 't'"), 0, 'nor its expressions');
is($s->value("SELECT count(*) FROM pg_stats_ext WHERE tablename = 't'"), 1, 'which the owner sees');
# INSERT, where it is granted: COPY FROM would fail by what is there.
$s->value('GRANT INSERT ON t TO analyst');
refused('COPY t FROM STDIN', sub { $w->simple('COPY t FROM STDIN') });
$w->quit;
$s->value('REVOKE INSERT ON t FROM analyst');

# --- roles that change between -----------------------------------------------------------------------------

# A right is taken back, or a membership.
$a->value('PREPARE private AS SELECT dp_count(1000.0) FROM t; PREPARE raw AS SELECT count(*) FROM t');
answered_sql(200, 1000, 'EXECUTE private');
$s->value('REVOKE SELECT ON t FROM analyst');
refused_sql('EXECUTE private', qr/^permission denied for table t/);
refused_sql('EXECUTE raw', qr/^permission denied for table t/);
$s->value('GRANT SELECT (age) ON t TO analyst');
answered_sql(200, 1000, 'SELECT dp_count(1000.0) FROM t WHERE age > 0');
refused_sql("SELECT dp_count(1000.0) FROM t WHERE city = 'Oslo'", qr/^permission denied for table t/);
$s->value('GRANT SELECT ON t TO analyst; GRANT keeper TO analyst');
foreach my $mode ('auto', 'force_generic_plan')
{
	$s->value('GRANT keeper TO analyst');
	my $member = session($node);
	$member->value("SET SESSION AUTHORIZATION analyst; SET plan_cache_mode = $mode; PREPARE raw AS SELECT count(*) "
		  . "FROM t; PREPARE seen AS SELECT count(*) FROM of_owner");
	is($member->value('EXECUTE raw; EXECUTE seen'), "200\n200", "$mode: a member of the owner's role reads rows");
	$s->value('REVOKE keeper FROM analyst');
	like($member->run("EXECUTE $_")->{message} // 'answered', $hidden, "$mode: no longer: $_") foreach qw(raw seen);
	# A pool that hands a session on.
	is($member->value('RESET SESSION AUTHORIZATION; EXECUTE raw'), 200, "$mode: a superuser's session");
	$member->value('SET ROLE analyst');
	like($member->run('EXECUTE raw')->{message} // 'answered', $hidden, "$mode: handed on with SET ROLE");
	is($member->value('RESET ROLE; BEGIN; SET LOCAL ROLE analyst; COMMIT; EXECUTE raw'), 200, "$mode: and back");
	like($member->run('BEGIN; SET LOCAL ROLE analyst; EXECUTE raw')->{message} // 'answered', $hidden,
		"$mode: for one transaction");
	$member->quit;
}
$s->value('ALTER ROLE analyst BYPASSRLS');
my $passing = session($node);
$passing->value('SET SESSION AUTHORIZATION analyst; PREPARE raw AS SELECT count(*) FROM t');
is($passing->value('EXECUTE raw'), 200, 'BYPASSRLS reads');
$s->value('ALTER ROLE analyst NOBYPASSRLS');
like($passing->run('EXECUTE raw')->{message} // 'answered', $hidden, 'and no longer');
$passing->quit;
# Hidden after the statement was prepared, and after a plan for all parameters was made.
$s->value('CREATE TABLE late AS SELECT i AS x FROM generate_series(1, 30) i; GRANT SELECT ON late TO analyst; '
	  . 'CREATE VIEW of_late AS SELECT * FROM late; GRANT SELECT ON of_late TO analyst');
my $late = WireClient->new($node, 'analyst');
$late->parse('SELECT x FROM late', 'raw')->parse('SELECT x FROM of_late', 'seen')->sync;
is(scalar @{ $late->bind_to($_)->execute->sync->{rows} }, 30, "$_: before it is hidden")
  foreach map { ($_) x 6 } qw(raw seen);
$s->value("SELECT idp.protect('late', 1000)");
refused('a statement from before the table was hidden', sub { $late->bind_to('raw')->execute->sync });
refused('of a view, where the library has been loaded since', sub { $late->bind_to('seen')->execute->sync });
$late->quit;

# --- queries that fail, and what they leave ------------------------------------------------------------------

foreach my $sql ('SELECT 1 / (dp_count(1000.0) - 200) FROM t',
	'SELECT dp_count(1000.0) FROM t HAVING 1 / (dp_count(1000.0) - 200) = 0',
	'SET statement_timeout = 1; SELECT dp_count(1000.0), pg_sleep(10) FROM t')
{
	like($a->run($sql)->{message}, qr/division by zero|statement timeout/, "fails above the answer: $sql");
	$a->run('RESET statement_timeout');
	refused_sql('SELECT * FROM t');
}
$before = total();
$a->run('BEGIN; SELECT dp_count(1000.0) FROM t; ROLLBACK');
$a->run("DO \$\$ BEGIN PERFORM dp_count(1000.0) FROM t; RAISE EXCEPTION 'x'; END \$\$");
$a->run("DO \$\$ BEGIN PERFORM dp_count(1000.0) FROM t; PERFORM 1 / 0; EXCEPTION WHEN OTHERS THEN END \$\$");
is($s->value('SELECT ' . total() . " - $before"), 3000,
	'charges of an analyst stay after ROLLBACK, an exception, and one that was caught');
refused_sql($_, qr/^epsilon|^rows of table "t" are hidden/) foreach 'SELECT dp_count(age::float8) FROM t',
	'SELECT dp_count(NULL::float8) FROM t', 'SELECT dp_count(0.0) FROM t', "SELECT dp_count('NaN') FROM t",
	"SELECT dp_count('infinity') FROM t", 'SELECT dp_count((SELECT max(age)::float8 FROM p, t)) FROM t';

# --- EXPLAIN of what is never executed -----------------------------------------------------------------------

foreach my $sql ('SELECT * FROM t LIMIT 0', 'SELECT max(age) FROM t LIMIT 0', 'SELECT * FROM of_owner WHERE false')
{
	my $plan = $a->run("EXPLAIN $sql");
	is($plan->{message}, undef, "EXPLAIN of what is never executed: $sql");
	unlike($plan->{out}, qr/cost=(?!0\.00\.\.0\.00)|rows=[1-9]/, 'without estimates') unless $sql =~ /false/;
}
refused_sql($_) foreach 'EXPLAIN SELECT * FROM t LIMIT 1',
  'EXPLAIN SELECT * FROM t LIMIT 0 OFFSET (SELECT max(age) FROM t)', 'EXPLAIN ANALYZE SELECT * FROM t LIMIT 0';

# --- settings, parallel plans, JIT -----------------------------------------------------------------------------

my $parallel = "SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
  . "SET min_parallel_table_scan_size = 0";
foreach my $setting ($parallel,
	'SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0; SET jit_optimize_above_cost = 0',
	'SET enable_seqscan = off', 'SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on',
	'SET constraint_exclusion = on',
	'SET debug_print_plan = on', 'SET from_collapse_limit = 1; SET join_collapse_limit = 1', 'SET geqo_threshold = 2',
		'SET cursor_tuple_fraction = 0', 'SET log_statement_stats = on', 'SET work_mem = 64',
		'SET plan_cache_mode = force_generic_plan')
{
	my $fresh = session($node);
	$fresh->value('SET ROLE analyst');
	if (defined $fresh->run($setting)->{sqlstate}) { $fresh->value("RESET ROLE; $setting; SET ROLE analyst") }
	foreach my $sql ('SELECT count(*) FROM t', 'SELECT * FROM parted', 'SELECT max(x) FROM grown',
		'SELECT count(*) FROM parted a JOIN parted b USING (region, id)')
	{
		like($fresh->run($sql)->{message} // 'answered', $hidden, "refused: $setting: $sql");
	}
	is($fresh->run('SELECT dp_count(1000.0) FROM t')->{out}, 200, "answered: $setting");
	is($fresh->run('SELECT dp_count(1000.0) FROM parted')->{out}, 100, "answered: $setting, partitions");
	$fresh->quit;
}

# --- what waits for its tables: the lock is noticed, and restored -------------------------------------------------

is($s->run('DROP EXTENSION idp')->{sqlstate}, '2BP01', 'the extension is not dropped from under hidden tables');
is($s->run('DROP FUNCTION idp.approved()')->{sqlstate}, '2BP01', 'nor is what its policies call');
foreach my $change ('DROP POLICY idp_hidden ON child', 'ALTER POLICY idp_hidden ON child USING (true)',
	'ALTER POLICY idp_hidden ON child TO keeper', 'ALTER TABLE child DISABLE ROW LEVEL SECURITY',
	'ALTER POLICY idp_hidden ON child RENAME TO other')
{
	$s->value($change);
	my $kept = $change =~ /RENAME/ ? 'hidden' : 'visible';
	is($s->value("SELECT rows FROM idp.protection WHERE table_name = 'grown'"), $kept, "$change: the budget shows it");
	refused_sql('SELECT * FROM child');
	$s->value("SELECT idp.protect('grown', 1e9)");
	is($s->value("SELECT rows FROM idp.protection WHERE table_name = 'grown'"), 'hidden', 'idp.protect mends it');
	refused("$change: mended", sub { WireClient->new($node, 'analyst')->simple('SELECT * FROM child') });
}

# --- another server ------------------------------------------------------------------------------------------------

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('attacks_standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
foreach my $sql ('SELECT * FROM t', 'COPY parted_1 TO STDOUT', 'SELECT * FROM not_inlined()',
	'SELECT max(x) FROM child')
{
	refused("on a standby: $sql", sub { WireClient->new($standby, 'analyst')->simple($sql) });
}
refused('a private answer on a standby', sub {
	WireClient->new($standby, 'analyst')->extended('SELECT dp_count(1000.0) FROM t')
}, qr/recovery|read-only|standby/);
is(WireClient->new($standby, 'keeper')->simple('SELECT count(*) FROM t')->{rows}[0][0], 200, 'the owner reads there');
$standby->stop;

sound($s, 'in the end');
$_->quit foreach $s, $a;
$node->stop;
done_testing();

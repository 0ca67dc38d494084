# A charge stays, and is exactly the cost of the plan, whatever becomes of the query that was charged:
# rows 2, 3, 4, 6 and 9 of the attacks. Crashes are in 011_crash.pl, parallel plans in
# 014_parallel_charges.pl.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $node = new_node('charges', 'jit = off', 'wal_level = replica', 'max_wal_senders = 4',
	'max_prepared_transactions = 4',
	'client_connection_check_interval = 100ms');
my $watch = session($node);
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE t AS SELECT i AS id, i % 4 AS g, i AS x FROM generate_series(1, 1000) i;
CREATE INDEX ON t (x);
ALTER TABLE t SET (parallel_workers = 2);
ANALYZE t;
SELECT idp.protect('t', 1000000000);
CREATE FUNCTION slow(int) RETURNS boolean IMMUTABLE PARALLEL SAFE
  LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN true; END';
CREATE TABLE kept (n bigint);
SQL
my $q = 'SELECT dp_count(3) FROM t';    # costs 3
my $grouped = 'SELECT g, dp_count(3) FROM t GROUP BY g';    # costs 6

# Runs statements in the session and looks at the cost; sqlstate: of the first error, undef if none.
sub check
{
	my ($name, $cost, $sqlstate, @statements) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $r = costs($watch, 't', $cost, $name, sub { $s->run(join ";\n", @statements) });
	is($r->{sqlstate}, $sqlstate, "$name: " . ($sqlstate // 'no error')) or diag $r->{err};
	return $r;
}

# --- Row 2: transactions that end badly ----------------------------------------------------------

check('answer', 3, undef, $q);
check('ROLLBACK', 3, undef, 'BEGIN', $q, 'ROLLBACK');
check('ROLLBACK of several', 15, undef, 'BEGIN', $q, 'INSERT INTO kept VALUES (1)', $q, $grouped, $q, 'ROLLBACK');
check('ROLLBACK TO', 6, undef, 'BEGIN', 'SAVEPOINT a', $q, 'ROLLBACK TO a', 'SAVEPOINT b', 'SAVEPOINT c', $q,
	'ROLLBACK TO b', 'COMMIT');
check('RELEASE, then ROLLBACK', 3, undef, 'BEGIN', 'SAVEPOINT a', $q, 'RELEASE a', 'ROLLBACK');
my $r = check('exception block', 3, undef,
	'DO $$DECLARE n bigint; BEGIN BEGIN SELECT dp_count(3) INTO n FROM t; RAISE EXCEPTION $m$%$m$, n; '
	  . 'EXCEPTION WHEN raise_exception THEN RAISE NOTICE $m$saw %$m$, SQLERRM; END; END$$');
like($r->{err}, qr/saw -?\d+/, 'exception block: the answer was seen');
check('a loop of exception blocks', 30, undef,
	'DO $$BEGIN FOR i IN 1 .. 10 LOOP BEGIN PERFORM dp_count(3) FROM t; RAISE EXCEPTION $m$x$m$; '
	  . 'EXCEPTION WHEN raise_exception THEN END; END LOOP; END$$');
check('division by the answer', 1000, '22012', 'SELECT 1 / (dp_count(1000) - 1000) FROM t');
check('an error that tells the answer', 3, '22P02', "SELECT ('n' || dp_count(3))::int FROM t");
check('an error in a later group', 6, '22012', "SELECT 1 / (dp_count(3) * 0) FROM t GROUP BY g");
check('an aborted transaction', 3, '22012', 'BEGIN', $q, 'SELECT 1 / 0', $q, 'COMMIT');
check('one string with an error at its end', 3, '22012', "$q\\; SELECT 1 / 0");
check('PREPARE TRANSACTION, ROLLBACK PREPARED', 3, undef, 'BEGIN', $q, "PREPARE TRANSACTION 'p'",
	"ROLLBACK PREPARED 'p'");
check('PREPARE TRANSACTION, COMMIT PREPARED', 3, undef, 'BEGIN', $q, "PREPARE TRANSACTION 'p'", "COMMIT PREPARED 'p'");
check('a named release', 3, undef, 'BEGIN', "SELECT dp_count(3, 'rolled back') FROM t", 'ROLLBACK');
check('the same name again', 0, undef, "SELECT dp_count(3, 'rolled back') FROM t");
check('relaxed', 4, undef, 'BEGIN', "SELECT idp.relax('rolled back', 7)", 'ROLLBACK');
check('in an exception block', 1, '22012', "SELECT 1 / (0 * idp.relax('rolled back', 8)::numeric)");
check('relaxed before', 0, undef, "SELECT idp.relax('rolled back', 8), idp.relax('rolled back', 5)");

# --- Row 3: queries that are stopped -------------------------------------------------------------

my $endless = "$q WHERE slow(x)";
foreach my $case (
	[ 'before the answer', $endless, 3 ],
	[ 'after the answer', "SELECT n, pg_sleep(600) FROM ($q OFFSET 0) s (n)", 3 ],
	[ 'in groups', "SELECT * FROM ($grouped OFFSET 0) s WHERE slow(g) AND pg_sleep(600) IS NULL", 6 ],
	[ 'parallel', "SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
		  . "SET min_parallel_table_scan_size = 0; $endless", 3 ],)
{
	my ($when, $sql, $cost) = @$case;
	check("statement_timeout $when", $cost, '57014', "SET statement_timeout = '1s'", $sql, 'RESET ALL');
	foreach my $how ('pg_cancel_backend', 'pg_terminate_backend', 'KILL')
	{
		my $victim = session($node);
		costs($watch, 't', $cost, "$how $when", sub {
			start_query($victim, $sql);
			wait_until($watch, "wait_event = 'PgSleep' OR EXISTS (SELECT FROM pg_stat_activity WHERE leader_pid "
				  . "= $victim->{pid} AND wait_event = 'PgSleep') FROM pg_stat_activity WHERE pid = $victim->{pid}");
			if ($how eq 'KILL')
			{
				$victim->{psql}->signal('KILL');
				$victim->ended;
			}
			else
			{
				$watch->value("SELECT $how($victim->{pid})");
				$how eq 'pg_cancel_backend'
				  ? is(finish_query($victim)->{sqlstate}, '57014', "$how $when: cancelled")
				  : $victim->ended;
			}
			wait_until($watch,
				"NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $victim->{pid} AND state = 'active')");
		}, 1);
		$victim->quit if $how eq 'pg_cancel_backend';
	}
}

# --- Row 4: cursors ------------------------------------------------------------------------------

check('DECLARE alone', 6, undef, 'BEGIN', "DECLARE c CURSOR FOR $grouped", 'CLOSE c', 'COMMIT');
check('FETCH 1, CLOSE', 6, undef, 'BEGIN', "DECLARE c CURSOR FOR $grouped", 'FETCH 1 FROM c', 'CLOSE c', 'ROLLBACK');
check('cursor in an aborted transaction', 6, '22012', 'BEGIN', "DECLARE c CURSOR FOR $grouped", 'FETCH 1 FROM c',
	'SELECT 1 / 0', 'COMMIT');
check('plpgsql loop that leaves early', 6, undef,
	"DO \$\$DECLARE r record; BEGIN FOR r IN SELECT g, dp_count(3) FROM t GROUP BY g LOOP EXIT; END LOOP; END\$\$");
foreach my $order ('', ' ORDER BY g', ' ORDER BY 2', ' LIMIT 3')
{
	my $noisy = "SELECT g, dp_count(0.001) FROM t GROUP BY g$order";
	foreach my $kind ('SCROLL CURSOR', 'SCROLL CURSOR WITH HOLD')
	{
		my $out = check("$kind$order", '0.002', undef, 'BEGIN', "DECLARE c $kind FOR $noisy", 'FETCH 3 FROM c',
			q(SELECT '-'), 'MOVE 0 FROM c',
			'FETCH BACKWARD 1 FROM c', 'FETCH ABSOLUTE 1 FROM c', 'FETCH 2 FROM c', q(SELECT '-'),
			$kind =~ /HOLD/ ? 'COMMIT' : (), 'FETCH ABSOLUTE 1 FROM c', 'FETCH 2 FROM c', 'CLOSE c', 'COMMIT')->{out};
		my ($first, $second, $third) = split /^-\n/m, $out;
		my @rows = split /\n/, $first;
		is($second, join("\n", @rows[1, 0, 1, 2], ''), "$kind$order: backward, the same values");
		is($third, join("\n", @rows), "$kind$order: rewound, the same values");
	}
	check("NO SCROLL$order, backward", '0.002', '55000', 'BEGIN', "DECLARE c NO SCROLL CURSOR FOR $noisy",
		'FETCH 2 FROM c', 'FETCH BACKWARD 1 FROM c', 'COMMIT');
	# PostgreSQL 14 lets it go back to its start.
	my $rewound = check("NO SCROLL$order, rewound", '0.002', $major >= 15 ? '55000' : undef, 'BEGIN',
		"DECLARE c NO SCROLL CURSOR FOR $noisy",
		'FETCH 2 FROM c', q(SELECT '-'), 'MOVE ABSOLUTE 0 FROM c', 'FETCH 2 FROM c', 'COMMIT')->{out};
	my ($before, $after) = split /^-\n?/m, $rewound;
	is($after // '', $major >= 15 ? '' : $before =~ s/\n\z//r,
		"NO SCROLL$order, rewound: " . ($major >= 15 ? 'nothing' : 'the same values'));
}
check('NO SCROLL WITH HOLD', 6, undef, 'BEGIN', "DECLARE c NO SCROLL CURSOR WITH HOLD FOR $grouped", 'FETCH 1 FROM c',
	'COMMIT', 'FETCH ALL FROM c', 'CLOSE c');

# --- Row 6: kinds of transactions, and a standby -------------------------------------------------

foreach my $mode ('READ ONLY', 'ISOLATION LEVEL REPEATABLE READ', 'ISOLATION LEVEL SERIALIZABLE',
	'ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE')
{
	$r = check($mode, 6, undef, "BEGIN TRANSACTION $mode", 'SELECT 0', $q, 'SELECT pg_sleep(0)', $q, 'COMMIT');
	$r = check("$mode, named", '0.5', undef, "BEGIN TRANSACTION $mode", 'SELECT 0',
		"SELECT dp_count(0.25, '$mode') FROM t", "SELECT idp.relax('$mode', 0.5)", "SELECT idp.relax('$mode', 0.25)",
		'ROLLBACK');
	my @answers = split /\n/, $r->{out};
	is($answers[1], $answers[3], "$mode: the first level again");
	is($watch->value("SELECT answer FROM idp.releases WHERE name = '$mode'"), $answers[2], "$mode: recorded");
}
check('default_transaction_read_only', 3, undef, 'SET default_transaction_read_only = on', $q,
	'RESET default_transaction_read_only');

$node->backup('for_standby');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'for_standby', has_streaming => 1);
$standby->start;
check('before the standby is asked', 3, undef, $q);
$node->wait_for_catchup($standby);
foreach my $sql ($q, $grouped, "SELECT dp_count(3, 'rolled back') FROM t", "SELECT idp.relax('rolled back', 3)")
{
	$r = fresh_query($standby, $sql);
	is($r->{sqlstate}, '25006', "standby: $sql") or diag $r->{out};
	is($r->{message}, 'private answers cannot be charged or stored during recovery', 'standby: why');
}
is(fresh_query($standby, 'SELECT dp_count(1000) FROM generate_series(1, 7)')->{out}, 7, 'standby: nothing to charge');
is(fresh_query($standby, "SELECT trim_scale(spent) FROM idp.budget WHERE table_name = 't'")->{out}, spent($watch, 't'),
	'standby: what was spent can be read');
$standby->stop;

# The position of the log is at the end of a page once in a while: what others wrote up to there is
# still waited for.
check('at the end of a page of the log', 0, undef, <<'SQL');
DO $$
DECLARE
  start pg_lsn; overhead int; missing int;
BEGIN
  FOR i IN 1 .. 10 LOOP
    start := pg_current_wal_insert_lsn();
    PERFORM pg_logical_emit_message(false, 'x', repeat('y', 1000));
    overhead := pg_current_wal_insert_lsn() - start - 1000;
    missing := 8192 - (pg_current_wal_insert_lsn() - '0/0')::bigint % 8192;
    CONTINUE WHEN overhead > 100 OR missing < 2 * overhead;  -- the first one crossed a page, or the second would
    PERFORM pg_logical_emit_message(false, 'x', repeat('y', missing - overhead));
    PERFORM idp.relax('rolled back', 8);
    PERFORM idp.relax('rolled back', 8);
  END LOOP;
END$$
SQL

# --- Ways to run a query -------------------------------------------------------------------------

check('PREPARE alone', 0, undef, 'PREPARE p(float8) AS SELECT dp_count($1) FROM t WHERE x > $1');
check("EXECUTE $_", $_, undef, "EXECUTE p($_)") foreach 1 .. 8;
check('generic plan', 9, undef, 'SET plan_cache_mode = force_generic_plan', 'EXECUTE p(4)', 'EXECUTE p(5)',
	'RESET plan_cache_mode');
check('EXPLAIN', 0, undef, "EXPLAIN $q", 'EXPLAIN EXECUTE p(1)', "EXPLAIN (VERBOSE) $grouped");
check('EXPLAIN ANALYZE', 11, undef, "EXPLAIN ANALYZE $q", 'EXPLAIN (ANALYZE) EXECUTE p(2)', "EXPLAIN ANALYZE $grouped");
check('CREATE TABLE AS', 3, undef, "CREATE TABLE made AS $q");
check('CREATE TABLE AS, rolled back', 3, undef, 'BEGIN', "CREATE TABLE gone AS $q", 'ROLLBACK');
check('WITH NO DATA', 0, undef, "CREATE TABLE empty AS $q WITH NO DATA");
check('SELECT INTO, temporary', 3, undef, 'SELECT dp_count(3) INTO TEMP temporary FROM t');
check('INSERT SELECT', 3, undef, "INSERT INTO kept $q");
check('UPDATE', 3, undef, "UPDATE kept SET n = ($q)");
check('COPY', 3, undef, "COPY ($q) TO STDOUT");
check('CREATE MATERIALIZED VIEW', 3, undef, "CREATE MATERIALIZED VIEW mv AS $q");
check('REFRESH', 3, undef, 'REFRESH MATERIALIZED VIEW mv');
check('reading it', 0, undef, 'TABLE mv');
check('CREATE VIEW', 0, undef, "CREATE VIEW v AS $q");
check('reading a view', 3, undef, 'TABLE v');
$s->value('CREATE FUNCTION by_sql() RETURNS bigint LANGUAGE sql AS $$SELECT dp_count(3) FROM t$$; '
	  . 'CREATE FUNCTION by_sql_stable() RETURNS bigint STABLE LANGUAGE sql AS $$SELECT dp_count(3) FROM t$$; '
	  . 'CREATE FUNCTION by_plpgsql() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; '
	  . 'BEGIN n := (SELECT dp_count(3) FROM t); RETURN n; END$$; '
	  . 'CREATE FUNCTION by_execute() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; '
	  . 'BEGIN EXECUTE $q$SELECT dp_count($1) FROM t$q$ INTO n USING 3; RETURN n; END$$; '
	  . 'CREATE PROCEDURE with_commit() LANGUAGE plpgsql AS $$BEGIN PERFORM dp_count(3) FROM t; COMMIT; '
	  . 'PERFORM dp_count(3) FROM t; ROLLBACK; END$$');
check("function $_", 3, undef, "SELECT $_()") foreach qw(by_sql by_sql_stable by_plpgsql by_execute);
check('a function for each of three rows', 9, undef, 'SELECT by_plpgsql() FROM generate_series(1, 3)');
check('a procedure with COMMIT and ROLLBACK', 6, undef, 'CALL with_commit()');
check('identical calls are one', 3, undef,
	'SELECT dp_count(3), dp_count(3) + 1 FROM t HAVING dp_count(3) IS NOT NULL ORDER BY dp_count(3)');
check('a row lock that is retried', 3, undef, "UPDATE kept SET n = s.n FROM ($q) s (n)");

# --- Row 9: what happens to the table ------------------------------------------------------------

sub recreated
{
	my ($name, $table, $drop, $create) = @_;
	my $spent = spent($watch, $table);
	$s->value($drop);
	is($watch->value("SELECT count(*) || ' ' || trim_scale(max(spent)) FROM idp.budget "
		  . "WHERE table_name IN ('$table', 'public.$table')"), "1 $spent", "$name: the account stays");
	$s->value($create);
	my $now = $watch->value("SELECT table_name FROM idp.budget WHERE table_name IN ('$table', 'public.$table')");
	costs($watch, $now, 2, "$name: charged to the same account", sub { $s->run("SELECT dp_count(2) FROM $table") });
	$s->value("SELECT idp.protect('$table', 500)");
	is($watch->value("SELECT trim_scale(spent) || ' ' || total FROM idp.budget WHERE table_name = '$table'"),
		($spent + 2) . ' 500', "$name: protected again, the account is the same");
}
my $make = 'AS SELECT i AS x FROM generate_series(1, 10) i';
$s->value("CREATE TABLE d $make; SELECT idp.protect('d', 100); SELECT dp_count(1) FROM d");
recreated('drop', 'd', 'DROP TABLE d', "CREATE TABLE d $make");
recreated('in one transaction', 'd', 'BEGIN; DROP TABLE d', "CREATE TABLE d $make; COMMIT");
recreated('another one renamed to it', 'd', "DROP TABLE d; CREATE TABLE other $make", 'ALTER TABLE other RENAME TO d');
costs($watch, 'd', 2, 'DROP rolled back', sub { $s->run('BEGIN; DROP TABLE d; ROLLBACK; SELECT dp_count(2) FROM d') });
costs($watch, 'd', 2, 'TRUNCATE', sub { $s->run('TRUNCATE d; SELECT dp_count(2) FROM d') });
$s->value('ALTER TABLE d RENAME TO e');
costs($watch, 'e', 2, 'renamed', sub { $s->run('SELECT dp_count(2) FROM e') });
$s->value("CREATE SCHEMA s; CREATE TABLE s.d $make; SELECT idp.protect('s.d', 100); SELECT dp_count(1) FROM s.d; "
	  . "ALTER TABLE s.d SET SCHEMA public; ALTER TABLE d SET SCHEMA s");
costs($watch, 's.d', 2, 'moved there and back', sub { $s->run('SELECT dp_count(2) FROM s.d') });
$s->value("DROP SCHEMA s CASCADE; CREATE SCHEMA s; CREATE TABLE s.d $make");
costs($watch, 's.d', 2, 'DROP SCHEMA CASCADE', sub { $s->run('SELECT dp_count(2) FROM s.d') });
$s->value("CREATE ROLE someone; SET ROLE someone; RESET ROLE; ALTER TABLE s.d OWNER TO someone; "
	  . "SELECT idp.protect('s.d', 100); DROP OWNED BY someone; CREATE TABLE s.d $make; "
	  . "SELECT idp.protect('s.d', 100)");
costs($watch, 's.d', 2, 'DROP OWNED', sub { $s->run('SELECT dp_count(2) FROM s.d') });
# an account that never came to be leaves its charges to no other
$s->value("CREATE TABLE f $make; CREATE TABLE h $make; BEGIN; SELECT idp.protect('f', 100); SELECT dp_count(2) FROM f; "
	  . "ROLLBACK; SELECT idp.protect('h', 100)");
is(spent($watch, 'h'), 0, 'the charges of an account that was rolled back are not those of the next one');

$s->alive('at the end');
$_->quit foreach $s, $watch;
$node->stop;
done_testing();

# Indexes and tables of the catalog are built anew while answers are given, and transactions that gave
# answers keep nobody waiting: row 27 of the attacks.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use IPC::Run;
use LedgerTest;
use Test::More;

my $node = new_node('index_builds', 'jit = off', 'max_prepared_transactions = 4');
my ($watch, $s, $builder) = map { session($node) } 1 .. 3;
$watch->value(<<'SQL');
CREATE TABLE t AS SELECT i AS x, i % 3 AS g FROM generate_series(1, 300) i;
SELECT idp.protect('t', 1e9, 'add_remove');
CREATE TABLE stop ();
CREATE PROCEDURE keep_busy(client text) LANGUAGE plpgsql AS $$
DECLARE i int := 0;
BEGIN
  WHILE to_regclass('stop') IS NOT NULL LOOP
    i := i + 1;
    PERFORM dp_count(0.001) FROM t;
    PERFORM dp_count(0.001, format('%s-%s', client, i)),
      dp_histogram(x, 0.001, 0, 300, 3000, format('%s-%s h', client, i)) FROM t;
    IF i % 2 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
    PERFORM idp.relax(format('%s-%s', client, i), 0.002), idp.relax(format('%s-%s h', client, i), 0.0005);
    COMMIT;
  END LOOP;
END $$;
SQL

# --- Clients at work while indexes are built -----------------------------------------------------

my @clients = map {
	my ($in, $out) = ('', '');
	{ out => \$out, run => IPC::Run::start([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'),
		'-c', "CALL keep_busy('client $_')" ], \$in, '>&', \$out) }
} 1 .. 3;
wait_until($watch, 'count(*) > 200 FROM idp.chain');
my $until = time + 20;
my %builds;
my $rounds = 0;
while (time < $until || $rounds < 2)
{
	$rounds++;
	foreach my $sql ('REINDEX TABLE CONCURRENTLY idp.charge', 'REINDEX TABLE CONCURRENTLY idp.chain',
		'REINDEX TABLE CONCURRENTLY idp.chain_level',
		'CREATE INDEX CONCURRENTLY more ON idp.charge (account, entry, spent); DROP INDEX CONCURRENTLY idp.more',
		'REINDEX TABLE idp.charge', 'VACUUM FULL idp.chain_level', 'CLUSTER idp.charge USING charge_pkey',
		'VACUUM idp.charge, idp.chain')
	{
		my $result = $builder->run($sql);
		$builds{$sql}++;
		next if !defined $result->{sqlstate};
		fail("$sql, at the same time as answers");
		diag $result->{err};
		$builder->run('DROP INDEX IF EXISTS idp.more');
	}
}
my $rows = $watch->value('SELECT count(*) FROM idp.charge');
wait_until($watch, "count(*) > $rows FROM idp.charge");    # nobody is stuck
$watch->value('DROP TABLE stop');
ok($_->{run}->finish, 'answers were given all the while') or diag ${ $_->{out} } foreach @clients;
cmp_ok((sort { $a <=> $b } values %builds)[0], '>', 1, 'and indexes built');
sound($watch, 'builds at the same time as answers');

# --- A build that failed (tests/isolation has one that waits) ----------------------------------------

is($builder->run('CREATE UNIQUE INDEX CONCURRENTLY failed ON idp.charge (account)')->{sqlstate}, '23505',
	'an index that cannot be');
is($watch->value("SELECT indisvalid FROM pg_index WHERE indexrelid = 'idp.failed'::regclass"), 'f', 'is left behind');
$watch->value('DROP INDEX idp.failed');
$s->value('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
start_query($builder, 'CREATE INDEX CONCURRENTLY failed ON idp.charge (account, entry)');
wait_until($watch,
	"phase = 'waiting for old snapshots' FROM pg_stat_progress_create_index UNION ALL SELECT false LIMIT 1");
$watch->value("SELECT pg_cancel_backend($builder->{pid})");
is(finish_query($builder)->{sqlstate}, '57014', 'a build that is cancelled');
is($watch->value("SELECT indisready, indisvalid FROM pg_index WHERE indexrelid = 'idp.failed'::regclass"), 't|f',
	'leaves an index that takes entries');
costs($watch, 't', 0.001, 'with an index that is not valid', sub { $watch->value('SELECT dp_count(0.001) FROM t') });
$s->value('COMMIT');
$watch->value('REINDEX INDEX CONCURRENTLY idp.failed');
sound($watch, 'the index built again');
$watch->value('DROP INDEX idp.failed');

# --- Transactions that gave answers and do not end ------------------------------------------------

my $ask = "SELECT dp_count(0.001) FROM t; SELECT md5(dp_histogram(x, 0.001, 0, 300, 3000, 'of %s')::text) FROM t; "
  . "SELECT md5(idp.relax('of %1\$s', 0.002)), md5(idp.relax('of %1\$s', 0.0001))";
$s->value('BEGIN; ' . sprintf $ask, 'idle');
$builder->value('BEGIN; ' . sprintf($ask, 'prepared') . "; PREPARE TRANSACTION 'p'");
$watch->value("SET lock_timeout = '5s'");
foreach my $sql ('REINDEX SCHEMA idp', 'VACUUM FULL idp.chain_level', 'CLUSTER idp.charge USING charge_pkey',
	'ALTER TABLE idp.charge ALTER role SET STATISTICS 7')
{
	is($watch->run($sql)->{sqlstate}, undef,
		"$sql does not wait for a transaction that is idle, nor for a prepared one");
}
$watch->value('RESET lock_timeout');
$s->value('ROLLBACK');
$node->stop('immediate');
$node->start;
eval { $_->quit } foreach $watch, $s, $builder;
$watch = session($node);
$watch->value("ROLLBACK PREPARED 'p'; VACUUM idp.charge, idp.chain, idp.chain_level");
is($watch->value("SELECT count(*) FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id "
	  . "WHERE name IN ('of idle', 'of prepared')"), 6, 'what they asked for stays');
is($watch->value("SELECT count(idp.relax(name, e)) FROM unnest('{of idle,of prepared}'::text[]) name, "
	  . "unnest('{0.001, 0.002, 0.0001}'::float8[]) e"), 6, 'and can be read');
sound($watch, 'transactions that were idle and prepared');

$watch->quit;
$node->stop;
done_testing();

# What other servers have of charges and releases: a standby has all of them, a subscriber those of
# transactions that were committed.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $node = new_node('primary', 'jit = off', 'wal_level = logical', 'max_wal_senders = 4', 'max_replication_slots = 4',
	'max_prepared_transactions = 4');
my ($watch, $s) = map { session($node) } 1 .. 2;
$watch->value("CREATE TABLE t AS SELECT i AS x, i % 3 AS g FROM generate_series(1, 300) i; "
	  . "SELECT idp.protect('t', 1e9, 'add_remove')");

# --- Logical decoding ----------------------------------------------------------------------------

$watch->value("CREATE PUBLICATION publication FOR TABLE idp.charge, idp.chain, idp.chain_level; "
	  . "SELECT pg_create_logical_replication_slot('slot', 'pgoutput')");
# Messages of kind I, for insertions, begin with the number of the table.
my $changes = "(SELECT CASE get_byte(data, 0) "
  . "WHEN ascii('I') THEN ('x' || encode(substr(data, 2, 4), 'hex'))::bit(32)::int END::oid AS number "
  . "FROM pg_logical_slot_get_binary_changes('slot', NULL, NULL, 'proto_version', '1', 'publication_names', "
  . "'publication')) s";
my $large = "md5(dp_histogram(x, 0.001, 0, 300, 3000, '%s')::text)";
foreach my $case (
	[ 'committed', 'COMMIT', 1 ], [ 'rolled back', 'ROLLBACK', 0 ], [ 'rolled back to', 'ROLLBACK TO a; COMMIT', 0 ],
	[ 'prepared', "PREPARE TRANSACTION 'p'; COMMIT PREPARED 'p'", 1 ],
	[ 'prepared and rolled back', "PREPARE TRANSACTION 'p'; ROLLBACK PREPARED 'p'", 0 ])
{
	my ($name, $end, $decoded) = @$case;
	$watch->value("SELECT count(*) FROM $changes");
	my $charges = entries($watch, 't');
	$s->value("BEGIN; SAVEPOINT a; SELECT dp_count(0.001) FROM t; SELECT @{[sprintf $large, $name]} FROM t");
	is(entries($watch, 't') - $charges, 2, "$name: everybody sees the charges at once");
	is($watch->value("SELECT count(number) FROM $changes"), 0, "$name: a subscriber does not");
	$s->value($end);
	is($watch->value("SELECT string_agg(rows, ' ' ORDER BY rows) FROM (SELECT number::regclass || ':' || count(*) "
		  . "AS rows FROM $changes WHERE number IS NOT NULL GROUP BY number) s"),
		$decoded ? 'idp.chain:1 idp.chain_level:1 idp.charge:2' : '', "$name: what a subscriber gets");
	is(entries($watch, 't') - $charges, 2, "$name: the charges stay");
}
$watch->value("SELECT pg_drop_replication_slot('slot')");
sound($watch, 'logical decoding');

# --- A standby that is promoted ------------------------------------------------------------------

$node->backup('for_standby');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'for_standby', has_streaming => 1);
$standby->start;
$watch->value("ALTER SYSTEM SET synchronous_standby_names = 'standby'; SELECT pg_reload_conf()");
wait_until($watch, "count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
$s->value("BEGIN; SELECT dp_count(0.001) FROM t; SELECT @{[sprintf $large, 'prepared large']} FROM t; "
	  . "PREPARE TRANSACTION 'p'");
my $answers = $s->value("BEGIN; SELECT dp_count(0.001, 'small'), @{[sprintf $large, 'large']} FROM t; "
	  . "SELECT idp.relax('small', 0.0005), idp.relax('small', 0.0007), md5(idp.relax('large', 0.002)), "
	  . "md5(idp.relax('large', 0.0005))");
my $again = "SELECT idp.relax('small', 0.001), md5(idp.relax('large', 0.001)); SELECT idp.relax('small', 0.0005), "
  . "idp.relax('small', 0.0007), md5(idp.relax('large', 0.002)), md5(idp.relax('large', 0.0005))";
my $spent = spent($watch, 't');

# an answer whose charge no standby has is not given, also if one does not want to wait
kill 'STOP', my @receivers = split /\n/,
  $standby->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walreceiver'");
foreach my $query ('SELECT dp_count(0.001) FROM t', "SELECT dp_count(0.001, 'cancelled') FROM t",
	"SELECT idp.relax('cancelled', 0.0005)", "SELECT idp.relax('cancelled', 0.0005)")
{
	my $asker = session($node);
	start_query($asker, $query);
	wait_until($watch, "wait_event = 'SyncRep' FROM pg_stat_activity WHERE pid = $asker->{pid}");
	$watch->value("SELECT pg_cancel_backend($asker->{pid})");
	my $result = finish_query($asker);
	is($result->{sqlstate}, '57014', "$query, cancelled while it waits for a standby: refused") or diag $result->{out};
	$asker->quit;
}
is($watch->value('SELECT ' . spent($watch, 't') . " - $spent"), '0.002', 'its charge stays');
kill 'CONT', @receivers;
$node->wait_for_catchup($standby);

kill 'KILL', $node->{_pid}, split /\n/, $watch->value('SELECT pid FROM pg_stat_activity');
undef $node->{_pid};
eval { $_->quit } foreach $s, $watch;
$standby->promote;
$standby->safe_psql('postgres', "ALTER SYSTEM SET synchronous_standby_names = ''");
$standby->reload;
($s, $watch) = map { session($standby) } 1 .. 2;
is(spent($watch, 't'), $spent + 0.002, 'promoted: what was spent');
is($s->value($again) =~ s/\n/|/r, $answers =~ s/\n/|/r, 'promoted: every answer is repeated');
$s->value("ROLLBACK PREPARED 'p'");
like($s->value("SELECT md5(idp.relax('prepared large', 0.001))"), qr/^\w{32}$/,
	'promoted: what a prepared transaction was answered');
is(spent($watch, 't'), $spent + 0.002, 'promoted: at no cost');
costs($watch, 't', '0.003', 'promoted: answers go on',
	sub { $s->value("SELECT dp_count(0.001) FROM t; SELECT idp.relax('small', 0.003)") });
sound($watch, 'promoted');

$_->quit foreach $s, $watch;
$standby->stop;
done_testing();

# The server stops without warning right after an answer was seen: its charge and its noise are there
# after the restart. The write-ahead log is written by nothing else here, so that whatever the
# extension does not bring to disk itself is lost.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node;
my ($s, $watch);
sub connect_both { $s = session($node); $watch = session($node); return }
sub crash
{
	$node->stop('immediate');
	$node->start;
	eval { $_->quit } foreach $s, $watch;
	connect_both();
	return;
}

# Within an open transaction the statements give answers; then the server stops. Passes if they cost
# what they should, and if repeat, where given, then answers what the last of them did, at once.
sub survives
{
	my ($name, $cost, $statements, $repeat) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = spent($s, 't');
	my $answer;
	foreach my $sql (@$statements)
	{
		my $r = $s->run($sql);
		is($r->{sqlstate}, undef, "$name: no error") or diag $r->{err};
		$answer = $r->{out};
	}
	crash();
	is($s->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 't'"), $cost,
		"$name: charged $cost");
	return unless defined $repeat;
	my $again = $s->run($repeat);
	is($again->{out}, $answer, "$name: the same answer") or diag $again->{err};
	is($s->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 't'"), $cost,
		"$name: for nothing");
	return;
}

# The catalog is whole, also to the tools of the server.
sub checked
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	sound($s, $name);
	$node->command_ok([ 'pg_amcheck', '--install-missing', '--heapallindexed', '--parent-check', '-s', 'idp', '-d',
		'postgres', '-h', $node->host, '-p', $node->port ], "$name: pg_amcheck");
	return;
}

foreach my $level ('minimal', 'replica')
{
	$node = new_node("crash_$level", "wal_level = $level", 'max_wal_senders = 0', 'wal_writer_delay = 10s',
		'bgwriter_delay = 10s',
		'wal_writer_flush_after = 0', 'checkpoint_timeout = 1h', 'restart_after_crash = on', 'synchronous_commit = off',
		'max_wal_size = 1GB');
	connect_both();
	$s->value("CREATE TABLE t AS SELECT i AS x, i % 1000 AS g FROM generate_series(1, 2000) i; "
		  . "SELECT idp.protect('t', 1e9, 'add_remove'); CHECKPOINT");

	survives("$level, unnamed", 1, [ 'BEGIN', 'SELECT dp_count(1) FROM t' ]);
	survives("$level, in a savepoint", 2, [ 'BEGIN', 'SAVEPOINT a', 'SELECT dp_count(2) FROM t' ]);
	survives("$level, alone", 1, ['SELECT dp_count(1) FROM t']);
	survives("$level, after a write", 1,
		[ 'BEGIN', 'INSERT INTO t SELECT FROM generate_series(1, 1000)', 'SELECT dp_count(1) FROM t' ]);
	survives("$level, by group", 1, [ 'BEGIN', 'SELECT g, dp_count(1) FROM t GROUP BY g' ]);
	survives("$level, a cursor", 1,
		[ 'BEGIN', 'DECLARE c CURSOR FOR SELECT g, dp_count(1) FROM t GROUP BY g', 'FETCH 1 FROM c' ]);
	survives("$level, named", 0.001, [ 'BEGIN', "SELECT dp_count(0.001, 'a') FROM t" ],
		"SELECT dp_count(0.001, 'a') FROM t");
	survives("$level, named, alone", 0.001, ["SELECT dp_count(0.001, 'b') FROM t"],
		"SELECT dp_count(0.001, 'b') FROM t");
	survives("$level, relaxed", 0.001, [ 'BEGIN', "SELECT idp.relax('a', 0.002)" ], "SELECT idp.relax('a', 0.002)");
	survives("$level, relaxed, alone", 0.002, ["SELECT idp.relax('a', 0.004)"], "SELECT dp_count(0.004, 'a') FROM t");
	survives("$level, tightened and relaxed", 0.001, [ 'BEGIN', "SELECT idp.relax('a', 0.0005), idp.relax('a', 0.003)",
		"SELECT dp_count(0.005, 'a') FROM t" ], "SELECT idp.relax('a', 0.005)");
	# levels that cost nothing: coarser than all, and between two that are there
	foreach my $case ([ 'tightened', 0.0001 ], [ 'in between', 0.0045 ])
	{
		my ($way, $epsilon) = @$case;
		survives("$level, $way", 0, [ 'BEGIN', "SELECT idp.relax('a', $epsilon)" ], "SELECT idp.relax('a', $epsilon)");
		survives("$level, $way, alone", 0, [ "SELECT dp_count($epsilon * 1.01, 'a') FROM t" ],
			"SELECT dp_count($epsilon * 1.01, 'a') FROM t");
	}
	# a record that does not fit into one page
	survives("$level, a large histogram", 0.001,
		[ 'BEGIN', "SELECT md5(dp_histogram(x, 0.001, 0, 1000000, 20000, 'h')::text) FROM t" ],
		"SELECT md5(dp_histogram(x, 0.001, 0, 1000000, 20000, 'h')::text) FROM t");
	survives("$level, refreshed", 0.006, [ "SELECT idp.refresh('a')", 'BEGIN', "SELECT dp_count(0.006, 'a') FROM t" ],
		"SELECT idp.relax('a', 0.006)");

	# A thousand groups are committed, or not. What was lost is charged anew, in full, once.
	my $groups = "SELECT g, dp_count(0.001, 'n' || g) FROM t GROUP BY g ORDER BY g";
	$s->value("UPDATE t SET g = 0 WHERE g IS NULL");
	foreach my $case ([ 'open', 'BEGIN' ], [ 'rolled back', 'BEGIN', 'ROLLBACK' ],
		[ 'asynchronous commit', 'SET synchronous_commit = off' ], [ 'commit', 'SET synchronous_commit = on' ])
	{
		my ($name, $begin, @end) = @$case;
		$name = "$level, 1000 groups, $name";
		(my $named = $groups) =~ s/'n'/'$name '/;
		my $before = spent($s, 't');
		$s->value($begin);
		my %first = map { split /\|/ } split /\n/, $s->value($named);
		$s->value($_) foreach @end;
		my $family = $watch->value("SELECT DISTINCT family FROM idp.chain WHERE starts_with(name, '$name ')");
		is(sprintf('%.6f', spent($watch, 't') - $before), '0.001000', "$name: one charge");
		crash();
		my $stored = $s->value("SELECT count(DISTINCT name) FROM idp.chain WHERE starts_with(name, '$name ')");
		cmp_ok($stored, '>=', $name =~ / commit$/ && $name !~ /async/ ? 1000 : 1, "$name: $stored stored");
		my %second = map { split /\|/ } split /\n/, $s->value($named);
		# a name that was lost has begun anew
		my @kept = split / /, $s->value("SELECT coalesce(string_agg(name, ' '), '') "
			  . "FROM (SELECT substr(name, length('$name ') + 1) AS name FROM idp.chain WHERE starts_with(name, "
			  . "'$name ') GROUP BY 1 HAVING count(DISTINCT family) = 1 AND min(family::text) = '$family') s");
		is(join(' ', map { $second{$_} } @kept), join(' ', map { $first{$_} } @kept),
			"$name: what is stored is repeated");
		my $lost = 1000 - @kept;
		is($s->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 't'"),
			$lost ? '0.002' : '0.001', "$name: $lost lost, charged anew");
		is($s->value("SELECT count(dp_count) FROM ($named) s"), 1000, "$name: a third time");
		is($s->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 't'"),
			$lost ? '0.002' : '0.001', "$name: for nothing");
		# relaxing one refines its family; a crash then leaves the whole family refined
		next unless $name =~ / commit$/;
		my $relaxed = $s->value("BEGIN; SELECT idp.relax('$name 7', 0.004)");
		crash();
		is($s->value("SELECT idp.relax('$name 7', 0.004)"), $relaxed, "$name: relaxed, the same answer");
		# with the first group at a level within that, all are on disk
		(my $tightened = $named) =~ s/0\.001/0.0005/;
		my ($first) = split /\n/, $s->value("BEGIN; DECLARE c CURSOR FOR $tightened; FETCH 1 FROM c");
		crash();
		is($s->value("SELECT count(*) FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id "
			  . "WHERE starts_with(name, '$name ') AND epsilons = '{0.0005}'"), 1000, "$name: tightened together");
		is((split /\n/, $s->value($tightened))[0], $first, "$name: tightened, the same answer");
	}
	$s->value('RESET synchronous_commit');
	checked("$level, after the crashes");

	# --- A backend is killed: all sessions end, and the server recovers

	my $before = spent($watch, 't');
	my $answer = $s->value("BEGIN; SELECT dp_count(1) FROM t; SELECT dp_count(0.5, '$level killed') FROM t");
	$answer = (split /\n/, $answer)[1];
	kill_process($node, $s->{pid}) or die 'no recovery';
	eval { $_->quit } foreach $s, $watch;
	connect_both();
	is(spent($watch, 't') - $before, 1.5, "$level, kill -9: charged");
	is($s->value("SELECT dp_count(0.5, '$level killed') FROM t"), $answer, "$level, kill -9: the same answer");
	is(spent($watch, 't') - $before, 1.5, "$level, kill -9: for nothing");

	# --- In the middle of a query with 100 000 named groups

	next if $level eq 'minimal';
	$s->value("CREATE TABLE many AS SELECT i AS g FROM generate_series(1, 100000) i; "
		  . "SELECT idp.protect('many', 1e9, 'add_remove')");
	my $many = "SELECT count(n) FROM (SELECT g, dp_count(1, 'many ' || g) AS n FROM many GROUP BY g) s";
	start_query($s, $many);
	wait_until($watch, "count(*) > 5000 FROM idp.chain WHERE starts_with(name, 'many ')");
	is(spent($watch, 'many'), 1, 'in the middle of 100 000 groups: charged');
	crash();
	is(spent($watch, 'many'), 1, 'and after the crash');
	is($s->value("SELECT count(n) FROM (SELECT g, dp_count(1, 'many ' || g) AS n FROM many "
		  . "WHERE g <= 6000 GROUP BY g) s"), 6000, 'asked again');
	my $families = $s->value("SELECT count(DISTINCT family) FROM idp.chain WHERE starts_with(name, 'many ')");
	is(spent($watch, 'many'), $families, "the $families families are charged");
	cmp_ok($families, '<=', 2, 'what was stored before is repeated');
	checked('in the middle of a query');
}

# --- Rows that are visible before their transaction ends, and to the tools ------------------------

$s->value("BEGIN; SELECT dp_count(1) FROM t; SELECT dp_count(1, 'tools') FROM t; ROLLBACK; BEGIN; "
	  . "SELECT dp_count(1) FROM t; SAVEPOINT a; SELECT dp_count(1) FROM t; ROLLBACK TO a; COMMIT");
checked('rolled back');
my $state = "SELECT md5(string_agg(c::text, ' ' ORDER BY c::text)) FROM (SELECT c::text FROM idp.charge c "
  . "UNION ALL SELECT c::text FROM idp.chain c UNION ALL SELECT c::text FROM idp.chain_level c) s (c)";
my $rows = $s->value($state);
foreach my $sql ('VACUUM (FREEZE, ANALYZE) idp.charge, idp.chain, idp.chain_level',
	'VACUUM (DISABLE_PAGE_SKIPPING) idp.charge', 'REINDEX SCHEMA idp',
	'REINDEX TABLE CONCURRENTLY idp.charge', 'VACUUM FULL idp.charge', 'VACUUM FULL idp.chain',
	'CLUSTER idp.charge USING charge_pkey', 'CHECKPOINT')
{
	$s->value($sql);
	is($s->value($state), $rows, "$sql: the same rows");
	costs($watch, 't', 1, "$sql: the next charge", sub { $s->value('BEGIN; SELECT dp_count(1) FROM t; ROLLBACK') });
	checked($sql);
	$rows = $s->value($state);
}
crash();
is($s->value($state), $rows, 'and after a crash');
$_->quit foreach $s, $watch;
$node->stop;
done_testing();

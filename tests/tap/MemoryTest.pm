# What the tests of memory share: figures of a server process, and queries that fail or are stopped,
# as often as they like, without leaving anything behind.
package MemoryTest;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IdpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(process_kb memory flat fails_flat cancelled_flat);

# A figure of the process in kB; undef where there is no /proc.
sub process_kb
{
	my ($session, $figure) = @_;
	my $file = "/proc/$session->{pid}/status";
	return undef unless -r $file;
	return slurp_file($file) =~ /^$figure:\s+(\d+) kB/m ? $1 : undef;
}

sub memory
{
	my ($session) = @_;
	my $contexts;
	do    # a cancellation meant for the query before may come late
	{
		$contexts = $session->run('SELECT sum(total_bytes) / 1024 FROM pg_backend_memory_contexts');
	} while (($contexts->{sqlstate} // '') eq '57014');
	return { contexts => $contexts->{out}, process => process_kb($session, 'RssAnon') };
}

# Two tests: the session has no more memory than it had before, but for what an allocator keeps.
sub flat
{
	my ($session, $before, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $after = memory($session);
	cmp_ok($after->{contexts} - $before->{contexts}, '<', 1024, "$name: memory contexts, kB");
	SKIP:
	{
		skip 'no /proc', 1 unless defined $before->{process};
		cmp_ok($after->{process} - $before->{process}, '<', 6 * 1024, "$name: process, kB");
	}
	return;
}

# Runs the query that many times, each within $limit if there is one; it must fail each time, and
# after the first ten leave nothing behind.
sub fails_flat
{
	my ($session, $name, $query, $sqlstate, $rounds, $limit) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my (%seen, $before);
	foreach my $round (1 .. $rounds)
	{
		my $outcome = $limit ? $session->run_within($limit, $query) : $session->run($query);
		$seen{ $outcome->{sqlstate} // 'none' }++;
		$before = memory($session) if $round == 10;
	}
	is_deeply(\%seen, { $sqlstate => $rounds }, "$name: $rounds queries fail");
	flat($session, $before, $name);
	$session->alive($name);
	return;
}

# The same of a query that another session cancels every so often. It never ends by itself.
sub cancelled_flat
{
	my ($node, $session, $name, $query, $rounds) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $canceller = session($node);
	$canceller->value('CREATE TABLE cancelling ()');
	$canceller->start(<<SQL);
DO \$\$ BEGIN
  WHILE to_regclass('cancelling') IS NOT NULL LOOP
    PERFORM pg_sleep(0.02);
    PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $session->{pid} AND state = 'active'
      AND query LIKE '%to be cancelled%';
    PERFORM pg_stat_clear_snapshot();
    COMMIT;
  END LOOP;
END \$\$
SQL
	fails_flat($session, $name, $query =~ s{^SELECT}{SELECT /* to be cancelled */}r, '57014', $rounds);
	$node->safe_psql('postgres', 'DROP TABLE cancelling');
	$canceller->finish;    # it has sent its last signal
	$canceller->quit;
	return;
}

1;

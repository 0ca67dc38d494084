# All processes of the server are killed at once under eight clients, several times over. What a client
# saw was charged and is repeated: row 31 of the attacks. As in 011_crash.pl nothing but the extension
# writes the write-ahead log.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use IPC::Run;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $clients = 8;
my $rounds = 4;
my $node = new_node('killed', 'jit = off', 'wal_writer_delay = 10s', 'wal_writer_flush_after = 0',
	'bgwriter_delay = 10s', 'checkpoint_timeout = 1h',
	'max_wal_size = 2GB', 'synchronous_commit = off');
my $watch = session($node);
$watch->value("CREATE TABLE t AS SELECT i AS x, i % 7 AS g FROM generate_series(1, 300) i; "
	  . "SELECT idp.protect('t', 1e9, 'add_remove')");
$watch->value("SELECT dp_count(1, 'paid ' || x) FROM t WHERE x <= 40 GROUP BY x");

# What a client does, in transactions that end in every way. Each line it prints is an answer it saw:
# that of a release at a level, of a group that began (whose noise may be lost, and is then charged
# anew), or without a name.
sub script
{
	my ($client, $round) = @_;
	# in the last round nothing is charged, and so nothing else brought to disk
	return join "\n", map { "SELECT 'level', n, e, idp.relax(n, e) "
		  . "FROM (SELECT 'paid ' || ${\(1 + $_ % 40)} AS n, 1e-6 * ($_ * 10 + $client) AS e) s;" } 1 .. 5000
	  if $round == $rounds;
	my $sql = '';
	foreach my $i (1 .. 2000)
	{
		my $name = "$round/$client/$i";
		my $shared = "$round/shared/" . int($i / 3);
		my $level = sub { "SELECT 'level', '$_[0]', $_[1], idp.relax('$_[0]', $_[1]);" };
		my @steps = (
			"SELECT 'unnamed', '', 0.00$client, dp_count(0.00$client) FROM t;",
			"SELECT 'level', '$name', 0.002, dp_count(0.002, '$name') FROM t;",
			$level->($name, 0.001), $level->($name, 0.0015), $level->($name, 0.004),
			"SELECT 'level', '$shared', e, n FROM (SELECT 0.001 * ${\(1 + ($i + $client) % 5)} AS e, "
			  . "dp_count(0.001 * ${\(1 + ($i + $client) % 5)}, '$shared') AS n FROM t) s;",
			"SELECT 'begun', '$name ' || g, 0.002, dp_count(0.002, '$name ' || g) FROM t GROUP BY g;",
			"SELECT 'level', '$name ' || g, 0.0005 * ${\(1 + $i % 6)}, "
			  . "dp_count(0.0005 * ${\(1 + $i % 6)}, '$name ' || g) FROM t GROUP BY g;",
			$i % 5 ? () : (
				"SELECT 'large', '$name large', 0.002, "
				  . "md5(dp_histogram(x, 0.002, 0, 300, 3000, '$name large')::text) FROM t;",
				"SELECT 'large', '$name large', 0.001, md5(idp.relax('$name large', 0.001));"),);
		my @ways = ([ 'BEGIN;', 'ROLLBACK;' ], [ 'BEGIN;', 'COMMIT;' ], [ '', '' ],
			[ 'BEGIN; SAVEPOINT a;', 'ROLLBACK TO a; COMMIT;' ]);
		my ($begin, $end) = $ways[ $i % 4 ]->@*;
		$sql .= join "\n", $begin, @steps, $end, '';
	}
	return $sql;
}

my (%answers, %begun, %large, %unnamed);
foreach my $round (1 .. $rounds)
{
	my @at_work = map {
		my ($in, $out) = (script($_, $round), '');
		{ out => \$out, run => IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres') ], '<', \$in, '>',
			\$out, '2>', \my $err) }
	} 1 .. $clients;
	my $end = Time::HiRes::time() + 1.5 + $round / 2;
	# longer where the machine is slow: each client prints some 50 bytes for an answer
	my $has_enough = sub { my $bytes = 0; $bytes += length ${ $_->{out} } foreach @at_work; return $bytes > 50_000 };
	while (Time::HiRes::time() < $end || (Time::HiRes::time() < $end + 60 && !$has_enough->()))
	{
		$_->{run}->pump_nb foreach @at_work;
		sleep 0.02;
	}
	my @processes = split /\n/, $watch->value('SELECT pid FROM pg_stat_activity');
	kill 'KILL', $node->{_pid}, @processes;
	undef $node->{_pid};
	eval { $_->{run}->finish } foreach @at_work;
	eval { $watch->quit };
	sleep 0.05 while grep { kill 0, $_ } @processes;
	$node->start;
	$watch = session($node);

	my ($levels, $differ) = (0, 0);
	foreach my $line (map { split /\n/, ${ $_->{out} } } @at_work)
	{
		my ($kind, $name, $epsilon, $answer) = split /\|/, $line;
		if ($kind eq 'unnamed') { $unnamed{$epsilon}++; next }
		my $seen = { level => \%answers, large => \%large, begun => \%begun }->{$kind};
		$levels++;
		$epsilon += 0;
		$differ++ if ($seen->{$name}{$epsilon} //= $answer) ne $answer;
	}
	cmp_ok($levels, '>', 500, "round $round: the clients saw $levels answers of releases");
	is($differ, 0, "round $round: all of them the same answer");
	sound($watch, "round $round");
	is($watch->value('SELECT count(*) FROM ('
			  . join(' UNION ALL ', map { "SELECT $_ AS epsilon, $unnamed{$_} AS seen" } keys %unnamed) . ') s '
			  . 'WHERE seen > (SELECT count(*) FROM idp.charge c WHERE c.epsilon = s.epsilon AND release IS NULL)'), 0,
		"round $round: answers without a name are charged");
}

sub values_of
{
	my ($seen) = @_;
	return join ', ', map { my $name = $_; map { "('$name', $_, '$seen->{$name}{$_}')" } keys $seen->{$name}->%* }
	  keys %$seen;
}
$watch->value('CREATE TABLE seen (name text, epsilon float8, answer text)');
$watch->value("INSERT INTO seen VALUES $_") foreach values_of(\%answers), values_of(\%large);
my $spent = spent($watch, 't');
is($watch->value("SELECT count(*) FROM seen WHERE CASE WHEN name LIKE '% large' THEN md5(idp.relax(name, epsilon)) "
	  . "ELSE idp.relax(name, epsilon) END IS DISTINCT FROM answer"), 0,
	'every answer is repeated');
is(spent($watch, 't'), $spent, 'at no cost');
is($watch->value('SELECT count(*) FROM seen LEFT JOIN (SELECT name, max(family_epsilon) AS paid FROM idp.chain c '
	  . 'JOIN idp.charge USING (family) GROUP BY name) c USING (name) WHERE epsilon > coalesce(paid, 0)'), 0,
	'and was charged');
$watch->value('TRUNCATE seen; INSERT INTO seen VALUES ' . values_of(\%begun));
is($watch->value('WITH kept AS MATERIALIZED (SELECT * FROM seen '
		  . 'WHERE name IN (SELECT c.name FROM idp.chain c JOIN idp.chain_level ON chain = c.id)) '
		  . 'SELECT count(*) FROM kept WHERE idp.relax(name, epsilon) <> answer'), 0,
	'a group that began is repeated, if it was not lost');
is(spent($watch, 't'), $spent, 'at no cost either');
sound($watch, 'after all that');

$watch->quit;
$node->stop;
done_testing();

# Row 28 of the attacks: long names and texts, tiny epsilons, large histograms, and locks that are
# held while nothing happens. What one role does is refused, or nobody else waits for it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node('limits', "max_prepared_transactions = 10");
my ($s, $watch) = (session($node), session($node));

$s->value(<<'SQL');
CREATE ROLE anna; CREATE ROLE berta;
GRANT CREATE, USAGE ON SCHEMA public TO anna, berta;
SET ROLE anna;
CREATE TABLE of_anna AS SELECT generate_series(1, 9) AS x;
SET ROLE berta;
CREATE TABLE of_berta AS SELECT generate_series(1, 9) AS x;
RESET ROLE;
SQL
my ($anna, $berta) = map { my $session = session($node); $session->value("SET ROLE $_"); $session } qw(anna berta);

sub refused
{
	my ($r, $sqlstate, $message, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(($r->{sqlstate} // '') . ' ' . ($r->{message} // ''), "$sqlstate $message", $name);
}

# --- Names and texts -----------------------------------------------------------------------------

$anna->value("SELECT idp.protect('of_anna', 100)");
foreach my $length (201, 1000000)
{
	refused($anna->run("SELECT dp_count(1, repeat('\\', $length)) FROM of_anna"), '42622', 'release name is too long',
		"a name of $length characters");
	refused($anna->run("SELECT dp_count(1), dp_count(1, repeat('\\', $length)) FROM of_anna"), '42622',
		'release name is too long', '... beside an answer without a name');
	is($anna->value("SELECT count(*) || ' ' || count(n) FROM (SELECT dp_count(1, repeat('\\', $length) || x) AS n "
		  . "FROM of_anna GROUP BY x) s"), '9 0', '... made of a group: no answer');
}
is(spent($watch, 'of_anna'), '0', 'cost nothing');
$anna->value("SELECT dp_count(1, repeat('\\', 200)) FROM of_anna");
is($watch->value('SELECT max(length(name)) FROM idp.chain'), 200, 'the longest name');

# The text of a long expression is kept by its beginning and its hash, and is the same question.
my $long = join ' + ', map { "x * $_" } 1 .. 400;
my $column = "dp_sum($long, 1, 0, 9, 'long column')";
my $answer = $anna->value("SELECT $column FROM of_anna");
is($watch->value(q[SELECT length("column") < 700 AND "column" LIKE '%bytes, SHA-256%' FROM idp.chain ]
	  . q[WHERE name = 'long column']), 't', 'the text of a column is stored short');
is($anna->value("SELECT $column FROM of_anna"), $answer, 'and asked again');
refused($anna->run("SELECT ${\($column =~ s/400/401/r)} FROM of_anna"), '22023',
	'release "long column" stands for another question', 'another one that begins like it');

# Three hundred of those that 0.2.0 let in: the others' views are as fast as ever.
$s->value(<<'SQL');
INSERT INTO idp.chain (id, name, name_hash, family, grouped, accounts, tables, aggregate, "column", result, born, role)
SELECT gen_random_uuid(), repeat('\', 4000000) || i, i % 3, gen_random_uuid(), false, '{}', '{}', 'dp_count',
  repeat('(', 4000000), 'bigint', now(), 'anna'
FROM generate_series(1, 300) i
SQL
$berta->value("SELECT dp_count(1, 'mine') FROM of_berta");
$berta->value("SET statement_timeout = '5s'");
my $begin = time;
my $r = $berta->run('SELECT name, answer IS NOT NULL FROM idp.releases');
is($r->{out}, 'mine|t', 'idp.releases shows what is berta\'s') or diag $r->{message};
cmp_ok(time - $begin, '<', 3, 'at once') or diag time - $begin;
$berta->value('RESET statement_timeout');
$s->value('DELETE FROM idp.chain WHERE length(name) > 200');

# What others drop while the view is read leaves it whole: a view as of before the drop.
$s->value("GRANT SELECT ON of_anna TO berta");
$anna->value("SELECT dp_count(1, 'passing') FROM of_anna");
$berta->value('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$anna->value("SELECT idp.drop_release('passing')");
is($berta->value("SELECT count(*) - count(answer) FROM idp.releases WHERE name IN ('passing', 'mine')"), '0',
	'a release dropped meanwhile is gone, and the view whole');
$berta->value('COMMIT');

# --- Locks ---------------------------------------------------------------------------------------

# A session stops while it draws the noise of a large histogram: the release of another name does not
# wait. The server may happen to be stopped while it holds a latch, or writes its charge: then once more.
sub answered_beside
{
	my ($ask, $name) = @_;
	foreach my $attempt (1 .. 20)
	{
		start_query($anna, "SELECT dp_histogram(x, 1e-18, 0, 10, 100000, 'large $name $attempt') IS NULL FROM of_anna");
		my $holds = "EXISTS (SELECT FROM pg_locks "
		  . "WHERE pid = $anna->{pid} AND locktype = 'object' AND classid = 'idp.chain'::regclass AND granted)";
		my $deadline = time + 10;
		until ($watch->value("SELECT $holds") eq 't') { die 'never locked' if time > $deadline }
		# stopped with a lock in her hands that the watch needs too she goes on, and it is tried again
		my $is_over = 0;
		local $SIG{ALRM} = sub { $is_over = 1; kill 'CONT', $anna->{pid} };
		alarm 20;
		kill 'STOP', $anna->{pid};
		my $held = $watch->value("SELECT $holds") eq 't';
		my $answer;
		if ($held)
		{
			$berta->value("SET statement_timeout = '3s'");
			start_query($berta, $ask);
			my $waits = 0;
			foreach (1 .. 100)
			{
				# before it has begun the session is idle, too
				last if $watch->value("SELECT state = 'idle' AND query NOT LIKE 'SET %' FROM pg_stat_activity "
					  . "WHERE pid = $berta->{pid}") eq 't';
				sleep 0.01;
			}
			$waits = $watch->value("SELECT wait_event_type = 'LWLock' OR wait_event_type = 'BufferPin' "
				  . "FROM pg_stat_activity WHERE pid = $berta->{pid} AND state = 'active'");
			if ($waits ne '' && $waits eq 't')
			{
				alarm 0;
				kill 'CONT', $anna->{pid};
				finish_query($_) foreach $berta, $anna;
				next;
			}
			$answer = finish_query($berta);
		}
		alarm 0;
		kill 'CONT', $anna->{pid};
		finish_query($anna);
		return $answer if $held && !$is_over && (($answer->{sqlstate} // '') ne '57014' || $attempt >= 5);
	}
	die 'never stopped in time';
}
foreach my $case ([ 'a new name', "SELECT dp_count(1000, 'beside') FROM of_berta" ],
	[ 'no name', 'SELECT dp_count(1000) FROM of_berta' ],
	[ 'a group of names', "SELECT string_agg(c, '') "
		  . "FROM (SELECT x, dp_count(1000, 'beside/' || x)::text AS c FROM of_berta GROUP BY x) s" ],
	[ 'the same account', "SELECT dp_count(1000) FROM of_anna", '100000' ])
{
	my ($name, $ask, $budget) = @$case;
	$s->value("SELECT idp.protect('of_anna', $budget)") if $budget;
	my $outcome = answered_beside($ask, $name);
	is($outcome->{out}, $name =~ /group/ ? '1' x 9 : '9', "while a large histogram is drawn: $name")
	  or diag $outcome->{err};
}

$s->alive('at the end');
$_->quit foreach $s, $watch, $anna, $berta;
$node->stop;
done_testing();

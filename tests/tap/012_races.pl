# Sessions at work at the same time: row 5 of the attacks. A budget is never overspent, a release is
# drawn once, and nobody waits for ever. What two sessions do step by step is in tests/isolation.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('races', 'jit = off', 'max_connections = 40', 'deadlock_timeout = 200ms',
	'max_locks_per_transaction = 128');
my $watch = session($node);
my $gate = session($node);
my @sessions = map { session($node) } 1 .. 16;

$watch->value(<<'SQL');
CREATE TABLE t AS SELECT i AS x, i % 5 AS g FROM generate_series(1, 200) i;
SELECT idp.protect('t', 1e9, rows => 'visible');
CREATE TABLE part (LIKE t) PARTITION BY LIST (g);
SELECT format('CREATE TABLE part%s PARTITION OF part FOR VALUES IN (%1$s)', g) FROM generate_series(0, 4) g \gexec
INSERT INTO part SELECT * FROM t;
SELECT idp.protect('part1', 1e9, rows => 'visible');
SELECT idp.protect('part', 1e9, rows => 'visible');
SQL

# Lets all sessions begin at the same time. sql: a function of the number of the session, from 0.
# Returns what each printed, and dies of errors but those that are told.
sub race
{
	my ($sql, $allowed) = @_;
	$gate->value('SELECT pg_advisory_lock(1)');
	start_query($sessions[$_], "SELECT pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1) \\g /dev/null\n"
		  . $sql->($_)) foreach 0 .. $#sessions;
	wait_until($watch, "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted) = "
		  . scalar(@sessions));
	$gate->value('SELECT pg_advisory_unlock(1)');
	my @results = map { finish_query($_) } @sessions;
	foreach my $r (@results)
	{
		my $unexpected = grep { !$allowed || !/$allowed/ } $r->{err} =~ /^.*ERROR:  .*$/mg;
		next if !$unexpected;
		fail('unexpected error');
		diag $r->{err};
	}
	return @results;
}
sub distinct { my %seen = map { $_ => 1 } @_; return scalar keys %seen }

# --- The last of a budget ------------------------------------------------------------------------

# name, what each session does, number of answers allowed, cost of one
foreach my $case (
	[ 'alone', sub { "SELECT dp_count(1) FROM b;\n" x 10 } ],
	[ 'in one transaction',
		sub { "BEGIN;\n" . "SAVEPOINT a;\nSELECT dp_count(1) FROM b;\nROLLBACK TO a;\n" x 10 . 'ROLLBACK' } ],
	[ 'by plpgsql', sub {
		"DO \$\$DECLARE n bigint; BEGIN FOR i IN 1 .. 10 LOOP BEGIN SELECT dp_count(1) INTO n FROM b; "
		  . "RAISE NOTICE 'answer'; EXCEPTION WHEN SQLSTATE 'IDP01' THEN RAISE NOTICE 'ERROR:  IDP01: %', SQLERRM; "
		  . "END; END LOOP; END\$\$"
	} ],
	[ 'named', sub { my $i = shift; join '', map { "SELECT dp_count(1, 'budget $i $_') FROM b;\n" } 1 .. 10 } ],
	[ 'relaxed', sub {
		my $i = shift;
		join '', map { "SELECT idp.relax('shared $i', " . ($_ + 1) . ");\n" } 1 .. 10
	} ],)
{
	my ($name, $work) = @$case;
	$watch->value("CREATE TABLE b AS TABLE t; SELECT idp.protect('b', 100)");
	if ($name eq 'relaxed')
	{
		$watch->value("SELECT dp_count(1, 'shared $_') FROM b") foreach 0 .. 15;
		$watch->value("SELECT idp.protect('b', 116)");
	}
	my $exhausted = qr/IDP01: privacy budget of table "b" is exhausted/;
	my @results = race($work, $exhausted);
	my $all = join "\n", map { "$_->{out}\n$_->{err}" } @results;
	my $pattern = $name eq 'by plpgsql' ? qr/NOTICE: .*answer/ : qr/^-?\d+$/m;
	my $answers = () = $all =~ /$pattern/g;
	$answers = () = $all =~ /NOTICE: .*answer/g if $name eq 'by plpgsql';
	my $refused = () = $all =~ /$exhausted/g;
	my $total = $name eq 'relaxed' ? 116 : 100;
	is(spent($watch, 'b'), $total, "budget, $name: spent to the last");
	# a relaxation that is refused may be followed by one that asks for more still: each is refused
	is($answers, 100, "budget, $name: as many answers as it allows");
	is($answers + $refused, 160, "budget, $name: the others are refused, saying why");
	is(entries($watch, 'b'), $total, "budget, $name: one entry for each answer");
	$watch->value('DROP TABLE b; CREATE TABLE b AS TABLE t; DROP TABLE b; UPDATE idp.account SET name = name || id '
		  . 'WHERE relation IS NULL');
}
my $r = fresh_query($node,
	"CREATE TABLE b AS TABLE t; SELECT idp.protect('b', 0.25, rows => 'visible'); SELECT dp_count(0.3) FROM b");
is($r->{detail}, 'The query needs 0.3; 0.25 of 0.25 remains.', 'what it needs and what remains');

# --- One release ---------------------------------------------------------------------------------

foreach my $round (1 .. 8)
{
	my @results = costs($watch, 't', '0.001', "new name, round $round", sub {
		[ map { $_->{out} } race(sub { "SELECT dp_count(0.001, 'new $round') FROM t" }) ] }, 1)->@*;
	is(distinct(@results), 1, "new name, round $round: all sessions have the same answer");
	like($results[0], qr/^-?\d+$/, "new name, round $round: which is an answer");
	is($watch->value("SELECT count(*) FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id "
		  . "WHERE name = 'new $round'"), 1, "new name, round $round: one chain, one level");
}

# Asked for at different levels: whoever is first, the finest one is paid for, and each is drawn once.
my @levels = map { ($_ + 1) / 1000 } 0 .. 15;
foreach my $round (1 .. 3)
{
	my $results = costs($watch, 't', '0.016', "new name at 16 levels, round $round", sub {
		[ map { $_->{out} } race(sub { "SELECT dp_count($levels[$_[0]], 'levels $round') FROM t" }) ] });
	my @again = map { $watch->value("SELECT dp_count($_, 'levels $round') FROM t") } @levels;
	is_deeply(\@again, $results, "new name at 16 levels, round $round: each level was drawn once");
}
$watch->value("SELECT dp_count(0.0001, 'relaxed') FROM t");
foreach my $round (1 .. 5)
{
	my $results = costs($watch, 't', $round == 1 ? '0.0019' : '0.001', "relaxed to the same, round $round", sub {
		[ map { $_->{out} } race(sub { "SELECT idp.relax('relaxed', 0.001 * ($round + 1))" }) ] }, 1);
	is(distinct(@$results), 1, "relaxed to the same, round $round: one draw");
}
foreach my $round (1 .. 3)
{
	my $base = 0.016 * $round;
	my $results = costs($watch, 't', $round == 1 ? '0.026' : '0.016', "relaxed to 16 levels, round $round", sub {
		[ map { $_->{out} } race(sub { 'SELECT idp.relax(\'relaxed\', ' . ($base + $levels[$_[0]]) . ')' }) ] });
	my @again = map { $watch->value("SELECT idp.relax('relaxed', " . ($base + $_) . ')') } @levels;
	is_deeply(\@again, $results, "relaxed to 16 levels, round $round: each level was drawn once");
	is($watch->value("SELECT answer FROM idp.releases WHERE name = 'relaxed'"), $results->[15],
		"relaxed to 16 levels, round $round: the finest is the last word");
}
# Groups: sessions share families. A session that overtakes the others begins a family of its own, so
# there may be several; each costs the finest level of its members, twice.
my $of_families = "SELECT trim_scale(sum(2 * finest)) FROM (SELECT max(epsilons[1])::numeric AS finest "
  . "FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id WHERE starts_with(name, 'family ') GROUP BY family) s";
my $before = spent($watch, 't');
my @groups = map { $_->{out} } race(sub { "SELECT g, dp_count(0.001, 'family ' || g) FROM t GROUP BY g ORDER BY g" });
is(distinct(@groups), 1, 'groups: all sessions have the same answers');
is($watch->value("SELECT count(DISTINCT name) || ' ' || count(*) FROM idp.chain WHERE starts_with(name, 'family ')"),
	'5 5', 'groups: one chain for each');
is($watch->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 't'"),
	$watch->value($of_families), 'groups: charged');
my @members = map { $_->{out} } race(sub { "SELECT idp.relax('family " . $_[0] % 5 . "', $levels[$_[0]])" });
is_deeply([ map { $watch->value("SELECT idp.relax('family " . $_ % 5 . "', $levels[$_])") } 0 .. 15 ], \@members,
	'members of a family: each level was drawn once');
is($watch->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 't'"),
	$watch->value($of_families), 'members of a family: charged');
# In reverse order of the groups, so that sessions could wait for each other.
race(sub { my $up = $_[0] % 2 ? 'ASC' : 'DESC';
	"SELECT dp_count(0.001, 'order ' || g) FROM (SELECT * FROM t ORDER BY g $up OFFSET 0) s GROUP BY g;\n"
	  . "BEGIN;\n" . join('', map { "SELECT idp.relax('order $_', " . (0.002 + $_[0] / 1000) . ");\n" } $_[0] % 2
		  ? 0 .. 4 : reverse 0 .. 4) . 'COMMIT' });
is($watch->value("SELECT count(DISTINCT name) || ' ' || count(*) FROM idp.chain WHERE starts_with(name, 'order ')"),
	'5 5', 'in reverse order: one chain for each group, and no deadlock');

# --- Two accounts --------------------------------------------------------------------------------

my $part1 = spent($watch, 'part1');
costs($watch, 'part', 16 * 5 * 4, 'a table and its partition', sub {
	race(sub {
		my @queries = ('SELECT dp_count(1) FROM part1', 'SELECT dp_count(1) FROM part',
			'SELECT (SELECT dp_count(1) FROM part1), (SELECT dp_count(1) FROM part2)');
		push @queries, shift @queries foreach 1 .. $_[0] % 3;
		join ";\n", (@queries) x 5 });
});
is(spent($watch, 'part1') - $part1, 16 * 5 * 3, 'a table and its partition: the partition too');
my $b = spent($watch, 'part');
costs($watch, 't', 16 * 10, 'two tables in either order', sub {
	race(sub {
		($_[0] % 2 ? "SELECT (SELECT dp_count(1) FROM t), (SELECT dp_count(1) FROM part);\n"
			  : "BEGIN;\nSELECT dp_count(1) FROM part;\nSELECT dp_count(1) FROM t;\nCOMMIT;\n") x 10
	});
});
is(spent($watch, 'part') - $b, 16 * 10, 'two tables in either order: the other too');

# --- idp.protect and queries (tests/isolation has the waiting) -------------------------------------

# a budget that is lowered and raised while it is spent
$watch->value('CREATE TABLE w AS TABLE t; SELECT idp.protect(\'w\', 1000)');
my @w = race(sub {
	$_[0] == 0 ? join ";\n", map { "SELECT idp.protect('w', $_)" } 50, 20, 70 .. 80, 100
	  : "SELECT dp_count(1) FROM w;\n" x 12
}, qr/IDP01/);
my $answers = 0;
$answers += () = $_->{out} =~ /^-?\d+$/mg foreach @w[ 1 .. 15 ];
is(spent($watch, 'w'), $answers, 'a budget that changes: what was answered was charged');
cmp_ok($answers, '<=', 180, 'and no more than was asked');
$_->alive('at the end') foreach $watch, @sessions;
$_->quit foreach $watch, $gate, @sessions;
$node->stop;
done_testing();

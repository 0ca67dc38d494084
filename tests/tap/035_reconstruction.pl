# Reconstruction: a column rebuilt from idp_ answers (Protivash, Durrell, Ding, Zhang, Kifer,
# "Reconstruction Attacks on Aggressive Relaxations of Differential Privacy", 2022), and what comes of
# the attack where there is a budget, a floor, or differential privacy. The figures of docs/privacy.md.
#
# The attacker knows the ids of 100 rows, and wants a bit of each. For row i he makes a column of which
# only that bit is unknown: of the others 50 are 0, and 49 are 1. The median has rank 50. If the bit is
# 1, the value of the next rank is 1: local sensitivity is 1, and the answer is noisy. If it is 0, so are
# the values of ranks 49 to 51: local sensitivity is 0, and the answer is exact, at any epsilon.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('reconstruction', 'jit = off', 'fsync = off', 'max_parallel_workers_per_gather = 0');
my $owner = session($node);
$owner->value(<<'SQL');
CREATE ROLE analyst LOGIN;
CREATE TABLE people AS SELECT row_number() OVER ()::int AS id, i % 2 AS secret
  FROM (SELECT i FROM generate_series(1, 100) i ORDER BY random()) shuffled;
GRANT SELECT ON people TO analyst;
SQL
my @secrets = split /\n/, $owner->value('SELECT secret FROM people ORDER BY id');
my $analyst = session($node);
$analyst->value('SET ROLE analyst');

sub protected
{
	my ($name, $rules) = @_;
	$owner->value("CREATE TABLE $name AS SELECT * FROM people; GRANT SELECT ON $name TO analyst; "
		  . "SELECT idp.protect('$name', $rules)");
	return $name;
}

# Asks the question of each row in turn, and returns how many answers there were, and how many of the
# guesses from them are right.
sub rebuild
{
	my ($question, $guess) = @_;
	my $outcome = $analyst->run(join ";\n", map { $question->($_) } 1 .. @secrets);
	die $outcome->{err} if ($outcome->{sqlstate} // 'IDP01') ne 'IDP01';
	my @answers = split /\n/, $outcome->{out};
	my $right = grep { $guess->($answers[$_]) == $secrets[$_] } 0 .. $#answers;
	diag "$right of " . @answers . ' right: ' . $question->(1) if $ENV{IDP_FIGURES};
	return (scalar @answers, $right);
}

# The column for row i, in which the bit, and the others, come this many times as large.
sub column
{
	my ($i, $times) = @_;
	return "CASE WHEN id = $i THEN secret ELSE (id + $i + 1) % 2 END * $times";
}

# The attack: who gets an answer with noise has a 1.
sub attack
{
	my ($table, $epsilon, $times) = (@_, 1);
	return rebuild(sub { my ($i) = @_; return 'SELECT idp_median(' . column($i, $times) . ", $epsilon) FROM $table" },
		sub { abs($_[0]) > ($times == 1 ? 0 : $times / 500) });
}

# --- Without a budget, and with one -----------------------------------------------------------------

# The noise is 0, so that a 1 is taken for a 0, with probability tanh(epsilon/2): of 50 at 0.01 that are nine once in
# 2e11 runs.
foreach my $epsilon (0.01, 0.000001)
{
	my ($answers, $right) = attack('people', $epsilon);
	is($answers, 100, "no budget, epsilon $epsilon: all answered");
	cmp_ok($right, '>=', 92, '... the column is rebuilt');
}

my $budget = protected('with_budget', '1');
my ($answers, $right) = attack($budget, 0.0001);
# four of them are wrong once in 7e11 runs
cmp_ok($right, '>=', 97, 'a budget of 1: rebuilt, as nothing keeps epsilon from being small');
is($owner->value("SELECT trim_scale(spent) FROM idp.budget WHERE table_name = '$budget'"), '0.01',
	'... for a hundredth of it');

my $right_of_all = 0;
foreach my $number (1 .. 5)
{
	my $least = protected("with_least_$number", '1, min_epsilon => 0.1');
	($answers, $right) = attack($least, 0.1);
	$right_of_all += $right;
	is($answers, 10, 'a budget of 1, min_epsilon of 0.1: ended after 10 answers');
	($answers) = attack($least, 0.1);
	is($answers, 0, '... and there are no more');
}
# the same ten rows each time, of which some have a 1: fewer once in 2e10 runs, and guesses are as many once in 800
cmp_ok($right_of_all, '>=', 36, '... which are right, but for noise that is 0');

# --- A floor ----------------------------------------------------------------------------------------

# Noise for a sensitivity of 1 whether the bit is 0 or 1: at rank 50 the law of the answer is the same,
# at rank 51 it is shifted by 1, by which guesses are right with probability 1/2 + tanh(epsilon/2)/2.
my $floor = protected('with_floor', '1000, floor => 1');
my ($at_the_median, $above_it) = (0, 0);
for (1 .. 5)
{
	$at_the_median += (attack($floor, 0.01))[1];
	$above_it += (rebuild(sub { 'SELECT idp_kth_smallest(' . column($_[0], 1) . ", 0.01, 51) FROM $floor" }, sub {
		$_[0] >= 1
	}))[1];
}
sub by_chance
{
	my ($right, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	cmp_ok(abs($right - 250), '<', 80, "$name: no better than chance");    # of 500: farther off once in 1e12 runs
	return;
}
by_chance($at_the_median, 'a floor, at the median');
by_chance($above_it, 'a floor, where the value tells');

# The noise of a 1 has the scale 1e8 and is beyond 2000 but once in 5e4 draws, that of a 0 the scale 100 and hardly ever
# is: four are wrong once in 2e13 runs.
($answers, $right) = attack($floor, 0.01, 1000000);
cmp_ok($right, '>=', 97, 'a floor under a column of a million times the bit: rebuilt');

# --- Differential privacy ---------------------------------------------------------------------------

my ($by_median, $by_count) = (0, 0);
for (1 .. 5)
{
	$by_median +=
	  (rebuild(sub { 'SELECT dp_quantile(' . column($_[0], 1) . ', 0.01, 0, 1, 0.51) FROM people' }, sub { $_[0] }))[1];
	$by_count += (rebuild(sub { "SELECT dp_count(0.01) FILTER (WHERE id = $_[0] AND secret = 1) FROM people" }, sub {
		$_[0] >= 1
	}))[1];
}
by_chance($by_median, 'dp_quantile');
by_chance($by_count, 'dp_count');

# --- Nobody but who is trusted ----------------------------------------------------------------------

$owner->value(<<'SQL');
SELECT format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', oid::regprocedure) FROM pg_proc
  WHERE proname LIKE 'idp\_%' AND prokind = 'a' \gexec
SQL
is($analyst->run('SELECT idp_median(secret, 0.01) FROM people')->{sqlstate}, '42501', 'idp_ can be revoked');
like($analyst->value('SELECT dp_median(secret, 0.01, 0, 1) FROM people'), qr/^[01]$/, '... and dp_ stays');

done_testing();

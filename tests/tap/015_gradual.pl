# Gradual release through SQL, with real randomness: thousands of named groups over one tiny data
# set are as many chains of it, whose levels are held against
#
#   - the guarantee: for neighbours D and D' and every event of the PAIR (y_1, y_2), the frequencies
#     respect the factor e^epsilon_2, though the epsilons add up to more;
#   - the law of core/gradual/process.h: marginals, joint cells, how often nothing changes, the same
#     in whatever order the levels are asked for;
#   - what follows: no average of the answers is more accurate than the last of them.
#
# Mechanisms made wrong on purpose, such as a new draw for each level, must be caught by the same
# checks. A right implementation fails with probability below 1e-9 in all: each bound below fails
# with probability at most FAILURE, and they are counted.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ChernoffTest;
use IdpTest;
use List::Util qw(max min sum0);
use Test::More;

my $bounds = 0;
my $runs = 20000;    # chains in a sample

my $node = new_node('gradual', 'jit = off', 'max_parallel_workers_per_gather = 0');
my $s = session($node);
$s->value('CREATE TABLE worlds (g int, w text, x int)');

# --- Drawing -------------------------------------------------------------------------------------

# One group per chain; x is not changed later unless a test says so.
my %world;
sub rows_of
{
	my ($data) = @_;
	my $world = join ',', @$data;
	$s->value("INSERT INTO worlds SELECT g, '$world', x FROM generate_series(1, $runs) g, unnest(ARRAY[$world]) x")
	  unless $world{$world}++;
	return "worlds WHERE w = '$world'";
}

# Calls have %s for epsilon; a name comes after the last argument.
sub named { my ($call, $epsilon, $name) = @_; return sprintf($call, $epsilon) =~ s/\)$/, '$name ' || g)/r }

sub histogram
{
	my ($calls, $rows) = @_;
	my $keys = join " || ',' || ", map { "($_)" } @$calls;
	my %n = map { split /\|/, $_, 2 }
	  split /\n/, $s->value("SELECT y, count(*) FROM (SELECT $keys AS y FROM $rows GROUP BY g) q GROUP BY 1");
	sum0(values %n) == $runs or die "@$calls: " . sum0(values %n) . ' answers';
	return \%n;
}

# Asks for the levels of new chains one after the other, each in a statement of its own, and returns
# how often each list of answers came, from the smallest epsilon to the largest.
my $samples = 0;
sub chains
{
	my ($call, $data, $order, $between) = @_;
	my ($rows, $name) = (rows_of($data), 'sample ' . $samples++);
	foreach my $epsilon (@$order)
	{
		$s->value('SELECT count(y) FROM (SELECT ' . named($call, $epsilon, $name) . " AS y FROM $rows GROUP BY g) q");
		$between->($rows) if $between && $epsilon == $order->[0];
	}
	return histogram([ map { named($call, $_, $name) } sort { $a <=> $b } @$order ], $rows);
}

# The same with a draw for each level that knows nothing of the others.
sub independent
{
	my ($call, $data, @epsilons) = @_;
	return histogram([ map { sprintf $call, $_ } @epsilons ], rows_of($data));
}

# The histogram of some of the components, or of a function of all.
sub of
{
	my ($n, $function) = @_;
	my %of;
	$of{ join ',', $function->(split /,/) } += $n->{$_} foreach keys %$n;
	return \%of;
}

sub shifted { my ($n, $by) = @_; return of($n, sub { map { $_ + $by } @_ }) }

# --- Bounds --------------------------------------------------------------------------------------

# Events of pairs: cells, quadrants, the lines y_1 = t and y_2 = t and their sides, and y_1 = y_2.
sub pair_events
{
	my ($n, $values) = @_;
	my %events;
	foreach my $pair (keys %$n)
	{
		my ($y1, $y2) = split /,/, $pair;
		my $count = $n->{$pair};
		$events{'y1 = y2'} += $count if $y1 == $y2;
		foreach my $a (@$values)
		{
			$events{"y1 = $a"} += $count if $y1 == $a;
			$events{"y2 = $a"} += $count if $y2 == $a;
			$events{"y1 <= $a"} += $count if $y1 <= $a;
			$events{"y2 <= $a"} += $count if $y2 <= $a;
			$events{"y1 + y2 <= $a + $a"} += $count if $y1 + $y2 <= 2 * $a;
			foreach my $b (@$values)
			{
				$events{"y1 = $a, y2 = $b"} += $count if $y1 == $a && $y2 == $b;
				$events{"y1 <= $a, y2 <= $b"} += $count if $y1 <= $a && $y2 <= $b;
				$events{"y1 >= $a, y2 >= $b"} += $count if $y1 >= $a && $y2 >= $b;
				$events{"y1 <= $a, y2 >= $b"} += $count if $y1 <= $a && $y2 >= $b;
			}
		}
	}
	return \%events;
}

# The events whose frequencies on two worlds a mechanism of this epsilon cannot have.
sub ratio_violations
{
	my ($epsilon, $here, $there, $values) = @_;
	my ($a, $b) = map { pair_events($_, $values) } $here, $there;
	my @wrong;
	foreach my $event (sort keys %{ { %$a, %$b } })
	{
		foreach my $pair ([ $a, $b ], [ $b, $a ])
		{
			my @counts = map { $_->{$event} // 0 } @$pair;
			$bounds += 2;
			push @wrong, "$event: @counts of $runs" if is_beyond($runs, exp($epsilon), @counts);
		}
	}
	return @wrong;
}

# The keys whose frequency is not that of the law, of those given and all others together.
sub law_violations
{
	my ($n, $law) = @_;
	my ($rest, $rest_law) = ($runs, 1);
	my @wrong;
	my $compare = sub {
		my ($key, $count, $p) = @_;
		$bounds += 2;
		push @wrong, "$key: $count of $runs, not $p" if is_improbable($count, $runs, $p);
	};
	foreach my $key (sort keys %$law)
	{
		my $count = $n->{$key} // 0;
		$compare->($key, $count, $law->{$key});
		$rest -= $count;
		$rest_law -= $law->{$key};
	}
	$compare->('rest', $rest, $rest_law) if $rest_law > 1e-9;
	return @wrong;
}

# --- Laws: core/gradual/process.h ----------------------------------------------------------------

sub laplace { my ($i, $q) = @_; return (1 - $q) / (1 + $q) * $q**abs($i) }

# Pr[V_1 = V_2 + step], by tighten.
sub step
{
	my ($i, $q1, $q2) = @_;
	my $w = $q2 * (1 - $q1)**2 / ($q1 * (1 - $q2)**2);
	return ($i == 0 ? $w : 0) + (1 - $w) * laplace($i, $q1);
}

# The law of the answers at rates epsilon/Delta, from coarse to fine, near the true value.
sub joint
{
	my ($center, $reach, @rates) = @_;
	my @q = map { exp -$_ } @rates;
	my @values = map { $center + $_ } -$reach .. $reach;
	my %law = map { $_ => laplace($_ - $center, $q[-1]) } @values;
	foreach my $i (reverse 0 .. $#q - 1)
	{
		my %coarser;
		foreach my $known (keys %law)
		{
			my ($next) = split /,/, $known;
			$coarser{"$_,$known"} = $law{$known} * step($_ - $next, @q[ $i, $i + 1 ]) foreach @values;
		}
		%law = %coarser;
	}
	return \%law;
}

sub marginal
{
	my ($center, $reach, $rate) = @_;
	return { map { $center + $_ => laplace($_, exp -$rate) } -$reach .. $reach }
}
sub no_change { my ($rate1, $rate2) = @_; return { 1 => step(0, exp -$rate1, exp -$rate2) } }

# --- Two worlds ----------------------------------------------------------------------------------

# name, call, epsilons, data and their answer, neighbouring data and theirs, sensitivity
foreach my $case (
	[ 'dp_count', 'dp_count(%s)', [ 0.5, 1 ], [ 1, 2, 3 ], 3, [ 1, 2 ], 2, 1 ],
	[ 'dp_sum', 'dp_sum(x, %s, 0, 3)', [ 1.5, 2.5 ], [ 0, 1, 3 ], 4, [ 0, 1, 0 ], 1, 3 ],)
{
	my ($name, $call, $epsilons, $data, $true, $other, $other_true, $sensitivity) = @$case;
	my @values = (min($true, $other_true) - 3 .. max($true, $other_true) + 3);
	my ($here, $there) = map { chains($call, $_, $epsilons) } $data, $other;
	my $last = $epsilons->[1];
	my @rates = map { $_ / $sensitivity } @$epsilons;
	respected("$name: the pair respects e^$last", ratio_violations($last, $here, $there, \@values));
	foreach my $world ([ $here, $true, 'D' ], [ $there, $other_true, "D'" ])
	{
		my ($n, $center, $which) = @$world;
		respected("$name, $which: the pair has its law", law_violations($n, joint($center, 3, @rates)));
		respected("$name, $which: y_2 is that of a single answer",
			law_violations(of($n, sub { $_[1] }), marginal($center, 8, $rates[1])));
		respected("$name, $which: y_1 too", law_violations(of($n, sub { $_[0] }), marginal($center, 8, $rates[0])));
		respected("$name, $which: y_1 = y_2 as often as it should be",
			law_violations(of($n, sub { $_[0] == $_[1] ? 1 : 0 }), no_change(@rates)));
	}
	my ($alone, $alone_there) = map { independent($call, $_, @$epsilons) } $data, $other;
	caught("$name with a new draw for each level, by the ratio",
		ratio_violations($last, $alone, $alone_there, \@values));
	caught("$name with a new draw for each level, by the law", law_violations($alone, joint($true, 3, @rates)));
	my ($half, $half_there) = map { chains($call, $_, [ map { 2 * $_ } @$epsilons ]) } $data, $other;
	caught("$name with half the noise, by the ratio", ratio_violations($last, $half, $half_there, \@values));
	caught("$name with half the noise, by the law", law_violations($half, joint($true, 3, @rates)));
}

# The mechanism calibrated on D, on the neighbours of D: the answers follow f(D) + noise of LS(D), so
# there they are those on D moved by as much as LS(D).
{
	my ($call, $data, $true, $sensitivity) = ('idp_median(x, %s)', [ 0, 2, 3 ], 2, 2);
	my @epsilons = (1, 1.5);
	my @rates = map { $_ / $sensitivity } @epsilons;
	my ($here, $there) = map { chains($call, $data, \@epsilons) } 1 .. 2;
	respected('idp_median: the pair has its law', law_violations($here, joint($true, 3, @rates)));
	respected('idp_median: y_2 is that of a single answer',
		law_violations(of($here, sub { $_[1] }), marginal($true, 8, $rates[1])));
	respected('idp_median: y_1 = y_2 as often as it should be',
		law_violations(of($here, sub { $_[0] == $_[1] ? 1 : 0 }), no_change(@rates)));
	my @values = (-2 .. 6);
	respected("idp_median: the pair respects e^1.5, moved by $_",
		ratio_violations(1.5, $here, shifted($there, $_), \@values)) foreach -2, -1, 1, 2;
	caught('idp_median, moved farther', ratio_violations(1.5, $here, shifted($there, 4), \@values));
	my ($alone, $again) = map { independent($call, $data, @epsilons) } 1 .. 2;
	caught('idp_median with a new draw for each level', ratio_violations(1.5, $alone, shifted($again, 2), \@values));
}

# a finer grid: the law of the paper
{
	my $n = chains('dp_sum(x, %s, 0, 1000000)', [ 5, 6 ], [ 0.5, 1 ]);
	respected('Delta = 10^6: nothing changes with probability (epsilon_1/epsilon_2)^2',
		law_violations(of($n, sub { $_[0] == $_[1] ? 1 : 0 }), { 1 => 0.25 }));
	respected('Delta = 10^6: of y_2 as many lie within the scale as of a Laplace variable',
		law_violations(of($n, sub { abs($_[1] - 11) <= 1e6 ? 1 : 0 }), { 1 => 1 - exp(-1) }));
	respected('Delta = 10^6: so do those of y_1',
		law_violations(of($n, sub { abs($_[0] - 11) <= 2e6 ? 1 : 0 }), { 1 => 1 - exp(-1) }));
}

# --- Three levels --------------------------------------------------------------------------------

my @three = (0.4, 0.9, 1.6);
my $law = joint(2, 3, @three);
foreach my $order ([ 0, 1, 2 ], [ 0, 2, 1 ], [ 2, 1, 0 ], [ 1, 0, 2 ])
{
	my $name = 'asked for as ' . join ', ', map { $_ + 1 } @$order;
	my $n = chains('dp_count(%s)', [ 7, 8 ], [ @three[@$order] ]);
	respected("$name: the three answers have their law", law_violations($n, $law));
	respected("$name: y_1 and y_3 too", law_violations(of($n, sub { @_[ 0, 2 ] }), joint(2, 5, @three[ 0, 2 ])));
	foreach my $level (0 .. 2)
	{
		respected("$name: level " . ($level + 1),
			law_violations(of($n, sub { $_[$level] }), marginal(2, 10, $three[$level])));
	}
}
caught('three draws that know nothing of each other',
	law_violations(independent('dp_count(%s)', [ 7, 8 ], @three), $law));
caught('a middle level drawn from the coarse one alone',
	law_violations(of(chains('dp_count(%s)', [ 7, 8 ], [ 0.4, 0.9 ]), sub { @_, $_[1] }), $law));

# --- Averages ------------------------------------------------------------------------------------

# The mean over all chains of (error of a weighted average)^2 - (error of the last answer)^2 in
# standard errors. It is a mean of 20000 independent numbers, with moments of every order.
sub gain
{
	my ($n, $true, @weights) = @_;
	my $total = sum0 @weights;
	my ($sum, $squares) = (0, 0);
	foreach my $answers (keys %$n)
	{
		my @errors = map { $_ - $true } split /,/, $answers;
		my $d = (sum0(map { $weights[$_] * $errors[$_] } 0 .. $#errors) / $total)**2 - $errors[-1]**2;
		$sum += $n->{$answers} * $d;
		$squares += $n->{$answers} * $d**2;
	}
	my $mean = $sum / $runs;
	return $mean / sqrt(($squares / $runs - $mean**2) / $runs);
}
{
	my @epsilons = (0.1, 0.5, 1);
	my $n = chains('dp_count(%s)', [ 7, 8, 9 ], \@epsilons);
	my $alone = independent('dp_count(%s)', [ 7, 8, 9 ], @epsilons);
	my @variances = map { my $q = exp -$_; 2 * $q / (1 - $q)**2 } @epsilons;
	my %weights = ('of equal weight' => [ 1, 1, 1 ], 'weighted by epsilon' => \@epsilons,
		'weighted by precision' => [ map { 1 / $_ } @variances ],
		'of the last two' => [ 0, 1, 4 ], 'with a little of the first' => [ 0.01, 0, 1 ]);
	cmp_ok(gain($n, 3, @{ $weights{$_} }), '>', -8, "averages $_ are no more accurate than the last answer alone")
	  foreach sort keys %weights;
	cmp_ok(gain($alone, 3, @{ $weights{'weighted by precision'} }), '<', -8,
		'negative control: of independent draws they are more accurate');
}

# --- Data that change ----------------------------------------------------------------------------

{
	my @rates = (0.5, 1);
	my $changed;
	my $n = chains('dp_count(%s)', [ 11, 12, 13, 14 ], \@rates, sub {
		my $rows = shift;
		$s->value("DELETE FROM $rows AND x < 13");
		$s->value("UPDATE worlds SET x = x + 100 WHERE w = '11,12,13,14'");
		$s->value("INSERT INTO worlds SELECT g, w, 1000 + g % 5 FROM worlds WHERE w = '11,12,13,14'");
		$s->value("INSERT INTO worlds SELECT g, w, 2000 FROM worlds WHERE w = '11,12,13,14'");
	});
	is($s->value("SELECT DISTINCT count(*) FROM worlds WHERE w = '11,12,13,14' GROUP BY g"), 8,
		'there are 8 rows where there were 4');
	respected('after UPDATE, DELETE and INSERT: relaxed about the frozen value',
		law_violations($n, joint(4, 3, @rates)));
	respected('and how often the answers are equal tells nothing',
		law_violations(of($n, sub { $_[0] == $_[1] ? 1 : 0 }), no_change(@rates)));
	caught('relaxing about the new value', law_violations($n, joint(8, 3, @rates)));
	caught('reusing the noise on changed data', law_violations(of($n, sub { $_[0], $_[1] + 4 }), joint(4, 3, @rates)));
}

cmp_ok($bounds * FAILURE, '<=', 5e-10, "$bounds bounds, each of which fails with probability 1e-15");
$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();

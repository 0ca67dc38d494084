# Two worlds, through SQL and with real randomness: on tiny data sets every aggregate is asked
# thousands of times, and what comes is held against the guarantee.
#
#   dp_   For neighbours D and D' and every event, the frequencies on D and on D' respect the factor
#         e^epsilon. Where the law of the answer is known in closed form they also match it.
#   idp_  The answers on D follow f(D) + (discrete) Laplace(LS(D)/epsilon), with LS(D) found here by
#         looking at every neighbour. So no neighbour's f is farther than LS(D), and the mechanism
#         calibrated on D respects e^epsilon; the frequencies are held against that as well.
#
# Mechanisms made wrong on purpose must be caught by the same checks.
#
# A right implementation fails with probability below 1e-9 in all: every bound below fails with
# probability at most FAILURE, and they are counted.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ChernoffTest;
use IdpTest;
use List::Util qw(max min sum0);
use POSIX qw(ceil floor);
use Test::More;

use constant PI => 4 * atan2(1, 1);
my $bounds = 0;
my $runs = 10000;    # of each call on each data set

my $node = new_node('two_worlds', 'jit = off', 'max_parallel_workers_per_gather = 0');
my $s = session($node);
$s->value('CREATE TABLE worlds (w int, x int); CREATE INDEX ON worlds (w)');

# --- Drawing -------------------------------------------------------------------------------------

# The answers of many runs of a call on a data set, as a histogram; of a call that raises an error,
# all of them 'error'. Draws are kept: of a call on a data set there is one sample, or more by number.
my (%world, %drawn);
sub draws
{
	my ($call, $data, $number) = @_;
	my $key = join ',', sort { $a <=> $b } @$data;
	if (!defined $world{$key})
	{
		$world{$key} = keys %world;
		$s->value("INSERT INTO worlds SELECT $world{$key}, unnest(ARRAY[$key]::int[])");
	}
	return $drawn{"$call $runs"}{$key}{ $number // 0 } //= do
	{
		# each row of the outer query is a run of its own, because of the reference to it
		my $r = $s->run("SELECT a.answer, count(*) FROM generate_series(1, $runs) AS draw, "
			  . "LATERAL (SELECT $call AS answer FROM worlds "
			  . "WHERE w = $world{$key} AND draw IS NOT NULL) AS a GROUP BY 1");
		my %n = defined $r->{sqlstate} ? (error => $runs) : map { split /\|/, $_, 2 } split /\n/, $r->{out};
		sum0(values %n) == $runs or die "$call: " . sum0(values %n) . ' answers';
		\%n;
	};
}

# How many answers are, by threshold t: equal to it, at most, at least. Errors are above everything.
sub events
{
	my ($draws, $thresholds) = @_;
	my %n = %$draws;
	my $errors = delete $n{error} // 0;
	my @values = sort { $a <=> $b } keys %n;
	my ($i, $below, @events) = (0, 0);
	foreach my $t (@$thresholds)
	{
		$below += $n{ $values[ $i++ ] } while $i < @values && $values[$i] < $t;
		my $equal = 0;
		$equal += $n{ $values[ $i + $_ ] } foreach grep { $i + $_ < @values && $values[ $i + $_ ] == $t } 0 .. 1;
		push @events, $equal, $below + $equal, $runs - $errors - $below;
	}
	return (@events, $errors);
}

# --- Bounds --------------------------------------------------------------------------------------

# The events whose frequencies on two worlds a mechanism of this epsilon cannot have.
sub ratio_violations
{
	my ($epsilon, $a, $b, $thresholds) = @_;
	my @a = events($a, $thresholds);
	my @b = events($b, $thresholds);
	my $factor = exp $epsilon;
	my @names = ((map { my $t = $_; map { "$_ $t" } '=', '<=', '>=' } @$thresholds), 'error');
	my @wrong;
	foreach my $i (0 .. $#a)
	{
		foreach my $pair ([ $a[$i], $b[$i] ], [ $b[$i], $a[$i] ])
		{
			$bounds += 2;
			push @wrong, "$names[$i]: @$pair of $runs" if is_beyond($runs, $factor, @$pair);
		}
	}
	return @wrong;
}

# The values, of those given in increasing order, whose frequency is not that of the law.
sub law_violations
{
	my ($draws, $values, $p) = @_;
	my @events = events($draws, $values);
	my $errors = pop @events;
	my @wrong = $errors ? 'error' : ();
	foreach my $i (0 .. $#$values)
	{
		$bounds += 2;
		push @wrong, "= $values->[$i]: $events[3 * $i] of $runs, not $p->[$i]"
		  if is_improbable($events[ 3 * $i ], $runs, $p->[$i]);
	}
	return @wrong;
}

# Dvoretzky, Kiefer, Wolfowitz, Massart
sub cdf_violations
{
	my ($draws, $cdf) = @_;
	$bounds++;
	my ($below, $distance) = (0, 0);
	return 'error' if $draws->{error};
	foreach my $v (sort { $a <=> $b } keys %$draws)
	{
		my $f = $cdf->($v);
		$distance = max($distance, abs($f - $below / $runs));
		$below += $draws->{$v};
		$distance = max($distance, abs($f - $below / $runs));
	}
	return $distance > sqrt(log(2 / FAILURE) / (2 * $runs)) ? "distance $distance" : ();
}

# --- Laws ----------------------------------------------------------------------------------------

sub discrete_laplace
{
	my ($center, $rate, $values) = @_;
	my $a = exp -$rate;
	return [ map { (1 - $a) / (1 + $a) * $a**abs($_ - $center) } @$values ];
}

# clamped to the first and last of the values
sub clamped_laplace
{
	my ($center, $rate, $values) = @_;
	my $a = exp -$rate;
	my $p = discrete_laplace($center, $rate, $values);
	$p->[0] = $a**($center - $values->[0]) / (1 + $a);
	$p->[-1] = $a**($values->[-1] - $center) / (1 + $a);
	return $p;
}

sub laplace_cdf
{
	my ($center, $scale) = @_;
	return sub {
		my $z = ($_[0] - $center) / $scale;
		return $z < 0 ? exp($z) / 2 : 1 - exp(-$z) / 2;
	};
}

# Whether there is an answer over data whose noisy count decides that: noise of that rate, and a
# threshold that of no rows it exceeds with probability 1/20 at most.
sub supported
{
	my ($data, $rate) = @_;
	my $a = exp -$rate;
	my $k = 0;
	$k++ while $a**($k + 1) / (1 + $a) > 0.05;
	my $above = $k - @$data;    # what the noise has to exceed
	my $p = $above >= 0 ? $a**($above + 1) / (1 + $a) : 1 - $a**-$above / (1 + $a);
	return [ 1 - $p, $p ];
}

sub rank_of { my ($n, $p) = @_; return max(1, min($n, ceil($p * $n))) }

sub exponential_mechanism
{
	my ($data, $p, $epsilon, $values) = @_;
	my $r = rank_of(scalar @$data, $p);
	my @weights = map {
		my $y = $_;
		my $d = @$data ? max(0, grep({ $_ < $y } @$data) - $r + 1, $r - grep({ $_ <= $y } @$data)) : 0;
		exp(-$epsilon * $d / 2)
	} @$values;
	my $all = sum0 @weights;
	return [ map { $_ / $all } @weights ];
}

# Permute-and-flip over the values (core/mechanism/mode.h): p_v times the integral over t from 0 to 1 of
# the product of 1 - t p_w, of which the coefficients are computed.
sub permute_and_flip
{
	my ($data, $epsilon, $values) = @_;
	my @counts = map { my $v = $_; scalar grep { $_ == $v } @$data } @$values;
	my @p = map { exp(-$epsilon / 2 * (max(@counts) - $_)) } @counts;
	my @law;
	foreach my $v (0 .. $#p)
	{
		my @product = (1);
		foreach my $q (@p[ grep { $_ != $v } 0 .. $#p ])
		{
			@product = map { ($product[$_] // 0) - ($_ > 0 ? $q * $product[ $_ - 1 ] : 0) } 0 .. @product;
		}
		push @law, $p[$v] * sum0(map { $product[$_] / ($_ + 1) } 0 .. $#product);
	}
	return \@law;
}

# The law of f(D) + s Z rounded and clamped, Z of density proportional to 1/(1 + |z|^gamma), with
# the smooth sensitivity by its definition over all pairs of order statistics.
sub smooth_mechanism
{
	my ($data, $p, $epsilon, $gamma, $values) = @_;
	my ($lower, $upper) = @$values[ 0, -1 ];
	my @x = sort { $a <=> $b } @$data;
	my $n = @x;
	my $r = rank_of($n, $p);
	my $at = sub { my $i = shift; return $i < 1 ? $lower : $i > $n ? $upper : $x[ $i - 1 ] };
	my ($center, $s) = $n ? ($at->($r), 0) : (floor(($lower + $upper) / 2), $upper - $lower);
	foreach my $i ($n ? (-$n .. $r) : ())
	{
		$s = max($s, ($at->($_) - $at->($i)) * exp(-$epsilon / $gamma * ($_ - $i - 1)))
		  foreach max($r, $i + 1) .. 2 * $n + 1;
	}
	my $scale = 4 * $gamma * $s / $epsilon;
	my $half = {
		2 => sub { atan2($_[0], 1) },
		3 => sub {
			my $z = shift;
			log(1 + $z) / 3 - log($z * $z - $z + 1) / 6 + (atan2((2 * $z - 1) / sqrt 3, 1) + PI / 6) / sqrt 3
		},
		4 => sub {
			my $z = shift;
			my $q = sqrt 2;
			log(($z * $z + $q * $z + 1) / ($z * $z - $q * $z + 1)) / (4 * $q)
			  + (atan2($q * $z + 1, 1) + atan2($q * $z - 1, 1)) / (2 * $q);
		}
	}->{$gamma};
	my $total = { 2 => PI / 2, 3 => 2 * PI / 3 / sqrt 3, 4 => PI / 2 / sqrt 2 }->{$gamma};
	my $cdf = sub {
		my $z = ($_[0] - $center) / $scale;
		my $h = $half->(abs $z) / (2 * $total);
		return $z < 0 ? 0.5 - $h : 0.5 + $h
	};
	my @below = (0, (map { $cdf->($_ + 0.5) } @$values[ 0 .. $#$values - 1 ]), 1);
	return [ map { $below[ $_ + 1 ] - $below[$_] } 0 .. $#$values ];
}

# --- epsilon-DP ----------------------------------------------------------------------------------

# Pairs of neighbours over the domain 0 .. 3.
my @neighbours = (
	[ [], [3] ], [ [], [0] ], [ [0], [3] ], [ [3], [ 3, 3 ] ], [ [ 0, 0, 3 ], [ 0, 3, 3 ] ],
	[ [ 0, 1, 3 ], [ 1, 3 ] ], [ [ 0, 1, 3 ], [ 1, 3, 3 ] ]);
my @worlds = do { my %seen; grep { !$seen{"@$_"}++ } map { @$_ } @neighbours };

my @counts = (-12 .. 16);
my @domain = (0 .. 3);
my $sixths = [ map { $_ / 6 } -3 .. 21 ];
sub total { return sum0 @{ $_[0] } }
sub different { my %seen = map { $_ => 1 } @{ $_[0] }; return scalar keys %seen }

# name, call with %s for epsilon, epsilon, thresholds of events, the law on a data set (or none)
my @private = (
	[ 'dp_count', 'dp_count(%s)', 1, \@counts, sub { discrete_laplace(scalar @{ $_[0] }, $_[1], \@counts) } ],
	[ 'dp_count_range', 'dp_count_range(x, %s, 2, 3)', 1, \@counts,
		sub { discrete_laplace(scalar(grep { $_ >= 2 } @{ $_[0] }), $_[1], \@counts) } ],
	[ 'dp_count_distinct', 'dp_count_distinct(x, %s)', 1, \@counts,
		sub { discrete_laplace(different($_[0]), $_[1], \@counts) } ],
	[ 'dp_count_distinct of texts', 'dp_count_distinct(x::text, %s)', 0.5, \@counts,
		sub { discrete_laplace(different($_[0]), $_[1], \@counts) } ],
	[ 'dp_sum', 'dp_sum(x, %s, 0, 3)', 1.5, [ -20 .. 30 ],
		sub { discrete_laplace(total($_[0]), $_[1] / 3, [ -20 .. 30 ]) } ],
	[ 'dp_sum with negative bounds', 'dp_sum(x - 4, %s, -4, -1)', 1.5, [ -40 .. 20 ],
		sub { discrete_laplace(total($_[0]) - 4 * @{ $_[0] }, $_[1] / 4, [ -40 .. 20 ]) } ],
	[ 'dp_histogram, first and last bucket',
		'least((dp_histogram(x, %s, 0, 3, 4))[1] - 1, -(dp_histogram(x, %1$s, 0, 3, 4))[4])', 1, \@counts ],
	[ 'dp_histogram, first bucket', '(dp_histogram(x, %s, 0, 3, 4))[1]', 1, \@counts,
		sub { discrete_laplace(scalar(grep { $_ == 0 } @{ $_[0] }), $_[1] / 2, \@counts) } ],
	[ 'dp_histogram, third bucket', '(dp_histogram(x, %s, 0, 3, 4))[3]', 1, \@counts,
		sub { discrete_laplace(scalar(grep { $_ == 2 } @{ $_[0] }), $_[1] / 2, \@counts) } ],
	[ 'dp_avg', 'coalesce(dp_avg(x, %s, 0, 3), -0.5)', 1, $sixths ],
	[ 'dp_avg of doubles', 'coalesce(dp_avg(x::float8, %s, 0, 3), -0.5)', 2, $sixths ],
	[ 'dp_variance', 'coalesce(dp_variance(x, %s, 0, 3), -0.5)', 1, $sixths ],
	[ 'dp_variance of doubles', 'coalesce(dp_variance(x::float8, %s, 0, 3), -0.5)', 2, $sixths ],
	[ 'dp_stddev', 'coalesce(dp_stddev(x, %s, 0, 3), -0.5)', 1, $sixths ],
	[ 'dp_avg that finds its bounds', 'coalesce(dp_avg(x, %s), -0.5)', 4, $sixths ],
	(map {
		my ($answer, $rate) = @$_;
		[ "whether there is $answer", "($answer IS NOT NULL)::int", 1, [ 0, 1 ], sub {
			supported($_[0], $_[1] * $rate)
		} ]
	}
		[ 'dp_avg(x, %s, 0, 3)', 1 / 2 ], [ 'dp_avg(x::numeric, %s, 2, 2)', 1 / 2 ],
		[ 'dp_variance(x, %s, 0, 3)', 9 / 25 ], [ 'dp_stddev(x::float8, %s, 0, 3)', 9 / 25 ]),
	[ 'dp_median', 'dp_median(x, %s, -1, 3)', 1, [ -1 .. 3 ],
		sub { exponential_mechanism($_[0], 0.5, $_[1], [ -1 .. 3 ]) } ],
	[ 'dp_quantile', 'dp_quantile(x, %s, 0, 3, 0.3)', 2, \@domain,
		sub { exponential_mechanism($_[0], 0.3, $_[1], \@domain) } ],
	[ 'dp_min', 'dp_min(x, %s, 0, 3)', 1, \@domain, sub { exponential_mechanism($_[0], 0, $_[1], \@domain) } ],
	[ 'dp_max', 'dp_max(x, %s, 0, 3)', 1, \@domain, sub { exponential_mechanism($_[0], 1, $_[1], \@domain) } ],
	[ 'dp_mode', 'dp_mode(x, %s, ARRAY[0, 1, 2, 3])', 1, \@domain, sub { permute_and_flip($_[0], $_[1], \@domain) } ],
	[ 'dp_mode of texts', "dp_mode(x::text, %s, '{3,1,0,2}'::text[])", 0.5, \@domain,
		sub { permute_and_flip($_[0], $_[1], \@domain) } ],
	[ 'dp_median_smooth', 'dp_median_smooth(x, %s, 0, 3)', 2, \@domain,
		sub { smooth_mechanism($_[0], 0.5, $_[1], 3, \@domain) } ],
	(map { my $gamma = $_;
		[ "dp_median_smooth, gamma $gamma", "dp_median_smooth(10 * x, %s, 0, 30, $gamma)", 4, [ 0 .. 30 ],
		sub { smooth_mechanism([ map { 10 * $_ } @{ $_[0] } ], 0.5, $_[1], $gamma, [ 0 .. 30 ]) } ] } 2 .. 4),
	[ 'dp_quantile_smooth', 'dp_quantile_smooth(10 * x, %s, 0, 30, 0.3)', 4, [ 0 .. 30 ],
		sub { smooth_mechanism([ map { 10 * $_ } @{ $_[0] } ], 0.3, $_[1], 3, [ 0 .. 30 ]) } ],
	[ 'dp_max_smooth', 'dp_max_smooth(10 * x, %s, 0, 30, 2)', 4, [ 0 .. 30 ],
		sub { smooth_mechanism([ map { 10 * $_ } @{ $_[0] } ], 1, $_[1], 2, [ 0 .. 30 ]) } ],
	[ 'dp_median_global', 'dp_median_global(x, %s, 0, 3)', 1, \@domain, sub {
		my ($d, $e) = @_;
		clamped_laplace(@$d ? (sort { $a <=> $b } @$d)[ rank_of(scalar @$d, 0.5) - 1 ] : 1, $e / 3, \@domain)
	} ],
	[ 'dp_max_global', 'dp_max_global(x, %s, 0, 3)', 1, \@domain,
		sub { my ($d, $e) = @_; clamped_laplace(@$d ? max(@$d) : 1, $e / 3, \@domain) } ],);

foreach my $case (@private)
{
	my ($name, $call, $epsilon, $thresholds, $law) = @$case;
	my $right = sprintf $call, $epsilon;
	respected("$name: e^epsilon",
		map {
			my ($a, $b) = @$_;
			map { "{@$a} {@$b} $_" } ratio_violations($epsilon, draws($right, $a), draws($right, $b), $thresholds)
		} @neighbours);
	next unless $law;
	respected("$name: the law of the answer", map {
		my $d = $_;
		map { "{@$d} $_" } law_violations(draws($right, $d), $thresholds, $law->($d, $epsilon))
	} @worlds);
	my $twice = sprintf $call, 2 * $epsilon;
	caught("$name with half the noise, by the law",
		map { law_violations(draws($twice, $_), $thresholds, $law->($_, $epsilon)) } [ 0, 1, 3 ], [3]);
}

# --- Averages and variances: the law of docs/privacy.md, simulated -------------------------------

# Discrete Laplace noise: the difference of two geometric variables.
sub simulated_noise { my $rate = shift; return floor(-log(1 - rand) / $rate) - floor(-log(1 - rand) / $rate) }

# As core/mechanism/private_moments.h and noisy_count.h state it: from C = sum of 2x - W, Q = sum of 2(2x - W)^2 - W^2
# and the number of rows, each with noise; bounds 0 and W.
my $width = 3;
sub simulated_average
{
	my ($data, $epsilon) = @_;
	my $c = sum0(map { 2 * $_ - $width } @$data) + simulated_noise($epsilon / (2 * $width));
	my $n = @$data + simulated_noise($epsilon / 2);
	return -1 if 20 * exp(-$n * $epsilon / 2) > 1 + exp(-$epsilon / 2) || $n < 1;    # no answer
	return max(0, min($width, $width / 2 + $c / (2 * $n)));
}

sub simulated_variance
{
	my ($data, $epsilon) = @_;
	my $c = sum0(map { 2 * $_ - $width } @$data) + simulated_noise(8 * $epsilon / (25 * $width));
	my $q = sum0(map { 2 * (2 * $_ - $width)**2 - $width**2 } @$data)
	  + simulated_noise(8 * $epsilon / (25 * $width**2));
	my $n = @$data + simulated_noise(9 * $epsilon / 25);
	return -1 if 20 * exp(-$n * 9 * $epsilon / 25) > 1 + exp(-9 * $epsilon / 25) || $n < 1;
	return max(0, min($width**2 / 4, (($q / $n + $width**2) / 2 - ($c / $n)**2) / 4));
}

# Two samples of one distribution: each is within its DKW bound of it, up to the rounding of answers.
sub sample_violations
{
	my ($draws, $sample) = @_;
	return 'error' if $draws->{error};
	$bounds += 2;
	my @sample = sort { $a <=> $b } @$sample;
	my @values = sort { $a <=> $b } keys %$draws;
	my ($i, $j, $below, $distance) = (0, 0, 0, 0);
	foreach my $v (map { $_ / 97 + 1e-7 } -1 .. 97 * 3)
	{
		$below += $draws->{ $values[ $i++ ] } while $i < @values && $values[$i] <= $v;
		$j++ while $j < @sample && $sample[$j] <= $v;
		$distance = max($distance, abs($below / $runs - $j / @sample));
	}
	my $allowed = sum0(map { sqrt(log(2 / FAILURE) / (2 * $_)) } $runs, scalar @sample);
	return $distance > $allowed ? "distance $distance > $allowed" : ();
}

foreach my $case (
	[ 'dp_avg', 1, \&simulated_average ], [ 'dp_variance', 3, \&simulated_variance ],
	[ 'dp_stddev', 3, sub { my $v = simulated_variance(@_); $v < 0 ? $v : sqrt $v } ])
{
	my ($aggregate, $epsilon, $simulate) = @$case;
	my $mutants = 0;
	foreach my $data ([], [ 0, 1, 3 ], [ (0, 3) x 4 ], [ (0, 0, 1, 3) x 3 ])
	{
		my @sample = map { $simulate->($data, $epsilon) } 1 .. 4 * $runs;
		respected("$aggregate of {@$data}: the law",
			sample_violations(draws("coalesce($aggregate(x, $epsilon, 0, $width), -1)", $data), \@sample));
		$mutants += grep { sample_violations(draws("coalesce($aggregate(x, $_, 0, $width), -1)", $data), \@sample) }
		  "2 * $epsilon", "$epsilon / 2.0";
	}
	cmp_ok($mutants, '>=', 5, "negative control: half and twice the noise of $aggregate are caught");
}

# --- Negative controls of the two-world check ----------------------------------------------------

sub worlds_differ
{
	my ($call, $epsilon, $thresholds) = @_;
	return map { ratio_violations($epsilon, draws($call, $_->[0]), draws($call, $_->[1]), $thresholds) } @neighbours;
}
caught('a count with half the noise', worlds_differ('dp_count(2)', 1, \@counts));
caught('a range count with half the noise', worlds_differ('dp_count_range(x, 2, 2, 3)', 1, \@counts));
caught('a distinct count with half the noise', worlds_differ('dp_count_distinct(x, 2)', 1, \@counts));
caught('a sum with half the noise', worlds_differ('dp_sum(x, 3, 0, 3)', 1.5, [ -20 .. 30 ]));
caught('a histogram with half the noise',
	worlds_differ('least((dp_histogram(x, 2, 0, 3, 4))[1] - 1, -(dp_histogram(x, 2, 0, 3, 4))[4])', 1, \@counts));
caught('an average with a quarter of the noise', worlds_differ('coalesce(dp_avg(x, 4, 0, 3), -0.5)', 1, $sixths));
caught('a variance with little noise', worlds_differ('coalesce(dp_variance(x, 20, 0, 3), -0.5)', 1, $sixths));
caught('a deviation with little noise', worlds_differ('coalesce(dp_stddev(x, 20, 0, 3), -0.5)', 1, $sixths));
# whether there is an answer, decided by the rows themselves, tells of the first one
caught('an average that is NULL where there are no rows',
	worlds_differ('CASE WHEN count(x) > 0 THEN coalesce(dp_avg(x, 1, 0, 3), -0.5) ELSE -0.5 END', 1, $sixths));
caught('an exponential mechanism with four times the epsilon', worlds_differ('dp_median(x, 4, -1, 3)', 1, [ -1 .. 3 ]));
caught('smooth sensitivity with thirty times the epsilon',
	worlds_differ('dp_median_smooth(10 * x, 60, 0, 30)', 2, [ 0 .. 30 ]));
caught('a global sensitivity for half the range', worlds_differ('dp_median_global(x, 2, 0, 3)', 1, \@domain));
# noise for records that change the sum by 2, where they change it by 3
caught('a sensitivity that is one less',
	worlds_differ('coalesce(sum(x), 0) + dp_sum(0, 1.5, 0, 2)', 1.5, [ -20 .. 30 ]));
caught('no noise', worlds_differ('coalesce(sum(greatest(0, least(3, x))), 0)', 1.5, [ -20 .. 30 ]));
caught('noise that is rounded away',
	worlds_differ('dp_sum(1000000 * x, 1.5, 0, 3) * 0 + coalesce(sum(x), 0)', 1.5, [ -20 .. 30 ]));
caught('the native mode', worlds_differ('coalesce(mode() WITHIN GROUP (ORDER BY x), 0)', 1, \@domain));
caught('permute-and-flip with four times the epsilon', worlds_differ('dp_mode(x, 4, ARRAY[0, 1, 2, 3])', 1, \@domain));
caught('the native median', worlds_differ('coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY x), 1)', 1, \@domain));
caught('an error on empty input', worlds_differ('dp_count(1) + 0 * (1 / count(*))', 1, \@counts));
caught('an error on a value', worlds_differ('dp_count(1) + 0 * coalesce(min(1 / (3 - x)), 0)', 1, \@counts));
caught('exact for the first of a data set',
	worlds_differ('CASE WHEN count(*) = 1 THEN sum(x) ELSE dp_sum(x, 1.5, 0, 3) END', 1.5, [ -20 .. 30 ]));

$runs = 20000;

# --- epsilon-iDP ---------------------------------------------------------------------------------

# Everything one record can make of a data set, by substitution, addition and removal.
sub all_neighbours
{
	my ($data, $domain) = @_;
	my %seen;
	foreach my $i (0 .. $#$data)
	{
		my @rest = @$data[ grep { $_ != $i } 0 .. $#$data ];
		$seen{ join ' ', sort { $a <=> $b } @rest, $_ } = 1 foreach @$domain;
		$seen{ join ' ', sort { $a <=> $b } @rest } = 1;
	}
	$seen{ join ' ', sort { $a <=> $b } @$data, $_ } = 1 foreach @$domain;
	return map { [ split / / ] } keys %seen;
}

# The greatest change of f at distances 1, 2, …
sub local_sensitivities
{
	my ($f, $data, $domain, $distances) = @_;
	my $here = $f->(@$data);
	my %reached = (join(' ', @$data) => $data);
	my @found;
	foreach (1 .. $distances)
	{
		%reached = map { join(' ', @$_) => $_ } map { ($_, all_neighbours($_, $domain)) } values %reached;
		push @found, max(map { abs($f->(@$_) - $here) } values %reached);
	}
	return @found;
}

sub order_statistic { my ($rank, @x) = @_; return (sort { $a <=> $b } @x)[ $rank - 1 ] }
sub mean { return @_ ? sum0(@_) / @_ : 1.5 }
sub iqr { return order_statistic(rank_of(scalar @_, 0.75), @_) - order_statistic(rank_of(scalar @_, 0.25), @_) }
sub mad
{
	my $m = order_statistic(rank_of(scalar @_, 0.5), @_);
	return order_statistic(rank_of(scalar @_, 0.5), map { abs($_ - $m) } @_);
}
sub trimmed { my @x = sort { $a <=> $b } @_; my $cut = floor(0.2 * @x); return mean(@x[ $cut .. $#x - $cut ]) }
sub variance { my $m = mean(@_); return @_ ? sum0(map { ($_ - $m)**2 } @_) / @_ : 0 }

# name, call with %s for epsilon, epsilon(s), f over the clamped data, data, domain, whether answers are integers
my @wide = (-2 .. 12);
my @individual = (
	[ 'idp_median', 'idp_median(x, %s)', [2], sub { order_statistic(rank_of(scalar @_, 0.5), @_) }, [ 0, 1, 3, 7, 9 ],
		\@wide, 1 ],
	[ 'idp_median, even', 'idp_median(x, %s)', [1], sub { order_statistic(rank_of(scalar @_, 0.5), @_) },
		[ 0, 2, 3, 3, 9, 9 ], \@wide, 1 ],
	[ 'idp_quantile', 'idp_quantile(x, %s, 0.7)', [1], sub { order_statistic(rank_of(scalar @_, 0.7), @_) },
		[ 0, 1, 3, 7, 9 ], \@wide, 1 ],
	[ 'idp_min', 'idp_min(x, %s, 0)', [1], sub { order_statistic(1, @_) }, [ 2, 3, 7 ], [ 0 .. 9 ], 1 ],
	[ 'idp_max', 'idp_max(x, %s, 9)', [1], sub { order_statistic(scalar @_, @_) }, [ 2, 3, 7 ], [ 0 .. 9 ], 1 ],
	[ 'idp_kth_smallest', 'idp_kth_smallest(x, %s, 2)', [1], sub { order_statistic(2, @_) }, [ 0, 2, 7, 7 ], \@wide,
		1 ],
	[ 'idp_kth_largest', 'idp_kth_largest(x, %s, 2)', [1], sub { order_statistic(@_ - 1, @_) }, [ 0, 2, 6, 7 ], \@wide,
		1 ],
	(map { [ "idp_sum of {@$_}", 'idp_sum(x, %s, 0, 3)', [1.5], sub { sum0 @_ }, $_, \@domain, 1 ] } [], [2],
		[ 0, 1, 2 ], [ 1, 1 ]),
	[ 'idp_sum with a negative bound', 'idp_sum(x - 2, %s, -2, 1)', [1.5], sub { sum0(@_) - 2 * @_ }, [ 1, 2 ],
		\@domain, 1 ],
	(map { [ "idp_avg of {@$_}", 'idp_avg(x, %s, 0, 3)', [1], \&mean, $_, \@domain, 0 ] } [], [2], [ 0, 1, 2 ],
		[ 1, 1, 1, 3 ]),
	(map { [ "idp_variance of {@$_}", 'idp_variance(x, %s, 0, 3)', [1], \&variance, $_, \@domain, 0 ] } [2],
		[ 0, 1, 2 ], [ 1, 1 ], [ 1, 1, 1 ]),
	(map { [ "idp_stddev of {@$_}", 'idp_stddev(x, %s, 0, 3)', [1], sub { sqrt variance(@_) }, $_, \@domain, 0 ] } [2],
		[ 0, 1, 2 ], [ 1, 1 ]),
	(map { [ "idp_iqr of {@$_}", 'idp_iqr(x, %s)', [1], \&iqr, $_, \@wide, 1 ] } [ 0, 1, 3, 7, 9 ],
		[ 1, 1, 4, 6, 6, 8 ]),
	# where the bound on its local sensitivity is no greater than that; tests/unit/spread_test.cpp has the others
	[ 'idp_mad', 'idp_mad(x, %s)', [1], \&mad, [ 0, 2, 3, 3, 9, 9 ], \@wide, 1 ],
	(map { [ "idp_trimmed_avg of {@$_}", 'idp_trimmed_avg(x, %s, 0.2)', [1], \&trimmed, $_, \@wide, 0 ] }
		  [ 0, 1, 3, 7, 9 ], [ 0, 1, 1, 2, 3, 5, 8 ]),
	[ 'idp_median for groups', 'idp_median(x, ARRAY[%s])', [ 2, 1 ],
		sub { order_statistic(rank_of(scalar @_, 0.5), @_) }, [ 0, 1, 3, 3, 9 ], \@wide, 1 ],
	[ 'idp_median for groups that count', 'idp_median(x, ARRAY[%s])', [ 9, 1 ],
		sub { order_statistic(rank_of(scalar @_, 0.5), @_) }, [ 0, 1, 3, 3, 9 ], \@wide, 1 ],
	[ 'idp_sum for groups', 'idp_sum(x, ARRAY[%s], 0, 3)', [ 2, 2.5, 3 ], sub { sum0 @_ }, [ 0, 1, 2 ], \@domain, 1 ],
	[ 'idp_avg for groups', 'idp_avg(x, ARRAY[%s], 0, 3)', [ 2, 2.5 ], \&mean, [ 0, 1, 2 ], \@domain, 0 ],);

foreach my $case (@individual)
{
	my ($name, $call, $epsilons, $f, $data, $domain, $integers) = @$case;
	my $center = $f->(@$data);
	my @sensitivities = local_sensitivities($f, $data, $domain, scalar @$epsilons);
	my $scale = max(map { $sensitivities[$_] / $epsilons->[$_] } 0 .. $#sensitivities);
	my $asked = sub { my $factor = shift; return sprintf $call, join ', ', map { $factor * $_ } @$epsilons };
	my @values = $integers ? ($center - 60 .. $center + 60) : ();
	my $violations = sub {
		my ($draws, $law_center, $law_scale) = @_;
		return $integers ? law_violations($draws, \@values, discrete_laplace($law_center, 1 / $law_scale, \@values))
		  : cdf_violations($draws, laplace_cdf($law_center, $law_scale));
	};
	my $answers = draws($asked->(1), $data);
	respected("$name: f(D) + Laplace(LS/epsilon), LS = @sensitivities", $violations->($answers, $center, $scale));
	cmp_ok(scalar keys %$answers, '>', 0.99 * $runs, "$name: every run is a draw of its own") unless $integers;
	caught("$name with half the noise", $violations->(draws($asked->(2), $data), $center, $scale));
	caught("$name with a sensitivity that is a third less",
		$violations->(draws($asked->(1.5), $data), $center, $scale));
	caught("$name of other data", $violations->($answers, $center + max(0.5 * $scale, $integers), $scale));

	# the mechanism calibrated on D, in the worlds of the neighbours: another draw, moved to f(D')
	next unless $integers && @$epsilons == 1;
	my $other = draws($asked->(1), $data, 1);
	my $half = draws($asked->(2), $data, 1);
	my (@wrong, @wrong_half, %moved);
	$moved{ $f->(@$_) - $center } = 1 foreach all_neighbours($data, $domain);
	foreach my $move (keys %moved)
	{
		my $there = sub { my $n = shift; return { map { $_ + $move => $n->{$_} } keys %$n } };
		push @wrong, ratio_violations($epsilons->[0], $answers, $there->($other), \@values);
		push @wrong_half, ratio_violations($epsilons->[0], draws($asked->(2), $data), $there->($half), \@values);
	}
	respected("$name: e^epsilon for all neighbours", @wrong);
	caught("$name with half the noise, by its neighbours", @wrong_half);
}
# The mode is no number: randomised response over what one record can make of it.
sub mode
{
	my %n;
	$n{$_}++ foreach @_;
	return (sort { $n{$b} <=> $n{$a} || $a <=> $b } keys %n)[0];
}
foreach my $data ([ 1, 1, 1, 2, 2, 2, 3, 3 ], [ 0, 0, 1, 1, 2, 2, 3, 3 ], [ 0, 1, 1, 1, 2, 2, 2, 3, 3 ])
{
	my $epsilon = 1;
	my $mode = mode(@$data);
	my %range = map { mode(@$_) => 1 } $data, all_neighbours($data, \@domain);
	my @range = sort keys %range;
	my $law = sub {
		my $factor = shift;
		return [ map {
			$range{$_} ? exp($factor * $epsilon * ($_ == $mode)) / (exp($factor * $epsilon) + @range - 1) : 0
		} @domain ]
	};
	my $answers = draws("idp_mode(x, $epsilon)", $data);
	respected("idp_mode of {@$data}: randomised response over {@range}", law_violations($answers, \@domain, $law->(1)));
	caught("idp_mode of {@$data} with half the noise",
		law_violations(draws('idp_mode(x, ' . 2 * $epsilon . ')', $data), \@domain, $law->(1)));
	caught("idp_mode of {@$data} over a range of one more", law_violations($answers, \@domain, [ map {
		exp($epsilon * ($_ == $mode)) / (exp($epsilon) + @range)
	} @domain ]));

	# in the worlds of the neighbours: another draw, with their mode in the place of this one
	my ($other, $half) = (draws("idp_mode(x, $epsilon)", $data, 1),
		draws('idp_mode(x, ' . 2 * $epsilon . ')', $data, 1));
	my $there = sub {
		my ($n, $to) = @_;
		return { map { ($_ == $mode ? $to : $_ == $to ? $mode : $_) => $n->{$_} } keys %$n }
	};
	respected("idp_mode of {@$data}: e^epsilon for all neighbours",
		map { ratio_violations($epsilon, $answers, $there->($other, $_), \@domain) } @range);
	caught("idp_mode of {@$data} with half the noise, by its neighbours", map {
		ratio_violations($epsilon, draws('idp_mode(x, ' . 2 * $epsilon . ')', $data), $there->($half, $_), \@domain)
	} @range);
}
is_deeply(draws('idp_mode(x, 1)', [ 0, 3, 3, 3, 3, 3 ]), { 3 => $runs },
	'idp_mode of {0 3 3 3 3 3}: no record moves it, and it is exact');
is_deeply(draws('idp_mode(x, 1)', [ 1, 2 ]), { '' => $runs },
	'idp_mode of {1 2}: another value could win, and there is no answer');
is_deeply(draws('idp_variance(x, 1, 0, 3)', []), { '0.0000000000000000' => $runs },
	'idp_variance of {}: no record moves it, and it is exact');
# narrower bounds than the ones promised: no value is clamped, and LS(D) comes out one less
caught('idp_sum with a sensitivity that is one less', law_violations(draws('idp_sum(x, 1.5, 0, 2)', [ 0, 1, 2 ]),
	[ -30 .. 40 ], discrete_laplace(3, 1.5 / 3, [ -30 .. 40 ])));
caught('an individual maximum without noise',
	law_violations(draws('max(x)', [ 2, 3, 7 ]), [ -30 .. 40 ], discrete_laplace(7, 1 / 4, [ -30 .. 40 ])));

# --- No two draws are one ------------------------------------------------------------------------

# Two of 20000 draws of the scale 3e17 are the same in 2e-10 of the runs.

is(scalar keys %{ draws('idp_sum(x, 1e-17, 0, 3)', [ 0, 1, 2 ]) }, $runs, 'every run of a query is a draw of its own');
is($s->value('SELECT count(*) FROM (SELECT idp_sum(x, 1e-9, 0, 3) = idp_sum(x, 1e-9, 0, 3) AS same FROM worlds '
	  . 'GROUP BY w) s WHERE NOT same'), 0,
	'two identical calls of a query are one draw');
is($s->value('SELECT count(*) FROM (SELECT idp_sum(x, 1e-15, 0, 3) = dp_sum(x, 1e-15, 0, 3) AS same FROM worlds '
	  . 'GROUP BY w) s WHERE same'), 0,
	'two different ones are two');
my $again = 'SELECT idp_sum(x, 1e-12, 0, 3), dp_sum(x, 1e-12, 0, 3) FROM worlds';
isnt($s->value($again), $s->value($again), 'the same query again is a new draw');

cmp_ok($bounds * FAILURE, '<=', 1e-9, "$bounds bounds, each of which fails with probability 1e-15");
$s->quit;
$node->stop;
done_testing();

# The distribution of the answers, through SQL: exact where the paper says so, and elsewhere the
# distribution it says. Failure of a right implementation has probability below 1e-9 in all.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

use constant DRAWS => 20000;
use constant FAILURE => 1e-12;    # of each bound, of which there are fewer than 200

my $node = new_node('exactness', 'jit = off', 'max_parallel_workers_per_gather = 0');
my $s = session($node);

# Many draws of one query: the reference to the outer row makes each its own run of the aggregate.
sub draws
{
	my ($call, $from, $n) = @_;
	return [ split /\n/, $s->value("SELECT a.answer FROM generate_series(1, $n) AS draw, "
			  . "LATERAL (SELECT $call AS answer FROM $from WHERE draw IS NOT NULL) AS a") ];
}

sub frequencies { my %n; $n{$_}++ foreach @{ $_[0] }; return \%n }

# --- Small data sets of the paper ----------------------------------------------------------------

is_deeply(frequencies(draws('idp_median(x, 0.01)', '(VALUES (0), (0), (0), (0), (1)) d (x)', 1000)), { 0 => 1000 },
	'D1 = {0,0,0,0,1}: the median is 0, always');
cmp_ok(scalar keys %{ frequencies(draws('idp_median(x, 0.01)', '(VALUES (0), (0), (0), (1), (1)) d (x)', 1000)) },
	'>', 100, 'D2 = {0,0,0,1,1}: the median is noisy');
$s->value('CREATE TABLE d3 AS SELECT (i <= 90)::int AS x FROM generate_series(1, 99) i');
is_deeply(frequencies(draws('idp_median(x, 0.01)', 'd3', 1000)), { 1 => 1000 },
	'D3: 90 ones of 99: the median is 1, always');
is_deeply(frequencies(draws('idp_median(x::float8, 0.01)', 'd3', 200)), { 1 => 200 }, 'D3 as floats: exact as well');
is_deeply(frequencies(draws('idp_median(x::numeric, 1e-18)', 'd3', 200)), { 1 => 200 },
	'D3 as numeric, at the least epsilon');

# --- Floats: Laplace(LS / epsilon) ---------------------------------------------------------------

# The distance between the distribution of the draws and F.
sub ks_distance
{
	my ($draws, $cdf) = @_;
	my @sorted = sort { $a <=> $b } @$draws;
	my $distance = 0;
	foreach my $i (0 .. $#sorted)
	{
		my $f = $cdf->($sorted[$i]);
		foreach my $step ($i / @sorted, ($i + 1) / @sorted)
		{
			$distance = abs($f - $step) if abs($f - $step) > $distance;
		}
	}
	return $distance;
}

sub laplace
{
	my ($center, $scale) = @_;
	return sub {
		my $z = ($_[0] - $center) / $scale;
		return $z < 0 ? exp($z) / 2 : 1 - exp(-$z) / 2;
	};
}

# Dvoretzky, Kiefer, Wolfowitz with Massart's constant: the distance of n draws from their own
# distribution exceeds this with probability at most FAILURE.
sub dkw { return sqrt(log(2 / FAILURE) / (2 * $_[0])) }

# name, call, data, f(D), LS, epsilon
foreach my $case (
	[ 'double precision, median', 'idp_median(x, 0.5)', '1.5, 2.25, 4, 10.75, 11', 'float8', 4, 6.75, 0.5 ],
	[ 'double precision, epsilon 3', 'idp_median(x, 3)', '1e-3, 2e-3, 2.5e-3, 2.75e-3, 1', 'float8', 2.5e-3, 5e-4, 3 ],
	[ 'double precision, maximum', 'idp_max(x, 1, 100)', '1, 2, 40', 'float8', 40, 60, 1 ],
	[ 'double precision, minimum', 'idp_min(x, 2, -7)', '1, 2, 40', 'float8', 1, 8, 2 ],
	[ 'double precision, second maximum', 'idp_kth_largest(x, 1, 2)', '1, 2, 40', 'float8', 2, 38, 1 ],
	[ 'double precision, huge values', 'idp_quantile(x, 1, 0.25)', '-1e300, -9e299, 0, 0, 0', 'float8', -9e299, 9e299,
		1 ],
	[ 'real, median', 'idp_median(x, 0.25)', '-3, -1, 0, 2.5, 4', 'float4', 0, 2.5, 0.25 ],
	[ 'numeric, median', 'idp_median(x, 1)', '1, 2, 5, 6, 7', 'numeric', 5, 3, 1 ],
	[ 'timestamp, median', "extract(epoch FROM idp_median(x, 1) - timestamp '2000-01-01')",
		"'2000-01-01', '2000-01-02', '2000-01-03', '2000-01-10', '2000-01-11'", 'timestamp', 172800, 604800, 1 ],)
{
	my ($name, $call, $data, $type, $center, $sensitivity, $epsilon) = @$case;
	my $draws = draws($call, "unnest(ARRAY[$data]::$type\[]) x", DRAWS);
	is(scalar @$draws, DRAWS, "$name: all draws are there");
	my $scale = $sensitivity / $epsilon;
	my $distance = ks_distance($draws, laplace($center, $scale));
	cmp_ok($distance, '<', dkw(DRAWS), "$name: Laplace(LS / epsilon)");
	# the test sees half, twice, and a quarter more of the noise, and a shifted center
	cmp_ok(ks_distance($draws, laplace($center, $scale * $_)), '>', dkw(DRAWS), "$name: not $_ times the scale")
	  foreach 0.5, 2;
	cmp_ok(ks_distance($draws, laplace($center + 0.2 * $scale, $scale)), '>', dkw(DRAWS), "$name: not shifted");
	cmp_ok(scalar keys %{ frequencies($draws) }, '>', 0.99 * DRAWS, "$name: each run is its own draw");
}

# --- Integers: discrete Laplace ------------------------------------------------------------------

# Bernstein: |frequency - p| of n draws exceeds this with probability at most FAILURE.
sub bernstein
{
	my ($p, $n) = @_;
	my $l = log(2 / FAILURE);
	return ($l / 3 + sqrt($l * $l / 9 + 2 * $n * $p * (1 - $p) * $l)) / $n;
}

sub frequencies_match
{
	my ($draws, $pmf, $values, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $n = frequencies($draws);
	my @wrong = grep { abs(($n->{$_} // 0) / @$draws - $pmf->($_)) > bernstein($pmf->($_), scalar @$draws) } @$values;
	return @wrong == 0 ? ok(1, $name) : ok(0, "$name: wrong at @wrong");
}

sub discrete_laplace
{
	my ($center, $rate) = @_;
	my $a = exp(-$rate);
	return sub { return (1 - $a) / (1 + $a) * $a**abs($_[0] - $center) };
}

my $integers = '(VALUES (0), (1), (3), (7), (9)) d (x)';    # median 3, LS 4
my $median = draws('idp_median(x, 2)', $integers, DRAWS);
frequencies_match($median, discrete_laplace(3, 0.5), [ -12 .. 18 ], 'integer median: discrete Laplace of epsilon / LS');
my $wrong = discrete_laplace(3, 0.25);
my $found = frequencies($median);
cmp_ok(abs($found->{3} / DRAWS - $wrong->(3)), '>', bernstein($wrong->(3), DRAWS), 'and not of twice the scale');
frequencies_match(draws('dp_count(0.5)', 'generate_series(1, 20) x', DRAWS), discrete_laplace(20, 0.5), [ 5 .. 35 ],
	'dp_count: discrete Laplace of epsilon');
frequencies_match(draws('dp_count_range(x, 1, 3, 4)', 'generate_series(1, 20) x', DRAWS), discrete_laplace(2, 1),
	[ -6 .. 10 ],
	'dp_count_range: discrete Laplace of epsilon');
frequencies_match(draws('dp_count(1)', 'generate_series(1, 0) x', DRAWS), discrete_laplace(0, 1), [ -6 .. 6 ],
	'dp_count of nothing');
frequencies_match(draws("idp_median(x, 1) - date '2024-01-01'",
	"(VALUES (date '2024-01-01'), ('2024-01-01'), ('2024-01-01'), ('2024-01-03'), ('2024-01-03')) d (x)", 5000),
	discrete_laplace(0, 0.5), [ -8 .. 8 ], 'dates: whole days');

# --- The truncated range count -------------------------------------------------------------------

foreach my $epsilon (0.1, 0.5, 1, 2, 5)
{
	my $draws = draws("idp_count_range(x, $epsilon, 3, 12)", 'generate_series(1, 20) x', DRAWS);
	is(join(' ', grep { $_ != 9 && $_ != 10 && $_ != 11 } @$draws), '', "epsilon $epsilon: only f - 1, f and f + 1");
	my $a = exp(-$epsilon);
	my %p = (9 => $a / (1 + $a), 10 => (1 - $a) / (1 + $a), 11 => $a / (1 + $a));
	frequencies_match($draws, sub { $p{ $_[0] } }, [ 9, 10, 11 ], "epsilon $epsilon: a/(1+a), (1-a)/(1+a), a/(1+a)");
	my $error = 0;
	$error += abs($_ - 10) / DRAWS foreach @$draws;
	cmp_ok(abs($error - 2 * $a / (1 + $a)), '<=', bernstein(2 * $a / (1 + $a), DRAWS),
		"epsilon $epsilon: the error of Table 2");
	# negative control: the frequencies of twice the epsilon
	my $b = exp(-2 * $epsilon);
	my $q = (1 - $b) / (1 + $b);
	my $zero = frequencies($draws)->{10} / DRAWS;
	cmp_ok(abs($zero - $q), '>', bernstein($q, DRAWS), "epsilon $epsilon: not those of twice the epsilon")
	  if $epsilon < 5;
}

# --- Draws do not depend on each other -----------------------------------------------------------

# two aggregates of one query, runs in a row, and two sessions
my $pairs = [ split /\n/, $s->value("SELECT sign(a.p - 3) * sign(a.q - 3) FROM generate_series(1, @{[DRAWS]}) AS draw, "
		  . "LATERAL (SELECT idp_median(x, 0.001) AS p, idp_median(x, 0.0010000001) AS q FROM $integers "
		  . "WHERE draw IS NOT NULL) AS a") ];
my $sum = 0;
$sum += $_ foreach @$pairs;
# Hoeffding
cmp_ok(abs($sum / @$pairs), '<', sqrt(2 * log(2 / FAILURE) / @$pairs), 'two draws of one query are not correlated');
my $other = session($node);
my $again = [ split /\n/,
	$other->value("SELECT a.answer FROM generate_series(1, 1000) AS draw, LATERAL (SELECT idp_median(x, 1e-15) "
		  . "AS answer FROM unnest(ARRAY[1.5, 2.5, 4, 10, 11]::float8[]) x WHERE draw IS NOT NULL) a") ];
my $here = draws('idp_median(x, 1e-15)', 'unnest(ARRAY[1.5, 2.5, 4, 10, 11]::float8[]) x', 1000);
my %common = map { $_ => 1 } @$here;
is(scalar(grep { $common{$_} } @$again), 0, 'two sessions draw different noise');
$other->quit;

$s->quit;
$node->stop;
done_testing();

# The guarantee itself, through SQL: the answers on a small data set and on its neighbours, their
# probabilities compared. And what counting a million different values costs.
# Failure of a right implementation has probability below 1e-9 in all.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

use constant DRAWS => 20000;
use constant FAILURE => 1e-14;    # of each comparison of two probabilities; there are some 10 000

my $node = new_node('two_worlds', 'jit = off', 'max_parallel_workers_per_gather = 0');
my $s = session($node);

# Many draws of one query: the reference to the outer row makes each its own run of the aggregate.
sub draws
{
	my ($call, $data, $n) = @_;
	return [ split /\n/, $s->value("SELECT a.answer FROM generate_series(1, @{[$n // DRAWS]}) AS draw, "
			  . "LATERAL (SELECT $call AS answer FROM unnest($data) x WHERE draw IS NOT NULL) AS a") ];
}

sub frequencies { my %n; $n{$_}++ foreach @{ $_[0] }; return \%n }

# Bernstein: the frequency of an event of probability p in n draws is off by more than this with
# probability at most FAILURE.
sub bernstein
{
	my ($p, $n) = @_;
	my $l = log(2 / FAILURE);
	return ($l / 3 + sqrt($l * $l / 9 + 2 * $n * $p * (1 - $p) * $l)) / $n;
}

# The least probability that could have shown this frequency, and the greatest.
sub least
{
	my ($f, $n) = @_;
	my ($low, $high) = (0, $f);
	foreach (1 .. 50) { my $p = ($low + $high) / 2; $f - $p > bernstein($p, $n) ? ($low = $p) : ($high = $p) }
	return $low;
}
sub greatest { return 1 - least(1 - $_[0], $_[1]) }

# The events at which the two worlds differ by more than e^epsilon beyond doubt: single answers, and
# everything up to or from an answer on.
sub violations
{
	my ($one, $other, $epsilon) = @_;
	my ($p, $q) = (frequencies($one), frequencies($other));
	my %all = (%$p, %$q);
	my @values = keys %all;
	@values = sort { $a <=> $b } @values unless grep { !/^-?[0-9.]+(e-?[0-9]+)?$/ } @values;
	my @events;
	my ($up_p, $up_q) = (0, 0);
	foreach my $v (@values)
	{
		my ($a, $b) = ($p->{$v} // 0, $q->{$v} // 0);
		$up_p += $a;
		$up_q += $b;
		push @events, [ $v, $a, $b ], [ "<= $v", $up_p, $up_q ], [ "> $v", @$one - $up_p, @$other - $up_q ];
	}
	my @found;
	foreach my $event (@events)
	{
		my ($name, $a, $b) = @$event;
		($a, $b) = ($a / @$one, $b / @$other);
		push @found, $name
		  if least($a, scalar @$one) > exp($epsilon) * greatest($b, scalar @$other)
		  || least($b, scalar @$other) > exp($epsilon) * greatest($a, scalar @$one);
	}
	return @found;
}

sub int_data { return "ARRAY[$_[0]]::int[]" }

# --- epsilon-DP: both worlds are drawn -----------------------------------------------------------

# name, call with E for epsilon, and the pairs of neighbours; a mutant with four times the epsilon
# must be seen on the first pair, where the two worlds differ as far as they can
foreach my $case (
	[ 'dp_count', 'dp_count(E)', [ '1, 2', '1' ], [ '', '5' ] ],
	[ 'dp_count_range', 'dp_count_range(x, E, 1, 3)', [ '0, 1, 2', '0, 1' ], [ '0, 1', '0, 9' ] ],
	[ 'dp_count_distinct', 'dp_count_distinct(x, E)', [ '1, 2', '1, 1' ], [ '', '5' ], [ '1, 2, 3', '1, 2, 2' ] ],
	[ 'dp_count_distinct of text', 'dp_count_distinct(x::text, E)', [ '1, 2', '1, 1' ] ],
	[ 'dp_histogram', 'dp_histogram(x, E, 0, 4, 2)', [ '0, 0', '0, 4' ], [ '', '5' ], [ '1, 2', '1' ] ],
	[ 'dp_sum', 'dp_sum(x, E, 0, 3)', [ '0, 0', '0, 3' ], [ '', '3' ], [ '1, 2', '2' ] ],
	[ 'dp_sum between negative bounds', 'dp_sum(x, E, -5, -3)', [ '-3', '' ], [ '-3', '-5' ] ],
	[ 'dp_avg', 'round(dp_avg(x, E, 0, 4), 1)', [ '0, 0, 0', '0, 0, 4' ], [ '0, 4', '0, 4, 4' ], [ '', '4' ] ],
	[ 'dp_variance', 'round(dp_variance(x, E, 0, 4), 1)', [ '0, 0, 0', '0, 0, 4' ], [ '0, 4', '0, 4, 2' ], [ '', '4' ] ],
	[ 'dp_stddev', 'round(dp_stddev(x, E, 0, 4), 1)', [ '0, 0, 0', '0, 0, 4' ], [ '0, 4', '0' ] ],
	[ 'dp_median', 'dp_median(x, E, 0, 4)', [ '1, 1, 1, 3, 3', '1, 1, 3, 3, 3' ], [ '', '4' ], [ '0, 1, 4', '0, 4' ] ],
	[ 'dp_quantile', 'dp_quantile(x, E, 0, 4, 0.25)', [ '0, 0, 4, 4, 4', '0, 4, 4, 4, 4' ], [ '1, 2', '1, 2, 3' ] ],
	[ 'dp_min', 'dp_min(x, E, 0, 4)', [ '0, 4, 4', '4, 4, 4' ], [ '', '0' ] ],
	[ 'dp_max', 'dp_max(x, E, 0, 4)', [ '0, 0, 4', '0, 0, 0' ], [ '', '4' ] ],
	[ 'dp_median_smooth', 'dp_median_smooth(x, E, 0, 400)', [ '0, 0, 0, 400, 400', '0, 0, 400, 400, 400' ], [ '', '400' ] ],
	[ 'dp_quantile_smooth', 'dp_quantile_smooth(x, E, 0, 400, 0.9, 2)', [ '0, 0, 400', '0, 0, 0' ], [ '0, 1', '0' ] ],
	[ 'dp_max_smooth', 'dp_max_smooth(x, E, 0, 400, 4)', [ '0, 0, 400', '0, 0, 0' ], [ '', '9' ] ],
	[ 'dp_median_global', 'dp_median_global(x, E, 0, 4)', [ '0, 0, 4', '0, 4, 4' ], [ '', '4' ] ],
	[ 'dp_max_global', 'dp_max_global(x, E, 0, 4)', [ '0, 0', '0, 4' ], [ '', '4' ] ],)
{
	my ($name, $call, @pairs) = @$case;
	my $tested = 0;
	foreach my $pair (@pairs)
	{
		my ($one, $other) = map { int_data($_) } @$pair;
		(my $real = $call) =~ s/\bE\b/1/;
		my ($p, $q) = (draws($real, $one), draws($real, $other));
		is(scalar @$p, DRAWS, "$name: all draws are there");
		is_deeply([ violations($p, $q, 1) ], [], "$name: {$pair->[0]} and {$pair->[1]} within e^1");
		next if $tested++;
		# the smooth mechanism keeps a distance from its bound, which clamping widens
		my $factor = $name =~ /smooth|avg|variance|stddev/ ? 16 : 4;
		(my $mutant = $call) =~ s/\bE\b/$factor/;
		isnt(scalar violations(draws($mutant, $one), draws($mutant, $other), 1), 0, "$name: a mutant with $factor epsilon is seen");
	}
}

# An error on empty input tells the two worlds apart: the check must see it.
{
	my $p = draws("CASE WHEN count(*) = 0 THEN 'error' ELSE 'answer' END", int_data(''));
	my $q = draws("CASE WHEN count(*) = 0 THEN 'error' ELSE 'answer' END", int_data('1'));
	isnt(scalar violations($p, $q, 1), 0, 'a mutant that fails on empty input is seen');
}

# --- epsilon-iDP: the law of the actual data, and how far its neighbours are ----------------------

sub discrete_laplace
{
	my ($center, $rate) = @_;
	my $a = exp(-$rate);
	return sub { return (1 - $a) / (1 + $a) * $a**abs($_[0] - $center) };
}

sub mismatches
{
	my ($draws, $pmf, $values) = @_;
	my $n = frequencies($draws);
	return grep { abs(($n->{$_} // 0) / @$draws - $pmf->($_)) > bernstein($pmf->($_), scalar @$draws) } @$values;
}

# name, call, data, the statistic in Perl, values a record can have, how many records of a group
# with their epsilons
sub sum { my $t = 0; $t += $_ foreach @_; return $t }
sub lower_median { my @x = sort { $a <=> $b } @_; return $x[ int($#x / 2) ] }

# All data sets one record away; undef is none.
sub neighbours
{
	my ($data, @domain) = @_;
	my @all;
	foreach my $i (0 .. $#$data)
	{
		my @rest = @$data;
		splice @rest, $i, 1;
		push @all, [@rest], map { [ @rest, $_ ] } @domain;
	}
	push @all, map { [ @$data, $_ ] } @domain;
	return @all;
}

sub farthest
{
	my ($f, $data, $distance, @domain) = @_;
	my @ring = ($data);
	my $worst = 0;
	foreach (1 .. $distance)
	{
		my %seen;
		@ring = grep { !$seen{ join ',', sort @$_ }++ } map { neighbours($_, @domain) } @ring;
		foreach my $there (@ring)
		{
			my $d = abs($f->(@$there) - $f->(@$data));
			$worst = $d if $d > $worst;
		}
	}
	return $worst;
}

foreach my $case (
	[ 'idp_sum', 'idp_sum(x, E, 0, 4)', [ 1, 2, 2 ], \&sum, [ 0 .. 4 ], [1] ],
	[ 'idp_sum between bounds of both signs', 'idp_sum(x, E, -3, 2)', [ -3, 0, 2 ], \&sum, [ -3 .. 2 ], [1] ],
	[ 'idp_sum of nothing', 'idp_sum(x, E, -3, 2)', [], \&sum, [ -3 .. 2 ], [2] ],
	[ 'idp_median', 'idp_median(x, E)', [ 0, 1, 3, 7, 9 ], \&lower_median, [ 0 .. 9 ], [2] ],
	[ 'idp_sum for groups', 'idp_sum(x, E, -3, 2)', [ -3, 0, 2 ], \&sum, [ -3 .. 2 ], [ 2, 1 ] ],
	[ 'idp_median for groups', 'idp_median(x, E)', [ 0, 2, 3, 4, 9 ], \&lower_median, [ 0 .. 9 ], [ 1, 2 ] ],
	[ 'idp_median for groups, no single record matters', 'idp_median(x, E)', [ 0, 3, 3, 3, 9 ], \&lower_median, [ 0 .. 9 ], [ 1, 2 ] ],)
{
	my ($name, $call, $data, $f, $domain, $epsilons) = @$case;
	my $scale = 0;    # max LS_i / epsilon_i
	foreach my $i (1 .. @$epsilons)
	{
		my $ratio = farthest($f, $data, $i, @$domain) / $epsilons->[ $i - 1 ];
		$scale = $ratio if $ratio > $scale;
	}
	my $argument = @$epsilons == 1 ? $epsilons->[0] : "ARRAY[" . join(',', @$epsilons) . "]::float8[]";
	$call =~ s/\bE\b/$argument/;
	my $draws = draws($call, int_data(join ',', @$data));
	my $center = $f->(@$data);
	my @around = ($center - 12 .. $center + 12);
	is_deeply([ mismatches($draws, discrete_laplace($center, 1 / $scale), \@around) ], [],
		"$name: discrete Laplace of the greatest LS_i / epsilon_i, by brute force");
	foreach my $mutant ([ 'epsilon/2', 0.5 / $scale ], [ 'three quarters of the sensitivity', 4 / (3 * $scale) ], [ 'no noise', 50 ])
	{
		isnt(scalar mismatches($draws, discrete_laplace($center, $mutant->[1]), \@around), 0, "$name: not $mutant->[0]");
	}
}

# Averages and spreads have a fine grid: the distance between their draws and Laplace(LS/epsilon).
sub ks_distance
{
	my ($draws, $center, $scale) = @_;
	my @sorted = sort { $a <=> $b } @$draws;
	my $distance = 0;
	foreach my $i (0 .. $#sorted)
	{
		my $z = ($sorted[$i] - $center) / $scale;
		my $f = $z < 0 ? exp($z) / 2 : 1 - exp(-$z) / 2;
		foreach my $step ($i / @sorted, ($i + 1) / @sorted)
		{
			$distance = abs($f - $step) if abs($f - $step) > $distance;
		}
	}
	return $distance;
}
my $dkw = sqrt(log(2 / FAILURE) / (2 * DRAWS));
sub mean { return @_ ? sum(@_) / @_ : 2 }    # of none: the middle of the bounds 0 and 4
sub variance { my $m = mean(@_); return @_ ? sum(map { ($_ - $m)**2 } @_) / @_ : 0 }
sub deviation { return sqrt(variance(@_)) }
foreach my $case (
	[ 'idp_avg', 'idp_avg(x, 1, 0, 4)', \&mean, 'int' ], [ 'idp_avg of doubles', 'idp_avg(x, 1, 0, 4)', \&mean, 'float8' ],
	[ 'idp_variance', 'idp_variance(x, 1, 0, 4)', \&variance, 'numeric' ],
	[ 'idp_stddev', 'idp_stddev(x, 1, 0, 4)', \&deviation, 'float8' ],)
{
	my ($name, $call, $f, $type) = @$case;
	my @data = (0, 1, 1, 2, 2, 2, 3, 4);    # a record at the vertices, where the bounds are exact
	my $draws = draws($call, 'ARRAY[' . join(',', @data) . "]::$type\[]");
	my $scale = farthest($f, \@data, 1, map { $_ / 4 } 0 .. 16);
	cmp_ok(ks_distance($draws, $f->(@data), $scale), '<', $dkw, "$name: Laplace(LS/epsilon), LS by brute force");
	cmp_ok(ks_distance($draws, $f->(@data), $scale * $_), '>', $dkw, "$name: not $_ times the scale") foreach 0.5, 0.75, 2;
}

# --- A million different values ------------------------------------------------------------------

sub peak
{
	my ($session) = @_;
	open my $status, '<', "/proc/$session->{pid}/status" or die "cannot read the status of the backend: $!";
	my ($kilobytes) = join('', <$status>) =~ /^VmHWM:\s+(\d+) kB/m;
	return $kilobytes / 1024;
}
$s->value('CREATE TABLE million AS SELECT i * 1000003::bigint AS i, md5(i::text) AS t FROM generate_series(1, 1000000) i');
foreach my $case ([ 'bigint', 'i', 48 ], [ 'text', 't', 96 ])
{
	my ($type, $column, $megabytes) = @$case;
	my $other = session($node);
	$other->value("SELECT count(*), max($column) FROM million");    # what reading the table takes
	my $before = peak($other);
	is($other->value("SELECT dp_count_distinct($column, 1000) FROM million"), 1000000, "$type: a million different values");
	cmp_ok(peak($other) - $before, '<', $megabytes, "$type: in less than $megabytes MB");
	$other->quit;
}

$s->quit;
$node->stop;
done_testing();

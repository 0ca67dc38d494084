# Bounds on frequencies, for the tests that hold draws of a server against a law. Each fails for a
# right implementation with probability at most FAILURE; who asks counts them.
package ChernoffTest;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use List::Util 'min';
use Test::More;

our @EXPORT = qw(FAILURE divergence farthest is_improbable is_beyond respected caught);

use constant FAILURE => 1e-15;

# Kullback-Leibler divergence of two coins. Chernoff: if a coin of p shows k of n, then
# n divergence(k/n, p) exceeds log(1/FAILURE) on a given side with probability at most FAILURE.
sub divergence
{
	my ($q, $p) = @_;
	return 9**9**9 if ($p <= 0 && $q > 0) || ($p >= 1 && $q < 1);
	return ($q > 0 ? $q * log($q / $p) : 0) + ($q < 1 ? (1 - $q) * log((1 - $q) / (1 - $p)) : 0);
}

# Whether so many of the runs are not what a coin of p shows. Two bounds.
sub is_improbable
{
	my ($count, $runs, $p) = @_;
	$p = $p < 0 ? 0 : $p > 1 ? 1 : $p;
	return $runs * divergence($count / $runs, $p) > -log(FAILURE);
}

# The p farthest from q, towards `end` (0 or 1), that the bound allows.
sub farthest
{
	my ($runs, $q, $end) = @_;
	my ($in, $out) = ($q, $end);
	foreach (1 .. 60)
	{
		my $p = ($in + $out) / 2;
		($runs * divergence($q, $p) <= -log(FAILURE) ? $in : $out) = $p;
	}
	return $out;
}

# Whether an event that came so often in one world and in another, of so many runs each, has
# probabilities that differ by more than the factor. Two bounds, also if it is plain that it has not.
sub is_beyond
{
	my ($runs, $factor, $more, $less) = @_;
	my ($p, $q) = ($more / $runs, $less / $runs);
	return $p > $factor * $q && farthest($runs, $p, 0) > $factor * farthest($runs, $q, 1);
}

# What is wrong is said of a law that is respected; of a negative control there is something.
sub respected
{
	my ($name, @wrong) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is("@wrong[0 .. min(2, $#wrong)]", '', $name);
}

sub caught
{
	my ($name, @wrong) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return ok(scalar @wrong, "negative control: $name is caught");
}

1;

# What readers of shared levels gain by putting their answers together (gradual release, section 4.2):
# people give a number of their own to the members of a network, each at epsilon = 1/distance. Whoever
# reads alone has the error of a single answer at that epsilon. A hundred strangers who average theirs
# have no better one than the best of them has alone, and all levels together respect the largest
# epsilon. Draws that know nothing of each other are beside it, and fail both.
#
# A right implementation fails with probability below 1e-9 in all: each bound fails with probability at
# most FAILURE, and they are counted.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ChernoffTest;
use IdpTest;
use List::Util qw(sum0);
use Test::More;

my $bounds = 0;
my $runs = 10000;    # people
my @distances = (1 .. 8);
my ($here, $there) = (3, 4);    # the number of each, in two worlds that differ by a record

my $node = new_node('strangers', 'jit = off', 'max_parallel_workers_per_gather = 0');
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE facts (world int, person int, x int);
CREATE TABLE answers (world int, person int, distance int, answer int);
GRANT INSERT ON answers TO PUBLIC;
SELECT idp.protect('facts', 100, 'add_remove');
SQL
$s->value("CREATE ROLE at_$_") foreach @distances;
$s->value("CREATE ROLE stranger_$_ IN ROLE at_" . (4 + $_ % 5)) foreach 0 .. 99;

# The answers that are shared in a world, as those read them to whom they were given.
sub share_and_read
{
	my ($world, $truth) = @_;
	$s->value("INSERT INTO facts SELECT $world, person, i "
		  . "FROM generate_series(1, $runs) person, generate_series(1, $truth) i");
	$s->value("SELECT count(n) FROM (SELECT dp_count(0.01, 'number of ' || person) AS n FROM facts "
		  . "WHERE world = $world GROUP BY person) q");
	$s->value("SELECT idp.share('number of 1', ('at_' || distance)::regrole, 1.0 / distance, all_groups => true) "
		  . "FROM unnest(ARRAY[3, 8, 1, 5, 2, 7, 4, 6]) distance");
	foreach my $distance (@distances)
	{
		my $reader = session($node);
		$reader->value("SET ROLE at_$distance");
		$reader->value("INSERT INTO answers SELECT $world, person, $distance, idp.read('number of ' || person)::int "
			  . "FROM generate_series(1, $runs) person");
		$reader->quit;
	}
	return;
}
share_and_read(0, $here);
is($s->value('SELECT trim_scale(spent) FROM idp.budget'), 1, 'eight levels of ten thousand releases cost the largest');

# who reads by way of a role reads the same
my @wrong = grep {
	$s->value("SET ROLE stranger_$_; SELECT string_agg(idp.read('number of ' || person), ',' ORDER BY person) "
		  . "FROM generate_series(1, 5) person; RESET ROLE")
	  ne $s->value("SELECT string_agg(answer::text, ',' ORDER BY person) FROM answers "
		  . "WHERE distance = 4 + $_ % 5 AND person <= 5")
} 0 .. 99;
is("@wrong", '', 'a hundred strangers read the level of their distance');
$s->value("SELECT idp.drop_release('number of ' || person) FROM generate_series(1, $runs) person");
share_and_read(1, $there);

# --- Each alone ------------------------------------------------------------------------------------

sub law { my ($distance, $error) = @_; my $a = exp(-1 / $distance); return (1 - $a) / (1 + $a) * $a**abs($error) }

# The errors whose frequency is not that of a single answer at that distance.
sub law_violations
{
	my ($distance, $errors) = @_;
	my %n;
	$n{$_}++ foreach @$errors;
	$bounds += 2 * 81;
	return grep { is_improbable($n{$_} // 0, $runs, law($distance, $_)) } -40 .. 40;
}

sub numbers { return [ split /\n/, $s->value($_[0]) ] }
my @errors;
foreach my $distance (@distances)
{
	$errors[$distance] =
	  numbers("SELECT answer - $here FROM answers WHERE world = 0 AND distance = $distance ORDER BY person");
	is(join(' ', law_violations($distance, $errors[$distance])), '',
		"at distance $distance: the law of a single answer");
	note sprintf 'distance %d: mean absolute error %.3f, of a single answer %.3f', $distance,
	  sum0(map { abs } @{ $errors[$distance] }) / $runs, 2 / (exp(1 / $distance) - exp(-1 / $distance));
	my $other = $distance <= 4 ? 2 * $distance : int($distance / 2);
	ok(scalar law_violations($other, $errors[$distance]), "negative control: not that of distance $other");
}

# --- A hundred together ----------------------------------------------------------------------------

# The bounds up to which errors are more often than those of the best of them.
sub better_than_best
{
	my ($errors) = @_;
	my @best = @{ $errors[4] };
	$bounds += 2 * 41;
	return grep {
		my $c = $_ / 4;
		is_beyond($runs, 1, map { scalar grep { abs($_) <= $c + 1e-9 } @$_ } $errors, \@best)
	} 0 .. 40;
}
my %weights = (average => sub { 1 }, 'average weighted by precision' => sub { 1 / $_[0]**2 });
foreach my $name (sort keys %weights)
{
	my $weight = $weights{$name};
	my $all = sum0(map { $weight->($_) } 4 .. 8);
	my @pooled = map { my $i = $_; sum0(map { $weight->($_) / $all * $errors[$_][$i] } 4 .. 8) } 0 .. $runs - 1;
	is(join(' ', better_than_best(\@pooled)), '', "strangers, shared: their $name is no better than the best of them");
	my $alone = join ' UNION ALL ', map {
		"SELECT person, " . $weight->($_)
		  . (" * (dp_count($_) - $here) AS e FROM (SELECT * FROM facts WHERE world = 0 OFFSET 0) f, "
		  . "generate_series(1, 20) copy GROUP BY person, copy") =~ s/dp_count\((\d)\)/"dp_count(" . 1 \/ $1 . ")"/er
	} 4 .. 8;
	$s->value("SELECT idp.unprotect('facts')") if $s->value("SELECT active FROM idp.protection") eq 't';
	my $independent = numbers("SELECT sum(e) / (20 * $all) FROM ($alone) q GROUP BY person ORDER BY person");
	ok(scalar better_than_best($independent), "negative control: that of independent draws is");
	note sprintf 'root mean square error: %s of the best %.3f, shared %.3f, independent %.3f', $name,
	  map { sqrt(sum0(map { $_**2 } @$_) / $runs) } $errors[4], \@pooled, $independent;
}

# --- Two worlds ------------------------------------------------------------------------------------

# What readers at distances 1, 2 and 4 see together, as events of their answers.
my @pool = (1, 2, 4);
sub events
{
	my ($rows) = @_;
	my %n;
	foreach my $row (@$rows)
	{
		my @y = split /,/, $row;
		foreach my $t (-1 .. 8)
		{
			$n{"all >= $t"}++ if !grep { $_ < $t } @y;
			$n{"all <= $t"}++ if !grep { $_ > $t } @y;
			$n{"sum <= 3 $t"}++ if sum0(@y) <= 3 * $t;
			$n{"weighted <= 7 $t"}++ if 4 * $y[0] + 2 * $y[1] + $y[2] <= 7 * $t;
			$n{"first = $t, others >= $t"}++ if $y[0] == $t && $y[1] >= $t && $y[2] >= $t;
			$n{"$_ = $t"}++ foreach grep { $y[$_] == $t } 0 .. 2;
		}
	}
	return \%n;
}

sub ratio_violations
{
	my ($epsilon, $a, $b) = map { ref $_ ? events($_) : $_ } @_;
	my @found;
	foreach my $event (sort keys %{ { %$a, %$b } })
	{
		foreach my $pair ([ $a, $b ], [ $b, $a ])
		{
			my @counts = map { $_->{$event} // 0 } @$pair;
			$bounds += 2;
			push @found, "$event: @counts" if is_beyond($runs, exp $epsilon, @counts);
		}
	}
	return @found;
}

my @shared = map {
	numbers("SELECT string_agg(answer::text, ',' ORDER BY distance) FROM answers "
		  . "WHERE world = $_ AND distance IN (1, 2, 4) GROUP BY person")
} 0, 1;
is(join("\n", ratio_violations(1, @shared)), '', 'pooled levels respect the largest epsilon');
my @alone = map {
	numbers("SELECT concat_ws(',', dp_count(1), dp_count(0.5), dp_count(0.25)) FROM facts "
		  . "WHERE world = $_ GROUP BY person")
} 0, 1;
ok(scalar ratio_violations(1, @alone), 'negative control: pooled independent answers do not');
is(join("\n", ratio_violations(1.75, @alone)), '', 'but the sum of their epsilons');
ok(scalar ratio_violations(0.5, @shared), 'negative control: the largest epsilon is not half of it');

cmp_ok($bounds * FAILURE, '<=', 1e-9, "$bounds bounds, each of which fails with probability 1e-15");
done_testing();

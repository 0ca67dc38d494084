# Draws of every aggregate over tables that have the same rows in different places: of one law. And where one of them
# has other rows: of another.
package AnswerLaws;

use strict;
use warnings FATAL => 'all';

use AnswerMatrix;
use Exporter 'import';
use List::Util qw(max min uniq);
use Test::More;

our @EXPORT = qw(law_rows compare_laws);

use constant {
	CALLS => 250,    # in one statement
	EPSILON => 2,
	FAILURE => 1e-9,    # of a whole run
	MANY => 5000,    # draws, of which all see what another law is
};

# Few rows, most of different values, so that what is near the ranks of order statistics is known to them.
sub law_rows
{
	my ($first, $last) = @_;
	return "SELECT i % 3, i % 5, i / 16 * 7 % 37 FROM generate_series($first, $last) i WHERE i % 16 = 0";
}

# --- draws ------------------------------------------------------------------------------------------------------

# Calls of one aggregate that are draws of their own, as each has another epsilon in a late digit: the same ones for
# each table.
sub calls
{
	my ($call, $count) = @_;
	return map {
		my $epsilon = sprintf '%.12g', EPSILON * (1 + $_ * 1e-9);
		$call =~ s/1e15/$epsilon/r =~ s/\b0[.]0001\b/1e-12/r
	} 1 .. $count;
}

# Of some ten rows, half of the time.
my $kept = 'dp_keep_group(1e15, 1e-9)';

# name | whether it asks of each aggregate | the statement, of a table and calls
my @shapes = (
	[ 'plain', 1, sub { my ($table, @calls) = @_; return "SELECT '', " . join(', ', @calls) . " FROM $table" } ],
	[ 'GROUP BY', 1, sub {
		my ($table, @calls) = @_;
		return 'SELECT g, ' . join(', ', @calls) . " FROM $table GROUP BY g"
	} ],
	[ 'kept groups', 0, sub {
		my ($table, @calls) = @_;
		return "SELECT '', " . join ', ', map {
			"(SELECT coalesce(sum(1 << d), 0) FROM (SELECT d FROM $table GROUP BY d HAVING $_) q)"
		} @calls
	} ],);

# So many answers to each question: that about a group, and of a histogram each bucket.
sub draws
{
	my ($session, $call, $shape, $times, $table) = @_;
	my %drawn;
	for (my $left = $times; $left > 0; $left -= CALLS)
	{
		foreach my $row (split /\n/, $session->value($shape->[2]->($table, calls($call, min(CALLS, $left)))))
		{
			my ($group, @answers) = split /[|]/, $row, -1;
			foreach my $answer (@answers)
			{
				my @parts = $answer =~ /^\{(.*)\}$/ ? split /,/, $1 : ($answer);
				push @{ $drawn{"$group $_"} }, $parts[$_] foreach 0 .. $#parts;
			}
		}
	}
	return \%drawn;
}

# --- distances --------------------------------------------------------------------------------------------------

# The greatest distance of two empirical distributions, where NULL comes before all numbers.
sub distance
{
	my ($one, $other) = @_;
	my %steps;
	$steps{ $_ eq '' ? -9e99 : $_ + 0 } += 1 / @$one foreach @$one;
	$steps{ $_ eq '' ? -9e99 : $_ + 0 } -= 1 / @$other foreach @$other;
	my ($sum, $greatest) = (0, 0);
	foreach my $value (sort { $a <=> $b } keys %steps)
	{
		$sum += $steps{$value};
		$greatest = max($greatest, abs $sum);
	}
	return $greatest;
}

# Those of one law are farther apart than this with a probability of FAILURE at most in one of all comparisons (Wei and
# Dudley, Two-sample Dvoretzky-Kiefer-Wolfowitz inequalities, 2012: of samples of any one size).
sub limit { my ($draws, $comparisons) = @_; return sqrt((1 + log($comparisons / FAILURE)) / $draws) }

# --- comparisons ------------------------------------------------------------------------------------------------

sub protect
{
	my ($super, $table) = @_;
	$super->value("SELECT idp.protect('$table', 1e24, rows => 'hidden', delta => 0.9), "
		  . "idp.set_domain('$table', 'g', ARRAY[0, 1, 2, 3, 4])");
	return;
}

# Takes a record of ElsewhereTest. change: statements of the owner's by their names, after each of which the second
# table is compared with what the first one was: `noticed` of a hundred questions, or more, tell the two apart
# by many draws.
sub compare_laws
{
	my ($given, $draws, @changes) = @_;
	my ($super, $sessions, $tables) = @$given{qw(super sessions tables)};
	my ($first, $changed) = @$tables;
	my @questions = map { my $shape = $_; map { [ $_, $shape ] } $shape->[1] ? calls_of_all($super) : $kept } @shapes;
	protect($super, $_) foreach @$tables;
	my (%own, @compared);
	my $compare = sub {
		my ($table, $change) = @_;
		foreach my $question (@questions)
		{
			my ($call, $shape) = @$question;
			my $name = "$shape->[0], $call";
			my $drawn = draws($sessions->{analyst}, $call, $shape, $draws, $table);
			$own{$name} //= $drawn;
			my @of = uniq sort(keys %$drawn), keys %{ $own{$name} };
			is(join(' ', uniq map { scalar @{ $_ // [] } } @$drawn{@of}, @{ $own{$name} }{@of}), $draws,
				"$name over $table: draws");
			push @compared, { name => $name, shape => $shape->[0], table => $table, change => $change,
				distances => [ map { distance($own{$name}{$_}, $drawn->{$_}) } @of ] } if $table ne $first;
		}
	};
	$compare->($_, '') foreach @$tables;
	my $comparisons = map { @{ $_->{distances} } } @compared;
	my $limit = limit($draws, $comparisons);
	diag sprintf '%d draws each, %d comparisons: of one law farther apart than %.4f once in %.0e runs', $draws,
	  $comparisons, $limit, 1 / FAILURE;
	foreach my $change (@changes)
	{
		$sessions->{owner}->value($change->{sql} =~ s/%T/$changed/gr);
		$compare->($changed, $change->{name});
	}
	my (%summary, %noticed);
	foreach my $one (@compared)
	{
		my $greatest = max @{ $one->{distances} };
		if (!$one->{change}) { cmp_ok($greatest, '<', $limit, "$one->{name}: one law over $first and $one->{table}") }
		elsif ($greatest > $limit) { ++$noticed{ $one->{change} } }
		push @{ $summary{ sprintf '%-10s %-24s %-12s', @$one{qw(table change shape)} } }, $greatest;
		note sprintf '%s over %s %s: %.4f', @$one{qw(name table change)}, $greatest;
	}
	foreach my $change (@changes)
	{
		my $enough = @questions * $change->{noticed} / 100 * ($draws < MANY ? 0.6 : 1);
		cmp_ok($noticed{ $change->{name} } // 0, '>=', $enough, "$change->{name}: noticed");
	}
	diag sprintf '%-48s %9s %9s %9s %9s', 'greatest distances', 'questions', 'least', 'greatest', 'noticed';
	foreach my $key (sort keys %summary)
	{
		my @all = @{ $summary{$key} };
		diag sprintf '%-48s %9d %9.4f %9.4f %9d', $key, scalar @all, min(@all), max(@all), scalar grep { $_ > $limit }
		  @all;
	}
	return;
}

1;

# Random statements asked in both worlds (FuzzWorlds), and compared. Whatever was not charged must be the same in both,
# byte for byte: rows, errors, messages, EXPLAIN. Of what was charged, all but the answers: the charges themselves, how
# many rows, their public keys in order, types, errors, messages, EXPLAIN.
package FuzzComparison;

use strict;
use warnings FATAL => 'all';

use Test::More;
use Time::HiRes qw(time);

# worlds: connections; name and seed: what messages say.
sub new
{
	my ($class, %given) = @_;
	return bless { %given, map({ $_ => 0 } qw(told lucky slow apart)),
		seen => { total => 0, charged => 0, refused => 0 }, plans => {} }, $class;
}

# Whether what came of runs in each world differs by more than noise. A difference that is not of one world
# alone in all runs, nor another one in nearly each, is noise: where rows depend on answers, and in answers over
# no table at all, which are free.
sub differ
{
	my (@runs) = @_;
	foreach my $what ('told', 'outline')
	{
		my @kinds = map { my %kinds = map { $_->{$what} => 1 } @$_; \%kinds } @runs;
		return 0 if grep { $kinds[1]{$_} } keys %{ $kinds[0] };
		return 1 if grep { keys %{ $kinds[$_] } <= @{ $runs[$_] } / 2 } 0, 1;
	}
	return 1;
}

sub differ_in
{
	my ($self, $statement, $way, $times) = @_;
	return differ(map { my $world = $_; [ map { $world->$way($statement) } 1 .. $times ] } @{ $self->{worlds} });
}

# Whether a statement tells the worlds apart: asked again, or in a connection that was not asked before. Ten
# answers may differ from ten others by chance, forty from forty do not.
sub tells
{
	my ($self, $statement) = @_;
	foreach my $way ('run', 'run_first')
	{
		return 1 if $self->differ_in($statement, $way, 10) && $self->differ_in($statement, $way, 40);
	}
	return 0;
}

# Lines that one text has more often than the other, without bytes that are no text.
sub only_lines
{
	my ($one, $other) = @_;
	my %times;
	$times{$_}++ foreach split /\n/, $one;
	$times{$_}-- foreach split /\n/, $other;
	return map { ($times{$_} > 0 ? '+ ' : '- ') . s/[^ -~]/./gr } grep { $times{$_} } sort keys %times;
}

sub compare
{
	my ($self, $number, $statement, @outcomes) = @_;
	my ($one, $other) = @outcomes;
	if (grep { ($_->{sqlstate} // '') eq '57014' } @outcomes) { $self->{slow}++; return }
	$self->{seen}{total}++;
	$self->{seen}{ defined $one->{sqlstate} ? 'refused' : 'answered' }++;
	$self->{seen}{charged}++ if $one->{charge};
	$self->{seen}{"error $one->{sqlstate}"}++ if defined $one->{sqlstate};
	$self->{seen}{equal}++ if $one->{text} eq $other->{text};
	# What is compiled with the first row that meets it is told by EXPLAIN ANALYZE, and by the time. Rows of p
	# are no secret.
	if ($one->{charge} && $one->{text} =~ /^row <JIT:/m && $statement->{sql} !~ /\bp\b/)
	{
		$self->{told}++;
		fail("$self->{name}, seed $self->{seed}, statement $number tells the worlds apart, "
			  . "as it compiles expressions over hidden rows: $statement->{sql}");
		return;
	}
	return if $one->{told} eq $other->{told};
	# What was spent shows in budgets: where charges follow answers, or a statement was too slow in one
	# world, that differs.
	if ($statement->{sql} =~ /idp\.budget/ && $one->{spent} ne $other->{spent}) { $self->{apart}++; return }
	unless ($self->tells($statement))
	{
		note join "\n", "by noise: $statement->{sql}", only_lines($one->{told}, $other->{told})
		  if $self->{lucky}++ < 10;
		return;
	}
	$self->{told}++;
	fail("$self->{name}, seed $self->{seed}, statement $number tells the worlds apart: $statement->{sql}"
		  . ($statement->{parameters} ? " with @{ $statement->{parameters} }" : ''));
	diag "$_->{charge}|$_->{effects}|$_->{text}" foreach @outcomes;
}

# Which kinds of nodes plans have that were approved.
sub note_plan
{
	my ($self, $statement) = @_;
	my $plan = $self->{worlds}[0]->run_first({ sql => "EXPLAIN (COSTS OFF) $statement->{sql}" });
	foreach (map { $_->[0] } @{ $plan->{rows} })
	{
		$self->{plans}{$1}++ if /^(?:  SubPlan.*|  InitPlan.*|\s*->\s+)?((?:[A-Z][A-Za-z]+ ?)+?)(?: using| on|$| \()/
		  && !/^\s*(?:SubPlan|InitPlan|CTE|Filter|Sort Key|Group Key)/;
	}
}

# The outcomes of some statements in each world, after so many others, which are on their way together but for those
# that have a rival.
sub outcomes_of
{
	my ($self, $before, @block) = @_;
	my @worlds = @{ $self->{worlds} };
	my @outcomes;
	my $has_all = eval {
		my @waiting = grep { !$block[$_]{rival} } 0 .. $#block;
		foreach my $world (@worlds) { $world->start($block[$_]) foreach @waiting }
		foreach my $place (@waiting) { $outcomes[$place] = [ map { $_->finish($block[$place]) } @worlds ] }
		foreach my $place (grep { $block[$_]{rival} } 0 .. $#block)
		{
			$outcomes[$place] = [ map { $_->run($block[$place]) } @worlds ];
		}
		1;
	};
	return @outcomes if $has_all;
	my ($place) = grep { @{ $outcomes[$_] // [] } < 2 } 0 .. $#block;
	fail("$self->{name}, seed $self->{seed}, statement "
		  . ($before + $place + 1) . " ends the session: $block[$place]{sql}");
	diag $@;
	return;
}

# Asks so many statements, each made by a function; the test fails if one of them tells the worlds apart.
sub compare_all
{
	my ($self, $statements, $make) = @_;
	my ($seen, $begin, $number) = ($self->{seen}, time, 0);
	while ($number < $statements && $self->{told} < 3)
	{
		my $left = $statements - $number;
		my @block = map { $make->() } 1 .. ($left < 16 ? $left : 16);
		my @outcomes = $self->outcomes_of($number, @block) or last;
		$self->compare(++$number, $block[$_], @{ $outcomes[$_] }) foreach 0 .. $#block;
		foreach (0 .. $#block)
		{
			$self->note_plan($block[$_]) if $block[$_]{plain} && $outcomes[$_][0]{charge} && rand() < 0.1;
		}
		note sprintf '%d statements, %.0f a second, %d charged, %d told', $number, $number / (time - $begin),
		  $seen->{charged}, $self->{told} if $number % 8000 < 16;
	}
	is($self->{told}, 0, "$self->{name}: no statement of $statements tells the worlds apart");
	is($number, $statements, "$self->{name}: all were asked") unless $self->{told};
	note sprintf '%s: %d statements in %.0f s; %d different by noise alone, %d too slow, %d of budgets that differ',
	  $self->{name}, $number, time - $begin, @$self{qw(lucky slow apart)};
	note join ', ', map { sprintf '%s: %d (%.1f %%)', $_, $seen->{$_}, 100 * $seen->{$_} / ($seen->{total} || 1) }
	  sort keys %$seen;
	note 'nodes of plans that were approved: ', join ', ', map { "$_ $self->{plans}{$_}" }
	  sort keys %{ $self->{plans} };
	cmp_ok($self->{slow} + $self->{lucky}, '<', $seen->{total} / 20, "$self->{name}: few could not be judged");
	return;
}

1;

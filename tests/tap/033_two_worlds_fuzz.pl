# Two worlds: random statements of an analyst (FuzzStatements), run against two databases that differ in one
# row of a hidden table and one person of another (FuzzWorlds). Whatever was not charged must be the same in both,
# byte for byte: rows, errors, messages, EXPLAIN. Of what was charged, all but the answers: the charges
# themselves, how many rows, their public keys in order, types, errors, messages, EXPLAIN.
#
#   IDP_FUZZ_STATEMENTS   how many (3000)
#   IDP_FUZZ_SEED         where to begin (1); also which row differs, and how
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use FuzzExpressions qw(learn_functions);
use FuzzStatements qw(statement);
use FuzzWorlds;
use IdpTest;
use Test::More;
use Time::HiRes qw(time);

my $statements = $ENV{IDP_FUZZ_STATEMENTS} // 3000;
my $seed = $ENV{IDP_FUZZ_SEED} // 1;

# Functions of the server whose value is one of its arguments alone.
my $functions = <<'SQL';
SELECT p.proname, array_to_string(ARRAY(SELECT t.typname FROM unnest(p.proargtypes) WITH ORDINALITY a (type, place) JOIN pg_type t ON t.oid = a.type ORDER BY place), ' '), r.typname
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type r ON r.oid = p.prorettype
WHERE p.prokind = 'f' AND NOT p.proretset AND p.pronargs > 0 AND p.provolatile <> 'v' AND p.proname ~ '^[a-z]' AND p.proname !~ '^(pg_|current_|has_)'
  AND n.nspname = 'pg_catalog' ORDER BY 1, 2
SQL

# Plain aggregates are those of 100_plain_worlds.pl: here HAVING count(*) over no rows, which is noise for nothing, would differ.
my $node = new_node('fuzz', 'idp.rewrite = off', 'jit = off', 'max_connections = 30', 'max_parallel_workers_per_gather = 0', "session_preload_libraries = 'idp'", "statement_timeout = '20s'", 'synchronous_commit = off');
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN; ALTER ROLE analyst SET client_min_messages = debug1');
my @worlds = FuzzWorlds::worlds($node, $seed - 1);
my $known = learn_functions([ map { [ split /\|/ ] } split /\n/, $node->safe_psql('world_0', $functions) ]);

my ($told, $lucky, $slow, $apart) = (0, 0, 0, 0);
my (%seen, %plans);

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

sub differ_in { my ($statement, $way, $times) = @_; return differ(map { my $world = $_; [ map { $world->$way($statement) } 1 .. $times ] } @worlds) }

# Whether a statement tells the worlds apart: asked again, or in a connection that was not asked before. Ten
# answers may differ from ten others by chance, forty from forty do not.
sub tells
{
	my ($statement) = @_;
	foreach my $way ('run', 'run_first') { return 1 if differ_in($statement, $way, 10) && differ_in($statement, $way, 40) }
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
	my ($number, $statement, @outcomes) = @_;
	my ($one, $other) = @outcomes;
	if (grep { ($_->{sqlstate} // '') eq '57014' } @outcomes) { $slow++; return }
	$seen{total}++;
	$seen{ defined $one->{sqlstate} ? 'refused' : 'answered' }++;
	$seen{charged}++ if $one->{charge};
	$seen{"error $one->{sqlstate}"}++ if defined $one->{sqlstate};
	$seen{equal}++ if $one->{text} eq $other->{text};
	return if $one->{told} eq $other->{told};
	# What was spent shows in budgets: where charges follow answers, or a statement was too slow in one world, that differs.
	if ($statement->{sql} =~ /idp\.budget/ && $one->{spent} ne $other->{spent}) { $apart++; return }
	unless (tells($statement))
	{
		note join "\n", "by noise: $statement->{sql}", only_lines($one->{told}, $other->{told}) if $lucky++ < 10;
		return;
	}
	$told++;
	fail("seed $seed, statement $number tells the worlds apart: $statement->{sql}" . ($statement->{parameters} ? " with @{ $statement->{parameters} }" : ''));
	diag "$_->{charge}|$_->{effects}|$_->{text}" foreach @outcomes;
}

# Which kinds of nodes plans have that were approved.
sub note_plan
{
	my ($statement) = @_;
	my $plan = $worlds[0]->run_first({ sql => "EXPLAIN (COSTS OFF) $statement->{sql}" });
	foreach (map { $_->[0] } @{ $plan->{rows} })
	{
		$plans{$1}++ if /^(?:  SubPlan.*|  InitPlan.*|\s*->\s+)?((?:[A-Z][A-Za-z]+ ?)+?)(?: using| on|$| \()/ && !/^\s*(?:SubPlan|InitPlan|CTE|Filter|Sort Key|Group Key)/;
	}
}

# Some statements are on their way while others are looked at.
srand $seed;
my $begin = time;
my $number = 0;
my $block = 16;
while ($number < $statements && $told < 3)
{
	my @block = map { statement($major) } 1 .. ($statements - $number < $block ? $statements - $number : $block);
	my @outcomes;
	my $ended = !eval {
		my @waiting = grep { !$block[$_]{rival} } 0 .. $#block;
		foreach my $world (@worlds) { $world->start($block[$_]) foreach @waiting }
		foreach my $place (@waiting) { $outcomes[$place] = [ map { $_->finish($block[$place]) } @worlds ] }
		foreach my $place (grep { $block[$_]{rival} } 0 .. $#block) { $outcomes[$place] = [ map { $_->run($block[$place]) } @worlds ] }
		1;
	};
	if ($ended)
	{
		my ($place) = grep { @{ $outcomes[$_] // [] } < 2 } 0 .. $#block;
		fail("seed $seed, statement " . ($number + $place + 1) . " ends the session: $block[$place]{sql}");
		diag $@;
		last;
	}
	compare(++$number, $block[$_], @{ $outcomes[$_] }) foreach 0 .. $#block;
	foreach (0 .. $#block) { note_plan($block[$_]) if $block[$_]{plain} && $outcomes[$_][0]{charge} && rand() < 0.1 }
	note sprintf '%d statements, %.0f a second, %d charged, %d told', $number, $number / (time - $begin), $seen{charged} // 0, $told if $number % 8000 < $block;
}
is($told, 0, "no statement of $statements tells the worlds apart");
note sprintf '%d statements with %d functions of the server in %.0f s; %d different by noise alone, %d too slow, %d of budgets that differ', $number, $known, time - $begin, $lucky, $slow, $apart;
note join ', ', map { sprintf '%s: %d (%.1f %%)', $_, $seen{$_}, 100 * $seen{$_} / $seen{total} } sort keys %seen;
note 'nodes of plans that were approved: ', join ', ', map { "$_ $plans{$_}" } sort keys %plans;
cmp_ok($seen{charged}, '>', $seen{total} / 4, 'many were charged');
cmp_ok($seen{refused}, '>', $seen{total} / 10, 'some were refused');
cmp_ok($slow + $lucky, '<', $seen{total} / 20, 'few could not be judged');
done_testing();

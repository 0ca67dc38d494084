# Units: random queries (UnitGrammar), each charged in one database and run natively in several that differ in all
# that belongs to one unit (UnitWorlds). What is charged for each epsilon is the m that is claimed of the rows: those in
# which any two databases differ must be no more. And the unit must not move the answer without noise by more than m
# times what one row does.
#
#   IDP_UNIT_TRIED     how many are tried (3000)
#   IDP_UNIT_QUERIES   end earlier, after so many that are answered
#   IDP_UNIT_SEED      where to begin (1)
#   IDP_UNIT_STOP      end with the first that is wrong
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;
use Time::HiRes qw(time);
use UnitGrammar qw(question);
use UnitWorlds;

my $most_tried = $ENV{IDP_UNIT_TRIED} // 3000;
my $most_answered = $ENV{IDP_UNIT_QUERIES} // $most_tried;
my $seed = $ENV{IDP_UNIT_SEED} // 1;
srand $seed;

my $node = new_node('units', 'fsync = off', 'synchronous_commit = off', 'jit = off', "statement_timeout = '60s'");
my $s = session($node);
my $has_collations = $s->value("SELECT count(*) FROM pg_collation WHERE collprovider = 'i'") > 0;
$s->value(UnitWorlds::setup($has_collations));
$s->{quiet} = 1;

my @settings = (
	'', '',
	'SET enable_hashjoin = off;',
	'SET enable_hashjoin = off; SET enable_mergejoin = off;',
	'SET enable_hashjoin = off; SET enable_nestloop = off;',
	'SET enable_mergejoin = off; SET enable_hashjoin = off; SET enable_seqscan = off;',
	'SET enable_mergejoin = off; SET enable_hashjoin = off; SET enable_material = off; SET enable_memoize = off; '
	  . 'SET enable_seqscan = off; SET enable_bitmapscan = off;',
	'SET enable_hashagg = off;',
	'SET enable_hashagg = off; SET enable_hashjoin = off; SET enable_indexscan = off;',
	'SET enable_sort = off; SET enable_seqscan = off;',
	'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	  . 'SET max_parallel_workers_per_gather = 2;');

# What comes of some questions, [ charged, changed, moved, state, message ] each, in one round trip. One that takes too
# long, or fails, ends all of them: then each is asked by itself. Now and then one is asked that idp.cost refuses.
sub judge
{
	my (@questions) = @_;
	my @parts = qw(query filter private by value shown exact);
	my $list = join ",\n", map {
		my $number = $_;
		'(' . join(', ', $number, map { "\$q\$$_\$q\$" } @{ $questions[$number] }{@parts}) . ')'
	} 0 .. $#questions;
	my $judged = join ', ', @parts, 'number % 16 = 0';
	my $columns = join ', ', (map { "coalesce($_\::text, '')" } qw(charged changed moved state)),
	  "replace(message, E'\\n', ' ')";
	my $r = $s->run("SELECT concat_ws('|', $columns) FROM (VALUES $list) v (number, " . join(', ', @parts)
		  . ") CROSS JOIN LATERAL judge($judged) ORDER BY number");
	return map { [ split /\|/, $_, 5 ] } split /\n/, $r->{out} unless defined $r->{sqlstate};
	return [ '', '', '', $r->{sqlstate}, $r->{message} ] if @questions == 1;
	return map { judge($_) } @questions;
}

my %seen = map { $_ => 0 } qw(tried answered reached wrong slow);
my (%refused, %charged, %steps);

sub look_at
{
	my ($question, $settings, $charged, $changed, $moved, $state, $message) = @_;
	++$seen{tried};
	my $wrong = sub {
		my ($what) = @_;
		diag "seed $seed, query $seen{tried}, $seen{answered} answered: $what: "
		  . "SELECT $question->{private} FILTER (WHERE $question->{filter}) FROM ($question->{query}) q"
		  . ($question->{by} ? " GROUP BY $question->{by}" : '') . "\nwith: $settings" if ++$seen{wrong} <= 20;
	};
	if ($state eq '57014') { ++$seen{slow}; return }
	if ($state =~ /^(?:0A000|42P10|42501|42601)$/)
	{
		++$refused{ $message =~ s/.* cannot be computed over //r };
		return;
	}
	if ($state ne '') { $wrong->("$state $message"); return }
	++$seen{answered};
	$steps{$_}++ foreach @{ $question->{steps} };
	++$charged{$charged};
	++$seen{reached} if $changed == $charged;
	my @more;
	# rows that have one value count once there
	push @more, "$changed rows change" if $changed > $charged && $question->{private} !~ /distinct/;
	push @more, "the answer moves by $moved" if $moved > $charged * $question->{sensitivity};
	$wrong->("charged $charged, but " . join(', ', @more)) if @more;
	return;
}

my $begin = time;
while ($seen{tried} < $most_tried && $seen{answered} < $most_answered && !($ENV{IDP_UNIT_STOP} && $seen{wrong}))
{
	$s->value(UnitWorlds::fill_worlds()) if $seen{tried} % 800 == 0;
	my $settings = $settings[ int rand @settings ];
	$s->value("RESET ALL; $settings");
	my @questions = map { question($has_collations) } 1 .. 40;
	my @outcomes = judge(@questions);
	look_at($questions[$_], $settings, @{ $outcomes[$_] }) foreach 0 .. $#questions;
}
note sprintf 'seed %d: %s; %.0f s', $seed, join(', ', map { "$seen{$_} $_" } qw(tried answered reached wrong slow)),
  time - $begin;
note "refused, $_: $refused{$_}" foreach sort { $refused{$b} <=> $refused{$a} || $a cmp $b } keys %refused;
note 'charged ', join ', ', map { "$_: $charged{$_}" } sort { $a <=> $b } keys %charged;
note 'answered with ', join ', ', map { "$_: $steps{$_}" } sort keys %steps;
is($seen{wrong}, 0, 'no unit changes more than is charged for');
cmp_ok($seen{answered}, '>', $seen{tried} / 20, "$seen{answered} random queries of $seen{tried} are answered");
cmp_ok($seen{reached}, '>', $seen{answered} / 4, "what is charged for is reached by $seen{reached} of them");
cmp_ok($seen{slow}, '<', $seen{tried} / 100, 'few could not be judged');
done_testing();

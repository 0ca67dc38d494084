# Answers that repeat, in two databases that differ in one person and all her orders, and in one event: random plain
# statements, some with margins, are asked, asked again, refined for more epsilon, and asked as they were. What is
# charged, what is refused, the margins, what the owner sees of kept answers and their sizes are the same in both. An
# answer that was given is given again.
#
#   IDP_KEPT_QUERIES   how many (400)
#   IDP_KEPT_SEED      of the random choices
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainWorlds;
use Test::More;

my $queries = $ENV{IDP_KEPT_QUERIES} // 400;
my $seed = $ENV{IDP_KEPT_SEED} // 1;
srand $seed;
note "IDP_KEPT_SEED=$seed";

my $node = new_node('kept_worlds', 'jit = off', 'fsync = off', 'autovacuum = off', "shared_preload_libraries = 'idp'",
	"timezone = 'UTC'");
my @worlds = plain_worlds($node, '1 day');

# In both worlds: what it gives, or its error; and by how much the accounts have grown.
sub asked
{
	my ($sql) = @_;
	my @before = map { spent_in($_) } @worlds;
	$_->{analyst}->start($sql) foreach @worlds;
	my @got = map { $_->{analyst}->finish } @worlds;
	my @charged = map {
		my @b = split / /, $before[$_];
		my @n = split / /, spent_in($worlds[$_]);
		sprintf '%.9f %.12f', $n[0] - $b[0], $n[1] - $b[1]
	} 0, 1;
	return map { { charged => $charged[$_], out => $got[$_]{out}, error => defined $got[$_]{sqlstate}
		  ? "$got[$_]{sqlstate} $got[$_]{message}" : '' } } 0, 1;
}

# The columns of margins, in whatever order the rows come.
sub margins
{
	my ($count, $out) = @_;
	return join "\n", sort map { my @cells = split /\|/, $_, -1; join '|', @cells[ @cells - $count .. $#cells ] }
	  split /\n/, $out;
}

# What the owner may see of what is kept, but for the answers, and what everybody may of sizes, but for that of the
# answers as texts, and of the index by digests of questions, which are others in each database: pages are split as
# these come.
sub kept
{
	my ($world) = @_;
	return split /\n/, $world->{superuser}->value("SELECT concat_ws(' ', epsilons, columns, margin, cost) "
		  . "FROM idp.answers ORDER BY question, at, epsilons")
	  . "\n" . $world->{superuser}->value("SELECT relname || ' ' || pg_relation_size(oid) FROM pg_class "
		  . "WHERE relnamespace = 'idp'::regnamespace AND relkind IN ('r', 'i') "
		  . "AND relname NOT IN ('answer', 'answer_key') ORDER BY 1");
}

my %seen = map { $_ => 0 } qw(answered refused again finer margins);
my @wrong;
foreach my $number (1 .. $queries)
{
	my $with_margins = rand() < 0.5;
	my $sql = plain_statement(margins => $with_margins);
	# answers about no rows are free, and drawn each time
	my $has_noise = $sql =~ /1 = 0|IS NULL|false/;
	# which rows are shown depends on answers
	my $is_chosen = $sql =~ /HAVING|LIMIT|count\(\*\) FROM \(SELECT|EXPLAIN|\) q WHERE|> \(SELECT avg/;
	my $problem = sub {
		my ($what, @details) = @_;
		push @wrong, $sql;
		diag "$what: $sql\n" . join("\n---\n", map { substr $_, 0, 1500 } @details) if @wrong <= 10;
	};
	my @first = asked($sql);
	$is_chosen ||= $first[0]{charged} !~ / 0\.0+$/;    # and so it does where groups are kept at a delta
	$problem->('charged', map { $_->{charged} } @first) if $first[0]{charged} ne $first[1]{charged};
	# what is computed of the rows that answers choose may fail for one of them
	my $fails = $is_chosen && join('', map { $_->{error} } @first) eq '22012 division by zero';
	$problem->('refused', map { $_->{error} } @first) if $first[0]{error} ne $first[1]{error} && !$fails;
	if (grep { $_->{error} ne '' } @first) { ++$seen{refused}; next }
	my $is_free = $first[0]{charged} =~ /^0\.0+ /;
	++$seen{answered} unless $is_free;
	my $ends_otherwise = $sql =~ /FROM v, u\b/;    # margins are no last columns
	if ($with_margins && !$is_chosen && !$ends_otherwise && (my $count = () = $sql =~ /idp\.margin/g))
	{
		my @margins = map { margins($count, $_->{out}) } @first;
		++$seen{margins};
		$problem->('margins', @margins) if $margins[0] ne $margins[1];
	}
	next if $has_noise || $is_free || $sql =~ /now\(\)/;    # another instant is another question
	# a cast of columns by DateStyle, or windows over the months of a person, beside a comparison with an answer
	# do not repeat
	next if $sql =~ /a::date.*> \(SELECT avg|lag\(m\).*> \(SELECT/;

	my @again = asked($sql);
	++$seen{again};
	$problem->('again', $again[$_]{charged}, $first[$_]{out}, $again[$_]{out} . $again[$_]{error})
	  foreach grep { $again[$_]{charged} !~ /^0\.0+ 0\.0+$/ || $again[$_]{out} ne $first[$_]{out} } 0, 1;
	next if rand() < 0.7;
	$_->{analyst}->value('SET idp.epsilon = 0.7') foreach @worlds;
	my @finer = asked($sql);
	my @finest = asked($sql);
	$_->{analyst}->value('SET idp.epsilon = 0.3') foreach @worlds;
	++$seen{finer};
	$problem->('finer', map { "$_->{charged} $_->{error}" } @finer)
	  if $finer[0]{charged} ne $finer[1]{charged} || $finer[0]{error} ne $finer[1]{error};
	$problem->('finer again', $finest[$_]{charged}, $finer[$_]{out}, $finest[$_]{out})
	  foreach grep { $finest[$_]{charged} !~ /^0\.0+ 0\.0+$/ || $finest[$_]{out} ne $finer[$_]{out} } 0, 1;
}
is(scalar @wrong, 0, "the same of both worlds, and given again: $queries statements");
cmp_ok($seen{again}, '>', $queries / 8,
	"answered $seen{answered}, again $seen{again}, finer $seen{finer}, margins $seen{margins}, refused $seen{refused}");
cmp_ok($seen{margins}, '>', $queries / 20, 'margins are compared');
cmp_ok($seen{finer}, '>', $queries / 50, 'answers are refined');
my @kept = map { [ kept($_) ] } @worlds;
is_deeply($kept[0], $kept[1], 'what is kept, by its owner and by its size');
cmp_ok(scalar @{ $kept[0] }, '>', $queries / 8, '... is not nothing');

done_testing();

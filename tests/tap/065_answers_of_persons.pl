# Answers about persons are those of the rows that are there: random queries (UnitGrammar) of a role that rows are
# hidden from, with next to no noise, and the same by native aggregates of their owner, under settings that lead to all
# kinds of plans. What is hidden is executed with gates, twins, kept tables and CTEs that are read beforehand; none of
# that may change what comes of it.
#
#   IDP_ANSWERS_TRIED   how many are tried (2500)
#   IDP_ANSWERS_SEED    where to begin (1)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;
use UnitGrammar qw(question);
use UnitWorlds;

my $most_tried = $ENV{IDP_ANSWERS_TRIED} // 2500;
my $seed = $ENV{IDP_ANSWERS_SEED} // 1;
srand $seed;

my $node = new_node('answers_of_persons', 'fsync = off', 'synchronous_commit = off', 'jit = off',
	"shared_preload_libraries = 'idp'", "statement_timeout = '60s'");
my $s = session($node);
my $has_collations = $s->value("SELECT count(*) FROM pg_collation WHERE collprovider = 'i'") > 0;
$s->value(UnitWorlds::setup($has_collations));
$s->value(<<'SQL');
SELECT idp.protect('w1.customers', 1e15, 'add_remove', rows => 'hidden', unit => 'id');
CREATE ROLE analyst;
GRANT USAGE ON SCHEMA w1 TO analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA w1, public TO analyst;
-- the answer to a statement, or why there is none
CREATE FUNCTION answer(statement text, OUT answer text, OUT state text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement INTO answer;
EXCEPTION WHEN OTHERS THEN
  state := sqlstate;
END
$$;
SQL
my $a = session($node);
$_->{quiet} = 1 foreach $s, $a;

my @settings = ('', 'SET enable_hashjoin = off; SET enable_mergejoin = off',
	'SET enable_hashjoin = off; SET enable_nestloop = off',
	'SET enable_mergejoin = off; SET enable_hashjoin = off; SET enable_seqscan = off',
	'SET enable_mergejoin = off; SET enable_hashjoin = off; SET enable_material = off; SET enable_memoize = off; '
	  . 'SET enable_seqscan = off; SET enable_bitmapscan = off', 'SET enable_hashagg = off',
	'SET enable_sort = off; SET enable_seqscan = off',
	'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	  . 'SET max_parallel_workers_per_gather = 2');

# Several statements in one round trip, [ answer, state ] each.
sub answers
{
	my ($session, @statements) = @_;
	my $list = join ",\n", map { "($_, \$q\$$statements[$_]\$q\$)" } 0 .. $#statements;
	my $r = $session->run("SELECT concat_ws('|', coalesce(a.answer, ''), coalesce(a.state, '')) "
		  . "FROM (VALUES $list) v (number, statement) CROSS JOIN LATERAL public.answer(statement) a ORDER BY number");
	die $r->{message} if defined $r->{sqlstate};
	return map { [ split /\|/, $_, 2 ] } split /\n/, $r->{out};
}

my ($tried, $answered, %odd, @wrong, %steps) = (0, 0);
while ($tried < $most_tried)
{
	$s->value(UnitWorlds::fill_worlds()) if $tried % 1000 == 0;
	my $settings = $settings[ int rand @settings ];
	my $role = 'SET search_path = w1, public';
	$s->value("RESET ALL; $role; $settings");
	$a->value("RESET ROLE; RESET ALL; $role; $settings; SET ROLE analyst");
	my @questions = map { question($has_collations) } 1 .. 50;
	foreach my $q (@questions)
	{
		$q->{filter} = rand() < 0.3 ? 'q.k IS NOT NULL' : 'true';
		# also a CTE that is another for each of some rows
		$q->{query} = "SELECT l.* FROM (SELECT id AS k FROM customers OFFSET 0) c "
		  . "CROSS JOIN LATERAL (WITH z AS MATERIALIZED (SELECT * FROM ($q->{query}) f WHERE f.k = c.k) SELECT k, "
		  . (rand() < 0.5 ? 'u, a, b, v FROM z'
			  : 'max(u) AS u, max(a) AS a, max(b) AS b, max(v) AS v FROM z GROUP BY k') . ' OFFSET 0) l'
		  if rand() < 0.1;
	}
	my @asked = answers($a, map {
		my $private = $_->{private} =~ s/\b1\b/1e6/r;
		"SELECT $private FILTER (WHERE $_->{filter}) FROM ($_->{query}) q"
	} @questions);
	$tried += @questions;
	my @told = grep { $asked[$_][1] eq '' } 0 .. $#questions;
	$odd{$_}++ foreach grep { $_ ne '' && $_ ne '0A000' && $_ ne '42501' } map { $_->[1] } @asked;
	next unless @told;
	my @native = answers($s, map { "SELECT $_->{exact} FROM (SELECT $_->{value} AS x FROM ($_->{query}) q "
		  . "WHERE $_->{filter}) p WHERE x IS NOT NULL" } @questions[@told]);
	foreach my $i (0 .. $#told)
	{
		my ($question, $got, $truth) = ($questions[ $told[$i] ], $asked[ $told[$i] ][0], $native[$i][0]);
		++$answered;
		$steps{$_}++ foreach @{ $question->{steps} };
		next if $native[$i][1] eq '' && $got ne '' && abs($got - ($truth eq '' ? 0 : $truth)) < 0.01;
		push @wrong, "$got for $truth$native[$i][1]: SELECT $question->{private} FILTER (WHERE $question->{filter}) "
		  . "FROM ($question->{query}) q\nwith $settings";
	}
}
note "seed $seed: tried $tried, answered $answered, wrong " . @wrong;
note 'answered with ', join ', ', map { "$_: $steps{$_}" } sort keys %steps;
is(scalar @wrong, 0, 'answers are those of the rows') or diag join "\n", @wrong[ 0 .. ($#wrong < 4 ? $#wrong : 4) ];
is_deeply(\%odd, {}, 'nothing else fails');
cmp_ok($answered, '>', $tried / 25, "$answered of $tried are answered");

# A CTE of an outer row hangs on no node that is shown.
$a->value('RESET ROLE; RESET ALL; SET search_path = w1, public; SET ROLE analyst');
like($a->run("EXPLAIN SELECT (WITH z AS MATERIALIZED (SELECT * FROM customers WHERE nation = n.id) SELECT dp_count(1) "
	  . "FROM z) FROM nations n")->{message} // '', qr/outer|correlated/,
	'an answer for each row of an outer query is refused');
$_->quit foreach $a, $s;
$node->stop;
done_testing();

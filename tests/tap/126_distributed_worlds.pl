# Two worlds in clusters of Citus, where it is installed: random statements of an analyst (FuzzStatements), asked on
# coordinators of two clusters that differ in one row of a hidden table and one person of another (FuzzWorlds), and on
# workers, where shards are named too; compared (FuzzComparison).
#
#   IDP_FUZZ_STATEMENTS   how many (600), a fifth of them on workers
#   IDP_FUZZ_SEED         where to begin (1); also which row differs, and how
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use CitusTest;
use FuzzComparison;
use FuzzStatements qw(statement);
use FuzzWorlds;
use IdpTest;
use Test::More;

plan skip_all => 'Citus is not installed' unless has_citus();

my $statements = $ENV{IDP_FUZZ_STATEMENTS} // 600;
my $seed = $ENV{IDP_FUZZ_SEED} // 1;

my @clusters = map {
	my @nodes = new_cluster("world_$_", 'idp.rewrite = off', 'max_parallel_workers_per_gather = 0',
		"statement_timeout = '60s'", 'synchronous_commit = off');
	$nodes[0]->safe_psql('postgres', 'ALTER ROLE analyst SET client_min_messages = debug1');
	\@nodes;
} 0, 1;
my ($coordinators, $workers) = FuzzWorlds::distributed_worlds(\@clusters, $seed - 1);
my $known = FuzzWorlds::learn_functions_of($clusters[0][0], 'postgres');

srand $seed;
my $on_workers = int($statements / 5);
my $asked = FuzzComparison->new(worlds => $coordinators, name => "on coordinators, $known functions", seed => $seed);
$asked->compare_all($statements - $on_workers, sub { statement($major) });
cmp_ok($asked->{seen}{charged}, '>', $asked->{seen}{total} / 8, 'many were charged');

# A table, or one of its shards, which only this server has.
my %shards;
foreach (split /\n/, $clusters[0][1]->safe_psql('postgres', q[SELECT table_name || ' ' || shard_name FROM citus_shards ]
	  . q[WHERE nodeport = current_setting('port')::int AND table_name::text !~ '[.]']))
{
	my ($table, $shard) = split / /;
	push @{ $shards{$table} }, $shard;
}
my $tables = join '|', sort keys %shards;

sub on_a_worker
{
	my $made = statement($major);    # aliases are in lower case
	delete $made->{rival};    # its table is the coordinator's
	return $made if rand() < 0.4;
	my $shard_of = sub { my $of = $shards{ $_[0] }; return $of->[ rand @$of ] };
	$made->{sql} =~ s/\b(FROM|JOIN|TABLE|UPDATE|INTO) ($tables)\b(?= [a-z])/"$1 " . $shard_of->($2)/ge;
	$made->{sql} =~ s/\b(FROM|JOIN) ($tables)\b/"$1 " . $shard_of->($2) . " AS $2"/ge;
	return $made;
}
my $spent = sub { return $clusters[ $_[0] ][0]->safe_psql('postgres', 'SELECT sum(spent) FROM idp.budget') };
my @before = map { $spent->($_) } 0, 1;
my $apart = FuzzComparison->new(worlds => $workers, name => 'on workers', seed => $seed);
$apart->compare_all($on_workers, \&on_a_worker);
is($spent->($_), $before[$_], "workers charge nothing in world $_") foreach 0, 1;
cmp_ok($apart->{seen}{refused}, '>', $apart->{seen}{total} / 10, 'some were refused');

$_->stop foreach reverse map { @$_ } @clusters;
done_testing();

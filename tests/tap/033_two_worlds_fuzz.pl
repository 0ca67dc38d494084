# Two worlds: random statements of an analyst (FuzzStatements), run against two databases that differ in one
# row of a hidden table and one person of another (FuzzWorlds), and compared (FuzzComparison).
#
#   IDP_FUZZ_STATEMENTS   how many (3000)
#   IDP_FUZZ_SEED         where to begin (1); also which row differs, and how
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use FuzzComparison;
use FuzzStatements qw(statement);
use FuzzWorlds;
use IdpTest;
use Test::More;

my $statements = $ENV{IDP_FUZZ_STATEMENTS} // 3000;
my $seed = $ENV{IDP_FUZZ_SEED} // 1;

# Plain aggregates are those of 100_plain_worlds.pl: here HAVING count(*) over no rows, which is noise for nothing,
# would differ.
my $node = new_node('fuzz', 'idp.rewrite = off', 'jit = off', 'max_connections = 30',
	'max_parallel_workers_per_gather = 0', "session_preload_libraries = 'idp'", "statement_timeout = '20s'",
	'synchronous_commit = off');
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN; ALTER ROLE analyst SET client_min_messages = debug1');
my @worlds = FuzzWorlds::worlds($node, $seed - 1);
my $known = FuzzWorlds::learn_functions_of($node, 'world_0');

srand $seed;
my $comparison = FuzzComparison->new(worlds => \@worlds, name => "$known functions of the server", seed => $seed);
$comparison->compare_all($statements, sub { statement($major) });
my $seen = $comparison->{seen};
cmp_ok($seen->{charged}, '>', $seen->{total} / 4, 'many were charged');
cmp_ok($seen->{refused}, '>', $seen->{total} / 10, 'some were refused');
done_testing();

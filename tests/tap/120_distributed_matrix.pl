# Every aggregate, in every shape of statement, over every kind of table that Citus has, where it is installed: as over a
# table of one server (AnswerMatrix).
#
#   IDP_LAW_DRAWS   how many answers of each mechanism are drawn over each table (400)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use AnswerMatrix;
use CitusTest;
use IdpTest;
use Test::More;

plan skip_all => 'Citus is not installed' unless has_citus();

my @nodes = new_cluster('distributed_matrix');
my $super = session($nodes[0]);
my %sessions = (owner => session($nodes[0]), analyst => session($nodes[0]));
$super->value("SET client_min_messages = error; SET ROLE keeper; CREATE TABLE region (g int PRIMARY KEY, name text); INSERT INTO region SELECT i, 'r' || i FROM generate_series(0, 4) i; GRANT SELECT ON region TO analyst; SELECT create_reference_table('region')");
$_->{quiet} = 1 foreach $super, values %sessions;
$sessions{owner}->value('SET client_min_messages = error; SET ROLE keeper');
$sessions{analyst}->value('SET client_min_messages = error; SET ROLE analyst');

my %kinds = (alone => '', hashed => q[SELECT create_distributed_table('hashed', 'd')], referenced => q[SELECT create_reference_table('referenced')], single => q[SELECT create_distributed_table('single', NULL)], metadata => q[SELECT citus_add_local_table_to_metadata('metadata')]);
my @tables = ('alone', grep { $_ ne 'alone' } sort keys %kinds);
foreach my $table (@tables)
{
	$super->value("CREATE TABLE $table (" . matrix_columns() . "); INSERT INTO $table " . matrix_rows(1, 555) . "; GRANT SELECT ON $table TO analyst");
	$super->value($kinds{$table}) if $kinds{$table};
}

compare_tables(super => $super, sessions => \%sessions, tables => \@tables);

compare_laws($sessions{analyst}, $ENV{IDP_LAW_DRAWS} // 400, @tables);

# On a worker nothing is answered.
my $on_worker = session($nodes[1]);
$on_worker->{quiet} = 1;
$on_worker->value('SET client_min_messages = error; SET ROLE analyst');
foreach my $table (grep { $_ ne 'alone' && $_ ne 'metadata' } @tables)
{
	my $before = AnswerMatrix::spent_of($super, $table);
	is(join("\n", grep { defined } map { my $r = $on_worker->run("SELECT $_ FROM $table"); defined $r->{message} ? undef : "$_: $r->{out}" } calls_of_all($super)), '', "on a worker: $table");
	is(AnswerMatrix::spent_of($super, $table), $before, 'and nothing is charged');
}
$on_worker->quit;

$_->quit foreach $super, values %sessions;
$_->stop foreach reverse @nodes;
done_testing();

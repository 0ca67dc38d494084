# Every aggregate, in every shape of statement, over every kind of table that Citus has, where it is installed: as over
# a table of one server (AnswerMatrix).
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use AnswerMatrix;
use CitusTest;
use ElsewhereTest;
use IdpTest;
use Test::More;

plan skip_all => 'Citus is not installed' unless has_citus();

my $citus = tables_of_citus('distributed_matrix', \&matrix_rows);
my $super = $citus->{super};

compare_tables($citus);

# On a worker nothing is answered.
my $on_worker = session($citus->{nodes}[1]);
$on_worker->{quiet} = 1;
$on_worker->value('SET client_min_messages = error; SET ROLE analyst');
foreach my $table (grep { $_ ne 'alone' && $_ ne 'metadata' } @{ $citus->{tables} })
{
	my $before = AnswerMatrix::spent_of($super, $table);
	is(join("\n", grep { defined } map {
		my $r = $on_worker->run("SELECT $_ FROM $table");
		defined $r->{message} ? undef : "$_: $r->{out}"
	} calls_of_all($super)), '', "on a worker: $table");
	is(AnswerMatrix::spent_of($super, $table), $before, 'and nothing is charged');
}
$on_worker->quit;

stop_all($citus);
done_testing();

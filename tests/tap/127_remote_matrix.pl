# Every aggregate, in every shape of statement, over tables whose parts lie in other servers, by postgres_fdw: as over a
# table of one server (AnswerMatrix). The extension is installed in one of the other servers, and postgres_fdw
# is told so.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use AnswerMatrix;
use ElsewhereTest;
use Test::More;

my $tables = tables_by_postgres_fdw(\&matrix_rows);
compare_tables($tables);

stop_all($tables);
done_testing();

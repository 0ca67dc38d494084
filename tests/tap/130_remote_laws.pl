# Answers over tables whose parts lie in other servers, by postgres_fdw, are drawn by the law of those over the same
# rows in one server: two samples of every aggregate (AnswerLaws).
#
#   IDP_LAW_DRAWS   how many answers to each question are drawn over each table (250)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use AnswerLaws;
use ElsewhereTest;
use Test::More;

my $tables = tables_by_postgres_fdw(\&law_rows);
compare_laws($tables, $ENV{IDP_LAW_DRAWS} // 250,
	{ name => 'one row more', noticed => 50, sql => 'INSERT INTO %T VALUES (1, 1, 1, 36)' },
	{ name => 'other rows', noticed => 100, sql => 'INSERT INTO %T SELECT i, i % 3, i % 5, '
		  . 'CASE WHEN i > 60 THEN 3 ELSE -i END FROM generate_series(1, 80) i; UPDATE %T SET x = least(x, 18)' });

stop_all($tables);
done_testing();

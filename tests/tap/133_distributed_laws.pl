# Answers over tables of Citus, where it is installed, are drawn by the law of those over the same rows in one server:
# two samples of every aggregate (AnswerLaws).
#
#   IDP_LAW_DRAWS   how many answers to each question are drawn over each table (250)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use AnswerLaws;
use CitusTest;
use ElsewhereTest;
use Test::More;

plan skip_all => 'Citus is not installed' unless has_citus();

my $tables = tables_of_citus('distributed_laws', \&law_rows);
compare_laws($tables, $ENV{IDP_LAW_DRAWS} // 250,
	{ name => 'one row more', noticed => 35, sql => 'INSERT INTO %T VALUES (1, 1, 36)' },
	{ name => 'other rows', noticed => 100, sql => 'INSERT INTO %T SELECT i % 3, i % 5, '
		  . 'CASE WHEN i > 60 THEN 3 ELSE -i END FROM generate_series(1, 80) i; UPDATE %T SET x = least(x, 18)' });

stop_all($tables);
done_testing();

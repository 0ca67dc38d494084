# Plain statements as BI tools and drivers send them, over hidden tables, by a role that is not exempt: answered near the truth,
# with the columns and types of the plain query, and charged; or refused, and the first line of the error says what to ask instead.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $epsilon = 1000;    # hides nothing
my $node = new_node('plain_sql', 'jit = off', "shared_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);
$s->value(plain_tables());
my $a = session($node);
$a->value("SET ROLE analyst; SET idp.epsilon = $epsilon; SET idp.delta = 1e-6");

# tool, how many times epsilon it costs, statement, tolerance
my @shapes = (
	# GROUP BY costs 2 times epsilon where neighbours substitute a row, and 7 rows of a person cost 7 times
	[ 'psql', 1, 'SELECT count(*) FROM events' ],
	[ 'psql', 1, 'SELECT count(1) AS n, sum(1) AS m FROM events' ],
	[ 'psql', 2, 'SELECT count(note), count(*) FROM events' ],
	[ 'psql', 2, 'SELECT sum(value), sum(price) FROM events' ],
	[ 'psql', 1, 'SELECT sum(score) FROM events', 0.05 ],
	[ 'psql', 2, 'SELECT avg(value), avg(price) FROM events' ],
	[ 'psql', 4, 'SELECT kind, count(*), sum(price) FROM events GROUP BY kind' ],
	[ 'psql', 7, 'SELECT count(*) FROM orders' ],
	[ 'psql', 28, 'SELECT status, count(*), sum(amount) FROM orders GROUP BY status' ],
);
answered($s, $a, $epsilon, $_->[0], $_->[2], $_->[1], $_->[3]) foreach @shapes;

done_testing();

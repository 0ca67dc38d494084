# A CTE over hidden rows that several private answers read: what one of them reads of it, and when, is nothing that
# another one, or whoever looks at the server meanwhile, can tell. It is read to its end before the first of
# them is drawn.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('ctes_below_answers', "shared_preload_libraries = 'idp'", 'max_parallel_workers = 8');
my $s = session($node);
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE twelve (id integer PRIMARY KEY);
INSERT INTO twelve SELECT generate_series(1, 12);
CREATE TABLE persons (id integer PRIMARY KEY, nation integer, age integer, seen timestamptz);
CREATE TABLE orders (id integer PRIMARY KEY, person integer NOT NULL REFERENCES persons);
CREATE TABLE large (id integer PRIMARY KEY, secret boolean, pad text);
INSERT INTO persons SELECT i, i % 4 + 1, i % 50, '2024-01-01'::timestamptz + i * interval '1 day'
  FROM generate_series(1, 40) i;
INSERT INTO orders SELECT 100 * i + k, i FROM generate_series(1, 40) i, generate_series(1, 12) k;
INSERT INTO large SELECT i, i % 2 = 1, repeat('x', 500) FROM generate_series(1, 40000) i;
SELECT idp.protect('persons', 1e15, 'add_remove', unit => 'id');
SELECT idp.link('orders', 'person', 'persons');
SELECT idp.protect('large', 1e15, 'add_remove', unit => 'id');
CREATE ROLE analyst LOGIN;
GRANT SELECT ON twelve, persons, orders, large TO analyst;
ANALYZE;
SQL
my $a = session($node);
$a->value('SET client_min_messages = error; SET ROLE analyst; SET enable_hashjoin = off; SET enable_mergejoin = off; '
	  . 'SET enable_material = off');

sub spent { return $s->value("SELECT sum(spent) FROM idp.budget") }

# An answer for almost nothing, which reads z up to a row of one's choice.
sub peek
{
	return "(SELECT dp_count(1e-9) FROM persons p "
	  . "WHERE p.id >= $_[0] AND p.id <= $_[0] AND EXISTS (SELECT 1 FROM z WHERE $_[1]))";
}

# --- what is below a CTE is not begun anew --------------------------------------------------------

my $join = 'WITH z AS MATERIALIZED (SELECT p.id, p.age, t.id AS tid FROM twelve t JOIN persons p ON p.nation = t.id)';
is($a->value("$join SELECT round((SELECT dp_count(1e6) FROM z))"), 40, 'one row of each person');
is($a->value("$join SELECT round((SELECT dp_count(1e6) FROM z)) FROM (SELECT " . peek(7, 'z.id = p.id') . ') x'), 40,
	'also after another answer has read some of them');
is($a->value("$join SELECT round(final) FROM (SELECT " . join(', ', map({
	peek($_, 'z.id = p.id') . " AS a$_"
} 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 1, 5)) . ', (SELECT dp_count(1e6) FROM z) AS final OFFSET 0) x'),
	40, 'or twelve of them');
my $before = spent();
$a->value("$join SELECT (SELECT dp_count(1) FROM z), (SELECT dp_count(1) FROM z WHERE age = 4)");
is(spent() - $before, 2, 'two answers about one CTE cost what they cost');

# A CTE over public rows, of which a free part has read some: it is neither begun anew, nor cut off.
my $public = 'WITH z AS MATERIALIZED (SELECT a.id, b.id AS other FROM twelve a JOIN twelve b ON b.id = a.id)';
my $rows = 'SELECT p.id, p.nation FROM persons p JOIN z ON z.id = p.nation';
$a->value('RESET enable_material; SET enable_indexscan = off; SET enable_indexonlyscan = off; '
	  . 'SET enable_bitmapscan = off');
foreach my $free ('(SELECT id FROM z LIMIT 1)', '(SELECT id FROM z OFFSET 3 LIMIT 1)', '(SELECT max(id) FROM z)',
	'(SELECT id FROM z WHERE other = 4 LIMIT 1)')
{
	foreach my $setting ('enable_material = on', 'enable_material = off')
	{
		my $answer = $a->run("SET $setting; $public SELECT round(n) FROM (SELECT $free AS first, (SELECT dp_count(1e6) "
			  . "FROM ($rows) r) AS n OFFSET 0) x WHERE first IS NOT NULL");
		is($answer->{sqlstate} // $answer->{out}, 40, "after $free, $setting");
		$answer = $a->run("BEGIN; DECLARE c CURSOR FOR $public SELECT id::float8 AS v FROM z "
			  . "UNION ALL SELECT round(dp_count(1e6)) FROM ($rows) r; FETCH 3 FROM c; FETCH ALL FROM c; COMMIT");
		like($answer->{sqlstate} // $answer->{out}, qr/40$/, "by a cursor, $setting");
		$a->run('ROLLBACK');
	}
}
$a->value('SET enable_material = off; RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan');

# --- nor is it filled in pieces, under settings of one's choice -----------------------------------

my $texts = "WITH z AS MATERIALIZED (SELECT id, person, (person / 3.0::float8)::text AS k FROM orders)";
my $pieces = join ', ', map { peek(43 - 3, "z.person = p.id AND z.id = " . (4000 + $_))
	  . " AS a$_, set_config('extra_float_digits', '" . ($_ - 14) . "', false) AS s$_" } 1 .. 12;
$a->value("SET extra_float_digits = -14");
my $r = $a->run("$texts SELECT round(final) FROM (SELECT $pieces, (SELECT dp_count(1e6) "
	  . "FROM (SELECT person, k FROM z GROUP BY 1, 2) q) AS final OFFSET 0) x");
is(defined $r->{sqlstate} ? 40 : $r->{out}, 40, 'a text that follows a setting is one for each person');
$a->value('RESET extra_float_digits');
# By a cursor.
$a->value('SET extra_float_digits = -14');
$r = $a->run("BEGIN; DECLARE c CURSOR FOR $texts SELECT 1, dp_count(1e-9) FROM persons p "
	  . "WHERE p.id >= 40 AND p.id <= 40 AND EXISTS (SELECT 1 FROM z WHERE z.person = p.id AND z.id = 4001) "
	  . 'UNION ALL SELECT 2, dp_count(1e6) FROM (SELECT person, k FROM z GROUP BY 1, 2) q; FETCH 1 FROM c');
$r = $a->run('SET extra_float_digits = 1; FETCH 1 FROM c') if !defined $r->{sqlstate};
is(defined $r->{sqlstate} ? 40 : $r->{out} =~ s/.*\|//sr, 40, 'nor between two FETCHes of a cursor');
$a->value('ROLLBACK');
$a->value('RESET extra_float_digits');

# --- no workers are left to be counted ------------------------------------------------------------

my $analyst = session($node);
$analyst->value('SET SESSION AUTHORIZATION analyst; SET enable_hashjoin = off; SET enable_mergejoin = off; '
	  . 'SET enable_material = off; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	  . 'SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2; '
	  . 'SET parallel_leader_participation = off');
my %workers;
foreach my $id (41 .. 46)
{
	my $count = $analyst->value('WITH z AS MATERIALIZED (SELECT id, secret, pad FROM large) '
		  . "SELECT workers FROM (SELECT (SELECT dp_count(1e-9) FROM large p WHERE p.id >= $id AND p.id <= $id "
		  . "AND EXISTS (SELECT 1 FROM z WHERE z.id = p.id AND z.secret AND z.id + p.id > 0)) AS noisy, "
		  . '(SELECT count(*) FROM pg_stat_get_activity(NULL) WHERE leader_pid = pg_backend_pid()) AS workers '
		  . 'OFFSET 0) x WHERE noisy IS NOT NULL');
	$workers{$count}++;
}
is(join(' ', sort keys %workers), '0', 'no parallel worker is left after an answer, whatever it read');

# --- CTEs that depend on an outer query -----------------------------------------------------------

like($a->run('SELECT t.id, x.n FROM twelve t, LATERAL (WITH z AS MATERIALIZED (SELECT id FROM persons '
	  . 'WHERE age > t.id) SELECT (SELECT dp_count(1) FROM z) + (SELECT dp_count(1) FROM z) AS n) x')->{sqlstate} // '',
	qr/^0A000$/, 'answers for each row of an outer query are refused as before');

$node->stop;
done_testing();

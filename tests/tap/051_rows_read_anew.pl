# Rows of public tables that hang on the order in which others come are other rows each time that a nested loop, or a
# process that works in parallel, reads them: no value of theirs is the same in all rows of a person.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('read_anew', 'fsync = off', 'jit = off');
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE persons (id integer PRIMARY KEY);
CREATE TABLE orders (id integer PRIMARY KEY, person integer NOT NULL REFERENCES persons);
INSERT INTO persons SELECT generate_series(1, 8);
INSERT INTO orders SELECT i, i % 8 + 1 FROM generate_series(1, 80) i;
CREATE TABLE nations (id integer PRIMARY KEY, weight integer NOT NULL, x numeric NOT NULL);
INSERT INTO nations SELECT i, i, 1 FROM generate_series(1, 4) i;
CREATE TABLE public_rows AS SELECT i AS id, repeat('x', 100) AS pad FROM generate_series(1, 60000) i;
ANALYZE persons, orders, nations, public_rows;
SELECT idp.protect('persons', 1e9, 'add_remove', rows => 'visible', unit => 'id');
SELECT idp.link('orders', 'person', 'persons');
CREATE FUNCTION attempt(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  before numeric := (SELECT sum(spent) FROM idp.budget);
BEGIN
  EXECUTE 'SELECT dp_count(1) FROM (' || query || ') q';
  RETURN trim_scale((SELECT sum(spent) FROM idp.budget) - before);
EXCEPTION WHEN OTHERS THEN
  RETURN sqlerrm;
END
$$;
SQL

# The public rows come from two processes, in the order in which these are ready.
my $racing = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
  . 'SET max_parallel_workers_per_gather = 2;'
  . 'SET parallel_leader_participation = off; SET enable_material = off; SET enable_memoize = off; '
  . 'SET enable_hashjoin = off; SET enable_mergejoin = off';
my $first = "SELECT id FROM public_rows WHERE pad LIKE '%x' LIMIT 1 OFFSET 20000";

sub is_refused
{
	my ($name, $query) = @_;
	like($s->value("SELECT attempt(\$q\$$query\$q\$)"), qr/cannot be computed over/, "$name: refused");
	return;
}

$s->value($racing);
my $query = "SELECT o.person, z.m FROM orders o, LATERAL (SELECT max(q.id) + 0 * o.person AS m "
  . "FROM ($first) q) z GROUP BY 1, 2";
is_refused('the first row to come, for each row of a person', $query);
cmp_ok($s->value("SELECT count(*) FROM ($query) q"), '>', 8, 'and rightly: eight persons have more than eight groups');
my %others = (
	'a sum in the order of rows' => 'SELECT sum(id::float8 / 7) + 0 * o.person AS m FROM public_rows',
	'an array in the order of rows' => 'SELECT (array_agg(id))[1] + 0 * o.person AS m FROM public_rows',
	'the first of peers' => 'SELECT max(id) + 0 * o.person AS m '
	  . 'FROM (SELECT DISTINCT ON (pad) pad, id FROM public_rows) q',
	'the number of a row' => 'SELECT max(id) + 0 * o.person AS m '
	  . 'FROM (SELECT id, row_number() OVER () AS r FROM public_rows OFFSET 0) q WHERE r = 1',
	'one of equal numbers' => 'SELECT length(max(x)::text) + 0 * o.person AS m FROM nations',);
is_refused($_, "SELECT o.person, z.m FROM orders o, LATERAL ($others{$_}) z GROUP BY 1, 2") foreach sort keys %others;
is_refused('the first row to come, beside each person', "SELECT o.person, z.m FROM orders o, LATERAL (SELECT p.id, y.m "
	  . "FROM persons p, (SELECT max(q.id) AS m FROM ($first) q) y WHERE p.id = o.person OFFSET 0) z GROUP BY 1, 2");
is_refused('the same, for each row of a public table',
	"SELECT z.id FROM nations n LEFT JOIN LATERAL (SELECT p.id, y.m FROM persons p, (SELECT max(q.id) AS m "
	  . "FROM ($first) q) y WHERE p.id > n.weight OFFSET 0) z ON z.m = n.id WHERE z.id IS NOT NULL");

# --- and what is answered ---------------------------------------------------------------------------------

my $settled = 'SELECT o.person, z.m FROM orders o, LATERAL (SELECT max(n.id) AS m FROM nations n '
  . 'WHERE n.weight >= o.person % 3) z GROUP BY 1, 2';
my $kept = "WITH z AS MATERIALIZED (SELECT max(q.id) AS m FROM ($first) q) SELECT o.person, z.m "
  . "FROM orders o, z GROUP BY 1, 2";
foreach my $how ($racing, 'RESET ALL')
{
	$s->value($how);
	my $plan = $how eq $racing ? 'nested loops, in parallel' : 'plans as they come';
	is($s->value("SELECT attempt(\$q\$$kept\$q\$)"), 1, "what a CTE keeps is read once: $plan");
	is($s->value("SELECT attempt(\$q\$$settled\$q\$)"), 1, "the same rows each time: $plan");
}
# How often a join reads them is up to the planner.
my $beside = "SELECT o.person, z.m FROM orders o, (SELECT max(q.id) AS m FROM ($first) q) z GROUP BY 1, 2";
foreach my $how ($racing, 'RESET ALL')
{
	$s->value($how);
	is_refused('the first row to come, in a join' . ($how eq $racing ? ', in nested loops' : ''), $beside);
	is_refused('the same, in a CTE that is made for each row', "SELECT o.person, z.m FROM orders o, LATERAL (WITH z "
		  . "AS MATERIALIZED (SELECT max(q.id) + 0 * o.person AS m FROM ($first) q) SELECT m FROM z) z GROUP BY 1, 2");
	is_refused('rows of a person beside it, in one more join',
		"SELECT p.id, n.id AS n FROM (SELECT p.id, y.m FROM persons p JOIN (SELECT max(q.id) AS m FROM ($first) q) y "
		  . "ON true OFFSET 0) p, nations n WHERE n.id = p.m GROUP BY 1, 2");
}

done_testing();

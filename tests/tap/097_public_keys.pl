# Groups of hidden rows by columns of tables that everybody may know: every value that these have, also where no hidden
# row does, and no other.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('public_keys', 'fsync = off', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE continents (id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO continents VALUES (1, 'America'), (2, 'Africa'), (3, 'Asia');
CREATE TABLE regions (id integer PRIMARY KEY, name text NOT NULL, kind text,
  continent integer NOT NULL REFERENCES continents, rate numeric, since date NOT NULL, place point, far boolean);
INSERT INTO regions SELECT i, 'r' || i % 7, CASE WHEN i % 3 > 0 THEN 'k' || i % 3 END, 1 + i % 2, i,
  date '2020-01-01' + i * 100, NULL, i > 5 FROM generate_series(1, 10) i;
CREATE TABLE customers (id integer PRIMARY KEY, region integer NOT NULL REFERENCES regions,
  second integer REFERENCES regions, grade smallint);
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers, state text,
  price integer NOT NULL);
CREATE FUNCTION fill() RETURNS void LANGUAGE sql AS $$
	INSERT INTO customers SELECT i, 1 + i % 4, CASE WHEN i % 2 = 0 THEN 2 END, i % 5 FROM generate_series(1, 60) i;
	INSERT INTO orders SELECT i, 1 + i % 60, CASE WHEN i % 4 > 0 THEN 's' || i % 4 END, i % 100
	  FROM generate_series(1, 240) i
$$;
SELECT fill();
CREATE VIEW places AS SELECT r.id, r.name, c.name AS continent FROM regions r JOIN continents c ON c.id = r.continent;
CREATE VIEW sold AS SELECT o.*, c.grade, r.name, r.kind, r.continent FROM orders o JOIN customers c ON c.id = o.customer
  JOIN regions r ON r.id = c.region;
ANALYZE;
SELECT idp.protect('customers', 1e12, 'add_remove', unit => 'id'), idp.link('orders', 'customer', 'customers');
SELECT idp.set_domain('customers', 'grade', 0, 3), idp.set_domain('orders', 'state', ARRAY['s1', 's2', 'lost']);
CREATE ROLE analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

my @plans = ('SET enable_hashjoin = on', 'SET enable_hashjoin = off; SET enable_mergejoin = off',
	'SET enable_hashagg = off; SET enable_hashjoin = off; SET enable_nestloop = off',
	"SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	. "SET min_parallel_table_scan_size = 0", 'SET enable_sort = off');
my $reset = "RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_nestloop; RESET enable_hashagg; "
	. "RESET enable_sort; RESET $force_parallel; RESET parallel_setup_cost; RESET parallel_tuple_cost; "
	. "RESET min_parallel_table_scan_size";
my $four = 'SELECT *, row_number() OVER (PARTITION BY customer ORDER BY md5(id::text), id) AS n FROM orders';

# A query of an analyst, its cost, and the same of the owner: keys without the hidden tables, counted with them.
my $in_grades = '(grade BETWEEN 0 AND 3 OR grade IS NULL)';
my $grades = '(SELECT unnest(ARRAY[0, 1, 2, 3, NULL]) AS grade) g';
my $states = '(VALUES (\'s1\'), (\'s2\'), (\'lost\'), (NULL)) s (state)';
my @cases = (
	[ 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region GROUP BY r.name' ],
	[ 'SELECT name, dp_count(1000) FROM customers c, regions r WHERE r.id = c.region GROUP BY name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region GROUP BY r.name' ],
	[ 'SELECT r.id, r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region '
		. 'GROUP BY r.id, r.name', 1000,
		'SELECT r.id, r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region GROUP BY 1, 2' ],
	[ 'SELECT r.kind, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.second GROUP BY r.kind', 1000,
		'SELECT r.kind, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.second GROUP BY r.kind' ],
	[ "SELECT upper(r.name) || coalesce(r.kind, '-'), dp_count(1000) FROM customers c "
		. "JOIN regions r ON r.id = c.region GROUP BY 1", 1000,
		"SELECT upper(r.name) || coalesce(r.kind, '-'), count(c) FROM regions r "
		. "LEFT JOIN customers c ON r.id = c.region GROUP BY 1" ],
	[ "SELECT date_trunc('year', r.since)::date, dp_count(1000) FROM customers c "
		. "JOIN regions r ON r.id = c.region GROUP BY 1", 1000,
		"SELECT date_trunc('year', r.since)::date, count(c) FROM regions r "
		. "LEFT JOIN customers c ON r.id = c.region GROUP BY 1" ],
	[ 'SELECT r.name, c.grade, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region '
		. 'GROUP BY r.name, c.grade', 1000, "SELECT r.name, g.grade, count(c) FROM regions r CROSS JOIN $grades "
		. "LEFT JOIN customers c ON r.id = c.region AND c.grade IS NOT DISTINCT FROM g.grade GROUP BY 1, 2" ],
	[ 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region WHERE r.continent = 1 '
		. 'GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region WHERE r.continent = 1 '
		. 'GROUP BY r.name' ],
	[ "SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region AND r.name < 'r3' "
		. "WHERE c.grade > 1 GROUP BY r.name", 1000,
		"SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region AND c.grade > 1 "
		. "WHERE r.name < 'r3' GROUP BY r.name" ],
	[ 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region WHERE r.rate > 3 '
		. 'GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region AND r.rate > 3 '
		. 'GROUP BY r.name' ],
	[ 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region WHERE r.kind IS NULL '
		. 'GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region WHERE r.kind IS NULL '
		. 'GROUP BY r.name' ],
	# a truth value of a row comes beside what else is in the row
	[ 'SELECT r.id, r.far, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY r.id, r.far',
		1000, 'SELECT r.id, r.far, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region GROUP BY 1, 2' ],
	[ 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region WHERE r.far '
		. 'GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region WHERE r.far '
		. 'GROUP BY r.name' ],
	[ 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region WHERE NOT r.far '
		. 'GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region WHERE NOT r.far '
		. 'GROUP BY r.name' ],
	[ 'SELECT k.name, r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region '
		. 'JOIN continents k ON k.id = r.continent GROUP BY k.name, r.name', 1000,
		'SELECT k.name, r.name, count(c) FROM regions r JOIN continents k ON k.id = r.continent '
		. 'LEFT JOIN customers c ON r.id = c.region GROUP BY 1, 2' ],
	[ 'SELECT k.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region '
		. 'JOIN continents k ON k.id = r.continent GROUP BY k.name', 1000,
		'SELECT k.name, count(c) FROM continents k JOIN regions r ON k.id = r.continent '
		. 'LEFT JOIN customers c ON r.id = c.region GROUP BY 1' ],
	[ 'SELECT a.name, b.name, dp_count(1000) FROM customers c JOIN regions a ON a.id = c.region '
		. 'JOIN regions b ON b.id = c.second GROUP BY a.name, b.name', 1000,
		'SELECT a.name, b.name, count(c) FROM regions a CROSS JOIN regions b '
		. 'LEFT JOIN customers c ON c.region = a.id AND c.second = b.id GROUP BY 1, 2' ],
	[ 'SELECT a.name, b.name, dp_count(1000) FROM customers c JOIN regions a ON a.id = c.region '
		. 'JOIN regions b ON b.id = c.second WHERE a.id <= b.id GROUP BY a.name, b.name', 1000,
		'SELECT a.name, b.name, count(c) FROM regions a JOIN regions b ON a.id <= b.id '
		. 'LEFT JOIN customers c ON c.region = a.id AND c.second = b.id GROUP BY 1, 2' ],
	[ 'SELECT p.name, p.continent, dp_count(1000) FROM customers c JOIN places p ON p.id = c.region '
		. 'GROUP BY p.name, p.continent', 1000,
		'SELECT p.name, p.continent, count(c) FROM places p LEFT JOIN customers c ON p.id = c.region GROUP BY 1, 2' ],
	[ 'WITH r AS (SELECT * FROM regions) SELECT a.name, b.id, dp_count(1000) FROM customers c '
		. 'JOIN r a ON a.id = c.region JOIN r b ON b.id = c.second GROUP BY a.name, b.id', 1000,
		'SELECT a.name, b.id, count(c) FROM regions a CROSS JOIN regions b '
		. 'LEFT JOIN customers c ON c.region = a.id AND c.second = b.id GROUP BY 1, 2' ],
	[ 'SELECT x.name, x.other, dp_count(1000) FROM customers c JOIN (WITH r AS (SELECT * FROM regions) '
		. 'SELECT a.id, a.name, b.id AS other FROM r a JOIN r b ON b.id = a.continent) x ON x.id = c.region '
		. 'GROUP BY x.name, x.other', 1000,
		'SELECT a.name, b.id, count(c) FROM regions a JOIN regions b ON b.id = a.continent '
		. 'LEFT JOIN customers c ON c.region = a.id GROUP BY 1, 2' ],
	# persons
	[ "SELECT r.name, o.state, dp_count(1000) FROM ($four) o JOIN customers c ON c.id = o.customer "
		. "JOIN regions r ON r.id = c.region WHERE n <= 4 GROUP BY r.name, o.state", 4000,
		"SELECT r.name, s.state, count(o) FROM regions r CROSS JOIN $states LEFT JOIN (orders o "
		. "JOIN customers c ON c.id = o.customer) ON r.id = c.region AND o.state IS NOT DISTINCT FROM s.state "
		. "GROUP BY 1, 2" ],
	[ "SELECT r.name, dp_count(1000) FROM (SELECT customer, sum(price) AS spent FROM orders "
		. "GROUP BY customer) o JOIN customers c ON c.id = o.customer JOIN regions r ON r.id = c.region "
		. "WHERE spent > 100 GROUP BY r.name", 1000,
		"SELECT r.name, count(o) FROM regions r LEFT JOIN ((SELECT customer FROM orders GROUP BY customer "
		. "HAVING sum(price) > 100) o JOIN customers c ON c.id = o.customer) ON r.id = c.region GROUP BY r.name" ],
	[ "SELECT name, dp_count(1000) FROM (SELECT c.id, r.name, sum(price) AS spent FROM customers c "
		. "JOIN orders o ON o.customer = c.id JOIN regions r ON r.id = c.region GROUP BY c.id, r.name) o "
		. "WHERE spent > 100 GROUP BY name", 1000,
		"SELECT r.name, count(o) FROM regions r LEFT JOIN ((SELECT customer FROM orders GROUP BY customer "
		. "HAVING sum(price) > 100) o JOIN customers c ON c.id = o.customer) ON r.id = c.region GROUP BY r.name" ],
	[ "SELECT name, dp_count(1000) FROM (SELECT *, row_number() OVER (PARTITION BY customer "
		. "ORDER BY md5(id::text), id) AS n FROM sold) s WHERE n <= 4 GROUP BY name", 4000,
		'SELECT r.name, count(o) FROM regions r LEFT JOIN (customers c '
		. 'JOIN orders o ON o.customer = c.id) ON r.id = c.region GROUP BY 1' ],
	[ 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY ROLLUP (r.name)', 2000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region GROUP BY ROLLUP (r.name)' ],
	[ "SELECT r.name, dp_sum(c.grade, 1000, 0, 5), dp_count(1000) FILTER (WHERE c.grade > 2) FROM customers c "
		. "JOIN regions r ON r.id = c.region WHERE c.id <> 7 GROUP BY r.name HAVING dp_count(1000) > -1000", 3000,
		"SELECT r.name, coalesce(sum(grade), 0), count(c) FILTER (WHERE c.grade > 2) FROM regions r "
		. "LEFT JOIN customers c ON r.id = c.region AND c.id <> 7 GROUP BY r.name" ],
	# outer joins that keep the hidden rows: NULL is a key, in place of all columns of the other table together
	[ 'SELECT r.name, dp_count(1000) FROM customers c LEFT JOIN regions r ON r.id = c.second GROUP BY r.name', 1000,
		'SELECT n, count(c) FROM (SELECT name AS n FROM regions UNION SELECT NULL) k LEFT JOIN (customers c '
		. 'LEFT JOIN regions r ON r.id = c.second) ON r.name IS NOT DISTINCT FROM n AND c.id > 0 GROUP BY n' ],
	[ 'SELECT r.id, r.name, dp_count(1000) FROM regions r RIGHT JOIN customers c ON r.id = c.second '
		. 'AND r.kind IS NOT NULL GROUP BY r.id, r.name', 1000,
		'SELECT i, n, count(c) FROM (SELECT id AS i, name AS n FROM regions UNION SELECT NULL, NULL) k '
		. 'LEFT JOIN (customers c LEFT JOIN regions r ON r.id = c.second '
		. 'AND r.kind IS NOT NULL) ON r.id IS NOT DISTINCT FROM i AND c.id > 0 GROUP BY 1, 2' ],
	[ 'SELECT name, dp_count(1000) FROM (SELECT c.id, r.name FROM customers c '
		. 'LEFT JOIN regions r ON r.id = c.second) x GROUP BY name', 1000,
		'SELECT n, count(c) FROM (SELECT name AS n FROM regions UNION SELECT NULL) k LEFT JOIN (customers c '
		. 'LEFT JOIN regions r ON r.id = c.second) ON r.name IS NOT DISTINCT FROM n AND c.id > 0 GROUP BY n' ],
	[ "SELECT name, dp_count(1000) FROM (SELECT c.id, r.name FROM customers c "
		. "LEFT JOIN regions r ON r.id = c.second WHERE c.id < 50 OFFSET 0) x WHERE name IS NULL OR name < 'r3' "
		. "GROUP BY name", 1000,
		"SELECT n, count(c) FROM (SELECT name AS n FROM regions WHERE name < 'r3' UNION SELECT NULL) k "
		. "LEFT JOIN (customers c LEFT JOIN regions r ON r.id = c.second) ON r.name IS NOT DISTINCT FROM n "
		. "AND c.id < 50 GROUP BY n" ],
	[ 'SELECT r.name, dp_count(1000) FROM customers c LEFT JOIN regions r ON r.id = c.second '
		. 'WHERE r.continent = 1 GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.second WHERE r.continent = 1 '
		. 'GROUP BY r.name' ],
	[ 'SELECT k.name, dp_count(1000) FROM customers c LEFT JOIN regions r ON r.id = c.second '
		. 'LEFT JOIN continents k ON k.id = r.continent GROUP BY k.name', 1000,
		'SELECT n, count(c) FROM (SELECT name AS n FROM continents UNION SELECT NULL) z LEFT JOIN (customers c '
		. 'LEFT JOIN regions r ON r.id = c.second LEFT JOIN continents k ON k.id = r.continent) ON k.name IS NOT '
		. 'DISTINCT FROM n AND c.id > 0 GROUP BY n' ],
	[ 'SELECT c.grade, dp_count(1000) FROM customers c LEFT JOIN regions r ON r.id = c.second GROUP BY c.grade', 1000,
		"SELECT g.grade, count(c) FROM $grades LEFT JOIN customers c ON c.grade IS NOT DISTINCT FROM g.grade "
		. "GROUP BY 1" ],
	[ "SELECT r.name, o.state, dp_count(1000) FROM ($four) o JOIN customers c ON c.id = o.customer "
		. "LEFT JOIN regions r ON r.id = c.second WHERE n <= 4 AND o.state IS NOT NULL GROUP BY r.name, o.state", 4000,
		"SELECT n, s.state, count(o) FROM (SELECT name AS n FROM regions UNION SELECT NULL) k CROSS JOIN $states "
		. "LEFT JOIN (orders o JOIN customers c ON c.id = o.customer "
		. "LEFT JOIN regions r ON r.id = c.second) ON r.name IS NOT DISTINCT FROM n AND o.state = s.state "
		. "WHERE s.state IS NOT NULL GROUP BY 1, 2" ],
	[ 'SELECT r.name, dp_count(1000) FILTER (WHERE c.id IS NOT NULL) FROM regions r '
		. 'LEFT JOIN customers c ON r.id = c.region GROUP BY r.name', 1000,
		'SELECT r.name, count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region GROUP BY r.name' ],
	# what subqueries and views compute
	[ "SELECT x.k, r.name, dp_count(1000) FROM (SELECT *, upper(state) AS k, row_number() OVER (PARTITION BY "
		. "customer ORDER BY md5(id::text), id) AS n FROM orders) x JOIN customers c ON c.id = x.customer "
		. "JOIN regions r ON r.id = c.region WHERE n <= 4 GROUP BY 1, 2", 4000,
		"SELECT upper(s.state), r.name, count(o) FROM regions r CROSS JOIN $states LEFT JOIN (orders o "
		. "JOIN customers c ON c.id = o.customer) ON r.id = c.region AND o.state IS NOT DISTINCT FROM s.state "
		. "GROUP BY 1, 2" ],
	[ "SELECT k, dp_count(1000) FROM (SELECT l, l || '!' AS k, r.id FROM (SELECT id, lower(name) AS l "
		. "FROM regions ORDER BY kind) r) x JOIN customers c ON x.id = c.region WHERE k < 'r4' GROUP BY k", 1000,
		"SELECT name || '!', count(c) FROM regions r LEFT JOIN customers c ON r.id = c.region "
		. "WHERE name || '!' < 'r4' GROUP BY 1" ],
	[ "SELECT coalesce(x.k, 'none'), dp_count(1000) FROM customers c LEFT JOIN (SELECT id, "
		  . "coalesce(kind, 'no kind') AS k FROM regions) x ON x.id = c.second GROUP BY 1", undef, undef ],
	# NULL is no key where a condition leaves none
	[ 'SELECT c.second, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.second GROUP BY c.second', undef,
		undef ],
	[ 'SELECT c.grade, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.grade GROUP BY c.grade', 1000,
		'SELECT g, count(c) FROM generate_series(0, 3) g LEFT JOIN (customers c '
		. 'JOIN regions r ON r.id = c.grade) ON c.grade = g GROUP BY g' ],
	[ 'SELECT grade, dp_count(1000) FROM (SELECT grade, second FROM customers '
		. 'WHERE grade = second + 1 OR grade > 1) c GROUP BY grade', 1000,
		'SELECT g, count(c) FROM generate_series(0, 3) g LEFT JOIN customers c ON c.grade = g '
		. 'AND (grade = second + 1 OR grade > 1) GROUP BY g' ], );
my $turn = 0;
my %keys;
sub keys_in { return join "\n", sort map { s/(?:[|][^|]*){$_[1]}\z//r } split /\n/, $_[0] }
sub sorted { return join "\n", sort split /\n/, $_[0] }
foreach my $case (@cases)
{
	my ($query, $cost, $exact) = @$case;
	my $before = spent($s, 'customers');
	my $r = $a->run("$plans[$turn++ % @plans]; $query");
	$a->value($reset);
	if (defined $exact)
	{
		is(sorted($r->{out}) . ($r->{message} // ''), sorted($s->value($exact)), $query);
		is(spent($s, 'customers') - $before, $cost, '... and its cost');
		$keys{$query} = keys_in($r->{out}, $query =~ /dp_sum/ ? 2 : 1);
	}
	else
	{
		is($r->{sqlstate}, '42501', "a column without a domain gives no keys: $query");
	}
}

# The keys are the same whatever rows there are, in each plan; no group comes or goes with them.
foreach my $rows ('',
	'INSERT INTO customers VALUES (1, 9, 9, 9); INSERT INTO orders VALUES (1, 1, NULL, 5), (2, 1, \'odd\', 5)',
	'SELECT fill(); DELETE FROM orders WHERE customer = 5; DELETE FROM customers WHERE id = 5')
{
	$s->value("TRUNCATE customers, orders; $rows");
	foreach my $query (sort keys %keys)
	{
		my $plan = $plans[ $turn++ % @plans ];
		is(keys_in($a->value("$plan \\g /dev/null\n$query"), $query =~ /dp_sum/ ? 2 : 1), $keys{$query},
			"the same keys of other rows: $query");
		$a->value($reset);
	}
}

# They are those of the table as the query finds it.
$s->value("TRUNCATE customers, orders; SELECT fill()");
my $by_name = 'SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region '
  . 'GROUP BY r.name ORDER BY 1';
$a->value("SET plan_cache_mode = force_generic_plan; PREPARE q(int) AS SELECT r.name, dp_count(1000) "
	. "FROM customers c JOIN regions r ON r.id = c.region WHERE r.continent = \$1 GROUP BY r.name "
	. "ORDER BY 1; EXECUTE q(1)");
$s->value("INSERT INTO regions VALUES (11, 'another', NULL, 1, 1, date '2024-01-01')");
like($a->value('EXECUTE q(1)'), qr/^another\|0$/m, 'a row that came since');
unlike($a->value('EXECUTE q(2)'), qr/^another/m, '... not where a parameter leaves it out');
$s->value('DELETE FROM regions WHERE id = 11');
unlike($a->value('EXECUTE q(1)'), qr/^another/m, '... that is gone again');

# EXPLAIN shows the answers alone.
my $explained = $a->value("EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) $by_name");
$s->value('DELETE FROM orders; DELETE FROM customers WHERE id > 2');
is($a->value("EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) $by_name"), $explained,
	'EXPLAIN ANALYZE is the same of other rows');
$s->value("TRUNCATE customers, orders; SELECT fill()");

# A condition with columns of the query around is none on keys, which are the same for all its rows.
$s->value("CREATE TABLE people (id int PRIMARY KEY, region int NOT NULL, grade int NOT NULL); INSERT INTO people "
	. "SELECT i, 1 + i % 4, i % 5 FROM generate_series(1, 60) i; "
	. "SELECT idp.protect('people', 1e12, unit => 'id'), idp.set_domain('people', 'grade', 0, 9); GRANT "
	. "SELECT ON people TO analyst");
my @correlated = map { my $condition = $_; map { sprintf $_, $condition }
	'SELECT q.grade, dp_count(1e6) FROM regions r JOIN LATERAL (SELECT c.grade FROM people c '
	  . 'WHERE c.region = r.id AND %s AND c.id = 42) q ON true GROUP BY q.grade',
	'SELECT q.grade, count(*) FROM regions r, LATERAL (SELECT c.grade FROM people c '
	  . 'WHERE %s AND c.region = r.id AND c.id = 42) q GROUP BY q.grade',
	'SELECT q.grade, dp_count(1e6) FROM regions r, LATERAL (SELECT x.grade '
	  . 'FROM (SELECT c.grade FROM people c WHERE c.region = r.id AND c.id = 42 AND %s) x) q GROUP BY 1',
	'SELECT q.grade, dp_count(1e6) FROM regions r, LATERAL (WITH w AS (SELECT c.grade FROM people c '
	  . 'WHERE c.region = r.id AND c.id = 42 AND %s) SELECT * FROM w) q GROUP BY 1',
	'SELECT q.grade, dp_count(1e6) FROM (SELECT l.grade FROM regions r, LATERAL (SELECT c.grade FROM people c '
	  . 'JOIN regions o ON o.id = c.region AND %s WHERE c.region = r.id AND c.id = 42) l) q GROUP BY 1',
	'SELECT q.b, dp_count(1e6) FROM regions r, LATERAL (SELECT c.grade > 1 AS b FROM people c '
	  . 'WHERE c.region = r.id AND c.id = 42 AND %s) q GROUP BY 1',
	'SELECT DISTINCT q.grade '
	  . 'FROM regions r, LATERAL (SELECT c.grade FROM people c WHERE c.region = r.id AND c.id = 42 AND %s) q' }
	'c.grade <> r.id + 0', 'c.grade < r.id - 2', 'c.grade + r.id > 6', 'r.id + 0 <> c.grade',
		'c.grade IN (r.id, r.id + 1)', '(c.grade > 7 OR r.id + 0 = 3)', 'c.grade IS DISTINCT FROM r.id - 1',
		'c.grade <> r.id', 'NOT (c.grade = abs(r.id))', 'c.grade <= ALL (ARRAY[r.id, 3])';
sub outcomes
{
	return map { my $r = $a->run($_); $r->{message} // join ' ', sort map { (split /\|/)[0] } split /\n/, $r->{out} }
	  @correlated;
}
my @with = outcomes();
$s->value('DELETE FROM people WHERE id = 42');
my @without = outcomes();
is($without[$_], $with[$_], "a condition on the query around: the same without a person: $correlated[$_]")
  foreach 0 .. $#correlated;
# --- What gives no keys ---------------------------------------------------------------------------

sub refused { my ($name, $state) = @_; is($a->run($by_name)->{sqlstate}, $state // '42501', "refused: $name") }
$s->value("SELECT idp.protect('regions', 10, rows => 'visible')");
refused('a table that is protected');
$s->value("SELECT idp.unprotect('regions'); CREATE TABLE more_regions () INHERITS (regions); "
	  . "SELECT idp.protect('more_regions', 10, rows => 'visible')");
refused('one that a protected table inherits from');
$s->value("DROP TABLE more_regions; ALTER TABLE regions ENABLE ROW LEVEL SECURITY; "
	  . "CREATE POLICY few ON regions USING (id < 5)");
refused('one whose rows a policy chooses');
$s->value('DROP POLICY few ON regions; ALTER TABLE regions DISABLE ROW LEVEL SECURITY; '
	  . 'GRANT INSERT ON regions TO analyst');
refused('one that the analyst may change');
$s->value('REVOKE INSERT ON regions FROM analyst; REVOKE SELECT ON regions FROM analyst; '
	  . 'GRANT SELECT (id, name) ON regions TO analyst');
like($a->value($by_name), qr/^r0\|/, 'rights to the columns are enough');
$s->value('REVOKE SELECT (name) ON regions FROM analyst');
is($a->run($by_name)->{message}, 'permission denied for table regions', '... and needed');
$s->value('GRANT SELECT ON regions TO analyst');
# A view shows what its owner may read, and leaves rows out: no list of them is made behind it.
$s->value('CREATE VIEW early WITH (security_barrier) AS SELECT id, name FROM regions '
	. 'WHERE id <= 4; CREATE VIEW all_regions AS SELECT id, name FROM regions; GRANT '
	. 'SELECT ON early, all_regions TO analyst; REVOKE SELECT ON regions FROM analyst');
for my $view ('early', 'all_regions')
{
	my $query = "SELECT r.name, dp_count(1000) FROM customers c JOIN $view r ON r.id = c.region GROUP BY r.name";
	is($a->run($query)->{sqlstate}, '42501', "view $view of a table that the role may not read: no keys");
	$s->value('GRANT SELECT (name) ON regions TO analyst');
	is(scalar(split /\n/, $a->value($query)), 7, '... keys for who may read that column');
	$s->value('ALTER TABLE regions ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON regions USING (id < 5)');
	is($a->run($query)->{sqlstate}, '42501', '... none where a policy chooses rows');
	$s->value('DROP POLICY few ON regions; ALTER TABLE regions DISABLE ROW LEVEL SECURITY');
	$a->value("SET plan_cache_mode = force_generic_plan; PREPARE by_view AS $query; EXECUTE by_view");
	$s->value('REVOKE SELECT (name) ON regions FROM analyst');
	is($a->run('EXECUTE by_view')->{sqlstate}, '42501', '... not by a plan that was made before');
	$a->value('DEALLOCATE by_view; RESET plan_cache_mode');
}
$s->value('GRANT SELECT ON regions TO analyst');
foreach my $case (
	[ 'values that are equal and look different',
		'SELECT r.rate, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY r.rate' ],
	[ '... in an expression',
		'SELECT r.rate::text, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY 1' ],
	[ 'grouping sets below', 'SELECT name, dp_count(1000) FROM (SELECT c.id, r.name FROM customers c '
		  . 'JOIN regions r ON r.id = c.region GROUP BY GROUPING SETS ((c.id, r.name), (c.id))) x GROUP BY name' ],
	[ 'a full join',
		'SELECT r.name, dp_count(1000) FROM customers c FULL JOIN regions r ON r.id = c.region GROUP BY r.name' ],
	[ 'a key of the hidden table',
		'SELECT c.region, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY c.region' ],
	[ '... beside one of the public one',
		'SELECT c.region, r.name, dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY 1, 2' ],
	[ 'a sample', 'SELECT r.name, dp_count(1000) FROM customers c '
		  . 'JOIN regions r TABLESAMPLE SYSTEM (100) ON r.id = c.region GROUP BY r.name' ],
	[ 'what is computed anew each time',
		'SELECT r.name || random(), dp_count(1000) FROM customers c JOIN regions r ON r.id = c.region GROUP BY 1' ],
	[ 'a catalog',
		'SELECT k.relname::text, dp_count(1000) FROM customers c JOIN pg_class k ON k.oid = c.region GROUP BY 1' ],)
{
	is($a->run($case->[1])->{sqlstate}, '42501', "refused: $case->[0]");
}
is($a->run('SELECT r.name, dp_count(1000) FROM customers c JOIN regions r ON r.continent = c.region '
	  . 'GROUP BY r.name')->{sqlstate}, '0A000', 'refused: rows that are paired with several');

# --- Whole numbers with more values than are listed -----------------------------------------------

# Their bins have keys by their form, as those of fractions; what has no form is refused with the number of values.
$s->value(<<'SQL');
CREATE TABLE earners (id int PRIMARY KEY, income int, fraction numeric, kind boolean NOT NULL);
INSERT INTO earners SELECT i, nullif(i * 79 % 3000, 7) * 50, nullif(i * 79 % 3000, 7) * 50, i % 3 = 0
  FROM generate_series(1, 3000) i;
SELECT idp.protect('earners', 1e12), idp.set_domain('earners', 'income', 0, 200000),
  idp.set_domain('earners', 'fraction', 0, 200000);
GRANT SELECT ON earners TO analyst;
SQL
my @bins = ('floor(income / 25000.0) * 25000', 'width_bucket(income, 0, 200000, 8)',
	"CASE WHEN income < 20000 THEN 'a' ELSE 'b' END", 'income < 20000', 'round(income, -4)',
	'floor(income / 50000.0), kind', 'floor(income / 50000.0), income < 70000');
my %bins = map { $_ => $a->value("SELECT $_, dp_count(1000) FROM earners GROUP BY "
	  . (/, (kind|income)/ ? '1, 2' : '1') . ' ORDER BY ' . (/, (kind|income)/ ? '1, 2' : '1')) } @bins;
foreach my $bin (@bins)
{
	my $by = $bin =~ /, (kind|income)/ ? '1, 2' : '1';
	my $of_fraction = $bin =~ s/income/fraction/gr;
	is($bins{$bin}, $a->value("SELECT $of_fraction, dp_count(1000) FROM earners GROUP BY $by ORDER BY $by"),
		"bins of whole numbers are those of fractions: $bin");
	is(join("\n", grep { !/[|]0\z/ } split /\n/, $bins{$bin}),
		$s->value("SELECT $bin, count(*) FROM earners GROUP BY $by ORDER BY $by"), '... with all rows');
}
is($a->value('SELECT b, dp_count(1000) FROM (SELECT income / 50000 AS b FROM earners WHERE kind) e '
	  . 'GROUP BY b ORDER BY b'),
	$s->value('SELECT b, count(e) FROM generate_series(0, 4) b LEFT JOIN earners e ON income / 50000 = b AND kind '
	. 'GROUP BY b UNION ALL SELECT NULL, count(*) FROM earners WHERE income IS NULL AND kind ORDER BY b'),
	'bins of a subquery');
like($a->run("SELECT $_->[0], dp_count(1000) FROM earners GROUP BY 1")->{message}, $_->[1],
	"refused: $_->[0]") foreach [ 'income', qr/200001 keys, more than 10000: group by something coarser/ ],
	[ 'income::text', qr/domain of 200001 values, more than 100000: declare a smaller one/ ];
my $bins_of = sub { join "\n", map { s/[|][^|]*\z//r } split /\n/, $_[0] };
$s->value('TRUNCATE earners');
is($bins_of->($a->value("SELECT $_, dp_count(1000) FROM earners GROUP BY "
	  . (/, (kind|income)/ ? '1, 2' : '1') . ' ORDER BY ' . (/, (kind|income)/ ? '1, 2' : '1'))),
	$bins_of->($bins{$_}), "the same bins without rows: $_") foreach @bins;

# --- Several expressions over one value -----------------------------------------------------------

# Labels and sort keys of tiers: those that come together, and no others, whatever rows there are.
$s->value(<<'SQL');
CREATE TABLE sales (id int PRIMARY KEY, amount numeric, score float8 NOT NULL, day date);
INSERT INTO sales SELECT i, CASE WHEN i % 7 > 0 THEN i % 40 * 5 END, CASE WHEN i % 11 = 0 THEN float8 'NaN'
  ELSE i % 10 END, date '2024-01-01' + i % 60 FROM generate_series(1, 1000) i;
SELECT idp.protect('sales', 1e12);
GRANT SELECT ON sales TO analyst;
SQL
my $tier = "CASE WHEN amount < 50 THEN %s WHEN amount >= 50 "
  . "AND amount < 100 THEN %s WHEN amount >= 100 THEN %s ELSE %s END";
my @tiers = (
	[ sprintf($tier, "'0'", "'1'", "'2'", "'9'") . ', ' . sprintf($tier, "'low'", "'middle'", "'high'", "'none'"), 4 ],
	[ sprintf($tier, 3, 2, 1, 'NULL') . ', amount >= 100', 4 ],
	[ 'amount > 10, 100 < amount, amount IS NULL', 4 ],
	[ 'amount = 100, amount <> 100, NOT amount BETWEEN 50 AND 150', 4 ],
	[ "CASE WHEN score < 3 THEN 'a' ELSE 'b' END, score > 100", 3 ],
	[ "day < '2024-02-01', CASE WHEN day < '2024-02-01' THEN 'January' WHEN day < '2024-02-10' THEN 'early' END", 4 ],
	[ 'amount > 10, score > 5', 6 ],
	[ "amount < 50, amount + 1 < 50", 5 ],
	[ "CASE WHEN amount < 50 THEN 'a' ELSE 'b' END, CASE WHEN NOT amount < 50.0 THEN 'd' ELSE 'c' END", 3 ]);
my %tiers;
foreach my $case (@tiers)
{
	my ($by, $most) = @$case;
	my $numbers = $by =~ /IS NULL|NOT/ && $by !~ /CASE/ ? '1, 2, 3' : '1, 2';
	my $query = "SELECT $by, dp_count(1000) FROM sales GROUP BY $numbers ORDER BY $numbers";
	my $answer = $tiers{$query} = $a->value($query);
	is(join("\n", grep { !/[|]0\z/ } split /\n/, $answer), $s->value($query =~ s/dp_count\(1000\)/count(*)/r),
		"all rows: $by");
	cmp_ok(1 + ($answer =~ tr/\n//), '<=', $most, '... in groups that can be') if $by !~ /score > 5|amount \+ 1/;
}
is($a->value("SELECT CASE WHEN amount < 50 THEN 'a' ELSE 'b' END AS k, CASE WHEN amount < 50 THEN 1 ELSE 2 END, "
	. "dp_sum(CASE WHEN amount < 50 THEN 1 ELSE 2 END, 1000, 0, 2) FROM sales GROUP BY 1, 2 "
	. "HAVING dp_count(1000) > 0 ORDER BY k"),
	$s->value("SELECT CASE WHEN amount < 50 THEN 'a' ELSE 'b' END, CASE WHEN amount < 50 THEN 1 ELSE 2 END, sum(CASE "
		. "WHEN amount < 50 THEN 1 ELSE 2 END) FROM sales GROUP BY 1, 2 ORDER BY 1"), 'in arguments and HAVING');
is($a->value("SELECT amount < 50, amount < 50.0, dp_count(1000) >= 0 FROM sales WHERE amount IS NOT NULL "
	  . "GROUP BY ROLLUP (1, 2) ORDER BY 1, 2") =~ tr/\n// > 4, 1, 'with totals as before');
$s->value('TRUNCATE sales');
is($bins_of->($a->value($_)), $bins_of->($tiers{$_}), "the same groups without rows: $_") foreach sort keys %tiers;

# Where no rows are hidden groups are those there are.
$s->value("CREATE TABLE open (id integer PRIMARY KEY, region integer); INSERT INTO open VALUES (1, 1); "
	  . "SELECT idp.protect('open', 1e9, rows => 'visible'); GRANT SELECT ON open TO analyst");
is($a->value('SELECT r.name, dp_count(1000) FROM open c JOIN regions r ON r.id = c.region GROUP BY r.name'), 'r1|1',
	'over visible rows');
is($a->value("SELECT r.name, dp_count(1000) FROM regions r WHERE random() < 0 GROUP BY r.name"), '',
	'over public ones');

done_testing();

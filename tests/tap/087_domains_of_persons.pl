# Domains of linked tables, and what conditions leave of them: every key that can have rows, whatever rows there are,
# and no other.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('domains_of_persons', 'fsync = off', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE TYPE state AS ENUM ('new', 'shipped', 'lost');
ALTER TYPE state ADD VALUE 'paid' BEFORE 'shipped';
ALTER TYPE state ADD VALUE 'packed' BEFORE 'shipped';
CREATE TABLE nations (name text PRIMARY KEY, continent text NOT NULL);
INSERT INTO nations VALUES ('Peru', 'America'), ('Chile', 'America'), ('Togo', 'Africa'), ('Mali', 'Africa');
CREATE TABLE customers (id integer PRIMARY KEY, nation text NOT NULL, born date NOT NULL, grade smallint);
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers, day date NOT NULL,
  state state NOT NULL, kind text, price numeric(10, 2));
CREATE TABLE items (id integer PRIMARY KEY, "order" integer NOT NULL REFERENCES orders, quantity integer,
  flag boolean NOT NULL);
INSERT INTO customers SELECT i, (ARRAY['Peru', 'Chile', 'Togo'])[1 + i % 3], date '1950-01-01' + i * 50,
  CASE WHEN i % 7 > 0 THEN i % 7 END FROM generate_series(1, 300) i;
INSERT INTO orders SELECT i, 1 + i % 300, date '2024-01-01' + i % 300, (ARRAY['new', 'paid', 'shipped',
  'packed'])[1 + i % 4]::state, CASE WHEN i % 5 > 0 THEN 'k' || i % 5 END, i % 1000 FROM generate_series(1, 3000) i;
INSERT INTO items SELECT i, 1 + i % 3000, i % 9, i % 2 = 0 FROM generate_series(1, 6000) i;
ANALYZE;
SELECT idp.protect('customers', 1e9, 'add_remove', unit => 'id'), idp.link('orders', 'customer', 'customers'),
  idp.link('items', 'order', 'orders');
SELECT idp.set_domain('customers', 'nation', ARRAY['Peru', 'Chile', 'Mali']),
    idp.set_domain('customers', 'born', '1940-01-01', '2006-12-31'),
    idp.set_domain('customers', 'grade', 1, 4), idp.set_domain('orders', 'state', enum_range(NULL::state)),
    idp.set_domain('orders', 'day', '2023-01-01', '2024-12-31'),
    idp.set_domain('orders', 'kind', ARRAY['k1', 'k2']);
CREATE ROLE analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

my $first = 'SELECT *, row_number() OVER (PARTITION BY customer ORDER BY day, id) AS r FROM orders';
my $five = "($first) o WHERE r <= 5";
my $kinds = "(VALUES ('k1'), ('k2'), (NULL)) k (key)";
my @plans = ('SET enable_hashjoin = on', 'SET enable_hashjoin = off; SET enable_mergejoin = off',
	"SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	. "SET min_parallel_table_scan_size = 0");
my $turn = 0;
my %keys;    # of each query that is answered
sub keys_in { return join "\n", sort map { s/[|][^|]*\z//r } split /\n/, $_[0] }

# What is answered, what that costs, and the exact groups as the owner has them.
foreach my $case (
	# rows that are bounded, the rows of persons, joins
	[ "SELECT state, dp_count(1000) FROM $five GROUP BY state", 5000, "SELECT s, count(o) "
		  . "FROM unnest(enum_range(NULL::state)) s LEFT JOIN (SELECT * FROM $five) o ON o.state = s GROUP BY s" ],
	[ "SELECT kind, dp_count(1000) FROM $five GROUP BY kind", 5000, "SELECT key, count(o) FROM $kinds "
		  . "LEFT JOIN (SELECT * FROM $five) o ON o.kind IS NOT DISTINCT FROM key GROUP BY key" ],
	[ "SELECT o.state, kind = 'k1', dp_count(1000) FROM $five AND kind IS NOT NULL GROUP BY 1, 2", 5000,
		"SELECT s, key = 'k1', count(o) FROM unnest(enum_range(NULL::state)) s CROSS JOIN $kinds LEFT JOIN "
		. "(SELECT * FROM $five) o ON o.state = s AND o.kind = key WHERE key IS NOT NULL GROUP BY 1, 2" ],
	[ 'SELECT nation, dp_count(1000) FROM (SELECT c.id, c.nation, sum(price) AS spent FROM customers c '
		. 'JOIN orders o ON o.customer = c.id GROUP BY c.id, c.nation) x WHERE spent > 100 GROUP BY nation', 1000,
		"SELECT k, count(id) FROM unnest(ARRAY['Peru', 'Chile', 'Mali']) k "
		  . "LEFT JOIN (SELECT c.id, c.nation FROM customers c JOIN orders o ON o.customer = c.id "
		  . "GROUP BY c.id, c.nation HAVING sum(price) > 100) c ON nation = k GROUP BY k" ],
	[ "SELECT c.nation, dp_count(1000) FROM customers c JOIN ($first) o ON o.customer = c.id WHERE r <= 2 "
		. "GROUP BY c.nation", 2000,
		"SELECT k, count(id) FROM unnest(ARRAY['Peru', 'Chile', 'Mali']) k LEFT JOIN (SELECT c.id, nation "
		. "FROM customers c JOIN ($first) o ON o.customer = c.id AND r <= 2) c ON nation = k GROUP BY k" ],
	[ 'SELECT nation, dp_count(1000) FROM customers c JOIN nations n ON n.name = c.nation GROUP BY nation', 1000,
		"SELECT k, count(id) FROM unnest(ARRAY['Peru', 'Chile', 'Mali']) k LEFT JOIN customers ON nation = k "
		. "GROUP BY k" ],
	[ 'SELECT o.kind, dp_count(1000) FROM customers c, orders o '
		  . 'WHERE o.customer = c.id AND o.id <= 300 GROUP BY o.kind', undef, undef ],
	[ "WITH o AS MATERIALIZED ($first) SELECT kind, dp_count(1000) FROM o WHERE r <= 5 GROUP BY kind", 5000,
		"SELECT key, count(o) FROM $kinds LEFT JOIN (SELECT * FROM $five) o ON o.kind IS NOT DISTINCT FROM key "
		. "GROUP BY key" ],
	[ "SELECT kind, dp_count(1000) FROM $five GROUP BY ROLLUP (kind)", 10000,
		"SELECT key, count(o) FROM $kinds LEFT JOIN (SELECT * FROM $five) o ON o.kind IS NOT DISTINCT FROM key "
		. "GROUP BY key UNION ALL SELECT NULL, count(*) FROM $five AND (kind IN ('k1', 'k2') OR kind IS NULL)" ],
	# conditions on keys
	[ "SELECT state, dp_count(1000) FROM $five AND state IN ('paid', 'shipped') GROUP BY state", 5000,
		"SELECT state, count(*) FROM $five AND state IN ('paid', 'shipped') GROUP BY state" ],
	[ "SELECT state, dp_count(1000) FROM ($first WHERE state IN ('paid', 'lost')) o WHERE r <= 5 GROUP BY state", 5000,
		"SELECT s, count(o) FROM unnest(ARRAY['paid', 'lost']::state[]) s LEFT JOIN (SELECT * FROM ($first "
		. "WHERE state IN ('paid', 'lost')) o WHERE r <= 5) o ON o.state = s GROUP BY s" ],
	[ "SELECT state, dp_count(1000) FROM $five AND state > 'paid' GROUP BY state", 5000,
		"SELECT s, count(o) FROM unnest(enum_range('packed'::state, NULL)) s LEFT JOIN (SELECT * "
		. "FROM $five) o ON o.state = s GROUP BY s" ],
	[ "SELECT kind, dp_count(1000) FROM $five AND (kind = 'k1' OR kind IS NULL) GROUP BY kind", 5000,
		"SELECT kind, count(*) FROM $five AND (kind = 'k1' OR kind IS NULL) GROUP BY kind" ],
	[ "SELECT kind, dp_count(1000) FROM $five AND kind = 'k1' GROUP BY kind", 5000,
		"SELECT kind, count(*) FROM $five AND kind = 'k1' GROUP BY kind" ],
	[ "SELECT kind, dp_count(1000) FROM $five AND (kind = 'k1' OR price < 0) GROUP BY kind", 5000,
		"SELECT key, count(o) FROM $kinds LEFT JOIN (SELECT * FROM $five AND kind = 'k1') o ON o.kind = key "
		. "GROUP BY key" ],
	[ "SELECT kind, dp_count(1000) FROM $five AND NOT (kind = 'k1' AND price >= 0) GROUP BY kind", 5000,
		"SELECT key, count(o) FROM $kinds LEFT JOIN (SELECT * FROM $five "
		. "AND (kind <> 'k1') IS NOT FALSE) o ON o.kind IS NOT DISTINCT FROM key AND kind IS NOT NULL GROUP BY key" ],
	[ "SELECT kind, dp_count(1000) FROM $five AND kind = 'none' GROUP BY kind", 5000, 'SELECT 1 WHERE false' ],
	[ "SELECT kind, dp_count(1000) FROM $five AND kind LIKE '%2' GROUP BY kind", 5000,
		"SELECT kind, count(*) FROM $five AND kind = 'k2' GROUP BY kind" ],
	[ "SELECT kind, dp_count(1000) FROM $five AND coalesce(kind, 'no') <> 'k1' GROUP BY kind", 5000,
		"SELECT key, count(o) FROM $kinds LEFT JOIN (SELECT * FROM $five) o ON o.kind IS NOT DISTINCT FROM key "
		. "WHERE coalesce(key, 'no') <> 'k1' GROUP BY key" ],
	[ "SELECT o.kind, dp_count(1000) FROM customers c JOIN ($first) o ON o.customer = c.id AND o.kind > 'k1' "
		. "WHERE r <= 5 GROUP BY o.kind", 5000, "SELECT kind, count(*) FROM $five AND kind = 'k2' GROUP BY kind" ],
	[ "SELECT nation, dp_count(1000) FROM customers WHERE nation = 'Mali' OR id < 0 GROUP BY nation", 1000,
		"SELECT k, 0 FROM unnest(ARRAY['Peru', 'Chile', 'Mali']) k" ],
	[ "SELECT nation, dp_count(1000) FROM customers WHERE EXISTS (SELECT FROM nations WHERE name = nation "
		. "AND continent = 'Africa') GROUP BY nation", 1000,
		"SELECT k, 0 FROM unnest(ARRAY['Peru', 'Chile', 'Mali']) k" ],
	[ "SELECT count(n), sum(n) FROM (SELECT day, dp_count(1000) AS n FROM $five AND day >= '2024-06-01' "
		. "AND day < date '2024-06-01' + 30 GROUP BY day) d", 5000,
		"SELECT 30, count(*) FROM $five AND day >= '2024-06-01' AND day < '2024-07-01'" ],
	[ "SELECT count(n), sum(n) FROM (SELECT day, dp_count(1000) AS n FROM $five AND extract(year "
		. "FROM day) = 2024 AND extract(month FROM day) = 6 GROUP BY day) d", 5000,
		"SELECT 30, count(*) FROM $five AND day >= '2024-06-01' AND day < '2024-07-01'" ],
	[ "SELECT count(n) FROM (SELECT day, dp_count(1000) AS n "
		  . "FROM $five AND day > current_date - 365000 GROUP BY day) d", 5000, 'SELECT 731' ],
	[ "SELECT grade, dp_count(1000) FROM customers WHERE grade BETWEEN 2 AND 9 AND grade <> 3 GROUP BY grade", 1000,
		'SELECT grade, count(*) FROM customers WHERE grade IN (2, 4) GROUP BY grade' ],
	[ "SELECT grade, dp_count(1000) FROM customers WHERE grade IS NOT NULL GROUP BY grade", 1000,
		'SELECT grade, count(*) FROM customers WHERE grade <= 4 GROUP BY grade' ],
	[ "SELECT grade, dp_count(1000) FROM customers WHERE 10 / (grade - 2) > 0 GROUP BY grade", 1000,
		'SELECT grade, count(*) FROM customers WHERE grade IN (3, 4) GROUP BY grade' ],
	# bounds of more days than groups can have
	[ "SELECT extract(year FROM born), dp_count(1000) FROM customers GROUP BY 1", 1000,
		'SELECT y, count(c) FROM generate_series(1940, 2006) y LEFT JOIN customers c ON extract(year '
		. 'FROM born) = y GROUP BY 1' ],
	[ "SELECT count(n), sum(n) FROM (SELECT date_trunc('year', born), dp_count(1000) AS n FROM customers GROUP BY 1) q",
		1000, 'SELECT 67, 300' ],
	[ "SELECT count(n), sum(n) FROM (SELECT nation, date_trunc('year', born), dp_count(1000) AS n "
		. "FROM customers GROUP BY 1, 2) q", 1000,
		"SELECT 201, count(*) FROM customers WHERE nation IN ('Peru', 'Chile')" ],
	[ "SELECT count(n), sum(n) FROM (SELECT born, dp_count(1000) AS n FROM customers "
		. "WHERE born BETWEEN '1960-01-01' AND '1961-12-31' GROUP BY 1) q", 1000,
		"SELECT 731, count(*) FROM customers WHERE born BETWEEN '1960-01-01' AND '1961-12-31'" ], )
{
	my ($query, $cost, $exact) = @$case;
	my $before = spent($s, 'customers');
	my $r = $a->run("$plans[$turn++ % @plans]; $query");
	$a->value("RESET enable_hashjoin; RESET enable_mergejoin; RESET $force_parallel; RESET parallel_setup_cost; "
		  . "RESET parallel_tuple_cost; RESET min_parallel_table_scan_size");
	my $sorted = join "\n", sort split /\n/, $r->{out};
	if (defined $exact)
	{
		is($sorted . ($r->{message} // ''), join("\n", sort split /\n/, $s->value($exact)), $query);
		is(spent($s, 'customers') - $before, $cost, '... and its cost');
		$keys{$query} = keys_in($r->{out});
	}
	else
	{
		like($r->{message}, qr/one unit may have any number/, "the rows are refused, not their groups: $query");
	}
}

# a plan that is kept: the value of a parameter leaves out keys when it runs
$a->value("SET plan_cache_mode = force_generic_plan; PREPARE by_kind(text) AS SELECT kind, dp_count(1000) "
	  . "FROM $five AND kind = \$1 GROUP BY kind");
is($a->value("EXECUTE by_kind('$_')"),
	$s->value("SELECT kind, count(*) FROM $five AND kind = '$_' AND kind IN ('k1', 'k2') GROUP BY kind"),
	"prepared: $_") foreach 'k1', 'k2', 'k3';

# a key does not go because there is no row of it, nor does one come because there is
my @rows = map { "INSERT INTO customers SELECT i, 'Mali', date '2000-01-01' + i, 2 FROM generate_series(1, 9) i;
	INSERT INTO orders SELECT i, 1 + i % 9, date '2024-06-01' + i % 40, '$_', 'k3', -1 FROM generate_series(1, 90) i" }
  'lost', 'packed';
foreach my $rows ('', @rows)
{
	$s->value("TRUNCATE customers, orders, items; $rows");
	is(keys_in($a->value($_)), $keys{$_}, "the same keys of other rows: $_") foreach sort keys %keys;
}

# too many keys: how many, and what to do
foreach my $case (
	[ 'SELECT born, dp_count(1) FROM customers GROUP BY born', q{GROUP BY of column "born" has 24472 keys, }
		  . q{more than 10000: group by something coarser, such as date_trunc('year', born)} ],
	[ "SELECT day, kind, state, dp_count(1) FROM $five GROUP BY 1, 2, 3", q{columns "day", "kind", "state" of }
		  . q{GROUP BY have 10965 keys together, more than 10000: group by fewer columns} ],
	[ 'SELECT extract(year FROM born), extract(doy FROM born), grade, nation, dp_count(1) FROM customers '
		. 'GROUP BY 1, 2, 3, 4',
		q{columns "born", "grade", "nation" of }
		  . q{GROUP BY have 367080 keys together, more than 100000: group by fewer columns} ],
		)
{
	my $r = $a->run($case->[0]);
	is($r->{message}, $case->[1], "too many keys: $case->[0]");
	is($r->{sqlstate}, '54000', '... and its class');
}

done_testing();

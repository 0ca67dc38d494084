# What analysts are refused, as they write it, and the first line that they are told, which is all that many clients
# show: the reason that they can act on, and what to write instead. It is the same whatever rows there are.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

# The check is tested, not what becomes of plain aggregates before: tests/tap/099_plain_sql.pl.
my $node = new_node('refusals', 'idp.rewrite = off', 'fsync = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE TYPE health AS ENUM ('excellent', 'good', 'fair', 'poor');
CREATE TABLE nations (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE customers (id integer PRIMARY KEY, nation integer, born date NOT NULL, health health,
  name text, income float8);
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers, day date NOT NULL,
  status text NOT NULL, price numeric(10, 2), weight numeric, note text, doc json);
CREATE TABLE staff (id integer, dept text, age integer, salary numeric(10, 2), ratio float8, health health, note text);
SELECT idp.protect('customers', 100, unit => 'id'), idp.link('orders', 'customer', 'customers'),
  idp.protect('staff', 100, delta => 1e-3, min_epsilon => 0.05);
SELECT idp.set_domain('customers', 'born', '1940-01-01', '2006-12-31'),
  idp.set_domain('orders', 'status', ARRAY['new', 'paid']), idp.set_domain('staff', 'dept', ARRAY['a', 'b']);
CREATE FUNCTION mine(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 + 1; END';
CREATE TABLE logins (id integer, at timestamptz NOT NULL, day timestamp NOT NULL);
SELECT idp.protect('logins', 100), idp.set_domain('logins', 'at', '2025-01-01', '2026-01-01', grain => '1 day',
  zone => 'Europe/Berlin'), idp.set_domain('logins', 'day', '2025-01-01', '2025-01-31', grain => '1 day');
CREATE TABLE notes (id integer PRIMARY KEY, name text);
CREATE AGGREGATE latest(integer) (SFUNC = int4larger, STYPE = integer);
CREATE FUNCTION today() RETURNS date LANGUAGE plpgsql STABLE AS 'BEGIN RETURN current_date; END';
CREATE ROLE analyst;
GRANT ALL ON SCHEMA public TO analyst;
GRANT ALL ON ALL TABLES IN SCHEMA public TO analyst;
REVOKE ALL ON nations FROM analyst;
GRANT SELECT ON nations TO analyst;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

my $privately = 'ask for private aggregates, such as dp_count(0.1)';
my $staff = 'rows of table "staff" are hidden from role "analyst": ';
my $orders = 'rows of table "orders" are hidden from role "analyst": ';
my $logins = 'rows of table "logins" are hidden from role "analyst": ';
my $customers = 'rows of table "customers" are hidden from role "analyst": ';
my $by_dept = 'group by columns with a domain, here "dept", or add HAVING dp_keep_group(epsilon, delta)';
my $applied = ' cannot be applied to hidden rows of table "staff": ';
my $regex = 'give a constant of at most 200 characters, without back references and lookaround';
my $counted = 'dp_count of protected table "customers" cannot be computed over ';
my $first = '(SELECT *, row_number() OVER (PARTITION BY customer ORDER BY day, id) AS r FROM orders) o WHERE r <= 5';
my @refusals = (
	# rows, and native aggregates
	[ 'SELECT * FROM staff', "$staff$privately" ],
	[ 'TABLE staff', "$staff$privately" ],
	[ 'SELECT * FROM staff LIMIT 100', "$staff$privately" ],
	[ 'SELECT DISTINCT dept, note FROM staff', "$staff$privately" ],
	[ 'SELECT dept FROM staff ORDER BY health', "$staff$privately" ],
	[ 'SELECT 1 FROM staff WHERE mine(age) > 3', "$staff$privately" ],
	[ 'CREATE TABLE copy AS SELECT * FROM staff', "$staff$privately" ],
	[ 'COPY staff TO STDOUT', "${staff}copy private answers, as in COPY (SELECT dp_count(0.1) …) TO" ],
	[ 'SELECT count(*) FROM staff', "${staff}write dp_count(epsilon) in place of count" ],
	[ 'SELECT count(DISTINCT dept) FROM staff', "${staff}write dp_count_distinct(x, epsilon) in place of count" ],
	[ 'SELECT sum(salary) FROM staff', "${staff}write dp_sum(x, epsilon) in place of sum" ],
	[ 'SELECT avg(salary) FROM staff', "${staff}write dp_avg(x, epsilon) in place of avg" ],
	[ 'SELECT max(age) FROM staff', "${staff}write dp_max(x, epsilon, lower, upper) in place of max" ],
	[ 'SELECT min(age) FROM staff', "${staff}write dp_min(x, epsilon, lower, upper) in place of min" ],
	[ 'SELECT stddev(age) FROM staff', "${staff}write dp_stddev(x, epsilon) in place of stddev" ],
	[ 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM staff',
		"${staff}write dp_quantile(x, epsilon, lower, upper, fraction) in place of percentile_cont" ],
	[ 'SELECT array_agg(note) FROM staff', "$staff$privately" ],
	[ 'SELECT dept, count(*) FROM staff GROUP BY dept', "${staff}write dp_count(epsilon) in place of count" ],
	[ 'SELECT health, count(*) FROM staff GROUP BY health', "${staff}write dp_count(epsilon) in place of count" ],
	[ 'SELECT dept, dp_count(0.1), max(age) FROM staff GROUP BY dept',
		"${staff}write dp_max(x, epsilon, lower, upper) in place of max" ],
	[ 'SELECT sum(price) FROM orders', "${orders}write dp_sum(x, epsilon) in place of sum" ],
	# groups
	[ 'SELECT note, dp_count(0.1) FROM staff GROUP BY note', "$staff$by_dept" ],
	[ 'SELECT health, dp_count(0.1) FROM staff GROUP BY health', "$staff$by_dept" ],
	[ 'SELECT ratio, dp_count(0.1) FROM staff GROUP BY ratio', "$staff$by_dept" ],
	[ 'SELECT mine(age), dp_count(0.1) FROM staff GROUP BY 1', "$staff$by_dept" ],
	[ "SELECT substring(note from '[a-z]+'), dp_count(0.1) FROM staff GROUP BY 1", "$staff$by_dept" ],
	# of instants it names the cells, which are those of a zone
	[ "SELECT date_trunc('day', at), dp_count(0.1) FROM logins GROUP BY 1",
		"${logins}group by date_trunc('day', at, 'Europe/Berlin'), or by what is coarser" ],
	[ 'SELECT h, dp_count(0.1) FROM (SELECT date_trunc($$hour$$, day) AS h, at FROM logins OFFSET 0) l GROUP BY h, at',
		"${logins}group by date_trunc('day', day) and date_trunc('day', at, 'Europe/Berlin'), or by what is coarser" ],
	[ "SELECT id, dp_count(0.1) FROM logins GROUP BY id, date_trunc('day', day)",
		qq{${logins}group by columns with a domain, here "at", "day"} ],
	[ 'SELECT nation, dp_count(0.1) FROM customers GROUP BY nation',
		"${customers}group by columns with a domain, here \"born\"" ],
	[ 'SELECT health, dp_count(0.1) FROM customers GROUP BY health',
		"${customers}group by columns with a domain, here \"born\"" ],
	[ 'SELECT born, dp_count(0.1) FROM customers GROUP BY born', q{GROUP BY of column "born" has 24472 keys, }
		  . q{more than 10000: group by something coarser, such as date_trunc('year', born)} ],
	[ "SELECT note, dp_count(0.1) FROM $first GROUP BY note",
		"${orders}group by columns with a domain, here \"status\"" ],
	[ 'SELECT health, dp_count(0.1) FROM staff GROUP BY health HAVING dp_keep_group(0.1, 1e-6) OR dp_count(0.1) > 3',
		"${staff}write HAVING dp_keep_group(epsilon, delta) by itself, or with AND" ],
	[ "SELECT age * interval '1 day', dp_count(0.1) FROM staff GROUP BY 1 HAVING dp_keep_group(0.1, 1e-6)",
		"${staff}group by a value of another type than interval, such as an integer" ],
	[ "SELECT note, dp_count(0.1, 'n ' || note) FROM staff GROUP BY note HAVING dp_keep_group(0.1, 1e-6)",
		"${staff}ask for kept groups without release names" ],
	[ 'SELECT name, dp_count(0.1) FROM customers GROUP BY name HAVING dp_keep_group(0.1, 1e-6)',
		'dp_keep_group is not answered over table "customers", which has no delta: its owner can allow one with '
		. 'idp.protect' ],
	# what is done with each row
	[ "SELECT dp_count(0.1) FROM staff WHERE note ~ dept", "function textregexeq(text,text)${applied}$regex" ],
	[ "SELECT dp_count(0.1) FROM staff WHERE regexp_replace(note, 'a', 'b') = 'b'",
		"function regexp_replace(text,text,text)${applied}write substring(x FROM 'pattern'), or apply it to answers" ],
	[ "SELECT dp_count(0.1) FROM staff WHERE note ~ '(a)\\1'", "function textregexeq(text,text)${applied}$regex" ],
	[ "SELECT dp_count(0.1) FROM staff WHERE note ~ '(?=a)b'", "function textregexeq(text,text)${applied}$regex" ],
	[ "SELECT dp_count(0.1) FROM staff WHERE note ~ repeat('a', 201)",
		"function textregexeq(text,text)${applied}$regex" ],
	[ "SELECT dp_count(0.1) FROM staff WHERE note ~ '(a'", 'invalid regular expression: parentheses () not balanced' ],
	[ "SELECT dp_count(0.1) FROM staff WHERE width_bucket(age, ARRAY[1, NULL]) = 1",
		"function width_bucket(anycompatible,anycompatiblearray)${applied}compare columns as they are, or apply "
		. "it to answers" ],
	[ "SELECT dp_count(0.1) FROM staff WHERE note LIKE dept",
		"function textlike(text,text)${applied}give a constant pattern" ],
	[ 'SELECT dp_count(0.1) FROM staff WHERE mine(age) > 3',
		"function mine(integer)${applied}a superuser can allow it with idp.trust_function" ],
	[ "SELECT dp_count(0.1) FROM staff WHERE repeat(note, 2) = 'aa'",
		"function repeat(text,integer)${applied}compare columns as they are, or apply it to answers" ],
	[ 'SELECT dp_count(0.1) FROM staff WHERE staff IS NOT NULL',
		"a test of the columns of a value${applied}test its columns" ],
	[ 'SELECT dp_count(0.1) FROM staff WHERE age > 3 AND today() > current_date', 'function today() cannot be '
		  . 'evaluated before hidden rows of table "staff" are read: write its value in its place' ],
	[ 'SELECT idp_median(s, 1) FROM (SELECT customer, sum(weight) AS s FROM orders GROUP BY customer) o',
		'function sum(numeric) cannot be applied to hidden rows of table "orders": write sum(x::numeric(12,2))' ],
	[ 'SELECT idp_median(s, 1) FROM (SELECT id, avg(income) AS s FROM customers GROUP BY id) o',
		'function avg(double precision) cannot be applied to hidden rows of table "customers": write '
		. 'avg(x::numeric(12,2))' ],
	[ 'SELECT dp_count(0.1) FROM (SELECT customer, array_agg(day) AS d FROM orders GROUP BY customer) o '
		. 'WHERE d IS NOT NULL',
		'function array_agg(anynonarray) cannot be applied to hidden rows of table "orders": use count, min, '
		. 'max, sum or avg' ],
	# what aggregates read
	[ 'SELECT dp_count(0.1) FROM orders',
		'dp_count of protected table "customers" cannot be computed over rows of which one unit may have any '
		. 'number: group by its key first, or bound them by row_number()' ],
	[ 'SELECT status, dp_count(0.1) FROM orders GROUP BY status',
		'dp_count of protected table "customers" cannot be computed over rows of which one unit may have any '
		. 'number: group by its key first, or bound them by row_number()' ],
	[ 'SELECT dp_count(0.1) FROM customers c JOIN orders o ON o.customer = c.id',
		'dp_count of protected table "customers" cannot be computed over rows of which one unit may have any '
		. 'number: group by its key first, or bound them by row_number()' ],
	[ "SELECT idp_median(price, 1) FROM $first", 'idp_median of protected table "customers" needs 5 epsilons: '
		  . 'give an array, or use an aggregate whose name begins with dp_' ],
	[ 'SELECT dp_count(0.1) FROM staff s JOIN nations n ON n.name = s.dept',
		'dp_count of protected table "staff" cannot be computed over a join: join on a unique key of a public '
		. 'table, or along a link' ],
	[ 'SELECT dp_count(0.1) FROM staff s JOIN notes n ON n.id = s.id',
		'table "notes" cannot be joined to hidden rows of table "staff": it has to be of the same owner, and '
		. 'role "analyst" to have SELECT alone' ],
	[ 'SELECT dp_count(0.1) FROM (SELECT * FROM staff LIMIT 10) s',
		'dp_count of protected table "staff" cannot be computed over LIMIT: choose rows with WHERE' ],
	[ 'SELECT dp_count(0.1) FROM (SELECT DISTINCT age FROM staff) s',
		'dp_count of protected table "staff" cannot be computed over another aggregate, or DISTINCT: group by '
		. 'the key of a unit, or use dp_count_distinct' ],
	[ 'SELECT dp_count(0.1) FROM staff WHERE salary > (SELECT avg(salary) FROM staff)',
		"${staff}write dp_avg(x, epsilon) in place of avg" ],
	[ 'SELECT dp_count(0.1) FROM (SELECT DISTINCT ON (customer) * FROM orders ORDER BY customer, day) o',
		"${counted}DISTINCT ON whose ORDER BY leaves open which row comes first: add a unique key to ORDER BY" ],
	[ 'SELECT dp_count(0.1) FROM customers c RIGHT JOIN nations n ON n.id = c.nation',
		"${counted}rows of an outer join that belong to nobody: leave them out with FILTER (WHERE … IS NOT NULL)" ],
	[ 'SELECT dp_count_distinct(w::text, 0.1) FROM (SELECT customer, max(weight) AS w FROM orders '
		. 'GROUP BY customer) o',
		'dp_count_distinct of protected table "customers" cannot be computed over a value of which there may be '
		. 'several equal ones that look different: bring it to one form first, as x::numeric(12,2) does' ],
	[ 'SELECT dp_count(0.1) FROM staff TABLESAMPLE system (10)',
		'dp_count of protected table "staff" cannot be computed over TABLESAMPLE: choose rows with WHERE' ],
	[ 'SELECT dp_count(0.01) FROM staff', 'epsilon is below the minimum of table "staff": give at least 0.05' ],
	[ 'SELECT dp_sum(salary, ratio) FROM staff', 'epsilon must be a constant or a parameter of the query' ],
	# other statements
	[ 'UPDATE staff SET salary = 0',
		'UPDATE is refused: rows of table "staff" are hidden from role "analyst", so its owner has to do it' ],
	[ 'DELETE FROM staff',
		'DELETE is refused: rows of table "staff" are hidden from role "analyst", so its owner has to do it' ],
	[ 'INSERT INTO staff VALUES (1) RETURNING *', 'INSERT … '
		  . 'RETURNING is refused: rows of table "staff" are hidden from role "analyst", so its owner has to do it' ],
	[ 'EXPLAIN ANALYZE SELECT age FROM staff', undef ],
	[ 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(0.1) FROM staff',
		"${staff}ask in ISOLATION LEVEL REPEATABLE READ" ],
	[ 'SELECT dp_count(0.1) FROM staff FOR UPDATE', undef ],);
cmp_ok(scalar @refusals, '>=', 40, 'refusals');

# The same over no rows and over some.
my %hints;
foreach my $rows ('',
	"INSERT INTO staff SELECT i, 'd' || i % 3, i, i, i, 'good', 'n' || i FROM generate_series(1, 50) i;
	INSERT INTO nations VALUES (1, 'd1');
	INSERT INTO customers SELECT i, 1, '2000-01-01', 'poor', 'x', i FROM generate_series(1, 20) i;
	INSERT INTO orders SELECT i, 1 + i % 20, '2024-01-01', 'paid', i, i, 'x', '{}'
		FROM generate_series(1, 100) i; ANALYZE")
{
	$s->value($rows) if $rows;
	foreach my $refusal (@refusals)
	{
		my ($sql, $message) = @$refusal;
		my $r = $a->run($sql);
		$a->run('ROLLBACK');
		is($r->{message}, $message, ($rows ? 'over rows: ' : 'over none: ') . $sql) if defined $message;
		isnt($r->{sqlstate}, undef, "refused: $sql");
		$hints{ $r->{hint} }++ if defined $r->{hint};
		# as PostgreSQL's own messages are written
		unlike($r->{message}, qr/[.]\z/, '... without a stop');
		cmp_ok(length $r->{message}, '<', 200, '... and short');
	}
}
my $most = (reverse sort map { sprintf "%6d", $_ } values %hints)[0];
cmp_ok($most, '<', scalar @refusals, 'hints are not one and the same');
cmp_ok(scalar keys %hints, '>=', 15, 'but many');

# Which columns have no domain, and which have one, of all tables that are read.
my $both = 'orders o JOIN customers c ON c.id = o.customer';
foreach my $named (
	[ 'SELECT note, dp_count(0.1) FROM staff GROUP BY note', 'Column "note" of table "staff" has no domain.' ],
		[ 'SELECT dept, health, upper(note), dp_count(0.1) FROM staff GROUP BY 1, 2, 3',
		'Column "health" of table "staff" has no domain. Column "note" of table "staff" has no domain.' ],
	[ "SELECT o.status, c.nation, dp_count(0.1) FROM $both GROUP BY 1, 2",
		'Column "nation" of table "customers" has no domain.' ],
		[ "SELECT c.health, c.health || 'x', dp_count(0.1) FROM $both GROUP BY 1, 2",
		'Column "health" of table "customers" has no domain.' ])
{
	my ($sql, $detail) = @$named;
	is($a->run($sql)->{detail}, "A group of GROUP BY shows that there is a row with its key. $detail",
		"names what has no domain: $sql");
}
like($a->run("SELECT c.nation, dp_count(0.1) FROM $both GROUP BY 1")->{message},
	qr/group by columns with a domain, here ("customers"."born", "orders"."status"|"orders"."status", "customers"."born")/,
	'and what has one, by its table');

# Over rows that are visible the first reason is another one.
$s->value("SELECT idp.protect('customers', 100, rows => 'visible')");
is($a->run('SELECT dp_count(0.1) FROM (SELECT name, latest(id) AS l FROM nations n GROUP BY name OFFSET 0) n '
	  . 'JOIN customers c ON c.nation = n.l')->{message},
	"${counted}an aggregate that is not the server's own: use the server's",
	'an aggregate of a user, over visible rows');

done_testing();

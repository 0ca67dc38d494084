# Random plain statements over the tables of PlainSql, from two databases that differ in one person and all her orders,
# and in one event.
package PlainWorlds;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IdpTest;
use PlainSql;

our @EXPORT = qw(plain_worlds plain_statement spent_in);

# The databases, as a superuser and as an analyst have them. repeat: for how long answers are kept, if they are.
sub plain_worlds
{
	my ($node, $repeat) = @_;
	session($node)->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; CREATE DATABASE one; '
		  . 'CREATE DATABASE other');
	my @worlds = map {
		my $s = session($node, $_);
		$s->{quiet} = 1;
		# few rows, so that one of them matters
		# the domain of births ends within a year: one person's is beyond, another one has its year, a third its month
		$s->value(plain_tables() . 'DELETE FROM orders WHERE customer_id > 200; DELETE FROM customers WHERE id > 200; '
			  . 'DELETE FROM events WHERE id > 400;' . protection()
			  . "SET ROLE owner; SELECT idp.set_domain('customers', 'born', '1950-01-01', '2006-03-31'); RESET ROLE");
		$s->value("SET ROLE owner; SELECT idp.protect('customers', 1e12, unit => 'id', delta => 0.1, "
			  . "repeat => '$repeat', max_epsilon => 1000), idp.protect('events', 1e12, delta => 0.1, "
			  . "repeat => '$repeat', max_epsilon => 1000); RESET ROLE") if defined $repeat;
		$s->value(<<'SQL');
SET ROLE owner;
CREATE TABLE rates (status text, channel varchar(10), rate numeric(4, 2), weight float8, people int, since date,
  PRIMARY KEY (status, channel));
INSERT INTO rates SELECT s, c, length(s) / 4.0, length(c) / 8.0, length(s) * 100, date '2020-01-01' + length(c)
  FROM unnest(ARRAY['new', 'paid', 'returned', 'other']) s, unnest(ARRAY['web', 'shop']) c;
ALTER TABLE customers ADD rating numeric(2, 1);
UPDATE customers SET rating = id % 9 / 2.0 + 1;
SELECT idp.set_domain('customers', 'rating', 1, 5);
GRANT SELECT ON rates TO analyst;
RESET ROLE;
SQL
		my $a = session($node, $_);
		$a->{quiet} = 1;
		$s->value("CREATE SCHEMA mine AUTHORIZATION analyst; SET ROLE analyst; CREATE SEQUENCE mine.calls; "
			  . "CREATE FUNCTION mine.heard(int) RETURNS boolean IMMUTABLE "
			  . "LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''mine.calls''); RETURN true; END'; RESET ROLE");
		$a->value("SET ROLE analyst; SET search_path = public, mine; SET idp.epsilon = 0.3; SET idp.delta = 1e-9; "
			  . "SET statement_timeout = '20s'");
		+{ superuser => $s, analyst => $a }
	} 'one', 'other';
	# The same rows are written anew in both, so that tables are as large in both: plans may tell that.
	my @person = ("name = 'c17', income = 17, born = '1960-01-01', active = true, region_id = 2, rating = 4.5",
		"name = 'nobody', income = 49999, born = '2006-12-31', active = false, region_id = 4, rating = 9.9");
	my @bought = ("status = 'paid', channel = 'web', day = '2025-05-05', amount = 5, quantity = 1",
		"status = 'lost', channel = 'fax', day = '2025-12-31', amount = 99999, quantity = 5");
	my @event = (
		"kind = 'buy', at = '2025-01-02', day = '2025-01-02', value = 7, score = 1, price = 30, "
		  . "ok = true, note = 'n7'",
		"kind = 'odd', at = '2031-01-01', day = '2031-01-01', value = 5, score = 'NaN', price = 999999, "
		  . "ok = false, note = 'somebody'");
	$worlds[$_]{superuser}->value("UPDATE customers SET $person[$_] WHERE id = 17; UPDATE orders SET $bought[$_] "
		  . "WHERE customer_id = 17; UPDATE events SET $event[$_] WHERE id = 77") foreach 0, 1;
	return @worlds;
}

sub one { return $_[ rand @_ ] }
sub maybe { return rand() < $_[0] ? $_[1] : '' }
sub several { my ($most, $make) = @_; return map { $make->() } 1 .. 1 + int rand $most }

# What a level can read: FROM, and its columns by kind.
my %events = (number => [ 'value', 'score', 'price', 'id' ], text => [ 'kind', 'note' ], time => [ 'day', 'at' ],
	bool => ['ok'], key => [ 'kind', 'ok', "date_trunc('month', day)", 'note', 'value', 'extract(dow from day)',
		'floor(price / 20) * 20', 'price > 100', "CASE WHEN score > 5 THEN 'a' WHEN ok THEN 'b' END",
		'width_bucket(price, 0, 250, 5)', 'round(value, -1)', "date_part('dow', day)", 'value % 7',
		"to_char(at, 'YYYY-MM')", 'round(price)::int', 'round(score / 10)', 'floor(score / 5) * 5',
		"date_trunc('month', coalesce(day, at::date))", 'kind || note' ], table => 'events');
my %orders = (number => [ 'amount', 'quantity', 'discount', 'o.id', 'customer_id' ], text => [ 'status', 'channel' ],
	time => ['day'], bool => ['quantity > 2'],
	key => [ 'status', 'channel', "date_trunc('month', day)", 'quantity', 'customer_id', 'floor(amount / 500) * 500.0',
		"CASE WHEN amount > 1000 THEN 'l' WHEN discount IS NULL THEN 'n' ELSE 's' END", 'discount > 0.05',
		'coalesce(status, channel)', 'status || channel', 'date_bin(\'7 days\', day, \'2025-01-01\')' ]);
my %customers = (number => [ 'income', 'c.id', 'region_id' ], text => [ 'c.name', 'email' ], time => ['born'],
	bool => ['active'], key => [ 'region_id', 'active', "date_trunc('year', born)", 'c.name' ]);
sub both { my ($x, $y) = @_; return map { $_ => [ @{ $x->{$_} }, @{ $y->{$_} } ] } qw(number text time bool key) }
# More columns with domains than keys are listed for: parts of their values are keys.
my @parts = ('extract(year FROM born)', 'extract(month FROM born)', "date_trunc('quarter', day)",
	'extract(month FROM day)', "CASE WHEN born < '1980-01-01' THEN 'old' ELSE 'young' END", 'status',
	"to_char(day, 'YYYY-MM')", 'extract(year FROM age(day, born))', "date_trunc('year', greatest(day, born))",
	"CASE WHEN active THEN extract(year FROM day) ELSE extract(year FROM born) END");
my %by_region = (number => [ 'r.id', 'c.region_id', 'c.id' ], text => ['r.name'], time => ['born'],
	bool => [ 'active', "r.name < 'o'" ], key => [ 'r.name', 'c.region_id', 'r.id' ]);
my @of_person = ('(SELECT count(*) FROM orders z WHERE z.customer_id = c.id)',
	'(SELECT sum(z.quantity) FROM orders z WHERE z.customer_id = c.id AND z.quantity < 5)',
	"(SELECT count(*)::int + 1 FROM orders z WHERE c.id = z.customer_id AND z.status = 'paid')");
my @sources = (
	{ from => 'events', %events },
	{ from => 'events', %events },
	{ from => 'orders o', %orders },
	{ from => 'customers c', %customers },
	{ from => 'orders o JOIN customers c ON c.id = o.customer_id', both(\%orders, \%customers) },
	{ from => 'orders o JOIN customers c ON c.id = o.customer_id', both(\%orders, \%customers), key => \@parts },
	{ from => 'customers c LEFT JOIN orders o ON o.customer_id = c.id', both(\%orders, \%customers) },
	{ from => 'orders o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id',
		both(\%orders, { %customers, key => ['r.name'] }) },
	{ from => 'orders o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id', %by_region },
	{ from => 'customers c JOIN regions r ON r.id = c.region_id', %by_region },
	# keys that a subquery computes
	{ from => "(SELECT o.*, date_trunc('month', day) AS m, upper(status) AS s, to_char(day, 'YYYY') AS y, "
		  . "quantity % 2 AS odd FROM orders o WHERE quantity > 1) o", %orders, key => [ 'm', 's', 'y', 'odd' ] },
	{ from => "customers c JOIN (SELECT p.*, CASE WHEN status IN ('paid', 'new') THEN 'open' ELSE 'done' END AS kind "
		  . "FROM orders p) o ON o.customer_id = c.id", both(\%orders, \%customers),
		key => [ 'kind', 'region_id', 'active' ] },
	{ from => "(SELECT o.customer_id, date_trunc('quarter', o.day) AS m, f.m AS first, o.amount FROM orders o "
		  . "JOIN (SELECT customer_id, date_trunc('quarter', min(day)) AS m FROM orders "
		  . "GROUP BY 1) f ON f.customer_id = o.customer_id) o",
		number => [ 'customer_id', 'amount' ], text => ['m::text'], time => [ 'm', 'first' ], bool => ['m > first'],
		key => [ 'm', 'first' ] },
	{ from => 'orders o LEFT JOIN (SELECT c.*, r.name AS region FROM customers c JOIN regions r '
		  . 'ON r.id = c.region_id) c ON c.id = o.customer_id', %orders, key => [ 'c.region', 'c.region_id' ] },
	{ from => 'orders o LEFT JOIN customers c ON o.customer_id = c.id LEFT JOIN regions r ON r.id = c.region_id',
		both(\%orders, { %customers, key => ['r.name'] }) },
	{ from => "(SELECT o.*, CASE WHEN c.income > 20000 THEN 'rich' END AS wealth, c.income, c.born, c.active, c.email "
		  . "FROM orders o JOIN customers c ON c.id = o.customer_id OFFSET 0) o", %orders,
		key => [ 'wealth', 'status' ] },
	{ from => "(SELECT status, channel, amount, quantity, customer_id, id FROM orders WHERE status = 'paid' "
		  . "UNION ALL SELECT status, channel, amount, quantity, customer_id, id FROM orders WHERE status = 'new') o",
		number => [ 'amount', 'quantity' ], text => [ 'status', 'channel' ], time => ["date '2025-03-01'"],
		bool => ['quantity > 2'], key => ['status'] },
	# keys that parts of UNION compute, each its own
	{ from => "(SELECT 'order' AS part, status AS what, date_trunc('month', day) AS m, quantity AS x, id FROM orders "
		  . "UNION ALL SELECT CASE WHEN ok THEN 'good' ELSE 'event' END, kind, date_trunc('month', day), value, "
		  . "id FROM events) u", number => [ 'x', 'id' ], text => [ 'part', 'what' ], time => ['m'],
		bool => [ 'x > 2', "part = 'order'" ], key => [ 'part', 'what', 'm' ] },
	{ from => "(SELECT 'way' AS part, channel::text AS what, quantity AS x, customer_id FROM orders UNION "
		  . one('', 'ALL ') . "SELECT 'state', status, quantity, customer_id FROM orders WHERE quantity > 2) u",
		number => [ 'x', 'customer_id' ], text => [ 'part', 'what' ], time => ["date '2025-03-01'"],
		bool => ["part = 'way'"], key => [ 'part', 'what', "part || ' ' || what" ] },
	{ from => "orders o LEFT JOIN (SELECT customer_id AS k, date_trunc('month', min(day)) AS m, "
		  . "to_char(max(day), 'YYYY') AS y FROM orders WHERE status = 'paid' GROUP BY 1) f ON f.k = o.customer_id",
		%orders, key => [ 'm', 'y', 'status' ], bool => ['m IS NULL'] },
	{ from => 'regions r LEFT JOIN customers c ON c.region_id = r.id', %customers, key => [ 'r.name', 'r.id' ] },
	{ from => 'regions r LEFT JOIN customers c ON c.region_id = r.id LEFT JOIN orders o ON o.customer_id = c.id',
		both(\%orders, { %customers, key => [ 'r.name', 'r.id' ] }) },
	{ from => '(SELECT * FROM events WHERE price > 20) e', %events },
	(map {
		+{ from => '(SELECT e.* FROM events e, LATERAL (SELECT ' . one('max', 'min') . '(id) AS m FROM regions WHERE '
			  . one('id <= e.value', 'heard(e.value)', '1 / (e.value - 5) < 2') . ') l WHERE l.m > 1) e', %events }
	} 1 .. 3),
	# keys that a subquery chooses, and the rows by them; what two queries both give, or one alone
	{ from => '(SELECT DISTINCT c.region_id, c.active, p.id AS k FROM orders p ' . one('', 'LEFT ')
		  . 'JOIN customers c ON c.id = p.customer_id' . one('', ' WHERE p.quantity > 2') . ') k ' . one('', 'LEFT ')
		  . 'JOIN orders o ON o.id = k.k', %orders, key => [ 'k.region_id', 'k.active', 'status' ] },
	{ from => one('events e LEFT JOIN events f ON e.id = f.id', 'events e JOIN events f ON f.id = e.id',
		'regions r LEFT JOIN events e ON e.id = r.id LEFT JOIN events f ON f.id = e.id'),
		number => [ 'e.value', 'f.price' ], text => [ 'e.kind', 'f.kind' ], time => ['f.day'], bool => ['f.ok'],
		key => [ 'e.kind', 'f.kind' ] },
	{ from => '((SELECT customer_id AS k FROM orders' . one('', " WHERE status = 'paid'")
		  . one(' INTERSECT ', ' EXCEPT ') . 'SELECT customer_id FROM orders WHERE quantity > 2)' . one('',
			' EXCEPT SELECT id FROM customers WHERE active') . ') p' . one('', ' JOIN customers c ON c.id = p.k'),
		number => ['k'], text => ['k::text'], time => ["date '2025-03-01'"], bool => ['k > 50'], key => ['k % 2'] },
	{ from => 'customers c', %customers,
		bool => [
			'c.id IN (SELECT id FROM customers WHERE active EXCEPT SELECT customer_id FROM orders WHERE quantity > 1)',
			"region_id IN (SELECT region_id FROM customers INTERSECT SELECT id FROM regions WHERE name < 'o')" ] },
	{ from => 'orders o ' . 'CROSS JOIN LATERAL ' . "(VALUES ('amount', amount, status), "
		  . "('quantity', quantity, channel), ('discount', discount, NULL)) v(label, x, word)"
		  . one('', ' LEFT JOIN customers c ON c.id = o.customer_id'), number => [ 'x', 'quantity', 'customer_id' ],
		text => [ 'label', 'word' ], time => ['day'], bool => [ 'x > 3', "label <> 'amount'" ],
		key => [ 'label', 'label', 'word', 'status' ] },
	{ from => 'events e JOIN events f USING (id)', number => ['e.value'], text => ['e.kind'], time => ['e.day'],
		bool => ['f.ok'], key => ['e.kind'] },
	{ from => '(SELECT *, row_number() OVER (ORDER BY at) AS r FROM events) e', %events, number => [ 'value', 'r' ] },
	{ from => '(SELECT customer_id, count(*) AS n, sum(amount) AS t, max(day) AS d FROM orders GROUP BY customer_id) p',
		number => [ 'n', 't' ], text => ['n::text'], time => ['d'], bool => ['n > 2'], key => ['n'] },
	{ from => '(SELECT customer_id, status, count(*) AS n, min(day) AS d, max(quantity) AS q, '
		  . 'min(extract(year FROM day)) AS y FROM orders GROUP BY customer_id, status) p', number => [ 'n', 'q' ],
		text => ['status'], time => ['d'], bool => ['n > 1'], key => [ 'status', 'q', 'y', "date_trunc('month', d)" ] },
	{ from => "(SELECT DISTINCT customer_id, date_trunc('month', day) AS m FROM orders) p", number => ['1'],
		text => ['m::text'], time => ['m'], bool => ["m > '2025-03-01'"], key => ['m'] },
	{ from => "(SELECT customer_id, date_trunc('month', min(day)) AS m, min(status) AS first, count(*) AS n "
		  . "FROM orders GROUP BY 1) p JOIN customers c ON c.id = p.customer_id", %customers, number => ['n'],
		key => [ 'm', 'region_id' ] },
	{ from => '(SELECT c.id, c.region_id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer_id = c.id '
		  . 'GROUP BY c.id, c.region_id) p', number => ['n'], text => ['n::text'], time => ["date '2025-03-01'"],
		bool => ['n > 2'], key => [ 'region_id', 'n' ] },
	{ from => '(SELECT kind, count(*) AS n, avg(price) AS p FROM events GROUP BY kind) q', number => [ 'n', 'p' ],
		text => ['kind'], time => ["date '2025-03-01'"], bool => ['n > 20'], key => ['kind'] },
	{ from => '(SELECT DISTINCT kind FROM events) q', number => ['length(kind)'], text => ['kind'],
		time => ["date '2025-03-01'"], bool => ["kind = 'buy'"], key => ['kind'] },
	{ from => 'sales o', %orders, number => [ 'amount', 'quantity' ] },
	{ from => '(SELECT value, price, kind, ok, day, at, note, score, id FROM events '
		  . 'UNION ALL SELECT value, price, kind, ok, day, at, note, score, id FROM events WHERE ok) e', %events },
	{ from => '(SELECT * FROM events ORDER BY at LIMIT 50) e', %events },
	{ from => "(SELECT 7 AS value, 'buy' AS kind FROM events WHERE kind = 'odd' HAVING true) e", number => ['value'],
		text => ['kind'], time => ["date '2025-03-01'"], bool => ['value > 5'], key => ['kind'], is_single => 1 },
	{ from => "(SELECT 7 AS value, 'paid' AS status FROM orders GROUP BY " . one('()', 'GROUPING SETS ((), ())')
		  . ') e', number => ['value'], text => ['status'], time => ["date '2025-03-01'"], bool => ['value > 5'],
		key => ['status'], is_single => 1 },
	{ from => 'events TABLESAMPLE system (50)', %events },
	# subqueries for each person
	{ from => 'customers c', %customers, number => [ @of_person, 'income' ],
		key => [ "CASE WHEN $of_person[0] > 3 THEN 'many' ELSE 'few' END", 'region_id',
			'(SELECT r.name FROM regions r WHERE r.id = c.region_id)', "coalesce($of_person[1], 0) > 5",
			'EXISTS (SELECT 1 FROM orders z WHERE z.customer_id = c.id AND z.quantity > 2 LIMIT 1)' ],
		bool => [ 'EXISTS (SELECT 1 FROM orders z WHERE z.customer_id = c.id AND z.quantity > 2)',
			"c.id IN (SELECT z.customer_id FROM orders z WHERE z.status = 'paid')", 'EXISTS (SELECT FROM orders z '
			  . 'WHERE z.customer_id = c.id GROUP BY z.customer_id HAVING count(*) > 2 LIMIT 1)',
			"$of_person[0] = 0", "EXISTS (SELECT 1 FROM orders z WHERE z.customer_id = c.id GROUP BY z.customer_id "
			  . "HAVING sum(z.quantity) > 4)", "region_id = (SELECT r.id FROM regions r WHERE r.name = 'north')" ] },
	{ from => 'orders o', %orders, key => [ '(SELECT c.region_id FROM customers c WHERE c.id = o.customer_id)',
		'status' ], bool => ['(SELECT c.active FROM customers c WHERE c.id = o.customer_id)'] },
	{ from => 'orders o', %orders, key => [ 'o.customer_id IN (SELECT c.id FROM customers c WHERE c.active)',
		'status' ], bool => [ 'EXISTS (SELECT 1 FROM customers c WHERE c.id = o.customer_id AND c.income > 1000)',
			'o.customer_id NOT IN (SELECT c.id FROM customers c WHERE c.active)' ] },
	{ from => 'orders o', %orders,
		key => [ 'EXISTS (SELECT 1 FROM orders z WHERE z.customer_id = o.customer_id AND z.day > o.day)', 'status' ],
		number => [ 'quantity', '(EXISTS (SELECT 1 FROM orders z '
			  . 'WHERE z.customer_id = o.customer_id AND z.quantity > o.quantity AND z.day < o.day))::int' ],
		bool => [ 'EXISTS (SELECT 1 FROM orders z WHERE z.status = o.status AND z.day > o.day)',
			'quantity < 3 OR EXISTS (SELECT 1 FROM orders z WHERE z.customer_id = o.customer_id AND z.id <> o.id)' ] },
	{ from => 'customers c', %customers,
		bool => [ "'paid' IN (SELECT z.status FROM orders z WHERE z.customer_id = c.id) OR active",
			'3 < ANY (SELECT z.quantity FROM orders z WHERE z.customer_id = c.id)' ] },
	# rows of orders, and of a list
	{ from => '(SELECT o.id, o.status, o.customer_id, count(*) AS n, max(o.quantity) AS q FROM orders o '
		  . one('', 'JOIN customers c ON c.id = o.customer_id ') . 'GROUP BY o.id'
		  . one('', ', o.status HAVING count(*) > 0') . ') p', number => [ 'n', 'q', 'id', 'customer_id' ],
		text => ['status'], time => ["date '2025-03-01'"], bool => ['n > 1'], key => [ 'status', 'n', 'q' ] },
	# rows beside an aggregate of all of them
	{ from => '(SELECT o.*, avg(quantity) OVER () AS m, count(*) FILTER (WHERE quantity > 1) OVER () AS n FROM orders o'
		  . one('', ' JOIN customers c ON c.id = o.customer_id AND c.active', " WHERE status <> 'new'") . ') o',
		%orders, bool => [ 'quantity > m', 'amount < n' ] },
	{ from => "(VALUES (0, 500), (500, 1000)) l(lo, hi) " . one('', 'LEFT ')
		  . "JOIN orders o ON o.amount >= l.lo AND o.amount < l.hi", %orders, key => [ 'l.lo', 'l.hi' ] },
	# the last row of each person, and rows beside what all of hers have
	{ from => 'orders o', %orders, bool => [ 'o.id ' . one('', 'NOT ') . 'IN (SELECT ' . one('max', 'min')
		  . '(id) FROM orders' . one('', " WHERE status = 'paid'") . ' GROUP BY customer_id'
		  . one('', ' HAVING count(*) > 2') . ')', 'o.id IN (SELECT z.id FROM orders z'
		  . one('', ' JOIN customers y ON y.id = z.customer_id AND y.active')
		  . " WHERE z.status = 'paid')", 'day = (SELECT max(day) FROM orders z WHERE z.customer_id = o.customer_id)',
		'quantity > (SELECT avg(quantity) FROM orders z WHERE z.customer_id = o.customer_id)',
		"o.id IN (SELECT max(id) FROM orders GROUP BY status)",
		"o.id = (SELECT min(z.id) FROM orders z WHERE z.customer_id = o.customer_id AND z.status = 'new')" ] },
	{ from => 'orders o ' . one('', 'LEFT ') . "JOIN (SELECT customer_id AS k, max(id) AS i FROM orders WHERE quantity "
		  . "< 5 GROUP BY customer_id) l ON l.i = o.id", %orders, bool => [ 'l.k IS NULL', 'l.k = customer_id' ] },
	# joins that keep more, or compare more, than they have to
	{ from => one('orders o FULL JOIN customers c', 'customers c FULL JOIN orders o') . ' ON c.id = o.customer_id',
		both(\%orders, \%customers) },
	{ from => 'orders o ' . one('', 'LEFT ') . 'JOIN customers c ON c.id = o.customer_id OR c.id IS NULL '
		  . 'AND o.customer_id IS NULL', both(\%orders, \%customers) },
	{ from => '(SELECT DISTINCT ON (customer_id) * FROM orders'
		  . one('', ' ORDER BY customer_id, day', ' ORDER BY customer_id, day DESC, id') . ') o', %orders },
	# windows over the rows of each person
	{ from => "(SELECT customer_id, amount, quantity, day, status,
		first_value(status) OVER (PARTITION BY customer_id ORDER BY day) AS f,
		lag(status) OVER (PARTITION BY customer_id ORDER BY day) AS before,
		last_value(status) OVER (PARTITION BY customer_id ORDER BY day
		  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS l,
		sum(quantity) OVER (PARTITION BY customer_id ORDER BY day ROWS UNBOUNDED PRECEDING) AS so_far FROM orders) o",
		number => [ 'amount', 'quantity', 'so_far', 'customer_id' ], text => [ 'f', 'before' ], time => ['day'],
		bool => [ 'f = status', 'before IS NULL' ], key => [ 'f', 'before', 'l', 'status' ] },
	{ from => "(SELECT o.*, row_number() OVER (PARTITION BY customer_id ORDER BY day) AS n, amount - lag(amount) "
		  . "OVER (PARTITION BY customer_id ORDER BY day, id) AS step, min(day) OVER (PARTITION BY customer_id) "
		  . "AS first, rank() OVER (PARTITION BY customer_id ORDER BY amount) AS place FROM orders o) o",
		%orders, number => [ 'n', 'step', 'place', 'quantity' ],
		bool => [ 'n = 1', 'n <= 2', 'n > 1', 'NOT n = 1', 'day = first', 'place < 3', 'place = 1' ],
		key => [ 'n', 'least(place, 4)', "CASE WHEN n = 1 THEN 'first' ELSE 'later' END", "date_trunc('month', first)",
			"CASE WHEN day = first THEN 'a' END", 'status' ] },
	{ from => "(SELECT customer_id, status, row_number() OVER (ORDER BY day, id) AS n, "
		  . "sum(quantity) OVER (PARTITION BY status) AS t FROM orders) o", number => [ 'n', 't' ], text => ['status'],
		time => ["date '2025-03-01'"], bool => ['n < 50'], key => [ 'status', 'n' ] },
	# values of a table that everybody may know, by a key of two columns; numbers with few digits
	{ from => 'orders o ' . one('', 'LEFT ') . 'JOIN rates x ON x.status = o.status AND x.channel = o.channel', %orders,
		number => [ 'x.rate', 'amount * x.rate', 'quantity * x.weight', 'x.people', 'day - x.since' ],
		key => [ 'x.rate', 'x.people', 'x.status', 'status', 'x.rate * 2', 'x.weight' ],
		bool => [ 'x.rate > 1', 'x.people IS NULL' ] },
	{ from => "orders o JOIN rates x ON x.status = o.status AND x.channel = 'web'", %orders,
		number => [ 'x.rate', 'quantity * x.people' ], key => [ 'x.rate', 'status' ] },
	{ from => 'customers c', %customers, number => [ 'rating', 'income' ],
		key => [ 'rating', 'floor(rating * 2) / 2', 'round(rating)', 'rating::text', 'round(income / 1000) / 4',
			'rating / 3', "width_bucket(born, ARRAY['1960-01-01', '1980-01-01']::date[])" ],
		bool => [ 'rating > 2.5', 'rating IN (1.5, 9.9)' ] },
	{ from => '(SELECT extract(year FROM day) AS y, quantity AS x, id FROM orders '
		  . 'UNION ALL SELECT extract(year FROM born), region_id, id FROM customers) u', number => [ 'x', 'id' ],
		text => ['y::text'], time => ["date '2025-03-01'"], bool => [ 'x > 2', 'y > 2000' ], key => ['y'] },
	# the last value of each person, and ALL of hers
	{ from => 'customers c', %customers,
		number => [ '(SELECT z.amount FROM orders z WHERE z.customer_id = c.id ORDER BY z.day DESC LIMIT 1)',
			'income' ], key => [ '(SELECT z.status FROM orders z WHERE z.customer_id = c.id'
				  . one('', ' AND z.quantity > 1') . ' ORDER BY z.day DESC, z.id LIMIT 1)',
				'(SELECT z.quantity FROM orders z WHERE z.customer_id = c.id LIMIT 1)', 'region_id' ],
		bool => [ "'paid' <> ALL (SELECT z.status FROM orders z WHERE z.customer_id = c.id)",
			'c.id <> ALL (SELECT z.customer_id FROM orders z WHERE z.quantity > 2)',
			"(SELECT z.status FROM orders z WHERE z.customer_id = c.id ORDER BY z.day LIMIT 1) = 'new'",
			'3 <= ALL (SELECT z.quantity FROM orders z WHERE z.customer_id = c.id)',
			'region_id <> ALL (SELECT id FROM regions WHERE id > 2)' ] },
	{ from => 'customers c ' . one('', 'LEFT ') . 'JOIN LATERAL (SELECT z.status, z.amount, z.day FROM orders z '
		  . 'WHERE z.customer_id = c.id ORDER BY ' . one('z.day DESC', 'z.amount, z.id') . ' LIMIT ' . one(1, 1, 2)
		  . ') o ON ' . one('true', 'o.amount > 500'), %customers, number => [ 'o.amount', 'income' ],
		key => [ 'o.status', "date_trunc('month', o.day)", 'region_id' ], time => [ 'o.day', 'born' ] },
	# the last days of each day
	{ from => "generate_series(date '2025-03-01', date '2025-03-04', interval '1 day') d " . one('', 'LEFT ')
		  . 'JOIN orders o ON o.day BETWEEN d::date - 6 AND d::date', %orders, key => [ 'd', 'd::date' ] },
	# rows of a person and a month, passed on, beside the one before
	{ from => "(SELECT customer_id, m, lag(m) OVER (PARTITION BY customer_id ORDER BY m) AS l, max(m) "
		  . "OVER (PARTITION BY customer_id) AS x, n FROM (SELECT customer_id, date_trunc('month', day) AS m, count(*) "
		  . "AS n FROM orders GROUP BY 1, 2) p" . one('', ' WHERE n > 1') . ') o', number => ['n'], text => ['m::text'],
		time => [ 'm', 'l' ], bool => [ 'l IS NULL', 'm = x', "l < m - interval '1 month'" ], key => [ 'm', 'l',
			'm = x', "CASE WHEN l IS NULL THEN 'new' WHEN l = m - interval '1 month' THEN 'kept' ELSE 'back' END" ] },
	{ from => "(SELECT * FROM (SELECT DISTINCT customer_id, date_trunc('month', day) AS m FROM orders) p) o "
		  . "JOIN (SELECT customer_id AS k, date_trunc('month', min(day)) AS f FROM orders "
		  . "GROUP BY 1) f ON f.k = o.customer_id", number => ['customer_id'], text => ['m::text'],
		time => [ 'm', 'f' ], bool => ['m > f'],
		key => [ 'm', 'f', 'extract(month FROM m) - extract(month FROM f)', '(m::date - f::date) / 30' ] },
	# what windows over the rows of a person come to, as keys
	{ from => "(SELECT o.*, date_trunc('month', min(day) OVER w) AS f, "
		  . "upper(first_value(status) OVER (w ORDER BY day, id)) AS s, day = min(day) OVER w AS is_first, "
		  . "CASE WHEN row_number() OVER (w ORDER BY day, id) = 1 THEN 'first' ELSE 'later' END AS kind, "
		  . "day - lag(day) OVER (w ORDER BY day, id) AS gap FROM orders o WINDOW w AS (PARTITION BY customer_id)) o",
		%orders, number => [ 'amount', 'gap', 'quantity' ], time => [ 'day', 'f' ], bool => [ 'is_first', 'gap > 30' ],
		key => [ 'f', 's', 'is_first', 'kind', 'gap / 30' ] },
	# texts of a person, their lengths, and times between instants
	{ from => "(SELECT customer_id, max(status) AS status, min(channel) AS channel, max(quantity) AS quantity, "
		  . "max(day) AS day, min(email) AS email FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1) p",
		number => [ 'quantity', 'length(status)', 'length(email)' ], text => [ 'status', 'email' ], time => ['day'],
		bool => ["status < 'paid'"], key => [ 'status', 'channel', 'email' ] },
	{ from => 'orders o JOIN customers c ON c.id = o.customer_id', %orders,
		number => [ 'length(status)', "o.day::timestamp - c.born::timestamp", "day - timestamp '2025-01-01'",
			'length(c.name)', 'age(o.day, c.born)' ] },
	{ from => "customers c " . one('', 'LEFT ')
		  . "JOIN LATERAL (SELECT count(*) AS n, max(z.day) - min(z.day) AS days, max(z.status) AS s FROM orders z "
		  . "WHERE z.customer_id = c.id) x ON " . one('true', 'x.n > 1', "x.s <> 'paid'"), %customers,
		number => [ 'n', 'days', 'income' ], key => [ 'n', 'region_id', 'least(n, 3)', 's' ] },
	# a calendar of days without rows beside rows, and lists of ranges that a subquery computes
	{ from => "(SELECT date_trunc('month', day) AS m, quantity AS n FROM orders "
		  . one('', "WHERE status = 'paid' ") . "UNION ALL SELECT d, 0 "
		  . "FROM generate_series(timestamptz '2025-01-01', '2025-04-01', interval '1 month') d) u", number => ['n'],
		text => ['m::text'], time => ['m'], bool => ['n > 1'], key => [ 'm', 'm', 'm::date' ] },
	{ from => "(SELECT a::date AS lo, b::date AS hi FROM (VALUES ('2025-01-01', '2025-02-28'), "
		  . "('2025-02-01', '2025-12-31')) v(a, b)) l " . one('', 'LEFT ') . 'JOIN orders o ON o.day <= l.hi'
		  . one('', ' AND o.day >= l.lo'), %orders, key => [ 'l.lo', 'l.lo', 'l.hi' ] },
	{ from => "(SELECT g AS d FROM generate_series(date '2025-03-01', date '2025-03-04', interval '1 day') g) d "
		  . one('', 'LEFT ') . "JOIN (SELECT date_trunc('day', day) AS t, o.* FROM orders o) o ON o.t <= d.d "
		  . "AND o.t > d.d - interval '7 days'", %orders, key => [ 'd.d', 'd.d' ] },
	{ from => "(SELECT customer_id, status, max(CASE WHEN rn = 1 THEN quantity ELSE 0 END) AS n, min(day) AS d "
		  . "FROM (SELECT o.*, row_number() OVER (PARTITION BY customer_id ORDER BY day, id) AS rn "
		  . "FROM orders o) x GROUP BY 1, 2) y", number => ['n'], text => ['status'], time => ['d'], bool => ['n > 1'],
		key => [ 'status', "date_trunc('month', d)" ] },
	{ from => "(SELECT a.customer_id, a.m, max(b.m) AS l, count(*) AS n "
		  . "FROM (SELECT DISTINCT customer_id, date_trunc('quarter', day) AS m FROM orders) a "
		  . "LEFT JOIN (SELECT DISTINCT customer_id, date_trunc('quarter', day) AS m FROM orders) b "
		  . "ON b.customer_id = a.customer_id AND b.m > a.m GROUP BY 1, 2) t", number => ['n'], text => ['m::text'],
		time => [ 'm', 'l' ], bool => ['l IS NULL'], key => [ 'm', 'l' ] },
	{ from => "(VALUES (1, 'new'), (2, 'paid'), (3, 'lost')) s(step, word) " . one('', 'LEFT ')
		  . 'JOIN orders o ON o.status = s.word', %orders, number => [ 'amount', 'o.customer_id' ],
		key => [ 's.step', 's.step', 's.word' ] },
	{ from => 'orders o CROSS JOIN (SELECT avg(price) AS m FROM events) a', %orders, key => [ 'amount > m',
		"CASE WHEN quantity * 20 > m THEN 'above' ELSE 'below' END", 'status' ], bool => ['amount > m'] },
	# the month of a person's first row, and those after it; windows of rows that are joined to these; keys that outer
	# joins find; persons beside the mean of all
	{ from => "orders o JOIN (SELECT customer_id AS k, date_trunc('month', min(day)) AS f, " . one('min', 'max')
		  . "(day) AS d FROM orders GROUP BY 1) f ON f.k = o.customer_id", %orders,
		key => [ 'f.f', "date_trunc('month', day)", 'floor((day - f.d) / 30)', 'status',
			'(extract(year FROM day) - extract(year FROM f.f)) * 12'
			. ' + extract(month FROM day) - extract(month FROM f.f)' ],
		bool => [ 'day >= f.d', 'f.f > day' ] },
	{ from => "(SELECT customer_id, quantity, date_trunc('month', day) AS m, min(date_trunc('month', day))"
		  . ' OVER (PARTITION BY customer_id) AS f FROM orders) o',
		number => [ 'quantity', 'customer_id' ], text => ['m::text'], time => [ 'm', 'f' ], bool => ['m >= f'],
		key => [ 'm', 'f', '(extract(year FROM m) - extract(year FROM f)) * 12'
			. ' + extract(month FROM m) - extract(month FROM f)' ] },
	{ from => 'orders o ' . one('', 'LEFT ') . 'JOIN (SELECT id AS i, row_number() OVER w AS n, lag(status) OVER w AS l'
		  . ' FROM orders' . one('', ' WHERE quantity > 1')
		  . ' WINDOW w AS (PARTITION BY customer_id ORDER BY day, id)) w ON w.i = o.id', %orders,
		number => [ 'n', 'quantity', 'amount' ], bool => [ 'n = 1', "l = 'paid'" ],
		key => [ 'n', 'l', 'status', "CASE WHEN n = 1 THEN 'first' ELSE 'later' END" ] },
	{ from => '(SELECT DISTINCT '
		  . one('r.name AS g, p.id AS k FROM regions r LEFT JOIN customers c ON c.region_id = r.id',
			'c.active AS g, p.id AS k FROM customers c')
		  . ' LEFT JOIN orders p ON p.customer_id = c.id) k LEFT JOIN orders o ON o.id = k.k', %orders,
		key => ['k.g'] },
	{ from => '(SELECT customer_id, sum(amount) AS t, count(*) AS n FROM orders GROUP BY 1) p CROSS JOIN (SELECT avg(t)'
		  . ' AS m FROM (SELECT customer_id, sum(amount) AS t FROM orders GROUP BY 1) q) a',
		number => [ 't', 'n' ], text => ['n::text'], time => ["date '2025-03-01'"], bool => [ 't > m', 'n > 2' ],
		key => [ 'n', 't > m' ] },
	# numbers whose equal values may look different
	{ from => 'events', %events, key => [ 'price - mod(price, 20)', 'score',
		'floor(extract(epoch FROM at) / 86400) * 86400', 'value / 2.0', '-score', "price::text::numeric",
		'price::float8 * 0', "width_bucket(price, ARRAY[20, 100, 250]::numeric[])" ],
		bool => [ "day <@ daterange('2025-01-01', '2025-03-01')", "numrange(5, 50) @> price", "note ~ '^n[1-7]'",
			"note ~* 'SOME'", "(day, at::date) OVERLAPS (date '2025-01-01', date '2025-02-01')" ] },
	{ from => '(SELECT kind, value, day, ok FROM events WHERE price > 20 LIMIT 5) e', number => ['value'],
		text => ['kind'], time => ['day'], bool => ['ok'], key => ['kind'] },
);

sub number
{
	my ($source) = @_;
	my $x = one(@{ $source->{number} });
	return one(($x) x 6, "-$x", "$x + 1", "$x * 2", "coalesce($x, 0)", "CASE WHEN "
		  . condition($source) . " THEN $x ELSE 0 END", 'CASE WHEN ' . condition($source) . ' THEN 1 ELSE 0 END',
		"$x\::numeric", "$x\::float8", "round($x\::numeric, 1)", "1 / ($x - 5)");
}

sub condition
{
	my ($source) = @_;
	my $x = one(@{ $source->{number} });
	return one("$x > " . int(rand 100), "$x BETWEEN 3 AND 60", one(@{ $source->{bool} }),
		one(@{ $source->{text} }) . " IN ('buy', 'paid', 'web', 'somebody', 'c17')",
		one(@{ $source->{text} }) . one('', ' NOT') . ' IN (SELECT '
		  . one("unnest(ARRAY['buy', 'paid'" . one('', ', NULL') . '])', "s FROM unnest('{web,c17}'::text[]) s",
			"regexp_split_to_table('buy,new,shop', ',')") . ')',
		one(@{ $source->{text} }) . " LIKE 'c1%'", one(@{ $source->{time} }) . one(" >= '2025-02-01'",
			" >= '2025-02-01'", " < timestamptz '2025-05-05 12:34:56'", " > timestamp '2025-02-01 12:00'"),
		"1 / ($x - 5) = 0", "$x IS NULL", one(@{ $source->{text} }) . " ~ 'x'",
		"EXISTS (SELECT 1 FROM events z WHERE z.kind = 'odd')", '1 = 0', "$x > (SELECT avg(value) FROM events)",
		"$x IN (SELECT id FROM customers WHERE active)",
		"$x IN (SELECT customer_id FROM orders GROUP BY 1 HAVING count(*) > 2)", 'true', "$x > (SELECT count(*) FROM "
		  . one('events', 'regions', 'customers') . " GROUP BY ())", "$x NOT IN (SELECT id FROM "
		  . one('regions', 'events') . " GROUP BY " . one('CUBE (id)', 'ROLLUP (id)', 'GROUPING SETS ((id), ())') . ')',
		"$x > ALL (SELECT count(*) FROM customers GROUP BY ROLLUP (region_id))",
		one(@{ $source->{key} }) . " IN (SELECT kind FROM events GROUP BY kind ORDER BY count(*) DESC LIMIT 2)",
		one(@{ $source->{key} }) . " IN (SELECT status FROM orders GROUP BY status HAVING sum(amount) > 1000)",
		one(@{ $source->{number} }) . " NOT IN (SELECT customer_id FROM orders WHERE amount > 1500)",
		one(@{ $source->{time} }) . " > (SELECT now() - interval '600 days')", late_value($source));
}

# A value that is computed, and fails or is heard, before it is known whether there is a row to compare with it: one
# person's, or one event, may be the only such row.
sub late_value
{
	my ($source) = @_;
	my $x = one(@{ $source->{number} });
	my $rare = one(@{ $source->{text} }) . " = '" . one('nobody', 'lost', 'fax', 'somebody', 'odd', 'c17') . "'";
	my $value = one('(SELECT id FROM regions)', '(SELECT 1 / (id - 1) FROM regions WHERE id = 1)',
		'(SELECT name::int FROM regions WHERE id = 1)', '(SELECT max(id) FROM regions WHERE heard(id))',
		'(SELECT heard(1)::int)',
		'(WITH x AS MATERIALIZED (SELECT id FROM regions WHERE heard(id)) SELECT max(id) FROM x)');
	return one("CASE WHEN $rare THEN $x > $value END", "$rare AND $x > $value", "$rare AND $x * $value > 5");
}

# What goes up with a day.
sub of_days
{
	my ($day) = @_;
	return one("$day\::timestamp", "date_trunc('week', $day)", "date_trunc('month', $day\::timestamp)",
		"date_trunc('quarter', $day\::date)::date", "date_trunc('month', date_trunc('day', $day\::date))");
}

# What Looker adds up of each row of a key once.
sub symmetric
{
	my ($x, $key) = @_;
	my $hash = "('x' || md5($key\::varchar))::bit(64)::bigint::numeric(65) * 18446744073709551616 "
	  . "+ ('x' || substr(md5($key\::varchar), 17))::bit(64)::bigint::numeric(65)";
	return "sum(DISTINCT floor(coalesce($x, 0) * 1000000)::numeric(65, 0) + $hash) - sum(DISTINCT $hash)";
}

sub aggregate
{
	my ($source) = @_;
	my ($unit) = grep { /^(customer_id|c\.id)$/ } @{ $source->{number} };
	my ($row) = grep { /^[oc]\.id$/ } @{ $source->{number} };
	return symmetric(one('income', 'amount', 'quantity', one(@{ $source->{number} })), one($row, $unit // $row))
	  if defined $row && rand() < 0.07;
	return "count(DISTINCT $unit)" . maybe(0.3, ' FILTER (WHERE ' . condition($source) . ')')
	  if defined $unit && rand() < 0.12;
	my $x = number($source);
	my $any = one(@{ $source->{number} }, @{ $source->{text} }, @{ $source->{time} }, @{ $source->{bool} });
	my $call = one(('count(*)') x 3, "count($any)", "count(DISTINCT $any)", "count(DISTINCT ($any, $x))",
		("sum($x)") x 3, ("avg($x)") x 2,
		"min($any)", "max($any)", "stddev($x)", "var_pop($x)",
		one("corr", "covar_pop", "regr_slope") . "($x, " . number($source) . ")", 'sum(1)', "sum(DISTINCT $x)",
		one('min', 'max') . '(' . of_days(one(@{ $source->{time} })) . ')', "array_agg($any)",
		"bool_or(" . one(@{ $source->{bool} }) . ')', "string_agg($any\::text, ',')");
	$call = one("percentile_cont(0.5) WITHIN GROUP (ORDER BY $x)",
		"percentile_disc(0.9) WITHIN GROUP (ORDER BY $any DESC)", "mode() WITHIN GROUP (ORDER BY $any)",
		"percentile_cont(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY $x)") if rand() < 0.15;
	return $call . maybe(0.15, ' FILTER (WHERE ' . condition($source) . ')');
}

# keys: where the number of its first columns is put that are keys, if it shows the groups as they are, and else 0.
# singles: whether it asks about one group without keys, too, which reads no row: what it asks besides is not always
# kept. margins: whether it asks for margins, too, in columns m1, m2, … behind the others.
sub plain_statement
{
	my (%asks) = @_;
	my $source = one(grep { $asks{singles} || !$_->{is_single} } @sources);
	my @keys = rand() < 0.6 ? several(2, sub { one(@{ $source->{key} }) }) : ();
	my $follows = $source->{from} =~ /\bregions r\b/ && rand() < 0.3;    # columns from a primary key
	@keys = ('r.name', 'r.id') if $follows;
	my @answers = several(3, sub { aggregate($source) });
	my @columns = (@keys, rand() < 0.95 ? @answers : number($source));
	my @numbers = 1 .. @keys;
	my $groups = join ', ', @numbers;
	$groups = one("ROLLUP ($groups)", "CUBE ($groups)") if @keys && rand() < 0.1;
	$groups = one('r.id', 'r.id, r.name') if $follows;
	my $i = 0;
	my $m = 0;
	my $margins = $asks{margins} ? join '', map { ", idp.margin($_) AS m" . ++$m } @answers : '';
	my $where = maybe(0.5, ' WHERE ' . join one(' AND ', ' OR '), several(2, sub { condition($source) }));
	my $sql = 'SELECT ' . join(', ', map { "$_ AS a" . ++$i } @columns) . maybe(0.1, ', sum(count(*)) OVER ()')
	  . $margins . " FROM $source->{from}$where";
	$sql .= " GROUP BY $groups" if @keys;
	my $bare = $sql;
	$sql .= maybe(0.15, ' HAVING '
		  . one('count(*) > 5', 'true', 'sum(1) IS NOT NULL', aggregate($source) . ' IS NOT NULL'));
	$sql = "SELECT count(*) FROM ($sql) w" if rand() < 0.08;
	if ($source->{from} =~ /^\((SELECT .*)\) (\w)$/ && rand() < 0.3)
	{
		my ($rows, $name) = ($1, $2);
		my $twice = maybe(0.3, ", u AS (SELECT count(*) AS n FROM rows)");
		$sql =~ s/\Q($rows) $name\E/rows $name/;
		# what is materialized is not always kept
		my $kept = $asks{singles} ? maybe(0.4, "MATERIALIZED ") : "";
		# where rows are compared with a value before anything of the query reads them
		$rows = "SELECT * FROM ($rows) $name WHERE " . late_value($source) if $asks{singles} && rand() < 0.3;
		$sql = "WITH rows AS $kept($rows), v AS ($sql)$twice SELECT * FROM v"
		  . ($twice ? one(', u', ' WHERE (SELECT n FROM u) > 3') : '');
	}
	$sql = "WITH w AS ($sql) SELECT * FROM w" . maybe(0.3, ' WHERE false') if rand() < 0.1;
	$sql .= maybe(0.1, one(' LIMIT 0', ' LIMIT 3', ' ORDER BY 1'));
	$sql = "SELECT * FROM ($sql) v UNION ALL SELECT * FROM ($sql) w" if !$asks{margins} && rand() < 0.08;
	$sql = "EXPLAIN (COSTS OFF) $sql" if rand() < 0.05;
	$sql = for_each_region() if !$asks{margins} && rand() < 0.05;
	$sql = for_each_group() if !$asks{margins} && rand() < 0.03;
	$sql = for_each_listed() if !$asks{margins} && rand() < 0.03;
	# other answers may choose groups
	${ $asks{keys} } = $sql eq $bare && "$source->{from} $where" !~ /\(SELECT .* (?:GROUP BY|avg)/ ? scalar @keys : 0
	  if $asks{keys};
	return $sql;
}

# What an object mapper counts for each row of a table that everybody may know.
sub for_each_region
{
	my $source = { from => '', %customers };
	my $rows = one('customers c WHERE', 'orders o JOIN customers c ON c.id = o.customer_id WHERE',
		'orders o, customers c WHERE c.id = o.customer_id AND');
	my $answer = one('count(*)', 'count(c.id)', 'sum(income)', 'coalesce(avg(region_id), 0)', aggregate($source));
	my $each = "(SELECT $answer AS n, count(*) AS m FROM $rows c.region_id = r.id) a";
	return 'SELECT r.id, a.n, a.m FROM regions r'
	  . one(" LEFT JOIN LATERAL $each ON true", " CROSS JOIN LATERAL $each", ", LATERAL $each") if rand() < 0.3;
	my $groups = "(SELECT " . one('active', 'c.region_id % 2') . " AS g, $answer AS n "
	  . "FROM $rows c.region_id = r.id GROUP BY 1" . one('', ' HAVING count(*) > 5', ' ORDER BY 1 LIMIT 1') . ') q';
	return "SELECT r.id, (SELECT " . one('json_agg(q)', 'max(n)', 'count(*)') . " FROM $groups) FROM regions r"
	  if rand() < 0.2;
	return "SELECT r.id, q.g, q.n FROM regions r CROSS JOIN LATERAL $groups" if rand() < 0.2;
	return "SELECT r.id, (SELECT $answer FROM $rows c.region_id = r.id" . maybe(0.5, ' AND ' . condition($source))
	  . maybe(0.3, ' GROUP BY c.region_id') . ') FROM regions r' . maybe(0.3, " WHERE r.name < 'o'");
}

# ... and for each group; and groups that DISTINCT makes of windows.
sub for_each_group
{
	my $source = { from => '', %orders };
	my $key = one('status', 'channel', 'quantity', 'customer_id');
	my $answer = one('count(*)', 'sum(amount)', 'nullif(count(*), 7)', aggregate($source));
	return "SELECT DISTINCT $key, $answer OVER (PARTITION BY $key)" . maybe(0.3, ", count(*) OVER (PARTITION BY $key)")
	  . ' FROM orders o' . maybe(0.3, ' WHERE ' . condition($source)) if rand() < 0.4;
	return "SELECT DISTINCT ON ($key) $key FROM orders o" if rand() < 0.2;
	return "SELECT p.$key, (SELECT $answer FROM orders o WHERE o.$key = p.$key"
	  . maybe(0.3, ' AND ' . condition($source)) . ')' . one('', ', count(*)') . " FROM orders p GROUP BY p.$key";
}

# What is asked for each row of a calendar, or of a list.
sub for_each_listed
{
	my $source = { from => '', %orders };
	my $answer = one('count(*)', 'count(DISTINCT customer_id)', 'sum(amount)', aggregate($source));
	my $more = maybe(0.4, ' AND ' . condition($source));
	return "SELECT d::date, (SELECT $answer FROM orders o WHERE o.day BETWEEN d::date - 6 AND d::date$more) "
	  . "FROM generate_series(date '2025-05-04', date '2025-05-06', interval '1 day') d" if rand() < 0.5;
	my $day = one('o.day = d::date', "date_trunc('month', o.day) = d");
	return "SELECT d::date, (SELECT $answer FROM orders o WHERE $day$more) FROM "
	  . "generate_series(timestamptz '2025-04-01', timestamptz '2025-06-01', interval '1 month') d" if rand() < 0.3;
	return "SELECT l.s, (SELECT $answer FROM orders o WHERE "
	  . one('o.status = l.s', 'o.quantity > l.n', 'o.status = l.s AND o.quantity < l.n')
	  . "$more) FROM (VALUES ('paid', 2), ('lost', 4)) l(s, n)" . maybe(0.3, ' ORDER BY 2 LIMIT 1');
}

sub spent_in { return $_[0]{superuser}->value('SELECT sum(spent) || \' \' || sum(delta_spent) FROM idp.protection') }

1;

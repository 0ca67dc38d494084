# Plain counts, sums and averages over rows of which a person has many: each number costs epsilon once, all rows are
# read, and no person moves all groups together by more than the bound that was paid for. What is no sum reads max_rows
# rows of each.
#
#   IDP_PLAIN_UNITS   how many random statements (300)
#   IDP_PLAIN_SEED    of the random choices
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $tried = $ENV{IDP_PLAIN_UNITS} // 300;
my $seed = srand($ENV{IDP_PLAIN_SEED} // 1);
note "IDP_PLAIN_SEED=$seed";

my $epsilon = 1e6;    # hides nothing
my $node = new_node('plain_units', 'jit = off', 'fsync = off', "shared_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE clerk; '
	  . 'GRANT CREATE ON DATABASE postgres TO owner');

# Eight persons, of whom the first has 20 orders and the others one to five; and the same without one of them each. A
# table for each world, as a person belongs to one.
my $persons = 8;
my $max_rows = 6;
my $max_items = 10;

sub world
{
	my ($without) = @_;
	return <<"SQL";
CREATE SCHEMA w$without AUTHORIZATION owner;
SET ROLE owner; SET search_path = w$without, public;
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions SELECT i, 'r' || i FROM generate_series(0, 2) i;
CREATE TABLE rates (status text, vip boolean, rate numeric(4, 2), PRIMARY KEY (status, vip));
INSERT INTO rates SELECT s, v, length(s) / 4.0 + v::int / 2.0
  FROM unnest(ARRAY['new', 'paid', 'sent']) s, unnest(ARRAY[true, false]) v;
CREATE TABLE persons (id int PRIMARY KEY, region int NOT NULL REFERENCES regions, vip boolean NOT NULL);
INSERT INTO persons SELECT i, i % 3, i % 2 = 0 FROM generate_series(1, $persons) i WHERE i <> $without;
CREATE TABLE orders (id int PRIMARY KEY, person int NOT NULL REFERENCES persons, status text NOT NULL,
  day date NOT NULL, amount numeric(8, 2) NOT NULL, change int, score float8);
INSERT INTO orders SELECT 100 * p + n, p, (ARRAY['new', 'paid', 'sent'])[1 + (p * n + n / 2) % 3],
  date '2025-01-01' + p * n * 13 % 90, p * n * 37 % 500 / 4.0,
  CASE WHEN n % 3 > 0 THEN n * p % 11 - 5 END, n * p % 7 / 8.0
  FROM generate_series(1, $persons) p, generate_series(1, 20) n WHERE p <> $without AND (p = 1 OR n <= p % 6);
CREATE TABLE items (ord int REFERENCES orders, no int, status text NOT NULL, day date NOT NULL,
  amount numeric(8, 2) NOT NULL, change int, score float8, PRIMARY KEY (ord, no), CHECK (no > 0));
ALTER TABLE items ALTER ord SET NOT NULL;
INSERT INTO items SELECT id, i, status, day + i % 2, amount / i, i - 2, score / i FROM orders, generate_series(1, 3) i
  WHERE i <= 1 + id % 3;
CREATE VIEW bought AS SELECT o.*, p.region, p.vip FROM orders o JOIN persons p ON p.id = o.person;
SELECT idp.protect('persons', 1e12, 'add_remove', unit => 'id'), idp.link('orders', 'person', 'persons',
  max_rows => $max_rows), idp.link('items', 'ord', 'orders', max_rows => $max_items);
SELECT idp.set_domain('items', 'status', ARRAY['new', 'paid', 'sent']),
  idp.set_domain('items', 'day', '2025-01-01', '2025-03-31'), idp.set_domain('items', 'amount', 0, 100),
  idp.set_domain('items', 'change', -4, 3), idp.set_domain('items', 'score', 0, 1);
SELECT idp.set_domain('persons', 'region', ARRAY[0, 1, 2]), idp.set_domain('orders', 'status', ARRAY['new', 'paid',
  'sent']), idp.set_domain('orders', 'day', '2025-01-01', '2025-03-31'),
  idp.set_domain('orders', 'amount', 0, 100), idp.set_domain('orders', 'change', -4, 3),
  idp.set_domain('orders', 'score', 0, 1);
GRANT USAGE ON SCHEMA w$without TO analyst;
GRANT SELECT ON regions, rates, persons, orders, bought, items TO analyst;
GRANT SELECT (status, amount) ON items TO clerk; GRANT USAGE ON SCHEMA w$without TO clerk;
RESET ROLE; RESET search_path;
SQL
}
$s->value('SET client_min_messages = error');
$s->value(world($_)) foreach 0 .. $persons;
# A table of others, which is the same in all worlds: rows are compared with answers about it.
$s->value(<<'SQL');
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE public.others (v numeric(5, 1) NOT NULL);
INSERT INTO public.others SELECT 42.3 FROM generate_series(1, 50);
SELECT idp.protect('public.others', 1e12, 'add_remove'), idp.set_domain('public.others', 'v', 0, 100);
GRANT SELECT ON public.others TO analyst;
RESET ROLE;
SQL
my $a = session($node);
$a->{quiet} = 1;
$a->value("SET ROLE analyst; SET idp.epsilon = $epsilon; SET search_path = w0, public");

sub spent { return $s->value("SELECT sum(spent) FROM idp.budget WHERE table_name <> 'others'") }

# What a statement gives, and how many times epsilon it costs.
sub asked
{
	my ($sql) = @_;
	my $before = spent();
	my $got = $a->run($sql);
	return ($got->{message} // $got->{out}, sprintf '%.4g', (spent() - $before) / $epsilon);
}

sub gives
{
	my ($name, $sql, $expected, $times) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($got, $cost) = asked($sql);
	is(difference($expected, $got, 1e-3), '', $name) or diag "$got\nin place of\n$expected";
	is($cost, $times, "$name: costs $times times epsilon");
	return;
}

# --- what it gives ---

# Without groups, or by columns of the person alone, bounds of sums over eight rows or more are found, which needs more
# persons than these: statements here have fewer, or one group that is no column of them.

# 20 orders of the first count as six, those of the others as they are.
my $whole = $s->value('SELECT count(*) - 20 + 6 FROM w0.orders');
gives('all orders, those of one person in part', 'SELECT count(*) FROM orders', $whole, 1);
gives('count of a column that is never NULL is the same number',
	'SELECT count(*), count(1), count(id), sum(1) FROM orders', "$whole|$whole|$whole|$whole", 1);
gives('values beyond the bounds of a column count as these',
	'SELECT sum(change) FROM orders WHERE person <> 1 GROUP BY status IS NULL',
	$s->value('SELECT sum(least(greatest(change, -4), 3)) FILTER (WHERE change IS NOT NULL) FROM w0.orders '
	. 'WHERE person <> 1'), 1);
gives('what CASE leaves out is no bound',
	"SELECT sum(CASE WHEN status = 'paid' THEN change END), round(avg(CASE WHEN status = 'paid' THEN change "
	. "END), 2) FROM orders WHERE person <> 1 GROUP BY status IS NULL",
	$s->value("SELECT sum(least(greatest(change, -4), 3)), round(avg(least(greatest(change, -4), 3)), 2) "
		  . "FROM w0.orders WHERE person <> 1 AND status = 'paid' AND change IS NOT NULL"), 2);
gives('NULL does not count', 'SELECT count(change) FROM orders WHERE person <> 1',
	$s->value('SELECT count(change) FROM w0.orders WHERE person <> 1'), 1);
gives('FILTER', "SELECT count(*) FILTER (WHERE status = 'paid'), sum(amount) FILTER (WHERE vip) FROM bought "
	  . "WHERE person > 2 GROUP BY status IS NULL",
	$s->value("SELECT count(*) FILTER (WHERE status = 'paid'), sum(least(amount, 100)) FILTER (WHERE vip) "
		  . "FROM w0.bought WHERE person > 2"), 2);
gives('an average is the quotient of a sum and a count',
	'SELECT round(avg(amount), 2), sum(amount), count(*) FROM orders WHERE person > 2 GROUP BY status IS NULL',
	$s->value('SELECT round(avg(least(amount, 100)), 2), sum(least(amount, 100)), count(*) '
		  . 'FROM w0.orders WHERE person > 2'), 2);
gives('an average of nothing is NULL', 'SELECT avg(amount), sum(amount), count(*) FROM orders WHERE person > 99',
	'|0.00|0', 2);
gives('and of no intervals', "SELECT avg(day::timestamp - timestamp '2025-01-01') FROM orders WHERE person > 99",
	'', 2);
gives('of a float',
	'SELECT sum(score), avg(score), pg_typeof(sum(score)), pg_typeof(avg(score)) FROM orders WHERE person > 2',
	$s->value('SELECT sum(score), avg(score), pg_typeof(sum(score)), pg_typeof(avg(score)) '
		  . 'FROM w0.orders WHERE person > 2'), 2);
gives('groups, also those without rows',
	'SELECT status, count(*), sum(amount) FROM orders WHERE person = 5 GROUP BY status ORDER BY status',
	$s->value("SELECT k, count(amount), coalesce(sum(least(amount, 100)), 0.00) "
		. "FROM (VALUES ('new'), ('paid'), ('sent')) v(k) LEFT JOIN w0.orders ON status = k AND person = 5 "
		. "GROUP BY k ORDER BY k"), 2);
gives('groups that fulfil a condition on several keys',
	"SELECT status, region, count(*) FROM bought WHERE (status = 'paid' AND region = 1 OR status = 'new' "
	. "AND region = 2) AND person > 1 GROUP BY 1, 2 ORDER BY 1",
	$s->value("SELECT status, region, count(*) FROM w0.bought WHERE (status = 'paid' AND region = 1 OR status = 'new' "
		  . "AND region = 2) AND person > 1 GROUP BY 1, 2 ORDER BY 1"), 1);
gives('what a subquery computes has bounds',
	'SELECT sum(twice) FROM (SELECT amount * 2 AS twice, status FROM orders WHERE person > 2) o '
	. 'GROUP BY status IS NULL', $s->value('SELECT sum(2 * least(amount, 100)) FROM w0.orders WHERE person > 2'), 1);
gives('by a key that a subquery computes', "SELECT month, count(*), sum(amount) FROM (SELECT *, "
	  . "date_trunc('month', day) AS month FROM orders) o WHERE person > 2 GROUP BY month ORDER BY month",
	$s->value("SELECT date_trunc('month', day), count(*), sum(least(amount, 100)) FROM w0.orders WHERE person > 2 "
		  . "GROUP BY 1 ORDER BY 1"), 2);
gives('by a column of the person', 'SELECT region, count(*) FROM bought GROUP BY region ORDER BY 1',
	$s->value("SELECT region, sum(least(n, $max_rows)) FROM (SELECT person, region, count(*) AS n FROM w0.bought "
	. "GROUP BY 1, 2) p GROUP BY region ORDER BY 1"), 1);
gives('a LEFT JOIN along a link has no group without a person', 'SELECT p.region, count(*) FROM orders o '
	  . 'LEFT JOIN persons p ON p.id = o.person WHERE p.region > 0 GROUP BY 1 ORDER BY 1',
	$a->run('SELECT region, count(*) FROM bought WHERE region > 0 GROUP BY 1 ORDER BY 1')->{out}, 1);
gives('persons without orders are none',
	'SELECT count(o.id), count(*) FROM persons p LEFT JOIN orders o ON o.person = p.id AND o.amount > 1000',
	"0|$persons", 2);
gives('what is no sum reads six rows of each', 'SELECT count(DISTINCT status), count(*) FROM orders', "3|$whole",
	1 + $max_rows);
gives('a sum without a domain too', 'SELECT sum(id) > 0 FROM orders', 't', $max_rows);
my $windows = 'SELECT status, row_number() OVER (ORDER BY sum(least(amount, 100))), sum(count(*)) OVER () FROM orders '
  . 'WHERE person > 1 GROUP BY status HAVING count(*) > 0 ORDER BY count(*) LIMIT 2';
gives('windows over answers, HAVING, ORDER BY and LIMIT', $windows =~ s/least\(amount, 100\)/amount/r,
	$s->value("SET search_path = w0, public; $windows"), 2);
gives('a subquery beside it', 'WITH o AS (SELECT * FROM orders) SELECT count(*), (SELECT count(*) FROM persons) FROM o',
	"$whole|$persons", 2);
gives('a CTE that has the name of one that is made of answers', 'WITH "answers of rows 2" AS MATERIALIZED '
	  . '(SELECT 7 AS n) SELECT r.id, (SELECT count(*) FROM persons p WHERE p.region = r.id), x.n '
	  . 'FROM regions r, "answers of rows 2" x ORDER BY 1',
	$s->value('SELECT region, count(*), 7 FROM w0.persons GROUP BY 1 ORDER BY 1'), 1);
gives('a CTE that is read twice',
	'WITH o AS (SELECT * FROM orders) SELECT (SELECT count(*) FROM o), (SELECT count(DISTINCT status) FROM o)',
	"$whole|3", 1 + $max_rows);

# Groups of a domain have no rows where a plain statement has no group: tools do not provide for that.
my $none = "new||\npaid||\nsent||";
gives('quotients of answers are NULL where the divisor is 0', 'SELECT status, sum(amount) / count(*), '
	  . '100 * count(*) % count(*) FROM orders WHERE amount > 1000 GROUP BY status ORDER BY 1', $none, 2);
gives("$_->[0], above the answers", $_->[1], $none, 2) foreach
	[ 'a subquery', 'SELECT status, s / n, n / (n * 2) FROM (SELECT status, sum(amount) AS s, count(*) AS n '
		  . 'FROM orders WHERE amount > 1000 GROUP BY status) o ORDER BY 1' ],
	[ 'a CTE', 'WITH o AS (SELECT status, sum(amount) AS s, count(*) AS n FROM orders WHERE amount > 1000 '
		  . 'GROUP BY status) SELECT status, s / n, n / (n * 2) FROM o ORDER BY 1' ];
like($a->run('SELECT count(*) / 0 FROM orders')->{message}, qr/^division by zero$/,
	'what divides by another 0 fails as ever');

# One number for each person and group first, where groups are columns as they are: what she takes back she
# has not spent.
gives('values of both signs', 'SELECT sum(amount - 50) FROM orders WHERE person = 5 GROUP BY status IS NULL',
	$s->value('SELECT sum(least(amount, 100) - 50) FROM w0.orders WHERE person = 5'), 1);

like($a->value("EXPLAIN $_->[0]"), $_->[1], "bounds of sums: $_->[0]") foreach
	[ 'SELECT sum(amount) FROM items', qr/dp_sum: clipping, then discrete Laplace, epsilon \S+, costs 1000000 of/ ],
	[ 'SELECT p.region, avg(i.amount) FROM items i JOIN orders o ON o.id = i.ord '
		  . 'JOIN persons p ON p.id = o.person GROUP BY 1', qr/dp_sum: clipping, then discrete Laplace/ ],
	[ 'SELECT status, sum(amount) FROM items GROUP BY status',
		qr/dp_sum: discrete Laplace of the global sensitivity, epsilon \S+, costs 1000000 of/ ],
	[ 'SELECT count(*), sum(CASE WHEN amount > 5 THEN 1 ELSE 0 END) FROM items',
		qr/dp_sum: discrete Laplace of the global sensitivity.*dp_sum: discrete Laplace of the global sensitivity/s ],
	[ 'SELECT sum(amount) FROM orders', qr/dp_sum: discrete Laplace of the global sensitivity/ ];

# Items belong to the persons of their orders, whether a statement reads these or not.
my $items = $s->value("SELECT sum(least(n, $max_items)) "
	  . "FROM (SELECT o.person, count(*) AS n FROM w0.items i JOIN w0.orders o ON o.id = i.ord GROUP BY 1) p");
gives('two links away', 'SELECT count(*), sum(amount) FROM items WHERE ord > 300 GROUP BY status IS NULL',
	$s->value('SELECT count(*), sum(least(amount, 100)) FROM w0.items WHERE ord > 300'), 2);
gives($_, "SELECT count(*) FROM $_", $items, 1) foreach 'items', 'items i JOIN orders o ON o.id = i.ord',
	'items i LEFT JOIN orders o ON o.id = i.ord', '(SELECT status FROM items) i',
	'orders o, items i, persons p WHERE p.id = o.person AND o.id = i.ord';
gives('by a column of the person, two links away', 'SELECT p.region, count(*) FROM orders o, items i, persons p '
	  . 'WHERE p.id = o.person AND o.id = i.ord AND p.id > 2 GROUP BY 1 ORDER BY 1',
	$s->value('SET search_path = w0, public; SELECT p.region, count(*) FROM orders o, items i, persons p '
		  . 'WHERE p.id = o.person AND o.id = i.ord AND p.id > 2 GROUP BY 1 ORDER BY 1'), 1);
gives('what is no sum reads ten of each', 'SELECT count(DISTINCT status), count(*) FROM items', "3|$items",
	1 + $max_items);

# What groups of an order each add up to, of which a person has six at most, and how many orders there are.
my $some = 'person > 1';
my $of_orders = "(SELECT ord, count(*) AS n, max(items.amount) AS most FROM items JOIN orders o ON o.id = ord "
  . "WHERE o.$some GROUP BY ord) x";
sub of_world { return $s->value("SET search_path = w0, public; $_[0]") }
gives("rows of orders: $_->[0]", $_->[0], of_world($_->[0]), $_->[1]) foreach
	[ "SELECT round(avg(n), 2), count(*), sum(n) FROM $of_orders WHERE n > 0", 3 ],
	[ "SELECT round(avg(most), 2) FROM $of_orders WHERE most < 100", 2 ],
	[ "SELECT status, count(*), sum(n) FROM (SELECT o.id, o.status, count(i.no) AS n FROM orders o "
		  . "LEFT JOIN items i ON i.ord = o.id WHERE o.$some GROUP BY o.id) x GROUP BY 1 ORDER BY 1", 2 ],
	[ "SELECT status, count(*) FROM (SELECT id, status, count(*) AS n FROM bought WHERE $some AND vip GROUP BY 1, 2 "
		  . "HAVING count(*) > 0) x GROUP BY 1 ORDER BY 1", 1 ],
	[ "SELECT n, count(*) FROM (SELECT ord, least(count(*), 3) AS n FROM items WHERE ord > 200 GROUP BY 1) x "
		  . "GROUP BY 1 ORDER BY 1", 1 ],
	[ 'SELECT count(*) FROM (SELECT DISTINCT ord FROM items WHERE ord > 200) x', 1 ],
	[ "SELECT count(*) FROM (SELECT ord, status FROM items WHERE ord > 200 GROUP BY 1, 2) x", 1 ],
	[ 'SELECT count(DISTINCT ord) FROM items WHERE ord > 200', 1 ],
	[ "SELECT o.status, count(DISTINCT o.id), count(*), count(DISTINCT o.person) FROM orders o "
		  . "LEFT JOIN items i ON i.ord = o.id WHERE $some GROUP BY 1 ORDER BY 1", 3 ],
	[ "SELECT i.status, count(DISTINCT o.id), count(DISTINCT i.ord), count(*) FROM orders o "
		  . "JOIN items i ON i.ord = o.id WHERE $some GROUP BY 1 ORDER BY 1", 3 ],
	[ "SELECT p.region, count(*), count(o.id), count(i.no), count(DISTINCT o.id) FROM persons p "
		. "LEFT JOIN orders o ON o.person = p.id LEFT JOIN items i ON i.ord = o.id WHERE p.id > 1 GROUP BY 1 "
		. "ORDER BY 1", 4 ];
gives('orders of one person count in part',
	'SELECT count(DISTINCT ord), (SELECT count(*) FROM (SELECT DISTINCT ord FROM items) x) FROM items', "$whole|$whole",
	2);
like($a->run($_)->{message}, qr/^(?:dp_\w+ of protected table|rows of table "items" are hidden)/,
	"not groups of one order: $_") foreach 'SELECT avg(n) FROM (SELECT no, count(*) AS n FROM items GROUP BY 1) x',
	'SELECT avg(n) FROM (SELECT o.id, count(*) AS n FROM persons p LEFT JOIN orders o ON o.person = p.id '
	. 'GROUP BY 1) x';

my $clerk = session($node);
$clerk->value("SET ROLE clerk; SET idp.epsilon = $epsilon; SET search_path = w0, public");
is($clerk->run('SELECT count(*), count(DISTINCT status), sum(amount) > 0 FROM items')->{out}, "$items|3|t",
	'a role that may not read the table between');
like($clerk->run($_)->{message}, qr/^permission denied for table/,
	"... is not shown it: $_") foreach 'SELECT count(*) FROM items i JOIN orders o ON o.id = i.ord',
	'SELECT count(DISTINCT no) FROM items';

# --- how far one person moves it ---

sub one { return $_[ rand @_ ] }
sub maybe { return rand() < $_[0] ? $_[1] : '' }

my @sources = (
	'orders o', 'orders o', 'bought o',
	'(SELECT * FROM orders WHERE amount > 5) o',
	'(SELECT status, day, amount, change, score FROM orders) o',
	'(SELECT *, row_number() OVER (PARTITION BY person ORDER BY id) AS r FROM orders) o',
	'persons p JOIN orders o ON o.person = p.id',
	'orders o LEFT JOIN persons p ON p.id = o.person',
	'persons p LEFT JOIN orders o ON o.person = p.id',
	'regions r LEFT JOIN bought o ON o.region = r.id',
	'orders o JOIN persons p ON p.id = o.person JOIN regions r ON r.id = p.region',
	# values of a table that everybody may know, by a key of two columns
	'bought o JOIN rates x ON x.status = o.status AND x.vip = o.vip',
	'bought o LEFT JOIN rates x ON x.status = o.status AND x.vip = o.vip',
	# the last order of each person
	'persons p CROSS JOIN LATERAL (SELECT * FROM orders z WHERE z.person = p.id ORDER BY z.day DESC LIMIT 1) o',
	'persons p LEFT JOIN LATERAL (SELECT * FROM orders z WHERE z.person = p.id AND z.amount > 5 '
	  . 'ORDER BY z.amount, z.id LIMIT 1) o ON o.change > -3',
	'(SELECT p.id AS person, (SELECT status FROM orders z WHERE z.person = p.id ORDER BY z.day LIMIT 1) AS status, '
	  . '(SELECT day FROM orders z WHERE z.person = p.id ORDER BY z.id DESC LIMIT 1) AS day, (SELECT amount '
	  . 'FROM orders z WHERE z.person = p.id ORDER BY z.day DESC LIMIT 1) AS amount, 1 AS change, 0.5::float8 AS score '
	  . 'FROM persons p) o',
	'orders o JOIN orders q ON q.person = o.person',    # the square of max_rows
	'orders o, regions r',
	'(SELECT * FROM orders UNION ALL SELECT * FROM orders) o',
	'items o', 'items o', '(SELECT * FROM items WHERE amount > 5) o',
	'items o JOIN orders p ON p.id = o.ord',
	'items o LEFT JOIN orders p ON p.id = o.ord LEFT JOIN persons v ON v.id = p.person',
	'orders p LEFT JOIN items o ON o.ord = p.id',
	'items o JOIN orders p ON p.id = o.no',    # another's
	'(SELECT o.* FROM orders o, (SELECT avg(v) AS m FROM public.others) a WHERE o.amount > a.m) o',
	'(SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY id) AS r FROM orders) x WHERE r > 1) o',
	'(SELECT id, status, day, amount, change, score, count(*) AS n FROM orders GROUP BY id) o',
	'(SELECT ord, status, day, max(amount) AS amount, min(change) AS change, max(score) AS score FROM items '
	  . 'GROUP BY ord, status, day) o',
	'persons v LEFT JOIN orders p ON p.person = v.id LEFT JOIN items o ON o.ord = p.id',
	# rows of a person and a day, passed on by further queries, and what windows make of them
	'(SELECT person, status, day, amount, change, score, lag(day) OVER w AS before '
	  . 'FROM (SELECT person, status, day, max(amount) AS amount, min(change)' .
	  ' AS change, max(score) AS score FROM orders GROUP BY 1, 2, 3) x '
	  . 'WINDOW w AS (PARTITION BY person ORDER BY day, status)) o',
	'(SELECT * FROM (SELECT DISTINCT person, status, day, amount, change, score FROM orders) x WHERE amount > 5) o '
	  . 'JOIN (SELECT person, min(day) AS first FROM orders GROUP BY 1) f ON f.person = o.person AND f.first <= o.day',
	# texts, and times between rows, of a person
	'(SELECT person, max(status) AS status, min(day) AS day, max(amount) AS amount, min(change) AS change, '
	  . 'max(score) AS score FROM orders GROUP BY 1) o',
	"(SELECT o.*, first_value(upper(status)) OVER (PARTITION BY person ORDER BY day, id) || CASE WHEN row_number() "
	  . "OVER (PARTITION BY person ORDER BY" .
	  " day, id) = 1 THEN ' first' ELSE ' later' END AS kind FROM orders o) o",
	'persons v JOIN LATERAL (SELECT count(*) AS n, max(z.status) AS status, max(z.day) AS day, '
	  . 'max(z.amount) AS amount, 1 AS change, 0.5::float8 AS' .
	  ' score FROM orders z WHERE z.person = v.id) o ON o.n > 1',
	"(SELECT person, status, day, max(CASE WHEN r > 1 THEN amount ELSE 0 END) AS amount, min(change) AS change, "
	  . "max(score) AS score FROM (SELECT *," .
	  " row_number() OVER (PARTITION BY person ORDER BY id) AS r FROM orders) x GROUP BY 1, 2, 3) o",
	'(SELECT a.person, a.status, a.day, max(b.amount) AS amount, min(b.change) AS change, max(b.score) AS score '
	  . 'FROM (SELECT DISTINCT person, status,' .
	  ' day FROM orders) a LEFT JOIN (SELECT DISTINCT person, day, amount, change, score FROM orders) b '
	  . 'ON b.person = a.person AND b.day >= a.day GROUP BY 1, 2, 3) o',
	# windows of rows that are joined to these, keys that outer joins find, and the first day of each person
	'orders o JOIN (SELECT id AS i, row_number() OVER (PARTITION BY person ORDER BY day, id) AS n FROM orders) w'
	  . ' ON w.i = o.id AND w.n > 0',
	'orders o LEFT JOIN (SELECT id AS i, lag(amount) OVER (PARTITION BY person ORDER BY day, id) AS n FROM orders) w'
	  . ' ON w.i = o.id',
	'(SELECT DISTINCT v.vip, p.id AS k FROM persons v LEFT JOIN orders p ON p.person = v.id) k'
	  . ' LEFT JOIN orders o ON o.id = k.k',
	'orders o JOIN (SELECT person AS p, min(day) AS first FROM orders GROUP BY 1) f ON f.p = o.person',
	# days of a calendar without rows
	"(SELECT status, day, amount, change, score FROM orders UNION ALL SELECT 'new', d::date, 0, 0, 0 "
	  . "FROM generate_series(date '2025-01-01', date '2025-01-04', interval '1 day') d) o",
);

sub condition { return one("o.amount > " . int(rand 90), "o.status <> 'paid'", "o.change IS NULL",
	"o.day < '2025-02-10'", 'o.change > 0 OR o.amount < 50', 'o.status IN (SELECT status FROM orders WHERE change = 1)',
	"EXISTS (SELECT 1 FROM regions z WHERE z.id > 0)", 'o.amount > (SELECT avg(v) FROM public.others)',
	'o.change * 10 < (SELECT avg(v) - 30 FROM public.others WHERE v > 10)') }

# Persons of the last days of each day, which are several numbers.
sub rolling
{
	my $days = "generate_series(date '2025-01-10', date '2025-01-1" . one(2, 4, 5) . "', interval '1 day') d";
	my $of_day = 'o.day = d::date' . maybe(0.3, ' AND ' . condition());
	return { sql => "SELECT d::date AS k, (SELECT count(*) FROM orders o WHERE $of_day) AS v FROM $days", largest => 1,
		rows => $max_rows } if rand() < 0.3;
	my $rows = "orders o ON o.day BETWEEN d::date - " . one(1, 6) . ' AND d::date' . maybe(0.3, ' AND ' . condition());
	return rand() < 0.5
	  ? { sql => "SELECT d::date AS k, count(DISTINCT o.person) AS v FROM $days " . one('', 'LEFT ')
		  . "JOIN $rows GROUP BY 1", largest => 1, rows => 1, each => 1 }
	  : { sql => 'SELECT d::date AS k, (SELECT count(*) FROM ' . $rows =~ s/ ON / WHERE /r . ") AS v FROM $days",
		largest => 1, rows => $max_rows, each => 1 };
}

# { sql: with columns k and v, largest: what the magnitude of one row's value is at most }
sub statement
{
	my ($value, $largest) = @{ one([ '*', 1 ], [ '*', 1 ], [ 'o.amount', 100 ], [ 'o.change', 4 ], [ 'o.score', 1 ],
		[ 'o.amount * 2', 200 ], [ 'o.amount - 50', 50 ],
		[ "extract(day FROM o.day::timestamp - timestamp '2025-01-01')", 90 ],
		[ 'CASE WHEN ' . condition() . ' THEN o.amount ELSE 0 END', 100 ], [ '-o.change', 4 ]) };
	my $source = one(@sources);
	($value, $largest) = @{ one([ 'o.amount * x.rate', 150 ], [ 'x.rate', 1.5 ], [ 'o.change * x.rate', 6 ]) }
	  if $source =~ /rates x/ && $value ne '*';
	my $is_count = $value eq '*' || rand() < 0.3;
	my $aggregate = ($is_count ? "count($value)" : "sum($value)") . maybe(0.25, ' FILTER (WHERE ' . condition() . ')');
	my $key = one($is_count ? ("''") x 3 : (), 'o.status', 'o.status', "date_trunc('month', o.day)",
		"o.status || ' ' || extract(month from o.day)::int", 'o.change > 1', 'o.status IS NULL');
	my $groups = $key eq "''" ? '' : rand() < 0.1 ? ' GROUP BY ROLLUP (1)' : ' GROUP BY 1';
	return rolling() if rand() < 0.03;
	my $where = $source =~ /^(?:orders|bought) o$/ && rand() < 0.4
	  ? 'o.change = 2 OR EXISTS (SELECT 1 FROM orders z WHERE z.person = o.person AND z.day > o.day)' : condition();
	my $sql = "SELECT $key AS k, $aggregate AS v FROM $source" . maybe(0.5, " WHERE $where") . $groups;
	# what is joined to each of the regions is answered once, and added up three times, noise included
	my $times = $source eq 'orders o, regions r' ? 3 : 1;
	return { sql => $sql, largest => $times * ($is_count ? 1 : $largest),
		rows => $source =~ /orders q/ ? $max_rows**2 : $source =~ /LEFT JOIN items/ ? $max_rows + $max_items
		  : $source =~ /items/ ? $max_items : $max_rows };
}

sub answers
{
	my ($world, $sql) = @_;
	my $got = $a->run("SET search_path = w$world, public; $sql");
	return $got->{message} if defined $got->{message};
	return { map { my ($k, $v) = split /\|/, $_, -1; ($k => $v eq '' ? 0 : $v) } split /\n/, $got->{out} };
}

my (%seen, @wrong);
@seen{qw(once more refused beyond)} = (0) x 4;
foreach my $number (1 .. $tried)
{
	my $q = statement();
	my $before = spent();
	my $full = answers(0, $q->{sql});
	my $times = (spent() - $before) / $epsilon;
	if (!ref $full)
	{
		$seen{refused}++;
		push @wrong, "$full: $q->{sql}"
		  unless $full =~
		  /: (?:group by|group them|write|ask|use|add|join|leave|compute|choose|the owner|aggregate|partition|.* is answered)|group by/;
		next;
	}
	$seen{ $times <= 2 ? 'once' : 'more' }++;
	my $is_beyond = 0;
	foreach my $person (1 .. $persons)
	{
		my $less = answers($person, $q->{sql});
		my %keys = map { $_ => 1 } keys %$full, ref $less ? keys %$less : ();
		my $moved = 0;
		$moved += abs(($full->{$_} // 0) - (ref $less ? $less->{$_} // 0 : 0)) foreach keys %keys;
		# a value of each of so many rows; beside it noise, and both counts are rounded
		my $paid = ($times < 4 || $q->{each} ? $times * $q->{rows} : $times) * $q->{largest};
		$is_beyond ||= $moved > 0.9 * $paid;
		next if ref $less && $moved <= $paid * (1 + 1e-3) + 1.01 * keys %keys;
		push @wrong, "$moved > $paid: $q->{sql}";
		diag "seed $seed, without person $person: $wrong[-1]" . (ref $less ? '' : ": $less");
		last;
	}
	$seen{beyond}++ if $is_beyond;
}
note join ', ', map { "$_ $seen{$_}" } sort keys %seen;
is(join("\n", @wrong), '', "$tried random statements: no person moves the groups by more than is charged for");
cmp_ok($seen{once}, '>', $tried / 3, "$seen{once} are charged once for each grouping set");
cmp_ok($seen{beyond}, '>', $tried / 20, "... of which $seen{beyond} move by nearly as much as is paid for");
cmp_ok($seen{refused}, '>', 0, "$seen{refused} are refused");

done_testing();

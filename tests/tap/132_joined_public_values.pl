# Values of tables that everybody may know, joined to hidden rows: their bounds are those of their values, a key of two
# columns tells one row, and numbers with few digits are keys. Numbers near the truth, their cost, and that no NOTICE
# says what is not so.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $epsilon = 100000;    # hides nothing
my ($node, $s) = shop_server('joined_public_values');
$s->value(<<'SQL');
SET ROLE owner;
CREATE TABLE rates (status text, channel text, rate numeric(4, 2) NOT NULL, weight float8,
  PRIMARY KEY (status, channel));
INSERT INTO rates SELECT s, c, 0.5 + length(s) * 0.25, length(c) * 0.125
  FROM unnest(ARRAY['new', 'paid', 'shipped', 'returned']) s, unnest(ARRAY['web', 'shop', 'phone']) c;
CREATE TABLE facts (id int PRIMARY KEY REFERENCES regions, population int NOT NULL, area float8, tax numeric NOT NULL,
  opened date NOT NULL);
INSERT INTO facts VALUES (1, 1000, 10.5, 0.07, '2001-01-01'), (2, 2000, 20.25, 0.19, '2002-01-01'),
  (3, 1500, 5, 0.21, '2003-01-01'), (4, 700, NULL, 0.1, '2004-06-01');
CREATE TABLE private_facts (id int PRIMARY KEY, population int NOT NULL);
INSERT INTO private_facts SELECT id, population FROM facts;
CREATE TABLE reviews (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, rating numeric(2, 1) NOT NULL,
  price numeric(8, 2) NOT NULL, started timestamp NOT NULL, ended timestamp NOT NULL);
INSERT INTO reviews SELECT i, 1 + i % 3000, i % 9 / 2.0 + 1, i % 700, timestamp '2025-01-01' + i % 300
  * interval '1 hour', timestamp '2025-01-01' + (i % 300 + i % 24) * interval '1 hour' FROM generate_series(1, 6000) i;
GRANT SELECT ON rates, facts, reviews TO analyst;
SELECT idp.link('reviews', 'customer_id', 'customers', max_rows => 2);
SELECT idp.set_domain('reviews', 'rating', 1, 5), idp.set_domain('reviews', 'price', 0, 700),
  idp.set_domain('reviews', 'started', '2025-01-01', '2025-01-15', grain => '1 hour'),
  idp.set_domain('reviews', 'ended', '2025-01-01', '2025-01-15', grain => '1 hour');
RESET ROLE;
SQL
my $a = session($node);
$a->value("SET ROLE analyst; SET idp.epsilon = $epsilon; SET idp.delta = 1e-9");
$_->{quiet} = 1 foreach $s, $a;

# Statement, and so many times epsilon as it costs.
my $orders = 'orders o JOIN customers c ON c.id = o.customer_id JOIN facts f ON f.id = c.region_id';
my $rated = 'orders o JOIN rates x ON x.status = o.status AND x.channel = o.channel';
my @answered = (
	[ "SELECT sum(o.amount * f.tax) FROM $orders", 1 ],
	[ "SELECT sum(f.population), avg(f.tax) FROM $orders", 3 ],
	[ "SELECT o.status, sum(o.quantity * f.tax) FROM $orders GROUP BY 1", 2 ],
	[ "SELECT avg(o.ordered_at::date - f.opened) FROM $orders", 2 ],
	[ "SELECT sum(v.p) FROM (SELECT f.population * 2 AS p FROM $orders) v", 1 ],
	[ "SELECT sum(o.amount * x.rate) FROM $rated", 1 ],
	[ "SELECT sum(o.quantity * x.weight) FROM $rated", 1 ],
	[ 'SELECT sum(o.amount * x.rate) FROM orders o JOIN rates x USING (status, channel)', 1 ],
	[ "SELECT x.rate, count(*) FROM $rated GROUP BY 1", 2 ],
	[ "SELECT x.status, x.channel, x.rate, count(*) FROM $rated GROUP BY 1, 2, 3", 2 ],
	[ "SELECT o.status, count(*) FROM orders o JOIN rates x ON x.status = o.status WHERE x.channel = 'web' GROUP BY 1",
		2 ],
	[ 'SELECT floor(rating * 2) / 2 AS r, count(*) FROM reviews GROUP BY 1', 2 ],
	[ 'SELECT count(DISTINCT rating) FROM reviews', 2 ]);
foreach my $statement (@answered)
{
	my ($sql, $times) = @$statement;
	my $before = $s->value('SELECT sum(spent) FROM idp.budget');
	my $got = $a->run($sql);
	my $charged = ($s->value('SELECT sum(spent) FROM idp.budget') - $before) / $epsilon;
	my $true = $s->value("SET ROLE owner; $sql; RESET ROLE");
	is($got->{message} // difference_but_empty($true, $got->{out}, 0.02), '', "near the truth: $sql");
	cmp_ok(abs($charged - $times), '<', 1e-6, "costs $times: $sql") or diag "charged $charged";
	unlike($got->{err}, qr/NOTICE/, "no NOTICE: $sql");
	$before = $s->value('SELECT sum(spent) FROM idp.budget');
	is($a->run($sql)->{out}, $got->{out}, "the same again: $sql");
	is($s->value('SELECT sum(spent) FROM idp.budget'), $before, "free: $sql");
}

# Numbers with few digits are keys, those with many are not.
is($a->value('SELECT count(*), min(rating), max(rating) FROM (SELECT DISTINCT rating FROM reviews) r'), '41|1.0|5.0',
	'keys of numeric(2, 1)');
is($a->value('SELECT count(*) FROM (SELECT rating, count(*) FROM reviews WHERE rating >= 4 GROUP BY rating) r'), '11',
	'those that a condition leaves');
like($a->run('SELECT price, count(*) FROM reviews GROUP BY price')->{err}, qr/groups of few rows are left out/,
	'numeric(8, 2) has too many');
is($a->value('SELECT count(*) FROM (SELECT extract(hour FROM ended - started) AS h, count(*) AS n FROM reviews '
	  . 'GROUP BY 1) r WHERE n > -1'), '47', 'hours between two instants');

# Tables that who asks may not read give no bounds: he is refused, and no plan shows what they hold.
like($a->run('EXPLAIN SELECT sum(p.population) FROM customers c JOIN private_facts p ON p.id = c.region_id')->{message},
	qr/permission denied/, 'a table of others');

# A prepared statement follows a table that changes.
$a->value('SET plan_cache_mode = force_generic_plan');
$a->value("PREPARE total AS SELECT sum(f.population) FROM $orders");
my $first = $a->value('EXECUTE total');
$s->value('SET ROLE owner; UPDATE facts SET population = population * 10; RESET ROLE');
cmp_ok(abs($a->value('EXECUTE total') / $first / 10 - 1), '<', 0.01, 'a kept plan follows the table');

done_testing();

# Rows of a person that are chosen by a hash of their own keys, as docs/persons.md does it: answered over hidden rows,
# at m times epsilon, and in the proportions that the rows have; not so the first ones by time.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('chosen_rows', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
SET client_min_messages = error;
CREATE ROLE analyst LOGIN;
CREATE TABLE customers (id int PRIMARY KEY);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, day date);
INSERT INTO customers SELECT generate_series(1, 4000);
INSERT INTO orders
SELECT row_number() OVER (ORDER BY day, customer, n), customer, day
FROM (SELECT c.id AS customer, n, date '2024-01-01' + ('x' || left(md5(c.id || ' ' || n), 7))::bit(28)::int % 731 AS day
      FROM customers c, generate_series(1, 1 + c.id % 12) n) o;
SELECT idp.protect('customers', 1e9, unit => 'id');
SELECT idp.link('orders', 'customer', 'customers');
GRANT SELECT ON customers, orders TO analyst;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

# The rows of a customer that come first in that order, at most five.
sub first_five
{
	return "(SELECT *, row_number() OVER (PARTITION BY customer ORDER BY $_[0]) AS r FROM orders) o WHERE r <= 5";
}
my $last = "day >= '2025-10-01'";
my $hash = 'md5(id::text), id';

# --- what the two choices do to a quarter of the time, as the owner sees it --------------------------------

my $share = $s->value("SELECT avg(($last)::int) FROM orders");
cmp_ok(abs($share - 1 / 8), '<', 0.01, 'an eighth of all orders is of the last quarter');
cmp_ok(abs($s->value("SELECT avg(($last)::int) FROM " . first_five($hash)) - $share), '<', 0.01,
	'and of those chosen by a hash');
cmp_ok($s->value("SELECT avg(($last)::int) FROM " . first_five('day, id')), '<', 0.4 * $share,
	'less than half as many of the first ones by day');

# --- asked by one from whom the rows are hidden ----------------------------------------------------------------

my $true = $s->value("SELECT count(*) FROM " . first_five($hash) . " AND $last");
my $answer = costs($s, 'customers', 50, 'five rows by a hash',
	sub { $a->value("SELECT dp_count(10) FROM " . first_five($hash) . " AND $last") }, 1);
cmp_ok(abs($answer - $true), '<', 20, 'the number of those rows');    # off by more once in e^100
foreach my $set ('enable_hashjoin = off', "$force_parallel = on", 'work_mem = 64', 'enable_sort = off')
{
	is($a->value("SET $set; SELECT dp_count(1000) FROM " . first_five($hash) . " AND $last"), $true,
		"the same rows again: $set");
}

# Where hashes are equal, the key decides.
my $equal = 'md5(left(id::text, 1)), id';
is($a->value('SELECT dp_count(1000) FROM ' . first_five($equal) . " AND $last"),
	$s->value('SELECT count(*) FROM ' . first_five($equal) . " AND $last"),
	'equal hashes: the same rows');
my $before = spent($s, 'customers');
foreach my $order ('md5(id::text)', 'random(), id', 'hashint4(id), id')
{
	isnt($a->run('SELECT dp_count(10) FROM ' . first_five($order))->{sqlstate}, undef, "refused: $order");
}
is(spent($s, 'customers'), $before, 'for nothing');

# Another hash chooses other rows, and costs as much: nothing rests on its being secret.
costs($s, 'customers', 50, 'another hash',
	sub { $a->value('SELECT dp_count(10) FROM ' . first_five("md5('salt' || id), id")) }, 1);

$node->stop;
done_testing();

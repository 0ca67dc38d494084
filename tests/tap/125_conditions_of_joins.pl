# What stands in ON, in EXISTS and IN, and in policies and views on a side of an outer join, counts by the values that
# it has: of who asks, of settings, of the time. Another value is another question, which is answered of its own rows
# and charged; the same value is answered again for nothing. Beside each there is a grouped subquery, whose columns are
# told by what they mean.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('conditions_of_joins', 'jit = off', "shared_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE first_tenant LOGIN; CREATE ROLE second_tenant LOGIN;
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, tenant text NOT NULL, income numeric(8, 2) NOT NULL,
  secret text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, at timestamptz NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY, customer int NOT NULL UNIQUE REFERENCES customers, tenant text NOT NULL);
INSERT INTO customers SELECT i, 'c' || i, CASE WHEN i <= 900 THEN 'first_tenant' ELSE 'second_tenant' END,
  CASE WHEN i <= 900 THEN 5000 ELSE 100 END,
  CASE WHEN i <= 900 THEN 'of the first' ELSE 'of the second' END FROM generate_series(1, 1000) i;
INSERT INTO orders SELECT i, 1 + i % 1000, timestamptz '2025-01-01 00:00 UTC' + i * interval '1 hour'
  FROM generate_series(1, 3000) i;
INSERT INTO visits SELECT id, id, tenant FROM customers;
SET client_min_messages = error;
SELECT idp.protect('customers', 1e9, unit => 'id', repeat => 'forever', delta => 0.5),
  idp.link('orders', 'customer', 'customers', max_rows => 5), idp.link('visits', 'customer', 'customers');
SELECT idp.set_domain('customers', 'income', 0, 10000);
CREATE VIEW own_visits AS SELECT * FROM visits WHERE tenant = current_user;
CREATE VIEW all_customers AS SELECT * FROM customers;
GRANT SELECT ON customers, orders, visits, own_visits, all_customers TO first_tenant, second_tenant;
SQL

sub spent { return $s->value("SELECT sum(spent) FROM idp.budget") }

# What a role gets, and what it costs.
sub asked
{
	my ($role, $setting, $sql) = @_;
	my $a = session($node);
	$a->value("SET client_min_messages = error; SET idp.epsilon = 100; SET app.value = '$setting'; SET ROLE $role");
	my $before = spent();
	my $got = $a->run($sql);
	my $cost = spent() - $before;
	$a->quit;
	return ($got->{message} // $got->{out}, $cost);
}

my $grouped = '(SELECT customer, count(*) AS n FROM orders GROUP BY customer) o ON o.customer = c.id';
my $kept = 'HAVING dp_keep_group(1, 1e-9)';

# [name, policy of customers, statement, role and setting, near which number, another role and setting,
# near which number]
my @cases = (
	[ 'a policy with the role', 'tenant = current_user',
		"SELECT count(*), sum(c.income) / 5000 FROM customers c LEFT JOIN $grouped", [ 'first_tenant', '', 900 ],
		[ 'second_tenant', '', 100 ] ],
	[ 'a policy with the role, on the right', 'tenant = current_user',
		"SELECT count(c.id) FROM visits v LEFT JOIN (customers c LEFT JOIN $grouped) ON c.id = v.customer",
		[ 'first_tenant', '', 900 ], [ 'second_tenant', '', 100 ] ],
	[ 'a policy with the role by two names', 'tenant = session_user OR tenant = current_user',
		"SELECT count(*) FROM customers c JOIN visits v ON v.customer = c.id LEFT JOIN $grouped", [ 'first_tenant', '',
		900 ], [ 'second_tenant', '', 100 ] ],
	[ 'a policy with a setting', "tenant = current_setting('app.value')",
		"SELECT count(*) FROM customers c LEFT JOIN $grouped", [ 'first_tenant', 'first_tenant', 900 ],
		[ 'first_tenant', 'second_tenant', 100 ] ],
	[ 'groups under a policy', 'tenant = current_user',
		"SELECT c.secret, dp_count(100) FROM customers c LEFT JOIN $grouped GROUP BY c.secret $kept", [ 'first_tenant',
		'', qr/^of the first\|(?:89\d|90\d)$/ ], [ 'second_tenant', '', qr/^of the second\|(?:9\d|10\d)$/ ] ],
	[ 'a setting in ON', 'true',
		"SELECT count(o.n) FROM customers c LEFT JOIN $grouped AND c.id <= current_setting('app.value')::int",
		[ 'first_tenant', '250', 250 ], [ 'first_tenant', '750', 750 ] ],
	[ 'a setting in EXISTS', 'true',
		"SELECT count(*) FROM customers c LEFT JOIN $grouped WHERE EXISTS (SELECT FROM visits v "
		. "WHERE v.customer = c.id AND v.id <= current_setting('app.value')::int)", [ 'first_tenant', '250', 250 ],
		[ 'first_tenant', '750', 750 ] ],
	[ 'a setting in NOT EXISTS', 'true',
		"SELECT count(*) FROM customers c LEFT JOIN $grouped WHERE NOT EXISTS (SELECT FROM visits v "
		. "WHERE v.customer = c.id AND v.id <= current_setting('app.value')::int)", [ 'first_tenant', '250', 750 ],
		[ 'first_tenant', '750', 250 ] ],
	[ 'a setting in IN', 'true',
		"SELECT count(*) FROM customers c LEFT JOIN $grouped WHERE c.id IN (SELECT v.customer FROM visits v "
		. "WHERE v.id <= current_setting('app.value')::int)", [ 'first_tenant', '250', 250 ], [ 'first_tenant', '750',
		750 ] ],
	[ 'a view with the role, on the right', 'true',
		"SELECT count(v.id) FROM customers c LEFT JOIN own_visits v ON v.customer = c.id LEFT JOIN $grouped",
		[ 'first_tenant', '', 900 ], [ 'second_tenant', '', 100 ] ],
	[ 'the role in ON', 'true', "SELECT count(v.id) FROM all_customers c LEFT JOIN visits v ON v.customer = c.id "
		. "AND v.tenant = current_user LEFT JOIN $grouped", [ 'first_tenant', '', 900 ], [ 'second_tenant', '', 100 ] ],
	[ 'the role in a key', 'true', "SELECT CASE WHEN c.tenant = current_user THEN 'own' ELSE 'of others' END, "
		  . "dp_count(100) FROM customers c LEFT JOIN $grouped GROUP BY 1 $kept ORDER BY 1 DESC",
		[ 'first_tenant', '', qr/^own\|(?:89\d|90\d)$/m ], [ 'second_tenant', '', qr/^own\|(?:9\d|10\d)$/m ] ],
	[ 'the role in ON, without a subquery', 'true',
		'SELECT count(v.id) FROM all_customers c LEFT JOIN visits v ON v.customer = c.id '
		. 'AND v.tenant = current_user', [ 'first_tenant', '', 900 ], [ 'second_tenant', '', 100 ] ],
);
foreach my $case (@cases)
{
	my ($name, $policy, $sql, @asked) = @$case;
	$s->value("DROP POLICY IF EXISTS own ON customers; CREATE POLICY own ON customers AS RESTRICTIVE USING ($policy)");
	foreach my $i (0, 1)
	{
		my ($role, $setting, $expected) = @{ $asked[$i] };
		my ($got, $cost) = asked($role, $setting, $sql);
		if (ref $expected) { like($got, $expected, "$name: what its own rows have, $role") }
		else
		{
			ok($got =~ /^(-?\d+)/ && abs($1 - $expected) <= 5, "$name: near $expected, $role '$setting'") or diag($got);
		}
		cmp_ok($cost, '>', 0, "$name: charged, $role '$setting'");
		my ($again, $free) = asked($role, $setting, $sql);
		is($again, $got, "$name: the same again, $role '$setting'");
		is($free, 0, "$name: for nothing, $role '$setting'");
	}
}

# The time: rows that are there a moment later.
$s->value("DROP POLICY own ON customers; UPDATE orders SET at = now() + interval '3 seconds' WHERE id > 1500; "
	  . "UPDATE orders SET at = now() - interval '1 day' WHERE id <= 1500");
my $recent = "SELECT count(*) FROM customers c LEFT JOIN $grouped "
  . "WHERE EXISTS (SELECT FROM orders r WHERE r.customer = c.id AND r.id BETWEEN 1000 AND 1999 AND r.at <= now())";
my ($before) = asked('first_tenant', '', $recent);
ok(abs($before - 501) <= 5, 'now() in EXISTS: those until then') or diag($before);
$node->poll_query_until('postgres', 'SELECT now() > max(at) FROM orders');
my ($after) = asked('first_tenant', '', $recent);
ok(abs($after - 1000) <= 5, 'now() in EXISTS: those since, too') or diag($after);
$s->quit;
$node->stop;
done_testing();

# A subquery, view or CTE that only chooses rows and computes columns asks for what its tables would be asked for: the
# same numbers, for nothing, once these are known. What a subquery may not be without is left in it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my ($node, $s) = shop_server('rows_in_subqueries');
$s->value(<<'SQL');
SET ROLE owner;
CREATE VIEW bought AS SELECT id, customer_id, status, amount, quantity, date_trunc('month', ordered_at) AS month,
  to_char(ordered_at, 'YYYY-MM') AS label FROM orders;
CREATE VIEW buyers AS SELECT o.*, c.segment, c.age, r.name AS region FROM bought o
  JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id;
CREATE VIEW regions_of AS SELECT * FROM regions;
CREATE VIEW behind_barrier WITH (security_barrier) AS SELECT * FROM bought;
GRANT SELECT ON bought, buyers, regions_of, behind_barrier TO analyst; RESET ROLE;
SQL
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1000; SET client_min_messages = warning');

# What a statement gives, or how it is refused, and what it costs.
sub ask { return answer_and_cost($s, $a, $_[0]) }

my $rows = "(SELECT customer_id, amount, quantity, status, date_trunc('month', ordered_at) AS month FROM orders)";
my $joined = 'orders o JOIN customers c ON c.id = o.customer_id';
my $first = "(SELECT customer_id, date_trunc('quarter', min(ordered_at)) AS cohort FROM orders "
  . "GROUP BY 1) f ON f.customer_id = o.customer_id";

# [name, as the tables are asked, as others are]
my @same = (
	[ 'persons of each month',
		"SELECT date_trunc('month', ordered_at), count(DISTINCT customer_id) FROM orders GROUP BY 1 ORDER BY 1",
		"SELECT month, count(DISTINCT customer_id) FROM $rows o GROUP BY 1 ORDER BY 1",
		'SELECT month, count(DISTINCT customer_id) FROM bought GROUP BY 1 ORDER BY 1',
		"WITH o AS $rows SELECT month, count(DISTINCT customer_id) FROM o GROUP BY 1 ORDER BY 1",
			"SELECT month, count(DISTINCT customer_id) FROM (SELECT * FROM (SELECT * FROM bought) b OFFSET 0) o "
			. "GROUP BY 1 ORDER BY 1" ],
	[ 'persons of each label',
		"SELECT to_char(ordered_at, 'YYYY-MM'), count(DISTINCT customer_id) FROM orders GROUP BY 1 ORDER BY 1",
		q{select "rows"."M", count(distinct "rows"."customer_id") as "n" from (select "_"."customer_id", }
		  . q{to_char("_"."ordered_at", 'YYYY-MM') as "M" from "public"."orders" "_") "rows" group by "M" order by "M"},
		'SELECT label, count(DISTINCT customer_id) FROM bought GROUP BY 1 ORDER BY 1' ],
	[ 'sums on a side of a join', "SELECT c.segment, date_trunc('month', o.ordered_at), sum(o.amount) FROM $joined "
		  . "WHERE o.status = 'paid' AND c.age < 50 GROUP BY 1, 2 ORDER BY 1, 2",
		"SELECT c.segment, o.month, sum(o.amount) FROM (SELECT * FROM $rows o WHERE status = 'paid') o "
		  . "JOIN (SELECT id, segment FROM customers WHERE age < 50) c ON c.id = o.customer_id "
		  . "GROUP BY 1, 2 ORDER BY 1, 2",
		"SELECT segment, month, sum(amount) FROM (SELECT o.*, c.segment, c.age FROM bought o JOIN customers c "
		  . "ON c.id = o.customer_id) b WHERE status = 'paid' AND age < 50 GROUP BY 1, 2 ORDER BY 1, 2" ],
	[ 'regions', 'SELECT r.name, count(*), avg(o.quantity) FROM orders o JOIN customers c ON c.id = o.customer_id '
		  . 'JOIN regions r ON r.id = c.region_id GROUP BY 1 ORDER BY 1',
		'SELECT region, count(*), avg(quantity) FROM buyers GROUP BY 1 ORDER BY 1',
		'SELECT region, count(*), avg(quantity) FROM (SELECT o.*, r.name AS region FROM orders o '
		  . 'JOIN customers c ON c.id = o.customer_id JOIN regions_of r ON r.id = c.region_id) AS virtual_table '
		  . 'GROUP BY region ORDER BY 1',
		'WITH t AS (SELECT r.name, count(*), avg(o.quantity) FROM orders o JOIN customers c ON c.id = o.customer_id '
		  . 'JOIN regions r ON r.id = c.region_id GROUP BY 1) SELECT * FROM t ORDER BY 1',
		'WITH t AS MATERIALIZED (SELECT r.name, count(*) AS n, avg(o.quantity) AS a FROM orders o '
		  . 'JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id GROUP BY 1), u AS (SELECT * '
		  . 'FROM t) SELECT name, n, a FROM u ORDER BY rank() OVER (ORDER BY name)' ],
	[ 'a name found for each row', 'SELECT (SELECT r.name FROM regions r WHERE r.id = c.region_id) AS region, count(*) '
		  . 'FROM customers c GROUP BY 1 ORDER BY 1',
		'SELECT (SELECT r.name FROM regions_of r WHERE r.id = c.region_id) AS region, count(*) '
		  . 'FROM (SELECT * FROM customers) c GROUP BY 1 ORDER BY 1' ],
	[ 'counts for each region',
		'SELECT r.id, (SELECT count(*) FROM customers c WHERE c.region_id = r.id) FROM regions r ORDER BY 1',
		'SELECT r.id, (SELECT count(*) FROM (SELECT * FROM customers) c WHERE c.region_id = r.id) '
		  . 'FROM (SELECT * FROM regions) r ORDER BY 1' ],
	[ 'a condition that has a subquery', "SELECT count(*), sum(quantity) FROM orders "
		  . "WHERE customer_id IN (SELECT id FROM customers WHERE segment = 'home')",
		"SELECT count(*), sum(quantity) "
		  . "FROM (SELECT * FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE segment = 'home')) o" ],
	[ 'the left side of an outer join', "SELECT date_trunc('quarter', o.ordered_at), c.segment, count(*) FROM orders o "
		. "LEFT JOIN customers c ON c.id = o.customer_id WHERE o.quantity > 1 GROUP BY 1, 2 ORDER BY 1, 2",
		"SELECT o.quarter, c.segment, count(*) "
		  . "FROM (SELECT customer_id, date_trunc('quarter', ordered_at) AS quarter FROM orders WHERE quantity > 1) o "
		  . "LEFT JOIN customers c ON c.id = o.customer_id GROUP BY 1, 2 ORDER BY 1, 2" ],
	[ 'cohorts', "SELECT f.cohort, date_trunc('quarter', o.ordered_at), count(DISTINCT o.customer_id) FROM orders o "
		  . "JOIN $first GROUP BY 1, 2 ORDER BY 1, 2",
		"WITH first AS (SELECT customer_id, date_trunc('quarter', min(ordered_at)) AS cohort FROM orders GROUP BY 1), "
		  . "activity AS (SELECT o.customer_id, f.cohort, date_trunc('quarter', o.ordered_at) AS period FROM orders o "
		  . "JOIN first f ON f.customer_id = o.customer_id) SELECT cohort, period, count(DISTINCT customer_id) "
		  . "FROM activity GROUP BY 1, 2 ORDER BY 1, 2" ],
	[ 'medians of persons', 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) '
		  . 'FROM (SELECT customer_id, sum(quantity) AS n FROM orders GROUP BY 1) t',
		'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) '
		  . 'FROM (SELECT customer_id, sum(quantity) AS n FROM bought GROUP BY 1) t' ],
	[ 'new and returning',
		"SELECT date_trunc('quarter', ordered_at), count(*) FILTER (WHERE n = 1), count(*) FILTER (WHERE n > 1) "
		. "FROM (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY ordered_at) AS n FROM orders) o "
		. "GROUP BY 1 ORDER BY 1",
		"SELECT date_trunc('quarter', ordered_at), count(*) FILTER (WHERE n = 1), count(*) FILTER (WHERE n > 1) "
		  . "FROM (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY ordered_at) AS n "
		  . "FROM (SELECT * FROM orders) o) o GROUP BY 1 ORDER BY 1" ]);
foreach (@same)
{
	my ($name, $direct, @others) = @$_;
	my ($answers, $cost) = ask($direct);
	cmp_ok($cost, '>', 0, "$name: is charged");
	is(difference_but_empty($s->value("SET ROLE owner; $direct"), $answers, 0.03), '', "$name: near the truth");
	$s->value('RESET ROLE');
	is(join("\n", ask($_)), "$answers\n0", "$name: for nothing: $_") foreach @others;
}

# What is computed beside answers is no part of their question, whatever settings it follows.
my ($counts) = ask('SELECT status, count(*) FROM orders WHERE quantity > 3 GROUP BY 1 ORDER BY 1');
my ($margins_beside, $cost_beside) =
  ask('SELECT status, count(*), idp.margin(count(*)) FROM orders WHERE quantity > 3 GROUP BY 1 ORDER BY 1');
is($margins_beside =~ s/\|[^|\n]*$//gmr, $counts, 'a margin is that of the number that was shown');
is($cost_beside, 0, '... and costs nothing');
is((ask("SELECT status, to_char(count(*), '999G999'), now() FROM orders WHERE quantity > 3 GROUP BY 1 ORDER BY 1"))[1],
	0, 'nor does what is written of it');

# Lists of keys.
is(join(' and ', ask("SELECT DISTINCT c.segment, r.name FROM (SELECT * FROM customers) c "
	  . "JOIN (SELECT id, name FROM regions WHERE id < 3) r ON r.id = c.region_id ORDER BY 1, 2")),
	"home|north\nhome|south\noffice|north\noffice|south\nschool|north\nschool|south and 0", 'keys of both sides');

# --- what stays as it is ---

# A constant of a subquery is NULL in a margin; as one of the level it would be there, too.
my ($margins) = ask("SELECT coalesce(k || '!', 'none'), status, count(*) "
	  . "FROM (SELECT 'all' AS k, status FROM orders) o GROUP BY ROLLUP (k, status) ORDER BY 1, 2");
like($margins, qr/^none\|\|1[12]\d{3}$/m, 'a constant is NULL in the margin') or diag $margins;
# A row of no orders has NULL in the columns that the subquery computes, whatever they are computed of.
my ($outer) = ask("SELECT count(*), count(o.one) FROM customers c "
	  . "LEFT JOIN (SELECT customer_id, 1 AS one FROM orders WHERE quantity = 5) o ON o.customer_id = c.id");
my ($all, $found) = split /\|/, $outer =~ s/\n.*//sr;
my $is_refused = $outer !~ /^\d+\|\d+$/;
ok($is_refused || $found < $all - 500, 'a column of an outer join') or diag $outer;
# A view with a barrier is read as such.
my ($barred) = ask('SELECT status, count(*) FROM behind_barrier GROUP BY 1 ORDER BY 1');
is(difference_but_empty($s->value("SET ROLE owner; SELECT status, count(*) FROM bought GROUP BY 1 ORDER BY 1"), $barred,
	0.03), '', 'a barrier');
$s->value('RESET ROLE');
# What is not the same each time is not asked twice.
like((ask('SELECT k, count(*) FROM (SELECT random() < 0.5 AS k FROM orders) o GROUP BY 1'))[0],
	qr/function random\(\) cannot be evaluated before hidden rows/, 'a volatile function');
# A row as a whole has the columns of the subquery, and is one more step.
my ($whole) = ask('SELECT count(*) FROM (SELECT status FROM orders) o WHERE o IS NOT NULL');
like($whole, qr/^(11|12)\d{3}$|cannot be applied to hidden rows/, 'whole rows');

# A view is read with the columns that its tables had when it was made.
my $few = 'WHERE (SELECT count(*) FROM orders w WHERE w.customer_id = b.customer_id) < 4';
my @of_view = map { "SELECT $_ FROM buyers b $few" } 'count(DISTINCT quantity)', 'stddev(quantity)', 'count(*)';
my @before = map { (ask($_))[0] } @of_view;
$s->value('ALTER TABLE orders ADD COLUMN extra int; ALTER TABLE customers ADD COLUMN extra int');
is((ask($of_view[$_]))[0], $before[$_], "a view, after its tables were given columns: $of_view[$_]")
  foreach 0 .. $#of_view;

done_testing;

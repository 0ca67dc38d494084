# Averages, variances and standard deviations over too few rows are NULL: where the noisy count that they draw does not
# support an answer. In groups of domains, of persons, in kept groups, under release names; and what that
# tells and costs.
#
# Where epsilon is 1000, the chance of another outcome is below 1e-100. Other bounds fail with a
# probability below FAILURE.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ChernoffTest;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('averages', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE analyst LOGIN;
CREATE TABLE orders (id int PRIMARY KEY, status text NOT NULL, shelf int NOT NULL, amount numeric(10, 2) NOT NULL);
INSERT INTO orders SELECT i, (ARRAY['new', 'paid', 'shipped'])[1 + i % 3], 1 + i % 10, 100 + i % 2
  FROM generate_series(1, 600) i;
SELECT idp.protect('orders', 1e9, 'add_remove', delta => 0.1),
    idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'returned', 'shipped']),
    idp.set_domain('orders', 'shelf', 1, 1000);
CREATE TABLE customers (id int PRIMARY KEY, region text NOT NULL);
CREATE TABLE visits (customer int NOT NULL REFERENCES customers, pages int NOT NULL);
INSERT INTO customers SELECT i, (ARRAY['north', 'south'])[1 + i % 2] FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, 5 FROM generate_series(1, 100) i, generate_series(1, 3);
SELECT idp.protect('customers', 1e9, 'add_remove', unit => 'id'), idp.link('visits', 'customer', 'customers'),
    idp.set_domain('customers', 'region', ARRAY['east', 'north', 'south']);
GRANT SELECT ON orders, customers, visits TO analyst;
SQL
my $a = session($node);
$a->value('SET SESSION AUTHORIZATION analyst');

# --- Groups of a domain ---------------------------------------------------------------------------

foreach my $case (
	[ 'dp_avg(amount, 1000, 0, 2000)', 100.5 ], [ 'dp_variance(amount, 1000, 100, 101)', 0.25 ],
	[ 'dp_stddev(amount, 1000, 100, 101)', 0.5 ], [ 'dp_avg(amount::float8, 1000, 0, 2000)', 100.5 ],
	[ 'dp_avg(amount, 1000, 42, 42)', 42 ], [ 'dp_variance(amount, 1000, 42, 42)', 0 ],
	[ 'dp_avg(amount, 1000)', 100.5 ], [ 'dp_variance(amount, 1000)', 0.25 ], [ 'dp_stddev(amount, 1000)', 0.5 ],)
{
	my ($call, $value) = @$case;
	my $near = $value == int $value ? "$call = $value" : "abs($call - $value) < " . ($value > 1 ? 1 : 0.1);
	is($a->value("SELECT status, $near FROM orders GROUP BY status ORDER BY 1"), "new|t\npaid|t\nreturned|\nshipped|t",
		"a group without rows: $call");
	is($a->value("SELECT $call IS NULL FROM orders WHERE status = 'lost'"), 't', "no rows at all: $call");
	is($a->value("SELECT status, $call FILTER (WHERE status <> 'paid') IS NULL FROM orders GROUP BY status ORDER BY 1"),
		"new|f\npaid|t\nreturned|t\nshipped|f",
		"FILTER leaves none: $call");
}
is($a->value("SELECT status, abs(idp_avg(amount, 100000, 0, 2000) - 1000) < 1, idp_variance(amount, 1, 0, 2000) = 0 "
	  . "FROM orders WHERE status = 'returned' GROUP BY status"),
	'returned|t|t', 'idp_ has no noisy count: near the middle of the bounds, and 0');
is($a->value('SELECT status, dp_avg(amount, 1000, 0, 2000) IS NULL FROM orders GROUP BY ROLLUP (status) ORDER BY 1'),
	"new|f\npaid|f\nreturned|t\nshipped|f\n|f", 'totals have rows');
is($a->value('SELECT count(*) FROM (SELECT status FROM orders GROUP BY status '
	  . 'HAVING dp_avg(amount, 1000, 0, 2000) > -1) q'), 3, 'HAVING leaves it out');

# 990 shelves without rows, at an epsilon that is usual: answers in one of twenty draws at most, and not never
my $runs = 990;
foreach my $case ([ 'dp_avg(amount, 1, 0, 2000)', 1 / 2 ], [ 'dp_stddev(amount, 1, 0, 2000)', 9 / 25 ],
	[ 'dp_avg(amount, 1)', 1 / 4, 32 ])
{
	my ($call, $rate, $clamped) = @$case;
	my $rule = exp -$rate;
	my $k = 0;
	$k++ while $rule**($k + 1) / (1 + $rule) > 0.05;
	$k += $clamped // 0;    # as many lie beyond bounds that are found
	my $answers = $a->value("SELECT count(answer) "
		  . "FROM (SELECT shelf, $call AS answer FROM orders GROUP BY shelf) q WHERE shelf > 10");
	ok(!is_improbable($answers, $runs, $rule**($k + 1) / (1 + $rule)),
		"$answers of $runs groups without rows have an answer: $call");
	ok(is_improbable($answers, $runs, 1) && is_improbable($answers, $runs, 0.5),
		'negative control: not as if all or half of them had one');
	is($a->value("SELECT count(answer) FROM (SELECT status, $call AS answer FROM orders GROUP BY status) q "
		  . "WHERE status <> 'returned'"), 3, 'two hundred rows always have one');
}
is(costs($s, 'orders', '0.5', 'an answer that is NULL costs what one costs', sub {
	$a->value("SELECT dp_avg(amount, 0.5, 0, 2000) IS NOT NULL FROM orders WHERE status = 'lost' \\g /dev/null")
}), '', 'or nothing is charged');

# Bounds that are found leave out some 16/epsilon rows at either end: fewer rows than that have bounds that meet
# anywhere, with an average in between. Without that 100 rows had one in most draws: they have in 2.5e-4 of them, in
# more than ten of 200 once in 1e21 runs.
foreach my $case ([ 0.1, 100, 10 ], [ 0.1, 200, 20 ], [ 0.1, 300, 100 ])
{
	my ($epsilon, $rows, $most) = @$case;
	my $answers = $a->value("SELECT count(a) FROM (" . join(' UNION ALL ', map {
		"SELECT dp_avg(amount, $epsilon) FILTER (WHERE id <= $rows AND $_ = $_) AS a FROM orders"
	} 1 .. 200) . ') q');
	cmp_ok($answers, '<=', $most, "$rows rows have no average at epsilon $epsilon: $answers of 200");
}

# --- Persons, joins, kept groups ------------------------------------------------------------------

is($a->value('SELECT region, dp_avg(id, 1000, 1, 100) BETWEEN 45 AND 55 FROM customers GROUP BY region ORDER BY 1'),
	"east|\nnorth|t\nsouth|t", 'persons');
is($a->value('SELECT c.region, dp_avg(v.n, 1000, 0, 9) FROM customers c '
	  . 'JOIN (SELECT customer, count(*) AS n FROM visits GROUP BY customer) v ON v.customer = c.id '
	  . 'GROUP BY c.region ORDER BY 1') =~ s/\.0+\b//gr, "east|\nnorth|3\nsouth|3", 'numbers of persons');
is($a->value('SELECT dp_avg(n, 1000, 0, 9) FROM (SELECT customer, count(*) AS n FROM visits WHERE pages > 5 '
	  . 'GROUP BY customer) v'), '', 'of none of them');
is($a->value('SELECT amount, dp_avg(amount, 1000, 0, 2000) FILTER (WHERE id > 600) IS NULL, abs(dp_avg(amount, 1000, '
	  . '0, 2000) - amount) < 1 FROM orders GROUP BY amount HAVING dp_keep_group(1, 1e-5) ORDER BY 1'),
	"100.00|t|t\n101.00|t|t", 'kept groups: NULL where no row of theirs counts');

# --- Releases -------------------------------------------------------------------------------------

# Too few rows at one epsilon, and enough at another. Each level decides by its own noise.
my $call = sub {
	my ($epsilon, $release, $where) = @_;
	return "SELECT dp_avg(amount, $epsilon, 0, 2000, '$release') FROM orders WHERE $where"
};
my $few = "status = 'new' AND id <= 9";    # three rows: k is above 4 000 000 at 1e-6, and 0 at 1000
my ($coarse, $name) = ('answered');
foreach my $try (1 .. 20)                  # in one of twenty draws there is an answer
{
	$name = "few $try";
	$coarse = $a->value($call->('1e-6', $name, $few));
	last if $coarse eq '';
}
is($coarse, '', 'a release of three rows is NULL at 1e-6');
is($a->value($call->('1e-6', $name, $few)), '', 'and stays so');
is($s->value("SELECT answer IS NULL, epsilon FROM idp.releases WHERE name = '$name'"), 't|1e-06',
	'as idp.releases shows');
is($a->value("SELECT idp.relax('$name', 1e-6) IS NULL"), 't', 'and idp.relax');
is(costs($s, 'orders', '999.999999', 'the difference', sub { $a->value($call->('1000', $name, $few)) > 0 }), 1,
	'refined to 1000, it has an answer');
my $fine = $a->value("SELECT idp.relax('$name', 1000)");
cmp_ok(abs($fine - 100.3), '<', 20, "about the average: $fine");
is($s->value("SELECT answer FROM idp.releases WHERE name = '$name'"), $fine, 'which idp.releases shows');
is($a->value($call->('1e-6', $name, $few)), '', 'at 1e-6 it stays NULL');
$s->value("CREATE ROLE reader LOGIN; SELECT idp.share('$name', 'reader', 1e-6, relation => 'orders')");
my $r = session($node);
is($r->value("SET SESSION AUTHORIZATION reader \\g /dev/null\nSELECT idp.read('$name') IS NULL"), 't',
	'a reader at 1e-6 is told no more');
is($r->value("SELECT epsilon, answer IS NULL FROM idp.shared"), '1e-06|t', 'nor by idp.shared');
is($a->value($call->('1000', 'none', "status = 'lost'")), '', 'no rows at 1000');
is($a->value("SELECT idp.relax('none', 2000) IS NULL AND idp.relax('none', 500) IS NULL"), 't',
	'nor refined or tightened');

# What 0.3.0 began is stored as another kind, and answers as it did.
$s->value("UPDATE idp.chain SET record = set_byte(record, 4 + 1 + 64, 2) WHERE name = 'none'");
like($a->value($call->('1000', 'none', "status = 'lost'")), qr/^\d/,
	'a release of no rows that began in 0.3.0 answers as it did');
$s->value("UPDATE idp.chain SET record = set_byte(record, 4 + 1 + 64, 4) WHERE name = 'none'");
like($a->run($call->('1000', 'none', "status = 'lost'"))->{message}, qr{stored release is damaged},
	'a kind that no version knows is refused');
$s->value("SELECT idp.drop_release('none', relation => 'orders')");

done_testing();

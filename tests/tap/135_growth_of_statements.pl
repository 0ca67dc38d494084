# Plain SQL is answered in parts where a subquery hangs on the rows of a list: each part is a copy. Copies of copies
# multiply, so a statement of some lines could take gigabytes while it is planned. It is refused before.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PlainSql;
use Test::More;

my $node = new_node('growth', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN');
$s->value(shop_tables() . shop_protection());
my $a = session($node);
$a->{quiet} = 1;
$a->value("SET ROLE analyst; SET statement_timeout = '60s'");

# A subquery for each of so many rows, in whose condition others are for each of as many, and so on.
sub lists
{
	my ($depth, $rows, $row) = @_;
	return "(SELECT count(*) FROM orders o WHERE o.amount > $row.n)" if $depth == 1;
	my $within = lists($depth - 1, $rows, "g$depth");
	return "(SELECT count(*) FROM orders o WHERE o.amount > $row.n AND o.amount > (SELECT max(c) FROM"
	  . " (SELECT $within AS c FROM generate_series(1, $rows) g$depth(n)) x$depth))";
}

# As many parts as 2 to the power of the depth, in a text of a few lines.
sub unions
{
	my ($depth) = @_;
	my @ctes = ('u0 AS (SELECT status AS s, amount AS a FROM orders)');
	foreach my $i (1 .. $depth)
	{
		my $below = 'u' . ($i - 1);
		my $twice = "SELECT * FROM $below UNION ALL SELECT * FROM $below";
		push @ctes, "u$i AS (SELECT s, sum(a) AS a FROM ($twice) q GROUP BY s)";
	}
	return 'WITH ' . join(', ', @ctes) . " SELECT * FROM u$depth";
}

my $refused = 'this statement would be answered in too many parts';
my $list = 'SELECT n, %s FROM generate_series(1, %d) t(n)';
my $one = sprintf $list, lists(1, 100, 't'), 100;
is($a->run("EXPLAIN $one")->{message}, undef, 'a list of 100 rows is answered');
is($a->run('EXPLAIN ' . sprintf $list, lists(2, 8, 't'), 8)->{message}, undef, 'and one of eight within one of eight');
foreach my $size ([ 2, 30 ], [ 3, 100 ], [ 5, 20 ])
{
	my ($depth, $rows) = @$size;
	my $statement = sprintf $list, lists($depth, $rows, 't'), $rows;
	is($a->run("EXPLAIN $statement")->{message}, $refused, "$depth lists of $rows rows within one another are not");
	is($a->run("PREPARE p AS $statement; EXECUTE p")->{message}, $refused, 'nor prepared');
	is($a->run("SELECT idp.cost(\$q\$$statement\$q\$)")->{message}, $refused, 'nor is it said what they cost');
	is($a->run("EXPLAIN $one")->{message}, undef, 'the next statement has room again');
	$a->run('DEALLOCATE ALL');
}

# A part for each row of a list that stands beside rows: a copy of the list is in each.
sub labels
{
	my ($rows) = @_;
	my $values = join ', ', map { "('l$_', o.amount + $_)" } 1 .. $rows;
	return "SELECT l, sum(x) FROM orders o, LATERAL (VALUES $values) y(l, x) GROUP BY 1";
}
is($a->run('EXPLAIN ' . labels(100))->{message}, undef, 'a list of 100 rows beside rows is answered');
is($a->run('EXPLAIN ' . labels(2000))->{message}, $refused, 'one of 2000 is not');

# A private aggregate for each fraction of an array, of which a short statement computes many.
sub fractions
{
	my ($count) = @_;
	my $digits = "sqrt(('2' || repeat('0', " . 10 * $count . "))::numeric)::text";
	return "rtrim(substr(regexp_replace($digits, '(\\d{5})', '.\\1,', 'g'), 1, " . 7 * $count . "), ',')";
}
foreach my $case ([ 100, undef ], [ 10_000, $refused ])
{
	my ($count, $message) = @$case;
	my $array = "string_to_array(${\ fractions($count)}, ',')::float8[]";
	is($a->run("EXPLAIN SELECT percentile_cont($array) WITHIN GROUP (ORDER BY amount) FROM orders")->{message},
		$message, "$count fractions of an array: " . ($message // 'answered'));
}

foreach my $depth (8, 16, 40)
{
	my $message = $a->run('EXPLAIN ' . unions($depth))->{message} // '';
	unlike($message, qr/timeout/, "unions of unions, $depth deep, are answered or refused soon");
}

# What computes with a column twice, over what does, and so on: the walks that follow it to its table have as many ways.
sub chain
{
	my ($depth, $column, $computed, $end) = @_;
	my @ctes = ("c0 AS MATERIALIZED (SELECT status, $column AS i FROM orders)");
	push @ctes, "c$_ AS MATERIALIZED (SELECT status, $computed AS i FROM c" . ($_ - 1) . ')' foreach 1 .. $depth;
	return 'WITH ' . join(', ', @ctes) . " SELECT $end FROM c$depth";
}
my $apart = "ordered_at - timestamp '2025-01-01'";
foreach my $case ([ $apart, 'i + i', 'sum(i)' ], [ $apart, "CASE WHEN status = 'paid' THEN i ELSE i END", 'avg(i)' ],
	[ 'amount', 'i + i', 'sum(i)' ], [ 'amount', 'greatest(i, i)', 'max(i)' ], [ 'status', 'i || i', 'min(i)' ],
	[ 'quantity', 'coalesce(i, i)', 'count(DISTINCT i)' ], [ 'ordered_at', 'i + (i - i)', 'max(i)' ],
	[ $apart, "CASE WHEN status = 'paid' THEN i ELSE i END", 'i, count(*)', 'GROUP BY 1' ],
	[ 'amount', 'coalesce(i, i, i)', 'i, count(*)', 'GROUP BY 1' ], [ 'status', 'i || i', 'i, count(*)', 'GROUP BY 1' ])
{
	my ($column, $computed, $end, $groups) = @$case;
	my $statement = chain(40, $column, $computed, $end) . ' ' . ($groups // '');
	my $message = $a->run("EXPLAIN $statement")->{message} // '';
	unlike($message, qr/timeout/, "$end of $computed of $column, 40 deep, is answered or refused soon");
}

# Where these are subqueries, what one computes stands in each place that names it.
foreach my $case ([ 6, undef ], [ 16, $refused ], [ 40, $refused ])
{
	my ($depth, $expected) = @$case;
	my $rows = 'SELECT status AS s FROM orders';
	$rows = "SELECT CASE WHEN s = 'a' THEN s || 'x' ELSE s || s END AS s FROM ($rows) r$_" foreach 1 .. $depth;
	my $message = $a->run("EXPLAIN SELECT count(s) FROM ($rows) r")->{message};
	is($message, $expected, "subqueries that name a column three times, $depth deep: " . ($expected // 'answered'));
}

# The same of what reads another twice, where nothing of it is a private aggregate yet.
foreach my $depth (12, 30)
{
	my @ctes = ('c0 AS (SELECT customer_id, amount AS i FROM orders)');
	foreach my $i (1 .. $depth)
	{
		my $below = 'c' . ($i - 1);
		my $chosen = "SELECT * FROM $below WHERE i IN (SELECT i FROM $below)";
		push @ctes, "c$i AS (SELECT customer_id, max(i) AS i FROM ($chosen) q GROUP BY customer_id)";
	}
	my $message = $a->run('EXPLAIN WITH ' . join(', ', @ctes) . " SELECT max(i) FROM c$depth")->{message} // '';
	unlike($message, qr/timeout/, "CTEs that read others twice, $depth deep, are answered or refused soon");
}
done_testing();

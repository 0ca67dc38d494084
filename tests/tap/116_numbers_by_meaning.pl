# A number is the same whatever else is computed of its rows: statements over subqueries, rows of persons and domains
# share the numbers that they have in common. And none is taken for another one: random statements that differ in what a
# column is computed by, in its place, its name, a parameter, or the rows, are answered near the truth again and again,
# at an epsilon that hides nothing.
#
#   IDP_MEANINGS_TRIED   how many random statements (600)
#   IDP_MEANINGS_SEED    of the random choices
#   IDP_MEANINGS_STOP    ends with the first that is wrong
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $tried = $ENV{IDP_MEANINGS_TRIED} // 600;
my $seed = $ENV{IDP_MEANINGS_SEED} // 1;
srand $seed;
note "IDP_MEANINGS_SEED=$seed";

my $epsilon = 1e6;
my ($node, $s) = shop_server('numbers_by_meaning');
my $a = session($node);
$a->value("SET ROLE analyst; SET idp.epsilon = $epsilon; SET idp.delta = 1e-9");
$_->{quiet} = 1 foreach $s, $a;

sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') / $epsilon }

# What a statement prints, and how many numbers it was charged, by groups twice.
sub asked
{
	my ($sql) = @_;
	my $before = spent();
	my $got = $a->run($sql);
	return ($got->{message} // $got->{out}, sprintf '%.6g', spent() - $before);
}

# --- The same number ------------------------------------------------------------------------------

foreach my $case (
	[ 'a count by status, of bounded rows', 'SELECT status, count(*) FROM orders GROUP BY 1', 2,
		'SELECT status, sum(amount), count(*) FROM orders GROUP BY 1', 2 ],
	[ '... and both again, turned round', 'SELECT count(*), status, sum(amount) FROM orders GROUP BY 2', 0,
		'SELECT status, sum(amount) FROM orders GROUP BY 1', 0 ],
	[ 'an average of what was drawn together', 'SELECT channel, count(*), sum(amount) FROM orders GROUP BY 1', 4,
		'SELECT channel, avg(amount) FROM orders GROUP BY 1', 0 ],
	[ '... beside a sum, both averages of one draw',
		'SELECT avg(amount), channel, sum(quantity), count(*) FROM orders GROUP BY channel', 2,
		'SELECT channel, avg(quantity), avg(amount) FROM orders GROUP BY 1', 6 ],
	[ 'by columns of two tables',
		'SELECT segment, channel, sum(quantity) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1, 2',
		2,
		'SELECT channel, segment, count(*), sum(quantity), avg(amount) FROM orders o '
		  . 'JOIN customers c ON c.id = o.customer_id GROUP BY 1, 2', 4 ],
	[ 'by a column of persons alone',
		'SELECT segment, sum(quantity) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1', 2,
		'SELECT segment, count(*), sum(quantity) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1',
		2 ],
	[ 'a window beside another',
		'SELECT sum(a) FROM (SELECT count(*) OVER (PARTITION BY customer_id) AS a FROM orders OFFSET 0) q', 7,
		'SELECT sum(b), sum(a) FROM (SELECT count(*) OVER (PARTITION BY customer_id, status) AS b, '
		  . 'count(*) OVER (PARTITION BY customer_id) AS a FROM orders OFFSET 0) q', 7 ],
	[ 'persons of each month, by its number',
		'SELECT extract(month FROM ordered_at), count(DISTINCT customer_id) FROM orders GROUP BY 1', 2,
		'SELECT extract(month FROM ordered_at), sum(quantity), count(DISTINCT customer_id) FROM orders GROUP BY 1', 2 ],
	[ 'persons of each band of a hundred',
		'SELECT floor(amount / 100), count(DISTINCT customer_id) FROM orders GROUP BY 1', 2,
		'SELECT floor(amount / 100), count(DISTINCT customer_id) * 2 FROM orders GROUP BY 1', 0 ],
	[ 'persons of each bin, as Metabase writes it',
		'SELECT ((FLOOR(((amount - 0.0) / 200.0)) * 200.0) + 0.0), count(DISTINCT customer_id) FROM orders GROUP BY 1',
		2,
		'SELECT FLOOR(amount / 200) * 200 - 1000, sum(amount), count(DISTINCT customer_id) FROM orders GROUP BY 1', 4 ],
	[ 'persons of each number as a text', 'SELECT quantity::text, count(DISTINCT customer_id) FROM orders GROUP BY 1',
		2, 'SELECT quantity::text, count(DISTINCT customer_id), 1 FROM orders GROUP BY 1', 0 ],
	[ 'conditions in another order',
		"SELECT status, count(*) FROM orders WHERE quantity > 2 AND channel = 'web' GROUP BY 1", 2,
		"SELECT status, count(*) FROM orders WHERE channel = 'web' AND quantity > 2 GROUP BY 1", 0 ],
	[ 'rows that are units, by a domain', 'SELECT segment, count(*) FROM customers GROUP BY 1', 2,
		'SELECT segment, avg(age), count(*) FROM customers GROUP BY 1', 2 ],
	[ 'a subquery of more columns', 'SELECT sum(a) FROM (SELECT quantity AS a FROM orders OFFSET 0) q', 1,
		'SELECT sum(a), sum(b) FROM (SELECT amount AS b, channel, quantity AS a FROM orders OFFSET 0) q', 1 ],
	[ 'a view of many columns', 'SELECT sum(age) FROM (SELECT * FROM customers WHERE age > 30 OFFSET 0) q', 1,
		'SELECT count(*), sum(age) FROM (SELECT age, id FROM customers WHERE age > 30 OFFSET 0) q', 1 ])
{
	my ($name, $first, $cost, $second, $more) = @$case;
	my ($out, $charged) = asked($first);
	is($charged, $cost, "$name: new") or diag $out;
	($out, $charged) = asked($second);
	is($charged, $more, "$name: shared") or diag $out;
}

# A view is what it reads, whoever made it.
$a->value("CREATE TEMP VIEW by_status AS SELECT status, count(*) AS n FROM orders WHERE quantity > 3 GROUP BY status;
	CREATE TEMP VIEW again AS SELECT status, count(*) AS n FROM orders WHERE quantity > 3 GROUP BY status;
	CREATE TEMP VIEW both_keys AS SELECT * FROM by_status UNION ALL SELECT channel, count(*) FROM orders
	WHERE quantity > 3 GROUP BY 1");
foreach my $case ([ 'SELECT status, count(*) FROM orders WHERE quantity > 3 GROUP BY 1', 2 ],
	[ 'SELECT * FROM by_status', 0 ], [ 'SELECT status, n + 1 FROM again WHERE n > 5', 0 ], [ 'SELECT * FROM both_keys',
	2 ], [ 'SELECT channel, count(*) FROM orders WHERE quantity > 3 GROUP BY 1', 0 ])
{
	my ($out, $charged) = asked($case->[0]);
	is($charged, $case->[1], "a view is what it reads: $case->[0]") or diag $out;
}

is($a->run("SELECT DISTINCT count(*) / (SELECT count(*) FROM orders WHERE amount > 1e9) IS NULL "
	  . "FROM orders GROUP BY status")->{out}, 't', 'a quotient by the answer of a subquery that is 0');
is($a->run("SELECT DISTINCT div(7, n) IS NULL AND mod(7, n) IS NULL AND 7 % n IS NULL FROM (SELECT count(*) AS n "
	  . "FROM orders WHERE amount > 1e9) o")->{out}, 't', 'div and mod by an answer that is 0');

# --- Another number -------------------------------------------------------------------------------

sub one { return $_[ rand @_ ] }

# What a column may be computed by: sums of these are far from one another.
sub value_of
{
	my ($parameter) = @_;
	return one('quantity', 'quantity + 3', 'quantity * 11', 'CASE WHEN quantity > 2 THEN quantity END',
		'CASE WHEN quantity > 4 THEN 7 ELSE 0 END', "CASE WHEN status = 'paid' THEN quantity * 4 END",
		"CASE WHEN quantity > $parameter THEN 1 ELSE 0 END", "quantity * $parameter", "nullif(quantity, $parameter)",
		'CASE channel WHEN \'web\' THEN 30 ELSE 2 END');
}

# Windows over rows of one person, by their parts and their order.
sub window
{
	return one('count(*)', 'sum(quantity)') . ' OVER (PARTITION BY customer_id' . one('', ', status')
	  . one('', ' ORDER BY id', ' ORDER BY id DESC') . ')';
}

sub condition
{
	return one('', '', ' WHERE quantity > 1', ' WHERE quantity > 3', " WHERE channel = 'web'",
		" WHERE status <> 'new'");
}

# Rows of two numbers, in places and under names that tell nothing.
sub rows
{
	my ($parameter) = @_;
	my @names = one([ 'a', 'b' ], [ 'b', 'a' ])->@*;
	my @values = map { value_of($parameter) . " AS $_" } @names;
	my @columns = one([ 'status', @values ], [ @values, 'status' ], [ $values[1], 'status', $values[0] ])->@*;
	my $columns = join ', ', @columns;
	my $condition = condition();
	my $kind = rand;
	return 'SELECT ' . join(', ', map { s/^.* AS (\w)$/window() . " AS $1"/er } @columns) . ' FROM orders'
	  if $kind > 0.85;
	return "SELECT $columns FROM orders$condition" if $kind < 0.3;
	return "SELECT $columns FROM orders$condition OFFSET 0" if $kind < 0.5;
	my $others = join ', ', map { s/^.* AS (\w)$/value_of($parameter) . " AS $1"/er } @columns;
	return "SELECT $columns FROM orders$condition UNION ALL SELECT $others FROM orders" . condition() if $kind < 0.65;
	return 'SELECT ' . join(', ',
		map { s/^(.*) AS (\w)$/one('sum', 'max', 'min', 'count') . "($1) AS $2"/er }
		  map { s/^status$/min(status) AS status/r } @columns) . " FROM orders$condition GROUP BY customer_id"
	  if $kind < 0.75;
	return "SELECT * FROM (SELECT $columns, customer_id, id FROM orders$condition OFFSET 0) w" if $kind < 0.9;
	return "SELECT $columns FROM orders JOIN customers c ON c.id = customer_id" . ($condition || ' WHERE true')
	  . one('', ' AND age > 40');
}

sub statement
{
	my ($parameter) = @_;
	my $of_none = 'coalesce(sum(%s), 0)';    # a private sum of no values is not NULL
	my @asked = map { one('count(a)', sprintf($of_none, 'a'), 'count(b)', sprintf($of_none, 'b'), 'count(*)', 'avg(a)',
		sprintf($of_none, "CASE WHEN b > $parameter THEN a END"), "count(*) FILTER (WHERE a > 2)") } 1 .. 1 + rand 3;
	my $rows = rows($parameter);
	my ($key, $grouped) = one([ '', '' ], [ 'status, ', ' GROUP BY status' ], [ 'status, ', ' GROUP BY status' ])->@*;
	return "SELECT $key" . join(', ', @asked) . " FROM ($rows) q$grouped";
}

my (%seen, @wrong);
foreach my $number (1 .. $tried)
{
	my $as_parameter = rand() < 0.3;
	my $parameter = one(1, 2, 3, 4);
	my $sql = statement($as_parameter ? '$1' : $parameter);
	my ($given, $before) = ($sql =~ s/\$1/$parameter/gr, spent());
	my $got = $as_parameter ? $a->run("PREPARE asked(int) AS $sql; EXECUTE asked($parameter); DEALLOCATE asked")
	  : $a->run($sql);
	$a->run('DEALLOCATE ALL');
	if (defined $got->{message}) { $seen{refused}++; next }
	$seen{ spent() > $before ? 'new' : 'free' }++;
	$s->value('SET ROLE owner');
	my $true = $s->value($given);
	$s->value('RESET ROLE');
	my $difference = difference_but_empty($true, $got->{out}, 0.04);
	if ($as_parameter && $difference eq '')
	{
		my ($before_constant, $constant) = (spent(), $a->run($given));
		my $cost = spent() - $before_constant;
		$difference = "$cost for the constant in place of the parameter" if $cost > 0;
		my ($one, $other) = map { join "\n", sort split /\n/, $_->{out} } $got, $constant;
		$difference ||= "another answer to the constant: $other" if $one ne $other;
		$seen{'as a constant'}++;
	}
	next if $difference eq '';
	push @wrong, $sql;
	diag "seed $seed, query $number, charged " . (spent() - $before)
	  . " but $difference: $sql, which is $given\nof the owner:\n$true\nof the analyst:\n$got->{out}" if @wrong <= 5;
	last if $ENV{IDP_MEANINGS_STOP};
}
is(scalar @wrong, 0, "near the truth, seed $seed");
note join ', ', map { "$_: $seen{$_}" } sort keys %seen;
cmp_ok($seen{new} // 0, '>', $tried / 5, 'new numbers');
cmp_ok($seen{free} // 0, '>', $tried / 20, 'numbers that were asked before');

done_testing();

# Units: what an answer costs against what one unit can change. Small databases of three linked tables
# that differ in all that belongs to one unit: removed, or replaced by anything else. Each query is
# charged in one of them, so the cost is the m that is claimed of its rows, and run natively in all of them:
# the rows in which any two differ must be no more. The answer is the number of rows with noise of a
# known law, so the ratio of its probabilities is then at most e^cost. 082_units_random.pl asks random queries.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

srand 1;

my $node = new_node('units', 'fsync = off');
my $s = session($node);
my $worlds = 9;    # schemas w1 to w9; the tables of w1 are protected

# --- the databases ----------------------------------------------------------------------------------------

# orders [id, day, price] of a customer, each with items [id, part, quantity]
sub random_profile
{
	my ($id, $most) = @_;
	my @orders = map { my $order = 100 * $id + $_; { id => $order, day => int rand 4, price => int rand 6,
		items => [ map { [ 10 * $order + $_, int rand 4, int rand 3 ] } 1 .. int rand 4 ] } } 1 .. int rand($most + 1);
	return { id => $id, nation => 1 + int rand 3, age => int rand 5, orders => \@orders };
}

# One with many of everything, so that what is claimed is reached.
sub large_profile
{
	my ($id) = @_;
	return { id => $id, nation => 2, age => 7, orders => [ map { my $order = 100 * $id + $_;
		{ id => $order, day => $_ % 6, price => $_, items => [ map { [ 10 * $order + $_, $_, 1 ] } 1 .. 3 ] } }
		  1 .. 6 ] };
}

sub fill
{
	my ($schema, @profiles) = @_;
	my $values = sub {
		my ($table, @rows) = @_;
		return @rows ? "INSERT INTO $schema.$table VALUES " . join(', ', map { '(' . join(', ', @$_) . ')' } @rows)
		  . ';' : ''
	};
	my @orders = map { my $p = $_; map { [ $_->{id}, $p->{id}, $_->{day}, $_->{price} ] } @{ $p->{orders} } } @profiles;
	my @items = map {
		map { my $o = $_; map { [ $_->[0], $o->{id}, $_->[1], $_->[2] ] } @{ $o->{items} } } @{ $_->{orders} }
	} @profiles;
	return "TRUNCATE $schema.items, $schema.orders, $schema.customers;"
	  . $values->('customers', map { [ @$_{qw(id nation age)} ] } @profiles)
	  . $values->('orders', @orders) . $values->('items', @items)
	  . "ANALYZE $schema.customers, $schema.orders, $schema.items;";
}

# The others are the same in all worlds; w2 lacks the unit, in w9 it is another one altogether.
sub fill_worlds
{
	my @others = map { random_profile($_, 3) } 2 .. 4;
	my @units = (large_profile(1), undef, (map { random_profile(1, 6) } 3 .. 8), large_profile(9));
	$s->value(join '', map { fill("w$_", @others, $units[$_ - 1] // ()) } 1 .. $worlds);
}

$s->value(<<"SQL");
CREATE TABLE nations (id integer PRIMARY KEY, weight integer NOT NULL);
CREATE TABLE tags (nation integer, tag integer);
CREATE TABLE picks (x integer PRIMARY KEY);
INSERT INTO picks SELECT generate_series(101, 110);
INSERT INTO nations VALUES (0, 7), (1, 1), (2, 2), (3, 1), (4, 2);
INSERT INTO tags VALUES (1, 1), (2, 1), (2, 2), (3, 3), (3, 3), (0, 1), (0, 2);
SELECT format('CREATE SCHEMA w%s; CREATE TABLE w%1\$s.customers (id integer PRIMARY KEY, nation integer, age integer);
  CREATE TABLE w%1\$s.orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES w%1\$s.customers,
    day integer, price integer);
  CREATE TABLE w%1\$s.items (id integer PRIMARY KEY, "order" integer NOT NULL REFERENCES w%1\$s.orders,
    part integer, quantity integer);
  CREATE INDEX ON w%1\$s.orders (customer); CREATE INDEX ON w%1\$s.items ("order")', i)
    FROM generate_series(1, $worlds) i \\gexec
SELECT idp.protect('w1.customers', 1e9, 'add_remove', rows => 'visible', unit => 'id');
SELECT idp.link('w1.orders', 'customer', 'w1.customers');
SELECT idp.link('w1.items', 'order', 'w1.orders');
ANALYZE nations, tags, picks;

-- what a query is charged for its rows, or the error
CREATE FUNCTION attempt(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
  before numeric := (SELECT sum(spent) FROM idp.budget);
BEGIN
  PERFORM set_config('search_path', 'w1, public', true);
  EXECUTE query;
  RETURN trim_scale((SELECT sum(spent) FROM idp.budget) - before);
EXCEPTION WHEN OTHERS THEN
  RETURN sqlerrm;
END
\$\$;
-- the rows of a query in each world
CREATE FUNCTION rows_in_worlds(query text) RETURNS SETOF text LANGUAGE plpgsql AS \$\$
DECLARE
  found text;
BEGIN
  FOR world IN 1 .. $worlds LOOP
    PERFORM set_config('search_path', format('w%s, public', world), true);
    EXECUTE format('SELECT coalesce(string_agg(q::text, '';''), '''') FROM (%s) q', query) INTO found;
    RETURN NEXT found;
  END LOOP;
END
\$\$;
SQL

# --- brute force ------------------------------------------------------------------------------------------

# The most rows in which two worlds differ: of those with and without the unit all that are there or not,
# of others those that are replaced.
sub distance
{
	my ($query) = @_;
	my @worlds = map { my %count; $count{$_}++ foreach split /;/; \%count }
	  split /\n/, $s->value("SELECT * FROM rows_in_worlds(\$q\$$query\$q\$)"), -1;
	die 'worlds are missing' unless @worlds == $worlds;
	my $most = 0;
	foreach my $i (0 .. $#worlds)
	{
		foreach my $j (0 .. $i - 1)
		{
			my ($fewer, $more) = (0, 0);
			foreach my $row (keys %{ { %{ $worlds[$i] }, %{ $worlds[$j] } } })
			{
				my $change = ($worlds[$i]{$row} // 0) - ($worlds[$j]{$row} // 0);
				$change < 0 ? ($fewer -= $change) : ($more += $change);
			}
			my $rows = $j == 1 || $i == 1 ? $fewer + $more : $fewer > $more ? $fewer : $more;
			$most = $rows if $rows > $most;
		}
	}
	return $most;
}

# The filter has the planner compute all columns.
sub cost
{
	return $s->value("SELECT attempt(\$q\$SELECT dp_count(1) FILTER (WHERE q::text <> '') FROM ($_[0]) q\$q\$)");
}

# --- each row of the table --------------------------------------------------------------------------------

# What is claimed is reached: one less would be wrong. The last is what the same rows would be claimed to be if the
# rule were not there, or let through what it does not: the worlds must show that it is wrong.
my $first = 'row_number() OVER (PARTITION BY customer ORDER BY id) AS r';
my @rules = (
	[ 'the table of the unit', 'SELECT * FROM customers', 1 ],
	[ 'a filter', 'SELECT * FROM customers WHERE age > 1', 1 ],
	[ 'GROUP BY key', 'SELECT customer, sum(price), max(day) FROM orders GROUP BY 1', 1 ],
	[ 'GROUP BY key, HAVING', 'SELECT customer FROM orders GROUP BY 1 HAVING count(*) > 2', 1 ],
	[ 'GROUP BY key and what follows from it',
		'SELECT c.id, c.nation, count(*) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY 1, 2', 1 ],
	[ 'GROUP BY key over two links',
		'SELECT o.customer, sum(quantity) FROM items i JOIN orders o ON o.id = i."order" GROUP BY 1', 1 ],
	[ 'DISTINCT', 'SELECT DISTINCT customer FROM orders', 1 ],
	[ 'DISTINCT ON', 'SELECT DISTINCT ON (customer) * FROM orders ORDER BY customer, day DESC, id', 1 ],
	[ 'row_number', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r <= 4", 4 ],
	[ 'row_number, less', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r < 4", 3 ],
	[ 'row_number, one', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r = 2", 1 ],
	[ 'row_number, between', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r BETWEEN 4 AND 5", 2 ],
	[ 'row_number, between, the other way round',
		"SELECT * FROM (SELECT *, $first FROM orders) o WHERE 6 > r AND 2 < r", 3 ],
	[ 'row_number, between, in two steps',
		"SELECT * FROM (SELECT * FROM (SELECT *, $first FROM orders) o WHERE r >= 3 OFFSET 0) o WHERE r <= 5", 3 ],
	[ 'row_number, between, in two other steps',
		"SELECT * FROM (SELECT * FROM (SELECT *, $first FROM orders) o WHERE r < 6 OFFSET 0) o WHERE r > 4", 1 ],
	[ 'row_number, none', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r BETWEEN 5 AND 5 OR false", 1 ],
	[ 'dense_rank, between', 'SELECT customer, day, count(*) FROM (SELECT *, dense_rank() OVER (PARTITION BY customer '
		  . 'ORDER BY day) AS r FROM orders) o WHERE r BETWEEN 2 AND 3 GROUP BY 1, 2', 2 ],
	[ 'dense_rank', 'SELECT customer, day, count(*) FROM (SELECT *, dense_rank() OVER (PARTITION BY customer '
		  . 'ORDER BY day) AS r FROM orders) o WHERE r <= 3 GROUP BY 1, 2', 3 ],
	[ 'GROUP BY bounded rows', "SELECT customer, day FROM (SELECT *, $first FROM orders) o WHERE r <= 3 GROUP BY 1, 2",
		3 ],
	[ 'UNION ALL', 'SELECT id FROM customers UNION ALL SELECT age + 50 FROM customers', 2 ],
	[ 'UNION', 'SELECT id FROM customers UNION SELECT customer FROM orders', 1 ],
	[ 'join with a unique key', 'SELECT c.*, n.weight FROM customers c JOIN nations n ON n.id = c.nation', 1 ],
	[ 'outer join with a unique key',
		'SELECT c.*, n.weight FROM customers c LEFT JOIN nations n ON n.id = c.nation AND n.weight > 1', 1 ],
	[ 'EXISTS', 'SELECT * FROM customers c WHERE EXISTS (SELECT FROM tags WHERE tags.nation = c.nation)', 1 ],
	[ 'NOT EXISTS', 'SELECT * FROM customers c WHERE NOT EXISTS (SELECT FROM tags WHERE tags.nation = c.age)', 1 ],
	[ 'EXISTS along a link', 'SELECT * FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id)',
		1 ],
	[ 'join along a link', "SELECT o.id, c.nation FROM (SELECT *, $first FROM orders) o "
		  . "JOIN customers c ON c.id = o.customer WHERE r <= 3", 3 ],
	[ 'join of bounded rows on the key', "SELECT o.id, p.id FROM (SELECT *, $first FROM orders) o "
		  . "JOIN (SELECT *, $first FROM orders) p USING (customer) WHERE o.r <= 2 AND p.r <= 3", 6 ],
	[ 'a window of the unit',
		"SELECT id, n FROM (SELECT *, count(*) OVER (PARTITION BY customer) AS n, $first FROM orders) o WHERE r <= 2",
		2 ],);

my @wrong = (
	[ 'a linked table', 'SELECT * FROM orders', 5 ],
	[ 'a table linked over another', 'SELECT * FROM items', 17 ],
	[ 'join with a key that is not unique', 'SELECT c.* FROM customers c JOIN tags t USING (nation)', 1 ],
	[ 'join on anything else', 'SELECT c.* FROM customers c JOIN nations n ON n.id <= c.nation', 1 ],
	[ 'join of the unit on no key', 'SELECT a.id FROM customers a JOIN customers b USING (nation)', 1 ],
	[ 'join of links on no key', 'SELECT DISTINCT customer FROM orders o JOIN items i ON i.part = o.day', 0 ],
	[ 'EXISTS on no key',
		'SELECT a.id FROM customers a WHERE EXISTS (SELECT FROM customers b WHERE b.age = 7 AND b.id <> a.id)', 1 ],
	[ 'rows that belong to nobody',
		'SELECT n.id, c.id FROM nations n LEFT JOIN customers c ON c.nation = n.id AND c.age = 7', 1 ],
	[ 'a full join', 'SELECT n.id, c.id FROM nations n FULL JOIN customers c ON c.nation = n.id AND c.age = 7', 1 ],
	[ 'GROUP BY key and more', 'SELECT customer, day FROM orders GROUP BY 1, 2', 1 ],
	[ 'GROUP BY no key', 'SELECT day, count(*) FROM orders GROUP BY 1', 1 ],
	[ 'DISTINCT ON no key', 'SELECT DISTINCT ON (day) * FROM orders ORDER BY day, price DESC, id', 1 ],
	[ 'row_number over no key', 'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY day '
		  . 'ORDER BY price DESC, id) AS r FROM orders) o WHERE r <= 1', 1 ],
	[ 'row_number over key and more', 'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customer, day '
		  . 'ORDER BY id) AS r FROM orders) o WHERE r <= 1', 1 ],
	[ 'row_number, bounded twice from below', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r >= 2 AND r > 3",
		2 ],
	[ 'row_number, not bounded from above', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r >= 2", 2 ],
	[ 'row_number, or else', "SELECT * FROM (SELECT *, $first FROM orders) o WHERE r <= 2 OR price > 4", 2 ],
	[ 'rank', 'SELECT * FROM (SELECT *, rank() OVER (PARTITION BY customer ORDER BY day / 3) AS r '
		  . 'FROM orders) o WHERE r <= 1', 1 ],
	[ 'dense_rank without GROUP BY', 'SELECT * FROM (SELECT *, dense_rank() OVER (PARTITION BY customer '
		  . 'ORDER BY day / 3) AS r FROM orders) o WHERE r <= 1', 1 ],
	[ 'dense_rank of another order', 'SELECT customer, price FROM (SELECT *, dense_rank() OVER (PARTITION BY customer '
		  . 'ORDER BY day / 3) AS r FROM orders) o WHERE r <= 1 GROUP BY 1, 2', 1 ],
	[ 'a rank of rows that were repeated since',
		"SELECT o.id, i.id FROM (SELECT *, $first FROM orders) o JOIN items i ON i.\"order\" = o.id WHERE r <= 1", 1 ],
	[ 'GROUP BY a number that is another one for each row of a table',
		'SELECT k, a FROM nations n, LATERAL (SELECT customer AS k, min(price) AS a FROM orders q WHERE q.day = n.id '
		  . 'GROUP BY customer) l GROUP BY 1, 2', 1 ],
	[ 'GROUP BY what a table says of each row', 'SELECT customer, w '
		  . 'FROM orders o, LATERAL (SELECT sum(id) AS w FROM nations n WHERE n.id <= o.day) l GROUP BY 1, 2', 1 ],
	[ 'dense_rank over what a table chooses',
		'SELECT k, d FROM nations n, LATERAL (SELECT customer AS k, day AS d, dense_rank() OVER (PARTITION BY customer '
		  . 'ORDER BY day) AS r FROM orders q WHERE q.day % 5 = n.id) l WHERE r <= 1 GROUP BY 1, 2', 1 ],
	[ 'row_number over what a table chooses',
		'SELECT k, d FROM nations n, LATERAL (SELECT customer AS k, day AS d, row_number() OVER (PARTITION BY customer '
		  . 'ORDER BY id) AS r FROM orders q WHERE q.day % 5 = n.id) l WHERE r <= 1', 1 ],
	[ 'a window over all', 'SELECT id, count(*) OVER () FROM customers', 1 ],
	[ 'LIMIT', 'SELECT * FROM customers ORDER BY age DESC, id LIMIT 2', 1 ],
	[ 'EXCEPT', 'SELECT id FROM nations EXCEPT SELECT nation FROM customers WHERE age = 7', 0 ],
	[ 'a total', 'SELECT count(*) FROM customers', 1 ],
	[ 'a value of the outer row beside one row of the unit', 'SELECT o.customer, l.x FROM orders o, '
		  . 'LATERAL (SELECT c.id, o.price AS x FROM customers c WHERE c.id = o.customer OFFSET 0) l GROUP BY 1, 2',
		1 ],
	[ 'a value that is computed of the outer row', 'SELECT o.customer, l.x '
		  . 'FROM orders o, LATERAL (SELECT max(n.id) + o.price AS x FROM nations n OFFSET 0) l GROUP BY 1, 2', 1 ],
	[ 'dense_rank for each row of another table', 'SELECT l.customer, l.day FROM nations n, LATERAL (SELECT customer, '
		  . 'day FROM (SELECT customer, day, dense_rank() OVER (PARTITION BY customer ORDER BY day) AS d FROM orders '
		  . 'WHERE day > n.id OFFSET 0) z WHERE d <= 1 OFFSET 0) l GROUP BY 1, 2', 1 ],
	[ 'row_number for each row of another table', "SELECT l.id FROM nations n, LATERAL (SELECT id "
		  . "FROM (SELECT *, $first FROM orders WHERE day > n.id OFFSET 0) z WHERE r <= 1 OFFSET 0) l", 1 ],
	[ 'the rank of an outer row beside each of its partners',
		"SELECT * FROM (SELECT l.id, l.r FROM (SELECT *, $first FROM orders) o, LATERAL (SELECT i.id, o.r FROM items i "
		  . "WHERE i.\"order\" = o.id OFFSET 0) l OFFSET 0) q WHERE r <= 1", 1 ],
	[ 'a row for each row of another table, then the unit',
		'SELECT c.id FROM picks q JOIN orders o ON o.id = q.x JOIN customers c ON o.customer = c.id', 1 ],
	[ 'pairs of one unit for each row of another table', 'SELECT l.id FROM picks q, LATERAL (SELECT c.id FROM orders o '
		  . 'JOIN customers c ON c.id = o.customer WHERE o.id = q.x OFFSET 0) l', 1 ],);

fill_worlds();
foreach my $rule (@rules)
{
	my ($name, $query, $m) = @$rule;
	is(cost($query), $m, "$name: costs $m");
	is(distance($query), $m, "$name: and one unit changes as many rows");
}
foreach my $rule (@wrong)
{
	my ($name, $query, $m) = @$rule;
	like(cost($query), qr/cannot be computed over/, "$name: refused");
	cmp_ok(distance($query), '>', $m, "$name: a unit changes more than $m rows");
	$s->value('SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; '
		  . 'SET enable_seqscan = off; SET enable_bitmapscan = off');
	like(cost($query), qr/cannot be computed over/, "$name: refused in nested loops");
	$s->value('RESET ALL');
}

# --- the sensitivity of one number for each unit ----------------------------------------------------------

# idp_median of totals: no other unit's totals move the median by more than the distance to its neighbours
# among the totals, by which the noise is scaled.
my $totals = 'SELECT sum(price) AS t FROM orders GROUP BY customer';
foreach my $round (1 .. 20)
{
	fill_worlds();
	my @worlds = map { [ sort { $a <=> $b } map { /(\d+)/ } split /;/ ] }
	  split /\n/, $s->value("SELECT * FROM rows_in_worlds(\$q\$$totals\$q\$)"), -1;
	my $median = sub { my @t = @_; return $t[ int((@t + 1) / 2) - 1 ] };
	my @t = @{ $worlds[0] };
	my $rank = int((@t + 1) / 2) - 1;
	my $sensitivity = 0;
	foreach my $i ($rank - 1, $rank + 1)
	{
		$sensitivity = 1e9 if $i < 0 || $i > $#t;    # suppressed
		$sensitivity = abs($t[$i] - $t[$rank]) if $i >= 0 && $i <= $#t && abs($t[$i] - $t[$rank]) > $sensitivity;
	}
	foreach my $i (1 .. $#worlds)
	{
		next unless @{ $worlds[$i] };
		cmp_ok(abs($median->(@{ $worlds[$i] }) - $t[$rank]), '<=', $sensitivity,
			"round $round: the median of totals in world " . ($i + 1));
	}
}

# --- snapshots, dumps -------------------------------------------------------------------------------------

# A snapshot that is older than a unique index may hold rows that it does not.
$s->value('CREATE TABLE twice (nation integer); INSERT INTO twice VALUES (1), (2), (2), (3)');
my $join = 'SELECT dp_count(1) FROM w1.customers c JOIN twice t USING (nation)';
my $old = session($node);
$old->value('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; SAVEPOINT before');
$s->value('DELETE FROM twice WHERE nation = 2; CREATE UNIQUE INDEX ON twice (nation)');
# The planner trusts it all the same: it looks for one partner only, and takes a semi-join for a join.
my $semi_join = 'SELECT dp_count(1) FROM w1.customers c WHERE nation IN (SELECT nation FROM twice)';
foreach my $asked ($join, $semi_join,
	'SELECT dp_count(1) FROM w1.customers c JOIN (SELECT * FROM twice OFFSET 0) t USING (nation)')
{
	like($old->run($asked)->{message},
		qr/cannot be computed over a table with a unique index that is younger than what the transaction sees: ask in a new transaction/,
		"an index that is newer than the snapshot is no key: $asked");
	$old->value('ROLLBACK TO before');
}
# A join that it leaves out gives each row once, whatever the snapshot holds.
my $before = $s->value("SELECT sum(spent) FROM idp.budget");
is($old->run('SELECT dp_count(1) FROM w1.customers c LEFT JOIN twice t USING (nation)')->{sqlstate}, undef,
	'a join that is left out');
$old->value('ROLLBACK');
is($s->value("SELECT sum(spent) FROM idp.budget") - $before, 1, '... for a row of each');
is($old->run($_)->{sqlstate}, undef, "nor is one that is older none: $_") foreach $join, $semi_join;

my $sql = $node->basedir . '/units.sql';
$node->command_ok([ 'pg_dump', '-f', $sql, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('template1', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $sql, $node->connstr('restored') ], 'restored');
my $restored = session($node, 'restored');
my $shown = 'SELECT table_name, unit, linked_tables FROM idp.protection';
is($restored->value($shown), $s->value($shown), 'units and links are restored');
is($restored->value("SELECT attempt('SELECT dp_count(1) FROM (SELECT DISTINCT customer FROM orders) q')"), 1,
	'and charged by');
like($restored->value("SELECT attempt('SELECT dp_count(1) FROM orders')"), qr/any number/, 'and protected by');

done_testing();

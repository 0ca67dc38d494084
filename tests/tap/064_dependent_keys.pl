# Groups by the primary key of a table that everybody may know, and by columns that follow from it, as tools and
# libraries write them: the planner drops these columns from the keys, or the statement leaves them to it. They are
# answered near the truth with the columns of the plain statement, and each number is charged once, in whatever form it
# is asked for again.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $node = new_node('dependent_keys', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner');
$s->value($_) foreach 'CREATE TABLE countries (id int PRIMARY KEY, name text NOT NULL)',
  "INSERT INTO countries VALUES (1, 'one'), (2, 'two')",
  'CREATE TABLE regions (id int PRIMARY KEY, country_id int NOT NULL REFERENCES countries, '
    . 'name text NOT NULL, note text)',
  	"INSERT INTO regions VALUES (1, 1, 'north', 'n'), (2, 1, 'south', NULL), (3, 2, 'east', 'e'), (4, 2, "
  	. "'west', 'w')",
  'CREATE TABLE persons (id int PRIMARY KEY, region_id int NOT NULL REFERENCES regions, age int NOT NULL)',
  'INSERT INTO persons SELECT i, 1 + i % 4, 18 + i % 60 FROM generate_series(1, 900) i',
  'CREATE TABLE orders (id int PRIMARY KEY, person int NOT NULL REFERENCES persons, amount int NOT NULL)',
  	'INSERT INTO orders SELECT row_number() OVER (), p, p * n % 100 '
  	. 'FROM generate_series(1, 900) p, generate_series(1, 4) n WHERE n <= p % 5',
  "SELECT idp.protect('persons', 1e9, 'add_remove', unit => 'id', repeat => 'forever', delta => 0.1)",
  	"SELECT idp.link('orders', 'person', 'persons', max_rows => 4)",
  	"SELECT idp.set_domain('orders', 'amount', 0, 100), idp.set_domain('persons', 'age', 18, 77), "
  	. "idp.set_domain('persons', 'region_id', 1, 4)",
  'GRANT SELECT ON countries, regions, persons, orders TO analyst';
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1000; SET idp.delta = 1e-9');
my $owner = session($node);
$owner->value('SET ROLE owner');
$_->{quiet} = 1 foreach $s, $a, $owner;

sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

# Statements of one question each, the first of which is charged so many times epsilon.
my $left = 'FROM regions r LEFT JOIN persons p ON p.region_id = r.id';
my $inner = 'FROM regions r JOIN persons p ON p.region_id = r.id';
my $both = 'FROM countries k JOIN regions r ON r.country_id = k.id LEFT JOIN persons p ON p.region_id = r.id';
my $linked = 'FROM regions r JOIN persons p ON p.region_id = r.id JOIN orders o ON o.person = p.id';
my @questions = (
	[ 'an outer join', 1, "SELECT r.id, r.name, count(p.id) $left GROUP BY r.id, r.name",
		"SELECT count(p.id), r.name, r.id $left GROUP BY r.name, r.id ORDER BY r.name DESC",
		"SELECT r.name, count(p.id) $left GROUP BY r.id",
		"SELECT upper(r.name) || '!', count(p.id) + 1 $left GROUP BY r.id, r.name",
			"SELECT DISTINCT r.name, count(p.id) $left GROUP BY r.id, r.name",
			"SELECT r.name, count(p.id) $left GROUP BY r.id HAVING count(p.id) > 10",
		"SELECT r.id, count(p.id) $left GROUP BY r.id ORDER BY r.name",
			"SELECT (SELECT r.name || x FROM (SELECT 'y' AS x) q), count(p.id) $left GROUP BY r.id",
			"SELECT r.name, rank() OVER (ORDER BY r.name) $left GROUP BY r.id HAVING count(p.id) > 10",
		"SELECT r.name, count(p.id) $left GROUP BY r.id, r.name HAVING EXISTS (SELECT FROM regions q "
		  . "WHERE q.id = r.id + 1 AND q.name <> (SELECT min(k.name) FROM countries k WHERE k.name > r.name))",
		"SELECT r.name, count(p.id), (SELECT k.name FROM countries k WHERE k.id = r.country_id) $left "
		  . "GROUP BY r.id, r.country_id",
			"SELECT r.name, count(p.id), (SELECT count(*) FROM countries) $left GROUP BY r.id" ],
	[ 'a condition on the column is asked of the same numbers', 0,
		"SELECT r.id, r.name, count(p.id) $left GROUP BY r.id, r.name HAVING r.name > 'm' AND count(p.id) > 10",
		"SELECT r.name, count(p.id) $left GROUP BY r.id HAVING r.name > 'm'",
		"SELECT r.name, count(p.id) $left WHERE r.name > 'm' GROUP BY r.id" ],
	[ 'several columns: counts are the same again', 1,
		"SELECT r.id, r.name, r.note, count(p.id), sum(p.age) $left GROUP BY r.id, r.name, r.note",
		"SELECT r.id, r.name, coalesce(r.note, '-'), sum(p.age) * 1.0 / count(p.id) $left GROUP BY r.id" ],
	[ 'other columns are no other question', 0, "SELECT r.id, r.note, count(p.id) $left GROUP BY r.id, r.note",
		"SELECT count(p.id), r.id, r.note $left GROUP BY r.id" ],
	[ 'an inner join', 1, "SELECT r.id, r.name, count(*) $inner GROUP BY r.id, r.name",
		"SELECT r.name, count(*) $inner GROUP BY r.id", "SELECT count(*) $inner GROUP BY r.id ORDER BY r.name" ],
	[ 'columns of two tables', 0, "SELECT k.name, r.name, count(p.id) $both GROUP BY k.id, k.name, r.id, r.name",
		"SELECT r.name, k.name, count(p.id) $both GROUP BY r.id, k.id" ],
	[ 'one of two keys', 0, "SELECT k.name, r.name, count(p.id) $both GROUP BY k.name, r.id, r.name",
		"SELECT k.name, r.name, count(p.id) $both GROUP BY r.id, k.name" ],
	[ 'rows of persons', 2, "SELECT r.id, r.name, count(*), sum(o.amount) $linked GROUP BY r.id, r.name",
		"SELECT r.name, count(*), sum(o.amount) $linked GROUP BY r.id" ]);
foreach my $question (@questions)
{
	my ($name, $times, @forms) = @$question;
	foreach my $sql (@forms)
	{
		my $before = spent();
		my $got = $a->run($sql);
		my $charged = (spent() - $before) / 1000;
		is($got->{message} // difference($owner->value($sql), $got->{out}, 0.01), '', "$name: $sql");
		is($a->value("$sql \\gdesc"), $owner->value("$sql \\gdesc"), 'columns');
		cmp_ok(abs($charged - $times), '<', 1e-6, "costs $times times epsilon") or diag $charged;
		$times = 0;
	}
}

# What the rows are is known where they are read with another plan, too.
my $sql = "SELECT r.id, r.name, count(p.id) FILTER (WHERE p.age > 20) $left GROUP BY r.id, r.name";
my $sorted = $a->value("SET enable_hashagg = off; $sql");
my $paid = spent();
is(join("\n", sort split /\n/, $a->value("SET enable_hashagg = on; SET enable_hashjoin = off; $sql")),
	join("\n", sort split /\n/, $sorted), 'sorted groups, and hashed ones, are the same');
is(spent(), $paid, '... and charged once');

# Private aggregates that somebody writes himself.
$sql = "SELECT r.id, r.name, dp_sum(p.age, 1000, 18, 77) FILTER (WHERE p.id IS NOT NULL) $left GROUP BY r.id, r.name";
my $first = $a->value($sql);
$paid = spent();
is($a->value($sql), $first, 'dp_sum: the same again');
is(spent(), $paid, '... for nothing');

# Tables that are read beside a number are no part of its question.
$a->value('SELECT count(*) FROM persons WHERE age > 30');
$paid = spent();
foreach my $beside ('SELECT (SELECT count(*) FROM regions), count(*) FROM persons WHERE age > 30',
	'SELECT k.name, n FROM countries k, (SELECT count(*) AS n FROM persons WHERE age > 30) q',
	'WITH q AS MATERIALIZED (SELECT count(*) AS n FROM persons WHERE age > 30) SELECT n FROM q '
	  . 'JOIN names_of_regions r ON r.id < n')
{
	$s->value('SET ROLE owner; CREATE TABLE IF NOT EXISTS names_of_regions AS SELECT id, name FROM regions; '
		  . 'GRANT SELECT ON names_of_regions TO analyst; RESET ROLE');
	is(difference($owner->value($beside), $a->value($beside), 0.01), '', $beside);
	is(spent(), $paid, 'for nothing');
}

# A column of several rows ties a subquery to each of them, and what it counts once.
foreach my $tied ('SELECT r.name, (SELECT count(*) FROM persons p WHERE p.region_id = r.country_id) FROM regions r',
	'SELECT r.name, (SELECT sum(age) FROM persons p WHERE p.region_id = r.country_id AND p.age > 30) '
	. 'FROM regions r')
{
	is(difference($owner->value($tied), $a->value($tied), 0.01), '', "counted once: $tied");
}

# Tables that are joined to a list of values alone repeat no rows.
$s->value($_) foreach 'SET ROLE owner',
	"CREATE TABLE days (day int PRIMARY KEY, name text); INSERT INTO days SELECT i, 'n' || i "
	. "FROM generate_series(1, 31) i",
	"CREATE TABLE names_of_days (day int, name text); INSERT INTO names_of_days SELECT i % 4, 'x' || i "
	. "FROM generate_series(1, 31) i",
  'GRANT SELECT ON days, names_of_days TO analyst', 'RESET ROLE';
foreach my $joined ('SELECT d, count(*) FROM (VALUES (1), (2)) v(d) JOIN persons p ON p.region_id = d '
	. 'JOIN days k ON k.day = d GROUP BY 1',
	'SELECT k.name, count(p.id) FROM (VALUES (1), (2)) v(d) JOIN persons p ON p.region_id = d '
	. 'JOIN days k ON k.day = d GROUP BY 1',
	'SELECT d, count(*) FROM (VALUES (1), (2)) v(d) JOIN persons p ON p.region_id = d, days k, names_of_days n '
	  . 'WHERE n.day = k.day AND k.day = d GROUP BY 1',
		'SELECT d, count(*) FROM (VALUES (1), (2)) v(d) JOIN persons p ON p.region_id = d '
		. 'JOIN days k ON k.day = p.region_id GROUP BY 1')
{
	is(difference($owner->value($joined), $a->value($joined), 0.01), '', "repeats no rows: $joined");
}

# A join that may repeat rows says so, as more of them than the table has do not count: but where what is asked adds up
# over groups, each of which is joined to the other side afterwards.
like($a->run('SELECT sum(o.amount * r.id) FROM orders o JOIN regions r ON r.id <= o.amount')->{err},
	qr/NOTICE:.*a join may repeat rows of "orders": of one person no more than 4 rows count, as of the table alone/,
	'a join by no key');
$s->value($_) foreach 'SET ROLE owner',
	'CREATE TABLE items (buyer int NOT NULL REFERENCES persons, line int, PRIMARY KEY (buyer, line))',
	'INSERT INTO items SELECT i, 1 FROM generate_series(1, 900) i',
	"SELECT idp.link('items', 'buyer', 'persons', max_rows => 2)",
  'GRANT SELECT ON items TO analyst', 'RESET ROLE';
my $repeated = qr/NOTICE:.*a join may repeat rows of "\w+"/;
my @repeating = (
	'sum(i.line * k.id) FROM items i CROSS JOIN countries k',
	'sum(i.line * r.id) FROM items i, countries k, regions r WHERE r.country_id = k.id AND k.id = i.line',
	'sum(o.amount * r.id) FROM orders o CROSS JOIN (SELECT * FROM regions ORDER BY 1) r',
	'sum(o.amount * r.id) FROM orders o JOIN (SELECT id FROM regions OFFSET 1) r ON r.id < o.amount');
like($a->run("SELECT $_")->{err}, $repeated, "repeats rows: $_")
  foreach @repeating, 'count(*) FROM orders o CROSS JOIN LATERAL (VALUES (o.amount), (o.person)) v(x)';
foreach my $joined (map { s/^sum\(.*?\)/count(*)/r } grep { !/OFFSET/ } @repeating)
{
	my $got = $a->run("SELECT $joined");
	is(difference($owner->value("SELECT $joined"), $got->{out}, 0.01), '', "in groups: $joined");
	unlike($got->{err}, $repeated, '... of which none is repeated');
}
unlike($a->run("SELECT count(*) FROM $_")->{err} // '', qr/NOTICE/, "repeats none: $_")
  foreach 'orders o JOIN regions r ON r.id = o.amount::int / 10',
  	'regions r JOIN persons p ON p.region_id = r.id JOIN orders o ON o.person = p.id AND r.id < 3',
  	'items i JOIN countries k ON k.id = i.line', 'items i, countries k WHERE k.id = i.line',
  	'regions r LEFT JOIN orders o ON o.amount = r.id',
  'orders o CROSS JOIN LATERAL (SELECT name FROM regions r WHERE r.id = o.amount) r',
  'orders o, LATERAL (SELECT k.id FROM regions r JOIN countries k ON k.id = r.country_id WHERE r.id = o.amount) r',
  'orders o LEFT JOIN LATERAL (SELECT name FROM regions r WHERE r.id = o.amount) r ON true',
  'orders o CROSS JOIN (SELECT 1 AS low, 5 AS high) b', "orders o, (VALUES (1)) v(x)",
  	'orders o CROSS JOIN LATERAL (VALUES (o.amount)) v(x)', 'orders o CROSS JOIN (SELECT count(*) FROM regions) n',
  	'orders o JOIN (SELECT id FROM regions OFFSET 1) r ON r.id = o.amount',
  	'orders o JOIN (SELECT id, count(*) FROM regions GROUP BY 1) r ON r.id = o.amount';

# Also one that stands above what reads the table.
my $ranked = '(SELECT o.*, lag(amount) OVER (PARTITION BY person ORDER BY amount, id) AS before FROM orders o) q';
like($a->run("SELECT sum(q.amount * r.id) FROM $_")->{err}, $repeated, "repeats rows: $_")
  foreach "$ranked, regions r", "$ranked JOIN regions r ON r.id < q.amount",
  "(SELECT * FROM $ranked WHERE amount > 3) q CROSS JOIN countries r";
my $grouped = '(SELECT person, amount::int / 10 AS ten, count(*) AS n FROM orders GROUP BY 1, 2) g';
like($a->run("SELECT sum(g.n * r.id), count(*) FROM $_")->{err}, qr/NOTICE:.*a join may repeat rows of a subquery/,
	"repeats rows: $_")
  foreach "$grouped JOIN regions r ON r.id <= g.ten", "$grouped CROSS JOIN countries r";
unlike($a->run("SELECT sum(g.n), count(*) FROM $_")->{err} // '', qr/NOTICE.*a join/, "repeats none: $_")
  foreach $grouped, "$grouped JOIN regions r ON r.id = g.ten", "$grouped LEFT JOIN countries k ON k.id = g.n";
unlike($a->run("SELECT count(*) FROM $_")->{err} // '', qr/NOTICE/, "repeats none: $_")
  foreach $ranked, "$ranked JOIN regions r ON r.id = q.amount", "$ranked CROSS JOIN (VALUES (1)) v(x)";

# Averages of groups that the other side made: NULL where the count is likely to be noise alone, which it is not in one
# of forty, and between the bounds otherwise. More than 20 of 91 are not NULL with a probability of 4e-14.
$a->value('SET idp.epsilon = 0.1');
foreach my $list ('generate_series(1, 91) d', '(SELECT d FROM generate_series(1, 91) d) q')
{
	my $averages = "SELECT d, avg(o.amount) AS a FROM $list LEFT JOIN orders o ON o.amount = d AND o.id < 0 GROUP BY 1";
	my ($some, $beyond) = split /\|/,
	  $a->value("SELECT count(a), count(*) FILTER (WHERE a NOT BETWEEN 0 AND 100) FROM ($averages) q");
	cmp_ok($some, '<=', 20, "averages of nothing: $list");
	is($beyond, 0, 'none is beyond the bounds');
}
$a->value('SET idp.epsilon = 1000');

# A public table with row security of its own, which names its columns, is read above with it.
$s->value($_) foreach 'SET ROLE owner',
	"CREATE TABLE labels (region int, label text NOT NULL, level int); INSERT INTO labels "
	. "SELECT id, name, id FROM regions", 'GRANT SELECT ON labels TO analyst',
	'ALTER TABLE labels ENABLE ROW LEVEL SECURITY',
  'CREATE POLICY low ON labels USING (level < 3 AND EXISTS (SELECT FROM regions r WHERE r.id = region))', 'RESET ROLE';
foreach my $guarded ('SELECT l.label, count(p.id) FROM labels l '
	  . 'LEFT JOIN persons p ON p.region_id = l.region GROUP BY 1',
	'SELECT d, count(*) FROM (VALUES (1), (2), (3)) v(d) JOIN labels l ON l.region = v.d '
	. 'JOIN persons p ON p.region_id = v.d GROUP BY 1')
{
	my $got = $a->run($guarded);
	is($got->{message} // difference($owner->value($guarded =~ s/labels l/(SELECT * FROM labels WHERE level < 3) l/r),
		$got->{out}, 0.01), '', "row security: $guarded");
}

# A condition of rows that hangs on a calendar by a subquery.
my $hanging = 'SELECT d, count(p.id) FILTER (WHERE (SELECT k.name FROM countries k WHERE k.id = d) IS NOT NULL) '
  . 'FROM generate_series(1, 4) d LEFT JOIN persons p ON p.region_id = d GROUP BY 1';
like($a->run($hanging)->{message}, qr/a function that returns sets cannot be applied to hidden rows of table "persons"/,
	'is refused by what it is');

# Without the key nothing follows: the column is the key, and of the table without one as well.
$s->value('SET ROLE owner; CREATE TABLE names (id int NOT NULL, name text NOT NULL); INSERT INTO names '
	. 'SELECT id, name FROM regions; INSERT INTO names VALUES (1, \'first\'); GRANT '
	. 'SELECT ON names TO analyst; RESET ROLE');
is($a->run('SELECT n.id, n.name, count(p.id) FROM names n LEFT JOIN persons p ON p.region_id = n.id '
	  . 'GROUP BY n.id')->{sqlstate}, '42803', 'what does not follow is an error, as in any statement');
$sql = 'SELECT p.region_id, r.name, count(*) FROM persons p JOIN regions r ON r.id = p.region_id '
  . 'GROUP BY p.region_id, r.name';
is($a->value($sql), $a->value($sql), 'a column that follows from no key of its own table');

done_testing();

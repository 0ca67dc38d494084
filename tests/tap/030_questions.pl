# A release name stands for one question: the rows it is about are part of it. The same query is the
# same question whatever plan it gets and whatever session asks; another WHERE, FILTER, join or
# grouping is another one, and refused.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('questions', 'max_parallel_workers = 4', 'max_worker_processes = 8');
my $s = session($node);
$s->value(<<'SQL');
CREATE SCHEMA shop;
CREATE TYPE shop.state AS ENUM ('new', 'paid', 'returned');
CREATE DOMAIN shop.cents AS numeric(10, 2);
CREATE FUNCTION shop.twice(x int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * x';
CREATE FUNCTION shop.is_large(x numeric) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN x > 400; END';
CREATE TABLE shop.orders (id int, region text, city varchar(20), state shop.state, amount numeric(10, 2),
  cents shop.cents, at timestamptz, day date,
  flag boolean, tags text[], weight float8, note text);
INSERT INTO shop.orders SELECT i, 'r' || i % 4, 'c' || i % 7,
  (ARRAY['new', 'paid', 'returned'])[1 + i % 3]::shop.state, i / 4.0, i,
  timestamptz '2024-01-01 00:00+00' + i * interval '1 hour', date '2024-01-01' + i % 365, i % 2 = 0,
  ARRAY['t' || i % 3], i / 7.0, nullif(i % 5, 0)::text
FROM generate_series(1, 4000) i;
CREATE TABLE shop.regions (region text PRIMARY KEY, country text);
INSERT INTO shop.regions VALUES ('r0', 'a'), ('r1', 'a'), ('r2', 'b'), ('r3', 'b');
CREATE TABLE shop.parts (LIKE shop.orders) PARTITION BY RANGE (id);
CREATE TABLE shop.parts_1 PARTITION OF shop.parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE shop.parts_2 PARTITION OF shop.parts FOR VALUES FROM (1000) TO (2500);
CREATE TABLE shop.parts_3 PARTITION OF shop.parts FOR VALUES FROM (2500) TO (5000);
INSERT INTO shop.parts TABLE shop.orders;
CREATE VIEW shop.paid AS SELECT * FROM shop.orders WHERE state = 'paid';
CREATE VIEW shop.shielded WITH (security_barrier) AS SELECT * FROM shop.orders WHERE flag;
ANALYZE;
SET search_path = public, shop;
SQL

# --- The same query, whatever happens to its plan -----------------------------------------------

my @where = (
	q[region = 'r1'], q['r1' = region], q[region IN ('r1', 'r2')], q[region = 'r1' AND state = 'paid'],
	q[region <> 'r1'], q[region LIKE 'r1%'], q[region ILIKE 'R1'], q[city = 'c1'], q[state = 'paid'],
	q[state IN ('paid', 'new')], q[amount BETWEEN 10 AND 500.5], q[cents > 100],
	q[at >= '2024-02-01' AND at < '2024-03-01'], q[at >= timestamptz '2024-02-01 00:00+02'], q[day = date '2024-05-05'],
	q[day > date '2024-05-05' - 10], q[flag], q[NOT flag], q[flag IS TRUE], q[note IS NULL], q[note IS NOT NULL],
	q[tags @> ARRAY['t1']], q['t1' = ANY (tags)], q[weight < 0.1::float8 + 0.2::float8], q[twice(id) < 2000],
	q[is_large(amount)], q[id % 10 = 3 OR region = 'r2'], q[(id < 10 OR id > 3000) AND region <> 'r0'],
	q[id = 5 AND id = 5], q[id < 3000 AND 2 > 1], q[(region, id) < ('r2', 5)],
	q[at < timestamptz '2024-02-01' + interval '1 mon'], q[extract(hour FROM at AT TIME ZONE 'UTC') = 3],
	q[region = lower('R1')], q[region COLLATE "C" < 'r2'], q[CASE WHEN flag THEN region ELSE city END = 'r2'],
	q[coalesce(note, 'x') = 'x'], q[id = id], q[region = city], q[region = 'r1' AND region = city], q[false],
	q[note LIKE '%$1%']);
my @query = map { "SELECT dp_count(1e300, 'NAME') FROM TABLE WHERE $_" } @where;
push @query, "SELECT dp_count(1e300, 'NAME') FROM TABLE",
  "SELECT dp_count(1e300, 'NAME') FILTER (WHERE flag) FROM TABLE WHERE region = 'r1'",
  "SELECT idp_median(CASE WHEN flag THEN amount END, 1e300, 'NAME') FROM TABLE WHERE id < 3000",
  "SELECT dp_count_distinct(DISTINCT city, 1e300, 'NAME') FROM TABLE WHERE id > 7",
  "SELECT dp_count(1e300, 'NAME/' || region) FROM TABLE WHERE flag GROUP BY region ORDER BY 1",
  	"SELECT dp_count(1e300, 'NAME/' || date_trunc('month', day)::date) FROM TABLE "
  	. "GROUP BY date_trunc('month', day) ORDER BY 1",
  "SELECT dp_count(1e300, 'NAME/' || coalesce(region, '-') || coalesce(city, '-')) FROM TABLE WHERE id < 2000 "
    . "GROUP BY ROLLUP (region, city) ORDER BY 1",
  "SELECT dp_count(1e300, 'NAME/' || region || flag) FROM TABLE WHERE region = 'r2' GROUP BY region, flag ORDER BY 1",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT * FROM TABLE WHERE flag) s WHERE region = 'r1'",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT * FROM TABLE WHERE flag OFFSET 0) s WHERE region = 'r1'",
  "WITH c AS MATERIALIZED (SELECT * FROM TABLE WHERE flag) SELECT dp_count(1e300, 'NAME') FROM c WHERE region = 'r1'",
  "WITH c AS (SELECT * FROM TABLE WHERE flag) SELECT dp_count(1e300, 'NAME') FROM c WHERE region = 'r1'";
# of what no budget protects, anything goes
push @query, "SELECT dp_count(1e300, 'NAME') FROM TABLE t JOIN regions USING (region) WHERE country = 'a' AND id < 500",
	"SELECT dp_count(1e300, 'NAME') FROM TABLE t LEFT JOIN regions r ON r.region = t.region "
	. "AND country = 'a' WHERE flag",
  "SELECT dp_count(1e300, 'NAME') FROM TABLE t "
    . "WHERE EXISTS (SELECT FROM regions r WHERE r.region = t.region AND country = 'a')",
  	"SELECT dp_count(1e300, 'NAME') FROM TABLE t WHERE region IN (SELECT region FROM regions "
  	. "WHERE country = 'a')",
  "SELECT dp_count(1e300, 'NAME') FROM TABLE t "
    . "WHERE NOT EXISTS (SELECT FROM regions r WHERE r.region = t.region AND r.country > t.note)",
  	"SELECT dp_count(1e300, 'NAME') FROM TABLE t WHERE amount > (SELECT avg(amount) FROM TABLE u WHERE u.flag)",
  "SELECT dp_count(1e300, 'NAME') FROM TABLE t "
    . "WHERE amount > (SELECT avg(amount) FROM TABLE u WHERE u.region = t.region AND u.id < 20) AND id < 50",
  "SELECT dp_count(1e300, 'NAME') FROM TABLE t "
    . "WHERE id < 50 AND (region = ANY (ARRAY(SELECT region FROM regions WHERE country = 'b')) OR flag)",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT region FROM TABLE UNION ALL SELECT region FROM regions) u "
    . "WHERE region = 'r1'",
  	"SELECT dp_count(1e300, 'NAME') FROM (SELECT DISTINCT region, city FROM TABLE WHERE flag) u",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT region, count(*) AS n FROM TABLE WHERE flag GROUP BY region "
    . "HAVING count(*) > 10) u WHERE n < 100000",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT id, row_number() OVER (PARTITION BY region ORDER BY id) AS r "
    . "FROM TABLE) u WHERE r < 10",
  	"SELECT dp_count(1e300, 'NAME') FROM (SELECT * FROM TABLE ORDER BY id LIMIT 20) u WHERE flag",
  "SELECT dp_count(1e300, 'NAME') FROM generate_series(1, 100) g (i) WHERE i % 3 = 0",
  "SELECT dp_count(1e300, 'NAME') FROM (VALUES (1, 'a'), (2, 'b')) v (i, t) WHERE t = 'a'",
  "SELECT dp_count(1e300, 'NAME') FROM TABLE t, unnest(t.tags) u (tag) WHERE tag = 't1'",
  	"SELECT dp_count(1e300, 'NAME') FROM TABLE TABLESAMPLE SYSTEM (100) WHERE flag", "SELECT dp_count(1e300, 'NAME')",
  "WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 10) SELECT dp_count(1e300, 'NAME') "
    . "FROM r WHERE i > 2",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT ROW(id, region) AS r FROM TABLE OFFSET 0) s WHERE (r).f1 < 50",
  	"SELECT dp_count(1e300, 'NAME') FROM (SELECT t, avg(id) FILTER (WHERE flag) OVER w AS a "
  	. "FROM TABLE t WINDOW w AS (PARTITION BY region)) s WHERE (t).id < 50 AND a > 7",
  "SELECT dp_count(1e300, 'NAME') "
    . "FROM (SELECT region, GROUPING(city) AS g FROM TABLE GROUP BY ROLLUP (region, city)) s WHERE g = 1",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT mode() WITHIN GROUP (ORDER BY city) AS m, region "
    . "FROM TABLE GROUP BY region HAVING min(id) < 7) s WHERE m > 'b'",
  	"SELECT dp_count(1e300, 'NAME') FROM (SELECT DISTINCT ON (region) * FROM TABLE "
  	. "ORDER BY region, id DESC) s WHERE flag",
  "SELECT dp_count(1e300, 'NAME') FROM (SELECT id FROM TABLE WHERE id < 9 FOR SHARE) s",
  	"WITH w AS MATERIALIZED (SELECT * FROM regions), v AS (SELECT * FROM w WHERE country = 'a') "
  	. "SELECT dp_count(1e300, 'NAME') FROM v, w WHERE EXISTS (SELECT FROM w x WHERE x.region = v.region)",
  "SELECT dp_count(1e300, 'NAME') FROM TABLE t WHERE (region, id) IN (SELECT region, 5 FROM regions) "
    . "OR city = ALL (SELECT country FROM regions)",
  	"SELECT dp_count(1e300, 'NAME') FROM TABLE t CROSS JOIN LATERAL (SELECT max(country) AS c FROM regions r "
  	. "WHERE r.region = t.region) l WHERE c = 'a' AND id < 99",
  "SELECT dp_count(1e300, 'NAME') "
    . "FROM (SELECT a.id, b.country FROM TABLE a FULL JOIN regions b USING (region) OFFSET 0) s WHERE country = 'a'",
  	"SELECT dp_count(1e300, 'NAME') FROM ROWS FROM (generate_series(1, 5), unnest(ARRAY[1, 2])) "
  	. "WITH ORDINALITY f (a, b, o) WHERE b IS NULL",
  "SELECT dp_count(1e300, 'NAME') FROM TABLE t "
    . "WHERE id IN (SELECT id FROM TABLE UNION ALL SELECT id + 1 FROM TABLE WHERE flag)",
  	"SELECT dp_count(1e300, 'NAME') FROM TABLE t WHERE ctid IS NOT NULL AND tableoid > 0 AND t IS NOT NULL",
  "SELECT dp_count(1e300, 'NAME') FROM ONLY TABLE t WHERE flag", "SELECT dp_count(1e300, 'NAME') "
    . "FROM (SELECT region FROM TABLE EXCEPT SELECT region FROM regions WHERE country = 'a') e";

push @query, "SELECT dp_count(1e300, 'NAME') FROM TABLE t, xmltable('/a' PASSING '<a/>' COLUMNS b int) x WHERE id < 9"
  if !defined $s->run("SELECT '<a/>'::xml")->{sqlstate};

my %answer;
sub ask_all
{
	my ($asker, $what, $first, $without) = @_;
	my @wrong;
	foreach my $table ('orders', 'parts')
	{
		foreach my $i (0 .. $#query)
		{
			next if $without && $query[$i] =~ $without;
			(my $sql = $query[$i]) =~ s/\bTABLE\b/shop.$table/g;
			$sql =~ s/NAME/q $table $i/;
			my $r = $asker->run($sql);
			my $outcome = defined $r->{sqlstate} ? "$r->{message} $r->{detail}" : $r->{out};
			$answer{"$table $i"} = $outcome if $first;
			push @wrong, "$sql: $outcome" if defined $r->{sqlstate} || $outcome ne $answer{"$table $i"};
		}
	}
	is(join("\n", @wrong), '', "$what: the same answers");
	return;
}
ask_all($s, 'at first', 1);
is($s->value("SELECT count(*) FROM idp.chain WHERE condition IS NULL"), 0, 'every release knows what it is about');

# shows that a plan is another one
sub plan_has
{
	my ($sql, $expected) = @_;
	like($s->value("EXPLAIN $sql"), qr/$expected/, "$expected in a plan");
	return;
}
my $index = 'CREATE INDEX a ON shop.orders (region); CREATE INDEX b ON shop.orders (id); CREATE INDEX c ON '
	. 'shop.orders (at); CREATE INDEX d ON shop.orders (flag); CREATE INDEX e ON shop.orders (state, region);'
  . 'CREATE INDEX f ON shop.orders USING gin (tags); CREATE INDEX g ON shop.orders USING brin (amount); '
  . 'CREATE INDEX h ON shop.orders (twice(id)); CREATE INDEX i ON shop.orders (region text_pattern_ops);'
  . "CREATE INDEX j ON shop.orders (id) WHERE flag; CREATE INDEX k ON shop.orders (id) WHERE region = 'r1'; "
  . "CREATE INDEX l ON shop.orders (day, region, city); CREATE INDEX m ON shop.orders (note) WHERE note IS NOT NULL;"
  . 'CREATE INDEX n ON shop.parts (region); CREATE INDEX o ON shop.parts (id) WHERE flag; '
  . 'CREATE STATISTICS shop.st ON region, city FROM shop.orders; ANALYZE';
$s->value($index);
ask_all($s, 'indexes made');
foreach my $settings (
	[ 'index scans', 'SET enable_seqscan = off; SET enable_bitmapscan = off', 'Index (Only )?Scan' ], [ 'bitmap scans',
		'SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off', 'Bitmap Heap Scan' ],
	[ 'parallel plans', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
		  . 'SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0', 'Gather' ],
	[ 'sorted groups', 'SET enable_hashagg = off', undef ], [ 'hashed groups', 'SET enable_sort = off', undef ],
	[ 'nested loops', 'SET enable_hashjoin = off; SET enable_mergejoin = off', undef ],
	[ 'merge joins', 'SET enable_hashjoin = off; SET enable_nestloop = off', undef ],
	[ 'by partitions', 'SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on', undef ],
	[ 'no pruning', 'SET enable_partition_pruning = off; SET constraint_exclusion = off', undef ],
	[ 'joins as written', 'SET join_collapse_limit = 1; SET from_collapse_limit = 1', undef ],
	[ 'another search path', 'SET search_path = shop, public', undef ], [ 'other formats',
		"SET DateStyle = 'German, DMY'; SET TimeZone = 'Asia/Tokyo'; SET IntervalStyle = 'iso_8601'; "
		. "SET extra_float_digits = 0; SET bytea_output = 'escape'; SET quote_all_identifiers = on; "
		. "SET standard_conforming_strings = on", undef ], )
{
	my ($what, $set, $expected) = @$settings;
	$s->value($set);
	plan_has("SELECT dp_count(1, 'x') FROM shop.orders WHERE id < 40", $expected) if $expected;
	# literals without a time zone mean something else in another one
	ask_all($s, $what, 0, $set =~ /TimeZone/ ? qr/at >= '2024|day > date|1 mon|date_trunc/ : undef);
	$s->value("RESET ALL; SET search_path = public, shop");
}
plan_has("SELECT dp_count(1, 'x') FROM shop.orders WHERE region = 'r1' AND id < 40", 'using k on');
$s->value('DROP INDEX shop.a, shop.b, shop.c, shop.d, shop.e, shop.f, shop.g, shop.h, shop.i, shop.j, shop.k, shop.l, '
	  . 'shop.m, shop.n, shop.o');
$s->value('CREATE TABLE shop.parts_4 PARTITION OF shop.parts FOR VALUES FROM (5000) TO (9000); ANALYZE');
ask_all($s, 'indexes dropped, a partition added');
$s->value('ALTER TABLE shop.orders RENAME TO o; ALTER TABLE shop.o RENAME TO orders; '
	  . 'ALTER TABLE shop.orders ADD COLUMN more int; ALTER TABLE shop.orders ALTER note SET STATISTICS 10');
ask_all($s, 'the table altered');
my $other = session($node);
$other->value('SET search_path = shop, public');
ask_all($other, 'another session');
$other->quit;
# as the first statement of a session, when the library is not loaded yet
is(fresh_query($node, "SELECT dp_count(1e300, 'q orders 0') FROM shop.orders WHERE region = 'r1'")->{out},
	$answer{'orders 0'}, 'first in a session');
is(fresh_query($node, "SELECT dp_count(1e300, 'q orders 0') FROM shop.orders WHERE region = 'r2'")->{sqlstate}, '22023',
	'first in a session, another question');

# --- Parameters count by value ------------------------------------------------------------------

foreach my $mode ('force_custom_plan', 'force_generic_plan')
{
	$s->value("SET plan_cache_mode = $mode");
	$s->value(
		q[PREPARE p1(text, int) AS SELECT dp_count(1e300, 'by value') FROM orders WHERE region = $1 AND id < $2 + 10;
		PREPARE p2(text[]) AS SELECT dp_count(1e300, 'by array') FROM orders WHERE region = ANY ($1);
		PREPARE p3(text, text) AS SELECT dp_count(1e300, 'by list') FROM orders WHERE region IN ($1, $2);
		PREPARE p4(text) AS SELECT dp_count(1e300, 'by choice') FROM orders WHERE ($1 IS NULL OR region = $1) AND flag;
		PREPARE p5(int) AS SELECT dp_count(1e300, 'in a subquery') FROM orders t
		  WHERE EXISTS (SELECT FROM regions r WHERE r.region = t.region AND length(country) < $1);
		PREPARE p6(int) AS SELECT dp_count(1e300, 'in FROM') FROM (SELECT * FROM orders WHERE id < $1 OFFSET 0) s;
		PREPARE p7(int) AS SELECT dp_count(1e300, 'filter') FILTER (WHERE id < $1) FROM orders;
		PREPARE p8(int) AS SELECT dp_count(1e300, 'function') FROM orders WHERE twice($1) > id AND twice(id) < $1]);
	my $times = $mode eq 'force_custom_plan' ? 'first' : 'again';
	is($s->value("EXECUTE p1('r1', 990)"), '250', "$mode: two parameters");
	is($s->value("SELECT dp_count(1e300, 'by value') FROM orders WHERE id < 1000 AND region = 'r1'"), '250',
		"$mode: as constants");
	is($s->run("EXECUTE p1('r1', 991)")->{sqlstate}, '22023', "$mode: another value is another question");
	is($s->value("EXECUTE p2('{r1,r2}')"), '2000', "$mode: an array");
	is($s->run("EXECUTE p2('{r1,r3}')")->{sqlstate}, '22023', "$mode: another array");
	is($s->value("SELECT dp_count(1e300, 'by array') FROM orders WHERE region IN ('r1', 'r2')"), '2000',
		"$mode: the array as a list");
	is($s->value("EXECUTE p3('r1', 'r2')"), '2000', "$mode: a list");
	is($s->run("EXECUTE p3('r1', 'r3')")->{sqlstate}, '22023', "$mode: another list");
	is($s->value("EXECUTE p4('r2')"), '1000', "$mode: a condition that a parameter chooses");
	is($s->value("SELECT dp_count(1e300, 'by choice') FROM orders WHERE flag AND region = 'r2'"), '1000',
		"$mode: the same written out");
	is($s->run('EXECUTE p4(NULL)')->{sqlstate}, '22023', "$mode: none");
	is($s->value('EXECUTE p5(2)'), '4000', "$mode: in a subquery");
	is($s->run('EXECUTE p5(1)')->{sqlstate}, '22023', "$mode: another value there");
	is($s->value('EXECUTE p6(101)'), '100', "$mode: in a subquery of FROM");
	is($s->run('EXECUTE p6(102)')->{sqlstate}, '22023', "$mode: another value there");
	is($s->value('EXECUTE p7(101)'), '100', "$mode: in FILTER");
	is($s->run('EXECUTE p7(102)')->{sqlstate}, '22023', "$mode: another value there");
	is($s->value('EXECUTE p8(100)'), '49', "$mode: in a function that is inlined");
	is($s->run('EXECUTE p8(101)')->{sqlstate}, '22023', "$mode: another value there");
	is($s->run(q[DO $$ DECLARE r text := 'r1'; n int := 990; a bigint; BEGIN FOR i IN 1 .. 3 LOOP ]
		  . q[SELECT dp_count(1e300, 'by value') INTO a FROM orders WHERE region = r AND id < n + 10; ]
		  . q[ASSERT a = 250; END LOOP; END $$])->{sqlstate} // 'none',
		'none', "$mode: variables of PL/pgSQL");
	is($s->run(q[DO $$ DECLARE r record; a bigint; BEGIN SELECT 'r2' AS region INTO r; SELECT dp_count(1e300, ]
		  . q['by value') INTO a FROM orders WHERE region = r.region AND id < 1000; END $$])->{sqlstate},
		'22023', "$mode: fields of PL/pgSQL");
	$s->value('DEALLOCATE ALL; RESET plan_cache_mode');
}
# values of an outer query, of what no budget protects
is($s->value("SELECT dp_count FROM (VALUES ('r1')) v (r), LATERAL (SELECT dp_count(1e300, 'outer') FROM orders "
	  . "WHERE region = r OFFSET 0) l"), '1000', 'a value of an outer query');
is($s->run("SELECT dp_count FROM (VALUES ('r1'), ('r2')) v (r), LATERAL (SELECT dp_count(1e300, 'outer') FROM orders "
	  . "WHERE region = r OFFSET 0) l")->{sqlstate}, '22023', 'each value is a question');

# stable functions count by value
on_one_day($s, 30);
$s->value("BEGIN; SELECT dp_count(1e300, 'now') FROM orders WHERE at < now()");
is($s->value("SELECT dp_count(1e300, 'now') FROM orders WHERE now() > at; COMMIT"), '4000',
	'now() is the same within a transaction');
is($s->run("SELECT dp_count(1e300, 'now') FROM orders WHERE at < now()")->{sqlstate}, '22023',
	'and another question in the next');
is($s->value("SELECT dp_count(1e300, 'today') FROM orders WHERE day < current_date"), '4000', 'current_date');
is($s->value("SELECT dp_count(1e300, 'today') FROM orders WHERE current_date > day"), '4000', 'is the same all day');

# --- The same in other words --------------------------------------------------------------------

my @same = (
	[ "WHERE region = 'r1' AND flag", "WHERE flag AND region = 'r1'",
		"WHERE (region) = 'r1' AND flag AND region = 'r1' AND true", "AS x WHERE x.flag AND x.region = 'r1'" ],
	[ "WHERE id BETWEEN 5 AND 10", 'WHERE id >= 5 AND id <= 10', 'WHERE 10 >= id AND 5 <= id',
		'WHERE NOT (id < 5 OR id > 10)', 'WHERE id >= 2 + 3 AND id <= twice(5)' ],
	[ "WHERE region IN ('r1', 'r2')", "WHERE region = ANY (ARRAY['r1', 'r2'])", "WHERE region = ANY ('{r1,r2}')" ],
	[ ', (SELECT region AS r FROM orders ORDER BY id OFFSET 0) s WHERE id < 3',
		', (SELECT region AS r FROM orders ORDER BY id DESC OFFSET 0) s WHERE id < 3',
		', (SELECT region AS r FROM orders OFFSET 2 - 2) s WHERE id < 3' ],
	[ "WHERE state = 'paid'", "WHERE state = 'paid' AND NOT false" ],);
my $number = 0;
foreach my $forms (@same)
{
	$number++;
	my $first = $s->value("SELECT dp_count(1e300, 'same $number') FROM shop.orders $forms->[0]");
	foreach my $form (@$forms)
	{
		is($s->run("SELECT dp_count(1e300, 'same $number') FROM shop.orders $form")->{out}, $first,
			"the same as $forms->[0]: $form");
	}
}
is($s->value("SELECT dp_count(1e300, 'same 1') FILTER (WHERE flag) FROM orders WHERE region = 'r1'"), '0',
	'FILTER as WHERE');
is($s->value("SELECT dp_count(1e300, 'same 5') FROM paid"), '1334', 'through a view');
is($s->value("SELECT dp_count(1e300, 'same 5') FROM (SELECT id AS x FROM orders WHERE state = 'paid') s"), '1334',
	'through a subquery');
is($s->value("SELECT string_agg(n::text, ' ' ORDER BY region) FROM (SELECT region, "
	  . "dp_count(1e300, 'g/' || region) AS n FROM orders WHERE flag GROUP BY region) q"), '1000 1000', 'groups');
is($s->value("SELECT dp_count(1e300, 'g/r2') FROM orders WHERE flag AND region = 'r2'"), '1000',
	'one of them by its key');
is($s->value("SELECT dp_count(1e300, 'g/' || region) FROM orders WHERE flag AND region > 'r1' AND length(region) = 2 "
	. "GROUP BY region ORDER BY 1 DESC LIMIT 1"), '1000', 'conditions on keys alone leave a group as it is');
is($s->value("SELECT dp_count(1e300, 'g/' || coalesce(region, 'all')) FROM orders WHERE flag GROUP BY ROLLUP (region) "
	  . "ORDER BY 1 DESC LIMIT 1"), '2000', 'a grouping set');
# another question of a group has no answer: an error would tell that the group is there
is($s->value("SELECT count(*) || ' ' || count(n) FROM (SELECT dp_count(1e300, 'g/' || region) AS n FROM orders "
	. "WHERE flag AND (region > 'r1' OR id = 3) GROUP BY region) q"), '1 0', 'conditions on keys and more do not');
is($s->value("SELECT count(*) || ' ' || count(n) FROM (SELECT dp_count(1e300, 'g/' || region) FILTER "
	. "(WHERE region > 'r1') AS n FROM orders WHERE flag GROUP BY region) q"), '2 0',
	'nor do those in FILTER, which a group outlives');
is($s->run("SELECT dp_count(1e300, 'g/r2') FROM orders WHERE region = 'r2' AND (region > 'r1' OR id = 3)")->{sqlstate},
	'22023', '... asked alone it says why');

# --- Another question ---------------------------------------------------------------------------

$s->value("SELECT dp_count(1e300, 'mine') FROM orders WHERE region = 'r1'");
foreach my $other (
	'FROM orders', "FROM orders WHERE region = 'r2'", "FROM orders WHERE region = 'r1' AND flag",
		"FROM orders WHERE region = 'r1' OR flag", "FROM orders WHERE region <> 'r1'", "FROM orders WHERE city = 'r1'",
	"FROM orders TABLESAMPLE SYSTEM (50) WHERE region = 'r1'",
	"FROM (SELECT * FROM orders LIMIT 100) s WHERE region = 'r1'",
		"FROM (SELECT * FROM orders OFFSET 0) s WHERE region = 'r1'", "FROM shielded WHERE region = 'r1'",
		"FROM orders WHERE region = 'r1' AND random() < 0.5")
{
	my $r = $s->run("SELECT dp_count(1e300, 'mine') $other");
	is($r->{sqlstate} // 'none', '22023', "another question: $other");
	is($r->{message} // '', 'release "mine" stands for another question', "$other: says so");
}
# another table has names of its own, as have all that are not one table; its partitions do not
is($s->value("SELECT dp_count(1e300, 'mine') FROM parts WHERE region = 'r1'"), '1000', 'another table');
is($s->run("SELECT dp_count(1e300, 'mine') FROM parts_1 WHERE region = 'r1'")->{sqlstate}, '22023',
	'another question: a partition of it');
is($s->value("SELECT dp_count(1e300, 'mine') FROM orders JOIN regions USING (region) WHERE region = 'r1'"), '1000',
	'several tables');
is($s->run("SELECT dp_count(1e300, 'mine') FROM orders WHERE region = 'r1' "
	  . "AND EXISTS (SELECT FROM regions)")->{sqlstate}, '22023', 'another question: of the same two tables');
my $r = $s->run("SELECT dp_count(1e300, 'mine') FROM orders WHERE region = 'r2'");
is($r->{detail}, q[It is dp_count over table "shop.orders". It was asked WHERE (region = 'r1'::text), and is asked ]
	  . q[WHERE (region = 'r2'::text) now.], 'with both conditions');
# as are those that differ in a detail of a subquery alone
$s->value(<<'SQL');
CREATE TABLE shop.alike (id int, c2 int, c3 int); CREATE TABLE shop.alike_1 (id int);
INSERT INTO shop.alike VALUES (1, 2, 3); INSERT INTO shop.alike_1 VALUES (1);
CREATE SCHEMA other;
CREATE OPERATOR shop.#< (PROCEDURE = int4lt, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR other.#< (PROCEDURE = int4gt, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR CLASS shop.up FOR TYPE int USING btree AS OPERATOR 1 shop.#<, OPERATOR 3 =,
  FUNCTION 1 btint4cmp(int, int);
CREATE FUNCTION other.down(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT btint4cmp($2, $1)';
CREATE OPERATOR CLASS other.down FOR TYPE int USING btree AS OPERATOR 1 other.#<, OPERATOR 3 =,
  FUNCTION 1 other.down(int, int);
SQL
foreach my $pair (
	[ 'FROM orders WHERE city = ALL (SELECT country FROM regions)',
		'FROM orders WHERE city = ALL (SELECT region FROM regions)' ],
		[ 'FROM (SELECT region FROM orders UNION ALL SELECT region FROM regions) u',
		'FROM (SELECT region FROM orders UNION ALL SELECT country FROM regions) u' ],
	[ 'FROM (SELECT region FROM orders UNION SELECT region FROM regions) u',
		'FROM (SELECT region FROM orders EXCEPT SELECT region FROM regions) u' ],
		[ "FROM orders WHERE region IN (SELECT region FROM regions WHERE country = 'a' LIMIT 1)",
		"FROM orders WHERE region IN (SELECT region FROM regions WHERE country = 'a' LIMIT 2)" ],
	[ 'FROM (SELECT id AS x, weight AS y FROM orders OFFSET 0) s WHERE x < 9',
		'FROM (SELECT weight AS x, id AS y FROM orders OFFSET 0) s WHERE x < 9' ],
		[ 'FROM (SELECT id + 1 AS x FROM orders OFFSET 0) s WHERE x < 9',
		'FROM (SELECT id + 2 AS x FROM orders OFFSET 0) s WHERE x < 9' ],
	[ 'FROM orders t WHERE EXISTS (SELECT FROM regions r WHERE r.region = t.region)',
		'FROM orders t WHERE EXISTS (SELECT FROM regions r WHERE r.region = t.city)' ],
		[ 'FROM orders t LEFT JOIN regions r ON r.region = t.region',
		'FROM orders t LEFT JOIN regions r ON r.region = t.city' ],
	[ 'FROM orders t FULL JOIN regions r ON r.region = t.region',
		'FROM orders t FULL JOIN regions r ON r.region = t.city' ],
		[ 'FROM (SELECT rank() OVER (ORDER BY id) AS k FROM orders) s WHERE k < 9',
		'FROM (SELECT rank() OVER (ORDER BY id DESC) AS k FROM orders) s WHERE k < 9' ],
	[ 'FROM (SELECT sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) AS k FROM orders) s WHERE k < 9',
		'FROM (SELECT sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) AS k FROM orders) s WHERE k < 9' ],
		[ 'FROM (SELECT * FROM orders ORDER BY id LIMIT 9) s',
		'FROM (SELECT * FROM orders ORDER BY amount LIMIT 9) s' ],
	[ 'FROM (SELECT * FROM orders ORDER BY id FETCH FIRST 9 ROWS ONLY) s',
		'FROM (SELECT * FROM orders ORDER BY id FETCH FIRST 9 ROWS WITH TIES) s' ],
		[ 'FROM (SELECT * FROM orders ORDER BY id OFFSET 1) s', 'FROM (SELECT * FROM orders ORDER BY id OFFSET 2) s' ],
	[ 'FROM (SELECT region FROM orders GROUP BY region HAVING count(*) > 9) s',
		'FROM (SELECT region FROM orders GROUP BY region HAVING count(*) > 8) s' ],
		[ 'FROM (SELECT region FROM orders GROUP BY region) s',
		'FROM (SELECT region FROM orders GROUP BY region, city) s' ],
	[ 'FROM (SELECT DISTINCT region FROM orders) s', 'FROM (SELECT DISTINCT city FROM orders) s' ],
		[ 'FROM (SELECT DISTINCT ON (region) * FROM orders) s', 'FROM (SELECT DISTINCT ON (city) * FROM orders) s' ],
		[ 'FROM generate_series(1, 9)', 'FROM generate_series(1, 8)' ], [ 'FROM (VALUES (1), (2)) v',
		'FROM (VALUES (1), (3)) v' ],
	[ 'FROM orders, regions', 'FROM orders, regions, regions r' ], [ 'FROM orders, parts WHERE orders.flag',
		'FROM orders, parts WHERE parts.flag' ],
		[ "FROM (WITH c AS MATERIALIZED (SELECT * FROM orders WHERE flag) SELECT * FROM c) s",
		"FROM (WITH c AS MATERIALIZED (SELECT * FROM orders WHERE NOT flag) SELECT * FROM c) s" ],
	# a CTE that is read through others, and one of its name where it is read
	(map { my $with = $_; [ map { $with =~ s/WHICH/$_/r } 'id > 3', 'id > 5' ] }
		'FROM (WITH z AS MATERIALIZED (SELECT id FROM orders WHERE WHICH), y AS MATERIALIZED (SELECT * FROM z), '
		  . 'x AS MATERIALIZED (SELECT * FROM (SELECT * FROM y OFFSET 0) k) SELECT * '
		  . 'FROM (SELECT * FROM x OFFSET 0) q) s',
		'FROM (WITH z AS MATERIALIZED (SELECT id FROM orders WHERE WHICH), y AS MATERIALIZED (SELECT * FROM z) '
		  . 'SELECT * FROM (WITH z AS MATERIALIZED (SELECT id FROM orders WHERE id > 7) SELECT y.id '
		  . 'FROM y, z OFFSET 0) q) s',
		'FROM (WITH z AS MATERIALIZED (SELECT id FROM orders WHERE WHICH), y AS MATERIALIZED (SELECT * FROM z) '
		  . 'SELECT (SELECT max(id) FROM (SELECT * FROM (SELECT * FROM y OFFSET 0) a OFFSET 0) b) AS m) s'),
	# collations: of columns, constants and subqueries
	[ q[FROM orders WHERE region COLLATE "C" < 'R'], q[FROM orders WHERE region COLLATE "en-x-icu" < 'R'] ],
	[ q[FROM orders WHERE region < 'R' COLLATE "C"], q[FROM orders WHERE region < 'R'] ],
	[ q[FROM orders WHERE region < lower('R' COLLATE "C")],
		q[FROM orders WHERE region < lower('R' COLLATE "en-x-icu")] ],
		[ q[FROM orders WHERE region IN ('a' COLLATE "C", 'b')], q[FROM orders WHERE region IN ('a', 'b')] ],
	[ q[FROM orders WHERE (region COLLATE "C", id) < ('R', 1)],
		q[FROM orders WHERE (region COLLATE "en-x-icu", id) < ('R', 1)] ],
		[ q[FROM orders WHERE greatest(region, 'R' COLLATE "C") = 'R'],
		q[FROM orders WHERE greatest(region, 'R') = 'R'] ],
	[ q[FROM (SELECT region COLLATE "C" AS r FROM orders OFFSET 0) s WHERE r < 'R'],
		q[FROM (SELECT region AS r FROM orders OFFSET 0) s WHERE r < 'R'] ],
	[ q[FROM (SELECT * FROM orders ORDER BY region COLLATE "C" LIMIT 9) s],
		q[FROM (SELECT * FROM orders ORDER BY region COLLATE "en-x-icu" LIMIT 9) s] ],
	# NULL is not FALSE where it is no condition
	(map { [ 'FROM (SELECT id, (id > 40) AS b FROM orders OFFSET 0) s WHERE b IS NULL',
		"FROM (SELECT id, $_ AS b FROM orders OFFSET 0) s WHERE b IS NULL" ] } '(id > 40 OR NULL)'),
		[ 'FROM (SELECT id, false AS b FROM orders OFFSET 0) s WHERE b IS NULL',
		'FROM (SELECT id, NULL::boolean AS b FROM orders OFFSET 0) s WHERE b IS NULL' ],
	# names that look like those which the text gives
	[ 'FROM (SELECT id, id * 2 AS y, c3 FROM alike OFFSET 0) s WHERE y < 9',
		'FROM (SELECT id, c3, id * 2 AS y FROM alike OFFSET 0) s WHERE c3 < 9' ],
		[ 'FROM (SELECT id, id * 2 AS y, c2 FROM alike OFFSET 0) s WHERE y < 9',
		'FROM (SELECT id, id * 2 AS y, c2 FROM alike OFFSET 0) s WHERE c2 < 9' ],
	[ 'FROM alike a, alike b, alike_1 d WHERE b.id < 9', 'FROM alike a, alike b, alike_1 d WHERE d.id < 9' ],
	[ 'FROM (SELECT id, row_number() OVER (ORDER BY id USING OPERATOR(shop.#<)) AS r FROM orders) s WHERE r < 9',
		'FROM (SELECT id, row_number() OVER (ORDER BY id USING OPERATOR(other.#<)) AS r FROM orders) s WHERE r < 9' ], )
{
	$number++;
	$s->value("SELECT dp_count(1e300, 'pair $number') $pair->[0]");
	is($s->run("SELECT dp_count(1e300, 'pair $number') $pair->[1]")->{sqlstate} // 'none', '22023',
		"another question: $pair->[1]");
}
$s->value("SELECT idp_max(amount, 1e300, 1000, 'typed') FROM orders");
like($s->run("SET client_min_messages = warning; "
	  . "SELECT idp_max(amount, 1e300, 1000::float8, 'typed') FROM orders")->{detail},
	qr/The column was of type numeric\(10,2\), and is of type double precision\.$/, 'with both types');
like($s->run("SELECT idp_max(amount, 1e300, 999, 'typed') FROM orders")->{detail}, qr/A parameter is another\.$/,
	'a parameter');
like($s->run("SELECT idp_max(cents, 1e300, 1000, 'typed') FROM orders")->{detail}, qr/The column is another\.$/,
	'a column');
is($s->value('SELECT dp_count(1e300, \'long\') FROM orders WHERE id IN (' . join(',', 1 .. 500) . ')'), '500',
	'a long condition');
is($s->value('SELECT dp_count(1e300, \'long\') FROM orders WHERE id IN (' . join(',', 1 .. 500) . ')'), '500',
	'repeated');
is($s->run('SELECT dp_count(1e300, \'long\') FROM orders WHERE id IN (' . join(',', 1 .. 499, 501) . ')')->{sqlstate},
	'22023', 'another that begins like it');
cmp_ok($s->value("SELECT max(length(condition)) FROM idp.chain"), '<', 700, 'what is kept of it is short');

# who may not read the other columns sees neither what others asked of them nor the answer
$s->value("CREATE ROLE outsider; GRANT USAGE ON SCHEMA shop TO outsider; GRANT "
	. "SELECT (id, amount) ON shop.orders TO outsider; SELECT idp_median(amount, 1e300, 'secret') FROM orders "
	. "WHERE note = 'whisper' OR id < 99");
$r = $s->run("SET ROLE outsider; SELECT idp_median(amount, 1e300, 'secret') FROM shop.orders WHERE id < 99");
is($r->{sqlstate} // 'answered', 'answered', 'a reader of one column has an answer of its own');
$s->value('RESET ROLE');
is($s->value("SELECT count(DISTINCT family) || ' ' || count(DISTINCT condition) FROM idp.chain WHERE name = 'secret'"),
	'2 2', '... to its own question');

# --- What the plan carries is not what users write ----------------------------------------------

# a name like the one that the planner leaves, in every place where users give names
my $forged = 'idp question -2 ((';
$s->value(qq[CREATE FUNCTION shop."$forged"() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'; ]
	  . qq[CREATE TABLE shop."$forged" AS SELECT generate_series(1, 9) AS x]);
foreach my $from (qq[orders AS "$forged"], qq["$forged"], qq[orders, "$forged"() AS "$forged"], qq[orders, "$forged"()],
	qq[(SELECT 1 AS a) AS "$forged", orders], qq[orders, (VALUES (1)) AS "$forged"])
{
	my $fresh = fresh_query($node,
		qq[SET search_path = shop, public; SELECT dp_count(1e300, 'forged' || length('$from')) > 0 FROM $from]);
	is($fresh->{sqlstate} // $fresh->{out}, 't', "a table called so: $from");
}
$s->alive('forged names');

# --- Releases of 0.2.0, and its tables ----------------------------------------------------------

my $old = "SELECT dp_count(1e300, 'old') FROM orders WHERE region = 'r1'";
is($s->value($old), '1000', 'a release');
$s->value("UPDATE idp.chain SET condition = NULL WHERE name = 'old'");    # as 0.2.0 left it
is($s->value("SELECT dp_count(1e300, 'old') FROM orders WHERE region = 'r2'"), '1000',
	'a release that does not know its rows fits any');
$s->value("SELECT idp.refresh('mine', relation => 'orders')");
is($s->run("SELECT dp_count(1e300, 'mine') FROM orders")->{sqlstate}, '22023',
	'a refreshed release keeps its question');
is($s->value("SELECT dp_count(1e300, 'mine') FROM orders WHERE region = 'r1'"), '1000', 'and begins anew with it');

$node->safe_psql('postgres', 'CREATE DATABASE before TEMPLATE template0');
my $b = session($node, 'before');
$b->value("CREATE EXTENSION idp VERSION '0.2.0'; CREATE TABLE t AS SELECT generate_series(1, 9) AS x");
is($b->value('SELECT dp_count(1e300) FROM t'), '9', 'tables of 0.2.0: answers without a name');
foreach my $sql ("SELECT dp_count(1e300, 'n') FROM t", "SELECT idp.relax('n', 1)", "SELECT idp.refresh('n')",
	"SELECT idp.release_answer('n')")
{
	my $o = $b->run($sql);
	is($o->{sqlstate}, '55000', "tables of 0.2.0: $sql is refused");
	like($o->{err}, qr/HINT:  Run ALTER EXTENSION idp UPDATE\./, 'with a hint');
}
$b->value('ALTER EXTENSION idp UPDATE');
is($b->value("SELECT dp_count(1e300, 'n') FROM t"), '9', 'updated');
$b->alive('tables of 0.2.0');
$b->quit;

# --- A copy knows what its releases are about ---------------------------------------------------

my $file = abs_path($node->basedir) . '/questions.dump';
$s->value('DROP TABLE shop."idp question -2 (("; DROP FUNCTION shop."idp question -2 (("()');
$node->command_ok([ 'pg_dump', '--format=custom', '-f', $file, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('copy'), $file ], 'pg_restore');
my $copy = session($node, 'copy');
$copy->value('SET search_path = public, shop');
ask_all($copy, 'a restored copy');
is($copy->run("SELECT dp_count(1e300, 'mine') FROM orders")->{sqlstate}, '22023', 'another question there');
$copy->quit;

$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();

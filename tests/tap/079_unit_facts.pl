# Facts that rules about units lean on, and the steps that end them: a value of the outer row is no key of an inner
# one; NULL that a step puts in is in no column that was known; several rows come of one; equal values look
# different. Two databases differ in one person. Each query below was answered once, for less than its rows differ in.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('unit_facts', 'fsync = off');
my $s = session($node);

# Person 42, in w1 alone, is written last, so that the rows of all others are in order without: a sort leaves those
# alone then, and shuffles equal ones otherwise.
$s->value(<<'SQL');
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE nations (id integer PRIMARY KEY, weight integer NOT NULL);
INSERT INTO nations SELECT i, i FROM generate_series(1, 4) i;
CREATE TABLE twelve (id integer PRIMARY KEY);
INSERT INTO twelve SELECT generate_series(1, 12);
SELECT format('CREATE SCHEMA %1$s;
CREATE TABLE %1$s.persons (id integer PRIMARY KEY, nation integer, age integer);
CREATE TABLE %1$s.orders (id integer PRIMARY KEY, person integer NOT NULL REFERENCES %1$s.persons, day integer,
  price integer, x numeric, f float8, b bpchar, v interval, t text COLLATE any_case, a numeric[], money numeric(10,2),
  j jsonb, y name COLLATE any_case);
CREATE TABLE %1$s.items (id integer PRIMARY KEY, "order" integer NOT NULL REFERENCES %1$s.orders, part integer);
CREATE INDEX ON %1$s.orders (person); CREATE INDEX ON %1$s.items ("order")', w) FROM unnest('{w1,w2}'::text[]) w \gexec
INSERT INTO w1.persons SELECT i, i % 4 + 1, i % 50 FROM generate_series(1, 400) i WHERE i <> 42;
INSERT INTO w1.orders SELECT 10 * i + k, i, k % 3, i % 7, CASE k % 2 WHEN 0 THEN 1.0 ELSE 1.00 END,
  CASE k % 2 WHEN 0 THEN '-0' ELSE '0' END::float8,
  CASE k % 2 WHEN 0 THEN 'x' ELSE 'x  ' END::bpchar, CASE k % 2 WHEN 0 THEN '24:00' ELSE '1 day' END::interval,
  CASE k % 2 WHEN 0 THEN 'a' ELSE 'A' END,
  CASE k % 2 WHEN 0 THEN '{1.0}' ELSE '{1.00}' END::numeric[], 1, CASE k % 2 WHEN 0 THEN '1.0' ELSE '1.00' END::jsonb,
  CASE k % 2 WHEN 0 THEN 'a' ELSE 'A' END
  FROM generate_series(1, 400) i, generate_series(1, 6) k WHERE i <> 42;
INSERT INTO w1.items SELECT 10 * id + k, id, k FROM w1.orders, generate_series(1, 2) k;
INSERT INTO w2.persons TABLE w1.persons;
INSERT INTO w2.orders TABLE w1.orders;
INSERT INTO w2.items TABLE w1.items;
INSERT INTO w1.persons VALUES (42, 3, 99);
INSERT INTO w1.orders SELECT 420 + k, 42, k % 3, 1000 + k, 2, 2, 'y', '2 days', 'b', '{2}', 2, '2', 'b'
  FROM generate_series(1, 6) k;
INSERT INTO w1.items SELECT 10 * id + k, id, k FROM w1.orders, generate_series(1, 2) k WHERE person = 42;
ANALYZE nations, twelve, w1.persons, w1.orders, w1.items, w2.persons, w2.orders, w2.items;
SELECT idp.protect('w1.persons', 1e9, 'add_remove', rows => 'visible', unit => 'id');
SELECT idp.link('w1.orders', 'person', 'w1.persons');
SELECT idp.link('w1.items', 'order', 'w1.orders');

CREATE FUNCTION attempt(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  before numeric := (SELECT sum(spent) FROM idp.budget);
BEGIN
  PERFORM set_config('search_path', 'w1, public', true);
  EXECUTE query;
  RETURN trim_scale((SELECT sum(spent) FROM idp.budget) - before);
EXCEPTION WHEN OTHERS THEN
  RETURN sqlerrm;
END
$$;
-- in how many rows of a query the two worlds differ, and how many each row stands for
CREATE FUNCTION rows_of(world text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('search_path', world || ', public', true);
  RETURN QUERY EXECUTE format('SELECT q::text FROM (%s) q', query);
END
$$;
CREATE FUNCTION distance(query text) RETURNS bigint LANGUAGE sql AS $$
  SELECT coalesce(sum(abs(n)), 0)::bigint FROM (
    SELECT count(*) FILTER (WHERE w = 1) - count(*) FILTER (WHERE w = 2) AS n
    FROM (SELECT 1 AS w, r FROM rows_of('w1', query) r UNION ALL SELECT 2, r
      FROM rows_of('w2', query) r) both_worlds GROUP BY r) d
$$;
SQL

my %settings = (
	'' => '',
	'nested loops' => 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; '
	  . 'SET enable_seqscan = off; SET enable_bitmapscan = off;',
	'no memory of inner rows' => 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off;',
	'sorted groups' => 'SET enable_hashagg = off; SET enable_incremental_sort = off; SET enable_indexscan = off; '
	  . 'SET enable_indexonlyscan = off; SET enable_bitmapscan = off;',
	'merge joins' => 'SET enable_hashjoin = off; SET enable_nestloop = off;');

sub cost
{
	return $s->value("SELECT attempt(\$q\$SELECT dp_count(1) FILTER (WHERE q::text <> '') FROM ($_[0]) q\$q\$)");
}
sub distance { return $s->value("SELECT distance(\$q\$$_[0]\$q\$)") }

# Refused under each way to plan it; and rightly: more than m rows differ.
sub is_refused
{
	my ($name, $query, $m, $reason) = @_;
	foreach my $how (sort keys %settings)
	{
		$s->value($settings{$how});
		like(cost($query), qr/cannot be computed over/, "$name: refused" . ($how ? ", $how" : ''));
		$s->value('RESET ALL');
	}
	$s->value($settings{'sorted groups'});
	cmp_ok(distance($query), '>', $m, "$name: more than $m rows differ");
	$s->value('RESET ALL');
}

sub is_answered
{
	my ($name, $query, $m) = @_;
	foreach my $how (sort keys %settings)
	{
		$s->value($settings{$how});
		is($s->value("SELECT attempt(\$q\$$query\$q\$)"), $m, "$name: costs $m" . ($how ? ", $how" : ''));
		$s->value('RESET ALL');
	}
}

# --- of the outer row, and not of the inner one -----------------------------------------------------------

my $rekeyed = 'SELECT a.person k, price FROM orders WHERE person = 42 OFFSET 0';
is_refused('the key of the outer row, beside rows of another person',
	"SELECT person FROM (SELECT a.person, max(l.p) m FROM orders a, LATERAL (SELECT b.price p "
	. "FROM ($rekeyed) b JOIN orders o2 ON o2.person = b.k JOIN items i ON i.\"order\" = o2.id "
	. "WHERE i.\"order\" = a.id OFFSET 0) l GROUP BY a.person) q WHERE m > 900", 300);
is_refused('the same in a join', "SELECT a.person FROM orders a, LATERAL (SELECT b.price p FROM ($rekeyed) b "
	  . "JOIN persons o2 ON o2.id = b.k OFFSET 0) l GROUP BY a.person HAVING max(l.p) > 900", 300);
is_refused('the same as a group',
	'SELECT a.person FROM orders a, LATERAL (SELECT k, max(price) AS p FROM (SELECT a.person AS k, price '
	. 'FROM orders WHERE day = 1 OFFSET 0) z GROUP BY k OFFSET 0) l WHERE l.k = a.person GROUP BY a.person '
	. 'HAVING max(l.p) > 900', 300);
is_refused('the same in a window',
	'SELECT l.k FROM nations n, LATERAL (SELECT k, p, row_number() OVER (PARTITION BY k ORDER BY i) AS r '
	. 'FROM (SELECT a.person AS k, z.price AS p, z.id AS i FROM persons q, LATERAL '
	. '(SELECT q.id AS person OFFSET 0) a, orders z WHERE z.price > 1000 OFFSET 0) y) l WHERE n.id = 1 '
	. 'AND r <= 1', 300);
is_refused('a value of the outer row that is the same in its unit alone',
	'SELECT l.k, l.age FROM persons a, LATERAL (SELECT b.person AS k, a.age FROM orders b '
	. 'WHERE b.person % 50 <> a.age OFFSET 0) l GROUP BY 1, 2', 1);

# --- NULL, and several rows of one ------------------------------------------------------------------------

my $constants = join ', ', map { "1 AS k$_" } 1 .. 10;
my $names = join ', ', map { "k$_" } 1 .. 10;
is_refused('constants below CUBE', "SELECT p.id, $names FROM persons p, (SELECT $names "
	  . "FROM (SELECT $constants FROM nations OFFSET 0) c GROUP BY CUBE ($names) OFFSET 0) z GROUP BY 1, $names", 1);
is_refused('constants below ROLLUP', 'SELECT p.id, k FROM persons p, '
	  . '(SELECT k FROM (SELECT 1 AS k FROM nations OFFSET 0) c GROUP BY ROLLUP (k) OFFSET 0) z GROUP BY 1, 2', 1);
is_refused('a constant below GROUPING SETS',
	'SELECT p.id, k, w FROM persons p, (SELECT k, w FROM (SELECT 1 AS k, weight AS w '
	. 'FROM nations OFFSET 0) c GROUP BY GROUPING SETS (k, w) OFFSET 0) z GROUP BY 1, 2, 3', 1);
is_refused('a set as a constant',
	'SELECT p.id, k FROM persons p, (SELECT generate_series(1, 1000) AS k OFFSET 0) z GROUP BY 1, 2', 1);
is_refused('a set beside DISTINCT ON',
	'WITH z AS MATERIALIZED (SELECT DISTINCT ON (weight) weight, generate_series(1, 1000) AS g FROM nations '
	. 'ORDER BY weight) SELECT p.id, z.g FROM persons p JOIN z ON z.weight = p.nation', 1);
is_refused('a set beside a unique key', 'SELECT p.id, z.i FROM persons p '
	  . 'JOIN (SELECT n.id, generate_series(1, 5) AS i FROM nations n OFFSET 0) z ON z.id = p.nation', 1);
is_refused('a constant on the left of FULL JOIN',
	'SELECT p.id, k FROM persons p, (SELECT k FROM (SELECT id, 1 AS k FROM nations OFFSET 0) n '
	. 'FULL JOIN twelve t ON t.id = n.id OFFSET 0) z GROUP BY 1, 2', 1);
is_refused('a constant on the right of FULL JOIN',
	'SELECT p.id, k FROM persons p, (SELECT k FROM twelve t FULL JOIN (SELECT id, 1 AS k '
	. 'FROM nations OFFSET 0) n ON t.id = n.id OFFSET 0) z GROUP BY 1, 2', 1);
is_refused('a unique key on the left of FULL JOIN',
	'SELECT p.id, r FROM (SELECT z.person AS id, row_number() OVER (PARTITION BY z.person, z.nid '
	. 'ORDER BY z.id) AS r FROM (SELECT o.person, n.id AS nid, t.id FROM (SELECT person, day FROM orders) o '
	. 'JOIN (SELECT n.id, t.id AS tid FROM nations n FULL JOIN twelve t ON t.id = n.id + 3 OFFSET 0) n ON true '
	. 'JOIN twelve t ON t.id = n.tid OFFSET 0) z) p WHERE r <= 1', 1);
is_refused('the key of rows that are missing', 'SELECT o.person, max(p.age) FROM persons p '
	  . 'LEFT JOIN orders o ON o.person = p.id AND o.price > 2000 WHERE o.person IS NULL GROUP BY 1', 1);
is_refused('the key of rows that may be missing', 'SELECT o.person, max(p.age) FROM persons p '
	  . 'LEFT JOIN orders o ON o.person = p.id AND o.price > 2000 GROUP BY 1', 0);
is_refused('a constant beside rows that may be missing',
	'SELECT p.id, k FROM persons p, LATERAL (SELECT k FROM twelve t LEFT JOIN (SELECT id, 1 AS k '
	. 'FROM nations OFFSET 0) n ON n.id = t.id OFFSET 0) z GROUP BY 1, 2', 1);
is_refused('different constants of UNION ALL',
	'SELECT p.id, k FROM persons p, (SELECT 1 AS k UNION ALL SELECT 2 OFFSET 0) z GROUP BY 1, 2', 1);
foreach my $shown ([ 'the key', '42' ], [ 'a set', 'generate_series(40, 45)' ])
{
	my ($what, $row) = @$shown;
	is_refused("$what, in a group of no rows beside others", "SELECT k.id FROM persons k JOIN (SELECT id FROM persons "
		  . "UNION ALL SELECT $row FROM persons WHERE false HAVING true) s ON s.id = k.id", 1);
	is_refused("$what, in a group of no public rows beside others",
		"SELECT k.id FROM persons k JOIN (SELECT id FROM persons UNION ALL SELECT $row FROM nations WHERE false "
		. "HAVING true) s ON s.id = k.id", 1);
}
is_refused('the key in one part of UNION ALL',
	'SELECT k, count(*) FROM (SELECT id AS k FROM persons UNION ALL SELECT nation FROM persons) u GROUP BY 1', 1);

# --- equal values that look different ---------------------------------------------------------------------

# From PostgreSQL 17 on each side of UNION is sorted by itself: one is in another order before.
foreach my $case ([ 'numeric', 'x' ], [ 'float8', 'f' ], [ 'bpchar', 'b', 'octet_length(%s)' ], [ 'interval', 'v' ],
	[ 'text of any case', 't', '(%s COLLATE "C")' ], [ 'names of any case', 'y', '(%s::text COLLATE "C")' ], [ 'arrays',
	'a' ], [ 'jsonb', 'j' ])
{
	my ($type, $column, $form) = @$case;
	$form = sprintf($form // '%s::text', 'm');
	my $r = 'row_number() OVER (PARTITION BY person ORDER BY id) AS r';
	my $first = 'row_number() OVER (PARTITION BY person ORDER BY m) AS r';
	is_refused("$type: the value of a group", "SELECT person, $form FROM (SELECT *, $first "
		  . "FROM (SELECT person, $column AS m FROM orders GROUP BY 1, 2 OFFSET 0) g) q WHERE r <= 1", 1);
	is_refused("$type: DISTINCT", "SELECT person, $form FROM (SELECT *, $first "
		  . "FROM (SELECT DISTINCT person, $column AS m FROM orders OFFSET 0) g) q WHERE r <= 1", 1);
	is_refused("$type: UNION",
		"SELECT person, $form FROM ((SELECT person, $column AS m FROM (SELECT *, $r FROM orders) o WHERE r <= 6 "
		. "ORDER BY id % 10, id) UNION SELECT person, $column FROM (SELECT *, $r FROM orders) o "
		. "WHERE r <= 3 OFFSET 0) q", 9);
	next if $column =~ /[vaj]/;
	is_refused("$type: max",
		"SELECT person, $form FROM (SELECT person, max($column) AS m FROM orders GROUP BY 1 OFFSET 0) q", 1)
	  if $column !~ /[ty]/;
	is_refused("$type: min over a window",
		"SELECT DISTINCT ON (person) person, $form FROM (SELECT id, person, min($column) OVER (PARTITION BY "
		. "person) AS m FROM orders OFFSET 0) q ORDER BY person, id", 1) if $column !~ /[ty]/;
}
is_refused('one spelling under another collation',
	'SELECT person, c FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY t) AS r FROM '
	. '(SELECT DISTINCT ON (person, t) person, t, c FROM (SELECT person, t, t COLLATE "C" AS c '
	. 'FROM orders OFFSET 0) z ORDER BY person, t) y) q WHERE r <= 1', 1);
is_refused('values of any form, grouped by their bits',
	'SELECT person, r FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY m USING *<) AS r '
	. 'FROM (SELECT person, m FROM (SELECT person, day, ROW(x) AS m FROM orders GROUP BY 1, 2, 3 OFFSET 0) g '
	. 'GROUP BY person, m ORDER BY m USING *< OFFSET 0) z) y WHERE r <= 2', 2);
is_refused('sums of values of any form, shown', 'SELECT person, (max(x) + min(x))::text FROM orders GROUP BY 1', 1);
is_refused('a cast to no scale', 'SELECT person, "numeric"(max(x), -1)::text FROM orders GROUP BY 1', 1);
is_refused('a value of any form, in a whole row', 'SELECT person, max(x) AS m FROM orders GROUP BY 1', 1);
is_refused('a value of any form, compared as text',
	'SELECT person FROM orders GROUP BY 1 HAVING max(x)::text = \'1.0\'', 1);
is_refused('a value of any form, in a join',
	'SELECT q.person, z.w FROM (SELECT person, max(x) AS m FROM orders GROUP BY 1 OFFSET 0) q, LATERAL '
	. '(SELECT length(q.m::text) AS w, id FROM nations n OFFSET 0) z WHERE z.id = 1', 1);
is_refused('a value of any form, by way of UNION ALL',
	'SELECT person, m::text FROM (SELECT person, max(x) AS m FROM orders GROUP BY 1 UNION ALL '
	. 'SELECT person, 1 FROM orders GROUP BY 1 OFFSET 0) q', 2);
is_refused('a value of any form, one of several',
	'SELECT person, coalesce(m, 0)::text FROM (SELECT person, max(x) AS m FROM orders GROUP BY 1 OFFSET 0) q', 1);
is_refused('sums of different values',
	'SELECT person, s::text FROM (SELECT person, sum(DISTINCT x) AS s FROM orders GROUP BY 1 OFFSET 0) q', 1);
is_refused('a sum of values of any form',
	'SELECT person, s::text FROM (SELECT person, sum(m) AS s FROM (SELECT person, day, max(x) AS m '
	. 'FROM orders GROUP BY 1, 2 OFFSET 0) z GROUP BY 1 OFFSET 0) q', 1);

is_refused('whole rows with names of any case', 'SELECT person, count(*) '
	  . 'FROM (SELECT DISTINCT person, q FROM (SELECT person, y FROM orders OFFSET 0) q) z GROUP BY 1', -1);
# The planner takes a unique index under another collation for one under this: a join looks for one partner only.
my $spellings = 'SELECT person, day, max(t COLLATE "C") COLLATE "C" AS t FROM orders GROUP BY 1, 2';
is_refused('rows of a person that a collation takes for equal', "SELECT a.person, a.day, b.day AS d "
	  . "FROM ($spellings) a JOIN ($spellings) b ON a.person = b.person AND a.t = b.t COLLATE any_case", -1);

# A nested loop may keep what it computes of one form of a number, and give it for another.
$s->value('CREATE TABLE numbers (id numeric PRIMARY KEY); '
	  . 'INSERT INTO numbers SELECT generate_series(1, 1000); ANALYZE numbers');
my $kept = 'SELECT q.person, z.w FROM (SELECT person, x, row_number() OVER (PARTITION BY person ORDER BY id) AS r '
	. 'FROM orders) q LEFT JOIN LATERAL (SELECT n.id, length(q.x::text) AS w FROM numbers n) z ON z.id = q.x '
	. 'WHERE q.r <= 1';
my $loops = 'SET search_path = w1, public; SET enable_hashjoin = off; SET enable_mergejoin = off; '
  . 'SET enable_material = off; SET enable_seqscan = off; SET enable_bitmapscan = off;';
$s->value($loops);
if ($major >= 18)
{
	like($s->value("EXPLAIN (COSTS off) $kept"), qr/Memoize\s+Cache Key: orders\.x, length.*\s+Cache Mode: binary/,
		'what is computed of a number is kept, by its bits');
	is(cost($kept), 1, '... and not for another form');
}
else
{
	like($s->value("EXPLAIN (COSTS off) $kept"), qr/Memoize\s+Cache Key: \S+\s+Cache Mode: logical/,
		'what is computed of a number is kept');
	like(cost($kept), qr/look different/, '... refused');
}
$s->value('SET enable_memoize = off');
is(cost($kept), 1, '... and not where nothing is kept');
$s->value('RESET ALL');

# DISTINCT in a private aggregate: which of the values are left changes for everybody
my $one_each = '(SELECT *, row_number() OVER (PARTITION BY person ORDER BY id) AS r FROM orders) o WHERE r <= 1';
like($s->value("SELECT attempt(\$q\$SELECT dp_mode(DISTINCT t, 1, ARRAY['a', 'A', 'b', 'B']) FROM $one_each\$q\$)"),
	qr/look different/, 'different values of any form, in a private aggregate: refused');
my $spelled = "SELECT w COLLATE \"C\" FROM unnest((SELECT array_agg(DISTINCT s COLLATE any_case) FROM "
	. "(SELECT CASE k WHEN 0 THEN 'a' ELSE 'A' END || i AS s "
	. "FROM generate_series(1, 100) i, generate_series(0, 1) k %s) z)) w";
cmp_ok($s->value(sprintf("SELECT count(*) FROM ($spelled EXCEPT $spelled) d", "UNION ALL SELECT '0'", '')), '>', 2,
	'and rightly: one more row changes which of the values are left');
is_answered('different numbers of any form, in a private aggregate',
	"SELECT dp_sum(DISTINCT x, 1, 0, 10) FROM $one_each", 1);

# A name is hashed by its bytes, and sorted by what its collation takes for equal: the number of groups depends on the
# plan, which may be another one for one more row.
$s->value('CREATE DOMAIN nickname AS name COLLATE any_case; CREATE TYPE named AS (n name COLLATE any_case); '
	  . 'CREATE TYPE names_between AS RANGE (subtype = name, collation = any_case)');
foreach my $form ([ 'a name', 'y' ], [ 'names', 'ARRAY[y]' ], [ 'a domain', 'y::nickname' ], [ 'a text', 't::name' ],
	[ 'a name under another collation', "y::text COLLATE \"C\"::name COLLATE any_case" ])
{
	my ($name, $value) = @$form;
	my $different = "SELECT person FROM (SELECT DISTINCT person, $value AS y FROM orders) d GROUP BY person "
	  . "HAVING count(*) > 1";
	is_refused("groups of $name", $different, -1);
	my %counted;
	foreach my $how ('SET enable_sort = off', 'SET enable_hashagg = off')
	{
		$s->value($how);
		$counted{$how} = $s->value("SET search_path = w1, public; SELECT count(*) FROM ($different) q");
		$s->value('RESET ALL');
	}
	isnt($counted{'SET enable_sort = off'}, $counted{'SET enable_hashagg = off'},
		"groups of $name: and rightly, sorted ones are others");
}
like($s->value("SELECT attempt(\$q\$SELECT dp_count(1) FROM (SELECT DISTINCT person, $_ AS n FROM orders) o\$q\$)"),
	qr/cannot be computed over a name under a collation/, "$_: refused")
	foreach ("ROW(y)::named", "names_between(y, y, '[]')", "ARRAY[ROW(y)::named]");
like($s->value("SELECT attempt(\$q\$SELECT dp_count(1) FROM $_ q\$q\$)"),
	qr/cannot be computed over a name under a collation/, "$_: refused")
	foreach ('(SELECT person, y FROM orders UNION SELECT person, y FROM orders)', "(SELECT o.id FROM orders o "
		  . "JOIN (SELECT name 'a' COLLATE any_case AS y FROM nations WHERE id = 1) n USING (y))");
is_answered('groups of texts that are equal and look different', 'SELECT dp_count(1) '
	  . 'FROM (SELECT person FROM (SELECT DISTINCT person, t FROM orders) d GROUP BY person HAVING count(*) > 1) q', 1);
is_answered('groups of names by their bytes',
	'SELECT dp_count(1) FROM (SELECT person FROM (SELECT DISTINCT person, (t COLLATE "C")::name AS y '
	. 'FROM orders) d GROUP BY person HAVING count(*) > 1) q', 1);

# --- and what is answered ---------------------------------------------------------------------------------

is_answered("sums of numeric", 'SELECT idp_median(s, 1) FROM (SELECT person, sum(x) AS s FROM orders GROUP BY 1) q', 1);
is_answered("sums of money", 'SELECT idp_median(s, 1) FROM (SELECT person, sum(money) AS s FROM orders GROUP BY 1) q',
	1);
is_answered('the greatest, as a number',
	'SELECT idp_median(m, 1) FROM (SELECT person, max(x) AS m FROM orders GROUP BY 1) q', 1);
is_answered('the greatest of floats, as a number',
	'SELECT dp_sum(m, 1, 0, 10) FROM (SELECT person, max(f) AS m FROM orders GROUP BY 1) q', 1);
is_answered('the greatest, compared',
	'SELECT dp_count(1) FROM (SELECT person FROM orders GROUP BY 1 HAVING max(x) > 1) q', 1);
is_answered('the greatest, if there is one', 'SELECT dp_count(1) '
	  . 'FROM (SELECT person, coalesce(max(x), 0) AS m FROM orders GROUP BY 1) q WHERE m IS NOT NULL AND m >= 1', 1);
is_answered('the greatest less the least',
	'SELECT dp_sum(2 * (b - a), 1, 0, 10) FROM (SELECT person, max(x) AS b, min(x) AS a FROM orders GROUP BY 1) q', 1);
is_answered('the greatest, cast afterwards', 'SELECT dp_count(1) FROM (SELECT person, max(x) AS m, max(f) AS n '
	  . 'FROM orders GROUP BY 1) q WHERE m::numeric(12,2)::text <> n::integer::text', 1);
is_answered('of a declared scale there is one form',
	'SELECT dp_count(1) FROM (SELECT person, max(money) AS m FROM orders GROUP BY 1) q WHERE (m / 3)::text <> \'\'', 1);
is_answered('numbers of one scale', 'SELECT dp_count(1) FROM (SELECT person, max(x::numeric(12,2)) AS m FROM orders '
	  . 'GROUP BY 1) q WHERE m::text <> \'\'', 1);
is_answered('floats of one scale', 'SELECT dp_count(1) '
	  . 'FROM (SELECT person, min(f::numeric(12,2)) AS m FROM orders GROUP BY 1) q WHERE m::text <> \'\'', 1);
is_answered('padded text', 'SELECT dp_count(1) FROM (SELECT person, max(b::text) AS m FROM orders GROUP BY 1) q '
	  . 'WHERE octet_length(m) < 10', 1);
is_answered('rows in an order', 'SELECT dp_count(1) FROM (SELECT person, x, row_number() OVER (PARTITION BY person '
	  . 'ORDER BY x, id) AS r FROM orders) q WHERE r <= 3 AND x::text <> \'\'', 3);
is_answered('the first row', 'SELECT dp_count(1) '
	  . 'FROM (SELECT DISTINCT ON (person) person, x FROM orders ORDER BY person, x, id) q WHERE x::text <> \'\'', 1);
is_answered('the value of another row', 'SELECT dp_count(1) FROM (SELECT lag(x) OVER w AS l, row_number() OVER w AS r '
	. 'FROM orders WINDOW w AS (PARTITION BY person ORDER BY id)) q WHERE r <= 3 AND l::text <> \'\'', 3);
is_answered('a group of a key and what follows from another',
	'SELECT dp_count(1) FROM (SELECT p.id, p.nation, p.age FROM persons p JOIN orders o ON o.person = p.id '
	. 'GROUP BY p.id, p.nation, p.age) q', 1);
is_answered('a group of a key and a constant',
	'SELECT dp_count(1) FROM (SELECT person, day, count(*) FROM orders WHERE day = 1 GROUP BY 1, 2) q', 1);
cmp_ok(distance('SELECT person, day, count(*) FROM orders WHERE day = 1 GROUP BY 1, 2'), '<=', 1,
	'a group of a key and a constant: and one row differs');
is_answered('a group of all constants', 'SELECT dp_count(1) FROM (SELECT p.id, k FROM persons p '
	  . 'JOIN (SELECT id, 1 AS k FROM nations) n ON n.id = p.nation GROUP BY 1, 2) q', 1);
is_answered('a key by way of a public one',
	'SELECT dp_count(1) FROM persons p JOIN twelve t ON t.id = p.id JOIN (SELECT person, count(*) AS n '
	. 'FROM orders GROUP BY 1 OFFSET 0) o ON o.person = t.id', 1);
is_answered('the same, by way of two',
	'SELECT dp_count(1) FROM persons p, twelve t, nations n, (SELECT person, count(*) AS c FROM orders '
	. 'GROUP BY 1 OFFSET 0) o WHERE t.id = p.id AND n.id = t.id AND o.person = n.id', 1);
is_answered('a row of the outer one',
	'SELECT dp_count(1) FROM (SELECT p.id FROM persons p, LATERAL (SELECT max(o.price) AS m FROM orders o '
	. 'WHERE o.person = p.id GROUP BY o.person) l WHERE l.m > 3) q', 1);

$s->quit;
$node->stop;
done_testing();

# Row 14 of the attacks: on a protected table an aggregate is answered only if each of its inputs is
# one row of the table, once, whatever the other rows hold. Everything else is refused before a row
# is read, saying why, and costs nothing; what is answered costs what its plan says.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('shapes', 'jit = off');
my $s = session($node);
my $file = abs_path($node->basedir) . '/rows.csv';
append_to_file($file, "1,1,10\n2,1,20\n");
$s->value(<<"SQL");
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE TABLE t AS SELECT i AS id, i % 4 AS g, i AS x, 'row ' || i AS note FROM generate_series(1, 100) i;
ALTER TABLE t ADD PRIMARY KEY (id);
CREATE INDEX t_x ON t (x) INCLUDE (g);
CREATE TABLE p AS SELECT * FROM t;
ALTER TABLE p ADD PRIMARY KEY (id);
CREATE TABLE part (id int, g int, x int) PARTITION BY LIST (g);
SELECT format('CREATE TABLE part%s PARTITION OF part FOR VALUES IN (%1\$s)', g) FROM generate_series(0, 3) g \\gexec
INSERT INTO part SELECT id, g, x FROM t;
CREATE TABLE part_foreign (id int, g int, x int) PARTITION BY LIST (g);
CREATE TABLE part_local PARTITION OF part_foreign FOR VALUES IN (0);
CREATE FOREIGN TABLE part_file PARTITION OF part_foreign
  FOR VALUES IN (1) SERVER files OPTIONS (filename '$file', format 'csv');
CREATE TABLE parent (id int, g int, x int);
CREATE TABLE child (more int) INHERITS (parent);
INSERT INTO parent SELECT id, g, x FROM t WHERE id <= 40;
INSERT INTO child SELECT id, g, x FROM t WHERE id > 40;
VACUUM ANALYZE;
CREATE FUNCTION trap(int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''a row was read''; END';
CREATE FUNCTION looks_around(int) RETURNS boolean STABLE LANGUAGE sql AS 'SELECT count(*) > 50 FROM t';
CREATE FUNCTION rolls_dice(int) RETURNS boolean VOLATILE LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
CREATE FUNCTION plus_one(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN \$1 + 1; END';
CREATE FUNCTION dice_op(int, int) RETURNS boolean VOLATILE LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
CREATE OPERATOR ~~~ (LEFTARG = int, RIGHTARG = int, FUNCTION = dice_op);
CREATE SEQUENCE seq;
CREATE VIEW r AS SELECT * FROM t WHERE trap(id);
CREATE VIEW v AS SELECT id, x + 0 AS x, g FROM t WHERE x > 0;
CREATE VIEW nested AS SELECT x AS y, g FROM v WHERE x < 1000;
CREATE VIEW barrier WITH (security_barrier) AS SELECT x, g FROM t WHERE x > 0;
CREATE VIEW limited AS SELECT * FROM t LIMIT 50;
CREATE AGGREGATE own_whole(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE);
CREATE AGGREGATE own_state(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE own_state_parallel(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty',
  COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE FUNCTION reveal(idp_state) RETURNS text LANGUAGE sql AS 'SELECT \$1::text';
CREATE AGGREGATE own_final(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = reveal);
CREATE AGGREGATE own_combined(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty');
CREATE TABLE answers (n bigint);
CREATE FUNCTION on_change() RETURNS trigger
  LANGUAGE plpgsql AS 'BEGIN INSERT INTO answers SELECT dp_count(1) FROM new_rows; RETURN NULL; END';
CREATE TRIGGER tr AFTER UPDATE ON t REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION on_change();
SQL
my @accounts = qw(t part part_foreign parent);

# What was spent of all budgets, and in how many entries.
sub ledger
{
	return $s->value('SELECT (SELECT trim_scale(sum(spent)) FROM idp.budget), (SELECT count(*) FROM idp.ledger)');
}

# --- Refused -------------------------------------------------------------------------------------

# Queries, each below what has to be said against it. What is indented further belongs to the line before it.
my @refused;
foreach (split /\n/, <<'CASES' =~ s/\n\t\t/ /gr)
a join|an outer join|aggregate, or DISTINCT
	SELECT dp_count(1) FROM r CROSS JOIN p
	SELECT dp_count(1) FROM r, p
	SELECT dp_count(1) FROM r LEFT JOIN p ON r.id = p.x
	SELECT dp_count(1) FROM p LEFT JOIN r ON r.g = p.x
	SELECT dp_count(1) FROM r RIGHT JOIN p USING (g)
	SELECT dp_count(1) FROM r FULL JOIN p ON r.id = p.id
	SELECT dp_count(1) FROM r a JOIN r b ON a.id = b.id + 0
	SELECT dp_count(1) FROM r a LEFT JOIN LATERAL (SELECT * FROM p WHERE p.g = a.g) l ON true
	SELECT dp_count(1) FROM r, generate_series(1, 2)
	SELECT dp_count(1) FROM r, LATERAL generate_series(1, r.g)
	SELECT dp_count(1) FROM r, unnest(ARRAY[1, 2])
	SELECT dp_count(1) FROM r, (VALUES (1), (2)) k
	SELECT dp_count(1) FROM p WHERE id IN (SELECT x FROM r)
	SELECT dp_count(1) FROM p WHERE EXISTS (SELECT FROM r WHERE r.g = p.g)
	SELECT dp_count(1) FROM r WHERE EXISTS (SELECT FROM r b WHERE b.x > r.x)
	SELECT dp_count(1) FROM r JOIN part USING (id)
	SELECT dp_count(1) FROM ROWS FROM (generate_series(1, 9), generate_series(1, 2)) f JOIN r ON true
UNION ALL
	SELECT dp_count(1) FROM (SELECT x FROM r UNION ALL SELECT 1) s
UNION ALL|list of values
	SELECT dp_count(1) FROM (SELECT x FROM r UNION ALL VALUES (1), (2)) s
	SELECT dp_count(1) FROM (SELECT x FROM r UNION ALL SELECT * FROM generate_series(1, 2)) s
LIMIT
	SELECT dp_count(1) FROM (SELECT * FROM r LIMIT 5) s
	SELECT dp_count(1) FROM (SELECT * FROM r ORDER BY x LIMIT 5) s
	SELECT dp_count(1) FROM (SELECT * FROM r OFFSET 5) s
	SELECT dp_count(1) FROM (SELECT * FROM r ORDER BY x FETCH FIRST 3 ROWS WITH TIES) s
	SELECT dp_count(1) FROM limited
TABLESAMPLE
	SELECT dp_count(1) FROM t TABLESAMPLE BERNOULLI (50)
	SELECT dp_count(1) FROM t TABLESAMPLE SYSTEM (50)
	SELECT dp_count(1) FROM t TABLESAMPLE SYSTEM (50) REPEATABLE (1)
a window function
	SELECT dp_count(1) FROM (SELECT row_number() OVER (ORDER BY x) AS w FROM r) s WHERE w > 2
	SELECT dp_count(1) FROM (SELECT count(*) OVER () AS w FROM r) s WHERE w > 2
	SELECT dp_count(1) FROM (SELECT lag(x) OVER (ORDER BY x) AS w FROM r) s WHERE w > 2
aggregate, or DISTINCT
	SELECT dp_sum(x, 1, 0, 9) FROM (SELECT max(x + g) AS x FROM r) s
	SELECT dp_count(1) FROM (SELECT g FROM r GROUP BY g) s WHERE s IS NOT NULL
	SELECT dp_count(1) FROM (SELECT max(x + g) AS x FROM r) s WHERE s IS NOT NULL
	SELECT dp_count(1) FROM (SELECT DISTINCT g FROM r) s WHERE s IS NOT NULL
	SELECT dp_count(1) FROM (SELECT g FROM r UNION SELECT g FROM r) s WHERE s IS NOT NULL
	SELECT dp_count(1) FROM (SELECT g, dp_count(1) FROM r GROUP BY g) s WHERE s IS NOT NULL
	SELECT dp_count(1) FROM (SELECT g FROM r GROUP BY g HAVING count(*) > 3) s WHERE s IS NOT NULL
DISTINCT
	SELECT dp_count(1) FROM (SELECT DISTINCT ON (g) * FROM r ORDER BY g, x) s
	SET enable_hashagg = off; SELECT dp_count(1) FROM (SELECT DISTINCT g FROM r) s; RESET enable_hashagg
INTERSECT or EXCEPT|UNION ALL|join
	SELECT dp_count(1) FROM (SELECT x FROM r INTERSECT SELECT x FROM p) s
	SELECT dp_count(1) FROM (SELECT x FROM r INTERSECT ALL SELECT x FROM p) s
	SELECT dp_count(1) FROM (SELECT x FROM r EXCEPT SELECT x FROM p) s
	SELECT dp_count(1) FROM (SELECT x FROM r EXCEPT ALL SELECT x FROM p) s
a subquery|several tables
	SELECT dp_count(1) FROM r WHERE x > (SELECT avg(x) FROM r)
	SELECT dp_count(1) FROM p WHERE x > (SELECT avg(x) FROM r)
	SELECT dp_sum(x - (SELECT min(x + g) FROM r), 1, 0, 9) FROM p
	SELECT dp_count(1) FILTER (WHERE x > (SELECT avg(x) FROM r)) FROM p
	SELECT dp_count(1) FROM r WHERE x > (SELECT count(*) FROM p WHERE p.g = r.g)
	SELECT dp_count(1) FROM r WHERE x = ANY (ARRAY(SELECT x FROM p))
	SELECT dp_count(1) FROM r WHERE id NOT IN (SELECT x FROM p)
	SELECT dp_sum((SELECT max(p.x) FROM p WHERE p.id = r.id), 1, 0, 9) FROM r
	SELECT dp_count(1) FROM r WHERE CASE WHEN x IN (SELECT x FROM p) THEN true ELSE g = 1 END
	SELECT dp_count(1) FROM (SELECT x, (SELECT count(*) FROM p WHERE p.g = r.g) AS n FROM r OFFSET 0) s WHERE n > 5
	SELECT p.g, l.* FROM p, LATERAL (SELECT dp_count(1) FROM r WHERE r.g = p.g) l
outer query|rows that are read again|a subquery
	SELECT o.g, (SELECT dp_count(1) FROM r WHERE r.g = o.g) FROM p o
	SELECT (SELECT dp_count(1) FROM r WHERE r.x > o.x) FROM generate_series(1, 3) o (x)
	SELECT * FROM generate_series(1, 3) o (x), LATERAL (SELECT dp_count(1) FROM r WHERE r.x > o.x) l
	WITH RECURSIVE w (i, n) AS (SELECT 1, 0::bigint UNION ALL SELECT i + 1, l.n
		FROM w, LATERAL (SELECT dp_count(1) AS n FROM r WHERE r.g < w.i) l WHERE i < 5) TABLE w
returns sets
	SELECT dp_count(1) FROM (SELECT generate_series(1, 3) AS y FROM r) s
	SELECT dp_count(1) FROM (SELECT unnest(ARRAY[x, g]) AS y FROM r) s
	SELECT dp_count(1) FROM (SELECT generate_series(1, x) AS y FROM r) s
	SELECT dp_count(1) FROM (SELECT regexp_split_to_table(note, ' ') AS y FROM r) s
recursive
	WITH RECURSIVE w AS (SELECT x FROM r UNION ALL SELECT x FROM w WHERE x < 0) SELECT dp_count(1) FROM w
	WITH RECURSIVE w AS (SELECT x FROM r UNION SELECT x + 1 FROM w WHERE x < 5) SELECT dp_count(1) FROM w
changes the table
	WITH w AS (DELETE FROM t RETURNING *) SELECT dp_count(1) FROM w
	WITH w AS (UPDATE t SET x = x RETURNING *) SELECT dp_count(1) FROM w
	WITH w AS (INSERT INTO t VALUES (1000, 0, 1) RETURNING *) SELECT dp_count(1) FROM w
	WITH w AS (DELETE FROM part RETURNING *) SELECT dp_count(1) FROM w
FOR UPDATE
	SELECT dp_count(1) FROM (SELECT * FROM r FOR UPDATE) s
	SELECT dp_count(1) FROM (SELECT * FROM r FOR SHARE) s
	SELECT dp_count(1) FROM (SELECT * FROM r FOR KEY SHARE SKIP LOCKED) s
a system column
	SELECT dp_count(1) FROM t WHERE ctid = '(0,1)'
	SELECT dp_count(1) FROM t WHERE ctid < '(0,5)'
	SELECT dp_count(1) FROM t WHERE xmin::text <> '0'
	SELECT dp_count(1) FROM t WHERE tableoid > 0
	SELECT dp_count(1) FROM t WHERE cmin::text <> '9' AND trap(id)
	SELECT dp_count_distinct(ctid::text, 1) FROM t
	SELECT dp_sum(xmax::text::int, 1, 0, 9) FROM t
	SELECT dp_count(1) FILTER (WHERE tableoid = 't'::regclass) FROM t
depends on more than its arguments
	SELECT dp_count(1) FROM r WHERE random() < 0.5
	SELECT dp_count(1) FROM r WHERE looks_around(x)
	SELECT dp_count(1) FROM r WHERE rolls_dice(x)
	SELECT dp_count(1) FROM r WHERE nextval('seq') > x
	SELECT dp_count(1) FROM r WHERE clock_timestamp() IS NOT NULL
	SELECT dp_count(1) FROM r WHERE x ~~~ 1
	SELECT dp_count(1) FROM r WHERE pg_advisory_lock(x) IS NULL
	SELECT dp_count(1) FROM r WHERE set_config('a.b', x::text, false) = ''
	SELECT dp_sum(x + (random() * 10)::int, 1, 0, 9) FROM r
	SELECT dp_count(1) FILTER (WHERE rolls_dice(x)) FROM r
	SELECT dp_count(1) FROM (SELECT x, random() AS y FROM r OFFSET 0) s WHERE y < 0.5
	SELECT dp_sum(x, 1, 0, 9 ORDER BY random()) FROM r
cannot be charged
	SELECT own_whole(1) FROM r
	SELECT own_state(1) FROM r
	SELECT own_state_parallel(1) FROM r
	SELECT own_final(1) FROM r
rows of a statement|changes the table
	UPDATE t SET x = x WHERE id = 1
CASES
{
	if (/^\t(.*)/) { push @{ $refused[-1] }, $1 }
	else { push @refused, [qr/$_/] }
}

foreach my $neighbours ('substitute', 'add_remove')
{
	$s->value("SELECT idp.protect('$_', 1e9, '$neighbours', rows => 'visible')") foreach @accounts;
	my $before = ledger();
	foreach my $case (@refused)
	{
		my ($why, @queries) = @$case;
		foreach my $sql (@queries)
		{
			my $r = $s->run($sql);
			is($r->{sqlstate}, '0A000', "$neighbours, refused: $sql") or diag $r->{out}, $r->{err};
			like($r->{message} // '', $why, 'saying why');
		}
	}
	is(ledger(), $before, "$neighbours: what is refused costs nothing");
	foreach my $settings ('SET enable_hashjoin = off; SET enable_nestloop = off',
		'SET enable_mergejoin = off; SET enable_hashjoin = off', 'SET parallel_setup_cost = 0; '
		  . 'SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0',
		'SET enable_seqscan = off; SET enable_sort = off; SET enable_hashagg = off',
		'SET enable_partitionwise_join = on; SET enable_partitionwise_aggregate = on', "SET $force_parallel = on")
	{
		$s->value($settings);
		my @answered = map { my (undef, @queries) = @$_; grep { ($s->run($_)->{sqlstate} // '') ne '0A000' } @queries }
		  @refused;
		is(join("\n", @answered), '', "$neighbours, $settings: refused as well");
		is(ledger(), $before, "$neighbours, $settings: and costs nothing");
		$s->value('RESET ALL');
	}
}

# --- Answered ------------------------------------------------------------------------------------

# Cost in units of epsilon under substitution and under adding or removing, the rows of the answer
# (- if there is none), query, which may go on below itself. epsilon is 1000, so that the answer is the true one.
my @answered;
foreach (split /\n/, <<'CASES' =~ s/\n {44}/ /gr)
1  1  100                                 SELECT dp_count(1000) FROM t
1  1  100                                 SELECT dp_count(1000) FROM ONLY t
1  1  100                                 SELECT dp_count(1000) FROM t AS a (b, c)
1  1  100                                 SELECT dp_count(1000) FROM v
1  1  100                                 SELECT dp_count(1000) FROM nested
1  1  100                                 SELECT dp_count(1000) FROM barrier
1  1  100                                 SELECT dp_count(1000) FROM part
1  1  100                                 SELECT dp_count(1000) FROM parent
1  1  100                                 SELECT dp_count(1000) FROM (SELECT x * 2 AS y FROM t) s
1  1  100                                 SELECT dp_count(1000) FROM (SELECT * FROM t ORDER BY x) s
1  1  100                                 SELECT dp_count(1000) FROM (SELECT x, g FROM t OFFSET 0) s
1  1  100                                 SELECT dp_count(1000) FROM (SELECT * FROM (SELECT plus_one(x) FROM v) a) b
1  1  100                                 SELECT dp_count(1000) FROM t WHERE true
1  1  100                                 SELECT dp_count(1000) FROM t WHERE x < plus_one(100)
1  1  100                                 SELECT dp_count(1000) FROM t WHERE note LIKE 'row%' AND now() > '2000-01-01'
1  1  100                                 SELECT dp_count(1000) FROM t LEFT JOIN p USING (id)
1  1  100                                 SELECT dp_count(1000) FROM t
                                            WHERE id IN (SELECT generate_series(1, 100)) OR true
1  1  100                                 SELECT dp_count(1000) FROM t WHERE x > (SELECT coalesce(0 * avg(x), 0) FROM p)
1  1  100                                 SELECT dp_count(1000) FROM t WHERE (SELECT true)
1  1  100                                 SELECT dp_count(1000)
                                            FILTER (WHERE x > (SELECT coalesce(0 * avg(x), 0) FROM p)) FROM t
1  1  60                                  SELECT dp_count(1000) FROM child
1  1  2                                   SELECT dp_count(1000) FROM part_foreign
1  1  1                                   SELECT dp_count(1000) FROM part_file WHERE x > 10
2  1  1|2                                 SELECT g, dp_count(1000) FROM part_foreign GROUP BY g
1  1  40                                  SELECT dp_count(1000) FROM ONLY parent
1  1  25                                  SELECT dp_count(1000) FROM part1
1  1  25                                  SELECT dp_count(1000) FROM part WHERE g = 1
1  1  75                                  SELECT dp_count(1000) FROM part WHERE g <> 1
1  1  0                                   SELECT dp_count(1000) FROM t WHERE x < 0
1  1  10                                  SELECT dp_count(1000) FROM t WHERE x <= 10
1  1  3                                   SELECT dp_count(1000) FROM t WHERE x = ANY ('{1, 2, 3}')
1  1  25                                  SELECT dp_count(1000) FILTER (WHERE g = 1) FROM t
1  1  50                                  SELECT dp_count(1000)
                                            FROM (SELECT x FROM part1 UNION ALL SELECT x FROM part2) s
1  1  4                                   SELECT dp_count_distinct(g, 1000) FROM t
1  1  100                                 SELECT dp_count_range(DISTINCT x, 1000, 1, 100) FROM t
1  1  t                                   SELECT dp_sum(DISTINCT g, 1000, 0, 3 ORDER BY g DESC) BETWEEN 5 AND 7 FROM t
1  1  100                                 WITH a AS MATERIALIZED (SELECT x FROM t) SELECT dp_count(1000) FROM a
1  1  100                                 WITH a AS NOT MATERIALIZED (SELECT x FROM t), b AS (SELECT x FROM a)
                                            SELECT dp_count(1000) FROM b
2  2  100|100                             WITH a AS MATERIALIZED (SELECT x FROM t)
                                            SELECT (SELECT dp_count(1000) FROM a),
                                            (SELECT dp_count(1000) FROM a WHERE x > 0)
1  1  200                                 WITH a AS MATERIALIZED (SELECT dp_count(1000) AS n FROM t)
                                            SELECT a.n + b.n FROM a, a b
1  1  100|100                             SELECT dp_count(1000), dp_count(1000) FROM t
2  2  100|25                              SELECT dp_count(1000), dp_count(1000) FILTER (WHERE g = 1) FROM t
1  1  100|100                             SELECT dp_count(1000), count(*) FROM t
1  1  100|100                             SELECT dp_count(1000), (SELECT count(*) FROM p) FROM t
2  2  100|25                              SELECT dp_count(1000), (SELECT dp_count(1000) FROM part1) FROM t
2  2  100|100                             SELECT * FROM (SELECT dp_count(1000) FROM t) a,
                                            (SELECT dp_count(1000) FROM t WHERE x > 0) b
2  2  100 / 100                           SELECT dp_count(1000) FROM t UNION ALL SELECT dp_count(1000) FROM v
1  1  3                                   SELECT count(*) FROM generate_series(1, 3)
                                            WHERE (SELECT dp_count(1000) FROM t) > 5
2  2  100|25                              SELECT (SELECT dp_count(1000) FROM t), (SELECT dp_count(1000) FROM part1)
1  1  -                                   SELECT dp_count(1000) FROM t HAVING dp_count(1000) < 0
1  1  100 / 100 / 100                     SELECT n FROM generate_series(1, 3), (SELECT dp_count(1000) AS n FROM t) s
2  1  0|25 / 1|25 / 2|25 / 3|25           SELECT g, dp_count(1000) FROM t GROUP BY g ORDER BY g
2  1  -                                   SELECT g, dp_count(1000) FROM t WHERE x < 0 GROUP BY g
2  1  0|25 / 1|25 / 2|25 / 3|25           SELECT g, dp_count(1000) FROM part GROUP BY g ORDER BY g
2  1  3|25                                SELECT g, dp_count(1000) FROM t GROUP BY g HAVING dp_count(1000) > 20
                                            ORDER BY g DESC LIMIT 1
1  1  1|25                                SELECT g, dp_count(1000) FROM t WHERE g = 1 GROUP BY g
4  2  0|25|13                             SELECT g, dp_count(1000), dp_count(1000) FILTER (WHERE x > 50) FROM t
                                            GROUP BY g ORDER BY g LIMIT 1
2  1  100                                 SELECT count(*)
                                            FROM (SELECT dp_count(1000) AS n FROM t GROUP BY x, g) s WHERE n = 1
3  2  0|25 / 1|25 / 2|25 / 3|25 / |100    SELECT g, dp_count(1000) FROM t GROUP BY ROLLUP (g) ORDER BY g
5  3  105                                 SELECT count(dp_count)
                                            FROM (SELECT dp_count(1000) FROM t GROUP BY ROLLUP (g, x)) s
7  4  205                                 SELECT count(n)
                                            FROM (SELECT dp_count(1000) AS n FROM t GROUP BY CUBE (id, g)) s
1  1  100                                 SELECT dp_count(1000) FROM t GROUP BY ()
2  2  100 / 100                           SELECT dp_count(1000) FROM t GROUP BY GROUPING SETS ((), ())
4  2  8                                   SELECT count(n)
                                            FROM (SELECT dp_count(1000) AS n FROM t GROUP BY GROUPING SETS ((g), (g))) s
5  3  105                                 SELECT count(n) FROM (SELECT dp_count(1000) AS n FROM t
                                            GROUP BY GROUPING SETS ((g), (x), ())) s
CASES
{
	my ($substitute, $add_remove, $rows, $sql) = split /\s{2,}/, $_, 4;
	push @answered, [ $substitute, $add_remove, $rows eq '-' ? '' : join("\n", split m{ / }, $rows), $sql ];
}
my @settings = ('', 'SET enable_seqscan = off; SET enable_bitmapscan = off',
	'SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off', 'SET enable_hashagg = off',
	'SET enable_sort = off', 'SET enable_partitionwise_aggregate = on',
	"SET $force_parallel = on; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0");
foreach my $neighbours ('substitute', 'add_remove')
{
	$s->value("SELECT idp.protect('$_', 1e9, '$neighbours', rows => 'visible')") foreach @accounts;
	foreach my $settings (@settings)
	{
		$s->value($settings);
		foreach my $case (@answered)
		{
			my ($substitute, $add_remove, $answer, $sql) = @$case;
			my ($before) = split /\|/, ledger();
			my $r = $s->run($sql);
			is($r->{out}, $answer, "$neighbours, $settings: $sql") or diag $r->{err};
			my ($after) = split /\|/, ledger();
			is(($after - $before) / 1000, $neighbours eq 'substitute' ? $substitute : $add_remove, 'charged');
		}
		$s->value('RESET ALL');
	}
}

# Parameters, row security, and the scans that were meant.
sub charges
{
	my ($name, $cost, $answer, $sql) = @_;
	my ($before) = split /\|/, ledger();
	my $r = $s->run($sql);
	is($r->{out}, $answer, $name) or diag $r->{err};
	my ($after) = split /\|/, ledger();
	is($after - $before, $cost, "$name: charged");
	return;
}
$s->value('PREPARE p (float8, int, int) AS SELECT dp_count($1) FILTER (WHERE g <> $3) FROM t WHERE x < $2');
charges("EXECUTE, $_", 1000, 25, "SET plan_cache_mode = $_; EXECUTE p (1000, 26, 7)")
  foreach 'force_custom_plan', 'force_generic_plan';
charges('a parameter prunes a partition', 1000, 25,
	'PREPARE pruned (int) AS SELECT dp_count(1000) FROM part WHERE g = $1; EXECUTE pruned (2)');
$s->value('SET enable_seqscan = off');
like($s->value('EXPLAIN SELECT dp_count(1) FROM t WHERE x < 9'), qr/Index Only Scan/, 'an index-only scan');
like($s->value('EXPLAIN SELECT dp_count_distinct(note, 1) FROM t WHERE x < 9'), qr/Index Scan/, 'an index scan');
$s->value('RESET ALL; CREATE ROLE reader; GRANT SELECT ON t TO reader; ALTER TABLE t ENABLE ROW LEVEL SECURITY; '
	  . 'CREATE POLICY odd ON t TO reader USING (g % 2 = 1)');
charges('row security', 1000, 50, "SET ROLE reader; SELECT dp_count(1000) FROM t; RESET ROLE");
$s->value("SET ROLE postgres; CREATE POLICY around ON t TO reader USING (x > (SELECT avg(x) FROM part)); "
	  . "GRANT SELECT ON part TO reader; SET ROLE reader");
is($s->run('SELECT dp_count(1000) FROM t')->{sqlstate}, '0A000', 'row security that looks at other rows');
$s->value('RESET ROLE');
$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();

-- Named releases: repeated, refined, tightened; over data that changes; who may ask. Every draw that is shown is certain:
-- noise of epsilon 1e-15 is there, noise of epsilon 1e300 is not.
\set VERBOSITY default
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE TABLE nine AS
SELECT v::smallint AS i2, v AS i4, v::bigint AS i8, v::real AS f4, v::float8 AS f8, v::numeric AS n, v::numeric(8, 2) AS n2, date '2020-01-01' + v AS d,
  timestamp '2020-01-01' + v * interval '1 hour' AS ts, timestamptz '2020-01-01 00:00+00' + v * interval '1 hour' AS tz, 'v' || v AS t, md5(v::text)::uuid AS u
FROM generate_series(1, 9) v;

-- {1} in a call is the value of row 1 in the type of column x, one step of rows beyond the ends included
CREATE FUNCTION call_of(call text, x text, epsilon text, release text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  value text := CASE x WHEN 'd' THEN 'date ''2020-01-01'' + %s' WHEN 'ts' THEN 'timestamp ''2020-01-01'' + %s * interval ''1 hour'''
    WHEN 'tz' THEN 'timestamptz ''2020-01-01 00:00+00'' + %s * interval ''1 hour''' ELSE '%s' END;
  i int;
BEGIN
  FOR i IN 0..10 LOOP call := replace(call, format('{%s}', i), format(value, i)); END LOOP;
  RETURN replace(replace(regexp_replace(call, '\mx\M', x, 'g'), 'e*', epsilon), 'r*', quote_nullable(release));
END $$;
CREATE FUNCTION ask(call text, source text DEFAULT 'nine') RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  EXECUTE format('SELECT (%s)::text FROM %s', call, source) INTO answer;
  RETURN answer;
END $$;
-- the bits below the grid of floats are random
CREATE FUNCTION same(a text, b text) RETURNS boolean LANGUAGE sql AS
$$ SELECT CASE WHEN a ~ '^[-0-9.]+(e[-+]\d+)?$' AND a !~ '\d-' AND b ~ '^[-0-9.]+(e[-+]\d+)?$' AND b !~ '\d-' THEN abs(a::numeric - b::numeric) < 0.000001 ELSE a = b END $$;

-- The whole life of one release; 'right', or what went wrong.
CREATE FUNCTION life(call text, x text, exact text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  release text := call || ' of ' || x;
  coarse text := ask(call_of(call, x, '1e-15', release));
  truth text := ask(call_of(exact, x, '', ''));
  middle text; answers text[];
BEGIN
  IF same(coarse, truth) THEN RETURN 'no noise at 1e-15: ' || coarse; END IF;
  IF ask(call_of(call, x, '1e-15', release)) IS DISTINCT FROM coarse THEN RETURN 'not repeated'; END IF;
  IF same(ask(call_of(call, x, '1e300', release)), truth) IS NOT TRUE THEN RETURN 'not refined to ' || truth; END IF;
  IF ask(call_of(call, x, '1e-15', release)) IS DISTINCT FROM coarse THEN RETURN 'not tightened to what was there'; END IF;
  middle := ask(call_of(call, x, '1e-13', release));  -- between two levels
  IF ask(call_of(call, x, '1e-13', release)) IS DISTINCT FROM middle THEN RETURN 'between: not repeated'; END IF;
  middle := ask(call_of(call, x, '1e-18', release));  -- below all
  IF ask(call_of(call, x, '1e-18', release)) IS DISTINCT FROM middle THEN RETURN 'below: not repeated'; END IF;
  IF idp.relax(release, epsilons => NULL) IS NOT NULL THEN RETURN 'relaxed by nothing'; END IF;
  IF position('ARRAY' IN call) = 0 THEN
    answers := ARRAY[idp.relax(release, 1e-15), idp.relax(release, 1e-18), idp.relax(release, 1e300)];
  ELSE
    answers := ARRAY[idp.relax(release, ARRAY[1e-15, 1e-15]), idp.relax(release, ARRAY[1e-18, 1e-18]), idp.relax(release, ARRAY[1e300, 1e300])];
  END IF;
  IF answers IS DISTINCT FROM ARRAY[coarse, middle, ask(call_of(call, x, '1e300', release))] THEN RETURN 'relaxed to ' || answers::text; END IF;
  RETURN 'right';
END $$;

-- every aggregate whose noise is added, over every type
CREATE TABLE lives AS
SELECT call, x, life(call, x, exact) AS outcome, number
FROM (VALUES
  ('idp_median(x, e*, r*)', '{5}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_quantile(x, e*, 0.3, r*)', '{3}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_min(x, e*, {0}, r*)', '{1}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_max(x, e*, {10}, r*)', '{9}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_kth_smallest(x, e*, 3, r*)', '{3}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_kth_largest(x, e*, 2, r*)', '{8}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_median(x, ARRAY[e*, e*], r*)', '{5}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_quantile(x, ARRAY[e*, e*], 0.3, r*)', '{3}', 'i4 n d'),
  ('idp_min(x, ARRAY[e*, e*], {0}, r*)', '{1}', 'i4 f8 ts'),
  ('idp_max(x, ARRAY[e*, e*], {10}, r*)', '{9}', 'i4 n2 tz'),
  ('idp_kth_smallest(x, ARRAY[e*, e*], 3, r*)', '{3}', 'i2 n d'),
  ('idp_kth_largest(x, ARRAY[e*, e*], 3, r*)', '{7}', 'i8 f4 d'),
  ('idp_count_range(x, e*, {3}, {7}, r*)', '5', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('dp_count_range(x, e*, {3}, {7}, r*)', '5', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('dp_count_distinct(x, e*, r*)', '9', 'i2 i4 i8 f4 f8 n n2 d ts tz t u'),
  ('dp_histogram(x, e*, {1}, {9}, 2, r*)', '''{4,5}''', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('dp_median_global(x, e*, {0}, {10}, r*)', '{5}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('dp_max_global(x, e*, {0}, {10}, r*)', '{9}', 'i2 i4 i8 f4 f8 n n2 d ts tz'),
  ('idp_sum(x, e*, {0}, {10}, r*)', '45', 'i2 i4 i8 f4 f8 n n2'),
  ('idp_avg(x, e*, {0}, {10}, r*)', '5', 'i2 i4 i8 f4 f8 n n2'),
  ('idp_sum(x, ARRAY[e*, e*], {0}, {10}, r*)', '45', 'i2 i4 i8 f4 f8 n n2'),
  ('idp_avg(x, ARRAY[e*, e*], {0}, {10}, r*)', '5', 'i2 i4 i8 f4 f8 n n2'),
  ('idp_variance(x, e*, {0}, {10}, r*)', 'var_pop(x)', 'i2 i4 i8 f4 f8 n n2'),
  ('idp_stddev(x, e*, {0}, {10}, r*)', 'stddev_pop(x)', 'i2 i4 i8 f4 f8 n n2'),
  ('dp_sum(x, e*, {0}, {10}, r*)', '45', 'i2 i4 i8 f4 f8 n n2'),
  ('dp_avg(x, e*, {0}, {10}, r*)', '5', 'i2 i4 i8 f4 f8 n n2'),
  ('dp_variance(x, e*, {0}, {10}, r*)', 'var_pop(x)', 'i2 i4 i8 f4 f8 n n2'),
  ('dp_stddev(x, e*, {0}, {10}, r*)', 'stddev_pop(x)', 'i2 i4 i8 f4 f8 n n2'),
  ('dp_count(e*, r*)', 'count(*)', 'i4')) c (call, exact, columns),
  unnest(string_to_array(columns, ' ')) WITH ORDINALITY AS u (x, number);
SELECT call, string_agg(x, ' ' ORDER BY number) AS columns, outcome FROM lives GROUP BY call, outcome ORDER BY call, outcome;
SELECT count(*) AS aggregates, count(*) FILTER (WHERE answer IS NULL) AS without_answer, count(DISTINCT epsilon) AS epsilons,
  count(*) FILTER (WHERE table_name <> 'nine') AS elsewhere FROM idp.releases;
SELECT aggregate, column_name, epsilon, answer FROM idp.releases WHERE aggregate IN ('dp_histogram', 'idp_kth_largest') AND column_name IN ('i4', 'd', 'ts') ORDER BY 1, 2, 4;

-- a release has one draw at each epsilon, in whatever plan and statement; without a name there is none
SELECT count(DISTINCT a) AS draws FROM generate_series(1, 20) i, LATERAL (SELECT dp_count(1e-15, 'one draw') AS a FROM nine WHERE i = i) q;
SELECT dp_count(1e-15, 'merged draw') = dp_count(1e-15, 'merged draw') AS merged FROM nine;
PREPARE asked(float8, text) AS SELECT dp_count($1, $2) FROM nine;
EXECUTE asked(1e300, 'prepared');
EXECUTE asked(1e300, 'prepared');
SET plan_cache_mode = force_generic_plan;
EXECUTE asked(1e300, 'prepared');
EXECUTE asked(1e300, 'prepared, generic');
EXECUTE asked(1e300, NULL);
RESET plan_cache_mode;
DEALLOCATE asked;

-- several epsilons: each is a level of its own
SELECT idp_median(i4, ARRAY[1e-15, 1e300], 'groups') BETWEEN -100 AND 100 AS exact FROM nine;
SELECT idp_median(i4, ARRAY[1e300, 1e300], 'groups') FROM nine;
SELECT idp_median(i4, ARRAY[1e300, 1e300, 1e300], 'groups') FROM nine;
SELECT idp_median(i4, 1e300, 'groups') FROM nine;
SELECT idp.relax('groups', 1e300);
SELECT idp.relax('groups', ARRAY[1e300, 1e300, 1]);
SELECT idp.relax('groups', ARRAY[1e300, 1e300]);

-- GROUP BY
CREATE TABLE staff AS SELECT 'dept ' || i % 3 AS dept, i % 2 = 0 AS old, i AS salary FROM generate_series(1, 90) i;
SELECT dept, dp_count(1e300, 'rows of ' || dept) AS rows, idp_median(salary, 1e300, 'salary/' || dept) AS salary FROM staff GROUP BY dept ORDER BY dept;
SELECT dept, old, dp_count(1e300, format('rows of %s/%s', dept, old)) AS rows FROM staff GROUP BY dept, old ORDER BY dept, old;
SELECT dept, old, dp_count(1e300, 'set ' || coalesce(dept, 'all') || '/' || coalesce(old::text, 'all')) AS rows FROM staff
GROUP BY GROUPING SETS ((dept, old), (dept), ()) ORDER BY dept, old;
SELECT upper(dept) AS dept, dp_count(1e300, 'upper ' || upper(dept)) AS rows FROM staff GROUP BY upper(dept) ORDER BY 1;
SELECT dp_count(1e300, 'rows of ' || dept) AS rows FROM staff GROUP BY dept HAVING dp_count(1e300, 'rows of ' || dept) > 5 ORDER BY dept;
SELECT name, column_name, epsilon, answer FROM idp.releases WHERE table_name = 'staff' ORDER BY name COLLATE "C";
-- sorted groups
SET enable_hashagg = off;
SELECT dept, idp_median(salary, 1e300, 'salary/' || dept) AS salary FROM staff GROUP BY dept ORDER BY dept;
RESET enable_hashagg;

-- another question under the same name
SELECT dp_count(1e300, 'salary/dept 1') FROM staff;
SELECT idp_median(salary, 1e300, 'salary/dept 1') FROM staff WHERE dept = 'dept 2';
SELECT idp_median(i4, 1e300, 'salary/dept 1') FROM nine;  -- of another table: a name of its own
SELECT idp_median(salary + 1, 1e300, 'salary/dept 1') FROM staff;
SELECT idp_median(salary::bigint, 1e300, 'salary/dept 1') FROM staff;
SELECT idp_kth_largest(salary, 1e300, 2, 'second') FROM staff;
SELECT idp_kth_largest(salary, 1e300, 3, 'second') FROM staff;
SELECT dp_sum(salary, 1e300, 0, 100, 'sum') FROM staff;
SELECT dp_sum(salary, 1e300, 0, 101, 'sum') FROM staff;
SELECT dp_count(1e300, 'sum') FROM staff;

-- names that are none
SELECT dept, dp_count(1, 'constant') FROM staff GROUP BY dept;
SELECT dp_count(1, 'constant') FROM staff GROUP BY GROUPING SETS ((dept), ());
SELECT dp_count(1, dept) FROM staff;
SELECT dept, dp_count(1, dept || old::text) FROM staff GROUP BY dept;
SELECT dp_count(1, 'now ' || clock_timestamp()) FROM staff;
SELECT dept, dp_count(1, dept || random()) FROM staff GROUP BY dept;
SELECT dp_count(1, (SELECT 'sub')) FROM staff;
SELECT dp_count(1, (SELECT max(dept) FROM staff)) FROM staff;
SELECT o, (SELECT dp_count(1, left(t, 1) || o) FROM nine GROUP BY left(t, 1)) FROM generate_series(1, 2) o;
-- groups that share a name: one is answered
CREATE TABLE named AS SELECT dp_count(1, dept) AS n FROM staff WHERE dept = 'dept 1' GROUP BY dept, old;
SELECT count(n) AS answered, count(*) AS groups FROM named;
DROP TABLE named;
SELECT count(n) AS answered, count(*) AS groups FROM (SELECT dp_count(1, 'set ' || coalesce(left(dept, 4), 'x')) AS n FROM staff GROUP BY ROLLUP (dept)) s;
SELECT dp_count(1, 'window') OVER () FROM staff;
SELECT count(*) AS left_over FROM idp.releases WHERE name IN ('constant', 'sub', 'window');

-- NULL is no name: no answer
SELECT dp_count(1, NULL::text) AS answer FROM nine;
SELECT count(*) AS releases FROM idp.releases WHERE name IS NULL;
SELECT dept, dp_count(1e300, CASE dept WHEN 'dept 1' THEN 'only ' || dept END) AS rows FROM staff GROUP BY dept ORDER BY dept;

-- names of all kinds
SELECT dp_count(1e300, '') AS empty, dp_count(1e300, ' ') AS space, dp_count(1e300, E'a''b"c\\d\n') AS quotes, dp_count(1e300, 'Größe/日本') AS unicode FROM nine;
SELECT dp_count(1e300, '') AS empty, dp_count(1e300, ' ') AS space, dp_count(1e300, E'a''b"c\\d\n') AS quotes, dp_count(1e300, U&'Gr\00F6\00DFe/\65E5\672C') AS unicode FROM nine;
SELECT dp_count(1e300, repeat('längs', 40)) AS longest FROM nine;
SELECT dp_count(1e300, repeat('längs', 40)) AS longest, dp_count(1e300, repeat('längs', 39)) AS shorter FROM nine;
SELECT dp_count(1e300, repeat('längs', 40) || 'x') AS too_long FROM nine WHERE i4 / 0 = 1;
SELECT i4, dp_count(1e300, repeat('x', 195 + i4) || i4) AS rows FROM nine GROUP BY i4 ORDER BY i4;
PREPARE named(text) AS SELECT dp_count(1e300, $1) AS too_long FROM nine WHERE i4 / 0 = 1;
EXECUTE named(repeat('x', 201));
DEALLOCATE named;
-- an earlier version stored longer ones
SELECT dp_count(1e300, 'to be long') AS rows FROM nine;
UPDATE idp.chain SET name = repeat('long ', 20000), name_hash = hashtextextended(repeat('long ', 20000), 0) WHERE name = 'to be long';
SELECT dp_count(1e300, repeat('long ', 20000)) AS long FROM nine;
SELECT name, answer FROM idp.releases WHERE name IN ('', ' ', E'a''b"c\\d\n', U&'Gr\00F6\00DFe/\65E5\672C') ORDER BY name COLLATE "C";
SELECT left(name, 5) AS name, length(name) AS length, answer FROM idp.releases WHERE length(name) > 10000 ORDER BY 2;
SELECT idp.relax('', 1e300) AS empty, idp.relax(repeat('long ', 20000), 1e300) AS long;
SELECT idp.refresh(repeat('long ', 20000));
BEGIN;
DELETE FROM nine WHERE i4 >= 3;
SELECT dp_count(1e300, repeat('long ', 20000)) AS fewer FROM nine;
ROLLBACK;
SELECT idp.drop_release(repeat('long ', 20000));
SELECT count(*) AS none FROM idp.chain WHERE length(name) > 200;
-- columns of more than half a kilobyte: told apart by what they do not show
DO $$
DECLARE answer int;
BEGIN
  FOR round IN 0 .. 3 LOOP
    EXECUTE format('SELECT dp_sum(CASE i4 %s ELSE 0 END, 1e300, 0, 9, ''long column'') FROM nine',
                   (SELECT string_agg(format('WHEN %s THEN %s', i, 1 + (i = 200 AND round > 1)::int), ' ') FROM generate_series(1, 200) i)) INTO answer;
    RAISE INFO '%', answer;
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  RAISE INFO '%', sqlerrm;
END $$;
SELECT left(column_name, 24) AS column_name, length(column_name) < 600 AS short FROM idp.releases WHERE name = 'long column';

-- what is not made by adding noise
SELECT dp_median(i4, 1, 0, 10, 'exponential') FROM nine;
SELECT dp_quantile(d, 1, '2020-01-01', '2020-12-31', 0.5, 'exponential') FROM nine;
SELECT dp_min(i4, 1, 0, 10, 'exponential'), dp_max(i4, 1, 0, 10, 'exponential') FROM nine;
SELECT dp_median_smooth(i4, 1, 0, 10, 'smooth') FROM nine;
SELECT dp_median_smooth(i4, 1, 0, 10, 2, 'smooth') FROM nine;
SELECT dp_quantile_smooth(i4, 1, 0, 10, 0.5, 'smooth') FROM nine;
SELECT dp_max_smooth(i4, 1, 0, 10, 'smooth') FROM nine;
-- arguments are checked as without a name
SELECT dp_count(-1, 'negative') FROM nine;
SELECT idp_max(i4, 1, NULL, 'null bound') FROM nine;
SELECT idp_median(i4, 'NaN'::float8, 'not a number') FROM nine WHERE false;

-- the data change, the release does not
CREATE TABLE data AS SELECT i AS x FROM generate_series(1, 9) i;
CREATE TABLE before AS SELECT dp_count(1e-15, 'frozen') AS count, idp_median(x, 1e-15, 'frozen median') AS median FROM data;
UPDATE data SET x = x + 1000;
INSERT INTO data SELECT generate_series(2000, 2999);
SELECT b.count = d.count AND b.median = d.median AS repeated FROM before b, (SELECT dp_count(1e-15, 'frozen') AS count, idp_median(x, 1e-15, 'frozen median') AS median FROM data) d;
SELECT dp_count(1e300, 'frozen') AS count, idp_median(x, 1e300, 'frozen median') AS median FROM data;
DELETE FROM data;
SELECT dp_count(1e300, 'frozen') AS count, idp_median(x, 1e300, 'frozen median') AS median FROM data;
TRUNCATE data;
SELECT idp.relax('frozen', 1e299) AS count, idp.relax('frozen median', 1e300) AS median;
INSERT INTO data SELECT generate_series(101, 120);
SELECT idp.refresh('frozen'), idp.refresh('frozen median');
SELECT idp.relax('frozen', 1e300);
SELECT name, epsilon, answer FROM idp.releases WHERE table_name = 'data' ORDER BY name;
SELECT dp_count(1e300, 'frozen') AS count, idp_median(x, 1e300, 'frozen median') AS median FROM data;
SELECT idp.relax('frozen', 1e300) AS count, idp.relax('frozen median', 1e300) AS median;
-- the question of a release that is to be begun again stays, its epsilon need not
SELECT idp.refresh('frozen');
SELECT idp.refresh('frozen');
SELECT dp_sum(x, 1e300, 0, 9, 'frozen') FROM data;
SELECT dp_count(1e-15, 'frozen') <> 20 AS noisy FROM data;
SELECT idp.relax('frozen', 1e300);
-- dropped, the name is free
SELECT idp.drop_release('frozen');
SELECT idp.relax('frozen', 1e300);
SELECT idp.drop_release('frozen');
SELECT idp.refresh('frozen');
SELECT dp_count(1e300, 'frozen') FROM nine;
SELECT idp.relax('frozen', -1);
SELECT idp.relax('frozen', 9.9e-19), idp.relax('frozen', ARRAY[1, 5e-324]);
SELECT idp.relax('frozen', 'NaN'::float8);
SELECT idp.relax('frozen', '{}'::float8[]);
SELECT idp.relax('frozen', ARRAY[1, NULL]::float8[]);
SELECT idp.relax(NULL, 1) AS nothing, idp.relax('frozen', NULL::float8) AS nothing, idp.refresh(NULL) IS NULL AS nothing;
-- a drop is taken back with its transaction, an answer is not
BEGIN;
SELECT idp.drop_release('frozen median');
SELECT dp_count(1e300, 'rolled back') FROM data;
ROLLBACK;
SELECT name, answer FROM idp.releases WHERE name IN ('frozen median', 'rolled back') ORDER BY name;

-- what is suppressed stays so
CREATE TABLE few (x int);
SELECT idp_median(x, 1, 'few') FROM few;
INSERT INTO few SELECT generate_series(1, 100);
SELECT idp_median(x, 1, 'few') FROM few;
SELECT idp_median(x, 1e300, 'few') FROM few;
SELECT idp.relax('few', 1e300) IS NULL AS suppressed;
SELECT name, aggregate, epsilon, answer FROM idp.releases WHERE name = 'few';
-- an empty count is an input
SELECT dp_count(1e300, 'none') AS rows, dp_histogram(x, 1e300, 0, 1, 2, 'no buckets') AS buckets, dp_sum(x, 1e300, 0, 1, 'no sum') AS sum FROM few WHERE x < 0;

-- not only tables: views, functions, joins of what is not protected
CREATE VIEW halves AS SELECT salary / 2 AS half FROM staff WHERE old;
SELECT idp_median(half, 1e300, 'view') FROM halves;
SELECT idp_median(x, 1e300, 'cte') FROM (WITH w AS MATERIALIZED (SELECT salary AS x FROM staff) SELECT * FROM w) s;
SELECT idp_median(i, 1e300, 'function') FROM generate_series(1, 99) i;
SELECT idp_median(i, 1e300, 'function') FROM generate_series(1, 5) i;
SELECT dp_count(1e300, 'join') FROM staff JOIN nine ON salary = i4;
SELECT dp_count(1e300, 'join') FROM staff;
SELECT dp_count(1e300, 'values') FROM (VALUES (1), (2)) v;
SELECT name, table_name, column_name, answer FROM idp.releases WHERE name IN ('view', 'cte', 'function', 'join', 'values') ORDER BY name, answer;
-- in a statement that writes, in a function, in COPY
CREATE TABLE kept AS SELECT dp_count(1e300, 'kept') AS rows FROM nine;
UPDATE kept SET rows = rows + (SELECT dp_count(1e300, 'kept') FROM nine);
COPY (SELECT dp_count(1e300, 'kept') FROM nine) TO STDOUT;
TABLE kept;
-- partitions with other column numbers are one table
CREATE TABLE parts (g int, x int) PARTITION BY LIST (g);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_b (gone text, x int, g int);
ALTER TABLE parts_b DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION parts_b FOR VALUES IN (2);
INSERT INTO parts SELECT 1 + i % 2, i FROM generate_series(1, 99) i;
SELECT idp_median(x, 1e300, 'parts') FROM parts;
SELECT idp_median(x, 1e300, 'parts') FROM parts_b;
SELECT g, idp_median(x, 1e300, 'part ' || g) FROM parts GROUP BY g ORDER BY g;
SET enable_partitionwise_aggregate = on;
SELECT g, idp_median(x, 1e300, 'part ' || g) FROM parts GROUP BY g ORDER BY g;
SELECT g, idp_median(x, 1e300, 'apart ' || g) FROM parts GROUP BY g ORDER BY g;
SELECT dp_count(1e300, 'by parts') FROM parts;
RESET enable_partitionwise_aggregate;
SELECT name, table_name, column_name, answer FROM idp.releases WHERE table_name = 'parts' ORDER BY name;

-- Who may: a reader asks, relaxes, and sees; the owner administers
CREATE ROLE regress_idp_owner;
CREATE ROLE regress_idp_reader;
CREATE ROLE regress_idp_column;
CREATE ROLE regress_idp_other;
GRANT CREATE ON SCHEMA public TO regress_idp_owner;
SET ROLE regress_idp_owner;
CREATE TABLE owned AS SELECT i AS x, i AS hidden FROM generate_series(1, 9) i;
GRANT SELECT ON owned TO regress_idp_reader;
GRANT SELECT (x) ON owned TO regress_idp_column;
SELECT dp_count(1e-15, 'owned') IS NOT NULL AS answered FROM owned;
SET ROLE regress_idp_reader;
SELECT dp_count(1e300, 'owned') FROM owned;
SELECT idp_median(hidden, 1e300, 'median of owned') FROM owned;
SELECT idp.relax('owned', 1e300);
SELECT name, table_name, aggregate, epsilon, answer, role FROM idp.releases WHERE table_name = 'owned' ORDER BY name;
SELECT idp.refresh('owned');
SELECT idp.drop_release('owned');
SELECT count(*) FROM idp.releases WHERE table_name = 'nine';
SET ROLE regress_idp_column;
SELECT idp_median(x, 1e300, 'x of owned') FROM owned;
SELECT idp_median(hidden, 1e300, 'median of owned') FROM owned;
SELECT idp.relax('x of owned', 1e300);
SET ROLE regress_idp_other;
SELECT dp_count(1e300, 'owned') FROM owned;
SELECT idp.relax('owned', 1);
SELECT idp.release_answer('owned');
SELECT idp.refresh('owned');
SELECT idp.drop_release('owned');
SELECT count(*) FROM idp.releases;
-- one's own, over no table
SELECT dp_count(1e300, 'of a function') FROM generate_series(1, 7);
SELECT name, table_name, answer, role FROM idp.releases;
SET ROLE regress_idp_reader;
SELECT idp.relax('of a function', 1);
SELECT idp.drop_release('of a function');
SET ROLE regress_idp_other;
SELECT idp.drop_release('of a function');
SET ROLE regress_idp_column;
SELECT idp.relax('median of owned', 1e300);
RESET ROLE;
-- a name alone is no right to an answer
SELECT dp_count(1e300, 'secret join') FROM owned JOIN nine ON x = i4;
SET ROLE regress_idp_other;
SELECT dp_count(1e300, 'secret join') FROM (VALUES (1)) v;
SELECT idp.relax('secret join', 1e300);
-- noise and true values are for superusers
TABLE idp.chain;
SELECT noise FROM idp.chain_level;
SELECT * FROM idp.charge;
SELECT * FROM idp.account;
SET ROLE regress_idp_owner;
TABLE idp.chain;
INSERT INTO idp.charge SELECT 1, 1, now(), '', '', 0, 0;
DELETE FROM idp.chain_level;
UPDATE idp.account SET budget = 1e9;
DELETE FROM idp.releases;
SELECT idp.refresh('owned');
SELECT dp_count(1e300, 'owned') FROM owned;
SELECT idp.drop_release('owned');
RESET ROLE;
SELECT count(*) FROM idp.releases WHERE name = 'owned';
SELECT count(*) > 250 AS chains FROM idp.chain;
-- the name of a dropped table stays with its releases
SELECT dp_count(1e300, 'rows of owned') FROM owned;
DROP TABLE owned;
SET ROLE regress_idp_other;
SELECT dp_count(1e300, 'rows of owned') FROM (VALUES (1)) v;
RESET ROLE;
SELECT name, table_name, answer FROM idp.releases WHERE name LIKE '%of owned' ORDER BY name, answer;
SELECT idp.relax('x of owned', 1e300);

DROP TABLE nine, lives, staff, data, before, few, kept, parts CASCADE;
DROP FUNCTION call_of, ask, same, life;
SELECT count(idp.drop_release(name)) > 250 AS dropped FROM idp.releases;
SELECT (SELECT count(*) FROM idp.chain) AS chains, (SELECT count(*) FROM idp.chain_level) AS levels;
REVOKE CREATE ON SCHEMA public FROM regress_idp_owner;
DROP ROLE regress_idp_owner, regress_idp_reader, regress_idp_column, regress_idp_other;

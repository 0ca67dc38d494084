-- Budgets of protected tables: what an answer costs, and what is refused. (What survives ROLLBACK, a crash and other sessions: tests/tap.)
\set VERBOSITY default
CREATE ROLE regress_idp_owner;
CREATE ROLE regress_idp_analyst;
CREATE ROLE regress_idp_stranger;
GRANT CREATE ON SCHEMA public TO regress_idp_owner;
SET ROLE regress_idp_owner;
-- s: neighbours by substitution, a: by adding or removing; with 2 x 3 groups
CREATE TABLE s AS SELECT i AS x, i % 2 AS g, i % 3 AS h FROM generate_series(1, 60) i;
CREATE TABLE a AS SELECT * FROM s;
CREATE TABLE free AS SELECT * FROM s;
GRANT SELECT ON s, a TO regress_idp_analyst;

-- protect: arguments
SELECT idp.protect('s', -1);
SELECT idp.protect('s', 'NaN');
SELECT idp.protect('s', 'infinity');
SELECT idp.protect('s', NULL);
SELECT idp.protect(NULL, 1);
SELECT idp.protect(0, 1);
SELECT idp.protect('nowhere', 1);
SELECT idp.protect('s', 1, 'other');
SELECT idp.protect('s', 1, min_epsilon => -1);
SELECT idp.protect('s', 1, min_epsilon => 'infinity');
SELECT idp.protect('s', 1, min_epsilon => 9.9e-19);
SELECT idp.protect('s', 1, floor => -1);
SELECT idp.protect('s', 1, floor => 'NaN');
CREATE VIEW view_of_s AS SELECT * FROM s;
SELECT idp.protect('view_of_s', 1);
CREATE MATERIALIZED VIEW kept_of_s AS SELECT * FROM s;
SELECT idp.protect('kept_of_s', 1);
RESET ROLE;
CREATE TEMP TABLE temporary (x int);
SELECT idp.protect('temporary', 1);
SELECT idp.protect('pg_class_oid_index', 1);
SELECT idp.protect('pg_authid', 1);
SET ROLE regress_idp_analyst;
SELECT idp.protect('s', 1, rows => 'visible');
SELECT idp.unprotect('s');
SET ROLE regress_idp_owner;
SELECT idp.unprotect(0);
SELECT idp.unprotect('view_of_s');
SELECT idp.unprotect('s');
SELECT count(*) AS accounts FROM idp.budget;
SELECT idp.protect('s', 1000, rows => 'visible'), idp.protect('a', 1000, neighbours => 'add_remove', rows => 'visible');
SELECT * FROM idp.budget ORDER BY table_name;
\x
SELECT * FROM idp.protection ORDER BY table_name;
\x

-- What a query costs on each of them.
CREATE FUNCTION cost(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE before numeric := (SELECT sum(spent) FROM idp.budget); answer record;
BEGIN
  FOR answer IN EXECUTE query LOOP END LOOP;
  RETURN trim_scale((SELECT sum(spent) FROM idp.budget) - before);
END $$;
-- the cost, or why it is refused
CREATE FUNCTION attempt(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text;
BEGIN
  RETURN cost(query);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
  RETURN message;
END $$;
CREATE FUNCTION costs(query text, OUT substitute text, OUT add_remove text) LANGUAGE plpgsql AS $$
BEGIN
  substitute := attempt(replace(query, '$t', 's'));
  add_remove := attempt(replace(query, '$t', 'a'));
END $$;
CREATE TABLE queries (number serial, query text);
INSERT INTO queries (query) VALUES
  ('SELECT dp_count(0.1) FROM $t'),
  ('SELECT idp_median(x, 0.1) FROM $t'),
  ('SELECT idp_median(x, ARRAY[0.1, 0.5]) FROM $t'),
  ('SELECT idp_count_range(x, 0.1, 1, 9) FROM $t'),
  ('SELECT dp_median(x, 0.1, 0, 99) FROM $t'),
  ('SELECT dp_median_smooth(x, 0.1, 0, 99) FROM $t'),
  ('SELECT dp_histogram(x, 0.1, 0, 99, 5) FROM $t'),
  ('SELECT dp_avg(x, 0.1, 0, 99) FROM $t'),
  ('SELECT dp_count(0.1), dp_count(0.2), idp_median(x, 0.3) FROM $t'),
  ('SELECT dp_count(0.1), dp_count(0.1) FROM $t'),
  ('SELECT dp_count(0.1), dp_count(0.1) + 1 AS more FROM $t HAVING dp_count(0.1) IS NOT NULL'),
  ('SELECT dp_count(0.1), dp_count(0.1) FILTER (WHERE g = 1) FROM $t'),
  ('SELECT g, dp_count(0.1) FROM $t GROUP BY g'),
  ('SELECT g, dp_count(0.1) FROM $t WHERE g = 1 GROUP BY g'),
  ('SELECT g, dp_count(0.1) FROM $t GROUP BY g HAVING dp_count(0.1) > 1e9'),
  ('SELECT g, dp_count(0.1), dp_sum(x, 0.2, 0, 99) FROM $t GROUP BY g'),
  ('SELECT g, dp_count(0.1) FROM $t GROUP BY g HAVING idp_median(x, 1) > 0'),
  ('SELECT g, h, dp_count(0.1) FROM $t GROUP BY GROUPING SETS ((g), (h))'),
  ('SELECT g, h, dp_count(0.1) FROM $t GROUP BY GROUPING SETS ((g), (h), ())'),
  ('SELECT g, h, dp_count(0.1) FROM $t GROUP BY ROLLUP (g, h)'),
  ('SELECT g, h, dp_count(0.1) FROM $t GROUP BY CUBE (g, h)'),
  ('SELECT dp_count(0.1) FROM $t GROUP BY ()'),
  ('SELECT dp_count(0.1) FROM $t WHERE false'),
  ('SELECT dp_count(0.1) FROM $t WHERE x > 1000'),
  ('SELECT g, dp_count(0.1) FROM $t WHERE x > 1000 GROUP BY g'),
  ('SELECT dp_count(0.1) FROM $t LIMIT 0'),
  ('SELECT (SELECT dp_count(0.1) FROM $t), (SELECT dp_count(0.1) FROM $t)'),
  ('SELECT count(*) FROM (SELECT g, dp_count(0.1) AS c FROM $t GROUP BY g) q1 JOIN (SELECT g, dp_count(0.2) AS d FROM $t GROUP BY g) q2 USING (g) WHERE c <> d'),
  ('SELECT dp_count(0.1) FROM $t UNION ALL SELECT dp_count(0.1) FROM $t'),
  ('WITH w AS MATERIALIZED (SELECT dp_count(0.1) AS c FROM $t) SELECT * FROM w, w AS again'),
  ('WITH w AS (SELECT x FROM $t) SELECT dp_count(0.1) FROM w'),
  ('SELECT dp_count(0.1) FROM (SELECT * FROM $t WHERE g = 1 ORDER BY x) q'),
  ('SELECT free.x, c FROM free, (SELECT dp_count(0.1) AS c FROM $t) q'),
  ('SELECT dp_count(0.1) FROM free'),
  ('SELECT count(*), max(x) FROM $t'),
  ('EXPLAIN SELECT dp_count(0.1) FROM $t'),
  ('EXPLAIN ANALYZE SELECT dp_count(0.1) FROM $t'),
  -- named
  ('SELECT dp_count(0.1, ''$t'') FROM $t'),
  ('SELECT dp_count(0.1, ''$t'') FROM $t'),
  ('SELECT dp_count(0.05, ''$t'') FROM $t'),
  ('SELECT dp_count(0.3, ''$t'') FROM $t'),
  ('SELECT dp_count(0.2, ''$t'') FROM $t'),
  ('SELECT idp.relax(''$t'', 0.25)'),
  ('SELECT idp.relax(''$t'', 1)'),
  ('SELECT idp.relax(''$t'', 1)'),
  ('SELECT idp.refresh(''$t'')'),
  ('SELECT dp_count(0.1, ''$t'') FROM $t'),
  ('SELECT idp.drop_release(''$t'')'),
  ('SELECT dp_count(0.1, ''$t'') FROM $t'),
  ('SELECT dp_count(0.1, NULL) FROM $t'),
  ('SELECT dp_count(0.1, ''$t''), dp_count(0.1, ''$t 2''), dp_count(0.1) FROM $t'),
  -- one family: the largest epsilon of any group, for all
  ('SELECT g, dp_count(0.1, ''$t g'' || g) FROM $t GROUP BY g'),
  ('SELECT g, dp_count(0.1, ''$t g'' || g) FROM $t GROUP BY g'),
  ('SELECT idp.relax(''$t g0'', 0.5)'),
  ('SELECT idp.relax(''$t g1'', 0.5)'),
  ('SELECT idp.relax(''$t g1'', 0.4)'),
  ('SELECT g, dp_count(0.5, ''$t g'' || g) FROM $t GROUP BY g'),
  ('SELECT g, dp_count(0.7, ''$t g'' || g) FROM $t WHERE g = 1 GROUP BY g'),
  ('SELECT g, dp_count(0.7, ''$t g'' || g) FROM $t GROUP BY g'),
  ('SELECT dp_count(0.8, ''$t g1'') FROM $t WHERE g = 1'),
  -- what a later statement adds is a family of its own
  ('SELECT h, dp_count(0.1, ''$t h'' || h) FROM $t WHERE h < 2 GROUP BY h'),
  ('SELECT h, dp_count(0.1, ''$t h'' || h) FROM $t GROUP BY h'),
  ('SELECT h, dp_count(0.2, ''$t h'' || h) FROM $t GROUP BY h'),
  -- each grouping set is one
  ('SELECT g, h, dp_count(0.1, format(''$t set %s %s'', g, h)) FROM $t GROUP BY GROUPING SETS ((g), (h), ())'),
  ('SELECT g, h, dp_count(0.3, format(''$t set %s %s'', g, h)) FROM $t GROUP BY GROUPING SETS ((g), (h), ())'),
  ('SELECT idp.relax(''$t set 0 '', 0.5)'),
  ('SELECT idp.relax(''$t set 1 '', 0.5)'),
  ('SELECT idp.relax(''$t set  '', 0.5)'),
  -- several epsilons: the first one counts
  ('SELECT idp_median(x, ARRAY[0.1, 0.5], ''$t groups'') FROM $t'),
  ('SELECT idp.relax(''$t groups'', ARRAY[0.1, 0.9])'),
  ('SELECT idp.relax(''$t groups'', ARRAY[0.4, 0.5])');
SELECT number, query, c.* FROM queries, costs(query) c ORDER BY number;

-- exactly: an epsilon is the decimal it is written as
SELECT idp.protect('s', 1);
RESET ROLE;
DELETE FROM idp.charge;
SET ROLE regress_idp_owner;
SELECT cost('SELECT dp_count(0.1) FROM s') FROM generate_series(1, 10);
SELECT total, spent, remaining, spent = 1 AS exactly FROM idp.budget WHERE table_name = 's';
SELECT dp_count(0.1) FROM s;
SELECT dp_count(1e-6) FROM s;
SELECT idp.protect('s', 1.000001);
SELECT cost('SELECT dp_count(1e-6) FROM s');
SELECT idp.protect('s', 10), cost('SELECT dp_count(0.1::real) FROM s'), cost('SELECT dp_count(1/3.0) FROM s');
-- a budget below what was spent: nothing is left
SELECT idp.protect('s', 0.5);
SELECT remaining, spent > total AS overdrawn FROM idp.budget WHERE table_name = 's';
SELECT dp_count(0.1) FROM s;
SELECT idp.protect('s', 0);
SELECT dp_count(0.1) FROM s;
SELECT idp.protect('s', 2), cost('SELECT dp_count(1e-18) FROM s') = 1e-18 AS least;
SELECT scale(spent) FROM idp.budget WHERE table_name = 's';

-- exhausted
RESET ROLE;
DELETE FROM idp.charge;
SET ROLE regress_idp_owner;
SELECT idp.protect('s', 0.5), idp.protect('a', 0.5, 'add_remove');
SELECT dp_count(0.6) FROM s;
SELECT dp_count(0.3), idp_median(x, 0.3) FROM a;
SELECT g, dp_count(0.3) FROM s GROUP BY g;
SELECT cost('SELECT g, dp_count(0.3) FROM a GROUP BY g');
SELECT dp_count(0.1) IS NOT NULL AS no_rows FROM a WHERE false;
SELECT dp_count(0.3, 'no') FROM a;
SELECT cost('SELECT dp_count(0.1, ''last'') FROM a');
SELECT cost('SELECT dp_count(0.2, ''last'') FROM a');
SELECT dp_count(0.1, 'last') IS NOT NULL AS repeated, dp_count(0.05, 'last') IS NOT NULL AS tightened, idp.relax('last', 0.08) IS NOT NULL AS relaxed FROM a;
SELECT idp.relax('last', 0.3);
SELECT dp_count(0.3, 'last') FROM a;
SELECT dp_count(0.3, 'last'), dp_count(0.1) FROM a;
SELECT name FROM idp.releases WHERE name = 'no';
SELECT * FROM idp.budget WHERE table_name IN ('a', 's') ORDER BY table_name;

-- an answer needs at least this epsilon; changed at any time, the account stays
SELECT idp.protect('a', 100, 'add_remove', min_epsilon => 0.25);
SELECT dp_count(0.2) FROM a;
SELECT dp_count(0.2, 'last') FROM a;
SELECT idp.relax('last', 0.2);
SELECT idp_median(x, ARRAY[0.2, 1]) FROM a;
SELECT cost('SELECT dp_count(0.25) FROM a') AS cost, cost('SELECT dp_count(0.25, ''last'') FROM a') AS refined;
SELECT table_name, total, neighbours, min_epsilon FROM idp.protection WHERE table_name = 'a';
-- a budget by itself leaves the rules as they are; 0 takes one away
SELECT idp.protect('a', 200);
SELECT dp_count(0.2) FROM a;
SELECT idp.protect('a', 100, min_epsilon => 0);
SELECT cost('SELECT dp_count(0.2) FROM a');
CREATE TABLE kept (x int);
SET client_min_messages = error;
SELECT idp.protect('kept', 1, 'add_remove', min_epsilon => 0.25, floor => 2, rows => 'hidden');
SELECT idp.protect('kept', NULL);
SELECT idp.protect('kept', 2);
SELECT total, neighbours, min_epsilon, floor, rows FROM idp.protection WHERE table_name = 'kept';
SELECT idp.protect('kept', 3, neighbours => 'substitute', floor => 0);
SELECT total, neighbours, min_epsilon, floor, rows FROM idp.protection WHERE table_name = 'kept';
-- also when the table was dropped and made again
DROP TABLE kept;
CREATE TABLE kept (x int);
SELECT idp.protect('kept', 4, neighbours => 'add_remove');
SELECT total, neighbours, min_epsilon, floor, rows FROM idp.protection WHERE table_name = 'kept';
-- a table that is not protected any more has no rules
SELECT idp.unprotect('kept');
SELECT idp.protect('kept', 5);
SELECT total, neighbours, min_epsilon, floor, rows FROM idp.protection WHERE table_name = 'kept';
DROP TABLE kept;
RESET client_min_messages;
-- unprotected: not charged, and nothing forgotten
SELECT idp.unprotect('a');
SELECT cost('SELECT dp_count(0.2) FROM a') AS cost, cost('SELECT dp_count(0.9, ''last'') FROM a') AS named;
SELECT table_name, active, spent FROM idp.protection WHERE table_name = 'a';
SELECT count(*) AS shown_every_day FROM idp.budget WHERE table_name = 'a';
SELECT idp.protect('a', 100, 'add_remove', rows => 'visible');
SELECT cost('SELECT dp_count(0.2) FROM a') AS cost, cost('SELECT dp_count(0.9, ''last'') FROM a') AS known, cost('SELECT dp_count(1, ''last'') FROM a') AS refined;

-- floor: at least the noise of this sensitivity, in units of the column, in days, in seconds
CREATE TABLE equal AS
SELECT g, 5 AS i, 5::float8 AS f, 5::numeric(8, 2) AS n, date '2020-01-01' AS d, timestamp '2020-01-01' AS ts, timestamptz '2020-01-01 00:00+00' AS tz
FROM generate_series(1, 400) g, generate_series(1, 5);
CREATE VIEW noise AS SELECT avg(abs(i - 5)) AS i, avg(abs(f - 5)) AS f, avg(abs(n - 5)) AS n, avg(abs(d - '2020-01-01')) AS d,
  avg(abs(extract(epoch FROM ts - timestamp '2020-01-01'))) AS ts, avg(abs(extract(epoch FROM tz - timestamptz '2020-01-01 00:00+00'))) AS tz, avg(abs(c - 5)) AS c
FROM (SELECT idp_median(i, 1) AS i, idp_max(f, 1, 5) AS f, idp_quantile(n, 1, 0.3) AS n, idp_median(d, 1) AS d, idp_kth_largest(ts, 1, 2) AS ts,
  idp_median(tz, ARRAY[1, 1]) AS tz, dp_count_range(i, 1000, 5, 5) AS c FROM equal GROUP BY g) q;
SELECT i, f, n, d, ts, tz, c FROM noise;
SELECT idp.protect('equal', 1e301, floor => 1000, rows => 'visible');
-- the mean of 400 is within 1000 +- 400 but with probability 1e-15
SELECT abs(i - 1000) < 400 AS i, abs(f - 1000) < 400 AS f, abs(n - 1000) < 400 AS n, abs(d - 1000) < 400 AS d, abs(ts - 1000) < 400 AS ts, abs(tz - 1000) < 400 AS tz, c FROM noise;
-- no noise could keep this one away from the truth
SELECT idp_count_range(i, 1000, 5, 5) FROM equal;
SELECT idp_median(i, 1e-15) <> 5 AS noisy, idp_median(i, 1e300) AS exact, idp_sum(i, 1e-15, 5, 5) <> 10000 AS sum,
  idp_median(i, 1e-15, 'equal') <> 5 AS named, dp_median(i, 1e300, 0, 10) AS other FROM equal;
-- also finer than a step: rounded up to the grid
SELECT idp.protect('equal', 1e301, floor => 1e-300);
SELECT idp_median(i, 1e-15) <> 5 AS noisy, idp_median(d, 1e-15) <> '2020-01-01' AS date FROM equal;
-- the sensitivity of a release is frozen
SELECT idp.protect('equal', 1e301, floor => 0);
SELECT idp_median(i, 1e-15, 'no floor') AS exact FROM equal;
SELECT idp.protect('equal', 1e301, floor => 1000);
SELECT idp_median(i, 1e-15, 'no floor') AS exact, idp_median(i, 1e-16, 'no floor') AS exact FROM equal;

-- partitions: the account of the whole is charged for each part; answers partition by partition are one aggregate
CREATE TABLE whole (g int, x int) PARTITION BY LIST (g);
CREATE TABLE part0 PARTITION OF whole FOR VALUES IN (0);
CREATE TABLE part1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE part2 PARTITION OF whole FOR VALUES IN (2);
INSERT INTO whole SELECT i % 3, i FROM generate_series(1, 90) i;
SELECT idp.protect('whole', 1000, rows => 'visible'), idp.protect('part1', 1000, 'add_remove', rows => 'visible');
CREATE FUNCTION parts_cost(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE before jsonb := (SELECT jsonb_object_agg(table_name, spent) FROM idp.budget); answer record;
BEGIN
  FOR answer IN EXECUTE query LOOP END LOOP;
  RETURN (SELECT string_agg(table_name || ' ' || trim_scale(spent - (before ->> table_name)::numeric), ', ' ORDER BY table_name) FROM idp.budget WHERE spent <> (before ->> table_name)::numeric);
END $$;
TRUNCATE queries RESTART IDENTITY;
INSERT INTO queries (query) VALUES
  ('SELECT dp_count(0.1) FROM whole'),
  ('SELECT dp_count(0.1) FROM part0'),
  ('SELECT dp_count(0.1) FROM part1'),
  ('SELECT dp_count(0.1) FROM whole WHERE g = 0'),
  ('SELECT g, dp_count(0.1) FROM whole GROUP BY g'),
  ('SELECT g % 2, dp_count(0.1), idp_median(x, 0.2) FROM whole GROUP BY g % 2'),
  ('SELECT dp_count(0.1) FROM part0 UNION ALL SELECT dp_count(0.1) FROM part1'),
  ('SELECT dp_count(0.1, ''whole'') FROM whole'),
  ('SELECT dp_count(0.3, ''whole'') FROM whole'),
  ('SELECT idp_median(x, 0.1, ''part0'') FROM part0'),
  ('SELECT idp_median(x, 0.3, ''part0'') FROM part0'),
  ('SELECT g, idp_median(x, 0.1, ''part '' || g) FROM whole GROUP BY g'),
  ('SELECT idp.relax(''part 0'', 0.5)'),
  ('SELECT idp.relax(''part 1'', 0.5)'),
  ('SELECT g, idp_median(x, 0.5, ''part '' || g) FROM whole GROUP BY g');
SELECT number, query, parts_cost(query) FROM queries ORDER BY number;
SET enable_partitionwise_aggregate = on;
EXPLAIN (COSTS OFF) SELECT g, dp_count(0.1), idp_median(x, 0.2) FROM whole GROUP BY g;
TRUNCATE queries RESTART IDENTITY;
INSERT INTO queries (query) VALUES
  ('SELECT dp_count(0.1) FROM whole'),
  ('SELECT g, dp_count(0.1), idp_median(x, 0.2) FROM whole GROUP BY g'),
  ('SELECT g % 2, dp_count(0.1) FROM whole GROUP BY g % 2'),
  ('SELECT g, x % 2, dp_count(0.1) FROM whole GROUP BY GROUPING SETS ((g, x % 2), (g))'),
  ('SELECT g, idp_median(x, 0.1, ''apart '' || g) FROM whole GROUP BY g'),
  ('SELECT idp.relax(''apart 0'', 0.5)'),
  ('SELECT idp.relax(''apart 2'', 0.5)'),
  ('SELECT g, idp_median(x, 0.6, ''apart '' || g) FROM whole GROUP BY g');
SELECT number, query, parts_cost(query) FROM queries ORDER BY number;
SET enable_hashagg = off;
SELECT parts_cost('SELECT g, dp_count(0.1), idp_median(x, 0.2) FROM whole GROUP BY g') AS sorted;
RESET enable_hashagg;
RESET enable_partitionwise_aggregate;
SELECT name, table_name, aggregate, column_name, epsilon FROM idp.releases WHERE name IN ('whole', 'part0', 'apart 1') ORDER BY name;
-- inheritance
CREATE TABLE child (y int) INHERITS (free);
INSERT INTO child SELECT 1, 1, 1, 1;
SELECT idp.protect('free', 1000, rows => 'visible');
SELECT parts_cost('SELECT dp_count(0.1) FROM free') AS all, parts_cost('SELECT dp_count(0.1) FROM ONLY free') AS only, parts_cost('SELECT dp_count(0.1) FROM child') AS child;

-- refused: what is not one row each
SELECT idp.protect('s', 1000), idp.protect('a', 1000, 'substitute');
CREATE TABLE tries (number serial, query text);
INSERT INTO tries (query) VALUES
  ('SELECT dp_count(1) FROM s JOIN a USING (x)'),
  ('SELECT dp_count(1) FROM s, generate_series(1, 2)'),
  ('SELECT dp_count(1) FROM s LEFT JOIN queries ON x = number'),
  ('SELECT dp_count(1) FROM (SELECT x FROM s UNION ALL SELECT x FROM a) q'),
  ('SELECT dp_count(1) FROM (SELECT x FROM s UNION ALL SELECT 1) q'),
  ('SELECT dp_count(1) FROM (SELECT x FROM s UNION SELECT x FROM s) q'),
  ('SELECT dp_count(1) FROM (SELECT x FROM s INTERSECT SELECT x FROM a) q'),
  ('SELECT dp_count(1) FROM (SELECT DISTINCT g FROM s) q'),
  ('SELECT dp_count(1) FROM (SELECT x FROM s LIMIT 5) q'),
  ('SELECT dp_count(1) FROM s TABLESAMPLE bernoulli (50)'),
  ('SELECT dp_sum(r, 1, 0, 99) FROM (SELECT row_number() OVER (ORDER BY x) AS r FROM s) q'),
  ('SELECT dp_sum(m, 1, 0, 99) FROM (SELECT max(x) AS m FROM s GROUP BY g) q'),
  ('SELECT dp_count(1) FROM s WHERE x > (SELECT avg(x) FROM s)'),
  ('SELECT dp_sum(x - (SELECT min(x) FROM s), 1, 0, 99) FROM s'),
  ('SELECT dp_count(1) FILTER (WHERE x > (SELECT avg(x) FROM s)) FROM s'),
  ('SELECT o, (SELECT dp_count(1) FROM s WHERE x < o) FROM generate_series(1, 3) o'),
  ('SELECT o, c FROM generate_series(1, 3) o, LATERAL (SELECT dp_count(1) AS c FROM s WHERE x < o) q'),
  ('SELECT dp_count(1) FROM s WHERE random() < 0.5'),
  ('SELECT dp_sum(nextval(''queries_number_seq''), 1, 0, 99) FROM s'),
  ('SELECT dp_count(1) FROM s WHERE ctid = ''(0,1)'''),
  ('SELECT dp_sum(unnest, 1, 0, 99) FROM (SELECT unnest(ARRAY[x, x]) FROM s) q'),
  ('SELECT dp_count(1) FROM (SELECT * FROM s FOR UPDATE) q'),
  ('WITH w AS (UPDATE s SET x = x RETURNING *) SELECT dp_count(1) FROM w'),
  ('WITH RECURSIVE w AS (SELECT x FROM s UNION ALL SELECT x + 1000 FROM w WHERE x < 1000) SELECT dp_count(1) FROM w'),
  ('WITH w AS MATERIALIZED (SELECT x FROM s) SELECT dp_count(1) FROM w, w AS again'),
  ('SELECT dp_count(1) OVER () FROM s'),
  ('SELECT dp_count(1, ''refused'') FROM s, generate_series(1, 2)'),
  ('SELECT idp_median(idp_median, 1) FROM (SELECT idp_median(x, 1) FROM s GROUP BY g) q');
SELECT number, query, attempt(query) FROM tries ORDER BY number;
SELECT dp_count(1) FROM s JOIN a USING (x);
-- and what is one row each all the same, or each row twice, at twice the cost
TRUNCATE tries RESTART IDENTITY;
INSERT INTO tries (query) VALUES
  ('SELECT dp_count(1) FROM (SELECT x, g FROM s WHERE x BETWEEN 3 AND 50 ORDER BY x) q WHERE g = 1'),
  ('SELECT dp_sum(abs(x) + current_date - current_date, 1, 0, 99) FROM view_of_s WHERE x % 2 = 0'),
  ('WITH w AS MATERIALIZED (SELECT x FROM s) SELECT dp_count(1) FROM w'),
  ('SELECT free.x, c FROM (SELECT dp_count(1) AS c FROM s) q JOIN free ON free.x > c'),
  ('SELECT dp_count(DISTINCT 1) FROM s'),
  ('SELECT dp_count_distinct(g, 1) FROM s'),
  ('SELECT idp_median(DISTINCT x, 1) FROM s'),
  ('SELECT idp_median(x, 1 ORDER BY g) FROM s'),
  ('SELECT dp_count(1) FROM s WHERE EXISTS (SELECT FROM queries WHERE number = x)'),
  ('SELECT dp_count(1) FROM (SELECT x FROM s UNION ALL SELECT x FROM s) q');
SELECT number, query, attempt(query) FROM tries ORDER BY number;

-- an aggregate of one's own over the same states has no epsilon that could be charged
CREATE AGGREGATE own_median(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.int4_final);
CREATE AGGREGATE own_state(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty');
SELECT cost('SELECT own_median(x, 0.1) FROM s');
SELECT own_state(x, 0.1) FROM s;

-- the views, for who may read the table
RESET ROLE;
DELETE FROM idp.charge;
SET ROLE regress_idp_owner;
SELECT idp.protect('s', 10, min_epsilon => 0.01, floor => 2), idp.protect('a', 10, 'add_remove');
REVOKE SELECT ON a FROM regress_idp_analyst;
SELECT dp_count(0.125, 'by owner') IS NOT NULL AS answered FROM a;
SET ROLE regress_idp_analyst;
SELECT dp_count(0.125) IS NOT NULL AS answered, idp_median(x, 0.25, 'by analyst') IS NOT NULL AS answered FROM s;
SELECT idp.relax('by analyst', 0.5) IS NOT NULL AS relaxed;
SELECT dp_count(0.125) FROM a;
SELECT * FROM idp.budget WHERE table_name IN ('s', 'a');
SELECT table_name, neighbours, min_epsilon, floor, rows FROM idp.protection WHERE table_name IN ('s', 'a');
SELECT role, table_name, aggregate, epsilon, release FROM idp.ledger WHERE table_name IN ('s', 'a');
SELECT name, table_name, aggregate, column_name, epsilon, answer IS NOT NULL AS answered, role FROM idp.releases WHERE name LIKE 'by %';
SET ROLE regress_idp_stranger;
SELECT (SELECT count(*) FROM idp.budget) AS budgets, (SELECT count(*) FROM idp.protection) AS protected, (SELECT count(*) FROM idp.ledger) AS charges, (SELECT count(*) FROM idp.releases) AS releases;
SELECT dp_count(0.1) FROM s;
SELECT idp.relax('by analyst', 1);
RESET ROLE;
SELECT role, table_name, aggregate, epsilon, release FROM idp.ledger WHERE table_name IN ('s', 'a');

-- renamed, moved, dropped and made again: what was spent stays
ALTER TABLE s RENAME TO renamed;
CREATE SCHEMA regress_idp_schema;
ALTER TABLE renamed SET SCHEMA regress_idp_schema;
SELECT table_name, spent FROM idp.budget WHERE spent = 0.625;
SELECT dp_count(10) FROM regress_idp_schema.renamed;
ALTER TABLE regress_idp_schema.renamed SET SCHEMA public;
ALTER TABLE renamed RENAME TO s;
DROP TABLE s CASCADE;
SELECT table_name, active, spent FROM idp.protection WHERE spent = 0.625;
-- by another role than its owner: who says what holds
CREATE TABLE s AS SELECT i AS x FROM generate_series(1, 9) i;
SELECT cost('SELECT dp_count(0.125) FROM s');
DROP TABLE s;
SET ROLE regress_idp_owner;
CREATE TABLE s AS SELECT i AS x FROM generate_series(1, 9) i;
RESET ROLE;
SELECT cost('SELECT dp_count(0.125) FROM s');
SELECT table_name, spent FROM idp.budget WHERE spent = 0.75;
SELECT idp.protect('s', 20);
SELECT table_name, total, spent FROM idp.budget WHERE spent = 0.75;

DROP AGGREGATE own_median(int, float8), own_state(int, float8);
DROP TABLE s, a, free, equal, whole, queries, tries CASCADE;
DROP FUNCTION cost, costs, parts_cost, attempt;
SELECT count(idp.drop_release(name)) > 0 AS dropped FROM (SELECT DISTINCT name FROM idp.chain) c;
DELETE FROM idp.charge;
DELETE FROM idp.account;
DROP SCHEMA regress_idp_schema;
REVOKE CREATE ON SCHEMA public FROM regress_idp_owner;
DROP ROLE regress_idp_owner, regress_idp_analyst, regress_idp_stranger;

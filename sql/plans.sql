-- Serial, parallel and partition-wise plans: the same exact answers where no neighbour changes them.
CREATE TABLE big (id int, g int, x float8, n numeric(12, 2)) WITH (parallel_workers = 2);
INSERT INTO big SELECT i, i % 10, (i + 300) / 1000, (i + 300) / 1000 FROM generate_series(1, 1000000) i;
VACUUM (ANALYZE) big;
CREATE TABLE parts (id int, g int, x float8) PARTITION BY LIST (g);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN (0, 1, 2, 3, 4) WITH (parallel_workers = 2);
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN (5, 6, 7, 8, 9) WITH (parallel_workers = 2);
INSERT INTO parts SELECT id, g, x FROM big;
VACUUM (ANALYZE) parts;
SET jit = off;

-- serial
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT idp_median(x, 0.1) FROM big;
SELECT idp_median(x, 0.1) AS m, idp_quantile(n, 0.1, 0.9) AS q, idp_kth_largest(x, 0.1, 100) AS kth,
  idp_max(x, 0.1, 900) AS max, dp_count(1000) AS rows, dp_count_range(x, 1000, 10, 19) AS range FROM big;
SELECT idp_sum(x, 1e300, 0, 1000) AS sum, idp_avg(id, ARRAY[1e300, 1e300], 0, 1000000) AS avg, dp_variance(n, 1e300, 0, 1000) AS variance, dp_count_distinct(x, 1000) AS distinct,
  dp_histogram(id, 1000, 1, 1000000, 2) AS histogram, dp_median_smooth(id, 1e300, 1, 1000000) AS smooth, dp_max_global(n, 1e300, 0, 900) AS global FROM big;

-- two workers
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
EXPLAIN (COSTS OFF) SELECT idp_median(x, 0.1) FROM big;
SELECT idp_median(x, 0.1) AS m, idp_quantile(n, 0.1, 0.9) AS q, idp_kth_largest(x, 0.1, 100) AS kth,
  idp_max(x, 0.1, 900) AS max, dp_count(1000) AS rows, dp_count_range(x, 1000, 10, 19) AS range FROM big;
SELECT idp_sum(x, 1e300, 0, 1000) AS sum, idp_avg(id, ARRAY[1e300, 1e300], 0, 1000000) AS avg, dp_variance(n, 1e300, 0, 1000) AS variance, dp_count_distinct(x, 1000) AS distinct,
  dp_histogram(id, 1000, 1, 1000000, 2) AS histogram, dp_median_smooth(id, 1e300, 1, 1000000) AS smooth, dp_max_global(n, 1e300, 0, 900) AS global FROM big;
SET parallel_leader_participation = off;
SELECT idp_median(x, 0.1) AS m, idp_quantile(n, 0.1, 0.9) AS q, idp_kth_largest(x, 0.1, 100) AS kth,
  idp_max(x, 0.1, 900) AS max, dp_count(1000) AS rows, dp_count_range(x, 1000, 10, 19) AS range FROM big;
SELECT idp_sum(x, 1e300, 0, 1000) AS sum, idp_avg(id, ARRAY[1e300, 1e300], 0, 1000000) AS avg, dp_variance(n, 1e300, 0, 1000) AS variance, dp_count_distinct(x, 1000) AS distinct,
  dp_histogram(id, 1000, 1, 1000000, 2) AS histogram, dp_median_smooth(id, 1e300, 1, 1000000) AS smooth, dp_max_global(n, 1e300, 0, 900) AS global FROM big;
-- nothing but empty states from the workers
SELECT idp_median(x, 0.1) AS m, idp_max(x, 0.1, 900) AS max, dp_count(1000) AS rows FROM big WHERE x < 0;
RESET parallel_leader_participation;
-- groups
EXPLAIN (COSTS OFF) SELECT g, idp_median(x, 0.1) FROM big GROUP BY g;
SELECT g, idp_median(x, 0.1) AS m, dp_count(1000) AS rows FROM big GROUP BY g ORDER BY g;
EXPLAIN (COSTS OFF) SELECT g, idp_median(x, -0.1) FROM big GROUP BY g;

-- partition-wise, whole and partial
SET enable_partitionwise_aggregate = on;
EXPLAIN (COSTS OFF) SELECT g, idp_median(x, 0.1) FROM parts GROUP BY g;
SELECT g, idp_median(x, 0.1) AS m, dp_count(1000) AS rows FROM parts GROUP BY g ORDER BY g;
SELECT g / 4 AS quarter, dp_sum(x, 1e300, 0, 1000) AS sum, idp_stddev(id, 1e300, 1, 1000000) AS stddev, dp_count_distinct(x, 1000) AS distinct, dp_histogram(x, 1000, 0, 1001, 3) AS histogram,
  dp_median_smooth(id, 1e300, 1, 1000000) AS smooth FROM parts GROUP BY 1 ORDER BY 1;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT idp_median(x, 0.1), dp_count(1000) FROM parts;
SELECT idp_median(x, 0.1) AS m, dp_count(1000) AS rows FROM parts;
SELECT idp_median(x, 0.1) AS m, dp_count(1000) AS rows FROM parts WHERE x < 0;

-- below a join, on either side of it (eager aggregation, from PostgreSQL 19 on): groups without values are given the arguments
CREATE TABLE kinds AS SELECT g, 'kind ' || g % 3 AS kind FROM generate_series(0, 9) g;
ANALYZE kinds;
SELECT kind, idp_median(x, 0.1) AS m, dp_count(1000) AS rows, idp_max(x, 0.1, 900) FILTER (WHERE x < 0) AS max, dp_count(1000) FILTER (WHERE x < 0) AS none FROM big JOIN kinds USING (g) GROUP BY kind ORDER BY kind;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT kind, idp_median(x, 0.1) AS m, dp_count(1000) AS rows, idp_max(x, 0.1, 900) FILTER (WHERE x < 0) AS max, dp_count(1000) FILTER (WHERE x < 0) AS none FROM big JOIN kinds USING (g) GROUP BY kind ORDER BY kind;
RESET enable_hashjoin;
RESET enable_mergejoin;

-- hash and sort, in memory and spilled
SET enable_partitionwise_aggregate = off;
SET work_mem = '64kB';
SET enable_sort = off;
SELECT count(*), sum(m) FROM (SELECT id / 10, idp_median(g / 100, 0.1) AS m FROM big GROUP BY id / 10) s;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*), sum(m) FROM (SELECT id / 10, idp_median(g / 100, 0.1) AS m FROM big GROUP BY id / 10) s;
RESET ALL;

-- cursors: what was drawn stays
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT g, idp_median(id, 0.0001) FROM big GROUP BY g ORDER BY g;
CREATE TEMP TABLE seen (n int, g int, m int);
DO $$
DECLARE c refcursor := 'c'; r record;
BEGIN
  FETCH FORWARD FROM c INTO r; INSERT INTO seen VALUES (1, r.g, r.idp_median);
  FETCH FORWARD FROM c INTO r;
  FETCH BACKWARD FROM c INTO r; INSERT INTO seen VALUES (2, r.g, r.idp_median);
END $$;
SELECT count(DISTINCT (g, m)) AS draws FROM seen;
COMMIT;

-- a prepared statement, more often than the plan cache needs to go generic
PREPARE p(float8, int) AS SELECT idp_kth_largest(x, $1, $2) FROM big;
EXECUTE p(0.1, 100);
EXECUTE p(0.1, 1100);
EXECUTE p(0.1, 2100);
EXECUTE p(0.1, 3100);
EXECUTE p(0.1, 4100);
EXECUTE p(0.1, 5100);
EXECUTE p(0.1, 6100);
SET plan_cache_mode = force_generic_plan;
EXECUTE p(0.1, 7100);
RESET plan_cache_mode;
DROP TABLE big, parts, kinds, seen;

-- Group privacy: epsilons[i] protects groups of i records.

-- one element is the scalar
CREATE AGGREGATE median_state(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE median_state(int, idp.epsilons) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE sum_state(int, float8, int, int) (SFUNC = idp.idp_sum_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE sum_state(int, idp.epsilons, int, int) (SFUNC = idp.idp_sum_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.int4_final);
SELECT median_state(x, ARRAY[0.5])::text = median_state(x, 0.5)::text AS median, sum_state(x, ARRAY[0.5], 0, 9)::text = sum_state(x, 0.5, 0, 9)::text AS sum,
  median_state(x, ARRAY[0.5, 0.5])::text = median_state(x, 0.5)::text AS two FROM generate_series(1, 9) x;

-- D1 = {0,0,0,0,1}: no single record moves the median, two do
SELECT epsilons, count(DISTINCT m) FILTER (WHERE n = 1) AS one_answer, count(DISTINCT m) FILTER (WHERE n = 2) > 50 AS noisy
FROM generate_series(1, 200) i, LATERAL (
  SELECT 1 AS n, 'scalar' AS epsilons, idp_median(x, 0.01) AS m FROM unnest(ARRAY[0,0,0,0,1]) x WHERE i = i
  UNION ALL SELECT 1, 'one', idp_median(x, ARRAY[0.01]) FROM unnest(ARRAY[0,0,0,0,1]) x WHERE i = i
  UNION ALL SELECT 2, 'two', idp_median(x, ARRAY[0.01, 0.01]) FROM unnest(ARRAY[0,0,0,0,1]) x WHERE i = i
  UNION ALL SELECT 2, 'second small', idp_median(x, ARRAY[1e300, 0.01]) FROM unnest(ARRAY[0,0,0,0,1]) x WHERE i = i
  UNION ALL SELECT 1, 'second large', idp_median(x, ARRAY[0.01, 1e300]) FROM unnest(ARRAY[0,0,0,0,1]) x WHERE i = i) s
GROUP BY epsilons ORDER BY epsilons;

-- every order statistic in every type: ten values of each of 1..9, exact for groups of up to five
CREATE TABLE tens AS
SELECT v AS i4, v::smallint AS i2, v::bigint AS i8, v::real AS f4, v::float8 AS f8, v::numeric AS n, (v / 4.0)::numeric(6, 2) AS n2, date '2020-01-01' + v AS d,
  timestamp '2020-01-01' + v * interval '1 hour' AS ts, timestamptz '2020-01-01 00:00+00' + v * interval '1 hour' AS tz FROM generate_series(1, 9) v, generate_series(1, 10);
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT idp_median(i2, ARRAY[0.1, 0.1, 0.1]) AS i2, idp_median(i4, ARRAY[0.1, 0.1, 0.1]) AS i4, idp_median(i8, ARRAY[0.1, 0.1, 0.1]) AS i8, idp_median(f4, ARRAY[0.1, 0.1, 0.1]) AS f4,
  idp_median(f8, ARRAY[0.1, 0.1, 0.1]) AS f8, idp_median(n, ARRAY[0.1, 0.1, 0.1]) AS n, idp_median(n2, ARRAY[0.1, 0.1, 0.1]) AS n2, idp_median(d, ARRAY[0.1, 0.1, 0.1]) AS d,
  idp_median(ts, ARRAY[0.1, 0.1, 0.1]) AS ts, idp_median(tz, ARRAY[0.1, 0.1, 0.1]) AS tz FROM tens;
SELECT idp_quantile(i4, ARRAY[0.1, 0.1, 0.1], 0.28) AS quantile, idp_min(i4, ARRAY[0.1, 0.1, 0.1], 1) AS min, idp_max(i4, ARRAY[0.1, 0.1, 0.1], 9) AS max,
  idp_kth_smallest(i4, ARRAY[0.1, 0.1, 0.1], 5) AS smallest, idp_kth_largest(i4, ARRAY[0.1, 0.1, 0.1], 15) AS largest, idp_kth_largest(d, ARRAY[0.1, 0.1, 0.1], 5) AS date FROM tens;
SELECT idp_max(i4, ARRAY[1e300, 1e300], 20) AS max, idp_min(i4, ARRAY[1e300, 1e300], -20) AS min, idp_sum(i4, ARRAY[1e300, 1e300], 0, 20) AS sum,
  idp_avg(n2, ARRAY[1e300, 1e300], 0, 20) AS avg, idp_sum(i4, ARRAY[0.1, 0.1], 0, 0) AS zero, idp_avg(i4, ARRAY[0.1, 0.1], 7, 7) AS seven FROM tens;

-- where a group can reach beyond the data and there is no bound the answer is suppressed
SELECT n, idp_median(x, ARRAY[1, 1]) IS NULL AS two, idp_median(x, ARRAY[1, 1, 1]) IS NULL AS three, idp_kth_largest(x, ARRAY[1, 1, 1], 3) IS NULL AS third_largest,
  idp_kth_largest(x, ARRAY[1, 1], 3) IS NULL AS with_two, idp_max(x, ARRAY[1, 1], 9) IS NULL AS max, idp_sum(x, ARRAY[1, 1], 0, 9) IS NULL AS sum
FROM generate_series(0, 7) n LEFT JOIN LATERAL generate_series(1, n) x ON true GROUP BY n ORDER BY n;

-- at most 32
SELECT n, idp_median(5, array_fill(0.1::float8, ARRAY[32])) AS exact FROM generate_series(64, 65) n, generate_series(1, n) GROUP BY n ORDER BY n;
SELECT idp_sum(x, array_fill(1e300::float8, ARRAY[32]), -5, 5) AS sum, idp_avg(x, array_fill(1e300::float8, ARRAY[32]), -5, 5) AS avg FROM generate_series(1, 3) x;

-- parallel and partition-wise plans
CREATE TABLE big (g int, x int) WITH (parallel_workers = 2);
INSERT INTO big SELECT i % 4, (i + 300) / 1000 FROM generate_series(1, 200000) i;
CREATE TABLE parts (LIKE big) PARTITION BY LIST (g);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN (0, 1);
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN (2, 3);
INSERT INTO parts SELECT * FROM big;
ANALYZE big, parts;
SELECT idp_median(x, ARRAY[0.1, 0.2, 0.1]) AS median, idp_sum(x, ARRAY[1e300, 1e300], 0, 100) AS sum, idp_avg(x, ARRAY[1e300, 1e300], 0, 100) AS avg, idp_max(x, ARRAY[0.1, 0.1], 150) AS max FROM big;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT idp_median(x, ARRAY[0.1, 0.2, 0.1]), idp_sum(x, ARRAY[1e300, 1e300], 0, 100) FROM big;
SELECT idp_median(x, ARRAY[0.1, 0.2, 0.1]) AS median, idp_sum(x, ARRAY[1e300, 1e300], 0, 100) AS sum, idp_avg(x, ARRAY[1e300, 1e300], 0, 100) AS avg, idp_max(x, ARRAY[0.1, 0.1], 150) AS max FROM big;
SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT g % 2, idp_avg(x, ARRAY[0.1, 0.2], 0, 9) FROM parts GROUP BY g % 2;
SELECT g % 2 AS odd, idp_median(x, ARRAY[0.1, 0.2, 0.1]) AS median, idp_sum(x, ARRAY[1e300, 1e300], 0, 100) AS sum, idp_avg(x, ARRAY[1e300, 1e300], 0, 100) AS avg, idp_max(x, ARRAY[0.1, 0.1], 150) AS max FROM parts GROUP BY 1 ORDER BY 1;
RESET ALL;

-- states of different groups do not combine; those of equal ones do
SELECT merge(s) FROM (SELECT median_state(1, ARRAY[0.5, 0.5]) UNION ALL SELECT median_state(1, 0.5)) p (s);
SELECT merge(s) FROM (SELECT median_state(1, ARRAY[0.5, 0.5]) UNION ALL SELECT median_state(1, ARRAY[0.5, 0.6])) p (s);
SELECT merge(s::text::idp_state) FROM (SELECT median_state(i4, ARRAY[0.1, 0.2, 0.1]) FROM tens GROUP BY i4 % 3) p (s);

-- the array is a constant or a parameter, as the scalar is
PREPARE p(float8[]) AS SELECT idp_median(i4, $1) FROM tens;
EXECUTE p(ARRAY[0.1, 0.1]);
EXECUTE p('{0.1, 0.1}');
EXECUTE p('{}');
EXECUTE p(NULL);
SET plan_cache_mode = force_generic_plan;
EXECUTE p(ARRAY[0.1, 0.1, 0.1]);
EXECUTE p(ARRAY[0.1, 0.1, -0.1]);
RESET plan_cache_mode;
DEALLOCATE p;
PREPARE q(float8) AS SELECT idp_median(i4, ARRAY[$1, $1 / 2]) FROM tens;
SET plan_cache_mode = force_generic_plan;
EXECUTE q(0.1);
EXECUTE q(NULL);
RESET plan_cache_mode;
DEALLOCATE q;
CREATE TABLE arrays AS SELECT i4 AS x, ARRAY[0.1, 0.1]::float8[] AS e FROM tens;
SELECT idp_median(x, e) FROM arrays;
SELECT idp_median(x, ARRAY[0.1, x]) FROM arrays;
SELECT idp_sum(x, ARRAY[0.1, random()], 0, 9) FROM arrays;
SELECT idp_avg(x, (SELECT ARRAY[0.1, 0.1]::float8[]), 0, 9) FROM arrays;
SELECT idp_quantile(x, '[3:4]={0.1,0.1}'::float8[], 0.5) AS other_subscripts FROM arrays;
-- and every element follows its rule
SELECT idp_median(x, '{}'::float8[]) FROM arrays;
SELECT idp_median(x, NULL::float8[]) FROM arrays;
SELECT idp_quantile(x, ARRAY[0.1, NULL], 0.5) FROM arrays;
SELECT idp_min(x, ARRAY[[0.1, 0.1], [0.1, 0.1]], 0) FROM arrays;
SELECT idp_max(x, array_fill(0.1::float8, ARRAY[33]), 9) FROM arrays;
SELECT idp_kth_smallest(x, ARRAY[0.1, 0], 2) FROM arrays;
SELECT idp_kth_largest(x, ARRAY[0, 0.1], 2) FROM arrays;
SELECT idp_sum(x, ARRAY[0.1, -1], 0, 9) FROM arrays;
SELECT idp_avg(x, ARRAY[0.1, 'NaN'], 0, 9) FROM arrays;
SELECT idp_avg(x, ARRAY['infinity'::float8], 0, 9) FROM arrays;
SELECT idp_median(x, ARRAY[0.1, -1]) FILTER (WHERE false) FROM arrays;
SELECT idp_median(x, ARRAY[0.1, -1]) FROM arrays WHERE false GROUP BY x;
SELECT idp_median(x, ARRAY[0.1, 0.1]) OVER () FROM arrays;
SELECT idp_sum(x, ARRAY[0.1, 0.1], 0, 9) OVER () FROM arrays;
SELECT idp_avg(x, ARRAY[0.1, 0.1], 0, 9) OVER () FROM arrays;
-- no groups where no closed form is known
\set VERBOSITY terse
SELECT idp_variance(x, ARRAY[0.1, 0.1], 0, 9) FROM arrays;
\set VERBOSITY default
DROP TABLE tens, big, parts, arrays;
DROP AGGREGATE median_state(int, float8), median_state(int, idp.epsilons), sum_state(int, float8, int, int), sum_state(int, idp.epsilons, int, int), merge(idp_state);

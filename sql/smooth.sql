-- Order statistics by smooth sensitivity, and by global sensitivity for comparison.

-- Every type. Ties and a large epsilon leave no noise: nothing near can change the answer.
CREATE TABLE ranks AS SELECT v, date '2000-01-01' + v AS d FROM generate_series(1, 9) v, generate_series(1, 200);
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE FUNCTION answer(call text, rows text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; BEGIN EXECUTE format('SELECT (%s)::text FROM %s', call, rows) INTO answer; RETURN answer; END $$;
SELECT arguments, answer(format('dp_median_smooth(%s)', arguments), 'ranks') AS smooth, answer(format('dp_median_global(%s)', arguments), 'ranks') AS global FROM (VALUES
  ('v::smallint, 1e300, 0::smallint, 1000::smallint'),
  ('v, 1e300, 0, 1000'),
  ('v::bigint, 1e300, 0, 1000'),
  ('v::real, 1e300, 0, 1000'),
  ('v::float8, 1e300, 0, 1000'),
  ('v::numeric, 1e300, 0, 1000'),
  ('v::numeric(6, 2), 1e300, 0, 1000'),
  ($$d, 1e300, '2000-01-01', '2010-01-01'$$),
  ($$d::timestamp, 1e300, '2000-01-01', '2010-01-01'$$),
  ($$d::timestamptz, 1e300, '2000-01-01', '2010-01-01'$$)) cases (arguments);
SELECT call, answer(call, 'ranks') FROM (VALUES
  ('dp_max_smooth(v, 1e300, 0, 1000)'),
  ('dp_max_global(v, 1e300, 0, 1000)'),
  ('dp_quantile_smooth(v, 1e300, 0, 1000, 0.25)'),
  ('dp_quantile_smooth(v, 1e300, 0, 1000, 0)'),
  ('dp_quantile_smooth(v, 1e300, 0, 1000, 1)'),
  ($$dp_quantile_smooth(d, 1e300, '2000-01-01', '2010-01-01', 0.9)$$),
  ('dp_max_smooth(v, 1e300, 0, 5)'),
  ('dp_median_smooth(v, 1e300, 7, 1000)'),
  ('dp_max_global(v, 1e300, 0, 5)')) cases (call);
SELECT gamma, count(*) AS answers, bool_and(m = 5 AND q = 3 AND x = 9) AS right FROM (
  SELECT 2 AS gamma, dp_median_smooth(v, 1e300, 0, 1000, 2) AS m, dp_quantile_smooth(v, 1e300, 0, 1000, 0.25, 2) AS q, dp_max_smooth(v, 1e300, 0, 1000, 2) AS x FROM ranks
  UNION ALL SELECT 3, dp_median_smooth(v, 1e300, 0, 1000, 3), dp_quantile_smooth(v, 1e300, 0, 1000, 0.25, 3), dp_max_smooth(v, 1e300, 0, 1000, 3) FROM ranks
  UNION ALL SELECT 4, dp_median_smooth(v, 1e300, 0, 1000, 4), dp_quantile_smooth(v, 1e300, 0, 1000, 0.25, 4), dp_max_smooth(v, 1e300, 0, 1000, 4) FROM ranks) g GROUP BY gamma ORDER BY gamma;
-- the rank is percentile_disc's
SELECT count(*) AS wrong FROM generate_series(1, 60) n, unnest(ARRAY[0, 0.1, 0.3, 0.5, 0.77, 1]) f, LATERAL (SELECT percentile_disc(f) WITHIN GROUP (ORDER BY v) AS p FROM generate_series(1, n) v) s,
  LATERAL (SELECT CASE f WHEN 0 THEN dp_quantile_smooth(v, 1e300, -9, 99, 0) WHEN 0.1 THEN dp_quantile_smooth(v, 1e300, -9, 99, 0.1) WHEN 0.3 THEN dp_quantile_smooth(v, 1e300, -9, 99, 0.3)
    WHEN 0.5 THEN dp_median_smooth(v, 1e300, -9, 99) WHEN 0.77 THEN dp_quantile_smooth(v, 1e300, -9, 99, 0.77) ELSE dp_max_smooth(v, 1e300, -9, 99) END AS q FROM generate_series(1, n) v) t WHERE p <> q;

-- nothing, NULL and NaN, infinity, one row, equal bounds: always an answer
SELECT rows, call, answer(call, rows) FROM (VALUES
  ('generate_series(1, 0) x', 'dp_median_smooth(x, 1e300, 2, 6)'),
  ('generate_series(1, 0) x', 'dp_max_smooth(x, 1e300, 2, 6)'),
  ('generate_series(1, 0) x', 'dp_quantile_smooth(x, 1e300, 2, 6, 0.1)'),
  ('generate_series(1, 0) x', 'dp_median_global(x, 1e300, 2, 6)'),
  ('generate_series(1, 0) x', 'dp_max_global(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['NaN', NULL]::float8[]) x$$, 'dp_median_smooth(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['NaN', NULL]::float8[]) x$$, 'dp_max_global(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['inf', '-inf', 'NaN', NULL, '-inf']::float8[]) x$$, 'dp_median_smooth(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['inf', '-inf', 'NaN', NULL, '-inf']::float8[]) x$$, 'dp_max_smooth(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['inf', '-inf', 'NaN', NULL, '-inf']::float8[]) x$$, 'dp_max_global(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['inf', '-inf', 'NaN', NULL, '-inf']::numeric[]) x$$, 'dp_median_smooth(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['inf', '-inf', 'NaN', NULL, '-inf']::numeric[]) x$$, 'dp_max_smooth(x, 1e300, 2, 6)'),
  ($$unnest(ARRAY['inf', '-inf', 'NaN', NULL, '-inf']::numeric[]) x$$, 'dp_max_global(x, 1e300, 2, 6)'),
  ('generate_series(3, 3) x', 'dp_median_smooth(x, 1e300, 2, 6)'),
  ('generate_series(3, 3) x', 'dp_max_smooth(x, 1e300, 2, 6)'),
  ('generate_series(3, 3) x', 'dp_median_global(x, 1e300, 2, 6)'),
  ('generate_series(1, 9) x', 'dp_median_smooth(x, 1e-18, 7, 7)'),
  ('generate_series(1, 9) x', 'dp_max_smooth(x, 1e-18, 7, 7, 2)'),
  ('generate_series(1, 9) x', 'dp_quantile_smooth(x, 1e-18, 7, 7, 0.5)'),
  ('generate_series(1, 9) x', 'dp_median_global(x, 1e-18, 7, 7)'),
  ('generate_series(1, 9) x', 'dp_max_global(x::float8, 1e-18, 0.1, 0.1)')) cases (rows, call);

-- answers vary and stay between the bounds, whatever epsilon is
SELECT gamma, count(m + q + x) AS answers, bool_and(m BETWEEN 20 AND 80 AND q BETWEEN 20 AND 80 AND x BETWEEN 20 AND 120) AS in_bounds, count(DISTINCT m) > 20 AND count(DISTINCT q) > 20 AND count(DISTINCT x) > 20 AS vary FROM generate_series(1, 1000) i, LATERAL (
  SELECT 2 AS gamma, dp_median_smooth(v, 0.9, 20, 80, 2) AS m, dp_quantile_smooth(v, 0.9, 20, 80, 0.25, 2) AS q, dp_max_smooth(v, 0.9, 20, 120, 2) AS x FROM generate_series(1, 99) v WHERE i = i
  UNION ALL SELECT 3, dp_median_smooth(v, 0.9, 20, 80), dp_quantile_smooth(v, 0.9, 20, 80, 0.25), dp_max_smooth(v, 0.9, 20, 120) FROM generate_series(1, 99) v WHERE i = i
  UNION ALL SELECT 4, dp_median_smooth(v, 0.9, 20, 80, 4), dp_quantile_smooth(v, 0.9, 20, 80, 0.25, 4), dp_max_smooth(v, 0.9, 20, 120, 4) FROM generate_series(1, 99) v WHERE i = i) s GROUP BY gamma ORDER BY gamma;
SELECT count(m + x) AS answers, bool_and(m BETWEEN 20 AND 80 AND x BETWEEN 20 AND 80) AS in_bounds, count(DISTINCT m) > 20 AND count(DISTINCT x) > 20 AS vary
FROM generate_series(1, 1000) i, LATERAL (SELECT dp_median_global(v, 2, 20, 80) AS m, dp_max_global(v, 2, 20, 80) AS x FROM generate_series(1, 99) v WHERE i = i) s;
SELECT bool_and(least(a, b, c, d) >= -1.5 AND greatest(a, b, c, d) <= 1e10) AS in_bounds, count(a + b + c + d) AS answers, count(DISTINCT a) = 2 AS only_ends, bool_and(d BETWEEN 0 AND 1e-200) AS exact
FROM generate_series(1, 300) i, LATERAL (SELECT dp_quantile_smooth(x, 1e-18, -1.5, 1e10, 0.9) AS a, dp_max_smooth(x, 1, -1.5, 1e10, 2) AS b, dp_median_global(x, 1e-18, -1.5, 1e10) AS c, dp_median_smooth(x, 1e300, -1.5, 1e10) AS d
  FROM unnest(ARRAY['-inf', 'NaN', 0, 1e-300, 'inf', NULL, 1e300]::float8[]) x WHERE i = i) s;
SELECT bool_and(m BETWEEN '-1e30' AND '1e30' AND g BETWEEN '-1e30' AND '1e30') AS in_bounds, count(DISTINCT m) > 50 AND count(DISTINCT g) > 50 AS vary
FROM generate_series(1, 200) i, LATERAL (SELECT dp_median_smooth(v::numeric(38, 5), 5, -1e30, 1e30) AS m, dp_median_global(v::numeric(38, 5), 5, -1e30, 1e30) AS g FROM generate_series(1, 9) v WHERE i = i) s;
SELECT bool_and(m BETWEEN '4714-11-24 BC' AND '5874897-12-31') AS dates FROM generate_series(1, 200) i, LATERAL (SELECT dp_median_smooth(d, 0.1, '4714-11-24 BC', '5874897-12-31') AS m FROM unnest(ARRAY['-infinity', 'infinity', '2000-01-01']::date[]) d WHERE i = i) s;
SELECT count(m) AS bigints FROM generate_series(1, 200) i, LATERAL (SELECT dp_median_smooth(x, 0.1, '-9223372036854775808', 9223372036854775807) AS m FROM unnest(ARRAY[-9223372036854775808, 9223372036854775807, 0]::bigint[]) x WHERE i = i) s;
-- where the data are dense round the rank the noise is small; the global one does not know
SELECT avg(abs(m - 500)) < 50 AS smooth, avg(abs(g - 500)) > 100 AS global FROM generate_series(1, 200) i, LATERAL (SELECT dp_median_smooth(500 + v % 2, 1, 0, 1000) AS m, dp_median_global(500 + v % 2, 1, 0, 1000) AS g FROM generate_series(1, 400) v WHERE i = i) s;

-- plans: the same answers where the noise does not show
CREATE TABLE big (g int, x int) PARTITION BY LIST (g);
CREATE TABLE big_a PARTITION OF big FOR VALUES IN (0) WITH (parallel_workers = 2);
CREATE TABLE big_b PARTITION OF big FOR VALUES IN (1) WITH (parallel_workers = 2);
INSERT INTO big SELECT i % 2, (i + 3000) / 10000 FROM generate_series(1, 200000) i;
ANALYZE big;
SET max_parallel_workers_per_gather = 0;
SELECT dp_median_smooth(x, 50, 0, 99) AS median, dp_quantile_smooth(x, 50, 0, 99, 0.9, 2) AS quantile, dp_max_smooth(x, 50, 0, 20) AS max, dp_median_global(x, 1e5, 0, 99) AS global FROM big;
SET enable_partitionwise_aggregate = on;
SELECT g, dp_median_smooth(x, 50, 0, 99) AS median, dp_quantile_smooth(x, 50, 0, 99, 0.9, 2) AS quantile, dp_max_smooth(x, 50, 0, 20) AS max, dp_max_global(x, 1e5, 0, 20) AS global FROM big GROUP BY g ORDER BY g;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET parallel_leader_participation = off;
SET enable_partitionwise_aggregate = off;
EXPLAIN (COSTS OFF) SELECT dp_median_smooth(x, 50, 0, 99) FROM big;
SELECT dp_median_smooth(x, 50, 0, 99) AS median, dp_quantile_smooth(x, 50, 0, 99, 0.9, 2) AS quantile, dp_max_smooth(x, 50, 0, 20) AS max, dp_median_global(x, 1e5, 0, 99) AS global FROM big;
SELECT dp_median_smooth(x, 1e300, 4, 10) AS median, dp_max_global(x, 1e300, 4, 10) AS global FROM big WHERE x < 0;
RESET ALL;
PREPARE p(float8, int, int, int) AS SELECT dp_median_smooth(x, $1, $2, $3, $4), dp_max_global(x, $1, $2, $3) FROM big;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(1e5, 0, 20, 3);
EXECUTE p(1e5, 0, 5, 2);
EXECUTE p(1e5, 0, 5, 5);
EXECUTE p(1e5, 0, 5, NULL);
RESET plan_cache_mode;
DEALLOCATE p;
-- ORDER BY in the call does not matter, and is not an argument
SELECT dp_median_smooth(x, 50, 0, 99 ORDER BY x) AS median, dp_median_smooth(x, 50, 0, 99 ORDER BY g DESC) AS by_another, dp_median_smooth(x, 50, 0, 99, 2 ORDER BY x DESC) AS gamma FROM big;

-- states; gamma 3 said or not is the same call
CREATE AGGREGATE state_of(int, float8, int, int) (SFUNC = idp.dp_median_smooth_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE state_of(int, float8, int, int, bigint) (SFUNC = idp.dp_median_smooth_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.int4_final);
SELECT state_of(x, 1, 0, 9)::text = state_of(x, 1, 0, 9, 3)::text AS three, state_of(x, 1, 0, 9)::text = state_of(x, 1, 0, 9, 4)::text AS four FROM generate_series(1, 9) x;
SELECT merge(s) AS merged, merge(s::text::idp_state) AS through_text FROM (SELECT state_of(x, 50, 0, 99) FROM big GROUP BY g) p (s);
SELECT merge(s) FROM (SELECT state_of(1, 50, 0, 99) UNION ALL SELECT state_of(1, 50, 0, 99, 2)) p (s);

-- arguments
SELECT dp_median_smooth(v, 1, 0, 9, 5) FROM ranks;
SELECT dp_quantile_smooth(v, 1, 0, 9, 0.5, 1) FROM ranks;
SELECT dp_max_smooth(v, 1, 0, 9, 0) FILTER (WHERE false) FROM ranks;
SELECT dp_max_smooth(v, 1, 0, 9, v) FROM ranks;
SELECT dp_max_smooth(v, 1, 0, 9, NULL::integer) FROM ranks;
SELECT dp_quantile_smooth(v, 1, 0, 9, 1.5) FROM ranks;
SELECT dp_median_smooth(v, -1, 0, 9) FROM ranks;
SELECT dp_median_smooth(v, 1, 9, 0) FROM ranks;
SELECT dp_median_smooth(v::float8, 1, 0, 'infinity') FROM ranks;
SELECT dp_median_global(v::numeric, 1, 'NaN', 1) FROM ranks;
SELECT dp_max_global(v::numeric(5, 2), 1, 0.001, 0.002) FROM ranks;
SELECT dp_median_global(v, 'NaN', 0, 9) FROM ranks;
SELECT dp_max_global(v, 1, NULL, 9) FROM ranks;
SELECT dp_median_smooth(v, 1, 0, 9) OVER () FROM ranks;
SELECT dp_median_smooth(v, 1, 0, 9, 2) OVER () FROM ranks;
SELECT dp_quantile_smooth(v, 1, 0, 9, 0.5) OVER () FROM ranks;
SELECT dp_max_smooth(v, 1, 0, 9) OVER () FROM ranks;
SELECT dp_median_global(v, 1, 0, 9) OVER () FROM ranks;
SELECT dp_max_global(v, 1, 0, 9) OVER () FROM ranks;
DROP TABLE ranks, big;
DROP AGGREGATE state_of(int, float8, int, int), state_of(int, float8, int, int, bigint), merge(idp_state);
DROP FUNCTION answer(text, text);

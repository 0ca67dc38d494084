-- Sums, averages, variances and standard deviations. At epsilon 1e300 there is no noise to be seen:
-- the answers are the values themselves, rounded down to the grid of the result.
SET timezone = 'UTC';

-- How the ten aggregates over a column of decimals or integers compare with the exact values over
-- the clamped column. A value rounded down to a multiple of u is v with v <= value < v + u; this is
-- decided without a division, because sum, squares and count are exact. scale: of the column's grid; digits: how
-- many more an average has.
CREATE FUNCTION exact_decimals(source text, type text, scale int, lower text, upper text, digits int DEFAULT 16)
RETURNS TABLE (rows bigint, sum bool, avg bool, variance bool, stddev bool) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT n, s1 = s AND s2 = s AND s3 = s, down(a1, s, n, 1, u) AND down(a2, s, n, 1, u) AND down(a3, s, n, 1, u),
      down(v1, n * q - s * s, n * n, 1, uv) AND down(v2, n * q - s * s, n * n, 1, uv),
      down(d1, n * q - s * s, n * n, 2, u) AND down(d2, n * q - s * s, n * n, 2, u)
    FROM (SELECT idp_sum(x, 1e300, %4$s, %5$s) AS s1, dp_sum(x, 1e300, %4$s, %5$s) AS s2, idp_sum(x, ARRAY[1e300, 1e300], %4$s, %5$s) AS s3,
            idp_avg(x, 1e300, %4$s, %5$s) AS a1, dp_avg(x, 1e300, %4$s, %5$s) AS a2, idp_avg(x, ARRAY[1e300, 1e300, 1e300], %4$s, %5$s) AS a3,
            idp_variance(x, 1e300, %4$s, %5$s) AS v1, dp_variance(x, 1e300, %4$s, %5$s) AS v2,
            idp_stddev(x, 1e300, %4$s, %5$s) AS d1, dp_stddev(x, 1e300, %4$s, %5$s) AS d2,
            count(c) AS n, coalesce(sum(c), 0) AS s, coalesce(sum(c * c), 0) AS q
          FROM (SELECT x, CASE WHEN x::numeric <> 'NaN' THEN floor(greatest(least(x::numeric, %5$s), %4$s) / step) * step END AS c
                FROM (SELECT x::%2$s FROM (%1$s) s (x)) t, (SELECT '1e%3$s'::numeric AS step) g) t) t,
      (SELECT '1e%6$s'::numeric AS u, '1e%7$s'::numeric AS uv) units$q$,
    source, type, -scale, lower, upper, -scale - digits, CASE WHEN digits = 0 THEN 0 ELSE -scale END - scale - digits);
END $$;
-- v is numerator/denominator, or its square root, rounded down to a multiple of u; no rows: 0
CREATE FUNCTION down(v numeric, numerator numeric, denominator numeric, power int, u numeric) RETURNS bool LANGUAGE sql AS $$
  SELECT CASE WHEN denominator = 0 THEN v IS NOT NULL
    WHEN power = 1 THEN v * denominator <= numerator AND (v + u) * denominator > numerator AND v % u = 0
    ELSE v * v * denominator <= numerator AND (v + u) * (v + u) * denominator > numerator AND v % u = 0 END $$;

-- every type of integers and decimals; some values lie outside the bounds
CREATE TABLE d AS SELECT v FROM generate_series(-1000, 1000, 7) v, generate_series(1, 3);
SELECT t.type, e.* FROM (VALUES ('smallint', 0, 16), ('integer', 0, 16), ('bigint', 0, 16), ('numeric(12, 3)', 3, 16), ('numeric', 16, 0),
  ('numeric(38)', 0, 16), ('numeric(38, 20)', 20, 16), ('numeric(18)', 0, 16)) t (type, scale, digits),
  LATERAL exact_decimals('SELECT v / 1.0001 FROM d', t.type, t.scale, '''-500''::' || t.type, '''800''::' || t.type, t.digits) e;
-- a negative scale, where the server has them: from PostgreSQL 15 on
SELECT e.* FROM (SELECT CASE WHEN current_setting('server_version_num')::int >= 150000 THEN -1 ELSE 0 END AS scale) v,
  LATERAL exact_decimals('SELECT v / 1.0001 FROM d', format('numeric(%s, %s)', 4 + scale, scale), scale, '-500', '800') e;
-- the bounds at one end, at no place of the grid, beyond the data, far away
SELECT b.*, e.* FROM (VALUES ('0', '500'), ('-500', '0'), ('17', '18'), ('-3000', '-990'), ('0.0005', '7.7777'), ('-1e9', '1e9'), ('1e5', '2e5')) b (lower, upper),
  LATERAL exact_decimals('SELECT v / 1.0001 FROM d', 'numeric(20, 3)', 3, ceil(b.lower::numeric * 1000) / 1000 || '::numeric', floor(b.upper::numeric * 1000) / 1000 || '::numeric') e;
SELECT idp_sum(x, 1e300, 0.0005, 7.7777), dp_sum(x, 1e300, 0.0005, 7.7777), idp_avg(x, 1e300, 0.0005, 7.7777) FROM (SELECT v::numeric(5, 3) AS x FROM (VALUES (-3), (2), (50)) s (v)) t;
SELECT idp_sum(x::numeric(5, 3), 1, 0.0001, 0.0002) FROM (VALUES (1)) s (x);

-- floats: values that fit the grid of the bounds are added up exactly
CREATE TABLE f AS SELECT v / 8.0 AS v FROM d;
SELECT idp_sum(v::float8, 1e300, -60, 100) = s AS sum, dp_sum(v::float8, 1e300, -60, 100) = s AS dp_sum,
  idp_sum(v::real, 1e300, -60, 100) = s AS real, dp_sum(v::real, 1e300, -60, 100) = s AS dp_real,
  abs(idp_avg(v::float8, 1e300, -60, 100) - a) < 1e-13 AS avg, abs(dp_avg(v::float8, 1e300, -60, 100) - a) < 1e-13 AS dp_avg,
  abs(idp_avg(v::real, 1e300, -60, 100) - a) < 1e-13 AS real_avg,
  abs(idp_variance(v::float8, 1e300, -60, 100) / var - 1) < 1e-14 AS variance, abs(dp_variance(v::float8, 1e300, -60, 100) / var - 1) < 1e-14 AS dp_variance,
  abs(idp_stddev(v::float8, 1e300, -60, 100) / dev - 1) < 1e-14 AS stddev, abs(dp_stddev(v::float8, 1e300, -60, 100) / dev - 1) < 1e-14 AS dp_stddev,
  abs(idp_stddev(v::real, 1e300, -60, 100) / dev - 1) < 1e-14 AS real_stddev
FROM f, (SELECT sum(c)::float8 AS s, avg(c)::float8 AS a, var_pop(c)::float8 AS var, stddev_pop(c)::float8 AS dev
         FROM (SELECT greatest(least(v, 100), -60) AS c FROM f) t) native
GROUP BY s, a, var, dev;
-- others to within a step of 2^-52 of the larger bound for each row
SELECT abs(idp_sum(x, 1e300, -1, 1) - s) < n * 4e-16 AS sum, abs(idp_avg(x, 1e300, -1, 1) - s / n) < 1e-15 AS avg,
  abs(dp_variance(x, 1e300, -1, 1) / v - 1) < 1e-12 AS variance, abs(dp_stddev(x, 1e300, -1, 1) / sqrt(v) - 1) < 1e-12 AS stddev
FROM (SELECT sin(v * v) AS x FROM d) t, (SELECT sum(sin(v * v)) AS s, count(*) AS n, var_pop(sin(v * v)) AS v FROM d) native GROUP BY s, n, v;

-- the result types are those of the native aggregates
SELECT DISTINCT p.proname, p.proargtypes[0]::regtype AS column, p.prorettype::regtype AS result
FROM pg_proc p WHERE p.proname ~ '^i?dp_(sum|avg|variance|stddev)$' AND p.prorettype <>
  (SELECT native.prorettype FROM pg_proc native WHERE native.prokind = 'a' AND native.pronargs = 1 AND native.proargtypes[0] = p.proargtypes[0]
   AND native.proname = CASE split_part(p.proname, '_', 2) WHEN 'variance' THEN 'var_pop' WHEN 'stddev' THEN 'stddev_pop' ELSE split_part(p.proname, '_', 2) END);
SELECT count(*) AS aggregates FROM pg_proc WHERE proname ~ '^i?dp_(sum|avg|variance|stddev)$' AND prokind = 'a';

-- NULL and NaN are no rows, infinity is beyond every bound
SELECT dp_sum(x, 1e300, -4, 5) AS sum, idp_avg(x, 1e300, -4, 5) AS avg, dp_avg(x, 1e300, -4, 5) AS dp_avg, idp_variance(x, 1e300, -4, 5) AS variance,
  dp_stddev(x, 1e300, -4, 5) AS stddev FROM unnest(ARRAY[NULL, 'NaN', '-inf', '-inf', 'inf', 'inf', 3, 3, -0.0]::float8[]) x;
SELECT dp_sum(x, 1e300, -4, 5) AS sum, idp_avg(x, 1e300, -4, 5) AS avg, dp_avg(x, 1e300, -4, 5) AS dp_avg, idp_variance(x, 1e300, -4, 5) AS variance,
  dp_stddev(x, 1e300, -4, 5) AS stddev FROM unnest(ARRAY[NULL, 'NaN', '-inf', '-inf', 'inf', 'inf', 3, 3, -0.0]::numeric[]) x;
SELECT idp_sum(x, 1e300, -4, 5) AS sum, idp_avg(x, 1e300, -4, 5) AS avg FROM unnest(ARRAY[NULL, 'NaN', '-inf', 'inf', 'inf', 3]::real[]) x;
-- of no rows, those that have a noisy count are NULL; without one an average is the middle of the bounds, a spread 0
SELECT idp_sum(x, 1e300, 2, 5) AS sum, dp_sum(x, 1e300, 2, 5) AS dp_sum, idp_avg(x, 1e300, 2, 5) AS avg, dp_avg(x, 1e300, 2, 5) AS dp_avg, idp_variance(x, 1e300, 2, 5) AS variance,
  dp_variance(x, 1e300, 2, 5) AS dp_variance, idp_stddev(x, 1e300, 2, 5) AS stddev, dp_stddev(x, 1e300, 2, 5) AS dp_stddev FROM generate_series(1, 0) x;
SELECT idp_sum(x, 1e300, 2, 5) AS sum, dp_sum(x, 1e300, 2, 5) AS dp_sum, idp_avg(x, 1e300, 2, 5) AS avg, dp_avg(x, 1e300, 2, 5) AS dp_avg, idp_variance(x, 1e300, 2, 5) AS variance,
  dp_variance(x, 1e300, 2, 5) AS dp_variance, idp_stddev(x, 1e300, 2, 5) AS stddev, dp_stddev(x, 1e300, 2, 5) AS dp_stddev FROM unnest(ARRAY[NULL, 'NaN']::float8[]) x;
SELECT g, idp_sum(g, 1e300, 2, 5) FILTER (WHERE g > 4) AS sum, dp_avg(g, 1e300, 2, 5) FILTER (WHERE g > 4) AS avg FROM generate_series(4, 5) g GROUP BY g ORDER BY g;
-- one row, equal rows, equal bounds
SELECT idp_sum(x, 1e300, 2, 5) AS sum, dp_sum(x, 1e300, 2, 5) AS dp_sum, idp_avg(x, 1e300, 2, 5) AS avg, dp_avg(x, 1e300, 2, 5) AS dp_avg, idp_variance(x, 1e300, 2, 5) AS variance,
  dp_variance(x, 1e300, 2, 5) AS dp_variance, idp_stddev(x, 1e300, 2, 5) AS stddev, dp_stddev(x, 1e300, 2, 5) AS dp_stddev FROM generate_series(4, 4) x;
SELECT idp_sum(x, 1e300, 2, 5) AS sum, dp_sum(x, 1e300, 2, 5) AS dp_sum, idp_avg(x, 1e300, 2, 5) AS avg, dp_avg(x, 1e300, 2, 5) AS dp_avg, idp_variance(x, 1e300, 2, 5) AS variance,
  dp_variance(x, 1e300, 2, 5) AS dp_variance, idp_stddev(x, 1e300, 2, 5) AS stddev, dp_stddev(x, 1e300, 2, 5) AS dp_stddev FROM (SELECT 3 FROM d) s (x);
-- of equal bounds only the sum says something, and the noisy count: how many rows there are
SELECT g, dp_sum(x, 1e300, 7, 7) AS sum, idp_avg(x, 1e-9, 7, 7) AS avg, dp_avg(x, 1e300, 7, 7) AS dp_avg, idp_variance(x, 1e-9, 7, 7) AS variance, dp_variance(x, 1e300, 7, 7) AS dp_variance,
  idp_stddev(x, 1e-9, 7, 7) AS stddev, dp_stddev(x, 1e300, 7, 7) AS dp_stddev, idp_sum(x, 1e-9, 0, 0) AS zero, dp_sum(x, 1e-9, 0, 0) AS dp_zero,
  idp_avg(x::float8, 1e-9, 0.1, 0.1) AS tenth, dp_avg(x::real, 1e300, 0.1::real, 0.1::real) = 0.1::real AS real
FROM (SELECT 1, 1 UNION ALL SELECT 1, 100 UNION ALL SELECT 2, NULL) s (g, x) GROUP BY g ORDER BY g;

-- bounds at the ends of the types
SELECT e.* FROM (VALUES ('bigint', '''-9223372036854775808''', '''9223372036854775807'''), ('integer', '''-2147483648''', '''2147483647'''), ('smallint', '''-32768''', '''32767'''),
  ('numeric(38)', '-' || repeat('9', 38), repeat('9', 38)), ('numeric(38,38)', '-0.' || repeat('9', 38), '0.' || repeat('9', 38))) t (type, lower, upper),
  LATERAL exact_decimals(format('VALUES (%s::%s), (%s), (%3$s), (%3$s), (0)', lower, type, upper), type, CASE WHEN type LIKE '%,%' THEN 38 ELSE 0 END, lower || '::' || type, upper || '::' || type) e;
-- a million rows of the largest value
SELECT idp_sum(x, 1e300, 0, 9223372036854775807) = n * 9223372036854775807::numeric AS sum, dp_sum(x, 1e300, '-9223372036854775808', 9223372036854775807) = n * 9223372036854775807::numeric AS dp_sum,
  idp_avg(x, 1e300, '-9223372036854775808', 9223372036854775807) AS avg, idp_variance(x, 1e300, '-9223372036854775808', 9223372036854775807) AS variance
FROM (SELECT 9223372036854775807 AS x FROM generate_series(1, 1000000)) s, (SELECT 1000000::numeric AS n) n GROUP BY n;
SELECT idp_sum(x, 1e300, 0, 2147483647) AS sum, dp_avg(x, 1e300, 0, 2147483647) AS avg FROM (SELECT 2147483647 AS x FROM generate_series(1, 1000000)) s;
SELECT idp_sum(x, 1e300, 0, 1.7976931348623157e308) AS sum, dp_sum(-x, 1e300, -1.7976931348623157e308, 1.7976931348623157e308) AS dp_sum,
  idp_avg(x, 1e300, -1.7976931348623157e308, 1.7976931348623157e308) AS avg, dp_variance(x, 1e300, -1.7976931348623157e308, 1.7976931348623157e308) AS variance
FROM (SELECT 1.7976931348623157e308::float8 AS x FROM generate_series(1, 1000000)) s;
SELECT idp_sum(x, 1e300, 0, 3.4028235e38) AS sum, dp_avg(x, 1e300, 0, 3.4028235e38) = 3.4028235e38::real AS avg FROM (SELECT 3.4028235e38::real AS x FROM generate_series(1, 1000000)) s;
SELECT idp_variance(x, 1e300, -1.7976931348623157e308, 1.7976931348623157e308) AS largest, dp_variance(x, 1e300, -1.7976931348623157e308, 1.7976931348623157e308) AS dp_largest,
  idp_stddev(x, 1e300, -1.7976931348623157e308, 1.7976931348623157e308) AS deviation, dp_stddev(x, 1e300, -4.9e-324, 4.9e-324) AS smallest
FROM (SELECT v * 1.7976931348623157e308::float8 AS x FROM (VALUES (-1), (1)) s (v)) t;
-- numeric without a scale ends near 1.7e22; a declared one does not, up to 38 digits
SELECT idp_sum(x, 1e300, 0, 1e131071) = 1000000 * m AS sum, idp_avg(x, 1e300, -1e131071, 1e131071) = m AS avg, dp_variance(x, 1e300, -1e131071, 1e131071) AS variance
FROM (SELECT 1e131071::numeric AS x FROM generate_series(1, 1000000)) s, (SELECT idp_max(1e131071::numeric, 1e300, 1e131071) AS m FROM generate_series(1, 3)) m GROUP BY m;
SELECT idp_sum(x, 1e300, 0, 99999999999999999999999999999999999999) AS sum, dp_avg(x, 1e300, 0, 99999999999999999999999999999999999999) AS avg
FROM (SELECT 99999999999999999999999999999999999999::numeric(38) AS x FROM generate_series(1, 1000000)) s;

-- The order of the rows does not matter: the states are the same, and so the sums of floats.
CREATE AGGREGATE sum_state(float8, float8, float8, float8) (SFUNC = idp.idp_sum_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE variance_state(numeric, float8, numeric, numeric) (SFUNC = idp.idp_variance_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE TABLE o AS SELECT i, (sin(i) * power(10, i % 20 - 10))::float8 AS x, md5(i::text) AS m FROM generate_series(1, 20000) i;
SELECT sum_state(x, 1, -1e9, 1e9 ORDER BY x)::text = sum_state(x, 1, -1e9, 1e9 ORDER BY x DESC)::text AS reversed,
  sum_state(x, 1, -1e9, 1e9 ORDER BY m)::text = sum_state(x, 1, -1e9, 1e9)::text AS shuffled,
  variance_state(x::numeric, 1, -1e9, 1e9 ORDER BY x)::text = variance_state(x::numeric, 1, -1e9, 1e9 ORDER BY m)::text AS variance,
  idp_sum(x, 1e300, -1e9, 1e9 ORDER BY x) = idp_sum(x, 1e300, -1e9, 1e9 ORDER BY m) AS sums,
  dp_stddev(x, 1e300, -1e9, 1e9 ORDER BY x) = dp_stddev(x, 1e300, -1e9, 1e9 ORDER BY m) AS deviations FROM o;

-- Noise: there is some, each run draws its own, and of the dp_ ones the answer stays within what the bounds allow.
SELECT count(DISTINCT a) > 900 AS sum, count(DISTINCT b) > 900 AS avg, count(DISTINCT c) > 900 AS variance, count(DISTINCT e) > 900 AS stddev
FROM generate_series(1, 1000) i, LATERAL (SELECT idp_sum(v, 0.001, -1000, 1000) AS a, idp_avg(v, 0.001, -1000, 1000) AS b, idp_variance(v, 0.001, -1000, 1000) AS c, idp_stddev(v, 0.001, -1000, 1000) AS e FROM (VALUES (1), (2), (900)) s (v) WHERE i = i) s;
SELECT count(DISTINCT a) > 900 AS sum, bool_and(b BETWEEN -7 AND 9) AS avg, bool_and(c BETWEEN 0 AND 64) AS variance, bool_and(e BETWEEN 0 AND 8) AS stddev, count(DISTINCT b) > 3 AND count(DISTINCT c) > 3 AND count(DISTINCT e) > 3 AS vary
FROM generate_series(1, 1000) i, LATERAL (SELECT dp_sum(v, 0.001, -7, 9) AS a, dp_avg(v, 0.1, -7, 9) AS b, dp_variance(v, 0.1, -7, 9) AS c, dp_stddev(v, 0.1, -7, 9) AS e FROM (VALUES (1), (2), (900)) s (v) WHERE i = i) s;
-- an answer of no rows in one of twenty draws, of two hundred always, also where the bounds are one; without bounds of no rows hardly ever
SELECT rows, count(a) BETWEEN low AND high AS avg, count(b) BETWEEN low AND high AS variance, count(c) BETWEEN low AND high AS stddev, count(d) BETWEEN low AND high AS real,
  count(e) BETWEEN sign(rows) * low AND high AS clipped_avg, count(f) BETWEEN sign(rows) * low AND high AS clipped_stddev, count(g) BETWEEN low AND high AS equal_bounds
FROM (VALUES (0, 1, 150), (200, 1000, 1000)) w (rows, low, high), generate_series(1, 1000) i, LATERAL (SELECT dp_avg(v, 1, 0, 9) AS a, dp_variance(v::numeric, 1, 0, 9) AS b, dp_stddev(v, 1, 0, 9) AS c,
  dp_avg(v::real, 1, 0, 9) AS d, dp_avg(v, 1) AS e, dp_stddev(v, 1) AS f, dp_avg(v, 1, 4, 4) AS g FROM generate_series(1, rows) v WHERE i = i) s GROUP BY rows, low, high ORDER BY rows;
-- two identical calls are one draw, two that differ are two
SELECT bool_and(a = b) AS merged, bool_and(a = c) AS others FROM generate_series(1, 20) i, LATERAL (SELECT idp_sum(v, 0.001, 0, 9) AS a, idp_sum(v, 0.001, 0, 9) AS b, idp_sum(v, 0.001, 0, 9 + 0 * 1) AS c FROM (VALUES (1), (2)) s (v) WHERE i = i) s;
-- an answer beyond the range of the result type is its nearest value: any epsilon gives an answer
SELECT count(a) AS sums, count(b) AS averages, count(c) AS variances, count(e) AS deviations, bool_and(abs(f) < 'inf') AS real, bool_and(abs(h) < 'inf') AS double
FROM generate_series(1, 50) i, LATERAL (SELECT idp_sum(v, 1e-18, 0, 9) AS a, idp_avg(v, 1e-18, 0, 9) AS b, idp_variance(v::numeric(38), 1e-18, 0, 9) AS c, idp_stddev(v::float8, 1e-18, 0, 9) AS e,
  idp_sum(v::real, 1e-18, 0, 9) AS f, dp_sum(v::float8, 1e-18, 0, 9) AS h FROM (VALUES (1), (2)) s (v) WHERE i = i) s;

-- as part of queries
SELECT v > 0 AS positive, idp_sum(v, 1e300, -9, 9) AS sum, idp_avg(DISTINCT v % 3, 1e300, 0, 2) AS avg, dp_variance(v, 1e300, -9, 9) FILTER (WHERE v % 2 = 0) AS variance
FROM d GROUP BY GROUPING SETS ((v > 0), ()) HAVING idp_sum(v, 1e300, -9, 9) > 0 ORDER BY 1;
PREPARE p(float8, int, int) AS SELECT idp_sum(v, $1, $2, $3), dp_avg(v, $1, $2, $3), idp_stddev(v::float8, $1, $2, $3) = 0 AS deviation FROM d WHERE v > 900;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(1e300, 0, 10);
EXECUTE p(1e300, 0, 20);
EXECUTE p(1e300, 20, 0);
EXECUTE p(0, 0, 20);
EXECUTE p(1, NULL, 20);
RESET plan_cache_mode;
DEALLOCATE p;

-- refused before a row is read
SELECT idp_sum(v, 1, 5, 4) FROM d;
SELECT dp_avg(v, 0, 0, 4) FILTER (WHERE false) FROM d;
SELECT idp_avg(v, 1, 0, v) FROM d;
SELECT dp_variance(v::float8, 1, 0, 'infinity') FROM d;
SELECT idp_stddev(v::numeric, 1, 'NaN', 0) FROM d;
SELECT dp_stddev(v, 1, NULL, 0) FROM d;
SELECT idp_sum(v, 1, 0, 9) OVER () FROM d;
SELECT dp_sum(v, 1, 0, 9) OVER () FROM d;
SELECT idp_avg(v, 1, 0, 9) OVER () FROM d;
SELECT dp_avg(v, 1, 0, 9) OVER () FROM d;
SELECT idp_variance(v, 1, 0, 9) OVER () FROM d;
SELECT dp_variance(v, 1, 0, 9) OVER () FROM d;
SELECT idp_stddev(v, 1, 0, 9) OVER () FROM d;
SELECT dp_stddev(v, 1, 0, 9) OVER () FROM d;
-- sums have no meaning for dates
\set VERBOSITY terse
SELECT idp_sum(current_date, 1, '2000-01-01', '2001-01-01');
\set VERBOSITY default
DROP TABLE d, f, o;
DROP AGGREGATE sum_state(float8, float8, float8, float8), variance_state(numeric, float8, numeric, numeric);
DROP FUNCTION exact_decimals, down;

-- Order statistics: the paper's cases, and exact answers wherever no neighbour changes them.

-- D1 = {0,0,0,0,1}: no record moves the median, so it is exact at any epsilon
SELECT m, count(*)
FROM generate_series(1, 1000) i,
  LATERAL (SELECT idp_median(x, 0.01) AS m FROM unnest(ARRAY[0,0,0,0,1]) x WHERE i = i) s
GROUP BY m;

-- D2 = {0,0,0,1,1}: one record moves it to 1, so it is noisy
SELECT count(DISTINCT m) > 100 AS varies
FROM generate_series(1, 1000) i,
  LATERAL (SELECT idp_median(x, 0.01) AS m FROM unnest(ARRAY[0,0,0,1,1]) x WHERE i = i) s;

-- D3: 99 binary records, 90 ones
SELECT m, count(*)
FROM generate_series(1, 1000) i,
  LATERAL (SELECT idp_median((x > 9)::int, 0.01) AS m FROM generate_series(1, 99) x WHERE i = i) s
GROUP BY m;

-- every order statistic in every type: ten values of each of 1..9, so all answers are exact
CREATE TABLE tens AS
SELECT v, v::smallint AS i2, v AS i4, v::bigint AS i8, v::real AS f4, v::double precision AS f8,
  v::numeric AS n, (v / 4.0)::numeric(6, 2) AS n2, v::numeric(38, 10) AS n38,
  date '2020-01-01' + v AS d, timestamp '2020-01-01' + v * interval '1 hour' AS ts,
  timestamptz '2020-01-01 00:00+00' + v * interval '1 hour' AS tz
FROM generate_series(1, 9) v, generate_series(1, 10);
SET timezone = 'UTC';
SET datestyle = 'ISO';

SELECT idp_median(i2, 0.1) AS i2, idp_median(i4, 0.1) AS i4, idp_median(i8, 0.1) AS i8,
  idp_median(f4, 0.1) AS f4, idp_median(f8, 0.1) AS f8, idp_median(n, 0.1) AS n,
  idp_median(n2, 0.1) AS n2, idp_median(n38, 0.1) AS n38, idp_median(d, 0.1) AS d,
  idp_median(ts, 0.1) AS ts, idp_median(tz, 0.1) AS tz FROM tens;
SELECT idp_quantile(i2, 0.1, 0.25) AS i2, idp_quantile(i4, 0.1, 0.25) AS i4,
  idp_quantile(i8, 0.1, 0.25) AS i8, idp_quantile(f4, 0.1, 0.25) AS f4,
  idp_quantile(f8, 0.1, 0.25) AS f8, idp_quantile(n, 0.1, 0.25) AS n,
  idp_quantile(n2, 0.1, 0.25) AS n2, idp_quantile(n38, 0.1, 0.25) AS n38,
  idp_quantile(d, 0.1, 0.25) AS d, idp_quantile(ts, 0.1, 0.25) AS ts,
  idp_quantile(tz, 0.1, 0.25) AS tz FROM tens;
SELECT idp_kth_largest(i2, 0.1, 2) AS i2, idp_kth_largest(i4, 0.1, 2) AS i4,
  idp_kth_largest(i8, 0.1, 2) AS i8, idp_kth_largest(f4, 0.1, 2) AS f4,
  idp_kth_largest(f8, 0.1, 2) AS f8, idp_kth_largest(n, 0.1, 2) AS n,
  idp_kth_largest(n2, 0.1, 2) AS n2, idp_kth_largest(n38, 0.1, 2) AS n38,
  idp_kth_largest(d, 0.1, 2) AS d, idp_kth_largest(ts, 0.1, 2) AS ts,
  idp_kth_largest(tz, 0.1, 2) AS tz FROM tens;
SELECT idp_kth_smallest(i2, 0.1, 15) AS i2, idp_kth_smallest(i4, 0.1, 15) AS i4,
  idp_kth_smallest(i8, 0.1, 15) AS i8, idp_kth_smallest(f4, 0.1, 15) AS f4,
  idp_kth_smallest(f8, 0.1, 15) AS f8, idp_kth_smallest(n, 0.1, 15) AS n,
  idp_kth_smallest(n2, 0.1, 15) AS n2, idp_kth_smallest(n38, 0.1, 15) AS n38,
  idp_kth_smallest(d, 0.1, 15) AS d, idp_kth_smallest(ts, 0.1, 15) AS ts,
  idp_kth_smallest(tz, 0.1, 15) AS tz FROM tens;
-- bounds that meet the data leave no room for a neighbour either
SELECT idp_max(i2, 0.1, 9::smallint) AS i2, idp_max(i4, 0.1, 9) AS i4, idp_max(i8, 0.1, 9) AS i8,
  idp_max(f4, 0.1, 9) AS f4, idp_max(f8, 0.1, 9) AS f8, idp_max(n, 0.1, 9) AS n,
  idp_max(n2, 0.1, 2.25) AS n2, idp_max(n38, 0.1, 9) AS n38, idp_max(d, 0.1, '2020-01-10') AS d,
  idp_max(ts, 0.1, '2020-01-01 09:00') AS ts, idp_max(tz, 0.1, '2020-01-01 09:00+00') AS tz FROM tens;
SELECT idp_min(i2, 0.1, 1::smallint) AS i2, idp_min(i4, 0.1, 1) AS i4, idp_min(i8, 0.1, 1) AS i8,
  idp_min(f4, 0.1, 1) AS f4, idp_min(f8, 0.1, 1) AS f8, idp_min(n, 0.1, 1) AS n,
  idp_min(n2, 0.1, 0.25) AS n2, idp_min(n38, 0.1, 1) AS n38, idp_min(d, 0.1, '2020-01-02') AS d,
  idp_min(ts, 0.1, '2020-01-01 01:00') AS ts, idp_min(tz, 0.1, '2020-01-01 01:00+00') AS tz FROM tens;
-- values outside a bound are clamped to it
SELECT idp_max(i4, 0.1, 5) AS max, idp_min(i4, 0.1, 5) AS min FROM tens;

-- the rank is percentile_disc's, whatever the number of rows
SELECT bool_and(a[1] = b[1]) AND bool_and(a[2] = b[2]) AND bool_and(a[3] = b[3]) AND bool_and(a[4] = b[4]) AS same_rank
FROM generate_series(3, 300) n,
  LATERAL (SELECT ARRAY[idp_quantile(v, 1e6, 0.1), idp_quantile(v, 1e6, 0.3), idp_quantile(v, 1e6, 0.5), idp_quantile(v, 1e6, 0.7)] AS a,
             percentile_disc(ARRAY[0.1, 0.3, 0.5, 0.7]) WITHIN GROUP (ORDER BY v) AS b
           FROM generate_series(1, n) v) t
WHERE n > 20;  -- below, the first quantile may have no lower neighbour

-- with a large epsilon the noise vanishes and the lower median shows
SELECT idp_median(x, 1000) FROM unnest(ARRAY[10, 20, 30, 40, 50, 60]) x;
SELECT idp_kth_largest(x, 1000, 2) FROM unnest(ARRAY[10, 20, 30, 40, 50, 60]) x;

-- a missing neighbour without a bound: suppressed
SELECT idp_median(x, 1) AS m, idp_kth_largest(x, 1, 1) AS largest, idp_kth_smallest(x, 1, 1) AS smallest,
  idp_kth_largest(x, 1, 7) AS too_far, idp_quantile(x, 1, 0) AS p0, idp_quantile(x, 1, 1) AS p1
FROM unnest(ARRAY[1]) x;
SELECT idp_max(x, 1, 5) AS max_1, idp_min(x, 1, 0) AS min_1 FROM unnest(ARRAY[1]) x;
SELECT idp_median(x, 1) AS m, idp_max(x, 1, 5) AS max, idp_min(x, 1, 0) AS min,
  idp_kth_largest(x, 1, 2) AS kth, idp_quantile(x, 1, 0.5) AS q
FROM unnest(ARRAY[]::int[]) x;
SELECT idp_median(x, 1) AS m FROM unnest(ARRAY[NULL, NULL]::int[]) x;

-- NULL and NaN are skipped
SELECT idp_median(x, 0.01) FROM unnest(ARRAY[NULL, 'NaN', 7, 7, 7, NULL, 'NaN', 'NaN', 'NaN']::float8[]) x;

-- infinities lie beyond every bound: exact if nothing can change, suppressed if one record matters
SELECT idp_median(x, 1) AS all_infinite FROM unnest(ARRAY['inf', 'inf', 'inf']::float8[]) x;
SELECT idp_median(x, 1) AS beside_infinity FROM unnest(ARRAY[1, 2, 'inf']::float8[]) x;
SELECT idp_max(x, 0.1, 5) AS clamped FROM unnest(ARRAY[1, 'inf', 'inf']::float8[]) x;
SELECT idp_median(x, 1) AS all_infinite FROM unnest(ARRAY['-infinity', '-infinity', '-infinity']::date[]) x;
SELECT idp_median(x, 1) AS all_infinite FROM unnest(ARRAY['infinity', 'infinity', 'infinity']::timestamptz[]) x;
SELECT idp_median(x, 1) AS all_infinite FROM unnest(ARRAY['inf', 'inf', 'inf']::numeric[]) x;

-- an answer beyond the type is the nearest value of the type
SELECT bool_and(m BETWEEN -32768 AND 32767) AS in_range, count(DISTINCT m) = 2 AS both_ends
FROM generate_series(1, 200) i,
  LATERAL (SELECT idp_median(x, 1e-18) AS m FROM unnest(ARRAY[1, 2, 3]::smallint[]) x WHERE i = i) s;
SELECT count(m) AS answers, bool_and(m BETWEEN '4714-11-24 BC' AND '5874897-12-31') AS in_range
FROM generate_series(1, 200) i,
  LATERAL (SELECT idp_median(date '2020-01-01' + x, 1e-18) AS m FROM generate_series(1, 3) x WHERE i = i) s;
SELECT bool_and(abs(m) <= 999.99) AS in_range
FROM generate_series(1, 200) i,
  LATERAL (SELECT idp_median(x::numeric(5, 2), 1e-18) AS m FROM generate_series(1, 3) x WHERE i = i) s;
SELECT bool_and(abs(m) < 'inf') AS finite
FROM generate_series(1, 200) i,
  LATERAL (SELECT idp_median(x::float8, 1e-18) AS m FROM generate_series(1, 3) x WHERE i = i) s;

-- noise of a numeric column stays on the declared grid
SELECT bool_and(m = round(m, 2)) AS on_grid, bool_or(m <> round(m, 1)) AS uses_it
FROM generate_series(1, 100) i,
  LATERAL (SELECT idp_median(x::numeric(10, 2), 0.5) AS m FROM generate_series(1, 9) x WHERE i = i) s;

-- also if the declaration is a domain's
CREATE DOMAIN money2 AS numeric(10, 2);
SELECT idp_median(x::money2, 1000) FROM generate_series(1, 9) x;
DROP DOMAIN money2;

-- GROUP BY, FILTER, HAVING, DISTINCT, GROUPING SETS, ORDER BY
SELECT v % 2 AS g, idp_median(v, 0.1) FILTER (WHERE v > 3) AS m FROM tens GROUP BY 1 ORDER BY 1;
SELECT v, idp_median(i4, 0.1) AS m FROM tens GROUP BY v HAVING idp_median(i4, 0.1) > 7 ORDER BY m;
SELECT v > 6 AS high, i4 > 8 AS top, idp_quantile(f8, 0.1, 0.46) AS q
FROM tens GROUP BY GROUPING SETS ((v > 6), (i4 > 8), ()) ORDER BY 1, 2;
SELECT idp_median(DISTINCT v / 3, 1000) AS m FROM tens;
SELECT idp_median(v, 0.1 ORDER BY v DESC) AS m FROM tens;
-- two identical calls are one draw
SELECT bool_and(a = b) AS merged FROM generate_series(1, 20) i,
  LATERAL (SELECT idp_median(x, 0.01) AS a, idp_median(x, 0.01) AS b FROM unnest(ARRAY[0, 50, 100]) x WHERE i = i) s;
DROP TABLE tens;

-- Order statistics by the exponential mechanism: always answered, always within the bounds.

-- every type, with an epsilon at which only the true rank is left
CREATE TABLE ranks AS SELECT v, date '2000-01-01' + v AS d FROM generate_series(1, 99) v;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT dp_median(v::smallint, 5000, 0::smallint, 1000::smallint) AS i2, dp_median(v, 5000, 0, 1000) AS i4,
  dp_median(v::bigint, 5000, 0, 1000) AS i8, dp_median(v::real, 5000, 0, 1000) AS f4,
  dp_median(v::float8, 5000, 0, 1000) AS f8, dp_median(v::numeric, 5000, 0, 1000) AS n,
  dp_median(v::numeric(6, 2), 5000, 0, 1000) AS n2, dp_median(d, 5000, '2000-01-01', '2010-01-01') AS d,
  dp_median(d::timestamp, 5000, '2000-01-01', '2010-01-01') AS ts,
  dp_median(d::timestamptz, 5000, '2000-01-01', '2010-01-01') AS tz FROM ranks;
SELECT dp_min(v, 5000, 0, 1000) AS min, dp_max(v, 5000, 0, 1000) AS max, dp_quantile(v, 5000, 0, 1000, 0.25) AS q,
  dp_max(v, 5000, 0, 40) AS clamped_above, dp_min(v, 5000, 60, 1000) AS clamped_below FROM ranks;

-- answers vary and stay within the bounds, whatever the data
SELECT count(DISTINCT m) > 20 AS varies, min(m) >= 20 AND max(m) <= 80 AS in_bounds, count(m) AS answers
FROM generate_series(1, 500) i, LATERAL (SELECT dp_median(v, 0.1, 20, 80) AS m FROM ranks WHERE i = i) s;
SELECT count(DISTINCT m) > 50 AS varies, min(m) >= 20 AND max(m) <= 80 AS in_bounds, count(m) AS answers
FROM generate_series(1, 500) i, LATERAL (SELECT dp_median(v, 0.1, 20, 80) AS m FROM ranks WHERE i = i AND v < 0) s;
SELECT bool_and(a BETWEEN -1.5 AND 1e10 AND b BETWEEN -1.5 AND 1e10 AND c BETWEEN -1.5 AND 1e10) AS in_bounds, count(a + b + c) AS answers
FROM generate_series(1, 300) i,
  LATERAL (SELECT dp_quantile(x, 1e-18, -1.5, 1e10, 0.9) AS a, dp_max(x, 1, -1.5, 1e10) AS b, dp_median(x, 1e300, -1.5, 1e10) AS c
           FROM unnest(ARRAY['-inf', 'NaN', 0, 1e-300, 'inf', NULL, 1e300]::float8[]) x WHERE i = i) s;
SELECT dp_median(v, 1, 7, 7) AS one_point, dp_median(v::float8, 1, 0.1, 0.1) AS one_double FROM ranks;
-- many rows and a small epsilon: far more ranks carry mass than are worth holding
SELECT dp_median(500, 0.00004, -100000, 100000) AS exact FROM generate_series(1, 3000000);
SELECT count(DISTINCT m) > 100 AS varies, bool_and(m BETWEEN '-1e30' AND '1e30') AS in_bounds
FROM generate_series(1, 300) i, LATERAL (SELECT dp_median(v::numeric(38, 5), 0.01, -1e30, 1e30) AS m FROM ranks WHERE i = i) s;

-- arguments
SELECT dp_median(v, 1, 5, 4) FROM ranks;
SELECT dp_median(v::float8, 1, 0, 'infinity') FROM ranks;
SELECT dp_median(v::numeric, 1, 'NaN', 1) FROM ranks;
SELECT dp_median(v::numeric(5, 2), 1, 0.001, 0.002) FROM ranks;
SELECT dp_median(v::numeric, 1, 1e30, 1e31) FROM ranks;
SELECT dp_median(v::numeric, 1, -1e31, -1e30) FROM ranks;
SELECT dp_median(d, 1, '-infinity', '2000-01-01') FROM ranks;
SELECT dp_quantile(v, 1, 0, 1, 2) FROM ranks;
SELECT dp_max(v, 1, NULL, 1) FROM ranks;
SELECT dp_max(v, 0, 0, 1) FROM ranks;
SELECT dp_min(v, 1, 0, 1) OVER () FROM ranks;
DROP TABLE ranks;

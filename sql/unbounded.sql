-- Sums and averages without bounds: found in the data, for part of epsilon.

-- at an epsilon where no noise is left: the first points beyond which at most one value lies
CREATE TABLE ages AS SELECT 20 + i % 45 AS age FROM generate_series(1, 3000) i;
SELECT dp_sum(age, 1e6) = sum(age) AS sum, dp_avg(age, 1e6) = trunc(avg(age), 16) AS avg,
  abs(dp_variance(age, 1e6) - var_pop(age)) < 1e-9 AS variance, abs(dp_stddev(age, 1e6) - stddev_pop(age)) < 1e-9 AS stddev FROM ages;
SELECT dp_sum(-age, 1e6) = -sum(age) AS negative, dp_sum(age - 42, 1e6) = sum(age - 42) AS both FROM ages;
-- every type, of its own result
SELECT pg_typeof(dp_sum(age::smallint, 1)) AS i2, pg_typeof(dp_sum(age, 1)) AS i4, pg_typeof(dp_sum(age::bigint, 1)) AS i8,
  pg_typeof(dp_sum(age::real, 1)) AS f4, pg_typeof(dp_sum(age::float8, 1)) AS f8, pg_typeof(dp_sum(age::numeric, 1)) AS n FROM ages;
SELECT dp_sum(age::smallint, 1e6) AS i2, dp_sum(age, 1e6) AS i4, dp_sum(age::bigint, 1e6) AS i8, dp_sum(age::real, 1e6) AS f4,
  round(dp_sum(age::float8, 1e6)) AS f8, round(dp_sum(age::numeric, 1e6)) AS n, dp_sum((age / 4.0)::numeric(6, 2), 1e6) AS n2,
  round(dp_sum(age::numeric(38, 10), 1e6)) AS n38 FROM ages;
-- of more epsilon than 16 no value is left out, however far out, and infinities are the ends of the type
SELECT dp_sum(x, 1e6) BETWEEN 999900500 AND 1000100500 AS whole, dp_avg(x, 1e6) BETWEEN 9.8e6 AND 10e6 AS average
FROM (SELECT 5 FROM generate_series(1, 100) UNION ALL SELECT 1000000000) v (x);
SELECT dp_sum(x, 1e6) > 1e307 AS greatest
FROM (SELECT 5 FROM generate_series(1, 100) UNION ALL SELECT unnest('{NaN,Infinity,NULL}'::float8[])) v (x);
-- nothing to find
SELECT dp_sum(x, 1e6) AS sum FROM unnest('{}'::int[]) x;
SELECT dp_sum(x, 1e6) AS zeros, dp_avg(x, 1e6) AS average, dp_stddev(x, 1e6) AS stddev FROM unnest('{0,0,0,0,0}'::int[]) x;

-- answers vary round the true one
SELECT count(DISTINCT a) > 50 AS varies, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(a - 125805)) < 500 AS near
FROM generate_series(1, 100) i, LATERAL (SELECT dp_sum(age, 1) AS a FROM ages WHERE i = i) s;
SELECT count(DISTINCT a) > 90 AS varies, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(a - 42)) < 1 AS near
FROM generate_series(1, 100) i, LATERAL (SELECT dp_avg(age::float8, 1) AS a FROM ages WHERE i = i) s;
-- values that lie in files, and in several processes
SET work_mem = '64kB';
SELECT dp_sum(x, 1e9) = 20000100000 AS sum, abs(dp_avg(x::numeric, 1e9) - 100000.5) < 1 AS average FROM generate_series(1, 200000) x;
RESET work_mem;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS off) SELECT dp_sum(age, 1) FROM ages;
SELECT dp_sum(age, 1e6) = sum(age) AS sum FROM ages;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- bad arguments, before a row is read; a name
SELECT dp_sum(x, 0) FROM generate_series(1, 9) x;
SELECT dp_avg(x, 'NaN') FROM generate_series(1, 9) x;
SELECT dp_sum(x, x / 100.0) FROM generate_series(1, 9) x;
SELECT dp_sum(x, ARRAY[1, 2]) FROM generate_series(1, 9) x;
SELECT dp_sum(age, 1, 'total') FROM ages;

-- charged epsilon, all of it, once
SELECT idp.protect('ages', 10, rows => 'visible');
SELECT dp_sum(age, 1) IS NOT NULL AS sum, dp_avg(age, 0.5) IS NOT NULL AS average FROM ages;
SELECT aggregate, epsilon FROM idp.ledger WHERE table_name::text LIKE '%ages' ORDER BY epsilon;
SELECT idp.unprotect('ages');
DROP TABLE ages;

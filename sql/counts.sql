-- Counts.

-- with a large epsilon the noise vanishes and the counting shows
SELECT dp_count(1000) AS rows, dp_count_range(x, 1000, 10, 20) AS closed, idp_count_range(x, 1000, 10, 20) AS truncated,
  dp_count_range(x, 1000, 10, 10) AS one_point, dp_count_range(x, 1000, 200, 300) AS none
FROM generate_series(1, 100) x;

-- NULL is no value, NaN is in no range, infinity is beyond every finite bound
SELECT dp_count(1000) AS rows, dp_count_range(x, 1000, 0, 10) AS in_range,
  dp_count_range(x, 1000, '-inf', 'inf') AS all_numbers, dp_count_range(x, 1000, '-inf', 10) AS at_most_10
FROM unnest(ARRAY[NULL, 'NaN', '-inf', 'inf', 5, -0.0]::float8[]) x;
SELECT dp_count_range(x, 1000, 0, 10) AS in_range, dp_count_range(x, 1000, '-inf', 'inf') AS all_numbers
FROM unnest(ARRAY[NULL, 'NaN', '-inf', 'inf', 5, -0.0]::numeric[]) x;
SELECT dp_count_range(x, 1000, '-infinity', '2000-01-01') AS dates
FROM unnest(ARRAY[NULL, '-infinity', 'infinity', '1999-12-31', '2000-01-01', '2000-01-02']::date[]) x;

-- as BETWEEN does it, in every type
CREATE TABLE r AS SELECT (random() * 40)::int AS v FROM generate_series(1, 1000);
SELECT dp_count_range(v::smallint, 1000, 10::smallint, 20::smallint) - n AS i2, dp_count_range(v, 1000, 10, 20) - n AS i4,
  dp_count_range(v::bigint, 1000, 10, 20) - n AS i8, dp_count_range(v::real, 1000, 10, 20) - n AS f4,
  dp_count_range(v::float8, 1000, 10, 20) - n AS f8, dp_count_range(v::numeric, 1000, 10, 20) - n AS n,
  dp_count_range(date '2000-01-01' + v, 1000, '2000-01-11', '2000-01-21') - n AS d,
  dp_count_range(timestamp '2000-01-01' + v * interval '1 day', 1000, '2000-01-11', '2000-01-21') - n AS ts,
  dp_count_range(timestamptz '2000-01-01' + v * interval '1 day', 1000, '2000-01-11', '2000-01-21') - n AS tz
FROM r, (SELECT count(*) AS n FROM r WHERE v BETWEEN 10 AND 20) s GROUP BY n;
DROP TABLE r;
-- numeric bounds are compared as they are, finer than any grid and larger than 128 bits
SELECT dp_count_range(x, 1000, 0.10000000000000000000001, 0.10000000000000000000003) AS fine,
  dp_count_range(x, 1000, -1e100, 1e100) AS wide, dp_count_range(x, 1000, 1e50, 1e100) AS far
FROM unnest(ARRAY[0.1, 0.10000000000000000000002, 1e60, 0.10000000000000000000004]) x;
SELECT dp_count_range(x, 1, 0.10000000000000000000003, 0.10000000000000000000001) FROM unnest(ARRAY[0.1]) x;

-- a truncated count is always within one of the true one
SELECT min(c) AS least, max(c) AS most
FROM generate_series(1, 1000) i,
  LATERAL (SELECT idp_count_range(x, 0.01, 1, 50) AS c FROM generate_series(1, 100) x WHERE i = i) s;
-- a dp count is not
SELECT max(abs(c - 50)) > 1 AS noisy, abs(avg(c) - 50) < 50 AS centred
FROM generate_series(1, 1000) i,
  LATERAL (SELECT dp_count_range(x, 0.1, 1, 50) AS c FROM generate_series(1, 100) x WHERE i = i) s;

-- empty input is an input: noise around 0, also where no group member passes a filter
SELECT abs(dp_count(1000)) AS rows, abs(dp_count_range(x, 1000, 1, 2)) AS in_range, idp_count_range(x, 1000, 1, 2) AS truncated
FROM generate_series(1, 0) x;
SELECT count(DISTINCT c) > 3 AS noisy
FROM generate_series(1, 1000) i, LATERAL (SELECT dp_count(0.5) AS c FROM generate_series(1, 0) x WHERE i = i) s;
SELECT g, dp_count(1000) FILTER (WHERE x > 50) AS c FROM (SELECT x, x % 2 AS g, x FROM generate_series(1, 20) x) s (a, g, x) GROUP BY g ORDER BY g;
-- the answer is a bigint at any epsilon
SELECT count(c) AS answers
FROM generate_series(1, 100) i, LATERAL (SELECT dp_count(1e-18) AS c FROM generate_series(1, 10) x WHERE i = i) s;

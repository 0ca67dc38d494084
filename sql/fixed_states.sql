-- States of a fixed size are looked at closely once per plan node, and by their head afterwards: what has the same
-- head must be the same state, wherever it comes from.
CREATE AGGREGATE sum_state(int, float8, int, int) (SFUNC = idp.dp_sum_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE range_state(int, float8, int, int) (SFUNC = idp.dp_count_range_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE bucket_state(int, float8, int, int, bigint) (SFUNC = idp.dp_histogram_accum, STYPE = idp_state, INITCOND = 'empty');
SELECT sum_state(1000, 1e300, 0, 1000)::text AS sum_of_one, range_state(5, 1e300, 0, 1000)::text AS range_of_one,
  bucket_state(5, 1e300, 0, 1000, 2)::text AS bucket_of_one FROM (VALUES (1)) one \gset
-- every group goes on from a state that another aggregate began
CREATE AGGREGATE sum_on(int, float8, int, int) (SFUNC = idp.dp_sum_accum, STYPE = idp_state, INITCOND = :'sum_of_one', FINALFUNC = idp.moments_int8_final);
CREATE AGGREGATE range_on(int, float8, int, int) (SFUNC = idp.dp_count_range_accum, STYPE = idp_state, INITCOND = :'range_of_one', FINALFUNC = idp.count_final);
CREATE AGGREGATE bucket_on(int, float8, int, int, bigint) (SFUNC = idp.dp_histogram_accum, STYPE = idp_state, INITCOND = :'bucket_of_one', FINALFUNC = idp.histogram_final);
CREATE TABLE numbers AS SELECT i, i % 3 AS g, nullif(i, 500) AS x FROM generate_series(1, 999) i;
ANALYZE numbers;

CREATE VIEW answers AS SELECT g, dp_sum(x, 1e300, 0, 1000) AS sum, sum_on(x, 1e300, 0, 1000) AS sum_on,
  dp_avg(x, 1e300, 0, 1000) = dp_avg(x + 0, 1e300, 0, 1000) AS same_average,
  dp_count(1e300) AS count, dp_count_range(x, 1e300, 100, 200) AS range, range_on(x, 1e300, 0, 1000) AS range_on,
  dp_histogram(x, 1e300, 0, 1000, 2) AS histogram, bucket_on(x, 1e300, 0, 1000, 2) AS histogram_on
FROM numbers GROUP BY g;
SET enable_sort = off;
SELECT * FROM answers ORDER BY g;
-- one group after the other, in the same memory
SET enable_hashagg = off;
RESET enable_sort;
SELECT * FROM answers ORDER BY g;
SELECT g, sum_on(x, 1e300, 0, 1000), range_on(x, 1e300, 0, 1000) FROM numbers GROUP BY ROLLUP (g) ORDER BY g;
RESET enable_hashagg;

-- groups without a row, and of nulls alone
SELECT g, sum_on(x, 1e300, 0, 1000), range_on(x, 1e300, 0, 1000) FROM (VALUES (1, NULL), (2, 7), (3, NULL)) v (g, x) GROUP BY g ORDER BY g;
SELECT sum_on(x, 1e300, 0, 1000), range_on(x, 1e300, 0, 1000) FROM numbers WHERE i > 1000;

-- with other bounds, or another aggregate's, it is another state
SELECT sum_on(x, 1e300, 0, 999) FROM numbers;
SELECT sum_on(x, 1, 0, 1000) FROM numbers;
SELECT bucket_on(x, 1e300, 0, 1000, 3) FROM numbers;
CREATE AGGREGATE wrong(int, float8, int, int) (SFUNC = idp.dp_sum_accum, STYPE = idp_state, INITCOND = :'range_of_one');
SELECT wrong(x, 1e300, 0, 1000) FROM numbers;
DROP AGGREGATE wrong(int, float8, int, int);
CREATE AGGREGATE wrong(int, float8, int, int) (SFUNC = idp.dp_count_range_accum, STYPE = idp_state, INITCOND = :'sum_of_one');
SELECT wrong(x, 1e300, 0, 1000) FROM numbers;
DROP AGGREGATE wrong(int, float8, int, int);
-- and no state is added to outside an aggregate
SELECT idp.dp_sum_accum(:'sum_of_one', x, 1e300, 0, 1000) FROM numbers LIMIT 1;
SELECT idp.dp_count_range_accum(:'range_of_one', x, 1e300, 0, 1000) FROM numbers LIMIT 1;
SELECT idp.dp_histogram_accum(:'bucket_of_one', x, 1e300, 0, 1000, 2) FROM numbers LIMIT 1;

DROP VIEW answers;
DROP TABLE numbers;
DROP AGGREGATE sum_state(int, float8, int, int), range_state(int, float8, int, int), bucket_state(int, float8, int, int, bigint),
  sum_on(int, float8, int, int), range_on(int, float8, int, int), bucket_on(int, float8, int, int, bigint);

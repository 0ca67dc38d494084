-- The state as a value: it goes out as text and comes back, is stored, combined and finished.
CREATE AGGREGATE median_state(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state,
  INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE median_merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state,
  INITCOND = 'empty', FINALFUNC = idp.int4_final);
CREATE AGGREGATE count_state(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE count_merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state,
  INITCOND = 'empty', FINALFUNC = idp.count_final);

SELECT median_state(x, 0.5) FROM generate_series(1, 3) x;
SELECT median_state(x, 0.5) FROM generate_series(1, 0) x;
SELECT count_state(0.5) FROM generate_series(1, 3) x;
SELECT length(array_agg(s)::text) AS room_for_each FROM (SELECT 'empty'::idp_state AS s FROM generate_series(1, 1000)) e;

CREATE TABLE states (part int, s idp_state);
INSERT INTO states SELECT i % 7, median_state((i + 50) / 100, 0.5) FROM generate_series(1, 20000) i GROUP BY 1;
SELECT idp_median((i + 50) / 100, 0.5) AS direct FROM generate_series(1, 20000) i;
SELECT median_merge(s) AS stored, median_merge(s::text::idp_state) AS through_text FROM states;
SELECT count_merge(s::text::idp_state) AS counted
FROM (SELECT count_state(1000) AS s FROM generate_series(1, 500) i GROUP BY i % 3) p;
SELECT median_merge(s) AS of_none FROM states WHERE part < 0;

-- sums and what is made of them: a state is the same wherever and in whatever order its rows were collected
CREATE AGGREGATE sum_state(numeric, float8, numeric, numeric) (SFUNC = idp.idp_sum_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE stddev_state(float8, float8, float8, float8) (SFUNC = idp.dp_stddev_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE sum_merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.moments_numeric_final);
CREATE AGGREGATE stddev_merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.moments_float8_final);
CREATE AGGREGATE gather(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty');
SELECT sum_state(x, 0.5, 0, 9) FROM generate_series(1, 3) x;
SELECT sum_merge(s) = dp_sum AS sum, gather(s)::text = whole::text AS same_state, stddev_merge(d) = dp_stddev AS stddev, gather(d)::text = d_whole::text AS same_stddev
FROM (SELECT sum_state((i - 10000) / 7.0, 1e300, -1e6, 1e6) AS s, stddev_state(sin(i), 1e300, -1, 1) AS d FROM generate_series(1, 20000) i GROUP BY i % 7) parts,
  (SELECT sum_state((i - 10000) / 7.0, 1e300, -1e6, 1e6) AS whole, dp_sum((i - 10000) / 7.0, 1e300, -1e6, 1e6), stddev_state(sin(i), 1e300, -1, 1) AS d_whole, dp_stddev(sin(i), 1e300, -1, 1) FROM generate_series(1, 20000) i) whole
GROUP BY whole::text, dp_sum, d_whole::text, dp_stddev;
SELECT sum_merge(s) FROM (SELECT sum_state(1, 0.5, 0, 9) UNION ALL SELECT sum_state(1, 0.5, 0, 10)) p (s);
SELECT sum_merge(s) FROM (SELECT stddev_state(1, 0.5, 0, 9)) p (s);
DROP AGGREGATE sum_state(numeric, float8, numeric, numeric), stddev_state(float8, float8, float8, float8), sum_merge(idp_state), stddev_merge(idp_state), gather(idp_state);

-- states that disagree do not combine
SELECT median_merge(s) FROM (SELECT median_state(1, 0.5) UNION ALL SELECT median_state(1, 0.6)) p (s);
SELECT median_merge(s) FROM (SELECT median_state(1, 0.5) UNION ALL SELECT count_state(0.5)) p (s);
-- nor do they pass for another aggregate's
SELECT count_merge(s) FROM states;
SELECT median_merge(s) FROM (SELECT count_state(0.5)) p (s);

-- what was not written by us is refused
SELECT ''::idp_state;
SELECT 'full'::idp_state;
SELECT '\x'::idp_state;
SELECT '\x0'::idp_state;
SELECT '\xzz'::idp_state;
SELECT '\x49445001'::idp_state;
SELECT (s::text || '00')::idp_state FROM states WHERE part = 0;
SELECT left(s::text, -2)::idp_state FROM states WHERE part = 0;
SELECT overlay(s::text PLACING '02' FROM 9 FOR 2)::idp_state FROM states WHERE part = 0;
DROP TABLE states;
DROP AGGREGATE median_state(int, float8), median_merge(idp_state), count_state(float8), count_merge(idp_state);

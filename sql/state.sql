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

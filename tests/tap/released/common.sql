-- A database as somebody might have it: data, states that were kept, and what was built on the
-- aggregates. Table kept has queries with their answers, which every later version must give again:
-- all are exact, because no row can move them or because epsilon is huge.

CREATE TABLE people AS
  SELECT i, i / 25 AS g, x::int2 AS int2, x AS int4, x::int8 * 1000000007 AS int8, (x / 8.0)::float4 AS float4,
         x / 7.0::float8 AS float8, x / 4.0 AS "numeric", (x / 4.0)::numeric(10, 2) AS scaled, date '2000-02-27' + x AS date,
         timestamp '1999-12-31 23:00' + x * interval '17 minutes' AS timestamp,
         timestamptz '1999-12-31 23:00 UTC' + x * interval '17 minutes' AS timestamptz,
         'person ' || x AS text, ('00000000-0000-0000-0000-' || lpad(x::text, 12, '0'))::uuid AS uuid
  FROM (SELECT i, (i + 5) / 10 AS x FROM generate_series(0, 99) i) v;

CREATE TABLE kept (name text PRIMARY KEY, query text NOT NULL, answer text);
CREATE FUNCTION answer_of(query text) RETURNS text LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE format('SELECT (q)::text FROM (%s) q', query) INTO STRICT answer;
  RETURN answer;
END $$;

-- Answers ---------------------------------------------------------------------------------------

INSERT INTO kept
  SELECT c || ', ' || name, format(query, c)
  FROM unnest('{int2,int4,int8,float4,float8,numeric,scaled,date,timestamp,timestamptz}'::text[]) c,
    (VALUES ('median', 'SELECT idp_median(%1$I, 0.01) FROM people'),
            ('medians', 'SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(%1$I, 0.01) AS m FROM people GROUP BY g) p'),
            ('quantile', 'SELECT idp_quantile(%1$I, 0.01, 0.3) FROM people'),
            ('third', 'SELECT idp_kth_smallest(%1$I, 0.01, 3), idp_kth_largest(%1$I, 0.01, 3) FROM people'),
            ('groups', 'SELECT idp_median(%1$I, ARRAY[0.01, 0.02]) FROM people'),
            ('few', 'SELECT idp_median(%1$I, 0.01) FROM people WHERE i < 1'),
            ('different', 'SELECT dp_count_distinct(%1$I, 1000) FROM people')) q (name, query);
INSERT INTO kept VALUES
  ('count', 'SELECT dp_count(1000) FROM people'),
  ('of nothing', 'SELECT dp_count(1000) FROM people WHERE i < 0'),
  ('range', 'SELECT dp_count_range(date, 1000, ''2000-02-28'', ''2000-03-01''), idp_count_range(int8, 1000, 0, 5000000035) FROM people'),
  ('ends', 'SELECT idp_min(int4, 0.01, 0), idp_max(int4, 0.01, 10), dp_min(int4, 10000, 0, 10), dp_max(int4, 10000, 0, 10) FROM people'),
  ('sum', 'SELECT idp_sum(int4, 1e6, 0, 10), dp_sum(int4, 1e6, 0, 10), round(dp_sum("numeric", 1e6, 0, 3), 1) FROM people'),
  ('average', 'SELECT round(dp_avg(int4, 1e6, 0, 10), 2), round(idp_variance("numeric", 1e6, 0, 3), 2) FROM people'),
  ('median of a range', 'SELECT dp_median(int4, 10000, 0, 10), dp_quantile(int4, 10000, 0, 10, 0.3) FROM people'),
  ('histogram', 'SELECT dp_histogram(int4, 1000, 0, 11, 11) FROM people'),
  ('texts', 'SELECT dp_count_distinct(text, 1000), dp_count_distinct(uuid, 1000) FROM people'),
  ('filtered', 'SELECT idp_median(int4, 0.01) FILTER (WHERE i >= 25), dp_count(1000) FILTER (WHERE g = 1) FROM people'),
  ('grouping sets', 'SELECT array_agg(c ORDER BY c) FROM (SELECT dp_count(1000) AS c FROM people GROUP BY GROUPING SETS ((g), ())) p');

-- States ----------------------------------------------------------------------------------------

CREATE AGGREGATE median_state(int, float8) (
  SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE median_state(float8, float8) (
  SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE medians_state(int, float8[]) (
  SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE max_state(numeric, float8, numeric) (
  SFUNC = idp.idp_max_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE range_state(timestamp, float8, timestamp, timestamp) (
  SFUNC = idp.dp_count_range_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE sum_state(int, float8, int, int) (
  SFUNC = idp.dp_sum_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE variance_state(numeric, float8, numeric, numeric) (
  SFUNC = idp.dp_variance_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE histogram_state(date, float8, date, date, int) (
  SFUNC = idp.dp_histogram_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE distinct_state(text, float8) (
  SFUNC = idp.dp_count_distinct_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine, PARALLEL = SAFE);

CREATE AGGREGATE int_of(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.int4_final);
CREATE AGGREGATE float_of(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.float8_final);
CREATE AGGREGATE numeric_of(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.numeric_final);
CREATE AGGREGATE count_of(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.count_final);
CREATE AGGREGATE sum_of(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.moments_int8_final);
CREATE AGGREGATE variance_of(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.moments_numeric_final);
CREATE AGGREGATE histogram_of(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.histogram_final);

CREATE TABLE states (g int, median idp_state, medians idp_state, greatest idp_state, in_range idp_state, total idp_state,
                     variance idp_state, buckets idp_state, names idp_state);
INSERT INTO states
  SELECT g, median_state(int4, 0.01), medians_state(int4, ARRAY[0.01, 0.02]), max_state("numeric", 0.01, 2.5),
         range_state(timestamp, 1000, '2000-01-01', '2000-01-02'), sum_state(int4, 1e6, 0, 10),
         variance_state("numeric", 1e6, 0, 3), histogram_state(date, 1000, '2000-02-27', '2000-03-09', 11),
         distinct_state(text, 1000)
  FROM people GROUP BY g;
INSERT INTO states (g) VALUES (NULL); -- sees no state
CREATE TABLE large_states (parts idp_state[]); -- beyond 4 KB they are kept in another way
INSERT INTO large_states
  SELECT ARRAY[median_state(((i + 5) / 10)::float8, 0.01) FILTER (WHERE i <= 600), median_state(((i + 5) / 10)::float8, 0.01) FILTER (WHERE i > 600), 'empty']
  FROM generate_series(0, 1194) i;
CREATE TYPE noted AS (note text, state idp_state);
CREATE TABLE notes OF noted;
INSERT INTO notes SELECT 'group ' || g, median FROM states WHERE g < 3;

INSERT INTO kept VALUES
  ('state: median', 'SELECT int_of(median) FROM states'),
  ('state: medians', 'SELECT array_agg(m ORDER BY g) FROM (SELECT g, int_of(median) AS m FROM states GROUP BY g) s'),
  ('state: groups', 'SELECT int_of(medians) FROM states'),
  ('state: maximum', 'SELECT numeric_of(greatest) FROM states'),
  ('state: range', 'SELECT count_of(in_range) FROM states'),
  ('state: sum', 'SELECT sum_of(total) FROM states'),
  ('state: variance', 'SELECT round(variance_of(variance), 2) FROM states'),
  ('state: histogram', 'SELECT histogram_of(buckets) FROM states'),
  ('state: different', 'SELECT count_of(names) FROM states'),
  ('state: with rows of today', 'SELECT int_of(s) FROM (SELECT median FROM states UNION ALL SELECT median_state(int4, 0.01) FROM people) u (s)'),
  ('state: large', 'SELECT float_of(s) FROM large_states, unnest(parts) s'),
  ('state: composite', 'SELECT int_of(state), min(note) FROM notes');

-- What was built on them ------------------------------------------------------------------------

CREATE VIEW by_group AS
  SELECT g, idp_median(int4, 0.01) AS median, dp_count(1000) FILTER (WHERE int4 < 5) AS young,
         dp_histogram(date, 1000, '2000-02-27', '2000-03-09', 11) AS days
  FROM people GROUP BY g HAVING dp_count(1000) > 10;
CREATE MATERIALIZED VIEW materialized AS SELECT idp_kth_largest("numeric", 0.01, 2) AS second FROM people;
CREATE FUNCTION in_sql(bound int) RETURNS bigint LANGUAGE sql AS 'SELECT dp_count_range(int4, 1000, 0, bound) FROM people';
CREATE FUNCTION in_sql_body(epsilon float8) RETURNS numeric LANGUAGE sql
  BEGIN ATOMIC SELECT idp_median("numeric", epsilon) FROM people; END;
CREATE FUNCTION in_plpgsql(bound int, OUT youngest int, OUT number bigint) LANGUAGE plpgsql AS $$
BEGIN
  SELECT idp_kth_smallest(int4, 0.01, bound), dp_count(1000) INTO youngest, number FROM people;
END $$;
CREATE AGGREGATE own_median(int, float8) (
  SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.int4_final,
  FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE VIEW on_own AS SELECT own_median(int4, 0.01) AS median, in_sql(3) FROM people;

INSERT INTO kept VALUES
  ('view', 'SELECT array_agg(v ORDER BY g) FROM by_group v'),
  ('materialized view', 'SELECT second FROM materialized'),
  ('SQL function', 'SELECT in_sql(5)'),
  ('SQL function with a body', 'SELECT in_sql_body(0.01)'),
  ('PL/pgSQL function', 'SELECT in_plpgsql(3)'),
  ('aggregate of one''s own', 'SELECT own_median(int4, 0.01) FROM people'),
  ('view on one''s own', 'SELECT * FROM on_own');

UPDATE kept SET answer = answer_of(query);

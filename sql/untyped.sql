-- Arguments without a type: what drivers send as $1 and people write in quotes. PREPARE leaves parameters as unknown as the
-- extended protocol does.
SET datestyle = 'ISO';
CREATE TABLE columns AS
SELECT v::smallint AS i2, v AS i4, v::bigint AS i8, v::real AS f4, v::float8 AS f8, v::numeric(12, 2) AS n, date '2020-01-01' + v AS d,
  timestamp '2020-01-01' + v * interval '1 hour' AS ts, timestamptz '2020-01-01 00:00+00' + v * interval '1 hour' AS tz FROM generate_series(1, 9) v;

-- 'T' stands for the type of the column
CREATE FUNCTION resolved(form text, x text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  of_column text := (SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'columns'::regclass AND attname = x);
  parameters text;
BEGIN
  EXECUTE format('PREPARE untyped AS SELECT %s FROM columns', regexp_replace(form, '\mx\M', x, 'g'));
  SELECT replace(parameter_types::text[]::text, of_column, 'T') INTO parameters FROM pg_prepared_statements WHERE name = 'untyped';
  DEALLOCATE untyped;
  RETURN parameters;
EXCEPTION WHEN ambiguous_function OR undefined_function THEN RETURN SQLERRM;
END $$;

CREATE TABLE forms AS
SELECT number, form, u.x, resolved(form, u.x) AS parameters
FROM (VALUES
  (1, 'idp_median(x, $1)', true),
  (2, 'idp_median(x, ''0.5'')', true),
  (3, 'idp_median(x, NULL)', true),
  (4, 'idp_median(x, $1, $2)', true),
  (5, 'idp_median(x, $1::float8[])', true),
  (6, 'idp_median(x, $1::numeric[])', true),
  (7, 'idp_median(x, ARRAY[1, 2])', true),
  (8, 'idp_median(x, ARRAY[0.5, 1], $1)', true),
  (9, 'idp_quantile(x, $1, $2)', true),
  (10, 'idp_quantile(x, ''0.5'', 0.9)', true),
  (11, 'idp_quantile(x, $1, 0.9, $2)', true),
  (12, 'idp_quantile(x, $1, 0.9::float8)', true),
  (13, 'idp_min(x, $1, $2)', true),
  (14, 'idp_max(x, $1, $2, $3)', true),
  (15, 'idp_kth_largest(x, $1, 2)', true),
  (16, 'idp_kth_largest(x, $1, 2::bigint)', true),
  (17, 'idp_kth_largest(x, $1, $2)', true),
  (18, 'idp_kth_smallest(x, 1, $1)', true),
  (19, 'idp_kth_smallest(x, $1, ''2'', $2)', true),
  (20, 'idp_sum(x, $1, $2, $3)', false),
  (21, 'idp_sum(x, ''0.5'', ''0'', ''10'')', false),
  (22, 'idp_avg(x, $1, $2, $3, $4)', false),
  (23, 'idp_avg(x, ARRAY[0.5, 1], $1, $2)', false),
  (24, 'idp_variance(x, $1, $2, $3)', false),
  (25, 'dp_sum(x, 0.5, $1, $2)', false),
  (26, 'dp_median(x, $1, $2, $3)', true),
  (27, 'dp_quantile(x, $1, $2, $3, $4)', true),
  (28, 'dp_histogram(x, $1, $2, $3, $4)', true),
  (29, 'dp_histogram(x, $1, $2, $3, 10::bigint)', true),
  (30, 'dp_count_range(x, $1, $2, $3)', true),
  (31, 'dp_median_smooth(x, $1, $2, $3, 4::bigint)', true)) f (number, form, all_types),
  unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n'] || CASE WHEN all_types THEN ARRAY['d', 'ts', 'tz'] END) u (x);
SELECT form, count(*) AS types, parameters FROM forms GROUP BY number, form, parameters ORDER BY number, parameters;
SELECT count(*) AS forms, count(*) FILTER (WHERE parameters NOT LIKE '{%') AS unresolved FROM forms;

-- and they answer, in the type of the column
PREPARE medians AS SELECT idp_median(i2, $1), idp_median(n, $1), idp_median(d, $1), idp_median(f8, '1e300') FROM columns;
EXECUTE medians(1e300);
PREPARE averages AS SELECT idp_avg(n, $1, $2, $3, $4), idp_sum(i8, $1, '0', '10') FROM columns;
EXECUTE averages(1e300, 0, 10, 'average');
PREPARE relaxed AS SELECT idp.relax($1, $2);
EXECUTE relaxed('average', 1e300);
SELECT idp.relax('average', NULL) IS NULL AS nothing;
PREPARE several AS SELECT idp_median(i4, $1::numeric[]), idp_kth_largest(d, $2::int[], $3) - date '2020-01-01' FROM columns;
EXECUTE several('{1e300, 1e300}', '{1000, 1000}', 2);
SELECT idp_kth_largest(i4, 1e300, 2::smallint) AS small, idp_kth_largest(i4, 1e300, 2) AS plain, idp_kth_largest(i4, 1e300, 2::bigint) AS big,
  dp_histogram(i4, 1e300, 1, 9, 2::bigint) FROM columns;
SELECT idp_kth_largest(i4, 1, 2147483648) FROM columns;
SELECT idp_kth_largest(i4, 1, 9223372036854775807) FROM columns;
SELECT dp_histogram(i4, 1, 1, 9, 4294967298) FROM columns;
SELECT dp_median_smooth(i4, 1, 1, 9, 4294967298) FROM columns;

-- over a numeric column bounds in double precision choose another aggregate, which is said
SELECT pg_typeof(idp_avg(n, 1, 0::float8, 10::float8)) FROM columns;
SELECT pg_typeof(idp_max(n, 1, $$10$$::float8)), pg_typeof(idp_avg(n::float8, 1, 0, 10::float8)), pg_typeof(idp_avg(i4, 1, 0, 10::float8)),
  pg_typeof(idp_avg(n, 1, 0, 10)), pg_typeof(idp_avg(n, 1, '0', '10')), pg_typeof(idp_avg(n, 1, 0, 10::float8::numeric)) FROM columns;

-- the type of epsilons
SELECT '{0.5,1}'::idp.epsilons, ARRAY[0.5, 1]::idp.epsilons, ARRAY[1, 2]::idp.epsilons, ARRAY[1::real]::idp.epsilons, '{}'::idp.epsilons;
SELECT 'a'::idp.epsilons;
SELECT '{a}'::idp.epsilons;
SELECT idp.epsilons(ARRAY['a']);
SELECT encode(idp.epsilons_send('{0.5,1}'), 'hex');
SELECT idp_median(i4, ARRAY['0.5']) FROM columns;
SELECT idp_median(i4, '{0.5, 1}') FROM columns;
SELECT idp_median(i4, '{0.5, 1}'::idp.epsilons) IS NULL AS suppressed, idp_median(i4, '{{0.5}, {1}}'::idp.epsilons) FROM columns;
CREATE TABLE stored (e idp.epsilons);
INSERT INTO stored VALUES ('{0.1,0.2}'), (ARRAY[1, 2]);
SELECT e FROM stored;
SELECT pg_typeof(e), e FROM stored LIMIT 1;

DROP TABLE columns, forms, stored;
DROP FUNCTION resolved;
DEALLOCATE ALL;

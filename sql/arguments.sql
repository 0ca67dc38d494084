-- Arguments are checked before data is read, and a message names the argument, never a value.
\set VERBOSITY default
CREATE TABLE t AS SELECT x, x::float8 AS f, 0.5::float8 AS eps FROM generate_series(1, 10) x;
CREATE TABLE nothing (x int, f float8, eps float8);
CREATE TABLE parts (x int, g int) PARTITION BY LIST (g);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN (1);
INSERT INTO parts SELECT x, x % 2 FROM generate_series(1, 10) x;

-- epsilon
SELECT idp_median(x, eps) FROM t;
SELECT idp_median(x, x) FROM nothing;
SELECT idp_median(x, eps) FROM t GROUP BY eps;
SELECT idp_median(x, random()) FROM t;
SELECT idp_median(x, (SELECT max(b.eps) FROM t b WHERE b.x = t.x)) FROM t;
SELECT idp_median(x, (SELECT 0.5)) FROM t;
SELECT idp_median(x, NULL) FROM t;
SELECT idp_median(x, 0) FROM t;
SELECT idp_median(x, -1) FROM t;
SELECT idp_median(x, 'NaN') FROM t;
SELECT idp_median(x, 'infinity') FROM t;
SELECT dp_count(0) FROM t;
SELECT dp_count(eps) FROM t;

-- the same whether or not there is a row, or a row that passes
SELECT idp_median(x, -1) FROM nothing;
SELECT idp_median(x, -1) FROM nothing GROUP BY f;
SELECT idp_median(x, -1) FILTER (WHERE x = 4) FROM t;
SELECT dp_count(-1) FILTER (WHERE x = 40) FROM t;
SELECT x, dp_count(-1) FROM t GROUP BY x HAVING x > 100;

-- the other arguments
SELECT idp_quantile(x, 1, 1.5) FROM nothing;
SELECT idp_quantile(x, 1, -0.1) FROM nothing;
SELECT idp_quantile(x, 1, 'NaN') FROM nothing;
SELECT idp_quantile(x, 1, NULL) FROM nothing;
SELECT idp_quantile(x, 1, f) FROM nothing;
SELECT idp_kth_largest(x, 1, 0) FROM nothing;
SELECT idp_kth_smallest(x, 1, -3) FROM nothing;
SELECT idp_kth_smallest(x, 1, x) FROM nothing;
SELECT idp_max(f, 1, 'infinity') FROM nothing;
SELECT idp_max(f, 1, 'NaN') FROM nothing;
SELECT idp_min(f, 1, '-infinity') FROM nothing;
SELECT idp_min(x, 1, NULL) FROM nothing;
SELECT idp_min(current_date + x, 1, 'infinity') FROM nothing;
SELECT idp_count_range(x, 1, 5, 4) FROM nothing;
SELECT dp_count_range(f, 1, 'NaN', 4) FROM nothing;
SELECT dp_count_range(f, 1, 0, NULL) FROM nothing;
SELECT dp_count_range(x, 1, x, 5) FROM nothing;

-- no row is read
CREATE SEQUENCE reads;
SELECT idp_median(x, -1) FROM t WHERE nextval('reads') > 0;
SELECT idp_median(x + nextval('reads'), -1) FROM t;
SELECT is_called FROM reads;
EXPLAIN (COSTS OFF) SELECT idp_median(x, -1) FROM t;

-- parameters of the query
PREPARE median(float8) AS SELECT idp_median(x / 100, $1) FROM t;
EXECUTE median(0.5);
EXECUTE median(-0.5);
EXECUTE median(NULL);
SET plan_cache_mode = force_generic_plan;
EXECUTE median(0.5);
EXECUTE median(-0.5);
RESET plan_cache_mode;
DEALLOCATE median;
-- also where the planner has the parameter computed below the aggregate
PREPARE echo(float8) AS SELECT $1 AS epsilon, idp_median(x / 100, $1) FROM t GROUP BY $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE echo(0.5);
EXECUTE echo(-0.5);
RESET plan_cache_mode;
DEALLOCATE echo;
PREPARE half(float8) AS SELECT idp_median(x / 100, $1 / 2) FROM parts GROUP BY $1 / 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE half(1);
RESET plan_cache_mode;
DEALLOCATE half;
SELECT idp_median(x / 100, e) FROM (SELECT x, 0.5 AS e FROM t OFFSET 0) s;
SELECT idp_median(x / 100, e) FROM (SELECT x, 0.5 AS e FROM t UNION ALL SELECT x, 0.6 FROM t) s;
SELECT idp_median(x / 100, e) FROM t LEFT JOIN (SELECT x AS y, 0.5 AS e FROM nothing OFFSET 0) s ON x = y;
CREATE FUNCTION median_of_t(epsilon float8) RETURNS int LANGUAGE plpgsql
  AS $$ BEGIN RETURN (SELECT idp_median(x / 100, epsilon) FROM t); END $$;
SELECT median_of_t(0.5);
\set SHOW_CONTEXT never
SELECT median_of_t(-0.5);
\set SHOW_CONTEXT errors
-- stable expressions are evaluated once
SELECT idp_max(current_date - x / 100, 1, current_date - 1) = current_date - 1 AS clamped FROM t;

-- a reference to an outer query is known only while rows are read, and may come from them
SELECT e, (SELECT idp_median(x / 100, e) FROM t) AS m FROM unnest(ARRAY[0.1, 1]::float8[]) e;
SELECT e, m FROM unnest(ARRAY[0.1, 1]::float8[]) e, LATERAL (SELECT idp_median(x / 100, e) AS m FROM t) s;
SELECT (SELECT idp_median(i.x, o.eps) FROM t i) FROM t o;
SELECT (SELECT idp_median(x, o.e) FROM nothing GROUP BY f) FROM (SELECT -1.0::float8 AS e OFFSET 0) o;
-- so is the value of a function that may read tables, and of one that returns several
CREATE FUNCTION rows_of_t() RETURNS float8 STABLE LANGUAGE sql AS 'SELECT count(*)::float8 FROM t';
SELECT idp_median(x, rows_of_t()) FROM t;
SELECT idp_median(x, e) FROM (SELECT x, unnest(ARRAY[0.5, 1.0]::float8[]) AS e FROM t) s;
DROP FUNCTION rows_of_t;
-- two epsilons in one query are two constants
SELECT idp_median(x / 100, 0.1) AS a, idp_median(x / 100, 0.2) AS b FROM t;
SELECT idp_median(x / 100, e) FROM t, (SELECT 0.5 AS e OFFSET 0) s;

-- no window functions: every frame would be a release
SELECT idp_median(x, 1) OVER () FROM t;
SELECT dp_count(1) OVER (ORDER BY x) FROM t;

-- no other types
\set VERBOSITY terse
SELECT idp_median('a'::text, 1) FROM t;
SELECT idp_median(x = 1, 1) FROM t;
\set VERBOSITY default

-- the support functions are for aggregates only
SELECT idp.idp_median_accum('empty', 1, 0.5);
SELECT idp.combine('empty', 'empty');
SELECT idp.int4_final('empty');
SELECT idp.count_final('empty');
DROP TABLE t, nothing, parts;
DROP SEQUENCE reads;
DROP FUNCTION median_of_t;

-- which overload: the types of all arguments count, and literals have types too
CREATE TABLE o AS SELECT x::smallint AS s, x::int AS i, x::bigint AS b, x::real AS r, x::numeric AS n, date '2000-01-01' + x AS d FROM generate_series(1, 9) x;
SELECT pg_typeof(dp_median(s, 1, 0, 10)) AS s_integers, pg_typeof(dp_median(s, 1, '0', '10')) AS s_quoted, pg_typeof(dp_median(s, 1, 0::smallint, 10::smallint)) AS s_cast,
  pg_typeof(dp_median(i, 1, 0, 10)) AS i_integers, pg_typeof(dp_median(i, 1, 0.5, 9.5)) AS i_numerics, pg_typeof(dp_median(i, 1, '0', '10')) AS i_quoted,
  pg_typeof(dp_median(b, 1, 0, 10)) AS b_integers, pg_typeof(dp_median(r, 1, 0.5, 9.5)) AS r_numerics, pg_typeof(dp_median(n, 1, 0, 10)) AS n_integers FROM o;
-- where epsilon may be an array, one without a type is a number (see untyped.sql)
SELECT pg_typeof(idp_median(s, '0.5')) AS s, pg_typeof(idp_median(i, '0.5')) AS i, pg_typeof(idp_median(b, '0.5')) AS b, pg_typeof(idp_median(r, '0.5')) AS r, pg_typeof(idp_median(n, '0.5')) AS n,
  pg_typeof(idp_kth_largest(i, '0.5', 2)) AS kth, pg_typeof(idp_sum(i, '0.5', 0, 1)) AS sum, pg_typeof(idp_quantile(n, '0.5', 0.5)) AS quantile FROM o;
PREPARE untyped AS SELECT idp_kth_largest(i, $1, 2) IS NULL AS suppressed FROM o;
EXECUTE untyped(1000);
DEALLOCATE untyped;
SELECT idp_median(d, NULL) FROM o;
SELECT idp_quantile(i, '0.5'::float8, 0.9) IS NULL AS suppressed FROM o;
SELECT idp_median(i, '{0.5, 1}') FROM o;
SELECT idp_median(d, '0.5'::float8) IS NULL AS suppressed, idp_median(i, '{0.5, 1}'::float8[]) IS NULL AS arrays FROM o;
DROP TABLE o;

-- dp_count_distinct: how many different values. At epsilon 1000 there is no noise to be seen.

-- every type, against the native count
CREATE TABLE v AS SELECT i, (random() * 60)::int - 30 AS x FROM generate_series(1, 500) i;
SELECT dp_count_distinct(x::smallint, 1000) - n AS i2, dp_count_distinct(x, 1000) - n AS i4, dp_count_distinct(x * 300000000000000000, 1000) - n AS i8, dp_count_distinct(x / 7::real, 1000) - n AS f4,
  dp_count_distinct(x / 7::float8, 1000) - n AS f8, dp_count_distinct(x / 7.0, 1000) - n AS n, dp_count_distinct((x / 7.0)::numeric(6, 3), 1000) - n AS n3, dp_count_distinct((x / 7.0)::numeric(38, 30), 1000) - n AS n30,
  dp_count_distinct(x * 1e100, 1000) - n AS big, dp_count_distinct(date '2020-01-01' + x, 1000) - n AS d, dp_count_distinct(timestamp '2020-01-01' + x * interval '1 us', 1000) - n AS ts,
  dp_count_distinct(timestamptz '2020-01-01' + x * interval '1 year', 1000) - n AS tz, dp_count_distinct(x::text, 1000) - n AS t, dp_count_distinct(repeat(x::text, 3000), 1000) - n AS long,
  dp_count_distinct(md5(x::text)::uuid, 1000) - n AS u, dp_count_distinct(x::text::varchar(10), 1000) - n AS vc, dp_count_distinct(x::text::name::text, 1000) - n AS name
FROM v, (SELECT count(DISTINCT x) AS n FROM v) s GROUP BY n;

-- no value is special: the first and last of each type, zero, infinities; NULL and NaN are no values
SELECT dp_count_distinct(x, 1000) AS four FROM unnest(ARRAY[-32768, 32767, 0, NULL, 0, -1, -32768]::smallint[]) x;
SELECT dp_count_distinct(x, 1000) AS four FROM unnest(ARRAY[-9223372036854775808, 9223372036854775807, 0, NULL, 0, -1, 9223372036854775807]::bigint[]) x;
SELECT dp_count_distinct(x, 1000) AS five FROM unnest(ARRAY['inf', '-inf', 'NaN', 0, -0.0, '-0', 4.9e-324, -4.9e-324, NULL, 'NaN', 'inf']::float8[]) x;
SELECT dp_count_distinct(x, 1000) AS four FROM unnest(ARRAY['inf', '-inf', 'NaN', 0, -0.0, '-0', 1e-45, NULL, 'NaN', 'inf']::real[]) x;
SELECT dp_count_distinct(x, 1000) AS six FROM unnest(ARRAY['inf', '-inf', 'NaN', 0, -0.0, 0.000, 1.0, 1.00, 1, 1e-16383, 1e131071, NULL, 'NaN', 'inf']::numeric[]) x;
SELECT dp_count_distinct(x::numeric(5, 2), 1000) AS three FROM unnest(ARRAY[0, 1, 1.00, 1.001, 1.004, 999.99, NULL]) x;
SELECT dp_count_distinct(x, 1000) AS three FROM unnest(ARRAY['infinity', '-infinity', '2000-01-01', '2000-01-01', 'infinity', NULL]::date[]) x;
SELECT dp_count_distinct(x, 1000) AS four FROM unnest(ARRAY['infinity', '-infinity', '2000-01-01', '2000-01-01 00:00:00.000001', 'infinity', NULL]::timestamp[]) x;
SELECT dp_count_distinct(x, 1000) AS two FROM unnest(ARRAY['2000-01-01 12:00+00', '2000-01-01 13:00+01', '2000-01-01 13:00+00', NULL]::timestamptz[]) x;
SELECT dp_count_distinct(x, 1000) AS five FROM unnest(ARRAY['', ' ', 'a', 'a ', 'A', 'a', '', NULL]) x;
SELECT dp_count_distinct(x, 1000) AS three FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'FFFFFFFF-ffff-ffff-ffff-ffffffffffff', '00000000-0000-0000-0000-000000000001', NULL]::uuid[]) x;
SELECT dp_count_distinct(x, 1000) AS signs_matter, dp_count_distinct(x * 1e20, 1000) AS far_from_zero, dp_count_distinct(x::numeric(38, 20), 1000) AS declared, dp_count_distinct(x::numeric(9, 2), 1000) AS narrow FROM unnest(ARRAY[-2.5, -1, 1, 2.5]) x;
-- values that differ beyond any grid are different
SELECT dp_count_distinct(x, 1000) AS three FROM unnest(ARRAY[0.1, 0.10000000000000000000000000000001, 0.10000000000000000000000000000002]) x;
SELECT dp_count_distinct(x::numeric(60, 40), 1000) AS three FROM unnest(ARRAY[0.1, 0.1000000000000000000000000000000000000001, 1e19]) x;
SELECT dp_count_distinct(x, 1000) AS all FROM unnest(ARRAY(SELECT 1e-20 * i FROM generate_series(1, 1000) i)) x;
-- a domain is its base type
CREATE DOMAIN code AS text;
SELECT dp_count_distinct(x::code, 1000) AS two FROM unnest(ARRAY['a', 'b', 'a']) x;
DROP DOMAIN code;

-- text: equal is what the collation calls equal. A nondeterministic one is made only where ICU is there.
SELECT dp_count_distinct(x COLLATE "C", 1000) AS c, dp_count_distinct(x COLLATE "POSIX", 1000) AS posix, dp_count_distinct(x COLLATE "default", 1000) AS default FROM unnest(ARRAY['a', 'A', 'a', 'ä']) x;
DO $$ BEGIN
  IF getdatabaseencoding() = 'UTF8' THEN
    BEGIN
      CREATE COLLATION ignoring_case (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false);
    EXCEPTION WHEN feature_not_supported THEN
      RETURN;
    END;
    IF (SELECT dp_count_distinct(x COLLATE ignoring_case, 1000) FROM unnest(ARRAY['a', 'A', 'a', 'b', 'STRASSE', 'strasse', NULL]) x) <> 3 THEN
      RAISE WARNING 'equal strings are counted twice';
    END IF;
    CREATE TABLE folded AS SELECT (CASE i % 2 WHEN 0 THEN upper(m) ELSE m END) COLLATE ignoring_case AS m FROM generate_series(1, 5000) i, LATERAL (SELECT 'é' || md5((i / 4)::text) AS m) s;
    IF (SELECT dp_count_distinct(m, 1000) <> count(DISTINCT m) OR count(DISTINCT m) <> 1251 FROM folded) THEN
      RAISE WARNING 'not the count of DISTINCT: %', (SELECT dp_count_distinct(m, 1000) FROM folded);
    END IF;
    DROP TABLE folded;
    DROP COLLATION ignoring_case;
  END IF;
END $$;
-- what has no collation is refused whether or not there is a row
CREATE TABLE c (a text COLLATE "C", b text COLLATE "POSIX");
SELECT dp_count_distinct(a || b, 1000) FROM c;
INSERT INTO c VALUES ('a', 'b');
SELECT dp_count_distinct(a || b, 1000) FROM c;
DROP TABLE c;

-- nothing, one row, duplicates, FILTER, DISTINCT, groups
SELECT dp_count_distinct(x, 1000) AS none FROM generate_series(1, 0) x;
SELECT dp_count_distinct(x, 1000) AS none, dp_count_distinct(x::text, 1000) AS text FROM unnest(ARRAY[NULL, NULL]::int[]) x;
SELECT i % 3 AS g, dp_count_distinct(i / 10, 1000) AS tens, dp_count_distinct(i / 10, 1000) FILTER (WHERE i > 200) AS few, dp_count_distinct(DISTINCT i / 10, 1000) AS distinct_ones FROM generate_series(1, 299) i GROUP BY ROLLUP (1) ORDER BY 1;
SELECT count(*) AS groups, sum(n) AS values, sum(t) AS texts FROM (SELECT i / 5, dp_count_distinct(i / 2, 1000) AS n, dp_count_distinct((i / 2)::text, 1000) AS t FROM generate_series(0, 49999) i GROUP BY 1) s;
SELECT sum(count(DISTINCT i / 2)) OVER () AS values FROM generate_series(0, 49999) i GROUP BY i / 5 LIMIT 1;
-- noise
SELECT count(DISTINCT n) > 10 AS varies, abs(avg(n) - 7) < 5 AS centred, min(n) < 7 AND max(n) > 7 AS both_sides FROM generate_series(1, 1000) i, LATERAL (SELECT dp_count_distinct(x % 7, 0.3) AS n FROM generate_series(1, 100) x WHERE i = i) s;

-- many values, in one process and in several
CREATE TABLE many WITH (parallel_workers = 2) AS SELECT i, md5((i / 3)::text) AS t FROM generate_series(0, 299999) i;
ANALYZE many;
SET max_parallel_workers_per_gather = 0;
SELECT dp_count_distinct(i, 1000) AS ints, dp_count_distinct(i / 3, 1000) AS thirds, dp_count_distinct(t, 1000) AS texts, dp_count_distinct(t::uuid, 1000) AS uuids, dp_count_distinct(i / 3.0, 1000) AS numerics FROM many;
RESET max_parallel_workers_per_gather;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT dp_count_distinct(i, 1000), dp_count_distinct(t, 1000) FROM many;
SELECT dp_count_distinct(i, 1000) AS ints, dp_count_distinct(i / 3, 1000) AS thirds, dp_count_distinct(t, 1000) AS texts, dp_count_distinct(t::uuid, 1000) AS uuids, dp_count_distinct(i / 3.0, 1000) AS numerics FROM many;
SELECT i % 2 AS g, dp_count_distinct(i / 3, 1000) AS thirds, dp_count_distinct(t, 1000) AS texts FROM many GROUP BY 1 ORDER BY 1;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET parallel_leader_participation;

-- states: stored, merged, doubled
CREATE AGGREGATE int_state(int, float8) (SFUNC = idp.dp_count_distinct_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE text_state(text, float8) (SFUNC = idp.dp_count_distinct_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.count_final);
CREATE TABLE states AS SELECT i % 5 AS part, int_state(i / 3, 1000) AS i, text_state(t, 1000) AS t FROM many GROUP BY 1;
SELECT merge(i) AS ints, merge(t) AS texts, merge(i::text::idp_state) AS ints_through_text, merge(t::text::idp_state) AS texts_through_text FROM states;
SELECT merge(s) AS doubled FROM (SELECT i FROM states UNION ALL SELECT i::text::idp_state FROM states) x (s);
SELECT merge(s) FROM (SELECT i FROM states UNION ALL SELECT t FROM states) x (s);
SELECT merge(s) FROM (SELECT int_state(1, 0.5) UNION ALL SELECT int_state(1, 0.25)) x (s);

-- refused
SELECT dp_count_distinct(x, 0) FROM v;
SELECT dp_count_distinct(x, x) FROM v;
SELECT dp_count_distinct(x, NULL) FILTER (WHERE false) FROM v;
SELECT dp_count_distinct(x::text, 'NaN') FROM v;
SELECT dp_count_distinct(x, 1) OVER () FROM v;
SELECT dp_count_distinct(x::text, 1) OVER () FROM v;
\set VERBOSITY terse
SELECT dp_count_distinct(x = 1, 1) FROM v;
\set VERBOSITY default
PREPARE p(float8) AS SELECT dp_count_distinct(x % 7, $1) BETWEEN 7 AND 13 AS right FROM v;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(1000);
EXECUTE p(-1);
RESET plan_cache_mode;
DEALLOCATE p;
DROP TABLE v, many, states;
DROP AGGREGATE int_state(int, float8), text_state(text, float8), merge(idp_state);

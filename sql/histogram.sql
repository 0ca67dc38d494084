-- dp_histogram: the number of values in each of equal buckets. At epsilon 1000 there is no noise to be seen.
SET timezone = 'UTC';
SET datestyle = 'ISO';

SELECT dp_histogram(x, 1000, 0, 10, 5) AS five, dp_histogram(x, 1000, 1, 9, 3) AS three, dp_histogram(x, 1000, 4, 5, 2) AS clamped, dp_histogram(x, 1000, -5, 500, 2) AS wide,
  dp_histogram(x, 1000, 0, 10, 1) AS one, pg_typeof(dp_histogram(x, 1000, 0, 10, 1)) AS type FROM generate_series(0, 10) x;

-- Against width_bucket, of random data: buckets are closed below and open above, the last one is closed, and values
-- outside count in the first and the last. In what order is told by the position.
CREATE FUNCTION buckets_of(source text, bucket text, buckets int) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  answer bigint[];
BEGIN
  EXECUTE format('SELECT array_agg(coalesce(n, 0) ORDER BY b) FROM generate_series(1, %s) b LEFT JOIN (SELECT greatest(1, least(%1$s, %2$s)) AS b, count(*) AS n FROM (%3$s) s (x) WHERE x IS NOT NULL GROUP BY 1) c USING (b)',
    buckets, bucket, source) INTO answer;
  RETURN answer;
END $$;
CREATE TABLE h AS SELECT (random() * 3000 - 1500)::int AS x, random() * 3000 - 1500 AS y FROM generate_series(1, 5000);
CREATE TABLE shapes AS SELECT * FROM (VALUES (-1000, 1000), (0, 7), (-1500, -1499), (5, 1003), (-3000, 3000)) b (lower, upper), unnest(ARRAY[1, 2, 3, 7, 10, 13, 64, 1000]) n;
CREATE TABLE histograms (type text, lower int, upper int, n int, found bigint[], native bigint[]);
DO $$
DECLARE
  s record;
  t record;
BEGIN
  FOR s IN SELECT * FROM shapes LOOP
    FOR t IN SELECT * FROM (VALUES
      ('smallint', 'x::smallint', '%s::smallint', 'width_bucket(x::numeric, %s, %s, %s)'), ('integer', 'x', '%s', 'width_bucket(x::numeric, %s, %s, %s)'), ('bigint', 'x * 3000000000000000', '%s * 3000000000000000', 'width_bucket(x / 3000000000000000::numeric, %s, %s, %s)'),
      ('numeric', 'y::numeric', '%s', 'width_bucket(x, %s, %s, %s)'), ('numeric(10, 3)', 'y::numeric(10, 3)', '%s', 'width_bucket(x, %s, %s, %s)'), ('numeric(38, 20)', 'y::numeric(38, 20)', '%s', 'width_bucket(x, %s, %s, %s)'),
      ('double precision', 'floor(y * 64) / 64', '%s', 'width_bucket(x::numeric, %s, %s, %s)'), ('real', '(floor(y * 64) / 64)::real', '%s', 'width_bucket(x::float8::numeric, %s, %s, %s)'),
      ('date', 'date ''2000-01-01'' + x', 'date ''2000-01-01'' + (%s)', 'width_bucket((x - date ''2000-01-01'')::numeric, %s, %s, %s)'),
      ('timestamp', 'timestamp ''2000-01-01'' + y * interval ''1 second''', 'timestamp ''2000-01-01'' + %s * interval ''1 second''', 'width_bucket(extract(epoch FROM x - timestamp ''2000-01-01''), %s, %s, %s)'),
      ('timestamptz', 'timestamptz ''2000-01-01'' + y * interval ''1 second''', 'timestamptz ''2000-01-01'' + %s * interval ''1 second''', 'width_bucket(extract(epoch FROM x - timestamptz ''2000-01-01''), %s, %s, %s)')
      ) c (type, value, bound, bucket) LOOP
      EXECUTE format('INSERT INTO histograms SELECT %L, $1, $2, $3, dp_histogram(v, 1000, %s, %s, %s), $4 FROM (SELECT %s AS v FROM h) s',
          t.type, format(t.bound, s.lower), format(t.bound, s.upper), s.n, t.value)
        USING s.lower, s.upper, s.n, buckets_of(format('SELECT %s FROM h', t.value), format(t.bucket, s.lower, s.upper, s.n), s.n);
    END LOOP;
  END LOOP;
END $$;
SELECT type, count(*) AS histograms, count(*) FILTER (WHERE found = native) AS right, bool_and(array_length(found, 1) = n) AS length FROM histograms GROUP BY type ORDER BY type;
SELECT * FROM histograms WHERE found IS DISTINCT FROM native AND n <= 3 LIMIT 3;
DROP TABLE histograms, shapes;

-- tenths as they are in doubles, 0.3 below and 0.1 above the fraction: each where width_bucket says
SELECT dp_histogram(i / 10.0::float8, 1000, 0, 1, 10) AS tenths, dp_histogram((i / 10.0)::real, 1000, 0, 1, 10) AS reals, dp_histogram(i / 10.0, 1000, 0, 1, 10) AS numerics FROM generate_series(0, 9) i;
SELECT dp_histogram(x, 1000, 0, 1, 10) AS middles FROM unnest(ARRAY[0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1]::float8[]) x;
-- bounds finer than the declared scale are not rounded
SELECT dp_histogram((i / 10.0)::numeric(10, 1), 1000, 0.05, 9.95, 7) AS numerics FROM generate_series(0, 99) i;
SELECT buckets_of('SELECT i / 10.0 FROM generate_series(0, 99) i', 'width_bucket(x, 0.05, 9.95, 7)', 7) AS native;
SELECT dp_histogram(x::numeric(10, 2), 1000, 0.001, 0.002, 2) AS between_steps FROM unnest(ARRAY[0, 0.01, -3]) x;
-- values at an edge, just below and just above it
CREATE TABLE edges (type text, lower text, upper text, n int, found bigint[], native bigint[]);
CREATE TABLE reals (x float8);
CREATE TABLE numerics (x numeric);
INSERT INTO edges SELECT type, lower, upper, n FROM unnest('{float8,real}'::text[]) type, unnest(ARRAY[1, 3, 10, 49, 1000]) n,
  (VALUES ('0', '1'), ('-1', '2'), ('0.1', '0.7'), ('-1e-30', '1e30'), ('1e-30', '1e-29'), ('16777216', '16777218'), ('-3.3e38', '3.3e38')) b (lower, upper);
INSERT INTO edges SELECT 'float8', lower, upper, n FROM (VALUES ('1', '1.0000000000000002'), ('-1e300', '1e303'), ('-1e-300', '1e-290')) b (lower, upper), unnest(ARRAY[1, 3, 10, 49]) n;
INSERT INTO edges SELECT type, lower, upper, n FROM unnest('{numeric,"numeric(10,1)","numeric(38,20)"}'::text[]) type, unnest(ARRAY[1, 3, 10, 49, 1000]) n,
  (VALUES ('0', '1'), ('-1', '2'), ('0.05', '9.95'), ('1e-20', '3e-20'), ('0', '1e-17'), ('-1e25', '1e25'), ('0', '1e40'), ('-7.5e90', '1e-90'), ('0', '12345678901.1'), ('0.3', '1234567890123456789.123456789')) b (lower, upper);
DO $$
DECLARE
  e record;
  call text;
BEGIN
  FOR e IN SELECT * FROM edges LOOP
    TRUNCATE reals, numerics;
    IF e.type LIKE 'numeric%' THEN
      INSERT INTO numerics SELECT x FROM generate_series(0, least(e.n, 60)) j, trunc(e.lower::numeric + (e.upper::numeric - e.lower::numeric) * j / e.n, 60) edge,
        LATERAL (VALUES (edge), (edge * (1 + 1e-15)), (edge * (1 - 1e-15)), (edge * (1 - 1e-30)), (edge + 1e-19), (edge - 1e-19), (edge - 1e-50), (edge + 0.1)) v (x);
      IF e.type <> 'numeric' THEN
        EXECUTE format('DELETE FROM numerics WHERE abs(x) >= %s; UPDATE numerics SET x = x::%s', CASE e.type WHEN 'numeric(10,1)' THEN '1e8' ELSE '1e17' END, e.type);
      END IF;
      call := 'dp_histogram(x::%s, 1000, %L, %L, %s), $1 FROM numerics';
    ELSE
      INSERT INTO reals SELECT x FROM generate_series(0, least(e.n, 60)) j, LATERAL (SELECT e.lower::float8 + (e.upper::float8 - e.lower::float8) * (j::float8 / e.n) AS edge) s,
        LATERAL (VALUES (edge), (edge * (1 + 2.3e-16::float8)), (edge * (1 - 1.2e-16::float8)), (edge * (1 + 1.2e-7::float8)), (edge * (1 - 6e-8::float8))) v (x);
      UPDATE reals SET x = x::real WHERE e.type = 'real';
      call := 'dp_histogram(x::%s, 1000, %L, %L, %s), $1 FROM reals';
    END IF;
    EXECUTE format('UPDATE edges SET (found, native) = (SELECT ' || call || ') WHERE (type, lower, upper, n) = ($2, $3, $4, $5)', e.type, e.lower, e.upper, e.n)
      USING buckets_of(format('SELECT x FROM %s', CASE WHEN e.type LIKE 'numeric%' THEN 'numerics' ELSE 'reals' END),
          format(CASE e.type WHEN 'real' THEN 'width_bucket(x, %L::real, %L::real, %s)' ELSE 'width_bucket(x, %L, %L, %s)' END, e.lower, e.upper, e.n), e.n),
        e.type, e.lower, e.upper, e.n;
  END LOOP;
END $$;
SELECT type, count(*) AS histograms, count(*) FILTER (WHERE found = native) AS right FROM edges GROUP BY type ORDER BY type;
SELECT type, lower, upper, n FROM edges WHERE found IS DISTINCT FROM native ORDER BY 1, 2, 3, 4 LIMIT 5;
DROP TABLE edges, reals, numerics;
-- the ends
SELECT dp_histogram(x, 1000, -10, 10, 4) AS doubles FROM unnest(ARRAY['-inf', 'inf', 'NaN', NULL, -0.0, -10, 10, 5, 4.999999, 1e308, -1e308]::float8[]) x;
SELECT dp_histogram(x, 1000, -10, 10, 4) AS numerics FROM unnest(ARRAY['-inf', 'inf', 'NaN', NULL, -0.0, -10, 10, 5, 4.999999, 1e308, -1e308]::numeric[]) x;
SELECT dp_histogram(x, 1000, '2000-01-01', '2000-01-05', 2) AS dates FROM unnest(ARRAY['-infinity', 'infinity', NULL, '2000-01-01', '2000-01-02', '2000-01-03', '2000-01-04', '2000-01-05', '2000-01-06']::date[]) x;
SELECT dp_histogram(x, 1000, '-9223372036854775808', 9223372036854775807, 3) AS bigints FROM unnest(ARRAY[-9223372036854775808, 9223372036854775807, 0, -1, -3074457345618258603, -3074457345618258604, 3074457345618258602]::bigint[]) x;
-- bounds so far apart that width_bucket itself overflows
SELECT dp_histogram(x, 1000, -1.7976931348623157e308, 1.7976931348623157e308, 2) AS doubles FROM unnest(ARRAY[-1e308, -1, -4.9e-324, 0, 1e308]::float8[]) x;
SELECT dp_histogram(x, 1000, 0, 1.7e308, 5) AS doubles FROM unnest(ARRAY[-1e308, -1, 0, 4.9e-324, 1e-300, 1e300, 3.3e307, 3.5e307, 1e308, 1.69e308, 1.7e308, 'inf', 'NaN']::float8[]) x;
SELECT dp_histogram(x, 1000, 0, 4.9e-324, 3) AS doubles, dp_histogram(x, 1000, 0, 1.5e-323, 3) AS wider FROM unnest(ARRAY[0, 4.9e-324, 1e-323, 1.5e-323, 1]::float8[]) x;
SELECT dp_histogram(x, 1000, '-3.4e38', '3.4e38', 3) AS reals FROM unnest(ARRAY['-inf', -3.4e38, -1.2e38, -1.1e38, 0, 1.1e38, 1.2e38, 'inf', 'NaN']::real[]) x;
SELECT dp_histogram(x, 1000, '4714-11-24 BC', '5874897-12-31', 2) AS dates FROM unnest(ARRAY['2000-01-01', '4000000-01-01', 'infinity']::date[]) x;
SELECT dp_histogram(x, 1000, '4714-11-24 BC', '294276-12-31', 2) AS timestamps FROM unnest(ARRAY['2000-01-01', '200000-01-01', '-infinity']::timestamp[]) x;
-- more buckets than values of the type: some can hold none
SELECT dp_histogram(x, 1000, 0, 3, 7) AS sparse FROM generate_series(0, 3) x;
SELECT dp_histogram(x, 1000, 5, 5, 3) AS one_point FROM generate_series(0, 9) x;
SELECT dp_histogram(x, 1000, 0.1, 0.1, 2) AS one_double FROM unnest(ARRAY[0, 0.1, 1]::float8[]) x;
SELECT dp_histogram(x, 1000, 0.1, 0.1, 2) AS one_numeric FROM unnest(ARRAY[0, 0.1, 1, '-inf', 'inf', 'NaN']::numeric[]) x;
-- nothing
SELECT dp_histogram(x, 1000, 0, 9, 3) AS none FROM generate_series(1, 0) x;
SELECT dp_histogram(x, 1000, 0, 9, 3) AS none FROM unnest(ARRAY[NULL, 'NaN']::float8[]) x;
SELECT g, dp_histogram(g, 1000, 0, 9, 3) FILTER (WHERE g > 1) AS filtered FROM generate_series(1, 2) g GROUP BY g ORDER BY g;

-- the number of buckets
SELECT array_length(dp_histogram(x, 1000, 0, 99, 100000), 1) AS length, (dp_histogram(x, 1000, 0, 99, 100000))[1] AS first, (dp_histogram(x, 1000, 0, 99, 100000))[100000] AS last,
  (SELECT sum(n) FROM unnest(dp_histogram(x, 1000, 0, 99, 100000)) n) AS all FROM generate_series(0, 99) x;
SELECT dp_histogram(x, 1000, 0, 99, 0) FROM h;
SELECT dp_histogram(x, 1000, 0, 99, 100001) FROM h;
SELECT dp_histogram(x, 1000, 0, 99, -1) FILTER (WHERE false) FROM h;
SELECT dp_histogram(x, 1000, 0, 99, NULL) FROM h;
SELECT dp_histogram(x, 1000, 0, 99, x) FROM h;
SELECT dp_histogram(x, 0, 0, 99, 2) FROM h;
SELECT dp_histogram(x, 1, 99, 0, 2) FROM h;
SELECT dp_histogram(y, 1, 'NaN', 0, 2) FROM h;
SELECT dp_histogram(y, 1, 0, 'infinity', 2) FROM h;
SELECT dp_histogram(current_date, 1, '-infinity', '2000-01-01', 2);
SELECT dp_histogram(x::numeric(10, 2), 1000, 0.002, 0.001, 2) FROM h;
SELECT dp_histogram(x::numeric, 1000, 0, 'infinity', 2) FROM h;
SELECT dp_histogram(x, 1, 0, 99, 2) OVER () FROM h;

-- every bucket has noise of its own, of empty ones too: 176 pairs are different, give or take 4.4
SELECT count(DISTINCT b[1]) > 10 AS first, count(DISTINCT b[2]) > 10 AS empty_one, count(DISTINCT b) > 140 AS all, abs(avg(b[1]) - 100) < 10 AND abs(avg(b[2])) < 10 AS centred
FROM generate_series(1, 200) i, LATERAL (SELECT dp_histogram(x, 0.3, 0, 399, 2) AS b FROM generate_series(0, 99) x WHERE i = i) s;
SELECT bool_and(b[1] = c[1] AND b[2] = c[2]) AS merged FROM generate_series(1, 20) i, LATERAL (SELECT dp_histogram(x, 0.3, 0, 399, 2) AS b, dp_histogram(x, 0.3, 0, 399, 2) AS c FROM generate_series(0, 99) x WHERE i = i) s;
SELECT count(b) AS answers FROM generate_series(1, 20) i, LATERAL (SELECT dp_histogram(x, 1e-18, 0, 399, 2) AS b FROM generate_series(0, 99) x WHERE i = i) s;

-- plans
CREATE TABLE hp (g int, x int) PARTITION BY LIST (g);
CREATE TABLE hp_a PARTITION OF hp FOR VALUES IN (0);
CREATE TABLE hp_b PARTITION OF hp FOR VALUES IN (1);
INSERT INTO hp SELECT i % 2, i FROM generate_series(0, 99999) i;
ANALYZE hp;
SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 0;
SELECT dp_histogram(x, 1000, 0, 99999, 4) AS partition_wise FROM hp;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT dp_histogram(x, 1000, 0, 99999, 4) FROM hp;
SELECT dp_histogram(x, 1000, 0, 99999, 4) AS parallel FROM hp;
SELECT dp_histogram(x, 1000, 0, 99999, 4) AS nothing FROM hp WHERE x < 0;
SELECT g, dp_histogram(x, 1000, 0, 99999, 4) AS groups FROM hp GROUP BY g ORDER BY g;
RESET ALL;
PREPARE p(float8, int, int, int) AS SELECT dp_histogram(x, $1, $2, $3, $4) FROM hp;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(1000, 0, 99999, 2);
EXECUTE p(1000, 50000, 99999, 3);
EXECUTE p(1000, 0, 99999, 0);
RESET plan_cache_mode;
DEALLOCATE p;

-- states
CREATE AGGREGATE state_of(int, float8, int, int, bigint) (SFUNC = idp.dp_histogram_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.histogram_final);
CREATE TABLE states AS SELECT x % 5 AS part, state_of(x, 1000, 0, 99999, 4) AS s FROM hp GROUP BY 1;
SELECT merge(s) AS merged, merge(s::text::idp_state) AS through_text FROM states;
SELECT merge(s) FROM (SELECT s FROM states UNION ALL SELECT state_of(1, 1000, 0, 99999, 5)) x (s);
SELECT merge(s) FROM (SELECT s FROM states UNION ALL SELECT state_of(1, 1000, 1, 99999, 4)) x (s);
SELECT merge(s) IS NULL AS of_none FROM states WHERE part < 0;
DROP TABLE h, hp, states;
DROP AGGREGATE state_of(int, float8, int, int, bigint), merge(idp_state);
DROP FUNCTION buckets_of;

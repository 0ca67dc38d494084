-- Sums whose bounds nobody knows, side by side: the median relative error of dp_sum with a perfect
-- bound, with one 100 times too large, without bounds, and of the race to the top (Dong et al. 2022):
-- dp_sum at bounds 2, 4, ... 2^31, each at epsilon/31, less its penalty, the greatest of them.
CREATE EXTENSION idp;
DO $$ BEGIN PERFORM setseed(0.5); END $$;  -- the data are the same every time, the noise is not
CREATE TABLE sample (data text, n int, x int);
CREATE TABLE measured (n int);
INSERT INTO measured SELECT unnest(string_to_array(:'sizes', ','))::int;
INSERT INTO sample SELECT 'uniform', n, floor(random() * 1001) FROM measured, generate_series(1, n);
INSERT INTO sample SELECT 'log-normal', n, floor(exp(4 + 1.5 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))) FROM measured, generate_series(1, n);
INSERT INTO sample SELECT 'Zipf', n, floor(least(1e9, (1 - random()) ^ (-1 / 1.2))) FROM measured, generate_series(1, n);
\if :{?real}
CREATE TABLE real_column (x int);
\copy real_column FROM pstdin
INSERT INTO sample SELECT 'visits', n, x FROM measured, LATERAL (SELECT x FROM real_column ORDER BY random() LIMIT n) r
WHERE n < (SELECT count(*) FROM real_column);
INSERT INTO sample SELECT 'visits', (SELECT count(*) FROM real_column), x FROM real_column;
\endif
ANALYZE sample;

CREATE TABLE error (data text, n int, epsilon float8, method text, error float8);
CREATE FUNCTION race(epsilon float8) RETURNS text LANGUAGE sql AS $$
  SELECT 'greatest(0, ' || string_agg(format('dp_sum(x, %s, 0, %s::bigint) - %s', epsilon / 31, 2 ^ j,
                                             31 * ln(31 / 0.1) * 2 ^ j / epsilon), ', ' ORDER BY j) || ')'
  FROM generate_series(1, 31) j
$$;
CREATE PROCEDURE draw(draws int) LANGUAGE plpgsql AS $$
DECLARE
  s record; e float8; m record;
BEGIN
  FOR s IN SELECT data, n, max(x) AS most, sum(x) AS total FROM sample GROUP BY data, n LOOP
    CREATE TEMP TABLE one AS SELECT x::bigint AS x FROM sample WHERE data = s.data AND n = s.n;
    FOREACH e IN ARRAY ARRAY[0.1, 1] LOOP
      FOR m IN SELECT * FROM (VALUES ('perfect', format('dp_sum(x, %s, 0, %s)', e, s.most)),
          ('100 times', format('dp_sum(x, %s, 0, %s)', e, 100 * s.most::bigint)),
          ('found', format('dp_sum(x, %s)', e)), ('race', race(e))) m (method, expression) LOOP
        EXECUTE format('INSERT INTO error SELECT %L, %s, %s, %L, abs(a - %s) / %s FROM generate_series(1, %s) i,
          LATERAL (SELECT (%s)::float8 AS a FROM one WHERE i = i) q',
          s.data, s.n, e, m.method, s.total, s.total, draws, m.expression);
      END LOOP;
    END LOOP;
    DROP TABLE one;
  END LOOP;
END
$$;
CALL draw(:draws);
SELECT data, n, epsilon,
  to_char(percentile_cont(0.5) WITHIN GROUP (ORDER BY error) FILTER (WHERE method = 'perfect'), '9.9EEEE') AS perfect,
  to_char(percentile_cont(0.5) WITHIN GROUP (ORDER BY error) FILTER (WHERE method = '100 times'), '9.9EEEE') AS "100 times",
  to_char(percentile_cont(0.5) WITHIN GROUP (ORDER BY error) FILTER (WHERE method = 'found'), '9.9EEEE') AS found,
  to_char(percentile_cont(0.95) WITHIN GROUP (ORDER BY error) FILTER (WHERE method = 'found'), '9.9EEEE') AS "found, 95 %",
  to_char(percentile_cont(0.5) WITHIN GROUP (ORDER BY error) FILTER (WHERE method = 'race'), '9.9EEEE') AS race
FROM error GROUP BY data, n, epsilon ORDER BY data, epsilon, n;

-- Table 1 and Figure 1 of the iDP paper: noise at epsilon = 1 where both sensitivities are 1.
--
-- Half of the values are 0 and half are 1, so the median is 0 and one record can move it by 1: its
-- local sensitivity is 1, and so is the smooth one, because bounds a million away, 45 ranks off,
-- count less than 10^6 * exp(-44/3) < 1. An answer is its noise.
CREATE TABLE halves AS SELECT (i > 45)::int::float8 AS x FROM generate_series(1, 90) i;
CREATE UNLOGGED TABLE noise (mechanism int, v float8);

\echo '     idp_median'
INSERT INTO noise SELECT 1, (SELECT idp_median(x, 1) FROM halves WHERE d > 0)
FROM generate_series(1, :draws) d;
\echo '     dp_median_smooth, gamma 2'
INSERT INTO noise SELECT 2, (SELECT dp_median_smooth(x, 1, '-1e6', '1e6', 2) FROM halves WHERE d > 0)
FROM generate_series(1, :draws) d;
\echo '     dp_median_smooth, gamma 3'
INSERT INTO noise SELECT 3, (SELECT dp_median_smooth(x, 1, '-1e6', '1e6', 3) FROM halves WHERE d > 0)
FROM generate_series(1, :draws) d;

-- Pr[|Z| <= z] of density proportional to 1/(1 + |z|^3)
CREATE FUNCTION cubic(z float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
  SELECT (ln(1 + z) / 3 - ln(z * z - z + 1) / 6 + (atan((2 * z - 1) / sqrt(3)) + pi() / 6) / sqrt(3))
         / (2 * pi() / (3 * sqrt(3)))
$$;
-- Pr[|noise| <= t], and its derivative; 4 gamma = 8 and 12 times Z
CREATE FUNCTION within(mechanism int, t float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE mechanism WHEN 1 THEN 1 - exp(-t) WHEN 2 THEN 2 / pi() * atan(t / 8) ELSE cubic(t / 12) END
$$;
CREATE FUNCTION density(mechanism int, t float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE mechanism WHEN 1 THEN exp(-t) WHEN 2 THEN 2 / pi() / 8 / (1 + (t / 8) ^ 2)
                        ELSE 3 * sqrt(3) / (2 * pi()) / 12 / (1 + (t / 12) ^ 3) END
$$;

CREATE TABLE law (mechanism int, name text, paper float8, exact float8);
INSERT INTO law
WITH RECURSIVE bisection AS (
  SELECT m, 0::float8 AS low, 1000::float8 AS high, 0 AS step FROM generate_series(1, 3) m
  UNION ALL
  SELECT m, CASE WHEN within(m, middle) < 0.95 THEN middle ELSE low END,
         CASE WHEN within(m, middle) < 0.95 THEN high ELSE middle END, step + 1
  FROM bisection, LATERAL (SELECT (low + high) / 2 AS middle) s WHERE step < 60)
SELECT m, (ARRAY['`idp_median`', '`dp_median_smooth`, γ = 2', '`dp_median_smooth`, γ = 3'])[m],
       (ARRAY[3, 101.7, 34.2])[m], low
FROM bisection WHERE step = 60;

\pset format unaligned
\o table1.md
\qecho :draws 'draws of each.'
\qecho
\qecho '| mechanism, ε = 1 | paper | exact | drawn | drawn − exact | drawn share inside the paper''s interval |'
\qecho '|---|---|---|---|---|---|'
SELECT line(name, '±' || paper, '±' || digits(exact, 5), '±' || estimate(drawn, error),
            difference(drawn, exact, error),
            estimate(100 * inside, 100 * sqrt(inside * (1 - inside) / n)) || ' %')
FROM law JOIN LATERAL
     (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY abs(v)) AS drawn, count(*) AS n,
             sqrt(0.95 * 0.05 / count(*)) / density(law.mechanism, exact) AS error,
             avg((abs(v) <= paper)::int)::float8 AS inside
      FROM noise WHERE noise.mechanism = law.mechanism) s ON true
ORDER BY mechanism;

-- The histogram: parts of 0.25 from -20 to 20.
CREATE TABLE histogram AS
SELECT mechanism, (bucket - 80.5) / 4 AS x, drawn, n,
       abs(sign(right_end) * within(mechanism, abs(right_end)) - sign(left_end) * within(mechanism, abs(left_end))) / 2
         AS expected
FROM (SELECT mechanism, width_bucket(v, -20, 20, 160) AS bucket, count(*) AS drawn,
             sum(count(*)) OVER (PARTITION BY mechanism)::float8 AS n
      FROM noise GROUP BY 1, 2) s,
     LATERAL (SELECT (bucket - 81) / 4.0::float8 AS left_end, (bucket - 80) / 4.0::float8 AS right_end) ends
WHERE bucket BETWEEN 1 AND 160;

\o figure1.md
\qecho '| mechanism | draws | χ² of the parts shown, each part 0.25 wide |'
\qecho '|---|---|---|'
SELECT line(name, n::int::text, digits(sum((drawn - n * expected) ^ 2 / (n * expected))) || ' of ' || count(*))
FROM histogram JOIN law USING (mechanism) WHERE n * expected >= 10 GROUP BY mechanism, name, n ORDER BY mechanism;

\pset format csv
\pset tuples_only off
\o noise.csv
SELECT x,
       max(drawn / n * 4) FILTER (WHERE mechanism = 1) AS idp_median,
       max(drawn / n * 4) FILTER (WHERE mechanism = 2) AS smooth_gamma_2,
       max(drawn / n * 4) FILTER (WHERE mechanism = 3) AS smooth_gamma_3
FROM histogram GROUP BY x ORDER BY x;
\o

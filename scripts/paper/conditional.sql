-- Figure 3 of the gradual release paper, equations (20), (25) and (28), and the correlation.
--
-- Every chain is a named release of the median of -1, 0, 1: its answers are its noise. SQL cannot choose V_1,
-- so many chains are made, and those are kept whose V_1 falls next to the paper's two values.
CREATE UNLOGGED TABLE many AS
SELECT g AS chain, x::float8 FROM generate_series(1, :chains) g, generate_series(-1, 1) x;
CREATE UNLOGGED TABLE v (chain int, v1 float8, v2 float8, v4 float8);

\echo '     first answers at epsilon 1'
CREATE UNLOGGED TABLE a1 AS SELECT chain, idp_median(x, 1, 'up ' || chain) AS v FROM many GROUP BY chain;
\echo '     the same releases at epsilon 2'
CREATE UNLOGGED TABLE a2 AS SELECT chain, idp_median(x, 2, 'up ' || chain) AS v FROM many GROUP BY chain;
\echo '     a tenth of them at epsilon 4'
CREATE UNLOGGED TABLE a4 AS
SELECT chain, idp_median(x, 4, 'up ' || chain) AS v FROM many WHERE chain <= :chains / 10 GROUP BY chain;
INSERT INTO v SELECT chain, a1.v, a2.v, a4.v FROM a1 JOIN a2 USING (chain) LEFT JOIN a4 USING (chain);
\echo '     as many others at epsilon 2, then tightened to 1'
CREATE UNLOGGED TABLE b2 AS
SELECT chain, idp_median(x, 2, 'down ' || chain) AS v FROM many WHERE chain <= :chains / 10 GROUP BY chain;
CREATE UNLOGGED TABLE b1 AS
SELECT chain, idp_median(x, 1, 'down ' || chain) AS v FROM many WHERE chain <= :chains / 10 GROUP BY chain;
CREATE UNLOGGED TABLE down AS SELECT chain, b1.v AS v1, b2.v AS v2 FROM b1 JOIN b2 USING (chain);
\echo '     a histogram of 100 000 counts at epsilon 2 and 4, one release'
CREATE VIEW nobody AS SELECT x FROM many WHERE x > 1;  -- every count is 0
CREATE UNLOGGED TABLE h1 AS
SELECT i AS chain, v
FROM unnest((SELECT dp_histogram(x, 2, 0, 1, 100000, 'histogram') FROM nobody)) WITH ORDINALITY u (v, i);
CREATE UNLOGGED TABLE h2 AS
SELECT i AS chain, v
FROM unnest((SELECT dp_histogram(x, 4, 0, 1, 100000, 'histogram') FROM nobody)) WITH ORDINALITY u (v, i);

-- Equation (25) for epsilon 1 -> 2: Pr[V_2 <= y, V_2 <> x | V_1 = x], the law without its atom.
CREATE FUNCTION moved(y float8, x float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
  IF x < 0 THEN
    RETURN 1 - exp(x) / 2 - moved(-y, -x);
  END IF;
  RETURN 0.25 * exp(3 * least(y, 0)) + 0.75 * (1 - exp(-greatest(least(y, x), 0)))
         + CASE WHEN y > x THEN 0.25 * (exp(-x) - exp(2 * x - 3 * y)) ELSE 0 END;
END
$$;

CREATE TABLE near_value AS
SELECT w.x0, w.half, v1, v2
FROM (VALUES (-0.37321::float8, 0.05::float8), (2.6391, 0.1)) w (x0, half) JOIN v ON abs(v1 - x0) < half;

\pset format unaligned
\o cases.md
\qecho :chains 'chains were made; those near the two values:'
\qecho
\qecho '| V₁ | chains | case of Algorithm 1 | exact, equation (25) | drawn | drawn − exact |'
\qecho '|---|---|---|---|---|---|'
-- Expectations are averaged over the V_1 that were drawn.
SELECT line(replace(x0::text, '-', '−') || ' ± ' || half, count(*)::text, name, digits(avg(p), 4),
            estimate(avg(hit), sqrt(avg(p * (1 - p)) / count(*))),
            difference(avg(hit), avg(p), sqrt(avg(p * (1 - p)) / count(*))))
FROM near_value, LATERAL (SELECT exp(-abs(v1)) AS e, v2 * sign(v1) AS y) s,
     LATERAL (VALUES (1, 'unchanged', e / 2, v2 = v1), (2, 'other sign', 0.25, y < 0),
                     (3, 'between 0 and V₁', 0.75 * (1 - e), y >= 0 AND y < abs(v1)),
                     (4, 'beyond V₁', 0.25 * e, y > abs(v1))) c (i, name, p, is_hit),
     LATERAL (SELECT is_hit::int::float8 AS hit) h
GROUP BY x0, half, i, name ORDER BY x0, i;

CREATE TABLE conditional AS
SELECT x0, (bucket - 30.5) / 10 AS y, n, drawn,
       (SELECT sum(moved((bucket - 30) / 10.0, v1) - moved((bucket - 31) / 10.0, v1))
        FROM near_value v WHERE v.x0 = s.x0) AS expected
FROM (SELECT x0, bucket, count(*)::float8 AS n,
             count(*) FILTER (WHERE v2 <> v1 AND v2 >= (bucket - 31) / 10.0 AND v2 < (bucket - 30) / 10.0) AS drawn
      FROM near_value, generate_series(1, 60) bucket GROUP BY x0, bucket) s;

\o figure3.md
\qecho '| V₁ | chains | χ² of the parts that expect 5 or more |'
\qecho '|---|---|---|'
SELECT line(replace(x0::text, '-', '−') || ' ± ' || CASE WHEN x0 < 0 THEN 0.05 ELSE 0.1 END, max(n)::int::text,
            digits(sum((drawn - expected) ^ 2 / expected)) || ' of ' || count(*))
FROM conditional WHERE expected >= 5 GROUP BY x0 ORDER BY x0;

-- Correlations with the standard error from 50 batches.
\o correlation.md
\qecho '| releases | what | paper | exact | drawn | drawn − exact |'
\qecho '|---|---|---|---|---|---|'
WITH pair AS (
  SELECT 1 AS i, chain, v1 AS a, v2 AS b FROM v
  UNION ALL SELECT 2, chain, v2, v4 FROM v WHERE v4 IS NOT NULL
  UNION ALL SELECT 3, chain, v1, v4 FROM v WHERE v4 IS NOT NULL
  UNION ALL SELECT 4, chain, v1 - v2, v2 - v4 FROM v WHERE v4 IS NOT NULL
  UNION ALL SELECT 5, chain, v1, v2 FROM down
  UNION ALL SELECT 6, chain, v1 - v2, v2 FROM down
  UNION ALL SELECT 7, h1.chain, h1.v, h2.v FROM h1 JOIN h2 USING (chain)
  UNION ALL SELECT 8, h1.chain, h1.v - h2.v, h2.v FROM h1 JOIN h2 USING (chain)),
names (i, releases, name, paper, exact) AS (VALUES
  (1, '`idp_median`, ε 1 → 2', 'ρ(V₁, V₂)', '0.5', 0.5::float8),
  (2, '`idp_median`, ε 1 → 2 → 4', 'ρ(V₂, V₄)', '0.5', 0.5),
  (3, '', 'ρ(V₁, V₄)', '0.25', 0.25),
  (4, '', 'ρ(V₁ − V₂, V₂ − V₄): Markov', '0', 0),
  (5, '`idp_median`, ε 2, tightened to 1', 'ρ(V₁, V₂)', '0.5', 0.5),
  (6, '', 'ρ(V₁ − V₂, V₂)', '0', 0),
  (7, '`dp_histogram`, ε 2 → 4: counts, α = e⁻¹ → e⁻²', 'ρ(V₁, V₂)', '0.5', exp(-0.5) * (1 - exp(-1)) / (1 - exp(-2))),
  (8, '', 'ρ(V₁ − V₂, V₂)', '0', 0))
SELECT line(releases, name, paper, digits(exact, 4), estimate(drawn, se), difference(drawn, exact, se))
FROM names JOIN (SELECT i, avg(r) AS drawn, stddev(r) / sqrt(50) AS se
                 FROM (SELECT i, chain % 50 AS batch, corr(a, b) AS r FROM pair GROUP BY 1, 2) s GROUP BY i) t USING (i)
ORDER BY i;

\o unchanged.md
\qecho '| releases | number | what | exact | drawn | drawn − exact |'
\qecho '|---|---|---|---|---|---|'
WITH fact AS (
  SELECT 1 AS i, '`idp_median`, ε 1 → 2' AS releases, 'V₂ = V₁: (ε₁/ε₂)², equation (20)' AS what,
         0.25::float8 AS exact, (v1 = v2)::int::float8 AS x FROM v
  UNION ALL SELECT 2, '', 'mean of |V₁|', 1, abs(v1) FROM v
  UNION ALL SELECT 3, '', 'mean of |V₂|', 0.5, abs(v2) FROM v
  UNION ALL SELECT 4, '`idp_median`, ε 2, tightened to 1', 'V₁ = V₂: (ε₁/ε₂)², equation (28)', 0.25,
                   (v1 = v2)::int FROM down
  UNION ALL SELECT 5, '', 'mean of |V₁ − V₂| if not equal', 1, abs(v1 - v2) FROM down WHERE v1 <> v2
  UNION ALL SELECT 6, '', '|V₁ − V₂| > ln 20 if not equal', 0.05, (abs(v1 - v2) > ln(20))::int FROM down WHERE v1 <> v2
  UNION ALL SELECT 7, '`dp_histogram`, ε 2 → 4', 'V₂ = V₁ on integers',
                   w + (1 - w) * (1 - exp(-1)) / (1 + exp(-1)), (h1.v = h2.v)::int
    FROM h1 JOIN h2 USING (chain), (SELECT exp(-1) * (1 - exp(-1)) ^ 2 / (1 - exp(-2)) ^ 2 AS w) c)
SELECT line(releases, count(*)::text, what, digits(exact, 4), estimate(avg(x), stddev(x) / sqrt(count(*))),
            difference(avg(x), exact, stddev(x) / sqrt(count(*))))
FROM fact GROUP BY i, releases, what, exact ORDER BY i;

\pset format csv
\pset tuples_only off
\o conditional.csv
SELECT y, max(drawn / n * 10) FILTER (WHERE x0 < 0) AS drawn_at_m0_37321,
       max(expected / n * 10) FILTER (WHERE x0 < 0) AS expected_at_m0_37321,
       max(sqrt(drawn) / n * 10) FILTER (WHERE x0 < 0) AS se_at_m0_37321,
       max(drawn / n * 10) FILTER (WHERE x0 > 0) AS drawn_at_2_6391,
       max(expected / n * 10) FILTER (WHERE x0 > 0) AS expected_at_2_6391,
       max(sqrt(drawn) / n * 10) FILTER (WHERE x0 > 0) AS se_at_2_6391
FROM conditional GROUP BY y ORDER BY y;
\o

-- Figure 2 of the iDP paper: mean absolute error of private medians.
--
-- As there: 10, 100 and 1000 values of U[0,1], N(0,1) and Exp(1); the domain is [0, 1] for U and, for the
-- other two, from the least to the largest value of each data set. Every law is known, so beside the
-- error that was drawn stands the exact expectation for the very same data sets:
--   idp_median         LS/epsilon
--   dp_median_smooth   E min(c|Z|, distance to the bound), c = 4 gamma S/epsilon, beta = epsilon/gamma
--   dp_median          the exponential mechanism's, interval by interval
--   the paper          c E|Z| = 12 S/epsilon, as E|Z| = 1 for gamma = 3; not clamped; beta = epsilon
DO $$ BEGIN PERFORM setseed(0.5); END $$;  -- the data are the same every time, the noise is not

CREATE TABLE data_set AS
SELECT data, n, set,
       CASE data WHEN 'uniform' THEN array_agg(u ORDER BY u) WHEN 'normal' THEN array_agg(g ORDER BY g)
                 ELSE array_agg(e ORDER BY e) END AS x
FROM unnest('{uniform,normal,exponential}'::text[]) data, unnest('{10,100,1000}'::int[]) n,
     generate_series(1, :sets) set,
     LATERAL (SELECT random() AS u, sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS g, -ln(1 - random()) AS e
              FROM generate_series(1, n + 0 * set)) v  -- names the set, or all sets would share one draw
GROUP BY data, n, set;

-- E min(|Z|, a)/2 and E min(|Z|, a)^2/2 of density proportional to 1/(1 + |z|^3): one side of zero
CREATE FUNCTION one_side(a float8, OUT mean float8, OUT square float8) IMMUTABLE LANGUAGE sql AS $$
  SELECT (q - p + h + a * (k - (p - q + h))) / (2 * k),
         (ln(1 + a ^ 3) / 3 + a * a * (k - (p - q + h))) / (2 * k)
  FROM (SELECT ln(1 + a) / 3 AS p, ln(a * a - a + 1) / 6 AS q,
               (atan((2 * a - 1) / sqrt(3)) + pi() / 6) / sqrt(3) AS h, 2 * pi() / (3 * sqrt(3)) AS k) s
$$;

CREATE TABLE error (data text, n int, set int, epsilon float8, mechanism text, drawn float8, expected float8,
                    variance float8);  -- of drawn, by the law

-- All epsilons on one data set.
CREATE PROCEDURE measure(d data_set, repeats int) LANGUAGE plpgsql AS $$
DECLARE
  n int := d.n;
  r int := (d.n + 1) / 2;  -- the rank of the lower median
  m float8 := d.x[r];
  lower float8 := CASE WHEN d.data = 'uniform' THEN 0 ELSE d.x[1] END;
  upper float8 := CASE WHEN d.data = 'uniform' THEN 1 ELSE d.x[n] END;
  w float8[] := lower || d.x || upper;  -- x_i is w[i + 1]
  gap float8[];  -- gap[k + 1]: the longest stretch of k + 1 gaps that touches x_r
  ls float8 := greatest(d.x[r + 1] - m, m - d.x[r - 1]);
  eps float8;
  s_paper float8; s_valid float8; c float8; answer record; exact record; above record; below record;
BEGIN
  -- Stretches beyond 200 gaps count less than exp(-200/6) of the domain, nothing against ls.
  SELECT array_agg(g ORDER BY k) INTO gap
  FROM generate_series(0, least(n, 200)) k,
       LATERAL (SELECT max(w[least(r + t, n + 1) + 1] - w[greatest(r + t - k - 1, 0) + 1]) AS g
                FROM generate_series(0, k + 1) t) s;
  FOR tenths IN 5..10 LOOP
    eps := tenths / 10.0;
    SELECT max(exp(-eps * (k - 1)) * g), max(exp(-eps / 3 * (k - 1)) * g) INTO s_paper, s_valid
    FROM unnest(gap) WITH ORDINALITY u (g, k);
    c := 12 * s_valid / eps;
    above := one_side((upper - m) / c);
    below := one_side((m - lower) / c);
    -- Intervals end at the median or do not hold it: |v - m| is linear in each.
    SELECT sum(weight * abs(middle - m)) / sum(weight) AS mean,
           sum(weight * ((middle - m) ^ 2 + length ^ 2 / 12)) / sum(weight) AS square INTO exact
    FROM generate_series(0, n) j,
         LATERAL (SELECT w[j + 2] - w[j + 1] AS length, (w[j + 2] + w[j + 1]) / 2 AS middle) interval,
         LATERAL (SELECT length * exp(-eps / 2 * greatest(r - j, j - r + 1)) AS weight) s;
    SELECT avg(abs(idp - m)) AS idp, avg(abs(smooth - m)) AS smooth, avg(abs(exponential - m)) AS exponential
    INTO answer
    FROM (SELECT (SELECT idp_median(v, eps) FROM unnest(d.x) v WHERE draw > 0) AS idp,
                 (SELECT dp_median_smooth(v, eps, lower, upper) FROM unnest(d.x) v WHERE draw > 0) AS smooth,
                 (SELECT dp_median(v, eps, lower, upper) FROM unnest(d.x) v WHERE draw > 0) AS exponential
          FROM generate_series(1, repeats) draw) s;
    INSERT INTO error VALUES
      (d.data, n, d.set, eps, 'idp', answer.idp, ls / eps, (ls / eps) ^ 2 / repeats),
      (d.data, n, d.set, eps, 'smooth', answer.smooth, c * (above.mean + below.mean),
       c * c * (above.square + below.square - (above.mean + below.mean) ^ 2) / repeats),
      (d.data, n, d.set, eps, 'exponential', answer.exponential, exact.mean,
       (exact.square - exact.mean ^ 2) / repeats),
      (d.data, n, d.set, eps, 'paper', 12 * s_paper / eps, 12 * s_valid / eps, 0);
  END LOOP;
END
$$;

CREATE PROCEDURE measure_all(which text, size int, repeats int) LANGUAGE plpgsql AS $$
DECLARE
  d data_set;
BEGIN
  FOR d IN SELECT * FROM data_set WHERE data = which AND n = size ORDER BY set LOOP
    CALL measure(d, repeats);
  END LOOP;
END
$$;
\echo '     U[0,1]'
CALL measure_all('uniform', 10, :repeats);
CALL measure_all('uniform', 100, :repeats);
CALL measure_all('uniform', 1000, :repeats);
\echo '     N(0,1)'
CALL measure_all('normal', 10, :repeats);
CALL measure_all('normal', 100, :repeats);
CALL measure_all('normal', 1000, :repeats);
\echo '     Exp(1)'
CALL measure_all('exponential', 10, :repeats);
CALL measure_all('exponential', 100, :repeats);
CALL measure_all('exponential', 1000, :repeats);

-- Means over data sets. The standard error is that of the noise: the data sets are the same in both.
CREATE TABLE result AS
SELECT array_position('{uniform,normal,exponential}', data) AS i, n, epsilon, mechanism, avg(drawn) AS drawn,
       sqrt(sum(variance)) / count(*) AS se, avg(expected) AS expected
FROM error GROUP BY data, n, epsilon, mechanism;

CREATE TABLE wide AS
SELECT i AS data, n, epsilon, a.drawn AS idp, a.se AS idp_se, a.expected AS idp_exact,
       b.drawn AS dp_median, b.se AS dp_median_se, b.expected AS dp_median_exact,
       c.drawn AS smooth, c.se AS smooth_se, c.expected AS smooth_exact,
       d.expected AS smooth_not_clamped, d.drawn AS paper_smooth
FROM result a JOIN result b USING (i, n, epsilon) JOIN result c USING (i, n, epsilon)
  JOIN result d USING (i, n, epsilon)
WHERE (a.mechanism, b.mechanism, c.mechanism, d.mechanism) = ('idp', 'exponential', 'smooth', 'paper');

\pset format unaligned
\o median.md
\qecho :sets 'data sets of each kind,' :repeats 'draws from each for each ±.'
\qecho
\qecho '| data | n | ε | `idp_median` | LS/ε | `dp_median` | exact | `dp_median_smooth` | exact | smooth, not clamped | the paper''s formula |'
\qecho '|---|---|---|---|---|---|---|---|---|---|---|'
SELECT line(('{"U[0,1]","N(0,1)","Exp(1)"}'::text[])[data], n::text, epsilon::text,
            estimate(idp, idp_se), digits(idp_exact), estimate(dp_median, dp_median_se), digits(dp_median_exact),
            estimate(smooth, smooth_se), digits(smooth_exact), digits(smooth_not_clamped), digits(paper_smooth))
FROM wide WHERE epsilon IN (0.5, 1) ORDER BY data, n, epsilon;
\o median_check.md
\qecho '| aggregate | comparisons | (drawn − exact)/s.e.: mean | root mean square | largest |'
\qecho '|---|---|---|---|---|'
SELECT line(name, count(*)::text, replace(round(avg(z)::numeric, 2)::text, '-', '−'),
            digits(sqrt(avg(z * z))), digits(max(abs(z))))
FROM (VALUES ('idp', '`idp_median`'), ('exponential', '`dp_median`'), ('smooth', '`dp_median_smooth`'))
       m (mechanism, name)
  JOIN result USING (mechanism), LATERAL (SELECT (drawn - expected) / se AS z) s
GROUP BY name ORDER BY name DESC;

\pset format csv
\pset tuples_only off
\o median.csv
SELECT * FROM wide ORDER BY data, n, epsilon;
\o

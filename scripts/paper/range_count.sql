-- Table 2 and Figure 2 of the iDP paper's first version: errors of range counts.
--
-- Ten values, five of them in the range.
CREATE TABLE ten AS SELECT i AS x FROM generate_series(1, 10) i;
CREATE TABLE error (epsilon float8, label text, mechanism text, error bigint, drawn bigint);
CREATE TABLE printed (epsilon float8, label text, dp float8, idp float8);
INSERT INTO printed VALUES (0.1, '0.1', 9.98, 0.95), (ln(2), 'ln 2', 1.33, 0.66), (1, '1', 0.85, 0.53),
                           (2, '2', 0.27, 0.23), (5, '5', 0.013, 0.013);

\echo '     dp_count_range and idp_count_range, five epsilons'
-- Materialized, because pulled up the scalar subquery would be planned, and drawn, once as the key
-- of the groups and once as their output.
SELECT format($f$
  WITH drawn AS MATERIALIZED
    (SELECT (SELECT %3$s(x, %1$L::float8, 3, 7) FROM ten WHERE d > 0) AS answer FROM generate_series(1, %4$s) d)
  INSERT INTO error SELECT %1$L, %2$L, %3$L, answer - 5, count(*) FROM drawn GROUP BY answer$f$,
              epsilon, label, mechanism, :counts)
FROM printed, unnest('{dp_count_range,idp_count_range}'::text[]) mechanism
\gexec

CREATE TABLE result AS
SELECT mechanism, e.epsilon, e.label, CASE mechanism WHEN 'dp_count_range' THEN dp ELSE idp END AS paper,
       CASE mechanism WHEN 'dp_count_range' THEN 2 * a / (1 - a * a) ELSE 2 * a / (1 + a) END AS exact,
       sum(abs(error) * drawn)::float8 / sum(drawn) AS drawn, sum(drawn) AS n,
       sqrt((sum(error ^ 2 * drawn) / sum(drawn) - (sum(abs(error) * drawn)::float8 / sum(drawn)) ^ 2)
            / sum(drawn)) AS se
FROM error e JOIN printed USING (epsilon), LATERAL (SELECT exp(-e.epsilon) AS a) s
GROUP BY mechanism, e.epsilon, e.label, dp, idp, a;

\pset format unaligned
\o table2.md
\qecho :counts 'draws for each line.'
\qecho
\qecho '| aggregate | ε | paper | exact | drawn | drawn − exact | exact − paper |'
\qecho '|---|---|---|---|---|---|---|'
SELECT line('`' || mechanism || '`', label, paper::text, digits(exact, 5), estimate(drawn, se),
            difference(drawn, exact, se), to_char(exact - paper, 'FM0.0000'))
FROM result ORDER BY mechanism, epsilon;

\o figure2_first.md
\qecho '| error | −3 | −2 | −1 | 0 | 1 | 2 | 3 |'
\qecho '|---|---|---|---|---|---|---|---|'
SELECT line(VARIADIC ARRAY['`' || m || '`, drawn']
                     || array_agg(digits(coalesce(drawn, 0)::float8 / :counts, 4) ORDER BY e))
       || E'\n' || line(VARIADIC ARRAY['exact'] || array_agg(digits(
            CASE WHEN m = 'dp_count_range' THEN (1 - a) / (1 + a) * a ^ abs(e)
                 WHEN e = 0 THEN (1 - a) / (1 + a) WHEN abs(e) = 1 THEN a / (1 + a) ELSE 0 END, 4) ORDER BY e))
FROM (SELECT exp(-1::float8) AS a) s
  CROSS JOIN unnest('{dp_count_range,idp_count_range}'::text[]) m CROSS JOIN generate_series(-3, 3) e
  LEFT JOIN error ON epsilon = 1 AND error.error = e AND mechanism = m
GROUP BY m ORDER BY m;

\pset format csv
\pset tuples_only off
\o range_count.csv
SELECT e AS error,
       coalesce(max(drawn) FILTER (WHERE mechanism = 'dp_count_range'), 0) / :counts::float8 AS dp_count_range,
       (1 - a) / (1 + a) * a ^ abs(e) AS dp_exact,
       coalesce(max(drawn) FILTER (WHERE mechanism = 'idp_count_range'), 0) / :counts::float8 AS idp_count_range,
       CASE WHEN e = 0 THEN (1 - a) / (1 + a) WHEN abs(e) = 1 THEN a / (1 + a) ELSE 0 END AS idp_exact
FROM (SELECT exp(-1::float8) AS a) s CROSS JOIN generate_series(-6, 6) e
  LEFT JOIN error ON epsilon = 1 AND error.error = e
GROUP BY e, a ORDER BY e;
\o range_count_error.csv
SELECT mechanism, epsilon, paper, exact, drawn, se AS standard_error, n AS draws
FROM result ORDER BY mechanism, epsilon;
\o

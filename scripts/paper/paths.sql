-- Figure 1 of the gradual release paper: sample paths of the process, and how lazy it is.
--
-- The median of -1, 0, 1 is 0 and one record can move it by 1. Every path is one named release, made
-- at the smallest epsilon and relaxed through 120 levels from 0.1 to 10, each 100^(1/120) times the last.
CREATE TABLE three AS SELECT p AS path, x::float8 FROM generate_series(1, :paths) p, generate_series(-1, 1) x;
CREATE TABLE level AS SELECT l, 0.1 * 100 ^ (l / 120.0)::float8 AS epsilon FROM generate_series(0, 120) l;
CREATE TABLE answer (path int, l int, epsilon float8, v float8);

\echo '     named releases, relaxed through 120 levels'
INSERT INTO answer SELECT path, 0, 0.1, idp_median(x, 0.1, 'path ' || path) FROM three GROUP BY path;
CREATE PROCEDURE relax_all() LANGUAGE plpgsql AS $$
DECLARE
  level level;
BEGIN
  FOR level IN SELECT * FROM level WHERE l > 0 ORDER BY l LOOP
    INSERT INTO answer
    SELECT path, level.l, level.epsilon, idp.relax('path ' || path, level.epsilon)::float8 FROM answer WHERE l = 0;
  END LOOP;
END
$$;
CALL relax_all();

CREATE TABLE step AS
SELECT path, l, epsilon, v, (v <> lag(v) OVER w)::int AS jump, 1 - (lag(epsilon) OVER w / epsilon) ^ 2 AS chance
FROM answer WINDOW w AS (PARTITION BY path ORDER BY l);

\pset format unaligned
\o paths.md
SELECT line('over ' || :paths || ' paths of 120 steps, ε from 0.1 to 10', 'exact', 'drawn', 'drawn − exact');
\qecho '|---|---|---|---|'
-- Steps are independent of each other and of V, so their sum has the variance of its coins.
SELECT line('jumps of a path', digits(exact, 4), estimate(drawn, se), difference(drawn, exact, se))
FROM (SELECT sum(chance) / :paths AS exact, sum(jump)::float8 / :paths AS drawn,
             sqrt(sum(chance * (1 - chance))) / :paths AS se FROM step WHERE l > 0) s;
SELECT line('variance of the jumps of a path', digits(exact, 4), estimate(drawn, se), difference(drawn, exact, se))
FROM (SELECT (SELECT sum(chance * (1 - chance)) / :paths FROM step WHERE l > 0) AS exact,
             variance(jumps)::float8 AS drawn,
             variance(jumps)::float8 * sqrt(2.0 / (count(*) - 1)) AS se
      FROM (SELECT sum(jump) AS jumps FROM step GROUP BY path) s) s;
SELECT line('mean of ε·|V_ε| at ε = ' || digits(epsilon, 3), '1', estimate(drawn, se), difference(drawn, 1, se))
FROM (SELECT epsilon, avg(epsilon * abs(v)) AS drawn, stddev(epsilon * abs(v)) / sqrt(count(*)) AS se
      FROM step WHERE l IN (0, 60, 120) GROUP BY epsilon) s ORDER BY epsilon;

\pset format csv
\pset tuples_only off
\o paths.csv
SELECT epsilon, max(v) FILTER (WHERE path = 1) AS path_1, max(v) FILTER (WHERE path = 2) AS path_2,
       max(v) FILTER (WHERE path = 3) AS path_3, max(v) FILTER (WHERE path = 4) AS path_4,
       max(v) FILTER (WHERE path = 5) AS path_5
FROM answer GROUP BY epsilon ORDER BY epsilon;
\o

-- Section 4.1 of the gradual release paper: a population answers by randomised response, then answers
-- again more accurately. Truth is known, so the error bars can be held against it.

CREATE UNLOGGED TABLE people AS
SELECT i AS person, 'value ' || lpad(floor(20 * (i / 100000.0) ^ 2)::int::text, 2, '0') AS value FROM generate_series(0, 99999) i;
CREATE TABLE listed AS SELECT array_agg(value ORDER BY value) AS domain FROM (SELECT DISTINCT value FROM people) v;
CREATE TABLE truth AS SELECT value, count(*) AS n FROM people GROUP BY 1;
CREATE TABLE took (epsilon float8, ms float8);

\echo '     100 000 reports at epsilon 0.5, then 1, then 2'
SELECT clock_timestamp() AS start \gset
CREATE UNLOGGED TABLE r1 AS SELECT person, value, dp_report(value, 0.5, domain) AS r FROM people, listed;
INSERT INTO took SELECT 0.5, 1000 * extract(epoch FROM clock_timestamp() - :'start');
SELECT clock_timestamp() AS start \gset
CREATE UNLOGGED TABLE r2 AS SELECT person, value, dp_report(value, 1, domain, r) AS r FROM r1, listed;
INSERT INTO took SELECT 1, 1000 * extract(epoch FROM clock_timestamp() - :'start');
SELECT clock_timestamp() AS start \gset
CREATE UNLOGGED TABLE r3 AS SELECT person, value, dp_report(value, 2, domain, r) AS r FROM r2, listed;
INSERT INTO took SELECT 2, 1000 * extract(epoch FROM clock_timestamp() - :'start');
CREATE TABLE estimates AS
SELECT e AS epsilon, t.value, n, (c).count AS estimate, (c).standard_error AS error
FROM truth t, unnest(ARRAY[0.5, 1, 2]) e, LATERAL (SELECT dp_report_count(r, e, t.value) AS c FROM r3) s;

\echo '     many small populations: how often intervals hold the truth'
CREATE UNLOGGED TABLE small AS
SELECT p, (ARRAY['a', 'b', 'c', 'd', 'e'])[1 + floor(5 * (i / 2000.0) ^ 2)::int] AS value FROM generate_series(1, :sets) p, generate_series(0, 1999) i;
CREATE UNLOGGED TABLE answered AS
SELECT p, value, dp_report(value, 2, d, dp_report(value, 1, d, dp_report(value, 0.5, d))) AS r FROM small, (SELECT ARRAY['a', 'b', 'c', 'd', 'e']) l (d);
CREATE TABLE intervals AS
SELECT e AS epsilon, abs((c).count - n) <= 1.96 * (c).standard_error AS holds
FROM (SELECT DISTINCT value, count(*) AS n FROM small WHERE p = 1 GROUP BY 1) t, unnest(ARRAY[0.5, 1, 2]) e,
  LATERAL (SELECT p, dp_report_count(r, e, t.value) AS c FROM answered GROUP BY p) s;

\echo '     RAPPOR: 100 000 strings, 100 candidates, at epsilon 4 and then 8'
CREATE UNLOGGED TABLE strings AS
SELECT i AS person, 'https://example.org/' || floor(100 * (i / 100000.0) ^ 2)::int AS value FROM generate_series(0, 99999) i;
SELECT clock_timestamp() AS start \gset
CREATE UNLOGGED TABLE b1 AS SELECT person, value, dp_rappor_report(value, 4, 256, 3) AS r FROM strings;
INSERT INTO took SELECT 4, 1000 * extract(epoch FROM clock_timestamp() - :'start');
SELECT clock_timestamp() AS start \gset
CREATE UNLOGGED TABLE b2 AS SELECT person, value, dp_rappor_report(value, 8, 256, 3, r) AS r FROM b1;
INSERT INTO took SELECT 8, 1000 * extract(epoch FROM clock_timestamp() - :'start');
CREATE TABLE candidates AS
SELECT e AS epsilon, c.candidate, t.n, c.count AS estimate, c.standard_error AS error
FROM unnest(ARRAY[4, 8]) e,
  LATERAL (SELECT dp_rappor_count(r, e, (SELECT array_agg(DISTINCT value) FROM strings)) AS all_of FROM b2) s, unnest(all_of) c,
  LATERAL (SELECT count(*) AS n FROM strings WHERE value = c.candidate) t;

\pset format unaligned
\o reports.md
\qecho '| reports | ε | µs for each, one statement | mean error of an estimate | root mean square of error over standard error | 95 % intervals that hold the truth |'
\qecho '|---|---|---|---|---|---|'
SELECT line('100 000 of 20 values', t.epsilon::text, digits(t.ms / 100), digits(avg(abs(estimate - n)), 3), digits(sqrt(avg(((estimate - n) / error) ^ 2))),
  (SELECT estimate(100 * avg(holds::int)::float8, 100 * sqrt(avg(holds::int) * (1 - avg(holds::int)) / count(*))::float8) || ' % of ' || count(*) FROM intervals i WHERE i.epsilon = t.epsilon))
FROM took t JOIN estimates USING (epsilon) GROUP BY t.epsilon, t.ms ORDER BY t.epsilon;
SELECT line('100 000 of 100 strings, 256 bits, 3 hashes', t.epsilon::text, digits(t.ms / 100), digits(avg(abs(estimate - n)), 3), digits(sqrt(avg(((estimate - n) / error) ^ 2))),
  digits(100 * avg((abs(estimate - n) <= 1.96 * error)::int)::float8) || ' % of ' || count(*))
FROM took t JOIN candidates USING (epsilon) GROUP BY t.epsilon, t.ms ORDER BY t.epsilon;
\o reports.csv
\qecho 'epsilon,value,truth,estimate,standard_error'
\pset fieldsep ','
SELECT epsilon, row_number() OVER (PARTITION BY epsilon ORDER BY value) - 1, n, round(estimate::numeric, 1), round(error::numeric, 1) FROM estimates ORDER BY epsilon, value;
\o

\echo '9.  Its rows are hidden. An analyst may read the table, sees it in every catalog, and tries:'
\o /dev/null
SELECT idp.protect('person_year', budget => 3);
CREATE VIEW visits_of_all AS SELECT visits, health FROM person_year;
CREATE ROLE analyst;
GRANT SELECT ON person_year, visits_of_all TO analyst;
\o
SET ROLE analyst;
\set ON_ERROR_STOP off
SELECT * FROM person_year LIMIT 1;
\set VERBOSITY terse
\set ECHO queries
SELECT max(payment) FROM person_year;
SELECT visits FROM visits_of_all;
COPY person_year TO STDOUT;
SELECT dp_count(0.1) FROM person_year WHERE visits < 77 OR pg_sleep(10) IS NULL;
SELECT health, dp_count(0.1) FROM person_year GROUP BY health;
EXPLAIN ANALYZE SELECT array_agg(visits) FROM person_year;
\set ECHO none
\set VERBOSITY default
\set ON_ERROR_STOP on
\echo 'Nothing of this was charged. EXPLAIN tells what an answer would cost, and nothing of the rows:'
EXPLAIN (COSTS OFF) SELECT dp_count(0.1) FROM person_year;
\echo 'What the table gives him, until its budget is spent:'
SELECT dp_count(0.5) AS rows, dp_count(0.5) FILTER (WHERE visits = 0) AS no_visit, dp_avg(visits, 0.5, 0, 77) AS average_visits
FROM visits_of_all;
\echo 'Plain SQL, as a BI tool sends it, is answered likewise, at the epsilon of a setting:'
SET idp.epsilon = 0.25;
SELECT count(*) AS rows, avg(visits) AS average_visits FROM person_year WHERE health = 'fair';
SELECT total, spent, remaining FROM idp.budget;
RESET ROLE;

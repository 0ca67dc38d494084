\echo '8.  A protected table has a budget. What was charged stays, whatever the transaction does.'
\o /dev/null
SELECT idp.protect('person_year', budget => 1);
\o
BEGIN;
SELECT dp_count(0.5) AS rows FROM person_year;
ROLLBACK;
SELECT total, spent, remaining FROM idp.budget;
\set ON_ERROR_STOP off
SELECT dp_count(1) AS rows FROM person_year;
SELECT dp_count(0.1) AS pairs FROM person_year a JOIN person_year b USING (health);
\set ON_ERROR_STOP on

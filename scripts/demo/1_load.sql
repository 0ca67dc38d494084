-- What the demonstration is about.
\pset footer off

CREATE EXTENSION idp;

\ir ../randhie.sql

CREATE TYPE self_rated AS ENUM ('excellent', 'good', 'fair', 'poor');

CREATE TABLE person_year AS
SELECT
  (CASE 1 WHEN hlthp THEN 'poor' WHEN hlthf THEN 'fair' WHEN hlthg THEN 'good'
     ELSE 'excellent' END)::self_rated AS health,
  mdvis AS visits,
  disea AS diseases,
  round(exp(lncoins) - 1)::smallint AS coinsurance,
  CASE WHEN lpi > 0 THEN round(exp(lpi)::numeric, 2) END AS payment
FROM randhie;
ANALYZE person_year;

\echo
\echo '1. The data: RAND Health Insurance Experiment, one row for each person and year.'
SELECT count(*) AS rows, count(*) FILTER (WHERE visits = 0) AS no_visit, max(visits) AS most_visits,
       max(diseases) AS most_diseases, min(payment) AS least_payment, max(payment) AS most_payment
FROM person_year;

-- The RAND Health Insurance Experiment (United States, 1974-1982, public domain): one row for each
-- person and year. The file comes in on standard input.
\pset footer off

CREATE EXTENSION idp;

CREATE TEMPORARY TABLE randhie (
  mdvis integer,            -- outpatient visits to a doctor in the year
  lncoins double precision, -- ln(coinsurance + 1), the percentage that the patient pays
  idp integer,              -- individual deductible plan: only by chance our extension's name
  lpi double precision,     -- ln(max(1, yearly payment for taking part)), dollars
  fmde double precision,
  physlm double precision,
  disea double precision,   -- number of chronic diseases, an index
  hlthg integer, hlthf integer, hlthp integer -- rates own health good, fair, poor; none: excellent
);
\copy randhie FROM pstdin (FORMAT csv, HEADER)

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

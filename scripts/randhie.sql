-- The RAND Health Insurance Experiment (United States, 1974-1982, public domain): one row for each
-- person and year. The file comes in on standard input.
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

-- Interquartile range, median absolute deviation, trimmed average: exact where no neighbour changes
-- them, noisy elsewhere, suppressed where a neighbour is missing.

-- twelve values of each of 1..9 in every type: no record moves the quartiles or the deviation
CREATE TABLE dozens AS
SELECT v::smallint AS i2, v AS i4, v::bigint AS i8, v::real AS f4, v::double precision AS f8,
  v::numeric AS n, (v / 4.0)::numeric(6, 2) AS n2, v::numeric(38, 10) AS n38
FROM generate_series(1, 9) v, generate_series(1, 12);
SELECT idp_iqr(i2, 0.1) AS i2, idp_iqr(i4, 0.1) AS i4, idp_iqr(i8, 0.1) AS i8, idp_iqr(f4, 0.1) AS f4,
  idp_iqr(f8, 0.1) AS f8, idp_iqr(n, 0.1) AS n, idp_iqr(n2, 0.1) AS n2, idp_iqr(n38, 0.1) AS n38 FROM dozens;
SELECT idp_mad(i2, 0.1) AS i2, idp_mad(i4, 0.1) AS i4, idp_mad(i8, 0.1) AS i8, idp_mad(f4, 0.1) AS f4,
  idp_mad(f8, 0.1) AS f8, idp_mad(n, 0.1) AS n, idp_mad(n2, 0.1) AS n2, idp_mad(n38, 0.1) AS n38 FROM dozens;
-- where all that is left is the same value
SELECT idp_trimmed_avg(i2, 0.1, 0.47) AS i2, idp_trimmed_avg(i4, 0.1, 0.47) AS i4,
  idp_trimmed_avg(i8, 0.1, 0.47) AS i8, idp_trimmed_avg(f4, 0.1, 0.47) AS f4,
  idp_trimmed_avg(f8, 0.1, 0.47) AS f8, idp_trimmed_avg(n, 0.1, 0.47) AS n,
  idp_trimmed_avg(n2, 0.1, 0.47) AS n2, idp_trimmed_avg(n38, 0.1, 0.47) AS n38 FROM dozens;

-- the trimmed average is noisy as soon as the values differ, by about a range over a number of rows: noise
-- of the scale 0.05, of which 100 draws are beyond 2 once in 2e15 runs
SELECT bool_and(abs(a - 500.5) < 2) AS near, count(DISTINCT a) > 90 AS varies
FROM generate_series(1, 100) i,
  LATERAL (SELECT idp_trimmed_avg(x, 20, 0.1) AS a FROM generate_series(1, 1000) x WHERE i = i) s;
SELECT bool_and(abs(a - 500.5) < 2) AS near, count(DISTINCT a) > 90 AS varies
FROM generate_series(1, 100) i,
  LATERAL (SELECT idp_trimmed_avg(x::float8, 20, 0.1) AS a FROM generate_series(1, 1000) x WHERE i = i) s;
-- range and deviation move by a gap or two: 100 draws are beyond once in 1e14 runs
SELECT bool_and(r BETWEEN 450 AND 550) AS range, bool_and(d BETWEEN 175 AND 325) AS deviation,
  count(DISTINCT r) > 3 AS varies
FROM generate_series(1, 100) i,
  LATERAL (SELECT idp_iqr(x, 1) AS r, idp_mad(x, 1) AS d FROM generate_series(1, 1000) x WHERE i = i) s;
-- values that lie in files: an average moves by 1, and is farther off than 30 once in 1e13 runs
SET work_mem = '64kB';
SELECT abs(idp_trimmed_avg(x, 1, 0.25) - 100000.5) < 30 AS average, abs(idp_iqr(x, 1) - 100000) < 100 AS range,
  abs(idp_mad(x, 1) - 50000) < 100 AS deviation FROM generate_series(1, 200000) x;
SELECT abs(idp_trimmed_avg(x::numeric, 1, 0.25) - 300000.5) < 30 AS average, abs(idp_iqr(x::float8, 1) - 300000) < 100 AS range,
  abs(idp_mad(x::float8, 1) - 150000) < 100 AS deviation FROM generate_series(1, 600000) x;
RESET work_mem;

-- NULL: nothing, too few rows, nothing cut off, infinities beside what counts; not further away
SELECT idp_iqr(x, 1), idp_mad(x, 1), idp_trimmed_avg(x, 1, 0.25) FROM unnest('{}'::int[]) x;
SELECT idp_iqr(x, 1), idp_mad(x, 1), idp_trimmed_avg(x, 1, 0.25) FROM unnest('{1,2}'::int[]) x;
SELECT idp_trimmed_avg(x, 1, 0) IS NULL AS all_of_them, idp_trimmed_avg(x, 1, 0.02) IS NULL AS too_few,
  idp_trimmed_avg(x, 1, 0.03) IS NULL AS enough FROM generate_series(1, 40) x;
SELECT idp_iqr(x, 1), idp_mad(x, 1), idp_trimmed_avg(x, 1, 0.25) FROM unnest('{-Infinity,1,2,3,Infinity}'::float8[]) x;
SELECT idp_iqr(x, 1) AS range, idp_mad(x, 1) AS deviation, idp_trimmed_avg(x, 1, 0.25) AS average
FROM (SELECT unnest('{-Infinity,Infinity,NaN,NULL}'::float8[]) UNION ALL SELECT 5 FROM generate_series(1, 20)) v (x);

-- bad arguments, before a row is read
SELECT idp_iqr(x, 0) FROM generate_series(1, 9) x;
SELECT idp_mad(x, 'NaN') FROM generate_series(1, 9) x;
SELECT idp_mad(x, NULL) FROM generate_series(1, 9) x;
SELECT idp_trimmed_avg(x, 1, 0.5) FROM generate_series(1, 9) x;
SELECT idp_trimmed_avg(x, 1, -0.1) FROM generate_series(1, 9) x;
SELECT idp_trimmed_avg(x, 1, 'NaN') FROM generate_series(1, 9) x;
SELECT idp_trimmed_avg(x, 1, NULL) FROM generate_series(1, 9) x;
SELECT idp_trimmed_avg(x, 1, x / 100.0) FROM generate_series(1, 9) x;
SELECT idp_iqr(x::text, 1) FROM generate_series(1, 9) x;
SELECT idp_iqr(x, 1) OVER () FROM generate_series(1, 9) x;

-- over a protected table each is charged once; a refused one is not; a release is refined
CREATE TABLE pay (dept int, x int);
INSERT INTO pay SELECT i % 2, i FROM generate_series(1, 2000) i;
SELECT idp.protect('pay', 10, neighbours => 'add_remove', rows => 'visible');
SELECT idp_iqr(x, 0.25) IS NULL AS range, idp_mad(x, 0.5) IS NULL AS deviation, idp_trimmed_avg(x, 1, 0.1) IS NULL AS average FROM pay;
SELECT idp_trimmed_avg(x, 1, 0.6) FROM pay;
SELECT idp_iqr(x, 100) FROM pay;
SELECT dept, idp_trimmed_avg(x, 0.5, 0.1, 'inner/' || dept) IS NULL AS suppressed FROM pay GROUP BY dept ORDER BY dept;
SELECT idp_trimmed_avg(x, 0.5, 0.1, 'inner/0') = idp.release_answer('inner/0')::numeric AS repeated FROM pay WHERE dept = 0;
SELECT abs(idp.relax('inner/0', 2)::numeric - 1000) < 100 AS refined;
SELECT idp_mad(x, 0.25, 'inner/0') FROM pay WHERE dept = 0;
SELECT aggregate, epsilon, release FROM idp.ledger WHERE table_name = 'pay';
-- a floor: noise where there would be none
CREATE TABLE flat AS SELECT 5 AS x FROM generate_series(1, 40);
SELECT idp.protect('flat', 1000000, floor => 50, rows => 'visible');
SELECT (idp_iqr(x, 0.5), idp_iqr(x, 0.51), idp_iqr(x, 0.52), idp_iqr(x, 0.53), idp_iqr(x, 0.54)) <> (0, 0, 0, 0, 0) AS range,
  idp_trimmed_avg(x, 0.5, 0.2) <> 5 AS average FROM flat;
SELECT idp.unprotect('pay'), idp.unprotect('flat');
DROP TABLE dozens, pay, flat;

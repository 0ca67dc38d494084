-- The most frequent value: exact where no neighbour changes it, drawn elsewhere, NULL where a value
-- that is not there could win; of a public domain always an answer.
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE TABLE often AS
SELECT v::smallint AS i2, v AS i4, v::bigint AS i8, v::real AS f4, v / 4.0::float8 AS f8, v::numeric AS n,
  (v / 4.0)::numeric(6, 2) AS n2, v::numeric(38, 10) AS n38, date '2020-01-01' + v AS d,
  timestamp '2020-01-01' + v * interval '1 hour' AS ts, timestamptz '2020-01-01 00:00+00' + v * interval '1 hour' AS tz,
  repeat('é' || v, 40) AS t, ('00000000-0000-0000-0000-00000000000' || v)::uuid AS u
FROM generate_series(1, 9) v, generate_series(1, CASE WHEN v = 7 THEN 20 ELSE 10 END);

-- in every type
SELECT idp_mode(i2, 0.1) AS i2, idp_mode(i4, 0.1) AS i4, idp_mode(i8, 0.1) AS i8, idp_mode(f4, 0.1) AS f4,
  idp_mode(f8, 0.1) AS f8, idp_mode(n, 0.1) AS n, idp_mode(n2, 0.1) AS n2, idp_mode(n38, 0.1) AS n38,
  idp_mode(d, 0.1) AS d, idp_mode(ts, 0.1) AS ts, idp_mode(tz, 0.1) AS tz, idp_mode(t, 0.1) = repeat('é7', 40) AS t,
  idp_mode(u, 0.1) AS u FROM often;
SELECT dp_mode(i2, 100, ARRAY[1, 7]::smallint[]) AS i2, dp_mode(i4, 100, ARRAY[1, 7]) AS i4, dp_mode(i8, 100, ARRAY[1, 7]::bigint[]) AS i8,
  dp_mode(f4, 100, ARRAY[1, 7]::real[]) AS f4, dp_mode(f8, 100, ARRAY[0.25, 1.75]) AS f8, dp_mode(n, 100, ARRAY[1, 7.0]) AS n,
  dp_mode(n2, 100, ARRAY[0.25, 1.75]) AS n2, dp_mode(n38, 100, ARRAY[1, 7]::numeric[]) AS n38,
  dp_mode(d, 100, ARRAY['2020-01-08', '2020-01-09']::date[]) AS d, dp_mode(ts, 100, ARRAY['2020-01-01 01:00', '2020-01-01 07:00']::timestamp[]) AS ts,
  dp_mode(tz, 100, ARRAY['2020-01-01 01:00+00', '2020-01-01 07:00+00']::timestamptz[]) AS tz,
  dp_mode(t, 100, ARRAY[repeat('é1', 40), repeat('é7', 40)]) = repeat('é7', 40) AS t,
  dp_mode(u, 100, ARRAY['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000007']::uuid[]) AS u FROM often;
-- values outside the domain do not count
SELECT dp_mode(i4, 100, ARRAY[3, 99]), dp_mode(t, 100, ARRAY['nobody', repeat('é2', 40)]) = repeat('é2', 40) FROM often;

-- strings: empty ones, long ones, ones that agree at first; the mode of groups
SELECT idp_mode(x, 1) = '' AS empty FROM (SELECT '' FROM generate_series(1, 9) UNION ALL SELECT 'a') v (x);
SELECT length(idp_mode(x, 1)) AS cut FROM (SELECT repeat('ab', 1000) FROM generate_series(1, 9) UNION ALL SELECT 'a') v (x);
SELECT right(idp_mode(repeat('x', 900) || CASE WHEN i % 3 = 0 THEN 'one' ELSE 'two' END, 1), 3) AS last FROM generate_series(1, 300) i;
SELECT g, idp_mode(g || ' ' || (i % 10 < 7), 1) FROM generate_series(1, 400) i, LATERAL (SELECT i % 4) s (g) GROUP BY g ORDER BY g;
SET work_mem = '64kB';
SELECT idp_mode('value ' || least(i % 1000, 900), 1) AS of_text, idp_mode(least(i % 1000, 900), 1) AS of_integers,
  dp_mode(least(i % 1000, 900), 1, ARRAY[1, 900]) AS of_a_domain FROM generate_series(1, 100000) i;
RESET work_mem;
-- and in a parallel plan
CREATE TABLE many AS SELECT i, 'value ' || least(i % 100, 90) AS t FROM generate_series(1, 20000) i;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT idp_mode(t, 1), dp_mode(t, 1, ARRAY['value 1', 'value 90']) FROM many;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- one record can make 2 of 1 (three of one, two of the other): randomised response of e : 1
SELECT min(m), max(m), abs(avg((m = 1)::int) - exp(1) / (exp(1) + 1)) < 0.06 AS law
FROM generate_series(1, 3000) i, LATERAL (SELECT idp_mode(x, 1) AS m FROM unnest('{1,1,1,2,2,3}'::int[]) x WHERE i = i) s;
-- permute-and-flip of counts 4 and 0 at 1: the other one with p/2, p = exp(-2)
SELECT abs(avg((m = 'b')::int) - exp(-2) / 2) < 0.03 AS law
FROM generate_series(1, 3000) i, LATERAL (SELECT dp_mode(x, 1, ARRAY['a', 'b']) AS m FROM unnest('{a,a,a,a,c}'::text[]) x WHERE i = i) s;

-- NULL: nothing, one row, values that come once; a domain always has an answer
SELECT idp_mode(x, 1) FROM unnest('{}'::text[]) x;
SELECT idp_mode(x, 1) FROM unnest('{7}'::int[]) x;
SELECT idp_mode(x, 1) FROM unnest('{1,2,3}'::int[]) x;
SELECT idp_mode(x, 1), idp_mode(x::text, 1) FROM unnest('{7,7}'::int[]) x;
SELECT idp_mode(x, 1) FROM unnest('{NaN,NaN,NaN,NULL,NULL,NULL,Infinity,Infinity,Infinity,Infinity}'::float8[]) x;
SELECT dp_mode(x, 1, ARRAY['a', 'b']) IN ('a', 'b') AS answered FROM unnest('{}'::text[]) x;

-- bad arguments
SELECT idp_mode(i4, 0) FROM often;
SELECT idp_mode(i4, NULL) FROM often;
SELECT idp_mode(i4, ARRAY[1, 2]) FROM often;
SELECT dp_mode(i4, 1, ARRAY[1]) FROM often;
SELECT dp_mode(i4, 1, '{}') FROM often;
SELECT dp_mode(i4, 1, NULL) FROM often;
SELECT dp_mode(i4, 1, ARRAY[1, 2, 1]) FROM often;
SELECT dp_mode(n2, 1, ARRAY[1.001, 1.002]) FROM often;
SELECT dp_mode(t, 1, ARRAY['a', 'a']) FROM often;
SELECT dp_mode(i4, 1, ARRAY[1, NULL]) FROM often;
SELECT dp_mode(i4, 1, ARRAY[[1, 2]]) FROM often;
SELECT dp_mode(f8, 1, ARRAY[1::float8, 'NaN']) FROM often;
SELECT dp_mode(i4, 1, ARRAY[1, i4]) FROM often;
SELECT dp_mode(i4, 1, (SELECT array_agg(i) FROM generate_series(1, 3) i)) FROM often;
SELECT dp_mode(i4, 1, array_fill(1, ARRAY[100001])) FROM often;
SELECT idp_mode(i4, 1) OVER () FROM often;
SELECT idp_mode(i4, 1, 'name') FROM often;
SELECT dp_mode(i4, 1, ARRAY[1, 2], 'name') FROM often;

-- over a protected table each is charged once, a refused one is not; a floor refuses what may be exact
SELECT idp.protect('many', 5, rows => 'visible');
SELECT idp_mode(t, 0.5), dp_mode(t, 1, ARRAY['value 1', 'value 90']) IS NULL AS nothing FROM many;
SELECT dp_mode(t, 1, ARRAY['value 1']) FROM many;
SELECT idp_mode(t, 1, 'mode') FROM many;
SELECT idp_mode(a.t, 1) FROM many a, many b;
SELECT aggregate, epsilon FROM idp.ledger WHERE table_name = 'many';
SELECT idp.protect('many', 5, floor => 1);
SELECT idp_mode(t, 0.5) FROM many;
SELECT dp_mode(t, 10, ARRAY['value 1', 'value 90']) FROM many;
SELECT count(*) AS charges FROM idp.ledger WHERE table_name = 'many';
SELECT idp.unprotect('many');
DROP TABLE often, many;

-- dp_keep_group: whether a group may be shown, with a delta that accounts have beside epsilon.

CREATE TABLE visits AS
SELECT (ARRAY['north', 'south', 'west'])[1 + i % 3] AS city, i % 2 AS kind, i AS x FROM generate_series(1, 3000) i
UNION ALL SELECT 'hamlet', 1, 1;
-- a group that is not there is never kept, a large one always, one of 20 sometimes
SELECT dp_keep_group(1, 1e-9) AS empty FROM visits WHERE false;
SELECT city, dp_keep_group(1, 1e-9) AS kept FROM visits GROUP BY city ORDER BY city;
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(1, 1e-9) ORDER BY city;
SELECT count(*) BETWEEN 180 AND 390 AS often FROM generate_series(1, 1000) i,
  LATERAL (SELECT dp_keep_group(1, 1e-9) AS kept FROM generate_series(1, 20) x WHERE i = i) s WHERE kept;
SELECT count(*) FILTER (WHERE kept) AS kept FROM generate_series(1, 1000) i,
  LATERAL (SELECT dp_keep_group(1, 1e-18) AS kept FROM generate_series(1, 20) x WHERE i = i) s;
-- in several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS off) SELECT dp_keep_group(1, 1e-9) FROM visits;
SELECT dp_keep_group(1, 1e-9) AS kept FROM visits;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- bad arguments, before a row is read
SELECT dp_keep_group(0, 1e-9) FROM visits;
SELECT dp_keep_group('NaN', 1e-9) FROM visits;
SELECT dp_keep_group(1, 0) FROM visits;
SELECT dp_keep_group(1, 1) FROM visits;
SELECT dp_keep_group(1, 'NaN') FROM visits;
SELECT dp_keep_group(1, 1e-31) FROM visits;
SELECT dp_keep_group(1, NULL) FROM visits;
SELECT dp_keep_group(1, 1.0 / x) FROM visits;
SELECT dp_keep_group(1, 1e-9, 'cities') FROM visits;

-- accounts without a delta promise epsilon alone
SELECT idp.protect('visits', 10, neighbours => 'add_remove', rows => 'visible');
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(1, 1e-9);
SELECT idp.protect('visits', 10, delta => -1e-9);
SELECT idp.protect('visits', 10, delta => 1);
SELECT idp.protect('visits', 10, delta => 'NaN');
SELECT idp.protect('visits', 10, delta => 0.000003);
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000001) ORDER BY city;
SELECT dp_count(1) IS NOT NULL AS pure FROM visits;
-- once for all groups, and for each grouping set
SELECT count(*) AS sets FROM (SELECT city, kind FROM visits GROUP BY GROUPING SETS (city, kind) HAVING dp_keep_group(0.5, 0.000001)) s;
SELECT aggregate, epsilon, delta FROM idp.ledger WHERE table_name = 'visits';
SELECT total, spent, delta, delta_spent FROM idp.budget WHERE table_name = 'visits';
-- exhausted: nothing is charged
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000001);
SELECT spent, delta_spent FROM idp.budget WHERE table_name = 'visits';
-- a substituted row changes two groups
SELECT idp.protect('visits', 10, delta => 0.000005, neighbours => 'substitute');
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000001) ORDER BY city;
SELECT spent, delta_spent FROM idp.budget WHERE table_name = 'visits';
-- rules that are not given stay; 0 takes the delta away
SELECT idp.protect('visits', 20);
SELECT delta FROM idp.budget WHERE table_name = 'visits';
SELECT idp.protect('visits', 20, delta => 0);
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000001);
SELECT idp.unprotect('visits');
DROP TABLE visits;

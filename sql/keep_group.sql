-- dp_keep_group: whether a group may be shown, with a delta that accounts have beside epsilon.

CREATE TABLE visits AS
SELECT (ARRAY['north', 'south', 'west'])[1 + i % 3] AS city, i % 2 AS kind, i AS x FROM generate_series(1, 3000) i
UNION ALL SELECT 'hamlet', 1, 1;
-- a group that is not there is never kept, a large one always, one of 20 sometimes, one row with the probability delta
SELECT dp_keep_group(1, 1e-9) AS empty FROM visits WHERE false;
SELECT city, dp_keep_group(1, 1e-12) AS kept FROM visits GROUP BY city ORDER BY city;
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(1, 1e-12) ORDER BY city;
SELECT count(*) BETWEEN 180 AND 390 AS often FROM generate_series(1, 1000) i,
  LATERAL (SELECT dp_keep_group(1, 1e-9) AS kept FROM generate_series(1, 20) x WHERE i = i) s WHERE kept;
SELECT count(*) FILTER (WHERE kept) AS kept FROM generate_series(1, 1000) i,
  LATERAL (SELECT dp_keep_group(1, 1e-22) AS kept FROM generate_series(1, 20) x WHERE i = i) s;
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
SELECT idp.protect('visits', 10, delta => 0.000000000003);
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000000000001) ORDER BY city;
SELECT dp_count(1) IS NOT NULL AS pure FROM visits;
-- once for all groups, and for each grouping set
SELECT count(*) AS sets FROM (SELECT city, kind FROM visits GROUP BY GROUPING SETS (city, kind) HAVING dp_keep_group(0.5, 0.000000000001)) s;
SELECT aggregate, epsilon, delta FROM idp.ledger WHERE table_name = 'visits';
SELECT total, spent, delta, delta_spent FROM idp.protection WHERE table_name = 'visits';
SELECT * FROM idp.budget WHERE table_name = 'visits';
-- exhausted: nothing is charged
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000000000001);
SELECT spent, delta_spent FROM idp.protection WHERE table_name = 'visits';
-- a substituted row changes two groups, of the answers before as well
SELECT idp.protect('visits', 10, delta => 0.000000000008, neighbours => 'substitute');
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000000000001) ORDER BY city;
SELECT spent, round(delta_spent, 16) AS delta_spent FROM idp.protection WHERE table_name = 'visits';
-- rules that are not given stay; 0 takes the delta away
SELECT idp.protect('visits', 20);
SELECT delta FROM idp.protection WHERE table_name = 'visits';
SELECT idp.protect('visits', 20, delta => 0);
SELECT city FROM visits GROUP BY city HAVING dp_keep_group(0.5, 0.000000000001);
SELECT idp.unprotect('visits');

-- a unit with up to m rows loses m epsilon and m e^((m - 1) epsilon) delta
CREATE TABLE patrons (id int PRIMARY KEY, city text);
CREATE TABLE loans (id int PRIMARY KEY, patron int NOT NULL REFERENCES patrons);
INSERT INTO patrons SELECT i, 'city ' || i % 3 FROM generate_series(1, 300) i;
INSERT INTO loans SELECT i, 1 + i % 300 FROM generate_series(1, 3000) i;
SELECT idp.protect('patrons', 10, 'add_remove', rows => 'visible', unit => 'id', delta => 1e-6);
SELECT idp.link('loans', 'patron', 'patrons');
SELECT dp_keep_group(0.1, 1e-9) AS kept FROM (SELECT *, row_number() OVER (PARTITION BY patron ORDER BY id) AS r FROM loans) o WHERE r <= 5;
SELECT dp_keep_group(0.1, 1e-9) FROM loans;
SELECT count(*) AS groups FROM (SELECT city FROM patrons GROUP BY city HAVING dp_keep_group(0.5, 1e-9)) s;
SELECT aggregate, epsilon, round(delta, 15) AS delta FROM idp.ledger WHERE table_name = 'patrons';
SELECT delta / (1e-9 * (exp(0.5) - 1) / (exp(0.1) - 1)) BETWEEN 1 AND 1 + 1e-9 AS rounded_up FROM idp.ledger WHERE table_name = 'patrons' ORDER BY at LIMIT 1;
SELECT idp.unprotect('patrons');

-- each partition has the delta, as it has the budget
CREATE TABLE takings (at date NOT NULL, amount int) PARTITION BY RANGE (at);
CREATE TABLE takings_1 PARTITION OF takings FOR VALUES FROM ('2026-10-01') TO ('2026-11-01');
CREATE TABLE takings_2 PARTITION OF takings FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
INSERT INTO takings SELECT date '2026-10-01' + i % 60, i FROM generate_series(1, 1000) i;
SELECT idp.protect('takings', 10, 'add_remove', rows => 'visible', per => 'partition', renew => '100 years', delta => 0.000002);
SELECT dp_keep_group(1, 0.000001) AS kept FROM takings WHERE at >= '2026-11-01';
SELECT dp_keep_group(1, 0.000001) AS kept FROM takings;
SELECT dp_keep_group(1, 0.000001) FROM takings;
SELECT dp_keep_group(1, 0.000001) AS kept FROM takings WHERE at < '2026-11-01';
SELECT table_name, spent, delta, delta_spent FROM idp.protection WHERE partition_of = 'takings' OR table_name = 'takings' ORDER BY table_name;
-- what partitions have spent stays spent
SELECT idp.protect('takings', 10, per => 'table');
SELECT spent, delta, delta_spent FROM idp.protection WHERE table_name = 'takings';
SELECT idp.unprotect('takings');
DROP TABLE visits, loans, patrons, takings;

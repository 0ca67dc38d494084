-- The same database with budgets and named releases. Answers have noise here; given once, every later
-- version must repeat them, and the budgets must be what they were.

CREATE TABLE staff AS SELECT i AS x, i % 3 AS g, (i / 3.0)::numeric(10, 2) AS wage FROM generate_series(1, 99) i;
CREATE TABLE gone AS TABLE staff;
CREATE TABLE left_alone AS TABLE staff;
CREATE SCHEMA "odd schema";
CREATE TABLE "odd schema"."odd ""table" AS TABLE staff;
CREATE TABLE parts (x int, g int, wage numeric) PARTITION BY LIST (g);
CREATE TABLE part0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1, 2);
INSERT INTO parts TABLE staff;
SELECT idp.protect('staff', 100, min_epsilon => 0.001, floor => 0.5);
SELECT idp.protect('"odd schema"."odd ""table"', 100, 'add_remove');
SELECT idp.protect('gone', 50), idp.protect('parts', 100), idp.protect('left_alone', 100);

CREATE VIEW staff_count AS SELECT dp_count(0.25) IS NOT NULL AS counted FROM staff;
CREATE VIEW staff_median AS SELECT idp_median(wage, 0.1, 'median wage') AS median FROM staff;
SELECT * FROM staff_count;
SELECT * FROM staff_median;

-- of every kind, and at several epsilons
SELECT dp_count(0.1, 'count'), dp_histogram(x, 0.1, 0, 99, 10, E'histogram ''"\\\n'), idp_median(x::float8, 0.1, 'median'),
       idp_avg(x, ARRAY[0.1, 0.2], 0, 100, 'groups'), dp_sum(wage, 0.1, 0, 40, 'sum'), idp_max(x, 0.1, 200, 'maximum'),
       dp_count_distinct(x, 0.1, 'different')
FROM staff;
SELECT idp.relax('count', 0.5), idp.relax('count', 0.02), idp.relax('count', 0.3), idp.relax('sum', 0.7),
       idp.relax('groups', ARRAY[0.4, 0.5]), idp.relax('median', 0.05);
SELECT dp_count(0.1, 'group ' || g), idp_median(wage, 0.2, 'wage of group ' || g) FROM staff GROUP BY g;
SELECT idp.relax('group 1', 0.6);
SELECT dp_count(0.1, 'some') FROM staff WHERE x <= 40;
SELECT idp_median(x, 0.1, 'suppressed') FROM staff WHERE x < 2;
SELECT dp_sum(x, 0.1, 0, 99, 'odd') FROM "odd schema"."odd ""table";
SELECT dp_count(0.1, 'parts') FROM parts;
SELECT dp_count(0.1, 'gone'), idp_median(x, 0.1, 'gone median') FROM gone;
SELECT dp_count(0.1, 'left alone') FROM left_alone;
SELECT dp_count(0.1, 'no table') FROM generate_series(1, 50);
SELECT dp_count(0.1, 'again') FROM staff;
SELECT idp.refresh('again');
SELECT dp_count(0.1, 'dropped') FROM staff;
SELECT idp.drop_release('dropped');
SELECT idp.unprotect('left_alone');
DROP TABLE gone;

INSERT INTO kept
  SELECT format('release: %s at %s', c.name, l.epsilons),
         CASE cardinality(l.epsilons) WHEN 1 THEN format('SELECT idp.relax(%L, %L::float8)', c.name, l.epsilons[1])
           ELSE format('SELECT idp.relax(%L, %L::float8[])', c.name, l.epsilons) END
  FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id
  WHERE c.record IS NOT NULL;
INSERT INTO kept VALUES
  ('asked again: count', 'SELECT dp_count(0.1, ''count''), dp_count(0.5, ''count'') FROM staff'),
  ('asked again: median', 'SELECT idp_median(x::float8, 0.1, ''median'') FROM staff'),
  ('asked again: histogram', 'SELECT dp_histogram(x, 0.1, 0, 99, 10, E''histogram ''''"\\\n'') FROM staff'),
  ('asked again: groups', 'SELECT array_agg(c ORDER BY g) FROM (SELECT g, dp_count(0.1, ''group '' || g) AS c FROM staff GROUP BY g) s'),
  ('asked again: some', 'SELECT dp_count(0.1, ''some'') FROM staff WHERE x <= 40'),
  ('asked again: a view', 'SELECT * FROM staff_median'),
  ('asked again: suppressed', 'SELECT idp_median(x, 0.1, ''suppressed'') FROM staff WHERE x < 2'),
  ('asked again: parts', 'SELECT dp_count(0.1, ''parts'') FROM parts'),
  ('releases', 'SELECT array_agg((name, table_name, aggregate, column_name, epsilon, answer) ORDER BY name) FROM idp.releases WHERE name <> ''again'''),
  ('budgets', 'SELECT array_agg((table_name, active, neighbours, min_epsilon, floor, total, spent, remaining) ORDER BY table_name) FROM idp.protection'),
  ('ledger', 'SELECT array_agg((table_name, aggregate, epsilon, release) ORDER BY at, table_name, aggregate, epsilon, release) FROM idp.ledger');
UPDATE kept SET answer = answer_of(query) WHERE answer IS NULL;

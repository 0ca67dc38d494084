-- idp.cost: what a query would charge, without running it.
SET client_min_messages = warning;
CREATE TABLE staff (id integer PRIMARY KEY, dept integer NOT NULL, salary integer);
CREATE TABLE sites (id integer, size integer);
CREATE TABLE depts (id integer PRIMARY KEY, name text);
CREATE TABLE customers (id integer PRIMARY KEY, age integer);
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers, price integer);
CREATE TABLE parts (k integer, x integer) PARTITION BY LIST (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2);
INSERT INTO staff SELECT i, i % 3, i FROM generate_series(1, 60) i;
INSERT INTO sites SELECT i, i FROM generate_series(1, 60) i;
INSERT INTO depts SELECT i, 'dept ' || i FROM generate_series(0, 2) i;
INSERT INTO customers SELECT i, 20 + i FROM generate_series(1, 30) i;
INSERT INTO orders SELECT i, i % 30 + 1, i FROM generate_series(1, 120) i;
INSERT INTO parts SELECT i % 2 + 1, i FROM generate_series(1, 100) i;
ANALYZE staff, sites, depts, customers, orders, parts;
SELECT idp.protect('staff', 1000, delta => 0.1, rows => 'visible');
SELECT idp.protect('sites', 1000, neighbours => 'add_remove', rows => 'visible');
SELECT idp.protect('customers', 1000, unit => 'id', delta => 0.1, rows => 'visible');
SELECT idp.link('orders', 'customer', 'customers');
SELECT idp.protect('parts', 100, per => 'partition', rows => 'visible');

-- The same as is then charged -------------------------------------------------------------------

CREATE FUNCTION spent() RETURNS TABLE (name text, epsilon numeric, delta numeric) LANGUAGE sql AS
  'SELECT table_name, spent, coalesce(delta_spent, 0) FROM idp.protection';
CREATE FUNCTION charge(query text, OUT cost text, OUT charged text) LANGUAGE plpgsql AS $$
DECLARE
  before jsonb := (SELECT jsonb_object_agg(s.name, s) FROM spent() s);
BEGIN
  cost := (SELECT string_agg(concat_ws(' ', c.relation, trim_scale(c.epsilon + c.reserved), trim_scale(c.delta)), ', ' ORDER BY c.relation::text)
           FROM idp.cost(query) c WHERE c.epsilon + c.reserved + c.delta > 0);
  IF before IS DISTINCT FROM (SELECT jsonb_object_agg(s.name, s) FROM spent() s) THEN
    RAISE 'idp.cost has charged';
  END IF;
  EXECUTE query;
  charged := (SELECT string_agg(concat_ws(' ', s.name, trim_scale(s.epsilon - (before->s.name->>'epsilon')::numeric),
                                          trim_scale(s.delta - (before->s.name->>'delta')::numeric)), ', ' ORDER BY s.name)
              FROM spent() s WHERE (s.epsilon, s.delta) <> ((before->s.name->>'epsilon')::numeric, (before->s.name->>'delta')::numeric));
END $$;
CREATE TABLE queries (number serial, query text);
INSERT INTO queries (query) VALUES
  ('SELECT dp_count(0.5) FROM staff'),
  ('SELECT dp_count(0.5) FROM sites'),
  ('SELECT dp_count(0.1), dp_sum(salary, 0.25, 0, 100), dp_count(0.1) FROM staff'),
  ('SELECT dept, dp_count(0.5) FROM staff GROUP BY dept'),
  ('SELECT id % 5, dp_count(0.5) FROM sites GROUP BY 1'),
  ('SELECT dept, salary % 2, dp_count(0.5) FROM staff GROUP BY ROLLUP (dept, salary % 2)'),
  ('SELECT dept, dp_count(0.5) FROM staff GROUP BY GROUPING SETS (dept, ())'),
  ('SELECT dept FROM staff GROUP BY dept HAVING dp_keep_group(0.5, 1e-6)'),
  ('SELECT dept, dp_count(0.25) FROM staff GROUP BY dept HAVING dp_keep_group(0.5, 1e-6)'),
  ('SELECT idp_median(salary, ARRAY[0.5, 0.25, 0.125]) FROM staff'),
  ('SELECT idp_median(salary, 0.5) FROM staff WHERE dept = 1'),
  ('SELECT (SELECT dp_count(0.5) FROM staff) + (SELECT dp_count(0.25) FROM sites)'),
  ('WITH a AS (SELECT dp_count(0.5) AS n FROM staff) SELECT a.n, b.n FROM a, a b'),
  ('SELECT dp_count(0.5) FROM staff UNION ALL SELECT dp_count(0.25) FROM staff'),
  ('SELECT dp_count(0.5) FROM (SELECT salary FROM staff UNION ALL SELECT salary FROM staff) s'),
  ('SELECT dp_count(0.5) FROM staff s JOIN depts d ON d.id = s.dept WHERE d.name > ''dept 0'''),
  ('SELECT d.name, dp_count(0.5) FILTER (WHERE s.id IS NOT NULL) FROM depts d LEFT JOIN staff s ON d.id = s.dept GROUP BY d.id'),
  ('SELECT dp_count(0.5) FROM staff LIMIT 0'),
  ('SELECT dp_count(0.5) FROM staff WHERE false'),
  ('SELECT dp_count(0.5) FROM customers'),
  ('SELECT dp_count(0.5) FROM (SELECT customer FROM orders GROUP BY customer) o'),
  ('SELECT dp_count(0.5) FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY id) n FROM orders) o WHERE n <= 3'),
  ('SELECT price % 2, dp_count(0.5) FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY id) n FROM orders) o WHERE n <= 3 GROUP BY 1'),
  ('SELECT idp_median(price, ARRAY[0.5, 0.25, 0.125]) FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY id) n FROM orders) o WHERE n <= 3'),
  ('SELECT dp_count(0.5) FROM parts'),
  ('SELECT dp_count(0.5) FROM parts WHERE k = 1'),
  ('SELECT x % 2, dp_count(0.5) FROM parts WHERE k = 2 GROUP BY 1'),
  ('SELECT dp_count(0.5, ''all'') FROM staff'),
  ('SELECT dp_count(0.5, ''all'') FROM staff'),
  ('SELECT dp_count(0.75, ''all'') FROM staff'),
  ('SELECT dp_count(0.5, ''new''), dp_count(0.25) FROM staff'),
  ('SELECT dept, dp_count(0.5, ''dept '' || dept) FROM staff GROUP BY dept'),
  ('SELECT dp_count(0.5) FROM depts'),
  ('VALUES (1)');
SELECT q.query, c.cost, c.charged, c.cost IS NOT DISTINCT FROM c.charged AS same
FROM (SELECT query FROM queries ORDER BY number OFFSET 0) q, charge(q.query) c;

-- Its columns ------------------------------------------------------------------------------------

SELECT * FROM idp.cost('SELECT dp_count(0.5), dp_count(0.25, ''other'') FROM staff');
-- groups have names that are not known yet: it is what all of them may cost
SELECT * FROM idp.cost('SELECT dept, dp_count(1, ''dept '' || dept) FROM staff GROUP BY dept');
-- whether or not there is room
SELECT * FROM idp.cost('SELECT dp_count(100000) FROM staff');
SELECT count(*) FROM idp.cost(NULL);
-- what holds of the data when it is executed: at most
SELECT * FROM idp.cost('SELECT dp_count(0.5) FROM staff LIMIT (SELECT 0)');

-- Of a role that sees the rows -------------------------------------------------------------------

CREATE TABLE people (id int PRIMARY KEY, age int NOT NULL);
SET client_min_messages = error;
SELECT idp.protect('people', 10, epsilon => 0.25), idp.set_domain('people', 'age', 0, 99);
\set VERBOSITY terse
SET client_min_messages = notice;
SELECT * FROM idp.cost('SELECT count(*) FROM people');
SELECT * FROM idp.cost('SELECT p.age FROM people p JOIN staff s ON s.id = p.id');
SELECT * FROM idp.cost('SELECT 1');
SELECT * FROM idp.cost('SELECT dp_count(0.5) FROM people');
SELECT * FROM idp.cost('SELECT count(*) FROM people', true);
SELECT * FROM idp.cost('SELECT age, count(*), sum(age) FROM people GROUP BY age', true);
SELECT * FROM idp.cost('SELECT count(*) FROM people p JOIN staff s ON s.id = p.id', true);
\set VERBOSITY sqlstate
SELECT * FROM idp.cost('SELECT * FROM people', true);
\set VERBOSITY default
SELECT * FROM idp.cost('SELECT DISTINCT age FROM people', true);
SELECT spent FROM idp.budget WHERE table_name = 'people';
SET client_min_messages = warning;
DROP TABLE people;

-- What is refused: the same as by the query ------------------------------------------------------

SELECT * FROM idp.cost('SELECT dp_count(0.5) FROM staff s, sites t WHERE s.id = t.id');
SELECT * FROM idp.cost('SELECT dp_count(0) FROM staff');
SELECT * FROM idp.cost('SELECT dp_count(0.9, ''all'') FROM staff WHERE dept = 1');
SELECT * FROM idp.cost('SELECT dp_sum(salary, 0.5, 0, 10, ''all'') FROM staff');
SELECT * FROM idp.cost('SELECT dp_count(0.5) FRO staff');
SELECT * FROM idp.cost('SELECT dp_count(0.5) FROM nowhere');
SELECT * FROM idp.cost('SELECT dp_count($1) FROM staff');

-- What is not one SELECT --------------------------------------------------------------------------

SELECT * FROM idp.cost('');
SELECT * FROM idp.cost('SELECT 1; SELECT 2');
SELECT * FROM idp.cost('DELETE FROM staff');
SELECT * FROM idp.cost('EXPLAIN SELECT 1');
SELECT * FROM idp.cost('SELECT 1 INTO copy');
SELECT * FROM idp.cost('WITH gone AS (DELETE FROM staff RETURNING *) SELECT * FROM gone');
SELECT * FROM idp.cost('SELECT * FROM staff FOR UPDATE');
SELECT count(*) FROM staff;

DROP TABLE queries, staff, sites, depts, customers, orders, parts;
DROP FUNCTION charge(text), spent();
-- other tests list all accounts and releases
DROP EXTENSION idp CASCADE;
CREATE EXTENSION idp;

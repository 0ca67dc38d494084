-- Units over several tables: links, what a query over them costs, and what is refused.
SET client_min_messages = warning;
CREATE TABLE nations (id integer PRIMARY KEY, name text);
CREATE TABLE customers (id integer PRIMARY KEY, nation integer, age integer);
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers, day date NOT NULL, price numeric(10, 2));
CREATE TABLE items (id integer PRIMARY KEY, "order" integer NOT NULL REFERENCES orders, part integer, quantity integer);
CREATE TABLE notes (id integer, customer integer);
INSERT INTO nations SELECT i, 'nation ' || i FROM generate_series(1, 4) i;
INSERT INTO customers SELECT i, i % 3 + 1, 20 + i FROM generate_series(1, 30) i;
INSERT INTO orders SELECT i, i % 30 + 1, date '2026-01-01' + i % 7, i FROM generate_series(1, 120) i;
INSERT INTO items SELECT i, i % 120 + 1, i % 5, i % 3 FROM generate_series(1, 240) i;
ANALYZE nations, customers, orders, items;

-- The unit and its links: clear errors, nothing changed ------------------------------------------

SELECT idp.link('orders', 'customer', 'customers');
SELECT idp.protect('customers', 1000, unit => 'nation', rows => 'visible');
SELECT idp.protect('customers', 1000, unit => 'nothing', rows => 'visible');
SELECT idp.protect('customers', 1000, rows => 'visible');
SELECT idp.link('orders', 'customer', 'customers');
CREATE UNIQUE INDEX some_ages ON customers (age) WHERE age > 0;
SELECT idp.protect('customers', 1000, unit => 'age');
DROP INDEX some_ages;
ALTER TABLE customers ADD CONSTRAINT ages UNIQUE (age) DEFERRABLE;
SELECT idp.protect('customers', 1000, unit => 'age');
ALTER TABLE customers DROP CONSTRAINT ages, ADD CONSTRAINT ages UNIQUE (age);
SELECT idp.protect('customers', 1000, unit => 'age');
ALTER TABLE customers DROP CONSTRAINT ages;
SELECT idp.protect('customers', 1000, unit => 'id');
SELECT idp.link('notes', 'customer', 'customers');
ALTER TABLE notes ADD FOREIGN KEY (customer) REFERENCES customers NOT VALID;
SELECT idp.link('notes', 'customer', 'customers');
ALTER TABLE notes VALIDATE CONSTRAINT notes_customer_fkey;
SELECT idp.link('notes', 'customer', 'customers');
ALTER TABLE notes ALTER customer SET NOT NULL, ALTER CONSTRAINT notes_customer_fkey DEFERRABLE;
SELECT idp.link('notes', 'customer', 'customers');
SELECT idp.link('notes', 'id', 'customers');
SELECT idp.link('notes', 'nothing', 'customers');
SELECT idp.link('items', 'order', 'orders');
SELECT idp.link('orders', 'customer', 'customers');
SELECT idp.link('items', 'order', 'orders');
SELECT idp.link('items', 'order', 'orders');
SELECT idp.link('customers', 'nation', 'items');
SELECT idp.link('orders', 'id', 'items');
SELECT idp.protect('orders', 10);
SELECT idp.protect('customers', 1000, unit => 'age');
SELECT idp.protect('notes', 10, rows => 'visible');
ALTER TABLE notes ALTER CONSTRAINT notes_customer_fkey NOT DEFERRABLE;
SELECT idp.link('notes', 'customer', 'customers');
SELECT idp.unprotect('notes');
SELECT idp.unlink('notes');
SELECT idp.unlink('orders');
SELECT table_name, unit, linked_tables, spent FROM idp.protection WHERE table_name = 'customers';

-- What an answer costs, or why there is none ----------------------------------------------------

CREATE FUNCTION attempt_over_units(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  before numeric := (SELECT spent FROM idp.budget WHERE table_name = 'customers');
BEGIN
  EXECUTE query;
  RETURN trim_scale((SELECT spent FROM idp.budget WHERE table_name = 'customers') - before);
EXCEPTION WHEN OTHERS THEN
  RETURN substr(sqlerrm, strpos(sqlerrm, 'cannot be computed over'))
    || CASE WHEN (SELECT spent FROM idp.budget WHERE table_name = 'customers') <> before THEN ' (charged)' ELSE '' END;
END
$$;
CREATE TABLE unit_queries (number integer GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO unit_queries (query) VALUES
  ('SELECT dp_count(1) FROM customers'),
  ('SELECT dp_count(1) FROM customers GROUP BY nation'),
  ('SELECT dp_count(1) FROM orders'),
  ('SELECT dp_count(1) FROM items'),
  -- by unit first
  ('SELECT idp_median(s, 1) FROM (SELECT customer, sum(price) AS s FROM orders GROUP BY 1) q'),
  ('SELECT idp_median(s, 1) FROM (SELECT customer, sum(price) AS s FROM orders GROUP BY 1 HAVING count(*) > 1) q'),
  ('SELECT dp_count(1) FROM (SELECT DISTINCT customer FROM orders) q'),
  ('SELECT dp_count(1) FROM (SELECT customer, day FROM orders GROUP BY 1, 2) q'),
  ('SELECT dp_count(1) FROM (SELECT day, sum(price) AS s FROM orders GROUP BY 1) q'),
  ('SELECT dp_sum(n, 1, 0, 9) FROM (SELECT count(*) AS n FROM orders) q'),
  ('SELECT dp_count(1) FROM (SELECT customer FROM orders GROUP BY GROUPING SETS ((customer), (customer, day))) q'),
  ('SELECT dp_sum(cardinality(a), 1, 0, 9) FROM (SELECT customer, array_agg(day) AS a FROM orders GROUP BY 1) q'),
  ('SELECT dp_sum(s, 1, 0, 9) FROM (SELECT customer, sum(price::float8) AS s FROM orders GROUP BY 1) q'),
  ('SELECT dp_sum(m, 1, 0, 9) FROM (SELECT customer, max(day - date ''2026-01-01'') AS m FROM orders GROUP BY 1) q'),
  ('SELECT dp_sum(m, 1, 0, 9) FROM (SELECT customer, max(n) AS m FROM (SELECT customer, day, count(*) AS n FROM orders GROUP BY 1, 2) o GROUP BY 1) q'),
  -- bounded
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 3'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r < 3'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r = 2'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE 3 >= r'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r >= 3'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 3 OR r = 9'),
  ('SELECT dp_count(1) FROM (SELECT day, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 3 GROUP BY day'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY day) AS r FROM orders) o WHERE r <= 3'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY day ORDER BY id) AS r FROM orders) o WHERE r <= 3'),
  ('SELECT dp_count(1) FROM (SELECT row_number() OVER (PARTITION BY customer, day ORDER BY id) AS r FROM orders) o WHERE r <= 3'),
  ('SELECT dp_count(1) FROM (SELECT rank() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 3'),
  ('SELECT dp_count(1) FROM (SELECT customer, day FROM (SELECT *, dense_rank() OVER (PARTITION BY customer ORDER BY day) AS r FROM orders) o WHERE r <= 2 GROUP BY 1, 2) q'),
  ('SELECT dp_count(1) FROM (SELECT customer, id FROM (SELECT *, dense_rank() OVER (PARTITION BY customer ORDER BY day) AS r FROM orders) o WHERE r <= 2 GROUP BY 1, 2) q'),
  ('SELECT dp_count(1) FROM (SELECT DISTINCT ON (customer) * FROM orders ORDER BY customer, id) o'),
  ('SELECT dp_count(1) FROM (SELECT DISTINCT ON (customer) * FROM orders ORDER BY customer, day) o'),
  ('SELECT dp_count(1) FROM (SELECT DISTINCT ON (day) * FROM orders ORDER BY day, id) o'),
  ('SELECT idp_median(price, 1) FROM (SELECT price, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 2'),
  ('SELECT idp_median(price, ARRAY[1, 1.5, 4]) FROM (SELECT price, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 2'),
  ('SELECT idp_median(price, ARRAY[1, 1.5, 4]) FROM (SELECT day, price, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 2 GROUP BY day'),
  ('SELECT idp_median(price, ARRAY[1, 1.5, 4]) FROM (SELECT day, price, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 3 GROUP BY day'),
  -- joins
  ('SELECT dp_count(1) FROM customers c JOIN nations n ON n.id = c.nation'),
  ('SELECT dp_count(1) FROM customers c JOIN nations n ON n.id = c.nation GROUP BY n.name'),
  ('SELECT dp_count(1) FROM customers c LEFT JOIN nations n ON n.id = c.nation'),
  ('SELECT dp_count(1) FROM customers c JOIN nations n ON n.id <= c.nation'),
  ('SELECT dp_count(1) FROM customers c JOIN nations n ON n.name = ''nation '' || c.nation'),
  ('SELECT dp_count(1) FROM customers c RIGHT JOIN nations n ON n.id = c.nation GROUP BY n.id'),
  ('SELECT dp_count(1) FILTER (WHERE c.id IS NOT NULL) FROM customers c RIGHT JOIN nations n ON n.id = c.nation GROUP BY n.id'),
  ('SELECT dp_sum(c.age, 1, 0, 99) FROM nations n LEFT JOIN customers c ON n.id = c.nation GROUP BY n.id'),
  ('SELECT dp_count(1) FROM customers c FULL JOIN nations n ON n.id = c.nation'),
  ('SELECT dp_count(1) FROM customers c JOIN orders o ON o.customer = c.id'),
  ('SELECT dp_count(1) FROM (SELECT c.id, sum(price) FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) q'),
  ('SELECT dp_count(1) FROM (SELECT c.nation, c.id, sum(quantity) FROM items i JOIN orders o ON o.id = i."order" JOIN customers c ON c.id = o.customer GROUP BY 1, 2) q GROUP BY nation'),
  ('SELECT dp_count(1) FROM (SELECT customer, sum(quantity) FROM items i JOIN orders o ON o.id = i.id GROUP BY 1) q'),
  ('SELECT dp_count(1) FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o JOIN customers c ON c.id = o.customer WHERE r <= 2'),
  ('SELECT dp_count(1) FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o JOIN items i ON i."order" = o.id WHERE r <= 2'),
  ('SELECT dp_count(1) FROM customers a JOIN customers b USING (id)'),
  ('SELECT dp_count(1) FROM customers a JOIN customers b USING (age)'),
  ('SELECT dp_count(1) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND price > 9)'),
  ('SELECT dp_count(1) FROM customers c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer = c.id)'),
  ('SELECT dp_count(1) FROM customers c WHERE nation IN (SELECT id FROM nations WHERE name < ''o'')'),
  ('SELECT dp_count(1) FROM customers c WHERE EXISTS (SELECT FROM customers d WHERE d.age = c.age + 1)'),
  -- unions
  ('SELECT dp_count(1) FROM (SELECT id FROM customers UNION ALL SELECT id FROM customers) q'),
  ('SELECT dp_count(1) FROM (SELECT id FROM customers UNION ALL SELECT customer FROM orders) q'),
  ('SELECT dp_count(1) FROM (SELECT id FROM customers UNION ALL SELECT customer FROM orders GROUP BY 1) q'),
  ('SELECT dp_count(1) FROM (SELECT id FROM customers UNION ALL SELECT id FROM nations) q'),
  ('SELECT dp_count(1) FROM (SELECT id FROM customers UNION SELECT customer FROM orders) q'),
  -- release names
  ('SELECT dp_count(1, ''customers'') FROM customers'),
  ('SELECT dp_count(1, ''by customer'') FROM (SELECT DISTINCT customer FROM orders) q');
SELECT number, query, attempt_over_units(query) FROM unit_queries ORDER BY number;

-- every kind of join finds the same
SET enable_hashjoin = off;
SELECT number, attempt_over_units(query) AS merged FROM unit_queries WHERE query ~ 'JOIN|EXISTS' ORDER BY number;
SET enable_mergejoin = off;
SELECT number, attempt_over_units(query) AS looped FROM unit_queries WHERE query ~ 'JOIN|EXISTS' ORDER BY number;
SET enable_hashagg = off; SET enable_sort = off; SET enable_seqscan = off; SET enable_memoize = off;
SELECT number, attempt_over_units(query) AS indexed FROM unit_queries WHERE query ~ 'JOIN|EXISTS|GROUP BY|DISTINCT' ORDER BY number;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_hashagg; RESET enable_sort; RESET enable_seqscan; RESET enable_memoize;

-- add_remove: groups cost once
SELECT idp.protect('customers', 1000, 'add_remove');
SELECT attempt_over_units('SELECT idp_median(price, ARRAY[1, 1.5, 4]) FROM (SELECT day, price, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 2 GROUP BY day');

-- A constraint that is dropped ends answers, not the protection ----------------------------------

BEGIN;
ALTER TABLE orders DROP CONSTRAINT orders_customer_fkey;
SELECT attempt_over_units('SELECT dp_count(1) FROM (SELECT DISTINCT customer FROM orders) q');
SELECT attempt_over_units('SELECT dp_count(1) FROM (SELECT DISTINCT customer FROM orders JOIN items ON "order" = orders.id) q');
SELECT attempt_over_units('SELECT dp_count(1) FROM customers');
ALTER TABLE orders ADD FOREIGN KEY (customer) REFERENCES customers NOT VALID;
SELECT attempt_over_units('SELECT dp_count(1) FROM (SELECT DISTINCT customer FROM orders) q');
ROLLBACK;
BEGIN;
ALTER TABLE orders ALTER customer DROP NOT NULL;
SELECT attempt_over_units('SELECT dp_count(1) FROM (SELECT DISTINCT customer FROM orders) q');
ROLLBACK;
BEGIN;
ALTER TABLE orders RENAME customer TO buyer;
SELECT attempt_over_units('SELECT dp_count(1) FROM (SELECT DISTINCT buyer FROM orders) q');
ROLLBACK;
BEGIN;
ALTER TABLE customers DROP CONSTRAINT customers_pkey CASCADE;
SELECT attempt_over_units('SELECT dp_count(1) FROM customers');
ROLLBACK;
BEGIN;
DROP TABLE orders CASCADE;
SELECT attempt_over_units('SELECT dp_count(1) FROM items');
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL);
SELECT attempt_over_units('SELECT dp_count(1) FROM (SELECT DISTINCT customer FROM orders) q');
SELECT table_name, unit, linked_tables FROM idp.protection WHERE table_name = 'customers';
ROLLBACK;
SELECT idp.unlink('items');
SELECT idp.unlink('orders');
SELECT attempt_over_units('SELECT dp_count(1) FROM orders') AS not_charged;
SELECT idp.unprotect('customers');
DROP FUNCTION attempt_over_units;
DROP TABLE items, orders, notes, customers, nations, unit_queries;

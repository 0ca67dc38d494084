-- The same database with what 0.3.0 brought: units and links, hidden rows, domains, delta, budgets of
-- partitions and periods, limits of roles, shares, trusted functions. The roles analyst and clerk are
-- not in a dump: who restores one makes them.
SELECT to_regprocedure('idp.link(regclass, text, regclass)') IS NULL AS is_older \gset
\if :is_older
  \q
\endif

CREATE ROLE analyst;
CREATE ROLE clerk;

-- Units, with links of two steps, and one that waits for a table of its name.
CREATE TABLE customers (id int PRIMARY KEY, nation int NOT NULL, segment text NOT NULL, born date NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, price numeric(10, 2) NOT NULL);
CREATE TABLE items (id int PRIMARY KEY, "order" int NOT NULL REFERENCES orders, quantity int NOT NULL);
CREATE TABLE returns (id int PRIMARY KEY, item int NOT NULL REFERENCES items);
CREATE TABLE visits (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers);
INSERT INTO customers
  SELECT i, i % 4, CASE WHEN i % 2 = 0 THEN 'retail' ELSE 'trade' END, date '1960-01-01' + i FROM generate_series(1, 90) i;
INSERT INTO orders SELECT i, 1 + i % 90, i / 8.0 FROM generate_series(1, 270) i;
INSERT INTO items SELECT i, 1 + i % 270, i % 7 FROM generate_series(1, 810) i;
INSERT INTO visits SELECT i, 1 + i % 90 FROM generate_series(1, 45) i;
SELECT idp.protect('customers', 100000, 'add_remove', min_epsilon => 0.001, unit => 'id', delta => 0.001);
SELECT idp.link('orders', 'customer', 'customers'), idp.link('items', 'order', 'orders'), idp.link('returns', 'item', 'items'),
       idp.link('visits', 'customer', 'customers');
DROP TABLE returns;
SELECT idp.unlink('visits');

SELECT idp.set_domain('customers', 'nation', ARRAY[0, 1, 2, 3, 4]), idp.set_domain('customers', 'segment', ARRAY['retail', 'trade', 'public']),
       idp.set_domain('customers', 'born', date '1960-01-01', date '1960-03-31');

SELECT dp_count(0.1, 'customers'), dp_avg(nation, 0.2, 0, 4, 'nations') FROM customers;
SELECT dp_count(0.1, 'nation ' || nation) FROM customers GROUP BY nation;
SELECT dp_count(0.1) FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders) o WHERE r <= 3;
SELECT dp_count(0.1) FROM (SELECT customer FROM orders o JOIN items i ON i."order" = o.id GROUP BY customer HAVING sum(quantity) > 30) c;
SELECT nation FROM customers GROUP BY nation HAVING dp_keep_group(0.5, 0.0001);
SELECT idp.share('customers', 'clerk', 0.05), idp.share('nations', 'analyst', 0.4);
SELECT idp.limit_role('customers', 'clerk', 2);

-- Budgets of partitions: with partitions of partitions, one that was detached, one that was dropped.
CREATE TABLE parcels (day date NOT NULL, depot int NOT NULL, weight int NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE parcels_1 PARTITION OF parcels FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE parcels_2 PARTITION OF parcels FOR VALUES FROM ('2026-02-01') TO ('2026-03-01') PARTITION BY LIST (depot);
CREATE TABLE parcels_2_0 PARTITION OF parcels_2 FOR VALUES IN (0);
CREATE TABLE parcels_2_1 PARTITION OF parcels_2 FOR VALUES IN (1);
CREATE TABLE parcels_3 PARTITION OF parcels FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
CREATE TABLE parcels_4 PARTITION OF parcels FOR VALUES FROM ('2026-04-01') TO ('2026-05-01');
INSERT INTO parcels SELECT date '2026-01-01' + i % 120, i % 2, i FROM generate_series(0, 479) i;
SELECT idp.protect('parcels', 5000, per => 'partition', floor => 0.25);
SELECT dp_count(0.1) FROM parcels;
SELECT dp_count(0.1, 'february') FROM parcels WHERE day >= '2026-02-01' AND day < '2026-03-01';
SELECT dp_sum(weight, 0.2, 0, 500) FROM parcels WHERE day >= '2026-03-01';
ALTER TABLE parcels DETACH PARTITION parcels_3;
DROP TABLE parcels_4;

-- A budget that is renewed, the next time in 2101.
CREATE TABLE readings AS SELECT i AS x, i % 3 AS sensor FROM generate_series(1, 60) i;
SELECT idp.protect('readings', 5000, 'add_remove', rows => 'visible', renew => '100 years', delta => 0.01);
SELECT dp_count(0.5) FROM readings;
SELECT sensor FROM readings GROUP BY sensor HAVING dp_keep_group(0.25, 0.001);
SELECT dp_sum(x, 0.25, 0, 100, 'readings') FROM readings;

-- Two functions, of which one may be applied to hidden rows.
CREATE FUNCTION is_early(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN $1 <= 30; END';
CREATE FUNCTION is_late(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN $1 > 30; END';
SELECT idp.trust_function('is_early(int)');

INSERT INTO kept
  SELECT format('persons: %s at %s', c.name, l.epsilons), format('SELECT idp.relax(%L, %L::float8)', c.name, l.epsilons[1])
  FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id
  WHERE c.record IS NOT NULL AND c.table_name IN ('public.customers', 'public.parcels', 'public.readings');
INSERT INTO kept VALUES
  ('persons: asked again', 'SELECT dp_count(0.1, ''customers''), dp_avg(nation, 0.4, 0, 4, ''nations'') FROM customers'),
  ('persons: groups', 'SELECT array_agg(c ORDER BY nation) FROM (SELECT nation, dp_count(0.1, ''nation '' || nation) AS c FROM customers GROUP BY nation) s'),
  ('persons: shares', 'SELECT array_agg((name, table_name, role, epsilons) ORDER BY name) FROM idp.shares'),
  ('persons: domains', 'SELECT array_agg((table_name, column_name, keys, lower, upper) ORDER BY table_name, column_name) FROM idp.domains'),
  ('persons: days', 'SELECT count(*), min(day), max(day) FROM idp.domain(''customers'', ''born'') day'),
  ('persons: trusted', 'SELECT array_agg(function::text) FROM idp.trusted_function'),
  ('persons: budgets', 'SELECT array_agg((table_name, active, rows, per, renew, renews_at, partition_of, unit, linked_tables, delta, delta_spent) '
     || 'ORDER BY table_name, active) FROM idp.protection'),
  ('persons: deltas', 'SELECT array_agg((table_name, aggregate, epsilon, delta, session_role) ORDER BY at, table_name, aggregate, epsilon) FROM idp.ledger WHERE delta > 0');
UPDATE kept SET answer = answer_of(query) WHERE answer IS NULL OR name IN ('budgets', 'ledger', 'releases');

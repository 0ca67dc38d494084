-- A shop to look at: customers of four regions with up to twelve orders each, more of these towards the end of the year.
-- What the owner says about it begins at CREATE EXTENSION.
SELECT setseed(0.5);
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'North'), (2, 'South'), (3, 'East'), (4, 'West');
CREATE TABLE customers (id int PRIMARY KEY, region_id int NOT NULL REFERENCES regions);
INSERT INTO customers SELECT i, 1 + floor(4 * random() ^ 1.5) FROM generate_series(1, 20000) i;
CREATE TABLE orders (
  id int PRIMARY KEY,
  customer_id int NOT NULL REFERENCES customers,
  ordered_at timestamp NOT NULL,
  status text NOT NULL,
  amount int NOT NULL
);
INSERT INTO orders
SELECT row_number() OVER (), customer, timestamp '2025-01-01' + random() ^ 0.8 * interval '365 days',
       (ARRAY['new', 'paid', 'shipped', 'returned'])[1 + floor(4 * random() ^ 0.7)], least(5 - 60 * ln(1 - random()), 499)
FROM (SELECT i AS customer, floor(13 * random() ^ 2)::int AS orders FROM generate_series(1, 20000) i) c
CROSS JOIN generate_series(1, orders) n;
ANALYZE;

CREATE EXTENSION idp;
SELECT idp.protect('customers', 20, 'add_remove', unit => 'id', repeat => '1 day');
SELECT idp.link('orders', 'customer_id', 'customers', max_rows => 12);
SELECT idp.set_domain('orders', 'ordered_at', '2025-01-01', '2026-01-01', grain => '1 day');
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'shipped', 'returned']);
SELECT idp.set_domain('orders', 'amount', 0, 499);
GRANT SELECT ON regions, customers, orders TO dashboard;
ALTER ROLE dashboard SET idp.epsilon = 0.1;

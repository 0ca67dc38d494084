-- What the clients are pointed at: customers of four regions, with one to five orders each. Every status, month and bin of
-- amounts has rows, so that a plain answer has the groups that a private one has.
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south'), (3, 'east'), (4, 'west');

CREATE TABLE customers (
  id int PRIMARY KEY,
  region_id int NOT NULL REFERENCES regions,
  name text NOT NULL,
  born date NOT NULL,
  active boolean NOT NULL
);
INSERT INTO customers
SELECT i, CASE WHEN i % 10 < 4 THEN 1 WHEN i % 10 < 7 THEN 2 WHEN i % 10 < 9 THEN 3 ELSE 4 END, 'customer ' || i,
       date '1950-01-01' + i * 37 % 20000, i % 3 = 0
FROM generate_series(1, 3000) i;

CREATE TABLE orders (
  id int PRIMARY KEY,
  customer_id int NOT NULL REFERENCES customers,
  status text NOT NULL,
  ordered_at timestamptz NOT NULL,
  amount numeric(10,2) NOT NULL,
  quantity int NOT NULL
);
INSERT INTO orders
SELECT row_number() OVER (ORDER BY c, n), c, (ARRAY['new', 'paid', 'shipped', 'returned'])[1 + least(3, (c + n) % 7)],
       timestamptz '2025-01-01 00:00 UTC' + (c * 7 + n * 131) % 365 * interval '1 day' + (c * n % 1440) * interval '1 minute',
       least((c * 7919 + n * 104729) % 102001 / 100.0, 1000), 1 + n % 5
FROM generate_series(1, 3000) c, generate_series(1, 5) n
WHERE n <= 1 + c % 5;

GRANT SELECT ON regions, customers, orders TO analyst;
ANALYZE;

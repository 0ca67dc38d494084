-- Counts and sums over orders, of which a customer has 1 to 19, heavy-tailed: the median relative error over groups and draws, of
-- answers that cost epsilon 1 each, in all groups together.
--
--   plain    SELECT key, count(*), sum(amount) … GROUP BY key, with what the owner declared: max_rows => 19, amount from 0 to 2000
--   rows     19 rows of each customer, at 1/19 each
--   5 rows   5 rows of each customer, at 1/5 each
--   chosen   idp.clip with bounds that somebody chose well: 12 orders, and 2000 of amounts
--   found    one number for each customer first, and bounds that are found: where groups follow from the customer
--   race     the race to the top (Dong et al. 2022), for each group: the bounds 2, 4, … up to 19, and to 38 000, each at its share,
--            less its penalty, the greatest of them. Groups of which a customer may be in m have 1/m of epsilon each
\set QUIET on
SET client_min_messages = error;
CREATE EXTENSION idp;
SELECT setseed(0.5) \g /dev/null
CREATE ROLE analyst;
CREATE TABLE customers (id int PRIMARY KEY, region text NOT NULL);
INSERT INTO customers SELECT i, 'region ' || (random() * 4)::int FROM generate_series(1, :customers) i;
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, status text NOT NULL, month date NOT NULL, amount numeric(10, 2) NOT NULL);
INSERT INTO orders
SELECT row_number() OVER (), c.id, (ARRAY['new', 'paid', 'shipped', 'returned'])[1 + floor(4 * random() ^ 1.5)::int],
       (date '2024-01-01' + floor(random() * 24)::int * interval '1 month')::date, least(2000, exp(4 + sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())))::numeric(10, 2)
FROM (SELECT *, least(19, floor((1 - random()) ^ (-1 / 1.2)))::int AS n FROM customers) c, generate_series(1, n);
ANALYZE;

-- What the race adds up: unprotected, as each share is counted here, and nothing shown but errors.
CREATE TABLE part AS
SELECT kind, k, customer, count(*)::bigint AS n, ceil(sum(amount))::bigint AS s
FROM orders JOIN customers c ON c.id = customer, LATERAL (VALUES ('region', region), ('status', status), ('month', month::text)) v (kind, k) GROUP BY 1, 2, 3;
CREATE TABLE truth AS SELECT kind, k, sum(n) AS n, sum(amount) AS s
FROM (SELECT kind, k, 1 AS n, amount FROM orders JOIN customers c ON c.id = customer, LATERAL (VALUES ('region', region), ('status', status), ('month', month::text)) v (kind, k)) o GROUP BY 1, 2;
CREATE FUNCTION percent(errors float8[]) RETURNS text LANGUAGE sql AS $$
  SELECT to_char(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY e), 'FM990.00') || ' %' FROM unnest(errors) e
$$;
CREATE TABLE error (kind text, statistic text, method text, error float8);

SELECT idp.protect('customers', 1e9, 'add_remove', unit => 'id'), idp.link('orders', 'customer', 'customers', max_rows => 19) \g /dev/null
SELECT idp.set_domain('customers', 'region', ARRAY(SELECT 'region ' || i FROM generate_series(0, 4) i)) \g /dev/null
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'shipped', 'returned']),
       idp.set_domain('orders', 'month', ARRAY(SELECT (date '2024-01-01' + i * interval '1 month')::date FROM generate_series(0, 23) i)),
       idp.set_domain('orders', 'amount', 0, 2000) \g /dev/null
GRANT SELECT ON customers, orders, part, truth TO analyst;
GRANT INSERT ON error TO analyst;
SET ROLE analyst;
SET idp.epsilon = 1;

CREATE FUNCTION pg_temp.race(x text, largest float8, m int) RETURNS text LANGUAGE sql AS $$
  SELECT 'greatest(0, ' || string_agg(format('dp_sum(%s, %s::float8, 0::bigint, %s::bigint) - %s', x, 1 / levels / m, 2 ^ j, levels * ln(levels / 0.1) * 2 ^ j * m), ', ') || ')'
  FROM (SELECT ceil(log(2, largest::numeric))::float8 AS levels) l, generate_series(1, levels::int) j
$$;

CREATE PROCEDURE pg_temp.draw(draws int) LANGUAGE plpgsql AS $$
DECLARE
  key record; method record; rows text := '(SELECT *, row_number() OVER (PARTITION BY customer ORDER BY md5(id::text), id) AS r FROM orders) o JOIN customers c ON c.id = customer WHERE r <= ';
BEGIN
  FOR key IN SELECT * FROM (VALUES ('region', 1), ('status', 4), ('month', 19)) k (kind, m) LOOP
    FOR method IN SELECT * FROM (VALUES
        ('plain', 'SELECT %1$I AS k, count(*) AS n, sum(amount) AS s FROM orders JOIN customers c ON c.id = customer GROUP BY 1'),
        ('rows', 'SELECT %1$I AS k, dp_count(1.0 / 19) AS n, dp_sum(amount, 1.0 / 19, 0, 2000) AS s FROM ' || rows || '19 GROUP BY 1'),
        ('5 rows', 'SELECT %1$I AS k, dp_count(0.2) AS n, dp_sum(amount, 0.2, 0, 2000) AS s FROM ' || rows || '5 GROUP BY 1'),
        ('chosen', 'SELECT %1$I AS k, dp_sum(n, 1, 0, 12) AS n, dp_sum(s, 1, 0, 2000) AS s
                    FROM (SELECT %1$I, idp.clip(1, 12) OVER w AS n, idp.clip(amount, 2000) OVER w AS s FROM orders JOIN customers c ON c.id = customer WINDOW w AS (PARTITION BY customer)) o GROUP BY 1'),
        ('found', 'SELECT %1$I AS k, dp_sum(n, 1) AS n, dp_sum(s, 1) AS s
                   FROM (SELECT c.id, c.%1$I, count(*) AS n, sum(amount) AS s FROM orders o JOIN customers c ON c.id = o.customer GROUP BY 1, 2) o GROUP BY 1'),
        ('race', 'SELECT k, ' || pg_temp.race('n', 19, key.m) || ' AS n, ' || pg_temp.race('s', 38000, key.m) || ' AS s FROM part WHERE kind = %1$L GROUP BY k')
      ) t (name, query) LOOP
      CONTINUE WHEN method.name = 'found' AND key.kind <> 'region';
      FOR i IN 1 .. draws LOOP
        EXECUTE format('INSERT INTO error SELECT t.kind, statistic, %2$L, error FROM (' || method.query || ') a JOIN truth t ON t.kind = %1$L AND t.k = a.k::text,
                        LATERAL (VALUES (''count'', abs(a.n - t.n)::float8 / t.n), (''revenue'', abs(a.s - t.s)::float8 / t.s)) e (statistic, error)', key.kind, method.name);
      END LOOP;
    END LOOP;
  END LOOP;
END
$$;
CALL pg_temp.draw(:draws);
RESET ROLE;
SELECT statistic || ' by ' || kind AS "number",
  percent(array_agg(error) FILTER (WHERE method = 'plain')) AS plain, percent(array_agg(error) FILTER (WHERE method = 'rows')) AS "rows",
  percent(array_agg(error) FILTER (WHERE method = '5 rows')) AS "5 rows", percent(array_agg(error) FILTER (WHERE method = 'chosen')) AS chosen,
  percent(array_agg(error) FILTER (WHERE method = 'found')) AS found, percent(array_agg(error) FILTER (WHERE method = 'race')) AS race
FROM error GROUP BY statistic, kind ORDER BY statistic, array_position(ARRAY['region', 'status', 'month'], kind);

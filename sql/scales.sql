-- The declared scale of what an aggregate reads: through CASE, coalesce and the like, and from the columns of subqueries.
-- Noise is a whole number of steps, so the number of digits of an answer tells the step; without a declared scale
-- it is the sixteenth.
CREATE DOMAIN euros AS numeric(12, 2);
CREATE TABLE sales AS SELECT (i / 4.0)::numeric(12, 2) AS amount, (i / 8.0)::numeric(10, 3) AS weight, (i / 4.0)::euros AS price, i % 3 AS region, i AS n FROM generate_series(1, 90) i;
CREATE FUNCTION digits(expression text, source text DEFAULT 'sales') RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer numeric;
BEGIN
  EXECUTE format('SELECT idp_sum(%s, 1e-6, 0, 100) FROM %s', expression, source) INTO answer;
  RETURN CASE WHEN scale(answer) > 9 THEN 'none' ELSE scale(answer)::text END;
END $$;
SELECT expression, digits(expression) FROM (VALUES
  ('amount'), ('price'),
  ('CASE WHEN region = 1 THEN amount END'),
  ('CASE WHEN region = 1 THEN amount ELSE NULL END'),
  ('CASE WHEN region = 1 THEN amount ELSE 0 END'),
  ('CASE WHEN region = 1 THEN amount ELSE 0.5 END'),
  ('CASE WHEN region = 1 THEN amount ELSE 0.005 END'),
  ('CASE WHEN region = 1 THEN amount ELSE 1e10 END'),
  ('CASE WHEN region = 1 THEN amount ELSE ''NaN'' END'),
  ('CASE region WHEN 1 THEN amount WHEN 2 THEN price END'),
  ('CASE region WHEN 1 THEN amount WHEN 2 THEN weight END'),
  ('CASE region WHEN 1 THEN amount ELSE n END'),
  ('CASE region WHEN 1 THEN amount ELSE amount + amount END'),
  ('CASE WHEN region = 1 THEN CASE WHEN n > 5 THEN amount END ELSE coalesce(price, 0) END'),
  ('coalesce(amount, 0)'), ('coalesce(NULL, amount)'), ('coalesce(amount, weight)'),
  ('greatest(amount, 5)'), ('least(amount, price, 7.25)'), ('greatest(amount, weight)'),
  ('nullif(amount, 0)'), ('nullif(CASE WHEN region = 1 THEN amount END, 0)'),
  ('CASE WHEN region = 1 THEN amount END::euros'), ('(CASE WHEN region = 1 THEN amount END)::numeric(9, 1)'),
  ('amount + 0'), ('CASE WHEN region = 1 THEN 5.0 END')) e (expression);

-- columns of subqueries, whatever stands between
SELECT source, digits('a', source) FROM (VALUES
  ('(SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales) s'),
  ('(SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales OFFSET 0) s'),
  ('(SELECT coalesce(a, 0) AS a FROM (SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales OFFSET 0) s OFFSET 0) s'),
  ('(SELECT DISTINCT CASE WHEN region = 1 THEN amount END AS a FROM sales) s'),
  ('(SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales ORDER BY n LIMIT 50) s'),
  ('(SELECT CASE WHEN region = 1 THEN amount END AS a, row_number() OVER () FROM sales) s'),
  ('(WITH c AS MATERIALIZED (SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales) SELECT * FROM c) s'),
  ('(SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales UNION ALL SELECT coalesce(amount, 0) FROM sales) s'),
  ('(SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales UNION ALL SELECT coalesce(weight, 0) FROM sales) s'),
  ('(SELECT CASE WHEN region = 1 THEN amount END AS a, n FROM sales OFFSET 0) s JOIN sales t USING (n)'),
  ('sales t LEFT JOIN (SELECT CASE WHEN region = 1 THEN amount END AS a, n FROM sales OFFSET 0) s USING (n)'),
  ('(WITH RECURSIVE r (a, n) AS (SELECT CASE WHEN region = 1 THEN amount END, 1 FROM sales UNION ALL SELECT a / 3, n + 1 FROM r WHERE n < 2) SELECT * FROM r) s')) f (source);

-- in every plan
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT digits('CASE WHEN region = 1 THEN amount END') AS parallel, digits('a', '(SELECT CASE WHEN region = 1 THEN amount END AS a FROM sales OFFSET 0) s') AS subquery;
SELECT scale(idp_median(CASE WHEN region > 0 THEN amount END, 1e-6)) AS median, region FROM sales GROUP BY region ORDER BY region;
CREATE TABLE parts (LIKE sales) PARTITION BY LIST (region);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1, 2);
INSERT INTO parts SELECT * FROM sales;
SET enable_partitionwise_aggregate = on;
SELECT scale(idp_sum(coalesce(amount, 0), 1e-6, 0, 100)), region FROM parts GROUP BY region ORDER BY region;
SELECT digits('coalesce(amount, 0)', 'parts'), digits('coalesce(amount, 0)', 'parts WHERE region = 3');
DROP TABLE sales, parts;
DROP FUNCTION digits;
DROP DOMAIN euros;

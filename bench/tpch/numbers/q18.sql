-- title: quantity of all lines
-- published: 0.132
-- unit: customer
-- plain
SELECT sum(l_quantity) FROM orders, lineitem WHERE o_orderkey = l_orderkey;
-- private
SELECT dp_sum(quantity, 0.8)
FROM (SELECT o_custkey, sum(l_quantity)::numeric(12,2) AS quantity FROM orders, lineitem WHERE o_orderkey = l_orderkey GROUP BY o_custkey) customers;

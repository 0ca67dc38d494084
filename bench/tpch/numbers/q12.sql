-- title: lines by mail or ship
-- published: 0.023
-- unit: customer
-- plain
SELECT count(*) FROM orders, lineitem
WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate;
-- private
SELECT dp_sum(n, 0.8)
FROM (SELECT o_custkey, count(*) AS n FROM orders, lineitem
      WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
      GROUP BY o_custkey) customers;

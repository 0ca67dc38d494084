-- title: forecast of revenue
-- answered: per customer
-- keys: 0
-- plain
SELECT sum(l_extendedprice * l_discount) FROM lineitem
WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24;
-- private
SELECT dp_sum(revenue, 1)
FROM (SELECT o_custkey, sum(l_extendedprice * l_discount) AS revenue FROM orders JOIN lineitem ON l_orderkey = o_orderkey
      WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07
        AND l_quantity < 24
      GROUP BY o_custkey) customers;

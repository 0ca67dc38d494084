-- title: effect of promotions
-- answered: per customer
-- keys: 0
-- note: a share is one answer divided by another
-- plain
SELECT 100 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount))
FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= date '1995-09-01' AND l_shipdate < date '1995-10-01';
-- private
SELECT 100 * dp_sum(promo, 1) / nullif(dp_sum(revenue, 1), 0)
FROM (SELECT o_custkey, sum(l_extendedprice * (1 - l_discount)) AS revenue,
             sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE p_type LIKE 'PROMO%') AS promo
      FROM orders JOIN lineitem ON l_orderkey = o_orderkey JOIN part ON p_partkey = l_partkey
      WHERE l_shipdate >= date '1995-09-01' AND l_shipdate < date '1995-10-01'
      GROUP BY o_custkey) customers;

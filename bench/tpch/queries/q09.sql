-- title: profit by nation and year
-- answered: per customer
-- keys: 2
-- note: a customer counts for at most 10 pairs of nation and year: 10 epsilon, and what lies beyond is lost
-- plain
SELECT n_name, extract(year FROM o_orderdate)::int AS year, sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity)
FROM part, supplier, lineitem, partsupp, orders, nation
WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey
  AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%'
GROUP BY 1, 2 ORDER BY 1, 2;
-- private
SELECT n_name, year, dp_sum(profit, 1)
FROM (SELECT o_custkey, s_nationkey, year, sum(profit) AS profit
      FROM (SELECT o_custkey, s_nationkey, extract(year FROM o_orderdate)::int AS year,
                   l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS profit,
                   dense_rank() OVER (PARTITION BY o_custkey ORDER BY s_nationkey, extract(year FROM o_orderdate)::int) AS pair
            FROM orders JOIN lineitem ON l_orderkey = o_orderkey JOIN part ON p_partkey = l_partkey
                 JOIN supplier ON s_suppkey = l_suppkey JOIN partsupp ON ps_partkey = l_partkey AND ps_suppkey = l_suppkey
            WHERE p_name LIKE '%green%') lines
      WHERE pair <= 10 GROUP BY o_custkey, s_nationkey, year) customers
     JOIN nation ON n_nationkey = s_nationkey
GROUP BY n_name, year ORDER BY n_name, year;

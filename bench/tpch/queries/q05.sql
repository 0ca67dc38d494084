-- title: local supplier volume
-- answered: per customer
-- keys: 1
-- note: the nation is the customer's, so that the groups depend on the key
-- plain
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
  AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1995-01-01'
GROUP BY n_name ORDER BY n_name;
-- private
SELECT n_name, dp_sum(revenue, 1) AS revenue
FROM (SELECT c_custkey, c_nationkey, sum(l_extendedprice * (1 - l_discount)) AS revenue
      FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey
           JOIN supplier ON s_suppkey = l_suppkey
      WHERE s_nationkey = c_nationkey AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1995-01-01'
      GROUP BY c_custkey, c_nationkey) customers
     JOIN nation ON n_nationkey = c_nationkey JOIN region ON r_regionkey = n_regionkey
WHERE r_name = 'ASIA'
GROUP BY n_name ORDER BY n_name;

-- title: national market share
-- answered: per customer
-- keys: 1
-- note: a share is one answer divided by another
-- plain
SELECT extract(year FROM o_orderdate) AS year,
       sum(CASE WHEN n2.n_name = 'BRAZIL' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount))
FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey
  AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA' AND s_nationkey = n2.n_nationkey
  AND o_orderdate BETWEEN date '1995-01-01' AND date '1996-12-31' AND p_type = 'ECONOMY ANODIZED STEEL'
GROUP BY 1 ORDER BY 1;
-- private
SELECT year, share
FROM (SELECT dp_sum(b95, 1) b95, dp_sum(r95, 1) r95, dp_sum(b96, 1) b96, dp_sum(r96, 1) r96
      FROM (SELECT c_custkey, sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE o_orderdate < date '1996-01-01') r95,
                   sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE o_orderdate < date '1996-01-01' AND s_nationkey = 2) b95,
                   sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE o_orderdate >= date '1996-01-01') r96,
                   sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE o_orderdate >= date '1996-01-01' AND s_nationkey = 2) b96
            FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey
                 JOIN part ON p_partkey = l_partkey JOIN supplier ON s_suppkey = l_suppkey
                 JOIN nation ON n_nationkey = c_nationkey JOIN region ON r_regionkey = n_regionkey
            WHERE r_name = 'AMERICA' AND o_orderdate BETWEEN date '1995-01-01' AND date '1996-12-31'
              AND p_type = 'ECONOMY ANODIZED STEEL'
            GROUP BY c_custkey) customers) answers,
     LATERAL (VALUES (1995, b95 / nullif(r95, 0)), (1996, b96 / nullif(r96, 0))) v (year, share)
ORDER BY 1;

-- title: volume shipping
-- answered: per customer
-- keys: 3
-- note: a pivot over the years; the customer's nation depends on the key
-- plain
SELECT n1.n_name, n2.n_name, extract(year FROM l_shipdate) AS year, sum(l_extendedprice * (1 - l_discount))
FROM supplier, lineitem, orders, customer, nation n1, nation n2
WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey
  AND c_nationkey = n2.n_nationkey AND (n1.n_name, n2.n_name) IN (('FRANCE', 'GERMANY'), ('GERMANY', 'FRANCE'))
  AND l_shipdate BETWEEN date '1995-01-01' AND date '1996-12-31'
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
-- private
SELECT CASE customer WHEN 'FRANCE' THEN 'GERMANY' ELSE 'FRANCE' END AS supplier, customer, year, revenue
FROM (SELECT n_name AS customer, dp_sum(r95, 1) r95, dp_sum(r96, 1) r96
      FROM (SELECT c_custkey, c_nationkey, sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE l_shipdate < date '1996-01-01') r95,
                   sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE l_shipdate >= date '1996-01-01') r96
            FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey
                 JOIN supplier ON s_suppkey = l_suppkey
            WHERE l_shipdate BETWEEN date '1995-01-01' AND date '1996-12-31'
              AND (c_nationkey = 6 AND s_nationkey = 7 OR c_nationkey = 7 AND s_nationkey = 6)
            GROUP BY c_custkey, c_nationkey) customers JOIN nation ON n_nationkey = c_nationkey
      WHERE n_name IN ('FRANCE', 'GERMANY') GROUP BY n_name) answers,
     LATERAL (VALUES (1995, r95), (1996, r96)) v (year, revenue)
ORDER BY 1, 2, 3;

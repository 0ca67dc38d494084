-- title: lines of open orders
-- published: 0.254
-- unit: customer
-- plain
SELECT count(*) FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < date '1995-03-15'
  AND l_shipdate > date '1995-03-15';
-- private
SELECT dp_sum(n, 0.8)
FROM (SELECT c_custkey, count(*) AS n FROM customer, orders, lineitem
      WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < date '1995-03-15'
        AND l_shipdate > date '1995-03-15'
      GROUP BY c_custkey) customers;

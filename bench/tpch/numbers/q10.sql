-- title: revenue of returned items
-- published: 0.174
-- unit: customer
-- plain
SELECT sum(l_extendedprice * (1 - l_discount)) FROM customer, orders, lineitem
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01' AND o_orderdate < date '1994-01-01'
  AND l_returnflag = 'R';
-- private
SELECT dp_sum(revenue, 0.8)
FROM (SELECT c_custkey, sum(l_extendedprice * (1 - l_discount))::numeric(14,4) AS revenue FROM customer, orders, lineitem
      WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01' AND o_orderdate < date '1994-01-01'
        AND l_returnflag = 'R'
      GROUP BY c_custkey) customers;

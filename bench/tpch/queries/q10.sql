-- title: returned items
-- answered: no
-- note: it lists single customers
-- plain
SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue FROM customer, orders, lineitem
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01' AND o_orderdate < date '1994-01-01'
  AND l_returnflag = 'R'
GROUP BY 1, 2 ORDER BY revenue DESC LIMIT 20;

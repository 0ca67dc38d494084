-- title: order priority checking
-- answered: per customer
-- keys: 1
-- note: a pivot over the five priorities
-- plain
SELECT o_orderpriority, count(*) FROM orders
WHERE o_orderdate >= date '1993-07-01' AND o_orderdate < date '1993-10-01'
  AND EXISTS (SELECT FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY 1 ORDER BY 1;
-- private
SELECT priority, n
FROM (SELECT dp_sum(n1, 1) n1, dp_sum(n2, 1) n2, dp_sum(n3, 1) n3, dp_sum(n4, 1) n4, dp_sum(n5, 1) n5
      FROM (SELECT o_custkey, count(*) FILTER (WHERE o_orderpriority = '1-URGENT') n1,
                   count(*) FILTER (WHERE o_orderpriority = '2-HIGH') n2,
                   count(*) FILTER (WHERE o_orderpriority = '3-MEDIUM') n3,
                   count(*) FILTER (WHERE o_orderpriority = '4-NOT SPECIFIED') n4,
                   count(*) FILTER (WHERE o_orderpriority = '5-LOW') n5
            FROM orders
            WHERE o_orderdate >= date '1993-07-01' AND o_orderdate < date '1993-10-01'
              AND EXISTS (SELECT FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
            GROUP BY o_custkey) customers) answers,
     LATERAL (VALUES ('1-URGENT', n1), ('2-HIGH', n2), ('3-MEDIUM', n3), ('4-NOT SPECIFIED', n4), ('5-LOW', n5)) v (priority, n)
ORDER BY 1;

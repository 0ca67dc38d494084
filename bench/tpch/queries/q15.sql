-- title: top supplier
-- answered: no
-- note: the maximum of 10 000 totals, each of a handful of customers: noise would choose
-- plain
WITH revenue AS (SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount)) AS total FROM lineitem
                 WHERE l_shipdate >= date '1996-01-01' AND l_shipdate < date '1996-04-01' GROUP BY l_suppkey)
SELECT s_suppkey, s_name, total FROM supplier, revenue WHERE s_suppkey = l_suppkey AND total = (SELECT max(total) FROM revenue);

-- title: parts to promote
-- answered: no
-- note: it lists suppliers by exact sums of lines
-- plain
SELECT s_name FROM supplier, nation
WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp,
                      (SELECT l_partkey k, l_suppkey s, 0.5 * sum(l_quantity) AS half FROM lineitem
                       WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' GROUP BY 1, 2) sold
                    WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
                      AND k = ps_partkey AND s = ps_suppkey AND ps_availqty > half)
  AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name;

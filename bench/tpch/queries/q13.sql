-- title: distribution of customers
-- answered: count(*) becomes dp_count
-- keys: 1
-- note: it groups by customer as it stands
-- plain
SELECT c_count, count(*) FROM (SELECT c_custkey, count(o_orderkey) AS c_count
      FROM customer LEFT JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) c
GROUP BY c_count ORDER BY c_count;
-- private
SELECT c_count, dp_count(1) FROM (SELECT c_custkey, count(o_orderkey) AS c_count
      FROM customer LEFT JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) c
GROUP BY c_count ORDER BY c_count;

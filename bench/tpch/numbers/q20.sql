-- title: offers of green parts
-- published: 0.58
-- unit: supplier
-- plain
SELECT count(*) FROM partsupp, part WHERE ps_partkey = p_partkey AND p_name LIKE 'green%';
-- private
SELECT dp_sum(n, 0.8)
FROM (SELECT ps_suppkey, count(*) AS n FROM partsupp, part WHERE ps_partkey = p_partkey AND p_name LIKE 'green%' GROUP BY ps_suppkey) suppliers;

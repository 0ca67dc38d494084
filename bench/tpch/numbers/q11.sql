-- title: value of stock of a nation
-- published: 1.82
-- unit: supplier
-- plain
SELECT sum(ps_supplycost * ps_availqty) FROM partsupp, supplier, nation
WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY';
-- private
SELECT dp_sum(value, 0.8)
FROM (SELECT s_suppkey, sum(ps_supplycost * ps_availqty)::numeric(14,2) AS value FROM partsupp, supplier, nation
      WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY'
      GROUP BY s_suppkey) suppliers;

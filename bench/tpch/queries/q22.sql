-- title: sales opportunities
-- answered: in two steps
-- keys: 1
-- note: the average balance is asked first and given as a constant
-- plain
SELECT substring(c_phone FROM 1 FOR 2) AS code, count(*), sum(c_acctbal) FROM customer
WHERE substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal >
      (SELECT avg(c_acctbal) FROM customer WHERE c_acctbal > 0 AND substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17'))
  AND NOT EXISTS (SELECT FROM orders WHERE o_custkey = c_custkey)
GROUP BY 1 ORDER BY 1;
-- private
SELECT dp_avg(c_acctbal, 1, 0, 10000) AS average FROM customer
WHERE c_acctbal > 0 AND substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17') \gset
SELECT substring(c_phone FROM 1 FOR 2) AS code, dp_count(1), dp_sum(c_acctbal, 1) FROM customer
WHERE substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal > :average
  AND NOT EXISTS (SELECT FROM orders WHERE o_custkey = c_custkey)
GROUP BY 1 ORDER BY 1;

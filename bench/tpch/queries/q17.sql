-- title: revenue of small quantities
-- answered: no
-- note: the average quantity of a part is one of several customers' lines
-- plain
SELECT sum(l_extendedprice) / 7.0 FROM lineitem, part,
     (SELECT l_partkey AS k, 0.2 * avg(l_quantity) AS small FROM lineitem GROUP BY 1) s
WHERE p_partkey = l_partkey AND k = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX' AND l_quantity < small;

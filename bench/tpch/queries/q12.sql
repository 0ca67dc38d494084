-- title: shipping modes and priority
-- answered: per customer
-- keys: 1
-- note: a pivot over the two modes
-- plain
SELECT l_shipmode, sum(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END),
       sum(CASE WHEN o_orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END)
FROM orders, lineitem
WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
  AND l_receiptdate >= date '1994-01-01' AND l_receiptdate < date '1995-01-01'
GROUP BY 1 ORDER BY 1;
-- private
SELECT mode, high, low
FROM (SELECT dp_sum(mail_high, 1) mail_high, dp_sum(mail_low, 1) mail_low, dp_sum(ship_high, 1) ship_high, dp_sum(ship_low, 1) ship_low
      FROM (SELECT o_custkey, count(*) FILTER (WHERE l_shipmode = 'MAIL' AND high) mail_high,
                   count(*) FILTER (WHERE l_shipmode = 'MAIL' AND NOT high) mail_low,
                   count(*) FILTER (WHERE l_shipmode = 'SHIP' AND high) ship_high,
                   count(*) FILTER (WHERE l_shipmode = 'SHIP' AND NOT high) ship_low
            FROM (SELECT o_custkey, l_shipmode, o_orderpriority IN ('1-URGENT', '2-HIGH') AS high
                  FROM orders JOIN lineitem ON l_orderkey = o_orderkey
                  WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
                    AND l_receiptdate >= date '1994-01-01' AND l_receiptdate < date '1995-01-01') lines
            GROUP BY o_custkey) customers) answers,
     LATERAL (VALUES ('MAIL', mail_high, mail_low), ('SHIP', ship_high, ship_low)) v (mode, high, low)
ORDER BY 1;

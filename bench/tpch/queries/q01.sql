-- title: pricing summary
-- answered: per customer
-- keys: 2
-- note: a pivot: each customer adds one row with a column for each flag and status
-- plain
SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
FROM lineitem WHERE l_shipdate <= date '1998-09-02' GROUP BY 1, 2 ORDER BY 1, 2;
-- private
SELECT flag, status, qty, price, disc, charge, qty / n, price / n, off / n, n
FROM (SELECT dp_sum(qty_af, 1) qty_af, dp_sum(price_af, 1) price_af, dp_sum(disc_af, 1) disc_af, dp_sum(charge_af, 1) charge_af,
             dp_sum(off_af, 1) off_af, dp_sum(n_af, 1) n_af,
             dp_sum(qty_nf, 1) qty_nf, dp_sum(price_nf, 1) price_nf, dp_sum(disc_nf, 1) disc_nf, dp_sum(charge_nf, 1) charge_nf,
             dp_sum(off_nf, 1) off_nf, dp_sum(n_nf, 1) n_nf,
             dp_sum(qty_no, 1) qty_no, dp_sum(price_no, 1) price_no, dp_sum(disc_no, 1) disc_no, dp_sum(charge_no, 1) charge_no,
             dp_sum(off_no, 1) off_no, dp_sum(n_no, 1) n_no,
             dp_sum(qty_rf, 1) qty_rf, dp_sum(price_rf, 1) price_rf, dp_sum(disc_rf, 1) disc_rf, dp_sum(charge_rf, 1) charge_rf,
             dp_sum(off_rf, 1) off_rf, dp_sum(n_rf, 1) n_rf
      FROM (SELECT o_custkey,
                   sum(l_quantity) FILTER (WHERE af) qty_af, sum(l_extendedprice) FILTER (WHERE af) price_af,
                   sum(disc) FILTER (WHERE af) disc_af, sum(disc * (1 + l_tax)) FILTER (WHERE af) charge_af,
                   sum(l_discount) FILTER (WHERE af) off_af, count(*) FILTER (WHERE af) n_af,
                   sum(l_quantity) FILTER (WHERE nf) qty_nf, sum(l_extendedprice) FILTER (WHERE nf) price_nf,
                   sum(disc) FILTER (WHERE nf) disc_nf, sum(disc * (1 + l_tax)) FILTER (WHERE nf) charge_nf,
                   sum(l_discount) FILTER (WHERE nf) off_nf, count(*) FILTER (WHERE nf) n_nf,
                   sum(l_quantity) FILTER (WHERE no) qty_no, sum(l_extendedprice) FILTER (WHERE no) price_no,
                   sum(disc) FILTER (WHERE no) disc_no, sum(disc * (1 + l_tax)) FILTER (WHERE no) charge_no,
                   sum(l_discount) FILTER (WHERE no) off_no, count(*) FILTER (WHERE no) n_no,
                   sum(l_quantity) FILTER (WHERE rf) qty_rf, sum(l_extendedprice) FILTER (WHERE rf) price_rf,
                   sum(disc) FILTER (WHERE rf) disc_rf, sum(disc * (1 + l_tax)) FILTER (WHERE rf) charge_rf,
                   sum(l_discount) FILTER (WHERE rf) off_rf, count(*) FILTER (WHERE rf) n_rf
            FROM (SELECT o_custkey, l_quantity, l_extendedprice, l_discount, l_tax, l_extendedprice * (1 - l_discount) disc,
                         l_returnflag = 'A' AND l_linestatus = 'F' af, l_returnflag = 'N' AND l_linestatus = 'F' nf,
                         l_returnflag = 'N' AND l_linestatus = 'O' no, l_returnflag = 'R' AND l_linestatus = 'F' rf
                  FROM orders JOIN lineitem ON l_orderkey = o_orderkey
                  WHERE l_shipdate <= date '1998-09-02') lines
            GROUP BY o_custkey) customers) answers,
     LATERAL (VALUES ('A', 'F', qty_af, price_af, disc_af, charge_af, off_af, n_af),
                     ('N', 'F', qty_nf, price_nf, disc_nf, charge_nf, off_nf, n_nf),
                     ('N', 'O', qty_no, price_no, disc_no, charge_no, off_no, n_no),
                     ('R', 'F', qty_rf, price_rf, disc_rf, charge_rf, off_rf, n_rf)) v (flag, status, qty, price, disc, charge, off, n)
ORDER BY 1, 2;

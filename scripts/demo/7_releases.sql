\echo '7.  A named release is refined: epsilon 0.1, then 0.5, then 2. The whole costs 2, the last epsilon,'
\echo '    and the last answer is as accurate as if it were the only one. Asked again it is the same.'
SELECT dp_sum(payment, 0.1, 0, 5000, 'payments') AS "epsilon 0.1" FROM person_year;
SELECT idp.relax('payments', 0.5) AS "epsilon 0.5";
SELECT idp.relax('payments', 2) AS "epsilon 2", idp.relax('payments', 2) AS "again";
SELECT sum(least(payment, 5000)) AS "the true sum" FROM person_year WHERE payment IS NOT NULL;

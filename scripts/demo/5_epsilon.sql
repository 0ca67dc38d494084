\echo '5.  What epsilon does: the mean absolute error of each answer over 200 draws.'
\echo '    About sensitivity / epsilon: here 2, 29.60 and 1; idp_count_range stays within one of the truth.'
WITH truth AS (
  SELECT (array_agg(visits ORDER BY visits DESC))[2]     AS second,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY payment)
           FILTER (WHERE health = 'fair' AND coinsurance = 95) AS payment,
         count(*) FILTER (WHERE visits BETWEEN 5 AND 10) AS between_5_and_10
  FROM person_year
)
SELECT epsilon,
       round(avg(abs(draw.second - truth.second)), 2)              AS second_maximum,
       round(avg(abs(draw.payment - truth.payment)), 2)            AS median_payment,
       round(avg(abs(draw.dp_count - truth.between_5_and_10)), 2)  AS dp_count_range,
       round(avg(abs(draw.idp_count - truth.between_5_and_10)), 2) AS idp_count_range
FROM truth,
     unnest(ARRAY[0.1, 0.5, 1, 2]::float8[]) AS epsilon,
     generate_series(1, 200) AS i,
     LATERAL (
       SELECT idp_kth_largest(visits, epsilon, 2)     AS second,
              idp_median(payment, epsilon)
                FILTER (WHERE health = 'fair' AND coinsurance = 95) AS payment,
              dp_count_range(visits, epsilon, 5, 10)  AS dp_count,
              idp_count_range(visits, epsilon, 5, 10) AS idp_count
       FROM person_year
       WHERE i > 0 -- always true, but makes the subquery depend on i: each i is a draw of its own
     ) AS draw
GROUP BY epsilon
ORDER BY epsilon;

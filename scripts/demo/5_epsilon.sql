\echo '5.  What epsilon does: the mean absolute error of each answer over 200 draws.'
\echo '    About sensitivity / epsilon: here 2, 29.60 and 1; idp_count_range stays within one of the truth.'
CREATE TEMP TABLE draws (epsilon float8, second int, payment numeric, dp_count bigint, idp_count bigint);
PREPARE draw(float8) AS
INSERT INTO draws
SELECT $1, draw.*
FROM generate_series(1, 200) AS i,
     LATERAL (
       SELECT idp_kth_largest(visits, $1, 2),
              idp_median(payment, $1) FILTER (WHERE health = 'fair' AND coinsurance = 95),
              dp_count_range(visits, $1, 5, 10),
              idp_count_range(visits, $1, 5, 10)
       FROM person_year
       WHERE i > 0 -- always true, but makes the subquery depend on i: each i is a draw of its own
     ) AS draw;
EXECUTE draw(0.1);
EXECUTE draw(0.5);
EXECUTE draw(1);
EXECUTE draw(2);

WITH truth AS (
  SELECT (array_agg(visits ORDER BY visits DESC))[2]     AS second,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY payment)
           FILTER (WHERE health = 'fair' AND coinsurance = 95) AS payment,
         count(*) FILTER (WHERE visits BETWEEN 5 AND 10) AS between_5_and_10
  FROM person_year
)
SELECT epsilon,
       round(avg(abs(draws.second - truth.second)), 2)              AS second_maximum,
       round(avg(abs(draws.payment - truth.payment)), 2)            AS median_payment,
       round(avg(abs(draws.dp_count - truth.between_5_and_10)), 2)  AS dp_count_range,
       round(avg(abs(draws.idp_count - truth.between_5_and_10)), 2) AS idp_count_range
FROM draws, truth
GROUP BY epsilon
ORDER BY epsilon;

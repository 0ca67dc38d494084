\echo '2a. Median visits and diseases by self-rated health, true and private, epsilon 0.5.'
\echo '    Noise follows the gap from the median to its neighbours; among equal values the answer is exact.'
SELECT health, count(*) AS rows,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY visits)   AS true_visits,
       idp_median(visits, 0.5)                               AS private_visits,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY diseases) AS true_diseases,
       idp_median(diseases, 0.5)                             AS private_diseases
FROM person_year
GROUP BY health
ORDER BY health;

\echo '2b. Median payment in dollars by health and percent of coinsurance, true and private, epsilon 0.5.'
\echo '    In small groups the neighbours often differ from the median, and the answer has noise.'
SELECT health, coinsurance, count(payment) AS rows,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY payment) AS true_payment,
       round(idp_median(payment, 0.5), 2)                   AS private_payment -- rounding is free
FROM person_year
WHERE health >= 'fair'
GROUP BY health, coinsurance
ORDER BY health, coinsurance;

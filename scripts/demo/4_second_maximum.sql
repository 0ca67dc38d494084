\echo '4.  The largest and the second largest number of visits, true and private, epsilon 0.5.'
\echo '    The maximum needs a bound, one visit a day, and noise to match it; the second has neighbours.'
SELECT max(visits)                                 AS true_maximum,
       idp_max(visits, 0.5, 366)                   AS private_maximum,
       (array_agg(visits ORDER BY visits DESC))[2] AS true_second,
       idp_kth_largest(visits, 0.5, 2)             AS private_second
FROM person_year;

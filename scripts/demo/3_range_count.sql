\echo '3.  Rows with 5 to 10 visits in the year, true and private, epsilon 0.5.'
\echo '    idp_count_range is off by one at most; dp_count_range promises more privacy and errs more.'
SELECT health,
       count(*) FILTER (WHERE visits BETWEEN 5 AND 10) AS true_count,
       idp_count_range(visits, 0.5, 5, 10)             AS idp_count_range,
       dp_count_range(visits, 0.5, 5, 10)              AS dp_count_range
FROM person_year
GROUP BY health
ORDER BY health;

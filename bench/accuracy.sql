CREATE EXTENSION idp;
DO $$ BEGIN PERFORM setseed(0.5); END $$;  -- the data are the same every time, the noise is not
\echo data sets: :sets, draws of each: :draws

CREATE TABLE sample AS
SELECT n, set, random() AS uniform,
       least(greatest(sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()), -5), 5) AS normal,
       least(-ln(1 - random()), 10) AS exponential, floor(random() * 1001)::int AS integers
FROM (VALUES (100), (1000), (10000)) s (n), generate_series(1, :sets) set, generate_series(1, n);

CREATE TABLE truth AS
SELECT n, set, percentile_disc(0.5) WITHIN GROUP (ORDER BY uniform) AS uniform,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY normal) AS normal,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY exponential) AS exponential,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY integers) AS integers
FROM sample GROUP BY n, set;

CREATE TABLE error (data text, n int, aggregate text, error float8);
CREATE PROCEDURE draw(data text, lower text, upper text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
    INSERT INTO error
    SELECT %1$L, n, a.aggregate, abs(a.answer::float8 - truth)
    FROM (SELECT n, t.%1$I AS truth, idp_median(s.%1$I, 1) AS idp, dp_median(s.%1$I, 1, %2$s, %3$s) AS exponential,
                 dp_median_smooth(s.%1$I, 1, %2$s, %3$s, 2) AS smooth2,
                 dp_median_smooth(s.%1$I, 1, %2$s, %3$s) AS smooth3,
                 dp_median_global(s.%1$I, 1, %2$s, %3$s) AS global
          FROM sample s JOIN truth t USING (n, set) GROUP BY n, set, t.%1$I) q,
    LATERAL (VALUES ('idp_median', idp), ('dp_median', q.exponential), ('dp_median_smooth, gamma 2', smooth2),
                    ('dp_median_smooth', smooth3), ('dp_median_global', global)) a (aggregate, answer)
    $q$, data, lower, upper);
END
$$;
SELECT format('CALL draw(%L, %L, %L)', data, lower, upper)
FROM (VALUES ('uniform', '0', '1'), ('normal', '-5', '5'), ('exponential', '0', '10'), ('integers', '0', '1000'))
       v (data, lower, upper), generate_series(1, :draws)
\gexec

\pset numericlocale off
SELECT data, n,
       to_char(avg(error) FILTER (WHERE aggregate = 'idp_median'), '9.99EEEE') AS idp_median,
       to_char(avg(error) FILTER (WHERE aggregate = 'dp_median'), '9.99EEEE') AS dp_median,
       to_char(avg(error) FILTER (WHERE aggregate = 'dp_median_smooth'), '9.99EEEE') AS "smooth, gamma 3",
       to_char(avg(error) FILTER (WHERE aggregate = 'dp_median_smooth, gamma 2'), '9.99EEEE') AS "smooth, gamma 2",
       to_char(avg(error) FILTER (WHERE aggregate = 'dp_median_global'), '9.99EEEE') AS dp_median_global
FROM error GROUP BY data, n ORDER BY array_position('{uniform,normal,exponential,integers}', data), n;

-- Section 4.2 of the gradual release paper: each of many people tells a number to the members of a
-- network, at epsilon = 1/distance. What strangers gain who average what they were told: from one path,
-- and from answers that know nothing of each other.

CREATE TABLE facts AS SELECT person, i FROM generate_series(1, 10000) person, generate_series(1, 3) i;
CREATE TABLE told (person int, distance int, answer int);
SELECT format('CREATE ROLE at_%s; GRANT INSERT ON told TO at_%1$s', distance) FROM generate_series(1, 8) distance \gexec

\echo '     10 000 releases, eight levels of each'
CREATE TABLE begun AS SELECT person, dp_count(0.01, 'number of ' || person) AS n FROM facts GROUP BY person;
SELECT clock_timestamp() AS start \gset
SELECT count(idp.share('number of 1', ('at_' || distance)::regrole, 1.0 / distance, all_groups => true)::text)
FROM generate_series(1, 8) distance \g /dev/null
SELECT 1000 * extract(epoch FROM clock_timestamp() - :'start') AS share_ms \gset
SELECT clock_timestamp() AS start \gset
SELECT format('SET ROLE at_%s; INSERT INTO told SELECT person, %1$s, idp.read(''number of '' || person)::int FROM generate_series(1, 10000) person; RESET ROLE', distance)
FROM generate_series(1, 8) distance \gexec
SELECT 1000 * extract(epoch FROM clock_timestamp() - :'start') AS read_ms \gset

\echo '     strangers with answers of their own, twenty at each of five distances'
CREATE TABLE alone (person int, stranger int, answer int);
SELECT format('INSERT INTO alone SELECT person, %s + 5 * copy, dp_count(1.0 / %s) FROM facts, generate_series(0, 19) copy GROUP BY person, copy', distance - 4, distance)
FROM generate_series(4, 8) distance \gexec

-- 2a/(1 - a)^2, the variance of discrete Laplace noise, and its mean absolute value 2a/(1 - a^2); a = e^-epsilon
CREATE FUNCTION variance_at(distance int) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT 2 * exp(-1.0 / distance) / (1 - exp(-1.0 / distance)) ^ 2 $$;
CREATE FUNCTION absolute_at(distance int) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT 2 * exp(-1.0 / distance) / (1 - exp(-2.0 / distance)) $$;

-- The strangers come one at each distance in turn, 4, 5, 6, 7, 8, 4, …. Errors of the average of the first m.
CREATE TABLE pooled AS
SELECT m, sqrt(avg(shared ^ 2)) AS shared, stddev(shared ^ 2) / (2 * sqrt(count(*)) * sqrt(avg(shared ^ 2))) AS shared_error,
       sqrt(avg(alone ^ 2)) AS alone, stddev(alone ^ 2) / (2 * sqrt(count(*)) * sqrt(avg(alone ^ 2))) AS alone_error
FROM (SELECT m, person, avg(s.answer - 3)::float8 AS shared, avg(a.answer - 3)::float8 AS alone
      FROM unnest(ARRAY[1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100]) m, generate_series(0, 99) stranger
           JOIN alone a USING (stranger) JOIN told s USING (person)
      WHERE stranger < m AND s.distance = 4 + stranger % 5 GROUP BY m, person) q
GROUP BY m;
-- The covariance of two levels is the variance of the finer one.
CREATE FUNCTION shared_law(m int) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
  SELECT sqrt(sum(variance_at(4 + least(i % 5, j % 5)))) / m FROM generate_series(0, m - 1) i, generate_series(0, m - 1) j $$;
CREATE FUNCTION alone_law(m int) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
  SELECT sqrt(sum(variance_at(4 + i % 5))) / m FROM generate_series(0, m - 1) i $$;

\pset format unaligned
\o shared.md
\qecho '| distance | ε | mean absolute error of its reader | of a single answer | drawn − exact |'
\qecho '|---|---|---|---|---|'
SELECT line(distance::text, digits(1.0 / distance), estimate(mean, error), digits(absolute_at(distance)), difference(mean, absolute_at(distance), error))
FROM (SELECT distance, avg(abs(answer - 3))::float8 AS mean, (stddev(abs(answer - 3)) / sqrt(count(*)))::float8 AS error FROM told GROUP BY 1) t ORDER BY distance;
\o strangers.md
\qecho '| strangers who average | one path: root mean square error | exact | answers of their own | exact |'
\qecho '|---|---|---|---|---|'
SELECT line(m::text, estimate(shared, shared_error), digits(shared_law(m)), estimate(alone, alone_error), digits(alone_law(m)))
FROM pooled WHERE m IN (1, 2, 5, 10, 20, 50, 100) ORDER BY m;
\o shared_time.md
SELECT 'Eight levels of ten thousand releases were given by eight calls, in ' || digits(:share_ms / 1000) || ' s; reading one answer took '
  || digits(1000 * :read_ms / 80000) || ' µs.';
\o shared.csv
\qecho 'strangers,shared,shared_error,alone,alone_error,shared_law,alone_law'
\pset fieldsep ','
SELECT m, round(shared::numeric, 4), round(shared_error::numeric, 4), round(alone::numeric, 4), round(alone_error::numeric, 4),
       round(shared_law(m)::numeric, 4), round(alone_law(m)::numeric, 4) FROM pooled ORDER BY m;
\o

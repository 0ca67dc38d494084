-- Synthetic rows of real data: how far their marginals and two regression coefficients are from those of
-- the rows they were made of, beside rows of independent columns and beside other people.
\ir ../randhie.sql

CREATE TABLE person_year AS
SELECT CASE 1 WHEN hlthp THEN 'poor' WHEN hlthf THEN 'fair' WHEN hlthg THEN 'good' ELSE 'excellent' END AS health,
       least(mdvis, 15) AS visits, least(3 * floor(disea / 3)::int, 30) AS diseases, round(exp(lncoins) - 1)::int AS coinsurance,
       physlm >= 0.5 AS limited, idp = 1 AS deductible
FROM randhie;
SELECT count(*) AS people FROM person_year \gset

-- What is made of them, each several times: synthetic rows; the columns without noise, each shuffled by itself; as many rows
-- drawn again from these, which is how much other people of the same kind would differ.
CREATE UNLOGGED TABLE made (LIKE person_year, kind text, epsilon float8, run int);
\echo '     synthetic rows'
INSERT INTO made
SELECT r.*, 'synthetic', e, run FROM unnest(ARRAY[0.5, 1, 4]) e, generate_series(1, :repeats) run,
  LATERAL idp.synthesize('person_year', '{"health": ["excellent", "good", "fair", "poor"],
    "visits": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "diseases": [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30],
    "coinsurance": [0, 25, 50, 95, 100], "limited": [true, false], "deductible": [true, false]}', e + 0 * run, :people) s,
  LATERAL jsonb_populate_record(NULL::person_year, s) r;
\echo '     independent columns, other people'
INSERT INTO made
SELECT h[i], v[i], d[i], c[i], l[i], f[i], 'independent', NULL, run
FROM generate_series(1, :repeats) run,
  LATERAL (SELECT array_agg(health ORDER BY random() + 0 * run) h, array_agg(visits ORDER BY random()) v, array_agg(diseases ORDER BY random()) d,
                  array_agg(coinsurance ORDER BY random()) c, array_agg(limited ORDER BY random()) l, array_agg(deductible ORDER BY random()) f
           FROM person_year) a, generate_series(1, :people) i;
INSERT INTO made
SELECT health, visits, diseases, coinsurance, limited, deductible, 'others', NULL, run
FROM (SELECT run, floor(random() * :people)::int AS n FROM generate_series(1, :repeats) run, generate_series(1, :people)) q
  JOIN (SELECT *, row_number() OVER () - 1 AS n FROM person_year) p USING (n);

\echo '     marginals'
SET work_mem = '256MB';
CREATE UNLOGGED TABLE cells AS
SELECT kind, epsilon, run, concat_ws(', ', CASE WHEN grouping(health) = 0 THEN 'health' END, CASE WHEN grouping(visits) = 0 THEN 'visits' END, CASE WHEN grouping(diseases) = 0 THEN 'diseases' END, CASE WHEN grouping(coinsurance) = 0 THEN 'coinsurance' END, CASE WHEN grouping(limited) = 0 THEN 'limited' END, CASE WHEN grouping(deductible) = 0 THEN 'deductible' END) AS marginal,
       concat_ws(', ', health, visits, diseases, coinsurance, limited, deductible) AS cell, count(*)::float8 / :people AS share
FROM (SELECT * FROM made UNION ALL SELECT *, 'truth', NULL, 0 FROM person_year) a
GROUP BY kind, epsilon, run, GROUPING SETS ((health), (visits), (diseases), (coinsurance), (limited), (deductible),
    (health, visits), (health, diseases), (health, coinsurance), (health, limited), (health, deductible), (visits, diseases), (visits, coinsurance), (visits, limited), (visits, deductible), (diseases, coinsurance), (diseases, limited), (diseases, deductible), (coinsurance, limited), (coinsurance, deductible), (limited, deductible));
-- The total variation distance is what two laws do not share.
CREATE TABLE distances AS
SELECT m.kind, m.epsilon, m.run, m.marginal, m.marginal LIKE '%,%' AS of_two, greatest(0, round((1 - sum(least(m.share, t.share)))::numeric, 12))::float8 AS distance
FROM cells m JOIN cells t USING (marginal, cell) WHERE m.kind <> 'truth' AND t.kind = 'truth' GROUP BY 1, 2, 3, 4;
CREATE TABLE slopes AS
SELECT kind, epsilon, run, regr_slope(visits, diseases) AS of_diseases, 100 * regr_slope(visits, coinsurance) AS of_coinsurance
FROM (SELECT * FROM made UNION ALL SELECT *, 'truth', NULL, 0 FROM person_year) a GROUP BY 1, 2, 3;

CREATE TABLE summary AS
SELECT kind, epsilon, avg(distance) FILTER (WHERE NOT of_two) AS one, max(distance) FILTER (WHERE NOT of_two) AS one_most,
       avg(distance) FILTER (WHERE of_two) AS two, max(distance) FILTER (WHERE of_two) AS two_most
FROM (SELECT kind, epsilon, marginal, of_two, avg(distance) AS distance FROM distances GROUP BY 1, 2, 3, 4) d GROUP BY 1, 2;

-- a mean and how much one run differs from another
CREATE FUNCTION spread(x float8, deviation float8) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT replace(round(x::numeric, 3)::text, '-', '−') || coalesce(' ± ' || round(deviation::numeric, 3), '') $$;

\pset format unaligned
\o synthetic.md
\qecho '| rows | ε | one-way marginals: mean, greatest | two-way marginals: mean, greatest | visits for each point of chronic diseases | visits for 100 % of coinsurance |'
\qecho '|---|---|---|---|---|---|'
SELECT line(CASE kind WHEN 'truth' THEN 'the data' WHEN 'synthetic' THEN '`idp.synthesize`' WHEN 'independent' THEN 'independent columns, without noise' ELSE 'drawn again from the data' END,
            coalesce(l.epsilon::text, ''), coalesce(digits(one) || ', ' || digits(one_most), '0'), coalesce(digits(two) || ', ' || digits(two_most), '0'),
            spread(avg(of_diseases), stddev(of_diseases)), spread(avg(of_coinsurance), stddev(of_coinsurance)))
FROM slopes l LEFT JOIN summary s USING (kind) WHERE l.epsilon IS NOT DISTINCT FROM s.epsilon
GROUP BY kind, l.epsilon, one, one_most, two, two_most
ORDER BY array_position(ARRAY['truth', 'others', 'synthetic', 'independent'], kind), l.epsilon DESC;
\o synthetic.csv
\qecho 'place,marginal,independent,synthetic_05,synthetic_1,synthetic_4,others'
\pset fieldsep ','
SELECT row_number() OVER (ORDER BY avg(distance) FILTER (WHERE kind = 'independent')), replace(marginal, ', ', ' + '),
       round((avg(distance) FILTER (WHERE kind = 'independent'))::numeric, 5), round((avg(distance) FILTER (WHERE epsilon = 0.5))::numeric, 5), round((avg(distance) FILTER (WHERE epsilon = 1))::numeric, 5), round((avg(distance) FILTER (WHERE epsilon = 4))::numeric, 5), round((avg(distance) FILTER (WHERE kind = 'others'))::numeric, 5)
FROM distances WHERE of_two GROUP BY marginal ORDER BY 1;
\o

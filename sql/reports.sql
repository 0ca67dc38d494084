-- Reports: randomised response and RAPPOR, made of a record's own value, refined, counted.

-- a report says how it was made
SELECT (r).domain, (r).epsilons, (r).answers[1] = ANY ((r).domain) AS answered
FROM (SELECT dp_report('blue', 1, ARRAY['red', 'green', 'blue']) AS r) s;
SELECT (r).domain, (r).answers FROM (SELECT dp_report(true, 700, ARRAY[false, true]) AS r) s;
SELECT (r).answers FROM (SELECT dp_report(2::smallint, 700, ARRAY[1, 2, 3]) AS r) s;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
SELECT (r).answers FROM (SELECT dp_report('happy'::mood, 700, enum_range(NULL::mood)) AS r) s;
-- a value that is not there, NULL too, is the last of the domain; data raise no error
SELECT (dp_report('pink', 700, ARRAY['red', 'other'])).answers, (dp_report(NULL, 700, ARRAY['red', 'other'])).answers;

-- levels in any order: what was answered stays, what is new lies between
CREATE TABLE people AS
SELECT i AS id, CASE WHEN i % 10 < 6 THEN 'red' WHEN i % 10 < 9 THEN 'green' ELSE 'blue' END AS colour FROM generate_series(1, 20000) i;
CREATE TABLE reports AS SELECT id, dp_report(colour, 1, ARRAY['red', 'green', 'blue']) AS r FROM people;
CREATE TABLE before AS TABLE reports;
UPDATE reports SET r = dp_report(colour, 3, ARRAY['red', 'green', 'blue'], r) FROM people WHERE people.id = reports.id;
UPDATE reports SET r = dp_report(colour, 0.5, ARRAY['red', 'green', 'blue'], r) FROM people WHERE people.id = reports.id;
UPDATE reports SET r = dp_report(colour, 2, ARRAY['red', 'green', 'blue'], r) FROM people WHERE people.id = reports.id;
UPDATE reports SET r = dp_report(colour, 2, ARRAY['red', 'green', 'blue'], r) FROM people WHERE people.id = reports.id;
SELECT (n.r).epsilons, count(*), bool_and((n.r).answers[2] = (b.r).answers[1]) AS kept
FROM reports n JOIN before b USING (id) GROUP BY 1;
-- two levels agree more often than independent answers would, a finer one with the truth more often
SELECT avg(((r).answers[2] = (r).answers[3])::int) > 0.6 AS agree,
  abs(avg(((r).answers[2] = colour)::int) - exp(1) / (exp(1) + 2)) < 0.025 AS at_1,
  abs(avg(((r).answers[4] = colour)::int) - exp(3) / (exp(3) + 2)) < 0.015 AS at_3
FROM reports JOIN people USING (id);

-- what they tell, at each level: the truth within eight standard errors, as it is but once in 1e15
-- times, and they get smaller
SELECT e, v, abs((c).count - n) < 8 * (c).standard_error AS near,
  (c).standard_error < lag((c).standard_error) OVER (PARTITION BY v ORDER BY e) AS smaller
FROM (VALUES ('red', 12000), ('green', 6000), ('blue', 2000)) t (v, n), unnest(ARRAY[0.5, 1, 2, 3]) e,
  LATERAL (SELECT dp_report_count(r, e, v) AS c FROM reports) s ORDER BY v DESC, e;
-- a reader of less
SELECT (idp.report_up_to(r, 1)).epsilons FROM reports WHERE id = 1;
SELECT idp.report_up_to(r, 0.1) FROM reports WHERE id = 1;
SELECT dp_report_count(idp.report_up_to(r, 1), 2, 'red') FROM reports;
-- of other types, of groups, of nothing
SELECT abs((c).count - 3000) < 8 * (c).standard_error AS near
FROM (SELECT dp_report_count(dp_report(i <= 3000, 1, ARRAY[true, false]), 1, true) AS c FROM generate_series(1, 5000) i) s;
SELECT id % 2 AS half, (dp_report_count(r, 1, 'red')).count BETWEEN 5000 AND 7000 AS near FROM reports GROUP BY 1 ORDER BY 1;
SELECT dp_report_count(r, 1, 'red') FROM reports WHERE false;
SELECT dp_report_count(NULL::idp.report, 1, 'red') FROM reports;

-- bad input
SELECT dp_report('a', 0, ARRAY['a', 'b']);
SELECT dp_report('a', 'NaN', ARRAY['a', 'b']);
SELECT dp_report('a', 1e-19, ARRAY['a', 'b']);
SELECT dp_report('a', NULL, ARRAY['a', 'b']);
SELECT dp_report('a', 1, NULL::text[]);
SELECT dp_report('a', 1, ARRAY['a']);
SELECT dp_report('a', 1, '{}'::text[]);
SELECT dp_report('a', 1, ARRAY['a', 'b', 'a']);
SELECT dp_report('a', 1, ARRAY['a', NULL]);
SELECT dp_report('a', 1, ARRAY[['a', 'b']]);
SELECT dp_report(1, 1, (SELECT array_agg(i) FROM generate_series(1, 1001) i));
SELECT dp_report('a', 1, ARRAY['a', 'b'], dp_report('a', 2, ARRAY['b', 'a']));
SELECT dp_report('a', 1, ARRAY['a', 'b'], ROW('{a,b}', '{2}', '{c}')::idp.report);
SELECT dp_report('a', 1, ARRAY['a', 'b'], ROW('{a,b}', '{2,2}', '{a,b}')::idp.report);
SELECT dp_report('a', 1, ARRAY['a', 'b'], ROW('{a,b}', '{2}', '{a,b}')::idp.report);
SELECT dp_report('a', 1, ARRAY['a', 'b'], ROW('{a,b}', '{-1}', '{a}')::idp.report);
SELECT dp_report('a', 1, ARRAY['a', 'b'], ROW('{a,b}', NULL, '{a}')::idp.report);
SELECT dp_report_count(r, 7, 'red') FROM reports;
SELECT dp_report_count(r, 1, 'pink') FROM reports;
SELECT dp_report_count(r, NULL, 'red') FROM reports;
SELECT dp_report_count(r, 1, NULL) FROM reports;
SELECT dp_report_count(r, id, 'red') FROM reports WHERE id IN (1, 2);
SELECT dp_report_count(r, 1, CASE WHEN id = 7 THEN 'blue' ELSE 'red' END) FROM reports;
SELECT dp_report_count(r, 1, 'a') FROM (VALUES (dp_report('a', 1, ARRAY['a', 'b'])), (dp_report('a', 1, ARRAY['a', 'c']))) v (r);

-- RAPPOR: strings nobody had to list beforehand
CREATE TABLE visits AS SELECT i AS id, 'site ' || floor(sqrt(i % 100)) AS site FROM generate_series(1, 20000) i;
CREATE TABLE blooms AS SELECT id, dp_rappor_report(site, 4, 64, 2) AS r FROM visits;
UPDATE blooms SET r = dp_rappor_report(site, 8, 64, 2, r) FROM visits WHERE visits.id = blooms.id;
SELECT (r).bits, (r).hashes, (r).epsilons, length((r).answers[1]), (r).beta FROM blooms WHERE id = 1;
SELECT e, bool_and(abs(c.count - n) < 8 * c.standard_error) AS near, max(c.standard_error) < 400 AS small
FROM unnest(ARRAY[4, 8]) e, LATERAL (SELECT dp_rappor_count(r, e, (SELECT array_agg(DISTINCT site ORDER BY site) FROM visits)) AS all_of FROM blooms) s,
  LATERAL unnest(all_of) c JOIN (SELECT site, count(*) AS n FROM visits GROUP BY 1) t ON site = candidate GROUP BY e ORDER BY e;
CREATE TABLE sent AS SELECT idp.instant_report(r, 0.75, 0.25) AS r FROM blooms;
SELECT (r).epsilons, (r).beta, (r).gamma FROM sent LIMIT 1;
SELECT bool_and(abs(c.count - n) < 8 * c.standard_error) AS near
FROM (SELECT dp_rappor_count(r, 8, (SELECT array_agg(DISTINCT site ORDER BY site) FROM visits)) AS all_of FROM sent) s,
  LATERAL unnest(all_of) c JOIN (SELECT site, count(*) AS n FROM visits GROUP BY 1) t ON site = candidate;
SELECT idp.rappor_f(2 * ln(3), 1)::numeric(6, 4) AS f, idp.rappor_epsilon(0.5, 1)::numeric(6, 4) AS epsilon,
  idp.instant_epsilon(2 * ln(3), 1, 0.75, 0.25)::numeric(6, 4) AS instant, idp.instant_epsilon(4, 2, 1, 0)::numeric(6, 4) AS permanent;
SELECT dp_rappor_report('a', 1, 1, 1);
SELECT dp_rappor_report('a', 1, 65537, 1);
SELECT dp_rappor_report('a', 1, 8, 0);
SELECT dp_rappor_report('a', 1, 8, 9);
SELECT dp_rappor_report('a', 1, 128, 65);
SELECT dp_rappor_report('a', -1, 8, 2);
SELECT dp_rappor_report('a', 1, NULL, 2);
SELECT length((dp_rappor_report(NULL, 1, 8, 2)).answers[1]);
SELECT dp_rappor_report('a', 2, 8, 2, dp_rappor_report('a', 1, 16, 2));
SELECT dp_rappor_report('a', 2, 8, 2, idp.instant_report(dp_rappor_report('a', 1, 8, 2), 0.9, 0.1));
SELECT dp_rappor_report('a', 2, 8, 2, ROW(8, 2, '{1}', '{0101}', NULL, NULL)::idp.rappor_report);
SELECT idp.instant_report(idp.instant_report(dp_rappor_report('a', 1, 8, 2), 0.9, 0.1), 0.9, 0.1);
SELECT idp.instant_report(dp_rappor_report('a', 1, 8, 2), 0.1, 0.9);
SELECT dp_rappor_count(r, 1, ARRAY['site 1']) FROM blooms;
SELECT dp_rappor_count(r, 4, ARRAY['site 1', 'site 1']) FROM blooms;
SELECT dp_rappor_count(r, 4, '{}') FROM blooms;
SELECT dp_rappor_count(r, 4, ARRAY['a', NULL]) FROM blooms;
SELECT dp_rappor_count(dp_rappor_report('a', 1, 2048, 2), 1, ARRAY(SELECT i::text FROM generate_series(1, 1001) i));
SELECT dp_rappor_count(r, 8, ARRAY['site 1']) FROM (TABLE sent UNION ALL SELECT r FROM blooms) both_kinds;
SELECT idp.rappor_f(0, 1);
SELECT idp.rappor_epsilon(1, 1);
SELECT idp.instant_epsilon(1, 0, 0.75, 0.25);

-- nothing would be charged for reports of a protected table: refused, as is counting them there
SELECT idp.protect('people', 1, rows => 'visible'), idp.protect('reports', 1, rows => 'visible');
SELECT (dp_report(colour, 1, ARRAY['red', 'green'])).answers FROM people LIMIT 1;
SELECT (dp_rappor_report(colour, 1, 8, 2)).answers FROM people LIMIT 1;
CREATE TABLE copied AS SELECT dp_report(colour, 1, ARRAY['red', 'green']) FROM people;
SELECT (SELECT (dp_report('red', 1, ARRAY['red', 'green'])).epsilons) FROM people LIMIT 1;
INSERT INTO reports VALUES (0, dp_report('red', 1, ARRAY['red', 'green', 'blue']));
SELECT (dp_report_count(r, 1, 'red')).count > 0 AS counted FROM reports;
SELECT count(*) AS charges FROM idp.ledger WHERE aggregate ~ 'report';
SELECT idp.unprotect('people'), idp.unprotect('reports');
DROP TABLE people, reports, before, visits, blooms, sent;
DROP TYPE mood;

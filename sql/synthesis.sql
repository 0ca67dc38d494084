\set SHOW_CONTEXT never
-- Synthetic rows: one charge, declared domains, bad ones refused before anything is charged.
CREATE TYPE answer AS ENUM ('yes', 'no');
CREATE TABLE patients (id int, sex text, smokes boolean, ill answer, age int, born date, weight float8);
INSERT INTO patients SELECT i, (ARRAY['f', 'm'])[1 + i % 2], i % 4 = 0, (CASE WHEN i % 4 = 0 AND i % 10 <> 0 OR i % 40 = 7 THEN 'yes' ELSE 'no' END)::answer,
  10 * (i % 5), date '2000-01-01' + i % 3, i FROM generate_series(1, 20000) i;
CREATE VIEW domains AS SELECT '{"sex": ["f", "m"], "smokes": [true, false], "ill": ["yes", "no"], "age": [0, 10, 20, 30, 40], "born": ["2000-01-01", "2000-01-02", "2000-01-03"]}'::json AS d;
SELECT idp.protect('patients', 10, rows => 'visible');
CREATE TABLE synthetic AS
SELECT r.* FROM domains, idp.synthesize('patients', d, 4, 4000) s, LATERAL jsonb_populate_record(NULL::patients, s) r;
SELECT count(*), count(id) AS ids, count(DISTINCT (sex, smokes, ill, age, born)) > 50 AS many FROM synthetic;
-- shares of each column, and what depends on what: who smokes is ill
SELECT abs(avg((sex = 'f')::int) - 0.5) < 0.06 AS sex, abs(avg(smokes::int) - 0.25) < 0.06 AS smokes,
  abs(avg((age = 40)::int) - 0.2) < 0.06 AS age, abs(avg((born = '2000-01-02')::int) - 1 / 3.0) < 0.06 AS born,
  avg((ill = 'yes')::int) FILTER (WHERE smokes) > 0.6 AS ill_smokers, avg((ill = 'yes')::int) FILTER (WHERE NOT smokes) < 0.2 AS others FROM synthetic;
-- once more is another charge; no rows cost as much, a single column too
SELECT count(*) FROM idp.synthesize('patients', '{"sex": ["f", "m"]}', 1, 10);
SELECT count(*) FROM idp.synthesize('patients', '{"sex": ["f", "m"]}', 0.5, 0);
BEGIN;
SELECT count(*) FROM idp.synthesize('patients', '{"age": [0, 10]}', 0.25, 5);
ROLLBACK;
SELECT aggregate, epsilon, release FROM idp.ledger WHERE table_name = 'patients';
SELECT remaining FROM idp.budget WHERE table_name = 'patients';
-- refused, and nothing is charged
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 5, 10);
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 0, 10);
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 'NaN', 10);
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 1, -1);
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 1, 1000000000);
SELECT idp.synthesize('patients', '{"sex": ["f"]}', 1, 10);
SELECT idp.synthesize('patients', '{"sex": []}', 1, 10);
SELECT idp.synthesize('patients', '{"sex": ["f", "m", "f"]}', 1, 10);
SELECT idp.synthesize('patients', '{"age": [1, "01"]}', 1, 10);
SELECT idp.synthesize('patients', '{"age": [1, "old"]}', 1, 10);
SELECT idp.synthesize('patients', '{"ill": ["yes", "perhaps"]}', 1, 10);
SELECT idp.synthesize('patients', '{"sex": ["f", null]}', 1, 10);
SELECT idp.synthesize('patients', '{"sex": "f"}', 1, 10);
SELECT idp.synthesize('patients', '["sex"]', 1, 10);
SELECT idp.synthesize('patients', '{}', 1, 10);
SELECT idp.synthesize('patients', '{"name": ["a", "b"]}', 1, 10);
SELECT idp.synthesize('patients', '{"ctid": ["a", "b"]}', 1, 10);
SELECT idp.synthesize('patients', '{"sex": ["f", "m"], "sex": ["f", "m"]}', 1, 10);
SELECT idp.synthesize('patients', '{"weight": [1, 2]}', 1, 10);
SELECT idp.synthesize('domains', '{"d": ["f", "m"]}', 1, 10);
SELECT idp.synthesize('patients', NULL, 1, 10);
SELECT count(*) AS charges, sum(epsilon) AS spent FROM idp.ledger WHERE table_name = 'patients';
-- rights: of the table or of the columns that are named; policies
CREATE ROLE idp_synthesist;
SET ROLE idp_synthesist;
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 0.1, 10);
RESET ROLE;
GRANT SELECT (sex) ON patients TO idp_synthesist;
SET ROLE idp_synthesist;
SELECT count(*) FROM idp.synthesize('patients', '{"sex": ["f", "m"]}', 0.25, 10);
SELECT idp.synthesize('patients', '{"sex": ["f", "m"], "age": [0, 10]}', 0.1, 10);
RESET ROLE;
ALTER TABLE patients ENABLE ROW LEVEL SECURITY;
SET ROLE idp_synthesist;
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 0.1, 10);
RESET ROLE;
ALTER TABLE patients DISABLE ROW LEVEL SECURITY;
-- hidden rows are not read for a role that may not see them
SET client_min_messages = error;
SELECT idp.protect('patients', 10, rows => 'hidden');
RESET client_min_messages;
SET ROLE idp_synthesist;
SELECT idp.synthesize('patients', '{"sex": ["f", "m"]}', 0.1, 10);
RESET ROLE;
-- partitions count, and are charged
CREATE TABLE parted (k int, v text) PARTITION BY LIST (k);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
INSERT INTO parted SELECT 1 + i % 2, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 4000) i;
SELECT idp.protect('parted_2', 1, rows => 'visible');
SELECT count(*) FILTER (WHERE s = '{"k": "1", "v": "a"}') > 300 AS a, count(*) FILTER (WHERE s = '{"k": "2", "v": "b"}') > 300 AS b
FROM idp.synthesize('parted', '{"k": [1, 2], "v": ["a", "b"]}', 1, 1000) s;
SELECT idp.synthesize('parted', '{"k": [1, 2], "v": ["a", "b"]}', 0.5, 10);
SELECT table_name, epsilon FROM idp.ledger WHERE table_name = 'parted_2';
SELECT idp.unprotect('patients'), idp.unprotect('parted_2');
DROP TABLE patients, synthetic, parted CASCADE;
DROP VIEW domains;
DROP TYPE answer;
DROP ROLE idp_synthesist;

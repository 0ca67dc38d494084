-- GROUP BY of which the planner drops columns: those that WHERE pins (from PostgreSQL 16 on), and those that a key implies.
-- What it may be named does not depend on that. It costs as often as there may be several groups: once where
-- WHERE leaves one at most.
CREATE TABLE people (id int PRIMARY KEY, dept text, old bool, salary int);
INSERT INTO people SELECT i, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'A' ELSE 'b' END, i % 2 = 0, i FROM generate_series(1, 60) i;
SELECT idp.protect('people', 1000, rows => 'visible');

-- groups cost twice, however many columns are left to group by
CREATE FUNCTION cost(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE before numeric := (SELECT spent FROM idp.budget); answer record;
BEGIN
  FOR answer IN EXECUTE query LOOP END LOOP;
  RETURN trim_scale((SELECT spent FROM idp.budget) - before);
END $$;
SELECT query, cost(query) FROM unnest(ARRAY[
  'SELECT dp_count(1) FROM people',
  'SELECT dp_count(1) FROM people WHERE old',
  'SELECT dp_count(1) FROM people GROUP BY ()',
  'SELECT dp_count(1) FROM people GROUP BY dept',
  'SELECT dp_count(1) FROM people WHERE dept = ''a'' GROUP BY dept',
  'SELECT dp_count(1) FROM people WHERE dept = ''a'' AND salary = 3 GROUP BY dept, salary',
  'SELECT dp_count(1) FROM people WHERE dept = ''a'' GROUP BY dept, old',
  'SELECT dp_count(1) FROM people WHERE lower(dept) = ''a'' GROUP BY lower(dept)',
  'SELECT dp_count(1) FROM people GROUP BY ''constant''::text',
  'SELECT dp_count(1) FROM people WHERE dept = ''a'' GROUP BY GROUPING SETS ((dept))',
  'SELECT dp_count(1) FROM people WHERE dept = ''a'' GROUP BY ROLLUP (dept)',
  'SELECT dp_count(1) FROM people WHERE dept = ''a'' GROUP BY GROUPING SETS ((), ())',
  'SELECT dp_count(1, ''by '' || dept) FROM people WHERE dept = ''a'' GROUP BY dept',
  'SELECT idp.relax(''by a'', 2)']) query;
SET enable_hashagg = off;
SELECT cost('SELECT dp_count(1) FROM people WHERE dept = ''a'' GROUP BY dept');
RESET enable_hashagg;

-- names
SELECT idp.unprotect('people');
SELECT dept, dp_count(1e300, 'pinned ' || dept) FROM people WHERE dept = 'a' GROUP BY dept;
SELECT dp_count(1e300, 'not selected ' || dept) FROM people WHERE dept = 'a' GROUP BY dept;
SELECT dp_count(1e300, 'one of two ' || dept || old) FROM people WHERE dept = 'a' GROUP BY dept, old ORDER BY old;
SELECT dp_count(1e300, 'expression ' || lower(dept)) FROM people WHERE lower(dept) = 'a' GROUP BY lower(dept);
SELECT dp_count(1e300, 'rolled up ' || coalesce(dept, 'all')) FROM people WHERE dept = 'a' GROUP BY ROLLUP (dept) ORDER BY dept;
SELECT dp_count(1e300, 'key ' || id || dept) FROM people WHERE id < 4 GROUP BY id, dept ORDER BY id;
SELECT name, grouped FROM idp.chain ORDER BY born;
-- and none
SELECT dp_count(1, 'constant') FROM people WHERE dept = 'a' GROUP BY dept;
SELECT dp_count(1, 'another ' || old) FROM people WHERE dept = 'a' GROUP BY dept;
SELECT dp_count(1, 'raw ' || dept) FROM people WHERE lower(dept) = 'a' GROUP BY lower(dept);
CREATE TABLE named AS SELECT dp_count(1, dept) AS n FROM people WHERE dept = 'a' GROUP BY dept, old;
SELECT count(n) AS answered, count(*) AS groups FROM named;
DROP TABLE named;
SELECT count(idp.drop_release(name)) AS dropped FROM idp.releases;
DROP TABLE people;
DROP FUNCTION cost;

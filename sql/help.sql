-- idp.help lists what users call, and nothing else; a new function says in its comment where it belongs.
SELECT count(*) FROM idp.cost('SELECT 1');  -- loads the library, and then its settings are known
-- what has several forms has a row for each that says something else
SELECT name, description FROM idp.help WHERE name IN ('dp_sum', 'idp.cost', 'idp.set_domain', 'idp.domain') ORDER BY 1, 2;
SELECT * FROM idp.help WHERE name IN ('idp_median', 'idp.protect', 'idp.relax', 'idp.budget', 'idp.epsilon') ORDER BY name;
SELECT kind, count(*) > 4 AS several, count(*) = count(description) AS told, count(*) = count(DISTINCT (name, description)) AS once FROM idp.help GROUP BY kind ORDER BY kind;
SELECT DISTINCT p.proname AS internal
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'idp'
WHERE NOT EXISTS (SELECT FROM idp.help h WHERE h.name IN (p.proname, 'idp.' || p.proname))
  AND p.proname !~ '_(accum|final|refused|in|out|recv|send)$'
ORDER BY 1;
SELECT name AS not_told FROM idp.help WHERE description ~ '^(internal|transition|final|input|output)' ORDER BY 1;

-- An upgraded extension is the one that CREATE EXTENSION makes: the same objects with the same
-- properties, comments, privileges and dependencies. Both are made in a database of their own, so
-- that their numbers (OIDs) are all that differs.
\set original :DBNAME
CREATE DATABASE idp_upgrade TEMPLATE template0;
\c idp_upgrade
SET client_min_messages = warning;

-- One line per fact. An object is named as the server names it, its row of the catalog is taken
-- without the numbers of others.
CREATE FUNCTION facts() RETURNS TABLE (object text, fact text, value text) LANGUAGE sql AS $$
  WITH RECURSIVE
  members AS (
    SELECT d.classid, d.objid FROM pg_depend d
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idp')),
  parts AS (  -- and what goes with them: row types, indexes, rules, constraints
    SELECT classid, objid FROM members
    UNION
    SELECT d.classid, d.objid FROM pg_depend d JOIN parts p ON d.refclassid = p.classid AND d.refobjid = p.objid
    WHERE d.deptype IN ('i', 'a') AND pg_describe_object(d.classid, d.objid, 0) !~ 'pg_toast'),
  named AS (SELECT *, pg_describe_object(classid, objid, 0) AS object FROM parts)

  SELECT object, 'member', (EXISTS (SELECT FROM members m WHERE m.classid = n.classid AND m.objid = n.objid))::text FROM named n
  UNION ALL SELECT object, 'comment ' || c.objsubid, c.description FROM named n
    JOIN pg_description c ON c.classoid = n.classid AND c.objoid = n.objid
  UNION ALL SELECT object, concat('initial privileges ', i.objsubid, i.privtype), i.initprivs::text FROM named n
    JOIN pg_init_privs i ON i.classoid = n.classid AND i.objoid = n.objid
  UNION ALL SELECT object, concat('depends as ', d.deptype, d.objsubid, d.refobjsubid), pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
    FROM named n JOIN pg_depend d ON d.classid = n.classid AND d.objid = n.objid
  UNION ALL SELECT object, key, f.value FROM named n
    JOIN pg_proc p ON n.classid = 'pg_proc'::regclass AND p.oid = n.objid,
    LATERAL jsonb_each_text(to_jsonb(p) - '{oid,pronamespace,prorettype,proargtypes,proargdefaults}'::text[]
      || jsonb_build_object('arguments', pg_get_function_arguments(p.oid), 'result', pg_get_function_result(p.oid))) f
  UNION ALL SELECT object, key, f.value FROM named n
    JOIN pg_aggregate a ON n.classid = 'pg_proc'::regclass AND a.aggfnoid = n.objid,
    LATERAL jsonb_each_text(to_jsonb(a) - '{aggfnoid,aggtranstype}'::text[]
      || jsonb_build_object('state', a.aggtranstype::regtype, 'transition', a.aggtransfn::regprocedure, 'final', a.aggfinalfn::regprocedure)) f
  UNION ALL SELECT object, key, f.value FROM named n
    JOIN pg_type t ON n.classid = 'pg_type'::regclass AND t.oid = n.objid,
    LATERAL jsonb_each_text(to_jsonb(t) - '{oid,typnamespace,typrelid,typelem,typarray}'::text[]
      || jsonb_build_object('element', t.typelem::regtype)) f
  UNION ALL SELECT object, key, f.value FROM named n
    JOIN pg_cast c ON n.classid = 'pg_cast'::regclass AND c.oid = n.objid,
    LATERAL jsonb_each_text(to_jsonb(c) - '{oid,castsource,casttarget,castfunc}'::text[]
      || jsonb_build_object('function', c.castfunc::regprocedure)) f
  UNION ALL SELECT object, key, f.value FROM named n
    JOIN pg_class c ON n.classid = 'pg_class'::regclass AND c.oid = n.objid,
    LATERAL jsonb_build_object('kind', c.relkind, 'privileges', c.relacl, 'options', c.reloptions, 'columns', c.relnatts,
      'index', CASE WHEN c.relkind = 'i' THEN pg_get_indexdef(c.oid) END,
      'view', CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END) j (j),
    LATERAL jsonb_each_text(j) f
  UNION ALL SELECT object, 'column ' || a.attnum || ' ' || key, f.value FROM named n
    JOIN pg_attribute a ON n.classid = 'pg_class'::regclass AND a.attrelid = n.objid AND a.attnum > 0,
    LATERAL jsonb_each_text(to_jsonb(a) - '{attrelid,atttypid,attcacheoff,attoptions}'::text[]
      || jsonb_build_object('type', format_type(a.atttypid, a.atttypmod))) f
  UNION ALL SELECT object, 'constraint', pg_get_constraintdef(n.objid) FROM named n WHERE n.classid = 'pg_constraint'::regclass
  UNION ALL SELECT object, key, f.value FROM named n
    JOIN pg_event_trigger t ON n.classid = 'pg_event_trigger'::regclass AND t.oid = n.objid,
    LATERAL jsonb_each_text(to_jsonb(t) - '{oid,evtfoid}'::text[]
      || jsonb_build_object('function', t.evtfoid::regprocedure)) f
  UNION ALL SELECT object, 'privileges', s.nspacl::text FROM named n
    JOIN pg_namespace s ON n.classid = 'pg_namespace'::regclass AND s.oid = n.objid
  UNION ALL SELECT 'extension', key, f.value FROM pg_extension e,
    LATERAL jsonb_each_text(to_jsonb(e) - '{oid,extnamespace,extconfig}'::text[]
      || jsonb_build_object('configuration tables', e.extconfig::regclass[])) f
    WHERE e.extname = 'idp'
$$;

CREATE EXTENSION idp VERSION '0.1.0';
ALTER EXTENSION idp UPDATE TO '0.2.0';
ALTER EXTENSION idp UPDATE TO '0.3.0';
-- one of more than two hundred functions that a server with that version has
CREATE FUNCTION idp.total_int4div(integer, integer) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4div';
ALTER EXTENSION idp ADD FUNCTION idp.total_int4div(integer, integer);
ALTER EXTENSION idp UPDATE;
CREATE TABLE upgraded AS SELECT * FROM facts();
DROP EXTENSION idp;
CREATE EXTENSION idp;
CREATE TABLE created AS SELECT * FROM facts();

-- how much is compared
SELECT count(*) > 20000 AS "many facts", count(DISTINCT object) > 1000 AS "of many objects" FROM created;

-- what only one of them has
(TABLE upgraded EXCEPT ALL TABLE created) ORDER BY 1, 2, 3;
(TABLE created EXCEPT ALL TABLE upgraded) ORDER BY 1, 2, 3;

\c :original
DROP DATABASE idp_upgrade;

-- idp 0.4.0: tables of persons hold against the attacks on 0.3.0.
\echo Use "ALTER EXTENSION idp UPDATE" to load this file. \quit

-- Operators and functions are those of the server. An exact match in the schema of the extension,
-- where others may create some, would be preferred. What lies in that schema is named with it.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Charges hold the total of whoever asked, so that limits of roles read no more than that.
ALTER TABLE idp.charge
  ADD COLUMN asker text[] COLLATE "C" GENERATED ALWAYS AS (ARRAY[role, outer_role, session_role]) STORED,
  ADD COLUMN asker_spent numeric;
UPDATE idp.charge c SET asker_spent = t.total
FROM (SELECT account, entry, sum(epsilon) OVER (PARTITION BY account, asker ORDER BY entry) AS total FROM idp.charge) t
WHERE t.account = c.account AND t.entry = c.entry;
CREATE INDEX charge_asker ON idp.charge (account, asker, entry);
COMMENT ON COLUMN idp.charge.asker IS 'the three roles together';
COMMENT ON COLUMN idp.charge.asker_spent IS
  'the total that was charged for the same three roles to the account after this charge; null for charges of earlier versions, restored from a dump';

-- Hidden rows: the gate holds beside policies that are OR-ed as well, as Citus makes them on shards.
-- The event trigger, which asks the function, rests meanwhile.
ALTER EVENT TRIGGER idp_keep_rows_hidden DISABLE;
DROP FUNCTION idp.part_locks(regclass);
CREATE FUNCTION idp.part_locks("table" regclass, OUT part regclass, OUT is_foreign boolean, OUT is_enabled boolean,
                               OUT has_lock boolean, OUT has_all_rows boolean, OUT has_others boolean, OUT open_parent regclass,
                               OUT is_weak boolean, OUT is_open boolean, OUT is_distributed boolean)
  RETURNS SETOF record AS 'MODULE_PATHNAME', 'idp_part_locks' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.part_locks(regclass) IS
  'internal: of the table, its partitions and the tables that inherit from it: what row security and which policies they have, a table with visible rows that they are a part of, whether the policies are as weak as Citus or an earlier version makes them, and whether Citus distributes it; as of now, in any snapshot';
CREATE FUNCTION idp.is_preloaded() RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_is_preloaded' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.is_preloaded() IS 'internal: whether shared_preload_libraries loads the library, so that it is there in every session';

CREATE FUNCTION idp.has_rights_of_others("table" regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM pg_class c, LATERAL (
      SELECT r.grantee FROM aclexplode(c.relacl) r
      UNION ALL SELECT r.grantee FROM pg_attribute a, aclexplode(a.attacl) r WHERE a.attrelid = c.oid) r
    WHERE c.oid = $1 AND r.grantee <> c.relowner)
$$;
COMMENT ON FUNCTION idp.has_rights_of_others(regclass) IS 'internal: whether anybody but its owner was granted a right to the table, or to a column of it';

CREATE OR REPLACE FUNCTION idp.is_locked("table" regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
AS $$
  SELECT NOT EXISTS (
    SELECT FROM idp.parts($1) part JOIN pg_class c ON c.oid = part
    WHERE CASE WHEN c.relkind = 'f' THEN NOT idp.is_preloaded() OR idp.has_rights_of_others(c.oid) ELSE
      NOT c.relrowsecurity OR NOT EXISTS (
      SELECT FROM pg_policy p
      WHERE p.polrelid = c.oid AND p.polcmd = '*' AND p.polroles = '{0}'
        AND pg_get_expr(p.polqual, p.polrelid) = 'idp.approved()'
        AND pg_get_expr(p.polwithcheck, p.polrelid) = 'idp.loaded()'
        AND (NOT p.polpermissive OR p.polname = 'idp_hidden' AND NOT EXISTS (  -- as Citus makes it, where it stands alone
          SELECT FROM pg_policy o WHERE o.polrelid = c.oid AND pg_get_expr(o.polqual, o.polrelid) IS DISTINCT FROM 'idp.approved()')))
      OR EXISTS (
        SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'idp_all_rows'
          AND pg_get_expr(p.polqual, p.polrelid) IS DISTINCT FROM 'idp.approved()') END)
$$;
CREATE OR REPLACE FUNCTION idp.hide_rows("table" regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT l.part AS name, l.* FROM idp.part_locks("table") l
  LOOP
    -- It has no row security: the library is its lock, and that nobody has a right to it but through the table.
    IF part.is_foreign THEN
      IF NOT idp.is_preloaded() THEN
        RAISE EXCEPTION 'rows of foreign table "%" cannot be hidden while the library is not preloaded', part.name USING
          ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'Foreign tables have no row security.',
          HINT = 'Add idp to shared_preload_libraries and restart the server, or protect the table with rows => ''visible''.';
      END IF;
      IF idp.has_rights_of_others(part.name) THEN
        RAISE EXCEPTION 'rows of foreign table "%" cannot be hidden while another role than its owner has rights to it', part.name USING
          ERRCODE = 'feature_not_supported', DETAIL = 'Foreign tables have no row security.',
          HINT = 'Revoke them: rights to the table that it is a part of are enough to ask for private answers.';
      END IF;
      CONTINUE;
    END IF;
    IF part.is_distributed AND part.has_others THEN
      RAISE EXCEPTION 'rows of table "%", which Citus distributes, cannot be hidden: it has policies of its owner''s', part.name USING
        ERRCODE = 'feature_not_supported', DETAIL = 'Citus makes policies on shards anew so that those of the owner''s would show rows there.',
        HINT = 'Drop these policies, or undistribute the table; or protect it with rows => ''visible''.';
    END IF;
    IF part.open_parent IS NOT NULL THEN
      RAISE EXCEPTION 'rows of table "%" cannot be hidden while those of "%" are visible', part.name, part.open_parent USING
        ERRCODE = 'feature_not_supported', DETAIL = 'They are rows of that table as well.',
        HINT = 'Protect that table first, or this one with rows => ''visible''.';
    END IF;
    IF part.has_lock THEN
      EXECUTE format('DROP POLICY idp_hidden ON %s', part.name);
    END IF;
    EXECUTE format('CREATE POLICY idp_hidden ON %s AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded())', part.name);
    EXECUTE format('COMMENT ON POLICY idp_hidden ON %s IS %L', part.name,
      'shows rows to private aggregates alone: see idp.protect');
    IF part.has_all_rows OR NOT part.is_enabled THEN
      IF part.has_all_rows THEN
        EXECUTE format('DROP POLICY idp_all_rows ON %s', part.name);
      END IF;
      EXECUTE format('CREATE POLICY idp_all_rows ON %s USING (idp.approved()) WITH CHECK (idp.loaded())', part.name);
      EXECUTE format('COMMENT ON POLICY idp_all_rows ON %s IS %L', part.name,
        'private aggregates are about all rows, as row security was not enabled before idp.protect');
    END IF;
  END LOOP;
  -- last, because that calls the event trigger below
  FOR part IN
    SELECT l.part AS name FROM idp.part_locks("table") l WHERE NOT l.is_enabled AND NOT l.is_foreign
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part.name);
  END LOOP;
  -- How many rows an index has stands in pg_class, for everybody.
  FOR part IN
    SELECT indexrelid::regclass AS name, indrelid::regclass AS hidden FROM pg_index
    WHERE indrelid IN (SELECT idp.parts("table")) AND indpred IS NOT NULL
  LOOP
    RAISE WARNING 'partial index "%" tells how many rows of table "%" fulfil its condition', part.name, part.hidden USING
      DETAIL = 'Columns reltuples and relpages of pg_class, and pg_relation_size, show everybody the size of an index.',
      HINT = 'Make it an index of all rows.';
  END LOOP;
  -- Hidden tables are not updated, nor is inserted into one with a unique index, such as one that refers to itself.
  FOR part IN
    SELECT conname AS name, conrelid::regclass AS referencing, confrelid::regclass AS referenced,
           CASE WHEN confrelid IN (SELECT idp.parts("table")) THEN confrelid ELSE conrelid END::regclass AS hidden,
           idp.hides_rows(conrelid) AND idp.hides_rows(confrelid) AS are_hidden,
           EXISTS (SELECT FROM pg_index i WHERE i.indrelid IN (SELECT idp.parts(conrelid)) AND (i.indisunique OR i.indisexclusion)) AS has_key
    FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0 AND conrelid <> confrelid
      AND (conrelid IN (SELECT idp.parts("table")) OR confrelid IN (SELECT idp.parts("table")))
  LOOP
    CONTINUE WHEN part.are_hidden AND part.has_key;
    IF part.are_hidden THEN
      RAISE WARNING 'foreign key "%" of table "%" tells of rows of table "%"', part.name, part.referencing, part.referenced USING
        DETAIL = format('INSERT into "%s" fails or not by what rows "%s" has.', part.referencing, part.referenced),
        HINT = 'Grant INSERT to nobody from whom the rows are hidden.';
      CONTINUE;
    END IF;
    RAISE WARNING 'foreign key "%" of table "%" tells of rows of table "%"', part.name, part.referencing, part.hidden USING
      DETAIL = format('INSERT and UPDATE of "%s", and UPDATE and DELETE of "%s", fail or not by what rows the other has.',
        part.referencing, part.referenced),
      HINT = 'Grant these to nobody from whom the rows are hidden.';
  END LOOP;
  -- ALTER DOMAIN looks at all rows, past any policy, and asks functions of the domain's owner.
  FOR part IN
    WITH RECURSIVE type (part, "column", domain) AS (
      SELECT attrelid, attname, atttypid FROM pg_attribute
      WHERE attrelid IN (SELECT idp.parts("table")) AND attnum > 0 AND NOT attisdropped
      UNION ALL SELECT t.part, t."column", d.typbasetype FROM type t JOIN pg_type d ON d.oid = t.domain WHERE d.typtype = 'd')
    SELECT DISTINCT t.part::regclass AS name, t."column", d.oid::regtype AS domain, o.rolname AS owner, c.relowner::regrole AS owner_of_table
    FROM type t JOIN pg_type d ON d.oid = t.domain JOIN pg_roles o ON o.oid = d.typowner JOIN pg_class c ON c.oid = t.part
    WHERE d.typtype = 'd' AND NOT o.rolbypassrls AND NOT pg_has_role(o.oid, c.relowner, 'USAGE')
  LOOP
    RAISE WARNING 'role "%" can read column "%" of table "%" by its domain "%"', part.owner, part."column", part.name, part.domain USING
      DETAIL = 'Who owns a domain can add a constraint, which is checked against all rows.',
      HINT = format('ALTER DOMAIN %s OWNER TO %s', part.domain, part.owner_of_table);
  END LOOP;
END
$$;
CREATE OR REPLACE FUNCTION idp.keep_rows_hidden() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  part record;
  former_owner text;  -- of a dropped table of that name, who is another than the present one
BEGIN
  -- Policies that a dump of 0.3.0 brings, and Citus by copying those of a table.
  FOR part IN
    SELECT l.part AS name, l.is_open, l.is_weak AND l.has_others AS shows_rows
    FROM pg_event_trigger_ddl_commands() d JOIN pg_policy p ON p.oid = d.objid, idp.part_locks(p.polrelid) l
    WHERE d.classid = 'pg_policy'::regclass AND l.part = p.polrelid AND (l.is_open OR l.is_weak)
  LOOP
    IF part.is_open THEN
      EXECUTE format('ALTER POLICY idp_all_rows ON %s USING (idp.approved()) WITH CHECK (idp.loaded())', part.name);
    END IF;
    IF part.shows_rows THEN
      RAISE EXCEPTION 'policies of table "%" would show rows that are hidden', part.name USING
        ERRCODE = 'feature_not_supported', DETAIL = 'Citus makes restrictive policies permissive on shards and where it copies a table.',
        HINT = 'Drop policies of the owner''s before the table is distributed, and make none then; or protect it with rows => ''visible''.';
    END IF;
  END LOOP;
  -- Rights to a foreign table, which has no policies.
  IF tg_tag IN ('GRANT', 'CREATE SCHEMA') THEN  -- CREATE SCHEMA … GRANT …
    FOR part IN
      SELECT c.oid::regclass AS name FROM pg_class c
      WHERE c.relkind = 'f' AND EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid) AND idp.has_rights_of_others(c.oid) AND idp.hides_rows(c.oid)
    LOOP
      PERFORM idp.hide_rows(part.name);
    END LOOP;
  END IF;
  FOR part IN
    SELECT DISTINCT l.part AS name, l.open_parent IS NOT NULL AS is_open
    FROM pg_event_trigger_ddl_commands() d
      JOIN pg_class c ON CASE d.classid WHEN 'pg_class'::regclass THEN c.oid = d.objid
                                        WHEN 'pg_namespace'::regclass THEN c.relnamespace = d.objid END,
      idp.part_locks(c.oid) l
    WHERE c.relkind IN ('r', 'p', 'f') AND c.relpersistence <> 't' AND idp.joins_tables(d.command)
      AND (c.relkind <> 'f' OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid))
      AND idp.hides_rows(l.part) AND (NOT l.has_lock OR (l.is_weak AND NOT l.is_distributed) OR l.is_open OR l.open_parent IS NOT NULL)
  LOOP
    SELECT min(w.owner) INTO former_owner
    FROM idp.account a, LATERAL
         (SELECT a.relation::oid, a.name, a.owner
          UNION ALL SELECT relation::oid, name, owner FROM idp.link WHERE account = a.id) w (relation, name, owner)
    WHERE a.active AND a.hidden AND part.name = idp.account_table(a.id, w.relation, w.name, w.owner, true)
      AND part.name IS DISTINCT FROM idp.account_table(a.id, w.relation, w.name, w.owner, false);
    IF former_owner IS NOT NULL AND part.is_open THEN
      RAISE EXCEPTION 'rows of table "%" are hidden by the account of a table of that name that role "%" dropped', part.name, former_owner USING
        ERRCODE = 'feature_not_supported', DETAIL = 'So it cannot be a part of a table with visible rows.',
        HINT = format('Create the table apart, end that account with idp.unprotect(%L), and attach it.', part.name);
    END IF;
    PERFORM idp.hide_rows(part.name);
    IF former_owner IS NOT NULL THEN
      RAISE NOTICE 'rows of table "%" are hidden by the account of a table of that name that role "%" dropped', part.name, former_owner USING
        HINT = format('SELECT idp.unprotect(%L) ends that for your table.', part.name);
    END IF;
  END LOOP;
END
$$;
ALTER EVENT TRIGGER idp_keep_rows_hidden ENABLE ALWAYS;

-- What was always true in tables that 0.3.0 hid, shards among them, asks the gate. Each server of a
-- cluster updates its own.
DO $$
DECLARE
  part regclass;
BEGIN
  IF current_setting('citus.enable_ddl_propagation', true) IS NOT NULL THEN
    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  END IF;
  FOR part IN
    SELECT polrelid FROM pg_policy
    WHERE polname = 'idp_all_rows' AND pg_get_expr(polqual, polrelid) IS DISTINCT FROM 'idp.approved()'
  LOOP
    EXECUTE format('ALTER POLICY idp_all_rows ON %s USING (idp.approved()) WITH CHECK (idp.loaded())', part);
  END LOOP;
END
$$;

-- Functions of extensions that tell of rows are revoked as well.
DROP FUNCTION idp.close_side_channels();
CREATE FUNCTION idp.close_side_channels(keep text[] DEFAULT '{}') RETURNS SETOF regprocedure
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  open regprocedure;
  missing text;
  -- Of these, all of the server's contrib but this and plpgsql, every function was tried. None tells of rows; those that
  -- run queries have them refused.
  silent CONSTANT text[] := ARRAY['idp', 'plpgsql', 'adminpack', 'autoinc', 'bloom', 'btree_gin', 'btree_gist', 'citext', 'cube', 'dblink',
    'dict_int', 'dict_xsyn', 'earthdistance', 'file_fdw', 'fuzzystrmatch', 'hstore', 'insert_username', 'intagg', 'intarray', 'isn',
    'lo', 'ltree', 'moddatetime', 'pg_trgm', 'pgcrypto', 'postgres_fdw', 'refint', 'seg', 'sslinfo', 'tablefunc', 'tcn',
    'tsm_system_rows', 'tsm_system_time', 'unaccent', 'uuid-ossp', 'xml2'];
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'must be superuser to revoke functions of the server' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT name INTO missing FROM unnest(keep) name WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = name);
  IF FOUND THEN
    RAISE EXCEPTION 'extension "%" does not exist', missing USING ERRCODE = 'undefined_object';
  END IF;
  FOR open IN
    SELECT p.oid
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
      LEFT JOIN (pg_depend d JOIN pg_extension e ON e.oid = d.refobjid)
        ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
    WHERE has_function_privilege('public', p.oid, 'EXECUTE')
      AND CASE
        WHEN e.extname IS NULL THEN p.pronamespace = 'pg_catalog'::regnamespace
          AND (p.proname LIKE 'pg\_stat\_get\_%' AND p.proname NOT IN ('pg_stat_get_activity', 'pg_stat_get_progress_info')
               -- a place in the log, which every page that is pruned moves
               OR p.provolatile <> 'i' AND 'pg_lsn'::regtype = ANY (p.prorettype || coalesce(p.proallargtypes, p.proargtypes::oid[]))
               OR p.proname LIKE 'pg\_%wal\_summar%'
               OR p.proname IN ('pg_tablespace_size', 'pg_database_size', 'pg_lock_status', 'pg_get_multixact_members', 'currtid2'))
        -- It calls most of its functions itself, in sessions of all roles.
        WHEN e.extname = 'citus' THEN p.proname LIKE 'run\_command\_on\_%' OR p.proname LIKE 'citus\_stat\_%' AND p.proname <> 'citus_stat_activity'
          OR p.proname IN ('master_run_on_worker', 'citus_run_local_command', 'citus_query_stats', 'citus_locks', 'citus_local_disk_space_stats')
        -- What reads past the executor can neither be immutable nor be written in SQL; what queries call gets no value of type internal.
        ELSE e.extname <> ALL (silent) AND e.extname <> ALL (keep)
          AND (p.prosecdef OR p.provolatile <> 'i' AND l.lanname NOT IN ('sql', 'plpgsql'))
          AND 'internal'::regtype <> ALL (p.proargtypes) AND p.prorettype::regtype <> ALL (ARRAY['internal', 'trigger', 'event_trigger',
            'language_handler', 'index_am_handler', 'table_am_handler', 'tsm_handler', 'fdw_handler']::regtype[])
        END
    ORDER BY p.proname, p.oid
  LOOP
    EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', open);
    RETURN NEXT open;
  END LOOP;
END
$$;
COMMENT ON FUNCTION idp.close_side_channels(text[]) IS
  'revokes from PUBLIC the functions of the server and of extensions, but those that are kept, that tell of rows which were read or locked, and returns them; for superusers, in each database';

-- A table or function that is dropped leaves locks where it had rows, and nowhere else.
COMMENT ON FUNCTION idp.forget_table(oid, text, text) IS
  'internal: lets the account of a table that was dropped wait for a table of its name, which it tells as it is stored; null if no release or domain is of the table';
CREATE OR REPLACE FUNCTION idp.forget_dropped_tables() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  d record;
  stored_name text;
BEGIN
  FOR d IN
    SELECT objid, schema_name, object_name FROM pg_event_trigger_dropped_objects()
    WHERE classid = 'pg_class'::regclass AND objsubid = 0
  LOOP
    stored_name := idp.forget_table(d.objid, d.schema_name, d.object_name);
    CONTINUE WHEN stored_name IS NULL;  -- a lock would stay until the transaction ends
    UPDATE idp.chain c SET relation = NULL, table_name = stored_name WHERE c.relation::oid = d.objid;
    DELETE FROM idp.domain c WHERE c.relation::oid = d.objid;
  END LOOP;
END
$$;
-- Functions have other numbers after pg_upgrade.
DELETE FROM idp.trusted_function t WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.oid = t.function);
ALTER TABLE idp.trusted_function ALTER COLUMN function TYPE text COLLATE "C"
  USING (pg_catalog.pg_identify_object('pg_catalog.pg_proc'::pg_catalog.regclass, function, 0)).identity;
CREATE OR REPLACE FUNCTION idp.trust_function(function regprocedure) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'must be superuser to trust functions with hidden rows' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT (SELECT prokind = 'f' AND NOT proretset AND provolatile = 'i' FROM pg_proc WHERE oid = function) THEN
    RAISE EXCEPTION 'function % cannot be trusted with hidden rows', function USING
      ERRCODE = 'invalid_function_definition', DETAIL = 'It is not an IMMUTABLE function that returns one value.',
      HINT = 'Its value must depend on its arguments alone: then declare it IMMUTABLE.';
  END IF;
  IF function::oid < 16384 THEN  -- FirstNormalObjectId
    RAISE EXCEPTION 'function % cannot be trusted with hidden rows', function USING
      ERRCODE = 'invalid_function_definition', DETAIL = 'It is one of the server''s own.',
      HINT = 'Trust a function of yours that calls it and never fails.';
  END IF;
  IF NOT (SELECT rolsuper FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner WHERE p.oid = function) THEN
    RAISE EXCEPTION 'function % cannot be trusted with hidden rows', function USING
      ERRCODE = 'insufficient_privilege', DETAIL = 'Its owner, who can replace it, is no superuser.',
      HINT = format('ALTER FUNCTION %s OWNER TO CURRENT_USER', function);
  END IF;
  -- What else a session reads it keeps, since the first row that came to the function: it may be a hidden one.
  IF NOT (SELECT prosqlbody IS NOT NULL OR lanname IN ('c', 'internal')
          FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.oid = function) THEN
    RAISE EXCEPTION 'function % cannot be trusted with hidden rows', function USING
      ERRCODE = 'invalid_function_definition',
      DETAIL = 'Its body is a text that each session reads when the first row comes, by the settings of that moment.',
      HINT = 'Write it in LANGUAGE sql with a body that is read once, BEGIN ATOMIC ... END, or in C.';
  END IF;
  IF NOT idp.has_own_names(function) THEN
    RAISE EXCEPTION 'function % cannot be trusted with hidden rows', function USING
      ERRCODE = 'invalid_function_definition', DETAIL = 'What its names stand for follows from the search path of whoever calls it.',
      HINT = format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', function);
  END IF;
  INSERT INTO idp.trusted_function VALUES ((pg_identify_object('pg_proc'::regclass, function, 0)).identity)
    ON CONFLICT DO NOTHING;
END
$$;
CREATE OR REPLACE FUNCTION idp.distrust_function(function regprocedure) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'must be superuser to distrust functions with hidden rows' USING ERRCODE = 'insufficient_privilege';
  END IF;
  DELETE FROM idp.trusted_function t WHERE t.function = (pg_identify_object('pg_proc'::regclass, $1, 0)).identity;
END
$$;
CREATE FUNCTION idp.is_there(function text) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_is_there' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.is_there(text) IS 'internal: whether a function has that name and arguments of those types';
CREATE FUNCTION idp.trusted_are_there() RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_trusted_are_there' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.trusted_are_there() IS 'internal: whether all functions of idp.trust_function are there';
CREATE OR REPLACE FUNCTION idp.forget_dropped_functions() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT idp.trusted_are_there() THEN  -- a lock would stay until the transaction ends
    DELETE FROM idp.trusted_function t WHERE NOT idp.is_there(t.function);
  END IF;
END
$$;
CREATE EVENT TRIGGER idp_forget_renamed_functions ON ddl_command_end
  EXECUTE FUNCTION idp.forget_dropped_functions();
ALTER EVENT TRIGGER idp_forget_renamed_functions ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_forget_renamed_functions IS 'takes back idp.trust_function of functions that get another name';

-- Rules that change: what was spent is carried over, or forgotten, and the ledger says so.
ALTER TABLE idp.account ADD COLUMN widened bigint;
ALTER TABLE idp.account ADD COLUMN repeats interval;
COMMENT ON COLUMN idp.account.repeats IS 'for how long a question that is asked again has the same answer, free; null: never';
COMMENT ON COLUMN idp.account.widened IS
  'the last entry of the ledger before neighbours were changed from add_remove to substitute; null: they never were';

-- A column by its number, which it keeps whatever it is called. A dump has its name: in another database
-- the numbers of dropped columns are given anew.
CREATE TYPE idp.column_reference;
CREATE FUNCTION idp.column_reference_in(cstring) RETURNS idp.column_reference
  AS 'MODULE_PATHNAME', 'idp_column_reference_in' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.column_reference_out(idp.column_reference) RETURNS cstring
  AS 'MODULE_PATHNAME', 'idp_column_reference_out' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE TYPE idp.column_reference (
  INPUT = idp.column_reference_in,
  OUTPUT = idp.column_reference_out,
  LIKE = pg_catalog.int8
);
COMMENT ON TYPE idp.column_reference IS 'a column by the number of its table and its own; - if it does not exist';
COMMENT ON FUNCTION idp.column_reference_in(cstring) IS 'input function of type idp.column_reference';
COMMENT ON FUNCTION idp.column_reference_out(idp.column_reference) IS 'output function of type idp.column_reference';
ALTER TABLE idp.account ADD COLUMN unit_column idp.column_reference;
COMMENT ON COLUMN idp.account.unit_column IS 'the same by its number: another column that gets the name tells nothing; null if there is none, or the table was dropped';
ALTER TABLE idp.account ADD COLUMN epsilon double precision, ADD COLUMN max_epsilon double precision;
COMMENT ON COLUMN idp.account.epsilon IS 'the epsilon of plain aggregates where nobody set idp.epsilon; null: the default of that';
COMMENT ON COLUMN idp.account.max_epsilon IS 'the largest epsilon of one answer; null: any';
CREATE FUNCTION idp.limit_left(account integer) RETURNS numeric
  AS 'MODULE_PATHNAME', 'idp_limit_left' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.limit_left(integer) IS 'internal: how much of an account the limits of the role that asks leave to it; null: none binds it; for view idp.protection';
CREATE FUNCTION idp.limit_spent(account integer, role text) RETURNS numeric
  AS 'MODULE_PATHNAME', 'idp_limit_spent' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.limit_spent(integer, text) IS 'internal: what a role with a limit and its members were charged to an account in the present period; null for others than the owner and these; for view idp.limits';
CREATE FUNCTION idp.cost(query text, as_others boolean, OUT relation regclass, OUT epsilon numeric, OUT delta numeric, OUT reserved numeric)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'idp_cost' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.cost(text, boolean) IS
  'the same; as_others: to a role from which the rows are hidden, whatever the role that calls it may see';
-- Views of users that are made of idp.budget go on: they read idp.protection then.
ALTER VIEW idp.budget RENAME TO protection;
COMMENT ON TABLE idp.account IS 'protected tables and their privacy budgets; see view idp.protection';
CREATE OR REPLACE VIEW idp.protection WITH (security_barrier) AS
  SELECT CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         a.active, a.neighbours, a.min_epsilon,
         a.floor, a.budget AS total, s.spent, least(greatest(a.budget - s.spent, 0), idp.limit_left(a.id)) AS remaining,
         CASE WHEN t.oid = a.relation::oid THEN NULL ELSE a.owner END AS former_owner,
         CASE WHEN a.hidden AND idp.is_locked(t.oid) AND l.locked THEN 'hidden' ELSE 'visible' END AS rows,
         a.per, a.renewal AS renew, p.ends AS renews_at,
         CASE WHEN w.relation::oid IN (SELECT pg_class.oid FROM pg_class) THEN w.relation::oid::regclass::text ELSE w.name END AS partition_of,
         a.unit, l.names AS linked_tables,
         coalesce(a.delta, 0) AS delta, s.delta_spent, a.epsilon, a.max_epsilon,
         CASE WHEN a.repeats IS NULL THEN 'never' WHEN a.repeats >= '10000 years' THEN 'forever' ELSE a.repeats::text END AS repeat
  FROM idp.account a
       CROSS JOIN LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, true) t (oid)
       LEFT JOIN idp.account w ON w.id = a.part_of
       LEFT JOIN LATERAL
       (SELECT spent, delta_spent, at FROM idp.charge WHERE account = a.id ORDER BY entry DESC LIMIT 1) c ON true
       CROSS JOIN LATERAL
       (SELECT idp.period_bound(a.renewal, c.at, false) AS starts, idp.period_bound(a.renewal, c.at, true) AS ends) p
       CROSS JOIN LATERAL
       (SELECT coalesce(c.spent, 0) - coalesce((SELECT spent FROM idp.charge WHERE account = a.id AND at < p.starts
                                                ORDER BY entry DESC LIMIT 1), 0) AS spent,
               coalesce(c.delta_spent, 0) - coalesce((SELECT delta_spent FROM idp.charge WHERE account = a.id AND at < p.starts
                                                      ORDER BY entry DESC LIMIT 1), 0) AS delta_spent) s
       CROSS JOIN LATERAL
       (SELECT array_agg(coalesce(nullif(relation::oid, 0)::regclass::text, name) ORDER BY name) AS names,
               coalesce(bool_and(idp.is_locked(relation::oid)), true) AS locked,
               coalesce(bool_or(idp.is_readable(relation::oid, '', '')), false) AS readable
        FROM idp.link WHERE account = a.id) l
  WHERE idp.is_readable(t.oid, '', '') OR l.readable
     OR idp.is_readable((SELECT relid FROM pg_partition_ancestors(t.oid) relid WHERE relid = w.relation::oid), '', '');
COMMENT ON VIEW idp.protection IS 'the protected tables one may read: the rules of each, and what was spent; also of those that are protected no longer';
COMMENT ON COLUMN idp.protection.table_name IS 'the table, or the name of one that was dropped';
COMMENT ON COLUMN idp.protection.active IS 'false: it is protected no longer; what was spent stays';
COMMENT ON COLUMN idp.protection.neighbours IS 'substitute: the values of a row are protected; add_remove: whether the row is there';
COMMENT ON COLUMN idp.protection.min_epsilon IS 'the least epsilon of one answer; null: any';
COMMENT ON COLUMN idp.protection.floor IS 'the least sensitivity of answers of idp_ aggregates; null: none';
COMMENT ON COLUMN idp.protection.total IS 'the budget';
COMMENT ON COLUMN idp.protection.spent IS 'what was charged, in the present period if the budget is renewed';
COMMENT ON COLUMN idp.protection.remaining IS 'what further answers to this role may cost, by the budget and the limits of roles; at least 0';
COMMENT ON COLUMN idp.protection.former_owner IS 'whose table left the account when it was dropped; null: it is the account of this table';
COMMENT ON COLUMN idp.protection.rows IS 'hidden from all but the owner, or visible';
COMMENT ON COLUMN idp.protection.per IS 'whether the table has one budget, or each partition';
COMMENT ON COLUMN idp.protection.renew IS 'how long a period is; null: the budget is not renewed';
COMMENT ON COLUMN idp.protection.renews_at IS 'when the next period begins';
COMMENT ON COLUMN idp.protection.partition_of IS 'the table that gives each of its partitions a budget; null: this is none of them';
COMMENT ON COLUMN idp.protection.unit IS 'the column that is the key of a person; null: a row is protected';
COMMENT ON COLUMN idp.protection.linked_tables IS 'the tables whose rows belong to these persons';
COMMENT ON COLUMN idp.protection.delta IS 'how much delta may be spent; 0: none';
COMMENT ON COLUMN idp.protection.delta_spent IS 'how much was, in the present period';
COMMENT ON COLUMN idp.protection.epsilon IS 'what a plain number costs where nobody said; null: the default';
COMMENT ON COLUMN idp.protection.max_epsilon IS 'the largest epsilon of one answer; null: any';
COMMENT ON COLUMN idp.protection.repeat IS 'for how long the same question has the same answer';

-- What is looked at every day.
CREATE VIEW idp.budget WITH (security_barrier) AS
  SELECT table_name, unit, total, spent, remaining, CASE WHEN delta > 0 THEN greatest(delta - delta_spent, 0) END AS delta_left, renews_at
  FROM idp.protection WHERE active;
COMMENT ON VIEW idp.budget IS 'the privacy budgets of protected tables one may read; view idp.protection has their rules';
COMMENT ON COLUMN idp.budget.table_name IS 'the table';
COMMENT ON COLUMN idp.budget.unit IS 'the column that is the key of a person; null: a row is protected';
COMMENT ON COLUMN idp.budget.total IS 'the budget: how much epsilon all answers may cost together';
COMMENT ON COLUMN idp.budget.spent IS 'what was charged, in the present period if the budget is renewed';
COMMENT ON COLUMN idp.budget.remaining IS 'what further answers to this role may cost, by the budget and the limits of roles; at least 0';
COMMENT ON COLUMN idp.budget.delta_left IS 'how much delta may still be spent; null: the table has none';
COMMENT ON COLUMN idp.budget.renews_at IS 'when the next period begins; null: the budget is not renewed';
GRANT SELECT ON idp.budget TO PUBLIC;
ALTER TABLE idp.charge ADD COLUMN carried_from integer;
COMMENT ON COLUMN idp.charge.carried_from IS
  'the account whose past it is, charged at what that means under another rule, or forgotten; null for answers';
COMMENT ON TABLE idp.link IS 'tables whose rows belong to the units of an account; see idp.link(regclass, text, regclass, boolean, integer)';
ALTER TABLE idp.link ADD COLUMN max_rows integer;
COMMENT ON COLUMN idp.link.max_rows IS 'how many rows of one unit plain aggregates read at most; null: nobody said, and they are refused where that matters';
ALTER TABLE idp.link ADD COLUMN from_column idp.column_reference, ADD COLUMN to_column idp.column_reference;
COMMENT ON COLUMN idp.link."column" IS 'the column that refers to the parent, by its name';
COMMENT ON COLUMN idp.link.from_column IS 'that column by its number: another one that gets the name is none of the link; null once the table is dropped';
COMMENT ON COLUMN idp.link.to_column IS 'the column of the parent that it refers to; null once that is dropped';
COMMENT ON COLUMN idp.ledger.role IS 'the role that asked: the current one';
COMMENT ON COLUMN idp.ledger.at IS 'when it was charged';
COMMENT ON COLUMN idp.ledger.table_name IS 'the table whose budget paid, or the name of one that was dropped';
COMMENT ON COLUMN idp.ledger.aggregate IS 'the private aggregate';
COMMENT ON COLUMN idp.ledger.epsilon IS 'what was charged, groups and grouping sets included';
COMMENT ON COLUMN idp.ledger.release IS 'the name of the release; null if it has none, or you may not see it';
COMMENT ON COLUMN idp.ledger.delta IS 'what was charged beside epsilon';
COMMENT ON COLUMN idp.ledger.session_role IS 'the role that logged in; null for charges of 0.2.0';
COMMENT ON COLUMN idp.releases.name IS 'the name';
COMMENT ON COLUMN idp.releases.table_name IS 'the table that was read; null: none, or several';
COMMENT ON COLUMN idp.releases.aggregate IS 'the aggregate';
COMMENT ON COLUMN idp.releases.column_name IS 'the column that it reads';
COMMENT ON COLUMN idp.releases.epsilon IS 'the largest epsilon so far';
COMMENT ON COLUMN idp.releases.answer IS 'the answer at that epsilon, as text';
COMMENT ON COLUMN idp.releases.first_answer IS 'when it was first answered';
COMMENT ON COLUMN idp.releases.last_answer IS 'when it was last refined';
COMMENT ON COLUMN idp.releases.role IS 'the role that began it';

-- What idp.link and idp.limit_role were told.
CREATE VIEW idp.links WITH (security_barrier) AS
  SELECT c.oid::regclass::text AS table_name, l."column" AS column_name, p.oid::regclass::text AS parent, l.max_rows
  FROM idp.link l JOIN pg_catalog.pg_class c ON c.oid = l.relation::oid LEFT JOIN pg_catalog.pg_class p ON p.oid = l.parent::oid
  WHERE idp.is_readable(c.oid, '', '');
COMMENT ON VIEW idp.links IS 'whose rows the rows of tables are that one may read';
COMMENT ON COLUMN idp.links.table_name IS 'the linked table';
COMMENT ON COLUMN idp.links.column_name IS 'its column that refers to the parent';
COMMENT ON COLUMN idp.links.parent IS 'the table of the persons, or one that is linked to it';
COMMENT ON COLUMN idp.links.max_rows IS 'how many rows of one person plain aggregates count at most; null: nobody said';

CREATE VIEW idp.limits WITH (security_barrier) AS
  SELECT c.oid::regclass::text AS table_name, l.role, l.budget AS total, s.spent, greatest(l.budget - s.spent, 0) AS remaining
  FROM idp.role_limit l JOIN idp.account a ON a.id = l.account JOIN pg_catalog.pg_class c ON c.oid = a.relation::oid
       CROSS JOIN LATERAL (SELECT idp.limit_spent(l.account, l.role)) s (spent)
  WHERE a.active AND s.spent IS NOT NULL;
COMMENT ON VIEW idp.limits IS 'how much of a budget roles may spend: on one''s own tables, and one''s own limits';
COMMENT ON COLUMN idp.limits.table_name IS 'the table with the budget';
COMMENT ON COLUMN idp.limits.role IS 'the role that the limit is for, and its members together';
COMMENT ON COLUMN idp.limits.total IS 'how much epsilon they may spend';
COMMENT ON COLUMN idp.limits.spent IS 'what they were charged, in the present period if the budget is renewed';
COMMENT ON COLUMN idp.limits.remaining IS 'what their further answers may cost by this limit; at least 0';
GRANT SELECT ON idp.links, idp.limits TO PUBLIC;
DROP FUNCTION idp.protect(regclass, numeric, text, double precision, double precision, text, text, text, text, numeric);
CREATE FUNCTION idp.protect("table" regclass, budget numeric, neighbours text DEFAULT NULL,
                            min_epsilon double precision DEFAULT NULL, floor double precision DEFAULT NULL,
                            rows text DEFAULT NULL, per text DEFAULT NULL, renew text DEFAULT NULL,
                            unit text DEFAULT NULL, delta numeric DEFAULT NULL, forget boolean DEFAULT false,
                            repeat text DEFAULT NULL, epsilon double precision DEFAULT NULL,
                            max_epsilon double precision DEFAULT NULL)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_protect' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.protect(regclass, numeric, text, double precision, double precision, text, text, text, text, numeric, boolean, text, double precision, double precision) IS
  'charges private answers about a table to a budget from now on, and hides its rows unless told otherwise, or changes its budget and those of its rules that are given, and what was spent to what it means under these, unless told to forget it; for its owner';
DROP FUNCTION idp.link(regclass, text, regclass);
CREATE FUNCTION idp.link("table" regclass, "column" text, parent regclass, forget boolean DEFAULT false,
                         max_rows integer DEFAULT NULL)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_link' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.link(regclass, text, regclass, boolean, integer) IS
  'lets rows of a table belong to the unit of the row that a column refers to by a foreign key: one account for both tables; refused where something was spent about these rows, unless told to forget it; plain aggregates read at most max_rows of one unit; for the owner of both';
CREATE FUNCTION idp.take_account("table" regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_take_account' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.take_account(regclass) IS
  'internal: lets a table take the account of a dropped one of its name and owner, if nothing was asked about its rows before; charges it with the past of what waits for a name that it has no more';
REVOKE EXECUTE ON FUNCTION idp.take_account(regclass) FROM PUBLIC;
CREATE OR REPLACE FUNCTION idp.share_with_partitions() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  d record;
BEGIN
  FOR d IN
    SELECT DISTINCT c.objid, c.command_tag FROM pg_event_trigger_ddl_commands() c JOIN pg_class r ON r.oid = c.objid
    WHERE c.classid = 'pg_class'::regclass AND r.relkind IN ('r', 'p') AND idp.joins_tables(c.command)
  LOOP
    PERFORM idp.add_shares(d.objid, d.command_tag <> 'CREATE TABLE');
  END LOOP;
  FOR d IN
    SELECT DISTINCT r.oid FROM pg_event_trigger_ddl_commands() c
      JOIN pg_class r ON CASE c.classid WHEN 'pg_class'::regclass THEN r.oid = c.objid
                                        WHEN 'pg_namespace'::regclass THEN r.relnamespace = c.objid END
    WHERE r.relkind IN ('r', 'p', 'f') AND r.relpersistence <> 't' AND idp.joins_tables(c.command)
  LOOP
    PERFORM idp.take_account(d.oid);
  END LOOP;
END
$$;
COMMENT ON FUNCTION idp.share_with_partitions() IS 'internal: gives a budget to each new partition, where that of a table is for each of its partitions, and to a table the account that waits for its name';
-- Tables that were charged to such an account by their name alone have it from now on.
SELECT idp.take_account(t.oid)
FROM idp.account a, LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, false) t (oid)
WHERE t.oid IS DISTINCT FROM a.relation::oid;
COMMENT ON EVENT TRIGGER idp_share_with_partitions IS
  'gives a budget to each new partition, where that of a table is for each of its partitions, and to a table the account that waits for its name';
CREATE FUNCTION idp.bind_columns() RETURNS void
  AS 'MODULE_PATHNAME', 'idp_bind_columns' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.bind_columns() IS
  'internal: gives the columns of units and links their numbers, where a dump of an earlier version has brought names alone';
REVOKE EXECUTE ON FUNCTION idp.bind_columns() FROM PUBLIC;
SELECT idp.bind_columns();

-- After that by its name. It is not SECURITY DEFINER, nor has it a path of its own, as it looks for the
-- tables that the command names.
CREATE FUNCTION idp.keep_past() RETURNS event_trigger
  AS 'MODULE_PATHNAME', 'idp_keep_past' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.keep_past() IS
  'internal: charges what was spent about rows of a table to the account that they belong to, where it becomes a part of another or is one no more';
CREATE EVENT TRIGGER idp_take_past ON ddl_command_end
  WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER INDEX', 'ALTER TYPE',  -- each renames columns of tables
               'CREATE INDEX')  -- with ALTER TABLE the last that a dump brings of units and links
  EXECUTE FUNCTION idp.keep_past();
ALTER EVENT TRIGGER idp_take_past ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_take_past IS
  'charges what was spent about rows of a table to the account that they belong to, where it becomes a part of another or is one no more';

-- One function stands for all that may fail over hidden rows.
DO $$
DECLARE
  twin regprocedure;
BEGIN
  FOR twin IN
    SELECT p.oid FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'idp'
    WHERE p.proname LIKE 'total\_%' AND p.pronamespace = 'idp'::regnamespace
  LOOP
    EXECUTE format('DROP FUNCTION %s', twin);
  END LOOP;
END
$$;
CREATE FUNCTION idp.total(original regprocedure, operator regoperator, VARIADIC "any") RETURNS "any"
  AS 'MODULE_PATHNAME', 'idp_total' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.total(regprocedure, regoperator, VARIADIC "any") IS
  'internal: the same as the function of the server, and NULL where that fails; stands for it over hidden rows, and is not to be called by queries';

COMMENT ON FUNCTION idp.readable_releases() IS
  'internal: the releases that the current role may read: of each name, of the same role and table or none, the last one';

-- The noise of dp_histogram follows the neighbours that an account declares.
DO $$
DECLARE
  histogram regprocedure;
BEGIN
  FOR histogram IN
    SELECT p.oid FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'idp'
    WHERE p.proname = 'dp_histogram' AND p.prokind = 'a'
  LOOP
    EXECUTE format('COMMENT ON AGGREGATE %s IS %L', histogram, replace(obj_description(histogram, 'pg_proc'),
      'noise of sensitivity 2', 'noise of sensitivity 1 where rows are added or removed, else 2'));
  END LOOP;
END
$$;

CREATE FUNCTION idp.margin(answer "any", confidence double precision DEFAULT 0.95) RETURNS double precision
  AS 'MODULE_PATHNAME', 'idp_margin' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.margin("any", double precision) IS
  'how far the noise of a private answer in the same SELECT strays at most, with the given confidence; null where that is not known: for all but counts and sums';
CREATE FUNCTION idp.margin_of("any", double precision, double precision, oid, oid[], integer, VARIADIC "any") RETURNS double precision
  AS 'MODULE_PATHNAME', 'idp_margin_of' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.margin_of("any", double precision, double precision, oid, oid[], integer, "any") IS 'internal: what idp.margin becomes over a private answer';

CREATE TABLE idp.answer (
  key bytea NOT NULL,
  at timestamp with time zone NOT NULL,
  accounts integer[] NOT NULL,
  tables oid[] NOT NULL,
  question text NOT NULL,
  epsilons double precision[] NOT NULL,
  columns text[] NOT NULL,
  rows text[] NOT NULL,
  costs numeric[] NOT NULL,
  records bytea[],
  noise bytea[],
  margin double precision,
  role text,
  charges text[]
);
CREATE INDEX answer_key ON idp.answer (key, at);
COMMENT ON TABLE idp.answer IS 'answers that are given again, free, when the same is asked; see view idp.answers';
COMMENT ON COLUMN idp.answer.key IS 'SHA-256 of all that makes it the same number';
COMMENT ON COLUMN idp.answer.at IS 'when they were drawn';
COMMENT ON COLUMN idp.answer.accounts IS 'those that paid';
COMMENT ON COLUMN idp.answer.tables IS 'the tables that were read';
COMMENT ON COLUMN idp.answer.question IS 'what was asked, as SQL, or how it begins';
COMMENT ON COLUMN idp.answer.epsilons IS 'what was paid: who asks for no more has the answer';
COMMENT ON COLUMN idp.answer.columns IS 'the types of the keys of its groups, and its own';
COMMENT ON COLUMN idp.answer.rows IS 'group by group the keys, then the number, each as text';
COMMENT ON COLUMN idp.answer.costs IS 'what each of the accounts was charged for it, refinements included';
COMMENT ON COLUMN idp.answer.records IS 'the question, the true values and the sensitivities of each group; null if it cannot be refined';
COMMENT ON COLUMN idp.answer.noise IS 'what was added to them';
COMMENT ON COLUMN idp.answer.margin IS 'how far the noise strays at most, with 95 % confidence; null if that is not known';
COMMENT ON COLUMN idp.answer.role IS 'who paid for it, or for its last refinement';
COMMENT ON COLUMN idp.answer.charges IS 'the charges that paid for it, refinements included; see column charge of view idp.ledger';

-- What is compressed tells by its size what is in it.
ALTER TABLE idp.answer ALTER COLUMN records SET STORAGE EXTERNAL, ALTER COLUMN noise SET STORAGE EXTERNAL;
ALTER TABLE idp.chain ALTER COLUMN record SET STORAGE EXTERNAL;
ALTER TABLE idp.chain_level ALTER COLUMN noise SET STORAGE EXTERNAL;

-- Which answer a charge paid for.
CREATE OR REPLACE VIEW idp.ledger WITH (security_barrier) AS
  SELECT c.role, c.at, CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         c.aggregate, c.epsilon,
         CASE WHEN idp.is_release_readable(t.oid, c.role, NULL) THEN c.release END AS release,
         coalesce(c.delta, 0) AS delta, c.session_role, a.id || '/' || c.entry AS charge
  FROM idp.account a
       CROSS JOIN LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, false) t (oid)
       LEFT JOIN idp.account w ON w.id = a.part_of
       JOIN idp.charge c ON c.account = a.id
  WHERE idp.is_readable(t.oid, '', '')
     OR idp.is_readable((SELECT relid FROM pg_partition_ancestors(t.oid) relid WHERE relid = w.relation::oid), '', '')
  ORDER BY c.at, c.account, c.entry;
COMMENT ON COLUMN idp.ledger.charge IS 'which charge it is, for idp.answers.charges';

CREATE VIEW idp.answers WITH (security_barrier) AS
  SELECT x.question, x.role, x.at,
         CASE WHEN a.repeats >= '10000 years' THEN 'infinity' ELSE x.at + a.repeats END AS expires,
         ARRAY(SELECT t::regclass::text FROM unnest(x.tables) t) AS tables, x.epsilons, x.columns, x.rows,
         x.margin, (SELECT max(cost) FROM unnest(x.costs) cost) AS cost, x.charges
  FROM idp.answer x
       CROSS JOIN LATERAL (SELECT min(c.repeats) AS repeats FROM idp.account c WHERE c.id = ANY (x.accounts)) a
  WHERE NOT EXISTS (SELECT FROM unnest(x.tables) t LEFT JOIN pg_catalog.pg_class c ON c.oid = t
                    WHERE c.oid IS NULL OR NOT pg_has_role(c.relowner, 'USAGE'));
COMMENT ON VIEW idp.answers IS 'the answers about one''s own tables that are given again, free, when the same is asked';
COMMENT ON COLUMN idp.answers.question IS 'what was asked, as SQL; a long question breaks off';
COMMENT ON COLUMN idp.answers.role IS 'who paid for it, or for its last refinement';
COMMENT ON COLUMN idp.answers.at IS 'when it was drawn';
COMMENT ON COLUMN idp.answers.expires IS 'until when it is given again';
COMMENT ON COLUMN idp.answers.tables IS 'the tables that were read';
COMMENT ON COLUMN idp.answers.epsilons IS 'the epsilon of the answer: whoever asks for no more has it free';
COMMENT ON COLUMN idp.answers.columns IS 'the types of the keys of its groups, and its own';
COMMENT ON COLUMN idp.answers.rows IS 'the answer: group by group the keys, then the number, each as text';
COMMENT ON COLUMN idp.answers.margin IS 'how far the noise strays at most, with 95 % confidence; null if that is not known';
COMMENT ON COLUMN idp.answers.cost IS 'what it was charged, refinements included; of several budgets the largest charge';
COMMENT ON COLUMN idp.answers.charges IS 'the charges that paid for it, as idp.ledger.charge names them';
GRANT SELECT ON idp.answers TO PUBLIC;
CREATE FUNCTION idp.forget_answers("table" regclass) RETURNS bigint
  AS 'MODULE_PATHNAME', 'idp_forget_answers' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.forget_answers(regclass) IS
  'forgets the answers about a table that would be given again, and returns how many: what is asked from then on is drawn anew, and charged; for its owner';
ALTER TABLE idp.answer ENABLE ROW LEVEL SECURITY;
-- What there is for users, told apart from what serves it: comments of the latter begin with "internal: ".
CREATE VIEW idp.help AS
  WITH member AS (
    SELECT d.classid, d.objid FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
    WHERE d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'idp'),
  named AS (
    SELECT CASE p.prokind WHEN 'a' THEN 'aggregate' ELSE 'function' END AS kind,
           CASE WHEN n.nspname = 'idp' THEN 'idp.' ELSE '' END || p.proname AS name, obj_description(p.oid, 'pg_proc') AS description
    FROM member m JOIN pg_catalog.pg_proc p ON m.classid = 'pg_catalog.pg_proc'::regclass AND p.oid = m.objid
         JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE p.proname !~ '_(accum|final|refused|in|out|recv|send)$' AND p.proname <> 'combine'
    UNION ALL
    SELECT 'view', 'idp.' || c.relname, obj_description(c.oid, 'pg_class')
    FROM member m JOIN pg_catalog.pg_class c ON m.classid = 'pg_catalog.pg_class'::regclass AND c.oid = m.objid
    WHERE c.relkind = 'v'
    UNION ALL
    SELECT 'setting', s.name, s.short_desc FROM pg_catalog.pg_settings s WHERE s.name LIKE 'idp.%')
  SELECT DISTINCT kind, name, description
  FROM named
  WHERE description !~ '^(internal: |the same |the same; |always refused)'
  ORDER BY kind, name, description;
COMMENT ON VIEW idp.help IS 'the functions, aggregates, views and settings of this extension, but those that only serve it';
COMMENT ON COLUMN idp.help.kind IS 'function, aggregate, view or setting; settings are known once the session has loaded the library';
COMMENT ON COLUMN idp.help.name IS 'its name; \df and \da show the arguments';
COMMENT ON COLUMN idp.help.description IS 'what it does';
GRANT SELECT ON idp.help TO PUBLIC;

-- Default privileges have no say here.
DO $$
DECLARE
  statement text;
BEGIN
  FOR statement IN
    SELECT DISTINCT format('REVOKE %s ON %s FROM %s CASCADE', a.privilege_type, c.oid::regclass,
                           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid IN ('idp.answer'::regclass, 'idp.answers'::regclass, 'idp.budget'::regclass, 'idp.links'::regclass,
                    'idp.limits'::regclass, 'idp.help'::regclass) AND a.grantee <> c.relowner
      AND (c.relkind = 'r' OR a.privilege_type <> 'SELECT')
  LOOP
    EXECUTE statement;
  END LOOP;
END
$$;

CREATE FUNCTION idp.bounded(value smallint, lower bigint, upper bigint, more bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'idp_bounded_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.bounded(smallint, bigint, bigint, bigint) IS
  'internal: a value brought between two bounds, and more added to it: what workers of Citus add up';
CREATE FUNCTION idp.bounded(value integer, lower bigint, upper bigint, more bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'idp_bounded_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.bounded(integer, bigint, bigint, bigint) IS 'internal: the same';
CREATE FUNCTION idp.bounded(value bigint, lower bigint, upper bigint, more bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'idp_bounded_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.bounded(bigint, bigint, bigint, bigint) IS 'internal: the same';
CREATE FUNCTION idp.bounded(value numeric, lower bigint, upper bigint, more bigint, typmod integer) RETURNS bigint
  AS 'MODULE_PATHNAME', 'idp_bounded_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.bounded(numeric, bigint, bigint, bigint, integer) IS
  'internal: the same in units of the last digit that numerics of a type have';

CREATE FUNCTION idp.skips_nothing(row_offset bigint) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_skips_nothing' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.skips_nothing(bigint) IS
  'internal: true for an OFFSET of 0 or NULL, and an error for every other: what plain statements over hidden rows get in the place of OFFSET $1';

CREATE FUNCTION idp.clip(value numeric, bound numeric) RETURNS numeric
  AS 'MODULE_PATHNAME', 'idp_clip' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.clip(numeric, numeric) IS
  'the value, made smaller so that the absolute values of its partition add up to at most the bound, with the digits of the bound or four: dp_sum of it costs epsilon once about a person who is one partition';

-- What answers tell of single units.
CREATE FUNCTION idp.audit(query text, units bigint DEFAULT 100, OUT call integer, OUT aggregate text,
                          OUT relation regclass, OUT epsilon double precision, OUT charged double precision,
                          OUT tried bigint, OUT moved double precision, OUT loss double precision,
                          OUT groups bigint, OUT unit text, OUT ok boolean)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'idp_audit' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.audit(text, bigint) IS
  'leaves units out of the tables of a SELECT, one at a time, and holds how far its private answers tell that against what is charged; draws, charges and keeps nothing; for the owner of the tables';

-- Domains of instants.
ALTER TABLE idp.domain ADD COLUMN grain text, ADD COLUMN zone text;
COMMENT ON COLUMN idp.domain.grain IS 'how finely everybody may see instants between the bounds, of which the upper one is none; null if not at all';
COMMENT ON COLUMN idp.domain.zone IS 'the time zone whose days, or months, these are; null if the column has none';
CREATE FUNCTION idp.set_domain("table" regclass, column_name name, lower text, upper text, grain text,
                               zone text DEFAULT NULL) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_set_domain_grain' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.set_domain(regclass, name, text, text, text, text) IS
  'declares that everybody may see instants of a column, from one up to another, by days or another grain; for the owner of the table';
CREATE FUNCTION idp.set_domain("table" regclass, column_name name, lower anycompatible, upper anycompatible,
                               grain text, zone text DEFAULT NULL)
  RETURNS void LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' SET timezone = 'UTC' SET extra_float_digits = 1
  SET intervalstyle = 'postgres' SET lc_monetary = 'C'
  AS 'SELECT idp.set_domain($1, $2, $3::text, $4::text, $5, $6)';
COMMENT ON FUNCTION idp.set_domain(regclass, name, anycompatible, anycompatible, text, text) IS
  'declares that everybody may see instants of a column, from one up to another, by days or another grain; for the owner of the table';
CREATE OR REPLACE VIEW idp.domains WITH (security_barrier) AS
  SELECT d.relation::oid::regclass::text AS table_name, d.column_name, d.keys, d.lower, d.upper, d.grain, d.zone
  FROM idp.domain d JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
  WHERE idp.is_readable(c.oid, '', d.column_name);
COMMENT ON COLUMN idp.domains.table_name IS 'the table';
COMMENT ON COLUMN idp.domains.column_name IS 'the column';
COMMENT ON COLUMN idp.domains.keys IS 'its values, as text; null if the domain has bounds';
COMMENT ON COLUMN idp.domains.lower IS 'the least value';
COMMENT ON COLUMN idp.domains.upper IS 'the greatest value; of a domain with a grain the end, which is no value itself';
COMMENT ON COLUMN idp.domains.grain IS 'how finely instants are seen: by days, hours or another grain';
COMMENT ON COLUMN idp.domains.zone IS 'the time zone whose days, or months, these are';
COMMENT ON COLUMN idp.shared.name IS 'the name';
COMMENT ON COLUMN idp.shared.table_name IS 'the table that was read; null: none, or several';
COMMENT ON COLUMN idp.shared.aggregate IS 'the aggregate';
COMMENT ON COLUMN idp.shared.column_name IS 'the column that it reads';
COMMENT ON COLUMN idp.shared.epsilon IS 'the level that was given to you';
COMMENT ON COLUMN idp.shared.answer IS 'the answer at that level, as text';
COMMENT ON COLUMN idp.shares.name IS 'the name';
COMMENT ON COLUMN idp.shares.table_name IS 'the table that was read; null: none, or several';
COMMENT ON COLUMN idp.shares.role IS 'the role that it was given to';
COMMENT ON COLUMN idp.shares.epsilons IS 'the level of that role';

-- Aggregates that refuse the name of a release share a transition function of their statistic. One
-- that something of users stands on stays as it is; it refuses as well.
DO $$
DECLARE
  old record;
  refusal text;
  state CONSTANT text := '@extschema@.idp_state';
BEGIN
  FOR old IN
    SELECT p.oid, p.oid::regprocedure AS signature, format('%I.%I', n.nspname, p.proname) AS name, p.proname,
           pg_get_function_arguments(p.oid) AS arguments, p.pronargs,
           (SELECT string_agg(format(', %I %s', name, CASE WHEN place = p.pronargs THEN 'text' ELSE '"any"' END), '' ORDER BY place)
            FROM unnest(p.proargnames) WITH ORDINALITY a (name, place)) AS parameters, a.aggtransfn::regprocedure AS transition,
           regexp_replace(t.proname, '_accum$', '_refused') AS refusal, a.aggtransspace, a.aggfinalfn, d.description
    FROM pg_depend e
      JOIN pg_extension x ON x.oid = e.refobjid AND x.extname = 'idp'
      JOIN pg_proc p ON p.oid = e.objid
      JOIN pg_namespace n ON n.oid = p.pronamespace
      JOIN pg_aggregate a ON a.aggfnoid = p.oid
      JOIN pg_proc t ON t.oid = a.aggtransfn
      JOIN pg_description d ON d.objoid = p.oid AND d.classoid = 'pg_proc'::regclass
    WHERE e.classid = 'pg_proc'::regclass AND e.refclassid = 'pg_extension'::regclass AND e.deptype = 'e'
      AND d.description = 'always refused, saying why: answers of this mechanism cannot be refined'
    ORDER BY p.proname, arguments
  LOOP
    refusal := format('idp.%I(state %s%s)', old.refusal, state, old.parameters);
    IF to_regprocedure(format('idp.%I(%s%s, text)', old.refusal, state, repeat(', "any"', old.pronargs - 1))) IS NULL THEN
      EXECUTE format('CREATE FUNCTION %s RETURNS %s AS ''MODULE_PATHNAME'', %L LANGUAGE C IMMUTABLE PARALLEL SAFE',
        refusal, state, old.refusal);
      EXECUTE format('COMMENT ON FUNCTION %s IS %L', refusal,
        format('transition function of %s with the name of a release, which is refused', old.proname));
    END IF;
    BEGIN
      EXECUTE format('DROP AGGREGATE %s', old.signature);
      EXECUTE format('DROP FUNCTION %s', old.transition);
    EXCEPTION WHEN dependent_objects_still_exist THEN
      CONTINUE;
    END;
    EXECUTE format('CREATE AGGREGATE %s(%s) (SFUNC = %s, STYPE = %s, SSPACE = %s, INITCOND = ''empty'',
      FINALFUNC = %s, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = RESTRICTED)',
      old.name, old.arguments, format('idp.%I', old.refusal), state, old.aggtransspace, old.aggfinalfn);
    EXECUTE format('COMMENT ON AGGREGATE %s(%s) IS %L', old.name, old.arguments, old.description);
  END LOOP;
END
$$;
COMMENT ON FUNCTION idp.in_one_form(anyelement) IS
  'internal: the same value, not compressed, with 0 for -0, one NaN, and no zeros behind a numeric without a scale: stands for the key of a group of hidden rows, which must not tell of which row it is';

COMMENT ON FUNCTION idp.domain(regclass, name) IS 'the values in the domain of a column, as text: the choices of a filter; without NULL';
-- What serves the rest says so.
COMMENT ON FUNCTION idp.account_table(integer, oid, text, text, boolean) IS
  'internal: the table that an account is charged for: its own, or one that has the name of that since it was dropped, made by the same owner or by others';
COMMENT ON FUNCTION idp.add_shares(regclass, boolean) IS
  'internal: gives a budget to each partition that has none, where that of a table is for each of its partitions';
COMMENT ON FUNCTION idp.approved() IS
  'internal: the condition of policies of hidden tables: an error, except in queries that were approved, which do without it';
COMMENT ON FUNCTION idp.approved_support(internal) IS
  'internal: planner support function of idp.approved';
COMMENT ON FUNCTION idp.chain_answer(uuid) IS
  'internal: the most accurate answer that was given of a release; null if there is none, or none one may read';
COMMENT ON FUNCTION idp.forget_dropped_functions() IS
  'internal: takes back idp.trust_function of functions that are dropped or get another name';
COMMENT ON FUNCTION idp.forget_dropped_tables() IS
  'internal: keeps budgets and releases of tables that are dropped';
COMMENT ON FUNCTION idp.has_own_names(regprocedure) IS
  'internal: whether the names in a function stand for the same whoever calls it: one in C, or with search_path = pg_catalog, pg_temp';
COMMENT ON FUNCTION idp.hide_rows(regclass) IS
  'internal: puts the lock of row security on a table and its parts: idp.protect';
COMMENT ON FUNCTION idp.hides_rows(regclass) IS
  'internal: whether the table, or one that it is a part of, is protected with hidden rows';
COMMENT ON FUNCTION idp.is_locked(regclass) IS
  'internal: whether row security of the table and all its parts lets nobody but their owners read rows';
COMMENT ON FUNCTION idp.is_readable(regclass, text, text) IS
  'internal: whether the current role is that role, or may read that column of all rows of the table; an empty name stands for any column';
COMMENT ON FUNCTION idp.is_release_readable(regclass, text, text[]) IS
  'internal: whether the current role is that role, or may read these columns of all rows of the table: any column if there are none, all columns for a null';
COMMENT ON FUNCTION idp.joins_tables(pg_ddl_command) IS
  'internal: whether a command may make a table a part of another, or give it a name';
COMMENT ON FUNCTION idp.keep_rows_hidden() IS
  'internal: hides rows of what becomes a part of a hidden table';
COMMENT ON FUNCTION idp.loaded() IS
  'internal: the check of policies of hidden tables: true; the library is loaded before a row is inserted';
COMMENT ON FUNCTION idp.parts(regclass) IS
  'internal: the table, its partitions and the tables that inherit from it';
COMMENT ON FUNCTION idp.period_bound(interval, timestamptz, boolean) IS
  'internal: when the present period of a budget began, or ends; it is never before that of the latest charge';
COMMENT ON FUNCTION idp.shared_answer(uuid, double precision[]) IS
  'internal: the answer of a release at these epsilons; null unless they are within what the role was given';
COMMENT ON FUNCTION idp.show_rows(regclass) IS
  'internal: takes the lock of row security off a table and its parts: idp.unprotect';
COMMENT ON FUNCTION idp.store_domain(regclass, name, text[]) IS
  'internal: what idp.set_domain calls';
COMMENT ON FUNCTION idp.synthesize_rows(regclass, text[], integer[], text[], double precision, bigint) IS
  'internal: what idp.synthesize calls: the domains of the columns one after the other, and how many values each has';

-- idp 0.3.0: what attacks on 0.2.0, other servers and their clients asked for.
\echo Use "ALTER EXTENSION idp UPDATE" to load this file. \quit

-- Operators and functions are those of the server. An exact match in the schema of the extension,
-- where others may create some, would be preferred. What lies in that schema is named with it.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Arguments without a type ----------------------------------------------------------------------

-- Epsilons have a type of their own. An array beside a number left every literal and parameter
-- without a type ambiguous; two types of one category, one of them preferred, do not. It is an
-- array of double precision to the server and to C.
CREATE TYPE idp.epsilons;
CREATE FUNCTION idp.epsilons_in(cstring) RETURNS idp.epsilons
  AS 'MODULE_PATHNAME', 'idp_epsilons_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.epsilons_out(idp.epsilons) RETURNS cstring
  AS 'MODULE_PATHNAME', 'idp_epsilons_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.epsilons_recv(internal) RETURNS idp.epsilons
  AS 'MODULE_PATHNAME', 'idp_epsilons_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.epsilons_send(idp.epsilons) RETURNS bytea
  AS 'MODULE_PATHNAME', 'idp_epsilons_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE idp.epsilons (
  INPUT = idp.epsilons_in,
  OUTPUT = idp.epsilons_out,
  RECEIVE = idp.epsilons_recv,
  SEND = idp.epsilons_send,
  LIKE = pg_catalog._float8,
  CATEGORY = 'N'
);
COMMENT ON TYPE idp.epsilons IS 'one epsilon for each size of a group: the i-th protects groups of i records';
COMMENT ON FUNCTION idp.epsilons_in(cstring) IS 'input function of type idp.epsilons';
COMMENT ON FUNCTION idp.epsilons_out(idp.epsilons) IS 'output function of type idp.epsilons';
COMMENT ON FUNCTION idp.epsilons_recv(internal) IS 'binary input function of type idp.epsilons';
COMMENT ON FUNCTION idp.epsilons_send(idp.epsilons) IS 'binary output function of type idp.epsilons';

-- The server takes no array for another type as it is, so a function does.
CREATE FUNCTION idp.epsilons(double precision[]) RETURNS idp.epsilons
  AS 'MODULE_PATHNAME', 'idp_epsilons' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.epsilons(anyarray) RETURNS idp.epsilons
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT idp.epsilons($1::pg_catalog.float8[])';
CREATE CAST (double precision[] AS idp.epsilons)
  WITH FUNCTION idp.epsilons(double precision[]) AS IMPLICIT;
COMMENT ON FUNCTION idp.epsilons(double precision[]) IS 'an array of numbers as idp.epsilons';
COMMENT ON FUNCTION idp.epsilons(anyarray) IS 'an array of numbers as idp.epsilons';
COMMENT ON CAST (double precision[] AS idp.epsilons) IS 'an array of numbers as idp.epsilons';
DO $$
DECLARE
  source text;
BEGIN
  FOREACH source IN ARRAY ARRAY['smallint[]', 'integer[]', 'bigint[]', 'real[]', 'numeric[]'] LOOP
    EXECUTE format($f$
      CREATE CAST (%1$s AS idp.epsilons) WITH FUNCTION idp.epsilons(anyarray) AS IMPLICIT;
      COMMENT ON CAST (%1$s AS idp.epsilons) IS 'an array of numbers as idp.epsilons'
      $f$, source);
  END LOOP;
END
$$;

-- The arguments called epsilons are of that type from now on, and k, buckets and gamma are bigint.
-- Aggregates and their transition functions stay the objects they were, so that the views,
-- functions and privileges of users stay with them; what was made before goes on passing float8[]
-- and integer, which C code tells apart. There is no command for that: as in PostgreSQL's own
-- extensions (btree_gist, pg_trgm) the catalog is updated.
UPDATE pg_catalog.pg_proc p
SET proargtypes = pg_catalog.array_to_string(ARRAY(
      SELECT CASE
          WHEN name = 'epsilons' THEN 'idp.epsilons'::pg_catalog.regtype::pg_catalog.oid
          WHEN name IN ('k', 'buckets', 'gamma') THEN 'pg_catalog.int8'::pg_catalog.regtype::pg_catalog.oid
          ELSE type END
      FROM ROWS FROM (pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]), pg_catalog.unnest(p.proargnames))
        WITH ORDINALITY a (type, name, position)
      ORDER BY position), ' ')::pg_catalog.oidvector
FROM pg_catalog.pg_depend d
WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'
  AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
  AND d.refobjid = (SELECT oid FROM pg_catalog.pg_extension WHERE extname = 'idp')
  AND p.proargnames && ARRAY['epsilons', 'k', 'buckets', 'gamma'];

INSERT INTO pg_catalog.pg_depend (classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype)
SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid, 0, 'pg_catalog.pg_type'::pg_catalog.regclass,
       'idp.epsilons'::pg_catalog.regtype, 0, 'n'
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_depend d ON d.objid = p.oid
WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e'
  AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
  AND d.refobjid = (SELECT oid FROM pg_catalog.pg_extension WHERE extname = 'idp')
  AND 'epsilons' = ANY (p.proargnames);

-- What a release is about ------------------------------------------------------------------------

ALTER TABLE idp.chain ADD COLUMN condition text COLLATE "C", ADD COLUMN used_columns text[] COLLATE "C";
COMMENT ON COLUMN idp.chain.condition IS
  'which rows the release is about, as SQL; empty for all rows of the table; null for a release that 0.2.0 began, which any condition fits';
COMMENT ON COLUMN idp.chain.used_columns IS
  'the columns of the table that the question is about: who may read them all may read the release; null if they are not known: who may read all columns';
CREATE FUNCTION idp.is_release_readable(relation regclass, role text, used_columns text[]) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_is_release_readable' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.is_release_readable(regclass, text, text[]) IS
  'whether the current role is that role, or may read these columns of all rows of the table: any column if there are none, all columns for a null';

-- Accounts of dropped tables --------------------------------------------------------------------

CREATE TABLE idp.account_end (
  account integer NOT NULL,
  owner text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, owner)
);
COMMENT ON TABLE idp.account_end IS
  'accounts of dropped tables that the owner of a later table of their name has ended, for the tables of that owner';
SELECT pg_catalog.pg_extension_config_dump('idp.account_end', '');

COMMENT ON COLUMN idp.account.owner IS
  'owner of the table when it was protected or dropped: who may take the account over once the table is dropped';

CREATE FUNCTION idp.forget_table(relation oid, schema_name text, table_name text) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_forget_table' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.forget_table(oid, text, text) IS
  'lets the account of a table that was dropped wait for a table of its name, which it tells as it is stored';
REVOKE EXECUTE ON FUNCTION idp.forget_table(oid, text, text) FROM PUBLIC;

-- An UPDATE would not see an account that is newer than the snapshot of the transaction.
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
    UPDATE idp.chain c SET relation = NULL, table_name = stored_name WHERE c.relation::oid = d.objid;
    DELETE FROM idp.domain c WHERE c.relation::oid = d.objid;
  END LOOP;
END
$$;
ALTER EVENT TRIGGER idp_forget_dropped_tables ENABLE ALWAYS;  -- whatever session_replication_role is

-- What 0.2.0 failed to notice.
UPDATE idp.account a SET relation = NULL
  WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) a.relation::oid);

CREATE FUNCTION idp.account_table(account integer, relation oid, name text, owner text, of_others boolean)
  RETURNS regclass AS 'MODULE_PATHNAME', 'idp_account_table' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.account_table(integer, oid, text, text, boolean) IS
  'the table that an account is charged for: its own, or one that has the name of that since it was dropped, made by the same owner or by others';

-- Whoever may read a table also sees what a dropped one of its name left behind; what was charged to
-- that, with the names of its releases, only if the owner is the same.
CREATE OR REPLACE VIEW idp.budget WITH (security_barrier) AS
  SELECT CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         a.active, a.neighbours, a.min_epsilon,
         a.floor, a.budget AS total, coalesce(c.spent, 0) AS spent,
         greatest(a.budget - coalesce(c.spent, 0), 0) AS remaining,
         CASE WHEN t.oid = a.relation::oid THEN NULL ELSE a.owner END AS former_owner
  FROM idp.account a
       CROSS JOIN LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, true) t (oid)
       LEFT JOIN LATERAL
       (SELECT spent FROM idp.charge WHERE account = a.id ORDER BY entry DESC LIMIT 1) c ON true
  WHERE idp.is_readable(t.oid, '', '');

CREATE OR REPLACE VIEW idp.ledger WITH (security_barrier) AS
  SELECT c.role, c.at, CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         c.aggregate, c.epsilon,
         CASE WHEN idp.is_release_readable(t.oid, c.role, NULL) THEN c.release END AS release
  FROM idp.account a
       CROSS JOIN LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, false) t (oid)
       JOIN idp.charge c ON c.account = a.id
  WHERE idp.is_readable(t.oid, '', '')
  ORDER BY c.at, c.account, c.entry;

-- Aggregates of users ---------------------------------------------------------------------------

-- Who collects states has aggregates of the transition functions, made with the types of old. A dump
-- makes them again by name and types, and the server takes no integer for a bigint there: the old
-- signatures stay beside the new ones.
DO $$
DECLARE
  f record;
BEGIN
  FOR f IN
    SELECT p.proname AS name, p.prosrc AS source, a.arguments, a.types
    FROM pg_catalog.pg_depend d
      JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'idp'
      JOIN pg_catalog.pg_proc p ON p.oid = d.objid,
      LATERAL (SELECT string_agg(name || ' ' || type, ', ' ORDER BY position) AS arguments,
                      string_agg(type, ', ' ORDER BY position) AS types
               FROM ROWS FROM (pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]), pg_catalog.unnest(p.proargnames))
                      WITH ORDINALITY n (oid, name, position),
                    LATERAL (SELECT CASE WHEN name = 'epsilons' THEN 'double precision[]'
                               WHEN name IN ('k', 'buckets', 'gamma') THEN 'integer'
                               ELSE pg_catalog.format_type(oid, NULL) END) t (type)) a
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
      AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      AND d.deptype = 'e' AND p.prokind = 'f'
      AND p.proargnames && ARRAY['epsilons', 'k', 'buckets', 'gamma'] AND NOT 'release' = ANY (p.proargnames)
  LOOP
    EXECUTE format($f$
      CREATE FUNCTION idp.%1$I(%2$s) RETURNS %5$s.idp_state
        AS 'MODULE_PATHNAME', %3$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
      COMMENT ON FUNCTION idp.%1$I(%4$s) IS 'transition function of aggregates made before 0.3.0'
      $f$, f.name, f.arguments, f.source, f.types, '@extschema@');
  END LOOP;
END
$$;

-- Names of releases are those of a table -------------------------------------------------------

-- The library of 0.2.0, which a session that was connected before the update still has, looks for the
-- old name, and stops there: it does not know all columns of idp.chain.
ALTER INDEX idp.chain_name RENAME TO chain_name_hash;
CREATE INDEX chain_relation ON idp.chain (relation pg_catalog.oid_ops, name_hash, born);
CREATE INDEX chain_role ON idp.chain (role COLLATE "C", name_hash, born);

CREATE FUNCTION idp.relax(release text, epsilon double precision, relation regclass) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_relax' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.relax(text, double precision, regclass) IS
  'the same for the release of that table; of -: for the role''s own over no table, or several';

CREATE FUNCTION idp.relax(release text, epsilons idp.epsilons, relation regclass) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_relax_groups' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.relax(text, idp.epsilons, regclass) IS
  'the same for the release of that table; of -: for the role''s own over no table, or several';

CREATE FUNCTION idp.refresh(release text, relation regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_refresh' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.refresh(text, regclass) IS
  'the same for the release of that table; of -: for the role''s own over no table, or several';

CREATE FUNCTION idp.drop_release(release text, relation regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_drop_release' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.drop_release(text, regclass) IS
  'the same for the release of that table; of -: for the role''s own over no table, or several';

CREATE FUNCTION idp.release_answer(release text, relation regclass) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_release_answer' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.release_answer(text, regclass) IS
  'the same for the release of that table; of -: for the role''s own over no table, or several';

CREATE FUNCTION idp.chain_answer(chain uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_chain_answer' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.chain_answer(uuid) IS
  'the most accurate answer that was given of a release; null if there is none, or none one may read';

CREATE FUNCTION idp.readable_releases() RETURNS SETOF uuid
  AS 'MODULE_PATHNAME', 'idp_readable_releases' LANGUAGE C VOLATILE STRICT ROWS 10 PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.readable_releases() IS
  'the releases that the current role may read: of each name, of the same table or, without a table, role, the last one';

CREATE OR REPLACE VIEW idp.releases WITH (security_barrier) AS
  SELECT c.name, coalesce(nullif(c.relation::oid, 0)::regclass::text, c.table_name) AS table_name, c.aggregate,
         c."column" AS column_name, l.epsilon, idp.chain_answer(c.id) AS answer,
         coalesce(l.first_answer, c.born) AS first_answer, l.last_answer, c.role
  FROM idp.readable_releases() r (id) JOIN idp.chain c ON c.id = r.id,
       LATERAL (SELECT max(epsilons[1]) AS epsilon, min(at) AS first_answer, max(at) AS last_answer
                FROM idp.chain_level WHERE chain = c.id) l;

-- Hidden rows: accounts and their functions -----------------------------------------------------

ALTER TABLE idp.account ADD COLUMN hidden boolean;
UPDATE idp.account SET hidden = false;
ALTER TABLE idp.account ALTER COLUMN hidden SET DEFAULT false, ALTER COLUMN hidden SET NOT NULL;
COMMENT ON COLUMN idp.account.hidden IS 'whether rows are hidden from all but the owner of the table';
DROP FUNCTION idp.protect(regclass, numeric, text, double precision, double precision);
CREATE FUNCTION idp.protect("table" regclass, budget numeric, neighbours text DEFAULT NULL,
                            min_epsilon double precision DEFAULT NULL, floor double precision DEFAULT NULL,
                            rows text DEFAULT NULL, per text DEFAULT NULL, renew text DEFAULT NULL)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_protect' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.protect(regclass, numeric, text, double precision, double precision, text, text, text) IS
  'charges private answers about a table to a budget from now on, and hides its rows unless told otherwise, or changes its budget and those of its rules that are given; for its owner';

-- Hidden rows -----------------------------------------------------------------------------------

-- The lock that needs no library: a policy of each hidden table, and of what is a part of it. The
-- function is never true; a plan that is approved does without it. It is VOLATILE, though it always
-- does the same, so that it stays a condition of the scan.
CREATE FUNCTION idp.approved_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'idp_approved_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.approved() RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_approved' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idp.approved_support;
COMMENT ON FUNCTION idp.approved_support(internal) IS 'planner support function of idp.approved';
COMMENT ON FUNCTION idp.approved() IS
  'the condition of policies of hidden tables: an error, except in queries that were approved, which do without it';

-- Inserting asks for no rows. It is IMMUTABLE so that the planner evaluates it, which loads the library.
CREATE FUNCTION idp.loaded() RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_loaded' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.loaded() IS
  'the check of policies of hidden tables: true; the library is loaded before a row is inserted';

CREATE FUNCTION idp.hides_rows("table" regclass) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_hides_rows' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.hides_rows(regclass) IS
  'whether the table, or one that it is a part of, is protected with hidden rows';

CREATE FUNCTION idp.part_locks("table" regclass, OUT part regclass, OUT is_foreign boolean, OUT is_enabled boolean,
                               OUT has_lock boolean, OUT has_all_rows boolean, OUT has_others boolean, OUT open_parent regclass)
  RETURNS SETOF record AS 'MODULE_PATHNAME', 'idp_part_locks' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.part_locks(regclass) IS
  'of the table, its partitions and the tables that inherit from it: what row security and which policies they have, and a table with visible rows that they are a part of; as of now, in any snapshot';

CREATE FUNCTION idp.parts("table" regclass) RETURNS SETOF regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$SELECT part FROM idp.part_locks($1)$$;
COMMENT ON FUNCTION idp.parts(regclass) IS 'the table, its partitions and the tables that inherit from it';

CREATE FUNCTION idp.is_locked("table" regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
AS $$
  SELECT NOT EXISTS (
    SELECT FROM idp.parts($1) part JOIN pg_class c ON c.oid = part
    WHERE NOT c.relrowsecurity OR NOT EXISTS (
      SELECT FROM pg_policy p
      WHERE p.polrelid = c.oid AND NOT p.polpermissive AND p.polcmd = '*' AND p.polroles = '{0}'
        AND pg_get_expr(p.polqual, p.polrelid) = 'idp.approved()'
        AND pg_get_expr(p.polwithcheck, p.polrelid) = 'idp.loaded()'))
$$;
COMMENT ON FUNCTION idp.is_locked(regclass) IS
  'whether row security of the table and all its parts lets nobody but their owners read rows';

CREATE FUNCTION idp.hide_rows("table" regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT l.part AS name, l.* FROM idp.part_locks("table") l
  LOOP
    IF part.is_foreign THEN
      RAISE EXCEPTION 'rows of foreign table "%" cannot be hidden', part.name USING
        ERRCODE = 'feature_not_supported', DETAIL = 'Foreign tables have no row security.',
        HINT = 'Detach it, or protect the table with rows => ''visible''.';
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
    IF NOT part.is_enabled THEN
      IF part.has_all_rows THEN
        EXECUTE format('DROP POLICY idp_all_rows ON %s', part.name);
      END IF;
      EXECUTE format('CREATE POLICY idp_all_rows ON %s USING (true) WITH CHECK (true)', part.name);
      EXECUTE format('COMMENT ON POLICY idp_all_rows ON %s IS %L', part.name,
        'private aggregates are about all rows, as row security was not enabled before idp.protect');
    END IF;
  END LOOP;
  -- last, because that calls the event trigger below
  FOR part IN
    SELECT l.part AS name FROM idp.part_locks("table") l WHERE NOT l.is_enabled
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part.name);
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
      HINT = 'Grant these to nobody from whom the rows are hidden, or drop the constraint.';
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
COMMENT ON FUNCTION idp.hide_rows(regclass) IS 'puts the lock of row security on a table and its parts: idp.protect';
REVOKE EXECUTE ON FUNCTION idp.hide_rows(regclass) FROM PUBLIC;

-- Row security stays enabled where there are policies of others, or it was before.
CREATE FUNCTION idp.show_rows("table" regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT l.part AS name, l.* FROM idp.part_locks("table") l WHERE NOT idp.hides_rows(l.part)
  LOOP
    IF part.has_lock THEN
      EXECUTE format('DROP POLICY idp_hidden ON %s', part.name);
    END IF;
    IF part.has_all_rows THEN
      EXECUTE format('DROP POLICY idp_all_rows ON %s', part.name);
      IF NOT part.has_others THEN
        EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', part.name);
      END IF;
    END IF;
  END LOOP;
  -- A part that is protected itself would be read as rows of the table, past its policy.
  FOR part IN
    SELECT l.part AS name, l.open_parent FROM idp.part_locks("table") l WHERE idp.hides_rows(l.part) AND l.open_parent IS NOT NULL
  LOOP
    RAISE EXCEPTION 'rows of table "%" cannot be visible while those of "%" are hidden', part.open_parent, part.name USING
      ERRCODE = 'feature_not_supported', DETAIL = 'They are rows of that table as well.',
      HINT = format('Unprotect "%s" first, protect it with rows => ''visible'', or detach it.', part.name);
  END LOOP;
END
$$;
COMMENT ON FUNCTION idp.show_rows(regclass) IS 'takes the lock of row security off a table and its parts: idp.unprotect';
REVOKE EXECUTE ON FUNCTION idp.show_rows(regclass) FROM PUBLIC;

CREATE FUNCTION idp.joins_tables(command pg_ddl_command) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_joins_tables' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.joins_tables(pg_ddl_command) IS
  'whether a command may make a table a part of another, or give it a name';

-- What becomes a part of a hidden table, or takes the name of one that was dropped, gets the lock,
-- whatever the command is: CREATE SCHEMA makes tables, ALTER SCHEMA and ALTER INDEX rename them.
-- Where the owner has disabled it, it stays disabled: idp.budget shows that.
CREATE FUNCTION idp.keep_rows_hidden() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  part record;
  former_owner text;  -- of a dropped table of that name, who is another than the present one
BEGIN
  FOR part IN
    SELECT DISTINCT l.part AS name, l.open_parent IS NOT NULL AS is_open
    FROM pg_event_trigger_ddl_commands() d
      JOIN pg_class c ON CASE d.classid WHEN 'pg_class'::regclass THEN c.oid = d.objid
                                        WHEN 'pg_namespace'::regclass THEN c.relnamespace = d.objid END,
      idp.part_locks(c.oid) l
    WHERE c.relkind IN ('r', 'p', 'f') AND c.relpersistence <> 't' AND idp.joins_tables(d.command)
      AND (c.relkind <> 'f' OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid))
      AND idp.hides_rows(l.part) AND (NOT l.has_lock OR l.open_parent IS NOT NULL)
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
COMMENT ON FUNCTION idp.keep_rows_hidden() IS 'hides rows of what becomes a part of a hidden table';
CREATE EVENT TRIGGER idp_keep_rows_hidden ON ddl_command_end
  EXECUTE FUNCTION idp.keep_rows_hidden();
ALTER EVENT TRIGGER idp_keep_rows_hidden ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_keep_rows_hidden IS 'hides rows of what becomes a part of a hidden table';

-- Functions of users over hidden rows.
CREATE TABLE idp.trusted_function (
  function regprocedure PRIMARY KEY
);
COMMENT ON TABLE idp.trusted_function IS 'functions that may be applied to hidden rows; see idp.trust_function';
SELECT pg_catalog.pg_extension_config_dump('idp.trusted_function', '');

CREATE FUNCTION idp.has_own_names(function regprocedure) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_has_own_names' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.has_own_names(regprocedure) IS
  'whether the names in a function stand for the same whoever calls it: one in C, or with search_path = pg_catalog, pg_temp';

CREATE FUNCTION idp.trust_function(function regprocedure) RETURNS void
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
      HINT = 'Trust a function of yours, in PL/pgSQL, that calls it and never fails.';
  END IF;
  IF NOT (SELECT rolsuper FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner WHERE p.oid = function) THEN
    RAISE EXCEPTION 'function % cannot be trusted with hidden rows', function USING
      ERRCODE = 'insufficient_privilege', DETAIL = 'Its owner, who can replace it, is no superuser.',
      HINT = format('ALTER FUNCTION %s OWNER TO CURRENT_USER', function);
  END IF;
  IF NOT idp.has_own_names(function) THEN
    RAISE EXCEPTION 'function % cannot be trusted with hidden rows', function USING
      ERRCODE = 'invalid_function_definition', DETAIL = 'What its names stand for follows from the search path of whoever calls it.',
      HINT = format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', function);
  END IF;
  INSERT INTO idp.trusted_function VALUES (function) ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION idp.trust_function(regprocedure) IS
  'allows a function over hidden rows; for superusers, who see to it that it never fails and has no effect';

CREATE FUNCTION idp.distrust_function(function regprocedure) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'must be superuser to distrust functions with hidden rows' USING ERRCODE = 'insufficient_privilege';
  END IF;
  DELETE FROM idp.trusted_function t WHERE t.function = $1;
END
$$;
COMMENT ON FUNCTION idp.distrust_function(regprocedure) IS 'takes back idp.trust_function; for superusers';

-- What was trusted is not trusted under another function's number.
CREATE FUNCTION idp.forget_dropped_functions() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  DELETE FROM idp.trusted_function t USING pg_event_trigger_dropped_objects() d
    WHERE d.classid = 'pg_proc'::regclass AND t.function = d.objid;
END
$$;
COMMENT ON FUNCTION idp.forget_dropped_functions() IS 'takes back idp.trust_function of functions that are dropped';
CREATE EVENT TRIGGER idp_forget_dropped_functions ON sql_drop
  EXECUTE FUNCTION idp.forget_dropped_functions();
ALTER EVENT TRIGGER idp_forget_dropped_functions ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_forget_dropped_functions IS 'takes back idp.trust_function of functions that are dropped';

-- What the server tells everybody that follows from rows which were read.
CREATE FUNCTION idp.close_side_channels() RETURNS SETOF regprocedure
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  open regprocedure;
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'must be superuser to revoke functions of the server' USING ERRCODE = 'insufficient_privilege';
  END IF;
  FOR open IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND has_function_privilege('public', oid, 'EXECUTE')
      AND (proname LIKE 'pg\_stat\_get\_%' AND proname NOT IN ('pg_stat_get_activity', 'pg_stat_get_progress_info')
           OR proname LIKE 'pg\_current\_wal\_%' OR proname LIKE 'pg\_last\_wal\_%'
           OR proname IN ('pg_control_checkpoint', 'pg_tablespace_size', 'pg_database_size', 'pg_lock_status', 'currtid2'))
    ORDER BY proname, oid
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', open);
    RETURN NEXT open;
  END LOOP;
END
$$;
COMMENT ON FUNCTION idp.close_side_channels() IS
  'revokes from PUBLIC the functions of the server that tell of rows which were read, and returns them; for superusers, in each database';

-- What roles may spend of a budget.
CREATE TABLE idp.role_limit (
  account integer NOT NULL,
  role text COLLATE "C" NOT NULL,
  budget numeric NOT NULL,
  PRIMARY KEY (account, role)
);
COMMENT ON TABLE idp.role_limit IS 'how much of a budget a role and its members may spend; see idp.limit_role';
SELECT pg_catalog.pg_extension_config_dump('idp.role_limit', '');

CREATE FUNCTION idp.limit_role("table" regclass, role regrole, budget numeric) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_limit_role' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.limit_role(regclass, regrole, numeric) IS
  'limits what a role and its members may spend of the budget of a table; null ends the limit; for the owner of the table';

-- What a query would cost.
CREATE FUNCTION idp.cost(query text, OUT relation regclass, OUT epsilon numeric, OUT delta numeric, OUT reserved numeric)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'idp_cost' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.cost(text) IS
  'what a SELECT would charge to the budget of each protected table, without running it; reserved: what its releases may cost at most';

-- Budgets of partitions and periods -------------------------------------------------------------

ALTER TABLE idp.account ADD COLUMN per text, ADD COLUMN renewal interval, ADD COLUMN part_of integer;
UPDATE idp.account SET per = 'table';
ALTER TABLE idp.account ALTER COLUMN per SET DEFAULT 'table', ALTER COLUMN per SET NOT NULL,
  ADD CHECK (per IN ('table', 'partition'));
COMMENT ON COLUMN idp.account.per IS 'what has the whole budget: the table, or each of its partitions';
COMMENT ON COLUMN idp.account.renewal IS 'how long a budget lasts; null: for ever';
COMMENT ON COLUMN idp.account.part_of IS
  'the account of the partitioned table that it is the share of a partition of, with the rules of that; null if it is none';

CREATE FUNCTION idp.period_bound(renewal interval, latest timestamptz, ends boolean) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'idp_period_bound' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.period_bound(interval, timestamptz, boolean) IS
  'when the present period of a budget began, or ends; it is never before that of the latest charge';

CREATE FUNCTION idp.add_shares("table" regclass, counts_past boolean) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_add_shares' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.add_shares(regclass, boolean) IS
  'gives a budget to each partition that has none, where that of a table is for each of its partitions';
REVOKE EXECUTE ON FUNCTION idp.add_shares(regclass, boolean) FROM PUBLIC;

CREATE FUNCTION idp.share_with_partitions() RETURNS event_trigger
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
END
$$;
COMMENT ON FUNCTION idp.share_with_partitions() IS 'gives a budget to each new partition, where that of a table is for each of its partitions';
CREATE EVENT TRIGGER idp_share_with_partitions ON ddl_command_end
  EXECUTE FUNCTION idp.share_with_partitions();
ALTER EVENT TRIGGER idp_share_with_partitions ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_share_with_partitions IS
  'gives a budget to each new partition, where that of a table is for each of its partitions';

CREATE OR REPLACE VIEW idp.budget WITH (security_barrier) AS
  SELECT CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         a.active, a.neighbours, a.min_epsilon,
         a.floor, a.budget AS total, s.spent, greatest(a.budget - s.spent, 0) AS remaining,
         CASE WHEN t.oid = a.relation::oid THEN NULL ELSE a.owner END AS former_owner,
         CASE WHEN a.hidden AND idp.is_locked(t.oid) THEN 'hidden' ELSE 'visible' END AS rows,
         a.per, a.renewal AS renew, p.ends AS renews_at,
         CASE WHEN w.relation::oid IN (SELECT pg_class.oid FROM pg_class) THEN w.relation::oid::regclass::text ELSE w.name END AS partition_of
  FROM idp.account a
       CROSS JOIN LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, true) t (oid)
       LEFT JOIN idp.account w ON w.id = a.part_of
       LEFT JOIN LATERAL
       (SELECT spent, at FROM idp.charge WHERE account = a.id ORDER BY entry DESC LIMIT 1) c ON true
       CROSS JOIN LATERAL
       (SELECT idp.period_bound(a.renewal, c.at, false) AS starts, idp.period_bound(a.renewal, c.at, true) AS ends) p
       CROSS JOIN LATERAL
       (SELECT coalesce(c.spent, 0) - coalesce((SELECT spent FROM idp.charge WHERE account = a.id AND at < p.starts
                                                ORDER BY entry DESC LIMIT 1), 0) AS spent) s
  WHERE idp.is_readable(t.oid, '', '')
     OR idp.is_readable((SELECT relid FROM pg_partition_ancestors(t.oid) relid WHERE relid = w.relation::oid), '', '');

CREATE OR REPLACE VIEW idp.ledger WITH (security_barrier) AS
  SELECT c.role, c.at, CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         c.aggregate, c.epsilon,
         CASE WHEN idp.is_release_readable(t.oid, c.role, NULL) THEN c.release END AS release
  FROM idp.account a
       CROSS JOIN LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, false) t (oid)
       LEFT JOIN idp.account w ON w.id = a.part_of
       JOIN idp.charge c ON c.account = a.id
  WHERE idp.is_readable(t.oid, '', '')
     OR idp.is_readable((SELECT relid FROM pg_partition_ancestors(t.oid) relid WHERE relid = w.relation::oid), '', '')
  ORDER BY c.at, c.account, c.entry;

-- Units and links -------------------------------------------------------------------------------

ALTER TABLE idp.account ADD COLUMN unit text;
COMMENT ON COLUMN idp.account.unit IS
  'the column that tells whose a row is, which rows of linked tables refer to; null if each row is one by itself';
CREATE TABLE idp.link (
  account integer NOT NULL,
  relation idp.table_reference,
  name text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  "column" text COLLATE "C" NOT NULL,
  parent idp.table_reference
);
CREATE INDEX link_account ON idp.link (account);
CREATE INDEX link_relation ON idp.link (relation pg_catalog.oid_ops);
CREATE INDEX link_name ON idp.link (name);
COMMENT ON TABLE idp.link IS 'tables whose rows belong to the units of an account; see idp.link(regclass, text, regclass)';
COMMENT ON COLUMN idp.link.relation IS 'the linked table; null once it is dropped: the link then waits for a table of its name';
COMMENT ON COLUMN idp.link.name IS 'qualified name of the linked table when it was linked or dropped';
COMMENT ON COLUMN idp.link.owner IS 'owner of the linked table when it was linked or dropped';
COMMENT ON COLUMN idp.link."column" IS 'the column that refers to the parent';
COMMENT ON COLUMN idp.link.parent IS
  'the table that its rows belong to rows of: that of the account, or one linked to it; null once that is dropped';

SELECT pg_catalog.pg_extension_config_dump('idp.link', '');

DROP FUNCTION idp.protect(regclass, numeric, text, double precision, double precision, text, text, text);
CREATE FUNCTION idp.protect("table" regclass, budget numeric, neighbours text DEFAULT NULL,
                            min_epsilon double precision DEFAULT NULL, floor double precision DEFAULT NULL,
                            rows text DEFAULT NULL, per text DEFAULT NULL, renew text DEFAULT NULL,
                            unit text DEFAULT NULL, delta numeric DEFAULT NULL)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_protect' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.protect(regclass, numeric, text, double precision, double precision, text, text, text, text, numeric) IS
  'charges private answers about a table to a budget from now on, and hides its rows unless told otherwise, or changes its budget and those of its rules that are given; for its owner';

CREATE FUNCTION idp.link("table" regclass, "column" text, parent regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_link' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.link(regclass, text, regclass) IS
  'lets rows of a table belong to the unit of the row that a column refers to by a foreign key: one account for both tables; for the owner of both';
CREATE FUNCTION idp.unlink("table" regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_unlink' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.unlink(regclass) IS
  'takes back idp.link: the table is not protected any more; for the owner of it and of the table of the account';

-- Answers with a delta --------------------------------------------------------------------------

ALTER TABLE idp.account ADD COLUMN delta numeric;
COMMENT ON COLUMN idp.account.delta IS 'how much delta (epsilon, delta)-private answers may spend beside the budget; null: none';
ALTER TABLE idp.charge ADD COLUMN delta numeric, ADD COLUMN delta_spent numeric;
COMMENT ON COLUMN idp.charge.delta IS 'what the answer cost beside epsilon; null: nothing';
COMMENT ON COLUMN idp.charge.delta_spent IS 'the total of delta of the account after this charge; null: nothing';

-- Who asked -------------------------------------------------------------------------------------

-- Limits of roles are for whoever takes on another role, too.
ALTER TABLE idp.charge ADD COLUMN outer_role text, ADD COLUMN session_role text;
COMMENT ON COLUMN idp.charge.role IS 'the role that asked: the current one';
COMMENT ON COLUMN idp.charge.outer_role IS
  'the role that SET ROLE had chosen: another one where a function that is SECURITY DEFINER asked; null for charges of 0.2.0';
COMMENT ON COLUMN idp.charge.session_role IS 'the role of the session; null for charges of 0.2.0';

-- Deciding about groups -------------------------------------------------------------------------

CREATE FUNCTION idp.decision_final(@extschema@.idp_state) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_count_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.decision_final(@extschema@.idp_state) IS
  'final function of the private decisions: counts the rows and draws the answer';
CREATE FUNCTION idp.dp_keep_group_accum(state @extschema@.idp_state, epsilon double precision, delta double precision) RETURNS @extschema@.idp_state
  AS 'MODULE_PATHNAME', 'dp_keep_group_accum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.dp_keep_group_accum(@extschema@.idp_state, double precision, double precision) IS
  'transition function of dp_keep_group';
CREATE AGGREGATE @extschema@.dp_keep_group(epsilon double precision, delta double precision) (
  SFUNC = idp.dp_keep_group_accum, STYPE = @extschema@.idp_state, SSPACE = 256, INITCOND = 'empty', COMBINEFUNC = idp.combine,
  FINALFUNC = idp.decision_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE @extschema@.dp_keep_group(double precision, double precision) IS
  '(epsilon, delta)-DP decision whether a group may be shown: the best rule by its number of rows';
CREATE FUNCTION idp.dp_keep_group_accum(state @extschema@.idp_state, epsilon double precision, delta double precision, release text) RETURNS @extschema@.idp_state
  AS 'MODULE_PATHNAME', 'dp_keep_group_accum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.dp_keep_group_accum(@extschema@.idp_state, double precision, double precision, text) IS
  'transition function of dp_keep_group';
CREATE AGGREGATE @extschema@.dp_keep_group(epsilon double precision, delta double precision, release text) (
  SFUNC = idp.dp_keep_group_accum, STYPE = @extschema@.idp_state, SSPACE = 256, INITCOND = 'empty',
  FINALFUNC = idp.decision_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = RESTRICTED);
COMMENT ON AGGREGATE @extschema@.dp_keep_group(double precision, double precision, text) IS
  'always refused, saying why: answers of this mechanism cannot be refined';

CREATE OR REPLACE VIEW idp.budget WITH (security_barrier) AS
  SELECT CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         a.active, a.neighbours, a.min_epsilon,
         a.floor, a.budget AS total, s.spent, greatest(a.budget - s.spent, 0) AS remaining,
         CASE WHEN t.oid = a.relation::oid THEN NULL ELSE a.owner END AS former_owner,
         CASE WHEN a.hidden AND idp.is_locked(t.oid) AND l.locked THEN 'hidden' ELSE 'visible' END AS rows,
         a.per, a.renewal AS renew, p.ends AS renews_at,
         CASE WHEN w.relation::oid IN (SELECT pg_class.oid FROM pg_class) THEN w.relation::oid::regclass::text ELSE w.name END AS partition_of,
         a.unit, l.names AS linked_tables,
         coalesce(a.delta, 0) AS delta, s.delta_spent
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

CREATE OR REPLACE VIEW idp.ledger WITH (security_barrier) AS
  SELECT c.role, c.at, CASE WHEN t.oid = a.relation::oid THEN t.oid::text ELSE a.name END AS table_name,
         c.aggregate, c.epsilon,
         CASE WHEN idp.is_release_readable(t.oid, c.role, NULL) THEN c.release END AS release,
         coalesce(c.delta, 0) AS delta, c.session_role
  FROM idp.account a
       CROSS JOIN LATERAL idp.account_table(a.id, a.relation::oid, a.name, a.owner, false) t (oid)
       LEFT JOIN idp.account w ON w.id = a.part_of
       JOIN idp.charge c ON c.account = a.id
  WHERE idp.is_readable(t.oid, '', '')
     OR idp.is_readable((SELECT relid FROM pg_partition_ancestors(t.oid) relid WHERE relid = w.relation::oid), '', '')
  ORDER BY c.at, c.account, c.entry;

-- What CREATE EXTENSION makes ------------------------------------------------------------------

-- What is made by an upgrade is what CREATE EXTENSION makes, to the last property.
CREATE OR REPLACE AGGREGATE @extschema@.dp_count(epsilon double precision) (
  SFUNC = idp.dp_count_accum, STYPE = @extschema@.idp_state, SSPACE = 256, INITCOND = 'empty', COMBINEFUNC = idp.combine,
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE @extschema@.dp_count(epsilon double precision, release text) (
  SFUNC = idp.dp_count_accum, STYPE = @extschema@.idp_state, SSPACE = 256, INITCOND = 'empty',
  FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = RESTRICTED);

-- A comment of the overloads that only refuse: they are not "the same as a named release".
DO $$
DECLARE
  agg record;
BEGIN
  FOR agg IN
    SELECT p.oid::pg_catalog.regprocedure AS signature
    FROM pg_catalog.pg_depend d
      JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'idp'
      JOIN pg_catalog.pg_proc p ON p.oid = d.objid
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
      AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      AND d.deptype = 'e' AND p.prokind = 'a' AND 'release' = ANY (p.proargnames)
      AND p.proname IN ('dp_median', 'dp_quantile', 'dp_min', 'dp_max',
                        'dp_median_smooth', 'dp_quantile_smooth', 'dp_max_smooth')
  LOOP
    EXECUTE pg_catalog.format('COMMENT ON AGGREGATE %s IS %L', agg.signature,
      'always refused, saying why: answers of this mechanism cannot be refined');
  END LOOP;
END
$$;

-- Statistics of several ranks -------------------------------------------------------------------

DO $$
DECLARE
  agg record;
  value_type text;
  named boolean;
  arguments text;
  final text;
BEGIN
  FOR agg IN SELECT * FROM (VALUES
    ('idp_iqr', '', 'value',
     'epsilon-iDP interquartile range, the distance of the quartiles of nearest rank: local sensitivity, discrete Laplace noise'),
    ('idp_mad', '', 'value',
     'epsilon-iDP median absolute deviation from the lower median: bound on the local sensitivity, discrete Laplace noise'),
    ('idp_trimmed_avg', ', fraction double precision', 'mean',
     'epsilon-iDP average of the values but the given fraction at either end: local sensitivity, discrete Laplace noise')
    ) AS a (name, parameters, kind, description)
  LOOP
    FOREACH value_type IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric']
    LOOP
      final := CASE
        WHEN agg.kind = 'value' THEN (SELECT typname FROM pg_catalog.pg_type WHERE oid = value_type::pg_catalog.regtype)
        WHEN value_type IN ('real', 'double precision') THEN 'moments_float8'
        ELSE 'moments_numeric'
      END || '_final';
      FOREACH named IN ARRAY ARRAY[false, true]
      LOOP
        arguments := pg_catalog.format('x %s, epsilon double precision%s%s', value_type, agg.parameters,
                                       CASE WHEN named THEN ', release text' ELSE '' END);
        EXECUTE pg_catalog.format($f$
          CREATE FUNCTION idp.%1$I(state %8$s.idp_state, %2$s) RETURNS %8$s.idp_state
            AS 'MODULE_PATHNAME', %1$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
          CREATE AGGREGATE %8$s.%3$I(%2$s) (
            SFUNC = idp.%1$I, STYPE = %8$s.idp_state, SSPACE = 1024, INITCOND = 'empty',%5$s
            FINALFUNC = idp.%4$I, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = %6$s);
          COMMENT ON FUNCTION idp.%1$I(%8$s.idp_state, %2$s) IS 'transition function of %3$s';
          COMMENT ON AGGREGATE %8$s.%3$I(%2$s) IS %7$L
          $f$,
          agg.name || '_accum', arguments, agg.name, final,
          CASE WHEN named THEN '' ELSE ' COMBINEFUNC = idp.combine,' END,
          CASE WHEN named THEN 'RESTRICTED' ELSE 'SAFE' END,
          CASE WHEN named
            THEN 'the same as a named release: repeated, refined or tightened when it is asked for again'
            ELSE agg.description END, '@extschema@');
      END LOOP;
    END LOOP;
  END LOOP;
END
$$;

-- Modes -----------------------------------------------------------------------------------------

CREATE FUNCTION idp.text_final(@extschema@.idp_state) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_order_statistic_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.text_final(@extschema@.idp_state) IS
  'final function of the private modes of text: counts the values and draws the answer';
CREATE FUNCTION idp.uuid_final(@extschema@.idp_state) RETURNS uuid
  AS 'MODULE_PATHNAME', 'idp_order_statistic_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.uuid_final(@extschema@.idp_state) IS
  'final function of the private modes of uuid: counts the values and draws the answer';

DO $$
DECLARE
  agg record;
  value_type text;
  named boolean;
  arguments text;
BEGIN
  FOR agg IN SELECT * FROM (VALUES
    ('idp_mode', '',
     'epsilon-iDP most frequent value, the least of several: randomised response over what it is for the neighbours of the data'),
    ('dp_mode', ', domain T[]', 'epsilon-DP most frequent value of a public domain: permute-and-flip')
    ) AS a (name, parameters, description)
  LOOP
    FOREACH value_type IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric', 'date',
      'timestamp without time zone', 'timestamp with time zone', 'text', 'uuid']
    LOOP
      FOREACH named IN ARRAY ARRAY[false, true]
      LOOP
        arguments := pg_catalog.format('x %s, epsilon double precision%s%s', value_type,
                                       pg_catalog.replace(agg.parameters, ' T', ' ' || value_type),
                                       CASE WHEN named THEN ', release text' ELSE '' END);
        EXECUTE pg_catalog.format($f$
          CREATE FUNCTION idp.%1$I(state %8$s.idp_state, %2$s) RETURNS %8$s.idp_state
            AS 'MODULE_PATHNAME', %1$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
          CREATE AGGREGATE %8$s.%3$I(%2$s) (
            SFUNC = idp.%1$I, STYPE = %8$s.idp_state, SSPACE = 1024, INITCOND = 'empty',%5$s
            FINALFUNC = idp.%4$I, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = %6$s);
          COMMENT ON FUNCTION idp.%1$I(%8$s.idp_state, %2$s) IS 'transition function of %3$s';
          COMMENT ON AGGREGATE %8$s.%3$I(%2$s) IS %7$L
          $f$,
          agg.name || '_accum', arguments, agg.name,
          (SELECT typname FROM pg_catalog.pg_type WHERE oid = value_type::pg_catalog.regtype) || '_final',
          CASE WHEN named THEN '' ELSE ' COMBINEFUNC = idp.combine,' END,
          CASE WHEN named THEN 'RESTRICTED' ELSE 'SAFE' END,
          CASE WHEN named THEN 'always refused, saying why: answers of this mechanism cannot be refined'
            ELSE agg.description END, '@extschema@');
      END LOOP;
    END LOOP;
  END LOOP;
END
$$;

-- Bounds nobody has to know ---------------------------------------------------------------------

DO $$
DECLARE
  agg record;
  value_type text;
  named boolean;
  arguments text;
  final text;
BEGIN
  FOR agg IN SELECT * FROM (VALUES
    ('dp_sum', 'dp_clipped_sum',
     'epsilon-DP sum of values clamped to bounds that are found by the sparse vector technique: global sensitivity, discrete Laplace noise'),
    ('dp_avg', 'dp_clipped_avg',
     'epsilon-DP average of values clamped to bounds that are found round a private median by the sparse vector technique: a noisy centred sum over a noisy count'),
    ('dp_variance', 'dp_clipped_variance',
     'epsilon-DP population variance of values clamped to bounds that are found round a private median by the sparse vector technique: of noisy centred moments'),
    ('dp_stddev', 'dp_clipped_stddev',
     'epsilon-DP population standard deviation of values clamped to bounds that are found round a private median by the sparse vector technique: of noisy centred moments')
    ) AS a (name, stem, description)
  LOOP
    FOREACH value_type IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric']
    LOOP
      final := CASE
        WHEN value_type IN ('real', 'double precision') THEN
          CASE WHEN agg.name = 'dp_sum' AND value_type = 'real' THEN 'moments_float4' ELSE 'moments_float8' END
        WHEN agg.name = 'dp_sum' AND value_type IN ('smallint', 'integer') THEN 'moments_int8'
        ELSE 'moments_numeric'
      END || '_final';
      FOREACH named IN ARRAY ARRAY[false, true]
      LOOP
        arguments := pg_catalog.format('x %s, epsilon double precision%s', value_type,
                                       CASE WHEN named THEN ', release text' ELSE '' END);
        EXECUTE pg_catalog.format($f$
          CREATE FUNCTION idp.%1$I(state %8$s.idp_state, %2$s) RETURNS %8$s.idp_state
            AS 'MODULE_PATHNAME', %1$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
          CREATE AGGREGATE %8$s.%3$I(%2$s) (
            SFUNC = idp.%1$I, STYPE = %8$s.idp_state, SSPACE = 1024, INITCOND = 'empty',%5$s
            FINALFUNC = idp.%4$I, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = %6$s);
          COMMENT ON FUNCTION idp.%1$I(%8$s.idp_state, %2$s) IS 'transition function of %3$s';
          COMMENT ON AGGREGATE %8$s.%3$I(%2$s) IS %7$L
          $f$,
          agg.stem || '_accum', arguments, agg.name, final,
          CASE WHEN named THEN '' ELSE ' COMBINEFUNC = idp.combine,' END,
          CASE WHEN named THEN 'RESTRICTED' ELSE 'SAFE' END,
          CASE WHEN named THEN 'always refused, saying why: answers of this mechanism cannot be refined'
            ELSE agg.description END, '@extschema@');
      END LOOP;
    END LOOP;
  END LOOP;
END
$$;

-- Reports ---------------------------------------------------------------------------------------

-- Made of one record's own value, and private by themselves: nothing is charged for making them, nor
-- for counting them. A report says how it was made.
CREATE TYPE idp.report AS (domain text[], epsilons double precision[], answers text[]);
COMMENT ON TYPE idp.report IS
  'an answer by randomised response for each of its epsilons, with the values that could have been answered';
CREATE TYPE idp.rappor_report AS (bits integer, hashes integer, epsilons double precision[], answers bit varying[],
                                  beta double precision, gamma double precision);
COMMENT ON TYPE idp.rappor_report IS
  'a randomised Bloom filter for each of its epsilons; beta and gamma are those of an instant report, null otherwise';
CREATE TYPE idp.estimate AS (count double precision, standard_error double precision);
COMMENT ON TYPE idp.estimate IS 'a count that reports tell, and how far off it may be';
CREATE TYPE idp.candidate_estimate AS (candidate text, count double precision, standard_error double precision);
COMMENT ON TYPE idp.candidate_estimate IS 'a string, how many reports are of it, and how far off that may be';

CREATE FUNCTION @extschema@.dp_report(value anycompatible, epsilon double precision, domain anycompatiblearray)
  RETURNS idp.report
  AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION @extschema@.dp_report(value anycompatible, epsilon double precision, domain anycompatiblearray, earlier idp.report)
  RETURNS idp.report
  AS 'MODULE_PATHNAME', 'dp_report_again' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION @extschema@.dp_rappor_report(value text, epsilon double precision, bits integer, hashes integer)
  RETURNS idp.rappor_report
  AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION @extschema@.dp_rappor_report(value text, epsilon double precision, bits integer, hashes integer,
                                 earlier idp.rappor_report)
  RETURNS idp.rappor_report
  AS 'MODULE_PATHNAME', 'dp_rappor_report_again' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION idp.instant_report(report idp.rappor_report, beta double precision, gamma double precision)
  RETURNS idp.rappor_report
  AS 'MODULE_PATHNAME', 'idp_instant_report' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.report_up_to(report idp.report, epsilon double precision) RETURNS idp.report
  AS 'MODULE_PATHNAME', 'idp_report_up_to' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.report_up_to(report idp.rappor_report, epsilon double precision) RETURNS idp.rappor_report
  AS 'MODULE_PATHNAME', 'idp_rappor_report_up_to' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_report(anycompatible, double precision, anycompatiblearray) IS
  'epsilon-DP report of one record''s own value, one of a public domain: randomised response';
COMMENT ON FUNCTION @extschema@.dp_report(anycompatible, double precision, anycompatiblearray, idp.report) IS
  'the same value once more at another epsilon: all answers together are as private as the one with the largest epsilon';
COMMENT ON FUNCTION @extschema@.dp_rappor_report(text, double precision, integer, integer) IS
  'epsilon-DP report of one record''s own string: each bit of its Bloom filter by randomised response (RAPPOR)';
COMMENT ON FUNCTION @extschema@.dp_rappor_report(text, double precision, integer, integer, idp.rappor_report) IS
  'the same string once more at another epsilon: all answers together are as private as the one with the largest epsilon';
COMMENT ON FUNCTION idp.instant_report(idp.rappor_report, double precision, double precision) IS
  'a second randomisation of a report, fresh each time it is sent: bits 1 are sent as 1 with probability beta, bits 0 with gamma';
COMMENT ON FUNCTION idp.report_up_to(idp.report, double precision) IS
  'the report without the answers of larger epsilons: for readers who may see no more';
COMMENT ON FUNCTION idp.report_up_to(idp.rappor_report, double precision) IS
  'the report without the answers of larger epsilons: for readers who may see no more';

CREATE FUNCTION idp.rappor_f(epsilon double precision, hashes integer) RETURNS double precision
  AS 'MODULE_PATHNAME', 'idp_rappor_f' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.rappor_epsilon(f double precision, hashes integer) RETURNS double precision
  AS 'MODULE_PATHNAME', 'idp_rappor_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.instant_epsilon(epsilon double precision, hashes integer, beta double precision, gamma double precision)
  RETURNS double precision
  AS 'MODULE_PATHNAME', 'idp_instant_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.rappor_f(double precision, integer) IS 'the parameter f of RAPPOR that an epsilon is';
COMMENT ON FUNCTION idp.rappor_epsilon(double precision, integer) IS 'the epsilon that RAPPOR''s parameter f is';
COMMENT ON FUNCTION idp.instant_epsilon(double precision, integer, double precision, double precision) IS
  'how much one instant report tells by itself at most, as an epsilon; infinity where it tells all';

CREATE FUNCTION idp.dp_report_count_accum(state internal, report idp.report, epsilon double precision, value anyelement)
  RETURNS internal
  AS 'MODULE_PATHNAME', 'dp_report_count_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION idp.dp_report_count_accum(state internal, report idp.report, epsilon double precision, value text)
  RETURNS internal
  AS 'MODULE_PATHNAME', 'dp_report_count_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION idp.dp_report_count_final(internal) RETURNS idp.estimate
  AS 'MODULE_PATHNAME', 'dp_report_count_final' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION idp.dp_rappor_count_accum(state internal, report idp.rappor_report, epsilon double precision,
                                          candidates text[])
  RETURNS internal
  AS 'MODULE_PATHNAME', 'dp_rappor_count_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION idp.dp_rappor_count_final(internal) RETURNS idp.candidate_estimate[]
  AS 'MODULE_PATHNAME', 'dp_rappor_count_final' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.dp_report_count_accum(internal, idp.report, double precision, anyelement) IS
  'transition function of dp_report_count';
COMMENT ON FUNCTION idp.dp_report_count_accum(internal, idp.report, double precision, text) IS
  'transition function of dp_report_count';
COMMENT ON FUNCTION idp.dp_report_count_final(internal) IS 'final function of dp_report_count';
COMMENT ON FUNCTION idp.dp_rappor_count_accum(internal, idp.rappor_report, double precision, text[]) IS
  'transition function of dp_rappor_count';
COMMENT ON FUNCTION idp.dp_rappor_count_final(internal) IS 'final function of dp_rappor_count';

CREATE AGGREGATE @extschema@.dp_report_count(report idp.report, epsilon double precision, value anyelement) (
  SFUNC = idp.dp_report_count_accum, STYPE = internal, FINALFUNC = idp.dp_report_count_final, PARALLEL = SAFE);
CREATE AGGREGATE @extschema@.dp_report_count(report idp.report, epsilon double precision, value text) (
  SFUNC = idp.dp_report_count_accum, STYPE = internal, FINALFUNC = idp.dp_report_count_final, PARALLEL = SAFE);
CREATE AGGREGATE @extschema@.dp_rappor_count(report idp.rappor_report, epsilon double precision, candidates text[]) (
  SFUNC = idp.dp_rappor_count_accum, STYPE = internal, FINALFUNC = idp.dp_rappor_count_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE @extschema@.dp_report_count(idp.report, double precision, anyelement) IS
  'how many reports, made with that epsilon, are of the value: an unbiased estimate and its standard error';
COMMENT ON AGGREGATE @extschema@.dp_report_count(idp.report, double precision, text) IS
  'how many reports, made with that epsilon, are of the value: an unbiased estimate and its standard error';
COMMENT ON AGGREGATE @extschema@.dp_rappor_count(idp.rappor_report, double precision, text[]) IS
  'how many reports, made with that epsilon, are of each of the candidates: least squares over the bits, with standard errors';

-- Shared levels ---------------------------------------------------------------------------------

CREATE TABLE idp.share (
  chain uuid NOT NULL,
  role text COLLATE "C" NOT NULL,
  epsilons double precision[] NOT NULL,
  PRIMARY KEY (chain, role)
);
COMMENT ON TABLE idp.share IS 'to whom releases were given, and at which level; see idp.share()';
CREATE INDEX share_role ON idp.share (role);
SELECT pg_catalog.pg_extension_config_dump('idp.share', '');

CREATE FUNCTION idp.share(release text, role regrole, epsilon double precision, relation regclass DEFAULT NULL,
                          all_groups boolean DEFAULT false)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_share' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.share(text, regrole, double precision, regclass, boolean) IS
  'gives a role the answer of a release at epsilon, or of all groups that began with it; null takes it back; only what exceeds the largest epsilon so far is charged; for the owner of the table';
CREATE FUNCTION idp.share(release text, role regrole, epsilons idp.epsilons, relation regclass DEFAULT NULL,
                          all_groups boolean DEFAULT false)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_share_groups' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.share(text, regrole, idp.epsilons, regclass, boolean) IS
  'the same for a release with several epsilons: epsilons[i] protects groups of i records';

CREATE FUNCTION idp.read(release text, relation regclass DEFAULT NULL) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_read' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.read(text, regclass) IS
  'the answer of a release at the largest epsilon at which it was given to the role, or to one whose rights it has';

CREATE FUNCTION idp.shared_answer(chain uuid, epsilons double precision[]) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_shared_answer' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.shared_answer(uuid, double precision[]) IS
  'the answer of a release at these epsilons; null unless they are within what the role was given';

CREATE VIEW idp.shared WITH (security_barrier) AS
  SELECT c.name, coalesce(nullif(c.relation::oid, 0)::regclass::text, c.table_name) AS table_name, c.aggregate,
         c."column" AS column_name, s.epsilons[1] AS epsilon, idp.shared_answer(s.chain, s.epsilons) AS answer
  FROM (SELECT DISTINCT ON (s.chain) s.chain, s.epsilons
        FROM pg_catalog.pg_roles r JOIN idp.share s ON s.role = r.rolname::text COLLATE "C"
        WHERE pg_catalog.pg_has_role(r.oid, 'USAGE')
        ORDER BY s.chain, s.epsilons[1] DESC) s
       JOIN idp.chain c ON c.id = s.chain;
COMMENT ON VIEW idp.shared IS 'the releases that were given to the current role, each at its level';

CREATE VIEW idp.shares WITH (security_barrier) AS
  SELECT c.name, coalesce(nullif(c.relation::oid, 0)::regclass::text, c.table_name) AS table_name, s.role, s.epsilons
  FROM idp.share s JOIN idp.chain c ON c.id = s.chain LEFT JOIN pg_catalog.pg_class t ON t.oid = c.relation::oid
  WHERE CASE WHEN t.oid IS NOT NULL THEN pg_catalog.pg_has_role(t.relowner, 'USAGE')
          ELSE c.role = current_user OR (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) END;
COMMENT ON VIEW idp.shares IS 'to whom the releases of one''s own tables were given, and at which epsilons';
GRANT SELECT ON idp.shared, idp.shares TO PUBLIC;

-- Synthetic rows --------------------------------------------------------------------------------

CREATE FUNCTION idp.synthesize_rows(relation regclass, names text[], sizes integer[], domains text[],
                                    epsilon double precision, rows bigint)
  RETURNS SETOF jsonb
  AS 'MODULE_PATHNAME', 'idp_synthesize' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.synthesize_rows(regclass, text[], integer[], text[], double precision, bigint) IS
  'what idp.synthesize calls: the domains of the columns one after the other, and how many values each has';
CREATE FUNCTION idp.synthesize(relation regclass, columns json, epsilon double precision, rows bigint)
  RETURNS SETOF jsonb LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
  SELECT s FROM idp.synthesize_rows($1,
    ARRAY(SELECT key FROM json_each($2) WITH ORDINALITY c (key, domain, n) ORDER BY n),
    ARRAY(SELECT CASE json_typeof(domain) WHEN 'array' THEN json_array_length(domain) ELSE 0 END
          FROM json_each($2) WITH ORDINALITY c (key, domain, n) ORDER BY n),
    ARRAY(SELECT value FROM json_each($2) WITH ORDINALITY c (key, domain, n),
            json_array_elements_text(CASE json_typeof(domain) WHEN 'array' THEN domain ELSE '[]' END)
              WITH ORDINALITY v (value, m) ORDER BY n, m),
    $3, $4) s
$$;
COMMENT ON FUNCTION idp.synthesize(regclass, json, double precision, bigint) IS
  'so many rows like those of the table, over the values that columns lists for each of its columns: epsilon-DP, charged once';

-- Total twins -----------------------------------------------------------------------------------

-- Functions over hidden rows that must not fail: what stands there for those of the server that may
-- (extension/total/twin_rows.h).
CREATE FUNCTION idp.in_one_form(anyelement) RETURNS anyelement
  AS 'MODULE_PATHNAME', 'idp_in_one_form' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.in_one_form(anyelement) IS
  'the same value, not compressed: stands for the key of a group of hidden rows, which must not tell of which row it is';

-- Domains ---------------------------------------------------------------------------------------

CREATE TABLE idp.domain (
  relation idp.table_reference NOT NULL,
  column_name text COLLATE "C" NOT NULL,
  keys text[],
  lower text,
  upper text
);
CREATE UNIQUE INDEX domain_column ON idp.domain (relation pg_catalog.oid_ops, column_name);
COMMENT ON TABLE idp.domain IS 'which values of columns everybody may know; see idp.set_domain';
COMMENT ON COLUMN idp.domain.keys IS 'the values, as text; null if the domain has bounds';
SELECT pg_catalog.pg_extension_config_dump('idp.domain', '');

CREATE FUNCTION idp.store_domain("table" regclass, column_name name, keys text[]) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_set_domain_list' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.store_domain(regclass, name, text[]) IS 'what idp.set_domain calls';
CREATE FUNCTION idp.set_domain("table" regclass, column_name name, keys anyarray) RETURNS void
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' SET timezone = 'UTC' SET extra_float_digits = 1
  SET intervalstyle = 'postgres' SET lc_monetary = 'C'
  AS 'SELECT idp.store_domain($1, $2, $3::text[])';
COMMENT ON FUNCTION idp.set_domain(regclass, name, anyarray) IS
  'declares which values of a column everybody may know, as a list; for the owner of the table';
CREATE FUNCTION idp.set_domain("table" regclass, column_name name, lower text, upper text) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_set_domain_bounds' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.set_domain(regclass, name, text, text) IS
  'declares which values of a column everybody may know, from one to another; for the owner of the table';
CREATE FUNCTION idp.set_domain("table" regclass, column_name name, lower anycompatible, upper anycompatible)
  RETURNS void LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' SET timezone = 'UTC' SET extra_float_digits = 1
  SET intervalstyle = 'postgres' SET lc_monetary = 'C'
  AS 'SELECT idp.set_domain($1, $2, $3::text, $4::text)';
COMMENT ON FUNCTION idp.set_domain(regclass, name, anycompatible, anycompatible) IS
  'declares which values of a column everybody may know, from one to another; for the owner of the table';
CREATE FUNCTION idp.set_domain("table" regclass, column_name name, keys text) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_refuse_one_key' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.set_domain(regclass, name, text) IS
  'always refused, saying why: a domain is a list, or has two bounds';
CREATE FUNCTION idp.set_domain("table" regclass, column_name name, keys anynonarray) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_refuse_one_key' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.set_domain(regclass, name, anynonarray) IS
  'always refused, saying why: a domain is a list, or has two bounds';
CREATE FUNCTION idp.drop_domain("table" regclass, column_name name) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_drop_domain' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.drop_domain(regclass, name) IS 'takes back idp.set_domain; for the owner of the table';
CREATE FUNCTION idp.domain("table" regclass, column_name name) RETURNS SETOF text
  AS 'MODULE_PATHNAME', 'idp_domain' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.domain(regclass, name) IS 'the values in the domain of a column, as text; without NULL';

-- What tells rows that stand for keys from those of a table (extension/plan/key_rows.h). There are no
-- values of it in SQL.
CREATE TYPE idp.key_marker;
CREATE FUNCTION idp.key_marker_in(cstring) RETURNS idp.key_marker
  AS 'MODULE_PATHNAME', 'idp_key_marker_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.key_marker_out(idp.key_marker) RETURNS cstring
  AS 'MODULE_PATHNAME', 'idp_key_marker_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE idp.key_marker (INPUT = idp.key_marker_in, OUTPUT = idp.key_marker_out, LIKE = pg_catalog.bool);
COMMENT ON TYPE idp.key_marker IS 'what tells rows that stand for the keys of a domain from those of a table';
COMMENT ON FUNCTION idp.key_marker_in(cstring) IS 'input function of type idp.key_marker: there is no input';
COMMENT ON FUNCTION idp.key_marker_out(idp.key_marker) IS 'output function of type idp.key_marker';

CREATE VIEW idp.domains WITH (security_barrier) AS
  SELECT d.relation::oid::regclass::text AS table_name, d.column_name, d.keys, d.lower, d.upper
  FROM idp.domain d JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
  WHERE idp.is_readable(c.oid, '', d.column_name);
COMMENT ON VIEW idp.domains IS 'the domains of the columns one may read';
GRANT SELECT ON idp.domains TO PUBLIC;

-- Who may do what -------------------------------------------------------------------------------

-- The tables hold true values, noise and budgets. Whoever may read or write all tables
-- (pg_read_all_data) passes GRANT, not row security: without policies it is for their owner alone,
-- with whose rights views and triggers run. pg_dump reads past it as a superuser.
DO $$
DECLARE
  name regclass;
BEGIN
  FOR name IN
    SELECT c.oid FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE e.extname = 'idp' AND c.relkind = 'r'
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  END LOOP;
END
$$;

-- Default privileges have no say here: nobody but the owner has rights on a table, on a view any but
-- SELECT, on what the extension keeps to itself, and nobody makes anything in schema idp.
DO $$
DECLARE
  statement text;
BEGIN
  FOR statement IN
    SELECT DISTINCT format('REVOKE %s ON %s FROM %s CASCADE', a.privilege_type, o.object,
                           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
    FROM (SELECT 'pg_class'::regclass AS catalog, oid, format('TABLE %s', oid::regclass) AS object, relowner AS owner,
                 relacl AS privileges, CASE relkind WHEN 'v' THEN 'SELECT' END AS kept
          FROM pg_class WHERE relkind IN ('r', 'v')
          UNION ALL
          SELECT 'pg_namespace'::regclass, oid, format('SCHEMA %s', oid::regnamespace), nspowner, nspacl, 'USAGE'
          FROM pg_namespace
          UNION ALL
          SELECT 'pg_proc'::regclass, oid, format('FUNCTION %s', oid::regprocedure), proowner, proacl, NULL
          FROM pg_proc
          WHERE oid IN ('idp.forget_table(oid, text, text)'::regprocedure, 'idp.hide_rows(regclass)'::regprocedure,
                        'idp.show_rows(regclass)'::regprocedure, 'idp.add_shares(regclass, boolean)'::regprocedure)) o
      JOIN pg_depend d ON d.classid = o.catalog AND d.objid = o.oid AND d.deptype = 'e'
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'idp',
      aclexplode(o.privileges) a
    WHERE a.grantee <> o.owner AND a.privilege_type IS DISTINCT FROM o.kept
  LOOP
    EXECUTE statement;
  END LOOP;
END
$$;

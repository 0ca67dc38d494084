-- idp 0.2.0: gradual release and the privacy ledger.
\echo Use "ALTER EXTENSION idp UPDATE" to load this file. \quit

-- Named releases --------------------------------------------------------------------------------

-- Every aggregate has an overload with the name of a release as its last argument. It is a kind of
-- its own to the planner: its name is known in the final function only, so it is not split between
-- processes, and what it stores is written by the leader of a parallel plan. Those whose answers
-- cannot be refined refuse the name, saying why.
DO $$
DECLARE
  agg record;
BEGIN
  FOR agg IN
    SELECT p.proname AS name, pg_catalog.pg_get_function_arguments(p.oid) AS arguments,
           t.proname AS transition, f.proname AS final, a.aggtransspace AS space
    FROM pg_catalog.pg_depend d
      JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'idp'
      JOIN pg_catalog.pg_proc p ON p.oid = d.objid
      JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = p.oid
      JOIN pg_catalog.pg_proc t ON t.oid = a.aggtransfn
      JOIN pg_catalog.pg_proc f ON f.oid = a.aggfinalfn
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
      AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      AND d.deptype = 'e'
    ORDER BY p.oid
  LOOP
    EXECUTE format($f$
      CREATE FUNCTION idp.%1$I(state idp_state, %2$s, release text) RETURNS idp_state
        AS 'MODULE_PATHNAME', %1$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
      CREATE AGGREGATE %3$I(%2$s, release text) (
        SFUNC = idp.%1$I,
        STYPE = idp_state,
        SSPACE = %5$s,
        INITCOND = 'empty',
        FINALFUNC = idp.%4$I,
        FINALFUNC_MODIFY = READ_WRITE,  -- refuses OVER: every frame would be a release
        PARALLEL = RESTRICTED
      );
      COMMENT ON FUNCTION idp.%1$I(idp_state, %2$s, text) IS 'transition function of %3$s';
      COMMENT ON AGGREGATE %3$I(%2$s, text) IS
        'the same as a named release: repeated, refined or tightened when it is asked for again'
      $f$, agg.transition, agg.arguments, agg.name, agg.final, agg.space);
  END LOOP;
END
$$;

-- The catalog -----------------------------------------------------------------------------------

-- Rows of the last three tables are written by the extension alone, in a way that no ROLLBACK takes
-- back, and are never changed. Nobody but superusers may read them: they hold noise and true values.

-- A table, as regclass names it; but a name that leads to no table is read as none, so that a dump
-- from which tables were left out can be restored.
CREATE TYPE idp.table_reference;
CREATE FUNCTION idp.table_reference_in(cstring) RETURNS idp.table_reference
  AS 'MODULE_PATHNAME', 'idp_table_reference_in' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.table_reference_out(idp.table_reference) RETURNS cstring
  AS 'MODULE_PATHNAME', 'idp_table_reference_out' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE TYPE idp.table_reference (
  INPUT = idp.table_reference_in,
  OUTPUT = idp.table_reference_out,
  LIKE = pg_catalog.oid
);
CREATE CAST (idp.table_reference AS oid) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (oid AS idp.table_reference) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (idp.table_reference AS oid) IS 'the number of the table';
COMMENT ON CAST (oid AS idp.table_reference) IS 'the table of that number';
COMMENT ON TYPE idp.table_reference IS 'a table by its number; - if it does not exist';
COMMENT ON FUNCTION idp.table_reference_in(cstring) IS 'input function of type idp.table_reference';
COMMENT ON FUNCTION idp.table_reference_out(idp.table_reference) IS 'output function of type idp.table_reference';

CREATE TABLE idp.account (
  id integer PRIMARY KEY,
  relation idp.table_reference,
  name text COLLATE "C" NOT NULL,
  owner text NOT NULL,
  active boolean NOT NULL,
  budget numeric NOT NULL,
  neighbours text NOT NULL CHECK (neighbours IN ('substitute', 'add_remove')),
  min_epsilon double precision,
  floor double precision,
  since timestamp with time zone NOT NULL
);
CREATE INDEX account_relation ON idp.account (relation pg_catalog.oid_ops);
CREATE INDEX account_name ON idp.account (name);
COMMENT ON TABLE idp.account IS 'protected tables and their privacy budgets; see view idp.budget';
COMMENT ON COLUMN idp.account.relation IS 'the table; null once it is dropped: the account then waits for a table of its name';
COMMENT ON COLUMN idp.account.name IS 'qualified name of the table when it was protected or dropped';
COMMENT ON COLUMN idp.account.owner IS 'owner of the table when it was protected: who may take the account over once the table is dropped';
COMMENT ON COLUMN idp.account.active IS 'whether answers are charged';

CREATE TABLE idp.charge (
  account integer NOT NULL,
  entry bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  role text NOT NULL,
  aggregate text NOT NULL,
  epsilon numeric NOT NULL,
  spent numeric NOT NULL,
  release text,
  family uuid,
  family_epsilon double precision,
  PRIMARY KEY (account, entry)
);
CREATE INDEX charge_family ON idp.charge (family, account, entry) WHERE family IS NOT NULL;
COMMENT ON TABLE idp.charge IS 'the privacy ledger; see view idp.ledger';
COMMENT ON COLUMN idp.charge.epsilon IS 'what the answer cost, groups and grouping sets included';
COMMENT ON COLUMN idp.charge.spent IS 'the total of the account after this charge';
COMMENT ON COLUMN idp.charge.family IS 'the chains of named releases that it pays for';
COMMENT ON COLUMN idp.charge.family_epsilon IS 'the largest epsilon they may be refined to from then on';

CREATE TABLE idp.chain (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  name_hash bigint NOT NULL,
  family uuid NOT NULL,
  grouped boolean NOT NULL,
  accounts integer[] NOT NULL,
  relation idp.table_reference,
  table_name text,
  tables idp.table_reference[] NOT NULL,
  aggregate text NOT NULL,
  "column" text NOT NULL,
  result regtype NOT NULL,
  born timestamp with time zone NOT NULL,
  role text NOT NULL,
  record bytea
);
CREATE INDEX chain_name ON idp.chain (name_hash, born);
CREATE INDEX chain_family ON idp.chain (family);
COMMENT ON TABLE idp.chain IS 'named releases: what was frozen at the first answer; see view idp.releases';
COMMENT ON COLUMN idp.chain.relation IS 'the table that the rows are of; null if that is not one, or it was dropped';
COMMENT ON COLUMN idp.chain.tables IS 'the tables that were read: those whose budgets pay when the answer is refined';
COMMENT ON COLUMN idp.chain.record IS 'the question, the true values and the sensitivities; null if the next answer begins anew';

CREATE TABLE idp.chain_level (
  chain uuid NOT NULL,
  epsilons double precision[] NOT NULL,
  noise bytea NOT NULL,
  at timestamp with time zone NOT NULL,
  role text NOT NULL
);
CREATE INDEX chain_level_chain ON idp.chain_level (chain);
COMMENT ON TABLE idp.chain_level IS 'the noise of named releases at each level of epsilon they were asked for';

-- Alphabetical order, which pg_dump follows, puts charges after what they pay for: a dump that is
-- taken while answers are given never lacks the charge of a release it holds.
SELECT pg_catalog.pg_extension_config_dump('idp.account', '');
SELECT pg_catalog.pg_extension_config_dump('idp.chain', '');
SELECT pg_catalog.pg_extension_config_dump('idp.chain_level', '');
SELECT pg_catalog.pg_extension_config_dump('idp.charge', '');

-- A dropped table leaves its account behind, waiting for a table of the same name.
CREATE FUNCTION idp.forget_dropped_tables() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE idp.account a SET relation = NULL, name = d.object_identity
    FROM pg_event_trigger_dropped_objects() d
    WHERE d.classid = 'pg_class'::regclass AND d.objsubid = 0 AND a.relation::oid = d.objid;
  UPDATE idp.chain c SET relation = NULL, table_name = d.object_identity
    FROM pg_event_trigger_dropped_objects() d
    WHERE d.classid = 'pg_class'::regclass AND d.objsubid = 0 AND c.relation::oid = d.objid;
END
$$;
COMMENT ON FUNCTION idp.forget_dropped_tables() IS
  'keeps budgets and releases of tables that are dropped';
CREATE EVENT TRIGGER idp_forget_dropped_tables ON sql_drop
  EXECUTE FUNCTION idp.forget_dropped_tables();
COMMENT ON EVENT TRIGGER idp_forget_dropped_tables IS
  'keeps budgets and releases of tables that are dropped';

-- Administration --------------------------------------------------------------------------------

CREATE FUNCTION idp.protect("table" regclass, budget numeric, neighbours text DEFAULT 'substitute',
                            min_epsilon double precision DEFAULT NULL, floor double precision DEFAULT NULL)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_protect' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.protect(regclass, numeric, text, double precision, double precision) IS
  'charges private answers about a table to a budget from now on, or changes its budget and rules; for its owner';

CREATE FUNCTION idp.unprotect("table" regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_unprotect' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.unprotect(regclass) IS
  'stops charging answers about a table; what was spent stays in the ledger; for its owner';

CREATE FUNCTION idp.relax(release text, epsilon double precision) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_relax' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.relax(text, double precision) IS
  'the answer of a named release at epsilon, refined, tightened or repeated without reading the table; only what exceeds the largest epsilon so far is charged';

CREATE FUNCTION idp.relax(release text, epsilons double precision[]) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_relax_groups' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.relax(text, double precision[]) IS
  'the same for a release with several epsilons: epsilons[i] protects groups of i records';

CREATE FUNCTION idp.refresh(release text) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_refresh' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.refresh(text) IS
  'makes the next answer under this name a new release over the table as it then is, charged in full; for the owner of the table';

CREATE FUNCTION idp.drop_release(release text) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_drop_release' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.drop_release(text) IS
  'deletes a named release with its noise; what it cost stays charged; for the owner of the table';

CREATE FUNCTION idp.release_answer(release text) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_release_answer' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.release_answer(text) IS
  'the most accurate answer that was given under a release name';

CREATE FUNCTION idp.is_readable(relation regclass, role text, column_name text) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_is_readable' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.is_readable(regclass, text, text) IS
  'whether the current role is that role, or may read that column of all rows of the table; an empty name stands for any column';

CREATE VIEW idp.releases WITH (security_barrier) AS
  SELECT c.name, coalesce(nullif(c.relation::oid, 0)::regclass::text, c.table_name) AS table_name, c.aggregate,
         c."column" AS column_name, l.epsilon, idp.release_answer(c.name) AS answer,
         coalesce(l.first_answer, c.born) AS first_answer, l.last_answer, c.role
  FROM (SELECT DISTINCT ON (name) * FROM idp.chain ORDER BY name, born DESC) c,
       LATERAL (SELECT max(epsilons[1]) AS epsilon, min(at) AS first_answer, max(at) AS last_answer
                FROM idp.chain_level WHERE chain = c.id) l
  WHERE idp.is_readable(c.relation::oid::regclass, c.role, c."column");
COMMENT ON VIEW idp.releases IS
  'the named releases of tables one may read: the most accurate answer so far and its epsilon';

CREATE VIEW idp.budget WITH (security_barrier) AS
  SELECT coalesce(nullif(a.relation::oid, 0)::regclass::text, a.name) AS table_name, a.active, a.neighbours, a.min_epsilon,
         a.floor, a.budget AS total, coalesce(c.spent, 0) AS spent,
         a.budget - coalesce(c.spent, 0) AS remaining
  FROM idp.account a LEFT JOIN LATERAL
       (SELECT spent FROM idp.charge WHERE account = a.id ORDER BY entry DESC LIMIT 1) c ON true
  WHERE idp.is_readable(a.relation::oid::regclass, '', '');
COMMENT ON VIEW idp.budget IS 'the privacy budgets of protected tables one may read';

CREATE VIEW idp.ledger WITH (security_barrier) AS
  SELECT c.role, c.at, coalesce(nullif(a.relation::oid, 0)::regclass::text, a.name) AS table_name, c.aggregate, c.epsilon,
         c.release
  FROM idp.charge c JOIN idp.account a ON a.id = c.account
  WHERE idp.is_readable(a.relation::oid::regclass, '', '')
  ORDER BY c.at, c.account, c.entry;
COMMENT ON VIEW idp.ledger IS 'what was charged to the budgets of tables one may read';

GRANT SELECT ON idp.releases, idp.budget, idp.ledger TO PUBLIC;

-- Private aggregates, named releases, the privacy ledger.
--
-- Aggregates and their state type live in the schema the extension is installed into, which is the
-- current one while this runs; everything else lives in schema idp, out of the way.
\echo Use "CREATE EXTENSION idp" to load this file. \quit

-- the schema of everything that is not called by name in a query
DO $$
BEGIN
  IF current_schema() <> 'idp' THEN
    CREATE SCHEMA idp;
  END IF;
END
$$;
GRANT USAGE ON SCHEMA idp TO PUBLIC;
COMMENT ON SCHEMA idp IS 'differential privacy: support functions of the private aggregates';

-- The state -------------------------------------------------------------------------------------

CREATE TYPE idp_state;

CREATE FUNCTION idp.idp_state_in(cstring) RETURNS idp_state
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.idp_state_out(idp_state) RETURNS cstring
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.idp_state_recv(internal) RETURNS idp_state
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.idp_state_send(idp_state) RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE idp_state (
  INPUT = idp.idp_state_in,
  OUTPUT = idp.idp_state_out,
  RECEIVE = idp.idp_state_recv,
  SEND = idp.idp_state_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = double,
  STORAGE = extended
);
COMMENT ON FUNCTION idp.idp_state_in(cstring) IS 'input function of type idp_state';
COMMENT ON FUNCTION idp.idp_state_out(idp_state) IS 'output function of type idp_state';
COMMENT ON FUNCTION idp.idp_state_recv(internal) IS 'binary input function of type idp_state';
COMMENT ON FUNCTION idp.idp_state_send(idp_state) IS 'binary output function of type idp_state';
COMMENT ON TYPE idp_state IS
  'what a private aggregate has collected so far, with its parameters; holds the data themselves, without noise';

CREATE FUNCTION idp.combine(idp_state, idp_state)
  RETURNS idp_state
  AS 'MODULE_PATHNAME', 'idp_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.combine(idp_state, idp_state) IS
  'combine function of the private aggregates: the state of both inputs together';

-- Epsilons --------------------------------------------------------------------------------------

-- Epsilons have a type of their own. An array beside a number would leave every literal and parameter
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
CREATE CAST (smallint[] AS idp.epsilons) WITH FUNCTION idp.epsilons(anyarray) AS IMPLICIT;
CREATE CAST (integer[] AS idp.epsilons) WITH FUNCTION idp.epsilons(anyarray) AS IMPLICIT;
CREATE CAST (bigint[] AS idp.epsilons) WITH FUNCTION idp.epsilons(anyarray) AS IMPLICIT;
CREATE CAST (real[] AS idp.epsilons) WITH FUNCTION idp.epsilons(anyarray) AS IMPLICIT;
CREATE CAST (numeric[] AS idp.epsilons) WITH FUNCTION idp.epsilons(anyarray) AS IMPLICIT;
COMMENT ON CAST (smallint[] AS idp.epsilons) IS 'an array of numbers as idp.epsilons';
COMMENT ON CAST (integer[] AS idp.epsilons) IS 'an array of numbers as idp.epsilons';
COMMENT ON CAST (bigint[] AS idp.epsilons) IS 'an array of numbers as idp.epsilons';
COMMENT ON CAST (real[] AS idp.epsilons) IS 'an array of numbers as idp.epsilons';
COMMENT ON CAST (numeric[] AS idp.epsilons) IS 'an array of numbers as idp.epsilons';

-- The final functions ---------------------------------------------------------------------------

-- One C function serves all types of a kind; it looks up its own result type.

-- [final functions]
-- The aggregates --------------------------------------------------------------------------------

-- One for each type of column: anyelement would admit every type, and over one that is missing the
-- server would compute in double precision. FINALFUNC_MODIFY = READ_WRITE refuses OVER, where every
-- frame would be a release. SSPACE is what a group takes, so that hashing does not begin more of them
-- than memory holds once they have grown.
--
-- Each has an overload with the name of a release as its last argument. It is a kind of its own to the
-- planner: its name is known in the final function only, so it is not split between processes, and
-- what it stores is written by the leader of a parallel plan.

-- [aggregates]
-- Accuracy --------------------------------------------------------------------------------------

-- Computed from their arguments alone: no data, nothing random.
CREATE FUNCTION dp_error(epsilon double precision, sensitivity double precision, confidence double precision,
                         step double precision DEFAULT 1)
  RETURNS double precision
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_error(double precision, double precision, double precision, double precision) IS
  'the half-width that discrete Laplace noise of this epsilon and sensitivity, in multiples of step, stays within with the given confidence; step 0: Laplace noise';

CREATE FUNCTION dp_epsilon_for(error double precision, sensitivity double precision, confidence double precision,
                               step double precision DEFAULT 1)
  RETURNS double precision
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_epsilon_for(double precision, double precision, double precision, double precision) IS
  'the smallest epsilon whose noise stays within error with the given confidence: the inverse of dp_error';

-- Over a private answer the planner writes margin_of in its place, with what the law of the noise
-- follows from; over anything else nothing is known.
CREATE FUNCTION idp.margin(answer "any", confidence double precision DEFAULT 0.95) RETURNS double precision
  AS 'MODULE_PATHNAME', 'idp_margin' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.margin("any", double precision) IS
  'how far the noise of a private answer in the same SELECT strays at most, with the given confidence; null where that is not known: for all but counts and sums';
CREATE FUNCTION idp.margin_of("any", double precision, double precision, oid, oid[], integer, VARIADIC "any") RETURNS double precision
  AS 'MODULE_PATHNAME', 'idp_margin_of' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.margin_of("any", double precision, double precision, oid, oid[], integer, "any") IS 'internal: what idp.margin becomes over a private answer';

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

CREATE FUNCTION dp_report(value anycompatible, epsilon double precision, domain anycompatiblearray)
  RETURNS idp.report
  AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION dp_report(value anycompatible, epsilon double precision, domain anycompatiblearray, earlier idp.report)
  RETURNS idp.report
  AS 'MODULE_PATHNAME', 'dp_report_again' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION dp_rappor_report(value text, epsilon double precision, bits integer, hashes integer)
  RETURNS idp.rappor_report
  AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION dp_rappor_report(value text, epsilon double precision, bits integer, hashes integer,
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
COMMENT ON FUNCTION dp_report(anycompatible, double precision, anycompatiblearray) IS
  'epsilon-DP report of one record''s own value, one of a public domain: randomised response';
COMMENT ON FUNCTION dp_report(anycompatible, double precision, anycompatiblearray, idp.report) IS
  'the same value once more at another epsilon: all answers together are as private as the one with the largest epsilon';
COMMENT ON FUNCTION dp_rappor_report(text, double precision, integer, integer) IS
  'epsilon-DP report of one record''s own string: each bit of its Bloom filter by randomised response (RAPPOR)';
COMMENT ON FUNCTION dp_rappor_report(text, double precision, integer, integer, idp.rappor_report) IS
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

CREATE AGGREGATE dp_report_count(report idp.report, epsilon double precision, value anyelement) (
  SFUNC = idp.dp_report_count_accum, STYPE = internal, FINALFUNC = idp.dp_report_count_final, PARALLEL = SAFE);
CREATE AGGREGATE dp_report_count(report idp.report, epsilon double precision, value text) (
  SFUNC = idp.dp_report_count_accum, STYPE = internal, FINALFUNC = idp.dp_report_count_final, PARALLEL = SAFE);
CREATE AGGREGATE dp_rappor_count(report idp.rappor_report, epsilon double precision, candidates text[]) (
  SFUNC = idp.dp_rappor_count_accum, STYPE = internal, FINALFUNC = idp.dp_rappor_count_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_report_count(idp.report, double precision, anyelement) IS
  'how many reports, made with that epsilon, are of the value: an unbiased estimate and its standard error';
COMMENT ON AGGREGATE dp_report_count(idp.report, double precision, text) IS
  'how many reports, made with that epsilon, are of the value: an unbiased estimate and its standard error';
COMMENT ON AGGREGATE dp_rappor_count(idp.rappor_report, double precision, text[]) IS
  'how many reports, made with that epsilon, are of each of the candidates: least squares over the bits, with standard errors';

-- What follows lies in schema idp. Its operators and functions are those of the server: an exact match
-- in the schema of the extension, where others may create some, would be preferred.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Synthetic rows --------------------------------------------------------------------------------

CREATE FUNCTION idp.synthesize_rows(relation regclass, names text[], sizes integer[], domains text[],
                                    epsilon double precision, rows bigint)
  RETURNS SETOF jsonb
  AS 'MODULE_PATHNAME', 'idp_synthesize' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.synthesize_rows(regclass, text[], integer[], text[], double precision, bigint) IS
  'internal: what idp.synthesize calls: the domains of the columns one after the other, and how many values each has';
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

-- The catalog -----------------------------------------------------------------------------------

-- Rows of charge, chain and chain_level are written by the extension alone, in a way that no ROLLBACK takes
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
  since timestamp with time zone NOT NULL,
  hidden boolean NOT NULL DEFAULT false,
  per text NOT NULL DEFAULT 'table' CHECK (per IN ('table', 'partition')),
  renewal interval,
  part_of integer,
  unit text,
  delta numeric,
  widened bigint,
  repeats interval,
  unit_column idp.column_reference,
  epsilon double precision,
  max_epsilon double precision
);
CREATE INDEX account_relation ON idp.account (relation pg_catalog.oid_ops);
CREATE INDEX account_name ON idp.account (name);
COMMENT ON TABLE idp.account IS 'protected tables and their privacy budgets; see view idp.protection';
COMMENT ON COLUMN idp.account.relation IS 'the table; null once it is dropped: the account then waits for a table of its name';
COMMENT ON COLUMN idp.account.name IS 'qualified name of the table when it was protected or dropped';
COMMENT ON COLUMN idp.account.owner IS
  'owner of the table when it was protected or dropped: who may take the account over once the table is dropped';
COMMENT ON COLUMN idp.account.active IS 'whether answers are charged';
COMMENT ON COLUMN idp.account.hidden IS 'whether rows are hidden from all but the owner of the table';
COMMENT ON COLUMN idp.account.per IS 'what has the whole budget: the table, or each of its partitions';
COMMENT ON COLUMN idp.account.renewal IS 'how long a budget lasts; null: for ever';
COMMENT ON COLUMN idp.account.delta IS 'how much delta (epsilon, delta)-private answers may spend beside the budget; null: none';
COMMENT ON COLUMN idp.account.widened IS
  'the last entry of the ledger before neighbours were changed from add_remove to substitute; null: they never were';
COMMENT ON COLUMN idp.account.repeats IS 'for how long a question that is asked again has the same answer, free; null: never';
COMMENT ON COLUMN idp.account.epsilon IS 'the epsilon of plain aggregates where nobody set idp.epsilon; null: the default of that';
COMMENT ON COLUMN idp.account.max_epsilon IS 'the largest epsilon of one answer; null: any';
COMMENT ON COLUMN idp.account.part_of IS
  'the account of the partitioned table that it is the share of a partition of, with the rules of that; null if it is none';
COMMENT ON COLUMN idp.account.unit IS
  'the column that tells whose a row is, which rows of linked tables refer to; null if each row is one by itself';
COMMENT ON COLUMN idp.account.unit_column IS 'the same by its number: another column that gets the name tells nothing; null if there is none, or the table was dropped';

CREATE TABLE idp.link (
  account integer NOT NULL,
  relation idp.table_reference,
  name text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  "column" text COLLATE "C" NOT NULL,
  parent idp.table_reference,
  max_rows integer,
  from_column idp.column_reference,
  to_column idp.column_reference
);
CREATE INDEX link_account ON idp.link (account);
CREATE INDEX link_relation ON idp.link (relation pg_catalog.oid_ops);
CREATE INDEX link_name ON idp.link (name);
COMMENT ON TABLE idp.link IS 'tables whose rows belong to the units of an account; see idp.link(regclass, text, regclass, boolean, integer)';
COMMENT ON COLUMN idp.link.relation IS 'the linked table; null once it is dropped: the link then waits for a table of its name';
COMMENT ON COLUMN idp.link.name IS 'qualified name of the linked table when it was linked or dropped';
COMMENT ON COLUMN idp.link.owner IS 'owner of the linked table when it was linked or dropped';
COMMENT ON COLUMN idp.link."column" IS 'the column that refers to the parent, by its name';
COMMENT ON COLUMN idp.link.parent IS
  'the table that its rows belong to rows of: that of the account, or one linked to it; null once that is dropped';
COMMENT ON COLUMN idp.link.max_rows IS 'how many rows of one unit plain aggregates read at most; null: nobody said, and they are refused where that matters';
COMMENT ON COLUMN idp.link.from_column IS 'that column by its number: another one that gets the name is none of the link; null once the table is dropped';
COMMENT ON COLUMN idp.link.to_column IS 'the column of the parent that it refers to; null once that is dropped';

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
  delta numeric,
  delta_spent numeric,
  outer_role text,
  session_role text,
  asker text[] COLLATE "C" GENERATED ALWAYS AS (ARRAY[role, outer_role, session_role]) STORED,
  asker_spent numeric,
  carried_from integer,
  PRIMARY KEY (account, entry)
);
CREATE INDEX charge_family ON idp.charge (family, account, entry) WHERE family IS NOT NULL;
CREATE INDEX charge_asker ON idp.charge (account, asker, entry);
COMMENT ON TABLE idp.charge IS 'the privacy ledger; see view idp.ledger';
COMMENT ON COLUMN idp.charge.epsilon IS 'what the answer cost, groups and grouping sets included';
COMMENT ON COLUMN idp.charge.spent IS 'the total of the account after this charge';
COMMENT ON COLUMN idp.charge.delta IS 'what the answer cost beside epsilon; null: nothing';
COMMENT ON COLUMN idp.charge.delta_spent IS 'the total of delta of the account after this charge; null: nothing';
COMMENT ON COLUMN idp.charge.role IS 'the role that asked: the current one';
COMMENT ON COLUMN idp.charge.outer_role IS
  'the role that SET ROLE had chosen: another one where a function that is SECURITY DEFINER asked; null for charges of 0.2.0';
COMMENT ON COLUMN idp.charge.session_role IS 'the role of the session; null for charges of 0.2.0';
COMMENT ON COLUMN idp.charge.asker IS 'the three roles together';
COMMENT ON COLUMN idp.charge.asker_spent IS
  'the total that was charged for the same three roles to the account after this charge; null for charges of earlier versions, restored from a dump';
COMMENT ON COLUMN idp.charge.carried_from IS
  'the account whose past it is, charged at what that means under another rule, or forgotten; null for answers';
COMMENT ON COLUMN idp.charge.family IS 'the chains of named releases that it pays for';
COMMENT ON COLUMN idp.charge.family_epsilon IS 'the largest epsilon they may be refined to from then on';

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
  record bytea,
  condition text COLLATE "C",
  used_columns text[] COLLATE "C"
);
CREATE INDEX chain_name_hash ON idp.chain (name_hash, born);
CREATE INDEX chain_family ON idp.chain (family);
CREATE INDEX chain_relation ON idp.chain (relation pg_catalog.oid_ops, name_hash, born);
CREATE INDEX chain_role ON idp.chain (role COLLATE "C", name_hash, born);
COMMENT ON TABLE idp.chain IS 'named releases: what was frozen at the first answer; see view idp.releases';
COMMENT ON COLUMN idp.chain.relation IS 'the table that the rows are of; null if that is not one, or it was dropped';
COMMENT ON COLUMN idp.chain.tables IS 'the tables that were read: those whose budgets pay when the answer is refined';
COMMENT ON COLUMN idp.chain.record IS 'the question, the true values and the sensitivities; null if the next answer begins anew';
COMMENT ON COLUMN idp.chain.condition IS
  'which rows the release is about, as SQL; empty for all rows of the table; null for a release that 0.2.0 began, which any condition fits';
COMMENT ON COLUMN idp.chain.used_columns IS
  'the columns of the table that the question is about: who may read them all may read the release; null if they are not known: who may read all columns';

CREATE TABLE idp.chain_level (
  chain uuid NOT NULL,
  epsilons double precision[] NOT NULL,
  noise bytea NOT NULL,
  at timestamp with time zone NOT NULL,
  role text NOT NULL
);
CREATE INDEX chain_level_chain ON idp.chain_level (chain);
-- What is compressed tells by its size what is in it.
ALTER TABLE idp.answer ALTER COLUMN records SET STORAGE EXTERNAL, ALTER COLUMN noise SET STORAGE EXTERNAL;
ALTER TABLE idp.chain ALTER COLUMN record SET STORAGE EXTERNAL;
ALTER TABLE idp.chain_level ALTER COLUMN noise SET STORAGE EXTERNAL;
COMMENT ON TABLE idp.chain_level IS 'the noise of named releases at each level of epsilon they were asked for';

CREATE TABLE idp.account_end (
  account integer NOT NULL,
  owner text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, owner)
);
COMMENT ON TABLE idp.account_end IS
  'accounts of dropped tables that the owner of a later table of their name has ended, for the tables of that owner';

-- Alphabetical order, which pg_dump follows, puts charges after what they pay for: a dump that is
-- taken while answers are given never lacks the charge of a release it holds.
SELECT pg_catalog.pg_extension_config_dump('idp.account', '');
SELECT pg_catalog.pg_extension_config_dump('idp.chain', '');
SELECT pg_catalog.pg_extension_config_dump('idp.chain_level', '');
SELECT pg_catalog.pg_extension_config_dump('idp.charge', '');
SELECT pg_catalog.pg_extension_config_dump('idp.account_end', '');

-- A dropped table leaves its account behind, waiting for a table of the same name.
CREATE FUNCTION idp.forget_table(relation oid, schema_name text, table_name text) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_forget_table' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.forget_table(oid, text, text) IS
  'internal: lets the account of a table that was dropped wait for a table of its name, which it tells as it is stored; null if no release or domain is of the table';
REVOKE EXECUTE ON FUNCTION idp.forget_table(oid, text, text) FROM PUBLIC;

-- An UPDATE would not see an account that is newer than the snapshot of the transaction.
CREATE FUNCTION idp.forget_dropped_tables() RETURNS event_trigger
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
COMMENT ON FUNCTION idp.forget_dropped_tables() IS
  'internal: keeps budgets and releases of tables that are dropped';
CREATE EVENT TRIGGER idp_forget_dropped_tables ON sql_drop
  EXECUTE FUNCTION idp.forget_dropped_tables();
ALTER EVENT TRIGGER idp_forget_dropped_tables ENABLE ALWAYS;  -- whatever session_replication_role is
COMMENT ON EVENT TRIGGER idp_forget_dropped_tables IS
  'keeps budgets and releases of tables that are dropped';

-- Hidden rows -----------------------------------------------------------------------------------

-- The lock that needs no library: policies of each hidden table, and of what is a part of it. The
-- function is never true; a plan that is approved does without it. It is VOLATILE, though it always
-- does the same, so that it stays a condition of the scan. It stands in a restrictive policy, which
-- holds beside any of the owner's, and in a permissive one: Citus makes both permissive on shards,
-- where the condition is then the one OR the other.
CREATE FUNCTION idp.approved_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'idp_approved_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idp.approved() RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_approved' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idp.approved_support;
COMMENT ON FUNCTION idp.approved_support(internal) IS 'internal: planner support function of idp.approved';
COMMENT ON FUNCTION idp.approved() IS
  'internal: the condition of policies of hidden tables: an error, except in queries that were approved, which do without it';

-- Inserting asks for no rows. It is IMMUTABLE so that the planner evaluates it, which loads the library.
CREATE FUNCTION idp.loaded() RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_loaded' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.loaded() IS
  'internal: the check of policies of hidden tables: true; the library is loaded before a row is inserted';

CREATE FUNCTION idp.hides_rows("table" regclass) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_hides_rows' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.hides_rows(regclass) IS
  'internal: whether the table, or one that it is a part of, is protected with hidden rows';

CREATE FUNCTION idp.part_locks("table" regclass, OUT part regclass, OUT is_foreign boolean, OUT is_enabled boolean,
                               OUT has_lock boolean, OUT has_all_rows boolean, OUT has_others boolean, OUT open_parent regclass,
                               OUT is_weak boolean, OUT is_open boolean, OUT is_distributed boolean)
  RETURNS SETOF record AS 'MODULE_PATHNAME', 'idp_part_locks' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.part_locks(regclass) IS
  'internal: of the table, its partitions and the tables that inherit from it: what row security and which policies they have, a table with visible rows that they are a part of, whether the policies are as weak as Citus or an earlier version makes them, and whether Citus distributes it; as of now, in any snapshot';

CREATE FUNCTION idp.parts("table" regclass) RETURNS SETOF regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$SELECT part FROM idp.part_locks($1)$$;
COMMENT ON FUNCTION idp.parts(regclass) IS 'internal: the table, its partitions and the tables that inherit from it';

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

CREATE FUNCTION idp.is_locked("table" regclass) RETURNS boolean
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
COMMENT ON FUNCTION idp.is_locked(regclass) IS
  'internal: whether row security of the table and all its parts lets nobody but their owners read rows';

CREATE FUNCTION idp.hide_rows("table" regclass) RETURNS void
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
COMMENT ON FUNCTION idp.hide_rows(regclass) IS 'internal: puts the lock of row security on a table and its parts: idp.protect';
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
COMMENT ON FUNCTION idp.show_rows(regclass) IS 'internal: takes the lock of row security off a table and its parts: idp.unprotect';
REVOKE EXECUTE ON FUNCTION idp.show_rows(regclass) FROM PUBLIC;

CREATE FUNCTION idp.joins_tables(command pg_ddl_command) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_joins_tables' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.joins_tables(pg_ddl_command) IS
  'internal: whether a command may make a table a part of another, or give it a name';

-- What becomes a part of a hidden table, or takes the name of one that was dropped, gets the lock,
-- whatever the command is: CREATE SCHEMA makes tables, ALTER SCHEMA and ALTER INDEX rename them.
-- Where the owner has disabled it, it stays disabled: idp.protection shows that.
CREATE FUNCTION idp.keep_rows_hidden() RETURNS event_trigger
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
COMMENT ON FUNCTION idp.keep_rows_hidden() IS 'internal: hides rows of what becomes a part of a hidden table';
CREATE EVENT TRIGGER idp_keep_rows_hidden ON ddl_command_end
  EXECUTE FUNCTION idp.keep_rows_hidden();
ALTER EVENT TRIGGER idp_keep_rows_hidden ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_keep_rows_hidden IS 'hides rows of what becomes a part of a hidden table';

-- Functions of users over hidden rows.
CREATE TABLE idp.trusted_function (
  function text COLLATE "C" PRIMARY KEY  -- the name and the types of its arguments, as pg_identify_object tells them
);
COMMENT ON TABLE idp.trusted_function IS 'functions that may be applied to hidden rows; see idp.trust_function';
SELECT pg_catalog.pg_extension_config_dump('idp.trusted_function', '');

CREATE FUNCTION idp.has_own_names(function regprocedure) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_has_own_names' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.has_own_names(regprocedure) IS
  'internal: whether the names in a function stand for the same whoever calls it: one in C, or with search_path = pg_catalog, pg_temp';

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
COMMENT ON FUNCTION idp.trust_function(regprocedure) IS
  'allows a function over hidden rows; for superusers, who see to it that it never fails and has no effect';

CREATE FUNCTION idp.distrust_function(function regprocedure) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'must be superuser to distrust functions with hidden rows' USING ERRCODE = 'insufficient_privilege';
  END IF;
  DELETE FROM idp.trusted_function t WHERE t.function = (pg_identify_object('pg_proc'::regclass, $1, 0)).identity;
END
$$;
COMMENT ON FUNCTION idp.distrust_function(regprocedure) IS 'takes back idp.trust_function; for superusers';

-- What was trusted is not trusted under the name that another function has by then.
CREATE FUNCTION idp.is_there(function text) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_is_there' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.is_there(text) IS 'internal: whether a function has that name and arguments of those types';
CREATE FUNCTION idp.trusted_are_there() RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_trusted_are_there' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.trusted_are_there() IS 'internal: whether all functions of idp.trust_function are there';
CREATE FUNCTION idp.forget_dropped_functions() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT idp.trusted_are_there() THEN  -- a lock would stay until the transaction ends
    DELETE FROM idp.trusted_function t WHERE NOT idp.is_there(t.function);
  END IF;
END
$$;
COMMENT ON FUNCTION idp.forget_dropped_functions() IS 'internal: takes back idp.trust_function of functions that are dropped or get another name';
CREATE EVENT TRIGGER idp_forget_dropped_functions ON sql_drop
  EXECUTE FUNCTION idp.forget_dropped_functions();
ALTER EVENT TRIGGER idp_forget_dropped_functions ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_forget_dropped_functions IS 'takes back idp.trust_function of functions that are dropped';
CREATE EVENT TRIGGER idp_forget_renamed_functions ON ddl_command_end
  EXECUTE FUNCTION idp.forget_dropped_functions();
ALTER EVENT TRIGGER idp_forget_renamed_functions ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_forget_renamed_functions IS 'takes back idp.trust_function of functions that get another name';

-- Functions over hidden rows that must not fail: what stands there for those of the server that may.
CREATE FUNCTION idp.in_one_form(anyelement) RETURNS anyelement
  AS 'MODULE_PATHNAME', 'idp_in_one_form' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.in_one_form(anyelement) IS
  'internal: the same value, not compressed, with 0 for -0, one NaN, and no zeros behind a numeric without a scale: stands for the key of a group of hidden rows, which must not tell of which row it is';
CREATE FUNCTION idp.total(original regprocedure, operator regoperator, VARIADIC "any") RETURNS "any"
  AS 'MODULE_PATHNAME', 'idp_total' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.total(regprocedure, regoperator, VARIADIC "any") IS
  'internal: the same as the function of the server, and NULL where that fails; stands for it over hidden rows, and is not to be called by queries';

-- What the server tells everybody that follows from rows which were read.
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

-- What roles may spend of a budget.
CREATE TABLE idp.role_limit (
  account integer NOT NULL,
  role text COLLATE "C" NOT NULL,
  budget numeric NOT NULL,
  PRIMARY KEY (account, role)
);
COMMENT ON TABLE idp.role_limit IS 'how much of a budget a role and its members may spend; see idp.limit_role';
SELECT pg_catalog.pg_extension_config_dump('idp.role_limit', '');
SELECT pg_catalog.pg_extension_config_dump('idp.link', '');

CREATE FUNCTION idp.limit_role("table" regclass, role regrole, budget numeric) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_limit_role' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.limit_role(regclass, regrole, numeric) IS
  'limits what a role and its members may spend of the budget of a table; null ends the limit; for the owner of the table';
CREATE FUNCTION idp.limit_left(account integer) RETURNS numeric
  AS 'MODULE_PATHNAME', 'idp_limit_left' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.limit_left(integer) IS 'internal: how much of an account the limits of the role that asks leave to it; null: none binds it; for view idp.protection';
CREATE FUNCTION idp.limit_spent(account integer, role text) RETURNS numeric
  AS 'MODULE_PATHNAME', 'idp_limit_spent' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.limit_spent(integer, text) IS 'internal: what a role with a limit and its members were charged to an account in the present period; null for others than the owner and these; for view idp.limits';

-- What a query would cost.
CREATE FUNCTION idp.cost(query text, OUT relation regclass, OUT epsilon numeric, OUT delta numeric, OUT reserved numeric)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'idp_cost' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.cost(text) IS
  'what a SELECT would charge to the budget of each protected table, without running it; reserved: what its releases may cost at most';
CREATE FUNCTION idp.cost(query text, as_others boolean, OUT relation regclass, OUT epsilon numeric, OUT delta numeric, OUT reserved numeric)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'idp_cost' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.cost(text, boolean) IS
  'the same; as_others: to a role from which the rows are hidden, whatever the role that calls it may see';

-- What answers tell of single units.
CREATE FUNCTION idp.audit(query text, units bigint DEFAULT 100, OUT call integer, OUT aggregate text,
                          OUT relation regclass, OUT epsilon double precision, OUT charged double precision,
                          OUT tried bigint, OUT moved double precision, OUT loss double precision,
                          OUT groups bigint, OUT unit text, OUT ok boolean)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'idp_audit' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.audit(text, bigint) IS
  'leaves units out of the tables of a SELECT, one at a time, and holds how far its private answers tell that against what is charged; draws, charges and keeps nothing; for the owner of the tables';

-- Budgets of partitions and periods -------------------------------------------------------------

CREATE FUNCTION idp.period_bound(renewal interval, latest timestamptz, ends boolean) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'idp_period_bound' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.period_bound(interval, timestamptz, boolean) IS
  'internal: when the present period of a budget began, or ends; it is never before that of the latest charge';

CREATE FUNCTION idp.add_shares("table" regclass, counts_past boolean) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_add_shares' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.add_shares(regclass, boolean) IS
  'internal: gives a budget to each partition that has none, where that of a table is for each of its partitions';
REVOKE EXECUTE ON FUNCTION idp.add_shares(regclass, boolean) FROM PUBLIC;

CREATE FUNCTION idp.take_account("table" regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_take_account' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.take_account(regclass) IS
  'internal: lets a table take the account of a dropped one of its name and owner, if nothing was asked about its rows before; charges it with the past of what waits for a name that it has no more';
REVOKE EXECUTE ON FUNCTION idp.take_account(regclass) FROM PUBLIC;

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
CREATE EVENT TRIGGER idp_share_with_partitions ON ddl_command_end
  EXECUTE FUNCTION idp.share_with_partitions();
ALTER EVENT TRIGGER idp_share_with_partitions ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER idp_share_with_partitions IS
  'gives a budget to each new partition, where that of a table is for each of its partitions, and to a table the account that waits for its name';

CREATE FUNCTION idp.bind_columns() RETURNS void
  AS 'MODULE_PATHNAME', 'idp_bind_columns' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.bind_columns() IS
  'internal: gives the columns of units and links their numbers, where a dump of an earlier version has brought names alone';
REVOKE EXECUTE ON FUNCTION idp.bind_columns() FROM PUBLIC;

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

-- Administration --------------------------------------------------------------------------------

CREATE FUNCTION idp.protect("table" regclass, budget numeric, neighbours text DEFAULT NULL,
                            min_epsilon double precision DEFAULT NULL, floor double precision DEFAULT NULL,
                            rows text DEFAULT NULL, per text DEFAULT NULL, renew text DEFAULT NULL,
                            unit text DEFAULT NULL, delta numeric DEFAULT NULL, forget boolean DEFAULT false,
                            repeat text DEFAULT NULL, epsilon double precision DEFAULT NULL,
                            max_epsilon double precision DEFAULT NULL)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_protect' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.protect(regclass, numeric, text, double precision, double precision, text, text, text, text, numeric, boolean, text, double precision, double precision) IS
  'charges private answers about a table to a budget from now on, and hides its rows unless told otherwise, or changes its budget and those of its rules that are given, and what was spent to what it means under these, unless told to forget it; for its owner';

CREATE FUNCTION idp.link("table" regclass, "column" text, parent regclass, forget boolean DEFAULT false,
                         max_rows integer DEFAULT NULL)
  RETURNS void AS 'MODULE_PATHNAME', 'idp_link' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.link(regclass, text, regclass, boolean, integer) IS
  'lets rows of a table belong to the unit of the row that a column refers to by a foreign key: one account for both tables; refused where something was spent about these rows, unless told to forget it; plain aggregates read at most max_rows of one unit; for the owner of both';
CREATE FUNCTION idp.unlink("table" regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_unlink' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.unlink(regclass) IS
  'takes back idp.link: the table is not protected any more; for the owner of it and of the table of the account';

CREATE FUNCTION idp.unprotect("table" regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_unprotect' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.unprotect(regclass) IS
  'stops charging answers about a table; what was spent stays in the ledger; for its owner';

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

CREATE FUNCTION idp.relax(release text, epsilon double precision) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_relax' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.relax(text, double precision) IS
  'the answer of a named release at epsilon, refined, tightened or repeated without reading the table; only what exceeds the largest epsilon so far is charged';

CREATE FUNCTION idp.relax(release text, epsilons idp.epsilons) RETURNS text
  AS 'MODULE_PATHNAME', 'idp_relax_groups' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.relax(text, idp.epsilons) IS
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
  'internal: the most accurate answer that was given of a release; null if there is none, or none one may read';

CREATE FUNCTION idp.readable_releases() RETURNS SETOF uuid
  AS 'MODULE_PATHNAME', 'idp_readable_releases' LANGUAGE C VOLATILE STRICT ROWS 10 PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.readable_releases() IS
  'internal: the releases that the current role may read: of each name, of the same role and table or none, the last one';

CREATE FUNCTION idp.is_readable(relation regclass, role text, column_name text) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_is_readable' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.is_readable(regclass, text, text) IS
  'internal: whether the current role is that role, or may read that column of all rows of the table; an empty name stands for any column';

CREATE FUNCTION idp.is_release_readable(relation regclass, role text, used_columns text[]) RETURNS boolean
  AS 'MODULE_PATHNAME', 'idp_is_release_readable' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.is_release_readable(regclass, text, text[]) IS
  'internal: whether the current role is that role, or may read these columns of all rows of the table: any column if there are none, all columns for a null';

CREATE FUNCTION idp.account_table(account integer, relation oid, name text, owner text, of_others boolean)
  RETURNS regclass AS 'MODULE_PATHNAME', 'idp_account_table' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION idp.account_table(integer, oid, text, text, boolean) IS
  'internal: the table that an account is charged for: its own, or one that has the name of that since it was dropped, made by the same owner or by others';

CREATE VIEW idp.releases WITH (security_barrier) AS
  SELECT c.name, coalesce(nullif(c.relation::oid, 0)::regclass::text, c.table_name) AS table_name, c.aggregate,
         c."column" AS column_name, l.epsilon, idp.chain_answer(c.id) AS answer,
         coalesce(l.first_answer, c.born) AS first_answer, l.last_answer, c.role
  FROM idp.readable_releases() r (id) JOIN idp.chain c ON c.id = r.id,
       LATERAL (SELECT max(epsilons[1]) AS epsilon, min(at) AS first_answer, max(at) AS last_answer
                FROM idp.chain_level WHERE chain = c.id) l;
COMMENT ON VIEW idp.releases IS
  'the named releases of tables one may read: the most accurate answer so far and its epsilon';

-- Whoever may read a table also sees what a dropped one of its name left behind; what was charged to
-- that, with the names of its releases, only if the owner is the same.
CREATE VIEW idp.protection WITH (security_barrier) AS
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

CREATE VIEW idp.ledger WITH (security_barrier) AS
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
COMMENT ON VIEW idp.ledger IS 'what was charged to the budgets of tables one may read';
COMMENT ON COLUMN idp.ledger.role IS 'the role that asked: the current one';
COMMENT ON COLUMN idp.ledger.at IS 'when it was charged';
COMMENT ON COLUMN idp.ledger.table_name IS 'the table whose budget paid, or the name of one that was dropped';
COMMENT ON COLUMN idp.ledger.aggregate IS 'the private aggregate';
COMMENT ON COLUMN idp.ledger.epsilon IS 'what was charged, groups and grouping sets included';
COMMENT ON COLUMN idp.ledger.release IS 'the name of the release; null if it has none, or you may not see it';
COMMENT ON COLUMN idp.ledger.delta IS 'what was charged beside epsilon';
COMMENT ON COLUMN idp.ledger.session_role IS 'the role that logged in; null for charges of 0.2.0';
COMMENT ON COLUMN idp.ledger.charge IS 'which charge it is, for idp.answers.charges';
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

GRANT SELECT ON idp.releases, idp.protection, idp.budget, idp.ledger TO PUBLIC;

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
  'internal: the answer of a release at these epsilons; null unless they are within what the role was given';

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
GRANT SELECT ON idp.shared, idp.shares TO PUBLIC;

-- Domains ---------------------------------------------------------------------------------------

CREATE TABLE idp.domain (
  relation idp.table_reference NOT NULL,
  column_name text COLLATE "C" NOT NULL,
  keys text[],
  lower text,
  upper text,
  grain text,
  zone text
);
CREATE UNIQUE INDEX domain_column ON idp.domain (relation pg_catalog.oid_ops, column_name);
COMMENT ON TABLE idp.domain IS 'which values of columns everybody may know; see idp.set_domain';
COMMENT ON COLUMN idp.domain.keys IS 'the values, as text; null if the domain has bounds';
COMMENT ON COLUMN idp.domain.grain IS 'how finely everybody may see instants between the bounds, of which the upper one is none; null if not at all';
COMMENT ON COLUMN idp.domain.zone IS 'the time zone whose days, or months, these are; null if the column has none';
SELECT pg_catalog.pg_extension_config_dump('idp.domain', '');

CREATE FUNCTION idp.store_domain("table" regclass, column_name name, keys text[]) RETURNS void
  AS 'MODULE_PATHNAME', 'idp_set_domain_list' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idp.store_domain(regclass, name, text[]) IS 'internal: what idp.set_domain calls';
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
COMMENT ON FUNCTION idp.domain(regclass, name) IS 'the values in the domain of a column, as text: the choices of a filter; without NULL';

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
  SELECT d.relation::oid::regclass::text AS table_name, d.column_name, d.keys, d.lower, d.upper, d.grain, d.zone
  FROM idp.domain d JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
  WHERE idp.is_readable(c.oid, '', d.column_name);
COMMENT ON VIEW idp.domains IS 'the domains of the columns one may read';
COMMENT ON COLUMN idp.domains.table_name IS 'the table';
COMMENT ON COLUMN idp.domains.column_name IS 'the column';
COMMENT ON COLUMN idp.domains.keys IS 'its values, as text; null if the domain has bounds';
COMMENT ON COLUMN idp.domains.lower IS 'the least value';
COMMENT ON COLUMN idp.domains.upper IS 'the greatest value; of a domain with a grain the end, which is no value itself';
COMMENT ON COLUMN idp.domains.grain IS 'how finely instants are seen: by days, hours or another grain';
COMMENT ON COLUMN idp.domains.zone IS 'the time zone whose days, or months, these are';
GRANT SELECT ON idp.domains TO PUBLIC;

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

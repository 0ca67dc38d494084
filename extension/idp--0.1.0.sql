-- idp 0.1.0: private aggregates.
--
-- Aggregates and their state type live in the schema the extension is installed into, which is the
-- current one while this runs; the functions they are made of live in schema idp, out of the way.
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

CREATE FUNCTION idp.count_final(idp_state) RETURNS bigint
  AS 'MODULE_PATHNAME', 'idp_count_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.count_final(idp_state) IS
  'final function of the private counts: draws the noise';

-- The aggregates over a column ------------------------------------------------------------------

-- One row per aggregate: its name, its arguments after (x T, epsilon float8) with T for the type of
-- the column, its result, and what it does. Each becomes nine overloads, one per column type:
-- anyelement would admit every type, and a missing one would be silently cast to double precision.
DO $$
DECLARE
  value_type text;
  agg record;
  arguments text;
  final text;
BEGIN
  FOREACH value_type IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision',
    'numeric', 'date', 'timestamp without time zone', 'timestamp with time zone']
  LOOP
    -- one C function serves all types; it looks up its own result type
    SELECT format('idp.%I', typname || '_final') INTO STRICT final
      FROM pg_catalog.pg_type WHERE oid = value_type::regtype;
    EXECUTE format($f$
      CREATE FUNCTION %1$s(idp_state) RETURNS %2$s
        AS 'MODULE_PATHNAME', 'idp_order_statistic_final' LANGUAGE C VOLATILE PARALLEL SAFE;
      COMMENT ON FUNCTION %1$s(idp_state) IS
        'final function of the private order statistics of %2$s: selects, measures the local sensitivity and draws the noise'
      $f$, final, value_type);

    FOR agg IN SELECT * FROM (VALUES
      ('idp_median', '', true,
       'epsilon-iDP median (lower median for an even number of rows): local sensitivity, discrete Laplace noise'),
      ('idp_quantile', ', fraction double precision', true,
       'epsilon-iDP quantile, nearest rank as percentile_disc: local sensitivity, discrete Laplace noise'),
      ('idp_min', ', lower T', true,
       'epsilon-iDP minimum of values not below the public bound lower: local sensitivity, discrete Laplace noise'),
      ('idp_max', ', upper T', true,
       'epsilon-iDP maximum of values not above the public bound upper: local sensitivity, discrete Laplace noise'),
      ('idp_kth_smallest', ', k integer', true,
       'epsilon-iDP k-th smallest value, k >= 2: local sensitivity, discrete Laplace noise'),
      ('idp_kth_largest', ', k integer', true,
       'epsilon-iDP k-th largest value, k >= 2: local sensitivity, discrete Laplace noise'),
      ('idp_count_range', ', lower T, upper T', false,
       'epsilon-iDP number of rows with lower <= x <= upper, always within one of the true one: truncated discrete Laplace noise'),
      ('dp_count_range', ', lower T, upper T', false,
       'epsilon-DP number of rows with lower <= x <= upper: discrete Laplace noise of sensitivity 1'),
      ('dp_median', ', lower T, upper T', true,
       'epsilon-DP median of values clamped to the public bounds: exponential mechanism'),
      ('dp_quantile', ', lower T, upper T, fraction double precision', true,
       'epsilon-DP quantile of values clamped to the public bounds, nearest rank as percentile_disc: exponential mechanism'),
      ('dp_min', ', lower T, upper T', true,
       'epsilon-DP minimum of values clamped to the public bounds: exponential mechanism'),
      ('dp_max', ', lower T, upper T', true,
       'epsilon-DP maximum of values clamped to the public bounds: exponential mechanism')
      ) AS a (name, parameters, selects, description)
    LOOP
      arguments := format('x %s, epsilon double precision%s', value_type,
                          replace(agg.parameters, ' T', ' ' || value_type));
      EXECUTE format($f$
        CREATE FUNCTION idp.%1$I(state idp_state, %2$s) RETURNS idp_state
          AS 'MODULE_PATHNAME', %3$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
        CREATE AGGREGATE %4$I(%2$s) (
          SFUNC = idp.%1$I,
          STYPE = idp_state,
          INITCOND = 'empty',
          COMBINEFUNC = idp.combine,
          FINALFUNC = %5$s,
          FINALFUNC_MODIFY = READ_WRITE,  -- refuses OVER: every frame would be a release
          PARALLEL = SAFE
        );
        COMMENT ON FUNCTION idp.%1$I(idp_state, %2$s) IS 'transition function of %4$s';
        COMMENT ON AGGREGATE %4$I(%2$s) IS %6$L
        $f$,
        agg.name || '_accum', arguments, agg.name || '_accum', agg.name,
        CASE WHEN agg.selects THEN final ELSE 'idp.count_final' END, agg.description);
    END LOOP;
  END LOOP;
END
$$;

-- Counting rows ---------------------------------------------------------------------------------

CREATE FUNCTION idp.dp_count_accum(state idp_state, epsilon double precision)
  RETURNS idp_state
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idp.dp_count_accum(idp_state, double precision) IS
  'transition function of dp_count';

CREATE AGGREGATE dp_count(epsilon double precision) (
  SFUNC = idp.dp_count_accum,
  STYPE = idp_state,
  INITCOND = 'empty',
  COMBINEFUNC = idp.combine,
  FINALFUNC = idp.count_final,
  FINALFUNC_MODIFY = READ_WRITE,  -- refuses OVER: every frame would be a release
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count(double precision) IS
  'epsilon-DP number of rows: discrete Laplace noise of sensitivity 1';

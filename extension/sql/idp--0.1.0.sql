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

-- The final functions ---------------------------------------------------------------------------

-- One C function serves all types of a kind; it looks up its own result type.
DO $$
DECLARE
  result text;
BEGIN
  FOREACH result IN ARRAY ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'date',
    'timestamp', 'timestamptz']
  LOOP
    EXECUTE format($f$
      CREATE FUNCTION idp.%1$I(idp_state) RETURNS pg_catalog.%2$I
        AS 'MODULE_PATHNAME', 'idp_order_statistic_final' LANGUAGE C VOLATILE PARALLEL SAFE;
      COMMENT ON FUNCTION idp.%1$I(idp_state) IS
        'final function of the private order statistics of %2$s: selects, measures the sensitivity and draws the answer'
      $f$, result || '_final', result);
  END LOOP;
  FOREACH result IN ARRAY ARRAY['int8', 'float4', 'float8', 'numeric']
  LOOP
    EXECUTE format($f$
      CREATE FUNCTION idp.%1$I(idp_state) RETURNS pg_catalog.%2$I
        AS 'MODULE_PATHNAME', 'idp_moments_final' LANGUAGE C VOLATILE PARALLEL SAFE;
      COMMENT ON FUNCTION idp.%1$I(idp_state) IS
        'final function of the private sums, averages and variances that are %2$s: draws the noise'
      $f$, 'moments_' || result || '_final', result);
  END LOOP;
END
$$;

CREATE FUNCTION idp.count_final(idp_state) RETURNS bigint
  AS 'MODULE_PATHNAME', 'idp_count_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.count_final(idp_state) IS
  'final function of the private counts: draws the noise';

CREATE FUNCTION idp.histogram_final(idp_state) RETURNS bigint[]
  AS 'MODULE_PATHNAME', 'idp_histogram_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION idp.histogram_final(idp_state) IS
  'final function of the private histograms: draws the noise of every bucket';

-- The aggregates over a column ------------------------------------------------------------------

-- One row per aggregate: its name, its arguments after (x T, epsilon float8) with T for the type of
-- the column, which types that may be, its final function, and what it does. Each becomes an
-- overload per column type: anyelement would admit every type, and a missing one would be silently
-- cast to double precision. Where groups can be protected, epsilon may be an array too.
DO $$
DECLARE
  numbers text[] := ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric'];
  ordered text[] := numbers || ARRAY['date', 'timestamp without time zone',
    'timestamp with time zone'];
  distinguishable text[] := ordered || ARRAY['text', 'uuid'];
  agg record;
  value_type text;
  type_name text;
  epsilon text;
  arguments text;
  final text;
BEGIN
  FOR agg IN SELECT * FROM (VALUES
    ('idp_median', '', ordered, 'value', true,
     'epsilon-iDP median (lower median for an even number of rows): local sensitivity, discrete Laplace noise'),
    ('idp_quantile', ', fraction double precision', ordered, 'value', true,
     'epsilon-iDP quantile, nearest rank as percentile_disc: local sensitivity, discrete Laplace noise'),
    ('idp_min', ', lower T', ordered, 'value', true,
     'epsilon-iDP minimum of values not below the public bound lower: local sensitivity, discrete Laplace noise'),
    ('idp_max', ', upper T', ordered, 'value', true,
     'epsilon-iDP maximum of values not above the public bound upper: local sensitivity, discrete Laplace noise'),
    ('idp_kth_smallest', ', k integer', ordered, 'value', true,
     'epsilon-iDP k-th smallest value, k >= 2: local sensitivity, discrete Laplace noise'),
    ('idp_kth_largest', ', k integer', ordered, 'value', true,
     'epsilon-iDP k-th largest value, k >= 2: local sensitivity, discrete Laplace noise'),
    ('idp_count_range', ', lower T, upper T', ordered, 'count', false,
     'epsilon-iDP number of rows with lower <= x <= upper, always within one of the true one: truncated discrete Laplace noise'),
    ('idp_sum', ', lower T, upper T', numbers, 'sum', true,
     'epsilon-iDP sum of values clamped to the public bounds: local sensitivity, discrete Laplace noise'),
    ('idp_avg', ', lower T, upper T', numbers, 'mean', true,
     'epsilon-iDP average of values clamped to the public bounds: local sensitivity, discrete Laplace noise'),
    ('idp_variance', ', lower T, upper T', numbers, 'mean', false,
     'epsilon-iDP population variance of values clamped to the public bounds: bound on the local sensitivity, discrete Laplace noise'),
    ('idp_stddev', ', lower T, upper T', numbers, 'mean', false,
     'epsilon-iDP population standard deviation of values clamped to the public bounds: bound on the local sensitivity, discrete Laplace noise'),
    ('dp_count_range', ', lower T, upper T', ordered, 'count', false,
     'epsilon-DP number of rows with lower <= x <= upper: discrete Laplace noise of sensitivity 1'),
    ('dp_count_distinct', '', distinguishable, 'count', false,
     'epsilon-DP number of different values: discrete Laplace noise of sensitivity 1'),
    ('dp_histogram', ', lower T, upper T, buckets integer', ordered, 'histogram', false,
     'epsilon-DP number of values in each of equal buckets between the public bounds, to which values are clamped: discrete Laplace noise of sensitivity 2'),
    ('dp_sum', ', lower T, upper T', numbers, 'sum', false,
     'epsilon-DP sum of values clamped to the public bounds: global sensitivity, discrete Laplace noise'),
    ('dp_avg', ', lower T, upper T', numbers, 'mean', false,
     'epsilon-DP average of values clamped to the public bounds: a noisy centred sum over a noisy count'),
    ('dp_variance', ', lower T, upper T', numbers, 'mean', false,
     'epsilon-DP population variance of values clamped to the public bounds: of noisy centred moments'),
    ('dp_stddev', ', lower T, upper T', numbers, 'mean', false,
     'epsilon-DP population standard deviation of values clamped to the public bounds: of noisy centred moments'),
    ('dp_median', ', lower T, upper T', ordered, 'value', false,
     'epsilon-DP median of values clamped to the public bounds: exponential mechanism'),
    ('dp_quantile', ', lower T, upper T, fraction double precision', ordered, 'value', false,
     'epsilon-DP quantile of values clamped to the public bounds, nearest rank as percentile_disc: exponential mechanism'),
    ('dp_min', ', lower T, upper T', ordered, 'value', false,
     'epsilon-DP minimum of values clamped to the public bounds: exponential mechanism'),
    ('dp_max', ', lower T, upper T', ordered, 'value', false,
     'epsilon-DP maximum of values clamped to the public bounds: exponential mechanism'),
    ('dp_median_smooth', ', lower T, upper T', ordered, 'value', false,
     'epsilon-DP median of values clamped to the public bounds: smooth sensitivity, noise density proportional to 1/(1+|z|^3)'),
    ('dp_median_smooth', ', lower T, upper T, gamma integer', ordered, 'value', false,
     'epsilon-DP median of values clamped to the public bounds: smooth sensitivity, noise density proportional to 1/(1+|z|^gamma), gamma 2, 3 or 4'),
    ('dp_quantile_smooth', ', lower T, upper T, fraction double precision', ordered, 'value', false,
     'epsilon-DP quantile of values clamped to the public bounds: smooth sensitivity, noise density proportional to 1/(1+|z|^3)'),
    ('dp_quantile_smooth', ', lower T, upper T, fraction double precision, gamma integer', ordered, 'value', false,
     'epsilon-DP quantile of values clamped to the public bounds: smooth sensitivity, noise density proportional to 1/(1+|z|^gamma), gamma 2, 3 or 4'),
    ('dp_max_smooth', ', lower T, upper T', ordered, 'value', false,
     'epsilon-DP maximum of values clamped to the public bounds: smooth sensitivity, noise density proportional to 1/(1+|z|^3)'),
    ('dp_max_smooth', ', lower T, upper T, gamma integer', ordered, 'value', false,
     'epsilon-DP maximum of values clamped to the public bounds: smooth sensitivity, noise density proportional to 1/(1+|z|^gamma), gamma 2, 3 or 4'),
    ('dp_median_global', ', lower T, upper T', ordered, 'value', false,
     'epsilon-DP median of values clamped to the public bounds: global sensitivity, discrete Laplace noise; for comparison'),
    ('dp_max_global', ', lower T, upper T', ordered, 'value', false,
     'epsilon-DP maximum of values clamped to the public bounds: global sensitivity, discrete Laplace noise; for comparison')
    ) AS a (name, parameters, types, kind, protects_groups, description)
  LOOP
    FOREACH value_type IN ARRAY agg.types
    LOOP
      SELECT typname INTO STRICT type_name
        FROM pg_catalog.pg_type WHERE oid = value_type::pg_catalog.regtype;
      -- sums and means have the result types of the native aggregates
      final := CASE
        WHEN agg.kind = 'value' THEN type_name
        WHEN agg.kind IN ('count', 'histogram') THEN agg.kind
        WHEN agg.kind = 'sum' AND type_name IN ('int2', 'int4') THEN 'moments_int8'
        WHEN agg.kind = 'sum' AND type_name = 'float4' THEN 'moments_float4'
        WHEN type_name IN ('float4', 'float8') THEN 'moments_float8'
        ELSE 'moments_numeric'
      END || '_final';
      FOREACH epsilon IN ARRAY CASE WHEN agg.protects_groups
        THEN ARRAY['epsilon double precision', 'epsilons double precision[]']
        ELSE ARRAY['epsilon double precision'] END
      LOOP
        arguments := format('x %s, %s%s', value_type, epsilon,
                            replace(agg.parameters, ' T', ' ' || value_type));
        EXECUTE format($f$
          CREATE FUNCTION idp.%1$I(state idp_state, %2$s) RETURNS idp_state
            AS 'MODULE_PATHNAME', %1$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
          CREATE AGGREGATE %3$I(%2$s) (
            SFUNC = idp.%1$I,
            STYPE = idp_state,
            SSPACE = %6$s,
            INITCOND = 'empty',
            COMBINEFUNC = idp.combine,
            FINALFUNC = idp.%4$I,
            FINALFUNC_MODIFY = READ_WRITE,  -- refuses OVER: every frame would be a release
            PARALLEL = SAFE
          );
          COMMENT ON FUNCTION idp.%1$I(idp_state, %2$s) IS 'transition function of %3$s';
          COMMENT ON AGGREGATE %3$I(%2$s) IS %5$L
          $f$,
          agg.name || '_accum', arguments, agg.name, final,
          agg.description || CASE WHEN epsilon LIKE '%[]'
            THEN '; epsilons[i] protects groups of i records' ELSE '' END,
          -- What a group takes, so that hashing does not begin more of them than memory holds once
          -- they have grown: values are kept, but for those near one end.
          CASE WHEN agg.name ~ '^idp_(min|max|kth)|^dp_max_global$' THEN 256
            WHEN agg.kind = 'value' OR agg.name = 'dp_count_distinct' THEN 1024
            ELSE 256 END);
      END LOOP;
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

-- How far noise strays, from public numbers alone: dp_error and its inverse dp_epsilon_for.

-- a count at epsilon 1 stays within 3 with 95 % (Table 1 of the paper)
SELECT dp_error(1, 1, 0.95), round(dp_error(1, 1, 0.95, 0)::numeric, 4) AS continuous;
-- the table of docs/noise.md
SELECT epsilon, dp_error(epsilon, 1, 0.5) AS "50 %", dp_error(epsilon, 1, 0.9) AS "90 %",
  dp_error(epsilon, 1, 0.95) AS "95 %", dp_error(epsilon, 1, 0.99) AS "99 %", dp_error(epsilon, 1, 0.999) AS "99.9 %"
FROM unnest(ARRAY[0.01, 0.1, 0.5, 1, 2, 5]) epsilon;
-- by what the noise is: Pr[|N| > t] = 2 alpha^(t+1) / (1 + alpha) lies below 1 - confidence first at the t answered
SELECT count(*) AS wrong
FROM generate_series(1, 40) i, unnest(ARRAY[0.5, 0.9, 0.99]) confidence, LATERAL (SELECT exp(-i / 20.0) AS alpha) a,
  LATERAL (SELECT min(t) AS t FROM generate_series(0, 200) t WHERE 2 * alpha ^ (t + 1) / (1 + alpha) <= 1 - confidence) s
WHERE dp_error(i / 20.0, 1, confidence) IS DISTINCT FROM t::float8;
-- units: in multiples of the step only epsilon * step / sensitivity counts
SELECT dp_error(1, 7, 0.95, 7) AS sevens, dp_error(0.5, 100, 0.95, 100) AS hundreds, dp_error(1, 0.1, 0.95, 0.1) AS tenths,
  dp_error(1, 0.01, 0.95, 0.01) AS cents;
SELECT dp_error(1, 0, 0.95) AS no_sensitivity, dp_epsilon_for(5, 0, 0.95) AS no_epsilon_needed;

-- and back
SELECT round(dp_epsilon_for(10, 1, 0.99)::numeric, 4) AS within_10, round(dp_epsilon_for(0, 1, 0.95)::numeric, 4) AS exact,
  dp_epsilon_for(0.9, 1, 0.95) = dp_epsilon_for(0, 1, 0.95) AS below_a_step, round(dp_epsilon_for(10, 1, 0.99, 0)::numeric, 4) AS continuous;
SELECT count(*) AS checked, count(*) FILTER (WHERE dp_error(epsilon, s, c, step) <= error) AS enough,
  count(*) FILTER (WHERE dp_error(0.999999 * epsilon, s, c, step) > error) AS smallest
FROM unnest(ARRAY[0.3, 1, 10, 12345.6]) error, unnest(ARRAY[0.5, 1, 1000]) s, unnest(ARRAY[0.1, 0.95, 0.999]) c,
  unnest(ARRAY[0, 0.01, 1]) step, LATERAL (SELECT dp_epsilon_for(error, s, c, step) AS epsilon) e;

-- what a double cannot hold is 0 or infinity
SELECT dp_error(1e-300, 1e300, 0.95), dp_error(1e300, 1e-300, 0.95), dp_error(1e-300, 1e-300, 1 - 1e-16::float8),
  dp_epsilon_for(1e-300, 1e300, 0.95, 0), dp_epsilon_for(1e300, 1e-300, 0.95) > 0 AS positive;

-- strict: NULL in, NULL out
SELECT dp_error(NULL, 1, 0.95), dp_error(1, 1, 0.95, NULL), dp_epsilon_for(1, NULL, 0.95);

-- refused with invalid_parameter_value, by name of the argument
\set VERBOSITY terse
DO $$
DECLARE
  call text;
BEGIN
  FOREACH call IN ARRAY ARRAY['dp_error(0, 1, 0.95)', 'dp_error(-1, 1, 0.95)', 'dp_error(''NaN'', 1, 0.95)',
    'dp_error(''inf'', 1, 0.95)', 'dp_error(1, -1, 0.95)', 'dp_error(1, ''inf'', 0.95)', 'dp_error(1, ''NaN'', 0.95)',
    'dp_error(1, 1, 0)', 'dp_error(1, 1, 1)', 'dp_error(1, 1, 95)', 'dp_error(1, 1, ''NaN'')', 'dp_error(1, 1, 0.95, -1)',
    'dp_error(1, 1, 0.95, ''inf'')', 'dp_error(1, 1, 0.95, ''NaN'')', 'dp_epsilon_for(-1, 1, 0.95)',
    'dp_epsilon_for(''inf'', 1, 0.95)', 'dp_epsilon_for(''NaN'', 1, 0.95)', 'dp_epsilon_for(0, 1, 0.95, 0)',
    'dp_epsilon_for(1, -1, 0.95)', 'dp_epsilon_for(1, 1, 1)', 'dp_epsilon_for(1, 1, 0.95, -1)']
  LOOP
    BEGIN
      EXECUTE 'SELECT ' || call;
      RAISE INFO '%: not refused', call;
    EXCEPTION WHEN invalid_parameter_value THEN
      RAISE INFO '%: %', call, SQLERRM;
    END;
  END LOOP;
END
$$;
SELECT dp_error(0, 1, 0.95);

-- declared so that the planner computes them beforehand and parallel workers may
SELECT proname, provolatile, proparallel, proisstrict, pg_get_function_arguments(oid) AS arguments
FROM pg_proc WHERE proname IN ('dp_error', 'dp_epsilon_for') ORDER BY proname;

-- What the parts share: how numbers are printed, and how a table is written.
CREATE EXTENSION idp;
SET client_min_messages = warning;
\pset footer off
\pset tuples_only on

-- A number with so many significant digits.
CREATE FUNCTION digits(x float8, n int DEFAULT 3) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN x = 0 THEN '0' ELSE round(x::numeric, greatest(n - 1 - floor(log(abs(x)))::int, 0))::text END
$$;

-- An estimate with its standard error, both to two digits of the latter.
CREATE FUNCTION estimate(x float8, error float8) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN error > 0
              THEN replace(round(x::numeric, d)::text, '-', '−') || ' ± ' || round(error::numeric, d) ELSE digits(x) END
  FROM (SELECT CASE WHEN error > 0 THEN greatest(1 - floor(log(error))::int, 0) END AS d) s
$$;

-- How far an estimate is from what was expected, and how many standard errors that is.
CREATE FUNCTION difference(x float8, expected float8, error float8) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN x < expected THEN '−' ELSE '+' END
         || round(abs(x - expected)::numeric, greatest(1 - floor(log(error))::int, 0))
         || ' (' || round((abs(x - expected) / error)::numeric, 1) || ' s.e.)'
$$;

-- A line of a table in Markdown.
CREATE FUNCTION line(VARIADIC cells text[]) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT '| ' || string_agg(replace(cell, '|', '\|'), ' | ' ORDER BY i) || ' |'
  FROM unnest(cells) WITH ORDINALITY u (cell, i)
$$;

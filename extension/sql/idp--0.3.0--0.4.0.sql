-- idp 0.4.0: tables of persons hold against the attacks on 0.3.0.
\echo Use "ALTER EXTENSION idp UPDATE" to load this file. \quit

-- Operators and functions are those of the server. An exact match in the schema of the extension,
-- where others may create some, would be preferred. What lies in that schema is named with it.
SET LOCAL search_path = pg_catalog, pg_temp;

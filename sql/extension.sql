-- What CREATE EXTENSION brings.

-- every aggregate, with the number of column types it takes, each with and without a release name
SELECT proname, count(*) AS overloads
FROM pg_proc WHERE prokind = 'a' AND proname ~ '^i?dp_' GROUP BY proname ORDER BY proname;

-- all of them but those that count reports: not usable as window functions; without a release name parallel safe, with a combine function
SELECT DISTINCT p.proparallel, a.aggcombinefn, a.aggfinalmodify, a.agginitval, a.aggtranstype::regtype
FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid WHERE p.proname ~ '^i?dp_' AND p.proname !~ '^dp_(report|rappor)_count$';

-- every object says what it is, but for the types of arrays and rows, which come along
SELECT count(*) AS without_comment
FROM pg_depend d
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idp')
  AND obj_description(d.objid, d.classid::regclass::name) IS NULL
  AND NOT EXISTS (SELECT FROM pg_type t WHERE (d.classid, d.objid) = ('pg_type'::regclass, t.oid) AND (t.typcategory = 'A' OR t.typrelid <> 0));

-- the argument names that the errors and the documentation use
SELECT pg_get_function_arguments(oid) FROM pg_proc
WHERE proname IN ('idp_quantile', 'idp_min', 'idp_max', 'idp_kth_largest', 'idp_count_range', 'dp_count')
  AND (proargtypes[0] = 'date'::regtype OR proname = 'dp_count') ORDER BY proname, 1;

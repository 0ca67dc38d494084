-- GROUP BY with so many groups that rows are put aside and gathered at the end
-- (extension/call/group_backlog.h). Epsilon is so large that integer answers are exact.
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET enable_sort = off;
CREATE TEMP TABLE many AS
  SELECT (hashint8(i) & 1048575) % 20000 AS g, hashint8(-i) % 1000000 AS x,
         CASE WHEN i % 10 > 0 THEN (hashint8(7 * i) % 50)::bigint * 3 END AS y
  FROM generate_series(1, 1200000::bigint) i;
ANALYZE many;
CREATE TEMP TABLE truth AS
  SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY x) AS median,
         percentile_disc(0.9) WITHIN GROUP (ORDER BY x) FILTER (WHERE x > 0) AS high,
         percentile_disc(0.25) WITHIN GROUP (ORDER BY y) AS low, max(x) AS most
  FROM many GROUP BY g;

-- how many groups there are, and how many of their answers are wrong
CREATE FUNCTION wrong(OUT groups bigint, OUT median bigint, OUT high bigint, OUT low bigint,
                      OUT private bigint, OUT most bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE a.median IS DISTINCT FROM t.median),
         count(*) FILTER (WHERE a.high IS DISTINCT FROM t.high),
         count(*) FILTER (WHERE a.low IS DISTINCT FROM t.low),
         count(*) FILTER (WHERE a.private IS DISTINCT FROM t.median),
         count(*) FILTER (WHERE a.most IS DISTINCT FROM t.most)
  FROM (SELECT g, idp_median(x, 1e9) AS median,
               idp_quantile(x, 1e9, 0.9) FILTER (WHERE x > 0) AS high,
               idp_quantile(y, 1e9, 0.25) AS low,
               dp_median(x, 1e9, -1000000, 1000000) AS private,
               idp_max(x, 1e9, 1000000) AS most
        FROM many GROUP BY g) a FULL JOIN truth t USING (g)
$$;

SET work_mem = '1GB';
SELECT * FROM wrong();
-- memory for some of the rows only: the rest goes to the states, which then have to move
SET work_mem = '172MB';
SELECT * FROM wrong();
SET work_mem = '43MB';
SELECT * FROM wrong();
-- for none, and so little that the groups themselves do not fit
SET work_mem = '4MB';
SELECT * FROM wrong();

SET work_mem = '1GB';
-- wide numbers, doubles, and groups that HAVING drops
SELECT count(*), count(*) FILTER (WHERE round(a.median) <> t.median) AS wrong
FROM (SELECT g, idp_median(x::numeric, 1e9) AS median FROM many GROUP BY g
      HAVING idp_median(x::float8, 1e9) > 0) a JOIN truth t USING (g);
-- groups without a value: a third has NULLs only, a third NaNs
SELECT count(*), count(median) AS answered, count(*) FILTER (WHERE median <> g) AS wrong,
       count(*) FILTER (WHERE private BETWEEN 0 AND 9) AS within
FROM (SELECT g, idp_median(v, 1e9) AS median, dp_median(v, 1, 0, 9) AS private
      FROM (SELECT g, CASE g % 3 WHEN 0 THEN g WHEN 1 THEN 'NaN'::float8 END AS v
            FROM generate_series(1, 9), generate_series(1, 30000) g) s
      GROUP BY g) a;
-- several grouping sets, of which some are hashed
SELECT count(*), count(*) FILTER (WHERE a.median <> t.median) AS wrong
FROM (SELECT g, idp_median(x, 1e9) AS median FROM many GROUP BY GROUPING SETS ((g), (y), ())) a
     JOIN truth t USING (g);
-- executed again and again, with other rows and with the same ones
SELECT o, count(*), sum(a.median - t.median) AS wrong
FROM generate_series(0, 2) o,
     LATERAL (SELECT g, idp_median(x - o, 1e9) + o AS median FROM many GROUP BY g) a
     JOIN truth t USING (g)
GROUP BY o ORDER BY o;
-- read in part, while another query does the same
BEGIN;
DECLARE a CURSOR FOR SELECT idp_median(x, 1e9) AS median FROM many GROUP BY g;
DECLARE b CURSOR FOR SELECT idp_median(x, 1e9) AS median FROM many GROUP BY g;
MOVE 9000 FROM a;
MOVE 100 FROM b;
SELECT count(*) AS backlogs FROM pg_backend_memory_contexts WHERE name = 'idp backlog';
MOVE 9000 FROM a;
CLOSE a;
MOVE ALL FROM b;
SELECT count(*) AS backlogs FROM pg_backend_memory_contexts WHERE name = 'idp backlog';
COMMIT;
SELECT count(*) AS backlogs FROM pg_backend_memory_contexts WHERE name = 'idp backlog';
-- states that leave the aggregate have all their values
CREATE AGGREGATE many_state(integer, double precision) (
  SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty', COMBINEFUNC = idp.combine);
CREATE AGGREGATE many_merge(idp_state) (
  SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty', FINALFUNC = idp.int4_final);
SELECT count(*), count(*) FILTER (WHERE a.median <> t.median) AS wrong
FROM (SELECT g, many_merge(s) AS median
      FROM (SELECT g, many_state(x, 1e9) AS s FROM many GROUP BY g OFFSET 0) s GROUP BY g) a
     JOIN truth t USING (g);

DROP AGGREGATE many_merge(idp_state);
DROP AGGREGATE many_state(integer, double precision);
DROP FUNCTION wrong();

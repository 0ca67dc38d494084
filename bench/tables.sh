# shellcheck shell=bash
# The tables that are measured. make_table NAME creates one with BENCH_ROWS rows, the same every
# time; the tables named scale_N have N. Sourced by bench/measure.sh and bench/memory.sh.

sql() { psql -Xqt -v ON_ERROR_STOP=1 "$@"; }

make_table() {
  local name=$1 n=$BENCH_ROWS query
  case $name in
    # One column of each kind; the fixed-width ones first, so that reading each costs about the same.
    columns)
      query="SELECT random() * 1000 AS x, floor(random() * 1000000)::int AS i,
                    date '2000-01-01' + floor(random() * 10000)::int AS d,
                    (random() * 100000)::numeric(12,2) AS n FROM generate_series(1, $n)"
      ;;
    # Groups that are as large as each other, in random order.
    grouped)
      query="SELECT random() * 1000 AS x, 0 AS g1, floor(r * 10)::int AS g10,
                    floor(r * 100)::int AS g100, floor(r * 1000)::int AS g1000,
                    floor(r * 10000)::int AS g10000, floor(r * 100000)::int AS g100000,
                    floor(r * 1000000)::int AS g1000000
             FROM (SELECT random() AS r FROM generate_series(1, $n) OFFSET 0) s"
      ;;
    # Few different values: ages from 0 to 99.
    ages)
      query="SELECT floor(100 * random() * sqrt(random()))::smallint AS x FROM generate_series(1, $n)"
      ;;
    sorted) query="SELECT i::float8 AS x FROM generate_series(1, $n) i" ;;
    # Repeated strings, for counting different ones.
    texts)
      query="SELECT 'name ' || floor(random() * 10000)::int AS x FROM generate_series(1, $n)"
      ;;
    scale_*) query="SELECT random() * 1000 AS x FROM generate_series(1, ${name#scale_})" ;;
    # Eight partitions.
    partitioned)
      sql <<SQL
CREATE TABLE partitioned (p int, x float8) PARTITION BY LIST (p);
SELECT format('CREATE TABLE partitioned_%1\$s PARTITION OF partitioned FOR VALUES IN (%1\$s)', i)
FROM generate_series(0, 7) i \gexec
SQL
      sql -c "SELECT setseed(0.5)" -o /dev/null \
        -c "INSERT INTO partitioned SELECT i % 8, random() * 1000 FROM generate_series(1, $n) i" \
        -c "VACUUM (ANALYZE, FREEZE) partitioned"
      return
      ;;
  esac
  sql -o /dev/null -c "SELECT setseed(0.5)" -c "CREATE TABLE $name AS $query" \
    -c "VACUUM (ANALYZE, FREEZE) $name"
}

# Reads a table, or its partitions, into shared buffers as far as there is room. (A sequential scan
# alone would not: of a large table it keeps a few pages only.)
warm_table() {
  sql -o /dev/null -c "SELECT pg_prewarm(c.oid) FROM pg_class c
                       WHERE relkind = 'r' AND (relname = '$1' OR relname LIKE '${1}\_%')"
}

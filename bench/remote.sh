#!/usr/bin/env bash
# What private answers over tables in other servers cost beside native aggregates of the same table, in turns: the median of
# the native one in milliseconds, and the ratio. Tables are hidden and owned by a role that is not the one who asks; the
# native statement is its owner's.
#
#   bench/remote.sh [rows] [rounds]         1 000 000 and 5
#
# The parts of one table are foreign tables of two databases of the same server; where Citus is installed, another one has
# 8 shards on this server. "one server" is a table with the same rows that lies here.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

rows=${1:-1000000}
rounds=${2:-5}
libraries=idp
tables=(here far)
if [[ -e $(pg_config --pkglibdir)/citus.so ]]; then
  libraries=citus,idp
  tables+=(shared)
fi
server_options=("shared_preload_libraries=$libraries" shared_buffers=2GB jit=off autovacuum=off max_wal_size=8GB max_connections=200
  citus.shard_count=8 citus.node_conninfo=sslmode=disable wal_level=logical max_prepared_transactions=100)
build_and_stage

# Of d no two values are the same; o is in the order of the rows, and has no average: its native one is that of d.
# name | native statement | ours, with E for an epsilon
cases=(
  "count|SELECT count(*) FROM T|SELECT dp_count(E) FROM T"
  "count, 10 groups|SELECT g, count(*) FROM T GROUP BY g|SELECT g, dp_count(E) FROM T GROUP BY g"
  "sum of 1000 values|SELECT sum(a) FROM T|SELECT dp_sum(a, E, 0, 1000) FROM T"
  "avg of 1000 values, 10 groups|SELECT g, avg(a) FROM T GROUP BY g|SELECT g, dp_sum(a, E, 0, 1000), dp_count(E) FROM T GROUP BY g"
  "half of the rows|SELECT count(*) FROM T WHERE a < 500|SELECT dp_count(E) FROM T WHERE a < 500"
  "median of 1000 values|SELECT avg(a) FROM T|SELECT idp_median(a, E) FROM T"
  "median of 100 000 values|SELECT avg(b) FROM T|SELECT idp_median(b, E) FROM T"
  "median of as many as rows|SELECT avg(d) FROM T|SELECT idp_median(d, E) FROM T"
  "three quartiles of these|SELECT avg(d) FROM T|SELECT idp_median(d, E), idp_quantile(d, E, 0.25), idp_quantile(d, E, 0.75) FROM T"
  "median of these in order|SELECT avg(d) FROM T WHERE o > '-infinity'|SELECT idp_median(o, E) FROM T"
  "sum of 100 000 values|SELECT sum(b) FROM T|SELECT dp_sum(b, E, 0, 100000) FROM T"
)

make_tables() {
  local columns='id bigint, g int, a int, b int, d float8, o timestamp'
  local filled="SELECT i AS id, (i % 10)::int AS g, (i * 7919 % 1000)::int AS a, (i * 7919 % 100003)::int AS b, (i * 7919 % 100003) + i * 1e-8::float8 AS d, timestamp '2024-01-01' + i * interval '1 ms' AS o"
  for half in 0 1; do
    psql -Xq -v ON_ERROR_STOP=1 -c "CREATE DATABASE far$half"
    psql -Xq -v ON_ERROR_STOP=1 -d "far$half" -c "CREATE TABLE t AS $filled FROM generate_series($half * $rows / 2 + 1::bigint, ($half + 1) * $rows / 2) i" \
      -c "ALTER TABLE t ALTER id TYPE bigint" -c 'VACUUM (ANALYZE) t'
  done
  psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<SQL
SET client_min_messages = warning;
$([[ $libraries == idp ]] || echo "CREATE EXTENSION citus; SELECT citus_set_coordinator_host('$PGHOST', $PGPORT); SELECT citus_set_node_property('$PGHOST', $PGPORT, 'shouldhaveshards', true);")
CREATE EXTENSION idp; CREATE EXTENSION postgres_fdw; CREATE ROLE analyst;
CREATE SERVER s0 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST', port '$PGPORT', dbname 'far0', fetch_size '10000');
CREATE SERVER s1 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST', port '$PGPORT', dbname 'far1', fetch_size '10000');
CREATE USER MAPPING FOR CURRENT_USER SERVER s0 OPTIONS (user '$PGUSER', password '$PGPASSWORD');
CREATE USER MAPPING FOR CURRENT_USER SERVER s1 OPTIONS (user '$PGUSER', password '$PGPASSWORD');
CREATE TABLE here ($columns);
INSERT INTO here $filled FROM generate_series(1::bigint, $rows) i;
VACUUM (ANALYZE) here;
CREATE TABLE far ($columns) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE far0 PARTITION OF far FOR VALUES FROM (0) TO ($rows / 2 + 1) SERVER s0 OPTIONS (table_name 't');
CREATE FOREIGN TABLE far1 PARTITION OF far FOR VALUES FROM ($rows / 2 + 1) TO (1000000000000) SERVER s1 OPTIONS (table_name 't');
$([[ $libraries == idp ]] || echo "CREATE TABLE shared ($columns); SELECT create_distributed_table('shared', 'id'); INSERT INTO shared TABLE here; VACUUM (ANALYZE) shared;")
SQL
  for table in "${tables[@]}"; do
    psql -Xq -v ON_ERROR_STOP=1 -o /dev/null -c "GRANT SELECT ON $table TO analyst; SELECT idp.protect('$table', 1e9), idp.set_domain('$table', 'g', 0, 9)"
  done
}

one_round() { # ROUND
  local i table name native ours
  for i in "${!cases[@]}"; do
    IFS='|' read -r name native ours <<<"${cases[i]}"
    for table in "${tables[@]}"; do
      printf 'RESET ROLE; SET enable_partitionwise_aggregate = on; SET max_parallel_workers_per_gather = 0; SET work_mem = %s;\n' "'1GB'"
      printf '\\echo run %s %s native\n\\timing on\n%s \\g /dev/null\n\\timing off\n' "$i" "$table" "$(sed "s/\bT\b/$table/" <<<"$native")"
      printf 'SET ROLE analyst;\n\\echo run %s %s ours\n\\timing on\n%s \\g /dev/null\n\\timing off\n' "$i" "$table" "$(sed "s/\bT\b/$table/; s/\bE\b/0.5$1/g" <<<"$ours")"
    done
  done
}

measure() {
  local round
  make_tables
  for ((round = 0; round <= rounds; ++round)); do
    one_round "$round" | psql -XAtq -v ON_ERROR_STOP=1 | awk -v round="$round" 'round == 0 { next }
      /^run / { number = $2; table = $3; kind = $4 }
      /^Time: / { print number, table, kind, $2 }'
  done | sort -k1,1n -k2,2 -k3,3 -k4,4n >"$scratch/times"
  awk -v cases="$(printf '%s\n' "${cases[@]}")" -v tables="${tables[*]}" '
    function flush() { if (n) median[key] = value[int((n + 1) / 2)]; n = 0 }
    BEGIN {
      split(cases, text, "\n"); count = split(tables, table, " "); label["here"] = "one server"; label["far"] = "postgres_fdw"; label["shared"] = "Citus"
      printf "%-32s", "native ms, and ours over it"
      for (t = 1; t <= count; ++t) printf " %20s", label[table[t]]
      printf "\n"
    }
    { now = $1 SUBSEP $2 SUBSEP $3; if (now != key) { flush(); key = now } value[++n] = $4 }
    END {
      flush()
      for (i = 0; (i + 1) in text; ++i) {
        split(text[i + 1], part, "|")
        printf "%-32s", part[1]
        for (t = 1; t <= count; ++t) printf " %12.1f %7.3f", median[i, table[t], "native"], median[i, table[t], "ours"] / median[i, table[t], "native"]
        printf "\n"
      }
    }' "$scratch/times"
}

with_server measure

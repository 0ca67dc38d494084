#!/usr/bin/env bash
# What private aggregates over a table cost beside a native aggregate of the same statement, with idp.batches on and
# off, in turns. A line for each: the median of the native one in milliseconds, and the two ratios over it.
#
#   bench/batches.sh [rows] [rounds]        10 000 000 and 7
#
# Goals for batches: integer 0.45, doubles behind a text 0.52, numeric 0.42, half of the rows 0.40, 10 groups 0.30,
# 10 000 groups 0.9, two workers 0.70, pages not all visible 0.65, other aggregates 0.35, hidden rows 0.6, dashboards 0.8;
# percentile_cont takes ten times as long as idp_median.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

rows=${1:-10000000}
rounds=${2:-7}

server_options=(shared_preload_libraries=idp shared_buffers=2GB jit=off autovacuum=off max_wal_size=8GB wal_level=minimal max_wal_senders=0)
build_and_stage

# name | role and settings | native statement | ours
cases=(
  "integer||SELECT avg(i) FROM t|SELECT idp_median(i, 0.5) FROM t"
  "double behind text, NULLs||SELECT avg(x) FROM t|SELECT idp_median(x, 0.5) FROM t"
  "numeric(10,2)||SELECT avg(n) FROM t|SELECT idp_median(n, 0.5) FROM t"
  "half of the rows||SELECT avg(i) FROM t WHERE id < $((rows / 2))|SELECT idp_median(i, 0.5) FROM t WHERE id < $((rows / 2))"
  "10 groups||SELECT g, avg(i) FROM t GROUP BY g|SELECT g, idp_median(i, 0.5) FROM t GROUP BY g"
  "10 000 groups||SELECT h, avg(i) FROM t GROUP BY h|SELECT h, idp_median(i, 0.5) FROM t GROUP BY h"
  "two workers|SET max_parallel_workers_per_gather = 2;|SELECT avg(i) FROM t|SELECT idp_median(i, 0.5) FROM t"
  "not all visible||SELECT avg(i) FROM changing|SELECT idp_median(i, 0.5) FROM changing"
  "idp_avg||SELECT avg(i) FROM t|SELECT idp_avg(i, 0.5, 0, 100000) FROM t"
  "dp_sum||SELECT avg(i) FROM t|SELECT dp_sum(i, 0.5, 0, 100000) FROM t"
  "dp_count||SELECT avg(i) FROM t|SELECT dp_count(0.5) FROM t"
  "percentile_cont||SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i) FROM t|SELECT idp_median(i, 0.5) FROM t"
  "dates, text key||SELECT k, count(*), avg(n) FROM t WHERE d >= '2020-03-01' AND d < '2020-09-01' GROUP BY k|SELECT k, dp_count(0.5), idp_avg(n, 0.5, 0, 1000) FROM t WHERE d >= '2020-03-01' AND d < '2020-09-01' GROUP BY k"
  "months||SELECT date_trunc('month', d), avg(n) FROM t GROUP BY 1|SELECT date_trunc('month', d), idp_avg(n, 0.5, 0, 1000) FROM t GROUP BY 1"
  "eight aggregates||SELECT k, sum(i), sum(n), sum(x), avg(i), avg(n), avg(x), count(*), count(x) FROM t GROUP BY k|SELECT k, dp_sum(i, 1, 0, 100000), dp_sum(n, 1, 0, 1000), dp_sum(x, 1, 0, 1), idp_avg(i, 1, 0, 100000), idp_avg(n, 1, 0, 1000), idp_avg(x, 1, 0, 1), dp_count(1), dp_count(2) FROM t GROUP BY k"
  "hidden, a domain|hidden|SELECT g, avg(i) FROM secret GROUP BY g|SELECT g, idp_avg(i, 0.5, 0, 100000) FROM secret GROUP BY g"
  "hidden, kept groups|hidden|SELECT g, avg(i) FROM plain GROUP BY g|SELECT g, idp_avg(i, 0.5, 0, 100000) FROM plain GROUP BY g HAVING dp_keep_group(0.5, 1e-9)"
)

# Of a hidden table the owner asks for the native one, and each answer costs another epsilon: an answer that was given
# already takes no time. A process that reads a table for the first time maps the server's buffers, which can take longer
# than reading: that is done before.
one_round() { # ROUND
  local i name settings native ours batches role epsilon
  printf 'SET max_parallel_workers_per_gather = 0;\n'
  printf 'SELECT avg(i) FROM %s \\g /dev/null\n' t changing plain secret
  for i in "${!cases[@]}"; do
    IFS='|' read -r name settings native ours <<<"${cases[i]}"
    role=
    if [[ $settings == hidden ]]; then
      settings= role="SET ROLE analyst;"
    fi
    printf 'RESET ROLE; RESET ALL; SET work_mem = %s;\n' "'1GB'"
    printf 'SET max_parallel_workers_per_gather = 0;%s\n' "$settings"
    printf '\\echo run %s native\n\\timing on\n%s \\g /dev/null\n\\timing off\n' "$i" "$native"
    for batches in off on; do
      epsilon=$(awk -v r="$1" -v b="$batches" 'BEGIN { printf "0.%03d", 500 + 2 * r + (b == "on") }')
      printf '%s SET idp.batches = %s;\n' "$role" "$batches"
      printf '\\echo run %s %s\n\\timing on\n%s \\g /dev/null\n\\timing off\n' "$i" "$batches" "${ours//0.5/$epsilon}"
    done
  done
}

measure() {
  local round
  psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<SQL
CREATE EXTENSION idp;
CREATE ROLE analyst;
CREATE TABLE t AS SELECT (i * 7919::bigint % 100003)::integer AS i, i AS id, i % 10 AS g, (i * 31::bigint % 10000)::integer AS h,
  CASE WHEN i % 20 <> 3 THEN 'text ' || i % 8 END AS k, CASE WHEN i % 10 <> 7 THEN (i * 7919::bigint % 100003) / 100003.0::float8 END AS x,
  ((i * 7919::bigint % 100003) / 100.0)::numeric(10,2) AS n, date '2020-01-01' + i % 366 AS d FROM generate_series(1, $rows) i;
CREATE TABLE changing AS SELECT i, id FROM t;
CREATE TABLE plain AS SELECT g, i FROM t;
ALTER TABLE plain ALTER g SET NOT NULL;
CREATE TABLE secret AS TABLE plain;
ALTER TABLE secret ALTER g SET NOT NULL;
GRANT SELECT ON plain, secret TO analyst;
VACUUM (ANALYZE, FREEZE) t, plain, secret;
ANALYZE changing;
SELECT idp.protect('secret', 1e9), idp.set_domain('secret', 'g', 0, 9), idp.protect('plain', 1e9, delta => 0.5);
SQL
  for ((round = 0; round <= rounds; ++round)); do
    one_round "$round" | psql -XAtq -v ON_ERROR_STOP=1 | awk -v round="$round" 'round == 0 { next }
      /^run / { number = $2; kind = $3 }
      /^Time: / { print number, kind, $2 }'
  done | sort -k1,1n -k2,2 -k3,3n >"$scratch/times"
  awk -v cases="$(printf '%s\n' "${cases[@]}")" '
    function flush() { if (n) median[key] = value[int((n + 1) / 2)]; n = 0 }
    BEGIN { split(cases, text, "\n"); printf "%-28s %10s %7s %7s\n", "beside", "native ms", "off", "on" }
    { now = $1 SUBSEP $2; if (now != key) { flush(); key = now } value[++n] = $3 }
    END {
      flush()
      for (i = 0; (i + 1) in text; ++i) {
        split(text[i + 1], part, "|")
        printf "%-28s %10.1f %7.3f %7.3f\n", part[1], median[i, "native"], median[i, "off"] / median[i, "native"], median[i, "on"] / median[i, "native"]
      }
    }' "$scratch/times"
}

with_server measure

#!/usr/bin/env bash
# What it costs that rows are hidden: the same queries of an analyst over one table, in turns with
# rows => 'visible' and rows => 'hidden'. Goals: 3 % of a query over 10 million rows, 0.2 ms of planning.
# Then groups of hidden rows against the owner's avg() with the same GROUP BY. Goal: 1.2.
#
#   bench/hidden.sh [rows] [rounds]        10 000 000 and 9
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

rows=${1:-10000000}
rounds=${2:-9}

build_and_stage

queries=(
  "SELECT dp_count(0.1) FROM t"
  "SELECT dp_sum(age, 0.1, 0, 100) FROM t WHERE age > 30"
  "SELECT idp_median(salary, 0.1) FROM t"
  "SELECT dp_count(0.1) FROM t WHERE id BETWEEN 1000 AND 2000"
  "SELECT dp_sum(age * 2, 0.1, 0, 200) FROM t"
)

# Of the owner, and of an analyst over hidden rows.
groups=(
  "SELECT age, avg(salary) FROM t GROUP BY age"
  "SELECT age, idp_avg(salary, 0.1, 0, 100003) FROM t GROUP BY age"
  "SELECT age, idp_avg(salary, 0.1, 0, 100003) FROM plain GROUP BY age HAVING dp_keep_group(0.1, 1e-9)"
  "SELECT age, dp_count(0.1) FROM t GROUP BY age"
)

one_round_of_groups() { # prints lines of: group, number of the query, milliseconds
  local i
  echo "RESET ROLE;"
  for i in "${!groups[@]}"; do
    ((i != 1)) || echo "SET ROLE analyst;"
    echo "EXPLAIN (COSTS OFF) ${groups[i]} \\g /dev/null"
    printf '\\echo group %s run\n\\timing on\n%s \\g /dev/null\n\\timing off\n' "$i" "${groups[i]}"
  done
}

one_round() { # prints lines of: what, number of the query, milliseconds
  local rows_are i
  for rows_are in visible hidden; do
    echo "RESET ROLE; SELECT idp.protect('t', 1e9, rows => '$rows_are') \\g /dev/null"
    echo "SET ROLE analyst;"
    for i in "${!queries[@]}"; do
      echo "EXPLAIN (COSTS OFF) ${queries[i]} \\g /dev/null"
      printf '\\echo %s %s run\n\\timing on\n%s \\g /dev/null\n\\timing off\n' "$rows_are" "$i" "${queries[i]}"
      echo "\\echo $rows_are $i plan"
      echo "EXPLAIN (COSTS OFF, SUMMARY) ${queries[i]};"
    done
  done
}

measure() {
  local workers round
  psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<SQL
CREATE EXTENSION idp;
CREATE ROLE analyst;
CREATE TABLE t AS SELECT i AS id, 20 + i % 60 AS age, (i * 7919::bigint % 100003)::float8 AS salary FROM generate_series(1, $rows) i;
CREATE INDEX ON t (id);
ALTER TABLE t ALTER age SET NOT NULL;
CREATE TABLE plain AS TABLE t;
GRANT SELECT ON t, plain TO analyst;
VACUUM (ANALYZE, FREEZE) t, plain;
SELECT idp.protect('t', 1e9), idp.protect('plain', 1e9, delta => 0.5), idp.set_domain('t', 'age', 20, 79);
SQL
  for workers in 0 2; do
    for ((round = 0; round <= rounds; ++round)); do
      { echo "SET max_parallel_workers_per_gather = $workers;" && one_round_of_groups; } | psql -XAtq -v ON_ERROR_STOP=1 2>/dev/null |
        awk -v workers=$workers -v round=$round 'round == 0 { next }
          /^group / { query = $2 }
          /^Time: / { print workers, query, $2 }'
    done
  done | sort -k1,1n -k2,2n -k3,3n >"$scratch/groups"
  awk -v queries="$(printf '%s\n' "${groups[@]}")" '
    function flush() { if (n) median[key] = value[int((n + 1) / 2)]; n = 0 }
    BEGIN { split(queries, text, "\n"); printf "%-8s %-98s %10s %7s\n", "workers", "groups of hidden rows", "ms", "ratio" }
    { now = $1 SUBSEP $2; if (now != key) { flush(); key = now } value[++n] = $3 }
    END {
      flush()
      for (w = 0; w <= 2; w += 2) for (q = 0; (q + 1) in text; ++q) if ((w, q) in median)
        printf "%-8d %-98s %10.1f %7.3f\n", w, text[q + 1], median[w, q], median[w, q] / median[w, 0]
    }' "$scratch/groups"
  for workers in 0 2; do
    for ((round = 0; round <= rounds; ++round)); do
      { echo "SET max_parallel_workers_per_gather = $workers;" && one_round; } | psql -XAtq -v ON_ERROR_STOP=1 2>/dev/null |
        awk -v workers=$workers -v round=$round 'round == 0 { next }  # to warm up
          /^(visible|hidden) / { what = $1; query = $2; kind = $3 }
          /^Time: / && kind == "run" { print workers, query, "run", what, $2 }
          /^Planning Time: / { print workers, query, "plan", what, $3 }'
    done
  done | sort -k1,1n -k2,2n -k3,3r -k4,4 -k5,5n >"$scratch/times"
  awk -v queries="$(printf '%s\n' "${queries[@]}")" '
    function flush() { if (n) median[key] = value[int((n + 1) / 2)]; n = 0 }
    BEGIN { split(queries, text, "\n"); printf "%-8s %-62s %10s %10s %7s %12s\n", "workers", "query", "visible ms", "hidden ms", "ratio", "planning ms" }
    { now = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4; if (now != key) { flush(); key = now } value[++n] = $5 }
    END {
      flush()
      for (w = 0; w <= 2; w += 2) for (q = 0; q in text || (q + 1) in text; ++q) if ((w, q, "run", "visible") in median)
        printf "%-8d %-62s %10.1f %10.1f %7.3f %+12.3f\n", w, text[q + 1], median[w, q, "run", "visible"], median[w, q, "run", "hidden"],
          median[w, q, "run", "hidden"] / median[w, q, "run", "visible"], median[w, q, "plan", "hidden"] - median[w, q, "plan", "visible"]
    }' "$scratch/times"
}
server_options=(shared_preload_libraries=idp shared_buffers=2GB work_mem=1GB jit=off)
with_server measure

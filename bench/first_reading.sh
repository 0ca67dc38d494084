#!/usr/bin/env bash
# A first reading of speed: private aggregates against native ones, over one column of doubles.
#
#   bench/first_reading.sh [rows] [rounds]        10 000 000 rows, 7 rounds
#
# Absolute times mean little on a shared machine, so the queries take turns within each round, and
# what counts is the ratio of the medians; the spread is the range from the fastest to the slowest.
source "$(dirname "$0")/../scripts/lib.sh"

rows=${1:-10000000}
rounds=${2:-7}

need_packages "${extension_packages[@]}"
say "building"
build_extension g++
stage_extension

cat >"$scratch/measure.sh" <<MEASURE
set -euo pipefail
psql -Xq -v ON_ERROR_STOP=1 -c "CREATE EXTENSION idp" \
  -c "CREATE TABLE t AS SELECT random() * 1000 AS x, i % 100 AS g FROM generate_series(1, $rows) i" \
  -c "VACUUM (ANALYZE, FREEZE) t"

# measure SETTINGS QUERY...: prints 'n milliseconds' per query and round; the first round warms up
measure() {
  local settings=\$1 round query n; shift
  {
    echo "SET jit = off; SET work_mem = '1GB'; \$settings"
    for round in \$(seq 0 $rounds); do
      n=0
      for query in "\$@"; do
        echo "\\\\timing on"
        echo "SELECT sum(length(q::text)) FROM (\$query) q; -- reads every answer"
        echo "\\\\timing off"
        echo "SELECT '\$round \$n';"
        n=\$((n + 1))
      done
    done
  } | psql -XAtq -v ON_ERROR_STOP=1 | awk '/^Time/ { ms = \$2 } /^[0-9]+ [0-9]+\$/ && \$1 > 0 { print \$2, ms }'
}

# report TITLE SETTINGS QUERY...: a table; the first query is the yardstick
report() {
  local title=\$1 settings=\$2; shift 2
  echo; echo "\$title"
  printf '  %-72s %10s %8s   %s\n' query 'median ms' ratio 'fastest - slowest'
  measure "\$settings" "\$@" | sort -k1,1n -k2,2n >"$scratch/times"
  local n=0 query
  for query in "\$@"; do
    awk -v n=\$n -v name="\$query" '
      \$1 == 0 { base[++b] = \$2 } \$1 == n { t[++c] = \$2 }
      END { m = t[int((c + 1) / 2)]; printf "  %-72s %10.0f %8.2f   %.0f - %.0f\n", name, m, m / base[int((b + 1) / 2)], t[1], t[c] }' "$scratch/times"
    n=\$((n + 1))
  done
}

report "serial, $rows rows" "SET max_parallel_workers_per_gather = 0;" \
  "SELECT avg(x) FROM t" \
  "SELECT idp_median(x, 0.5) FROM t" \
  "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t"
report "2 workers, $rows rows" "SET max_parallel_workers_per_gather = 2;" \
  "SELECT avg(x) FROM t" \
  "SELECT idp_median(x, 0.5) FROM t" \
  "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t"
report "counts, serial" "SET max_parallel_workers_per_gather = 0;" \
  "SELECT count(*) FILTER (WHERE x BETWEEN 100 AND 200) FROM t" \
  "SELECT dp_count_range(x, 0.5, 100, 200) FROM t"
report "100 groups, serial" "SET max_parallel_workers_per_gather = 0;" \
  "SELECT avg(x) FROM t GROUP BY g" \
  "SELECT idp_median(x, 0.5) FROM t GROUP BY g" \
  "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t GROUP BY g"
MEASURE
chmod 755 "$scratch/measure.sh"

say "measuring, $rounds rounds"
server_options=(-o shared_buffers=2GB -o max_wal_size=8GB)
with_server bash "$scratch/measure.sh"

#!/usr/bin/env bash
# What the ledger costs: charged queries against plain INSERTs, protected tables against
# unprotected ones, and releases that are refined without the table.
#
#   bench/ledger.sh [rounds] [rows]        5 rounds, 10 000 000 rows for the large table
#
# Runs take turns within each round; medians and their ratios count. fsync is on.
source "$(dirname "$0")/../scripts/lib.sh"

rounds=${1:-5}
rows=${2:-10000000}

build_and_stage

cat >"$scratch/measure.sh" <<MEASURE
set -euo pipefail
psql -Xq -v ON_ERROR_STOP=1 >/dev/null <<SQL
CREATE EXTENSION idp;
CREATE TABLE one AS SELECT 1 AS x;
CREATE TABLE inserted (x int);
CREATE TABLE open AS SELECT i % 100000 AS k, i AS x FROM generate_series(1, 1000000) i;
CREATE TABLE protected AS SELECT * FROM open;
CREATE TABLE large AS SELECT i AS x FROM generate_series(1, $rows) i;
VACUUM (ANALYZE, FREEZE);
SELECT idp.protect(t, 1e9, rows => 'visible') FROM unnest('{one,protected,large}'::regclass[]) t;
SELECT idp_median(x, 0.1, 'small') FROM one;
SELECT dp_count(0.1, 'ten') FROM large WHERE x <= 10;
SELECT dp_count(0.1, 'all') FROM large;
SQL

median() { sort -n | awk '{ v[NR] = \$1 } END { print v[int((NR + 1) / 2)] }'; }

# throughput MODE SQL: transactions per second of 8 clients in 5 seconds
throughput() {
  echo "\$2" >"$scratch/script.sql"
  pgbench -n -M "\$1" -c 8 -j 2 -T 5 -f "$scratch/script.sql" | awk '/^tps/ { print \$3 }'
}
for mode in simple prepared; do
  rm -f "$scratch"/tps.*
  for round in \$(seq $rounds); do
    throughput \$mode "INSERT INTO inserted VALUES (1);" >>"$scratch/tps.insert"
    throughput \$mode "SELECT dp_count(0.000001) FROM one;" >>"$scratch/tps.charged"
    throughput \$mode "WITH i AS (INSERT INTO inserted VALUES (1) RETURNING 1) SELECT count(*) FROM one, i;" >>"$scratch/tps.both"
  done
  insert=\$(median <"$scratch/tps.insert") charged=\$(median <"$scratch/tps.charged") both=\$(median <"$scratch/tps.both")
  printf '8 clients, %-8s  INSERT %6.0f/s   charged query %6.0f/s (ratio %.2f)   count(*) with an INSERT %6.0f/s\n' \
    \$mode "\$insert" "\$charged" "\$(echo "\$charged / \$insert" | bc -l)" "\$both"
done

# milliseconds SQL
milliseconds() { printf '\\\\timing on\n%s\n' "\$1" | psql -XAtq -v ON_ERROR_STOP=1 | awk '/^Time/ { print \$2 }'; }
rm -f "$scratch"/ms.*
for round in \$(seq 0 $rounds); do
  milliseconds "SELECT sum(m) FROM (SELECT k, idp_median(x, 1) AS m FROM open GROUP BY k) s;" >>"$scratch/ms.open"
  milliseconds "SELECT sum(m) FROM (SELECT k, idp_median(x, 1) AS m FROM protected GROUP BY k) s;" >>"$scratch/ms.protected"
  milliseconds "SELECT sum(m) FROM (SELECT k, idp_median(x, 1, '\$round/' || k) AS m FROM protected GROUP BY k) s;" >>"$scratch/ms.named"
  milliseconds "SELECT sum(m) FROM (SELECT k, idp_median(x, 1, '\$round/' || k) AS m FROM protected GROUP BY k) s;" >>"$scratch/ms.repeated"
  milliseconds "SELECT idp.relax('\$round/7', 2);" >>"$scratch/ms.family"
  milliseconds "SELECT idp.relax('ten', 0.2 + \$round);" >>"$scratch/ms.ten"
  milliseconds "SELECT idp.relax('all', 0.2 + \$round);" >>"$scratch/ms.all"
done
for f in "$scratch"/ms.*; do sed -i 1d "\$f"; done # the first round warms up
open=\$(median <"$scratch/ms.open")
for what in protected named repeated; do
  ms=\$(median <"$scratch/ms.\$what")
  printf '100 000 groups, %-9s %7.0f ms, unprotected %7.0f ms: ratio %.2f, %.1f us more for each group\n' \
    \$what "\$ms" "\$open" "\$(echo "\$ms / \$open" | bc -l)" "\$(echo "(\$ms - \$open) / 100" | bc -l)"
done
printf 'relaxing a family of 100 000 chains: %.0f ms\n' "\$(median <"$scratch/ms.family")"
printf 'relaxing a release made from 10 rows: %.2f ms, from $rows rows: %.2f ms\n' \
  "\$(median <"$scratch/ms.ten")" "\$(median <"$scratch/ms.all")"
MEASURE
chmod 755 "$scratch/measure.sh"
server_options=(shared_buffers=2GB max_wal_size=8GB fsync=on)
with_server bash "$scratch/measure.sh"

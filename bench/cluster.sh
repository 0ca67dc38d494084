#!/usr/bin/env bash
# What private answers over a cluster of Citus cost beside native aggregates of the same table, by the number of workers: the
# time of both, in turns, the bytes that servers send one another meanwhile, and the memory that our statement takes at the
# coordinator beside what the session held before. The table is hidden and distributed over eight shards for each worker; the
# native statement is its owner's, ours that of a role that sees no rows.
#
#   bench/cluster.sh [rows] [rounds] [workers…]        1 000 000, 5, and 1 2
#
# Needs an installed Citus. Bytes are what the loopback interface passes on: nothing else may use it meanwhile. All servers
# are on this machine, so that more workers than processors cannot be faster.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

rows=${1:-1000000}
rounds=${2:-5}
counts=("${@:3}")
((${#counts[@]})) || counts=(1 2)
[[ -e $(pg_config --pkglibdir)/citus.so ]] || die "Citus is not installed beside this server"
server_password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') # each server asks the others with it
first_port=$((20000 + RANDOM % 10000))
build_and_stage

# name | native statement | ours, with E for an epsilon
cases=(
  "count|SELECT count(*) FROM t|SELECT dp_count(E) FROM t"
  "count, 10 groups|SELECT g, count(*) FROM t GROUP BY g|SELECT g, dp_count(E) FROM t GROUP BY g"
  "count, 1000 groups|SELECT a, count(*) FROM t GROUP BY a|SELECT a, dp_count(E) FROM t GROUP BY a"
  "half of the rows|SELECT count(*) FROM t WHERE a < 500|SELECT dp_count(E) FROM t WHERE a < 500"
  "sum of 1000 values|SELECT sum(a) FROM t|SELECT dp_sum(a, E, 0, 1000) FROM t"
  "avg of 1000 values, 10 groups|SELECT g, avg(a) FROM t GROUP BY g|SELECT g, dp_avg(a, E, 0, 1000) FROM t GROUP BY g"
  "sum of 100 000 values|SELECT sum(b) FROM t|SELECT dp_sum(b, E, 0, 100000) FROM t"
  "median of 1000 values|SELECT avg(a) FROM t|SELECT idp_median(a, E) FROM t"
  "median of 100 000 values|SELECT avg(b) FROM t|SELECT idp_median(b, E) FROM t"
  "median of as many as rows|SELECT avg(d) FROM t|SELECT idp_median(d, E) FROM t"
  "three quartiles of these|SELECT avg(d) FROM t|SELECT idp_quantile(d, E, 0.25), idp_median(d, E), idp_quantile(d, E, 0.75) FROM t"
)

# with_nodes NUMBER COMMAND…: in as many workers, and a coordinator, which the command finds as its server.
with_nodes() {
  local left=$1
  server_options=(shared_preload_libraries=citus,idp listen_addresses=127.0.0.1 "port=$((first_port + left))" shared_buffers=1GB jit=off autovacuum=off
    max_wal_size=8GB max_connections=200 citus.shard_count=$((8 * workers)) citus.node_conninfo=sslmode=disable wal_level=logical max_prepared_transactions=100)
  if ((left > 0)); then
    with_server with_worker "$((left - 1))" "${@:2}"
  else
    with_server with_coordinator "${@:2}"
  fi
}
with_worker() {
  export PGPORT=$((first_port + $1 + 1))
  psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION citus'
  with_nodes "$@"
}
with_coordinator() {
  export PGPORT=$first_port
  "$@"
}

make_table() {
  local worker
  psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<SQL
SET client_min_messages = warning;
CREATE EXTENSION citus;
SELECT citus_set_coordinator_host('127.0.0.1', $PGPORT);
$(for ((worker = 1; worker <= workers; ++worker)); do echo "SELECT citus_add_node('127.0.0.1', $((PGPORT + worker)));"; done)
CREATE EXTENSION idp; CREATE ROLE analyst;
CREATE TABLE t (id bigint, g int NOT NULL, a int NOT NULL, b int, d float8);
SELECT create_distributed_table('t', 'id');
INSERT INTO t SELECT i, i % 10, i * 7919 % 1000, i * 7919 % 100003, (i * 7919 % 100003) + i * 1e-8 FROM generate_series(1::bigint, $rows) i;
VACUUM (ANALYZE) t;
GRANT SELECT ON t TO analyst;
SELECT idp.protect('t', 1e9), idp.set_domain('t', 'g', 0, 9), idp.set_domain('t', 'a', 0, 999);
SQL
}

# Of the server process at the coordinator: what it holds in memory, and what it held at most since the last reset.
memory='\! (echo 5 >/proc/$SERVER/clear_refs; grep VmRSS /proc/$SERVER/status)'
peak='\! grep VmHWM /proc/$SERVER/status'

one_round() { # ROUND
  printf 'SELECT pg_backend_pid() AS pid \\gset\n\\setenv SERVER :pid\n'
  local i name native ours
  for i in "${!cases[@]}"; do
    IFS='|' read -r name native ours <<<"${cases[i]}"
    one_run "RESET ROLE" "$i native" "$native"
    one_run "SET ROLE analyst" "$i ours" "$(sed "s/\bE\b/0.5$1/g" <<<"$ours")"
  done
}

one_run() { # ROLE NAME STATEMENT
  printf '%s;\n\\echo run %s\n%s\n\\! cat /proc/net/dev\n\\timing on\n%s \\g /dev/null\n\\timing off\n\\! cat /proc/net/dev\n%s\n' "$1" "$2" "$memory" "$3" "$peak"
}

measure() {
  local round
  make_table
  for ((round = 0; round <= rounds; ++round)); do
    one_round "$round" | psql -XAtq -v ON_ERROR_STOP=1 | awk -v round="$round" '
      /^run / { number = $2; kind = $3; before = -1 }
      /^Time: / { time = $2 }
      $1 == "VmRSS:" { held = $2 }
      $1 == "lo:" { if (before < 0) before = $2; else moved = $2 - before }
      $1 == "VmHWM:" && round > 0 { print number, kind, time, moved, $2 - held }'
  done | sort -k1,1n -k2,2 -k3,3n |
    awk -v cases="$(printf '%s\n' "${cases[@]}")" -v workers="$workers" '
    function flush() { if (n) { time[key] = value[int((n + 1) / 2)]; moved[key] = bytes[int((n + 1) / 2)]; peak[key] = most } n = most = 0 }
    { now = $1 SUBSEP $2; if (now != key) { flush(); key = now } value[++n] = $3; bytes[n] = $4; if ($5 > most) most = $5 }
    END {
      flush()
      split(cases, text, "\n")
      for (i = 0; (i + 1) in text; ++i) {
        split(text[i + 1], part, "|")
        printf "%-32s %7d %12.1f %12.1f %7.3f %12.1f %12.1f %12d\n", part[1], workers, time[i, "native"], time[i, "ours"], time[i, "ours"] / time[i, "native"], moved[i, "native"] / 1024, moved[i, "ours"] / 1024, peak[i, "ours"]
      }
    }'
}

printf '%-32s %7s %12s %12s %7s %12s %12s %12s\n' "$rows rows" workers "native, ms" "ours, ms" ratio "native, KiB" "ours, KiB" "memory, KiB"
for workers in "${counts[@]}"; do with_nodes "$workers" measure; done

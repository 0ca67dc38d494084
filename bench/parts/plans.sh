# shellcheck shell=bash
# How the server runs a median with little work_mem, and one with two workers.
part plans "Plans"

make_table columns
# shellcheck disable=SC2034,SC2154 # an array of bench/measure.sh
made[columns]=1
warm_table columns
explain() { # FILE SETTINGS
  sql -A -c "SET jit = off" -c "SET client_min_messages = error" -c "$2" \
    -c "EXPLAIN (ANALYZE, BUFFERS) SELECT idp_median(x, 0.5) FROM columns" >"$BENCH_PLANS/$1.txt"
}
explain spilling "SET work_mem = '4MB'; SET max_parallel_workers_per_gather = 0"
explain parallel "SET work_mem = '1GB'; SET max_parallel_workers_per_gather = 2"

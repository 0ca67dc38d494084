#!/usr/bin/env bash
# Bounds that nobody has to know: the error of sums with known bounds, found bounds and the race to
# the top, on uniform, log-normal and Zipf-distributed data, and on a real column. Prints a table.
#
#   bench/bounds.sh [draws] [sizes]     41 draws from each; 1000,10000,100000,1000000 rows
#
# The real column: visits to a doctor in the data of the demonstration, if scripts/demo.sh has
# fetched them.
source "$(dirname "$0")/../scripts/lib.sh"

build_and_stage
say "drawing"
column=/dev/null
real=()
if [[ -f $cache/randhie.csv ]]; then
  column=$scratch/visits
  tail -n +2 "$cache/randhie.csv" | cut -d , -f 1 >"$column"
  real=(-v real=1)
fi
with_server psql -qX -v ON_ERROR_STOP=1 -v draws="${1:-41}" -v sizes="${2:-1000,10000,100000,1000000}" \
  "${real[@]}" -f bench/bounds.sql <"$column"

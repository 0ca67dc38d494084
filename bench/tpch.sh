#!/usr/bin/env bash
# The 22 queries of TPC-H about data of its shape (bench/tpch/tables.sql), with customers as the unit: what is
# answered, at which cost, how far off, and how long it takes beside the plain query. First as each can be written
# (bench/tpch/queries), then as it stands in the specification, by plain SQL (bench/tpch/specification), then one
# number of each of six, beside errors that were published (bench/tpch/numbers).
#
#   bench/tpch.sh [scale] [rounds] [what]   1, 5 and all; or queries, specification, or numbers
#                                           1 and 5: about 6 000 000 lines, 3 GB of disk, half an hour
#
# Plain and private queries take turns. Writes docs/benchmarks/tpch.txt, tpch_plain.txt and tpch_numbers.txt at scale 1,
# otherwise in build.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

scale=${1:-1}
rounds=${2:-5}
what=${3:-all}
output=$cache
[[ $scale != 1 ]] || output=$repository/docs/benchmarks

build_and_stage

# script, directory of queries, name of the output
measure() {
  say "loading, scale $scale"
  psql -Xq -o /dev/null -v scale="$scale" -f "$repository/bench/tpch/tables.sql"
  say "asking, $rounds rounds"
  perl "$repository/bench/tpch/$1.pl" "$scale" "$rounds" "$repository/bench/tpch/$2"/*.sql >"$scratch/$3.txt"
}
server_options=(shared_preload_libraries=idp shared_buffers=2GB work_mem=256MB jit=off max_wal_size=8GB synchronous_commit=off)
written() {
  with_server measure "$@"
  cp "$scratch/$3.txt" "$output"
  cat "$output/$3.txt"
  say "written to ${output#"$repository"/}/$3.txt"
}
[[ $what != all && $what != queries ]] || written measure queries tpch
[[ $what != all && $what != specification ]] || written plain specification tpch_plain
[[ $what != all && $what != numbers ]] || written numbers numbers tpch_numbers

#!/usr/bin/env bash
# The 22 queries of TPC-H about data of its shape (bench/tpch/tables.sql), with customers as the unit: what is
# answered, at which cost, how far off, and how long it takes beside the plain query.
#
#   bench/tpch.sh [scale] [rounds]      1 and 5: about 6 000 000 lines, 3 GB of disk, half an hour
#
# Plain and private queries take turns. Writes docs/benchmarks/tpch.txt at scale 1, otherwise build/tpch.txt.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

scale=${1:-1}
rounds=${2:-5}
output=$cache/tpch.txt
[[ $scale != 1 ]] || output=$repository/docs/benchmarks/tpch.txt

build_and_stage

measure() {
  say "loading, scale $scale"
  psql -Xq -o /dev/null -v scale="$scale" -f "$repository/bench/tpch/tables.sql"
  say "asking, $rounds rounds"
  perl "$repository/bench/tpch/measure.pl" "$scale" "$rounds" "$repository"/bench/tpch/queries/*.sql >"$scratch/tpch.txt"
}
server_options=(shared_preload_libraries=idp shared_buffers=2GB work_mem=256MB jit=off max_wal_size=8GB synchronous_commit=off)
with_server measure
cp "$scratch/tpch.txt" "$output"
cat "$output"
say "written to ${output#"$repository"/}"

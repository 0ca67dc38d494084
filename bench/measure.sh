#!/bin/bash
# What scripts/bench.sh runs while its server is up: declares the comparisons of the wanted parts
# (bench/parts/*.sh), then runs them one after the other and writes what they took to a file of
# records, for bench/report.pl.
#
#   measure.sh RECORDS PART...
#
# Environment: BENCH_ROWS; BENCH_ROUNDS, and BENCH_FEWER_ROUNDS for what takes long; BENCH_GROUPS, how
# many there are; BENCH_SIZES, the rows of the scaling part, with a remark BENCH_LEFT_OUT; BENCH_PLANS,
# where plans are written; BENCH_START, when it all began.
#
# Records are lines of fields separated by tabs:
#   P part title                             C number part title settings axis value
#   Q number query SQL                       G number kind limit ours other
#   T number round query milliseconds        N part remark
set -euo pipefail

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=bench/tables.sh
source "$bench/tables.sh"
records=$1
shift

record() {
  local IFS=$'\t'
  printf '%s\n' "$*" >>"$records"
}

# --- declaring -----------------------------------------------------------------------------------

count=0
titles=() settings=() tables=() rounds=()

part() { part=$1 && record P "$1" "$2"; }

# comparison TITLE TABLE [SETTING=VALUE ...]: what follows belongs to it. Unless told otherwise
# queries are serial and work_mem is 1 GB.
comparison() {
  titles[++count]=$1 tables[count]=$2
  shift 2
  settings[count]="work_mem=1GB max_parallel_workers_per_gather=0 $*"
  rounds[count]=$BENCH_ROUNDS
  record C "$count" "$part" "${titles[count]}" "${settings[count]% }" "" ""
}
# at AXIS VALUE: where it stands in a chart
at() { record A "$count" "$1" "$2"; }
rounds() { rounds[count]=$1; }

# query NAME SQL
query() {
  record Q "$count" "$1" "$2"
  printf '%s\t%s\n' "$1" "$2" >>"$records.$count"
}
# What the parts want to know: how long OURS takes in units of OTHER (within), or how many times
# faster it is (faster); with a goal, or "-" for none.
within() { record G "$count" within "$@"; }
faster() { record G "$count" faster "$@"; }

remark() { record N "$part" "$1"; }
has_extension() { [[ $(sql -A -c "SELECT count(*) FROM pg_extension WHERE extname = '$1'") == 1 ]]; }

# --- running -------------------------------------------------------------------------------------

elapsed() {
  local s=$((EPOCHSECONDS - BENCH_START))
  echo "$((s / 60)) min $((s % 60)) s"
}

# The queries take turns within each round, every other round backwards; round 0 warms up.
script() {
  local number=$1 setting round line order=()
  mapfile -t order <"$records.$number"
  echo "SET jit = off;"
  for setting in ${settings[number]}; do
    echo "SET ${setting%%=*} = '${setting#*=}';"
  done
  echo "\\o /dev/null"
  for ((round = 0; round <= rounds[number]; round++)); do
    for line in "${order[@]}"; do
      printf '\\echo query %s %s\n\\timing on\n%s;\n\\timing off\n' "$round" "${line%%$'\t'*}" \
        "${line#*$'\t'}"
    done
    mapfile -t order < <(printf '%s\n' "${order[@]}" | tac)
  done
}

run() {
  local number=$1 table=${tables[$1]}
  if [[ ! ${made[$table]-} ]]; then
    make_table "$table"
    made[$table]=1
  fi
  warm_table "$table"
  script "$number" | psql -Xq -v ON_ERROR_STOP=1 | awk -v OFS='\t' -v number="$number" '
    /^query / { round = $2 + 0; name = $0; sub(/^query [0-9]+ /, "", name) }
    /^Time: / && round > 0 { print "T", number, round, name, $2 }
  ' >>"$records"
  drop_unless_needed "$number"
}

# Memory is for the tables still to be measured.
drop_unless_needed() {
  local later
  for ((later = $1 + 1; later <= count; later++)); do
    [[ ${tables[later]} != "${tables[$1]}" ]] || return 0
  done
  sql -c "DROP TABLE ${tables[$1]}"
}

declare -A made=()
sql -c "CREATE EXTENSION idp" -c "CREATE EXTENSION pg_prewarm"
for extension in tdigest hll; do
  sql -c "CREATE EXTENSION $extension" 2>/dev/null || true
done
for name in "$@"; do
  # shellcheck source=/dev/null
  source "$bench/parts/$name.sh"
done
for ((number = 1; number <= count; number++)); do
  printf -- '-- %2d of %d (%s): %s\n' "$number" "$count" "$(elapsed)" "${titles[number]}"
  run "$number"
done

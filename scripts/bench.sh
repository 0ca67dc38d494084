#!/bin/bash
# The benchmarks: private aggregates against native ones and peers in a throw-away PostgreSQL
# server, and the core by itself.
#
#   scripts/bench.sh            everything, 10 million rows (and up to 100 million once): about
#                               40 minutes; writes docs/benchmarks/
#   scripts/bench.sh quick      under three minutes if both cores are free: a million rows, few rounds;
#                               writes below build/
#   scripts/bench.sh scaling    of the whole only time and memory against rows
#
# Needs Debian 12, and root or sudo the first time. To run some parts alone, of
# columns counts groups distinct peers shapes scaling memory plans micro:
#   BENCH_PARTS="columns micro" scripts/bench.sh quick
# The others keep what was measured before. bench/ledger.sh (what charging costs) and
# bench/accuracy.sh (errors side by side) are not part of this.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mode=${1-full}
all_parts="columns counts groups distinct peers shapes scaling memory plans micro"
case $mode in
  full | scaling)
    [[ $mode == full ]] || all_parts="scaling memory"
    mode=full
    export BENCH_ROWS=10000000 BENCH_ROUNDS=5 BENCH_FEWER_ROUNDS=3
    export BENCH_GROUPS="1 10 100 1000 10000 100000 1000000"
    sizes=(1000 10000 100000 1000000 10000000 30000000)
    micro=(--benchmark_min_time=0.2 --benchmark_repetitions=5)
    pages=$repository/docs/benchmarks
    ;;
  quick)
    export BENCH_ROWS=1000000 BENCH_ROUNDS=3 BENCH_FEWER_ROUNDS=2
    export BENCH_GROUPS="1 100 10000 100000"
    sizes=(1000 10000 100000 1000000)
    micro=(--benchmark_min_time=0.02 --benchmark_repetitions=3)
    pages=$cache/benchmarks
    ;;
  *) die "usage: scripts/bench.sh [quick|scaling]" ;;
esac
read -ra parts <<<"${BENCH_PARTS:-$all_parts}"
for part in "${parts[@]}"; do
  [[ -e $repository/bench/parts/$part.sh || $part == memory || $part == micro ]] ||
    die "there is no part $part"
done
wanted() { [[ " ${parts[*]} " == *" $1 "* ]]; }
BENCH_START=$EPOCHSECONDS
readonly work=$scratch/bench
export BENCH_START BENCH_PLANS=$work BENCH_LEFT_OUT='' BENCH_SIZES

need_packages "${extension_packages[@]}" gnuplot-nox
if wanted micro; then
  need_packages cmake libbenchmark-dev
fi
for peer in tdigest hll; do # what is not there is said and left out
  (trap - EXIT && need_packages "postgresql-$pg_version-$peer") ||
    say "postgresql-$pg_version-$peer cannot be had; going on without it"
done

# The largest table needs room: as a table, for what a sort spills, and in memory for what a median
# holds; in kB, each with some to spare.
memory=$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)
if [[ $mode == full ]] && { wanted scaling || wanted memory; }; then
  disk=$(df --output=avail -k "$scratch" | tail -n 1)
  available=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
  if ((disk > 20000000 && available > 12000000)); then
    sizes+=(100000000)
  else
    BENCH_LEFT_OUT="100 000 000 rows are left out: they need 20 GB of disk and 12 GB of memory that is free"
    say "$BENCH_LEFT_OUT"
  fi
fi
BENCH_SIZES=${sizes[*]}

say "building the extension"
build_extension g++
stage_extension
mkdir -p "$work" "$pages"
if wanted micro; then
  say "building the core and its micro-benchmarks"
  cmake -S "$repository" -B "$cache/core-bench" -DCMAKE_BUILD_TYPE=Release -DIDP_WERROR=ON \
    -DIDP_TESTS=OFF -DIDP_BENCHMARKS=ON >/dev/null
  cmake --build "$cache/core-bench" --target micro_benchmarks -j "$(nproc)" >/dev/null
fi

# All tables of a comparison fit, and nothing is written to disk that need not be.
buffers=$((memory / 4 / 1024))
((buffers < 6144)) || buffers=6144
unlogged=(fsync=off jit=off wal_level=minimal max_wal_senders=0 max_wal_size=8GB
  autovacuum=off)
served=()
for part in "${parts[@]}"; do
  [[ ! -e $repository/bench/parts/$part.sh ]] || served+=("$part")
done
if ((${#served[@]})); then
  say "starting a throw-away PostgreSQL $pg_version server"
  server_options=("${unlogged[@]}" "shared_buffers=${buffers}MB")
  with_server bash "$repository/bench/measure.sh" "$work/records" "${served[@]}"
fi
if wanted memory; then
  say "starting a server with 16 MB of shared buffers"
  server_options=("${unlogged[@]}" shared_buffers=16MB)
  with_server bash "$repository/bench/memory.sh" "$work/records" "${sizes[@]}"
fi
if wanted micro; then
  say "measuring the core"
  if ! "$cache/core-bench/micro_benchmarks" "${micro[@]}" --benchmark_format=json \
    --benchmark_enable_random_interleaving=true >"$work/micro.json" 2>"$work/micro.log"; then
    cat "$work/micro.log" >&2
    die "the micro-benchmarks failed"
  fi
fi

# The commit of what was measured, and whether its files are still those of the commit.
revision() {
  local commit
  commit=$(git -C "$repository" rev-parse --short HEAD 2>/dev/null) || commit=unknown
  if [[ $commit != unknown ]]; then
    git -C "$repository" diff --quiet HEAD -- core extension bench Makefile || commit+=", changed"
  fi
  echo "$commit"
}

say "writing tables and charts"
perl "$repository/bench/report.pl" "$pages" "$work" "$work/records" "$work/micro.json" \
  mode="$mode" rows="$BENCH_ROWS" rounds="$BENCH_ROUNDS" shared_buffers="$buffers MB" \
  processor="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" cores="$(nproc)" \
  memory="$((memory / 1000000)) GB" \
  system="$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), Linux $(uname -r | cut -d- -f1)" \
  server="$("$PG_CONFIG" --version)" compiler="$(g++ --version | head -n 1)" \
  when="$(date -u +%F)" revision="$(revision)"

# chart NAME DATA [GNUPLOT VARIABLES]: if its part was ever measured
chart() {
  if [[ -e $pages/$2 ]]; then
    (cd "$pages" && gnuplot -e "${3-}" "$repository/scripts/paper/common.gp" "$repository/bench/charts/$1.gp")
  fi
}
chart rows rows.csv
chart groups groups.csv
chart memory memory.csv
for kind in within faster; do
  chart ratios "ratios_$kind.csv" "kind = '$kind'"
done
for plan in "$work"/*.txt; do
  [[ ! -e $plan ]] || cp "$plan" "$pages"
done
fill_page "$repository/docs/benchmarks/README.md" "$work" >"$work/page"
cp "$work/page" "$pages/README.md"
if ((EUID == 0)); then
  chown -R --no-dereference --reference="$repository" "$pages"
fi
say "took $(((EPOCHSECONDS - BENCH_START) / 60)) min $(((EPOCHSECONDS - BENCH_START) % 60)) s; written: $pages/"

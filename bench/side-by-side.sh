#!/bin/bash
# Two revisions in one run: the private aggregates of an older one and of the working tree, each in a
# throw-away server of its own, and the cores by themselves. Every query is asked of both before the
# next one, in turns, so that whatever else the machine does meets both alike; what counts is the time
# that the processor worked for the session, or, where there are workers, that passed.
#
#   bench/side-by-side.sh REVISION [PART...]    parts of bench/parts whose tables are small, and micro;
#                                               columns counts micro if none is named
#
# Environment: BENCH_ROWS, 1 000 000 if not set; BENCH_ROUNDS, 9. Writes the table of
# docs/benchmarks/README.md; all times are in build/side-by-side/times.tsv.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
# shellcheck source=bench/tables.sh
source "$repository/bench/tables.sh"

(($# > 0)) || die "usage: bench/side-by-side.sh REVISION [PART...]"
old=$(git -C "$repository" rev-parse --short "$1^{commit}")
shift
(($# > 0)) || set -- columns counts micro
export BENCH_ROWS=${BENCH_ROWS:-1000000} BENCH_FEWER_ROUNDS=0 BENCH_GROUPS="1 100 10000"
readonly rounds=${BENCH_ROUNDS:-9}
readonly work=$cache/side-by-side sources=$cache/side-by-side/$old times=$cache/side-by-side/times.tsv

# --- what is asked -------------------------------------------------------------------------------

# The parts declare comparisons with native functions; here only what is ours counts.
count=0
titles=() tables=() settings=() asked=()
part() { :; }
comparison() {
  titles[++count]=$1 tables[count]=$2
  shift 2
  settings[count]="work_mem=1GB max_parallel_workers_per_gather=0 $*"
}
query() {
  [[ $2 != *dp_* ]] || asked+=("$count"$'\t'"$1"$'\t'"$2")
}
at() { :; }
rounds() { :; }
within() { :; }
faster() { :; }
remark() { :; }
has_extension() { false; }

# --- two servers ---------------------------------------------------------------------------------

# open_session NAME: a session of psql at the server that PGHOST leads to, through two pipes.
declare -A to=() from=()
open_session() {
  local in=$scratch/$1.in out=$scratch/$1.out descriptor
  mkfifo "$in" "$out"
  psql -Xq -v ON_ERROR_STOP=1 <"$in" >"$out" 2>&1 &
  exec {descriptor}>"$in"
  to[$1]=$descriptor
  exec {descriptor}<"$out"
  from[$1]=$descriptor
}

# ask NAME COMMANDS: returns when they are done; $seconds are what the last one took: user, system,
# elapsed.
ask() {
  local line
  printf '%s\n\\echo done\n' "$2" >&"${to[$1]}"
  while read -r -u "${from[$1]}" line; do
    [[ ! $line =~ ([0-9.]+)" s user, "([0-9.]+)" s system, "([0-9.]+)" s elapsed" ]] ||
      seconds=("${BASH_REMATCH[@]:1}")
    [[ $line != done ]] || return 0
  done
  die "the server of the $1 revision gave up"
}

prepare() {
  sql -c "CREATE EXTENSION idp" -c "CREATE EXTENSION pg_prewarm"
  local table
  for table in $(printf '%s\n' "${tables[@]}" | sort -u); do
    make_table "$table"
    warm_table "$table"
  done
  open_session "$1"
  ask "$1" $'SET jit = off; SET client_min_messages = log; SET log_statement_stats = on;\n\\o /dev/null'
}

# taken NUMBER: of the last query, in a comparison
taken() {
  if [[ ${settings[$1]} =~ gather=[1-9] ]]; then
    echo "${seconds[2]}"
  else
    awk '{ print $1 + $2 }' <<<"${seconds[*]}"
  fi
}

measure() {
  local round entry number name text setting side sides=(old new)
  prepare new
  for entry in "${asked[@]}"; do
    IFS=$'\t' read -r number name text <<<"$entry"
    for setting in ${settings[number]}; do
      for side in old new; do ask "$side" "SET ${setting%%=*} = '${setting#*=}';"; done
    done
    for ((round = 0; round <= rounds; round++)); do # round 0 warms up
      for side in "${sides[@]}"; do
        ask "$side" "$text;"
        ((round == 0)) ||
          printf '%s\t%s\t%s\t%s\n' "${titles[number]}" "$name" "$side" "$(taken "$number")" >>"$times"
      done
      sides=("${sides[1]}" "${sides[0]}")
    done
  done
}

with_old() {
  prepare old
  server_bin=$new_bin IDP_SERVER_SETTINGS=$new_settings
  with_server measure
}

# --- the cores -----------------------------------------------------------------------------------

build_core() { # SOURCES DIRECTORY
  cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release -DIDP_TESTS=OFF -DIDP_BENCHMARKS=ON >/dev/null
  cmake --build "$2" --target micro_benchmarks -j "$(nproc)" >/dev/null
}

measure_cores() {
  local round side
  for ((round = 1; round <= rounds; round++)); do
    for side in old new; do
      "$work/core-$side/micro_benchmarks" --benchmark_min_time=0.01 --benchmark_format=json 2>/dev/null |
        SIDE=$side perl -MJSON::PP -0777 -ne '
          print join("\t", "The core", $_->{name}, $ENV{SIDE}, $_->{cpu_time}), "\n"
            for @{decode_json($_)->{benchmarks}}' >>"$times"
    done
  done
}

# --- the table -----------------------------------------------------------------------------------

# 1000000 → 1 000 000
grouped() { sed -E ':a; s/([0-9])([0-9]{3})($| )/\1 \2\3/; ta' <<<"$1"; }

# A ratio is that of the least times: what else runs on the machine only ever adds to them. Those of
# the core are many, and stand as their middle and their ends.
report() {
  perl -F'\t' -lane '
    my ($title, $name, $side, $time) = @F;
    push @titles, $title unless $names{$title};
    push @{$names{$title}}, $name unless $least{$title}{$name};
    my $known = \$least{$title}{$name}{$side};
    $$known = $time if !defined $$known || $time < $$known;
    END {
      print "| | new time / old time |\n|---|---|";
      for my $title (@titles) {
        my %ratio = map { $_ => $least{$title}{$_}{new} / $least{$title}{$_}{old} }
          grep { keys %{$least{$title}{$_}} == 2 } @{$names{$title}};
        my @sorted = sort { $ratio{$a} <=> $ratio{$b} } keys %ratio;
        my $text = @sorted > 12
          ? sprintf("%d figures: median %.2f, from %.2f (%s) to %.2f (%s)", scalar @sorted,
              $ratio{$sorted[@sorted / 2]}, map { ($ratio{$_}, $_) } @sorted[0, -1])
          : join(", ", map { sprintf "%s %.2f", $_ =~ s/ .*//r, $ratio{$_} } grep { $ratio{$_} } @{$names{$title}});
        print "| $title | $text |";
      }
    }' "$times"
}

need_packages "${extension_packages[@]}"
rm -rf "$work"
mkdir -p "$sources"
git -C "$repository" archive "$old" | tar -x -C "$sources"
for name in "$@"; do
  # shellcheck source=/dev/null
  [[ $name == micro ]] || source "$repository/bench/parts/$name.sh"
done
for number in "${!settings[@]}"; do # what grows with the memory of the machine has no place here
  [[ ${tables[number]} != scale_* ]] || die "the tables of a part are too large"
done

if ((count > 0)); then
  say "building $old and the working tree"
  tree=$sources
  make -s -C "$tree" -j"$(nproc)" CXX=g++
  stage_extension "$scratch/old"
  old_bin=$server_bin old_settings=$IDP_SERVER_SETTINGS
  build_extension g++
  stage_extension "$scratch/new"
  new_bin=$server_bin new_settings=$IDP_SERVER_SETTINGS
  say "measuring ${#asked[@]} queries, $rounds times each"
  server_options=(fsync=off jit=off autovacuum=off max_wal_size=8GB shared_buffers=512MB)
  server_bin=$old_bin IDP_SERVER_SETTINGS=$old_settings
  with_server with_old
fi
if [[ " $* " == *" micro "* ]]; then
  need_packages cmake libbenchmark-dev
  say "building and measuring the cores"
  build_core "$sources" "$work/core-old"
  build_core "$repository" "$work/core-new"
  measure_cores
fi
{
  printf 'Revision %s, and %s after it: the least of %s rounds each, %s rows, %s.\n\n' "$old" \
    "$(git -C "$repository" rev-parse --short HEAD)" "$rounds" "$(grouped "$BENCH_ROWS")" "$(date -u +%F)"
  report
} | tee "$work/side_by_side.md"
page=$repository/docs/benchmarks/README.md
fill_page "$page" "$work" >"$work/page"
cp "$work/page" "$page"

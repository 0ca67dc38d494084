#!/bin/bash
# Runs every test. Each step says how it went and how long it took; a failing one shows its output,
# and the steps after it run all the same. The last line is "N passed, M failed".
#
#   scripts/test.sh            all steps
#   scripts/test.sh unit tap   some of them: layers names unit statistical clang sanitizers library
#                              micro extension extension-clang regress tap documents site demo
#
#   PG_CONFIG=… scripts/test.sh    against that server, from 14 to 18, which is installed already;
#                                  its files stay as they are. Without it against Debian's 15.
#
# Needs Debian 12, and root or sudo if packages are missing.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"

readonly log=$scratch/log tap_log=$scratch/tap.log
: >"$tap_log"
passed=0 failed=0
failures=()
step='' watchdog='' # process groups: of the running step, of the clock that stops it
trap 'stop_step; exit 130' INT
trap 'stop_step; exit 143' TERM

# --- steps ---------------------------------------------------------------------------------------

# cmake_configure DIRECTORY OPTION...
cmake_configure() { cmake -S . -B "$cache/$1" -DIDP_WERROR=ON "${@:2}"; }

# cmake_build DIRECTORY TARGET OPTION...
cmake_build() {
  cmake_configure "$1" "${@:3}"
  cmake --build "$cache/$1" --target "$2" -j "$(nproc)"
}

# The extension is compiled by make, with the whole tree in view: the core's own build tells.
layers() {
  cmake_configure core-release -DCMAKE_BUILD_TYPE=Release
  scripts/check-layers.sh "$cache/core-release"
}

names() { scripts/check-names.pl; }

# Half of the tests of a program in each of two processes; their reports one after the other.
in_halves() {
  local half status=0 processes=()
  for half in 0 1; do
    GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$half "$1" >"$scratch/half$half" 2>&1 &
    processes+=($!)
  done
  for half in 0 1; do
    wait "${processes[half]}" || status=1
    cat "$scratch/half$half"
  done
  return $status
}

unit() {
  cmake_build core-release unit_tests -DCMAKE_BUILD_TYPE=Release
  in_halves "$cache/core-release/unit_tests"
}

statistical() {
  cmake_build core-release statistical_tests -DCMAKE_BUILD_TYPE=Release
  in_halves "$cache/core-release/statistical_tests"
}

# The server's development package brings clang-14, but not the unversioned name.
clangxx() { command -v clang++ || command -v clang++-14; }

clang() { cmake_build core-clang idp_core -DCMAKE_CXX_COMPILER="$(clangxx)"; }

sanitizers() {
  cmake_build core-sanitizers unit_tests -DIDP_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
  cmake_build core-sanitizers statistical_tests
  local status=0
  in_halves "$cache/core-sanitizers/unit_tests" || status=1
  in_halves "$cache/core-sanitizers/statistical_tests" || status=1
  return $status
}

# Nobody looks at times here: they have to build, and to run.
micro() {
  cmake_build core-bench micro_benchmarks -DCMAKE_BUILD_TYPE=Release -DIDP_TESTS=OFF \
    -DIDP_BENCHMARKS=ON
  "$cache/core-bench/micro_benchmarks" --benchmark_min_time=0.001 \
    --benchmark_filter='laplace|relax|divide|DistinctValues'
}

# The core as it is installed: every header is there with all that it includes, and the example runs.
library() {
  local prefix=$scratch/prefix header
  cmake_build core-release idp_core -DCMAKE_BUILD_TYPE=Release
  cmake --install "$cache/core-release" --prefix "$prefix"
  find "$prefix/include/idp" -name '*.h' | sort | while read -r header; do
    echo "#include \"$header\""
  done >"$scratch/headers.cpp"
  g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" "$scratch/headers.cpp"
  cmake -S examples/library -B "$scratch/library" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror"
  cmake --build "$scratch/library"
  "$scratch/library/salaries" examples/library/salaries.csv | tee "$scratch/salaries.out"
  # of 500 rows; one count in 10^20 is farther off
  awk '/^median [0-9.]+$/ { median = 1 }
       /^rows at epsilon 1: / { rows = $NF > 450 && $NF < 550 }
       /^spent 2 of 2$/ { spent = 1 }
       END { exit !(median && rows && spent) }' "$scratch/salaries.out"
}

extension() {
  build_extension g++
  scripts/check-includes.sh "$tree"
  make -s -C "$tree" WERROR=1 check-install-script
}

extension-clang() { build_extension "$(basename "$(clangxx)")"; }

stage_tested_extension() {
  build_extension g++
  stage_extension
}

regress() {
  stage_tested_extension
  if ! with_server make -s -C "$tree" installcheck; then
    cat "$tree/regression.diffs" 2>/dev/null || true
    return 1
  fi
}

# PostgreSQL's own test modules start servers of their own and refuse to do so as root.
tap() {
  stage_tested_extension
  local test_lib
  test_lib=$("$PG_CONFIG" --pkglibdir)/pgxs/src/test
  mkdir -p "$scratch/tap/tests" "$scratch/tap/tmp"
  cp -r tests/tap "$scratch/tap/tests"
  if ((EUID == 0)); then
    chown -R postgres "$scratch/tap"
  fi
  cd "$scratch/tap"
  trap stop_left_servers EXIT
  # Standard output tells every statement; what went wrong is on standard error and in the summary.
  if ! "${as_server_user[@]}" env PATH="$server_bin:$PATH" PERL5LIB="$test_lib/perl" \
    TMPDIR="$PWD/tmp" TESTLOGDIR="$PWD/tmp_check/log" PG_REGRESS="$test_lib/regress/pg_regress" \
    prove -v -I tests/tap tests/tap/*.pl >"$tap_log"; then
    sed -n '/^Test Summary Report/,$p' "$tap_log"
    grep -hE 'PANIC|terminated by signal' tmp_check/log/*.log || true
    return 1
  fi
}

# An interrupted test may not have got to stopping its server, and its files are about to go.
stop_left_servers() {
  local pid_file
  for pid_file in tmp_check/*/pgdata/postmaster.pid; do
    if [[ -e $pid_file ]]; then
      "${as_server_user[@]}" "$server_bin/pg_ctl" -s -m immediate -D "${pid_file%/*}" stop || true
    fi
  done
}

# What the documentation invites to paste, from its first line on: it creates what it uses. That of
# the README is found at a glance.
documents() {
  head -n 60 README.md | sed -n '/^```sql$/,/^```$/p' >"$scratch/glance.sql"
  grep -q '^CREATE EXTENSION idp;$' "$scratch/glance.sql"
  grep -q 'SELECT .*idp_median(' "$scratch/glance.sql"
  grep -q '^```$' "$scratch/glance.sql"
  stage_tested_extension
  local document
  for document in $(grep -lr --include='*.md' '^```sql$' README.md docs); do
    sed -n '/^```sql$/,/^```$/p' "$document" | grep -v '^```' >"$scratch/pasted.sql"
    echo "-- $document"
    with_server psql -Xq -v ON_ERROR_STOP=1 <"$scratch/pasted.sql"
  done
}

# The site refuses links that lead nowhere.
site() { scripts/docs.sh; }

# The demonstration shows one error on purpose.
demo() {
  scripts/demo.sh | tee "$scratch/demo.out"
  [[ $(grep -c ERROR "$scratch/demo.out") == 3 ]] # what it shows to be refused
}

# --- running and counting ------------------------------------------------------------------------

# Each prints how many tests of the log passed and failed, according to the program that ran them.
count_gtest() {
  awk '/^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
       /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
       END { print passed + 0, failed + 0 }' "$log"
}
count_regress() {
  # up to 15 "test NAME ... ok", from 16 on "ok 1 - NAME"
  awk '/ \.\.\. +ok|^ok / { passed++ } / \.\.\. +FAILED|^not ok / { failed++ }
       END { print passed + 0, failed + 0 }' "$log"
}
count_tap() { # a skipped test has not passed; one marked TODO has not failed
  awk '/^ok / && !/# *[Ss][Kk][Ii][Pp]/ { passed++ } /^not ok / && !/# *TODO/ { failed++ }
       END { print passed + 0, failed + 0 }' "$tap_log"
}
count_step() { [[ $1 == 0 ]] && echo 1 0 || echo 0 1; }

# run_step TITLE SECONDS COUNT FUNCTION
run_step() {
  local title=$1 limit=$2 count=$3 function=$4
  local status=0 start=$SECONDS step_passed step_failed
  printf '%-66s' "-- $title"
  # With job control each gets a process group of its own, which can be stopped with all its children.
  set -m
  (
    set -e
    trap 'exit 143' TERM # after the command that runs, which may have a server to stop
    "$function"
  ) </dev/null >"$log" 2>&1 &
  step=$!
  (
    sleep "$limit"
    echo "stopped: took longer than $limit s" >>"$log"
    kill -TERM -- "-$step"
    sleep 30
    kill -KILL -- "-$step"
  ) &
  watchdog=$!
  disown "$watchdog"
  set +m
  wait "$step" || status=$?
  step=
  stop_step

  read -r step_passed step_failed <<<"$("count_$count" "$status")"
  if ((status != 0 && step_failed == 0)); then
    step_failed=1 # it failed outside any test
  elif ((status == 0 && step_passed + step_failed == 0)); then
    echo "no test was run" >>"$log"
    step_failed=1
  fi
  passed=$((passed + step_passed)) failed=$((failed + step_failed))
  printf '%5d passed %5d failed %4d s\n' "$step_passed" "$step_failed" $((SECONDS - start))
  if ((step_failed)); then
    failures+=("$title")
    # all but what says that something else went well
    grep -vE '^\[ +(RUN|OK) +\]|^\[-+\]|^\[ *[0-9]+%\]|^-- |^$' "$log" | tail -n 200 | sed 's/^/   | /' || true
  fi
}

# Also called on Ctrl-C: then a throw-away server is stopped and removed while we wait.
stop_step() {
  if [[ $step ]]; then
    kill -TERM -- "-$step" 2>/dev/null || true
    wait "$step" || true
  fi
  kill -TERM -- "-$watchdog" 2>/dev/null || true
  step='' watchdog=''
}

wanted() { [[ ! ${selected[*]} || " ${selected[*]} " == *" $1 "* ]]; }

selected=("$@")
start=$SECONDS

need_packages "${extension_packages[@]}" cmake libgtest-dev libgsl-dev libbenchmark-dev \
  libipc-run-perl cmark-gfm
[[ $(clangxx) ]] || need_packages clang
say "testing with $("$PG_CONFIG" --version)"

while read -r name limit count title; do
  if wanted "$name"; then
    run_step "$title" "$limit" "$count" "$name"
  fi
done <<'STEPS'
layers            180 step    layers: core is free of PostgreSQL, includes go one way
names             180 step    names: links, paths and versions lead to what is there
unit             1800 gtest   unit tests of the core, g++
statistical      1800 gtest   statistical tests of the core, g++
clang             900 step    the core compiles without a warning, clang++
sanitizers       2700 gtest   both under the address and undefined behaviour sanitizers
library           900 step    a program of its own builds against the installed library, and runs
micro             900 step    the micro-benchmarks of the core build and run
extension         900 step    the extension builds without a warning, g++
extension-clang   900 step    the extension builds without a warning, clang++
regress           900 regress SQL tests: pg_regress
tap              1800 tap     TAP tests: servers of their own
documents         900 step    the SQL of README and documentation runs as it stands
site              180 step    site: all pages, and no dead link in them
demo              900 step    the demonstration runs to its end
STEPS

say "took $((SECONDS - start)) s${failures[*]:+; failed:}"
if ((${#failures[@]})); then
  printf '   %s\n' "${failures[@]}"
fi
echo "$passed passed, $failed failed"
((passed > 0 && failed == 0))

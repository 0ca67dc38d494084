#!/bin/bash
# Runs every test. Each step says how it went and how long it took; a failing one shows its output,
# and the steps after it run all the same. The last line is "N passed, M failed".
#
#   scripts/test.sh            all steps
#   scripts/test.sh unit tap   some of them: layers names unit statistical clang sanitizers library
#                              micro extension regress isolation tap documents site demo clients
#
# What programs that run tests say of each stays in build/results: JUnit of ctest, TAP of the others.
#
#   PG_CONFIG=… scripts/test.sh    against that server, from 14 to 18, which is installed already;
#                                  its files stay as they are. Without it against Debian's 15.
#
# Needs Debian 12, and root or sudo if packages are missing.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"

readonly log=$scratch/log
passed=0 failed=0
failures=()
step= # the process of the running step
trap 'stop_step; exit 130' INT
trap 'stop_step; exit 143' TERM

# run_step TITLE SECONDS KIND NAME. KIND: one test, or a program that runs tests and leaves what it
# says of each in build/results/NAME.
run_step() {
  local title=$1 limit=$2 kind=$3 results=$cache/results/$4
  local status=0 start=$SECONDS step_passed=0 step_failed=0
  printf '%-66s' "-- $title"
  rm -rf "$results"
  mkdir -p "$results"
  # stops a step with all its children, which it keeps in a process group of its own
  timeout --kill-after=30 "$limit" scripts/test-step.sh "$4" "$results" </dev/null >"$log" 2>&1 &
  step=$!
  wait "$step" || status=$?
  step=
  if ((status == 124)); then
    echo "stopped: took longer than $limit s" >>"$log"
  fi

  if [[ $kind == tests ]]; then
    read -r step_passed step_failed <<<"$(scripts/count-results.pl "$results" 2>>"$log")"
  elif ((status == 0)); then
    step_passed=1
  fi
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
    grep -vE '^\[ +(RUN|OK) +\]|^\[-+\]|^\[ *[0-9]+%\]|^-- |^$|^ +Start +[0-9]+: | Passed +[0-9.]+ sec$|\.\. (ok|skipped)' "$log" |
      tail -n 200 | sed 's/^/   | /' || true
  fi
}

# Also called on Ctrl-C: then a throw-away server is stopped and removed while we wait.
stop_step() {
  if [[ $step ]]; then
    kill -TERM "$step" 2>/dev/null || true
    wait "$step" || true
  fi
  step=
}

wanted() { [[ ! ${selected[*]} || " ${selected[*]} " == *" $1 "* ]]; }

selected=("$@")
start=$SECONDS

need_packages "${extension_packages[@]}" git cmake libgtest-dev libgsl-dev libbenchmark-dev \
  libclang-rt-dev libipc-run-perl mkdocs python3-pymdownx
command -v clang++ clang++-14 >/dev/null || need_packages clang
say "testing with $("$PG_CONFIG" --version)"

# The seconds are at least three times what a step takes on two processors.
while read -r name limit kind title; do
  if wanted "$name"; then
    run_step "$title" "$limit" "$kind" "$name"
  fi
done <<'STEPS'
layers            180 step   layers: core is free of PostgreSQL, includes go one way
names             180 step   names: links, paths and versions lead to what is there
unit             1800 tests  unit tests of the core, g++
statistical      1800 tests  statistical tests of the core, g++
clang             900 step   core and extension compile without a warning, clang++
sanitizers       1800 tests  unit tests under the address and undefined behaviour sanitizers
library           900 step   a program of its own builds against the installed library, and runs
micro             900 step   the micro-benchmarks of the core build and run
extension         900 step   the extension builds without a warning, g++
regress           900 tests  SQL tests: pg_regress
isolation         900 tests  SQL tests of sessions that meet: pg_isolation_regress
tap              2700 tests  TAP tests: servers of their own
documents         900 step   the SQL of README and documentation runs as it stands
site              180 step   site: all pages, and no dead link in them
demo              900 step   the demonstration runs to its end
clients           900 tests  clients: drivers and libraries ask plain SQL of hidden tables
STEPS

say "took $((SECONDS - start)) s${failures[*]:+; failed:}"
if ((${#failures[@]})); then
  printf '   %s\n' "${failures[@]}"
fi
echo "$passed passed, $failed failed"
((passed > 0 && failed == 0))

#!/bin/bash
# One step of scripts/test.sh, which says what each is about: in a process of its own, so that it can
# be stopped with all that it started.
#
#   scripts/test-step.sh NAME RESULTS    RESULTS: an empty folder for what the programs that run tests
#                                        say of them, which scripts/count-results.pl adds up

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"
readonly step=$1 results=$2

# --- the core ------------------------------------------------------------------------------------

# cmake_configure DIRECTORY OPTION...
cmake_configure() {
  # CMake refuses a folder that was copied with its clone
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache/$1/CMakeCache.txt" || rm -rf "${cache:?}/$1"
  cmake -S . -B "$cache/$1" -DIDP_WERROR=ON "${@:2}"
}

# cmake_build DIRECTORY "TARGET..." OPTION...
cmake_build() {
  cmake_configure "$1" "${@:3}"
  # shellcheck disable=SC2086 # several
  cmake --build "$cache/$1" --target $2 -j "$(nproc)"
}

# The extension is compiled by make, with the whole tree in view: the core's own build tells.
layers() {
  cmake_configure core-release -DCMAKE_BUILD_TYPE=Release
  scripts/check-layers.sh "$cache/core-release"
}

names() { scripts/check-names.pl; }

# core_tests DIRECTORY LABELS OPTION...: the tests of the core that have one of these labels, a|b, as
# built there.
core_tests() {
  ctest --test-dir "$cache/$1" -L "^($2)$" "${@:3}" -j "$(nproc)" --no-tests=error --output-on-failure \
    --output-junit "$results/ctest.xml"
}

unit() {
  cmake_build core-release "unit_tests law_tests memory_tests" -DCMAKE_BUILD_TYPE=Release
  core_tests core-release 'unit|law|memory'
}

statistical() {
  cmake_build core-release statistical_tests -DCMAKE_BUILD_TYPE=Release
  core_tests core-release statistical
}

# The server's development package brings clang-14, but not the unversioned name.
clangxx() { command -v clang++ || command -v clang++-14; }

# All sources, for its warnings alone. What most files of the extension include is read once; g++ builds
# them without such help, so each file includes what it needs.
clang() {
  local compiler
  compiler=$(clangxx)
  local flags=(-std=c++20 -Wall -Wextra -Wpointer-arith -Wformat-security -Werror -I .
    -isystem "$("$PG_CONFIG" --includedir-server)")
  printf '#include %s\n' '"extension/pg/pg.h"' '<algorithm>' '<gmpxx.h>' '<memory_resource>' '<optional>' '<span>' \
    '<string>' '<vector>' >"$scratch/common.h"
  "$compiler" "${flags[@]}" -x c++-header -o "$scratch/common.pch" "$scratch/common.h"
  local look=(xargs -0 -P "$(nproc)" -n 8 "$compiler" "${flags[@]}" -fsyntax-only)
  find core -name '*.cpp' -print0 | "${look[@]}"
  find extension -name '*.cpp' -print0 | "${look[@]}" -include-pch "$scratch/common.pch"
}

# clang++, which builds them in two thirds of the time, and is another compiler than that of the unit tests; g++ where
# that lacks the run-time libraries.
sanitizing_compiler() {
  local compiler
  for compiler in "$(clangxx)" g++; do
    if "$compiler" -fsanitize=address,undefined -x c++ -o "$scratch/sanitized" - <<<'int main() {}' >&2; then
      echo "$compiler"
      return
    fi
  done
  return 1
}

# The law tests walk every sampler through all it can draw, and the unit tests everything else; the
# statistical tests draw the same a million times. Not those in which a mutant has to be noticed, which
# test the tests, nor two that compute for long what others reach too.
sanitizers() {
  local compiler
  compiler=$(sanitizing_compiler)
  cmake_build core-sanitizers "unit_tests law_tests" -DIDP_SANITIZE=ON \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER="$compiler"
  core_tests core-sanitizers 'unit|law' -E 'Control|Mutant|WorkOfADraw|DeltaOfAMove'
}

# Nobody looks at times here: they have to build, and to run.
micro() {
  cmake_build core-release micro_benchmarks -DCMAKE_BUILD_TYPE=Release -DIDP_BENCHMARKS=ON
  "$cache/core-release/micro_benchmarks" --benchmark_min_time=0.001 \
    --benchmark_filter='laplace|relax|divide|DistinctValues'
}

# clean_checkout DIRECTORY: the files that git knows, as they are now; all of an unpacked archive.
clean_checkout() {
  local files=(.)
  if [[ -e .git ]]; then
    mapfile -d '' files < <(git -c safe.directory='*' ls-files -z)
  fi
  mkdir "$1"
  printf '%s\0' "${files[@]}" | tar --null --exclude=./build -T - -cf - | tar -C "$1" --no-same-owner -xf -
}

# blocks_of LANGUAGE PAGE: its code in that language, as it stands there.
blocks_of() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$2"; }

# The core as its page says that it is built, installed and used: the commands, one a line, in a clean
# checkout; a program made of the page's own code; and every header with all that it includes.
library() {
  local page=docs/library.md command header program=$scratch/program
  export HOME=$scratch/home CXXFLAGS="-Wall -Wextra -Werror" CMAKE_BUILD_PARALLEL_LEVEL
  CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
  mkdir "$HOME" "$program"
  clean_checkout "$scratch/checkout"
  blocks_of sh $page >"$scratch/commands"
  while read -r -u 3 command; do
    echo "\$ $command"
    (cd "$scratch/checkout" && bash -c "$command") || exit 1
  done 3<"$scratch/commands" | tee "$scratch/library.out"
  # of 500 rows; one count in 10^20 is farther off
  awk '/^median [0-9.]+$/ { median = 1 }
       /^rows at epsilon 1: / { rows = $NF > 450 && $NF < 550 }
       /^spent 2 of 2$/ { spent = 1 }
       END { exit !(median && rows && spent) }' "$scratch/library.out"

  {
    echo "cmake_minimum_required(VERSION 3.18)"
    echo "project(program LANGUAGES CXX)"
    echo "add_executable(program program.cpp)"
    blocks_of cmake $page
  } >"$program/CMakeLists.txt"
  {
    grep -oE '`[a-z_]+/[a-z_0-9]+\.h`' $page | tr -d '`' | sort -u | sed 's|.*|#include <idp/&>|'
    echo "#include <iostream>"
    echo "#include <vector>"
    echo "int main() {"
    echo "const std::vector<double> column(1000, 5);"
    blocks_of cpp $page
    echo "}"
  } >"$program/program.cpp"
  cmake -S "$program" -B "$program/build" -DCMAKE_PREFIX_PATH="$HOME/idp"
  cmake --build "$program/build"
  [[ $("$program/build/program") == 5 ]] # of equal values the median is exact

  find "$HOME/idp/include/idp" -name '*.h' | sort | while read -r header; do
    echo "#include \"$header\""
  done >"$scratch/headers.cpp"
  g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$HOME/idp/include" "$scratch/headers.cpp"
}

# --- the extension -------------------------------------------------------------------------------

extension() {
  build_extension g++
  scripts/check-includes.sh "$tree"
  make -s -C "$tree" WERROR=1 check-install-script
}

stage_tested_extension() {
  build_extension g++
  stage_extension
}

# Those of PGXS' installcheck against a server that runs.
regress() {
  stage_tested_extension
  if ! with_server make -s -C "$tree" installcheck ISOLATION= | tee "$results/regress.out"; then
    cat "$tree/regression.diffs" 2>/dev/null || true
    return 1
  fi
}

isolation() {
  stage_tested_extension
  if ! with_server make -s -C "$tree" installcheck REGRESS= | tee "$results/isolation.out"; then
    cat "$tree/output_iso/regression.diffs" 2>/dev/null || true
    return 1
  fi
}

tap() {
  stage_tested_extension
  tap_tests "$results" PROVE_FLAGS=-j2
}

# --- documentation and demonstration -------------------------------------------------------------

# What the documentation invites to paste, from its first line on: it creates what it uses. That of
# the README is found at a glance. The results and errors it shows are those that psql prints.
documents() {
  head -n 60 README.md | sed -n '/^```sql$/,/^```$/p' >"$scratch/glance.sql"
  grep -q '^CREATE EXTENSION idp;$' "$scratch/glance.sql"
  grep -q 'SELECT .*idp_median(' "$scratch/glance.sql"
  grep -q '^```$' "$scratch/glance.sql"
  # The rows of a person are chosen by a hash: the first ones by time are not like the others.
  if grep -rnP --include='*.md' 'row_number\(\) OVER \(PARTITION BY [\w.]+ ORDER BY (?!md5|…)' README.md docs; then
    return 1
  fi
  grep -qP 'row_number\(\) OVER \(PARTITION BY [\w.]+ ORDER BY md5' docs/persons.md
  stage_tested_extension
  local documents half status=0
  mapfile -t documents < <(grep -lr --include='*.md' '^```sql$' README.md docs)
  half=$((${#documents[@]} / 2)) # a server takes one processor
  check_documents "${documents[@]::half}" >"$scratch/half" 2>&1 &
  check_documents "${documents[@]:half}" || status=1
  wait $! || status=1
  cat "$scratch/half"
  ((status == 0))
  check_index
  check_examples
}

check_examples() {
  local documents
  mapfile -t documents < <(grep -lr --include='*.md' '^```sql$' README.md docs)
  with_server psql -XAtq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = error' -c 'CREATE EXTENSION idp' \
    -c 'SELECT DISTINCT kind, name FROM idp.help' | scripts/check-examples.pl "${documents[@]}"
}

check_documents() {
  local document pasted=$scratch/pasted.$BASHPID messages=$scratch/messages.$BASHPID
  for document in "$@"; do
    echo "-- $document"
    scripts/document-sql.pl "$document" >"$pasted" || return 1
    with_server psql -Xq -v ON_ERROR_STOP=1 <"$pasted" 2>"$messages" || { cat "$messages"; return 1; }
    scripts/document-sql.pl "$document" "$messages" || return 1
  done
}

# The index names what the catalog has, and nothing else: extension's own support functions aside.
names_of_extension() {
  with_server psql -XAtq -v ON_ERROR_STOP=1 <<'SQL'
SET client_min_messages = error;
CREATE EXTENSION idp;
WITH named AS (
  SELECT nspname AS schema, coalesce(proname, relname, typname) AS name
  FROM pg_depend d
       LEFT JOIN pg_proc p ON classid = 'pg_proc'::regclass AND p.oid = objid
       LEFT JOIN pg_class c ON classid = 'pg_class'::regclass AND c.oid = objid
       LEFT JOIN pg_type t ON classid = 'pg_type'::regclass AND t.oid = objid AND typelem = 0
            AND (typrelid = 0 OR (SELECT relkind = 'c' FROM pg_class r WHERE r.oid = typrelid))
       JOIN pg_namespace n ON n.oid = coalesce(pronamespace, relnamespace, typnamespace)
  WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idp'))
SELECT DISTINCT CASE WHEN schema = 'idp' THEN 'idp.' ELSE '' END || name FROM named
WHERE name !~ '_(accum|refused|final|in|out|send|recv)$'
UNION SELECT name FROM pg_settings WHERE name LIKE 'idp.%';
SQL
}

check_index() {
  names_of_extension | LC_ALL=C sort -u >"$scratch/in_catalog"
  grep -oE '`(idp\.|idp_|dp_)[a-z_0-9]+`' docs/index-of-idp.md | tr -d '`' | LC_ALL=C sort -u >"$scratch/in_index"
  diff "$scratch/in_catalog" "$scratch/in_index"
}

# The site refuses links that lead nowhere.
site() { scripts/docs.sh; }

# The demonstration shows errors on purpose.
demo() {
  scripts/demo.sh | tee "$scratch/demo.out"
  [[ $(grep -c ERROR "$scratch/demo.out") == 10 ]] # what it shows to be refused
}

# --- clients -------------------------------------------------------------------------------------

# Those that are installed in seconds.
clients() { RESULTS=$results tests/clients/run.sh quick; }

"$step"

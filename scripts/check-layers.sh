#!/usr/bin/env bash
# Checks that the build lets includes of the core point one way only. CMakeLists.txt gives each folder
# of core/ an include root for each folder it may see; here every folder tries to include a header of
# every other one. What include roots cannot hold is looked for in the sources.
#
# Usage: check-layers.sh BUILD, a directory that cmake has configured. Prints what is wrong; exits 1
# if anything is.
set -euo pipefail

build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

# house order: a folder sees those to its left at most
flow=(grid random select collect sensitivity mechanism aggregate gradual accounting)

problems=0
complain() {
  printf '%s\n' "$1"
  problems=$((problems + 1))
}

# can_include FOLDER HEADER: whether sources of the folder find the header, and all that it includes.
# The compiler also looks in its working directory, so that is an empty one.
empty=$(mktemp -d)
trap 'rmdir "$empty"' EXIT
can_include() {
  local roots=() root
  while read -r root; do roots+=(-I "$root"); done <"$build/roots/$1.roots"
  (cd "$empty" && "${CXX:-c++}" -x c++ -std=c++20 "${roots[@]}" -E -include "$2" /dev/null) \
    >/dev/null 2>&1
}

for ((i = 0; i < ${#flow[@]}; ++i)); do
  for ((j = i; j < ${#flow[@]}; ++j)); do
    header=$(find "core/${flow[j]}" -name '*.h' -print -quit)
    if can_include "${flow[i]}" "$header"; then
      ((i == j)) || complain "core/${flow[i]} can include \"$header\", which comes after it"
    else
      ((i != j)) || complain "core/${flow[i]} cannot include \"$header\", which is its own"
    fi
  done
done

for folder in core/*/; do
  folder=$(basename "$folder")
  [[ " ${flow[*]} " == *" $folder "* ]] || complain "core/$folder has no place in: ${flow[*]}"
done

# Quotes also lead from one folder to the next: ../mechanism/frozen.h
while read -r file; do complain "$file: includes a path with .."; done \
  < <(grep -rlE '#\s*include.*\.\.' core)
while read -r file; do complain "$file: does not include core/no_postgres.h"; done \
  < <(grep -rL --include='*.h' '^#include "core/no_postgres\.h"$' core/*/)

# Walks that follow columns take steps, so that none of them goes on for ever.
while read -r place; do complain "$place: follows a column without column_shown() of pg/statement_room.h"; done \
  < <(grep -rn --include='*.cpp' get_tle_by_resno extension | grep -v '^extension/pg/statement_room.cpp' | cut -d : -f 1-2)

if ((problems > 0)); then
  echo "check-layers: $problems problem(s)"
  exit 1
fi
echo "check-layers: includes point one way"

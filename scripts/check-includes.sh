#!/usr/bin/env bash
# Checks that the folders of extension/ include one another one way only, by what the compiler wrote
# down while it built them: every header an object depends on, directly or not.
#
# Usage: check-includes.sh TREE, where the extension was built. Prints what is wrong; exits 1 if
# anything is.
set -euo pipefail

cd "$1"

# house order: a folder sees those to its left; files beside the folders see all of them
flow=(pg report types state call plan catalog budget release distribute access synthesis statement aggregate)

problems=0
complain() {
  printf '%s\n' "$1"
  problems=$((problems + 1))
}

place() {
  local i
  for i in "${!flow[@]}"; do
    [[ ${flow[i]} != "$1" ]] || { echo "$i"; return; }
  done
}

checked=0
for folder in extension/*/; do
  folder=$(basename "$folder")
  [[ $folder != sql ]] || continue
  here=$(place "$folder")
  [[ $here ]] || { complain "extension/$folder has no place in: ${flow[*]}"; continue; }
  for dependencies in "extension/$folder"/*.d; do
    [[ -e ${dependencies%.d}.cpp ]] || continue # left from a file that is gone
    checked=$((checked + 1))
    while read -r other; do
      there=$(place "$other")
      [[ $there ]] && ((there <= here)) ||
        complain "${dependencies%.d}.cpp includes a header of extension/$other, which comes after it"
    done < <(tr ' \\' '\n\n' <"$dependencies" | sed -nE 's|^(\./)?extension/([a-z]+)/.*\.h$|\2|p' | sort -u)
  done
done
((checked > 0)) || complain "nothing was built in $PWD"

if ((problems > 0)); then
  echo "check-includes: $problems problem(s)"
  exit 1
fi
echo "check-includes: the folders of extension/ include one way only ($checked files)"

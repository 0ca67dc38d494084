#!/usr/bin/env bash
# Checks that the folders of extension/ include one another one way only, by what the compiler wrote
# down while it built them: every header an object depends on, directly or not. And that no files go
# in a circle: a header and its source, which are one thing, include others that include them.
#
# Usage: check-includes.sh [TREE], where the extension was built; what scripts/one-test.sh built, if none is given.
# Prints what is wrong; exits 1 if anything is.
set -euo pipefail

cd "${1-$(dirname "${BASH_SOURCE[0]}")/../build/extension-usr-lib-postgresql-15-bin-gxx}"

# house order: a folder sees those to its left; files beside the folders see all of them
flow=(pg total report types state call plan query catalog budget domain release distribute access rewrite answers synthesis audit batch statement aggregate)

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
    done < <(tr ' \\' '\n\n' <"$dependencies" | sed -nE "s#^($PWD/|\./)?extension/([a-z]+)/.*\.h\$#\2#p" | sort -u)
  done
done
((checked > 0)) || complain "nothing was built in $PWD"

# inclusions: each as "FROM TO", without the ends .h and .cpp. What core/*/draws/ holds are the
# templates of the file of the same name.
inclusions() {
  grep -rE --include='*.h' --include='*.cpp' '^ *# *include "(core|extension)/' core extension |
    sed -E 's|^([^:]*)\.[a-z]+:.*"([^"]*)\.h".*|\1 \2|; s|/draws/|/|g' | sort -u
}

circles=$(inclusions | tsort 2>&1 >/dev/null) ||
  complain "files include one another in a circle:
$(sed -n 's/^tsort: \([a-z].*\)/  \1/p' <<<"$circles")"

if ((problems > 0)); then
  echo "check-includes: $problems problem(s)"
  exit 1
fi
echo "check-includes: the folders of extension/ include one way only ($checked files), and no files in a circle"

#!/bin/bash
# What scripts/paper.sh runs while its server is up: every part in a database of its own, writing
# its files to a directory, in which is the file `randhie` (scripts/randhie.sql).
#
#   draw.sh DIRECTORY "PART PART ..." [-v NAME=VALUE]...
set -euo pipefail

parts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$1"
read -ra wanted <<<"$2"
shift 2
for part in "${wanted[@]}"; do
  echo "-- $part ($((SECONDS / 60)) min $((SECONDS % 60)) s)"
  createdb "$part"
  psql -Xq -v ON_ERROR_STOP=1 "$@" -f "$parts/common.sql" -f "$parts/$part.sql" "$part" <randhie
done

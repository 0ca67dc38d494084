#!/bin/bash
# When a version is released: a dump of a database that this version made, which every later one must
# be able to read (tests/tap/022_released_versions.pl).
#
#   tests/tap/released/dump.sh >tests/tap/released/<version>.sql

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"
cd "$repository/tests/tap/released"
build_extension g++ >&2
stage_extension

# shellcheck disable=SC2329 # with_server calls it, in a shell of its own
dump() {
  set -e
  psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION idp' -f common.sql -f ledger.sql -f persons.sql >&2
  # what guards a dump from elsewhere; older programs do not know it
  pg_dump --no-owner --no-privileges | grep -v '^\\\(un\)\?restrict ' >&3
}
export -f dump
with_server bash -c dump 3>&1 >&2

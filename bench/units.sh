#!/usr/bin/env bash
# Counts and sums over rows of which a person has many: plain SQL, so many rows of each person, bounds that are chosen or
# found, and the race to the top, at the same epsilon. Prints a table of median relative errors.
#
#   bench/units.sh [customers] [draws]     20000 and 21
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

build_and_stage
say "drawing"
server_options=(shared_preload_libraries=idp jit=off fsync=off timezone=UTC)
with_server psql -qX -v ON_ERROR_STOP=1 -v customers="${1:-20000}" -v draws="${2:-21}" -f bench/units.sql

#!/usr/bin/env bash
# Whether the time until an answer is given tells its noise: the correlation of |noise| with the time
# that the server took, over many answers about a table of ten rows and many calls of idp.relax.
# Prints a table. The same of draws alone, without a server: bench/micro/timing.cpp.
#
#   bench/timing.sh [draws]        100000 of each
source "$(dirname "$0")/../scripts/lib.sh"

build_and_stage
say "drawing"
server_options=(fsync=off autovacuum=off)
with_server psql -qX -v ON_ERROR_STOP=1 -v draws="${1:-100000}" -f bench/timing.sql

#!/bin/bash
# The demonstration: builds the extension and runs private queries over real data, the RAND Health
# Insurance Experiment, in a throw-away PostgreSQL server. The queries are in scripts/demo/*.sql.
#
# Needs Debian 12, and root or sudo the first time. Nothing is installed but packages; no server
# and no file stays behind, except below build/ to make the next run quick.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${extension_packages[@]}"
fetch_randhie
say "building the extension"
build_extension g++
stage_extension
say "starting a throw-away PostgreSQL $pg_version server"

queries=()
cd "$repository"
for file in scripts/demo/*.sql; do
  queries+=(-f "$file")
done
# The data come in on standard input, which the server's user need not be able to read.
server_options=(shared_preload_libraries=idp) # as docs/access.md says
with_server psql -X -q -v ON_ERROR_STOP=1 "${queries[@]}" <"$randhie" 2>&1

#!/bin/bash
# The demonstration: builds the extension and runs private queries over real data, the RAND Health
# Insurance Experiment, in a throw-away PostgreSQL server. The queries are in scripts/demo/*.sql.
#
# Needs Debian 12, and root or sudo the first time. Nothing is installed but packages; no server
# and no file stays behind, except below build/ to make the next run quick.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly data=$cache/randhie.csv
readonly data_sha256=9f6c87d05aef087a82cc4465310c8cd3f38327be6eafa43bd81fb98c4f3d088c

# Debian ships the data inside a Python package. It need not be installed: one file of it will do.
fetch_data() {
  [[ ! -s $data ]] || return 0
  say "fetching the data: randhie.csv out of Debian's package python3-statsmodels (4.5 MB)"
  mkdir -p "$cache" "$scratch/download"
  # apt's own user may not write here, and apt would say so at length; the download is verified anyway
  (cd "$scratch/download" &&
    try_apt apt-get -q -o APT::Sandbox::User=root download python3-statsmodels) ||
    die "apt could not download the data"
  dpkg-deb --fsys-tarfile "$scratch"/download/*.deb |
    tar -xO --wildcards '*/randhie.csv' >"$data.new"
  echo "$data_sha256  $data.new" | sha256sum --check --status ||
    die "randhie.csv is not the file this demonstration was written for"
  mv "$data.new" "$data"
}

need_packages "${extension_packages[@]}"
fetch_data
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
with_server psql -X -q -v ON_ERROR_STOP=1 "${queries[@]}" <"$data" 2>&1

# shellcheck shell=bash
# What the scripts share. Sourced, never run.

set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$repository/build # everything worth keeping for the next run; git ignores it
readonly repository cache
readonly pg_version=15
readonly pg_bin=/usr/lib/postgresql/$pg_version/bin
export PG_CONFIG=$pg_bin/pg_config

# One language for all messages, UTF-8 databases, and no settings of the caller's own server or make.
export LC_ALL=C.UTF-8
unset PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA PGOPTIONS PGSERVICE MAKEFLAGS

# Root runs the server as user postgres, who may not be able to enter root's own TMPDIR.
if ((EUID == 0)); then
  unset TMPDIR
fi
scratch=$(mktemp -d -t idp.XXXXXX)
chmod 755 "$scratch"
readonly scratch
readonly stage=$scratch/stage # where the extension is installed to, instead of into the system

no_main_cluster= # a file to remove again, see install_packages

say() { printf '%s\n' "-- $*"; }

die() {
  printf '%s\n' "${0##*/}: $*" >&2
  exit 1
}

finish() {
  local status=$?
  trap '' INT TERM # a second Ctrl-C must not interrupt the cleaning
  drop_no_main_cluster
  rm -rf "$scratch"
  # Run by root in someone else's clone, leave nothing that its owner cannot overwrite.
  if ((EUID == 0)) && [[ -d $cache ]]; then
    chown -R --no-dereference --reference="$repository" "$cache"
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- packages ------------------------------------------------------------------------------------

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root, and there is no sudo: $*"
  fi
}

# Runs a command of apt; if it fails, because there are no package lists or they are too old,
# refreshes them and tries once more.
try_apt() {
  local output=$scratch/apt.log
  "$@" </dev/null >"$output" 2>&1 && return
  say "refreshing the package lists (apt-get update)"
  if ! as_root apt-get -q update </dev/null >"$output" 2>&1 ||
    ! "$@" </dev/null >"$output" 2>&1; then
    cat "$output" >&2
    return 1
  fi
}

# shellcheck disable=SC2034 # what the extension needs to be built and to run
readonly extension_packages=(g++ make libgmp-dev libmpfr-dev "postgresql-$pg_version"
  "postgresql-server-dev-$pg_version" postgresql-common)

# need_packages PACKAGE...: installs those that are missing, and asks for nothing if none is.
need_packages() {
  command -v apt-get >/dev/null ||
    die "only Debian 12 is supported here; elsewhere install PostgreSQL $pg_version, GMP and use make"
  local package missing=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  if ((${#missing[@]})); then
    install_packages "${missing[@]}"
  fi
}

install_packages() {
  say "installing with apt: $*"
  # Debian's server package comes with a running server: its first installation creates a cluster
  # "main". We only want the programs. A drop-in of our own, there while apt runs, says so without
  # touching a file of the user or of a package. A server that is already installed is left alone.
  if [[ " $* " == *" postgresql-$pg_version "* ]]; then
    no_main_cluster=/etc/postgresql-common/createcluster.d/idp-scripts.conf
    as_root mkdir -p "${no_main_cluster%/*}"
    echo "create_main_cluster = off" | as_root tee "$no_main_cluster" >/dev/null
    say "no server is set up by this (later, if you want one: pg_createcluster $pg_version main)"
  fi
  try_apt as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove \
    --no-install-recommends -o DPkg::Lock::Timeout=300 install "$@" ||
    die "apt could not install the packages"
  drop_no_main_cluster
}

drop_no_main_cluster() {
  [[ $no_main_cluster ]] || return 0
  as_root rm -f "$no_main_cluster"
  as_root rmdir --ignore-fail-on-non-empty "${no_main_cluster%/*}"
  no_main_cluster=
}

# --- the extension -------------------------------------------------------------------------------

# build_extension COMPILER [FLAG]: builds it, warnings being errors, and sets $tree to where.
#
# PGXS builds where the sources are. A copy per compiler below build/ keeps the working tree clean
# and lets both be incremental: times are copied too, so make sees what changed.
build_extension() {
  local compiler=$1 part parts=()
  tree=$cache/extension-${compiler//+/x}
  cmp -s "$repository/Makefile" "$tree/Makefile" || rm -rf "$tree" # make does not see other flags
  mkdir -p "$tree"
  find "$tree" -type f ! -name '*.o' ! -name '*.d' ! -name '*.so' -delete # also sources gone since
  for part in Makefile idp.control core extension sql expected; do
    [[ ! -e $repository/$part ]] || parts+=("$part")
  done
  tar -C "$repository" --exclude='*.o' --exclude='*.d' --exclude='*.so' -cf - "${parts[@]}" |
    tar -C "$tree" --no-same-owner -xf -
  make -s -C "$tree" -j"$(nproc)" CXX="$compiler" WERROR=1
}

# Installs what build_extension built below $stage. Debian's servers can load an extension from
# there (extension_destdir), so nothing is written to the system.
stage_extension() {
  rm -rf "$stage"
  make -s -C "$tree" install DESTDIR="$stage" >/dev/null
  chmod -R a+rX "$stage"
}

# with_server COMMAND...: runs it with a throw-away server that knows the staged extension; PGHOST,
# PGPORT, PGUSER and PGPASSWORD lead there. The server and its files are gone afterwards.
server_options=() # further options of pg_virtualenv: -o setting=value
with_server() {
  rm -f "$scratch/status"
  pg_virtualenv -t -v "$pg_version" -o "extension_destdir=$stage" \
    -o "dynamic_library_path=$stage$("$PG_CONFIG" --pkglibdir):\$libdir" \
    "${server_options[@]}" bash -c "$in_server" bash "$scratch/status" "$@"
  return "$(cat "$scratch/status")"
}

# Interrupted while it starts the server, pg_virtualenv goes on without one, and PGPORT would lead
# to another: its service file tells. If a command fails it prints the end of the server's log, which
# is full of the errors that tests expect, so it is not told: only a crash is of interest.
# shellcheck disable=SC2016 # expanded there
readonly in_server='
  status_file=$1
  shift
  [[ -s $PGSYSCONFDIR/pg_service.conf ]] || exit 1
  status=0
  "$@" || status=$?
  grep -hE "PANIC:|was terminated by signal" "${PGSYSCONFDIR%/*}"/log/*.log
  echo "$status" >"$status_file"'

# --- pages with tables that are measured ---------------------------------------------------------

# fill_page FILE DIRECTORY: the page with what a table's file in the directory holds between its two
# marks, <!-- NAME.md --> and <!-- end -->. A table without a file stays what it was.
fill_page() {
  awk -v directory="$2" '
    /^<!-- end -->$/ { skip = 0 }
    !skip
    /^<!-- [a-z_0-9]+\.md -->$/ {
      file = directory "/" $2
      if ((getline line < file) > 0) {
        skip = 1
        print ""
        do print line; while ((getline line < file) > 0)
        print ""
      }
    }' "$1"
}

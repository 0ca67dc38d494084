# shellcheck shell=bash
# What the scripts share. Sourced, never run.

set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$repository/build # everything worth keeping for the next run; git ignores it
readonly repository cache

# The server is that of PG_CONFIG, from 14 to 18, which is installed already; without one Debian's. Programs of one
# that was built with sanitizers leave their memory to the system when they end.
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=0:abort_on_error=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
readonly chosen_server=${PG_CONFIG:+yes}
if [[ $chosen_server ]]; then
  pg_bin=$("$PG_CONFIG" --bindir)
  pg_version=$("$PG_CONFIG" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
else
  pg_version=15
  pg_bin=/usr/lib/postgresql/$pg_version/bin
fi
readonly pg_bin pg_version
export PG_CONFIG=$pg_bin/pg_config

# One language for all messages, UTF-8 databases, and no settings of the caller's own server or make.
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
unset PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA PGOPTIONS PGSERVICE MAKEFLAGS

# Servers refuse to run as root, and user postgres may not be able to enter root's own TMPDIR.
as_server_user=()
if ((EUID == 0)); then
  unset TMPDIR
  as_server_user=(runuser -u postgres --)
fi
readonly as_server_user
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

# what the extension needs to be built and to run
extension_packages=(g++ make libgmp-dev libmpfr-dev)
[[ $chosen_server ]] ||
  extension_packages+=("postgresql-$pg_version" "postgresql-server-dev-$pg_version")
readonly extension_packages

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

# A clone that was copied with its build names headers where they were: changes of its own would not be seen.
follow_copy() {
  local before=
  [[ ! -e $tree/.built-in ]] || before=$(<"$tree/.built-in")
  if [[ $before != "$tree" ]]; then
    if [[ $before ]]; then
      find "$tree" -name '*.d' -exec sed -i "s,$before/,$tree/,g" {} +
    else # who knows where
      find "$tree" -name '*.d' -exec sh -c 'grep -qF "$0/" "$1" || rm -f "${1%d}o"' "$tree" {} \;
    fi
    echo "$tree" >"$tree/.built-in"
  fi
}

# build_extension COMPILER [VARIABLE=…]: builds it, by variables of make, warnings being errors, and
# sets $tree to where.
#
# PGXS builds where the sources are. A copy per server and compiler below build/ keeps the working
# tree clean and lets all be incremental: times are copied too, so make sees what changed.
#
# A server that was built with sanitizers has the extension built with the same, by the compiler of the same kind.
build_extension() {
  local compiler=$1 part parts=() sanitizers sanitize=()
  sanitizers=$("$PG_CONFIG" --cflags | grep -oE -- '-f(no-)?sanitize[^ ]*' | tr '\n' ' ' || true)
  if [[ $sanitizers ]]; then
    [[ $("$PG_CONFIG" --cc) != *clang* ]] || compiler=clang++
    sanitize=("CXXFLAGS=-O1 -g -fno-omit-frame-pointer $sanitizers -fno-sanitize=vptr")
  fi
  local server=${pg_bin//\//-} lock
  tree=$cache/extension$server-${compiler//+/x}
  mkdir -p "$cache"
  exec {lock}>"$cache/.lock"
  flock -n "$lock" || { say "waiting for another script that builds here" >&2 && flock "$lock"; }
  cmp -s "$repository/Makefile" "$tree/Makefile" || rm -rf "$tree" # make does not see other flags
  mkdir -p "$tree"
  follow_copy
  find "$tree" -type f ! -name '*.o' ! -name '*.d' ! -name '*.so' ! -name .built-in -delete # also sources gone since
  for part in Makefile idp.control core extension sql expected tests/isolation; do
    [[ ! -e $repository/$part ]] || parts+=("$part")
  done
  tar -C "$repository" --exclude='*.o' --exclude='*.d' --exclude='*.so' -cf - "${parts[@]}" |
    tar -C "$tree" --no-same-owner -xf -
  make -s -C "$tree" -j"$(nproc)" CXX="$compiler" WERROR=1 "${sanitize[@]}" "${@:2}" {lock}>&-
  exec {lock}>&-
}

# stage_extension [DIRECTORY]: installs what was built in $tree below the directory, $stage if none is
# given, and nothing into the system. Sets $server_bin to the programs of a server that loads it from
# there, once it has the settings that are then in IDP_SERVER_SETTINGS, one a line.
stage_extension() {
  local into=${1-$stage} known libraries shared
  known=$("$pg_bin/postgres" --describe-config | cut -f 1)
  libraries=$("$PG_CONFIG" --pkglibdir)
  shared=$("$PG_CONFIG" --sharedir)
  rm -rf "$into"
  mkdir -p "$into"
  server_bin=$pg_bin
  IDP_SERVER_SETTINGS="dynamic_library_path = '$into$libraries:\$libdir'"
  if grep -qx extension_destdir <<<"$known"; then # Debian's servers
    IDP_SERVER_SETTINGS+=$'\n'"extension_destdir = '$into'"
  elif grep -qx extension_control_path <<<"$known"; then # from 18 on
    IDP_SERVER_SETTINGS+=$'\n'"extension_control_path = '$into$shared:\$system'"
  else # It only loads what is installed with it, but finds that relative to its programs: a copy does.
    tar -C / -cf - "${pg_bin#/}" "${libraries#/}" "${shared#/}" | tar -C "$into" --no-same-owner -xf -
    server_bin=$into$pg_bin
    IDP_SERVER_SETTINGS=
  fi
  export IDP_SERVER_SETTINGS
  make -s -C "$tree" install DESTDIR="$into" >/dev/null
  chmod -R a+rX "$into"
}

# --- a server ------------------------------------------------------------------------------------

# Builds the extension with what that needs, and stages it: for scripts that measure it.
build_and_stage() {
  need_packages "${extension_packages[@]}"
  say "building"
  build_extension g++
  stage_extension
}

# with_server COMMAND...: runs it with a throw-away server that knows the staged extension; PGHOST,
# PGPORT, PGUSER and PGPASSWORD lead there. The server and its files are gone afterwards.
server_options=() # setting=value
with_server() (
  server=$(mktemp -d "$scratch/server.XXXXXX")
  trap stop_server EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  start_server || exit 1
  export PATH=$server_bin:$PATH
  "$@"
)

# Nobody but us gets in: by a socket in the file system, with a password.
start_server() {
  local option
  PGHOST=$server PGPORT=5432 PGUSER=postgres
  PGPASSWORD=${server_password-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
  export PGHOST PGPORT PGUSER PGPASSWORD
  install -m 600 /dev/null "$server/password"
  echo "$PGPASSWORD" >"$server/password"
  if ((EUID == 0)); then
    chown -R postgres "$server"
  fi
  if ! as_server initdb -D "$server/data" -U "$PGUSER" -A scram-sha-256 -E UTF8 --no-sync \
    --pwfile="$server/password" >"$server/initdb.log" 2>&1; then
    cat "$server/initdb.log"
    return 1
  fi
  {
    echo "listen_addresses = ''"
    echo "unix_socket_directories = '$server'"
    echo "port = $PGPORT"
    echo "fsync = off"
    echo "$IDP_SERVER_SETTINGS"
    for option in "${server_options[@]}"; do
      echo "${option%%=*} = '${option#*=}'"
    done
  } >>"$server/data/postgresql.conf"
  if ! as_server pg_ctl -s -w -D "$server/data" -l "$server/log" start; then
    cat "$server/log"
    return 1
  fi
}

# If a test fails nobody wants to see the server's log, which is full of the errors that tests
# expect: only a crash is of interest.
stop_server() {
  if [[ -e $server/data/postmaster.pid ]]; then
    as_server pg_ctl -s -w -t 20 -m fast -D "$server/data" stop ||
      as_server pg_ctl -s -w -m immediate -D "$server/data" stop || true
  fi
  grep -hE 'PANIC:|was terminated by signal' "$server/log" 2>/dev/null || true
  rm -rf "$server"
}

# One of the server's programs, as the user who runs servers, in a directory that user may enter.
as_server() (
  cd "$server"
  exec "${as_server_user[@]}" "$server_bin/$1" "${@:2}"
)

# tap_tests DIRECTORY VARIABLE=…: the TAP tests of PGXS' installcheck, by variables of make. They start
# servers of their own, which they refuse to do as root: so they run in a copy. What each prints is
# left in the directory.
tap_tests() (
  local into=$1 status=0
  mkdir -p "$into" "$scratch/tap/tmp"
  cp -r Makefile idp.control tests docs "$scratch/tap"
  if ((EUID == 0)); then
    chown -R postgres "$scratch/tap"
  fi
  cd "$scratch/tap"
  trap stop_left_servers EXIT
  trap 'exit 143' TERM
  "${as_server_user[@]}" env TMPDIR="$PWD/tmp" PERL_TEST_HARNESS_DUMP_TAP="$PWD/results" \
    make -s installcheck REGRESS= ISOLATION= TAP_TESTS=1 bindir="$server_bin" "${@:2}" || status=1
  cp -r results/. "$into"
  if ((status)); then
    grep -hE 'PANIC|terminated by signal' tmp_check/log/*.log || true
  fi
  exit $status
)

# An interrupted test may not have got to stopping its server, and its files are about to go.
stop_left_servers() {
  local pid_file
  for pid_file in tmp_check/*/pgdata/postmaster.pid; do
    if [[ -e $pid_file ]]; then
      "${as_server_user[@]}" "$server_bin/pg_ctl" -s -m immediate -D "${pid_file%/*}" stop || true
    fi
  done
}

# --- real data ------------------------------------------------------------------------------------

readonly randhie=$cache/randhie.csv
readonly randhie_sha256=9f6c87d05aef087a82cc4465310c8cd3f38327be6eafa43bd81fb98c4f3d088c

# The data of the RAND Health Insurance Experiment: scripts/randhie.sql. Debian ships them inside a
# Python package. It need not be installed: one file of it will do.
fetch_randhie() {
  [[ ! -s $randhie ]] || return 0
  say "fetching the data: randhie.csv out of Debian's package python3-statsmodels (4.5 MB)"
  mkdir -p "$cache" "$scratch/download"
  # apt's own user may not write here, and apt would say so at length; the download is verified anyway
  (cd "$scratch/download" &&
    try_apt apt-get -q -o APT::Sandbox::User=root download python3-statsmodels) ||
    die "apt could not download the data"
  dpkg-deb --fsys-tarfile "$scratch"/download/*.deb |
    tar -xO --wildcards '*/randhie.csv' >"$randhie.new"
  echo "$randhie_sha256  $randhie.new" | sha256sum --check --status ||
    die "randhie.csv is not the file that was expected"
  mv "$randhie.new" "$randhie"
}

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

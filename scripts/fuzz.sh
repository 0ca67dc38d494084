#!/bin/bash
# Runs the fuzzer with two worlds alone (tests/tap/033_two_worlds_fuzz.pl), once for each seed.
#
#   scripts/fuzz.sh [SEED…]                              1
#   IDP_FUZZ_STATEMENTS=25000 scripts/fuzz.sh 1 2 3      so many statements for each
#
# What it prints goes to standard output. The status is 1 if a statement told the worlds apart.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stop_left_servers() {
  local pid_file
  for pid_file in "$scratch"/tap/tmp_check/*/pgdata/postmaster.pid; do
    if [[ -e $pid_file ]]; then
      "${as_server_user[@]}" "$server_bin/pg_ctl" -s -m immediate -D "${pid_file%/*}" stop || true
    fi
  done
}

fuzz() (
  cd "$scratch/tap"
  trap stop_left_servers EXIT
  trap 'exit 143' INT TERM
  "${as_server_user[@]}" env TMPDIR="$PWD/tmp" IDP_FUZZ_SEED="$1" make -s installcheck REGRESS= ISOLATION= TAP_TESTS=1 \
    PROVE_TESTS=tests/tap/033_two_worlds_fuzz.pl PROVE_FLAGS=-v bindir="$server_bin"
)

build_extension g++ >&2
stage_extension
mkdir -p "$scratch/tap/tmp"
cp -r "$repository"/{Makefile,idp.control,tests} "$scratch/tap"
if ((EUID == 0)); then
  chown -R postgres "$scratch/tap"
fi
status=0
for seed in "${@:-1}"; do
  fuzz "$seed" || status=1
done
exit $status

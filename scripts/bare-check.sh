#!/bin/bash
# For maintainers: do scripts/demo.sh and scripts/test.sh work on a bare Debian 12? Runs both in a
# fresh minimal root with a fresh clone of HEAD, and looks for what they leave behind.
#
#   scripts/bare-check.sh [--working-tree] [--user] [TARBALL]
#     --user                             as a user with sudo instead of root
#     --working-tree, TARBALL, MIRROR=…  as scripts/bare-root.sh says
#
# Needs root, debootstrap and about 3 GB in TMPDIR.

set -euo pipefail

own_options=--user
# shellcheck source=scripts/bare-root.sh
source "$(dirname "${BASH_SOURCE[0]}")/bare-root.sh"

# --- the machine ---------------------------------------------------------------------------------

make_root
home=$root/root who=root
if [[ $given == *" --user "* ]]; then
  echo "installing sudo"
  machine "{ apt-get update && apt-get -y --no-install-recommends install sudo; } >/dev/null 2>&1"
  machine "useradd --create-home tester"
  echo "tester ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/tester"
  user=(runuser -u tester -- env HOME=/home/tester)
  home=$root/home/tester who="a user with sudo"
fi

copy_sources "${home#"$root"}/idp"
sleep 1
touch "$root/var/cloned" # what is newer was written by the scripts

# --- the check -----------------------------------------------------------------------------------

try() {
  local title=$1 command=$2 start=$SECONDS status=0 left
  printf '\n===== %s\n' "$title"
  machine "cd idp && $command" || status=$?
  result "$title" "exit status $status, $((SECONDS - start)) s"
  left=$(
    for process in $(inside); do
      tr '\0' ' ' <"/proc/$process/cmdline" && echo "(process)"
    done
    find "$root/tmp" "$root/var/tmp" "$root/dev/shm" "$root/etc/postgresql-common/createcluster.d" \
      "$root/etc/postgresql" -mindepth 1 -maxdepth 2 2>/dev/null | sed "s#^$root##"
    find "$home/idp" -path "$home/idp/build" -prune -o -newer "$root/var/cloned" -type f -print \
      -o ! -user "$(stat -c %U "$home")" -print
  ) || true
  if [[ $left ]]; then
    result "  left behind" "$left"
    failed=1
  fi
  ((status == 0)) || failed=1
}

try "the demonstration" "scripts/demo.sh"
try "the demonstration again" "scripts/demo.sh"
try "all tests, as continuous integration does" "CI=true bash .ci/run"

printf '\n===== on a bare Debian 12, as %s\n' "$who"
printf '%s\n' "${report[@]}"
exit "$failed"

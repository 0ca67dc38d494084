#!/bin/bash
# For maintainers: do scripts/demo.sh and scripts/test.sh work on a bare Debian 12? Runs both in a
# fresh minimal root with a fresh clone of HEAD, and looks for what they leave behind.
#
#   scripts/bare-check.sh [--working-tree] [--user] [TARBALL]
#     --working-tree  the files as they are now instead of HEAD
#     --user          as a user with sudo instead of root
#     TARBALL         a cache of the minimal root: made if it does not exist, else used
#     MIRROR=…        another Debian mirror (environment)
#
# Needs root, debootstrap and about 3 GB in TMPDIR.

set -euo pipefail

readonly mirror=${MIRROR:-http://deb.debian.org/debian}
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
working_tree='' as_user='' tarball=''
for argument in "$@"; do
  case $argument in
    --working-tree) working_tree=1 ;;
    --user) as_user=1 ;;
    -*)
      sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
      exit 2
      ;;
    *) tarball=$(realpath "$argument") ;;
  esac
done
if ((EUID != 0)); then
  echo "bare-check.sh: needs root" >&2
  exit 2
fi

root=$(mktemp -d -t bare.XXXXXX)
chmod 755 "$root"

# The processes that run inside the root; only ours can.
inside() {
  local process
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/root") == "$root" ]]; then
      echo "${process#/proc/}"
    fi
  done
}

# shellcheck disable=SC2317 # the trap calls it
finish() {
  local status=$? process
  trap '' INT TERM
  for process in $(inside); do
    kill -KILL "$process" 2>/dev/null || true
  done
  umount "$root"/dev/shm "$root"/dev/pts "$root"/proc 2>/dev/null || true
  if grep -q " $root/" /proc/mounts; then
    echo "bare-check.sh: still mounted below $root, not removed" >&2
    exit 1
  fi
  rm -rf --one-file-system "$root"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- the machine ---------------------------------------------------------------------------------

if [[ -s $tarball ]]; then
  tar -xf "$tarball" -C "$root"
else
  debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
  [[ ! $tarball ]] || tar -cf "$tarball" -C "$root" .
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mount -t devpts devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"

# machine COMMAND...: runs it there as the one who tries the scripts, with nothing of our environment
user=(env HOME=/root)
machine() {
  chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${user[@]}" bash -c "cd && $*" </dev/null
}

home=$root/root who=root
if [[ $as_user ]]; then
  echo "installing sudo"
  machine "{ apt-get update && apt-get -y --no-install-recommends install sudo; } >/dev/null 2>&1"
  machine "useradd --create-home tester"
  echo "tester ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/tester"
  user=(runuser -u tester -- env HOME=/home/tester)
  home=$root/home/tester who="a user with sudo"
fi

if [[ $working_tree ]]; then
  mkdir "$home/idp"
  (cd "$repository" && git ls-files -z --cached --others --exclude-standard |
    tar --null --ignore-failed-read -cf - -T - | tar -C "$home/idp" -xf -)
else
  git clone -q "$repository" "$home/idp"
fi
chown -R --reference="$home" "$home/idp"
sleep 1
touch "$root/var/cloned" # what is newer was written by the scripts

# --- the check -----------------------------------------------------------------------------------

report=() failed=0
result() {
  report+=("$(printf '%-44s %s' "$1" "$2")")
}

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

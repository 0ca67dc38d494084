# shellcheck shell=bash
# Minimal roots of Debian 12 in which to try things. Sourced, never run. Needs root, debootstrap, and
# about 3 GB in TMPDIR for each root.
#
# It reads the arguments of the script that sources it:
#
#   --working-tree  the files as they are now instead of HEAD
#   TARBALL         a cache of the minimal root: made if it does not exist, else used
#   MIRROR=…        another Debian mirror than this machine's (environment)
#
# and into $given those options that the script has named in $own_options.

working_tree='' tarball='' given=''
for argument in "$@"; do
  if [[ $argument == --working-tree ]]; then
    working_tree=yes
  elif [[ $argument == -* && " ${own_options-} " == *" $argument "* ]]; then
    # shellcheck disable=SC2034 # the script asks
    given+=" $argument "
  elif [[ $argument == -* ]]; then
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
    exit 2
  else
    tarball=$(realpath "$argument")
  fi
done
readonly working_tree tarball given

mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Release: bookworm' \
  'Identifier: Packages' | head -n 1)}
readonly mirror
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
commit=$(git -C "$repository" rev-parse HEAD) # the same in all roots, whatever happens meanwhile
readonly repository commit
roots=()
root='' # the one that machine() runs things in

if ((EUID != 0)); then
  echo "${0##*/}: needs root" >&2
  exit 2
fi

# A fresh one in $root.
make_root() {
  root=$(mktemp -d -t bare.XXXXXX)
  roots+=("$root")
  chmod 755 "$root"
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
}

# machine COMMAND...: runs it there, with nothing of our environment, as $user says
user=(env HOME=/root)
machine() {
  chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${user[@]}" bash -c "cd && $*" </dev/null
}

# The processes that run inside the root; only ours can.
inside() {
  local process
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/root") == "$root" ]]; then
      echo "${process#/proc/}"
    fi
  done
}

# copy_sources DIRECTORY: a clone of what HEAD was at the start, or the files as they are now, in a
# directory of the root, owned as the one it lies in.
copy_sources() {
  local directory=$root$1
  if [[ $working_tree ]]; then
    mkdir "$directory"
    (cd "$repository" && git ls-files -z --cached --others --exclude-standard |
      tar --null --ignore-failed-read -cf - -T - | tar -C "$directory" -xf -)
  else
    git clone -q "$repository" "$directory"
    git -C "$directory" checkout -q "$commit"
  fi
  chown -R --reference="${directory%/*}" "$directory"
}

# What was found, told together at the end; who sources this exits with $failed.
report=()
# shellcheck disable=SC2034
failed=0
result() {
  report+=("$(printf '%-44s %s' "$1" "$2")")
}

# shellcheck disable=SC2317 # the trap calls it
finish() {
  local status=$? processes
  trap '' INT TERM
  for root in "${roots[@]}"; do
    for _ in {1..50}; do # until they are gone, which takes a server a moment
      processes=$(inside)
      [[ $processes ]] || break
      xargs kill -KILL <<<"$processes" 2>/dev/null || true
      sleep 0.1
    done
    umount "$root"/dev/shm "$root"/dev/pts "$root"/proc 2>/dev/null || true
    if grep -q " $root/" /proc/mounts; then
      echo "${0##*/}: still mounted below $root, not removed" >&2
      exit 1
    fi
    rm -rf --one-file-system "$root"
  done
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

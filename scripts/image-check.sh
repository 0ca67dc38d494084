#!/bin/bash
# For maintainers: does the Dockerfile make a server that works? No daemon is needed: takes its steps in bare roots of
# the same Debian, starts what it would run, uses that, and starts it again over the same data.
#
#   scripts/image-check.sh [--working-tree] [TARBALL]
#     --working-tree, TARBALL, MIRROR=…  as scripts/bare-root.sh says
#
# Nothing else may listen on port 5432: these roots share the network of the machine.
#
# Knows FROM, RUN, COPY, ENV, USER, CMD, VOLUME, EXPOSE and STOPSIGNAL, each on one line, as the Dockerfile has them.

set -euo pipefail

# shellcheck source=scripts/bare-root.sh
source "$(dirname "${BASH_SOURCE[0]}")/bare-root.sh"
if (: <>/dev/tcp/127.0.0.1/5432) 2>/dev/null; then
  echo "${0##*/}: another server listens on port 5432" >&2
  exit 2
fi
export DEBIAN_FRONTEND=noninteractive
declare -A stages
runs_as=() command=

# take_step INSTRUCTION ARGUMENTS
take_step() {
  local from to stage
  case $1 in
  FROM)
    make_root
    user=(env HOME=/root DEBIAN_FRONTEND=noninteractive)
    [[ $2 != *" AS "* ]] || stages[${2##* }]=$root
    ;;
  RUN) machine "$2" ;;
  COPY)
    to=${2##* } from=${2% *}
    if [[ $from == --from=* ]]; then
      stage=${from#--from=}
      cp -a "${stages[${stage%% *}]}${from##* }/." "$root$to"
    elif [[ $from == . ]]; then
      copy_sources "$to"
    else
      cp "$repository/$from" "$root$to"
    fi
    ;;
  ENV) user+=("$2") ;;
  USER) runs_as=(runuser -u "$2" --) ;;
  CMD) command=$(tr -d '[]",' <<<"$2") ;;
  VOLUME | EXPOSE | STOPSIGNAL) ;;
  *)
    echo "${0##*/}: $1 is not known" >&2
    return 1
    ;;
  esac
}

while read -r instruction arguments; do
  [[ $instruction && $instruction != \#* ]] || continue
  printf '===== %s %s\n' "$instruction" "$arguments"
  if ! take_step "$instruction" "$arguments" >"${TMPDIR:-/tmp}/step.$$" 2>&1 </dev/null; then
    tail -n 100 "${TMPDIR:-/tmp}/step.$$"
    rm -f "${TMPDIR:-/tmp}/step.$$"
    exit 1
  fi
  rm -f "${TMPDIR:-/tmp}/step.$$"
done <"$repository/Dockerfile"

# serve: starts what the image runs, and waits until it lets us in by the network.
serve() {
  chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${user[@]}" \
    POSTGRES_PASSWORD=secret "${runs_as[@]}" "$command" >"$root/var/log/served" 2>&1 </dev/null &
  for _ in {1..120}; do
    sleep 1
    ask -c 'SELECT 1' >/dev/null 2>&1 && return
  done
  cat "$root/var/log/served"
  return 1
}

ask() { chroot "$root" env PGPASSWORD=secret psql -XAtq -v ON_ERROR_STOP=1 -h 127.0.0.1 -p 5432 -U postgres "$@"; }

check() {
  printf '===== %s\n' "$1"
  shift
  "$@" || { echo "failed" && tail -n 20 "$root/var/log/served" && exit 1; }
}

refuses_without_password() {
  ! chroot "$root" env -i PATH=/usr/local/bin:/usr/bin:/bin "${user[@]}" "${runs_as[@]}" "$command" >/dev/null 2>&1
}
answers_readme() { sed -n '/^```sql$/,/^```$/p' "$repository/README.md" | grep -v '^```' | ask >/dev/null; }
is_preloaded() { ask -c 'SHOW shared_preload_libraries' | grep -qx idp; }
spent_stays() { ask -c 'SELECT trim_scale(spent) FROM idp.budget' | grep -qx 3; }
stop_served() {
  chroot "$root" runuser -u postgres -- pg_ctlcluster 15 main stop
  wait
}
# A new container over the same volume has the files of the image elsewhere.
new_container() { rm -rf "$root/etc" && mv "$root/etc.image" "$root/etc"; }

cp -a "$root/etc" "$root/etc.image"
check "without a password it does not start" refuses_without_password
check "it serves" serve
check "  with the library preloaded" is_preloaded
check "  answers the SQL of the README" answers_readme
check "it stops" stop_served
check "another container over the same volume" new_container
check "  serves" serve
check "  what was spent stays" spent_stays
check "it stops" stop_served
echo "the image works"

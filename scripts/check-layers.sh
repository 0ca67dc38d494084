#!/usr/bin/env bash
# Checks that includes point one way only.
#
#   core/<folder>     includes itself and the folders before it in kFlow, the C++ library and GMP:
#                     nothing of extension/, no PostgreSQL header
#   core/**/*.h       include the tripwire core/no_postgres.h
#   tests/unit, tests/statistical, tests/support, bench
#                     include no PostgreSQL header and nothing of extension/
#
# Usage: check-layers.sh [root of the repository]. Prints what is wrong; exits 1 if anything is.
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root"

# house order: a folder may include the ones to its left
kFlow=(grid random select accumulator collect sensitivity mechanism aggregate gradual accounting)

# libraries besides the C++ standard library, whose headers have no dot in their names
kLibraries='^(gmp|gmpxx|mpfr)\.h$'

# headers of the server and of its client library
kServer='^(postgres.*|c|fmgr|funcapi|miscadmin|pgstat|pgtime|pgtar|windowapi|getaddrinfo|rusagestub|libpq-.*|libpq_.*|pg_.*|pgtypes.*|ecpg.*|sql3types|sqlca|sqlda)\.h$'
kServerFolders='^(postgresql|server|internal|access|archive|backup|bootstrap|catalog|commands|common|datatype|executor|fe_utils|foreign|jit|lib|libpq|mb|nodes|optimizer|parser|partitioning|pgxs|port|portability|postmaster|regex|replication|rewrite|snowball|statistics|storage|tcop|tsearch|utils)/'

problems=0
complain() {
  printf '%s\n' "$1"
  problems=$((problems + 1))
}

# "line<TAB>form" for each include; form is <name>, "name", or whatever else stands there
includes() {
  sed -nE 's/^[[:space:]]*#[[:space:]]*(include|include_next|import)[[:space:]]*([<"][^>"]*[>"]|.*).*$/\2/; t show; d; :show =; p' \
    "$1" | paste - -
}

position() {
  local i
  for i in "${!kFlow[@]}"; do
    if [[ ${kFlow[$i]} == "$1" ]]; then
      echo "$i"
      return
    fi
  done
  echo -1
}

is_server_header() { [[ $1 =~ $kServer || $1 =~ $kServerFolders ]]; }

sources() {
  local folder
  for folder in "$@"; do
    if [[ -d $folder ]]; then
      find "$folder" -type f \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cc' \
        -o -name '*.cpp' -o -name '*.inc' \) -print
    fi
  done | LC_ALL=C sort
}

check_core_file() {
  local file=$1 folder='' mine=-1 line form name target theirs
  if [[ $file == core/*/* ]]; then
    folder=${file#core/}
    folder=${folder%%/*}
    mine=$(position "$folder")
    if ((mine < 0)); then
      complain "$file: core/$folder has no place in the flow: ${kFlow[*]}"
      return
    fi
  fi
  while IFS=$'\t' read -r line form; do
    name=${form:1:-1}
    case $form in
      '<'*'>')
        if [[ $name == *.* || $name == */* ]] && ! [[ $name =~ $kLibraries ]]; then
          complain "$file:$line: core includes <$name>, neither the C++ library nor GMP"
        fi
        ;;
      '"'*'"')
        if [[ $name == core/no_postgres.h ]]; then
          continue
        elif [[ $name != core/*/* || $name == *..* ]]; then
          complain "$file:$line: core includes \"$name\", which is not of core"
          continue
        fi
        target=${name#core/}
        target=${target%%/*}
        theirs=$(position "$target")
        if ((theirs < 0)); then
          complain "$file:$line: core/$target has no place in the flow: ${kFlow[*]}"
        elif ((theirs > mine)); then
          complain "$file:$line: core/${folder:-.} includes \"$name\", which comes after it"
        fi
        ;;
      *) complain "$file:$line: an include that cannot be read: $form" ;;
    esac
  done < <(includes "$file")
  if [[ $file == core/*/*.h ]] && ! grep -q '^#include "core/no_postgres\.h"$' "$file"; then
    complain "$file: does not include core/no_postgres.h"
  fi
}

check_outside_file() {
  local file=$1 line form name
  while IFS=$'\t' read -r line form; do
    name=${form:1:-1}
    if is_server_header "$name"; then
      complain "$file:$line: includes the PostgreSQL header $name"
    elif [[ $name == extension/* || $name == *../* ]]; then
      complain "$file:$line: includes \"$name\""
    fi
  done < <(includes "$file")
}

core=$(sources core)
if [[ -z $core ]]; then
  complain "no sources under $root/core"
fi
for file in $core; do check_core_file "$file"; done
for file in $(sources tests/unit tests/statistical tests/support bench); do
  check_outside_file "$file"
done

if ((problems > 0)); then
  echo "check-layers: $problems problem(s)"
  exit 1
fi
echo "check-layers: includes point one way"

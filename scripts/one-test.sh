#!/bin/bash
# Runs one test, or a few, in a throw-away server with the extension as it is in the working tree. Nothing is installed.
#
#   scripts/one-test.sh ledger               sql/ledger.sql, compared with expected/ledger.out
#   scripts/one-test.sh tests/tap/012*.pl    a TAP file; its number is enough: scripts/one-test.sh 012
#   scripts/one-test.sh budget.spec          tests/isolation/specs/budget.spec
#
# PG_CONFIG=… runs it with another server, as it does for scripts/test.sh. What a SQL test prints instead of what it
# should is shown, and stays below build, in results of the folder that is named.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"

sql=() taps=() specs=()
for test in "$@"; do
  name=${test##*/}
  found=(tests/tap/"$name"[_.]*)
  if [[ $name == *.spec ]]; then
    specs+=("${name%.spec}")
  elif [[ $name == *.pl ]]; then
    taps+=("tests/tap/$name")
  elif [[ $name =~ ^[0-9]+$ && -e ${found[0]} ]]; then
    taps+=("${found[@]}")
  elif [[ -e sql/${name%.sql}.sql ]]; then
    sql+=("${name%.sql}")
  else
    die "no test is called $test: they are in sql, tests/tap and tests/isolation/specs"
  fi
done
if (($# == 0)); then
  sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
  exit 2
fi

need_packages "${extension_packages[@]}" libipc-run-perl
build_extension g++
stage_extension
status=0
if ((${#sql[@]})); then
  with_server make -s -C "$tree" installcheck ISOLATION= REGRESS="${sql[*]}" ||
    { status=1 && cat "$tree/regression.diffs" && say "printed: ${tree#"$repository"/}/results"; }
fi
if ((${#specs[@]})); then
  with_server make -s -C "$tree" installcheck REGRESS= ISOLATION="${specs[*]}" ||
    { status=1 && cat "$tree/output_iso/regression.diffs"; }
fi
if ((${#taps[@]})); then
  tap_tests "$cache/results/one-test" PROVE_TESTS="${taps[*]}" PROVE_FLAGS=-v || status=1
fi
exit $status

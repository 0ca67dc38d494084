#!/bin/bash
# Do the fuzzers notice holes? Applies each patch of tests/mutants to a copy of the sources, builds that, and runs a
# fuzzer: that with two worlds as the test run does; for those of tests/mutants/units, clips, meanings, batches and plain
# that of units, of clipped sums, of what numbers mean, of batches or of plain statements, with more queries. It must fail.
#
#   scripts/mutants.sh [NAME…]    all, or some of the patches: units/key_of_another_row
#
# A line for each says after how many statements it was found. Takes a minute or two for each.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"

copy=$scratch/repository
mkdir "$copy"
tar --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" --no-same-owner -xf -
build_extension g++ # the copy begins with what is built already
mkdir "$copy/build"
cp -a "$tree" "$copy/build"

failed=0
names=("$@")
((${#names[@]})) || for patch in tests/mutants/{,units/,clips/,meanings/,batches/,plain/}*.patch; do names+=("$(sed 's|tests/mutants/||; s|\.patch$||' <<<"$patch")"); done
for name in "${names[@]}"; do
  patch -s -p1 -F 0 -d "$copy" <"tests/mutants/$name.patch" || die "tests/mutants/$name.patch does not fit the sources any more"
  # Where a cache of compilers is used, lists of headers may name those of another copy.
  ! grep -q '^+++ .*\.h$' "tests/mutants/$name.patch" || find "$copy/build" -name '*.o' -delete
  start=$SECONDS status=0 fuzzer=worlds
  [[ $name != */* ]] || fuzzer=${name%/*}
  IDP_FUZZ_STATEMENTS=6000 IDP_UNIT_TRIED=100000 IDP_UNIT_STOP=1 IDP_CLIP_TRIED=2000 IDP_MEANINGS_TRIED=5000 IDP_MEANINGS_STOP=1 IDP_BATCH_STATEMENTS=2000 IDP_PLAIN_QUERIES=8000 IDP_PLAIN_STOP=1 "$copy/scripts/fuzz.sh" "$fuzzer" >"$scratch/log" 2>&1 || status=$?
  found=$(sed -nE 's/^not ok .* statement ([0-9]+) (tells the worlds apart|ends the session).*/\1/p; s/^# seed .*, query ([0-9]+), .* ?charged .* but .*/\1/p; s/^# seed .*, statement ([0-9]+) differs/\1/p; s/^# statement ([0-9]+): .*/\1/p' "$scratch/log" | head -n 1)
  if [[ $status != 0 && $found ]]; then
    printf '%-32s found by statement %5d  %4d s\n' "$name" "$found" $((SECONDS - start))
  else
    printf '%-32s NOT FOUND               %4d s\n' "$name" $((SECONDS - start))
    grep -a 'error:' "$scratch/log" || true
    failed=1
  fi
  patch -s -R -p1 -d "$copy" <"tests/mutants/$name.patch"
  ! grep -q '^+++ .*\.h$' "tests/mutants/$name.patch" || find "$copy/build" -name '*.o' -delete
done
exit $failed

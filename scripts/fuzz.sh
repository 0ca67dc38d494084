#!/bin/bash
# Runs a fuzzer alone, once for each seed:
#
#   worlds   two databases with different hidden rows look the same (tests/tap/033_two_worlds_fuzz.pl)
#   clusters likewise two clusters, where Citus is installed (tests/tap/126_distributed_worlds.pl)
#   units    no unit changes more than is charged for (tests/tap/082_units_random.pl)
#   clips    no unit moves sums of bounded mass by more (tests/tap/054_clipped_sums.pl)
#   rules    no account shows less than was lost, whatever owners do (tests/tap/105_random_rules.pl)
#   plain    plain aggregates move by no more than is charged, and else look the same (tests/tap/100_plain_worlds.pl)
#   kept     likewise asked again, in part, and finer (tests/tap/062_kept_worlds.pl)
#   answers  private answers about persons are right, whatever the plan (tests/tap/065_answers_of_persons.pl)
#   meanings no answer that is given again is that of another question (tests/tap/116_numbers_by_meaning.pl)
#   cells    conditions see instants by the cells of their grain (tests/tap/123_cell_comparisons.pl)
#   sums     no person moves plain sums over many rows by more than was charged (tests/tap/106_plain_units.pl)
#   audit    idp.audit finds the loss that the formulas give (tests/tap/115_audit.pl)
#   batches  private aggregates collect the same of tables that are read in batches (tests/tap/114_batches.pl)
#   laws     answers about rows in other servers are drawn as those about rows of one (tests/tap/130_remote_laws.pl)
#   cluster-laws   likewise in a cluster, where Citus is installed (tests/tap/133_distributed_laws.pl)
#
#   scripts/fuzz.sh [NAME] [SEED…]                                all; 1
#   IDP_FUZZ_STATEMENTS=25000 scripts/fuzz.sh worlds 1 2 3     so many statements for each
#   IDP_UNIT_TRIED=50000 scripts/fuzz.sh units 1 2 3           so many queries for each
#   IDP_CLIP_TRIED=4000 scripts/fuzz.sh clips 1 2 3            likewise
#   IDP_RULES_TRIED=2000 scripts/fuzz.sh rules 1 2 3           so many sequences for each
#   IDP_PLAIN_QUERIES=20000 scripts/fuzz.sh plain 1 2 3        so many statements for each
#   IDP_KEPT_QUERIES=2000 scripts/fuzz.sh kept 1 2 3           likewise
#   IDP_ANSWERS_TRIED=50000 scripts/fuzz.sh answers 1 2 3      likewise
#   IDP_MEANINGS_TRIED=5000 scripts/fuzz.sh meanings 1 2 3     likewise
#   IDP_CELL_CONDITIONS=5000 scripts/fuzz.sh cells 1 2 3       so many conditions for each
#   IDP_PLAIN_UNITS=3000 scripts/fuzz.sh sums 1 2 3            so many statements for each
#   IDP_BATCH_STATEMENTS=20000 scripts/fuzz.sh batches 1 2 3   likewise
#   IDP_LAW_DRAWS=10000 scripts/fuzz.sh laws                   so many answers to each question
#
# What it prints goes to standard output. The status is 1 if one found something.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

declare -A tests=([worlds]=033_two_worlds_fuzz.pl [clusters]=126_distributed_worlds.pl [units]=082_units_random.pl [clips]=054_clipped_sums.pl [rules]=105_random_rules.pl
  [plain]=100_plain_worlds.pl [kept]=062_kept_worlds.pl [answers]=065_answers_of_persons.pl [meanings]=116_numbers_by_meaning.pl
  [batches]=114_batches.pl
  [laws]=130_remote_laws.pl [cluster-laws]=133_distributed_laws.pl
  [cells]=123_cell_comparisons.pl [sums]=106_plain_units.pl [audit]=115_audit.pl)
fuzzers=(worlds clusters units clips rules plain kept answers meanings batches cells sums audit laws cluster-laws)
if [[ ${1-} && ${tests[$1]-} ]]; then
  fuzzers=("$1")
  shift
fi

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
  "${as_server_user[@]}" env TMPDIR="$PWD/tmp" IDP_FUZZ_SEED="$2" IDP_UNIT_SEED="$2" IDP_CLIP_SEED="$2" IDP_RULES_SEED="$2" \
    IDP_PLAIN_SEED="$2" IDP_KEPT_SEED="$2" IDP_ANSWERS_SEED="$2" IDP_MEANINGS_SEED="$2" IDP_BATCH_SEED="$2" \
    IDP_CELL_SEED="$2" IDP_AUDIT_SEED="$2" \
    make -s installcheck REGRESS= ISOLATION= TAP_TESTS=1 \
    PROVE_TESTS="tests/tap/${tests[$1]}" PROVE_FLAGS=-v bindir="$server_bin"
)

build_extension g++ >&2
stage_extension
mkdir -p "$scratch/tap/tmp"
cp -r "$repository"/{Makefile,idp.control,tests} "$scratch/tap"
if ((EUID == 0)); then
  chown -R postgres "$scratch/tap"
fi
status=0
for fuzzer in "${fuzzers[@]}"; do
  for seed in "${@:-1}"; do
    fuzz "$fuzzer" "$seed" || status=1
  done
done
exit $status

#!/usr/bin/env bash
# Draws of a private call on two data sets, as CSV for whatever judges them: which data set (1, 2), and the answer.
#
#   bench/draws.sh CALL DRAWS VALUES VALUES    bench/draws.sh 'dp_sum(v, 0.5, 0, 10)' 100000 '1 2 3 10' '1 2 3'
#
# The values are those of column v, numeric unless the call casts it: 'idp_median(v::float8, 0.5)'. The tables are not
# protected, so nothing is charged, and noise is for all neighbours. Each draw is a group with all values, and has noise
# of its own. An empty field is an answer that was not given.
source "$(dirname "$0")/../scripts/lib.sh"

if (($# != 4)); then
  sed -n '2,/^source/s/^# \{0,1\}//p' "$0"
  exit 2
fi
build_and_stage
for values in "$3" "$4"; do
  [[ $values =~ ^[-+.eE0-9\ ]*[0-9][-+.eE0-9\ ]*$ ]] || die "values are numbers with blanks between them, at least one"
done
[[ $2 =~ ^[0-9]+$ ]] || die "draws are a number"
draws() {
  psql -qXAt -F , -v ON_ERROR_STOP=1 <<SQL
SET client_min_messages = warning;
CREATE EXTENSION idp;
CREATE TABLE data (number int, v numeric);
INSERT INTO data SELECT 1, unnest(string_to_array('$3', ' '))::numeric UNION ALL SELECT 2, unnest(string_to_array('$4', ' '))::numeric;
SELECT number, $1 FROM data, generate_series(1, $2) draw GROUP BY number, draw;
SQL
}
with_server draws "$@"

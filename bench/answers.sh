#!/usr/bin/env bash
# Whether answers that are kept slow the others: questions that were asked before, that are asked with more epsilon, and
# that are new, among few answers and among many.
#
#   bench/answers.sh [rounds] [answers] [rows]        9 rounds of 200 questions, 100 000 answers, 100 000 rows
#
# Prints the median time of a question in each, and its ratio.
source "$(dirname "$0")/../scripts/lib.sh"

rounds=${1:-9}
answers=${2:-100000}
rows=${3:-100000}

build_and_stage

cat >"$scratch/measure.sh" <<MEASURE
set -euo pipefail
psql -Xq -v ON_ERROR_STOP=1 >/dev/null <<SQL
CREATE EXTENSION idp;
CREATE TABLE sales AS SELECT i AS id, i % 1000 AS n FROM generate_series(1, $rows) i;
CREATE INDEX ON sales (id);
VACUUM (ANALYZE, FREEZE) sales;
SELECT idp.protect('sales', 1e9, 'add_remove', repeat => 'forever');
CREATE ROLE analyst;
GRANT SELECT ON sales TO analyst;
SQL

# ask NAME EPSILON FROM: milliseconds of each of 200 questions, with numbers from there on
ask() {
  { echo 'SET ROLE analyst;'; echo '\\timing on'
    for i in \$(seq \$3 \$((\$3 + 199))); do echo "SELECT dp_count(\$2) FROM sales WHERE id = \$i AND n < 5;"; done
  } | psql -XAtq -v ON_ERROR_STOP=1 | awk '/^Time/ { print \$2 }' >>"$scratch/ms.\$1"
}
median() { sort -n | awk '{ v[NR] = \$1 } END { print v[int((NR + 1) / 2)] }'; }

for kept in few many; do
  if [[ \$kept = many ]]; then
    psql -Xq -v ON_ERROR_STOP=1 -c "INSERT INTO idp.answer SELECT sha256(int4send(i)), at, accounts, tables, question, epsilons, columns, rows, costs, records, noise, margin
      FROM (SELECT * FROM idp.answer LIMIT 1) a, generate_series(1, $answers) i" -c 'VACUUM ANALYZE idp.answer'
  fi
  base=\$([[ \$kept = few ]] && echo 1 || echo 50001)
  for round in \$(seq 1 $rounds); do
    first=\$((base + 200 * round))
    ask new.\$kept 0.1 \$first
    ask again.\$kept 0.1 \$first
    ask refined.\$kept 0.2 \$first
  done
done
for what in new again refined; do
  few=\$(median <"$scratch/ms.\$what.few") many=\$(median <"$scratch/ms.\$what.many")
  printf '%-8s  few answers %6.3f ms   $answers answers %6.3f ms   ratio %.2f\n' \$what "\$few" "\$many" "\$(echo "\$many / \$few" | bc -l)"
done
MEASURE

chmod 755 "$scratch/measure.sh"
server_options=(shared_preload_libraries=idp)
with_server bash "$scratch/measure.sh"

#!/usr/bin/env bash
# What plain SQL over hidden tables costs beside the answers themselves:
#
#   planning     ten plain aggregates of an analyst, rewritten, against the same of the owner. Goal: 0.3 ms.
#   kept         an answer that is given again, over many rows. Goal: 1 ms.
#   others       pgbench, select only, and ten aggregates over a table that is not protected, of a server that has loaded the
#                library and of one that has not, in turns. Goal: 1 %.
#
#   bench/plain.sh [rows] [rounds]        10 000 000 rows and 15 rounds
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

rows=${1:-10000000}
rounds=${2:-15}

build_and_stage

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

ten="SELECT status, count(*), sum(amount), avg(amount), count(amount), sum(items), avg(items), count(items), sum(amount * 2), avg(items * 2), count(*) FILTER (WHERE items > 3)
  FROM sales WHERE day >= date '2025-02-01' GROUP BY status ORDER BY status"

tile="SELECT date_trunc('month', day), status, count(*), sum(amount) FROM sales GROUP BY 1, 2 ORDER BY 1, 2"

# ask ROLE STATEMENT TIMES: milliseconds of each
ask() {
  { echo "SET ROLE $1;" && echo '\timing on' && for ((i = 0; i < $3; ++i)); do echo "$2 \\g /dev/null"; done; } |
    psql -XAtq -v ON_ERROR_STOP=1 | awk '/^Time: / { print $2 }'
}
# plan ROLE STATEMENT TIMES: milliseconds of planning
plan() {
  { echo "SET ROLE $1;" && for ((i = 0; i < $3; ++i)); do echo "EXPLAIN (COSTS OFF, SUMMARY) $2;"; done; } |
    psql -XAtq -v ON_ERROR_STOP=1 | awk '/^Planning Time: / { print $3 }'
}

measure() {
  local round
  psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<SQL
CREATE EXTENSION idp;
CREATE ROLE analyst;
CREATE ROLE owner;
CREATE TABLE sales AS SELECT i AS id, (ARRAY['new', 'paid', 'sent', 'back'])[1 + i % 4] AS status, (i % 1000)::numeric(8,2) AS amount, i % 7 AS items,
  date '2025-01-01' + i % 365 AS day FROM generate_series(1, $rows) i;
VACUUM (ANALYZE, FREEZE) sales;
ALTER TABLE sales OWNER TO owner;
SELECT idp.protect('sales', 1e9, 'add_remove', rows => 'hidden', repeat => 'forever', epsilon => 0.1);
SELECT idp.set_domain('sales', 'status', '{new,paid,sent,back}'::text[]), idp.set_domain('sales', 'amount', 0, 1000),
  idp.set_domain('sales', 'items', 0, 10), idp.set_domain('sales', 'day', '2025-01-01', '2025-12-31');
GRANT SELECT ON sales TO analyst;
SQL
  ask analyst "$ten" 1 >/dev/null
  ask analyst "$tile" 1 >/dev/null
  for ((round = 0; round < rounds; ++round)); do
    plan owner "$ten" 20 | tail -n 19 >>"$scratch/plan.owner"
    plan analyst "$ten" 20 | tail -n 19 >>"$scratch/plan.analyst"
    ask analyst "$ten" 20 | tail -n 19 >>"$scratch/kept.ten"
    ask analyst "$tile" 20 | tail -n 19 >>"$scratch/kept.tile"
    ask analyst "SELECT count(*) FROM sales WHERE items > 2" 20 | tail -n 19 >>"$scratch/kept.one"
  done
  local plain rewritten
  plain=$(median <"$scratch/plan.owner") rewritten=$(median <"$scratch/plan.analyst")
  printf 'planning ten aggregates   owner %.3f ms   analyst %.3f ms   more by %.3f ms\n' "$plain" "$rewritten" "$(bc -l <<<"$rewritten - $plain")"
  printf 'kept, %s rows       one number %.3f ms   forty-four %.3f ms   months of a domain of 365 days by status %.3f ms\n' "$rows" \
    "$(median <"$scratch/kept.one")" "$(median <"$scratch/kept.ten")" "$(median <"$scratch/kept.tile")"
}

# The server below has loaded the library, that above has not.
turns() {
  local round host kind
  local with=$PGHOST with_password=$PGPASSWORD
  echo "${ten/FROM sales/FROM open_sales};" >"$scratch/ten.sql"
  for host in with without; do
    run_on "$host" "$server_bin/pgbench" -q -i -s 10 >/dev/null 2>&1
    run_on "$host" psql -Xq -c "CREATE TABLE open_sales AS SELECT i AS id, (ARRAY['new', 'paid', 'sent', 'back'])[1 + i % 4] AS status,
      (i % 1000)::numeric(8,2) AS amount, i % 7 AS items, date '2025-01-01' + i % 365 AS day FROM generate_series(1, 1000) i"
    run_on "$host" psql -Xq -c 'VACUUM (ANALYZE, FREEZE) open_sales'
  done
  for ((round = 0; round <= rounds; ++round)); do
    for kind in select ten; do
      for host in with without; do
        measure_tps "$host" "$kind" >"$scratch/tps"
        ((round == 0)) || cat "$scratch/tps" >>"$scratch/tps.$kind.$host"
      done
    done
  done
  print_ratios select 'pgbench, select only'
  print_ratios ten 'ten aggregates, open table'
}
measure_tps() {
  local options=(-S)
  [[ $2 == select ]] || options=(-f "$scratch/ten.sql")
  run_on "$1" "$server_bin/pgbench" -n "${options[@]}" -c 1 -T 3 2>/dev/null | awk '/^tps/ { print $3 }'
}
print_ratios() {
  local tps=$scratch/tps.$1
  paste "$tps.with" "$tps.without" | awk '{ print $1 / $2 }' | sort -n >"$scratch/ratios"
  printf '%-26s with %.0f tps   without %.0f tps   ratio %.4f (of turns: %.4f to %.4f)\n' "$2" "$(median <"$tps.with")" \
    "$(median <"$tps.without")" "$(median <"$scratch/ratios")" "$(head -n 1 "$scratch/ratios")" "$(tail -n 1 "$scratch/ratios")"
}
run_on() {
  if [[ $1 == with ]]; then
    PGHOST=$with PGPASSWORD=$with_password "${@:2}"
  else
    PGHOST=$without PGPASSWORD=$without_password "${@:2}"
  fi
}
second() {
  without=$PGHOST without_password=$PGPASSWORD
  server_options=(shared_preload_libraries=idp shared_buffers=512MB)
  with_server turns
}

server_options=(shared_preload_libraries=idp shared_buffers=2GB jit=off)
with_server measure
server_options=(shared_buffers=512MB)
with_server second

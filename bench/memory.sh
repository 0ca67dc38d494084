#!/bin/bash
# The peak memory (VmHWM) of fresh backends against rows. The peak counts the pages of shared memory
# that a backend has touched, so the server must have few: then a sequential scan reads large tables
# through a handful of pages.
#
#   memory.sh RECORDS ROWS...
#
# Records: H rows query work_mem kilobytes    (0 rows: a backend that has done nothing)
set -euo pipefail

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=bench/tables.sh
source "$bench/tables.sh"
records=$1
shift

# peak ROWS NAME WORK_MEM SQL
peak() {
  local kilobytes
  # shellcheck disable=SC2016 # PROCESS is psql's
  kilobytes=$(
    psql -XAtq -v ON_ERROR_STOP=1 <<SQL
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '$3';
SELECT pg_backend_pid() AS pid \gset
\setenv BACKEND :pid
\o /dev/null
$4;
\! awk '/^VmHWM/ { print \$2 }' "/proc/\$BACKEND/status"
SQL
  )
  printf 'H\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$kilobytes" >>"$records"
}

printf 'P\tmemory\tPeak memory\n' >>"$records"
sql -c "CREATE EXTENSION idp"
peak 0 idle 4MB "SELECT 1"
for n; do
  s=$((EPOCHSECONDS - BENCH_START))
  echo "-- memory (of $# tables, $((s / 60)) min $((s % 60)) s): $n rows"
  make_table "scale_$n"
  peak "$n" "count(*)" 4MB "SELECT count(*) FROM scale_$n"
  peak "$n" avg 4MB "SELECT avg(x) FROM scale_$n"
  peak "$n" idp_median 4MB "SELECT idp_median(x, 0.5) FROM scale_$n"
  peak "$n" percentile_cont 4MB "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM scale_$n"
  peak "$n" idp_median 1GB "SELECT idp_median(x, 0.5) FROM scale_$n"
  sql -c "DROP TABLE scale_$n"
done

# shellcheck shell=bash
# Order statistics of one column of each type against avg, which reads it all once, and against
# percentile_disc and percentile_cont, which sort it.
part columns "Medians and quantiles, by type"

# medians COLUMN AVERAGED WITHIN: AVERAGED is the column that avg reads, since dates have no average
medians() {
  local x=$1 averaged=$2
  query avg "SELECT avg($averaged) FROM columns"
  query idp_median "SELECT idp_median($x, 0.5) FROM columns"
  query idp_quantile "SELECT idp_quantile($x, 0.5, 0.9) FROM columns"
  within "$3" idp_median avg
  within "$3" idp_quantile avg
}
# sorts COLUMN FASTER: the goal is against percentile_cont, which reads everything as doubles and has
# no dates; percentile_disc sorts values of the column's own type
sorts() {
  query percentile_disc "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY $1) FROM columns"
  faster - idp_median percentile_disc
  [[ $1 != d ]] || return 0
  query percentile_cont "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY $1) FROM columns"
  faster "$2" idp_median percentile_cont
}

while read -r x averaged lower upper type; do
  comparison "$type, serial" columns
  medians "$x" "$averaged" 1.25
  query dp_median "SELECT dp_median($x, 0.5, '$lower', '$upper') FROM columns"
  within 1.5 dp_median idp_median
  sorts "$x" 4

  comparison "$type, serial, work_mem = 4 MB" columns work_mem=4MB
  rounds "$BENCH_FEWER_ROUNDS"
  medians "$x" "$averaged" -
  sorts "$x" 3

  comparison "$type, 2 workers" columns max_parallel_workers_per_gather=2
  rounds "$BENCH_FEWER_ROUNDS"
  medians "$x" "$averaged" 1.4
  sorts "$x" -
done <<'COLUMNS'
x x 0 1000 double precision
i i 0 1000000 integer
d i 2000-01-01 2030-01-01 date (avg of the integer column)
n n 0 100000 numeric(12,2)
COLUMNS

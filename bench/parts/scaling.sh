# shellcheck shell=bash
# Time against rows, one double precision column. (Memory: bench/memory.sh)
part scaling "Time against rows"

for n in $BENCH_SIZES; do
  comparison "$n rows" "scale_$n"
  at rows "$n"
  case $n in
    1000 | 10000 | 100000) rounds 20 ;;
    30000000) rounds 3 ;;
    100000000) rounds 2 ;;
  esac
  query "count(*)" "SELECT count(*) FROM scale_$n"
  query avg "SELECT avg(x) FROM scale_$n"
  query idp_median "SELECT idp_median(x, 0.5) FROM scale_$n"
  query dp_median "SELECT dp_median(x, 0.5, 0, 1000) FROM scale_$n"
  query dp_avg "SELECT dp_avg(x, 0.5, 0, 1000) FROM scale_$n"
  query percentile_cont "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM scale_$n"
  if has_extension tdigest; then
    query tdigest_percentile "SELECT tdigest_percentile(x, 100, 0.5) FROM scale_$n"
  fi
  within - idp_median avg
  faster - idp_median percentile_cont
done
[[ ! $BENCH_LEFT_OUT ]] || remark "$BENCH_LEFT_OUT"

# shellcheck shell=bash
# GROUP BY, from one group to a million. Every answer is read, none is sent.
part groups "Groups"

grouped() {
  query "$1" "SELECT count(v) FROM (SELECT $2 AS v FROM grouped GROUP BY g$groups) s"
}
compare() {
  rounds "$BENCH_FEWER_ROUNDS"
  grouped avg "avg(x)"
  grouped idp_median "idp_median(x, 0.5)"
  grouped percentile_cont "percentile_cont(0.5) WITHIN GROUP (ORDER BY x)"
  within "$within" idp_median avg
  faster "$faster" idp_median percentile_cont
}
for groups in $BENCH_GROUPS; do
  case $groups in
    100 | 100000 | 1000000) within=1.5 faster=1 ;;
    *) within=- faster=- ;;
  esac
  comparison "$groups group$( ((groups == 1)) || echo s)" grouped
  at groups "$groups"
  compare
  # with little memory, and sorted where the planner would hash
  if ((groups >= 100000)); then
    comparison "$groups groups, work_mem = 4 MB" grouped work_mem=4MB
    compare
  fi
  if ((groups >= 1000000)); then
    comparison "$groups groups, enable_hashagg = off" grouped enable_hashagg=off
    compare
  fi
done

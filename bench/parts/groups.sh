# shellcheck shell=bash
# GROUP BY, from one group to a million. Every answer is read, none is sent.
part groups "Groups"

grouped() {
  query "$1" "SELECT count(v) FROM (SELECT $2 AS v FROM grouped GROUP BY g$groups) s"
}
for groups in $BENCH_GROUPS; do
  case $groups in
    100 | 100000 | 1000000) within=1.5 faster=1 ;;
    *) within=- faster=- ;;
  esac
  comparison "$groups group$( ((groups == 1)) || echo s)" grouped
  rounds "$BENCH_FEWER_ROUNDS"
  at groups "$groups"
  grouped avg "avg(x)"
  grouped idp_median "idp_median(x, 0.5)"
  grouped percentile_cont "percentile_cont(0.5) WITHIN GROUP (ORDER BY x)"
  within "$within" idp_median avg
  faster "$faster" idp_median percentile_cont
done

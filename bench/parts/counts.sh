# shellcheck shell=bash
# What is no order statistic: counts, ends, sums and averages, against the native aggregates.
part counts "Counts, ends, sums and averages"

comparison "all rows" columns
query "count(*)" "SELECT count(*) FROM columns"
query dp_count "SELECT dp_count(0.5) FROM columns"
within - dp_count "count(*)"

while read -r x lower upper first last type; do
  comparison "range counts, $type" columns
  query "count(*) FILTER" "SELECT count(*) FILTER (WHERE $x BETWEEN '$lower' AND '$upper') FROM columns"
  query dp_count_range "SELECT dp_count_range($x, 0.5, '$lower', '$upper') FROM columns"
  query idp_count_range "SELECT idp_count_range($x, 0.5, '$lower', '$upper') FROM columns"
  within 1.1 dp_count_range "count(*) FILTER"
  within - idp_count_range "count(*) FILTER"

  comparison "maximum, $type" columns
  query max "SELECT max($x) FROM columns"
  query idp_max "SELECT idp_max($x, 0.5, '$last') FROM columns"
  within 1.1 idp_max max

  [[ $type != date ]] || continue
  comparison "sum and average, $type" columns
  query avg "SELECT avg($x) FROM columns"
  query dp_sum "SELECT dp_sum($x, 0.5, $first, $last) FROM columns"
  query dp_avg "SELECT dp_avg($x, 0.5, $first, $last) FROM columns"
  query idp_sum "SELECT idp_sum($x, 0.5, $first, $last) FROM columns"
  query idp_avg "SELECT idp_avg($x, 0.5, $first, $last) FROM columns"
  within 1.3 dp_sum avg
  within 1.3 idp_avg avg
  within - dp_avg avg
  within - idp_sum avg
done <<'COLUMNS'
x 100 200 0 1000 double precision
i 100000 200000 0 1000000 integer
d 2010-01-01 2012-12-31 2000-01-01 2030-01-01 date
n 10000 20000 0 100000 numeric(12,2)
COLUMNS

comparison "spread and histogram, double precision" columns
query var_pop "SELECT var_pop(x) FROM columns"
query idp_variance "SELECT idp_variance(x, 0.5, 0, 1000) FROM columns"
query "width_bucket, GROUP BY" "SELECT width_bucket(x, 0, 1000, 20), count(*) FROM columns GROUP BY 1"
query dp_histogram "SELECT dp_histogram(x, 0.5, 0, 1000, 20) FROM columns"
within - idp_variance var_pop
within - dp_histogram "width_bucket, GROUP BY"

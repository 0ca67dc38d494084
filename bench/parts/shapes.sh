# shellcheck shell=bash
# Data of other shapes: few different values, sorted input, partitions.
part shapes "Other shapes of data"

shape() { # TABLE
  rounds "$BENCH_FEWER_ROUNDS"
  query avg "SELECT avg(x) FROM $1"
  query idp_median "SELECT idp_median(x, 0.5) FROM $1"
  query percentile_disc "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM $1"
  within - idp_median avg
  faster - idp_median percentile_disc
}
comparison "few different values (ages)" ages
shape ages
comparison "sorted input" sorted
shape sorted
comparison "8 partitions" partitioned
shape partitioned

for workers in 0 2; do
  comparison "grouped by the partition key, partition-wise, $workers workers" partitioned \
    enable_partitionwise_aggregate=on max_parallel_workers_per_gather=$workers
  rounds "$BENCH_FEWER_ROUNDS"
  query avg "SELECT p, avg(x) FROM partitioned GROUP BY p"
  query idp_median "SELECT p, idp_median(x, 0.5) FROM partitioned GROUP BY p"
  query percentile_disc \
    "SELECT p, percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM partitioned GROUP BY p"
  within - idp_median avg
  faster - idp_median percentile_disc
done

# shellcheck shell=bash
# Approximate quantiles of other extensions.
part peers "Peers"

if has_extension tdigest; then
  for workers in 0 2; do
    comparison "quantiles, double precision, $workers workers" columns \
      max_parallel_workers_per_gather=$workers
    query avg "SELECT avg(x) FROM columns"
    query idp_median "SELECT idp_median(x, 0.5) FROM columns"
    query "tdigest_percentile (approximate)" "SELECT tdigest_percentile(x, 100, 0.5) FROM columns"
    within - "tdigest_percentile (approximate)" avg
    faster - idp_median "tdigest_percentile (approximate)"
  done
else
  remark "The package postgresql-15-tdigest could not be had."
fi

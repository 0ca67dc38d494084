# shellcheck shell=bash
# Different values, against the native count and, if it is there, an approximate one.
part distinct "Different values"
has_extension hll || remark "The package postgresql-15-hll could not be had."

while read -r table x hash title; do
  comparison "$title" "$table"
  rounds "$BENCH_FEWER_ROUNDS"
  query "count(DISTINCT)" "SELECT count(DISTINCT $x) FROM $table"
  query dp_count_distinct "SELECT dp_count_distinct($x, 0.5) FROM $table"
  within 1 dp_count_distinct "count(DISTINCT)"
  if has_extension hll; then
    query "hll (approximate)" "SELECT hll_cardinality(hll_add_agg(hll_hash_$hash)) FROM $table"
    within - dp_count_distinct "hll (approximate)"
  fi
done <<'COLUMNS'
columns x any(x) double precision, nearly all different
columns i integer(i) integer, up to 1 000 000 values
ages x smallint(x) smallint, 100 values
texts x text(x) text, 10 000 values
COLUMNS

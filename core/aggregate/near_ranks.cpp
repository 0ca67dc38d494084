#include "core/aggregate/near_ranks.h"

#include <algorithm>

namespace idp {

namespace {

// without an overflow
RankRange around(std::int64_t rank, std::int64_t reach, std::int64_t n) {
  return {rank > reach ? rank - reach : 1, reach < n - rank ? rank + reach : n};
}

}  // namespace

bool is_near_ranks(Statistic statistic) {
  const StatisticRow& row = row_of(statistic);
  if (row.collects != Collects::kValues) return false;
  if (row.spread != SpreadKind::kNone) return row.spread == SpreadKind::kInterquartileRange;
  return row.rank != RankRule::kNone &&
         (row.mechanism == Mechanism::kLocal || row.mechanism == Mechanism::kGlobal);
}

int near_ranks(const Spec& spec, std::int64_t n, RankRange* ranges) {
  const StatisticRow& row = row_of(spec.statistic);
  if (n < 1) return 0;
  if (row.spread == SpreadKind::kInterquartileRange) {
    ranges[0] = around(nearest_rank(0.25, n), 1, n);
    ranges[1] = around(nearest_rank(0.75, n), 1, n);
    return 2;
  }
  const std::int64_t rank = rank_of(spec, n);
  if (rank < 1 || rank > n) return 0;
  ranges[0] = around(rank, row.mechanism == Mechanism::kLocal ? spec.groups : 0, n);
  return 1;
}

}  // namespace idp

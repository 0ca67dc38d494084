// The collected values of a column as ranked data. Putting values on the grid and clamping them
// happens record by record, so neighbours stay neighbours; both are monotone, so they commute with
// selecting, and only what is selected needs them.
#pragma once

#include "core/no_postgres.h"

#include <memory_resource>

#include "core/grid/public_grid.h"
#include "core/select/ranked_data.h"
#include "core/select/values.h"

namespace idp {

// The keys of these ranks, which ascend; at least one.
template <class Key>
std::pmr::vector<Key> keys_at(const Values<Key>& values, const std::vector<std::int64_t>& ranks,
                              std::pmr::memory_resource* memory) {
  std::pmr::vector<Key> keys(ranks.size(), memory);
  if (ranks.back() - ranks.front() + 1 == static_cast<std::int64_t>(ranks.size())) {
    values.order_statistics(ranks.front(), keys);
  } else {
    values.order_statistics_at(ranks, keys);
  }
  return keys;
}

// Values, grid and memory must outlive it.
template <class Key>
class RankedValues final : public RankedData {
 public:
  RankedValues(const Values<Key>& values, const PublicGrid<Key>& grid, const Workspace& space)
      : values_(values), grid_(grid), memory_(space.memory), stop_(space.stop) {}

  std::int64_t size() const override { return values_.size(); }

  std::vector<mpz_class> values_at(const std::vector<std::int64_t>& ranks) const override {
    const std::pmr::vector<Key> keys = keys_at(values_, ranks, memory_);
    std::vector<mpz_class> steps;
    steps.reserve(keys.size());
    for (const Key& key : keys) steps.push_back(grid_.steps(key));
    return steps;
  }

  std::pmr::vector<Key128> packed_values(std::int64_t first, std::int64_t last) const override {
    std::pmr::vector<Key> keys(static_cast<std::size_t>(last - first + 1), memory_);
    values_.order_statistics(first, keys);
    std::pmr::vector<Key128> steps(keys.size(), memory_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i % 1024 == 0) stop_if_asked(stop_);
      const bool is_tied = i > 0 && keys[i] == keys[i - 1];
      steps[i] = is_tied ? steps[i - 1] : key128(grid_.steps(keys[i]));
    }
    return steps;
  }

  // A value's floor on the grid is below y exactly if the value is; what lies outside the bounds
  // counts as the bound.
  std::int64_t count_below(const mpz_class& y) const override {
    return y <= grid_.lower() ? 0 : values_.count_below(grid_.key(y));
  }

  std::int64_t count_at_most(const mpz_class& y) const override {
    return y >= grid_.upper() ? size() : count_below(y + 1);
  }

 private:
  const Values<Key>& values_;
  const PublicGrid<Key>& grid_;
  std::pmr::memory_resource* memory_;
  StopCheck stop_;
};

}  // namespace idp

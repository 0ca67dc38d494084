#include "core/mechanism/private_quantile.h"

#include "core/grid/public_grid.h"
#include "core/mechanism/exponential_quantile.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

namespace {

template <class Key>
class RankedRuns final : public RankedData {
 public:
  RankedRuns(Runs<Key> runs, const PublicGrid<Key>& grid, std::pmr::memory_resource* memory,
             StopCheck stop)
      : runs_(runs), grid_(grid), memory_(memory), stop_(stop), size_(total_size(runs)) {}

  std::int64_t size() const override { return size_; }

  std::vector<mpz_class> values_at(const std::vector<std::int64_t>& ranks) const override {
    std::pmr::vector<Key> keys(ranks.size(), memory_);
    if (ranks.back() - ranks.front() + 1 == static_cast<std::int64_t>(ranks.size())) {
      order_statistics<Key>(runs_, ranks.front(), keys, memory_, stop_);
    } else {
      order_statistics_at<Key>(runs_, ranks, keys, memory_, stop_);
    }
    std::vector<mpz_class> steps;
    steps.reserve(keys.size());
    for (const Key& key : keys) steps.push_back(grid_.steps(key));
    return steps;
  }

  // A value's floor on the grid is below y exactly if the value is; what lies outside the bounds
  // counts as the bound.
  std::int64_t count_below(const mpz_class& y) const override {
    if (y <= grid_.lower()) return 0;
    const Key threshold = grid_.key(y);
    std::int64_t below = 0;
    for (const auto& run : runs_) {
      if (stop_ != nullptr && stop_()) throw Stopped{};
      for (const Key& key : run) below += key < threshold;
    }
    return below;
  }

  std::int64_t count_at_most(const mpz_class& y) const override {
    return y >= grid_.upper() ? size_ : count_below(y + 1);
  }

 private:
  Runs<Key> runs_;
  const PublicGrid<Key>& grid_;
  std::pmr::memory_resource* memory_;
  StopCheck stop_;
  std::int64_t size_;
};

// A double between two floats as the nearer of them: monotone, so it stays within the bounds.
Key64 round_to_type(const Grid& grid, Key64 key) {
  if (grid.type != ValueType::kFloat32) return key;
  return ordered_bits(static_cast<double>(static_cast<float>(from_ordered_bits(key))));
}
Key128 round_to_type(const Grid&, Key128 key) { return key; }

}  // namespace

template <class Key>
Key release_private_quantile(const Spec& spec, Runs<Key> runs, std::pmr::memory_resource* memory,
                             StopCheck stop, BitSource& bits, std::int64_t reach) {
  const PublicGrid<Key> grid(spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>());
  const RankedRuns<Key> data(runs, grid, memory, stop);
  const mpz_class answer = exponential_quantile(data, rank_of(spec, data.size()), grid.lower(),
                                                grid.upper(), spec.epsilon, bits, reach);
  return round_to_type(spec.grid, grid.key(answer));
}

template Key64 release_private_quantile(const Spec&, Runs<Key64>, std::pmr::memory_resource*,
                                        StopCheck, BitSource&, std::int64_t);
template Key128 release_private_quantile(const Spec&, Runs<Key128>, std::pmr::memory_resource*,
                                         StopCheck, BitSource&, std::int64_t);

}  // namespace idp

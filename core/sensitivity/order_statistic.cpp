#include "core/sensitivity/order_statistic.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace idp {

std::int64_t nearest_rank(double fraction, std::int64_t n) {
  const double rank = std::ceil(fraction * static_cast<double>(n));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(rank), 1, n);
}

std::int64_t rank_of(const Spec& spec, std::int64_t n) {
  switch (spec.statistic) {
    case Statistic::kMedian:
    case Statistic::kQuantile:
    case Statistic::kPrivateMedian:
    case Statistic::kPrivateQuantile:
      return n == 0 ? 0 : nearest_rank(spec.fraction, n);
    case Statistic::kMin:
    case Statistic::kPrivateMin:
      return 1;
    case Statistic::kMax:
    case Statistic::kPrivateMax:
      return n;
    case Statistic::kKthSmallest:
      return spec.k;
    case Statistic::kKthLargest:
      return n - spec.k + 1;
    default:
      return 0;
  }
}

template <class Key>
std::optional<Neighbourhood<Key>> neighbourhood(const Spec& spec, Runs<Key> runs,
                                                std::pmr::memory_resource* memory, StopCheck stop) {
  const std::int64_t n = total_size<Key>(runs);
  const std::int64_t rank = rank_of(spec, n);
  if (rank < 1 || rank > n) return std::nullopt;

  const bool has_lower = spec.has(Parameter::kLower);
  const bool has_upper = spec.has(Parameter::kUpper);
  const bool below_missing = rank == 1;
  const bool above_missing = rank == n;
  if ((below_missing && !has_lower) || (above_missing && !has_upper)) return std::nullopt;

  std::array<Key, 3> window;  // x_{r-1}, x_r, x_{r+1}
  const std::size_t from = below_missing ? 1 : 0;
  const std::size_t to = above_missing ? 2 : 3;
  order_statistics<Key>(runs, below_missing ? rank : rank - 1,
                        std::span<Key>(window).subspan(from, to - from), memory, stop);
  if (below_missing) window[0] = spec.lower_as<Key>();
  if (above_missing) window[2] = spec.upper_as<Key>();
  // Clamping commutes with selecting, so only what was selected needs it.
  for (Key& key : window) {
    if (has_lower) key = std::max(key, spec.lower_as<Key>());
    if (has_upper) key = std::min(key, spec.upper_as<Key>());
  }
  return Neighbourhood<Key>{window[0], window[1], window[2]};
}

mpz_class local_sensitivity(const mpz_class& below, const mpz_class& at, const mpz_class& above) {
  const mpz_class up = above - at;
  const mpz_class down = at - below;
  return up > down ? up : down;
}

template std::optional<Neighbourhood<Key64>> neighbourhood(const Spec&, Runs<Key64>,
                                                           std::pmr::memory_resource*, StopCheck);
template std::optional<Neighbourhood<Key128>> neighbourhood(const Spec&, Runs<Key128>,
                                                            std::pmr::memory_resource*, StopCheck);

}  // namespace idp

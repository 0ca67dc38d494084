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
    case Statistic::kSmoothMedian:
    case Statistic::kSmoothQuantile:
    case Statistic::kGlobalMedian:
      return n == 0 ? 0 : nearest_rank(spec.fraction, n);
    case Statistic::kMin:
    case Statistic::kPrivateMin:
      return 1;
    case Statistic::kMax:
    case Statistic::kPrivateMax:
    case Statistic::kSmoothMax:
    case Statistic::kGlobalMax:
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
std::vector<Neighbourhood<Key>> neighbourhoods(const Spec& spec, const Values<Key>& values) {
  const std::int64_t n = values.size();
  const std::int64_t rank = rank_of(spec, n);
  if (rank < 1 || rank > n) return {};

  const bool has_lower = spec.has(Parameter::kLower);
  const bool has_upper = spec.has(Parameter::kUpper);
  const std::int64_t reach = spec.groups;
  const std::int64_t first = std::max<std::int64_t>(rank - reach, 1);
  const std::int64_t last = reach < n - rank ? rank + reach : n;
  if ((rank - reach < first && !has_lower) || (reach > n - rank && !has_upper)) return {};

  std::array<Key, 2 * kMaxGroup + 1> window;  // x_first, …, x_last
  const auto size = static_cast<std::size_t>(last - first + 1);
  values.order_statistics(first, std::span<Key>(window).first(size));
  // Clamping commutes with selecting, so only what was selected needs it.
  const auto clamped = [&](Key key) {
    if (has_lower) key = std::max(key, spec.lower_as<Key>());
    if (has_upper) key = std::min(key, spec.upper_as<Key>());
    return key;
  };
  const auto value = [&](std::int64_t i) {
    if (i < first) return spec.lower_as<Key>();
    if (i > last) return spec.upper_as<Key>();
    return clamped(window[static_cast<std::size_t>(i - first)]);
  };
  std::vector<Neighbourhood<Key>> around;
  around.reserve(static_cast<std::size_t>(reach));
  for (std::int64_t k = 1; k <= reach; ++k) {
    around.push_back({value(rank - k), value(rank), value(rank + k)});
  }
  return around;
}

mpz_class local_sensitivity(const mpz_class& below, const mpz_class& at, const mpz_class& above) {
  const mpz_class up = above - at;
  const mpz_class down = at - below;
  return up > down ? up : down;
}

template std::vector<Neighbourhood<Key64>> neighbourhoods(const Spec&, const Values<Key64>&);
template std::vector<Neighbourhood<Key128>> neighbourhoods(const Spec&, const Values<Key128>&);

}  // namespace idp

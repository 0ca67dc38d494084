#include "core/mechanism/count.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/grid/grid.h"
#include "core/random/short_geometric.h"

namespace idp {

namespace {

std::int64_t saturate(const mpz_class& count) {
  return count.fits_slong_p() ? count.get_si() : Grid{ValueType::kInt64}.nearest<Key64>(count);
}

}  // namespace

Frozen freeze_count(std::int64_t count) {
  return freeze_noisy({mpz_class(static_cast<long>(count))}, {1});
}

Frozen freeze_histogram(std::span<const std::uint64_t> buckets, Neighbours neighbours) {
  return freeze_noisy(std::vector<mpz_class>(buckets.begin(), buckets.end()),
                      {neighbours == Neighbours::kAddRemove ? 1 : 2});
}

std::int64_t release_count(std::int64_t count, Truncation truncation, double epsilon,
                           BitSource& bits) {
  constexpr Int128 kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  const auto rate = ShortRate::of(epsilon, 1);
  if (!rate) {
    const Frozen frozen = freeze_count(count);
    return answer_count(frozen, truncation,
                        draw_noise(frozen, {&epsilon, 1}, bits, nullptr).front());
  }
  const ShortDraw noise = short_discrete_laplace(*rate, bits);
  if (noise.beyond) return answer_count(freeze_count(count), truncation, *noise.beyond);
  // beyond a reach of kMost - kLeast the answer is at an end
  const Int128 reach = truncation == Truncation::kToOneStep ? 1 : kMost - kLeast;
  return static_cast<std::int64_t>(
      std::clamp(count + std::clamp(noise.value, -reach, reach), kLeast, kMost));
}

std::int64_t answer_count(const Frozen& frozen, Truncation truncation, const mpz_class& noise) {
  const mpz_class& count = frozen.values.front();
  if (truncation == Truncation::kNone) return saturate(count + noise);
  return saturate(count + std::clamp<mpz_class>(noise, -1, 1));
}

std::vector<std::int64_t> answer_histogram(const Frozen& frozen, std::span<const mpz_class> noise) {
  std::vector<std::int64_t> counts(noise.size());
  mpz_class count;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count = frozen.values[i] + noise[i];
    counts[i] = saturate(count);
  }
  return counts;
}

}  // namespace idp

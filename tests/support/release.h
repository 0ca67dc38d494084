// Answers that are not refined, drawn as the aggregates draw them: freeze, noise, answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/mechanism/count.h"
#include "core/mechanism/global_quantile.h"
#include "core/mechanism/order_statistic.h"
#include "core/select/ranked_data.h"
#include "tests/support/bits.h"
#include "tests/support/data.h"

namespace idp::test {

inline Answer release(const Spec& spec, const Frozen& frozen, std::span<const double> epsilons,
                      BitSource& bits) {
  return answer(spec, frozen, epsilons, draw_noise(frozen, epsilons, bits, nullptr));
}

// The answer without noise, as if epsilon were so large that there is none.
inline Answer exact_answer(const Spec& spec, const Frozen& frozen) {
  return answer(spec, frozen, std::vector<double>(spec.groups, 1e300),
                std::vector<mpz_class>(frozen.values.size()));
}

inline std::int64_t release_counted(Statistic statistic, std::int64_t count, double epsilon,
                                    BitSource& bits) {
  Spec spec;
  spec.statistic = statistic;
  return std::get<std::int64_t>(release(spec, freeze_count(count), {&epsilon, 1}, bits));
}
inline std::int64_t release_count(std::int64_t count, double epsilon, BitSource& bits) {
  return release_counted(Statistic::kCount, count, epsilon, bits);
}
inline std::int64_t release_truncated_count(std::int64_t count, double epsilon, BitSource& bits) {
  return release_counted(Statistic::kTruncatedRange, count, epsilon, bits);
}

// What is frozen of sums that were collected.
inline Frozen freeze_moments(const Spec& spec, const std::uint64_t* words, std::int64_t count) {
  ReplayBits none({});
  return freeze(spec, {&spec.epsilon, 1}, {.count = count, .words = words},
                {std::pmr::new_delete_resource()}, none);
}

// Nothing if the noisy count does not support an answer.
inline std::optional<Number> maybe_moments(const Spec& spec, std::span<const double> epsilons,
                                           const std::uint64_t* words, std::int64_t count,
                                           BitSource& bits) {
  const Answer drawn = release(spec, freeze_moments(spec, words, count), epsilons, bits);
  if (std::holds_alternative<Suppressed>(drawn)) return std::nullopt;
  return std::get<Number>(drawn);
}
inline Number release_moments(const Spec& spec, std::span<const double> epsilons,
                              const std::uint64_t* words, std::int64_t count, BitSource& bits) {
  return maybe_moments(spec, epsilons, words, count, bits).value();
}

// Nothing if the answer is suppressed.
template <class Key>
std::optional<Key> release_one(const Grid& grid, const Neighbourhood<Key>& around, double epsilon,
                               BitSource& bits) {
  const Frozen frozen =
      freeze_order_statistic<Key>(grid, std::span(&around, 1), {&epsilon, 1}, bits);
  if (frozen.kind == Frozen::Kind::kSuppressed) return std::nullopt;
  const auto noise = draw_noise(frozen, {&epsilon, 1}, bits, nullptr);
  return answer_order_statistic<Key>(grid, frozen, noise.empty() ? mpz_class(0) : noise.front());
}

// Values that were collected.
inline Collected collected(const Values<Key64>& values) { return {.narrow = &values}; }
inline Collected collected(const Values<Key128>& values) { return {.wide = &values}; }

template <class Key>
Frozen freeze_run(const Spec& spec, std::span<const double> epsilons,
                  const std::vector<Key>& values, BitSource& bits, StopCheck stop = nullptr) {
  const std::span<const Key> run(values);
  return freeze(spec, epsilons, collected(in_memory<Key>({&run, 1}, stop)),
                {std::pmr::new_delete_resource(), stop}, bits);
}

// In steps.
inline mpz_class global_quantile(const RankedData& data, std::int64_t rank, const mpz_class& lower,
                                 const mpz_class& upper, double epsilon, BitSource& bits) {
  const Frozen frozen = freeze_global_quantile(data, {rank, lower, upper});
  const auto noise = draw_noise(frozen, {&epsilon, 1}, bits, nullptr);
  return std::clamp<mpz_class>(frozen.values.front() + noise.front(), lower, upper);
}

}  // namespace idp::test

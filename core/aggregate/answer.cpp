#include "core/aggregate/answer.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/grid/public_grid.h"
#include "core/grid/room.h"
#include "core/mechanism/clipped_moments.h"
#include "core/mechanism/count.h"
#include "core/mechanism/exponential_quantile.h"
#include "core/mechanism/floor.h"
#include "core/mechanism/global_quantile.h"
#include "core/mechanism/group_selection.h"
#include "core/mechanism/moments.h"
#include "core/mechanism/order_statistic.h"
#include "core/mechanism/private_moments.h"
#include "core/mechanism/short_order_statistic.h"
#include "core/mechanism/smooth_quantile.h"
#include "core/mechanism/spread.h"
#include "core/mechanism/value_mode.h"
#include "core/select/ranked_values.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

namespace {

SpreadKind spread_of(const Spec& spec) { return row_of(spec.statistic).spread; }

bool is_local(const Spec& spec) { return spec.mechanism() == Mechanism::kLocal; }

Truncation truncation(const Spec& spec) {
  return spec.mechanism() == Mechanism::kTruncated ? Truncation::kToOneStep : Truncation::kNone;
}

// Calls use with the values that were collected, of either kind of key.
template <class Use>
auto with_values(const Spec& spec, const Collected& collected, Use use) {
  const bool is_there =
      spec.grid.is_wide() ? collected.wide != nullptr : collected.narrow != nullptr;
  if (!is_there) throw std::invalid_argument("an order statistic needs values");
  return spec.grid.is_wide() ? use(*collected.wide) : use(*collected.narrow);
}

// --- order statistics ---

template <class Key>
PublicGrid<Key> public_grid(const Spec& spec) {
  return {spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>()};
}

template <class Key>
BoundedRank rank_on(const PublicGrid<Key>& grid, const Spec& spec, std::int64_t n) {
  return {rank_of(spec, n), grid.lower(), grid.upper()};
}

template <class Key>
std::vector<Neighbourhood<Key>> neighbourhoods_of(const Spec& spec, const Values<Key>& values) {
  return neighbourhoods<Key>(values, rank_of(spec, values.size()), spec.groups,
                             bounds_of<Key>(spec));
}

// The value of the rank alone.
template <class Key>
Frozen freeze_value(const Spec& spec, std::span<const double> epsilons, const Values<Key>& values,
                    BitSource& bits) {
  const std::int64_t rank = rank_of(spec, values.size());
  if (rank < 1 || rank > values.size()) return {};
  Key key;
  values.order_statistics(rank, std::span<Key>(&key, 1));
  const PublicBounds<Key> bounds = bounds_of<Key>(spec);
  if (bounds.lower) key = std::max(key, *bounds.lower);
  if (bounds.upper) key = std::min(key, *bounds.upper);
  const std::vector<Neighbourhood<Key>> alone(epsilons.size(), {key, key, key});
  return freeze_order_statistic<Key>(spec.grid, alone, epsilons, bits);
}

template <class Key>
Frozen freeze_values(const Spec& spec, std::span<const double> epsilons, const Values<Key>& values,
                     const Workspace& space, BitSource& bits) {
  if (spread_of(spec) != SpreadKind::kNone) {
    return freeze_spread<Key>({spread_of(spec), spec.grid, spec.fraction}, values, epsilons.front(),
                              space, bits);
  }
  if (is_local(spec)) {
    return freeze_order_statistic<Key>(spec.grid, neighbourhoods_of<Key>(spec, values), epsilons,
                                       bits);
  }
  const PublicGrid<Key> grid = public_grid<Key>(spec);
  const RankedValues<Key> data(values, grid, space);
  return freeze_global_quantile(data, rank_on(grid, spec, data.size()));
}

template <class Key>
Key answer_value(const Spec& spec, const Frozen& frozen, std::span<const mpz_class> noise) {
  const mpz_class one = noise.empty() ? mpz_class(0) : noise.front();
  return is_local(spec) ? answer_order_statistic<Key>(spec.grid, frozen, one)
                        : answer_global_quantile(public_grid<Key>(spec), frozen, one);
}

Answer answer_of(std::optional<Number> number) {
  return number ? Answer(*std::move(number)) : Answer(Suppressed{});
}

Answer answer_drawn(const Spec& spec, std::span<const double> epsilons, const Frozen& frozen,
                    const Workspace& space, BitSource& bits) {
  return answer(spec, frozen, epsilons, draw_noise(frozen, epsilons, bits, space.stop));
}

template <class Key>
Answer answer_mode(const Spec& spec, double epsilon, const Values<Key>& values,
                   const Workspace& space, BitSource& bits) {
  if constexpr (std::is_same_v<Key, Key128>) {
    if (spec.grid.type == ValueType::kText) {
      auto string = string_mode(values, epsilon, space, bits);
      return string ? Answer(std::move(*string)) : Answer(Suppressed{});
    }
  }
  const auto key = value_mode(values, epsilon, space, bits);
  return key ? Answer(*key) : Answer(Suppressed{});
}

// Of mechanisms that draw among the values of a public grid: draw(data, where the answer is).
template <class Key, class Draw>
Answer answer_on_grid(const Spec& spec, const Values<Key>& values, const Workspace& space,
                      Draw draw) {
  const PublicGrid<Key> grid = public_grid<Key>(spec);
  const RankedValues<Key> data(values, grid, space);
  return grid.answer(draw(data, rank_on(grid, spec, data.size())));
}

// In machine words where the numbers fit.
template <class Key>
Answer answer_local(const Spec& spec, std::span<const double> epsilons, const Values<Key>& values,
                    const Workspace& space, BitSource& bits) {
  const auto around = neighbourhoods_of<Key>(spec, values);
  if (around.size() == 1 && epsilons.size() == 1) {
    const auto key = short_order_statistic<Key>(spec.grid, around[0], epsilons[0], bits);
    if (key) return *key;
  }
  return answer_drawn(spec, epsilons,
                      freeze_order_statistic<Key>(spec.grid, around, epsilons, bits), space, bits);
}

template <class Key>
Answer answer_values_once(const Spec& spec, std::span<const double> epsilons,
                          const Values<Key>& values, const Workspace& space, BitSource& bits,
                          Neighbours neighbours) {
  switch (spec.mechanism()) {
    case Mechanism::kLocal:
      if (spread_of(spec) == SpreadKind::kNone) {
        return answer_local(spec, epsilons, values, space, bits);
      }
      [[fallthrough]];
    case Mechanism::kGlobal:
      return answer_drawn(spec, epsilons, freeze_values<Key>(spec, epsilons, values, space, bits),
                          space, bits);
    case Mechanism::kExponential:
      return answer_on_grid(spec, values, space, [&](const auto& data, const BoundedRank& at) {
        return exponential_quantile(data, at, epsilons.front(), bits);
      });
    case Mechanism::kSmooth:
      return answer_on_grid(spec, values, space, [&](const auto& data, const BoundedRank& at) {
        const SmoothNoise noise{epsilons.front(), static_cast<int>(spec.gamma)};
        return smooth_quantile(data, at, noise, bits, space.stop);
      });
    case Mechanism::kResponse:
      return answer_mode(spec, epsilons.front(), values, space, bits);
    case Mechanism::kClipping:
      return answer_of(clipped_moment(row_of(spec.statistic).moment, spec.grid, values,
                                      epsilons.front(), space, bits, neighbours));
    case Mechanism::kPermuteAndFlip:
      throw std::invalid_argument("the mode of a domain needs the domain");
    case Mechanism::kNone:
    case Mechanism::kTruncated:
    case Mechanism::kSelection:
      break;
  }
  throw std::invalid_argument("the mechanism does not answer from values");
}

// --- moments ---

Frozen freeze_moments(const Spec& spec, const Collected& collected, Neighbours neighbours) {
  const MomentTotals totals = read_moments(moment_layout(spec), collected.words, collected.count);
  const MomentQuestion question = moment_question(spec);
  if (is_local(spec)) return freeze_local_moments(question, totals, spec.groups);
  return freeze_private_moments(question.moment, totals,
                                step_bounds(spec.grid, spec.lower, spec.upper), neighbours);
}

// --- the floor ---

// base^exponent
mpq_class scale(unsigned long base, long exponent) {
  mpz_class v;
  mpz_ui_pow_ui(v.get_mpz_t(), base, static_cast<unsigned long>(std::abs(exponent)));
  return exponent >= 0 ? mpq_class(v) : mpq_class(1, v);
}

// How many steps of the answer's grid are one unit of the answer.
mpq_class steps_in_unit(const Spec& spec, const Frozen& frozen) {
  if (spec.collects() == Collects::kMoments) {
    const Number one = ResultGrid(moment_question(spec)).number(1);
    return scale(one.decimal ? 10 : 2, one.scale);
  }
  if (spread_of(spec) == SpreadKind::kTrimmedAverage && !spec.grid.is_float()) {
    return scale(10, answer_trimmed_average(spec.grid, frozen, 0).scale);
  }
  switch (spec.grid.type) {
    case ValueType::kFloat32:
    case ValueType::kFloat64:
      return scale(2, -(kFloatStepExponent + frozen.dropped));
    case ValueType::kNumeric:
      return scale(10, spec.grid.scale);
    default:
      return row_of(spec.grid.type).steps;
  }
}

}  // namespace

std::size_t parts_of(const Spec& spec) {
  if (spec.collects() == Collects::kBuckets) return static_cast<std::size_t>(spec.buckets);
  if (spec.collects() == Collects::kMoments && !is_local(spec)) {
    return private_moment_parts(row_of(spec.statistic).moment);
  }
  return 1;
}

Frozen freeze(const Spec& spec, std::span<const double> epsilons, const Collected& collected,
              const Workspace& space, BitSource& bits, Neighbours neighbours) {
  if (!is_additive(spec.statistic)) {
    throw std::invalid_argument("answers of this statistic are not values plus noise");
  }
  require_room(parts_of(spec) * kShortIntegerBytes);
  switch (spec.collects()) {
    case Collects::kValues:
      return with_values(spec, collected, [&](const auto& values) {
        return freeze_values(spec, epsilons, values, space, bits);
      });
    case Collects::kMoments:
      return freeze_moments(spec, collected, neighbours);
    case Collects::kBuckets:
      return freeze_histogram({collected.words, parts_of(spec)}, neighbours);
    default:
      return freeze_count(collected.count);
  }
}

Frozen freeze_to_compare(const Spec& spec, std::span<const double> epsilons,
                         const Collected& collected, const Workspace& space, BitSource& bits,
                         Neighbours neighbours) {
  if (spec.collects() != Collects::kValues || !is_local(spec) ||
      spread_of(spec) != SpreadKind::kNone) {
    return freeze(spec, epsilons, collected, space, bits, neighbours);
  }
  return with_values(spec, collected, [&](const auto& values) {
    return freeze_value(spec, epsilons, values, bits);
  });
}

void raise_to_floor(const Spec& spec, double floor, Frozen& frozen) {
  if (!(floor > 0) || !is_local(spec)) return;
  raise_to_floor(mpq_class(mpq_class(floor) * steps_in_unit(spec, frozen)), frozen);
}

Answer answer(const Spec& spec, const Frozen& frozen, std::span<const double> epsilons,
              std::span<const mpz_class> noise) {
  if (noise.size() != frozen.values.size()) {
    throw std::invalid_argument("a release needs a noise for each of its values");
  }
  require_epsilons(epsilons);
  require_room();
  if (frozen.kind == Frozen::Kind::kSuppressed) return Suppressed{};
  switch (spec.collects()) {
    case Collects::kValues:
      if (spread_of(spec) == SpreadKind::kTrimmedAverage) {
        return answer_trimmed_average(spec.grid, frozen, noise.front());
      }
      if (spec.grid.is_wide()) return answer_value<Key128>(spec, frozen, noise);
      return answer_value<Key64>(spec, frozen, noise);
    case Collects::kBuckets:
      return answer_histogram(frozen, noise);
    case Collects::kMoments:
      if (is_local(spec)) return answer_local_moments(moment_question(spec), frozen, noise.front());
      return answer_of(answer_private_moments(moment_question(spec), frozen, epsilons, noise));
    default:
      return answer_count(frozen, truncation(spec), noise.front());
  }
}

Answer answer_once(const Spec& spec, std::span<const double> epsilons, const Collected& collected,
                   const Workspace& space, BitSource& bits, Neighbours neighbours) {
  switch (spec.collects()) {
    case Collects::kValues:
      return with_values(spec, collected, [&](const auto& values) {
        return answer_values_once(spec, epsilons, values, space, bits, neighbours);
      });
    case Collects::kRows:
    case Collects::kDistinct:
      if (spec.mechanism() == Mechanism::kSelection) {
        return GroupSelection(spec.epsilon, spec.delta).keep(collected.count, bits);
      }
      return release_count(collected.count, truncation(spec), epsilons.front(), bits);
    default:
      return answer_drawn(spec, epsilons,
                          freeze(spec, epsilons, collected, space, bits, neighbours), space, bits);
  }
}

std::optional<ShortMoments> short_moments(const Spec& spec, Neighbours neighbours) {
  if (spec.collects() != Collects::kMoments || spec.groups != 1) return std::nullopt;
  return ShortMoments::of({moment_question(spec), is_local(spec), spec.epsilon, neighbours});
}

}  // namespace idp

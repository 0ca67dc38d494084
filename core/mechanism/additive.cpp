#include "core/mechanism/additive.h"

#include <stdexcept>

#include "core/grid/public_grid.h"
#include "core/mechanism/global_quantile.h"
#include "core/mechanism/order_statistic.h"
#include "core/mechanism/private_moments.h"
#include "core/mechanism/short_order_statistic.h"
#include "core/select/ranked_values.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

namespace {

template <class Key>
PublicGrid<Key> public_grid(const Spec& spec) {
  return {spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>()};
}

template <class Key>
Key answer_value(const Spec& spec, const Frozen& frozen, std::span<const mpz_class> noise) {
  const mpz_class one = noise.empty() ? mpz_class(0) : noise.front();
  return mechanism(spec.statistic) == Mechanism::kGlobal
             ? answer_global_quantile(public_grid<Key>(spec), frozen, one)
             : answer_order_statistic<Key>(spec.grid, frozen, one);
}

}  // namespace

bool is_additive(Statistic statistic) {
  switch (mechanism(statistic)) {
    case Mechanism::kLocal:
    case Mechanism::kTruncated:
    case Mechanism::kGlobal:
      return true;
    default:
      return false;
  }
}

std::size_t parts_of(const Spec& spec) {
  if (spec.collects() == Collects::kBuckets) return static_cast<std::size_t>(spec.k);
  if (spec.collects() == Collects::kMoments && mechanism(spec.statistic) == Mechanism::kGlobal) {
    return private_moment_parts(spec.statistic);
  }
  return 1;
}

template <class Key>
Frozen freeze_values(const Spec& spec, std::span<const double> epsilons, const Values<Key>& values,
                     std::pmr::memory_resource* memory, StopCheck stop, BitSource& bits) {
  if (mechanism(spec.statistic) == Mechanism::kGlobal) {
    const PublicGrid<Key> grid = public_grid<Key>(spec);
    const RankedValues<Key> data(values, grid, memory, stop);
    return freeze_global_quantile(data, rank_of(spec, data.size()), grid.lower(), grid.upper());
  }
  const auto around = neighbourhoods<Key>(spec, values);
  return freeze_order_statistic<Key>(spec.grid, around, epsilons, bits);
}

template <class Key>
Answer release_values(const Spec& spec, std::span<const double> epsilons, const Values<Key>& values,
                      std::pmr::memory_resource* memory, StopCheck stop, BitSource& bits) {
  Frozen frozen;
  if (mechanism(spec.statistic) == Mechanism::kLocal) {
    const auto around = neighbourhoods<Key>(spec, values);
    if (around.size() == 1 && epsilons.size() == 1) {
      const auto key = short_order_statistic<Key>(spec.grid, around[0], epsilons[0], bits);
      if (key) return *key;
    }
    frozen = freeze_order_statistic<Key>(spec.grid, around, epsilons, bits);
  } else {
    frozen = freeze_values<Key>(spec, epsilons, values, memory, stop, bits);
  }
  return answer(spec, frozen, draw_noise(frozen, epsilons, bits, stop));
}

Answer answer(const Spec& spec, const Frozen& frozen, std::span<const mpz_class> noise) {
  if (noise.size() != frozen.values.size()) {
    throw std::invalid_argument("a release needs a noise for each of its values");
  }
  if (frozen.kind == Frozen::Kind::kSuppressed) return Suppressed{};
  switch (spec.collects()) {
    case Collects::kValues:
      if (spec.grid.is_wide()) return answer_value<Key128>(spec, frozen, noise);
      return answer_value<Key64>(spec, frozen, noise);
    case Collects::kBuckets:
      return answer_histogram(frozen, noise);
    case Collects::kMoments:
      return answer_moments(spec, frozen, noise);
    default:
      return answer_count(spec, frozen, noise.front());
  }
}

template Answer release_values(const Spec&, std::span<const double>, const Values<Key64>&,
                               std::pmr::memory_resource*, StopCheck, BitSource&);
template Answer release_values(const Spec&, std::span<const double>, const Values<Key128>&,
                               std::pmr::memory_resource*, StopCheck, BitSource&);
template Frozen freeze_values(const Spec&, std::span<const double>, const Values<Key64>&,
                              std::pmr::memory_resource*, StopCheck, BitSource&);
template Frozen freeze_values(const Spec&, std::span<const double>, const Values<Key128>&,
                              std::pmr::memory_resource*, StopCheck, BitSource&);

}  // namespace idp

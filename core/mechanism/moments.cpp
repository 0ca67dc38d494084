#include "core/mechanism/moments.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/collect/moments.h"
#include "core/mechanism/private_moments.h"
#include "core/sensitivity/moments.h"

namespace idp {

Frozen freeze_moments(const Spec& spec, const std::uint64_t* words, std::int64_t count) {
  const MomentTotals totals = read_moments(spec, words, count);
  const StepBounds bounds = step_bounds(spec);
  if (mechanism(spec.statistic) != Mechanism::kLocal) {
    return freeze_private_moments(spec.statistic, totals, bounds);
  }
  const ResultGrid grid(spec);
  const LocalMoments moments = local_moments(spec.statistic, totals, bounds, spec.groups);
  Frozen frozen;
  frozen.kind = Frozen::Kind::kNoisy;
  const mpz_class& value = frozen.values.emplace_back(grid.units(moments.value));
  std::vector<mpq_class>& sensitivities = frozen.sensitivities.emplace_back();
  sensitivities.reserve(moments.extents.size());
  for (const Extent& extent : moments.extents) {
    sensitivities.emplace_back(
        std::max<mpz_class>(grid.units(extent.greatest) - value, value - grid.units(extent.least)));
  }
  return frozen;
}

Number answer_moments(const Spec& spec, const Frozen& frozen, std::span<const mpz_class> noise) {
  const ResultGrid grid(spec);
  if (mechanism(spec.statistic) == Mechanism::kLocal) {
    return grid.number(frozen.values.front() + noise.front());
  }
  std::vector<mpz_class> noisy(noise.size());
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] = frozen.values[i] + noise[i];
  return grid.number(grid.units(private_moment(spec.statistic, step_bounds(spec), noisy)));
}

}  // namespace idp

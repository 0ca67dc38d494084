#include "core/mechanism/moments.h"

#include <algorithm>

#include "core/mechanism/group.h"
#include "core/mechanism/private_moments.h"
#include "core/sensitivity/moments.h"

namespace idp {

LocalAnswer local_answer(const Spec& spec, const ResultGrid& grid, const MomentTotals& totals,
                         std::size_t distances) {
  const LocalMoments moments = local_moments(spec.statistic, totals, step_bounds(spec), distances);
  LocalAnswer answer{grid.units(moments.value), {}};
  for (const Extent& extent : moments.extents) {
    answer.sensitivities.push_back(std::max<mpz_class>(grid.units(extent.greatest) - answer.value,
                                                       answer.value - grid.units(extent.least)));
  }
  return answer;
}

Number release_moments(const Spec& spec, std::span<const double> epsilons,
                       const std::uint64_t* words, std::int64_t count, BitSource& bits) {
  const ResultGrid grid(spec);
  const MomentTotals totals = read_moments(spec, words, count);
  if (mechanism(spec.statistic) == Mechanism::kLocal) {
    const LocalAnswer answer = local_answer(spec, grid, totals, epsilons.size());
    return grid.number(answer.value + group_noise(epsilons, answer.sensitivities, bits));
  }
  return grid.number(grid.units(
      release_private_moments(spec.statistic, totals, step_bounds(spec), epsilons.front(), bits)));
}

}  // namespace idp

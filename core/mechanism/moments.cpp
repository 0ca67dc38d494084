#include "core/mechanism/moments.h"

#include <algorithm>
#include <vector>

#include "core/sensitivity/moments.h"

namespace idp {

Frozen freeze_local_moments(const MomentQuestion& question, const MomentTotals& totals,
                            std::size_t distances) {
  const StepBounds bounds = step_bounds(question.grid, question.lower, question.upper);
  const ResultGrid grid(question);
  const LocalMoments moments = local_moments(question.moment, totals, bounds, distances);
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

Number answer_local_moments(const MomentQuestion& question, const Frozen& frozen,
                            const mpz_class& noise) {
  return ResultGrid(question).number(frozen.values.front() + noise);
}

}  // namespace idp

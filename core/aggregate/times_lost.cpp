#include "core/aggregate/times_lost.h"

#include "core/mechanism/result_grid.h"
#include "core/sensitivity/moments.h"

namespace idp {

namespace {

bool is_bounded_sum(const Spec& spec) {
  return spec.collects() == Collects::kMoments && spec.mechanism() == Mechanism::kGlobal &&
         row_of(spec.statistic).moment == Moment::kSum;
}

StepBounds bounds_of_sum(const Spec& spec) {
  return step_bounds(spec.grid, spec.lower, spec.upper);
}

// Whether noise for substituted records is that of twice the change by one added or removed.
bool moves_half(const Spec& spec) {
  if (is_bounded_sum(spec)) {
    const StepBounds bounds = bounds_of_sum(spec);
    return 2 * sum_sensitivity(bounds, Neighbours::kAddRemove) <= sum_sensitivity(bounds);
  }
  return spec.collects() == Collects::kBuckets || spec.mechanism() == Mechanism::kPermuteAndFlip;
}

// Whether noise for records that are added or removed is less than that for substituted ones.
bool needs_less(const Spec& spec) {
  if (is_bounded_sum(spec)) {
    const StepBounds bounds = bounds_of_sum(spec);
    return sum_sensitivity(bounds, Neighbours::kAddRemove) < sum_sensitivity(bounds);
  }
  return moves_half(spec) || spec.mechanism() == Mechanism::kClipping;
}

}  // namespace

int times_lost(const Spec& spec, Neighbours drawn, Neighbours neighbours, bool grouped) {
  if (neighbours == Neighbours::kAddRemove) return 1;
  if (drawn == Neighbours::kAddRemove) return grouped || needs_less(spec) ? 2 : 1;
  return grouped && !moves_half(spec) ? 2 : 1;
}

Neighbours drawn_for(const Spec& spec, const Frozen& frozen) {
  if (!frozen.is_values() || !needs_less(spec)) return Neighbours::kSubstitute;
  const mpq_class& is = frozen.sensitivities.front().front();
  const mpq_class all = is_bounded_sum(spec) ? mpq_class(sum_sensitivity(bounds_of_sum(spec))) : 2;
  return is < all ? Neighbours::kAddRemove : Neighbours::kSubstitute;
}

}  // namespace idp

#include "core/mechanism/private_moments.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/mechanism/noisy_count.h"

namespace idp {

namespace {

mpq_class ratio(const mpz_class& numerator, const mpz_class& denominator) {
  mpq_class q(numerator, denominator);
  q.canonicalize();
  return q;
}

// Q, the sum of 2 (2t - W)^2 - W^2
mpz_class square_sum(const MomentTotals& totals, const mpz_class& width) {
  return 8 * (totals.squares - width * totals.sum) + totals.count * width * width;
}

mpq_class average(const StepBounds& bounds, const mpz_class& centred,
                  const mpz_class& noisy_count) {
  const mpz_class count = std::max<mpz_class>(noisy_count, 1);
  return bounds.lower + ratio(offset_of_average(centred, count, bounds.width()), 2 * count);
}

mpq_class variance(const mpz_class& width, const mpz_class& squares, const mpz_class& centred,
                   const mpz_class& noisy_count) {
  const mpz_class area = width * width;
  const mpz_class count = std::max<mpz_class>(noisy_count, 1);
  const mpq_class spread =
      ratio(count * (squares + count * area) - 2 * centred * centred, 8 * count * count);
  return std::clamp<mpq_class>(spread, 0, ratio(area, 4));
}

Frozen freeze_counted(std::vector<mpz_class> values, std::vector<mpq_class> sensitivities) {
  Frozen frozen = freeze_noisy(std::move(values), std::move(sensitivities));
  frozen.kind = Frozen::Kind::kCounted;
  return frozen;
}

bool is_supported(const Frozen& frozen, std::span<const double> epsilons,
                  const mpz_class& noisy_count) {
  if (frozen.kind != Frozen::Kind::kCounted) return true;
  const auto rate = rate_of(frozen, frozen.values.size() - 1, epsilons);
  return !rate || supports_answer(noisy_count, *rate);
}

}  // namespace

MomentSensitivities average_sensitivities(const mpz_class& width) {
  return {mpq_class(2 * width), 0, 2};
}

MomentSensitivities variance_sensitivities(const mpz_class& width) {
  return {ratio(25 * width, 8), ratio(25 * width * width, 8), ratio(25, 9)};
}

std::size_t private_moment_parts(Moment moment) {
  if (moment == Moment::kSum) return 1;
  return moment == Moment::kAverage ? 2 : 3;
}

Frozen freeze_private_moments(Moment moment, const MomentTotals& totals, const StepBounds& bounds,
                              Neighbours neighbours) {
  const mpz_class width = bounds.width();
  if (moment == Moment::kSum) {
    return freeze_noisy({mpz_class(totals.sum + totals.count * bounds.lower)},
                        {mpq_class(sum_sensitivity(bounds, neighbours))});
  }
  const mpz_class centred = centred_sum(totals.count, totals.sum, width);
  if (moment == Moment::kAverage) {
    const MomentSensitivities s = average_sensitivities(width);
    return freeze_counted({centred, totals.count}, {s.centred, s.count});
  }
  const MomentSensitivities s = variance_sensitivities(width);
  return freeze_counted({square_sum(totals, width), centred, totals.count},
                        {s.squares, s.centred, s.count});
}

mpq_class private_moment(Moment moment, const StepBounds& bounds,
                         std::span<const mpz_class> noisy) {
  switch (moment) {
    case Moment::kSum:
      return noisy[0];
    case Moment::kAverage:
      return average(bounds, noisy[0], noisy[1]);
    default:
      return variance(bounds.width(), noisy[0], noisy[1], noisy[2]);
  }
}

std::optional<Number> answer_private_moments(const MomentQuestion& question, const Frozen& frozen,
                                             std::span<const double> epsilons,
                                             std::span<const mpz_class> noise,
                                             const mpz_class& clamped) {
  const ResultGrid grid(question);
  const StepBounds bounds = step_bounds(question.grid, question.lower, question.upper);
  std::vector<mpz_class> noisy(noise.size());
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] = frozen.values[i] + noise[i];
  if (!is_supported(frozen, epsilons, noisy.back() - clamped)) return std::nullopt;
  return grid.number(grid.units(private_moment(question.moment, bounds, noisy)));
}

}  // namespace idp

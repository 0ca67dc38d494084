#include "core/mechanism/short_moments.h"

#include <algorithm>
#include <array>

#include "core/collect/moments.h"
#include "core/grid/room.h"
#include "core/mechanism/noisy_count.h"
#include "core/mechanism/private_moments.h"
#include "core/random/short_geometric.h"
#include "core/sensitivity/moments.h"

namespace idp {

namespace {

constexpr std::int64_t kMostCount = std::int64_t{1} << 54;
constexpr int kCountSensitivity = 2;  // of an average: average_sensitivities()

Int128 floor_ratio(Int128 numerator, Int128 denominator) {
  const Int128 q = numerator / denominator;
  return q - (numerator % denominator < 0);
}

mpz_class long_noise(const ShortDraw& drawn) {
  return drawn.beyond ? *drawn.beyond : mpz_from(drawn.value);
}

}  // namespace

struct ShortMoments::Totals {
  std::int64_t count;
  Int128 offsets;   // sum of t
  Int128 smallest;  // t_1 and t_n, if they are kept and count > 0
  Int128 largest;

  // False if they are too long.
  bool read(const MomentLayout& layout, const std::uint64_t* words, std::int64_t rows) {
    if (rows < 0 || rows >= kMostCount || words[0] != 0 || words[1] >> 62 != 0) return false;
    const auto two_words = [&](std::size_t at) {
      return static_cast<Int128>(static_cast<Uint128>(words[at]) << 64 | words[at + 1]);
    };
    count = rows;
    offsets = two_words(1);
    smallest = layout.ends > 0 ? two_words(layout.smallest()) : 0;
    largest = layout.ends > 0 ? two_words(layout.largest()) : 0;
    return true;
  }
};

std::optional<ShortMoments> ShortMoments::of(const ShortQuestion& asked) {
  const MomentQuestion& question = asked.question;
  if (needs_squares(question.moment) || question.grid.is_wide()) return std::nullopt;
  const StepBounds bounds = step_bounds(question.grid, question.lower, question.upper);
  const ResultGrid grid(question);
  const mpz_class in_a_step = grid.units(1);
  if (!bounds.lower.fits_slong_p() || !bounds.upper.fits_slong_p() || !in_a_step.fits_slong_p()) {
    return std::nullopt;
  }
  ShortMoments moments;
  moments.asked_ = asked;
  moments.lower_ = bounds.lower.get_si();
  moments.upper_ = bounds.upper.get_si();
  moments.in_a_step_ = in_a_step.get_si();
  const Number one = grid.number(1);
  moments.decimal_ = one.decimal;
  moments.scale_ = one.scale;
  if (!asked.is_local && question.moment == Moment::kAverage) {
    const mpz_class ample = ample_count(Rate::of(asked.epsilon, kCountSensitivity));
    moments.ample_ = ample < kMostCount ? ample.get_si() : kMostCount;
  }
  return moments;
}

// Small counts are left to the long integers: most are far from where that has to be decided.
bool ShortMoments::supports(Int128 noisy_count) const {
  if (noisy_count >= ample_) return true;
  if (noisy_count < 1) return false;
  require_room();
  return supports_answer(mpz_from(noisy_count), Rate::of(asked_.epsilon, kCountSensitivity));
}

Int128 ShortMoments::units(Int128 numerator, std::int64_t denominator) const {
  if (denominator == 1) return numerator * in_a_step_;
  const Int128 whole = floor_ratio(numerator, denominator);
  const Int128 rest = numerator - whole * denominator;
  return whole * in_a_step_ + rest * in_a_step_ / denominator;
}

MaybeShort ShortMoments::with_noise(Int128 value, Int128 sensitivity, BitSource& bits) const {
  if (sensitivity == 0) return number(value);
  const auto rate = ShortRate::of(asked_.epsilon, static_cast<Uint128>(sensitivity));
  if (!rate) return {};
  const ShortDraw noise = short_discrete_laplace(*rate, bits);
  Int128 noisy;
  if (noise.beyond || __builtin_add_overflow(value, noise.value, &noisy)) {
    return Number{mpz_from(value) + long_noise(noise), decimal_, scale_};
  }
  return number(noisy);
}

// freeze_local_moments() at distance 1
MaybeShort ShortMoments::local(const Totals& totals, BitSource& bits) const {
  LinearMoment<Int128> moment(asked_.question.moment, totals.count, totals.offsets, bounds());
  if (totals.count > 0) {
    moment.widen(totals.smallest, totals.largest);
  } else {
    moment.widen();
  }
  const auto denominator = static_cast<std::int64_t>(moment.denominator());
  const Int128 value = units(moment.value(), denominator);
  const Int128 sensitivity = std::max(units(moment.greatest(), denominator) - value,
                                      value - units(moment.least(), denominator));
  return with_noise(value, sensitivity, bits);
}

MaybeShort ShortMoments::private_sum(const Totals& totals, BitSource& bits) const {
  return with_noise(totals.offsets + totals.count * bounds().lower,
                    sum_sensitivity(bounds(), asked_.neighbours), bits);
}

// freeze_private_moments() and private_moment() of the average
MaybeShort ShortMoments::private_average(const Totals& totals, const std::uint64_t* words,
                                         BitSource& bits) const {
  const Int128 width = bounds().width();
  const Int128 centred = centred_sum<Int128>(totals.count, totals.offsets, width);
  // where the width is 0, so is the sum, and no noise is drawn for it
  const auto centred_rate =
      ShortRate::of(asked_.epsilon, static_cast<Uint128>(width == 0 ? 1 : 2 * width));
  const auto count_rate = ShortRate::of(asked_.epsilon, kCountSensitivity);
  if (!centred_rate || !count_rate) return {};
  const ShortDraw centred_noise =
      width == 0 ? ShortDraw{} : short_discrete_laplace(*centred_rate, bits);
  const ShortDraw count_noise = short_discrete_laplace(*count_rate, bits);
  Int128 noisy = 0, count = 0;
  const bool is_short = !centred_noise.beyond && !count_noise.beyond &&
                        !__builtin_add_overflow(centred, centred_noise.value, &noisy) &&
                        !__builtin_add_overflow(totals.count, count_noise.value, &count) &&
                        count < kMostCount && noisy < Int128{1} << 120 &&
                        noisy > -(Int128{1} << 120);
  if (!is_short) {
    const std::array<mpz_class, 2> noise{long_noise(centred_noise), long_noise(count_noise)};
    const MomentQuestion& question = asked_.question;
    const Frozen frozen =
        freeze_private_moments(question.moment, read_moments(layout(), words, totals.count),
                               step_bounds(question.grid, question.lower, question.upper));
    const auto number = answer_private_moments(question, frozen, {&asked_.epsilon, 1}, noise);
    return number ? MaybeShort(*number) : MaybeShort(Suppressed{});
  }
  if (!supports(count)) return Suppressed{};
  const auto rows = static_cast<std::int64_t>(count);
  const Int128 offset = offset_of_average<Int128>(noisy, rows, width);
  return number(static_cast<Int128>(lower_) * in_a_step_ + units(offset, 2 * rows));
}

MaybeShort ShortMoments::release(const std::uint64_t* words, std::int64_t count,
                                 BitSource& bits) const {
  Totals totals;
  if (!totals.read(layout(), words, count)) return {};
  if (asked_.is_local) return local(totals, bits);
  return asked_.question.moment == Moment::kSum ? private_sum(totals, bits)
                                                : private_average(totals, words, bits);
}

}  // namespace idp

#include "core/aggregate/loss.h"

#include <mpfr.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/mechanism/group_selection.h"

namespace idp {

namespace {

constexpr PairLoss kUnbounded{std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity(), 0};

// a/b, rounded to the nearest double.
double ratio(const mpz_class& a, const mpz_class& b) {
  mpq_class v(a, b);
  v.canonicalize();
  mpfr_t rounded;
  mpfr_init2(rounded, 53);
  mpfr_set_q(rounded, v.get_mpq_t(), MPFR_RNDN);
  const double nearest = mpfr_get_d(rounded, MPFR_RNDN);
  mpfr_clear(rounded);
  return nearest;
}

mpz_class times_power_of_two(const mpz_class& v, long exponent) {
  mpz_class product;
  mpz_mul_2exp(product.get_mpz_t(), v.get_mpz_t(), static_cast<unsigned long>(exponent));
  return product;
}

// The value on the grid that drops so many bits more; less if that is negative.
mpz_class coarsen(const mpz_class& v, long bits) {
  if (bits < 0) return times_power_of_two(v, -bits);
  mpz_class floor;
  mpz_fdiv_q_2exp(floor.get_mpz_t(), v.get_mpz_t(), static_cast<unsigned long>(bits));
  return floor;
}

// |a - b| in steps of the grid of a. A value on a grid that drops no bits is exact. Otherwise a
// step of the grid of b may be many of these: then b is taken to be the nearest of them to a.
mpz_class distance(const mpz_class& a, long dropped_a, const mpz_class& b, long dropped_b) {
  if (dropped_b <= std::max(dropped_a, 0L)) return abs(a - coarsen(b, dropped_a - dropped_b));
  const mpz_class first = times_power_of_two(b, dropped_b - dropped_a);
  const mpz_class last = times_power_of_two(b + 1, dropped_b - dropped_a) - 1;
  if (a < first) return first - a;
  return a > last ? mpz_class(a - last) : mpz_class(0);
}

bool is_individual(const Spec& spec) {
  return row_of(spec.statistic).guarantee == Guarantee::kIndividual;
}

// --- the exponential mechanism ---

// How often the value comes among ascending keys, from that place on.
std::int64_t times_of(const Key128& value, std::span<const Key128> keys, std::size_t place) {
  std::int64_t times = 0;
  while (place < keys.size() && keys[place] == value) ++place, ++times;
  return times;
}

std::int64_t steps_to(std::int64_t below, std::int64_t at_most, const RankedKeys& data) {
  if (data.keys.empty()) return 0;
  return std::max({std::int64_t{0}, below - data.rank + 1, data.rank - at_most});
}

Key128 next(Key128 y) { return key128(int128(y) + 1); }

// --- the decision about a group ---

constexpr unsigned long kPrecision = 1024;

// ceil(e^x 2^kPrecision)
mpz_class exp_above(const mpq_class& x) {
  mpfr_t power;
  mpfr_init2(power, 2 * kPrecision);
  mpfr_set_q(power, x.get_mpq_t(), MPFR_RNDU);
  mpfr_exp(power, power, MPFR_RNDU);
  mpfr_mul_2ui(power, power, kPrecision, MPFR_RNDU);
  mpz_class scaled;
  mpfr_get_z(scaled.get_mpz_t(), power, MPFR_RNDU);
  mpfr_clear(power);
  return scaled;
}

}  // namespace

PairLoss loss_between(const Spec& spec, std::span<const double> epsilons, const Frozen& of_data,
                      const Frozen& of_other) {
  const bool is_local = is_individual(spec);
  // What is not answered of D is not answered of a neighbour by the mechanism of D; and of a
  // neighbour without a value D has no other than those that its noise covers.
  if (is_local &&
      (of_data.kind == Frozen::Kind::kSuppressed || of_other.kind == Frozen::Kind::kSuppressed)) {
    return {};
  }
  if (of_data.kind != of_other.kind) return kUnbounded;
  if (!of_data.is_values()) return of_data.infinity == of_other.infinity ? PairLoss{} : kUnbounded;
  if (of_data.values.size() != of_other.values.size()) return kUnbounded;
  if (!is_local && of_data.sensitivities != of_other.sensitivities) return kUnbounded;
  PairLoss found;
  for (std::size_t i = 0; i < of_data.values.size(); ++i) {
    const mpz_class moved =
        distance(of_data.values[i], of_data.dropped, of_other.values[i], of_other.dropped);
    if (moved == 0) continue;
    const auto rate = rate_of(of_data, i, epsilons);
    if (!rate) return kUnbounded;
    found.loss += ratio(rate->numerator * moved, rate->denominator);
    const mpq_class& sensitivity = of_data.sensitivities_of(i).front();
    found.moved += ratio(moved * sensitivity.get_den(), sensitivity.get_num());
  }
  return found;
}

// Both counts are constant between two values. Only a y within the bounds can be drawn.
PairLoss loss_between(const Spec& spec, const RankedKeys& of_data, const RankedKeys& of_other) {
  // Of those that are left; above all that can be drawn if none is.
  const auto smallest = [&](std::size_t a, std::size_t b) {
    Key128 least = a < of_data.keys.size() ? of_data.keys[a] : next(spec.upper);
    if (b < of_other.keys.size()) least = std::min(least, of_other.keys[b]);
    return least;
  };
  std::size_t a = 0, b = 0;
  std::int64_t most = 0;
  if (smallest(0, 0) > spec.lower) {  // at the lower bound
    most = std::abs(steps_to(0, 0, of_data) - steps_to(0, 0, of_other));
  }
  while (a < of_data.keys.size() || b < of_other.keys.size()) {
    const Key128 y = smallest(a, b);
    const auto below_a = static_cast<std::int64_t>(a), below_b = static_cast<std::int64_t>(b);
    const std::int64_t to_a = below_a + times_of(y, of_data.keys, a);
    const std::int64_t to_b = below_b + times_of(y, of_other.keys, b);
    most = std::max(most, std::abs(steps_to(below_a, to_a, of_data) -
                                   steps_to(below_b, to_b, of_other)));  // at y
    a = static_cast<std::size_t>(to_a);
    b = static_cast<std::size_t>(to_b);
    if (y == spec.upper || smallest(a, b) == next(y)) continue;
    most = std::max(most, std::abs(steps_to(to_a, to_a, of_data) -
                                   steps_to(to_b, to_b, of_other)));  // just above
  }
  const auto moved = static_cast<double>(most);
  return {moved, spec.epsilon * moved, 0};
}

PairLoss loss_between(double epsilon, double delta, std::int64_t rows, std::int64_t other_rows) {
  const std::int64_t moved = std::abs(rows - other_rows);
  if (moved == 0) return {};
  const GroupSelection selection(epsilon, delta);
  const mpz_class one = mpz_class(1) << kPrecision;
  const mpz_class factor = exp_above(mpq_class(epsilon) * mpz_class(static_cast<long>(moved)));
  const Enclosure kept = selection.probability(rows, kPrecision);
  const Enclosure other = selection.probability(other_rows, kPrecision);
  // what is left of a probability, of at least `low`, over e^loss times another, of at most `high`
  const auto left = [&](const mpz_class& low, const mpz_class& high) {
    const mpz_class covered = ((factor * high) >> kPrecision) + 1;
    return mpz_class(low - covered);
  };
  const mpz_class most =
      std::max({mpz_class(0), left(kept.low, other.high), left(other.low, kept.high),
                left(one - kept.high, one - other.low), left(one - other.high, one - kept.low)});
  const auto steps = static_cast<double>(moved);
  return {steps, epsilon * steps, ratio(most, one)};
}

}  // namespace idp

#include "core/mechanism/group_selection.h"

#include <mpfr.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace idp {

namespace {

// Numbers >= 0 in units of 2^-precision, enclosed.
class Fixed {
 public:
  explicit Fixed(unsigned long precision) : precision_(precision) {}

  Enclosure number(const mpq_class& v) const {
    const mpz_class scaled = v.get_num() << precision_;
    Enclosure e;
    mpz_fdiv_q(e.low.get_mpz_t(), scaled.get_mpz_t(), v.get_den_mpz_t());
    mpz_cdiv_q(e.high.get_mpz_t(), scaled.get_mpz_t(), v.get_den_mpz_t());
    return e;
  }
  // exp(-v)
  Enclosure exp_minus(const mpq_class& v) const {
    return enclose_exp(v.get_num(), v.get_den(), precision_);
  }
  Enclosure plus(const Enclosure& a, const Enclosure& b) const {
    return {a.low + b.low, a.high + b.high};
  }
  // of a difference that is not below 0
  Enclosure minus(const Enclosure& a, const Enclosure& b) const {
    return {std::max<mpz_class>(a.low - b.high, 0), std::max<mpz_class>(a.high - b.low, 0)};
  }
  Enclosure times(const Enclosure& a, const Enclosure& b) const {
    return multiply(a, b, precision_);
  }
  // Of positive numbers; b.low > 0.
  Enclosure over(const Enclosure& a, const Enclosure& b) const {
    const mpz_class low = a.low << precision_, high = a.high << precision_;
    Enclosure q;
    mpz_fdiv_q(q.low.get_mpz_t(), low.get_mpz_t(), b.high.get_mpz_t());
    mpz_cdiv_q(q.high.get_mpz_t(), high.get_mpz_t(), b.low.get_mpz_t());
    return q;
  }
  mpz_class one() const { return mpz_class(1) << precision_; }

 private:
  unsigned long precision_;
};

// ln(v/2^precision), rounded as asked, times 2^precision; v >= 2^precision.
mpz_class log_of(const mpz_class& v, unsigned long precision, mpfr_rnd_t rounding) {
  const auto working = static_cast<mpfr_prec_t>(mpz_sizeinbase(v.get_mpz_t(), 2) + 64);
  mpfr_t x;
  mpfr_init2(x, working);
  mpfr_set_z(x, v.get_mpz_t(), rounding);
  mpfr_div_2ui(x, x, precision, rounding);
  mpfr_log(x, x, rounding);
  mpfr_mul_2ui(x, x, precision, rounding);
  mpz_class scaled;
  mpfr_get_z(scaled.get_mpz_t(), x, rounding);
  mpfr_clear(x);
  return scaled;
}

// floor(ln(1 + (1 - delta)(1 - y)/(delta (1 + y)))/epsilon) + 1
mpz_class find_bend(const mpq_class& epsilon, const mpq_class& delta) {
  for (unsigned long precision = 128;; precision *= 2) {
    const Fixed fixed(precision);
    const Enclosure one = fixed.number(1), y = fixed.exp_minus(epsilon);
    const Enclosure tanh = fixed.over(fixed.minus(one, y), fixed.plus(one, y));
    const Enclosure inside =
        fixed.plus(one, fixed.times(fixed.number(mpq_class((1 - delta) / delta)), tanh));
    const auto steps = [&](const mpz_class& log) {
      mpz_class count;
      const mpz_class numerator = log * epsilon.get_den();
      const mpz_class denominator = epsilon.get_num() << precision;
      mpz_fdiv_q(count.get_mpz_t(), numerator.get_mpz_t(), denominator.get_mpz_t());
      return count;
    };
    const mpz_class least = steps(log_of(inside.low, precision, MPFR_RNDD));
    if (least == steps(log_of(inside.high, precision, MPFR_RNDU))) return least + 1;
  }
}

}  // namespace

GroupSelection::GroupSelection(double epsilon, double delta) : epsilon_(epsilon), delta_(delta) {
  if (!(epsilon > 0 && delta > 0 && delta < 1)) {
    throw std::invalid_argument("epsilon must be positive, and delta between 0 and 1");
  }
  bend_ = find_bend(epsilon_, delta_);
}

Enclosure GroupSelection::probability(std::int64_t count, unsigned long precision) const {
  const Fixed fixed(precision);
  if (count <= 0) return {0, 0};
  const Enclosure one = fixed.number(1), delta = fixed.number(delta_);
  const Enclosure nothing_known{0, fixed.one()};
  const Enclosure y = fixed.exp_minus(epsilon_);
  const Enclosure rest = fixed.minus(one, y);  // 1 - y
  if (rest.low == 0) return nothing_known;     // epsilon is below what the precision shows
  const mpz_class n(static_cast<long>(count)), first = std::min(n, bend_);
  const Enclosure before = fixed.exp_minus(epsilon_ * (first - 1));
  if (before.low == 0) return nothing_known;
  // pi(first) = delta x^(first - 1) (1 - y^first)/(1 - y)
  Enclosure pi = fixed.over(fixed.times(delta, fixed.minus(one, fixed.exp_minus(epsilon_ * first))),
                            fixed.times(before, rest));
  if (n > bend_) {
    const Enclosure z = fixed.exp_minus(epsilon_ * (n - bend_));
    const Enclosure limit = fixed.plus(one, fixed.over(fixed.times(delta, y), rest));
    pi = fixed.plus(fixed.times(fixed.minus(one, z), limit), fixed.times(z, pi));
  }
  return {std::min(pi.low, one.low), std::min(pi.high, one.high)};
}

bool GroupSelection::keep(std::int64_t count, BitSource& bits) const {
  if (count <= 0) return false;
  const auto weights = [&](unsigned long precision) {
    const Enclosure kept = probability(count, precision);
    const mpz_class one = mpz_class(1) << precision;
    return std::vector<Enclosure>{kept, {one - kept.high, one - kept.low}};
  };
  return choose_weighted(weights, bits) == 0;
}

namespace {

// The last count whose group is not certain to be kept. Nothing if that is not found: there is none
// that counts, or it lies too near to one.
std::optional<std::int64_t> last_uncertain(const GroupSelection& selection,
                                           unsigned long precision) {
  const mpz_class one = mpz_class(1) << precision;
  std::int64_t below = 0, beyond = std::int64_t{1} << 62;
  if (selection.probability(beyond, precision).low < one) return std::nullopt;
  while (beyond - below > 1) {
    const std::int64_t middle = below + (beyond - below) / 2;
    const Enclosure pi = selection.probability(middle, precision);
    if (pi.low < one && pi.high >= one) return std::nullopt;
    (pi.low >= one ? beyond : below) = middle;
  }
  return below;
}

}  // namespace

mpq_class GroupSelection::delta_of_move() const {
  const mpq_class most = delta_ * (2 - delta_);
  constexpr unsigned long kPrecision = 256;  // a delta has at least 1e-30
  const Fixed fixed(kPrecision);
  const Enclosure one = fixed.number(1), delta = fixed.number(delta_);
  const Enclosure y = fixed.exp_minus(epsilon_);
  const auto last = last_uncertain(*this, kPrecision);
  if (!last || y.low == 0 || y.high > fixed.minus(one, delta).low) return most;
  const auto kept = [&](const mpz_class& n) { return probability(n.get_si(), kPrecision); };
  const auto dropped = [&](const mpz_class& n) { return fixed.minus(one, kept(n)); };
  const Enclosure squared = fixed.times(y, y);
  if (squared.low == 0) return most;  // epsilon is above what the precision shows

  // R x (x - 1) = R (1 - y)/y^2
  const Enclosure rest = dropped(*last);
  const Enclosure grown = fixed.over(fixed.times(rest, fixed.minus(one, y)), squared);
  const mpz_class r = std::max(rest.high, fixed.minus(delta, grown).high);

  mpz_class greatest = delta.high + r;
  for (const mpz_class& n : {bend_, mpz_class(bend_ + 1)}) {
    for (const mpz_class& k : {mpz_class(bend_ - 1), bend_}) {
      const Enclosure before = fixed.times(kept(n), dropped(k));
      const Enclosure after = fixed.times(kept(n - 1), dropped(k + 1));
      greatest = std::max(greatest, fixed.minus(before, fixed.over(after, squared)).high);
    }
  }
  mpq_class bound(greatest, fixed.one());
  bound.canonicalize();
  return std::min(most, bound);
}

}  // namespace idp

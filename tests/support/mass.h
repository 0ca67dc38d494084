// A real number enclosed by two multiples of 2^-256, for exact laws. Every operation rounds
// outwards, so what is computed from enclosures encloses what would be computed from the numbers.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>

namespace idp::test {

class Mass {
 public:
  static constexpr unsigned long kPlaces = 256;

  Mass() = default;
  Mass(long v) : low_(mpz_class(v) << kPlaces), high_(low_) {}  // NOLINT: a number is a number
  explicit Mass(const mpq_class& v) {
    const mpz_class numerator = v.get_num() << kPlaces;
    mpz_fdiv_q(low_.get_mpz_t(), numerator.get_mpz_t(), v.get_den_mpz_t());
    mpz_cdiv_q(high_.get_mpz_t(), numerator.get_mpz_t(), v.get_den_mpz_t());
  }
  static Mass between(const Mass& low, const Mass& high) { return {low.low_, high.high_}; }

  mpq_class low() const { return quotient(low_); }
  mpq_class high() const { return quotient(high_); }
  const mpz_class& low_places() const { return low_; }
  const mpz_class& high_places() const { return high_; }

  bool operator==(const Mass&) const = default;
  bool meets(const Mass& other) const { return low_ <= other.high_ && other.low_ <= high_; }
  bool surely_below(const Mass& other) const { return high_ < other.low_; }

  friend Mass operator+(const Mass& a, const Mass& b) {
    return {a.low_ + b.low_, a.high_ + b.high_};
  }
  friend Mass operator-(const Mass& a, const Mass& b) {
    return {a.low_ - b.high_, a.high_ - b.low_};
  }
  friend Mass operator*(const Mass& a, const Mass& b) {
    if (a.low_ >= 0 && b.low_ >= 0) return shifted(a.low_ * b.low_, a.high_ * b.high_);
    const mpz_class p[] = {a.low_ * b.low_, a.low_ * b.high_, a.high_ * b.low_, a.high_ * b.high_};
    return shifted(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
  }
  friend Mass operator/(const Mass& a, const Mass& b) {
    if (b.low_ <= 0) throw std::domain_error("division by what may not be positive");
    const mpz_class low = a.low_ << kPlaces, high = a.high_ << kPlaces;
    Mass q;
    mpz_fdiv_q(q.low_.get_mpz_t(), low.get_mpz_t(), (low < 0 ? b.low_ : b.high_).get_mpz_t());
    mpz_cdiv_q(q.high_.get_mpz_t(), high.get_mpz_t(), (high < 0 ? b.high_ : b.low_).get_mpz_t());
    return q;
  }
  Mass& operator+=(const Mass& other) { return *this = *this + other; }

  friend std::ostream& operator<<(std::ostream& out, const Mass& m) {
    return out << '[' << m.low().get_d() << ", " << m.high().get_d() << ']';
  }

  // exp(-v), v >= 0
  static Mass exp_minus(const mpq_class& v) {
    Mass e;
    e.low_ = exp_minus(v, MPFR_RNDU, MPFR_RNDD);
    e.high_ = exp_minus(v, MPFR_RNDD, MPFR_RNDU);
    return e;
  }

 private:
  Mass(mpz_class low, mpz_class high) : low_(std::move(low)), high_(std::move(high)) {}

  static mpq_class quotient(const mpz_class& places) {
    mpq_class q(places, mpz_class(1) << kPlaces);
    q.canonicalize();
    return q;
  }
  static Mass shifted(const mpz_class& low, const mpz_class& high) {
    Mass m;
    mpz_fdiv_q_2exp(m.low_.get_mpz_t(), low.get_mpz_t(), kPlaces);
    mpz_cdiv_q_2exp(m.high_.get_mpz_t(), high.get_mpz_t(), kPlaces);
    return m;
  }
  static mpz_class exp_minus(const mpq_class& v, mpfr_rnd_t of_v, mpfr_rnd_t of_exp) {
    mpfr_t x;
    mpfr_init2(x, 2 * kPlaces);
    mpfr_set_q(x, v.get_mpq_t(), of_v);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_exp(x, x, of_exp);
    mpfr_mul_2ui(x, x, kPlaces, of_exp);
    mpz_class places;
    mpfr_get_z(places.get_mpz_t(), x, of_exp);
    mpfr_clear(x);
    return places;
  }

  mpz_class low_, high_;
};

inline Mass power(const Mass& base, long exponent) {
  Mass result = 1;
  for (Mass square = base; exponent > 0; exponent /= 2, square = square * square) {
    if (exponent % 2 == 1) result = result * square;
  }
  return result;
}

}  // namespace idp::test

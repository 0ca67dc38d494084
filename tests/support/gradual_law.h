// The laws of gradual release in closed form. Shares no code with the library.
//
// Number is a rational, for identities that must hold exactly, or a long double.
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace idp::test {

inline mpq_class power(const mpq_class& base, long exponent) {
  mpq_class result;
  mpz_pow_ui(result.get_num_mpz_t(), base.get_num_mpz_t(), static_cast<unsigned long>(exponent));
  mpz_pow_ui(result.get_den_mpz_t(), base.get_den_mpz_t(), static_cast<unsigned long>(exponent));
  return result;
}
inline long double power(long double base, long exponent) {
  return std::pow(base, static_cast<long double>(exponent));
}

// A ratio q = exp(-epsilon/Delta), with 1 - q free of cancellation.
template <class Number>
struct Ratio {
  Number q;
  Number rest;  // 1 - q

  // (1 - q)/(1 + q) q^|i|
  Number laplace(long i) const { return rest / (1 + q) * power(q, std::labs(i)); }
  // (1 - q) q^g
  Number geometric(long g) const { return g < 0 ? Number(0) : Number(rest * power(q, g)); }
  // Var DL(q)
  Number variance() const { return 2 * q / (rest * rest); }
};

inline Ratio<long double> ratio_of(long double lambda) {
  return {std::exp(-lambda), -std::expm1(-lambda)};
}
inline Ratio<mpq_class> ratio_of(const mpq_class& q) { return {q, 1 - q}; }

// Two levels, coarse and fine.
template <class Number>
struct Step {
  Ratio<Number> coarse, fine;
  Ratio<Number> gap;  // fine/coarse

  // Pr[V_coarse = V_fine by laziness]
  Number lazy() const {
    const Number u = coarse.rest / fine.rest;
    return gap.q * u * u;
  }
  // Pr[V_coarse - V_fine = b]
  Number tighten(long b) const {
    const Number moved = (1 - lazy()) * coarse.laplace(b);
    return b == 0 ? Number(lazy() + moved) : moved;
  }
  // Pr[V_fine < 0 | V_coarse >= 0]
  Number below() const { return fine.q * coarse.q * gap.rest / (fine.rest * (1 + fine.q)); }
  Number stay_at_zero() const {
    return (1 - 2 * coarse.q * fine.q + fine.q * fine.q) / (fine.rest * (1 + fine.q));
  }
  // Pr[V_fine = y | V_coarse = x]
  Number relax(long x, long y) const {
    if (x < 0) return relax(-x, -y);
    const Ratio<Number> both{coarse.q * fine.q, 1 - coarse.q * fine.q};
    if (y == x) return power(gap.q, x) * stay_at_zero();
    if (y < 0) return below() * both.geometric(-y - 1);
    if (y > x) return power(gap.q, x) * below() * both.geometric(y - x - 1);
    return (1 - below()) * gap.geometric(y);  // (1 - r^x)(1 - p) spread over r^y, y < x
  }
};

inline Step<long double> step_of(long double coarse, long double fine) {
  return {ratio_of(coarse), ratio_of(fine), ratio_of(fine - coarse)};
}
inline Step<mpq_class> step_of(const mpq_class& coarse, const mpq_class& fine) {
  return {ratio_of(coarse), ratio_of(fine), ratio_of(mpq_class(fine / coarse))};
}

// Three levels. Pr[V = v | V_a = x, V_b = y] by Bayes.
template <class Number>
struct Between {
  Step<Number> upper, lower, whole;  // a to the middle, the middle to b, a to b

  Number operator()(long x, long y, long v) const {
    return upper.tighten(x - v) * lower.tighten(v - y) / whole.tighten(x - y);
  }
};

template <class Number>
Between<Number> between_of(const Number& a, const Number& middle, const Number& b) {
  return {step_of(a, middle), step_of(middle, b), step_of(a, b)};
}

}  // namespace idp::test

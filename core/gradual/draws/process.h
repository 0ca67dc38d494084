// The steps of core/gradual/process.h over any source (core/random/draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/gradual/process.h"
#include "core/random/bernoulli.h"
#include "core/random/weighted_choice.h"

namespace idp::draws {

inline constexpr int kTries = 8;

// exp(-difference) = q_fine/q_coarse
inline Rate difference(const Rate& coarse, const Rate& fine) {
  Rate rate;
  if (coarse.denominator == fine.denominator) {
    rate = {fine.numerator - coarse.numerator, fine.denominator};
  } else {
    mpz_lcm(rate.denominator.get_mpz_t(), coarse.denominator.get_mpz_t(),
            fine.denominator.get_mpz_t());
    rate.numerator = fine.numerator * (rate.denominator / fine.denominator) -
                     coarse.numerator * (rate.denominator / coarse.denominator);
  }
  if (rate.numerator <= 0) throw std::invalid_argument("levels must ascend from coarse to fine");
  return rate;
}

// exp(-twice) = q^2
inline Rate twice(const Rate& rate) { return {2 * rate.numerator, rate.denominator}; }

// geometric(), drawn for the time it takes where it does not matter; then anything may come out.
template <class Source>
mpz_class steady_geometric(const Rate& rate, [[maybe_unused]] bool matters, Source& source) {
  return geometric(rate, source);
}

// (N - M)^+ for N ~ Geo(exp(-one)), M ~ Geo(exp(-other))
template <class Source>
mpz_class excess(const Rate& one, const Rate& other, bool matters, Source& source) {
  mpz_class n = steady_geometric(one, matters, source);
  n -= steady_geometric(other, matters && n != 0, source);
  if (n < 0) n = 0;
  return n;
}

// Whether E = E' > 0 rather than 0, given that E = E': odds (q_coarse - q_fine)^2 to 1 -
// q_coarse^2.
template <class Source>
bool moved_and_met(const Rate& coarse, const Rate& fine, Source& source) {
  const auto odds = [&](unsigned long precision) {
    const auto power = [&](const Rate& rate) {
      return enclose_exp(rate.numerator, rate.denominator, precision);
    };
    const mpz_class one = mpz_class(1) << precision;
    const Enclosure square = power(twice(coarse)), q_coarse = power(coarse), q_fine = power(fine);
    const Enclosure gap{std::max<mpz_class>(0, q_coarse.low - q_fine.high),
                        q_coarse.high - q_fine.low};
    return std::vector<Enclosure>{{std::max<mpz_class>(0, one - square.high), one - square.low},
                                  multiply(gap, gap, precision)};
  };
  return choose_weighted(odds, source) == 1;
}

// The smaller of E and E' given their distance.
template <class Source>
mpz_class smaller_increment(const mpz_class& distance, const Rate& coarse, const Rate& fine,
                            Source& source) {
  const Rate gap = difference(coarse, fine);
  for (int tries = 0; distance != 0 || tries < kTries; ++tries) {
    const mpz_class j = excess(coarse, gap, true, source);
    const bool rejected = distance == 0 && bernoulli_exp(gap.numerator, gap.denominator, source);
    const bool kept = bernoulli_exp(j * coarse.numerator, coarse.denominator, source);
    if (j == 0 || (kept && !rejected)) return j;
  }
  // What was not kept says nothing about what will be: any way to draw the rest is as good.
  const bool moved = moved_and_met(coarse, fine, source);
  const mpz_class further = steady_geometric(twice(coarse), moved, source);
  return moved ? mpz_class(1 + further) : mpz_class(0);
}

template <class Source>
mpz_class tighten(const mpz_class& fine, const Rate& coarse_rate, const Rate& fine_rate,
                  Source& source) {
  const Rate gap = difference(coarse_rate, fine_rate);
  const mpz_class up = excess(coarse_rate, gap, true, source);
  return fine + up - excess(coarse_rate, gap, true, source);
}

template <class Source>
mpz_class relax(const mpz_class& coarse, const Rate& coarse_rate, const Rate& fine_rate,
                Source& source) {
  const Rate gap = difference(coarse_rate, fine_rate);
  const mpz_class j = geometric(twice(coarse_rate), source);
  mpz_class fine = abs(coarse) + j;  // G_1, then G_2
  const mpz_class m = steady_geometric(gap, fine != 0, source);
  const mpz_class other = steady_geometric(gap, j != 0, source);
  fine = std::min(fine, m) - std::min(j, other);
  if (coarse < 0) fine = -fine;
  return fine;
}

template <class Source>
mpz_class between(const mpz_class& coarse, const mpz_class& fine, const Rate& coarse_rate,
                  const Rate& rate, const Rate& fine_rate, Source& source) {
  const Rate down = difference(coarse_rate, rate);
  const Rate up = difference(rate, fine_rate);
  const mpz_class distance = coarse - fine;
  mpz_class near = smaller_increment(abs(distance), coarse_rate, fine_rate, source);
  mpz_class far = near + abs(distance);
  near = std::min(near, excess(down, up, near != 0, source));
  far = std::min(far, excess(down, up, far != 0, source));
  return distance < 0 ? fine + near - far : fine + far - near;
}

}  // namespace idp::draws

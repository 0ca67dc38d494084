// Sources for walk(): words of a few bits, and layers of exact draws.
//
// Draws of the library call the ones they are made of by name (core/random/draws/bernoulli.h). The
// overloads here have the laws of a layer and take its place: with Exact<kCoins> the coins n/d,
// uniform numbers and geometric ones of exp(-1), with Exact<kExpCoins> the coins exp(-n/d) as well,
// with Exact<kGeometrics> also geometric numbers and weighted choices. What a layer does is shown
// over the one below. Coins that do not matter, made for the time they take, are left out: what
// follows does not depend on them.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/grid/grid.h"
#include "core/random/discrete_laplace.h"
#include "core/random/draws/short_geometric.h"
#include "core/random/weighted_choice.h"
#include "tests/support/walk.h"

namespace idp::draws {

// Machine words of eight bits.
template <>
struct TwoWords<8> {
  using Unsigned = std::uint16_t;
  using Signed = std::int16_t;
};

}  // namespace idp::draws

namespace idp::test {

// All words of so many bits.
template <int kBits>
class Words : public Walk {
 public:
  static constexpr int kWordBits = kBits;
  std::uint64_t word() { return uniform(std::size_t{1} << kBits); }
};

enum Layer { kCoins, kExpCoins, kGeometrics };

template <Layer kLayer>
class Exact : public Walk {
 public:
  static constexpr int kWordBits = 64;

  bool exp_coin(const mpq_class& rate) { return coin(exp_minus(rate)); }

  mpz_class geometric(const mpq_class& rate) {
    const Mass more = exp_minus(rate);
    mpz_class g;
    while (coin(more)) ++g;
    return g;
  }

  const Mass& exp_minus(const mpq_class& rate) {
    auto at = exps_.find(rate);
    if (at == exps_.end()) at = exps_.emplace(rate, Mass::exp_minus(rate)).first;
    return at->second;
  }

 private:
  std::map<mpq_class, Mass> exps_;
};

inline mpq_class ratio(const mpz_class& numerator, const mpz_class& denominator) {
  mpq_class q(numerator, denominator);
  q.canonicalize();
  return q;
}
inline mpz_class long_of(Uint128 v) { return draws::as_long(v); }

// --- coins ---

template <Layer kLayer>
bool fair_coin(Exact<kLayer>& source) {
  return source.uniform(2) == 1;
}
template <Layer kLayer>
mpz_class uniform_below(const mpz_class& bound, Exact<kLayer>& source) {
  return static_cast<unsigned long>(source.uniform(bound.get_ui()));
}
template <Layer kLayer>
bool bernoulli(const mpz_class& numerator, const mpz_class& denominator, Exact<kLayer>& source) {
  return source.coin(Mass(ratio(numerator, denominator)));
}
template <Layer kLayer>
Uint128 short_uniform(Uint128 bound, Exact<kLayer>& source) {
  return source.uniform(static_cast<std::size_t>(bound));
}
template <Layer kLayer>
bool steady_bernoulli(int, const mpz_class& numerator, const mpz_class& denominator, bool matters,
                      Exact<kLayer>& source) {
  return matters && bernoulli(numerator, denominator, source);
}
template <Layer kLayer>
bool steady_coin(int, Uint128 numerator, Uint128 denominator, bool matters, Exact<kLayer>& source) {
  return matters && bernoulli(long_of(numerator), long_of(denominator), source);
}
template <Layer kLayer>
unsigned long unit_geometric(Exact<kLayer>& source) {
  return source.geometric(1).get_ui();
}

// --- coins exp(-n/d) ---

template <Layer kLayer>
requires(kLayer >= kExpCoins) bool bernoulli_exp(const mpz_class& numerator,
                                                 const mpz_class& denominator,
                                                 Exact<kLayer>& source) {
  return source.exp_coin(ratio(numerator, denominator));
}
template <Layer kLayer>
requires(kLayer >= kExpCoins) bool short_coin_exp(Uint128 numerator, Uint128 denominator,
                                                  Exact<kLayer>& source) {
  return bernoulli_exp(long_of(numerator), long_of(denominator), source);
}

// --- geometric numbers and choices ---

inline mpq_class number(const Rate& rate) { return ratio(rate.numerator, rate.denominator); }

template <Layer kLayer>
requires(kLayer >= kGeometrics) mpz_class geometric(const Rate& rate, Exact<kLayer>& source) {
  return source.geometric(number(rate));
}
template <Layer kLayer>
requires(kLayer >= kGeometrics) mpz_class
    steady_geometric(const Rate& rate, bool matters, Exact<kLayer>& source) {
  return matters ? geometric(rate, source) : mpz_class(0);
}
template <Layer kLayer>
requires(kLayer >= kGeometrics) ShortDraw
    short_draw(Uint128 numerator, Uint128 denominator, Exact<kLayer>& source) {
  const mpz_class g = source.geometric(ratio(long_of(numerator), long_of(denominator)));
  return {g.get_si(), {}};
}

// w_k / (w_0 + … + w_{m-1})
inline std::vector<Mass> shares(const Enclose& weights) {
  constexpr unsigned long kPrecision = 2 * Mass::kPlaces;
  std::vector<Mass> exact;
  Mass total;
  for (const auto& [low, high] : weights(kPrecision)) {
    const mpz_class one = mpz_class(1) << kPrecision;
    exact.push_back(Mass::between(Mass(ratio(low, one)), Mass(ratio(high, one))));
    total += exact.back();
  }
  for (Mass& share : exact) share = share / total;
  return exact;
}

template <Layer kLayer>
requires(kLayer >= kGeometrics) std::size_t
    choose_weighted(const Enclose& weights, Exact<kLayer>& source) {
  const std::vector<Mass> exact = shares(weights);
  return source.choose(exact.size(), [&](std::size_t k) { return exact[k]; });
}

}  // namespace idp::test

// The laws of geometric and discrete Laplace numbers, long and short, over exact coins: everything
// that can be drawn is added up.
#include <gtest/gtest.h>

#include "core/mechanism/count.h"
#include "core/random/draws/discrete_laplace.h"
#include "core/random/draws/short_geometric.h"
#include "tests/support/layers.h"

namespace idp::test {
namespace {

Mass alpha_of(const Rate& rate) { return Mass::exp_minus(number(rate)); }

// (1 - alpha) alpha^g
auto geometric_law(const Rate& rate) {
  return
      [alpha = alpha_of(rate)](long g) { return g < 0 ? Mass(0) : (1 - alpha) * power(alpha, g); };
}

// (1 - alpha)/(1 + alpha) alpha^|i|
auto laplace_law(const Rate& rate) {
  return [alpha = alpha_of(rate)](long i) {
    return (1 - alpha) / (1 + alpha) * power(alpha, std::labs(i));
  };
}

const std::vector<long> kSmall{0, 1, 2, 3, 4, 5};
const std::vector<long> kAround{-3, -2, -1, 0, 1, 2, 3};

// Exact coins that begin anew with the second uniform number: one attempt of the rejection.
template <Layer kLayer>
class FirstAttempt : public Exact<kLayer> {
 public:
  void begin() { drawn_ = false; }
  void uniform_number() {
    if (drawn_) this->begin_anew();
    drawn_ = true;
  }

 private:
  bool drawn_ = false;
};
template <Layer kLayer>
mpz_class uniform_below(const mpz_class& bound, FirstAttempt<kLayer>& source) {
  source.uniform_number();
  return uniform_below(bound, static_cast<Exact<kLayer>&>(source));
}
template <Layer kLayer>
Uint128 short_uniform(Uint128 bound, FirstAttempt<kLayer>& source) {
  source.uniform_number();
  return short_uniform(bound, static_cast<Exact<kLayer>&>(source));
}
template <Layer kLayer>
bool bernoulli(const mpz_class& n, const mpz_class& d, FirstAttempt<kLayer>& source) {
  return bernoulli(n, d, static_cast<Exact<kLayer>&>(source));
}
template <Layer kLayer>
bool steady_bernoulli(int words, const mpz_class& n, const mpz_class& d, bool matters,
                      FirstAttempt<kLayer>& source) {
  return steady_bernoulli(words, n, d, matters, static_cast<Exact<kLayer>&>(source));
}
template <Layer kLayer>
bool steady_coin(int words, Uint128 n, Uint128 d, bool matters, FirstAttempt<kLayer>& source) {
  return steady_coin(words, n, d, matters, static_cast<Exact<kLayer>&>(source));
}
template <Layer kLayer>
unsigned long unit_geometric(FirstAttempt<kLayer>& source) {
  return unit_geometric(static_cast<Exact<kLayer>&>(source));
}
template <Layer kLayer>
requires(kLayer >= kExpCoins) bool bernoulli_exp(const mpz_class& n, const mpz_class& d,
                                                 FirstAttempt<kLayer>& source) {
  return bernoulli_exp(n, d, static_cast<Exact<kLayer>&>(source));
}
template <Layer kLayer>
requires(kLayer >= kExpCoins) bool short_coin_exp(Uint128 n, Uint128 d,
                                                  FirstAttempt<kLayer>& source) {
  return short_coin_exp(n, d, static_cast<Exact<kLayer>&>(source));
}

long long_draw(const Rate& rate, auto& source) {
  return draws::long_geometric(rate, source).get_si();
}
long short_draw_of(const Rate& rate, auto& source) {
  const ShortDraw drawn = draws::short_draw(Uint128{rate.numerator.get_ui()},
                                            Uint128{rate.denominator.get_ui()}, source);
  EXPECT_FALSE(drawn.beyond);
  return static_cast<long>(drawn.value);
}

template <class Source, class Draw, class Exactly>
std::string judge(const Draw& draw, const Exactly& law, const std::vector<long>& also) {
  return walk<Source>(draw).differs(law, also);
}

template <class Source, class Draw>
std::string judge_attempt(const Rate& rate, const Draw& draw) {
  auto law = walk<Source>([&](Source& source) {
    source.begin();
    return draw(rate, source);
  });
  law.condition();
  return law.differs(geometric_law(rate), kSmall);
}

TEST(LawOfGeometric, OverExponentialCoins) {
  for (const auto& [n, d] : {std::pair{1, 1}, {2, 1}, {1, 2}, {5, 2}, {40, 1}}) {
    const Rate rate{n, d};
    using Source = Exact<kExpCoins>;
    EXPECT_EQ(
        judge<Source>([&](Source& s) { return long_draw(rate, s); }, geometric_law(rate), kSmall),
        "")
        << n << '/' << d;
    EXPECT_EQ(judge<Source>([&](Source& s) { return short_draw_of(rate, s); }, geometric_law(rate),
                            kSmall),
              "")
        << n << '/' << d;
  }
}

TEST(LawOfGeometric, WhereRejectionBeginsAnew) {
  using Source = FirstAttempt<kExpCoins>;
  for (unsigned long d = 1; d <= 14; ++d) {
    for (unsigned long n = 1; n <= 20; n += d > 4 ? 4 : 1) {
      const Rate rate{n, d};
      EXPECT_EQ(judge_attempt<Source>(rate, [](auto& r, auto& s) { return long_draw(r, s); }), "")
          << n << '/' << d;
      EXPECT_EQ(judge_attempt<Source>(rate, [](auto& r, auto& s) { return short_draw_of(r, s); }),
                "")
          << n << '/' << d;
    }
  }
}

// two layers at once: down to the coins n/d
TEST(LawOfGeometric, OverCoins) {
  using Source = FirstAttempt<kCoins>;
  for (const auto& [n, d] : {std::pair{1, 1}, {2, 1}}) {
    const Rate rate{n, d};
    EXPECT_EQ(judge_attempt<Source>(rate, [](auto& r, auto& s) { return long_draw(r, s); }), "")
        << n << '/' << d;
    EXPECT_EQ(judge_attempt<Source>(rate, [](auto& r, auto& s) { return short_draw_of(r, s); }), "")
        << n << '/' << d;
  }
}

using Source = Exact<kGeometrics>;

long laplace(const Rate& rate, Source& source) {
  return draws::discrete_laplace(rate, source).get_si();
}

TEST(LawOfDiscreteLaplace, OverGeometricNumbers) {
  for (const auto& [n, d] : {std::pair{1, 1}, {2, 1}, {1, 2}, {1, 10}, {7, 3}, {1, 50}, {40, 1}}) {
    const Rate rate{n, d};
    EXPECT_EQ(
        judge<Source>([&](Source& s) { return laplace(rate, s); }, laplace_law(rate), kAround), "")
        << n << '/' << d;
    const ShortRate short_rate{static_cast<Uint128>(n), static_cast<Uint128>(d)};
    EXPECT_EQ(judge<Source>(
                  [&](Source& s) {
                    return static_cast<long>(draws::short_discrete_laplace(short_rate, s).value);
                  },
                  laplace_law(rate), kAround),
              "")
        << n << '/' << d;
  }
}

// All mass outside {-1, 0, 1} is at the ends: the answer of the library for each noise, added up.
TEST(LawOfTruncatedCount, OverGeometricNumbers) {
  constexpr std::int64_t kCount = 17;
  const Frozen frozen = freeze_count(kCount);
  for (const auto& [n, d] : {std::pair{1, 1}, {1, 10}, {2, 1}}) {
    const Rate rate{n, d};
    const Mass alpha = alpha_of(rate);
    EXPECT_EQ(judge<Source>(
                  [&](Source& s) {
                    return answer_count(frozen, Truncation::kToOneStep, laplace(rate, s)) - kCount;
                  },
                  [&](long off) {
                    if (std::labs(off) > 1) return Mass(0);
                    return (off == 0 ? 1 - alpha : alpha) / (1 + alpha);
                  },
                  {-1, 0, 1}),
              "")
        << n << '/' << d;
  }
}

// --- draws that are wrong by little ---

TEST(LawControl, Geometric) {
  const Rate rate{3, 2};
  using Coins = Exact<kExpCoins>;
  const auto judge_mutant = [&](auto draw) {
    return judge<Coins>(draw, geometric_law(rate), kSmall);
  };
  EXPECT_EQ(judge_mutant([&](Coins& s) { return long_draw(rate, s); }), "");
  // the remainder is not rejected
  EXPECT_NE(judge_mutant([&](Coins& s) {
              mpz_class x = uniform_below(2, s);
              while (bernoulli_exp(1, 1, s)) x += 2;
              return static_cast<long>(mpz_class(x / 3).get_si());
            }),
            "");
  // rounded up
  EXPECT_NE(judge_mutant([&](Coins& s) {
              return (draws::long_geometric({1, 2}, s).get_si() + 2) / 3;
            }),
            "");
  // a rate that is off by 2^-16
  EXPECT_NE(judge_mutant([&](Coins& s) {
              long g = 0;
              while (bernoulli_exp(3 * 65536 + 1, 2 * 65536, s)) ++g;
              return g;
            }),
            "");
  // cut off at 8, as far out as can be told: what lies beyond has 1.4e-6 > 2^-20
  constexpr long kCut = 2 * kDecidedBits / 5;
  EXPECT_NE(judge_mutant([&](Coins& s) { return std::min(long_draw(rate, s), kCut); }), "");
}

TEST(LawControl, DiscreteLaplace) {
  const Rate rate{1, 1};
  const auto judge_mutant = [&](auto draw) {
    return judge<Source>(draw, laplace_law(rate), kAround);
  };
  EXPECT_EQ(judge_mutant([&](Source& s) { return laplace(rate, s); }), "");
  const auto signed_draw = [&](Source& s, long shift) {
    const bool negative = fair_coin(s);
    const long g = s.geometric(1).get_si() + shift;
    return negative ? -g : g;
  };
  EXPECT_NE(judge_mutant([&](Source& s) { return signed_draw(s, 0); }), "");  // 0 twice
  EXPECT_NE(judge_mutant([&](Source& s) { return signed_draw(s, 1); }), "");  // 0 never
  // (minus, 0) is drawn again with the sign kept
  EXPECT_NE(judge_mutant([&](Source& s) {
              const bool negative = fair_coin(s);
              for (;;) {
                const long g = s.geometric(1).get_si();
                if (!negative) return g;
                if (g != 0) return -g;
              }
            }),
            "");
}

}  // namespace
}  // namespace idp::test

// The laws of bits, uniform numbers and coins n/d, over all words of a few bits.
#include <gtest/gtest.h>

#include <random>

#include "core/random/draws/bernoulli.h"
#include "core/random/draws/short_geometric.h"
#include "core/random/draws/unit_geometric.h"
#include "tests/support/layers.h"

namespace idp::test {
namespace {

mpz_class power_of_two(unsigned long exponent) { return mpz_class(1) << exponent; }

TEST(Walk, AddsUpWhatADrawCanGive) {
  // heads at the first, second, third toss of a coin of 1/3
  const auto law = walk_until<Words<1>>(40, [](Walk& walk) {
    int tosses = 1;
    while (!walk.coin(Mass(mpq_class(1, 3)))) ++tosses;
    return tosses;
  });
  EXPECT_EQ(
      law.differs([](int t) { return Mass(mpq_class(1, 3)) * power(Mass(mpq_class(2, 3)), t - 1); },
                  {1, 2, 3, 40}),
      "");
  EXPECT_NE(law.differs(
                [](int t) { return Mass(mpq_class(1, 2)) * power(Mass(mpq_class(1, 2)), t - 1); }),
            "");
  // what is missing is seen, and so is what should not be there
  EXPECT_NE(law.differs([&](int t) { return t == 7 ? Mass(0) : law.of(t); }), "");
  EXPECT_NE(law.differs([&](int t) { return t == 0 ? Mass(mpq_class(1, 9)) : law.of(t); }, {0}),
            "");
}

TEST(Walk, GivesUpUnlikelyPathsAndCountsThem) {
  const auto law = walk_until<Words<1>>(3, [](Walk& walk) {
    return walk.uniform(2) + walk.uniform(2) + walk.uniform(2) + walk.uniform(2) + walk.uniform(2);
  });
  EXPECT_EQ(law.undecided, Mass(1));
  EXPECT_EQ(law.paths, 16u);
}

TEST(Walk, BeginningAnewConditions) {
  auto law = walk<Words<1>>([](Walk& walk) {
    const std::size_t v = walk.uniform(4);
    if (v == 3) walk.begin_anew();
    return v;
  });
  EXPECT_EQ(law.anew, Mass(mpq_class(1, 4)));
  law.condition();
  EXPECT_EQ(
      law.differs([](std::size_t v) { return v < 3 ? Mass(mpq_class(1, 3)) : Mass(0); }, {0, 1, 2}),
      "");
}

template <int kBits>
void expect_uniform_bits() {
  for (unsigned long bits = 0; bits <= 9; ++bits) {
    const auto law = walk<Words<kBits>>(
        [&](Words<kBits>& words) { return draws::uniform_bits(bits, words).get_ui(); });
    EXPECT_EQ(law.undecided, Mass(0));
    ASSERT_EQ(law.found.size(), std::size_t{1} << bits);
    for (const auto& [v, mass] : law.found) {
      EXPECT_LT(v, 1u << bits);
      EXPECT_EQ(mass, Mass(two_to_minus(bits)));
    }
  }
}

TEST(LawOfUniformBits, Exactly) {
  expect_uniform_bits<1>();
  expect_uniform_bits<2>();
  expect_uniform_bits<3>();
  expect_uniform_bits<5>();
}

// A source that begins anew when it is asked for more words than one attempt takes.
template <int kBits>
class OneAttempt : public Walk {
 public:
  static constexpr int kWordBits = kBits;
  std::uint64_t word() {
    if (left_-- == 0) begin_anew();
    return uniform(std::size_t{1} << kBits);
  }
  void begin(unsigned long bits) { left_ = (bits + kBits - 1) / kBits; }

 private:
  unsigned long left_ = 0;
};

unsigned long bits_below(unsigned long bound) {
  return bound == 1 ? 0 : mpz_sizeinbase(mpz_class(bound - 1).get_mpz_t(), 2);
}

// Every value in one attempt with the same probability 2^-bits exactly, nothing undecided.
template <int kBits, class Draw>
std::string judge_uniform(unsigned long bound, Draw draw) {
  const unsigned long bits = bits_below(bound);
  const auto law = walk<OneAttempt<kBits>>([&](OneAttempt<kBits>& words) {
    words.begin(bits);
    return draw(bound, words);
  });
  if (law.undecided != Mass(0)) return "undecided";
  if (law.found.size() != bound) return "not every value is drawn, or too many";
  for (const auto& [v, mass] : law.found) {
    if (v >= bound) return "a value that is not below the bound";
    if (mass != Mass(two_to_minus(bits))) return "values are not alike";
  }
  if (law.anew != 1 - Mass(bound * two_to_minus(bits))) return "another rejection";
  return "";
}

template <int kBits>
void expect_uniform(unsigned long bound) {
  EXPECT_EQ(judge_uniform<kBits>(bound,
                                 [](unsigned long b, auto& words) {
                                   return draws::uniform_below(b, words).get_ui();
                                 }),
            "")
      << bound << " of words of " << kBits;
}

TEST(LawOfUniformBelow, ExactlyInEachAttempt) {
  for (unsigned long bound = 1; bound <= 70; ++bound) {
    expect_uniform<1>(bound);
    expect_uniform<2>(bound);
    expect_uniform<3>(bound);
    expect_uniform<4>(bound);
  }
}

TEST(LawOfUniformBelow, AllAttempts) {
  for (const unsigned long bound : {2, 3, 4, 7, 8, 14, 15, 31}) {
    const auto law = walk<Words<2>>(
        [&](Words<2>& words) { return draws::uniform_below(bound, words).get_ui(); });
    EXPECT_EQ(law.differs(
                  [&](unsigned long v) { return v < bound ? Mass(mpq_class(1, bound)) : Mass(0); }),
              "")
        << bound;
  }
}

TEST(LawOfShortUniform, ExactlyInEachAttempt) {
  const auto draw = [](unsigned long bound, OneAttempt<8>& words) -> unsigned long {
    return draws::short_uniform(static_cast<std::uint16_t>(bound), words);
  };
  for (unsigned long bound = 1; bound <= 256; ++bound) {
    EXPECT_EQ(judge_uniform<8>(bound, draw), "") << bound;
  }
  for (const unsigned long bound : {257, 1000, 4097, 16383}) {  // two words
    EXPECT_EQ(judge_uniform<8>(bound, draw), "") << bound;
  }
}

// --- coins ---

template <class Source, class Coin>
std::string judge_coin(const Mass& heads, Coin coin) {
  const auto law = walk<Source>(coin);
  return law.differs([&](bool is_heads) { return is_heads ? heads : 1 - heads; }, {false, true});
}

template <int kBits>
std::string judge_bernoulli(const mpz_class& n, const mpz_class& d) {
  return judge_coin<Words<kBits>>(
      Mass(ratio(n, d)), [&](Words<kBits>& words) { return draws::bernoulli(n, d, words); });
}

TEST(LawOfBernoulli, AllSmallFractions) {
  for (unsigned long d = 1; d <= 24; ++d) {
    for (unsigned long n = 0; n <= d; ++n) {
      EXPECT_EQ(judge_bernoulli<1>(n, d), "") << n << '/' << d;
      EXPECT_EQ(judge_bernoulli<2>(n, d), "") << n << '/' << d;
      EXPECT_EQ(judge_bernoulli<3>(n, d), "") << n << '/' << d;
      EXPECT_EQ(judge_bernoulli<5>(n, d), "") << n << '/' << d;
    }
  }
}

TEST(LawOfBernoulli, LongDenominators) {
  const mpz_class big = power_of_two(64);
  EXPECT_EQ(judge_bernoulli<4>(big - 2, big - 1), "");
  for (const mpz_class& d :
       {mpz_class(big), mpz_class(big + 13), mpz_class(3 * power_of_two(90))}) {
    for (const mpz_class& n : {mpz_class(1), mpz_class(d / 3), mpz_class(d / 2),
                               mpz_class(d / 7 * 5), mpz_class(d - 1)}) {
      EXPECT_EQ(judge_bernoulli<1>(n, d), "") << n << '/' << d;
      EXPECT_EQ(judge_bernoulli<4>(n, d), "") << n << '/' << d;
    }
  }
}

// The same in a fixed number of words, and on where these do not decide.
template <int kBits>
std::string judge_steady(int at_once, const mpz_class& n, const mpz_class& d) {
  return judge_coin<Words<kBits>>(Mass(ratio(n, d)), [&](Words<kBits>& words) {
    return draws::steady_bernoulli(at_once, n, d, true, words);
  });
}

template <class Coin>
std::string judge_short(unsigned n, unsigned d, Coin coin) {
  return judge_coin<Words<8>>(Mass(ratio(n, d)), [&](Words<8>& words) {
    return coin(static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(d), words);
  });
}
auto coin_of_bytes(int at_once) {
  return [=](std::uint16_t n, std::uint16_t d, Words<8>& words) {
    return draws::steady_coin(at_once, n, d, true, words);
  };
}

TEST(LawOfSteadyCoin, AllSmallFractionsAndSomeOfEachSize) {
  for (unsigned d = 1; d <= 24; ++d) {
    for (unsigned n = 0; n <= d; ++n) {
      EXPECT_EQ(judge_steady<2>(1, n, d), "") << n << '/' << d;
      EXPECT_EQ(judge_steady<3>(2, n, d), "") << n << '/' << d;
      EXPECT_EQ(judge_steady<5>(1, n, d), "") << n << '/' << d;
    }
  }
  for (unsigned d = 1; d <= 40; ++d) {
    for (unsigned n = 0; n <= d; ++n) {
      EXPECT_EQ(judge_short(n, d, coin_of_bytes(1)), "") << n << '/' << d;
    }
  }
  constexpr unsigned kEnd = 1 << 14;  // 2^(2w - 2)
  std::mt19937_64 random(1);
  for (int i = 0; i < 400; ++i) {
    const unsigned d = 2 + random() % (kEnd - 2) / (1 << (random() % 10));
    const unsigned n = random() % (d + 1);
    EXPECT_EQ(judge_short(n, d, coin_of_bytes(1)), "") << n << '/' << d;
    if (i % 100 != 0) continue;
    EXPECT_EQ(judge_short(n, d, coin_of_bytes(2)), "") << n << '/' << d;
  }
  for (const unsigned n : {1u, 2u, 63u, 64u, 65u, kEnd / 2, kEnd - 2}) {
    EXPECT_EQ(judge_short(n, kEnd - 1, coin_of_bytes(1)), "") << n;
  }
}

// Whatever comes out, and whether it matters, so many words are drawn; more only where they are
// those of n/d itself.
TEST(WorkOfSteadyCoin, DoesNotDependOnTheOutcome) {
  struct Counted : Words<8> {
    int drawn = 0;
    std::uint64_t word() {
      ++drawn;
      return Words<8>::word();
    }
  };
  for (const int at_once : {1, 2}) {
    for (const bool matters : {false, true}) {
      for (const auto& part : {std::pair{0, 5}, {1, 3}, {5, 7}, {255, 1000}, {3, 3}}) {
        const int n = part.first, d = part.second;
        const auto judge = [&](auto coin) {
          const auto law = walk<Counted>([&](Counted& words) {
            words.drawn = 0;
            coin(words);
            return words.drawn;
          });
          // The shortest path alone, but for the one value in 2^(8 words) that is n/d's.
          EXPECT_EQ(law.found.begin()->first, at_once) << n << '/' << d;
          const Mass usual = law.found.begin()->second;
          EXPECT_FALSE(usual.surely_below(1 - Mass(two_to_minus(8 * at_once)))) << n << '/' << d;
          EXPECT_TRUE(matters || law.found.size() == 1);
        };
        judge([&](Counted& words) {
          draws::steady_coin(at_once, static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(d),
                             matters, words);
        });
        judge([&](Counted& words) { draws::steady_bernoulli(at_once, n, d, matters, words); });
      }
    }
  }
}

// Pr[V >= k] = exp(-k), over words of eight bits, of which some do not decide
TEST(LawOfUnitGeometric, OverWords) {
  const auto judge = [](auto draw) {
    return walk<Words<8>>(draw).differs(
        [](unsigned long v) {
          const Mass e = Mass::exp_minus(1);
          return (1 - e) * power(e, static_cast<long>(v));
        },
        {0, 1, 2, 3, 8, 11, 12});
  };
  EXPECT_EQ(judge([](Words<8>& words) { return draws::unit_geometric(words); }), "");
  // the words that do not decide are taken to be above, and to be below
  for (const bool above : {false, true}) {
    EXPECT_NE(judge([&](Words<8>& words) {
                const unsigned long high = words.word(), u = high << 8 | words.word();
                unsigned long v = 0;
                for (const Uint128 each : draws::kPowersOfE) {
                  const auto power = static_cast<unsigned long>(each >> 112);
                  v += above ? u < power : u <= power && power > 0;
                }
                return v;
              }),
              "");
  }
}

TEST(LawOfUnitGeometric, WhereTheTableDoesNotDecide) {
  // from any known part of U on: the integral over that part
  for (unsigned long digits = 0; digits < 8; ++digits) {
    const auto law = walk<Words<3>>(
        [&](Words<3>& words) { return draws::long_unit_geometric(digits, 3, words); });
    const mpq_class low = ratio(digits, 8), high = ratio(digits + 1, 8);
    const auto within = [&](const Mass& end) {  // how much of the part is below it
      const Mass from(low), upto(high);
      if (!from.surely_below(end)) return Mass(0);
      if (!end.surely_below(upto)) return Mass(1);
      return (end - from) * 8;
    };
    EXPECT_EQ(law.differs(
                  [&](unsigned long v) {
                    return within(Mass::exp_minus(v)) - within(Mass::exp_minus(v + 1));
                  },
                  {0, 1, 2, 3}),
              "")
        << digits;
  }
}

TEST(PowersOfE, AreRoundedDown) {
  unsigned long k = 0;
  for (const Uint128 each : draws::kPowersOfE) {
    ++k;
    constexpr unsigned long kMore = 32;
    const auto [low, high] = enclose_exp(k, 1, 128 + kMore);
    EXPECT_EQ(long_of(each), low >> kMore) << k;
    EXPECT_EQ(long_of(each), high >> kMore) << k;
  }
  EXPECT_EQ(k, 48u);
}

// 1 - g/k + g^2/(k (k+1)) - … = Pr[odd] if k is odd, and 1 minus that otherwise. Two sums that
// follow each other enclose it.
Mass exp_from(unsigned long k, const mpq_class& g) {
  mpq_class term = 1, sum = 0, last;
  for (unsigned long i = k; i < k + 60; ++i) {
    last = sum;
    sum += (i - k) % 2 == 0 ? term : mpq_class(-term);
    term *= g / i;
  }
  const Mass odd = Mass::between(Mass(std::min(last, sum)), Mass(std::max(last, sum)));
  return k % 2 == 1 ? odd : 1 - odd;
}

TEST(LawOfBernoulliExp, OverCoins) {
  for (unsigned long d = 1; d <= 12; ++d) {
    for (unsigned long n = 0; n <= 3 * d; ++n) {
      const mpq_class g = ratio(n, d);
      EXPECT_EQ(
          judge_coin<Exact<kCoins>>(Mass::exp_minus(g),
                                    [&](auto& coins) { return draws::bernoulli_exp(n, d, coins); }),
          "")
          << g;
      if (n > d) continue;
      EXPECT_EQ(
          judge_coin<Exact<kCoins>>(
              Mass::exp_minus(g),
              [&](auto& coins) { return draws::short_coin_exp(Uint128{n}, Uint128{d}, coins); }),
          "")
          << g;
      for (const unsigned long k : {1, 2, 3, 8}) {
        EXPECT_EQ(judge_coin<Exact<kCoins>>(
                      exp_from(k, g),
                      [&](auto& coins) { return draws::bernoulli_exp_from(k, n, d, coins); }),
                  "")
            << g << ", " << k;
      }
    }
  }
  EXPECT_TRUE(exp_from(1, mpq_class(2, 3)).meets(Mass::exp_minus(mpq_class(2, 3))));
}

// --- draws that are wrong by little ---

TEST(LawControl, UniformNumbers) {
  const auto modulo = [](unsigned long bound, auto& words) {
    return draws::uniform_bits(bits_below(bound), words).get_ui() % bound;
  };
  const auto one_more = [](unsigned long bound, auto& words) {
    for (;;) {
      const unsigned long v = draws::uniform_bits(bits_below(bound), words).get_ui();
      if (v <= bound) return v;
    }
  };
  EXPECT_NE(judge_uniform<3>(5, modulo), "");
  EXPECT_NE(judge_uniform<3>(5, one_more), "");
  EXPECT_EQ(judge_uniform<3>(8, modulo), "");
}

TEST(LawControl, Coins) {
  // the word that equals the digit decides
  for (const int heads_if_equal : {0, 1}) {
    EXPECT_NE(judge_coin<Words<8>>(
                  Mass(mpq_class(1, 3)),
                  [&](Words<8>& words) { return words.word() * 3 < 256 + heads_if_equal * 3u; }),
              "");
  }
  // a double of 22 bits instead of the fraction
  EXPECT_NE(judge_coin<Words<2>>(
                Mass(mpq_class(1, 3)),
                [](Words<2>& words) { return draws::uniform_bits(18, words) * 3 < (1 << 18); }),
            "");
  // the short coin whose remainder is one word too coarse
  const auto coarse = [](std::uint16_t n, std::uint16_t d, Words<8>& words) {
    const unsigned word = static_cast<unsigned>(words.word());
    const int rest = static_cast<int>(n * 256 - word * d);
    if (rest <= 0) return false;
    return rest >= d ||
           draws::steady_coin(1, static_cast<std::uint16_t>(rest & ~1), d, true, words);
  };
  EXPECT_EQ(judge_short(2, 7, coin_of_bytes(1)), "");
  EXPECT_NE(judge_short(2, 7, coarse), "");
}

TEST(LawControl, ExponentialCoins) {
  const Mass heads = Mass::exp_minus(mpq_class(1, 2));
  // flips counted from 0
  EXPECT_NE(judge_coin<Exact<kCoins>>(
                heads, [](auto& coins) { return !draws::bernoulli_exp_from(1, 1, 2, coins); }),
            "");
  // the series ends too early: wrong by 2e-5
  EXPECT_NE(judge_coin<Exact<kCoins>>(heads,
                                      [](auto& coins) {
                                        unsigned long k = 1;
                                        while (k < 6 && bernoulli(1, 2 * k, coins)) ++k;
                                        return k % 2 == 1;
                                      }),
            "");
  // so few flips that the rest shows
  EXPECT_NE(judge_coin<Exact<kCoins>>(heads,
                                      [](auto& coins) {
                                        return draws::steady_exp(
                                            [&](unsigned k, int, bool matters) {
                                              return matters && k < 6 && bernoulli(1, 2 * k, coins);
                                            },
                                            [](unsigned long) { return true; });
                                      }),
            "");
  // the whole part of the exponent is counted once too little
  EXPECT_NE(judge_coin<Exact<kCoins>>(Mass::exp_minus(mpq_class(5, 2)),
                                      [](auto& coins) {
                                        return draws::bernoulli_exp(1, 1, coins) &&
                                               draws::bernoulli_exp(1, 2, coins);
                                      }),
            "");
}

}  // namespace
}  // namespace idp::test

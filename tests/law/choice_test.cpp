// The laws of the choice among weights and of heavy tails, over all words of a few bits.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "core/random/draws/heavy_tail.h"
#include "core/random/draws/weighted_choice.h"
#include "tests/support/layers.h"
#include "tests/support/smooth_law.h"

namespace idp::test {
namespace {

// --- weighted choice ---

Enclose rational(std::vector<mpq_class> weights) {
  return [weights = std::move(weights)](unsigned long precision) {
    std::vector<Enclosure> enclosures;
    for (const mpq_class& w : weights) {
      const mpz_class scaled = w.get_num() << precision;
      Enclosure e;
      mpz_fdiv_q(e.low.get_mpz_t(), scaled.get_mpz_t(), w.get_den_mpz_t());
      mpz_cdiv_q(e.high.get_mpz_t(), scaled.get_mpz_t(), w.get_den_mpz_t());
      enclosures.push_back(std::move(e));
    }
    return enclosures;
  };
}

// exp(-k n/d), k = 0, 1, …
Enclose powers(long n, long d, int count) {
  return [=](unsigned long precision) {
    std::vector<Enclosure> enclosures;
    for (long k = 0; k < count; ++k) enclosures.push_back(enclose_exp(k * n, d, precision));
    return enclosures;
  };
}

template <int kBits, class Choice>
std::string judge_choice(const Enclose& weights, Choice choice) {
  const std::vector<Mass> exact = shares(weights);
  const Enclose again = remembered(weights);
  const auto law = walk<Words<kBits>>([&](Words<kBits>& words) { return choice(again, words); });
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < exact.size(); ++k) all.push_back(k);
  return law.differs([&](std::size_t k) { return k < exact.size() ? exact[k] : Mass(0); }, all);
}

const auto library = [](const Enclose& weights, auto& words) {
  return draws::choose_weighted(weights, words);
};

TEST(LawOfWeightedChoice, RationalWeights) {
  EXPECT_EQ(judge_choice<3>(rational({mpq_class(1, 3), mpq_class(1, 2)}), library), "");
  EXPECT_EQ(judge_choice<3>(rational({1, 1}), library), "");
  EXPECT_EQ(judge_choice<3>(rational({0, mpq_class(1, 7), 0}), library), "");
  EXPECT_EQ(judge_choice<4>(rational({3, 0, mpq_class(1, 5), 11}), library), "");
  EXPECT_EQ(judge_choice<6>(rational({mpq_class(1, 1000), 1}), library), "");
}

TEST(LawOfWeightedChoice, PowersOfE) {
  EXPECT_EQ(judge_choice<3>(powers(1, 1, 2), library), "");
  EXPECT_EQ(judge_choice<6>(powers(7, 1, 2), library), "");
  EXPECT_EQ(judge_choice<4>(powers(1, 3, 3), library), "");
}

TEST(LawOfEncloseExp, EnclosesToTwoUnits) {
  for (unsigned long precision = 1; precision <= 200; precision += 7) {
    for (const auto& [n, d] :
         {std::pair{0, 1}, {1, 1}, {1, 3}, {22, 7}, {100, 1}, {199, 1}, {300, 1}}) {
      const auto [low, high] = enclose_exp(n, d, precision);
      const mpz_class one = mpz_class(1) << precision;
      const Mass exact = Mass::exp_minus(ratio(n, d));
      EXPECT_LE(ratio(low, one), exact.high());
      EXPECT_GE(ratio(high, one), exact.low());
      EXPECT_LE(high - low, 2);
    }
  }
}

// --- heavy tails ---

// The words of one round of the coin. If it asks for more, that round has not decided it; what it
// then makes of zeros is not looked at. (An error would end it too, but takes longer than the
// round.)
template <int kBits>
class OneRound {
 public:
  static constexpr int kWordBits = kBits;

  OneRound(std::uint64_t of_v, std::uint64_t of_w) : words_{of_v, of_w} {}
  std::uint64_t word() { return next_++ < 2 ? words_[next_ - 1] : 0; }
  bool decided() const { return next_ <= 2; }

 private:
  std::uint64_t words_[2];
  std::size_t next_ = 0;
};

constexpr unsigned long kCellBits = 1;

// Of each half of v, how much is kept and how much is undecided after kDepth bits of v and of w,
// in units of 2^(-2 kDepth). Walks the tree of words on from each state that is undecided, instead
// of from its root each time.
template <unsigned long kDepth, int kBits, class Keep>
struct TailLaw {
  Keep keep;
  std::uint64_t kept[1 << kCellBits]{};
  std::uint64_t undecided[1 << kCellBits]{};

  static UniformReal followed(const UniformReal& real, std::uint64_t word) {
    return {(real.digits << kBits) + static_cast<unsigned long>(word), real.bits + kBits};
  }

  void walk(const UniformReal& v, const UniformReal& w) {
    for (std::uint64_t i = 0; i < 1u << kBits; ++i) {
      for (std::uint64_t j = 0; j < 1u << kBits; ++j) {
        UniformReal after_v = v, after_w = w;
        OneRound<kBits> words(i, j);
        const bool keeps = keep(after_v, after_w, words);
        const UniformReal next_v = followed(v, i), next_w = followed(w, j);
        const mpz_class cell = (next_v.digits << kCellBits) >> next_v.bits;
        const std::uint64_t mass = std::uint64_t{1} << 2 * (kDepth - next_v.bits);
        if (words.decided()) {
          if (keeps) kept[cell.get_ui()] += mass;
        } else if (next_v.bits < kDepth) {
          walk(next_v, next_w);
        } else {
          undecided[cell.get_ui()] += mass;
        }
      }
    }
  }
};

// The exact law is 1/(1 + v^gamma) dv in the body. In the tail v = z^-(gamma - 1), and it is
// (gamma - 1) times 1/(1 + z^gamma) dz. Its closed form is correct to 1e-15.
template <unsigned long kBits, class Keep>
std::string judge_tail(int gamma, bool is_tail, Keep keep) {
  constexpr unsigned long kDepth = kBits + 1;
  TailLaw<kDepth, 1, Keep> law{std::move(keep)};
  law.walk({}, {});
  const auto upto = [&](Real v) {
    if (!is_tail) return heavy_integral(gamma, v);
    const Real whole = heavy_total(gamma);
    return static_cast<Real>(gamma - 1) *
           (v == 0 ? 0
                   : whole - heavy_integral(gamma, std::pow(v, -1 / static_cast<Real>(gamma - 1))));
  };
  constexpr Real kUnit = 1 / static_cast<Real>(std::uint64_t{1} << 2 * kDepth), kSlack = 1e-15L;
  std::ostringstream why;
  Real undecided = 0;
  for (int cell = 0; cell < 1 << kCellBits; ++cell) {
    constexpr Real kCells = 1 << kCellBits;
    const Real exact = upto((cell + 1) / kCells) - upto(cell / kCells);
    const Real low = static_cast<Real>(law.kept[cell]) * kUnit;
    const Real open = static_cast<Real>(law.undecided[cell]) * kUnit;
    undecided += open;
    if (low > exact + kSlack || low + open < exact - kSlack) {
      why << " cell " << cell << ": [" << low << ", " << low + open << "] instead of " << exact;
    }
  }
  if (undecided > std::ldexp(1, -static_cast<int>(kBits))) why << " undecided " << undecided;
  return why.str();
}

const auto library_coin = [](int gamma, bool is_tail) {
  return [gamma, root = is_tail ? static_cast<unsigned long>(gamma - 1) : 0](
             UniformReal& v, UniformReal& w, auto& words) {
    return draws::keep_tail(gamma, root, v, w, words);
  };
};

// A power, and whether of the tail.
class LawOfTheTailCoin : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(LawOfTheTailCoin, GivenEachPartOfV) {
  const auto [gamma, is_tail] = GetParam();
  EXPECT_EQ(judge_tail<kDecidedBits - 3>(gamma, is_tail, library_coin(gamma, is_tail)), "");
}

INSTANTIATE_TEST_SUITE_P(AllPowers, LawOfTheTailCoin,
                         testing::Combine(testing::Values(2, 3, 4), testing::Bool()));

// The rest of the draw, given the coin: the body with (gamma - 1)/gamma, the sign by a fair coin,
// and everything anew if the coin says so.
class TailCoins : public Walk {
 public:
  int uniforms = 0;
};
bool fair_coin(TailCoins& source) { return source.uniform(2) == 1; }
mpz_class uniform_below(const mpz_class& bound, TailCoins& source) {
  if (source.uniforms++ == 1) source.begin_anew();
  return static_cast<unsigned long>(source.uniform(bound.get_ui()));
}
// kept with 1/2 in the body and 1/3 in the tail
bool keep_tail(int, unsigned long root, UniformReal&, UniformReal&, TailCoins& source) {
  return source.coin(Mass(mpq_class(1, root == 0 ? 2 : 3)));
}

TEST(LawOfHeavyTail, GivenTheCoin) {
  for (const int gamma : {2, 3, 4}) {
    using Outcome = std::pair<bool, unsigned long>;
    auto law = walk<TailCoins>([&](TailCoins& source) {
      source.uniforms = 0;
      const DrawnTail z = draws::heavy_tail(gamma, source);
      return Outcome(z.negative, z.root);
    });
    law.condition();
    const auto g = static_cast<unsigned long>(gamma);
    const mpq_class body = ratio(g - 1, 2 * g), tail = ratio(1, 3 * g);
    const auto exact = [&](const Outcome& outcome) {
      if (outcome.second != 0 && outcome.second != g - 1) return Mass(0);
      return Mass((outcome.second == 0 ? body : tail) / (body + tail) / 2);
    };
    EXPECT_EQ(law.found.size(), 4u);
    EXPECT_EQ(law.differs(exact), "");
  }
}

// --- draws that are wrong by little ---

TEST(LawControl, WeightedChoice) {
  const Enclose thirds = rational({1, 2});
  // decided by the middle of what is known
  const auto hasty = [](const Enclose& weights, auto& words) -> std::size_t {
    const auto at = weights(12);
    const mpz_class u = draws::uniform_bits(12, words);
    return u * (at[0].low + at[1].low) < at[0].low << 12 ? 0 : 1;
  };
  EXPECT_EQ(judge_choice<6>(thirds, library), "");
  EXPECT_NE(judge_choice<6>(thirds, hasty), "");
  // new bits instead of more bits of the same number
  const auto forgetful = [](const Enclose& weights, auto& words) -> std::size_t {
    for (unsigned long precision = 6;; precision *= 2) {
      const auto at = weights(precision);
      const mpz_class u = draws::uniform_bits(precision, words);
      if ((u + 1) * (at[0].high + at[1].high) <= at[0].low << precision) return 0;
      if (u * (at[0].low + at[1].low) >= at[0].high << precision) return 1;
      if (precision == 12) return 0;
    }
  };
  EXPECT_NE(judge_choice<6>(rational({1, 4}), forgetful), "");
  // a weight that is off by 2^-16
  EXPECT_NE(
      judge_choice<6>(thirds,
                      [](const Enclose&, auto& words) {
                        return draws::choose_weighted(rational({1 + two_to_minus(16), 2}), words);
                      }),
      "");
}

TEST(LawControl, HeavyTail) {
  EXPECT_NE(judge_tail<12>(3, true, library_coin(3, false)), "");
  EXPECT_NE(judge_tail<12>(3, false, library_coin(4, false)), "");
  // decided by the lower ends alone
  EXPECT_NE(judge_tail<12>(2, false,
                           [](UniformReal& v, UniformReal& w, auto& words) {
                             draws::reveal(v, v.bits + 1, words);
                             draws::reveal(w, w.bits + 1, words);
                             if (w.bits < 10 && draws::keep_tail(2, 0, v, w, words)) return true;
                             return w.digits * v.digits * v.digits <
                                    ((mpz_class(1) << w.bits) - w.digits) << 2 * v.bits;
                           }),
            "");
}

}  // namespace
}  // namespace idp::test

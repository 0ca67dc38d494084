// The laws of the steps of gradual release, over exact geometric numbers: all that can be drawn is
// added up. The closed forms are those of gradual_law.h, here with enclosures for numbers.
#include <gtest/gtest.h>

#include <array>

#include "core/gradual/draws/process.h"
#include "core/random/draws/discrete_laplace.h"
#include "tests/support/gradual_law.h"
#include "tests/support/layers.h"

namespace idp::test {
namespace {

using Source = Exact<kGeometrics>;

Ratio<Mass> ratio_at(const mpq_class& rate) {
  const Mass q = Mass::exp_minus(rate);
  return {q, 1 - q};
}
Step<Mass> step_at(const mpq_class& coarse, const mpq_class& fine) {
  return {ratio_at(coarse), ratio_at(fine), ratio_at(fine - coarse)};
}
Rate rate_at(const mpq_class& rate) { return {rate.get_num(), rate.get_den()}; }

using Levels = std::array<mpq_class, 2>;
const Levels kLevels[] = {{1, 2},  {2, 3}, {mpq_class(3, 2), mpq_class(7, 3)},
                          {1, 30}, {5, 6}, {2, mpq_class(5, 2)}};
const std::vector<long> kAround{-4, -3, -2, -1, 0, 1, 2, 3, 4, 5};

template <class Draw>
auto law_of(Draw draw) {
  return walk<Source>(
      [&](Source& source) { return static_cast<long>(mpz_class(draw(source)).get_si()); });
}

template <class Draw>
std::string judge_tighten(const Levels& levels, Draw draw) {
  const Step<Mass> step = step_at(levels[0], levels[1]);
  return law_of(draw).differs([&](long b) { return step.tighten(b); }, kAround);
}

TEST(LawOfTighten, OverGeometricNumbers) {
  for (const Levels& levels : kLevels) {
    EXPECT_EQ(judge_tighten(levels,
                            [&](Source& s) {
                              return draws::tighten(0, rate_at(levels[0]), rate_at(levels[1]), s);
                            }),
              "")
        << levels[0] << ", " << levels[1];
  }
}

template <class Draw>
std::string judge_relax(const Levels& levels, long coarse, Draw draw) {
  const Step<Mass> step = step_at(levels[0], levels[1]);
  return law_of(draw).differs([&](long y) { return step.relax(coarse, y); }, kAround);
}

TEST(LawOfRelax, OverGeometricNumbers) {
  for (const Levels& levels : kLevels) {
    for (const long coarse : {0, 1, -1, 2, 5, -5}) {
      EXPECT_EQ(judge_relax(levels, coarse,
                            [&](Source& s) {
                              return draws::relax(coarse, rate_at(levels[0]), rate_at(levels[1]),
                                                  s);
                            }),
                "")
          << levels[0] << ", " << levels[1] << ", " << coarse;
    }
  }
}

using ThreeLevels = std::array<mpq_class, 3>;

template <class Draw>
std::string judge_between(const ThreeLevels& levels, long coarse, long fine, Draw draw) {
  const Between<Mass> law{step_at(levels[0], levels[1]), step_at(levels[1], levels[2]),
                          step_at(levels[0], levels[2])};
  return law_of(draw).differs([&](long v) { return law(coarse, fine, v); }, kAround);
}

TEST(LawOfBetween, OverGeometricNumbers) {
  const auto judge = [](const ThreeLevels& levels, long coarse, long fine) {
    return judge_between(levels, coarse, fine, [&](Source& s) {
      return draws::between(coarse, fine, rate_at(levels[0]), rate_at(levels[1]),
                            rate_at(levels[2]), s);
    });
  };
  const ThreeLevels kThree[] = {{3, 4, 6}, {2, mpq_class(7, 3), 40}, {3, mpq_class(7, 2), 5}};
  for (const ThreeLevels& levels : kThree) {
    for (const auto& [coarse, fine] : {std::pair{1l, 0l}, {0l, 1l}, {4l, 1l}, {-2l, 1l}}) {
      EXPECT_EQ(judge(levels, coarse, fine), "")
          << levels[0] << ", " << levels[1] << ", " << levels[2] << ": " << coarse << ", " << fine;
    }
  }
  // where both are equal there are up to eight tries
  EXPECT_EQ(judge({4, 5, 6}, 0, 0), "");
  EXPECT_EQ(judge({3, 4, 40}, 2, 2), "");
}

// --- steps that are wrong by little ---

TEST(LawControl, Tighten) {
  const Levels levels{1, 2};
  const Rate one = rate_at(1);
  // independent noise on top, as if levels were answers of their own
  EXPECT_NE(judge_tighten(levels, [&](Source& s) { return draws::discrete_laplace(one, s); }), "");
  // always moved
  EXPECT_NE(
      judge_tighten(levels,
                    [&](Source& s) {
                      return mpz_class(1 + geometric(one, s) - draws::excess(one, one, true, s));
                    }),
      "");
  // a gap that is off by 2^-14, where less than 2^-20 is undecided
  constexpr int kOff = 1 << (kDecidedBits - 6);
  const Rate gap{kOff + 1, kOff};
  EXPECT_NE(judge_tighten(levels,
                          [&](Source& s) {
                            return mpz_class(draws::excess(one, gap, true, s) -
                                             draws::excess(one, gap, true, s));
                          }),
            "");
}

TEST(LawControl, Relax) {
  const Levels levels{1, 2};
  const Rate one = rate_at(1), two = rate_at(2);
  // sgn(0) = 0, the paper's Algorithm 1 to the letter: 0 stays 0
  EXPECT_NE(judge_relax(levels, 0, [&](Source&) { return mpz_class(0); }), "");
  // fresh noise
  EXPECT_NE(judge_relax(levels, 2, [&](Source& s) { return draws::discrete_laplace(two, s); }), "");
  // J geometric of q_1 instead of its square
  EXPECT_NE(judge_relax(levels, 2,
                        [&](Source& s) {
                          const mpz_class j = geometric(one, s), up = 2 + j;
                          return mpz_class(std::min(up, geometric(one, s)) -
                                           std::min(j, geometric(one, s)));
                        }),
            "");
  // only one of the clocks is looked at
  EXPECT_NE(
      judge_relax(levels, 2,
                  [&](Source& s) { return mpz_class(std::min<mpz_class>(2, geometric(one, s))); }),
      "");
}

TEST(LawControl, Between) {
  const ThreeLevels levels{2, 3, 4};
  const Rate one = rate_at(1), two = rate_at(2);
  for (const auto& present : {std::pair{1l, 0l}, {0l, 0l}}) {
    const long coarse = present.first, fine = present.second;
    // the coarse level is not looked at
    EXPECT_NE(
        judge_between(levels, coarse, fine,
                      [&](Source& s) { return draws::tighten(fine, rate_at(3), rate_at(4), s); }),
        "");
    // the smaller increment is not weighed by Bayes
    EXPECT_NE(judge_between(levels, coarse, fine,
                            [&](Source& s) {
                              const mpz_class near = draws::excess(two, two, true, s),
                                              far = near + coarse - fine;
                              const mpz_class up =
                                  far == 0 ? far : std::min(far, draws::excess(one, one, true, s));
                              const mpz_class down =
                                  near == 0 ? near
                                            : std::min(near, draws::excess(one, one, true, s));
                              return mpz_class(fine + up - down);
                            }),
              "");
  }
}

}  // namespace
}  // namespace idp::test

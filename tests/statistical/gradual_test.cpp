// Gradual release with the operating system's randomness: the joint law of chains drawn in every
// order, each step from fixed neighbours, and what the process promises.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "core/gradual/process.h"
#include "tests/statistical/gradual_checks.h"
#include "tests/support/gradual_law.h"

namespace idp::test {
namespace {

const Levels kNarrow{{0.5, 1, 3}, 1};
const Levels kWide{{0.5, 1, 3}, 1 << 20};

TEST(Gradual, ChainsFromCoarseToFine) {
  for (const Levels& levels : {kNarrow, kWide}) {
    const Verdict verdict = check_chain(in_order(levels, {0, 1, 2}), levels, kDraws);
    EXPECT_FALSE(verdict.rejected) << levels.sensitivity << ": " << verdict.why;
  }
}

TEST(Gradual, TheOrderDoesNotMatter) {
  const std::pair<std::array<std::size_t, 3>, std::int64_t> orders[] = {{{0, 2, 1}, kFewDraws},
                                                                        {{2, 1, 0}, kFewDraws},
                                                                        {{1, 0, 2}, kFewDraws / 4},
                                                                        {{1, 2, 0}, kFewDraws / 4},
                                                                        {{2, 0, 1}, kFewDraws / 4}};
  for (const auto& [order, draws] : orders) {
    for (const Levels& levels : {kNarrow, kWide}) {
      const Verdict verdict = check_chain(in_order(levels, order), levels, draws);
      EXPECT_FALSE(verdict.rejected)
          << levels.sensitivity << ", " << order[0] << order[1] << order[2] << ": " << verdict.why;
    }
  }
}

// Levels whose ratio is far from 1 and close to it, and a grid beyond 64 bits.
TEST(Gradual, OtherLevels) {
  const Levels all[] = {{{0.01, 2, 2.0625}, 3}, {{1, 1.01, 20}, mpz_class(1) << 100}};
  for (const Levels& levels : all) {
    const Verdict verdict = check_chain(in_order(levels, {0, 2, 1}), levels, kFewDraws / 4);
    EXPECT_FALSE(verdict.rejected) << levels.epsilon[0] << ": " << verdict.why;
  }
}

TEST(Gradual, StepsFromFixedNeighbours) {
  const Rate coarse = kNarrow.rate(0), middle = kNarrow.rate(1), fine = kNarrow.rate(2);
  const auto law = between_of(0.5L, 1.0L, 3.0L);
  const std::int64_t draws = kFewDraws / 4;
  for (const long x : {0l, 3l, -2l}) {
    const auto relaxed = [&](BitSource& bits) { return relax(x, coarse, middle, bits); };
    Verdict verdict = check_step(
        relaxed, [&](long v) { return law.upper.relax(x, v); }, draws);
    EXPECT_FALSE(verdict.rejected) << x << ": " << verdict.why;
    const auto tightened = [&](BitSource& bits) { return tighten(x, middle, fine, bits); };
    verdict = check_step(
        tightened, [&](long v) { return law.lower.tighten(v - x); }, draws);
    EXPECT_FALSE(verdict.rejected) << x << ": " << verdict.why;
    for (const long y : {0l, 1l}) {
      const auto drawn = [&](BitSource& bits) { return between(x, y, coarse, middle, fine, bits); };
      verdict = check_step(
          drawn, [&](long v) { return law(x, y, v); }, draws);
      EXPECT_FALSE(verdict.rejected) << x << ", " << y << ": " << verdict.why;
    }
  }
}

// 1 - q_a << 1 - q_b << 1: two levels that are equal leave the choice to enclosures. With these
// levels neither side moved with probability one half.
TEST(Gradual, EqualNeighboursFarApart) {
  const Levels levels{{0x1p-21, 0x1p-10, 1}, 1 << 20};
  const auto unchanged = [&](BitSource& bits) {
    return between(9, 9, levels.rate(0), levels.rate(1), levels.rate(2), bits) == 9;
  };
  const auto law = between_of(levels.lambda(0), levels.lambda(1), levels.lambda(2));
  EXPECT_NEAR(static_cast<double>(law(9, 9, 9)), 0.5, 0.01);
  const Verdict verdict = check_coin(unchanged, law(9, 9, 9), kFewDraws / 4);
  EXPECT_FALSE(verdict.rejected) << verdict.why;
}

// The pair of answers keeps the promise of its second level, and uses it up.
TEST(Gradual, ThePairIsAsPrivateAsItsSecondAnswer) {
  const ChainSampler sampler = in_order(kNarrow, {0, 1, 2});
  const double epsilon = kNarrow.epsilon[1];
  const Verdict verdict = check_pair_worlds(sampler, kNarrow, epsilon, kFewDraws);
  EXPECT_FALSE(verdict.rejected) << verdict.why;
  EXPECT_TRUE(check_pair_worlds(sampler, kNarrow, epsilon / 2, kFewDraws).rejected);
}

TEST(Gradual, AveragingGainsNothing) {
  const Levels close{{1, 1.05, 1.1}, 1};
  const Verdict verdict = check_average(in_order(close, {0, 1, 2}), kDraws / 2);
  EXPECT_FALSE(verdict.rejected) << verdict.why;
}

}  // namespace
}  // namespace idp::test

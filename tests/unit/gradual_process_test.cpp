// The steps of gradual release: decisions worked out by hand on replayed words, and parameters at
// the ends of what a double and a grid can hold. What the draws amount to is in
// gradual_draws_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/gradual/process.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

mpz_class power_of_two(unsigned long exponent) { return mpz_class(1) << exponent; }

// Rates n/1. A geometric number of such a rate is floor(V/n), where V >= v has probability exp(-v).
// A coin exp(-k) has the words of a geometric number, and is heads if V >= k; but for k = 1 and 0,
// which have no V, and are written kHeads and kTails (of exp(-1) alone).
Rate whole(long n) { return {n, 1}; }
constexpr int kHeads = -1, kTails = -2;

template <class Draw>
mpz_class replay(const std::vector<int>& counts, Draw draw) {
  WordList words;
  for (const int v : counts) {
    words = joined({words, v >= 0        ? geometric_words(v)
                           : v == kHeads ? exp_coin_words(2)
                                         : exp_coin_words(1)});
  }
  ReplayBits bits(words);
  const mpz_class result = draw(bits);
  EXPECT_EQ(bits.finish(), 0u) << "words were left over";
  return result;
}

constexpr int kAny = 7;  // a number that is drawn and does not matter

TEST(Tighten, ReplayedWords) {
  const auto tightened = [](const mpz_class& fine, const std::vector<int>& counts) {
    return replay(counts, [&](BitSource& b) { return tighten(fine, whole(1), whole(3), b); });
  };
  EXPECT_EQ(tightened(7, {0, kAny, 0, kAny}), 7);
  EXPECT_EQ(tightened(7, {4, 3, 0, kAny}), 10);  // N = 4, M = floor(3/2)
  EXPECT_EQ(tightened(7, {0, kAny, 4, 3}), 4);   // the other side
  EXPECT_EQ(tightened(-7, {2, 1, 5, 0}), -10);
  EXPECT_EQ(tightened(0, {1, 2, 1, 9}), 0);  // M reaches N on both sides
}

TEST(Relax, ReplayedWords) {
  const auto relaxed = [](const mpz_class& coarse, const std::vector<int>& counts) {
    return replay(counts, [&](BitSource& b) { return relax(coarse, whole(1), whole(2), b); });
  };
  EXPECT_EQ(relaxed(0, {0, kAny, kAny}), 0);  // J = 0
  EXPECT_EQ(relaxed(0, {1, kAny, kAny}), 0);  // J = floor(1/2)
  EXPECT_EQ(relaxed(3, {0, 9, kAny}), 3);     // M beyond x: it stays
  EXPECT_EQ(relaxed(3, {0, 2, kAny}), 2);
  EXPECT_EQ(relaxed(-3, {0, 2, kAny}), -2);  // the mirror image
  EXPECT_EQ(relaxed(3, {2, 9, 5}), 3);       // J = 1: min(4, 9) - min(1, 5)
  EXPECT_EQ(relaxed(3, {2, 9, 0}), 4);       // beyond x
  EXPECT_EQ(relaxed(-3, {2, 9, 0}), -4);
  EXPECT_EQ(relaxed(3, {4, 1, 7}), -1);  // below 0: min(5, 1) - min(2, 7)
  EXPECT_EQ(relaxed(0, {4, 9, 1}), 1);
}

TEST(Between, ReplayedWords) {
  const auto drawn = [](const mpz_class& coarse, const mpz_class& fine, std::vector<int> counts) {
    return replay(counts, [&](BitSource& b) {
      return between(coarse, fine, whole(1), whole(2), whole(3), b);
    });
  };
  // neither side moved, twice
  EXPECT_EQ(drawn(4, 4, {0, kAny, kAny, kHeads, kAny, kAny, kAny, kAny}), 4);
  // d = 0: N = 3, M = floor(5/2), so j = 1; against exp(-2) tails, for exp(-1) heads: kept. Then
  // min(1, 2 - 0) for near, min(1, 0) for far
  EXPECT_EQ(drawn(4, 4, {3, 5, 0, kHeads, 2, 0, 0, kAny}), 3);
  // exp(-2) heads: anew, and N = 0
  EXPECT_EQ(drawn(4, 4, {3, 5, 2, kHeads, 0, 0, 0, kHeads, 0, 0, 0, 0}), 4);
  // exp(-2) tails, and exp(-1) too: anew
  EXPECT_EQ(drawn(4, 4, {3, 5, 1, kTails, 0, 0, 0, kHeads, 0, 0, 0, 0}), 4);
  // d = 2: near is kept with exp(-j)
  EXPECT_EQ(drawn(5, 3, {0, 0, kHeads, kAny, kAny, 0, kAny}), 3);  // far 2; its clock rang early
  EXPECT_EQ(drawn(5, 3, {0, 0, kHeads, kAny, kAny, 1, 0}), 4);
  EXPECT_EQ(drawn(5, 3, {0, 0, kHeads, kAny, kAny, 9, 0}), 5);  // no further than the coarse level
  EXPECT_EQ(drawn(3, 5, {0, 0, kHeads, kAny, kAny, 1, 0}), 4);  // d = -2
  EXPECT_EQ(drawn(5, 3, {3, 5, kHeads, 2, 0, 1, 0}), 3);  // j = 1: near min(1, 2), far min(3, 1)
  EXPECT_EQ(drawn(5, 3, {3, 5, kTails, 0, 0, kHeads, 0, 0, 0, 0}), 3);  // j = 1 is not kept
}

TEST(GradualSteps, RefuseLevelsThatDoNotAscend) {
  SeededBits bits(1);
  const Rate one = whole(1), two{4, 2}, half{1, 2};
  EXPECT_THROW(relax(1, one, whole(1), bits), std::invalid_argument);
  EXPECT_THROW(relax(1, two, one, bits), std::invalid_argument);
  EXPECT_THROW(tighten(1, two, whole(2), bits), std::invalid_argument);
  EXPECT_THROW(tighten(1, one, half, bits), std::invalid_argument);
  EXPECT_THROW(between(1, 1, half, half, one, bits), std::invalid_argument);
  EXPECT_THROW(between(1, 1, half, one, one, bits), std::invalid_argument);
  EXPECT_THROW(between(1, 1, one, half, two, bits), std::invalid_argument);
}

std::vector<double> extreme_levels() {
  const double most = std::numeric_limits<double>::max();
  const double next = std::nextafter(0.1, most);
  return {5e-324, 1e-323, 1e-310, 0x1p-1022, 1e-9, 0.1, next, std::nextafter(next, most),
          1,      1e300,  most};
}

// Every triple of them, on grids from 1 to 2^2000 steps: it ends, soon, and stays within reach.
TEST(GradualSteps, ExtremeParametersTerminate) {
  const std::vector<double> levels = extreme_levels();
  SeededBits bits(2);
  for (const mpz_class& sensitivity :
       {mpz_class(1), power_of_two(60), mpz_class(power_of_two(100) + 1), power_of_two(2000)}) {
    std::vector<Rate> rates;
    for (const double e : levels) rates.push_back(Rate::of(e, sensitivity));
    for (const mpz_class& x : {mpz_class(0), mpz_class(-1), power_of_two(200)}) {
      for (std::size_t i = 0; i < rates.size(); ++i) {
        for (std::size_t j = i + 1; j < rates.size(); ++j) {
          const mpz_class fine = relax(x, rates[i], rates[j], bits);
          const mpz_class coarse = tighten(x, rates[i], rates[j], bits);
          for (const mpz_class& v : {fine, coarse}) {
            EXPECT_LT(mpz_sizeinbase(v.get_mpz_t(), 2), 3200u);
          }
          for (std::size_t k = i + 1; k < j; ++k) {
            for (const mpz_class& end : {x, fine}) {
              const mpz_class v = between(x, end, rates[i], rates[k], rates[j], bits);
              EXPECT_LT(mpz_sizeinbase(v.get_mpz_t(), 2), 3200u);
            }
          }
        }
      }
    }
  }
}

// Where one outcome has all but 2^-50 of the probability.
TEST(GradualSteps, TheEndsOfTheLaw) {
  SeededBits bits(3);
  const mpz_class delta = power_of_two(60), far = power_of_two(200);
  const Rate tiny = Rate::of(5e-324, delta), one = Rate::of(1, delta),
             huge = Rate::of(1e300, delta);
  const Rate next = Rate::of(std::nextafter(1.0, 2.0), delta);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(relax(far, one, huge, bits), 0);  // no noise is left, however far it was
    EXPECT_EQ(relax(-far, tiny, huge, bits), 0);
    EXPECT_EQ(relax(-delta, one, next, bits), -delta);  // nothing changes
    EXPECT_EQ(tighten(delta, one, next, bits), delta);
    EXPECT_LT(abs(relax(far, one, next, bits)), far);  // r^x = exp(-2^88)
    EXPECT_GT(abs(tighten(0, tiny, one, bits)), far);
    EXPECT_EQ(between(7, 7, one, next, huge, bits), 7);
    EXPECT_NE(between(0, 0, tiny, one, huge, bits), 0);  // both sides moved, and met
    EXPECT_LT(between(far, 5, one, Rate::of(2, delta), huge, bits), far);
  }
}

}  // namespace
}  // namespace idp::test

// Negative controls: the checks the library passes must reject samplers and releases that are wrong
// in ways people got wrong. A control fails only if a mutant looks right by chance; each mutant's
// statistic is expected far beyond its threshold.
#include <gtest/gtest.h>

#include <cmath>

#include "core/random/bernoulli.h"
#include "tests/statistical/checks.h"
#include "tests/support/data.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

#define EXPECT_REJECTED(expression)                 \
  do {                                              \
    const Verdict verdict_ = (expression);          \
    EXPECT_TRUE(verdict_.rejected) << verdict_.why; \
  } while (false)

Rate scaled(const Rate& rate, long numerator, long denominator) {
  return {rate.numerator * numerator, rate.denominator * denominator};
}

// Mutants of the discrete Laplace sampler.

mpz_class half_epsilon(const Rate& rate, BitSource& bits) {
  return discrete_laplace(scaled(rate, 1, 2), bits);
}
mpz_class half_sensitivity(const Rate& rate, BitSource& bits) {
  return discrete_laplace(scaled(rate, 2, 1), bits);
}
mpz_class ten_percent_off(const Rate& rate, BitSource& bits) {
  return discrete_laplace(scaled(rate, 10, 9), bits);
}
mpz_class no_noise(const Rate&, BitSource&) { return 0; }
// keeps (minus, 0): 0 is drawn twice as often as it should
mpz_class zero_twice(const Rate& rate, BitSource& bits) {
  const bool negative = bits.word() >> 63;
  const mpz_class magnitude = geometric(rate, bits);
  return negative ? mpz_class(-magnitude) : magnitude;
}
// drops 0 altogether
mpz_class zero_never(const Rate& rate, BitSource& bits) {
  const bool negative = bits.word() >> 63;
  const mpz_class magnitude = geometric(rate, bits) + 1;
  return negative ? mpz_class(-magnitude) : magnitude;
}
// noise computed for a step of 2: every answer is even
mpz_class coarse(const Rate& rate, BitSource& bits) {
  return 2 * discrete_laplace(scaled(rate, 2, 1), bits);
}

TEST(NegativeControl, DiscreteLaplace) {
  const mpz_class wide = (mpz_class(1) << 63) + 12345;
  for (const auto& mutant : {half_epsilon, half_sensitivity, no_noise}) {
    EXPECT_REJECTED(check_discrete_laplace(mutant, 1, 1, kFewDraws));
    EXPECT_REJECTED(check_discrete_laplace(mutant, 0.1, wide, kFewDraws));
  }
  EXPECT_REJECTED(check_discrete_laplace(ten_percent_off, 1, 1));
  EXPECT_REJECTED(check_discrete_laplace(ten_percent_off, 0.1, wide));
  EXPECT_REJECTED(check_discrete_laplace(zero_twice, 1, 1, kFewDraws));
  EXPECT_REJECTED(check_discrete_laplace(zero_twice, 0.1, 1, kFewDraws));
  EXPECT_REJECTED(check_discrete_laplace(zero_never, 0.1, 1, kFewDraws));
  EXPECT_REJECTED(check_discrete_laplace(coarse, 0.1, 1, kFewDraws));
  EXPECT_REJECTED(check_low_bits(coarse, 0.1, wide, kFewDraws));
  // a sensitivity that is one too small
  const auto less_one = [](const Rate& rate, BitSource& bits) {
    return discrete_laplace({rate.numerator, rate.denominator - 1}, bits);
  };
  EXPECT_REJECTED(check_discrete_laplace(less_one, 1, 10));
}

TEST(NegativeControl, Geometric) {
  const auto shifted = [](const Rate& rate, BitSource& bits) -> mpz_class {
    return geometric(rate, bits) + 1;
  };
  const auto other_rate = [](const Rate& rate, BitSource& bits) {
    return geometric(scaled(rate, 10, 9), bits);
  };
  EXPECT_REJECTED(check_geometric(shifted, 0.1, 1, kFewDraws));
  EXPECT_REJECTED(check_geometric(other_rate, 0.5, 1000003));
}

// Mutants of the coin: no floating point, yet biased. Words of four bits stand for words of 64, so
// that what goes wrong in the last place can be seen.
bool inclusive_coin(unsigned long n, unsigned long d, BitSource& bits) {
  return bits.word() >> 60 <= 16 * n / d;  // an equal word decides instead of revealing the next
}
bool one_word_coin(unsigned long n, unsigned long d, BitSource& bits) {
  return bits.word() >> 60 < 16 * n / d;
}
// Bernoulli(exp(-n/d)) whose flips are counted from 0 instead of 1
bool miscounted_exp_coin(unsigned long n, unsigned long d, BitSource& bits) {
  mpz_class scaled = d;
  bool odd = false;
  while (bernoulli(n, scaled, bits)) {
    scaled += d;
    odd = !odd;
  }
  return odd;
}
// the rest of the exponent beyond 1 is forgotten
bool whole_exp_coin(unsigned long n, unsigned long d, BitSource& bits) {
  return bernoulli_exp(n / d, 1, bits);
}

TEST(NegativeControl, Coins) {
  EXPECT_REJECTED(check_coin([](BitSource& bits) { return inclusive_coin(1, 3, bits); }, 1.0L / 3));
  EXPECT_REJECTED(check_coin([](BitSource& bits) { return one_word_coin(1, 3, bits); }, 1.0L / 3));
  EXPECT_REJECTED(
      check_coin([](BitSource& bits) { return miscounted_exp_coin(1, 2, bits); }, std::exp(-0.5L)));
  EXPECT_REJECTED(
      check_coin([](BitSource& bits) { return whole_exp_coin(7, 2, bits); }, std::exp(-3.5L)));
}

TEST(NegativeControl, Counts) {
  const auto half = [](auto release) {
    return [release](std::int64_t count, double epsilon, BitSource& bits) {
      return release(count, epsilon / 2, bits);
    };
  };
  const auto exact = [](std::int64_t count, double, BitSource&) { return count; };
  // noise drawn again until it fits, instead of moving its mass to the ends
  const auto redrawn = [](std::int64_t count, double epsilon, BitSource& bits) {
    for (;;) {
      const std::int64_t noisy = release_count(count, epsilon, bits);
      if (std::abs(noisy - count) <= 1) return noisy;
    }
  };
  for (const double epsilon : {0.1, 1.0}) {
    EXPECT_REJECTED(check_truncated_count(half(release_truncated_count), epsilon, kFewDraws));
    EXPECT_REJECTED(check_truncated_count(release_count, epsilon, kFewDraws));
    EXPECT_REJECTED(check_truncated_count(redrawn, epsilon, kFewDraws));
    EXPECT_REJECTED(check_truncated_count(exact, epsilon, kFewDraws));
    EXPECT_REJECTED(check_count_error(half(release_count), epsilon, kFewDraws));
    EXPECT_REJECTED(check_count_error(release_truncated_count, epsilon, kFewDraws));
    EXPECT_REJECTED(check_count_error(exact, epsilon, kFewDraws));
  }
}

TEST(NegativeControl, FloatRelease) {
  const auto half_epsilon_release = [](const Grid& grid, const Neighbourhood<Key64>& around,
                                       double epsilon, BitSource& bits) {
    return release_one(grid, around, epsilon / 2, bits);
  };
  // only the distance to the upper neighbour, which is half of the sensitivity in the check
  const auto one_sided = [](const Grid& grid, const Neighbourhood<Key64>& around, double epsilon,
                            BitSource& bits) {
    return release_one<Key64>(grid, {around.at, around.at, around.above}, epsilon, bits);
  };
  const auto exact = [](const Grid&, const Neighbourhood<Key64>& around, double, BitSource&) {
    return std::optional<Key64>(around.at);
  };
  EXPECT_REJECTED(check_float_release(half_epsilon_release, kFloat64Grid, 1, 1));
  EXPECT_REJECTED(check_float_release(one_sided, kFloat64Grid, 1, 1));
  EXPECT_REJECTED(check_float_release(exact, kFloat64Grid, 1, 1));
}

// The median of {0, 0, 3, 5, 9} is 3, its sensitivity 3, its worst neighbour's median 0.
Verdict two_worlds(const std::function<std::int64_t(BitSource&)>& noise) {
  return check_two_worlds({[&](BitSource& bits) { return 3 + noise(bits); },
                           [&](BitSource& bits) { return noise(bits); }},
                          3, 60, 1, kDraws / 2);
}

TEST(NegativeControl, TwoWorlds) {
  const auto laplace = [](double epsilon, long sensitivity) {
    return [rate = Rate::of(epsilon, sensitivity)](BitSource& bits) {
      return static_cast<std::int64_t>(discrete_laplace(rate, bits).get_si());
    };
  };
  EXPECT_FALSE(two_worlds(laplace(1, 3)).rejected);
  EXPECT_REJECTED(two_worlds(laplace(1, 2)));  // a sensitivity that is one too small
  EXPECT_REJECTED(two_worlds(laplace(2, 3)));  // as if twice the epsilon had been paid
  EXPECT_REJECTED(two_worlds([](BitSource&) { return 0; }));
  EXPECT_REJECTED(
      two_worlds([](BitSource& bits) { return zero_twice(Rate::of(1, 3), bits).get_si(); }));
  // noise on a grid of 2 shows which of the two values it was added to
  EXPECT_REJECTED(
      two_worlds([](BitSource& bits) { return coarse(Rate::of(1, 3), bits).get_si(); }));
}

TEST(NegativeControl, UniformCells) {
  // a modulo instead of a rejection: 16 values onto 5
  std::vector<Cell> cells(5, Cell{0.2L, 0});
  for (std::int64_t i = 0; i < kDraws; ++i) ++cells[static_cast<std::size_t>(i % 16 % 5)].observed;
  EXPECT_REJECTED(judge_cells(cells));
}

}  // namespace
}  // namespace idp::test

// The exact samplers against their exact probabilities, with the operating system's randomness.
#include <gtest/gtest.h>

#include <cmath>

#include "core/random/bernoulli.h"
#include "core/random/discrete_laplace.h"
#include "tests/statistical/checks.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

mpz_class power_of_two(unsigned long exponent) { return mpz_class(1) << exponent; }

struct Law {
  double epsilon;
  mpz_class sensitivity;
};

// from a law that is nearly a point to ones far wider than 64 bits
const std::vector<Law>& laws() {
  static const std::vector<Law> all{{1, 1},
                                    {1, 2},
                                    {0.1, 1},
                                    {5, 1},
                                    {3, 7},
                                    {0.5, 1000003},
                                    {0x1p-40, 1},
                                    {1, power_of_two(40)},
                                    {0.1, power_of_two(63) + 12345},
                                    {20, power_of_two(100) + 1}};
  return all;
}

TEST(DiscreteLaplace, ExactProbabilities) {
  for (const auto& [epsilon, sensitivity] : laws()) {
    const Verdict verdict = check_discrete_laplace(discrete_laplace, epsilon, sensitivity);
    EXPECT_FALSE(verdict.rejected) << epsilon << ", " << sensitivity << ": " << verdict.why;
  }
}

TEST(DiscreteLaplace, LowBitsOfWideLawsAreUniform) {
  for (const auto& [epsilon, sensitivity] : laws()) {
    if (epsilon / sensitivity.get_d() > 1e-9) continue;
    const Verdict verdict = check_low_bits(discrete_laplace, epsilon, sensitivity);
    EXPECT_FALSE(verdict.rejected) << epsilon << ", " << sensitivity << ": " << verdict.why;
  }
}

TEST(Geometric, ExactProbabilities) {
  for (const auto& [epsilon, sensitivity] : laws()) {
    const Verdict verdict = check_geometric(geometric, epsilon, sensitivity);
    EXPECT_FALSE(verdict.rejected) << epsilon << ", " << sensitivity << ": " << verdict.why;
  }
}

struct Fraction {
  mpz_class numerator, denominator;
};

long double quotient(const Fraction& f) {
  return to_long_double(f.numerator) / to_long_double(f.denominator);
}

TEST(Bernoulli, ExactProbabilities) {
  const Fraction fractions[] = {{1, 2},
                                {1, 3},
                                {2, 3},
                                {1, 1000},
                                {999999, 1000000},
                                {power_of_two(63), power_of_two(64) - 1},
                                {power_of_two(70), 3 * power_of_two(70) + 1},
                                {power_of_two(100) + 17, power_of_two(101) - 1}};
  for (const Fraction& f : fractions) {
    const Verdict verdict = check_coin(
        [&](BitSource& bits) { return bernoulli(f.numerator, f.denominator, bits); }, quotient(f));
    EXPECT_FALSE(verdict.rejected) << f.numerator << "/" << f.denominator << ": " << verdict.why;
  }
}

TEST(BernoulliExp, ExactProbabilities) {
  const Fraction fractions[] = {{1, 1},
                                {1, 2},
                                {1, 1000},
                                {99, 100},
                                {3, 2},
                                {2, 1},
                                {7, 2},
                                {10, 1},
                                {power_of_two(70) + 1, power_of_two(71)},
                                {5 * power_of_two(80) + 3, 2 * power_of_two(80) + 1}};
  for (const Fraction& f : fractions) {
    const Verdict verdict =
        check_coin([&](BitSource& bits) { return bernoulli_exp(f.numerator, f.denominator, bits); },
                   std::exp(-quotient(f)));
    EXPECT_FALSE(verdict.rejected) << f.numerator << "/" << f.denominator << ": " << verdict.why;
  }
}

TEST(UniformBelow, EqualProbabilities) {
  for (const unsigned long bound : {5ul, 64ul, 100ul}) {
    std::vector<Cell> cells(bound, Cell{1.0L / static_cast<long double>(bound), 0});
    OsBits bits;
    for (std::int64_t i = 0; i < kDraws; ++i) {
      ++cells[uniform_below(bound, bits).get_ui()].observed;
    }
    const Verdict verdict = judge_cells(cells);
    EXPECT_FALSE(verdict.rejected) << bound << ": " << verdict.why;
  }
}

}  // namespace
}  // namespace idp::test

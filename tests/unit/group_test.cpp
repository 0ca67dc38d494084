// The rate of noise that protects groups of several sizes.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/mechanism/group.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

mpq_class value_of(const Rate& rate) {
  mpq_class q(rate.numerator, rate.denominator);
  q.canonicalize();
  return q;
}

TEST(GroupRate, IsTheLeastQuotient) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> epsilons(random() % 6 + 1);
    std::vector<mpz_class> sensitivities(epsilons.size());
    std::optional<mpq_class> least;
    for (std::size_t j = 0; j < epsilons.size(); ++j) {
      epsilons[j] =
          std::ldexp(static_cast<double>(random() | 1), static_cast<int>(random() % 200) - 160);
      sensitivities[j] = static_cast<unsigned long>(random() >> (random() % 64));
      sensitivities[j] *= static_cast<unsigned long>(random() % 3);
      if (sensitivities[j] == 0) continue;
      const mpq_class quotient = mpq_class(epsilons[j]) / sensitivities[j];
      if (!least || quotient < *least) least = quotient;
    }
    const auto rate = group_rate(epsilons, sensitivities);
    ASSERT_EQ(rate.has_value(), least.has_value());
    ASSERT_TRUE(!rate || value_of(*rate) == *least);
  }
}

// Quotients that differ by less than any double could tell.
TEST(GroupRate, IsComparedExactly) {
  const double epsilons[] = {1, 1, 1};
  const mpz_class large = mpz_class(1) << 200;
  const mpz_class sensitivities[] = {large, large + 1, large - 1};
  EXPECT_EQ(value_of(*group_rate(epsilons, sensitivities)), mpq_class(1) / (large + 1));
  const double extremes[] = {5e-324, 1e308};
  const mpz_class one_and_more[] = {1, mpz_class(1) << 2100};
  EXPECT_EQ(value_of(*group_rate(extremes, one_and_more)),
            mpq_class(1e308) / (mpz_class(1) << 2100));
}

TEST(GroupNoise, NothingToHideTakesNoBits) {
  ReplayBits none({});
  const double epsilons[] = {1, 2};
  const mpz_class sensitivities[] = {0, 0};
  EXPECT_EQ(group_noise(epsilons, sensitivities, none), 0);
  EXPECT_EQ(none.finish(), 0u);
}

}  // namespace
}  // namespace idp::test

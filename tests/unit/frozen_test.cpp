// The rate of noise that protects groups of several sizes, and the draws of it.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

#include "core/mechanism/frozen.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

mpq_class value_of(const Rate& rate) {
  mpq_class q(rate.numerator, rate.denominator);
  q.canonicalize();
  return q;
}

mpq_class fraction(unsigned long numerator, unsigned long denominator) {
  mpq_class q(numerator, denominator);
  q.canonicalize();
  return q;
}

TEST(GroupRate, IsTheLeastQuotient) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> epsilons(random() % 6 + 1);
    std::vector<mpq_class> sensitivities(epsilons.size());
    std::optional<mpq_class> least;
    for (std::size_t j = 0; j < epsilons.size(); ++j) {
      epsilons[j] =
          std::ldexp(static_cast<double>(random() | 1), static_cast<int>(random() % 200) - 160);
      sensitivities[j] = fraction(random() >> (random() % 64), random() % 30 + 1);
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
  const mpq_class sensitivities[] = {mpq_class(large), mpq_class(large + 1), mpq_class(large - 1)};
  EXPECT_EQ(value_of(*group_rate(epsilons, sensitivities)), mpq_class(1) / (large + 1));
  const double extremes[] = {5e-324, 1e308};
  const mpq_class one_and_more[] = {1, mpq_class(mpz_class(1) << 2100)};
  EXPECT_EQ(value_of(*group_rate(extremes, one_and_more)),
            mpq_class(1e308) / (mpz_class(1) << 2100));
}

TEST(GroupRate, NeedsAnEpsilonForEachDistance) {
  const double epsilons[] = {1, 2};
  const mpq_class sensitivities[] = {1, 2, 3};
  EXPECT_THROW(group_rate(epsilons, sensitivities), std::invalid_argument);
  EXPECT_THROW(group_rate({}, sensitivities), std::invalid_argument);
  SeededBits bits(1);
  EXPECT_THROW(draw_noise(freeze_noisy({1}, {1}), epsilons, bits, nullptr), std::invalid_argument);
}

TEST(DrawNoise, NothingToHideTakesNoBits) {
  ReplayBits none({});
  const double epsilons[] = {1, 2};
  Frozen frozen = freeze_noisy({5}, {0});
  frozen.sensitivities[0].emplace_back(0);
  EXPECT_EQ(draw_noise(frozen, epsilons, none, nullptr), std::vector<mpz_class>{0});
  EXPECT_EQ(draw_noise(Frozen{}, epsilons, none, nullptr), std::vector<mpz_class>{});
  frozen.kind = Frozen::Kind::kInfinite;
  EXPECT_EQ(none.finish(), 0u);
}

// Each value its own draw of its own rate, in order, from the same bits as the plain sampler.
TEST(DrawNoise, IsDiscreteLaplaceOfEachRate) {
  const double epsilon = 0.75;
  const Frozen several =
      freeze_noisy({7, 0, -3, 9}, {fraction(25, 8), fraction(1, 3), 0, mpq_class(1L << 40)});
  const Frozen shared = freeze_noisy({7, 0, -3, 9, 12}, {2});
  const Rate rates[] = {{6, 25}, {9, 4}, {0, 1}, {3, mpz_class(4) << 40}};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SeededBits bits(seed), plain(seed);
    const auto noise = draw_noise(several, {&epsilon, 1}, bits, nullptr);
    ASSERT_EQ(noise.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      if (i != 2) {
        ASSERT_EQ(*rate_of(several, i, {&epsilon, 1}), rates[i]);
        // the same law, and the same draw where it is written the same way
        ASSERT_EQ(noise[i], discrete_laplace(*rate_of(several, i, {&epsilon, 1}), plain));
      } else {
        ASSERT_EQ(noise[i], 0);
      }
    }
    for (const mpz_class& one : draw_noise(shared, {&epsilon, 1}, bits, nullptr)) {
      ASSERT_EQ(one, discrete_laplace(Rate::of(epsilon, 2), plain));
    }
    ASSERT_EQ(bits.word(), plain.word());
  }
}

int polls = 0;
bool third_time() { return ++polls == 3; }

TEST(DrawNoise, StopsWhenAsked) {
  SeededBits bits(1);
  const double epsilon = 1;
  const auto buckets = [](std::size_t n) { return freeze_noisy(std::vector<mpz_class>(n), {2}); };
  const auto always = [] { return true; };
  EXPECT_THROW(draw_noise(buckets(1), {&epsilon, 1}, bits, always), Stopped);
  polls = 0;
  EXPECT_EQ(draw_noise(buckets(2048), {&epsilon, 1}, bits, third_time).size(), 2048u);
  polls = 0;
  EXPECT_THROW(draw_noise(buckets(2049), {&epsilon, 1}, bits, third_time), Stopped);
}

}  // namespace
}  // namespace idp::test

// The releases of sums, averages and variances: their laws, and the promises themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random/discrete_laplace.h"
#include "tests/statistical/checks.h"
#include "tests/support/bits.h"
#include "tests/support/moments.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

#define EXPECT_ACCEPTED(expression)                  \
  do {                                               \
    const Verdict verdict_ = (expression);           \
    EXPECT_FALSE(verdict_.rejected) << verdict_.why; \
  } while (false)
#define EXPECT_REJECTED(expression)                 \
  do {                                              \
    const Verdict verdict_ = (expression);          \
    EXPECT_TRUE(verdict_.rejected) << verdict_.why; \
  } while (false)

constexpr std::int64_t kLower = -2, kUpper = 6;
#ifdef IDP_SANITIZE
constexpr std::int64_t kAnswers = 30000;
#else
constexpr std::int64_t kAnswers = 60000;
#endif

Number release(const Spec& spec, std::span<const double> epsilons, const State& state,
               BitSource& bits) {
  return release_moments(spec, epsilons, state.words.data(), state.count, bits);
}

// Individual privacy. Everything about the data set by brute force: the answer on the result grid,
// how far a group can move it, and the neighbours that move it farthest either way.
struct Actual {
  Spec spec;
  State state;
  mpz_class at;
  std::vector<mpz_class> sensitivities;
  mpz_class lowest, highest;  // f_g of neighbours at distance 1
};

Actual actual(Statistic statistic, const Data& data, std::size_t distances = 1) {
  Actual world;
  world.spec = moments<Key64>(statistic, kLower, kUpper, kInt64Grid, static_cast<int>(distances));
  world.state = state_of<Key64>(world.spec, data);
  const ResultGrid grid(moment_question(world.spec));
  const auto f = [&](const Data& some) {
    return grid.units(brute_moment(statistic, some, kLower, kUpper));
  };
  world.at = world.lowest = world.highest = f(data);
  const auto within = brute_neighbours(data, kLower, kUpper, distances);
  for (std::size_t j = 1; j <= distances; ++j) {
    mpz_class worst = 0;
    for (const Data& some : within[j]) {
      const mpz_class there = f(some);
      worst = std::max<mpz_class>(worst, abs(there - world.at));
      if (j > 1) continue;
      world.lowest = std::min(world.lowest, there);
      world.highest = std::max(world.highest, there);
    }
    world.sensitivities.push_back(worst);
  }
  return world;
}

// Data sets with a record at each vertex of the variance, so that its bound is the sensitivity.
struct LocalCase {
  Statistic statistic;
  Data data;
  double epsilon;
};
const LocalCase kLocalCases[] = {
    {Statistic::kSum, {-2, 0, 1, 5}, 1},          {Statistic::kSum, {}, 0.5},
    {Statistic::kAverage, {-1, 0, 0, 3, 6}, 0.7}, {Statistic::kAverage, {}, 1},
    {Statistic::kVariance, {0, 1, 2}, 1},         {Statistic::kVariance, {3}, 0.5},
    {Statistic::kStddev, {0, 1, 2, 6}, 2},        {Statistic::kStddev, {1, 1, 1}, 1}};

TEST(LocalMoments, TheNoiseIsOfTheLocalSensitivity) {
  for (const auto& [statistic, data, epsilon] : kLocalCases) {
    SCOPED_TRACE(static_cast<int>(statistic));
    const Actual world = actual(statistic, data);
    const auto noise = [&](const Rate&, BitSource& bits) -> mpz_class {
      return release(world.spec, {&epsilon, 1}, world.state, bits).units - world.at;
    };
    EXPECT_ACCEPTED(check_discrete_laplace(noise, epsilon, world.sensitivities[0], kAnswers));
    EXPECT_REJECTED(check_discrete_laplace(noise, epsilon / 2, world.sensitivities[0], kAnswers));
  }
}

TEST(LocalMoments, TheNoiseProtectsGroups) {
  const struct {
    Statistic statistic;
    std::vector<double> epsilons;
  } cases[] = {{Statistic::kSum, {1, 1.2, 2.5}},
               {Statistic::kAverage, {0.3, 1.2, 2.5}},
               {Statistic::kAverage, {1, 1.5, 1.6}}};
  const Data data{-2, 0, 1, 5, 5, 6};
  std::size_t others = 0;
  for (const auto& [statistic, epsilons] : cases) {
    const Actual world = actual(statistic, data, epsilons.size());
    std::size_t worst = 0;
    const auto scale = [&](std::size_t j) {
      return to_long_double(world.sensitivities[j]) / static_cast<long double>(epsilons[j]);
    };
    for (std::size_t j = 1; j < epsilons.size(); ++j) {
      if (scale(j) > scale(worst)) worst = j;
    }
    others += worst > 0;
    const auto noise = [&](const Rate&, BitSource& bits) -> mpz_class {
      return release(world.spec, epsilons, world.state, bits).units - world.at;
    };
    EXPECT_ACCEPTED(
        check_discrete_laplace(noise, epsilons[worst], world.sensitivities[worst], kAnswers));
  }
  EXPECT_EQ(others, 2u);  // it is not always the single record that decides
}

// Answers as events: an eighth of the sensitivity each, counted from the actual answer.
std::int64_t event(const mpz_class& answer, const Actual& world) {
  mpz_class cell;
  mpz_fdiv_q(cell.get_mpz_t(), mpz_class(8 * (answer - world.at)).get_mpz_t(),
             world.sensitivities[0].get_mpz_t());
  return std::clamp<mpz_class>(cell, -100, 100).get_si();
}

Verdict check_local_worlds(const Actual& world, const mpz_class& there, double epsilon,
                           const Rate& rate, double promised) {
  const Worlds worlds{
      [&](BitSource& bits) {
        return event(release(world.spec, {&epsilon, 1}, world.state, bits).units, world);
      },
      [&](BitSource& bits) { return event(there + discrete_laplace(rate, bits), world); }};
  return check_two_worlds(worlds, 0, 100, promised, kAnswers);
}

TEST(LocalMoments, KeepTheirPromise) {
  for (const auto& [statistic, data, epsilon] : kLocalCases) {
    SCOPED_TRACE(static_cast<int>(statistic));
    const Actual world = actual(statistic, data);
    const Rate rate = Rate::of(epsilon, world.sensitivities[0]);
    for (const mpz_class& there : {world.lowest, world.highest}) {
      EXPECT_ACCEPTED(check_local_worlds(world, there, epsilon, rate, epsilon));
    }
    // and the promise is used up: half of epsilon would not do
    const bool up = world.highest - world.at == world.sensitivities[0];
    const mpz_class& farther = up ? world.highest : world.lowest;
    EXPECT_REJECTED(check_local_worlds(world, farther, epsilon, rate, epsilon / 2));
  }
}

TEST(LocalMoments, MutantsAreRejected) {
  const Actual world = actual(Statistic::kSum, {1, 0, 1, 2});
  ASSERT_EQ(world.at, 4);
  ASSERT_EQ(world.sensitivities[0], 6);
  const auto judge = [&](auto noise) {
    return check_two_worlds(
        {[&](BitSource& bits) { return event(world.at + noise(bits), world); },
         [&](BitSource& bits) { return event(world.highest + noise(bits), world); }},
        0, 100, 1, kFewDraws);
  };
  const auto laplace = [](double epsilon, long sensitivity) {
    return [=](BitSource& bits) { return discrete_laplace(Rate::of(epsilon, sensitivity), bits); };
  };
  EXPECT_ACCEPTED(judge(laplace(1, 6)));
  EXPECT_REJECTED(judge(laplace(1, 5)));  // a sensitivity that is one too small
  EXPECT_REJECTED(judge(laplace(2, 6)));
  EXPECT_REJECTED(judge([](BitSource&) -> mpz_class { return 0; }));
  // and the law of the release would not be taken for that of a neighbouring sensitivity
  const double epsilon = 1;
  const auto noise = [&](const Rate&, BitSource& bits) -> mpz_class {
    return release(world.spec, {&epsilon, 1}, world.state, bits).units - world.at;
  };
  EXPECT_REJECTED(check_discrete_laplace(noise, epsilon, 5, kFewDraws));
  EXPECT_REJECTED(check_discrete_laplace(noise, epsilon, 7, kFewDraws));
}

}  // namespace
}  // namespace idp::test

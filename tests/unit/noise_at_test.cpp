// The noise of a named release at one level after another: which step draws it, what is repeated,
// what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/gradual/process.h"
#include "core/gradual/release.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

using Noise = std::vector<mpz_class>;
using Epsilons = std::vector<double>;
using Levels = std::vector<ReleasedLevel>;

// Three values of different sensitivities, one of which needs no noise.
Frozen three_values() {
  mpq_class odd(25, 9);
  return freeze_noisy({10, 20, 30}, {1000, 0, odd});
}

// Several distances, whose least quotient is at distance 1 or 2 as the epsilons say.
Frozen group_value() {
  Frozen frozen = freeze_noisy({5}, {100});
  frozen.sensitivities[0].emplace_back(300);
  return frozen;
}

Noise at(const Frozen& frozen, const Levels& levels, const Epsilons& epsilons, BitSource& bits) {
  return noise_at(frozen, levels, epsilons, bits, nullptr);
}

TEST(NoiseAt, TheFirstLevelIsDrawNoise) {
  const double epsilon = 0.7;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeededBits bits(seed), plain(seed);
    EXPECT_EQ(at(three_values(), {}, {epsilon}, bits),
              draw_noise(three_values(), {&epsilon, 1}, plain, nullptr));
    EXPECT_EQ(bits.word(), plain.word());
  }
}

TEST(NoiseAt, TakesTheStepThatFits) {
  const Frozen frozen = three_values();
  const auto rate = [&](std::size_t part, double epsilon) {
    return *rate_of(frozen, part, {&epsilon, 1});
  };
  // in the order of their release
  const Levels levels{{{1}, {300, 0, 4}}, {{3}, {310, 0, 0}}, {{0.5}, {-1200, 0, -4}}};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeededBits bits(seed), step(seed);
    const auto steps = [&](auto draw) { return Noise{draw(0), 0, draw(2)}; };
    EXPECT_EQ(at(frozen, levels, {4}, bits), steps([&](std::size_t i) {
                return relax(levels[1].noise[i], rate(i, 3), rate(i, 4), step);
              }));
    EXPECT_EQ(at(frozen, levels, {0.25}, bits), steps([&](std::size_t i) {
                return tighten(levels[2].noise[i], rate(i, 0.25), rate(i, 0.5), step);
              }));
    EXPECT_EQ(at(frozen, levels, {2}, bits), steps([&](std::size_t i) {
                return between(levels[0].noise[i], levels[1].noise[i], rate(i, 1), rate(i, 2),
                               rate(i, 3), step);
              }));
    EXPECT_EQ(bits.word(), step.word());
  }
}

TEST(NoiseAt, RepeatsWhatWasReleased) {
  ReplayBits none({});
  const Levels levels{{{1}, {300, 0, 4}}, {{3}, {310, 0, 0}}, {{0.5}, {-1200, 0, -4}}};
  for (const ReleasedLevel& level : levels) {
    EXPECT_EQ(at(three_values(), levels, level.epsilons, none), level.noise);
  }
  // nothing to hide at any level
  const Frozen constant = freeze_noisy({1, 2}, {0});
  EXPECT_EQ(at(constant, {}, {1}, none), (Noise{0, 0}));
  EXPECT_EQ(at(constant, {{{1}, {0, 0}}}, {2}, none), (Noise{0, 0}));
  EXPECT_EQ(at(Frozen{}, {}, {1}, none), Noise{});
  EXPECT_EQ(at(Frozen{}, {{{1}, {}}}, {1}, none), Noise{});
  EXPECT_EQ(none.finish(), 0u);
}

// A value's noise in a shared list is that of a release of the one value, from the same bits.
TEST(NoiseAt, SharedSensitivities) {
  const Frozen buckets = freeze_noisy({1, 2, 3}, {2}), one = freeze_noisy({1}, {2});
  const Levels levels{{{1}, {4, -3, 0}}, {{0.1}, {9, -3, 7}}};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const double epsilon : {0.01, 0.3, 2.0}) {
      SeededBits bits(seed), single(seed);
      const Noise noise = at(buckets, levels, {epsilon}, bits);
      for (std::size_t i = 0; i < 3; ++i) {
        const Levels own{{{1}, {levels[0].noise[i]}}, {{0.1}, {levels[1].noise[i]}}};
        EXPECT_EQ(at(one, own, {epsilon}, single), Noise{noise[i]});
      }
      EXPECT_EQ(bits.word(), single.word());
    }
  }
}

TEST(NoiseAt, GroupLevelsAreOrderedByRate) {
  const Frozen frozen = group_value();
  // rates 1/300, 1/200, 1/100
  const Epsilons low{9, 1}, middle{0.5, 9}, high{1, 3};
  const Levels levels{{high, {7}}, {low, {-250}}};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeededBits bits(seed), step(seed);
    EXPECT_EQ(at(frozen, levels, middle, bits),
              Noise{between(-250, 7, {1, 300}, {1, 200}, {1, 100}, step)});
    EXPECT_EQ(at(frozen, {levels[0]}, low, bits), Noise{tighten(7, {1, 300}, {1, 100}, step)});
    EXPECT_EQ(at(frozen, {levels[1]}, high, bits), Noise{relax(-250, {1, 300}, {1, 100}, step)});
  }
  // other epsilons of the same rate: the same noise
  ReplayBits none({});
  for (const Epsilons& same : {Epsilons{1, 3}, Epsilons{1, 100}, Epsilons{2, 3}}) {
    EXPECT_EQ(at(frozen, levels, same, none), Noise{7});
  }
  const Levels twice{{{1, 100}, {7}}, {low, {-250}}, {high, {7}}};
  EXPECT_EQ(at(frozen, twice, {2, 3}, none), Noise{7});
  EXPECT_EQ(none.finish(), 0u);
  EXPECT_THROW(at(frozen, {{{1, 100}, {7}}, {high, {8}}}, low, none), std::invalid_argument);
}

// The cost of several levels, as release.h states it: the finest rate never asks more of a group
// than the greatest epsilon promised to it.
TEST(NoiseAt, TheFinestRateKeepsTheGreatestPromises) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t distances = random() % 4 + 1;
    Frozen frozen = freeze_noisy({0}, {0});
    frozen.sensitivities[0].clear();
    mpq_class delta = static_cast<unsigned long>(random() % 5);
    for (std::size_t j = 0; j < distances; ++j) {
      frozen.sensitivities[0].push_back(delta);
      delta += static_cast<unsigned long>(random() % 5);
    }
    Epsilons greatest(distances);
    std::optional<Rate> finest;
    for (int level = 0; level < 3; ++level) {
      Epsilons epsilons(distances);
      for (std::size_t j = 0; j < distances; ++j) {
        epsilons[j] = static_cast<double>(random() % 64 + 1) / 16;
        greatest[j] = std::max(greatest[j], epsilons[j]);
      }
      const auto rate = rate_of(frozen, 0, epsilons);
      if (rate && (!finest || *finest < *rate)) finest = rate;
    }
    if (!finest) continue;
    mpq_class rate(finest->numerator, finest->denominator);
    rate.canonicalize();
    for (std::size_t j = 0; j < distances; ++j) {
      ASSERT_LE(rate * frozen.sensitivities[0][j], mpq_class(greatest[j]));
    }
  }
}

TEST(NoiseAt, RefusesWhatIsNoRelease) {
  SeededBits bits(1);
  const double infinity = std::numeric_limits<double>::infinity();
  const Frozen frozen = three_values();
  const Noise noise{1, 0, 2};
  for (const double epsilon : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW(at(frozen, {}, {epsilon}, bits), std::invalid_argument);
    EXPECT_THROW(at(frozen, {{{epsilon}, noise}}, {1}, bits), std::invalid_argument);
  }
  EXPECT_THROW(at(frozen, {}, {}, bits), std::invalid_argument);
  EXPECT_THROW(at(frozen, {}, {1, 2}, bits), std::invalid_argument);
  EXPECT_THROW(at(frozen, {{{1, 2}, noise}}, {1}, bits), std::invalid_argument);
  EXPECT_THROW(at(group_value(), {}, {1}, bits), std::invalid_argument);
  EXPECT_THROW(at(frozen, {{{1}, {1, 0}}}, {1}, bits), std::invalid_argument);
  EXPECT_THROW(at(frozen, {{{1}, {1, 0, 2, 3}}}, {1}, bits), std::invalid_argument);
  EXPECT_THROW(at(frozen, {{{1}, {1, 1, 2}}}, {1}, bits), std::invalid_argument);  // where none is
  EXPECT_THROW(at(frozen, {{{1}, noise}, {{1}, {1, 0, 3}}}, {2}, bits), std::invalid_argument);
  EXPECT_EQ(at(frozen, {{{1}, noise}, {{1}, noise}}, {1}, bits), noise);
}

int polls = 0;
bool third_time() { return ++polls == 3; }

TEST(NoiseAt, StopsWhenAsked) {
  SeededBits bits(1);
  const double epsilon = 1;
  const auto buckets = [](std::size_t n) { return freeze_noisy(Noise(n), {2}); };
  const Levels levels{{{0.5}, Noise(2049)}};
  polls = 0;
  EXPECT_THROW(noise_at(buckets(2049), levels, {&epsilon, 1}, bits, third_time), Stopped);
  polls = 0;
  EXPECT_EQ(noise_at(buckets(2048), {}, {&epsilon, 1}, bits, third_time).size(), 2048u);
}

}  // namespace
}  // namespace idp::test

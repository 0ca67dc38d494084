// The releases: where the answers lie, how sensitive they are, what each part of the noise pays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/grid/public_grid.h"
#include "core/mechanism/private_moments.h"
#include "tests/support/bits.h"
#include "tests/support/moments.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

constexpr double kNoiseless = 1e300;

template <class Key>
Number release(const Spec& spec, const std::vector<Key>& keys, BitSource& bits,
               double epsilon = kNoiseless) {
  const std::vector<double> epsilons(spec.groups, epsilon);
  const State state = state_of(spec, keys);
  return release_moments(spec, epsilons, state.words.data(), state.count, bits);
}

mpq_class unit_of(const Number& number) {
  mpz_class v;
  mpz_ui_pow_ui(v.get_mpz_t(), number.decimal ? 10 : 2,
                static_cast<unsigned long>(std::abs(number.scale)));
  return number.scale >= 0 ? mpq_class(1) / v : mpq_class(v);
}
mpq_class value_of(const Number& number) { return number.units * unit_of(number); }

struct Pairing {
  Statistic local, global;
};
constexpr Pairing kPairs[] = {{Statistic::kSum, Statistic::kPrivateSum},
                              {Statistic::kAverage, Statistic::kPrivateAverage},
                              {Statistic::kVariance, Statistic::kPrivateVariance},
                              {Statistic::kStddev, Statistic::kPrivateStddev}};

// The statistic of what the column holds after clamping and flooring.
template <class Key>
mpq_class exact(Statistic statistic, const Spec& spec, const std::vector<Key>& keys,
                const mpq_class& step) {
  const PublicGrid<Key> grid(spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>());
  mpq_class sum, squares;
  const mpq_class n(static_cast<unsigned long>(keys.size()));
  for (const Key& key : keys) sum += grid.steps(key) * step;
  if (statistic == Statistic::kSum) return sum;
  if (statistic == Statistic::kAverage) return sum / n;
  for (const Key& key : keys) {
    const mpq_class off = grid.steps(key) * step - sum / n;
    squares += off * off;
  }
  return squares / n;
}

// Without noise to speak of both answers are the statistic, rounded down to the stated unit.
template <class Key>
void expect_noiseless(const Grid& grid, Key lower, Key upper, const std::vector<Key>& keys,
                      const mpq_class& step, const mpq_class& unit, const mpq_class& square_unit) {
  SeededBits bits(1);
  for (const auto& [local, global] : kPairs) {
    for (const Statistic statistic : {local, global}) {
      const Spec spec = moments(statistic, lower, upper, grid);
      const Number number = release(spec, keys, bits);
      EXPECT_EQ(number.decimal, !grid.is_float());
      const mpq_class there = exact(local, spec, keys, step);
      const mpq_class expected_unit = local == Statistic::kSum        ? step
                                      : local == Statistic::kVariance ? square_unit
                                                                      : unit;
      EXPECT_EQ(unit_of(number), expected_unit);
      const mpq_class least = value_of(number), most = least + expected_unit;
      if (local == Statistic::kStddev) {
        EXPECT_LE(least * least, there);
        EXPECT_LT(there, most * most);
      } else {
        EXPECT_LE(least, there);
        EXPECT_LT(there, most);
      }
    }
  }
}

mpq_class ten(int exponent) {
  mpz_class v;
  mpz_ui_pow_ui(v.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  return exponent < 0 ? mpq_class(1) / v : mpq_class(v);
}

TEST(ReleaseMoments, ResultGrids) {
  for (const ValueType type : {ValueType::kInt16, ValueType::kInt32, ValueType::kInt64}) {
    expect_noiseless<Key64>({type}, -10, 20, {-100, -3, 0, 4, 4, 13, 99}, 1, ten(-16), ten(-16));
  }
  expect_noiseless<Key64>(Grid::numeric(9, 2), -1000, 2000, {-5000, -333, 0, 125, 1999}, ten(-2),
                          ten(-18), ten(-20));
  expect_noiseless<Key64>(Grid::numeric(5, -2), -10, 20, {-3, 7, 11}, ten(2), ten(-14), ten(-12));
  expect_noiseless<Key128>(Grid::numeric(30, 5), {-1, 7}, {2, 9}, {{-1, 9}, {0, 0}, {1, 5}, {5, 5}},
                           ten(-5), ten(-21), ten(-26));
  expect_noiseless<Key128>(Grid::plain_numeric(), {-1, 7}, {2, 9},
                           {{-1, 9}, {0, 0}, {1, 5}, {5, 5}}, ten(-16), ten(-16), ten(-16));
  for (const ValueType type : {ValueType::kFloat32, ValueType::kFloat64}) {
    std::vector<Key64> keys;
    for (const double x : {-5.0, -0.75, -0.0, 0.1, 1.5, 2.9999, 1e300})
      keys.push_back(ordered_bits(x));
    const mpq_class step(0x1p-51), finer(0x1p-40);
    expect_noiseless<Key64>({type}, ordered_bits(-1), ordered_bits(3), keys, step, step * finer,
                            step * step * finer);
  }
  const double largest = std::numeric_limits<double>::max(), least = 5e-324;
  const mpq_class finer(0x1p-40), huge = mpq_class(0x1p971), tiny(least);
  expect_noiseless<Key64>(kFloat64Grid, ordered_bits(-largest), ordered_bits(largest),
                          {ordered_bits(largest), ordered_bits(-1), ordered_bits(1e300)}, huge,
                          huge * finer, huge * huge * finer);
  expect_noiseless<Key64>(kFloat64Grid, ordered_bits(-least), ordered_bits(3 * least),
                          {ordered_bits(0), ordered_bits(-1), ordered_bits(2 * least)}, tiny,
                          tiny * finer, tiny * tiny * finer);
}

TEST(ReleaseMoments, NoRowsAndBoundsThatAreOne) {
  SeededBits bits(2);
  const mpz_class one = ten(16).get_num();
  const auto maybe = [&](Statistic statistic, Key64 lower, Key64 upper, const Data& data,
                         double epsilon) {
    const Spec spec = moments<Key64>(statistic, lower, upper);
    const State state = state_of(spec, data);
    return maybe_moments(spec, {&epsilon, 1}, state.words.data(), state.count, bits);
  };
  const auto units = [&](Statistic statistic, Key64 lower, Key64 upper,
                         const Data& data) -> mpz_class {
    return maybe(statistic, lower, upper, data, 1e-3).value().units;
  };
  EXPECT_EQ(units(Statistic::kAverage, 4, 4, {}), 4 * one);
  EXPECT_EQ(maybe(Statistic::kPrivateAverage, -4, -4, {9, 9}, kNoiseless)->units, -4 * one);
  EXPECT_FALSE(maybe(Statistic::kPrivateAverage, 4, 4, {}, kNoiseless));
  for (const Statistic s : {Statistic::kVariance, Statistic::kStddev}) {
    EXPECT_EQ(units(s, 4, 4, {}), 0);
    EXPECT_EQ(units(s, 4, 4, {1, 5, 5}), 0);
  }
  for (const Statistic s : {Statistic::kPrivateVariance, Statistic::kPrivateStddev}) {
    EXPECT_FALSE(maybe(s, 4, 4, {}, kNoiseless));
    EXPECT_EQ(maybe(s, 4, 4, {1, 5, 5}, kNoiseless)->units, 0);
  }
  EXPECT_EQ(units(Statistic::kSum, 0, 0, {7, -7}), 0);
  EXPECT_EQ(units(Statistic::kPrivateSum, 0, 0, {7, -7}), 0);
  EXPECT_EQ(units(Statistic::kVariance, 0, 10, {}), 0);  // no neighbour varies
  for (const auto& [local, global] : kPairs) {
    for (const Data& data : {Data{}, Data{3}}) {
      int given = 0;
      for (int i = 0; i < 200; ++i) {
        (void)units(local, -5, 10, data);
        const auto answer = maybe(global, -5, 10, data, 1e-3);
        given += answer.has_value();
        if (global == Statistic::kPrivateSum || !answer) continue;
        const bool average = global == Statistic::kPrivateAverage;
        ASSERT_GE(answer->units, average ? mpz_class(-5 * one) : mpz_class(0));
        ASSERT_LE(answer->units, average ? mpz_class(10 * one) : mpz_class(one * 225 / 4));
      }
      if (global == Statistic::kPrivateSum) {
        ASSERT_EQ(given, 200);
      } else {
        ASSERT_LE(given, 40);  // 10 are expected of so few rows
      }
    }
  }
  // the middle, between steps too
  EXPECT_EQ(release<Key64>(moments<Key64>(Statistic::kAverage, -5, 10), {}, bits).units,
            one * 5 / 2);
}

TEST(ReleaseMoments, ReplayedNoise) {
  const Spec spec = moments<Key64>(Statistic::kSum, 0, 1);
  ReplayBits plus(joined({{0}, geometric_words(1)}));
  EXPECT_EQ(release<Key64>(spec, {1, 1, 0}, plus, 1).units, 3);
  EXPECT_EQ(plus.finish(), 0u);
  ReplayBits none({});
  EXPECT_EQ(release<Key64>(moments<Key64>(Statistic::kVariance, 3, 3), {1, 1, 0}, none, 1).units,
            0);
  EXPECT_EQ(none.finish(), 0u);
}

// Delta_j against the greatest difference of rounded answers over all neighbours.
TEST(FreezeMoments, SensitivitiesAreThoseOfTheRoundedAnswer) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1500; ++i) {
    const Pairing& pair = kPairs[random() % 4];
    const bool average = pair.local == Statistic::kSum || pair.local == Statistic::kAverage;
    const std::size_t distances = average ? random() % 3 + 1 : 1;
    const std::int64_t width = static_cast<std::int64_t>(random() % 5);
    const std::int64_t lower = static_cast<std::int64_t>(random() % 9) - 6;
    Data data(random() % 5);
    for (auto& x : data)
      x = lower + static_cast<std::int64_t>(random() % 8 * static_cast<std::uint64_t>(width) / 7);
    // of plain numerics too: a grid where rounding counts
    const bool plain = random() % 2;
    const Spec spec = plain ? moments(pair.local, key128(lower), key128(lower + width),
                                      Grid::plain_numeric(), static_cast<int>(distances))
                            : moments<Key64>(pair.local, lower, lower + width, kInt64Grid,
                                             static_cast<int>(distances));
    State state;
    if (plain) {
      std::vector<Key128> keys;
      for (const std::int64_t x : data) keys.push_back(key128(x));
      state = state_of(spec, keys);
    } else {
      state = state_of<Key64>(spec, data);
    }
    const ResultGrid grid(moment_question(spec));
    const Frozen frozen = freeze_moments(spec, state.words.data(), state.count);
    const mpz_class& value = frozen.values[0];
    const std::vector<mpq_class>& sensitivities = frozen.sensitivities[0];
    const auto rounded = [&](const Data& some) {
      return grid.units(brute_moment(pair.local, some, lower, lower + width));
    };
    ASSERT_EQ(value, rounded(data));
    ASSERT_EQ(sensitivities.size(), distances);
    const auto within = brute_neighbours(data, lower, lower + width, distances);
    for (std::size_t j = 1; j <= distances; ++j) {
      mpz_class worst = 0;
      for (const Data& there : within[j]) {
        worst = std::max<mpz_class>(worst, abs(rounded(there) - value));
      }
      if (average || data.size() <= 3) {
        ASSERT_EQ(sensitivities[j - 1], worst);
      } else {
        ASSERT_GE(sensitivities[j - 1], worst);
      }
    }
  }
}

// What a change of the data costs: the sum of rate * |change| over the noisy parts.

struct Costs {
  mpq_class substitution, addition;  // the greatest
};

Costs costs_of(const MomentSensitivities& s, double epsilon, long width) {
  const mpq_class whole(epsilon), n = whole / s.count;
  const mpq_class c = s.centred == 0 ? mpq_class(0) : mpq_class(whole / s.centred);
  const mpq_class q = s.squares == 0 ? mpq_class(0) : mpq_class(whole / s.squares);
  const auto centred = [&](long t) { return mpz_class(2 * t - width); };
  const auto square = [&](long t) {
    return mpz_class(2 * centred(t) * centred(t) - width * width);
  };
  Costs costs;
  for (long t = 0; t <= width; ++t) {
    costs.addition =
        std::max<mpq_class>(costs.addition, c * abs(centred(t)) + q * abs(square(t)) + n);
    for (long y = 0; y <= width; ++y) {
      costs.substitution = std::max<mpq_class>(
          costs.substitution, c * abs(centred(t) - centred(y)) + q * abs(square(t) - square(y)));
    }
  }
  return costs;
}

TEST(PrivateMoments, EveryChangeCostsAtMostEpsilon) {
  for (const double epsilon : {1.0, 0.1, 3.7e-5, 1e10}) {
    const mpq_class whole(epsilon);
    // the count alone is paid for
    EXPECT_EQ(costs_of(average_sensitivities(0), epsilon, 0).addition, whole / 2);
    EXPECT_EQ(costs_of(variance_sensitivities(0), epsilon, 0).addition, whole * 9 / 25);
    for (long width = 1; width <= 64; ++width) {
      const Costs average = costs_of(average_sensitivities(width), epsilon, width);
      EXPECT_EQ(average.substitution, whole);
      EXPECT_EQ(average.addition, whole);
      const Costs variance = costs_of(variance_sensitivities(width), epsilon, width);
      EXPECT_LE(variance.substitution, whole);
      EXPECT_EQ(variance.addition, whole);
      // all of it is reached by a record at an end that moves 5/8 of the way to the other
      EXPECT_TRUE(width % 8 != 0 || variance.substitution == whole);
      EXPECT_GE(variance.substitution, whole * 16 / 25);
    }
  }
}

TEST(PrivateMoments, SumsMoveByAtMostTheirSensitivity) {
  for (long lower = -6; lower <= 6; ++lower) {
    for (long upper = lower; upper <= 6; ++upper) {
      long worst = 0, added = 0;
      for (long x = lower; x <= upper; ++x) {
        added = std::max(added, std::abs(x));
        worst = std::max(worst, std::abs(x));
        for (long y = lower; y <= upper; ++y) worst = std::max(worst, std::abs(x - y));
      }
      EXPECT_EQ(sum_sensitivity(StepBounds{lower, upper}), worst);
      EXPECT_EQ(sum_sensitivity(StepBounds{lower, upper}, Neighbours::kAddRemove), added);
    }
  }
}

}  // namespace
}  // namespace idp::test

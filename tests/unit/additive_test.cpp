// Freezing and answering, of every additive statistic: what is frozen against closed forms and
// brute force, and the answer without noise against the statistic itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/mechanism/private_moments.h"
#include "tests/support/bits.h"
#include "tests/support/brute_force.h"
#include "tests/support/moments.h"
#include "tests/support/release.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

const double kOne[] = {1};

std::vector<Statistic> all_statistics() {
  std::vector<Statistic> all;
  for (int i = 1; i < kStatistics; ++i) all.push_back(static_cast<Statistic>(i));
  return all;
}

TEST(Additive, WhichOnes) {
  int additive = 0;
  for (const Statistic s : all_statistics()) additive += is_additive(s);
  EXPECT_EQ(additive, 6 + 1 + 2 + 4 + 4 + 2 + 2 + 3);
  for (const Statistic s : {Statistic::kNone, Statistic::kPrivateMedian, Statistic::kPrivateMax,
                            Statistic::kSmoothMedian, Statistic::kSmoothMax}) {
    EXPECT_FALSE(is_additive(s));
  }
}

TEST(Additive, EveryStatisticHasItsParts) {
  for (const Statistic s : all_statistics()) {
    if (!is_additive(s)) continue;
    Spec spec = spec_of(s);
    spec.fraction = 0.5;
    spec.k = spec.buckets = 3;
    spec.upper = widen(Key64{10});
    SeededBits bits(1);
    const std::vector<std::uint64_t> words(20);
    const Frozen frozen =
        spec.collects() == Collects::kValues ? freeze_run<Key64>(spec, kOne, {1, 2, 3, 4, 5}, bits)
        : spec.collects() == Collects::kMoments ? freeze_moments(spec, words.data(), 1)
        : spec.collects() == Collects::kBuckets
            ? freeze_histogram(std::span(words).first(parts_of(spec)))
            : freeze_count(4);
    EXPECT_EQ(frozen.values.size(), parts_of(spec)) << static_cast<int>(s);
    EXPECT_NE(exact_answer(spec, frozen), Answer(Suppressed{})) << static_cast<int>(s);
    EXPECT_THROW(answer(spec, frozen, kOne, std::vector<mpz_class>(parts_of(spec) + 1)),
                 std::invalid_argument);
    EXPECT_THROW(answer(spec, frozen, kOne, {}), std::invalid_argument);
    for (const double epsilon : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
      EXPECT_THROW(answer(spec, frozen, {&epsilon, 1}, std::vector<mpz_class>(parts_of(spec))),
                   std::invalid_argument);
    }
  }
}

// Order statistics.

// A type, an increasing map from integers to its keys, and a place for every number to go.
template <class Key>
struct Type {
  Grid grid;
  Key (*key)(std::int64_t);
};
Key64 as_is(std::int64_t x) { return x; }
Key64 as_double(std::int64_t x) { return ordered_bits(std::ldexp(static_cast<double>(x), -30)); }
Key64 as_float(std::int64_t x) { return ordered_bits(std::ldexp(static_cast<double>(x), 90)); }
Key64 as_tiny(std::int64_t x) { return ordered_bits(static_cast<double>(x) * 5e-324); }
Key128 as_wide(std::int64_t x) { return key128(Int128{x} << 70); }

const Type<Key64> kNarrowTypes[] = {{{ValueType::kInt16}, as_is},
                                    {{ValueType::kInt32}, as_is},
                                    {{ValueType::kInt64}, as_is},
                                    {Grid::numeric(9, 2), as_is},
                                    {{ValueType::kDate}, as_is},
                                    {{ValueType::kTimestamp}, as_is},
                                    {{ValueType::kTimestamptz}, as_is},
                                    {kFloat64Grid, as_double},
                                    {kFloat64Grid, as_tiny},
                                    {{ValueType::kFloat32}, as_float}};
const Type<Key128> kWideTypes[] = {{Grid::numeric(30, 5), as_wide},
                                   {Grid::plain_numeric(), as_wide}};

const std::vector<Spec> order_specs() {
  std::vector<Spec> specs{median(),        quantile(0.3),      quantile(0.9),
                          kth_smallest(1), kth_smallest(3),    kth_largest(1),
                          kth_largest(2),  minimum<Key64>(-5), maximum<Key64>(6)};
  return specs;
}

template <class Key>
void expect_exact(const Type<Key>& type, std::mt19937_64& random) {
  SeededBits bits(random());
  for (Spec plain : order_specs()) {
    for (const std::uint8_t groups : {1, 2}) {
      Data data(random() % 7);
      for (auto& x : data) x = static_cast<std::int64_t>(random() % 14) - 7;
      Spec spec = plain;
      spec.grid = type.grid;
      spec.groups = groups;
      spec.lower = widen(type.key(narrow(plain.lower)));
      spec.upper = widen(type.key(narrow(plain.upper)));
      std::vector<Key> keys;
      for (const auto x : data) keys.push_back(type.key(x));
      const double epsilons[] = {0.5, 0.7};
      const Frozen frozen = freeze_run<Key>(spec, std::span(epsilons).first(groups), keys, bits);
      const Answer there = exact_answer(spec, frozen);
      std::optional<std::int64_t> worst[2];
      for (int j = 0; j < groups; ++j) worst[j] = brute_sensitivity_at(plain, data, j + 1, 7);
      if (!worst[groups - 1]) {
        ASSERT_EQ(there, Answer(Suppressed{}));
        ASSERT_EQ(frozen, Frozen{});
        continue;
      }
      const std::int64_t expected = *brute_statistic(plain, data);
      ASSERT_EQ(frozen.kind, Frozen::Kind::kNoisy);
      ASSERT_EQ(frozen.sensitivities.size(), 1u);
      ASSERT_EQ(frozen.sensitivities[0].size(), groups);
      if (type.grid.is_float()) {
        // the fill adds less than a step
        const mpz_class value = type.grid.units(type.key(expected));
        mpz_class low = frozen.values[0];
        if (frozen.dropped >= 0) {
          low <<= static_cast<unsigned long>(frozen.dropped);
          ASSERT_LE(low, value);
          ASSERT_LT(value, low + (mpz_class(1) << static_cast<unsigned long>(frozen.dropped)));
        } else {
          ASSERT_EQ(low, value << static_cast<unsigned long>(-frozen.dropped));
        }
        continue;
      }
      ASSERT_EQ(std::get<Key>(there), type.key(expected));
      ASSERT_EQ(frozen.dropped, 0);
      ASSERT_EQ(frozen.fill, 0);
      const mpz_class unit = type.grid.units(type.key(1));
      for (int j = 0; j < groups; ++j) {
        ASSERT_EQ(frozen.sensitivities[0][static_cast<std::size_t>(j)],
                  mpq_class(static_cast<long>(*worst[j])) * unit);
      }
    }
  }
}

TEST(FreezeValues, OrderStatisticsAreExactWithoutNoise) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 16 / kThin; ++i) {
    for (const auto& type : kNarrowTypes) expect_exact(type, random);
    for (const auto& type : kWideTypes) expect_exact(type, random);
  }
}

// The grid of a float: the step that the closed form asks for, sensitivities that bound the floored
// differences, a fill that is never 128 zeros.
TEST(FreezeValues, FloatsLieOnACoarserGrid) {
  SeededBits bits(2);
  for (const double epsilon : {1e-3, 1.0, 5.0, 1e30}) {
    const double below = -1.3, at = 2.7, above = 9.1;  // LS = 6.4, 2^1076.68 units
    const Frozen frozen =
        freeze_run<Key64>(median(kFloat64Grid), {&epsilon, 1},
                          {ordered_bits(below), ordered_bits(at), ordered_bits(above)}, bits);
    const long epsilon_bits = std::clamp(std::ilogb(epsilon) + 1, 0, 64);
    EXPECT_EQ(frozen.dropped, 1074 + 2 - 40 - epsilon_bits);
    const double step = std::ldexp(1.0, static_cast<int>(frozen.dropped) + kFloatStepExponent);
    EXPECT_NEAR(frozen.sensitivities[0][0].get_d() * step, 6.4, 2 * step + 1e-14);
    EXPECT_EQ(frozen.sensitivities[0][0].get_den(), 1);
    EXPECT_GT(frozen.fill, 0);
    EXPECT_LT(frozen.fill, mpz_class(1) << kFillBits);
    const Key64 key = std::get<Key64>(exact_answer(median(kFloat64Grid), frozen));
    EXPECT_NEAR(from_ordered_bits(key), at, step);
  }
  EXPECT_EQ(kLeastDropped, 0 - 40 - 64);
}

TEST(FreezeValues, TheRangeOfTheCoarsening) {
  SeededBits bits(3);
  const double max = std::numeric_limits<double>::max();
  const auto dropped = [&](double below, double at, double above, double epsilon) {
    const Frozen frozen =
        freeze_run<Key64>(median(kFloat64Grid), {&epsilon, 1},
                          {ordered_bits(below), ordered_bits(at), ordered_bits(above)}, bits);
    return frozen.dropped;
  };
  EXPECT_EQ(dropped(0, 0, 5e-324, max), kLeastDropped);
  EXPECT_EQ(dropped(-max, -max, max, 1e-300), kMostDropped);
  EXPECT_EQ(dropped(3, 3, 3, 1), 0);
}

TEST(FreezeValues, Infinities) {
  ReplayBits none({});
  const Key64 infinity = kFloat64Grid.infinity<Key64>(1), one = ordered_bits(1);
  const Spec spec = median(kFloat64Grid);
  const Frozen unmoved = freeze_run<Key64>(spec, kOne, {one, infinity, infinity, infinity}, none);
  EXPECT_EQ(unmoved.kind, Frozen::Kind::kSuppressed);  // x_2 has x_1 = 1 next to it
  const Frozen same = freeze_run<Key64>(spec, kOne, {infinity, infinity, infinity}, none);
  EXPECT_EQ(same.kind, Frozen::Kind::kInfinite);
  EXPECT_EQ(same.infinity, 1);
  EXPECT_TRUE(same.values.empty());
  EXPECT_EQ(std::get<Key64>(exact_answer(spec, same)), infinity);
  const Spec wide = median(Grid::plain_numeric());
  const Key128 minus = wide.grid.infinity<Key128>(-1);
  const Frozen low = freeze_run<Key128>(wide, kOne, {minus, minus, minus}, none);
  EXPECT_EQ(std::get<Key128>(exact_answer(wide, low)), minus);
  EXPECT_EQ(none.finish(), 0u);
}

TEST(FreezeValues, GlobalOrderStatistics) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    Spec spec = spec_of(random() % 2 ? Statistic::kGlobalMedian : Statistic::kGlobalMax);
    spec.fraction = fixed_fraction(spec.statistic);
    const auto lower = static_cast<std::int64_t>(random() % 9) - 6;
    const auto upper = lower + static_cast<std::int64_t>(random() % 9);
    spec.lower = widen(lower);
    spec.upper = widen(upper);
    Data data(random() % 6);
    for (auto& x : data) x = static_cast<std::int64_t>(random() % 20) - 10;
    ReplayBits none({});
    const Frozen frozen = freeze_run<Key64>(spec, kOne, data, none);
    EXPECT_EQ(none.finish(), 0u);
    for (auto& x : data) x = std::clamp(x, lower, upper);
    std::sort(data.begin(), data.end());
    const std::int64_t expected = data.empty() ? (lower + upper) >> 1
                                  : spec.statistic == Statistic::kGlobalMax
                                      ? data.back()
                                      : data[(data.size() + 1) / 2 - 1];
    ASSERT_EQ(frozen, freeze_noisy({mpz_class(static_cast<long>(expected))},
                                   {mpq_class(static_cast<long>(upper - lower))}));
    ASSERT_EQ(std::get<Key64>(exact_answer(spec, frozen)), expected);
    // clamped to the bounds
    ASSERT_EQ(answer(spec, frozen, kOne, std::vector<mpz_class>{100}), Answer(upper));
    ASSERT_EQ(answer(spec, frozen, kOne, std::vector<mpz_class>{-100}), Answer(lower));
  }
  Spec wide = spec_of(Statistic::kGlobalMax, Grid::plain_numeric());
  wide.lower = key128(-5);
  wide.upper = key128(Int128{1} << 90);
  SeededBits bits(1);
  const Frozen frozen = freeze_run<Key128>(wide, kOne, {key128(7), key128(Int128{1} << 80)}, bits);
  EXPECT_EQ(std::get<Key128>(exact_answer(wide, frozen)), key128(Int128{1} << 80));
  EXPECT_EQ(frozen.sensitivities[0][0], (mpz_class(1) << 90) + 5);
}

// Counts.

TEST(FreezeCount, IsTheCountAndOne) {
  for (const Statistic s : {Statistic::kCount, Statistic::kCountRange, Statistic::kDistinct,
                            Statistic::kTruncatedRange}) {
    const Spec spec = spec_of(s);
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{42}, KeyLimits<Key64>::kMax}) {
      const Frozen frozen = freeze_count(count);
      EXPECT_EQ(frozen, freeze_noisy({mpz_class(static_cast<long>(count))}, {1}));
      EXPECT_EQ(exact_answer(spec, frozen), Answer(count));
    }
    const Frozen frozen = freeze_count(42);
    const bool truncated = s == Statistic::kTruncatedRange;
    const auto with = [&](const mpz_class& noise) {
      return std::get<std::int64_t>(answer(spec, frozen, kOne, std::vector{noise}));
    };
    EXPECT_EQ(with(-1), 41);
    EXPECT_EQ(with(5), truncated ? 43 : 47);
    EXPECT_EQ(with(-50), truncated ? 41 : -8);
    EXPECT_EQ(with(mpz_class(1) << 70), truncated ? 43 : KeyLimits<Key64>::kMax);
    EXPECT_EQ(with(mpz_class(-1) << 70), truncated ? 41 : KeyLimits<Key64>::kMin);
  }
}

TEST(FreezeHistogram, SharesOneSensitivity) {
  Spec spec = spec_of(Statistic::kHistogram);
  spec.buckets = 4;
  const std::uint64_t buckets[] = {3, 0, KeyLimits<Key64>::kMax, 17};
  const Frozen frozen = freeze_histogram(buckets);
  EXPECT_EQ(frozen, freeze_noisy({3, 0, mpz_class(KeyLimits<Key64>::kMax), 17}, {2}));
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(exact_answer(spec, frozen), Answer(Counts{3, 0, KeyLimits<Key64>::kMax, 17}));
  EXPECT_EQ(answer(spec, frozen, kOne, std::vector<mpz_class>{-5, 2, 9, 0}),
            Answer(Counts{-2, 2, KeyLimits<Key64>::kMax, 17}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(*rate_of(frozen, i, kOne), (Rate{1, 2}));
}

// Sums, averages, variances, standard deviations; the grids and types are in
// moments_release_test.cpp.

TEST(FreezeMoments, AnswersAreExactWithoutNoise) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 800; ++i) {
    const auto which = static_cast<int>(random() % 8);
    const auto statistic = static_cast<Statistic>(static_cast<int>(Statistic::kSum) + which);
    const auto local = static_cast<Statistic>(static_cast<int>(Statistic::kSum) + which % 4);
    const auto lower = static_cast<std::int64_t>(random() % 9) - 6;
    const auto width = static_cast<std::int64_t>(random() % 9);
    Data data(random() % 6);
    for (auto& x : data) {
      x = lower + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width + 1));
    }
    const int groups = statistic <= Statistic::kAverage ? static_cast<int>(random() % 3 + 1) : 1;
    const Spec spec = moments<Key64>(statistic, lower, lower + width, kInt64Grid, groups);
    const State state = state_of<Key64>(spec, data);
    const Frozen frozen = freeze_moments(spec, state.words.data(), state.count);
    const ResultGrid grid(moment_question(spec));
    const mpq_class there = brute_moment(local, data, lower, lower + width);
    if (data.empty() && statistic >= Statistic::kPrivateAverage) {
      ASSERT_EQ(exact_answer(spec, frozen), Answer(Suppressed{}));  // whatever the width
    } else {
      ASSERT_EQ(std::get<Number>(exact_answer(spec, frozen)), grid.number(grid.units(there)));
    }
    if (statistic <= Statistic::kStddev) {
      ASSERT_EQ(frozen.sensitivities[0].size(), static_cast<std::size_t>(groups));
      continue;
    }
    // the parts by definition
    const mpz_class w = static_cast<long>(width), n = static_cast<unsigned long>(data.size());
    mpz_class sum, centred, squares;
    for (const std::int64_t x : data) {
      const mpz_class c = static_cast<long>(2 * (x - lower) - width);
      sum += static_cast<long>(x);
      centred += c;
      squares += 2 * c * c - w * w;
    }
    const auto over = [](const mpz_class& top, unsigned long bottom) {
      mpq_class q(top, bottom);
      q.canonicalize();
      return q;
    };
    const auto counted = [](std::vector<mpz_class> values, std::vector<mpq_class> sensitivities) {
      Frozen expected = freeze_noisy(std::move(values), std::move(sensitivities));
      expected.kind = Frozen::Kind::kCounted;
      return expected;
    };
    const mpz_class farthest =
        std::max<mpz_class>({w, abs(mpz_class(static_cast<long>(lower))),
                             abs(mpz_class(static_cast<long>(lower + width)))});
    switch (statistic) {
      case Statistic::kPrivateSum:
        ASSERT_EQ(frozen, freeze_noisy({sum}, {mpq_class(farthest)}));
        break;
      case Statistic::kPrivateAverage:
        ASSERT_EQ(frozen, counted({centred, n}, {mpq_class(2 * w), 2}));
        break;
      default:
        ASSERT_EQ(frozen, counted({squares, centred, n},
                                  {over(25 * w * w, 8), over(25 * w, 8), over(25, 9)}));
    }
  }
}

}  // namespace
}  // namespace idp::test

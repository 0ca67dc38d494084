// What is frozen of interquartile ranges, deviations and trimmed averages, on the grid of the
// answer, against every neighbour.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/mechanism/spread.h"
#include "core/random/system_bits.h"
#include "core/select/unclamped_values.h"
#include "tests/support/brute_force.h"
#include "tests/support/data.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

constexpr SpreadKind kKinds[] = {SpreadKind::kInterquartileRange, SpreadKind::kDeviation,
                                 SpreadKind::kTrimmedAverage};
constexpr double kCut = 0.25;
constexpr std::int64_t kFar = 40;

template <class Key>
Frozen freeze_keys(SpreadKind kind, const Grid& grid, const std::vector<Key>& keys,
                   double epsilon = 1) {
  const std::span<const Key> run(keys);
  return freeze_spread<Key>({kind, grid, kCut}, in_memory<Key>({&run, 1}, nullptr), epsilon,
                            {std::pmr::new_delete_resource()}, system_bits());
}

// f times scale, rounded down.
mpz_class brute(SpreadKind kind, Data data, const mpz_class& scale) {
  std::sort(data.begin(), data.end());
  const std::size_t n = data.size();
  const auto of_rank = [n](const Data& sorted, double fraction) {
    std::size_t rank = 1;
    while (rank < n && static_cast<double>(rank) < fraction * static_cast<double>(n)) ++rank;
    return sorted[rank - 1];
  };
  if (kind == SpreadKind::kInterquartileRange) {
    return scale * static_cast<long>(of_rank(data, 0.75) - of_rank(data, 0.25));
  }
  if (kind == SpreadKind::kDeviation) {
    const std::int64_t median = of_rank(data, 0.5);
    for (auto& x : data) x = std::abs(x - median);
    std::sort(data.begin(), data.end());
    return scale * static_cast<long>(of_rank(data, 0.5));
  }
  auto cut = static_cast<std::size_t>(kCut * static_cast<double>(n));
  while (2 * cut >= n) --cut;
  long sum = 0;
  for (std::size_t i = cut; i < n - cut; ++i) sum += data[i];
  mpz_class v;
  mpz_fdiv_q(v.get_mpz_t(), mpz_class(scale * sum).get_mpz_t(), mpz_class(n - 2 * cut).get_mpz_t());
  return v;
}

template <class Visit>
void for_each_neighbour(const Data& data, Visit visit) {
  Data more = data;
  more.push_back(0);
  for (std::int64_t v = -kFar; v <= kFar; ++v) {
    more.back() = v;
    visit(more);
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    Data other = data;
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
    visit(other);
    other = data;
    for (std::int64_t v = -kFar; v <= kFar; ++v) {
      other[i] = v;
      visit(other);
    }
  }
}

struct Tally {
  int answered = 0, exact = 0, tight = 0;
};

// keys of the data, and how many steps of the answer one unit of the data is
template <class Key, class KeyOf>
Tally expect_covered(SpreadKind kind, const Grid& grid, KeyOf key_of) {
  std::mt19937_64 random(7);
  Tally tally;
  for (int trial = 0; trial < 400; ++trial) {
    Data data(2 + random() % 9);
    const auto width = static_cast<std::int64_t>(1 + random() % 9);
    for (auto& x : data)
      x = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width + 1)) - width / 2;
    std::vector<Key> keys;
    for (const auto x : data) keys.push_back(key_of(x));
    const Frozen frozen = freeze_keys<Key>(kind, grid, keys);
    if (frozen.kind != Frozen::Kind::kNoisy) continue;
    ++tally.answered;
    mpz_class scale = 1;
    if (grid.is_float()) {
      const long bits = -kFloatStepExponent - frozen.dropped;
      scale <<= static_cast<mp_bitcnt_t>(bits);
    } else if (kind == SpreadKind::kTrimmedAverage) {
      mpz_ui_pow_ui(scale.get_mpz_t(), 10,
                    static_cast<unsigned long>(trimmed_average_digits(grid)));
      if (grid.type == ValueType::kNumeric && grid.precision == 0) {
        mpz_ui_pow_ui(scale.get_mpz_t(), 10, Grid::kPlainNumericScale);
      }
    }
    const mpz_class at = brute(kind, data, scale);
    EXPECT_EQ(frozen.values.front(), at);
    mpz_class most = 0;
    for_each_neighbour(data, [&](const Data& neighbour) {
      most = std::max<mpz_class>(most, abs(brute(kind, neighbour, scale) - at));
    });
    EXPECT_GE(frozen.sensitivities.front().front(), most) << trial;
    tally.exact += most == 0;
    tally.tight += frozen.sensitivities.front().front() == most;
  }
  return tally;
}

TEST(SpreadRelease, SensitivityCoversEveryNeighbour) {
  for (const SpreadKind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    const auto check = [&](const Tally& tally) {
      EXPECT_GT(tally.answered, 150);
      EXPECT_GT(tally.exact, 0);
      if (kind != SpreadKind::kDeviation) {
        EXPECT_EQ(tally.tight, tally.answered);
      }
    };
    check(expect_covered<Key64>(kind, kInt64Grid, [](std::int64_t x) { return x; }));
    check(expect_covered<Key64>(
        kind, kFloat64Grid, [](std::int64_t x) { return ordered_bits(static_cast<double>(x)); }));
    if (kind == SpreadKind::kTrimmedAverage) {
      const std::int64_t step = 10000000000000000;  // 1 in steps of 10^-16
      check(expect_covered<Key128>(kind, Grid::plain_numeric(), [&](std::int64_t x) {
        return key128(mpz_class(static_cast<long>(x)) * static_cast<long>(step));
      }));
    }
  }
}

TEST(SpreadRelease, InfinitiesSuppress) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto keys = [](std::vector<double> values) {
    std::vector<Key64> keys;
    for (const double x : values) keys.push_back(ordered_bits(x));
    return keys;
  };
  for (const SpreadKind kind : kKinds) {
    // beside the ranks that matter
    EXPECT_EQ(freeze_keys(kind, kFloat64Grid, keys({-inf, 1, 2, inf})).kind,
              Frozen::Kind::kSuppressed);
    // there and everywhere: no distance
    EXPECT_EQ(
        freeze_keys(kind, kFloat64Grid, keys({inf, inf, inf, inf, inf, inf})).kind,
        kind == SpreadKind::kTrimmedAverage ? Frozen::Kind::kSuppressed : Frozen::Kind::kNoisy);
    // and far from them
    EXPECT_EQ(
        freeze_keys(kind, kFloat64Grid, keys({-inf, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, inf})).kind,
        Frozen::Kind::kNoisy);
  }
}

TEST(SpreadRelease, ExtremeDoubles) {
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  for (const SpreadKind kind : kKinds) {
    for (const double x : {most, least}) {
      std::vector<Key64> keys;
      for (int i = 0; i < 12; ++i) keys.push_back(ordered_bits(i % 2 ? x : -x));
      for (const double epsilon : {1e-18, 1.0, 1e300}) {
        const Frozen frozen = freeze_keys(kind, kFloat64Grid, keys, epsilon);
        ASSERT_EQ(frozen.kind, Frozen::Kind::kNoisy);
        EXPECT_GE(frozen.dropped, kLeastDropped);
        EXPECT_LE(frozen.dropped, kMostDropped);
      }
    }
  }
}

template <class Key>
void expect_sum(const Grid& grid, const std::vector<Key>& keys) {
  const std::span<const Key> run(keys);
  const auto values = in_memory<Key>({&run, 1}, nullptr);
  const UnclampedValues<Key> data(values, grid, {std::pmr::new_delete_resource()});
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<std::int64_t>(keys.size());
  for (std::int64_t first = 1; first <= n; ++first) {
    mpz_class sum;
    for (std::int64_t last = first; last <= n; ++last) {
      sum += grid.units(sorted[static_cast<std::size_t>(last - 1)]);
      ASSERT_EQ(data.sum(first, last), sum) << first << " " << last;
    }
  }
}

TEST(UnclampedValues, SumsAreExact) {
  std::mt19937_64 random(8);
  std::vector<Key64> doubles, integers;
  std::vector<Key128> wide;
  for (int i = 0; i < 60; ++i) {
    const int exponent = static_cast<int>(random() % 2098) - 1074;
    const double x = std::ldexp(static_cast<double>(random() % 1000) / 1000 - 0.5, exponent);
    doubles.push_back(ordered_bits(std::isfinite(x) ? x : 0));
    integers.push_back(i % 3 ? static_cast<Key64>(random() % 5) : static_cast<Key64>(random()));
    wide.push_back(
        key128(mpz_class(static_cast<long>(random() >> 1)) * static_cast<long>(random() >> 20)));
  }
  expect_sum<Key64>(kFloat64Grid, doubles);
  expect_sum<Key64>(kInt64Grid, integers);
  expect_sum<Key128>(Grid::plain_numeric(), wide);
}

}  // namespace
}  // namespace idp::test

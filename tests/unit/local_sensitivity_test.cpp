// The local sensitivities against the maximum over all neighbours, by brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include "core/sensitivity/order_statistic.h"
#include "tests/support/brute_force.h"
#include "tests/support/data.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

constexpr std::int64_t kReach = 6;  // values and bounds lie in [-kReach, kReach]
constexpr int kDataSets = 5000;     // for each statistic

using Formula = mpz_class (*)(const mpz_class& below, const mpz_class& at, const mpz_class& above);
using MakeSpec = Spec (*)(std::mt19937_64& random);

std::int64_t pick(std::mt19937_64& random, std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
}

// Up to eight values from a domain that is often narrow, so that ties are common and values lie on
// the bounds.
Data random_data(std::mt19937_64& random) {
  Data data(random() % 9);
  const std::int64_t from = pick(random, -kReach, kReach);
  const std::int64_t to = std::min(kReach, from + pick(random, 0, 5));
  for (auto& x : data) x = pick(random, from, to);
  return data;
}

double random_fraction(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return static_cast<double>(random() % 2);
    case 1:
      return static_cast<double>(pick(random, 0, 16)) / 16;
    case 2:
      return static_cast<double>(pick(random, 0, 10)) / 10;  // not exact in binary
    default:
      return std::uniform_real_distribution<double>(0, 1)(random);
  }
}

struct Case {
  const char* name;
  MakeSpec make;
};

const Case kCases[] = {
    {"median", [](std::mt19937_64&) { return median(); }},
    {"quantile", [](std::mt19937_64& random) { return quantile(random_fraction(random)); }},
    {"min", [](std::mt19937_64& random) { return minimum(pick(random, -kReach, kReach)); }},
    {"max", [](std::mt19937_64& random) { return maximum(pick(random, -kReach, kReach)); }},
    {"k-th smallest", [](std::mt19937_64& random) { return kth_smallest(pick(random, 1, 9)); }},
    {"k-th largest", [](std::mt19937_64& random) { return kth_largest(pick(random, 1, 9)); }},
};

struct Outcome {
  int wrong = 0;
  int suppressed = 0;
  int zero = 0;
  int positive = 0;
  std::string first_wrong;
};

std::string show(const Spec& spec, const Data& data) {
  std::ostringstream text;
  text << "fraction " << spec.fraction << ", k " << spec.k << ", lower " << spec.lower_as<Key64>()
       << ", upper " << spec.upper_as<Key64>() << ", data";
  for (const auto x : data) text << ' ' << x;
  return text.str();
}

// Compares the formula with brute force on random data sets.
Outcome compare(const Case& statistic, Formula formula, std::uint64_t seed, int data_sets) {
  std::mt19937_64 random(seed);
  Outcome outcome;
  for (int i = 0; i < data_sets; ++i) {
    const Spec spec = statistic.make(random);
    const Data data = random_data(random);
    const auto runs = cut<Key64>(data, static_cast<int>(random() % 3) + 1, random);
    const auto all = neighbourhoods_in<Key64>(spec, in_memory<Key64>(runs));
    const auto* around = all.empty() ? nullptr : &all.front();
    const auto truth = brute_sensitivity_everywhere(spec, data, kReach);
    bool right = (around != nullptr) == truth.has_value();
    if (right && truth) {
      right = around->at == brute_statistic(spec, data) &&
              formula(kInt64Grid.units(around->below), kInt64Grid.units(around->at),
                      kInt64Grid.units(around->above)) == *truth;
      ++(*truth == 0 ? outcome.zero : outcome.positive);
    } else {
      ++outcome.suppressed;
    }
    if (!right && outcome.wrong++ == 0) outcome.first_wrong = show(spec, data);
  }
  return outcome;
}

TEST(LocalSensitivity, IsTheMaximumOverAllNeighbours) {
  for (const Case& statistic : kCases) {
    SCOPED_TRACE(statistic.name);
    const Outcome outcome = compare(statistic, local_sensitivity, 1, kDataSets);
    EXPECT_EQ(outcome.wrong, 0) << outcome.first_wrong;
    // The data sets must exercise all that can happen.
    EXPECT_GT(outcome.suppressed, kDataSets / 50);
    EXPECT_GT(outcome.zero, kDataSets / 50);
    EXPECT_GT(outcome.positive, kDataSets / 10);
  }
}

// Negative controls: the comparison must notice formulas that are slightly too small.

mpz_class less_one(const mpz_class& below, const mpz_class& at, const mpz_class& above) {
  const mpz_class right = local_sensitivity(below, at, above);
  return right > 0 ? mpz_class(right - 1) : right;
}
mpz_class only_up(const mpz_class&, const mpz_class& at, const mpz_class& above) {
  return above - at;
}
mpz_class only_down(const mpz_class& below, const mpz_class& at, const mpz_class&) {
  return at - below;
}
mpz_class half_way(const mpz_class& below, const mpz_class&, const mpz_class& above) {
  return (above - below + 1) / 2;
}
mpz_class whole_way(const mpz_class& below, const mpz_class&, const mpz_class& above) {
  return above - below;  // safe, but not the maximum
}

TEST(LocalSensitivity, MutantsAreNoticed) {
  for (const Case& statistic : kCases) {
    SCOPED_TRACE(statistic.name);
    for (const Formula mutant : {less_one, only_up, only_down, half_way, whole_way}) {
      EXPECT_GT(compare(statistic, mutant, 2, 3000).wrong, 20);
    }
  }
}

// A suppression rule that is off by one must be noticed as well: k = n has a neighbour without a
// k-th value.
TEST(LocalSensitivity, SuppressesExactlyWhereANeighbourHasNoAnswer) {
  const Data data{1, 2, 3};
  EXPECT_FALSE(neighbourhood_of<Key64>(kth_smallest(3), data));
  EXPECT_FALSE(neighbourhood_of<Key64>(kth_largest(3), data));
  EXPECT_TRUE(neighbourhood_of<Key64>(kth_smallest(2), data));
  EXPECT_TRUE(neighbourhood_of<Key64>(kth_largest(2), data));
  EXPECT_FALSE(neighbourhood_of<Key64>(kth_smallest(4), data));
  EXPECT_FALSE(neighbourhood_of<Key64>(kth_largest(4), data));
  EXPECT_FALSE(
      neighbourhood_of<Key64>(kth_largest(std::numeric_limits<std::int64_t>::max()), data));
  EXPECT_FALSE(neighbourhood_of<Key64>(kth_smallest(1), data));  // the minimum has no lower end
  EXPECT_FALSE(neighbourhood_of<Key64>(median(), Data{}));
  EXPECT_FALSE(neighbourhood_of<Key64>(median(), Data{1}));
  EXPECT_FALSE(neighbourhood_of<Key64>(median(), Data{1, 2}));
  EXPECT_TRUE(neighbourhood_of<Key64>(median(), data));
  EXPECT_FALSE(neighbourhood_of<Key64>(minimum<Key64>(0), Data{1}));
  EXPECT_TRUE(neighbourhood_of<Key64>(minimum<Key64>(0), Data{1, 2}));
  EXPECT_FALSE(neighbourhood_of<Key64>(maximum<Key64>(9), Data{1}));
  EXPECT_TRUE(neighbourhood_of<Key64>(maximum<Key64>(9), Data{1, 2}));
}

// Groups: the sensitivity at distance 1, 2, 3 against all data sets that many records away.

std::optional<mpz_class> sensitivity_at(const std::vector<Neighbourhood<Key64>>& around,
                                        std::size_t distance) {
  if (around.size() < distance) return std::nullopt;
  return sensitivity_of(kInt64Grid, around[distance - 1]);
}

struct GroupOutcome {
  int wrong = 0;
  int bounded = 0;
  std::string first_wrong;
};

GroupOutcome compare_groups(const Case& statistic, int distance, long added, std::uint64_t seed,
                            int data_sets) {
  std::mt19937_64 random(seed);
  GroupOutcome outcome;
  for (int i = 0; i < data_sets; ++i) {
    Spec spec = statistic.make(random);
    spec.groups = static_cast<std::uint8_t>(distance);
    // often long enough, and the rank far enough inside, for a bounded sensitivity
    const auto n = static_cast<std::size_t>(2 * distance);
    Data data(random() % 4 == 0 ? random() % (n + 1) : n + 1 + random() % 3);
    for (auto& x : data) x = pick(random, -2, 2);
    if (spec.has(Parameter::kFraction) && random() % 2) {
      spec.fraction = static_cast<double>(pick(random, 7, 9)) / 16;
    }
    if (spec.has(Parameter::kLower)) spec.lower = widen(pick(random, -2, 2));
    if (spec.has(Parameter::kUpper)) spec.upper = widen(pick(random, -2, 2));
    if (spec.has(Parameter::kK)) spec.k = pick(random, 1, 2 * distance);
    const auto found =
        sensitivity_at(neighbourhoods_of<Key64>(spec, data), static_cast<std::size_t>(distance));
    const auto truth = brute_sensitivity_at(spec, data, distance, 2);
    if (truth) ++outcome.bounded;
    const bool right = found.has_value() == truth.has_value() &&
                       (!truth || *found + added == static_cast<long>(*truth));
    if (!right && outcome.wrong++ == 0) outcome.first_wrong = show(spec, data);
  }
  return outcome;
}

TEST(GroupSensitivity, IsTheMaximumOverAllDataSetsThatFarAway) {
  for (const Case& statistic : kCases) {
    for (int distance = 1; distance <= (kThin > 1 ? 2 : 3); ++distance) {
      SCOPED_TRACE(std::string(statistic.name) + ", distance " + std::to_string(distance));
      const int data_sets = (distance == 1 ? 1000 : distance == 2 ? 400 : 60) / std::min(kThin, 4);
      const GroupOutcome outcome = compare_groups(statistic, distance, 0, 5, data_sets);
      EXPECT_EQ(outcome.wrong, 0) << outcome.first_wrong;
      EXPECT_GT(outcome.bounded, 5);
      EXPECT_GT(compare_groups(statistic, distance, 1, 6, data_sets / 4).wrong, 0);  // a mutant
    }
  }
}

TEST(LocalSensitivity, WideKeys) {
  const Grid grid = Grid::plain_numeric();
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    // The same data far beyond 64 bits: order and distances scale.
    const Int128 factor = (Int128{1} << 90) + static_cast<Int128>(random());
    const Data data = random_data(random);
    const std::int64_t bound = pick(random, -kReach, kReach);
    std::vector<Key128> wide;
    for (const auto x : data) wide.push_back(key128(x * factor));
    const auto truth = brute_sensitivity_everywhere(minimum<Key64>(bound), data, kReach);
    const auto around = neighbourhood_of(minimum(key128(bound * factor), grid), wide);
    ASSERT_EQ(around.has_value(), truth.has_value());
    if (!truth) continue;
    EXPECT_EQ(local_sensitivity(grid.units(around->below), grid.units(around->at),
                                grid.units(around->above)),
              mpz_from(factor) * static_cast<long>(*truth));
  }
}

// The data sets the paper works with, section 6.1.3 and 6.2.

void expect_paper(const Data& data, std::int64_t answer, long sensitivity) {
  const auto around = neighbourhood_of<Key64>(median(), data);
  ASSERT_TRUE(around);
  EXPECT_EQ(around->at, answer);
  EXPECT_EQ(sensitivity_of(kInt64Grid, *around), sensitivity);
  EXPECT_EQ(brute_sensitivity(median(), data, 1), sensitivity);  // over the records {-1, 0, 1}
}

TEST(LocalSensitivity, PaperDataSets) {
  expect_paper({0, 0, 0, 0, 1}, 0, 0);
  expect_paper({0, 0, 0, 1, 1}, 0, 1);

  Data survey(99, 1);  // 99 binary records, 90 of them ones
  std::fill_n(survey.begin(), 9, 0);
  expect_paper(survey, 1, 0);

  for (const std::size_t m : {1, 2, 3, 10, 50}) {
    Data close(m + 1, 0);
    close.resize(2 * m + 1, 1);
    expect_paper(close, 0, 1);
    if (m == 1) continue;  // {0, 0, 0}: a single value
    Data clear(m + 2, 0);
    clear.resize(2 * m + 1, 1);
    expect_paper(clear, 0, 0);
  }
}

}  // namespace
}  // namespace idp::test

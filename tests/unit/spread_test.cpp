// Interquantile range, trimmed average, median absolute deviation: where neighbours can bring them,
// against every neighbour.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/sensitivity/spread.h"
#include "tests/support/brute_force.h"
#include "tests/support/exponential_law.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

// --- by definition ---

using Function = std::function<std::optional<mpq_class>(Data)>;

std::int64_t of_rank(Data data, double fraction) {
  std::sort(data.begin(), data.end());
  std::size_t rank = 1;
  while (rank < data.size() &&
         static_cast<double>(rank) < fraction * static_cast<double>(data.size()))
    ++rank;
  return data[rank - 1];
}

Function range_between(double low, double high) {
  return [=](Data data) -> std::optional<mpq_class> {
    if (data.empty()) return std::nullopt;
    return mpq_class(static_cast<long>(of_rank(data, high) - of_rank(data, low)));
  };
}

Function average_without(double fraction) {
  return [=](Data data) -> std::optional<mpq_class> {
    if (data.empty()) return std::nullopt;
    std::sort(data.begin(), data.end());
    auto cut = static_cast<std::size_t>(fraction * static_cast<double>(data.size()));
    while (2 * cut >= data.size()) --cut;
    long sum = 0;
    for (std::size_t i = cut; i < data.size() - cut; ++i) sum += data[i];
    mpq_class average(sum, data.size() - 2 * cut);
    average.canonicalize();
    return average;
  };
}

std::optional<mpq_class> deviation_from_median(Data data) {
  if (data.empty()) return std::nullopt;
  const std::int64_t median = of_rank(data, 0.5);
  for (auto& x : data) x = std::abs(x - median);
  return mpq_class(static_cast<long>(of_rank(data, 0.5)));
}

// Where f is on all neighbours with records in [lower, upper]; nothing if it is undefined on one.
std::optional<Spread> brute_spread(const Function& f, const Data& data, long lower, long upper) {
  const auto at = f(data);
  if (!at) return std::nullopt;
  Spread spread{*at, *at, *at};
  bool defined = true;
  const auto visit = [&](const Data& neighbour) {
    const auto value = f(neighbour);
    defined = defined && value;
    if (!value) return;
    spread.least = std::min(spread.least, *value);
    spread.greatest = std::max(spread.greatest, *value);
  };
  for (std::size_t i = 0; i < data.size(); ++i) {
    Data other = data;
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
    visit(other);
    for (long v = lower; v <= upper; ++v) {
      other = data;
      other[i] = v;
      visit(other);
    }
  }
  Data added = data;
  added.push_back(0);
  for (long v = lower; v <= upper; ++v) {
    added.back() = v;
    visit(added);
  }
  return defined ? std::optional(spread) : std::nullopt;
}

constexpr long kReach = 12;

Data random_data(std::mt19937_64& random) {
  Data data(random() % 11);
  const long width = 1 + static_cast<long>(random() % kReach);
  for (auto& x : data)
    x = static_cast<long>(random() % static_cast<unsigned long>(2 * width + 1)) - width;
  return data;
}

const StepEnds kBounds{mpz_class(-kReach), mpz_class(kReach)};

bool same(const std::optional<Spread>& a, const std::optional<Spread>& b) {
  if (!a || !b) return !a && !b;
  return a->at == b->at && a->least == b->least && a->greatest == b->greatest;
}

using Library = std::function<std::optional<Spread>(const RankedSteps&, const StepEnds&)>;

// With bounds; and without, where what a far record can do does not depend on how far it is.
void expect_exact(const Function& f, const Library& library, int trials) {
  std::mt19937_64 random(1);
  int answered = 0, unbounded = 0;
  trials /= kThin;
  for (int i = 0; i < trials; ++i) {
    const Data data = random_data(random);
    const SortedData sorted(data);
    ASSERT_TRUE(same(library(sorted, kBounds), brute_spread(f, data, -kReach, kReach))) << i;
    const auto free = library(sorted, {});
    const auto near = brute_spread(f, data, -4 * kReach, 4 * kReach);
    const auto far = brute_spread(f, data, -4 * kReach - 1, 4 * kReach + 1);
    ASSERT_EQ(free.has_value(), same(near, far) && near) << i;
    answered += free.has_value();
    unbounded += !free;
    if (free) {
      ASSERT_TRUE(same(free, near)) << i;
    }
  }
  EXPECT_GT(answered, trials / 10);
  EXPECT_GT(unbounded, trials / 10);
}

TEST(InterquantileRange, IsExactlyWhereNeighboursAre) {
  for (const auto& parts : {std::pair{0.25, 0.75}, {0.3, 0.6}, {0.4, 0.45}}) {
    expect_exact(
        range_between(parts.first, parts.second),
        [&](const RankedSteps& data, const StepEnds& ends) {
          return interquantile_range(data, parts.first, parts.second, ends);
        },
        1000);
  }
  // the same rank twice: no distance, and no neighbour has one
  const auto none = interquantile_range(SortedData({3, 5, 9}), 0.5, 0.5, {});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->sensitivity(), 0);
}

TEST(TrimmedAverage, IsExactlyWhereNeighboursAre) {
  for (const double fraction : {0.15, 0.2, 0.25, 0.4, 0.49}) {
    expect_exact(
        average_without(fraction),
        [&](const RankedSteps& data, const StepEnds& ends) {
          return trimmed_average(data, fraction, ends);
        },
        1000);
  }
}

TEST(TrimmedAverage, LeavesAValue) {
  for (std::int64_t n = 1; n < 300; ++n) {
    for (const double fraction : {0.0, 0.1, 0.25, 0.499, 0.49999999999999994}) {
      const std::int64_t cut = trimmed_at_each_end(fraction, n);
      EXPECT_LT(2 * cut, n);
      EXPECT_LE(std::abs(trimmed_at_each_end(fraction, n + 1) - cut), 1);
    }
  }
}

// docs/sql.md says below how many rows there is no answer: "below 1/fraction rows", or a number
// more.
std::int64_t documented_extra_rows() {
  std::ifstream page(IDP_SOURCE "/docs/sql.md");
  std::ostringstream text;
  text << page.rdbuf();
  const std::string all = text.str();
  const std::regex sentence(R"(below\s+1/fraction(?:\s+\+\s+(\d+))?\s+rows)");
  std::smatch found;
  if (!std::regex_search(all, found, sentence))
    throw std::runtime_error("docs/sql.md has no such sentence");
  return found[1].matched ? std::stol(found[1]) : 0;
}

TEST(TrimmedAverage, IsSuppressedBelowTheRowsThatAreDocumented) {
  const std::int64_t extra = documented_extra_rows();
  std::mt19937_64 random(7);
  int answered = 0, suppressed = 0;
  // fractions whose reciprocals are whole, and those whose are not
  for (const auto& [numerator, denominator] : {std::pair{1, 3},
                                               {1, 4},
                                               {1, 5},
                                               {1, 7},
                                               {1, 10},
                                               {1, 20},
                                               {1, 50},
                                               {1, 100},
                                               {3, 100},
                                               {3, 10},
                                               {2, 5},
                                               {47, 100},
                                               {49, 100}}) {
    const double fraction = static_cast<double>(numerator) / denominator;
    for (std::int64_t n = 0; n <= 2 * denominator / numerator + 3; ++n) {
      const bool is_below = (n - extra) * numerator < denominator;
      Data different(static_cast<std::size_t>(n)), equal(static_cast<std::size_t>(n), 7);
      for (auto& x : different) x = static_cast<long>(random() % 1000);
      for (const Data& data : {different, equal}) {
        const bool is_suppressed = !trimmed_average(SortedData(data), fraction, {});
        EXPECT_EQ(is_suppressed, is_below) << n << " rows, fraction " << fraction;
        ++(is_suppressed ? suppressed : answered);
      }
    }
  }
  EXPECT_GT(answered, 100);
  EXPECT_GT(suppressed, 100);
}

// How much greater the bound is than the local sensitivity.
struct Tightness {
  double sum = 0, worst = 1;
  int exact = 0, needless = 0, moved = 0, count = 0;

  void add(const Spread& told, const Spread& brute) {
    const mpq_class is = told.sensitivity(), should = brute.sensitivity();
    ++count;
    exact += is == should;
    needless += is > 0 && should == 0;
    if (should == 0) return;
    ++moved;
    const double ratio = mpq_class(is / should).get_d();
    sum += ratio;
    worst = std::max(worst, ratio);
  }
  double mean() const { return sum / moved; }
  void print(const char* of) const {
    std::printf(
        "  bound/LS of the median absolute deviation, %s: mean %.3f, worst %.3f; of %d exact %d, "
        "more than none %d\n",
        of, mean(), worst, count, exact, needless);
  }
};

TEST(MedianAbsoluteDeviation, IsNeverFartherThanTold) {
  std::mt19937_64 random(2);
  Tightness few, some;
  int answered = 0;
  for (int i = 0; i < 5000 / kThin; ++i) {
    const Data data = random_data(random);
    const SortedData sorted(data);
    const auto told = median_absolute_deviation(sorted, kBounds);
    const auto brute = brute_spread(deviation_from_median, data, -kReach, kReach);
    ASSERT_EQ(told.has_value(), brute.has_value());
    if (!told) continue;
    ASSERT_EQ(told->at, brute->at);
    ASSERT_LE(told->least, brute->least) << i;
    ASSERT_GE(told->greatest, brute->greatest) << i;
    (data.size() < 5 ? few : some).add(*told, *brute);
    if (const auto free = median_absolute_deviation(sorted, {})) {
      ++answered;
      const auto far = brute_spread(deviation_from_median, data, -4 * kReach, 4 * kReach);
      ASSERT_TRUE(far);
      ASSERT_LE(free->least, far->least);
      ASSERT_GE(free->greatest, far->greatest);
    }
  }
  EXPECT_GT(answered, 2000 / kThin);
  few.print("2 to 4 rows");
  some.print("5 to 10 rows");
  EXPECT_LT(few.mean(), 3);
  EXPECT_LT(some.mean(), 2);
  EXPECT_LE(some.worst, 5);
}

TEST(MedianAbsoluteDeviation, OfMoreRows) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, 60);
  Tightness tightness;
  for (int i = 0; i < std::max(5, 60 / kThin); ++i) {
    Data data(31);
    for (auto& x : data) x = std::clamp(std::lround(normal(random)), -200l, 200l);
    const auto told = median_absolute_deviation(SortedData(data), {});
    const auto brute = brute_spread(deviation_from_median, data, -1000, 1000);
    ASSERT_TRUE(told && brute);
    ASSERT_LE(told->least, brute->least);
    ASSERT_GE(told->greatest, brute->greatest);
    tightness.add(*told, *brute);
  }
  tightness.print("31 rows");
  EXPECT_LT(tightness.mean(), 2);
}

// The bound by its formula, each d_k from all deviations: rows are found by steps from row to row.
Spread formula_of_deviation(Data data) {
  std::sort(data.begin(), data.end());
  const auto r = static_cast<std::size_t>(data.size() + 1) / 2;
  const auto x = [&](std::size_t rank) { return data[rank - 1]; };
  const auto d = [&](std::size_t k, std::int64_t centre) {
    Data deviations;
    for (const std::int64_t value : data) deviations.push_back(std::abs(value - centre));
    std::nth_element(deviations.begin(), deviations.begin() + static_cast<std::ptrdiff_t>(k - 1),
                     deviations.end());
    return deviations[k - 1];
  };
  const mpq_class at = static_cast<long>(d(r, x(r)));
  Spread spread{at, at, at};
  for (const std::size_t s : {r - 1, r}) {
    const std::int64_t a = x(s), b = x(s + 1);
    const mpq_class most = mpq_class(static_cast<long>(d(r + 1, a) + d(r + 1, b) + b - a)) / 2;
    const mpq_class least = mpq_class(static_cast<long>(d(r - 1, a) + d(r - 1, b) - (b - a))) / 2;
    spread.greatest = std::max(spread.greatest, most);
    spread.least = std::min(spread.least, std::max<mpq_class>(0, least));
  }
  return spread;
}

TEST(MedianAbsoluteDeviation, OfManyRowsByItsFormula) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 400; ++i) {
    Data data(3 + random() % 2000);
    // many values and few, one heap or two, and tails
    const unsigned long range = 1ul << random() % 28;
    for (auto& x : data) {
      x = static_cast<long>(random() % range);
      if (i % 3 == 0 && random() % 2 == 0) x += 3 * static_cast<long>(range);
      if (i % 4 == 0) x = x * x / (1 + static_cast<long>(random() % 1000));
    }
    const auto told = median_absolute_deviation(SortedData(data), {});
    ASSERT_TRUE(told);
    ASSERT_TRUE(same(told, formula_of_deviation(data))) << i;
  }
}

TEST(Spread, ControlsThatForgetAKindOfNeighbour) {
  // sensitivities as they are often written down, and how often they are too small
  std::mt19937_64 random(3);
  int range = 0, average = 0, deviation = 0;
  for (int i = 0; i < 1500; ++i) {
    Data data = random_data(random);
    if (data.size() < 5) continue;
    std::sort(data.begin(), data.end());
    const auto x = [&](std::size_t rank) { return data[rank - 1]; };
    const std::size_t n = data.size(), a = (n + 3) / 4, b = (3 * n + 3) / 4;
    const auto least = [](const Function& f, const Data& d) {
      return brute_spread(f, d, -kReach, kReach)->sensitivity();
    };
    // the upper quartile alone
    if (a > 1 && b < n) {
      const long gap = std::max(x(b + 1) - x(b), x(b) - x(b - 1));
      range += least(range_between(0.25, 0.75), data) > gap;
    }
    // substitution inside the trimmed values alone
    const std::size_t cut = n / 4;
    average += least(average_without(0.25), data) >
               mpq_class(x(n - cut) - x(cut + 1)) / static_cast<long>(n - 2 * cut);
    // the median as if it stayed
    Data off = data;
    const std::size_t r = (n + 1) / 2;
    for (auto& v : off) v = std::abs(v - x(r));
    std::sort(off.begin(), off.end());
    deviation += least(deviation_from_median, data) >
                 std::max(off[r] - off[r - 1], r > 1 ? off[r - 1] - off[r - 2] : off[0]);
  }
  EXPECT_GT(range, 50);
  EXPECT_GT(average, 50);
  EXPECT_GT(deviation, 50);
}

}  // namespace
}  // namespace idp::test

// How far neighbours move sums, averages and variances, against all neighbours by brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "core/sensitivity/moments.h"
#include "tests/support/moments.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

struct Case {
  std::int64_t lower, upper;
  Data data;
};

std::string described(const Case& c) {
  std::ostringstream text;
  text << "[" << c.lower << ", " << c.upper << "]:";
  for (const std::int64_t x : c.data) text << " " << x;
  return text.str();
}

// Bounds on either side of 0 or around it, often equal; values often at the ends and equal.
Case some_case(std::mt19937_64& random, std::size_t most, std::int64_t widest) {
  Case c;
  const auto width = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(widest + 1));
  c.lower = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * widest + 1)) -
            widest - width / 2;
  c.upper = c.lower + width;
  c.data.resize(random() % (most + 1));
  const std::uint64_t narrow = random() % 3;
  for (auto& x : c.data) {
    x = c.lower + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width + 1));
    if (narrow == 1) x = random() % 2 ? c.lower : x;
    if (narrow == 2) x = random() % 2 ? c.lower : c.upper;
  }
  return c;
}

LocalMoments library(Statistic statistic, const Case& c, std::size_t distances) {
  const Spec spec =
      moments<Key64>(statistic, c.lower, c.upper, kInt64Grid, static_cast<int>(distances));
  return local_moments(row_of(statistic).moment, totals_of(spec, state_of<Key64>(spec, c.data)),
                       step_bounds(spec.grid, spec.lower, spec.upper), distances);
}

std::vector<Extent> brute_extents(Statistic statistic, const Case& c, std::size_t distances) {
  std::vector<Extent> extents;
  const auto within = brute_neighbours(c.data, c.lower, c.upper, distances);
  for (std::size_t j = 1; j <= distances; ++j) {
    const mpq_class at = brute_moment(statistic, c.data, c.lower, c.upper);
    Extent extent{at, at};
    for (const Data& data : within[j]) {
      const mpq_class there = brute_moment(statistic, data, c.lower, c.upper);
      extent.least = std::min(extent.least, there);
      extent.greatest = std::max(extent.greatest, there);
    }
    extents.push_back(extent);
  }
  return extents;
}

void expect_exact(Statistic statistic, const Case& c, std::size_t distances) {
  SCOPED_TRACE(described(c));
  const LocalMoments moments = library(statistic, c, distances);
  ASSERT_EQ(moments.value, brute_moment(statistic, c.data, c.lower, c.upper));
  const auto extents = brute_extents(statistic, c, distances);
  ASSERT_EQ(moments.extents.size(), distances);
  for (std::size_t j = 0; j < distances; ++j) {
    ASSERT_EQ(moments.extents[j].least, extents[j].least) << "distance " << j + 1;
    ASSERT_EQ(moments.extents[j].greatest, extents[j].greatest) << "distance " << j + 1;
  }
}

TEST(MomentSensitivity, SumsAndAveragesAtDistanceOne) {
  std::mt19937_64 random(1);
  for (const Statistic statistic : {Statistic::kSum, Statistic::kAverage}) {
    for (int i = 0; i < 5000 && !HasFatalFailure(); ++i) {
      expect_exact(statistic, some_case(random, 7, 8), 1);
    }
  }
}

TEST(MomentSensitivity, SumsAndAveragesOfGroups) {
  std::mt19937_64 random(2);
  for (const Statistic statistic : {Statistic::kSum, Statistic::kAverage}) {
    for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) {
      expect_exact(statistic, some_case(random, 5, 4), 3);
    }
  }
}

// The formula of the privacy contract.
TEST(MomentSensitivity, TheContractsFormulaOfSums) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    Case c = some_case(random, 7, 8);
    if (c.data.empty()) continue;
    const LocalMoments sum = library(Statistic::kSum, c, 1);
    const auto [x_1, x_n] = std::minmax_element(c.data.begin(), c.data.end());
    const std::int64_t formula = std::max({c.upper - *x_1, *x_n - c.lower, std::abs(c.lower),
                                           std::abs(c.upper), std::abs(*x_1), std::abs(*x_n)});
    ASSERT_EQ(
        std::max<mpq_class>(sum.extents[0].greatest - sum.value, sum.value - sum.extents[0].least),
        mpq_class(static_cast<long>(formula)));
  }
}

// Whether a record is the integer nearest to every vertex that the greatest variance may be at.
bool records_at_vertices(const Case& c) {
  std::int64_t sum = 0;
  for (const std::int64_t x : c.data) sum += x - c.lower;
  const auto n = static_cast<std::int64_t>(c.data.size());
  const auto [first, last] = std::minmax_element(c.data.begin(), c.data.end());
  for (const auto& [total, rows] :
       {std::pair{sum, n}, {sum, n + 1}, {sum + c.upper - c.lower, n + 1}}) {
    // the nearest integer, or both if it is half-way; clamped to the records
    for (const std::int64_t nearest :
         {(2 * total + rows - 1) / (2 * rows), (2 * total + rows) / (2 * rows)}) {
      const std::int64_t a = std::clamp(c.lower + nearest, *first, *last);
      if (std::find(c.data.begin(), c.data.end(), a) == c.data.end()) return false;
    }
  }
  return true;
}

TEST(MomentSensitivity, Variances) {
  std::mt19937_64 random(4);
  int exact = 0;
  for (int i = 0; i < 8000; ++i) {
    const Case c = some_case(random, i % 2 ? 7 : 4, i % 3 ? 8 : 30);
    SCOPED_TRACE(described(c));
    const LocalMoments moments = library(i % 5 ? Statistic::kVariance : Statistic::kStddev, c, 1);
    ASSERT_EQ(moments.value, brute_moment(Statistic::kVariance, c.data, c.lower, c.upper));
    ASSERT_EQ(moments.extents.size(), 1u);
    const Extent& extent = moments.extents[0];
    const Extent brute = brute_extents(Statistic::kVariance, c, 1)[0];
    ASSERT_EQ(extent.least, brute.least);
    ASSERT_GE(extent.greatest, brute.greatest);
    if (c.data.size() <= 3 || records_at_vertices(c)) {
      ASSERT_EQ(extent.greatest, brute.greatest);
      ++exact;
    }
  }
  EXPECT_GT(exact, 3000);
}

TEST(MomentSensitivity, NoRowsAndFew) {
  const auto extent = [](Statistic statistic, const Case& c) {
    return library(statistic, c, 1).extents[0];
  };
  const Case none{-2, 6, {}}, one{0, 8, {2}}, two{0, 8, {2, 4}}, stuck{3, 3, {3, 3}};
  EXPECT_EQ(library(Statistic::kAverage, none, 1).value, 2);
  EXPECT_EQ(extent(Statistic::kAverage, none).least, -2);
  EXPECT_EQ(extent(Statistic::kAverage, none).greatest, 6);
  EXPECT_EQ(extent(Statistic::kSum, none).least, -2);
  EXPECT_EQ(extent(Statistic::kSum, none).greatest, 6);
  EXPECT_EQ(extent(Statistic::kVariance, none).greatest, 0);
  EXPECT_EQ(extent(Statistic::kAverage, one).least, 0);
  EXPECT_EQ(extent(Statistic::kAverage, one).greatest, 8);
  EXPECT_EQ(extent(Statistic::kVariance, one).greatest, 9);  // 8 added
  EXPECT_EQ(extent(Statistic::kVariance, two).least, 0);
  EXPECT_EQ(extent(Statistic::kVariance, two).greatest, 9);  // 8 for 4
  for (const Statistic statistic : {Statistic::kAverage, Statistic::kVariance}) {
    EXPECT_EQ(extent(statistic, stuck).least, extent(statistic, stuck).greatest);
  }
  EXPECT_EQ(extent(Statistic::kSum, stuck).least, 3);
  EXPECT_EQ(extent(Statistic::kSum, stuck).greatest, 9);
}

// How much greater than the local sensitivity the bound for variances is.

// The exact extent: all records, and the grid values that can be best for each.
mpq_class exact_sensitivity(const Data& data, std::int64_t width) {
  const auto n = static_cast<std::int64_t>(data.size());
  std::int64_t sum = 0, squares = 0;
  for (const std::int64_t t : data) {
    sum += t;
    squares += t * t;
  }
  const auto variance = [](std::int64_t rows, std::int64_t s, std::int64_t q) {
    mpq_class v(mpz_class(static_cast<long>(rows * q - s * s)),
                mpz_class(static_cast<long>(rows * rows)));
    v.canonicalize();
    return v;
  };
  const mpq_class at = variance(n, sum, squares);
  mpq_class worst;
  const auto look = [&](std::int64_t rows, std::int64_t s, std::int64_t q) {
    worst = std::max<mpq_class>(worst, abs(variance(rows, s, q) - at));
  };
  for (const std::int64_t y : {std::int64_t{0}, width, sum / n, sum / n + 1}) {
    if (y <= width) look(n + 1, sum + y, squares + y * y);
  }
  for (const std::int64_t a : data) {
    look(n - 1, sum - a, squares - a * a);
    const std::int64_t mean = (sum - a) / (n - 1);
    for (const std::int64_t y : {std::int64_t{0}, width, mean, mean + 1}) {
      if (y <= width) look(n, sum - a + y, squares - a * a + y * y);
    }
  }
  return worst;
}

enum class Shape { kUniform, kSkewed, kTwoHeaps, kCentred };

Data random_data(Shape shape, std::size_t n, std::int64_t width, std::mt19937_64& random) {
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  Data data(n);
  for (auto& t : data) {
    double u = uniform();
    if (shape == Shape::kSkewed) u = u * u * u * u;
    if (shape == Shape::kTwoHeaps) u = (random() % 2 ? 0.15 : 0.85) + (u - 0.5) / 100;
    if (shape == Shape::kCentred) u = (u + uniform() + uniform() + uniform()) / 4;
    t = static_cast<std::int64_t>(u * static_cast<double>(width));
  }
  return data;
}

TEST(MomentSensitivity, TheBoundOfVariancesIsClose) {
  constexpr std::int64_t kWidth = 100000;
  std::mt19937_64 random(5);
  const char* names[] = {"uniform", "skewed", "two heaps", "centred"};
  for (const Shape shape : {Shape::kUniform, Shape::kSkewed, Shape::kTwoHeaps, Shape::kCentred}) {
    for (const std::size_t n : {5u, 20u, 100u, 1000u}) {
      const int sets = (n == 1000 ? 100 : 1000) / kThin;
      double total = 0, worst = 0;
      for (int i = 0; i < sets; ++i) {
        const Case c{0, kWidth, random_data(shape, n, kWidth, random)};
        const LocalMoments moments = library(Statistic::kVariance, c, 1);
        const mpq_class bound = std::max<mpq_class>(moments.extents[0].greatest - moments.value,
                                                    moments.value - moments.extents[0].least);
        const double ratio = mpq_class(bound / exact_sensitivity(c.data, kWidth)).get_d();
        ASSERT_GE(ratio, 1);
        total += ratio;
        worst = std::max(worst, ratio);
      }
      EXPECT_LT(total / sets, shape == Shape::kTwoHeaps ? 2 : 1.05);
      const auto rows = static_cast<double>(n);
      EXPECT_LT(worst, 2 + 1 / (rows * rows - 1) + 1e-3);  // what rounding may add
      const std::string name =
          std::string(names[static_cast<int>(shape)]) + " " + std::to_string(n);
      std::printf("  bound/LS, %s rows: mean %.6f, worst %.6f\n", name.c_str(), total / sets,
                  worst);
    }
  }
}

}  // namespace
}  // namespace idp::test

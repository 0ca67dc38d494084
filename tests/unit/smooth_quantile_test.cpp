// Order statistics by smooth and by global sensitivity: their privacy by enumeration of exact laws,
// the calculus behind it, and what a release makes of a column.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "core/grid/public_grid.h"
#include "core/mechanism/smooth_quantile.h"
#include "core/select/ranked_values.h"
#include "tests/support/bits.h"
#include "tests/support/release.h"
#include "tests/support/smooth_law.h"

namespace idp::test {
namespace {

constexpr int kGammas[] = {2, 3, 4};
constexpr double kEpsilons[] = {0.1, 1, 3, 10};

// The calculus.

Real log_density(int gamma, Real z) {
  return -std::log1p(std::pow(std::abs(z), static_cast<Real>(gamma)));
}
// the bound with the exact slope, per epsilon
Real proven(int gamma) {
  const auto g = static_cast<Real>(gamma);
  return std::pow(g - 1, (g - 1) / g) / (4 * g) + (g - 1) / g;
}

TEST(SmoothCalculus, Slopes) {
  for (const int gamma : kGammas) {
    const auto g = static_cast<Real>(gamma);
    Real slide = 0, up = 0, down = 0;
    const Real step = 1e-5L;
    for (Real z = step; z < 1000; z *= 1.003L) {
      slide = std::max(slide, (log_density(gamma, z) - log_density(gamma, z + step)) / step);
      const auto scaled = [&](Real t) { return log_density(gamma, z * std::exp(-t)) - t; };
      const Real slope = (scaled(step) - scaled(-step)) / (2 * step);
      up = std::max(up, slope);
      down = std::min(down, slope);
    }
    EXPECT_NEAR(slide, std::pow(g - 1, (g - 1) / g), 1e-4L);
    EXPECT_LT(slide, g);
    EXPECT_LE(up, g - 1 + 1e-9L);
    EXPECT_GT(up, g - 1 - 1e-3L);
    EXPECT_GE(down, -1 - 1e-9L);
    EXPECT_LE(proven(gamma), 0.893L);
  }
}

// Densities of f + s Z and f' + s' Z as far apart as neighbours' can be.
TEST(SmoothCalculus, SlidingAndDilationTogether) {
  for (const int gamma : kGammas) {
    for (const double epsilon : kEpsilons) {
      const Real scale = 4 * static_cast<Real>(gamma) / epsilon,
                 beta = epsilon / static_cast<Real>(gamma);
      Real worst = 0;
      for (const Real t : {-1.0L, -0.5L, 0.0L, 0.5L, 1.0L}) {
        const Real other = scale * std::exp(t * beta);  // S = 1 against e^(t beta), f = 0
        for (const Real f : {0.0L, 0.3L, 1.0L}) {       // |f - f'| <= the smaller of S and S'
          const Real shifted = f * std::min(1.0L, std::exp(t * beta));
          for (Real y = -1e7L; y < 1e7L; y += std::max(1e-4L, std::abs(y) / 50)) {
            const Real ratio = log_density(gamma, y / scale) - std::log(scale) -
                               log_density(gamma, (y - shifted) / other) + std::log(other);
            worst = std::max(worst, std::abs(ratio));
          }
        }
      }
      EXPECT_LE(worst, proven(gamma) * epsilon * (1 + 1e-12L));
      EXPECT_GT(worst, 0.45L * epsilon);
    }
  }
}

// Privacy by enumeration.

using LawOf = std::function<Law(const Spec&, const Data&)>;

// The greatest log ratio of probabilities over all data sets of at most 4 records of five values,
// two of them the bounds, all neighbours, the median, the maximum and a quantile; divided by
// epsilon.
Real worst_privacy(const LawOf& law_of, std::int64_t bound, double epsilon) {
  const Data domain{-bound, -1, 0, 1, bound};
  Real worst = 0;
  const std::vector<Spec> specs = smooth_specs();
  for (const Spec& spec : {specs[0], specs[1], specs[4]}) {
    std::map<Data, Law> laws;
    for (const Data& data : data_sets(domain, 4)) laws[data] = law_of(spec, data);
    for (const auto& [data, law] : laws) {
      for (std::size_t i = 0; i < data.size(); ++i) {
        Data neighbour = data;
        neighbour.erase(neighbour.begin() + static_cast<std::ptrdiff_t>(i));
        // an addition, seen from the other side
        worst = std::max(worst, worst_log_ratio(law, laws.at(neighbour)));
        for (const std::int64_t x : domain) {
          neighbour = data;
          neighbour[i] = x;
          std::sort(neighbour.begin(), neighbour.end());
          worst = std::max(worst, worst_log_ratio(law, laws.at(neighbour)));
        }
      }
    }
  }
  return worst / epsilon;
}

constexpr std::int64_t kBounds[] = {2, 40};

TEST(SmoothQuantile, IsEpsilonDifferentiallyPrivate) {
  for (const int gamma : kGammas) {
    for (const std::int64_t bound : kBounds) {
      for (const double epsilon : kEpsilons) {
        const Real worst = worst_privacy(
            [&](const Spec& spec, const Data& data) {
              return smooth_law(spec, data, -bound, bound, epsilon, gamma);
            },
            bound, epsilon);
        EXPECT_LE(worst, proven(gamma) + 1e-12L) << gamma << ", " << bound << ", " << epsilon;
        EXPECT_GT(worst, 0.05L);
      }
    }
  }
}

TEST(SmoothQuantile, MutantsAreNotPrivate) {
  const std::int64_t bound = 40;
  for (const int gamma : kGammas) {
    for (const double epsilon : {0.1, 1.0}) {
      const auto worst = [&](const std::function<Real(const Data&, std::int64_t)>& scale_of) {
        return worst_privacy(
            [&](const Spec& spec, const Data& data) {
              return heavy_law(brute_answer(spec, data, -bound, bound),
                               scale_of(data, brute_rank_or_none(spec, data)), gamma, -bound,
                               bound);
            },
            bound, epsilon);
      };
      const Real g = static_cast<Real>(gamma), scale = 4 * g / epsilon, beta = epsilon / g;
      const auto smooth = [=](const Data& data, std::int64_t rank) {
        return brute_smooth(data, rank, -bound, bound, beta);
      };
      // local sensitivity instead of smooth
      EXPECT_GT(worst([&](const Data& data, std::int64_t rank) {
                  return scale * static_cast<Real>(brute_gap(data, rank, -bound, bound, 0));
                }),
                1.5L);
      // a sensitivity that is smooth, but for eight times the beta
      if (epsilon == 0.1) {
        EXPECT_GT(worst([&](const Data& data, std::int64_t rank) {
                    return scale * brute_smooth(data, rank, -bound, bound, 8 * beta);
                  }),
                  1.5L);
      }
      // a fortieth of the noise, no noise
      EXPECT_GT(worst([&](const Data& data, std::int64_t rank) {
                  return scale / 40 * smooth(data, rank);
                }),
                1.2L);
      EXPECT_GT(worst([](const Data&, std::int64_t) { return Real{0}; }), 1e3L);
    }
  }
}

TEST(GlobalQuantile, IsEpsilonDifferentiallyPrivate) {
  for (const std::int64_t bound : kBounds) {
    for (const double epsilon : kEpsilons) {
      const auto worst = [&](Real rate) {
        return worst_privacy(
            [&](const Spec& spec, const Data& data) {
              return laplace_law(brute_answer(spec, data, -bound, bound), rate, -bound, bound);
            },
            bound, epsilon);
      };
      const Real rate = epsilon / static_cast<Real>(2 * bound);
      EXPECT_NEAR(worst(rate), 1, 1e-9L);
      EXPECT_GT(worst(rate * 1.05L), 1.04L);
    }
  }
}

// Answers.

mpz_class smooth(const Data& data, std::int64_t rank, long lower, long upper, double epsilon,
                 int gamma, BitSource& bits) {
  return smooth_quantile(SortedData(data), {rank, lower, upper}, {epsilon, gamma}, bits, nullptr);
}

TEST(SmoothQuantile, ReplayedWords) {
  // {2, 5, 9}, rank 2, in [0, 100], epsilon = 8, gamma = 4: beta = 2, the scale is 2 S, and S is
  // 95 exp(-2), from x_2 = 5 to x_4 = 100
  const Real scale = 2 * brute_smooth({2, 5, 9}, 2, 0, 100, 2);
  EXPECT_NEAR(scale, 2 * 95 * std::exp(-2.0L), 1e-12L);
  const std::uint64_t body = std::uint64_t{1} << 62, minus = std::uint64_t{1} << 63;
  const auto drawn = [&](Real z, std::uint64_t sign) {
    ReplayBits bits({body, static_cast<std::uint64_t>(z * 0x1p64L), 0, sign, 0});
    const mpz_class y = smooth({2, 5, 9}, 2, 0, 100, 8, 4, bits);
    EXPECT_EQ(bits.finish(), 0u);
    return y;
  };
  // the nearest grid point, up to the last digit
  EXPECT_EQ(drawn(10.4999999L / scale, 0), 15);
  EXPECT_EQ(drawn(10.5000001L / scale, 0), 16);
  EXPECT_EQ(drawn(0.4999999L / scale, minus), 5);
  EXPECT_EQ(drawn(0.5000001L / scale, minus), 4);
  EXPECT_EQ(drawn(5.6L / scale, minus), 0);  // clamped
  EXPECT_EQ(drawn(0, minus), 5);
}

TEST(SmoothQuantile, ExtremeEpsilons) {
  const Data data{1, 4, 4, 4, 9, 30};
  for (const int gamma : kGammas) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      SeededBits bits(seed);
      for (const double epsilon : {5e-324, 1e-300, 1e-30}) {
        const mpz_class y = smooth(data, 3, 0, 50, epsilon, gamma, bits);
        EXPECT_TRUE(y == 0 || y == 50);
        const mpz_class g = global_quantile(SortedData(data), 3, 0, 50, epsilon, bits);
        EXPECT_TRUE(g == 0 || g == 50);
      }
      for (const double epsilon : {1e30, 1e300, 1.7e308}) {
        EXPECT_EQ(smooth(data, 3, 0, 50, epsilon, gamma, bits), 4);
        EXPECT_EQ(smooth(data, 6, 0, 50, epsilon, gamma, bits), 30);
        EXPECT_EQ(global_quantile(SortedData(data), 3, 0, 50, epsilon, bits), 4);
        EXPECT_EQ(smooth({}, 0, -5, 0, epsilon, gamma, bits), -3);
      }
      EXPECT_EQ(smooth(data, 3, 4, 4, 1, gamma, bits), 4);
      EXPECT_EQ(smooth({}, 0, 4, 4, 1, gamma, bits), 4);
    }
  }
}

template <class Key>
struct Column {
  Grid grid;
  Key lower, upper;
  std::vector<Key> values;  // some of them outside the bounds
};

template <class Key>
Key smooth_of_column(const Column<Key>& column, std::int64_t rank, const Values<Key>& values,
                     const SmoothNoise& noise, BitSource& bits, StopCheck stop = nullptr) {
  const PublicGrid<Key> grid(column.grid, column.lower, column.upper);
  const RankedValues<Key> data(values, grid, {std::pmr::new_delete_resource(), stop});
  return grid.answer(smooth_quantile(data, {rank, grid.lower(), grid.upper()}, noise, bits, stop));
}

// The Laplace mechanism for x_rank of n records.
template <class Key>
Spec global_quantile_of(const Grid& grid, Key lower, Key upper, std::int64_t rank, std::int64_t n) {
  Spec spec = spec_of(Statistic::kGlobalMedian, grid);
  if (n > 0) spec.fraction = (static_cast<double>(rank) - 0.5) / static_cast<double>(n);
  spec.lower = widen(lower);
  spec.upper = widen(upper);
  EXPECT_EQ(rank_of(spec, n), rank);
  return spec;
}

template <class Key>
void check_column(const Column<Key>& column) {
  const std::span<const Key> run(column.values);
  const ValuesInMemory<Key> all = in_memory<Key>({&run, 1});
  const auto n = static_cast<std::int64_t>(column.values.size());
  for (const double epsilon : {1e-6, 1.0, 50.0, 1e9}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SeededBits bits(seed);
      const std::int64_t rank = n == 0 ? 0 : 1 + static_cast<std::int64_t>(seed) % n;
      const auto check = [&](Key answer) {
        ASSERT_GE(answer, column.lower);
        ASSERT_LE(answer, column.upper);
        ASSERT_TRUE(column.grid.admits(answer));
      };
      for (const int gamma : kGammas) {
        check(smooth_of_column<Key>(column, rank, all, {epsilon, gamma}, bits));
      }
      const Spec spec = global_quantile_of<Key>(column.grid, column.lower, column.upper, rank, n);
      const Frozen frozen = freeze_run<Key>(spec, {&epsilon, 1}, column.values, bits);
      check(std::get<Key>(release(spec, frozen, {&epsilon, 1}, bits)));
    }
  }
}

TEST(ReleaseSmoothQuantile, AnswersLieWithinTheBoundsAndAreAdmitted) {
  const Grid date{ValueType::kDate};
  constexpr Key64 kLeast = KeyLimits<Key64>::kMin, kMost = KeyLimits<Key64>::kMax;
  const auto bits_of = [](double x) { return ordered_bits(x); };
  const double max = std::numeric_limits<double>::max();
  const double tenth = double{0.1f}, next = double{std::nextafter(0.1f, 1.0f)};
  check_column<Key64>({kInt64Grid, -3, 12, {7, 7, -3, 12, 0, 1, -100, 13, kLeast, kMost}});
  check_column<Key64>({kInt64Grid, kLeast, kMost, {7, kLeast, kMost, 0}});
  check_column<Key64>({kInt64Grid, 4, 4, {1, 4, 9}});
  check_column<Key64>({kInt64Grid, 0, 5, {}});
  check_column<Key64>({date, -365, 10000, {0, 8000, date.infinity<Key64>(1), 20000}});
  check_column<Key64>(
      {kFloat64Grid, bits_of(0), bits_of(1), {bits_of(0.1), bits_of(3), bits_of(-5)}});
  check_column<Key64>(
      {kFloat64Grid, bits_of(-max), bits_of(max), {bits_of(5e-324), bits_of(-max)}});
  check_column<Key64>(
      {Grid{ValueType::kFloat32}, bits_of(tenth), bits_of(next), {bits_of(tenth), bits_of(1)}});
  for (const Grid& grid : {Grid::numeric(30, 5), Grid::plain_numeric()}) {
    const Key128 least = key128(grid.min_units()), most = key128(grid.max_units());
    check_column<Key128>({grid, {-2, 0}, {3, 17}, {{0, 7}, {-3, 5}, least, most, {0, 7}}});
    check_column<Key128>({grid, least, most, {{0, 7}, {-3, 5}}});
    check_column<Key128>({grid, {0, 0}, {5, 0}, {}});
  }
}

TEST(ReleaseSmoothQuantile, AGreatEpsilonGivesTheOrderStatistic) {
  std::vector<Key64> values;
  for (Key64 x = 0; x < 100000; ++x) values.push_back(x * 7919 % 100000);
  const std::span<const Key64> run(values);
  SeededBits bits(1);
  for (const std::int64_t rank : {1, 500, 50000, 100000}) {
    EXPECT_EQ(smooth_of_column<Key64>({kInt64Grid, -5, 1 << 20, {}}, rank,
                                      in_memory<Key64>({&run, 1}), {1e9, 4}, bits),
              rank - 1);
    const Spec spec = global_quantile_of<Key64>(kInt64Grid, -5, 1 << 20, rank, 100000);
    const double epsilon = 1e9;
    const Frozen frozen = freeze_run<Key64>(spec, {&epsilon, 1}, values, bits);
    EXPECT_EQ(std::get<Key64>(release(spec, frozen, {&epsilon, 1}, bits)), rank - 1);
  }
}

TEST(ReleaseSmoothQuantile, StopsWhenAsked) {
  const std::vector<Key64> values(100000, 3);
  const std::span<const Key64> run(values);
  SeededBits bits(1);
  const auto stop = [] { return true; };
  EXPECT_THROW(smooth_of_column<Key64>({kInt64Grid, 0, 9, {}}, 5, in_memory<Key64>({&run, 1}, stop),
                                       {1, 2}, bits, stop),
               Stopped);
  const Spec spec = global_quantile_of<Key64>(kInt64Grid, 0, 9, 5, 100000);
  EXPECT_THROW(freeze_run<Key64>(spec, {&spec.epsilon, 1}, values, bits, stop), Stopped);
}

}  // namespace
}  // namespace idp::test

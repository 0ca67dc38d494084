// Smooth sensitivity against its definition, over every data set there is; the search against a
// double loop.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "core/mechanism/global_quantile.h"
#include "core/sensitivity/smooth.h"
#include "tests/support/smooth_law.h"

namespace idp::test {
namespace {

constexpr Real kTolerance = 1e-15L;
constexpr double kBetas[] = {0.01, 0.05, 0.3, 0.7, 1, 3};

Rate exactly(double beta) { return Rate::of(beta, 1); }

Real value_of(const DecayedGap& s, double beta) {
  return static_cast<Real>(s.gap.get_d()) *
         std::exp(-static_cast<Real>(beta) * static_cast<Real>(s.distance));
}

DecayedGap smooth(const Data& data, std::int64_t rank, std::int64_t lower, std::int64_t upper,
                  double beta, std::int64_t reach = 0, StopCheck stop = nullptr) {
  const BoundedRank at{rank, static_cast<long>(lower), static_cast<long>(upper)};
  if (reach == 0) return smooth_sensitivity(SortedData(data), at, exactly(beta), stop);
  return smooth_sensitivity_from(reach, SortedData(data), at, exactly(beta), stop);
}

// All data sets of at most `size` records from lower … upper, and which are neighbours.
struct Universe {
  std::int64_t lower, upper;
  std::size_t size;
  std::vector<Data> sets;
  std::vector<std::vector<std::size_t>> neighbours;  // substitute, add, remove

  Universe(std::int64_t from, std::int64_t to, std::size_t most)
      : lower(from), upper(to), size(most) {
    Data domain;
    for (std::int64_t x = lower; x <= upper; ++x) domain.push_back(x);
    sets = data_sets(domain, size);
    std::map<Data, std::size_t> index;
    for (std::size_t i = 0; i < sets.size(); ++i) index[sets[i]] = i;
    for (const Data& data : sets) {
      std::vector<std::size_t>& mine = neighbours.emplace_back();
      const auto add = [&](Data neighbour) {
        std::sort(neighbour.begin(), neighbour.end());
        mine.push_back(index.at(neighbour));
      };
      for (std::size_t i = 0; i < data.size(); ++i) {
        Data neighbour = data;
        neighbour.erase(neighbour.begin() + static_cast<std::ptrdiff_t>(i));
        add(neighbour);
        neighbour.push_back(0);
        for (const std::int64_t x : domain) {
          neighbour.back() = x;
          add(neighbour);
        }
      }
      if (data.size() == size) continue;
      Data neighbour = data;
      neighbour.push_back(0);
      for (const std::int64_t x : domain) {
        neighbour.back() = x;
        add(neighbour);
      }
    }
  }

  // The number of records that must be substituted, added or removed, by breadth first search.
  std::vector<int> distances_from(std::size_t start) const {
    std::vector<int> distance(sets.size(), -1);
    std::vector<std::size_t> queue{start};
    distance[start] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::size_t there : neighbours[queue[next]]) {
        if (distance[there] >= 0) continue;
        distance[there] = distance[queue[next]] + 1;
        queue.push_back(there);
      }
    }
    return distance;
  }

  // For data sets below the full size, all of whose neighbours are here; -1 for the others.
  std::vector<std::int64_t> local_sensitivities(const Spec& spec) const {
    std::vector<std::int64_t> f, local;
    for (const Data& data : sets) f.push_back(brute_answer(spec, data, lower, upper));
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::int64_t worst = sets[i].size() < size ? 0 : -1;
      for (const std::size_t j : neighbours[i]) {
        if (worst >= 0) worst = std::max(worst, std::abs(f[i] - f[j]));
      }
      local.push_back(worst);
    }
    return local;
  }
};

// max over all D'' of exp(-beta d(D, D'')) LS(D''). Data sets of n records are at most n changes
// from one whose sensitivity is the whole range, so none of more than 2n is missed.
void check_definition(const Universe& all, std::size_t largest) {
  ASSERT_GT(all.size, 2 * largest);
  const std::int64_t range = all.upper - all.lower;
  std::vector<std::vector<std::int64_t>> locals;
  const std::vector<Spec> specs = smooth_specs();
  for (const Spec& spec : specs) locals.push_back(all.local_sensitivities(spec));
  for (std::size_t i = 0; i < all.sets.size(); ++i) {
    const Data& data = all.sets[i];
    if (data.size() > largest) continue;
    const std::vector<int> distance = all.distances_from(i);
    for (std::size_t s = 0; s < specs.size(); ++s) {
      const std::int64_t rank = brute_rank_or_none(specs[s], data);
      // the greatest local sensitivity within distance k
      std::vector<std::int64_t> within(largest + 1, 0);
      for (std::size_t j = 0; j < all.sets.size(); ++j) {
        for (auto k = static_cast<std::size_t>(distance[j]); k <= largest; ++k) {
          within[k] = std::max(within[k], locals[s][j]);
        }
      }
      for (std::size_t k = 0; k <= largest; ++k) {
        const auto gap = brute_gap(data, rank, all.lower, all.upper, static_cast<std::int64_t>(k));
        if (data.empty()) {
          ASSERT_LE(within[k], gap);
        } else {
          ASSERT_EQ(within[k], gap) << testing::PrintToString(data) << " rank " << rank;
        }
      }
      for (const double beta : kBetas) {
        Real definition = 0;
        for (std::size_t k = 0; k <= largest; ++k) {
          definition =
              std::max(definition, static_cast<Real>(within[k]) *
                                       std::exp(-static_cast<Real>(beta * static_cast<double>(k))));
        }
        const Real s_of = value_of(smooth(data, rank, all.lower, all.upper, beta), beta);
        if (data.empty()) {
          // more than the least bound, which is max(ceil(range/2), exp(-beta) range)
          ASSERT_EQ(s_of, static_cast<Real>(range));
          ASSERT_GE(s_of, definition);
        } else {
          ASSERT_NEAR(s_of, definition, kTolerance * definition);
        }
      }
    }
  }
}

TEST(SmoothSensitivity, IsWhatItsDefinitionSays) {
  check_definition(Universe(0, 3, 9), 4);
  check_definition(Universe(-2, 2, 7), 3);
  check_definition(Universe(-1, 1, 13), 6);
  check_definition(Universe(4, 5, 15), 7);
}

TEST(SmoothSensitivity, IsSmoothAndBoundsTheLocalSensitivity) {
  const Universe all(0, 4, 6);
  for (const Spec& spec : smooth_specs()) {
    const std::vector<std::int64_t> local = all.local_sensitivities(spec);
    for (const double beta : kBetas) {
      std::vector<Real> s;
      for (const Data& data : all.sets) {
        s.push_back(value_of(
            smooth(data, brute_rank_or_none(spec, data), all.lower, all.upper, beta), beta));
      }
      const Real most = std::exp(static_cast<Real>(beta)) * (1 + kTolerance);
      for (std::size_t i = 0; i < all.sets.size(); ++i) {
        ASSERT_GE(s[i], static_cast<Real>(local[i]));
        for (const std::size_t j : all.neighbours[i]) ASSERT_LE(s[i], most * s[j]);
      }
    }
  }
}

TEST(GlobalSensitivity, IsTheRange) {
  const Universe all(-3, 1, 6);
  for (const Spec& spec : smooth_specs()) {
    const std::vector<std::int64_t> local = all.local_sensitivities(spec);
    EXPECT_EQ(*std::max_element(local.begin(), local.end()), all.upper - all.lower);
  }
  EXPECT_EQ(order_statistic_or_middle(SortedData({}), {0, -3, 0}), -2);
  EXPECT_EQ(order_statistic_or_middle(SortedData({-3, 0}), {2, -3, 0}), 0);
}

// The search. Its comparisons are exact, so its maximum is that of the double loop.

Data random_data(std::mt19937_64& random, std::int64_t n, std::int64_t lower, std::int64_t upper) {
  const auto range = static_cast<std::uint64_t>(upper - lower + 1);
  const std::int64_t centre = lower + static_cast<std::int64_t>(random() % range);
  const int kind = static_cast<int>(random() % 4);
  Data data;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t x = lower + static_cast<std::int64_t>(random() % range);
    if (kind == 1) x = centre;                                             // ties
    if (kind == 2) x = centre + static_cast<std::int64_t>(random() % 11);  // a cluster
    if (kind == 3 && random() % 4 != 0) x = centre + (x - centre) / 1000;  // a cluster and a few
    data.push_back(std::clamp(x, lower, upper));
  }
  std::sort(data.begin(), data.end());
  return data;
}

TEST(SmoothSensitivity, TheSearchFindsTheMaximumOfADoubleLoop) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto n = static_cast<std::int64_t>(1 + random() % (i % 20 == 0 ? 400 : 60));
    const std::int64_t upper = i % 3 == 0 ? 10 : std::int64_t{1} << (random() % 61);
    const std::int64_t lower = i % 2 == 0 ? 0 : -upper;
    const Data data = random_data(random, n, lower, upper);
    const auto rank = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(n));
    const double beta = std::ldexp(1 + static_cast<double>(random() % 1000) / 1000,
                                   static_cast<int>(random() % 18) - 15);
    const Real expected = brute_smooth(data, rank, lower, upper, beta);
    const DecayedGap s = smooth(data, rank, lower, upper, beta);
    ASSERT_NEAR(value_of(s, beta), expected, 1e-14L * expected);
    ASSERT_EQ(s.gap, brute_gap(data, rank, lower, upper, s.distance));
    for (const std::int64_t reach : {1, 2, 5}) {  // the window has to grow
      const DecayedGap grown = smooth(data, rank, lower, upper, beta, reach);
      ASSERT_EQ(grown.gap, s.gap);
      ASSERT_EQ(grown.distance, s.distance);
    }
  }
}

TEST(SmoothSensitivity, ExtremeRatesAndRanges) {
  const Data data{1, 5, 5, 9};
  for (const double beta : {5e-324, 1e-300, 0x1p-30}) {
    const DecayedGap s = smooth(data, 2, 0, 10, beta);
    EXPECT_EQ(s.gap, 10);
    EXPECT_EQ(s.distance, 0);
  }
  EXPECT_EQ(smooth(data, 2, 0, 10, 0x1.1p-30).distance, 4);
  for (const double beta : {1e10, 1e300, 1.7e308}) {
    EXPECT_EQ(smooth(data, 2, 0, 10, beta).gap, 4);
    const DecayedGap tied = smooth({5, 5, 5, 5, 5}, 3, 0, 10, beta);
    EXPECT_EQ(tied.gap, 5);
    EXPECT_EQ(tied.distance, 2);
  }
  EXPECT_EQ(smooth({3, 3}, 1, 3, 3, 1).gap, 0);
  EXPECT_EQ(smooth({}, 0, 3, 3, 1).gap, 0);
  const mpz_class wide = mpz_class(1) << 126;
  EXPECT_EQ(smooth_sensitivity(SortedData({0, 0, 7}), {2, -wide, wide}, exactly(1e-3), nullptr).gap,
            2 * wide);
}

// More than a million equal values: the answer does not look at all of them, and stays a bound.
TEST(SmoothSensitivity, BeyondTheFarthestPlace) {
  const Data data(static_cast<std::size_t>(3 * kFarthest), 5);
  const DecayedGap s = smooth(data, data.size() / 2, 0, 10, 1e-3);
  EXPECT_EQ(s.gap, 10);
  EXPECT_EQ(s.distance, kFarthest);
}

TEST(SmoothSensitivity, StopsWhenAsked) {
  std::mt19937_64 random(3);
  const Data data = random_data(random, 20000, 0, 1 << 30);
  EXPECT_NO_THROW(smooth(data, 10000, 0, 1 << 30, 1e-3, 0, [] { return false; }));
  EXPECT_THROW(smooth(data, 10000, 0, 1 << 30, 1e-3, 0, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace idp::test

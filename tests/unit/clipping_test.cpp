// Bounds that are found in the data: the points they are among, the law of the scan, its privacy by
// enumeration, and what becomes of epsilon.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "core/mechanism/clipped_moments.h"
#include "core/mechanism/clipping_bounds.h"
#include "core/mechanism/draws/first_sparse.h"
#include "core/mechanism/private_moments.h"
#include "core/random/discrete_laplace.h"
#include "tests/support/bits.h"
#include "tests/support/brute_force.h"
#include "tests/support/data.h"
#include "tests/support/scan_law.h"

namespace idp::test {
namespace {

const Workspace kSpace{std::pmr::new_delete_resource()};

template <class Key>
ValuesInMemory<Key> values_of(const std::vector<Key>& keys,
                              std::vector<std::span<const Key>>& run) {
  run = {std::span<const Key>(keys)};
  return ValuesInMemory<Key>(run, std::pmr::new_delete_resource(), nullptr);
}

// --- the points ---

std::vector<Grid> narrow_grids() {
  return {{ValueType::kInt16},   {ValueType::kInt32},   {ValueType::kInt64},
          {ValueType::kFloat32}, {ValueType::kFloat64}, Grid::numeric(9, 2)};
}

template <class Key>
void expect_points(const Grid& grid, Key centre, Key least, Key most) {
  const std::vector<Key> points = clipping_points<Key>(grid, centre);
  EXPECT_LE(points.size(), 2048u);
  EXPECT_EQ(points.front(), least);
  EXPECT_EQ(points.back(), most);
  EXPECT_TRUE(std::binary_search(points.begin(), points.end(), centre));
  for (std::size_t i = 1; i < points.size(); ++i) ASSERT_LT(points[i - 1], points[i]);
  for (const Key& point : points) ASSERT_TRUE(grid.admits(point));
}

TEST(ClippingPoints, ReachTheEndsOfEveryType) {
  for (const Grid& grid : narrow_grids()) {
    const double top = grid.type == ValueType::kFloat32 ? double{std::numeric_limits<float>::max()}
                                                        : std::numeric_limits<double>::max();
    const Key64 least = grid.is_float() ? ordered_bits(-top) : narrow(key128(grid.min_units()));
    const Key64 most = grid.is_float() ? ordered_bits(top) : narrow(key128(grid.max_units()));
    const Key64 one = grid.is_float() ? ordered_bits(1) : 1;
    for (const Key64 centre : {Key64{0}, one, least, most})
      expect_points(grid, centre, least, most);
  }
  for (const Grid& grid : {Grid::plain_numeric(), Grid::numeric(30, 4)}) {
    const Key128 least = key128(grid.min_units()), most = key128(grid.max_units());
    for (const Key128 centre : {Key128{0, 0}, Key128{-1, 5}, least, most}) {
      expect_points(grid, centre, least, most);
    }
  }
}

TEST(ClippingPoints, FourInEachPowerOfTwo) {
  const std::vector<Key64> points = clipping_points<Key64>({ValueType::kInt32}, 100);
  for (const Key64 c :
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 1 << 20, 7 << 20}) {
    EXPECT_TRUE(std::binary_search(points.begin(), points.end(), 100 + c)) << c;
    EXPECT_TRUE(std::binary_search(points.begin(), points.end(), 100 - c)) << c;
  }
  EXPECT_FALSE(std::binary_search(points.begin(), points.end(), 109));
}

// --- without noise ---

// At an epsilon where no noise is drawn: the first points beyond which no value lies.
constexpr double kNoNoise = 1e6;

template <class Key>
void expect_bounds(const Grid& grid, const std::vector<Key>& data, Centre centre, Key middle) {
  SeededBits bits(1);
  std::vector<std::span<const Key>> run;
  const auto values = values_of(data, run);
  const auto found = find_clipping_bounds<Key>(values, grid, centre, kNoNoise, kSpace, bits);
  const std::vector<Key> points = clipping_points<Key>(grid, middle);
  const auto beyond = [&](const Key& point, auto less) {
    return std::any_of(data.begin(), data.end(), [&](const Key& x) { return less(point, x); });
  };
  auto upper = std::lower_bound(points.begin(), points.end(), middle);
  auto lower = upper;
  while (upper + 1 != points.end() && beyond(*upper, std::less<Key>())) ++upper;
  while (lower != points.begin() && beyond(*lower, std::greater<Key>())) --lower;
  EXPECT_EQ(found.upper, *upper);
  EXPECT_EQ(found.lower, *lower);
}

// The first point from 0 on beyond which no more values lie than do not: the centre, without noise.
Key64 middle_of(const Grid& grid, const std::vector<Key64>& data) {
  const std::vector<Key64> points = clipping_points<Key64>(grid, 0);
  const auto half = static_cast<long>(data.size() / 2);
  auto upper = std::lower_bound(points.begin(), points.end(), Key64{0});
  auto lower = upper;
  const auto above = [&](Key64 point) {
    return std::count_if(data.begin(), data.end(), [&](Key64 x) { return x > point; });
  };
  const auto below = [&](Key64 point) {
    return std::count_if(data.begin(), data.end(), [&](Key64 x) { return x < point; });
  };
  while (above(*upper) > half) ++upper;
  while (below(*lower) > half) --lower;
  return *upper > 0 ? *upper : *lower;
}

TEST(ClippingBounds, WithoutNoiseLeaveOneValueOut) {
  std::mt19937_64 random(7);
  for (const Grid& grid : narrow_grids()) {
    for (int scale = 1; scale < 1 << 14; scale *= 3) {
      std::vector<Key64> data;
      for (int i = 0; i < 40; ++i) {
        const auto x = static_cast<long>(random() % static_cast<unsigned>(3 * scale)) - scale;
        data.push_back(grid.is_float() ? ordered_bits(static_cast<double>(x) / 8) : x);
      }
      expect_bounds<Key64>(grid, data, Centre::kZero, 0);
      expect_bounds<Key64>(grid, data, Centre::kMedian, middle_of(grid, data));
    }
    expect_bounds<Key64>(grid, {}, Centre::kZero, 0);
  }
  const Grid wide = Grid::plain_numeric();
  const Key128 most = key128(wide.max_units());
  expect_bounds<Key128>(wide, {{0, 9}, {7, 7}, {-5, 1}, most, most, {-5, 0}}, Centre::kZero,
                        {0, 0});
}

TEST(ClippingBounds, InfinitiesCountAsBeyondEverything) {
  const Grid grid{ValueType::kFloat64};
  const Key64 up = grid.infinity<Key64>(1), down = grid.infinity<Key64>(-1);
  SeededBits bits(1);
  const std::vector<Key64> data{up, up, up, down, 0};
  std::vector<std::span<const Key64>> run;
  const auto values = values_of(data, run);
  const auto found =
      find_clipping_bounds<Key64>(values, grid, Centre::kZero, kNoNoise, kSpace, bits);
  EXPECT_EQ(found.upper, ordered_bits(std::numeric_limits<double>::max()));
  EXPECT_EQ(found.lower, ordered_bits(std::numeric_limits<double>::lowest()));
}

// --- the law ---

TEST(ClippingScan, TheLibraryUsesTheRatesAndTheLimitOfTheProof) {
  const Counts counts{100, 60, 40, 30, 22, 16, 11, 7, 3, 1, 0, 0, 0, 0};
  for (const double epsilon : {0.3, 1.0, 7.0, 1e-18}) {
    const mpz_class limit(std::floor(16 / epsilon));
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      SeededBits mine(seed), bits(seed);
      EXPECT_EQ(draw_first_sparse(counts, epsilon, bits),
                draws::first_sparse(std::span<const std::int64_t>(counts), limit,
                                    Rate::of(epsilon, 4), Rate::of(epsilon, 16), mine));
    }
  }
}

// --- privacy ---

constexpr long kEnd = 2;  // points -2 … 2, centre 0

std::vector<Real> bounds_law(const Data& data, const Rates& rates) {
  Counts upper, lower;
  for (long c = 0; c <= kEnd; ++c) {
    upper.push_back(std::count_if(data.begin(), data.end(), [c](auto x) { return x > c; }));
    lower.push_back(std::count_if(data.begin(), data.end(), [c](auto x) { return x < -c; }));
  }
  const auto up = scan_law(upper, 1, rates), down = scan_law(lower, 1, rates);
  std::vector<Real> law;
  for (const Real u : up) {
    for (const Real d : down) law.push_back(u * d);
  }
  return law;
}

// Of the two scans for the centre.
std::vector<Real> centre_law(const Data& data, const Rates& rates) {
  Counts upper, lower;
  const auto n = static_cast<long>(data.size());
  for (long c = 0; c <= kEnd; ++c) {
    upper.push_back(2 * std::count_if(data.begin(), data.end(), [c](auto x) { return x > c; }) - n);
    lower.push_back(2 * std::count_if(data.begin(), data.end(), [c](auto x) { return x < -c; }) -
                    n);
  }
  const auto up = scan_law(upper, 0, rates), down = scan_law(lower, 0, rates);
  std::vector<Real> law;
  for (const Real u : up) {
    for (const Real d : down) law.push_back(u * d);
  }
  return law;
}

// The greatest log ratio over all data sets of at most 4 values in [-3, 3] and their neighbours.
template <class Law>
Real worst_loss(const Rates& rates, const Law& law_by_definition) {
  Data domain;
  for (std::int64_t x = -3; x <= 3; ++x) domain.push_back(x);
  Real worst = 0;
  std::map<Data, std::vector<Real>> laws;
  const auto law_of = [&](Data data) -> const std::vector<Real>& {
    std::sort(data.begin(), data.end());
    auto at = laws.find(data);
    if (at == laws.end()) at = laws.emplace(data, law_by_definition(data, rates)).first;
    return at->second;
  };
  for (const Data& data : data_sets(domain, 4)) {
    const std::vector<Real> law = law_of(data);
    const auto compare = [&](const Data& neighbour) {
      const std::vector<Real>& other = law_of(neighbour);
      for (std::size_t i = 0; i < law.size(); ++i) {
        worst = std::max(worst, std::abs(std::log(law[i] / other[i])));
      }
    };
    for (std::size_t i = 0; i < data.size(); ++i) {
      Data neighbour = data;
      neighbour.erase(neighbour.begin() + static_cast<std::ptrdiff_t>(i));
      compare(neighbour);
      for (const std::int64_t x : domain) {
        neighbour = data;
        neighbour[i] = x;
        compare(neighbour);
      }
    }
  }
  return worst;
}

TEST(ClippingBounds, LoseWhatTheProofSays) {
  for (const Rates& rates : {Rates{0.25L, 0.0625L}, Rates{1, 0.25L}, Rates{0.5L, 4}, Rates{2, 1}}) {
    EXPECT_LE(worst_loss(rates, bounds_law), rates.of_limit + 2 * rates.of_counts + 1e-9L);
  }
  EXPECT_GT(worst_loss({2, 1}, bounds_law), 0.65L * 4);
}

TEST(ClippingCentre, LosesWhatTheProofSays) {
  for (const Rates& rates :
       {Rates{0.5L, 0.25L}, Rates{1, 0.25L}, Rates{0.5L, 4}, Rates{2, 1}, Rates{0.25L, 1}}) {
    EXPECT_LE(worst_loss(rates, centre_law), 2 * rates.of_limit + 4 * rates.of_counts + 1e-9L);
  }
  EXPECT_GT(worst_loss({2, 1}, centre_law), 0.5L * 8);
  // a count that moves by two is not paid for as one that moves by one
  EXPECT_GT(worst_loss({2, 1}, centre_law), 2 + 2 * 1);
}

// A type has hundreds of points beyond the values: none of them is taken, however few values there
// are. In 40 steps beyond the values, each of which is passed with a probability of a half at most,
// a point grows by 2^10: of all draws here one would with less than 1e-8.
TEST(ClippingCentre, FewValuesGiveNoBoundsFarAway) {
  for (const Grid& grid : {Grid{ValueType::kInt64}, Grid::numeric(18, 2)}) {
    for (const int n : {0, 10, 50, 100, 300}) {
      std::vector<Key64> data;
      for (int i = 0; i < n; ++i) data.push_back(20 + i % 40);
      std::vector<std::span<const Key64>> run;
      const auto values = values_of(data, run);
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SeededBits bits(seed);
        const auto [lower, upper] =
            find_clipping_bounds<Key64>(values, grid, Centre::kMedian, 1, kSpace, bits);
        EXPECT_LT(upper, 60L << 20);
        EXPECT_GT(lower, -(60L << 20));
      }
    }
  }
}

TEST(ClippingCentre, TheLibraryUsesTheRatesOfTheProof) {
  std::vector<Key64> data;
  for (int i = 0; i < 90; ++i) data.push_back(i % 60 - 10);
  std::vector<std::span<const Key64>> run;
  const auto values = values_of(data, run);
  const Grid grid{ValueType::kInt32};
  const std::vector<Key64> points = clipping_points<Key64>(grid, 0);
  const auto zero = std::lower_bound(points.begin(), points.end(), Key64{0});
  for (const double epsilon : {0.3, 1.0, 7.0}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      SeededBits mine(seed), bits(seed);
      Counts upper, lower;
      for (auto at = zero; at != points.end(); ++at) {
        upper.push_back(
            2 * std::count_if(data.begin(), data.end(), [&](Key64 x) { return x > *at; }) - 90);
      }
      for (auto at = zero;; --at) {
        lower.push_back(
            2 * std::count_if(data.begin(), data.end(), [&](Key64 x) { return x < *at; }) - 90);
        if (at == points.begin()) break;
      }
      const auto scan = [&](const Counts& counts) {
        return static_cast<std::ptrdiff_t>(
            draws::first_sparse(std::span<const std::int64_t>(counts), 0, Rate::of(epsilon, 32),
                                Rate::of(epsilon, 64), mine));
      };
      const std::ptrdiff_t up = scan(upper), down = scan(lower);
      const Key64 middle = *(zero + up - down);
      const auto found =
          find_clipping_bounds<Key64>(values, grid, Centre::kMedian, epsilon, kSpace, bits);
      // what comes after is the scan for the bounds, of the same source
      const std::vector<Key64> round = clipping_points<Key64>(grid, middle);
      EXPECT_TRUE(std::binary_search(round.begin(), round.end(), found.lower));
      EXPECT_TRUE(std::binary_search(round.begin(), round.end(), found.upper));
      EXPECT_LE(found.lower, middle);
      EXPECT_GE(found.upper, middle);
    }
  }
}

// The greatest log ratio of one scan, how the probability of a place can grow when counts shrink by
// 0 or 1 each, and when they grow.
struct Losses {
  Real shrinking = 0, growing = 0;
};

Losses worst_losses(const std::vector<Counts>& all, const Rates& rates) {
  Losses worst;
  for (const Counts& counts : all) {
    const auto law = scan_law(counts, 1, rates);
    for (std::size_t from = 0; from < counts.size(); ++from) {
      for (std::size_t to = from + 1; to <= counts.size(); ++to) {
        Counts fewer = counts;
        for (std::size_t i = from; i < to; ++i) --fewer[i];
        const auto other = scan_law(fewer, 1, rates);
        for (std::size_t j = 0; j < law.size(); ++j) {
          worst.shrinking = std::max(worst.shrinking, std::log(law[j] / other[j]));
          worst.growing = std::max(worst.growing, std::log(other[j] / law[j]));
        }
      }
    }
  }
  return worst;
}

TEST(ClippingScan, EachDirectionLosesWhatTheProofSays) {
  const Counts flat(24, 3);
  Counts falling(24);
  for (std::size_t i = 0; i < falling.size(); ++i) falling[i] = static_cast<long>(40 - i);
  for (const Rates& rates : {Rates{0.25L, 0.0625L}, Rates{0.5L, 0.5L}, Rates{2, 1}}) {
    const Losses worst = worst_losses({flat, falling, {5, 4, 2, 1, 1, 1}}, rates);
    EXPECT_LE(worst.shrinking, rates.of_limit + rates.of_counts + 1e-9L);
    EXPECT_LE(worst.growing, rates.of_counts + 1e-9L);
    EXPECT_GT(worst.growing, 0.8L * rates.of_counts);
  }
  // the promise is used up
  EXPECT_GT(worst_losses({flat}, {0.5L, 0.5L}).shrinking, 0.9L);
}

// Without noise on the limit, the counts that pass have to pay one by one.
TEST(ClippingScan, TheLimitNeedsNoise) {
  EXPECT_GT(worst_losses({Counts(24, 3)}, {0, 0.5L}).shrinking, 2.0L);
}

// --- what is left ---

TEST(ClippedMoments, ThePartsOfEpsilonAddUp) {
  EXPECT_EQ(share_left(Centre::kZero) + mpq_class(1, 4) + 2 * mpq_class(1, 16), 1);
  EXPECT_EQ(share_left(Centre::kMedian) + mpq_class(1, 4) + 2 * mpq_class(1, 16) + mpq_class(1, 8),
            1);
}

// The same words through the parts: bounds first, then noise of the rate that is left.
TEST(ClippedMoments, NoiseHasTheRateThatIsLeft) {
  std::vector<Key64> data;
  for (int i = 0; i < 500; ++i) data.push_back(i % 90);
  std::vector<std::span<const Key64>> run;
  const auto values = values_of(data, run);
  const Grid grid{ValueType::kInt32};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SeededBits bits(seed), parts(seed);
    const auto sum = clipped_moment<Key64>(Moment::kSum, grid, values, 0.7, kSpace, bits);
    const auto [lower, upper] =
        find_clipping_bounds<Key64>(values, grid, Centre::kZero, 0.7, kSpace, parts);
    mpz_class expected;
    for (const Key64 x : data) expected += static_cast<long>(std::clamp(x, lower, upper));
    const long sensitivity = std::max({upper - lower, upper, -lower});
    if (sensitivity > 0) {
      mpq_class rate = mpq_class(0.7) * mpq_class(5, 8) / sensitivity;
      expected += discrete_laplace({rate.get_num(), rate.get_den()}, parts);
    }
    EXPECT_EQ(sum->units, expected);
  }
}

TEST(ClippedMoments, NoNoiseLeavesTheStatisticsOfClampedValues) {
  std::vector<Key64> data;
  for (int i = 0; i < 1000; ++i) data.push_back(200 + i % 17);
  std::vector<std::span<const Key64>> run;
  const auto values = values_of(data, run);
  const auto answer = [&](Moment moment) {
    SeededBits bits(3);
    return *clipped_moment<Key64>(moment, {ValueType::kInt32}, values, kNoNoise, kSpace, bits);
  };
  mpz_class sum, squares;
  for (const Key64 x : data) {
    sum += static_cast<long>(x);
    squares += static_cast<long>(x * x);
  }
  EXPECT_EQ(answer(Moment::kSum).units, sum);
  mpz_class unit;
  mpz_ui_pow_ui(unit.get_mpz_t(), 10, 16);
  EXPECT_EQ(answer(Moment::kAverage).units, unit * sum / 1000);
  EXPECT_EQ(answer(Moment::kVariance).units, unit * (1000 * squares - sum * sum) / 1000000);
}

TEST(ClippedMoments, NoValues) {
  const std::vector<Key64> none;
  std::vector<std::span<const Key64>> run;
  const auto values = values_of(none, run);
  SeededBits bits(3);
  const Grid grid{ValueType::kInt32};
  EXPECT_EQ(clipped_moment<Key64>(Moment::kSum, grid, values, kNoNoise, kSpace, bits)->units, 0);
  for (const Moment moment : {Moment::kAverage, Moment::kVariance, Moment::kStddev}) {
    EXPECT_FALSE(clipped_moment<Key64>(moment, grid, values, kNoNoise, kSpace, bits));
  }
}

// The bounds that are found are one, the middle of no values, as of values that are all the same:
// the count alone tells which it is, by its noise of rate epsilon/4.
TEST(ClippedMoments, ACountOfValuesThatAreOne) {
  const Grid grid{ValueType::kInt32};
  const auto answers = [&](const std::vector<Key64>& data, double epsilon) {
    std::vector<std::span<const Key64>> run;
    const auto values = values_of(data, run);
    int given = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SeededBits bits(seed);
      given +=
          clipped_moment<Key64>(Moment::kAverage, grid, values, epsilon, kSpace, bits).has_value();
    }
    return given;
  };
  EXPECT_EQ(answers({}, 1), 0);  // with a probability of less than 1e-4 each
  EXPECT_EQ(answers(std::vector<Key64>(200, 7), 1), 200);
  // Those that lie beyond the bounds support nothing: 2t = 32, k = 9.
  EXPECT_LE(answers(std::vector<Key64>(34, 7), 1), 60);
  EXPECT_GE(answers(std::vector<Key64>(50, 7), 1), 160);
}

}  // namespace
}  // namespace idp::test

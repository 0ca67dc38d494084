// dp_median and its kin: the definition's sensitivity and privacy by enumeration, decisions of the
// sampler on replayed words, and what a release makes of a column.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/grid/public_grid.h"
#include "core/mechanism/exponential_quantile.h"
#include "tests/support/bits.h"
#include "tests/support/exponential_law.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;
using Float = std::numeric_limits<float>;
using Words = std::vector<std::uint64_t>;

// The definition. Its utility has sensitivity 1 and its law is epsilon-DP, seen by enumeration.

using Rank = std::function<std::int64_t(std::int64_t n)>;

Rank rank_by(const Spec& spec) {
  return [spec](std::int64_t n) { return n == 0 ? 0 : brute_rank(spec, n); };
}

std::vector<Spec> specs() {
  std::vector<Spec> all{private_quantile<Key64>(Statistic::kPrivateMedian, 0.5, 0, 0),
                        private_quantile<Key64>(Statistic::kPrivateMin, 0, 0, 0),
                        private_quantile<Key64>(Statistic::kPrivateMax, 0, 0, 0)};
  for (const double fraction : {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.6, 2.0 / 3, 0.75, 0.9, 0.99, 1.0}) {
    all.push_back(private_quantile<Key64>(Statistic::kPrivateQuantile, fraction, 0, 0));
  }
  return all;
}

TEST(ExponentialDefinition, TheLibraryUsesTheRanksOfTheDefinition) {
  for (const Spec& spec : specs()) {
    for (std::int64_t n = 1; n <= 200; ++n) EXPECT_EQ(rank_of(spec, n), brute_rank(spec, n));
  }
}

// The greatest |d(D, y) - d(D', y)| over all data sets of at most 5 values in [-reach, reach], all
// neighbours and all y.
std::int64_t worst_change(const Rank& rank, std::int64_t reach) {
  Data domain;
  for (std::int64_t x = -reach; x <= reach; ++x) domain.push_back(x);
  std::int64_t worst = 0;
  for (const Data& data : data_sets(domain, 5)) {
    const auto n = static_cast<std::int64_t>(data.size());
    for_each_neighbour(data, reach, [&](const Data& neighbour) {
      const auto m = static_cast<std::int64_t>(neighbour.size());
      for (const std::int64_t y : domain) {
        worst = std::max(worst, std::abs(brute_distance(data, rank(n), y) -
                                         brute_distance(neighbour, rank(m), y)));
      }
    });
  }
  return worst;
}

// Ranks that do not move with the number of records as they must: down when one is added, or two
// places at a time.
std::int64_t rank_moving_back(std::int64_t n) {
  return n % 2 ? std::max<std::int64_t>(1, n / 2) : n / 2 + 1;
}
std::int64_t rank_moving_twice(std::int64_t n) {
  return n % 2 ? std::max<std::int64_t>(1, n - 1) : std::max<std::int64_t>(1, n / 2 - 1);
}

TEST(ExponentialDefinition, TheUtilityHasSensitivityOne) {
  for (const Spec& spec : specs()) {
    EXPECT_EQ(worst_change(rank_by(spec), 2), 1) << spec.fraction;
  }
  EXPECT_EQ(worst_change(rank_by(specs()[0]), 3), 1);
  EXPECT_GT(worst_change(rank_moving_back, 2), 1);
  EXPECT_GT(worst_change(rank_moving_twice, 2), 1);
}

using LawOf = std::function<Law(const Data&)>;

// The greatest log ratio of probabilities over all data sets of at most 4 of five values, two of
// them the bounds, and all neighbours; divided by epsilon.
long double worst_privacy(const LawOf& law_of, std::int64_t bound, double epsilon) {
  const Data domain{-bound, -1, 0, 1, bound};
  std::map<Data, Law> laws;
  for (const Data& data : data_sets(domain, 4)) laws[data] = law_of(data);
  long double worst = 0;
  const auto compare = [&](const Law& law, Data neighbour) {
    std::sort(neighbour.begin(), neighbour.end());
    worst = std::max(worst, worst_log_ratio(law, laws.at(neighbour)));
  };
  for (const auto& [data, law] : laws) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      Data neighbour = data;
      neighbour.erase(neighbour.begin() + static_cast<std::ptrdiff_t>(i));
      compare(law, neighbour);  // an addition, seen from the other side
      for (const std::int64_t x : domain) {
        neighbour = data;
        neighbour[i] = x;
        compare(law, neighbour);
      }
    }
  }
  return worst / epsilon;
}

LawOf law_by(const Rank& rank, std::int64_t bound, double epsilon) {
  return [=](const Data& data) {
    return brute_law(data, rank(static_cast<std::int64_t>(data.size())), -bound, bound, epsilon);
  };
}

constexpr std::int64_t kBounds[] = {2, 10, 100};
constexpr double kEpsilons[] = {0.1, 1, 3};

TEST(ExponentialDefinition, IsEpsilonDifferentiallyPrivate) {
  long double tightest = 0;
  for (const Spec& spec : specs()) {
    for (const std::int64_t bound : kBounds) {
      for (const double epsilon : kEpsilons) {
        const long double worst =
            worst_privacy(law_by(rank_by(spec), bound, epsilon), bound, epsilon);
        EXPECT_LE(worst, 1 + 1e-12L) << spec.fraction << ", " << bound << ", " << epsilon;
        EXPECT_GT(worst, 0.5L);
        tightest = std::max(tightest, worst);
      }
    }
  }
  EXPECT_GT(tightest, 0.9L);  // the promise is nearly used up
}

TEST(ExponentialDefinition, MutantsAreNotPrivate) {
  const Rank rank = rank_by(specs()[0]);
  for (const std::int64_t bound : kBounds) {
    for (const double epsilon : kEpsilons) {
      const auto worst = [&](const LawOf& law) { return worst_privacy(law, bound, epsilon); };
      // weights exp(epsilon u) instead of exp(epsilon u / 2)
      EXPECT_GT(worst(law_by(rank, bound, 2 * epsilon)), 1.04L);
      EXPECT_GT(worst(law_by(rank_moving_back, bound, epsilon)), 1.04L);
      EXPECT_GT(worst(law_by(rank_moving_twice, bound, epsilon)), 1.04L);
      // no records: the lower bound for sure
      EXPECT_GT(worst([&](const Data& data) {
                  Law law = law_by(rank, bound, epsilon)(data);
                  if (data.empty()) {
                    law.assign(law.size(), 0);
                    law[0] = 1;
                  }
                  return law;
                }),
                1.04L);
      // distances beyond 1 cut off without the records' bounds: answers that never come
      EXPECT_GT(worst([&](const Data& data) {
                  Law law = law_by(rank, bound, epsilon)(data);
                  const auto n = static_cast<std::int64_t>(data.size());
                  for (std::int64_t y = -bound; y <= bound; ++y) {
                    if (brute_distance(data, rank(n), y) > 1)
                      law[static_cast<std::size_t>(y + bound)] = 0;
                  }
                  return normalized(law);
                }),
                1.04L);
    }
  }
}

// The sampler on replayed words.

// The answer on exactly these words; fails if it uses fewer or more of them. q = exp(-1).
mpz_class draw(const Data& data, std::int64_t rank, long lower, long upper, Words words,
               std::int64_t reach = 0) {
  ReplayBits bits(std::move(words));
  const mpz_class y = draw_exponential(SortedData(data), {rank, lower, upper}, 2, bits, reach);
  EXPECT_EQ(bits.finish(), 0u) << "words were left over";
  return y;
}

// The word of U = share, and one whose high bits are v.
std::uint64_t at(double share) { return static_cast<std::uint64_t>(share * 0x1p64); }
std::uint64_t high(std::uint64_t v, int bits) { return v << (64 - bits); }

TEST(ExponentialQuantile, NoDataIsUniform) {
  for (std::uint64_t v = 0; v < 4; ++v) EXPECT_EQ(draw({}, 0, 10, 13, {high(v, 2)}), 10 + v);
  EXPECT_EQ(draw({}, 0, 10, 12, {high(3, 2), high(2, 2)}), 12);
  EXPECT_EQ(draw({}, 0, -5, -5, {}), -5);
}

TEST(ExponentialQuantile, ReplayedWords) {
  // {1, 3}, rank 1, within [0, 4]: d is 0 at 1, 1 at 0, 2 and 3, 2 at 4. The weights are 1, 3 q and
  // q^2, their shares 0.4466, 0.4929 and 0.0604.
  for (const std::int64_t reach : {0, 1, 2, 3}) {
    SCOPED_TRACE(reach);
    const auto drawn = [reach](Words words) { return draw({1, 3}, 1, 0, 4, words, reach); };
    EXPECT_EQ(drawn({0, 0}), 1);
    EXPECT_EQ(drawn({at(0.4466), 0}), 1);
    EXPECT_EQ(drawn({at(0.4467), 0, high(0, 2)}), 0);
    EXPECT_EQ(drawn({at(0.7), 0, high(1, 2)}), 2);
    EXPECT_EQ(drawn({at(0.7), 0, high(3, 2), high(2, 2)}), 3);
    EXPECT_EQ(drawn({at(0.9395), 0, high(2, 2)}), 3);
    // inside the reach or beyond, where a coin is thrown: the only one
    const Words coin = reach == 1 ? exp_coin_words(0) : Words{};
    EXPECT_EQ(drawn(joined({{at(0.9397), 0}, coin})), 4);
    EXPECT_EQ(drawn(joined({{at(0.9999), 0}, coin})), 4);
  }
  EXPECT_EQ(draw({5}, 1, 5, 5, {0, 0}), 5);
  EXPECT_EQ(draw({5, 5, 5}, 2, 5, 5, {0, 0}), 5);
}

TEST(ExponentialQuantile, TheEnvelopeIsRejectedByAnExactCoin) {
  // {0, 1, 2, 9}, rank 1, within [0, 9]: d is y up to 2, and 3 beyond. With a reach of 1 the
  // envelope holds 2 to 9 with weight q^2 each; shares 0.408, 0.150 and 0.442.
  const std::uint64_t envelope = at(0.75);
  const auto drawn = [](Words words) { return draw({0, 1, 2, 9}, 1, 0, 9, words, 1); };
  EXPECT_EQ(drawn({at(0.4), 0}), 0);
  EXPECT_EQ(drawn({at(0.5), 0}), 1);
  const auto place = [&](std::uint64_t v) { return Words{envelope, 0, high(v, 3)}; };
  const Words heads = exp_coin_words(2), tails = exp_coin_words(1);
  EXPECT_EQ(drawn(joined({place(0), heads})), 2);          // as far as the envelope has it: kept
  EXPECT_EQ(drawn(joined({place(3), heads})), 5);          // exp(-1) is heads: kept
  EXPECT_EQ(drawn(joined({place(3), tails, {0, 0}})), 0);  // tails: anew, with all words new
  EXPECT_EQ(drawn(joined({place(7), tails, place(7), heads})), 9);
  // on both sides: {4, 5, 5, 6}, rank 2; the window of reach 1 is 4 to 5, outside are 0 to 3 and 6
  // to 9, with d = 2 below 4, 2 at 6 and 4 beyond
  const auto both = [&](Words words) {
    return draw({4, 5, 5, 6}, 2, 0, 9, joined({words, heads}), 1);
  };
  EXPECT_EQ(both({at(0.99), 0, high(0, 3)}), 0);
  EXPECT_EQ(both({at(0.99), 0, high(3, 3)}), 3);
}

// A release of a column.

template <class Key>
Key release(const Spec& spec, const std::vector<Key>& values, std::uint64_t seed,
            std::int64_t reach = 0) {
  SeededBits bits(seed);
  const std::span<const Key> run(values);
  return release_private_quantile<Key>(spec, in_memory<Key>({&run, 1}), bits, reach);
}

// A forced reach is for small epsilons: beyond it a great one rejects nearly everything.
std::int64_t reach_for(const Spec& spec, std::uint64_t seed) {
  return spec.epsilon > 1 ? 0 : static_cast<std::int64_t>(seed % 4);
}

template <class Key>
struct Column {
  Grid grid;
  Key lower, upper;
  std::vector<Key> values;  // some of them outside the bounds
};

std::vector<Key64> keys(const std::vector<double>& values) {
  std::vector<Key64> some;
  for (const double x : values) some.push_back(ordered_bits(x));
  return some;
}

Column<Key64> floats(ValueType type, double lower, double upper, std::vector<double> values) {
  return {{type}, ordered_bits(lower), ordered_bits(upper), keys(values)};
}

std::vector<Column<Key64>> narrow_columns() {
  const Grid date{ValueType::kDate}, stamp{ValueType::kTimestamptz}, money = Grid::numeric(9, 2);
  constexpr Key64 kMin = KeyLimits<Key64>::kMin, kMax64 = KeyLimits<Key64>::kMax;
  return {
      {kInt64Grid, -3, 12, {7, 7, -3, 12, 0, 1, -100, 13, kMin, kMax64}},
      {kInt64Grid, kMin, kMax64, {7, kMin, kMax64, 0, 1 - kMax64}},
      {kInt64Grid, 4, 4, {1, 4, 9}},
      {kInt64Grid, 0, 5, {}},
      {{ValueType::kInt16}, -32768, 32767, {5, 6, 32767, -32768}},
      {date,
       -365,
       10000,
       {0, 8000, 8001, date.infinity<Key64>(-1), date.infinity<Key64>(1), 20000}},
      {date, kMinDate, kMaxDate, {0, kMinDate, kMaxDate}},
      {stamp, -1000000, 1000000, {stamp.infinity<Key64>(1), stamp.infinity<Key64>(1), 17}},
      {money, -99999, 99999, {1, 2, 3, money.infinity<Key64>(-1), 500000}},
      floats(ValueType::kFloat64, 0, 1, {0.1, 0.5, 0.7, -5, 3, Double::infinity(), 1e-300, 0}),
      floats(ValueType::kFloat64, -1, 1e-20, {-0.5, 0, 1e-21, -1e-30, 1e-20, -Double::infinity()}),
      floats(ValueType::kFloat64, 1e-20, 1, {0, 1e-20, 1.5e-20, 0.3, 1}),
      floats(ValueType::kFloat64, -Double::max(), Double::max(),
             {-Double::max(), Double::infinity(), 0, 5e-324, 1}),
      floats(ValueType::kFloat64, 0, 5e-324, {0, 5e-324, 1}),
      floats(ValueType::kFloat64, 0.1, 0.1, {0, 0.1, 1}),
      floats(ValueType::kFloat64, -1e-310, 1e-310, {5e-324, -5e-324, 1e-311}),
      floats(ValueType::kFloat32, 0, 1, {double{0.1f}, 0.5, double{0.7f}, 2, Double::infinity()}),
      floats(ValueType::kFloat32, double{0.1f}, double{std::nextafter(0.1f, 1.0f)},
             {double{0.1f}, 1, 0}),
      floats(ValueType::kFloat32, -double{Float::max()}, double{Float::max()},
             {0, 1, double{1e30f}}),
      floats(ValueType::kFloat32, -double{Float::denorm_min()}, 0, {-1, 0, 1}),
  };
}

std::vector<Column<Key128>> wide_columns() {
  std::vector<Column<Key128>> columns;
  for (const Grid& grid : {Grid::numeric(30, 5), Grid::plain_numeric()}) {
    const Key128 least = key128(grid.min_units()), most = key128(grid.max_units());
    const std::vector<Key128> values{{0, 7},  {-3, 5}, {2, 9}, {0, 7}, grid.infinity<Key128>(-1),
                                     {-1, 0}, least,   most,   {4, 4}, grid.infinity<Key128>(1)};
    columns.push_back({grid, {-2, 0}, {3, 17}, values});
    columns.push_back({grid, least, most, values});
    columns.push_back({grid, {1, 1}, {1, 1}, values});
    columns.push_back({grid, {0, 0}, {5, 0}, {}});
  }
  return columns;
}

template <class Visit>
void for_each_column(Visit visit) {
  int index = 0;
  const auto each = [&](const auto& columns) {
    for (const auto& column : columns) {
      SCOPED_TRACE(testing::Message() << "column " << index++);
      visit(column);
    }
  };
  each(narrow_columns());
  each(wide_columns());
}

template <class Key>
std::vector<Spec> specs_of(const Column<Key>& column) {
  std::vector<Spec> all;
  for (const double epsilon : {1e-6, 1.0, 50.0}) {
    const auto add = [&](Statistic statistic, double fraction) {
      all.push_back(
          private_quantile(statistic, fraction, column.lower, column.upper, column.grid, epsilon));
    };
    add(Statistic::kPrivateMedian, 0.5);
    add(Statistic::kPrivateQuantile, 0.9);
    add(Statistic::kPrivateMin, 0);
    add(Statistic::kPrivateMax, 0);
  }
  return all;
}

TEST(ReleasePrivateQuantile, AnswersLieWithinTheBoundsAndAreAdmitted) {
  for_each_column([]<class Key>(const Column<Key>& column) {
    for (const Spec& spec : specs_of(column)) {
      EXPECT_FALSE(find_violation(spec));
      for (std::uint64_t seed = 0; seed < 30 / kThin; ++seed) {
        const Key answer = release(spec, column.values, seed, reach_for(spec, seed));
        ASSERT_GE(answer, column.lower);
        ASSERT_LE(answer, column.upper);
        ASSERT_TRUE(column.grid.admits(answer));
        ASSERT_EQ(column.grid.infinity_sign(answer), 0);
      }
    }
  });
}

// What lies outside counts as the bound, and what lies between steps as the step below: on the same
// words the answers are the same.
TEST(ReleasePrivateQuantile, ValuesAreClampedAndPutOnTheGridFirst) {
  for_each_column([]<class Key>(const Column<Key>& column) {
    const PublicGrid<Key> grid(column.grid, column.lower, column.upper);
    std::vector<Key> clamped, on_grid;
    for (const Key& key : column.values) {
      clamped.push_back(std::clamp(key, column.lower, column.upper));
      on_grid.push_back(grid.key(grid.steps(key)));
    }
    for (const Spec& spec : specs_of(column)) {
      for (std::uint64_t seed = 0; seed < 32 / kThin; ++seed) {
        const std::int64_t reach = reach_for(spec, seed);
        const Key answer = release(spec, column.values, seed, reach);
        ASSERT_EQ(answer, release(spec, clamped, seed, reach));
        ASSERT_EQ(answer, release(spec, on_grid, seed, reach));
      }
    }
  });
}

TEST(ReleasePrivateQuantile, NeitherOrderNorRunsMatter) {
  std::mt19937_64 random(1);
  for_each_column([&]<class Key>(const Column<Key>& column) {
    for (const Spec& spec : specs_of(column)) {
      for (std::uint64_t seed = 0; seed < 20 / kThin; ++seed) {
        const std::int64_t reach = reach_for(spec, seed);
        std::vector<Key> shuffled = column.values;
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        const auto runs = cut<Key>(shuffled, 1 + static_cast<int>(random() % 5), random);
        SeededBits bits(seed);
        const Key answer = release_private_quantile<Key>(spec, in_memory<Key>(runs), bits, reach);
        ASSERT_EQ(answer, release(spec, column.values, seed, reach));
      }
    }
  });
}

// A huge epsilon leaves nothing but the order statistic itself, on the grid.
TEST(ReleasePrivateQuantile, AHugeEpsilonGivesTheOrderStatistic) {
  for_each_column([]<class Key>(const Column<Key>& column) {
    if (column.values.empty()) return;
    const PublicGrid<Key> grid(column.grid, column.lower, column.upper);
    std::vector<Key> sorted = column.values;
    std::sort(sorted.begin(), sorted.end());
    for (Spec spec : specs_of(column)) {
      const std::int64_t rank = brute_rank(spec, static_cast<std::int64_t>(sorted.size()));
      for (const double epsilon : {1000.0, 1e300, Double::max()}) {
        spec.epsilon = epsilon;
        const Key expected = grid.key(grid.steps(sorted[static_cast<std::size_t>(rank - 1)]));
        ASSERT_EQ(release(spec, column.values, 1), expected);
      }
    }
  });
}

TEST(ReleasePrivateQuantile, TheSmallestEpsilonIsUniform) {
  for_each_column([]<class Key>(const Column<Key>& column) {
    for (Spec spec : specs_of(column)) {
      spec.epsilon = Double::denorm_min();
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Key answer = release(spec, column.values, seed);
        ASSERT_TRUE(answer >= column.lower && answer <= column.upper);
      }
    }
  });
}

int asked = 0;

TEST(ReleasePrivateQuantile, AStopIsHeardWhileCounting) {
  const Data data{0, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::span<const Key64> run(data);
  const Spec spec =
      private_quantile<Key64>(Statistic::kPrivateMin, 0, 0, 1000000, kInt64Grid, 0.01);
  // The window of a small column is selected without asking; nearly every draw with a reach of 1
  // ends in the envelope and counts.
  asked = 0;
  SeededBits bits(1);
  const auto release_until = [&](StopCheck stop) {
    return release_private_quantile<Key64>(spec, in_memory<Key64>({&run, 1}, stop), bits, 1, stop);
  };
  release_until([] { return ++asked < 0; });
  EXPECT_GT(asked, 0);
  EXPECT_THROW(release_until([] { return true; }), Stopped);
}

}  // namespace
}  // namespace idp::test

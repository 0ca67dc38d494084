// The exponential mechanism against its exact probabilities: the choice among weights, the sampler,
// the release of a column, its accuracy and its promise. Mutants must be rejected.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/grid/public_grid.h"
#include "core/mechanism/exponential_quantile.h"
#include "core/random/discrete_laplace.h"
#include "core/random/weighted_choice.h"
#include "tests/statistical/checks.h"
#include "tests/support/bits.h"
#include "tests/support/exponential_law.h"

namespace idp::test {
namespace {

const std::int64_t kAnswers = kDraws / 8;

#define EXPECT_ACCEPTED(expression)                  \
  do {                                               \
    const Verdict verdict_ = (expression);           \
    EXPECT_FALSE(verdict_.rejected) << verdict_.why; \
  } while (false)
#define EXPECT_REJECTED(expression)                 \
  do {                                              \
    const Verdict verdict_ = (expression);          \
    EXPECT_TRUE(verdict_.rejected) << verdict_.why; \
  } while (false)

// Draws the number of an answer, 0 … law.size() - 1.
using Draw = std::function<std::size_t(BitSource&)>;

Verdict check_law(const Draw& draw, const Law& law, std::int64_t draws = kAnswers) {
  std::vector<Cell> cells;
  for (const long double p : law) cells.push_back({p, 0});
  OsBits bits;
  for (std::int64_t i = 0; i < draws; ++i) ++cells.at(draw(bits)).observed;
  return judge_cells(cells);
}

// The choice among weights.

TEST(WeightedChoice, RationalWeights) {
  for (const std::vector<long>& weights :
       {std::vector<long>{1, 2, 1}, {1, 1, 1}, {0, 5, 0, 1, 1000, 0}, {1000000, 1}}) {
    const auto enclose = [&](unsigned long precision) {
      std::vector<Enclosure> enclosures;
      for (const long w : weights) {
        enclosures.push_back({mpz_class(w) << precision, mpz_class(w) << precision});
      }
      return enclosures;
    };
    EXPECT_ACCEPTED(check_law([&](BitSource& bits) { return choose_weighted(enclose, bits); },
                              normalized(Law(weights.begin(), weights.end()))));
  }
}

TEST(WeightedChoice, ExpWeights) {
  for (const std::vector<double>& exponents :
       {std::vector<double>{0, 1, 2, 3}, {0.5, 0.25, 7}, {1e-9, 1e-9, 3}, {0, 1000}}) {
    const auto enclose = [&](unsigned long precision) {
      std::vector<Enclosure> enclosures;
      for (const double x : exponents) {
        const mpq_class exact(x);
        enclosures.push_back(enclose_exp(exact.get_num(), exact.get_den(), precision));
      }
      return enclosures;
    };
    Law law;
    for (const double x : exponents) law.push_back(std::exp(-static_cast<long double>(x)));
    EXPECT_ACCEPTED(check_law([&](BitSource& bits) { return choose_weighted(enclose, bits); },
                              normalized(std::move(law)), kAnswers / 2));
  }
}

// The sampler.

struct Case {
  Data data;
  std::int64_t rank;
  long lower, upper;
};

Law law_of(const Case& c, double epsilon) {
  return brute_law(c.data, c.rank, c.lower, c.upper, epsilon);
}

Draw sampler(const Case& c, const RankedData& data, double epsilon, std::int64_t reach) {
  return [&c, &data, epsilon, reach](BitSource& bits) {
    const mpz_class y = draw_exponential(data, {c.rank, c.lower, c.upper}, epsilon, bits, reach);
    return mpz_class(y - c.lower).get_ui();
  };
}

Verdict check_sampler(const Case& c, double epsilon, std::int64_t reach,
                      std::int64_t draws = kAnswers) {
  const SortedData data(c.data);
  return check_law(sampler(c, data, epsilon, reach), law_of(c, epsilon), draws);
}

TEST(ExponentialSampler, ExactProbabilities) {
  const Case cases[] = {
      {{1, 3, 3, 7, 9}, 3, 0, 12},             // ties, gaps, room at the ends
      {{0, 0, 2, 5, 12, 12}, 3, 0, 12},        // values at the bounds
      {{2, 3, 4, 8, 9, 10}, 1, -2, 15},        // the smallest
      {{2, 3, 4, 8, 9, 10}, 6, -2, 15},        // the greatest
      {{4, 4, 4, 4, 4, 4}, 3, 0, 9},           // all equal
      {{-9, -5, -1, 0, 1, 5, 9}, 2, -20, 20},  // off the middle
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    for (const std::int64_t reach : {0, 1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << "case " << i << ", reach " << reach);
      EXPECT_ACCEPTED(check_sampler(cases[i], 1, reach, reach < 2 ? kAnswers : kAnswers / 4));
      if (reach >= 2) continue;
      // the other epsilons, in turn
      const double others[] = {1e-6, 0.1, 5};
      const std::size_t turn = i + static_cast<std::size_t>(reach);
      EXPECT_ACCEPTED(check_sampler(cases[i], others[turn % 3], reach, kAnswers / 4));
    }
  }
}

TEST(ExponentialSampler, SmallCases) {
  const Case cases[] = {{{}, 0, -3, 6}, {{4}, 1, 0, 9}, {{0}, 1, 0, 9},   {{9}, 1, 0, 9},
                        {{5}, 1, 5, 5}, {{}, 0, 5, 5},  {{2, 7}, 1, 0, 9}};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(i);
    for (const double epsilon : {0.1, 5.0}) {
      EXPECT_ACCEPTED(check_sampler(cases[i], epsilon, i % 2, kAnswers / 4));
    }
  }
}

// A small epsilon and many records: there are too many distances for each to be a border, and what
// lies between two borders goes through the coin.
TEST(ExponentialSampler, ManyRecords) {
  const auto repeated = [](const std::vector<std::pair<std::int64_t, std::size_t>>& counts) {
    Data data;
    for (const auto& [x, n] : counts) data.insert(data.end(), n, x);
    return data;
  };
  const Case cases[] = {
      {repeated({{2, 5000}, {3, 9000}, {5, 8000}, {6, 700}, {9, 9000}, {12, 9000}}), 20350, 0, 12},
      {repeated({{1, 10}, {4, 39000}, {7, 1000}}), 20000, -3, 9},  // nearly all equal
      {repeated({{0, 20000}, {5, 300}, {6, 20000}}), 1, 0, 9},
      {repeated({{0, 20000}, {5, 300}, {6, 20000}}), 40300, 0, 9}};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    for (const double epsilon : {1e-4, 1e-3}) {
      SCOPED_TRACE(testing::Message() << "case " << i << ", epsilon " << epsilon);
      EXPECT_ACCEPTED(check_sampler(cases[i], epsilon, 0, kAnswers / 10));
    }
  }
  // the check would see half or twice the epsilon
  const Case& c = cases[0];
  const SortedData data(c.data);
  EXPECT_REJECTED(check_law(sampler(c, data, 5e-4, 0), law_of(c, 1e-3), kAnswers / 10));
  EXPECT_REJECTED(check_law(sampler(c, data, 2e-3, 0), law_of(c, 1e-3), kAnswers / 10));
}

// Says of every point that it lies no farther than the envelope has it: its coin is always heads.
class EnvelopeKept : public SortedData {
 public:
  using SortedData::SortedData;
  std::int64_t count_below(const mpz_class&) const override { return 0; }
  std::int64_t count_at_most(const mpz_class&) const override { return 1; }  // rank 3, reach 1
};

TEST(ExponentialSampler, MutantsAreRejected) {
  const Case c{{1, 3, 3, 7, 9}, 3, 0, 12};
  const SortedData data(c.data);
  for (const double epsilon : {0.3, 1.0, 5.0}) {
    const std::int64_t draws = epsilon < 1 ? 2 * kAnswers : kAnswers / 2;
    for (const std::int64_t reach : {0, 1}) {
      if (epsilon < 1 && reach > 0) continue;
      EXPECT_REJECTED(check_law(sampler(c, data, epsilon / 2, reach), law_of(c, epsilon), draws));
      EXPECT_REJECTED(check_law(sampler(c, data, 2 * epsilon, reach), law_of(c, epsilon), draws));
    }
  }
  const EnvelopeKept kept(c.data);
  EXPECT_REJECTED(check_law(sampler(c, kept, 1, 1), law_of(c, 1)));
  // what the envelope would give is drawn again
  const Draw honest = sampler(c, data, 1, 0);
  const Draw never = [&](BitSource& bits) {
    for (;;) {
      const std::size_t y = honest(bits);
      if (brute_distance(c.data, c.rank, c.lower + static_cast<long>(y)) <= 1) return y;
    }
  };
  EXPECT_REJECTED(check_law(never, law_of(c, 1)));
  // a rank that is one off
  Case off = c;
  off.rank = 4;
  EXPECT_REJECTED(check_law(honest, law_of(off, 1)));
}

// The release of a column.

template <class Key>
Key release(const Spec& spec, Runs<Key> runs, BitSource& bits, std::int64_t reach = 0) {
  return release_private_quantile<Key>(spec, in_memory<Key>(runs), bits, reach);
}

TEST(PrivateQuantileRelease, AnIntegerColumn) {
  const Data values{3, -100, 3, 8, 11, 500, 5};  // clamped to [0, 12]
  const Data clamped{3, 0, 3, 8, 11, 12, 5};
  const std::span<const Key64> all(values);
  const std::vector<std::span<const Key64>> runs{all.first(2), all.subspan(2, 0), all.subspan(2, 4),
                                                 all.subspan(6)};
  const auto look = [&](Statistic statistic, double fraction, std::int64_t reach) {
    const Spec spec = private_quantile<Key64>(statistic, fraction, 0, 12, kInt64Grid, 0.7);
    const Law law = brute_law(clamped, brute_rank(spec, 7), 0, 12, 0.7);
    return check_law(
        [&](BitSource& bits) {
          return static_cast<std::size_t>(release<Key64>(spec, runs, bits, reach));
        },
        law, kAnswers / 4);
  };
  for (const std::int64_t reach : {0, 1, 2}) {
    EXPECT_ACCEPTED(look(Statistic::kPrivateMedian, 0.5, reach));
    EXPECT_ACCEPTED(look(Statistic::kPrivateMin, 0, reach));
  }
  EXPECT_ACCEPTED(look(Statistic::kPrivateQuantile, 0.8, 1));
  EXPECT_ACCEPTED(look(Statistic::kPrivateMax, 0, 1));
}

// A column whose grid is too fine to look at every point: the answers are told apart by how many
// values are below and at most them. Where an answer is rounded to a real, it may end up on a value
// from beside it; that is less than 2^-20 of them.
template <class Key>
Verdict check_gaps(const Spec& spec, const std::vector<Key>& values, std::int64_t reach) {
  const PublicGrid<Key> grid(spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>());
  std::vector<Key> sorted;
  std::vector<mpz_class> steps{grid.lower() - 1};
  for (const Key& key : values) {
    sorted.push_back(std::clamp(key, spec.lower_as<Key>(), spec.upper_as<Key>()));
  }
  std::sort(sorted.begin(), sorted.end());
  for (const Key& key : sorted) steps.push_back(grid.steps(key));
  steps.push_back(grid.upper() + 1);
  const auto n = static_cast<std::int64_t>(values.size());
  const std::int64_t rank = brute_rank(spec, n);
  const auto weight = [&](std::int64_t below, std::int64_t up_to, const mpz_class& points) {
    const std::int64_t distance = std::max({std::int64_t{0}, below - rank + 1, rank - up_to});
    return std::exp(-static_cast<long double>(spec.epsilon) / 2 *
                    static_cast<long double>(distance)) *
           to_long_double(points);
  };
  Law weights(static_cast<std::size_t>(2 * n + 1), 0);
  for (std::int64_t i = 0; i <= n; ++i) {  // strictly between x_i and x_{i+1}
    const mpz_class points =
        steps[static_cast<std::size_t>(i + 1)] - steps[static_cast<std::size_t>(i)] - 1;
    if (points > 0) weights[static_cast<std::size_t>(2 * i)] += weight(i, i, points);
  }
  const auto number = [&](const Key& y) {
    return static_cast<std::size_t>(
        (std::lower_bound(sorted.begin(), sorted.end(), y) - sorted.begin()) +
        (std::upper_bound(sorted.begin(), sorted.end(), y) - sorted.begin()));
  };
  for (std::int64_t i = 0; i < n; ++i) {
    if (i > 0 && sorted[static_cast<std::size_t>(i)] == sorted[static_cast<std::size_t>(i - 1)]) {
      continue;
    }
    const Key& x = sorted[static_cast<std::size_t>(i)];
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin();
    const auto up_to = std::upper_bound(sorted.begin(), sorted.end(), x) - sorted.begin();
    weights[number(x)] += weight(below, up_to, 1);
  }
  const std::span<const Key> run(values);
  return check_law(
      [&](BitSource& bits) {
        return number(release<Key>(spec, {&run, 1}, bits, reach));
      },
      normalized(std::move(weights)), kAnswers / 4);
}

TEST(PrivateQuantileRelease, FineGrids) {
  const auto floats = [](std::vector<double> values) {
    std::vector<Key64> some;
    for (const double x : values) some.push_back(ordered_bits(x));
    return some;
  };
  const auto infinity = std::numeric_limits<double>::infinity();
  for (const ValueType type : {ValueType::kFloat64, ValueType::kFloat32}) {
    for (const std::int64_t reach : {0, 1}) {
      EXPECT_ACCEPTED(check_gaps<Key64>(
          private_quantile(Statistic::kPrivateMedian, 0.5, ordered_bits(-1), ordered_bits(3),
                           Grid{type}, 0.8),
          floats({-0.5, -infinity, 0.25, 0.25, 1, 1.5, 2.75, infinity, 100}), reach));
    }
  }
  const Grid date{ValueType::kDate};
  EXPECT_ACCEPTED(check_gaps<Key64>(
      private_quantile<Key64>(Statistic::kPrivateQuantile, 0.3, -365, 10000, date, 1.5),
      {date.infinity<Key64>(-1), 0, 700, 3000, 3000, 8000, date.infinity<Key64>(1)}, 1));
  for (const Grid& wide : {Grid::numeric(30, 5), Grid::plain_numeric()}) {
    for (const std::int64_t reach : {0, 2}) {
      EXPECT_ACCEPTED(check_gaps<Key128>(
          private_quantile(Statistic::kPrivateMedian, 0.5, Key128{-10, 0}, Key128{20, 5}, wide, 1),
          {{-11, 0}, {-6, 7}, {0, 0}, {3, 3}, {11, 0}, {16, 1}, wide.infinity<Key128>(1)}, reach));
    }
  }
}

// Accuracy. The data sets are fixed by a seed, so the law of the sum of all errors is known, and
// with it a bound (Chernoff's) on the probability that the mean exceeds what it must stay below.

struct Accuracy {
  std::size_t n;
  long double mean;  // mean absolute error of the best peer known
};

TEST(PrivateMedian, IsMoreAccurateThanItsPeers) {
  constexpr std::int64_t kUpper = 1000;
  constexpr int kDataSets = 200, kDrawsEach = 5;
  constexpr long double kTotal = kDataSets * kDrawsEach;
  const Spec spec =
      private_quantile<Key64>(Statistic::kPrivateMedian, 0.5, 0, kUpper, kInt64Grid, 1);
  std::mt19937_64 random(1);
  OsBits bits;
  for (const auto& [n, peer] : {Accuracy{100, 40.6L}, {1000, 4.4L}, {10000, 0.41L}}) {
    SCOPED_TRACE(n);
    std::vector<Law> errors;  // of each data set: probabilities of 0, 1, …, 1000
    long double sum = 0, expected = 0;
    for (int i = 0; i < kDataSets; ++i) {
      Data data(n);
      for (auto& x : data) x = static_cast<std::int64_t>(random() % (kUpper + 1));
      std::sort(data.begin(), data.end());
      const std::int64_t rank = brute_rank(spec, static_cast<std::int64_t>(n));
      const std::int64_t median = data[static_cast<std::size_t>(rank - 1)];
      // the law of the definition, with counts by binary search
      Law law;
      for (std::int64_t y = 0; y <= kUpper; ++y) {
        const auto below = std::lower_bound(data.begin(), data.end(), y) - data.begin();
        const auto up_to = std::upper_bound(data.begin(), data.end(), y) - data.begin();
        law.push_back(std::exp(-0.5L * static_cast<long double>(std::max(
                                           {std::int64_t{0}, below - rank + 1, rank - up_to}))));
      }
      law = normalized(std::move(law));
      Law error(kUpper + 1, 0);
      for (std::int64_t y = 0; y <= kUpper; ++y) {
        const auto off = std::abs(y - median);
        error[static_cast<std::size_t>(off)] += law[static_cast<std::size_t>(y)];
        expected += static_cast<long double>(off) * law[static_cast<std::size_t>(y)] / kDataSets;
      }
      errors.push_back(std::move(error));
      std::shuffle(data.begin(), data.end(), random);
      const std::span<const Key64> run(data);
      for (int j = 0; j < kDrawsEach; ++j) {
        const Key64 answer = release<Key64>(spec, {&run, 1}, bits);
        sum += static_cast<long double>(std::abs(answer - median));
      }
    }
    // log Pr[mean >= peer] <= sum of log E exp(t error) - t peer, for any t > 0
    long double log_tail = 0;
    for (long double t = 8 / peer; t > 0.001L / peer; t *= 0.8L) {
      long double at_t = -t * peer * kTotal;
      for (const Law& error : errors) {
        long double moment = 0, power = 1;
        for (const long double p : error) {
          if (p > 0) moment += p * power;
          power *= std::exp(t);
        }
        at_t += kDrawsEach * std::log(moment);
      }
      log_tail = std::min(log_tail, at_t);
    }
    EXPECT_LT(expected, peer);
    ASSERT_LT(log_tail, std::log(take_check()));
    EXPECT_LT(sum / kTotal, peer) << "expected " << static_cast<double>(expected);
    RecordProperty("error_" + std::to_string(n), std::to_string(static_cast<double>(sum / kTotal)));
  }
}

// The promise: answers on two data sets one record apart.

Worlds worlds_of(const Spec& spec, const Data& first, const Data& second, std::int64_t reach) {
  const auto world = [spec, reach](const Data& data) {
    return [spec, reach, &data](BitSource& bits) -> std::int64_t {
      const std::span<const Key64> run(data);
      return release<Key64>(spec, {&run, 1}, bits, reach);
    };
  };
  return {world(first), world(second)};
}

// The neighbour of a data set with the greatest ratio of probabilities, by enumeration.
Data worst_neighbour(const Spec& spec, const Data& data, std::int64_t bound, long double* worst) {
  const auto law = [&](const Data& of) {
    return brute_law(of, brute_rank(spec, static_cast<std::int64_t>(of.size())), -bound, bound,
                     spec.epsilon);
  };
  const Law here = law(data);
  Data found;
  *worst = 0;
  for_each_neighbour(data, bound, [&](const Data& neighbour) {
    const long double ratio = worst_log_ratio(here, law(neighbour));
    if (ratio > *worst) {
      *worst = ratio;
      found = neighbour;
    }
  });
  return found;
}

TEST(PrivateTwoWorlds, TheMedianKeepsItsPromise) {
  constexpr std::int64_t kBound = 100;
  const Data data{-kBound, 0, 0, 0};
  for (const double epsilon : {1.0, 2.0, 3.0}) {
    SCOPED_TRACE(epsilon);
    Spec spec = private_quantile<Key64>(Statistic::kPrivateMedian, 0.5, -kBound, kBound, kInt64Grid,
                                        epsilon);
    long double worst = 0;
    const Data neighbour = worst_neighbour(spec, data, kBound, &worst);
    EXPECT_LE(worst, epsilon * (1 + 1e-12L));
    EXPECT_GT(worst, 0.7L * epsilon);
    EXPECT_ACCEPTED(check_two_worlds(worlds_of(spec, data, neighbour, 1), 0, 8, epsilon, kAnswers));
    // A record that goes from one bound to the other moves all answers above 0 at once.
    const Data across{0, 0, 0, kBound};
    EXPECT_ACCEPTED(check_two_worlds(worlds_of(spec, data, across, 0), 0, 8, epsilon, kAnswers));
    if (epsilon > 1) {  // the promise is used up: half of epsilon would not do
      EXPECT_REJECTED(
          check_two_worlds(worlds_of(spec, data, across, 0), 0, 8, epsilon / 2, 2 * kAnswers));
    } else {  // and a mechanism that takes twice as much is seen to
      spec.epsilon = 2 * epsilon;
      EXPECT_REJECTED(
          check_two_worlds(worlds_of(spec, data, across, 0), 0, 8, epsilon, 2 * kAnswers));
    }
  }
}

}  // namespace
}  // namespace idp::test

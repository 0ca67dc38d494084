// Synthetic rows: the sensitivity of scores against every neighbour, the laws of the choice and of
// a row, the shares of epsilon, and how like the table the rows are.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "core/mechanism/draws/synthetic.h"
#include "core/mechanism/synthetic.h"
#include "tests/support/bits.h"
#include "tests/support/layers.h"

namespace idp::test {
namespace {

using Row = std::vector<std::size_t>;

class Table final : public Marginals {
 public:
  Table(std::vector<std::size_t> sizes, std::vector<Row> rows)
      : sizes_(std::move(sizes)), rows_(std::move(rows)) {}
  const std::vector<std::size_t>& sizes() const override { return sizes_; }
  Counts one_way(std::size_t column) const override {
    Counts counts(sizes_[column]);
    for (const Row& row : rows_) ++counts[row[column]];
    return counts;
  }
  Counts two_way(std::size_t a, std::size_t b) const override {
    Counts counts(sizes_[a] * sizes_[b]);
    for (const Row& row : rows_) ++counts[row[a] * sizes_[b] + row[b]];
    return counts;
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<Row> rows_;
};

TEST(Dependence, MovesByTwoAtMostWhateverTheNoise) {
  std::mt19937_64 random(1);
  std::int64_t most = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t size_a = 2 + random() % 3, size_b = 2 + random() % 3;
    Counts counts(size_a * size_b);
    for (auto& c : counts) c = static_cast<std::int64_t>(random() % 5);
    std::vector<mpz_class> a, b;
    for (std::size_t x = 0; x < size_a; ++x) a.emplace_back(static_cast<long>(random() % 20) - 5);
    for (std::size_t y = 0; y < size_b; ++y) b.emplace_back(static_cast<long>(random() % 20) - 5);
    const std::int64_t score = dependence(counts, a, b);
    for (std::size_t from = 0; from <= counts.size(); ++from) {  // at the end: none is taken
      for (std::size_t to = 0; to <= counts.size(); ++to) {
        Counts neighbour = counts;
        if (from < counts.size() && neighbour[from]-- == 0) continue;
        if (to < counts.size()) ++neighbour[to];
        const std::int64_t moved = std::abs(dependence(neighbour, a, b) - score);
        const bool substituted = from < counts.size() && to < counts.size();
        ASSERT_LE(moved, substituted ? 2 : 1);
        most = std::max(most, moved);
      }
    }
  }
  EXPECT_EQ(most, 2);  // and that is reached
}

TEST(Dependence, IsNoneWithoutNoiseForIndependentColumns) {
  EXPECT_EQ(dependence({2, 4, 6, 12}, {6, 18}, {8, 16}), 0);
  EXPECT_EQ(dependence({8, 0, 0, 8}, {8, 8}, {8, 8}), 16);
  EXPECT_EQ(dependence({1, 2, 3, 4}, {-3, 0}, {-1, 0}), 10);  // nothing is foretold
}

// --- a row ---

using Source = Exact<kCoins>;

TEST(LawOfSyntheticRow, IsThatOfTheTree) {
  // column 1 hangs on 0, and 2 on 1; negative counts are none, and the last row of the last edge is
  // empty, so that the one-way counts decide there, which are empty too: all alike
  const TreeModel model{{2, 3, 2},
                        {{3, 5}, {1, 1, 1}, {-1, 0}},
                        {{0, 1, {1, 2, -4, 0, 7, 1}}, {1, 2, {1, 1, 5, 0, -1, 0}}}};
  const auto share = [](std::vector<long> weights, std::size_t i) {
    long total = 0;
    for (long& w : weights) total += w = std::max(w, 0l);
    return Mass(ratio(weights[i], total));
  };
  const auto exact = [&](const Row& row) {
    const Mass second = row[0] == 0 ? share({1, 2, -4}, row[1]) : share({0, 7, 1}, row[1]);
    const Mass third = row[1] == 0   ? share({1, 1}, row[2])
                       : row[1] == 1 ? share({5, 0}, row[2])
                                     : share({1, 1}, row[2]);
    return share({3, 5}, row[0]) * second * third;
  };
  const auto law = walk<Source>([&](Source& s) { return draws::synthetic_row(model, s); });
  EXPECT_EQ(law.undecided, Mass(0));
  std::vector<Row> all;
  for (std::size_t i = 0; i < 12; ++i) all.push_back({i / 6, i / 2 % 3, i % 2});
  EXPECT_EQ(law.differs(exact, all), "");
  // a row whose third column follows the first
  const auto other = walk<Source>([&](Source& s) {
    Row row = draws::synthetic_row(model, s);
    row[2] = draws::by_weight(std::span(model.edges[1].counts.data() + row[0] * 2, 2), s);
    return row;
  });
  EXPECT_NE(other.differs(exact, all), "");
}

// --- the model ---

// x_0 is fair, x_1 is nearly always x_0, x_2 is nearly always x_1, and x_3 is by itself.
Table chain(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Row> table;
  for (std::size_t i = 0; i < rows; ++i) {
    Row row(4);
    row[0] = random() % 3;
    row[1] = random() % 10 == 0 ? random() % 3 : row[0];
    row[2] = random() % 5 == 0 ? random() % 2 : row[1] % 2;
    row[3] = random() % 4;
    table.push_back(row);
  }
  return Table({3, 3, 2, 4}, std::move(table));
}

TEST(FitTree, FindsTheTreeAndCountsAtALargeEpsilon) {
  SeededBits bits(1);
  const Table table = chain(3000, 1);
  const TreeModel model = fit_tree(table, 1e6, bits);
  ASSERT_EQ(model.edges.size(), 3u);
  EXPECT_EQ(model.edges[0].parent, 0u);
  EXPECT_EQ(model.edges[0].child, 1u);
  EXPECT_EQ(model.edges[1].parent, 1u);
  EXPECT_EQ(model.edges[1].child, 2u);
  EXPECT_EQ(model.edges[2].child, 3u);
  for (const auto& edge : model.edges) {
    const Counts counts = table.two_way(edge.parent, edge.child);
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(edge.counts[i], counts[i]);
  }
}

// A record that is substituted moves each marginal by 2 and each score by 2, and a choice costs
// twice its rate for each of these.
TEST(TreeRates, AddUpToEpsilon) {
  for (const double epsilon : {0.1, 1.0, 7.3}) {
    for (unsigned long columns = 2; columns < 12; ++columns) {
      const TreeRates rates = TreeRates::of(epsilon, columns);
      const mpq_class one_way = 2 * columns * number(rates.one_way);
      const mpq_class choice = 4 * (columns - 1) * number(rates.choice);
      const mpq_class two_way = 2 * (columns - 1) * number(rates.two_way);
      EXPECT_EQ(one_way + choice + two_way, mpq_class(epsilon));
      EXPECT_EQ(one_way, choice);
      EXPECT_EQ(one_way, two_way);
    }
    EXPECT_EQ(2 * number(TreeRates::of(epsilon, 1).one_way), mpq_class(epsilon));
  }
}

// One that is added or removed moves each marginal by 1 and each score by 1.
TEST(TreeRates, AddUpToEpsilonForAddedRecords) {
  constexpr auto kAdded = Neighbours::kAddRemove;
  for (const double epsilon : {0.1, 1.0, 7.3}) {
    for (unsigned long columns = 2; columns < 12; ++columns) {
      const TreeRates rates = TreeRates::of(epsilon, columns, kAdded);
      const mpq_class one_way = columns * number(rates.one_way);
      const mpq_class choice = 2 * (columns - 1) * number(rates.choice);
      const mpq_class two_way = (columns - 1) * number(rates.two_way);
      EXPECT_EQ(one_way + choice + two_way, mpq_class(epsilon));
      EXPECT_EQ(one_way, choice);
      EXPECT_EQ(one_way, two_way);
    }
    EXPECT_EQ(number(TreeRates::of(epsilon, 1, kAdded).one_way), mpq_class(epsilon));
  }
}

// The scales of all noises, from which the shares follow: the mean of |N| is 2a/(1 - a^2).
TEST(FitTree, SharesOfEpsilonAreThoseStated) {
  const Table empty({100, 100, 100}, {});
  const double epsilon = 6;
  const auto mean = [](const std::vector<mpz_class>& counts) {
    double sum = 0;
    for (const mpz_class& c : counts) sum += std::abs(c.get_d());
    return sum / static_cast<double>(counts.size());
  };
  const auto expected = [](double rate) { return 2 * std::exp(-rate) / -std::expm1(-2 * rate); };
  double one_way = 0, two_way = 0;
  constexpr int kModels = 40;
  SeededBits bits(2);
  for (int i = 0; i < kModels; ++i) {
    const TreeModel model = fit_tree(empty, epsilon, bits);
    for (const auto& counts : model.one_way) one_way += mean(counts) / (3 * kModels);
    if (i == 0) {
      for (const auto& edge : model.edges) two_way += mean(edge.counts) / 2;
    }
  }
  EXPECT_NEAR(one_way, expected(epsilon / (6 * 3)), 0.15);
  EXPECT_NEAR(two_way, expected(epsilon / (6 * 2)), 0.1);
  // one column has all of epsilon
  double alone = 0;
  for (int i = 0; i < 100; ++i) alone += mean(fit_tree(Table({100}, {}), 1, bits).one_way[0]) / 100;
  EXPECT_NEAR(alone, expected(0.5), 0.15);
}

TEST(FitTree, BadDomainsAreRefused) {
  SeededBits bits(3);
  EXPECT_THROW(fit_tree(Table({}, {}), 1, bits), std::invalid_argument);
  EXPECT_THROW(fit_tree(Table({2, 1}, {}), 1, bits), std::invalid_argument);
  for (const double epsilon : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(fit_tree(Table({2, 2}, {}), epsilon, bits), std::invalid_argument);
  }
}

// --- how like the table the rows are ---

double distance(const Counts& a, const Counts& b) {
  const double of_a = static_cast<double>(std::accumulate(a.begin(), a.end(), std::int64_t{0}));
  const double of_b = static_cast<double>(std::accumulate(b.begin(), b.end(), std::int64_t{0}));
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::abs(static_cast<double>(a[i]) / of_a - static_cast<double>(b[i]) / of_b);
  return sum / 2;
}

// The mean total variation distance of all two-way marginals.
double mean_distance(const Table& one, const Table& other) {
  double sum = 0;
  int pairs = 0;
  for (std::size_t a = 0; a < one.sizes().size(); ++a) {
    for (std::size_t b = a + 1; b < one.sizes().size(); ++b, ++pairs) {
      sum += distance(one.two_way(a, b), other.two_way(a, b));
    }
  }
  return sum / pairs;
}

Table rows_of(const TreeModel& model, std::size_t rows, BitSource& bits) {
  std::vector<Row> table;
  for (std::size_t i = 0; i < rows; ++i) table.push_back(synthetic_row(model, bits));
  return Table(model.sizes, std::move(table));
}

TEST(SyntheticRows, AreCloserThanIndependentColumns) {
  const Table table = chain(3000, 2);
  SeededBits bits(4);
  double last = 1;
  for (const double epsilon : {0.5, 1.0, 4.0}) {
    double tree = 0, independent = 0;
    constexpr int kTimes = 5;
    for (int i = 0; i < kTimes; ++i) {
      TreeModel model = fit_tree(table, epsilon, bits);
      tree += mean_distance(table, rows_of(model, 3000, bits)) / kTimes;
      for (auto& edge : model.edges) {  // no two-way counts: each column by itself
        for (mpz_class& count : edge.counts) count = 0;
      }
      independent += mean_distance(table, rows_of(model, 3000, bits)) / kTimes;
    }
    std::printf(
        "  mean distance of two-way marginals at epsilon %.1f: %.3f, of independent columns %.3f\n",
        epsilon, tree, independent);
    EXPECT_LT(tree, independent / 2);
    EXPECT_LT(tree, last);
    last = tree;
  }
  EXPECT_LT(last, 0.03);
}

}  // namespace
}  // namespace idp::test

// The most frequent value: its local range against every neighbour, and the laws of both answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/mechanism/draws/permute_and_flip.h"
#include "core/mechanism/mode.h"
#include "core/random/draws/response.h"
#include "tests/support/bits.h"
#include "tests/support/layers.h"

namespace idp::test {
namespace {

using Counts = std::vector<std::int64_t>;
using Records = std::vector<std::size_t>;

// By definition: of what comes most often, the least. Nothing without records.
std::optional<std::size_t> brute_mode(const Records& records) {
  std::map<std::size_t, int> counts;
  for (const std::size_t v : records) ++counts[v];
  std::optional<std::size_t> best;
  for (const auto& [v, count] : counts) {
    if (!best || count > counts[*best]) best = v;
  }
  return best;
}

// f(D) and f(D') of all neighbours with values below `domain`; nothing if one is undefined.
std::optional<std::set<std::size_t>> brute_range(const Records& records, std::size_t domain) {
  std::set<std::size_t> range;
  bool defined = true;
  const auto visit = [&](const Records& neighbour) {
    const auto mode = brute_mode(neighbour);
    if (mode) range.insert(*mode);
    defined = defined && mode.has_value();
  };
  visit(records);
  for (std::size_t v = 0; v < domain; ++v) {
    Records added = records;
    added.push_back(v);
    visit(added);
    for (std::size_t i = 0; i < records.size(); ++i) {
      Records substituted = records;
      substituted[i] = v;
      visit(substituted);
    }
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    Records removed = records;
    removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(i));
    visit(removed);
  }
  return defined ? std::optional(range) : std::nullopt;
}

Counts counts_of(const Records& records, std::size_t domain) {
  Counts counts(domain);
  for (const std::size_t v : records) ++counts[v];
  return counts;
}

std::optional<std::set<std::size_t>> values_of(const std::optional<ModeRange>& range) {
  if (!range) return std::nullopt;
  return std::set<std::size_t>(range->values.begin(), range->values.end());
}

// Small, so that counts are often equal or differ by one.
Records random_records(std::mt19937_64& random, std::size_t domain) {
  Records records(random() % 13);
  const std::size_t most = 1 + random() % domain;
  for (auto& v : records) v = random() % most;
  return records;
}

// With the iDP of the answer: for every neighbour f(D') lies in R, and R is no larger than need be.
TEST(ModeRange, IsThatOfAllNeighbours) {
  std::mt19937_64 random(1);
  int suppressed = 0, exact = 0, ties = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::size_t domain = 2 + static_cast<std::size_t>(i) % 5;
    const Records records = random_records(random, domain);
    const Counts counts = counts_of(records, domain);
    const auto range = mode_range(counts, Domain::kCounted);
    const auto brute = brute_range(records, domain);
    ASSERT_EQ(values_of(range), brute) << i;
    suppressed += !range;
    if (!range) continue;
    ASSERT_EQ(range->values[range->mode], *brute_mode(records));
    exact += range->values.size() == 1;
    ties += std::count(counts.begin(), counts.end(),
                       *std::max_element(counts.begin(), counts.end())) > 1;
  }
  EXPECT_GT(suppressed, 100);
  EXPECT_GT(exact, 500);
  EXPECT_GT(ties, 500);
}

// Values that nobody has: one below all, between each two, and one above.
TEST(ModeRange, NoAnswerWhereAnUnseenValueCouldWin) {
  std::mt19937_64 random(2);
  int suppressed = 0, answered = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::size_t domain = 2 + static_cast<std::size_t>(i) % 5;
    Records records = random_records(random, domain);
    const std::set<std::size_t> seen(records.begin(), records.end());
    Counts counts;
    for (const std::size_t v : seen)
      counts.push_back(std::count(records.begin(), records.end(), v));
    const auto range = mode_range(counts, Domain::kOpen);

    Records spread = records;  // even values are unseen
    for (auto& v : spread) v = 2 * v + 1;
    const auto brute = brute_range(spread, 2 * domain + 1);
    const bool unseen = brute && std::any_of(brute->begin(), brute->end(), [&](std::size_t v) {
                          return v % 2 == 0 || !seen.contains(v / 2);
                        });
    ASSERT_EQ(range.has_value(), brute && !unseen);
    suppressed += !range;
    if (!range) continue;
    ++answered;
    std::set<std::size_t> values;
    for (const std::size_t place : range->values)
      values.insert(2 * *std::next(seen.begin(), static_cast<long>(place)) + 1);
    ASSERT_EQ(values, *brute);
  }
  EXPECT_GT(suppressed, 500);
  EXPECT_GT(answered, 1000);
}

// By its law, on each neighbour: the mechanism of D with the f of D'.
TEST(ModeRange, AnswersOfNeighboursHaveTheRatioOfEpsilon) {
  std::mt19937_64 random(3);
  const mpq_class q(1, 3);  // exp(-epsilon)
  for (int i = 0; i < 500; ++i) {
    const std::size_t domain = 2 + random() % 4;
    const Records records = random_records(random, domain);
    const auto range = mode_range(counts_of(records, domain), Domain::kCounted);
    if (!range) continue;
    const auto law = [&](std::size_t mode, std::size_t answer) -> mpq_class {
      const mpq_class total = 1 + q * static_cast<unsigned long>(range->values.size() - 1);
      return (answer == mode ? mpq_class(1) : q) / total;
    };
    const std::set<std::size_t> reached = brute_range(records, domain).value();
    for (const std::size_t mode : reached) {
      EXPECT_TRUE(std::binary_search(range->values.begin(), range->values.end(), mode));
      for (const std::size_t answer : range->values) {
        const mpq_class ratio = law(range->values[range->mode], answer) / law(mode, answer);
        EXPECT_LE(ratio, 1 / q);
        EXPECT_GE(ratio, q);
      }
    }
  }
}

TEST(ModeControl, SmallerRangesAreSeen) {
  // ranges as they are often written down: the values tied with the mode, or one record behind
  const auto within = [](const Counts& counts, std::int64_t behind) {
    const std::int64_t most = *std::max_element(counts.begin(), counts.end());
    std::set<std::size_t> range;
    for (std::size_t v = 0; v < counts.size(); ++v) {
      if (counts[v] >= most - behind) range.insert(v);
    }
    return range;
  };
  std::mt19937_64 random(4);
  int missed_one = 0, missed_two = 0, missed_three = 0;
  for (int i = 0; i < 2000; ++i) {
    const Records records = random_records(random, 4);
    const auto brute = brute_range(records, 4);
    if (!brute) continue;
    const Counts counts = counts_of(records, 4);
    const auto lacks = [&](const std::set<std::size_t>& range) {
      return !std::includes(range.begin(), range.end(), brute->begin(), brute->end());
    };
    missed_one += lacks(within(counts, 0));
    missed_two += lacks(within(counts, 1));
    missed_three += lacks(within(counts, 2));
  }
  EXPECT_GT(missed_one, 100);
  EXPECT_GT(missed_two, 20);
  EXPECT_EQ(missed_three, 0);
}

TEST(DrawMode, OneValueIsExactAndOthersComeFromTheRange) {
  SeededBits bits(1);
  const auto clear = mode_range(Counts{3, 90, 5}, Domain::kOpen);
  ASSERT_TRUE(clear);
  EXPECT_EQ(clear->values, std::vector<std::size_t>{1});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(draw_mode(*clear, 1e-6, bits), 1u);
  const auto close = mode_range(Counts{5, 0, 6, 6}, Domain::kOpen);
  ASSERT_TRUE(close);
  EXPECT_EQ(close->values, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(close->mode, 1u);
  std::map<std::size_t, int> drawn;
  for (int i = 0; i < 3000; ++i) ++drawn[draw_mode(*close, 1, bits)];
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_NEAR(drawn[2], 3000 / (1 + 2 * std::exp(-1)), 150);
}

// --- permute-and-flip ---

using Source = Exact<kExpCoins>;

// p_v times the integral of the product of (1 - t p_w), by its coefficients
std::vector<Mass> flip_law(const Counts& counts, double epsilon,
                           Neighbours neighbours = Neighbours::kSubstitute) {
  const std::int64_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<Mass> p, law;
  for (const std::int64_t count : counts) {
    const long scores = neighbours == Neighbours::kAddRemove ? 1 : 2;
    p.push_back(Mass::exp_minus(mpq_class(epsilon) * static_cast<long>(most - count) / scores));
  }
  for (std::size_t v = 0; v < counts.size(); ++v) {
    std::vector<Mass> product{Mass(1)};
    for (std::size_t w = 0; w < counts.size(); ++w) {
      if (w == v) continue;
      std::vector<Mass> next(product.size() + 1);
      for (std::size_t i = 0; i < product.size(); ++i) {
        next[i] += product[i];
        next[i + 1] = next[i + 1] - product[i] * p[w];
      }
      product = next;
    }
    Mass integral;
    for (std::size_t i = 0; i < product.size(); ++i)
      integral += product[i] / Mass(static_cast<long>(i + 1));
    law.push_back(p[v] * integral);
  }
  return law;
}

std::vector<Mass> exponential_law(const Counts& counts, double epsilon) {
  const std::int64_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<Mass> law;
  Mass total;
  for (const std::int64_t count : counts) {
    law.push_back(Mass::exp_minus(mpq_class(epsilon) * static_cast<long>(most - count) / 2));
    total += law.back();
  }
  for (Mass& p : law) p = p / total;
  return law;
}

template <class Draw>
std::string judge(const std::vector<Mass>& exact, Draw draw) {
  std::vector<std::size_t> all;
  for (std::size_t v = 0; v < exact.size(); ++v) all.push_back(v);
  return walk<Source>(draw).differs(
      [&](std::size_t v) { return v < exact.size() ? exact[v] : Mass(0); }, all);
}

const Counts kCounts[] = {{4},       {1, 1},        {0, 0, 0},       {3, 1},
                          {1, 2, 3}, {10, 0, 9, 9}, {5, 4, 3, 2, 1}, {100, 0, 99}};

TEST(LawOfPermuteAndFlip, OverExponentialCoins) {
  for (const Counts& counts : kCounts) {
    for (const double epsilon : {0.25, 1.0, 3.0}) {
      EXPECT_EQ(judge(flip_law(counts, epsilon),
                      [&](Source& s) {
                        return draws::permute_and_flip(counts, Rate::of(epsilon, 2), s);
                      }),
                "");
      for (const auto neighbours : {Neighbours::kSubstitute, Neighbours::kAddRemove}) {
        EXPECT_EQ(judge(flip_law(counts, epsilon, neighbours),
                        [&](Source& s) {
                          return draws::permute_and_flip(counts, mode_rate(epsilon, neighbours), s);
                        }),
                  "");
      }
    }
  }
}

TEST(LawOfPermuteAndFlip, NeighboursHaveTheRatioOfEpsilon) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    const std::size_t domain = 2 + random() % 4;
    const double epsilon = i % 2 == 0 ? 1 : 0.25;
    const Mass most = Mass(1) / Mass::exp_minus(epsilon);
    const Counts counts = counts_of(random_records(random, domain), domain);
    const auto law = flip_law(counts, epsilon);
    const auto check = [&](const Counts& neighbour) {
      const auto other = flip_law(neighbour, epsilon);
      for (std::size_t v = 0; v < domain; ++v) {
        EXPECT_FALSE((most * other[v]).surely_below(law[v]));
        EXPECT_FALSE((most * law[v]).surely_below(other[v]));
      }
    };
    for (std::size_t v = 0; v < domain; ++v) {
      Counts added = counts;
      ++added[v];
      check(added);
      for (std::size_t w = 0; w < domain; ++w) {
        if (counts[w] == 0 || w == v) continue;
        Counts substituted = added;
        --substituted[w];
        check(substituted);
      }
    }
  }
}

// One count moves: the weights need no halving of epsilon, and with it half of epsilon is lost.
TEST(LawOfPermuteAndFlip, AddedRecordsHaveTheRatioOfEpsilon) {
  std::mt19937_64 random(7);
  bool beyond_half = false, is_control_noticed = false;
  for (int i = 0; i < 600; ++i) {
    const std::size_t domain = 2 + random() % 4;
    const double epsilon = i % 2 == 0 ? 1 : 0.25;
    const Counts counts = counts_of(random_records(random, domain), domain);
    for (std::size_t v = 0; v < domain; ++v) {
      Counts added = counts;
      ++added[v];
      const auto within = [&](Neighbours drawn, double of_epsilon) {
        const Mass most = Mass(1) / Mass::exp_minus(mpq_class(epsilon * of_epsilon));
        const auto law = flip_law(counts, epsilon, drawn), other = flip_law(added, epsilon, drawn);
        for (std::size_t w = 0; w < domain; ++w) {
          if ((most * other[w]).surely_below(law[w])) return false;
          if ((most * law[w]).surely_below(other[w])) return false;
        }
        return true;
      };
      EXPECT_TRUE(within(Neighbours::kAddRemove, 1));
      EXPECT_TRUE(within(Neighbours::kSubstitute, 0.5));
      beyond_half |= !within(Neighbours::kAddRemove, 0.5);
      is_control_noticed |= !within(Neighbours::kSubstitute, 0.375);
    }
  }
  EXPECT_TRUE(beyond_half);
  EXPECT_TRUE(is_control_noticed);
}

TEST(LawOfPermuteAndFlip, NeverWorseThanTheExponentialMechanism) {
  const auto error = [](const Counts& counts, const std::vector<Mass>& law) {
    const std::int64_t most = *std::max_element(counts.begin(), counts.end());
    Mass expected;
    for (std::size_t v = 0; v < counts.size(); ++v)
      expected += law[v] * Mass(static_cast<long>(most - counts[v]));
    return expected;
  };
  double best = 1;
  for (const Counts& counts : kCounts) {
    for (const double epsilon : {0.25, 1.0, 3.0}) {
      const Mass flip = error(counts, flip_law(counts, epsilon));
      const Mass exponential = error(counts, exponential_law(counts, epsilon));
      EXPECT_FALSE(exponential.surely_below(flip));
      if (exponential.low() > 0)
        best = std::min(best, flip.high().get_d() / exponential.low().get_d());
    }
  }
  EXPECT_LT(best, 0.55);  // half of it where one is far ahead
  RecordProperty("least_ratio_of_errors", std::to_string(best));
}

TEST(PermuteAndFlip, DrawsFromTheDomain) {
  SeededBits bits(6);
  EXPECT_THROW(permute_and_flip({}, 1, bits), std::invalid_argument);
  EXPECT_EQ(permute_and_flip(Counts{7}, 1, bits), 0u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(permute_and_flip(Counts{0, 1000000, 3}, 1, bits), 1u);
}

TEST(LawControl, PermuteAndFlip) {
  const Counts counts{3, 2, 0};
  const auto exact = flip_law(counts, 1);
  // the order is that of the values
  EXPECT_NE(judge(exact,
                  [&](Source& s) -> std::size_t {
                    for (std::size_t v = 0;; v = (v + 1) % 3) {
                      if (bernoulli_exp(3 - counts[v], 2, s)) return v;
                    }
                  }),
            "");
  // values that were not taken stay: the exponential mechanism
  const auto exponential = [&](Source& s) -> std::size_t {
    for (;;) {
      const std::size_t v = s.uniform(3);
      if (bernoulli_exp(3 - counts[v], 2, s)) return v;
    }
  };
  EXPECT_NE(judge(exact, exponential), "");
  // twice the epsilon
  EXPECT_NE(
      judge(exact, [&](Source& s) { return draws::permute_and_flip(counts, Rate::of(2, 2), s); }),
      "");
}

}  // namespace
}  // namespace idp::test

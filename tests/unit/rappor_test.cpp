// RAPPOR: filters, the laws of permanent and instant reports, what it calls its parameters, and
// what a population's reports say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "core/gradual/rappor.h"
#include "core/gradual/report_counts.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

constexpr BloomShape kShape{32, 2};

std::size_t ones_of(const Bits& bits) {
  return static_cast<std::size_t>(std::count(bits.begin(), bits.end(), true));
}

TEST(BloomFilter, StaysWhatItIs) {
  // Stored reports are decoded by filters computed later: these bits must never change.
  const auto set = [](std::string_view value) {
    std::set<std::size_t> positions;
    const Bits filter = bloom_filter(value, {1024, 4});
    for (std::size_t i = 0; i < filter.size(); ++i) {
      if (filter[i]) positions.insert(i);
    }
    return positions;
  };
  EXPECT_EQ(set(""), (std::set<std::size_t>{114, 790, 795, 816}));
  EXPECT_EQ(set("chrome.exe"), (std::set<std::size_t>{5, 170, 613, 942}));
}

TEST(BloomFilter, TwoStringsDifferInTwiceTheHashesAtMost) {
  for (const BloomShape& shape : {BloomShape{2, 1}, {32, 2}, {1000, 5}, {64, 64}}) {
    std::size_t most = 0;
    for (int i = 0; i < 300; ++i) {
      const Bits one = bloom_filter("value " + std::to_string(i), shape);
      const Bits other = bloom_filter("value " + std::to_string(i + 1), shape);
      EXPECT_GE(ones_of(one), 1u);
      EXPECT_LE(ones_of(one), shape.hashes);
      std::size_t different = 0;
      for (std::size_t bit = 0; bit < shape.bits; ++bit) different += one[bit] != other[bit];
      most = std::max(most, different);
    }
    EXPECT_LE(most, 2 * shape.hashes);
    if (shape.bits > 100) {
      EXPECT_EQ(most, 2 * shape.hashes);  // and that is reached
    }
  }
}

// Each bit costs epsilon/(2 hashes) by its law (tests/law/response_test.cpp), so 2 hashes of them
// epsilon.
TEST(PermanentReport, TheRateOfABitIsItsShareOfEpsilon) {
  for (const double epsilon : {0.1, 1.0, 7.5}) {
    for (const std::size_t hashes : {1, 2, 5}) {
      const Rate rate = bit_rate(epsilon, {64, hashes});
      EXPECT_EQ(
          mpq_class(rate.numerator) / rate.denominator * static_cast<unsigned long>(2 * hashes),
          mpq_class(epsilon));
    }
  }
}

TEST(PermanentReport, BitsAreAChainOfResponses) {
  // Bit by bit the same draws as single chains make, in any order of levels.
  const std::string value = "a value";
  const Bits filter = bloom_filter(value, kShape);
  for (const auto& order : {std::vector<double>{1, 2, 4}, {4, 1, 2}, {2, 4, 1}}) {
    SeededBits bits(5), again(5);
    std::vector<RapporLevel> levels;
    std::vector<std::vector<ResponseLevel>> chains(kShape.bits);
    for (const double epsilon : order) {
      const Bits report = permanent_report(value, kShape, levels, epsilon, bits);
      for (std::size_t i = 0; i < kShape.bits; ++i) {
        ResponseChain chain(filter[i], 2, chains[i]);
        EXPECT_EQ(chain.at(bit_rate(epsilon, kShape), again), report[i]);
        chains[i] = chain.levels();
      }
      levels.push_back({epsilon, report});
      std::sort(levels.begin(), levels.end(),
                [](const auto& a, const auto& b) { return a.epsilon < b.epsilon; });
      EXPECT_EQ(permanent_report(value, kShape, levels, epsilon, bits), report);  // repeated
    }
    EXPECT_EQ(bits.word(), again.word());
  }
}

TEST(PermanentReport, WhatIsOutOfRangeIsRefused) {
  SeededBits bits(1);
  for (const BloomShape& shape :
       {BloomShape{1, 1}, {kMostBloomBits + 1, 1}, {8, 0}, {8, 9}, {128, kMostHashes + 1}}) {
    EXPECT_THROW(permanent_report("x", shape, {}, 1, bits), std::invalid_argument);
  }
  for (const double epsilon : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(permanent_report("x", kShape, {}, epsilon, bits), std::invalid_argument);
  }
  const std::vector<RapporLevel> other_size{{1, Bits(31)}},
      descending{{2, Bits(32)}, {1, Bits(32)}};
  EXPECT_THROW(permanent_report("x", kShape, other_size, 2, bits), std::invalid_argument);
  EXPECT_THROW(permanent_report("x", kShape, descending, 3, bits), std::invalid_argument);
  EXPECT_THROW(instant_report(Bits(4), 0.5, 0.5, bits), std::invalid_argument);
  EXPECT_THROW(instant_report(Bits(4), 1.5, 0.5, bits), std::invalid_argument);
  EXPECT_THROW(instant_report(Bits(4), std::nan(""), 0.5, bits), std::invalid_argument);
}

TEST(InstantReport, EachBitByItsCoin) {
  SeededBits bits(3);
  Bits permanent(40000);
  for (std::size_t i = 0; i < permanent.size(); i += 2) permanent[i] = true;
  const Bits report = instant_report(permanent, 0.75, 0.25, bits);
  std::size_t of_one = 0, of_zero = 0;
  for (std::size_t i = 0; i < report.size(); ++i) (permanent[i] ? of_one : of_zero) += report[i];
  EXPECT_NEAR(static_cast<double>(of_one), 15000, 600);
  EXPECT_NEAR(static_cast<double>(of_zero), 5000, 600);
  EXPECT_EQ(instant_report(permanent, 1, 0, bits), permanent);
}

// The parameters of the paper of RAPPOR, figure 5 and section 3: 128 bits, 2 hashes, f = 0.5.
TEST(Rappor, ParametersAreThoseOfItsPaper) {
  const BloomShape shape{128, 2};
  EXPECT_NEAR(rappor_epsilon(0.5, shape), 4 * std::log(3), 1e-12);
  for (const double epsilon : {0.01, 1.0, 4.0, 20.0}) {
    const double f = rappor_f(epsilon, shape);
    EXPECT_NEAR(rappor_epsilon(f, shape), epsilon, 1e-9);
    // our keeping probability 1 - alpha for k = 2
    const double e = std::exp(epsilon / 4);
    EXPECT_NEAR(1 - f, (e - 1) / (e + 1), 1e-12);
    // an instant report tells less, and all of it with beta = 1, gamma = 0
    EXPECT_LT(instant_epsilon(f, 0.75, 0.5, shape), epsilon);
    EXPECT_NEAR(instant_epsilon(f, 1, 0, shape), epsilon, 1e-9);
    // by going through all four cases
    double worst = 0;
    const auto sent = [&](bool bit, bool as) {
      double p = 0;
      for (const bool middle : {false, true}) {
        const double first = middle == bit ? 1 - f / 2 : f / 2, one = middle ? 0.75 : 0.5;
        p += first * (as ? one : 1 - one);
      }
      return p;
    };
    for (const bool as : {false, true}) {
      worst = std::max(worst, std::abs(std::log(sent(true, as) / sent(false, as))));
    }
    EXPECT_NEAR(instant_epsilon(f, 0.75, 0.5, shape), 4 * worst, 1e-9);
  }
}

// --- counts ---

TEST(CountResponses, IsUnbiasedAndKnowsItsError) {
  // exact: over all numbers of matching reports of 12 people of whom 5 have the value
  for (const unsigned long k : {2ul, 3ul, 7ul}) {
    const double epsilon = 0.8, e = std::exp(epsilon), total = e + static_cast<double>(k) - 1;
    const double p = e / total, r = 1 / total;
    std::vector<double> law{1};
    for (int person = 0; person < 12; ++person) {
      const double chance = person < 5 ? p : r;
      std::vector<double> next(law.size() + 1);
      for (std::size_t c = 0; c < law.size(); ++c) {
        next[c] += law[c] * (1 - chance);
        next[c + 1] += law[c] * chance;
      }
      law = next;
    }
    double mean = 0, square = 0;
    for (std::size_t c = 0; c < law.size(); ++c) {
      const double estimate = count_responses(static_cast<std::int64_t>(c), 12, k, epsilon).count;
      mean += law[c] * estimate;
      square += law[c] * estimate * estimate;
    }
    EXPECT_NEAR(mean, 5, 1e-9);
    const double error = std::sqrt(5 * p * (1 - p) + 7 * r * (1 - r)) / (p - r);
    EXPECT_NEAR(std::sqrt(square - mean * mean), error, 1e-9);
  }
  EXPECT_NEAR(count_responses(100, 100, 2, 50).count, 100, 1e-9);
  EXPECT_THROW(count_responses(3, 2, 2, 1), std::invalid_argument);
  EXPECT_THROW(count_responses(-1, 2, 2, 1), std::invalid_argument);
  EXPECT_THROW(count_responses(1, 2, 1, 1), std::invalid_argument);
}

std::vector<std::string> candidates_of(std::size_t number) {
  std::vector<std::string> candidates;
  for (std::size_t i = 0; i < number; ++i) candidates.push_back("candidate " + std::to_string(i));
  return candidates;
}

TEST(CountStrings, WithoutNoiseIsExact) {
  const BloomShape shape{256, 2};
  const auto candidates = candidates_of(60);
  std::vector<std::int64_t> ones(shape.bits);
  std::int64_t people = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Bits filter = bloom_filter(candidates[i], shape);
    for (std::size_t bit = 0; bit < shape.bits; ++bit)
      ones[bit] += filter[bit] ? 10 + static_cast<long>(i) : 0;
    people += 10 + static_cast<long>(i);
  }
  const auto counts = count_strings(ones, people, candidates, shape, {1, 0});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_NEAR(counts[i].count, 10 + static_cast<double>(i), 1e-6);
    EXPECT_EQ(counts[i].standard_error, 0);
  }
}

TEST(CountStrings, WhatCannotBeToldApartIsRefused) {
  const BloomShape shape{8, 1};
  const std::vector<std::int64_t> ones(8, 1);
  EXPECT_THROW(count_strings(ones, 8, std::vector<std::string>{}, shape, {1, 0}),
               std::invalid_argument);
  EXPECT_THROW(count_strings(ones, 8, std::vector<std::string>{"a", "a"}, shape, {1, 0}),
               std::invalid_argument);
  EXPECT_THROW(count_strings(ones, 8, candidates_of(8), shape, {1, 0}), std::invalid_argument);
  EXPECT_THROW(count_strings(ones, 8, candidates_of(9), shape, {1, 0}), std::invalid_argument);
  EXPECT_THROW(count_strings({ones.data(), 7}, 8, candidates_of(1), shape, {1, 0}),
               std::invalid_argument);
}

// 100 000 people, 100 candidates of which a few are common; the noise of bits by the standard
// library here, their exact law is shown elsewhere. Of 30 populations, how many of the 3000
// intervals of 1.96 standard errors hold the truth, and how many with errors 10 % too small.
TEST(CountStrings, StandardErrorsAreHonest) {
  const BloomShape shape{512, 4};
  const auto candidates = candidates_of(100);
  std::mt19937_64 random(11);
  for (const double epsilon : {0.5, 1.0, 2.0}) {
    const BitNoise noise = BitNoise::permanent(epsilon, shape);
    std::vector<std::int64_t> truth(candidates.size()), set(shape.bits);
    std::int64_t people = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      truth[i] = 40000 / static_cast<std::int64_t>((i + 1) * (i + 2)) + 600;
      people += truth[i];
      const Bits filter = bloom_filter(candidates[i], shape);
      for (std::size_t bit = 0; bit < shape.bits; ++bit) set[bit] += filter[bit] ? truth[i] : 0;
    }
    int covered = 0, covered_by_less = 0, intervals = 0;
    double off = 0;
    for (int population = 0; population < 30; ++population) {
      std::vector<std::int64_t> ones;
      for (const std::int64_t t : set) {
        std::binomial_distribution<std::int64_t> of_one(t, noise.of_one),
            of_zero(people - t, noise.of_zero);
        ones.push_back(of_one(random) + of_zero(random));
      }
      const auto counts = count_strings(ones, people, candidates, shape, noise);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const double error = counts[i].count - static_cast<double>(truth[i]);
        covered += std::abs(error) <= 1.96 * counts[i].standard_error;
        covered_by_less += std::abs(error) <= 1.96 * 0.85 * counts[i].standard_error;
        off += error / counts[i].standard_error;
        ++intervals;
      }
    }
    EXPECT_GE(covered, intervals * 93 / 100) << epsilon;
    EXPECT_LE(covered, intervals * 97 / 100) << epsilon;
    EXPECT_LT(covered_by_less, intervals * 93 / 100) << epsilon;
    EXPECT_LT(std::abs(off / intervals), 0.2) << epsilon;
  }
}

// From strings to counts through the library alone, relaxed from one level to the next.
TEST(CountStrings, FromReportsThatAreRelaxed) {
  const BloomShape shape{32, 2};
  const auto candidates = candidates_of(4);
  SeededBits bits(7);
  const std::size_t people = 3000;
  std::vector<std::vector<RapporLevel>> chains(people);
  double last_error = HUGE_VAL;
  for (const double epsilon : {0.5, 2.0, 8.0}) {
    std::vector<std::int64_t> ones(shape.bits);
    for (std::size_t person = 0; person < people; ++person) {
      const std::string& value = candidates[person % 10 < 6 ? 0 : person % 10 < 9 ? 1 : 2];
      chains[person].push_back(
          {epsilon, permanent_report(value, shape, chains[person], epsilon, bits)});
      for (std::size_t bit = 0; bit < shape.bits; ++bit)
        ones[bit] += chains[person].back().report[bit];
    }
    const auto counts =
        count_strings(ones, people, candidates, shape, BitNoise::permanent(epsilon, shape));
    const double truth[] = {1800, 900, 300, 0};
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(counts[i].count, truth[i], 5 * counts[i].standard_error) << epsilon;
    }
    EXPECT_LT(counts[0].standard_error, last_error);
    last_error = counts[0].standard_error;
  }
  EXPECT_LT(last_error, 60);
}

}  // namespace
}  // namespace idp::test

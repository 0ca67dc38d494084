// The statistics, one row each: everything about an aggregate that does not depend on a call of it.
// Whatever treats statistics differently asks for a column of this table.
//
// A new one takes the next number and a row at the end. The numbers are stored in tables: none is
// ever used for another.
#pragma once

#include "core/no_postgres.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/collect/moments.h"

namespace idp {

enum class Statistic : std::uint8_t {
  kNone = 0,
  kMedian = 1,
  kQuantile = 2,
  kMin = 3,
  kMax = 4,
  kKthSmallest = 5,
  kKthLargest = 6,
  kTruncatedRange = 7,
  kCount = 8,
  kCountRange = 9,
  kPrivateMedian = 10,
  kPrivateQuantile = 11,
  kPrivateMin = 12,
  kPrivateMax = 13,
  kSum = 14,
  kAverage = 15,
  kVariance = 16,
  kStddev = 17,
  kPrivateSum = 18,
  kPrivateAverage = 19,
  kPrivateVariance = 20,
  kPrivateStddev = 21,
  kDistinct = 22,
  kHistogram = 23,
  kSmoothMedian = 24,
  kSmoothQuantile = 25,
  kSmoothMax = 26,
  kGlobalMedian = 27,
  kGlobalMax = 28,
};
inline constexpr int kStatistics = 29;

enum class Guarantee : std::uint8_t {
  kNone,          // statistic kNone
  kIndividual,    // epsilon-iDP: for the neighbours of the data at hand
  kDifferential,  // epsilon-DP: for every pair of neighbours
};

// What an aggregate keeps of its rows.
enum class Collects : std::uint8_t {
  kNothing,   // statistic kNone
  kRows,      // how many there were
  kValues,    // every value
  kDistinct,  // every different value, at least once
  kMoments,   // sums of powers, and the ends
  kBuckets,   // how many values fell into each bucket
};

// How the answer is made of it.
enum class Mechanism : std::uint8_t {
  kNone,
  kLocal,        // discrete Laplace noise of the local sensitivity: individually private
  kTruncated,    // the same, truncated to one step either way
  kGlobal,       // discrete Laplace noise of the global sensitivity
  kExponential,  // the exponential mechanism over the public grid
  kSmooth,       // heavy-tailed noise of the smooth sensitivity
};

// Which of n values an order statistic is.
enum class RankRule : std::uint8_t {
  kNone,       // it is no order statistic
  kFraction,   // the nearest rank of a fraction
  kFirst,      // 1
  kLast,       // n
  kFromFirst,  // k
  kFromLast,   // n - k + 1
};

// The columns an aggregate can be asked of.
enum class Columns : std::uint8_t {
  kNone,     // it has no column
  kNumbers,  // values that can be added up
  kOrdered,  // values that can be compared
  kAny,      // values that can be told apart
};

// The type of the answer.
enum class AnswerType : std::uint8_t {
  kNone,    // statistic kNone
  kValue,   // that of the column
  kCount,   // a whole number
  kCounts,  // one for each bucket
  kSum,     // that of the server's own sum of the column
  kMean,    // that of its own average
};

enum class Parameter : std::uint8_t { kEpsilon, kFraction, kK, kLower, kUpper, kBuckets, kGamma };

// Parameters as a call lists them behind the column; epsilon is always the first. The last ones may
// be left out.
struct ParameterList {
  static constexpr std::size_t kMost = 5;

  std::size_t required = 0;
  std::size_t count = 0;
  std::array<Parameter, kMost> list{};

  constexpr bool has(Parameter parameter) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (list[i] == parameter) return true;
    }
    return false;
  }
};

struct StatisticRow {
  Statistic statistic = Statistic::kNone;
  const char* name = "";  // of the aggregate
  Guarantee guarantee = Guarantee::kNone;
  Collects collects = Collects::kNothing;
  Mechanism mechanism = Mechanism::kNone;
  Columns columns = Columns::kNone;
  AnswerType answer = AnswerType::kNone;
  ParameterList parameters{};
  RankRule rank = RankRule::kNone;
  double fraction = 0;           // of RankRule::kFraction, if no parameter says it
  Moment moment = Moment::kSum;  // of those that collect moments
  bool groups = false;           // whether it can protect groups of records, each with an epsilon

  constexpr bool has(Parameter parameter) const { return parameters.has(parameter); }
  // Whether values are kept, so that a state grows with its rows.
  constexpr bool keeps_keys() const {
    return collects == Collects::kValues || collects == Collects::kDistinct;
  }
  // Whether of these only the ones near one end matter (core/collect/extremes.h).
  constexpr bool keeps_extremes() const {
    return (mechanism == Mechanism::kLocal || mechanism == Mechanism::kGlobal) &&
           rank != RankRule::kNone && rank != RankRule::kFraction;
  }
  // What a planner should expect a group's state to take, in bytes: so that hashing does not begin
  // more groups than memory holds once they have grown.
  constexpr int state_bytes() const { return keeps_keys() && !keeps_extremes() ? 1024 : 256; }
};

namespace statistic_rows {

constexpr auto kEpsilon = Parameter::kEpsilon;
constexpr auto kFraction = Parameter::kFraction;
constexpr auto kLower = Parameter::kLower;
constexpr auto kUpper = Parameter::kUpper;
constexpr auto kGamma = Parameter::kGamma;

constexpr ParameterList kPlain{1, 1, {kEpsilon}};
constexpr ParameterList kRank{2, 2, {kEpsilon, Parameter::kK}};
constexpr ParameterList kRange{3, 3, {kEpsilon, kLower, kUpper}};
constexpr ParameterList kRangeGamma{3, 4, {kEpsilon, kLower, kUpper, kGamma}};

using S = Statistic;
using G = Guarantee;
using C = Collects;
using M = Mechanism;
using R = RankRule;

// clang-format off
constexpr StatisticRow kRows[kStatistics] = {
    {},
    {.statistic = S::kMedian, .name = "idp_median",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kPlain,
     .rank = R::kFraction, .fraction = 0.5, .groups = true},
    {.statistic = S::kQuantile, .name = "idp_quantile",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {2, 2, {kEpsilon, kFraction}},
     .rank = R::kFraction, .groups = true},
    {.statistic = S::kMin, .name = "idp_min",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {2, 2, {kEpsilon, kLower}},
     .rank = R::kFirst, .groups = true},
    {.statistic = S::kMax, .name = "idp_max",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {2, 2, {kEpsilon, kUpper}},
     .rank = R::kLast, .groups = true},
    {.statistic = S::kKthSmallest, .name = "idp_kth_smallest",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRank,
     .rank = R::kFromFirst, .groups = true},
    {.statistic = S::kKthLargest, .name = "idp_kth_largest",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRank,
     .rank = R::kFromLast, .groups = true},
    {.statistic = S::kTruncatedRange, .name = "idp_count_range",
     .guarantee = G::kIndividual, .collects = C::kRows, .mechanism = M::kTruncated,
     .columns = Columns::kOrdered, .answer = AnswerType::kCount, .parameters = kRange},
    {.statistic = S::kCount, .name = "dp_count",
     .guarantee = G::kDifferential, .collects = C::kRows, .mechanism = M::kGlobal,
     .columns = Columns::kNone, .answer = AnswerType::kCount, .parameters = kPlain},
    {.statistic = S::kCountRange, .name = "dp_count_range",
     .guarantee = G::kDifferential, .collects = C::kRows, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kCount, .parameters = kRange},
    {.statistic = S::kPrivateMedian, .name = "dp_median",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kFraction, .fraction = 0.5},
    {.statistic = S::kPrivateQuantile, .name = "dp_quantile",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {4, 4, {kEpsilon, kLower, kUpper, kFraction}},
     .rank = R::kFraction},
    {.statistic = S::kPrivateMin, .name = "dp_min",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kFirst},
    {.statistic = S::kPrivateMax, .name = "dp_max",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kLast},
    {.statistic = S::kSum, .name = "idp_sum",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kSum, .parameters = kRange,
     .moment = Moment::kSum, .groups = true},
    {.statistic = S::kAverage, .name = "idp_avg",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kAverage, .groups = true},
    {.statistic = S::kVariance, .name = "idp_variance",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kVariance},
    {.statistic = S::kStddev, .name = "idp_stddev",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kStddev},
    {.statistic = S::kPrivateSum, .name = "dp_sum",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kSum, .parameters = kRange,
     .moment = Moment::kSum},
    {.statistic = S::kPrivateAverage, .name = "dp_avg",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kAverage},
    {.statistic = S::kPrivateVariance, .name = "dp_variance",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kVariance},
    {.statistic = S::kPrivateStddev, .name = "dp_stddev",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kStddev},
    {.statistic = S::kDistinct, .name = "dp_count_distinct",
     .guarantee = G::kDifferential, .collects = C::kDistinct, .mechanism = M::kGlobal,
     .columns = Columns::kAny, .answer = AnswerType::kCount, .parameters = kPlain},
    {.statistic = S::kHistogram, .name = "dp_histogram",
     .guarantee = G::kDifferential, .collects = C::kBuckets, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kCounts, .parameters = {4, 4, {kEpsilon, kLower, kUpper, Parameter::kBuckets}}},
    {.statistic = S::kSmoothMedian, .name = "dp_median_smooth",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kSmooth,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRangeGamma,
     .rank = R::kFraction, .fraction = 0.5},
    {.statistic = S::kSmoothQuantile, .name = "dp_quantile_smooth",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kSmooth,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {4, 5, {kEpsilon, kLower, kUpper, kFraction, kGamma}},
     .rank = R::kFraction},
    {.statistic = S::kSmoothMax, .name = "dp_max_smooth",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kSmooth,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRangeGamma,
     .rank = R::kLast},
    {.statistic = S::kGlobalMedian, .name = "dp_median_global",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kFraction, .fraction = 0.5},
    {.statistic = S::kGlobalMax, .name = "dp_max_global",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kLast},
};
// clang-format on

constexpr bool in_order() {
  for (int i = 0; i < kStatistics; ++i) {
    if (static_cast<int>(kRows[i].statistic) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace statistic_rows

// Of a number that no statistic has, which a damaged state may hold, it is the row of kNone.
constexpr const StatisticRow& row_of(Statistic statistic) {
  const auto i = static_cast<std::size_t>(statistic);
  return statistic_rows::kRows[i < kStatistics ? i : 0];
}
constexpr Collects collects(Statistic statistic) { return row_of(statistic).collects; }
constexpr Mechanism mechanism(Statistic statistic) { return row_of(statistic).mechanism; }
// The fraction of a statistic that has one without being told: 0.5 for medians, otherwise 0.
constexpr double fixed_fraction(Statistic statistic) { return row_of(statistic).fraction; }

// As SQL names it.
const char* name_of(Parameter parameter);

}  // namespace idp

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
#include <iterator>

#include "core/collect/moments.h"
#include "core/grid/grid.h"
#include "core/mechanism/spread.h"

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
  kInterquartileRange = 29,
  kDeviation = 30,
  kTrimmedAverage = 31,
  kMode = 32,
  kPrivateMode = 33,
  kClippedSum = 34,
  kClippedAverage = 35,
  kClippedVariance = 36,
  kClippedStddev = 37,
  kKeepGroup = 38,
};

enum class Guarantee : std::uint8_t {
  kNone,          // statistic kNone
  kIndividual,    // epsilon-iDP: for the neighbours of the data at hand
  kDifferential,  // epsilon-DP: for every pair of neighbours
  kApproximate,   // (epsilon, delta)-DP: likewise
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
  kLocal,           // discrete Laplace noise of the local sensitivity: individually private
  kTruncated,       // the same, truncated to one step either way
  kGlobal,          // discrete Laplace noise of the global sensitivity
  kExponential,     // the exponential mechanism over the public grid
  kSmooth,          // heavy-tailed noise of the smooth sensitivity
  kResponse,        // randomised response over the local range
  kPermuteAndFlip,  // permute-and-flip over a public domain
  kSelection,       // a coin that depends on how many there are: (epsilon, delta)-DP
  kClipping,        // bounds drawn first, then discrete Laplace noise of what they leave
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

constexpr bool takes(Columns columns, ValueType type) {
  switch (columns) {
    case Columns::kNone:
      return type == ValueType::kNone;
    case Columns::kNumbers:
      return is_number(type);
    case Columns::kOrdered:
      return type != ValueType::kNone && !is_opaque(type);
    case Columns::kAny:
      return type != ValueType::kNone;
  }
  return false;
}

// The type of the answer.
enum class AnswerType : std::uint8_t {
  kNone,      // statistic kNone
  kValue,     // that of the column
  kCount,     // a whole number
  kCounts,    // one for each bucket
  kSum,       // that of the server's own sum of the column
  kMean,      // that of its own average
  kDecision,  // yes or no
};

// The same for a column of that type; of kCounts, that of each.
constexpr ValueType type_of(AnswerType answer, ValueType column) {
  const bool is_float = column == ValueType::kFloat32 || column == ValueType::kFloat64;
  switch (answer) {
    case AnswerType::kNone:
    case AnswerType::kDecision:
      return ValueType::kNone;
    case AnswerType::kValue:
      return column;
    case AnswerType::kCount:
    case AnswerType::kCounts:
      return ValueType::kInt64;
    case AnswerType::kSum:
      if (is_float) return column;
      return column == ValueType::kInt16 || column == ValueType::kInt32 ? ValueType::kInt64
                                                                        : ValueType::kNumeric;
    case AnswerType::kMean:
      return is_float ? ValueType::kFloat64 : ValueType::kNumeric;
  }
  return ValueType::kNone;
}

enum class Parameter : std::uint8_t {
  kEpsilon,
  kFraction,
  kK,
  kLower,
  kUpper,
  kBuckets,
  kGamma,
  kDelta,
  kDomain,  // the values that can be answered; only the call has them, not the spec
};

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
  const char* name = "";         // of the aggregate
  const char* description = "";  // one line of it, in its comment
  Guarantee guarantee = Guarantee::kNone;
  Collects collects = Collects::kNothing;
  Mechanism mechanism = Mechanism::kNone;
  Columns columns = Columns::kNone;
  AnswerType answer = AnswerType::kNone;
  ParameterList parameters{};
  RankRule rank = RankRule::kNone;
  double fraction = 0;                    // of RankRule::kFraction, if no parameter says it
  Moment moment = Moment::kSum;           // of those that collect moments
  SpreadKind spread = SpreadKind::kNone;  // of those that are of several ranks
  bool groups = false;  // whether it can protect groups of records, each with an epsilon
  // The stem of its transition function's name, where another statistic's aggregate has its name.
  const char* function = nullptr;

  constexpr const char* stem() const { return function != nullptr ? function : name; }
  constexpr bool has(Parameter parameter) const { return parameters.has(parameter); }
  // Whether the answer is values plus noise.
  constexpr bool is_additive() const {
    return mechanism == Mechanism::kLocal || mechanism == Mechanism::kTruncated ||
           mechanism == Mechanism::kGlobal;
  }
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
constexpr StatisticRow kRows[] = {
    {},
    {.statistic = S::kMedian, .name = "idp_median",
     .description = "epsilon-iDP median (lower median for an even number of rows): local "
                    "sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kPlain,
     .rank = R::kFraction, .fraction = 0.5, .groups = true},
    {.statistic = S::kQuantile, .name = "idp_quantile",
     .description = "epsilon-iDP quantile, nearest rank as percentile_disc: local sensitivity, "
                    "discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {2, 2, {kEpsilon, kFraction}},
     .rank = R::kFraction, .groups = true},
    {.statistic = S::kMin, .name = "idp_min",
     .description = "epsilon-iDP minimum of values not below the public bound lower: local "
                    "sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {2, 2, {kEpsilon, kLower}},
     .rank = R::kFirst, .groups = true},
    {.statistic = S::kMax, .name = "idp_max",
     .description = "epsilon-iDP maximum of values not above the public bound upper: local "
                    "sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {2, 2, {kEpsilon, kUpper}},
     .rank = R::kLast, .groups = true},
    {.statistic = S::kKthSmallest, .name = "idp_kth_smallest",
     .description = "epsilon-iDP k-th smallest value, k >= 2: local sensitivity, discrete Laplace "
                    "noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRank,
     .rank = R::kFromFirst, .groups = true},
    {.statistic = S::kKthLargest, .name = "idp_kth_largest",
     .description = "epsilon-iDP k-th largest value, k >= 2: local sensitivity, discrete Laplace "
                    "noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRank,
     .rank = R::kFromLast, .groups = true},
    {.statistic = S::kTruncatedRange, .name = "idp_count_range",
     .description = "epsilon-iDP number of rows with lower <= x <= upper, always within one of the "
                    "true one: truncated discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kRows, .mechanism = M::kTruncated,
     .columns = Columns::kOrdered, .answer = AnswerType::kCount, .parameters = kRange},
    {.statistic = S::kCount, .name = "dp_count",
     .description = "epsilon-DP number of rows: discrete Laplace noise of sensitivity 1",
     .guarantee = G::kDifferential, .collects = C::kRows, .mechanism = M::kGlobal,
     .columns = Columns::kNone, .answer = AnswerType::kCount, .parameters = kPlain},
    {.statistic = S::kCountRange, .name = "dp_count_range",
     .description = "epsilon-DP number of rows with lower <= x <= upper: discrete Laplace noise of "
                    "sensitivity 1",
     .guarantee = G::kDifferential, .collects = C::kRows, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kCount, .parameters = kRange},
    {.statistic = S::kPrivateMedian, .name = "dp_median",
     .description = "epsilon-DP median of values clamped to the public bounds: exponential "
                    "mechanism",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kFraction, .fraction = 0.5},
    {.statistic = S::kPrivateQuantile, .name = "dp_quantile",
     .description = "epsilon-DP quantile of values clamped to the public bounds, nearest rank as "
                    "percentile_disc: exponential mechanism",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {4, 4, {kEpsilon, kLower, kUpper, kFraction}},
     .rank = R::kFraction},
    {.statistic = S::kPrivateMin, .name = "dp_min",
     .description = "epsilon-DP minimum of values clamped to the public bounds: exponential "
                    "mechanism",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kFirst},
    {.statistic = S::kPrivateMax, .name = "dp_max",
     .description = "epsilon-DP maximum of values clamped to the public bounds: exponential "
                    "mechanism",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kExponential,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kLast},
    {.statistic = S::kSum, .name = "idp_sum",
     .description = "epsilon-iDP sum of values clamped to the public bounds: local sensitivity, "
                    "discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kSum, .parameters = kRange,
     .moment = Moment::kSum, .groups = true},
    {.statistic = S::kAverage, .name = "idp_avg",
     .description = "epsilon-iDP average of values clamped to the public bounds: local sensitivity, "
                    "discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kAverage, .groups = true},
    {.statistic = S::kVariance, .name = "idp_variance",
     .description = "epsilon-iDP population variance of values clamped to the public bounds: bound "
                    "on the local sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kVariance},
    {.statistic = S::kStddev, .name = "idp_stddev",
     .description = "epsilon-iDP population standard deviation of values clamped to the public "
                    "bounds: bound on the local sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kMoments, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kStddev},
    {.statistic = S::kPrivateSum, .name = "dp_sum",
     .description = "epsilon-DP sum of values clamped to the public bounds: global sensitivity, "
                    "discrete Laplace noise",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kSum, .parameters = kRange,
     .moment = Moment::kSum},
    {.statistic = S::kPrivateAverage, .name = "dp_avg",
     .description = "epsilon-DP average of values clamped to the public bounds: a noisy centred sum "
                    "over a noisy count",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kAverage},
    {.statistic = S::kPrivateVariance, .name = "dp_variance",
     .description = "epsilon-DP population variance of values clamped to the public bounds: of "
                    "noisy centred moments",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kVariance},
    {.statistic = S::kPrivateStddev, .name = "dp_stddev",
     .description = "epsilon-DP population standard deviation of values clamped to the public "
                    "bounds: of noisy centred moments",
     .guarantee = G::kDifferential, .collects = C::kMoments, .mechanism = M::kGlobal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kRange,
     .moment = Moment::kStddev},
    {.statistic = S::kDistinct, .name = "dp_count_distinct",
     .description = "epsilon-DP number of different values: discrete Laplace noise of sensitivity 1",
     .guarantee = G::kDifferential, .collects = C::kDistinct, .mechanism = M::kGlobal,
     .columns = Columns::kAny, .answer = AnswerType::kCount, .parameters = kPlain},
    {.statistic = S::kHistogram, .name = "dp_histogram",
     .description = "epsilon-DP number of values in each of equal buckets between the public "
                    "bounds, to which values are clamped: discrete Laplace noise of "
                    "sensitivity 1 where rows are added or removed, else 2",
     .guarantee = G::kDifferential, .collects = C::kBuckets, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kCounts, .parameters = {4, 4, {kEpsilon, kLower, kUpper, Parameter::kBuckets}}},
    {.statistic = S::kSmoothMedian, .name = "dp_median_smooth",
     .description = "epsilon-DP median of values clamped to the public bounds: smooth sensitivity, "
                    "noise density proportional to 1/(1+|z|^gamma)",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kSmooth,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRangeGamma,
     .rank = R::kFraction, .fraction = 0.5},
    {.statistic = S::kSmoothQuantile, .name = "dp_quantile_smooth",
     .description = "epsilon-DP quantile of values clamped to the public bounds: smooth "
                    "sensitivity, noise density proportional to 1/(1+|z|^gamma)",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kSmooth,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = {4, 5, {kEpsilon, kLower, kUpper, kFraction, kGamma}},
     .rank = R::kFraction},
    {.statistic = S::kSmoothMax, .name = "dp_max_smooth",
     .description = "epsilon-DP maximum of values clamped to the public bounds: smooth sensitivity, "
                    "noise density proportional to 1/(1+|z|^gamma)",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kSmooth,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRangeGamma,
     .rank = R::kLast},
    {.statistic = S::kGlobalMedian, .name = "dp_median_global",
     .description = "epsilon-DP median of values clamped to the public bounds: global sensitivity, "
                    "discrete Laplace noise; for comparison",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kFraction, .fraction = 0.5},
    {.statistic = S::kGlobalMax, .name = "dp_max_global",
     .description = "epsilon-DP maximum of values clamped to the public bounds: global sensitivity, "
                    "discrete Laplace noise; for comparison",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kGlobal,
     .columns = Columns::kOrdered, .answer = AnswerType::kValue, .parameters = kRange,
     .rank = R::kLast},
    {.statistic = S::kInterquartileRange, .name = "idp_iqr",
     .description = "epsilon-iDP interquartile range, the distance of the quartiles of nearest "
                    "rank: local sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kValue, .parameters = kPlain,
     .spread = SpreadKind::kInterquartileRange},
    {.statistic = S::kDeviation, .name = "idp_mad",
     .description = "epsilon-iDP median absolute deviation from the lower median: bound on the "
                    "local sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kValue, .parameters = kPlain,
     .spread = SpreadKind::kDeviation},
    {.statistic = S::kTrimmedAverage, .name = "idp_trimmed_avg",
     .description = "epsilon-iDP average of the values but the given fraction at either end: local "
                    "sensitivity, discrete Laplace noise",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kLocal,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = {2, 2, {kEpsilon, kFraction}},
     .spread = SpreadKind::kTrimmedAverage},
    {.statistic = S::kMode, .name = "idp_mode",
     .description = "epsilon-iDP most frequent value, the least of several: randomised response over "
                    "what it is for the neighbours of the data",
     .guarantee = G::kIndividual, .collects = C::kValues, .mechanism = M::kResponse,
     .columns = Columns::kAny, .answer = AnswerType::kValue, .parameters = kPlain},
    {.statistic = S::kPrivateMode, .name = "dp_mode",
     .description = "epsilon-DP most frequent value of a public domain: permute-and-flip",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kPermuteAndFlip,
     .columns = Columns::kAny, .answer = AnswerType::kValue, .parameters = {2, 2, {kEpsilon, Parameter::kDomain}}},
    {.statistic = S::kClippedSum, .name = "dp_sum",
     .description = "epsilon-DP sum of values clamped to bounds that are found by the sparse vector "
                    "technique: global sensitivity, discrete Laplace noise",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kClipping,
     .columns = Columns::kNumbers, .answer = AnswerType::kSum, .parameters = kPlain,
     .moment = Moment::kSum, .function = "dp_clipped_sum"},
    {.statistic = S::kClippedAverage, .name = "dp_avg",
     .description = "epsilon-DP average of values clamped to bounds that are found "
                    "round a private median by the sparse vector technique: a noisy centred sum over a noisy count",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kClipping,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kPlain,
     .moment = Moment::kAverage, .function = "dp_clipped_avg"},
    {.statistic = S::kClippedVariance, .name = "dp_variance",
     .description = "epsilon-DP population variance of values clamped to bounds that are found "
                    "round a private median by the sparse vector technique: of noisy centred moments",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kClipping,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kPlain,
     .moment = Moment::kVariance, .function = "dp_clipped_variance"},
    {.statistic = S::kClippedStddev, .name = "dp_stddev",
     .description = "epsilon-DP population standard deviation of values clamped to bounds that are found "
                    "round a private median by the sparse vector technique: of noisy centred moments",
     .guarantee = G::kDifferential, .collects = C::kValues, .mechanism = M::kClipping,
     .columns = Columns::kNumbers, .answer = AnswerType::kMean, .parameters = kPlain,
     .moment = Moment::kStddev, .function = "dp_clipped_stddev"},
    {.statistic = S::kKeepGroup, .name = "dp_keep_group",
     .description = "(epsilon, delta)-DP decision whether a group may be shown: the best rule by its "
                    "number of rows",
     .guarantee = G::kApproximate, .collects = C::kRows, .mechanism = M::kSelection,
     .columns = Columns::kNone, .answer = AnswerType::kDecision, .parameters = {2, 2, {kEpsilon, Parameter::kDelta}}},
};
// clang-format on

}  // namespace statistic_rows

inline constexpr int kStatistics = std::size(statistic_rows::kRows);

constexpr bool statistics_in_order() {
  for (int i = 0; i < kStatistics; ++i) {
    if (static_cast<int>(statistic_rows::kRows[i].statistic) != i) return false;
  }
  return true;
}
static_assert(statistics_in_order());

// Of a number that no statistic has, which a damaged state may hold, it is the row of kNone.
constexpr const StatisticRow& row_of(Statistic statistic) {
  const auto i = static_cast<std::size_t>(statistic);
  return statistic_rows::kRows[i < kStatistics ? i : 0];
}
constexpr Collects collects(Statistic statistic) { return row_of(statistic).collects; }
constexpr Mechanism mechanism(Statistic statistic) { return row_of(statistic).mechanism; }
constexpr bool is_additive(Statistic statistic) { return row_of(statistic).is_additive(); }
// The fraction of a statistic that has one without being told: 0.5 for medians, otherwise 0.
constexpr double fixed_fraction(Statistic statistic) { return row_of(statistic).fraction; }

// As SQL names it.
constexpr const char* name_of(Parameter parameter) {
  switch (parameter) {
    case Parameter::kEpsilon:
      return "epsilon";
    case Parameter::kFraction:
      return "fraction";
    case Parameter::kK:
      return "k";
    case Parameter::kLower:
      return "lower";
    case Parameter::kUpper:
      return "upper";
    case Parameter::kBuckets:
      return "buckets";
    case Parameter::kGamma:
      return "gamma";
    case Parameter::kDelta:
      return "delta";
    case Parameter::kDomain:
      return "domain";
  }
  return "";
}

}  // namespace idp

// The floor under local sensitivities, in the units of the answer.
#include <gtest/gtest.h>

#include "core/aggregate/answer.h"
#include "core/mechanism/floor.h"
#include "core/mechanism/result_grid.h"

namespace idp::test {
namespace {

Frozen frozen_with(std::vector<mpq_class> sensitivities) {
  Frozen frozen = freeze_noisy({10}, {0});
  frozen.sensitivities.front() = std::move(sensitivities);
  return frozen;
}

Spec median_of(Grid grid) {
  Spec spec;
  spec.statistic = Statistic::kMedian;
  spec.grid = grid;
  spec.epsilon = 1;
  return spec;
}

mpq_class raised(const Spec& spec, double floor, const mpq_class& sensitivity) {
  Frozen frozen = frozen_with({sensitivity});
  raise_to_floor(spec, floor, frozen);
  return frozen.sensitivities.front().front();
}

TEST(Floor, IsInUnitsOfTheAnswer) {
  EXPECT_EQ(raised(median_of({ValueType::kInt32}), 2.5, 1), 3);  // rounded up to the grid
  EXPECT_EQ(raised(median_of({ValueType::kInt32}), 2.5, 7), 7);
  EXPECT_EQ(raised(median_of({ValueType::kInt32}), 0, 0), 0);
  EXPECT_EQ(raised(median_of({ValueType::kDate}), 30, 0), 30);
  EXPECT_EQ(raised(median_of({ValueType::kTimestamptz}), 60, 0), 60000000);
  EXPECT_EQ(raised(median_of(Grid::numeric(12, 2)), 0.5, 0), 50);
  mpz_class steps = 3;
  steps <<= 1074 - 1;  // 1.5 in steps of 2^-1074
  EXPECT_EQ(raised(median_of({ValueType::kFloat64}), 1.5, 0), mpq_class(steps));
  Spec sum = median_of({ValueType::kInt32});
  sum.statistic = Statistic::kSum;
  EXPECT_EQ(raised(sum, 4, 1), 4);
  sum.statistic = Statistic::kAverage;
  EXPECT_EQ(raised(sum, 4, 1), mpq_class("40000000000000000"));  // steps of 10^-16
}

TEST(Floor, CoarseGridsOfFloatsCountInTheirSteps) {
  Frozen frozen = frozen_with({5});
  frozen.dropped = 1074;  // steps of 1
  raise_to_floor(median_of({ValueType::kFloat64}), 8, frozen);
  EXPECT_EQ(frozen.sensitivities.front().front(), 8);
}

TEST(Floor, RaisesEveryDistance) {
  Frozen frozen = frozen_with({0, 3, 9});
  raise_to_floor(median_of({ValueType::kInt64}), 4, frozen);
  EXPECT_EQ(frozen.sensitivities.front(), (std::vector<mpq_class>{4, 4, 9}));
}

TEST(Floor, SuppressesAnswersThatNoNoiseCanHide) {
  Frozen frozen;
  frozen.kind = Frozen::Kind::kInfinite;
  frozen.infinity = 1;
  Frozen untouched = frozen;
  raise_to_floor(median_of({ValueType::kFloat64}), 0, untouched);
  EXPECT_EQ(untouched, frozen);
  raise_to_floor(median_of({ValueType::kFloat64}), 1, frozen);
  EXPECT_EQ(frozen.kind, Frozen::Kind::kSuppressed);
}

TEST(Floor, LeavesCountsAndEpsilonDpAlone) {
  for (const Statistic statistic :
       {Statistic::kTruncatedRange, Statistic::kCount, Statistic::kHistogram,
        Statistic::kPrivateSum, Statistic::kGlobalMedian}) {
    Spec spec = median_of({ValueType::kInt32});
    spec.statistic = statistic;
    EXPECT_EQ(raised(spec, 100, 1), 1);
  }
}

}  // namespace
}  // namespace idp::test

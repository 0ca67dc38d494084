// (epsilon, delta): how losses add up, and what they are for groups of records.
#include <gtest/gtest.h>

#include <cmath>

#include "core/accounting/approximate.h"
#include "core/accounting/composition.h"

namespace idp::test {
namespace {

using M = ApproximateEpsilon;

mpq_class decimal(long numerator, long denominator) {
  mpq_class q(numerator, denominator);
  q.canonicalize();
  return q;
}

TEST(ApproximateEpsilon, PartsAddUpExactly) {
  const ApproximateLoss loss{decimal(1, 10), decimal(1, 1000000000)};
  ApproximateLoss total = M::none();
  for (int i = 0; i < 10; ++i) total = M::in_sequence(total, loss);
  EXPECT_EQ(total, (ApproximateLoss{1, decimal(1, 100000000)}));
  EXPECT_EQ(M::in_parallel(loss, {decimal(1, 20), decimal(1, 10)}),
            (ApproximateLoss{decimal(1, 10), decimal(1, 10)}));
  EXPECT_EQ(M::further(loss, {1, 0}), (ApproximateLoss{decimal(9, 10), 0}));
}

TEST(ApproximateEpsilon, ABudgetEndsWithEitherPart) {
  Budget<M> budget(Neighbours::kAddRemove, {1, decimal(3, 1000)});
  EXPECT_TRUE(budget.charge({decimal(1, 10), decimal(1, 1000)}));
  EXPECT_FALSE(budget.charge({decimal(1, 10), decimal(3, 1000)}));
  EXPECT_FALSE(budget.charge({1, 0}));
  EXPECT_TRUE(budget.charge({decimal(9, 10), decimal(2, 1000)}));
  EXPECT_EQ(budget.spent(), (ApproximateLoss{1, decimal(3, 1000)}));
}

// A substituted record changes two groups.
TEST(ApproximateEpsilon, GroupsCountTwiceUnderSubstitution) {
  Budget<M> budget(Neighbours::kSubstitute, {2, decimal(2, 1000)});
  EXPECT_TRUE(budget.charge({1, decimal(1, 1000)}, true));
  EXPECT_EQ(budget.spent(), (ApproximateLoss{2, decimal(2, 1000)}));
}

TEST(LossOfGroup, IsNeverLessThanItIs) {
  for (const long size : {1, 2, 3, 10}) {
    for (const double epsilon : {0.01, 0.5, 1.0, 3.0}) {
      const ApproximateLoss loss{mpq_class(epsilon), decimal(1, 1L << 60)};
      const ApproximateLoss group = loss_of_group(loss, static_cast<unsigned long>(size));
      EXPECT_EQ(group.epsilon, loss.epsilon * size);
      // the sum over the steps, of which the formula is a bound
      long double sum = 0;
      for (long i = 0; i < size; ++i) sum += std::exp(static_cast<long double>(epsilon) * i);
      const mpq_class delta = group.delta / loss.delta;
      EXPECT_GE(delta.get_d(), static_cast<double>(sum * (1 - 1e-12L)));
      const long double formula =
          static_cast<long double>(size) * std::exp(static_cast<long double>(epsilon) * (size - 1));
      EXPECT_NEAR(delta.get_d() / static_cast<double>(formula), 1, 1e-12);
    }
  }
  EXPECT_EQ(loss_of_group({1, 0}, 1000), (ApproximateLoss{1000, 0}));
  EXPECT_EQ(loss_of_group({1000, decimal(1, 10)}, 1000).delta, 1);
  EXPECT_THROW(loss_of_group({1, 0}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace idp::test

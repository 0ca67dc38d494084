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

// e^v, from below and from above.
mpq_class power_of_e(const mpq_class& v, mpfr_rnd_t rounding) {
  mpfr_t x;
  mpfr_init2(x, 300);
  mpfr_set_q(x, v.get_mpq_t(), rounding);
  mpfr_exp(x, x, rounding);
  mpq_class q;
  mpfr_get_q(q.get_mpq_t(), x);
  mpfr_clear(x);
  return q;
}

// By definition: of D_0, …, D_m, each a neighbour of the one before, Pr[S | D_i] <= e^epsilon Pr[S
// | D_(i-1)] + delta. From 0 on, with equality, Pr[S | D_m] is what a group may lose.
mpq_class brute_delta(const mpq_class& epsilon, const mpq_class& delta, int size,
                      mpfr_rnd_t rounding) {
  const mpq_class x = power_of_e(epsilon, rounding);
  mpq_class lost = 0;
  for (int i = 0; i < size; ++i) lost = x * lost + delta;
  return lost;
}

TEST(LossOfGroup, IsTheSumOfItsStepsAndNeverLess) {
  const mpq_class delta = decimal(1, 1L << 60);
  for (const int size : {1, 2, 3, 5, 10, 40}) {
    for (const double epsilon : {1e-18, 1e-3, 0.01, 0.5, 1.0, 1.0 / 3}) {
      const ApproximateLoss group =
          loss_of_group({mpq_class(epsilon), delta}, static_cast<unsigned long>(size));
      EXPECT_EQ(group.epsilon, mpq_class(epsilon) * size);
      EXPECT_GE(group.delta, brute_delta(mpq_class(epsilon), delta, size, MPFR_RNDD));
      const mpq_class most = brute_delta(mpq_class(epsilon), delta, size, MPFR_RNDU);
      EXPECT_LE(group.delta, most * (1 + decimal(1, 1L << 60))) << epsilon << ", " << size;
    }
  }
  // five rows at epsilon 1: what it was charged once, five times e^4 delta, is 3.2 times that
  const mpq_class five = loss_of_group({1, delta}, 5).delta / delta;
  EXPECT_NEAR(5 * std::exp(4.0) / five.get_d(), 3.182, 1e-3);
}

// Negative control: one step less is not enough.
TEST(LossOfGroup, OneStepLessIsNotEnough) {
  const mpq_class delta = decimal(1, 1L << 60);
  EXPECT_LT(loss_of_group({1, delta}, 4).delta, brute_delta(1, delta, 5, MPFR_RNDD));
}

TEST(LossOfGroup, Extremes) {
  EXPECT_EQ(loss_of_group({1, 0}, 1000), (ApproximateLoss{1000, 0}));
  EXPECT_EQ(loss_of_group({1000, decimal(1, 10)}, 1000).delta, 1);
  EXPECT_EQ(loss_of_group({mpq_class(1e300), decimal(1, 10)}, 1000).delta, 1);
  EXPECT_EQ(loss_of_group({0, decimal(1, 10)}, 3).delta, decimal(3, 10));
  EXPECT_THROW(loss_of_group({1, 0}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace idp::test

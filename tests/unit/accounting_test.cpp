// Measures, budgets and the names of neighbours.
#include <gtest/gtest.h>

#include <cmath>

#include "core/accounting/composition.h"

namespace idp::test {
namespace {

using Pure = PureEpsilon;

TEST(PureEpsilon, IsExact) {
  // the double 0.1 is not the tenth: ten of them are more than 1, and less than its next double
  mpq_class sum = Pure::none();
  for (int i = 0; i < 10; ++i) sum = Pure::in_sequence(sum, Pure::of(0.1));
  EXPECT_EQ(sum, 10 * mpq_class(0.1));
  EXPECT_GT(sum, 1);
  EXPECT_LT(sum, mpq_class(1 + 0x1p-52));
  EXPECT_EQ(Pure::in_parallel(Pure::of(0.5), Pure::of(2)), 2);
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW((void)Pure::of(bad), std::invalid_argument);
  }
}

TEST(PureEpsilon, WhatIsFurther) {
  for (const double before : {0.0, 0.1, 0.7, 3.0}) {
    for (const double with : {0.0, 0.1, 0.5, 4.0}) {
      const auto a = Pure::of(before), b = Pure::of(with);
      EXPECT_EQ(Pure::in_sequence(a, Pure::further(a, b)), Pure::in_parallel(a, b));
    }
  }
}

TEST(Budget, IsNeverOverspent) {
  Budget<Pure> budget(Neighbours::kSubstitute, Pure::of(1));
  EXPECT_TRUE(budget.charge(Pure::of(0.5)));
  EXPECT_FALSE(budget.charge(Pure::of(0.3), true));  // twice 0.3
  EXPECT_EQ(budget.spent(), 0.5);
  EXPECT_TRUE(budget.charge(Pure::of(0.25), true));  // all that is left
  EXPECT_EQ(budget.spent(), 1);
  EXPECT_FALSE(budget.charge(Pure::of(5e-324)));
  EXPECT_TRUE(budget.charge(Pure::none()));
  EXPECT_EQ(budget.spent(), 1);
}

TEST(Budget, ARefinedAnswerCostsItsFinestLevel) {
  Budget<Pure> budget(Neighbours::kAddRemove, Pure::of(2));
  const double levels[] = {0.5, 0.25, 1.5, 1.0};
  mpq_class so_far = Pure::none();
  for (const double level : levels) {
    EXPECT_TRUE(budget.refine(so_far, Pure::of(level), true));
    so_far = Pure::in_parallel(so_far, Pure::of(level));
    EXPECT_EQ(budget.spent(), so_far);
  }
  EXPECT_FALSE(budget.refine(so_far, Pure::of(2.5)));
  EXPECT_EQ(budget.spent(), 1.5);
}

TEST(Neighbours, HaveNames) {
  for (const Neighbours neighbours : {Neighbours::kSubstitute, Neighbours::kAddRemove}) {
    EXPECT_EQ(neighbours_named(name_of(neighbours)), neighbours);
  }
  EXPECT_EQ(name_of(Neighbours::kSubstitute), "substitute");
  EXPECT_EQ(name_of(Neighbours::kAddRemove), "add_remove");
  EXPECT_FALSE(neighbours_named("Substitute"));
  EXPECT_FALSE(neighbours_named(""));
}

}  // namespace
}  // namespace idp::test

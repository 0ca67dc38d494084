#include <gtest/gtest.h>

#include "tests/support/fit.h"

namespace {

// The stated failure rate of the suite holds for kChecks checks at most.
class FailureBudget : public ::testing::Environment {
 public:
  void SetUp() override { idp::test::reset_checks(); }
  void TearDown() override { EXPECT_LE(idp::test::checks_made(), idp::test::kChecks); }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::AddGlobalTestEnvironment(new FailureBudget);
  return RUN_ALL_TESTS();
}

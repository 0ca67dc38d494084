#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/support/fit.h"

namespace {

namespace fs = std::filesystem;

// The stated failure rate of the suite holds for kChecks checks at most. When each test has a
// process of its own, IDP_CHECKS names a folder in which it leaves how many it made.
class FailureBudget : public ::testing::Environment {
 public:
  void SetUp() override { idp::test::reset_checks(); }
  void TearDown() override {
    EXPECT_LE(idp::test::checks_made(), idp::test::kChecks);
    const char* folder = std::getenv("IDP_CHECKS");
    if (folder == nullptr) return;
    fs::create_directories(folder);
    std::ofstream file(fs::path(folder) / std::to_string(getpid()));
    file << idp::test::checks_made() << std::endl;
    EXPECT_TRUE(file.good());
  }
};

// Whether all processes together made no more checks than that.
bool within_budget(const char* folder) {
  int sum = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    int checks = idp::test::kChecks + 1;
    std::ifstream(entry.path()) >> checks;
    sum += checks;
  }
  std::cout << sum << " checks of at most " << idp::test::kChecks << std::endl;
  return sum <= idp::test::kChecks;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--add-up") return within_budget(argv[2]) ? 0 : 1;
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::AddGlobalTestEnvironment(new FailureBudget);
  return RUN_ALL_TESTS();
}

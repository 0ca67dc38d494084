// Randomised response as it is drawn: three levels in any order, against the joint law.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/random/response.h"
#include "tests/statistical/checks.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

constexpr unsigned long kValues = 3;
constexpr std::array<double, 3> kEpsilons{0.5, 1, 2};

// Pr[V_coarse = y | V_fine = v], and with fine = infinite Pr[V = y | the value is v]
long double stays(unsigned long v, unsigned long y, double coarse, double fine) {
  const auto kept = [](long double epsilon) {
    return std::isinf(epsilon) ? 1 : std::expm1(epsilon) / (std::exp(epsilon) + kValues - 1);
  };
  const long double s = kept(coarse) / kept(fine);
  return (1 - s) / kValues + (v == y ? s : 0);
}

using Order = std::array<std::size_t, 3>;
using Released = std::vector<std::pair<std::size_t, Response>>;  // level, response; ascending

// What next_response() says, kept: a law is drawn from many times.
class Laws {
 public:
  Response draw(const Released& released, std::size_t level, BitSource& bits) {
    auto at = laws_.find({released, level});
    if (at == laws_.end()) {
      std::vector<ResponseLevel> levels;
      for (const auto& [i, response] : released) levels.push_back({rate(i), response});
      at = laws_.emplace(std::pair(released, level), next_response(1, kValues, levels, rate(level)))
               .first;
    }
    return draw_response(at->second, bits);
  }

 private:
  static Rate rate(std::size_t level) { return Rate::of(kEpsilons[level], 1); }

  std::map<std::pair<Released, std::size_t>, ResponseLaw> laws_;
};

Verdict check_order(const Order& order, std::int64_t draws, bool independent) {
  OsBits bits;
  Laws laws;
  std::vector<Cell> cells;
  for (std::size_t cell = 0; cell < 27; ++cell) {
    const std::array<unsigned long, 3> v{cell / 9, cell / 3 % 3, cell % 3};
    cells.push_back(
        {stays(1, v[2], kEpsilons[2], HUGE_VAL) * stays(v[2], v[1], kEpsilons[1], kEpsilons[2]) *
             stays(v[1], v[0], kEpsilons[0], kEpsilons[1]),
         0});
  }
  for (std::int64_t i = 0; i < draws; ++i) {
    Released released;
    std::array<Response, 3> v{};
    for (const std::size_t level : order) {
      v[level] = laws.draw(released, level, bits);
      if (independent) continue;
      released.emplace_back(level, v[level]);
      std::sort(released.begin(), released.end());
    }
    ++cells[v[0] * 9 + v[1] * 3 + v[2]].observed;
  }
  return judge_cells(cells);
}

TEST(Response, ThreeLevelsInAnyOrder) {
  Order order{0, 1, 2};
  do {
    const Verdict verdict = check_order(order, kDraws, false);
    EXPECT_FALSE(verdict.rejected) << verdict.why;
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Response, IndependentAnswersAreRejected) {
  EXPECT_TRUE(check_order({0, 1, 2}, kFewDraws, true).rejected);
}

}  // namespace
}  // namespace idp::test

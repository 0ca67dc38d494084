// What the process promises, from its exact law: privacy, accuracy, and the continuous process of
// the paper as its limit.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/gradual_law.h"

namespace idp::test {
namespace {

using Real = long double;

// Theorem 12.1: the answers up to a level are as private as that level. Joint laws of three levels,
// with the noise moved by each distance up to the sensitivity.
TEST(GradualPromise, ThePrefixesArePrivate) {
  const Real epsilon[] = {0.5L, 1, 3};
  const long reach = 10;
  for (const long sensitivity : {1l, 2l}) {
    const auto n = static_cast<Real>(sensitivity);
    const Step<Real> upper = step_of(epsilon[0] / n, epsilon[1] / n);
    const Step<Real> lower = step_of(epsilon[1] / n, epsilon[2] / n);
    const auto pair = [&](long x, long y) { return upper.coarse.laplace(x) * upper.relax(x, y); };
    Real worst_pair = 0, worst_triple = 0;
    for (long move = 1; move <= sensitivity; ++move) {
      for (long x = -reach; x <= reach; ++x) {
        for (long y = -reach; y <= reach; ++y) {
          const Real here = pair(x, y), there = pair(x + move, y + move);
          worst_pair = std::max(worst_pair, std::abs(std::log(here / there)));
          for (long z = -reach; z <= reach; ++z) {
            const Real ratio = here * lower.relax(y, z) / (there * lower.relax(y + move, z + move));
            worst_triple = std::max(worst_triple, std::abs(std::log(ratio)));
          }
        }
      }
    }
    EXPECT_NEAR(worst_pair, epsilon[1], 1e-12L);
    EXPECT_NEAR(worst_triple, epsilon[2], 1e-12L);
  }
}

// Cov(V_coarse, V_fine) = Var V_fine: the fine noise and what was added to it are uncorrelated. So
// of all averages of a chain the last answer alone is the most accurate.
TEST(GradualPromise, NoAverageBeatsTheLastAnswer) {
  const Real lambda[] = {0.5L, 1, 3};
  const long reach = 90;
  Real covariance[3][3];
  for (int i = 0; i < 3; ++i) {
    covariance[i][i] = ratio_of(lambda[i]).variance();
    for (int j = 0; j < i; ++j) {
      const Step<Real> step = step_of(lambda[j], lambda[i]);
      Real sum = 0;
      for (long x = -reach; x <= reach; ++x) {
        for (long y = -reach; y <= reach; ++y) {
          sum += static_cast<Real>(x * y) * step.coarse.laplace(x) * step.relax(x, y);
        }
      }
      EXPECT_NEAR(sum, covariance[i][i], 1e-12L);
      covariance[i][j] = covariance[j][i] = sum;
    }
  }
  for (int a = -10; a <= 20; ++a) {
    for (int b = -10; b <= 20; ++b) {
      const Real weight[] = {a / 10.0L, b / 10.0L, (10 - a - b) / 10.0L};
      Real variance = 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) variance += weight[i] * weight[j] * covariance[i][j];
      }
      EXPECT_GE(variance, covariance[2][2] - 1e-12L);
      if (a != 0 || b != 0) {
        EXPECT_GT(variance, covariance[2][2]);
      }
    }
  }
}

// Delta = 10^6 steps to the unit: densities are probabilities times Delta.
constexpr Real kDelta = 1e6L;
constexpr Real kClose = 1e-5L;

struct Limit {
  Real e1, e2;
  Step<Real> step = step_of(e1 / kDelta, e2 / kDelta);
};
const Limit kLimits[] = {{0.5L, 1}, {1, 3}, {0.1L, 0.11L}, {1, 1.5L}};

long on_grid(Real x) { return std::lroundl(x * kDelta); }

TEST(GradualLimit, Equation20TheJointLaw) {
  for (const auto& [e1, e2, step] : kLimits) {
    for (const Real x : {-3.0L, -0.5L, 0.0L, 0.5L, 2.0L}) {
      for (const Real y : {-2.0L, 0.25L, 1.0L}) {
        const Real density = e1 * (e2 * e2 - e1 * e1) / (4 * e2) *
                             std::exp(-e1 * std::abs(x - y) - e2 * std::abs(y));
        const long i = on_grid(x), j = on_grid(y);
        EXPECT_NEAR(step.fine.laplace(j) * step.tighten(i - j) * kDelta * kDelta, density, kClose);
      }
      const Real mass = e1 * e1 / (2 * e2) * std::exp(-e2 * std::abs(x));
      EXPECT_NEAR(step.fine.laplace(on_grid(x)) * step.tighten(0) * kDelta, mass, kClose);
    }
  }
}

TEST(GradualLimit, Equation25Relax) {
  for (const auto& [e1, e2, step] : kLimits) {
    for (const Real x : {-3.0L, -0.5L, 0.0L, 0.5L, 2.0L}) {
      for (const Real y : {-2.0L, 0.25L, 1.0L}) {
        const Real density = (e2 * e2 - e1 * e1) / (2 * e2) *
                             std::exp(-e1 * std::abs(y - x) - e2 * std::abs(y) + e1 * std::abs(x));
        EXPECT_NEAR(step.relax(on_grid(x), on_grid(y)) * kDelta, density, kClose);
      }
      EXPECT_NEAR(step.relax(on_grid(x), on_grid(x)), e1 / e2 * std::exp(-(e2 - e1) * std::abs(x)),
                  kClose);
    }
  }
}

// The probabilities of the four cases of Algorithm 1, as sums of the pieces.
TEST(GradualLimit, Algorithm1) {
  for (const auto& [e1, e2, step] : kLimits) {
    const Real ends = 1 - step.coarse.q * step.fine.q;
    for (const Real x : {0.0L, 0.5L, 2.0L}) {
      const long i = on_grid(x);
      const Real stays = std::exp(-(e2 - e1) * x), up = (e2 - e1) / (2 * e2);
      EXPECT_NEAR(step.relax(i, i), e1 / e2 * stays, kClose);
      EXPECT_NEAR(step.relax(i, -1) / ends, up, kClose);
      EXPECT_NEAR(step.relax(i, i + 1) / ends, up * stays, kClose);
      EXPECT_NEAR((1 - power(step.gap.q, i)) * (1 - step.below()),
                  (e1 + e2) / (2 * e2) * (1 - stays), kClose);
    }
  }
}

TEST(GradualLimit, Equation28Tighten) {
  for (const auto& [e1, e2, step] : kLimits) {
    const Real lazy = e1 * e1 / (e2 * e2);
    EXPECT_NEAR(step.lazy(), lazy, kClose);
    EXPECT_NEAR(step.tighten(0), lazy, kClose);
    for (const Real b : {-3.0L, -0.5L, 0.1L, 0.5L, 2.0L}) {
      EXPECT_NEAR(step.tighten(on_grid(b)) * kDelta,
                  (1 - lazy) * e1 / 2 * std::exp(-e1 * std::abs(b)), kClose);
    }
  }
}

}  // namespace
}  // namespace idp::test

// The geometric draws that core/gradual/process.h makes, summed over everything they can give,
// against the closed forms, which gradual_law_test.cpp proves.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/gradual_law.h"

namespace idp::test {
namespace {

using Real = long double;
using LawOf = std::map<long, Real>;

// Levels for sums over truncated ranges; what is cut off is below 1e-16.
struct Levels {
  Real coarse, fine;
  long reach;
};
const Levels kLevels[] = {{0.5L, 1, 75}, {1, 3, 38},    {1, 1.001L, 38},
                          {2, 30, 20},   {2, 2.5L, 20}, {0.6L, 40, 62}};

// The process by definition: the joint law of the first clock that rang by the coarse level and the
// first that rang by the fine one.
Real first_clocks(const Step<Real>& step, long coarse, long fine) {
  if (fine > coarse) return 0;
  const Real before = power(step.fine.q, fine);
  if (fine == coarse) return before * step.coarse.rest;
  return before * step.coarse.q * step.gap.rest * step.coarse.geometric(coarse - fine - 1);
}

TEST(GradualDraws, ClocksGiveTheJointLaw) {
  for (const auto& [coarse, fine, reach] : kLevels) {
    if (reach > 20) continue;  // four sums
    const Step<Real> step = step_of(coarse, fine);
    std::map<std::pair<long, long>, Real> joint;
    for (long g1 = 0; g1 < reach; ++g1) {
      for (long g2 = 0; g2 <= g1; ++g2) {
        const Real left = first_clocks(step, g1, g2);
        for (long h1 = 0; h1 < reach; ++h1) {
          for (long h2 = 0; h2 <= h1; ++h2) {
            joint[{g1 - h1, g2 - h2}] += left * first_clocks(step, h1, h2);
          }
        }
      }
    }
    for (long x = -8; x <= 8; ++x) {
      for (long y = -8; y <= 8; ++y) {
        EXPECT_NEAR((joint[{x, y}]), step.fine.laplace(y) * step.tighten(x - y), 1e-15L);
      }
    }
  }
}

// (N - M)^+ for N geometric with ratio s and M with ratio r
LawOf excess(const Ratio<Real>& s, const Ratio<Real>& r, long reach) {
  LawOf law;
  for (long n = 0; n < reach; ++n) {
    for (long m = 0; m < n; ++m) law[n - m] += s.geometric(n) * r.geometric(m);
    law[0] += s.geometric(n) * power(r.q, n);
  }
  return law;
}

// the same in closed form; both = s r
Real excess_at(const Ratio<Real>& s, const Ratio<Real>& both, long i) {
  const Real none = s.rest / both.rest;
  return i == 0 ? none : (1 - none) * s.geometric(i - 1);
}

TEST(GradualDraws, TightenByGeometricDraws) {
  for (const auto& [coarse, fine, reach] : kLevels) {
    const Step<Real> step = step_of(coarse, fine);
    const LawOf one = excess(step.coarse, step.gap, reach);
    LawOf both;
    for (const auto& [i, p] : one) {
      EXPECT_NEAR(p, excess_at(step.coarse, step.fine, i), 1e-16L);
      for (const auto& [j, q] : one) both[i - j] += p * q;
    }
    for (long b = -15; b <= 15; ++b) EXPECT_NEAR(both[b], step.tighten(b), 1e-15L) << b;
  }
}

TEST(GradualDraws, RelaxByGeometricDraws) {
  for (const auto& [coarse, fine, reach] : kLevels) {
    const Step<Real> step = step_of(coarse, fine);
    const Ratio<Real> twice = ratio_of(2 * coarse);
    // min(limit, Geo(gap))
    const auto at_most = [&](long limit) {
      LawOf law;
      for (long m = 0; m < limit; ++m) law[m] = step.gap.geometric(m);
      law[limit] = power(step.gap.q, limit);
      return law;
    };
    for (const long x : {0l, 1l, 2l, 11l}) {
      LawOf relaxed;
      for (long j = 0; j < reach / 2; ++j) {
        for (const auto& [g, p] : at_most(x + j)) {
          for (const auto& [h, q] : at_most(j)) relaxed[g - h] += twice.geometric(j) * p * q;
        }
      }
      for (long y = -15; y <= 15; ++y) EXPECT_NEAR(relaxed[y], step.relax(x, y), 1e-15L) << x;
    }
  }
}

TEST(GradualDraws, BetweenByGeometricDraws) {
  const Real levels[][3] = {{0.5L, 1, 3}, {1, 1.5L, 1.6L}, {0.6L, 20, 40}, {1, 1.001L, 1.002L}};
  for (const auto& [a, middle, b] : levels) {
    const auto law = between_of(a, middle, b);
    const long reach = static_cast<long>(38 / a);
    LawOf increment, part;
    for (long i = 0; i <= reach; ++i) {
      increment[i] = excess_at(law.whole.coarse, law.whole.fine, i);
      part[i] = excess_at(law.upper.gap, law.whole.gap, i);
    }
    const Real q = law.whole.coarse.q, r = law.whole.gap.q;
    for (const long d : {0l, 1l, 2l, 10l}) {
      // j kept as the library keeps it: Bayes
      LawOf kept;
      Real total = 0, bayes = 0;
      for (long j = 0; j + d < reach; ++j) {
        kept[j] = increment[j] * power(q, j) * (d == 0 && j > 0 ? 1 - r : 1);
        total += kept[j];
        bayes += increment[j] * increment[j + d];
      }
      if (d > 0) {
        EXPECT_GE(total, 0.5L);
      }
      if (d == 0) {  // and the odds of the enclosures
        const Real gap = q - law.whole.fine.q;
        EXPECT_NEAR(kept[0] / (total - kept[0]), (1 - q * q) / (gap * gap),
                    1e-12L * (1 - q * q) / (gap * gap));
        for (long j = 1; j < 10; ++j) EXPECT_NEAR(kept[j + 1], kept[j] * q * q, 1e-16L);
      }
      LawOf found;
      Real tail = 1;  // Pr[part >= e]
      std::vector<Real> tails;
      for (long e = 0; e <= reach; ++e) {
        tails.push_back(tail);
        tail -= part[e];
      }
      const auto cut = [&](long i, long limit) {
        return i < limit ? part[i] : tails[static_cast<std::size_t>(limit)];
      };
      for (long j = 0; j + d < reach && j < 40; ++j) {
        EXPECT_NEAR(kept[j] / total, increment[j] * increment[j + d] / bayes, 1e-14L);
        for (long up = 0; up <= j + d; ++up) {
          for (long down = 0; down <= j; ++down) {
            found[up - down] += kept[j] / total * cut(up, j + d) * cut(down, j);
          }
        }
      }
      for (long v = -8; v <= 12; ++v) EXPECT_NEAR(found[v], law(d, 0, v), 1e-13L) << d << ", " << v;
    }
  }
}

}  // namespace
}  // namespace idp::test

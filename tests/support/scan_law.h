// The scan of core/mechanism/clipping_bounds.h by its definition. Shares no code with the library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace idp::test {

using Real = long double;
using Counts = std::vector<std::int64_t>;

struct Rates {
  Real of_limit, of_counts;
};

// Pr[N = i] and Pr[N <= i] of discrete Laplace noise.
inline Real pmf(Real rate, long i) {
  const Real alpha = std::exp(-rate);
  return (1 - alpha) / (1 + alpha) * std::exp(-rate * static_cast<Real>(std::abs(i)));
}
inline Real cdf(Real rate, long i) {
  const Real alpha = std::exp(-rate);
  if (i < 0) return std::exp(rate * static_cast<Real>(i)) / (1 + alpha);
  return 1 - std::exp(-rate * static_cast<Real>(i + 1)) / (1 + alpha);
}

// The probabilities of its places. A rate of 0 for the limit stands for no noise at all.
inline std::vector<Real> scan_law(const Counts& counts, long limit, const Rates& rates,
                                  long reach = 80) {
  std::vector<Real> law(counts.size());
  for (long z = -reach; z <= reach; ++z) {
    Real passed = rates.of_limit == 0 ? (z == 0 ? 1 : 0) : pmf(rates.of_limit, z);
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const Real stops = j + 1 == counts.size()
                             ? 1
                             : cdf(rates.of_counts, limit + z - static_cast<long>(counts[j]));
      law[j] += passed * stops;
      passed *= 1 - stops;
    }
  }
  return law;
}

}  // namespace idp::test

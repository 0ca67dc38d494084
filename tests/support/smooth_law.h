// Smooth sensitivity and its mechanism by definition: sensitivities over every pair of ranks, the
// law of the noise in closed form, the probability of every answer. Shares no code with the
// library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/support/brute_force.h"
#include "tests/support/exponential_law.h"

namespace idp::test {

using Real = long double;

// The value of a rank, with the bounds beyond the ends. Data are sorted.
inline std::int64_t brute_value(const Data& data, std::int64_t rank, std::int64_t lower,
                                std::int64_t upper) {
  if (rank < 1) return lower;
  if (rank > static_cast<std::int64_t>(data.size())) return upper;
  return data[static_cast<std::size_t>(rank - 1)];
}

// A_k of the paper: the greatest x_{r+t} - x_{r+t-k-1}, 0 <= t <= k+1.
inline std::int64_t brute_gap(const Data& data, std::int64_t rank, std::int64_t lower,
                              std::int64_t upper, std::int64_t k) {
  std::int64_t gap = 0;
  for (std::int64_t t = 0; t <= k + 1; ++t) {
    gap = std::max(gap, brute_value(data, rank + t, lower, upper) -
                            brute_value(data, rank + t - k - 1, lower, upper));
  }
  return gap;
}

// From k = n on the gap is the whole range.
inline Real brute_smooth(const Data& data, std::int64_t rank, std::int64_t lower,
                         std::int64_t upper, Real beta) {
  Real s = 0;
  for (std::int64_t k = 0; k <= static_cast<std::int64_t>(data.size()); ++k) {
    s = std::max(s, static_cast<Real>(brute_gap(data, rank, lower, upper, k)) *
                        std::exp(-beta * static_cast<Real>(k)));
  }
  return s;
}

// The integral of 1/(1 + u^gamma) from 0 to z, and to infinity.
inline Real heavy_integral(int gamma, Real z) {
  const Real pi = std::numbers::pi_v<Real>;
  const Real r2 = std::numbers::sqrt2_v<Real>, r3 = std::numbers::sqrt3_v<Real>;
  if (gamma == 2) return std::atan(z);
  if (gamma == 3) {
    return std::log((1 + z) * (1 + z) / (z * z - z + 1)) / 6 + std::atan((2 * z - 1) / r3) / r3 +
           pi / (6 * r3);
  }
  return std::log((z * z + r2 * z + 1) / (z * z - r2 * z + 1)) / (4 * r2) +
         (std::atan(r2 * z + 1) + std::atan(r2 * z - 1)) / (2 * r2);
}
inline Real heavy_total(int gamma) {
  const Real pi = std::numbers::pi_v<Real>;
  if (gamma == 2) return pi / 2;
  return gamma == 3 ? 2 * pi / (3 * std::numbers::sqrt3_v<Real>)
                    : pi / (2 * std::numbers::sqrt2_v<Real>);
}

// Pr[Z > z] for z >= 0; far out from the series of 1/(u^gamma (1 + u^-gamma)), where nothing
// cancels.
inline Real heavy_tail(int gamma, Real z) {
  if (z < 2) return (1 - heavy_integral(gamma, z) / heavy_total(gamma)) / 2;
  Real sum = 0;
  for (int m = 0; m < 40; ++m) {
    const auto power = static_cast<Real>(gamma * (m + 1) - 1);
    sum += (m % 2 == 0 ? 1 : -1) * std::pow(z, -power) / power;
  }
  return sum / heavy_total(gamma) / 2;
}

// Pr[low < Z <= high]
inline Real heavy_between(int gamma, Real low, Real high) {
  if (low >= 0) return heavy_tail(gamma, low) - heavy_tail(gamma, high);
  if (high <= 0) return heavy_tail(gamma, -high) - heavy_tail(gamma, -low);
  return 1 - heavy_tail(gamma, -low) - heavy_tail(gamma, high);
}

// at + scale Z, rounded to the nearest integer, clamped.
inline Law heavy_law(std::int64_t at, Real scale, int gamma, std::int64_t lower,
                     std::int64_t upper) {
  if (scale == 0) {
    Law law(static_cast<std::size_t>(upper - lower + 1), 0);
    law[static_cast<std::size_t>(at - lower)] = 1;
    return law;
  }
  Law law;
  const Real infinity = std::numeric_limits<Real>::infinity();
  for (std::int64_t y = lower; y <= upper; ++y) {
    const auto off = static_cast<Real>(y - at);
    law.push_back(heavy_between(gamma, y == lower ? -infinity : (off - 0.5L) / scale,
                                y == upper ? infinity : (off + 0.5L) / scale));
  }
  return law;
}

// at + discrete Laplace noise of ratio exp(-rate), clamped.
inline Law laplace_law(std::int64_t at, Real rate, std::int64_t lower, std::int64_t upper) {
  const Real alpha = std::exp(-rate);
  Law law;
  for (std::int64_t y = lower; y <= upper; ++y) {
    const auto off = static_cast<Real>(std::abs(y - at));
    const Real from =
        std::pow(alpha, off) / (1 + alpha);  // the probability of |N| >= off, one side
    if (lower == upper) {
      law.push_back(1);
    } else if (y == lower || y == upper) {
      law.push_back(off == 0 ? 1 / (1 + alpha) : from);
    } else {
      law.push_back(from * (1 - alpha));
    }
  }
  return law;
}

// f of data of any size: the value of a rank by the spec, or the middle. Data are sorted.
inline std::int64_t brute_rank_or_none(const Spec& spec, const Data& data) {
  return data.empty() ? 0 : brute_rank(spec, static_cast<std::int64_t>(data.size()));
}
inline std::int64_t brute_answer(const Spec& spec, const Data& data, std::int64_t lower,
                                 std::int64_t upper) {
  if (data.empty())
    return static_cast<std::int64_t>(std::floor(static_cast<Real>(lower + upper) / 2));
  return brute_value(data, brute_rank_or_none(spec, data), lower, upper);
}

inline Law smooth_law(const Spec& spec, const Data& data, std::int64_t lower, std::int64_t upper,
                      Real epsilon, int gamma) {
  const auto g = static_cast<Real>(gamma);
  const Real s = brute_smooth(data, brute_rank_or_none(spec, data), lower, upper, epsilon / g);
  return heavy_law(brute_answer(spec, data, lower, upper), 4 * g * s / epsilon, gamma, lower,
                   upper);
}

// Specs of the statistics there are: medians, quantiles, the greatest.
inline std::vector<Spec> smooth_specs() {
  std::vector<Spec> all{private_quantile<Key64>(Statistic::kPrivateMedian, 0.5, 0, 0),
                        private_quantile<Key64>(Statistic::kPrivateMax, 0, 0, 0)};
  for (const double fraction : {0.0, 0.1, 0.25, 1.0 / 3, 0.6, 2.0 / 3, 0.75, 0.9, 1.0}) {
    all.push_back(private_quantile<Key64>(Statistic::kPrivateQuantile, fraction, 0, 0));
  }
  return all;
}

}  // namespace idp::test

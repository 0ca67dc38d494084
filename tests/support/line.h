// Cells of the integers for laws that are discrete Laplace, with or without a point mass at 0.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/support/gradual_law.h"

namespace idp::test {

// The line cut into {0}, k cells of width 2^s on either side, and what is beyond.
class Line {
 public:
  // Cells of about the scale 1/lambda over `cells_per_scale`, a power of two.
  Line(long double lambda, int cells_per_scale, long reach)
      : exponent_(std::max(0, static_cast<int>(std::floor(-std::log2(
                                  lambda * static_cast<long double>(cells_per_scale)))))),
        reach_(reach) {}

  std::size_t size() const { return static_cast<std::size_t>(2 * reach_ + 1); }

  std::size_t index(const mpz_class& v) const {
    const mpz_class magnitude = abs(v);
    mpz_class cell;
    mpz_cdiv_q_2exp(cell.get_mpz_t(), magnitude.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent_));
    const long k = cell < reach_ ? cell.get_si() : reach_;
    return static_cast<std::size_t>(reach_ + (v < 0 ? -k : k));
  }

  // The masses of DL(exp(-lambda)), of which a share `lazy` is moved to 0.
  std::vector<long double> masses(long double lambda, long double lazy) const {
    const Ratio<long double> ratio = ratio_of(lambda);
    const long double width = std::ldexp(1.0L, exponent_);
    std::vector<long double> all;
    for (long k = -reach_; k <= reach_; ++k) {
      const auto before = static_cast<long double>(std::labs(k) - 1) * width;
      long double mass = ratio.rest / (1 + ratio.q);
      if (k != 0) {
        mass = std::exp(-lambda * (before + 1)) / (1 + ratio.q);
        if (std::labs(k) < reach_) mass *= -std::expm1(-lambda * width);
      }
      all.push_back((1 - lazy) * mass + (k == 0 ? lazy : 0));
    }
    return all;
  }

 private:
  int exponent_;
  long reach_;
};

}  // namespace idp::test

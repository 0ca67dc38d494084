#include "core/gradual/chain.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/gradual/process.h"
#include "core/random/discrete_laplace.h"

namespace idp {

namespace {

void require_level(double epsilon) {
  if (!std::isfinite(epsilon) || epsilon <= 0) {
    throw std::invalid_argument("epsilon must be positive and finite");
  }
}

}  // namespace

Chain::Chain(mpz_class sensitivity, std::vector<Level> levels)
    : sensitivity_(std::move(sensitivity)), levels_(std::move(levels)) {
  if (sensitivity_ < 0) throw std::invalid_argument("the sensitivity must not be negative");
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    require_level(levels_[i].epsilon);
    if (i > 0 && levels_[i - 1].epsilon >= levels_[i].epsilon) {
      throw std::invalid_argument("the levels of a chain must ascend");
    }
    if (sensitivity_ == 0 && levels_[i].noise != 0) {
      throw std::invalid_argument("a chain of sensitivity 0 has no noise");
    }
  }
}

mpz_class Chain::at(double epsilon, BitSource& source) {
  require_level(epsilon);
  const auto finer =
      std::lower_bound(levels_.begin(), levels_.end(), epsilon,
                       [](const Level& level, double e) { return level.epsilon < e; });
  if (finer != levels_.end() && finer->epsilon == epsilon) return finer->noise;

  mpz_class noise;
  if (sensitivity_ != 0) {
    const auto rate_of = [&](double e) { return Rate::of(e, sensitivity_); };
    const Rate rate = rate_of(epsilon);
    const bool has_finer = finer != levels_.end(), has_coarser = finer != levels_.begin();
    if (has_finer && has_coarser) {
      const Level& coarser = *(finer - 1);
      noise = between(coarser.noise, finer->noise, rate_of(coarser.epsilon), rate,
                      rate_of(finer->epsilon), source);
    } else if (has_finer) {
      noise = tighten(finer->noise, rate, rate_of(finer->epsilon), source);
    } else if (has_coarser) {
      const Level& coarser = *(finer - 1);
      noise = relax(coarser.noise, rate_of(coarser.epsilon), rate, source);
    } else {
      noise = discrete_laplace(rate, source);
    }
  }
  levels_.insert(finer, {epsilon, noise});
  return noise;
}

}  // namespace idp

#include "core/gradual/chain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/gradual/process.h"

namespace idp {

namespace {

void require_positive(const Rate& rate) {
  if (rate.numerator <= 0 || rate.denominator <= 0) {
    throw std::invalid_argument("the rate of a level must be positive");
  }
}

}  // namespace

Chain::Chain(std::vector<Level> levels) : levels_(std::move(levels)) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    require_positive(levels_[i].rate);
    if (i > 0 && levels_[i - 1].rate >= levels_[i].rate) {
      throw std::invalid_argument("the levels of a chain must ascend");
    }
  }
}

mpz_class Chain::at(const Rate& rate, BitSource& source) {
  require_positive(rate);
  const auto finer =
      std::lower_bound(levels_.begin(), levels_.end(), rate,
                       [](const Level& level, const Rate& r) { return level.rate < r; });
  const bool has_finer = finer != levels_.end(), has_coarser = finer != levels_.begin();
  if (has_finer && finer->rate == rate) return finer->noise;

  mpz_class noise;
  if (has_finer && has_coarser) {
    const Level& coarser = *(finer - 1);
    noise = between(coarser.noise, finer->noise, coarser.rate, rate, finer->rate, source);
  } else if (has_finer) {
    noise = tighten(finer->noise, rate, finer->rate, source);
  } else if (has_coarser) {
    const Level& coarser = *(finer - 1);
    noise = relax(coarser.noise, coarser.rate, rate, source);
  } else {
    noise = discrete_laplace(rate, source);
  }
  levels_.insert(finer, {rate, noise});
  return noise;
}

}  // namespace idp

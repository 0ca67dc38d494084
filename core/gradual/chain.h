// A chain: the noise of one value at every level of privacy it was released at.
//
// A level is the rate of its noise (core/random/discrete_laplace.h): with one sensitivity
// epsilon/Delta, with several the least of the epsilon_j/Delta_j. Where a new level falls decides
// how its noise is drawn, each time exactly given what is there (core/gradual/process.h): the first
// one is discrete Laplace; beyond the finest is relax, below the coarsest tighten, in the middle
// between. A level that is there is repeated, and takes no randomness. So the joint law of the
// levels is the same in whatever order they were asked for, and the answers together are as private
// as the finest alone.
//
// That holds as long as the value, the sensitivity and the grid are those of the first release:
// noise of a chain on changed data would publish the exact difference. Whoever can read the noise
// can read the true value.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <vector>

#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"

namespace idp {

struct Level {
  Rate rate;
  mpz_class noise;  // in units of the grid

  bool operator==(const Level&) const = default;
};

class Chain {
 public:
  // A new chain, or one that was stored. Throws std::invalid_argument, with a message that holds no
  // number, for a rate that is not positive or levels that do not ascend strictly.
  explicit Chain(std::vector<Level> levels = {});

  // The noise at a level, drawn if it is new; rates are compared as the numbers they are. Throws
  // std::invalid_argument for a rate that is not positive, and passes on what the source throws;
  // the chain is then unchanged.
  mpz_class at(const Rate& rate, BitSource& source);

  // From coarse to fine.
  const std::vector<Level>& levels() const { return levels_; }

 private:
  std::vector<Level> levels_;
};

}  // namespace idp

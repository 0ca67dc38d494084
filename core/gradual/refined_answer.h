// An answer that can be asked for again at other epsilons (core/gradual/release.h): what was frozen
// and the noise of the levels so far, in memory. To keep it, core/gradual/record.h.
#pragma once

#include "core/no_postgres.h"

#include <span>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/gradual/release.h"

namespace idp {

class RefinedAnswer {
 public:
  // What freeze() made of that spec.
  RefinedAnswer(const Spec& spec, Frozen frozen) : spec_(spec), frozen_(std::move(frozen)) {}

  // The answer at these epsilons, one for each group size of the spec: the same whenever it is
  // asked for. All answers together cost the greatest epsilon. Throws as noise_at() does.
  Answer at(std::span<const double> epsilons, BitSource& bits, StopCheck stop = nullptr);
  Answer at(double epsilon, BitSource& bits, StopCheck stop = nullptr) {
    return at({&epsilon, 1}, bits, stop);
  }

  const std::vector<ReleasedLevel>& levels() const { return levels_; }

 private:
  Spec spec_;
  Frozen frozen_;
  std::vector<ReleasedLevel> levels_;
};

}  // namespace idp

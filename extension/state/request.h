// A request: what one aggregate call asks for, from its arguments alone.
#pragma once

#include "extension/pg/pg.h"

#include <span>

#include "core/aggregate/spec.h"

namespace idp {

// What the arguments say: the spec, and all epsilons if there are several.
struct Request {
  Spec spec;
  double epsilons[kMaxGroup] = {};  // the first spec.groups of them

  std::span<const double> epsilon_span() const { return {epsilons, spec.groups}; }
  friend bool operator==(const Request&, const Request&) = default;
};

}  // namespace idp

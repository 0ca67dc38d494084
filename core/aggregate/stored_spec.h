// A spec as it is kept: in a state (payload.h), and with its bytes in network order in whatever
// travels or is stored (spec_wire.h). It goes with the state, so that whoever finishes the
// aggregate (the leader of a parallel plan, another server) knows everything.
//
// The layout is that of states in tables: it stays as it is, whatever becomes of Spec.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>

#include "core/aggregate/spec.h"

namespace idp {

struct StoredSpec {
  Statistic statistic = Statistic::kNone;
  std::uint8_t groups = 1;
  Grid grid{};
  double epsilon = 0;
  double fraction = 0;      // fraction or delta, likewise
  std::int64_t number = 0;  // k, buckets or gamma, whichever the statistic has; 0 if it has none
  Key128 lower{0, 0};
  Key128 upper{0, 0};

  StoredSpec() = default;
  StoredSpec(const Spec& spec);
  Spec to_spec() const;

  friend bool operator==(const StoredSpec&, const StoredSpec&) = default;
};
static_assert(offsetof(StoredSpec, grid) == 2 && offsetof(StoredSpec, epsilon) == 8 &&
              offsetof(StoredSpec, number) == 24 && offsetof(StoredSpec, upper) == 48 &&
              sizeof(StoredSpec) == 64);

}  // namespace idp

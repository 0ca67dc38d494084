// The epsilon-DP order statistics of a column: the exponential mechanism on its public grid.
#pragma once

#include "core/no_postgres.h"

#include <memory_resource>

#include "core/accumulator/spec.h"
#include "core/random/bit_source.h"
#include "core/select/stop.h"
#include "core/select/values.h"

namespace idp {

// An answer between the bounds of the spec, whatever the data: see exponential_quantile.h for its
// distribution and why it is epsilon-DP. Putting values on the grid and clamping them to public
// bounds happens before the mechanism, record by record, so neighbours stay neighbours.
// reach as in exponential_quantile().
template <class Key>
Key release_private_quantile(const Spec& spec, const Values<Key>& values,
                             std::pmr::memory_resource* memory, StopCheck stop, BitSource& bits,
                             std::int64_t reach = 0);

}  // namespace idp

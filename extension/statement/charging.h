// Charging the private calls of a query that have no release name, when it starts.
#pragma once

#include "extension/state/query.h"

namespace idp {

// All together or none: reports an error if a budget does not suffice. Durable when it returns.
void charge_unnamed(const Query& query);

}  // namespace idp

// Calls with the name of a release whose answers cannot be refined, and so are not kept.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/spec.h"

namespace idp {

// Refuses one, and says which aggregate answers the same question in a way that can be refined.
// name: of the aggregate.
[[noreturn]] void refuse_release_name(Statistic statistic, const char* name);

}  // namespace idp

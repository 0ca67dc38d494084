// What transition and final functions share.
#pragma once

#include "extension/pg.h"

namespace idp {

// The memory context of the aggregate this function was called for; an error if it was called
// otherwise, or for a window.
MemoryContext aggregate_context(FunctionCallInfo fcinfo);

// Reports that a state does not belong to the function it was given to.
[[noreturn]] void refuse_foreign_state();

}  // namespace idp

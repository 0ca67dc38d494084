// What transition and final functions share.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The memory context of the aggregate this function was called for; an error if it was called
// otherwise, or for a window.
MemoryContext aggregate_context(FunctionCallInfo fcinfo);

// Whether a function is the combine function, or one of the final functions.
bool is_combine_function(PGFunction function);
bool is_final_function(PGFunction function);

// Reports that a state does not belong to the function it was given to.
[[noreturn]] void refuse_foreign_state();

}  // namespace idp

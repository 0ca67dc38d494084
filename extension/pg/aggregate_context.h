// The aggregate that a C function was called for.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Its memory context; an error if the function was called otherwise, or for a window.
MemoryContext aggregate_context(FunctionCallInfo fcinfo);

}  // namespace idp

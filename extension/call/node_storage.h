// The storage of an aggregate node, from a call of one of its functions.
#pragma once

#include "extension/pg/pg.h"

#include "extension/state/storage.h"

namespace idp {

// Makes it if there is none yet.
NodeStorage* node_storage(FunctionCallInfo fcinfo);

}  // namespace idp

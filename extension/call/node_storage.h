// Where the states of the aggregate node live that a function is called for.
#pragma once

#include "extension/pg/pg.h"

#include "extension/state/storage.h"

namespace idp {

NodeStorage* node_storage(FunctionCallInfo fcinfo);

}  // namespace idp

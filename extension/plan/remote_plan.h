// The plan of RemoteRows (extension/distribute/remote_rows.h), as those read it who walk plans: a
// scan of one table, whose rows come from other servers.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/extensible.h"
}

namespace idp {

// The methods by which a plan knows the node. distribute/remote_rows.cpp fills them in.
extern CustomScanMethods remote_rows_methods;

// Whether a node of a plan is ours.
bool is_remote_rows(const Plan* plan);

}  // namespace idp

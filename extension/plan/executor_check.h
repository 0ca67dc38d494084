// Checks the arguments of every private aggregate of a query when its execution starts.
#pragma once

namespace idp {

// Installs the check; called once when the module is loaded. The module is loaded at the latest
// while the first query that uses one of its aggregates is planned, because the planner reads their
// initial state: so the check sees every execution.
void install_executor_check();

}  // namespace idp

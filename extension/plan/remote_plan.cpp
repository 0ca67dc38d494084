#include "extension/plan/remote_plan.h"

#include "extension/pg/nodes.h"

namespace idp {

CustomScanMethods remote_rows_methods = {"RemoteRows", nullptr};

bool is_remote_rows(const Plan* plan) {
  return IsA(plan, CustomScan) && as<CustomScan>(plan)->methods == &remote_rows_methods;
}

}  // namespace idp

#include "extension/distribute/shipped.h"

#include <initializer_list>

#include "extension/budget/account.h"
#include "extension/distribute/native_query.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/nodes.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/sources.h"

extern "C" {
#include "nodes/extensible.h"
}

namespace idp {

namespace {

// By its state, which is of our type also in an aggregate that somebody made of our functions.
bool find_private_call(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) {
    const auto* aggref = as<Aggref>(node);
    if (is_own_type(aggref->aggtranstype) || is_own_function(aggref->aggfnoid)) return true;
  }
  return walk_expression(node, find_private_call, context);
}

bool has_private_call(std::initializer_list<List*> expressions) {
  for (List* list : expressions) {
    if (find_private_call(as<Node>(list), nullptr)) return true;
  }
  return false;
}

}  // namespace

bool may_ship_calls(const Plan* plan) {
  if (IsA(plan, ForeignScan)) {
    const auto* scan = as<ForeignScan>(plan);
    return has_private_call({plan->targetlist, plan->qual, scan->fdw_scan_tlist, scan->fdw_exprs,
                             scan->fdw_recheck_quals});
  }
  if (IsA(plan, CustomScan) && !is_answers(plan)) {
    const auto* scan = as<CustomScan>(plan);
    const bool is_opaque = scan->scan.scanrelid == 0 && scan->custom_plans == NIL;
    return (is_opaque && !is_marked_native(scan)) ||
           has_private_call(
               {plan->targetlist, plan->qual, scan->custom_scan_tlist, scan->custom_exprs});
  }
  return false;
}

void refuse_shipped_calls(const Plan* plan, EState* state) {
  List* accounts = accounts_of_all(tables_of_query(state));
  if (accounts == NIL) return;
  const char* table = static_cast<const Account*>(linitial(accounts))->name;
  if (IsA(plan, ForeignScan)) {
    ereport(
        ERROR,
        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
         errmsg("private answers about protected table \"%s\" cannot be computed by a foreign "
                "server",
                table),
         errdetail("They would not be charged to its budget."),
         errhint("SET enable_partitionwise_aggregate = off, and ask for partitions that are not "
                 "foreign tables.")));
  }
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("queries of protected table \"%s\" cannot be computed by custom scan \"%s\"",
                  table, as<CustomScan>(plan)->methods->CustomName),
           errdetail("Private answers among them could not be seen, and would not be charged."),
           errhint("Keep the table in one server, or have its owner end its protection.")));
}

}  // namespace idp

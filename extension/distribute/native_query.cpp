#include "extension/distribute/native_query.h"

#include "extension/distribute/bounded_sums.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/node_rules.h"

extern "C" {
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "nodes/nodeFuncs.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

// A bit of CustomScan::flags that the server has no use for.
constexpr uint32 kIsNative = 1u << 31;

bool is_ours(Oid function, void*) {
  return function >= FirstNormalObjectId && is_own_function(function) && !is_bounding(function);
}

bool is_made_of_ours(Oid aggregate) {
  HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
  if (!HeapTupleIsValid(tuple)) return true;
  const auto* row = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(tuple));
  const bool any = is_own_type(row->aggtranstype) || is_ours(row->aggtransfn, nullptr) ||
                   is_ours(row->aggfinalfn, nullptr) || is_ours(row->aggcombinefn, nullptr);
  ReleaseSysCache(tuple);
  return any;
}

bool is_number_of_function(Oid type) {
  return type == OIDOID || type == REGPROCOID || type == REGPROCEDUREOID;
}

// As worker_partial_agg of Citus is told which aggregate it is part of.
bool may_call_ours(const Aggref* aggref) {
  if (aggref->aggfnoid < FirstNormalObjectId) return false;
  for (const Oid oid : oids(aggref->aggargtypes)) {
    if (is_number_of_function(oid)) return true;
  }
  return is_made_of_ours(aggref->aggfnoid);
}

bool find_call(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_call, context);
  if (IsA(node, Aggref) && may_call_ours(as<Aggref>(node))) return true;
  return check_functions_in_node(node, is_ours, nullptr) ||
         walk_expression(node, find_call, context);
}

void mark(Plan* plan) {
  if (plan == nullptr) return;
  check_stack_depth();
  if (IsA(plan, CustomScan)) as<CustomScan>(plan)->flags |= kIsNative;
  mark(plan->lefttree);
  mark(plan->righttree);
  for (auto* each : list<Plan>(further_plans(plan))) mark(each);
}

}  // namespace

bool is_native(Query* query) { return !find_call(as<Node>(query), nullptr); }

void mark_native(PlannedStmt* plan) {
  mark(plan->planTree);
  for (auto* each : list<Plan>(plan->subplans)) mark(each);
}

bool is_marked_native(const CustomScan* scan) { return (scan->flags & kIsNative) != 0; }

}  // namespace idp

#include "extension/plan/gate.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/node_rules.h"
#include "extension/state/running_query.h"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

constexpr char kName[] = "approved";

bool has_gate(const List* conditions) {
  for (const auto* node : list<Node>(conditions)) {
    if (is_gate(node)) return true;
  }
  return false;
}

bool find_gate(Node* node, void*) {
  if (node == nullptr) return false;
  return is_gate(node) || walk_expression(node, find_gate, nullptr);
}

// How often it is named, and how often by policies.
struct Named {
  int all = 0;
  int by_policies = 0;
};

int count_gates(Node* expression);

bool count_named(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* named = static_cast<Named*>(context);
  if (IsA(node, FuncExpr)) named->all += is_gate(node);
  if (!IsA(node, Query)) return walk_expression(node, count_named, context);
  auto* query = as<Query>(node);
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    named->by_policies += count_gates(as<Node>(entry->securityQuals));
  }
  named->by_policies += count_gates(as<Node>(query->withCheckOptions));
  return walk_query(query, count_named, context);
}

// Policies may have subqueries, and these policies of their own: those are counted with them.
int count_gates(Node* expression) {
  Named named;
  (void)count_named(expression, &named);
  return named.all - named.by_policies;
}

bool is_for_all(const RowSecurityPolicy* policy) {
  return policy->polcmd == '*' &&
         *reinterpret_cast<const Oid*>(ARR_DATA_PTR(policy->roles)) == ACL_ID_PUBLIC;
}

}  // namespace

Oid gate_function() { return own_function(kName); }

bool is_gate(const Node* condition) {
  if (is_orclause(condition)) return has_gate(as<BoolExpr>(condition)->args);
  if (!IsA(condition, FuncExpr)) return false;
  const Oid function = as<FuncExpr>(condition)->funcid;
  if (function < FirstNormalObjectId) return false;
  const char* name = get_func_name(function);
  return name != nullptr && strcmp(name, kName) == 0 && function == gate_function();
}

bool has_written_gate(Query* query) { return count_gates(as<Node>(query)) > 0; }

bool has_gate(const Plan* scan) {
  return list_length(conditions_besides_gates(scan)) != list_length(scan->qual);
}

bool is_gate_open(const PlanState* scan) {
  if (!has_gate(scan->plan)) return true;
  const RunningQuery* query = find_query(scan->state);
  return query != nullptr && list_member_ptr(query->open_scans, scan);
}

List* without_gates(const List* conditions) {
  List* others = NIL;
  for (auto* condition : list<Node>(conditions)) {
    // of a policy that is true for all rows the planner leaves nothing
    if (condition != nullptr && !is_gate(condition)) others = lappend(others, condition);
  }
  return others;
}

List* conditions_besides_gates(const Plan* plan) {
  return rule_of(plan).source == RowSource::kTable ? without_gates(plan->qual) : plan->qual;
}

bool contains_gate(Node* expression) { return find_gate(expression, nullptr); }

bool has_gate_policy(Oid table) {
  Relation catalog = table_open(PolicyRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_policy_polrelid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(table));
  SysScanDesc scan =
      systable_beginscan(catalog, PolicyPolrelidPolnameIndexId, true, nullptr, 1, &key);
  bool found = false;
  HeapTuple tuple;
  while (!found && HeapTupleIsValid(tuple = systable_getnext(scan))) {
    bool is_null = false;
    const Datum condition =
        heap_getattr(tuple, Anum_pg_policy_polqual, RelationGetDescr(catalog), &is_null);
    if (is_null) continue;
    found = contains_gate(static_cast<Node*>(stringToNode(TextDatumGetCString(condition))));
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return found;
}

bool any_gate_policy() {
  Relation catalog = table_open(DependRelationId, AccessShareLock);
  ScanKeyData keys[2];
  ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(ProcedureRelationId));
  ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(gate_function()));
  SysScanDesc scan = systable_beginscan(catalog, DependReferenceIndexId, true, nullptr, 2, keys);
  bool found = false;
  HeapTuple tuple;
  while (!found && HeapTupleIsValid(tuple = systable_getnext(scan))) {
    found = reinterpret_cast<Form_pg_depend>(GETSTRUCT(tuple))->classid == PolicyRelationId;
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return found;
}

bool shows_all_rows(Oid table) {
  Relation relation = try_relation_open(table, AccessShareLock);
  if (relation == nullptr) return false;  // dropped meanwhile
  bool any = false;
  bool gates_only = true;
  if (relation->rd_rsdesc != nullptr) {
    for (auto* policy : list<RowSecurityPolicy>(relation->rd_rsdesc->policies)) {
      const auto* condition = as<Node>(policy->qual);
      if (condition == nullptr) continue;
      if (policy->permissive) {
        any |= (is_constant_condition(condition, true) || is_gate(condition)) && is_for_all(policy);
      } else {
        gates_only &= is_gate(condition);
      }
    }
  }
  relation_close(relation, AccessShareLock);
  return any && gates_only;
}

}  // namespace idp

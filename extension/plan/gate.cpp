#include "extension/plan/gate.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/plan/node_rules.h"

extern "C" {
#include "access/relation.h"
#include "access/transam.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

constexpr char kName[] = "approved";

bool is_true(const Node* condition) {
  if (!IsA(condition, Const)) return false;
  const auto* constant = reinterpret_cast<const Const*>(condition);
  return !constant->constisnull && DatumGetBool(constant->constvalue);
}

bool is_for_all(const RowSecurityPolicy* policy) {
  return policy->polcmd == '*' &&
         *reinterpret_cast<const Oid*>(ARR_DATA_PTR(policy->roles)) == ACL_ID_PUBLIC;
}

}  // namespace

Oid gate_function() { return own_function(kName); }

bool is_gate(const Node* condition) {
  if (!IsA(condition, FuncExpr)) return false;
  const Oid function = reinterpret_cast<const FuncExpr*>(condition)->funcid;
  if (function < FirstNormalObjectId) return false;
  const char* name = get_func_name(function);
  return name != nullptr && strcmp(name, kName) == 0 && function == gate_function();
}

bool has_gate(const Plan* scan) {
  return list_length(conditions_besides_gates(scan)) != list_length(scan->qual);
}

List* conditions_besides_gates(const Plan* plan) {
  if (rule_of(plan).source != RowSource::kTable) return plan->qual;
  List* others = NIL;
  ListCell* cell;
  foreach (cell, plan->qual) {
    if (!is_gate(static_cast<const Node*>(lfirst(cell)))) others = lappend(others, lfirst(cell));
  }
  return others;
}

bool shows_all_rows(Oid table) {
  Relation relation = try_relation_open(table, AccessShareLock);
  if (relation == nullptr) return false;  // dropped meanwhile
  bool any = false;
  bool gates_only = true;
  ListCell* cell;
  if (relation->rd_rsdesc != nullptr) {
    foreach (cell, relation->rd_rsdesc->policies) {
      auto* policy = static_cast<RowSecurityPolicy*>(lfirst(cell));
      const auto* condition = reinterpret_cast<const Node*>(policy->qual);
      if (condition == nullptr) continue;
      if (policy->permissive) {
        any |= is_true(condition) && is_for_all(policy);
      } else {
        gates_only &= is_gate(condition);
      }
    }
  }
  relation_close(relation, AccessShareLock);
  return any && gates_only;
}

}  // namespace idp

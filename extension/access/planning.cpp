#include "extension/access/planning.h"

#include "extension/access/hidden.h"
#include "extension/plan/gate.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

bool find_gate(Node* node, void* context) {
  if (node == nullptr) return false;
  return is_gate(node) || walk_expression(node, find_gate, context);
}

bool has_gate(const RangeTblEntry* entry) {
  return find_gate(reinterpret_cast<Node*>(entry->securityQuals), nullptr);
}

}  // namespace

void gate_relation(PlannerInfo* root, RelOptInfo* relation, Oid table) {
  RangeTblEntry* entry = root->simple_rte_array[relation->relid];
  const bool is_gated = has_gate(entry);
  if (is_gated || hides_rows(table)) root->glob->dependsOnRole = true;
  if (is_gated || !is_hidden(table)) return;
  const Oid function = gate_function();
  if (!OidIsValid(function)) elog(ERROR, "function idp.approved() does not exist");
  auto* gate = makeFuncExpr(function, BOOLOID, NIL, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  // one list for each level of security: it is the first
  entry->securityQuals = lcons(list_make1(gate), entry->securityQuals);
  root->qual_security_level =
      Max(root->qual_security_level, static_cast<Index>(list_length(entry->securityQuals)));
}

}  // namespace idp

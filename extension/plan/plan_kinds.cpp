#include "extension/plan/plan_kinds.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/plan/node_rules.h"

namespace idp {

namespace {

constexpr Problem kSharedForms = {
    "a value of which there may be several equal ones that look different",
    "Bring values to one form before they are joined, x::numeric(12,2) for numbers, or SET "
    "enable_memoize = off.",
    "bring it to one form first, as x::numeric(12,2) does"};

// Whether some node computes columns of a value that it is handed over by those parameters.
bool shows(PlanState* node, const Bitmapset* parameters) {
  check_stack_depth();
  Bitmapset* shown = nullptr;
  add_parameters(as<Node>(node->plan->targetlist), &shown);
  if (bms_overlap(shown, parameters)) return true;
  bool any = false;
  for_each_child(node, [&](const Child& child) { any = any || shows(child.node, parameters); });
  return any;
}

// It keeps the rows of its inner side for values of parameters that are equal, unless it compares
// all of their bits: what is made of such a value may be made of another of its forms, which is
// that of another row.
bool shares_forms(PlanState* node) {
  const auto* plan = as<Memoize>(node->plan);
  if (plan->binary_mode) return false;
  Bitmapset* parameters = nullptr;
  for (auto* key : list<Node>(plan->param_exprs)) {
    int32 typmod = exprTypmod(key);
    const Oid type = getBaseTypeAndTypmod(exprType(key), &typmod);
    if (has_exact_equality(type, typmod, exprCollation(key))) continue;
    add_parameters(key, &parameters);
  }
  return !bms_is_empty(parameters) && shows(outerPlanState(node), parameters);
}

// ctes: of PlanState, those that were looked at.
const Problem* problem_of(PlanState* node, List** ctes) {
  check_stack_depth();
  const Plan* plan = node->plan;
  const NodeRule& rule = rule_of(plan);
  if (rule.effect == Effect::kUnknown) return rule.problem;
  if (const Problem* problem = problem_of_index(plan)) return problem;
  if (IsA(plan, Memoize) && shares_forms(node)) return &kSharedForms;
  const Problem* problem = nullptr;
  for_each_child(node, [&](const Child& child) {
    if (problem == nullptr) problem = problem_of(child.node, ctes);
  });
  if (problem == nullptr && IsA(node, CteScanState)) {
    PlanState* cte = as<CteScanState>(node)->cteplanstate;
    if (list_member_ptr(*ctes, cte)) return nullptr;
    CHECK_FOR_INTERRUPTS();
    *ctes = lappend(*ctes, cte);
    problem = problem_of(cte, ctes);
  }
  return problem;
}

}  // namespace

const Problem* problem_of_kinds(PlanState* node) {
  List* ctes = NIL;
  return problem_of(node, &ctes);
}

}  // namespace idp

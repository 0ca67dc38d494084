#include "extension/access/substitution.h"

#include <initializer_list>

#include "extension/access/expressions.h"
#include "extension/access/hidden.h"
#include "extension/access/kept_tables.h"
#include "extension/access/total_functions.h"
#include "extension/total/one_form.h"
#include "extension/total/twins.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/plan/node_rules.h"
#include "extension/plan/settled.h"

namespace idp {

namespace {

// --- expressions: what is the same for all rows ---

Node* with_settled(Node* node, void* state) {
  if (node == nullptr || is_settled(node)) return node;
  if (!can_be_settled(node)) return map_expression(node, with_settled, state);
  return settled(node, static_cast<EState*>(state));
}

// --- expressions: what is not ---

// One of a kind that is total, unless what it needs of an argument depends on the row.
bool is_total(Oid function, const List* arguments) {
  const std::optional<Needs> needs = needs_of(function);
  if (!needs) return false;
  const int needed = fitted_argument(*needs);
  return needed < 0 || needed >= list_length(arguments) ||
         !depends_on_rows(static_cast<Node*>(list_nth(arguments, needed)));
}

// Whether the expression itself calls a function or an operator that is.
bool calls_total(Node* expression) {
  switch (nodeTag(expression)) {
    case T_FuncExpr: {
      const auto* call = reinterpret_cast<const FuncExpr*>(expression);
      return is_total(call->funcid, call->args);
    }
    case T_OpExpr: {
      const auto* call = reinterpret_cast<const OpExpr*>(expression);
      return is_total(get_opcode(call->opno), call->args);
    }
    default:
      return false;
  }
}

Node* with_twins(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  node = map_expression(node, with_twins, context);
  Node* twin = calls_total(node) ? nullptr : twin_of(node);
  return twin != nullptr && depends_on_rows(node) ? twin : node;
}

// --- plans ---

bool find_foreign_aggregate(Node* node, void* any) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_foreign_aggregate, any);
  *static_cast<bool*>(any) = true;
  return !is_own_function(reinterpret_cast<const Aggref*>(node)->aggfnoid);
}

// Whether it has aggregates, all of them of the extension. Whether they are private is asked later
// (approval.h).
bool has_own_aggregates(const Plan* plan) {
  bool any = false;
  return IsA(plan, Agg) &&
         !find_foreign_aggregate(reinterpret_cast<Node*>(plan->targetlist), &any) &&
         !find_foreign_aggregate(reinterpret_cast<Node*>(plan->qual), &any) && any;
}

// The plan of a CTE where it is scanned.
Plan* cte_of(const Plan* plan, const PlannedStmt* statement) {
  if (!IsA(plan, CteScan)) return nullptr;
  return static_cast<Plan*>(
      list_nth(statement->subplans, reinterpret_cast<const CteScan*>(plan)->ctePlanId - 1));
}

template <class Visit>
void for_each_below(Plan* plan, const PlannedStmt* statement, Visit visit) {
  check_stack_depth();
  for (Plan* below : {plan->lefttree, plan->righttree, cte_of(plan, statement)}) {
    if (below != nullptr) visit(below);
  }
  ListCell* cell;
  foreach (cell, further_plans(plan)) visit(static_cast<Plan*>(lfirst(cell)));
}

// Members of an Append are not left out by what other rows of the query hold: the comparisons would
// be made for rows that are there.
void keep_members(const Plan* plan, const PlannedStmt* statement) {
  for_each_pruning(plan, statement, [](PartitionedRelPruneInfo* pruning) {
    pruning->exec_pruning_steps = NIL;
    pruning->execparamids = nullptr;
  });
}

// What a group shows beside its answers.
Node* with_one_form(Node* node, void*) {
  if (node == nullptr || IsA(node, Aggref)) return node;
  return IsA(node, Var) ? in_one_form(node) : map_expression(node, with_one_form, nullptr);
}

class Substitution {
 public:
  // state: one that evaluates what is the same for all rows; null if nothing is to be evaluated.
  Substitution(const PlannedStmt* statement, EState* state)
      : statement_(statement), state_(state) {}

  // is_input: its rows are read by a private aggregate, hidden ones among them.
  void visit(Plan* plan, bool is_input) {
    if (is_input) {
      settle(plan->targetlist);
      settle(plan->qual);
      (void)for_each_further_list(plan, statement_, [&](List*& list) { settle(list); });
      put_twins(plan->targetlist);
      put_twins(plan->qual);
      (void)for_each_further_list(plan, statement_, [&](List*& list) { put_twins(list); });
      keep_members(plan, statement_);
    }
    if (!is_input && has_own_aggregates(plan) && reads_hidden_rows(plan, statement_)) {
      is_input = true;
      show_one_form(plan->targetlist);
      show_one_form(plan->qual);
    }
    if (is_input && IsA(plan, Agg)) {
      (void)put_below_aggregates(reinterpret_cast<Node*>(plan->targetlist), this);
      (void)put_below_aggregates(reinterpret_cast<Node*>(plan->qual), this);
    }
    for_each_below(plan, statement_, [&](Plan* below) { visit(below, is_input); });
    if (is_input) keep_children(plan, statement_);
  }

 private:
  template <class Expression>
  void settle(Expression*& expression) const {
    if (state_ == nullptr) return;
    expression =
        reinterpret_cast<Expression*>(with_settled(reinterpret_cast<Node*>(expression), state_));
  }

  template <class Expression>
  static void put_twins(Expression*& expression) {
    expression =
        reinterpret_cast<Expression*>(with_twins(reinterpret_cast<Node*>(expression), nullptr));
  }

  static void show_one_form(List*& expressions) {
    expressions =
        reinterpret_cast<List*>(with_one_form(reinterpret_cast<Node*>(expressions), nullptr));
  }

  // In what aggregates of the expression read, not in what is made of their answers.
  static bool put_below_aggregates(Node* node, void* substitution) {
    if (node == nullptr) return false;
    if (!IsA(node, Aggref)) return walk_expression(node, put_below_aggregates, substitution);
    auto* aggref = reinterpret_cast<Aggref*>(node);
    const auto put = [&](auto*& expression) {
      static_cast<const Substitution*>(substitution)->settle(expression);
      put_twins(expression);
    };
    put(aggref->args);
    put(aggref->aggfilter);
    return false;
  }

  const PlannedStmt* statement_;
  EState* state_;
};

}  // namespace

void substitute(PlannedStmt* statement, EState* state) {
  Substitution substitution(statement, state);
  substitution.visit(statement->planTree, false);
  ListCell* cell;
  foreach (cell, statement->subplans) {
    // one that is not used is gone
    if (lfirst(cell) != nullptr) substitution.visit(static_cast<Plan*>(lfirst(cell)), false);
  }
}

}  // namespace idp

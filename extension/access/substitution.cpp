#include "extension/access/substitution.h"

#include <initializer_list>

#include "extension/access/expressions.h"
#include "extension/access/hidden.h"
#include "extension/access/kept_tables.h"
#include "extension/access/total_functions.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/in_place.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/total/one_form.h"
#include "extension/total/twins.h"
#include "extension/pg/own_objects.h"
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

bool find_unsettled(Node* node, void*) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const) || is_settled(node)) return false;
  return can_be_settled(node) || walk_expression(node, find_unsettled, nullptr);
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
      const auto* call = as<FuncExpr>(expression);
      return is_total(call->funcid, call->args);
    }
    case T_OpExpr: {
      const auto* call = as<OpExpr>(expression);
      return is_total(get_opcode(call->opno), call->args);
    }
    default:
      return false;
  }
}

bool find_twin(Node* node, void*) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const)) return false;
  return twin_of(node) != nullptr || walk_expression(node, find_twin, nullptr);
}

Node* with_twins(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  node = map_in_place(node, with_twins, context);
  Node* twin = calls_total(node) ? nullptr : twin_of(node);
  return twin != nullptr && depends_on_rows(node) ? twin : node;
}

// --- plans ---

bool find_foreign_aggregate(Node* node, void* any) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_foreign_aggregate, any);
  *static_cast<bool*>(any) = true;
  return !is_own_function(as<Aggref>(node)->aggfnoid);
}

// Whether it has aggregates, all of them of the extension. Whether they are private is asked later
// (approval.h).
bool has_own_aggregates(const Plan* plan) {
  bool any = false;
  return IsA(plan, Agg) && !find_foreign_aggregate(as<Node>(plan->targetlist), &any) &&
         !find_foreign_aggregate(as<Node>(plan->qual), &any) && any;
}

// The plan of a CTE where it is scanned.
Plan* cte_of(const Plan* plan, const PlannedStmt* statement) {
  if (!IsA(plan, CteScan)) return nullptr;
  return static_cast<Plan*>(list_nth(statement->subplans, as<CteScan>(plan)->ctePlanId - 1));
}

template <class Visit>
void for_each_below(Plan* plan, const PlannedStmt* statement, Visit visit) {
  check_stack_depth();
  for (Plan* below : {plan->lefttree, plan->righttree, cte_of(plan, statement)}) {
    if (below != nullptr) visit(below);
  }
  for (auto* each : idp::list<Plan>(further_plans(plan))) visit(each);
}

// Members of an Append are not left out by what other rows of the query hold: the comparisons would
// be made for rows that are there.
void keep_members(const Plan* plan, const PlannedStmt* statement) {
  for_each_pruning(plan, statement, [](PartitionedRelPruneInfo* pruning) {
    pruning->exec_pruning_steps = NIL;
    pruning->execparamids = nullptr;
  });
}

// What a group shows beside its answers. A CTE may be met twice.
Node* with_one_form(Node* node, void*) {
  if (node == nullptr || IsA(node, Aggref) || is_in_one_form(node)) return node;
  return IsA(node, Var) ? in_one_form(node) : map_in_place(node, with_one_form, nullptr);
}

// What is done to a plan wherever a private aggregate reads hidden rows.
class Work {
 public:
  // To an expression over these rows, or a list of expressions.
  virtual void expression(Node*& expression) = 0;
  // To a node whose rows are read, after those below it.
  virtual void input(Plan*) {}
  // To the aggregation itself.
  virtual void aggregation(Plan*) {}
};

class Walk {
 public:
  Walk(const PlannedStmt* statement, Work* work) : statement_(statement), work_(work) {}

  void all() {
    visit(statement_->planTree, false);
    ListCell* cell;
    foreach (cell, statement_->subplans) {
      // one that is not used is gone
      if (lfirst(cell) != nullptr) visit(static_cast<Plan*>(lfirst(cell)), false);
    }
  }

 private:
  // is_input: its rows are read by a private aggregate, hidden ones among them.
  void visit(Plan* plan, bool is_input) {
    take_step();
    if (is_input) {
      apply(plan->targetlist);
      apply(plan->qual);
      (void)for_each_further_list(plan, statement_, [&](List*& list) { apply(list); });
    }
    if (!is_input && has_own_aggregates(plan) && reads_hidden_rows(plan, statement_)) {
      is_input = true;
      work_->aggregation(plan);
    }
    if (is_input && IsA(plan, Agg)) {
      (void)apply_below_aggregates(as<Node>(plan->targetlist), this);
      (void)apply_below_aggregates(as<Node>(plan->qual), this);
    }
    for_each_below(plan, statement_, [&](Plan* below) { visit(below, is_input); });
    if (is_input) work_->input(plan);
  }

  template <class Expression>
  void apply(Expression*& expression) {
    auto* node = as<Node>(expression);
    work_->expression(node);
    expression = reinterpret_cast<Expression*>(node);
  }

  // In what aggregates of the expression read, not in what is made of their answers.
  static bool apply_below_aggregates(Node* node, void* walk) {
    if (node == nullptr) return false;
    if (!IsA(node, Aggref)) return walk_expression(node, apply_below_aggregates, walk);
    auto* aggref = as<Aggref>(node);
    static_cast<Walk*>(walk)->apply(aggref->args);
    static_cast<Walk*>(walk)->apply(aggref->aggfilter);
    return false;
  }

  const PlannedStmt* statement_;
  Work* work_;
};

class PutTwins : public Work {
 public:
  explicit PutTwins(const PlannedStmt* statement) : statement_(statement) {}

  void expression(Node*& expression) override {
    leaves_unsettled = leaves_unsettled || find_unsettled(expression, nullptr);
    if (find_twin(expression, nullptr)) expression = with_twins(expression, nullptr);
  }
  void input(Plan* plan) override {
    keep_members(plan, statement_);
    keep_children(plan, statement_);
  }
  void aggregation(Plan* plan) override {
    show_one_form(plan->targetlist);
    show_one_form(plan->qual);
  }

  bool leaves_unsettled = false;

 private:
  static void show_one_form(List*& expressions) {
    expressions = as<List>(with_one_form(as<Node>(expressions), nullptr));
  }

  const PlannedStmt* statement_;
};

class Settle : public Work {
 public:
  explicit Settle(EState* state) : state_(state) {}

  void expression(Node*& expression) override { expression = with_settled(expression, state_); }

 private:
  EState* state_;
};

}  // namespace

bool put_twins(PlannedStmt* statement) {
  PutTwins work(statement);
  Walk(statement, &work).all();
  return work.leaves_unsettled;
}

void settle_inputs(PlannedStmt* statement, EState* state) {
  Settle work(state);
  Walk(statement, &work).all();
}

}  // namespace idp

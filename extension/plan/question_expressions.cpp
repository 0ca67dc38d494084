#include "extension/pg/catalog_lookup.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/zone_comparisons.h"
#include "extension/plan/gate.h"
#include "extension/plan/identity.h"
#include "extension/plan/question_writer.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "rewrite/rewriteManip.h"
}

namespace idp::recorder {

namespace {

const SubPlan* find_initial_plan(const PlannerInfo* root, int parameter) {
  for (; root != nullptr; root = root->parent_root) {
    for (const auto* plan : list<SubPlan>(root->init_plans)) {
      if (list_member_int(plan->setParam, parameter)) return plan;
    }
  }
  return nullptr;
}

// What an outer query passes to the one it contains, in terms of the outer query's columns; null if
// the parameter is none of these.
Node* passed_in(const Level& level, int parameter) {
  int levels = 1;
  for (const Level* at = &level; at != nullptr; at = at->outer, ++levels) {
    ListCell* number;
    ListCell* value;
    forboth(number, at->plan ? at->plan->parParam : NIL, value, at->plan ? at->plan->args : NIL) {
      if (lfirst_int(number) != parameter) continue;
      auto* copy = static_cast<Node*>(copyObjectImpl(lfirst(value)));
      IncrementVarSublevelsUp(copy, levels, 0);
      return copy;
    }
  }
  return nullptr;
}

const char* words_of(SubLinkType type) {
  switch (type) {
    case EXISTS_SUBLINK:
      return "EXISTS ";
    case ALL_SUBLINK:
      return "ALL ";
    case ANY_SUBLINK:
      return "ANY ";
    case ARRAY_SUBLINK:
      return "ARRAY ";
    default:
      return "";
  }
}

// Leaves a parameter where an expression has a subquery.
Node* put_aside(Level& level, SubLinkType type, Node* test, const Within& subquery,
                Node* expression, const char* digest = "") {
  const int number = kFirstSubquery + level.whole->subqueries++;
  level.subqueries = lappend(
      level.subqueries,
      list_make5(makeInteger(number), makeString(pstrdup(words_of(type))), portable(test, &level),
                 describe(subquery, Columns::kByPlace, level), makeString(pstrdup(digest))));
  return parameter_like(PARAM_EXEC, number, expression);
}

// The columns that a subquery puts out have the numbers of parameters in its plan, whichever were
// free.
Node* number_outputs(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Param)) return map_expression(node, number_outputs, context);
  auto* param = static_cast<Param*>(copyObjectImpl(node));
  ListCell* cell;
  foreach (cell, static_cast<const SubPlan*>(context)->paramIds) {
    if (param->paramkind != PARAM_EXEC || lfirst_int(cell) != param->paramid) continue;
    param->paramkind = PARAM_SUBLINK;
    param->paramid = foreach_current_index(cell) + 1;
    break;
  }
  return node_of(param);
}

Node* put_plan_aside(Level& level, const SubPlan* plan, Node* expression) {
  auto* root = static_cast<PlannerInfo*>(list_nth(level.root->glob->subroots, plan->plan_id - 1));
  Node* test = number_outputs(plan->testexpr, const_cast<SubPlan*>(plan));
  const char* digest = "";
  if (plan->subLinkType == EXPR_SUBLINK && plan->setParam != NIL && plan->parParam == NIL) {
    digest = digest_of_value(root->parse, level.root->glob->boundParams, &level.whole->moments);
    level.whole->values = lappend(level.whole->values, root->parse);
  }
  return put_aside(level, plan->subLinkType, test, {root->parse, root, plan}, expression, digest);
}

bool is_within(const Level& level, Index levels) {
  const Level* at = &level;
  for (; levels > 0 && at != nullptr; --levels) at = at->outer;
  return at != nullptr;
}

}  // namespace

Node* portable(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& level = *static_cast<Level*>(context);
  switch (nodeTag(node)) {
    case T_PlaceHolderVar:
      return portable(node_of(as<PlaceHolderVar>(node)->phexpr), context);
    case T_Var: {
      auto* var = static_cast<Var*>(copyObjectImpl(node));
      if (!is_within(level, var->varlevelsup)) level.whole->is_known = false;
      var->varnosyn = 0;
      var->varattnosyn = 0;
      return node_of(var);
    }
    case T_SubLink: {
      const auto* link = as<SubLink>(node);
      return put_aside(level, link->subLinkType, link->testexpr, {as<Query>(link->subselect)},
                       node);
    }
    case T_SubPlan:
      return put_plan_aside(level, as<SubPlan>(node), node);
    case T_AlternativeSubPlan:
      return portable(static_cast<Node*>(linitial(as<AlternativeSubPlan>(node)->subplans)),
                      context);
    case T_Param: {
      const auto* parameter = as<Param>(node);
      if (parameter->paramkind != PARAM_EXEC) break;
      Node* passed = passed_in(level, parameter->paramid);
      if (passed != nullptr) return portable(passed, context);
      const SubPlan* plan = find_initial_plan(level.root, parameter->paramid);
      if (plan != nullptr) return put_plan_aside(level, plan, node);
      break;
    }
    default:
      break;
  }
  return map_expression(node, portable, context);
}

void write_expression(Level& level, Node* expression) {
  level.items = lappend(level.items, portable(expression, &level));
}

void write_expressions(Level& level, const char* before, List* expressions) {
  ListCell* cell;
  foreach (cell, expressions) {
    write(level, foreach_current_index(cell) ? ", " : before);
    if (lfirst(cell) != nullptr) write_expression(level, static_cast<Node*>(lfirst(cell)));
  }
}

void collect_conditions(Node* conditions, Level& level, List** collected) {
  if (conditions == nullptr || is_gate(conditions)) return;
  if (!IsA(conditions, List)) {
    *collected = lappend(*collected, portable(without_hiding(conditions), &level));
    return;
  }
  for (auto* node : list<Node>(as<List>(conditions))) {
    collect_conditions(node, level, collected);
  }
}

Node* conjunction(List* conditions) {
  return conditions == NIL ? nullptr : node_of(makeBoolExpr(AND_EXPR, conditions, -1));
}

void write_conditions(Level& level, const char* before, List* conditions) {
  if (conditions == NIL) return;
  write(level, before);
  level.items = lappend(level.items, list_make1(conjunction(conditions)));
}

}  // namespace idp::recorder

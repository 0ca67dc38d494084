#include "extension/domain/absent_rows.h"
#include "extension/domain/computed_below.h"

#include "extension/domain/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// Whether one more column changes no row of it.
bool may_give_more(const RangeTblEntry* entry) {
  const Query* query = entry->subquery;
  return entry->rtekind == RTE_SUBQUERY && query != nullptr && !entry->security_barrier &&
         query->commandType == CMD_SELECT && !query->hasAggs && !query->hasTargetSRFs &&
         query->havingQual == nullptr && query->groupClause == NIL && query->groupingSets == NIL &&
         query->distinctClause == NIL && query->setOperations == nullptr;
}

// What is no function of columns of the query's own alone.
bool find_other(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    return column->varlevelsup > 0 || column->varattno <= 0;
  }
  if (IsA(node, SubLink) || IsA(node, Query) || IsA(node, WindowFunc)) return true;
  return walk_expression(node, find_other, nullptr);
}

bool is_computed(Node* expression) {
  return !IsA(expression, Var) && names_columns(expression) && !find_other(expression, nullptr) &&
         !contain_volatile_functions(expression);
}

}  // namespace

AttrNumber give_column(Query* query, const Var* column) {
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (!target->resjunk && equal(target->expr, column)) return target->resno;
  }
  char* name = name_of_column(query, column);
  List* shown = NIL;
  List* junk = NIL;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    (target->resjunk ? junk : shown) = lappend(target->resjunk ? junk : shown, target);
  }
  // those that are not shown come last
  const auto number = static_cast<AttrNumber>(list_length(shown) + 1);
  shown = lappend(shown,
                  makeTargetEntry(static_cast<Expr*>(copyObjectImpl(column)), number, name, false));
  for (auto* target : list<TargetEntry>(junk)) ++target->resno;
  query->targetList = list_concat(shown, junk);
  return number;
}

namespace {

struct Level {
  Query* query;
  bool any = false;
};

struct Given {
  RangeTblEntry* entry;
  int number;
};

Node* over_given(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, over_given, context);
  const auto* given = static_cast<const Given*>(context);
  const auto* column = as<Var>(node);
  Query* below = given->entry->subquery;
  const AttrNumber number = give_column(below, column);
  List*& names = given->entry->eref->colnames;
  if (number > list_length(names)) {
    names = lappend(names, makeString(name_of_column(below, column)));
  }
  return as<Node>(
      makeVar(given->number, number, column->vartype, column->vartypmod, column->varcollid, 0));
}

Node* compute(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto* level = static_cast<Level*>(context);
  if (!IsA(node, Var)) return map_expression(node, compute, context);
  check_stack_depth();
  const auto* column = as<Var>(node);
  if (column->varlevelsup > 0 || column->varattno <= 0) return node;
  RangeTblEntry* entry = rt_fetch(column->varno, level->query->rtable);
  if (!may_give_more(entry) || may_be_absent(level->query, static_cast<Index>(column->varno))) {
    return node;
  }
  const TargetEntry* target = get_tle_by_resno(entry->subquery->targetList, column->varattno);
  Level below = {entry->subquery};
  Node* expression = compute(as<Node>(target->expr), &below);
  if (!is_computed(expression)) return node;
  level->any = true;
  Given given = {entry, static_cast<int>(column->varno)};
  return over_given(expression, &given);
}

// What names columns from within, or all of them at once.
bool find_whole(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) return as<Var>(node)->varattno <= 0;
  return IsA(node, SubLink) || IsA(node, Query) || walk_expression(node, find_whole, nullptr);
}

}  // namespace

Query* with_computed_columns(const Query* query) {
  auto* copy = static_cast<Query*>(copyObjectImpl(query));
  if (find_whole(as<Node>(copy->targetList), nullptr) || find_whole(copy->havingQual, nullptr) ||
      find_whole(as<Node>(copy->jointree), nullptr)) {
    return nullptr;
  }
  Level level = {copy};
  const auto change = [&](Node* expression) { return compute(expression, &level); };
  copy->targetList = reinterpret_cast<List*>(change(as<Node>(copy->targetList)));
  copy->havingQual = change(copy->havingQual);
  copy->jointree->quals = change(copy->jointree->quals);
  change_grouped(copy, change);
  return level.any ? copy : nullptr;
}

}  // namespace idp

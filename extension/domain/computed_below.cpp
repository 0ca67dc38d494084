#include "extension/domain/computed_below.h"

#include "extension/pg/outer_joins.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/versions.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// Whether one more column changes no row of it.
bool may_give_more(const RangeTblEntry* entry) {
  const Query* query = entry->subquery;
  if (entry->rtekind != RTE_SUBQUERY || query == nullptr) return false;
  constexpr unsigned kOfRows =
      step::kWindows | step::kLimit | step::kOffset | step::kWith | step::kSubLinks;
  constexpr unsigned kOfGroups =
      kOfRows | step::kAggregates | step::kGroups | step::kImpliedGroups | step::kHaving;
  return takes_only(query, query->groupClause != NIL ? kOfGroups : kOfRows) &&
         !entry->security_barrier;
}

// What a query computes of several rows, and may show as one more column.
bool is_of_rows(const Node* node) { return IsA(node, Aggref) || IsA(node, WindowFunc); }

// What is no function of columns that the query can give alone: its own, or where it groups its
// keys and aggregates; and windows. keys: null if it does not.
bool find_other(Node* node, void* keys) {
  if (node == nullptr || IsA(node, WindowFunc)) return false;
  if (IsA(node, Aggref)) return as<Aggref>(node)->agglevelsup > 0;
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    return column->varlevelsup > 0 || column->varattno <= 0 ||
           (keys != nullptr && !list_member(static_cast<const List*>(keys), node));
  }
  if (IsA(node, SubLink) || IsA(node, Query)) return true;
  return walk_expression(node, find_other, keys);
}

// Whether it hangs on rows: on a column, or on what is computed of several, as row_number() is.
bool find_row(Node* node, void*) {
  if (node == nullptr) return false;
  return IsA(node, Var) || is_of_rows(node) || walk_expression(node, find_row, nullptr);
}

bool is_computed(const Query* query, Node* expression) {
  List* keys = get_sortgrouplist_exprs(query->groupClause, query->targetList);
  return !IsA(expression, Var) && !is_of_rows(expression) && find_row(expression, nullptr) &&
         !find_other(expression, keys) && !contain_volatile_functions(expression);
}

char* name_of_value(const Query* query, const Node* value) {
  if (IsA(value, Var)) return name_of_column(query, as<Var>(value));
  return get_func_name(IsA(value, Aggref) ? as<Aggref>(value)->aggfnoid
                                          : as<WindowFunc>(value)->winfnoid);
}

}  // namespace

AttrNumber give_column(Query* query, const Node* column) {
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (!target->resjunk && equal(target->expr, column)) return target->resno;
  }
  List* shown = NIL;
  List* junk = NIL;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    (target->resjunk ? junk : shown) = lappend(target->resjunk ? junk : shown, target);
  }
  // those that are not shown come last
  const auto number = static_cast<AttrNumber>(list_length(shown) + 1);
  shown = lappend(shown, makeTargetEntry(static_cast<Expr*>(copyObjectImpl(column)), number,
                                         name_of_value(query, column), false));
  for (auto* target : list<TargetEntry>(junk)) ++target->resno;
  query->targetList = list_concat(shown, junk);
  return number;
}

namespace {

struct ComputedQuery {
  Query* query;
  bool is_below = false;
  bool any = false;
};

struct Given {
  RangeTblEntry* entry;
  const Var* column;  // of the query that reads the entry, in whose place the expression is
};

Node* over_given(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var) && !is_of_rows(node)) return map_expression(node, over_given, context);
  const auto* given = static_cast<const Given*>(context);
  Query* below = given->entry->subquery;
  const AttrNumber number = give_column(below, node);
  List*& names = given->entry->eref->colnames;
  if (number > list_length(names)) names = lappend(names, makeString(name_of_value(below, node)));
  Var* column = column_like(static_cast<int>(given->column->varno), number, node);
  be_absent_with(column, given->column);
  return as<Node>(column);
}

Node* as_column(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!is_of_rows(node)) return map_expression(node, as_column, context);
  return as<Node>(column_like(1, 1, node));
}

// Whether an expression that names columns is NULL where all of them are, as those of a row that an
// outer join does not have.
bool is_null_of_null(Node* expression) {
  return !contain_nonstrict_functions(as_column(expression, nullptr));
}

Node* compute(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto* level = static_cast<ComputedQuery*>(context);
  if (level->is_below && is_of_rows(node)) return node;
  if (!IsA(node, Var)) return map_expression(node, compute, context);
  check_stack_depth();
  const auto* column = as<Var>(node);
  if (column->varlevelsup > 0 || column->varattno <= 0) return node;
  RangeTblEntry* entry = rt_fetch(column->varno, level->query->rtable);
  if (!may_give_more(entry)) return node;
  const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  ComputedQuery below = {entry->subquery, true};
  Node* expression = compute(as<Node>(target->expr), &below);
  const bool may_lack = may_be_absent(level->query, static_cast<Index>(column->varno));
  if (!is_computed(entry->subquery, expression) || (may_lack && !is_null_of_null(expression))) {
    return node;
  }
  level->any = true;
  Given given = {entry, column};
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
  auto* copy = copy_of(query);
  if (find_whole(as<Node>(copy->targetList), nullptr) || find_whole(copy->havingQual, nullptr) ||
      find_whole(as<Node>(copy->jointree), nullptr)) {
    return nullptr;
  }
  ComputedQuery level = {copy};
  const auto change = [&](Node* expression) { return compute(expression, &level); };
  change_shown(copy, change);
  copy->jointree->quals = change(copy->jointree->quals);
  change_grouped(copy, change);
  return level.any ? copy : nullptr;
}

}  // namespace idp

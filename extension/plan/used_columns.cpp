#include "extension/plan/used_columns.h"

#include "extension/call/call.h"
#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/query_steps.h"

extern "C" {
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// A private aggregate that is no decision about its group.
bool is_answer(const Aggref* aggref) {
  if (!is_own_function(aggref->aggfnoid) || is_named_call(aggref->aggfnoid)) return false;
  FmgrInfo transition;
  fmgr_info(transition_function_of(aggref->aggfnoid), &transition);
  const Statistic statistic = statistic_of(transition.fn_addr);
  return statistic != Statistic::kNone && statistic != Statistic::kKeepGroup;
}

void add_column(UsedColumns* used, Var* column) {
  for (auto* var : list<Var>(used->columns)) {
    if (is_same_column(var, column)) return;
  }
  used->columns = lappend(used->columns, column);
}

bool visit(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* used = static_cast<UsedColumns*>(context);
  if (IsA(node, Var)) {
    auto* column = as<Var>(node);
    if (column->varlevelsup > 0 || column->varattno <= 0) {
      used->is_plain = false;
    } else if (used->groups == 0 || static_cast<Index>(column->varno) != used->groups) {
      add_column(used, column);
    }
    return false;
  }
  if (IsA(node, Aggref)) {
    const auto* aggref = as<Aggref>(node);
    used->has_aggregates = true;
    if (aggref->agglevelsup > 0 || !is_answer(aggref)) used->is_plain = false;
  }
  if (IsA(node, SubLink) && is_value_apart(as<SubLink>(node))) return false;
  if (IsA(node, SubLink) || IsA(node, Query)) used->is_plain = false;
  return walk_expression(node, visit, context);
}

bool find_outer_column(Node* node, void* depth) {
  if (node == nullptr) return false;
  auto* level = static_cast<Index*>(depth);
  if (IsA(node, Var)) return as<Var>(node)->varlevelsup > *level;
  if (!IsA(node, Query)) return walk_expression(node, find_outer_column, depth);
  ++*level;
  const bool found = walk_query(as<Query>(node), find_outer_column, depth);
  --*level;
  return found;
}

struct OfEntry {
  int entry;
  int most;  // the greatest number of a column that is looked for
  Index depth = 0;
};

bool find_of_entry(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* search = static_cast<OfEntry*>(context);
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    return static_cast<int>(column->varno) == search->entry &&
           column->varlevelsup == search->depth && column->varattno <= search->most;
  }
  if (!IsA(node, Query)) return walk_expression(node, find_of_entry, context);
  ++search->depth;
  const bool found = walk_query(as<Query>(node), find_of_entry, context);
  --search->depth;
  return found;
}

}  // namespace

bool is_same_column(const Var* a, const Var* b) {
  return a->varno == b->varno && a->varattno == b->varattno;
}

char* name_of_column(const Query* query, const Var* column) {
  const Alias* names = rt_fetch(column->varno, query->rtable)->eref;
  return pstrdup(strVal(list_nth(names->colnames, column->varattno - 1)));
}

void add_used_columns(UsedColumns* used, Node* expression) { (void)visit(expression, used); }

namespace {

bool find_column(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) return true;
  if (!IsA(node, Query)) return walk_expression(node, find_column, nullptr);
  return names_outer_columns(reinterpret_cast<Query*>(node));
}

}  // namespace

bool names_columns(Node* expression) { return find_column(expression, nullptr); }

bool is_same_for_all_rows(Node* expression) {
  return !names_columns(expression) && !checkExprHasSubLink(expression) &&
         !contain_aggs_of_level(expression, 0) && !contain_window_function(expression) &&
         !contain_volatile_functions(expression) && !expression_returns_set(expression);
}

bool names_whole_row(Query* query, int entry) {
  OfEntry search{entry, 0};
  return walk_query(query, find_of_entry, &search);
}

bool names_column_of(Query* query, int entry) {
  OfEntry search{entry, MaxAttrNumber};
  return walk_query(query, find_of_entry, &search);
}

bool names_outer_columns(Query* query) {
  Index depth = 0;
  return walk_query(query, find_outer_column, &depth);
}

bool is_value_apart(const SubLink* subquery) {
  auto* query = as<Query>(subquery->subselect);
  return subquery->subLinkType == EXPR_SUBLINK && !names_outer_columns(query) && is_whole(query);
}

namespace {

struct OnlyColumn {
  const Var* column = nullptr;
  bool is_only = true;
};

bool find_only_column(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* only = static_cast<OnlyColumn*>(context);
  if (!IsA(node, Var)) return walk_expression(node, find_only_column, context);
  const auto* column = as<Var>(node);
  only->is_only = only->is_only && column->varlevelsup == 0 && column->varattno > 0 &&
                  (only->column == nullptr || is_same_column(only->column, column));
  only->column = column;
  return !only->is_only;
}

}  // namespace

const Var* only_column(Node* expression) {
  OnlyColumn only;
  (void)find_only_column(expression, &only);
  return only.is_only ? only.column : nullptr;
}

}  // namespace idp

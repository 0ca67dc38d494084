#include "extension/domain/keys_below.h"

#include "extension/pg/statement_room.h"
#include "extension/plan/key_forms.h"
#include "extension/domain/key_images.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/key_table.h"
#include "extension/domain/united_keys.h"
#include "extension/plan/used_columns.h"
#include "extension/plan/group_functions.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/unions.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// Whether rows can be left out of what it groups: there is no other step before that.
bool groups_rows(const Query* query) {
  return (query->groupClause != NIL || query->distinctClause != NIL) && !query->hasWindowFuncs &&
         query->groupingSets == NIL && query->commandType == CMD_SELECT &&
         query->setOperations == nullptr;
}

bool is_grouped(const Query* query, const TargetEntry* target) {
  return list_member(query->groupClause != NIL
                         ? grouped_expressions(query)
                         : get_sortgrouplist_exprs(query->distinctClause, query->targetList),
                     target->expr);
}

void leave_out_rows_of(Query* query, const TargetEntry* target, bool is_part);

// is_part: whether UNION makes the rows of several.
void leave_out_rows_in(RangeTblEntry* entry, AttrNumber number, bool is_part) {
  check_stack_depth();
  if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier) return;
  Query* query = entry->subquery;
  if (query->setOperations == nullptr) {
    const TargetEntry* target = column_shown(query->targetList, number);
    if (target != nullptr) leave_out_rows_of(query, target, is_part);
    return;
  }
  const bool has_limit = query->limitCount != nullptr || query->limitOffset != nullptr;
  if (has_limit || parts_of_union(query->setOperations, UnionKind::kAny) == NIL) return;
  for (auto* part : list<RangeTblEntry>(query->rtable)) leave_out_rows_in(part, number, true);
}

void follow(Query* query, const Var* column, bool is_part) {
  if (column->varlevelsup > 0 || column->varattno <= 0) return;
  leave_out_rows_in(rt_fetch(column->varno, query->rtable), column->varattno, is_part);
}

void leave_out_rows_of(Query* query, const TargetEntry* target, bool is_part) {
  auto* expression = as<Node>(target->expr);
  const Var* below = IsA(expression, Var) ? as<Var>(expression) : column_of_one(expression);
  if (below != nullptr) {
    follow(query, below, is_part && gives_each_row(query));
    return;
  }
  const bool are_rows = is_part && gives_each_row(query);
  const bool are_groups = groups_rows(query) && is_grouped(query, target);
  if ((!are_rows && !are_groups) || contain_aggs_of_level(expression, 0) ||
      !has_one_key_form(query, expression)) {
    return;
  }
  List* are_keys = NIL;
  int64 number = 1;  // of what may be listed together (key_images.h)
  for (const auto* column : list<Var>(pull_var_clause(expression, PVC_RECURSE_PLACEHOLDERS))) {
    const KeyColumn* key =
        column->varlevelsup == 0 && column->varattno > 0 ? key_of_column(query, column) : nullptr;
    if (key == nullptr || key->rows != nullptr || key->keys.values == nullptr) return;
    Node* is_key = is_a_key(*key);
    if (list_member(are_keys, is_key)) continue;
    are_keys = lappend(are_keys, is_key);
    number *= Max(key->count(), 1);
    if (list_length(are_keys) > 1 && number > kMostKeys) return;
  }
  for (auto* is_key : list<Node>(are_keys)) {
    query->jointree->quals = make_and_qual(query->jointree->quals, is_key);
  }
}

}  // namespace

void leave_out_rows_below(Query* query) {
  List* columns = NIL;
  for (auto* key : list<Node>(grouped_expressions(query))) {
    columns = list_concat_unique(
        columns, pull_var_clause(key, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
                                          PVC_RECURSE_PLACEHOLDERS));
  }
  for (const auto* column : list<Var>(columns)) follow(query, column, false);
}

}  // namespace idp

#include "extension/rewrite/answers_of_days.h"

#include <utility>

#include "extension/access/hidden.h"
#include "extension/domain/asked_keys.h"
#include "extension/domain/finite_keys.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/key_forms.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/keyed_answers.h"
#include "extension/rewrite/ties.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// Whose columns an expression names, of the queries around it.
struct Levels {
  bool own = false;
  bool outer = false;  // of the query that the subquery stands in
  bool others = false;
};

bool add_levels(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* levels = static_cast<Levels*>(context);
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    levels->own |= column->varlevelsup == 0 && column->varattno > 0;
    levels->outer |= column->varlevelsup == 1 && column->varattno > 0;
    levels->others |= column->varlevelsup > 1 || column->varattno <= 0;
    return false;
  }
  if (IsA(node, SubLink) || IsA(node, Aggref) || IsA(node, WindowFunc)) levels->others = true;
  return walk_expression(node, add_levels, context);
}

Levels levels_of(Node* node) {
  Levels levels;
  (void)add_levels(node, &levels);
  return levels;
}

// value of its own = value of the row around it.
struct KeyTie {
  const OpExpr* equality = nullptr;
  Node* own = nullptr;
  Node* outer = nullptr;
};

bool read_tie(Node* condition, KeyTie* tie) {
  if (!IsA(condition, OpExpr) || list_length(as<OpExpr>(condition)->args) != 2) return false;
  const auto* equality = as<OpExpr>(condition);
  auto* own = static_cast<Node*>(linitial(equality->args));
  auto* outer = static_cast<Node*>(lsecond(equality->args));
  const Oid type = exprType(own);
  if (type != exprType(outer) ||
      equality->opno != lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr ||
      contain_volatile_functions(condition)) {
    return false;
  }
  if (levels_of(own).outer) std::swap(own, outer);
  const Levels of_own = levels_of(own);
  const Levels of_outer = levels_of(outer);
  if (!of_own.own || of_own.outer || of_own.others || of_outer.own || !of_outer.outer ||
      of_outer.others) {
    return false;
  }
  *tie = {equality, own, outer};
  return true;
}

// Takes the tie out of the conditions of a subquery that nothing else ties.
bool take_key_tie(Query* rows, KeyTie* tie) {
  List* conditions = conjuncts(rows->jointree->quals);
  ListCell* cell;
  foreach (cell, conditions) {
    if (!read_tie(static_cast<Node*>(lfirst(cell)), tie)) continue;
    conditions = foreach_delete_current(conditions, cell);
    rows->jointree->quals = joined_by_and(conditions);
    return !names_outer_columns(rows);
  }
  return false;
}

// Whether everybody may know which values there are.
bool has_known_keys(Query* rows, Node* value) {
  if (!has_one_key_form(rows, value)) return false;
  if (IsA(value, Var)) {
    const KeyColumn* key = key_of_column(rows, as<Var>(value));
    return key != nullptr && key->rows == nullptr && key->keys.values != nullptr &&
           key->keys.grain.unit == nullptr;
  }
  FiniteKeys found;
  return computed_keys(rows, value, true, &found);
}

// Whether what a row is compared with is of a list or a calendar, and of no table.
bool find_table(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Var)) return walk_expression(node, find_table, context);
  const RangeTblEntry* entry =
      rt_fetch(as<Var>(node)->varno, static_cast<const Query*>(context)->rtable);
  return entry->rtekind == RTE_RELATION || entry->rtekind == RTE_JOIN;
}

Node* counted_by_key(Query* around, const SubLink* link) {
  if (link->subLinkType != EXPR_SUBLINK || !IsA(link->subselect, Query)) return nullptr;
  const auto* given = as<Query>(link->subselect);
  const bool is_plain = given->hasAggs && takes_only(given, step::kAggregates | step::kSubLinks) &&
                        names_hidden_table(given);
  if (!is_plain) return nullptr;
  auto* rows = copy_of(given);
  auto* shown = const_cast<Node*>(shown_by(rows));
  Node* of_no_rows = nullptr;
  KeyTie tie;
  if (shown == nullptr || !shows_answer(shown, &of_no_rows) || !take_key_tie(rows, &tie) ||
      find_table(tie.outer, around) || !has_known_keys(rows, tie.own)) {
    return nullptr;
  }
  rows->targetList = list_make1(output(shown, 1, "answer"));
  group_first_by(rows, tie.own);
  const char* name = add_answers(around, rows);
  auto* read = makeNode(SubLink);
  *read = *link;
  Query* of_value = answers_of_value(name, rows, tie.equality, tie.outer, 1);
  of_value->targetList = list_make1(output(as<Node>(column_of_answers(rows, 2)), 1, "answer"));
  read->subselect = as<Node>(of_value);
  return or_of_no_rows(read, shown, of_no_rows);
}

Node* with_answers(Node* node, void* around) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (IsA(node, SubLink)) {
    Node* answer = counted_by_key(static_cast<Query*>(around), as<SubLink>(node));
    if (answer != nullptr) return answer;
  }
  return map_expression(node, with_answers, around);
}

}  // namespace

void count_by_days(Query* query) {
  const bool is_plain = query->commandType == CMD_SELECT && query->hasSubLinks &&
                        query->groupingSets == NIL && query->setOperations == nullptr &&
                        query->jointree != nullptr && !names_hidden_table(query);
  if (!is_plain) return;
  change_shown(query, [&](Node* shown) { return with_answers(shown, query); });
  query->jointree->quals = with_answers(query->jointree->quals, query);
}

}  // namespace idp

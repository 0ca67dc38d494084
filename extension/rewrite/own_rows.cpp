#include "extension/rewrite/own_rows.h"

#include "extension/pg/outer_joins.h"
#include "extension/domain/computed_below.h"
#include "extension/domain/key_origin.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/plan/group_functions.h"
#include "extension/pg/parents.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/existence.h"
#include "extension/rewrite/never_null.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

bool is_table_alone(const RangeTblEntry* entry) {
  return entry->rtekind == RTE_RELATION && !has_children(entry->relid);
}

// The only table that a query reads; 0 if it reads more.
int only_table(const Query* query) {
  const int entry = only_entry(query);
  return entry > 0 && is_table_alone(rt_fetch(entry, query->rtable)) ? entry : 0;
}

// Of groups of rows of a table: the column by which one of its columns shows one of the rows; 0 if
// it shows none.
AttrNumber shown_row(const Query* rows, AttrNumber number, Oid* table) {
  const int entry = takes_only(rows, step::kAggregates | step::kGroups | step::kHaving) &&
                            rows->groupClause != NIL
                        ? only_table(rows)
                        : 0;
  const TargetEntry* target = column_shown(rows->targetList, number);
  const Var* column =
      entry == 0 || target == nullptr ? nullptr : column_of_one(as<Node>(target->expr));
  if (column == nullptr || static_cast<int>(column->varno) != entry || column->varlevelsup > 0 ||
      column->varattno <= 0) {
    return 0;
  }
  *table = rt_fetch(entry, rows->rtable)->relid;
  return unique_key_on(*table, column->varattno, snapshot_at_work()) == nullptr ? 0
                                                                                : column->varattno;
}

// The columns of the table that its groups are made of, of Var: those that are never NULL, and that
// the server's own equality tells apart, as GROUP BY does.
List* keys_of(const Query* rows, Oid table) {
  List* keys = NIL;
  for (auto* key : list<Node>(grouped_expressions(rows))) {
    const auto* column = maybe<Var>(key);
    if (column != nullptr && column->varlevelsup == 0 && column->varattno > 0 &&
        getBaseType(column->vartype) < FirstNormalObjectId &&
        is_not_null(table, column->varattno, snapshot_at_work())) {
      keys = lappend(keys, const_cast<Var*>(column));
    }
  }
  return keys;
}

// What a column of a query that groups stands for (pg/groups.h).
const Node* below_groups(const Query* rows, const Node* value) {
  const auto* column = maybe<Var>(value);
  const Index groups = entry_of_groups(rows);
  const bool is_of_groups = column != nullptr && groups > 0 && column->varlevelsup == 0 &&
                            static_cast<Index>(column->varno) == groups;
  return is_of_groups ? grouped_by(rt_fetch(groups, rows->rtable), column->varattno) : value;
}

// The number of the column that shows a key; 0 if none does.
AttrNumber number_of(const Query* rows, const Var* key) {
  for (const auto* target : list<TargetEntry>(rows->targetList)) {
    if (!target->resjunk && equal(below_groups(rows, as<Node>(target->expr)), key)) {
      return target->resno;
    }
  }
  return 0;
}

// Whether a column is of the table, and the one by which rows of groups are shown.
bool is_row_of(const Query* query, const Var* column, Oid table, AttrNumber shown) {
  if (column->varlevelsup > 0 || column->varattno != shown) return false;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  return is_table_alone(entry) && entry->relid == table;
}

// That column, of the row that another column of the table is of.
Var* beside(const Var* column, const Var* key) {
  auto* other = static_cast<Var*>(copyObjectImpl(key));
  other->varno = column->varno;
  other->varnosyn = static_cast<Index>(column->varno);
  other->varattnosyn = key->varattno;
  be_absent_with(other, column);
  return other;
}

// --- o.id = l.id ---

Node* with_keys_of_join(Query* query, Node* condition, const Var* row, const Var* shown) {
  if (shown->varlevelsup > 0 || shown->varattno <= 0) return nullptr;
  const RangeTblEntry* entry = rt_fetch(shown->varno, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral) return nullptr;
  Oid table = InvalidOid;
  const AttrNumber column = shown_row(entry->subquery, shown->varattno, &table);
  if (column == 0 || !is_row_of(query, row, table, column)) return nullptr;
  Node* whole = condition;
  for (const auto* key : list<Var>(keys_of(entry->subquery, table))) {
    const AttrNumber number = number_of(entry->subquery, key);
    if (number == 0) continue;
    auto* of_groups = static_cast<Var*>(copyObjectImpl(shown));
    of_groups->varattno = of_groups->varattnosyn = number;
    of_groups->vartype = key->vartype;
    of_groups->vartypmod = key->vartypmod;
    of_groups->varcollid = key->varcollid;
    whole = make_and_qual(whole, operation("=", as<Node>(of_groups), as<Node>(beside(row, key))));
  }
  return whole;
}

Node* with_keys(Query* query, Node* condition) {
  Var* first = nullptr;
  Var* second = nullptr;
  if (!equates_columns(condition, &first, &second)) return condition;
  Node* changed = with_keys_of_join(query, condition, first, second);
  if (changed == nullptr) changed = with_keys_of_join(query, condition, second, first);
  return changed == nullptr ? condition : changed;
}

// --- o.id IN (SELECT max(id) …), o.id IN (SELECT id …) ---

// Of rows that are chosen, and not grouped: the column by which they are shown; 0 if they are not
// those of a table, told apart. unit: the column by which the table refers to its unit.
AttrNumber chosen_row(Query* rows, Oid* table, Var** unit) {
  if (!takes_only(rows, step::kSubLinks | step::kDistinct) || rows->targetList == NIL) return 0;
  const auto* column =
      maybe<Var>(as<Node>(static_cast<const TargetEntry*>(linitial(rows->targetList))->expr));
  if (column == nullptr || column->varlevelsup > 0 || column->varattno <= 0 ||
      may_be_absent(rows, static_cast<Index>(column->varno))) {
    return 0;
  }
  const RangeTblEntry* entry = rt_fetch(column->varno, rows->rtable);
  if (!is_table_alone(entry) || !leads_to_unit(entry->relid) || is_unit_table(entry->relid) ||
      unique_key_on(entry->relid, column->varattno, snapshot_at_work()) == nullptr) {
    return 0;
  }
  *table = entry->relid;
  const AttrNumber unit_column = unit_column_of(*table);
  const AttrNumber refers =
      unit_column > 0 ? unit_column : column_of_link(*link_of(*table), *table);
  if (refers <= 0 || !is_not_null(*table, refers, snapshot_at_work())) return 0;
  *unit = column_of_table(column->varno, *table, refers);
  return column->varattno;
}

void add_keys_to_list(const Query* query, SubLink* link) {
  if (link->subLinkType != ANY_SUBLINK || !IsA(link->testexpr, OpExpr)) return;
  const auto* comparison = as<OpExpr>(link->testexpr);
  auto* rows = as<Query>(link->subselect);
  const auto* row = maybe<Var>(static_cast<Node*>(linitial(comparison->args)));
  if (row == nullptr) return;
  Oid table = InvalidOid;
  Var* unit = nullptr;
  AttrNumber shown = shown_row(rows, 1, &table);
  if (shown == 0) shown = chosen_row(rows, &table, &unit);
  if (shown == 0 || !is_row_of(query, row, table, shown) ||
      !is_equality(comparison, as<Node>(row))) {
    return;
  }
  List* tests = list_make1(link->testexpr);
  for (const auto* key : list<Var>(unit == nullptr ? keys_of(rows, table) : list_make1(unit))) {
    const AttrNumber number = give_column(rows, as<Node>(key));
    tests = lappend(
        tests, operation("=", as<Node>(beside(row, key)), column_of_list(as<Node>(key), number)));
  }
  if (list_length(tests) == 1) return;
  link->testexpr = as<Node>(makeBoolExpr(AND_EXPR, tests, -1));
  for (int i = 1; i < list_length(tests); ++i) {
    link->operName = lappend(link->operName, makeString(pstrdup("=")));
  }
}

// --- o.id NOT IN (SELECT max(id) …) ---

// The row that the group of a key shows, if it has any: SELECT max(id) … WHERE key = the key of the
// row. Null if it is of another kind.
Node* of_own_group(const Query* query, const SubLink* link) {
  const auto* comparison = as<OpExpr>(link->testexpr);
  const auto* row = maybe<Var>(static_cast<Node*>(linitial(comparison->args)));
  auto* rows = as<Query>(link->subselect);
  Oid table = InvalidOid;
  const AttrNumber shown = row == nullptr ? 0 : shown_row(rows, 1, &table);
  if (shown == 0 || !is_row_of(query, row, table, shown) || rows->havingQual != nullptr ||
      !is_equality(comparison, as<Node>(row)) || !is_not_null(table, shown, snapshot_at_work()) ||
      names_outer_columns(rows)) {
    return nullptr;
  }
  const List* keys = keys_of(rows, table);
  if (list_length(rows->groupClause) != 1 || list_length(keys) != 1) return nullptr;
  auto* one = copy_of(rows);
  put_groups_in_place(one);
  auto* key = static_cast<const Var*>(linitial(keys));
  Var* own = beside(row, key);
  own->varlevelsup = 1;
  Node* tie = operation("=", static_cast<Node*>(copyObjectImpl(key)), as<Node>(own));
  one->jointree->quals = make_and_qual(one->jointree->quals, tie);
  one->groupClause = NIL;
  auto* target = static_cast<TargetEntry*>(copyObjectImpl(linitial(one->targetList)));
  target->ressortgroupref = 0;
  one->targetList = list_make1(target);
  return scalar_subquery(one);
}

// NOT id = ANY (…) is id IS DISTINCT FROM what the row's own group shows: neither is NULL.
Node* with_own_group(const Query* query, Node* condition) {
  const auto* negation = maybe<BoolExpr>(condition);
  if (negation == nullptr || negation->boolop != NOT_EXPR) return condition;
  const auto* link = maybe<SubLink>(static_cast<Node*>(linitial(negation->args)));
  if (link == nullptr || link->subLinkType != ANY_SUBLINK || !IsA(link->testexpr, OpExpr)) {
    return condition;
  }
  Node* value = of_own_group(query, link);
  if (value == nullptr) return condition;
  auto* different = static_cast<OpExpr*>(copyObjectImpl(link->testexpr));
  lsecond(different->args) = value;
  different->xpr.type = T_DistinctExpr;
  return as<Node>(different);
}

void visit(Query* query, Node** condition) {
  List* parts = NIL;
  for (auto* part : list<Node>(conjuncts(*condition))) {
    if (IsA(part, SubLink)) add_keys_to_list(query, as<SubLink>(part));
    parts = lappend(parts, with_own_group(query, with_keys(query, part)));
  }
  *condition = joined_by_and(parts);
}

void visit_joins(Query* query, Node* from) {
  check_stack_depth();
  if (!IsA(from, JoinExpr)) return;
  auto* join = as<JoinExpr>(from);
  visit_joins(query, join->larg);
  visit_joins(query, join->rarg);
  visit(query, &join->quals);
}

}  // namespace

void compare_keys_of_groups(Query* query) {
  if (query->jointree == nullptr) return;
  for (auto* from : list<Node>(query->jointree->fromlist)) visit_joins(query, from);
  visit(query, &query->jointree->quals);
}

}  // namespace idp

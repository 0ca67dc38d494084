// UNION, INTERSECT and EXCEPT.
#include "extension/query/walk.h"

#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/key_rows.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

constexpr Problem kSetOperation = {
    "INTERSECT or EXCEPT",
    "Say with WHERE which rows count, over columns of the row itself, or with EXISTS.",
    "choose rows with WHERE"};

// Casts that others have made are not looked at.
constexpr Problem kOtherTypes = {"set operations over columns of several types",
                                 "Cast the columns of each to one type.",
                                 "cast the columns of each to one type"};

Oid type_at(const SetOperationStmt* operation, int i) {
  return list_nth_oid(operation->colTypes, i);
}

bool has_one_form(const SetOperationStmt* operation, int i) {
  int32 typmod = list_nth_int(operation->colTypmods, i);
  const Oid type = getBaseTypeAndTypmod(type_at(operation, i), &typmod);
  return has_exact_equality(type, typmod, list_nth_oid(operation->colCollations, i));
}

void add_leaves(Node* node, List** leaves) {
  check_stack_depth();
  const auto* operation = reinterpret_cast<const SetOperationStmt*>(node);
  if (IsA(node, SetOperationStmt) && operation->op == SETOP_UNION && operation->all) {
    add_leaves(operation->larg, leaves);
    add_leaves(operation->rarg, leaves);
  } else {
    *leaves = lappend(*leaves, node);
  }
}

}  // namespace

// In the columns of the operation, to whose types it is cast.
Rows LevelWalk::rows_of_leaf(int relation, const SetOperationStmt* operation) {
  Rows rows = rows_of_relation(relation);
  if (rows.problem != nullptr) return rows;
  const Level below = level_.below(relation);
  const int count = list_length(operation->colTypes);
  if (!below.is_known() || rows.count < count) return rows_with_problem(&kOtherTypes);
  for (int i = 0; i < count; ++i) {
    const TargetEntry* target = column_shown(below.query()->targetList, i + 1);
    if (target == nullptr) return rows_with_problem(&kOtherTypes);
    const auto* column = as<Node>(target->expr);
    if (exprType(column) == type_at(operation, i) &&
        exprCollation(column) == list_nth_oid(operation->colCollations, i)) {
      continue;
    }
    const bool are_known =
        exprType(column) < FirstGenbkiObjectId && type_at(operation, i) < FirstGenbkiObjectId;
    if (!are_known) return rows_with_problem(&kOtherTypes);
    if (rows.columns[i].is_of_any_form) return rows_with_problem(&kFormShown);
    ColumnFacts facts;
    facts.id = facts_.new_id();
    rows.columns[i] = facts;
  }
  rows.count = count;
  return rows;
}

Rows LevelWalk::rows_of_sets(Node* node) {
  check_stack_depth();
  const auto* operation = reinterpret_cast<const SetOperationStmt*>(node);
  const int count = list_length(operation->colTypes);
  const auto rows_of = [&](Node* side) {
    return IsA(side, RangeTblRef)
               ? rows_of_leaf(reinterpret_cast<const RangeTblRef*>(side)->rtindex, operation)
               : rows_of_sets(side);
  };
  Rows columns = unknown_columns(count);
  for (int i = 0; i < count; ++i) {
    columns.columns[i].has_one_form = has_one_form(operation, i);
    const bool is_compared = operation->op != SETOP_UNION || !operation->all;
    const Oid collation = list_nth_oid(operation->colCollations, i);
    if (is_compared && !is_hashed_as_equal(type_at(operation, i), collation)) {
      return rows_with_problem(&kHashedOtherwise);
    }
  }

  if (operation->op != SETOP_UNION) {
    for (Node* side : {operation->larg, operation->rarg}) {
      const Rows rows = rows_of(side);
      if (rows.problem != nullptr) return rows;
      if (!rows.is_fixed) return rows_with_problem(&kSetOperation);
      columns.is_settled &= rows.is_settled;
      for (int i = 0; i < rows.count; ++i) {
        if (rows.columns[i].is_of_any_form) return rows_with_problem(&kFormShown);
        columns.is_settled &= rows.columns[i].has_one_form;
      }
    }
    return columns;
  }

  List* leaves = NIL;
  if (operation->all) {
    add_leaves(node, &leaves);
  } else {
    leaves = list_make2(operation->larg, operation->rarg);
  }
  List* members = NIL;
  bool has_constants = false;
  for (auto* leaf : list<Node>(leaves)) {
    if (IsA(leaf, RangeTblRef)) {
      const Level below = level_.below(reinterpret_cast<const RangeTblRef*>(leaf)->rtindex);
      bool gives_key_rows = false;
      if (below.is_known()) {
        for (const auto* target : list<TargetEntry>(below.query()->targetList)) {
          gives_key_rows |= is_key_marker(as<Node>(target->expr));
        }
      }
      if (gives_key_rows && operation->all) continue;
    }
    auto* member = static_cast<Rows*>(palloc(sizeof(Rows)));
    *member = rows_of(leaf);
    members = lappend(members, member);
  }
  Rows rows = rows_of_all(members, columns, has_constants);
  if (rows.problem != nullptr || operation->all) return rows;
  if (list_length(operation->groupClauses) != count) return rows_with_problem(&kOtherTypes);

  // UNION: of rows that agree in all columns one
  Keys keys;
  keys.count = count;
  const auto size = static_cast<Size>(count + 1);
  keys.columns = static_cast<const ColumnFacts**>(palloc0(sizeof(ColumnFacts*) * size));
  auto* operators = static_cast<Oid*>(palloc0(sizeof(Oid) * size));
  auto* collations = static_cast<Oid*>(palloc0(sizeof(Oid) * size));
  for (int i = 0; i < count; ++i) {
    const auto* clause = static_cast<const SortGroupClause*>(list_nth(operation->groupClauses, i));
    keys.columns[i] = rows.columns + i;
    operators[i] = clause->eqop;
    collations[i] = list_nth_oid(operation->colCollations, i);
  }
  keys.operators = operators;
  keys.collations = collations;
  Rows groups = groups_of(facts_, rows, keys, given_);
  if (groups.problem != nullptr) return groups;
  for (int i = 0; i < count; ++i) {
    // compared as values of the type are, which Var stands for
    if (!rows.columns[i].is_of_any_form) continue;
    Const* of_type =
        makeNullConst(type_at(operation, i), list_nth_int(operation->colTypmods, i), collations[i]);
    if (!compares_values(operators[i], collations[i], as<Node>(of_type))) {
      return rows_with_problem(&kFormShown);
    }
  }
  const Rows shown = shown_by_groups(facts_, rows, keys);
  groups.columns = shown.columns;
  groups.count = shown.count;
  groups.pins = shown.pins;
  groups.limits = shown.limits;
  return groups;
}

}  // namespace idp

#include "extension/domain/key_conditions.h"

#include "extension/domain/by_zone.h"
#include "extension/domain/over_value.h"
#include "extension/domain/session_zone.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"

extern "C" {
#include "access/sysattr.h"
#include "access/transam.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- which conditions they are ---

bool is_column_of(const Var* column, const List* columns) {
  if (column->varlevelsup > 0) return false;
  for (const auto* other : list<Var>(columns)) {
    if (other->varno == column->varno && other->varattno == column->varattno) return true;
  }
  return false;
}

// The zone of the session is one as long as a statement is executed.
bool is_changing_function(Oid function, void*) {
  return function >= FirstNormalObjectId ||
         (func_volatile(function) != PROVOLATILE_IMMUTABLE && !follows_zone(function));
}

// What is no value of the whole query.
bool find_varying(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Param)) return as<Param>(node)->paramkind != PARAM_EXTERN;
  if (IsA(node, SubLink) || IsA(node, Query) || IsA(node, Aggref) || IsA(node, WindowFunc)) {
    return true;
  }
  return walk_expression(node, find_varying, context);
}

// Of what names columns, functions that give the same as long as a statement is executed: rows and
// keys are looked at in different steps of a plan. What names none is evaluated once where rows are
// hidden, but for what functions of others give (pg/fold.h).
bool find_other(Node* node, void* columns) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    return !is_column_of(as<Var>(node), static_cast<const List*>(columns));
  }
  if (!names_columns(node)) {
    return find_varying(node, nullptr) || contain_volatile_functions(node) || calls_others(node) ||
           expression_returns_set(node);
  }
  if (!only_calls_functions(node) || shows_words_of_locale(node)) return true;
  return check_functions_in_node(node, is_changing_function, nullptr) ||
         walk_expression(node, find_other, columns);
}

// NOT (a OR b) is NOT a AND NOT b, and NOT at < end is at >= end.
void add_parts(Node* condition, List** found) {
  for (auto* part : list<Node>(conjuncts(condition))) {
    const auto* negation = maybe<BoolExpr>(part);
    if (negation == nullptr || negation->boolop != NOT_EXPR) {
      *found = lappend(*found, part);
      continue;
    }
    auto* negated = static_cast<Node*>(copyObjectImpl(linitial(negation->args)));
    *found = list_concat(*found, conjuncts(negate_clause(negated)));
  }
}

// WHERE and ON, of inner joins: what all rows fulfil.
void add_conditions(Node* node, List** found) {
  if (IsA(node, FromExpr)) {
    const auto* from = as<FromExpr>(node);
    add_parts(from->quals, found);
    for (auto* node : list<Node>(from->fromlist)) add_conditions(node, found);
  } else if (IsA(node, JoinExpr) && as<JoinExpr>(node)->jointype == JOIN_INNER) {
    const auto* join = as<JoinExpr>(node);
    add_parts(join->quals, found);
    add_conditions(join->larg, found);
    add_conditions(join->rarg, found);
  }
}

Node* with_column(Node* node, void* column) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Var)) return static_cast<Node*>(copyObjectImpl(column));
  return map_expression(node, with_column, column);
}

// --- which keys fulfil them ---

bool may_fail(Oid function, void*) { return !get_func_leakproof(function); }

// at >= date '2025-01-01' fails for dates alone that no instant has.
bool compares_with_day(const Node* node) {
  if (!IsA(node, OpExpr) || list_length(as<OpExpr>(node)->args) != 2) return false;
  const auto* comparison = as<OpExpr>(node);
  const auto* left = static_cast<const Node*>(linitial(comparison->args));
  const auto* right = static_cast<const Node*>(lsecond(comparison->args));
  const auto* day = maybe<Const>(IsA(left, Const) ? left : right);
  if (day == nullptr || day->constisnull || day->consttype != DATEOID ||
      exprType(left == reinterpret_cast<const Node*>(day) ? right : left) != TIMESTAMPTZOID) {
    return false;
  }
  return follows_zone(get_opcode(comparison->opno)) &&
         DatumGetDateADT(day->constvalue) < TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE;
}

bool find_failing(Node* node, void* context) {
  if (node == nullptr) return false;
  // equality and order of an enum fail for none of its values
  const bool is_of_enum =
      (IsA(node, OpExpr) || IsA(node, ScalarArrayOpExpr)) &&
      type_is_enum(exprType(static_cast<Node*>(linitial(
          IsA(node, OpExpr) ? as<OpExpr>(node)->args : as<ScalarArrayOpExpr>(node)->args))));
  if (IsA(node, Param) || IsA(node, CoerceViaIO)) return true;
  if (!is_of_enum && !compares_with_day(node) && check_functions_in_node(node, may_fail, nullptr))
    return true;
  return walk_expression(node, find_failing, context);
}

// An instant that its cell begins with, in the zone of the cells.
bool is_cell(const Node* node) {
  return IsA(node, FuncExpr) && as<FuncExpr>(node)->funcid == F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT &&
         IsA(llast(as<FuncExpr>(node)->args), Const);
}

// Puts the values of what names no column, and follows the zone of the session alone, in its place.
Node* with_values_by_zone(Node* node, void* by_zone) {
  if (node == nullptr || IsA(node, Const)) return node;
  bool is_by_zone = false;
  auto* inner = is_cell(node) ? static_cast<Node*>(lsecond(as<FuncExpr>(node)->args)) : node;
  const bool is_part = IsA(node, List) || IsA(node, CaseWhen) || IsA(node, CaseTestExpr);
  if (is_part || names_columns(node) || may_change(inner, &is_by_zone)) {
    return map_expression(node, with_values_by_zone, by_zone);
  }
  *static_cast<bool*>(by_zone) |= is_by_zone;
  return estimated(node);
}

// The condition if it can be told of values of the column when the query is planned, and never
// fails; null otherwise.
Node* settled(Node* condition, const KeyColumn& key) {
  bool by_zone = false;
  Node* same = with_values_by_zone(folded(condition), &by_zone);
  const List* columns = list_make1(const_cast<Var*>(key.column));
  const bool is_fixed = !contain_mutable_functions(same) || !may_change(same, &by_zone);
  if (!is_fixed || find_other(same, const_cast<List*>(columns)) || find_failing(same, nullptr)) {
    return nullptr;
  }
  if (by_zone) (void)zone_of_session();  // the plan holds for it alone
  return same;
}

bool is_true_of(OverValue& condition, Datum value, bool is_null) {
  bool no_answer = false;
  const Datum answer = condition.of(value, is_null, &no_answer);
  return !no_answer && DatumGetBool(answer);
}

void leave_out(Node* condition, KeyColumn* key) {
  OverValue test(condition, key->column, key->keys.type);
  int kept = 0;
  const Datum first = key->keys.count > 0 ? key->keys.values[0] : Datum{0};
  for (int i = 0; i < key->keys.count; ++i) {
    const Datum value = key->keys.values[i];
    if (is_true_of(test, value, false)) key->keys.values[kept++] = value;
  }
  const bool keeps_null = key->may_be_null && is_true_of(test, 0, true);
  test.end();
  const bool leaves_none = kept == 0 && !keeps_null;
  if (leaves_none && key->keys.count > 0) key->keys.values[kept++] = first;
  key->keys.count = kept;
  key->may_be_null = keeps_null || kept == 0;
}

}  // namespace

List* conditions_of_rows(const Query* query) {
  List* found = NIL;
  add_conditions(as<Node>(query->jointree), &found);
  return found;
}

List* only_on_columns(const List* conditions, const List* columns) {
  List* found = NIL;
  for (auto* condition : list<Node>(conditions)) {
    if (!names_columns(condition) || find_other(condition, const_cast<List*>(columns))) {
      continue;
    }
    found = lappend(found, copyObjectImpl(condition));
  }
  return found;
}

List* conditions_on_columns(const Query* query, const List* columns) {
  return only_on_columns(conditions_of_rows(query), columns);
}

List* conditions_on_column(const Query* query, const Var* column, const Var* above) {
  List* found = conditions_on_columns(query, list_make1(const_cast<Var*>(column)));
  ListCell* cell;
  foreach (cell, found) {
    lfirst(cell) = with_column(static_cast<Node*>(lfirst(cell)), const_cast<Var*>(above));
  }
  return found;
}

bool is_never_null(const Query* query, const Var* column) {
  List* nonnullable = find_nonnullable_vars(as<Node>(conditions_of_rows(query)));
  return is_among_nonnullable(column, nonnullable);
}

void leave_out_keys(const List* conditions, KeyColumn* key) {
  for (auto* node : list<Node>(conditions)) {
    CHECK_FOR_INTERRUPTS();
    Node* condition = settled(node, *key);
    if (condition != nullptr) leave_out(condition, key);
  }
}

}  // namespace idp

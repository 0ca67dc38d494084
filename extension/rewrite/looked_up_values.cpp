#include "extension/rewrite/looked_up_values.h"

#include "extension/access/total_functions.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/key_table.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/identity.h"
#include "extension/total/twins.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// Of so many values a lookup is faster than what it stands for is slow.
constexpr int kMostValues = 100;
constexpr int kMostBytes = 1000;

// --- which calls ---

// Whether the server's function, or operator, is one that rows are not given to.
bool is_unfit(Node* node) {
  if (!IsA(node, FuncExpr) && !IsA(node, OpExpr)) return false;
  const Oid function =
      IsA(node, FuncExpr) ? as<FuncExpr>(node)->funcid : get_opcode(as<OpExpr>(node)->opno);
  return function < FirstNormalObjectId && !get_func_retset(function) &&
         !get_func_leakproof(function) && !needs_of(function).has_value() &&
         twin_of(node) == nullptr;
}

// Whether it is the same at all times and in all sessions.
bool is_settled(Node* node) {
  return !contain_volatile_functions(node) && !contain_subplans(node) && !follows_session(node);
}

// --- the values of its columns ---

// Those that it names, each once, with their keys; false if one has none that are listed.
bool find_keys(const Query* query, Node* node, List** keys) {
  UsedColumns used{0};
  add_used_columns(&used, node);
  if (!used.is_plain || used.has_aggregates) return false;
  int combinations = 1;
  for (auto* column : list<Var>(used.columns)) {
    KeyColumn* key = key_of_column(query, column);
    const bool is_listed = key != nullptr && key->rows == nullptr && key->keys.values != nullptr &&
                           key->keys.grain.unit == nullptr && key->keys.type == column->vartype;
    if (!is_listed || key->count() > kMostValues / combinations) return false;
    combinations *= key->count();
    key->column = column;
    *keys = lappend(*keys, key);
  }
  return used.columns != NIL;
}

struct Place {
  const Var* column;
  const Const* value;
};

Node* with_value(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* place = static_cast<const Place*>(context);
  if (IsA(node, Var) && equal(node, place->column)) {
    return static_cast<Node*>(copyObjectImpl(place->value));
  }
  return map_expression(node, with_value, context);
}

Node* is_value(const Var* column, Const* value) {
  auto* copy = static_cast<Node*>(copyObjectImpl(column));
  return value->constisnull ? null_test(copy, IS_NULL) : operation("=", copy, as<Node>(value));
}

// --- the lookup ---

bool is_short(const Const* value) {
  return value->constisnull || value->constlen >= 0 ||
         (value->constlen == -1 &&
          VARSIZE_ANY_EXHDR(DatumGetPointer(value->constvalue)) <= kMostBytes);
}

// By the values of the first key, and then of the others. Null if one is not known.
Node* looked_up(Node* call, const List* keys) {
  CHECK_FOR_INTERRUPTS();
  if (keys == NIL) {
    Node* value = estimated(call);
    return IsA(value, Const) && is_short(as<Const>(value)) ? value : nullptr;
  }
  const auto* key = static_cast<const KeyColumn*>(linitial(keys));
  List* whens = NIL;
  for (int i = 0; i < key->count(); ++i) {
    Const* value = key_constant(*key, i);
    Place place{key->column, value};
    Node* found = looked_up(with_value(call, &place), list_copy_tail(keys, 1));
    if (found == nullptr) return nullptr;
    whens = with_when(whens, is_value(key->column, value), found);
  }
  const auto* type = as<Node>(call);
  return cases(nullptr, whens,
               as<Node>(makeNullConst(exprType(type), exprTypmod(type), exprCollation(type))));
}

Node* with_lookups(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  Node* copy = map_expression(node, with_lookups, context);
  if (!is_unfit(copy) || !is_settled(copy)) return copy;
  List* keys = NIL;
  if (!find_keys(static_cast<const Query*>(context), copy, &keys)) return copy;
  Node* value = looked_up(copy, keys);
  return value == nullptr ? copy : value;
}

bool find_unfit_call(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  return is_unfit(node) || walk_expression(node, find_unfit_call, nullptr);
}

}  // namespace

void look_up_values(Query* query) {
  constexpr int kOwn = QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES;
  if (query->commandType != CMD_SELECT || !walk_query(query, find_unfit_call, nullptr, kOwn))
    return;
  put_groups_in_place(query);
  (void)map_query(query, with_lookups, query, QTW_DONT_COPY_QUERY | kOwn);
}

}  // namespace idp

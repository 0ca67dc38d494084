#include "extension/domain/steps.h"

#include <utility>

#include "extension/domain/finite_keys.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- a value and constants ---

// value op constant; an equality that is denied has its strategy negated.
struct Comparison {
  Node* value = nullptr;
  const Const* constant = nullptr;
  int strategy = 0;
};

Oid family_of(Oid type) { return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf; }

// How a type is compared otherwise than by bytes is no matter here: text is left out, whose order
// follows collations.
bool is_comparison(Node* node, Comparison* found) {
  if (!IsA(node, OpExpr) || list_length(as<OpExpr>(node)->args) != 2) return false;
  auto* left = static_cast<Node*>(linitial(as<OpExpr>(node)->args));
  auto* right = static_cast<Node*>(lsecond(as<OpExpr>(node)->args));
  Oid op = as<OpExpr>(node)->opno;
  if (!names_columns(left)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  const Oid type = exprType(left);
  const bool is_known = OidIsValid(op) && names_columns(left) && IsA(right, Const) &&
                        !as<Const>(right)->constisnull && exprType(right) == type &&
                        !OidIsValid(exprCollation(left)) && OidIsValid(family_of(type));
  if (!is_known) return false;
  found->value = left;
  found->constant = as<Const>(right);
  found->strategy = get_op_opfamily_strategy(op, family_of(type));
  if (found->strategy == 0 && OidIsValid(get_negator(op))) {
    found->strategy = -get_op_opfamily_strategy(get_negator(op), family_of(type));
    if (found->strategy != -BTEqualStrategyNumber) return false;
  }
  return found->strategy != 0;
}

Node* tested_for_null(Node* node) {
  if (!IsA(node, NullTest) || as<NullTest>(node)->argisrow) return nullptr;
  auto* value = as<Node>(as<NullTest>(node)->arg);
  return names_columns(value) ? value : nullptr;
}

struct Found {
  Node* value = nullptr;
  List* constants = NIL;  // of Const

  bool is_of(Node* other) {
    if (value == nullptr) value = other;
    return equal(value, other);
  }
};

// Whether the expression names columns otherwise than in such comparisons of one value.
bool find_other_use(Node* node, void* context) {
  if (node == nullptr || !names_columns(node)) return false;
  auto* found = static_cast<Found*>(context);
  Comparison comparison;
  if (is_comparison(node, &comparison)) {
    found->constants = lappend(found->constants, const_cast<Const*>(comparison.constant));
    return !found->is_of(comparison.value);
  }
  if (Node* value = tested_for_null(node)) return !found->is_of(value);
  if (IsA(node, Var)) return true;
  return walk_expression(node, find_other_use, context);
}

// --- steps ---

int compare(Oid type, const Const* a, const Const* b) {
  TypeCacheEntry* known = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
  return DatumGetInt32(
      FunctionCall2Coll(&known->cmp_proc_finfo, InvalidOid, a->constvalue, b->constvalue));
}

// In order, each once.
List* sorted(Oid type, const List* constants) {
  List* found = NIL;
  for (auto* constant : list<Const>(constants)) {
    int place = 0;
    int order = 1;
    for (const auto* other : list<Const>(found)) {
      order = compare(type, constant, other);
      if (order <= 0) break;
      ++place;
    }
    if (order != 0 || found == NIL) found = list_insert_nth(found, place, constant);
  }
  return found;
}

// A value that is NULL, or lies before, on or behind constants: the place 2i is before the i-th,
// 2i + 1 on it.
constexpr int kNull = -1;

struct Place {
  Oid type;
  const List* constants;
  int place;
};

Node* over_place(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* at = static_cast<const Place*>(context);
  Comparison comparison;
  if (is_comparison(node, &comparison)) {
    if (at->place == kNull) return makeBoolConst(false, true);
    int i = 0;
    for (const auto* constant : list<Const>(at->constants)) {
      if (compare(at->type, constant, comparison.constant) == 0) break;
      ++i;
    }
    const int order = at->place - (2 * i + 1);
    switch (comparison.strategy) {
      case BTLessStrategyNumber:
        return makeBoolConst(order < 0, false);
      case BTLessEqualStrategyNumber:
        return makeBoolConst(order <= 0, false);
      case BTEqualStrategyNumber:
        return makeBoolConst(order == 0, false);
      case BTGreaterEqualStrategyNumber:
        return makeBoolConst(order >= 0, false);
      case BTGreaterStrategyNumber:
        return makeBoolConst(order > 0, false);
      default:
        return makeBoolConst(order != 0, false);
    }
  }
  if (tested_for_null(node) != nullptr) {
    const bool is_null = at->place == kNull;
    return makeBoolConst((as<NullTest>(node)->nulltesttype == IS_NULL) == is_null, false);
  }
  return map_expression(node, over_place, context);
}

CaseWhen* when(Node* condition, Node* result) {
  auto* one = makeNode(CaseWhen);
  one->expr = as<Expr>(condition);
  one->result = as<Expr>(result);
  one->location = -1;
  return one;
}

CaseExpr* choice(const Node* of_type, List* whens, Node* otherwise) {
  auto* expression = makeNode(CaseExpr);
  expression->casetype = exprType(of_type);
  expression->casecollid = exprCollation(of_type);
  expression->args = whens;
  expression->defresult = as<Expr>(otherwise);
  expression->location = -1;
  return expression;
}

Node* compared(const Node* value, int strategy, const Node* constant) {
  return comparison(static_cast<Node*>(copyObjectImpl(value)), strategy,
                    static_cast<Node*>(copyObjectImpl(constant)));
}

Node* is_null(const Node* value) {
  return null_test(static_cast<Node*>(copyObjectImpl(value)), IS_NULL);
}

// Values that all expressions have at a place, as numbers of steps: places where all are the same
// are one step. -1: one has no value there that is known.
int step_of(Steps* steps, const Place& place) {
  List* values = NIL;  // of Const, by expression
  for (auto* expression : list<Node>(steps->expressions)) {
    Node* value = folded(over_place(folded(expression), const_cast<Place*>(&place)));
    if (!IsA(value, Const)) return -1;
    values = lappend(values, value);
  }
  const int known = list_length(static_cast<const List*>(linitial(steps->values)));
  for (int step = 0; step < known; ++step) {
    bool is_same = true;
    ListCell* value;
    ListCell* by_step;
    forboth(value, values, by_step, steps->values) {
      is_same &= equal(lfirst(value), list_nth(static_cast<const List*>(lfirst(by_step)), step));
    }
    if (is_same) return step;
  }
  ListCell* value;
  ListCell* by_step;
  forboth(value, values, by_step, steps->values) {
    lfirst(by_step) = lappend(static_cast<List*>(lfirst(by_step)), lfirst(value));
  }
  return known;
}

// False if a step has no value that is known, or there is one step alone.
bool number_steps(const Query* query, Steps* steps, Node* value, const List* all_constants) {
  const Oid type = exprType(value);
  if (!OidIsValid(lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc)) return false;
  const List* constants = sorted(type, all_constants);
  for (int i = 0; i < list_length(steps->expressions); ++i) {
    steps->values = lappend(steps->values, NIL);
  }
  List* whens = NIL;
  const auto add = [&](Node* condition, int place) {
    const int step = step_of(steps, {type, constants, place});
    if (step >= 0) whens = lappend(whens, when(condition, integer(step)));
    return step >= 0;
  };
  if (may_value_be_null(query, value) && !add(is_null(value), kNull)) return false;
  int i = 0;
  for (const auto* constant : list<Node>(constants)) {
    if (!add(compared(value, BTLessStrategyNumber, constant), 2 * i) ||
        !add(compared(value, BTEqualStrategyNumber, constant), 2 * i + 1)) {
      return false;
    }
    ++i;
  }
  const int last = step_of(steps, {type, constants, 2 * i});
  if (last < 0) return false;
  if (list_length(static_cast<const List*>(linitial(steps->values))) < 2) return false;
  Node* otherwise = integer(last);
  steps->step = as<Node>(choice(otherwise, whens, otherwise));
  return true;
}

}  // namespace

List* steps_of(const Query* query, const List* expressions) {
  List* all = NIL;
  List* left = list_copy(expressions);
  while (left != NIL) {
    auto* first = static_cast<Node*>(linitial(left));
    left = list_delete_first(left);
    Found found;
    if (find_other_use(folded(first), &found) || found.value == nullptr) continue;
    auto* steps = static_cast<Steps*>(palloc(sizeof(Steps)));
    *steps = Steps{};
    steps->expressions = list_make1(first);
    ListCell* cell;
    foreach (cell, left) {
      auto* other = static_cast<Node*>(lfirst(cell));
      Found same{found.value, list_copy(found.constants)};
      if (find_other_use(folded(other), &same)) continue;
      found.constants = same.constants;
      steps->expressions = lappend(steps->expressions, other);
      left = foreach_delete_current(left, cell);
    }
    const bool are_several = list_length(steps->expressions) > 1;
    if (are_several && number_steps(query, steps, found.value, found.constants)) {
      all = lappend(all, steps);
    }
  }
  return all;
}

Node* value_of_step(const Node* expression, const List* values, const Node* step) {
  List* whens = NIL;
  int i = 0;
  for (auto* value : list<Node>(values)) {
    whens = lappend(whens, when(compared(step, BTEqualStrategyNumber, integer(i)),
                                static_cast<Node*>(copyObjectImpl(value))));
    ++i;
  }
  auto* last = static_cast<CaseWhen*>(llast(whens));
  return as<Node>(choice(expression, list_delete_last(whens), as<Node>(last->result)));
}

}  // namespace idp

// Expressions that follow from how a value compares with constants alone, as the tiers of a measure
// do:
//
//   CASE WHEN amount < 100 THEN '0' ELSE '1' END, CASE WHEN amount < 100 THEN 'low' ELSE 'high' END
//
// Each has values that everybody may know (finite_keys.h). Of several over the same value these
// come together in some ways only: one for each step of the value, from constant to constant.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Expressions over the same value, and what they are by its step.
struct Steps {
  Node* step = nullptr;     // the number of the step: CASE over the value
  List* expressions = NIL;  // of Node
  List* values = NIL;       // of List of Const, for each expression: by step
};

// Of those among the expressions, of a query, that are over the same value, two or more; of Steps.
List* steps_of(const Query* query, const List* expressions);

// What an expression is by the number of the step.
Node* value_of_step(const Node* expression, const List* values, const Node* step);

}  // namespace idp

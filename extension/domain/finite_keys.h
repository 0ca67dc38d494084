// Expressions over any columns whose values everybody may know, by their form: what CASE chooses
// among constants, truth values, and whole numbers of bounded ones, as bins of a histogram are.
//
//   CASE WHEN amount > 1000 THEN 'large' ELSE 'small' END     large, small
//   amount > 1000                                             false, true
//   floor(amount / 200)                                       0 to 10, of amounts from 0 to 2000
#pragma once

#include "extension/domain/domain.h"
#include "extension/pg/pg.h"

namespace idp {

struct KeyImage;

struct FiniteKeys {
  Keys keys;
  bool may_be_null;
  KeyImage* image = nullptr;  // key_images.h
  bool is_pinned = false;     // whether conditions of the query alone say which (pinned_keys.h)
  List* within = NIL;         // of Var: rows in which one of these has no key are to be left out
  List* several = NIL;        // of KeyColumn: as in key_column.h
};

// Of an expression over columns of the query; false if it has none, or more than kMostKeys. A
// number that is listed is shown with no more digits than it needs: of floor(x) * 100.0 floor(x)
// is, where that can be, and a float may have another form of an equal one. is_whole: it cannot,
// only the expression is seen, as it is.
bool finite_keys(Query* query, Node* expression, bool is_whole, FiniteKeys* found);

// Of an expression that is the same constant for all rows; false if it is none.
bool keys_of_constant(Node* expression, FiniteKeys* found);

// Whether an expression may be NULL for a row that the query reads.
bool may_value_be_null(const Query* query, Node* expression);

}  // namespace idp

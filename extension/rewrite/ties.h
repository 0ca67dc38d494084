// A subquery that one condition alone ties to rows of the query around it.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// column = column of a query around it.
struct Tie {
  OpExpr* equality = nullptr;
  Var* own = nullptr;    // of the subquery
  Var* outer = nullptr;  // of the query around it
};

// Takes the tie out of the conditions of a subquery; false if there is none, or more than that
// names queries around it. level: how far out the one stands that it is tied to.
bool take_tie(Query* subquery, Tie* tie, Index level = 1);

// Whether the subquery groups by the column of the tie, if it groups at all.
bool groups_by_tie(const Query* subquery, const Tie& tie);

// The one column that a subquery shows; null if there are more.
const Node* shown_by(const Query* query);

}  // namespace idp

// Expressions over hidden rows: they may neither fail nor tell. One that fails for some rows is an
// answer without noise, and so is one that has an effect for some.
//
// Allowed are the functions of access/total_functions.cpp, total twins (total/twins.h), functions
// of the server that are leakproof, and those of users that superusers trust; under the kinds of
// expressions that cannot fail either.
// What does not depend on the rows may fail: it is evaluated before the first of them is read, and
// where its functions depend on settings or on the time, its value is put in its place
// (substitution.h).
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// What is not allowed in an expression: a function, or words for something else.
struct Unfit {
  Oid function = InvalidOid;
  const char* words = nullptr;
  const char* way_out = nullptr;  // with words: what to write instead
  bool is_constant = false;       // it stands in what does not depend on the rows
  bool any() const { return OidIsValid(function) || words != nullptr; }
};

// Whether a value, several times in a row that is sorted or kept, would fail where there is such a
// row.
bool is_long(Oid type, NullableDatum value);

// Whether an expression has a value that is the same for all rows, and can be put in its place.
bool can_be_settled(Node* expression);

// Of an expression of a running query, or of a list of them. What does not depend on rows and can
// fail is evaluated, unless the query is only explained.
Unfit find_unfit(Node* expression, PlanState* node);

// Of LIMIT or OFFSET, which must be known beforehand and not be negative.
Unfit find_unfit_count(Node* count, PlanState* node);

// Of an operator that sorts or compares rows; and of one by which rows are put in groups or
// pairs, maybe hashed or in order.
Unfit find_unfit_operator(Oid op, Oid collation);
Unfit find_unfit_equality(Oid op, Oid collation);

Unfit find_unfit_collation(Oid collation);

// Of an aggregate of the server, over groups of hidden rows.
Unfit find_unfit_aggregate(const Aggref* aggref, PlanState* node);

}  // namespace idp

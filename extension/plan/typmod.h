// The declared precision and scale of the values an aggregate reads: they follow from the types of
// columns and from constants of the query, never from data.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/plan_trace.h"

namespace idp {

// The typmod that all values of a numeric expression have, or -1. Unlike exprTypmod() it sees
// through CASE, coalesce, greatest, least and nullif, and through the columns of subqueries. NULL
// says nothing, nor does a constant whose digits the typmod of the others holds. reader: the plan
// node that computes the expression.
int32 numeric_typmod(Node* expression, const PlanNode& reader);

// Of what idp.clip gives: it has the digits of its bound, and is no greater. -1 of another
// function, and where the bound says nothing.
int32 typmod_of_clip(const WindowFunc* call);

}  // namespace idp

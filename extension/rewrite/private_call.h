// Private aggregates as nodes of a query, in place of plain ones.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// An epsilon, a fraction.
Const* float_constant(double value);

// The call NAME(arguments) in place of the plain one, whose FILTER it keeps. arguments: of Expr;
// the first may have any type that the aggregate's can be made of: it is cast. Null if the
// extension has no such aggregate for these types.
Aggref* private_call(const char* name, const Aggref* plain, List* arguments);

// The same, in place of no other.
Aggref* private_call(const char* name, List* arguments);

// A value as that type; null if there is no such cast.
Node* as_type(Node* value, Oid type);

// An answer as the type of the plain call; null if there is no such cast.
Node* as_type_of(const Aggref* plain, Node* answer);

// A plain call that is a part of a total: its answer may be negative, so that the total is right on
// average. Its place in the text says so, which parts have none of: nothing else is left of a call
// when it is copied.
void mark_part_of_total(Aggref* call);
bool is_part_of_total(const Aggref* call);

// The answer in place of the call, of what is never negative.
Node* never_negative(const Aggref* plain, Node* answer);

// The answer, or 0 where noise made it negative.
Node* at_least_zero(Node* answer);

}  // namespace idp

// Expressions as the parser makes them. It gives them their collations afterwards, from
// what a query says; here they have that of what they are made of.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/primnodes.h"
}

namespace idp {

// value::type; null if there is no such cast.
Node* cast_to(Node* value, Oid type, CoercionForm form);

// left name right, by an operator of the server.
Node* operation(const char* name, Node* left, Node* right);
// The same of two values of one type, by the operator of a strategy of its order.
Node* comparison(Node* left, int strategy, Node* right);

// The column of an entry whose values are like these; or that gives what its query has there.
Var* column_like(int entry, AttrNumber number, const Node* value);
Var* column_like(int entry, const TargetEntry* given);
// That column of a table, which is an entry.
Var* column_of_table(int entry, Oid table, AttrNumber number);

// An expression with that column in each place of one of its parts.
Node* with_column(Node* expression, const Node* part, const Var* column);

// A parameter whose values are like these.
Node* parameter_like(ParamKind kind, int number, const Node* value);

// value IS NULL, or IS NOT NULL.
Node* null_test(Node* value, NullTestType type);

// (SELECT …): the value of the only column of the only row.
Node* scalar_subquery(Query* subquery);

Node* text_constant(const char* text);
Node* integer(int32 value);
Node* bigint(int64 value);

// The lesser, or the greater, of two values of one type.
Node* end_of(MinMaxOp op, Node* one, Node* other);
Node* between(Node* value, Node* lower, Node* upper);
// The value where a condition holds, NULL elsewhere; the value itself without a condition.
Node* where(Node* condition, Node* value);
// A value, or another one of its type where it is NULL.
Node* coalesced(Node* value, Node* otherwise);
// An aggregate of the server; of all rows without an argument, as count(*).
Aggref* aggregate_call(Oid function, Oid type, Node* argument);
// CASE: with one more WHEN, and of them all. argument: null where conditions name it themselves.
List* with_when(List* whens, Node* condition, Node* result);
Node* cases(Node* argument, List* whens, Node* otherwise);

}  // namespace idp

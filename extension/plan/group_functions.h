// Aggregates and window functions of the server by what their values depend on.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/plan_trace.h"

namespace idp {

// Whether the value of an aggregate depends on the rows of its group alone, not on the order in
// which they come, and it has no effect.
bool depends_on_group_alone(Oid aggregate);

// Whether it gives a value, or NULL, for every group: of those the first is true of. Of one that is
// split in halves, each half has to. reader: the plan node that computes it.
bool is_total(const Aggref* aggref, const PlanNode& reader);

// The same of a window function.
bool is_total(const WindowFunc* call, const PlanNode& reader);

bool is_count(Oid function);

// Whether an aggregate gives one of its arguments, of a type whose equal values may look different:
// any of those that are equal.
bool gives_an_argument(Oid aggregate);

// Whether a window function gives the value that a row of its partition has.
bool gives_value_of_row(Oid function);

// Whether a window function is idp.clip (extension/aggregate/clip.cpp).
bool is_clip(Oid function);

// Of a window function: whether its value depends on its own row and on the rows of its partition
// alone, if their order is settled; and whether also if rows of it are peers.
bool depends_on_partition_alone(Oid function);
bool is_same_for_peers(const WindowFunc* call);

// Whether a function of the server gives one of the values of its argument: min(), max(),
// bool_and(), bool_or().
bool is_one_of(Oid aggregate, const List* arguments);
// The value of which a window function gives that of another row, or NULL: lag(x), first_value(x),
// min(x) OVER …; null of anything else.
Node* value_of_another(const WindowFunc* call);

// What an aggregate gives one of the values of: min(), max(), bool_and(), bool_or(). Null of
// anything else.
Node* value_of_one(const Node* node);

// The column of which an aggregate gives one of the values: min(), max(), bool_and(), bool_or().
// Null of anything else.
const Var* column_of_one(const Node* value);

// Whether the frame of a window has the row itself in it, whatever rows there are.
bool has_own_row(const Query* query, const WindowFunc* call);

}  // namespace idp

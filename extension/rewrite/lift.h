// The query of the groups, and the one around it, while a level is taken apart
// (lift_conditions.cpp).
#pragma once

#include "extension/pg/pg.h"

#include "extension/rewrite/lifted_parts.h"

namespace idp {

struct Lift {
  LiftedParts parts;
  Query* level;            // a copy of what is changed, whose FROM is what stays of it
  List* keys = NIL;        // of Node: what it groups by
  List* targets = NIL;     // of TargetEntry: the columns of the groups
  List* grouped = NIL;     // of SortGroupClause: of the groups
  bool is_inside = false;  // the condition of a join is at work, which puts no NULL in itself
  bool is_of_one = false;  // an aggregate has to be that of one of the groups
  bool fails = false;
};

// Where the entries of the outer query stand: the groups, what is lifted, and the outer joins.
inline constexpr int kGroups = 1;

// A column of the groups that shows a value of theirs. context: a Lift.
Node* shown(Node* value, void* context);
// An expression over what is lifted and over rows, as one over what is lifted and keys of groups.
Node* lifted(Node* expression, void* context);
// A subquery that hangs on columns of the level: on what is lifted, and on keys. are_keys: whether
// what is lifted has to be a key as well.
Node* lifted_link(Lift& lift, const Node* link, bool are_keys);

// Whether a node is a value by itself: others are parts of what has one.
bool is_value(const Node* node);

}  // namespace idp

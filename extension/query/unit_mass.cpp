// The mass of a column: what the absolute values of one unit, in all of its rows together, add up
// to at most.
//
// It begins at idp.clip(v, bound) OVER (PARTITION BY key), where a partition is all rows of one
// unit: there the values add up to the bound (extension/aggregate/clip.cpp). A step that leaves
// rows out, or shows one of several, takes from the sum; one that may give a row twice ends it
// (after() in unit_columns.cpp), and so does any expression but the column itself.
//
// A sum of such a column, over all groups of a GROUP BY together, moves by no more than the bound
// in L1 if all that belongs to a unit is added or removed: each value is clamped to [L, U], which
// brings it no further from 0 where L <= 0 <= U. So a unit does what one row does whose value is
// within [L, U], if the bound is no more than -L where L < 0, and than U where U > 0: its values in
// one group add up to something in [L, U], and in all groups to at most max(-L, U). A substituted
// unit is one removed and one added, as a row is. So the charge is that of one row, however many
// rows there are (extension/statement/charging.cpp).
#include "extension/plan/certain.h"
#include "extension/plan/group_functions.h"
#include "extension/query/unit_rows.h"

extern "C" {
#include "utils/datum.h"
}

namespace idp {

Node* mass_of_window(const WindowFunc* call, const Rows& rows) {
  // Where it is that of one value of a parameter, each unit has as much for every value.
  if (!is_clip(call->winfnoid) || rows.is_lateral) return nullptr;
  return static_cast<Node*>(lsecond(call->args));
}

}  // namespace idp

// Groups of hidden rows that may be shown: those of an aggregate that dp_keep_group decides about.
//
// HAVING dp_keep_group(epsilon, delta), alone or with further conditions by AND, shows a group with
// a probability that one row changes by no more than that allows, and none that no row is in. For
// that nothing may leave the others:
//   - The node itself throws groups away, with its first condition. The server evaluates one after
//     the other and goes on only while they hold; so what comes after, and what the node gives, is
//     computed for kept groups alone, and may fail or tell. Before the decision there may be other
//     answers that are yes or no, nothing that could fail. (The planner sorts conditions by their
//     cost, and an aggregate by itself has none.)
//   - Answers of all groups are finished before: they draw noise and fail for none. But one with a
//     release name would be stored, with the name, for groups that are not shown.
//   - How groups are told apart is total, as everything over hidden rows.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether the node shows only groups that were decided about, by all their rows.
bool shows_kept_groups(AggState* node);

// Whether it computes dp_keep_group at all.
bool has_decision(AggState* node);

// Whether one of its answers has a release name.
bool has_named_answer(AggState* node);

}  // namespace idp

// Groups of hidden rows that may be shown: those of an aggregate that dp_keep_group decides about.
//
// HAVING dp_keep_group(epsilon, delta), alone or with further conditions by AND, shows a group with
// a probability that one row changes by no more than that allows, and none that no row is in. For
// that nothing may leave the others:
//   - PrivateAnswers throws groups away as it reads them, by the first conditions of HAVING as far
//     as they are answers that are yes or no (plan/answers_plan.h). What comes after, and what the
//     query makes of answers, is computed for kept groups alone, and may fail or tell. (The planner
//     sorts conditions by their cost, and an aggregate by itself has none.)
//   - Answers of all groups are finished before: they draw noise and fail for none. But one with a
//     release name would be stored, with the name, for groups that are not shown.
//   - How groups are told apart is total, as everything over hidden rows.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// Whether only groups of the aggregation leave the node of its answers that were decided about, by
// all their rows.
bool shows_kept_groups(AggState* node, const CustomScan* answers);

// Whether it computes dp_keep_group at all.
bool has_decision(AggState* node);

// Whether one of its answers has a release name.
bool has_named_answer(AggState* node);

}  // namespace idp

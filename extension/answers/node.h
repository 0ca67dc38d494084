// The executor's side of PrivateAnswers.
//
// Read for the first time, the node reads the aggregation below to its end, in a quiet room: with
// fixed settings, after the tables that are joined to hidden rows, and uncounted where rows are
// hidden. It drops groups that were decided about, sorts the others by their keys, and keeps them.
// From then on it gives what it keeps, however often and in whichever direction it is read: one
// execution, one draw.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/answers_plan.h"

extern "C" {
#include "executor/tuptable.h"
}

namespace idp {

// Makes the node known to the server. Once, before any plan holds it.
void register_answers();

// Whether what is below depends on values of an outer query, as far as the executor has set the
// query up: then there are other answers for each of its rows, which cannot be charged. Such
// answers are drawn again for each from then on.
bool draws_again(PlanState* node);

// The aggregation whose answers it gives.
PlanState* drawing_node(const PlanState* node);

// Has the node give answers that were drawn before, in place of drawing any. rows: of HeapTuple.
void give_again(PlanState* node, const List* rows);

// Likewise some columns (from 0), in the groups that it draws, which are the same: it draws the
// others. keys (of int): the columns that say which group a row is.
void fill_in(PlanState* node, const List* rows, const Bitmapset* columns, const List* keys);

// Has the node show what it draws for one column (from 0) in another one, too, in place of a draw.
void copy_column(PlanState* node, int from, int to);

// Has the node give the rows of another one, which draws them when one of the two is first read.
// columns (of int, from 0): of the other one, for each of its own.
void give_rows_of(PlanState* node, PlanState* source, const List* columns);

// Who sees what a node draws: each row as it is drawn, and before any is given that these are all;
// or that the node ends without.
struct Watcher {
  void (*see)(TupleTableSlot* row, Watcher* watcher);
  void (*end)(bool is_drawn, Watcher* watcher);
};
void watch(PlanState* node, Watcher* watcher);

// Draws what somebody watches now, not when it is first read: a portal may be read at any time, or
// never, and others wait for what it keeps. Once it is charged, where the query starts.
void draw_at_once(PlanState* node);

// The columns of its rows.
TupleDesc columns_of_answers(const PlanState* node);

// What EXPLAIN prints of them: of char*.
void explain_as(PlanState* node, List* lines);

// Has the node show nothing of what is below it to whoever looks at the plan that runs.
void hide_below(PlanState* node);

// Likewise any node, of the CTEs that hang on it and are read below answers. Not of one that is
// another for each row of an outer query: it learns by hanging there that it has to be made anew.
// Nor is there need to: answers of an outer row are refused, so the node is below them.
void hide_ctes(PlanState* node, const List* read_below);

}  // namespace idp

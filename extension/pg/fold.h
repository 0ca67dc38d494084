// Constants are evaluated once for a statement.
//
// A statement over hidden rows is read in several steps: it is rewritten, keys of groups are
// listed, and rows are chosen; each evaluates what names no column. That need not give the same
// twice: a function that somebody declared IMMUTABLE may count its calls, and what is IMMUTABLE for
// the server reads settings now and then (bytea_output), which functions of others change, that the
// planner calls for indexes and constraints of their tables. Were each step to evaluate for itself,
// keys could follow one value, and rows another, so that a group is there only if there are rows.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/params.h"
#include "nodes/parsenodes.h"
}

namespace idp {

// Whether an expression, or a query at any level, calls a function that is neither the server's nor
// the extension's.
bool calls_others(Node* node);

// What a plan of the query hangs on besides.
struct Dependencies {
  List* items;  // of PlanInvalItem
  bool role;
};

// Puts values in place of constant expressions, and the texts of SQL functions in place of their
// calls, where the planner could, in the whole query. parameters: those of the statement, or null.
// Where hidden rows are read it reports 0A000 for a function in SQL that is not replaced, as the
// planner could do that later, in each place by itself.
Dependencies settle_constants(Query* query, ParamListInfo parameters, bool reads_hidden_rows);

// A copy of the expression with its constants evaluated: as it is where it calls such functions.
Node* folded(const Node* expression);

// A copy of the expression with the values that it has now in place of what follows the time and
// settings of the session as well: also where output is plain (plain_output.h).
Node* estimated(const Node* expression);

// An expression or a query, changed, with values in place of what names no columns: as
// settle_constants() leaves it if it calls none of such functions, and as it is otherwise. is_now:
// of what follows the time and settings as well, the values that it has now.
Node* with_constants(Node* node, bool is_now = false);

// Whether a node itself calls a function that is the text of a query which somebody other wrote:
// the planner may put that in place of the call, be it late.
bool calls_text_of_others(Node* node);

}  // namespace idp

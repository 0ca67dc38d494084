// Constants that functions of others give: evaluated once for a statement.
//
// A function that somebody declared IMMUTABLE need not be. A statement over hidden rows is read in
// several steps: it is rewritten, keys of groups are listed, and rows are chosen; each folds what
// names no column. Would each call such a function, keys could follow one value of it, and rows
// another, so that a group is there only if there are rows.
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

// Puts values, and the texts of SQL functions, in place of calls of such functions, where the
// planner could, in the whole query. parameters: those of the statement, or null. dependencies:
// what a plan hangs on then (of PlanInvalItem) is added. What is left calls them while it runs.
void settle_calls(Query* query, ParamListInfo parameters, List** dependencies);

// A copy of the expression with its constants evaluated: as it is where it calls such functions.
Node* folded(const Node* expression);

}  // namespace idp

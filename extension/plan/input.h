// What the rows of an aggregate are: which tables they come from, and whether each of them is one
// row of one table.
//
// The sensitivities are right only if one record is one input. On a protected table an aggregate is
// therefore answered only if each of its inputs is one row of that table, once, whatever the other
// rows hold. What stands below the aggregate is walked with a list of what keeps this promise:
// scans, the partitions of one table, sorts, gathers, and the subqueries, views and CTEs that are
// made of these. Everything else breaks it until proven otherwise: a join repeats a row, a LIMIT
// takes one because others are missing, a subquery in WHERE looks at all of them.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/problem.h"
#include "extension/plan/sources.h"

namespace idp {

struct Input {
  List* relations = NIL;  // as in Sources
  Oid root = InvalidOid;  // the table they all are parts of, or are; invalid if there are several
  const Problem* problem = nullptr;  // why an input is not simply a row of it, or null
};

Input input_of(AggState* node, const Sources& sources);

// What stands between an expression of an aggregate and the promise: as Input::problem. parameters:
// of the executor, whose values are known to be columns of rows; windows: whether window functions
// are looked at elsewhere.
const Problem* expression_problem(Node* expression, const Bitmapset* parameters = nullptr,
                                  bool windows = false);

// A member of UNION ALL that is a row of constants, and the other ways to mix rows of tables.
bool is_row_of_constants(const PlanState* node);
extern const Problem kUnionAll;
extern const Problem kSeveralTables;

// The first argument of a call as text over the columns of its table, to tell one column from
// another; empty if the statistic has no column.
struct ColumnText {
  char* plain;
  char* in_session;  // as the settings of the session have it: what 0.2.0 stored
};
ColumnText column_text(AggState* node, Aggref* aggref, const Input& input, bool has_column);

}  // namespace idp

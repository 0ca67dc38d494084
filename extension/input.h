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

#include "extension/pg.h"

#include "extension/problem.h"

namespace idp {

// Where the values come from that an aggregate reads.
struct Sources {
  List* relations = NIL;  // of Oid: each table read below, as often as it is read
  // Whether that is all. If not, values come from outside (an outer query, the other side of a
  // nested loop) or from a plan of an unknown kind: relations then holds all tables of the query.
  bool complete = true;
};

struct Input {
  List* relations = NIL;  // as in Sources
  Oid root = InvalidOid;  // the table they all are parts of, or are; invalid if there are several
  const Problem* problem = nullptr;  // why an input is not simply a row of it, or null
};

// The tables of the whole query.
List* tables_of_query(EState* state);

Input input_of(AggState* node, const Sources& sources);

// Of the rows below the node and of the arguments and filters of its aggregates.
// of_worker: the plan is a part of a parallel one, whose leader has asked the same about the whole:
// values that the leader computed do not count.
Sources sources_of(AggState* node, bool of_worker);

// What stands between an expression of an aggregate and the promise: as Input::problem.
const Problem* expression_problem(Node* expression);

// The first argument of a call as text over the columns of its table, to tell one column from
// another; empty if the statistic has no column.
char* column_text(AggState* node, Aggref* aggref, const Input& input, bool has_column);

}  // namespace idp

// Which tables the rows of an aggregate, and the values of its arguments, come from.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/problem.h"

namespace idp {

// Where the values come from that an aggregate reads.
struct Sources {
  List* relations = NIL;  // of Oid: each table read below, at least twice if it is read more than once
  // Null if that is all. If not, why: values come from outside (an outer query, the other side of a
  // nested loop), from a plan of an unknown kind, or from partitions that each process chooses for
  // itself. Then relations holds all tables of the query.
  const Problem* unknown = nullptr;
};

// Of the rows below the node and of the arguments and filters of its aggregates.
// of_worker: the plan is a part of a parallel one, whose leader has asked the same about the whole:
// values that the leader computed do not count.
Sources sources_of(AggState* node, bool of_worker);

// The tables of the whole query.
List* tables_of_query(EState* state);

}  // namespace idp

// Between which values a column of a table that everybody may know has all of its values: those
// that it has now, read when the query is planned. A private aggregate clamps to them, so that a
// row that comes later tells nothing; plans that are kept are made anew after other transactions
// (PlannedStmt.transientPlan).
#pragma once

#include "extension/domain/levels.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// As a domain says, or the values of a public table. False of columns that have no domain, and of
// public tables that who asks may not read or that take long to read.
bool known_bounds(const QueryLevel& level, Node* column, Datum* lower, Datum* upper);

// Around the planning of one query: whether it, or one that is planned meanwhile, depends on what a
// public table holds.
class PublicBoundsWatch {
 public:
  PublicBoundsWatch();
  // Has the plan made anew in other transactions, if it does.
  void end(PlannedStmt* plan);

 private:
  uint64 before_;  // how many were read
};

}  // namespace idp

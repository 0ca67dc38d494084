// The private aggregates of a running query: what protects the tables they read, and what they
// cost.
//
// When a query starts, before a row is read, its plan is walked. An aggregate over a protected
// table must keep the rules (input.h), and one without a release name is charged there and then:
// its cost depends on the plan alone, so a query that is cancelled, a cursor that is closed early
// and a group that HAVING drops cost the same as the whole answer. A named one is charged by its
// final function, which alone knows the name.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// Called when the executor has set up a query, also one without private calls: walks its plan,
// once. Binds the private calls, checks them, and charges what has no name.
void begin_statement(QueryDesc* query);

// Checks, before a function takes its first row in, that the answer can be charged: that the start of
// the query knows the call, or that no protected table is read. Other code may call our functions
// for aggregates of its own (Citus: worker_partial_agg), and would see what they collect.
void require_known_call(FunctionCallInfo fcinfo);

// The call that a final function was called for; null for an aggregate that is not one of ours.
BoundCall* answering_call(FunctionCallInfo fcinfo);

// Checks that the answer of a call whose request is fixed is the one that was charged: that the
// rows were collected for that request.
void require_charged(BoundCall* call, const StateArgument& state);

}  // namespace idp

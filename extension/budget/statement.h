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

#include "extension/call/call.h"
#include "extension/state/state.h"

namespace idp {

// One private aggregate call in one plan node. Lives as long as the execution of its query.
struct RunningAggregate {
  AggState* node;
  Aggref* aggref;
  RunningAggregate* twin;  // the same call over other partitions, which is charged; or null
  List* accounts;          // what it is charged to: empty if nothing protects its tables
  double floor;            // the least sensitivity of idp_ answers: the greatest of the accounts'
  const char* name;        // of the aggregate
  const Request* request;  // what is charged; null if nothing is, and no release has a name

  struct Prepared* prepared;  // of its final function: what is the same for all groups; or null

  // Named releases only.
  ExprState* release;       // computes the name for the current group; null if there is none
  Oid table;                // what the rows are rows of; invalid if that is not one table
  List* tables;             // all that are read, of Oid
  char* column;             // what is aggregated
  struct Family* families;  // one for each grouping set that has begun
  HTAB* names;              // hashes of the names given so far, where there are groups

  bool started;   // whether it was executed
  bool watched;   // hashed groups: whether a second execution would be noticed,
  bool repeated;  // and whether there was one

  // The call that is charged for this one.
  RunningAggregate* charged() { return twin ? twin->charged() : this; }
};

// Whether there is anything to check: most queries have no private aggregate.
bool has_private_aggregate(QueryDesc* query);

// Called when the executor has set up a query that has one: checks, and charges what has no name.
void begin_statement(QueryDesc* query);

// The call that a final function was called for; null for an aggregate that is not one of ours.
RunningAggregate* running_aggregate(FunctionCallInfo fcinfo);

// Checks that an answer is the one that was charged: that the rows were collected for that request,
// and that this is not a second execution.
void require_charged(RunningAggregate* call, const StateArgument& state);

// Whether a node answers for groups. Its strategy tells, not the number of its columns: the planner
// drops those that WHERE pins to one value, which may be all of GROUP BY.
bool has_groups(const Agg* plan);

// Whether the answers of the grouping set at work are those of several groups.
bool is_grouped(const AggState* node);

}  // namespace idp

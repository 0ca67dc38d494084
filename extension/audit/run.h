// One execution of a query that is audited: with all rows, or without those of one unit.
//
// It starts as every other does (statement/), with the same rewriting, checks and errors, so the
// calls, their noise and what they cost are those of the query itself. But nothing is charged,
// kept, or taken from what was kept. A final function puts down what it would have drawn from,
// group by group, and draws nothing.
//
// Rows of a unit are not deleted. The scans of the plan pass over them: no trigger fires, no
// foreign key objects, no lock is taken and nothing is written, so there is nothing to roll back.
// The plan is the same with and without a unit, whatever is in its conditions and joins.
#pragma once

#include "extension/pg/pg.h"

#include <type_traits>

#include "extension/budget/account.h"
#include "extension/call/bound_call.h"
#include "extension/state/running_query.h"

extern "C" {
#include "executor/execdesc.h"
#include "storage/itemptr.h"
#include "tcop/dest.h"
}

namespace idp {

// What a group would have been answered from.
struct Witness {
  const char* group;  // its keys, as text
  bytea* evidence;    // compare.h
  // Its answer if there were no noise: whatever reads it reads the same in all executions.
  Datum answer;
  bool is_null;
};

struct AuditedCharge {
  int32 account;
  Datum epsilon;  // amounts (budget/amount.h)
  Datum delta;    // 0 if there is none
};

struct AuditedCall {
  const char* name;
  int node;  // calls of one aggregation have the same number
  Request request;
  List* charges;             // of AuditedCharge
  bytea* of_nothing;         // the evidence of a group without rows; null until there is any group
  List* witnesses;           // of Witness
  const AuditedCall* first;  // the same in the execution with all rows; null in that one
  MemoryContext memory;
};

// A row of a table, or of a partition. A hash sees all of its bytes: none may lie between the
// parts, or behind them, where what is copied has any value.
struct RowPlace {
  Oid table;
  BlockNumber block;
  uint32 number;  // on the page
};
static_assert(std::has_unique_object_representations_v<RowPlace>);

// The rows that an execution passes over.
HTAB* new_left_out();
void leave_out(HTAB* left_out, Oid table, const ItemPointerData& place);

struct AuditRun {
  DestReceiver receiver;
  MemoryContext memory;    // of what it finds
  HTAB* left_out;          // null: nothing is
  const AuditRun* before;  // the execution with all rows; null in that one
  List* calls;             // of AuditedCall
  HTAB* scans;             // those of protected tables
};

// For a query to be started with.
AuditRun new_audit_run(HTAB* left_out, const AuditRun* before);

// The one that a query was started for; null if it is for anything else.
AuditRun* audit_run(const QueryDesc* query);

// In place of charging: the calls of the query are bound, and their accounts known. cost: what an
// account would be charged for a call.
using CostOfCall = AuditedCharge (*)(const BoundCall& call, const Account& account);
void begin_audit(AuditRun& run, RunningQuery& query, PlanState* root, CostOfCall cost);

// In place of drawing. nothing: the evidence of a group without rows. Returns what is read in place
// of the answer, of type result.
NullableDatum put_down(BoundCall* call, const Witness& witness, bytea* nothing, Oid result);

// Which group a node is finishing.
char* group_text(const AggState* node);

}  // namespace idp

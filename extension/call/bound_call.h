// One private aggregate call in one plan node, from the start of the executor to the last answer.
//
// It is made before a row is read (plan/bind.h): what is asked for is evaluated once, and
// transition, combine and final function, charge and release look it up. Where a plan did not start
// as a query does, such as the recheck of a row that was updated meanwhile, it is made with the
// first row, from the function and its evaluated arguments alone; such a call is never charged.
#pragma once

#include "extension/pg/pg.h"

#include "core/grid/offsets.h"
#include "extension/call/call.h"
#include "extension/state/state.h"
#include "extension/types/bucket_finder.h"

extern "C" {
#include "datatype/timestamp.h"
}

namespace idp {

// What its transition function works out with the first row that its node sees.
struct CallRows {
  bool any = false;       // whether that was done
  Offsets offsets;        // where values are clamped to two bounds and added up
  BucketFinder buckets;   // of a histogram
  bool is_wide = false;   // the column's grid is
  bool is_plain = false;  // likewise: see types.h
  std::uint64_t spec_head = ~std::uint64_t{0};  // head_of() the request's spec, once there are any
  NodeStorage* storage = nullptr;               // where states grow
  std::size_t extremes = 0;                     // extremes_kept() of the request
  std::int64_t full_count = -1;                 // of a state with all extremes, on a narrow grid
  std::size_t last_extreme = 0;                 // which of its words() is the innermost of them
  bool may_defer = false;                       // see group_backlog.h
  std::int64_t groups = 0;                      // how many have begun
  struct GroupBacklog* backlog = nullptr;       // null: there are not so many
  // Where the payload does not grow with the rows: the first bytes of the last state that every
  // check let pass. All zero, which no state's are, before the first one.
  char sound_head[sizeof(FlatState)] = {};
};

// What was charged for an answer that is refined.
struct PaidBefore {
  double epsilon;
  TimestampTz at;  // not later than that
  List* costs;     // of Datum: what each of the accounts was charged, in their order
};

// What it is charged to, and how often (statement/).
struct CallCharge {
  List* accounts = NIL;  // empty if nothing protects its tables
  double floor = 0;      // the least sensitivity of idp_ answers: the greatest of the accounts'
  bool is_idle = false;  // whether the plan said that it is never executed
  bool has_one_group = false;        // whether it has one at most, whatever the data
  bool is_repeated = false;          // whether its answers were drawn, and paid for, before
  const PaidBefore* paid = nullptr;  // what of those that are refined; null if none are
  List* costs = NIL;      // of Datum: what each of the accounts was charged, in their order
  List* numbers = NIL;    // of ChargeNumber: the rows of the ledger that say so
  bool is_fixed = false;  // whether it is charged, or stored, for this request and no other
  // Whether each of its inputs is one row of a table, once, and its answers are drawn once: then
  // what it begins can be charged, also by a table that is protected later.
  bool is_sound = false;
};

// Of which release it answers (release/).
struct CallRelease {
  ExprState* name = nullptr;          // computes it for the current group; null if there is none
  Oid table = InvalidOid;             // what the rows are rows of; invalid if that is not one table
  List* tables = NIL;                 // all that are read, of Oid
  char* column = nullptr;             // what is aggregated
  char* column_in_session = nullptr;  // the same, as the session would print it
  struct Question* question = nullptr;  // plan/question.h
  struct Family* families = nullptr;    // one for each grouping set that has begun
  HTAB* names = nullptr;                // hashes of the names given so far, where there are groups
};

// The noise of its answers, where it is kept (answers/keeper.h).
struct CallNoise {
  bool is_kept = false;
  // Of the group that was drawn last: core/gradual/record.h.
  bytea* record = nullptr;
  bytea* noise = nullptr;
};

struct BoundCall {
  AggState* node = nullptr;
  Aggref* aggref = nullptr;    // null if it is not known
  const char* name = nullptr;  // of the aggregate
  Call call;                   // the combining half has that of the collecting one
  Request request;
  bool is_bound = false;     // whether its arguments were looked for in the plan
  bool has_request = false;  // not if the query is only explained, or the aggregate is not known
  NullableDatum parameters[kMaxParameters] = {};  // the values the request was read from
  struct Prepared* prepared = nullptr;  // what is the same for all groups (finals.cpp); or null

  CallRows rows;
  CallCharge charge;
  CallRelease release;
  CallNoise noise;
  struct AuditedCall* audited = nullptr;  // where it is not answered but looked at (audit/run.h)
};

// A call with nothing in it, in the current memory context.
BoundCall* new_bound_call(AggState* node, Aggref* aggref);

// Whether a private aggregate's function computes the state or the answer of a call in a node.
bool collects_privately(const AggState* node, const Aggref* aggref);
bool answers_privately(const AggState* node, const Aggref* aggref);

// The call that was made when the executor started; null if there was none.
BoundCall* find_bound_call(AggState* node, const Aggref* aggref);

}  // namespace idp

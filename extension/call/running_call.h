// A call of one of our aggregates while its rows come in: what its transition function works out
// with the first row the plan node sees, because it is the same for all rows.
#pragma once

#include "extension/pg/pg.h"

#include "core/grid/offsets.h"
#include "extension/types/bucket_finder.h"
#include "extension/call/call.h"
#include "extension/state/state.h"

namespace idp {

struct RunningCall {
  Call call;
  Request request;
  bool has_request = false;
  Offsets offsets;       // where values are clamped to two bounds and added up
  BucketFinder buckets;  // of a histogram

  // Aggregates that keep values:
  bool is_wide = false;                         // the column's grid is
  bool is_plain = false;                        // likewise: see types.h
  std::uint64_t spec_head = ~std::uint64_t{0};  // head_of() the request's spec, once there is one
  NodeStorage* storage = nullptr;               // where states grow
  std::size_t extremes = 0;                     // extremes_kept() of the request, once there is one
  std::int64_t full_count = -1;                 // of a state with all extremes, on a narrow grid
  std::size_t last_extreme = 0;                 // which of its words() is the innermost of them
  bool may_defer = false;                       // see group_backlog.h
  std::int64_t groups = 0;                      // how many have begun
  struct GroupBacklog* backlog = nullptr;       // null: there are not so many

  // Where the payload does not grow with the rows: the first bytes of the last state that every
  // check let pass. All zero, which no state's are, before the first one.
  char sound_head[sizeof(FlatState)] = {};
};

RunningCall& call_of(FunctionCallInfo fcinfo, Statistic statistic);
// The call if it has been seen before; otherwise null. Nobody but call_of() sets it, and only for a
// call of an aggregate, whose function is called for nothing else.
inline RunningCall* running_call(FunctionCallInfo fcinfo) {
  return static_cast<RunningCall*>(fcinfo->flinfo->fn_extra);
}

// The arguments, read with the first row.
const Request& request_of(RunningCall& running, FunctionCallInfo fcinfo);

// Statistic, grid and groups of a spec in one word. Equal words are of equal specs, as far as these
// go; bytes between them may make equal specs differ.
inline std::uint64_t head_of(const Spec& spec) {
  static_assert(offsetof(Spec, grid) + sizeof(Grid) <= 8);
  std::uint64_t head;
  memcpy(&head, &spec, sizeof head);
  return head;
}

inline bool belongs_to(const Spec& spec, const Call& call) {
  return spec.statistic == call.statistic && spec.grid == call.column.grid;
}

// The state to change, made the state of this call with the first row of its group.
StateArgument begin_or_match(FunctionCallInfo fcinfo, RunningCall& running);

}  // namespace idp

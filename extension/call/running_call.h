// The bound call of a transition function, which looks for it with the first row that its node
// sees, and the states that belong to it.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"

namespace idp {

// Reports an error if a call may not be served.
using CallCheck = void (*)(FunctionCallInfo fcinfo);

// The call of a transition function; with its first row, require is asked before anything else.
// Whoever serves aggregates asks for known_call() (aggregate/collect.h).
BoundCall& call_of(FunctionCallInfo fcinfo, Statistic statistic, CallCheck require);
// The same if it has been seen before; otherwise null. Nobody but call_of() sets it, and only for a
// call of an aggregate, whose function is called for nothing else.
inline BoundCall* running_call(FunctionCallInfo fcinfo) {
  return static_cast<BoundCall*>(fcinfo->flinfo->fn_extra);
}

// Statistic, grid and groups of a spec, or of a stored one, in one word. Equal words are of equal
// specs, as far as these go; bytes between them may make equal specs differ.
template <class AnySpec>
inline std::uint64_t head_of(const AnySpec& spec) {
  static_assert(offsetof(AnySpec, statistic) == offsetof(StoredSpec, statistic) &&
                offsetof(AnySpec, groups) == offsetof(StoredSpec, groups) &&
                offsetof(AnySpec, grid) == offsetof(StoredSpec, grid) &&
                offsetof(AnySpec, grid) + sizeof(Grid) <= 8);
  std::uint64_t head;
  memcpy(&head, &spec, sizeof head);
  return head;
}

inline bool belongs_to(Statistic statistic, const Grid& grid, const Call& call) {
  return statistic == call.statistic && grid == call.column.grid;
}

// The state to change, made the state of this call with the first row of its group.
StateArgument begin_or_match(FunctionCallInfo fcinfo, BoundCall& bound);

}  // namespace idp

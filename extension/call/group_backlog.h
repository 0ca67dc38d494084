// GROUP BY with very many groups: the rows of a hashed aggregation go to a backlog
// (core/collect/backlog.h) instead of to their groups' states, which would each be a walk
// through memory that no cache holds. A group is known by the address of its flat state.
//
// That needs states that only our own final function will see, at the address where they are: those
// of a hashed, undivided aggregation. Groups that begin while there is a backlog keep the empty
// state they were given: the smaller the states, the nearer to each other lie the groups that the
// server looks up for each row. Where memory does not allow a backlog, or no longer does, rows go
// to their states as ever.
#pragma once

#include "extension/pg/pg.h"

#include <new>

#include "core/collect/backlog.h"
#include "extension/pg/guard.h"
#include "extension/pg/slabs.h"
#include "extension/call/bound_call.h"

namespace idp {

struct GroupBacklog {
  SlabResource memory;
  BoundCall* owner;
  FlatState* blank;  // a state of the call with no values, for groups that have none of their own
  const AggState* node;
  int transition;  // which of the node's
  GroupBacklog* following;
  std::size_t most_bytes;  // before it is closed
  std::size_t taken;       // from the node's storage
  bool open;
  std::size_t empties;  // so many more groups may stay empty
  MemoryContextCallback freed;
  union {
    Backlog<Key64> narrow;
    Backlog<Key128> wide;
  };

  template <class Key>
  Backlog<Key>& keys() {
    return member_of<Key>(narrow, wide);
  }

  GroupBacklog(MemoryContext context, bool is_wide);
};

// Whether the states of a call are such that their rows may be deferred.
bool may_defer(const AggState* node, const Aggref* aggref, Statistic statistic);

// Called when another group has begun: opens a backlog if there are many, and room.
void consider_backlog(BoundCall& running, FunctionCallInfo fcinfo);

// Whether a group keeps its empty state. One with rows in the backlog does; the count of its state
// is then 1. So do further ones, but no more than may begin at once when the backlog closes.
inline bool stays_empty(GroupBacklog* backlog, FlatState* group) {
  if (group->count == 0) {
    if (!backlog->open || backlog->empties == 0) return false;
    --backlog->empties;
    group->count = 1;
  }
  return true;
}

// Puts a row down; false if it has to go to its state.
template <class Key>
bool defer(GroupBacklog* backlog, const FlatState* group, Key key) {
  if (!backlog->open) return false;
  Backlog<Key>& keys = backlog->keys<Key>();
  if (keys.bytes() >= backlog->most_bytes) {
    backlog->open = false;  // what was put down stays there
    return false;
  }
  guarded([&] { keys.add(group, key); });
  return true;
}

// Moves what was put down for a state to the state that takes its place, once rows go to states.
void move_deferred(BoundCall& running, const FlatState* group, StateArgument& state,
                   const Home& home);

// The backlog with values of the states that a final function is called for; usually null.
GroupBacklog* backlog_of(FunctionCallInfo fcinfo);

// The values deferred for a group. Inside guarded().
template <class Key>
std::span<const Key> deferred(GroupBacklog* backlog, const FlatState* group) {
  if (backlog == nullptr) return {};
  Backlog<Key>& keys = backlog->keys<Key>();
  if (!keys.is_gathered()) keys.gather(interrupt_pending);
  backlog->open = false;
  return keys.of(group);
}

}  // namespace idp

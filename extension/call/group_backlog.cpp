#include "extension/call/group_backlog.h"

#include "extension/pg/aggregate_context.h"
#include "extension/call/functions.h"
#include "extension/pg/nodes.h"

namespace idp {

namespace {

// From so many groups on: fewer of them are found in the cache.
constexpr std::int64_t kManyGroups = 8192;
// A backlog begins with 4 MB, whatever is in it.
constexpr std::size_t kLeastLimit = std::size_t{64} << 20;

GroupBacklog* all_backlogs = nullptr;

// The states go away, and the backlog with them.
void forget_backlog(void* argument) {
  auto* backlog = static_cast<GroupBacklog*>(argument);
  for (GroupBacklog** link = &all_backlogs; *link != nullptr; link = &(*link)->following) {
    if (*link == backlog) {
      *link = backlog->following;
      break;
    }
  }
  backlog->owner->rows.storage->give_back(backlog->taken);
  backlog->owner->rows.backlog = nullptr;
  backlog->owner->rows.groups = 0;
}

template <class Key>
void move_keys(GroupBacklog* backlog, const FlatState* group, StateArgument& state,
               const Home& home) {
  std::span<const Key> keys;
  guarded([&] { keys = deferred<Key>(backlog, group); });
  if (keys.empty()) return;
  add_keys(state, keys.data(), keys.size(), home);
  backlog->keys<Key>().forget(group);
}

}  // namespace

// Each of its many parts has a piece at once: they come from slabs from the first on.
GroupBacklog::GroupBacklog(MemoryContext context, bool is_wide)
    : memory(context, is_wide ? Backlog<Key128>::kPieceBytes : Backlog<Key64>::kPieceBytes, 0) {
  if (is_wide) {
    new (&wide) Backlog<Key128>(&memory);
  } else {
    new (&narrow) Backlog<Key64>(&memory);
  }
}

bool may_defer(const AggState* node, const Aggref* aggref, Statistic statistic) {
  if (collects(statistic) != Collects::kValues || node->aggstrategy != AGG_HASHED ||
      node->aggsplit != AGGSPLIT_SIMPLE) {
    return false;
  }
  for (const auto* other : list<Aggref>(node->aggs)) {
    if (other->aggtransno != aggref->aggtransno) continue;
    const AggStatePerAggData& finish = node->peragg[other->aggno];
    if (!OidIsValid(finish.finalfn_oid) || !is_final_function(finish.finalfn.fn_addr)) return false;
  }
  return true;
}

void consider_backlog(BoundCall& running, FunctionCallInfo fcinfo) {
  if (!running.rows.may_defer || running.rows.backlog != nullptr ||
      running.rows.groups < kManyGroups)
    return;
  NodeStorage* storage = running.rows.storage;
  if (storage->limit() < kLeastLimit || !storage->has_room(storage->limit() / 4)) return;
  MemoryContext context =
      AllocSetContextCreate(aggregate_context(fcinfo), "idp backlog", ALLOCSET_DEFAULT_SIZES);
  void* place = MemoryContextAllocZero(context, sizeof(GroupBacklog));
  auto* backlog = new (place) GroupBacklog(context, running.call.column.grid.is_wide());
  backlog->owner = &running;
  backlog->node = as<AggState>(fcinfo->context);
  backlog->transition = AggGetAggref(fcinfo)->aggtransno;
  // Gathering needs half as much again.
  backlog->most_bytes = storage->limit() / 4;
  backlog->taken = backlog->most_bytes;
  storage->take(backlog->taken);
  MemoryContext before = MemoryContextSwitchTo(context);
  backlog->blank = new_flat_state(running.request);
  MemoryContextSwitchTo(before);
  backlog->open = true;
  backlog->empties = storage->limit() / 4 / kFirstFlatBytes;
  backlog->freed.func = forget_backlog;
  backlog->freed.arg = backlog;
  MemoryContextRegisterResetCallback(context, &backlog->freed);
  backlog->following = all_backlogs;
  all_backlogs = backlog;
  running.rows.backlog = backlog;
}

void move_deferred(BoundCall& running, const FlatState* group, StateArgument& state,
                   const Home& home) {
  if (running.call.column.grid.is_wide()) {
    move_keys<Key128>(running.rows.backlog, group, state, home);
  } else {
    move_keys<Key64>(running.rows.backlog, group, state, home);
  }
}

GroupBacklog* backlog_of(FunctionCallInfo fcinfo) {
  if (all_backlogs == nullptr) return nullptr;
  const Aggref* aggref = AggGetAggref(fcinfo);
  GroupBacklog* backlog = all_backlogs;
  while (backlog != nullptr && (static_cast<const void*>(backlog->node) != fcinfo->context ||
                                aggref == nullptr || backlog->transition != aggref->aggtransno)) {
    backlog = backlog->following;
  }
  return backlog;
}

}  // namespace idp

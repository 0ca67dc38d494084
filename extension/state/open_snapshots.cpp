#include "extension/state/open_snapshots.h"

#include <algorithm>

extern "C" {
#include "access/xact.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

struct OpenSnapshot {
  QueryDesc* query;
  const EState* state;
  const SnapshotData* snapshot;
  OpenSnapshot* following;
  MemoryContextCallback end;
};

OpenSnapshot* all_open = nullptr;

// Whether no transaction has ended since.
bool is_of_now(const SnapshotData* snapshot) {
  const SnapshotData* latest = GetLatestSnapshot();
  return snapshot->xmin == latest->xmin && snapshot->xmax == latest->xmax &&
         snapshot->xcnt == latest->xcnt &&
         std::equal(snapshot->xip, snapshot->xip + snapshot->xcnt, latest->xip);
}

void forget(void* open) {
  OpenSnapshot** link = &all_open;
  while (*link != open) link = &(*link)->following;
  *link = (*link)->following;
}

}  // namespace

void note_snapshot(QueryDesc* query) {
  EState* state = query->estate;
  auto* open =
      static_cast<OpenSnapshot*>(MemoryContextAlloc(state->es_query_cxt, sizeof(OpenSnapshot)));
  *open = {query, state, state->es_snapshot, all_open, {forget, open, nullptr}};
  MemoryContextRegisterResetCallback(state->es_query_cxt, &open->end);
  all_open = open;
}

void for_each_open_query(void (*work)(QueryDesc*)) {
  for (const OpenSnapshot* open = all_open; open != nullptr; open = open->following) {
    work(open->query);
  }
}

bool reads_with_old_snapshot(const EState* state) {
  for (const OpenSnapshot* open = all_open; open != nullptr; open = open->following) {
    if (open->state != state && open->snapshot == state->es_snapshot) {
      return IsInParallelMode() || !is_of_now(state->es_snapshot);
    }
  }
  return false;
}

}  // namespace idp

#include "extension/state/running_query.h"

extern "C" {
#include "executor/executor.h"
}

namespace idp {

namespace {

RunningQuery* all_queries = nullptr;

void forget(void* query) {
  for (RunningQuery** link = &all_queries; *link != nullptr; link = &(*link)->following) {
    if (*link == query) {
      *link = (*link)->following;
      return;
    }
  }
}

}  // namespace

RunningQuery* find_query(const EState* state) {
  RunningQuery* query = all_queries;
  while (query != nullptr && query->state != state) query = query->following;
  return query;
}

const Bitmapset* answered_values_of(const EState* state) {
  const RunningQuery* query = find_query(state);
  return query == nullptr ? nullptr : query->answered_values;
}

bool is_only_explained(const EState* state) {
  return (state->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0;
}

RunningQuery* query_of(EState* state) {
  if (RunningQuery* query = find_query(state)) return query;
  MemoryContext context = state->es_query_cxt;
  auto* query = static_cast<RunningQuery*>(MemoryContextAllocZero(context, sizeof(RunningQuery)));
  auto* callback = static_cast<MemoryContextCallback*>(
      MemoryContextAllocZero(context, sizeof(MemoryContextCallback)));
  callback->func = forget;
  callback->arg = query;
  MemoryContextRegisterResetCallback(context, callback);
  query->state = state;
  query->charged_until = DT_NOEND;
  query->following = all_queries;
  all_queries = query;
  return query;
}

}  // namespace idp

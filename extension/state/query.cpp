#include "extension/state/query.h"

namespace idp {

namespace {

Query* all_queries = nullptr;

void forget(void* query) {
  for (Query** link = &all_queries; *link != nullptr; link = &(*link)->following) {
    if (*link == query) {
      *link = (*link)->following;
      return;
    }
  }
}

}  // namespace

Query* find_query(const EState* state) {
  Query* query = all_queries;
  while (query != nullptr && query->state != state) query = query->following;
  return query;
}

Query* query_of(EState* state) {
  if (Query* query = find_query(state)) return query;
  MemoryContext context = state->es_query_cxt;
  auto* query = static_cast<Query*>(MemoryContextAllocZero(context, sizeof(Query)));
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

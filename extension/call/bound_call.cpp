#include "extension/call/bound_call.h"

#include <new>

#include "extension/call/functions.h"
#include "extension/pg/nodes.h"
#include "extension/state/running_query.h"

namespace idp {

BoundCall* new_bound_call(AggState* node, Aggref* aggref) {
  // The server aligns to 8 bytes, 128-bit integers need more.
  constexpr Size kAlignment = alignof(BoundCall);
  void* place = palloc(sizeof(BoundCall) + kAlignment);
  auto* bound = new (reinterpret_cast<void*>(TYPEALIGN(kAlignment, place))) BoundCall;
  bound->node = node;
  bound->aggref = aggref;
  return bound;
}

bool collects_privately(const AggState* node, const Aggref* aggref) {
  const AggStatePerTransData& transition = node->pertrans[aggref->aggtransno];
  return statistic_of(transition.transfn.fn_addr) != Statistic::kNone ||
         is_combine_function(transition.transfn.fn_addr);
}
bool answers_privately(const AggState* node, const Aggref* aggref) {
  const AggStatePerAggData& final = node->peragg[aggref->aggno];
  return OidIsValid(final.finalfn_oid) && is_final_function(final.finalfn.fn_addr);
}

BoundCall* find_bound_call(AggState* node, const Aggref* aggref) {
  const RunningQuery* query = find_query(node->ss.ps.state);
  for (auto* call : list<BoundCall>(query == nullptr ? NIL : query->calls)) {
    if (call->node == node && call->aggref == aggref) return call;
  }
  return nullptr;
}

}  // namespace idp

#include "extension/call/node_storage.h"

#include "extension/call/functions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_aggregate.h"
}

namespace idp {

namespace {

bool is_combined_by_us(const AggState* node, const Aggref* aggref) {
  // Without an initial state the server itself makes the first state that arrives the combined one.
  if (node->pertrans[aggref->aggtransno].initValueIsNull) return false;
  HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
  if (!HeapTupleIsValid(tuple)) {
    elog(ERROR, "cache lookup failed for aggregate %u", aggref->aggfnoid);
  }
  const Oid combine = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(tuple))->aggcombinefn;
  ReleaseSysCache(tuple);
  if (!OidIsValid(combine)) return false;
  FmgrInfo function;
  fmgr_info(combine, &function);
  return is_combine_function(function.fn_addr);
}

// Whether the node hands its states to another process (or another plan node of the process that
// stands in for one), and nothing but our combine function ever sees them there.
bool states_travel(const AggState* node) {
  const bool is_below_gather = node->ss.ps.state->es_query_dsa != nullptr;
  if (!DO_AGGSPLIT_SKIPFINAL(node->aggsplit) || !is_below_gather) return false;
  for (const auto* aggref : list<Aggref>(node->aggs)) {
    const PGFunction transition = node->pertrans[aggref->aggtransno].transfn.fn_addr;
    const bool is_ours =
        statistic_of(transition) != Statistic::kNone || is_combine_function(transition);
    if (is_ours && !is_combined_by_us(node, aggref)) return false;
  }
  return true;
}

}  // namespace

NodeStorage* node_storage(FunctionCallInfo fcinfo) {
  const auto* node = as<AggState>(fcinfo->context);
  NodeStorage* storage = find_storage(node);
  return storage != nullptr ? storage : make_storage(node, states_travel(node));
}

}  // namespace idp

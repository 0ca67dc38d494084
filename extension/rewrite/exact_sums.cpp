#include "extension/rewrite/exact_sums.h"

#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// The aggregate of numeric that says the same of floats; none of another one.
Oid exact_aggregate(Oid aggregate) {
  switch (aggregate) {
    case F_SUM_FLOAT4:
    case F_SUM_FLOAT8:
      return F_SUM_NUMERIC;
    case F_AVG_FLOAT4:
    case F_AVG_FLOAT8:
      return F_AVG_NUMERIC;
    case F_VAR_POP_FLOAT4:
    case F_VAR_POP_FLOAT8:
      return F_VAR_POP_NUMERIC;
    case F_VAR_SAMP_FLOAT4:
    case F_VAR_SAMP_FLOAT8:
    case F_VARIANCE_FLOAT4:
    case F_VARIANCE_FLOAT8:
      return F_VAR_SAMP_NUMERIC;
    case F_STDDEV_POP_FLOAT4:
    case F_STDDEV_POP_FLOAT8:
      return F_STDDEV_POP_NUMERIC;
    case F_STDDEV_SAMP_FLOAT4:
    case F_STDDEV_SAMP_FLOAT8:
    case F_STDDEV_FLOAT4:
    case F_STDDEV_FLOAT8:
      return F_STDDEV_SAMP_NUMERIC;
    default:
      return InvalidOid;
  }
}

Node* exact(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (!IsA(node, Aggref)) return map_expression(node, exact, context);
  const auto* call = as<Aggref>(node);
  const Oid aggregate = exact_aggregate(call->aggfnoid);
  const bool is_plain = call->agglevelsup == 0 && call->aggdistinct == NIL && call->aggorder == NIL;
  if (!OidIsValid(aggregate) || !is_plain) return node;
  auto* value = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  Aggref* sum = aggregate_call(
      aggregate, NUMERICOID,
      cast_to(static_cast<Node*>(copyObjectImpl(value)), NUMERICOID, COERCE_EXPLICIT_CAST));
  sum->aggfilter = call->aggfilter;
  return cast_to(as<Node>(sum), call->aggtype, COERCE_EXPLICIT_CAST);
}

}  // namespace

void add_up_exactly(Query* query) {
  change_shown(query, [&](Node* shown) { return exact(shown, nullptr); });
}

}  // namespace idp

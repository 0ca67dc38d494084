#include "extension/call/running_call.h"

#include "extension/call/functions.h"
#include "extension/call/group_backlog.h"
#include "extension/call/node_storage.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/guard.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/datum.h"
}

namespace idp {

namespace {

// From the function and the arguments it is called with, in a plan that nothing is known of. The
// column's typmod is that of the expression, if there is one.
BoundCall* bind_to_arguments(FunctionCallInfo fcinfo, Statistic statistic) {
  const Oid function = fcinfo->flinfo->fn_oid;
  Oid types[kMaxArguments] = {};
  const int count = Min(function_argument_count(function) - 1, kMaxArguments);
  for (int i = 0; i < count; ++i) types[i] = function_argument_type(function, i + 1);
  Aggref* aggref = AggGetAggref(fcinfo);
  int32 typmod = -1;
  if (aggref != nullptr && transition_function_of(aggref->aggfnoid) == function) {
    typmod = exprTypmod(static_cast<Node*>(linitial(aggref->args)));
    for (int i = 0; i < count; ++i) {
      const auto* entry = static_cast<TargetEntry*>(list_nth(aggref->args, i));
      types[i] = exprType(as<Node>(entry->expr));
    }
  }
  MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
  BoundCall* bound = new_bound_call(as<AggState>(fcinfo->context), aggref);
  bound->call =
      describe_call(statistic, function, {types, static_cast<std::size_t>(count)}, typmod);
  for (int i = 0; i < bound->call.parameters; ++i) {
    const int position = 1 + bound->call.column_arguments + i;
    NullableDatum& value = bound->parameters[i];
    value = fcinfo->args[position];
    const Oid type = function_argument_type(function, position);
    if (!value.isnull) value.value = datumCopy(value.value, get_typbyval(type), get_typlen(type));
  }
  bound->request = read_request(bound->call, bound->parameters);
  bound->has_request = true;
  MemoryContextSwitchTo(before);
  return bound;
}

// What follows from the request, for the rows of the node.
void prepare_for_rows(BoundCall& bound, FunctionCallInfo fcinfo) {
  const Spec& spec = bound.request.spec;
  bound.rows.is_wide = spec.grid.is_wide();
  bound.rows.is_plain = is_plain(spec.grid);
  bound.rows.storage = node_storage(fcinfo);
  bound.rows.may_defer = may_defer(bound.node, AggGetAggref(fcinfo), spec.statistic);
  bound.rows.extremes = extremes_kept(spec);
  bound.rows.spec_head = head_of(spec);
  if (bound.rows.extremes > 0) {
    bound.rows.may_defer = false;
    if (!bound.rows.is_wide) bound.rows.full_count = static_cast<std::int64_t>(bound.rows.extremes);
    bound.rows.last_extreme = epsilon_words(spec) + bound.rows.extremes - 1;
  }
  if (spec.collects() == Collects::kMoments) {
    guarded([&] { bound.rows.offsets = Offsets(spec.grid, spec.lower, spec.upper); });
  } else if (spec.collects() == Collects::kBuckets) {
    bound.rows.buckets =
        BucketFinder::of(spec, bound.parameters[1].value, bound.parameters[2].value);
  }
  bound.rows.any = true;
}

}  // namespace

BoundCall& call_of(FunctionCallInfo fcinfo, Statistic statistic, CallCheck require) {
  FmgrInfo* function = fcinfo->flinfo;
  if (function->fn_extra == nullptr) {
    require(fcinfo);
    auto* node = as<AggState>(fcinfo->context);
    const Aggref* aggref = AggGetAggref(fcinfo);
    BoundCall* bound = aggref == nullptr ? nullptr : find_bound_call(node, aggref);
    if (bound == nullptr || !bound->has_request || bound->call.statistic != statistic) {
      bound = bind_to_arguments(fcinfo, statistic);
    }
    if (!bound->rows.any) prepare_for_rows(*bound, fcinfo);
    function->fn_extra = bound;
  }
  return *static_cast<BoundCall*>(function->fn_extra);
}

StateArgument begin_or_match(FunctionCallInfo fcinfo, BoundCall& bound) {
  StateArgument state = state_argument(fcinfo->args[0].value);
  if (state.empty()) {
    state.flat = begin_state(state.flat, bound.request);
    ++bound.rows.groups;
  } else if (!belongs_to(state.statistic(), state.grid(), bound.call)) {
    refuse_foreign_state();
  }
  return state;
}

}  // namespace idp

#include "extension/call/running_call.h"

#include <new>

#include "extension/call/group_backlog.h"
#include "extension/call/node_storage.h"
#include "extension/pg/guard.h"

namespace idp {

RunningCall& call_of(FunctionCallInfo fcinfo, Statistic statistic) {
  FmgrInfo* function = fcinfo->flinfo;
  if (function->fn_extra == nullptr) {
    Aggref* aggref = AggGetAggref(fcinfo);
    auto* node = reinterpret_cast<AggState*>(fcinfo->context);
    const Call call = describe_call(statistic, function->fn_oid, aggref->args, &node->ss.ps);
    // The server aligns to 8 bytes, 128-bit integers need more.
    constexpr Size kAlignment = alignof(RunningCall);
    void* place = MemoryContextAlloc(function->fn_mcxt, sizeof(RunningCall) + kAlignment);
    place = reinterpret_cast<void*>(TYPEALIGN(kAlignment, place));
    auto* running = new (place) RunningCall;
    running->call = call;
    running->is_wide = call.column.grid.is_wide();
    running->is_plain = is_plain(call.column.grid);
    running->storage = node_storage(fcinfo);
    running->may_defer = may_defer(node, aggref, statistic);
    function->fn_extra = running;
  }
  return *static_cast<RunningCall*>(function->fn_extra);
}

const Request& request_of(RunningCall& running, FunctionCallInfo fcinfo) {
  if (!running.has_request) {
    const Call& call = running.call;
    const NullableDatum* arguments = fcinfo->args + 1 + call.column_arguments;
    running.request = read_request(call, arguments);
    const Spec& spec = running.request.spec;
    running.extremes = extremes_kept(spec);
    running.spec_head = head_of(spec);
    if (running.extremes > 0) {
      running.may_defer = false;
      if (!running.is_wide) running.full_count = static_cast<std::int64_t>(running.extremes);
      running.last_extreme = epsilon_words(spec) + running.extremes - 1;
    }
    if (spec.collects() == Collects::kMoments) {
      guarded([&] { running.offsets = Offsets(spec.grid, spec.lower, spec.upper); });
    } else if (spec.collects() == Collects::kBuckets) {
      running.buckets = BucketFinder::of(spec, arguments[1].value, arguments[2].value);
    }
    running.has_request = true;
  }
  return running.request;
}

StateArgument begin_or_match(FunctionCallInfo fcinfo, RunningCall& running) {
  StateArgument state = state_argument(fcinfo->args[0].value);
  if (state.empty()) {
    state.flat = begin_state(state.flat, request_of(running, fcinfo));
    ++running.groups;
  } else if (!belongs_to(state.spec(), running.call)) {
    refuse_foreign_state();
  }
  return state;
}

}  // namespace idp

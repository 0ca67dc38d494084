// The SQL entry points of the aggregates: transition, combine and final functions. Thin: a row goes
// into the state (state.cpp), the answer comes from the core.

#include "extension/pg.h"

#include "core/mechanism/count.h"
#include "core/mechanism/order_statistic.h"
#include "core/mechanism/private_quantile.h"
#include "core/sensitivity/order_statistic.h"
#include "extension/call.h"
#include "extension/guard.h"
#include "extension/server_bits.h"
#include "extension/state.h"

namespace idp {

namespace {

MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
  MemoryContext context = nullptr;
  switch (AggCheckCallContext(fcinfo, &context)) {
    case AGG_CONTEXT_AGGREGATE:
      return context;
    case AGG_CONTEXT_WINDOW:
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("private aggregates cannot be used as window functions"),
                      errdetail("Every frame would be a release of its own.")));
    default:
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("function of idp_state called outside an aggregate")));
  }
  pg_unreachable();
}

// The call this transition function serves, worked out with the first row the plan node sees.
const Call& call_of(FunctionCallInfo fcinfo, Statistic statistic) {
  FmgrInfo* function = fcinfo->flinfo;
  if (function->fn_extra == nullptr) {
    Aggref* aggref = AggGetAggref(fcinfo);
    const Call call = describe_call(statistic, function->fn_oid, aggref->args);
    auto* kept = static_cast<Call*>(MemoryContextAlloc(function->fn_mcxt, sizeof(Call)));
    *kept = call;
    function->fn_extra = kept;
  }
  return *static_cast<const Call*>(function->fn_extra);
}

void refuse_foreign_state() {
  ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                  errmsg("idp_state belongs to another aggregate or column type")));
}

bool belongs_to(const Spec& spec, const Call& call) {
  return spec.statistic == call.statistic && spec.grid == call.column.grid;
}

// Makes the state the state of this call: sets the spec with the first row.
void begin_or_match(StateArgument& state, const Call& call, FunctionCallInfo fcinfo) {
  if (state.flat && state.flat->empty()) {
    state.flat->spec = read_spec(call, fcinfo->args + 1 + call.column_arguments);
  } else if (!belongs_to(state.spec(), call)) {
    refuse_foreign_state();
  }
}

template <class Key>
void add_to_chunks(OrderedValues<Key>& values, Key key) {
  guarded([&] { values.add(key); });
}

void add_narrow(ExpandedState* state, const Column& column, Datum value) {
  Key64 key;
  if (narrow_key(column, value, key)) add_to_chunks(state->narrow, key);  // else NaN
}

void add_wide(ExpandedState* state, const Column& column, Datum value) {
  Key128 key;
  if (wide_key(column, value, key)) add_to_chunks(state->wide, key);  // else NaN
}

// A row into a state that need not be expanded yet, or not be of this call at all.
Datum accumulate_any_value(FunctionCallInfo fcinfo, Statistic statistic) {
  MemoryContext context = aggregate_context(fcinfo);
  const Call& call = call_of(fcinfo, statistic);
  StateArgument state = state_argument(fcinfo->args[0].value);
  begin_or_match(state, call, fcinfo);
  const Datum value = fcinfo->args[1].value;
  if (call.column.grid.is_wide()) {
    Key128 key;
    if (wide_key(call.column, value, key)) add_keys(state, &key, 1, context);
  } else {
    Key64 key;
    if (narrow_key(call.column, value, key)) add_keys(state, &key, 1, context);
  }
  return state_datum(state);
}

// Order statistics: keep the value. Called once per row that is not NULL.
inline Datum accumulate_value(FunctionCallInfo fcinfo, Statistic statistic) {
  const auto* call = static_cast<const Call*>(fcinfo->flinfo->fn_extra);
  ExpandedState* state = expanded_in_place(fcinfo->args[0].value);
  if (state == nullptr || call == nullptr || !AggCheckCallContext(fcinfo, nullptr) ||
      !belongs_to(state->spec, *call)) {
    return accumulate_any_value(fcinfo, statistic);
  }
  if (call->column.grid.is_wide()) {
    add_wide(state, call->column, fcinfo->args[1].value);
  } else {
    add_narrow(state, call->column, fcinfo->args[1].value);
  }
  return fcinfo->args[0].value;
}

// A count that does not wrap. 2^63 rows are out of reach, states that claim them are not.
void add_count(FlatState* state, std::int64_t count) {
  if (__builtin_add_overflow(state->count, count, &state->count)) {
    state->count = PG_INT64_MAX;
  }
}

bool in_range(const Call& call, const FlatState* state, FunctionCallInfo fcinfo) {
  const Datum value = fcinfo->args[1].value;
  if (call.column.grid.type == ValueType::kNumeric) {
    // As BETWEEN does it: a column without a declared scale may lie off any grid. NaN sorts above
    // every bound, infinity included.
    return DatumGetBool(DirectFunctionCall2(numeric_ge, value, fcinfo->args[3].value)) &&
           DatumGetBool(DirectFunctionCall2(numeric_le, value, fcinfo->args[4].value));
  }
  Key64 key;
  return narrow_key(call.column, value, key) && key >= narrow(state->spec.lower) &&
         key <= narrow(state->spec.upper);
}

// Counts: rows, or rows whose value lies in the range.
Datum accumulate_count(FunctionCallInfo fcinfo, Statistic statistic) {
  (void)aggregate_context(fcinfo);
  const Call& call = call_of(fcinfo, statistic);
  StateArgument state = state_argument(fcinfo->args[0].value);
  begin_or_match(state, call, fcinfo);
  if (state.flat == nullptr) elog(ERROR, "idp_state of a count cannot be expanded");
  if (statistic == Statistic::kCount || in_range(call, state.flat, fcinfo)) {
    add_count(state.flat, 1);
  }
  return state_datum(state);
}

void require_same_spec(const Spec& a, const Spec& b) {
  if (a == b) return;
  const char* what = a.statistic != b.statistic ? "They are of different aggregates."
                     : a.grid != b.grid         ? "They are of different column types."
                     : a.epsilon != b.epsilon   ? "They differ in epsilon."
                                                : "They differ in a parameter.";
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
           errmsg("cannot combine different values of type idp_state"), errdetail("%s", what)));
}

StateArgument flat_copy(const StateArgument& state) {
  if (state.flat) {
    auto* copy = new_flat_state(VARSIZE(state.flat));
    memcpy(static_cast<void*>(copy), state.flat, VARSIZE(state.flat));
    return {copy, nullptr};
  }
  const Size size = EOH_get_flat_size(&state.expanded->header);
  auto* copy = static_cast<FlatState*>(palloc(size));
  EOH_flatten_into(&state.expanded->header, copy, size);
  return {copy, nullptr};
}

Datum combine(FunctionCallInfo fcinfo) {
  MemoryContext context = aggregate_context(fcinfo);
  StateArgument into = state_argument(fcinfo->args[0].value);
  StateArgument from = state_argument(fcinfo->args[1].value);
  if (from.expanded) from = flat_copy(from);
  if (from.flat->empty()) return state_datum(into);
  if (into.flat && into.flat->empty()) {
    into.flat->spec = from.flat->spec;
  } else {
    require_same_spec(into.spec(), from.flat->spec);
  }
  if (from.flat->spec.collects_values()) {
    add_keys(into, from.flat->keys(), static_cast<std::size_t>(from.flat->count), context);
  } else {
    add_count(into.flat, from.flat->count);
  }
  return state_datum(into);
}

// The state's collected values as contiguous runs.
template <class Key>
std::pmr::vector<std::span<const Key>> runs_of(const StateArgument& state,
                                               std::pmr::memory_resource* memory) {
  if (state.expanded) {
    if constexpr (std::is_same_v<Key, Key128>) {
      return state.expanded->wide.runs(memory);
    } else {
      return state.expanded->narrow.runs(memory);
    }
  }
  std::pmr::vector<std::span<const Key>> runs(memory);
  runs.emplace_back(reinterpret_cast<const Key*>(state.flat->keys()),
                    static_cast<std::size_t>(state.flat->count));
  return runs;
}

template <class Key>
Datum answer_order_statistic(FunctionCallInfo fcinfo, const StateArgument& state) {
  const Spec& spec = state.spec();
  bool suppressed = true;
  Key answer{};
  ContextResource memory(CurrentMemoryContext);
  guarded([&] {
    const auto runs = runs_of<Key>(state, &memory);
    if (is_private_quantile(spec.statistic)) {
      answer = release_private_quantile<Key>(spec, runs, &memory, interrupt_pending, server_bits());
      suppressed = false;
      return;
    }
    const auto around = neighbourhood<Key>(spec, runs, &memory, interrupt_pending);
    if (!around) return;
    const auto release = release_order_statistic(spec.grid, *around, spec.epsilon, server_bits());
    suppressed = !release;
    if (release) answer = *release;
  });
  if (suppressed) PG_RETURN_NULL();
  return datum_of_key(spec.grid, answer);
}

// The state of a final function, with its spec even if no row was seen. False: nothing is known.
bool final_state(FunctionCallInfo fcinfo, StateArgument& state) {
  (void)aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) return false;
  state = state_argument(PG_GETARG_DATUM(0));
  if (state.expanded || !state.flat->empty()) return true;
  Spec spec;
  auto* node = reinterpret_cast<AggState*>(fcinfo->context);
  if (!evaluate_spec(node, AggGetAggref(fcinfo), spec)) return false;
  state.flat = new_flat_state(kFirstFlatBytes);
  state.flat->spec = spec;
  return true;
}

Datum finish_order_statistic(FunctionCallInfo fcinfo) {
  StateArgument state;
  if (!final_state(fcinfo, state)) PG_RETURN_NULL();
  const Spec& spec = state.spec();
  // A user's own aggregate may pair any state with any final function.
  const ValueType result = value_type_of(get_func_rettype(fcinfo->flinfo->fn_oid));
  if (!spec.collects_values() || spec.grid.type != result) {
    refuse_foreign_state();
  }
  return spec.grid.is_wide() ? answer_order_statistic<Key128>(fcinfo, state)
                             : answer_order_statistic<Key64>(fcinfo, state);
}

Datum finish_count(FunctionCallInfo fcinfo) {
  StateArgument state;
  if (!final_state(fcinfo, state)) PG_RETURN_NULL();
  if (state.flat == nullptr || state.flat->spec.collects_values()) {
    refuse_foreign_state();
  }
  const Spec& spec = state.flat->spec;
  std::int64_t answer = 0;
  guarded([&] {
    answer = spec.statistic == Statistic::kTruncatedRange
                 ? release_truncated_count(state.flat->count, spec.epsilon, server_bits())
                 : release_count(state.flat->count, spec.epsilon, server_bits());
  });
  PG_RETURN_INT64(answer);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

#define IDP_TRANSITION(name, accumulate, statistic)                                           \
  PG_FUNCTION_INFO_V1(name);                                                                  \
  Datum name(PG_FUNCTION_ARGS) { return idp::accumulate(fcinfo, idp::Statistic::statistic); } \
  static_assert(true)

IDP_TRANSITION(idp_median_accum, accumulate_value, kMedian);
IDP_TRANSITION(idp_quantile_accum, accumulate_value, kQuantile);
IDP_TRANSITION(idp_min_accum, accumulate_value, kMin);
IDP_TRANSITION(idp_max_accum, accumulate_value, kMax);
IDP_TRANSITION(idp_kth_smallest_accum, accumulate_value, kKthSmallest);
IDP_TRANSITION(idp_kth_largest_accum, accumulate_value, kKthLargest);
IDP_TRANSITION(idp_count_range_accum, accumulate_count, kTruncatedRange);
IDP_TRANSITION(dp_count_accum, accumulate_count, kCount);
IDP_TRANSITION(dp_count_range_accum, accumulate_count, kCountRange);
IDP_TRANSITION(dp_median_accum, accumulate_value, kPrivateMedian);
IDP_TRANSITION(dp_quantile_accum, accumulate_value, kPrivateQuantile);
IDP_TRANSITION(dp_min_accum, accumulate_value, kPrivateMin);
IDP_TRANSITION(dp_max_accum, accumulate_value, kPrivateMax);

PG_FUNCTION_INFO_V1(idp_combine);
Datum idp_combine(PG_FUNCTION_ARGS) { return idp::combine(fcinfo); }

PG_FUNCTION_INFO_V1(idp_order_statistic_final);
Datum idp_order_statistic_final(PG_FUNCTION_ARGS) { return idp::finish_order_statistic(fcinfo); }

PG_FUNCTION_INFO_V1(idp_count_final);
Datum idp_count_final(PG_FUNCTION_ARGS) { return idp::finish_count(fcinfo); }

}  // extern "C"
#pragma GCC visibility pop

namespace idp {

Statistic statistic_of(PGFunction transition_function) {
  static const struct {
    PGFunction function;
    Statistic statistic;
  } kTransitions[] = {
      {idp_median_accum, Statistic::kMedian},
      {idp_quantile_accum, Statistic::kQuantile},
      {idp_min_accum, Statistic::kMin},
      {idp_max_accum, Statistic::kMax},
      {idp_kth_smallest_accum, Statistic::kKthSmallest},
      {idp_kth_largest_accum, Statistic::kKthLargest},
      {idp_count_range_accum, Statistic::kTruncatedRange},
      {dp_count_accum, Statistic::kCount},
      {dp_count_range_accum, Statistic::kCountRange},
      {dp_median_accum, Statistic::kPrivateMedian},
      {dp_quantile_accum, Statistic::kPrivateQuantile},
      {dp_min_accum, Statistic::kPrivateMin},
      {dp_max_accum, Statistic::kPrivateMax},
  };
  for (const auto& entry : kTransitions) {
    if (entry.function == transition_function) return entry.statistic;
  }
  return Statistic::kNone;
}

}  // namespace idp

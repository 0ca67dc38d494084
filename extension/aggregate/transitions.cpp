// The SQL entry points that take rows in: transition functions and the combine function. Thin: a
// row goes into the state (state.cpp, core/collect/).

#include "extension/pg/pg.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "core/collect/moments.h"
#include "extension/pg/aggregate_context.h"
#include "extension/call/functions.h"
#include "extension/call/node_storage.h"
#include "extension/call/own_states.h"
#include "extension/aggregate/collect.h"
#include "extension/pg/guard.h"
#include "extension/call/running_call.h"
#include "extension/state/travelling_state.h"
#include "extension/statement/statement.h"

namespace idp {

namespace {

// The state of a row like the ones before; null if it has to be checked.
pg_attribute_always_inline FlatState* sound_state_of(FunctionCallInfo fcinfo) {
  const BoundCall* running = running_call(fcinfo);
  return running == nullptr ? nullptr : sound_state(*running, fcinfo->args[0].value);
}

inline bool in_range(const BoundCall& bound, const FlatState* state, FunctionCallInfo fcinfo) {
  const Call& call = bound.call;
  const Datum value = fcinfo->args[1].value;
  if (call.column.grid.type == ValueType::kNumeric) {
    // As BETWEEN does it: a column without a declared scale may lie off any grid. NaN sorts above
    // every bound, infinity included.
    return DatumGetBool(DirectFunctionCall2(numeric_ge, value, bound.parameters[1].value)) &&
           DatumGetBool(DirectFunctionCall2(numeric_le, value, bound.parameters[2].value));
  }
  Key64 key;
  return narrow_key(call.column, value, key) && key >= narrow(state->spec.lower) &&
         key <= narrow(state->spec.upper);
}

// The state of a count.
pg_noinline FlatState* state_of_count(FunctionCallInfo fcinfo, Statistic statistic) {
  (void)aggregate_context(fcinfo);
  BoundCall& running = known_call(fcinfo, statistic);
  FlatState* state = begin_or_match(fcinfo, running).flat;
  if (state == nullptr) elog(ERROR, "idp_state of a count cannot be expanded");
  remember_sound(running, state);
  return state;
}

// Counts: rows, or rows whose value lies in the range.
pg_attribute_always_inline Datum accumulate_count(FunctionCallInfo fcinfo, Statistic statistic) {
  FlatState* state = sound_state_of(fcinfo);
  if (state == nullptr) state = state_of_count(fcinfo, statistic);
  const BoundCall* running = running_call(fcinfo);
  if (row_of(statistic).columns == Columns::kNone || in_range(*running, state, fcinfo)) {
    state->count = add_counts(state->count, 1);
  }
  return PointerGetDatum(state);
}

// The state of an aggregate whose payload depends on the bounds, with exactly this call's request.
pg_noinline FlatState* state_of_request(FunctionCallInfo fcinfo, Statistic statistic) {
  (void)aggregate_context(fcinfo);
  BoundCall& running = known_call(fcinfo, statistic);
  FlatState* state = begin_or_match(fcinfo, running).flat;
  if (state == nullptr || state->spec != StoredSpec(running.request.spec)) refuse_foreign_state();
  remember_sound(running, state);
  return state;
}

// Adds an offset up. The layout follows from the statistic, which is a constant at every call.
template <class Offset>
pg_attribute_always_inline void add_offset(FlatState* state, Statistic statistic, Offset offset) {
  if (state->count == PG_INT64_MAX) return;
  const MomentLayout layout = moment_layout(statistic, state->spec.groups);
  add_to_moments(layout, state->payload(), state->count, offset);
  ++state->count;
}

// Sums, averages, variances: add the value up, unless it is NaN.
pg_attribute_always_inline Datum accumulate_moments(FunctionCallInfo fcinfo, Statistic statistic) {
  FlatState* state = sound_state_of(fcinfo);
  if (state == nullptr) state = state_of_request(fcinfo, statistic);
  const BoundCall& running = *running_call(fcinfo);
  const Column& column = running.call.column;
  const Datum value = fcinfo->args[1].value;
  if (column.grid.is_wide()) {
    Key128 key;
    if (wide_key(column, value, key)) add_offset(state, statistic, running.rows.offsets.wide(key));
  } else {
    Key64 key;
    if (narrow_key(column, value, key))
      add_offset(state, statistic, running.rows.offsets.narrow(key));
  }
  return PointerGetDatum(state);
}

// Histograms: count the value in its bucket.
pg_attribute_always_inline Datum accumulate_bucket(FunctionCallInfo fcinfo, Statistic statistic) {
  FlatState* state = sound_state_of(fcinfo);
  if (state == nullptr) state = state_of_request(fcinfo, statistic);
  const BoundCall& running = *running_call(fcinfo);
  const std::int64_t bucket =
      running.rows.buckets.find(running.call.column, fcinfo->args[1].value,
                                running.parameters[1].value, running.parameters[2].value);
  if (bucket >= 0 && state->count != PG_INT64_MAX) {
    ++state->payload()[bucket];
    ++state->count;
  }
  return PointerGetDatum(state);
}

void require_same_request(const StateArgument& a, const StateArgument& b) {
  const Request x = a.request(), y = b.request();
  if (x == y) return;
  const char* what = x.spec.statistic != y.spec.statistic ? "They are of different aggregates."
                     : x.spec.grid != y.spec.grid         ? "They are of different column types."
                     : !std::ranges::equal(x.epsilon_span(), y.epsilon_span())
                         ? "They differ in epsilon."
                         : "They differ in a parameter.";
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
           errmsg("cannot combine different values of type idp_state"), errdetail("%s", what)));
}

// Adds a payload that does not grow with the rows. Counts whose sum would not fit saturate together
// with what was counted.
void merge_fixed(FlatState* into, const FlatState* from) {
  const std::int64_t count = add_counts(into->count, from->count);
  const bool fits = count == into->count + static_cast<Int128>(from->count);
  const Collects collected = collects(into->spec.statistic);
  if (collected == Collects::kRows) {
    into->count = count;
  } else if (fits) {
    if (collected == Collects::kMoments) {
      merge_moments(moment_layout(into->spec.statistic, into->spec.groups), into->payload(),
                    into->count, from->payload(), from->count);
    } else {
      for (std::int64_t i = 0; i < into->spec.number; ++i) into->payload()[i] += from->payload()[i];
    }
    into->count = count;
  }
}

// Where the states of a combining node live.
Home combining_home(FunctionCallInfo fcinfo) {
  MemoryContext context = aggregate_context(fcinfo);
  FmgrInfo* function = fcinfo->flinfo;
  if (function->fn_extra == nullptr) {
    require_known_call(fcinfo);
    function->fn_extra = node_storage(fcinfo);
  }
  return {context, static_cast<NodeStorage*>(function->fn_extra)};
}

// How the statistic takes a row: known when this is compiled.
template <Statistic kStatistic>
pg_attribute_always_inline Datum accumulate(FunctionCallInfo fcinfo) {
  constexpr const StatisticRow& row = row_of(kStatistic);
  switch (row.collects) {
    case Collects::kNothing:
      break;
    case Collects::kRows:
      return accumulate_count(fcinfo, kStatistic);
    case Collects::kValues:
      if (row.columns == Columns::kAny) return accumulate_any_value(fcinfo, kStatistic);
      return row.keeps_extremes() ? accumulate_extreme(fcinfo, kStatistic)
                                  : accumulate_value(fcinfo, kStatistic);
    case Collects::kDistinct:
      return accumulate_distinct(fcinfo, kStatistic);
    case Collects::kMoments:
      return accumulate_moments(fcinfo, kStatistic);
    case Collects::kBuckets:
      return accumulate_bucket(fcinfo, kStatistic);
  }
  pg_unreachable();
}

constexpr bool is_name_of(std::string_view name, Statistic statistic) {
  return row_of(statistic).stem() == name;
}

Datum combine(FunctionCallInfo fcinfo) {
  const Home home = combining_home(fcinfo);
  StateArgument into = state_argument(fcinfo->args[0].value);
  StateArgument from = state_argument(fcinfo->args[1].value, /*may_travel=*/true);
  if (from.empty()) return state_datum(into);
  if (into.empty()) {
    into.flat = begin_state(into.flat, from.request());
  } else {
    require_same_request(into, from);
  }
  if (from.travelling) {
    expand(into, home);
    add_travelling(into.expanded, from.flat);
  } else if (from.expanded) {
    expand(into, home);
    add_all(into.expanded, from.expanded);
  } else if (row_of(from.statistic()).keeps_keys()) {
    add_keys(into, from.flat->payload(), static_cast<std::size_t>(from.flat->count), home);
  } else {
    merge_fixed(into.flat, from.flat);
  }
  return state_datum(into);
}

}  // namespace

}  // namespace idp

// Every transition function, and what for.
#define IDP_TRANSITIONS(entry)                  \
  entry(idp_median, kMedian);                   \
  entry(idp_quantile, kQuantile);               \
  entry(idp_min, kMin);                         \
  entry(idp_max, kMax);                         \
  entry(idp_kth_smallest, kKthSmallest);        \
  entry(idp_kth_largest, kKthLargest);          \
  entry(idp_count_range, kTruncatedRange);      \
  entry(dp_count, kCount);                      \
  entry(dp_count_range, kCountRange);           \
  entry(dp_median, kPrivateMedian);             \
  entry(dp_quantile, kPrivateQuantile);         \
  entry(dp_min, kPrivateMin);                   \
  entry(dp_max, kPrivateMax);                   \
  entry(idp_sum, kSum);                         \
  entry(idp_avg, kAverage);                     \
  entry(idp_variance, kVariance);               \
  entry(idp_stddev, kStddev);                   \
  entry(dp_sum, kPrivateSum);                   \
  entry(dp_avg, kPrivateAverage);               \
  entry(dp_variance, kPrivateVariance);         \
  entry(dp_stddev, kPrivateStddev);             \
  entry(dp_count_distinct, kDistinct);          \
  entry(dp_histogram, kHistogram);              \
  entry(dp_median_smooth, kSmoothMedian);       \
  entry(dp_quantile_smooth, kSmoothQuantile);   \
  entry(dp_max_smooth, kSmoothMax);             \
  entry(dp_median_global, kGlobalMedian);       \
  entry(dp_max_global, kGlobalMax);             \
  entry(idp_iqr, kInterquartileRange);          \
  entry(idp_mad, kDeviation);                   \
  entry(idp_trimmed_avg, kTrimmedAverage);      \
  entry(idp_mode, kMode);                       \
  entry(dp_mode, kPrivateMode);                 \
  entry(dp_clipped_sum, kClippedSum);           \
  entry(dp_clipped_avg, kClippedAverage);       \
  entry(dp_clipped_variance, kClippedVariance); \
  entry(dp_clipped_stddev, kClippedStddev);     \
  entry(dp_keep_group, kKeepGroup)

// Those whose answers cannot be refined refuse the name of a release. Calls with one have a
// transition function of their own, one for all types, so that their refusal says why.
#define IDP_REFUSALS(entry)                     \
  entry(dp_median, kPrivateMedian);             \
  entry(dp_quantile, kPrivateQuantile);         \
  entry(dp_min, kPrivateMin);                   \
  entry(dp_max, kPrivateMax);                   \
  entry(dp_median_smooth, kSmoothMedian);       \
  entry(dp_quantile_smooth, kSmoothQuantile);   \
  entry(dp_max_smooth, kSmoothMax);             \
  entry(idp_mode, kMode);                       \
  entry(dp_mode, kPrivateMode);                 \
  entry(dp_clipped_sum, kClippedSum);           \
  entry(dp_clipped_avg, kClippedAverage);       \
  entry(dp_clipped_variance, kClippedVariance); \
  entry(dp_clipped_stddev, kClippedStddev);     \
  entry(dp_keep_group, kKeepGroup)

#pragma GCC visibility push(default)
extern "C" {

#define IDP_TRANSITION(name, statistic)                        \
  PG_FUNCTION_INFO_V1(name##_accum);                           \
  Datum name##_accum(PG_FUNCTION_ARGS) {                       \
    return idp::accumulate<idp::Statistic::statistic>(fcinfo); \
  }                                                            \
  static_assert(idp::is_name_of(#name, idp::Statistic::statistic))

IDP_TRANSITIONS(IDP_TRANSITION);

// Such calls fail when their query starts (plan/bind.cpp), so this is reached from elsewhere alone.
#define IDP_REFUSAL(name, statistic)                                     \
  PG_FUNCTION_INFO_V1(name##_refused);                                   \
  Datum name##_refused(PG_FUNCTION_ARGS) {                               \
    elog(ERROR, "%u has no answers to collect", fcinfo->flinfo->fn_oid); \
  }                                                                      \
  static_assert(!idp::is_additive(idp::Statistic::statistic))

IDP_REFUSALS(IDP_REFUSAL);

PG_FUNCTION_INFO_V1(idp_combine);
Datum idp_combine(PG_FUNCTION_ARGS) { return idp::combine(fcinfo); }

}  // extern "C"
#pragma GCC visibility pop

namespace idp {

namespace {

struct Transition {
  PGFunction function;
  Statistic statistic;
};

// One for each statistic but kNone, or this does not compile.
constexpr auto kTransitions = [] {
  std::array<Transition, kStatistics - 1> transitions{};
  std::size_t count = 0;
#define IDP_ENTRY(name, statistic) transitions.at(count++) = {name##_accum, Statistic::statistic}
  IDP_TRANSITIONS(IDP_ENTRY);
  if (count != transitions.size()) throw "a statistic has no transition function";
  return transitions;
}();

// One for each statistic that is not additive, or this does not compile.
constexpr auto kRefusals = [] {
  constexpr auto kRefusing = std::ranges::count_if(kTransitions, [](const Transition& transition) {
    return !is_additive(transition.statistic);
  });
  std::array<Transition, kRefusing> refusals{};
  std::size_t count = 0;
#define IDP_REFUSAL_ENTRY(name, statistic) \
  refusals.at(count++) = {name##_refused, Statistic::statistic}
  IDP_REFUSALS(IDP_REFUSAL_ENTRY);
  if (count != refusals.size()) throw "a statistic has no function that refuses";
  return refusals;
}();

Statistic statistic_among(std::span<const Transition> transitions, PGFunction function) {
  const auto found = std::ranges::find(transitions, function, &Transition::function);
  return found == transitions.end() ? Statistic::kNone : found->statistic;
}

}  // namespace

Statistic statistic_of(PGFunction transition_function) {
  const Statistic statistic = statistic_among(kTransitions, transition_function);
  return statistic != Statistic::kNone ? statistic : refused_statistic_of(transition_function);
}

Statistic refused_statistic_of(PGFunction transition_function) {
  return statistic_among(kRefusals, transition_function);
}

bool is_combine_function(PGFunction function) { return function == idp_combine; }

}  // namespace idp

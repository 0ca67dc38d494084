// The SQL entry points that take rows in: transition functions and the combine function. Thin: a
// row goes into the state (state.cpp, core/accumulator/).

#include "extension/pg.h"

#include <new>
#include <utility>

#include "core/accumulator/moments.h"
#include "core/grid/offsets.h"
#include "extension/aggregate.h"
#include "extension/bucket_finder.h"
#include "extension/call.h"
#include "extension/guard.h"
#include "extension/state.h"
#include "extension/travelling_state.h"

namespace idp {

namespace {

// What a flat state begins with: its size, its version, its count, and its spec.
constexpr Size kHeadBytes = sizeof(FlatState);

// The call this transition function serves, worked out with the first row the plan node sees, and
// its arguments, which are the same for all rows.
struct RunningCall {
  Call call;
  Request request;
  bool has_request = false;
  Offsets offsets;       // where values are clamped to two bounds and added up
  BucketFinder buckets;  // of a histogram
  NodeStorage* storage;      // where states that keep values grow
  std::size_t extremes = 0;  // extremes_kept() of the request, once there is one
  // Where the payload does not grow with the rows: the head of the last state that every check let
  // pass. All zero, which no state's is, before the first one.
  char sound_head[kHeadBytes] = {};
};

RunningCall& call_of(FunctionCallInfo fcinfo, Statistic statistic) {
  FmgrInfo* function = fcinfo->flinfo;
  if (function->fn_extra == nullptr) {
    Aggref* aggref = AggGetAggref(fcinfo);
    const Call call = describe_call(statistic, function->fn_oid, aggref->args);
    // The server aligns to 8 bytes, 128-bit integers need more.
    constexpr Size kAlignment = alignof(RunningCall);
    void* place = MemoryContextAlloc(function->fn_mcxt, sizeof(RunningCall) + kAlignment);
    place = reinterpret_cast<void*>(TYPEALIGN(kAlignment, place));
    function->fn_extra =
        new (place) RunningCall{call, {}, false, {}, {}, node_storage(fcinfo), 0, {}};
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
    if (spec.collects() == Collects::kMoments) {
      guarded([&] { running.offsets = Offsets(spec.grid, spec.lower, spec.upper); });
    } else if (spec.collects() == Collects::kBuckets) {
      running.buckets = BucketFinder::of(spec, arguments[1].value, arguments[2].value);
    }
    running.has_request = true;
  }
  return running.request;
}

bool belongs_to(const Spec& spec, const Call& call) {
  return spec.statistic == call.statistic && spec.grid == call.column.grid;
}

// The state to change, made the state of this call with the first row.
StateArgument begin_or_match(FunctionCallInfo fcinfo, RunningCall& running) {
  StateArgument state = state_argument(fcinfo->args[0].value);
  if (state.empty()) {
    state.flat = begin_state(state.flat, request_of(running, fcinfo));
  } else if (!belongs_to(state.spec(), running.call)) {
    refuse_foreign_state();
  }
  return state;
}

// Whether two heads are the same: a few loads, without a call or a branch.
template <std::size_t... kWord>
inline bool same_words(const char* a, const char* b, std::index_sequence<kWord...>) {
  const auto load = [](const char* at) {
    std::uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
  };
  return ((load(a + 8 * kWord) ^ load(b + 8 * kWord)) | ...) == 0;
}
// Whether everything but the count is the same.
inline bool same_head(const void* a, const char* b) {
  static_assert(offsetof(FlatState, count) == 8 && offsetof(FlatState, spec) == 16);
  static_assert(sizeof(Spec) % 8 == 0 && kHeadBytes == 16 + sizeof(Spec));
  const char* c = static_cast<const char*>(a);
  return same_words(c, b, std::index_sequence<0>()) &&
         same_words(c + 16, b + 16, std::make_index_sequence<sizeof(Spec) / 8>());
}

// The state of a row like the ones before, or null: then the checks have to be made. They read a
// state's head, its count, and what this call site asks for, and nothing else. So a state with the
// head of one that they let pass would pass too, whoever made it and wherever it lies, unless its
// count is negative. Read is what is known to be there: one byte tells a plain varlena, its first
// word the size.
pg_attribute_always_inline FlatState* sound_state(FunctionCallInfo fcinfo) {
  const auto* running = static_cast<const RunningCall*>(fcinfo->flinfo->fn_extra);
  if (running == nullptr || !is_aggregate_call(fcinfo)) return nullptr;
  const auto* raw = reinterpret_cast<const struct varlena*>(DatumGetPointer(fcinfo->args[0].value));
  if (VARATT_IS_EXTENDED(raw) || VARSIZE(raw) != VARSIZE(running->sound_head) ||
      !same_head(raw, running->sound_head)) {
    return nullptr;
  }
  auto* state = reinterpret_cast<FlatState*>(DatumGetPointer(fcinfo->args[0].value));
  return state->count < 0 ? nullptr : state;
}

void remember_sound(RunningCall& running, const FlatState* state) {
  memcpy(running.sound_head, state, kHeadBytes);
}

// The key a value is kept as; false for NaN, which is skipped.
bool key_of(const RunningCall& running, FunctionCallInfo fcinfo, Key64& key) {
  return narrow_key(running.call.column, fcinfo->args[1].value, key);
}
bool key_of(const RunningCall& running, FunctionCallInfo fcinfo, Key128& key) {
  const Datum value = fcinfo->args[1].value;
  return collects(running.call.statistic) == Collects::kDistinct
             ? identity_key(running.call.column, value, PG_GET_COLLATION(), key)
             : wide_key(running.call.column, value, key);
}

template <class Key>
Datum add_to_any(FunctionCallInfo fcinfo, RunningCall& running, const Home& home) {
  StateArgument state = begin_or_match(fcinfo, running);
  Key key;
  if (key_of(running, fcinfo, key)) add_keys(state, &key, 1, home);
  return state_datum(state);
}

// A row into a state that need not be expanded yet, or not be of this call at all.
Datum accumulate_any_value(FunctionCallInfo fcinfo, Statistic statistic) {
  MemoryContext context = aggregate_context(fcinfo);
  RunningCall& running = call_of(fcinfo, statistic);
  const Home home{context, running.storage};
  return running.call.column.grid.is_wide() ? add_to_any<Key128>(fcinfo, running, home)
                                            : add_to_any<Key64>(fcinfo, running, home);
}

template <class Key, class Values>
void add_to_expanded(Values& values, const RunningCall& running, FunctionCallInfo fcinfo) {
  Key key;
  if (key_of(running, fcinfo, key)) guarded([&] { values.add(key); });
}

// The flat state a row goes into, if it is this call's and as this code makes them; otherwise null,
// and whoever looks closer says why.
FlatState* own_flat(const RunningCall& running, Datum state) {
  auto* flat = reinterpret_cast<FlatState*>(DatumGetPointer(state));
  const bool own = running.has_request && VARATT_IS_4B_U(flat) && flat->version == kFlatVersion &&
                   belongs_to(flat->spec, running.call) &&
                   flat->spec.groups == running.request.spec.groups;
  return own ? flat : nullptr;
}

// Stores a value where there is room for it; false if there is none.
template <class Key>
bool store_in_flat(FlatState* flat, const RunningCall& running, FunctionCallInfo fcinfo) {
  auto* keys = reinterpret_cast<Key*>(flat->payload());
  const char* end = reinterpret_cast<const char*>(flat) + VARSIZE(flat);
  const auto room = static_cast<std::uint64_t>(end - reinterpret_cast<const char*>(keys));
  if (static_cast<std::uint64_t>(flat->count) >= room / sizeof(Key)) return false;
  Key key;
  if (key_of(running, fcinfo, key)) keys[flat->count++] = key;
  return true;
}

// Whether a row is not among the extremes that a state is full of, as most rows are not.
template <class Key>
bool is_passed_over(const FlatState* flat, const RunningCall& running, FunctionCallInfo fcinfo) {
  Key key;
  if (!key_of(running, fcinfo, key)) return true;
  const auto* keys = reinterpret_cast<const Key*>(flat->payload());
  return !is_outside(keeps_largest(running.call.statistic), key, keys[running.extremes - 1]);
}

// Deals with a row without further ado, where that is possible.
template <class Key>
bool is_dealt_with(const RunningCall& running, FunctionCallInfo fcinfo) {
  FlatState* flat = own_flat(running, fcinfo->args[0].value);
  if (flat == nullptr) return false;
  if (running.extremes == 0) return store_in_flat<Key>(flat, running, fcinfo);
  return flat->count == static_cast<std::int64_t>(running.extremes) &&
         flat->spec.k == running.request.spec.k && is_passed_over<Key>(flat, running, fcinfo);
}

// Order statistics and distinct counts: keep the value. Called once per row that is not NULL.
template <bool kDistinct>
inline Datum accumulate_key(FunctionCallInfo fcinfo, Statistic statistic) {
  const auto* running = static_cast<const RunningCall*>(fcinfo->flinfo->fn_extra);
  ExpandedState* state = expanded_in_place(fcinfo->args[0].value);
  if (state == nullptr || running == nullptr || fcinfo->context == nullptr ||
      !IsA(fcinfo->context, AggState) || !belongs_to(state->spec(), running->call)) {
    if (state == nullptr && running != nullptr && fcinfo->context != nullptr &&
        IsA(fcinfo->context, AggState) &&
        (running->call.column.grid.is_wide() ? is_dealt_with<Key128>(*running, fcinfo)
                                             : is_dealt_with<Key64>(*running, fcinfo))) {
      return fcinfo->args[0].value;
    }
    return accumulate_any_value(fcinfo, statistic);
  }
  const bool wide = running->call.column.grid.is_wide();
  if constexpr (kDistinct) {
    if (wide) {
      add_to_expanded<Key128>(state->distinct_wide, *running, fcinfo);
    } else {
      add_to_expanded<Key64>(state->distinct_narrow, *running, fcinfo);
    }
  } else if (wide) {
    add_to_expanded<Key128>(state->wide, *running, fcinfo);
  } else {
    add_to_expanded<Key64>(state->narrow, *running, fcinfo);
  }
  return fcinfo->args[0].value;
}

inline Datum accumulate_value(FunctionCallInfo fcinfo, Statistic statistic) {
  return accumulate_key<false>(fcinfo, statistic);
}
inline Datum accumulate_distinct(FunctionCallInfo fcinfo, Statistic statistic) {
  return accumulate_key<true>(fcinfo, statistic);
}

// A count that does not wrap. 2^63 rows are out of reach, states that claim them are not.
std::int64_t add_counts(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? PG_INT64_MAX : sum;
}

inline bool in_range(const Call& call, const FlatState* state, FunctionCallInfo fcinfo) {
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

// The state of a count.
pg_noinline FlatState* state_of_count(FunctionCallInfo fcinfo, Statistic statistic) {
  (void)aggregate_context(fcinfo);
  RunningCall& running = call_of(fcinfo, statistic);
  FlatState* state = begin_or_match(fcinfo, running).flat;
  if (state == nullptr) elog(ERROR, "idp_state of a count cannot be expanded");
  remember_sound(running, state);
  return state;
}

// Counts: rows, or rows whose value lies in the range.
pg_attribute_always_inline Datum accumulate_count(FunctionCallInfo fcinfo, Statistic statistic) {
  FlatState* state = sound_state(fcinfo);
  if (state == nullptr) state = state_of_count(fcinfo, statistic);
  const auto* running = static_cast<const RunningCall*>(fcinfo->flinfo->fn_extra);
  if (statistic == Statistic::kCount || in_range(running->call, state, fcinfo)) {
    state->count = add_counts(state->count, 1);
  }
  return PointerGetDatum(state);
}

// The state of an aggregate whose payload depends on the bounds, with exactly this call's request.
pg_noinline FlatState* state_of_request(FunctionCallInfo fcinfo, Statistic statistic) {
  (void)aggregate_context(fcinfo);
  RunningCall& running = call_of(fcinfo, statistic);
  FlatState* state = begin_or_match(fcinfo, running).flat;
  if (state == nullptr || state->spec != request_of(running, fcinfo).spec) refuse_foreign_state();
  remember_sound(running, state);
  return state;
}

// Adds an offset up. The layout follows from the statistic, which is a constant at every call.
template <class Offset>
pg_attribute_always_inline void add_offset(FlatState* state, Statistic statistic, Offset offset) {
  if (state->count == PG_INT64_MAX) return;
  const MomentLayout layout(statistic, state->spec.groups);
  add_to_moments(layout, state->payload(), state->count, offset);
  ++state->count;
}

// Sums, averages, variances: add the value up, unless it is NaN.
pg_attribute_always_inline Datum accumulate_moments(FunctionCallInfo fcinfo, Statistic statistic) {
  FlatState* state = sound_state(fcinfo);
  if (state == nullptr) state = state_of_request(fcinfo, statistic);
  const auto& running = *static_cast<const RunningCall*>(fcinfo->flinfo->fn_extra);
  const Column& column = running.call.column;
  const Datum value = fcinfo->args[1].value;
  if (column.grid.is_wide()) {
    Key128 key;
    if (wide_key(column, value, key)) add_offset(state, statistic, running.offsets.wide(key));
  } else {
    Key64 key;
    if (narrow_key(column, value, key)) add_offset(state, statistic, running.offsets.narrow(key));
  }
  return PointerGetDatum(state);
}

// Histograms: count the value in its bucket.
pg_attribute_always_inline Datum accumulate_bucket(FunctionCallInfo fcinfo, Statistic statistic) {
  FlatState* state = sound_state(fcinfo);
  if (state == nullptr) state = state_of_request(fcinfo, statistic);
  const auto& running = *static_cast<const RunningCall*>(fcinfo->flinfo->fn_extra);
  const NullableDatum* args = fcinfo->args;
  const std::int64_t bucket =
      running.buckets.find(running.call.column, args[1].value, args[3].value, args[4].value);
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
  if (into->spec.collects() == Collects::kRows) {
    into->count = count;
  } else if (fits) {
    if (into->spec.collects() == Collects::kMoments) {
      merge_moments(into->spec, into->payload(), into->count, from->payload(), from->count);
    } else {
      for (std::int64_t i = 0; i < into->spec.k; ++i) into->payload()[i] += from->payload()[i];
    }
    into->count = count;
  }
}

// Where the states of a combining node live.
Home combining_home(FunctionCallInfo fcinfo) {
  MemoryContext context = aggregate_context(fcinfo);
  FmgrInfo* function = fcinfo->flinfo;
  if (function->fn_extra == nullptr) function->fn_extra = node_storage(fcinfo);
  return {context, static_cast<NodeStorage*>(function->fn_extra)};
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
  } else if (from.spec().keeps_keys()) {
    add_keys(into, from.flat->payload(), static_cast<std::size_t>(from.flat->count), home);
  } else {
    merge_fixed(into.flat, from.flat);
  }
  return state_datum(into);
}

}  // namespace

}  // namespace idp

// Every transition function, how it takes a row, and what for.
#define IDP_TRANSITIONS(entry)                                  \
  entry(idp_median, accumulate_value, kMedian);                 \
  entry(idp_quantile, accumulate_value, kQuantile);             \
  entry(idp_min, accumulate_value, kMin);                       \
  entry(idp_max, accumulate_value, kMax);                       \
  entry(idp_kth_smallest, accumulate_value, kKthSmallest);      \
  entry(idp_kth_largest, accumulate_value, kKthLargest);        \
  entry(idp_count_range, accumulate_count, kTruncatedRange);    \
  entry(idp_sum, accumulate_moments, kSum);                     \
  entry(idp_avg, accumulate_moments, kAverage);                 \
  entry(idp_variance, accumulate_moments, kVariance);           \
  entry(idp_stddev, accumulate_moments, kStddev);               \
  entry(dp_count, accumulate_count, kCount);                    \
  entry(dp_count_range, accumulate_count, kCountRange);         \
  entry(dp_count_distinct, accumulate_distinct, kDistinct);     \
  entry(dp_median, accumulate_value, kPrivateMedian);           \
  entry(dp_quantile, accumulate_value, kPrivateQuantile);       \
  entry(dp_min, accumulate_value, kPrivateMin);                 \
  entry(dp_max, accumulate_value, kPrivateMax);                 \
  entry(dp_median_smooth, accumulate_value, kSmoothMedian);     \
  entry(dp_quantile_smooth, accumulate_value, kSmoothQuantile); \
  entry(dp_max_smooth, accumulate_value, kSmoothMax);           \
  entry(dp_median_global, accumulate_value, kGlobalMedian);     \
  entry(dp_max_global, accumulate_value, kGlobalMax);           \
  entry(dp_sum, accumulate_moments, kPrivateSum);               \
  entry(dp_avg, accumulate_moments, kPrivateAverage);           \
  entry(dp_variance, accumulate_moments, kPrivateVariance);     \
  entry(dp_stddev, accumulate_moments, kPrivateStddev);         \
  entry(dp_histogram, accumulate_bucket, kHistogram)

#pragma GCC visibility push(default)
extern "C" {

#define IDP_TRANSITION(name, accumulate, statistic)            \
  PG_FUNCTION_INFO_V1(name##_accum);                           \
  Datum name##_accum(PG_FUNCTION_ARGS) {                       \
    return idp::accumulate(fcinfo, idp::Statistic::statistic); \
  }                                                            \
  static_assert(true)

IDP_TRANSITIONS(IDP_TRANSITION);

PG_FUNCTION_INFO_V1(idp_combine);
Datum idp_combine(PG_FUNCTION_ARGS) { return idp::combine(fcinfo); }

}  // extern "C"
#pragma GCC visibility pop

namespace idp {

Statistic statistic_of(PGFunction transition_function) {
#define IDP_STATISTIC(name, accumulate, statistic) \
  if (transition_function == name##_accum) return Statistic::statistic
  IDP_TRANSITIONS(IDP_STATISTIC);
  return Statistic::kNone;
}

bool is_combine_function(PGFunction function) { return function == idp_combine; }

}  // namespace idp

// The SQL entry points that give an answer: final functions. Thin: the answer comes from
// core/mechanism/.

#include "extension/pg.h"

#include <string>

#include "core/mechanism/count.h"
#include "core/mechanism/global_quantile.h"
#include "core/mechanism/moments.h"
#include "core/mechanism/order_statistic.h"
#include "core/mechanism/private_quantile.h"
#include "core/mechanism/smooth_quantile.h"
#include "core/sensitivity/order_statistic.h"
#include "extension/aggregate.h"
#include "extension/call.h"
#include "extension/guard.h"
#include "extension/server_bits.h"
#include "extension/state.h"

namespace idp {

namespace {

// The state of a final function, with its request even if no row was seen. False: nothing is known.
bool final_state(FunctionCallInfo fcinfo, StateArgument& state) {
  (void)aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) return false;
  state = state_argument(PG_GETARG_DATUM(0));
  if (!state.empty()) return true;
  Request request;
  auto* node = reinterpret_cast<AggState*>(fcinfo->context);
  if (!evaluate_request(node, AggGetAggref(fcinfo), request)) return false;
  state.flat = new_flat_state(request);
  return true;
}

// A user's own aggregate may pair any state with any final function.
bool returns(FunctionCallInfo fcinfo, Oid type) {
  return get_func_rettype(fcinfo->flinfo->fn_oid) == type;
}

template <class Key>
const OrderedValues<Key>& values_of(const ExpandedState* state) {
  if constexpr (std::is_same_v<Key, Key128>) {
    return state->wide;
  } else {
    return state->narrow;
  }
}

// The state's collected values as contiguous runs.
template <class Key>
std::pmr::vector<std::span<const Key>> runs_of(const StateArgument& state,
                                               std::pmr::memory_resource* memory) {
  if (state.expanded) return values_of<Key>(state.expanded).runs(memory);
  std::pmr::vector<std::span<const Key>> runs(memory);
  runs.emplace_back(reinterpret_cast<const Key*>(state.flat->payload()),
                    static_cast<std::size_t>(state.flat->count));
  return runs;
}

// Empty if the answer is suppressed.
template <class Key>
std::optional<Key> release_value(const StateArgument& state, std::pmr::memory_resource* memory) {
  const Spec& spec = state.spec();
  const auto runs = runs_of<Key>(state, memory);
  BitSource& bits = server_bits();
  switch (mechanism(spec.statistic)) {
    case Mechanism::kExponential:
      return release_private_quantile<Key>(spec, runs, memory, interrupt_pending, bits);
    case Mechanism::kSmooth:
      return release_smooth_quantile<Key>(spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>(),
                                          rank_of(spec, total_size<Key>(runs)), runs, spec.epsilon,
                                          static_cast<int>(spec.k), memory, interrupt_pending,
                                          bits);
    case Mechanism::kGlobal:
      return release_global_quantile<Key>(spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>(),
                                          rank_of(spec, total_size<Key>(runs)), runs, spec.epsilon,
                                          memory, interrupt_pending, bits);
    default: {
      const auto around = neighbourhoods<Key>(spec, runs, memory, interrupt_pending);
      if (around.empty()) return std::nullopt;
      return release_order_statistic<Key>(spec.grid, around, state.epsilons(), bits);
    }
  }
}

template <class Key>
Datum answer_order_statistic(FunctionCallInfo fcinfo, const StateArgument& state) {
  bool suppressed = true;
  Key answer{};
  ContextResource memory(CurrentMemoryContext);
  guarded([&] {
    const std::optional<Key> release = release_value<Key>(state, &memory);
    suppressed = !release;
    if (release) answer = *release;
  });
  if (suppressed) PG_RETURN_NULL();
  return datum_of_key(state.spec().grid, answer);
}

Datum finish_order_statistic(FunctionCallInfo fcinfo) {
  StateArgument state;
  if (!final_state(fcinfo, state)) PG_RETURN_NULL();
  const Spec& spec = state.spec();
  if (spec.collects() != Collects::kValues ||
      spec.grid.type != value_type_of(get_func_rettype(fcinfo->flinfo->fn_oid))) {
    refuse_foreign_state();
  }
  return spec.grid.is_wide() ? answer_order_statistic<Key128>(fcinfo, state)
                             : answer_order_statistic<Key64>(fcinfo, state);
}

template <class Key>
std::int64_t count_different(const FlatState* state, std::pmr::memory_resource* memory) {
  DistinctValues<Key> values(memory);
  values.add_packed(state->payload(), static_cast<std::size_t>(state->count));
  return values.size();
}

// What a count counted: rows, or different values.
std::int64_t counted(const StateArgument& state, std::pmr::memory_resource* memory) {
  if (state.expanded) return state.expanded->size();
  const FlatState* flat = state.flat;
  if (flat->spec.collects() == Collects::kRows) return flat->count;
  return flat->spec.grid.is_wide() ? count_different<Key128>(flat, memory)
                                   : count_different<Key64>(flat, memory);
}

Datum finish_count(FunctionCallInfo fcinfo) {
  StateArgument state;
  if (!final_state(fcinfo, state)) PG_RETURN_NULL();
  const Spec& spec = state.spec();
  if (spec.collects() != Collects::kRows && spec.collects() != Collects::kDistinct) {
    refuse_foreign_state();
  }
  std::int64_t answer = 0;
  ContextResource memory(CurrentMemoryContext);
  guarded([&] {
    const std::int64_t count = counted(state, &memory);
    answer = mechanism(spec.statistic) == Mechanism::kTruncated
                 ? release_truncated_count(count, spec.epsilon, server_bits())
                 : release_count(count, spec.epsilon, server_bits());
  });
  PG_RETURN_INT64(answer);
}

Datum finish_histogram(FunctionCallInfo fcinfo) {
  StateArgument state;
  if (!final_state(fcinfo, state)) PG_RETURN_NULL();
  if (state.spec().collects() != Collects::kBuckets || !returns(fcinfo, INT8ARRAYOID)) {
    refuse_foreign_state();
  }
  const auto buckets = static_cast<std::size_t>(state.spec().k);
  auto* answer = static_cast<Datum*>(palloc(buckets * sizeof(Datum)));
  guarded([&] {
    for (std::size_t i = 0; i < buckets; ++i) {
      if (i % 1024 == 0 && interrupt_pending()) throw Stopped{};
      answer[i] = Int64GetDatum(release_bucket(static_cast<std::int64_t>(state.flat->payload()[i]),
                                               state.spec().epsilon, server_bits()));
    }
  });
  PG_RETURN_ARRAYTYPE_P(construct_array(answer, static_cast<int>(buckets), INT8OID, sizeof(int64),
                                        FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

// The result type of the native aggregate over that type of column.
Oid native_result(Statistic statistic, ValueType type) {
  const bool is_sum = statistic == Statistic::kSum || statistic == Statistic::kPrivateSum;
  switch (type) {
    case ValueType::kInt16:
    case ValueType::kInt32:
      return is_sum ? INT8OID : NUMERICOID;
    case ValueType::kFloat32:
      return is_sum ? FLOAT4OID : FLOAT8OID;
    case ValueType::kFloat64:
      return FLOAT8OID;
    default:
      return NUMERICOID;
  }
}

// The digits of a number as numeric_in reads them, in the current memory context.
char* decimal_text(const Number& number) {
  const std::size_t digits = mpz_sizeinbase(number.units.get_mpz_t(), 10);
  constexpr std::size_t kSignExponentEnd = 32;
  auto* text = static_cast<char*>(MemoryContextAllocExtended(
      CurrentMemoryContext, digits + kSignExponentEnd, MCXT_ALLOC_NO_OOM));
  if (text == nullptr) throw std::bad_alloc();
  mpz_get_str(text, 10, number.units.get_mpz_t());
  const std::string exponent = "e" + std::to_string(-number.scale);
  strcpy(text + strlen(text), exponent.c_str());
  return text;
}

Datum finish_moments(FunctionCallInfo fcinfo) {
  StateArgument state;
  if (!final_state(fcinfo, state)) PG_RETURN_NULL();
  const Spec& spec = state.spec();
  const Oid result = native_result(spec.statistic, spec.grid.type);
  if (spec.collects() != Collects::kMoments || !returns(fcinfo, result)) refuse_foreign_state();
  double real = 0;
  std::int64_t integer = 0;
  char* text = nullptr;
  guarded([&] {
    const Number number = release_moments(spec, state.epsilons(), state.flat->payload(),
                                          state.flat->count, server_bits());
    if (result == NUMERICOID) {
      text = decimal_text(number);
    } else if (result == INT8OID) {
      integer = Grid{ValueType::kInt64}.nearest<Key64>(number.units);
    } else {
      real = nearest_float(number.units, -number.scale,
                           result == FLOAT4OID ? ValueType::kFloat32 : ValueType::kFloat64);
    }
  });
  if (result == INT8OID) PG_RETURN_INT64(integer);
  if (result == FLOAT8OID) PG_RETURN_FLOAT8(real);
  if (result == FLOAT4OID) PG_RETURN_FLOAT4(static_cast<float4>(real));
  const Datum numeric = DirectFunctionCall3(numeric_in, CStringGetDatum(text),
                                            ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
  const bool undeclared = spec.grid.type == ValueType::kNumeric && spec.grid.precision == 0;
  return undeclared ? DirectFunctionCall1(numeric_trim_scale, numeric) : numeric;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

#define IDP_FINAL(name, finish)                                \
  PG_FUNCTION_INFO_V1(name);                                   \
  Datum name(PG_FUNCTION_ARGS) { return idp::finish(fcinfo); } \
  static_assert(true)

IDP_FINAL(idp_order_statistic_final, finish_order_statistic);
IDP_FINAL(idp_count_final, finish_count);
IDP_FINAL(idp_histogram_final, finish_histogram);
IDP_FINAL(idp_moments_final, finish_moments);

}  // extern "C"
#pragma GCC visibility pop

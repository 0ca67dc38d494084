// The SQL entry points that give an answer: final functions. Thin: the answer comes from
// core/aggregate/, and the noise of a named one is kept by release.cpp; that of one which is given
// again, by extension/answers/keeper.cpp.

#include "extension/pg/pg.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/collect/divided_values.h"
#include "core/gradual/record.h"
#include "core/mechanism/value_mode.h"
#include "extension/audit/compare.h"
#include "extension/audit/run.h"
#include "extension/budget/account.h"
#include "extension/pg/aggregate_context.h"
#include "extension/call/functions.h"
#include "extension/types/answer.h"
#include "extension/call/call.h"
#include "extension/plan/bind.h"
#include "extension/call/group_backlog.h"
#include "extension/pg/guard.h"
#include "extension/release/noise.h"
#include "extension/release/release.h"
#include "extension/pg/server_bits.h"
#include "extension/state/state.h"
#include "extension/statement/statement.h"

extern "C" {
#include "utils/datum.h"
}

namespace idp {

// What the groups of one call have in common.
struct Prepared {
  Spec spec;
  Oid result;             // the type of the answer
  Neighbours neighbours;  // what noise is for
  std::optional<ShortMoments> moments;
};
// It is forgotten with the memory it lies in, which is aligned to 8 bytes.
static_assert(std::is_trivially_destructible_v<Prepared> && alignof(Prepared) <= MAXIMUM_ALIGNOF);

namespace {

// The state of a final function, with its request even if no row was seen. False: nothing is known.
bool final_state(FunctionCallInfo fcinfo, BoundCall& call, StateArgument& state) {
  if (PG_ARGISNULL(0)) return false;
  state = state_argument(PG_GETARG_DATUM(0));
  state.backlog = backlog_of(fcinfo);
  state.group = state.flat;
  if (!state.empty()) return true;
  if (state.backlog != nullptr) {
    state.flat = state.backlog->blank;
    return true;
  }
  if (!call.has_request) {
    if (call.is_bound || !evaluate_request(call.node, AggGetAggref(fcinfo), call.request)) {
      return false;
    }
    call.has_request = true;
  }
  state.flat = new_flat_state(call.request);
  return true;
}

// A user's own aggregate may pair any state with any final function.
bool fits(const Spec& spec, Oid result) {
  const AnswerType answer = row_of(spec.statistic).answer;
  if (answer == AnswerType::kNone) return false;
  if (answer == AnswerType::kCounts) return result == INT8ARRAYOID;
  if (answer == AnswerType::kDecision) return result == BOOLOID;
  return value_type_of(result) == type_of(answer, spec.grid.type);
}

// Calls use with the state's collected values.
template <class Key, class Use>
auto with_values(const StateArgument& state, std::pmr::memory_resource* memory, Use use) {
  if (state.flat) {
    const std::span<const Key> runs[] = {{reinterpret_cast<const Key*>(state.flat->payload()),
                                          static_cast<std::size_t>(state.flat->count)},
                                         deferred<Key>(state.backlog, state.group)};
    return use(ValuesInMemory<Key>(runs, memory, interrupt_pending));
  }
  return with_values<Key>(state.expanded->ordered<Key>(), state.expanded->storage,
                          {memory, interrupt_pending}, use);
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
  if (collects(flat->spec.statistic) == Collects::kRows) return flat->count;
  return flat->spec.grid.is_wide() ? count_different<Key128>(flat, memory)
                                   : count_different<Key64>(flat, memory);
}

// Calls use with what the state has collected.
template <class Use>
auto with_collected(const Spec& spec, const StateArgument& state, std::pmr::memory_resource* memory,
                    Use use) {
  if (spec.collects() == Collects::kValues) {
    if (spec.grid.is_wide()) {
      return with_values<Key128>(state, memory, [&](const Values<Key128>& values) {
        return use(Collected{.wide = &values});
      });
    }
    return with_values<Key64>(state, memory, [&](const Values<Key64>& values) {
      return use(Collected{.narrow = &values});
    });
  }
  if (spec.collects() == Collects::kMoments || spec.collects() == Collects::kBuckets) {
    return use(Collected{.count = state.flat->count, .words = state.flat->payload()});
  }
  return use(Collected{.count = counted(state, memory)});
}

Frozen freeze_state(const Prepared& prepared, const StateArgument& state, double floor,
                    std::pmr::memory_resource* memory) {
  const Spec& spec = prepared.spec;
  Frozen frozen = with_collected(spec, state, memory, [&](const Collected& collected) {
    return freeze(spec, state.epsilons(), collected, {memory, interrupt_pending}, server_bits(),
                  prepared.neighbours);
  });
  raise_to_floor(spec, floor, frozen);
  return frozen;
}

// Sums and averages, nearly always in machine words. False: they have to be drawn as all others.
bool draw_short(const Prepared& prepared, const StateArgument& state, PlainAnswer& answer) {
  if (!prepared.moments) return false;
  const MaybeShort released =
      prepared.moments->release(state.flat->payload(), state.flat->count, server_bits());
  if (const auto* number = std::get_if<ShortNumber>(&released)) {
    answer = plain_answer(*number, prepared.result);
    return true;
  }
  if (std::holds_alternative<Suppressed>(released)) {
    answer = {};
    return true;
  }
  const auto* number = std::get_if<Number>(&released);
  if (number == nullptr) return false;
  answer = plain_answer(*number, prepared.result);
  return true;
}

PlainAnswer draw(const Prepared& prepared, const StateArgument& state, double floor) {
  const Spec& spec = prepared.spec;
  const bool has_floor = floor > 0 && is_additive(spec.statistic);
  PlainAnswer short_answer;
  if (!has_floor && draw_short(prepared, state, short_answer)) return short_answer;
  ContextResource memory(CurrentMemoryContext);
  if (has_floor) {
    const Frozen frozen = freeze_state(prepared, state, floor, &memory);
    return plain_answer(
        answer(spec, frozen, state.epsilons(),
               draw_noise(frozen, state.epsilons(), server_bits(), interrupt_pending)),
        prepared.result);
  }
  return plain_answer(with_collected(spec, state, &memory,
                                     [&](const Collected& collected) {
                                       return answer_once(spec, state.epsilons(), collected,
                                                          {&memory, interrupt_pending},
                                                          server_bits(), prepared.neighbours);
                                     }),
                      prepared.result);
}

// --- named releases ---

struct Beginning {
  const Prepared* prepared;
  const StateArgument* state;
  double floor;
};

bytea* freeze_record(void* context) {
  const auto* beginning = static_cast<const Beginning*>(context);
  bytea* record = nullptr;
  guarded([&] {
    ContextResource memory(CurrentMemoryContext);
    const Prepared& prepared = *beginning->prepared;
    record = bytea_of(encode_release(
        prepared.spec, freeze_state(prepared, *beginning->state, beginning->floor, &memory)));
  });
  return record;
}

Datum finish_named(FunctionCallInfo fcinfo, BoundCall* call, const Prepared& prepared,
                   const StateArgument& state) {
  const Oid result = prepared.result;
  Beginning beginning{&prepared, &state, call->charge.floor};
  const Stored stored = named_release(call, state.request(), result, freeze_record, &beginning);
  Datum answer = 0;
  if (stored.record == nullptr ||
      !answer_of(stored.record, state.epsilons(), stored.noise, result, &answer)) {
    PG_RETURN_NULL();
  }
  PG_RETURN_DATUM(answer);
}

// --- answers that are kept, to be given again ---

Datum finish_kept(FunctionCallInfo fcinfo, BoundCall* call, const Prepared& prepared,
                  const StateArgument& state) {
  Beginning beginning{&prepared, &state, call->charge.floor};
  const std::span<const double> epsilons = state.epsilons();
  CallNoise& kept = call->noise;
  kept.record = freeze_record(&beginning);
  kept.noise =
      noise_at(kept.record, nullptr, 0, epsilons.data(), static_cast<int>(epsilons.size()));
  Datum answer = 0;
  if (!answer_of(kept.record, epsilons, kept.noise, prepared.result, &answer)) PG_RETURN_NULL();
  PG_RETURN_DATUM(answer);
}

// --- answers that are not drawn, for an audit ---

template <class Key>
bytea* evidence_of_values(const Spec& spec, const Values<Key>& values,
                          std::pmr::memory_resource* memory) {
  const Key lower = spec.lower_as<Key>(), upper = spec.upper_as<Key>();
  std::pmr::vector<Key128> keys(memory);
  values.for_each([&](const Key& key, std::int64_t count) {
    keys.insert(keys.end(), static_cast<std::size_t>(count), widen(std::clamp(key, lower, upper)));
  });
  std::sort(keys.begin(), keys.end());
  return evidence_of_ranks(rank_of(spec, values.size()), keys);
}

Frozen compared_state(const Prepared& prepared, const StateArgument& state,
                      std::pmr::memory_resource* memory) {
  return with_collected(prepared.spec, state, memory, [&](const Collected& collected) {
    return freeze_to_compare(prepared.spec, state.epsilons(), collected,
                             {memory, interrupt_pending}, server_bits(), prepared.neighbours);
  });
}

bytea* evidence_of(const Prepared& prepared, const StateArgument& state, double floor,
                   std::pmr::memory_resource* memory) {
  const Spec& spec = prepared.spec;
  if (is_additive(spec.statistic)) {
    return evidence_of_frozen(spec, freeze_state(prepared, state, floor, memory),
                              compared_state(prepared, state, memory));
  }
  return with_collected(spec, state, memory, [&](const Collected& collected) {
    if (collected.wide != nullptr) return evidence_of_values(spec, *collected.wide, memory);
    if (collected.narrow != nullptr) return evidence_of_values(spec, *collected.narrow, memory);
    return evidence_of_count(collected.count);
  });
}

// The answer if all noise were 0.
PlainAnswer noiseless(const Prepared& prepared, const StateArgument& state, double floor,
                      std::pmr::memory_resource* memory) {
  if (!is_additive(prepared.spec.statistic)) return {};
  const Frozen frozen = freeze_state(prepared, state, floor, memory);
  const std::vector<mpz_class> noise(frozen.values.size());
  return plain_answer(answer(prepared.spec, frozen, state.epsilons(), noise), prepared.result);
}

Datum finish_audited(FunctionCallInfo fcinfo, BoundCall* call, const Prepared& prepared,
                     const StateArgument& state) {
  const double floor = call->charge.floor;
  StateArgument empty;
  empty.flat = new_flat_state(call->request);
  empty.group = empty.flat;
  Witness witness = {group_text(call->node), nullptr, 0, false};
  bytea* nothing = nullptr;
  PlainAnswer answer;
  guarded([&] {
    ContextResource memory(CurrentMemoryContext);
    witness.evidence = evidence_of(prepared, state, floor, &memory);
    nothing = evidence_of(prepared, empty, floor, &memory);
    answer = noiseless(prepared, state, floor, &memory);
  });
  witness.is_null = answer.suppressed;
  if (!answer.suppressed) witness.answer = datum_of_answer(prepared.spec, answer, prepared.result);
  const NullableDatum given = put_down(call, witness, nothing, prepared.result);
  if (given.isnull) PG_RETURN_NULL();
  PG_RETURN_DATUM(given.value);
}

// --- the mode of a domain ---

template <class Key>
std::size_t draw_listed(const StateArgument& state, const ListedDomain& domain,
                        Neighbours neighbours) {
  ContextResource memory(CurrentMemoryContext);
  const Workspace space{&memory, interrupt_pending};
  std::pmr::vector<Key> keys(&memory);
  for (std::size_t i = 0; i < domain.count; ++i) keys.push_back(key_as<Key>(domain.keys[i]));
  return with_values<Key>(state, &memory, [&](const Values<Key>& values) {
    return listed_mode<Key>(values, keys, state.epsilons().front(), space, server_bits(),
                            neighbours);
  });
}

// The call has the domain, the state has not: it may have been brought along by another one.
Datum finish_listed(const BoundCall& call, const Prepared& prepared, const StateArgument& state) {
  if (!call.is_bound || !call.has_request || call.request.spec != prepared.spec)
    refuse_foreign_state();
  const ListedDomain domain = read_domain(call.call, call.parameters[1].value);
  std::size_t drawn = 0;
  guarded([&] {
    drawn = prepared.spec.grid.is_wide() ? draw_listed<Key128>(state, domain, prepared.neighbours)
                                         : draw_listed<Key64>(state, domain, prepared.neighbours);
  });
  return datumCopy(domain.values[drawn], domain.by_value, domain.length);
}

// Of the groups of one call nearly always all have the same spec: what follows from it is found
// once.
const Prepared& prepare(FunctionCallInfo fcinfo, BoundCall* call, const Spec& spec,
                        std::initializer_list<Collects> kinds) {
  if (call->prepared != nullptr && call->prepared->spec == spec) return *call->prepared;
  const Oid result = get_func_rettype(fcinfo->flinfo->fn_oid);
  const bool is_kind = std::find(kinds.begin(), kinds.end(), spec.collects()) != kinds.end();
  if (!is_kind || !fits(spec, result)) refuse_foreign_state();
  void* place = call->prepared;
  if (place == nullptr) place = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Prepared));
  call->prepared = nullptr;
  const Neighbours neighbours = neighbours_of(call->charge.accounts);
  auto* prepared = new (place) Prepared{spec, result, neighbours, std::nullopt};
  guarded([&] { prepared->moments = short_moments(spec, neighbours); });
  call->prepared = prepared;
  return *prepared;
}

Datum finish(FunctionCallInfo fcinfo, std::initializer_list<Collects> kinds) {
  (void)aggregate_context(fcinfo);
  BoundCall* call = answering_call(fcinfo);
  if (call->charge.is_repeated) PG_RETURN_NULL();  // what was drawn before takes its place
  StateArgument state;
  if (!final_state(fcinfo, *call, state)) PG_RETURN_NULL();
  const Prepared& prepared = prepare(fcinfo, call, state.spec(), kinds);
  if (call->charge.is_fixed) require_charged(call, state);
  if (call->audited != nullptr) return finish_audited(fcinfo, call, prepared, state);
  if (call->release.name) return finish_named(fcinfo, call, prepared, state);
  if (call->noise.is_kept) return finish_kept(fcinfo, call, prepared, state);
  if (prepared.spec.has(Parameter::kDomain)) {
    PG_RETURN_DATUM(finish_listed(*call, prepared, state));
  }
  PlainAnswer answer;
  guarded([&] { answer = draw(prepared, state, call->charge.floor); });
  if (answer.suppressed) PG_RETURN_NULL();
  PG_RETURN_DATUM(datum_of_answer(prepared.spec, answer, prepared.result));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

#define IDP_FINAL(name, ...)                                                  \
  PG_FUNCTION_INFO_V1(name);                                                  \
  Datum name(PG_FUNCTION_ARGS) { return idp::finish(fcinfo, {__VA_ARGS__}); } \
  static_assert(true)

IDP_FINAL(idp_order_statistic_final, idp::Collects::kValues);
IDP_FINAL(idp_count_final, idp::Collects::kRows, idp::Collects::kDistinct);
IDP_FINAL(idp_histogram_final, idp::Collects::kBuckets);
IDP_FINAL(idp_moments_final, idp::Collects::kMoments, idp::Collects::kValues);

}  // extern "C"
#pragma GCC visibility pop

namespace idp {

bool is_final_function(PGFunction function) {
  return function == idp_order_statistic_final || function == idp_count_final ||
         function == idp_histogram_final || function == idp_moments_final;
}

}  // namespace idp

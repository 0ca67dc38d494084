// The aggregates that count what a population's reports say (core/gradual/report_counts.h): the
// estimate and its standard error. Reports are private already: counting them costs nothing, and
// they may be counted in as many ways as one likes.
//
// All reports of a group must have been made in the same way, with the epsilon that the call names.
// States live in the memory of the aggregate and have no destructors.
#include "extension/report/report_type.h"

#include <algorithm>
#include <string>

#include "core/gradual/report_counts.h"
#include "extension/pg/aggregate_context.h"
#include "extension/pg/arguments.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/guard.h"

extern "C" {
#include "funcapi.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

[[noreturn]] void refuse(const char* message, const char* hint) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message),
                  hint == nullptr ? 0 : errhint("%s", hint)));
  pg_unreachable();
}

// The answer of a report at the epsilon that is asked for.
int level_of(const double* epsilons, int levels, double epsilon) {
  const int level = find_level(epsilons, levels, epsilon);
  if (level < 0) {
    refuse("a report was not made at this epsilon",
           "Ask for one that is in the column epsilons of all reports.");
  }
  return level;
}

double epsilon_of(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(2)) refuse_null("epsilon");
  require_epsilon(PG_GETARG_FLOAT8(2));
  return PG_GETARG_FLOAT8(2);
}

struct varlena* kept(Datum value, MemoryContext memory) {
  MemoryContext before = MemoryContextSwitchTo(memory);
  struct varlena* copy = PG_DETOAST_DATUM_COPY(value);
  MemoryContextSwitchTo(before);
  return copy;
}

// count and standard_error, behind the string if there is one
Datum estimate_datum(const char* type, Datum string, const EstimatedCount& estimate) {
  Datum values[] = {string, Float8GetDatum(estimate.count),
                    Float8GetDatum(estimate.standard_error)};
  bool nulls[] = {false, false, false};
  const int skip = string == 0 ? 1 : 0;
  TupleDesc row = lookup_rowtype_tupdesc(own_type(type), -1);
  const Datum datum = HeapTupleGetDatum(heap_form_tuple(row, values + skip, nulls));
  ReleaseTupleDesc(row);
  return datum;
}

// --- randomised response ---

struct ResponseCount {
  double epsilon;
  ArrayType* domain;  // of all reports
  int k;
  Datum value;  // text: what is counted
  std::int64_t reports, matching;
};

Datum text_argument(FunctionCallInfo fcinfo, int position) {
  if (PG_ARGISNULL(position)) refuse_null("value");
  const Oid type = get_fn_expr_argtype(fcinfo->flinfo, position);
  if (type == TEXTOID || !OidIsValid(type)) return PG_GETARG_DATUM(position);
  Oid output;
  bool is_varlena;
  getTypeOutputInfo(type, &output, &is_varlena);
  return CStringGetTextDatum(OidOutputFunctionCall(output, PG_GETARG_DATUM(position)));
}

ResponseCount* begin_responses(FunctionCallInfo fcinfo, const ResponseReport& report,
                               MemoryContext memory) {
  const double epsilon = epsilon_of(fcinfo);
  const Datum value = text_argument(fcinfo, 3);
  Datum* values;
  int k;
  deconstruct_array(report.domain, TEXTOID, -1, false, TYPALIGN_INT, &values, nullptr, &k);
  auto* state = static_cast<ResponseCount*>(MemoryContextAllocZero(memory, sizeof(ResponseCount)));
  state->value = PointerGetDatum(kept(value, memory));
  bool is_there = false;
  for (int i = 0; i < k; ++i) is_there |= same_text(values[i], state->value);
  if (!is_there) refuse("value is not in the domain of the reports", nullptr);
  state->epsilon = epsilon;
  state->k = k;
  state->domain = reinterpret_cast<ArrayType*>(kept(PointerGetDatum(report.domain), memory));
  return state;
}

Datum add_response(FunctionCallInfo fcinfo) {
  MemoryContext memory = aggregate_context(fcinfo);
  auto* state = PG_ARGISNULL(0) ? nullptr : reinterpret_cast<ResponseCount*>(PG_GETARG_POINTER(0));
  if (PG_ARGISNULL(1)) {
    if (state == nullptr) PG_RETURN_NULL();
    PG_RETURN_POINTER(state);
  }
  const ResponseReport report = read_response_report(PG_GETARG_DATUM(1));
  if (state == nullptr) {
    state = begin_responses(fcinfo, report, memory);
  } else {
    if (!same_bytes(state->domain, report.domain)) {
      refuse("reports of different domains cannot be counted together", nullptr);
    }
    if (epsilon_of(fcinfo) != state->epsilon)
      refuse("epsilon must be the same for all reports", nullptr);
    if (!same_text(text_argument(fcinfo, 3), state->value)) {
      refuse("value must be the same for all reports", nullptr);
    }
  }
  const int level = level_of(report.epsilons, report.levels, state->epsilon);
  ++state->reports;
  state->matching += same_text(report.answers[level], state->value);
  PG_RETURN_POINTER(state);
}

Datum finish_responses(FunctionCallInfo fcinfo) {
  (void)aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  const auto* state = reinterpret_cast<const ResponseCount*>(PG_GETARG_POINTER(0));
  EstimatedCount estimate{};
  guarded([&] {
    estimate = count_responses(state->matching, state->reports,
                               static_cast<unsigned long>(state->k), state->epsilon);
  });
  return estimate_datum("estimate", 0, estimate);
}

// --- RAPPOR ---

struct StringCount {
  double epsilon;
  BloomShape shape;
  bool is_instant;
  double beta, gamma;
  ArrayType* candidates;
  std::int64_t reports;
  std::int64_t* ones;  // of each bit
};

ArrayType* candidates_of(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(3)) refuse_null("candidates");
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(3);
  if (ARR_NDIM(array) > 1) refuse("candidates must be a one-dimensional array", nullptr);
  if (array_contains_nulls(array)) refuse("candidates must not contain nulls", nullptr);
  return array;
}

StringCount* begin_strings(FunctionCallInfo fcinfo, const RapporReport& report,
                           MemoryContext memory) {
  const double epsilon = epsilon_of(fcinfo);
  ArrayType* candidates = candidates_of(fcinfo);
  const int count = ArrayGetNItems(ARR_NDIM(candidates), ARR_DIMS(candidates));
  if (count < 1 || static_cast<std::size_t>(count) > report.shape.bits) {
    refuse("candidates must have at least one element, and no more than reports have bits",
           nullptr);
  }
  if (static_cast<std::size_t>(count) > kMaxCandidates) {
    refuse(psprintf("candidates must have at most %zu elements", kMaxCandidates),
           "Count them in several queries.");
  }
  auto* state = static_cast<StringCount*>(MemoryContextAllocZero(memory, sizeof(StringCount)));
  state->epsilon = epsilon;
  state->shape = report.shape;
  state->is_instant = report.is_instant;
  state->beta = report.beta;
  state->gamma = report.gamma;
  state->candidates = reinterpret_cast<ArrayType*>(kept(PointerGetDatum(candidates), memory));
  state->ones = static_cast<std::int64_t*>(
      MemoryContextAllocZero(memory, report.shape.bits * sizeof(std::int64_t)));
  return state;
}

void require_alike(FunctionCallInfo fcinfo, const StringCount& state, const RapporReport& report) {
  const bool same_noise =
      state.is_instant == report.is_instant &&
      (!state.is_instant || (state.beta == report.beta && state.gamma == report.gamma));
  if (state.shape.bits != report.shape.bits || state.shape.hashes != report.shape.hashes ||
      !same_noise) {
    refuse("reports that were made in different ways cannot be counted together",
           "They must agree in bits, hashes, beta and gamma.");
  }
  if (epsilon_of(fcinfo) != state.epsilon)
    refuse("epsilon must be the same for all reports", nullptr);
  if (!same_bytes(candidates_of(fcinfo), state.candidates)) {
    refuse("candidates must be the same for all reports", nullptr);
  }
}

Datum add_string(FunctionCallInfo fcinfo) {
  MemoryContext memory = aggregate_context(fcinfo);
  auto* state = PG_ARGISNULL(0) ? nullptr : reinterpret_cast<StringCount*>(PG_GETARG_POINTER(0));
  if (PG_ARGISNULL(1)) {
    if (state == nullptr) PG_RETURN_NULL();
    PG_RETURN_POINTER(state);
  }
  RapporReport report = read_rappor_report(PG_GETARG_DATUM(1));
  if (!report.is_instant) report.beta = report.gamma = 0;
  if (state == nullptr) {
    state = begin_strings(fcinfo, report, memory);
  } else {
    require_alike(fcinfo, *state, report);
  }
  const VarBit* answer = report.answers[level_of(report.epsilons, report.levels, state->epsilon)];
  ++state->reports;
  for (std::size_t i = 0; i < state->shape.bits; ++i) {
    state->ones[i] +=
        (VARBITS(answer)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
  }
  PG_RETURN_POINTER(state);
}

Datum finish_strings(FunctionCallInfo fcinfo) {
  (void)aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  const auto* state = reinterpret_cast<const StringCount*>(PG_GETARG_POINTER(0));
  Datum* strings;
  int count;
  deconstruct_array(state->candidates, TEXTOID, -1, false, TYPALIGN_INT, &strings, nullptr, &count);
  auto* estimates =
      static_cast<EstimatedCount*>(palloc0(static_cast<Size>(count) * sizeof(EstimatedCount)));
  bool told_apart = true;
  guarded([&] {
    std::vector<std::string> candidates;
    for (int i = 0; i < count; ++i) {
      const auto* string = reinterpret_cast<const text*>(DatumGetPointer(strings[i]));
      candidates.emplace_back(VARDATA_ANY(string), VARSIZE_ANY_EXHDR(string));
    }
    const BitNoise noise = state->is_instant ? BitNoise::instant(state->epsilon, state->shape,
                                                                 state->beta, state->gamma)
                                             : BitNoise::permanent(state->epsilon, state->shape);
    try {
      std::ranges::copy(count_strings({state->ones, state->shape.bits}, state->reports, candidates,
                                      state->shape, noise, interrupt_pending),
                        estimates);
    } catch (const std::invalid_argument&) {  // all else was checked
      told_apart = false;
    }
  });
  if (!told_apart) {
    refuse("the bits of the candidates do not tell them apart",
           "Name each candidate once, fewer of them, or make reports with more bits.");
  }
  auto* rows = static_cast<Datum*>(palloc(static_cast<Size>(count) * sizeof(Datum)));
  for (int i = 0; i < count; ++i) {
    rows[i] = estimate_datum("candidate_estimate", strings[i], estimates[i]);
  }
  PG_RETURN_ARRAYTYPE_P(
      construct_array(rows, count, own_type("candidate_estimate"), -1, false, TYPALIGN_DOUBLE));
}

// --- RAPPOR's parameters ---

BloomShape shape_of_hashes(int32 hashes) { return read_shape(kMostBloomBits, hashes); }

double probability(double f, const char* name) {
  if (!(f > 0 && f < 1)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s must be greater than 0 and less than 1", name)));
  }
  return f;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(dp_report_count_accum);
Datum dp_report_count_accum(PG_FUNCTION_ARGS) { return idp::add_response(fcinfo); }

PG_FUNCTION_INFO_V1(dp_report_count_final);
Datum dp_report_count_final(PG_FUNCTION_ARGS) { return idp::finish_responses(fcinfo); }

PG_FUNCTION_INFO_V1(dp_rappor_count_accum);
Datum dp_rappor_count_accum(PG_FUNCTION_ARGS) { return idp::add_string(fcinfo); }

PG_FUNCTION_INFO_V1(dp_rappor_count_final);
Datum dp_rappor_count_final(PG_FUNCTION_ARGS) { return idp::finish_strings(fcinfo); }

PG_FUNCTION_INFO_V1(idp_rappor_f);
Datum idp_rappor_f(PG_FUNCTION_ARGS) {
  idp::require_epsilon(PG_GETARG_FLOAT8(0));
  PG_RETURN_FLOAT8(idp::rappor_f(PG_GETARG_FLOAT8(0), idp::shape_of_hashes(PG_GETARG_INT32(1))));
}

PG_FUNCTION_INFO_V1(idp_rappor_epsilon);
Datum idp_rappor_epsilon(PG_FUNCTION_ARGS) {
  const double f = idp::probability(PG_GETARG_FLOAT8(0), "f");
  PG_RETURN_FLOAT8(idp::rappor_epsilon(f, idp::shape_of_hashes(PG_GETARG_INT32(1))));
}

PG_FUNCTION_INFO_V1(idp_instant_epsilon);
Datum idp_instant_epsilon(PG_FUNCTION_ARGS) {
  idp::require_epsilon(PG_GETARG_FLOAT8(0));
  const idp::BloomShape shape = idp::shape_of_hashes(PG_GETARG_INT32(1));
  const double beta = PG_GETARG_FLOAT8(2), gamma = PG_GETARG_FLOAT8(3);
  if (!(gamma >= 0 && gamma < beta && beta <= 1)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("beta and gamma must be probabilities, gamma less than beta")));
  }
  PG_RETURN_FLOAT8(
      idp::instant_epsilon(idp::rappor_f(PG_GETARG_FLOAT8(0), shape), beta, gamma, shape));
}

}  // extern "C"
#pragma GCC visibility pop

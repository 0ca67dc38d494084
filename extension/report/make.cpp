// The SQL functions that make reports: randomised response over a domain, RAPPOR's permanent and
// instant reports (core/random/response.h, core/gradual/rappor.h). Reports are made of one record's
// own value and protect it from whoever sees them: nothing is charged.
//
// What a record's value is raises no error: one that is not in the domain, NULL included, counts as
// the last of the domain, and a NULL string as an empty one.
#include "extension/report/report_type.h"

#include "core/random/response.h"
#include "extension/pg/arguments.h"
#include "extension/pg/guard.h"
#include "extension/pg/server_bits.h"

namespace idp {

namespace {

double epsilon_argument(FunctionCallInfo fcinfo, int position) {
  if (PG_ARGISNULL(position)) refuse_null("epsilon");
  const double epsilon = PG_GETARG_FLOAT8(position);
  require_epsilon(epsilon);
  return epsilon;
}

// Where a new level goes among those that are there.
int place_of(const double* epsilons, int levels, double epsilon) {
  int place = 0;
  while (place < levels && epsilons[place] < epsilon) ++place;
  return place;
}

void require_room_for_level(int levels) {
  if (levels < kMostLevels) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("a report has at most %d epsilons", kMostLevels)));
}

double* with_epsilon(const double* epsilons, int levels, int place, double epsilon) {
  auto* all = static_cast<double*>(palloc(static_cast<Size>(levels + 1) * sizeof(double)));
  for (int i = 0; i <= levels; ++i) {
    all[i] = i < place ? epsilons[i] : i == place ? epsilon : epsilons[i - 1];
  }
  return all;
}

// --- randomised response ---

// A domain and its values as text, checked; kept for the rows that follow.
struct Domain {
  MemoryContext memory;  // where all of it lies
  ArrayType* array;      // as it was given
  ArrayType* texts;
  Datum* values;
  int count;
  FmgrInfo output;
};

[[noreturn]] void refuse_domain(const char* rule) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("domain %s", rule)));
  pg_unreachable();
}

Datum text_of(FmgrInfo& output, Datum value) {
  return CStringGetTextDatum(OutputFunctionCall(&output, value));
}

Domain* read_domain(ArrayType* array) {
  if (ARR_NDIM(array) > 1) refuse_domain("must be a one-dimensional array");
  if (array_contains_nulls(array)) refuse_domain("must not contain nulls");
  auto* domain = static_cast<Domain*>(palloc0(sizeof(Domain)));
  const Oid type = ARR_ELEMTYPE(array);
  int16 length;
  bool by_value;
  char alignment;
  get_typlenbyvalalign(type, &length, &by_value, &alignment);
  deconstruct_array(array, type, length, by_value, alignment, &domain->values, nullptr,
                    &domain->count);
  if (domain->count < 2 || domain->count > kMostDomainValues) {
    refuse_domain(psprintf("must have between 2 and %d values", kMostDomainValues));
  }
  Oid output;
  bool is_varlena;
  getTypeOutputInfo(type, &output, &is_varlena);
  fmgr_info_cxt(output, &domain->output, CurrentMemoryContext);
  for (int i = 0; i < domain->count; ++i) {
    domain->values[i] = text_of(domain->output, domain->values[i]);
    for (int j = 0; j < i; ++j) {
      if (same_text(domain->values[i], domain->values[j])) {
        refuse_domain("must not contain a value twice");
      }
    }
  }
  domain->array = array;
  domain->texts = construct_array(domain->values, domain->count, TEXTOID, -1, false, TYPALIGN_INT);
  return domain;
}

Domain& domain_argument(FunctionCallInfo fcinfo, int position) {
  if (PG_ARGISNULL(position)) refuse_null("domain");
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(position);
  auto* known = static_cast<Domain*>(fcinfo->flinfo->fn_extra);
  if (known != nullptr && same_bytes(known->array, array)) return *known;
  fcinfo->flinfo->fn_extra = nullptr;
  if (known != nullptr) MemoryContextDelete(known->memory);
  MemoryContext memory =
      AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "idp domain", ALLOCSET_SMALL_SIZES);
  MemoryContext before = MemoryContextSwitchTo(memory);
  known = read_domain(reinterpret_cast<ArrayType*>(PG_DETOAST_DATUM_COPY(PointerGetDatum(array))));
  known->memory = memory;
  MemoryContextSwitchTo(before);
  fcinfo->flinfo->fn_extra = known;
  return *known;
}

// The number of the value, or of the last one.
int index_in(const Domain& domain, Datum value) {
  for (int i = 0; i < domain.count - 1; ++i) {
    if (same_text(domain.values[i], value)) return i;
  }
  return domain.count - 1;
}

// An answer of a report.
int index_of_answer(const Domain& domain, Datum answer) {
  const int index = index_in(domain, answer);
  if (!same_text(domain.values[index], answer)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the earlier report has an answer that is not in its domain")));
  }
  return index;
}

struct Levels {
  int count;
  const double* epsilons;
  const int* answers;
};

int draw_answer(int value, int k, const Levels& earlier, double epsilon) {
  Response answer = 0;
  guarded([&] {
    std::vector<ResponseLevel> levels;
    for (int i = 0; i < earlier.count; ++i) {
      levels.push_back(
          {Rate::of(earlier.epsilons[i], 1), static_cast<Response>(earlier.answers[i])});
    }
    const ResponseLaw law = next_response(
        static_cast<Response>(value), static_cast<unsigned long>(k), levels, Rate::of(epsilon, 1));
    answer = draw_response(law, server_bits());
  });
  return static_cast<int>(answer);
}

Datum report_response(FunctionCallInfo fcinfo, bool has_earlier) {
  const double epsilon = epsilon_argument(fcinfo, 1);
  Domain& domain = domain_argument(fcinfo, 2);
  int value = domain.count - 1;
  if (!PG_ARGISNULL(0)) {
    value = index_in(domain, text_of(domain.output, PG_GETARG_DATUM(0)));
  }
  ResponseReport earlier{domain.texts, 0, nullptr, nullptr};
  if (has_earlier && !PG_ARGISNULL(3)) {
    earlier = read_response_report(PG_GETARG_DATUM(3));
    if (!same_bytes(earlier.domain, domain.texts)) {
      ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                      errmsg("the earlier report is of another domain")));
    }
    if (find_level(earlier.epsilons, earlier.levels, epsilon) >= 0) return PG_GETARG_DATUM(3);
    require_room_for_level(earlier.levels);
  }
  auto* indexes = static_cast<int*>(palloc(static_cast<Size>(earlier.levels + 1) * sizeof(int)));
  for (int i = 0; i < earlier.levels; ++i) {
    indexes[i] = index_of_answer(domain, earlier.answers[i]);
  }
  const int answer =
      draw_answer(value, domain.count, {earlier.levels, earlier.epsilons, indexes}, epsilon);
  const int place = place_of(earlier.epsilons, earlier.levels, epsilon);
  auto* answers =
      static_cast<Datum*>(palloc(static_cast<Size>(earlier.levels + 1) * sizeof(Datum)));
  for (int i = 0; i <= earlier.levels; ++i) {
    answers[i] = i == place ? domain.values[answer] : earlier.answers[i < place ? i : i - 1];
  }
  return response_report_datum({domain.texts, earlier.levels + 1,
                                with_epsilon(earlier.epsilons, earlier.levels, place, epsilon),
                                answers});
}

// --- RAPPOR ---

Datum report_string(FunctionCallInfo fcinfo, bool has_earlier) {
  const double epsilon = epsilon_argument(fcinfo, 1);
  if (PG_ARGISNULL(2)) refuse_null("bits");
  if (PG_ARGISNULL(3)) refuse_null("hashes");
  RapporReport earlier{};
  earlier.shape = read_shape(PG_GETARG_INT32(2), PG_GETARG_INT32(3));
  const BloomShape shape = earlier.shape;
  if (has_earlier && !PG_ARGISNULL(4)) {
    earlier = read_rappor_report(PG_GETARG_DATUM(4));
    if (earlier.is_instant) {
      ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                      errmsg("the earlier report is an instant one"),
                      errhint("Keep the report that dp_rappor_report made, and give that.")));
    }
    if (earlier.shape.bits != shape.bits || earlier.shape.hashes != shape.hashes) {
      ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                      errmsg("the earlier report has other bits or hashes")));
    }
    if (find_level(earlier.epsilons, earlier.levels, epsilon) >= 0) return PG_GETARG_DATUM(4);
    require_room_for_level(earlier.levels);
  }
  text* value = PG_ARGISNULL(0) ? cstring_to_text("") : PG_GETARG_TEXT_PP(0);
  VarBit* answer = new_varbit(shape.bits);
  guarded([&] {
    std::vector<RapporLevel> levels;
    for (int i = 0; i < earlier.levels; ++i) {
      levels.push_back({earlier.epsilons[i], bits_of(earlier.answers[i])});
    }
    const std::string_view string(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
    write_bits(permanent_report(string, shape, levels, epsilon, server_bits()), answer);
  });
  const int place = place_of(earlier.epsilons, earlier.levels, epsilon);
  RapporReport report = earlier;
  report.levels = earlier.levels + 1;
  report.epsilons = with_epsilon(earlier.epsilons, earlier.levels, place, epsilon);
  report.answers = static_cast<VarBit**>(palloc(static_cast<Size>(report.levels) * sizeof(void*)));
  for (int i = 0; i < report.levels; ++i) {
    report.answers[i] = i == place ? answer : earlier.answers[i < place ? i : i - 1];
  }
  return rappor_report_datum(report);
}

Datum report_instantly(FunctionCallInfo fcinfo) {
  RapporReport report = read_rappor_report(PG_GETARG_DATUM(0));
  const double beta = PG_GETARG_FLOAT8(1), gamma = PG_GETARG_FLOAT8(2);
  if (report.is_instant) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the report is an instant one already"),
                    errhint("Instant reports are drawn from the one that dp_rappor_report made.")));
  }
  if (!(gamma >= 0 && gamma < beta && beta <= 1)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("beta and gamma must be probabilities, gamma less than beta")));
  }
  const int finest = report.levels - 1;
  VarBit* answer = new_varbit(report.shape.bits);
  guarded([&] {
    write_bits(instant_report(bits_of(report.answers[finest]), beta, gamma, server_bits()), answer);
  });
  report.answers[0] = answer;
  report.epsilons += finest;
  report.levels = 1;
  report.is_instant = true;
  report.beta = beta;
  report.gamma = gamma;
  return rappor_report_datum(report);
}

// --- a coarser view ---

// How many levels of a report a reader sees who may see it up to that epsilon.
int visible_levels(const double* epsilons, int levels, double epsilon) {
  require_epsilon(epsilon);
  int visible = 0;
  while (visible < levels && epsilons[visible] <= epsilon) ++visible;
  if (visible == 0) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("the report was made at no epsilon as small as that"),
             errhint("Make it at that epsilon as well, with the report as the earlier one.")));
  }
  return visible;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(dp_report);
Datum dp_report(PG_FUNCTION_ARGS) { return idp::report_response(fcinfo, false); }

PG_FUNCTION_INFO_V1(dp_report_again);
Datum dp_report_again(PG_FUNCTION_ARGS) { return idp::report_response(fcinfo, true); }

PG_FUNCTION_INFO_V1(dp_rappor_report);
Datum dp_rappor_report(PG_FUNCTION_ARGS) { return idp::report_string(fcinfo, false); }

PG_FUNCTION_INFO_V1(dp_rappor_report_again);
Datum dp_rappor_report_again(PG_FUNCTION_ARGS) { return idp::report_string(fcinfo, true); }

PG_FUNCTION_INFO_V1(idp_instant_report);
Datum idp_instant_report(PG_FUNCTION_ARGS) { return idp::report_instantly(fcinfo); }

PG_FUNCTION_INFO_V1(idp_report_up_to);
Datum idp_report_up_to(PG_FUNCTION_ARGS) {
  idp::ResponseReport report = idp::read_response_report(PG_GETARG_DATUM(0));
  report.levels = idp::visible_levels(report.epsilons, report.levels, PG_GETARG_FLOAT8(1));
  return idp::response_report_datum(report);
}

PG_FUNCTION_INFO_V1(idp_rappor_report_up_to);
Datum idp_rappor_report_up_to(PG_FUNCTION_ARGS) {
  idp::RapporReport report = idp::read_rappor_report(PG_GETARG_DATUM(0));
  report.levels = idp::visible_levels(report.epsilons, report.levels, PG_GETARG_FLOAT8(1));
  return idp::rappor_report_datum(report);
}

}  // extern "C"
#pragma GCC visibility pop

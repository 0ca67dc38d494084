#include "extension/report/report_type.h"

#include "core/aggregate/spec.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "funcapi.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

[[noreturn]] void refuse_report() {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the value is not a report"),
                  errdetail("Reports are made by dp_report, dp_rappor_report and "
                            "idp.instant_report.")));
  pg_unreachable();
}

ReportColumns columns_of(Datum report, const char* type, int count) {
  HeapTupleHeader header = DatumGetHeapTupleHeader(report);
  TupleDesc row =
      lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
  if (row->natts != count) elog(ERROR, "type idp.%s has %d columns", type, row->natts);
  HeapTupleData tuple;
  tuple.t_len = HeapTupleHeaderGetDatumLength(header);
  ItemPointerSetInvalid(&tuple.t_self);
  tuple.t_tableOid = InvalidOid;
  tuple.t_data = header;
  ReportColumns columns;
  heap_deform_tuple(&tuple, row, columns.values, columns.nulls);
  ReleaseTupleDesc(row);
  return columns;
}

Datum row_datum(const char* type, Datum* values, bool* nulls) {
  TupleDesc row = lookup_rowtype_tupdesc(own_type(type), -1);
  HeapTuple tuple = heap_form_tuple(row, values, nulls);
  const Datum datum = HeapTupleGetDatum(tuple);
  ReleaseTupleDesc(row);
  return datum;
}

// A list without nulls, of a length within the limits.
ArrayType* list_of(Datum value, Oid element, int least, int most) {
  ArrayType* array = DatumGetArrayTypeP(value);
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  if (ARR_ELEMTYPE(array) != element || ARR_NDIM(array) != 1 || array_contains_nulls(array) ||
      count < least || count > most) {
    refuse_report();
  }
  return array;
}

int length_of(const ArrayType* array) { return ARR_DIMS(array)[0]; }

const double* epsilons_of(Datum value, int& levels) {
  ArrayType* array = list_of(value, FLOAT8OID, 1, kMostLevels);
  levels = length_of(array);
  const auto* epsilons = reinterpret_cast<const double*>(ARR_DATA_PTR(array));
  for (int i = 0; i < levels; ++i) {
    if (find_violation_of_epsilons({epsilons + i, 1}, true)) refuse_report();
    if (i > 0 && !(epsilons[i - 1] < epsilons[i])) refuse_report();
  }
  return epsilons;
}

Datum* elements_of(ArrayType* array, Oid type, int count) {
  if (length_of(array) != count) refuse_report();
  Datum* elements;
  int found;
  deconstruct_array(array, type, -1, false, TYPALIGN_INT, &elements, nullptr, &found);
  return elements;
}

ArrayType* array_of(const Datum* elements, int count, Oid type) {
  int16 length;
  bool by_value;
  char alignment;
  get_typlenbyvalalign(type, &length, &by_value, &alignment);
  return construct_array(const_cast<Datum*>(elements), count, type, length, by_value, alignment);
}

Datum epsilons_datum(const double* epsilons, int levels) {
  auto* elements = static_cast<Datum*>(palloc(static_cast<Size>(levels) * sizeof(Datum)));
  for (int i = 0; i < levels; ++i) elements[i] = Float8GetDatum(epsilons[i]);
  return PointerGetDatum(array_of(elements, levels, FLOAT8OID));
}

}  // namespace

void require_epsilon(double epsilon) {
  if (const auto violation = find_violation_of_epsilons({&epsilon, 1}, false)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s %s", violation->argument, violation->rule)));
  }
}

int find_level(const double* epsilons, int levels, double epsilon) {
  for (int i = 0; i < levels; ++i) {
    if (epsilons[i] == epsilon) return i;
  }
  return -1;
}

BloomShape read_shape(int32 bits, int32 hashes) {
  if (bits < 2 || static_cast<std::size_t>(bits) > kMostBloomBits) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("bits must be between 2 and %zu", kMostBloomBits)));
  }
  if (hashes < 1 || static_cast<std::size_t>(hashes) > kMostHashes || hashes > bits) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("hashes must be between 1 and %zu, and not more than bits", kMostHashes)));
  }
  return {static_cast<std::size_t>(bits), static_cast<std::size_t>(hashes)};
}

ResponseReport read_response_report(Datum value) {
  const ReportColumns columns = columns_of(value, "report", 3);
  if (columns.nulls[0] || columns.nulls[1] || columns.nulls[2]) refuse_report();
  ResponseReport report;
  report.domain = list_of(columns.values[0], TEXTOID, 2, kMostDomainValues);
  report.epsilons = epsilons_of(columns.values[1], report.levels);
  report.answers =
      elements_of(list_of(columns.values[2], TEXTOID, 1, kMostLevels), TEXTOID, report.levels);
  return report;
}

RapporReport read_rappor_report(Datum value) {
  const ReportColumns columns = columns_of(value, "rappor_report", 6);
  for (int i = 0; i < 4; ++i) {
    if (columns.nulls[i]) refuse_report();
  }
  RapporReport report;
  report.shape = read_shape(DatumGetInt32(columns.values[0]), DatumGetInt32(columns.values[1]));
  report.epsilons = epsilons_of(columns.values[2], report.levels);
  Datum* answers =
      elements_of(list_of(columns.values[3], VARBITOID, 1, kMostLevels), VARBITOID, report.levels);
  report.answers = static_cast<VarBit**>(palloc(static_cast<Size>(report.levels) * sizeof(void*)));
  for (int i = 0; i < report.levels; ++i) {
    report.answers[i] = DatumGetVarBitP(answers[i]);
    if (static_cast<std::size_t>(VARBITLEN(report.answers[i])) != report.shape.bits) {
      refuse_report();
    }
  }
  report.is_instant = !columns.nulls[4];
  if (columns.nulls[5] != columns.nulls[4]) refuse_report();
  if (!report.is_instant) return report;
  report.beta = DatumGetFloat8(columns.values[4]);
  report.gamma = DatumGetFloat8(columns.values[5]);
  const bool sound = report.gamma >= 0 && report.gamma < report.beta && report.beta <= 1;
  if (!sound || report.levels != 1) refuse_report();
  return report;
}

Datum response_report_datum(const ResponseReport& report) {
  Datum values[] = {PointerGetDatum(report.domain), epsilons_datum(report.epsilons, report.levels),
                    PointerGetDatum(array_of(report.answers, report.levels, TEXTOID))};
  bool nulls[] = {false, false, false};
  return row_datum("report", values, nulls);
}

Datum rappor_report_datum(const RapporReport& report) {
  auto* answers = static_cast<Datum*>(palloc(static_cast<Size>(report.levels) * sizeof(Datum)));
  for (int i = 0; i < report.levels; ++i) answers[i] = PointerGetDatum(report.answers[i]);
  Datum values[] = {Int32GetDatum(static_cast<int32>(report.shape.bits)),
                    Int32GetDatum(static_cast<int32>(report.shape.hashes)),
                    epsilons_datum(report.epsilons, report.levels),
                    PointerGetDatum(array_of(answers, report.levels, VARBITOID)),
                    Float8GetDatum(report.beta),
                    Float8GetDatum(report.gamma)};
  bool nulls[] = {false, false, false, false, !report.is_instant, !report.is_instant};
  return row_datum("rappor_report", values, nulls);
}

Bits bits_of(const VarBit* value) {
  const auto count = static_cast<std::size_t>(VARBITLEN(value));
  Bits bits(count);
  for (std::size_t i = 0; i < count; ++i) {
    bits[i] = (VARBITS(value)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
  }
  return bits;
}

VarBit* new_varbit(std::size_t bits) {
  const Size size = VARBITTOTALLEN(bits);
  auto* value = static_cast<VarBit*>(palloc0(size));
  SET_VARSIZE(value, size);
  VARBITLEN(value) = static_cast<int32>(bits);
  return value;
}

void write_bits(const Bits& bits, VarBit* value) {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) VARBITS(value)[i / BITS_PER_BYTE] |= 1 << (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE);
  }
}

bool same_text(Datum a, Datum b) {
  const text* x = DatumGetTextPP(a);
  const text* y = DatumGetTextPP(b);
  return VARSIZE_ANY_EXHDR(x) == VARSIZE_ANY_EXHDR(y) &&
         memcmp(VARDATA_ANY(x), VARDATA_ANY(y), VARSIZE_ANY_EXHDR(x)) == 0;
}

bool same_bytes(const void* a, const void* b) {
  return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

}  // namespace idp

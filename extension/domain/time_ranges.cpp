#include "extension/domain/time_ranges.h"

#include "extension/domain/domain.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

// --- fields ---

struct Field {
  const char* name;
  int32 first;
  int32 last;
};
constexpr Field kFields[] = {{"quarter", 1, 4}, {"month", 1, 12}, {"week", 1, 53},
                             {"doy", 1, 366},   {"day", 1, 31},   {"dow", 0, 6},
                             {"isodow", 1, 7},  {"hour", 0, 23},  {"minute", 0, 59}};

bool is_finite(Oid type, Datum value) {
  return type == DATEOID ? !DATE_NOT_FINITE(DatumGetDateADT(value))
                         : !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
}

// By UTC: by another zone an instant may lie in the year before or after.
Datum year_of(Oid type, Datum value) {
  const Datum field = CStringGetTextDatum("year");
  return type == DATEOID ? DirectFunctionCall2(extract_date, field, value)
                         : DirectFunctionCall2(extract_timestamp, field, value);
}

MaybeNumbers years_of_column(const QueryLevel& level, Node* value, bool is_exact) {
  const Oid type = exprType(value);
  const TableColumn column = column_of_whole(origin_of(level, value));
  Datum lower, upper;
  if (!OidIsValid(column.table) || !bounds_of(column.table, column.number, &lower, &upper) ||
      !is_finite(type, lower) || !is_finite(type, upper)) {
    return std::nullopt;
  }
  const Datum margin = of_int(is_exact ? 0 : 1);
  return between(call(numeric_sub, year_of(type, lower), margin),
                 call(numeric_add, year_of(type, upper), margin));
}

}  // namespace

MaybeNumbers numbers_of_field(const QueryLevel& level, const FuncExpr* function) {
  const auto* name = maybe<Const>(static_cast<Node*>(linitial(function->args)));
  auto* value = static_cast<Node*>(lsecond(function->args));
  const Oid type = exprType(value);
  if (name == nullptr || name->constisnull || name->consttype != TEXTOID ||
      (type != DATEOID && type != TIMESTAMPOID && type != TIMESTAMPTZOID)) {
    return std::nullopt;
  }
  const char* field = TextDatumGetCString(name->constvalue);
  for (const Field& known : kFields) {
    if (pg_strcasecmp(field, known.name) == 0) {
      return between(of_int(known.first), of_int(known.last));
    }
  }
  if (pg_strcasecmp(field, "year") != 0 || !IsA(value, Var)) return std::nullopt;
  return years_of_column(level, value, type != TIMESTAMPTZOID);
}

namespace {

// --- days and seconds ---

// The day before, and the one after: by another zone than UTC an instant may lie in these.
MaybeNumbers days_of_instants(const QueryLevel& level, Node* column, bool is_exact) {
  const TableColumn origin = column_of_whole(origin_of(level, column));
  Datum lower, upper;
  if (!OidIsValid(origin.table) || !bounds_of(origin.table, origin.number, &lower, &upper) ||
      TIMESTAMP_NOT_FINITE(DatumGetTimestamp(lower)) ||
      TIMESTAMP_NOT_FINITE(DatumGetTimestamp(upper))) {
    return std::nullopt;
  }
  const auto day = [](Datum instant) {
    return of_int(DatumGetDateADT(DirectFunctionCall1(timestamp_date, instant)));
  };
  const Datum margin = of_int(is_exact ? 0 : 1);
  return between(call(numeric_sub, day(lower), margin), call(numeric_add, day(upper), margin));
}

MaybeNumbers widened(const MaybeNumbers& days) {
  if (!days || days->is_empty) return days;
  return between(call(numeric_sub, days->lower, of_int(1)),
                 call(numeric_add, days->upper, of_int(1)));
}

// Of dates, by the day: of columns with domains, instants of such as dates, and constants.
MaybeNumbers days_of(const QueryLevel& level, Node* node) {
  if (IsA(node, FuncExpr)) {
    const auto* cast = as<FuncExpr>(node);
    if (cast->funcid != F_DATE_TIMESTAMP && cast->funcid != F_DATE_TIMESTAMPTZ) return std::nullopt;
    auto* column = static_cast<Node*>(linitial(cast->args));
    if (!IsA(column, Var)) return std::nullopt;
    return days_of_instants(level, column, cast->funcid == F_DATE_TIMESTAMP);
  }
  Datum lower, upper;
  if (IsA(node, Const)) {
    const auto* constant = as<Const>(node);
    if (constant->constisnull) return Numbers{true, 0, 0};
    lower = upper = constant->constvalue;
  } else if (IsA(node, Var)) {
    const TableColumn column = column_of_whole(origin_of(level, node));
    if (!OidIsValid(column.table) || !bounds_of(column.table, column.number, &lower, &upper)) {
      return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  if (DATE_NOT_FINITE(DatumGetDateADT(lower)) || DATE_NOT_FINITE(DatumGetDateADT(upper))) {
    return std::nullopt;
  }
  return between(of_int(DatumGetDateADT(lower)), of_int(DatumGetDateADT(upper)));
}

}  // namespace

MaybeNumbers days_between(const QueryLevel& level, const OpExpr* operation) {
  const MaybeNumbers first = days_of(level, static_cast<Node*>(linitial(operation->args)));
  const MaybeNumbers second = days_of(level, static_cast<Node*>(lsecond(operation->args)));
  if (!first || !second) return std::nullopt;
  if (first->is_empty || second->is_empty) return Numbers{true, 0, 0};
  return at_ends(numeric_sub, *first, *second);
}

namespace {

// The days that instants lie in: of columns with domains, dates as instants, and constants.
MaybeNumbers days_of_instant(const QueryLevel& level, Node* node) {
  check_stack_depth();
  switch (nodeTag(node)) {
    case T_Var:
      if (exprType(node) == DATEOID) return days_of(level, node);
      return days_of_instants(level, node, exprType(node) == TIMESTAMPOID);
    case T_Const: {
      const auto* constant = as<Const>(node);
      if (constant->constisnull) return Numbers{true, 0, 0};
      if (constant->consttype == DATEOID) return days_of(level, node);
      if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(constant->constvalue))) return std::nullopt;
      const Datum day = DirectFunctionCall1(timestamp_date, constant->constvalue);
      return between(of_int(DatumGetDateADT(day)), of_int(DatumGetDateADT(day)));
    }
    case T_FuncExpr: {
      const auto* cast = as<FuncExpr>(node);
      if (list_length(cast->args) != 1) return std::nullopt;
      auto* argument = static_cast<Node*>(linitial(cast->args));
      switch (cast->funcid) {
        case F_TIMESTAMP_DATE:
          return days_of(level, argument);
        case F_TIMESTAMPTZ_DATE:
        case F_TIMESTAMPTZ_TIMESTAMP:
        case F_TIMESTAMP_TIMESTAMPTZ:
          return widened(days_of_instant(level, argument));
        default:
          return std::nullopt;
      }
    }
    default:
      return std::nullopt;
  }
}

bool is_named(const FuncExpr* function, const char* field) {
  const auto* name = maybe<Const>(static_cast<const Node*>(linitial(function->args)));
  return name != nullptr && !name->constisnull && name->consttype == TEXTOID &&
         pg_strcasecmp(TextDatumGetCString(name->constvalue), field) == 0;
}

bool gives_field_of_interval(const FuncExpr* function) {
  return function->funcid == F_EXTRACT_TEXT_INTERVAL ||
         function->funcid == F_DATE_PART_TEXT_INTERVAL;
}

constexpr int kSecondsOfDay = 24 * 60 * 60;

}  // namespace

bool measures_whole_days(const FuncExpr* function) {
  return gives_field_of_interval(function) && is_named(function, "day");
}

bool measures_interval(const FuncExpr* function) {
  return measures_whole_days(function) ||
         (gives_field_of_interval(function) && is_named(function, "epoch"));
}

// The difference of two instants has no months, and what is less than a day beside its days: those
// are at most the days between, and one of the day that has begun.
MaybeNumbers numbers_of_interval(const QueryLevel& level, const FuncExpr* function) {
  auto* argument = static_cast<Node*>(lsecond(function->args));
  if (!IsA(argument, OpExpr)) return std::nullopt;
  const auto* difference = as<OpExpr>(argument);
  const Oid operation = get_opcode(difference->opno);
  if (operation != F_TIMESTAMP_MI && operation != F_TIMESTAMPTZ_MI) return std::nullopt;
  const MaybeNumbers first = days_of_instant(level, static_cast<Node*>(linitial(difference->args)));
  const MaybeNumbers second = days_of_instant(level, static_cast<Node*>(lsecond(difference->args)));
  if (!first || !second) return std::nullopt;
  if (first->is_empty || second->is_empty) return Numbers{true, 0, 0};
  const MaybeNumbers days = widened(at_ends(numeric_sub, *first, *second));
  if (measures_whole_days(function)) return days;
  return at_ends(numeric_mul, *days, between(of_int(kSecondsOfDay), of_int(kSecondsOfDay)));
}

}  // namespace idp

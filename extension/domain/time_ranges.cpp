#include "extension/domain/time_ranges.h"

#include <algorithm>
#include <iterator>

#include "extension/domain/domain.h"
#include "extension/domain/domain_rows.h"
#include "extension/domain/asked_keys.h"
#include "extension/domain/never_before.h"
#include "extension/domain/public_bounds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"

extern "C" {
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
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

// Where a domain has cells the last instant is that before its end.
Datum last_of_cells(const TableColumn& column, Datum end) {
  const DomainRow row = domain_row(column.table, get_attname(column.table, column.number, false));
  return row.grain().unit == nullptr ? end : TimestampGetDatum(DatumGetTimestamp(end) - 1);
}

// Of a day or an instant that is one of several rows, min(day) of a person.
bool ends_of_keys(const QueryLevel& level, const Var* column, Datum* lower, Datum* upper) {
  const KeyColumn* key = column->varlevelsup == 0 && column->varattno > 0
                             ? key_of_column(level.query, column)
                             : nullptr;
  if (key == nullptr || key->keys.values == nullptr || key->keys.count == 0) return false;
  const Oid type = column->vartype;
  const auto is_before = [&](Datum a, Datum b) {
    return type == DATEOID ? DatumGetDateADT(a) < DatumGetDateADT(b)
                           : DatumGetTimestamp(a) < DatumGetTimestamp(b);
  };
  const auto ends =
      std::minmax_element(key->keys.values, key->keys.values + key->keys.count, is_before);
  const Grain& grain = key->keys.grain;
  *lower = *ends.first;
  *upper = grain.unit == nullptr
               ? *ends.second
               : TimestampGetDatum(DatumGetTimestamp(next_cell(type, grain, *ends.second)) - 1);
  return true;
}

bool ends_of_instants(const QueryLevel& level, Node* column, Datum* lower, Datum* upper) {
  const TableColumn origin = column_of_whole(origin_of(level, column));
  if (!OidIsValid(origin.table)) return ends_of_keys(level, as<Var>(column), lower, upper);
  if (!bounds_of(origin.table, origin.number, lower, upper)) return false;
  *upper = last_of_cells(origin, *upper);
  return true;
}

// The day before, and the one after: by another zone than UTC an instant may lie in these.
MaybeNumbers days_of_instants(const QueryLevel& level, Node* column, bool is_exact) {
  Datum lower, upper;
  if (!ends_of_instants(level, column, &lower, &upper) ||
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

MaybeNumbers days_of(const QueryLevel& level, Node* node);

// What a subquery shows as a column; null of what no subquery does.
const TargetEntry* target_below(const QueryLevel& level, const Var* column) {
  if (column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr) return nullptr;
  return column_shown(entry->subquery->targetList, column->varattno);
}

MaybeNumbers days_of_computed(const QueryLevel& level, const Var* column) {
  const TargetEntry* target = target_below(level, column);
  if (target == nullptr) return std::nullopt;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  return days_of({entry->subquery, &level}, as<Node>(target->expr));
}

// Of dates, by the day: of columns with domains, instants of such as dates, constants, and those of
// other rows.
MaybeNumbers days_of(const QueryLevel& level, Node* node) {
  check_stack_depth();
  if (IsA(node, WindowFunc)) {
    Node* another = value_of_another(as<WindowFunc>(node));
    return another == nullptr ? std::nullopt : days_of(level, another);
  }
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
    if (!known_bounds(level, node, &lower, &upper) &&
        !ends_of_keys(level, as<Var>(node), &lower, &upper)) {
      return days_of_computed(level, as<Var>(node));
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

// What no row has below 0.
MaybeNumbers without_negative(const MaybeNumbers& numbers) {
  if (!numbers || numbers->is_empty) return numbers;
  return between(call(numeric_larger, numbers->lower, of_int(0)),
                 call(numeric_larger, numbers->upper, of_int(0)));
}

MaybeNumbers days_between(const QueryLevel& level, const OpExpr* operation) {
  auto* later = static_cast<Node*>(linitial(operation->args));
  auto* earlier = static_cast<Node*>(lsecond(operation->args));
  const MaybeNumbers first = days_of(level, later);
  const MaybeNumbers second = days_of(level, earlier);
  if (!first || !second) return std::nullopt;
  if (first->is_empty || second->is_empty) return Numbers{true, 0, 0};
  const MaybeNumbers days = at_ends(numeric_sub, *first, *second);
  return is_never_before(level.query, later, earlier) ? without_negative(days) : days;
}

namespace {

// Whose clock says which day it is: that of each type, or of the session.
enum class Clock : std::uint8_t { kOwn, kOfSession };

// The days that instants lie in: of columns with domains, dates as instants, and constants. The
// clock of the session keeps the day of a date, and another one has it a day before or after.
MaybeNumbers days_of_instant(const QueryLevel& level, Node* node, Clock clock = Clock::kOwn) {
  check_stack_depth();
  if (exprType(node) == DATEOID) return days_of(level, node);
  switch (nodeTag(node)) {
    case T_Var: {
      const MaybeNumbers days = days_of_instants(level, node, exprType(node) == TIMESTAMPOID);
      const TargetEntry* target = days ? nullptr : target_below(level, as<Var>(node));
      if (target == nullptr) return days;
      const RangeTblEntry* entry = rt_fetch(as<Var>(node)->varno, level.query->rtable);
      return days_of_instant({entry->subquery, &level}, as<Node>(target->expr), clock);
    }
    case T_WindowFunc: {
      Node* another = value_of_another(as<WindowFunc>(node));
      return another == nullptr ? std::nullopt : days_of_instant(level, another, clock);
    }
    case T_Const: {
      const auto* constant = as<Const>(node);
      if (constant->constisnull) return Numbers{true, 0, 0};
      if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(constant->constvalue))) return std::nullopt;
      const Datum date = DirectFunctionCall1(timestamp_date, constant->constvalue);
      const Datum day = of_int(DatumGetDateADT(date));
      const bool is_of_zone = constant->consttype == TIMESTAMPTZOID && clock == Clock::kOfSession;
      return is_of_zone ? widened(between(day, day)) : between(day, day);
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
          return clock == Clock::kOfSession ? days_of_instant(level, argument, clock)
                                            : widened(days_of_instant(level, argument));
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

// --- times of day ---

bool gives_field_of_time(const FuncExpr* function) {
  return (function->funcid == F_EXTRACT_TEXT_TIME || function->funcid == F_DATE_PART_TEXT_TIME) &&
         (is_named(function, "hour") || is_named(function, "minute"));
}

// Where nobody said up to when a time may be 24:00:00, the end of a day.
MaybeNumbers numbers_of_time(const QueryLevel& level, const FuncExpr* function) {
  if (is_named(function, "minute")) return between(of_int(0), of_int(59));
  const TableColumn column =
      column_of_whole(origin_of(level, static_cast<const Node*>(lsecond(function->args))));
  Datum lower, upper;
  if (!OidIsValid(column.table) || !bounds_of(column.table, column.number, &lower, &upper)) {
    return between(of_int(0), of_int(HOURS_PER_DAY));
  }
  return between(of_int(DatumGetTimeADT(lower) / USECS_PER_HOUR),
                 of_int(DatumGetTimeADT(upper) / USECS_PER_HOUR));
}

namespace {

// --- ages ---

// age(a, b)
const FuncExpr* as_age(const Node* node) {
  const auto* call = maybe<FuncExpr>(node);
  const bool is_age = call != nullptr && (call->funcid == F_AGE_TIMESTAMP_TIMESTAMP ||
                                          call->funcid == F_AGE_TIMESTAMPTZ_TIMESTAMPTZ);
  return is_age ? call : nullptr;
}

// Fields of an age beside its years: they have its sign.
struct AgeField {
  const char* name;
  int64 most;
};
constexpr AgeField kAgeFields[] = {{"month", 11}, {"day", 30}, {"hour", 23}, {"minute", 59}};

// Days that are instants, too.
constexpr int64 kFirstDay = -2400000;
constexpr int64 kLastDay = 100000000;

int64 years_between(int64 day, int64 born) {
  const auto instant = [](int64 date) {
    return DirectFunctionCall1(date_timestamp, DateADTGetDatum(static_cast<DateADT>(date)));
  };
  const Datum age = DirectFunctionCall2(timestamp_age, instant(day), instant(born));
  return DatumGetIntervalP(age)->month / MONTHS_PER_YEAR;
}

// Years are whole from a day to its anniversary, not to a time of day before.
MaybeNumbers years_of_age(int64 first, int64 last, int64 first_born, int64 last_born) {
  if (Min(first, first_born) < kFirstDay || Max(last, last_born) >= kLastDay) return std::nullopt;
  const int64 least = years_between(first, first > last_born ? last_born + 1 : last_born);
  const int64 most = years_between(last < first_born ? last + 1 : last, first_born);
  return between(of_int(least), of_int(most));
}

bool has_field_of_age(const FuncExpr* function) {
  if (!gives_field_of_interval(function)) return false;
  if (as_age(static_cast<const Node*>(lsecond(function->args))) == nullptr) return false;
  return is_named(function, "year") ||
         std::any_of(std::begin(kAgeFields), std::end(kAgeFields),
                     [&](const AgeField& field) { return is_named(function, field.name); });
}

MaybeNumbers numbers_of_age(const QueryLevel& level, const FuncExpr* function) {
  const List* instants = as_age(static_cast<const Node*>(lsecond(function->args)))->args;
  const auto days = [&](void* node) {
    return days_of_instant(level, static_cast<Node*>(node), Clock::kOfSession);
  };
  const MaybeNumbers until = days(linitial(instants));
  const MaybeNumbers born = days(lsecond(instants));
  if (!until || !born) return std::nullopt;
  if (until->is_empty || born->is_empty) return Numbers{true, 0, 0};
  const auto number = [](Datum day) { return DatumGetInt64(call(numeric_int8, day)); };
  const int64 first = number(until->lower);
  const int64 last = number(until->upper);
  const int64 first_born = number(born->lower);
  const int64 last_born = number(born->upper);
  const bool is_in_order = is_never_before(level.query, static_cast<Node*>(linitial(instants)),
                                           static_cast<Node*>(lsecond(instants)));
  const auto in_order = [&](const MaybeNumbers& numbers) {
    return is_in_order ? without_negative(numbers) : numbers;
  };
  if (is_named(function, "year")) {
    return in_order(years_of_age(first, last, first_born, last_born));
  }
  for (const AgeField& field : kAgeFields) {
    if (!is_named(function, field.name)) continue;
    return in_order(between(of_int(first <= last_born ? -field.most : 0),
                            of_int(last >= first_born ? field.most : 0)));
  }
  return std::nullopt;
}

}  // namespace

bool gives_whole_numbers(const FuncExpr* function) {
  return has_field_of_age(function) || (gives_field_of_interval(function) &&
                                        (is_named(function, "day") || is_named(function, "hour") ||
                                         is_named(function, "minute")));
}

bool measures_interval(const FuncExpr* function) {
  return gives_whole_numbers(function) ||
         (gives_field_of_interval(function) && is_named(function, "epoch"));
}

// Of an interval that a subquery computes.
static MaybeNumbers numbers_of_computed(const QueryLevel& level, const FuncExpr* function,
                                        const Var* column) {
  const TargetEntry* target = target_below(level, column);
  if (target == nullptr) return std::nullopt;
  auto* of_computed = static_cast<FuncExpr*>(copyObjectImpl(function));
  lsecond(of_computed->args) = target->expr;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  return numbers_of_interval({entry->subquery, &level}, of_computed);
}

// The difference of two instants has no months, and what is less than a day beside its days: those
// are at most the days between, and one of the day that has begun.
MaybeNumbers numbers_of_interval(const QueryLevel& level, const FuncExpr* function) {
  if (has_field_of_age(function)) return numbers_of_age(level, function);
  auto* argument = static_cast<Node*>(lsecond(function->args));
  if (IsA(argument, Var)) return numbers_of_computed(level, function, as<Var>(argument));
  if (!IsA(argument, OpExpr)) return std::nullopt;
  const auto* difference = as<OpExpr>(argument);
  const Oid operation = get_opcode(difference->opno);
  if (operation != F_TIMESTAMP_MI && operation != F_TIMESTAMPTZ_MI) return std::nullopt;
  const MaybeNumbers first = days_of_instant(level, static_cast<Node*>(linitial(difference->args)));
  const MaybeNumbers second = days_of_instant(level, static_cast<Node*>(lsecond(difference->args)));
  if (!first || !second) return std::nullopt;
  if (first->is_empty || second->is_empty) return Numbers{true, 0, 0};
  MaybeNumbers days = widened(at_ends(numeric_sub, *first, *second));
  if (is_never_before(level.query, static_cast<Node*>(linitial(difference->args)),
                      static_cast<Node*>(lsecond(difference->args)))) {
    days = without_negative(days);
  }
  const int64 most = is_named(function, "hour")     ? HOURS_PER_DAY - 1
                     : is_named(function, "minute") ? MINS_PER_HOUR - 1
                                                    : 0;
  if (most > 0) {  // what is less than a day has the sign of the days
    const auto is_beyond = [&](PGFunction compare, Datum end) {
      return DatumGetBool(call(compare, end, of_int(0)));
    };
    return between(of_int(is_beyond(numeric_lt, days->lower) ? -most : 0),
                   of_int(is_beyond(numeric_gt, days->upper) ? most : 0));
  }
  if (gives_whole_numbers(function)) return days;
  return at_ends(numeric_mul, *days, between(of_int(kSecondsOfDay), of_int(kSecondsOfDay)));
}

}  // namespace idp

#include "extension/domain/cells.h"

extern "C" {
#include "common/int.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

// --- units ---

// In order; a unit is made of whole ones before it, but for weeks, which months cut.
struct Unit {
  const char* name;
  const char* grain;  // where one may be that
  int32 months;
  int32 days;
  int64 time;
};
constexpr Unit kUnits[] = {
    {"second", "1 second", 0, 0, USECS_PER_SEC},
    {"minute", "1 minute", 0, 0, USECS_PER_MINUTE},
    {"hour", "1 hour", 0, 0, USECS_PER_HOUR},
    {"day", "1 day", 0, 1, 0},
    {"week", "1 week", 0, 7, 0},
    {"month", "1 month", 1, 0, 0},
    {"quarter", "3 months", 3, 0, 0},
    {"year", "1 year", 12, 0, 0},
    {"decade", nullptr, 0, 0, 0},
    {"century", nullptr, 0, 0, 0},
    {"millennium", nullptr, 0, 0, 0},
};
constexpr int kDay = 3;
constexpr int kWeek = 4;

int place_of(const char* name) {
  for (int i = 0; i < static_cast<int>(lengthof(kUnits)); ++i) {
    if (pg_strcasecmp(kUnits[i].name, name) == 0) return i;
  }
  return -1;
}

const Unit& unit_of(const Grain& grain) {
  const int place = grain.unit == nullptr ? -1 : place_of(grain.unit);
  if (place < 0) elog(ERROR, "cells without a grain");
  return kUnits[place];
}

// What a field of extract() follows from.
struct Field {
  const char* name;
  const char* unit;
};
constexpr Field kFields[] = {
    {"minute", "minute"},   {"hour", "hour"},
    {"day", "day"},         {"dow", "day"},
    {"isodow", "day"},      {"doy", "day"},
    {"week", "week"},       {"isoyear", "week"},
    {"month", "month"},     {"quarter", "quarter"},
    {"year", "year"},       {"decade", "decade"},
    {"century", "century"}, {"millennium", "millennium"},
};

// --- values ---

Datum text_of(const char* text) { return CStringGetTextDatum(text); }

Datum in_zone(const Grain& grain, Datum instant) {
  return DirectFunctionCall2(timestamptz_zone, text_of(grain.zone), instant);
}

Datum of_zone(const Grain& grain, Datum local) {
  return DirectFunctionCall2(timestamp_zone, text_of(grain.zone), local);
}

Datum after(Datum instant, int32 months, int32 days, int64 time) {
  auto* interval = static_cast<Interval*>(palloc0(sizeof(Interval)));
  interval->month = months;
  interval->day = days;
  interval->time = time;
  return DirectFunctionCall2(timestamp_pl_interval, instant, IntervalPGetDatum(interval));
}

Datum after_one(Datum instant, const Unit& unit) {
  return after(instant, unit.months, unit.days, unit.time);
}

// About half a unit of days or more.
Datum after_half(Datum instant, const Unit& unit) {
  return after(instant, 0, 14 * unit.months, unit.days * USECS_PER_DAY / 2);
}

// Whether it holds of all changes of the clocks of a zone, from some days before an instant to some
// after another: of the instant, and how far they are ahead of UTC before and after it. Not if two
// are so near that the server takes one for both.
template <class Condition>
bool is_so_of_changes(const char* zone, Datum first, Datum end, Condition holds) {
  const pg_tz* tz = pg_tzset(zone);
  if (tz == nullptr) return false;
  constexpr pg_time_t kNear = 3 * SECS_PER_DAY;  // clocks of no two places differ by so much
  pg_time_t at = timestamptz_to_time_t(DatumGetTimestamp(first)) - 2 * kNear;
  const pg_time_t last = timestamptz_to_time_t(DatumGetTimestamp(end)) + kNear;
  for (bool is_first = true;; is_first = false) {
    long before = 0;
    long after = 0;
    int is_dst_before = 0;
    int is_dst_after = 0;
    pg_time_t change = 0;
    const int found =
        pg_next_dst_boundary(&at, &before, &is_dst_before, &change, &after, &is_dst_after, tz);
    if (found < 0) return false;
    if (found == 0 || change > last) return true;
    if (before != after && !is_first && change - at < kNear) return false;
    if (before != after && !holds(change, before, after)) return false;
    at = change;
  }
}

}  // namespace

bool is_utc(const char* zone) {
  pg_tz* known = pg_tzset(zone);
  long offset = 0;
  return known != nullptr && pg_tz_acceptable(known) && pg_get_timezone_offset(known, &offset) &&
         offset == 0;
}

bool is_same_zone(const char* zone, const Grain& grain) {
  if (grain.zone == nullptr || zone == nullptr) return false;
  return pg_strcasecmp(grain.zone, zone) == 0 || (is_utc(grain.zone) && is_utc(zone));
}

bool lies_in(const Grain& grain, const char* name) {
  if (grain.unit == nullptr) return false;
  const int cell = place_of(grain.unit);
  const int unit = place_of(name);
  if (unit < cell) return false;  // also one that is not known
  return cell == unit || (cell < kWeek) || (cell > kWeek && unit != kWeek);
}

const char* unit_of_field(const char* name) {
  for (const Field& field : kFields) {
    if (pg_strcasecmp(field.name, name) == 0) return field.unit;
  }
  return nullptr;
}

const char* unit_of_grain(const char* grain) {
  const Interval* length = DatumGetIntervalP(DirectFunctionCall3(
      interval_in, CStringGetDatum(grain), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
  for (const Unit& unit : kUnits) {
    if (unit.grain != nullptr && unit.months == length->month && unit.days == length->day &&
        unit.time == length->time) {
      return unit.name;
    }
  }
  return nullptr;
}

const char* name_of_grain(const Grain& grain) { return unit_of(grain).grain; }

Datum cell_of(Oid type, const Grain& grain, Datum instant) {
  (void)unit_of(grain);
  if (type == TIMESTAMPOID) {
    return DirectFunctionCall2(timestamp_trunc, text_of(grain.unit), instant);
  }
  return DirectFunctionCall3(timestamptz_trunc_zone, text_of(grain.unit), instant,
                             text_of(grain.zone));
}

bool clocks_keep_cells(Oid type, const Grain& grain, Datum first, Datum end) {
  const int64 unit = unit_of(grain).time;
  if (type == TIMESTAMPOID || unit == 0) return true;
  const auto part_of_unit = [&](int64 at) {
    return (DatumGetTimestamp(in_zone(grain, TimestampTzGetDatum(at))) - at) % unit;
  };
  // Clocks that are moved stay so for more than a day. Rules of zones are not older than two
  // hundred years before 2000, and are the same each year after the next few.
  constexpr int64 kYears = 366 * USECS_PER_DAY * 200;
  const int64 begin = DatumGetTimestampTz(first);
  const int64 last = Min(DatumGetTimestampTz(end), kYears);
  const int64 part = part_of_unit(begin);
  for (int64 at = Max(begin, -kYears); at < last; at += USECS_PER_DAY) {
    if (part_of_unit(at) != part) return false;
  }
  return true;
}

bool clocks_keep_ends(const Grain& grain, const char* zone, Datum first, Datum end) {
  return is_so_of_changes(zone, first, end, [&](pg_time_t change, long before, long after) {
    // from the first time that is left out, over that which comes next, to as much later
    const Timestamp left_out = time_t_to_timestamptz(change + before);
    const int64 length = (after - before) * USECS_PER_SEC;
    Datum cell = cell_of(TIMESTAMPOID, grain, TimestampGetDatum(left_out));
    for (int64 distance = 0; distance < 2 * length;) {
      cell = next_cell(TIMESTAMPOID, grain, cell);
      distance = DatumGetTimestamp(cell) - left_out;
      if (distance < 2 * length && distance != length) return false;
    }
    return true;
  });
}

bool clocks_change_between_cells(Oid type, const Grain& grain, const char* zone, Datum first,
                                 Datum end) {
  const auto begins_cell = [&](pg_time_t at) {
    const Datum instant = TimestampTzGetDatum(time_t_to_timestamptz(at));
    return DatumGetTimestampTz(cell_of(type, grain, instant)) == DatumGetTimestampTz(instant);
  };
  return is_so_of_changes(zone, first, end, [&](pg_time_t change, long before, long after) {
    return type == TIMESTAMPTZOID ? begins_cell(change)
                                  : begins_cell(change + before) && begins_cell(change + after);
  });
}

// In a zone by the middle of the next one: the time that it would begin with may not be there.
Datum next_cell(Oid type, const Grain& grain, Datum cell) {
  const Unit& unit = unit_of(grain);
  if (type == TIMESTAMPOID || &unit < &kUnits[kDay]) return after_one(cell, unit);
  const Datum local = DirectFunctionCall2(timestamp_trunc, text_of(grain.unit),
                                          after_half(in_zone(grain, cell), unit));
  return cell_of(type, grain, of_zone(grain, after_half(after_one(local, unit), unit)));
}

Datum* cells_between(Oid type, const Grain& grain, Datum first, Datum end, int most, int* count,
                     int64* number) {
  const Timestamp last = DatumGetTimestamp(end);
  const Unit& unit = unit_of(grain);
  const int64 length = unit.time + (unit.days + 31 * unit.months) * USECS_PER_DAY;
  int64 distance;
  if (pg_sub_s64_overflow(last, DatumGetTimestamp(first), &distance)) distance = PG_INT64_MAX;
  *count = 0;
  *number = distance / length;  // not more than there are: months are not longer
  if (*number > most) return nullptr;
  auto* cells = static_cast<Datum*>(palloc(sizeof(Datum) * (2 * static_cast<size_t>(*number) + 2)));
  for (Datum cell = first; DatumGetTimestamp(cell) < last; cell = next_cell(type, grain, cell)) {
    *number = *count + 1;
    if (*count == most) return nullptr;
    cells[(*count)++] = cell;
  }
  return cells;
}

}  // namespace idp

#include "extension/budget/balance.h"

#include "core/accounting/period.h"
#include "extension/budget/amount.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/store.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

using namespace charge_column;

constexpr std::chrono::seconds kServerEpoch{std::int64_t{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE} *
                                            SECS_PER_DAY};

Instant instant(TimestampTz at) { return Instant{kServerEpoch + std::chrono::microseconds{at}}; }

TimestampTz timestamp(Instant at) { return (at.time_since_epoch() - kServerEpoch).count(); }

Period period_of(const Interval& renewal) {
  return {renewal.month, renewal.month > 0 ? 0 : renewal.day * USECS_PER_DAY + renewal.time};
}

struct Entry {
  int64 number = 0;
  TimestampTz at = 0;
  Datum spent = 0;  // up to it
  Datum delta = 0;  // likewise
};

// Takes the next row of a scan of an account's charges. False at the end.
bool read_entry(StoreScan& scan, Entry* entry) {
  Datum values[charge_column::kCount];
  bool nulls[charge_column::kCount];
  nulls[kDeltaSpent] = true;  // unless the table has that column
  const bool found = scan.next(values, nulls);
  if (found) {
    *entry = {DatumGetInt64(values[kEntry]), DatumGetTimestampTz(values[kAt]),
              datumCopy(values[kSpent], false, -1),
              nulls[kDeltaSpent] ? no_amount() : datumCopy(values[kDeltaSpent], false, -1)};
  }
  scan.close();
  return found;
}

bool last_entry(int32 account, Entry* entry) {
  StoreScan scan(Table::kCharge, "charge_pkey", StoreScan::Order::kBackward);
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account));
  return read_entry(scan, entry);
}

Entry entry_numbered(int32 account, int64 number) {
  StoreScan scan(Table::kCharge, "charge_pkey");
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account));
  scan.add_key(kEntry + 1, F_INT8EQ, Int64GetDatum(number));
  Entry entry;
  if (!read_entry(scan, &entry)) elog(ERROR, "charge " INT64_FORMAT " is not there", number);
  return entry;
}

// The last entry before that time: entries are in the order of time.
Entry last_before(int32 account, TimestampTz start, const Entry& last) {
  if (last.at < start) return last;
  Entry before{0, 0, no_amount(), no_amount()};
  int64 after = last.number;  // the first entry that is known not to be before
  while (after - before.number > 1) {
    const Entry middle = entry_numbered(account, before.number + (after - before.number) / 2);
    if (middle.at < start) {
      before = middle;
    } else {
      after = middle.number;
    }
  }
  return before;
}

bool is_renewal(const Interval& interval) {
  constexpr int kMostDays = 366 * 1000;
  constexpr int64 kMostTime = kMostDays * USECS_PER_DAY;
  if (interval.month != 0) {
    return interval.month > 0 && interval.month <= kMostDays / 31 && interval.day == 0 &&
           interval.time == 0;
  }
  if (interval.day < 0 || interval.day > kMostDays) return false;
  if (interval.time < 0 || interval.time > kMostTime) return false;
  return interval.day * USECS_PER_DAY + interval.time >= USECS_PER_SEC;
}

[[noreturn]] void refuse_renewal() {
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
           errmsg("renew must be a number of months, or a length of time of a second or more"),
           errhint("Say for example '1 month', '1 year', '7 days' or '12 hours'; 'never' for a "
                   "budget that is not renewed.")));
}

}  // namespace

Interval* renewal_named(const char* text) {
  if (pg_strcasecmp(text, "never") == 0) return nullptr;
  Interval* renewal = DatumGetIntervalP(DirectFunctionCall3(
      interval_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
  if (!is_renewal(*renewal)) refuse_renewal();
  return renewal;
}

Interval* repeats_named(const char* text) {
  if (pg_strcasecmp(text, "never") == 0) return nullptr;
  if (pg_strcasecmp(text, "forever") == 0) {
    auto* ever = static_cast<Interval*>(palloc0(sizeof(Interval)));
    ever->month = 10000 * MONTHS_PER_YEAR;
    return ever;
  }
  Interval* time = DatumGetIntervalP(DirectFunctionCall3(
      interval_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
  const bool is_positive = time->month >= 0 && time->day >= 0 && time->time >= 0 &&
                           (time->month > 0 || time->day > 0 || time->time > 0);
  if (is_positive && time->month <= 10000 * MONTHS_PER_YEAR) return time;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("repeat must be a length of time, \"forever\" or \"never\""),
                  errhint("For instance '1 day': the same question then has the same answer for a "
                          "day, and costs nothing.")));
  pg_unreachable();
}

Balance balance_of(int32 account, const Interval* renewal) {
  Entry last{0, 0, no_amount(), no_amount()};
  const TimestampTz clock = GetCurrentTimestamp();
  const TimestampTz now = last_entry(account, &last) ? Max(clock, last.at) : clock;
  Balance balance{last.number, last.spent, last.spent, last.delta, last.delta,
                  0,           now,        DT_NOBEGIN, DT_NOEND};
  if (renewal == nullptr) return balance;
  const Period period = period_of(*renewal);
  balance.starts = timestamp(period_start(period, instant(now)));
  balance.ends = timestamp(period_end(period, instant(now)));
  if (last.number > 0) {
    const Entry before = last_before(account, balance.starts, last);
    balance.before = before.number;
    balance.spent = difference_of(last.spent, before.spent);
    balance.spent_delta = difference_of(last.delta, before.delta);
  }
  return balance;
}

namespace {

// (renewal, the time of the last charge or null, whether the end is asked for): when the present
// period begins or ends.
Datum period_bound(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(2)) PG_RETURN_NULL();
  const TimestampTz clock = GetCurrentTimestamp();
  const TimestampTz now = PG_ARGISNULL(1) ? clock : Max(clock, PG_GETARG_TIMESTAMPTZ(1));
  const Interval* renewal = PG_GETARG_INTERVAL_P(0);
  if (!is_renewal(*renewal)) refuse_renewal();
  const Period period = period_of(*renewal);
  PG_RETURN_TIMESTAMPTZ(timestamp(PG_GETARG_BOOL(2) ? period_end(period, instant(now))
                                                    : period_start(period, instant(now))));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_period_bound, period_bound);

}  // extern "C"
#pragma GCC visibility pop

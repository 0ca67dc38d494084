// Transition functions of aggregates that keep values: order statistics and distinct counts. A
// value goes into its group's state: most of them without a call into anything.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/spec.h"
#include "extension/call/own_states.h"
#include "extension/call/running_call.h"

namespace idp {

// The call that a transition function serves; checked with the first row.
BoundCall& known_call(FunctionCallInfo fcinfo, Statistic statistic);

// The same where the column can be of any type; of text all bytes are kept
// (core/collect/string_keys.h).
Datum accumulate_any_value(FunctionCallInfo fcinfo, Statistic statistic);
Datum accumulate_value(FunctionCallInfo fcinfo, Statistic statistic);
Datum accumulate_distinct(FunctionCallInfo fcinfo, Statistic statistic);

// Whether a row leaves the state as it is, because the state is full of values farther out.
template <bool kPlain>
pg_attribute_always_inline bool is_within_extremes(const BoundCall& running,
                                                   FunctionCallInfo fcinfo, Statistic statistic) {
  const FlatState* flat = own_flat(running, fcinfo->args[0].value);
  if (flat == nullptr || flat->count != running.rows.full_count ||
      flat->spec.number != running.request.spec.k) {
    return false;
  }
  const Column& column = running.call.column;
  const Datum value = fcinfo->args[1].value;
  Key64 key;
  const bool has_key = kPlain ? plain_key(column, value, key) : narrow_key(column, value, key);
  const auto innermost = static_cast<Key64>(flat->words()[running.rows.last_extreme]);
  return !has_key || !is_outside(keeps_largest(statistic), key, innermost);
}

Datum accumulate_numeric_extreme(FunctionCallInfo fcinfo, Statistic statistic);

// Statistics that may keep extremes only (core/collect/extremes.h).
pg_attribute_always_inline Datum accumulate_extreme(FunctionCallInfo fcinfo, Statistic statistic) {
  const BoundCall* running = running_call(fcinfo);
  if (running == nullptr) return accumulate_value(fcinfo, statistic);
  if (!running->rows.is_plain) return accumulate_numeric_extreme(fcinfo, statistic);
  if (is_within_extremes<true>(*running, fcinfo, statistic)) return fcinfo->args[0].value;
  return accumulate_value(fcinfo, statistic);
}

}  // namespace idp

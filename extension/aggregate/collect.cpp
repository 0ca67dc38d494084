#include "extension/aggregate/collect.h"

#include "core/collect/string_keys.h"
#include "extension/call/group_backlog.h"
#include "extension/pg/aggregate_context.h"
#include "extension/pg/guard.h"
#include "extension/statement/statement.h"

namespace idp {

BoundCall& known_call(FunctionCallInfo fcinfo, Statistic statistic) {
  return call_of(fcinfo, statistic, require_known_call);
}

namespace {

// The key a value is kept as; false for NaN, which is skipped.
inline bool key_of(const BoundCall& running, FunctionCallInfo fcinfo, Key64& key) {
  return narrow_key(running.call.column, fcinfo->args[1].value, key);
}
inline bool key_of(const BoundCall& running, FunctionCallInfo fcinfo, Key128& key) {
  const Datum value = fcinfo->args[1].value;
  return collects(running.call.statistic) == Collects::kDistinct ||
                 running.call.column.grid.is_opaque()
             ? identity_key(running.call.column, value, PG_GET_COLLATION(), key)
             : wide_key(running.call.column, value, key);
}

// A row into a state of any shape, which may have to move.
template <class Key>
Datum add_to_any(FunctionCallInfo fcinfo, BoundCall& running, const Home& home) {
  const Datum before = fcinfo->args[0].value;
  StateArgument state = begin_or_match(fcinfo, running);
  consider_backlog(running, fcinfo);
  Key key;
  if (key_of(running, fcinfo, key)) add_keys(state, &key, 1, home);
  if (running.rows.backlog != nullptr && !running.rows.backlog->open &&
      state_datum(state) != before) {
    move_deferred(running, reinterpret_cast<const FlatState*>(DatumGetPointer(before)), state,
                  home);
  }
  return state_datum(state);
}

pg_noinline Datum accumulate_any(FunctionCallInfo fcinfo, Statistic statistic) {
  MemoryContext context = aggregate_context(fcinfo);
  BoundCall& running = known_call(fcinfo, statistic);
  const Home home{context, running.rows.storage};
  return running.rows.is_wide ? add_to_any<Key128>(fcinfo, running, home)
                              : add_to_any<Key64>(fcinfo, running, home);
}

// Deals with the row of a flat state, where nothing has to be made or moved for it.
template <class Key>
pg_attribute_always_inline bool take_into_flat(const BoundCall& running, FunctionCallInfo fcinfo) {
  FlatState* flat = own_flat(running, fcinfo->args[0].value);
  FlatState* group = flat;
  if (flat == nullptr && running.rows.backlog != nullptr) {
    group = own_empty(fcinfo->args[0].value);
    if (group != nullptr && !stays_empty(running.rows.backlog, group)) return false;
  }
  if (group == nullptr || running.rows.extremes > 0) return false;
  Key key;
  if (!key_of(running, fcinfo, key)) return true;
  if (running.rows.backlog != nullptr && defer(running.rows.backlog, group, key)) return true;
  return flat != nullptr && store(flat, key);
}

// The same for a state of any shape. False: accumulate_any() has to.
template <bool kDistinct, class Key>
pg_attribute_always_inline bool take(const BoundCall& running, FunctionCallInfo fcinfo) {
  ExpandedState* state = expanded_in_place(fcinfo->args[0].value);
  if (state == nullptr) return take_into_flat<Key>(running, fcinfo);
  if (!belongs_to(state->spec().statistic, state->spec().grid, running.call)) return false;
  Key key;
  if (key_of(running, fcinfo, key)) {
    guarded([&] {
      if constexpr (kDistinct) {
        state->different<Key>().add(key);
      } else {
        state->ordered<Key>().add(key);
      }
    });
  }
  return true;
}

// Called once per row that is not NULL, unless the row needed nothing but a store.
template <bool kDistinct>
pg_attribute_always_inline Datum accumulate(FunctionCallInfo fcinfo, Statistic statistic) {
  if (const BoundCall* running = running_call(fcinfo)) {
    const bool taken = running->rows.is_wide ? take<kDistinct, Key128>(*running, fcinfo)
                                             : take<kDistinct, Key64>(*running, fcinfo);
    if (taken) return fcinfo->args[0].value;
  }
  return accumulate_any(fcinfo, statistic);
}

// The other ways apart from it, so that this one needs no stack.
pg_noinline Datum accumulate_somehow(FunctionCallInfo fcinfo, Statistic statistic) {
  return accumulate<false>(fcinfo, statistic);
}

}  // namespace

Datum accumulate_value(FunctionCallInfo fcinfo, Statistic statistic) {
  const BoundCall* running = running_call(fcinfo);
  if (running != nullptr && running->rows.is_plain) {
    ExpandedState* state = expanded_in_place(fcinfo->args[0].value);
    Key64 key;
    if (state != nullptr && head_of(state->spec()) == running->rows.spec_head &&
        plain_key(running->call.column, fcinfo->args[1].value, key) &&
        state->ordered<Key64>().add_if_room(key)) {
      return fcinfo->args[0].value;
    }
  }
  return accumulate_somehow(fcinfo, statistic);
}

Datum accumulate_any_value(FunctionCallInfo fcinfo, Statistic statistic) {
  MemoryContext context = aggregate_context(fcinfo);
  BoundCall& running = known_call(fcinfo, statistic);
  if (running.call.column.grid.type != ValueType::kText) return accumulate_value(fcinfo, statistic);
  StateArgument state = begin_or_match(fcinfo, running);
  Key128 keys[kMostStringKeys];
  const std::size_t count = keys_of_text(fcinfo->args[1].value, keys);
  add_keys(state, keys, count, {context, running.rows.storage});
  return state_datum(state);
}

Datum accumulate_numeric_extreme(FunctionCallInfo fcinfo, Statistic statistic) {
  if (is_within_extremes<false>(*running_call(fcinfo), fcinfo, statistic)) {
    return fcinfo->args[0].value;
  }
  return accumulate_value(fcinfo, statistic);
}

Datum accumulate_distinct(FunctionCallInfo fcinfo, Statistic statistic) {
  return accumulate<true>(fcinfo, statistic);
}

}  // namespace idp

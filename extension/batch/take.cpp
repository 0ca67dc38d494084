#include "extension/batch/take.h"

#include "core/collect/extremes.h"
#include "core/collect/moments.h"
#include "extension/call/own_states.h"
#include "extension/pg/guard.h"
#include "extension/types/quick_numeric.h"

namespace idp {

namespace {

// --- keys ---

// As narrow_key() does it, with the type known when this is compiled.
template <ValueType kType>
pg_attribute_always_inline bool key_of(const Column& column, Datum value, Key64& key) {
  if constexpr (kType == ValueType::kInt32) {
    key = DatumGetInt32(value);
    return true;
  } else if constexpr (kType == ValueType::kInt64) {
    key = DatumGetInt64(value);
    return true;
  } else if constexpr (kType == ValueType::kFloat64) {
    const double x = DatumGetFloat8(value);
    key = ordered_bits(x);
    return x == x;
  } else if constexpr (kType == ValueType::kNumeric) {
    if (quick_key(column, value, key)) return true;
    const std::optional<Key64> found = narrow_numeric_key(column, value, Rounding::kFloor);
    key = found.value_or(0);
    return found.has_value();
  } else {
    return narrow_key(column, value, key);
  }
}

// Calls take with the type whose keys are made the same way; kNone stands for all that are rare.
template <class Take>
int by_type(ValueType type, Take&& take) {
  switch (type) {
    case ValueType::kInt32:
    case ValueType::kDate:
      return take.template operator()<ValueType::kInt32>();
    case ValueType::kInt64:
    case ValueType::kTimestamp:
    case ValueType::kTimestamptz:
      return take.template operator()<ValueType::kInt64>();
    case ValueType::kFloat64:
      return take.template operator()<ValueType::kFloat64>();
    case ValueType::kNumeric:
      return take.template operator()<ValueType::kNumeric>();
    default:
      return take.template operator()<ValueType::kNone>();
  }
}

// --- one state ---

template <ValueType kType>
int put_in_range(const BoundCall& running, FlatState* state, const Datum* values, int count) {
  const Key64 lower = narrow(state->spec.lower);
  const Key64 upper = narrow(state->spec.upper);
  std::int64_t inside = 0;
  for (int i = 0; i < count; ++i) {
    Key64 key = 0;
    inside += key_of<kType>(running.call.column, values[i], key) && key >= lower && key <= upper;
  }
  state->count = add_counts(state->count, inside);
  return count;
}

int count_rows(const BoundCall& running, FlatState* state, const Datum* values, int count) {
  const ValueType type = running.call.column.grid.type;
  if (row_of(running.call.statistic).columns == Columns::kNone) {
    state->count = add_counts(state->count, count);
    return count;
  }
  if (type == ValueType::kNumeric) return 0;  // compared as they are, not on the grid
  return by_type(
      type, [&]<ValueType kType>() { return put_in_range<kType>(running, state, values, count); });
}

// The offsets between which a value changes nothing but sums; none are if the ends are not
// complete.
struct Between {
  std::uint64_t low = 1;
  std::uint64_t high = 0;

  Between(const MomentLayout& layout, const std::uint64_t* words, std::int64_t count) {
    if (layout.ends == 0) {
      low = 0;
      high = ~std::uint64_t{0};
      return;
    }
    const std::uint64_t* smallest = words + layout.largest() - 2;
    const std::uint64_t* largest = words + layout.words() - 2;
    if (count < static_cast<std::int64_t>(layout.ends) || smallest[0] != 0 || largest[0] != 0) {
      return;
    }
    low = smallest[1];
    high = largest[1];
  }
};

template <ValueType kType>
int add_moments(const BoundCall& running, FlatState* state, const Datum* values, int count) {
  const Column& column = running.call.column;
  const MomentLayout layout = moment_layout(running.call.statistic, state->spec.groups);
  std::uint64_t* words = state->payload();
  if (state->count > PG_INT64_MAX - count) return 0;
  const Between between(layout, words, state->count);
  Uint128 sum = 0;
  std::int64_t added = 0;
  int i = 0;
  for (; i < count; ++i) {
    Key64 key = 0;
    if (!key_of<kType>(column, values[i], key)) continue;
    const std::uint64_t offset = running.rows.offsets.narrow(key);
    if (offset < between.low || offset > between.high) break;
    sum += offset;
    if (layout.squares) {
      add_to_words<MomentLayout::kSquaresWords>(words + MomentLayout::kSumWords,
                                                static_cast<Uint128>(offset) * offset);
    }
    ++added;
  }
  add_to_words<MomentLayout::kSumWords>(words, sum);
  state->count += added;
  return i;
}

int count_in_buckets(const BoundCall& running, FlatState* state, const Datum* values, int count) {
  if (state->count > PG_INT64_MAX - count) return 0;
  for (int i = 0; i < count; ++i) {
    const std::int64_t bucket = running.rows.buckets.find(
        running.call.column, values[i], running.parameters[1].value, running.parameters[2].value);
    if (bucket < 0) continue;
    ++state->payload()[bucket];
    ++state->count;
  }
  return count;
}

template <ValueType kType>
int keep_values(const Column& column, OrderedValues<Key64>& all, const Datum* values, int count) {
  int i = 0;
  while (i < count) {
    const std::span<Key64> room = all.room();
    if (room.empty()) return i;
    std::size_t put = 0;
    for (; i < count && put < room.size(); ++i) {
      Key64 key = 0;
      const bool has_key = key_of<kType>(column, values[i], key);
      room[put] = key;
      put += has_key;
    }
    all.put(put);
  }
  return count;
}

// What lies within the extremes changes nothing, once there are all of them.
template <ValueType kType>
int skip_within_extremes(const BoundCall& running, const FlatState* state, const Datum* values,
                         int count) {
  if (state->count != running.rows.full_count || state->spec.number != running.request.spec.k) {
    return 0;
  }
  const bool largest = keeps_largest(running.call.statistic);
  const auto innermost = static_cast<Key64>(state->words()[running.rows.last_extreme]);
  for (int i = 0; i < count; ++i) {
    Key64 key = 0;
    const bool has_key = key_of<kType>(running.call.column, values[i], key);
    if (has_key && is_outside(largest, key, innermost)) return i;
  }
  return count;
}

// A value that is added again, as the addition was stopped, is no other one.
int keep_different(const Column& column, DistinctValues<Key64>& all, const Datum* values,
                   int count) {
  if (!is_plain(column.grid)) return 0;
  int i = 0;
  guarded([&] {
    for (; i < count; ++i) {
      Key64 key = 0;
      if (plain_key(column, values[i], key)) all.add(key);
    }
  });
  return count;
}

// Whether a call's values have keys of one word that are kept as they are.
bool keeps_narrow_values(const BoundCall& running) {
  return !running.rows.is_wide && running.rows.backlog == nullptr;
}

int take_into_values(const BoundCall& running, Datum state, const Datum* values, int count) {
  const Column& column = running.call.column;
  const ValueType type = column.grid.type;
  if (!keeps_narrow_values(running)) return 0;
  if (running.rows.extremes > 0) {
    const FlatState* flat = own_flat(running, state);
    if (flat == nullptr) return 0;
    return by_type(type, [&]<ValueType kType>() {
      return skip_within_extremes<kType>(running, flat, values, count);
    });
  }
  ExpandedState* expanded = expanded_in_place(state);
  if (expanded == nullptr || head_of(expanded->spec()) != running.rows.spec_head) return 0;
  if (expanded->distinct()) {
    return keep_different(column, expanded->different<Key64>(), values, count);
  }
  return by_type(type, [&]<ValueType kType>() {
    return keep_values<kType>(column, expanded->ordered<Key64>(), values, count);
  });
}

// --- a value once more, and more often ---

int64 count_again(const BoundCall& running, FlatState* state, Datum value, int64 times) {
  const int64 before = state->count;
  if (count_rows(running, state, &value, 1) == 0) return 0;
  if (state->count > before) state->count = add_counts(state->count, times - 1);
  return times;
}

int64 add_moments_again(const BoundCall& running, FlatState* state, Datum value, int64 times) {
  Key64 key = 0;
  if (running.call.column.grid.is_wide() || state->count > PG_INT64_MAX - times) return 0;
  if (!narrow_key(running.call.column, value, key)) return times;
  const MomentLayout layout = moment_layout(running.call.statistic, state->spec.groups);
  const std::uint64_t offset = running.rows.offsets.narrow(key);
  if (!between_ends(layout, state->payload(), state->count, offset)) return 0;
  add_often_to_moments(layout, state->payload(), offset, static_cast<std::uint64_t>(times));
  state->count += times;
  return times;
}

int64 count_in_bucket_again(const BoundCall& running, FlatState* state, Datum value, int64 times) {
  if (state->count > PG_INT64_MAX - times) return 0;
  const std::int64_t bucket = running.rows.buckets.find(
      running.call.column, value, running.parameters[1].value, running.parameters[2].value);
  if (bucket < 0) return times;
  state->payload()[bucket] += static_cast<std::uint64_t>(times);
  state->count += times;
  return times;
}

int64 keep_again(const BoundCall& running, Datum state, Datum value, int64 times) {
  if (running.rows.extremes > 0) {
    return take_into_values(running, state, &value, 1) == 0 ? 0 : times;
  }
  ExpandedState* expanded = expanded_in_place(state);
  if (!keeps_narrow_values(running) || expanded == nullptr) return 0;
  if (head_of(expanded->spec()) != running.rows.spec_head) return 0;
  Key64 key = 0;
  if (!narrow_key(running.call.column, value, key)) return times;
  OrderedValues<Key64>& all = expanded->ordered<Key64>();
  bool is_added = false;
  if (all.size() <= PG_INT64_MAX - times) guarded([&] { is_added = all.add_repeated(key, times); });
  return is_added ? times : 0;
}

// --- a state for each row ---

template <ValueType kType>
int keep_values_of_groups(const BoundCall& running, const AggStatePerGroup* groups, int transition,
                          const Datum* values, int count) {
  constexpr int kAhead = 8;
  const Column& column = running.call.column;
  for (int i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      __builtin_prefetch(DatumGetPointer(groups[i + kAhead][transition].transValue));
    }
    const Datum state = groups[i][transition].transValue;
    Key64 key = 0;
    if (ExpandedState* expanded = expanded_in_place(state)) {
      if (head_of(expanded->spec()) != running.rows.spec_head) return i;
      if (!key_of<kType>(column, values[i], key)) continue;
      if (!expanded->ordered<Key64>().add_if_room(key)) return i;
    } else {
      FlatState* flat = own_flat(running, state);
      if (flat == nullptr) return i;
      if (!key_of<kType>(column, values[i], key)) continue;
      if (!store(flat, key)) return i;
    }
  }
  return count;
}

template <ValueType kType>
int add_moments_of_groups(const BoundCall& running, const AggStatePerGroup* groups, int transition,
                          const Datum* values, int count) {
  constexpr int kAhead = 8;
  const Column& column = running.call.column;
  for (int i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      __builtin_prefetch(DatumGetPointer(groups[i + kAhead][transition].transValue), 1);
    }
    FlatState* state = sound_state(running, groups[i][transition].transValue);
    if (state == nullptr || state->count == PG_INT64_MAX) return i;
    Key64 key = 0;
    if (!key_of<kType>(column, values[i], key)) continue;
    const MomentLayout layout = moment_layout(running.call.statistic, state->spec.groups);
    add_to_moments(layout, state->payload(), state->count, running.rows.offsets.narrow(key));
    ++state->count;
  }
  return count;
}

}  // namespace

int take_values(FunctionCallInfo function, Datum state, const Datum* values, int count) {
  const BoundCall* running = running_call(function);
  if (running == nullptr) return 0;
  const Collects collected = collects(running->call.statistic);
  if (collected == Collects::kValues || collected == Collects::kDistinct) {
    return take_into_values(*running, state, values, count);
  }
  FlatState* flat = sound_state(*running, state);
  if (flat == nullptr) return 0;
  switch (collected) {
    case Collects::kRows:
      return count_rows(*running, flat, values, count);
    case Collects::kMoments:
      if (running->call.column.grid.is_wide()) return 0;
      return by_type(running->call.column.grid.type, [&]<ValueType kType>() {
        return add_moments<kType>(*running, flat, values, count);
      });
    case Collects::kBuckets:
      return count_in_buckets(*running, flat, values, count);
    default:
      return 0;
  }
}

int64 take_again(FunctionCallInfo function, Datum state, Datum value, int64 times) {
  const BoundCall* running = running_call(function);
  if (running == nullptr) return 0;
  const Collects collected = collects(running->call.statistic);
  if (collected == Collects::kDistinct) return times;  // a set has it already
  if (collected == Collects::kValues) return keep_again(*running, state, value, times);
  FlatState* flat = sound_state(*running, state);
  if (flat == nullptr) return 0;
  switch (collected) {
    case Collects::kRows:
      return count_again(*running, flat, value, times);
    case Collects::kMoments:
      return add_moments_again(*running, flat, value, times);
    case Collects::kBuckets:
      return count_in_bucket_again(*running, flat, value, times);
    default:
      return 0;
  }
}

int take_values_of_groups(FunctionCallInfo function, const AggStatePerGroup* groups, int transition,
                          const Datum* values, int count) {
  const BoundCall* running = running_call(function);
  if (running == nullptr) return 0;
  const ValueType type = running->call.column.grid.type;
  switch (collects(running->call.statistic)) {
    case Collects::kRows:
      for (int i = 0; i < count; ++i) {
        FlatState* flat = sound_state(*running, groups[i][transition].transValue);
        if (flat == nullptr || count_rows(*running, flat, values + i, 1) == 0) return i;
      }
      return count;
    case Collects::kMoments:
      if (running->call.column.grid.is_wide()) return 0;
      return by_type(type, [&]<ValueType kType>() {
        return add_moments_of_groups<kType>(*running, groups, transition, values, count);
      });
    case Collects::kValues:
      if (!keeps_narrow_values(*running) || running->rows.extremes > 0) return 0;
      return by_type(type, [&]<ValueType kType>() {
        return keep_values_of_groups<kType>(*running, groups, transition, values, count);
      });
    default:
      return 0;
  }
}

namespace {

std::uint64_t offset_of(const BoundCall& running, Datum value) {
  Key64 key = 0;
  if (!narrow_key(running.call.column, value, key)) elog(ERROR, "a summed value has no key");
  return running.rows.offsets.narrow(key);
}

}  // namespace

void take_sum(FunctionCallInfo function, Datum state, const BoundedValues& values,
              std::span<const Datum> taken) {
  const BoundCall* running = running_call(function);
  FlatState* flat = running == nullptr ? nullptr : sound_state(*running, state);
  if (flat == nullptr || collects(running->call.statistic) != Collects::kMoments) {
    elog(ERROR, "a sum is put into no state of sums");
  }
  Uint128 of_taken = 0;
  for (const Datum value : taken) of_taken += offset_of(*running, value);
  const auto others = values.count - static_cast<std::int64_t>(taken.size());
  if (values.offsets < of_taken || others < 0 || flat->count > PG_INT64_MAX - values.count) {
    elog(ERROR, "a sum does not fit");
  }
  add_to_words<MomentLayout::kSumWords>(flat->payload(), values.offsets - of_taken);
  flat->count += others;
}

}  // namespace idp

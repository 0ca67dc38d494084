// The SQL type idp_state: what an aggregate has collected so far, with the spec it collects for.
//
// Three shapes of one value:
//   flat      a varlena changed in place, for few values and for all that only count; 128 bytes
//             at first, so that a hundred thousand small groups cost little
//   expanded  an expanded object with a memory context of its own, once values outgrow
//             kMaxFlatBytes; flattened by the server when it travels between processes
//   portable  text and binary (core/accumulator/wire.h), when it leaves the server
#pragma once

#include "extension/pg.h"

#include "core/accumulator/ordered_values.h"
#include "core/accumulator/spec.h"
#include "core/accumulator/wire.h"
#include "extension/memory.h"

namespace idp {

inline constexpr int32 kFlatVersion = 1;

struct FlatState {
  int32 vl_len_;  // varlena header (do not touch directly!)
  int32 version;  // kFlatVersion: a stored state may be older than the code that reads it
  Spec spec;      // statistic kNone: no row was seen yet, parameters unknown
  std::int64_t count;
  // followed by count keys of key_bytes(spec.grid) each if the statistic collects values

  char* keys() { return reinterpret_cast<char*>(this + 1); }
  const char* keys() const { return reinterpret_cast<const char*>(this + 1); }
  bool empty() const { return spec.statistic == Statistic::kNone; }
};

inline constexpr std::size_t kFirstFlatBytes = 128;
inline constexpr std::size_t kMaxFlatBytes = 1024;

struct ExpandedState {
  ExpandedObjectHeader header;
  Spec spec;
  ContextResource memory;
  union {  // which one: spec.grid.is_wide()
    OrderedValues<Key64> narrow;
    OrderedValues<Key128> wide;
  };

  ExpandedState(const Spec& spec, MemoryContext context);
  std::int64_t size() const { return spec.grid.is_wide() ? wide.size() : narrow.size(); }
};

// A flat state with room for that many bytes in all, zeroed, in the current memory context.
FlatState* new_flat_state(std::size_t bytes);

// A state as an aggregate's transition or combine function receives it: exactly one is set. A flat
// state is aligned and in plain form; it is the caller's own if it was passed so.
struct StateArgument {
  FlatState* flat = nullptr;
  ExpandedState* expanded = nullptr;

  const Spec& spec() const { return flat ? flat->spec : expanded->spec; }
  std::int64_t count() const { return flat ? flat->count : expanded->size(); }
};
StateArgument state_argument(Datum datum);

// The expanded object of a state that an aggregate may change in place; null for every other shape.
// Inline, because with many rows this is where nearly all of them pass.
inline ExpandedState* expanded_in_place(Datum datum) {
  const auto* raw = reinterpret_cast<const struct varlena*>(DatumGetPointer(datum));
  if (!VARATT_IS_EXTERNAL_EXPANDED_RW(raw)) return nullptr;
  varatt_expanded pointer;
  memcpy(&pointer, VARDATA_EXTERNAL(raw), sizeof pointer);
  return reinterpret_cast<ExpandedState*>(pointer.eohptr);
}

// The state as a datum that the server may keep: changed in place wherever there is room.
Datum state_datum(const StateArgument& state);

// Adds `count` keys packed at `keys`, growing the state as needed: in place, into a larger flat
// state in the current context, or into an expanded object under `aggregate_context`.
void add_keys(StateArgument& state, const void* keys, std::size_t count,
              MemoryContext aggregate_context);

}  // namespace idp

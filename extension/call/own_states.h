// States that need no check before a row goes into them: those of the call that is served, as this
// code makes them. Of all others whoever looks closer says why.
#pragma once

#include "extension/pg/pg.h"

#include <utility>

#include "extension/call/running_call.h"

namespace idp {

// Whether two heads are the same: a few loads, without a call or a branch.
template <std::size_t... kWord>
inline bool same_words(const char* a, const char* b, std::index_sequence<kWord...>) {
  const auto load = [](const char* at) {
    std::uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
  };
  return ((load(a + 8 * kWord) ^ load(b + 8 * kWord)) | ...) == 0;
}
// Whether everything but the count is the same.
inline bool same_head(const void* a, const char* b) {
  static_assert(offsetof(FlatState, count) == 8 && offsetof(FlatState, spec) == 16);
  static_assert(sizeof(StoredSpec) % 8 == 0 && sizeof(FlatState) == 16 + sizeof(StoredSpec));
  const char* c = static_cast<const char*>(a);
  return same_words(c, b, std::index_sequence<0>()) &&
         same_words(c + 16, b + 16, std::make_index_sequence<sizeof(StoredSpec) / 8>());
}

// The state of a row like the ones before, or null: then the checks have to be made. They read a
// state's head, its count, and what this call site asks for, and nothing else. So a state with the
// head of one that they let pass would pass too, whoever made it and wherever it lies, unless its
// count is negative. Read is what is known to be there: one byte tells a plain varlena, its first
// word the size.
pg_attribute_always_inline FlatState* sound_state(const BoundCall& running, Datum state) {
  const auto* raw = reinterpret_cast<const struct varlena*>(DatumGetPointer(state));
  if (VARATT_IS_EXTENDED(raw) || VARSIZE(raw) != VARSIZE(running.rows.sound_head) ||
      !same_head(raw, running.rows.sound_head)) {
    return nullptr;
  }
  auto* flat = reinterpret_cast<FlatState*>(DatumGetPointer(state));
  return flat->count < 0 ? nullptr : flat;
}

inline void remember_sound(BoundCall& running, const FlatState* state) {
  memcpy(running.rows.sound_head, state, sizeof running.rows.sound_head);
}

// A count that does not wrap. 2^63 rows are out of reach, states that claim them are not.
inline std::int64_t add_counts(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? PG_INT64_MAX : sum;
}

// Of an aggregate that keeps values: the flat state a row goes into; or null.
pg_attribute_always_inline FlatState* own_flat(const BoundCall& running, Datum state) {
  auto* flat = reinterpret_cast<FlatState*>(DatumGetPointer(state));
  const bool own = VARATT_IS_4B_U(flat) && flat->version == kFlatVersion &&
                   head_of(flat->spec) == running.rows.spec_head;
  return own ? flat : nullptr;
}

// The state of a group that has not begun, likewise.
inline FlatState* own_empty(Datum state) {
  auto* flat = reinterpret_cast<FlatState*>(DatumGetPointer(state));
  return VARATT_IS_4B_U(flat) && flat->version == kFlatVersion && flat->empty() ? flat : nullptr;
}

// Stores a value where there is room for it; false if there is none.
template <class Key>
inline bool store(FlatState* flat, const Key& key) {
  auto* keys = reinterpret_cast<Key*>(flat->payload());
  const char* end = reinterpret_cast<const char*>(flat) + VARSIZE(flat);
  const auto room = static_cast<std::uint64_t>(end - reinterpret_cast<const char*>(keys));
  if (static_cast<std::uint64_t>(flat->count) >= room / sizeof(Key)) return false;
  keys[flat->count++] = key;
  return true;
}

}  // namespace idp

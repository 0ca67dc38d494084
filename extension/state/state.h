// The SQL type idp_state: what an aggregate has collected so far, with the request it collects for.
//
// Three shapes of one value:
//   flat      a varlena changed in place, for few values and for whatever does not grow with the
//             rows; 24 bytes before the first row, then 256, so that groups of 20 rows need not
//             move
//   expanded  an expanded object with a memory context of its own, once values outgrow
//             kMaxFlatBytes; it keeps them where the storage of its node says (storage.h), and is
//             flattened by the server when it travels between processes (travelling_state.h)
//   portable  text and binary (core/aggregate/wire.h), when it leaves the server
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/payload.h"
#include "core/aggregate/stored_spec.h"
#include "core/collect/distinct_values.h"
#include "core/collect/extremes.h"
#include "core/collect/ordered_values.h"
#include "extension/pg/slabs.h"
#include "extension/state/request.h"
#include "extension/state/storage.h"

namespace idp {

inline constexpr int32 kFlatVersion = 2;
inline constexpr int32 kTravellingVersion = -1;  // of a state in the form of travelling_state.h

struct FlatState {
  int32 vl_len_;       // varlena header (do not touch directly!)
  int32 version;       // kFlatVersion: a stored state may be older than the code that reads it
  std::int64_t count;  // before the spec, so that most rows touch one cache line of what is here
  StoredSpec spec;     // statistic kNone: no row was seen yet, parameters unknown
  // followed by epsilon_words(spec) + payload_words(spec, count) words
  // (core/aggregate/payload.h); of statistics that keep extremes only, as
  // core/collect/extremes.h leaves them

  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* words() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
  std::uint64_t* payload() { return words() + epsilon_words(spec); }
  const std::uint64_t* payload() const { return words() + epsilon_words(spec); }
  // as many as spec.groups
  std::span<const double> epsilons() const {
    if (spec.groups == 1) return {&spec.epsilon, 1};
    return {reinterpret_cast<const double*>(words()), spec.groups};
  }
  bool empty() const { return spec.statistic == Statistic::kNone; }
};

// A state before its first row ends within its spec: behind what head_of()
// (extension/call/running_call.h) reads.
inline constexpr std::size_t kEmptyBytes = offsetof(FlatState, spec) + 8;
inline constexpr std::size_t kFirstFlatBytes = 256;
inline constexpr std::size_t kMaxFlatBytes = 4096;

// The one of two members that keys of that kind are in.
template <class Key, class Narrow, class Wide>
auto& member_of(Narrow& narrow, Wide& wide) {
  if constexpr (std::is_same_v<Key, Key128>) {
    return wide;
  } else {
    return narrow;
  }
}

inline Size flat_bytes(std::size_t words) { return sizeof(FlatState) + 8 * words; }

inline void set_request(FlatState* flat, const Request& request) {
  flat->spec = request.spec;
  memcpy(flat->words(), request.epsilons, 8 * epsilon_words(flat->spec));
}

struct ExpandedState {
  ExpandedObjectHeader header;
  Request request;
  SlabResource memory;
  NodeStorage* storage;
  MemoryContextCallback freed;
  union {  // which one: what the statistic collects, and whether its grid is wide
    OrderedValues<Key64> narrow;
    OrderedValues<Key128> wide;
    DistinctValues<Key64> distinct_narrow;
    DistinctValues<Key128> distinct_wide;
  };

  ExpandedState(const Request& request, MemoryContext context, NodeStorage* storage);
  const Spec& spec() const { return request.spec; }
  bool distinct() const { return spec().collects() == Collects::kDistinct; }

  template <class Key>
  OrderedValues<Key>& ordered() {
    return member_of<Key>(narrow, wide);
  }
  template <class Key>
  DistinctValues<Key>& different() {
    return member_of<Key>(distinct_narrow, distinct_wide);
  }

  // Calls visit with the one member of the union that is in use.
  template <class Visit>
  decltype(auto) visit(Visit&& visit) {
    const bool is_wide = spec().grid.is_wide();
    if (distinct()) return is_wide ? visit(distinct_wide) : visit(distinct_narrow);
    return is_wide ? visit(wide) : visit(narrow);
  }
  std::int64_t size() {
    return visit([](const auto& values) { return values.size(); });
  }
};

// How the server makes an expanded state flat (flat_state.cpp).
extern const ExpandedObjectMethods kExpandedMethods;

// The state before the first row, in the current memory context.
FlatState* new_empty_state();
// A flat state of that request with no rows yet.
FlatState* new_flat_state(const Request& request);
// Makes an empty state, which is the caller's own, one of that request: in place if it has room.
FlatState* begin_state(FlatState* empty, const Request& request);
// A flat state with room for exactly that many words; epsilons and payload are zero.
FlatState* new_flat_state(const StoredSpec& spec, std::int64_t count, std::size_t words);

// A state as an aggregate's transition or combine function receives it: exactly one is set. A flat
// state is aligned and in plain form; it is the caller's own if it was passed so.
struct StateArgument {
  FlatState* flat = nullptr;
  ExpandedState* expanded = nullptr;
  bool travelling = false;                 // the flat one is in the form of travelling_state.h
  struct GroupBacklog* backlog = nullptr;  // may hold more values (group_backlog.h), under
  const FlatState* group = nullptr;        // this address

  bool empty() const { return flat != nullptr && flat->empty(); }
  Statistic statistic() const { return flat ? flat->spec.statistic : expanded->spec().statistic; }
  const Grid& grid() const { return flat ? flat->spec.grid : expanded->spec().grid; }
  Spec spec() const { return flat ? flat->spec.to_spec() : expanded->spec(); }
  std::span<const double> epsilons() const {
    return flat ? flat->epsilons() : expanded->request.epsilon_span();
  }
  Request request() const;
};
// Travelling states are an error unless they may come.
StateArgument state_argument(Datum datum, bool may_travel = false);

// Reports that a state does not belong to the function it was given to.
[[noreturn]] void refuse_foreign_state();

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

// The same state as a flat one of its own, in the current context.
FlatState* flat_copy(const StateArgument& state);

// Where the states of a running aggregate live.
struct Home {
  MemoryContext context;
  NodeStorage* storage;
};

// Reduces a state to its extremes, if that is all its statistic depends on.
void keep_extremes(FlatState* flat);

// Adds `count` keys packed at `keys`, growing the state as needed: in place, into a larger flat
// state in the current context, or into an expanded object at home.
void add_keys(StateArgument& state, const void* keys, std::size_t count, const Home& home);

// Adds all values of another state with the same request.
void add_all(ExpandedState* into, ExpandedState* from);

// Makes the state an expanded one.
void expand(StateArgument& state, const Home& home);

}  // namespace idp

#include "extension/state/state.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "extension/pg/guard.h"

namespace idp {

namespace {

ExpandedState* as_expanded(ExpandedObjectHeader* header) {
  return reinterpret_cast<ExpandedState*>(header);
}

void give_back(void* argument) {
  auto* state = static_cast<ExpandedState*>(argument);
  state->storage->give_back(state->visit([](const auto& values) { return values.taken(); }));
}

ExpandedState* new_expanded_state(const Request& request, const Home& home) {
  MemoryContext context = AllocSetContextCreate(home.context, "idp_state", ALLOCSET_SMALL_SIZES);
  void* place = MemoryContextAllocZero(context, sizeof(ExpandedState));
  auto* state = new (place) ExpandedState(request, context, home.storage);
  state->freed.func = give_back;
  state->freed.arg = state;
  MemoryContextRegisterResetCallback(context, &state->freed);
  return state;
}

void add_to_expanded(ExpandedState* state, const void* keys, std::size_t count) {
  guarded([&] { state->visit([&](auto& values) { values.add_packed(keys, count); }); });
}

template <class Key>
void add_extremes(FlatState* flat, std::size_t kept, const void* keys, std::size_t count) {
  const bool largest = keeps_largest(flat->spec.statistic);
  auto* present = reinterpret_cast<Key*>(flat->payload());
  auto size = static_cast<std::size_t>(flat->count);
  const char* from = static_cast<const char*>(keys);
  for (std::size_t i = 0; i < count; ++i, from += sizeof(Key)) {
    Key key;
    std::memcpy(&key, from, sizeof key);
    size = add_extreme(present, size, kept, largest, key);
  }
  flat->count = static_cast<std::int64_t>(size);
}

void add_extremes(FlatState* flat, std::size_t kept, const void* keys, std::size_t count) {
  if (flat->spec.grid.is_wide()) {
    add_extremes<Key128>(flat, kept, keys, count);
  } else {
    add_extremes<Key64>(flat, kept, keys, count);
  }
}

FlatState* zeroed_state(Size bytes) {
  auto* flat = static_cast<FlatState*>(palloc0(bytes));
  SET_VARSIZE(flat, bytes);
  flat->version = kFlatVersion;
  return flat;
}

}  // namespace

// The largest chunks of values come from slabs, from the fifth on.
ExpandedState::ExpandedState(const Request& request, MemoryContext context, NodeStorage* storage)
    : request(request),
      memory(context, OrderedValues<Key64>::kMaxChunkBytes, 4),
      storage(storage),
      freed{} {
  EOH_init_header(&header, &kExpandedMethods, context);
  visit([this](auto& values) {
    using Values = std::remove_reference_t<decltype(values)>;
    if constexpr (std::is_constructible_v<Values, std::pmr::memory_resource*, Storage*,
                                          std::uint64_t, StopCheck>) {
      // Different in every process, whose states come together, and for every state.
      const auto salt = reinterpret_cast<std::uintptr_t>(this) ^
                        static_cast<std::uint64_t>(MyProcPid) * 0x9e3779b97f4a7c15U;
      new (&values) Values(&memory, this->storage, salt, interrupt_pending);
    } else {
      new (&values) Values(&memory, this->storage);
    }
  });
}

FlatState* new_empty_state() {
  static_assert(Statistic::kNone == Statistic{});
  return zeroed_state(kEmptyBytes);
}

void keep_extremes(FlatState* flat) {
  const std::size_t kept = extremes_kept(flat->spec);
  if (kept == 0) return;
  const auto count = static_cast<std::size_t>(flat->count);
  const std::size_t bytes = count * key_bytes(flat->spec.grid);
  void* all = palloc(bytes);
  std::memcpy(all, flat->payload(), bytes);
  flat->count = 0;
  add_extremes(flat, kept, all, count);
  pfree(all);
}

namespace {

// Of a state without rows, with room for all that does not grow.
Size first_bytes(const StoredSpec& spec) {
  const std::size_t extremes = extremes_kept(spec) * key_words(spec.grid);
  const std::size_t words = epsilon_words(spec) + payload_words(spec, 0) + extremes;
  return std::max(kFirstFlatBytes, flat_bytes(words));
}

}  // namespace

FlatState* new_flat_state(const Request& request) {
  FlatState* flat = zeroed_state(first_bytes(request.spec));
  set_request(flat, request);
  return flat;
}

FlatState* begin_state(FlatState* empty, const Request& request) {
  if (VARSIZE(empty) < first_bytes(request.spec)) return new_flat_state(request);
  std::memset(empty->words(), 0, VARSIZE(empty) - sizeof(FlatState));
  empty->count = 0;
  set_request(empty, request);
  return empty;
}

FlatState* new_flat_state(const StoredSpec& spec, std::int64_t count, std::size_t words) {
  FlatState* flat = zeroed_state(flat_bytes(words));
  flat->spec = spec;
  flat->count = count;
  return flat;
}

Request StateArgument::request() const {
  if (expanded) return expanded->request;
  Request request{flat->spec.to_spec(), {}};
  const auto all = flat->epsilons();
  std::copy(all.begin(), all.end(), request.epsilons);
  return request;
}

StateArgument state_argument(Datum datum, bool may_travel) {
  StateArgument argument;
  struct varlena* raw = reinterpret_cast<struct varlena*>(DatumGetPointer(datum));
  if (VARATT_IS_EXTERNAL_EXPANDED(raw)) {
    ExpandedObjectHeader* header = DatumGetEOHP(datum);
    if (header->eoh_methods != &kExpandedMethods)
      elog(ERROR, "expanded object is not an idp_state");
    argument.expanded = as_expanded(header);
    return argument;
  }
  argument.flat =
      reinterpret_cast<FlatState*>(VARATT_IS_EXTENDED(raw) ? pg_detoast_datum(raw) : raw);
  // What the type's input function let in is sound; this is for what a table kept since.
  const FlatState* flat = argument.flat;
  const Size size = VARSIZE(flat);
  if (may_travel && size >= sizeof(FlatState) && flat->version == kTravellingVersion) {
    argument.travelling = true;
    return argument;
  }
  const auto is_sound = [&] {
    if (size < kEmptyBytes || flat->version != kFlatVersion) return false;
    if (flat->empty()) return flat->count == 0 || flat->count == 1;  // 1: see group_backlog.h
    return size >= sizeof(FlatState) &&
           payload_fits(flat->spec, flat->count, (size - sizeof(FlatState)) / 8, /*exactly=*/false);
  };
  if (!is_sound()) {
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                    errmsg("idp_state is damaged or of another version")));
  }
  return argument;
}

Datum state_datum(const StateArgument& state) {
  return state.expanded ? EOHPGetRWDatum(&state.expanded->header) : PointerGetDatum(state.flat);
}

void expand(StateArgument& state, const Home& home) {
  if (state.expanded) return;
  const FlatState* flat = state.flat;
  state.expanded = new_expanded_state(state.request(), home);
  state.flat = nullptr;
  add_to_expanded(state.expanded, flat->payload(), static_cast<std::size_t>(flat->count));
}

void add_all(ExpandedState* into, ExpandedState* from) {
  guarded([&] {
    into->visit([&]<class Values>(Values& values) {
      from->visit([&]<class Others>(const Others& others) {
        if constexpr (std::is_same_v<Values, Others>) values.add_all(others);
      });
    });
  });
}

void add_keys(StateArgument& state, const void* keys, std::size_t count, const Home& home) {
  if (state.flat) {
    FlatState* flat = state.flat;
    const std::size_t width = key_bytes(flat->spec.grid);
    if (const std::size_t kept = extremes_kept(flat->spec)) {
      const Size bytes = flat_bytes(epsilon_words(flat->spec) + kept * width / 8);
      if (VARSIZE(flat) < bytes) {
        FlatState* larger = zeroed_state(bytes);
        std::memcpy(static_cast<void*>(larger), flat, VARSIZE(flat));
        SET_VARSIZE(larger, bytes);
        state.flat = flat = larger;
      }
      add_extremes(flat, kept, keys, count);
      return;
    }
    const std::size_t used = static_cast<std::size_t>(flat->count) * width;
    const std::size_t kept = flat_bytes(epsilon_words(flat->spec)) + used;
    const std::size_t needed = kept + count * width;
    if (needed > VARSIZE(flat) && needed <= kMaxFlatBytes) {
      std::size_t bytes = kFirstFlatBytes;
      while (bytes < needed) bytes *= 2;
      FlatState* larger = zeroed_state(bytes);
      std::memcpy(static_cast<void*>(larger), flat, kept);
      SET_VARSIZE(larger, bytes);
      state.flat = flat = larger;
    }
    if (needed <= VARSIZE(flat)) {
      std::memcpy(reinterpret_cast<char*>(flat) + kept, keys, count * width);
      flat->count += static_cast<std::int64_t>(count);
      return;
    }
    expand(state, home);
  }
  add_to_expanded(state.expanded, keys, count);
}

void refuse_foreign_state() {
  ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                  errmsg("idp_state belongs to another aggregate or column type")));
  pg_unreachable();
}

}  // namespace idp

#include "extension/state.h"

#include <cstring>
#include <new>

#include "extension/guard.h"

namespace idp {

namespace {

Size flat_size(const Spec& spec, std::int64_t count) {
  return sizeof(FlatState) + static_cast<Size>(count) * key_bytes(spec.grid);
}

ExpandedState* as_expanded(ExpandedObjectHeader* header) {
  return reinterpret_cast<ExpandedState*>(header);
}

Size get_flat_size(ExpandedObjectHeader* header) {
  const ExpandedState* state = as_expanded(header);
  const Size size = flat_size(state->spec, state->size());
  if (size > MaxAllocSize) {
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("idp_state exceeds the limit of 1 GB"),
             errdetail("A state of this size cannot be passed between processes."),
             errhint("Set max_parallel_workers_per_gather to 0 for this query.")));
  }
  return size;
}

void flatten_into(ExpandedObjectHeader* header, void* result, Size allocated) {
  const ExpandedState* state = as_expanded(header);
  auto* flat = static_cast<FlatState*>(result);
  std::memset(static_cast<void*>(flat), 0, sizeof(FlatState));
  SET_VARSIZE(flat, allocated);
  flat->version = kFlatVersion;
  flat->spec = state->spec;
  flat->count = state->size();
  if (state->spec.grid.is_wide()) {
    state->wide.copy_to(flat->keys());
  } else {
    state->narrow.copy_to(flat->keys());
  }
}

const ExpandedObjectMethods kMethods = {get_flat_size, flatten_into};

ExpandedState* new_expanded_state(const Spec& spec, MemoryContext parent) {
  MemoryContext context = AllocSetContextCreate(parent, "idp_state", ALLOCSET_SMALL_SIZES);
  void* place = MemoryContextAllocZero(context, sizeof(ExpandedState));
  return new (place) ExpandedState(spec, context);
}

void add_to_expanded(ExpandedState* state, const void* keys, std::size_t count) {
  guarded([&] {
    if (state->spec.grid.is_wide()) {
      state->wide.add_packed(keys, count);
    } else {
      state->narrow.add_packed(keys, count);
    }
  });
}

}  // namespace

ExpandedState::ExpandedState(const Spec& spec, MemoryContext context)
    : spec(spec), memory(context) {
  EOH_init_header(&header, &kMethods, context);
  if (spec.grid.is_wide()) {
    new (&wide) OrderedValues<Key128>(&memory);
  } else {
    new (&narrow) OrderedValues<Key64>(&memory);
  }
}

FlatState* new_flat_state(std::size_t bytes) {
  auto* flat = static_cast<FlatState*>(palloc0(bytes));
  SET_VARSIZE(flat, bytes);
  flat->version = kFlatVersion;
  return flat;
}

StateArgument state_argument(Datum datum) {
  StateArgument argument;
  struct varlena* raw = reinterpret_cast<struct varlena*>(DatumGetPointer(datum));
  if (VARATT_IS_EXTERNAL_EXPANDED(raw)) {
    ExpandedObjectHeader* header = DatumGetEOHP(datum);
    if (header->eoh_methods != &kMethods) elog(ERROR, "expanded object is not an idp_state");
    argument.expanded = as_expanded(header);
    return argument;
  }
  argument.flat =
      reinterpret_cast<FlatState*>(VARATT_IS_EXTENDED(raw) ? pg_detoast_datum(raw) : raw);
  // What the type's input function let in is sound; this is for what a table kept since.
  const FlatState* flat = argument.flat;
  const Size size = VARSIZE(flat);
  const bool sound =
      size >= sizeof(FlatState) && flat->version == kFlatVersion && flat->count >= 0 &&
      (!flat->spec.collects_values() ||
       static_cast<Size>(flat->count) <= (size - sizeof(FlatState)) / key_bytes(flat->spec.grid));
  if (!sound) {
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                    errmsg("idp_state is damaged or of another version")));
  }
  return argument;
}

Datum state_datum(const StateArgument& state) {
  return state.expanded ? EOHPGetRWDatum(&state.expanded->header) : PointerGetDatum(state.flat);
}

void add_keys(StateArgument& state, const void* keys, std::size_t count,
              MemoryContext aggregate_context) {
  if (state.flat) {
    FlatState* flat = state.flat;
    const std::size_t width = key_bytes(flat->spec.grid);
    const std::size_t used = static_cast<std::size_t>(flat->count) * width;
    const std::size_t needed = sizeof(FlatState) + used + count * width;
    if (needed > VARSIZE(flat) && needed <= kMaxFlatBytes) {
      std::size_t bytes = kFirstFlatBytes;
      while (bytes < needed) bytes *= 2;
      FlatState* larger = new_flat_state(bytes);
      larger->spec = flat->spec;
      larger->count = flat->count;
      std::memcpy(larger->keys(), flat->keys(), used);
      state.flat = flat = larger;
    }
    if (needed <= VARSIZE(flat)) {
      std::memcpy(flat->keys() + used, keys, count * width);
      flat->count += static_cast<std::int64_t>(count);
      return;
    }
    state.expanded = new_expanded_state(flat->spec, aggregate_context);
    state.flat = nullptr;
    add_to_expanded(state.expanded, flat->keys(), static_cast<std::size_t>(flat->count));
  }
  add_to_expanded(state.expanded, keys, count);
}

}  // namespace idp

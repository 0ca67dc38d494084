// Expanded states made flat: by the server, for a state that it keeps or sends, and for a copy.
#include <cstring>

#include "extension/pg/guard.h"
#include "extension/state/state.h"
#include "extension/state/travelling_state.h"

namespace idp {

namespace {

ExpandedState* as_expanded(ExpandedObjectHeader* header) {
  return reinterpret_cast<ExpandedState*>(header);
}

Size complete_flat_size(ExpandedState* state) {
  const StoredSpec spec = state->spec();
  const Size size = flat_bytes(epsilon_words(spec) + payload_words(spec, state->size()));
  if (size > MaxAllocSize) {
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("idp_state exceeds the limit of 1 GB"),
             errdetail("A state of this size cannot be passed between processes."),
             errhint("Set max_parallel_workers_per_gather to 0 for this query.")));
  }
  return size;
}

FlatState* begin_flat(ExpandedState* state, void* place, Size bytes) {
  auto* flat = static_cast<FlatState*>(place);
  std::memset(static_cast<void*>(flat), 0, sizeof(FlatState));
  SET_VARSIZE(flat, bytes);
  flat->version = kFlatVersion;
  flat->count = state->size();
  set_request(flat, state->request);
  return flat;
}

void write_keys(ExpandedState* state, FlatState* flat) {
  guarded([&] {
    state->visit([&](const auto& values) { values.copy_to(flat->payload(), interrupt_pending); });
  });
}

// The server flattens in whatever context it is in: a sort in one whose chunks cannot be freed
// (from PostgreSQL 17 on), which making a temporary file needs. Both methods work in the object's
// own.
Size get_flat_size(ExpandedObjectHeader* header) {
  ExpandedState* state = as_expanded(header);
  MemoryContext before = MemoryContextSwitchTo(header->eoh_context);
  const Size size = prepare_to_travel(state) ? travelling_bytes(state) : complete_flat_size(state);
  MemoryContextSwitchTo(before);
  return size;
}

void flatten_into(ExpandedObjectHeader* header, void* result, Size allocated) {
  ExpandedState* state = as_expanded(header);
  FlatState* flat = begin_flat(state, result, allocated);
  MemoryContext before = MemoryContextSwitchTo(header->eoh_context);
  if (prepare_to_travel(state)) {
    write_travelling(state, flat, allocated);
  } else {
    write_keys(state, flat);
  }
  MemoryContextSwitchTo(before);
}

}  // namespace

const ExpandedObjectMethods kExpandedMethods = {get_flat_size, flatten_into};

FlatState* flat_copy(const StateArgument& state) {
  if (state.flat) {
    void* copy = palloc(VARSIZE(state.flat));
    std::memcpy(copy, state.flat, VARSIZE(state.flat));
    return static_cast<FlatState*>(copy);
  }
  const Size size = complete_flat_size(state.expanded);
  FlatState* copy = begin_flat(state.expanded, palloc(size), size);
  write_keys(state.expanded, copy);
  return copy;
}

}  // namespace idp

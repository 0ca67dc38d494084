#include "extension/state/travelling_state.h"

#include "extension/pg/guard.h"
#include "extension/state/storage.h"

namespace idp {

namespace {

// Walks along bytes, writing or reading plain values.
template <class Value>
void put(char*& at, const Value& value) {
  memcpy(at, &value, sizeof value);
  at += sizeof value;
}

class Reader {
 public:
  Reader(const char* begin, const char* end) : at_(begin), end_(end) {}
  // The next bytes, 8-byte aligned as all before them.
  const char* take(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(end_ - at_)) {
      ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                      errmsg("idp_state is damaged or of another version")));
    }
    const char* begin = at_;
    at_ += bytes;
    return begin;
  }
  template <class Value>
  Value get() {
    Value value;
    memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }

 private:
  const char* at_;
  const char* end_;
};

// Calls visit with the values of a state that keeps all of them.
template <class Visit>
void visit_ordered(const ExpandedState* state, Visit&& visit) {
  if (state->spec().grid.is_wide()) {
    visit(const_cast<ExpandedState*>(state)->wide);
  } else {
    visit(const_cast<ExpandedState*>(state)->narrow);
  }
}

template <class Key>
void add_runs(OrderedValues<Key>& values, Reader& reader, RunFile* file) {
  const auto runs = reader.get<std::int64_t>();
  for (std::int64_t i = 0; i < runs; ++i) {
    DividedRun<Key> run;
    run.loose = reader.get<std::int64_t>();
    run.at = reader.get<std::int64_t>();
    run.file = file;
    const auto count = static_cast<std::size_t>(reader.get<std::int64_t>());
    run.splitters = {
        reinterpret_cast<const Splitter<Key>*>(reader.take(count * sizeof(Splitter<Key>))), count};
    guarded([&] { values.add_run(run); });
  }
}

}  // namespace

bool prepare_to_travel(ExpandedState* state) {
  if (state->distinct() || !state->storage->travels()) return false;
  bool travels = false;
  guarded([&] {
    visit_ordered(state, [&](auto& values) {
      travels = values.size() >= kLeastTravelling;
      using Values = std::remove_reference_t<decltype(values)>;
      if (travels) values.divide_all(Values::To::kFile, interrupt_pending);
    });
  });
  return travels;
}

Size travelling_bytes(const ExpandedState* state) {
  Size bytes = sizeof(FlatState) + 8 * epsilon_words(state->spec()) + sizeof(TravellingFile) +
               sizeof(std::int64_t);
  visit_ordered(state, [&](auto& values) {
    values.for_each_run(
        [&](const auto& run) { bytes += 3 * sizeof(std::int64_t) + run.splitters.size_bytes(); });
  });
  return bytes;
}

void write_travelling(const ExpandedState* state, FlatState* to, Size bytes) {
  to->version = kTravellingVersion;
  char* at = reinterpret_cast<char*>(to->payload());
  put(at, finish_travelling_file(state->storage));
  char* count_at = at;
  std::int64_t count = 0;
  put(at, count);
  visit_ordered(state, [&](auto& values) {
    values.for_each_run([&](const auto& run) {
      put(at, run.loose);
      put(at, run.at);
      put(at, static_cast<std::int64_t>(run.splitters.size()));
      memcpy(at, run.splitters.data(), run.splitters.size_bytes());
      at += run.splitters.size_bytes();
      ++count;
    });
  });
  put(count_at, count);
  Assert(at == reinterpret_cast<char*>(to) + bytes);
  (void)bytes;
}

void add_travelling(ExpandedState* into, const FlatState* from) {
  Reader reader(reinterpret_cast<const char*>(from->payload()),
                reinterpret_cast<const char*>(from) + VARSIZE(from));
  RunFile* file = open_travelling_file(into->storage, reader.get<TravellingFile>());
  visit_ordered(into, [&](auto& values) { add_runs(values, reader, file); });
}

}  // namespace idp

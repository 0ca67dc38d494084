// The values an order statistic is selected from, in the order they came.
//
// Adding a value is a store and a comparison: no allocation per row, no virtual call. Values lie in
// chunks that double in size up to kMaxChunkBytes, so nothing is ever copied to make room, and a
// small group stays small. Two things shrink what is full:
//   - a chunk in which few values come again and again is divided (divide.h): the values become
//     splitters with counts, the others stay
//   - without room for another chunk, the full one is divided, goes to the file, and is used again
#pragma once

#include "core/no_postgres.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <vector>

#include "core/select/divide.h"
#include "core/select/runs.h"
#include "core/select/stop.h"
#include "core/select/storage.h"

namespace idp {

// Memory comes from the resource and goes back with it as a whole (an arena, a server memory
// context): there is deliberately no destructor, so that a server error may jump over one. Without
// a storage memory has no limit. If the resource or the storage throws, the values so far stay.
template <class Key>
class OrderedValues {
 public:
  static constexpr std::size_t kFirstChunkBytes = 4096;
  static constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 20;
  // Smaller chunks are not worth a look whether their values repeat.
  static constexpr std::size_t kMinRepetitiveBytes = std::size_t{1} << 16;

  explicit OrderedValues(std::pmr::memory_resource* memory, Storage* storage = nullptr)
      : memory_(memory), storage_(storage) {}
  OrderedValues(const OrderedValues&) = delete;
  OrderedValues& operator=(const OrderedValues&) = delete;

  void add(Key key) {
    if (next_ == end_) make_room();
    *next_++ = key;
  }
  // The same where nothing has to be done for it; otherwise false. It cannot throw.
  bool add_if_room(Key key) noexcept {
    if (next_ == end_) return false;
    *next_++ = key;
    return true;
  }

  // Where the next values go, as far as nothing has to be done for them: whoever has many puts them
  // there itself, and says how many it put.
  std::span<Key> room() noexcept { return {next_, static_cast<std::size_t>(end_ - next_)}; }
  void put(std::size_t count) noexcept { next_ += count; }

  // Adds count keys that lie packed in memory at any alignment.
  void add_packed(const void* keys, std::size_t count) {
    const char* from = static_cast<const char*>(keys);
    while (count > 0) {
      if (next_ == end_) make_room();
      const std::size_t take = std::min(count, static_cast<std::size_t>(end_ - next_));
      std::memcpy(next_, from, take * sizeof(Key));
      next_ += take;
      from += take * sizeof(Key);
      count -= take;
    }
  }

  // Adds a key so many times, >= 1, as a splitter with a count. False if the storage has no room
  // for that: then nothing is added.
  bool add_repeated(const Key& key, std::int64_t times);

  // Adds a run that was divided elsewhere. Its file must outlive the values; what lies in memory is
  // copied.
  void add_run(const DividedRun<Key>& run);

  // Adds all values of another one, whose files must outlive this one.
  void add_all(const OrderedValues& others);

  std::int64_t size() const { return divided_ + in_chunks(); }

  // How many bytes were taken from the storage. Whoever frees the resource gives them back.
  std::size_t taken() const { return taken_; }

  // Whether some values are divided: then runs() alone does not tell of all.
  bool is_divided() const { return first_run_ != nullptr; }

  // The values that are not divided.
  std::pmr::vector<std::span<const Key>> runs(std::pmr::memory_resource* memory) const;
  // Those that are, as a list or one by one.
  std::pmr::vector<DividedRun<Key>> divided_runs(std::pmr::memory_resource* memory) const;

  template <class Visit>
  void for_each_run(Visit visit) const {
    for (const RunNode* node = first_run_; node != nullptr; node = node->following) {
      visit(node->run);
    }
  }

  // Divides all values. With a file nothing but splitters is left in memory. Stopped in between, it
  // has divided some.
  enum class To { kMemory, kFile };
  void divide_all(To to, StopCheck stop = nullptr);

  // Forgets all values and returns their memory, for whoever does not free the resource as a whole.
  void clear();

  // Writes all values, packed, to size() * sizeof(Key) bytes.
  void copy_to(void* to, StopCheck stop = nullptr) const;

 private:
  struct Chunk {
    Chunk* following;
    std::size_t capacity;  // in keys
    Key* keys() { return reinterpret_cast<Key*>(this + 1); }
    const Key* keys() const { return reinterpret_cast<const Key*>(this + 1); }
    std::size_t bytes() const { return sizeof(Chunk) + capacity * sizeof(Key); }
  };
  // A run and, behind it, its splitters.
  struct RunNode {
    RunNode* following;
    Chunk* chunk;  // where the loose keys lie, if that is memory of our own
    DividedRun<Key> run;
    std::size_t bytes() const {
      return sizeof(RunNode) + run.splitters.size() * sizeof(Splitter<Key>);
    }
  };

  std::size_t used(const Chunk* chunk) const {
    return chunk == last_ ? static_cast<std::size_t>(next_ - last_->keys()) : chunk->capacity;
  }
  std::int64_t in_chunks() const { return full_ + (last_ ? next_ - last_->keys() : 0); }

  void* allocate(std::size_t bytes);
  void deallocate(void* area, std::size_t bytes);
  std::size_t next_chunk_bytes() const;
  void make_room();
  void grow(std::size_t bytes);
  bool gather_repeated();
  void divide_chunk(Chunk* chunk, To to);
  void append_run(const DividedRun<Key>& run);
  bool join_last_run(std::span<const Splitter<Key>> splitters);

  std::pmr::memory_resource* memory_;
  Storage* storage_;
  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;
  Key* next_ = nullptr;  // where the next value goes, in the last chunk
  Key* end_ = nullptr;
  std::int64_t full_ = 0;  // values in all chunks but the last
  RunNode* first_run_ = nullptr;
  RunNode* last_run_ = nullptr;
  std::int64_t divided_ = 0;  // values in all runs
  std::size_t taken_ = 0;
};

}  // namespace idp

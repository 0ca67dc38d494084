// The values an order statistic is selected from, in the order they came.
//
// Adding a value is a store and a comparison: no allocation per row, no virtual call. Values lie in
// chunks that double in size up to kMaxChunkBytes, so nothing is ever copied to make room, and a
// small group stays small.
#pragma once

#include "core/no_postgres.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <vector>

namespace idp {

// The same values as a list of contiguous pieces.
template <class Key>
using Runs = std::span<const std::span<const Key>>;

template <class Key>
std::int64_t total_size(Runs<Key> runs) {
  std::int64_t n = 0;
  for (const auto& run : runs) n += static_cast<std::int64_t>(run.size());
  return n;
}

// Memory comes from the resource and goes back with it as a whole (an arena, a server memory
// context): there is deliberately no destructor, so that a server error may jump over one.
template <class Key>
class OrderedValues {
 public:
  static constexpr std::size_t kFirstChunkBytes = 4096;
  static constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 20;

  explicit OrderedValues(std::pmr::memory_resource* memory) : memory_(memory) {}
  OrderedValues(const OrderedValues&) = delete;
  OrderedValues& operator=(const OrderedValues&) = delete;

  // Throws std::bad_alloc if the resource does; the values so far stay.
  void add(Key key) {
    if (next_ == end_) grow();
    *next_++ = key;
  }

  // Adds count keys that lie packed in memory at any alignment.
  void add_packed(const void* keys, std::size_t count) {
    const char* from = static_cast<const char*>(keys);
    while (count > 0) {
      if (next_ == end_) grow();
      const std::size_t take = std::min(count, static_cast<std::size_t>(end_ - next_));
      std::memcpy(next_, from, take * sizeof(Key));
      next_ += take;
      from += take * sizeof(Key);
      count -= take;
    }
  }

  std::int64_t size() const { return full_ + (last_ ? next_ - last_->keys() : 0); }

  std::pmr::vector<std::span<const Key>> runs(std::pmr::memory_resource* memory) const {
    std::pmr::vector<std::span<const Key>> runs(memory);
    for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->following) {
      const std::size_t used =
          chunk == last_ ? static_cast<std::size_t>(next_ - last_->keys()) : chunk->capacity;
      runs.emplace_back(chunk->keys(), used);
    }
    return runs;
  }

  // Writes all values, packed, to size() * sizeof(Key) bytes.
  void copy_to(void* to) const {
    char* at = static_cast<char*>(to);
    for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->following) {
      const std::size_t used =
          chunk == last_ ? static_cast<std::size_t>(next_ - last_->keys()) : chunk->capacity;
      std::memcpy(at, chunk->keys(), used * sizeof(Key));
      at += used * sizeof(Key);
    }
  }

 private:
  struct Chunk {
    Chunk* following;
    std::size_t capacity;  // in keys
    Key* keys() { return reinterpret_cast<Key*>(this + 1); }
    const Key* keys() const { return reinterpret_cast<const Key*>(this + 1); }
  };

  void grow() {
    const std::size_t bytes =
        last_ == nullptr
            ? kFirstChunkBytes
            : std::min(kMaxChunkBytes, 2 * (last_->capacity * sizeof(Key) + sizeof(Chunk)));
    auto* chunk = static_cast<Chunk*>(memory_->allocate(bytes, alignof(Chunk)));
    chunk->following = nullptr;
    chunk->capacity = (bytes - sizeof(Chunk)) / sizeof(Key);
    if (last_ == nullptr) {
      first_ = chunk;
    } else {
      full_ += static_cast<std::int64_t>(last_->capacity);
      last_->following = chunk;
    }
    last_ = chunk;
    next_ = chunk->keys();
    end_ = next_ + chunk->capacity;
  }

  std::pmr::memory_resource* memory_;
  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;
  Key* next_ = nullptr;  // where the next value goes, in the last chunk
  Key* end_ = nullptr;
  std::int64_t full_ = 0;  // values in all chunks but the last
};

}  // namespace idp

// Values of very many groups, whose states would be out of the cache's reach: going to a state for
// each row would mean waiting for memory each time. So values are put down in the order they come,
// each with its group, and gathered when the first group is asked for: what is written and read
// then lies side by side.
//
// While values come they are divided into parts by a hash of their group, so that gathering works
// on a few ten thousand of them at once. Of gathered values only the keys are kept.
//
// Memory: two words and a key for each value that was added, or a key once gathered.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

#include "core/grid/key.h"
#include "core/select/stop.h"

namespace idp {

// Memory comes from the resource and goes back with it: no destructor, as in ordered_values.h.
template <class Key>
class Backlog {
 public:
  // What tells groups apart; never null.
  using Group = const void*;

  explicit Backlog(std::pmr::memory_resource* memory) : memory_(memory) {}
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  // Not after gather(). Throws std::bad_alloc if the resource does; the values so far stay.
  void add(Group group, Key key) {
    Part& part = parts_[part_of(group)];
    if (part.next == part.end) grow(part);
    *part.next++ = {group, key};
  }

  // How many bytes are in use.
  std::size_t bytes() const { return bytes_; }

  bool is_gathered() const { return gathered_ == kParts; }
  // Throws Stopped, and may then be called again; and std::bad_alloc.
  void gather(StopCheck stop);

  // The values of a group, once gathered. They stay where they are.
  std::span<const Key> of(Group group) const;
  // From now on the group has none.
  void forget(Group group);

 private:
  static constexpr std::size_t kParts = 256;
  static constexpr std::size_t kChunkBytes = 16384;

  struct Entry {
    Group group;
    Key key;
  };
  struct Chunk {
    Chunk* following;
    Entry entries[(kChunkBytes - sizeof(Chunk*)) / sizeof(Entry)];
  };

 public:
  // What values are put down in comes from the resource in pieces of this size.
  static constexpr std::size_t kPieceBytes = sizeof(Chunk);

 private:
  // Where the values of a group begin in its part, and how many there are.
  struct Gathered {
    Group group;
    std::uint32_t begin;
    std::uint32_t count;
  };
  struct Part {
    Entry* next = nullptr;  // in the last chunk
    Entry* end = nullptr;
    Chunk* first = nullptr;
    Chunk* last = nullptr;
    Gathered* table = nullptr;  // open addressing; no group: free
    std::size_t slots = 0;      // a power of two
    Key* keys = nullptr;
  };

  // Addresses of states are multiples of 8 or 16; a product's upper half depends on all bits.
  static std::uint64_t hash(Group group) {
    return reinterpret_cast<std::uintptr_t>(group) * 0x9e3779b97f4a7c15U;
  }
  static std::size_t part_of(Group group) { return hash(group) >> 56; }

  void* allocate(std::size_t size);
  void deallocate(void* area, std::size_t size);
  void grow(Part& part);
  void gather(Part& part, StopCheck stop);
  Gathered& slot(const Part& part, Group group) const;
  void enlarge_table(Part& part);
  template <class Visit>
  static void for_each(const Part& part, StopCheck stop, Visit visit);

  std::pmr::memory_resource* memory_;
  std::size_t bytes_ = 0;
  std::size_t gathered_ = 0;  // so many parts
  Part parts_[kParts];
};

}  // namespace idp

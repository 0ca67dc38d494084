// The different values of a column: a hash set of keys with open addressing.
//
// Memory: slots of one key each, between 3/8 and 3/4 of them taken, so 11 to 22 bytes for each
// different 64-bit value and twice that for 128-bit ones; half as much again while it grows. How
// often a value comes does not matter.
//
// A large table is out of the cache's reach, and nearly every key would wait for memory. So keys
// wait in a short queue instead while their slots are fetched.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <utility>

#include "core/grid/key.h"
#include "core/select/stop.h"
#include "core/select/storage.h"

namespace idp {

// Memory comes from the resource; no destructor, for the reason given in ordered_values.h.
template <class Key>
class DistinctValues {
 public:
  static constexpr std::size_t kFirstSlots = 256;
  static constexpr std::size_t kWaiting = 8;
  static constexpr std::size_t kAtOnce = 65536;  // keys or slots between two looks at a stop check

  // Tables with the same salt must not be poured into one another: keys then come in the order of
  // their slots, and pile up. Growing asks stop, and may be asked for again.
  explicit DistinctValues(std::pmr::memory_resource* memory, Storage* storage = nullptr,
                          std::uint64_t salt = 0, StopCheck stop = nullptr)
      : memory_(memory), storage_(storage), salt_(salt), stop_(stop) {}
  DistinctValues(const DistinctValues&) = delete;
  DistinctValues& operator=(const DistinctValues&) = delete;

  // Throws std::bad_alloc if the resource does; the values so far stay.
  void add(Key key) {
    if (key == Key{}) {  // marks a free slot, so it is kept aside
      has_zero_ = true;
      return;
    }
    // with all that wait, so that placing these never needs memory
    if (4 * (taken_ + kWaiting) > 3 * slots_) grow();
    __builtin_prefetch(&table_[hash(key) & (slots_ - 1)], 1);
    std::swap(key, waiting_[next_]);
    next_ = (next_ + 1) % kWaiting;
    if (key != Key{}) taken_ += place(table_, slots_, key);
  }

  // Adds count keys that lie packed in memory at any alignment.
  void add_packed(const void* keys, std::size_t count) {
    const char* from = static_cast<const char*>(keys);
    for (std::size_t i = 0; i < count; ++i, from += sizeof(Key)) {
      if (i % kAtOnce == 0) stop_if_asked(stop_);
      Key key;
      std::memcpy(&key, from, sizeof key);
      add(key);
    }
  }

  // How many bytes were taken from the storage. Whoever frees the resource gives them back.
  std::size_t taken() const { return storage_ == nullptr ? 0 : slots_ * sizeof(Key); }

  void add_all(const DistinctValues& others) {
    others.place_waiting();
    if (others.has_zero_) has_zero_ = true;
    for (std::size_t i = 0; i < others.slots_; ++i) {
      if (i % kAtOnce == 0) stop_if_asked(stop_);
      if (others.table_[i] != Key{}) add(others.table_[i]);
    }
  }

  std::int64_t size() const {
    place_waiting();
    return static_cast<std::int64_t>(taken_) + (has_zero_ ? 1 : 0);
  }

  // Writes all values, packed, to size() * sizeof(Key) bytes.
  void copy_to(void* to, StopCheck = nullptr) const {
    place_waiting();
    char* at = static_cast<char*>(to);
    const auto put = [&](const Key& key) {
      std::memcpy(at, &key, sizeof key);
      at += sizeof key;
    };
    if (has_zero_) put(Key{});
    for (std::size_t i = 0; i < slots_; ++i) {
      if (table_[i] != Key{}) put(table_[i]);
    }
  }

 private:
  // The finaliser of SplitMix64 (Steele, Lea, Flood 2014): spreads keys that differ in few bits.
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  std::uint64_t hash(Key64 key) const { return mix(static_cast<std::uint64_t>(key) ^ salt_); }
  std::uint64_t hash(const Key128& key) const {
    return mix(static_cast<std::uint64_t>(key.high) ^ mix(key.low ^ salt_));
  }

  // 1 if the key is new. slots is a power of two, and one of them is free.
  std::size_t place(Key* table, std::size_t slots, const Key& key) const {
    for (std::size_t i = hash(key);; ++i) {
      Key& slot = table[i & (slots - 1)];
      if (slot == key) return 0;
      if (slot == Key{}) {
        slot = key;
        return 1;
      }
    }
  }

  // The set is the same whether a key is in the table or waits.
  void place_waiting() const noexcept {
    for (Key& key : waiting_) {
      if (key != Key{}) taken_ += place(table_, slots_, key);
      key = Key{};
    }
  }

  void grow() {
    const std::size_t slots = slots_ == 0 ? kFirstSlots : 2 * slots_;
    auto* table = static_cast<Key*>(memory_->allocate(slots * sizeof(Key), alignof(Key)));
    std::memset(static_cast<void*>(table), 0, slots * sizeof(Key));
    for (std::size_t i = 0; i < slots_; ++i) {
      if (i % kAtOnce == 0 && stop_ != nullptr && stop_()) {
        memory_->deallocate(table, slots * sizeof(Key), alignof(Key));
        throw Stopped{};
      }
      if (table_[i] != Key{}) (void)place(table, slots, table_[i]);
    }
    if (table_ != nullptr) memory_->deallocate(table_, slots_ * sizeof(Key), alignof(Key));
    if (storage_ != nullptr) {
      storage_->give_back(slots_ * sizeof(Key));
      storage_->take(slots * sizeof(Key));
    }
    table_ = table;
    slots_ = slots;
  }

  std::pmr::memory_resource* memory_;
  Storage* storage_;
  std::uint64_t salt_;
  StopCheck stop_;
  Key* table_ = nullptr;
  std::size_t slots_ = 0;
  mutable std::size_t taken_ = 0;
  mutable Key waiting_[kWaiting] = {};  // zero: none
  std::size_t next_ = 0;                // the one that has waited longest
  bool has_zero_ = false;
};

}  // namespace idp

#include "core/collect/backlog.h"

#include <algorithm>
#include <new>

namespace idp {

namespace {

constexpr std::size_t kFirstSlots = 256;

}  // namespace

template <class Key>
void* Backlog<Key>::allocate(std::size_t size) {
  void* area = memory_->allocate(size, alignof(Entry));
  bytes_ += size;
  return area;
}

template <class Key>
void Backlog<Key>::deallocate(void* area, std::size_t size) {
  memory_->deallocate(area, size, alignof(Entry));
  bytes_ -= size;
}

template <class Key>
void Backlog<Key>::grow(Part& part) {
  auto* chunk = static_cast<Chunk*>(allocate(sizeof(Chunk)));
  chunk->following = nullptr;
  (part.first == nullptr ? part.first : part.last->following) = chunk;
  part.last = chunk;
  part.next = chunk->entries;
  part.end = std::end(chunk->entries);
}

template <class Key>
template <class Visit>
void Backlog<Key>::for_each(const Part& part, StopCheck stop, Visit visit) {
  for (Chunk* chunk = part.first; chunk != nullptr; chunk = chunk->following) {
    stop_if_asked(stop);
    const Entry* end = chunk == part.last ? part.next : std::end(chunk->entries);
    for (const Entry* entry = chunk->entries; entry != end; ++entry) visit(*entry);
  }
}

// The slot of the group, or the free one where it would be. One is always free.
template <class Key>
typename Backlog<Key>::Gathered& Backlog<Key>::slot(const Part& part, Group group) const {
  for (std::size_t i = hash(group) >> 24;; ++i) {
    Gathered& found = part.table[i & (part.slots - 1)];
    if (found.group == group || found.group == nullptr) return found;
  }
}

template <class Key>
void Backlog<Key>::enlarge_table(Part& part) {
  Part larger = part;
  larger.slots = part.slots == 0 ? kFirstSlots : 2 * part.slots;
  const std::size_t size = larger.slots * sizeof(Gathered);
  larger.table = static_cast<Gathered*>(allocate(size));
  std::fill_n(larger.table, larger.slots, Gathered{});
  for (std::size_t i = 0; i < part.slots; ++i) {
    const Gathered& gathered = part.table[i];
    if (gathered.group != nullptr) slot(larger, gathered.group) = gathered;
  }
  if (part.table != nullptr) deallocate(part.table, part.slots * sizeof(Gathered));
  part.table = larger.table;
  part.slots = larger.slots;
}

template <class Key>
void Backlog<Key>::gather(Part& part, StopCheck stop) {
  // Anew if an earlier attempt was stopped or ran out of memory.
  std::fill_n(part.table, part.slots, Gathered{});
  std::size_t groups = 0, count = 0;
  for_each(part, stop, [&](const Entry& entry) {
    if (2 * (groups + 1) > part.slots) enlarge_table(part);
    Gathered& gathered = slot(part, entry.group);
    if (gathered.group == nullptr) {
      gathered.group = entry.group;
      ++groups;
    }
    ++gathered.count;
    ++count;
  });
  if (count > 0 && part.keys == nullptr) {
    part.keys = static_cast<Key*>(allocate(count * sizeof(Key)));
  }
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < part.slots; ++i) {
    part.table[i].begin = begin;
    begin += part.table[i].count;
  }
  // While keys are put down `begin` is where the next one goes.
  for_each(part, stop,
           [&](const Entry& entry) { part.keys[slot(part, entry.group).begin++] = entry.key; });
  for (std::size_t i = 0; i < part.slots; ++i) part.table[i].begin -= part.table[i].count;
  while (part.first != nullptr) {
    Chunk* chunk = part.first;
    part.first = chunk->following;
    deallocate(chunk, sizeof(Chunk));
  }
}

template <class Key>
void Backlog<Key>::gather(StopCheck stop) {
  while (gathered_ < kParts) {
    stop_if_asked(stop);
    gather(parts_[gathered_], stop);
    ++gathered_;
  }
}

template <class Key>
std::span<const Key> Backlog<Key>::of(Group group) const {
  const Part& part = parts_[part_of(group)];
  if (part.slots == 0) return {};
  const Gathered& gathered = slot(part, group);
  if (gathered.group == nullptr) return {};
  return {part.keys + gathered.begin, gathered.count};
}

template <class Key>
void Backlog<Key>::forget(Group group) {
  const Part& part = parts_[part_of(group)];
  if (part.slots == 0) return;
  Gathered& gathered = slot(part, group);
  if (gathered.group != nullptr) gathered.count = 0;
}

template class Backlog<Key64>;
template class Backlog<Key128>;

}  // namespace idp

#include "core/collect/ordered_values.h"

#include <new>
#include <type_traits>

namespace idp {

namespace {

// A value is worth a splitter from so many repetitions on.
constexpr std::size_t kKeysPerRepetition = 16;

// Scratch of the storage, or a vector's where there is none.
class Space {
 public:
  Space(Storage* storage, std::size_t bytes, std::pmr::memory_resource* memory) : own_(memory) {
    if (storage != nullptr) {
      area_ = storage->scratch(bytes);
    } else {
      own_.resize((bytes + sizeof(Key128) - 1) / sizeof(Key128));
      area_ = own_.data();
    }
  }
  void* area() { return area_; }

 private:
  std::pmr::vector<Key128> own_;
  void* area_;
};

}  // namespace

template <class Key>
void* OrderedValues<Key>::allocate(std::size_t bytes) {
  void* area = memory_->allocate(bytes, alignof(Chunk));
  if (storage_ != nullptr) storage_->take(bytes);
  taken_ += bytes;
  return area;
}

template <class Key>
void OrderedValues<Key>::deallocate(void* area, std::size_t bytes) {
  memory_->deallocate(area, bytes, alignof(Chunk));
  if (storage_ != nullptr) storage_->give_back(bytes);
  taken_ -= bytes;
}

template <class Key>
std::size_t OrderedValues<Key>::next_chunk_bytes() const {
  if (last_ == nullptr) return kFirstChunkBytes;
  std::size_t most = kMaxChunkBytes;
  if (storage_ != nullptr) most = std::clamp(storage_->limit() / 4, kFirstChunkBytes, most);
  // a multiple of every key's size, so that a chunk has no bytes left over
  return std::min(most & ~std::size_t{15}, 2 * (last_->capacity * sizeof(Key) + sizeof(Chunk)));
}

template <class Key>
void OrderedValues<Key>::make_room() {
  static_assert(kMaxChunkBytes / sizeof(Key) <= kMostKeysDivided);
  const std::size_t bytes = next_chunk_bytes();
  if (last_ != nullptr) {
    if (last_->capacity * sizeof(Key) >= kMinRepetitiveBytes / 2 && gather_repeated()) return;
    const bool is_largest = last_->bytes() >= kMaxChunkBytes;
    if (storage_ != nullptr &&
        (!storage_->has_room(bytes) || (is_largest && storage_->prefers_file()))) {
      divide_chunk(last_, To::kFile);
      next_ = last_->keys();
      return;
    }
  }
  grow(bytes);
}

template <class Key>
void OrderedValues<Key>::grow(std::size_t bytes) {
  auto* chunk = static_cast<Chunk*>(allocate(bytes));
  chunk->following = nullptr;
  chunk->capacity = (bytes - sizeof(Chunk)) / sizeof(Key);  // nothing is left over
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

// Turns the values that repeat in the last chunk, which is full, into splitters with counts, if
// that frees half of it or more.
template <class Key>
bool OrderedValues<Key>::gather_repeated() {
  const std::span<const Key> keys(last_->keys(), last_->capacity);
  if (!looks_repetitive(keys)) return false;
  Space space(storage_, DivisionSpace<Key>::bytes(keys.size()), memory_);
  const auto division = DivisionSpace<Key>::in(space.area(), keys.size());
  Splitter<Key> splitters[kMostSplitters];
  std::int64_t loose = 0;
  const std::size_t count = divide(keys, division, splitters, loose, kKeysPerRepetition);
  if (static_cast<std::size_t>(loose) > keys.size() / 2) return false;
  for (std::size_t i = 0; i < count; ++i) splitters[i].loose_below = 0;
  if (!join_last_run({splitters, count})) append_run({{splitters, count}});
  std::copy(division.loose, division.loose + loose, last_->keys());
  next_ = last_->keys() + loose;
  return true;
}

// Adds the counts of splitters without loose keys to the last run, if that one has the same.
template <class Key>
bool OrderedValues<Key>::join_last_run(std::span<const Splitter<Key>> splitters) {
  if (last_run_ == nullptr || last_run_->run.loose > 0) return false;
  const auto& present = last_run_->run.splitters;
  const auto same = [](const Splitter<Key>& a, const Splitter<Key>& b) { return a.key == b.key; };
  if (!std::equal(present.begin(), present.end(), splitters.begin(), splitters.end(), same)) {
    return false;
  }
  auto* sum = const_cast<Splitter<Key>*>(present.data());  // the node's own
  for (std::size_t i = 0; i < present.size(); ++i) sum[i].equal_upto += splitters[i].equal_upto;
  divided_ += splitters.back().equal_upto;
  return true;
}

// Makes the chunk's values a run. What becomes of the chunk is the caller's to say.
template <class Key>
void OrderedValues<Key>::divide_chunk(Chunk* chunk, To to) {
  const std::span<const Key> keys(chunk->keys(), used(chunk));
  if (keys.empty()) return;
  Space space(storage_, DivisionSpace<Key>::bytes(keys.size()), memory_);
  const auto division = DivisionSpace<Key>::in(space.area(), keys.size());
  Splitter<Key> splitters[kMostSplitters];
  DividedRun<Key> run;
  run.splitters = {splitters, divide(keys, division, splitters, run.loose)};
  if (run.loose > 0 && to == To::kFile) {
    run.file = &storage_->file();
    run.at = run.file->append(division.loose, static_cast<std::size_t>(run.loose) * sizeof(Key));
  } else if (run.loose > 0) {
    run.in_memory = chunk->keys();
  }
  append_run(run);
  if (to == To::kFile) return;
  last_run_->chunk = chunk;
  std::copy(division.loose, division.loose + run.loose, chunk->keys());
}

template <class Key>
void OrderedValues<Key>::append_run(const DividedRun<Key>& run) {
  const std::size_t count = run.splitters.size();
  const std::size_t bytes = sizeof(RunNode) + count * sizeof(Splitter<Key>);  // as in bytes()
  auto* node = new (allocate(bytes)) RunNode{nullptr, nullptr, run};
  auto* splitters = reinterpret_cast<Splitter<Key>*>(node + 1);
  std::copy(run.splitters.begin(), run.splitters.end(), splitters);
  node->run.splitters = {splitters, count};
  (last_run_ == nullptr ? first_run_ : last_run_->following) = node;
  last_run_ = node;
  divided_ += run.size();
}

template <class Key>
bool OrderedValues<Key>::add_repeated(const Key& key, std::int64_t times) {
  const Splitter<Key> splitter{key, 0, times};
  const DividedRun<Key> run{{&splitter, 1}};
  if (join_last_run(run.splitters)) return true;
  if (storage_ != nullptr && !storage_->has_room(sizeof(RunNode) + sizeof splitter)) return false;
  append_run(run);
  return true;
}

template <class Key>
void OrderedValues<Key>::divide_all(To to, StopCheck stop) {
  while (first_ != nullptr) {
    stop_if_asked(stop);
    Chunk* chunk = first_;
    const std::size_t size = used(chunk);
    divide_chunk(chunk, to);
    first_ = chunk->following;
    if (chunk == last_) {
      last_ = nullptr;
      next_ = end_ = nullptr;
    } else {
      full_ -= static_cast<std::int64_t>(size);
    }
    if (to == To::kFile || size == 0) {
      deallocate(chunk, chunk->bytes());
    }
  }
}

template <class Key>
void OrderedValues<Key>::clear() {
  while (first_ != nullptr) {
    Chunk* chunk = first_;
    first_ = chunk->following;
    deallocate(chunk, chunk->bytes());
  }
  while (first_run_ != nullptr) {
    RunNode* node = first_run_;
    first_run_ = node->following;
    if (node->chunk != nullptr) deallocate(node->chunk, node->chunk->bytes());
    deallocate(node, node->bytes());
  }
  last_ = nullptr;
  next_ = end_ = nullptr;
  last_run_ = nullptr;
  full_ = divided_ = 0;
}

template <class Key>
void OrderedValues<Key>::add_run(const DividedRun<Key>& run) {
  if (run.in_memory == nullptr) {
    if (run.loose > 0 || !join_last_run(run.splitters)) append_run(run);
    return;
  }
  add_packed(run.in_memory, static_cast<std::size_t>(run.loose));
  if (run.splitters.empty()) return;
  std::pmr::vector<Splitter<Key>> counts(run.splitters.begin(), run.splitters.end(), memory_);
  for (Splitter<Key>& splitter : counts) splitter.loose_below = 0;
  if (!join_last_run(counts)) append_run({counts});
}

template <class Key>
void OrderedValues<Key>::add_all(const OrderedValues& others) {
  others.for_each_run([this](const DividedRun<Key>& run) { add_run(run); });
  for (const Chunk* chunk = others.first_; chunk != nullptr; chunk = chunk->following) {
    add_packed(chunk->keys(), others.used(chunk));
  }
}

template <class Key>
std::pmr::vector<std::span<const Key>> OrderedValues<Key>::runs(
    std::pmr::memory_resource* memory) const {
  std::pmr::vector<std::span<const Key>> runs(memory);
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->following) {
    runs.emplace_back(chunk->keys(), used(chunk));
  }
  return runs;
}

template <class Key>
std::pmr::vector<DividedRun<Key>> OrderedValues<Key>::divided_runs(
    std::pmr::memory_resource* memory) const {
  std::pmr::vector<DividedRun<Key>> runs(memory);
  for_each_run([&](const DividedRun<Key>& run) { runs.push_back(run); });
  return runs;
}

template <class Key>
void OrderedValues<Key>::copy_to(void* to, StopCheck stop) const {
  char* at = static_cast<char*>(to);
  const auto put = [&](const Key* keys, std::size_t count) {
    std::memcpy(at, keys, count * sizeof(Key));
    at += count * sizeof(Key);
  };
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->following) {
    stop_if_asked(stop);
    put(chunk->keys(), used(chunk));
  }
  for_each_run([&](const DividedRun<Key>& run) {
    stop_if_asked(stop);
    const auto loose = static_cast<std::size_t>(run.loose);
    if (run.in_memory != nullptr) {
      put(run.in_memory, loose);
    } else if (loose > 0) {
      run.file->read(run.at, at, loose * sizeof(Key));
      at += loose * sizeof(Key);
    }
    for (std::size_t i = 0; i < run.splitters.size(); ++i) {
      for (std::int64_t k = run.count_of(i); k > 0; --k) put(&run.splitters[i].key, 1);
    }
  });
}

template class OrderedValues<Key64>;
template class OrderedValues<Key128>;

}  // namespace idp

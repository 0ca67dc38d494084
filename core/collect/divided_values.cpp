#include "core/collect/divided_values.h"

#include <algorithm>
#include <vector>

namespace idp {

namespace {

constexpr std::size_t kReadAtOnce = 8192;  // keys
constexpr std::size_t kLeastRoom = std::size_t{1} << 18;

// A share of a storage for what lives as long as one question.
class Share final : public Storage {
 public:
  explicit Share(Storage* whole) : whole_(whole) {}
  static std::size_t of(const Storage* whole) { return std::max(whole->limit() / 4, kLeastRoom); }

  std::size_t limit() const override { return of(whole_); }
  bool has_room(std::size_t bytes) const override { return taken_ + bytes <= limit(); }
  void take(std::size_t bytes) override { taken_ += bytes; }
  void give_back(std::size_t bytes) override { taken_ -= bytes; }
  RunFile& file() override { return whole_->file(); }
  void* scratch(std::size_t bytes) override { return whole_->scratch(bytes); }

 private:
  Storage* whole_;
  std::size_t taken_ = 0;
};

// Frees the values at the end of a block.
template <class Key>
struct Cleared {
  OrderedValues<Key>& values;
  ~Cleared() { values.clear(); }
};

Key64 midpoint(Key64 a, Key64 b) {
  const auto low = static_cast<std::uint64_t>(a), high = static_cast<std::uint64_t>(b);
  return static_cast<Key64>(low + (high - low) / 2);
}
Key128 midpoint(const Key128& a, const Key128& b) {
  const auto low = static_cast<Uint128>(int128(a)), high = static_cast<Uint128>(int128(b));
  return key128(static_cast<Int128>(low + (high - low) / 2));
}
Key64 before(Key64 key) { return key - 1; }
Key128 before(const Key128& key) { return key128(int128(key) - 1); }
Key64 after(Key64 key) { return key + 1; }
Key128 after(const Key128& key) { return key128(int128(key) + 1); }

// The least key of which the monotone test is true; it is true of the greatest key.
template <class Key, class Test>
Key least(Test test) {
  Key low = KeyLimits<Key>::kMin, high = KeyLimits<Key>::kMax;
  while (low < high) {
    const Key middle = midpoint(low, high);
    if (test(middle)) {
      high = middle;
    } else {
      low = after(middle);
    }
  }
  return low;
}

template <class Key>
struct Counted {
  Key key;
  std::int64_t count;
};

// Writes the values of ranks first, first + 1, … (from 0) among single keys and counted ones, which
// ascend but may repeat. Reorders the single ones.
template <class Key>
void select_among(std::span<Key> single, std::span<const Counted<Key>> counted, std::int64_t first,
                  std::span<Key> out, std::pmr::memory_resource* memory, StopCheck stop) {
  const std::span<const Key> run(single);
  if (counted.empty()) {
    order_statistics<Key>(Runs<Key>(&run, 1), first + 1, out, memory, stop);
    return;
  }
  std::pmr::vector<Key> sorted(single.size(), memory);
  if (!single.empty()) order_statistics<Key>(Runs<Key>(&run, 1), 1, sorted, memory, stop);
  std::size_t i = 0, j = 0, written = 0;
  for (std::int64_t passed = 0; written < out.size();) {
    const bool is_single = j == counted.size() || (i < sorted.size() && sorted[i] < counted[j].key);
    const Key& key = is_single ? sorted[i] : counted[j].key;
    passed += is_single ? 1 : counted[j].count;
    ++(is_single ? i : j);
    while (written < out.size() && first + static_cast<std::int64_t>(written) < passed) {
      out[written++] = key;
    }
  }
}

}  // namespace

// The keys above low, if there is one, and not above high.
template <class Key>
struct DividedValues<Key>::Interval {
  bool has_low;
  Key low;
  Key high;
  bool holds(const Key& key) const { return !(high < key) && !below(key); }
  bool below(const Key& key) const { return has_low && !(low < key); }
};

// What of a run may lie in an interval.
template <class Key>
struct DividedValues<Key>::Part {
  std::size_t first, last;  // splitters in the interval: [first, last)
  std::int64_t begin, end;  // loose keys that may be
  std::int64_t below;       // keys that are certainly below the interval
};

template <class Key>
DividedValues<Key>::DividedValues(std::span<const DividedRun<Key>> runs,
                                  std::pmr::memory_resource* memory, Storage* storage,
                                  StopCheck stop)
    : runs_(runs), memory_(memory), storage_(storage), stop_(stop) {
  for (const auto& run : runs_) size_ += run.size();
}

// No fewer values than this are <= key.
template <class Key>
std::int64_t DividedValues<Key>::at_least_this(const Key& key) const {
  if (key == KeyLimits<Key>::kMax) return size_;
  stop_if_asked(stop_);
  std::int64_t n = 0;
  for (const auto& run : runs_) n += run.below(run.bucket_of(key));
  return n;
}

// No more values than this are <= key.
template <class Key>
std::int64_t DividedValues<Key>::at_most_this(const Key& key) const {
  stop_if_asked(stop_);
  std::int64_t n = 0;
  for (const auto& run : runs_) {
    const std::size_t i = run.bucket_of(key);
    n += run.below(i);
    const bool exact = i > 0 && run.splitters[i - 1].key == key;
    if (!exact) n += run.end_of(i) - run.begin_of(i);
  }
  return n;
}

template <class Key>
typename DividedValues<Key>::Interval DividedValues<Key>::enclose(std::int64_t first,
                                                                  std::int64_t last) const {
  const Key above_low = least<Key>(
      [&](const Key& key) { return key == KeyLimits<Key>::kMax || at_most_this(key) >= first; });
  const Key high = least<Key>([&](const Key& key) { return at_least_this(key) >= last; });
  if (above_low == KeyLimits<Key>::kMin) return {false, above_low, high};
  return {true, before(above_low), high};
}

template <class Key>
typename DividedValues<Key>::Part DividedValues<Key>::part_of(const DividedRun<Key>& run,
                                                              const Interval& interval) const {
  Part part{0, run.bucket_of(interval.high), 0, 0, 0};
  if (interval.has_low) part.first = run.bucket_of(interval.low);
  part.begin = run.begin_of(part.first);
  part.below = run.below(part.first);
  const bool exact = part.last > 0 && run.splitters[part.last - 1].key == interval.high;
  part.end = exact ? run.end_of(part.last - 1) : run.end_of(part.last);
  part.end = std::max(part.begin, part.end);
  return part;
}

template <class Key>
template <class Take>
void DividedValues<Key>::read(const DividedRun<Key>& run, std::int64_t begin, std::int64_t end,
                              Take take) const {
  std::pmr::vector<Key> buffer(memory_);
  while (begin < end) {
    stop_if_asked(stop_);
    const auto size =
        static_cast<std::size_t>(std::min(end - begin, static_cast<std::int64_t>(kReadAtOnce)));
    std::span<const Key> keys;
    if (run.in_memory != nullptr) {
      keys = {run.in_memory + begin, size};
    } else {
      buffer.resize(size);
      run.file->read(run.at + begin * static_cast<std::int64_t>(sizeof(Key)), buffer.data(),
                     size * sizeof(Key));
      keys = buffer;
    }
    for (const Key& key : keys) take(key);
    begin += static_cast<std::int64_t>(size);
  }
}

template <class Key>
void DividedValues<Key>::order_statistics(std::int64_t first, std::span<Key> out) const {
  const Interval interval = enclose(first, first + static_cast<std::int64_t>(out.size()) - 1);
  std::pmr::vector<Part> parts(memory_);
  std::int64_t candidates = 0;
  for (const auto& run : runs_) {
    parts.push_back(part_of(run, interval));
    candidates += parts.back().end - parts.back().begin +
                  static_cast<std::int64_t>(parts.back().last - parts.back().first);
  }

  // Gives what lies in the interval to `single` and `counted`; returns how many lie below it.
  const auto gather = [&](auto single, auto counted) {
    std::int64_t below = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const DividedRun<Key>& run = runs_[r];
      const Part& part = parts[r];
      below += part.below;
      read(run, part.begin, part.end, [&](const Key& key) {
        if (interval.holds(key)) {
          single(key);
        } else {
          below += interval.below(key);
        }
      });
      for (std::size_t i = part.first; i < part.last; ++i) {
        const std::int64_t count = run.count_of(i);
        if (count == 1) {
          single(run.splitters[i].key);
        } else {
          counted(Counted<Key>{run.splitters[i].key, count});
        }
      }
    }
    return below;
  };

  const std::int64_t room = storage_ == nullptr
                                ? candidates
                                : static_cast<std::int64_t>(Share::of(storage_) / sizeof(Key));
  std::pmr::vector<Counted<Key>> counted(memory_);
  const auto count_it = [&](const Counted<Key>& key) { counted.push_back(key); };
  if (candidates <= std::max(room, 4 * static_cast<std::int64_t>(out.size()))) {
    std::pmr::vector<Key> single(memory_);
    single.reserve(static_cast<std::size_t>(candidates));
    const std::int64_t below = gather([&](const Key& key) { single.push_back(key); }, count_it);
    std::sort(counted.begin(), counted.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
    select_among<Key>(single, counted, first - 1 - below, out, memory_, stop_);
    return;
  }

  Share share(storage_);
  OrderedValues<Key> inner(memory_, &share);
  const Cleared<Key> cleared{inner};
  const std::int64_t below = gather([&](const Key& key) { inner.add(key); }, count_it);
  inner.divide_all(OrderedValues<Key>::To::kMemory, stop_);
  auto runs = inner.divided_runs(memory_);
  std::sort(counted.begin(), counted.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  std::pmr::vector<Splitter<Key>> splitters(memory_);
  std::int64_t equal = 0;
  for (const auto& key : counted) {
    equal += key.count;
    if (!splitters.empty() && splitters.back().key == key.key) {
      splitters.back().equal_upto = equal;
    } else {
      splitters.push_back({key.key, 0, equal});
    }
  }
  runs.push_back({splitters});
  DividedValues<Key>(runs, memory_, storage_, stop_).order_statistics(first - below, out);
}

template <class Key>
void DividedValues<Key>::order_statistics_at(std::span<const std::int64_t> ranks,
                                             std::span<Key> out) const {
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    order_statistics(ranks[i], out.subspan(i, end - i));
    i = end;
  }
}

template <class Key>
std::int64_t DividedValues<Key>::count_below(const Key& threshold) const {
  if (threshold == KeyLimits<Key>::kMin) return 0;
  std::int64_t below = 0;
  for (const auto& run : runs_) {
    const std::size_t i = run.bucket_of(before(threshold));
    below += run.below(i);
    if (i < run.splitters.size() && run.splitters[i].key == threshold) {
      below += run.end_of(i) - run.begin_of(i);
    } else {
      read(run, run.begin_of(i), run.end_of(i), [&](const Key& key) { below += key < threshold; });
    }
  }
  return below;
}

template <class Key>
void DividedValues<Key>::for_each(const typename Values<Key>::Take& take) const {
  for (const auto& run : runs_) {
    read(run, 0, run.loose, [&](const Key& key) { take(key, 1); });
    for (std::size_t i = 0; i < run.splitters.size(); ++i) {
      take(run.splitters[i].key, run.count_of(i));
    }
  }
}

template class DividedValues<Key64>;
template class DividedValues<Key128>;

}  // namespace idp

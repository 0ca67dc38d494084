#include "core/select/select.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/grid/key.h"
#include "core/select/sample.h"

namespace idp {

namespace {

constexpr std::size_t kDirectSize = 32768;  // below this a plain nth_element is as fast
constexpr std::int64_t kFewValues = 24;     // up to here sorting them is faster than to select
constexpr std::int64_t kSampleSize = 16384;
constexpr std::size_t kBlock = 8192;  // values per stop check and per growth of the scratch
// Memory is fetched a page ahead: what the processor fetches by itself ends with the page.
constexpr std::size_t kAhead = 4096;

// Moves the keys that go first to the front; returns how many. Asks stop as it goes. No branch
// depends on a key: with random keys that is more than twice as fast as std::partition.
template <class Key, class GoesFirst>
std::size_t partition(std::span<Key> keys, GoesFirst goes_first, StopCheck stop) {
  std::size_t first = 0;
  for (std::size_t start = 0; start < keys.size(); start += kBlock) {
    stop_if_asked(stop);
    const std::size_t end = std::min(start + kBlock, keys.size());
    for (std::size_t i = start; i < end; ++i) {
      const Key key = keys[i];
      const bool goes = goes_first(key);
      keys[i] = keys[first];
      keys[first] = key;
      first += goes;
    }
  }
  return first;
}

template <class Key>
void put_in_place(std::span<Key> keys, std::size_t at, StopCheck stop);

// A key with at least three tenths of all on either side, or equal to it: the median of the medians
// of fives (Blum, Floyd, Pratt, Rivest, Tarjan, "Time bounds for selection", 1973). Reorders.
template <class Key>
Key sure_pivot(std::span<Key> keys, StopCheck stop) {
  const std::size_t groups = keys.size() / 5;
  for (std::size_t i = 0; i < groups; ++i) {
    if (i % kBlock == 0) stop_if_asked(stop);
    const auto group = keys.subspan(5 * i, 5);
    std::sort(group.begin(), group.end());
    std::swap(keys[i], group[2]);
  }
  put_in_place(keys.first(groups), groups / 2, stop);
  return keys[groups / 2];
}

// A key that is near the middle unless the order of the keys was crafted.
template <class Key>
Key likely_pivot(std::span<const Key> keys) {
  constexpr std::size_t kProbes = 31;
  Key probes[kProbes];
  for (std::size_t i = 0; i < kProbes; ++i) {
    probes[i] =
        keys[static_cast<std::size_t>(static_cast<Uint128>(keys.size() - 1) * i / (kProbes - 1))];
  }
  std::sort(probes, probes + kProbes);
  return probes[kProbes / 2];
}

// Like nth_element: the key of position `at` of the sorted order (from 0) comes to stand there,
// none greater before it and none smaller after it. Asks stop every few thousand keys, which
// nth_element cannot. Time is linear whatever the order: a pivot that divided badly is followed by
// a sure one.
template <class Key>
void put_in_place(std::span<Key> keys, std::size_t at, StopCheck stop) {
  bool sure = false;
  while (keys.size() > kDirectSize) {
    const Key pivot = sure ? sure_pivot(keys, stop) : likely_pivot<Key>(keys);
    const std::size_t size = keys.size();
    const std::size_t smaller = partition(
        keys, [&](const Key& key) { return key < pivot; }, stop);
    if (at < smaller) {
      keys = keys.first(smaller);
    } else {
      const auto others = keys.subspan(smaller);
      const std::size_t equal = partition(
          others, [&](const Key& key) { return !(pivot < key); }, stop);
      if (at < smaller + equal) return;
      keys = others.subspan(equal);
      at -= smaller + equal;
    }
    sure = keys.size() > size - size / 4;
  }
  stop_if_asked(stop);
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(at), keys.end());
}

// Puts the keys of position(first) < … < position(last - 1) in place; begin is the position of the
// first of keys.
template <class Key, class Position>
void put_all_in_place(std::span<Key> keys, std::size_t begin, std::size_t first, std::size_t last,
                      Position position, StopCheck stop) {
  if (first == last) return;
  const std::size_t middle = first + (last - first) / 2;
  const std::size_t at = position(middle) - begin;
  put_in_place(keys, at, stop);
  put_all_in_place(keys.first(at), begin, first, middle, position, stop);
  put_all_in_place(keys.subspan(at + 1), begin + at + 1, middle + 1, last, position, stop);
}

// out receives the values at positions at, at + 1, … of the sorted order of keys (from 0).
template <class Key>
void select_in_place(std::span<Key> keys, std::size_t at, std::span<Key> out, StopCheck stop) {
  if (out.empty()) return;
  // first the ends of what is wanted, then what lies between them: it is sorted
  const std::size_t last = at + out.size() - 1;
  put_in_place(keys, at, stop);
  if (last > at) put_in_place(keys.subspan(at), last - at, stop);
  const auto wanted = keys.subspan(at, out.size());
  const auto border = [](std::size_t i) { return (i + 1) * kDirectSize; };
  put_all_in_place<Key>(wanted, 0, 0, (wanted.size() - 1) / kDirectSize, border, stop);
  for (std::size_t start = 0; start < wanted.size(); start += kDirectSize) {
    stop_if_asked(stop);
    const auto piece = wanted.subspan(start, std::min(kDirectSize, wanted.size() - start));
    std::sort(piece.begin(), piece.end());
  }
  std::copy(wanted.begin(), wanted.end(), out.begin());
}

// Appends the values of all runs.
template <class Key>
void copy_runs(Runs<Key> runs, std::pmr::vector<Key>& keys, StopCheck stop) {
  keys.reserve(static_cast<std::size_t>(total_size<Key>(runs)));
  for (const auto& run : runs) {
    for (std::size_t start = 0; start < run.size(); start += kBlock) {
      stop_if_asked(stop);
      const auto block = run.subspan(start, std::min(kBlock, run.size() - start));
      keys.insert(keys.end(), block.begin(), block.end());
    }
  }
}

// The same out of at most kFewValues, which are sorted: with so few that is what takes least.
template <class Key>
void select_of_few(Runs<Key> runs, std::size_t at, std::span<Key> out) {
  std::array<Key, kFewValues> keys;
  auto end = keys.begin();
  for (const auto& run : runs) end = std::copy(run.begin(), run.end(), end);
  std::sort(keys.begin(), end);
  std::copy_n(keys.begin() + static_cast<std::ptrdiff_t>(at), out.size(), out.begin());
}

// A sorted sample of the values.
template <class Key>
std::pmr::vector<Key> sorted_sample(Runs<Key> runs, std::int64_t n, std::int64_t size,
                                    std::pmr::memory_resource* memory) {
  std::pmr::vector<Key> sample(memory);
  sample.reserve(static_cast<std::size_t>(size));
  const std::uint64_t stride = static_cast<std::uint64_t>(n / size);
  std::size_t run = 0;
  std::int64_t before = 0;  // values in the runs before this one
  for (std::int64_t i = 0; i < size; ++i) {
    const auto position =
        static_cast<std::int64_t>(sample_position(static_cast<std::uint64_t>(i), stride));
    while (position - before >= static_cast<std::int64_t>(runs[run].size())) {
      before += static_cast<std::int64_t>(runs[run].size());
      ++run;
    }
    sample.push_back(runs[run][static_cast<std::size_t>(position - before)]);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

// How the values lie about two pivots low <= high; a missing pivot is beyond every value.
template <class Key>
struct Division {
  std::int64_t below = 0;  // values < low
  std::int64_t at_low = 0;
  std::int64_t at_high = 0;       // 0 if the pivots are equal
  std::pmr::vector<Key> between;  // strictly between the pivots
};

template <class Key>
Division<Key> divide(Runs<Key> runs, const Key* low, const Key* high,
                     std::pmr::memory_resource* memory, StopCheck stop) {
  Division<Key> d{0, 0, 0, std::pmr::vector<Key>(memory)};
  const Key from = low ? *low : KeyLimits<Key>::kMin;
  const Key to = high ? *high : KeyLimits<Key>::kMax;
  std::size_t kept = 0;
  for (const auto& run : runs) {
    for (std::size_t start = 0; start < run.size(); start += kBlock) {
      stop_if_asked(stop);
      const auto block = run.subspan(start, std::min(kBlock, run.size() - start));
      if (d.between.size() < kept + block.size()) {
        d.between.resize(std::max(kept + block.size(), kept + kept / 2));
      }
      // What lies from one pivot to the other is copied without a branch, then freed of the pivots.
      Key* const scratch = d.between.data() + kept;
      std::size_t not_below = 0, inside = 0;
      for (const Key& key : block) {
        __builtin_prefetch(reinterpret_cast<const char*>(&key) + kAhead);
        const bool reaches_low = !(key < from);
        scratch[inside] = key;
        inside += static_cast<std::size_t>(reaches_low & !(to < key));
        not_below += static_cast<std::size_t>(reaches_low);
      }
      d.below += static_cast<std::int64_t>(block.size() - not_below);
      std::size_t between = 0;
      for (std::size_t i = 0; i < inside; ++i) {
        const Key key = scratch[i];
        const bool is_low = low && key == from;
        const bool is_high = high && key == to && !is_low;
        d.at_low += is_low;
        d.at_high += is_high;
        scratch[between] = key;
        between += !is_low & !is_high;
      }
      kept += between;
    }
  }
  d.between.resize(kept);
  return d;
}

}  // namespace

template <class Key>
void order_statistics(Runs<Key> runs, std::int64_t first, std::span<Key> out,
                      std::pmr::memory_resource* memory, StopCheck stop) {
  const std::int64_t n = total_size<Key>(runs);
  const std::int64_t last = first + static_cast<std::int64_t>(out.size()) - 1;
  if (n <= kFewValues) {
    select_of_few(runs, static_cast<std::size_t>(first - 1), out);
    return;
  }
  if (n <= static_cast<std::int64_t>(kDirectSize)) {
    std::pmr::vector<Key> keys(memory);
    copy_runs(runs, keys, stop);
    select_in_place<Key>(keys, static_cast<std::size_t>(first - 1), out, stop);
    return;
  }

  const std::int64_t samples = std::min(kSampleSize, n / 16);
  const auto sample = sorted_sample<Key>(runs, n, samples, memory);
  // The sample's rank of a value of rank r is about r * samples / n with a standard deviation of
  // at most sqrt(samples) / 2 <= 64: eight of them on either side are as good as certain.
  const auto scaled = [&](std::int64_t rank) {
    return static_cast<std::int64_t>(static_cast<Int128>(rank) * samples / n);
  };
  std::int64_t margin = 1;
  while (margin * margin < 16 * samples) margin *= 2;
  const std::int64_t low_index = scaled(first - 1) - margin;
  const std::int64_t high_index = scaled(last) + margin;
  const Key* low = low_index < 0 ? nullptr : &sample[static_cast<std::size_t>(low_index)];
  const Key* high = high_index >= samples ? nullptr : &sample[static_cast<std::size_t>(high_index)];

  for (;;) {
    Division<Key> d = divide<Key>(runs, low, high, memory, stop);
    const std::int64_t low_end = d.below + d.at_low;  // the last rank that is at most low
    const std::int64_t between_end = low_end + static_cast<std::int64_t>(d.between.size());
    const bool missed_low = low && first <= d.below;
    const bool missed_high = high && last > between_end + d.at_high;
    if (missed_low) low = nullptr;
    if (missed_high) high = nullptr;
    if (missed_low || missed_high) continue;

    const std::int64_t inner_first = std::max(first, low_end + 1);
    const std::int64_t inner_last = std::min(last, between_end);
    for (std::int64_t rank = first; rank <= last && rank <= low_end; ++rank) {
      out[static_cast<std::size_t>(rank - first)] = *low;
    }
    for (std::int64_t rank = std::max(first, between_end + 1); rank <= last; ++rank) {
      out[static_cast<std::size_t>(rank - first)] = *high;
    }
    if (inner_first <= inner_last) {
      select_in_place<Key>(d.between, static_cast<std::size_t>(inner_first - low_end - 1),
                           out.subspan(static_cast<std::size_t>(inner_first - first),
                                       static_cast<std::size_t>(inner_last - inner_first + 1)),
                           stop);
    }
    return;
  }
}

template <class Key>
void order_statistics_at(Runs<Key> runs, std::span<const std::int64_t> ranks, std::span<Key> out,
                         std::pmr::memory_resource* memory, StopCheck stop) {
  std::pmr::vector<Key> keys(memory);
  copy_runs(runs, keys, stop);
  const auto position = [&](std::size_t i) { return static_cast<std::size_t>(ranks[i] - 1); };
  put_all_in_place<Key>(keys, 0, 0, ranks.size(), position, stop);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    out[i] = keys[static_cast<std::size_t>(ranks[i] - 1)];
  }
}

template void order_statistics_at(Runs<Key64>, std::span<const std::int64_t>, std::span<Key64>,
                                  std::pmr::memory_resource*, StopCheck);
template void order_statistics_at(Runs<Key128>, std::span<const std::int64_t>, std::span<Key128>,
                                  std::pmr::memory_resource*, StopCheck);
template void order_statistics(Runs<Key64>, std::int64_t, std::span<Key64>,
                               std::pmr::memory_resource*, StopCheck);
template void order_statistics(Runs<Key128>, std::int64_t, std::span<Key128>,
                               std::pmr::memory_resource*, StopCheck);

}  // namespace idp

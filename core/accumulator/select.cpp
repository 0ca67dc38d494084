#include "core/accumulator/select.h"

#include <algorithm>
#include <vector>

#include "core/grid/key.h"

namespace idp {

namespace {

constexpr std::int64_t kDirectSize = 32768;  // below this a plain nth_element is as fast
constexpr std::int64_t kSampleSize = 16384;
constexpr std::size_t kBlock = 8192;  // values per stop check and per growth of the scratch

void check(StopCheck stop) {
  if (stop != nullptr && stop()) throw Stopped{};
}

// out receives the values at positions at, at + 1, … of the sorted order of keys (from 0).
template <class Key>
void select_in_place(std::pmr::vector<Key>& keys, std::size_t at, std::span<Key> out,
                     StopCheck stop) {
  if (out.empty()) return;
  // nth_element cannot be interrupted, so large ranges are first cut down by steps that can. The
  // steps are bounded because crafted data could make each of them cut off little.
  std::size_t begin = 0, end = keys.size();
  for (int step = 0; step < 64 && end - begin > (std::size_t{1} << 21); ++step) {
    check(stop);
    Key probe[3] = {keys[begin], keys[begin + (end - begin) / 2], keys[end - 1]};
    std::sort(probe, probe + 3);
    const Key pivot = probe[1];
    const auto less = std::partition(keys.begin() + begin, keys.begin() + end,
                                     [&](const Key& k) { return k < pivot; });
    check(stop);
    const auto equal =
        std::partition(less, keys.begin() + end, [&](const Key& k) { return k == pivot; });
    const auto low = static_cast<std::size_t>(less - keys.begin());
    const auto high = static_cast<std::size_t>(equal - keys.begin());
    if (at + out.size() <= low) {
      end = low;
    } else if (at >= high) {
      begin = high;
    } else if (at >= low && at + out.size() <= high) {
      std::fill(out.begin(), out.end(), pivot);
      return;
    } else {
      break;
    }
  }
  check(stop);
  const auto from = keys.begin() + static_cast<std::ptrdiff_t>(at);
  const auto last = keys.begin() + static_cast<std::ptrdiff_t>(end);
  std::nth_element(keys.begin() + static_cast<std::ptrdiff_t>(begin), from, last);
  check(stop);
  std::partial_sort(from + 1, from + static_cast<std::ptrdiff_t>(out.size()), last);
  std::copy_n(from, out.size(), out.begin());
}

// A sorted sample of the values, at positions spread evenly and shifted a little so that a period
// in the data does not fool it.
template <class Key>
std::pmr::vector<Key> sorted_sample(Runs<Key> runs, std::int64_t n, std::int64_t size,
                                    std::pmr::memory_resource* memory) {
  std::pmr::vector<Key> sample(memory);
  sample.reserve(static_cast<std::size_t>(size));
  const std::uint64_t stride = static_cast<std::uint64_t>(n / size);
  std::size_t run = 0;
  std::int64_t before = 0;  // values in the runs before this one
  for (std::int64_t i = 0; i < size; ++i) {
    std::uint64_t hash = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    const std::int64_t position =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * stride + hash % stride);
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
      check(stop);
      const auto block = run.subspan(start, std::min(kBlock, run.size() - start));
      if (d.between.size() < kept + block.size()) {
        d.between.resize(std::max(kept + block.size(), kept + kept / 2));
      }
      Key* const scratch = d.between.data();
      std::int64_t below = 0;
      for (const Key& key : block) {
        below += key < from;
        if (key >= from && key <= to) [[unlikely]] {
          const bool is_low = low && key == from;
          const bool is_high = high && key == to && !is_low;
          d.at_low += is_low;
          d.at_high += is_high;
          scratch[kept] = key;
          kept += !is_low && !is_high;
        }
      }
      d.below += below;
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
  if (n <= kDirectSize) {
    std::pmr::vector<Key> keys(memory);
    keys.reserve(static_cast<std::size_t>(n));
    for (const auto& run : runs) keys.insert(keys.end(), run.begin(), run.end());
    select_in_place(keys, static_cast<std::size_t>(first - 1), out, stop);
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
      select_in_place(d.between, static_cast<std::size_t>(inner_first - low_end - 1),
                      out.subspan(static_cast<std::size_t>(inner_first - first),
                                  static_cast<std::size_t>(inner_last - inner_first + 1)),
                      stop);
    }
    return;
  }
}

namespace {

// Puts the keys of all ranks in place between begin and end, where the ranks lie.
template <class Key>
void place(std::pmr::vector<Key>& keys, std::size_t begin, std::size_t end,
           std::span<const std::int64_t> ranks, StopCheck stop) {
  if (ranks.empty()) return;
  check(stop);
  const std::size_t middle = ranks.size() / 2;
  const auto position = static_cast<std::size_t>(ranks[middle] - 1);
  const auto from = keys.begin();
  std::nth_element(from + static_cast<std::ptrdiff_t>(begin),
                   from + static_cast<std::ptrdiff_t>(position),
                   from + static_cast<std::ptrdiff_t>(end));
  place(keys, begin, position, ranks.first(middle), stop);
  place(keys, position + 1, end, ranks.subspan(middle + 1), stop);
}

}  // namespace

template <class Key>
void order_statistics_at(Runs<Key> runs, std::span<const std::int64_t> ranks, std::span<Key> out,
                         std::pmr::memory_resource* memory, StopCheck stop) {
  std::pmr::vector<Key> keys(memory);
  keys.reserve(static_cast<std::size_t>(total_size<Key>(runs)));
  for (const auto& run : runs) {
    check(stop);
    keys.insert(keys.end(), run.begin(), run.end());
  }
  place(keys, 0, keys.size(), ranks, stop);
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

// Order statistics of divided runs, reading only the buckets that matter.
//
// The splitters say, for any key v, between which bounds the number of values <= v lies: they are
// apart by the one bucket of each run that v falls into. So there is a key `low` that x_first is
// certainly above, and a key `high` that x_last is certainly not above, with few values in
// (low, high]; by bisection, without looking at any value. The buckets that reach into (low, high]
// are read, what is not above low is counted, and the ranks are selected among the rest.
//
// If there is more to read than the storage allows to hold, the values of (low, high] are divided
// once more, in runs of their own, and the search goes on there. Every bucket is a small part of
// its run (divide.h), so each round has less than half of the values of the one before.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <memory_resource>
#include <span>

#include "core/collect/ordered_values.h"
#include "core/select/divide.h"
#include "core/select/stop.h"
#include "core/select/storage.h"
#include "core/select/values.h"

namespace idp {

// The runs and what they refer to must outlive it. Without a storage everything is held.
template <class Key>
class DividedValues final : public Values<Key> {
 public:
  DividedValues(std::span<const DividedRun<Key>> runs, std::pmr::memory_resource* memory,
                Storage* storage, StopCheck stop);

  std::int64_t size() const override { return size_; }
  void order_statistics(std::int64_t first, std::span<Key> out) const override;
  void order_statistics_at(std::span<const std::int64_t> ranks, std::span<Key> out) const override;
  std::int64_t count_below(const Key& threshold) const override;
  void for_each(const typename Values<Key>::Take& take) const override;

 private:
  struct Interval;
  struct Part;
  std::int64_t at_most_this(const Key& key) const;
  std::int64_t at_least_this(const Key& key) const;
  Interval enclose(std::int64_t first, std::int64_t last) const;
  Part part_of(const DividedRun<Key>& run, const Interval& interval) const;
  template <class Take>
  void read(const DividedRun<Key>& run, std::int64_t begin, std::int64_t end, Take take) const;

  std::span<const DividedRun<Key>> runs_;
  std::pmr::memory_resource* memory_;
  Storage* storage_;
  StopCheck stop_;
  std::int64_t size_ = 0;
};

// Calls use with the values of a column, wherever they lie. What lies in a file is asked through
// the storage they were collected with. Throws Stopped.
template <class Key, class Use>
auto with_values(OrderedValues<Key>& values, Storage* storage, const Workspace& space, Use use) {
  if (!values.is_divided()) {
    const auto runs = values.runs(space.memory);
    return use(ValuesInMemory<Key>(runs, space.memory, space.stop));
  }
  values.divide_all(OrderedValues<Key>::To::kMemory, space.stop);
  const auto runs = values.divided_runs(space.memory);
  return use(DividedValues<Key>(runs, space.memory, storage, space.stop));
}

}  // namespace idp

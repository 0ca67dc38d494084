// A column's collected values, as what computes with them sees them: ordered, wherever they are
// kept.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>

#include "core/select/runs.h"
#include "core/select/select.h"
#include "core/select/stop.h"

namespace idp {

// What computing with values takes.
struct Workspace {
  std::pmr::memory_resource* memory;
  StopCheck stop = nullptr;
};

// The values x_1 <= … <= x_n. Ranks count from 1. Every question throws Stopped when it is asked
// to stop, and may be asked again.
template <class Key>
class Values {
 public:
  virtual ~Values() = default;
  virtual std::int64_t size() const = 0;
  // Writes x_first, x_{first+1}, … to out: out.size() >= 1 values, the last of rank size() at most.
  virtual void order_statistics(std::int64_t first, std::span<Key> out) const = 0;
  // Writes the values of ranks that ascend but need not be adjacent; at least one.
  virtual void order_statistics_at(std::span<const std::int64_t> ranks,
                                   std::span<Key> out) const = 0;
  // How many x are below the threshold.
  virtual std::int64_t count_below(const Key& threshold) const = 0;
  // Calls take with every x, in no order, and how often it comes: the same x may come again.
  using Take = std::function<void(const Key& key, std::int64_t count)>;
  virtual void for_each(const Take& take) const = 0;
};

// Values that lie in memory, in no order. What runs and memory refer to must outlive it.
template <class Key>
class ValuesInMemory final : public Values<Key> {
 public:
  ValuesInMemory(Runs<Key> runs, std::pmr::memory_resource* memory, StopCheck stop)
      : runs_(runs), memory_(memory), stop_(stop), size_(total_size(runs)) {}

  std::int64_t size() const override { return size_; }

  void order_statistics(std::int64_t first, std::span<Key> out) const override {
    idp::order_statistics<Key>(runs_, first, out, memory_, stop_);
  }

  void order_statistics_at(std::span<const std::int64_t> ranks, std::span<Key> out) const override {
    idp::order_statistics_at<Key>(runs_, ranks, out, memory_, stop_);
  }

  std::int64_t count_below(const Key& threshold) const override {
    std::int64_t below = 0;
    for (const auto& run : runs_) {
      stop_if_asked(stop_);
      for (const Key& key : run) below += key < threshold;
    }
    return below;
  }

  void for_each(const typename Values<Key>::Take& take) const override {
    std::size_t taken = 0;
    for (const auto& run : runs_) {
      for (const Key& key : run) {
        if (taken++ % kKeysPerStop == 0) stop_if_asked(stop_);
        take(key, 1);
      }
    }
  }

 private:
  static constexpr std::size_t kKeysPerStop = 65536;

  Runs<Key> runs_;
  std::pmr::memory_resource* memory_;
  StopCheck stop_;
  std::int64_t size_;
};

}  // namespace idp

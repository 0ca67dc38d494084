// The collected values of a column as sorted steps of its own grid, without bounds: for floats the
// finest one, on which every double lies. An infinity is kInfiniteBits bits away.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "core/grid/grid.h"
#include "core/select/ranked_data.h"
#include "core/select/values.h"

namespace idp {

// No difference, sum or average of values that are finite has more than half of them: a double has
// at most 2098 bits, and there are less than 2^63 values.
inline constexpr mp_bitcnt_t kInfiniteBits = 8192;

// Adds keys up.
template <class Key>
class KeySum {
 public:
  explicit KeySum(const Grid& grid) : grid_(grid), parts_(grid.is_float() ? kExponents : 1) {}

  void add(const Key& key, std::int64_t count) {
    if constexpr (std::is_same_v<Key, Key64>) {
      if (!grid_.is_float()) {
        parts_.front() += static_cast<Int128>(key) * count;  // at most 2^63 of them: it fits
      } else {
        add_double(from_ordered_bits(key), count);
      }
    } else {
      wide_ += mpz_from(int128(key)) * count;
    }
  }

  mpz_class total() const {
    mpz_class total = wide_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i] != 0) total += mpz_from(parts_[i]) << i;
    }
    return total;
  }

 private:
  // A part for each exponent: mantissas of 53 bits.
  static constexpr std::size_t kExponents = 2046;
  void add_double(double x, std::int64_t count) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = bits >> 52 & 0x7ff;
    std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent > 0) mantissa |= std::uint64_t{1} << 52;
    const Int128 value = static_cast<Int128>(mantissa) * count;
    parts_[exponent == 0 ? 0 : exponent - 1] += x < 0 ? -value : value;
  }

  Grid grid_;
  std::vector<Int128> parts_;
  mpz_class wide_;
};

// Values, grid and memory must outlive it.
template <class Key>
class UnclampedValues final : public RankedSteps {
 public:
  UnclampedValues(const Values<Key>& values, const Grid& grid, const Workspace& space)
      : values_(values), grid_(grid), memory_(space.memory), sorted_(space.memory) {
    if (values.size() == 0 || values.size() > kMostSorted) return;
    sorted_.resize(static_cast<std::size_t>(values.size()));
    values.order_statistics(1, sorted_);
  }

  std::int64_t size() const override { return values_.size(); }

  std::vector<mpz_class> values_at(const std::vector<std::int64_t>& ranks) const override {
    std::vector<mpz_class> steps;
    steps.reserve(ranks.size());
    for (const Key& key : keys_at(ranks)) steps.push_back(steps_of(key));
    return steps;
  }

  mpz_class sum(std::int64_t first, std::int64_t last) const override {
    const auto ends = keys_at({first, last});
    const Key& low = ends.front();
    const Key& high = ends.back();
    if (low == high) return steps_of(low) * (last - first + 1);
    std::int64_t up_to_low = 0, below_high = 0;
    KeySum<Key> between(grid_);
    values_.for_each([&](const Key& key, std::int64_t count) {
      if (key <= low) up_to_low += count;
      if (key < high) below_high += count;
      if (low < key && key < high) between.add(key, count);
    });
    return between.total() + steps_of(low) * (up_to_low - first + 1) +
           steps_of(high) * (last - below_high);
  }

 private:
  // Up to so many are sorted once; of more, ranks are selected each time.
  static constexpr std::int64_t kMostSorted = std::int64_t{1} << 19;

  std::pmr::vector<Key> keys_at(const std::vector<std::int64_t>& ranks) const {
    std::pmr::vector<Key> keys(ranks.size(), memory_);
    if (sorted_.empty()) {
      values_.order_statistics_at(ranks, keys);
    } else {
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        keys[i] = sorted_[static_cast<std::size_t>(ranks[i] - 1)];
      }
    }
    return keys;
  }

  mpz_class steps_of(const Key& key) const {
    const int sign = grid_.infinity_sign(key);
    if (sign == 0) return grid_.units(key);
    return sign * (mpz_class(1) << kInfiniteBits);
  }

  const Values<Key>& values_;
  Grid grid_;
  std::pmr::memory_resource* memory_;
  std::pmr::vector<Key> sorted_;
};

}  // namespace idp

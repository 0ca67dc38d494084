// Sorted data in steps of a grid: as they are, or as a mechanism on a public grid sees them, clamped
// to the public bounds.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/grid/grid.h"
#include "core/grid/key.h"

namespace idp {

// Ranks count from 1.
class RankedSteps {
 public:
  virtual ~RankedSteps() = default;
  virtual std::int64_t size() const = 0;
  // x_rank for each of the ranks, which ascend; at least one
  virtual std::vector<mpz_class> values_at(const std::vector<std::int64_t>& ranks) const = 0;
  // x_first + … + x_last; first <= last
  virtual mpz_class sum(std::int64_t first, std::int64_t last) const = 0;
};

// On a public grid.
class RankedData : public RankedSteps {
 public:
  // x_first, …, x_last, for when there are many: packed, in memory of the data's own resource.
  // Every public grid fits.
  virtual std::pmr::vector<Key128> packed_values(std::int64_t first, std::int64_t last) const = 0;
  mpz_class sum(std::int64_t first, std::int64_t last) const override {
    mpz_class sum;
    for (const Key128& v : packed_values(first, last)) sum += mpz_from(int128(v));
    return sum;
  }
  // how many x are below y, and how many at most y
  virtual std::int64_t count_below(const mpz_class& y) const = 0;
  virtual std::int64_t count_at_most(const mpz_class& y) const = 0;
};

// An order statistic that is asked for between public bounds, in steps.
struct BoundedRank {
  std::int64_t rank;  // in [1, size()], unless that is 0
  mpz_class lower;
  mpz_class upper;  // >= lower
};

}  // namespace idp

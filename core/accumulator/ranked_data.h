// The data as a mechanism on a public grid sees them: sorted, in steps of the grid, clamped to the
// public bounds.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <vector>

namespace idp {

// Ranks count from 1.
class RankedData {
 public:
  virtual ~RankedData() = default;
  virtual std::int64_t size() const = 0;
  // x_rank for each of the ranks, which ascend; at least one
  virtual std::vector<mpz_class> values_at(const std::vector<std::int64_t>& ranks) const = 0;
  // how many x are below y, and how many at most y
  virtual std::int64_t count_below(const mpz_class& y) const = 0;
  virtual std::int64_t count_at_most(const mpz_class& y) const = 0;
};

}  // namespace idp

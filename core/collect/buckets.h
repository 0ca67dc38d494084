// The buckets of a histogram: the range between two bounds in equal parts, each closed below and
// open above, the last one closed on both ends. Their edges are exact: no rounding.
#pragma once

#include "core/no_postgres.h"

#include <algorithm>
#include <cstdint>

#include "core/grid/key.h"

namespace idp {

class Buckets {
 public:
  Buckets() = default;
  // width: how far the upper bound lies above the lower one, in steps. buckets in [1, 2^31].
  Buckets(Uint128 width, std::int64_t buckets)
      : width_(width),
        quotient_(width / static_cast<std::uint64_t>(buckets)),
        remainder_(static_cast<std::uint64_t>(width % static_cast<std::uint64_t>(buckets))),
        buckets_(static_cast<std::uint64_t>(buckets)),
        per_step_(static_cast<double>(buckets) / static_cast<double>(width)) {}

  // The bucket, from 0, of a value that lies `offset` steps above the lower bound:
  // floor(buckets * offset / width), but the last one from the upper bound on.
  std::int64_t of(Uint128 offset) const {
    if (offset >= width_) return last();
    // A guess in doubles, put right by comparisons with the edges.
    auto bucket =
        std::min(static_cast<std::int64_t>(static_cast<double>(offset) * per_step_), last());
    while (offset < edge(bucket)) --bucket;
    while (bucket < last() && offset >= edge(bucket + 1)) ++bucket;
    return bucket;
  }

  std::int64_t last() const { return static_cast<std::int64_t>(buckets_) - 1; }

  // The least offset in a bucket or beyond it: ceil(bucket * width / buckets), without the product.
  Uint128 edge(std::int64_t bucket) const {
    const auto i = static_cast<std::uint64_t>(bucket);
    return i * quotient_ + (i * remainder_ + buckets_ - 1) / buckets_;
  }

 private:
  Uint128 width_ = 0;  // quotient_ * buckets_ + remainder_
  Uint128 quotient_ = 0;
  std::uint64_t remainder_ = 0;
  std::uint64_t buckets_ = 1;
  double per_step_ = 0;
};

}  // namespace idp

// The buckets of a histogram, as width_bucket numbers them: the range between the bounds in equal
// parts, each closed below and open above, the last one closed on both ends. Values beyond a bound
// are clamped to it.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>

#include "core/grid/offsets.h"

namespace idp {

// offset in [0, width]: how far above the lower bound, in steps. buckets >= 1, at most 2^31.
// The answer, from 0: floor(buckets * offset / width), but the last bucket for offset = width.
inline std::int64_t bucket_of(Uint128 offset, Uint128 width, std::int64_t buckets) {
  if (offset >= width) return buckets - 1;
  const auto n = static_cast<Uint128>(buckets);
  if (width <= ~std::uint64_t{0}) return static_cast<std::int64_t>(offset * n / width);
  // The product might not fit: bucket j begins at ceil(j * width / n) = j * q + ceil(j * r / n)
  // with width = q n + r, which does.
  const Uint128 q = width / n, r = width % n;
  std::int64_t first = 0, beyond = buckets;
  while (beyond - first > 1) {
    const std::int64_t middle = first + (beyond - first) / 2;
    const auto j = static_cast<Uint128>(middle);
    (offset >= j * q + (j * r + n - 1) / n ? first : beyond) = middle;
  }
  return first;
}

}  // namespace idp

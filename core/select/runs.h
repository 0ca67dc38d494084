// Values as a list of contiguous pieces.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <span>

namespace idp {

template <class Key>
using Runs = std::span<const std::span<const Key>>;

template <class Key>
std::int64_t total_size(Runs<Key> runs) {
  std::int64_t n = 0;
  for (const auto& run : runs) n += static_cast<std::int64_t>(run.size());
  return n;
}

}  // namespace idp

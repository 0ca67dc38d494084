// Positions of a sample.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>

namespace idp {

// Position i of a sample that takes one of every `stride` values: spread evenly, and shifted a
// little so that a period in the data does not fool it.
inline std::uint64_t sample_position(std::uint64_t i, std::uint64_t stride) {
  std::uint64_t hash = i * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 32;
  return i * stride + hash % stride;
}

}  // namespace idp

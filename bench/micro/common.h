// What the micro-benchmarks share: where their randomness comes from, and how a goal is told.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/grid/key.h"
#include "core/random/bit_source.h"
#include "tests/support/bits.h"

namespace idp::bench {

// Words that cost next to nothing: what is left is the work of the sampler.
class FastBits final : public test::SeededBits {
 public:
  FastBits() : SeededBits(1) {}
};

// Words of a cryptographic generator, one request for each block as in the server
// (extension/pg/server_bits.cpp): here the kernel's, there that of OpenSSL.
class SecureBits final : public BitSource {
  void refill(Block& block) override { test::fill_from_system(block.data(), sizeof block); }
};

// The time one iteration may take; the report compares.
inline void goal(benchmark::State& state, double nanoseconds) {
  state.counters["goal_ns"] = nanoseconds;
}

// Reports how long each of the items of an iteration takes, which is what its goal would be about.
inline void items(benchmark::State& state, std::int64_t count) {
  state.counters["items"] = static_cast<double>(count);
}

// n keys of that many values, or nearly all different if that is 0.
inline std::vector<Key64> random_keys(std::int64_t n, std::int64_t different) {
  if (different == 0) different = std::int64_t{1} << 62;
  std::mt19937_64 random(42);
  std::vector<Key64> keys(static_cast<std::size_t>(n));
  for (auto& key : keys) {
    key = static_cast<Key64>(random() % static_cast<std::uint64_t>(different));
  }
  return keys;
}

}  // namespace idp::bench

// Where all randomness comes from: 64 independent uniform bits at a time.
//
// The extension fills the block from the server's cryptographically strong generator; tests fill
// it from a recorded or seeded sequence. There is no seed in the shipped extension.
#pragma once

#include "core/no_postgres.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace idp {

class BitSource {
 public:
  // An answer takes some fifty words, and asking for a block costs far more than filling it.
  static constexpr std::size_t kBlockWords = 256;
  static constexpr int kWordBits = 64;
  using Block = std::array<std::uint64_t, kBlockWords>;

  BitSource() = default;
  BitSource(const BitSource&) = delete;  // a copy would repeat the noise
  BitSource& operator=(const BitSource&) = delete;
  virtual ~BitSource() = default;

  // 64 uniform bits. A word is wiped once it is used, so that this buffer does not keep noise
  // that was drawn (numbers made of it lie on the heap until they are overwritten). Passes on
  // whatever refill() throws.
  std::uint64_t word() {
    if (next_ == kBlockWords) {
      refill(block_);
      next_ = 0;
    }
    const std::uint64_t w = block_[next_];
    block_[next_++] = 0;
    return w;
  }

  // Forgets the words not used yet: after a fork, parent and child must not share them.
  void discard() {
    block_.fill(0);
    next_ = kBlockWords;
  }

 protected:
  virtual void refill(Block& block) = 0;

 private:
  Block block_{};
  std::size_t next_ = kBlockWords;
};

}  // namespace idp

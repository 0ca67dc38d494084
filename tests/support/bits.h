// Bit sources for the tests: recorded, seeded, and truly random.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <iterator>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "core/random/bit_source.h"

namespace idp::test {

// Hands out a recorded list of words. A source is asked for blocks, so the last block is filled up
// with marks; finish() tells whether one of them was taken for randomness.
class ReplayBits : public BitSource {
 public:
  struct Exhausted : std::runtime_error {
    Exhausted() : std::runtime_error("more words were drawn than were recorded") {}
  };

  explicit ReplayBits(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

  // How many of the recorded words were not drawn. Throws Exhausted if more were drawn than there
  // are. Ends the replay.
  std::size_t finish() {
    for (std::size_t left = 0;; ++left) {
      const std::uint64_t w = word();
      if (w == kFirstMark) return left;
      if (w > kFirstMark && w < kFirstMark + kBlockWords) throw Exhausted();
    }
  }

 protected:
  void refill(Block& block) override {
    if (ended_) throw Exhausted();
    for (auto& w : block) {
      if (used_ < words_.size()) {
        w = words_[used_++];
      } else {
        w = kFirstMark + marks_++;
        ended_ = true;
      }
    }
  }

 private:
  static constexpr std::uint64_t kFirstMark = 0xfeedfacecafe0000;

  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
  std::uint64_t marks_ = 0;
  bool ended_ = false;
};

// Reproducible and fast (splitmix64), for tests of properties.
class SeededBits : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed) : state_(seed) {}

 protected:
  void refill(Block& block) override {
    for (auto& w : block) {
      std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      w = z ^ (z >> 31);
    }
  }

 private:
  std::uint64_t state_;
};

// Half of its words are ones that coins are likely to be undecided by, or to go on with.
class AwkwardBits : public BitSource {
 public:
  explicit AwkwardBits(std::uint64_t seed) : random_(seed) {}

 protected:
  void refill(Block& block) override {
    constexpr std::uint64_t kMax = ~std::uint64_t{0}, kHalf = kMax / 2 + 1;
    constexpr std::uint64_t kAwkward[] = {0, 0, kMax / 3, kMax / 3 * 2, kHalf, kMax, kMax / 5};
    for (auto& word : block) {
      const std::uint64_t w = random_();
      word = w % 2 == 0 ? random_() : kAwkward[w / 2 % std::size(kAwkward)];
    }
  }

 private:
  std::mt19937_64 random_;
};

// As many zeros as told, and then so many heads of coins exp(-1) that a geometric draw gets longer
// than two machine words; the rest is seeded.
class EndlessBits : public BitSource {
 public:
  EndlessBits(std::size_t zeros, std::uint64_t seed) : zeros_(zeros), random_(seed) {}

 protected:
  void refill(Block& block) override {
    for (auto& word : block) {
      const std::size_t i = drawn_++;
      const bool is_head = i >= zeros_ && i < zeros_ + 2 * kHeads;
      word = i < zeros_ ? 0 : is_head ? ((i - zeros_) % 2 == 0 ? 0 : ~std::uint64_t{0}) : random_();
    }
  }

 private:
  static constexpr std::size_t kHeads = 200;

  std::size_t zeros_;
  std::mt19937_64 random_;
  std::size_t drawn_ = 0;
};

// Fills memory from the operating system's generator.
inline void fill_from_system(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const auto got = getrandom(at, bytes, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

// The operating system's generator, for the statistical tests: their failure rates hold only if
// nothing about the words is fixed.
class OsBits : public BitSource {
 protected:
  void refill(Block& block) override {
    if (next_ == kBlocks) {
      fill_from_system(blocks_.data(), sizeof(Block) * kBlocks);
      next_ = 0;
    }
    block = blocks_[next_++];
  }

 private:
  static constexpr std::size_t kBlocks = 64;  // for each system call

  std::vector<Block> blocks_ = std::vector<Block>(kBlocks);
  std::size_t next_ = kBlocks;
};

}  // namespace idp::test

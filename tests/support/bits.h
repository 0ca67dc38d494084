// Bit sources for the tests: recorded, seeded, and truly random.
#pragma once

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <initializer_list>
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

using WordList = std::vector<std::uint64_t>;

// The words of a coin exp(-g), 0 <= g <= 1, so many of whose flips are heads before the first
// tails: two words for each of the first four, one for each of the others. The coin is heads if the
// number is even. Of g = 1 the first is heads whatever its words are, of g = 0 none is.
inline WordList exp_coin_words(std::size_t heads) {
  WordList words(26, ~std::uint64_t{0});
  const std::size_t zeros = heads <= 4 ? 2 * heads : heads + 4;
  std::fill_n(words.begin(), zeros, 0);
  return words;
}

// The words of V = v, Pr[V >= v] = exp(-v): of some U in between; v < 43.
inline WordList unit_words(int v) {
  return {static_cast<std::uint64_t>(std::exp(-v - 0.5) * 0x1p64), 0};
}

// The words of a geometric number whose U has these: U is kept, then comes V.
inline WordList geometric_words(int v, WordList of_u = {}) {
  const WordList kept = exp_coin_words(0), of_v = unit_words(v);
  of_u.insert(of_u.end(), kept.begin(), kept.end());
  of_u.insert(of_u.end(), of_v.begin(), of_v.end());
  return of_u;
}

inline WordList joined(std::initializer_list<WordList> parts) {
  WordList all;
  for (const WordList& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// As many zeros as a geometric number takes, so that it is longer than two machine words, and some
// more, so that it may be the first, the second or none; the rest is seeded.
class EndlessBits : public BitSource {
 public:
  EndlessBits(std::size_t zeros, std::uint64_t seed) : zeros_(zeros), random_(seed) {}

 protected:
  void refill(Block& block) override {
    for (auto& word : block) {
      word = drawn_++ < kDraw + zeros_ ? 0 : random_();
    }
  }

 private:
  static constexpr std::size_t kDraw = 28;

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

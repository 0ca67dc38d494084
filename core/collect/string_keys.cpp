#include "core/collect/string_keys.h"

#include <algorithm>

namespace idp {

namespace {

// FNV-1a from a seed, finished as SplitMix64 does.
std::uint64_t hash(std::string_view string, std::uint64_t seed) {
  std::uint64_t h = 0xcbf29ce484222325u ^ seed;
  for (const char c : string) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

}  // namespace

std::size_t string_keys(std::string_view string, Key128* keys) {
  const auto high = static_cast<std::int64_t>(hash(string, 0x9e3779b97f4a7c15u));
  const std::uint64_t rest = hash(string, 0xc2b2ae3d27d4eb4fu) >> 40 << 40;
  const std::size_t count =
      std::max<std::size_t>(1, (string.size() + kBytesOfKey - 1) / kBytesOfKey);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bytes = 0;
    for (std::size_t j = i * kBytesOfKey; j < (i + 1) * kBytesOfKey; ++j) {
      bytes = bytes << 8 | (j < string.size() ? static_cast<unsigned char>(string[j]) : 0);
    }
    keys[i] = {high, rest | i << 32 | bytes};
  }
  return count;
}

std::string string_of(std::span<const Key128> keys) {
  std::string string;
  std::size_t next = 0;
  for (const Key128& key : keys) {
    if (place_of(key) != next) continue;
    ++next;
    for (int shift = 24; shift >= 0; shift -= 8) {
      const auto byte = static_cast<char>(key.low >> shift & 0xff);
      if (byte != 0) string.push_back(byte);
    }
  }
  return string;
}

}  // namespace idp

#include "core/aggregate/payload.h"

#include <cstring>

#include "core/collect/moments.h"
#include "core/grid/offsets.h"

namespace idp {

std::size_t key_words(const Grid& grid) { return grid.is_wide() ? 2 : 1; }

std::size_t payload_words(const Spec& spec, std::int64_t count) {
  switch (spec.collects()) {
    case Collects::kNothing:
    case Collects::kRows:
      return 0;
    case Collects::kValues:
    case Collects::kDistinct:
      return static_cast<std::size_t>(count) * key_words(spec.grid);
    case Collects::kMoments:
      return moment_layout(spec).words();
    case Collects::kBuckets:
      return static_cast<std::size_t>(spec.k);
  }
  return 0;
}

bool payload_fits(const Spec& spec, std::int64_t count, std::size_t words, bool exactly) {
  if (count < 0 || spec.groups < 1 || spec.groups > kMaxGroup) return false;
  if (spec.collects() == Collects::kBuckets && (spec.k < 1 || spec.k > kMaxBuckets)) return false;
  if (words < epsilon_words(spec)) return false;
  words -= epsilon_words(spec);
  if (spec.keeps_keys() && static_cast<std::uint64_t>(count) > words) return false;
  const std::size_t needed = payload_words(spec, count);
  return exactly ? needed == words : needed <= words;
}

namespace {

template <class Key>
bool admitted(const Grid& grid, std::int64_t count, const std::uint64_t* payload) {
  for (std::int64_t i = 0; i < count; ++i) {
    Key key;
    std::memcpy(&key, reinterpret_cast<const char*>(payload) + i * std::int64_t{sizeof key},
                sizeof key);
    if (!grid.admits(key)) return false;
  }
  return true;
}

bool adds_up(const Spec& spec, std::int64_t count, const std::uint64_t* payload) {
  auto rest = static_cast<std::uint64_t>(count);
  for (std::int64_t i = 0; i < spec.k; ++i) {
    if (payload[i] > rest) return false;
    rest -= payload[i];
  }
  return rest == 0;
}

}  // namespace

bool payload_sound(const Spec& spec, std::int64_t count, const std::uint64_t* payload) {
  switch (spec.collects()) {
    case Collects::kValues:
      return spec.grid.is_wide() ? admitted<Key128>(spec.grid, count, payload)
                                 : admitted<Key64>(spec.grid, count, payload);
    case Collects::kMoments:
      return moments_sound(moment_layout(spec),
                           mpz_from_unsigned(Offsets(spec.grid, spec.lower, spec.upper).width()),
                           payload, count);
    case Collects::kBuckets:
      return adds_up(spec, count, payload);
    default:
      return true;  // any keys can be told apart
  }
}

}  // namespace idp

#include "core/aggregate/payload.h"

#include <cstring>

#include "core/collect/extremes.h"
#include "core/collect/moments.h"
#include "core/grid/offsets.h"

namespace idp {

std::size_t key_words(const Grid& grid) { return grid.is_wide() ? 2 : 1; }

std::size_t payload_words(const StoredSpec& spec, std::int64_t count) {
  switch (collects(spec.statistic)) {
    case Collects::kNothing:
    case Collects::kRows:
      return 0;
    case Collects::kValues:
    case Collects::kDistinct:
      return static_cast<std::size_t>(count) * key_words(spec.grid);
    case Collects::kMoments:
      return moment_layout(spec.statistic, spec.groups).words();
    case Collects::kBuckets:
      return static_cast<std::size_t>(spec.number);
  }
  return 0;
}

bool payload_fits(const StoredSpec& spec, std::int64_t count, std::size_t words, bool exactly) {
  if (count < 0 || spec.groups < 1 || spec.groups > kMaxGroup) return false;
  if (collects(spec.statistic) == Collects::kBuckets &&
      (spec.number < 1 || spec.number > kMaxBuckets))
    return false;
  if (words < epsilon_words(spec)) return false;
  words -= epsilon_words(spec);
  if (row_of(spec.statistic).keeps_keys() && static_cast<std::uint64_t>(count) > words)
    return false;
  const std::size_t needed = payload_words(spec, count);
  return exactly ? needed == words : needed <= words;
}

namespace {

template <class Key>
bool admitted(const Grid& grid, std::int64_t count, const std::uint64_t* payload) {
  if (grid.is_opaque()) return true;
  for (std::int64_t i = 0; i < count; ++i) {
    Key key;
    std::memcpy(&key, reinterpret_cast<const char*>(payload) + i * std::int64_t{sizeof key},
                sizeof key);
    if (!grid.admits(key)) return false;
  }
  return true;
}

bool adds_up(const StoredSpec& spec, std::int64_t count, const std::uint64_t* payload) {
  auto rest = static_cast<std::uint64_t>(count);
  for (std::int64_t i = 0; i < spec.number; ++i) {
    if (payload[i] > rest) return false;
    rest -= payload[i];
  }
  return rest == 0;
}

}  // namespace

bool payload_sound(const StoredSpec& spec, std::int64_t count, const std::uint64_t* payload) {
  switch (collects(spec.statistic)) {
    case Collects::kValues:
      return spec.grid.is_wide() ? admitted<Key128>(spec.grid, count, payload)
                                 : admitted<Key64>(spec.grid, count, payload);
    case Collects::kMoments:
      return moments_sound(moment_layout(spec.statistic, spec.groups),
                           mpz_from_unsigned(Offsets(spec.grid, spec.lower, spec.upper).width()),
                           payload, count);
    case Collects::kBuckets:
      return adds_up(spec, count, payload);
    default:
      return true;  // any keys can be told apart
  }
}

std::size_t extremes_kept(const StoredSpec& spec) {
  const StatisticRow& row = row_of(spec.statistic);
  if (!row.keeps_extremes()) return 0;
  const bool is_kth = row.rank == RankRule::kFromFirst || row.rank == RankRule::kFromLast;
  const std::int64_t rank = is_kth ? spec.number : 1;
  if (rank > kMostExtremes) return 0;
  // and as far as neighbours reach
  const std::int64_t kept = rank + (row.mechanism == Mechanism::kLocal ? spec.groups : 0);
  return kept <= kMostExtremes ? static_cast<std::size_t>(kept) : 0;
}

}  // namespace idp

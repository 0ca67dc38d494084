#include "core/mechanism/clipping_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/grid/room.h"
#include "core/mechanism/draws/first_sparse.h"

namespace idp {

namespace {

// 1/n of epsilon.
constexpr int kOfLimit = 4, kOfCounts = 16, kOfCentreLimit = 32, kOfCentreCounts = 64;
constexpr long kValuesBeyond = 16;  // times 1/epsilon

// m 2^k for m = 4 … 7, and what is below 4.
std::vector<Uint128> whole_distances() {
  std::vector<Uint128> distances{0, 1, 2, 3};
  for (int k = 0; k <= 125; ++k) {
    for (unsigned m = 4; m < 8; ++m) distances.push_back(static_cast<Uint128>(m) << k);
  }
  return distances;
}

std::vector<double> float_distances() {
  constexpr int kLeast = -1074, kFine = -40, kCoarse = 64, kMost = 1023, kPowers = 4;
  std::vector<double> distances{0};
  for (int k = kLeast; k < kFine; k += kPowers) distances.push_back(std::ldexp(1.0, k));
  for (int k = kFine; k < kCoarse; ++k) {
    for (int m = 4; m < 8; ++m) distances.push_back(std::ldexp(m, k - 2));
  }
  for (int k = kCoarse; k <= kMost; k += kPowers) distances.push_back(std::ldexp(1.0, k));
  return distances;
}

double greatest_float(ValueType type) {
  return type == ValueType::kFloat32 ? double{std::numeric_limits<float>::max()}
                                     : std::numeric_limits<double>::max();
}

// z + c and z - c, kept within the type. Which points these are is public once z is, so rounding
// them is of no consequence.
void add_float_points(const Grid& grid, Key64 centre, std::vector<Key64>& points) {
  const double z = from_ordered_bits(centre), greatest = greatest_float(grid.type);
  const auto add = [&](double point) {
    point = std::clamp(point, -greatest, greatest);
    if (grid.type == ValueType::kFloat32) point = static_cast<double>(static_cast<float>(point));
    points.push_back(ordered_bits(point));
  };
  for (const double c : float_distances()) {
    add(z + c);
    add(z - c);
  }
  add(greatest);
  add(-greatest);
}

template <class Key>
void add_whole_points(const Grid& grid, Key centre, std::vector<Key>& points) {
  const auto z = static_cast<Uint128>(int128(widen(centre)));
  const auto least = static_cast<Uint128>(grid.min_units());
  const auto most = static_cast<Uint128>(grid.max_units());
  const auto add = [&](Uint128 point) {
    points.push_back(key_as<Key>(key128(static_cast<Int128>(point))));
  };
  for (const Uint128 c : whole_distances()) {  // differences modulo 2^128 are exact
    add(c < most - z ? z + c : most);
    add(c < z - least ? z - c : least);
  }
  add(most);
  add(least);
}

// How many values lie beyond each point of a side, from the centre on.
struct Beyond {
  std::vector<std::int64_t> upper, lower;
};

template <class Key>
Beyond count_beyond(const Values<Key>& values, const std::vector<Key>& points, std::size_t centre) {
  // below[i]: values less than points[i] and not less than the one before; at[i]: equal to it
  std::vector<std::int64_t> below(points.size() + 1), at(points.size());
  values.for_each([&](const Key& key, std::int64_t count) {
    const auto place = static_cast<std::size_t>(
        std::lower_bound(points.begin(), points.end(), key) - points.begin());
    (place < points.size() && points[place] == key ? at : below)[place] += count;
  });
  Beyond beyond;
  std::int64_t above = below.back();
  for (std::size_t i = points.size(); i-- > centre;) {
    beyond.upper.push_back(above);
    above += at[i] + below[i];
  }
  std::reverse(beyond.upper.begin(), beyond.upper.end());
  std::int64_t under = 0;
  for (std::size_t i = 0; i <= centre; ++i) {
    under += below[i];
    beyond.lower.push_back(under);
    under += at[i];
  }
  std::reverse(beyond.lower.begin(), beyond.lower.end());
  return beyond;
}

template <class Key>
std::size_t place_of(const std::vector<Key>& points, const Key& point) {
  return static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), point) -
                                  points.begin());
}

// As many values lie beyond as do not where the scan should stop.
std::size_t draw_half_way(std::vector<std::int64_t> beyond, std::int64_t n, double epsilon,
                          BitSource& bits) {
  for (std::int64_t& count : beyond) count = 2 * count - n;
  return draws::first_sparse(beyond, 0, Rate::of(epsilon, kOfCentreLimit),
                             Rate::of(epsilon, kOfCentreCounts), bits);
}

template <class Key>
Key draw_centre(const Values<Key>& values, const Grid& grid, double epsilon, BitSource& bits) {
  const std::vector<Key> points = clipping_points<Key>(grid, Key{});
  const std::size_t zero = place_of(points, Key{});
  Beyond beyond = count_beyond(values, points, zero);
  const std::int64_t n = values.size();
  const std::size_t up = draw_half_way(std::move(beyond.upper), n, epsilon, bits);
  const std::size_t down = draw_half_way(std::move(beyond.lower), n, epsilon, bits);
  return points[zero + up - down];
}

}  // namespace

template <class Key>
std::vector<Key> clipping_points(const Grid& grid, Key centre) {
  std::vector<Key> points;
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid.is_float()) {
      add_float_points(grid, centre, points);
    } else {
      add_whole_points(grid, centre, points);
    }
  } else {
    add_whole_points(grid, centre, points);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

mpq_class share_left(Centre centre) {
  mpq_class left = 1 - mpq_class(1, kOfLimit) - 2 * mpq_class(1, kOfCounts);
  if (centre == Centre::kMedian) {
    left -= 2 * mpq_class(1, kOfCentreLimit) + 4 * mpq_class(1, kOfCentreCounts);
  }
  return left;
}

mpz_class values_beyond(double epsilon) {
  const mpq_class beyond = kValuesBeyond / mpq_class(epsilon);
  mpz_class limit;
  mpz_fdiv_q(limit.get_mpz_t(), beyond.get_num_mpz_t(), beyond.get_den_mpz_t());
  return limit;
}

std::size_t draw_first_sparse(std::span<const std::int64_t> counts, double epsilon,
                              BitSource& bits) {
  return draws::first_sparse(counts, values_beyond(epsilon), Rate::of(epsilon, kOfLimit),
                             Rate::of(epsilon, kOfCounts), bits);
}

template <class Key>
ClippingBounds<Key> find_clipping_bounds(const Values<Key>& values, const Grid& grid, Centre centre,
                                         double epsilon, const Workspace& space, BitSource& bits) {
  constexpr std::size_t kMostPoints = 2048;
  require_room(kMostPoints * (sizeof(Key) + 4 * sizeof(std::int64_t)));
  stop_if_asked(space.stop);
  const Key middle = centre == Centre::kZero ? Key{} : draw_centre(values, grid, epsilon, bits);
  const std::vector<Key> points = clipping_points<Key>(grid, middle);
  const std::size_t place = place_of(points, middle);
  const Beyond beyond = count_beyond(values, points, place);
  const std::size_t up = draw_first_sparse(beyond.upper, epsilon, bits);
  const std::size_t down = draw_first_sparse(beyond.lower, epsilon, bits);
  return {points[place - down], points[place + up]};
}

template std::vector<Key64> clipping_points<Key64>(const Grid&, Key64);
template std::vector<Key128> clipping_points<Key128>(const Grid&, Key128);
template ClippingBounds<Key64> find_clipping_bounds(const Values<Key64>&, const Grid&, Centre,
                                                    double, const Workspace&, BitSource&);
template ClippingBounds<Key128> find_clipping_bounds(const Values<Key128>&, const Grid&, Centre,
                                                     double, const Workspace&, BitSource&);

}  // namespace idp

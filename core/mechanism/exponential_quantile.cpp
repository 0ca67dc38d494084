#include "core/mechanism/exponential_quantile.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/grid/room.h"
#include "core/random/bernoulli.h"
#include "core/random/discrete_laplace.h"
#include "core/random/weighted_choice.h"

namespace idp {

namespace {

// For each border: x_r on either side, selected and kept, of 2 words; and an enclosure at 512 bits.
constexpr std::size_t kBytesPerBorder = 512;

constexpr double kHalf = 2 * 0.6931471805599453;  // q^d = 1/2 at d = kHalf / epsilon

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// x as an integer, or the limit if it is beyond it
std::int64_t clamped(double x, std::int64_t limit) {
  return x < static_cast<double>(limit) ? static_cast<std::int64_t>(x) : limit;
}

// Where more borders than that lie apart. Counting the values below a point costs each of n values
// what two or three hundredths of a border do, and is done a few times where borders lie apart.
std::int64_t most_contiguous(std::int64_t n) {
  constexpr std::int64_t kLeast = 512, kValuesPerBorder = 256;
  return std::clamp(n / kValuesPerBorder, kLeast, kMostContiguousBorders);
}

// Borders up to where it does not matter; farthest is the largest distance there is. Rounding here
// changes the time a draw takes and nothing else.
Borders usual_borders(const mpz_class& points, std::int64_t n, std::int64_t farthest,
                      double epsilon) {
  // q^d times all points is below 2^-40 of the weight of x_r from this many halvings on.
  const auto halvings = static_cast<std::int64_t>(40 + mpz_sizeinbase(points.get_mpz_t(), 2));
  const std::int64_t reach =
      clamped(std::ceil(static_cast<double>(halvings) * kHalf / epsilon), farthest);
  std::int64_t step = 1;
  if (reach > most_contiguous(n)) {
    step = std::max<std::int64_t>(1, clamped(kHalf / epsilon, farthest));
  }
  Borders distances;
  for (std::int64_t d = 0; d < reach; d += step) distances.push_back(d);
  distances.push_back(reach);
  return distances;
}

// The grid points of distances (borders[k - 1], borders[k]], for each k; component 0 is x_r itself.
struct Components {
  Borders borders;
  std::vector<mpz_class> below;  // below[k] = x_{r - borders[k]}; lower from x_0 on
  std::vector<mpz_class> above;  // above[k] = x_{r + borders[k]}; upper from x_{n+1} on

  std::int64_t count() const { return static_cast<std::int64_t>(borders.size()); }
  std::int64_t nearest(std::int64_t k) const { return k == 0 ? 0 : borders[index(k - 1)] + 1; }
  std::int64_t farthest(std::int64_t k) const { return borders[index(k)]; }
  mpz_class left(std::int64_t k) const { return below[index(k - 1)] - below[index(k)]; }
  mpz_class right(std::int64_t k) const { return above[index(k)] - above[index(k - 1)]; }
  mpz_class points(std::int64_t k) const { return k == 0 ? mpz_class(1) : left(k) + right(k); }
  mpz_class point(std::int64_t k, const mpz_class& offset) const {
    const mpz_class on_left = left(k);
    if (offset < on_left) return below[index(k)] + offset;
    return above[index(k - 1)] + 1 + (offset - on_left);
  }
};

Components components_around(const RankedData& data, const BoundedRank& at, Borders borders) {
  const auto& [rank, lower, upper] = at;
  const std::int64_t n = data.size();
  std::vector<std::int64_t> ranks;
  for (auto d = borders.rbegin(); d != borders.rend(); ++d) {
    if (rank - *d >= 1) ranks.push_back(rank - *d);
  }
  const std::size_t own = ranks.size() - 1;  // where x_r is
  for (const std::int64_t d : borders) {
    if (d > 0 && rank + d <= n) ranks.push_back(rank + d);
  }
  const std::vector<mpz_class> x = data.values_at(ranks);

  Components components{std::move(borders), {}, {}};
  for (std::size_t k = 0; k < components.borders.size(); ++k) {
    components.below.push_back(k <= own ? x[own - k] : lower);
    components.above.push_back(own + k < x.size() ? x[own + k] : upper);
  }
  return components;
}

}  // namespace

mpz_class exponential_quantile(const RankedData& data, const BoundedRank& at, double epsilon,
                               BitSource& bits) {
  const std::int64_t n = data.size();
  const std::int64_t farthest = std::max(at.rank, n - at.rank + 1);
  return exponential_quantile(data, at, epsilon,
                              usual_borders(at.upper - at.lower + 1, n, farthest, epsilon), bits);
}

mpz_class exponential_quantile(const RankedData& data, const BoundedRank& at, double epsilon,
                               Borders borders, BitSource& bits) {
  const auto& [rank, lower, upper] = at;
  const mpz_class points = upper - lower + 1;
  if (data.size() == 0) return lower + uniform_below(points, bits);

  require_room(borders.size() * kBytesPerBorder);
  const Components components = components_around(data, at, std::move(borders));
  const mpz_class inside = components.above.back() - components.below.back() + 1;
  const mpz_class outside = points - inside;  // the last component: all that is farther
  const std::int64_t last = components.count();

  const Rate q = Rate::of(epsilon, 2);  // exp(-epsilon/2)
  const auto weights = [&](unsigned long precision) {
    std::vector<Enclosure> enclosures;
    const auto powered = [&](std::int64_t d) {
      return enclose_exp(q.numerator * mpz_class(static_cast<long>(d)), q.denominator, precision);
    };
    const Enclosure factor = powered(1);
    Enclosure power = powered(0);
    for (std::int64_t k = 0; k <= last; ++k) {
      const mpz_class count = k < last ? components.points(k) : outside;
      enclosures.push_back({power.low * count, power.high * count});
      if (k == last) break;
      const std::int64_t next = components.farthest(k) + 1;
      const bool adjacent = next == components.nearest(k) + 1;
      power = adjacent ? multiply(power, factor, precision) : powered(next);
    }
    return enclosures;
  };

  for (;;) {
    const auto k = static_cast<std::int64_t>(choose_weighted(weights, bits));
    if (k == 0) return components.below.front();
    mpz_class y;
    if (k < last) {
      y = components.point(k, uniform_below(components.points(k), bits));
      if (components.nearest(k) == components.farthest(k)) return y;
    } else {
      y = lower + uniform_below(outside, bits);
      if (y >= components.below.back()) y += inside;
    }
    const std::int64_t nearest =
        k < last ? components.nearest(k) : components.farthest(last - 1) + 1;
    const std::int64_t distance =
        std::max(data.count_below(y) - rank + 1, rank - data.count_at_most(y));
    const mpz_class beyond(static_cast<long>(distance - nearest));
    if (bernoulli_exp(q.numerator * beyond, q.denominator, bits)) return y;
  }
}

}  // namespace idp

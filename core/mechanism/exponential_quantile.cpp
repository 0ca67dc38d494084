#include "core/mechanism/exponential_quantile.h"

#include <algorithm>
#include <cmath>

#include "core/random/bernoulli.h"
#include "core/random/discrete_laplace.h"
#include "core/random/weighted_choice.h"

namespace idp {

namespace {

constexpr std::int64_t kMostReach = std::int64_t{1} << 20;

// J such that q^(J + 1) times all points of the range is below 2^-40 of the weight of x_r. Rounding
// here changes the time a draw takes and nothing else.
std::int64_t default_reach(const mpz_class& points, double epsilon) {
  const double bits = 40.0 + static_cast<double>(mpz_sizeinbase(points.get_mpz_t(), 2));
  const double reach = std::ceil(bits * 2 * 0.6931471805599453 / epsilon);
  return reach < static_cast<double>(kMostReach) ? static_cast<std::int64_t>(reach) : kMostReach;
}

// The order statistics around the rank, with the bounds in place of those beyond the ends.
struct Window {
  std::int64_t reach;            // J
  std::vector<mpz_class> below;  // below[j] = x_{r-j}, j = 0 … J; stays at lower from x_0 on
  std::vector<mpz_class> above;  // above[j] = x_{r+j}; stays at upper from x_{n+1} on

  // how many grid points have d = j
  mpz_class left(std::int64_t j) const { return below[at(j - 1)] - below[at(j)]; }
  mpz_class right(std::int64_t j) const { return above[at(j)] - above[at(j - 1)]; }
  mpz_class points(std::int64_t j) const { return j == 0 ? mpz_class(1) : left(j) + right(j); }

  static std::size_t at(std::int64_t j) { return static_cast<std::size_t>(j); }
};

Window window_around(const RankedData& data, std::int64_t rank, std::int64_t reach,
                     const mpz_class& lower, const mpz_class& upper) {
  const std::int64_t n = data.size();
  const std::int64_t first = std::max<std::int64_t>(1, rank - reach);
  const std::int64_t last = std::min(n, rank + reach);
  const std::vector<mpz_class> x = data.values(first, last);
  Window window{reach, {}, {}};
  for (std::int64_t j = 0; j <= reach; ++j) {
    window.below.push_back(rank - j >= first ? x[Window::at(rank - j - first)] : lower);
    window.above.push_back(rank + j <= last ? x[Window::at(rank + j - first)] : upper);
  }
  return window;
}

}  // namespace

mpz_class exponential_quantile(const RankedData& data, std::int64_t rank, const mpz_class& lower,
                               const mpz_class& upper, double epsilon, BitSource& bits,
                               std::int64_t reach) {
  const mpz_class points = upper - lower + 1;
  const std::int64_t n = data.size();
  if (n == 0) return lower + uniform_below(points, bits);

  if (reach == 0) reach = default_reach(points, epsilon);
  reach = std::min(reach, std::max(rank, n - rank + 1));  // beyond, there is nothing
  const Window window = window_around(data, rank, reach, lower, upper);
  const mpz_class inside = window.above.back() - window.below.back() + 1;
  const mpz_class outside = points - inside;

  const Rate q = Rate::of(epsilon, 2);  // exp(-epsilon/2)
  const auto weights = [&](unsigned long precision) {
    std::vector<Enclosure> enclosures;
    const Enclosure factor = enclose_exp(q.numerator, q.denominator, precision);
    Enclosure power{mpz_class(1) << precision, mpz_class(1) << precision};  // q^d
    for (std::int64_t d = 0; d <= reach + 1; ++d) {
      const mpz_class count = d <= reach ? window.points(d) : outside;
      enclosures.push_back({power.low * count, power.high * count});
      power = multiply(power, factor, precision);
    }
    return enclosures;
  };

  for (;;) {
    const auto d = static_cast<std::int64_t>(choose_weighted(weights, bits));
    if (d == 0) return window.below.front();
    if (d <= reach) {
      const mpz_class left = window.left(d);
      const mpz_class offset = uniform_below(window.points(d), bits);
      if (offset < left) return window.below[Window::at(d)] + offset;
      return window.above[Window::at(d - 1)] + 1 + (offset - left);
    }
    mpz_class y = lower + uniform_below(outside, bits);
    if (y >= window.below.back()) y += inside;
    const std::int64_t distance =
        std::max(data.count_below(y) - rank + 1, rank - data.count_at_most(y));
    const mpz_class beyond(static_cast<long>(distance - reach - 1));
    if (bernoulli_exp(q.numerator * beyond, q.denominator, bits)) return y;
  }
}

}  // namespace idp

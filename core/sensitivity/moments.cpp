#include "core/sensitivity/moments.h"

#include <algorithm>
#include <array>

#include "core/grid/public_grid.h"

namespace idp {

StepBounds step_bounds(const Grid& grid, Key128 lower, Key128 upper) {
  const auto bounds = [](const auto& steps) { return StepBounds{steps.lower(), steps.upper()}; };
  if (grid.is_wide()) return bounds(PublicGrid<Key128>(grid, lower, upper));
  return bounds(PublicGrid<Key64>(grid, narrow(lower), narrow(upper)));
}

namespace {

mpq_class ratio(const mpz_class& numerator, const mpz_class& denominator) {
  mpq_class q(numerator, denominator);
  q.canonicalize();
  return q;
}

mpz_class floor_ratio(const mpz_class& numerator, const mpz_class& denominator) {
  mpz_class v;
  mpz_fdiv_q(v.get_mpz_t(), numerator.get_mpz_t(), denominator.get_mpz_t());
  return v;
}

// the integers next to a quotient: one, twice, if it is an integer
std::array<mpz_class, 2> next_to(const mpz_class& numerator, const mpz_class& denominator) {
  return {floor_ratio(numerator, denominator), -floor_ratio(-numerator, denominator)};
}

mpz_class positive_part(const mpz_class& v) { return v > 0 ? v : mpz_class(0); }

// Of a sum or an average.
LocalMoments local_linear(Moment moment, const MomentTotals& totals, const StepBounds& bounds,
                          std::size_t distances) {
  LinearMoment<mpz_class> linear(moment, totals.count, totals.sum, bounds);
  LocalMoments moments{ratio(linear.value(), linear.denominator()), {}};
  for (std::size_t i = 0; i < distances; ++i) {
    if (i < totals.smallest.size()) {
      linear.widen(totals.smallest[i], totals.largest[i]);
    } else {
      linear.widen();
    }
    moments.extents.push_back({ratio(linear.least(), linear.denominator()),
                               ratio(linear.greatest(), linear.denominator())});
  }
  return moments;
}

// The variances of data sets of one size.
class Variances {
 public:
  explicit Variances(const mpz_class& count) : count_(count) {}

  // one with these sums
  void look(const mpz_class& sum, const mpz_class& squares) {
    const mpz_class v = positive_part(count_ * squares - sum * sum);  // count^2 times the variance
    if (empty_ || v < least_) least_ = v;
    if (empty_ || v > greatest_) greatest_ = v;
    empty_ = false;
  }

  // Of those looked at, at least one. Data sets of at most one row have variance 0.
  Extent extent() const {
    if (count_ <= 1) return {0, 0};
    return {ratio(least_, count_ * count_), ratio(greatest_, count_ * count_)};
  }

 private:
  mpz_class count_;
  mpz_class least_, greatest_;
  bool empty_ = true;
};

// The values that records other than the first smallest and the first largest can have; count >= 3.
class Between {
 public:
  explicit Between(const MomentTotals& totals) {
    const mpz_class& first = totals.smallest[0];
    const mpz_class& last = totals.largest[0];
    const mpz_class m = totals.count - 2;
    const mpz_class sum = totals.sum - first - last;
    const mpz_class squares = totals.squares - first * first - last * last;
    // a floor: least and greatest, rounded inwards, are those of the root itself
    const mpz_class reach = sqrt(positive_part((m - 1) * (m * squares - sum * sum)));
    least_ = std::max<mpz_class>(first, -floor_ratio(reach - sum, m));
    greatest_ = std::min<mpz_class>(last, floor_ratio(sum + reach, m));
  }

  // The one nearest to an integer.
  const mpz_class& nearest(const mpz_class& to) const {
    return to > greatest_ ? greatest_ : to < least_ ? least_ : to;
  }

 private:
  mpz_class least_, greatest_;
};

LocalMoments local_variance(const MomentTotals& totals, const mpz_class& width) {
  const mpz_class& n = totals.count;
  const mpz_class& sum = totals.sum;
  const mpz_class& squares = totals.squares;
  Variances same(n), added(n + 1), removed(n - 1);
  const auto add = [&](const mpz_class& y) { added.look(sum + y, squares + y * y); };
  const auto remove = [&](const mpz_class& a) { removed.look(sum - a, squares - a * a); };
  const auto substitute = [&](const mpz_class& a, const mpz_class& y) {
    same.look(sum - a + y, squares - a * a + y * y);
  };

  same.look(sum, squares);
  const mpq_class value = same.extent().least;
  const std::array<mpz_class, 2> bounds{0, width};
  for (const mpz_class& y : bounds) add(y);
  if (n > 0) {
    for (const mpz_class& y : next_to(sum, n)) add(y);
    for (const mpz_class& a : {totals.smallest[0], totals.largest[0]}) {
      remove(a);
      for (const mpz_class& y : bounds) substitute(a, y);
      if (n == 1) continue;
      for (const mpz_class& y : next_to(sum - a, n - 1)) substitute(a, y);
    }
  }
  if (n > 2) {
    const Between between(totals);
    for (const mpz_class& a : next_to(sum, n)) remove(between.nearest(a));
    for (const mpz_class& y : bounds) {
      for (const mpz_class& a : next_to(sum + y, n + 1)) substitute(between.nearest(a), y);
    }
  }
  Extent extent = same.extent();
  // of no rows nothing can be removed, and the extent of that is the right one: {0, 0}
  for (const Variances* others : {&added, &removed}) {
    const Extent more = others->extent();
    extent.least = std::min(extent.least, more.least);
    extent.greatest = std::max(extent.greatest, more.greatest);
  }
  return {value, {extent}};
}

}  // namespace

LocalMoments local_moments(Moment moment, const MomentTotals& totals, const StepBounds& bounds,
                           std::size_t distances) {
  if (needs_squares(moment)) return local_variance(totals, bounds.width());
  return local_linear(moment, totals, bounds, distances);
}

}  // namespace idp

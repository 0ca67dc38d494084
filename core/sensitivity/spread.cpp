#include "core/sensitivity/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/grid/grid.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

namespace {

// A neighbour asked for a value that is not there.
struct Unbounded {};

// x_i of some ranks, selected at once, with the ends beyond them.
class Around {
 public:
  Around(const RankedSteps& data, const StepEnds& ends, const std::vector<std::int64_t>& centres)
      : n_(data.size()), ends_(ends) {
    std::set<std::int64_t> ranks;
    for (const std::int64_t centre : centres) {
      for (std::int64_t i = centre - 1; i <= centre + 1; ++i) {
        if (i >= 1 && i <= n_) ranks.insert(i);
      }
    }
    const std::vector<std::int64_t> ascending(ranks.begin(), ranks.end());
    const std::vector<mpz_class> values = data.values_at(ascending);
    for (std::size_t i = 0; i < values.size(); ++i) values_[ascending[i]] = values[i];
  }

  const mpz_class& operator()(std::int64_t rank) const {
    if (rank >= 1 && rank <= n_) return values_.at(rank);
    const std::optional<mpz_class>& end = rank < 1 ? ends_.lower : ends_.upper;
    if (!end) throw Unbounded();
    return *end;
  }

 private:
  std::int64_t n_;
  const StepEnds& ends_;
  std::map<std::int64_t, mpz_class> values_;
};

void include(Spread& spread, const mpq_class& value) {
  if (value < spread.least) spread.least = value;
  if (value > spread.greatest) spread.greatest = value;
}

// z_b - z_a after v was added to values z, for the v where that may be extreme.
template <class Values>
void include_added(Spread& spread, const Values& z, std::int64_t a, std::int64_t b) {
  if (a == b) return include(spread, 0);
  const std::array<mpz_class, 4> ends{z(a - 1), z(a), z(b - 1), z(b)};
  for (const mpz_class& v : ends) {
    include(spread, std::clamp(v, ends[2], ends[3]) - std::clamp(v, ends[0], ends[1]));
  }
}

std::optional<Spread> bounded(auto compute) {
  try {
    return compute();
  } catch (const Unbounded&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Spread> interquantile_range(const RankedSteps& data, double low, double high,
                                          const StepEnds& ends) {
  const std::int64_t n = data.size();
  if (n <= 1) return std::nullopt;
  const std::int64_t a = nearest_rank(low, n), b = nearest_rank(high, n);
  return bounded([&] {
    const Around x(data, ends, {a, b});
    const mpq_class at = x(b) - x(a);
    Spread spread{at, at, at};
    include_added(spread, x, nearest_rank(low, n + 1), nearest_rank(high, n + 1));
    const auto without = [&](std::int64_t i) {
      return [&x, i](std::int64_t s) { return s < i ? x(s) : x(s + 1); };
    };
    const std::int64_t fewer_a = nearest_rank(low, n - 1), fewer_b = nearest_rank(high, n - 1);
    // Only on which side of the ranks i lies matters: one i for each case.
    for (const std::int64_t i : {std::int64_t{1}, a - 1, a, a + 1, b - 1, b, b + 1, n}) {
      if (i < 1 || i > n) continue;
      const auto z = without(i);
      include(spread, z(fewer_b) - z(fewer_a));
      include_added(spread, z, a, b);
    }
    return spread;
  });
}

std::int64_t trimmed_at_each_end(double fraction, std::int64_t n) {
  const auto cut = static_cast<std::int64_t>(std::floor(fraction * static_cast<double>(n)));
  return std::min(cut, (n - 1) / 2);
}

std::optional<Spread> trimmed_average(const RankedSteps& data, double fraction,
                                      const StepEnds& ends) {
  const std::int64_t n = data.size();
  if (n <= 1) return std::nullopt;
  const std::int64_t first = trimmed_at_each_end(fraction, n) + 1, last = n + 1 - first;
  return bounded([&] {
    const Around x(data, ends, {first, last});
    const mpz_class sum = data.sum(first, last);
    // S(i, j) for i and j near first and last, over the number of its values
    const auto average = [&](std::int64_t i, std::int64_t j) {
      mpz_class s = sum;
      for (std::int64_t k = first; k < i; ++k) s -= x(k);
      for (std::int64_t k = i; k < first; ++k) s += x(k);
      for (std::int64_t k = last; k > j; --k) s -= x(k);
      for (std::int64_t k = j; k > last; --k) s += x(k);
      mpq_class q(s, static_cast<long>(j - i + 1));
      q.canonicalize();
      return q;
    };
    const mpq_class at = average(first, last);
    Spread spread{at, at, at};
    include(spread, average(first - 1, last - 1));
    include(spread, average(first + 1, last + 1));
    const std::int64_t more = trimmed_at_each_end(fraction, n + 1) + 1;
    include(spread, average(more - 1, n + 1 - more));
    include(spread, average(more, n + 2 - more));
    const std::int64_t fewer = trimmed_at_each_end(fraction, n - 1) + 1;
    include(spread, average(fewer, n - fewer));
    include(spread, average(fewer + 1, n + 1 - fewer));
    return spread;
  });
}

namespace {

// d_k(centre) is the least, over k values in a row, of the distance to the farther end. It is found
// at the first row whose upper end is the farther one, or the one before. Each look at a row may
// read files; rows of other centres and k lie near those found before.
class Deviations {
 public:
  Deviations(const RankedSteps& data, const StepEnds& ends) : data_(data), ends_(ends) {}

  mpz_class operator()(const mpz_class& centre, std::int64_t k) {
    const std::int64_t n = data_.size();
    if (k == 0) return 0;
    if (k > n) {
      if (!ends_.lower || !ends_.upper) throw Unbounded();
      return std::max<mpz_class>(centre - *ends_.lower, *ends_.upper - centre);
    }
    std::map<std::int64_t, Sides> looked_at;
    const auto sides = [&](std::int64_t i) -> const Sides& {
      const auto [at, is_new] = looked_at.try_emplace(i);
      if (is_new) at->second = sides_of(i, i + k - 1, centre);
      return at->second;
    };
    near_ = first_row(n - k + 1, [&](std::int64_t i) { return sides(i).above >= sides(i).below; });
    const mpz_class found = sides(near_).farther();
    return near_ == 1 ? found : std::min(found, sides(near_ - 1).farther());
  }

 private:
  struct Sides {
    mpz_class below, above;
    const mpz_class& farther() const { return above >= below ? above : below; }
  };

  Sides sides_of(std::int64_t i, std::int64_t j, const mpz_class& centre) const {
    const std::vector<mpz_class> x = data_.values_at(i == j ? std::vector{i} : std::vector{i, j});
    return {centre - x.front(), x.back() - centre};
  }

  // The first of 1 … last that is one, or last; ever wider steps from near_, then bisection.
  template <class IsOne>
  std::int64_t first_row(std::int64_t last, IsOne is_one) const {
    std::int64_t low = 1, high = last;
    std::int64_t at = std::min(near_, last), step = 1;
    while (near_ > 0 && low <= at && at < high) {
      if (is_one(at)) {
        high = at;
        at -= step;
      } else {
        low = at + 1;
        at += step;
      }
      step *= 2;
    }
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (is_one(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  const RankedSteps& data_;
  const StepEnds& ends_;
  std::int64_t near_ = 0;  // the row that was found last
};

}  // namespace

std::optional<Spread> median_absolute_deviation(const RankedSteps& data, const StepEnds& ends) {
  const std::int64_t n = data.size();
  if (n <= 1) return std::nullopt;
  const std::int64_t r = (n + 1) / 2;
  return bounded([&] {
    const Around x(data, ends, {r});
    Deviations deviation(data, ends);
    const mpq_class at = deviation(x(r), r);
    Spread spread{at, at, at};
    const auto include_centres = [&](const mpz_class& a, const mpz_class& b) {
      const auto both = [&](std::int64_t k) -> mpz_class {
        return deviation(a, k) + deviation(b, k);
      };
      const mpz_class most = both(r + 1) + b - a, least = both(r - 1) - (b - a);
      include(spread, mpq_class(most) / 2);
      include(spread, std::max<mpq_class>(0, mpq_class(least) / 2));
    };
    include_centres(x(r - 1), x(r));
    include_centres(x(r), x(r + 1));
    return spread;
  });
}

}  // namespace idp

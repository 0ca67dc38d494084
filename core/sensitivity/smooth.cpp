#include "core/sensitivity/smooth.h"

#include <algorithm>
#include <cmath>
#include <memory_resource>
#include <utility>

#include "core/grid/grid.h"

namespace idp {

namespace {

constexpr std::int64_t kLeastReach = 16;
constexpr unsigned long kSmallestBeta = 30;       // S is the range from beta = 2^-30 down
constexpr std::int64_t kPairsPerCheck = 1 << 14;  // a millisecond or so

// The values from h places before rank r to h places after it; the bounds stand in, once each,
// beyond the ends: farther away they are worth less.
struct Window {
  std::pmr::vector<Key128> x;
  std::int64_t own;  // where x_r is
};

Window window_around(const RankedData& data, const BoundedRank& at, std::int64_t h) {
  const auto& [rank, lower, upper] = at;
  const std::int64_t n = data.size();
  const std::int64_t first = std::max<std::int64_t>(rank - h, 1);
  const std::int64_t last = std::min(rank + h, n);
  Window window{data.packed_values(first, last), rank - first};
  if (rank - h < 1) {
    window.x.insert(window.x.begin(), key128(lower));
    ++window.own;
  }
  if (rank + h > n) window.x.push_back(key128(upper));
  return window;
}

// greater - smaller, which needs 128 bits without a sign
void set_difference(mpz_class& result, Key128 greater, Key128 smaller) {
  const Uint128 difference =
      static_cast<Uint128>(int128(greater)) - static_cast<Uint128>(int128(smaller));
  const auto high = static_cast<unsigned long>(difference >> 64);
  const auto low = static_cast<unsigned long>(difference);
  if (high == 0) {
    result = low;
  } else {
    result = high;
    result <<= 64;
    result += low;
  }
}

// The greatest (x_j - x_i) q^(j-i-1) over i <= r <= j, q = exp(-beta), in O(h log h).
//
// The best j of a row i does not decrease with i. For j < j' let
//   d(i) = (x_j' - x_i) q^j' - (x_j - x_i) q^j = x_j' q^j' - x_j q^j + x_i (q^j - q^j'):
// it does not decrease with i, because x_i does not and q^j > q^j'. So if j' is better than j in
// row i it still is in every row after it, and the rows before that of a best j need nothing beyond
// it, those after it nothing before it. (i = j = r is worth 0, and the argument covers it.)
class Search {
 public:
  Search(const Window& window, const Decay& decay, StopCheck stop)
      : window_(window), decay_(decay), stop_(stop) {}

  DecayedGap best() {
    rows(0, window_.own, window_.own, static_cast<std::int64_t>(window_.x.size()) - 1);
    return best_.gap == 0 ? DecayedGap{} : best_;
  }

 private:
  Key128 x(std::int64_t i) const { return window_.x[static_cast<std::size_t>(i)]; }

  // rows first_i … last_i, whose best j all lie in [first_j, last_j]
  void rows(std::int64_t first_i, std::int64_t last_i, std::int64_t first_j, std::int64_t last_j) {
    if (first_i > last_i) return;
    const std::int64_t i = first_i + (last_i - first_i) / 2;
    DecayedGap best_of_row, candidate;
    std::int64_t best_j = first_j;
    for (std::int64_t j = first_j; j <= last_j; ++j) {
      if (++pairs_ % kPairsPerCheck == 0) stop_if_asked(stop_);
      set_difference(candidate.gap, x(j), x(i));
      candidate.distance = j - i - 1;
      if (decay_.less(best_of_row, candidate)) {
        std::swap(best_of_row, candidate);
        best_j = j;
      }
    }
    if (decay_.less(best_, best_of_row)) best_ = std::move(best_of_row);
    rows(first_i, i - 1, first_j, best_j);
    rows(i + 1, last_i, best_j, last_j);
  }

  const Window& window_;
  const Decay& decay_;
  StopCheck stop_;
  DecayedGap best_;
  std::int64_t pairs_ = 0;
};

// Where a smooth sensitivity usually is: evenly spread values make it W/(n beta e), which a pair
// passes only within some log(n)/beta places. Rounding here changes the time and nothing else.
std::int64_t usual_reach(std::int64_t n, double beta) {
  const double reach = (std::log(static_cast<double>(n) + 2) + 8) / beta;
  return reach < static_cast<double>(kFarthest)
             ? std::max(kLeastReach, static_cast<std::int64_t>(reach))
             : kFarthest;
}

}  // namespace

DecayedGap smooth_sensitivity(const RankedData& data, const BoundedRank& at, const Rate& beta,
                              StopCheck stop) {
  const double rounded = mpq_class(beta.numerator, beta.denominator).get_d();
  return smooth_sensitivity_from(usual_reach(data.size(), rounded), data, at, beta, stop);
}

DecayedGap smooth_sensitivity_from(std::int64_t h, const RankedData& data, const BoundedRank& at,
                                   const Rate& beta, StopCheck stop) {
  const auto& [rank, lower, upper] = at;
  const mpz_class range = upper - lower;
  const std::int64_t n = data.size();
  if (range == 0) return {};
  if (n == 0 || (beta.numerator << kSmallestBeta) <= beta.denominator) return {range, 0};

  const Decay decay(beta);
  for (;; h = std::min(4 * h, kFarthest)) {
    const Window window = window_around(data, at, h);
    DecayedGap best = Search(window, decay, stop).best();
    const bool all = rank - h < 1 && rank + h > n;
    if (all || h == kFarthest || !decay.less(best, {range, h})) {
      DecayedGap floor{range, kFarthest};
      return decay.less(best, floor) ? floor : best;
    }
  }
}

}  // namespace idp

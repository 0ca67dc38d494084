// The exponential mechanism for order statistics: epsilon-DP, no local sensitivity involved.
//
// Data x_1 <= … <= x_n on an integer grid, clamped to the public bounds [lower, upper]; r the rank
// asked for. For an answer y on the grid let c_<(y), c_<=(y) be how many x are below, at most, y.
//
//   utility    u(D, y) = -d(D, y),  d = max(0, c_<(y) - r + 1, r - c_<=(y))    (0 for every y if n
//   = 0) draws      Pr[y] = q^d(D, y) / sum over all y' of q^d(D, y'),  q = exp(-epsilon/2)
//
// d counts how many records must change for y to be the answer: d(x_r) = 0; the values from just
// above x_{r+j-1} up to x_{r+j} have d = j, those from x_{r-j} up to just below x_{r-j+1} too.
//
// Why it is epsilon-DP: one record changes each of c_<, c_<= by at most 1. When it is added or
// removed, r too changes by 0 or 1, in the same direction as the counts; so c_< - r and r - c_<=
// change by at most 1, and u with them (n = 0 against n = 1: 0 against 0 or -1). A utility of
// sensitivity 1 with weights exp(epsilon u / 2) is epsilon-DP (McSherry and Talwar 2007): the
// weights change by a factor of at most e^(epsilon/2), and so does their sum. This is Proposition 7
// of the iDP paper's family of mechanisms, calibrated to the global sensitivity.
//
// Exactly, and without sorting: the weights of all y with the same d form one component, q^d times
// a number of grid points. Components up to d = J come from the 2J + 1 order statistics around r;
// all points beyond form an envelope of weight q^(J+1) each. choose_weighted() picks a component
// exactly; a point inside one is uniform. A point of the envelope is kept with probability
// q^(d - J - 1), an exact coin, and otherwise the draw starts anew: so what is returned has exactly
// the probabilities above, whatever J is. J only decides how often the envelope, which costs a pass
// over the data, is hit; by default about 2^-40 of the draws.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "core/random/bit_source.h"

namespace idp {

// The data as the mechanism sees it: sorted, on the grid, clamped. Ranks count from 1.
class RankedData {
 public:
  virtual ~RankedData() = default;
  virtual std::int64_t size() const = 0;
  // x_first, …, x_last; 1 <= first <= last <= size()
  virtual std::vector<mpz_class> values(std::int64_t first, std::int64_t last) const = 0;
  // how many x are below y, and how many at most y
  virtual std::int64_t count_below(const mpz_class& y) const = 0;
  virtual std::int64_t count_at_most(const mpz_class& y) const = 0;
};

// Draws an answer in [lower, upper] for the given rank, 1 <= rank <= size() unless size() is 0.
// reach limits J; 0 leaves it to the mechanism.
mpz_class exponential_quantile(const RankedData& data, std::int64_t rank, const mpz_class& lower,
                               const mpz_class& upper, double epsilon, BitSource& bits,
                               std::int64_t reach = 0);

}  // namespace idp

// The exponential mechanism for order statistics: epsilon-DP, no local sensitivity involved.
//
// Data x_1 <= … <= x_n on an integer grid, clamped to the public bounds [lower, upper]; r the rank
// asked for. For an answer y on the grid let c_<(y), c_<=(y) be how many x are below, at most, y.
//
//   utility    u(D, y) = -d(D, y),  d = max(0, c_<(y) - r + 1, r - c_<=(y));  0 for n = 0
//   draws      Pr[y] = q^d(D, y) / sum over all y' of q^d(D, y'),  q = exp(-epsilon/2)
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
// Exactly, and without sorting: grid points are gathered in components by their distance, with
// order statistics x_{r-D}, x_{r+D} at increasing distances D as the borders. A component of
// distances d' … d'' gets the weight q^d' for each of its points; choose_weighted() picks a
// component exactly, and a point inside it is uniform. Where d' < d'' the point is kept with
// probability q^(d - d'), an exact coin, and otherwise the draw starts anew: so what is returned
// has exactly the probabilities above, whatever the borders are. They only decide the time:
//   - usually every distance up to J is a border, where J is so far out that all points beyond, the
//     last component, are hit by 2^-40 of the draws at most;
//   - if that J is too large to hold, or selecting so many takes longer than counting a few times
//     among n values (a small epsilon), borders lie so far apart that q^(d - d') >= 1/2: a few
//     hundred of them reach as far, and two tries do on average.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "core/random/bit_source.h"
#include "core/select/ranked_data.h"

namespace idp {

inline constexpr std::int64_t kMostContiguousBorders = std::int64_t{1} << 14;

// Draws an answer between the bounds; epsilon finite and > 0.
mpz_class exponential_quantile(const RankedData& data, const BoundedRank& at, double epsilon,
                               BitSource& bits);

// Distances, ascending strictly from 0 up to the largest there is at most.
using Borders = std::vector<std::int64_t>;

// The same with borders of one's own, which decide the time.
mpz_class exponential_quantile(const RankedData& data, const BoundedRank& at, double epsilon,
                               Borders borders, BitSource& bits);

}  // namespace idp

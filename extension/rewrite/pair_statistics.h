// Statistics of pairs of numbers, which are made of averages:
//
//   covar_pop(y, x)       avg((y - d) * (x - c)) - avg(y - d) * avg(x - c)
//   regr_slope(y, x)      covar_pop(y, x) / covar_pop(x, x)
//   corr(y, x)            covar_pop(y, x) / sqrt(covar_pop(x, x) * covar_pop(y, y))
//
// of the rows in which neither is NULL. c and d are near the middle of the values as their domains
// say, so that the products, and the noise of their averages, are small. What is divided by is NULL
// instead of 0; what noise made impossible becomes the nearest that is possible.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

// Writes the averages, plain ones, in their place in what the level shows and asks of groups.
void average_pairs(const QueryLevel& level);

}  // namespace idp

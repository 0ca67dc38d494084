// An exact choice among weights that are not rational.
//
// Draws from: index k with probability w_k / (w_0 + … + w_{m-1}), w_k >= 0 real, not all zero.
//
// How: a uniform real U is revealed 64 bits at a time; with the bits so far U lies in an interval,
// and at any precision every cumulative weight lies in one too, computed in integers. The index is
// taken only when the whole interval of U times the total lies within one index whatever the true
// weights are; otherwise both are refined. So the outcome is that of the exact real numbers: no
// rounding decides anything. Undecided are at most some 2^-60 of the draws per index at first.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <functional>
#include <vector>

#include "core/random/bit_source.h"
#include "core/random/enclosure.h"

namespace idp {

// Encloses all weights at a precision, to within units of its last place that do not grow with it.
using Enclose = std::function<std::vector<Enclosure>(unsigned long precision)>;

// The same weights, computed once for each precision: for many choices.
Enclose remembered(Enclose weights);

std::size_t choose_weighted(const Enclose& weights, BitSource& source);

}  // namespace idp

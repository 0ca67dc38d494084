// Order statistics by global sensitivity: the Laplace mechanism, epsilon-DP, the yardstick for the
// others.
//
// Draws f(D) + N, N discrete Laplace with ratio exp(-epsilon/W), W = upper - lower, clamped to the
// public bounds. f(D) = x_r on the public integer grid; the middle, rounded down, if there are no
// records.
//
// Why it is epsilon-DP: both f(D) and f(D') lie in [lower, upper], so no substitution, addition or
// removal moves f by more than W (and {lower} against {upper} does move it by W, so W is the
// sensitivity). Shifting N by d <= W changes each of its probabilities by a factor of at most
// e^(epsilon d/W). If W = 0 there is only one answer. Clamping to public bounds uses nothing of the
// data. Drawn exactly: see core/random/discrete_laplace.h.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>

#include "core/grid/public_grid.h"
#include "core/mechanism/frozen.h"
#include "core/select/ranked_data.h"

namespace idp {

// f(D): x_rank, or floor((lower + upper)/2) if there are no records.
mpz_class order_statistic_or_middle(const RankedData& data, const BoundedRank& at);

Frozen freeze_global_quantile(const RankedData& data, const BoundedRank& at);

// The answer, clamped; on the public grid of the column's type and bounds.
template <class Key>
Key answer_global_quantile(const PublicGrid<Key>& grid, const Frozen& frozen,
                           const mpz_class& noise);

}  // namespace idp

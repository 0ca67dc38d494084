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
#include <memory_resource>

#include "core/accumulator/ordered_values.h"
#include "core/accumulator/ranked_data.h"
#include "core/accumulator/select.h"
#include "core/grid/grid.h"
#include "core/random/bit_source.h"

namespace idp {

// f(D): x_rank, or floor((lower + upper)/2) if there are no records.
mpz_class order_statistic_or_middle(const RankedData& data, std::int64_t rank,
                                    const mpz_class& lower, const mpz_class& upper);

// Draws an answer in [lower, upper] for the given rank, 1 <= rank <= size() unless size() is 0.
// epsilon finite and > 0.
mpz_class global_quantile(const RankedData& data, std::int64_t rank, const mpz_class& lower,
                          const mpz_class& upper, double epsilon, BitSource& bits);

// The same of a column, on the public grid of its type and bounds. Throws Stopped.
template <class Key>
Key release_global_quantile(const Grid& grid, Key lower, Key upper, std::int64_t rank,
                            Runs<Key> runs, double epsilon, std::pmr::memory_resource* memory,
                            StopCheck stop, BitSource& bits);

}  // namespace idp

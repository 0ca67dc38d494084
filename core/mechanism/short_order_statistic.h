// The release of core/mechanism/order_statistic.h in machine words, for one epsilon: most
// neighbourhoods are short enough, and what takes the time by long integers is their memory.
//
// It is the same function of the same words, step by step, so it has the same law and the same
// proof: a test holds the two against each other.
#pragma once

#include "core/no_postgres.h"

#include <optional>

#include "core/grid/grid.h"
#include "core/random/bit_source.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

// The answer that freeze_order_statistic(), draw_noise() and answer_order_statistic() give from
// these bits. Nothing, and no word drawn, if a number is too long for it or a neighbour is
// infinite.
template <class Key>
std::optional<Key> short_order_statistic(const Grid& grid, const Neighbourhood<Key>& around,
                                         double epsilon, BitSource& bits);

}  // namespace idp

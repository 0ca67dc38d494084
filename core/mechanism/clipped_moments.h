// The epsilon-DP sum, average, variance and standard deviation without bounds of the asker's.
//
// Draws from: bounds L <= U by core/mechanism/clipping_bounds.h, which takes 3/8 of epsilon for a
// sum and 1/2 for the others; then what core/mechanism/private_moments.h draws for values clamped
// to [L, U], with the part s = 5/8 or 1/2 that is left: its sensitivities over s, so that the rates
// are s epsilon over them.
//
// Why it is epsilon-DP: given L and U the second draw is s epsilon-DP, whatever they are, and they
// are (1 - s) epsilon-DP: sequential composition. The grid of the answer follows from L and U, as
// that of a caller's bounds does. Every part is an exact fraction of epsilon, and they add up to
// it.
//
// Some t = floor(16/epsilon) values lie beyond either bound. Of 2t values or fewer all may, and the
// bounds meet at the centre, which says little of so few: an average, a variance or a deviation is
// given only if the noisy count less 2t supports it (noisy_count.h). t is public.
#pragma once

#include "core/no_postgres.h"

#include <optional>

#include "core/collect/moments.h"
#include "core/grid/grid.h"
#include "core/mechanism/result_grid.h"
#include "core/random/bit_source.h"
#include "core/select/values.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

// epsilon finite and > 0. Nothing if the number of rows does not support an answer. Throws Stopped.
template <class Key>
std::optional<Number> clipped_moment(Moment moment, const Grid& grid, const Values<Key>& values,
                                     double epsilon, const Workspace& space, BitSource& bits,
                                     Neighbours neighbours = Neighbours::kSubstitute);

}  // namespace idp

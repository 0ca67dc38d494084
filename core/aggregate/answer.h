// From what an aggregate has collected to what it answers: the one place that knows which mechanism
// a statistic uses. Each mechanism's distribution, and why it is private, stands with it:
//
//   idp_ order statistics           core/mechanism/order_statistic.h
//   dp_median, _quantile, …         core/mechanism/exponential_quantile.h
//   dp_median_smooth, …             core/mechanism/smooth_quantile.h
//   dp_median_global, _max_global   core/mechanism/global_quantile.h
//   idp_iqr, _mad, _trimmed_avg     core/mechanism/spread.h
//   idp_mode, dp_mode               core/mechanism/value_mode.h
//   counts and histograms           core/mechanism/count.h
//   dp_keep_group                   core/mechanism/group_selection.h
//   idp_sum, _avg, …                core/mechanism/moments.h
//   dp_sum, _avg, …                 core/mechanism/private_moments.h
//   the same without bounds         core/mechanism/clipped_moments.h
//
// Answers that are values plus noise, those of additive statistics, can be had in two halves:
//
//   freeze   the values and their sensitivities, and all that turns values into an answer
//   noise    draw_noise() for an answer that is the only one, noise_at() of core/gradual/release.h
//            for one that can be refined
//   answer   public, or fixed by what is frozen: post-processing
//
// They are epsilon-DP or epsilon-iDP by what core/mechanism/frozen.h states.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/aggregate/spec.h"
#include "core/mechanism/frozen.h"
#include "core/mechanism/result_grid.h"
#include "core/mechanism/short_moments.h"
#include "core/random/bit_source.h"
#include "core/select/values.h"

namespace idp {

// How many values are frozen if anything is; the spec is of an additive statistic.
std::size_t parts_of(const Spec& spec);

// What was collected, wherever it lies. The statistic says which of these are set.
struct Collected {
  std::int64_t count = 0;                 // kRows, kDistinct: what was counted; kMoments: the rows
  const std::uint64_t* words = nullptr;   // kMoments: the sums; kBuckets: a count for each
  const Values<Key64>* narrow = nullptr;  // kValues on a narrow grid
  const Values<Key128>* wide = nullptr;   // kValues on a wide one
};

// As many epsilons as the spec has groups: they set the grid of floats, for which bits are drawn.
// neighbours: those that epsilon-DP answers are for; individually private ones are for all.
// Throws Stopped, and std::invalid_argument for a statistic that is not additive.
Frozen freeze(const Spec& spec, std::span<const double> epsilons, const Collected& collected,
              const Workspace& space, BitSource& bits,
              Neighbours neighbours = Neighbours::kSubstitute);

// The same of a data set that is compared with one that was frozen: an order statistic has its
// value there whether or not its own sensitivity is bounded, on the finest grid and without a
// sensitivity.
Frozen freeze_to_compare(const Spec& spec, std::span<const double> epsilons,
                         const Collected& collected, const Workspace& space, BitSource& bits,
                         Neighbours neighbours);

// Puts a floor under the local sensitivities (core/mechanism/floor.h), in the units of the answer:
// those of the column, days for dates, seconds for timestamps. Counts have sensitivity 1 whatever
// the data, and epsilon-DP answers do not depend on it: they stay. floor is finite, and 0 if there
// is none.
void raise_to_floor(const Spec& spec, double floor, Frozen& frozen);

//   Key64, Key128    order statistics: a key of the spec's grid, narrow or wide
//   Key64            counts: the count itself, an int64
//   vector           histograms
//   Number           sums, averages, variances, standard deviations
//   string           the mode of strings
//   bool             whether a group is kept
using Answer =
    std::variant<Suppressed, Key64, Key128, std::vector<std::int64_t>, Number, std::string, bool>;

// noise is one for each value, drawn for these epsilons, which are finite and > 0, as many as the
// spec has groups: throws std::invalid_argument otherwise.
Answer answer(const Spec& spec, const Frozen& frozen, std::span<const double> epsilons,
              std::span<const mpz_class> noise);

// The answer that is the only one, of any statistic. Of an additive one it is what freeze(),
// draw_noise() and answer() give, in machine words where they do. Throws Stopped, and
// std::invalid_argument for dp_mode, whose domain is not in the spec: listed_mode() answers it.
Answer answer_once(const Spec& spec, std::span<const double> epsilons, const Collected& collected,
                   const Workspace& space, BitSource& bits,
                   Neighbours neighbours = Neighbours::kSubstitute);

// What answer_once() does for the sums and averages of many groups, less what they have in common.
// Nothing for all others.
std::optional<ShortMoments> short_moments(const Spec& spec,
                                          Neighbours neighbours = Neighbours::kSubstitute);

}  // namespace idp

// The statistics whose answers are values plus noise, from what was collected to what is answered:
//
//   freeze   the values and their sensitivities, and all that turns values into an answer
//   noise    draw_noise() for an answer that is the only one, noise_at() of core/gradual/release.h
//            for one that can be refined
//   answer   public, or fixed by what is frozen: post-processing
//
// Each statistic's distribution, and why it is private, stands with it:
//   idp_ order statistics          core/mechanism/order_statistic.h
//   dp_median_global, _max_global  core/mechanism/global_quantile.h
//   counts and histograms          core/mechanism/count.h: freeze_count(), freeze_histogram()
//   idp_sum, _avg, …               core/mechanism/moments.h: freeze_moments()
//   dp_sum, _avg, …                core/mechanism/private_moments.h, by freeze_moments() too
// All are epsilon-DP or epsilon-iDP by what core/mechanism/frozen.h states.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <variant>
#include <vector>

#include "core/accumulator/spec.h"
#include "core/mechanism/count.h"
#include "core/mechanism/frozen.h"
#include "core/mechanism/moments.h"
#include "core/mechanism/result_grid.h"
#include "core/random/bit_source.h"
#include "core/select/stop.h"
#include "core/select/values.h"

namespace idp {

// Whether the statistic is one of them: mechanisms kLocal, kTruncated and kGlobal.
bool is_additive(Statistic statistic);

// How many values are frozen if anything is; the spec is of an additive statistic.
std::size_t parts_of(const Spec& spec);

// Order statistics. The values of the column, and as many epsilons as the spec has groups: they set
// the grid of floats, for which bits are drawn. Throws Stopped.
template <class Key>
Frozen freeze_values(const Spec& spec, std::span<const double> epsilons, const Values<Key>& values,
                     std::pmr::memory_resource* memory, StopCheck stop, BitSource& bits);

struct Suppressed {
  friend bool operator==(Suppressed, Suppressed) = default;
};

//   Key64, Key128    order statistics: a key of the spec's grid, narrow or wide
//   Key64            counts: the count itself, an int64
//   vector           histograms
//   Number           sums, averages, variances, standard deviations
using Answer = std::variant<Suppressed, Key64, Key128, std::vector<std::int64_t>, Number>;

// The answer that is the only one: what freeze_values(), draw_noise() and answer() give, in machine
// words where they do (core/mechanism/short_order_statistic.h). Throws Stopped.
template <class Key>
Answer release_values(const Spec& spec, std::span<const double> epsilons, const Values<Key>& values,
                      std::pmr::memory_resource* memory, StopCheck stop, BitSource& bits);

// noise is one for each value: throws std::invalid_argument otherwise.
Answer answer(const Spec& spec, const Frozen& frozen, std::span<const mpz_class> noise);

}  // namespace idp

// An answer made by adding noise, in two halves: what the data say, frozen, and the noise.
//
// f(D) is a list of integers, the values, in units of some grid. Each gets discrete Laplace noise
// of its own (core/random/discrete_laplace.h), independent of the others, with
//
//   alpha_i = exp(-rate_i),  rate_i = the least over j of epsilons[j - 1] / Delta_ij
//
// where epsilons[j - 1] is promised to groups of j records and Delta_ij, a rational number, is how
// far records at distance j move value i per unit of that promise. Delta_ij = 0 asks for no noise;
// if that is so at all distances, value i gets none. Turning values plus noise into the answer uses
// only what is public, or what is frozen with the values: post-processing
// (core/aggregate/answer.h).
//
// Why that keeps the promises, for data D' at distance at most j of D, by Theorem 5 for vectors:
// the probabilities of the noisy values differ by a factor of at most
// exp(sum over i of rate_i |f_i(D') - f_i(D)|), and
//   - a single value: Delta_1j is the greatest |f(D') - f(D)| or more, so that rate_1 times it is
//     at most epsilons[j - 1]. The scale 1/rate_1 is max LS^(j)/epsilon_j: Definition 6;
//   - several values are frozen for distance 1 only, with sum over i of |f_i(D') - f_i(D)|/Delta_i1
//     at most 1, so that the sum above is at most epsilons[0].
// Whoever freezes states why its Delta are such.
//
// What is frozen is as secret as the data. Freezing is what makes gradual release possible: the
// noise is redrawn, tightened or relaxed (core/gradual/release.h), the rest stays what it is.
//
// Source: Soria-Comas et al. 2017, Definition 6 and Theorem 5.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"
#include "core/select/stop.h"

namespace idp {

// An answer that is not given.
struct Suppressed {
  friend bool operator==(Suppressed, Suppressed) = default;
};

struct Frozen {
  enum class Kind : std::uint8_t {
    kSuppressed,  // no answer
    kInfinite,    // an infinity that no neighbour moves
    kNoisy,       // values plus noise
    // The same, the last of which is a number of rows: with its noise it has to support the answer
    // (noisy_count.h). Releases of averages and variances that began in 0.3.0 are kNoisy.
    kCounted,
  };

  Kind kind = Kind::kSuppressed;
  int infinity = 0;               // kInfinite: -1 or +1; otherwise 0
  std::vector<mpz_class> values;  // kNoisy and kCounted only, as are the sensitivities
  // sensitivities[i][j - 1] = Delta_ij, canonical, >= 0. One list alone is that of all values.
  std::vector<std::vector<mpq_class>> sensitivities;
  // Order statistics of floats (order_statistic.h), otherwise 0: how many bits of the finest grid
  // the grid of the values drops, and the 128 random bits below its step.
  long dropped = 0;
  mpz_class fill;

  bool is_values() const { return kind == Kind::kNoisy || kind == Kind::kCounted; }
  const std::vector<mpq_class>& sensitivities_of(std::size_t part) const {
    return sensitivities.size() == 1 ? sensitivities.front() : sensitivities[part];
  }

  bool operator==(const Frozen&) const = default;
};

// Values with one sensitivity each, at distance 1.
Frozen freeze_noisy(std::vector<mpz_class> values, std::vector<mpq_class> sensitivities);

// Throws std::invalid_argument unless all are finite and > 0.
void require_epsilons(std::span<const double> epsilons);

// The least epsilons[j] / sensitivities[j], compared exactly; nothing if all sensitivities are 0.
// Epsilons are finite and > 0, sensitivities >= 0. Throws std::invalid_argument unless there are as
// many of one as of the other.
std::optional<Rate> group_rate(std::span<const double> epsilons,
                               std::span<const mpq_class> sensitivities);

// The rate of the noise of a value, part < values.size(); nothing if it needs none.
std::optional<Rate> rate_of(const Frozen& frozen, std::size_t part,
                            std::span<const double> epsilons);

// How many values pass between two looks at a stop check.
inline constexpr std::size_t kStopInterval = 1024;
inline void stop_if_asked(StopCheck stop, std::size_t part) {
  if (part % kStopInterval == 0) stop_if_asked(stop);
}

// A draw of the noise: one for each value, 0 without drawing where none is needed. Throws Stopped,
// and std::invalid_argument as group_rate() does.
std::vector<mpz_class> draw_noise(const Frozen& frozen, std::span<const double> epsilons,
                                  BitSource& bits, StopCheck stop);

}  // namespace idp

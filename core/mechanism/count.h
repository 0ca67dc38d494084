// Private counts. One record changes a count by at most 1, whatever the data.
//
// A count: count + N, N discrete Laplace with alpha = exp(-epsilon): epsilon-DP, because the
// count's global sensitivity is 1 under substitution, addition and removal alike (Theorem 5 with
// Delta = 1). Saturates at the ends of int64 (post-processing). May be negative: rounding up to 0
// is free but would bias small counts, so it is left to the reader.
//
// The truncated range count: count + N with the mass of N outside {-1, 0, 1} moved to the ends,
//
//   Pr[0] = (1 - alpha)/(1 + alpha),  Pr[-1] = Pr[+1] = alpha/(1 + alpha),  alpha = exp(-epsilon)
//
// epsilon-iDP: kappa_D is the discrete Laplace mechanism followed by clamping to [f(D) - 1,
// f(D) + 1], an interval fixed by the actual D, and clamping is post-processing.
// Expected absolute error 2 alpha/(1 + alpha). It always tells the true count within one.
//
// A histogram: each bucket count + N, alpha = exp(-epsilon / 2), independent for each bucket.
// epsilon-DP for all buckets together: one record substituted leaves one bucket and enters another,
// so the vector of counts moves by 2 in L1, by 1 when a record is added or removed (Theorem 5 for
// vectors, Delta = 2). Where no record is substituted, alpha = exp(-epsilon): Delta = 1.
//
// Source: of the truncated count the first version of the iDP paper (2016), section 6.3 and
// Table 2.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/frozen.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

// Of rows, or of different values.
Frozen freeze_count(std::int64_t count);
Frozen freeze_histogram(std::span<const std::uint64_t> buckets,
                        Neighbours neighbours = Neighbours::kSubstitute);

// What becomes of the noise of a count.
enum class Truncation : bool { kNone, kToOneStep };

// The answer of a count that is the only one: freeze_count(), draw_noise() and answer_count() in
// machine words where epsilon is short enough, and the same function of the same words.
std::int64_t release_count(std::int64_t count, Truncation truncation, double epsilon,
                           BitSource& bits);

// Noise as drawn, one for each value.
std::int64_t answer_count(const Frozen& frozen, Truncation truncation, const mpz_class& noise);
std::vector<std::int64_t> answer_histogram(const Frozen& frozen, std::span<const mpz_class> noise);

}  // namespace idp

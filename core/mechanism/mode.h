// The most frequent value: a function whose values are not numbers.
//
// f(D) is the value with the greatest count, the least of several; undefined without records. Let
// the local range R be f(D) with f(D') of all neighbours D' (one record added, removed or
// substituted). With c the greatest count and m = f(D), another value v is in R if it wins after
// one of
//   - a record v is added:                 v has c_v + 1;
//   - a record m is substituted by v:      v has c_v + 1, and m has c - 1.
// No other neighbour helps v more: what wins after m is removed wins after that record has become
// v, or was tied with m and wins after adding; and taking from a value other than m leaves m in
// front of v unless v wins with m as it is, by the first line.
//
// idp_mode: randomised response over R (core/random/response.h), k = |R|: m with weight 1, each
// other value of R with weight exp(-epsilon); exact where R is {m} alone. epsilon-iDP: R is fixed
// by D, and for every neighbour f(D') lies in R, so two answers' probabilities have the ratio
// e^epsilon at most. Where a value without a record could win, any value of the type could, and
// where f is undefined on a neighbour there is nothing to answer with: no answer at all.
//
// dp_mode: permute-and-flip over a public domain. In a random order, each value v is taken with
// probability exp(-epsilon (c - c_v)/2), and the first taken is the answer; that of the greatest
// count always is. A count changes by at most 1 with one record: epsilon-DP. Its expected error is
// never greater than that of the exponential mechanism with the same weights. With p_v that
// probability and t the place of v in the order, as a uniform number,
//
//   Pr[v] = p_v times the integral over t from 0 to 1 of the product over w != v of (1 - t p_w).
//
// A record that is added or removed moves one count alone, and loses half of epsilon. For the value
// drawn is that of the greatest c_v + Z_v, the Z_v exponential with rate epsilon/2 (Ding et al.).
// Let c_u grow by 1. Of u, given all others and M the greatest of their sums, the probability is
// exp(- epsilon/2 max(0, M - c_u)), and grows by a factor of e^(epsilon/2) at most. Of another
// value it is the same with an M that grows by 1 at most, and falls so. Hence
//   - where no record is substituted, the weights are exp(-epsilon (c - c_v)): epsilon-DP;
//   - one that leaves a group and enters another loses epsilon/2 in each, epsilon in both.
//
// Source: the local range is the iDP paper's future work, by its Definition 5; McKenna and Sheldon,
// "Permute-and-Flip" (2020), Theorems 1 and 2; Ding, Kifer, Sayed, Steinke, Wang, Xiao and Zhang,
// "The Permute-and-Flip Mechanism is Identical to Report-Noisy-Max with Exponential Noise" (2021).
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random/bit_source.h"
#include "core/random/rate.h"
#include "core/random/response.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

// Whether there are values besides those counted.
enum class Domain : bool { kCounted, kOpen };

// A value is its place among those counted, which ascend.
struct ModeRange {
  std::vector<std::size_t> values;  // R, ascending
  std::size_t mode;                 // the place of f(D) in R
};

// R from the counts of the values, which may be 0 and add up to less than 2^62; nothing if there is
// no answer.
std::optional<ModeRange> mode_range(std::span<const std::int64_t> counts, Domain domain);

// One answer of idp_mode; next_response() of range.mode among range.values.size() is its law where
// there are several levels.
std::size_t draw_mode(const ModeRange& range, double epsilon, BitSource& bits);

// dp_mode over a domain of at least one value, counts >= 0. Throws std::invalid_argument without
// values.
std::size_t permute_and_flip(std::span<const std::int64_t> counts, double epsilon, BitSource& bits,
                             Neighbours neighbours = Neighbours::kSubstitute);

// The rate of its weights: exp(-rate (c - c_v)).
Rate mode_rate(double epsilon, Neighbours neighbours);

}  // namespace idp

// How well one data set can be told from another by an answer: what an audit (extension/audit/)
// holds against what was charged.
//
// Values plus noise (core/mechanism/frozen.h). Let f be the frozen values of D, f' those of D', and
// rate_i the rate of the noise of value i. Discrete Laplace noise of rate r that is moved by m
// steps changes a probability by a factor of e^(r m) exactly, somewhere on either side. So the
// largest factor between the probabilities of one answer is e^loss, with
//
//   loss = sum over i of rate_i |f_i - f'_i|          moved = sum over i of |f_i - f'_i| / Delta_i1
//
// and what is computed of the noisy values can only lose less. Individually private noise is that
// of D. The noise of epsilon-DP answers depends on nothing: where it differs, loss is infinite. So
// it is where one data set has noisy values, and the other has none, or another infinity.
//
// The exponential mechanism (core/mechanism/exponential_quantile.h). It rests on d(y), which one
// record changes by at most 1: moved is the greatest |d(y) - d'(y)| over all y. Weights change by a
// factor of e^(epsilon moved/2) at most, and so does their sum: loss = epsilon moved is a bound.
//
// The decision about a group (core/mechanism/group_selection.h). moved = |n - n'|, loss = epsilon
// moved, and delta is what is missing where that factor does not suffice.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <span>

#include "core/aggregate/spec.h"
#include "core/grid/key.h"
#include "core/mechanism/frozen.h"

namespace idp {

struct PairLoss {
  double moved = 0;
  double loss = 0;   // infinite where nothing bounds it
  double delta = 0;  // what comes beside it; rounded down
};

// Whether an audit knows how to compare what the mechanism makes its answers of.
constexpr bool can_compare(Mechanism mechanism) {
  return mechanism == Mechanism::kLocal || mechanism == Mechanism::kTruncated ||
         mechanism == Mechanism::kGlobal || mechanism == Mechanism::kExponential ||
         mechanism == Mechanism::kSelection;
}

// Of an additive statistic: what freeze() and freeze_to_compare() make (answer.h). Where the grids
// of floats differ, values that may be equal count as equal.
PairLoss loss_between(const Spec& spec, std::span<const double> epsilons, const Frozen& of_data,
                      const Frozen& of_other);

// Of Mechanism::kExponential. Values in ascending order, none beyond the bounds of the
// specification, with the rank asked for.
struct RankedKeys {
  std::span<const Key128> keys;
  std::int64_t rank;
};
PairLoss loss_between(const Spec& spec, const RankedKeys& of_data, const RankedKeys& of_other);

// Of Mechanism::kSelection, from the numbers of rows.
PairLoss loss_between(double epsilon, double delta, std::int64_t rows, std::int64_t other_rows);

}  // namespace idp

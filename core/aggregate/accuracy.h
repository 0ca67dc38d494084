// How far noise strays from the true value, from public numbers alone: epsilon, the sensitivity one
// assumes, and the step of the grid. For whoever plans a query; no mechanism uses it, nothing
// random is decided here, so doubles will do. Results are right up to their rounding: where the
// probability lies within a few ulps of the confidence asked for, the neighbouring multiple may be
// taken.
//
// N is discrete Laplace on the multiples of step, r = epsilon * step / sensitivity:
//
//   Pr[|N| > t * step] = 2 alpha^(t+1) / (1 + alpha),  alpha = exp(-r),  t = 0, 1, 2, …
//
// because Pr[N = i * step] = (1 - alpha)/(1 + alpha) alpha^|i| (Definition 9 of the iDP paper) and
// the tails are geometric series. As step -> 0 this becomes the paper's Laplace(sensitivity /
// epsilon) with Pr[|N| > t] = exp(-t * epsilon / sensitivity); step = 0 stands for that limit.
// With epsilon = sensitivity = 1 either gives the paper's [-3, 3] at 95 % (Table 1).
#pragma once

#include "core/no_postgres.h"

#include <optional>

#include "core/aggregate/violation.h"

namespace idp {

// Noise of unknown epsilon, and how sure one wants to be of its bound. The sensitivity, the step
// and every error are in the same unit, that of the data.
struct NoiseQuestion {
  double sensitivity = 1;  // finite, >= 0
  double confidence = 0;   // > 0, < 1
  double step = 1;         // finite, >= 0; 0 for the continuous limit
};

// The first argument that breaks its rule, if any. epsilon is finite and > 0; error finite, >= 0,
// and > 0 if step is 0.
std::optional<Violation> find_violation_of_epsilon(double epsilon, const NoiseQuestion& question);
std::optional<Violation> find_violation_of_error(double error, const NoiseQuestion& question);

// The half-width that noise stays within: the smallest multiple t of step (any t if step is 0) with
// Pr[|N| <= t] >= confidence. 0 if the sensitivity is 0. Where t is 2^50 steps or more, a step is
// as fine as a double, and the continuous limit is returned. Infinity if beyond the largest double.
double noise_error(double epsilon, const NoiseQuestion& question);

// The smallest epsilon with noise_error(epsilon, question) <= error: at most a few ulps more, never
// less. An error below the step asks for Pr[N = 0] >= confidence. 0 if the sensitivity is 0, where
// none is needed; infinity if no double is enough; otherwise at least the smallest positive double.
double epsilon_for_error(double error, const NoiseQuestion& question);

}  // namespace idp

// Goodness of fit with a stated failure rate.
//
// A correct library fails the whole statistical suite by chance with probability at most
// kSuiteFailure. That is split evenly over kChecks checks; the run fails if more checks than
// that were made. Every bound below holds for finite samples (exact binomial tails, the DKW
// inequality with Massart's constant, Chernoff's bound) but one: the chi-square test, whose
// critical value is only the limit for large counts. It gets its own allowance, see
// kChiSquareAllowance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace idp::test {

inline constexpr double kSuiteFailure = 1e-9;
inline constexpr int kChecks = 800;
inline constexpr double kCheckFailure = kSuiteFailure / kChecks;  // 1.25e-12

// The tail of the statistic of counts is heavier than that of the chi-square law, the more so the
// smaller the counts. So cells are pooled until kPooled observations are expected, and the critical
// value is taken at a probability smaller by this factor. A single Poisson cell of mean 1000
// reaches the critical value of one degree of freedom at 6.2e-16 (65.4, so a deviation of 256)
// with probability at most 2 exp(-1000 h(0.256)) = 2e-13, h(u) = (1 + u) log(1 + u) - u.
inline constexpr double kChiSquareAllowance = 1e-3;
inline constexpr double kPooled = 1000;

// Cells too small for that are looked at one by one, with exact binomial tails.
inline constexpr double kSmallestCell = 10;

struct Verdict {
  bool rejected = false;
  std::string why;  // the statistics and their thresholds
};

struct Cell {
  long double probability;
  std::int64_t observed;
};

// Whether counts of neighbouring cells disagree with their exact probabilities, which must sum
// to 1.
Verdict judge_cells(std::span<const Cell> cells);

// Whether a number of successes disagrees with their exact probability.
Verdict judge_successes(std::int64_t successes, std::int64_t trials, long double probability);

// Whether a sample disagrees with a continuous distribution function (Kolmogorov and Smirnov).
// Sorts the sample.
Verdict judge_sample(std::vector<double>& sample, double (*distribution)(double));

// The greatest distance between the distribution function of a sample of n and the true one that
// is exceeded with probability at most kCheckFailure; counts as a check. By Hoeffding's inequality
// it bounds the deviation of the mean of n values in [0, 1], too.
double dkw_bound(std::int64_t n);

// Counts of one answer in two worlds, where each draw first chose its world by a fair coin.
struct Pair {
  std::int64_t first = 0;
  std::int64_t second = 0;
};

// Whether the answers break Pr[first] <= e^epsilon Pr[second] or its mirror image: for one answer,
// for all answers up to one, or for all from one on. The coin makes it exact: given such an event,
// the world is the first with probability at most e^epsilon / (1 + e^epsilon).
Verdict judge_ratio(std::span<const Pair> answers, double epsilon);

// Whether the mean of draws |N|, N discrete Laplace with ratio alpha, is off (Chernoff's bound).
Verdict judge_mean_magnitude(long double sum, std::int64_t draws, long double alpha);

// Takes one check of the budget for a bound of the test's own, which a correct library may break
// with at most the probability returned.
double take_check();

// How many checks were made since the last reset. Each use of a function above makes one.
int checks_made();
void reset_checks();

}  // namespace idp::test

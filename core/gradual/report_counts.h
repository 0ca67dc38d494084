// What a population's reports say: counts, and how far off they may be. Reports are private
// already, so all of this is post-processing, in floating point.
//
// n people answered by randomised response: Pr[report = v] is p if v is somebody's value and r if
// it is not, p > r; each independently of the others. Of T people with value v, the number c of
// reports v has the mean T p + (n - T) r, so
//
//   estimate (c - n r)/(p - r): unbiased;
//   variance (T p (1 - p) + (n - T) r (1 - r))/(p - r)^2
//
// and the standard error is its root with the estimate, within [0, n], for T. It counts the noise
// of the reports alone: the people are those who were asked.
//
// Source: Warner (1965); Wang, Blocki, Li, Jha (2017), section 3; Erlingsson et al. 2014,
// section 4.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/gradual/rappor.h"
#include "core/select/stop.h"

namespace idp {

struct EstimatedCount {
  double count;
  double standard_error;
};

// Of one of k values; epsilon is what the reports were made with. Throws std::invalid_argument
// unless 0 <= matching <= reports, k >= 2, epsilon > 0.
EstimatedCount count_responses(std::int64_t matching, std::int64_t reports, unsigned long k,
                               double epsilon);

// How bits were randomised: the probability that a bit is reported as 1.
struct BitNoise {
  double of_one;   // if it is 1
  double of_zero;  // if it is 0; less than that

  static BitNoise permanent(double epsilon, const BloomShape& shape);
  static BitNoise instant(double epsilon, const BloomShape& shape, double beta, double gamma);
};

// Of strings that are looked for, ones[i] of the reports having bit i: least squares over all bits.
// A bit's count is the sum of the counts of the strings that set it; bits are independent given the
// strings, so the error of the solution follows from theirs. A string that people have and that is
// not among the candidates adds to the counts of those with which it shares bits. Throws
// std::invalid_argument if there are no candidates, more than bits or than kMaxCandidates, or
// candidates whose bits do not tell them apart. It takes time as bits times candidates squared;
// stop is asked meanwhile, and Stopped thrown.
inline constexpr std::size_t kMaxCandidates = 1000;
std::vector<EstimatedCount> count_strings(std::span<const std::int64_t> ones, std::int64_t reports,
                                          std::span<const std::string> candidates,
                                          const BloomShape& shape, const BitNoise& noise,
                                          StopCheck stop = nullptr);

}  // namespace idp

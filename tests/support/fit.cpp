#include "tests/support/fit.h"

#include <gsl/gsl_cdf.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace idp::test {

namespace {

int checks = 0;

// Joins neighbouring cells until each expects at least `least` observations.
std::vector<Cell> pool(std::span<const Cell> cells, std::int64_t draws, double least) {
  std::vector<Cell> pooled;
  Cell open{0, 0};
  for (const Cell& cell : cells) {
    open.probability += cell.probability;
    open.observed += cell.observed;
    if (open.probability * static_cast<long double>(draws) >= least) {
      pooled.push_back(open);
      open = {0, 0};
    }
  }
  if (pooled.empty()) {
    pooled.push_back(open);
  } else {
    pooled.back().probability += open.probability;
    pooled.back().observed += open.observed;
  }
  return pooled;
}

// The probability of a count at least as far out on its side.
double binomial_tail(std::int64_t successes, std::int64_t trials, double probability) {
  if (probability >= 1) return successes == trials ? 1 : 0;
  const auto k = static_cast<unsigned>(successes), n = static_cast<unsigned>(trials);
  const double up = k == 0 ? 1 : gsl_cdf_binomial_Q(k - 1, probability, n);  // Pr[X >= k]
  const double down = gsl_cdf_binomial_P(k, probability, n);
  return std::min(up, down);
}

}  // namespace

int checks_made() { return checks; }
void reset_checks() { checks = 0; }

double take_check() {
  ++checks;
  return kCheckFailure;
}

Verdict judge_cells(std::span<const Cell> cells) {
  ++checks;
  std::int64_t draws = 0;
  long double total = 0;
  for (const Cell& cell : cells) {
    draws += cell.observed;
    total += cell.probability;
  }
  if (std::abs(total - 1) > 1e-12L) throw std::logic_error("the probabilities do not sum to 1");

  std::ostringstream why;
  Verdict verdict;
  const auto large = pool(cells, draws, kPooled);
  if (large.size() > 1) {
    long double statistic = 0;
    for (const Cell& cell : large) {
      const long double expected = cell.probability * static_cast<long double>(draws);
      const long double off = static_cast<long double>(cell.observed) - expected;
      statistic += off * off / expected;
    }
    const double critical = gsl_cdf_chisq_Qinv(kCheckFailure / 2 * kChiSquareAllowance,
                                               static_cast<double>(large.size() - 1));
    verdict.rejected |= statistic > critical;
    why << "chi-square " << static_cast<double>(statistic) << " of at most " << critical << " ("
        << large.size() << " cells); ";
  }
  const auto small = pool(cells, draws, kSmallestCell);
  const double threshold = kCheckFailure / 2 / (2 * static_cast<double>(small.size()));
  double least = 1;
  for (const Cell& cell : small) {
    least =
        std::min(least, binomial_tail(cell.observed, draws, static_cast<double>(cell.probability)));
  }
  verdict.rejected |= least < threshold;
  why << "least tail of a cell " << least << " of at least " << threshold << " (" << small.size()
      << " cells)";
  verdict.why = why.str();
  return verdict;
}

Verdict judge_successes(std::int64_t successes, std::int64_t trials, long double probability) {
  ++checks;
  const double tail = binomial_tail(successes, trials, static_cast<double>(probability));
  std::ostringstream why;
  why << successes << " of " << trials << ", expected "
      << static_cast<double>(probability * static_cast<long double>(trials)) << ", tail " << tail
      << " of at least " << kCheckFailure / 2;
  return {tail < kCheckFailure / 2, why.str()};
}

double dkw_bound(std::int64_t n) {
  ++checks;
  return std::sqrt(std::log(2 / kCheckFailure) / (2 * static_cast<double>(n)));
}

Verdict judge_sample(std::vector<double>& sample, double (*distribution)(double)) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = distribution(sample[i]);
    distance =
        std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  const double bound = dkw_bound(static_cast<std::int64_t>(sample.size()));
  std::ostringstream why;
  why << "Kolmogorov-Smirnov distance " << distance << " of at most " << bound;
  return {distance > bound, why.str()};
}

Verdict judge_ratio(std::span<const Pair> answers, double epsilon) {
  ++checks;
  const double most = 1 / (1 + std::exp(-epsilon));
  // one answer, up to it, from it on; and either world may be the more probable one
  const double threshold = kCheckFailure / (3 * 2 * static_cast<double>(answers.size()));
  double least = 1;
  Pair worst;
  const auto look = [&](Pair event) {
    const std::int64_t high = std::max(event.first, event.second);
    if (high == 0) return;
    const double tail = gsl_cdf_binomial_Q(static_cast<unsigned>(high - 1), most,
                                           static_cast<unsigned>(event.first + event.second));
    if (tail < least) {
      least = tail;
      worst = event;
    }
  };
  Pair total;
  for (const Pair& answer : answers) {
    total.first += answer.first;
    total.second += answer.second;
  }
  Pair up_to;
  for (const Pair& answer : answers) {
    look(answer);
    look({total.first - up_to.first, total.second - up_to.second});
    up_to.first += answer.first;
    up_to.second += answer.second;
    look(up_to);
  }
  std::ostringstream why;
  why << "least tail " << least << " of at least " << threshold << ", for an event seen "
      << worst.first << " against " << worst.second << " times";
  return {least < threshold, why.str()};
}

Verdict judge_mean_magnitude(long double sum, std::int64_t draws, long double alpha) {
  ++checks;
  // E exp(t |N|) = (1 - a)/(1 + a) * (1 + a e^t)/(1 - a e^t), and for n draws
  // Pr[mean beyond m] <= exp(-n max_t (t m - log E exp(t |N|))), concave in t.
  const long double mean = sum / static_cast<long double>(draws);
  const auto exponent = [&](long double t) {
    const long double x = alpha * std::exp(t);
    return t * mean - std::log((1 - alpha) / (1 + alpha) * (1 + x) / (1 - x));
  };
  long double low = -50, high = -std::log(alpha) * (1 - 1e-9L);
  for (int i = 0; i < 300; ++i) {
    const long double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (exponent(a) < exponent(b) ? low : high) = exponent(a) < exponent(b) ? a : b;
  }
  const auto tail =
      static_cast<double>(std::exp(-static_cast<long double>(draws) * exponent((low + high) / 2)));
  std::ostringstream why;
  why << "mean " << static_cast<double>(mean) << ", expected "
      << static_cast<double>(2 * alpha / (1 - alpha * alpha)) << ", tail at most " << tail
      << " of at least " << kCheckFailure / 2;
  return {tail < kCheckFailure / 2, why.str()};
}

}  // namespace idp::test

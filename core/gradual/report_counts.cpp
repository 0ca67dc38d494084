#include "core/gradual/report_counts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace idp {

namespace {

void require(bool sound, const char* message) {
  if (!sound) throw std::invalid_argument(message);
}

// From a count of reports of which each is of the kind with probability p or r.
EstimatedCount estimate(std::int64_t matching, std::int64_t reports, double p, double r) {
  require(matching >= 0 && matching <= reports, "more reports match than there are");
  const auto n = static_cast<double>(reports);
  const double count = (static_cast<double>(matching) - n * r) / (p - r);
  const double truth = std::clamp(count, 0.0, n);
  const double variance = truth * p * (1 - p) + (n - truth) * r * (1 - r);
  return {count, std::sqrt(variance) / (p - r)};
}

using Matrix = std::vector<std::vector<double>>;

// The lower triangle of Cholesky's factor, in place. False if the matrix is not positive definite
// by more than rounding.
bool factorize(Matrix& a, StopCheck stop) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    stop_if_asked(stop);
    const double diagonal = a[j][j];
    for (std::size_t i = j; i < a.size(); ++i) {
      double sum = a[i][j];
      for (std::size_t l = 0; l < j; ++l) sum -= a[i][l] * a[j][l];
      if (i > j) {
        a[i][j] = sum / a[j][j];
      } else {
        if (!(sum > 1e-9 * diagonal)) return false;
        a[j][j] = std::sqrt(sum);
      }
    }
  }
  return true;
}

// Solves for one right-hand side, in place.
void solve(const Matrix& factor, std::vector<double>& b) {
  const std::size_t n = factor.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < i; ++l) b[i] -= factor[i][l] * b[l];
    b[i] /= factor[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t l = i + 1; l < n; ++l) b[i] -= factor[l][i] * b[l];
    b[i] /= factor[i][i];
  }
}

}  // namespace

EstimatedCount count_responses(std::int64_t matching, std::int64_t reports, unsigned long k,
                               double epsilon) {
  require(k >= 2 && epsilon > 0, "a domain needs two values, and epsilon must be positive");
  const double q = std::exp(-epsilon), total = 1 + static_cast<double>(k - 1) * q;
  return estimate(matching, reports, 1 / total, q / total);
}

BitNoise BitNoise::permanent(double epsilon, const BloomShape& shape) {
  return instant(epsilon, shape, 1, 0);
}

BitNoise BitNoise::instant(double epsilon, const BloomShape& shape, double beta, double gamma) {
  const double half = rappor_f(epsilon, shape) / 2;
  return {(1 - half) * beta + half * gamma, half * beta + (1 - half) * gamma};
}

std::vector<EstimatedCount> count_strings(std::span<const std::int64_t> ones, std::int64_t reports,
                                          std::span<const std::string> candidates,
                                          const BloomShape& shape, const BitNoise& noise,
                                          StopCheck stop) {
  shape.require_sound();
  require(ones.size() == shape.bits, "a report has another number of bits");
  require(
      !candidates.empty() && candidates.size() <= std::min<std::size_t>(shape.bits, kMaxCandidates),
      "there must be candidates, no more of them than bits, and no more than 1000");
  const std::size_t m = candidates.size();
  std::vector<Bits> filters;
  for (const std::string& candidate : candidates) filters.push_back(bloom_filter(candidate, shape));

  std::vector<EstimatedCount> bits;
  for (const std::int64_t count : ones) {
    bits.push_back(estimate(count, reports, noise.of_one, noise.of_zero));
  }

  // X'X and X'y, X the bits by the candidates
  Matrix normal(m, std::vector<double>(m));
  std::vector<double> counts(m);
  for (std::size_t bit = 0; bit < shape.bits; ++bit) {
    stop_if_asked(stop);
    for (std::size_t i = 0; i < m; ++i) {
      if (!filters[i][bit]) continue;
      counts[i] += bits[bit].count;
      for (std::size_t j = 0; j < m; ++j) normal[i][j] += filters[j][bit];
    }
  }
  require(factorize(normal, stop), "the bits of the candidates do not tell them apart");
  solve(normal, counts);

  std::vector<EstimatedCount> estimates;
  for (std::size_t i = 0; i < m; ++i) {
    stop_if_asked(stop);
    std::vector<double> row(m);  // of (X'X)^-1
    row[i] = 1;
    solve(normal, row);
    double variance = 0;
    for (std::size_t bit = 0; bit < shape.bits; ++bit) {
      double weight = 0;
      for (std::size_t j = 0; j < m; ++j) weight += filters[j][bit] ? row[j] : 0;
      variance += std::pow(weight * bits[bit].standard_error, 2);
    }
    estimates.push_back({counts[i], std::sqrt(variance)});
  }
  return estimates;
}

}  // namespace idp

#include "tests/statistical/checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/support/bits.h"

namespace idp::test {

namespace {

// The exponent s of cells [j 2^s, (j + 1) 2^s) that are between 1/16 and 1/8 of the scale.
int cell_exponent(long double lambda) {
  return std::max(0, static_cast<int>(std::floor(-std::log2(lambda))) - 3);
}

constexpr long kReach = 256;  // cells on either side: at least 16 scales

long cell_of(const mpz_class& draw, int exponent) {
  mpz_class cell;
  mpz_fdiv_q_2exp(cell.get_mpz_t(), draw.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent));
  return std::clamp<mpz_class>(cell, -kReach - 1, kReach).get_si();
}

// 1 - a^n, a = exp(-lambda)
long double complement(long double lambda, long double n) { return -std::expm1(-lambda * n); }

}  // namespace

std::int64_t times_asked(std::int64_t draws) {
  const char* times = std::getenv("IDP_DRAWS");
  return draws * (times == nullptr ? 1 : std::max(std::atol(times), 1l));
}

long double to_long_double(const mpz_class& v) {
  const mpz_class high = v >> 64;
  const mpz_class low = v - (high << 64);
  return std::ldexp(static_cast<long double>(high.get_si()), 64) +
         static_cast<long double>(low.get_ui());
}

Verdict check_discrete_laplace(const Sampler& sampler, double epsilon, const mpz_class& sensitivity,
                               std::int64_t draws) {
  const long double lambda = epsilon / to_long_double(sensitivity);
  const int s = cell_exponent(lambda);
  const long double width = std::ldexp(1.0L, s);
  const long double norm = 1 + std::exp(-lambda);
  // cells -kReach - 1 (everything below), -kReach, …, kReach - 1, kReach (everything above)
  std::vector<Cell> cells;
  for (long j = -kReach - 1; j <= kReach; ++j) {
    const bool open = j < -kReach || j == kReach;
    // the smallest |i| of the cell: j 2^s on the right, and on the left one past the next cell's
    const long double nearest =
        j >= 0 ? static_cast<long double>(j) * width : static_cast<long double>(-j - 1) * width + 1;
    const long double mass = open ? 1 : complement(lambda, width);
    cells.push_back({std::exp(-lambda * nearest) * mass / norm, 0});
  }
  OsBits bits;
  const Rate rate = Rate::of(epsilon, sensitivity);
  for (std::int64_t i = 0; i < draws; ++i) {
    ++cells[static_cast<std::size_t>(cell_of(sampler(rate, bits), s) + kReach + 1)].observed;
  }
  return judge_cells(cells);
}

Verdict check_geometric(const Sampler& sampler, double epsilon, const mpz_class& sensitivity,
                        std::int64_t draws) {
  const long double lambda = epsilon / to_long_double(sensitivity);
  const int s = cell_exponent(lambda);
  const long double width = std::ldexp(1.0L, s);
  std::vector<Cell> cells;
  for (long j = 0; j <= kReach; ++j) {
    const long double mass = j == kReach ? 1 : complement(lambda, width);
    cells.push_back({std::exp(-lambda * static_cast<long double>(j) * width) * mass, 0});
  }
  OsBits bits;
  const Rate rate = Rate::of(epsilon, sensitivity);
  for (std::int64_t i = 0; i < draws; ++i) {
    ++cells.at(static_cast<std::size_t>(cell_of(sampler(rate, bits), s))).observed;
  }
  return judge_cells(cells);
}

Verdict check_low_bits(const Sampler& sampler, double epsilon, const mpz_class& sensitivity,
                       std::int64_t draws) {
  std::vector<Cell> cells(16, Cell{1.0L / 16, 0});
  OsBits bits;
  const Rate rate = Rate::of(epsilon, sensitivity);
  for (std::int64_t i = 0; i < draws; ++i) {
    const mpz_class draw = sampler(rate, bits);
    ++cells[mpz_fdiv_ui(draw.get_mpz_t(), 16)].observed;
  }
  return judge_cells(cells);
}

Verdict check_coin(const Coin& coin, long double probability, std::int64_t draws) {
  OsBits bits;
  std::int64_t heads = 0;
  for (std::int64_t i = 0; i < draws; ++i) heads += coin(bits);
  return judge_successes(heads, draws, probability);
}

Verdict check_truncated_count(const CountRelease& release, double epsilon, std::int64_t draws) {
  const long double alpha = std::exp(-static_cast<long double>(epsilon));
  const long double end = alpha / (1 + alpha);
  // the outer cells stand for errors beyond 1, which never happen
  std::array<Cell, 5> cells{{{0, 0}, {end, 0}, {(1 - alpha) / (1 + alpha), 0}, {end, 0}, {0, 0}}};
  OsBits bits;
  for (std::int64_t i = 0; i < draws; ++i) {
    const std::int64_t error = release(1000, epsilon, bits) - 1000;
    ++cells[static_cast<std::size_t>(std::clamp<std::int64_t>(error, -2, 2) + 2)].observed;
  }
  Verdict verdict = judge_cells(std::span<const Cell>(cells).subspan(1, 3));
  if (cells.front().observed + cells.back().observed > 0) {
    return {true, "errors beyond 1; " + verdict.why};
  }
  return verdict;
}

Verdict check_count_error(const CountRelease& release, double epsilon, std::int64_t draws) {
  OsBits bits;
  long double sum = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    sum += static_cast<long double>(std::abs(release(1000, epsilon, bits) - 1000));
  }
  return judge_mean_magnitude(sum, draws, std::exp(-static_cast<long double>(epsilon)));
}

Verdict check_float_release(const OrderRelease& release, const Grid& grid, double sensitivity,
                            double epsilon, std::vector<double>* sample) {
  // The greater distance decides, here the one to the lower neighbour; around 0 nothing is lost to
  // the rounding of large answers.
  const Neighbourhood<Key64> around{ordered_bits(-sensitivity), ordered_bits(0.0),
                                    ordered_bits(sensitivity / 2)};
  OsBits bits;
  std::vector<double> noise;
  noise.reserve(static_cast<std::size_t>(kReleases));
  for (std::int64_t i = 0; i < kReleases; ++i) {
    const auto key = release(grid, around, epsilon, bits);
    noise.push_back(from_ordered_bits(*key) / sensitivity * epsilon);
  }
  const Verdict verdict =
      judge_sample(noise, [](double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; });
  if (sample != nullptr) *sample = std::move(noise);
  return verdict;
}

Verdict check_two_worlds(const Worlds& worlds, std::int64_t centre, std::int64_t reach,
                         double epsilon, std::int64_t draws) {
  // answers beyond the reach are joined: an event as good as any
  std::vector<Pair> answers(static_cast<std::size_t>(2 * reach + 1));
  OsBits bits;
  for (std::int64_t i = 0; i < draws; ++i) {
    const bool actual = bits.word() >> 63;
    const std::int64_t answer = actual ? worlds.actual(bits) : worlds.neighbour(bits);
    Pair& pair =
        answers[static_cast<std::size_t>(std::clamp(answer - centre, -reach, reach) + reach)];
    ++(actual ? pair.first : pair.second);
  }
  return judge_ratio(answers, epsilon);
}

}  // namespace idp::test

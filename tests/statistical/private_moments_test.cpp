// The epsilon-DP average, variance and deviation of a tiny domain against their exact laws, worked
// out by adding up the probabilities of every noisy sum and count; and the promise itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random/discrete_laplace.h"
#include "tests/statistical/checks.h"
#include "tests/support/bits.h"
#include "tests/support/moments.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

#define EXPECT_ACCEPTED(expression)                  \
  do {                                               \
    const Verdict verdict_ = (expression);           \
    EXPECT_FALSE(verdict_.rejected) << verdict_.why; \
  } while (false)
#define EXPECT_REJECTED(expression)                 \
  do {                                              \
    const Verdict verdict_ = (expression);          \
    EXPECT_TRUE(verdict_.rejected) << verdict_.why; \
  } while (false)

constexpr std::int64_t kLower = -3;  // offsets are values less this
// Cells: of the range of the answer, one for its upper end, and one for no answer.
constexpr std::int64_t kCells = 16;
constexpr std::int64_t kNone = kCells + 1;
#ifdef IDP_SANITIZE
constexpr std::int64_t kAnswers = 30000;
#else
constexpr std::int64_t kAnswers = 100000;
#endif

// The rates as the header states them, times epsilon; threshold: the one that decides whether there
// is an answer.
struct Rates {
  long double centred, squares, count, threshold = count;
};

long double probability(std::int64_t noise, long double rate) {
  return std::tanh(rate / 2) * std::exp(-rate * static_cast<long double>(std::abs(noise)));
}

// As far as a draw goes but once in e^40; as one step if there is no noise.
std::int64_t reach(long double rate) { return static_cast<std::int64_t>(std::ceil(40 / rate)); }

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

using Cells = std::vector<long double>;

// The greatest noisy count that supports no answer.
std::int64_t threshold(long double rate) {
  const long double alpha = std::exp(-rate);
  return static_cast<std::int64_t>(std::ceil(std::log(20 / (1 + alpha)) / rate)) - 1;
}

Cells average_law(const Data& offsets, std::int64_t width, const Rates& rates) {
  std::int64_t centred = 0;
  for (const std::int64_t t : offsets) centred += 2 * t - width;
  const auto n = static_cast<std::int64_t>(offsets.size());
  Cells law(kNone + 1, 0);
  for (std::int64_t i = -reach(rates.centred); i <= reach(rates.centred); ++i) {
    for (std::int64_t k = -reach(rates.count); k <= reach(rates.count); ++k) {
      const std::int64_t count = n + k;
      if (count <= threshold(rates.threshold)) {
        law[kNone] += probability(i, rates.centred) * probability(k, rates.count);
        continue;
      }
      // the offset is width/2 + (C + i)/(2 count)
      const std::int64_t cell =
          floor_div(kCells * (width * count + centred + i), 2 * count * width);
      law[static_cast<std::size_t>(std::clamp<std::int64_t>(cell, 0, kCells))] +=
          probability(i, rates.centred) * probability(k, rates.count);
    }
  }
  return law;
}

Cells variance_law(const Data& offsets, std::int64_t width, const Rates& rates) {
  std::int64_t centred = 0, squares = 0;
  for (const std::int64_t t : offsets) {
    const std::int64_t c = 2 * t - width;
    centred += c;
    squares += 2 * c * c - width * width;
  }
  const auto n = static_cast<std::int64_t>(offsets.size());
  Cells law(kNone + 1, 0);
  for (std::int64_t k = -reach(rates.count); k <= reach(rates.count); ++k) {
    const std::int64_t count = n + k;
    if (count <= threshold(rates.threshold)) {
      law[kNone] += probability(k, rates.count);
      continue;
    }
    for (std::int64_t i = -reach(rates.centred); i <= reach(rates.centred); ++i) {
      const long double both = probability(i, rates.centred) * probability(k, rates.count);
      const std::int64_t sum = centred + i;
      for (std::int64_t j = -reach(rates.squares); j <= reach(rates.squares); ++j) {
        // of the greatest variance width^2/4: ((Q/n + W^2)/2 - (C/n)^2) / W^2
        const std::int64_t above =
            count * (squares + j) + count * count * width * width - 2 * sum * sum;
        const std::int64_t cell = floor_div(kCells * above, 2 * count * count * width * width);
        law[static_cast<std::size_t>(std::clamp<std::int64_t>(cell, 0, kCells))] +=
            both * probability(j, rates.squares);
      }
    }
  }
  return law;
}

Spec spec_for(Statistic statistic, std::int64_t width) {
  return moments<Key64>(statistic, kLower, kLower + width);
}

State state_for(const Spec& spec, Data offsets) {
  for (auto& t : offsets) t += kLower;
  return state_of<Key64>(spec, offsets);
}

// The cell of an answer. Cells end at whole units of the result grid, 10^-16, so that the answer,
// rounded down to it, lies in the same cell as before.
std::int64_t cell_of(const Spec& spec, const std::optional<Number>& answer, std::int64_t width) {
  if (!answer) return kNone;
  mpz_class one;
  mpz_ui_pow_ui(one.get_mpz_t(), 10, 16);
  mpz_class offset = answer->units, range = one * static_cast<long>(width);
  if (spec.statistic == Statistic::kPrivateAverage) {
    offset -= one * static_cast<long>(kLower);
  } else {
    offset *= 4;
    range *= static_cast<long>(width);
  }
  mpz_class cell;
  mpz_fdiv_q(cell.get_mpz_t(), mpz_class(offset * static_cast<long>(kCells)).get_mpz_t(),
             range.get_mpz_t());
  return cell.get_si();
}

Verdict check_law(const Spec& spec, const Data& offsets, std::int64_t width, double epsilon,
                  const Cells& law) {
  const State state = state_for(spec, offsets);
  std::vector<Cell> cells;
  for (const long double p : law) cells.push_back({p, 0});
  OsBits bits;
  for (std::int64_t i = 0; i < kAnswers; ++i) {
    const auto answer = maybe_moments(spec, {&epsilon, 1}, state.words.data(), state.count, bits);
    ++cells.at(static_cast<std::size_t>(cell_of(spec, answer, width))).observed;
  }
  return judge_cells(cells);
}

Rates average_rates_of(std::int64_t width, double epsilon) {
  const auto w = static_cast<long double>(width);
  return {epsilon / (2 * w), 0, epsilon / 2};
}
Rates variance_rates_of(std::int64_t width, double epsilon) {
  const auto w = static_cast<long double>(width);
  return {8 * epsilon / (25 * w), 8 * epsilon / (25 * w * w), 9 * epsilon / 25};
}

TEST(PrivateAverage, HasItsLaw) {
  const struct {
    Data offsets;
    std::int64_t width;
    double epsilon;
  } cases[] = {{{0, 0, 0, 4, 4, 3, 0, 1, 0}, 4, 1},
               {{}, 3, 0.5},
               {{2}, 2, 2},
               {{0, 1, 4}, 4, 3},
               {{0, 0, 0, 5, 4, 3, 0, 1, 0}, 5, 1}};
  for (const auto& [offsets, width, epsilon] : cases) {
    const Spec spec = spec_for(Statistic::kPrivateAverage, width);
    const Rates rates = average_rates_of(width, epsilon);
    EXPECT_ACCEPTED(check_law(spec, offsets, width, epsilon, average_law(offsets, width, rates)));
  }
  // mutants, as laws the release does not have
  const auto& [offsets, width, epsilon] = cases[0];
  const Spec spec = spec_for(Statistic::kPrivateAverage, width);
  const Rates rates = average_rates_of(width, epsilon);
  const auto rejects = [&](const Rates& others) {
    EXPECT_REJECTED(check_law(spec, offsets, width, epsilon, average_law(offsets, width, others)));
  };
  rejects({rates.centred / 2, 0, rates.count});
  rejects({rates.centred, 0, rates.count / 2});
  rejects({rates.centred, 0, 50});                            // no noise for the count
  rejects({50, 0, rates.count});                              // none for the sum
  rejects({rates.centred, 0, rates.count, 2 * rates.count});  // an answer from fewer rows
  rejects({rates.centred, 0, rates.count, 100});              // from any row
}

TEST(PrivateVariance, HasItsLaw) {
  const struct {
    Data offsets;
    std::int64_t width;
    double epsilon;
  } cases[] = {{{0, 1, 1, 0}, 1, 6}, {{0, 1, 2}, 2, 6}, {{}, 1, 3}};
  for (const auto& [offsets, width, epsilon] : cases) {
    const Rates rates = variance_rates_of(width, epsilon);
    const Cells law = variance_law(offsets, width, rates);
    EXPECT_ACCEPTED(
        check_law(spec_for(Statistic::kPrivateVariance, width), offsets, width, epsilon, law));
  }
  const auto& [offsets, width, epsilon] = cases[0];
  const Spec spec = spec_for(Statistic::kPrivateVariance, width);
  const Rates rates = variance_rates_of(width, epsilon);
  const auto rejects = [&](const Rates& others) {
    EXPECT_REJECTED(check_law(spec, offsets, width, epsilon, variance_law(offsets, width, others)));
  };
  rejects({rates.centred / 2, rates.squares, rates.count});
  rejects({rates.centred, rates.squares / 2, rates.count});
  rejects({rates.centred, rates.squares, 50});
  rejects({rates.centred, 50, rates.count});
  rejects({rates.centred, rates.squares, rates.count, 100});
}

// The deviation is the root of the variance, rounded down: squared, it is at most that of the
// variance, and less by so little that its cells are the same ones, but for their ends.
TEST(PrivateStddev, IsTheRootOfTheVariance) {
  const Data offsets{0, 1, 1, 0};
  constexpr std::int64_t kWidth = 1;
  const double epsilon = 3;
  const Spec spec = spec_for(Statistic::kPrivateStddev, kWidth);
  const State state = state_for(spec, offsets);
  const Cells law = variance_law(offsets, kWidth, variance_rates_of(kWidth, epsilon));
  std::vector<Cell> cells;
  for (const long double p : law) cells.push_back({p, 0});
  mpz_class one;
  mpz_ui_pow_ui(one.get_mpz_t(), 10, 16);
  OsBits bits;
  for (std::int64_t i = 0; i < kAnswers; ++i) {
    const auto answer = maybe_moments(spec, {&epsilon, 1}, state.words.data(), state.count, bits);
    if (!answer) {
      ++cells.at(kNone).observed;
      continue;
    }
    const mpz_class& root = answer->units;
    // variances are fractions with small denominators: one step up brings back what was rounded
    mpz_class cell = root == 0 ? mpz_class(0) : mpz_class(4 * kCells * (root + 1) * (root + 1));
    cell /= one * one;
    ++cells.at(static_cast<std::size_t>(std::min<mpz_class>(cell, kCells).get_ui())).observed;
  }
  EXPECT_ACCEPTED(judge_cells(cells));
}

// Two data sets one record apart, each through the whole release.

Verdict check_worlds(const Spec& spec, std::int64_t width, const Data& first, const Data& second,
                     double epsilon, double promised) {
  const State one = state_for(spec, first), other = state_for(spec, second);
  const auto world = [&](const State& state) {
    return [&](BitSource& bits) -> std::int64_t {
      const auto answer = maybe_moments(spec, {&epsilon, 1}, state.words.data(), state.count, bits);
      if (spec.statistic == Statistic::kPrivateSum) return answer->units.get_si();
      return cell_of(spec, answer, width);
    };
  };
  return check_two_worlds({world(one), world(other)}, 0, 40, promised, kAnswers);
}

TEST(PrivateMoments, KeepTheirPromise) {
  for (const Statistic statistic :
       {Statistic::kPrivateSum, Statistic::kPrivateAverage, Statistic::kPrivateVariance}) {
    const Spec spec = spec_for(statistic, 4);
    const double epsilon = 1;
    const Data data{0, 1, 4};
    for (const Data& neighbour : {Data{4, 1, 4}, Data{0, 1}, Data{0, 1, 4, 4}}) {
      EXPECT_ACCEPTED(check_worlds(spec, 4, data, neighbour, epsilon, epsilon));
    }
    EXPECT_ACCEPTED(check_worlds(spec, 4, {}, {4}, epsilon, epsilon));
  }
  // The sum uses up the promise; so does a record that crosses the domain for the average, whose
  // answer tells C apart from its sign, and so half of epsilon would not do.
  EXPECT_REJECTED(
      check_worlds(spec_for(Statistic::kPrivateSum, 4), 4, {0, 1, 4}, {4, 1, 4}, 1, 0.5));
  EXPECT_REJECTED(check_worlds(spec_for(Statistic::kPrivateAverage, 4), 4, {0, 2, 2, 2, 2, 2},
                               {4, 2, 2, 2, 2, 2}, 4, 2));
}

// Whether there is an answer, decided by the rows that there are, tells of the first one.
TEST(PrivateMoments, ADecisionByTheTrueCountIsSeen) {
  const Spec spec = spec_for(Statistic::kPrivateAverage, 4);
  const double epsilon = 1;
  const auto mutant = [&](const Data& offsets) {
    return [&, offsets](BitSource& bits) -> std::int64_t {
      if (offsets.empty()) return kNone;
      const State state = state_for(spec, offsets);
      return cell_of(spec,
                     maybe_moments(spec, {&epsilon, 1}, state.words.data(), state.count, bits), 4);
    };
  };
  EXPECT_REJECTED(check_two_worlds({mutant({}), mutant({4})}, 0, 40, epsilon, kAnswers));
}

// An average whose count has no noise tells how many rows there are.
TEST(PrivateMoments, ACountWithoutNoiseIsSeen) {
  constexpr std::int64_t kWidth = 2;
  const auto mutant = [](std::int64_t centred, std::int64_t count) {
    return [=](BitSource& bits) -> std::int64_t {
      const mpz_class noisy = centred + discrete_laplace(Rate::of(1, 2 * kWidth), bits);
      return 12 * std::clamp<mpz_class>(noisy, -1, 1).get_si() / count;
    };
  };
  EXPECT_REJECTED(check_two_worlds({mutant(0, 2), mutant(0, 3)}, 0, 40, 1, kAnswers));
}

}  // namespace
}  // namespace idp::test

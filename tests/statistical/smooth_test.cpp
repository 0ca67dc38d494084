// Heavy-tailed noise and the order statistics by smooth and global sensitivity against their exact
// probabilities. Mutants must be rejected.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/mechanism/smooth_quantile.h"
#include "core/random/bernoulli.h"
#include "core/random/heavy_tail.h"
#include "tests/statistical/checks.h"
#include "tests/support/bits.h"
#include "tests/support/release.h"
#include "tests/support/smooth_law.h"

namespace idp::test {
namespace {

#ifdef IDP_SANITIZE
constexpr std::int64_t kAnswers = 10000;
#else
constexpr std::int64_t kAnswers = 200000;
#endif

constexpr int kGammas[] = {2, 3, 4};

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

// The noise, in cells between these ends and their negatives.

const std::vector<Real>& ends() {
  static const std::vector<Real> all = [] {
    std::vector<Real> some;
    for (int i = 0; i < 32; ++i) some.push_back(static_cast<Real>(i) / 8);
    for (Real end = 4; end < 1e9L; end *= 1.5L) some.push_back(end);
    return some;
  }();
  return all;
}

using Noise = std::function<double(int gamma, BitSource&)>;

double drawn(int gamma, BitSource& bits) {
  HeavyTail z(gamma, bits);
  const double magnitude = std::ldexp(z.magnitude(64).low.get_d(), -64);
  return z.negative() ? -magnitude : magnitude;
}

Verdict check_noise(const Noise& noise, int gamma, std::int64_t draws = 2 * kAnswers) {
  const auto count = ends().size();
  std::vector<Cell> cells(2 * count, Cell{0, 0});  // the negative ones from the far end inwards
  for (std::size_t i = 0; i < count; ++i) {
    const Real mass =
        heavy_tail(gamma, ends()[i]) - (i + 1 < count ? heavy_tail(gamma, ends()[i + 1]) : 0);
    cells[count + i].probability = cells[count - 1 - i].probability = mass;
  }
  OsBits bits;
  for (std::int64_t n = 0; n < draws; ++n) {
    const double z = noise(gamma, bits);
    const auto after = std::upper_bound(ends().begin(), ends().end(), std::abs(z));
    const auto i = static_cast<std::size_t>(after - ends().begin()) - 1;
    ++cells[std::signbit(z) ? count - 1 - i : count + i].observed;
  }
  return judge_cells(cells);
}

TEST(HeavyTail, ExactProbabilities) {
  for (const int gamma : kGammas) EXPECT_ACCEPTED(check_noise(drawn, gamma));
}

// Digits far below those that decided the coin: uniform.
TEST(HeavyTail, LowBits) {
  for (const int gamma : kGammas) {
    std::vector<Cell> cells(16, Cell{1.0L / 16, 0});
    OsBits bits;
    for (std::int64_t n = 0; n < kAnswers; ++n) {
      HeavyTail z(gamma, bits);
      const Enclosure e = z.magnitude(512);  // 2^-400 is far above its width, but for great draws
      ++cells[mpz_fdiv_ui(mpz_class(e.low >> 300).get_mpz_t(), 16)].observed;
    }
    EXPECT_ACCEPTED(judge_cells(cells));
  }
}

double always_kept(int gamma, BitSource& bits) {
  const double v = std::ldexp(static_cast<double>(bits.word() >> 11), -53);
  const bool tail = uniform_below(gamma, bits) == 0;
  const double z = tail ? std::pow(v, -1.0 / (gamma - 1)) : v;
  return bits.word() >> 63 ? -z : z;
}
double no_tail(int gamma, BitSource& bits) {
  for (;;) {
    const double z = drawn(gamma, bits);
    if (std::abs(z) <= 50) return z;
  }
}

TEST(HeavyTail, MutantsAreRejected) {
  for (const int gamma : kGammas) {
    EXPECT_REJECTED(check_noise(always_kept, gamma));
    EXPECT_REJECTED(check_noise([](int g, BitSource& bits) { return std::abs(drawn(g, bits)); },
                                gamma, kAnswers));
    EXPECT_REJECTED(check_noise(
        [](int g, BitSource& bits) { return drawn(g == 2 ? 3 : g - 1, bits); }, gamma, kAnswers));
    EXPECT_REJECTED(
        check_noise([](int g, BitSource& bits) { return 0.9 * drawn(g, bits); }, gamma));
  }
  EXPECT_REJECTED(check_noise(no_tail, 2));
}

// The mechanisms.

struct Case {
  Spec spec;
  Data data;  // sorted
  std::int64_t lower, upper;

  std::int64_t rank() const { return brute_rank_or_none(spec, data); }
  std::int64_t at() const { return brute_answer(spec, data, lower, upper); }
};

std::vector<Case> cases() {
  const std::vector<Spec> specs = smooth_specs();
  const Spec median = specs[0], maximum = specs[1], quartile = specs[4];
  return {{median, {1, 3, 3, 7, 9}, 0, 12},
          {median, {}, -3, 6},
          {median, {4, 4, 4, 4, 4, 4}, 0, 9},
          {maximum, {2, 3, 4, 8, 9, 10}, -2, 15},
          {quartile, {0, 0, 2, 5, 12, 12}, 0, 12},
          {quartile, {-9, -5, -1, 0, 1, 5, 9}, -20, 20},
          {maximum, {12}, 0, 12}};
}

using Answer = std::function<mpz_class(const Case&, BitSource&)>;

Verdict check_answers(const Case& c, const Law& law, const Answer& answer,
                      std::int64_t draws = kAnswers / 4) {
  std::vector<Cell> cells;
  for (const Real p : law) cells.push_back({p, 0});
  OsBits bits;
  for (std::int64_t i = 0; i < draws; ++i) {
    const mpz_class y = answer(c, bits);
    ++cells.at(mpz_class(y - static_cast<long>(c.lower)).get_ui()).observed;
  }
  return judge_cells(cells);
}

Answer by_smooth(double epsilon, int gamma) {
  return [=](const Case& c, BitSource& bits) {
    return smooth_quantile(SortedData(c.data),
                           {c.rank(), static_cast<long>(c.lower), static_cast<long>(c.upper)},
                           {epsilon, gamma}, bits, nullptr);
  };
}
Answer by_global(double epsilon) {
  return [=](const Case& c, BitSource& bits) {
    return global_quantile(SortedData(c.data), c.rank(), static_cast<long>(c.lower),
                           static_cast<long>(c.upper), epsilon, bits);
  };
}

TEST(SmoothQuantile, ExactProbabilities) {
  const std::vector<Case> all = cases();
  const double epsilons[] = {1, 8, 50};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const int gamma : kGammas) {
      const double epsilon = epsilons[(i + static_cast<std::size_t>(gamma)) % 3];
      SCOPED_TRACE(testing::Message() << "case " << i << ", " << gamma << ", " << epsilon);
      const Case& c = all[i];
      EXPECT_ACCEPTED(check_answers(c, smooth_law(c.spec, c.data, c.lower, c.upper, epsilon, gamma),
                                    by_smooth(epsilon, gamma)));
    }
  }
}

TEST(GlobalQuantile, ExactProbabilities) {
  for (const Case& c : cases()) {
    for (const double epsilon : {1.0, 8.0}) {
      const Real rate = epsilon / static_cast<Real>(c.upper - c.lower);
      EXPECT_ACCEPTED(
          check_answers(c, laplace_law(c.at(), rate, c.lower, c.upper), by_global(epsilon)));
    }
  }
}

// The answer with a given scale of the noise, in doubles.
Answer with_scale(Real scale, int gamma, bool down = false) {
  return [=](const Case& c, BitSource& bits) {
    const Real shift = scale * static_cast<Real>(drawn(gamma, bits));
    const Real y = static_cast<Real>(c.at()) + (down ? std::floor(shift) : std::round(shift));
    const auto lower = static_cast<Real>(c.lower), upper = static_cast<Real>(c.upper);
    return mpz_class(static_cast<long>(std::clamp(y, lower, upper)));
  };
}

TEST(SmoothQuantile, MutantsAreRejected) {
  const Case c = cases()[5];
  const double epsilon = 8;
  for (const int gamma : kGammas) {
    const Law law = smooth_law(c.spec, c.data, c.lower, c.upper, epsilon, gamma);
    const Real g = gamma, s = brute_smooth(c.data, c.rank(), c.lower, c.upper, epsilon / g);
    const auto local = static_cast<Real>(brute_gap(c.data, c.rank(), c.lower, c.upper, 0));
    ASSERT_LT(local, 0.9L * brute_smooth(c.data, c.rank(), c.lower, c.upper, 1 / g));
    const Real scale = 4 * g / epsilon;
    EXPECT_ACCEPTED(check_answers(c, law, with_scale(scale * s, gamma)));
    EXPECT_REJECTED(check_answers(c, law, with_scale(scale * s / 2, gamma), kFewDraws));
    EXPECT_REJECTED(check_answers(c, law, with_scale(scale * s, gamma, true), 2 * kFewDraws));
    EXPECT_REJECTED(check_answers(c, law, with_scale(0, gamma), kFewDraws));
    EXPECT_REJECTED(check_answers(c, law, by_smooth(epsilon * 1.25, gamma), kFewDraws));
    // local sensitivity instead of smooth, at an epsilon where they differ
    const Law wide = smooth_law(c.spec, c.data, c.lower, c.upper, 1, gamma);
    EXPECT_REJECTED(check_answers(c, wide, with_scale(4 * g * local, gamma), kFewDraws));
  }
}

}  // namespace
}  // namespace idp::test

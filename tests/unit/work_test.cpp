// The work of a draw does not tell what was drawn: how many words it takes is independent of the
// noise. Time itself is measured by bench/micro/timing.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/gradual/draws/process.h"
#include "core/random/draws/discrete_laplace.h"
#include "core/random/draws/short_geometric.h"

namespace idp::test {

class CountedWords {
 public:
  static constexpr int kWordBits = 64;
  std::uint64_t word() {
    ++count;
    return random_();
  }
  double count = 0;

 private:
  std::mt19937_64 random_{1};
};
mpz_class geometric(const Rate& rate, CountedWords& source) {
  return draws::long_geometric(rate, source);
}

namespace {

// Pearson's coefficient of |noise| and the words drawn.
template <class Draw>
double correlation(Draw draw) {
  constexpr int kDraws = 40000;
  CountedWords words;
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (int i = 0; i < kDraws; ++i) {
    words.count = 0;
    const double size = std::abs(static_cast<double>(draw(words)));
    x += size, xx += size * size;
    y += words.count, yy += words.count * words.count;
    xy += size * words.count;
  }
  return (kDraws * xy - x * y) / std::sqrt((kDraws * xx - x * x) * (kDraws * yy - y * y));
}

constexpr double kFourSigmas = 0.02;

TEST(WorkOfADraw, IsIndependentOfTheNoise) {
  for (const Uint128 sensitivity : {Uint128{1}, Uint128{1000}, Uint128{1} << 40}) {
    const auto rate = ShortRate::of(0.5, sensitivity);
    const Rate coarse = Rate::of(0.5, draws::as_long(sensitivity)),
               fine = Rate::of(1, draws::as_long(sensitivity));
    EXPECT_LT(std::abs(correlation([&](CountedWords& words) {
                return draws::short_discrete_laplace(*rate, words).value;
              })),
              kFourSigmas);
    EXPECT_LT(std::abs(correlation([&](CountedWords& words) {
                return draws::relax(3, coarse, fine, words).get_d();
              })),
              kFourSigmas);
    EXPECT_LT(std::abs(correlation([&](CountedWords& words) {
                return draws::tighten(0, coarse, fine, words).get_d();
              })),
              kFourSigmas);
  }
}

// counting flips of exp(-1) one by one, as the sources do it
TEST(WorkOfADraw, OfALoopShows) {
  EXPECT_GT(correlation([](CountedWords& words) {
              double noise = 0;
              while (draws::bernoulli_exp_from(1, 1, 1, words)) ++noise;
              return noise;
            }),
            0.5);
}

}  // namespace
}  // namespace idp::test

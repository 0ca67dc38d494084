// Named releases with the operating system's randomness: the joint law of the noise at all levels,
// through noise_at(), of several values and of several epsilons; with mutants that must fail.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/gradual/release.h"
#include "tests/statistical/gradual_checks.h"

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

using Epsilons = std::vector<double>;
using Released = std::vector<ReleasedLevel>;

// Asks for the next level and keeps it.
const std::vector<mpz_class>& ask(const Frozen& frozen, Released& levels, const Epsilons& epsilons,
                                  BitSource& bits) {
  levels.push_back({epsilons, noise_at(frozen, levels, epsilons, bits, nullptr)});
  return levels.back().noise;
}

ChainSampler named(const Frozen& frozen, const std::array<Epsilons, 3>& epsilons,
                   const std::array<std::size_t, 3>& order) {
  return [=](BitSource& bits) {
    Released levels;
    Noises noises;
    for (const std::size_t i : order) noises[i] = ask(frozen, levels, epsilons[i], bits)[0];
    return noises;
  };
}

// A rational sensitivity, 25/8: the rates are those of a sensitivity 25 at eight times epsilon.
TEST(NamedRelease, HasTheLawOfAChain) {
  const Frozen frozen = freeze_noisy({3}, {mpq_class(25, 8)});
  const std::array<Epsilons, 3> epsilons{Epsilons{0.5}, Epsilons{1}, Epsilons{3}};
  const Levels levels{{4, 8, 24}, 25};
  for (const auto& order : {std::array<std::size_t, 3>{0, 1, 2}, {2, 0, 1}}) {
    EXPECT_ACCEPTED(check_chain(named(frozen, epsilons, order), levels, kFewDraws));
  }
  const ChainSampler forgets = [&](BitSource& bits) {
    Noises noises;
    for (std::size_t i = 0; i < 3; ++i) {
      noises[i] = noise_at(frozen, {}, epsilons[i], bits, nullptr)[0];
    }
    return noises;
  };
  EXPECT_REJECTED(check_chain(forgets, levels, kFewDraws / 4));
  // as if the sensitivity were 5/2
  EXPECT_REJECTED(check_chain(named(freeze_noisy({3}, {mpq_class(5, 2)}), epsilons, {0, 1, 2}),
                              levels, kFewDraws));
}

// Sensitivities 1 and 4 at distances 1 and 2. Levels of the rates 1/2, 1 and 3, which their first
// epsilons, 9, 1 and 3, would put in another order.
TEST(NamedRelease, GroupLevelsGoByTheirRates) {
  Frozen frozen = freeze_noisy({3}, {1});
  frozen.sensitivities[0].emplace_back(4);
  const std::array<Epsilons, 3> epsilons{Epsilons{9, 2}, Epsilons{1, 9}, Epsilons{3, 12}};
  const Levels levels{{0.5, 1, 3}, 1};
  EXPECT_ACCEPTED(check_chain(named(frozen, epsilons, {0, 2, 1}), levels, kFewDraws));
  EXPECT_ACCEPTED(check_chain(named(frozen, epsilons, {1, 0, 2}), levels, kFewDraws));
  const ChainSampler by_first = [&](BitSource& bits) {
    Chain chain;
    Noises noises;
    for (std::size_t i = 0; i < 3; ++i) noises[i] = chain.at(Rate::of(epsilons[i][0], 1), bits);
    return noises;
  };
  EXPECT_REJECTED(check_chain(by_first, levels, kFewDraws / 4));
}

// The values of a variance have sensitivities of their own, the buckets of a histogram share one.
TEST(NamedRelease, ValuesAreIndependent) {
  const Epsilons coarse{0.5}, fine{1.5};
  const struct {
    Frozen frozen;
    PartRates rates;
  } cases[] = {{freeze_noisy({8, 9}, {2}), {{{0.25L, 0.75L}, {0.25L, 0.75L}}}},
               {freeze_noisy({8, 9}, {1, mpq_class(1, 2)}), {{{0.5L, 1.5L}, {1, 3}}}}};
  for (const auto& [frozen, rates] : cases) {
    const auto draw = [&frozen](const Epsilons& first, const Epsilons& second, BitSource& bits) {
      Released levels;
      ask(frozen, levels, first, bits);
      ask(frozen, levels, second, bits);
      return levels;
    };
    const auto parts = [](const ReleasedLevel& c, const ReleasedLevel& f) {
      return Parts{{{c.noise[0], f.noise[0]}, {c.noise[1], f.noise[1]}}};
    };
    const PartsSampler relaxed = [&](BitSource& bits) {
      const Released levels = draw(coarse, fine, bits);
      return parts(levels[0], levels[1]);
    };
    const PartsSampler tightened = [&](BitSource& bits) {
      const Released levels = draw(fine, coarse, bits);
      return parts(levels[1], levels[0]);
    };
    EXPECT_ACCEPTED(check_parts(relaxed, rates, kFewDraws));
    EXPECT_ACCEPTED(check_parts(tightened, rates, kFewDraws));
  }
  // one noise for both values; one step for both
  const PartsSampler same = [&](BitSource& bits) {
    Released levels;
    const Frozen one = freeze_noisy({8}, {2});
    const mpz_class c = ask(one, levels, coarse, bits)[0], f = ask(one, levels, fine, bits)[0];
    return Parts{{{c, f}, {c, f}}};
  };
  const PartsSampler same_step = [&](BitSource& bits) {
    Released levels;
    const Frozen& both = cases[0].frozen;
    const auto f = ask(both, levels, fine, bits), c = ask(both, levels, coarse, bits);
    return Parts{{{c[0], f[0]}, {f[1] + c[0] - f[0], f[1]}}};
  };
  EXPECT_REJECTED(check_parts(same, cases[0].rates, kFewDraws / 4));
  EXPECT_REJECTED(check_parts(same_step, cases[0].rates, kFewDraws / 4));
}

}  // namespace
}  // namespace idp::test

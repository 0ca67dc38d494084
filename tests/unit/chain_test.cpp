// The bookkeeping of a chain: which step draws a level, what is repeated, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/gradual/chain.h"
#include "core/gradual/process.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

const mpz_class kDelta = 1000;

Rate rate_of(double epsilon) { return Rate::of(epsilon, kDelta); }

// Bits that must not be asked for.
class NoBits : public BitSource {
 public:
  struct Asked {};

 protected:
  void refill(Block&) override { throw Asked{}; }
};

Level level(double epsilon, mpz_class noise) { return {rate_of(epsilon), std::move(noise)}; }

const std::vector<Level> kStored{level(0.5, -1200), level(1, 300), level(3, 310)};

// The same words through the chain and through the step it should take.
TEST(Chain, TakesTheStepThatFits) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeededBits chain_bits(seed), step_bits(seed);
    Chain first;
    EXPECT_EQ(first.at(rate_of(1), chain_bits), discrete_laplace(rate_of(1), step_bits));

    Chain chain(kStored);
    const mpz_class finest = chain.at(rate_of(4), chain_bits);
    EXPECT_EQ(finest, relax(310, rate_of(3), rate_of(4), step_bits));
    const mpz_class coarsest = chain.at(rate_of(0.25), chain_bits);
    EXPECT_EQ(coarsest, tighten(-1200, rate_of(0.25), rate_of(0.5), step_bits));
    const mpz_class middle = chain.at(rate_of(0.75), chain_bits);
    EXPECT_EQ(middle, between(-1200, 300, rate_of(0.5), rate_of(0.75), rate_of(1), step_bits));
    const mpz_class near =
        chain.at(rate_of(3.5), chain_bits);  // next to a level that is new itself
    EXPECT_EQ(near, between(310, finest, rate_of(3), rate_of(3.5), rate_of(4), step_bits));
    EXPECT_EQ(chain_bits.word(), step_bits.word());

    EXPECT_EQ(chain.levels(), (std::vector<Level>{level(0.25, coarsest), level(0.5, -1200),
                                                  level(0.75, middle), level(1, 300), level(3, 310),
                                                  level(3.5, near), level(4, finest)}));
  }
}

TEST(Chain, RepeatsWhatWasReleased) {
  NoBits none;
  Chain chain(kStored);
  for (const auto& [rate, noise] : kStored) EXPECT_EQ(chain.at(rate, none), noise);
  EXPECT_EQ(chain.levels(), kStored);

  SeededBits bits(1);
  const mpz_class drawn = chain.at(rate_of(2), bits);
  EXPECT_EQ(chain.at(rate_of(2), none), drawn);
  EXPECT_EQ(chain.levels().size(), 4u);
}

TEST(Chain, IsUnchangedIfTheSourceFails) {
  NoBits none;
  Chain chain(kStored), empty;
  for (const double epsilon : {0.1, 0.7, 5.0}) {
    EXPECT_THROW(chain.at(rate_of(epsilon), none), NoBits::Asked);
  }
  EXPECT_EQ(chain.levels(), kStored);
  EXPECT_THROW(empty.at(rate_of(1), none), NoBits::Asked);
  EXPECT_TRUE(empty.levels().empty());
}

// Levels are numbers, however they are written.
TEST(Chain, ComparesRatesAsNumbers) {
  NoBits none;
  Chain chain({{{1, 3}, -5}, {{1, 2}, 7}});
  EXPECT_EQ(chain.at({2, 6}, none), -5);
  EXPECT_EQ(chain.at({500, 1000}, none), 7);
  EXPECT_EQ(chain.levels(), (std::vector<Level>{{{2, 6}, -5}, {{3, 6}, 7}}));
  EXPECT_THROW(chain.at({mpz_class(1000001), mpz_class(2000000)}, none), NoBits::Asked);
  const mpz_class large = mpz_class(1) << 2000;
  SeededBits bits(1);
  EXPECT_NO_THROW(Chain({{{large, large + 1}, 0}, {{1, 1}, 0}, {{large + 1, large}, 0}}));
  EXPECT_THROW(Chain({{{1, 1}, 0}, {{large, large + 1}, 0}}), std::invalid_argument);
  EXPECT_THROW(Chain({{{1, 2}, 0}, {{2, 4}, 0}}), std::invalid_argument);
}

// Rates of several sensitivities in one chain.
TEST(Chain, TakesAnyRates) {
  const Rate coarse = Rate::of(0.5, 7), middle = Rate::of(0.3, 2), fine = Rate::of(1, 5);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeededBits chain_bits(seed), step_bits(seed);
    Chain chain;
    const mpz_class first = chain.at(coarse, chain_bits), last = chain.at(fine, chain_bits);
    EXPECT_EQ(first, discrete_laplace(coarse, step_bits));
    EXPECT_EQ(last, relax(first, coarse, fine, step_bits));
    EXPECT_EQ(chain.at(middle, chain_bits), between(first, last, coarse, middle, fine, step_bits));
  }
}

TEST(Chain, RefusesWhatIsNoChain) {
  SeededBits bits(1);
  Chain chain(kStored);
  const Rate none[] = {{0, 1}, {-1, 1}, {1, 0}, {1, -1}, {-1, -1}, {}};
  for (const Rate& rate : none) {
    EXPECT_THROW(chain.at(rate, bits), std::invalid_argument);
    EXPECT_THROW(Chain({{rate, 0}}), std::invalid_argument);
    EXPECT_THROW(Chain({level(0.5, 0), {rate, 0}}), std::invalid_argument);
  }
  EXPECT_EQ(chain.levels(), kStored);
  EXPECT_THROW(Chain({level(1, 0), level(1, 0)}), std::invalid_argument);
  EXPECT_THROW(Chain({level(1, 0), level(2, 0), level(1.5, 0)}), std::invalid_argument);
  EXPECT_NO_THROW(Chain({level(5e-324, 0), level(1e-323, 0), level(1.7976931348623157e308, 0)}));
  try {
    Chain({level(0.5, 31337), level(0.25, 31337)});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "the levels of a chain must ascend");  // and no value
  }
}

// The whole range of a double, in a mixed order.
TEST(Chain, ExtremeLevels) {
  SeededBits bits(4);
  for (const mpz_class& delta : {mpz_class(1), mpz_class(mpz_class(1) << 100)}) {
    Chain chain;
    for (const double e : {1.0, 1e300, 5e-324, 1e-9, 1e-310, 1e30, std::nextafter(1.0, 2.0), 0.1,
                           1.7976931348623157e308, 1e-323, 1e-200, 20.0}) {
      chain.at(Rate::of(e, delta), bits);
    }
    EXPECT_EQ(chain.levels().size(), 12u);
    EXPECT_EQ(chain.levels().back().noise, 0);
    EXPECT_NO_THROW(Chain(chain.levels()));
  }
}

}  // namespace
}  // namespace idp::test

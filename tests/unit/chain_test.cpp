// The bookkeeping of a chain: which step draws a level, what is repeated, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
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

const std::vector<Level> kStored{{0.5, -1200}, {1, 300}, {3, 310}};

// The same words through the chain and through the step it should take.
TEST(Chain, TakesTheStepThatFits) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeededBits chain_bits(seed), step_bits(seed);
    Chain first(kDelta);
    EXPECT_EQ(first.at(1, chain_bits), discrete_laplace(rate_of(1), step_bits));

    Chain chain(kDelta, kStored);
    const mpz_class finest = chain.at(4, chain_bits);
    EXPECT_EQ(finest, relax(310, rate_of(3), rate_of(4), step_bits));
    const mpz_class coarsest = chain.at(0.25, chain_bits);
    EXPECT_EQ(coarsest, tighten(-1200, rate_of(0.25), rate_of(0.5), step_bits));
    const mpz_class middle = chain.at(0.75, chain_bits);
    EXPECT_EQ(middle, between(-1200, 300, rate_of(0.5), rate_of(0.75), rate_of(1), step_bits));
    const mpz_class near = chain.at(3.5, chain_bits);  // next to a level that is new itself
    EXPECT_EQ(near, between(310, finest, rate_of(3), rate_of(3.5), rate_of(4), step_bits));
    EXPECT_EQ(chain_bits.word(), step_bits.word());

    EXPECT_EQ(chain.levels(), (std::vector<Level>{{0.25, coarsest},
                                                  {0.5, -1200},
                                                  {0.75, middle},
                                                  {1, 300},
                                                  {3, 310},
                                                  {3.5, near},
                                                  {4, finest}}));
  }
}

TEST(Chain, RepeatsWhatWasReleased) {
  NoBits none;
  Chain chain(kDelta, kStored);
  for (const auto& [epsilon, noise] : kStored) EXPECT_EQ(chain.at(epsilon, none), noise);
  EXPECT_EQ(chain.levels(), kStored);
  EXPECT_EQ(chain.sensitivity(), kDelta);

  SeededBits bits(1);
  const mpz_class drawn = chain.at(2, bits);
  EXPECT_EQ(chain.at(2, none), drawn);
  EXPECT_EQ(chain.levels().size(), 4u);
}

TEST(Chain, IsUnchangedIfTheSourceFails) {
  NoBits none;
  Chain chain(kDelta, kStored), empty(kDelta);
  for (const double epsilon : {0.1, 0.7, 5.0}) {
    EXPECT_THROW(chain.at(epsilon, none), NoBits::Asked);
  }
  EXPECT_EQ(chain.levels(), kStored);
  EXPECT_THROW(empty.at(1, none), NoBits::Asked);
  EXPECT_TRUE(empty.levels().empty());
}

TEST(Chain, SensitivityZeroHasNoNoise) {
  NoBits none;
  Chain chain(0);
  for (const double epsilon : {1.0, 0.1, 5.0, 0.5}) EXPECT_EQ(chain.at(epsilon, none), 0);
  EXPECT_EQ(chain.levels(), (std::vector<Level>{{0.1, 0}, {0.5, 0}, {1, 0}, {5, 0}}));
  EXPECT_NO_THROW(Chain(0, {{1, 0}}));
  EXPECT_THROW(Chain(0, {{1, 0}, {2, 1}}), std::invalid_argument);
}

TEST(Chain, RefusesWhatIsNoChain) {
  const double infinity = std::numeric_limits<double>::infinity();
  SeededBits bits(1);
  Chain chain(kDelta, kStored);
  for (const double epsilon : {0.0, -0.0, -1.0, infinity, -infinity, std::nan("")}) {
    EXPECT_THROW(chain.at(epsilon, bits), std::invalid_argument);
    EXPECT_THROW(Chain(kDelta, {{epsilon, 0}}), std::invalid_argument);
    EXPECT_THROW(Chain(kDelta, {{0.5, 0}, {epsilon, 0}}), std::invalid_argument);
  }
  EXPECT_EQ(chain.levels(), kStored);
  EXPECT_THROW(Chain(kDelta, {{1, 0}, {1, 0}}), std::invalid_argument);
  EXPECT_THROW(Chain(kDelta, {{1, 0}, {2, 0}, {1.5, 0}}), std::invalid_argument);
  EXPECT_THROW(Chain(-1), std::invalid_argument);
  EXPECT_NO_THROW(Chain(kDelta, {{5e-324, 0}, {1e-323, 0}, {1.7976931348623157e308, 0}}));
  try {
    Chain(kDelta, {{0.5, 31337}, {0.25, 31337}});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "the levels of a chain must ascend");  // and no value
  }
}

// The whole range of a double, in a mixed order.
TEST(Chain, ExtremeLevels) {
  SeededBits bits(4);
  for (const mpz_class& delta : {mpz_class(1), mpz_class(mpz_class(1) << 100)}) {
    Chain chain(delta);
    for (const double e : {1.0, 1e300, 5e-324, 1e-9, 1e-310, 1e30, std::nextafter(1.0, 2.0), 0.1,
                           1.7976931348623157e308, 1e-323, 1e-200, 20.0}) {
      chain.at(e, bits);
    }
    EXPECT_EQ(chain.levels().size(), 12u);
    EXPECT_EQ(chain.levels().back().noise, 0);
    EXPECT_NO_THROW(Chain(delta, chain.levels()));
  }
}

}  // namespace
}  // namespace idp::test

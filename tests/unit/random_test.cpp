// The exact samplers, with replayed words whose decisions are worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/grid/grid.h"
#include "core/random/bernoulli.h"
#include "core/random/discrete_laplace.h"
#include "core/random/draws/short_geometric.h"
#include "core/random/short_geometric.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kMax = ~std::uint64_t{0};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
constexpr std::uint64_t kThird = 0x5555555555555555;  // every digit of 1/3 in base 2^64

mpz_class power_of_two(unsigned long exponent) { return mpz_class(1) << exponent; }

// What draw() returns on exactly these words; fails if it uses fewer or more of them.
template <class Draw>
auto replay(Words words, Draw draw) {
  ReplayBits bits(std::move(words));
  const auto result = draw(bits);
  EXPECT_EQ(bits.finish(), 0u) << "words were left over";
  return result;
}

bool coin(const mpz_class& n, const mpz_class& d, Words words) {
  return replay(std::move(words), [&](BitSource& bits) { return bernoulli(n, d, bits); });
}
bool exp_coin(const mpz_class& n, const mpz_class& d, Words words) {
  return replay(std::move(words), [&](BitSource& bits) { return bernoulli_exp(n, d, bits); });
}
mpz_class below(const mpz_class& bound, Words words) {
  return replay(std::move(words), [&](BitSource& bits) { return uniform_below(bound, bits); });
}
mpz_class geo(const Rate& rate, Words words) {
  return replay(std::move(words), [&](BitSource& bits) { return geometric(rate, bits); });
}
mpz_class laplace(const Rate& rate, Words words) {
  return replay(std::move(words), [&](BitSource& bits) { return discrete_laplace(rate, bits); });
}

TEST(ReplayBits, ThrowsWhenExhausted) {
  ReplayBits bits({1, 2});
  EXPECT_EQ(bits.word(), 1u);
  EXPECT_EQ(bits.word(), 2u);
  bits.word();
  EXPECT_THROW(bits.finish(), ReplayBits::Exhausted);
  ReplayBits unused({1, 2, 3});
  unused.word();
  EXPECT_EQ(unused.finish(), 2u);
  ReplayBits none({});
  for (std::size_t i = 0; i < BitSource::kBlockWords; ++i) none.word();
  EXPECT_THROW(none.word(), ReplayBits::Exhausted);
}

// Fills blocks with 1, 2, 3, … and remembers where.
class CountingBits : public BitSource {
 public:
  Block* block = nullptr;
  int refills = 0;

 protected:
  void refill(Block& b) override {
    block = &b;
    for (auto& w : b) w = ++count_;
    ++refills;
  }

 private:
  std::uint64_t count_ = 0;
};

TEST(BitSource, WordsAreWipedOnceUsed) {
  CountingBits bits;
  for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(bits.word(), i);
  for (std::size_t i = 0; i < BitSource::kBlockWords; ++i) {
    EXPECT_EQ((*bits.block)[i], i < 3 ? 0 : i + 1);
  }
}

TEST(BitSource, RefillsWhenABlockIsUsedUp) {
  CountingBits bits;
  for (std::uint64_t i = 1; i <= 2 * BitSource::kBlockWords; ++i) EXPECT_EQ(bits.word(), i);
  EXPECT_EQ(bits.refills, 2);
}

TEST(BitSource, DiscardForgetsTheRestOfTheBlock) {
  CountingBits bits;
  bits.word();
  bits.discard();
  for (const auto w : *bits.block) EXPECT_EQ(w, 0u);
  EXPECT_EQ(bits.word(), BitSource::kBlockWords + 1);
}

TEST(BitSource, AFailedRefillIsTriedAgain) {
  struct Failing : BitSource {
    bool fail = true;
    void refill(Block& block) override {
      block.fill(7);
      if (fail) throw std::runtime_error("no entropy");
    }
  } bits;
  EXPECT_THROW(bits.word(), std::runtime_error);
  EXPECT_THROW(bits.word(), std::runtime_error);
  bits.fail = false;
  EXPECT_EQ(bits.word(), 7u);
}

TEST(UniformBits, TakesTheHighBitsOfWords) {
  const auto draw = [](unsigned long n, Words words) {
    return replay(std::move(words), [&](BitSource& bits) { return uniform_bits(n, bits); });
  };
  EXPECT_EQ(draw(0, {}), 0);
  EXPECT_EQ(draw(1, {kHalf}), 1);
  EXPECT_EQ(draw(1, {kHalf - 1}), 0);
  EXPECT_EQ(draw(64, {kMax}), power_of_two(64) - 1);
  EXPECT_EQ(draw(65, {1, kHalf}), 3);
  EXPECT_EQ(draw(128, {1, 2}), power_of_two(64) + 2);
}

TEST(UniformBelow, RejectsWhatIsNotBelow) {
  EXPECT_EQ(below(1, {}), 0);
  EXPECT_EQ(below(2, {kHalf}), 1);
  const auto three = [](std::uint64_t v) { return v << 61; };  // v in the three high bits
  for (std::uint64_t v = 0; v < 5; ++v) EXPECT_EQ(below(5, {three(v)}), v);
  EXPECT_EQ(below(5, {three(5), three(7), three(6), three(4)}), 4);
  EXPECT_EQ(below(power_of_two(64), {kMax}), power_of_two(64) - 1);
  EXPECT_EQ(below(power_of_two(64) + 1, {kHalf, 0}), power_of_two(64));  // 65 bits: the last value
  EXPECT_EQ(below(power_of_two(64) + 1, {kHalf, kHalf, 1, 0}), 2);       // one too many: again
}

TEST(Bernoulli, CertainOutcomesDrawNothing) {
  EXPECT_FALSE(coin(0, 1, {}));
  EXPECT_FALSE(coin(0, power_of_two(200), {}));
  EXPECT_TRUE(coin(1, 1, {}));
  EXPECT_TRUE(coin(power_of_two(200), power_of_two(200), {}));
}

TEST(Bernoulli, TheFirstDifferentWordDecides) {
  EXPECT_TRUE(coin(1, 2, {kHalf - 1}));
  EXPECT_FALSE(coin(1, 2, {kHalf}));  // the expansion of 1/2 ends there: not below
  EXPECT_FALSE(coin(1, 2, {kHalf + 1}));
  EXPECT_TRUE(coin(1, 3, {0}));
  EXPECT_TRUE(coin(1, 3, {kThird - 1}));
  EXPECT_FALSE(coin(1, 3, {kThird + 1}));
  EXPECT_FALSE(coin(1, 3, {kMax}));
  EXPECT_TRUE(coin(1, 3, {kThird, kThird - 1}));
  EXPECT_FALSE(coin(1, 3, {kThird, kThird + 1}));
  EXPECT_TRUE(coin(1, 3, {kThird, kThird, kThird, 0}));
  EXPECT_FALSE(coin(1, 3, {kThird, kThird, kThird, kMax}));
  EXPECT_TRUE(coin(kMax - 1, kMax, {kMax - 1, 0}));  // a denominator of a whole word
}

TEST(Bernoulli, LongDenominators) {
  const mpz_class n = power_of_two(100), d = 3 * n;
  EXPECT_TRUE(coin(n, d, {kThird - 1}));
  EXPECT_FALSE(coin(n, d, {kThird + 1}));
  EXPECT_TRUE(coin(n, d, {kThird, kThird, 0}));
  EXPECT_FALSE(coin(n, d, {kThird, kThird, kMax}));
  EXPECT_FALSE(coin(n, 2 * n, {kHalf}));
  EXPECT_TRUE(coin(n, 2 * n, {kHalf - 1}));
  // 2^-100 = 0 . 0 2^28: the first word must be 0, the second below 2^28
  EXPECT_FALSE(coin(1, n, {1}));
  EXPECT_TRUE(coin(1, n, {0, (std::uint64_t{1} << 28) - 1}));
  EXPECT_FALSE(coin(1, n, {0, std::uint64_t{1} << 28}));
}

// The coin is "a uniform real U is below n/d": compared here with rational arithmetic, on words
// close to the digits of n/d, where the decision is made late.
TEST(Bernoulli, AgreesWithRationalArithmetic) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    SeededBits source(random());
    const mpz_class d = 1 + uniform_bits(1 + random() % 200, source);
    const mpz_class n = uniform_below(d, source);
    if (n == 0) continue;
    mpz_class digits = (n << 256) / d;  // four words
    const long shift = static_cast<long>(random() % 3) - 1;
    digits += shift << (random() % 20);
    if (digits < 0 || digits >= power_of_two(256)) continue;
    Words words;
    for (int w = 3; w >= 0; --w) words.push_back(mpz_class(digits >> (64 * w)).get_ui());
    ReplayBits bits(words);
    const bool heads = bernoulli(n, d, bits);
    // U lies in [digits, digits + 1) / 2^256. If that interval holds n/d, no more than the four
    // words can have been needed unless the expansion goes on: then nothing is checked.
    if (digits * d >= n << 256) {
      EXPECT_FALSE(heads);
    } else if ((digits + 1) * d <= n << 256) {
      EXPECT_TRUE(heads);
    }
  }
}

// The words of a coin exp(-g), g <= 1, whose flips have these: two for each of the first four, one
// for each of the others. The rest of them are tails.
Words flips(const Words& words) {
  Words all = words;
  all.resize(26, kMax);
  return all;
}

TEST(BernoulliExp, TheParityOfTheFirstTailsDecides) {
  EXPECT_TRUE(exp_coin(0, 1, flips({})));
  EXPECT_TRUE(exp_coin(0, power_of_two(100), flips({0, 0, 0, 0})));
  // exp(-1): flips 1/1 (certain), 1/2, 1/3, 1/4
  EXPECT_FALSE(exp_coin(1, 1, flips({})));                           // tails at flip 2
  EXPECT_TRUE(exp_coin(1, 1, flips({kMax, 0, 0, 0})));               // at flip 3
  EXPECT_FALSE(exp_coin(1, 1, flips({kMax, kMax, 0, 0, 0, 0})));     // at flip 4
  EXPECT_TRUE(exp_coin(1, 1, flips({0, 0, 0, 0, 0, 0, 0, 0})));      // at flip 5
  EXPECT_FALSE(exp_coin(1, 1, flips({0, 0, 0, 0, 0, 0, 0, 0, 0})));  // at flip 6
  EXPECT_FALSE(exp_coin(1, 1, flips({0, 0, kHalf, 0})));
  EXPECT_TRUE(exp_coin(1, 1, flips({0, 0, kHalf - 1, kMax, kThird + 1, 0})));
  EXPECT_FALSE(exp_coin(1, 1, flips({0, 0, kHalf - 1, 0, kThird, kThird - 1, kMax})));
  // exp(-1/2): flips 1/2, 1/4, …
  EXPECT_TRUE(exp_coin(1, 2, flips({kHalf, 0})));
  EXPECT_FALSE(exp_coin(1, 2, flips({kHalf - 1, 0, std::uint64_t{1} << 62, 0})));
  EXPECT_TRUE(exp_coin(1, 2, flips({0, 0, 0, 0, kMax})));
}

TEST(BernoulliExp, FlipsThatTheirWordsDoNotDecideGoOnIfTheyMatter) {
  // flip 3 of exp(-1) is 1/3, of two words, flip 5 is 1/5, of one
  const std::uint64_t kFifth = 0x3333333333333333;
  for (const std::uint64_t next : {std::uint64_t{0}, kMax}) {
    Words third = flips({0, 0, 0, 0, kThird, kThird});
    third.insert(third.begin() + 6, next);
    EXPECT_EQ(exp_coin(1, 1, third), next == kMax);  // tails at flip 3, or at 4
    Words fifth = flips({0, 0, 0, 0, 0, 0, 0, 0, kFifth});
    fifth.insert(fifth.begin() + 9, next);
    EXPECT_EQ(exp_coin(1, 1, fifth), next == kMax);
  }
  EXPECT_FALSE(exp_coin(1, 1, flips({0, 0, kMax, kMax, kThird, kThird, 0, 0, kFifth})));
}

TEST(BernoulliExp, MoreFlipsThanAreMade) {
  // flips 1 to 22 are heads; flip 23 decides, of odd number
  EXPECT_TRUE(exp_coin(1, 1, joined({Words(26, 0), {kMax}})));
  EXPECT_FALSE(exp_coin(1, 1, joined({Words(26, 0), {0, kMax}})));
}

TEST(BernoulliExp, LargeExponentsAreProducts) {
  // exp(-5/2) = exp(-1/2) Pr[V >= 2]
  const Words tails = exp_coin_words(1), heads = exp_coin_words(0);
  for (int v = 0; v < 5; ++v) {
    EXPECT_FALSE(exp_coin(5, 2, joined({tails, unit_words(v)})));
    EXPECT_EQ(exp_coin(5, 2, joined({heads, unit_words(v)})), v >= 2);
    EXPECT_EQ(exp_coin(2, 1, joined({heads, unit_words(v)})), v >= 2);  // nothing is left
  }
  EXPECT_FALSE(exp_coin(power_of_two(1000), 1, joined({heads, unit_words(40)})));
}

unsigned long unit(Words words) {
  return replay(std::move(words), [](BitSource& bits) { return unit_geometric(bits); });
}

TEST(UnitGeometric, CountsThePowersAboveU) {
  for (int v = 0; v < 43; ++v) EXPECT_EQ(unit(unit_words(v)), static_cast<unsigned long>(v));
  EXPECT_EQ(unit({kMax, kMax}), 0u);
  // exp(-1) to 192 bits; above, below and beyond two words of it
  const std::uint64_t first = 0x5e2d58d8b3bcdf1a, second = 0xbadec7829054f90d;
  const std::uint64_t third = mpz_class(enclose_exp(1, 1, 192).low % power_of_two(64)).get_ui();
  EXPECT_EQ(unit({first, second + 1}), 0u);
  EXPECT_EQ(unit({first, second - 1}), 1u);
  EXPECT_EQ(unit({first, second, third + 1}), 0u);
  EXPECT_EQ(unit({first, second, third - 1}), 1u);
  // U below exp(-48): 2^-128 … 2^-192
  EXPECT_EQ(unit({0, 1}), 88u);         // ln 2^128 = 88.7
  EXPECT_EQ(unit({0, 0, 1, 0}), 133u);  // ln 2^192 = 133.1
}

TEST(RateOf, IsTheExactQuotient) {
  const auto expect = [](double epsilon, const mpz_class& sensitivity) {
    const Rate rate = Rate::of(epsilon, sensitivity);
    EXPECT_EQ(mpq_class(rate.numerator) / rate.denominator, mpq_class(epsilon) / sensitivity);
    EXPECT_GT(rate.numerator, 0);
  };
  std::mt19937_64 random(2);
  for (const double epsilon : {1.0, 0.1, 2.0, 5e-324, 1e-310, 1e-300, 1e300, 1.7976931348623157e308,
                               0x1p-40, 0x1.8p-1074 + 0x1p-1073}) {
    expect(epsilon, 1);
    expect(epsilon, static_cast<unsigned long>(random()));
    expect(epsilon, power_of_two(2000) + 1);
  }
  EXPECT_EQ(Rate::of(1, 7).numerator, 1);
  EXPECT_EQ(Rate::of(1, 7).denominator, 7);
  EXPECT_EQ(Rate::of(0.5, 7).denominator, 14);
  EXPECT_EQ(Rate::of(6, 1).numerator, 6);
}

TEST(Geometric, ReplayedWords) {
  // alpha = exp(-1): U is 0 and kept
  for (int v = 0; v < 9; ++v) EXPECT_EQ(geo({1, 1}, geometric_words(v)), v);
  // alpha = exp(-2/3): U on {0, 1, 2}, kept with exp(-U/3), then floor((U + 3 V) / 2)
  const Words u0{0}, u1{std::uint64_t{1} << 62}, u2{kHalf}, u3{3 * u1[0]};
  const Words rejected = exp_coin_words(1);
  EXPECT_EQ(geo({2, 3}, geometric_words(0, u0)), 0);
  EXPECT_EQ(geo({2, 3}, geometric_words(0, u2)), 1);
  EXPECT_EQ(geo({2, 3}, joined({u3, geometric_words(0, u2)})), 1);  // 3 is not below 3
  EXPECT_EQ(geo({2, 3}, joined({u1, rejected, geometric_words(0, u0)})), 0);
  EXPECT_EQ(geo({2, 3}, geometric_words(1, u1)), 2);  // (1 + 3) / 2
  EXPECT_EQ(geo({2, 3}, geometric_words(2, u2)), 4);  // (2 + 6) / 2
}

TEST(SteadyQuotient, IsTheQuotient) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const auto number = [&] {
      const Uint128 v = draws::two_words(random(), random());
      return v >> (random() % 127 + 1);
    };
    const Uint128 x = number(), n = number() | 1;
    ASSERT_TRUE(draws::steady_quotient(x, n) == x / n);
  }
}

TEST(Geometric, ShortIsWordForWordLikeLong) {
  std::vector<mpz_class> sizes;
  for (const unsigned long bits :
       {0, 1, 2, 5, 31, 32, 53, 62, 63, 64, 65, 66, 100, 117, 118, 119}) {
    for (const long more : {-1, 0, 1}) {
      const mpz_class size = power_of_two(bits) + more;
      if (size >= 1) sizes.push_back(size);
    }
    sizes.push_back(power_of_two(bits) * 3 / 2 + 1);
    sizes.push_back(power_of_two(bits + 2) / 3 + 1);
  }
  std::uint64_t seed = 0;
  for (const mpz_class& numerator : sizes) {
    for (const mpz_class& denominator : sizes) {
      if (numerator > denominator * 64 && denominator > 1) continue;
      AwkwardBits one(++seed), other(seed);
      const Rate rate{numerator, denominator};
      for (int i = 0; i < 40; ++i) {
        ASSERT_EQ(geometric(rate, one), long_geometric(rate, other))
            << numerator << '/' << denominator;
        ASSERT_EQ(one.word(), other.word());
      }
    }
  }
}

TEST(DiscreteLaplace, ShortIsWordForWordLikeLong) {
  std::mt19937_64 random(9);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const int bits = static_cast<int>(random() % 125) + 1;
    const Uint128 sensitivity =
        (static_cast<Uint128>(random()) << 64 | random()) >> (128 - bits) | 1;
    const double epsilon = random() % 3 == 0
                               ? std::ldexp(1, static_cast<int>(random() % 40) - 20)
                               : std::ldexp(static_cast<double>(random() % 1000 + 1) / 100,
                                            static_cast<int>(random() % 60) - 50);
    const Rate rate = Rate::of(epsilon, mpz_from(static_cast<Int128>(sensitivity)));
    const bool is_short = mpz_sizeinbase(rate.numerator.get_mpz_t(), 2) <= 119 &&
                          mpz_sizeinbase(rate.denominator.get_mpz_t(), 2) <= 119;
    const auto short_rate = ShortRate::of(epsilon, sensitivity);
    ASSERT_EQ(short_rate.has_value(), is_short);
    if (!is_short) continue;
    ++taken;
    ASSERT_EQ(mpz_from(static_cast<Int128>(short_rate->numerator)), rate.numerator);
    ASSERT_EQ(mpz_from(static_cast<Int128>(short_rate->denominator)), rate.denominator);
    if (rate.numerator > rate.denominator * 64) continue;
    const std::uint64_t seed = random();
    AwkwardBits one(seed), other(seed);
    const ShortDraw drawn = short_discrete_laplace(*short_rate, one);
    const mpz_class value = drawn.beyond ? *drawn.beyond : mpz_from(drawn.value);
    ASSERT_EQ(value, discrete_laplace(rate, other));
    ASSERT_EQ(one.word(), other.word());
  }
  EXPECT_GT(taken, 5000);
}

TEST(Geometric, MoreThanShortIntegersTake) {
  const mpz_class most = power_of_two(119) - 1;
  for (const mpz_class& d : {mpz_class(3), mpz_class(power_of_two(64) - 1), most}) {
    for (const std::size_t zeros : {1u, 2u, 3u, 4u}) {   // V is 44, 88, 133, 177 and more
      Words words(d > power_of_two(64) ? 2 : 1, kHalf);  // U
      for (const Words& part : {exp_coin_words(0), Words(zeros, 0)}) {
        words.insert(words.end(), part.begin(), part.end());
      }
      SeededBits filler(zeros);
      for (int i = 0; i < 300; ++i) words.push_back(filler.word());
      ReplayBits one(words), other(words);
      const mpz_class drawn = geometric({1, d}, one);
      EXPECT_EQ(drawn, long_geometric({1, d}, other));
      EXPECT_GE(drawn, d * static_cast<unsigned long>(44 * zeros));
      EXPECT_EQ(one.word(), other.word());
    }
  }
  // U = 0, V = 133: the product is long
  EXPECT_EQ(geo({1, most}, joined({Words(2, 0), exp_coin_words(0), {0, 0, 1, 0}})), 133 * most);
}

TEST(DiscreteLaplace, TheSignComesFirstAndMinusZeroIsRejected) {
  const Rate rate{1, 1};
  const Words plus{0}, minus{kHalf}, nothing = geometric_words(0), one = geometric_words(1);
  EXPECT_EQ(laplace(rate, joined({plus, nothing})), 0);
  EXPECT_EQ(laplace(rate, joined({{kHalf - 1}, one})), 1);
  EXPECT_EQ(laplace(rate, joined({minus, one})), -1);
  EXPECT_EQ(laplace(rate, joined({minus, nothing, plus, nothing})), 0);
  EXPECT_EQ(laplace(rate, joined({minus, nothing, minus, nothing, minus, one})), -1);
}

}  // namespace
}  // namespace idp::test

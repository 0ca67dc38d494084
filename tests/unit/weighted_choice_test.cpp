// The exact choice: decisions worked out by hand on replayed words, and what it rests on, the
// enclosures.
#include <gtest/gtest.h>

#include <mpfr.h>

#include <random>
#include <vector>

#include "core/random/bernoulli.h"
#include "core/random/weighted_choice.h"
#include "tests/support/bits.h"

namespace idp::test {
namespace {

using Words = std::vector<std::uint64_t>;
using Weights = std::vector<mpz_class>;

constexpr std::uint64_t kMax = ~std::uint64_t{0};
constexpr std::uint64_t kQuarter = std::uint64_t{1} << 62;
constexpr std::uint64_t kThird = 0x5555555555555555;  // every digit of 1/3 in base 2^64

mpz_class power_of_two(unsigned long exponent) { return mpz_class(1) << exponent; }

// Whole numbers, enclosed exactly. Notes which precisions were asked for.
Enclose exactly(const Weights& weights, std::vector<unsigned long>* asked = nullptr) {
  return [weights, asked](unsigned long precision) {
    if (asked != nullptr) asked->push_back(precision);
    std::vector<Enclosure> enclosures;
    for (const mpz_class& w : weights) enclosures.push_back({w << precision, w << precision});
    return enclosures;
  };
}

// The choice on exactly these words; fails if it uses fewer or more of them.
std::size_t choice(const Enclose& weights, Words words) {
  ReplayBits bits(std::move(words));
  const std::size_t k = choose_weighted(weights, bits);
  EXPECT_EQ(bits.finish(), 0u) << "words were left over";
  return k;
}
std::size_t choice(const Weights& weights, Words words) {
  return choice(exactly(weights), std::move(words));
}

TEST(ChooseWeighted, HandComputed) {
  const Weights weights{1, 2, 1};  // U < 1/4, U < 3/4, the rest
  EXPECT_EQ(choice(weights, {0, 0}), 0u);
  EXPECT_EQ(choice(weights, {kQuarter - 1, kMax}), 0u);
  EXPECT_EQ(choice(weights, {kQuarter, 0}), 1u);
  EXPECT_EQ(choice(weights, {3 * kQuarter - 1, kMax}), 1u);
  EXPECT_EQ(choice(weights, {3 * kQuarter, 0}), 2u);
  EXPECT_EQ(choice(weights, {kMax, kMax}), 2u);
  EXPECT_EQ(choice(Weights{7}, {0, 0}), 0u);
  EXPECT_EQ(choice(Weights{7}, {kMax, kMax}), 0u);
}

TEST(ChooseWeighted, AWeightOfZeroIsNeverChosen) {
  EXPECT_EQ(choice({0, 1}, {0, 0}), 1u);
  EXPECT_EQ(choice({1, 0}, {kMax, kMax}), 0u);
  EXPECT_EQ(choice({0, 0, 1, 0, 0, 1, 0}, {2 * kQuarter - 1, kMax}), 2u);
  EXPECT_EQ(choice({0, 0, 1, 0, 0, 1, 0}, {2 * kQuarter, 0}), 5u);
}

// 128 bits at a boundary of 1/3 decide nothing; the next ones do, with the first ones kept.
TEST(ChooseWeighted, RefinesWhatIsUndecided) {
  std::vector<unsigned long> asked;
  const auto at_a_third = [&](Words words) {
    asked.clear();
    return choice(exactly({1, 2}, &asked), std::move(words));
  };
  const std::vector<unsigned long> once{128}, twice{128, 256}, thrice{128, 256, 512};
  EXPECT_EQ(at_a_third({kThird, kThird - 1}), 0u);
  EXPECT_EQ(asked, once);
  EXPECT_EQ(at_a_third({kThird, kThird + 1}), 1u);
  EXPECT_EQ(asked, once);
  EXPECT_EQ(at_a_third({kThird, kThird, kThird - 1, kMax}), 0u);
  EXPECT_EQ(asked, twice);
  EXPECT_EQ(at_a_third({kThird, kThird, kThird, kThird + 1}), 1u);
  EXPECT_EQ(asked, twice);
  EXPECT_EQ(at_a_third({kThird, kThird, kThird, kThird, kThird, kThird, kThird, 0}), 0u);
  EXPECT_EQ(asked, thrice);
  EXPECT_EQ(at_a_third({kThird, kThird, kThird, kThird, kMax, 0, 0, 0}), 1u);
  EXPECT_EQ(asked, thrice);
}

// Enclosures that say nothing at first, little after that, and everything in the end.
TEST(ChooseWeighted, WideEnclosuresAreRefined) {
  std::vector<unsigned long> asked;
  const auto vague = [&](unsigned long precision) -> std::vector<Enclosure> {
    asked.push_back(precision);
    const mpz_class one = power_of_two(precision);
    if (precision == 128) return {{0, 4 * one}, {0, 4 * one}};
    if (precision == 256) return {{one - one / 4, one + one / 4}, {one - one / 4, one + one / 4}};
    return {{one, one}, {one, one}};  // 1 : 1
  };
  // at 256 bits the boundary lies between 3/10 and 5/6 of the total
  EXPECT_EQ(choice(vague, {kQuarter, 0, 0, 0}), 0u);
  EXPECT_EQ(asked, (std::vector<unsigned long>{128, 256}));
  asked.clear();
  EXPECT_EQ(choice(vague, {kMax, 0, 0, 0, 0, 0, 0, 0}), 1u);
  EXPECT_EQ(asked.size(), 3u);
  EXPECT_EQ(choice(vague, {2 * kQuarter - 1, 0, 0, 0, 0, 0, 0, 0}), 0u);
  EXPECT_EQ(choice(vague, {2 * kQuarter, 0, 0, 0, 0, 0, 0, 0}), 1u);
}

// The index whose share of [0, 1) holds u 2^-bits, in rational arithmetic.
std::size_t exact_choice(const Weights& weights, const mpz_class& u, unsigned long bits) {
  mpz_class total, upto;
  for (const mpz_class& w : weights) total += w;
  for (std::size_t k = 0;; ++k) {
    upto += weights[k];
    if (u * total < upto << bits) return k;
  }
}

// Whatever the enclosures leave open, the choice is that of the true weights: random weights,
// enclosures that are random too, and words next to a boundary.
TEST(ChooseWeighted, AgreesWithRationalArithmeticWhateverTheEnclosures) {
  std::mt19937_64 random(1);
  int refined = 0;
  for (int i = 0; i < 4000; ++i) {
    SeededBits source(random());
    Weights weights(1 + random() % 6);
    mpz_class total;
    for (mpz_class& w : weights) {
      if (random() % 4 != 0) w = uniform_bits(1 + random() % 80, source);
      total += w;
    }
    if (total == 0) continue;
    const unsigned long slack = random() % 140;  // in units of the last place at 128 bits
    const auto fuzzy = [&](unsigned long precision) {
      std::vector<Enclosure> enclosures;
      for (const mpz_class& w : weights) {
        const mpz_class exact = w << precision;
        mpz_class low = exact, high = exact;
        if (w > 0 && precision < 1024) {
          low = std::max<mpz_class>(0, exact - uniform_bits(slack, source));
          high += uniform_bits(slack, source);
        }
        enclosures.push_back({low, high});
      }
      return enclosures;
    };
    // close to the cumulative weight up to a random index, 1024 bits of it
    mpz_class cumulative;
    for (std::size_t k = random() % weights.size() + 1; k-- > 0;) cumulative += weights[k];
    mpz_class u = (cumulative << 1024) / total;
    const mpz_class off = 2 + uniform_bits(random() % 1023, source);  // all bits decide
    u += random() % 2 ? off : mpz_class(-off);
    if (u < 0 || u >= power_of_two(1024)) continue;
    Words words;
    for (int w = 15; w >= 0; --w) words.push_back(mpz_class(u >> (64 * w)).get_ui());
    ReplayBits bits(words);
    const std::size_t k = choose_weighted(fuzzy, bits);
    const std::size_t left = bits.finish();
    refined += left < 14;
    // The choice holds for the whole interval of U that was seen.
    const unsigned long seen = 64 * (16 - left);
    const mpz_class begin = u >> (1024 - seen);
    EXPECT_EQ(k, exact_choice(weights, begin, seen));
    EXPECT_EQ(k, exact_choice(weights, ((begin + 1) << 64) - 1, seen + 64));
  }
  EXPECT_GT(refined, 500);  // the test is about these
}

// exp(-n/d) 2^precision from below and from above, at 4000 bits more than are asked for.
class Exact {
 public:
  Exact(const mpz_class& n, const mpz_class& d, unsigned long precision) {
    const mpq_class x(-n, d);
    const auto bits = static_cast<mpfr_prec_t>(precision + 4000 + mpz_sizeinbase(n.get_mpz_t(), 2));
    for (auto* at : {&low_, &high_}) {
      const mpfr_rnd_t direction = at == &low_ ? MPFR_RNDD : MPFR_RNDU;
      mpfr_init2(*at, bits);
      mpfr_set_q(*at, x.get_mpq_t(), direction);
      mpfr_exp(*at, *at, direction);
      mpfr_mul_2ui(*at, *at, precision, direction);
    }
  }
  ~Exact() {
    mpfr_clear(low_);
    mpfr_clear(high_);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  bool within(const Enclosure& e) const {
    return mpfr_cmp_z(low_, e.low.get_mpz_t()) >= 0 && mpfr_cmp_z(high_, e.high.get_mpz_t()) <= 0;
  }

 private:
  mpfr_t low_, high_;
};

void expect_enclosed(const mpz_class& n, const mpz_class& d, unsigned long precision) {
  mpq_class x(n, d);
  x.canonicalize();
  const Enclosure e = enclose_exp(n, d, precision);
  EXPECT_GE(e.low, 0);
  EXPECT_LE(e.high - e.low, 1) << x << " at " << precision;
  EXPECT_TRUE(Exact(x.get_num(), x.get_den(), precision).within(e)) << x << " at " << precision;
}

TEST(EncloseExp, EnclosesTheExactValue) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 400; ++i) {
    SeededBits source(random());
    const unsigned long precision = 128ul << (random() % 3);
    // exponents from tiny to huge
    const mpz_class n = uniform_bits(1 + random() % 300, source);
    const mpz_class d = 1 + uniform_bits(1 + random() % 300, source);
    expect_enclosed(n, d, precision);
    // and ones whose value is between 2^-precision and 1
    expect_enclosed(uniform_below(precision * d, source), d, precision);
  }
}

TEST(EncloseExp, Ends) {
  for (const unsigned long precision : {1ul, 2ul, 128ul, 256ul, 1024ul}) {
    const mpz_class one = power_of_two(precision);
    for (const mpz_class& d : Weights{1, 7, power_of_two(500) + 1}) {
      const Enclosure zero = enclose_exp(0, d, precision);
      EXPECT_EQ(zero.low, one);
      EXPECT_EQ(zero.high, one);
      // around the exponent from which on the value counts as below the last place
      for (int off = -1; off <= 1; ++off) expect_enclosed(precision * d + off, d, precision);
      expect_enclosed(1, d, precision);
      expect_enclosed(d, 1, 128);
    }
    const Enclosure tiny = enclose_exp(1, power_of_two(2000), precision);
    EXPECT_EQ(tiny.low, one - 1);
    EXPECT_EQ(tiny.high, one);
    expect_enclosed(1, power_of_two(2000), precision);
    const Enclosure huge = enclose_exp(power_of_two(2000), 1, precision);
    EXPECT_EQ(huge.low, 0);
    EXPECT_EQ(huge.high, 1);
  }
}

// An exponent whose value lies within 2^-300 of a whole number: still enclosed. (The enclosure may
// then be two units wide, which costs nothing but a refinement.)
TEST(EncloseExp, ValuesNextToAWholeNumber) {
  for (const long whole : {1l, 3l, 1000003l}) {
    mpfr_t y;
    mpfr_init2(y, 600);
    mpfr_set_si_2exp(y, whole, -128, MPFR_RNDN);
    mpfr_log(y, y, MPFR_RNDN);
    mpfr_neg(y, y, MPFR_RNDN);
    mpfr_mul_2ui(y, y, 400, MPFR_RNDN);
    mpz_class n;
    mpfr_get_z(n.get_mpz_t(), y, MPFR_RNDN);
    mpfr_clear(y);
    for (int off = 0; off <= 1; ++off) {
      mpq_class x(n + off, power_of_two(400));
      x.canonicalize();
      const Enclosure e = enclose_exp(x.get_num(), x.get_den(), 128);
      EXPECT_TRUE(Exact(x.get_num(), x.get_den(), 128).within(e));
      EXPECT_LE(e.high - e.low, 2);
    }
  }
}

TEST(Multiply, EnclosesTheProduct) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    SeededBits source(random());
    const unsigned long precision = 128;
    const auto some = [&] {
      const mpz_class low = uniform_bits(random() % 260, source);
      return Enclosure{low, low + uniform_bits(random() % 5, source)};
    };
    const Enclosure a = some(), b = some(), product = multiply(a, b, precision);
    // the smallest and the greatest product, and no more than a unit beyond them
    EXPECT_LE(product.low << precision, a.low * b.low);
    EXPECT_GT((product.low + 1) << precision, a.low * b.low);
    EXPECT_GE(product.high << precision, a.high * b.high);
    EXPECT_LT((product.high - 1) << precision, a.high * b.high);
  }
  const Enclosure one{power_of_two(128), power_of_two(128)}, zero{0, 0}, some{5, 6};
  EXPECT_EQ(multiply(one, some, 128).low, 5);
  EXPECT_EQ(multiply(one, some, 128).high, 6);
  EXPECT_EQ(multiply(zero, some, 128).high, 0);
  EXPECT_EQ(multiply(some, some, 128).low, 0);
  EXPECT_EQ(multiply(some, some, 128).high, 1);
}

// Powers by repeated multiplication, as the mechanism takes them, against exp itself.
TEST(Multiply, PowersStayEnclosedAndNarrow) {
  for (const auto& [n, d] : {std::pair<long, long>{1, 2}, {1, 20}, {5, 2}, {1, 2000000}}) {
    const unsigned long precision = 128;
    const Enclosure factor = enclose_exp(n, d, precision);
    Enclosure power{power_of_two(precision), power_of_two(precision)};
    for (int k = 0; k <= 300; ++k) {
      if (k % 50 == 0) {
        EXPECT_TRUE(Exact(mpz_class(n) * k, d, precision).within(power));
      }
      EXPECT_LE(power.high - power.low, 3 * k);
      power = multiply(power, factor, precision);
    }
  }
}

}  // namespace
}  // namespace idp::test

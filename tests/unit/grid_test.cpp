// The value grids of all types.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/grid/grid.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;
using Float = std::numeric_limits<float>;

constexpr ValueType kWholeTypes[] = {ValueType::kInt16,     ValueType::kInt32,
                                     ValueType::kInt64,     ValueType::kDate,
                                     ValueType::kTimestamp, ValueType::kTimestamptz};

mpz_class power(unsigned long base, unsigned long exponent) {
  mpz_class v;
  mpz_ui_pow_ui(v.get_mpz_t(), base, exponent);
  return v;
}

struct Range {
  ValueType type;
  std::int64_t min, max;
  bool infinite;
};

const Range kRanges[] = {
    {ValueType::kInt16, -32768, 32767, false},
    {ValueType::kInt32, -2147483648LL, 2147483647, false},
    {ValueType::kInt64, std::numeric_limits<std::int64_t>::min(),
     std::numeric_limits<std::int64_t>::max(), false},
    {ValueType::kDate, kMinDate, kMaxDate, true},
    {ValueType::kTimestamp, kMinTimestamp, kMaxTimestamp, true},
    {ValueType::kTimestamptz, kMinTimestamp, kMaxTimestamp, true},
};

TEST(Grid, RangesOfWholeTypes) {
  for (const Range& range : kRanges) {
    SCOPED_TRACE(static_cast<int>(range.type));
    const Grid grid{range.type};
    EXPECT_TRUE(grid.min_units() == range.min);
    EXPECT_TRUE(grid.max_units() == range.max);
    EXPECT_FALSE(grid.is_wide());
    EXPECT_FALSE(grid.is_float());
    EXPECT_EQ(grid.has_infinity(), range.infinite);
    EXPECT_TRUE(grid.admits(range.min));
    EXPECT_TRUE(grid.admits(range.max));
    EXPECT_TRUE(grid.admits(Key64{0}));
    EXPECT_FALSE(grid.admits(Key128{0, 0}));
    if (range.type == ValueType::kInt64) continue;
    EXPECT_FALSE(grid.admits(range.min - 1));
    EXPECT_FALSE(grid.admits(range.max + 1));
    if (!range.infinite) {
      EXPECT_EQ(grid.infinity_sign(KeyLimits<Key64>::kMax), 0);
      EXPECT_FALSE(grid.admits(KeyLimits<Key64>::kMax));
      continue;
    }
    for (const int sign : {-1, 1}) {
      const Key64 infinity = grid.infinity<Key64>(sign);
      EXPECT_EQ(grid.infinity_sign(infinity), sign);
      EXPECT_TRUE(grid.admits(infinity));
      EXPECT_TRUE(sign > 0 ? infinity > range.max : infinity < range.min);
    }
    EXPECT_EQ(grid.infinity_sign(range.min), 0);
    EXPECT_EQ(grid.infinity_sign(range.max), 0);
  }
}

TEST(Grid, InfinityKeysAreTheServers) {
  EXPECT_EQ(Grid{ValueType::kDate}.infinity<Key64>(1), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(Grid{ValueType::kDate}.infinity<Key64>(-1), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(Grid{ValueType::kTimestamp}.infinity<Key64>(1), KeyLimits<Key64>::kMax);
  EXPECT_EQ(Grid{ValueType::kTimestamp}.infinity<Key64>(-1), KeyLimits<Key64>::kMin);
}

TEST(Grid, UnitsAndNearestOfWholeTypes) {
  std::mt19937_64 random(1);
  for (const ValueType type : kWholeTypes) {
    const Grid grid{type};
    const mpz_class min = mpz_from(grid.min_units()), max = mpz_from(grid.max_units());
    EXPECT_EQ(grid.units(grid.nearest<Key64>(min)), min);
    EXPECT_EQ(grid.units(grid.nearest<Key64>(max)), max);
    EXPECT_EQ(grid.units(grid.nearest<Key64>(min - 1)), min);
    EXPECT_EQ(grid.units(grid.nearest<Key64>(max + 1)), max);
    EXPECT_EQ(grid.units(grid.nearest<Key64>(-power(10, 400))), min);
    EXPECT_EQ(grid.units(grid.nearest<Key64>(power(10, 400))), max);
    for (int i = 0; i < 1000; ++i) {
      const auto x = static_cast<long>(static_cast<Key64>(random()) >> (random() % 64));
      const mpz_class expected = std::min<mpz_class>(std::max<mpz_class>(x, min), max);
      ASSERT_EQ(grid.units(grid.nearest<Key64>(x)), expected);
    }
  }
}

template <class Key>
void check_numeric(const Grid& grid, const mpz_class& limit) {
  EXPECT_EQ(mpz_from(grid.max_units()), limit);
  EXPECT_EQ(mpz_from(grid.min_units()), -limit);
  for (const mpz_class& v : {mpz_class(0), mpz_class(1), mpz_class(-1), limit, mpz_class(-limit),
                             mpz_class(limit / 3), mpz_class(-limit / 7)}) {
    const Key key = grid.nearest<Key>(v);
    EXPECT_EQ(grid.units(key), v);
    EXPECT_TRUE(grid.admits(key));
    EXPECT_EQ(grid.infinity_sign(key), 0);
  }
  EXPECT_EQ(grid.units(grid.nearest<Key>(limit + 1)), limit);
  EXPECT_EQ(grid.units(grid.nearest<Key>(-power(10, 500))), -limit);
  for (const int sign : {-1, 1}) {
    EXPECT_EQ(grid.infinity_sign(grid.infinity<Key>(sign)), sign);
    EXPECT_TRUE(grid.admits(grid.infinity<Key>(sign)));
  }
  EXPECT_GT(grid.infinity<Key>(1), grid.nearest<Key>(limit));
  EXPECT_LT(grid.infinity<Key>(-1), grid.nearest<Key>(-limit));
}

TEST(Grid, NumericNarrow) {
  for (int precision = 1; precision <= 18; ++precision) {
    const Grid grid = Grid::numeric(precision, 2);
    EXPECT_FALSE(grid.is_wide());
    EXPECT_EQ(grid.precision, precision);
    EXPECT_EQ(grid.scale, 2);
    check_numeric<Key64>(grid, power(10, static_cast<unsigned long>(precision)) - 1);
    EXPECT_FALSE(grid.admits(Key128{0, 1}));
  }
  EXPECT_FALSE(Grid::numeric(18, 0).admits(Key64{1000000000000000000}));
  EXPECT_TRUE(Grid::numeric(18, 0).admits(Key64{999999999999999999}));
}

TEST(Grid, NumericWide) {
  for (int precision = 19; precision <= 38; ++precision) {
    const Grid grid = Grid::numeric(precision, 10);
    EXPECT_TRUE(grid.is_wide());
    EXPECT_EQ(grid.scale, 10);
    check_numeric<Key128>(grid, power(10, static_cast<unsigned long>(precision)) - 1);
    EXPECT_FALSE(grid.admits(Key64{0}));
  }
}

TEST(Grid, NumericBeyond38DigitsGivesUpTheRightEnd) {
  EXPECT_EQ(Grid::numeric(50, 30), (Grid{ValueType::kNumeric, 38, 18}));
  EXPECT_EQ(Grid::numeric(50, 20), (Grid{ValueType::kNumeric, 38, 16}));
  EXPECT_EQ(Grid::numeric(78, 0), (Grid{ValueType::kNumeric, 38, 0}));
  EXPECT_EQ(Grid::numeric(1000, 1000), (Grid{ValueType::kNumeric, 38, 38}));
  EXPECT_EQ(Grid::numeric(5, -3), (Grid{ValueType::kNumeric, 5, -3}));
  EXPECT_EQ(Grid::numeric(40, -3), (Grid{ValueType::kNumeric, 38, -3}));
}

TEST(Grid, PlainNumeric) {
  const Grid grid = Grid::plain_numeric();
  EXPECT_TRUE(grid.is_wide());
  EXPECT_EQ(grid.scale, 16);
  check_numeric<Key128>(grid, power(2, 127) - 2);
  // every key but the outermost value on the negative side stands for something
  EXPECT_FALSE(grid.admits(key128(int128(KeyLimits<Key128>::kMin) + 1)));
}

TEST(Grid, Floats) {
  const Grid wide{ValueType::kFloat64}, narrow{ValueType::kFloat32};
  for (const Grid& grid : {wide, narrow}) {
    EXPECT_TRUE(grid.is_float());
    EXPECT_TRUE(grid.has_infinity());
    EXPECT_FALSE(grid.is_wide());
    for (const int sign : {-1, 1}) {
      const Key64 key = ordered_bits(sign * Double::infinity());
      EXPECT_EQ(grid.infinity<Key64>(sign), key);
      EXPECT_EQ(grid.infinity_sign(key), sign);
      EXPECT_TRUE(grid.admits(key));
      EXPECT_FALSE(grid.admits(key + sign));  // NaN
    }
    EXPECT_FALSE(grid.admits(Key64{-1}));  // -0
    EXPECT_FALSE(grid.admits(KeyLimits<Key64>::kMin));
    EXPECT_FALSE(grid.admits(KeyLimits<Key64>::kMax));
    EXPECT_FALSE(grid.admits(Key128{0, 0}));
    for (const double x : {0.0, 1.0, -1.5, double{Float::max()}, double{Float::lowest()},
                           double{Float::denorm_min()}, double{Float::min()}}) {
      EXPECT_TRUE(grid.admits(ordered_bits(x)));
      EXPECT_EQ(grid.infinity_sign(ordered_bits(x)), 0);
    }
  }
  for (const double x :
       {0.1, Double::max(), Double::lowest(), Double::denorm_min(),
        std::nextafter(double{Float::max()}, 1e300), double{Float::denorm_min()} / 2}) {
    EXPECT_TRUE(wide.admits(ordered_bits(x)));
    EXPECT_FALSE(narrow.admits(ordered_bits(x))) << x;
  }
}

// x / 2^-1074 computed by rational arithmetic
mpz_class exact_units(double x) {
  mpq_class q(x);
  q *= mpq_class(power(2, 1074));
  EXPECT_EQ(q.get_den(), 1);
  return q.get_num();
}

TEST(Grid, UnitsOfDoublesAreExact) {
  const Grid grid{ValueType::kFloat64};
  std::vector<double> all{
      0, 1, -1, 0.1, Double::max(), Double::lowest(), Double::min(), Double::denorm_min()};
  all.push_back(-Double::denorm_min());
  all.push_back(std::nextafter(Double::min(), 0));
  all.push_back(3 * Double::denorm_min());
  std::mt19937_64 random(4);
  for (int i = 0; i < 3000; ++i) {
    const auto x = std::bit_cast<double>(random());
    if (std::isfinite(x)) all.push_back(x);
    all.push_back(std::bit_cast<double>(random() & 0x800fffffffffffffu));  // subnormal
  }
  for (const double x : all) ASSERT_EQ(grid.units(ordered_bits(x)), exact_units(x)) << x;
}

TEST(NearestFloat, ExactWhereTheTypeAllows) {
  EXPECT_EQ(nearest_float(0, 0, ValueType::kFloat64), 0);
  EXPECT_EQ(nearest_float(3, -1, ValueType::kFloat64), 1.5);
  EXPECT_EQ(nearest_float(-3, -1, ValueType::kFloat32), -1.5);
  EXPECT_EQ(nearest_float(1, -1074, ValueType::kFloat64), Double::denorm_min());
  EXPECT_EQ(nearest_float(1, -149, ValueType::kFloat32), Float::denorm_min());
  EXPECT_EQ(nearest_float(1, -5000, ValueType::kFloat64), 0);
  EXPECT_EQ(nearest_float(1, -1000000, ValueType::kFloat64), 0);
  std::mt19937_64 random(5);
  for (int i = 0; i < 3000; ++i) {
    const auto x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    ASSERT_EQ(nearest_float(exact_units(x), kFloatStepExponent, ValueType::kFloat64), x);
    const auto f = static_cast<float>(x);
    if (!std::isfinite(f)) continue;
    ASSERT_EQ(nearest_float(exact_units(f), kFloatStepExponent, ValueType::kFloat32), f);
  }
}

TEST(NearestFloat, Saturates) {
  for (const int sign : {-1, 1}) {
    EXPECT_EQ(nearest_float(sign, 1024, ValueType::kFloat64), sign * Double::max());
    EXPECT_EQ(nearest_float(sign, 1000000, ValueType::kFloat64), sign * Double::max());
    EXPECT_EQ(nearest_float(sign * power(2, 3000), 0, ValueType::kFloat64), sign * Double::max());
    EXPECT_EQ(nearest_float(sign, 128, ValueType::kFloat32), sign * double{Float::max()});
    EXPECT_EQ(nearest_float(sign, 1000, ValueType::kFloat32), sign * double{Float::max()});
  }
  EXPECT_EQ(nearest_float(exact_units(Double::max()), kFloatStepExponent, ValueType::kFloat64),
            Double::max());
}

// The nearest value of the type, not the nearest towards zero.
TEST(NearestFloat, RoundsToNearest) {
  EXPECT_EQ(nearest_float(power(2, 54) + 3, 0, ValueType::kFloat64), std::ldexp(1, 54) + 4);
  EXPECT_EQ(nearest_float(-power(2, 54) - 3, 0, ValueType::kFloat64), -std::ldexp(1, 54) - 4);
  EXPECT_EQ(nearest_float(power(2, 54) + 1, 0, ValueType::kFloat64), std::ldexp(1, 54));
  EXPECT_EQ(nearest_float(power(2, 25) + 3, 0, ValueType::kFloat32), std::ldexp(1, 25) + 4);
  std::mt19937_64 random(6);
  for (int i = 0; i < 1000; ++i) {
    const double x = std::bit_cast<double>(random() & 0x7fcfffffffffffffu);
    if (!std::isfinite(x) || x < Double::min()) continue;
    const mpz_class here = exact_units(x),
                    next = exact_units(std::nextafter(x, Double::infinity()));
    const mpz_class v = here * 1024 + (next - here) * static_cast<long>(random() % 1024);
    const double expected =
        2 * (v - here * 1024) < (next - here) * 1024 ? x : std::nextafter(x, Double::infinity());
    if (2 * (v - here * 1024) == (next - here) * 1024) continue;  // a tie
    ASSERT_EQ(nearest_float(v, kFloatStepExponent - 10, ValueType::kFloat64), expected) << x;
  }
}

// Exact in MPFR, then rounded once by it.
double nearest_by_mpfr(const mpz_class& mantissa, long exponent, bool single) {
  if (mantissa == 0) return 0;
  mpfr_t exact;
  mpfr_init2(exact, static_cast<mpfr_prec_t>(mpz_sizeinbase(mantissa.get_mpz_t(), 2)) + 1);
  mpfr_set_z_2exp(exact, mantissa.get_mpz_t(), exponent, MPFR_RNDN);
  const double x = single ? double{mpfr_get_flt(exact, MPFR_RNDN)} : mpfr_get_d(exact, MPFR_RNDN);
  mpfr_clear(exact);
  const double limit = single ? double{Float::max()} : Double::max();
  return std::clamp(x, -limit, limit);
}

// Mantissas of one to five words with runs of zeros and ones, so that there are ties and what is
// next to them, and exponents that reach beyond both ends.
TEST(NearestFloat, IsThatOfMpfr) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    const unsigned long size = random() % 300;
    mpz_class mantissa = power(2, size);
    for (int run = static_cast<int>(random() % 4); run > 0; --run) {
      const mpz_class part = power(2, random() % (size + 1)) - static_cast<long>(random() % 2);
      mantissa = random() % 2 == 0 ? mpz_class(mantissa + part) : mpz_class(mantissa ^ part);
    }
    if (random() % 2 == 0) mantissa = -mantissa;
    const bool single = random() % 2 == 0;
    const long places[] = {0, single ? -149 : -1074, single ? -126 : -1022, single ? 128 : 1024};
    const long exponent = places[random() % 4] - static_cast<long>(size) * (random() % 4 != 0) +
                          static_cast<long>(random() % 9) - 4;
    const double x =
        nearest_float(mantissa, exponent, single ? ValueType::kFloat32 : ValueType::kFloat64);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(x),
              std::bit_cast<std::uint64_t>(nearest_by_mpfr(mantissa, exponent, single)))
        << mantissa << " * 2^" << exponent << (single ? " single" : " double");
  }
}

}  // namespace
}  // namespace idp::test

// Buckets against their definition in exact arithmetic.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <random>

#include "core/collect/buckets.h"
#include "core/grid/grid.h"

namespace idp::test {
namespace {

mpz_class mpz_of(Uint128 v) {
  mpz_class z(static_cast<unsigned long>(v >> 64));
  z <<= 64;
  return z + static_cast<unsigned long>(v);
}

void expect_bucket(Uint128 offset, Uint128 width, std::int64_t buckets) {
  mpz_class truth = buckets - 1;
  if (offset < width)
    truth = mpz_of(offset) * mpz_class(static_cast<long>(buckets)) / mpz_of(width);
  EXPECT_EQ(mpz_class(static_cast<long>(Buckets(width, buckets).of(offset))), truth);
}

TEST(Buckets, SmallRangesCompletely) {
  for (unsigned width = 0; width <= 12; ++width) {
    for (std::int64_t buckets = 1; buckets <= 15; ++buckets) {
      for (unsigned offset = 0; offset <= width; ++offset) expect_bucket(offset, width, buckets);
    }
  }
}

TEST(Buckets, AsWidthBucket) {  // width_bucket(x, 0, 100, 10) - 1
  EXPECT_EQ(Buckets(100, 10).of(0), 0);
  EXPECT_EQ(Buckets(100, 10).of(9), 0);
  EXPECT_EQ(Buckets(100, 10).of(10), 1);
  EXPECT_EQ(Buckets(100, 10).of(99), 9);
  EXPECT_EQ(Buckets(100, 10).of(100), 9);  // the last one is closed
  EXPECT_EQ(Buckets(0, 10).of(0), 9);      // lower = upper
}

TEST(Buckets, RandomWidthsOfAllSizesAndTheirEdges) {
  std::mt19937_64 random(1);
  const auto draw = [&] {
    return (static_cast<Uint128>(random()) << 64 | random()) >> (random() % 128);
  };
  for (int i = 0; i < 20000; ++i) {
    const Uint128 width = draw() | 1;
    const auto buckets = static_cast<std::int64_t>(1 + random() % (i % 2 ? 100000 : 7));
    expect_bucket(draw() % width, width, buckets);
    expect_bucket(width - 1, width, buckets);
    // around an edge
    const mpz_class edge = mpz_of(width) * static_cast<unsigned long>(random() % 100000) / 100000;
    const Uint128 at = static_cast<Uint128>(mpz_class(edge >> 64).get_ui()) << 64 |
                       mpz_class(edge & mpz_of(~std::uint64_t{0})).get_ui();
    expect_bucket(at, width, buckets);
  }
}

TEST(Buckets, EdgesAreTheLeastOffsets) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const Uint128 width =
        ((static_cast<Uint128>(random()) << 64 | random()) >> (random() % 128)) | 1;
    const auto n = static_cast<std::int64_t>(1 + random() % (i % 2 ? 100000 : 7));
    const Buckets buckets(width, n);
    const auto bucket = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    const Uint128 edge = buckets.edge(bucket);
    EXPECT_EQ(mpz_of(edge), (mpz_of(width) * static_cast<long>(bucket) + static_cast<long>(n) - 1) /
                                static_cast<long>(n));
    EXPECT_GE(buckets.of(edge), bucket);
    if (edge > 0) {
      EXPECT_LT(buckets.of(edge - 1), std::max<std::int64_t>(bucket, 1));
    }
  }
}

}  // namespace
}  // namespace idp::test

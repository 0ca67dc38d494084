// The stored form of named releases: round trips, its bytes, and everything that must not get in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/aggregate/spec_wire.h"
#include "core/gradual/record.h"
#include "core/gradual/release.h"
#include "core/mechanism/order_statistic.h"
#include "tests/support/bits.h"
#include "tests/support/data.h"
#include "tests/support/release.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Kind = Frozen::Kind;

std::vector<Statistic> additive_statistics() {
  std::vector<Statistic> all;
  for (int i = 1; i < kStatistics; ++i) {
    if (is_additive(static_cast<Statistic>(i))) all.push_back(static_cast<Statistic>(i));
  }
  return all;
}

// Averages, variances and standard deviations.
bool has_count(const Spec& spec) {
  return spec.collects() == Collects::kMoments && spec.mechanism() == Mechanism::kGlobal &&
         row_of(spec.statistic).moment != Moment::kSum;
}

bool is_local_value(const Spec& spec) {
  return spec.collects() == Collects::kValues && spec.mechanism() == Mechanism::kLocal;
}

Spec random_spec(Statistic statistic, std::mt19937_64& random) {
  constexpr Grid kGrids[] = {{ValueType::kInt16},   {ValueType::kInt64}, {ValueType::kFloat32},
                             {ValueType::kFloat64}, {ValueType::kDate},  {ValueType::kTimestamptz}};
  Spec spec;
  spec.statistic = statistic;
  do {
    spec.grid = kGrids[random() % 6];
    if (random() % 4 == 0) spec.grid = Grid::plain_numeric();
    if (random() % 4 == 0) spec.grid = Grid::numeric(1 + static_cast<int>(random() % 40), 3);
  } while (row_of(statistic).columns == Columns::kNumbers && !is_number(spec.grid.type));
  if (statistic == Statistic::kCount) spec.grid = Grid{};
  spec.epsilon = std::ldexp(1.0, static_cast<int>(random() % 20) - 10);
  spec.fraction = fixed_fraction(statistic);
  if (spec.has(Parameter::kFraction)) spec.fraction = static_cast<double>(random() % 50) / 100;
  const auto number = 1 + static_cast<std::int64_t>(random() % 20);
  if (spec.has(Parameter::kK)) spec.k = number;
  if (spec.has(Parameter::kBuckets)) spec.buckets = number;
  const auto bound = [&](std::int64_t x) {
    if (spec.grid.is_wide()) return key128(x);
    return widen(spec.grid.is_float() ? ordered_bits(static_cast<double>(x)) : x);
  };
  if (spec.has(Parameter::kLower)) spec.lower = bound(-static_cast<std::int64_t>(random() % 6));
  if (spec.has(Parameter::kUpper)) spec.upper = bound(static_cast<std::int64_t>(random() % 6));
  const bool groups = row_of(statistic).groups;
  if (groups && random() % 2) spec.groups = static_cast<std::uint8_t>(2 + random() % 5);
  return spec;
}

mpz_class random_number(std::mt19937_64& random) {
  mpz_class v = static_cast<unsigned long>(random());
  for (auto words = random() % 40; words > 20; --words) {
    v = (v << 64) + static_cast<unsigned long>(random());
  }
  v >>= random() % 65;
  return random() % 2 ? v : mpz_class(-v);
}

// Any release a record may hold, beyond what data give.
StoredRelease random_release(Statistic statistic, std::mt19937_64& random) {
  StoredRelease release{random_spec(statistic, random), {}};
  const Spec& spec = release.spec;
  Frozen& frozen = release.frozen;
  if (is_local_value(spec) && random() % 4 == 0) {
    if (spec.grid.has_infinity() && row_of(statistic).rank != RankRule::kNone && random() % 2) {
      frozen.kind = Kind::kInfinite;
      frozen.infinity = random() % 2 ? 1 : -1;
    }
    return release;
  }
  frozen.kind = has_count(spec) && random() % 2 ? Kind::kCounted : Kind::kNoisy;
  for (std::size_t i = 0; i < parts_of(spec); ++i) frozen.values.push_back(random_number(random));
  frozen.sensitivities.resize(spec.collects() == Collects::kBuckets ? 1 : parts_of(spec));
  for (auto& list : frozen.sensitivities) {
    for (int j = 0; j < spec.groups; ++j) {
      mpq_class q(abs(random_number(random)), random() % 30 + 1);
      q.canonicalize();
      list.push_back(random() % 4 ? q : mpq_class(0));
    }
  }
  if (is_local_value(spec) && spec.grid.is_float()) {
    frozen.dropped =
        kLeastDropped + static_cast<long>(random() % (kMostDropped - kLeastDropped + 1));
    frozen.fill = abs(random_number(random)) % (mpz_class(1) << kFillBits);
  }
  return release;
}

Bytes encoded(const StoredRelease& release) { return encode_release(release.spec, release.frozen); }

// Nothing if it is refused, which it must be by one message.
std::optional<StoredRelease> decoded(const Bytes& bytes) {
  try {
    return decode_release(bytes);
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "stored release is damaged");
    return std::nullopt;
  }
}
bool refused(const StoredRelease& release) { return !decoded(encoded(release)); }

TEST(Record, RoundTrips) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300 / kThin; ++i) {
    for (const Statistic statistic : additive_statistics()) {
      const StoredRelease release = random_release(statistic, random);
      ASSERT_FALSE(find_violation(release.spec));
      const Bytes bytes = encoded(release);
      const auto back = decoded(bytes);
      ASSERT_TRUE(back.has_value()) << static_cast<int>(statistic);
      ASSERT_EQ(*back, release);
      ASSERT_EQ(encoded(*back), bytes);
      std::vector<mpz_class> noise(release.frozen.values.size());
      for (auto& v : noise) v = random_number(random);
      ASSERT_EQ(decode_noise(release.spec, encode_noise(release.spec, noise), noise.size()), noise);
    }
  }
}

TEST(Record, WhatDataGiveIsStored) {
  SeededBits bits(2);
  for (const double epsilon : {1e-300, 1.0, 1e300}) {
    for (const double reach : {5e-324, 1.0, 1e308}) {
      Spec spec = median(kFloat64Grid);
      spec.epsilon = epsilon;
      std::vector<Key64> keys;
      for (const double x : {-reach, 0.0, reach}) keys.push_back(ordered_bits(x));
      const std::span<const Key64> run(keys);
      const Frozen frozen = freeze(spec, {&epsilon, 1}, collected(in_memory<Key64>({&run, 1})),
                                   {std::pmr::new_delete_resource()}, bits);
      const auto noise = draw_noise(frozen, {&epsilon, 1}, bits, nullptr);
      const StoredRelease back = decode_release(encode_release(spec, frozen));
      EXPECT_EQ(back, (StoredRelease{spec, frozen}));
      EXPECT_EQ(answer(back.spec, back.frozen, {&epsilon, 1},
                       decode_noise(spec, encode_noise(spec, noise), 1)),
                answer(spec, frozen, {&epsilon, 1}, noise));
    }
  }
}

// Byte by byte, so that a dump of today can be restored for ever.
TEST(Record, TheBytesOfVersionOne) {
  Spec spec = spec_of(Statistic::kPrivateAverage);
  spec.upper = widen(Key64{16});
  mpq_class odd(25, 9);
  const Frozen frozen = freeze_noisy({-258, 3}, {32, odd});
  Bytes expected{'I', 'D', 'P', 'R', 1};
  expected.resize(5 + kSpecBytes);
  std::uint8_t* at = expected.data() + 5;
  encode_spec(spec, at);
  const Bytes rest{2, 0, 0,  0, 0,    0,                  // noisy, no infinity, no grid, no fill
                   0, 0, 0,  2, 0x80, 2, 1, 2, 0,  1, 3,  // two values
                   0, 0, 0,  2, 1,                        // two lists of one
                   0, 1, 32, 0, 1,    1, 0, 1, 25, 0, 1, 9};  // 32/1, 25/9
  expected.insert(expected.end(), rest.begin(), rest.end());
  EXPECT_EQ(decode_release(expected), (StoredRelease{spec, frozen}));
  Frozen counted = frozen;
  counted.kind = Kind::kCounted;
  expected[5 + kSpecBytes] = 3;
  EXPECT_EQ(decode_release(expected), (StoredRelease{spec, counted}));
  const Bytes noise{'I', 'D', 'P', 'N', 1, 0, 0, 0, 3, 0, 0, 0x80, 1, 1, 0, 2, 1, 0};
  EXPECT_EQ(decode_noise(spec, noise, 3), (std::vector<mpz_class>{0, -1, 256}));
}

void append(Bytes& bytes, const Bytes& more) {
  for (const std::uint8_t byte : more) bytes.push_back(byte);
}

// Of so many bytes in all, behind its head.
Bytes number(const Bytes& digits, bool negative = false, std::size_t size = 64) {
  Bytes bytes{static_cast<std::uint8_t>((negative ? 0x80 : 0) | (size >> 8)),
              static_cast<std::uint8_t>(size)};
  bytes.resize(2 + size - digits.size());
  append(bytes, digits);
  return bytes;
}

TEST(Record, TheBytesOfVersionTwo) {
  Spec spec = spec_of(Statistic::kPrivateAverage);
  spec.upper = widen(Key64{16});
  const Frozen frozen = freeze_noisy({-258, 3}, {32, mpq_class(25, 9)});
  Bytes expected{'I', 'D', 'P', 'R', 2};
  expected.resize(5 + kSpecBytes);
  std::uint8_t* at = expected.data() + 5;
  encode_spec(spec, at);
  append(expected, {2, 0, 0, 0});  // noisy, no infinity, no grid
  append(expected, number({}));
  append(expected, {0, 0, 0, 2});
  append(expected, number({1, 2}, true));
  append(expected, number({3}));
  append(expected, {0, 0, 0, 2, 1});
  for (const std::uint8_t part : {32, 1, 25, 9}) append(expected, number({part}));
  EXPECT_EQ(encode_release(spec, frozen), expected);
  Bytes noise{'I', 'D', 'P', 'N', 2, 0, 0, 0, 3};
  append(noise, number({}));
  append(noise, number({1}, true));
  append(noise, number({1, 0}));
  EXPECT_EQ(encode_noise(spec, std::vector<mpz_class>{0, -1, 256}), noise);
}

template <class Key>
Frozen frozen_from(const Spec& spec, std::vector<Key> keys) {
  SeededBits bits(5);
  std::sort(keys.begin(), keys.end());
  const std::span<const Key> run(keys);
  return freeze(spec, {&spec.epsilon, 1}, collected(in_memory<Key>({&run, 1})),
                {std::pmr::new_delete_resource()}, bits);
}

// Sizes of tables are open to everybody: whatever the rows are, a record has one size.
TEST(Record, TheSizeTellsNothingOfTheRows) {
  SeededBits bits(6);
  for (const double epsilon : {1e-18, 0.1, 1e6}) {
    Spec floats = median(kFloat64Grid);
    floats.epsilon = epsilon;
    Spec whole = median();
    whole.epsilon = epsilon;
    std::vector<std::size_t> sizes[2];
    const auto note = [&](std::vector<std::size_t>& all, const Spec& spec, const Frozen& frozen) {
      ASSERT_TRUE(frozen.is_values());
      all.push_back(encode_release(spec, frozen).size());
      for (int i = 0; i < 50; ++i) {
        const auto noise = draw_noise(frozen, {&epsilon, 1}, bits, nullptr);
        all.push_back(encode_noise(spec, noise).size() + 1'000'000);
      }
    };
    for (const double reach : {5e-324, 1e-100, 1.0, 1e100, 1e308}) {
      std::vector<Key64> keys;
      for (const double x : {-reach, 0.0, reach, reach, reach}) keys.push_back(ordered_bits(x));
      note(sizes[0], floats, frozen_from(floats, keys));
    }
    constexpr Key64 kMost = std::numeric_limits<std::int64_t>::max();
    for (const Key64 reach : {Key64{0}, Key64{1}, Key64{1'000'000}, kMost}) {
      note(sizes[1], whole, frozen_from<Key64>(whole, {-reach, 0, reach, reach, reach}));
    }
    for (auto& all : sizes) {
      std::sort(all.begin(), all.end());
      EXPECT_EQ(std::unique(all.begin(), all.end()) - all.begin(), 2) << epsilon;
    }
  }
}

TEST(Record, WhatIsNoReleaseIsRefused) {
  std::mt19937_64 random(3);
  const auto change = [](StoredRelease release, auto how) {
    how(release);
    return release;
  };
  for (int i = 0; i < 40 / kThin; ++i) {
    for (const Statistic statistic : additive_statistics()) {
      StoredRelease release;
      do {
        release = random_release(statistic, random);
      } while (!release.frozen.is_values());
      const auto is_refused = [&](auto how) { return refused(change(release, how)); };
      EXPECT_FALSE(is_refused([](auto&) {}));
      EXPECT_TRUE(is_refused([](auto& r) { r.spec.epsilon = 0; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.spec.epsilon = std::nan(""); }));
      EXPECT_TRUE(is_refused([](auto& r) { r.spec.fraction = 2; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.spec.statistic = Statistic::kNone; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.spec.groups = 33; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.spec.groups += 1; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.kind = static_cast<Kind>(4); }));
      EXPECT_NE(is_refused([](auto& r) { r.frozen.kind = Kind::kCounted; }),
                has_count(release.spec));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.kind = Kind::kSuppressed; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.kind = Kind::kInfinite; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.infinity = 1; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.values.emplace_back(1); }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.values.pop_back(); }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.sensitivities.pop_back(); }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.sensitivities.push_back({1}); }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.sensitivities[0].pop_back(); }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.sensitivities[0][0] = -1; }));
      EXPECT_TRUE(
          is_refused([](auto& r) { mpz_set_ui(r.frozen.sensitivities[0][0].get_den_mpz_t(), 0); }));
      EXPECT_TRUE(is_refused([](auto& r) {  // 2/4
        mpz_set_ui(r.frozen.sensitivities[0][0].get_num_mpz_t(), 2);
        mpz_set_ui(r.frozen.sensitivities[0][0].get_den_mpz_t(), 4);
      }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.fill = -1; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.fill = mpz_class(1) << kFillBits; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.dropped = kMostDropped + 1; }));
      EXPECT_TRUE(is_refused([](auto& r) { r.frozen.dropped = kLeastDropped - 1; }));
      const bool on_a_grid = is_local_value(release.spec) && release.spec.grid.is_float();
      EXPECT_EQ(is_refused([](auto& r) { r.frozen.dropped = 7; }), !on_a_grid);
    }
  }
  // an infinity where there is none, a sign that is none
  StoredRelease infinite{median(), {}};
  EXPECT_FALSE(refused(infinite));
  infinite.frozen.kind = Kind::kInfinite;
  infinite.frozen.infinity = 1;
  EXPECT_TRUE(refused(infinite));
  infinite.spec = median(kFloat64Grid);
  EXPECT_FALSE(refused(infinite));
  infinite.frozen.infinity = 2;
  EXPECT_TRUE(refused(infinite));
  for (const Statistic s : {Statistic::kPrivateMedian, Statistic::kSmoothMedian}) {
    StoredRelease other{spec_of(s), freeze_noisy({1}, {1})};
    other.spec.fraction = 0.5;
    if (s == Statistic::kSmoothMedian) other.spec.gamma = kDefaultGamma;
    EXPECT_TRUE(refused(other));
  }
}

TEST(Record, LongNumbers) {
  const Spec spec = spec_of(Statistic::kCount);
  const mpz_class most = (mpz_class(1) << (8 * 32767)) - 1;
  for (const mpz_class& number : {most, mpz_class(-most), mpz_class(mpz_class(1) << 256)}) {
    const std::vector<mpz_class> noise{number};
    EXPECT_EQ(decode_noise(spec, encode_noise(spec, noise), 1), noise);
  }
  EXPECT_THROW(encode_noise(spec, std::vector<mpz_class>{most + 1}), std::length_error);
}

// Numbers written in another way than encode_noise() does, or did.
TEST(Record, NumbersAreWrittenInOneWay) {
  const Spec spec = spec_of(Statistic::kCount);
  const auto noise = [](std::uint8_t version, const Bytes& number) {
    Bytes bytes{'I', 'D', 'P', 'N', version, 0, 0, 0, 1};
    append(bytes, number);
    return bytes;
  };
  EXPECT_EQ(decode_noise(spec, noise(1, {0, 1, 9}), 1)[0], 9);
  EXPECT_EQ(decode_noise(spec, noise(2, number({9})), 1)[0], 9);
  for (const Bytes& number : {Bytes{0, 1, 0}, Bytes{0, 2, 0, 9}, Bytes{0x80, 0}, Bytes{0, 2, 9},
                              Bytes{0, 1, 9, 9}, Bytes{0x7f, 0xff}, Bytes{0}, Bytes{}}) {
    EXPECT_THROW(decode_noise(spec, noise(1, number), 1), std::runtime_error);
  }
  const Bytes negative_zero = number({}, true);
  const Bytes too_long = number({9}, false, 128);
  Bytes cut = number({9});
  cut.pop_back();
  for (const Bytes& number : {negative_zero, too_long, cut, Bytes{0, 1, 9}, Bytes{0}, Bytes{}}) {
    EXPECT_THROW(decode_noise(spec, noise(2, number), 1), std::runtime_error);
  }
  for (const std::size_t count : {0, 2}) {
    EXPECT_THROW(decode_noise(spec, noise(2, number({9})), count), std::runtime_error);
  }
  EXPECT_THROW(decode_noise(spec, noise(3, number({9})), 1), std::runtime_error);
  // a count the bytes do not account for is refused before anything is allocated for it
  for (const std::uint8_t version : {1, 2}) {
    EXPECT_THROW(
        decode_noise(spec, Bytes{'I', 'D', 'P', 'N', version, 255, 255, 255, 255}, 0xffffffff),
        std::runtime_error);
  }
}

// What still decodes can be refined and answered, whatever it holds.
void use(const Bytes& bytes) {
  const auto release = decoded(bytes);
  if (!release) return;
  SeededBits bits(1);
  std::vector<double> epsilons(release->spec.groups, 1.0);
  const auto noise = draw_noise(release->frozen, epsilons, bits, nullptr);
  (void)answer(release->spec, release->frozen, epsilons, noise);
  const std::vector<ReleasedLevel> levels{{epsilons, noise}};
  epsilons.back() = 2;
  (void)noise_at(release->frozen, levels, epsilons, bits, nullptr);
}

TEST(Record, TruncationsAndBitFlipsAreHarmless) {
  std::mt19937_64 random(4);
  constexpr int kRounds = kThin > 1 ? 1 : 2;
  for (int i = 0; i < kRounds; ++i) {
    for (const Statistic statistic : additive_statistics()) {
      const Bytes bytes = encoded(random_release(statistic, random));
      // Most of a long record is room that numbers leave.
      const std::size_t step = 1 + bytes.size() / (250 / kThin);
      for (std::size_t size = 0; size < bytes.size(); size += step) {
        EXPECT_FALSE(decoded(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(size))));
      }
      Bytes longer = bytes;
      longer.push_back(0);
      EXPECT_FALSE(decoded(longer));
      for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += step) {
        Bytes flipped = bytes;
        flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        use(flipped);
      }
    }
  }
}

TEST(SameQuestion, IsEqualButForEpsilon) {
  std::mt19937_64 random(5);
  for (const Statistic statistic : additive_statistics()) {
    const Spec spec = random_spec(statistic, random);
    Spec other = spec;
    EXPECT_TRUE(same_question(spec, other));
    other.epsilon *= 3;
    EXPECT_TRUE(same_question(spec, other));
    EXPECT_TRUE(same_question(other, spec));
    const auto differs = [&](auto change) {
      Spec changed = other;
      change(changed);
      return !same_question(spec, changed) && !same_question(changed, spec);
    };
    EXPECT_TRUE(differs([](Spec& s) { s.k += 1; }));
    EXPECT_TRUE(differs([](Spec& s) { s.fraction += 0.25; }));
    EXPECT_TRUE(differs([](Spec& s) { s.groups += 1; }));
    EXPECT_TRUE(differs([](Spec& s) { s.lower.low += 1; }));
    EXPECT_TRUE(differs([](Spec& s) { s.upper.high += 1; }));
    EXPECT_TRUE(differs([](Spec& s) { s.grid.scale += 1; }));
    EXPECT_TRUE(differs([](Spec& s) { s.statistic = Statistic::kNone; }));
  }
}

}  // namespace
}  // namespace idp::test

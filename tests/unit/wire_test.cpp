// The portable form of a state: round trips, and everything that must not get in.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/accumulator/wire.h"
#include "tests/support/data.h"

namespace idp::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Double = std::numeric_limits<double>;

struct State {
  Spec spec;
  std::int64_t count = 0;
  std::vector<char> keys;  // packed, native order
};

Bytes encoded(const State& state) {
  Bytes out(wire_size(state.spec, state.count));
  encode(state.spec, state.count, state.keys.data(), out);
  return out;
}

State decoded_state(const Bytes& bytes, const Decoded& decoded) {
  State state{decoded.spec, decoded.count, {}};
  if (decoded.spec.collects_values()) {
    state.keys.resize(static_cast<std::size_t>(decoded.count) * key_bytes(decoded.spec.grid));
    decode_keys(bytes, decoded, state.keys.data());
  }
  return state;
}

bool rejected(const Bytes& bytes) { return decode(bytes).problem != nullptr; }
bool rejected(const State& state) { return rejected(encoded(state)); }

// Any key the grid admits, infinities and ends included.
Key128 random_key(const Grid& grid, std::mt19937_64& random) {
  for (;;) {
    if (grid.is_wide()) {
      Key128 key{static_cast<std::int64_t>(random()), random()};
      if (random() % 2 == 0) key = key128(int128(key) >> (random() % 128));
      if (random() % 8 == 0) key = grid.infinity<Key128>(random() % 2 ? 1 : -1);
      if (grid.admits(key)) return key;
      continue;
    }
    Key64 key = static_cast<Key64>(random()) >> (random() % 64);
    if (grid.type == ValueType::kFloat32) {
      const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (std::isnan(x)) continue;
      key = ordered_bits(x);
    }
    if (grid.has_infinity() && random() % 8 == 0) key = grid.infinity<Key64>(random() % 2 ? 1 : -1);
    if (grid.admits(key)) return widen(key);
  }
}

Key128 random_finite_key(const Grid& grid, std::mt19937_64& random) {
  for (;;) {
    const Key128 key = random_key(grid, random);
    const int sign = grid.is_wide() ? grid.infinity_sign(key) : grid.infinity_sign(narrow(key));
    if (sign == 0) return key;
  }
}

Grid random_grid(std::mt19937_64& random) {
  const auto type = static_cast<ValueType>(1 + random() % (kValueTypes - 1));
  if (type != ValueType::kNumeric) return Grid{type};
  if (random() % 3 == 0) return Grid::plain_numeric();
  return Grid::numeric(1 + static_cast<int>(random() % 60), static_cast<int>(random() % 80) - 20);
}

State random_state(Statistic statistic, std::size_t rows, std::mt19937_64& random) {
  State state;
  Spec& spec = state.spec;
  spec.statistic = statistic;
  if (statistic != Statistic::kCount) spec.grid = random_grid(random);
  spec.epsilon =
      std::ldexp(1 + static_cast<double>(random() % 1000), -static_cast<int>(random() % 20));
  spec.fraction = fixed_fraction(statistic);
  if (spec.has(Parameter::kFraction)) spec.fraction = static_cast<double>(random() % 101) / 100;
  if (spec.has(Parameter::kK))
    spec.k = 1 + static_cast<std::int64_t>(random() >> 1 >> (random() % 63));
  const bool both = spec.has(Parameter::kLower) && spec.has(Parameter::kUpper);
  const auto bound = [&] {
    return both && !is_private_quantile(statistic) ? random_key(spec.grid, random)
                                                   : random_finite_key(spec.grid, random);
  };
  if (spec.has(Parameter::kLower)) spec.lower = bound();
  if (spec.has(Parameter::kUpper)) spec.upper = bound();
  if (both && spec.lower > spec.upper) std::swap(spec.lower, spec.upper);
  state.count = static_cast<std::int64_t>(rows);
  if (!spec.collects_values()) {
    state.count = static_cast<std::int64_t>(random() >> 1 >> (random() % 63));
    return state;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const Key128 key = random_key(spec.grid, random);
    const Key64 short_key = narrow(key);
    const auto* from = spec.grid.is_wide() ? reinterpret_cast<const char*>(&key)
                                           : reinterpret_cast<const char*>(&short_key);
    state.keys.insert(state.keys.end(), from, from + key_bytes(spec.grid));
  }
  return state;
}

State small_state(Spec spec, std::initializer_list<Key64> keys) {
  State state{spec, static_cast<std::int64_t>(keys.size()), {}};
  for (const Key64 key : keys) {
    const auto* from = reinterpret_cast<const char*>(&key);
    state.keys.insert(state.keys.end(), from, from + sizeof key);
  }
  return state;
}

TEST(Wire, RoundTrip) {
  std::mt19937_64 random(1);
  for (int s = 1; s < kStatistics; ++s) {
    for (int i = 0; i < 500; ++i) {
      const State state = random_state(static_cast<Statistic>(s), random() % 40, random);
      const Bytes bytes = encoded(state);
      const Decoded decoded = decode(bytes);
      ASSERT_EQ(decoded.problem, nullptr) << "statistic " << s;
      ASSERT_TRUE(decoded.spec == state.spec);
      ASSERT_EQ(decoded.count, state.count);
      const State back = decoded_state(bytes, decoded);
      ASSERT_TRUE(back.keys == state.keys);
    }
  }
}

TEST(Wire, LayoutIsFixed) {
  Spec spec = kth_smallest(2, Grid{ValueType::kInt16});
  spec.epsilon = 0.5;
  const Bytes bytes = encoded(small_state(spec, {-2, 258}));
  Bytes expected{'I', 'D', 'P', 1, 5, 1, 0, 0, 0, 0, 0, 0, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0};
  expected.resize(28);
  expected.insert(expected.end(), {0, 0, 0, 0, 0, 0, 0, 2});
  expected.resize(68);
  expected.insert(expected.end(), {0, 0, 0, 0, 0, 0, 0, 2});
  expected.insert(expected.end(), {255, 255, 255, 255, 255, 255, 255, 254});
  expected.insert(expected.end(), {0, 0, 0, 0, 0, 0, 1, 2});
  EXPECT_TRUE(bytes == expected);
  EXPECT_EQ(bytes.size(), kWireHeaderBytes + 16);
}

TEST(Wire, EveryTruncationIsRejected) {
  std::mt19937_64 random(2);
  for (int s = 1; s < kStatistics; ++s) {
    const Bytes bytes = encoded(random_state(static_cast<Statistic>(s), 5, random));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      // an exact allocation, so that a sanitizer sees a read beyond it
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      ASSERT_TRUE(rejected(cut)) << "statistic " << s << ", " << length << " bytes";
    }
    Bytes longer = bytes;
    for (int i = 0; i < 16; ++i) {
      longer.push_back(0);
      ASSERT_TRUE(rejected(longer));
    }
  }
}

// What decodes is one valid state and one only.
void expect_canonical(const Bytes& bytes) {
  const Decoded decoded = decode(bytes);
  if (decoded.problem != nullptr) return;
  ASSERT_FALSE(find_violation(decoded.spec));
  ASSERT_TRUE(encoded(decoded_state(bytes, decoded)) == bytes);
}

TEST(Wire, FlippedBytes) {
  std::mt19937_64 random(3);
  for (int s = 1; s < kStatistics; ++s) {
    for (int i = 0; i < 10; ++i) {
      const Bytes bytes = encoded(random_state(static_cast<Statistic>(s), 3, random));
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int flip : {0x01, 0x80, 0xff, static_cast<int>(1 + random() % 255)}) {
          Bytes changed = bytes;
          changed[at] ^= static_cast<std::uint8_t>(flip);
          expect_canonical(changed);
        }
      }
    }
  }
}

TEST(Wire, RandomBytesBehindAValidStart) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes(kWireHeaderBytes + 8 * (random() % 4));
    for (auto& b : bytes) b = random() % 2 ? static_cast<std::uint8_t>(random()) : 0;
    std::memcpy(bytes.data(), "IDP\1", 4);
    expect_canonical(bytes);
  }
}

TEST(Wire, StartAndVersion) {
  const Bytes good = encoded(small_state(median(), {1, 2, 3}));
  EXPECT_FALSE(rejected(good));
  EXPECT_TRUE(rejected(Bytes{}));
  for (const std::uint8_t version : {0, 2, 255}) {
    Bytes bytes = good;
    bytes[3] = version;
    EXPECT_STREQ(decode(bytes).problem, "The state is of another version.");
  }
  Bytes bytes = good;
  bytes[0] = 'i';
  EXPECT_STREQ(decode(bytes).problem, "The bytes are not a state.");
  for (const int statistic : {0, kStatistics, 255}) {
    bytes = good;
    bytes[4] = static_cast<std::uint8_t>(statistic);
    EXPECT_TRUE(rejected(bytes));
  }
  for (const int type : {0, kValueTypes, 255}) {
    bytes = good;
    bytes[5] = static_cast<std::uint8_t>(type);
    EXPECT_TRUE(rejected(bytes));
  }
  for (const std::size_t at : {6, 7, 8, 9, 10, 11}) {  // precision, scale, reserved
    bytes = good;
    bytes[at] = 1;
    EXPECT_TRUE(rejected(bytes)) << at;
  }
}

TEST(Wire, ForgedCounts) {
  const Bytes good = encoded(small_state(median(), {1, 2, 3}));
  const auto with_count = [](Bytes bytes, std::uint64_t count) {
    for (int i = 0; i < 8; ++i) bytes[68 + i] = static_cast<std::uint8_t>(count >> (56 - 8 * i));
    return bytes;
  };
  EXPECT_FALSE(rejected(with_count(good, 3)));
  const std::uint64_t wrong[] = {0,          2,          4,         1u << 31,
                                 1ull << 61, 1ull << 63, ~0ull,     (1ull << 61) + 3,
                                 1ull << 60, 1ull << 62, ~0ull - 2, 0x8000000000000003};
  for (const auto count : wrong) EXPECT_TRUE(rejected(with_count(good, count))) << count;

  // 2^60 keys of 16 bytes are 2^64 bytes: 0 after wrapping
  const Bytes wide = encoded(State{median(Grid::plain_numeric()), 0, {}});
  EXPECT_FALSE(rejected(wide));
  for (const auto count : wrong) {
    if (count != 0) {
      EXPECT_TRUE(rejected(with_count(wide, count)));
    }
  }
  const Bytes rows = encoded(State{spec_of(Statistic::kCount, Grid{}), 5, {}});
  EXPECT_FALSE(rejected(rows));
  EXPECT_TRUE(rejected(with_count(rows, 1ull << 63)));
  EXPECT_FALSE(rejected(with_count(rows, (1ull << 63) - 1)));
}

TEST(Wire, KeysOutsideTheirType) {
  const auto state = [](Grid grid, Key64 key) { return small_state(median(grid), {0, key, 0}); };
  const Grid int16{ValueType::kInt16}, int32{ValueType::kInt32}, date{ValueType::kDate};
  const Grid time{ValueType::kTimestamp}, float32{ValueType::kFloat32};
  EXPECT_FALSE(rejected(state(int16, 32767)));
  EXPECT_TRUE(rejected(state(int16, 40000)));
  EXPECT_TRUE(rejected(state(int16, -32769)));
  EXPECT_TRUE(rejected(state(int32, Key64{1} << 31)));
  EXPECT_FALSE(rejected(state(date, kMaxDate)));
  EXPECT_TRUE(rejected(state(date, kMaxDate + 1)));
  EXPECT_TRUE(rejected(state(date, kMinDate - 1)));
  EXPECT_FALSE(rejected(state(date, date.infinity<Key64>(1))));
  EXPECT_TRUE(rejected(state(time, kMaxTimestamp + 1)));
  EXPECT_FALSE(rejected(state(time, time.infinity<Key64>(-1))));
  EXPECT_TRUE(rejected(state(Grid::numeric(4, 2), 10000)));
  EXPECT_FALSE(rejected(state(Grid::numeric(4, 2), -9999)));

  EXPECT_TRUE(rejected(state(kFloat64Grid, -1)));  // -0
  for (const int sign : {-1, 1}) {
    const Key64 infinity = ordered_bits(sign * Double::infinity());
    EXPECT_FALSE(rejected(state(kFloat64Grid, infinity)));
    EXPECT_TRUE(rejected(state(kFloat64Grid, infinity + sign)));  // NaN
  }
  EXPECT_FALSE(rejected(state(float32, ordered_bits(0.5))));
  EXPECT_TRUE(rejected(state(float32, ordered_bits(0.1))));
  EXPECT_TRUE(rejected(state(float32, ordered_bits(1e39))));
}

TEST(Wire, UnusedParametersHoldTheirDefaults) {
  const auto changed = [](Spec spec, auto change) {
    change(spec);
    return rejected(State{spec, 0, {}});
  };
  const auto set_k = [](Spec& spec) { spec.k = 1; };
  const auto set_fraction = [](Spec& spec) { spec.fraction = 0.25; };
  const auto nan_fraction = [](Spec& spec) { spec.fraction = Double::quiet_NaN(); };
  const auto set_lower = [](Spec& spec) { spec.lower = widen(Key64{1}); };
  const auto set_upper = [](Spec& spec) { spec.upper = widen(Key64{-1}); };
  const Spec count = spec_of(Statistic::kCount, Grid{});
  const Spec ranged = spec_of(Statistic::kCountRange);
  EXPECT_FALSE(changed(median(), [](Spec&) {}));
  for (const Spec& spec :
       {median(), quantile(0.5), minimum<Key64>(0), maximum<Key64>(0), count, ranged}) {
    EXPECT_TRUE(changed(spec, set_k));
  }
  for (const Spec& spec : {median(), kth_smallest(1), minimum<Key64>(0), count, ranged}) {
    EXPECT_TRUE(changed(spec, set_fraction));
    EXPECT_TRUE(changed(spec, nan_fraction));
  }
  for (const Spec& spec : {median(), quantile(0.5), maximum<Key64>(0), kth_largest(1), count}) {
    EXPECT_TRUE(changed(spec, set_lower));
  }
  for (const Spec& spec : {median(), quantile(0.5), minimum<Key64>(0), kth_largest(1), count}) {
    EXPECT_TRUE(changed(spec, set_upper));
  }
  EXPECT_TRUE(changed(median(), [](Spec& spec) { spec.fraction = 0; }));
}

TEST(Wire, InvalidParameters) {
  for (const double epsilon : {Double::quiet_NaN(), 0.0, -0.0, -1.0, Double::infinity()}) {
    Spec spec = median();
    spec.epsilon = epsilon;
    EXPECT_TRUE(rejected(small_state(spec, {1})));
  }
  EXPECT_TRUE(rejected(small_state(quantile(1.5), {1})));
  EXPECT_TRUE(rejected(small_state(quantile(Double::quiet_NaN()), {1})));
  EXPECT_TRUE(rejected(small_state(kth_smallest(0), {1})));
  EXPECT_TRUE(rejected(small_state(kth_largest(-5), {1})));

  Spec crossed = spec_of(Statistic::kTruncatedRange);
  crossed.lower = widen(Key64{2});
  crossed.upper = widen(Key64{1});
  EXPECT_TRUE(rejected(State{crossed, 0, {}}));
  // bounds of another type's range, infinite, or longer than a narrow key
  EXPECT_TRUE(rejected(State{minimum<Key64>(40000, Grid{ValueType::kInt16}), 0, {}}));
  EXPECT_TRUE(rejected(State{minimum(ordered_bits(-Double::infinity()), kFloat64Grid), 0, {}}));
  EXPECT_TRUE(rejected(State{maximum<Key64>(-1, kFloat64Grid), 0, {}}));  // -0
  EXPECT_TRUE(rejected(State{maximum(Key128{1, 5}), 0, {}}));
  EXPECT_TRUE(rejected(State{maximum(Key128{0, std::uint64_t{1} << 63}), 0, {}}));

  Grid grid = Grid::numeric(10, 2);
  for (const int precision : {-1, 39, 100}) {
    grid.precision = static_cast<std::int16_t>(precision);
    EXPECT_TRUE(rejected(State{median(grid), 0, {}}));
  }
  grid = Grid::plain_numeric();
  grid.scale = 15;
  EXPECT_TRUE(rejected(State{median(grid), 0, {}}));
}

// Equal states are equal byte by byte: an unused fraction is +0, not -0.
TEST(Wire, NegativeZeroInAnUnusedFraction) {
  Spec spec = minimum<Key64>(0);
  spec.fraction = -0.0;
  EXPECT_TRUE(rejected(small_state(spec, {1})));
}

// A count of rows has no column, whatever the type, and everything else has one.
TEST(Wire, ACountOfRowsHasNoColumn) {
  for (int type = 1; type < kValueTypes; ++type) {
    Grid grid{static_cast<ValueType>(type)};
    if (grid.type == ValueType::kNumeric) grid = Grid::plain_numeric();
    EXPECT_TRUE(rejected(State{spec_of(Statistic::kCount, grid), 0, {}})) << "type " << type;
  }
  for (int s = 1; s < kStatistics; ++s) {
    Spec spec = spec_of(static_cast<Statistic>(s), Grid{});
    if (s == static_cast<int>(Statistic::kMedian)) spec.fraction = 0.5;
    if (spec.has(Parameter::kK)) spec.k = 1;
    EXPECT_EQ(rejected(State{spec, 0, {}}), spec.statistic != Statistic::kCount);
  }
}

}  // namespace
}  // namespace idp::test

// The portable form of a state: round trips, and everything that must not get in.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "core/aggregate/spec_wire.h"
#include "core/aggregate/wire.h"
#include "core/collect/moments.h"
#include "core/grid/offsets.h"
#include "tests/support/data.h"

namespace idp::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Double = std::numeric_limits<double>;

using Words = std::vector<std::uint64_t>;

struct State {
  StoredSpec spec;
  std::int64_t count = 0;
  Words words;  // epsilons and payload
};

Bytes encoded(const State& state) {
  Bytes out(wire_size(state.spec, state.count));
  encode(state.spec, state.count, state.words.data(), out);
  return out;
}

// Nothing if the bytes are rejected.
std::optional<State> decoded_state(const Bytes& bytes) {
  const Decoded decoded = decode(bytes);
  if (decoded.problem != nullptr) return std::nullopt;
  State state{decoded.spec, decoded.count, Words(decoded.words)};
  if (decode_words(bytes, decoded, state.words.data()) != nullptr) return std::nullopt;
  return state;
}

bool rejected(const Bytes& bytes) { return !decoded_state(bytes); }
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

Grid random_grid(Statistic statistic, std::mt19937_64& random) {
  Grid grid;
  do {
    grid = Grid{static_cast<ValueType>(1 + random() % (kValueTypes - 1))};
  } while (!takes(row_of(statistic).columns, grid.type));
  if (grid.type != ValueType::kNumeric) return grid;
  if (random() % 3 == 0) return Grid::plain_numeric();
  return Grid::numeric(1 + static_cast<int>(random() % 60), static_cast<int>(random() % 80) - 20);
}

void add_key(State& state, Key128 key) {
  if (state.spec.grid.is_wide()) state.words.push_back(static_cast<std::uint64_t>(key.high));
  state.words.push_back(key.low);
}

double random_epsilon(std::mt19937_64& random) {
  return std::ldexp(1 + static_cast<double>(random() % 1000), -static_cast<int>(random() % 20));
}

Spec random_spec(Statistic statistic, std::mt19937_64& random) {
  Spec spec;
  spec.statistic = statistic;
  if (row_of(statistic).columns != Columns::kNone) spec.grid = random_grid(statistic, random);
  spec.epsilon = random_epsilon(random);
  spec.fraction = fixed_fraction(statistic);
  if (spec.has(Parameter::kFraction)) spec.fraction = static_cast<double>(random() % 50) / 100;
  if (spec.has(Parameter::kK))
    spec.k = 1 + static_cast<std::int64_t>(random() % kMaxK >> (random() % 31));
  if (spec.has(Parameter::kBuckets)) spec.buckets = 1 + static_cast<std::int64_t>(random() % 20);
  if (spec.has(Parameter::kDelta)) spec.delta = std::ldexp(0.75, -static_cast<int>(random() % 90));
  if (spec.has(Parameter::kGamma)) spec.gamma = 2 + static_cast<std::int64_t>(random() % 3);
  const auto bound = [&] {
    return spec.collects() == Collects::kRows ? random_key(spec.grid, random)
                                              : random_finite_key(spec.grid, random);
  };
  if (spec.has(Parameter::kLower)) spec.lower = bound();
  if (spec.has(Parameter::kUpper)) spec.upper = bound();
  if (spec.has(Parameter::kLower) && spec.has(Parameter::kUpper) && spec.lower > spec.upper) {
    std::swap(spec.lower, spec.upper);
  }
  const bool groups = row_of(statistic).groups;
  if (groups && random() % 2) spec.groups = static_cast<std::uint8_t>(2 + random() % 5);
  return spec;
}

State random_state(Statistic statistic, std::size_t rows, std::mt19937_64& random) {
  const Spec spec = random_spec(statistic, random);
  State state{spec, static_cast<std::int64_t>(rows), {}};
  if (spec.groups > 1) {
    state.words.push_back(std::bit_cast<std::uint64_t>(spec.epsilon));
    while (state.words.size() < spec.groups) {
      state.words.push_back(std::bit_cast<std::uint64_t>(random_epsilon(random)));
    }
  }
  switch (spec.collects()) {
    case Collects::kRows:
      state.count = static_cast<std::int64_t>(random() >> 1 >> (random() % 63));
      break;
    case Collects::kBuckets:
      state.words.resize(static_cast<std::size_t>(spec.buckets));
      for (std::size_t i = 0; i < rows; ++i) ++state.words[random() % state.words.size()];
      break;
    case Collects::kMoments: {
      const std::size_t before = state.words.size();
      state.words.resize(before + moment_layout(spec).words());
      const Offsets offsets(spec.grid, spec.lower, spec.upper);
      for (std::size_t i = 0; i < rows; ++i) {
        const Key128 key = random_key(spec.grid, random);
        std::uint64_t* payload = state.words.data() + before;
        const auto count = static_cast<std::int64_t>(i);
        if (spec.grid.is_wide()) {
          add_to_moments(moment_layout(spec), payload, count, offsets.wide(key));
        } else {
          add_to_moments(moment_layout(spec), payload, count, offsets.narrow(narrow(key)));
        }
      }
      break;
    }
    default:
      for (std::size_t i = 0; i < rows; ++i) {
        add_key(state, spec.grid.is_opaque() ? Key128{static_cast<std::int64_t>(random()), random()}
                                             : random_key(spec.grid, random));
      }
  }
  return state;
}

State small_state(Spec spec, std::initializer_list<Key64> keys) {
  State state{spec, static_cast<std::int64_t>(keys.size()), {}};
  for (const Key64 key : keys) add_key(state, widen(key));
  return state;
}

TEST(Wire, RoundTrip) {
  std::mt19937_64 random(1);
  for (int s = 1; s < kStatistics; ++s) {
    for (int i = 0; i < 500; ++i) {
      const State state = random_state(static_cast<Statistic>(s), random() % 40, random);
      const auto back = decoded_state(encoded(state));
      ASSERT_TRUE(back) << "statistic " << s;
      ASSERT_TRUE(back->spec == state.spec);
      ASSERT_EQ(back->count, state.count);
      ASSERT_TRUE(back->words == state.words);
    }
  }
}

TEST(Wire, LayoutIsFixed) {
  Spec spec = kth_smallest(2, Grid{ValueType::kInt16});
  spec.epsilon = 0.5;
  const Bytes bytes = encoded(small_state(spec, {-2, 258}));
  Bytes expected{'I', 'D', 'P', 1, 5, 1, 0, 0, 0, 0, 0, 1, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0};
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
  const auto state = decoded_state(bytes);
  if (!state) return;
  ASSERT_FALSE(find_violation_of_stored(state->spec.to_spec(), {&state->spec.epsilon, 1}));
  ASSERT_TRUE(encoded(*state) == bytes);
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
  for (const std::size_t at : {6, 7, 8, 9, 10, 11}) {  // precision, scale, groups
    bytes = good;
    bytes[at] ^= 1;
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

// Byte by byte, so that states of today can be read for ever.
TEST(Wire, TheBytesOfASpec) {
  Spec spec = spec_of(Statistic::kKthLargest, Grid::numeric(10, 2));
  spec.groups = 3;
  spec.epsilon = 0.5;
  spec.k = 0x0102;
  Bytes expected{6, 6, 0, 10, 0, 2, 0, 3, 0x3f, 0xe0};  // epsilon's 8 bytes begin with 3f e0
  expected.resize(kSpecBytes);
  expected[30] = 1;
  expected[31] = 2;
  const auto bytes = [](const Spec& spec) {
    Bytes out(kSpecBytes);
    std::uint8_t* at = out.data();
    encode_spec(spec, at);
    return out;
  };
  EXPECT_EQ(bytes(spec), expected);

  spec = spec_of(Statistic::kHistogram);
  spec.epsilon = 2;
  spec.buckets = 300;
  spec.lower = Key128{-1, 7};
  spec.upper = Key128{0, 256};
  expected = {23, 3, 0, 0, 0, 0, 0, 1, 0x40};
  expected.resize(kSpecBytes);
  expected[30] = 1;
  expected[31] = 44;
  std::fill_n(expected.begin() + 32, 8, std::uint8_t{0xff});
  expected[47] = 7;
  expected[62] = 1;
  EXPECT_EQ(bytes(spec), expected);

  spec = spec_of(Statistic::kSmoothQuantile);
  spec.epsilon = 2;
  spec.fraction = 0.5;
  spec.gamma = 4;
  expected = {25, 3, 0, 0, 0, 0, 0, 1, 0x40};
  expected.resize(kSpecBytes);
  expected[16] = 0x3f;
  expected[17] = 0xe0;
  expected[31] = 4;
  EXPECT_EQ(bytes(spec), expected);
}

TEST(Wire, AStoredSpecIsTheSpec) {
  std::mt19937_64 random(7);
  for (int s = 1; s < kStatistics; ++s) {
    for (int i = 0; i < 100; ++i) {
      const Spec spec = random_spec(static_cast<Statistic>(s), random);
      const StoredSpec stored(spec);
      ASSERT_TRUE(stored.to_spec() == spec) << "statistic " << s;
      const bool has_number =
          spec.has(Parameter::kK) || spec.has(Parameter::kBuckets) || spec.has(Parameter::kGamma);
      ASSERT_EQ(stored.number != 0, has_number) << "statistic " << s;
    }
  }
}

TEST(Wire, UnusedParametersHoldTheirDefaults) {
  const auto changed = [](StoredSpec spec, auto change) {
    change(spec);
    return rejected(State{spec, 0, {}});
  };
  const auto set_number = [](StoredSpec& spec) { spec.number = 1; };
  const auto set_fraction = [](StoredSpec& spec) { spec.fraction = 0.25; };
  const auto nan_fraction = [](StoredSpec& spec) { spec.fraction = Double::quiet_NaN(); };
  const auto set_lower = [](StoredSpec& spec) { spec.lower = widen(Key64{1}); };
  const auto set_upper = [](StoredSpec& spec) { spec.upper = widen(Key64{-1}); };
  const Spec count = spec_of(Statistic::kCount, Grid{});
  const Spec ranged = spec_of(Statistic::kCountRange);
  EXPECT_FALSE(changed(median(), [](StoredSpec&) {}));
  for (const Spec& spec :
       {median(), quantile(0.5), minimum<Key64>(0), maximum<Key64>(0), count, ranged}) {
    EXPECT_TRUE(changed(spec, set_number));
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
  EXPECT_TRUE(changed(median(), [](StoredSpec& spec) { spec.fraction = 0; }));
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

// A count of rows has no column, whatever the type, nor has what counts them to decide about a group;
// everything else has one.
TEST(Wire, ACountOfRowsHasNoColumn) {
  for (int type = 1; type < kValueTypes; ++type) {
    Grid grid{static_cast<ValueType>(type)};
    if (grid.type == ValueType::kNumeric) grid = Grid::plain_numeric();
    EXPECT_TRUE(rejected(State{spec_of(Statistic::kCount, grid), 0, {}})) << "type " << type;
    EXPECT_TRUE(rejected(State{spec_of(Statistic::kKeepGroup, grid), 0, {}})) << "type " << type;
  }
  for (int s = 1; s < kStatistics; ++s) {
    std::mt19937_64 random(5);
    State state = random_state(static_cast<Statistic>(s), 0, random);
    EXPECT_FALSE(rejected(state));
    if (row_of(state.spec.statistic).columns == Columns::kNone) continue;
    state.spec.grid = Grid{};
    state.spec.lower = state.spec.upper = Key128{0, 0};
    EXPECT_TRUE(rejected(state));
  }
}

TEST(Wire, OnlyNumbersAreAddedUpAndOnlyDistinctCountsTakeText) {
  Spec sum = spec_of(Statistic::kSum, Grid{ValueType::kDate});
  EXPECT_TRUE(rejected(State{sum, 0, Words(moment_layout(sum).words())}));
  sum.grid = Grid{ValueType::kInt32};
  EXPECT_FALSE(rejected(State{sum, 0, Words(moment_layout(sum).words())}));
  for (const ValueType type : {ValueType::kText, ValueType::kUuid}) {
    EXPECT_TRUE(rejected(State{median(Grid{type}), 0, {}}));
    EXPECT_FALSE(rejected(State{spec_of(Statistic::kDistinct, Grid{type}), 0, {}}));
  }
}

TEST(Wire, BucketsAddUpToTheCount) {
  Spec spec = spec_of(Statistic::kHistogram);
  spec.buckets = 3;
  EXPECT_FALSE(rejected(State{spec, 6, {1, 2, 3}}));
  EXPECT_TRUE(rejected(State{spec, 5, {1, 2, 3}}));
  EXPECT_TRUE(rejected(State{spec, 7, {1, 2, 3}}));
  EXPECT_TRUE(rejected(State{spec, 2, {~std::uint64_t{0}, 3, 0}}));  // -1 + 3
}

TEST(Wire, SeveralEpsilons) {
  Spec spec = median();
  spec.groups = 2;
  const auto word = [](double epsilon) { return std::bit_cast<std::uint64_t>(epsilon); };
  EXPECT_FALSE(rejected(State{spec, 1, {word(1), word(2), 7}}));
  EXPECT_TRUE(rejected(State{spec, 1, {word(0.5), word(2), 7}}));  // the first is spec.epsilon
  for (const double bad : {0.0, -1.0, Double::infinity(), Double::quiet_NaN()}) {
    EXPECT_TRUE(rejected(State{spec, 1, {word(1), word(bad), 7}}));
  }
  Spec variance = spec_of(Statistic::kVariance);
  variance.groups = 2;
  EXPECT_TRUE(rejected(State{variance, 0, Words(2 + moment_layout(variance).words(), word(1))}));
}

}  // namespace
}  // namespace idp::test

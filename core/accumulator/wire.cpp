#include "core/accumulator/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace idp {

namespace {

constexpr std::uint8_t kMagic[] = {'I', 'D', 'P'};
constexpr std::uint8_t kEmpty[kEmptyWireBytes] = {'I', 'D', 'P', kWireVersion, 0};

void put(std::uint8_t*& at, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint64_t get(const std::uint8_t*& at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = (value << 8) | *at++;
  return value;
}

void put_key(std::uint8_t*& at, Key64 key) { put(at, static_cast<std::uint64_t>(key), 8); }
void put_key(std::uint8_t*& at, Key128 key) {
  put(at, static_cast<std::uint64_t>(key.high), 8);
  put(at, key.low, 8);
}

void get_key(const std::uint8_t*& at, Key64& key) { key = static_cast<Key64>(get(at, 8)); }
void get_key(const std::uint8_t*& at, Key128& key) {
  key.high = static_cast<std::int64_t>(get(at, 8));
  key.low = get(at, 8);
}

template <class Key>
void put_keys(std::uint8_t* at, std::int64_t count, const void* keys) {
  const char* from = static_cast<const char*>(keys);
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(Key)) {
    Key key;
    std::memcpy(&key, from, sizeof(Key));
    put_key(at, key);
  }
}

template <class Key>
bool keys_admitted(const std::uint8_t* at, std::int64_t count, const Grid& grid) {
  for (std::int64_t i = 0; i < count; ++i) {
    Key key;
    get_key(at, key);
    if (!grid.admits(key)) return false;
  }
  return true;
}

template <class Key>
void copy_keys(const std::uint8_t* at, std::int64_t count, void* out) {
  char* to = static_cast<char*>(out);
  for (std::int64_t i = 0; i < count; ++i, to += sizeof(Key)) {
    Key key;
    get_key(at, key);
    std::memcpy(to, &key, sizeof(Key));
  }
}

bool valid_grid(const Grid& grid, Statistic statistic) {
  if ((grid.type == ValueType::kNone) != (statistic == Statistic::kCount)) return false;
  if (grid.type != ValueType::kNumeric) return grid.precision == 0 && grid.scale == 0;
  if (grid.precision == 0) return grid == Grid::plain_numeric();
  return grid.precision >= 1 && grid.precision <= Grid::kMaxPrecision && grid.scale >= -1000 &&
         grid.scale <= 1000;
}

bool valid_bound(const Grid& grid, bool used, Key128 key) {
  if (!used) return key == Key128{0, 0};
  if (grid.is_wide()) return grid.admits(key);
  return widen(narrow(key)) == key && grid.admits(narrow(key));
}

// Parameters the statistic does not have must hold their defaults, so that equal states are equal.
bool valid_parameters(const Spec& spec) {
  return !std::signbit(spec.fraction) &&
         (spec.has(Parameter::kFraction) || spec.fraction == fixed_fraction(spec.statistic)) &&
         (spec.has(Parameter::kK) || spec.k == 0) &&
         valid_bound(spec.grid, spec.has(Parameter::kLower), spec.lower) &&
         valid_bound(spec.grid, spec.has(Parameter::kUpper), spec.upper) && !find_violation(spec);
}

Decoded broken(const char* problem) {
  Decoded d;
  d.problem = problem;
  return d;
}

}  // namespace

std::size_t key_bytes(const Grid& grid) { return grid.is_wide() ? sizeof(Key128) : sizeof(Key64); }

std::size_t wire_size(const Spec& spec, std::int64_t count) {
  const std::size_t keys = spec.collects_values() ? static_cast<std::size_t>(count) : 0;
  return kWireHeaderBytes + keys * key_bytes(spec.grid);
}

void encode(const Spec& spec, std::int64_t count, const void* keys, std::span<std::uint8_t> out) {
  if (out.size() != wire_size(spec, count)) return;  // never beyond what the caller made room for
  std::uint8_t* at = out.data();
  for (const std::uint8_t byte : kMagic) *at++ = byte;
  *at++ = kWireVersion;
  put(at, static_cast<std::uint64_t>(spec.statistic), 1);
  put(at, static_cast<std::uint64_t>(spec.grid.type), 1);
  put(at, static_cast<std::uint16_t>(spec.grid.precision), 2);
  put(at, static_cast<std::uint16_t>(spec.grid.scale), 2);
  put(at, 0, 2);
  put(at, std::bit_cast<std::uint64_t>(spec.epsilon), 8);
  put(at, std::bit_cast<std::uint64_t>(spec.fraction), 8);
  put(at, static_cast<std::uint64_t>(spec.k), 8);
  put_key(at, spec.lower);
  put_key(at, spec.upper);
  put(at, static_cast<std::uint64_t>(count), 8);
  if (!spec.collects_values()) return;
  if (spec.grid.is_wide()) {
    put_keys<Key128>(at, count, keys);
  } else {
    put_keys<Key64>(at, count, keys);
  }
}

void encode_empty(std::span<std::uint8_t> out) { std::copy_n(kEmpty, kEmptyWireBytes, out.data()); }

bool is_empty(std::span<const std::uint8_t> in) { return std::ranges::equal(in, kEmpty); }

Decoded decode(std::span<const std::uint8_t> in) {
  if (in.size() < kWireHeaderBytes) return broken("The state is truncated.");
  if (std::memcmp(in.data(), kMagic, sizeof kMagic) != 0) {
    return broken("The bytes are not a state.");
  }
  const std::uint8_t* at = in.data() + sizeof kMagic;
  if (*at++ != kWireVersion) return broken("The state is of another version.");

  Decoded d;
  const std::uint64_t statistic = get(at, 1);
  const std::uint64_t type = get(at, 1);
  if (statistic == 0 || statistic >= kStatistics || type >= kValueTypes) {
    return broken("The state is of an unknown kind.");
  }
  d.spec.statistic = static_cast<Statistic>(statistic);
  d.spec.grid.type = static_cast<ValueType>(type);
  d.spec.grid.precision = static_cast<std::int16_t>(get(at, 2));
  d.spec.grid.scale = static_cast<std::int16_t>(get(at, 2));
  const std::uint64_t reserved = get(at, 2);
  d.spec.epsilon = std::bit_cast<double>(get(at, 8));
  d.spec.fraction = std::bit_cast<double>(get(at, 8));
  d.spec.k = static_cast<std::int64_t>(get(at, 8));
  get_key(at, d.spec.lower);
  get_key(at, d.spec.upper);
  d.count = static_cast<std::int64_t>(get(at, 8));
  if (reserved != 0 || !valid_grid(d.spec.grid, d.spec.statistic) || !valid_parameters(d.spec)) {
    return broken("The state has invalid parameters.");
  }

  const std::size_t payload = in.size() - kWireHeaderBytes;
  const std::size_t width = d.spec.collects_values() ? key_bytes(d.spec.grid) : 0;
  const bool fits =
      d.count >= 0 &&
      (width == 0 ? payload == 0
                  : payload % width == 0 && static_cast<std::uint64_t>(d.count) == payload / width);
  if (!fits) return broken("The size of the state does not agree with its count.");
  const bool admitted =
      width == 0 || (width == sizeof(Key128) ? keys_admitted<Key128>(at, d.count, d.spec.grid)
                                             : keys_admitted<Key64>(at, d.count, d.spec.grid));
  if (!admitted) return broken("The state holds a value outside its type.");
  return d;
}

void decode_keys(std::span<const std::uint8_t> in, const Decoded& decoded, void* out) {
  if (!decoded.spec.collects_values()) return;
  const std::uint8_t* at = in.data() + kWireHeaderBytes;
  if (decoded.spec.grid.is_wide()) {
    copy_keys<Key128>(at, decoded.count, out);
  } else {
    copy_keys<Key64>(at, decoded.count, out);
  }
}

}  // namespace idp

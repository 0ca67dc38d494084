#include "core/accumulator/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

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

void put_key(std::uint8_t*& at, Key128 key) {
  put(at, static_cast<std::uint64_t>(key.high), 8);
  put(at, key.low, 8);
}

void get_key(const std::uint8_t*& at, Key128& key) {
  key.high = static_cast<std::int64_t>(get(at, 8));
  key.low = get(at, 8);
}

bool valid_grid(const Grid& grid, Statistic statistic) {
  if ((grid.type == ValueType::kNone) != (statistic == Statistic::kCount)) return false;
  if (grid.is_opaque() && statistic != Statistic::kDistinct) return false;
  if (collects(statistic) == Collects::kMoments && !is_number(grid.type)) return false;
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
  const bool has_k =
      spec.has(Parameter::kK) || spec.has(Parameter::kBuckets) || spec.has(Parameter::kGamma);
  return !std::signbit(spec.fraction) &&
         (spec.has(Parameter::kFraction) || spec.fraction == fixed_fraction(spec.statistic)) &&
         (has_k || spec.k == 0) &&
         valid_bound(spec.grid, spec.has(Parameter::kLower), spec.lower) &&
         valid_bound(spec.grid, spec.has(Parameter::kUpper), spec.upper) && !find_violation(spec);
}

Decoded broken(const char* problem) {
  Decoded d;
  d.problem = problem;
  return d;
}

}  // namespace

std::size_t wire_size(const Spec& spec, std::int64_t count) {
  return kWireHeaderBytes + 8 * (epsilon_words(spec) + payload_words(spec, count));
}

void encode(const Spec& spec, std::int64_t count, const std::uint64_t* words,
            std::span<std::uint8_t> out) {
  if (out.size() != wire_size(spec, count)) throw std::length_error("state of another size");
  std::uint8_t* at = out.data();
  for (const std::uint8_t byte : kMagic) *at++ = byte;
  *at++ = kWireVersion;
  put(at, static_cast<std::uint64_t>(spec.statistic), 1);
  put(at, static_cast<std::uint64_t>(spec.grid.type), 1);
  put(at, static_cast<std::uint16_t>(spec.grid.precision), 2);
  put(at, static_cast<std::uint16_t>(spec.grid.scale), 2);
  put(at, spec.groups, 2);
  put(at, std::bit_cast<std::uint64_t>(spec.epsilon), 8);
  put(at, std::bit_cast<std::uint64_t>(spec.fraction), 8);
  put(at, static_cast<std::uint64_t>(spec.k), 8);
  put_key(at, spec.lower);
  put_key(at, spec.upper);
  put(at, static_cast<std::uint64_t>(count), 8);
  for (std::size_t left = (out.size() - kWireHeaderBytes) / 8; left > 0; --left) {
    put(at, *words++, 8);
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
  const std::uint64_t groups = get(at, 2);
  d.spec.epsilon = std::bit_cast<double>(get(at, 8));
  d.spec.fraction = std::bit_cast<double>(get(at, 8));
  d.spec.k = static_cast<std::int64_t>(get(at, 8));
  get_key(at, d.spec.lower);
  get_key(at, d.spec.upper);
  d.count = static_cast<std::int64_t>(get(at, 8));
  d.spec.groups = static_cast<std::uint8_t>(groups);
  if (groups < 1 || groups > kMaxGroup || !valid_grid(d.spec.grid, d.spec.statistic) ||
      !valid_parameters(d.spec)) {
    return broken("The state has invalid parameters.");
  }
  const std::size_t payload = in.size() - kWireHeaderBytes;
  d.words = payload / 8;
  if (payload % 8 != 0 || !payload_fits(d.spec, d.count, d.words, true)) {
    return broken("The size of the state does not agree with its count.");
  }
  return d;
}

const char* decode_words(std::span<const std::uint8_t> in, const Decoded& decoded,
                         std::uint64_t* out) {
  const Spec& spec = decoded.spec;
  const std::uint8_t* at = in.data() + kWireHeaderBytes;
  for (std::size_t i = 0; i < decoded.words; ++i) out[i] = get(at, 8);

  const std::size_t epsilons = epsilon_words(spec);
  for (std::size_t i = 0; i < epsilons; ++i) {
    const auto epsilon = std::bit_cast<double>(out[i]);
    if (find_violation(spec, {&epsilon, 1}) || (i == 0 && epsilon != spec.epsilon)) {
      return "The state has invalid parameters.";
    }
  }
  return payload_sound(spec, decoded.count, out + epsilons)
             ? nullptr
             : "The state holds what no rows could have made.";
}

}  // namespace idp

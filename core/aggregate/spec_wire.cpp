#include "core/aggregate/spec_wire.h"

#include <bit>
#include <cmath>

namespace idp {

namespace {

void put_key(std::uint8_t*& at, Key128 key) {
  put_bytes(at, static_cast<std::uint64_t>(key.high), 8);
  put_bytes(at, key.low, 8);
}

void get_key(const std::uint8_t*& at, Key128& key) {
  key.high = static_cast<std::int64_t>(get_bytes(at, 8));
  key.low = get_bytes(at, 8);
}

bool valid_bound(const Grid& grid, bool used, Key128 key) {
  if (!used) return key == Key128{0, 0};
  if (grid.is_wide()) return grid.admits(key);
  return widen(narrow(key)) == key && grid.admits(narrow(key));
}

// Parameters the statistic does not have must hold their defaults, so that equal states are equal.
bool valid_parameters(const StoredSpec& stored) {
  const Spec spec = stored.to_spec();
  return StoredSpec(spec) == stored &&  // a number that stands for nothing is lost between them
         !std::signbit(spec.fraction) &&
         (spec.has(Parameter::kFraction) || spec.fraction == fixed_fraction(spec.statistic)) &&
         valid_bound(spec.grid, spec.has(Parameter::kLower), spec.lower) &&
         valid_bound(spec.grid, spec.has(Parameter::kUpper), spec.upper) &&
         !find_violation_of_stored(spec, {&spec.epsilon, 1});
}

}  // namespace

void put_bytes(std::uint8_t*& at, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint64_t get_bytes(const std::uint8_t*& at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = (value << 8) | *at++;
  return value;
}

void encode_spec(const StoredSpec& spec, std::uint8_t*& at) {
  put_bytes(at, static_cast<std::uint64_t>(spec.statistic), 1);
  put_bytes(at, static_cast<std::uint64_t>(spec.grid.type), 1);
  put_bytes(at, static_cast<std::uint16_t>(spec.grid.precision), 2);
  put_bytes(at, static_cast<std::uint16_t>(spec.grid.scale), 2);
  put_bytes(at, spec.groups, 2);
  put_bytes(at, std::bit_cast<std::uint64_t>(spec.epsilon), 8);
  put_bytes(at, std::bit_cast<std::uint64_t>(spec.fraction), 8);
  put_bytes(at, static_cast<std::uint64_t>(spec.number), 8);
  put_key(at, spec.lower);
  put_key(at, spec.upper);
}

SpecProblem decode_spec(const std::uint8_t*& at, StoredSpec& spec) {
  const std::uint64_t statistic = get_bytes(at, 1);
  const std::uint64_t type = get_bytes(at, 1);
  spec.grid.precision = static_cast<std::int16_t>(get_bytes(at, 2));
  spec.grid.scale = static_cast<std::int16_t>(get_bytes(at, 2));
  const std::uint64_t groups = get_bytes(at, 2);
  spec.epsilon = std::bit_cast<double>(get_bytes(at, 8));
  spec.fraction = std::bit_cast<double>(get_bytes(at, 8));
  spec.number = static_cast<std::int64_t>(get_bytes(at, 8));
  get_key(at, spec.lower);
  get_key(at, spec.upper);
  if (statistic == 0 || statistic >= kStatistics || type >= kValueTypes) {
    return SpecProblem::kUnknownKind;
  }
  spec.statistic = static_cast<Statistic>(statistic);
  spec.grid.type = static_cast<ValueType>(type);
  spec.groups = static_cast<std::uint8_t>(groups);
  const bool valid = groups >= 1 && groups <= kMaxGroup && fits(spec.grid, spec.statistic) &&
                     valid_parameters(spec);
  return valid ? SpecProblem::kNone : SpecProblem::kInvalidParameters;
}

}  // namespace idp

// The portable form of a spec, big-endian, in whatever travels or is stored:
//
//    0  statistic, value type                8  epsilon        24  number (stored_spec.h)
//    2  precision, scale, groups (2 each)   16  fraction       32  lower (16)  48  upper (16)
//
// What decodes is a spec that an aggregate call could have made: every field is checked, and fields
// the statistic does not have must hold their defaults, so that equal specs have equal bytes.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/aggregate/stored_spec.h"

namespace idp {

inline constexpr std::size_t kSpecBytes = 64;

// Big-endian numbers of so many bytes, at most 8. Both move on behind them.
void put_bytes(std::uint8_t*& at, std::uint64_t value, int bytes);
std::uint64_t get_bytes(const std::uint8_t*& at, int bytes);

// Writes kSpecBytes bytes.
void encode_spec(const StoredSpec& spec, std::uint8_t*& at);

enum class SpecProblem { kNone, kUnknownKind, kInvalidParameters };

// Reads kSpecBytes bytes. Only the first epsilon of several is in the spec, and checked.
SpecProblem decode_spec(const std::uint8_t*& at, StoredSpec& spec);

}  // namespace idp

// The stored form of a named release: what a catalog table keeps, and what a dump carries to
// another server. Version 2, big-endian:
//
//   release    "IDPR", version      spec (core/aggregate/spec_wire.h)      kind, infinity
//              dropped (2)          fill, a number
//              how many values (4), each a number
//              how many lists of sensitivities (4), distances in each (1), each sensitivity as
//              numerator and denominator
//   noise      "IDPN", version      how many values (4), each a number
//   a number   sign (1 bit) and how many bytes (15 bits), then these
//
// Everybody sees how large the tables are that hold records. So a number takes as many bytes as the
// largest one that the spec allows, whatever it is: 32, or 288 where the column is of floats; twice
// that for sums and averages, whose sensitivities are divided by numbers of rows; and four times
// for variances, which are made of squares. The values of other types are of 128 bits at most, rows
// of 63, and noise at the least epsilon (1e-18) of 60 more than the sensitivity, which it exceeds
// by 2^8 times that once in e^256 draws; floats have 2098 bits, and products of two have twice as
// many. What is longer all the same takes the double, or the double of that.
//
// In version 1, which 0.3.0 wrote, a number takes as many bytes as it needs, and is read as ever.
//
// Equal releases have equal bytes. The records hold the true answer and its noise, and are to be
// kept as the data themselves are.
//
// Whatever is read is checked completely: what decodes can be refined and answered, whatever it
// holds, and takes no more memory than its bytes account for. That does not make it true.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/aggregate/spec.h"
#include "core/mechanism/frozen.h"

namespace idp {

struct StoredRelease {
  Spec spec;
  Frozen frozen;

  bool operator==(const StoredRelease&) const = default;
};

// Throw std::length_error for a number of 32 kB or more, which no release has.
std::vector<std::uint8_t> encode_release(const Spec& spec, const Frozen& frozen);
std::vector<std::uint8_t> encode_noise(const Spec& spec, std::span<const mpz_class> noise);

// Throw std::runtime_error, with one message for whatever is wrong.
StoredRelease decode_release(std::span<const std::uint8_t> in);
// The noise of a release of that spec with that many values.
std::vector<mpz_class> decode_noise(const Spec& spec, std::span<const std::uint8_t> in,
                                    std::size_t parts);

// Whether a call asks for what a release answers: specs that are equal but for epsilon.
bool same_question(const Spec& a, const Spec& b);

}  // namespace idp

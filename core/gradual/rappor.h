// RAPPOR: reports of strings from a domain that nobody has to know, and their gradual release.
//
// A string becomes the bits of a Bloom filter: each of `hashes` functions, the same for everyone,
// sets one of `bits` bits. Every bit is then answered on its own by randomised response over {0, 1}
// (core/random/response.h) at epsilon/(2 hashes). Two strings differ in 2 hashes bits at most, so
// the report is epsilon-DP by composition over these; and so are all levels of a chain of reports
// together, at the largest epsilon, as each bit's are. Levels can be asked for in any order.
//
// In RAPPOR's terms this is the permanent report with f = 2/(e^(epsilon/(2 hashes)) + 1), which is
// alpha of randomised response for k = 2: a bit is kept with probability 1 - f, else a fair coin;
// epsilon = 2 hashes ln((1 - f/2)/(f/2)).
//
// An instant report is drawn from a permanent one each time something is sent: a bit 1 is sent as 1
// with probability beta, a bit 0 with probability gamma (q and p of RAPPOR). It only adds noise:
// post-processing. Whoever sees one instant report, and not those before it, learns less than the
// permanent one tells: with r_1 = (1 - f/2) beta + f/2 gamma and r_0 = f/2 beta + (1 - f/2) gamma,
// at most 2 hashes |ln| of r_1/r_0 or (1 - r_0)/(1 - r_1), whichever is farther from 0.
//
// Source: Erlingsson, Pihur, Korolova, "RAPPOR" (2014); Koufogiannis et al. 2015, section 4.1.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/random/response.h"
#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"

namespace idp {

inline constexpr std::size_t kMostBloomBits = 1 << 16;
inline constexpr std::size_t kMostHashes = 64;

struct BloomShape {
  std::size_t bits;    // 2 … kMostBloomBits
  std::size_t hashes;  // 1 … kMostHashes, at most bits

  // Throws std::invalid_argument if they are out of range.
  void require_sound() const;
};

using Bits = std::vector<bool>;

// The bits that the functions set, some of them perhaps the same. Depends on the bytes of the
// string and on the shape alone, on every machine: the numbers of splitmix64 that follow from the
// string's FNV-1a hash.
Bits bloom_filter(std::string_view value, const BloomShape& shape);

// epsilon/(2 hashes): the rate of each bit.
Rate bit_rate(double epsilon, const BloomShape& shape);

struct RapporLevel {
  double epsilon;
  Bits report;
};

// The permanent report at a level, given those released: from coarse to fine, ascending strictly. A
// level that is there is repeated. Throws std::invalid_argument for a shape out of range, reports
// of another size, or an epsilon that is not positive and finite or out of order.
Bits permanent_report(std::string_view value, const BloomShape& shape,
                      std::span<const RapporLevel> released, double epsilon, BitSource& source);

// Throws std::invalid_argument unless 0 <= gamma < beta <= 1.
Bits instant_report(const Bits& permanent, double beta, double gamma, BitSource& source);

// RAPPOR's f of an epsilon, and back; for information, no draw depends on it. f in (0, 1).
double rappor_f(double epsilon, const BloomShape& shape);
double rappor_epsilon(double f, const BloomShape& shape);
// How much one instant report tells by itself at most, infinite where it tells all.
double instant_epsilon(double f, double beta, double gamma, const BloomShape& shape);

}  // namespace idp

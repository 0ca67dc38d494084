#include "core/gradual/rappor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "core/random/bernoulli.h"

namespace idp {

namespace {

void require(bool sound, const char* message) {
  if (!sound) throw std::invalid_argument(message);
}

void require_epsilon(double epsilon) {
  require(std::isfinite(epsilon) && epsilon > 0, "epsilon must be positive and finite");
}

// FNV-1a
std::uint64_t hash(std::string_view value) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : value) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

// The i-th number of splitmix64 from a seed.
std::uint64_t spread(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

bool coin(double probability, BitSource& source) {
  const mpq_class exact(probability);
  return bernoulli(exact.get_num(), exact.get_den(), source);
}

// |ln| of the ratio of two probabilities
double distance(double one, double other) {
  if (one == other) return 0;
  if (one == 0 || other == 0) return std::numeric_limits<double>::infinity();
  return std::abs(std::log(one / other));
}

}  // namespace

void BloomShape::require_sound() const {
  require(bits >= 2 && bits <= kMostBloomBits, "a Bloom filter needs between 2 and 65536 bits");
  require(hashes >= 1 && hashes <= kMostHashes && hashes <= bits,
          "a Bloom filter needs between 1 and 64 hashes, and no more than it has bits");
}

Bits bloom_filter(std::string_view value, const BloomShape& shape) {
  shape.require_sound();
  const std::uint64_t seed = hash(value);
  Bits filter(shape.bits);
  for (std::size_t i = 0; i < shape.hashes; ++i) filter[spread(seed, i) % shape.bits] = true;
  return filter;
}

Rate bit_rate(double epsilon, const BloomShape& shape) {
  return Rate::of(epsilon, static_cast<unsigned long>(2 * shape.hashes));
}

Bits permanent_report(std::string_view value, const BloomShape& shape,
                      std::span<const RapporLevel> released, double epsilon, BitSource& source) {
  const Bits filter = bloom_filter(value, shape);
  require_epsilon(epsilon);
  for (std::size_t i = 0; i < released.size(); ++i) {
    require_epsilon(released[i].epsilon);
    require(i == 0 || released[i - 1].epsilon < released[i].epsilon, "levels must ascend strictly");
    require(released[i].report.size() == shape.bits, "a report has another number of bits");
  }
  // The law of a bit follows from its neighbours among the levels.
  const auto finer =
      std::lower_bound(released.begin(), released.end(), epsilon,
                       [](const RapporLevel& level, double e) { return level.epsilon < e; });
  if (finer != released.end() && finer->epsilon == epsilon) return finer->report;
  const auto begin = finer == released.begin() ? finer : finer - 1;
  const std::span<const RapporLevel> around(begin, finer == released.end() ? finer : finer + 1);

  const Rate rate = bit_rate(epsilon, shape);
  std::array<std::optional<ResponseLaw>, 8> laws;  // by the bit itself and those around
  Bits report(shape.bits);
  for (std::size_t i = 0; i < shape.bits; ++i) {
    std::size_t which = filter[i];
    for (const RapporLevel& level : around) which = 2 * which + level.report[i];
    std::optional<ResponseLaw>& law = laws[which];
    if (!law) {
      std::vector<ResponseLevel> levels;
      for (const RapporLevel& level : around) {
        levels.push_back({bit_rate(level.epsilon, shape), level.report[i]});
      }
      law = next_response(filter[i], 2, levels, rate);
    }
    report[i] = draw_response(*law, source) == 1;
  }
  return report;
}

Bits instant_report(const Bits& permanent, double beta, double gamma, BitSource& source) {
  require(gamma >= 0 && gamma < beta && beta <= 1,
          "the probabilities of an instant report must be 0 <= gamma < beta <= 1");
  Bits report(permanent.size());
  for (std::size_t i = 0; i < report.size(); ++i) {
    report[i] = coin(permanent[i] ? beta : gamma, source);
  }
  return report;
}

double rappor_f(double epsilon, const BloomShape& shape) {
  return 2 / (std::exp(epsilon / (2 * static_cast<double>(shape.hashes))) + 1);
}

double rappor_epsilon(double f, const BloomShape& shape) {
  return 2 * static_cast<double>(shape.hashes) * std::log((2 - f) / f);
}

double instant_epsilon(double f, double beta, double gamma, const BloomShape& shape) {
  const double one = (1 - f / 2) * beta + f / 2 * gamma, zero = f / 2 * beta + (1 - f / 2) * gamma;
  return 2 * static_cast<double>(shape.hashes) *
         std::max(distance(one, zero), distance(1 - one, 1 - zero));
}

}  // namespace idp

#include "core/aggregate/wire.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "core/aggregate/spec_wire.h"

namespace idp {

namespace {

constexpr std::size_t kWordsPerStop = std::size_t{1} << 17;

constexpr std::uint8_t kMagic[] = {'I', 'D', 'P'};
constexpr std::uint8_t kEmpty[kEmptyWireBytes] = {'I', 'D', 'P', kWireVersion, 0};

Decoded broken(const char* problem) {
  Decoded d;
  d.problem = problem;
  return d;
}

}  // namespace

std::size_t wire_size(const StoredSpec& spec, std::int64_t count) {
  return kWireHeaderBytes + 8 * (epsilon_words(spec) + payload_words(spec, count));
}

void encode(const StoredSpec& spec, std::int64_t count, const std::uint64_t* words,
            std::span<std::uint8_t> out, StopCheck stop) {
  if (out.size() != wire_size(spec, count)) throw std::length_error("state of another size");
  std::uint8_t* at = out.data();
  for (const std::uint8_t byte : kMagic) *at++ = byte;
  *at++ = kWireVersion;
  encode_spec(spec, at);
  put_bytes(at, static_cast<std::uint64_t>(count), 8);
  for (std::size_t left = (out.size() - kWireHeaderBytes) / 8; left > 0; --left) {
    if (left % kWordsPerStop == 0) stop_if_asked(stop);
    put_bytes(at, *words++, 8);
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
  const SpecProblem problem = decode_spec(at, d.spec);
  if (problem == SpecProblem::kUnknownKind) return broken("The state is of an unknown kind.");
  if (problem != SpecProblem::kNone) return broken("The state has invalid parameters.");
  d.count = static_cast<std::int64_t>(get_bytes(at, 8));
  const std::size_t payload = in.size() - kWireHeaderBytes;
  d.words = payload / 8;
  if (payload % 8 != 0 || !payload_fits(d.spec, d.count, d.words, true)) {
    return broken("The size of the state does not agree with its count.");
  }
  return d;
}

const char* decode_words(std::span<const std::uint8_t> in, const Decoded& decoded,
                         std::uint64_t* out, StopCheck stop) {
  const Spec spec = decoded.spec.to_spec();
  const std::uint8_t* at = in.data() + kWireHeaderBytes;
  for (std::size_t i = 0; i < decoded.words; ++i) {
    if (i % kWordsPerStop == 0) stop_if_asked(stop);
    out[i] = get_bytes(at, 8);
  }

  const std::size_t epsilons = epsilon_words(decoded.spec);
  for (std::size_t i = 0; i < epsilons; ++i) {
    const auto epsilon = std::bit_cast<double>(out[i]);
    if (find_violation_of_stored(spec, {&epsilon, 1}) || (i == 0 && epsilon != spec.epsilon)) {
      return "The state has invalid parameters.";
    }
  }
  return payload_sound(decoded.spec, decoded.count, out + epsilons)
             ? nullptr
             : "The state holds what no rows could have made.";
}

}  // namespace idp

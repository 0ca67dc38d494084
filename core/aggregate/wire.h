// The portable form of an aggregate's state: what leaves the server as text, in COPY BINARY or on
// the way to another server. Version 1, big-endian:
//
//    0  "IDP", version      4  spec (spec_wire.h)      68  count      76  words (payload.h)
//
// The state before the first row is the first five bytes alone, with statistic 0.
//
// Whatever arrives is checked completely before it is used: a state that decodes is one that some
// sequence of rows could have made. That makes a forged state harmless to the server; it does not
// make it true, and cannot: the rows behind it are the sender's word.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/aggregate/payload.h"
#include "core/aggregate/stored_spec.h"
#include "core/select/stop.h"

namespace idp {

inline constexpr std::size_t kWireHeaderBytes = 76;
inline constexpr std::size_t kEmptyWireBytes = 5;
inline constexpr std::uint8_t kWireVersion = 1;

// The size of the portable form.
std::size_t wire_size(const StoredSpec& spec, std::int64_t count);

// Writes wire_size() bytes to out, which must have that size: throws std::length_error otherwise.
// `words` are the epsilons and the payload of the state.
void encode(const StoredSpec& spec, std::int64_t count, const std::uint64_t* words,
            std::span<std::uint8_t> out, StopCheck stop = nullptr);

// The state before the first row: kEmptyWireBytes bytes. decode() is for all others.
void encode_empty(std::span<std::uint8_t> out);
bool is_empty(std::span<const std::uint8_t> in);

struct Decoded {
  const char* problem = nullptr;  // what is wrong, as a sentence; everything else is valid if null
  StoredSpec spec;
  std::int64_t count = 0;
  std::size_t words = 0;  // epsilons and payload
};

// The part of fixed size; says how many words follow.
Decoded decode(std::span<const std::uint8_t> in);

// Writes the words of a state that decoded well, and checks them: what is wrong, or null.
const char* decode_words(std::span<const std::uint8_t> in, const Decoded& decoded,
                         std::uint64_t* out, StopCheck stop = nullptr);

}  // namespace idp

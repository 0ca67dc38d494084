// The randomness of the shipped extension: the server's cryptographically strong generator.
#pragma once

#include "extension/pg/pg.h"

#include "core/random/bit_source.h"

namespace idp {

// The one source of this process. Words drawn before a fork are never used after it.
// Throws std::runtime_error when the generator fails: no answer is better than a guessable one.
BitSource& server_bits();

}  // namespace idp

// The operating system's generator, for programs that have no other.
#pragma once

#include "core/no_postgres.h"

#include "core/random/bit_source.h"

namespace idp {

// That of the calling thread. Words not used yet are forgotten after a fork, so that parent and
// child do not draw the same noise: ask for it anew for each answer. Its refill() throws
// std::system_error.
BitSource& system_bits();

}  // namespace idp

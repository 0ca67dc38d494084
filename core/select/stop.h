// Work that can be told to stop.
#pragma once

#include "core/no_postgres.h"

namespace idp {

// Asked every megabyte or so of work; true means stop, and the work throws Stopped. What it was
// doing may then be asked for again.
using StopCheck = bool (*)();
struct Stopped {};

inline void stop_if_asked(StopCheck stop) {
  if (stop != nullptr && stop()) throw Stopped{};
}

}  // namespace idp

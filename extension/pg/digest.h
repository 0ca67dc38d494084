// Digests of texts.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// SHA-256, as 64 hexadecimal digits.
char* sha256_of(const char* text);

}  // namespace idp

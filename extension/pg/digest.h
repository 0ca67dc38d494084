// Digests of texts.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// SHA-256: its 32 bytes, or these as 64 hexadecimal digits.
bytea* sha256_bytes_of(const char* text);
char* sha256_of(const char* text);

}  // namespace idp

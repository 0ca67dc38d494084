// Limits on the texts that roles have the extension keep. The ledger and the releases are read by
// everybody's views and by every dump, so what one role stores must not be slow or too large for
// the others.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The longest name a release may begin under.
inline constexpr int kMaxNameCharacters = 200;
bool is_short_name(const char* name);

// A text as it is kept: itself up to 500 bytes; otherwise its beginning and its SHA-256, so that
// different texts stay different.
char* short_form(const char* text);

// Whether a stored text is that of the text asked for. Earlier versions stored texts of any length
// as they were.
bool is_stored_as(const char* stored, const char* text);

}  // namespace idp

#include "extension/catalog/stored_text.h"

#include "extension/pg/digest.h"

extern "C" {
#include "mb/pg_wchar.h"
}

namespace idp {

namespace {

// What a short form adds, beside the hash, makes it longer than any text that stays itself: the two
// are never mistaken for each other.
constexpr int kMaxBytes = 500;

}  // namespace

bool is_short_name(const char* name) { return pg_mbstrlen(name) <= kMaxNameCharacters; }

char* short_form(const char* text) {
  const auto length = static_cast<int>(strlen(text));
  if (length <= kMaxBytes) return pstrdup(text);
  return psprintf("%.*s... (%d bytes, SHA-256 %s)", pg_mbcliplen(text, length, kMaxBytes), text,
                  length, sha256_of(text));
}

bool is_stored_as(const char* stored, const char* text) {
  return strcmp(stored, text) == 0 || strcmp(stored, short_form(text)) == 0;
}

}  // namespace idp

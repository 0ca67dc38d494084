#include "extension/catalog/stored_text.h"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/fmgrprotos.h"
}

namespace idp {

namespace {

// What a short form adds, beside the hash, makes it longer than any text that stays itself: the two
// are never mistaken for each other.
constexpr int kMaxBytes = 500;

char* sha256_of(const char* text) {
  const Datum hash =
      DirectFunctionCall1(sha256_bytea, PointerGetDatum(cstring_to_text(text)));  // same layout
  const bytea* bytes = DatumGetByteaPP(hash);
  const int length = VARSIZE_ANY_EXHDR(bytes);
  char* digits = static_cast<char*>(palloc(static_cast<Size>(2 * length) + 1));
  (void)hex_encode(VARDATA_ANY(bytes), static_cast<unsigned>(length), digits);
  digits[2 * length] = '\0';
  return digits;
}

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

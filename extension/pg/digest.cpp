#include "extension/pg/digest.h"

extern "C" {
#include "utils/fmgrprotos.h"
}

namespace idp {

bytea* sha256_bytes_of(const char* text) {
  return DatumGetByteaP(
      DirectFunctionCall1(sha256_bytea, PointerGetDatum(cstring_to_text(text))));  // same layout
}

char* sha256_of(const char* text) {
  const bytea* bytes = sha256_bytes_of(text);
  const int length = VARSIZE_ANY_EXHDR(bytes);
  char* digits = static_cast<char*>(palloc(static_cast<Size>(2 * length) + 1));
  (void)hex_encode(VARDATA_ANY(bytes), static_cast<unsigned>(length), digits);
  digits[2 * length] = '\0';
  return digits;
}

}  // namespace idp

// Text and binary form of idp_state. Text is hexadecimal, as bytea's, of the binary form, which is
// the portable form of core/aggregate/wire.h followed by its CRC-32C. The state before the first
// row is "empty" as text, and as binary the shortest portable form. The checksum catches damage on
// the way; see wire.h for what it cannot promise.
#include "extension/pg/pg.h"

#include <algorithm>

#include "core/aggregate/wire.h"
#include "extension/pg/guard.h"
#include "extension/state/state.h"

namespace idp {

namespace {

constexpr char kEmpty[] = "empty";
constexpr Size kChecksumBytes = 4;

// Calls with(begin, size) for one piece of so many bytes after the other; the server may be
// interrupted between them.
template <class With>
void in_pieces(Size size, With with) {
  constexpr Size kPiece = Size{1} << 22;
  for (Size begin = 0; begin < size; begin += kPiece) {
    CHECK_FOR_INTERRUPTS();
    with(begin, std::min(kPiece, size - begin));
  }
}

uint32 checksum(const char* bytes, Size size) {
  pg_crc32c crc;
  INIT_CRC32C(crc);
  in_pieces(size, [&](Size at, Size piece) { COMP_CRC32C(crc, bytes + at, piece); });
  FIN_CRC32C(crc);
  return crc;
}

std::span<const std::uint8_t> byte_span(const char* bytes, Size size) {
  return {reinterpret_cast<const std::uint8_t*>(bytes), size};
}

// The binary form as a bytea.
bytea* pack(Datum datum) {
  const StateArgument state = state_argument(datum);
  const FlatState* flat = state.flat ? state.flat : flat_copy(state);
  const Size payload = flat->empty() ? kEmptyWireBytes : wire_size(flat->spec, flat->count);
  const Size total = VARHDRSZ + payload + kChecksumBytes;
  if (total > MaxAllocSize) {
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("idp_state exceeds the limit of 1 GB")));
  }
  auto* packed = static_cast<bytea*>(palloc(total));
  SET_VARSIZE(packed, total);
  char* out = VARDATA(packed);
  const std::span<std::uint8_t> wire{reinterpret_cast<std::uint8_t*>(out), payload};
  guarded([&] {
    if (flat->empty()) {
      encode_empty(wire);
    } else {
      encode(flat->spec, flat->count, flat->words(), wire, interrupt_pending);
    }
  });
  const uint32 crc = pg_hton32(checksum(out, payload));
  memcpy(out + payload, &crc, sizeof crc);
  return packed;
}

void refuse(int sqlstate, const char* problem) {
  ereport(ERROR,
          (errcode(sqlstate), errmsg("invalid value of type idp_state"), errdetail("%s", problem)));
}

void refuse_digits() {
  refuse(ERRCODE_INVALID_TEXT_REPRESENTATION, "The text of a state is hexadecimal.");
}

FlatState* unpack(const char* bytes, Size size, int sqlstate) {
  if (size < kEmptyWireBytes + kChecksumBytes) refuse(sqlstate, "The state is truncated.");
  const Size payload = size - kChecksumBytes;
  const auto wire = byte_span(bytes, payload);
  uint32 crc;
  memcpy(&crc, bytes + payload, sizeof crc);
  if (pg_ntoh32(crc) != checksum(bytes, payload)) {
    refuse(sqlstate, "The checksum of the state does not match: it is truncated or altered.");
  }
  if (is_empty(wire)) return new_empty_state();
  const Decoded decoded = decode(wire);
  if (decoded.problem) refuse(sqlstate, decoded.problem);
  FlatState* flat = new_flat_state(decoded.spec, decoded.count, decoded.words);
  const char* problem = nullptr;
  guarded([&] { problem = decode_words(wire, decoded, flat->words(), interrupt_pending); });
  if (problem) refuse(sqlstate, problem);
  keep_extremes(flat);
  return flat;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(idp_state_in);
PG_FUNCTION_INFO_V1(idp_state_out);
PG_FUNCTION_INFO_V1(idp_state_recv);
PG_FUNCTION_INFO_V1(idp_state_send);

Datum idp_state_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  if (strcmp(text, idp::kEmpty) == 0) PG_RETURN_POINTER(idp::new_empty_state());
  const Size length = strlen(text);
  if (length < 2 || text[0] != '\\' || text[1] != 'x') {
    idp::refuse(ERRCODE_INVALID_TEXT_REPRESENTATION, "The text of a state starts with \"\\x\".");
  }
  if (length % 2 != 0) idp::refuse_digits();
  const Size size = (length - 2) / 2;
  char* bytes = static_cast<char*>(palloc(size + 1));
  idp::in_pieces(size, [&](Size at, Size piece) {
    const char* digits = text + 2 + 2 * at;
    const bool hexadecimal = std::all_of(digits, digits + 2 * piece, [](unsigned char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    if (!hexadecimal) idp::refuse_digits();
    hex_decode(digits, 2 * piece, bytes + at);
  });
  PG_RETURN_POINTER(idp::unpack(bytes, size, ERRCODE_INVALID_TEXT_REPRESENTATION));
}

Datum idp_state_out(PG_FUNCTION_ARGS) {
  const bytea* packed = idp::pack(PG_GETARG_DATUM(0));
  const Size size = VARSIZE(packed) - VARHDRSZ;
  if (idp::is_empty(idp::byte_span(VARDATA(packed), size - idp::kChecksumBytes))) {
    PG_RETURN_CSTRING(pstrdup(idp::kEmpty));
  }
  if (2 * size + 3 > MaxAllocSize) {
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("the text of an idp_state exceeds the limit of 1 GB"),
                    errhint("Use the binary format.")));
  }
  char* text = static_cast<char*>(palloc(2 * size + 3));
  text[0] = '\\';
  text[1] = 'x';
  const char* bytes = VARDATA(packed);
  idp::in_pieces(size,
                 [&](Size at, Size piece) { hex_encode(bytes + at, piece, text + 2 + 2 * at); });
  text[2 * size + 2] = '\0';
  PG_RETURN_CSTRING(text);
}

Datum idp_state_recv(PG_FUNCTION_ARGS) {
  auto* buffer = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  const int size = buffer->len - buffer->cursor;
  const char* bytes = pq_getmsgbytes(buffer, size);
  PG_RETURN_POINTER(
      idp::unpack(bytes, static_cast<Size>(size), ERRCODE_INVALID_BINARY_REPRESENTATION));
}

Datum idp_state_send(PG_FUNCTION_ARGS) { PG_RETURN_BYTEA_P(idp::pack(PG_GETARG_DATUM(0))); }

}  // extern "C"
#pragma GCC visibility pop

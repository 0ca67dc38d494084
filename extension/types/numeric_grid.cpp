#include "extension/types/numeric_grid.h"

#include <cstring>

namespace idp {

namespace {

// The on-disk format of numeric, which pg_upgrade keeps fixed: a header of one word (short form)
// or two (long form), then base-10000 digits, most significant first. The first digit counts
// 10000^weight.
constexpr uint16 kSpecialMask = 0xC000;
constexpr uint16 kSpecial = 0xC000;
constexpr uint16 kExtendedMask = 0xF000;
constexpr uint16 kPositiveInfinityBits = 0xD000;
constexpr uint16 kNegativeInfinityBits = 0xF000;
constexpr uint16 kShort = 0x8000;
constexpr uint16 kShortNegative = 0x2000;
constexpr uint16 kShortWeightNegative = 0x0040;
constexpr uint16 kShortWeightMask = 0x003F;
constexpr uint16 kLongNegative = 0x4000;

struct NumericDigits {
  bool negative;
  int weight;
  const char* digits;
  int count;

  int operator[](int i) const {
    int16 digit;
    std::memcpy(&digit, digits + i * sizeof(int16), sizeof digit);  // may be unaligned
    return digit;
  }
};

uint16 load_word(const char* at) {
  uint16 word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

NumericDigits read_digits(const char* data, int size) {
  const uint16 header = load_word(data);
  NumericDigits n;
  int header_bytes = 0;
  if (header & kShort) {
    n.negative = (header & kShortNegative) != 0;
    n.weight = header & kShortWeightMask;
    if (header & kShortWeightNegative) n.weight -= kShortWeightMask + 1;
    header_bytes = 2;
  } else {
    n.negative = (header & kSpecialMask) == kLongNegative;
    n.weight = static_cast<int16>(load_word(data + 2));
    header_bytes = 4;
  }
  n.digits = data + header_bytes;
  n.count = (size - header_bytes) / static_cast<int>(sizeof(int16));
  return n;
}

constexpr int kPowers[] = {1, 10, 100, 1000, 10000};

// magnitude * factor + addend; false if that is above the limit
bool append(Int128& magnitude, int factor, int addend, Int128 limit) {
  return !__builtin_mul_overflow(magnitude, factor, &magnitude) &&
         !__builtin_add_overflow(magnitude, addend, &magnitude) && magnitude <= limit;
}

// floor(|value| * 10^scale), saturating at limit; inexact if anything was dropped
Int128 magnitude_of(const NumericDigits& n, int scale, Int128 limit, bool& inexact) {
  Int128 magnitude = 0;
  inexact = false;
  // the power of ten of the last place of digit i, in units
  int exponent = 4 * n.weight + scale;
  int i = 0;
  for (; i < n.count && exponent > -4; ++i, exponent -= 4) {
    const int digit = n[i];
    if (exponent >= 0) {
      if (!append(magnitude, 10000, digit, limit)) return limit;
    } else {  // only the leading 4 + exponent of the digit's four places are on the grid
      const int dropped = kPowers[-exponent];
      if (digit % dropped != 0) inexact = true;
      if (!append(magnitude, kPowers[4 + exponent], digit / dropped, limit)) return limit;
    }
  }
  for (; i < n.count; ++i) {
    if (n[i] != 0) inexact = true;
  }
  // fewer digits than the scale asks for: the last one read had exponent + 4
  for (int e = exponent + 4; e > 0 && magnitude != 0; --e) {
    if (!append(magnitude, 10, 0, limit)) return limit;
  }
  return magnitude;
}

}  // namespace

NumericUnits units_of_numeric(Datum value, int scale, Int128 limit, Rounding rounding) {
  struct varlena* raw = reinterpret_cast<struct varlena*>(DatumGetPointer(value));
  struct varlena* packed = pg_detoast_datum_packed(raw);
  const char* data = VARDATA_ANY(packed);
  const int size = static_cast<int>(VARSIZE_ANY_EXHDR(packed));
  NumericUnits result{NumericKind::kFinite, 0, true};
  const uint16 header = load_word(data);
  if ((header & kSpecialMask) == kSpecial) {
    const uint16 bits = header & kExtendedMask;
    result.kind = bits == kPositiveInfinityBits   ? NumericKind::kPositiveInfinity
                  : bits == kNegativeInfinityBits ? NumericKind::kNegativeInfinity
                                                  : NumericKind::kNaN;
  } else {
    const NumericDigits n = read_digits(data, size);
    bool inexact = false;
    Int128 magnitude = magnitude_of(n, scale, limit, inexact);
    const bool away = inexact && n.negative == (rounding == Rounding::kFloor);
    if (away && magnitude < limit) ++magnitude;
    result.exact = !inexact;
    result.units = n.negative ? -magnitude : magnitude;
  }
  if (packed != raw) pfree(packed);
  return result;
}

bool is_finite_numeric(Datum value) {
  const Numeric number = DatumGetNumeric(value);
  return !numeric_is_nan(number) && !numeric_is_inf(number);
}

int scale_of_numeric(Datum value) {
  return DatumGetInt32(DirectFunctionCall1(numeric_scale, value));
}

int scale_of_typmod(int32 typmod) {
  return (((typmod - static_cast<int32>(VARHDRSZ)) & 0x7ff) ^ 1024) - 1024;
}

int precision_of_typmod(int32 typmod) {
  return ((typmod - static_cast<int32>(VARHDRSZ)) >> 16) & 0xffff;
}

Datum numeric_of_units(Int128 units, int scale) {
  char text[64];
  char* end = text + sizeof text;
  char* at = end;
  *--at = '\0';
  const bool negative = units < 0;
  Uint128 rest = negative ? -static_cast<Uint128>(units) : static_cast<Uint128>(units);
  char exponent[16];
  snprintf(exponent, sizeof exponent, "e%d", -scale);
  const std::size_t exponent_size = std::strlen(exponent);
  at -= exponent_size;
  std::memcpy(at, exponent, exponent_size);
  constexpr std::uint64_t kPiece = 1000000000000000000;  // to divide one word is much faster
  for (; rest >= kPiece; rest /= kPiece) {
    auto piece = static_cast<std::uint64_t>(rest % kPiece);
    for (int i = 0; i < 18; ++i, piece /= 10) *--at = static_cast<char>('0' + piece % 10);
  }
  for (auto piece = static_cast<std::uint64_t>(rest);;) {
    *--at = static_cast<char>('0' + piece % 10);
    if ((piece /= 10) == 0) break;
  }
  if (negative) *--at = '-';
  return DirectFunctionCall3(numeric_in, CStringGetDatum(at), ObjectIdGetDatum(InvalidOid),
                             Int32GetDatum(-1));
}

Datum numeric_infinity(int sign) {
  return DirectFunctionCall3(numeric_in, CStringGetDatum(sign > 0 ? "Infinity" : "-Infinity"),
                             ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

}  // namespace idp

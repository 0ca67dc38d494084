// Numerics as most are, in machine words: few digits, none of them far from the point. All others
// are for whoever knows the whole format (numeric_grid.h).
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>

#include "extension/types/types.h"

namespace idp {

// The value in units of 10000^-places, exactly; false if it is not one of these.
pg_attribute_always_inline bool quick_units(Datum value, int places, std::int64_t& units) {
  constexpr uint16 kForm = 0xC000, kShort = 0x8000, kNegative = 0x2000;
  constexpr uint16 kWeight = 0x003F, kWeightNegative = 0x0040;
  constexpr int kMostDigits = 4;  // of 10000: their product stays far below 2^63
  const auto* raw = reinterpret_cast<const struct varlena*>(DatumGetPointer(value));
  const bool is_short = VARATT_IS_SHORT(raw) && !VARATT_IS_1B_E(raw);
  if (!is_short && !VARATT_IS_4B_U(raw)) return false;
  const char* data = is_short ? VARDATA_SHORT(raw) : VARDATA_4B(raw);
  const auto size =
      static_cast<int>(is_short ? VARSIZE_SHORT(raw) - VARHDRSZ_SHORT : VARSIZE_4B(raw) - VARHDRSZ);
  uint16 header;
  memcpy(&header, data, sizeof header);
  if ((header & kForm) != kShort) return false;
  const int digits = (size - static_cast<int>(sizeof header)) / static_cast<int>(sizeof(int16));
  const int weight = (header & kWeight) - (header & kWeightNegative);
  const int zeros = weight + places - (digits - 1);  // of 10000, behind the last digit
  if (digits > kMostDigits || zeros < 0 || zeros + digits > kMostDigits) return false;
  std::int64_t sum = 0;
  for (int i = 0; i < digits; ++i) {
    int16 digit;
    memcpy(&digit, data + sizeof header + sizeof digit * i, sizeof digit);
    sum = sum * 10000 + digit;
  }
  for (int i = 0; i < zeros; ++i) sum *= 10000;
  units = header & kNegative ? -sum : sum;
  return true;
}

// The key of a value on a narrow grid of numerics, where it is on the grid; false if it is none of
// these.
pg_attribute_always_inline bool quick_key(const Column& column, Datum value, Key64& key) {
  const int scale = column.grid.scale;
  if (scale < 0 || scale > 8) return false;
  const int places = (scale + 3) / 4;
  std::int64_t units;
  if (!quick_units(value, places, units)) return false;
  // to divide by what is known when this is compiled is much faster
  std::int64_t quotient = 0;
  std::int64_t product = 0;
  switch (4 * places - scale) {
    case 0:
      quotient = product = units;
      break;
    case 1:
      quotient = units / 10;
      product = quotient * 10;
      break;
    case 2:
      quotient = units / 100;
      product = quotient * 100;
      break;
    default:
      quotient = units / 1000;
      product = quotient * 1000;
      break;
  }
  if (product != units) return false;
  if (quotient > column.limit || quotient < -column.limit) return false;
  key = quotient;
  return true;
}

}  // namespace idp

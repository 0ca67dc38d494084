// The functions of the server that may be applied to hidden rows.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>
#include <optional>

namespace idp {

// What an argument has to be for a function never to fail.
enum class Needs : std::uint8_t {
  kNothing,
  kDateField,       // the first: a field of a date
  kTimestampField,  // the first: a field of a timestamp
  kPattern,         // the second: a pattern of LIKE
  kRegex,           // the second: a regular expression that takes a time linear in the text
  kThresholds,      // the second: a list of numbers, dates or times, none of them NULL
  kShortLength,     // the second: a length of few characters
};

// Of a function of the server that never fails, has no effect, takes a time bounded by its
// arguments and gives a short value; nothing if it is not known to be one.
std::optional<Needs> needs_of(Oid function);

// Whether the value of an argument is what its function needs of it. Reports 2201B for a regular
// expression that is none.
bool is_fit(Needs needs, Datum value);
// Which argument that is, counted from 0; negative if none.
int fitted_argument(Needs needs);

}  // namespace idp

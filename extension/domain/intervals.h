// Between which numbers the values of an expression lie, exactly.
#pragma once

#include "extension/pg/pg.h"

#include <optional>

extern "C" {
#include "utils/numeric.h"
}

namespace idp {

// No values at all, of NULL, lie between any two numbers.
struct Numbers {
  bool is_empty;
  Datum lower;  // numeric
  Datum upper;
};

// None: nothing is known of the values.
using MaybeNumbers = std::optional<Numbers>;

inline Datum call(PGFunction function, Datum a, Datum b) {
  return DirectFunctionCall2(function, a, b);
}
inline Datum call(PGFunction function, Datum a) { return DirectFunctionCall1(function, a); }

inline Numbers between(Datum lower, Datum upper) { return {false, lower, upper}; }

inline Datum of_int(int64 number) { return NumericGetDatum(int64_to_numeric(number)); }

// Both.
MaybeNumbers hull(const MaybeNumbers& a, const MaybeNumbers& b);

// The least and the greatest result of an operation at the ends.
MaybeNumbers at_ends(PGFunction operation, const Numbers& a, const Numbers& b);

// Without their signs.
Numbers absolute(const Numbers& numbers);

// Whether 0 is between them.
bool has_zero(const Numbers& numbers);

// Multiplied by themselves so many times, at least once.
Numbers power_of(const Numbers& numbers, int times);

}  // namespace idp

#include "extension/domain/intervals.h"

#include <initializer_list>

extern "C" {
#include "utils/builtins.h"
}

namespace idp {

MaybeNumbers hull(const MaybeNumbers& a, const MaybeNumbers& b) {
  if (!a || !b) return std::nullopt;
  if (a->is_empty) return b;
  if (b->is_empty) return a;
  return between(call(numeric_smaller, a->lower, b->lower),
                 call(numeric_larger, a->upper, b->upper));
}

MaybeNumbers at_ends(PGFunction operation, const Numbers& a, const Numbers& b) {
  MaybeNumbers found = Numbers{true, 0, 0};
  for (const Datum left : {a.lower, a.upper}) {
    for (const Datum right : {b.lower, b.upper}) {
      const Datum value = call(operation, left, right);
      found = hull(found, between(value, value));
    }
  }
  return found;
}

bool has_zero(const Numbers& numbers) {
  return DatumGetBool(call(numeric_le, numbers.lower, of_int(0))) &&
         DatumGetBool(call(numeric_ge, numbers.upper, of_int(0)));
}

Numbers absolute(const Numbers& numbers) {
  const Datum first = call(numeric_abs, numbers.lower);
  const Datum last = call(numeric_abs, numbers.upper);
  return between(has_zero(numbers) ? of_int(0) : call(numeric_smaller, first, last),
                 call(numeric_larger, first, last));
}

// Of an even power the sign is lost before; what is left keeps its order.
Numbers power_of(const Numbers& numbers, int times) {
  const Numbers base = times % 2 == 0 ? absolute(numbers) : numbers;
  Numbers power = base;
  for (int i = 1; i < times; ++i) {
    power = between(call(numeric_mul, power.lower, base.lower),
                    call(numeric_mul, power.upper, base.upper));
  }
  return power;
}

}  // namespace idp

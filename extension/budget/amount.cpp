#include "extension/budget/amount.h"

#include "core/aggregate/spec.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "common/shortest_dec.h"
}

namespace idp {

Datum no_amount() { return NumericGetDatum(int64_to_numeric(0)); }

bool is_none(Datum amount) {
  return DatumGetBool(DirectFunctionCall2(numeric_eq, amount, no_amount()));
}

Datum decimal_of(double epsilon) {
  char text[DOUBLE_SHORTEST_DECIMAL_LEN];
  text[double_to_shortest_decimal_bufn(epsilon, text)] = '\0';
  return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
                             Int32GetDatum(-1));
}

Datum decimal_times(Datum decimal, int64 factor) {
  return DirectFunctionCall2(numeric_mul, decimal, NumericGetDatum(int64_to_numeric(factor)));
}

Datum decimal_beyond(double epsilon, double before) {
  const Datum decimal = decimal_of(epsilon);
  return before > 0 ? difference_of(decimal, decimal_of(before)) : decimal;
}

Datum sum_of(Datum a, Datum b) { return DirectFunctionCall2(numeric_add, a, b); }

Datum difference_of(Datum a, Datum b) { return DirectFunctionCall2(numeric_sub, a, b); }

bool is_less(Datum a, Datum b) { return DatumGetBool(DirectFunctionCall2(numeric_lt, a, b)); }

int64 times_as_much(Datum a, Datum b) {
  const Datum ratio = DirectFunctionCall2(numeric_div, a, b);
  return DatumGetInt64(DirectFunctionCall1(numeric_int8, DirectFunctionCall1(numeric_ceil, ratio)));
}

char* amount_text(Datum amount) {
  return DatumGetCString(
      DirectFunctionCall1(numeric_out, DirectFunctionCall1(numeric_trim_scale, amount)));
}

void require_epsilons(std::span<const double> epsilons, const char* name) {
  const auto violation = find_violation_of_epsilons(epsilons, false);
  if (!violation) return;
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s %s", name, violation->rule)));
}

void require_budget(Datum budget) {
  if (is_finite_numeric(budget) && !is_less(budget, no_amount())) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("budget must be a finite number, at least 0")));
}

void require_delta(Datum delta) {
  const Numeric number = DatumGetNumeric(delta);
  const Datum one = NumericGetDatum(int64_to_numeric(1));
  if (!numeric_is_nan(number) && !is_less(delta, no_amount()) && is_less(delta, one)) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("delta must be at least 0 and less than 1")));
}

}  // namespace idp

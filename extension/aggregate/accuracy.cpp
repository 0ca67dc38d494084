// The SQL functions that tell the accuracy of noise: from their arguments alone, never from data.
#include "extension/pg/pg.h"

#include "core/aggregate/accuracy.h"

namespace idp {

namespace {

void refuse(const Violation& violation) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("%s %s", violation.argument, violation.rule)));
}

// (epsilon or error, sensitivity, confidence, step)
NoiseQuestion read_question(FunctionCallInfo fcinfo) {
  return {PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3)};
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(dp_error);
Datum dp_error(PG_FUNCTION_ARGS) {
  const double epsilon = PG_GETARG_FLOAT8(0);
  const idp::NoiseQuestion question = idp::read_question(fcinfo);
  if (const auto violation = idp::find_violation_of_epsilon(epsilon, question)) {
    idp::refuse(*violation);
  }
  PG_RETURN_FLOAT8(idp::noise_error(epsilon, question));
}

PG_FUNCTION_INFO_V1(dp_epsilon_for);
Datum dp_epsilon_for(PG_FUNCTION_ARGS) {
  const double error = PG_GETARG_FLOAT8(0);
  const idp::NoiseQuestion question = idp::read_question(fcinfo);
  if (const auto violation = idp::find_violation_of_error(error, question)) {
    idp::refuse(*violation);
  }
  PG_RETURN_FLOAT8(idp::epsilon_for_error(error, question));
}

}  // extern "C"
#pragma GCC visibility pop

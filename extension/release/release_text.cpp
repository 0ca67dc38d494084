#include "extension/release/release_text.h"

#include "core/aggregate/spec.h"
#include "extension/release/noise.h"
#include "extension/release/shares.h"

namespace idp {

NullableDatum answer_text(const StoredChain& chain, std::span<const double> epsilons,
                          bytea* noise) {
  Datum answer;
  if (!answer_of(chain.record, epsilons, noise, chain.result, &answer)) return {0, true};
  Oid output;
  bool is_varlena;
  getTypeOutputInfo(chain.result, &output, &is_varlena);
  return {CStringGetTextDatum(OidOutputFunctionCall(output, answer)), false};
}

std::span<const double> epsilons_argument(FunctionCallInfo fcinfo, int position) {
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(position);
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  if (ARR_NDIM(array) != 1 || count > kMaxGroup || array_contains_nulls(array)) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("epsilons must be a one-dimensional array of 1 to %d numbers", kMaxGroup)));
  }
  return numbers_of(array);
}

}  // namespace idp

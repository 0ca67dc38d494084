#include "extension/catalog_lookup.h"

extern "C" {
#include "catalog/pg_aggregate.h"
}

namespace idp {

Oid function_argument_type(Oid function, int position) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  const Oid type = position < count ? types[position] : InvalidOid;
  pfree(types);
  return type;
}

Oid transition_function_of(Oid aggregate) {
  HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for aggregate %u", aggregate);
  const Oid transition = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(tuple))->aggtransfn;
  ReleaseSysCache(tuple);
  return transition;
}

}  // namespace idp

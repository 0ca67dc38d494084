// The rows of a function that makes them all at once.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/tuplestore.h"
}

namespace idp {

// Where they go, which is kept for the caller; of the columns that the function declares.
inline ReturnSetInfo* begin_rows(FunctionCallInfo fcinfo) {
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  if (result == nullptr || !IsA(result, ReturnSetInfo) ||
      (result->allowedModes & SFRM_Materialize) == 0) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("set-valued function called in context that cannot accept a set")));
  }
  TupleDesc columns = nullptr;
  MemoryContext before = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
  if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "the function declares no columns");
  }
  result->returnMode = SFRM_Materialize;
  result->setResult =
      tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
  result->setDesc = columns;
  MemoryContextSwitchTo(before);
  return result;
}

}  // namespace idp

#include "extension/access/offset_check.h"

#include "extension/pg/own_objects.h"
#include "extension/pg/sql_function.h"

namespace idp {

namespace {

constexpr char kName[] = "skips_nothing";

Datum skips_nothing(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(0) || PG_GETARG_INT64(0) == 0) PG_RETURN_BOOL(true);
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("an aggregate of hidden rows cannot skip rows: OFFSET has to be 0, "
                         "not " INT64_FORMAT,
                         PG_GETARG_INT64(0)),
                  errdetail("Which rows would be left depends on all rows."),
                  errhint("Choose rows by conditions. An OFFSET of answers may be any number.")));
}

}  // namespace

bool is_offset_check(Oid function) { return is_own_function(function, kName); }

Oid offset_check() { return own_function(kName); }

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_skips_nothing, skips_nothing);

}  // extern "C"
#pragma GCC visibility pop

// Arguments of the functions of the extension.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

[[noreturn]] inline void refuse_null(const char* name) {
  ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
  pg_unreachable();
}

}  // namespace idp

#include "extension/pg/pg.h"

extern "C" {
#include "miscadmin.h"
}

#include "extension/hooks.h"
#include "extension/pg/sql_function.h"

namespace idp {

namespace {

bool preloaded = false;

Datum is_preloaded(FunctionCallInfo fcinfo) {
  (void)fcinfo;
  PG_RETURN_BOOL(preloaded);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_MODULE_MAGIC;

void _PG_init(void);
void _PG_init(void) {
  idp::preloaded = process_shared_preload_libraries_in_progress;
  idp::install_hooks();
}

IDP_FUNCTION(idp_is_preloaded, is_preloaded);

}  // extern "C"
#pragma GCC visibility pop

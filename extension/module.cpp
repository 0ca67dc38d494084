#include "extension/pg/pg.h"

#include "extension/plan/executor_check.h"

#pragma GCC visibility push(default)
extern "C" {

PG_MODULE_MAGIC;

void _PG_init(void);
void _PG_init(void) { idp::install_executor_check(); }

}  // extern "C"
#pragma GCC visibility pop

#include "extension/pg/pg.h"

#include "extension/hooks.h"

#pragma GCC visibility push(default)
extern "C" {

PG_MODULE_MAGIC;

void _PG_init(void);
void _PG_init(void) { idp::install_hooks(); }

}  // extern "C"
#pragma GCC visibility pop

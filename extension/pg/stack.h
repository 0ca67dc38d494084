// What is executed for each row must never reach the limit of the stack: that error, where rows are
// hidden, would tell of one. How much of the stack is used is the choice of who calls functions
// that call themselves.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Reports that more than half of it is used, before rows are read.
void require_stack();

// How many nodes above each other a quarter of it is enough for.
int deepest_plan();

}  // namespace idp

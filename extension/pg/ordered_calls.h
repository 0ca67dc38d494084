// Functions of instants and days that keep their order.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a call of the server keeps the order of its last argument, and does so in every session.
// Of instants in a time zone, whose clocks go back, the beginnings of days alone do.
bool keeps_order(const FuncExpr* call);

}  // namespace idp

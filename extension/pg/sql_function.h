// What makes a C++ function one that SQL can call: its C symbol.
#pragma once

#include "extension/pg/pg.h"

// Within extern "C" and visible: the symbol `name` calls idp::body.
#define IDP_FUNCTION(name, body)                             \
  PG_FUNCTION_INFO_V1(name);                                 \
  Datum name(PG_FUNCTION_ARGS) { return idp::body(fcinfo); } \
  static_assert(true)

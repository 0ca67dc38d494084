// Types of numbers.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

inline bool is_whole_number(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

// Whose operators compute exactly.
inline bool is_exact_number(Oid type) { return is_whole_number(type) || type == NUMERICOID; }

inline bool is_number(Oid type) {
  return is_whole_number(type) || type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID;
}

}  // namespace idp

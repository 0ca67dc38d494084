#include "extension/domain/by_zone.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace idp {

bool follows_zone(Oid function) {
  switch (function) {
    case F_TIMESTAMP_LT_TIMESTAMPTZ:
    case F_TIMESTAMP_LE_TIMESTAMPTZ:
    case F_TIMESTAMP_EQ_TIMESTAMPTZ:
    case F_TIMESTAMP_NE_TIMESTAMPTZ:
    case F_TIMESTAMP_GE_TIMESTAMPTZ:
    case F_TIMESTAMP_GT_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_LT_TIMESTAMP:
    case F_TIMESTAMPTZ_LE_TIMESTAMP:
    case F_TIMESTAMPTZ_EQ_TIMESTAMP:
    case F_TIMESTAMPTZ_NE_TIMESTAMP:
    case F_TIMESTAMPTZ_GE_TIMESTAMP:
    case F_TIMESTAMPTZ_GT_TIMESTAMP:
    case F_DATE_LT_TIMESTAMPTZ:
    case F_DATE_LE_TIMESTAMPTZ:
    case F_DATE_EQ_TIMESTAMPTZ:
    case F_DATE_NE_TIMESTAMPTZ:
    case F_DATE_GE_TIMESTAMPTZ:
    case F_DATE_GT_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_LT_DATE:
    case F_TIMESTAMPTZ_LE_DATE:
    case F_TIMESTAMPTZ_EQ_DATE:
    case F_TIMESTAMPTZ_NE_DATE:
    case F_TIMESTAMPTZ_GE_DATE:
    case F_TIMESTAMPTZ_GT_DATE:
    case F_TIMESTAMP_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_TIMESTAMP:
    case F_DATE_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMPTZ_PL_INTERVAL:
    case F_TIMESTAMPTZ_MI_INTERVAL:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_TO_CHAR_TIMESTAMP_TEXT:
    case F_TO_CHAR_TIMESTAMPTZ_TEXT:
      return true;
    default:
      return false;
  }
}

// TMMonth, in any case, and wherever it stands.
bool shows_words_of_locale(const Node* node) {
  if (!IsA(node, FuncExpr)) return false;
  const auto* call = as<FuncExpr>(node);
  if (call->funcid != F_TO_CHAR_TIMESTAMP_TEXT && call->funcid != F_TO_CHAR_TIMESTAMPTZ_TEXT) {
    return false;
  }
  const auto* second = static_cast<const Node*>(lsecond(call->args));
  if (!IsA(second, Const) || as<Const>(second)->constisnull) return true;
  for (const char* format = TextDatumGetCString(as<Const>(second)->constvalue); *format != '\0';
       ++format) {
    if (pg_strncasecmp(format, "tm", 2) == 0) return true;
  }
  return false;
}

}  // namespace idp

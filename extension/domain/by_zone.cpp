#include "extension/domain/by_zone.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/plan/identity.h"

extern "C" {
#include "access/transam.h"
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

namespace {

bool may_change_by(Oid function, void* by_zone) {
  if (function < FirstNormalObjectId && follows_zone(function)) {
    *static_cast<bool*>(by_zone) = true;
    return false;
  }
  return function >= FirstNormalObjectId || func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

// What may be another value when the query is executed, but for the zone of the session.
bool find_change(Node* node, void* by_zone) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const)) return false;
  const auto* text = maybe<CoerceViaIO>(node);
  if ((text != nullptr && is_plain_cast(text)) || joins_plain_texts(node)) {
    return walk_expression(node, find_change, by_zone);
  }
  const bool is_known = only_calls_functions(node) && !IsA(node, Param) && text == nullptr &&
                        !IsA(node, SQLValueFunction) && !shows_words_of_locale(node);
  return !is_known || check_functions_in_node(node, may_change_by, by_zone) ||
         walk_expression(node, find_change, by_zone);
}

}  // namespace

bool may_change(Node* expression, bool* by_zone) { return find_change(expression, by_zone); }

}  // namespace idp

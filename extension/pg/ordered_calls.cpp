#include "extension/pg/ordered_calls.h"

#include <algorithm>
#include <iterator>

#include "extension/pg/nodes.h"

extern "C" {
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// An instant of a zone that a day begins with there.
bool is_midnight(const Node* instant) {
  if (!IsA(instant, FuncExpr)) return false;
  const auto* call = as<FuncExpr>(instant);
  return call->funcid == F_TIMESTAMPTZ_DATE ||
         (call->funcid == F_DATE_TRUNC_TEXT_TIMESTAMPTZ &&
          is_midnight(static_cast<const Node*>(llast(call->args))));
}

}  // namespace

bool keeps_order(const FuncExpr* call) {
  switch (call->funcid) {
    case F_DATE_TIMESTAMP:
    case F_TIMESTAMP_DATE:
    case F_TIMESTAMPTZ_DATE:
      return true;
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
      break;
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
      if (!is_midnight(static_cast<const Node*>(llast(call->args)))) return false;
      break;
    case F_DATE_TIMESTAMPTZ:
      return is_midnight(static_cast<const Node*>(linitial(call->args)));
    default:
      return false;
  }
  const auto* part = static_cast<const Node*>(linitial(call->args));
  if (!IsA(part, Const) || as<Const>(part)->constisnull) return false;
  const char* name = TextDatumGetCString(as<Const>(part)->constvalue);
  constexpr const char* kParts[] = {"hour", "day", "week", "month", "quarter", "year"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](const char* one) { return pg_strcasecmp(one, name) == 0; });
}

}  // namespace idp

#include "extension/pg/stable_functions.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/versions.h"

extern "C" {
#include "access/transam.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// Stable functions of the server that look at their arguments, at settings (time zone, formats,
// languages) and at the clock of the transaction, and at nothing else. Those that read what text
// says as a composite value, an array or a range are not among them: they call the functions of
// other types, domains included. Nor are those that make JSON of any type: they call its casts.
constexpr std::string_view kStableFunctions[] = {
    "age",
    "anytextcat",
    "array_out",
    "array_to_string",
    "cash_in",
    "cash_out",
    "concat",
    "concat_ws",
    "convert",
    "convert_from",
    "convert_to",
    "current_database",
    "current_schema",
    "current_schemas",
    "current_setting",
    "current_user",
    "date",
    "date_cmp_timestamptz",
    "date_eq_timestamptz",
    "date_ge_timestamptz",
    "date_gt_timestamptz",
    "date_in",
    "date_le_timestamptz",
    "date_lt_timestamptz",
    "date_ne_timestamptz",
    "date_out",
    "date_part",
    "date_trunc",
    "enum_first",
    "enum_in",
    "enum_last",
    "enum_out",
    "enum_range",
    "extract",
    "format",
    "in_range",
    "interval_in",
    "interval_out",
    "interval_pl_timestamptz",
    "json_to_tsvector",
    "jsonb_path_exists_tz",
    "jsonb_path_match_tz",
    "jsonb_path_query_array_tz",
    "jsonb_path_query_first_tz",
    "jsonb_to_tsvector",
    "length",
    "make_timestamptz",
    "money",
    "multirange_out",
    "now",
    "numeric",
    "overlaps",
    "phraseto_tsquery",
    "plainto_tsquery",
    "quote_literal",
    "quote_nullable",
    "range_out",
    "record_out",
    "session_user",
    "statement_timestamp",
    "textanycat",
    "time",
    "time_in",
    "timestamp",
    "timestamp_cmp_timestamptz",
    "timestamp_eq_timestamptz",
    "timestamp_ge_timestamptz",
    "timestamp_gt_timestamptz",
    "timestamp_in",
    "timestamp_le_timestamptz",
    "timestamp_lt_timestamptz",
    "timestamp_ne_timestamptz",
    "timestamp_out",
    "timestamptz",
    "timestamptz_cmp_date",
    "timestamptz_cmp_timestamp",
    "timestamptz_eq_date",
    "timestamptz_eq_timestamp",
    "timestamptz_ge_date",
    "timestamptz_ge_timestamp",
    "timestamptz_gt_date",
    "timestamptz_gt_timestamp",
    "timestamptz_in",
    "timestamptz_le_date",
    "timestamptz_le_timestamp",
    "timestamptz_lt_date",
    "timestamptz_lt_timestamp",
    "timestamptz_mi_interval",
    "timestamptz_ne_date",
    "timestamptz_ne_timestamp",
    "timestamptz_out",
    "timestamptz_pl_interval",
    "timetz",
    "timetz_in",
    "timezone",
    "to_char",
    "to_date",
    "to_number",
    "to_timestamp",
    "to_tsquery",
    "to_tsvector",
    "transaction_timestamp",
    "ts_match_tq",
    "ts_match_tt",
    "websearch_to_tsquery",
};

bool is_stable_of_the_server(Oid function) {
  if (function >= FirstGenbkiObjectId) return false;
  const char* name = get_func_name(function);
  return name != nullptr &&
         std::ranges::find(kStableFunctions, std::string_view(name)) != std::end(kStableFunctions);
}

// Whether it calls originals of total twins (total/twin_rows.h), none of which depends on more.
// Other stable functions of the extension read its tables.
bool is_total(Oid function) { return is_own_function(function, "total"); }

bool is_stable(Oid function) { return is_stable_of_the_server(function) || is_total(function); }

}  // namespace

bool is_unstable(Oid function, void*) {
  const char volatility = func_volatile(function);
  if (volatility == PROVOLATILE_IMMUTABLE) return false;
  return volatility != PROVOLATILE_STABLE || !is_stable(function);
}

// Lists further kinds that do nothing but what check_functions_in_node() tells. Those of SQL/JSON
// and XML are not among them: they call the casts of types, and the conditions of domains.
bool is_unstable_node(Node* node) {
  if (is_note_of_planner(node)) return false;
  switch (nodeTag(node)) {
    case T_Var:
    case T_Const:
    case T_Param:
    case T_TargetEntry:
    case T_SortGroupClause:
    case T_Aggref:
    case T_GroupingFunc:
    case T_NamedArgExpr:
    case T_SubscriptingRef:
    case T_FieldSelect:
    case T_FieldStore:
    case T_ArrayCoerceExpr:
    case T_ConvertRowtypeExpr:
    case T_CollateExpr:
    case T_CaseTestExpr:
    case T_RowExpr:
    case T_RowCompareExpr:
    case T_MinMaxExpr:
    case T_SQLValueFunction:
    case T_PlaceHolderVar:
      break;
    case T_CoerceToDomain:
      return DomainHasConstraints(as<CoerceToDomain>(node)->resulttype);
    default:
      if (!only_calls_functions(node)) return true;
  }
  return check_functions_in_node(node, is_unstable, nullptr);
}

}  // namespace idp

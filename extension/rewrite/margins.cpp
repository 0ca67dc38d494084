#include "extension/rewrite/margins.h"

#include <cmath>
#include <optional>

#include "core/aggregate/violation.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/in_place.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/plan/rows_beside_keys.h"
#include "extension/plan/typmod.h"
#include "extension/rewrite/private_call.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/query_steps.h"

extern "C" {
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

constexpr char kFunction[] = "margin";
constexpr char kKnown[] = "margin_of";

bool is_margin(const Node* node) {
  if (!IsA(node, FuncExpr)) return false;
  const Oid function = as<FuncExpr>(node)->funcid;
  if (function < FirstNormalObjectId) return false;
  const char* name = get_func_name(function);
  return name != nullptr && strcmp(name, kFunction) == 0 && is_own_function(function);
}

bool holds_whole_numbers(Oid type) {
  return is_whole_number(type) || type == NUMERICOID || type == FLOAT8OID;
}

// A change of type that takes a whole number as it is.
bool is_cast_of_whole_number(const FuncExpr* call) {
  return (call->funcformat == COERCE_EXPLICIT_CAST || call->funcformat == COERCE_IMPLICIT_CAST) &&
         list_length(call->args) == 1 && holds_whole_numbers(call->funcresulttype) &&
         is_whole_number(exprType(static_cast<Node*>(linitial(call->args))));
}

// The only argument that is no constant; null if there are several.
Node* only_variable(const List* arguments) {
  Node* found = nullptr;
  for (auto* node : list<Node>(arguments)) {
    if (IsA(folded(node), Const)) continue;
    if (found != nullptr) return nullptr;
    found = node;
  }
  return found;
}

// To how many digits round() rounds a numeric; nothing if it is another function, or to how many is
// not known.
std::optional<int32> rounded_digits(const Node* value) {
  const auto* call = maybe<FuncExpr>(value);
  if (call != nullptr && call->funcid == F_ROUND_NUMERIC) return 0;
  if (call == nullptr || call->funcid != F_ROUND_NUMERIC_INT4) return std::nullopt;
  const auto* digits = maybe<Const>(folded(static_cast<Node*>(lsecond(call->args))));
  if (digits == nullptr || digits->constisnull) return std::nullopt;
  return DatumGetInt32(digits->constvalue);
}

// How far a change of type, or rounding, moves a number; nothing if it is neither, or it is not
// known how far.
std::optional<double> moved_by(const FuncExpr* call) {
  if (is_cast_of_whole_number(call)) return 0;
  const auto* value = static_cast<const Node*>(linitial(call->args));
  if (exprType(value) != NUMERICOID) return std::nullopt;
  const std::optional<int32> digits = rounded_digits(as<Node>(call));
  if (!digits) {
    const bool is_cast = list_length(call->args) == 1 && is_whole_number(call->funcresulttype);
    if (!is_cast) return std::nullopt;
    return rounded_digits(value).value_or(1) <= 0 ? 0 : 0.5;
  }
  const double half = 0.5 * std::pow(10, -*digits);
  return std::nextafter(half, 1.0 + half);
}

struct Answer {
  const Aggref* call = nullptr;  // null if there is none
  double moved = 0;              // how far it is moved by what is made of it
};

// The private answer of the level that a value is, through what moves two values no farther apart,
// and rounding.
Answer answer_in(Node* value) {
  Answer answer;
  while (value != nullptr) {
    switch (nodeTag(value)) {
      case T_Aggref: {
        auto* aggref = as<Aggref>(value);
        if (aggref->agglevelsup == 0 && is_own_function(aggref->aggfnoid)) answer.call = aggref;
        return answer;
      }
      case T_RelabelType:
        value = as<Node>(as<RelabelType>(value)->arg);
        break;
      case T_MinMaxExpr:
        value = only_variable(as<MinMaxExpr>(value)->args);
        break;
      case T_FuncExpr: {
        const auto* call = as<FuncExpr>(value);
        const auto moved = call->args == NIL ? std::nullopt : moved_by(call);
        if (!moved) return answer;
        answer.moved += *moved;
        value = static_cast<Node*>(linitial(call->args));
        break;
      }
      default:
        return answer;
    }
  }
  return answer;
}

// As the function declares them: with defaults, and without names.
List* arguments_of(const FuncExpr* call) {
  HeapTuple function = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
  if (!HeapTupleIsValid(function)) return NIL;
  List* arguments = expand_function_arguments(call->args, false, call->funcresulttype, function);
  ReleaseSysCache(function);
  return arguments;
}

Const* oid_constant(Oid value) {
  return makeConst(OIDOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(value), false, true);
}

Const* oids_constant(const List* oids) {
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(oids) + 1)));
  int count = 0;
  for (const Oid oid : idp::oids(oids)) values[count++] = ObjectIdGetDatum(oid);
  ArrayType* array = construct_array(values, count, OIDOID, sizeof(Oid), true, TYPALIGN_INT);
  return makeConst(OIDARRAYOID, -1, InvalidOid, -1, PointerGetDatum(array), false, false);
}

bool is_internal(Oid function) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) return false;
  const Oid language = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang;
  ReleaseSysCache(tuple);
  return language == INTERNALlanguageId;
}

// The typmod of values that have none, for certain.
constexpr int32 kNoDigits = 0;

// Whether the executor finds no digits either (plan/typmod.h): an operator or a function of the
// server's own that says none stays what it is, whatever plan computes it.
bool says_no_digits(Node* value) {
  Oid function = InvalidOid;
  if (IsA(value, OpExpr)) {
    function = get_opcode(as<OpExpr>(value)->opno);
  } else if (const auto* call = maybe<FuncExpr>(value)) {
    function = call->funcid;
  }
  return OidIsValid(function) && is_internal(function);
}

// The typmod of all values, kNoDigits, or -1 where it is not known. What idp.clip bounds in a
// subquery has the digits of the bound, as the executor finds them (plan/typmod.h).
int32 typmod_of(const Query* query, Node* value) {
  check_stack_depth();
  int32 typmod = exprTypmod(value);
  (void)getBaseTypeAndTypmod(exprType(value), &typmod);
  if (typmod >= 0) return typmod;
  if (IsA(value, WindowFunc)) return typmod_of_clip(as<WindowFunc>(value));
  if (says_no_digits(value)) return kNoDigits;
  const auto* column = maybe<Var>(value);
  if (column == nullptr || column->varlevelsup != 0 || column->varattno < 1) return -1;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (entry->rtekind == RTE_JOIN) {
    return typmod_of(query,
                     static_cast<Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
  }
  if (entry->rtekind == RTE_RELATION) return kNoDigits;
  if (entry->rtekind != RTE_SUBQUERY) return -1;
  // beside rows there may be keys, which have no values
  const Query* rows =
      entry->subquery->setOperations == nullptr ? entry->subquery : rows_beside_keys(query);
  if (rows == nullptr) return -1;
  const TargetEntry* given = column_shown(rows->targetList, column->varattno);
  return given == nullptr ? -1 : typmod_of(rows, as<Node>(given->expr));
}

// Before a row is read, if it is known so soon.
void require_known_confidence(Node* given) {
  const auto* value = maybe<Const>(folded(given));
  if (value == nullptr || value->constisnull) return;
  idp::require_confidence(DatumGetFloat8(value->constvalue));
}

// A parameter says the same for all rows, and reads none. Of a column the type is enough.
bool is_column(Node* value) {
  return names_columns(value) || checkExprHasSubLink(value) || contain_volatile_functions(value);
}

// idp.margin_of(answer, confidence, how far it is moved, aggregate, tables, typmod of its first
// argument, VARIADIC its arguments).
Node* known_margin(const FuncExpr* call, const Query* level, List* tables) {
  List* arguments = arguments_of(call);
  if (list_length(arguments) != 2) return nullptr;
  require_known_confidence(static_cast<Node*>(lsecond(arguments)));
  const auto [answer, moved] = answer_in(static_cast<Node*>(linitial(arguments)));
  const Oid function = answer == nullptr ? InvalidOid : own_function(kKnown);
  if (!OidIsValid(function) || answer->args == NIL) return nullptr;
  auto* column = as<Node>(static_cast<TargetEntry*>(linitial(answer->args))->expr);
  const int32 typmod = typmod_of(level, column);
  arguments = lappend(arguments, float_constant(moved));
  arguments = lappend(arguments, oid_constant(answer->aggfnoid));
  arguments = lappend(arguments, oids_constant(tables));
  arguments = lappend(arguments, makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
                                           Int32GetDatum(typmod), false, true));
  for (const auto* entry : list<TargetEntry>(answer->args)) {
    auto* value = as<Node>(entry->expr);
    arguments = lappend(arguments, is_column(value) ? makeNullConst(exprType(value), -1, InvalidOid)
                                                    : copyObjectImpl(value));
  }
  auto* known =
      makeFuncExpr(function, FLOAT8OID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  known->location = call->location;
  return as<Node>(known);
}

bool add_tables(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, add_tables, context);
  auto* query = as<Query>(node);
  auto** tables = static_cast<List**>(context);
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (OidIsValid(entry->relid)) *tables = list_append_unique_oid(*tables, entry->relid);
  }
  return walk_queries(query, add_tables, context);
}

struct Change {
  Query* statement;
  const Query* level = nullptr;  // whose calls these are
  List* tables = NIL;            // all that the statement reads; found with the first call
};

Node* change_calls(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto* change = static_cast<Change*>(context);
  if (is_margin(node)) {
    if (change->tables == NIL) {
      (void)add_tables(as<Node>(change->statement), &change->tables);
    }
    Node* known = known_margin(as<FuncExpr>(node), change->level, change->tables);
    if (known != nullptr) return known;
  }
  return map_in_place(node, change_calls, context);
}

bool find_margin(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  return is_margin(node) || walk_expression(node, find_margin, nullptr);
}

// Each level by itself, so that answers are those of the level.
bool change_levels(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, change_levels, context);
  auto* query = as<Query>(node);
  const bool has_margins = query->hasAggs && (find_margin(as<Node>(query->targetList), nullptr) ||
                                              find_margin(query->havingQual, nullptr));
  if (has_margins) {
    static_cast<Change*>(context)->level = query;
    change_shown(query, [&](Node* shown) { return change_calls(shown, context); });
  }
  return walk_queries(query, change_levels, context);
}

}  // namespace

void require_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("%s %s", kBadConfidence.argument, kBadConfidence.rule),
                  errhint("0.95 is usual: nineteen of twenty answers are as near as that.")));
}

void give_margins(Query* query) {
  Change change{query};
  (void)change_levels(as<Node>(query), &change);
}

}  // namespace idp

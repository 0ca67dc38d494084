#include "extension/rewrite/measured_intervals.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/private_call.h"

extern "C" {
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

// --- which intervals ---

bool has_no_months(const QueryLevel& level, const Node* value);

bool have_no_months(const QueryLevel& level, const List* values) {
  for (const auto* value : list<Node>(values)) {
    if (!has_no_months(level, value)) return false;
  }
  return values != NIL;
}

bool has_no_months_in(const QueryLevel& level, AttrNumber number) {
  const Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->setOperations != nullptr) return false;
  const TargetEntry* target = column_shown(query->targetList, number);
  return target != nullptr && has_no_months(level, as<Node>(target->expr));
}

bool column_has_no_months(const QueryLevel& level, const Var* column) {
  if (column->varlevelsup > 0 || column->varattno <= 0) return false;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  switch (entry->rtekind) {
    case RTE_SUBQUERY:
      return has_no_months_in({entry->subquery, &level}, column->varattno);
    case RTE_CTE: {
      const FoundCte found = cte_of(level, entry);
      return found.cte != nullptr && !found.cte->cterecursive &&
             has_no_months_in({as<Query>(found.cte->ctequery), found.owner}, column->varattno);
    }
    case RTE_JOIN:
      return has_no_months(
          level, static_cast<Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    default:
      return false;
  }
}

// Differences of instants, and what is chosen or made of them.
bool has_no_months(const QueryLevel& level, const Node* value) {
  check_stack_depth();
  switch (nodeTag(value)) {
    case T_Const: {
      const auto* constant = as<Const>(value);
      return constant->constisnull || DatumGetIntervalP(constant->constvalue)->month == 0;
    }
    case T_Var:
      return column_has_no_months(level, as<Var>(value));
    case T_OpExpr: {
      const Oid function = get_opcode(as<OpExpr>(value)->opno);
      if (function == F_TIMESTAMP_MI || function == F_TIMESTAMPTZ_MI) return true;
      return (function == F_INTERVAL_PL || function == F_INTERVAL_MI) &&
             have_no_months(level, as<OpExpr>(value)->args);
    }
    default:
      return have_no_months(level, values_chosen(value));
  }
}

// --- aggregates of seconds ---

Node* seconds_of(Node* interval) {
  List* arguments = list_make2(text_constant("epoch"), interval);
  return as<Node>(makeFuncExpr(F_EXTRACT_TEXT_INTERVAL, NUMERICOID, arguments, InvalidOid,
                               DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL));
}

// What noise made too many is the longest there is. An average of nothing stays NULL, in whose
// place the bounds alone would put one of them.
Node* interval_of(Node* seconds) {
  constexpr double kMost = 9e12;
  Node* number = as_type(seconds, FLOAT8OID);
  Node* is_there = null_test(static_cast<Node*>(copyObjectImpl(number)), IS_NOT_NULL);
  number = where(
      is_there, between(number, as<Node>(float_constant(-kMost)), as<Node>(float_constant(kMost))));
  auto* second = static_cast<Interval*>(palloc0(sizeof(Interval)));
  second->time = USECS_PER_SEC;
  Const* unit = makeConst(INTERVALOID, -1, InvalidOid, sizeof(Interval), IntervalPGetDatum(second),
                          false, false);
  return as<Node>(makeFuncExpr(F_JUSTIFY_HOURS, INTERVALOID,
                               list_make1(operation("*", as<Node>(unit), number)), InvalidOid,
                               InvalidOid, COERCE_EXPLICIT_CALL));
}

Oid function_of_seconds(Oid function) {
  switch (function) {
    case F_AVG_INTERVAL:
      return F_AVG_NUMERIC;
    case F_SUM_INTERVAL:
      return F_SUM_NUMERIC;
    case F_MIN_INTERVAL:
      return F_MIN_NUMERIC;
    case F_MAX_INTERVAL:
      return F_MAX_NUMERIC;
    case F_PERCENTILE_CONT_FLOAT8_INTERVAL:
      return F_PERCENTILE_CONT_FLOAT8_FLOAT8;
    case F_PERCENTILE_DISC_FLOAT8_ANYELEMENT:
      return F_PERCENTILE_DISC_FLOAT8_ANYELEMENT;
    default:
      return InvalidOid;
  }
}

// The same call of another type of values.
Aggref* of_values(const Aggref* plain, Oid function, Node* value) {
  const Oid type = exprType(value);
  auto* call = static_cast<Aggref*>(copyObjectImpl(plain));
  call->aggfnoid = function;
  call->aggtype = type;
  auto* target = static_cast<TargetEntry*>(linitial(call->args));
  target->expr = as<Expr>(value);
  llast_oid(call->aggargtypes) = type;
  for (auto* order : list<SortGroupClause>(list_concat_copy(call->aggorder, call->aggdistinct))) {
    Oid less, equal, greater;
    const bool is_descending = sorts_descending(order->sortop);
    get_sort_group_operators(type, true, true, false, &less, &equal, &greater, &order->hashable);
    order->sortop = is_descending ? greater : less;
    order->eqop = equal;
  }
  return call;
}

Node* measured(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (!IsA(node, Aggref)) return map_expression(node, measured, context);
  const auto* plain = as<Aggref>(node);
  const Oid function = function_of_seconds(plain->aggfnoid);
  if (!OidIsValid(function) || plain->agglevelsup > 0 || plain->aggtype != INTERVALOID) return node;
  Node* interval = as<Node>(static_cast<const TargetEntry*>(linitial(plain->args))->expr);
  if (!has_no_months(*static_cast<const QueryLevel*>(context), interval)) return node;
  Node* seconds = seconds_of(static_cast<Node*>(copyObjectImpl(interval)));
  if (function == F_PERCENTILE_CONT_FLOAT8_FLOAT8) {
    seconds = cast_to(seconds, FLOAT8OID, COERCE_IMPLICIT_CAST);
  }
  return interval_of(as<Node>(of_values(plain, function, seconds)));
}

}  // namespace

void measure_intervals(const QueryLevel& level) {
  QueryLevel of_level = level;
  change_shown(level.query, [&](Node* shown) { return measured(shown, &of_level); });
}

}  // namespace idp

// Reviewed one by one. Not on the lists: sums and averages of floating-point numbers, whose last
// digits depend on the order of addition, and what collects its arguments in the order in which
// they come (array_agg, string_agg, json_agg).
#include "extension/plan/group_functions.h"

#include "extension/call/functions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/digits.h"

extern "C" {
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "nodes/parsenodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

// Those whose value never leaves the range of its type, whatever the rows.
constexpr Oid kTotal[] = {
    F_COUNT_ANY,       F_COUNT_,           F_BOOL_AND,         F_BOOL_OR,
    F_EVERY,           F_BIT_AND_INT2,     F_BIT_AND_INT4,     F_BIT_AND_INT8,
    F_BIT_OR_INT2,     F_BIT_OR_INT4,      F_BIT_OR_INT8,      F_MIN_INT2,
    F_MIN_INT4,        F_MIN_INT8,         F_MIN_FLOAT4,       F_MIN_FLOAT8,
    F_MIN_NUMERIC,     F_MIN_DATE,         F_MIN_TIME,         F_MIN_TIMESTAMP,
    F_MIN_TIMESTAMPTZ, F_MAX_INT2,         F_MAX_INT4,         F_MAX_INT8,
    F_MAX_FLOAT4,      F_MAX_FLOAT8,       F_MAX_NUMERIC,      F_MAX_DATE,
    F_MAX_TIME,        F_MAX_TIMESTAMP,    F_MAX_TIMESTAMPTZ,  F_SUM_INT2,
    F_SUM_INT4,        F_SUM_INT8,         F_AVG_INT2,         F_AVG_INT4,
    F_AVG_INT8,        F_VAR_POP_INT2,     F_VAR_POP_INT4,     F_VAR_POP_INT8,
    F_VAR_SAMP_INT2,   F_VAR_SAMP_INT4,    F_VAR_SAMP_INT8,    F_VARIANCE_INT2,
    F_VARIANCE_INT4,   F_VARIANCE_INT8,    F_STDDEV_POP_INT2,  F_STDDEV_POP_INT4,
    F_STDDEV_POP_INT8, F_STDDEV_SAMP_INT2, F_STDDEV_SAMP_INT4, F_STDDEV_SAMP_INT8,
    F_STDDEV_INT2,     F_STDDEV_INT4,      F_STDDEV_INT8,
};

// Those that fail for numbers of very many digits (digits.h).
constexpr Oid kOfNumeric[] = {
    F_SUM_NUMERIC,      F_AVG_NUMERIC,        F_VAR_POP_NUMERIC,     F_VAR_SAMP_NUMERIC,
    F_VARIANCE_NUMERIC, F_STDDEV_POP_NUMERIC, F_STDDEV_SAMP_NUMERIC, F_STDDEV_NUMERIC,
};

// Those that fail where they do not know the collation, as soon as they compare two values; where
// it is deterministic equal ones look the same.
constexpr Oid kOfCollation[] = {F_MIN_TEXT, F_MAX_TEXT, F_MIN_BPCHAR, F_MAX_BPCHAR};

// Those that give one of their arguments, of types whose equal values may look different.
constexpr Oid kOfInexact[] = {F_MIN_FLOAT4, F_MIN_FLOAT8, F_MIN_NUMERIC, F_MIN_TEXT, F_MIN_BPCHAR,
                              F_MAX_FLOAT4, F_MAX_FLOAT8, F_MAX_NUMERIC, F_MAX_TEXT, F_MAX_BPCHAR};

constexpr Oid kOfRows[] = {F_LAG_ANYELEMENT, F_LEAD_ANYELEMENT, F_FIRST_VALUE, F_LAST_VALUE};

constexpr Oid kForPeers[] = {F_RANK_, F_DENSE_RANK_, F_PERCENT_RANK_, F_CUME_DIST_};

constexpr Oid kOfOrder[] = {F_ROW_NUMBER, F_LAG_ANYELEMENT, F_LEAD_ANYELEMENT, F_FIRST_VALUE,
                            F_LAST_VALUE};

template <std::size_t kCount>
bool is_among(Oid function, const Oid (&functions)[kCount]) {
  for (const Oid one : functions) {
    if (one == function) return true;
  }
  return false;
}

}  // namespace

bool depends_on_group_alone(Oid aggregate) {
  return is_among(aggregate, kTotal) || is_among(aggregate, kOfNumeric) ||
         is_among(aggregate, kOfCollation);
}

namespace {

bool knows_collation(Oid collation) {
  return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

}  // namespace

bool is_total(const Aggref* aggref, const PlanNode& reader) {
  if (is_among(aggref->aggfnoid, kTotal)) return true;
  if (is_among(aggref->aggfnoid, kOfCollation)) return knows_collation(aggref->inputcollid);
  if (!is_among(aggref->aggfnoid, kOfNumeric) || aggref->args == NIL) return false;
  // A half that combines reads states, which have no digits declared. Those over rows, below it,
  // are looked at by themselves.
  if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) return true;
  const auto* argument = static_cast<const TargetEntry*>(linitial(aggref->args));
  return has_few_digits(as<Node>(argument->expr), reader);
}

bool is_total(const WindowFunc* call, const PlanNode& reader) {
  if (is_among(call->winfnoid, kOfNumeric)) {
    return call->args != NIL && has_few_digits(static_cast<Node*>(linitial(call->args)), reader);
  }
  if (is_among(call->winfnoid, kOfCollation)) return knows_collation(call->inputcollid);
  return is_among(call->winfnoid, kForPeers) || is_among(call->winfnoid, kOfOrder) ||
         is_among(call->winfnoid, kTotal) || is_clip(call->winfnoid);
}

bool is_clip(Oid function) {
  if (function < FirstNormalObjectId || !is_own_function(function)) return false;
  FmgrInfo found;
  fmgr_info(function, &found);
  return is_clip_function(found.fn_addr);
}

bool is_count(Oid function) { return function == F_COUNT_ANY || function == F_COUNT_; }
bool gives_an_argument(Oid aggregate) { return is_among(aggregate, kOfInexact); }
bool gives_value_of_row(Oid function) { return is_among(function, kOfRows); }

bool depends_on_partition_alone(Oid function) {
  return is_among(function, kForPeers) || is_among(function, kOfOrder) ||
         depends_on_group_alone(function) || is_clip(function);
}

bool is_same_for_peers(const WindowFunc* call) {
  return is_among(call->winfnoid, kForPeers) || is_clip(call->winfnoid);
}

namespace {

// min(), max(), bool_and(), bool_or()
bool is_ordered(Oid aggregate) {
  HeapTuple row = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
  if (!HeapTupleIsValid(row)) return false;
  const Oid order = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(row))->aggsortop;
  ReleaseSysCache(row);
  return OidIsValid(order);
}

}  // namespace

bool is_one_of(Oid aggregate, const List* arguments) {
  return aggregate < FirstNormalObjectId && list_length(arguments) == 1 && is_ordered(aggregate);
}

Node* value_of_another(const WindowFunc* call) {
  switch (call->winfnoid) {
    case F_LAG_ANYELEMENT:
    case F_LAG_ANYELEMENT_INT4:
    case F_LEAD_ANYELEMENT:
    case F_LEAD_ANYELEMENT_INT4:
    case F_FIRST_VALUE:
    case F_LAST_VALUE:
    case F_NTH_VALUE:
      break;
    default:
      // min() and max() over rows of the window
      if (!is_one_of(call->winfnoid, call->args)) return nullptr;
  }
  return static_cast<Node*>(linitial(call->args));
}

Node* value_of_one(const Node* node) {
  if (!IsA(node, Aggref)) return nullptr;
  const auto* call = as<Aggref>(node);
  if (call->agglevelsup > 0 || !is_one_of(call->aggfnoid, call->args)) return nullptr;
  return as<Node>(static_cast<TargetEntry*>(linitial(call->args))->expr);
}

const Var* column_of_one(const Node* value) {
  Node* one = value_of_one(value);
  return one == nullptr ? nullptr : maybe<Var>(one);
}

bool has_own_row(const Query* query, const WindowFunc* call) {
  const auto* window = static_cast<const WindowClause*>(
      list_nth(query->windowClause, static_cast<int>(call->winref) - 1));
  const int frame = window->frameOptions;
  return (frame & FRAMEOPTION_EXCLUSION) == 0 &&
         (frame & FRAMEOPTION_START_UNBOUNDED_PRECEDING) != 0 &&
         (frame & (FRAMEOPTION_END_CURRENT_ROW | FRAMEOPTION_END_UNBOUNDED_FOLLOWING)) != 0;
}

}  // namespace idp

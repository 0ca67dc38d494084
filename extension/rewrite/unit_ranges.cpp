#include "extension/rewrite/unit_ranges.h"

#include "extension/pg/attempt.h"
#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/rewrite/bounded_rows.h"
#include "extension/rewrite/given_rows.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

using MaybeRange = std::optional<Range>;

// The constant that an expression over constants is, as one of that type; null if it has no such
// value.
Const* constant_of(Node* expression, Oid type) {
  if (exprType(expression) != type) expression = cast_to(expression, type, COERCE_EXPLICIT_CAST);
  if (expression == nullptr) return nullptr;
  Node* value = expression;
  const auto evaluate = [](void* node) {
    auto** given = static_cast<Node**>(node);
    *given = folded(*given);
  };
  if (!succeeds(evaluate, &value)) return nullptr;  // it is beyond the range of the type
  auto* constant = maybe<Const>(value);
  return constant != nullptr && !constant->constisnull ? constant : nullptr;
}

MaybeRange range_between(Node* lower, Node* upper, Oid type) {
  Const* first = constant_of(lower, type);
  Const* last = constant_of(upper, type);
  if (first == nullptr || last == nullptr) return std::nullopt;
  return Range{first, last};
}

MaybeRange as_range_of(const MaybeRange& range, Oid type) {
  if (!range) return std::nullopt;
  return range_between(as<Node>(range->lower), as<Node>(range->upper), type);
}

// Of so many values, or fewer, each of the range.
MaybeRange range_of_sum(const Range& range, int64 most, Oid type) {
  Node* ends[2];
  const Const* values[] = {range.lower, range.upper};
  for (int i = 0; i < 2; ++i) {
    Const* value = constant_of(static_cast<Node*>(copyObjectImpl(values[i])), NUMERICOID);
    if (value == nullptr) return std::nullopt;
    ends[i] =
        operation("*", as<Node>(value), cast_to(bigint(most), NUMERICOID, COERCE_EXPLICIT_CAST));
  }
  Node* zero = cast_to(bigint(0), NUMERICOID, COERCE_EXPLICIT_CAST);
  return range_between(end_of(IS_LEAST, ends[0], zero), end_of(IS_GREATEST, ends[1], zero), type);
}

// What is asked of a summary: its values, those of an extreme or an average, or what all of a unit
// add up to, of a count or a sum.
enum class Asked { kValues, kExtremes, kTotal };

// level: that of the call, which has a row for each unit.
MaybeRange range_of_call(const QueryLevel& level, const Aggref* call, Asked asked) {
  const int64 most = most_rows(list_make1(level.query));
  if (call->aggfnoid >= FirstNormalObjectId || call->agglevelsup > 0) return std::nullopt;
  if (asked == Asked::kTotal && may_repeat_rows(list_make1(level.query))) return std::nullopt;
  const char* name = get_func_name(call->aggfnoid);
  const bool adds = strcmp(name, "count") == 0 || strcmp(name, "sum") == 0;
  if (adds ? asked == Asked::kExtremes || most <= 0 : asked == Asked::kTotal) return std::nullopt;
  if (strcmp(name, "count") == 0) return Range{as<Const>(bigint(0)), as<Const>(bigint(most))};
  if (list_length(call->args) != 1) return std::nullopt;
  auto* argument = as<Node>(static_cast<TargetEntry*>(linitial(call->args))->expr);
  if (strcmp(name, "sum") == 0) {
    const MaybeRange range = range_of_number(level, argument);
    return range ? range_of_sum(*range, most, call->aggtype) : std::nullopt;
  }
  if (strcmp(name, "avg") == 0) return as_range_of(range_of_number(level, argument), call->aggtype);
  const bool is_one_of_them = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
  return is_one_of_them ? as_range_of(range_of(level, argument), call->aggtype) : std::nullopt;
}

MaybeRange range_in(const QueryLevel& level, AttrNumber column, Asked asked);

// Of what the level computes: level itself has a row for each unit, or reads one that has.
MaybeRange range_of_value(const QueryLevel& level, Node* value, Asked asked) {
  check_stack_depth();
  switch (nodeTag(value)) {
    case T_Aggref:
      return groups_by_unit(level) ? range_of_call(level, as<Aggref>(value), asked) : std::nullopt;
    case T_CoalesceExpr: {
      const List* args = as<CoalesceExpr>(value)->args;
      const auto* other = maybe<Const>(static_cast<Node*>(llast(args)));
      if (list_length(args) != 2 || other == nullptr) return std::nullopt;
      const MaybeRange range = range_of_value(level, static_cast<Node*>(linitial(args)), asked);
      if (!range || other->constisnull) return range;
      const Oid type = range->lower->consttype;
      auto* value = static_cast<Node*>(copyObjectImpl(other));
      if (exprType(value) != type) return std::nullopt;
      // what takes the place of NULL is added up once for each part
      if (asked == Asked::kTotal && !equal(other, constant_of(bigint(0), type)))
        return std::nullopt;
      return range_between(end_of(IS_LEAST, as<Node>(range->lower), value),
                           end_of(IS_GREATEST, as<Node>(range->upper), value), type);
    }
    case T_FuncExpr: {
      const auto* cast = as<FuncExpr>(value);
      const bool is_cast = cast->funcformat != COERCE_EXPLICIT_CALL && list_length(cast->args) == 1;
      if (!is_cast) return std::nullopt;
      return as_range_of(range_of_value(level, static_cast<Node*>(linitial(cast->args)), asked),
                         cast->funcresulttype);
    }
    case T_Var: {
      const auto* column = as<Var>(value);
      if (column->varlevelsup > 0 || column->varattno <= 0) return std::nullopt;
      RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
      if (entry->rtekind == RTE_SUBQUERY) {
        return range_in({entry->subquery, &level}, column->varattno, asked);
      }
      if (entry->rtekind == RTE_JOIN) {
        return range_of_value(
            level, static_cast<Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)), asked);
      }
      if (entry->rtekind != RTE_CTE) return std::nullopt;
      const FoundCte found = cte_of(level, entry);
      if (found.cte == nullptr || !IsA(found.cte->ctequery, Query)) return std::nullopt;
      return range_in({as<Query>(found.cte->ctequery), found.owner}, column->varattno, asked);
    }
    default:
      return std::nullopt;
  }
}

MaybeRange range_in(const QueryLevel& level, AttrNumber column, Asked asked) {
  const Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->setOperations != nullptr) return std::nullopt;
  const TargetEntry* target = column_shown(query->targetList, column);
  return target == nullptr ? std::nullopt : range_of_value(level, as<Node>(target->expr), asked);
}

}  // namespace

MaybeRange range_of_summary(const QueryLevel& level, Node* value) {
  return as_range_of(range_of_value(level, value, Asked::kValues), exprType(value));
}

MaybeRange range_of_extreme(const QueryLevel& level, Node* value) {
  return as_range_of(range_of_value(level, value, Asked::kExtremes), exprType(value));
}

MaybeRange range_of_total(const QueryLevel& level, Node* value) {
  return as_range_of(range_of_value(level, value, Asked::kTotal), exprType(value));
}

}  // namespace idp

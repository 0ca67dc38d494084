#include "extension/rewrite/grouped_units.h"

#include <cmath>

#include "extension/domain/domain.h"
#include "extension/plan/key_forms.h"
#include "extension/plan/new_query.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

TargetEntry* add_output(Query* query, Node* value, const char* name) {
  TargetEntry* target = output(value, list_length(query->targetList) + 1, name);
  query->targetList = lappend(query->targetList, target);
  return target;
}

bool is_one(const Node* value) {
  if (value == nullptr || !IsA(value, Const)) return false;
  const auto* constant = as<Const>(value);
  return !constant->constisnull &&
         DatumGetBool(DirectFunctionCall2(numeric_eq, constant->constvalue,
                                          NumericGetDatum(int64_to_numeric(1))));
}

// CASE WHEN … THEN 1 END.
bool is_one_or_null(const Node* value) {
  if (!IsA(value, CaseExpr)) return false;
  const auto* choice = as<CaseExpr>(value);
  if (list_length(choice->args) != 1) return false;
  const auto* when = static_cast<const CaseWhen*>(linitial(choice->args));
  const auto* rest = maybe<Const>(choice->defresult);
  return is_one(as<Node>(when->result)) && rest != nullptr && rest->constisnull;
}

// numeric(p, s), so that no value is beyond it, nor has digits that the bound has not.
int32 typmod_of(Datum bound) {
  const double size = DatumGetFloat8(DirectFunctionCall1(numeric_float8, bound));
  const int before = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 2;
  const int scale = scale_of_numeric(bound);
  return ((before + scale) << 16 | scale) + static_cast<int32>(VARHDRSZ);
}

Node* cut(Node* value, Datum bound) {
  return coerce_to_target_type(nullptr, value, NUMERICOID, NUMERICOID, typmod_of(bound),
                               COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
}

// What the values of a unit add up to in one group.
Node* added_up(Node* value, Datum bound) {
  Aggref* call;
  if (IsA(value, Aggref) && as<Aggref>(value)->aggfnoid == F_MAX_NUMERIC) return cut(value, bound);
  if (contain_aggs_of_level(value, 0)) return value;
  if (is_one(value)) {
    call = aggregate_call(F_COUNT_, INT8OID, nullptr);
  } else if (is_one_or_null(value)) {
    call = aggregate_call(F_COUNT_ANY, INT8OID, value);
  } else {
    return as<Node>(aggregate_call(F_SUM_NUMERIC, NUMERICOID, cut(value, bound)));
  }
  return cast_to(as<Node>(call), NUMERICOID, COERCE_IMPLICIT_CAST);
}

// A key that a subquery computes is found there, but not through another aggregation.
bool is_computed_below(const Query* rows, const Node* value) {
  if (!IsA(value, Var)) return false;
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0) return false;
  const RangeTblEntry* entry = rt_fetch(column->varno, rows->rtable);
  if (entry->rtekind != RTE_SUBQUERY) return false;
  const auto* target =
      static_cast<const TargetEntry*>(list_nth(entry->subquery->targetList, column->varattno - 1));
  return !IsA(target->expr, Var);
}

}  // namespace

bool can_group(const Query* rows, const List* keys, bool computes) {
  for (const auto* target : list<TargetEntry>(rows->targetList)) {
    auto* value = as<Node>(target->expr);
    if (IsA(value, WindowFunc)) continue;
    if ((!computes && is_computed_below(rows, value)) || !list_member(keys, value) ||
        !has_one_key_form(rows, value)) {
      return false;
    }
  }
  return true;
}

Query* group_by_unit(Query* rows, Var* unit, const Bitmapset* found) {
  Query* query = new_query();
  Index reference = 0;
  for (auto* target : list<TargetEntry>(rows->targetList)) {
    auto* node = as<Node>(target->expr);
    if (!IsA(node, WindowFunc)) {
      rows->groupClause = lappend(rows->groupClause, clause_of(target, ++reference));
      (void)add_output(query, as<Node>(column_like(1, target)), target->resname);
      continue;
    }
    auto* call = as<WindowFunc>(node);
    auto* bound = static_cast<Const*>(lsecond(call->args));
    Node* sum = added_up(static_cast<Node*>(linitial(call->args)), bound->constvalue);
    target->expr = as<Expr>(sum);
    call->args = list_make2(column_like(1, target), bound);
    const bool is_found = bms_is_member(target->resno, found);
    (void)add_output(query, is_found ? as<Node>(column_like(1, target)) : node, target->resname);
  }
  TargetEntry* whose = add_output(rows, as<Node>(unit), "unit");
  rows->groupClause = lappend(rows->groupClause, clause_of(whose, ++reference));
  rows->hasAggs = true;
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "units", names_of(rows));
  entry->subquery = rows;
  query->rtable = list_make1(entry);
  auto* from = makeNode(RangeTblRef);
  from->rtindex = 1;
  query->jointree = makeFromExpr(list_make1(from), nullptr);
  query->hasRowSecurity = rows->hasRowSecurity;
  const int keys = list_length(rows->groupClause) - 1;
  if (bms_num_members(found) + keys < list_length(query->targetList)) {
    partition_by(query, column_like(1, whose));
  }
  return query;
}

void partition_by(Query* rows, Var* unit) {
  TargetEntry* target = add_output(rows, as<Node>(unit), "unit");
  target->resjunk = true;
  auto* window = makeNode(WindowClause);
  window->partitionClause = list_make1(clause_of(target, 1));
  window->frameOptions = FRAMEOPTION_DEFAULTS;
  window->winref = 1;
  rows->windowClause = list_make1(window);
  rows->hasWindowFuncs = true;
}

}  // namespace idp

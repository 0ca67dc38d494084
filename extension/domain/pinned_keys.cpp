#include "extension/domain/pinned_keys.h"

#include <utility>

#include "extension/domain/domain_rows.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/levels.h"
#include "extension/domain/united_keys.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"

extern "C" {
#include "common/int.h"
#include "access/stratnum.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

struct Pins {
  const Node* value;
  Oid type;
  int32 typmod;
  Oid collation;
  bool has_values = false;  // by = or IN
  Keys values = {};
  bool has_lower = false;
  bool has_upper = false;
  int64 lower = 0;
  int64 upper = 0;
};

bool is_value(const Pins& pins, const Node* node) {
  return equal(without_relabels(node), without_relabels(pins.value));
}

// column op constant, of the operators by which values of the type are compared everywhere.
int strategy_of(const Pins& pins, Oid op, Oid collation) {
  return collation == pins.collation ? order_strategy(op, pins.type) : 0;
}

bool is_of_type(const Pins& pins, Oid type) {
  const Oid own = pins.type;
  return type == own || (own == VARCHAROID && type == TEXTOID);
}

// Of character(n) with their blanks, without those that are too long.
int in_length(const Pins& pins, Datum* values, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const Datum value =
        DirectFunctionCall3(bpchar, values[i], Int32GetDatum(pins.typmod), BoolGetDatum(true));
    if (DatumGetBool(DirectFunctionCall2Coll(bpchareq, pins.collation, value, values[i]))) {
      values[kept++] = value;
    }
  }
  return kept;
}

void set_values(Pins* pins, Datum* values, int count) {
  if (pins->type == BPCHAROID) count = in_length(*pins, values, count);
  if (pins->has_values || count == 0 || count > kMostKeys) return;
  pins->has_values = true;
  pins->values.values = values;
  pins->values.count = count;
}

void set_value(Pins* pins, const Const* constant) {
  auto* value = static_cast<Datum*>(palloc(sizeof(Datum)));
  *value = constant->constlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM(constant->constvalue))
                                    : constant->constvalue;
  set_values(pins, value, 1);
}

void set_lower(Pins* pins, int64 lower) {
  pins->lower = pins->has_lower ? Max(pins->lower, lower) : lower;
  pins->has_lower = true;
}

void set_upper(Pins* pins, int64 upper) {
  pins->upper = pins->has_upper ? Min(pins->upper, upper) : upper;
  pins->has_upper = true;
}

// The number of a constant that the column's are compared with; false if these are not counted.
bool number_of_constant(const Pins& pins, const Const* constant, int64* number) {
  const Oid own = pins.type;
  const bool are_numbers = is_whole_number(own) && is_whole_number(constant->consttype);
  const bool are_days = own == DATEOID && constant->consttype == DATEOID &&
                        !DATE_NOT_FINITE(DatumGetDateADT(constant->constvalue));
  if (!are_numbers && !are_days) return false;
  *number = number_of(constant->consttype, constant->constvalue);
  return *number > PG_INT64_MIN && *number < PG_INT64_MAX;
}

void read_comparison(Pins* pins, const OpExpr* comparison) {
  if (list_length(comparison->args) != 2) return;
  const auto* left = static_cast<const Node*>(linitial(comparison->args));
  const auto* right = static_cast<const Node*>(lsecond(comparison->args));
  Oid op = comparison->opno;
  if (!is_value(*pins, left)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  const Node* value = folded(right);
  if (!OidIsValid(op) || !is_value(*pins, left) || !IsA(value, Const) ||
      as<Const>(value)->constisnull) {
    return;
  }
  const auto* constant = as<Const>(value);
  const int strategy = strategy_of(*pins, op, comparison->inputcollid);
  int64 number = 0;
  if (number_of_constant(*pins, constant, &number)) {
    const bool is_less = strategy == BTLessStrategyNumber;
    const bool is_greater = strategy == BTGreaterStrategyNumber;
    const bool is_equal = strategy == BTEqualStrategyNumber;
    if (is_greater || is_equal || strategy == BTGreaterEqualStrategyNumber) {
      set_lower(pins, is_greater ? number + 1 : number);
    }
    if (is_less || is_equal || strategy == BTLessEqualStrategyNumber) {
      set_upper(pins, is_less ? number - 1 : number);
    }
  } else if (strategy == BTEqualStrategyNumber && is_of_type(*pins, constant->consttype)) {
    set_value(pins, constant);
  }
}

void read_list(Pins* pins, const ScalarArrayOpExpr* comparison) {
  const auto* column = static_cast<const Node*>(linitial(comparison->args));
  const Node* list = folded(static_cast<const Node*>(lsecond(comparison->args)));
  if (!comparison->useOr || !is_value(*pins, column) || !IsA(list, Const) ||
      as<Const>(list)->constisnull ||
      strategy_of(*pins, comparison->opno, comparison->inputcollid) != BTEqualStrategyNumber) {
    return;
  }
  ArrayType* array = DatumGetArrayTypePCopy(as<Const>(list)->constvalue);
  const Oid type = ARR_ELEMTYPE(array);
  if (!is_of_type(*pins, type)) return;
  int16 length;
  bool by_value;
  char alignment;
  get_typlenbyvalalign(type, &length, &by_value, &alignment);
  Datum* values = nullptr;
  bool* nulls = nullptr;
  int count = 0;
  deconstruct_array(array, type, length, by_value, alignment, &values, &nulls, &count);
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (!nulls[i]) values[kept++] = values[i];
  }
  set_values(pins, values, kept);
}

// Numbers between bounds, those that the type has.
void list_numbers(Pins* pins) {
  const Oid type = pins->type;
  if (type != INT8OID) {
    set_lower(pins, type == INT2OID ? PG_INT16_MIN : PG_INT32_MIN);
    set_upper(pins, type == INT2OID ? PG_INT16_MAX : PG_INT32_MAX);
  }
  int64 count = 0;
  if (pins->upper < pins->lower || pg_sub_s64_overflow(pins->upper, pins->lower, &count) ||
      count >= kMostKeys) {
    return;
  }
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<size_t>(count + 1)));
  for (int64 i = 0; i <= count; ++i) values[i] = counted_value(type, pins->lower + i);
  set_values(pins, values, static_cast<int>(count + 1));
}

// The output column of a subquery that a column is; null if it is of none, or not of each row.
const TargetEntry* shown_below(const Query* query, const Var* column, const Query** below) {
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr ||
      entry->subquery->groupingSets != NIL) {
    return nullptr;
  }
  *below = entry->subquery;
  return column_shown(entry->subquery->targetList, column->varattno);
}

bool has_pinned_keys = false;

}  // namespace

bool take_pinned_keys(bool are_keys) { return std::exchange(has_pinned_keys, are_keys); }

bool pinned_keys(const Query* query, const Node* value, FiniteKeys* found) {
  if (!has_pinned_keys) return false;
  check_stack_depth();
  const auto* column = maybe<Var>(value);
  const Oid type = exprType(value);
  const int32 typmod = exprTypmod(value);
  const Oid collation = exprCollation(value);
  if ((column != nullptr && (column->varlevelsup > 0 || column->varattno <= 0)) ||
      !has_one_form(type, typmod, collation) ||
      contain_volatile_functions(const_cast<Node*>(value)) ||
      checkExprHasSubLink(const_cast<Node*>(value))) {
    return false;
  }
  Pins pins{value, type, typmod, collation};
  const Query* below = nullptr;
  const TargetEntry* shown = column == nullptr ? nullptr : shown_below(query, column, &below);
  if (shown != nullptr && rank_shown(rt_fetch(column->varno, query->rtable), column->varattno)) {
    set_lower(&pins, 1);
  }
  for (const auto* condition : list<Node>(conditions_of_rows(query))) {
    if (IsA(condition, OpExpr)) read_comparison(&pins, as<OpExpr>(condition));
    if (IsA(condition, ScalarArrayOpExpr)) read_list(&pins, as<ScalarArrayOpExpr>(condition));
  }
  if (!pins.has_values && pins.has_lower && pins.has_upper) list_numbers(&pins);
  if (!pins.has_values) {
    if (shown == nullptr || !pinned_keys(below, as<Node>(shown->expr), found)) return false;
    found->may_be_null |= may_be_absent(query, static_cast<Index>(column->varno));
    return found->keys.type == type;
  }
  pins.values.type = type;
  pins.values.typmod = typmod;
  pins.values.collation = collation;
  const FiniteKeys once{pins.values, false};
  if (!unite_keys(once, once, found)) return false;
  found->is_pinned = true;
  return true;
}

}  // namespace idp

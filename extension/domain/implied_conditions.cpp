#include "extension/domain/implied_conditions.h"

#include "extension/domain/cell_nodes.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/ordered_time.h"
#include "extension/domain/over_value.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/plan/used_columns.h"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- whether rows of the query are rows of the subquery ---

// An outer join may lack them, and UNION has rows of others beside.
bool are_all_from(const Query* query, const KeyImage& image) {
  for (const int number : ints(image.path)) {
    if (query == image.query) return true;
    if (query->setOperations != nullptr || query->groupingSets != NIL ||
        may_be_absent(query, static_cast<Index>(number))) {
      return false;
    }
    query = rows_of_entry(query, rt_fetch(number, query->rtable));
    if (query == nullptr) return false;
  }
  return query == image.query && query->setOperations == nullptr && query->groupingSets == NIL;
}

// --- what is said of the expression itself ---

bool find_column_of(Node* node, void* column) {
  if (node == nullptr) return false;
  if (!IsA(node, Var)) return walk_expression(node, find_column_of, column);
  return is_same_column(as<Var>(node), static_cast<const Var*>(column));
}

// --- ends ---

// Whether the image of the last value is not before that of the first. It never turns.
bool goes_up(const KeyImage& image) {
  const Keys& keys = image.base->keys;
  if (keys.count == 0 || !is_ordered_in_time(image.expression, *image.base)) return false;
  const Oid type = exprType(image.expression);
  const TypeCacheEntry* known = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  OverValue over(image.expression, image.base->column, keys.type);
  bool is_null = false;
  bool is_other_null = false;
  Datum first = over.of(keys.values[0], false, &is_null);
  if (!is_null) first = datumCopy(first, by_value, length);
  const Datum last = over.of(keys.values[keys.count - 1], false, &is_other_null);
  const bool is_up =
      !is_null && !is_other_null &&
      DatumGetInt32(FunctionCall2Coll(const_cast<FmgrInfo*>(&known->cmp_proc_finfo),
                                      exprCollation(image.expression), first, last)) <= 0;
  over.end();
  return is_up;
}

// What clocks of the session show at an instant. Where they are put back within hours of it some
// show more before it, and less after it: an hour more, or less.
Node* shown_by_clocks(Node* instant, bool is_upper) {
  const char* hours = is_upper ? "-3 hours" : "3 hours";
  const auto shown = [](Node* at) {
    return as<Node>(makeFuncExpr(F_TIMESTAMP_TIMESTAMPTZ, TIMESTAMPOID, list_make1(at), InvalidOid,
                                 InvalidOid, COERCE_EXPLICIT_CAST));
  };
  Node* time = shown(instant);
  Node* is_steady = comparison(moved_instant(TIMESTAMPOID, time, hours), BTEqualStrategyNumber,
                               shown(moved_instant(TIMESTAMPTZOID, instant, hours)));
  Node* end = cases(nullptr, with_when(NIL, is_steady, time),
                    moved_instant(TIMESTAMPOID, time, is_upper ? "1 hour" : "-1 hour"));
  return static_cast<Node*>(copyObjectImpl(end));  // each node once
}

// An end as a value of the type of the column: null if there is none that says the same of it.
Node* as_end(Node* end, Oid type, bool is_upper) {
  const Oid given = exprType(end);
  if (given == type) return end;
  if (type == TIMESTAMPOID && given == TIMESTAMPTZOID) return shown_by_clocks(end, is_upper);
  const bool is_of_instant =
      (type == TIMESTAMPTZOID && (given == DATEOID || given == TIMESTAMPOID)) ||
      (type == TIMESTAMPOID && given == DATEOID);
  return is_of_instant ? coerce_to_target_type(nullptr, end, given, type, -1, COERCION_IMPLICIT,
                                               COERCE_IMPLICIT_CAST, -1)
                       : nullptr;
}

// The value before an end: instants are microseconds apart.
Node* before(Node* end, Oid type) {
  return type == DATEOID ? operation("-", end, integer(1))
                         : moved_instant(type, end, "-1 microsecond");
}

Node* with_end(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, with_end, context);
  return static_cast<Node*>(copyObjectImpl(context));
}

// at < end is f(at) <= f(the instant before end), and so on.
Node* over_end(Node* condition, const KeyColumn& key) {
  if (!IsA(condition, OpExpr) || list_length(as<OpExpr>(condition)->args) != 2) return nullptr;
  auto* comparison = as<OpExpr>(condition);
  if (!IsA(linitial(comparison->args), Var)) {
    if (!has_true_commutator(comparison->opno)) return nullptr;
    comparison = static_cast<OpExpr*>(copyObjectImpl(comparison));
    CommuteOpExpr(comparison);
  }
  const KeyImage& image = *key.image;
  const auto* column = maybe<Var>(static_cast<const Node*>(linitial(comparison->args)));
  auto* given = static_cast<Node*>(lsecond(comparison->args));
  if (column == nullptr || !is_same_column(column, image.base->column) || names_columns(given)) {
    return nullptr;
  }
  const Oid type = column->vartype;
  const bool is_time = type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
  const int strategy = order_strategy(comparison->opno, type);
  const bool is_upper = strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber;
  const bool is_equal = strategy == BTEqualStrategyNumber && exprType(given) == type;
  const bool is_lower =
      strategy == BTGreaterStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
  Node* end =
      is_time && (is_upper || is_equal || is_lower) ? as_end(given, type, is_upper) : nullptr;
  if (end == nullptr) return nullptr;
  if (strategy == BTLessStrategyNumber) end = before(end, type);
  const char* name = is_upper ? "<=" : is_equal ? "=" : ">=";
  Node* value = with_end(image.expression, end);
  return operation(name, static_cast<Node*>(copyObjectImpl(key.column)), value);
}

}  // namespace

List* implied_conditions(const Query* query, const KeyColumn& key) {
  if (key.image == nullptr || !are_all_from(query, *key.image)) return NIL;
  const KeyImage& image = *key.image;
  List* conditions = NIL;
  if (key_of_column(image.query, image.base->column, &conditions) == nullptr) return NIL;
  conditions = list_concat(
      conditions,
      conditions_on_columns(image.query, list_make1(const_cast<Var*>(image.base->column))));
  const bool is_up = conditions != NIL && goes_up(image);
  List* implied = NIL;
  for (auto* condition : list<Node>(conditions)) {
    Node* same = with_column(condition, image.expression, key.column);
    if (find_column_of(same, const_cast<Var*>(image.base->column))) {
      same = is_up ? over_end(condition, key) : nullptr;
    }
    if (same != nullptr) implied = lappend(implied, same);
  }
  return implied;
}

}  // namespace idp

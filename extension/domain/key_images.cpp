#include "extension/domain/key_images.h"

#include "extension/domain/by_zone.h"
#include "extension/domain/grain.h"
#include "extension/domain/over_value.h"
#include "extension/domain/session_zone.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/plan/identity.h"

extern "C" {
#include "access/transam.h"
#include "lib/qunique.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- what an expression is for each value ---

struct OnlyColumn {
  const Var* column = nullptr;
  bool is_only = true;
};

bool find_column(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* only = static_cast<OnlyColumn*>(context);
  if (!IsA(node, Var)) return walk_expression(node, find_column, context);
  const auto* column = as<Var>(node);
  only->is_only = only->is_only && column->varlevelsup == 0 && column->varattno > 0 &&
                  (only->column == nullptr || is_same_column(only->column, column));
  only->column = column;
  return !only->is_only;
}

// --- values of several columns, in an order ---

struct Comparison {
  FmgrInfo* compare;
  Oid collation;
};

struct Order {
  int width;
  const Comparison* columns;
};

using Cell = ListedRows::Cell;

int compare_rows(const void* a, const void* b, void* context) {
  const auto* order = static_cast<const Order*>(context);
  const auto* left = static_cast<const Cell*>(a);
  const auto* right = static_cast<const Cell*>(b);
  for (int i = 0; i < order->width; ++i) {
    if (left[i].is_null != right[i].is_null) return left[i].is_null ? 1 : -1;
    if (left[i].is_null) continue;
    const Comparison& column = order->columns[i];
    const int compared = DatumGetInt32(
        FunctionCall2Coll(column.compare, column.collation, left[i].value, right[i].value));
    if (compared != 0) return compared;
  }
  return 0;
}

Comparison comparison_of(Node* expression) {
  TypeCacheEntry* type = lookup_type_cache(exprType(expression), TYPECACHE_CMP_PROC_FINFO);
  return {&type->cmp_proc_finfo, exprCollation(expression)};
}

// What expressions over the base are for each of its keys, each row of them once.
ListedRows rows_of(const KeyColumn* base, const List* expressions) {
  const int width = list_length(expressions);
  const int count = base->count();
  auto* cells = static_cast<Cell*>(
      palloc(sizeof(Cell) * static_cast<size_t>(width) * static_cast<size_t>(Max(count, 1))));
  auto* comparisons =
      static_cast<Comparison*>(palloc(sizeof(Comparison) * static_cast<size_t>(width)));
  ListCell* cell;
  foreach (cell, expressions) {
    auto* expression = static_cast<Node*>(lfirst(cell));
    const int column = foreach_current_index(cell);
    comparisons[column] = comparison_of(expression);
    int16 length;
    bool by_value;
    get_typlenbyval(exprType(expression), &length, &by_value);
    OverValue over(expression, base->column, base->keys.type);
    for (int i = 0; i < count; ++i) {
      Cell& one = cells[i * width + column];
      const bool is_null = i == base->keys.count;
      const Datum value = over.of(is_null ? Datum{0} : base->keys.values[i], is_null, &one.is_null);
      one.value = one.is_null ? Datum{0} : datumCopy(value, by_value, length);
    }
    over.end();
  }
  Order order{width, comparisons};
  const size_t size = sizeof(Cell) * static_cast<size_t>(width);
  qsort_arg(cells, static_cast<size_t>(count), size, compare_rows, &order);
  const size_t different =
      qunique_arg(cells, static_cast<size_t>(count), size, compare_rows, &order);
  return {width, static_cast<int>(different), cells};
}

// --- images of one value ---

bool are_of_one_value(const KeyImage* a, const KeyImage* b) {
  return a != nullptr && b != nullptr && a->query == b->query &&
         is_same_column(a->base->column, b->base->column) && equal(a->path, b->path);
}

}  // namespace

const Var* only_column(Node* expression) {
  OnlyColumn only;
  (void)find_column(expression, &only);
  return only.is_only ? only.column : nullptr;
}

bool image_of(const KeyColumn* base, Node* given, FiniteKeys* found) {
  Node* expression = folded(given);
  bool by_zone = false;
  const bool is_known = base->rows == nullptr && base->keys.values != nullptr &&
                        names_columns(expression) && !calls_others(expression) &&
                        !may_change(expression, &by_zone) &&
                        sees_cells_alone(expression, list_make1(const_cast<KeyColumn*>(base)));
  const TypeCacheEntry* type = lookup_type_cache(exprType(expression), TYPECACHE_CMP_PROC_FINFO);
  if (!is_known || !OidIsValid(type->cmp_proc_finfo.fn_oid)) return false;
  if (by_zone) (void)zone_of_session();
  const ListedRows rows = rows_of(base, list_make1(expression));
  const bool has_null = rows.count > 0 && rows.cells[rows.count - 1].is_null;
  const int count = rows.count - (has_null ? 1 : 0);
  if (count == 0 || count > kMostKeys) return false;
  Keys keys;
  keys.type = exprType(expression);
  keys.typmod = exprTypmod(expression);
  keys.collation = exprCollation(expression);
  keys.values = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i) keys.values[i] = rows.cells[i].value;
  keys.count = count;
  keys.number = count;
  auto* image = static_cast<KeyImage*>(palloc(sizeof(KeyImage)));
  *image = {nullptr, base, expression, NIL};
  *found = {keys, has_null, image};
  return true;
}

void list_images_together(List* keys) {
  List* left = list_copy(keys);
  while (left != NIL) {
    auto* first = static_cast<KeyColumn*>(linitial(left));
    List* columns = NIL;
    List* expressions = NIL;
    ListCell* cell;
    foreach (cell, left) {
      auto* key = static_cast<KeyColumn*>(lfirst(cell));
      if (key != first && !are_of_one_value(first->image, key->image)) continue;
      columns = lappend(columns, key);
      if (key->image != nullptr) expressions = lappend(expressions, key->image->expression);
      left = foreach_delete_current(left, cell);
    }
    if (list_length(columns) < 2) continue;
    auto* listed = static_cast<ListedRows*>(palloc(sizeof(ListedRows)));
    *listed = rows_of(first->image->base, expressions);
    foreach (cell, columns) {
      auto* key = static_cast<KeyColumn*>(lfirst(cell));
      key->listed = listed;
      key->listed_column = foreach_current_index(cell);
    }
  }
}

}  // namespace idp

#include "extension/domain/key_images.h"

#include "extension/domain/by_zone.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_table.h"
#include "extension/domain/known_images.h"
#include "extension/domain/over_value.h"
#include "extension/domain/session_zone.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/attempt.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/plan/identity.h"
#include "extension/plan/key_forms.h"

extern "C" {
#include "access/transam.h"
#include "lib/qunique.h"
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- what an expression is for each value ---

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

// Cells, a row after the other: each row once.
ListedRows each_once(Cell* cells, int count, const Order& order) {
  const size_t size = sizeof(Cell) * static_cast<size_t>(order.width);
  auto* context = const_cast<Order*>(&order);
  qsort_arg(cells, static_cast<size_t>(count), size, compare_rows, context);
  const size_t different =
      qunique_arg(cells, static_cast<size_t>(count), size, compare_rows, context);
  return {order.width, static_cast<int>(different), cells};
}

// What an expression over the base is for each of its keys, in every so many-th cell.
void evaluate(const KeyColumn* base, Node* expression, Cell* cells, int width) {
  int16 length;
  bool by_value;
  get_typlenbyval(exprType(expression), &length, &by_value);
  OverValue over(expression, base->column, base->keys.type);
  for (int i = 0; i < base->count(); ++i) {
    Cell& one = cells[i * width];
    const bool is_null = i == base->keys.count;
    const Datum value = over.of(is_null ? Datum{0} : base->keys.values[i], is_null, &one.is_null);
    one.value = one.is_null ? Datum{0} : datumCopy(value, by_value, length);
  }
  over.end();
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
    evaluate(base, expression, cells + column, width);
  }
  return each_once(cells, count, {width, comparisons});
}

// Whether what an expression is for values of the bases can be told now, and does not change.
bool is_image(const List* bases, Node* expression) {
  bool by_zone = false;
  const bool is_known = names_columns(expression) && !calls_others(expression) &&
                        !may_change(expression, &by_zone) && sees_cells_alone(expression, bases);
  const TypeCacheEntry* type = lookup_type_cache(exprType(expression), TYPECACHE_CMP_PROC_FINFO);
  if (!is_known || !OidIsValid(type->cmp_proc_finfo.fn_oid)) return false;
  if (by_zone) (void)zone_of_session();
  return true;
}

bool list_values(const ListedRows& rows, Node* expression, FiniteKeys* found) {
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
  *found = {keys, has_null};
  return true;
}

struct Given {
  const KeyColumn* base;
  int value;
};

Node* with_value(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* given = static_cast<const Given*>(context);
  if (IsA(node, Var) && is_same_column(as<Var>(node), given->base->column)) {
    return as<Node>(key_constant(*given->base, given->value));
  }
  return map_expression(node, with_value, context);
}

// For each way in which values of the bases from one on come together; how many there are.
int evaluate_all(const List* bases, int first, Node* expression, Cell* cells) {
  check_stack_depth();
  auto* base = static_cast<KeyColumn*>(list_nth(bases, first));
  if (first + 1 == list_length(bases)) {
    evaluate(base, expression, cells, 1);
    return base->count();
  }
  int count = 0;
  for (int i = 0; i < base->count(); ++i) {
    Given given{base, i};
    count += evaluate_all(bases, first + 1, with_value(expression, &given), cells + count);
  }
  return count;
}

struct Evaluation {
  const List* bases;
  Node* expression;
  Cell* cells;
  int count;
};

// It may fail for values that no row has together.
bool evaluates(Evaluation* evaluation) {
  return succeeds(
      [](void* argument) {
        auto* work = static_cast<Evaluation*>(argument);
        work->count = evaluate_all(work->bases, 0, work->expression, work->cells);
      },
      evaluation);
}

// --- values that are seen alike ---

bool find_placeholder(Node* node, void*) {
  return node != nullptr &&
         (IsA(node, CaseTestExpr) || walk_expression(node, find_placeholder, nullptr));
}

struct Parts {
  const KeyColumn* base;
  List* found = NIL;  // of Node: the largest over that column alone
};

bool find_parts(Node* node, void* context) {
  if (node == nullptr || !names_columns(node)) return false;
  auto* parts = static_cast<Parts*>(context);
  const Var* column = IsA(node, List) ? nullptr : only_column(node);
  if (column == nullptr || IsA(node, CaseWhen)) return walk_expression(node, find_parts, context);
  if (is_same_column(column, parts->base->column)) {
    parts->found = list_append_unique(parts->found, node);
  }
  return false;
}

struct Sight {
  KeyColumn* base;
  List* parts;
};

// Of the values of a base that all of these parts make the same of, one is left.
void leave_one_of_each(void* argument) {
  auto* sight = static_cast<Sight*>(argument);
  KeyColumn* base = sight->base;
  const int width = list_length(sight->parts);
  const int stride = width + 1;  // the last cell is the number of the value
  const size_t size = sizeof(Cell) * static_cast<size_t>(stride);
  auto* cells = static_cast<Cell*>(palloc(size * static_cast<size_t>(Max(base->count(), 1))));
  auto* columns = static_cast<Comparison*>(palloc(sizeof(Comparison) * static_cast<size_t>(width)));
  ListCell* cell;
  foreach (cell, sight->parts) {
    auto* part = static_cast<Node*>(lfirst(cell));
    columns[foreach_current_index(cell)] = comparison_of(part);
    evaluate(base, part, cells + foreach_current_index(cell), stride);
  }
  for (int i = 0; i < base->count(); ++i) cells[i * stride + width] = {Int32GetDatum(i), false};
  Order order{width, columns};
  const auto count = static_cast<size_t>(base->count());
  qsort_arg(cells, count, size, compare_rows, &order);
  const auto different = static_cast<int>(qunique_arg(cells, count, size, compare_rows, &order));
  auto* left = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<size_t>(Max(different, 1))));
  int number = 0;
  bool has_null = false;
  for (int i = 0; i < different; ++i) {
    const int32 value = DatumGetInt32(cells[i * stride + width].value);
    has_null |= value == base->keys.count;
    if (value < base->keys.count) left[number++] = base->keys.values[value];
  }
  base->keys.values = left;
  base->keys.count = base->keys.number = number;
  base->may_be_null = has_null;
}

// A base for an expression, and for conditions, that see fewer values of it than there are: of
// months they see one day each.
KeyColumn* seen_by(KeyColumn* base, Node* expression, List* conditions) {
  Parts parts{base};
  (void)find_parts(expression, &parts);
  (void)find_parts(as<Node>(conditions), &parts);
  for (auto* part : list<Node>(parts.found)) {
    const TypeCacheEntry* type = lookup_type_cache(exprType(part), TYPECACHE_CMP_PROC_FINFO);
    // what looks different is seen, too
    const bool is_known = !IsA(part, Var) && OidIsValid(type->cmp_proc_finfo.fn_oid) &&
                          has_one_key_form(nullptr, part) && !find_placeholder(part, nullptr);
    if (!is_known) return base;
  }
  auto* seen = static_cast<KeyColumn*>(palloc(sizeof(KeyColumn)));
  *seen = *base;
  Sight sight{seen, parts.found};
  return parts.found != NIL && succeeds(leave_one_of_each, &sight) ? seen : base;
}

// --- images of several values ---

// Takes out what is of no row: the values for which a condition over the bases is not true, How
// many are left.
int leave_out(const Evaluation& values, Node* condition) {
  auto* cells =
      static_cast<Cell*>(palloc(sizeof(Cell) * static_cast<size_t>(Max(values.count, 1))));
  Evaluation truths{values.bases, condition, cells, 0};
  if (!evaluates(&truths)) return values.count;
  int kept = 0;
  for (int i = 0; i < values.count; ++i) {
    if (!cells[i].is_null && DatumGetBool(cells[i].value)) values.cells[kept++] = values.cells[i];
  }
  return kept;
}

int by_count(const ListCell* a, const ListCell* b) {
  return static_cast<const KeyColumn*>(lfirst(a))->count() -
         static_cast<const KeyColumn*>(lfirst(b))->count();
}

bool find_label(Node* node, void*) {
  if (node == nullptr) return false;
  const auto* text = maybe<CoerceViaIO>(node);
  const bool is_label = text != nullptr && type_is_enum(exprType(as<Node>(text->arg)));
  return is_label || walk_expression(node, find_label, nullptr);
}

// As once before, or found out now. Labels get other names.
bool list_image(const KeyColumn* base, Node* expression, FiniteKeys* found) {
  const char* name =
      find_label(expression, nullptr) ? nullptr : name_of_known("image", *base, expression);
  if (known_values(name, &found->keys, &found->may_be_null)) return true;
  if (!list_values(rows_of(base, list_make1(expression)), expression, found)) return false;
  keep_values(name, found->keys, found->may_be_null);
  return true;
}

}  // namespace

bool are_of_one_value(const KeyImage* a, const KeyImage* b) {
  return a != nullptr && b != nullptr && a->query == b->query &&
         is_same_column(a->base->column, b->base->column) && equal(a->path, b->path);
}

bool image_of(const KeyColumn* base, Node* given, FiniteKeys* found) {
  Node* expression = folded(given);
  *found = {};
  if (base->rows != nullptr || base->keys.values == nullptr ||
      !is_image(list_make1(const_cast<KeyColumn*>(base)), expression) ||
      !list_image(base, expression, found)) {
    return false;
  }
  auto* image = static_cast<KeyImage*>(palloc(sizeof(KeyImage)));
  *image = {nullptr, base, expression, NIL};
  found->image = image;
  found->within = list_make1(const_cast<Var*>(base->column));
  return true;
}

bool image_of_several(const List* bases, Node* given, List* conditions, FiniteKeys* found) {
  Node* expression = folded(given);
  if (bases == NIL || !is_image(bases, expression)) return false;
  List* known = NIL;  // of Node: the conditions that can be told now
  for (auto* condition : list<Node>(conditions)) {
    Node* same = folded(condition);
    if (is_image(bases, same)) known = lappend(known, same);
  }
  int64 number = 1;
  List* ordered = NIL;
  for (auto* base : list<KeyColumn>(bases)) {
    KeyColumn* seen = seen_by(base, expression, known);
    number *= seen->count();
    if (number > kMostKeys) return false;
    ordered = lappend(ordered, seen);
  }
  list_sort(ordered, by_count);
  auto* cells = static_cast<Cell*>(palloc(sizeof(Cell) * static_cast<size_t>(Max(number, 1))));
  Evaluation evaluation{ordered, expression, cells, 0};
  if (!evaluates(&evaluation)) return false;
  if (known != NIL) {
    evaluation.count = leave_out(evaluation, as<Node>(make_ands_explicit(known)));
  }
  const Comparison comparison = comparison_of(expression);
  if (!list_values(each_once(cells, evaluation.count, {1, &comparison}), expression, found))
    return false;
  for (const auto* base : list<KeyColumn>(bases)) {
    found->within = lappend(found->within, const_cast<Var*>(base->column));
  }
  found->several = list_copy(bases);
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

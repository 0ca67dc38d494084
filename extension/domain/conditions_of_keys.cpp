#include "extension/domain/conditions_of_keys.h"

#include "extension/pg/keys.h"
#include "extension/pg/outer_joins.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/key_images.h"
#include "extension/domain/key_origin.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// --- which public rows are joined to those of keys ---

// A hidden column and the column of a public row that it equals in all rows.
struct Equal {
  const Var* column;
  const Var* of_public_row;
};

struct Joined {
  const Query* query;
  const List* keys;   // of KeyColumn
  List* rows = NIL;   // of PublicRows
  List* equal = NIL;  // of Equal
};

const KeyColumn* key_of(const Joined& joined, const Var* column) {
  for (const auto* key : list<KeyColumn>(joined.keys)) {
    if (is_same_column(key->column, column)) return key;
  }
  return nullptr;
}

// Null if the column is of no public row.
const PublicRows* public_rows_of(const Joined& joined, const Var* column) {
  if (column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
  const KeyColumn* key = key_of(joined, column);
  if (key == nullptr) key = key_of_column(joined.query, column);
  return key == nullptr ? nullptr : key->rows;
}

bool is_joined(const Joined& joined, const PublicRows* rows) {
  for (const auto* other : list<PublicRows>(joined.rows)) {
    if (are_same_rows(rows, other)) return true;
  }
  return false;
}

const Var* equal_column(const Joined& joined, const Var* column) {
  for (const auto* pair : list<Equal>(joined.equal)) {
    if (is_same_column(pair->column, column)) return pair->of_public_row;
  }
  return nullptr;
}

// Whether the equality of a column to one whose row is known says more than was known.
bool follow(Joined* joined, const Var* known, const Var* column) {
  if (const Var* other = equal_column(*joined, known)) known = other;
  const PublicRows* rows = public_rows_of(*joined, known);
  const bool is_known =
      rows != nullptr ? is_joined(*joined, rows) : key_of(*joined, known) != nullptr;
  if (!is_known) return false;
  const PublicRows* others = public_rows_of(*joined, column);
  if (others != nullptr) {
    if (is_joined(*joined, others)) return false;
    joined->rows = lappend(joined->rows, const_cast<PublicRows*>(others));
    return true;
  }
  // what equals a key of a domain is not followed: that key has no row to say more of
  if (rows == nullptr || key_of(*joined, column) != nullptr ||
      equal_column(*joined, column) != nullptr) {
    return false;
  }
  auto* pair = static_cast<Equal*>(palloc(sizeof(Equal)));
  *pair = {column, known};
  joined->equal = lappend(joined->equal, pair);
  return true;
}

// a = b, of columns whose equal values are the same.
bool are_equal_columns(const Node* condition, Var** a, Var** b) {
  return equates_values_of_columns(condition, a, b) && (*a)->varlevelsup == 0 &&
         (*b)->varlevelsup == 0 && (*a)->varattno > 0 && (*b)->varattno > 0 &&
         (*a)->varcollid == (*b)->varcollid &&
         as<OpExpr>(condition)->inputcollid == (*a)->varcollid &&
         has_one_form((*a)->vartype, (*a)->vartypmod == (*b)->vartypmod ? (*a)->vartypmod : -1,
                      (*a)->varcollid);
}

void join_rows(Joined* joined, const List* conditions) {
  for (const auto* key : list<KeyColumn>(joined->keys)) {
    if (key->rows == nullptr || is_joined(*joined, key->rows)) continue;
    joined->rows = lappend(joined->rows, const_cast<PublicRows*>(key->rows));
  }
  bool is_more = true;
  while (is_more) {
    is_more = false;
    for (const auto* condition : list<Node>(conditions)) {
      Var* a = nullptr;
      Var* b = nullptr;
      if (!are_equal_columns(condition, &a, &b)) continue;
      is_more |= follow(joined, a, b) || follow(joined, b, a);
    }
  }
}

// --- what conditions say of them ---

// Columns of the query, each once.
bool add_columns(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (!IsA(node, Var)) return walk_expression(node, add_columns, context);
  auto* columns = static_cast<List**>(context);
  auto* column = as<Var>(node);
  if (column->varlevelsup > 0 || column->varattno <= 0) return false;
  *columns = list_append_unique(*columns, column);
  return false;
}

List* columns_of(const List* expressions) {
  List* columns = NIL;
  (void)add_columns(as<Node>(const_cast<List*>(expressions)), &columns);
  return columns;
}

Node* over_public_rows(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, over_public_rows, context);
  const auto* other = equal_column(*static_cast<const Joined*>(context), as<Var>(node));
  return other == nullptr ? node : static_cast<Node*>(copyObjectImpl(other));
}

// Those of one query.
List* conditions_here(const Query* query, List** keys) {
  List* all = conditions_of_rows(query);
  Joined joined{query, *keys};
  join_rows(&joined, all);
  List* columns = NIL;
  for (const auto* key : list<KeyColumn>(*keys)) {
    columns = lappend(columns, const_cast<Var*>(key->column));
  }
  const int asked = list_length(columns);
  List* said = NIL;
  for (auto* condition : list<Node>(all)) {
    Node* same = over_public_rows(condition, &joined);
    Var* a = nullptr;
    Var* b = nullptr;
    if (are_equal_columns(same, &a, &b) && is_same_column(a, b)) continue;
    said = lappend(said, same);
  }
  for (auto* column : list<Var>(columns_of(said))) {
    const PublicRows* rows = public_rows_of(joined, column);
    if (rows == nullptr || !is_joined(joined, rows)) continue;
    columns = list_append_unique(columns, column);
  }
  List* conditions = only_on_columns(said, columns);
  const List* named = columns_of(conditions);
  ListCell* cell;
  for_each_from(cell, columns, asked) {
    auto* column = static_cast<Var*>(lfirst(cell));
    if (!list_member(named, column)) continue;
    *keys = lappend(*keys, key_of_column(query, column));
  }
  return conditions;
}

// --- those of subqueries ---

struct Place {
  const Var* below;
  const Var* here;
};

Node* over_query(Node* node, void* places) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, over_query, places);
  for (const auto* place : list<Place>(static_cast<const List*>(places))) {
    if (is_same_column(place->below, as<Var>(node))) {
      return static_cast<Node*>(copyObjectImpl(place->here));
    }
  }
  return node;
}

void add_place(List** places, const Var* below, const Var* here) {
  auto* place = static_cast<Place*>(palloc(sizeof(Place)));
  *place = {below, here};
  *places = lappend(*places, place);
}

// The column that a subquery gives as it is.
const Var* column_below(const Query* rows, const Var* column) {
  const TargetEntry* target = column_shown(rows->targetList, column->varattno);
  const auto* below = target == nullptr ? nullptr : maybe<Var>(as<Node>(target->expr));
  return below != nullptr && below->varlevelsup == 0 && below->varattno > 0 ? below : nullptr;
}

// A column of a subquery that it does not give.
KeyColumn* key_from_below(const KeyColumn& below, Index entry, AttrNumber number) {
  auto* key = static_cast<KeyColumn*>(palloc(sizeof(KeyColumn)));
  *key = below;
  key->column = makeVar(static_cast<int>(entry), number, below.column->vartype,
                        below.column->vartypmod, below.column->varcollid, 0);
  if (below.rows == nullptr) return key;
  auto* rows = static_cast<PublicRows*>(palloc(sizeof(PublicRows)));
  *rows = *below.rows;
  rows->path = lcons_int(static_cast<int>(entry), list_copy(rows->path));
  key->rows = rows;
  return key;
}

// Whether a condition speaks of cells of time, and of a column that rows here do not have: it is
// asked of rows, too (all_groups.cpp).
bool needs_absent_column(const List* keys, Node* condition, int columns) {
  bool any_cell = false;
  bool any_absent = false;
  for (const auto* column : list<Var>(columns_of(list_make1(condition)))) {
    any_absent |= column->varattno > columns;
    for (const auto* key : list<KeyColumn>(keys)) {
      any_cell |= is_same_column(key->column, column) && key->keys.grain.unit != nullptr;
    }
  }
  return any_cell && any_absent;
}

// --- those of what a subquery computes ---

// What keys of the query above are computed of in a subquery:
//
//   SELECT date_trunc('month', at) AS m, first AS c … WHERE date_trunc('month', at) >= first
//
// says of the month, and not of its instant, that it is not before c.
struct Computed {
  const Node* below;
  const Var* here;
};

struct OfComputed {
  const Query* query;
  const Query* rows;  // that the entry of that number reads
  Index number;
  List** keys;         // of KeyColumn
  List* places = NIL;  // of Computed
  List* added = NIL;   // likewise: of columns that are no keys yet
};

const Var* place_of(const List* places, const Node* node) {
  for (const auto* place : list<Computed>(places)) {
    if (equal(place->below, node)) return place->here;
  }
  return nullptr;
}

void add_computed(List** places, const Node* below, const Var* here) {
  auto* place = static_cast<Computed*>(palloc(sizeof(Computed)));
  *place = {below, here};
  *places = lappend(*places, place);
}

// A column of the subquery that is listed beside a key of the same value: its month, beside the
// year.
const Var* listed_beside(const OfComputed& of, const Node* node) {
  for (const auto* target : list<TargetEntry>(of.rows->targetList)) {
    if (target->resjunk || !equal(target->expr, node)) continue;
    const Var* column = column_like(static_cast<int>(of.number), target);
    const KeyColumn* key = key_of_column(of.query, column);
    if (key == nullptr) return nullptr;
    for (const auto* other : list<KeyColumn>(*of.keys)) {
      if (are_of_one_value(key->image, other->image)) return column;
    }
  }
  return nullptr;
}

bool names_others(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* of = static_cast<OfComputed*>(context);
  if (place_of(of->places, node) != nullptr || place_of(of->added, node) != nullptr) return false;
  if (!IsA(node, List) && names_columns(node)) {
    if (const Var* column = listed_beside(*of, node)) {
      add_computed(&of->added, node, column);
      return false;
    }
  }
  return IsA(node, Var) || walk_expression(node, names_others, context);
}

Node* over_computed(Node* node, void* places) {
  if (node == nullptr) return nullptr;
  const Var* column = place_of(static_cast<const List*>(places), node);
  if (column != nullptr) return static_cast<Node*>(copyObjectImpl(column));
  return map_expression(node, over_computed, places);
}

// Those that speak of columns alone are found otherwise.
List* conditions_on_computed(const Query* query, const Query* rows, Index number, List** keys) {
  OfComputed of{query, rows, number, keys};
  bool any_computed = false;
  for (const auto* key : list<KeyColumn>(*keys)) {
    if (static_cast<Index>(key->column->varno) != number) continue;
    const TargetEntry* target = column_shown(rows->targetList, key->column->varattno);
    if (target == nullptr) continue;
    add_computed(&of.places, as<Node>(target->expr), key->column);
    any_computed |= !IsA(target->expr, Var);
  }
  List* found = NIL;
  for (auto* condition : list<Node>(any_computed ? conditions_of_rows(rows) : NIL)) {
    of.added = NIL;
    if (list_length(columns_of(list_make1(condition))) < 2 || names_others(condition, &of)) {
      continue;
    }
    for (auto* added : list<Computed>(of.added)) {
      *keys = lappend(*keys, key_of_column(query, added->here));
      of.places = lappend(of.places, added);
    }
    found = lappend(found, over_computed(condition, of.places));
  }
  List* columns = NIL;
  for (const auto* place : list<Computed>(of.places)) {
    columns = lappend(columns, const_cast<Var*>(place->here));
  }
  return only_on_columns(found, columns);
}

// Those of the rows of an entry, which no outer join lacks.
List* conditions_below(const Query* query, Index number, List** keys) {
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  const Query* rows = rows_of_entry(query, entry);
  if (rows == nullptr || rows->setOperations != nullptr || rows->groupingSets != NIL) return NIL;
  List* found = conditions_on_computed(query, rows, number, keys);
  List* below = NIL;
  List* places = NIL;
  for (const auto* key : list<KeyColumn>(*keys)) {
    if (static_cast<Index>(key->column->varno) != number) continue;
    const Var* column = column_below(rows, key->column);
    KeyColumn* same = column == nullptr ? nullptr : key_of_column(rows, column);
    if (same == nullptr) continue;
    below = lappend(below, same);
    add_place(&places, column, key->column);
  }
  if (below == NIL) return found;
  const int given = list_length(below);
  const List* conditions = conditions_on_keys(rows, &below);
  const int columns = list_length(entry->eref->colnames);
  AttrNumber next = static_cast<AttrNumber>(columns + 1);
  ListCell* cell;
  for_each_from(cell, below, given) {
    const auto* other = static_cast<const KeyColumn*>(lfirst(cell));
    KeyColumn* key = key_from_below(*other, number, next++);
    *keys = lappend(*keys, key);
    add_place(&places, other->column, key->column);
  }
  for (auto* node : list<Node>(conditions)) {
    Node* condition = over_query(node, places);
    if (!needs_absent_column(*keys, condition, columns)) found = lappend(found, condition);
  }
  return found;
}

}  // namespace

List* conditions_on_keys(const Query* query, List** keys) {
  check_stack_depth();
  List* found = conditions_here(query, keys);
  const auto entries = static_cast<Index>(list_length(query->rtable));
  for (Index number = 1; number <= entries; ++number) {
    if (may_be_absent(query, number)) continue;
    found = union_of_conditions(found, conditions_below(query, number, keys));
  }
  return found;
}

}  // namespace idp

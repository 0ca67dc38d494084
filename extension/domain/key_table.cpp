#include "extension/domain/key_table.h"

#include "extension/domain/used_columns.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

Const* key_constant(const KeyColumn& column, int i) {
  int16 length;
  bool by_value;
  get_typlenbyval(column.keys.type, &length, &by_value);
  const bool is_null = i == column.keys.count;
  return makeConst(column.keys.type, column.keys.typmod, column.keys.collation, length,
                   is_null ? Datum{0} : column.keys.values[i], is_null, by_value);
}

// The product of the columns' keys.
List* product(const List* columns) {
  List* rows = list_make1(NIL);
  ListCell* cell;
  ListCell* inner;
  foreach (cell, columns) {
    const auto* column = static_cast<const KeyColumn*>(lfirst(cell));
    List* longer = NIL;
    foreach (inner, rows) {
      for (int i = 0; i < column->count(); ++i) {
        longer = lappend(longer, lappend(list_copy(static_cast<List*>(lfirst(inner))),
                                         key_constant(*column, i)));
      }
    }
    rows = longer;
  }
  return rows;
}

Node* map_columns(Node* node, void* key_columns) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, map_columns, key_columns);
  Node* column = column_of_keys(reinterpret_cast<Var*>(node), static_cast<List*>(key_columns));
  return column != nullptr ? column : node;
}

// One row for each of the product.
RangeTblEntry* values_entry(List* columns) {
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_VALUES;
  entry->eref = makeAlias("keys", NIL);
  entry->inFromCl = true;
  entry->values_lists = product(columns);
  // of one row the planner would make constants, which a condition compares too soon
  if (list_length(entry->values_lists) == 1) {
    entry->values_lists =
        lappend(entry->values_lists, copyObjectImpl(linitial(entry->values_lists)));
  }
  ListCell* cell;
  foreach (cell, columns) {
    const auto* key = static_cast<const KeyColumn*>(lfirst(cell));
    entry->eref->colnames = lappend(entry->eref->colnames, makeString(key->name));
    entry->coltypes = lappend_oid(entry->coltypes, key->keys.type);
    entry->coltypmods = lappend_int(entry->coltypmods, key->keys.typmod);
    entry->colcollations = lappend_oid(entry->colcollations, key->keys.collation);
  }
  return entry;
}

}  // namespace

void read_keys(Query* query, List* key_columns, List* conditions) {
  query->rtable = lappend(query->rtable, values_entry(key_columns));
  const auto number = static_cast<Index>(list_length(query->rtable));
  ListCell* cell;
  foreach (cell, key_columns) {
    auto* key = static_cast<KeyColumn*>(lfirst(cell));
    key->entry = number;
    key->place = static_cast<AttrNumber>(foreach_current_index(cell) + 1);
  }
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = static_cast<int>(number);
  query->jointree = makeFromExpr(
      list_make1(reference),
      conditions == NIL
          ? nullptr
          : over_keys(reinterpret_cast<Node*>(make_ands_explicit(conditions)), key_columns));
}

Node* column_of_keys(const Var* column, const List* key_columns) {
  ListCell* cell;
  foreach (cell, key_columns) {
    const auto* key = static_cast<const KeyColumn*>(lfirst(cell));
    if (!is_same_column(key->column, column)) continue;
    return reinterpret_cast<Node*>(makeVar(static_cast<int>(key->entry), key->place, key->keys.type,
                                           key->keys.typmod, key->keys.collation, 0));
  }
  return nullptr;
}

Node* over_keys(Node* expression, List* key_columns) {
  return map_columns(expression, key_columns);
}

}  // namespace idp

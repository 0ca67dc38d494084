#include "extension/domain/key_table.h"

#include "extension/domain/grain.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"

extern "C" {
#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

Node* map_columns(Node* node, void* key_columns) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, map_columns, key_columns);
  Node* column = column_of_keys(as<Var>(node), static_cast<List*>(key_columns));
  return column != nullptr ? column : node;
}

// Places columns where they stand in the rows of an entry.
void place(List* columns, Index number, RangeTblEntry* entry) {
  ListCell* cell;
  foreach (cell, columns) {
    auto* key = static_cast<KeyColumn*>(lfirst(cell));
    key->entry = number;
    key->place = static_cast<AttrNumber>(foreach_current_index(cell) + 1);
    entry->eref->colnames = lappend(entry->eref->colnames, makeString(key->name));
  }
}

Const* listed_constant(const KeyColumn& column, int row) {
  int16 length;
  bool by_value;
  get_typlenbyval(column.keys.type, &length, &by_value);
  const ListedRows& listed = *column.listed;
  const auto& cell = listed.cells[row * listed.width + column.listed_column];
  return makeConst(column.keys.type, column.keys.typmod, column.keys.collation, length, cell.value,
                   cell.is_null, by_value);
}

List* row_of_keys(const List* columns, int row) {
  List* constants = NIL;
  for (const auto* key : list<KeyColumn>(columns)) {
    constants = lappend(
        constants, key->listed == nullptr ? key_constant(*key, row) : listed_constant(*key, row));
  }
  return constants;
}

// One row for each key, or for each row of those that are listed together. Of several columns the
// query joins them: written out, the product of a year's days and a few words is long, and so is
// what is recorded of a query (plan/question.h).
RangeTblEntry* values_of(const List* columns) {
  RangeTblEntry* entry = new_entry(RTE_VALUES, "keys", NIL);
  const auto* first = static_cast<const KeyColumn*>(linitial(columns));
  const int count = first->listed == nullptr ? first->count() : first->listed->count;
  for (int i = 0; i < count; ++i) {
    entry->values_lists = lappend(entry->values_lists, row_of_keys(columns, i));
  }
  // of one row the planner would make constants, which a condition compares too soon
  if (list_length(entry->values_lists) == 1) {
    entry->values_lists =
        lappend(entry->values_lists, copyObjectImpl(linitial(entry->values_lists)));
  }
  for (const auto* key : list<KeyColumn>(columns)) {
    entry->coltypes = lappend_oid(entry->coltypes, key->keys.type);
    entry->coltypmods = lappend_int(entry->coltypmods, key->keys.typmod);
    entry->colcollations = lappend_oid(entry->colcollations, key->keys.collation);
  }
  return entry;
}

// SELECT NULL, …
Query* absent_row(const Query* rows) {
  Query* query = new_query();
  query->jointree = makeFromExpr(NIL, nullptr);
  for (const auto* other : list<TargetEntry>(rows->targetList)) {
    auto* node = as<Node>(other->expr);
    Const* null = makeNullConst(exprType(node), exprTypmod(node), exprCollation(node));
    query->targetList =
        lappend(query->targetList, output(as<Node>(null), other->resno, other->resname));
  }
  return query;
}

// SELECT DISTINCT … FROM the table, as who asks may himself; and the row that an outer join has
// where there is none.
RangeTblEntry* rows_of_table(const PublicRows& rows, const List* columns) {
  Query* query = new_query();
  auto* table = static_cast<RangeTblEntry*>(copyObjectImpl(rows.entry));
  table->lateral = false;
  query->rtable = list_make1(table);
  Bitmapset* read = nullptr;
  for (const auto* key : list<KeyColumn>(columns)) {
    read = bms_add_member(read, key->origin - FirstLowInvalidHeapAttributeNumber);
  }
  read_by_own_rights(query, table, rows.rights, read);
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  query->jointree = makeFromExpr(list_make1(reference), nullptr);
  ListCell* cell;
  foreach (cell, columns) {
    const auto* key = static_cast<const KeyColumn*>(lfirst(cell));
    Var* column = makeVar(1, key->origin, key->keys.type, key->keys.typmod, key->keys.collation, 0);
    TargetEntry* target =
        makeTargetEntry(as<Expr>(column), static_cast<AttrNumber>(foreach_current_index(cell) + 1),
                        key->name, false);
    query->distinctClause =
        lappend(query->distinctClause, clause_of(target, static_cast<Index>(target->resno)));
    query->targetList = lappend(query->targetList, target);
  }
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "keys_of_table", NIL);
  entry->subquery = rows.may_be_absent ? put_together(query, absent_row(query)) : query;
  return entry;
}

}  // namespace

Const* key_constant(const KeyColumn& column, int i) {
  int16 length;
  bool by_value;
  get_typlenbyval(column.keys.type, &length, &by_value);
  const bool is_null = i == column.keys.count;
  return makeConst(column.keys.type, column.keys.typmod, column.keys.collation, length,
                   is_null ? Datum{0} : column.keys.values[i], is_null, by_value);
}

void read_keys(Query* query, List* key_columns, List* conditions) {
  List* from = NIL;
  List* left = list_copy(key_columns);
  while (left != NIL) {
    const auto* first = static_cast<const KeyColumn*>(linitial(left));
    const PublicRows* rows = first->rows;
    List* columns = NIL;
    ListCell* cell;
    foreach (cell, left) {
      auto* key = static_cast<KeyColumn*>(lfirst(cell));
      const bool is_beside = (rows != nullptr && are_same_rows(key->rows, rows)) ||
                             (first->listed != nullptr && key->listed == first->listed);
      if (columns != NIL && !is_beside) continue;
      columns = lappend(columns, key);
      left = foreach_delete_current(left, cell);
    }
    RangeTblEntry* entry = rows == nullptr ? values_of(columns) : rows_of_table(*rows, columns);
    query->rtable = lappend(query->rtable, entry);
    auto* reference = makeNode(RangeTblRef);
    reference->rtindex = list_length(query->rtable);
    place(columns, static_cast<Index>(reference->rtindex), entry);
    from = lappend(from, reference);
  }
  Node* condition = conditions == NIL
                        ? nullptr
                        : over_keys(as<Node>(make_ands_explicit(conditions)), key_columns);
  change_from(query, makeFromExpr(from, condition));
}

Node* column_of_keys(const Var* column, const List* key_columns) {
  for (const auto* key : list<KeyColumn>(key_columns)) {
    if (!is_same_column(key->column, column)) continue;
    return as<Node>(makeVar(static_cast<int>(key->entry), key->place, key->keys.type,
                            key->keys.typmod, key->keys.collation, 0));
  }
  return nullptr;
}

Node* over_keys(Node* expression, List* key_columns) {
  return map_columns(expression, key_columns);
}

Node* is_a_key(const KeyColumn& column) {
  const Keys& keys = column.keys;
  Node* value = column.keys.grain.unit != nullptr
                    ? cell_expression(column)
                    : static_cast<Node*>(copyObjectImpl(column.column));
  // a comparison of varchar is one of text
  const Oid compared = keys.type == VARCHAROID ? Oid{TEXTOID} : keys.type;
  Expr* left = as<Expr>(value);
  if (compared != keys.type) {
    left = as<Expr>(makeRelabelType(left, compared, -1, keys.collation, COERCE_IMPLICIT_CAST));
  }
  int16 length;
  bool by_value;
  char alignment;
  get_typlenbyvalalign(compared, &length, &by_value, &alignment);
  ArrayType* list = construct_array(keys.values, keys.count, compared, length, by_value, alignment);
  auto* test = makeNode(ScalarArrayOpExpr);
  test->opno = lookup_type_cache(compared, TYPECACHE_EQ_OPR)->eq_opr;
  test->opfuncid = get_opcode(test->opno);
  test->useOr = true;
  test->inputcollid = keys.collation;
  test->args = list_make2(left, makeConst(get_array_type(compared), -1, keys.collation, -1,
                                          PointerGetDatum(list), false, false));
  test->location = -1;
  if (!column.may_be_null) return as<Node>(test);
  Node* is_null = null_test(static_cast<Node*>(copyObjectImpl(column.column)), IS_NULL);
  return as<Node>(makeBoolExpr(OR_EXPR, list_make2(test, is_null), -1));
}

}  // namespace idp

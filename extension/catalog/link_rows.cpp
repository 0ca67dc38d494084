#include "extension/catalog/link_rows.h"

#include <algorithm>
#include <initializer_list>

#include "extension/catalog/account_rows.h"
#include "extension/catalog/changed_rules.h"
#include "extension/catalog/column_reference.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/remembered.h"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

using namespace link_column;

constexpr char kLinkTable[] = "link";

// Not before the last index is there: while an upgrade makes them one by one, it plans statements.
bool links_exist() { return OidIsValid(own_relation("link_name")); }

LinkRow* copy_of(const Datum* values, const bool* nulls, ItemPointerData place) {
  auto* row = static_cast<LinkRow*>(palloc(sizeof(LinkRow)));
  memcpy(row->values, values, sizeof(row->values));
  memcpy(row->nulls, nulls, sizeof(row->nulls));
  row->place = place;
  for (const int column : {kName, kOwner, kColumn}) {
    row->values[column] = PointerGetDatum(PG_DETOAST_DATUM_COPY(values[column]));
  }
  for (const int column : {kFromColumn, kToColumn}) {
    if (!nulls[column]) {
      row->values[column] = datumCopy(values[column], FLOAT8PASSBYVAL, sizeof(int64));
    }
  }
  return row;
}

List* rows_found(StoreScan& scan) {
  List* rows = NIL;
  Datum values[kCount] = {};
  bool nulls[kCount];
  std::ranges::fill(nulls, true);  // unless the table has the column
  while (scan.next(values, nulls)) rows = lappend(rows, copy_of(values, nulls, scan.place()));
  scan.close();
  return rows;
}

Oid table_at(const LinkRow& row, int column) {
  const Oid table = row.nulls[column] ? InvalidOid : DatumGetObjectId(row.values[column]);
  return relation_exists(table) ? table : InvalidOid;
}

List* links_waiting_for(Oid table) {
  const List* names = spellings_of(table);
  if (names == NIL) return NIL;
  StoreScan scan(Table::kLink, "link_name");
  scan.add_texts(kName + 1, names);
  List* rows = rows_found(scan);
  ListCell* cell;
  foreach (cell, rows) {
    if (!static_cast<LinkRow*>(lfirst(cell))->waits_for(table)) {
      rows = foreach_delete_current(rows, cell);
    }
  }
  return rows;
}

void update_link(LinkRow* row) { write_row(kLinkTable, &row->place, row->values, row->nulls); }

}  // namespace

Oid LinkRow::table() const { return table_at(*this, kRelation); }
Oid LinkRow::parent() const { return table_at(*this, kParent); }

bool LinkRow::waits_for(Oid table) const {
  return !OidIsValid(this->table()) && table_named(name()) == table &&
         idp::waits_for(account(), owner(), table);
}

bool links_have_numbers() { return column_count(own_relation(kLinkTable)) > kToColumn; }

AttrNumber LinkRow::column_in(Oid table) const {
  if (!links_have_numbers()) return get_attnum(table, column());
  return nulls[kFromColumn] ? InvalidAttrNumber : number_in(table, values[kFromColumn]);
}

AttrNumber LinkRow::referenced() const {
  return nulls[kToColumn] ? InvalidAttrNumber : number_in(parent(), values[kToColumn]);
}

List* links_of_table(Oid table) {
  if (!links_exist()) return NIL;
  StoreScan scan(Table::kLink, "link_relation");
  scan.add_key(kRelation + 1, F_OIDEQ, ObjectIdGetDatum(table));
  return rows_found(scan);
}

namespace {

struct LinksOfTable {
  Oid table;
  const List* rows;
};

Remembered<LinksOfTable> remembered;

List* copy_of_links(const List* rows) {
  List* copies = NIL;
  for (const auto* row : list<LinkRow>(rows)) {
    auto* copy = static_cast<LinkRow*>(palloc(sizeof(LinkRow)));
    *copy = *row;
    copies = lappend(copies, copy);
  }
  return copies;
}

List* links_looked_up(Oid table) {
  if (!links_exist() || !may_have_rows(Table::kLink)) return NIL;
  List* rows = links_of_table(table);
  return rows == NIL ? links_waiting_for(table) : rows;
}

}  // namespace

List* links_for_table(Oid table) {
  const LinksOfTable found =
      remembered.of([&](const LinksOfTable& known) { return known.table == table; },
                    [&] {
                      return LinksOfTable{table, links_looked_up(table)};
                    });
  return copy_of_links(found.rows);
}

List* links_of_account(int32 account) {
  if (!links_exist()) return NIL;
  StoreScan scan(Table::kLink, "link_account");
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account));
  return rows_found(scan);
}

namespace {

void set_max_rows(LinkRow* row, int32 max_rows) {
  row->nulls[kMaxRows] = max_rows == 0;
  row->values[kMaxRows] = Int32GetDatum(max_rows);
}

}  // namespace

List* all_links() {
  if (!links_exist()) return NIL;
  StoreScan scan(Table::kLink, "link_account");
  return rows_found(scan);
}

void set_columns(LinkRow* link, AttrNumber column, AttrNumber referenced) {
  link->nulls[kFromColumn] = link->nulls[kToColumn] = false;
  link->values[kFromColumn] = column_reference(link->table(), column);
  link->values[kToColumn] = column_reference(link->parent(), referenced);
  update_link(link);
}

void set_column_name(LinkRow* link, const char* name) {
  link->values[kColumn] = CStringGetTextDatum(name);
  update_link(link);
}

void insert_link(int32 account, Oid table, AttrNumber column, Oid parent, AttrNumber referenced,
                 int32 max_rows) {
  LinkRow row{};
  row.values[kAccount] = Int32GetDatum(account);
  row.values[kRelation] = ObjectIdGetDatum(table);
  row.values[kName] = CStringGetTextDatum(qualified_name(table));
  row.values[kOwner] = CStringGetTextDatum(owner_of(table));
  row.values[kColumn] = CStringGetTextDatum(get_attname(table, column, false));
  row.values[kParent] = ObjectIdGetDatum(parent);
  row.values[kFromColumn] = column_reference(table, column);
  row.values[kToColumn] = column_reference(parent, referenced);
  set_max_rows(&row, max_rows);
  write_row(kLinkTable, nullptr, row.values, row.nulls);
}

void change_max_rows(LinkRow* link, int32 max_rows) {
  set_max_rows(link, max_rows);
  update_link(link);
}

void delete_link(const LinkRow& link) {
  note_changed_rules();
  delete_row(Table::kLink, link.place);
  CommandCounterIncrement();
}

void forget_links(Oid table, const char* name, const char* owner) {
  for (auto* row : list<LinkRow>(all_links())) {
    const auto names = [&](int column) {
      return !row->nulls[column] && DatumGetObjectId(row->values[column]) == table;
    };
    if (!names(kRelation) && !names(kParent)) continue;
    if (names(kParent)) row->nulls[kParent] = row->nulls[kToColumn] = true;
    if (names(kRelation)) {
      row->nulls[kRelation] = row->nulls[kFromColumn] = true;
      row->values[kName] = CStringGetTextDatum(name);
      if (owner != nullptr) row->values[kOwner] = CStringGetTextDatum(owner);
    }
    update_link(row);
  }
}

}  // namespace idp

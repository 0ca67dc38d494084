#include "extension/audit/units.h"

#include "extension/audit/run.h"
#include "extension/catalog/link_rows.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"

extern "C" {
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

void set(const char* name, const char* value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

// Calls use with each row of a query, in the caller's memory. No index may decide which rows a unit
// has: one that is wrong is among what an audit looks for.
template <class Use>
void for_each_row(const char* query, Use use) {
  MemoryContext caller = CurrentMemoryContext;
  const int settings = NewGUCNestLevel();
  set("search_path", "pg_catalog, pg_temp");
  for (const char* name : {"enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"}) {
    set(name, "off");
  }
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "SPI_connect failed");
  if (SPI_execute(query, true, 0) != SPI_OK_SELECT) elog(ERROR, "units of an audit were not read");
  SPITupleTable* rows = SPI_tuptable;
  for (uint64 i = 0; i < SPI_processed; ++i) {
    MemoryContext before = MemoryContextSwitchTo(caller);
    use(rows->vals[i], rows->tupdesc);
    MemoryContextSwitchTo(before);
  }
  (void)SPI_finish();
  AtEOXact_GUC(true, settings);
}

template <class Read>
auto column_at(HeapTuple row, TupleDesc columns, int number, Read read) {
  bool is_null = false;
  return read(SPI_getbinval(row, columns, number, &is_null));
}

Oid table_at(HeapTuple row, TupleDesc columns, int number) {
  return column_at(row, columns, number, [](Datum value) { return DatumGetObjectId(value); });
}

ItemPointerData place_at(HeapTuple row, TupleDesc columns, int number) {
  return column_at(row, columns, number, [](Datum value) {
    return *reinterpret_cast<ItemPointerData*>(DatumGetPointer(value));
  });
}

const char* quoted_column(Oid table, AttrNumber column) {
  return quote_identifier(get_attname(table, column, false));
}

bool has_rows(Oid table) {
  const char kind = get_rel_relkind(table);
  return kind == RELKIND_RELATION || kind == RELKIND_MATVIEW;
}

bool is_of(const Account& account, Oid table) {
  for (const auto* each : list<Account>(accounts_of(table))) {
    if (each->id == account.id) return true;
  }
  return false;
}

// All rows of the tables that are read, each table by itself: a whole and its partitions may be.
char* query_of_rows(const Account& account, const List* relations) {
  StringInfoData query;
  initStringInfo(&query);
  for (const Oid table : oids(relations)) {
    if (!has_rows(table) || !is_of(account, table)) continue;
    appendStringInfo(&query, "%sSELECT (r.*)::pg_catalog.text, r.tableoid, r.ctid FROM ONLY %s r",
                     query.len == 0 ? "" : " UNION ALL ", qualified_name(table));
  }
  return query.len == 0 ? nullptr : query.data;
}

char* query_of_units(const Account& account) {
  return psprintf("SELECT %s::pg_catalog.text, 0::pg_catalog.oid, '(0,0)'::pg_catalog.tid FROM %s",
                  quoted_column(account.table, account.unit_column), qualified_name(account.table));
}

// --- the rows of a unit ---

[[noreturn]] void refuse_links(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("idp.audit cannot tell whose the rows of table \"%s\" are", get_rel_name(table)),
           errhint("Link it anew with idp.unlink and idp.link.")));
  pg_unreachable();
}

// Which rows of a table, that of the units or a linked one, belong to a unit.
char* condition_on(Oid table, const Account& account, const List* links, const char* unit) {
  check_stack_depth();
  if (table == account.table) {
    const Oid type = get_atttype(table, account.unit_column);
    return psprintf("%s = %s::%s", quoted_column(table, account.unit_column),
                    quote_literal_cstr(unit), format_type_be_qualified(type));
  }
  for (const auto* link : list<LinkRow>(links)) {
    if (link->table() != table) continue;
    const Oid parent = link->parent();
    const AttrNumber column = link->column_in(table), referenced = link->referenced();
    if (!OidIsValid(parent) || column <= 0 || referenced <= 0) refuse_links(table);
    return psprintf("%s IN (SELECT %s FROM %s WHERE %s)", quoted_column(table, column),
                    quoted_column(parent, referenced), qualified_name(parent),
                    condition_on(parent, account, links, unit));
  }
  refuse_links(table);
}

void leave_out_rows(HTAB* left_out, Oid table, const char* condition) {
  const char* query =
      psprintf("SELECT tableoid, ctid FROM %s WHERE %s", qualified_name(table), condition);
  for_each_row(query, [&](HeapTuple row, TupleDesc columns) {
    leave_out(left_out, table_at(row, columns, 1), place_at(row, columns, 2));
  });
}

}  // namespace

List* choose_units(const Account& account, const List* relations, int64 most) {
  const char* all =
      account.unit == nullptr ? query_of_rows(account, relations) : query_of_units(account);
  List* units = NIL;
  if (all == nullptr) return NIL;
  const char* query =
      most < 0 ? all
               : psprintf("SELECT * FROM (%s) a ORDER BY pg_catalog.random() LIMIT " INT64_FORMAT,
                          all, most);
  for_each_row(query, [&](HeapTuple row, TupleDesc columns) {
    auto* unit = static_cast<TriedUnit*>(palloc0(sizeof(TriedUnit)));
    unit->text = SPI_getvalue(row, columns, 1);
    unit->text = pstrdup(unit->text == nullptr ? "" : unit->text);
    unit->table = table_at(row, columns, 2);
    unit->place = place_at(row, columns, 3);
    units = lappend(units, unit);
  });
  return units;
}

void leave_out_unit(HTAB* left_out, const Account& account, const List* relations,
                    const TriedUnit& unit) {
  if (OidIsValid(unit.table)) return leave_out(left_out, unit.table, unit.place);
  const List* links = links_of_account(account.id);
  List* tables = NIL;
  for (const Oid relation : oids(relations)) {
    if (is_of(account, relation)) tables = list_append_unique_oid(tables, whole_of(relation));
  }
  for (const Oid table : oids(tables)) {
    leave_out_rows(left_out, table, condition_on(table, account, links, unit.text));
  }
}

}  // namespace idp

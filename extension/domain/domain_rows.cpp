#include "extension/domain/domain_rows.h"

#include <initializer_list>

#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/remembered.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation.h"
#include "common/int.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

constexpr char kDomainTable[] = "domain";

// Numbers of such a type are 64-bit integers once the point is moved.
bool has_few_digits(int32 typmod) {
  constexpr int kMostDigits = 15;
  if (typmod < static_cast<int32>(VARHDRSZ)) return false;
  const int precision = precision_of_typmod(typmod);
  const int scale = scale_of_typmod(typmod);
  return scale >= 0 && scale <= precision && precision <= kMostDigits;
}

// Of a value of such a type, which is a whole number of them.
int64 units_of(const DomainColumn& column, Datum value) {
  return static_cast<int64>(
      units_of_numeric(value, scale_of_typmod(column.typmod), PG_INT64_MAX, Rounding::kFloor)
          .units);
}

}  // namespace

int64 number_of(Oid type, Datum value) {
  switch (type) {
    case INT2OID:
      return DatumGetInt16(value);
    case INT8OID:
      return DatumGetInt64(value);
    default:
      return DatumGetInt32(value);  // a date counts days
  }
}

DomainColumn column_numbered(Oid table, AttrNumber number) {
  DomainColumn column{table, number, get_attname(table, number, false), InvalidOid, -1, InvalidOid};
  get_atttypetypmodcoll(table, number, &column.type, &column.typmod, &column.collation);
  return column;
}

int64 number_of(const DomainColumn& column, Datum value) {
  return column.type == NUMERICOID ? units_of(column, value) : number_of(column.type, value);
}

Datum numeric_counted(const DomainColumn& column, int64 number) {
  return numeric_of_units(number, scale_of_typmod(column.typmod));
}

bool is_countable(const DomainColumn& column) {
  const Oid type = column.type;
  return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID ||
         (type == NUMERICOID && has_few_digits(column.typmod));
}

int64 count_between(const DomainColumn& column, Datum first, Datum last) {
  if (column.type == NUMERICOID && !(is_finite_numeric(first) && is_finite_numeric(last))) {
    return PG_INT64_MAX;
  }
  int64 distance;
  const bool is_beyond =
      pg_sub_s64_overflow(number_of(column, last), number_of(column, first), &distance) ||
      distance == PG_INT64_MAX;
  return is_beyond ? PG_INT64_MAX : distance + 1;
}

Datum value_of_text(const DomainColumn& column, const char* text) {
  Oid input, parameter;
  getTypeInputInfo(column.type, &input, &parameter);
  return OidInputFunctionCall(input, const_cast<char*>(text), parameter, column.typmod);
}

int compare_values(const DomainColumn& column, Datum a, Datum b) {
  TypeCacheEntry* type = lookup_type_cache(column.type, TYPECACHE_CMP_PROC_FINFO);
  return DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, column.collation, a, b));
}

Datum text_of_value(const DomainColumn& column, Datum value) {
  Oid output;
  bool is_varlena;
  getTypeOutputInfo(column.type, &output, &is_varlena);
  return CStringGetTextDatum(OidOutputFunctionCall(output, value));
}

namespace {

struct KnownRow {
  Oid table;
  const char* name;
  DomainRow row;
};

Remembered<KnownRow> known_rows;

struct KnownTable {
  Oid table;
  const List* rows;  // of KnownRow
  bool are_all;
};

Remembered<KnownTable> known_tables;

DomainRow no_row() {
  DomainRow row;
  for (bool& is_null : row.nulls) is_null = true;  // also of columns that an earlier version lacks
  return row;
}

// The rows of a table, or of one of its columns alone: calls visit(row, name) for each, until it
// returns false.
template <class Visit>
void for_each_row(Oid table, const char* name, Visit visit) {
  using namespace domain_column;
  const Oid domains = own_relation(kDomainTable);
  if (!OidIsValid(domains)) return;  // of an earlier version
  Relation relation = table_open(domains, AccessShareLock);
  ScanKeyData keys[2];
  ScanKeyInit(&keys[0], kRelation + 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
  if (name != nullptr) {
    ScanKeyEntryInitialize(&keys[1], 0, kName + 1, BTEqualStrategyNumber, InvalidOid,
                           C_COLLATION_OID, F_TEXTEQ, CStringGetTextDatum(name));
  }
  SysScanDesc scan = systable_beginscan(relation, own_relation("domain_column"), true, SnapshotSelf,
                                        name == nullptr ? 1 : 2, keys);
  HeapTuple tuple;
  bool goes_on = true;
  while (goes_on && HeapTupleIsValid(tuple = systable_getnext(scan))) {
    DomainRow row = no_row();
    row.exists = true;
    row.place = tuple->t_self;
    heap_deform_tuple(tuple, RelationGetDescr(relation), row.values, row.nulls);
    for (const int column : {kKeys, kLower, kUpper, kGrain, kZone}) {
      if (row.nulls[column]) continue;
      row.values[column] = PointerGetDatum(PG_DETOAST_DATUM_COPY(row.values[column]));
    }
    goes_on = visit(row, row.values[kName]);
  }
  systable_endscan(scan);
  table_close(relation, AccessShareLock);
}

DomainRow row_looked_up(Oid table, const char* name) {
  DomainRow found = no_row();
  for_each_row(table, name, [&](const DomainRow& row, Datum) {
    found = row;
    return false;
  });
  return found;
}

// Of a table with many domains a few are asked for.
KnownTable table_looked_up(Oid table) {
  constexpr int kFew = 16;
  List* rows = NIL;
  bool are_all = true;
  for_each_row(table, nullptr, [&](const DomainRow& row, Datum name) {
    are_all = list_length(rows) < kFew;
    if (!are_all) return false;
    auto* known = static_cast<KnownRow*>(palloc(sizeof(KnownRow)));
    *known = {table, TextDatumGetCString(name), row};
    rows = lappend(rows, known);
    return true;
  });
  return {table, rows, are_all};
}

}  // namespace

DomainRow domain_row(Oid table, const char* name) {
  if (remembering() == nullptr) return row_looked_up(table, name);
  const KnownTable all =
      known_tables.of([&](const KnownTable& known) { return known.table == table; },
                      [&] { return table_looked_up(table); });
  for (const auto* known : list<KnownRow>(all.rows)) {
    if (strcmp(known->name, name) == 0) return known->row;
  }
  if (all.are_all) return no_row();
  const KnownRow found = known_rows.of(
      [&](const KnownRow& known) { return known.table == table && strcmp(known.name, name) == 0; },
      [&] {
        return KnownRow{table, pstrdup(name), row_looked_up(table, name)};
      });
  return found.row;
}

Grain DomainRow::grain() const {
  using namespace domain_column;
  if (!exists || nulls[kGrain]) return {};
  const char* zone = nulls[kZone] ? nullptr : TextDatumGetCString(values[kZone]);
  return {unit_of_grain(TextDatumGetCString(values[kGrain])), zone};
}

void delete_domain_row(const DomainRow& row) {
  forget_remembered();
  Relation relation = table_open(own_relation(kDomainTable), RowExclusiveLock);
  ItemPointerData place = row.place;
  CatalogTupleDelete(relation, &place);
  table_close(relation, NoLock);
  CommandCounterIncrement();
}

void insert_domain_row(const DomainColumn& column, Datum keys, Datum lower, Datum upper,
                       const Grain& grain) {
  using namespace domain_column;
  forget_remembered();
  const bool is_list = keys != 0;
  const auto text = [](const char* word) { return word ? CStringGetTextDatum(word) : Datum{0}; };
  Datum values[kCount] = {ObjectIdGetDatum(column.table),
                          CStringGetTextDatum(column.name),
                          keys,
                          lower,
                          upper,
                          text(grain.unit ? name_of_grain(grain) : nullptr),
                          text(grain.zone)};
  bool nulls[kCount] = {
      false, false, !is_list, is_list, is_list, grain.unit == nullptr, grain.zone == nullptr};
  Relation relation = table_open(own_relation(kDomainTable), RowExclusiveLock);
  CatalogTupleInsert(relation, heap_form_tuple(RelationGetDescr(relation), values, nulls));
  table_close(relation, NoLock);
  CommandCounterIncrement();
}

}  // namespace idp

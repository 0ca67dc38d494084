#include "extension/domain/domain.h"

#include <optional>

#include "extension/domain/domain_rows.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/parents.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/plain_output.h"
#include "extension/pg/remembered.h"

extern "C" {
#include "access/htup_details.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace idp {

Datum counted_value(Oid type, int64 number) {
  switch (type) {
    case INT2OID:
      return Int16GetDatum(static_cast<int16>(number));
    case INT8OID:
      return Int64GetDatum(number);
    default:
      return Int32GetDatum(static_cast<int32>(number));
  }
}

namespace {

// --- keys ---

// Values of an enum may have got other names since.
void require_label(const DomainColumn& column, const char* label) {
  if (get_typtype(column.type) != TYPTYPE_ENUM ||
      SearchSysCacheExists2(ENUMTYPOIDNAME, ObjectIdGetDatum(column.type),
                            CStringGetDatum(label))) {
    return;
  }
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("the domain of column \"%s\" has value \"%s\", which type %s has no more: "
                  "the owner of table \"%s\" declares it anew with idp.set_domain",
                  column.name, label, format_type_be(column.type), get_rel_name(column.table))));
}

Keys keys_of_list(const DomainColumn& column, ArrayType* list) {
  Datum* texts;
  bool* nulls;
  Keys keys{column.type, column.typmod, column.collation, nullptr, 0, 0, {}};
  deconstruct_array(list, TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &keys.count);
  keys.values = static_cast<Datum*>(palloc(sizeof(Datum) * (keys.count + 1)));
  for (int i = 0; i < keys.count; ++i) {
    const char* label = TextDatumGetCString(texts[i]);
    require_label(column, label);
    keys.values[i] = value_of_text(column, label);
  }
  keys.number = keys.count;
  return keys;
}

Keys both_truth_values(const DomainColumn& column) {
  Keys keys{column.type, column.typmod, column.collation, nullptr, 2, 2, {}};
  keys.values = static_cast<Datum*>(palloc(2 * sizeof(Datum)));
  keys.values[0] = BoolGetDatum(false);
  keys.values[1] = BoolGetDatum(true);
  return keys;
}

Keys keys_between(const DomainColumn& column, Datum lower, Datum upper) {
  const Datum lowest = value_of_text(column, TextDatumGetCString(lower));
  const int64 first = number_of(column, lowest);
  Keys keys{column.type, column.typmod, column.collation, nullptr, 0, 0, {}};
  keys.number = count_between(column, lowest, value_of_text(column, TextDatumGetCString(upper)));
  if (keys.number > kMostValues) return keys;
  keys.count = static_cast<int>(keys.number);
  keys.values = static_cast<Datum*>(palloc(sizeof(Datum) * keys.count));
  for (int i = 0; i < keys.count; ++i) {
    keys.values[i] = column.type == NUMERICOID ? numeric_counted(column, first + i)
                                               : counted_value(column.type, first + i);
  }
  return keys;
}

Keys cells_of(const DomainColumn& column, const DomainRow& row, const Grain& grain) {
  using namespace domain_column;
  Keys keys{column.type, column.typmod, column.collation, nullptr, 0, 0, grain};
  const Datum first = value_of_text(column, TextDatumGetCString(row.values[kLower]));
  const Datum end = value_of_text(column, TextDatumGetCString(row.values[kUpper]));
  keys.values =
      cells_between(column.type, grain, first, end, kMostValues, &keys.count, &keys.number);
  return keys;
}

// Whether the values between two bounds are the keys of groups; of too many numbers they are not.
bool counts_between(const DomainColumn& column, const DomainRow& row) {
  using namespace domain_column;
  if (!is_countable(column)) return false;
  if (column.type != NUMERICOID) return true;
  PlainOutput plain;
  const int64 count =
      count_between(column, value_of_text(column, TextDatumGetCString(row.values[kLower])),
                    value_of_text(column, TextDatumGetCString(row.values[kUpper])));
  plain.end();
  return count <= kMostNumbers;
}

bool can_be_listed(const DomainColumn& column, const DomainRow& row) {
  if (column.type == BOOLOID && !row.exists) return true;
  return row.exists && has_one_form(column.type, column.typmod, column.collation) &&
         (!row.nulls[domain_column::kKeys] || !row.nulls[domain_column::kGrain] ||
          counts_between(column, row));
}

}  // namespace

bool may_be_null(Oid table, AttrNumber column) {
  return !is_not_null(table, column, nullptr) || has_children(table);
}

List* columns_with_domains(Oid table) {
  List* names = NIL;
  const int count = column_count(table);
  for (int number = 1; number <= count; ++number) {
    const auto column = static_cast<AttrNumber>(number);
    if (column_name(table, column) == nullptr) continue;  // dropped
    const DomainColumn described = column_numbered(table, column);
    const DomainRow row = domain_row(table, described.name);
    if (row.exists && can_be_listed(described, row)) {
      names = lappend(names, const_cast<char*>(described.name));
    }
  }
  return names;
}

bool is_listed(Oid table, AttrNumber column) {
  const DomainColumn described = column_numbered(table, column);
  return can_be_listed(described, domain_row(table, described.name));
}

const char* coarser_than(Oid table, AttrNumber number) {
  const DomainColumn column = column_numbered(table, number);
  const char* name = quote_identifier(column.name);
  return column.type == DATEOID ? psprintf("date_trunc('year', %s)", name)
                                : psprintf("%s / 1000", name);
}

Keys keys_of(Oid table, AttrNumber number) {
  using namespace domain_column;
  const DomainColumn column = column_numbered(table, number);
  const DomainRow row = domain_row(table, column.name);
  if (column.type == BOOLOID && !row.exists) return both_truth_values(column);
  if (!can_be_listed(column, row)) elog(ERROR, "column %s has no domain", column.name);
  std::optional<PlainOutput> plain;
  if (!row.nulls[kGrain] || !is_read_alike(column.type)) plain.emplace();
  const Keys keys = !row.nulls[kGrain] ? cells_of(column, row, row.grain())
                    : row.nulls[kKeys]
                        ? keys_between(column, row.values[kLower], row.values[kUpper])
                        : keys_of_list(column, DatumGetArrayTypeP(row.values[kKeys]));
  if (plain) plain->end();
  return keys;
}

namespace {

// What the domain of a column is between, as values of its type.
struct KnownBounds {
  DomainColumn column;
  bool exist;
  Datum lower;
  Datum upper;
};

Remembered<KnownBounds> known_bounds;

void read_bounds(const DomainColumn& column, const DomainRow& row, Datum* lower, Datum* upper) {
  using namespace domain_column;
  if (row.nulls[kKeys]) {
    *lower = value_of_text(column, TextDatumGetCString(row.values[kLower]));
    *upper = value_of_text(column, TextDatumGetCString(row.values[kUpper]));
    return;
  }
  const Keys keys = keys_of_list(column, DatumGetArrayTypeP(row.values[kKeys]));
  *lower = *upper = keys.values[0];
  for (int i = 1; i < keys.count; ++i) {
    if (compare_values(column, keys.values[i], *lower) < 0) *lower = keys.values[i];
    if (compare_values(column, keys.values[i], *upper) > 0) *upper = keys.values[i];
  }
}

bool bounds_looked_up(const DomainColumn& column, Datum* lower, Datum* upper) {
  const DomainRow row = domain_row(column.table, column.name);
  if (!row.exists) return false;
  if (is_read_alike(column.type)) {
    read_bounds(column, row, lower, upper);
    return true;
  }
  PlainOutput plain;
  read_bounds(column, row, lower, upper);
  plain.end();
  return true;
}

bool is_same(const DomainColumn& a, const DomainColumn& b) {
  return a.table == b.table && a.number == b.number && a.type == b.type && a.typmod == b.typmod &&
         a.collation == b.collation;
}

}  // namespace

bool bounds_of(Oid table, AttrNumber number, Datum* lower, Datum* upper) {
  const DomainColumn column = column_numbered(table, number);
  const KnownBounds found =
      known_bounds.of([&](const KnownBounds& known) { return is_same(known.column, column); },
                      [&] {
                        KnownBounds bounds{column, false, 0, 0};
                        bounds.exist = bounds_looked_up(column, &bounds.lower, &bounds.upper);
                        return bounds;
                      });
  *lower = found.lower;
  *upper = found.upper;
  return found.exist;
}

}  // namespace idp

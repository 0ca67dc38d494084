#include "extension/domain/domain.h"

#include <initializer_list>

#include "extension/pg/arguments.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/plain_output.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "common/int.h"
#include "funcapi.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

constexpr char kDomainTable[] = "domain";

namespace domain_column {
enum { kRelation, kName, kKeys, kLower, kUpper, kCount };
}

// A column, and how its values are written and compared.
struct Column {
  Oid table;
  AttrNumber number;
  const char* name;
  Oid type;
  int32 typmod;
  Oid collation;
};

Column column_numbered(Oid table, AttrNumber number) {
  Column column{table, number, get_attname(table, number, false), InvalidOid, -1, InvalidOid};
  get_atttypetypmodcoll(table, number, &column.type, &column.typmod, &column.collation);
  return column;
}

bool is_countable(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID;
}

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

Datum value_of(Oid type, int64 number) {
  switch (type) {
    case INT2OID:
      return Int16GetDatum(static_cast<int16>(number));
    case INT8OID:
      return Int64GetDatum(number);
    default:
      return Int32GetDatum(static_cast<int32>(number));
  }
}

// The value that a text is for the column. In plain settings.
Datum value_of_text(const Column& column, const char* text) {
  Oid input, parameter;
  getTypeInputInfo(column.type, &input, &parameter);
  return OidInputFunctionCall(input, const_cast<char*>(text), parameter, column.typmod);
}

Datum text_of_value(const Column& column, Datum value) {
  Oid output;
  bool is_varlena;
  getTypeOutputInfo(column.type, &output, &is_varlena);
  return CStringGetTextDatum(OidOutputFunctionCall(output, value));
}

int compare(const Column& column, Datum a, Datum b) {
  TypeCacheEntry* type = lookup_type_cache(column.type, TYPECACHE_CMP_PROC_FINFO);
  return DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, column.collation, a, b));
}

// --- rows of idp.domain ---

struct Row {
  bool exists = false;
  Datum values[domain_column::kCount];
  bool nulls[domain_column::kCount];
  ItemPointerData place;
};

Row row_of(Oid table, const char* name) {
  using namespace domain_column;
  Row row;
  const Oid domains = own_relation(kDomainTable);
  if (!OidIsValid(domains)) return row;  // of an earlier version
  Relation relation = table_open(domains, AccessShareLock);
  ScanKeyData keys[2];
  ScanKeyInit(&keys[0], kRelation + 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
  ScanKeyEntryInitialize(&keys[1], 0, kName + 1, BTEqualStrategyNumber, InvalidOid, C_COLLATION_OID,
                         F_TEXTEQ, CStringGetTextDatum(name));
  SysScanDesc scan =
      systable_beginscan(relation, own_relation("domain_column"), true, SnapshotSelf, 2, keys);
  HeapTuple tuple = systable_getnext(scan);
  if (HeapTupleIsValid(tuple)) {
    row.exists = true;
    row.place = tuple->t_self;
    heap_deform_tuple(tuple, RelationGetDescr(relation), row.values, row.nulls);
    for (const int column : {kKeys, kLower, kUpper}) {
      if (row.nulls[column]) continue;
      row.values[column] = PointerGetDatum(PG_DETOAST_DATUM_COPY(row.values[column]));
    }
  }
  systable_endscan(scan);
  table_close(relation, AccessShareLock);
  return row;
}

// Plans that were made with another domain are made anew.
void forget_plans(Oid table) { CacheInvalidateRelcacheByRelid(table); }

void delete_row(const Row& row) {
  Relation relation = table_open(own_relation(kDomainTable), RowExclusiveLock);
  ItemPointerData place = row.place;
  CatalogTupleDelete(relation, &place);
  table_close(relation, NoLock);
  CommandCounterIncrement();
}

void insert_row(const Column& column, Datum keys, Datum lower, Datum upper) {
  using namespace domain_column;
  const bool is_list = keys != 0;
  Datum values[kCount] = {ObjectIdGetDatum(column.table), CStringGetTextDatum(column.name), keys,
                          lower, upper};
  bool nulls[kCount] = {false, false, !is_list, is_list, is_list};
  Relation relation = table_open(own_relation(kDomainTable), RowExclusiveLock);
  CatalogTupleInsert(relation, heap_form_tuple(RelationGetDescr(relation), values, nulls));
  table_close(relation, NoLock);
  CommandCounterIncrement();
}

// --- keys ---

// With NULL, if it is a key.
void require_listable(const Column& column, int64 count) {
  const bool with_null = may_be_null(column.table, column.number);
  if (count <= kMostKeys - (with_null ? 1 : 0)) return;
  ereport(ERROR,
          (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
           errmsg("the domain of column \"%s\" has more than %d keys", column.name, kMostKeys),
           with_null ? errdetail("NULL is one of them, as the column may be NULL.") : 0,
           errhint("Declare fewer keys, or those of a generated column with coarser values.")));
}

Keys listed_keys(const Column& column, ArrayType* list) {
  Datum* texts;
  bool* nulls;
  Keys keys{column.type, column.typmod, column.collation, nullptr, 0, 0};
  deconstruct_array(list, TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &keys.count);
  keys.values = static_cast<Datum*>(palloc(sizeof(Datum) * (keys.count + 1)));
  for (int i = 0; i < keys.count; ++i) {
    keys.values[i] = value_of_text(column, TextDatumGetCString(texts[i]));
  }
  keys.number = keys.count;
  return keys;
}

Keys both_truth_values(const Column& column) {
  Keys keys{column.type, column.typmod, column.collation, nullptr, 2, 2};
  keys.values = static_cast<Datum*>(palloc(2 * sizeof(Datum)));
  keys.values[0] = BoolGetDatum(false);
  keys.values[1] = BoolGetDatum(true);
  return keys;
}

// How many values there are from one to another; the largest number there is if they are more.
int64 count_between(const Column& column, Datum first, Datum last) {
  int64 distance;
  const bool is_beyond =
      pg_sub_s64_overflow(number_of(column.type, last), number_of(column.type, first), &distance) ||
      distance == PG_INT64_MAX;
  return is_beyond ? PG_INT64_MAX : distance + 1;
}

Keys keys_between(const Column& column, Datum lower, Datum upper) {
  const Datum lowest = value_of_text(column, TextDatumGetCString(lower));
  const int64 first = number_of(column.type, lowest);
  Keys keys{column.type, column.typmod, column.collation, nullptr, 0, 0};
  keys.number = count_between(column, lowest, value_of_text(column, TextDatumGetCString(upper)));
  if (keys.number > kMostValues) return keys;
  keys.count = static_cast<int>(keys.number);
  keys.values = static_cast<Datum*>(palloc(sizeof(Datum) * keys.count));
  for (int i = 0; i < keys.count; ++i) keys.values[i] = value_of(column.type, first + i);
  return keys;
}

bool can_be_listed(const Column& column, const Row& row) {
  if (column.type == BOOLOID && !row.exists) return true;
  return row.exists && has_one_form(column.type, column.collation) &&
         (!row.nulls[domain_column::kKeys] || is_countable(column.type));
}

}  // namespace

bool has_one_form(Oid type, Oid collation) {
  switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case UUIDOID:
      return true;
    case TEXTOID:
    case VARCHAROID:
      return get_collation_isdeterministic(collation);
    default:
      return get_typtype(type) == TYPTYPE_ENUM;
  }
}

bool may_be_null(Oid table, AttrNumber column) {
  HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(table), Int16GetDatum(column));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for column %d", column);
  const bool is_required = reinterpret_cast<Form_pg_attribute>(GETSTRUCT(tuple))->attnotnull;
  ReleaseSysCache(tuple);
  return !is_required;
}

List* columns_with_domains(Oid table) {
  List* names = NIL;
  const int count = column_count(table);
  for (int number = 1; number <= count; ++number) {
    const auto column = static_cast<AttrNumber>(number);
    if (get_attname(table, column, true) == nullptr) continue;  // dropped
    const Column described = column_numbered(table, column);
    const Row row = row_of(table, described.name);
    if (row.exists && can_be_listed(described, row)) {
      names = lappend(names, const_cast<char*>(described.name));
    }
  }
  return names;
}

bool is_listed(Oid table, AttrNumber column) {
  const Column described = column_numbered(table, column);
  return can_be_listed(described, row_of(table, described.name));
}

const char* coarser_than(Oid table, AttrNumber number) {
  const Column column = column_numbered(table, number);
  const char* name = quote_identifier(column.name);
  return column.type == DATEOID ? psprintf("date_trunc('year', %s)", name)
                                : psprintf("%s / 1000", name);
}

Keys keys_of(Oid table, AttrNumber number) {
  using namespace domain_column;
  const Column column = column_numbered(table, number);
  const Row row = row_of(table, column.name);
  if (column.type == BOOLOID && !row.exists) return both_truth_values(column);
  if (!can_be_listed(column, row)) elog(ERROR, "column %s has no domain", column.name);
  PlainOutput plain;
  const Keys keys = row.nulls[kKeys] ? keys_between(column, row.values[kLower], row.values[kUpper])
                                     : listed_keys(column, DatumGetArrayTypeP(row.values[kKeys]));
  plain.end();
  return keys;
}

bool bounds_of(Oid table, AttrNumber number, Datum* lower, Datum* upper) {
  using namespace domain_column;
  const Column column = column_numbered(table, number);
  const Row row = row_of(table, column.name);
  if (!row.exists) return false;
  PlainOutput plain;
  if (row.nulls[kKeys]) {
    *lower = value_of_text(column, TextDatumGetCString(row.values[kLower]));
    *upper = value_of_text(column, TextDatumGetCString(row.values[kUpper]));
  } else {
    const Keys keys = listed_keys(column, DatumGetArrayTypeP(row.values[kKeys]));
    *lower = *upper = keys.values[0];
    for (int i = 1; i < keys.count; ++i) {
      if (compare(column, keys.values[i], *lower) < 0) *lower = keys.values[i];
      if (compare(column, keys.values[i], *upper) > 0) *upper = keys.values[i];
    }
  }
  plain.end();
  return true;
}

namespace {

// --- declaring them ---

constexpr char kWaysToSay[] = "Give a list, such as ARRAY['a', 'b'], or two bounds.";

Oid declarable_table(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(0)) refuse_null("table");
  if (PG_ARGISNULL(1)) refuse_null("column");
  const Oid table = PG_GETARG_OID(0);
  const char kind = get_rel_relkind(table);
  if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) {
    ereport(ERROR, (errcode(kind == '\0' ? ERRCODE_UNDEFINED_TABLE : ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("domains are those of columns of tables"),
                    errhint("Name a table, partitioned or not.")));
  }
  if (!owns(table)) aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
  LockRelationOid(table, ShareUpdateExclusiveLock);
  return table;
}

Column declarable_column(FunctionCallInfo fcinfo) {
  const Oid table = declarable_table(fcinfo);
  const char* name = NameStr(*PG_GETARG_NAME(1));
  const AttrNumber number = get_attnum(table, name);
  if (number <= 0) {
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_COLUMN),
             errmsg("column \"%s\" of table \"%s\" does not exist", name, get_rel_name(table))));
  }
  const Column column = column_numbered(table, number);
  if (lookup_type_cache(column.type, TYPECACHE_CMP_PROC)->cmp_proc == InvalidOid) {
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("values of type %s have no order", format_type_be(column.type)),
                    errhint("Declare the domain of a column whose values can be compared.")));
  }
  return column;
}

void replace_row(const Column& column, Datum keys, Datum lower, Datum upper) {
  if (const Row row = row_of(column.table, column.name); row.exists) delete_row(row);
  insert_row(column, keys, lower, upper);
  forget_plans(column.table);
}

int by_value(const void* a, const void* b, void* column) {
  return compare(*static_cast<const Column*>(column), *static_cast<const Datum*>(a),
                 *static_cast<const Datum*>(b));
}

void require_different(const Column& column, Datum* values, int count) {
  Column ordering = column;
  auto* sorted = static_cast<Datum*>(palloc(sizeof(Datum) * count));
  memcpy(sorted, values, sizeof(Datum) * count);
  qsort_arg(sorted, count, sizeof(Datum), by_value, &ordering);
  for (int i = 1; i < count; ++i) {
    if (compare(column, sorted[i - 1], sorted[i]) != 0) continue;
    ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
                    errmsg("a value is in the domain of column \"%s\" twice", column.name),
                    errhint("Name each value once, for instance with ARRAY(SELECT DISTINCT …).")));
  }
}

// Groups of others would look like that of their values which came first.
void require_one_form(const Column& column) {
  if (has_one_form(column.type, column.collation)) return;
  ereport(ERROR,
          (errcode(ERRCODE_DATATYPE_MISMATCH),
           errmsg("values of type %s cannot be listed as the keys of groups",
                  format_type_be(column.type)),
           errdetail("Values of that type that are equal need not look the same."),
           errhint("Declare the domain of a generated column of another type, such as integer, or "
                   "text with a deterministic collation.")));
}

// Only bounds of whole numbers and dates list the keys between them, if these are not too many.
void note_unlisted(const Column& column, Datum lower, Datum upper) {
  if (is_countable(column.type)) {
    const int64 count = count_between(column, lower, upper);
    if (count <= kMostKeys - (may_be_null(column.table, column.number) ? 1 : 0)) return;
    ereport(
        NOTICE,
        (errmsg("bounds of column \"%s\" are kept, and give no keys to groups of its own values",
                column.name),
         errdetail("Groups have %d keys at most, NULL among them.", kMostKeys),
         count <= kMostValues
             ? errhint("Group by something coarser, such as %s.",
                       coarser_than(column.table, column.number))
             : errhint("For groups declare the domain of a generated column with coarser "
                       "values.")));
    return;
  }
  ereport(NOTICE,
          (errmsg("bounds of column \"%s\" are kept, and give no keys to groups", column.name),
           errdetail("Values of type %s between two bounds are not listed.",
                     format_type_be(column.type)),
           has_one_form(column.type, column.collation)
               ? errhint("For groups declare a list, such as ARRAY['a', 'b'].")
               : errhint("For groups declare the domain of a generated column of "
                         "whole numbers, dates or texts.")));
}

// (table, column, keys as text[])
Datum set_list(FunctionCallInfo fcinfo) {
  PreventCommandIfReadOnly("idp.set_domain()");
  const Column column = declarable_column(fcinfo);
  if (PG_ARGISNULL(2)) refuse_null("keys");
  require_one_form(column);
  Datum* texts;
  bool* nulls;
  int count;
  deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls,
                    &count);
  if (count == 0) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a domain has no keys"),
                    errhint("%s", kWaysToSay)));
  }
  require_listable(column, count);
  PlainOutput plain;
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * count));
  for (int i = 0; i < count; ++i) {
    if (nulls[i]) {
      ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                      errmsg("NULL cannot be in the list of a domain"),
                      errhint("It is a key of its own where the column may be NULL.")));
    }
    values[i] = value_of_text(column, TextDatumGetCString(texts[i]));
    texts[i] = text_of_value(column, values[i]);
  }
  require_different(column, values, count);
  plain.end();
  replace_row(column,
              PointerGetDatum(construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT)), 0,
              0);
  PG_RETURN_VOID();
}

// (table, column, lower, upper as text)
Datum set_bounds(FunctionCallInfo fcinfo) {
  PreventCommandIfReadOnly("idp.set_domain()");
  const Column column = declarable_column(fcinfo);
  if (PG_ARGISNULL(2)) refuse_null("lower");
  if (PG_ARGISNULL(3)) refuse_null("upper");
  PlainOutput plain;
  const Datum lower = value_of_text(column, text_to_cstring(PG_GETARG_TEXT_PP(2)));
  const Datum upper = value_of_text(column, text_to_cstring(PG_GETARG_TEXT_PP(3)));
  if (compare(column, lower, upper) > 0) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the lower bound of a domain is above its upper bound"),
                    errhint("Give the lower one first; a list of values is an array, such as "
                            "ARRAY['a', 'b'].")));
  }
  const Datum lower_text = text_of_value(column, lower);
  const Datum upper_text = text_of_value(column, upper);
  plain.end();
  replace_row(column, 0, lower_text, upper_text);
  note_unlisted(column, lower, upper);
  PG_RETURN_VOID();
}

// (table, column, one value): what a user tries who has only one, or writes '{a,b}'.
Datum refuse_one_key(FunctionCallInfo) {
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
           errmsg("a domain is a list of values, or all between two bounds"),
           errhint("Give an array, such as ARRAY['Rome', 'Paris'], also of one value, or two "
                   "bounds, such as 18, 70.")));
  pg_unreachable();
}

// (table, column): also a column that is gone.
Datum drop_domain(FunctionCallInfo fcinfo) {
  PreventCommandIfReadOnly("idp.drop_domain()");
  const Oid table = declarable_table(fcinfo);
  const char* name = NameStr(*PG_GETARG_NAME(1));
  const Row row = row_of(table, name);
  if (!row.exists) {
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT),
             errmsg("column \"%s\" of table \"%s\" has no domain", name, get_rel_name(table)),
             errhint("View idp.domains shows those there are.")));
  }
  delete_row(row);
  forget_plans(table);
  PG_RETURN_VOID();
}

bool has_bounds(Oid table, const char* name) {
  const Row row = row_of(table, name);
  return row.exists && row.nulls[domain_column::kKeys];
}

// As the view idp.domains shows domains.
void require_readable(Oid table, AttrNumber column) {
  const Oid role = GetUserId();
  if (pg_class_aclcheck(table, role, ACL_SELECT) == ACLCHECK_OK ||
      pg_attribute_aclcheck(table, column, role, ACL_SELECT) == ACLCHECK_OK) {
    return;
  }
  aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
}

// (table, column): its keys, as text.
Datum domain_keys(FunctionCallInfo fcinfo) {
  FuncCallContext* context;
  if (SRF_IS_FIRSTCALL()) {
    context = SRF_FIRSTCALL_INIT();
    MemoryContext before = MemoryContextSwitchTo(context->multi_call_memory_ctx);
    const Oid table = PG_GETARG_OID(0);
    const char* name = NameStr(*PG_GETARG_NAME(1));
    const AttrNumber number = get_attnum(table, name);
    if (number > 0) require_readable(table, number);
    if (number <= 0 || !is_listed(table, number)) {
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                      errmsg("column \"%s\" has no domain that can be listed", name),
                      has_bounds(table, name)
                          ? errhint("It has bounds, and is not of whole numbers or dates. Declare "
                                    "a list with idp.set_domain.")
                          : errhint("Declare one with idp.set_domain: a list, or bounds of "
                                    "integers or dates.")));
    }
    auto* keys = static_cast<Keys*>(palloc(sizeof(Keys)));
    *keys = keys_of(table, number);
    const Column column = column_numbered(table, number);
    if (keys->values == nullptr) {
      ereport(ERROR,
              (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
               errmsg("the domain of column \"%s\" has more than %d keys", name, kMostValues),
               errhint("View idp.domains shows its bounds.")));
    }
    PlainOutput plain;
    for (int i = 0; i < keys->count; ++i) keys->values[i] = text_of_value(column, keys->values[i]);
    plain.end();
    context->user_fctx = keys;
    context->max_calls = keys->count;
    MemoryContextSwitchTo(before);
  }
  context = SRF_PERCALL_SETUP();
  if (context->call_cntr >= context->max_calls) SRF_RETURN_DONE(context);
  const Datum key = static_cast<Keys*>(context->user_fctx)->values[context->call_cntr];
  SRF_RETURN_NEXT(context, key);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_set_domain_list, set_list);
IDP_FUNCTION(idp_set_domain_bounds, set_bounds);
IDP_FUNCTION(idp_refuse_one_key, refuse_one_key);
IDP_FUNCTION(idp_drop_domain, drop_domain);
IDP_FUNCTION(idp_domain, domain_keys);

}  // extern "C"
#pragma GCC visibility pop

// The functions of SQL by which the owner of a table declares domains, and by which others look at
// them.
#include "extension/domain/cells.h"
#include "extension/domain/domain.h"
#include "extension/domain/domain_rows.h"
#include "extension/pg/keys.h"
#include "extension/pg/arguments.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/number_types.h"
#include "extension/pg/plain_output.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// Plans that were made with another domain are made anew.
void forget_plans(Oid table) { CacheInvalidateRelcacheByRelid(table); }

// With NULL, if it is a key.
void require_listable(const DomainColumn& column, int64 count) {
  const bool with_null = may_be_null(column.table, column.number);
  if (count <= kMostKeys - (with_null ? 1 : 0)) return;
  ereport(ERROR,
          (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
           errmsg("the domain of column \"%s\" has more than %d keys", column.name, kMostKeys),
           with_null ? errdetail("NULL is one of them, as the column may be NULL.") : 0,
           errhint("Declare fewer keys, or those of a generated column with coarser values.")));
}

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

DomainColumn declarable_column(FunctionCallInfo fcinfo) {
  const Oid table = declarable_table(fcinfo);
  const char* name = NameStr(*PG_GETARG_NAME(1));
  const AttrNumber number = get_attnum(table, name);
  if (number <= 0) {
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_COLUMN),
             errmsg("column \"%s\" of table \"%s\" does not exist", name, get_rel_name(table))));
  }
  const DomainColumn column = column_numbered(table, number);
  if (lookup_type_cache(column.type, TYPECACHE_CMP_PROC)->cmp_proc == InvalidOid) {
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("values of type %s have no order", format_type_be(column.type)),
                    errhint("Declare the domain of a column whose values can be compared.")));
  }
  return column;
}

void replace_row(const DomainColumn& column, Datum keys, Datum lower, Datum upper,
                 const Grain& grain = {}) {
  if (const DomainRow row = domain_row(column.table, column.name); row.exists)
    delete_domain_row(row);
  insert_domain_row(column, keys, lower, upper, grain);
  forget_plans(column.table);
}

int by_value(const void* a, const void* b, void* column) {
  return compare_values(*static_cast<const DomainColumn*>(column), *static_cast<const Datum*>(a),
                        *static_cast<const Datum*>(b));
}

void require_different(const DomainColumn& column, Datum* values, int count) {
  DomainColumn ordering = column;
  auto* sorted = static_cast<Datum*>(palloc(sizeof(Datum) * count));
  memcpy(sorted, values, sizeof(Datum) * count);
  qsort_arg(sorted, count, sizeof(Datum), by_value, &ordering);
  for (int i = 1; i < count; ++i) {
    if (compare_values(column, sorted[i - 1], sorted[i]) != 0) continue;
    ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
                    errmsg("a value is in the domain of column \"%s\" twice", column.name),
                    errhint("Name each value once, for instance with ARRAY(SELECT DISTINCT …).")));
  }
}

// Groups of others would look like that of their values which came first.
void require_one_form(const DomainColumn& column) {
  if (has_one_form(column.type, column.typmod, column.collation)) return;
  ereport(ERROR,
          (errcode(ERRCODE_DATATYPE_MISMATCH),
           errmsg("values of type %s cannot be listed as the keys of groups",
                  format_type_be(column.type)),
           errdetail("Values of that type that are equal need not look the same."),
           errhint("Declare the domain of a generated column of another type, such as integer, or "
                   "text with a deterministic collation.")));
}

// A key that the owner did not name.
void note_null(const DomainColumn& column) {
  if (!may_be_null(column.table, column.number)) return;
  const char* name = quote_identifier(column.name);
  ereport(NOTICE, (errmsg("column \"%s\" may be NULL, so groups by it have one of NULL as well",
                          column.name),
                   errhint("ALTER TABLE %s ALTER COLUMN %s SET NOT NULL takes it away.",
                           quote_identifier(get_rel_name(column.table)), name)));
}

// Only bounds of whole numbers, dates and numbers with few digits list the keys between them, if
// these are not too many.
void note_unlisted(const DomainColumn& column, Datum lower, Datum upper) {
  const int64 count = is_countable(column) ? count_between(column, lower, upper) : 0;
  if (count > 0 && (column.type != NUMERICOID || count <= kMostNumbers)) {
    if (count <= kMostKeys - (may_be_null(column.table, column.number) ? 1 : 0)) {
      return note_null(column);
    }
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
  ereport(
      NOTICE,
      (errmsg("bounds of column \"%s\" are kept, and give no keys to groups", column.name),
       errdetail("Values of type %s between two bounds are not listed.",
                 format_type_be(column.type)),
       column.type == TIMESTAMPTZOID
           ? errhint("For groups give a grain, such as grain => '1 day', and the zone whose "
                     "days these are, such as zone => 'Europe/Berlin'.")
       : column.type == TIMESTAMPOID ? errhint("For groups give a grain, such as grain => '1 day'.")
       : is_number(column.type)
           ? errhint("Group by whole bins, at most %d of them, such as floor(%s / 10), or declare "
                     "the domain of a generated column of whole numbers.",
                     kMostKeys, quote_identifier(column.name))
       : has_one_form(column.type, column.typmod, column.collation)
           ? errhint("For groups declare a list, such as ARRAY['a', 'b'].")
           : errhint("For groups declare the domain of a generated column of "
                     "whole numbers, dates or texts.")));
}

// (table, column, keys as text[])
Datum set_list(FunctionCallInfo fcinfo) {
  PreventCommandIfReadOnly("idp.set_domain()");
  const DomainColumn column = declarable_column(fcinfo);
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
  note_null(column);
  PG_RETURN_VOID();
}

// (table, column, lower, upper as text)
Datum set_bounds(FunctionCallInfo fcinfo) {
  PreventCommandIfReadOnly("idp.set_domain()");
  const DomainColumn column = declarable_column(fcinfo);
  if (PG_ARGISNULL(2)) refuse_null("lower");
  if (PG_ARGISNULL(3)) refuse_null("upper");
  PlainOutput plain;
  const Datum lower = value_of_text(column, text_to_cstring(PG_GETARG_TEXT_PP(2)));
  const Datum upper = value_of_text(column, text_to_cstring(PG_GETARG_TEXT_PP(3)));
  if (compare_values(column, lower, upper) > 0) {
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

[[noreturn]] void refuse_grain(const char* message, const char* hint) {
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message), errhint("%s", hint)));
  pg_unreachable();
}

Grain grain_of(const DomainColumn& column, const char* words, const char* zone) {
  if (column.type != TIMESTAMPOID && column.type != TIMESTAMPTZOID) {
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("values of type %s have no grain", format_type_be(column.type)),
                    errhint("Give a grain to timestamps; of whole numbers and dates, group by "
                            "something coarser.")));
  }
  const bool has_zone = column.type == TIMESTAMPTZOID;
  if (has_zone && zone == nullptr) {
    refuse_grain("a domain of instants with a time zone needs the zone whose days these are",
                 "Name it, such as zone => 'Europe/Berlin'.");
  }
  if (!has_zone && zone != nullptr) {
    refuse_grain("the column has no time zone", "Leave zone out.");
  }
  const char* unit = unit_of_grain(words);
  if (unit == nullptr) {
    refuse_grain("a grain is one second, minute, hour, day, week, month, three months or a year",
                 "Give one of them, such as '1 day'.");
  }
  return {unit, zone};
}

void require_finite(Datum instant) {
  if (!TIMESTAMP_NOT_FINITE(DatumGetTimestamp(instant))) return;
  refuse_grain("a domain of instants has finite bounds",
               "Give two instants, such as '2024-01-01', '2027-01-01'.");
}

// (table, column, lower, upper as text, grain, zone): the cells from that of lower up to upper,
// which is in none of them if one begins there. Days are read, and begin, as clocks of the zone
// have them.
Datum set_grain(FunctionCallInfo fcinfo) {
  PreventCommandIfReadOnly("idp.set_domain()");
  const DomainColumn column = declarable_column(fcinfo);
  if (PG_ARGISNULL(2)) refuse_null("lower");
  if (PG_ARGISNULL(3)) refuse_null("upper");
  if (PG_ARGISNULL(4)) refuse_null("grain");
  PlainOutput plain;
  const char* zone = PG_ARGISNULL(5) ? nullptr : text_to_cstring(PG_GETARG_TEXT_PP(5));
  const Grain grain = grain_of(column, text_to_cstring(PG_GETARG_TEXT_PP(4)), zone);
  if (zone != nullptr) {
    (void)set_config_option("timezone", zone, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                            false);
  }
  const Datum lower = value_of_text(column, text_to_cstring(PG_GETARG_TEXT_PP(2)));
  const Datum upper = value_of_text(column, text_to_cstring(PG_GETARG_TEXT_PP(3)));
  require_finite(lower);
  require_finite(upper);
  if (compare_values(column, lower, upper) >= 0) {
    refuse_grain("the lower bound of a domain of instants is not below its upper bound",
                 "Give the lower one first; the upper one is not in the domain.");
  }
  const Datum first = cell_of(column.type, grain, lower);
  Datum end = cell_of(column.type, grain, upper);
  if (compare_values(column, end, upper) < 0) end = next_cell(column.type, grain, end);
  if (!clocks_keep_cells(column.type, grain, first, end)) {
    refuse_grain(psprintf("clocks of time zone %s are moved by parts of the grain", zone),
                 "Choose a grain of a day or more, or zone => 'UTC'.");
  }
  if (zone != nullptr) {
    (void)set_config_option("timezone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                            false);
  }
  const Datum lower_text = text_of_value(column, first);
  const Datum upper_text = text_of_value(column, end);
  plain.end();
  replace_row(column, 0, lower_text, upper_text, grain);
  note_null(column);
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
  const DomainRow row = domain_row(table, name);
  if (!row.exists) {
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT),
             errmsg("column \"%s\" of table \"%s\" has no domain", name, get_rel_name(table)),
             errhint("View idp.domains shows those there are.")));
  }
  delete_domain_row(row);
  forget_plans(table);
  PG_RETURN_VOID();
}

bool has_bounds(Oid table, const char* name) {
  const DomainRow row = domain_row(table, name);
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
    const DomainColumn column = column_numbered(table, number);
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
IDP_FUNCTION(idp_set_domain_grain, set_grain);
IDP_FUNCTION(idp_refuse_one_key, refuse_one_key);
IDP_FUNCTION(idp_drop_domain, drop_domain);
IDP_FUNCTION(idp_domain, domain_keys);

}  // extern "C"
#pragma GCC visibility pop

#include "extension/pg/catalog_lookup.h"

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"

extern "C" {
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "utils/acl.h"
#include "utils/catcache.h"
#include "utils/varlena.h"
#include "utils/typcache.h"
}

namespace idp {

Oid function_argument_type(Oid function, int position) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  const Oid type = position < count ? types[position] : InvalidOid;
  pfree(types);
  return type;
}

int function_argument_count(Oid function) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  pfree(types);
  return count;
}

Oid transition_function_of(Oid aggregate) {
  HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for aggregate %u", aggregate);
  const Oid transition = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(tuple))->aggtransfn;
  ReleaseSysCache(tuple);
  return transition;
}

char* qualified_name(const char* schema, const char* name) {
  const bool quotes_all = quote_all_identifiers;
  quote_all_identifiers = false;
  char* qualified = quote_qualified_identifier(schema, name);
  quote_all_identifiers = quotes_all;
  return qualified;
}

char* qualified_name(Oid table) {
  const char* name = OidIsValid(table) ? get_rel_name(table) : nullptr;
  const char* schema = name ? get_namespace_name(get_rel_namespace(table)) : nullptr;
  return schema ? qualified_name(schema, name) : nullptr;
}

namespace {

// With quotes, and without where they are never needed but for keywords.
List* spellings_of_identifier(const char* name) {
  StringInfoData quoted;
  initStringInfo(&quoted);
  appendStringInfoChar(&quoted, '"');
  bool is_plain = !(name[0] >= '0' && name[0] <= '9');
  for (const char* c = name; *c != '\0'; ++c) {
    is_plain &= (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_';
    if (*c == '"') appendStringInfoChar(&quoted, '"');
    appendStringInfoChar(&quoted, *c);
  }
  appendStringInfoChar(&quoted, '"');
  return is_plain ? list_make2(pstrdup(name), quoted.data) : list_make1(quoted.data);
}

}  // namespace

List* spellings_of(Oid table) {
  const char* name = OidIsValid(table) ? get_rel_name(table) : nullptr;
  const char* schema = name ? get_namespace_name(get_rel_namespace(table)) : nullptr;
  List* spellings = NIL;
  if (schema == nullptr) return NIL;
  for (auto* before : list<char>(spellings_of_identifier(schema))) {
    for (auto* after : list<char>(spellings_of_identifier(name))) {
      spellings = lappend(spellings, psprintf("%s.%s", before, after));
    }
  }
  return spellings;
}

Oid table_named(const char* qualified_name) {
  List* names = textToQualifiedNameList(cstring_to_text(qualified_name));
  if (list_length(names) != 2) return InvalidOid;
  const Oid schema = get_namespace_oid(strVal(linitial(names)), true);
  return OidIsValid(schema) ? get_relname_relid(strVal(lsecond(names)), schema) : InvalidOid;
}

bool relation_exists(Oid relation) {
  return OidIsValid(relation) && SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation));
}

Oid owner_id_of(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

char* owner_of(Oid table) {
  const Oid owner = owner_id_of(table);
  return OidIsValid(owner) ? GetUserNameFromId(owner, true) : nullptr;
}

bool owns(Oid table) { return owns_relation(table, GetUserId()); }

int column_count(Oid table) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", table);
  const int count = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relnatts;
  ReleaseSysCache(tuple);
  return count;
}

// The server has a name and a number for dropped ones, and no type.
char* column_name(Oid table, AttrNumber column) {
  return OidIsValid(get_atttype(table, column)) ? get_attname(table, column, true) : nullptr;
}

char* current_role_name() { return GetUserNameFromId(GetUserId(), false); }

int order_strategy(Oid op, Oid type) {
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  return OidIsValid(family) && OidIsValid(op) ? get_op_opfamily_strategy(op, family) : 0;
}

}  // namespace idp

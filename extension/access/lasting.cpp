#include "extension/access/lasting.h"

#include "extension/access/hidden.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

// Whoever owns a schema can drop what is in it, whosever that is: so not who asks, nor whom he can
// become.
bool can_drop_schema(Oid role, Oid owner) {
  return !superuser_arg(role) && is_member_of_role_nosuper(role, owner);
}

bool is_of_others_schema(Oid schema) {
  HeapTuple tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
  if (!HeapTupleIsValid(tuple)) return false;
  const Oid owner = reinterpret_cast<Form_pg_namespace>(GETSTRUCT(tuple))->nspowner;
  ReleaseSysCache(tuple);
  return !can_drop_schema(GetUserId(), owner) && !can_drop_schema(GetSessionUserId(), owner);
}

template <class Row>
bool is_of_superuser(int cache, Oid number, Oid Row::*owner, Oid Row::*schema) {
  HeapTuple tuple = SearchSysCache1(cache, ObjectIdGetDatum(number));
  if (!HeapTupleIsValid(tuple)) return false;
  const Row row = *reinterpret_cast<Row*>(GETSTRUCT(tuple));
  ReleaseSysCache(tuple);
  return superuser_arg(row.*owner) && is_of_others_schema(row.*schema);
}

// What values of a type are made of, as far as functions of the server look it up.
Oid inner_type(Oid type) {
  const Oid element = get_element_type(type);
  const Oid base = getBaseType(OidIsValid(element) ? element : type);
  return base == type ? type : inner_type(base);
}

// Whether who asks can neither drop a table of the query nor change its columns, whichever role he
// becomes: it is a hidden one, or one that is read for hidden rows, and nobody owns it who does not
// see all that is hidden here.
bool is_of_others(const RangeTblEntry* entry, const List* hidden) {
  if (entry->rtekind != RTE_RELATION || get_rel_relkind(entry->relid) == RELKIND_VIEW) return false;
  const bool is_hidden_too = is_hidden(entry->relid);
  for (const Oid table : oids(hidden)) {
    const bool is_others = is_hidden_too ? may_be_read_beside(entry->relid, table)
                                         : is_kept_by_others(entry->relid, table);
    if (!is_others) return false;
  }
  return true;
}

List* hidden_tables(const EState* state) {
  List* hidden = NIL;
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    if (entry->rtekind == RTE_RELATION && is_hidden(entry->relid)) {
      hidden = list_append_unique_oid(hidden, entry->relid);
    }
  }
  return hidden;
}

bool has_column_of(Oid table, Oid type) {
  Relation relation = relation_open(table, AccessShareLock);
  TupleDesc columns = RelationGetDescr(relation);
  bool has = false;
  for (int i = 0; i < columns->natts && !has; ++i) {
    const auto* column = TupleDescAttr(columns, i);
    has =
        !column->attisdropped && (column->atttypid == type || inner_type(column->atttypid) == type);
  }
  relation_close(relation, NoLock);
  return has;
}

}  // namespace

bool is_lasting_collation(Oid collation) {
  return collation < FirstNormalObjectId ||
         is_of_superuser(COLLOID, collation, &FormData_pg_collation::collowner,
                         &FormData_pg_collation::collnamespace);
}

bool is_lasting_operator(Oid op) {
  return op < FirstNormalObjectId || is_of_superuser(OPEROID, op, &FormData_pg_operator::oprowner,
                                                     &FormData_pg_operator::oprnamespace);
}

bool is_lasting_type(Oid type, const EState* state) {
  if (type < FirstNormalObjectId) return true;
  if (get_typtype(type) != TYPTYPE_ENUM &&
      is_of_superuser(TYPEOID, type, &FormData_pg_type::typowner,
                      &FormData_pg_type::typnamespace)) {
    return true;
  }
  const List* hidden = hidden_tables(state);
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    const bool is_its_row =
        entry->rtekind == RTE_RELATION && get_typ_typrelid(type) == entry->relid;
    if (is_of_others(entry, hidden) && (is_its_row || has_column_of(entry->relid, type)))
      return true;
  }
  return false;
}

bool is_type_of_owner(Oid type, const EState* state) {
  if (type < FirstNormalObjectId) return true;
  HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
  if (!HeapTupleIsValid(tuple)) return false;
  const auto* row = reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
  const Oid owner = row->typowner;
  const Oid schema = row->typnamespace;
  ReleaseSysCache(tuple);
  if (!is_of_others_schema(schema)) return false;
  for (const Oid table : oids(hidden_tables(state))) {
    if (!is_exempt(owner, table)) return false;
  }
  const Oid inner = inner_type(type);
  return inner == type || is_type_of_owner(inner, state);
}

}  // namespace idp

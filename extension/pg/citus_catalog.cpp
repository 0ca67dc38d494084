#include "extension/pg/citus_catalog.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_namespace.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

// Opens a catalog of Citus for reading; null if Citus is not there.
Relation open_catalog(const char* name) {
  const Oid catalog = get_relname_relid(name, PG_CATALOG_NAMESPACE);
  return OidIsValid(catalog) ? table_open(catalog, AccessShareLock) : nullptr;
}

// A column of the first row of a catalog, or of that with the key if it has a name; 0 if there is
// none.
Datum value_of(const char* catalog_name, const char* column_name, const char* key_name = nullptr,
               RegProcedure equal = InvalidOid, Datum key = 0) {
  Relation catalog = open_catalog(catalog_name);
  if (catalog == nullptr) return 0;
  const AttrNumber column = get_attnum(RelationGetRelid(catalog), column_name);
  const AttrNumber key_column =
      key_name == nullptr ? InvalidAttrNumber : get_attnum(RelationGetRelid(catalog), key_name);
  Datum value = 0;
  if (column != InvalidAttrNumber && (key_name == nullptr || key_column != InvalidAttrNumber)) {
    ScanKeyData scan_key;
    if (key_name != nullptr) ScanKeyInit(&scan_key, key_column, BTEqualStrategyNumber, equal, key);
    SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, nullptr,
                                          key_name == nullptr ? 0 : 1, &scan_key);
    HeapTuple tuple = systable_getnext(scan);
    if (HeapTupleIsValid(tuple)) {
      bool is_null = false;
      value = heap_getattr(tuple, column, RelationGetDescr(catalog), &is_null);
      const auto* type = TupleDescAttr(RelationGetDescr(catalog), column - 1);
      value = is_null ? 0 : datumCopy(value, type->attbyval, type->attlen);
    }
    systable_endscan(scan);
  }
  table_close(catalog, AccessShareLock);
  return value;
}

// Of a table.
Datum of_partition(const char* column, Oid table) {
  return value_of("pg_dist_partition", column, "logicalrelid", F_OIDEQ, ObjectIdGetDatum(table));
}

}  // namespace

bool is_citus_table(Oid table) {
  return OidIsValid(DatumGetObjectId(of_partition("logicalrelid", table)));
}

char citus_method_of(Oid table) { return DatumGetChar(of_partition("partmethod", table)); }

bool is_reference_table(Oid table) {
  constexpr char kOnEach = 't';
  return citus_method_of(table) == CitusMethod::kNone &&
         DatumGetChar(of_partition("repmodel", table)) == kOnEach;
}

// The column is kept as the text of a node.
HashDistribution hash_distribution_of(Oid table) {
  if (citus_method_of(table) != CitusMethod::kHash) return {};
  const Datum key = of_partition("partkey", table);
  if (key == 0) return {};
  const auto* column = maybe<Var>(static_cast<Node*>(stringToNode(TextDatumGetCString(key))));
  if (column == nullptr) return {};
  return {column->varattno, DatumGetInt32(of_partition("colocationid", table))};
}

// The name of a shard ends with its number. Anybody may give a table such a name; Citus keeps
// shards beside their table, as its owner's.
Oid citus_table_of_shard(Oid relation) {
  if (!OidIsValid(get_relname_relid("pg_dist_shard", PG_CATALOG_NAMESPACE))) return InvalidOid;
  const char* name = get_rel_name(relation);
  const char* number = name ? strrchr(name, '_') : nullptr;
  if (number == nullptr || number[1] == '\0' ||
      strspn(number + 1, "0123456789") != strlen(number + 1) || strlen(number) > 19) {
    return InvalidOid;
  }
  const int64 shard = strtoll(number + 1, nullptr, 10);
  const Oid table = DatumGetObjectId(
      value_of("pg_dist_shard", "logicalrelid", "shardid", F_INT8EQ, Int64GetDatum(shard)));
  const bool is_shard = OidIsValid(table) && table != relation &&
                        get_rel_namespace(table) == get_rel_namespace(relation) &&
                        owner_id_of(table) == owner_id_of(relation);
  return is_shard ? table : InvalidOid;
}

namespace {

// A column of all rows of a catalog that have the key.
template <class Take>
void for_each_value(const char* catalog_name, const char* index, const char* column_name,
                    const char* key_name, RegProcedure equal, Datum key, Take&& take) {
  Relation catalog = open_catalog(catalog_name);
  if (catalog == nullptr) return;
  ScanKeyData scan_key;
  ScanKeyInit(&scan_key, get_attnum(RelationGetRelid(catalog), key_name), BTEqualStrategyNumber,
              equal, key);
  SysScanDesc scan = systable_beginscan(catalog, get_relname_relid(index, PG_CATALOG_NAMESPACE),
                                        true, nullptr, 1, &scan_key);
  while (HeapTuple tuple = systable_getnext(scan)) {
    bool is_null = false;
    take(heap_getattr(tuple, get_attnum(RelationGetRelid(catalog), column_name),
                      RelationGetDescr(catalog), &is_null));
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
}

}  // namespace

int most_shards_of_one_server(Oid table) {
  List* servers = NIL;  // of each shard
  for_each_value("pg_dist_shard", "pg_dist_shard_logical_relid_index", "shardid", "logicalrelid",
                 F_OIDEQ, ObjectIdGetDatum(table), [&](Datum shard) {
                   for_each_value("pg_dist_placement", "pg_dist_placement_shardid_index", "groupid",
                                  "shardid", F_INT8EQ, shard, [&](Datum server) {
                                    servers = lappend_int(servers, DatumGetInt32(server));
                                  });
                 });
  int most = 0;
  for (const int server : ints(servers)) {
    int count = 0;
    for (const int other : ints(servers)) count += other == server ? 1 : 0;
    most = Max(most, count);
    if (2 * most >= list_length(servers)) break;
  }
  return most;
}

// The coordinator is group 0.
bool is_citus_worker() { return DatumGetInt32(value_of("pg_dist_local_group", "groupid")) != 0; }

}  // namespace idp

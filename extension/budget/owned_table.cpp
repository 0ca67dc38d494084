#include "extension/budget/owned_table.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/citus_catalog.h"

extern "C" {
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/inval.h"
}

namespace idp {

void require_owner(Oid table) {
  if (owns(table)) return;
  aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
}

void require_permanent(Oid table) {
  const char kind = get_rel_relkind(table);
  if (kind == '\0') {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table does not exist")));
  }
  if (IsCatalogRelationOid(table)) {
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("\"%s\" is a system catalog", get_rel_name(table))));
  }
  const bool has_rows = kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE ||
                        kind == RELKIND_MATVIEW || kind == RELKIND_FOREIGN_TABLE;
  if (has_rows && get_rel_persistence(table) != RELPERSISTENCE_TEMP) return;
  ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                  errmsg("\"%s\" is not a permanent table", get_rel_name(table))));
}

void require_protectable(Oid table) {
  const char kind = get_rel_relkind(table);
  if (kind == RELKIND_VIEW || kind == RELKIND_MATVIEW) {
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("\"%s\" is not a permanent table", get_rel_name(table)),
                    errhint("Protect the tables that the view reads.")));
  }
  require_permanent(table);
  if (kind == RELKIND_FOREIGN_TABLE) {
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("\"%s\" is a foreign table and cannot be protected", get_rel_name(table)),
             errdetail("Answers that other servers compute are not charged here."),
             errhint("Protect the table in the server that holds its rows, and ask there.")));
  }
  if (is_citus_worker() && (is_citus_table(table) || OidIsValid(citus_table_of_shard(table)))) {
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("\"%s\" cannot be protected here: Citus distributes it", get_rel_name(table)),
             errdetail("Its account is kept by the coordinator, for all of its rows."),
             errhint("Protect the distributed table on the coordinator.")));
  }
}

void lock_out_queries(Oid table, void (*require)(Oid)) {
  require(table);
  require_owner(table);
  LockRelationOid(table, AccessExclusiveLock);
  require(table);  // still there, and hers?
  require_owner(table);
  (void)find_all_inheritors(table, AccessExclusiveLock, nullptr);
}

// It is SQL (idp.hide_rows, idp.show_rows), run with the rights of the extension: parts may have
// owners of their own. Whatever it finds to do, all sessions look up anew which tables are hidden:
// this one before it, the others after the transaction.
void set_lock(Oid table, bool hidden) {
  CacheInvalidateRelcacheByRelid(table);
  CommandCounterIncrement();
  const Oid function = own_function(hidden ? "hide_rows" : "show_rows");
  if (OidIsValid(function)) (void)OidFunctionCall1(function, ObjectIdGetDatum(table));
}

}  // namespace idp

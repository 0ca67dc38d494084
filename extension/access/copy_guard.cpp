#include "extension/access/copy_guard.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
#include "utils/acl.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

const List* planned = nullptr;

}  // namespace

const List* begin_planned(const List* tables) {
  const List* before = planned;
  planned = tables;
  return before;
}

bool may_be_unplanned(List* tables, bool reports) {
  if (tables == planned) return true;
  for (const auto* entry : list<RangeTblEntry>(tables)) {
    const Oid table = entry->relid;
    if (!is_hidden(table)) continue;
    if (reports) refuse_unplanned(table);
    return false;
  }
  return true;
}

namespace {

// The views of statistics leave out tables with row security, and those that a role has no right
// to. A hidden part that is a foreign table has no row security, and nobody but its owner has a
// right to it; but for roles that may read all data.
bool shows_statistics_by_views() {
  if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_DATA)) return true;
  Relation tables = table_open(ForeignTableRelationId, AccessShareLock);
  SysScanDesc scan = systable_beginscan(tables, InvalidOid, false, nullptr, 0, nullptr);
  bool any_hidden = false;
  HeapTuple tuple;
  while (!any_hidden && HeapTupleIsValid(tuple = systable_getnext(scan))) {
    any_hidden = is_hidden(reinterpret_cast<Form_pg_foreign_table>(GETSTRUCT(tuple))->ftrelid);
  }
  systable_endscan(scan);
  table_close(tables, AccessShareLock);
  return !any_hidden;
}

}  // namespace

bool may_read_statistics(Oid relation, Oid role, bool reports) {
  if (relation != StatisticRelationId && relation != StatisticExtDataRelationId) return true;
  if (!hides_statistics()) return true;
  if (OidIsValid(role) && role != GetUserId() && shows_statistics_by_views()) return true;
  if (reports) refuse_statistics(relation);
  return false;
}

}  // namespace idp

#include "extension/access/copy_guard.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_authid.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
#include "utils/acl.h"
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

// The server's views of statistics leave out tables with row security, and those that a role has no
// right to. An index, whose statistics are those of its expressions, and a hidden part that is a
// foreign table have no row security, and nobody but an owner has a right to them; but for roles
// that may read all data.
bool shows_statistics_by_views() { return !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_DATA); }

}  // namespace

bool may_read_statistics(Oid relation, Oid role, bool reports) {
  if (relation != StatisticRelationId && relation != StatisticExtDataRelationId) return true;
  if (!hides_statistics()) return true;
  // another's view may be of anything, unless a superuser made it
  const bool is_view = OidIsValid(role) && role != GetUserId() && superuser_arg(role);
  if (is_view && shows_statistics_by_views()) return true;
  if (reports) refuse_statistics(relation);
  return false;
}

}  // namespace idp

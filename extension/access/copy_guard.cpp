#include "extension/access/copy_guard.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
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

bool may_read_statistics(Oid relation, Oid role, bool reports) {
  if (relation != StatisticRelationId && relation != StatisticExtDataRelationId) return true;
  if ((OidIsValid(role) && role != GetUserId()) || !hides_statistics()) return true;
  if (reports) refuse_statistics(relation);
  return false;
}

}  // namespace idp

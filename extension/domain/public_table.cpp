#include "extension/domain/public_table.h"

#include "extension/budget/account.h"
#include "extension/plan/gate.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
}

namespace idp {

namespace {

bool find_hidden_table(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_hidden_table, nullptr);
  auto* query = reinterpret_cast<Query*>(node);
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind != RTE_RELATION) continue;
    ListCell* account;
    foreach (account, protecting_accounts(entry->relid)) {
      if (static_cast<const Account*>(lfirst(account))->hidden) return true;
    }
  }
  return walk_query(query, find_hidden_table, nullptr);
}

bool has_protected_part(Oid table) {
  ListCell* cell;
  foreach (cell, find_all_inheritors(table, AccessShareLock, nullptr)) {
    const Oid part = lfirst_oid(cell);
    if (protecting_accounts(part) != NIL || has_gate_policy(part)) return true;
  }
  return false;
}

bool find_protected(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_protected, nullptr);
  auto* query = reinterpret_cast<Query*>(node);
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    // subqueries are walked; CTEs may be those of a query above
    if (entry->rtekind == RTE_CTE) return true;
    if (entry->rtekind == RTE_RELATION && has_protected_part(entry->relid)) return true;
  }
  return walk_query(query, find_protected, nullptr);
}

}  // namespace

bool may_read_protected(RangeTblEntry* entry) {
  switch (entry->rtekind) {
    case RTE_RELATION:
      return has_protected_part(entry->relid);
    case RTE_SUBQUERY:
      return find_protected(reinterpret_cast<Node*>(entry->subquery), nullptr);
    default:
      return entry->rtekind != RTE_VALUES;
  }
}

bool is_public_table(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_RELATION || entry->tablesample != nullptr ||
      entry->securityQuals != NIL || entry->relid < FirstNormalObjectId ||
      (entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_PARTITIONED_TABLE)) {
    return false;
  }
  return !has_protected_part(entry->relid);
}

bool reads_hidden_table(const Query* query) {
  return find_hidden_table(reinterpret_cast<Node*>(const_cast<Query*>(query)), nullptr);
}

}  // namespace idp

#include "extension/domain/public_table.h"

#include "extension/budget/account.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/gate.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rls.h"
}

namespace idp {

namespace {

bool find_hidden_table(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_hidden_table, nullptr);
  auto* query = as<Query>(node);
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_RELATION) continue;
    for (const auto* each : list<Account>(protecting_accounts(entry->relid))) {
      if (each->hidden) return true;
    }
  }
  return walk_query(query, find_hidden_table, nullptr);
}

bool has_protected_part(Oid table) {
  for (const Oid part : oids(find_all_inheritors(table, AccessShareLock, nullptr))) {
    if (protecting_accounts(part) != NIL || has_gate_policy(part)) return true;
  }
  return false;
}

bool find_protected(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_protected, nullptr);
  auto* query = as<Query>(node);
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
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
      return find_protected(as<Node>(entry->subquery), nullptr);
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

bool may_read_column(Oid table, AttrNumber column) {
  const Oid role = GetUserId();
  const bool is_granted = pg_class_aclcheck(table, role, ACL_SELECT) == ACLCHECK_OK ||
                          pg_attribute_aclcheck(table, column, role, ACL_SELECT) == ACLCHECK_OK;
  return is_granted && may_use_schema(get_rel_namespace(table), role) &&
         check_enable_rls(table, role, true) == RLS_NONE;
}

bool reads_hidden_table(const Query* query) {
  return find_hidden_table(as<Node>(const_cast<Query*>(query)), nullptr);
}

}  // namespace idp

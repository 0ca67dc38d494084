#include "extension/domain/public_table.h"

#include "extension/budget/account.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
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
  return walk_queries(query, find_hidden_table, nullptr);
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
  return walk_queries(query, find_protected, nullptr);
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

namespace {

// Whether a part of FROM may read protected rows.
bool reads_protected(const Query* query, const Node* node) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto number = static_cast<Index>(foreach_current_index(cell)) + 1;
    if (holds(node, number) && may_read_protected(static_cast<RangeTblEntry*>(lfirst(cell)))) {
      return true;
    }
  }
  return false;
}

// Whether no outer join in a part of FROM has NULL in place of protected rows, but beside others.
bool keeps_rows(const Query* query, const Node* node) {
  check_stack_depth();
  if (node == nullptr || IsA(node, RangeTblRef)) return true;
  if (IsA(node, JoinExpr)) {
    const auto* join = as<JoinExpr>(node);
    for (const Node* side : {join->larg, join->rarg}) {
      const Node* other = side == join->larg ? join->rarg : join->larg;
      const bool lacks = may_lack(join, side) && reads_protected(query, side);
      if (lacks && !reads_protected(query, other)) return false;
      if (!keeps_rows(query, side)) return false;
    }
    return true;
  }
  for (const auto* each : list<Node>(as<FromExpr>(node)->fromlist)) {
    if (!keeps_rows(query, each)) return false;
  }
  return true;
}

}  // namespace

bool keeps_protected_rows(const Query* query) {
  return keeps_rows(query, as<Node>(query->jointree));
}

}  // namespace idp

#include "extension/budget/remote_tables.h"

#include "extension/budget/account.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// A table has the rows of its partitions, and of what inherits from it.
bool has_protected_remote_part(Oid table) {
  if (!has_subclass(table)) return has_remote_rows(table) && accounts_of(table) != NIL;
  for (const Oid part : oids(find_all_inheritors(table, AccessShareLock, nullptr))) {
    if (has_remote_rows(part) && accounts_of(part) != NIL) return true;
  }
  return false;
}

struct Found {
  bool is_read = false;
  bool is_changed = false;  // one of Citus, which only Citus can
};

bool find_remote(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_remote, context);
  auto* found = static_cast<Found*>(context);
  auto* query = as<Query>(node);
  if (query->resultRelation > 0) {
    found->is_changed |= is_citus_table(rt_fetch(query->resultRelation, query->rtable)->relid);
  }
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_RELATION) continue;
    found->is_read = found->is_read || has_protected_remote_part(entry->relid);
  }
  return walk_query(query, find_remote, context);
}

}  // namespace

bool has_remote_rows(Oid table) {
  if (get_rel_relkind(table) == RELKIND_FOREIGN_TABLE) return true;
  const char method = citus_method_of(table);
  return method == CitusMethod::kHash || method == CitusMethod::kNone;
}

bool reads_protected_remote_rows(const Query* query) {
  Found found;
  (void)find_remote(as<Node>(const_cast<Query*>(query)), &found);
  return found.is_read && !found.is_changed;
}

}  // namespace idp

#include "extension/budget/remote_tables.h"

#include "extension/budget/account.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

struct Found {
  List* tables = NIL;       // that are read, with the parts of each
  bool is_changed = false;  // one of Citus, which only Citus can
};

bool find_tables(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_tables, context);
  auto* found = static_cast<Found*>(context);
  auto* query = as<Query>(node);
  if (query->resultRelation > 0) {
    found->is_changed |= is_citus_table(rt_fetch(query->resultRelation, query->rtable)->relid);
  }
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_RELATION) continue;
    List* parts = has_subclass(entry->relid)
                      ? find_all_inheritors(entry->relid, AccessShareLock, nullptr)
                      : list_make1_oid(entry->relid);
    found->tables = list_concat_unique_oid(found->tables, parts);
  }
  return walk_queries(query, find_tables, context);
}

bool is_foreign(Oid table) { return get_rel_relkind(table) == RELKIND_FOREIGN_TABLE; }

template <class Test>
bool any_of(const List* tables, Test test) {
  for (const Oid table : oids(tables)) {
    if (test(table)) return true;
  }
  return false;
}

}  // namespace

bool has_remote_rows(Oid table) {
  if (is_foreign(table)) return true;
  const char method = citus_method_of(table);
  return method == CitusMethod::kHash || method == CitusMethod::kNone;
}

// Accounts are looked for where there are tables elsewhere alone.
bool needs_remote_rows(const Query* query) {
  Found found;
  (void)find_tables(as<Node>(const_cast<Query*>(query)), &found);
  if (found.is_changed) return false;
  const auto is_protected = [](Oid table) { return accounts_of(table) != NIL; };
  if (any_of(found.tables, [](Oid table) { return is_citus_table(table); })) {
    return any_of(found.tables, is_protected);
  }
  return any_of(found.tables, [&](Oid table) { return is_foreign(table) && is_protected(table); });
}

}  // namespace idp

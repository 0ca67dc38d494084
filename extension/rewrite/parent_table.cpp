#include "extension/rewrite/parent_table.h"

#include "extension/plan/new_query.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"
#include "extension/plan/gate.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "storage/lmgr.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

List* names_of_columns(Oid table) {
  List* names = NIL;
  for (AttrNumber number = 1; number <= column_count(table); ++number) {
    const char* name = column_name(table, number);
    names = lappend(names, makeString(pstrdup(name == nullptr ? "" : name)));
  }
  return names;
}

// The gate of the table that is linked stands before the other one, too.
List* gates_of(const RangeTblEntry* entry) {
  List* gates = NIL;
  for (auto* condition : list<Node>(entry->securityQuals)) {
    if (is_gate(condition) && !contain_var_clause(condition)) {
      gates = lappend(gates, copyObjectImpl(condition));
    }
  }
  return gates;
}

RangeTblEntry* entry_of(Query* query, Oid table, const RangeTblEntry* linked) {
  LockRelationOid(table, AccessShareLock);
  RangeTblEntry* entry = new_entry(RTE_RELATION, get_rel_name(table), names_of_columns(table));
  entry->relid = table;
  entry->relkind = get_rel_relkind(table);
  entry->rellockmode = AccessShareLock;
  entry->inh = true;
  entry->securityQuals = gates_of(linked);
  read_by_rights_of(query, entry, owner_id_of(table));
  return entry;
}

}  // namespace

int join_parent(Query* query, int number, AttrNumber link, Oid parent, AttrNumber referenced) {
  const RangeTblEntry* linked = rt_fetch(number, query->rtable);
  Var* column = column_of_table(number, linked->relid, link);
  query->rtable = lappend(query->rtable, entry_of(query, parent, linked));
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = list_length(query->rtable);
  query->jointree->fromlist = lappend(query->jointree->fromlist, reference);
  Var* key = column_of_table(reference->rtindex, parent, referenced);
  Node* condition = operation("=", as<Node>(column), as<Node>(key));
  query->jointree->quals = make_and_qual(query->jointree->quals, condition);
  return reference->rtindex;
}

}  // namespace idp

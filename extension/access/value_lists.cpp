#include "extension/access/value_lists.h"

#include "extension/access/hidden.h"
#include "extension/domain/all_groups.h"
#include "extension/domain/pull_up.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_columns.h"
#include "extension/domain/key_table.h"
#include "extension/domain/public_table.h"
#include "extension/domain/references.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/query_steps.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// --- what it reads ---

// One of Citus without an account is not planned here (budget/remote_tables.h).
bool is_hidden_entry(const RangeTblEntry* entry) {
  return entry->rtekind == RTE_RELATION && is_hidden(entry->relid) &&
         (has_hiding_account(entry->relid) || !is_citus_table(entry->relid));
}

struct Read {
  Query* query;
  List* hidden = NIL;      // of RangeTblEntry
  List* conditions = NIL;  // besides those of joins along references
  List* references = NIL;  // of OpExpr: those of inner joins along references
};

bool add_conditions(Read* read, Node* all, bool keeps_others) {
  for (auto* condition : idp::list<Node>(conjuncts(all))) {
    if (is_reference(read->query, condition)) {
      if (keeps_others) read->references = lappend(read->references, condition);
      continue;
    }
    if (!keeps_others) return false;
    read->conditions = lappend(read->conditions, condition);
  }
  return true;
}

// Whether a part of FROM reads tables alone, hidden ones and others, joined along references.
bool add_read(Read* read, Node* from) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) {
    RangeTblEntry* entry = rt_fetch(as<RangeTblRef>(from)->rtindex, read->query->rtable);
    if (is_hidden_entry(entry)) read->hidden = lappend(read->hidden, entry);
    return is_hidden_entry(entry) || is_public_table(entry);
  }
  if (IsA(from, JoinExpr)) {
    auto* join = as<JoinExpr>(from);
    const bool is_inner = join->jointype == JOIN_INNER;
    return (is_inner || join->jointype == JOIN_LEFT) &&
           add_conditions(read, join->quals, is_inner) && add_read(read, join->larg) &&
           add_read(read, join->rarg);
  }
  const auto* list = as<FromExpr>(from);
  for (auto* node : idp::list<Node>(list->fromlist)) {
    if (!add_read(read, node)) return false;
  }
  return add_conditions(read, list->quals, true);
}

// Whether it shows each value once, however many rows have it. Windows and functions that return
// sets see groups, but not what DISTINCT leaves.
bool shows_values_once(const Query* query) {
  const bool only_distinct = query->groupClause == NIL && query->distinctClause != NIL &&
                             !query->hasWindowFuncs && !query->hasTargetSRFs;
  return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasForUpdate &&
         query->rowMarks == NIL && query->setOperations == nullptr &&
         (query->groupClause != NIL || only_distinct);
}

// Whether the values of a side of a reference are seen by those of columns: it is one of these, or
// of the same row of a public table.
bool is_seen(const Query* query, const Node* side, const List* columns) {
  const auto* column = as<Var>(side);
  const bool is_public = is_public_table(rt_fetch(column->varno, query->rtable));
  for (const auto* other : idp::list<Var>(columns)) {
    if (is_same_column(column, other) || (is_public && column->varno == other->varno)) return true;
  }
  return false;
}

// Those that tell which values of columns go together.
List* references_of(const Read& read, const List* columns) {
  List* found = NIL;
  for (auto* reference : idp::list<OpExpr>(read.references)) {
    if (is_seen(read.query, static_cast<Node*>(linitial(reference->args)), columns) &&
        is_seen(read.query, static_cast<Node*>(lsecond(reference->args)), columns)) {
      found = lappend(found, reference);
    }
  }
  return found;
}

void change_expressions(Query* query, List* keys) {
  change_shown(query, [&](Node* shown) { return over_keys(shown, keys); });
  change_grouped(query, [&](Node* grouped) { return over_keys(grouped, keys); });
}

// Whether it is answered by keys alone from now on.
bool list_keys(Query* query) {
  if (query->cteList != NIL) return false;
  Read read{query};
  const bool is_known = query->jointree != nullptr && add_read(&read, as<Node>(query->jointree));
  if (!is_known || read.hidden == NIL) return false;
  List* where = read.conditions;
  UsedColumns used{entry_of_groups(query)};
  List* grouped = grouped_expressions(query);
  add_used_columns(&used, as<Node>(grouped));
  add_used_columns(&used, as<Node>(query->targetList));
  add_used_columns(&used, query->havingQual);
  add_used_columns(&used, as<Node>(where));
  if (!used.is_plain || used.columns == NIL) return false;
  where = list_concat_copy(where, references_of(read, used.columns));
  add_used_columns(&used, as<Node>(where));
  List* shown = list_concat_copy(grouped, get_tlist_exprs(query->targetList, true));
  List* conditions = NIL;
  List* keys = key_columns(query, used.columns, shown, &conditions, nullptr);
  if (keys == NIL) return false;
  // nobody declared that there is such a value
  for (const auto* key : idp::list<KeyColumn>(keys)) {
    if (key->is_pinned) return false;
  }
  if (!sees_cells_alone(as<Node>(query->targetList), keys) ||
      !sees_cells_alone(query->havingQual, keys) || !sees_cells_alone(as<Node>(grouped), keys)) {
    return false;
  }
  // all of WHERE, for the keys that are left
  List* of_cells = NIL;
  for (auto* node : idp::list<Node>(where)) {
    Node* condition = condition_on_cells(node, keys);
    if (condition == nullptr) return false;
    of_cells = lappend(of_cells, condition);
  }
  read_keys(query, keys, of_cells);
  change_expressions(query, keys);
  for (auto* entry : idp::list<RangeTblEntry>(read.hidden)) entry->securityQuals = NIL;
  query->hasRowSecurity = true;  // the plan is for roles from which the table is hidden
  return true;
}

// The same, or of what it is without the subqueries in its FROM.
bool list_keys_anyhow(Query* query) {
  if (list_keys(query)) return true;
  Query* flat = flattened(query);
  if (flat == nullptr || !list_keys(flat)) return false;
  *query = *flat;
  return true;
}

bool visit(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, nullptr);
  auto* query = as<Query>(node);
  // private aggregates read rows: they ask about those that have the values, not for these
  if (has_own_aggregate(as<Node>(query->targetList)) || has_own_aggregate(query->havingQual)) {
    return false;
  }
  if (shows_values_once(query)) (void)list_keys_anyhow(query);
  return walk_queries(query, visit, nullptr);
}

}  // namespace

bool is_value_list(const Query* query) {
  return shows_values_once(query) && list_keys_anyhow(copy_of(query));
}

void list_values(Query* query) {
  if (may_have_domains(query)) (void)visit(as<Node>(query), nullptr);
}

}  // namespace idp

// A condition on keys of groups holds of all rows of a group or of none, so it can be asked of the
// groups: where it reads answers, these are drawn beside those of the groups, and not below them.
//
//   SELECT status, sum(amount) FROM orders
//   JOIN (SELECT status, sum(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 5) top USING
//   (status) GROUP BY status ORDER BY 2
//
// becomes
//
//   SELECT groups.* FROM (SELECT status, sum(amount) FROM orders GROUP BY status) groups
//   JOIN (SELECT status, …) top ON groups.status = top.status ORDER BY 2
#include "extension/domain/new_query.h"
#include "extension/domain/used_columns.h"
#include "extension/pg/nodes.h"
#include "extension/rewrite/simplify.h"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- what can be lifted ---

// Whether it answers for groups, and nothing comes after them but order and limits.
bool answers_for_groups(Query* query) {
  return query->commandType == CMD_SELECT && query->hasAggs && query->groupClause != NIL &&
         query->groupingSets == NIL && !query->hasWindowFuncs && !query->hasTargetSRFs &&
         query->setOperations == nullptr && query->cteList == NIL && query->rowMarks == NIL &&
         query->distinctClause == NIL && !names_outer_columns(query);
}

bool find_answers(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_answers, nullptr);
  auto* query = as<Query>(node);
  return query->hasAggs || walk_query(query, find_answers, nullptr);
}

bool is_key(const List* keys, const Node* value) { return list_member(keys, value); }

// x IN (SELECT …), of a key and of answers that name nothing of the query.
const SubLink* membership_of_key(const List* keys, Node* condition) {
  const auto* link = maybe<SubLink>(condition);
  if (link == nullptr || link->subLinkType != ANY_SUBLINK) return nullptr;
  const auto* comparison = as<OpExpr>(link->testexpr);
  const bool is_of_key = IsA(comparison, OpExpr) && list_length(comparison->args) == 2 &&
                         is_key(keys, static_cast<const Node*>(linitial(comparison->args)));
  auto* subquery = as<Query>(link->subselect);
  return is_of_key && find_answers(link->subselect, nullptr) && !names_outer_columns(subquery)
             ? link
             : nullptr;
}

// The key in key = column of the entry; null if the condition is of another kind.
Node* key_compared_with(const List* keys, const Node* condition, int entry, AttrNumber* column) {
  if (!IsA(condition, OpExpr)) return nullptr;
  const auto* comparison = as<OpExpr>(condition);
  if (list_length(comparison->args) != 2) return nullptr;
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  const auto is_of_entry = [&](const Node* node) {
    return IsA(node, Var) && as<Var>(node)->varno == entry;
  };
  if (is_of_entry(left)) std::swap(left, right);
  const Oid family = lookup_type_cache(exprType(left), TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  if (!is_of_entry(right) || !is_key(keys, left) || !OidIsValid(family) ||
      get_op_opfamily_strategy(comparison->opno, family) != BTEqualStrategyNumber) {
    return nullptr;
  }
  *column = as<Var>(right)->varattno;
  return left;
}

// Whether each of its rows has other values in the columns: it groups by some of them.
bool has_row_for_each(const Query* query, const Bitmapset* columns) {
  if (query->groupClause == NIL || query->groupingSets != NIL || query->setOperations != nullptr ||
      query->hasTargetSRFs) {
    return false;
  }
  for (const auto* clause : list<SortGroupClause>(query->groupClause)) {
    bool is_among = false;
    for (const auto* target : list<TargetEntry>(query->targetList)) {
      is_among |= target->ressortgroupref == clause->tleSortGroupRef &&
                  bms_is_member(target->resno, columns);
    }
    if (!is_among) return false;
  }
  return true;
}

struct Search {
  int entry;
  const Node* besides;  // the condition of the join
};

bool find_column_of(Node* node, void* context) {
  if (node == nullptr) return false;
  const auto* search = static_cast<const Search*>(context);
  if (node == search->besides) return false;
  if (IsA(node, Var)) return as<Var>(node)->varno == search->entry;
  if (IsA(node, Query)) return false;  // it names no columns from here
  return walk_expression(node, find_column_of, context);
}

// Whether nothing but the condition of the join names columns of an entry.
bool is_read_by_join_alone(Query* query, int entry, const Node* condition) {
  Search search{entry, condition};
  return !walk_query(query, find_column_of, &search,
                     QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_JOINALIASES);
}

// Whether a join has answers on its right side that choose among keys of the groups.
bool joins_answers(Query* query, const List* keys, const JoinExpr* join) {
  const auto* reference = maybe<RangeTblRef>(join->rarg);
  if (join->jointype != JOIN_INNER || join->alias != nullptr || join->usingClause != NIL ||
      reference == nullptr || join->quals == nullptr) {
    return false;
  }
  const RangeTblEntry* entry = rt_fetch(reference->rtindex, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral ||
      !find_answers(as<Node>(entry->subquery), nullptr)) {
    return false;
  }
  Bitmapset* columns = nullptr;
  for (const auto* condition : list<Node>(make_ands_implicit(as<Expr>(join->quals)))) {
    AttrNumber column = InvalidAttrNumber;
    if (key_compared_with(keys, condition, reference->rtindex, &column) == nullptr || column <= 0) {
      return false;
    }
    columns = bms_add_member(columns, column);
  }
  return has_row_for_each(entry->subquery, columns) &&
         is_read_by_join_alone(query, reference->rtindex, join->quals);
}

// --- the query of the groups, and the one around it ---

struct Lifted {
  Query* groups;
  Query* outer;
  List* keys;  // what is grouped by, as the query of the groups has it
};

// What a key is for the outer query; the query of the groups shows it.
Node* shown_key(Lifted& lifted, const Node* key) {
  Query* groups = lifted.groups;
  AttrNumber number = InvalidAttrNumber;
  for (const auto* target : list<TargetEntry>(groups->targetList)) {
    if (equal(target->expr, key)) number = target->resno;
  }
  Assert(number != InvalidAttrNumber);  // what is grouped by is in the list
  return as<Node>(makeVar(1, number, exprType(key), exprTypmod(key), exprCollation(key), 0));
}

struct Change {
  Lifted* lifted;
  int entry;  // of the query of the groups
  int moved;  // where it stands in the outer query
};

Node* of_outer(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  const auto* change = static_cast<const Change*>(context);
  if (IsA(node, Var) && change->entry > 0 && as<Var>(node)->varno == change->entry) {
    auto* column = static_cast<Var*>(copyObjectImpl(node));
    column->varno = change->moved;
    column->varnosyn = 0;
    column->varattnosyn = 0;
    return as<Node>(column);
  }
  if (is_key(change->lifted->keys, node)) return shown_key(*change->lifted, node);
  return map_expression(node, of_outer, context);
}

Node* reference_to(int number) {
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = number;
  return as<Node>(reference);
}

// Moves the right side of a join to the outer query.
Node* lift_join(Lifted& lifted, JoinExpr* join) {
  const int number = as<RangeTblRef>(join->rarg)->rtindex;
  Query* outer = lifted.outer;
  outer->rtable = lappend(outer->rtable, rt_fetch(number, lifted.groups->rtable));
  const int moved = list_length(outer->rtable);
  Change change{&lifted, number, moved};
  outer->jointree->fromlist = lappend(outer->jointree->fromlist, reference_to(moved));
  outer->jointree->quals = make_and_qual(outer->jointree->quals, of_outer(join->quals, &change));
  list_nth_cell(lifted.groups->rtable, number - 1)->ptr_value =
      new_entry(RTE_RESULT, "*RESULT*", NIL);
  if (join->rtindex > 0) {
    list_nth_cell(lifted.groups->rtable, join->rtindex - 1)->ptr_value =
        new_entry(RTE_RESULT, "*RESULT*", NIL);
  }
  return join->larg;
}

// The parts of FROM that inner joins alone stand above, without those that are lifted.
Node* without_answers(Lifted& lifted, Node* node) {
  if (!IsA(node, JoinExpr)) return node;
  auto* join = as<JoinExpr>(node);
  if (join->jointype != JOIN_INNER) return node;
  join->larg = without_answers(lifted, join->larg);
  return joins_answers(lifted.groups, lifted.keys, join) ? lift_join(lifted, join) : node;
}

Node* without_memberships(Lifted& lifted, Node* conditions) {
  Node* left = nullptr;
  Change change{&lifted, 0, 0};
  for (auto* condition : list<Node>(make_ands_implicit(as<Expr>(conditions)))) {
    if (membership_of_key(lifted.keys, condition) == nullptr) {
      left = make_and_qual(left, condition);
      continue;
    }
    Query* outer = lifted.outer;
    outer->jointree->quals = make_and_qual(outer->jointree->quals, of_outer(condition, &change));
    outer->hasSubLinks = true;
  }
  return left;
}

bool find_subquery(Node* node, void*) {
  if (node == nullptr) return false;
  return IsA(node, SubLink) || walk_expression(node, find_subquery, nullptr);
}

// Order, limits and names are those of the outer query from now on.
void move_above(Lifted& lifted) {
  Query* groups = lifted.groups;
  Query* outer = lifted.outer;
  RangeTblEntry* entry = static_cast<RangeTblEntry*>(linitial(outer->rtable));
  for (auto* target : list<TargetEntry>(groups->targetList)) {
    auto* shown = static_cast<TargetEntry*>(palloc(sizeof(TargetEntry)));
    *shown = *target;
    auto* value = as<Node>(target->expr);
    shown->expr = as<Expr>(
        makeVar(1, target->resno, exprType(value), exprTypmod(value), exprCollation(value), 0));
    outer->targetList = lappend(outer->targetList, shown);
    target->resjunk = false;
    if (target->resname == nullptr) target->resname = pstrdup("?column?");
    entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup(target->resname)));
  }
  outer->sortClause = groups->sortClause;
  outer->limitCount = groups->limitCount;
  outer->limitOffset = groups->limitOffset;
  outer->limitOption = groups->limitOption;
  groups->sortClause = NIL;
  groups->limitCount = groups->limitOffset = nullptr;
  groups->limitOption = LIMIT_OPTION_COUNT;
  groups->hasSubLinks = walk_query(groups, find_subquery, nullptr, QTW_IGNORE_RT_SUBQUERIES);
}

bool has_something_to_lift(Query* query, const List* keys, const Node* node) {
  if (IsA(node, RangeTblRef)) return false;
  if (IsA(node, JoinExpr)) {
    const auto* join = as<JoinExpr>(node);
    return join->jointype == JOIN_INNER &&
           (joins_answers(query, keys, join) || has_something_to_lift(query, keys, join->larg));
  }
  const auto* from = as<FromExpr>(node);
  for (const auto* part : list<Node>(from->fromlist)) {
    if (has_something_to_lift(query, keys, part)) return true;
  }
  for (auto* condition : list<Node>(make_ands_implicit(as<Expr>(from->quals)))) {
    if (membership_of_key(keys, condition) != nullptr) return true;
  }
  return false;
}

}  // namespace

void lift_conditions(Query* query) {
#if PG_VERSION_NUM >= 180000
  if (entry_of_groups(query) != 0) return;  // what is grouped by has other columns there
#endif
  if (query->jointree == nullptr || !answers_for_groups(query)) return;
  List* keys = grouped_expressions(query);
  if (!has_something_to_lift(query, keys, as<Node>(query->jointree))) return;
  auto* groups = static_cast<Query*>(palloc(sizeof(Query)));
  *groups = *query;
  Lifted lifted{groups, new_query(), keys};
  Query* outer = lifted.outer;
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "groups", NIL);
  entry->subquery = groups;
  outer->rtable = list_make1(entry);
  outer->jointree = makeFromExpr(list_make1(reference_to(1)), nullptr);
  outer->hasRowSecurity = query->hasRowSecurity;
  outer->querySource = query->querySource;
  outer->canSetTag = query->canSetTag;
  outer->stmt_location = query->stmt_location;
  outer->stmt_len = query->stmt_len;
  outer->queryId = query->queryId;
  ListCell* cell;
  foreach (cell, groups->jointree->fromlist) {
    lfirst(cell) = without_answers(lifted, static_cast<Node*>(lfirst(cell)));
  }
  groups->jointree->quals = without_memberships(lifted, groups->jointree->quals);
  move_above(lifted);
  *query = *outer;
}

}  // namespace idp

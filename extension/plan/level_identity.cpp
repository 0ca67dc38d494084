#include "extension/plan/level_identity.h"

#include "extension/plan/new_query.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parameters.h"
#include "extension/plan/identity.h"
#include "extension/plan/meanings.h"
#include "extension/plan/recorded_question.h"

namespace idp {

namespace {

int by_text(const ListCell* a, const ListCell* b) {
  return strcmp(strVal(lfirst(a)), strVal(lfirst(b)));
}

// What the groups of each grouping set are told apart by, of String. The planner has written ROLLUP
// and CUBE out. named: of String, for each key. Nothing is found of what is not known.
List* named_sets(const Query* query, const List* named) {
  List* sets = NIL;
  ListCell* cell;
  ListCell* inner;
  foreach (cell, query->groupingSets) {
    const auto* set = static_cast<const List*>(lfirst(cell));
    if (set != NIL && !IsA(set, IntList)) return NIL;
    List* keys = NIL;
    foreach (inner, query->groupClause) {
      const auto* clause = static_cast<const SortGroupClause*>(lfirst(inner));
      if (!list_member_int(set, static_cast<int>(clause->tleSortGroupRef))) continue;
      keys = lappend(keys, list_nth(named, foreach_current_index(inner)));
    }
    list_sort(keys, by_text);
    sets = lappend(sets, makeString(nodeToString(keys)));
  }
  list_sort(sets, by_text);
  return sets;
}

char* identity_of_key(const List* key, const List* meanings, List* subqueries) {
  const auto* value = static_cast<const Node*>(list_nth(key, recorded::kKey));
  return identity_of(by_digest(by_meaning(value, meanings), subqueries));
}

}  // namespace

Query* told_of_level(const Query* query) {
  auto* from = static_cast<FromExpr*>(palloc(sizeof(FromExpr)));
  *from = *query->jointree;
  from->quals = nullptr;  // conditions stand by themselves
  auto* told = makeNode(Query);
  told->commandType = CMD_SELECT;
  told->rtable = entries_that_count(const_cast<Query*>(query));
  told->jointree = from;
  told->cteList = query->cteList;
  told->groupClause = query->groupClause;
  told->groupingSets = query->groupingSets;
  return told;
}

bool has_parameters(Query* told, List* keys) {
  if (names_parameters(as<Node>(told))) return true;
  for (auto* key : list<List>(keys)) {
    if (names_parameters(static_cast<Node*>(list_nth(key, recorded::kKey)))) return true;
  }
  return false;
}

bool follows_session(const Query* told, List* keys) {
  if (follows_session(as<Node>(told->jointree))) return true;
  for (const auto* entry : list<RangeTblEntry>(told->rtable)) {
    if (follows_session(as<Node>(entry->securityQuals))) return true;
  }
  for (auto* key : list<List>(keys)) {
    if (follows_session(static_cast<Node*>(list_nth(key, recorded::kKey)))) return true;
  }
  return false;
}

LevelIdentity identity_of_level(const Query* told, List* keys, List* subqueries) {
  const LevelMeanings level = meanings_of_level(told->rtable);
  List* meanings = level.meanings;
  // The planner has the keys in the order that the statement sorts by.
  List* grouped = NIL;
  ListCell* key;
  ListCell* clause;
  forboth(key, keys, clause, told->groupClause) {
    const char* value =
        identity_of_key(static_cast<const List*>(lfirst(key)), meanings, subqueries);
    const Oid equality = static_cast<const SortGroupClause*>(lfirst(clause))->eqop;
    grouped = lappend(grouped, makeString(psprintf("%s by %u", value, equality)));
  }
  for (int i = list_length(told->groupClause); i < list_length(keys); ++i) {
    grouped =
        lappend(grouped, makeString(identity_of_key(static_cast<const List*>(list_nth(keys, i)),
                                                    meanings, subqueries)));
  }
  List* sets = named_sets(told, grouped);
  if (list_length(sets) != list_length(told->groupingSets)) return kUnknownLevel;
  list_sort(grouped, by_text);
  Node* joined = by_meaning(reinterpret_cast<Node*>(told->jointree), meanings);
  return {digest_of_identity(list_make5(level.entries, told->cteList, joined, grouped, sets)),
          meanings};
}

}  // namespace idp

// What a query groups by. From PostgreSQL 18 on that is an entry of its range table, whose columns
// stand for it in SELECT, HAVING and ORDER BY; before, each of these has the expressions
// themselves.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// What the entry has for columns if it is that one; else empty.
inline List* grouped_in(const RangeTblEntry* entry) {
#if PG_VERSION_NUM >= 180000
  return entry->rtekind == RTE_GROUP ? entry->groupexprs : NIL;
#else
  (void)entry;
  return NIL;
#endif
}

// The expression that a column of the entry stands for.
inline Node* grouped_by(const RangeTblEntry* entry, AttrNumber column) {
  return static_cast<Node*>(list_nth(grouped_in(entry), column - 1));
}

// Its number; 0 if there is none.
Index entry_of_groups(const Query* query);

// Of Node, in the order of GROUP BY.
List* grouped_expressions(const Query* query);

// Whether a column has one value in each group by those expressions: they hold the primary key of
// its table, in this query. The parser asks the same; what changed expressions since may not have
// changed both alike.
bool follows_from_keys(const Node* column, const List* keys, const List* entries);

// Has the columns of the entry, if there is one, stand for what change(Node*) makes of them.
template <class Change>
void change_grouped(Query* query, Change change) {
#if PG_VERSION_NUM >= 180000
  if (const Index groups = entry_of_groups(query)) {
    List*& grouped = static_cast<RangeTblEntry*>(list_nth(query->rtable, groups - 1))->groupexprs;
    grouped = reinterpret_cast<List*>(change(reinterpret_cast<Node*>(grouped)));
  }
#else
  (void)query;
  (void)change;
#endif
}

// Has what a query shows, and what it asks of groups, be what change(Node*) makes of them.
template <class Change>
void change_shown(Query* query, Change change) {
  query->targetList = reinterpret_cast<List*>(change(reinterpret_cast<Node*>(query->targetList)));
  query->havingQual = change(query->havingQual);
}

// A column of that entry, where it has become another one.
Node* column_of_groups(const Var* column, int entry);

}  // namespace idp

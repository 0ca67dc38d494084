// A query in the queries around it, and where the values of a column of it come from.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

struct QueryLevel {
  Query* query;
  const QueryLevel* outer;  // null of the whole statement
};

// A CTE, and the level whose WITH has it: that of the entry, or one further out.
struct FoundCte {
  CommonTableExpr* cte = nullptr;
  const QueryLevel* owner = nullptr;
};
FoundCte cte_of(const QueryLevel& level, const RangeTblEntry* entry);

// The column of a table whose values a column of a query has, as they are, be it by subqueries,
// views, CTEs and joins; which may leave out rows, and put NULL in. By a set operation it has those
// of several, or of one of them.
struct TableColumn {
  Oid table = InvalidOid;  // invalid if there is none
  AttrNumber number = InvalidAttrNumber;
};
TableColumn origin_of(const QueryLevel& level, const Node* value);
List* origins_of(const QueryLevel& level, const Node* value);  // of TableColumn; NIL: it has others
// Whether it has values of such columns alone.
bool comes_only_from(const QueryLevel& level, const Node* value,
                     bool (*columns)(const TableColumn&));

// Of a column of a partition that of the whole table, where it may have another number; any other
// column itself.
TableColumn column_of_whole(const TableColumn& column);

// The rank among rows, from 1 on, that a column of an entry is, be it by further subqueries; null
// if it is none. within: where it is not null it is set to the query whose rows they are.
const WindowFunc* rank_shown(const RangeTblEntry* entry, AttrNumber number,
                             Query** within = nullptr);

// Whether its rows hang on those of a query around it.
bool is_correlated(const QueryLevel& level);

}  // namespace idp

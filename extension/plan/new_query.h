// Parts of queries, as the parser makes them.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

Query* new_query();
RangeTblEntry* new_entry(RTEKind kind, const char* name, List* column_names);
TargetEntry* output(Node* expression, int position, const char* name);
// That a query groups by a column that it shows, sorts by it, or has it once.
SortGroupClause* clause_of(TargetEntry* target, Index reference);
// Of the columns that it shows.
List* names_of(const Query* query);

// A column of the first entry, a query with these columns (of TargetEntry): the one that shows the
// value, which is added where there is none.
Node* column_showing(List** targets, Node* value, const char* name);

// A query without columns that reads what this one reads, to be read in its place. They share it:
// who gives it columns copies what he takes of this one, then moves references to queries further
// out.
Query* rows_of(const Query* query);
// The query reads nothing but these rows, where they fulfil the condition. Its expressions, from
// PostgreSQL 18 on with those of its entry of groups, are changed already.
void read_rows(Query* query, Query* rows, const char* name, Node* condition);
// Whether a subquery names columns or CTEs of what a query reads, and would not move with that: it
// stands over groups, or in a limit or a frame. What is aggregated moves.
bool names_rows_from_above(const Query* query);

// In FROM, the entry of that number.
Node* reference_to(int number);
// A left join of a part of FROM and an entry, in an entry of its own, the last. Columns of the
// entry that are named above it may be NULL by it (Var.varnullingrels).
Node* left_join(Query* query, Node* left, int right, Node* condition);

// What stands for a column of a list that a value is compared with, in the comparison.
Node* column_of_list(const Node* shown, int number);
// left = ANY (SELECT …), or by another operator that compares what the two sides of the comparison
// are. list: shows one column.
Node* compared_with_any(const OpExpr* comparison, Node* left, Query* list);

// What stands in place of an entry of a subquery that a query does not read any more: a view still
// has rights asked for, from PostgreSQL 16 on.
RangeTblEntry* without_subquery(RangeTblEntry* entry);

// Gives a query another FROM, without joins. Tables that it reads no more stay in the range table,
// for the rights that they ask for.
void change_from(Query* query, FromExpr* from);

// The entries of a query that count for its rows: its range table up to the last one that its FROM
// names, and that of its groups. Those behind them only have rights asked for. Of a join that no
// column is named of FROM says all.
List* entries_that_count(Query* query);

// Gives the entries of a query the order in which its FROM names them, as the parser does. Those
// that it does not name follow if they have rights asked for.
void put_in_order_of_from(Query* query);

// Takes entries that a query does not name out of its range table, with their rights: others move
// up. Changes the expressions of the query in place.
void drop_entries(Query* query, const Bitmapset* entries);

// first UNION ALL second.
Query* put_together(Query* first, Query* second);

}  // namespace idp

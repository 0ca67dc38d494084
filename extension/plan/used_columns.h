// What the expressions of a query have of the tables and subqueries that it reads.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

bool is_same_column(const Var* a, const Var* b);
char* name_of_column(const Query* query, const Var* column);

struct UsedColumns {
  Index groups;                 // entry_of_groups() of the query
  List* columns = NIL;          // of Var, each once
  bool has_aggregates = false;  // and all of them are private and without a name
  bool is_plain = true;         // nothing that is not known here
};

// Adds those of an expression.
void add_used_columns(UsedColumns* used, Node* expression);

// Whether something in the query is a column of a query that it stands in.
bool names_outer_columns(Query* query);

// Whether a query, or one within it, names the rows of one of its entries as a whole, or a system
// column of theirs.
bool names_whole_row(Query* query, int entry);

// Whether one names a column of the entry, or its rows as a whole.
bool names_column_of(Query* query, int entry);

// Whether an expression names columns of its query, or of one that this stands in. What names none
// is the same for all rows; contain_var_clause() of the server knows its own query alone.
bool names_columns(Node* expression);

// The one column of the query that an expression names; null if it names others, or none.
const Var* only_column(Node* expression);

// Whether a subquery has one value that hangs on nothing of the query it stands in, neither columns
// nor CTEs.
bool is_value_apart(const SubLink* subquery);

// Whether an expression has one value in all of a statement, whoever evaluates it, and how often.
bool is_same_for_all_rows(Node* expression);

}  // namespace idp

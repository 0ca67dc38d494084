// What the expressions of a query have of the tables and subqueries that it reads.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

bool is_same_column(const Var* a, const Var* b);
char* name_of_column(const Query* query, const Var* column);

struct UsedColumns {
  Index groups;                 // number of the entry that stands for what is grouped by; or 0
  List* columns = NIL;          // of Var, each once
  bool has_aggregates = false;  // and all of them are private and without a name
  bool is_plain = true;         // nothing that is not known here
};

// Adds those of an expression.
void add_used_columns(UsedColumns* used, Node* expression);

// From PostgreSQL 18 on what is grouped by is a table of its own in the range table: its number. 0
// if there is none.
Index entry_of_groups(const Query* query);
List* grouped_expressions(const Query* query);

// A column of that entry, where it has become another one.
Node* column_of_groups(const Var* column, int entry);

// Whether something in the query is a column of a query that it stands in.
bool names_outer_columns(Query* query);

// Whether an expression names columns of its query, or of one that this stands in. What names none
// is the same for all rows; contain_var_clause() of the server knows its own query alone.
bool names_columns(Node* expression);

}  // namespace idp

// Answers for each value that a public table has in a column, asked once, in a CTE of the query
// that reads that table; queries within it read those of its row.
#pragma once

#include "extension/rewrite/ties.h"

namespace idp {

// Whether the column of the tie is one of a table of that query that everybody may know, which the
// query reads by the rights of who asks.
bool ties_to_public_row(const Query* around, const Tie& tie);

// Has a query group by a value of its own before all that it groups by, and show that before all
// that it shows. Nothing is left of its order.
void group_first_by(Query* answers, const Node* value);
// The same by the values that the public table has in the column of the tie, which is taken out of
// the query.
void group_by_tied(Query* answers, const Query* around, const Tie& tie);

// Adds these answers to those of a query, and gives their name.
const char* add_answers(Query* around, Query* answers);

// An entry reads its subquery, which hangs on nothing around it, as answers of a query further out.
void read_answers_once(Query* around, RangeTblEntry* entry, Index level);

// SELECT FROM the answers WHERE key = the column of the row, without columns yet. level: how far
// out the query stands that has both.
Query* answers_of_row(const char* name, const Query* answers, const Tie& tie, Index level);

// The same WHERE key = value, by that equality.
Query* answers_of_value(const char* name, const Query* answers, const OpExpr* by, Node* value,
                        Index level);

// The column of such a query that reads that column of the answers, from 1 on.
Var* column_of_answers(const Query* answers, AttrNumber number);

// Whether it shows aggregates, or what is computed of them and constants: round(avg(x), 2). Sets
// what that is of no rows; null if it is NULL.
bool shows_answer(Node* shown, Node** of_no_rows);

// The value of a subquery of a row, and that of no rows where the row has no answer. What is
// computed of answers may be NULL of some rows.
Node* or_of_no_rows(SubLink* link, const Node* shown, Node* of_no_rows);

}  // namespace idp

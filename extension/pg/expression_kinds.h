// What kinds of expressions there are, and what they are made of.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a node is of a kind that does nothing of its own but call the functions, or choose among
// the values, that it holds: check_functions_in_node() and walk_expression() see all it does.
// Checks start from this list, and add what else they know.
bool only_calls_functions(const Node* node);

// For check_functions_in_node().
bool is_volatile_function(Oid function, void*);

// Whether the value may differ from row to row, or is none of a whole query.
bool depends_on_rows(Node* expression);

// Whether a condition is that constant: NULL, which chooses no row, counts as false.
bool is_constant_condition(const Node* condition, bool value);

// Whether a condition is a = b of two columns of one type, by the equality of that type: another
// operator may call anything equal.
bool equates_columns(const Node* condition, Var** a, Var** b);
// The same, also where casts that change nothing stand around them: varchar is compared as text.
bool equates_values_of_columns(const Node* condition, Var** a, Var** b);

// Adds the parameters of the executor that an expression, or a query, names.
void add_parameters(const Node* expression, Bitmapset** parameters);

// Whether "a op b" is "b op' a" for some op': of operators of others that is only said.
bool has_true_commutator(Oid op);

// The value below casts that change nothing but its type's name.
const Node* without_relabels(const Node* value);

// What a condition joins by AND, at any depth: NIL of none, and of the constant true.
List* conjuncts(const Node* condition);
// The condition that all of these join to; null of none.
Node* joined_by_and(List* conditions);

// The values that an expression is one of, if it is no NULL: those of CASE and coalesce, the first
// of nullif, and what gets another name for its type. NIL of any other expression.
List* values_chosen(const Node* expression);

// What stands for the rows of a subquery, where something is compared with these: it is nothing
// without the subquery.
bool find_row_of_subquery(Node* node, void*);

// The elements of both lists, each once, and the first changed. Of long ones, which that would take
// minutes for, all: to ask a condition twice is right, too.
List* union_of_conditions(List* conditions, const List* others);

// Whether it is the constant true, or the constant false.
bool is_truth(const Node* condition, bool value);

// Whether a function gives a field of a date or an instant: extract and date_part.
bool gives_field(Oid function);

}  // namespace idp

// Facts about functions and aggregates from the system catalogs.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The declared type of the argument at that position (from 0).
Oid function_argument_type(Oid function, int position);

int function_argument_count(Oid function);

// The transition function of an aggregate.
Oid transition_function_of(Oid aggregate);

// schema.table, quoted where needed, whatever quote_all_identifiers is: such names are stored, and
// looked for. Null if there is no such table (any more).
char* qualified_name(Oid table);
char* qualified_name(const char* schema, const char* name);

// A list of char*: all that may stand for the qualified name of a table where it was stored. What
// is quoted follows from keywords, which servers of other versions have others of, and followed
// from quote_all_identifiers in 0.2.0. Empty if there is no such table (any more).
List* spellings_of(Oid table);

// The table of such a name, whoever may look into its schema; invalid if there is none.
Oid table_named(const char* qualified_name);

bool relation_exists(Oid relation);

// The role that owns the table; invalid if there is no such table (any more).
Oid owner_id_of(Oid relation);

// The name of the role that owns the table; null if there is no such table (any more).
char* owner_of(Oid table);

// Whether the current role has the rights of the table's owner.
bool owns(Oid table);

// How many columns a table has, dropped ones included.
int column_count(Oid table);

// The name of a column; null if there is none of that number (any more).
char* column_name(Oid table, AttrNumber column);

// The name of the role that asks.
char* current_role_name();

// Of an operator in the order of a type: <, <=, = and so on; 0 if it is none of these.
int order_strategy(Oid op, Oid type);

}  // namespace idp

// What extension idp made: functions, types, tables.
#pragma once

#include "extension/pg/pg.h"

#include <string_view>

namespace idp {

// Whether the extension itself made the function or aggregate, or the type. It is known from one
// statement to the next, until any function or type changes: a superuser who takes one out of the
// extension (ALTER EXTENSION) is heard with the next such change.
bool is_own_function(Oid function);
bool is_own_type(Oid type);
// Whether it made the function, and under that name.
bool is_own_function(Oid function, std::string_view name);

// Whether an aggregate of the extension stands in an expression.
bool has_own_aggregate(Node* expression);

// A type of schema idp.
Oid own_type(const char* name);

// A table or index of schema idp; invalid if there is none.
Oid own_relation(const char* name);

// The one function of that name in schema idp; invalid if there is none.
Oid own_function(const char* name);

// Called once, by the library as it is loaded: what is known is forgotten when functions change.
void watch_functions();

}  // namespace idp

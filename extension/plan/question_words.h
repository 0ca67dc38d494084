// Expressions of a recorded question as SQL, the same for all plans and sessions.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// What expressions of a level may name.
struct Scope {
  List* contexts;    // of ruleutils.h: of the level, and of those around it
  List* tables;      // of List, one for each of the contexts
  List* subqueries;  // of the level
  bool prefix;       // whether columns say of which table they are
};

// Where the values of parameters are. Those that the executor sets are known while the call is
// executed, and only those outside subqueries.
struct Values {
  EState* state;
  bool live;
  bool* varies;  // set if there is one of the executor's; null within subqueries
};

inline List* part(List* list, int index) { return static_cast<List*>(list_nth(list, index)); }
inline int number_at(List* list, int index) { return intVal(list_nth(list, index)); }

// Of a level within another one; outer may be null.
Scope scope_of(List* level, const Scope* outer, bool prefix);

// A copy of an expression or a query with the values of parameters in their places, evaluated as
// where they are constants (pg/fold.h).
Node* with_values(Node* node, const Values& values);

// As the planner simplifies an expression whose parameters are constants, and stable functions too.
Node* simplified(Node* expression, const Values& values);

// The expression, simplified.
char* text_of(Node* expression, const Scope& scope, const Values& values);

// What a condition joins by AND, simplified; none if it is null or always true.
List* conditions_of(Node* expression, const Values& values);
// Their texts.
List* condition_texts(Node* expression, const Scope& scope, const Values& values);

// In order, each once.
List* ordered(List* texts);
// "a AND b"; none if there are none.
void append_joined(StringInfo text, List* parts, const char* none);

// What a level writes, with the levels within.
void append_items(StringInfo text, List* level, const Scope& scope, const Values& values);

}  // namespace idp

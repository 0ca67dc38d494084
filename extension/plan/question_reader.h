// The reader of recorded questions (recorded_question.h): what was recorded of a level and of one
// of its calls, as text and as expressions, when the query is executed.
#pragma once

#include "extension/pg/nodes.h"
#include "extension/pg/pg.h"
#include "extension/plan/question_words.h"

namespace idp {

// A key of GROUP BY, as the plan node sees it.
struct Key {
  AttrNumber column;  // of the rows it reads
  Oid type;
  Oid collation;
  Node* expression;  // simplified; null if it is not known
  char* text;
};

// A part of WHERE.
struct Condition {
  char* text;
  Node* node;
  Bitmapset* keys;  // columns of the keys in it
  bool other;       // whether it is about anything else
};

struct Question {
  List* recorded;  // recorded_question.h
  Aggref* aggref;
  Oid table;
  bool varies;   // with what the executor sets: then what follows is made for each answer
  char* source;  // what is read, if that does not go without saying; or empty
  List* where;   // of Condition
  List* filter;  // of char*
  List* keys;    // of Key
};

// The list that was recorded for the calls of a node; refused if there is none.
List* recorded_question(const EState* state, const Aggref* aggref);
[[noreturn]] void refuse_unknown();
// Whether all that it asks was written.
bool all_is_known(List* recorded);
List* call_in(List* recorded, const Aggref* aggref);
// Whether the query reads that table and no other.
bool reads_only(List* recorded, Oid table);

Scope scope_of_level(List* recorded);
// What calls of a level have in common: where and keys. live: while a call is executed.
void read_level(Question* question, AggState* node, bool live);
// Of one: filter and source. Within PlainOutput.
void read_call(Question* question, const Scope& scope, const Values& values);

}  // namespace idp
